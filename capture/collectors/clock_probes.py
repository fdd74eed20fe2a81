"""Probes of the clocks of peers: four times of one exchange, so that merge can align nodes without any network clock.

Recorders of one job that share OUT find each other by small files in OUT/.peers/ and ask at most two others: the first
by name, whom all ask, and the next after their own name. An exchange is one UDP datagram of 28 bytes each way, to an
address that the peer's file names; a datagram without the token of that file gets no answer, and an answer is never
longer than its question. Where no datagram comes through, the files themselves carry the times (a handshake): that is
as coarse as the ticks of both sides, and better than nothing.

Off by ``--no-peer-probes``. Nothing but the nodes of the job is ever contacted, and no name is looked up.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import stat
import struct
import threading
import time
from typing import TYPE_CHECKING, Any, ClassVar, Final

from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PEERS: Final = ".peers"
_MAGIC: Final = b"iqp1"
_QUESTION: Final = struct.Struct("!4s16s8s")
_ANSWER: Final = struct.Struct("!4s8sqq")
_BURST: Final = 4
_WAIT_S: Final = 0.05
_OFTEN_NS: Final = 60_000_000_000
"""At first every turn asks, later every sixth: short jobs get probes too, and long ones a few a minute."""
_SELDOM: Final = 6
_STALE_S: Final = 300
"""A peer's file that was not touched for so long, by the clock of the file system, is left over."""
_MAX_FILES: Final = 4096
_MAX_FILE_BYTES: Final = 65536
_MAX_ANSWERS_S: Final = 1024
_MAX_ADDRESSES: Final = 8
_SIOCGIFADDR: Final = 0x8915
_SO_TIMESTAMPNS: Final = 35
_TIMESPEC: Final = struct.Struct("@qq")
_BELIEVED_NS: Final = 1_000_000_000


class ClockProbes(Collector):
    """Asks peers for their clocks, and answers theirs."""

    name: ClassVar[str] = "clock_probes"
    tables: ClassVar[tuple[str, ...]] = ("clock_samples",)
    requires: ClassVar[str] = "an output directory that the nodes of the job share"
    budget: ClassVar[Budget] = Budget(seconds=5.0, bytes=4096)
    period: ClassVar[int] = 5
    node_wide: ClassVar[bool] = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Open the socket, and tell the peers."""
        identity = _read(ctx.capture_dir / "node.json") or {}
        if identity.get("probes") is False:
            raise Missing("switched off (--no-peer-probes)")
        self._folder = shared_folder(ctx.capture_dir.parent.parent)
        self._token = os.urandom(16)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self._socket.bind(("0.0.0.0", 0))  # peers come by any interface
        self._asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):
            self._asking.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self._asking.settimeout(_WAIT_S)
        self._file = self._folder / f"{ctx.node}.json"
        self._turns = 0
        self._seen: dict[str, tuple[int, int]] = {}  # peer: (its beat, when we saw it)
        self._deaf: set[str] = set()  # peers that no datagram reaches
        self._about: dict[str, Any] = {
            "node": ctx.node,
            "boot_id": ctx.boot_id,
            "job_id": identity.get("job_id"),
            "addresses": _addresses(),
            "port": self._socket.getsockname()[1],
            "token": self._token.hex(),
        }
        self._beat()
        threading.Thread(target=self._answer, name="clock-answers", daemon=True).start()
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Ask two peers."""
        self._turns += 1
        early = time.monotonic_ns() - ctx.began_mono_ns < _OFTEN_NS
        if early or self._turns % _SELDOM == 0:
            yield "clock_samples", list(self._ask_all(ctx))

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """Ask once more, and withdraw."""
        rows = list(self._ask_all(ctx, deaf=False))
        for file in (self._file, *self._folder.glob(f"{ctx.node}.asks.*")):
            with contextlib.suppress(OSError):
                file.unlink()
        self._socket.close()
        self._asking.close()
        yield "clock_samples", rows

    def _ask_all(self, ctx: Context, *, deaf: bool = True) -> Iterator[Row]:
        """Rows of one turn; without ``deaf`` only of peers that answer at once."""
        os.utime(self._file)
        for peer in self._peers(ctx):
            if peer["node"] in self._deaf and not deaf:
                continue
            row = self._ask(peer) or self._shake(peer, ctx.node)
            if row is not None:
                yield row | {"peer": peer["node"], "peer_boot_id": peer["boot_id"]}
        if self._deaf or self._wanted(ctx.node):
            self._beat()

    def _peers(self, ctx: Context) -> list[dict[str, Any]]:
        """The first by name and the next after us, of those that are alive and of our job."""
        now = self._file.stat().st_mtime
        names = []
        with os.scandir(self._folder) as entries:
            for _, entry in zip(range(_MAX_FILES), entries, strict=False):
                with contextlib.suppress(OSError):
                    fresh = now - entry.stat(follow_symlinks=False).st_mtime < _STALE_S
                    if fresh and entry.name.endswith(".json") and entry.name != self._file.name:
                        names.append(entry.name)
        names.sort()
        after = [name for name in names if name > self._file.name]
        first = names[:1] if names and names[0] < self._file.name else []
        chosen = dict.fromkeys([*first, *(after[:1] or names[:1])])
        peers = (_read(self._folder / name) for name in chosen)
        return [
            peer for peer in peers if peer is not None and _usable(peer) and peer["job_id"] == self._about["job_id"]
        ]

    def _ask(self, peer: dict[str, Any]) -> Row | None:
        """The quickest exchange of a burst; None when no datagram came back."""
        best: tuple[int, Row] | None = None
        here = peer["boot_id"] == self._about["boot_id"]
        for address in [*(["127.0.0.1"] if here else ()), *peer["addresses"]]:
            for _ in range(_BURST):
                row = self._exchange((address, peer["port"]), bytes.fromhex(peer["token"]))
                if row is None:
                    break
                trip = (
                    row["return_mono_ns"] - row["ts_mono_ns"] - row["peer_send_mono_ns"] + row["peer_receive_mono_ns"]
                )
                best = min((trip, row), best or (trip, row), key=lambda found: found[0])
            if best is not None:
                self._deaf.discard(peer["node"])
                return best[1]
        self._deaf.add(peer["node"])
        return None

    def _exchange(self, address: tuple[str, int], token: bytes) -> Row | None:
        nonce = os.urandom(8)
        try:
            sent = time.monotonic_ns()
            self._asking.sendto(_QUESTION.pack(_MAGIC, token, nonce), address)
            until = time.monotonic() + _WAIT_S
            while time.monotonic() < until:
                data, returned, _ = _receive(self._asking)
                if len(data) == _ANSWER.size and data.startswith(_MAGIC + nonce):
                    _, _, received, answered = _ANSWER.unpack(data)
                    return {
                        "kind": "probe",
                        "ts_mono_ns": sent,
                        "peer_receive_mono_ns": received,
                        "peer_send_mono_ns": answered,
                        "return_mono_ns": returned,
                    }
        except OSError:  # a time-out is one too
            pass
        return None

    def _answer(self) -> None:
        """Answer questions that know our token, until the socket is closed."""
        second, answers = 0, 0
        while True:
            try:
                data, received, sender = _receive(self._socket)
                if time.monotonic_ns() >> 30 != second:
                    second, answers = time.monotonic_ns() >> 30, 0
                answers += 1
                if len(data) == _QUESTION.size and data.startswith(_MAGIC + self._token) and answers <= _MAX_ANSWERS_S:
                    nonce = data[-8:]
                    self._socket.sendto(_ANSWER.pack(_MAGIC, nonce, received, time.monotonic_ns()), sender)
            except OSError:
                if self._socket.fileno() < 0:
                    return
                time.sleep(0.01)  # an error that stays must not keep a CPU busy

    # --- over files -----------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        """Write our file anew: what we saw of others, and when we wrote."""
        told = self._about | {"seen": self._seen, "beat": time.monotonic_ns()}
        new = self._file.with_suffix(".new")
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(told, file)
        new.replace(self._file)

    def _wanted(self, node: str) -> bool:
        """See the beats of those who ask us over files; whether there are any."""
        asking = sorted(self._folder.glob(f"*.asks.{node}"))[:_MAX_ADDRESSES]
        for marker in asking:
            peer = _read(self._folder / f"{marker.name.removesuffix(f'.asks.{node}')}.json")
            if peer is not None and _usable(peer):
                self._see(peer)
        return bool(asking)

    def _see(self, peer: dict[str, Any]) -> None:
        if self._seen.get(peer["node"], (None,))[0] != peer["beat"]:
            self._seen[peer["node"]] = peer["beat"], time.monotonic_ns()

    def _shake(self, peer: dict[str, Any], node: str) -> Row | None:
        """One exchange over files: our beat, when the peer saw it, its own beat, and now."""
        now = time.monotonic_ns()
        self._see(peer)
        (self._folder / f"{node}.asks.{peer['node']}").touch(mode=0o600)
        times = peer["seen"].get(node)
        if not (isinstance(times, list) and len(times) == 2 and all(isinstance(t, int) for t in times)):
            return None
        return {
            "kind": "handshake",
            "ts_mono_ns": times[0],
            "peer_receive_mono_ns": times[1],
            "peer_send_mono_ns": peer["beat"],
            "return_mono_ns": now,
        }


def shared_folder(out: Path) -> Path:
    """The folder in OUT by which the recorders of a job find each other; raises Missing where it cannot be trusted."""
    folder = out / PEERS
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        seen = folder.lstat()
    except OSError as error:
        raise Missing(f"{folder} cannot be used: {error.strerror}") from error
    if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.geteuid() or seen.st_mode & 0o022:
        raise Missing(f"{folder} may be written by others: nobody's word in it is believed")
    return folder


def _usable(peer: dict[str, Any]) -> bool:
    """Whether a peer's file says what we need, in the form we need it."""
    addresses, token, port = peer.get("addresses"), peer.get("token"), peer.get("port")
    return (
        all(isinstance(peer.get(name), str) and peer[name] for name in ("node", "boot_id"))
        and isinstance(peer.get("beat"), int)
        and isinstance(peer.get("seen"), dict)
        and isinstance(addresses, list)
        and len(addresses) <= _MAX_ADDRESSES
        and all(isinstance(address, str) and _is_numeric(address) for address in addresses)
        and isinstance(port, int)
        and 0 < port < 65536
        and isinstance(token, str)
        and len(token) == 32
        and set(token) <= set("0123456789abcdef")
        and "job_id" in peer
    )


def _is_numeric(address: str) -> bool:
    try:
        socket.inet_aton(address)
    except OSError:
        return False
    return address.count(".") == 3


def _read(path: Path) -> dict[str, Any] | None:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
            found = json.loads(file.read(_MAX_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _receive(sock: socket.socket) -> tuple[bytes, int, Any]:
    """One datagram, when it arrived (monotonic), and its sender: by the kernel's word, else as of now."""
    data, ancillary, _, sender = sock.recvmsg(64, 64)
    # The wall clock first: a pause between the two readings then makes the arrival late, which only widens the bound
    # of an exchange. The other way round it would arrive before it was sent.
    wall, now = time.time_ns(), time.monotonic_ns()
    for level, kind, value in ancillary:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS and len(value) == _TIMESPEC.size:
            seconds, ns = _TIMESPEC.unpack(value)
            waited = wall - (seconds * 1_000_000_000 + ns)
            if 0 <= waited < _BELIEVED_NS:  # else the wall clock was set meanwhile
                return data, now - waited, sender
    return data, now, sender


def _addresses() -> list[str]:
    """IPv4 addresses of this node, but for the loopback's."""
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):
                request = struct.pack("256s", name.encode()[:15])
                found.append(socket.inet_ntoa(fcntl.ioctl(any_socket.fileno(), _SIOCGIFADDR, request)[20:24]))
    return [address for address in dict.fromkeys(found) if not address.startswith("127.")][:_MAX_ADDRESSES]

"""Asking NCCL's RAS subsystem how the job stands (NCCL 2.24 and later): one TCP connection, a few lines of text.

The protocol is that of NCCL's ``src/ras/client.cc`` and ``client_support.cc`` (2.30): CLIENT PROTOCOL, TIMEOUT, SET
FORMAT (2.28.7 on), VERBOSE STATUS, then the answer until the server closes. Every process of the job on a node listens
on the same address (SO_REUSEPORT), so a connection may come to one that is stopped: it is tried again, as ncclras does.
Another job of the same user may listen there too: only an answer from a process of ours counts.
"""

from __future__ import annotations

import os
import re
import socket
import time
from typing import TYPE_CHECKING, Final

from inquest.capture import proc

if TYPE_CHECKING:
    from collections.abc import Iterable

ADDRESS: Final = "NCCL_RAS_ADDR"
PORT: Final = 28028
PROTOCOL: Final = 2
TIMEOUT_S: Final = 5
"""What RAS itself waits for other processes of the job; it gives its answer after twice that at most."""
MOST_BYTES: Final = 16 << 20
"""An answer about 10,000 ranks has 5 MB."""
_HANDSHAKE_S: Final = 1.0
_ANSWER_S: Final = 2 * TIMEOUT_S + 2
_TRIES: Final = 5
_LINE: Final = 1024
_LISTEN: Final = "0A"


class NoAnswer(Exception):
    """RAS cannot be asked, or did not answer; the text says why, in one phrase."""


def address(told: str | None) -> tuple[str, int]:
    """Host and port of ``NCCL_RAS_ADDR`` ("host:port", "[v6]:port"), or the default.

    Raises:
        NoAnswer: It is neither.
    """
    if not told:
        return "localhost", PORT
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%\w]+)\]|([^:\[\]]+)):(\d{1,5})", told.strip())
    if match is None:
        raise NoAnswer(f"{ADDRESS} is no address")
    return match[1] or match[2], int(match[3])


def ask(host: str, port: int, pids: Iterable[int]) -> tuple[str, bytes]:
    """What RAS says of the job: ("json" or "text", the answer).

    Args:
        host: Where it listens.
        port: The port.
        pids: Processes of the job: one of them must be the one that answers.

    Raises:
        NoAnswer: It did not.
    """
    pids = tuple(pids)
    if not _listeners(port) & _sockets(pids):
        raise NoAnswer(f"no process of the job listens on port {port} (NCCL before 2.24, or NCCL_RAS_ENABLE=0)")
    why = ""
    for _ in range(_TRIES):
        try:
            with socket.create_connection((host, port), timeout=_HANDSHAKE_S) as connection:
                _said(connection, f"CLIENT PROTOCOL {PROTOCOL}", "SERVER PROTOCOL ")
                if not _is_from(connection, pids):
                    why = "another job answered"
                    continue
                _said(connection, f"TIMEOUT {TIMEOUT_S}", "OK")
                form = "json" if _line(connection, "SET FORMAT json") == "OK" else "text"
                return form, _status(connection)
        except TimeoutError:
            why = "the process that listens does not answer"
        except OSError as error:
            why = error.strerror or str(error)
    raise NoAnswer(f"{why} ({_TRIES} tries on {host}:{port})")


def _status(connection: socket.socket) -> bytes:
    connection.settimeout(_ANSWER_S)
    connection.sendall(b"VERBOSE STATUS\n")
    parts, size, deadline = [], 0, time.monotonic() + 2 * _ANSWER_S
    while part := connection.recv(1 << 16):
        size += len(part)
        if size > MOST_BYTES or time.monotonic() > deadline:
            raise NoAnswer(f"its answer did not end within {MOST_BYTES >> 20} MiB and {2 * _ANSWER_S} s")
        parts.append(part)
    if not parts:
        raise NoAnswer("it closed the connection without an answer")
    return b"".join(parts)


def _said(connection: socket.socket, question: str, expected: str) -> None:
    answer = _line(connection, question)
    if not answer.upper().startswith(expected):
        raise NoAnswer(f"what listens there is not RAS: to {question!r} it said {answer[:60]!r}")


def _line(connection: socket.socket, question: str) -> str:
    connection.sendall(f"{question}\n".encode())
    answer = b""
    while not answer.endswith(b"\n") and len(answer) < _LINE:
        part = connection.recv(_LINE)
        if not part:
            raise NoAnswer("it closed the connection")
        answer += part
    return answer.decode("utf-8", "replace").strip()


def _is_from(connection: socket.socket, pids: Iterable[int]) -> bool:
    """Whether the other end of a connection within this node is held by one of these processes."""
    own, theirs = connection.getsockname()[1], connection.getpeername()[1]
    inodes = {inode for local, remote, _, inode in _table() if (local, remote) == (theirs, own)}
    return bool(inodes & _sockets(pids))


def _listeners(port: int) -> set[int]:
    """Inodes of the sockets that listen on a port."""
    return {inode for local, _, state, inode in _table() if local == port and state == _LISTEN}


def _table() -> Iterable[tuple[int, int, str, int]]:
    """Local port, remote port, state and inode of all TCP sockets of our network namespace."""
    for name in ("tcp", "tcp6"):
        for line in (proc.read_text(f"/proc/net/{name}", 16 << 20) or "").splitlines()[1:]:
            fields = line.split()
            if len(fields) > 9 and fields[9].isdigit():
                local, remote = (int(fields[at].rpartition(":")[2], 16) for at in (1, 2))
                yield local, remote, fields[3], int(fields[9])


def _sockets(pids: Iterable[int]) -> set[int]:
    """Inodes of the sockets that processes hold."""
    found = set()
    for pid in pids:
        try:
            names = os.listdir(f"/proc/{pid}/fd")  # noqa: PTH208 - one call, no objects
        except OSError:
            continue
        for name in names:
            target = proc.link(f"/proc/{pid}/fd/{name}") or ""
            if target.startswith("socket:["):
                found.add(int(target[8:-1]))
    return found

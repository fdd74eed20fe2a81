"""One command on many nodes, over ssh, srun or pdsh: in parallel, bounded in time, and every silence has a name.

Nothing passes through a shell on this machine. On the node the command is one POSIX ``sh`` script, whose words were
quoted here. Host names are checked before they come near a command line.
"""

from __future__ import annotations

import base64
import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, BinaryIO, Final, Generic, Literal, TypeVar, cast

from inquest.bundle import hostlist
from inquest.bundle.errors import InputError, InquestError, UnsafeInput, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

Outcome = Literal["ok", "empty", "missing", "denied", "timed_out", "failed", "truncated"]
"""As in the table ``collection``."""

KINDS: Final = ("ssh", "srun", "pdsh")
_HOST: Final = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_.-]{0,31}@)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}")
_JOB: Final = re.compile(r"[0-9][0-9_+.]{0,31}")
_HOSTS_FILE_BYTES: Final = 16 << 20
_STDERR_BYTES: Final = 4096
_DENIED: Final = re.compile(
    r"permission denied|access denied|host key verification failed|not authorized", re.IGNORECASE
)
_SILENT: Final = re.compile(r"[Cc]onnection timed out|Operation timed out")
"""Words of ssh whose own limit ran out just before ours."""
_NEWS: Final = re.compile(r"Warning: Permanently added|Pseudo-terminal|ssh exited with exit code", re.IGNORECASE)
_TERM_GRACE_S: Final = 2.0
_BEGIN: Final = "inquest-begin"
_GREETING_LINES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Via:
    """How nodes are reached: the kind, its own options, and with srun the job whose nodes they are."""

    kind: str
    options: tuple[str, ...] = ()
    job_id: str | None = None

    def argv(self, host: str, script: str, *, connect_s: int) -> list[str]:
        """The command that runs ``script`` on ``host``; the program is found on PATH."""
        script = f"printf '\\n{_BEGIN}\\n'; {script}"
        if self.kind == "srun":
            job = ["--overlap", f"--jobid={self.job_id}"] if self.job_id else []
            where = ["--nodes=1", "--ntasks=1", f"--nodelist={host}", "--input=none", "--quiet"]
            return ["srun", *where, *job, *self.options, "sh", "-c", script]
        if self.kind == "pdsh":
            # pdsh replaces %h, %u and %n in the command, and prints lines: bytes pass it as base64 only.
            script = f"( {script}\n) | base64"
        remote = f"sh -c {shlex.quote(script)}"
        if self.kind == "pdsh":
            return ["pdsh", "-N", "-S", "-t", str(connect_s), *self.options, "-w", host, remote.replace("%", "%%")]
        quiet = ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={connect_s}", "-o", "ServerAliveInterval=5", "-x", "-a"]
        return ["ssh", *quiet, *self.options, "--", host, remote]

    @property
    def text_only(self) -> bool:
        """Whether only lines of text come back whole."""
        return self.kind == "pdsh"


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What became of one host: ``value`` is what the reader made of its output, None where there was none."""

    host: str
    outcome: Outcome
    detail: str
    value: T | None = None


@dataclass(slots=True)
class _Running:
    lock: threading.Lock = field(default_factory=threading.Lock)
    children: set[subprocess.Popen[bytes]] = field(default_factory=set)
    stopped: bool = False


def parse_via(text: str, job_id: str | None = None) -> Via:
    """``ssh``, ``srun`` or ``pdsh``, with options: ``ssh -F config``. srun joins the job while it runs.

    Raises:
        UsageError: It is none of them, or not installed.
    """
    try:
        kind, *options = shlex.split(text)
    except ValueError:
        kind, options = "", []
    if kind not in KINDS:
        raise UsageError(f"{text!r} is no way to reach a node: give ssh, srun or pdsh, with options of its own")
    import shutil

    if shutil.which(kind) is None:
        raise UsageError(f"{kind} is not installed here: install it, or reach the nodes with another --via")
    running = kind == "srun" and job_id is not None and _slurm(["squeue", "-h", "-t", "R", "-o", "%N", "-j", job_id])
    return Via(kind, tuple(options), job_id if running else None)


def parse_hosts(text: str) -> tuple[str, ...]:
    """Hosts of a list (``a,b``), Slurm's short form (``gpu[001-064]``) or a file (``@FILE``), each once, in order.

    Raises:
        UsageError: It lists no hosts, or a name that no host can have.
    """
    if text.startswith("@"):
        try:
            with open(text[1:], encoding="utf-8") as file:
                lines = file.read(_HOSTS_FILE_BYTES).splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the hosts in {text[1:]}: {error}") from error
        lists = [line.partition("#")[0].strip() for line in lines]
    else:
        lists = [text]
    hosts: list[str] = []
    for item in filter(None, lists):
        names = hostlist.expand(item)
        if not names:
            raise UsageError(f"{item[:80]!r} is not a list of hosts: write a,b or gpu[001-064] or @FILE")
        hosts += names
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise UsageError(f"{host[:80]!r} cannot be the name of a host")
    if not hosts:
        raise UsageError(f"{text[:80]!r} names no hosts: write a,b or gpu[001-064] or @FILE")
    return tuple(dict.fromkeys(hosts))


def nodes_of_job(job_id: str) -> tuple[str, ...]:
    """The nodes Slurm gave to a job, running or ended.

    Raises:
        UsageError: Slurm is not here, or does not know the job.
    """
    for ask in (["squeue", "-h", "-o", "%N", "-j", job_id], ["sacct", "-nPX", "-o", "NodeList", "-j", job_id]):
        for line in _slurm(ask):
            if hostlist.expand(line):
                return parse_hosts(line)
    raise UsageError(f"Slurm does not tell the nodes of job {job_id}: name them with --hosts")


def _slurm(ask: list[str]) -> list[str]:
    """What a command of Slurm prints, line by line; nothing where it fails or is not there."""
    if not _JOB.fullmatch(ask[-1]):
        return []
    try:
        told = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [] if told.returncode else [line.strip() for line in told.stdout.splitlines() if line.strip()]


def node_name(host: str) -> str:
    """The node a host is, without the user it is reached as."""
    return host.rpartition("@")[2]


def each(
    hosts: Sequence[str],
    via: Via,
    script: Callable[[str], str],
    read: Callable[[str, BinaryIO], T],
    *,
    timeout_s: float,
    total_s: float | None = None,
    parallel: int = 32,
    tell: Callable[[Answer[T]], None] = lambda _: None,
) -> dict[str, Answer[T]]:
    """Run a script on every host and read what it prints.

    Args:
        hosts: Names that ``parse_hosts`` gave.
        via: How to reach them.
        script: The script for a host (POSIX sh).
        read: Makes a value of a host's standard output, in a thread of its own. It may leave output unread, and
            raises InputError for output that is wrong or not whole (the host has then failed).
        timeout_s: Seconds a host has.
        total_s: Seconds all of them have; hosts that had no turn then count as timed out.
        parallel: Hosts asked at once.
        tell: Called in this thread with each answer as it comes.

    Returns:
        An answer for every host, in the order of ``hosts``.
    """
    deadline = None if total_s is None else time.monotonic() + total_s
    running = _Running()

    def one(host: str) -> Answer[T]:
        left = timeout_s if deadline is None else min(timeout_s, deadline - time.monotonic())
        if left <= 0 or running.stopped:
            return Answer(host, "timed_out", f"not asked: the {total_s:g} s for all hosts were over")
        return _ask(host, via, script(host), read, left, running)

    answers: dict[str, Answer[T]] = {}
    pool = ThreadPoolExecutor(max_workers=min(parallel, len(hosts)), thread_name_prefix="inquest-host")
    try:
        for answer in pool.map(one, hosts):
            answers[answer.host] = answer
            tell(answer)
    finally:
        with running.lock:
            running.stopped = True
            for child in running.children:
                _kill(child, signal.SIGKILL)
        pool.shutdown(wait=True, cancel_futures=True)
    return answers


def _ask(
    host: str, via: Via, script: str, read: Callable[[str, BinaryIO], T], seconds: float, running: _Running
) -> Answer[T]:
    argv = via.argv(host, script, connect_s=max(1, min(15, int(seconds))))
    with running.lock:
        if running.stopped:
            return Answer(host, "failed", "given up")
        try:
            child = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            return Answer(host, "failed", f"{argv[0]} cannot be started: {error.strerror}")
        running.children.add(child)
    assert child.stdout is not None
    assert child.stderr is not None
    said = bytearray()
    listener = threading.Thread(target=_drain, args=(child.stderr, said), daemon=True)
    listener.start()
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(child, signal.SIGTERM)  # srun takes its task along only when it is asked to end
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_TERM_GRACE_S)
        _kill(child, signal.SIGKILL)

    timer = threading.Timer(seconds, stop)
    timer.start()
    value: T | None = None
    wrong: Exception | None = None
    try:
        stream = io.BufferedReader(_Decoded(child.stdout)) if via.text_only else child.stdout
        _skip_greeting(cast("BinaryIO", stream))
        value = read(host, cast("BinaryIO", stream))
    except (InquestError, OSError, ValueError) as error:
        wrong = error
    finally:
        child.stdout.close()  # whoever still writes ends of it
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_TERM_GRACE_S if wrong else None if not late.is_set() else 2 * _TERM_GRACE_S)
        timer.cancel()
        _kill(child, signal.SIGKILL)
        child.wait()
        listener.join(1.0)  # a shared ssh connection may hold the pipe open for hours
        with running.lock:
            running.children.discard(child)
    text = _last_line(bytes(said))
    if late.is_set() and (wrong is not None or value is None):
        return Answer(host, "timed_out", f"no whole answer within {seconds:.3g} s", value)
    if isinstance(wrong, UnsafeInput):
        return Answer(host, "failed", str(wrong))
    if wrong is not None or (child.returncode and not late.is_set()):
        told = text or str(wrong or f"{via.kind} ended with status {child.returncode}")
        silent: Outcome = "timed_out" if _SILENT.search(text) else "failed"
        return Answer(host, "denied" if _DENIED.search(text) else silent, told, value)
    return Answer(host, "ok", "", value)


def _skip_greeting(stream: BinaryIO) -> None:
    """Leave out what a login prints before the script begins."""
    for _ in range(_GREETING_LINES):
        line = stream.readline(4096)
        if not line or line.rstrip(b"\r\n") == _BEGIN.encode():
            return


def _kill(child: subprocess.Popen[bytes], number: int) -> None:
    if child.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)


def _drain(pipe: BinaryIO, said: bytearray) -> None:
    with pipe, contextlib.suppress(OSError, ValueError):
        while chunk := pipe.read1(4096):  # type: ignore[attr-defined]
            said += chunk
            del said[:-_STDERR_BYTES]


def _last_line(said: bytes) -> str:
    """The last line that says something, made printable."""
    lines = [line.strip() for line in said.decode(errors="replace").splitlines()]
    told = [line for line in lines if line and not _NEWS.search(line)] or [""]
    return "".join(c if c.isprintable() else " " for c in told[-1])[:300]


class _Decoded(io.RawIOBase):
    """Bytes out of lines of base64."""

    def __init__(self, lines: IO[bytes]) -> None:
        self._lines = lines
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            line = self._lines.readline(1 << 20)
            if not line:
                return 0
            try:
                self._ready = base64.b64decode(line.strip(), validate=True)
            except ValueError as error:
                raise InputError(f"what came back is no base64: {line[:60]!r}") from error
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

"""What this node lets us see: the real collectors, tried for a moment, and what a recording rests on.

Nothing is looked up in a table of wishes: each collector starts, reads twice and stops as it would beside a job, with
a process that sleeps in place of the job, and says itself what it lacks.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.errors import InputError
from inquest.bundle.nodedir import create_capture
from inquest.capture import proc
from inquest.capture.collector import Context, Denied, Missing
from inquest.capture.collectors.clock import kernel_error_us
from inquest.capture.mounts import mount_of, mounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.capture.collector import Collector

State = Literal["works", "empty", "missing", "denied", "failed"]

WORDS: Final[dict[State, str]] = {
    "works": "ok",
    "empty": "quiet",
    "missing": "missing",
    "denied": "denied",
    "failed": "FAILED",
}
_GROUPS: Final = {
    "node": "This node",
    "place": "Where it would record",
    "tool": "Tools it would ask",
    "collector": "Collectors, each tried for a second",
}
_APART_S: Final = 1.1
"""Pause between the two readings: rates need two, and the process list comes first."""
_PATIENCE_S: Final = 5.0
"""How much longer than its budget a collector may take before it counts as hung."""
_SYNCS: Final = 5
_SLOW_SYNC_MS: Final = 20.0
"""A journal is synced every two seconds, the wrapper's files before the job starts: beyond this, the start is felt."""
_LITTLE_ROOM: Final = 1 << 30
_NETWORK: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "gpfs", "lustre", "nfs", "nfs4", "panfs", "smb3", "wekafs"}
)
_TOOLS: Final = (
    ("py-spy", "Python stacks of ranks that stall", "pip install py-spy, or put its binary on PATH"),
    ("nvidia-smi", "the driver's own report beside NVML", "comes with the NVIDIA driver"),
    ("dcgmi", "profiling figures of GPUs before Hopper", "NVIDIA's datacenter-gpu-manager"),
    ("scontrol", "records of the scheduler", "Slurm's client commands"),
    ("sacct", "the scheduler's accounting", "Slurm's client commands, with accounting switched on"),
    ("chronyc", "how well the wall clock is kept", "the distribution's chrony"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        group: ``node``, ``place``, ``tool`` or ``collector``.
        name: What it is.
        state: How it went; ``empty``: it ran and had nothing to tell.
        says: What was found, in a sentence.
        remedy: What would make it work; empty where nothing is to be done.
        tables: Tables a collector writes.
        rows: Rows a collector gave in two readings.
        cpu_ms: CPU time of its second reading, milliseconds; None where it did not get there.
    """

    group: str
    name: str
    state: State
    says: str
    remedy: str = ""
    tables: tuple[str, ...] = ()
    rows: int = 0
    cpu_ms: float | None = None


def examine(out: Path, collectors: Iterable[type[Collector]]) -> Iterator[Finding]:
    """Look at this node, at ``out``, at tools, and try every collector.

    Raises:
        InputError: Nothing can be recorded under ``out``.
    """
    yield from _node()
    named, out = out, out.absolute()
    was_there = next((folder for folder in (out, *out.parents) if folder.exists()), out)
    try:
        out.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".doctor-", dir=out))
    except OSError as error:
        raise InputError(f"{named}: {error.strerror}. Nothing can be recorded there: choose another --out.") from error
    try:
        yield from _place(out, scratch)
        yield from _tools()
        yield from _try_all(scratch, collectors)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        for folder in (out, *out.parents):  # what was made only to be tried goes again
            if folder == was_there:
                break
            with contextlib.suppress(OSError):
                folder.rmdir()


def lines(findings: Iterable[Finding]) -> Iterator[str]:
    """The findings for a person, a line or two each, under a heading a group; the first word tells the state."""
    findings = list(findings)
    for group, title in _GROUPS.items():
        yield ""
        yield title
        for finding in findings:
            if finding.group == group:
                cost = "" if finding.cpu_ms is None else f"  ({finding.cpu_ms:.1f} ms of CPU a reading)"
                yield f"{WORDS[finding.state]:<8} {finding.name:<16} {_one_line(finding.says)}{cost}"
                if finding.remedy:
                    yield f"{'':25} -> {_one_line(finding.remedy)}"
    tried = [finding for finding in findings if finding.group == "collector"]
    fine = sum(finding.state in ("works", "empty") for finding in tried)
    yield ""
    yield f"A job can be recorded here: {fine} of {len(tried)} collectors work."


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:500]


def _node() -> Iterator[Finding]:
    how = "the single-file agent" if getattr(sys, "frozen", False) else f"Python {platform.python_version()}"
    yield Finding("node", "system", "works", f"{platform.system()} {platform.release()} {platform.machine()}, {how}")
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        yield Finding("node", "pidfd", "missing", "the end of processes is seen up to a second late", "Linux 5.3")
    rights = "root" if os.geteuid() == 0 else f"user {os.geteuid()}, without root"
    state: State = "works" if os.geteuid() == 0 else "denied"
    remedy = "" if os.geteuid() == 0 else "root, or CAP_BPF and CAP_PERFMON for CUDA, NCCL and signals; all else works"
    yield Finding("node", "rights", state, rights, remedy)
    lockdown = proc.read_text("/sys/kernel/security/lockdown")
    if lockdown is not None and "[none]" not in lockdown:
        chosen = lockdown[lockdown.find("[") + 1 : lockdown.find("]")]
        yield Finding("node", "lockdown", "works", f"{chosen}: no hindrance short of confidentiality")
    version = 2 if Path("/sys/fs/cgroup/cgroup.controllers").exists() else 1
    there = Path("/sys/fs/cgroup").is_dir()
    yield Finding("node", "cgroups", "works" if there else "missing", f"version {version}" if there else "not mounted")
    error_us = kernel_error_us()
    if error_us is None:
        yield Finding(
            "node",
            "wall clock",
            "missing",
            "the kernel does not call it synchronised: nodes are aligned by probes and collectives only",
            "run chrony or ntpd on the nodes",
        )
    else:
        yield Finding(
            "node", "wall clock", "works", f"synchronised, within {error_us / 1000:.1f} ms by the kernel's word"
        )


def _place(out: Path, scratch: Path) -> Iterator[Finding]:
    mount = mount_of(str(out.resolve()), mounts())
    point, kind = (str(out), "unknown") if mount is None else (mount.point, mount.kind)
    if kind in _NETWORK:
        says = f"{point} is {kind}, shared over a network: a recorder writes files of its own node only"
        yield Finding("place", "file system", "works", says)
    else:
        says = f"{point} is {kind}, of this node: gather the nodes' directories with `inquest collect`"
        yield Finding("place", "file system", "works", says)
    room = os.statvfs(out)
    free = room.f_bavail * room.f_frsize
    little = free < _LITTLE_ROOM
    yield Finding(
        "place",
        "room",
        "failed" if little else "works",
        f"{free / 1e9:.1f} GB free",
        "make room, or choose another --out" if little else "",
    )
    took = sorted(_sync_ms(scratch / "sync") for _ in range(_SYNCS))[_SYNCS // 2]
    slow = took > _SLOW_SYNC_MS
    yield Finding(
        "place",
        "sync to disk",
        "failed" if slow else "works",
        f"{took:.1f} ms, the median of {_SYNCS}",
        "--no-fsync, or a faster --out: the job starts only when its first files are on disk" if slow else "",
    )


def _sync_ms(path: Path) -> float:
    with path.open("wb") as file:
        file.write(bytes(4096))
        file.flush()
        began = time.perf_counter_ns()
        os.fdatasync(file.fileno())
        return (time.perf_counter_ns() - began) / 1e6


def _tools() -> Iterator[Finding]:
    for name, gives, remedy in _TOOLS:
        path = shutil.which(name)
        if path is None:
            yield Finding("tool", name, "missing", f"gives {gives}", remedy)
        else:
            yield Finding("tool", name, "works", _version(path) or path)


def _version(path: str) -> str:
    """First line a tool says of its version; empty where it says none in time."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=5, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace").strip().partition("\n")[0][:120]


def _try_all(scratch: Path, collectors: Iterable[type[Collector]]) -> Iterator[Finding]:
    node = "doctor"
    job = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    ctx = Context(
        capture_dir=Path(create_capture(scratch, node, fsync=False)),
        node=node,
        boot_id=proc.boot_id(),
        child_pid=job.pid,
        began_mono_ns=time.monotonic_ns(),
        environ=os.environ,
        trial=True,
    )
    trials = [_Trial(kind, ctx) for kind in collectors]
    for trial in trials:
        trial.start()
    until = time.monotonic() + _APART_S + _PATIENCE_S
    try:
        for trial in trials:
            trial.join(max(0.0, until + trial.kind.budget.seconds - time.monotonic()))
            yield trial.finding()
    finally:
        job.kill()
        job.wait()


class _Trial(threading.Thread):
    """One collector, from start to stop."""

    def __init__(self, kind: type[Collector], ctx: Context) -> None:
        super().__init__(name=kind.name, daemon=True)
        self.kind = kind
        self._ctx = ctx
        self._rows: Counter[str] = Counter()
        self._error: Exception | None = None
        self._cpu_ms: float | None = None
        self._note = ""
        self._over = False

    def run(self) -> None:
        try:
            collector = self.kind()
            self._count(collector.start(self._ctx))
            time.sleep(_APART_S / 2)
            self._count(collector.tick(self._ctx))
            time.sleep(_APART_S / 2)
            began = time.thread_time_ns()
            self._count(collector.tick(self._ctx))
            self._cpu_ms = (time.thread_time_ns() - began) / 1e6
            self._note = collector.note
            self._count(collector.stop(self._ctx))
        except Exception as error:  # whatever it is, it is what we were asked to tell
            self._error = error
        self._over = True

    def _count(self, batches: Iterable[tuple[str, list[dict[str, object]]]]) -> None:
        for table, rows in batches:
            self._rows[table] += len(rows)

    def finding(self) -> Finding:
        """How it went."""
        rows = self._rows.total()
        state: State = "works" if rows else "empty"
        told = {table: count for table, count in self._rows.items() if count}
        counts = ", ".join(f"{table} {count}" for table, count in told.items())
        says = counts or self._note or "ran, and had nothing to tell"
        if not self._over:
            state, says = "failed", "a call has not returned: it would be cut off"
        match self._error:
            case Missing():
                state, says = "missing", str(self._error)
            case Denied():
                state, says = "denied", str(self._error)
            case Exception():
                state, says = "failed", f"{type(self._error).__name__}: {self._error}"
        remedy = self.kind.requires if state in ("missing", "denied") else ""
        return Finding("collector", self.kind.name, state, says, remedy, self.kind.tables, rows, self._cpu_ms)

"""Where the libraries of a training process leave files about themselves, and how to ask for one.

Everything is told by the environment the process was started with, else by the library's own default. Sources: torch's
FlightRecorder.hpp, ProcessGroupNCCL.cpp and elastic/multiprocessing/errors (2.4 to 2.13), the NCCL manual, and the
README of NCCL's Inspector.
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
import re
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture import artifacts, jobenv, proc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.capture.artifacts import Kind

_PREFIXES: Final = ("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE")
_PIPES: Final = ("TORCH_NCCL_DEBUG_INFO_PIPE_FILE", "TORCH_FR_DEBUG_INFO_PIPE_FILE")
_NAMES: Final = jobenv.names(
    """
    TORCHELASTIC_ERROR_FILE NCCL_DEBUG_FILE NCCL_INSPECTOR_DUMP_DIR NCCL_INSPECTOR_ENABLE NCCL_RAS_ADDR NCCL_RAS_ENABLE
    XDG_CACHE_HOME HOME RANK SLURM_JOBID
    """
) | {*_PREFIXES, *_PIPES}
"""What is read of a process's environment here; none of it is recorded."""

_IN_WORK_DIR: Final[tuple[tuple[str, Kind], ...]] = (
    ("*.pt.trace.json", artifacts.TRACE),
    ("*.pt.trace.json.gz", artifacts.TRACE),
    ("hs_err_pid*.log", artifacts.CRASH),
    ("faulthandler*", artifacts.CRASH),
    ("py-spy*.txt", artifacts.CRASH),
    ("py-spy*.json", artifacts.CRASH),
    ("core", artifacts.CORE),
    ("core.[0-9]*", artifacts.CORE),
    ("core-*", artifacts.CORE),
)
"""Files by name in the job's working directory and two levels below."""
_KINDS: Final = tuple((re.compile(fnmatch.translate(pattern)).match, kind) for pattern, kind in _IN_WORK_DIR)
_ANY_KIND: Final = re.compile("|".join(fnmatch.translate(pattern) for pattern, _ in _IN_WORK_DIR)).match
"""Asked first: of thousands of names none is of any kind."""
_LOG_SUFFIXES: Final = frozenset({".log", ".out", ".err", ".txt"})
_DEPTH: Final = 2
_MOST_ENTRIES: Final = 5000
_SKIPPED: Final = frozenset({".git", "node_modules", "site-packages", "__pycache__", ".venv", "venv", "wandb"})


@dataclass(frozen=True, slots=True)
class Spot:
    """A file that may appear.

    ``grows`` says that it is written to until the end, so that it is taken then; ``name`` is what it is kept as, where
    its own does not tell its rank.
    """

    kind: Kind
    path: Path
    grows: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the job, as far as its files go; read while it lives."""

    pid: int
    rank: int | None
    owner: int
    env: dict[str, str]
    work_dir: Path | None
    outputs: tuple[Path, ...] = ()
    """Plain files that its standard output and error go to, past us."""

    @classmethod
    def of(cls, pid: int, rank: int | None) -> Process | None:
        """The process ``pid``; None when it is gone."""
        try:
            owner = Path(f"/proc/{pid}").stat().st_uid
        except OSError:
            return None
        env = proc.environ(pid, _NAMES)
        work_dir = proc.link(f"/proc/{pid}/cwd")
        if rank is None:
            rank = jobenv.number(env, "RANK")
        return cls(pid, rank, owner, env, Path(work_dir) if work_dir else None, redirected(pid))

    def spots(self) -> Iterator[Spot]:
        """Files that its libraries may leave."""
        if self.rank is not None:
            for prefix in self._prefixes():
                yield Spot(artifacts.FLIGHT_RECORDER, self._absolute(f"{prefix}{self.rank}"))
        for path in self.outputs:
            named = path.name if path.suffix in _LOG_SUFFIXES else f"{path.name}.log"
            name = named if self.rank is None else f"rank-{self.rank}-{named}"
            yield Spot(artifacts.RANK_LOG, path, grows=True, name=name)
        if error_file := self.env.get("TORCHELASTIC_ERROR_FILE"):
            yield Spot(artifacts.ERROR_FILE, self._absolute(error_file))
        if debug_file := self.env.get("NCCL_DEBUG_FILE"):
            named = debug_file.replace("%h", socket.gethostname()).replace("%p", str(self.pid))
            yield Spot(artifacts.NCCL_DEBUG, self._absolute(named), grows=True)
        if self.env.get("NCCL_INSPECTOR_ENABLE", "0") != "0":
            job = self.env.get("SLURM_JOBID")
            place = self.env.get("NCCL_INSPECTOR_DUMP_DIR") or (f"nccl-inspector-{job}" if job else None)
            if place:
                name = f"{socket.gethostname()}-pid{self.pid}.log"
                yield Spot(artifacts.NCCL_INSPECTOR, self._absolute(place) / name, grows=True)

    def ask_for_dump(self) -> bool:
        """Ask torch for a dump of its flight recorder, where the program opened the pipe for that."""
        for base in (self.env[name] for name in _PIPES if self.env.get(name)):
            if self.rank is None:
                continue
            # O_NONBLOCK: a pipe that nobody reads refuses at once, and a full one takes nothing more.
            with contextlib.suppress(OSError):
                path = self._absolute(f"{base}{self.rank}.pipe")
                fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    if stat.S_ISFIFO(os.fstat(fd).st_mode) and os.fstat(fd).st_uid == self.owner:
                        os.write(fd, b"1\n")
                        return True
                finally:
                    os.close(fd)
        return False

    def _prefixes(self) -> list[str]:
        told = [self.env[name] for name in _PREFIXES if self.env.get(name)]
        cache = self.env.get("XDG_CACHE_HOME") or f"{self.env.get('HOME', '')}/.cache"
        return told or ["/tmp/nccl_trace_rank_", f"{cache}/torch/comm_lib_trace_rank_"]

    def _absolute(self, path: str) -> Path:
        return (self.work_dir or Path("/")) / path


def redirected(pid: int) -> tuple[Path, ...]:
    """Files that a process's standard output and error go to; not pipes, terminals or devices.

    Only the links are read: a file on a server that answers no more must not hold us up.
    """
    found: list[Path] = []
    for number in (1, 2):
        target = proc.link(f"/proc/{pid}/fd/{number}") or ""
        is_file = target.startswith("/") and not target.startswith(("/dev/", "/proc/", "/memfd:"))
        if is_file and not target.endswith(" (deleted)") and Path(target) not in found:
            found.append(Path(target))
    return tuple(found)


def in_work_dir(work_dir: Path, not_below: Path) -> Iterator[Spot]:
    """Files of known names in a working directory, and in two levels below; never under ``not_below`` (our own)."""
    left = _MOST_ENTRIES
    ours = os.fspath(not_below)
    waiting = [(os.fspath(work_dir), 0)]
    while waiting and left > 0:
        folder, depth = waiting.pop(0)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if left <= 0:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        if depth < _DEPTH and entry.name not in _SKIPPED and entry.path != ours:
                            waiting.append((entry.path, depth + 1))
                    elif _ANY_KIND(entry.name):
                        kind = next(kind for matches, kind in _KINDS if matches(entry.name))
                        yield Spot(kind, Path(entry.path))
        except OSError:
            continue

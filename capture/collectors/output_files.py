"""What a job that runs already writes to files: those its processes have open as descriptors 1 and 2.

For ``inquest attach``: where no wrapper holds the job's pipes, its output often goes to files all the same (``sbatch
-o``, ``torchrun --log-dir``, a redirection). They are opened through /proc/PID/fd, so that a file that was renamed,
removed or lies in a container is followed, too. What a file holds already is taken from its beginning and its end, with
a gap in between; what comes from now on within the log budget (capture/log_budget.py).
"""

from __future__ import annotations

import json
import os
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.bundle.rawlog import MAX_DATA, Data, Gap
from inquest.capture import jobenv, proc
from inquest.capture.collector import Batch, Budget, Collector, Context
from inquest.capture.election import Seat
from inquest.capture.log_budget import MemoryTail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.lines import Splitter

_MOST_FILES: Final = 256
_EARLIER: Final = 256 << 10
"""Bytes taken of what a file holds already, from its beginning and from its end each."""
_A_TICK: Final = 8 << 20
_ROW_BYTES: Final = 200
"""What may be taken in a second, of all files together, with what a line costs as a row beside its text. What is more
waits, and beyond `_LAG` bytes is passed over."""
_AT_THE_END: Final = 512 << 10
"""Bytes of a file that are read when the job has ended; what lies before them is passed over."""
_LAG: Final = 64 << 20
_STREAM: Final = 0
_IDENTITY: Final = ("node", "boot_id", "capture", "seq", "ts_ns", "stream", "source")
_BEFORE: Final = "written before inquest was attached"
_BEHIND: Final = "written faster than it could be recorded"


@dataclass(slots=True)
class _File:
    """One file that is followed."""

    fd: int
    source: str
    seat: Seat
    lines: Splitter
    at: int = 0
    ranks: set[int | None] = field(default_factory=set)

    def rank(self) -> int | None:
        """The rank that alone writes to it."""
        return next(iter(self.ranks)) if len(self.ranks) == 1 else None


class OutputFiles(Collector):
    """Rows of ``log_lines`` with stream ``file``, and of ``log_gaps``; ``offset`` is that in the file.

    A file that several tasks of a node share is followed by one of their recorders. A file that was cut short begins
    again. Lines that were there before have the time at which they were read.
    """

    name = "output_files"
    tables = ("log_lines", "log_gaps")
    requires = "the same user as the job, or root"
    budget = Budget(seconds=10.0, bytes=16 << 20)
    attach_only = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Nothing is open yet."""
        self._files: dict[tuple[int, int], _File] = {}
        self._others: set[tuple[int, int]] = set()
        """Files that another recorder of this node follows."""
        self._tail = MemoryTail(ctx.log_budget)
        self._left = _A_TICK
        self._cwd = proc.link(f"/proc/{ctx.child_pid}/cwd")
        self._find(ctx)
        for path, key in _noted(ctx.capture_dir):
            if key not in self._files:  # the task has ended since it was met
                self._open(ctx, path, key)
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Look for files, and read what has come."""
        self._left = _A_TICK
        self._find(ctx)
        for file in self._files.values():
            self._read(file)
            yield from self._rows(ctx, file)

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """Read to the end of each file: what is more than a tick's share is taken from its end."""
        self._left = _A_TICK
        self._find(ctx)
        for file in self._files.values():
            self._pass_over(file, _AT_THE_END)
            self._read(file)
            for record in self._tail.finish(file.source):
                file.lines.take(record)
            file.lines.finish()
            yield from self._rows(ctx, file)
            os.close(file.fd)
            file.seat.leave()

    def _find(self, ctx: Context) -> None:
        """Files that processes of the job write to now, and whose they are."""
        writers = dict.fromkeys(ctx.members) | {ctx.child_pid: None}
        for pid in writers:
            member = ctx.members.get(pid)
            rank = jobenv.number(proc.environ(pid, jobenv.LAYOUT), "RANK") if member is None else member.rank
            for number in (1, 2):
                try:
                    seen = os.stat(f"/proc/{pid}/fd/{number}")  # noqa: PTH116
                except OSError:
                    continue
                key = (seen.st_dev, seen.st_ino)
                if stat.S_ISREG(seen.st_mode) and (
                    key in self._files or self._open(ctx, f"/proc/{pid}/fd/{number}", key)
                ):
                    self._files[key].ranks.add(rank)

    def _open(self, ctx: Context, path: str, key: tuple[int, int]) -> bool:
        """Follow a file, if it is still the one that was seen and nobody else on this node follows it."""
        if self._left <= 0:
            return False  # with the next tick
        if len(self._files) >= _MOST_FILES:
            self.note = f"more than {_MOST_FILES} files are written to: the others are not followed"
            return False
        seat = Seat(
            node=ctx.node, job=jobenv.job_id(ctx.environ), step=f"file {key[0]}:{key[1]}", out=ctx.capture_dir.parent
        )
        if not seat.take():
            self._others.add(key)
            return False
        name = proc.link(path) or path
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            found = os.fstat(fd)
        except OSError as error:
            seat.leave()
            self.note = f"{name} cannot be read: {error.strerror}"
            return False
        if (found.st_dev, found.st_ino) != key:
            os.close(fd)
            seat.leave()
            return False
        file = self._files[key] = _File(fd, self._name(name), seat, self._splitter(ctx))
        if key in self._others:  # another recorder has followed it until it ended
            file.at = found.st_size
            file.lines.begin_at(file.at)
        else:
            self._take_earlier(file, found.st_size)
        return True

    def _name(self, path: str) -> str:
        path = path.removesuffix(" (deleted)")
        if self._cwd and Path(path).is_relative_to(self._cwd):
            return str(Path(path).relative_to(self._cwd))
        return path

    @staticmethod
    def _splitter(ctx: Context) -> Splitter:
        from inquest.bundle.lines import Splitter

        return Splitter(ctx.task, {"node": ctx.node, "boot_id": ctx.boot_id, "capture": ctx.capture_dir.name}, {})

    def _take_earlier(self, file: _File, size: int) -> None:
        """What the file holds already: its beginning here, its end with what comes."""
        if size <= 2 * _EARLIER:
            return
        head = os.pread(file.fd, _EARLIER, 0)
        head = head[: head.rfind(b"\n") + 1]
        now = time.monotonic_ns()
        if head:
            self._left -= _cost(head)
            file.lines.take(Data(_STREAM, now, 0, head))
        end = size - _EARLIER
        line = os.pread(file.fd, MAX_DATA, end).find(b"\n") + 1  # whole lines, where there are any
        file.at = end + line
        file.lines.take(Gap(_STREAM, now, len(head), file.at - len(head), _BEFORE))

    def _pass_over(self, file: _File, most: int) -> None:
        size = os.fstat(file.fd).st_size
        if size - file.at > most:
            line = os.pread(file.fd, MAX_DATA, size - most).find(b"\n") + 1
            self._put(file, Gap(_STREAM, time.monotonic_ns(), file.at, size - most + line - file.at, _BEHIND))
            file.at = size - most + line

    def _read(self, file: _File) -> None:
        """Read what has come."""
        if os.fstat(file.fd).st_size < file.at:  # cut short: it begins again
            self._begin_again(file)
        self._pass_over(file, _LAG)
        while self._left > 0 and (data := os.pread(file.fd, MAX_DATA, file.at)):
            self._put(file, Data(_STREAM, time.monotonic_ns(), file.at, data))
            file.at += len(data)
            self._left -= _cost(data)

    def _begin_again(self, file: _File) -> None:
        for record in self._tail.finish(file.source):
            file.lines.take(record)
        file.lines.finish()
        file.lines.begin_at(0)
        file.at = 0

    def _put(self, file: _File, record: Data | Gap) -> None:
        for kept in self._tail.take(file.source, record):
            file.lines.take(kept)

    @staticmethod
    def _rows(ctx: Context, file: _File) -> Iterator[Batch]:
        rank = file.rank()
        told = {"rank": rank, "rank_by": None if rank is None else "env"}
        for table, batch in file.lines.drain():
            rows = batch.drop_columns(list(_IDENTITY)).to_pylist()  # the journal numbers and names them anew
            own = {"stream": "file", "source": file.source, **(told if table == "log_lines" else {})}
            yield table, [row | own for row in rows]


def _noted(capture_dir: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """Files that `inquest attach` saw the task write to when it met it."""
    with (capture_dir / "node.json").open(encoding="utf-8") as file:
        noted = json.load(file).get("outputs")
    for path, device, inode in noted or ():
        yield path, (device, inode)


def _cost(data: bytes) -> int:
    return len(data) + _ROW_BYTES * (data.count(b"\n") + data.count(b"\r"))

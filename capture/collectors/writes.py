"""What the job prints where no wrapper holds its pipes: the bytes its processes write to descriptors 1 and 2.

For ``inquest attach`` only: the event that tells of a write taxes every system call on the node. The program is
capture/ebpf/programs/writes.bpf.c; lines are made of its records as they are of the wrapper's (bundle/lines.py).
"""

from __future__ import annotations

import struct
import threading
import time
from typing import TYPE_CHECKING, Final

from inquest.bundle.rawlog import Data, Gap
from inquest.capture import jobenv, proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Member
from inquest.capture.ebpf.kernel import CHUNK, WRITES, KernelEvents
from inquest.capture.ebpf.rawbpf import Ring
from inquest.capture.log_budget import MemoryTail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inquest.bundle.lines import Splitter

_STREAMS: Final = {1: "stdout", 2: "stderr"}
_WHOLE: Final = 0
_WHY: Final = {
    1: "the kernel could not read it: not resident in memory",
    2: "beyond the first 64 KiB of one write",
}
_RING_FULL: Final = "printed faster than the recorder reads"
_OVER_BUDGET: Final = "more than the recorder takes of a second of output"
_MOST_BYTES: Final = 4 << 20
"""Text taken in a second, of all processes together; each line counts for what its row weighs beside its text."""
_ROW_BYTES: Final = 200
_IDENTITY: Final = ("node", "boot_id", "capture", "seq", "ts_ns")
_PAUSE_S: Final = 0.01


class _Output:
    """What one process prints."""

    def __init__(self, ctx: Context, pid: int, member: Member | None) -> None:
        from inquest.bundle.lines import Splitter

        # Asked now: a process may be gone before its lines are whole.
        self.rank = jobenv.number(proc.environ(pid, jobenv.LAYOUT), "RANK") if member is None else member.rank
        self.lines: Splitter = Splitter(
            ctx.task, {"node": ctx.node, "boot_id": ctx.boot_id, "capture": ctx.capture_dir.name}, {}
        )
        self.expected = dict.fromkeys(_STREAMS, 0)


class Writes(Collector):
    """Rows of ``log_lines`` with ``rank_by`` ebpf, and of ``log_gaps`` for whatever was printed and is not in them.

    ``offset`` counts from the moment of attaching, in what one process wrote to one descriptor, which is the
    ``source``. Output that goes to a regular file is left to whoever reads the file. What a write that fails or is cut
    short did not deliver is in the rows all the same: the event comes before the write. ``drops`` counts records the
    ring had no room for; their bytes are in ``log_gaps``.
    """

    name = "writes"
    tables = ("log_lines", "log_gaps")
    requires = "eBPF: root, or CAP_BPF and CAP_PERFMON; a kernel with BTF (5.8 and later)"
    budget = Budget(seconds=20.0, bytes=8 << 20)
    attach_only = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Attach; processes are tracked by ``process_life``."""
        self._events = KernelEvents(WRITES)
        self.note = self._events.note
        self._ctx = ctx
        self._ring = Ring(self._events.map("write_events"))
        self._lock = threading.Lock()
        self._outputs: dict[int, _Output] = {}
        self._before: Mapping[int, Member] = {}
        self._tail = MemoryTail(ctx.log_budget)
        self._taken = 0
        self._over = False
        threading.Thread(target=self._run, name="writes", daemon=True).start()
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Lines that are whole by now; those of processes that have gone, to their end."""
        self._events.follow(ctx.members)
        batches = self._rows(last=False)
        self._before = ctx.members
        return batches

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The last lines, whole or not."""
        yield from self._rows(last=True)
        self._over = True
        self._ring.wake()
        self._events.close()

    def _rows(self, *, last: bool) -> Iterable[Batch]:
        with self._lock:
            # Asked before reading: all that they wrote is in the ring by now.
            ended = {pid for pid in self._outputs if not self._events.tracks(pid)}
            self._read()
            self._taken = 0
            batches = [batch for pid in list(self._outputs) for batch in self._rows_of(pid, ended=last or pid in ended)]
        self.drops = self._events.lost()
        return batches

    def _rows_of(self, pid: int, *, ended: bool) -> Iterator[Batch]:
        output = self._outputs[pid]
        if ended:
            self._finish(pid, output)
        rank = output.rank if (member := self._member(pid)) is None else member.rank
        told = {"pid": pid, "rank": rank, "rank_by": None if rank is None else "ebpf"}
        for table, batch in output.lines.drain():
            rows = batch.drop_columns(list(_IDENTITY)).to_pylist()  # the journal numbers and names them anew
            own = told if table == "log_lines" else {}
            yield table, [row | own | {"source": f"{row['stream']} of pid {pid}"} for row in rows]

    def _member(self, pid: int) -> Member | None:
        """A process of the job, also one that spoke for the first time as it ended."""
        return self._ctx.members.get(pid) or self._before.get(pid)

    def _finish(self, pid: int, output: _Output) -> None:
        del self._outputs[pid]
        for fd in _STREAMS:
            stream, offsets = struct.pack("<II", pid, fd), self._events.map("write_offsets")
            (end,) = struct.unpack("<Q", offsets.get(stream) or bytes(8))
            if (missed := end - output.expected[fd]) > 0:
                self._put(output, pid, fd, Gap(fd - 1, time.monotonic_ns(), end - missed, missed, _RING_FULL))
            offsets.delete(stream)
            for record in self._tail.finish((pid, fd)):
                output.lines.take(record)
        output.lines.finish()

    def _run(self) -> None:
        while not self._over:
            if self._ring.wait():  # it is half full
                self._drain()
                self.cpu_ns = time.thread_time_ns()
                time.sleep(_PAUSE_S)
        self._ring.close()

    def _drain(self) -> None:
        with self._lock:
            self._read()

    def _read(self) -> None:
        for record in self._ring.read():
            mono_ns, offset, pid, fd, length, why = CHUNK.unpack_from(record)
            self._take(pid, fd, mono_ns, offset, length, why, record[CHUNK.size :])

    def _take(self, pid: int, fd: int, mono_ns: int, offset: int, length: int, why: int, text: bytes) -> None:
        output = self._outputs.get(pid)
        if output is None:
            output = self._outputs[pid] = _Output(self._ctx, pid, self._member(pid))
        stream, missed = fd - 1, offset - output.expected[fd]  # rawlog.STREAMS
        output.expected[fd] = offset + length
        if missed > 0:
            self._put(output, pid, fd, Gap(stream, mono_ns, offset - missed, missed, _RING_FULL))
        if why != _WHOLE:
            self._put(output, pid, fd, Gap(stream, mono_ns, offset, length, _WHY[why]))
        elif self._taken > _MOST_BYTES:
            self._put(output, pid, fd, Gap(stream, mono_ns, offset, length, _OVER_BUDGET))
        else:
            self._taken += length + _ROW_BYTES * (text.count(b"\n") + text.count(b"\r"))
            self._put(output, pid, fd, Data(stream, mono_ns, offset, text))

    def _put(self, output: _Output, pid: int, fd: int, record: Data | Gap) -> None:
        """Take a record, as far as the log budget goes."""
        for kept in self._tail.take((pid, fd), record):
            output.lines.take(kept)

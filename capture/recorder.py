"""The recorder: a process beside the job that samples it and its node once a second.

``python -m inquest.capture.recorder CAPTURE_DIR CHILD_PID`` is started by the wrapper's parent, or by ``inquest
attach`` beside a job that runs already. It is the first to be killed when memory runs out, the last to be scheduled,
deaf to the signals meant for the job, and gone at most a second after the job. Nothing it meets ever reaches the job
or its output. Attached, it also leaves on SIGTERM, which it is sent when `inquest attach` ends in whatever way.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import resource
import select
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from inquest.bundle.nodedir import RECORDER_ERR
from inquest.capture import jobenv, proc
from inquest.capture.election import Seat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.capture.collector import Collector, Row
    from inquest.capture.lanes import Done, Lane

PERIOD_NS: Final = 1_000_000_000
_ELECTION_EVERY: Final = 3
_FLUSH_EVERY: Final = 2
"""Ticks whose rows go to the journal together: a frame has a price, and a SIGKILL may cost this much."""
_SYNC_S: Final = 1.5
"""Less than lies between two of these writes: the second syncs what the first wrote, however the ticks jitter, so that
a power loss costs two seconds more and not four."""
_AT_ONCE: Final = frozenset({"processes", "kernel_log", "node_info", "gpu_events", "gpu_processes"})
"""Tables whose rows do not wait: rare, and often the last thing seen."""
_GATHER_NS: Final = 50_000_000
"""How long the collectors have before their rows of this tick are taken, and again where one holds up others; what
comes later is written with the next."""
_REPORT_EVERY: Final = 60
"""Ticks between two rows of ``collection`` a collector: all that is known of it after a SIGKILL."""
_SEAL_EVERY: Final = 300
_SEAL_FOR_S: Final = 0.7
"""Less than a tick, so that none is missed for it."""
_LAST_WORDS_S: Final = 0.4
"""What the collectors have for their last rows; the rest of the second is for sealing."""
_SEAL_BY_S: Final = 0.9
_UNHURRIED_S: Final = 3.0
"""How much longer both may take where no wrapper waits for us: who attached gives its recorders five seconds."""
_OUTPUT_S: Final = 0.1
"""How long we wait for the pumps to end; they do at once, unless a descendant of the job still holds its output."""
_OUTPUT_BYTES: Final = 32 << 20
"""A larger log is left to merge: sealing it would not be done in time."""

_PR_SET_PDEATHSIG: Final = 1
_FATAL: Final = {
    signal.SIGKILL,
    signal.SIGSTOP,
    signal.SIGCHLD,
    signal.SIGCONT,
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGFPE,
    signal.SIGILL,
    signal.SIGABRT,
    signal.SIGTRAP,
    signal.SIGSYS,
}


class Recorder:
    """One recording of one wrapped command, from now until the command ends."""

    def __init__(self, capture_dir: Path, child_pid: int, collectors: Iterable[type[Collector]]) -> None:
        from inquest.bundle.journal import Journal
        from inquest.capture.collector import Context
        from inquest.capture.ebpf import session
        from inquest.capture.lanes import Hands

        identity = _identity(capture_dir)
        session.choose(identity.get("ebpf_backend") or "object")
        self._dir = capture_dir
        self._child = child_pid
        self._ctx = Context(
            capture_dir=capture_dir,
            node=identity["node"],
            boot_id=identity.get("boot_id") or proc.boot_id(),
            child_pid=child_pid,
            began_mono_ns=time.monotonic_ns(),
            environ=os.environ,
            task=int(identity.get("task") or 0),
            attached=identity.get("attached") is True,
            log_budget=int(identity.get("log_budget") or 256 << 20),
        )
        self._journal = Journal(
            capture_dir,
            str(identity.get("capture") or capture_dir.name),
            self._ctx.node,
            self._ctx.boot_id or None,
            fsync=bool(identity.get("fsync", True)),
            fsync_interval_s=_SYNC_S,
        )
        self._seat = Seat(
            node=self._ctx.node,
            job=identity.get("job_id") or jobenv.job_id(os.environ),
            # Attached, the job script's recorder and those of its steps look at one node; a wrapper belongs to a step.
            step=None if self._ctx.attached else jobenv.step_id(os.environ),
            out=capture_dir.parent,
        )
        chosen = identity.get("collectors")
        kinds = [kind for kind in collectors if self._ctx.attached or not kind.attach_only]
        self._left_out = [kind for kind in kinds if isinstance(chosen, list) and kind.name not in chosen]
        self._waiting = [kind for kind in kinds if kind not in self._left_out]
        self._lanes: list[Lane] = []
        self._finished: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self._hands = Hands(self._finished.put)
        self._poll = select.poll()
        self._child_fd = self._watch_child()
        self._leaves_early = False
        if self._ctx.attached:
            self._poll.register(_told_to_leave(), select.POLLIN)
        self._cpu_0 = time.process_time_ns()
        self._rounds = self._skipped = self._unwritten = 0
        self._rows: dict[str, list[Row]] = {}
        self._trouble = ""

    def run(self) -> None:
        """Record until the child has ended; then take last rows, and seal what can be sealed in time."""
        self._write("collection", [self._own_row("ok"), *map(_left_out_row, self._left_out)])
        self._open_lanes()
        self._child_ends_while_gathering(time.monotonic_ns() + 2 * _GATHER_NS)
        self._settle()
        begin = time.monotonic_ns()
        due = 0
        while True:
            late = max(0, (time.monotonic_ns() - begin) // PERIOD_NS - due)
            self._tick(late)
            due += late + 1
            if self._child_ends_while_gathering(begin + due * PERIOD_NS):
                break
            self._settle()
            if self._rounds % _FLUSH_EVERY == 0:
                self._flush()
            if self._child_ends_before(begin + due * PERIOD_NS):
                break
        self._end(time.monotonic())

    def _watch_child(self) -> int | None:
        try:
            fd = os.pidfd_open(self._child)
        except OSError:  # gone already; where the kernel has no pidfd (before 5.3) /proc is asked instead
            return None
        self._poll.register(fd, select.POLLIN)
        return fd

    def _child_ends_before(self, until_ns: int) -> bool:
        """Wait until ``until_ns``; True as soon as the child has ended."""
        wait_ms = max(0, until_ns - time.monotonic_ns()) // 1_000_000 + 1
        if ready := self._poll.poll(wait_ms):
            self._leaves_early = all(fd != self._child_fd for fd, _ in ready)
            return True
        if self._child_fd is not None:
            return False
        seen = proc.stat(self._child)
        return seen is None or seen.state in "ZX"

    def _child_ends_while_gathering(self, until_ns: int) -> bool:
        """Wait for the collectors' rows, but no longer than ``until_ns``; True as soon as the child has ended."""
        while True:
            if self._child_ends_before(min(until_ns, time.monotonic_ns() + _GATHER_NS)):
                return True
            if not self._hands.relieve() or time.monotonic_ns() >= until_ns:
                return False

    def _tick(self, late: int) -> None:
        self._rounds += 1
        self._skipped += late
        if not self._seat.held and self._rounds % _ELECTION_EVERY == 0:
            self._open_lanes()
        now = time.monotonic_ns()
        for lane in self._lanes:
            if lane.overran(now):
                self._write("collection", [lane.row()])
            lane.tick(late)
        self._hands.go()
        if self._rounds % _SEAL_EVERY == 0:
            self._seal(time.monotonic() + _SEAL_FOR_S)
        if self._rounds % _REPORT_EVERY == 0:
            self._write("collection", [lane.row() for lane in self._lanes if not lane.closed])

    def _open_lanes(self) -> None:
        """Start the collectors that are ours to run: our own ones, and the node's once we hold the seat."""
        from inquest.capture.lanes import Lane

        elected = self._seat.take()
        for kind in [kind for kind in self._waiting if elected or not kind.node_wide]:
            self._waiting.remove(kind)
            lane = Lane(kind(), self._ctx, self._hands)
            self._lanes.append(lane)
            lane.open()
        self._hands.go(abreast=True)

    def _settle(self, wait_s: float | None = None) -> None:
        """Take what the lanes have finished; with ``wait_s``, wait that long for a first result."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._take(self._finished.get(block=wait_s is not None, timeout=wait_s))
                wait_s = None

    def _take(self, done: Done) -> None:
        lane = done.lane
        for table, rows in lane.settle(done):
            if table in _AT_ONCE:
                self._write(table, rows)
            else:
                self._rows.setdefault(table, []).extend(rows)
        if done.step == "start" or done.error is not None:
            self._write("collection", [lane.row()])

    def _flush(self) -> None:
        """Hand the gathered rows to the journal, which hands them to the kernel: from here they survive us."""
        while self._rows:
            self._write(*self._rows.popitem(), sync=False)
        try:
            self._journal.sync_due()
        except OSError as error:
            self._trouble = f"sync: {error}"

    def _write(self, table: str, rows: list[Row], *, sync: bool = True) -> None:
        try:
            self._journal.append(table, rows, sync=sync)
        except (OSError, ValueError) as error:
            self._unwritten += len(rows)
            self._trouble = f"{table}: {error}"[:500]

    def _end(self, ended: float) -> None:
        if self._ctx.attached:
            ended += _UNHURRIED_S
        while True:
            for lane in self._lanes:
                lane.close()
            self._hands.go(abreast=True)
            left = ended + _LAST_WORDS_S - time.monotonic()
            if left <= 0 or all(lane.busy_since_ns is None for lane in self._lanes):
                break
            self._settle(min(left, _GATHER_NS / 1e9))
            self._hands.relieve()
        self._ctx.left = True
        self._flush()
        self._write("collection", [self._last_row(lane) for lane in self._lanes])
        self._write("collection", [self._own_row("truncated" if self._unwritten else "ok")])
        if self._ctx.attached:
            self._write("collection", [self._attach_row()])
        self._seat.leave()
        with contextlib.suppress(OSError):
            self._journal.close()
        self._seal(ended + _SEAL_BY_S)
        if self._output_can_be_sealed():
            self._seal(ended + _SEAL_BY_S, raw_logs=True)

    def _output_can_be_sealed(self) -> bool:
        """Whether all output of the job is recorded, and little enough to be sealed at once."""
        from inquest.bundle.seal import output_is_whole

        until = time.monotonic() + _OUTPUT_S
        while not output_is_whole(self._dir):
            if time.monotonic() >= until:
                return False
            time.sleep(0.01)
        return sum(path.stat().st_size for path in self._dir.glob("log-*.raw")) <= _OUTPUT_BYTES

    def _seal(self, until: float, *, raw_logs: bool = False) -> None:
        """Seal what is closed until then (monotonic seconds); what is not sealed is left to merge."""
        from inquest.bundle.seal import seal_capture

        try:
            seal_capture(self._dir, raw_logs=raw_logs, until=until)
        except Exception as error:  # a journal that cannot be sealed is still a journal
            self._trouble = f"seal: {error}"[:500]

    @staticmethod
    def _last_row(lane: Lane) -> Row:
        if lane.busy_since_ns is not None:
            lane.lost += 1
            lane.detail = lane.detail or "its last reading had not returned when the recorder left"
        return lane.row(final=True)

    def _attach_row(self) -> Row:
        """What is said of a recording that has no wrapper: whether it saw the end."""
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "collector": "attach",
            "outcome": "truncated" if self._leaves_early else "ok",
            "tables": "processes",
            "detail": f"attached to process {self._child}, which ran already; "
            + ("the recording was ended while it ran on" if self._leaves_early else "recorded to its end"),
            "from_mono_ns": self._ctx.began_mono_ns,
            "to_mono_ns": time.monotonic_ns(),
        }

    def _own_row(self, outcome: str) -> Row:
        """The recorder's own row: its cost, the ticks it came too late for, the rows it could not write."""
        detail = self._trouble or ("samples the node" if self._seat.held else None)
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "collector": "recorder",
            "outcome": outcome,
            "tables": "collection",
            "detail": detail,
            "from_mono_ns": self._ctx.began_mono_ns,
            "to_mono_ns": time.monotonic_ns(),
            "rows": self._rounds,
            "drops": self._skipped + self._unwritten,
            "cpu_ns": time.process_time_ns() - self._cpu_0,
        }


def _left_out_row(kind: type[Collector]) -> Row:
    return {
        "ts_mono_ns": time.monotonic_ns(),
        "collector": kind.name,
        "outcome": "missing",
        "tables": ",".join(kind.tables),
        "detail": "left out by --profile, --only or --skip",
    }


def _told_to_leave() -> int:
    """A descriptor that becomes readable when SIGTERM comes, which is sent at the latest when our parent is gone."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))
    return read


def _identity(capture_dir: Path) -> dict[str, Any]:
    with open(capture_dir / "node.json", encoding="utf-8") as file:
        identity = json.load(file)
    if not isinstance(identity, dict) or not isinstance(identity.get("node"), str):
        raise TypeError("node.json does not name the node")
    return identity


def keep_out_of_the_way() -> None:
    """Deaf to the job's signals, silent on its streams, first out of memory, last on the CPU."""
    for number in signal.valid_signals() - _FATAL:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    # Whatever else we inherited belongs to the job: holding the end of a pipe open would keep its reader waiting.
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        if int(name) > 2:
            with contextlib.suppress(OSError):
                os.close(int(name))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    with contextlib.suppress(OSError):
        os.nice(19)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file here would take the place of the job's
    os.chdir("/")  # the job's directory may be unmounted, or removed
    with contextlib.suppress(OSError, AttributeError):
        # One arena for all our threads instead of one each: keeps resident memory low (mallopt(3), M_ARENA_MAX).
        ctypes.CDLL(None).mallopt(-8, 1)


def main(argv: list[str]) -> int:
    """Record; 0 when done, 125 when the recording could not begin. Nothing is printed: nobody may be listening."""
    capture_dir, child_pid = Path(argv[0]).resolve(), int(argv[1])
    keep_out_of_the_way()
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    try:
        import pyarrow as pa

        from inquest.capture.collectors import COLLECTORS

        pa.set_cpu_count(1)
        Recorder(capture_dir, child_pid, COLLECTORS).run()
    except Exception as error:  # the recording ends here, the job must not notice
        with contextlib.suppress(OSError), open(capture_dir / RECORDER_ERR, "a", encoding="utf-8") as file:
            file.write(f"{type(error).__name__}: {error}\n")
        return 125
    return 0


def serve(argv: list[str]) -> NoReturn:
    """Be the recorder in this process, and end it; ``self_command`` in capture/run.py says how it gets here."""
    # A collector's thread may hang in the kernel: leave without waiting for it.
    os._exit(main(argv))


if __name__ == "__main__":
    serve(sys.argv[1:])

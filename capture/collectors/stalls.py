"""Stall watch: when the job falls silent, stacks of all its processes are taken twice, before a watchdog ends it.

NCCL's RAS is asked twice too, by the recorder that noticed (it tells of all ranks), and torch for its flight recorder.
Two looks ten seconds apart tell what stands from what is slow. The looks are taken in a thread of their own: the
recorder goes on whatever they meet. Where the job is told to end by a signal, one look is taken at once.
"""

from __future__ import annotations

import json
import queue
import time
from typing import TYPE_CHECKING, ClassVar, Final

from inquest.bundle.errors import InputError
from inquest.bundle.frames import FrameReader
from inquest.bundle.nodedir import TASK_RAW
from inquest.capture.artifacts import Keeper
from inquest.capture.collector import Batch, Budget, Collector, Context, Member
from inquest.capture.dumps import redirected
from inquest.capture.look import MOST_PROCESSES, ROUND_S, Look
from inquest.capture.outputs import Outputs, Redirected
from inquest.capture.silence import Silence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEED_EVERY: Final = 5
"""Seconds between two looks whether another task has called."""
LISTEN_EVERY: Final = 15
"""Seconds between two looks at what other tasks print, while we are silent ourselves."""
STUCK_S: Final = 4 * ROUND_S
"""A look that takes longer hangs: reading /proc waits for memory that a process holds locked."""
MOST_BYTES: Final = 32 << 20
"""Text of distinct stacks one recording may hold."""
_ORDER: Final = {"rank": 0, "worker": 1, "task": 2, "other": 3, "launcher": 4}


class Stalls(Collector):
    """Watches the output, and looks where the job stands when there is none."""

    name: ClassVar[str] = "stalls"
    tables: ClassVar[tuple[str, ...]] = ("stacks", "stack_samples", "artifacts")
    requires: ClassVar[str] = "py-spy for stacks of Python; root for those of the kernel"
    budget: ClassVar[Budget] = Budget(seconds=10.0, bytes=16 << 20)

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Begin to listen."""
        self._outputs = Outputs(ctx.capture_dir)
        self._redirected = Redirected()
        self._silence = Silence(time.monotonic())
        self._signals = _Signals(ctx)
        self._keeper = Keeper(ctx.capture_dir)
        self._turns = 0
        self._told: dict[str, set[int]] = {}
        self._bytes = 0
        self._batches: queue.SimpleQueue[Batch] = queue.SimpleQueue()
        self._look: Look | None = None
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Listen; begin a look where one is due; hand over what looks have found."""
        now = time.monotonic()
        self._turns += 1
        if self._turns % HEED_EVERY == 1:
            pids = [member.pid for member in _in_order(ctx)[:MOST_PROCESSES]]
            self._redirected.files = frozenset(path for pid in pids for path in redirected(pid))
            if self._redirected.files and not self._redirected.is_alive():
                self._redirected.start()
        if self._outputs.grew() | self._redirected.grew():  # both are asked
            self._silence.heard(now)
        called = self._turns % HEED_EVERY == 0 and self._outputs.called()
        if (signal := self._signals.news()) is not None:
            self._begin(ctx, f"signal {signal}", twice=False)
        elif called:
            if self._begin(ctx, "another task of the job fell silent", twice=True):
                self._silence.looked(now)
        elif self._silence.near(now):
            if self._turns % LISTEN_EVERY == 0 and self._outputs.others_grew():
                self._silence.elsewhere(now)
            silent = f"silent for {now - self._silence.heard_s:.0f} s"
            if self._silence.due(now) and self._begin(ctx, silent, twice=True, ask_nccl=True):
                self._silence.looked(now)
                self._outputs.call()
        return self._found()

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """Hand over what has been found by now; the job is gone, so there is nothing more to look at."""
        usual = self._silence.usual_s
        told = (
            f"output came every {usual} s or oftener" if usual is not None else "too little output to tell its cadence"
        )
        self.note = self.note or told
        return self._found()

    def _begin(self, ctx: Context, reason: str, *, twice: bool, ask_nccl: bool = False) -> bool:
        if self._bytes > MOST_BYTES:
            self.note = f"no more looks: the stacks seen fill their {MOST_BYTES >> 20} MiB"
            return False
        if self._look is not None and self._look.thread.is_alive():
            if time.monotonic() - self._look.began_s > STUCK_S:
                self.note = "a look has not returned: a process of the job cannot even be read"
            return False
        heard = self._silence.heard_s
        self._look = Look(
            members=_in_order(ctx),
            reason=reason,
            twice=twice,
            broken=lambda: self._silence.heard_s != heard,
            deliver=self._batches.put,
            keeper=self._keeper if ask_nccl else None,
        )
        self._look.thread.start()
        return True

    def _found(self) -> Iterator[Batch]:
        """Rows of the looks so far, each distinct stack once."""
        if self._look is not None:
            self.cpu_ns, self._look.cpu_ns = self.cpu_ns + self._look.cpu_ns, 0
        while True:
            try:
                table, rows = self._batches.get_nowait()
            except queue.Empty:
                return
            if table != "stacks":
                yield table, rows
                continue
            new = []
            for row in rows:
                told = self._told.setdefault(row["kind"], set())
                if row["stack_id"] not in told:
                    told.add(row["stack_id"])
                    self._bytes += len(row["text"])
                    new.append(row)
            if new:
                yield "stacks", new


def _in_order(ctx: Context) -> list[Member]:
    """The processes of the job, ranks first; the wrapped command itself where the others are not known."""
    members = list(ctx.members.values()) or [Member(ctx.child_pid, None, "task")]
    return sorted(members, key=lambda member: (_ORDER.get(member.role, 5), member.rank or 0, member.pid))


class _Signals:
    """Signals that reached the wrapper, as it writes them down."""

    def __init__(self, ctx: Context) -> None:
        self._path = ctx.capture_dir / TASK_RAW
        self._size = 0
        self._seen = 0

    def news(self) -> int | None:
        """The number of a signal that came since the last call."""
        try:
            size = self._path.stat().st_size
            if size == self._size:
                return None
            self._size = size
            events = [json.loads(payload) for payload in FrameReader(self._path)]
        except (OSError, ValueError, InputError):
            return None
        numbers = [
            event.get("signal") for event in events if isinstance(event, dict) and event.get("event") == "signal"
        ]
        before, self._seen = self._seen, len(numbers)
        return numbers[-1] if len(numbers) > before and isinstance(numbers[-1], int) else None

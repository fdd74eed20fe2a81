"""Stall watch: when the job falls silent, stacks of all its processes are taken twice, before a watchdog ends it.

NCCL's RAS is asked twice too, by the recorder that noticed (it tells of all ranks), and torch for its flight recorder.
Two looks ten seconds apart tell what stands from what is slow. The looks are taken in a thread of their own: the
recorder goes on whatever they meet. Where the job is told to end by a signal, one look is taken at once.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from inquest.bundle.errors import InputError
from inquest.bundle.frames import FrameReader
from inquest.bundle.nodedir import TASK_RAW
from inquest.bundle.stack_id import stack_id
from inquest.capture import ras, stacks
from inquest.capture.artifacts import NCCL_RAS, Keeper
from inquest.capture.collector import Batch, Budget, Collector, Context, Member, Row
from inquest.capture.dumps import Process, redirected
from inquest.capture.outputs import Outputs, Redirected
from inquest.capture.silence import Silence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inquest.capture.stacks import Sample

BETWEEN_S: Final = 10
"""Seconds between the two looks: a step of training is shorter, and Slurm's 30 s between TERM and KILL are longer."""
HEED_EVERY: Final = 5
"""Seconds between two looks whether another task has called."""
LISTEN_EVERY: Final = 15
"""Seconds between two looks at what other tasks print, while we are silent ourselves."""
MOST_PROCESSES: Final = 64
"""Processes whose Python is looked at: ranks come before their workers. What is left out is said."""
MOST_IN_KERNEL: Final = 512
MOST_RAS: Final = 2
"""Addresses of NCCL's RAS that are asked: all ranks of a node share one, unless somebody gave each its own."""
ROUND_S: Final = 60
"""What one look may take, all processes together."""
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
        self._look: _Look | None = None
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
        self._look = _Look(
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


@dataclass(slots=True)
class _Tally:
    """How one way of looking went, over all processes."""

    seen: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    def refuse(self, why: str) -> None:
        self.refused[why] = self.refused.get(why, 0) + 1

    def row(self, name: str, reason: str, began_ns: int) -> Row:
        """The row of ``collection``: of several reasons the most frequent."""
        why = max(self.refused, key=lambda text: self.refused[text], default=None)
        failed = sum(self.refused.values())
        outcome = "ok" if not failed else "truncated" if self.seen else "denied" if "may not" in str(why) else "failed"
        if not self.seen and why == _NO_PY_SPY:
            outcome = "missing"
        detail = f"{reason}: {self.seen} processes"
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "collector": name,
            "outcome": outcome,
            "tables": "stacks,stack_samples",
            "detail": f"{detail}; {failed} not: {why}" if why else detail,
            "from_mono_ns": began_ns,
            "to_mono_ns": time.monotonic_ns(),
            "rows": self.seen,
            "drops": failed,
        }


_NO_PY_SPY: Final = "py-spy is neither beside inquest nor on PATH: install it for stacks of Python"


class _Look:
    """One look at all processes, or two, in a thread."""

    def __init__(
        self,
        members: list[Member],
        reason: str,
        *,
        twice: bool,
        broken: Callable[[], bool],
        deliver: Callable[[Batch], None],
        keeper: Keeper | None,
    ) -> None:
        self.cpu_ns = 0
        self.began_s = time.monotonic()
        self.thread = threading.Thread(target=self._run, name="stacks", daemon=True)
        self._members = members
        self._reason = reason
        self._twice = twice
        self._broken = broken
        self._deliver = deliver
        self._keeper = keeper
        self._py_spy = stacks.find_py_spy()

    def _run(self) -> None:
        began = time.thread_time_ns()
        first = self._round()
        self._ask_for_dumps()
        self._ask_nccl()
        if self._twice:
            time.sleep(BETWEEN_S)
            if not self._broken():
                second = self._round()
                self._native([pid for pid, text in second.items() if first.get(pid) == text])
                self._ask_nccl()
        self.cpu_ns += time.thread_time_ns() - began

    def _ask_for_dumps(self) -> None:
        """Have torch write its flight recorder, where the program listens for that; `Artifacts` takes the files."""
        began = time.monotonic_ns()
        processes = [Process.of(member.pid, member.rank) for member in self._members if member.role == "rank"]
        asked = sum(process is not None and process.ask_for_dump() for process in processes)
        if processes:
            why = "no process has opened a pipe for it (TORCH_NCCL_DEBUG_INFO_PIPE_FILE)"
            self._note("flight_recorder_dump", asked, f"{asked} processes asked" if asked else why, began)

    def _ask_nccl(self) -> None:
        """Ask NCCL's RAS for the state of all ranks, and keep its answer: the importer reads it at merge."""
        if self._keeper is None:
            return
        began = time.monotonic_ns()
        processes = [Process.of(member.pid, member.rank) for member in self._members]
        told = sorted({process.env.get(ras.ADDRESS, "") for process in processes if process is not None})
        answers, why = 0, "the job has no process left"
        for place in told[:MOST_RAS]:
            try:
                form, answer = ras.ask(*ras.address(place), [member.pid for member in self._members])
            except ras.NoAnswer as silent:
                why = str(silent)
                continue
            answers += 1
            row = self._keeper.keep(NCCL_RAS, f"nccl-ras.{'json' if form == 'json' else 'txt'}", answer)
            self._deliver(("artifacts", [row]))
        self._note("nccl_ras", answers, f"{self._reason}: {answers} answers" if answers else why, began)

    def _note(self, name: str, count: int, detail: str, began_ns: int) -> None:
        row = {
            "ts_mono_ns": time.monotonic_ns(),
            "collector": name,
            "outcome": "ok" if count else "missing",
            "tables": "nccl_comms,artifacts" if name == "nccl_ras" else "flight_recorder,artifacts",
            "detail": detail,
            "from_mono_ns": began_ns,
            "to_mono_ns": time.monotonic_ns(),
            "rows": count,
        }
        self._deliver(("collection", [row]))

    def _round(self) -> dict[int, str]:
        """One look; returns what the main thread of each Python process was at."""
        began = time.monotonic_ns()
        deadline = time.monotonic() + ROUND_S
        in_kernel, in_python = _Tally(), _Tally()
        for member in self._members[:MOST_IN_KERNEL]:
            if found := stacks.kernel(member.pid):
                self._hand_over(found, member)
                in_kernel.seen += 1
        at: dict[int, str] = {}
        pythons = [member for member in self._members if stacks.is_python(member.pid)]
        for member in pythons[:MOST_PROCESSES]:
            found = self._tried(in_python, member, stacks.python, deadline)
            at |= {sample.pid: sample.text for sample in found if sample.tid == sample.pid}
        for _ in pythons[MOST_PROCESSES:]:
            in_python.refuse(f"there are more than {MOST_PROCESSES} processes")
        for name, tally in (("stacks_kernel", in_kernel), ("stacks_python", in_python)):
            self._deliver(("collection", [tally.row(name, self._reason, began)]))
        return at

    def _native(self, pids: list[int]) -> None:
        """C stacks of processes that have not moved between two looks."""
        began = time.monotonic_ns()
        deadline = time.monotonic() + ROUND_S
        tally = _Tally()
        for member in self._members:
            if member.pid in pids and not self._broken():
                self._tried(tally, member, stacks.native, deadline)
        if pids:
            self._deliver(("collection", [tally.row("stacks_native", self._reason, began)]))

    def _tried(
        self, tally: _Tally, member: Member, way: Callable[[int, str], list[Sample]], deadline: float
    ) -> list[Sample]:
        if self._py_spy is None:
            tally.refuse(_NO_PY_SPY)
            return []
        if time.monotonic() > deadline:
            tally.refuse(f"the time for one look, {ROUND_S} s, was over")
            return []
        try:
            found = way(member.pid, self._py_spy)
        except stacks.Refused as refused:
            tally.refuse(str(refused))
            return []
        tally.seen += 1
        self._hand_over(found, member)
        return found

    def _hand_over(self, found: list[Sample], member: Member) -> None:
        now = time.monotonic_ns()
        texts = {(sample.kind, sample.text) for sample in found}
        self._deliver(
            ("stacks", [{"ts_mono_ns": now, "stack_id": stack_id(t), "kind": k, "text": t} for k, t in sorted(texts)])
        )
        self._deliver(("stack_samples", [sample.row(member.rank, self._reason, now) for sample in found]))


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

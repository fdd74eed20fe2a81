"""One look at where the processes of a job stand: in the kernel, in Python, in C, and what NCCL and torch say of it.

Taken in a thread of its own, process by process, so that what was found by then is there whatever comes next. Every way
of looking leaves a row of ``collection``.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from inquest.bundle.stack_id import stack_id
from inquest.capture import ras, stacks
from inquest.capture.artifacts import NCCL_RAS
from inquest.capture.dumps import Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from inquest.capture.artifacts import Keeper
    from inquest.capture.collector import Batch, Member, Row
    from inquest.capture.stacks import Sample

BETWEEN_S: Final = 10
"""Seconds between the two looks: a step of training is shorter, and Slurm's 30 s between TERM and KILL are longer."""
MOST_PROCESSES: Final = 64
"""Processes whose Python is looked at: ranks come before their workers. What is left out is said."""
MOST_IN_KERNEL: Final = 512
MOST_RAS: Final = 2
"""Addresses of NCCL's RAS that are asked: all ranks of a node share one, unless somebody gave each its own."""
ROUND_S: Final = 60
"""What one look may take, all processes together."""
_FILLED: Final = {
    "stacks": "stacks,stack_samples",
    "nccl_ras": "nccl_comms,artifacts",
    "flight_recorder_dump": "flight_recorder,artifacts",
}
"""Tables that ways of looking fill."""


@dataclass(slots=True)
class Tally:
    """How one way of looking went, over all processes."""

    seen: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)

    def refuse(self, why: str, outcome: str = "failed") -> None:
        """Count a process that was not seen, and what that is called where none was."""
        self.refused[why] = self.refused.get(why, 0) + 1
        self.outcomes[why] = outcome

    def row(self, name: str, reason: str, began_ns: int) -> Row:
        """The row of ``collection``: of several reasons the most frequent."""
        why = max(self.refused, key=lambda text: self.refused[text], default=None)
        outcome = "ok" if why is None else "truncated" if self.seen else self.outcomes[why]
        failed = sum(self.refused.values())
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


class Look:
    """One look at all processes, or two, in a thread.

    Args:
        members: The processes, the most telling first.
        reason: Why it is taken, for the rows.
        twice: Look again after `BETWEEN_S`, and at the C stacks of what has not moved.
        broken: Whether the silence is over, so that nothing stands any more.
        deliver: Takes rows as they come.
        keeper: Keeps answers of NCCL's RAS; None: it is not asked.
    """

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
        try:
            self._look()
        except Exception as error:  # the recording goes on, and says what is missing
            detail = f"{self._reason}: {type(error).__name__}: {error}"[:500]
            self._note("stacks", "failed", 0, detail, time.monotonic_ns())
        self.cpu_ns += time.thread_time_ns() - began

    def _look(self) -> None:
        first = self._round()
        self._ask_for_dumps()
        self._ask_nccl()
        if self._twice:
            time.sleep(BETWEEN_S)
            if not self._broken():
                second = self._round()
                self._native([pid for pid, text in second.items() if first.get(pid) == text])
                self._ask_nccl()

    def _ask_for_dumps(self) -> None:
        """Have torch write its flight recorder, where the program listens for that; `Artifacts` takes the files."""
        began = time.monotonic_ns()
        processes = [Process.of(member.pid, member.rank) for member in self._members if member.role == "rank"]
        asked = sum(process is not None and process.ask_for_dump() for process in processes)
        if processes:
            why = "no process has opened a pipe for it (TORCH_NCCL_DEBUG_INFO_PIPE_FILE)"
            told = f"{asked} processes asked" if asked else why
            self._note("flight_recorder_dump", "ok" if asked else "missing", asked, told, began)

    def _ask_nccl(self) -> None:
        """Ask NCCL's RAS for the state of all ranks, and keep its answer: the importer reads it at merge."""
        if self._keeper is None:
            return
        began = time.monotonic_ns()
        ranks = [member for member in self._members if member.role == "rank"] or self._members
        processes = [Process.of(member.pid, member.rank) for member in ranks]
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
        detail = f"{self._reason}: {answers} answers" if answers else why
        self._note("nccl_ras", "ok" if answers else "missing", answers, detail, began)

    def _note(self, name: str, outcome: str, count: int, detail: str, began_ns: int) -> None:
        row = {
            "ts_mono_ns": time.monotonic_ns(),
            "collector": name,
            "outcome": outcome,
            "tables": _FILLED[name],
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
        in_kernel, in_python = Tally(), Tally()
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
        tally = Tally()
        for member in self._members:
            if member.pid in pids and not self._broken():
                self._tried(tally, member, stacks.native, deadline)
        if pids:
            self._deliver(("collection", [tally.row("stacks_native", self._reason, began)]))

    def _tried(
        self, tally: Tally, member: Member, way: Callable[[int, str], list[Sample]], deadline: float
    ) -> list[Sample]:
        if self._py_spy is None:
            tally.refuse("py-spy is neither beside inquest nor on PATH (pip install 'inquest[stacks]')", "missing")
            return []
        if time.monotonic() > deadline:
            tally.refuse(f"the time for one look, {ROUND_S} s, was over")
            return []
        try:
            found = way(member.pid, self._py_spy)
        except stacks.Refused as refused:
            tally.refuse(str(refused), "denied" if refused.denied else "failed")
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

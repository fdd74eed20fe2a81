"""B1: the GPU refused an allocation. One refused request is enough; a sampled peak below capacity proves nothing."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause, is_host_memory
from inquest.analyze.families._gpu import rank_of_gpu
from inquest.analyze.families._other_runs import crashed_before, which_of_several
from inquest.analyze.families._rows import Row, who
from inquest.analyze.families._story import Story, when
from inquest.analyze.families._telling import tell
from inquest.analyze.families._where import failing_by_launcher
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next
from inquest.analyze.vitals import memory_growth

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash, Failure
    from inquest.analyze.model import Claim

_GIB: Final = 2**30
_SIZE: Final = r"(\d+(?:\.\d+)?) (bytes|KiB|MiB|GiB|TiB)"
_UNITS: Final = {"bytes": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_WANTED: Final = re.compile(rf"[Tt]r(?:ied|ying) to allocate {_SIZE}")
_CAPACITY: Final = re.compile(rf"(?:total capacit?y of {_SIZE}|{_SIZE} total capacity)")
_LINES_BETWEEN: Final = 60
"""A stack may stand between what the allocator says and how its process ends."""
_UNUSED: Final = re.compile(rf"{_SIZE} is reserved by PyTorch but unallocated")


@dataclass(frozen=True, slots=True)
class CudaOutOfMemory:
    """See the module."""

    id: str = "B1"
    name: str = "CUDA out of memory"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("logs",)
    helps: tuple[str, ...] = ("gpu_samples", "exits")

    def judge(self, ev: Evidence) -> Finding:
        """Find the first refused allocation that ended a process."""
        story = tell(ev)
        crash = next(iter(story.crashes_of(Cause.GPU_MEMORY)), None)
        if crash is None and (command := crashed_before(story, Cause.GPU_MEMORY)) is not None:
            crash = command[0]
        row = crash.speaking if crash else _printed(story)
        if row is None:
            if not story.progressed and not story.crashes and story.ended_well is None:
                return CannotDecide(
                    because="No refused GPU allocation is printed, but the output may not be complete.",
                    missing=("the exit status of the job, to know whether its output is complete",),
                )
            return RuledOut(
                because="No process ended with a refused GPU allocation.",
                would_change_if="an out-of-memory message of the GPU would have had to end a rank",
                stores=("logs",),
            )
        if crash is None and row["line_seq"] is not None and story.reports_after(row) >= _GOES_ON:
            return CannotDecide(
                because="A refused GPU allocation is printed, and training reported on below it: it was caught, or is"
                " quoted.",
                missing=("what the process ended with",),
            )
        first = story.first
        if first is not None and first.crash is not crash and story.earlier(first.row, row):
            return RuledOut(
                because="The refused allocation came after another failure.",
                would_change_if="the refused allocation would have had to come first",
                stores=("logs",),
            )
        table = "fact_exceptions" if crash else "fact_events"
        text = str(row["message"] if crash else row["text"])
        claims = Claims(ev, self.id)
        claims.row("The refused allocation", table, row, "message" if crash else "text")
        support = [Support("logs", "the GPU refused an allocation", decisive=crash is not None)]
        end = story.end_status
        if end is not None and end.exit_code:
            claims.row("Exit code of the command", "fact_exits", end.row, "exit_code")
            support.append(Support("processes", f"the command ended with exit code {end.exit_code}"))
        wanted, capacity, unused = _bytes(_WANTED, text), _bytes(_CAPACITY, text), _bytes(_UNUSED, text)
        tenant = next(iter(story.of(Kind.CUDA_OOM_OTHER_TENANT)), None)
        if tenant is not None:
            claims.row("Another process held memory of this GPU", "fact_events", tenant, "num", "bytes")
        size = "an allocation" if wanted is None else f"{wanted / _GIB:.2f} GiB"
        of = "" if capacity is None else f" on a GPU of {capacity / _GIB:.1f} GiB"
        phase, mode = _phase(story, crash)
        grown: Claim | None = None
        if tenant is not None:
            mode = "other_tenant"
        elif wanted is not None and unused is not None and unused > wanted:
            mode = "fragmentation"
        elif (grown := _leak(ev, story, crash)) is not None:
            mode, phase = "leak", f"{phase}, after its memory in use had grown all through training"
            support.append(Support("metrics", "memory in use grew all through training"))
        failed_first = failing_by_launcher(story, claims, row)
        run = which_of_several(story, row)
        which = "" if run is None else run.text
        return RuledIn(
            because=f"The GPU refused {size}{of} {phase}.",
            would_change_if="an earlier failure, or the refusal being caught and training going on",
            headline=f"{who(row)} ran out of GPU memory{when(story, row)}: {size} was refused{of}, {phase}{which}.",
            claims=(*claims.all, *((grown,) if grown is not None else ())),
            support=tuple(support),
            attribution="job" if tenant is None else "unknown",
            scope="gpu" if not crash or len(crash.ranks) <= 1 else "allocation",
            onset_ns=row["ts_ns"],
            sub_mode=mode,
            first_failing=failed_first,
            culprit_ranks=crash.ranks if crash else (),
            implies=("Another process held memory of the same GPU.",) if tenant is not None else (),
            next=Next("job", _action(tenant, mode)),
        )


def _printed(story: Story) -> Row | None:
    """A refusal printed without a traceback of ours (bitsandbytes, TensorFlow, a launcher's log)."""
    if story.ended_well or story.of(Kind.TRAIN_SUMMARY, Kind.TRAINING_END):
        return None
    rows = [row for row in story.of(Kind.CUDA_OOM) if row["role"] == "root" and not _outlived(story, row)]
    if not rows or any(not _echoes(story, rows[0], failure) for failure in story.failures):
        return None
    return rows[0]


def _outlived(story: Story, row: Row) -> bool:
    """Whether training reported on after a line, where no status tells that the job failed: it was tried again."""
    if story.ended_well is not None or row["line_seq"] is None:
        return False
    return story.reports_after(row) >= _GOES_ON


_GOES_ON: Final = 3
"""Reports after which nobody calls it the end."""


def _echoes(story: Story, refused: Row, failure: Failure) -> bool:
    """True for an exception that says not whose memory ran out, where the allocator of the GPU had said so before.

    A program in C++ aborts right after it.
    """
    if failure.crash is None:
        here = refused["line_seq"]
        aborted = failure.death is not None and failure.death.term_signal == signal.SIGABRT
        # A status tells no line: what the runtime says as it aborts does.
        told = (failure.row, *story.of(Kind.ABORT)) if failure.row.get("line_seq") is None else (failure.row,)
        lines = [row["line_seq"] for row in told if row.get("source") == refused["source"] and row.get("line_seq")]
        return aborted and here is not None and any(0 < there - here <= _LINES_BETWEEN for there in lines)
    if not story.earlier(refused, failure.row):
        return False
    spoken = failure.crash.speaking
    return is_host_memory(str(spoken["exc_type"] or ""), str(spoken["message"] or ""))


def _bytes(pattern: re.Pattern[str], text: str) -> float | None:
    match = pattern.search(text)
    if match is None:
        return None
    number, unit = (group for group in match.groups() if group is not None)
    return float(number) * _UNITS[unit]


def _phase(story: Story, crash: Crash | None) -> tuple[str, str]:
    """What the process was doing, in words and as a sub-mode, told by the frames of its traceback."""
    frames = (crash.shown["frames"] or "") if crash else ""
    marks = (
        ("in the optimizer", "optimizer", ("/optim/", "optimizer.step", "optimizer_step")),
        ("in the backward pass", "backward", ("backward",)),
        (
            "while loading",
            "load",
            ("from_pretrained", "load_state_dict", "_apply", "in to\n", " cuda\n", "torch/serialization"),
        ),
        ("in the forward pass", "forward", ("forward", "_call_impl")),
    )
    for name, mode, words in marks:
        if any(word in frames for word in words):
            return name, mode
    return ("during training", "training") if story.progressed else ("before training", "startup")


def _leak(ev: Evidence, story: Story, crash: Crash | None) -> Claim | None:
    """The claim that memory of this process's GPU grew all through training, as what is kept from step to step does."""
    growth = memory_growth(ev) if story.progressed and ev.has("gpu_samples") else None
    if growth is None:
        return None
    rank = rank_of_gpu(ev, growth.gpu_uuid)
    mine = crash is None or rank is None or not crash.ranks or rank in crash.ranks
    return growth.claim if mine else None


def _action(tenant: Row | None, mode: str) -> str:
    if tenant is not None:
        return f"End the other process on this GPU (pid {tenant['subject']}), or request GPUs exclusively."
    if mode == "leak":
        return (
            "Look for what is kept from step to step: losses added up with their graphs (use .item() or .detach()),"
            " lists of outputs, caches."
        )
    if mode == "fragmentation":
        return "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: enough memory is reserved, but in pieces."
    return "Reduce batch size or sequence length, checkpoint activations, or shard optimizer state."


FAMILY: Final = CudaOutOfMemory()

"""D3: one slow rank holds the others: it does the work (high SM activity) while its peers only wait."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._case import Claims
from inquest.analyze.families._gpu import rank_of_gpu, trained_on, while_training
from inquest.analyze.families._pace import reports
from inquest.analyze.families._story import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Straggler:
    """See the module."""

    id: str = "D3"
    name: str = "straggler"
    needs: tuple[str, ...] = ("gpu_samples",)
    any_of: tuple[str, ...] = ()
    helps: tuple[str, ...] = ("nccl_collectives", "cuda_calls", "gpu_processes", "steps")

    def judge(self, ev: Evidence) -> Finding:
        """The GPU whose SM activity stands far above the others' while all engines are busy."""
        story = tell(ev)
        if reports(story) < ev.threshold("d.least_steps"):
            return CannotDecide(because="Too few steps were done to compare ranks.", missing=("a longer run",))
        gpus = [gpu for gpu in while_training(ev, story) if gpu.sm is not None]
        if len(gpus) < 2:
            return CannotDecide(
                because="SM activity of two GPUs or more is needed to compare them.",
                missing=("SM activity of every GPU (NVML GPM or DCGM)",),
            )
        top = max(gpus, key=lambda gpu: (gpu.sm or 0.0, gpu.gpu_uuid))
        others = [gpu for gpu in gpus if gpu is not top]
        typical = statistics.median([gpu.sm or 0.0 for gpu in others])
        spinning = statistics.median([gpu.engine or 0.0 for gpu in others]) >= ev.threshold("d2.engine_busy")
        apart = (top.sm or 0.0) - typical
        if apart < ev.threshold("d3.sm_apart") or not spinning or not story.progressed:
            return RuledOut(
                because=f"No GPU's SM activity stands out ({top.sm:.2f} against a median of {typical:.2f}).",
                would_change_if="one GPU far above the others in SM activity while their engines spin",
                stores=("metrics",),
            )
        claims = Claims(ev, self.id)
        for whose, gpu in (("the slow rank's", top), ("another", others[0])):
            where = trained_on(gpu, story)
            claims.over(f"Median SM activity of {whose} GPU", "MEDIAN", "sm_active", "gpu_samples", where, unit="1")
        rank = rank_of_gpu(ev, top.gpu_uuid)
        name = f"Rank {rank} on {top.node}" if rank is not None else f"The rank on GPU {top.gpu_uuid} of {top.node}"
        text = f"{name} does the work of a step (SM activity {top.sm:.2f}) while its peers wait ({typical:.2f})"
        return RuledIn(
            because=f"{text}: it is the slow one.",
            would_change_if="a different amount of work given to this rank on purpose",
            headline=f"{name} slows all others down: its SM activity is {top.sm:.2f}, theirs {typical:.2f}.",
            claims=claims.all,
            support=(Support("metrics", "SM activity of one GPU far above its peers'", decisive=True),),
            attribution="infrastructure",
            scope="gpu",
            severity="low",
            first_failing=Failing(rank=rank, node=top.node, gpu_uuid=top.gpu_uuid),
            culprit_ranks=() if rank is None else (rank,),
            culprit_nodes=(top.node,),
            culprit_gpus=(top.gpu_uuid,),
            cannot_decide=(Missing("How much time was lost", "a baseline run (--baseline)"),),
            next=Next(
                "infrastructure",
                f"Compare clocks, PCIe width, CPU steal and memory errors of {top.node} with its peers; swap it out.",
            ),
        )


FAMILY: Final = Straggler()

"""Whether a job was one process, as far as all that it printed tells: nobody waits for a peer that there is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._standstill import nodes_allocated
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

_OF_SEVERAL: Final = (
    r"(?i)\b(?:rank|ranks|local_rank|world|world_?size|nproc\w*|num_processes|nnodes|torchrun|torch\.distributed|dist(?:ributed)?"
    r"|ddp|fsdp|zero-?[123]|nccl|rccl|gloo|mpi|mpirun|horovod|deepspeed|megatron|jax\.distributed|coordinator|all_?reduce"
    r"|replicas?|strategy|tensor_parallel\w*|dp|tp|pp|srun|peers?|clients?|learners?|actors?|parameter servers?"
    r"|(?:[2-9]|\d{2,5}) ?x? ?(?:gpus?|ranks|workers|processes|nodes|devices|accelerators|chips)"
    r"|(?:[2-9]|\d{2,5}) ?x ?(?:nvidia )?(?:[ABHVL]\d{1,3}|rtx)"
    r"|(?:gpus?|devices|nodes|workers|processes)[\"']?[=: ]{1,2}(?:[2-9]|\d{2,5})|cuda:[1-9]|rank\d|gpu[1-9]:)\b"
)
"""Words of who works with others: where one of them stands, another may be who was waited for."""


def of_several() -> str:
    """The condition, in SQL over ``log_lines``, on a line that speaks of several."""
    return f"REGEXP_MATCHES(text, {literal(_OF_SEVERAL)})"


def alone(ev: Evidence, story: Story) -> bool:
    """Whether neither the recorder, the scheduler nor any line tells of a second rank or node."""
    if (ev.world_size() or 1) > 1 or len(story.ranks) > 1 or nodes_allocated(ev) > 1:
        return False
    if ev.has("slurm_jobs"):
        gpus = ev.scan("slurm_jobs").select(pl.col("gpus_allocated").max()).collect().item()
        if (gpus or 0) > 1:
            return False
    words = pl.col("text").str.contains(_OF_SEVERAL)
    lines = ev.scan("log_lines").select(words.any().alias("several"), sources=pl.col("source").n_unique())
    several, sources = lines.collect(engine="streaming").row(0)
    return not several and sources <= _OUT_AND_ERR


_OUT_AND_ERR: Final = 2

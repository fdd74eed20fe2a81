"""Whether a job was one process, as far as all that it printed tells: nobody waits for a peer that there is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._standstill import nodes_allocated
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_WRAPPED: Final = r"(?i)\b(?:torch\.distributed|dist(?:ributed)?|ddp|fsdp|zero-?[123])\b"
"""What a model is wrapped in that is trained by several, and by one as well where a program knows no other way."""
_NUMBERED: Final = (
    r"(?i)\b(?:rank|ranks|local_rank|world|world_?size|nproc\w*|num_processes|nnodes|torchrun|nccl|rccl|gloo|mpi|mpirun|horovod|deepspeed|megatron|jax\.distributed|coordinator|all_?reduce"
    r"|replicas?|strategy|tensor_parallel\w*|dp|tp|pp|srun|peers?|learners?|actors?|parameter servers?"
    r"|(?:[2-9]|\d{2,5}) ?x? ?(?:gpus?|ranks|workers|processes|nodes|devices|accelerators|chips)"
    r"|(?:[2-9]|\d{2,5}) ?x ?(?:nvidia )?(?:[ABHVL]\d{1,3}|rtx)"
    r"|cuda:[1-9]|rank\d|gpu[1-9]:"
    r"|dist_a?sync|kv_?store|(?:worker|process|proc|node|host|task)[ =:#]{1,2}\d{1,5} of[ =]?(?:[2-9]|\d{2,5})"
    r"|(?:[2-9]|\d{2,5}) ?(?:processus|procesos|processos|processi|prozesse|procesów|процесс\w*|карт\w*|узл\w*"
    r"|张?卡|台机器|台))\b"
    r"|(?:^|[^\w./])(?i:clients?)\b"  # and no frame of ``http/client.py``
    r"|カード数 ?[=:＝：] ?(?:[2-9]|\d{2})"
    r"|\b(?i:(?:two|three|four|six|eight|synchronous|sync) (?:synchronous )?(?:workers|ranks|cards))\b"
    # How many there are: what is used of one, or held on it, is another matter.
    r"|\b(?:gpus?|devices|nodes|workers|processes)[\"']?[=: ]{1,2}(?:[2-9]|\d{2,5})"
    r"(?:[,;)\]}|\"']|\s*$|\s+(?:[^%\sGMWC°]|[GMWC][^BHWi\s]))"
)
"""Words of who works with others: where one of them stands, another may be who was waited for."""
_OF_SEVERAL: Final = f"{_NUMBERED}|{_WRAPPED}"


def of_several() -> str:
    """The condition, in SQL over ``log_lines``, on a line that speaks of several."""
    return f"REGEXP_MATCHES(text, {literal(_OF_SEVERAL)})"


def alone(ev: Evidence, story: Story, *, wrapped: bool = False) -> bool:
    """Whether neither the recorder, the scheduler nor any line tells of a second rank or node.

    With ``wrapped`` its model may be one that several could train: who waits for its own loader waits for no peer.
    """
    if (ev.world_size() or 1) > 1 or len(story.ranks) > 1 or nodes_allocated(ev) > 1:
        return False
    if ev.has("slurm_jobs"):
        gpus = ev.scan("slurm_jobs").select(pl.col("gpus_allocated").max()).collect().item()
        if (gpus or 0) > 1:
            return False
    words = pl.col("text").str.contains(_NUMBERED if wrapped else _OF_SEVERAL)
    lines = ev.scan("log_lines").select(words.any().alias("several"), sources=pl.col("source").n_unique())
    several, sources = lines.collect(engine="streaming").row(0)
    return not several and sources <= _OUT_AND_ERR


_OUT_AND_ERR: Final = 2


def waits_for_its_loader(ev: Evidence, row: Row) -> bool:
    """Whether the stacks that were asked of one process, below a line, show it waiting for its loader's workers."""
    below = ev.scan("log_lines").filter(same_stream(row) & (pl.col("seq") > row["seq"]))
    text = pl.col("text")
    told = below.select(
        asked=text.str.contains(_ASKED_OF).sum(),
        loader=text.str.contains(_OF_THE_LOADER).any(),
        peers=text.str.contains(_OF_PEERS).any(),
    )
    asked, loader, peers = told.collect(engine="streaming").row(0)
    return asked == 1 and loader and not peers


_ASKED_OF: Final = r"^\s*Process \d{1,9}: "
"""How py-spy heads the stacks of a process."""
_OF_THE_LOADER: Final = (
    r"^\s*_(?:try_)?(?:get|next)_data \([^()]{0,200}torch/utils/data/dataloader\.py:\d{1,5}\)"
    r"|torch/utils/data/dataloader\.py\", line \d{1,5},? in _(?:try_)?(?:get|next)_data"
)
_OF_PEERS: Final = r"torch/distributed/|/nccl|all_?reduce|\bbarrier\b"

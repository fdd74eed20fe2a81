"""Nodes of the job of whose GPUs nobody took samples: what those of the others may be waiting for."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._gpu import while_training
from inquest.analyze.families._of_others import job_nodes
from inquest.analyze.families._pace import steps_done

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


def unseen(ev: Evidence) -> tuple[str, ...]:
    """A sentence on the nodes of the job of whose GPUs there are no samples, where there are of others.

    Not of those of which nothing at all was recorded.
    """
    nodes, seen = job_nodes(ev) or frozenset(), _sampled(ev)
    nothing = {node.partition(".")[0].casefold() for node in ev.info.missing_nodes}
    missing = sorted(nodes - seen - nothing)
    if not missing or not seen & nodes:
        return ()
    some = ", ".join(missing[:_NAMED]) + (f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else "")
    return (f"Of {len(missing)} of the job's {len(nodes)} nodes there are no GPU samples: {some}.",)


def _sampled(ev: Evidence) -> frozenset[str]:
    """Short names of the nodes of which there are GPU samples."""
    if not ev.has("gpu_samples"):
        return frozenset()
    nodes = ev.scan("gpu_samples").select(pl.col("node").unique()).collect()["node"].drop_nulls()
    return frozenset(node.partition(".")[0].casefold() for node in nodes)


def waits_for_unseen(ev: Evidence, story: Story) -> str | None:
    """What is to be said of them: whom they wait for may be where nobody looked. None where it is not so."""
    nodes = job_nodes(ev)
    if not nodes or not ev.has("gpu_samples") or steps_done(story) < ev.threshold("d.least_steps"):
        return None
    gpus = [gpu for gpu in while_training(ev, story) if gpu.sm is not None and gpu.engine is not None]
    seen = {gpu.node.partition(".")[0].casefold() for gpu in gpus}
    if not seen or not seen < nodes:
        return None
    # One that did the work of all would stand above these by more.
    busy, most = ev.threshold("d2.engine_busy"), ev.threshold("d3.sm_apart")
    if any((gpu.engine or 0.0) < busy or (gpu.sm or 0.0) > most for gpu in gpus):
        return None
    typical = statistics.median(gpu.sm or 0.0 for gpu in gpus)
    missing = sorted(nodes - seen)
    some = ", ".join(missing[:_NAMED]) + (", ..." if len(missing) > _NAMED else "")
    return f"All GPUs that were sampled spin (SM activity {typical:.2f}), and those of {some} were not sampled"


_NAMED: Final = 3
"""Nodes that a sentence names."""

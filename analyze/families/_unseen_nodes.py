"""GPUs that wait for most of each step, while those of other nodes of the job were not sampled at all."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from inquest.analyze.families._gpu import while_training
from inquest.analyze.families._of_others import job_nodes
from inquest.analyze.families._pace import steps_done

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


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
    unseen = sorted(nodes - seen)
    some = ", ".join(unseen[:3]) + (", ..." if len(unseen) > 3 else "")
    return f"All GPUs that were sampled spin (SM activity {typical:.2f}), and those of {some} were not sampled"

"""D2: every rank slow alike: blocking launches, a save storm, or the interconnect."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._gpu import Gpu, trained_on, while_training
from inquest.analyze.families._pace import reports, save_rhythm
from inquest.analyze.families._story import Story, tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.model import Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Row

_ACTIONS: Final = {
    "launch_blocking": "Unset CUDA_LAUNCH_BLOCKING: it makes every kernel launch wait.",
    "save_storm": "Save less often: a checkpoint is written at nearly every step.",
    "interconnect": "Check the network NCCL uses (NCCL_DEBUG=INFO): kernels wait while SMs are nearly idle.",
}


@dataclass(frozen=True, slots=True)
class ThroughputBound:
    """See the module."""

    id: str = "D2"
    name: str = "throughput-bound"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("gpu_samples", "steps")
    helps: tuple[str, ...] = ("gpu_samples", "cuda_calls", "nccl_collectives", "nvlink_samples")

    def judge(self, ev: Evidence) -> Finding:
        """Reasons seen in environment and log; the loss itself only where GPUs were sampled."""
        story = tell(ev)
        blocking, storm = _launch_blocking(ev), save_storm(ev, story)
        warnings = []
        if blocking:
            warnings.append("CUDA_LAUNCH_BLOCKING=1 was set: every kernel launch waited for its end.")
        if storm:
            warnings.append(f"A checkpoint was saved {storm[0]} times in {storm[1]} steps.")
        if not ev.has("gpu_samples"):
            return CannotDecide(
                because="How much of the GPUs was used is not known without samples of their activity.",
                missing=("GPU samples with SM activity (NVML GPM or DCGM)",),
                warnings=tuple(warnings),
            )
        if reports(story) < ev.threshold("d.least_steps"):
            return CannotDecide(
                because="Too few steps were done to judge the throughput.",
                missing=("a longer run",),
                warnings=tuple(warnings),
            )
        gpus = [gpu for gpu in while_training(ev, story) if gpu.sm is not None]
        if not gpus:
            return CannotDecide(
                because="SM activity was not sampled, and engine activity alone cannot tell work from waiting.",
                missing=("SM activity (NVML GPM or DCGM)",),
                warnings=tuple(warnings),
            )
        busiest = max(gpus, key=lambda gpu: (gpu.sm or 0.0, gpu.gpu_uuid))
        said = _said_blocking(ev) if not blocking and (busiest.sm or 0.0) <= ev.threshold("d2.sm_blocked") else None
        if said is not None:
            warnings.insert(0, "The log says CUDA_LAUNCH_BLOCKING=1: every kernel launch waited for its end.")
        blocking = blocking or said is not None
        if (busiest.sm or 0.0) > ev.threshold("d2.sm_blocked" if blocking else "d2.sm_collapsed"):
            return RuledOut(
                because=f"The SMs were in use: {busiest.sm:.0%} in the median of the busiest GPU.",
                would_change_if="collapsed SM activity on every rank while collectives advanced",
                stores=("metrics",),
                warnings=tuple(warnings),
            )
        waiting = (busiest.engine or 0.0) >= ev.threshold("d2.engine_busy") and len(gpus) > 1
        mode = "launch_blocking" if blocking else "save_storm" if storm else "interconnect" if waiting else None
        if mode is None:
            return CannotDecide(
                because=f"SM activity was low ({busiest.sm:.0%}), but nothing captured says what held it down.",
                missing=("CUDA call counts, collective timings",),
                warnings=tuple(warnings),
            )
        return self._found(ev, story, busiest, mode, tuple(warnings), said)

    def _found(
        self, ev: Evidence, story: Story, busiest: Gpu, mode: str, warnings: tuple[str, ...], said: Row | None
    ) -> Finding:
        claims = Claims(ev, self.id)
        if said is not None:
            claims.row("What the log says of the environment", "log_lines", said, "text")
        where = trained_on(ev, busiest, story)
        claims.over("Median SM activity of the busiest GPU", "MEDIAN", "sm_active", "gpu_samples", where, unit="1")
        why = (
            warnings[0]
            if warnings
            else "Kernels were resident while the SMs did little: ranks waited for data of others."
        )
        return RuledIn(
            because=f"{why} SM activity was {busiest.sm:.0%} in the median on the busiest GPU.",
            would_change_if="the same SM activity without this reason",
            headline=f"Training ran far below the GPUs' ability (SM activity {busiest.sm:.0%}): {why}",
            claims=claims.all,
            support=(
                Support("metrics", "SM activity collapsed on every rank"),
                Support("processes" if mode == "launch_blocking" and said is None else "logs", why),
            ),
            attribution="infrastructure" if mode == "interconnect" else "job",
            scope="allocation",
            severity="low",
            sub_mode=mode,
            next=Next("infrastructure" if mode == "interconnect" else "job", _ACTIONS[mode]),
        )


def _launch_blocking(ev: Evidence) -> bool:
    if not ev.has("processes"):
        return False
    environments = ev.scan("processes").select("env").unique().collect()["env"].drop_nulls().to_list()
    return any(_variable(text, "CUDA_LAUNCH_BLOCKING") == "1" for text in environments)


_BLOCKING: Final = (
    r"""^\s*(?:[+>$#]\s*)*(?:(?:export|declare -x|env|set)\s+)?['"]?CUDA_LAUNCH_BLOCKING['"]?\s*[=:]\s*['"]?1\b"""
)
"""A line that sets or lists the variable; advice to set it stands within a sentence."""


def _said_blocking(ev: Evidence) -> Row | None:
    """The line of a log that says the variable was set: a dump of the environment, or a script that echoes itself."""
    if not ev.has("log_lines"):
        return None
    told = ev.scan("log_lines").filter(pl.col("text").str.contains("CUDA_LAUNCH_BLOCKING", literal=True)).collect()
    told = told.filter(pl.col("text").str.contains(_BLOCKING)).sort("node", "seq")
    return None if told.is_empty() else told.row(0, named=True)


def _variable(text: str, name: str) -> str | None:
    try:
        values = json.loads(text)
    except ValueError:
        return None
    value = values.get(name) if isinstance(values, dict) else None
    return None if value is None else str(value)


def save_storm(ev: Evidence, story: Story) -> tuple[int, int] | None:
    """Saves and steps, when a save follows nearly every step of a run of some length."""
    rhythm = save_rhythm(story)
    if rhythm is None:
        return None
    saves, steps = rhythm
    if steps < ev.threshold("d.least_steps") or saves < steps * ev.threshold("d2.saves_per_step"):
        return None
    return saves, steps


FAMILY: Final = ThroughputBound()

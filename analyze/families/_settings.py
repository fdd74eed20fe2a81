"""How the scheduler was set, where its settings were captured: what it leaves a job that it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims
    from inquest.analyze.families._rows import Row

_MODES: Final = {
    "CANCEL": "a preempted job is not put back into the queue",
    "REQUEUE": "a preempted job is put back into the queue where it may be requeued (sbatch --requeue)",
}


def setting(ev: Evidence, name: str) -> Row | None:
    """The row of one setting as ``scontrol show config`` names it; None where it was not captured."""
    if not ev.has("slurm_controller"):
        return None
    rows = ev.frame("slurm_controller").filter(pl.col("name") == f"config.{name}").drop_nulls("setting")
    return None if rows.is_empty() else rows.row(0, named=True)


def grace(ev: Evidence, claims: Claims) -> tuple[str, ...]:
    """What a job that is asked to end has until it is killed (slurm.conf: KillWait)."""
    row = setting(ev, "KillWait")
    if row is None or row["value"] is None:
        return ()
    claims.row("Time between SIGTERM and SIGKILL (KillWait)", "slurm_controller", row, "value", row["unit"] or "")
    return (f"A save that begins at SIGTERM has {row['value']:g} s on this cluster (KillWait) before SIGKILL comes.",)


def overtime(ev: Evidence, claims: Claims) -> tuple[str, ...]:
    """What a job may run beyond its limit (slurm.conf: OverTimeLimit); nothing where that is not at all."""
    row = setting(ev, "OverTimeLimit")
    if row is None or not row["value"]:
        return ()
    claims.row("Time a job may exceed its limit (OverTimeLimit)", "slurm_controller", row, "value", row["unit"] or "")
    return (
        f"The cluster lets a job run {row['value'] / 60:g} min beyond its limit (OverTimeLimit) before it is ended.",
    )


def preemption(ev: Evidence, claims: Claims) -> tuple[str, ...]:
    """What becomes of preempted jobs (slurm.conf: PreemptMode); OFF leaves it to partitions, and tells nothing."""
    row = setting(ev, "PreemptMode")
    if row is None:
        return ()
    modes = [mode.strip() for mode in str(row["setting"]).upper().split(",")]
    words = next((_MODES[mode] for mode in modes if mode in _MODES), None)
    if words is None:
        return ()
    claims.row("What happens to preempted jobs (PreemptMode)", "slurm_controller", row, "setting")
    return (f"PreemptMode of the cluster is {row['setting']}: {words}.",)

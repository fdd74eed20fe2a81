"""A job that a limit or somebody ended long after its last word: whatever ended it did not stop its work.

What a scheduler writes down is true of the end and says nothing of the cause. Where a job reported often, and was then
silent for many times as long as it ever was, it may have hung; its GPUs or stacks would tell of what kind of hang.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._frozen import at_end
from inquest.analyze.families._pace import reports
from inquest.analyze.families._stall import AT_LEAST_S, stall
from inquest.analyze.families._wall import own_clock
from inquest.analyze.families._window import recorded_span
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

OVER: Final = (Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED, Kind.FAREWELL)
"""What a job says that has done all it was to do."""
_REPORTS: Final = 8
_WHOLE: Final = 10
"""A silence as many times as long as all that was reported before, which no save or evaluation of that job takes."""
_LEAST_NS: Final = 45_000_000_000
_OF_FEW_NS: Final = 1_800_000_000_000
"""The same of a job that had told little when it fell silent."""
_TIMED: Final = 10
"""Reports whose own times tell how long a step takes."""


def standstill(ev: Evidence, story: Story, until_ns: int | None = None, *, by_hand: bool = False) -> str | None:
    """How the job stood before it was ended, as a clause; None where it may well have worked until then.

    Who ends it ``by_hand`` looked at it: a minute in which forty-five reports were due is enough then.
    """
    if not story.progressed or story.of(*OVER) or story.last_planned is not None or at_end(ev) == "computing":
        return None
    pause = stall(ev, story, until_ns=until_ns) or stall(ev, story, AT_LEAST_S, until_ns)
    if pause is not None:
        # A save or an evaluation that was never reported before takes minutes, too.
        least_ns = ev.threshold("c2.frozen_least") * 1e9
        # Who had reported for a moment only told no cadence that could be missed, unless what follows is out of all
        # proportion to it.
        first = story.steps["ts_ns"].min()
        told_ns = pause.since_ns - first if isinstance(first, int) else 0
        short = min(pause.silent_ns, told_ns) < least_ns and not (
            told_ns > 0
            and pause.silent_ns >= max(_WHOLE * told_ns, _LEAST_NS if reports(story) >= _REPORTS else _OF_FEW_NS)
        )
        missed = ev.threshold("c3.host_cadences")
        minute_ns = ev.threshold("stall.least_silence") * 1e9
        seen = by_hand and pause.factor >= _MISSED * missed
        if pause.factor < missed or (short and not (seen and pause.silent_ns >= minute_ns)):
            return None
        return f"its last report came {_length(pause.silent_ns)} before, {pause.factor:.0f} times what lies between two"
    return _by_its_steps(ev, story, until_ns) or _by_its_clock(ev, story, until_ns) or _asleep_beside_peers(ev)


def _asleep_beside_peers(ev: Evidence) -> str | None:
    """A rank that a Ctrl-C found asleep in the job's own code, while another one was in a collective.

    Nobody sleeps between the steps of a training: it waited for something that its peers, waiting for it, did not do.
    """
    raised = ev.facts("fact_exceptions").filter(pl.col("rank").is_not_null()).sort("line_seq", "seq")
    asleep = raised.filter(
        pl.col("exc_type").str.ends_with("KeyboardInterrupt")
        & pl.col("user_code").str.contains(_SLEEPS)
        & (pl.col("frame_file") + ":" + pl.col("frame_line").cast(pl.String) + " " + pl.col("frame_function")).eq(
            pl.col("user_frame")
        )
    )
    together = raised.filter(pl.col("frame_file").str.contains(_COLLECTIVES) & ~pl.col("frame_function").eq("wrapper"))
    together = together.filter(~pl.col("rank").is_in(asleep["rank"].implode()))
    if asleep.is_empty() or together.is_empty():
        return None
    one, other = asleep.row(0, named=True), together.row(0, named=True)
    return (
        f"rank {one['rank']} slept in the job's own code ({one['user_frame']}) while rank {other['rank']} was in"
        f" {other['frame_function']}"
    )


_MISSED: Final = 1.5
_SLEEPS: Final = r"^(?:time\.)?sleep\("
_COLLECTIVES: Final = r"/torch/distributed/(?:distributed_c10d|_functional_collectives|nn/functional)\.py$"


def _by_its_steps(ev: Evidence, story: Story, until_ns: int | None) -> str | None:
    """Where no clock tells when reports came: all of them, by the time each step took, fill little of the job's time.

    Set-up may take long, but not for most of a job that then reports step after step.
    """
    began, ended = recorded_span(ev)
    ended = until_ns or ended
    if began is None or ended is None or story.steps["ts_ns"].null_count() < story.steps.height:
        return None
    told = story.steps.select("step", "step_time_s").drop_nulls().unique("step").sort("step")
    if told.height < _TIMED:
        return None
    took_s = (told["step_time_s"] * told["step"].diff().fill_null(1)).to_list()
    took_ns = int(sum(took_s) * 1e9)
    if took_ns >= ev.threshold("f3.accounted") * (ended - began):
        return None
    took = f"the {story.counted_in}s that it reported take {_length(took_ns)} by its own clock"
    return f"{took}, of {_length(ended - began)} that it was held"


def _by_its_clock(ev: Evidence, story: Story, until_ns: int | None) -> str | None:
    """The same by a clock of the program's own, which stopped when little of the job's time had passed."""
    began, ended = recorded_span(ev)
    ended = until_ns or ended
    own = own_clock(ev, story)
    if began is None or ended is None or own is None or reports(story) < _TIMED:
        return None
    held_s = (ended - began) / 1e9
    if own.last_s >= ev.threshold("f3.own_clock") * held_s or held_s - own.last_s < AT_LEAST_S:
        return None
    told = f"its own clock stands at {_length(int(own.last_s * 1e9))} in its last report"
    return f"{told}, of {_length(ended - began)} that it was held"


def until_the_end(ev: Evidence, story: Story, until_ns: int | None) -> bool:
    """Whether a clock of the program's own was still telling the time shortly before its end.

    It began with the program or later, so no more than the rest of the job's time can have passed since.
    """
    began, ended = recorded_span(ev)
    ended = until_ns or ended
    own = own_clock(ev, story)
    if began is None or ended is None or own is None or reports(story) < _TIMED:
        return False
    return (ended - began) / 1e9 - own.last_s <= max(_USUAL * own.usual_s, AT_LEAST_S)


_USUAL: Final = 3
"""Usual times between its reports that may pass to a job's end, and more reports would have come."""


def _length(ns: int) -> str:
    minutes = ns / 60e9
    return f"{minutes / 60:.1f} h" if minutes >= _HOURS else f"{minutes:.0f} min"


_HOURS: Final = 120


def nodes_allocated(ev: Evidence) -> int:
    """Nodes that the scheduler gave the job's last run; 0: it does not say."""
    if not ev.has("slurm_jobs"):
        return 0
    told = ev.scan("slurm_jobs").sort("seq").select(pl.col("nodes").drop_nulls().last()).collect().item()
    return int(told or 0)

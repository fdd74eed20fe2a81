"""D2: every rank slow alike: blocking launches, a save storm, or the interconnect."""

from __future__ import annotations

import itertools
import json
import math
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._alone import alone
from inquest.analyze.families._around_saves import around_saves, by_their_lines, idled_for
from inquest.analyze.families._case import Claims
from inquest.analyze.families._clocks import REPORTS, Saving, apart, clocks, saving, straggling
from inquest.analyze.families._gpu import Gpu, mean_sql, trained_on, while_training
from inquest.analyze.families._host_side import beside_an_interconnect
from inquest.analyze.families._in_all import in_all
from inquest.analyze.families._own_times import own_evaluations, own_saves
from inquest.analyze.families._pace import (
    AT_LEAST,
    paces,
    save_reports,
    save_rhythm,
    saved_times,
    steps_done,
    wall_step_s,
)
from inquest.analyze.families._polling import most_drawn, polling
from inquest.analyze.families._share_tables import mostly_spent
from inquest.analyze.families._spoken_times import took_s
from inquest.analyze.families._telling import tell
from inquest.analyze.families._told_waits import told_part
from inquest.analyze.families._wall import DAY_S, time_of_day_s
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.saved_files import BY_ITS_FILE
from inquest.analyze.logs.told_times import EVALUATION
from inquest.analyze.model import Missing, Next
from inquest.analyze.sql import literal
from inquest.bundle.timers import COMM, COMPUTE, DATA, SAVE, STEP

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._clocks import Clocks
    from inquest.analyze.families._polling import Polling
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.families._told_waits import ToldWaits
    from inquest.analyze.model import Owner

_ACTIONS: Final = {
    "launch_blocking": "Unset CUDA_LAUNCH_BLOCKING: it makes every kernel launch wait.",
    "save_storm": "Save less often, or beside the steps: most of the time goes into saving.",
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
            warnings.append(f"A checkpoint was saved {saved_times(story, storm[0])} in {storm[1]} {story.counted_in}s.")
        if not ev.has("gpu_samples"):
            if (timed := _by_clocks(ev, story, storm)) is not None:
                return timed
            if (tabled := _by_tables(ev, story)) is not None:
                return tabled
            if (talked := _talking(ev, story) or _evaluating(ev, story) or _by_reports(ev, story)) is not None:
                return talked
            return CannotDecide(
                because="How much of the GPUs was used is not known without samples of their activity.",
                missing=("GPU samples with SM activity (NVML GPM or DCGM)",),
                warnings=tuple(warnings),
            )
        if steps_done(story) < ev.threshold("d.least_steps"):
            return CannotDecide(
                because="Too few steps were done to judge the throughput.",
                missing=("a longer run",),
                warnings=tuple(warnings),
            )
        used = while_training(ev, story)
        gpus = [gpu for gpu in used if gpu.sm is not None]
        if storm and (idle := _idle_share(used)) is not None and idle >= 1 - ev.threshold("d2.engine_saving"):
            return self._stood_still(ev, story, used, storm, tuple(warnings))
        # Who writes stands still and the others spin for it: how many of their SMs that takes tells nothing.
        by_clocks = not gpus or idled_for(ev, story) is not None
        if by_clocks and (timed := _by_clocks(ev, story, storm)) is not None:
            return timed
        if not gpus:
            return self._by_pipes(ev, story, used, tuple(warnings), blocking=blocking)
        busiest = max(gpus, key=lambda gpu: (gpu.sm or 0.0, gpu.gpu_uuid))
        said = _said_blocking(ev) if not blocking and (busiest.sm or 0.0) <= ev.threshold("d2.sm_blocked") else None
        if said is not None:
            warnings.insert(0, "The log says CUDA_LAUNCH_BLOCKING=1: every kernel launch waited for its end.")
        blocking = blocking or said is not None
        talks = _talks(ev, story)
        told = told_part(ev, story, COMM) if talks is None else None
        explained = blocking or talks is not None or told is not None or _pipes_idle(ev, used)
        least = ev.threshold("d2.sm_blocked" if explained else "d2.sm_collapsed")
        if (busiest.sm or 0.0) > least and talks is not None:
            return CannotDecide(
                because=f"{talks[1]} by its own clocks, and the SMs were in use ({busiest.sm:.0%} on the busiest GPU).",
                missing=("how much of the collectives ran beside the computation (a profiler's trace)",),
                warnings=tuple(warnings),
            )
        if (busiest.sm or 0.0) > least:
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
        return self._found(ev, story, busiest, mode, tuple(warnings), said, talks=talks, told=told)

    def _by_pipes(
        self, ev: Evidence, story: Story, gpus: tuple[Gpu, ...], warnings: tuple[str, ...], *, blocking: bool
    ) -> Finding:
        """By what exporters tell as they are shipped: the tensor pipe and device memory stand for the SMs."""
        told = [gpu for gpu in gpus if gpu.work is not None]
        if not told:
            # How much of the SMs it takes to exchange nobody sampled; the clocks tell.
            drawn = most_drawn(ev, story, gpus)
            works = drawn is not None and drawn[0] > ev.threshold("d2.polling_power")
            if not blocking and not works and (exchanged := _talking(ev, story)) is not None:
                return exchanged
            # Blocking launches and saves, of which the warnings tell, explain low power as well.
            if not warnings and _said_blocking(ev) is None and (polls := polling(ev, story, gpus)) is not None:
                return _by_power(ev, story, polls)
            if not blocking and (reported := _beside_samples(ev, story, gpus)) is not None:
                return reported
            return CannotDecide(
                because="SM activity was not sampled, and engine activity alone cannot tell work from waiting.",
                missing=("SM activity (NVML GPM or DCGM)",),
                warnings=warnings,
            )
        busiest = max(told, key=lambda gpu: (gpu.work or 0.0, gpu.gpu_uuid))
        least = ev.threshold("d2.work_collapsed")
        said = None if blocking else _said_blocking(ev)
        blocked = (blocking or said is not None) and (busiest.tensor_mean or 0.0) <= least
        if (busiest.work or 0.0) > least and not blocked:
            return CannotDecide(
                because=f"Tensor pipe or memory were at work {busiest.work:.0%} of the time; how many SMs were used was"
                " not sampled.",
                missing=("SM activity (NVML GPM or DCGM)",),
                warnings=warnings,
            )
        if blocked:
            if said is not None:
                warnings = ("The log says CUDA_LAUNCH_BLOCKING=1: every kernel launch waited for its end.", *warnings)
            return self._found(ev, story, busiest, "launch_blocking", warnings, said)
        spinning = min(gpu.engine_mean or 0.0 for gpu in told) >= ev.threshold("d2.engine_busy")
        if spinning and len(told) > 1:
            return self._found(ev, story, busiest, "interconnect", warnings, None)
        return CannotDecide(
            because=f"GPUs computed little ({busiest.work:.0%}), but nothing captured says what held them up.",
            missing=("SM activity (NVML GPM or DCGM)", "CUDA call counts, collective timings"),
            warnings=warnings,
        )

    def _stood_still(
        self, ev: Evidence, story: Story, gpus: tuple[Gpu, ...], storm: tuple[int, int], warnings: tuple[str, ...]
    ) -> Finding:
        """Saves at nearly every step while no kernel ran for most of the time."""
        busiest = max(gpus, key=lambda gpu: (gpu.engine_mean or 0.0, gpu.gpu_uuid))
        return self._found(ev, story, busiest, "save_storm", warnings, None, measured="engine_active")

    def _found(
        self,
        ev: Evidence,
        story: Story,
        busiest: Gpu,
        mode: str,
        warnings: tuple[str, ...],
        said: Row | None,
        measured: str | None = None,
        talks: tuple[Clocks, str, bool] | None = None,
        told: ToldWaits | None = None,
    ) -> Finding:
        column = measured or ("sm_active" if busiest.sm is not None else "tensor_active")
        what = {"sm_active": "SM activity", "tensor_active": "activity of the tensor pipe"}.get(column, "GPU activity")
        claims = Claims(ev, self.id)
        if said is not None:
            claims.row("What the log says of the environment", "log_lines", said, "text")
        where = trained_on(ev, busiest, story)
        if column == "sm_active":
            level = busiest.sm
            claims.over("Median SM activity of the busiest GPU", "MEDIAN", column, "gpu_samples", where, unit="1")
        else:
            level = busiest.engine_mean if column == "engine_active" else busiest.tensor_mean
            text = f"Mean {what} of the busiest GPU"
            claims.sql(text, mean_sql(column, where), "gpu_samples", "1", ev.rows("gpu_samples", where))
        if mode == "save_storm" and (saves := save_reports(story)):
            reports = f"kind = {literal(saves[0]['kind'])}"
            claims.over("Reports of saves", "COUNT", "*", "fact_events", reports, unit="reports")
        if mode == "interconnect" and talks is not None:
            talks[0].claim(claims, COMM, STEP)
        if mode == "interconnect" and told is not None:
            claims.row("What a report tells of it", "log_lines", told.row, "text")
        why = (
            warnings[0]
            if warnings
            else f"{talks[1]}, by {'their' if talks[2] else 'its'} own clocks."
            if talks is not None
            else f"{told.share:.0%} of the time was exchange with other ranks, by {told.times} of its own reports."
            if told is not None
            else "Kernels were resident while the GPUs did little: ranks waited for data of others."
        )
        found = RuledIn(
            because=f"{why} The {what} was {level:.0%} on the busiest GPU.",
            would_change_if=f"the same {what} without this reason",
            headline=f"Training ran far below the GPUs' ability ({what} {level:.0%}): {why}",
            claims=claims.all,
            support=(
                Support("metrics", f"{what} collapsed on every rank"),
                Support("processes" if mode == "launch_blocking" and said is None else "logs", why),
            ),
            attribution="infrastructure" if mode == "interconnect" else "job",
            scope="allocation",
            severity="low",
            sub_mode=mode,
            next=Next("infrastructure" if mode == "interconnect" else "job", _ACTIONS[mode]),
        )
        return beside_an_interconnect(ev, story, found) if mode == "interconnect" else found


def _by_power(ev: Evidence, story: Story, polls: Polling) -> Finding:
    """What the network cost where only power tells that kernels did little: how much is not known."""
    claims = Claims(ev, "D2")
    _of_power(ev, story, claims, polls.most)
    claims.row("The way NCCL takes between GPUs", "log_lines", polls.said, "text")
    polls.told.claim(claims, STEP, DATA)
    drew = f"no GPU drew more than {polls.share:.0%} of what it may"
    why = f"every GPU was busy for steps of {polls.told.step_time_s:.3g} s, and {drew}: kernels waited for the network"
    found = RuledIn(
        because=f"{why[0].upper()}{why[1:]}.",
        would_change_if="SM activity that shows the GPUs at work",
        headline=f"Training ran far below the GPUs' ability: {why}, which NCCL uses over sockets.",
        claims=claims.all,
        support=(Support("metrics", drew), Support("logs", "NCCL goes over sockets between the nodes")),
        attribution="infrastructure",
        scope="allocation",
        severity="low",
        sub_mode="interconnect",
        cannot_decide=(Missing("How much of a step the GPUs computed", "SM activity (NVML GPM or DCGM)"),),
        next=Next("infrastructure", _ACTIONS["interconnect"]),
    )
    return beside_an_interconnect(ev, story, found)


def _of_power(ev: Evidence, story: Story, claims: Claims, gpu: Gpu) -> None:
    """Claims of what a GPU drew, and of what its board may."""
    where = trained_on(ev, gpu, story)
    text = "Mean power of the GPU that drew most"
    claims.sql(text, mean_sql("power_w", where), "gpu_samples", "W", ev.rows("gpu_samples", where))
    if ev.rows("gpu_samples", limited := f"{where} AND power_limit_w IS NOT NULL", 1):
        claims.over("Its power limit", "MIN", "power_limit_w", "gpu_samples", limited, unit="W")
    else:
        claims.over("Its board", "MAX", "name", "devices", f"gpu_uuid = {literal(gpu.gpu_uuid)}")


def _of_idling(ev: Evidence, story: Story, claims: Claims, gpu: Gpu) -> None:
    """The claim of how little even the busiest GPU ran."""
    where = trained_on(ev, gpu, story)
    text = "Mean engine activity of the busiest GPU"
    claims.sql(text, mean_sql("engine_active", where), "gpu_samples", "1", ev.rows("gpu_samples", where))


def _by_clocks(ev: Evidence, story: Story, storm: tuple[int, int] | None) -> Finding | None:
    """Saves that took most of the time, as the job's own clocks tell; None where they do not."""
    saved = None if storm is None else _saving(ev, story)
    if storm is None or saved is None or saved.share < ev.threshold("d2.timed_share"):
        return None
    return _timed_saves(ev, saved, f"{saved_times(story, storm[0])} in {storm[1]} {story.counted_in}s")


def _timed_saves(ev: Evidence, saved: Saving, often: str) -> Finding:
    """Where nobody sampled the GPUs' SMs, the job's own clocks tell what saving at nearly every step cost."""
    claims = Claims(ev, "D2")
    saved.claim(claims)
    each = "of a step" if often.startswith(AT_LEAST) else "each"
    text = (
        f"A checkpoint was saved {often}, {saved.seconds:.3g} s {each}, and took"
        f" {saved.share:.0%} of the time of the steps"
    )
    return RuledIn(
        because=f"{text}.",
        would_change_if="saves that run beside the steps, or steps that take as long without them",
        headline=f"Training spent its time in saving: {text[0].lower()}{text[1:]}.",
        claims=claims.all,
        support=(Support(saved.store, text, decisive=True),),
        attribution="job",
        scope="allocation",
        severity="low",
        sub_mode="save_storm",
        next=Next("job", _ACTIONS["save_storm"]),
    )


def _by_tables(ev: Evidence, story: Story) -> Finding | None:
    """Saves that took most of the time by the tables that the program prints of where it went, or by its last word."""
    spent = mostly_spent(ev, story, ev.threshold("d2.timed_share"))
    summed = in_all(ev, story, 1 - ev.threshold("d1.engine_stalled"))
    if spent is not None and spent.column == SAVE:
        tables = "a profile" if spent.tables == 1 else f"{spent.tables} tables"
        share, row, by = spent.share, spent.row, f"{tables} that the program printed of it"
    elif summed is not None and summed.column == SAVE:
        share, row, by = summed.share, summed.row, f"what the program says of it at its end, {summed.seconds:.0f} s"
    else:
        return None
    claims = Claims(ev, "D2")
    claims.row("What is told of saving", "log_lines", row, "text")
    text = f"Saving took {share:.0%} of the time, by {by}"
    return RuledIn(
        because=f"{text}.",
        would_change_if="saves that run beside the steps, or steps that take as long without them",
        headline=f"Training spent its time in saving: {text[0].lower()}{text[1:]}.",
        claims=claims.all,
        support=(Support("logs", text, decisive=True),),
        attribution="job",
        scope="allocation",
        severity="low",
        sub_mode="save_storm",
        next=Next("job", _ACTIONS["save_storm"]),
    )


def _beside_samples(ev: Evidence, story: Story, gpus: tuple[Gpu, ...]) -> RuledIn | None:
    """What reports tell, where samples of the GPUs do not tell otherwise: who saves idles, who exchanges draws little.

    Timers of a loop that launches its kernels and goes on count in an exchange what computing is still to be done.
    """
    claims = Claims(ev, "D2")
    if told_part(ev, story, SAVE) is not None:
        idle = _idle_share(gpus)
        if idle is None or idle < 1 - ev.threshold("d2.engine_saving"):
            return None
        _of_idling(ev, story, claims, max(gpus, key=lambda gpu: (gpu.engine_mean or 0.0, gpu.gpu_uuid)))
        support = Support("metrics", f"even the busiest GPU ran nothing {idle:.0%} of the time")
        return _by_reports(ev, story, claims, (support,))
    if (drawn := most_drawn(ev, story, gpus)) is None:
        return _by_reports(ev, story)
    share, gpu = drawn
    if share > ev.threshold("d2.polling_power"):
        return None
    _of_power(ev, story, claims, gpu)
    return _by_reports(ev, story, claims, (Support("metrics", f"no GPU drew more than {share:.0%} of what it may"),))


def _by_reports(
    ev: Evidence, story: Story, claims: Claims | None = None, beside: tuple[Support, ...] = ()
) -> RuledIn | None:
    """Saves, or the exchange with other ranks, that took most of the time by what reports tell of its parts.

    Args:
        ev: What was captured.
        story: The run as it was told.
        claims: What was claimed of samples of the GPUs.
        beside: What these tell beside the reports.
    """
    for part, (mode, what) in _PARTS.items():
        if (told := told_part(ev, story, part)) is None or (part == COMM and alone(ev, story)):
            continue
        long = told.waited_s >= ev.threshold("d1.least_wait") and told.share >= 1 - ev.threshold("d1.engine_stalled")
        if steps_done(story) < ev.threshold("d.least_steps") and not long:
            continue
        claims = claims or Claims(ev, "D2")
        claims.row("What a report tells of it", "log_lines", told.row, "text")
        text = f"By {told.times} of its own reports {told.share:.0%} of its time was {what}"
        owner: Owner = "infrastructure" if mode == "interconnect" else "job"
        return RuledIn(
            because=f"{text}.",
            would_change_if="parts of a step that are told to run beside each other",
            headline=f"Training was held up in every step: {text[0].lower()}{text[1:]}.",
            claims=claims.all,
            support=(Support("logs", text), *beside),
            attribution=owner,
            scope="allocation",
            severity="low",
            sub_mode=mode,
            cannot_decide=(Missing("What the GPUs did meanwhile", "SM activity of every GPU (NVML GPM or DCGM)"),),
            next=Next(owner, _ACTIONS[mode]),
        )
    return None


_PARTS: Final = {SAVE: ("save_storm", "saving"), COMM: ("interconnect", "exchange with other ranks")}


def _evaluating(ev: Evidence, story: Story) -> RuledIn | None:
    """A job that by its own word did little else than evaluate, time and again, between a few steps of training."""
    own, said = own_evaluations(ev, story), told_part(ev, story, EVALUATION)
    share, row = (own.share, own.of) if own is not None else (said.share, said.row) if said is not None else (0.0, None)
    if share < _LITTLE_ELSE or row is None:
        return None
    claims = Claims(ev, "D2")
    claims.row("What it says of an evaluation", "log_lines", row, "text")
    text = f"By its own word {share:.0%} of its time was evaluating"
    return RuledIn(
        because=f"{text}.",
        would_change_if="evaluations that are meant to take so long, or run beside the steps",
        headline=f"Training spent its time in evaluations: {text[0].lower()}{text[1:]}.",
        claims=claims.all,
        support=(Support("logs", text),),
        attribution="job",
        scope="allocation",
        severity="low",
        sub_mode="evaluations",
        next=Next("job", "Evaluate less often, on less data, or beside the steps."),
    )


_LITTLE_ELSE: Final = 0.85


def _saving(ev: Evidence, story: Story) -> Saving | None:
    """What saving cost by the loop's clocks, else by what reports say saves took, or what passed by them."""
    told = saving(story)
    if told is not None:
        return told
    said = [(row, took) for row in story.of(Kind.CHECKPOINT_SAVED) if (took := _took(row)) is not None]
    said = [each for each in said or _between_stamps(story) if _among_steps(story, each[0])]
    if not said and (own := own_saves(ev, story)) is not None:
        return own
    seconds = paces(story)["seconds"]
    if said and not len(seconds) and said[0][0]["pattern"] == BY_ITS_FILE:
        return own_saves(ev, story) or around_saves(ev, story)
    whole = seconds.median() if len(seconds) else story.steps[STEP].median()
    step_s = story.steps[COMPUTE].median() if whole is None else whole
    if step_s is None and len(said) >= REPORTS:
        step_s = _unnamed_step_s(ev, story)
    if (
        len(said) < REPORTS
        or not isinstance(step_s, float)
        or step_s <= 0
        or len({row["source"] for row, _ in said}) > 1
    ):
        return own_saves(ev, story) or around_saves(ev, story) or _at_each_step(ev, story) or by_their_lines(ev, story)
    took = statistics.median(seconds for _, seconds in said)
    saves, steps = len(said), max(1, steps_done(story))
    spent, stepped = math.fsum(seconds for _, seconds in said), steps * step_s
    # Saves that take longer than the steps they are said to be in were not timed with them.
    share = spent / (stepped if whole is not None and spent <= stepped else stepped + spent)
    return Saving(saves, steps, share, took, "", "logs", of=sorted(said, key=lambda each: each[1])[len(said) // 2][0])


def _unnamed_step_s(ev: Evidence, story: Story) -> float | None:
    """What a loop that reports each step puts behind it in brackets, ``(0.05s)``, where it does not grow as time does.

    The next report may be a save: the step's own time is meant, not what passed since the report before.
    """
    told = story.steps.filter(pl.col("line_seq").is_not_null() & pl.col("step").is_not_null()).sort("line_seq")
    if len(told) < REPORTS or told["step"].diff().median() != 1:
        return None
    mine = told.filter(same_stream(told.row(-1, named=True)))["line_seq"].unique().sort().tail(_LAST_REPORTS)
    lines = ev.scan("log_lines").filter(same_stream(told.row(-1, named=True)), pl.col("seq").is_in(mine.implode()))
    taken = pl.col("text").str.extract(_IN_BRACKETS, 1).cast(pl.Float64, strict=False)
    seconds = lines.sort("seq").select(seconds=taken).collect()["seconds"].drop_nulls()
    half = len(seconds) // 2
    if 2 * len(seconds) < len(mine) or half < REPORTS:
        return None
    early, late = float(seconds[:half].median()), float(seconds[half:].median())  # type: ignore[arg-type]
    return late if late <= _AS_BEFORE * early else None


def _at_each_step(ev: Evidence, story: Story) -> Saving | None:
    """What passes from one save to the next, beside what a step takes by its own clock, where each step is saved.

    Trainers that run hooks after a step do not count them among its time.
    """
    step_s = story.steps[STEP].median()
    kinds = (Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN)
    for kind in kinds:
        saves = [(int(found[1]), row) for row in story.of(kind) if (found := _OF_STEP.search(_file(row))) is not None]
        gaps = [
            apart_s
            for (low, sooner), (high, later) in itertools.pairwise(saves)
            if high - low == 1 and (apart_s := _apart_s(sooner, later)) is not None
        ]
        if len(gaps) < REPORTS or len(gaps) < _EACH * (len(saves) - 1) or not isinstance(step_s, float) or step_s <= 0:
            continue
        # What a file's name counts may be epochs.
        if len(saves) < ev.threshold("d2.saves_per_step") * steps_done(story):
            continue
        gap = statistics.median(gaps)
        if gap < step_s + ev.threshold("d1.least_wait"):
            continue
        spent = gap - step_s
        return Saving(len(saves), max(1, steps_done(story)), spent / gap, spent, "", "logs", of=saves[-1][1])
    return None


def _apart_s(sooner: Row, later: Row) -> float | None:
    """Seconds between two rows; by the times of day in their lines where they tell no year."""
    if sooner["ts_ns"] is not None and later["ts_ns"] is not None:
        return float(later["ts_ns"] - sooner["ts_ns"]) / 1e9
    first, second = (time_of_day_s(str(row["text"])) for row in (sooner, later))
    return None if first is None or second is None else float((second - first) % DAY_S)


def _file(row: Row) -> str:
    return str(row["subject"] or row["text"] or "").rstrip(" '\".,)")


_OF_STEP: Final = re.compile(r"(?<!\d)0{0,12}(\d{1,12})(?:\.\w{1,12})?$")
_EACH: Final = 0.9
_IN_BRACKETS: Final = r"[(\[](\d{1,5}\.\d{1,6}) ?s(?:ec)?[)\]]\s*$"
_LAST_REPORTS: Final = 400
_AS_BEFORE: Final = 1.5


def _among_steps(story: Story, save: Row) -> bool:
    """Whether a save came before the last report of training, as far as that is known: others cost no step its time."""
    first, last = story.steps["ts_ns"].min(), story.steps["ts_ns"].max()
    known = isinstance(first, int) and isinstance(last, int) and save["ts_ns"] is not None
    return not known or first <= save["ts_ns"] <= last


def _between_stamps(story: Story) -> list[tuple[Row, float]]:
    """Saves of which a line tells that they begin and the next that they are done, and the seconds between."""
    told = story.of(Kind.CHECKPOINT_SAVE_BEGIN, Kind.CHECKPOINT_SAVED)
    told = sorted((row for row in told if row["ts_ns"] is not None), key=_at)
    return [
        (done, (done["ts_ns"] - begun["ts_ns"]) / 1e9)
        for begun, done in itertools.pairwise(told)
        if begun["kind"] == Kind.CHECKPOINT_SAVE_BEGIN
        and done["kind"] == Kind.CHECKPOINT_SAVED
        and _at(begun)[:3] == _at(done)[:3]
        and begun["num"] == done["num"]
    ]


def _at(row: Row) -> tuple[str, str, int, int]:
    return row["node"], row["source"] or "", -1 if row["rank"] is None else row["rank"], row["line_seq"] or 0


def _took(row: Row) -> float | None:
    """Seconds that a report says its save took."""
    if row["num_unit"] == "s" and row["num"] is not None:
        return float(row["num"])
    if row["pattern"] == BY_ITS_FILE:
        return took_s(_COMMA.sub(r"\1.\2", str(row["text"])))
    told = _SECONDS.search(str(row["text"]))
    return None if told is None else float(told[1]) / (1000 if told[2].lower() == "ms" else 1)


_COMMA: Final = re.compile(r"(\d),(\d)")
_SECONDS: Final = re.compile(r"(?i)(?:\bin|\btook|\bafter|\() ?(\d{1,6}(?:\.\d{1,6})?) ?(ms|s|sec|secs|seconds)\b")


def _talks(ev: Evidence, story: Story) -> tuple[Clocks, str, bool] | None:
    """Ranks that all spend most of a step in collectives, by their own clocks; None where they do not, or not all.

    The clocks of one of them, what they say, and whether more than one rank told its own.
    """
    told = clocks(story)
    least = ev.threshold("d2.timed_share")
    wall = wall_step_s(story) or 0.0  # a step that is the sum of the parts told leaves out what is not told
    shares = [each.comm_time_s / max(each.step_time_s, wall) for each in told if each.comm_time_s and each.step_time_s]
    if not told or len(shares) < len(told) or min(shares) < least or apart(story, *straggling(ev)) is not None:
        return None
    if steps_done(story) < ev.threshold("d.least_steps"):
        return None
    world = max(ev.world_size() or 0, 1 + max(each.rank or 0 for each in told))
    who_tells = "The rank that reports" if len(told) == 1 else "Every rank"
    who_tells += " that reports" if 1 < len(told) < world else ""
    return told[0], f"{who_tells} spent {min(shares):.0%} of a step in collectives", len(told) > 1


def _talking(ev: Evidence, story: Story) -> Finding | None:
    """The same, where nobody sampled the GPUs."""
    if (talks := _talks(ev, story)) is None:
        return None
    told, text, all_told = talks
    claims = Claims(ev, "D2")
    told.claim(claims, COMM, STEP)
    return RuledIn(
        because=f"{text}, by {'their' if all_told else 'its'} own clocks.",
        would_change_if="a rank that waits far less than the others: it would be the slow one",
        headline=f"Training waited for its network: {text[0].lower()}{text[1:]}.",
        claims=claims.all,
        support=(Support(told.store, text, decisive=all_told),),
        attribution="infrastructure",
        scope="allocation",
        severity="low",
        sub_mode="interconnect",
        cannot_decide=() if all_told else (Missing("Whether all wait for one slow rank", "the clocks of every rank"),),
        next=Next("infrastructure", _ACTIONS["interconnect"]),
    )


def _idle_share(gpus: tuple[Gpu, ...]) -> float | None:
    """Share of the time in which not even the busiest GPU ran a kernel; None where that was not sampled."""
    told = [gpu.engine_mean for gpu in gpus if gpu.engine_mean is not None]
    return 1 - max(told) if told else None


def _pipes_idle(ev: Evidence, gpus: tuple[Gpu, ...]) -> bool:
    """Whether neither pipes nor memory did noticeable work on any GPU: what keeps SMs resident then only waits."""
    told = [gpu.work for gpu in gpus if gpu.work is not None]
    return bool(told) and max(told) <= ev.threshold("d2.work_collapsed")


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
    """Saves and steps, when a save follows nearly every step of a run of some length, or saves take most of it."""
    rhythm = save_rhythm(story)
    if rhythm is None or not rhythm[0]:
        timed = saving(story) or own_saves(ev, story)
        rhythm = None if timed is None else (timed.saves, timed.steps)
    if rhythm is None:
        return None
    saves, steps = rhythm
    if steps < ev.threshold("d.least_steps"):
        return rhythm if _long_saves(ev, story) else None
    if saves < steps * ev.threshold("d2.saves_per_step"):
        told = _saving(ev, story)  # less often, and each for long
        return (told.saves, steps) if told is not None and told.share >= ev.threshold("d2.timed_share") else None
    return saves, steps


def _long_saves(ev: Evidence, story: Story) -> bool:
    """Whether a few steps saved nearly each time, for seconds that are most of their time."""
    told = _saving(ev, story)
    return (
        told is not None
        and told.saves >= max(REPORTS, told.steps * ev.threshold("d2.saves_per_step"))
        and told.seconds >= ev.threshold("d1.least_wait")
        and told.share >= 1 - ev.threshold("d1.engine_stalled")
    )


FAMILY: Final = ThroughputBound()

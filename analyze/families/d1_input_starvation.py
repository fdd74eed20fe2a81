"""D1: the GPU waits for data. Mild is a warning; severe is a finding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._clocks import COUNTED, FELT_IN_ALL_S, REPORTS
from inquest.analyze.families._gpu import mean_sql, span, trained_on, while_training
from inquest.analyze.families._in_all import in_all
from inquest.analyze.families._no_gpu import had_no_gpu
from inquest.analyze.families._pace import clocked, paces, saved_times, steps_done, wall_step_s
from inquest.analyze.families._rows import failing, who
from inquest.analyze.families._stacks import of_ranks, sentence
from inquest.analyze.families._story import when
from inquest.analyze.families._telling import tell
from inquest.analyze.families._told_waits import told_part, told_waits, waits_in_turn
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.families.d2_throughput_bound import save_storm
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Missing, Next
from inquest.analyze.sql import literal
from inquest.bundle.timers import DATA, SAVE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._gpu import Gpu
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName


@dataclass(frozen=True, slots=True)
class InputStarvation:
    """See the module."""

    id: str = "D1"
    name: str = "input starvation"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("gpu_samples", "logs", "steps")
    helps: tuple[str, ...] = ("gpu_samples", "cuda_calls", "disk_samples", "steps")

    def judge(self, ev: Evidence) -> Finding:
        """A data loader that timed out; else a GPU near idle while training went on."""
        story = tell(ev)
        if (timed_out := _timed_out(ev, story)) is not None:
            return timed_out
        clock = _loop_clock(ev, story)
        if not ev.has("gpu_samples"):
            return _unsampled(ev, story, clock)
        few = steps_done(story) < ev.threshold("d.least_steps")
        if not story.progressed or few:
            return CannotDecide(
                because="Too few steps were done to judge how busy the GPUs usually were.",
                missing=("a longer run",),
            )
        gpus = [gpu for gpu in while_training(ev, story) if gpu.engine is not None]
        if not gpus and clock is not None:
            return _by_clock(ev, story, clock)
        if not gpus:
            return CannotDecide(because="GPU activity was not sampled.", missing=("GPU activity (NVML)",))
        activity = _activity(ev, story, gpus)
        busiest = activity.busiest
        # Readings of an instant may hit what work there is more often than not: then it is a mean that tells.
        means = [mean for mean in (busiest.engine_mean, busiest.sm_mean) if mean is not None]
        little = (busiest.engine or 0.0) <= ev.threshold("d1.engine_stalled")
        if activity.bursts:
            little = little and min(means, default=1.0) <= ev.threshold("d1.engine_stalled")
        if little and activity.stall_s is None and clock is not None and clock.severe(ev):
            # Of bursts the median reading is no measure of how much was done: the clock speaks for itself then.
            return _by_clock(ev, story, clock, None if activity.bursts else busiest)
        if activity.stall_s is None and (activity.bursts or (busiest.engine or 0.0) > ev.threshold("d1.engine_severe")):
            return _busy(ev, activity)
        return _something_else(ev, story) or _starved(ev, story, activity, clock)


def _timed_out(ev: Evidence, story: Story) -> RuledIn | None:
    """The data loader's own time-out, where nothing failed before it."""
    crash, first = next(iter(story.crashes_of(Cause.INPUT_STALL)), None), story.first
    if crash is None or (first is not None and first.crash is not crash and story.earlier(first.row, crash.root)):
        return None
    claims = Claims(ev, "D1")
    claims.row("What the data loader said", "fact_exceptions", crash.speaking, "message")
    stood = next((place for place in of_ranks(ev) if place.rank in (*crash.ranks, None)), None)
    if stood is not None:
        stood.claim(claims, who(crash.shown))
    reason = f" {sentence([stood])}" if stood is not None else ""
    return RuledIn(
        because=f"The data loader delivered no batch within its own time-out{when(story)}.{reason}",
        would_change_if="an earlier failure of a data loader worker",
        headline=f"{who(crash.shown)} waited for data until the data loader timed out{when(story)}.",
        claims=claims.all,
        support=(Support("logs", "the data loader's own time-out fired", decisive=True),),
        attribution="job",
        scope="rank",
        onset_ns=crash.root["ts_ns"],
        sub_mode="loader_timeout",
        first_failing=failing(crash.shown),
        culprit_ranks=crash.ranks,
        cannot_decide=()
        if stood is not None
        else (Missing("Why no batch came", "stacks of the data loader workers, disk samples"),),
        next=Next(
            "job",
            "Look at what the data loader workers wait for: storage, a lock, or a slow sample."
            if stood is None or stood.guilty.line is None
            else f"Look at {stood.guilty.line}: what was waited for there.",
        ),
    )


def _unsampled(ev: Evidence, story: Story, clock: _Clock | None) -> Finding:
    """Without samples of the GPUs: what the loop's own timers tell, or a profiler of the job's."""
    if clock is not None:
        return _by_clock(ev, story, clock)
    return (
        _profiled(ev)
        or _said(ev, story)
        or CannotDecide(
            because="Whether the GPUs waited for data cannot be seen without samples of their activity.",
            missing=("GPU samples (NVML)", "data-loading times of the steps"),
            warnings=tuple("The data loader's time-out fired." for _ in story.of(Kind.DATALOADER_TIMEOUT)[:1]),
        )
    )


@dataclass(frozen=True, slots=True)
class _Activity:
    """How busy the GPUs were while training went on.

    Attributes:
        busiest: The one with the highest median.
        bursts: Whether they worked hard now and then, whatever the median says.
        stall_s: For how long they stood still in each step, where that is long.
    """

    busiest: Gpu
    bursts: bool
    stall_s: float | None


def _activity(ev: Evidence, story: Story, gpus: list[Gpu]) -> _Activity:
    """How busy they were."""
    busiest = max(gpus, key=lambda gpu: (gpu.engine or 0.0, gpu.gpu_uuid))
    # Of all GPUs, not of one: who has its data first spins in a collective until the others have theirs.
    bursts = median_low(gpu.engine_high or 0.0 for gpu in gpus) > ev.threshold("d1.engine_bursts")
    idle_s = _idle_s(ev, story)
    return _Activity(busiest, bursts, idle_s if idle_s is not None and idle_s >= ev.threshold("d1.stall") else None)


def _busy(ev: Evidence, activity: _Activity) -> RuledOut | CannotDecide:
    """They had work; how little of it is worth a warning, and next to none in most readings is no work to speak of."""
    engine = activity.busiest.engine or 0.0
    mean = activity.busiest.engine_mean
    if engine <= ev.threshold("d1.engine_severe") and mean is not None and mean <= ev.threshold("d1.engine_bursts"):
        return CannotDecide(
            because=f"The GPUs worked in bursts, {mean:.0%} of the time: what they waited for meanwhile is not told.",
            missing=("data-loading times of the steps",),
        )
    mild = engine < ev.threshold("d1.engine_mild")
    return RuledOut(
        because=f"The GPUs were busy: the median engine activity reached {engine:.0%}"
        + (", and a quarter of the readings is far above that." if activity.bursts else "."),
        would_change_if="near-zero engine activity while training went on",
        stores=("metrics",),
        warnings=(f"The GPUs were busy only {engine:.0%} of the time in the median.",) if mild else (),
    )


def _something_else(ev: Evidence, story: Story) -> CannotDecide | None:
    """What may have kept the GPUs still in place of the input."""
    if (storm := save_storm(ev, story)) is not None:
        return CannotDecide(
            because=f"The GPUs stood still, but a checkpoint was saved {saved_times(story, storm[0])} in"
            f" {storm[1]} steps, and what was left for input cannot be told apart.",
            missing=("data-loading times of the steps",),
        )
    if (told := told_part(ev, story, SAVE)) is not None:
        return CannotDecide(
            because=f"The GPUs stood still, but by {told.times} of its own reports {told.share:.0%} of its time was"
            " saving.",
            missing=("data-loading times of the steps",),
        )
    if (beside := _beside_steps(story)) is not None:
        return CannotDecide(
            because=f"The GPUs stood still, but a step took {beside[0]:.3g} s by the loop's own clock, and"
            f" {beside[1]:.3g} s from one report to the next: what was done between steps is not told.",
            missing=("what the loop does between its steps (saves, evaluations)",),
        )
    return None


def _starved(ev: Evidence, story: Story, activity: _Activity, clock: _Clock | None) -> RuledIn:
    """Even the busiest GPU did next to nothing while training went on; the loop's timers may say what it waited for."""
    claims, busiest = Claims(ev, "D1"), activity.busiest
    where = trained_on(ev, busiest, story)
    if activity.stall_s is not None:
        text = "Mean engine activity of the busiest GPU"
        claims.sql(text, mean_sql("engine_active", where), "gpu_samples", "1", ev.rows("gpu_samples", where))
        text = (
            f"Training went on, but GPUs stood still for {activity.stall_s:.1f} s in every step, and even the busiest"
            f" was active only {busiest.engine_mean:.0%} of the time"
        )
    else:
        claims.over(
            "Median engine activity of the busiest GPU", "MEDIAN", "engine_active", "gpu_samples", where, unit="1"
        )
        text = f"Training went on, but even the busiest GPU was active only {busiest.engine:.0%} of the time"
    support = [Support("metrics", "engine near idle in the median"), Support("logs", "steps went on")]
    waited = clock is not None and clock.severe(ev)
    if clock is not None and waited:
        clock.claim(ev, claims)
        support[-1] = Support(clock.store, clock.words, decisive=True)
    began = story.steps["ts_ns"].min()
    return RuledIn(
        because=f"{text}.",
        would_change_if="the same activity in a run whose data lies in memory",
        headline=f"{text}: it waited for input." if waited else f"{text}: it waited, most likely for input.",
        claims=claims.all,
        support=tuple(support),
        attribution="job",
        scope="allocation",
        severity="low",
        onset_ns=began if isinstance(began, int) else None,
        cannot_decide=(_WHY,)
        if waited
        else (Missing("Cause and size of the loss", "a baseline run (--baseline) or data-loading times"),),
        next=Next("job", _FEED),
    )


_FEED: Final = "Use more data loader workers, prefetch and pin memory, or store the data closer."
_WHY: Final = Missing("Why the data came late", "stacks of the data loader workers, disk and CPU samples")


@dataclass(frozen=True, slots=True)
class _Clock:
    """What the loop's own timers say of a step.

    Attributes:
        step_s: What a step took, the median.
        waited_s: How long of it the loop waited for data, the median.
        share: The part of a step that was, the median.
        overall: The part of all steps but the first.
        where: SQL condition of the reports that tell.
        store: Who told them.
        stalls: How often it stood still for many steps, the least of these waits, and their part of all time.
        since: The step from which on all this holds, where it was quick before.
        in_all_s: How long it waited in all, by its steps or by the sum of what was told.
    """

    step_s: float
    waited_s: float
    share: float
    overall: float
    where: str
    store: StoreName
    stalls: tuple[int, float, float] | None
    since: int | None = None
    in_all_s: float = 0.0

    @property
    def words(self) -> str:
        """The same as a part of a sentence."""
        if self.stalls is not None:
            times, least, part = self.stalls
            return f"the loop stood still for its data {times} times for {least:.0f} s and more, {part:.0%} of its time"
        since = "" if self.since is None else f"from step {self.since} on "
        return f"{since}the loop waited {self.waited_s:.1f} s of the {self.step_s:.1f} s of a step for its data"

    def severe(self, ev: Evidence) -> bool:
        """Seconds in every step that leave the GPU less than a quarter of its time, or less that leave it none."""
        if self.stalls is not None:
            return True
        # What most steps wait and what all of them wait may be far apart: a cache that fills, an epoch that begins.
        return _severe(ev, self.waited_s, self.share, self.in_all_s, min(self.share, self.overall))

    def most(self, ev: Evidence) -> bool:
        """What is severe where no GPU can have had work meanwhile: three quarters of steps that wait noticeably."""
        long = self.waited_s >= ev.threshold("d1.least_wait")
        return long and min(self.share, self.overall) >= 1 - ev.threshold("d1.engine_stalled")

    def claim(self, ev: Evidence, claims: Claims) -> None:
        """Claim both medians, or the stalls and the time of all steps."""
        if self.stalls is not None:
            long = f"{self.where} AND data_time_s >= {self.stalls[1]!r}"
            claims.over("Steps before which the loop stood still for its data", "COUNT", "*", "fact_steps", long)
            for text, column, which in (("these waits", "data_time_s", long), ("all steps", "step_time_s", self.where)):
                # Whole milliseconds: their sum is the same in every order.
                whole = f"CAST(SUM(CAST(ROUND({column} * 1000) AS BIGINT)) AS DOUBLE) / 1000"
                query = f"SELECT {whole} FROM fact_steps WHERE {which}"
                claims.sql(f"What {text} took", query, "fact_steps", "s", ev.rows("fact_steps", which))
            return
        for column, text in (("data_time_s", "the loop waited for data"), ("step_time_s", "a step took")):
            claims.over(f"Median time {text}, by its own timers", "MEDIAN", column, "fact_steps", self.where, unit="s")


def _severe(ev: Evidence, waited_s: float, share: float, in_all_s: float, least: float) -> bool:
    """Whether waits of this length and share of the time are severe, the shorter ones where they add up to much.

    Args:
        ev: What was captured.
        waited_s: How long one of them was.
        share: What part of the time they were.
        in_all_s: How long they were in all.
        least: The least that their share may be by any measure.
    """
    if waited_s >= ev.threshold("d1.stall") and share >= 1 - ev.threshold("d1.engine_stalled"):
        return True
    if waited_s >= ev.threshold("d1.least_wait") and share >= ev.threshold("d1.waited"):
        return True
    often = waited_s >= ev.threshold("d1.least_often")
    if often and in_all_s >= FELT_IN_ALL_S and least >= ev.threshold("d1.waited_often"):
        return True
    # A short run that did next to nothing but wait starved as a long one does.
    return often and in_all_s >= FELT_IN_ALL_S / 2 and least >= ev.threshold("d1.waited")


def _loop_clock(ev: Evidence, story: Story) -> _Clock | None:
    """The loop's own timers, where it has them and did more than a few steps."""
    timed = story.steps.filter(pl.col("data_time_s").is_not_null() & (pl.col("step_time_s") > 0))
    told, kinds = timed.filter(pl.col("kind").is_in(_OF_STEPS)), f"kind IN ({', '.join(map(literal, _OF_STEPS))})"
    if told.is_empty():
        # Of whole epochs, what a step waits is not told: of a share of minutes it is enough.
        told, kinds = timed.filter(pl.col("kind") == str(Kind.EPOCH)), f"kind = {literal(str(Kind.EPOCH))}"
        least = told["data_time_s"].min()
        if not isinstance(least, float) or least < ev.threshold("d1.stall") * _STEPS_OF_AN_EPOCH:
            return None
    if told.height < REPORTS or (steps_done(story) < ev.threshold("d.least_steps") and not _each_severe(ev, told)):
        return None
    # Not a mean: the first batch of an epoch waits for the workers to start.
    medians = told.select(
        pl.col("step_time_s", "data_time_s").median(), share=(pl.col("data_time_s") / pl.col("step_time_s")).median()
    )
    step_s, waited_s, share = medians.row(0)
    since = None
    if share < 1 - ev.threshold("d1.engine_mild") and (later := _since(ev, told)) is not None:
        since, step_s, waited_s, share = later
    if since is None and (wall := wall_step_s(story)) is not None and waited_s > _BEYOND * wall:
        return None  # of many steps, or of several workers
    first = told["attempt"].min()
    where = f"{kinds} AND data_time_s IS NOT NULL AND step_time_s > 0"
    where = where if first is None else f"{where} AND attempt >= {int(str(first))}"
    where = where if since is None else f"{where} AND step >= {since}"
    store: StoreName = "metrics" if told["line_seq"].is_null().all() else "logs"
    overall = told.slice(1).select(pl.col("data_time_s").sum() / pl.col("step_time_s").sum()).item()
    stalls = _stalls(ev, told, step_s)
    of_one = told.slice(1).group_by("node", "source", "rank").agg(pl.col("data_time_s").sum())["data_time_s"].max()
    in_all_s = max(waited_s * steps_done(story), of_one if isinstance(of_one, float) else 0.0)
    return _Clock(step_s, waited_s, share, overall or 0.0, where, store, stalls, since, in_all_s)


_OF_STEPS: Final = (*COUNTED, str(Kind.BAR))
"""Reports of single steps; a bar tells of its last one."""


def _since(ev: Evidence, told: pl.DataFrame) -> tuple[int, float, float, float] | None:
    """From which step on a loop that had been quick waited for seconds, to the end and for half of all the time.

    The step, and the medians of a step, of the wait and of its share from there on.
    """
    long = pl.col("data_time_s") >= ev.threshold("d1.stall")
    first = told.filter(long)["step"].min()
    later = told.filter(pl.col("step") >= first) if isinstance(first, int) else told.clear()
    if later.height < REPORTS or later.height == told.height:
        return None
    if later.filter(long).height < _NEARLY_ALL * later.height:
        return None
    if float(later["step_time_s"].sum()) < float(told["step_time_s"].sum()) / 2:
        return None
    share = (pl.col("data_time_s") / pl.col("step_time_s")).median()
    row = later.select(pl.col("step_time_s", "data_time_s").median(), share=share).row(0)
    return int(str(first)), *row


_NEARLY_ALL: Final = 0.9


def _stalls(ev: Evidence, told: pl.DataFrame, step_s: float) -> tuple[int, float, float] | None:
    """Waits of many steps' length that come again and again and take half of the time; None where they do not.

    No work that was handed to the GPU lasts for so long. Each step has to be told: of every hundredth, they may be
    those that wait.
    """
    stride = told["step"].diff().median()
    long = told.with_row_index("at").filter(
        (pl.col("data_time_s") >= max(ev.threshold("d1.stall"), _MANY_STEPS * step_s)) & (pl.col("at") > 0)
    )
    if long.height < REPORTS or not isinstance(stride, float) or stride > 1:
        return None
    first, last, least = long["at"][0], long["at"][-1], long["data_time_s"].min()
    part = float(long["data_time_s"].sum()) / float(told["step_time_s"].sum())
    apart = last - first >= told.height // 2
    return (long.height, float(least), part) if apart and part >= _HALF and isinstance(least, float) else None


_MANY_STEPS: Final = 10
_HALF: Final = 0.5


_AS_GOOD_AS_ALL: Final = 0.8
_STEPS_OF_AN_EPOCH: Final = 10
"""Fewer steps than that has no epoch whose waits are told of."""
_BEYOND: Final = 1.5
"""How many times what lies between two reports a wait may read that is one of a step: reports come late."""


def _each_severe(ev: Evidence, told: pl.DataFrame) -> bool:
    """Whether as good as each step but the first waited for seconds, and most of it, or for less, and nearly all of it.

    Few tell that as well as many.
    """
    waited, share = pl.col("data_time_s"), pl.col("data_time_s") / pl.col("step_time_s")
    severe = (waited >= ev.threshold("d1.stall")) & (share >= 1 - ev.threshold("d1.engine_stalled"))
    severe |= (waited >= ev.threshold("d1.least_wait")) & (share >= ev.threshold("d1.waited"))
    return float(told.slice(1).select(severe.mean()).item()) >= _AS_GOOD_AS_ALL


def _by_clock(ev: Evidence, story: Story, clock: _Clock, idle: Gpu | None = None) -> Finding:
    """What the loop's timers tell of whether it waited, and for how long; with the busiest GPU, where it did little."""
    claims = Claims(ev, "D1")
    clock.claim(ev, claims)
    support = [Support(clock.store, clock.words, decisive=True)]
    if idle is not None:
        where = trained_on(ev, idle, story)
        claims.over(
            "Median engine activity of the busiest GPU", "MEDIAN", "engine_active", "gpu_samples", where, unit="1"
        )
        support.append(Support("metrics", f"the engine was active {idle.engine:.0%} in the median of the busiest GPU"))
    told = f"By its own timers {clock.words}"
    least = 1 - ev.threshold("d1.engine_mild")
    if clock.stalls is None and clock.share < least <= clock.overall:
        return CannotDecide(
            because=f"{told} in the median, and {clock.overall:.0%} of the time of all steps that it tells of.",
            missing=("GPU samples (NVML)",),
            claims=claims.all,
        )
    if clock.stalls is None and clock.share < least:
        return RuledOut(
            because=f"{told}.",
            would_change_if="seconds of each step spent waiting for data",
            claims=claims.all,
            stores=(clock.store,),
        )
    alone = clock.most(ev) and had_no_gpu(ev)
    if not (clock.severe(ev) or alone) or save_storm(ev, story) is not None:
        return CannotDecide(
            because=f"{told}: whether its GPUs had work meanwhile was not sampled.",
            missing=("GPU samples (NVML)",),
            claims=claims.all,
            warnings=(f"{told}.",),
        )
    without = ", and the job had no GPU that could have worked meanwhile" if alone else ""
    return RuledIn(
        because=f"{told}{without}." if clock.stalls is not None else f"{told}, {clock.share:.0%} of it{without}.",
        would_change_if="the same pace with its data in memory" if alone else "GPUs that were busy in that time",
        headline=f"Training starved for input: {clock.words}.",
        claims=claims.all,
        support=tuple(support),
        attribution="job",
        scope="allocation",
        severity="low",
        cannot_decide=(_WHY,),
        next=Next("job", _FEED),
    )


_PROFILERS: Final = (
    r"train_dataloader_next +\| +(?P<waited>[\d.]+)[ \t]+\| +(?P<calls>\d+)[ \t]+\| +[\d.]+[ \t]+"
    r"\| +(?P<percent>[\d.]+)",
    r"average step time (?P<step_ms>[\d.]+) ms \(input (?P<waited_ms>[\d.]+) ms",
)
"""What Lightning's SimpleProfiler and TensorFlow's profiler say of the input."""


def _profiled(ev: Evidence) -> Finding | None:
    """What the job's own profiler says it waited for data; None where none does, or it is less than severe."""
    if not ev.has("log_lines"):
        return None
    text = pl.col("text")
    said = ev.scan("log_lines").filter(text.str.contains("|".join(pattern.split("(?P")[0] for pattern in _PROFILERS)))
    for row in said.sort("node", "seq").collect().iter_rows(named=True):
        told = next((found for pattern in _PROFILERS if (found := re.search(pattern, row["text"]))), None)
        if told is None:
            continue
        read = {name: float(value) for name, value in told.groupdict().items()}
        waited = read.get("waited", read.get("waited_ms", 0.0) / 1000)
        share = read["percent"] / 100 if "percent" in read else read["waited_ms"] / max(read["step_ms"], 1e-9)
        if not _severe(ev, waited, share, waited * read.get("calls", 0.0), share):
            continue
        claims = Claims(ev, "D1")
        claims.row("What the job's profiler says of its input", "log_lines", row, "text")
        words = f"the job's own profiler says that it waited {waited:.3g} s for each batch, {share:.0%} of the time"
        return _by_its_word(claims, words)
    return None


def _said(ev: Evidence, story: Story) -> RuledIn | None:
    """What lines of the job's own say of how long it waited, time and again, where that is most of its time."""
    if story.steps["data_time_s"].is_not_null().any() and steps_done(story) < ev.threshold("d.least_steps"):
        return None  # its clocks were asked, and a few steps prove nothing
    told = told_waits(ev, story)
    turns = told is None or told.share < ev.threshold("d1.waited")
    if turns and (in_turn := waits_in_turn(ev, story)) is not None:
        told = in_turn
    if told is None:
        return _summed_up(ev, story)
    if not _severe(ev, told.waited_s, told.share, told.waited_s * told.times, told.share):
        return None
    if save_storm(ev, story) is not None:
        return None
    claims = Claims(ev, "D1")
    claims.row("What the job says of its waits, in the median", "log_lines", told.row, "text")
    words = f"by its own word it waited for data {told.share:.0%} of the time, the median of {told.times} such lines"
    return _by_its_word(claims, words)


def _by_its_word(claims: Claims, words: str) -> RuledIn:
    """The finding of a job that says itself that it waited, in ``words``, where nobody sampled what its GPUs did."""
    return RuledIn(
        because=f"{words[0].upper()}{words[1:]}.",
        would_change_if="GPUs that were busy in that time",
        headline=f"Training starved for input: {words}.",
        claims=claims.all,
        support=(Support("logs", words, decisive=True),),
        attribution="job",
        scope="allocation",
        severity="low",
        cannot_decide=(_WHY,),
        next=Next("job", _FEED),
    )


def _summed_up(ev: Evidence, story: Story) -> RuledIn | None:
    """What the job says at its end of how long it waited in all, where that is most of its time."""
    told = in_all(ev, story, 1 - ev.threshold("d1.engine_stalled"))
    if told is None or told.column != DATA or save_storm(ev, story) is not None:
        return None
    claims = Claims(ev, "D1")
    claims.row("What the job says of its waits in all", "log_lines", told.row, "text")
    words = f"by its own word it waited for data {told.share:.0%} of its time, {told.seconds:.0f} s in all"
    return _by_its_word(claims, words)


def _beside_steps(story: Story) -> tuple[float, float] | None:
    """Seconds of a step by its own clock, and from report to report, where most of the time lies beside the steps."""
    told = clocked(story).drop_nulls("step").unique("step", keep="first", maintain_order=True).sort("ts_ns")
    own = told["step_time_s"].median()
    spans = told.select(
        (pl.col("ts_ns").diff() / 1e9 / pl.col("step").diff()).filter(pl.col("step").diff() > 0).median()
    ).item()
    if not isinstance(own, float) or not isinstance(spans, float) or told["step_time_s"].null_count():
        return None
    # The whole over all steps, too: what comes after some of them only no median shows.
    reach = pl.col("ts_ns", "step").max() - pl.col("ts_ns", "step").min()
    stamped, steps = told.select(reach.cast(pl.Float64)).row(0)
    longest = max(spans, stamped / 1e9 / steps if steps else 0.0)
    return (own, longest) if own <= (1 - _MOST) * longest else None


def _idle_s(ev: Evidence, story: Story) -> float | None:
    """Seconds in each step in which no kernel ran, where GPUs did little in the mean.

    None where they did more, or where pauses between the steps may be why they did not.
    """
    active = max((gpu.engine_mean or 0.0 for gpu in while_training(ev, story)), default=1.0)
    seconds = paces(story)["seconds"]
    step_s = seconds.median() if len(seconds) else story.steps["step_time_s"].median()
    first, last = span(ev, story)
    if active > ev.threshold("d1.engine_stalled") or not isinstance(step_s, float) or first is None or last is None:
        return None
    stepped = step_s * ((story.last_step or 0) - (story.first_step or 0))
    return step_s * (1 - active) if stepped >= _MOST * (last - first) / 1e9 else None


_MOST: Final = 0.7
"""Share of the time that the steps themselves must fill for its idleness to be theirs."""


FAMILY: Final = InputStarvation()

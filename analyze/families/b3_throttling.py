"""B3: a GPU slowed down by heat or power: a severe reason set, clocks down, and steps slower."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.each_gpu import Question, ask, together
from inquest.analyze.families._case import Claims
from inquest.analyze.families._gpu import in_run, medians
from inquest.analyze.families._noted_clocks import SEVERE_MASK, noted
from inquest.analyze.families._pace import paces, slowdown
from inquest.analyze.families._rows import at_node, failing, gpu_called, its_node
from inquest.analyze.families._telling import tell
from inquest.analyze.families._window import run_span
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.model import Failing, Next
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

SEVERE_REASONS: Final[dict[int, str]] = {
    0x08: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}
"""Bits of the clock event reasons that mean trouble; idle (0x1) and the software power cap (0x4) are normal.
Source: nvml.h, nvmlClocksEventReasons."""

_COUNTERS: Final = ("held_thermal_ns", "held_hw_thermal_ns", "held_brake_ns")
"""Counters that run while heat or the power brake holds the clocks back; the one of power runs for the normal cap too.
Source: nvml.h, nvmlPerfPolicyType_t; DCGM's THERMAL_VIOLATION is the first of them."""
_TELLING: Final = ("throttle_reasons", "sm_clock_mhz", "power_w", *_COUNTERS)
"""Readings of which it matters whether there are any."""


@dataclass(frozen=True, slots=True)
class Throttling:
    """See the module."""

    id: str = "B3"
    name: str = "throttling"
    needs: tuple[str, ...] = ("clocks",)
    any_of: tuple[str, ...] = ()
    helps: tuple[str, ...] = ("gpu_samples", "steps")

    def judge(self, ev: Evidence) -> Finding:
        """The GPUs that were held back for long, their clocks then, and step times inside and outside."""
        if not ev.has("gpu_samples"):
            return self._by_its_own_word(ev)
        held = _held(ev)
        if held is None:
            return CannotDecide(
                because="The reasons for clock changes were not sampled.", missing=("throttle reasons (NVML)",)
            )
        long = [gpu for gpu in held.gpus if gpu["hot"] >= ev.threshold("b3.throttled_share") * gpu["n"]]
        if not long:
            if not held.told:
                return CannotDecide(
                    because="No clock fell far under load, but the reasons for clock changes were not sampled.",
                    missing=("throttle reasons (NVML)",),
                )
            return RuledOut(
                because="No GPU ran with a severe throttle reason for a noticeable part of the run.",
                would_change_if="thermal slowdown, hardware slowdown or power brake would have had to be set for long",
                stores=("metrics",),
            )
        slowed = [gpu for gpu in long if _drop(gpu) >= ev.threshold("b3.clock_drop")]
        if not slowed:
            return RuledOut(
                because="A throttle reason was set, but the clocks did not fall.",
                would_change_if="SM clocks would have had to fall while the reason was set",
                stores=("metrics",),
            )
        return self._judged(ev, held, slowed)

    def _by_its_own_word(self, ev: Evidence) -> Finding:
        """Where nothing sampled GPUs: what the loop noted of its own beside its losses."""
        told = noted(ev, tell(ev))
        enough = told is not None and told.share >= ev.threshold("b3.throttled_share")
        if told is None or not enough or told.drop < ev.threshold("b3.clock_drop") or told.slower is None:
            return CannotDecide(
                because="lacks GPU samples (NVML or DCGM), which was not captured.",
                missing=("GPU samples (NVML or DCGM)",),
            )
        claims = Claims(ev, self.id)
        claims.over("Reports with a reason for lower clocks", "COUNT", "*", "metrics", told.reasons, unit="reports")
        claims.over("Median clock from the first to the last of them", "MEDIAN", "value", "metrics", told.clocks)
        if told.slower < ev.threshold("b3.step_ratio"):
            return RuledOut(
                because="Clocks fell, but the steps did not become slower.",
                would_change_if="steps would have had to take longer while the GPU was throttled",
                claims=claims.all,
                stores=("metrics",),
            )
        cost = f"steps {told.slower:.1f} times as long"
        text = (
            f"By the loop's own table its GPU was throttled in {told.share:.0%} of the reports: clock down by"
            f" {told.drop:.0%}, {cost}"
        )
        return RuledIn(
            because=f"{text}.",
            would_change_if="the same step times without a throttle reason",
            headline=f"{text}.",
            claims=claims.all,
            support=(Support("metrics", "severe throttle reason with clocks down", decisive=True),),
            attribution="infrastructure",
            scope="gpu",
            severity="low",
            onset_ns=told.first["ts_ns"],
            first_failing=failing(told.first),
            next=Next("infrastructure", "Check cooling, power supply and power limit of the node it ran on."),
        )

    def _judged(self, ev: Evidence, held: _Held, slowed: list[_Gpu]) -> Finding:
        worst = slowed[0]
        gpu = gpu_called(worst["gpu_uuid"])
        share, drop = worst["hot"] / worst["n"], _drop(worst)
        slower = _step_ratio(ev, worst["first"], worst["last"])
        waited = _waiting(ev, slowed) if slower is None else None
        claims = Claims(ev, self.id)
        where = f"node = {literal(worst['node'])} AND gpu_uuid = {literal(worst['gpu_uuid'])} AND {held.where}"
        if held.counter is None:
            claims.over(held.text, "COUNT", "*", "gpu_samples", where, unit="samples")
        else:
            claims.rise(held.text, held.counter, "gpu_samples", ("node", "gpu_uuid"), where, unit="ns")
            where += f" AND ts_ns BETWEEN {worst['first']} AND {worst['last']}"
        claims.over("Median SM clock in them", "MEDIAN", "sm_clock_mhz", "gpu_samples", where, unit="MHz")
        if slower is None and waited is None and (work := _less_done(ev, worst)) is not None:
            waited = f"and it did less, as busy as before ({work.words} {work.less:.2f} in place of {work.usual:.2f})"
            work.claim(ev, claims, worst)
        if slower is None and waited is None:
            return CannotDecide(
                because=f"{gpu} was throttled in {share:.0%} of its samples, lost {drop:.0%} of its"
                " clock, but step times outside that time are not known.",
                missing=("step times before, in and after the throttled stretch",),
                claims=claims.all,
                warnings=(f"{worst['node']} {gpu} was throttled in {share:.0%} of its samples.",),
            )
        if slower is not None and slower < ev.threshold("b3.step_ratio"):
            return RuledOut(
                because="Clocks fell, but the steps did not become slower.",
                would_change_if="steps would have had to take longer while the GPU was throttled",
                claims=claims.all,
                stores=("metrics", "logs"),
            )
        cost = waited or f"steps {slower:.1f} times as long"
        nodes = tuple(sorted({gpu["node"] for gpu in slowed}))
        others = f" and {len(slowed) - 1} more{at_node(', '.join(nodes))}" if len(slowed) > 1 else ""
        text = (
            f"{gpu}{at_node(worst['node'])}{others} was throttled in {share:.0%} of its samples:"
            f" clock down by {drop:.0%}, {cost}"
        )
        return RuledIn(
            because=f"{text}.",
            would_change_if="the same step times without a throttle reason",
            headline=f"{text}.",
            claims=claims.all,
            support=(
                Support("metrics", held.support, decisive=held.told),
                Support("metrics" if waited else "logs", cost),
            ),
            attribution="infrastructure",
            scope="gpu" if len(slowed) == 1 else "node",
            severity="low",
            onset_ns=worst["first"],
            first_failing=Failing(node=worst["node"], gpu_uuid=worst["gpu_uuid"], ts_ns=worst["first"]),
            culprit_nodes=nodes,
            culprit_gpus=tuple(sorted(gpu["gpu_uuid"] for gpu in slowed)),
            next=Next(
                "infrastructure", f"Check cooling, power supply and power limit of {its_node(', '.join(nodes))}."
            ),
        )


_Gpu = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Held:
    """GPUs by how many of their samples were held back, most first, and what tells so.

    Attributes:
        gpus: node, gpu_uuid, n (samples), hot (held back), slow and usual (clock then and else), first, last.
        where: SQL condition of such samples.
        text: What they are, for a claim.
        support: What speaks for it.
        counter: Column of the counter that tells, where no sample by itself does.
        told: Whether the GPU itself gave heat or power brake as the reason.
    """

    gpus: tuple[_Gpu, ...]
    where: str
    text: str
    support: str
    counter: str | None = None
    told: bool = True


def _held(ev: Evidence) -> _Held | None:
    """What tells of throttling: the reasons, else the counters of time held back, else the clocks themselves."""
    reasons = _reasons(ev).filter(_NAMED)
    told = reasons.select(pl.col(f"told.{name}").sum() for name in _TELLING).row(0, named=True)
    if told["told.throttle_reasons"]:
        gpus = _most_held(reasons)
        if any(gpu["hot"] for gpu in gpus) or not any(told[f"told.{name}"] for name in _COUNTERS):
            return _Held(
                gpus,
                f"(throttle_reasons & {SEVERE_MASK}) <> 0",
                "Samples with a severe throttle reason",
                "severe throttle reason with clocks down",
            )
    for name in _COUNTERS:
        if told[f"told.{name}"]:
            risen = (pl.col(name).diff() > 0).fill_null(value=False)
            text = "Time that clocks were held back by heat or power brake"
            return _Held(
                _summed(ev, name, risen), "TRUE", text, "clocks held back by heat or power brake", counter=name
            )
    if not told["told.sm_clock_mhz"] or not told["told.power_w"]:
        return None
    return _by_clocks(ev, *reasons.select(pl.col("clock", "power").max()).row(0))


_NAMED: Final = pl.col("gpu_uuid").is_not_null()


@together
def _reasons(ev: Evidence) -> Question:
    held = (pl.col("throttle_reasons") & SEVERE_MASK) != 0
    counts = {f"told.{name}": pl.col(name).count() for name in _TELLING}
    highest = {"clock": pl.col("sm_clock_mhz").max(), "power": pl.col("power_w").max()}
    return Question({**counts, **highest, **_sums("throttle_reasons", held)}, in_run(ev))


def _by_clocks(ev: Evidence, clock: int, power: float) -> _Held:
    """Clocks far below what GPUs of this job reach, under load, and at less than the power they draw at full clock.

    A power cap takes a few steps of clock at full power; what takes a quarter and more at less power is no cap.
    """
    least, busy = 1 - ev.threshold("b3.untold_drop"), ev.threshold("d2.engine_busy")
    low = (
        (pl.col("sm_clock_mhz") < least * clock)
        & (pl.col("power_w") < ev.threshold("b3.below_cap") * power)
        & (pl.col("engine_active") >= busy)
    )
    where = f"sm_clock_mhz < {round(least * clock)} AND engine_active >= {busy}"
    gpus = _summed(ev, "sm_clock_mhz", low.fill_null(value=False))
    return _Held(gpus, where, "Samples under load at a low clock", "clocks far down under load", told=False)


def _summed(ev: Evidence, column: str, held: pl.Expr) -> tuple[_Gpu, ...]:
    """GPUs by their readings of ``column`` of which ``held`` says that the GPU was held back."""
    told, *_ = ask(ev, Question(_sums(column, held), in_run(ev) & pl.col(column).is_not_null()))
    return _most_held(told.filter(_NAMED))


_SERIES: Final = 10
"""Readings that are no looks at single moments."""


def _sums(column: str, held: pl.Expr) -> dict[str, pl.Expr]:
    clock, at, told = pl.col("sm_clock_mhz"), pl.col("ts_ns"), pl.col(column).is_not_null()
    # Where some reasons only are told one by one, "none of these" is null: the clock's readings count then.
    all_held = (held.sum() == told.sum()) & (told.sum() >= _SERIES)
    return {
        "n": pl.when(all_held).then(pl.max_horizontal(told.sum(), clock.count())).otherwise(told.sum()),
        "hot": held.sum(),
        "slow": clock.filter(held).median(),
        # Also of readings that give no reason: where only some were asked for, "none of these" is null.
        "usual": clock.filter(~held.fill_null(value=False)).max(),
        "top": pl.col("sm_clock_max_mhz").filter(told).max(),
        "first": at.filter(held).min(),
        "last": at.filter(held).max(),
    }


def _most_held(gpus: pl.DataFrame) -> tuple[_Gpu, ...]:
    frame = (
        gpus.filter(pl.col("n") > 0)
        # Who was held back all along has shown its usual clock nowhere: at most that of an idle GPU.
        .with_columns(own=pl.when((pl.col("usual") >= pl.col("slow")).fill_null(value=True)).then("usual"))
        .with_columns(usual=pl.coalesce(pl.max_horizontal("own", "top"), pl.col("usual").max()))
        .drop("own")
        .sort("hot", "node", "gpu_uuid", descending=[True, False, False])
    )
    return tuple(frame.iter_rows(named=True))


def _drop(gpu: _Gpu) -> float:
    """Share of its usual clock that a GPU lost while it was held back; 0 where clocks were not sampled."""
    return 0.0 if not gpu["usual"] or gpu["slow"] is None else 1 - float(gpu["slow"]) / float(gpu["usual"])


def _waiting(ev: Evidence, slowed: list[_Gpu]) -> str | None:
    """Words for peers that waited for the slowed GPUs all that time: they did far less work while their engines spun.

    By SM activity, else by what the tensor pipe, device memory or memory traffic tell of work.
    """
    first, last = min(gpu["first"] for gpu in slowed), max(gpu["last"] for gpu in slowed)
    slow = {(gpu["node"], gpu["gpu_uuid"]) for gpu in slowed}
    seen = [gpu for gpu in medians(ev, first, last) if not gpu.unused]
    held = [gpu for gpu in seen if (gpu.node, gpu.gpu_uuid) in slow]
    peers = [gpu for gpu in seen if (gpu.node, gpu.gpu_uuid) not in slow]
    if not peers or not held or statistics.median(gpu.engine or 0.0 for gpu in peers) < ev.threshold("d2.engine_busy"):
        return None
    for name, words in _WORK.items():
        ours, theirs = ([value for gpu in some if (value := getattr(gpu, name)) is not None] for some in (held, peers))
        if ours and theirs:
            mine, other = statistics.median(ours), statistics.median(theirs)
            apart = name == "sm" and mine - other >= ev.threshold("d3.sm_apart")
            waited = apart or (mine >= _SEEN and mine >= ev.threshold("d3.work_ratio") * other)
            if waited:
                return f"and its peers waited ({words} {other:.2f} against {mine:.2f})"
            if name != _COARSE:
                return None
    return _less_power(ev, {(gpu.node, gpu.gpu_uuid) for gpu in peers}, first, last)


@dataclass(frozen=True, slots=True)
class _Work:
    """What a GPU did by one of its counters while it was throttled, and else, its engine as busy: medians."""

    column: str
    words: str
    less: float
    usual: float

    def claim(self, ev: Evidence, claims: Claims, worst: _Gpu) -> None:
        """Claim both medians."""
        busy = (
            f"node = {literal(worst['node'])} AND gpu_uuid = {literal(worst['gpu_uuid'])}"
            f" AND engine_active >= {ev.threshold('d2.engine_busy')}"
        )
        then = f"ts_ns BETWEEN {worst['first']} AND {worst['last']}"
        for when, where in (("then", then), ("at other times", f"NOT ({then})")):
            text = f"Median {self.words} {when}, its engine busy"
            claims.over(text, "MEDIAN", self.column, "gpu_samples", f"{busy} AND {where}", unit="1")


def _less_done(ev: Evidence, worst: _Gpu) -> _Work | None:
    """A GPU that did far less by its own counters while it was throttled, as busy as before; None: it did not."""
    mine = (pl.col("node") == worst["node"]) & (pl.col("gpu_uuid") == worst["gpu_uuid"])
    busy = ev.scan("gpu_samples").filter(mine & (pl.col("engine_active") >= ev.threshold("d2.engine_busy"))).collect()
    held = pl.col("ts_ns").is_between(worst["first"], worst["last"])
    for column, words in (("tensor_active", "tensor pipe activity"), ("dram_active", "device memory activity")):
        told, other = (busy.filter(which)[column].drop_nulls() for which in (held, ~held))
        if min(len(told), len(other)) < _FEW:
            continue
        less, usual = told.median(), other.median()
        if isinstance(less, float) and isinstance(usual, float) and usual >= _SEEN:
            slowed = less > 0 and usual / less >= ev.threshold("b3.step_ratio")
            return _Work(column, words, less, usual) if slowed else None
    return None


_FEW: Final = 5
"""Readings on each side of a change that show a level."""


def _less_power(ev: Evidence, peers: set[tuple[str, str]], first: int, last: int) -> str | None:
    """The same where nothing tells of work: as busy as before, peers drew far less power once the others slowed."""
    began = run_span(ev)[0]
    since = max(2 * first - last, began or 0)
    spans = ((since, first), (first, last))
    before, then = (_busy_power(ev, peers, *span) for span in spans)
    if not before or not then:
        return None
    usual, less = statistics.median(before), statistics.median(then)
    if less > ev.threshold("c2.computing_power") * usual:
        return None
    return f"and its peers, as busy as before, drew {less:.0f} W in place of {usual:.0f} W: they waited"


def _busy_power(ev: Evidence, gpus: set[tuple[str, str]], since_ns: int, until_ns: int) -> list[float]:
    """What each of the GPUs drew on average while its engine was busy, in watts; that is most of the time or nothing.

    Where no log tells when the work began, its GPUs may lie idle at first.
    """
    busy = pl.col("engine_active") >= ev.threshold("d2.engine_busy")
    told = ev.scan("gpu_samples").filter(
        pl.col("ts_ns").is_between(since_ns, until_ns) & pl.col("power_w").is_not_null()
    )
    drawn = told.group_by("node", "gpu_uuid").agg(power=pl.col("power_w").filter(busy).mean(), part=busy.mean())
    rows = drawn.filter(pl.col("part") >= 0.5).drop_nulls().collect().iter_rows()
    return [float(power) for node, uuid, power, _ in rows if (node, uuid) in gpus]


_WORK: Final = {
    "sm": "SM activity",
    "tensor_mean": "tensor pipe activity",
    "dram_mean": "device memory activity",
    "traffic_mean": "memory traffic",
}
"""Readings that rise with work, the most telling first."""
_COARSE: Final = "traffic_mean"
"""Whether memory was in use at all tells little of how much was done: what a board draws, tells more."""
_SEEN: Final = 0.01
"""A counter that reads less on the slow GPU counts what the job does not use."""


def _step_ratio(ev: Evidence, first: int, last: int) -> float | None:
    """Median pace inside the throttled stretch over the one outside; None when either is unknown.

    Where step times are told and no time of day, the part of the run that was slower stands for the stretch.
    """
    story = tell(ev)
    steps = paces(story)
    if steps.is_empty():
        slower = slowdown(story.steps["step_time_s"].drop_nulls())
        return None if slower is None else slower[0]
    inside = steps.filter(pl.col("ts_ns").is_between(first, last))["seconds"].median()
    outside = steps.filter(~pl.col("ts_ns").is_between(first, last))["seconds"].median()
    if not isinstance(inside, float) or not isinstance(outside, float) or outside <= 0:
        return None
    return inside / outside


FAMILY: Final = Throttling()

"""A run held against another one: whether the two are alike at all, and what a difference in pace cost.

What is not alike is not compared: the reason is told instead. Only the desk's options bring another run in, so nothing
here is asked where there is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._rows import told_by
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.vitals import TRAINING, TRAINING_SQL, reported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families.base import Finding
    from inquest.analyze.model import Claim, StoreName

_SLOW: Final = ("D1", "D2", "D3", "B3")
"""Families that say why a run is slow: what was lost belongs to them."""

_CARRIER: Final = "D2"
"""Where none of them is ruled in, the claims on the pace stand here."""

_SCRIPT: Final = re.compile(r"(?:^|[\s/])([\w.-]+\.py)(?=\s|$)")
_JOBS: Final = re.compile(r"\d+(?:_\d+)?")
_HOUR_NS: Final = 3_600_000_000_000


# --- alike? ---------------------------------------------------------------------------------------------------------
def unlike(ev: Evidence, other: Evidence) -> str | None:
    """Why ``other`` is no run of the training that ``ev`` is about; None: nothing says so."""
    for pattern, mine in _parameters(ev).items():
        theirs = _parameters(other).get(pattern)
        if theirs is not None and mine != theirs:
            return f"it trained a model of {theirs} parameters, this run one of {mine}"
    if other.name == "parent":
        return _no_parent(ev, other)
    return _no_baseline(ev, other)


def _parameters(ev: Evidence) -> dict[str, str]:
    """Numbers of parameters as told, by the wording that told them."""
    told: dict[str, str] = {}
    for row in tell(ev).of(Kind.MODEL_SIZE):
        told.setdefault(row["pattern"], f"{row['num']:,g}" if row["num"] < 1e6 else f"{row['num']:,.0f}")
    return told


def _no_parent(ev: Evidence, parent: Evidence) -> str | None:
    if not tell(parent).progressed:
        return "it reports no step of training"
    begun, end = parent.first_progress_ns(), ev.last_progress_ns()
    if begun is not None and end is not None and begun > end:
        return "it began to train after this run had ended"
    wanted, theirs = dependencies(ev), parent.info.job_id
    if wanted and theirs is not None and theirs not in (*wanted, ev.info.job_id):
        return f"it is job {theirs}, and by the scheduler's record this run depends on job {' and '.join(wanted)}"
    return None


def dependencies(ev: Evidence) -> tuple[str, ...]:
    """Jobs the scheduler made this run wait for, as it numbers them."""
    if not ev.has("slurm_jobs"):
        return ()
    told = ev.frame("slurm_jobs")["dependency"].drop_nulls().unique().sort().to_list()
    return tuple(dict.fromkeys(job for text in told for job in _JOBS.findall(text)))


def _no_baseline(ev: Evidence, baseline: Evidence) -> str | None:
    for what, mine, theirs in (
        ("GPUs", len(gpus(ev)), len(gpus(baseline))),
        ("ranks", _ranks(ev), _ranks(baseline)),
    ):
        if mine and theirs and mine != theirs:
            return f"it ran on {theirs} {what}, this run on {mine}"
    for what, told in (("GPUs", _models), ("script", _scripts)):
        own, other = told(ev), told(baseline)
        if own and other and not own & other:
            return f"its {what} {_are(other)}, and of this run {_are(own)}"
    return None


def gpus(ev: Evidence) -> tuple[str, ...]:
    """UUIDs of the GPUs of the run's nodes."""
    listed = ev.frame("node_info")["gpu_uuids"].drop_nulls().to_list()
    return tuple(sorted({uuid for row in listed for uuid in row.split(",") if uuid}))


def _ranks(ev: Evidence) -> int:
    return ev.world_size() or len(ev.ranks())


def _models(ev: Evidence) -> frozenset[str]:
    listed = ev.frame("node_info")["gpu_models"].drop_nulls().to_list()
    return frozenset(name for row in listed for name in row.split(",") if name)


def model_of(ev: Evidence) -> dict[str, str]:
    """The model of each GPU by its UUID, as far as nodes tell both in one order."""
    told = ev.frame("node_info").select("gpu_uuids", "gpu_models").drop_nulls()
    found: dict[str, str] = {}
    for uuids, models in told.iter_rows():
        names = models.split(",")
        if len(names) == len(uuids.split(",")):
            found.update(zip(uuids.split(","), names, strict=True))
    return found


def _scripts(ev: Evidence) -> frozenset[str]:
    """Python programs the job's own processes ran."""
    if not ev.has("processes"):
        return frozenset()
    ours = ev.scan("processes").filter(pl.col("role").is_in(["task", "rank"])).select(pl.col("argv").unique())
    lines = ours.collect()["argv"].drop_nulls().to_list()
    return frozenset(PurePosixPath(found[1]).name for line in lines if (found := _SCRIPT.search(line)))


def _are(names: frozenset[str]) -> str:
    return f"{'is' if len(names) == 1 else 'are'} {', '.join(sorted(names))}"


# --- how much slower? -----------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Pace:
    """How long a step took by the clock, from the first report of training to the last, pauses included."""

    seconds: float
    first_ns: int
    last_ns: int
    sql: str
    store: StoreName
    claim: Claim


@dataclass(frozen=True, slots=True)
class Against:
    """What a run was against a baseline."""

    ratio: float
    text: str
    """One sentence with both paces and what was lost."""
    cause: str | None
    """Where the time went, where GPU samples of both tell; None else."""
    store: StoreName
    claims: tuple[Claim, ...]


def against(ev: Evidence, baseline: Evidence) -> Against | str:
    """What ``ev`` was against ``baseline``, or why that cannot be said."""
    reason = unlike(ev, baseline)
    if reason is not None:
        return reason
    mine, good = pace(ev), pace(baseline)
    if mine is None or good is None:
        which = "this run" if mine is None else "it"
        least = f"{ev.threshold('d.least_steps'):g}"
        return f"{which} does not tell the times of {least} numbered steps or more, so there is no pace to compare"
    claims = Claims(ev, "lost")
    share = f"SELECT 1 - {good.seconds!r} / {mine.sql.removeprefix('SELECT ')}"
    text = "Share of the time of its steps that was lost against the baseline"
    claims.sql(text, share, "fact_steps", "1", mine.claim.rows)
    ratio = mine.seconds / good.seconds
    paces = f"{mine.seconds:.3g} s by the clock, {good.seconds:.3g} s in the baseline"
    if ratio < ev.threshold("baseline.slower"):
        text = f"A step took no longer than in the baseline ({paces})."
    else:
        lost = 1 - good.seconds / mine.seconds
        hours = len(gpus(ev)) * (mine.last_ns - mine.first_ns) * lost / _HOUR_NS
        held = f", {hours:.3g} GPU-hours" if hours else ""
        text = f"A step took {ratio:.2f} times as long as in the baseline ({paces}): {lost:.0%} of it was lost{held}."
    idle = _idle(ev, mine, baseline, good)
    cause = None if idle is None else _cause(ev, mine, good, idle)
    found = (mine.claim, good.claim, *claims.all, *(() if idle is None else (idle[0], idle[1])))
    return Against(ratio, text, cause, mine.store, found)


def pace(ev: Evidence) -> Pace | None:
    """The pace of a run; None where it does not tell the times of enough numbered steps."""
    numbered = TRAINING & pl.col("ts_ns").is_not_null() & pl.col("step").is_not_null()
    told = reported(tell(ev), numbered, "ts_ns", "step")
    if told is None:
        return None
    first, last = told.rows["ts_ns"].min(), told.rows["ts_ns"].max()
    steps = int(told.rows["step"].max()) - int(told.rows["step"].min())  # type: ignore[arg-type]
    if not isinstance(first, int) or not isinstance(last, int) or first == last:
        return None
    if steps < ev.threshold("d.least_steps"):
        return None
    measure = "CAST(MAX(ts_ns) - MIN(ts_ns) AS DOUBLE) / 1e9 / (MAX(step) - MIN(step))"
    where = f"{told.where} AND {TRAINING_SQL} AND ts_ns IS NOT NULL AND step IS NOT NULL"
    sql = f"SELECT ({measure}) AS seconds FROM fact_steps WHERE {where}"
    claims = Claims(ev, "pace")
    ends = f"{where} AND ts_ns IN ({first}, {last})"
    whose = "" if ev.name == "run" else f", {ev.name}"
    text = f"Time of a step by the clock, from the first report to the last{whose}"
    claims.sql(text, sql, "fact_steps", "s", ev.rows("fact_steps", ends))
    store = told_by(ev.facts("fact_steps").filter(pl.col("seq") == told.rows["seq"][0]).row(0, named=True))
    return Pace((last - first) / 1e9 / steps, first, last, sql, store, claims.all[0])


def _idle(ev: Evidence, mine: Pace, baseline: Evidence, good: Pace) -> tuple[Claim, Claim] | None:
    """Mean engine activity of both while training; None where one of them was not sampled."""
    found = []
    for whose, span in ((ev, mine), (baseline, good)):
        if not whose.has("gpu_samples"):
            return None
        # A sum of integers: whatever the order of rows, it is the same.
        measure = "CAST(SUM(CAST(ROUND(engine_active * 10000) AS BIGINT)) AS DOUBLE) / 10000 / COUNT(engine_active)"
        during = f"engine_active IS NOT NULL AND ts_ns >= {span.first_ns} AND ts_ns <= {span.last_ns}"
        claims = Claims(whose, "engine")
        name = "" if whose.name == "run" else f", {whose.name}"
        text = f"Mean engine activity of all GPUs over these steps{name}"
        sql = f"SELECT {measure} AS engine FROM gpu_samples WHERE {during}"
        claims.sql(text, sql, "gpu_samples", "1", whose.rows("gpu_samples", during))
        if claims.all[0].value is None:
            return None
        found.append(claims.all[0])
    return found[0], found[1]


def _cause(ev: Evidence, mine: Pace, good: Pace, idle: tuple[Claim, Claim]) -> str | None:
    slept, before = (
        (1 - float(claim.value or 0)) * span.seconds for claim, span in zip(idle, (mine, good), strict=True)
    )
    more = mine.seconds - good.seconds
    if mine.seconds < good.seconds * ev.threshold("baseline.slower"):
        return None
    told = f"of each step the GPUs stood idle for {slept:.3g} s, {before:.3g} s in the baseline"
    if slept - before > ev.threshold("baseline.cause") * more:
        return f"The time went into waiting for the host: {told}."
    return f"The time went into what ran on the GPUs, work or waiting in a collective: {told}."


# --- into the verdict -----------------------------------------------------------------------------------------------
def unused_parent(ev: Evidence) -> tuple[str, ...]:
    """A warning where the parent that was given is none, with the reason."""
    parent = ev.other("parent")
    reason = None if parent is None else unlike(ev, parent)
    return () if reason is None else (f"The parent was not used: {reason}.",)


def held_against_baseline(ev: Evidence, findings: Mapping[str, Finding]) -> tuple[dict[str, Finding], tuple[str, ...]]:
    """``findings`` with what a baseline adds to them, and warnings of what it shows beside them."""
    told = dict(findings)
    baseline = ev.other("baseline")
    if baseline is None:
        return told, ()
    compared = against(ev, baseline)
    if isinstance(compared, str):
        return told, (f"The baseline was not used: {compared}.",)
    text = compared.text if compared.cause is None else f"{compared.text} {compared.cause}"
    slower = compared.ratio >= ev.threshold("baseline.slower")
    slow = [family for family in _SLOW if isinstance(told.get(family), RuledIn)]
    for family in slow or [_CARRIER]:
        finding = told.get(family)
        if finding is None:
            continue
        finding = replace(finding, claims=(*finding.claims, *compared.claims))
        if isinstance(finding, RuledIn):
            open_now = tuple(item for item in finding.cannot_decide if "--baseline" not in item.missing)
            support = Support(compared.store, f"a step took {compared.ratio:.2f} times as long as in the baseline")
            finding = replace(
                finding,
                cannot_decide=open_now,
                implies=(*finding.implies, text),
                support=(*finding.support, support) if slower else finding.support,
            )
        told[family] = finding
    return told, (text,) if slower and not slow else ()

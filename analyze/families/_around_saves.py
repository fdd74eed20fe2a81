"""What saving cost, where no report says it: by the reports around each save, or by the GPUs that stood still for it.

Programs say that they save, and seldom for how long: what passes between the report before a save and the one after it,
beyond what steps take elsewhere, went into it. Where one rank writes and the others wait at a barrier, its GPU idles in
the rhythm of the saves while theirs spin: it is no straggler, which is late to every step.

Evaluations and the turns of epochs stand beside saves as well: what may be theirs is not counted.
"""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._clocks import FELT_IN_ALL_S, REPORTS, Saving
from inquest.analyze.families._pace import clocked, save_reports, steps_done
from inquest.analyze.families._wall import DAY_S, time_of_day_s
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_ELAPSED: Final = r"(\d+)/(\d+) \[(?:(\d+):)?(\d+):(\d\d)<"
"""How long a bar has been drawn: its own clock, which goes on where no line bears a time."""
_BESIDE: Final = (
    r"(?i)eval|valid|\bval(?:_|\b)|\btest|\bbest\b|\bimproved|sampl(?:es|ing)\b|generat(?:e|ed|ing)\b|predict|infer|benchmark"
    r"|\bscore|accuracy|\bepoch.{0,20}(?:done|end|finish|took|complete)"
)
"""What else is done where a checkpoint is written; a best one was judged before."""


def around_saves(ev: Evidence, story: Story) -> Saving | None:
    """What saves took by the reports around them, or by the GPU that idled for them: the more; None: neither tells."""
    return ev.once(("around saves",), lambda: _more(_by_reports(ev, story), idled_for(ev, story)))


def _more(one: Saving | None, other: Saving | None) -> Saving | None:
    """A report may say what a step took with its save in it; a GPU may have stood still for less than a save took."""
    told = [each for each in (one, other) if each is not None]
    return max(told, key=lambda each: each.share, default=None)


def _by_reports(ev: Evidence, story: Story) -> Saving | None:
    told = story.steps.filter(pl.col("line_seq").is_not_null() & pl.col("step").is_not_null()).sort("line_seq")
    if told.height < 2 * REPORTS or not ev.has("log_lines"):
        return None
    last = told.row(-1, named=True)
    stream, place = same_stream(last), (last["node"], last["source"])
    saves = [
        row for row in save_reports(story) if row["line_seq"] is not None and (row["node"], row["source"]) == place
    ]
    if len(saves) < REPORTS or _by_the_epoch(story, len(saves)):
        return None
    lines = ev.scan("log_lines").filter(stream)
    reports = _timed(lines, told.filter(stream), clocked(story).filter(stream))
    if reports is None:
        return None
    at = pl.DataFrame({"save": range(len(saves)), "seq": [row["line_seq"] for row in saves]})
    gaps = _marked(reports, at, _beside(lines, told.filter(stream)))
    usual = gaps.filter(~pl.col("saved") & ~pl.col("beside")).select(each=pl.col("gap") / pl.col("steps"))["each"]
    step_s = usual.median() if len(usual) >= REPORTS else _told_step_s(told.filter(stream))
    if not isinstance(step_s, float):
        return None
    dear = gaps.filter(pl.col("saved") & ~pl.col("beside")).with_columns(
        cost=(pl.col("gap") - step_s * pl.col("steps")).clip(0.0)
    )
    took, whole = dear["cost"].median(), float(gaps["gap"].sum())
    if dear.height < REPORTS or not isinstance(took, float) or took * dear.height < FELT_IN_ALL_S:
        return None
    like = dear.sort((pl.col("cost") - took).abs(), "save")["save"][0]
    share = min(1.0, dear.height * took / whole)
    return Saving(dear.height, max(1, steps_done(story)), share, took, "", "logs", of=saves[like])


def _timed(lines: pl.LazyFrame, told: pl.DataFrame, stamped: pl.DataFrame) -> pl.DataFrame | None:
    """The first report of each step with ``line_seq``, ``step`` and ``s``, by the bar's own clock or that of its line.

    A line without a clock bears the time of the last one that has it: then most steps take no time.
    """
    bars = told.filter(pl.col("kind") == str(Kind.BAR)).select("line_seq", "step").unique("line_seq", keep="last")
    if bars.height >= 2 * REPORTS:
        text = pl.col("text").str.replace_all(ANSI, "").str.extract_all(_ELAPSED).list.last()
        part = text.str.extract_groups(_ELAPSED).struct
        hours, minutes, seconds = (part.field(name).cast(pl.Float64, strict=False) for name in ("3", "4", "5"))
        drawn = (
            lines.filter(pl.col("seq").is_in(bars["line_seq"].implode()))
            .select(line_seq="seq", s=hours.fill_null(0.0) * 3600 + minutes * 60 + seconds)
            .collect()
            .drop_nulls()
        )
        rows = bars.join(drawn, on="line_seq")
    else:
        timed = stamped.filter(pl.col("line_seq").is_not_null() & pl.col("step").is_not_null())
        rows = timed.select("line_seq", "step", s=pl.col("ts_ns") / 1e9)
    rows = rows.sort("line_seq").filter((pl.col("step") > pl.col("step").cum_max().shift()).fill_null(value=True))
    if rows.height < 2 * REPORTS or (bars.height < 2 * REPORTS and (rows["s"].diff().median() or 0.0) <= 0.0):  # type: ignore[operator]
        return None
    return rows


def _marked(reports: pl.DataFrame, saves: pl.DataFrame, beside: pl.DataFrame) -> pl.DataFrame:
    """Gaps between reports: ``gap`` in seconds, ``steps``, the ``save`` in it, if ``saved``, and what is ``beside``."""
    gaps = reports.with_columns(gap=pl.col("s").diff(), steps=pl.col("step").diff()).drop_nulls("gap")
    gaps = gaps.filter(pl.col("gap") >= 0)
    edges = {"left_on": "seq", "right_on": "line_seq", "strategy": "forward"}
    at = reports.select("line_seq").sort("line_seq")

    def within(found: pl.DataFrame) -> pl.DataFrame:
        return found.sort("seq").join_asof(at, **edges, coalesce=False).drop_nulls("line_seq")  # type: ignore[arg-type]

    saved = within(saves).group_by("line_seq").agg(pl.col("save").first())
    others = within(beside).select("line_seq").unique().with_columns(beside=pl.lit(value=True))
    gaps = gaps.join(saved, on="line_seq", how="left").join(others, on="line_seq", how="left").sort("line_seq")
    return gaps.with_columns(saved=pl.col("save").is_not_null(), beside=pl.col("beside").fill_null(value=False))


def _beside(lines: pl.LazyFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Where a stream tells of something else than steps and saves."""
    first, last = told["line_seq"][0], told["line_seq"][-1]
    others = lines.filter(pl.col("seq").is_between(first, last) & pl.col("text").str.contains(_BESIDE)).select("seq")
    return others.collect().filter(~pl.col("seq").is_in(told["line_seq"].implode()))


def _told_step_s(told: pl.DataFrame) -> float | None:
    """What steps took by the word of reports, but for the rate of a bar, which is a mean over saves as well."""
    seconds = told.filter(pl.col("kind") != str(Kind.BAR))["step_time_s"].median()
    return seconds if isinstance(seconds, float) else None


def _by_the_epoch(story: Story, saves: int) -> bool:
    """Whether saves may all stand where an epoch turned: there loaders begin anew, and models are judged."""
    first, last = story.steps["epoch"].min(), story.steps["epoch"].max()
    return isinstance(first, float) and isinstance(last, float) and saves < _OFTENER * (last - first)


_OFTENER: Final = 2


# --- The lines of a save, where every step is followed by one ------------------------------------------------------
def by_their_lines(ev: Evidence, story: Story) -> Saving | None:
    """What passes between the report of a step and the word that it was saved, and while lines go on to tell of it.

    Where each step is saved, no gap shows what steps take without it, but the lines part it: a step is reported when it
    has been computed, so what passes until its save is said to be done is the save's. Lines count by their own times.
    """
    saves = [row for row in save_reports(story) if row["line_seq"] is not None]
    steps = story.steps.filter(pl.col("line_seq").is_not_null() & pl.col("loss").is_not_null())
    if len(saves) < REPORTS or steps.height < REPORTS or not ev.has("log_lines") or _by_the_epoch(story, len(saves)):
        return None
    stream = same_stream(saves[-1])
    reports = set(steps.filter(stream)["line_seq"].to_list())
    begun = {row["line_seq"]: row for row in saves if (row["node"], row["source"]) == _place(saves[-1])}
    seqs = sorted(begun)[-_LAST_SAVES:]
    if len(seqs) < max(REPORTS, _EACH_STEP * min(len(reports), _LAST_SAVES)):
        return None
    lines = ev.scan("log_lines").filter(stream & pl.col("seq").is_between(seqs[0] - _BEFORE, seqs[-1] + _BEFORE))
    rows = lines.sort("seq").select("seq", "ts_ns", "text").head(_MOST_LINES).collect().iter_rows()
    told = [(seq, _own_s(ts_ns, str(text)), str(text)) for seq, ts_ns, text in rows]
    spent = _parted(told, reports, set(seqs))
    cycles = [whole for _, whole in spent if whole > 0]
    if len(cycles) < REPORTS:
        return None
    took, whole = statistics.median(cost for cost, _ in spent), statistics.median(cycles)
    if (step_s := _first_step_s(told, reports, set(seqs))) is not None:
        took = max(took, whole - step_s)  # what is written in silence is the save's as well
    if took < _FELT_S or took * len(seqs) < FELT_IN_ALL_S:
        return None
    like = begun[seqs[len(seqs) // 2]]
    return Saving(len(begun), max(1, steps_done(story)), min(1.0, took / whole), took, "", "logs", of=like)


def _place(row: Row) -> tuple[object, object]:
    return row["node"], row["source"]


def _own_s(ts_ns: int | None, text: str) -> float | None:
    """The time a line bears itself, in seconds; None of one that only has that of the line before it."""
    day_s = time_of_day_s(text)
    if day_s is None:
        return None
    return day_s if ts_ns is None else ts_ns / 1e9


def _parted(
    lines: list[tuple[int, float | None, str]], reports: set[int], saves: set[int]
) -> list[tuple[float, float]]:
    """Of each save what it took, and what passed until the one after it, in seconds."""
    found: list[tuple[float, float]] = []
    since: float | None = None  # of the report before
    first: float | None = None  # of the save's own lines
    opened: float | None = None  # of what is told of it before it is said to be made
    last = waited = 0.0
    told = True  # whether a step was told since the last save
    for seq, at, text in lines:
        if seq in saves and at is not None:
            begun = at if opened is None else opened
            if first is not None:
                found.append((waited + (last - first) % DAY_S, (begun - first) % DAY_S))
            waited = 0.0 if since is None else (begun - since) % DAY_S
            first, last = begun, at
            since = opened = None
            told = False
        elif seq in reports:
            since, told = at, True
        elif at is not None and _OF_A_SAVE.search(text):
            if told and opened is None:
                opened = at
            elif first is not None and not told:
                last = at
    return found


def _first_step_s(lines: list[tuple[int, float | None, str]], reports: set[int], saves: set[int]) -> float | None:
    """Seconds from the word that training begins to the first save, where one step was told between; None elsewhere.

    A first step takes no less than those after it: it warms up, and waits for its data longest.
    """
    begun: float | None = None
    steps = 0
    for seq, at, text in lines:
        if at is not None and _BEGINS.search(text):
            begun, steps = at, 0
        elif seq in reports:
            steps += 1
        elif at is not None and (seq in saves or (steps and _OF_A_SAVE.search(text))):
            return (at - begun) % DAY_S if begun is not None and steps == 1 else None
    return None


_BEGINS: Final = re.compile(
    r"(?i)\*{3,} Running training|\b(?:start(?:s|ed|ing)?|begin(?:s|ning)?) (?:the )?training\b"
    r"|\btraining (?:starts|started|begins)\b"
)
_OF_A_SAVE: Final = re.compile(
    r"(?i)\b(?:sav(?:ed|ing)|wr(?:ote|itten|iting)|checkpoints?|ckpt|upload\w*|pushed|delet(?:ed|ing)|remov(?:ed|ing)|stored|fsync)\b"
)
"""Words of lines that go on to tell of a save."""
_EACH_STEP: Final = 0.9
_LAST_SAVES: Final = 400
_BEFORE: Final = 20
_MOST_LINES: Final = 20_000
_FELT_S: Final = 1.0
"""Lines often bear whole seconds: less tells nothing."""


# --- GPUs that idle in the rhythm of saves ----------------------------------------------------------------------------
def idled_for(ev: Evidence, story: Story) -> Saving | None:
    """What saves took by the GPU that idled most, where it did so in their rhythm; None where it did not.

    The time from one save to the next is cut into parts: who is late to every step idles as much in each of them.
    """
    return ev.once(("idled for saves",), lambda: _idled_for(ev, story))


def _idled_for(ev: Evidence, story: Story) -> Saving | None:
    saves = _instants(story)
    if len(saves) <= REPORTS or not ev.has("gpu_samples") or _by_the_epoch(story, len(saves)):
        return None
    if _judged_as_often(ev, story, len(saves)):
        return None
    since, until = saves[0]["ts_ns"], saves[-1]["ts_ns"]
    began = pl.DataFrame({"at": [row["ts_ns"] for row in saves]}).with_columns(long=pl.col("at").diff().shift(-1))
    sampled = (
        ev.scan("gpu_samples")
        .filter(pl.col("ts_ns").is_between(since, until - 1) & pl.col("engine_active").is_not_null())
        .select("node", "gpu_uuid", "ts_ns", idle=pl.col("engine_active") < _AT_WORK)
        .collect()
    )
    if sampled.is_empty():
        return None
    parts = (
        sampled.sort("ts_ns")
        .join_asof(began, left_on="ts_ns", right_on="at")
        .with_columns(part=((pl.col("ts_ns") - pl.col("at")) * _PARTS // pl.col("long")).clip(0, _PARTS - 1))
        .group_by("node", "gpu_uuid", "part")
        .agg(idle=pl.col("idle").sum(), n=pl.len())
    )
    gpus = parts.group_by("node", "gpu_uuid").agg(
        parts=pl.len(),
        least=pl.col("n").min(),
        apart=(pl.col("idle") / pl.col("n")).max() - (pl.col("idle") / pl.col("n")).min(),
        idle=pl.col("idle").sum() / pl.col("n").sum(),
    )
    idlest = gpus.sort("idle", "node", "gpu_uuid", descending=[True, False, False]).row(0, named=True)
    if idlest["parts"] < _PARTS or idlest["least"] < _SAMPLES or idlest["apart"] < _APART:
        return None
    took = idlest["idle"] * (until - since) / 1e9 / (len(saves) - 1)
    return Saving(len(saves), max(1, steps_done(story)), idlest["idle"], took, "", "metrics", of=saves[len(saves) // 2])


def _instants(story: Story) -> list[Row]:
    """One report of each save, in time: many say that they save, and then that they saved, and each rank may say so."""
    timed = sorted((row for row in save_reports(story) if row["ts_ns"] is not None), key=lambda row: row["ts_ns"])
    if len(timed) <= REPORTS:
        return []
    usual = (timed[-1]["ts_ns"] - timed[0]["ts_ns"]) / (len(timed) - 1)
    kept = timed[:1]
    for row in timed[1:]:
        same = row["num"] is not None and row["num"] == kept[-1]["num"]
        if not same and row["ts_ns"] - kept[-1]["ts_ns"] > usual / _PARTS:
            kept.append(row)
    return kept


def _judged_as_often(ev: Evidence, story: Story, saves: int) -> bool:
    """Whether the job says that it did something else at half of its saves or more."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if told.is_empty() or not ev.has("log_lines"):
        return True
    lines = ev.scan("log_lines").filter(same_stream(told.row(-1, named=True)))
    judged = max(_beside(lines, told).height, story.steps["eval_loss"].count(), len(story.of(Kind.EVAL)))
    return 2 * judged >= saves


_PARTS: Final = 4
_AT_WORK: Final = 0.5
_SAMPLES: Final = 15
"""Looks at one part of the time from save to save, at the least."""
_APART: Final = 0.6
"""By how much parts have to differ: of fifteen looks each, chance does so once in hundreds of runs."""

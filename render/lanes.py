"""The report's own small timeline: nodes and ranks down, time across, drawn as static SVG.

Up to ``MOST_RANKS`` ranks have a lane each. Beyond that every node has one, the ranks the verdict names keep their own
and come first, and the nodes beyond ``MOST_LANES`` are folded into a lane that says how many they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import polars as pl
from markupsafe import Markup

from inquest.render.charts import time_label, time_ticks
from inquest.render.moments import Life
from inquest.render.tables import lazy
from inquest.render.wording import clock, one_line, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict
    from inquest.render.moments import Moment, Story
    from inquest.render.tables import Placement

    _Marks = dict[str, list[tuple[float, list[Moment]]]]

MOST_RANKS: Final = 24
MOST_LANES: Final = 32
WIDTH: Final = 1040
_LEFT: Final = 128
_RIGHT: Final = 14
_ROW: Final = 20
_TOP: Final = 26
_BOTTOM: Final = 22
_STEP_PX: Final = 2
_STALLS_FROM: Final = 5  # times what a step usually takes
_MERGE_PX: Final = 9.0
MOST_MARKS: Final = 1500
"""Marks drawn in all; beyond it neighbours share one, which says how many it stands for."""

_TITLE_LIMIT: Final = 160

# Shapes are told apart without colour. Each is drawn around (0, 0), about ten pixels wide.
SHAPES: Final[dict[str, tuple[str, str]]] = {
    "error": ("M-5 -4.5H5L0 5Z", "error"),
    "follows": ("M-4.5 -4H4.5L0 4.5Z", "consequence, report of a failure"),
    "exit": ("M-4 -4H4V4H-4Z", "process ended badly"),
    "clean": ("M-4 -4H4V4H-4Z", "process ended with exit code 0"),
    "signal": ("M-4 -4L4 4M4 -4L-4 4", "signal received"),
    "scheduler": ("M0 -5.5L5 0L0 5.5L-5 0Z", "scheduler"),
}
_MOST_RUNS: Final = 50

_LINES: Final = (
    ("steps", "M-14 0H14", "steps (a gap: none was reported)"),
    ("life", "M-14 0H14M9 -4L14 0L9 4", "process alive, or job by its scheduler (arrow: never seen to end)"),
)
_ORDER: Final = ("scheduler", "clean", "follows", "signal", "exit", "error")


@dataclass(slots=True)
class _Lane:
    label: str
    title: str
    inner: bool = False
    lives: list[Life] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    steps: set[int] = field(default_factory=set)


def lanes(verdict: Verdict, evidence: Evidence, story: Story, where: Placement) -> Markup | None:
    """Draw the timeline; None when nothing has a time."""
    shown = [m for m in story.moments if m.kind in SHAPES]
    times = [m.ts_ns for m in shown] + [life.begin_ns for life in story.lives]
    times += [life.end_ns for life in story.lives if life.end_ns is not None]
    steps = lazy(evidence, "fact_steps", "ts_ns", "node", "rank", "source", "attempt", "step", "seq")
    steps = steps.filter(pl.col("ts_ns").is_not_null())
    first, last = steps.select(first=pl.col("ts_ns").min(), last=pl.col("ts_ns").max()).collect().row(0)
    times += [ts for ts in (first, last) if ts is not None]
    if not times:
        return None
    jobs = _jobs(evidence)
    known = (verdict.first_failing.ts_ns, *(link.ts_ns for link in verdict.chain))
    known += (verdict.bundle.start_ns, verdict.bundle.end_ns)
    known += tuple(ts for job in jobs for ts in (job.begin_ns, job.end_ns))
    times += [ts for ts in known if ts is not None]
    low, high = min(times), max(times)
    span = max(high - low, 1)
    plan = _plan(verdict, where, {(m.node, m.rank) for m in shown})
    if jobs:
        plan.lanes.insert(0, _Lane("Slurm", "the job, by its scheduler", lives=jobs))
    rows = plan.lanes
    for life in story.lives:
        if life.role in ("rank", "task"):
            plan.lane(life.node, life.rank).lives.append(life)
    for moment in shown:
        plan.lane(moment.node, moment.rank).moments.append(moment)
    width = max(1, span * _STEP_PX // (WIDTH - _LEFT - _RIGHT))
    for node, rank, begin, end in _reported(steps, plan.by_rank, low, width).iter_rows():
        plan.lane(node, rank).steps.update(range(begin, end + 1))

    height = _TOP + _ROW * len(rows) + _BOTTOM
    scale = (WIDTH - _LEFT - _RIGHT) / span

    def place(ts_ns: int) -> float:
        return round(_LEFT + (ts_ns - low) * scale, 1)

    title = f"{plural(len(rows), 'lane')} from {clock(low)} to {clock(high)} UTC"
    out = [
        f'<svg class="lanes" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-labelledby="lanes-t lanes-d"><title id="lanes-t">Timeline of nodes and ranks</title>'
        f'<desc id="lanes-d">{_esc(title)}. The same events stand in the table below.</desc>'
    ]
    for tick in time_ticks(low, high, 7):
        x = place(tick)
        out.append(f'<path class="grid" d="M{x:g} {_TOP - 4}V{height - _BOTTOM}"/>')
        out.append(f'<text class="tick mid" x="{x:g}" y="{height - 6}">{time_label(tick, span)}</text>')
    merge_px = _MERGE_PX
    marks = [_marks(lane, place, merge_px) for lane in rows]
    while sum(len(group) for of_lane in marks for group in of_lane.values()) > MOST_MARKS:
        merge_px *= 2
        marks = [_marks(lane, place, merge_px) for lane in rows]
    for index, lane in enumerate(rows):
        y = _TOP + _ROW * index + _ROW // 2
        out += _draw_lane(lane, marks[index], y, place, first_ns=low, bucket_ns=width)
    if verdict.first_failing.ts_ns is not None:
        x = place(verdict.first_failing.ts_ns)
        anchor = "end" if x > WIDTH - 140 else "start"
        side = -6 if anchor == "end" else 6
        out.append(f'<path class="mark" d="M{x:g} 6V{height - _BOTTOM}"/>')
        text = f"first failure {clock(verdict.first_failing.ts_ns)}"
        out.append(f'<text class="marktext {anchor}" x="{x + side:g}" y="14">{text}</text>')
    out.append("</svg>")
    return Markup("".join(out))


def _jobs(evidence: Evidence) -> list[Life]:
    """Each run of the job as its scheduler tells it, in order."""
    jobs = lazy(evidence, "slurm_jobs", "node", "job_id", "state", "start_ns", "end_ns")
    runs = jobs.filter(pl.col("start_ns").is_not_null()).group_by("start_ns", "job_id").agg(
        pl.col("node", "state").drop_nulls().first(), pl.col("end_ns").max()
    )  # fmt: skip
    return [
        Life(row["node"], 0, None, "job", f"job {row['job_id']}", row["start_ns"], row["end_ns"], row["state"] or "")
        for row in runs.sort("start_ns", "job_id").head(_MOST_RUNS).collect().iter_rows(named=True)
    ]


def legend(drawn: str) -> list[tuple[str, str, str]]:
    """Class, path and meaning of what a drawing shows, and of nothing else."""
    known = (*_LINES, *((f"ev {kind}", path, text) for kind, (path, text) in SHAPES.items()))
    return [entry for entry in known if f'class="{entry[0]}"' in drawn]


def _reported(steps: pl.LazyFrame, own: Collection[int], low: int, width: int) -> pl.DataFrame:
    """Where steps were reported: ``node``, ``rank`` (null unless among its ``own``), first and last stretch.

    Between two reports of a log the steps went on where each took as long as they usually do: a log may report every
    hundredth step, and of a long log some reports are read. What took far longer is left blank: that is the stall.
    """
    of = ("node", "rank", "source", "attempt")
    ordered = steps.sort(*of, "ts_ns", "seq", nulls_last=True)
    passed, counted = pl.col("ts_ns").diff().over(of), pl.col("step").diff().over(of)
    each = pl.when((counted > 0) & (passed >= 0)).then(passed / counted)
    went_on = pl.col("each") <= _STALLS_FROM * pl.col("each").quantile(0.5, "lower").over(of)
    begin = pl.when(went_on).then(pl.col("ts_ns") - pl.col("passed")).otherwise("ts_ns")
    rank = pl.when(pl.col("rank").is_in(list(own))).then("rank")
    stretches = ordered.with_columns(each=each, passed=passed).select(
        "node", rank=rank, begin=(begin - low) // width, end=(pl.col("ts_ns") - low) // width
    )
    return stretches.unique().collect()


@dataclass(frozen=True, slots=True)
class _Plan:
    lanes: list[_Lane]
    by_rank: dict[int, _Lane]
    by_node: dict[str, _Lane]
    rest: _Lane

    def lane(self, node: str, rank: int | None) -> _Lane:
        """The lane a row of (node, rank) belongs to."""
        if rank is not None and rank in self.by_rank:
            return self.by_rank[rank]
        return self.by_node.get(node, self.rest)


def _plan(verdict: Verdict, where: Placement, busy: set[tuple[str, int | None]]) -> _Plan:
    first = verdict.first_failing.rank
    named = [rank for rank in (first, *verdict.culprit_ranks) if rank is not None]
    ranks = set(where.node_of) if len(where.node_of) <= MOST_RANKS else set(named[:6])
    eventful = {node for node, _ in busy}
    culprits = {verdict.first_failing.node, *verdict.culprit_nodes, *(where.node_of.get(rank) for rank in ranks)}
    room = max(1, MOST_LANES - len(ranks))
    by_weight = sorted(where.nodes, key=lambda node: (node not in culprits, node not in eventful))
    kept = set(by_weight if len(where.nodes) <= room else by_weight[: room - 1])
    plan = _Plan([], {}, {}, _Lane("", ""))
    every_rank = len(ranks) == len(where.node_of)
    # In a long list the nodes the verdict names come first, so that they are seen.
    for node in where.nodes if every_rank else sorted(where.nodes, key=lambda node: node not in culprits):
        if node not in kept:
            continue
        on_node = where.ranks_on(node)
        count = "" if every_rank or not on_node else f" ({plural(len(on_node), 'rank')})"
        lane = plan.by_node[node] = _Lane(_short(node, 20 - len(count)) + count, node)
        plan.lanes.append(lane)
        for rank in on_node:
            if rank in ranks:
                plan.by_rank[rank] = _Lane(f"rank {rank}", f"rank {rank} on {node}", inner=True)
                plan.lanes.append(plan.by_rank[rank])
    folded = len(where.nodes) - len(kept)
    if folded:
        plan.rest.label = plan.rest.title = plural(folded, "other node")
        plan.lanes.append(plan.rest)
    return plan


def _short(text: str, limit: int) -> str:
    text = one_line(text)
    return text if len(text) <= limit else f"{text[: limit // 2 - 1]}…{text[len(text) - limit // 2 :]}"


def _draw_lane(
    lane: _Lane, marks: _Marks, y: int, place: Callable[[int], float], *, first_ns: int, bucket_ns: int
) -> Iterable[str]:
    x_label = 14 if lane.inner else 2
    kind = "lane inner" if lane.inner else "lane"
    yield f'<text class="{kind}" x="{x_label}" y="{y + 4}"><title>{_esc(lane.title)}</title>{_esc(lane.label)}</text>'
    yield f'<path class="grid" d="M{_LEFT} {y + _ROW // 2}H{WIDTH - _RIGHT}"/>'
    alive = []
    for life in lane.lives:
        begin = place(life.begin_ns)
        if life.end_ns is not None:
            alive.append(f"M{begin:g} {y}H{place(life.end_ns):g}")
        else:
            end = WIDTH - _RIGHT
            alive.append(f"M{begin:g} {y}H{end}M{end - 5} {y - 4}L{end} {y}L{end - 5} {y + 4}")
    if alive:
        yield f'<path class="life" d="{"".join(alive)}"/>'
    if lane.steps:
        bars = "".join(
            f"M{place(first_ns + a * bucket_ns):g} {y}h{(b - a + 1) * _STEP_PX}" for a, b in _stretches(lane.steps)
        )
        yield f'<path class="steps" d="{bars}"/>'
    for kind in _ORDER:
        for x, moments in marks.get(kind, ()):
            more = f" (and {len(moments) - 1:,} more here)" if len(moments) > 1 else ""
            text = f"{clock(moments[0].ts_ns)} {one_line(moments[0].text, _TITLE_LIMIT)}{more}"
            shape = f'<path class="ev {kind}" d="{SHAPES[kind][0]}" transform="translate({x:g} {y})">'
            yield f"{shape}<title>{_esc(text)}</title></path>"


def _marks(lane: _Lane, place: Callable[[int], float], merge_px: float) -> _Marks:
    """Moments of a lane by shape; those of one shape closer than ``merge_px`` share a mark."""
    marks: _Marks = {}
    for moment in lane.moments:
        x = place(moment.ts_ns)
        kind = "clean" if moment.kind == "exit" and moment.text.startswith("exit code 0") else moment.kind
        groups = marks.setdefault(kind, [])
        if groups and x - groups[-1][0] < merge_px:
            groups[-1][1].append(moment)
        else:
            groups.append((x, [moment]))
    return marks


def _stretches(buckets: set[int]) -> Iterable[tuple[int, int]]:
    """Neighbouring buckets as (first, last)."""
    begin = last = None
    for bucket in sorted(buckets):
        if last is None or begin is None:
            begin = last = bucket
        elif bucket == last + 1:
            last = bucket
        else:
            yield begin, last
            begin = last = bucket
    if begin is not None and last is not None:
        yield begin, last


def _esc(text: str) -> Markup:
    return Markup.escape(one_line(text))

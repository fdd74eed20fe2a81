"""The verdict as one HTML file that needs nothing else (``page.py``).

The template decides how it looks; this module decides what it says.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.bundle.unredacted import UNMASKED
from inquest.render import charts, lanes, series, summary, vitals, wording
from inquest.render.excerpts import excerpts
from inquest.render.heat import heat_maps
from inquest.render.machines import machines
from inquest.render.moments import tell
from inquest.render.page import TEXT_LIMIT, compiled, page
from inquest.render.reduced import gpu_indices
from inquest.render.tables import lazy, placement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import FamilyEntry, Verdict
    from inquest.render.charts import Chart
    from inquest.render.moments import Moment, Story

name: Final = "report"
extension: Final = "html"

MOST_MOMENTS: Final = 150
MOST_GAPS: Final = 20
MOST_COVERAGE: Final = 120
MOST_BOUNDS: Final = 4
_HANDS: Final = 4
"""What is drawn side by side: tables are read and decoded while others are reduced."""
_TOGETHER_NS: Final = 10**9  # the same event of other ranks within this is told in one line

STATUS: Final = {"ruled_in": "ruled in", "ruled_out": "ruled out", "cannot_decide": "cannot decide"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One cell of the first screen."""

    label: str
    text: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """What one collector saw on the nodes where it fared alike."""

    collector: str
    outcome: str
    nodes: str
    length: str
    rows: str
    drops: str
    detail: str


def render(verdict: Verdict, evidence: Evidence) -> bytes:
    """The report as UTF-8 HTML."""
    with ThreadPoolExecutor(_HANDS) as hands:
        mapping = heat_maps(verdict, evidence, hands)
        charting = series.charts(verdict, evidence, hands)
        template = compiled("report.html.j2")
        where = placement(verdict, evidence)
        story = tell(evidence)
        told = _told(story.moments)
        drawn_lanes = lanes.lanes(verdict, evidence, story, where)
        coverage = _coverage(verdict)
        parts = {
            "verdict": verdict,
            "subject": summary.subject(verdict),
            "label": summary.label(verdict),
            "tone": _tone(verdict),
            "nothing_found": summary.nothing_found(verdict),
            "period": _period(verdict),
            "facts": _facts(verdict),
            "rests_on": _rests_on(verdict),
            "cap": _cap(verdict),
            "vitals": vitals.lines(verdict, gpu_indices(evidence)),
            "thresholds": verdict.thresholds,
            "families": verdict.families,
            "tally": _tally(verdict.families),
            "lanes": drawn_lanes,
            "legend": lanes.legend(drawn_lanes) if drawn_lanes else (),
            "moments": told if len(told) <= MOST_MOMENTS else told[: MOST_MOMENTS // 2] + told[-MOST_MOMENTS // 2 :],
            "untold": _untold(story, len(told)),
            "machines": machines(verdict, evidence, where),
            "excerpts": excerpts(verdict, evidence),
            "coverage": coverage[:MOST_COVERAGE],
            "coverage_more": max(0, len(coverage) - MOST_COVERAGE),
            "not_captured": _not_captured(verdict),
            "gaps": _gaps(evidence),
            "clocks": _clocks(evidence),
            "redactions": _redactions(evidence),
            "provenance": _provenance(verdict, evidence),
        }
        drawn = [(chart, charts.svg(chart, f"chart{at}"), _legend(chart)) for at, chart in enumerate(charting)]
        return page(template, charts=drawn, heat=list(mapping), **parts)


def _tone(verdict: Verdict) -> str:
    """Class of the verdict's colour; the words beside it say the same."""
    if verdict.outcome == "cannot_decide":
        return "open"
    return {"none": "good", "low": "mild", "high": "bad"}[verdict.severity]


def _period(verdict: Verdict) -> str:
    start, end = verdict.bundle.start_ns, verdict.bundle.end_ns
    if start is None or end is None:
        return "no times captured"
    return wording.utc(start, 0) + (f", {wording.duration(end - start)}" if end > start else "")


def _facts(verdict: Verdict) -> list[Fact]:
    failing, waste = verdict.first_failing, verdict.waste
    facts = [Fact("Who must act", *summary.acting(verdict))]
    where = [f"rank {failing.rank}"] if failing.rank is not None else []
    where += [wording.one_line(failing.node)] if failing.node else []
    if where or verdict.family != "G1":
        rest = [failing.gpu_uuid or "", f"pid {failing.pid}" if failing.pid is not None else ""]
        facts.append(Fact("First failing", ", ".join(where) or wording.NOT_CAPTURED, ", ".join(filter(None, rest))))
    if failing.ts_ns is not None:
        date, time = wording.utc(failing.ts_ns).split(" ", 1)
        bound = "clock bound not known" if failing.bound_ns is None else f"± {wording.duration(failing.bound_ns)}"
        facts.append(Fact("When", time, f"{date}, {bound}"))
    if culprits := summary.others_to_look_at(verdict):
        facts.append(Fact("Look at", culprits))
    held = "" if waste.gpu_hours_held is None else f"of {wording.number(waste.gpu_hours_held)} held"
    if waste.gpu_hours_lost is not None:
        facts.append(Fact("GPU-hours lost", wording.number(waste.gpu_hours_lost), held))
    else:
        why = f"{held}: no step with a time was seen" if held else "GPUs or times were not captured"
        facts.append(Fact("GPU-hours lost", "not known", why))
    facts.append(_checkpoint(verdict))
    return facts


def _checkpoint(verdict: Verdict) -> Fact:
    """What to go on from; of a healthy run, where nothing has to go on, its last."""
    last = verdict.vitals.checkpoint_last
    if verdict.family == "G1" and last is not None:
        return Fact("Last checkpoint", wording.one_line(str(last.value), TEXT_LIMIT))
    return Fact("Last good checkpoint", verdict.next.last_good_checkpoint or "none seen")


def _stores(verdict: Verdict) -> tuple[str, ...]:
    return next((entry.stores for entry in verdict.families if entry.family == verdict.family), ())


def _rests_on(verdict: Verdict) -> str:
    stores = _stores(verdict)
    if not stores:
        return ""
    alone = " alone" if len(stores) == 1 else ""
    return f"rests on {' and '.join(stores) if len(stores) < 3 else ', '.join(stores)}{alone}"


def _cap(verdict: Verdict) -> str:
    """What holds the confidence down, where a threshold does."""
    caps = [t for t in verdict.thresholds if t.name.startswith("confidence.") and t.name.endswith("_cap")]
    cap = next((cap for cap in caps if abs(cap.value - verdict.confidence) < 1e-9), None)
    if cap is None:
        return ""
    several = verdict.family == "G1" and len(_stores(verdict)) > 1
    reason = "Not everything in which a failure would show was captured." if several else cap.reason
    return f"Held at {wording.number(cap.value)}: {reason}"


def _tally(families: Iterable[FamilyEntry]) -> str:
    counts = dict.fromkeys(STATUS, 0)
    for entry in families:
        counts[entry.status] += 1
    return ", ".join(f"{counts[status]} {word}" for status, word in STATUS.items())


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table of events: the same event of several ranks at about the same time stands in one."""

    ts_ns: int
    nodes: str
    ranks: str
    kind: str
    text: str


def _told(moments: tuple[Moment, ...]) -> list[Row]:
    """Moments worth a line in the table: everything but markers and kernel chatter."""
    groups: list[list[Moment]] = []
    open_: dict[tuple[str, str], list[Moment]] = {}
    for moment in moments:
        if moment.kind in ("marker", "kernel"):
            continue
        said = re.sub(rf"\brank ?{moment.rank}\b", "rank", moment.text)  # what it says of itself differs
        group = open_.get((moment.kind, said))
        if group is None or moment.ts_ns - group[0].ts_ns > _TOGETHER_NS:
            group = open_[moment.kind, said] = []
            groups.append(group)
        group.append(moment)
    return [_row(group) for group in groups]


def _row(group: list[Moment]) -> Row:
    first = group[0]
    ranks = wording.spans(moment.rank for moment in group if moment.rank is not None)
    return Row(first.ts_ns, wording.hosts(moment.node for moment in group), ranks, first.kind, first.text)


def _untold(story: Story, rows: int) -> str:
    parts = []
    if rows > MOST_MOMENTS:
        parts.append(f"{rows - MOST_MOMENTS:,} lines in the middle are left out of the table")
    if story.left_out:
        parts.append(f"{story.left_out:,} events of lesser weight are not drawn")
    if story.untimed:
        parts.append(f"{wording.plural(story.untimed, 'event')} without a time cannot be placed")
    return "; ".join(parts)


def _legend(chart: Chart) -> list[tuple[int, str, str]]:
    """(tone, kind, name) of what the chart draws; the faint extremes share one entry."""
    entries = [(line.tone, "line", line.name) for line in chart.lines if not line.faint]
    entries += [(band.tone, "band", band.name) for band in chart.bands]
    if any(line.faint for line in chart.lines):
        entries.append((chart.lines[0].tone, "faint", "least and greatest"))
    return entries


def _coverage(verdict: Verdict) -> list[CoverageRow]:
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for item in verdict.coverage:
        groups.setdefault((item.collector, item.outcome, item.detail), []).append(item)
    out = []
    for (collector, outcome, detail), items in groups.items():
        lengths = [i.to_ns - i.from_ns for i in items if i.from_ns is not None and i.to_ns is not None]
        texts = dict.fromkeys(wording.duration(ns) for ns in (min(lengths), max(lengths))) if lengths else ()
        nodes = wording.hosts({item.node for item in items})
        out.append(
            CoverageRow(
                collector, outcome, nodes, " to ".join(texts), _sum(items, "rows"), _sum(items, "drops"), detail
            )
        )
    return out


def _sum(items: list[Any], column: str) -> str:
    known = [value for item in items if (value := getattr(item, column)) is not None]
    return f"{sum(known):,}" if known else "not known"


def _not_captured(verdict: Verdict) -> str:
    """Collectors that captured nothing anywhere, and who is missing, in one sentence; empty when all is there."""
    seen = {item.collector for item in verdict.coverage if item.outcome in ("ok", "empty", "truncated")}
    lacking = sorted({item.collector for item in verdict.coverage} - seen)
    parts = [", ".join(lacking)] if lacking else []
    if verdict.bundle.missing_nodes:
        parts.append(f"nodes {wording.hosts(verdict.bundle.missing_nodes)}")
    if verdict.bundle.missing_ranks:
        parts.append(f"ranks {wording.spans(verdict.bundle.missing_ranks)}")
    return "; ".join(parts)


def _gaps(evidence: Evidence) -> list[dict[str, Any]]:
    gaps = lazy(evidence, "log_gaps", "node", "source", "reason", "bytes").group_by("node", "source", "reason")
    summed = gaps.agg(pl.col("bytes").sum(), count=pl.len()).sort("node", "source", "reason", nulls_last=True)
    return summed.head(MOST_GAPS).collect().to_dicts()


def _clocks(evidence: Evidence) -> list[tuple[str, str]]:
    """Bound and nodes; of many different bounds the least, and the greatest with their nodes."""
    groups: dict[int, list[str]] = {}
    unbounded = []
    for node, bound in evidence.info.offline_bound_ns.items():
        if bound is None:
            unbounded.append(node)
        else:
            groups.setdefault(bound, []).append(node)
    ordered = sorted(groups.items())
    told = [(f"± {wording.duration(bound)}", wording.hosts(nodes)) for bound, nodes in ordered]
    if len(told) > MOST_BOUNDS:
        rest = wording.hosts(node for _, nodes in ordered[: 1 - MOST_BOUNDS] for node in nodes)
        least, most = ordered[0][0], ordered[-MOST_BOUNDS][0]
        told = [(f"± {wording.duration(least)} to {wording.duration(most)}", rest), *told[1 - MOST_BOUNDS :]]
    if unbounded:
        told.append(("cannot be bounded against other nodes", wording.hosts(unbounded)))
    return told


def _redactions(evidence: Evidence) -> list[dict[str, Any]]:
    rules = lazy(evidence, "redactions", "rule", "in_table", "in_column", "count").filter(pl.col("rule") != UNMASKED)
    summed = rules.group_by("rule", "in_table", "in_column").agg(pl.col("count").sum())
    return summed.sort("rule", "in_table", "in_column", nulls_last=True).collect().to_dicts()


def _provenance(verdict: Verdict, evidence: Evidence) -> list[tuple[str, str]]:
    """Where the evidence comes from, and what it was held against."""
    told = _made_by(evidence)
    for name, held in (("parent", verdict.parent), ("baseline", verdict.baseline)):
        if held is not None:
            job = f"job {wording.one_line(held.job_id)}, " if held.job_id else ""
            told.append((f"Held against its {name}", f"{job}evidence digest {held.content_digest}"))
    return told


def _made_by(evidence: Evidence) -> list[tuple[str, str]]:
    manifest = evidence.info.manifest
    given = manifest.get("provenance") or {}
    known = [("Made by", given.get("user")), ("On", given.get("host")), ("Created", given.get("created"))]
    known += [("Arguments", " ".join(map(str, given.get("arguments") or ()))), ("Merged by", given.get("tool_version"))]
    unmasked = any(redaction.get("rule") == UNMASKED for redaction in manifest.get("redactions") or ())
    known += (
        [("UNREDACTED", "Secrets were left as they are (--no-mask): this report may hold some")] if unmasked else []
    )
    known += [("Format", f"{manifest['format']} {manifest['version']}")] if "format" in manifest else []
    return [(label, wording.one_line(str(text), TEXT_LIMIT)) for label, text in known if text]

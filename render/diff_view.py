"""A comparison of two runs as text, JSON and one HTML file in the manner of the report."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from inquest.analyze.diff import loss_by_step
from inquest.analyze.diff_read import TOPICS
from inquest.analyze.model import plain
from inquest.render import charts, wording
from inquest.render.page import page
from inquest.render.terminal import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console, RenderableType

    from inquest.analyze.diff import Diff, Difference, Side
    from inquest.analyze.evidence import Evidence

SHOWN: Final = 25
"""Differences a terminal shows."""

TOPIC_NAMES: Final = {topic: "GPUs" if topic == "gpus" else topic.capitalize() for topic in TOPICS}

_FEW: Final = 3
_POINTS: Final = 160
_LARGEST: Final = 1e100  # beyond it the arithmetic of an axis overflows


def to_json(diff: Diff) -> bytes:
    """Everything, as JSON: the contract."""
    text = json.dumps(plain(diff), indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8", "backslashreplace")


# --- terminal ---------------------------------------------------------------------------------------------------------
def show(diff: Diff, console: Console, most: int = SHOWN) -> None:
    """Print to ``console``: both runs, what differs in order, and what could not be compared."""
    parts: list[RenderableType] = [_sides(diff), Text("")]
    if not diff.differences:
        parts.append(Text("Nothing that was captured on both sides differs.", "bold"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for item in diff.differences[:most]:
        line = Text(wording.one_line(item.text, 300))
        if item.because:
            line.append(f"  [{wording.one_line(item.because, 120)}]", "yellow")
        grid.add_row(item.topic, line)
    parts.append(grid)
    if len(diff.differences) > most:
        parts.append(Text(f"... and {len(diff.differences) - most} more: --all, -o FILE.html or --json", "dim"))
    parts += [Text(""), *(_summary(diff))]
    console.print(Group(*parts), highlight=False, soft_wrap=False)


def to_text(diff: Diff) -> bytes:
    """All differences as plain text, 100 columns, UTF-8."""
    return plain_text(lambda console: show(diff, console, len(diff.differences)))


def _sides(diff: Diff) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for letter, side in (("A", diff.a), ("B", diff.b)):
        grid.add_row(letter, Text(f"{wording.one_line(side.name)}  ({size(side)})", "dim"))
        grid.add_row("", Text(f"{label(side)}: {wording.one_line(side.headline, 300)}"))
    return grid


def _summary(diff: Diff) -> list[Text]:
    lines = []
    if diff.same:
        counts = ", ".join(f"{n} of {topic}" for topic, n in _counts(item.topic for item in diff.same))
        lines.append(Text(f"Equal in both: {counts}.", "dim"))
    for lacks, words in (("a", "Only B tells"), ("b", "Only A tells")):
        told = [f"{item.name} ({item.why})" for item in diff.lacking if item.lacks == lacks]
        if told:
            lines.append(Text(f"{words}, so not compared: {wording.one_line(wording.listed(told, 6), 600)}.", "dim"))
    neither = [item.name for item in diff.lacking if item.lacks == "both"]
    if neither:
        lines.append(Text(f"Captured in neither: {wording.listed(neither, 6)}.", "dim"))
    return lines + [Text(wording.one_line(note, 300), "dim") for note in diff.notes]


def _counts(topics: Iterable[str]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for topic in topics:
        counts[topic] = counts.get(topic, 0) + 1
    return list(counts.items())


def label(side: Side) -> str:
    """The verdict of a side in two words."""
    return side.family or side.outcome.replace("_", " ")


def size(side: Side) -> str:
    """How large a side's run was."""
    parts = [f"job {wording.one_line(side.job_id)}"] if side.job_id else []
    parts.append(wording.plural(side.nodes, "node"))
    parts += [wording.plural(side.ranks, "rank")] if side.ranks else []
    parts += ["SIMULATED"] if side.simulated else []
    return ", ".join(parts)


# --- HTML -------------------------------------------------------------------------------------------------------------
def to_html(diff: Diff, a: Evidence, b: Evidence) -> bytes:
    """One file that loads nothing and runs nothing."""
    chart = _losses(a, b)
    return page(
        "diff.html.j2",
        diff=diff,
        sides=[("A", "the good run", diff.a), ("B", "the run in question", diff.b)],
        label=label,
        size=size,
        topics=TOPIC_NAMES,
        shown=[(item, *_cells(item)) for item in diff.differences],
        one_sided=[item for item in diff.lacking if item.lacks != "both"],
        neither=[item.name for item in diff.lacking if item.lacks == "both"],
        chart=None if chart is None else (chart, charts.svg(chart, "loss")),
    )


def _cells(item: Difference) -> tuple[str, str]:
    """What stands in the columns of A and of B."""
    if item.topic == "messages":
        count_a, count_b = (int(value[0] or 0) if value else 0 for value in (item.a, item.b))
        return (f"{count_a:,}" if count_a else "none", f"{count_b:,}" if count_b else "none")
    if item.change == "changed" and len({*item.a, *item.b}) > 2 * _FEW:
        gone, new = ([v for v in ours if v not in theirs] for ours, theirs in ((item.a, item.b), (item.b, item.a)))
        told = ((item.a, gone, "gone"), (item.b, new, "new"))
        cells = [
            f"{len(ours)}" + (f", of which {len(odd)} {word}: {_values(tuple(odd), item.unit)}" if odd else "")
            for ours, odd, word in told
        ]
        return cells[0], cells[1]
    return _values(item.a, item.unit), _values(item.b, item.unit)


def _values(values: tuple[object, ...], unit: str) -> str:
    if not values:
        return "not set"
    shown = [_value(value, unit) for value in values]
    return wording.listed(shown, _FEW)


def _value(value: object, unit: str) -> str:
    if unit == "1" and isinstance(value, float):
        return f"{value:.1%}"
    if isinstance(value, str):
        return wording.one_line(value, 300)
    return wording.quantity(value, unit) if isinstance(value, bool | int | float) else str(value)


def _losses(a: Evidence, b: Evidence) -> charts.Chart | None:
    """Training loss of both by step; None where either has none that can be drawn."""
    lines = []
    for tone, (name, evidence) in enumerate((("A", a), ("B", b)), 1):
        points = [
            (float(step), loss)
            for step, loss in loss_by_step(evidence).iter_rows()
            if math.isfinite(loss) and abs(loss) < _LARGEST
        ]
        every = max(1, -(-len(points) // _POINTS))
        kept = tuple(point for index, point in enumerate(points) if index % every == 0 or index == len(points) - 1)
        if not kept:
            return None
        lines.append(charts.Line(name, (kept,), tone=tone))
    return charts.Chart("Training loss by step", "", "step", tuple(lines))

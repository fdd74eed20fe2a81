"""What recurs in many bundles, as text, JSON and one HTML file with its pictures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from markupsafe import Markup
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from inquest.analyze.model import plain
from inquest.render import wording
from inquest.render.page import page
from inquest.render.terminal import plain_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

    from inquest.analyze.triage import Case, Cause, Recurring, Skipped, Triage

ROWS: Final = 10
"""Rows a terminal shows of each table."""

_MOST_JOBS, _MOST_NODES = 120, 24  # what a picture has room for
_CELL, _LEFT, _ROW = 10, 150, 17
_BAR, _BAR_LEFT, _BAR_WIDTH = 22, 260, 480

FATE_WORDS: Final = {
    "healthy": "healthy",
    "failed": "failed",
    "undecided": "not decided",
    "ended": "ended by a person or a plan",
}


def to_json(triage: Triage) -> bytes:
    """Everything, as JSON: the contract."""
    text = json.dumps(plain(triage), indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8", "backslashreplace")


def to_text(triage: Triage) -> bytes:
    """The terminal's view as plain text, with every row."""
    return plain_text(lambda console: show(triage, console, 1 << 20))


# --- terminal ---------------------------------------------------------------------------------------------------------
def show(triage: Triage, console: Console, most: int = ROWS) -> None:
    """Print to ``console``: what stands out first."""
    parts: list[RenderableType] = [Text(summary(triage), "bold")]
    if simulated := _simulated(triage):
        parts.append(Text(f"SIMULATED DATA: {simulated}", "reverse"))
    parts += [Text(line) for line in headlines(triage)]
    parts += _table(
        ("GPU-hours lost", "jobs", "cause", "lies with"),
        [(_hours(c.hours_lost), str(c.jobs), c.cause, _counts(c.attributions)) for c in triage.causes],
        most,
    )
    for title, recurring in (("node", triage.nodes), ("GPU", triage.gpus)):
        rows = [
            (
                _blamed(r),
                f"{r.expected:.2g}",
                _chance(r),
                f"{r.name}{f' ({r.also})' if r.also else ''}",
                _counts(r.causes),
            )
            for r in recurring
        ]
        parts += _table(("blamed", "by lot", "chance", title, "causes"), rows, most)
    chronic = [(f"{c.low} of {c.jobs}", f"{c.worst:.0%}", c.node) for c in triage.chronic]
    parts += _table(("slow in", "worst clock", "node that is slower than its peers"), chronic, most)
    if triage.skipped:
        parts += [Text(""), Text(f"Skipped {wording.plural(len(triage.skipped), 'file')}:", "bold")]
        parts += [Text(f"  {_skip(item)}") for item in triage.skipped[:most]]
        if len(triage.skipped) > most:
            parts.append(Text(f"  ... and {len(triage.skipped) - most} more: --json", "dim"))
    console.print(Group(*parts), highlight=False, soft_wrap=False)


def _skip(item: Skipped) -> str:
    """Which file was skipped and why; most reasons begin with the file."""
    path, why = wording.one_line(item.path), wording.one_line(item.why, 300)
    return why if why.startswith(path) else f"{path}: {why}"


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], most: int) -> list[RenderableType]:
    if not rows:
        return []
    table = Table(box=box.SIMPLE, pad_edge=False)
    for index, name in enumerate(names):
        table.add_column(name, justify="left" if index >= len(names) - 2 else "right", overflow="fold")
    for row in rows[:most]:
        table.add_row(*(Text(wording.one_line(cell, 160)) for cell in row))
    more = [Text(f"... and {len(rows) - most} more: -o FILE.html or --json", "dim")] if len(rows) > most else []
    return [Text(""), table, *more]


def summary(triage: Triage) -> str:
    """How many jobs, and what became of them."""
    fates = ", ".join(f"{count} {FATE_WORDS[fate]}" for fate, count in triage.fates if count)
    return f"{wording.plural(len(triage.cases), 'job')}: {fates or 'none'}."


def headlines(triage: Triage) -> list[str]:
    """What there is to say of hours, queue and energy, each in one sentence; nothing where it was not captured."""
    found = []
    for word, recurring in (("Node", triage.nodes), ("GPU", triage.gpus)):
        found += [
            f"{word} {wording.one_line(r.name)} is blamed for {r.blamed} failures; by lot it would be {r.expected:.2g}."
            for r in recurring
            if r.stands_out
        ]
    if triage.hours_scheduled is not None:
        parts = [f"{_hours(triage.hours_scheduled)} GPU-hours scheduled"]
        parts += [f"{_hours(triage.hours_delivered)} delivered"] if triage.hours_delivered is not None else []
        parts += [f"{_hours(triage.hours_lost)} lost"] if triage.hours_lost is not None else []
        unknown = f" (of {wording.plural(triage.hours_unknown, 'job')} it is not known)" if triage.hours_unknown else ""
        found.append(f"{', '.join(parts)}{unknown}.")
    if waits := triage.waits:
        times = [wording.duration(seconds * 1e9) for seconds in (waits.median_s, waits.p90_s, waits.longest_s)]
        found.append(
            f"In the queue: median {times[0]}, 90% within {times[1]}, longest {times[2]} "
            f"({wording.plural(waits.jobs, 'job')} whose wait is known)."
        )
    if energy := triage.energy:
        rate = "" if energy.healthy_per_kwh is None else f": {energy.healthy_per_kwh:.3g} healthy jobs per kWh"
        found.append(
            f"{wording.number(energy.kwh)} kWh of GPUs in {wording.plural(energy.jobs, 'job')} that measured it{rate}; "
            f"{wording.number(energy.kwh_lost)} kWh went into jobs that failed."
        )
    return found


def _simulated(triage: Triage) -> str:
    """How many jobs were not observed on real hardware; empty where all were."""
    count = sum(case.simulated for case in triage.cases)
    return f"{count} of {wording.plural(len(triage.cases), 'job')} were not observed on real hardware." if count else ""


def _hours(value: float | None) -> str:
    return "not known" if value is None else wording.number(value)


def _blamed(row: Recurring) -> str:
    return f"{row.blamed} of {row.jobs}" + (" !" if row.stands_out else "")


def _chance(row: Recurring) -> str:
    return f"{row.chance:.2g}"


def _counts(pairs: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name}{f' x{count}' if count > 1 else ''}" for name, count in pairs)


# --- HTML -------------------------------------------------------------------------------------------------------------
def to_html(triage: Triage) -> bytes:
    """One file that loads nothing and runs nothing."""
    return page(
        "triage.html.j2",
        triage=triage,
        summary=summary(triage),
        headlines=headlines(triage),
        simulated=_simulated(triage),
        fates=FATE_WORDS,
        hours=_hours,
        counts=_counts,
        blamed=_blamed,
        chance=_chance,
        bars=_bars(triage.causes),
        grid=_grid(triage),
        skip=_skip,
        drawn=(min(_MOST_JOBS, len(triage.cases)), min(_MOST_NODES, len(_suspects(triage)))),
    )


def _bars(causes: Sequence[Cause]) -> Markup | None:
    """Lost GPU-hours by cause; None where they are known of none."""
    known = [(cause.cause, cause.hours_lost) for cause in causes if cause.hours_lost]
    if not known:
        return None
    shown = known[:12]
    top = max(hours for _, hours in shown)
    height = _BAR * len(shown) + 4
    told = "; ".join(f"{name} {wording.number(hours)}" for name, hours in shown)
    out = [_svg("bars", _BAR_LEFT + _BAR_WIDTH + 70, height, "GPU-hours lost by cause", told)]
    for index, (name, hours) in enumerate(shown):
        y = index * _BAR
        width = max(1.0, round(_BAR_WIDTH * hours / top, 1))
        out.append(f'<text class="lane end" x="{_BAR_LEFT - 8}" y="{y + 15}">{_esc(name, 40)}</text>')
        out.append(f'<path class="bar" d="M{_BAR_LEFT} {y + 4}h{width}v14h-{width}Z"/>')
        label = _esc(wording.number(hours), 20)
        out.append(f'<text class="tick" x="{_BAR_LEFT + width + 6}" y="{y + 15}">{label}</text>')
    out.append("</svg>")
    return Markup("".join(out))


def _suspects(triage: Triage) -> list[str]:
    """Nodes worth a row: blamed or slow, those that stand out first."""
    names = [row.name for row in triage.nodes]
    return list(dict.fromkeys((*names, *(row.node for row in triage.chronic))))


def _grid(triage: Triage) -> Markup | None:
    """Nodes by jobs in time: where a node took part, where it was blamed, where it was slow."""
    suspects = _suspects(triage)[:_MOST_NODES]
    jobs = triage.cases[-_MOST_JOBS:]
    if not suspects:
        return None
    width, height = _LEFT + _CELL * len(jobs) + 10, _ROW * len(suspects) + 34
    told = f"{len(suspects)} nodes in {len(jobs)} jobs, in the order in which these began"
    out = [_svg("grid", width, height, "Nodes that were blamed, job by job", told)]
    for row, node in enumerate(suspects):
        y = row * _ROW + 12
        out.append(f'<text class="lane end" x="{_LEFT - 8}" y="{y + 4}">{_esc(node, 22)}</text>')
        out += [mark for column, case in enumerate(jobs) if (mark := _mark(case, node, _LEFT + column * _CELL + 5, y))]
    base = _ROW * len(suspects) + 8
    out.append(f'<path class="axis" d="M{_LEFT} {base}H{_LEFT + _CELL * len(jobs)}"/>')
    ends = [(jobs[0], _LEFT, ""), *([(jobs[-1], _LEFT + _CELL * len(jobs), " end")] if len(jobs) > 16 else [])]
    for case, x, anchor in ends:
        day = "time not known" if case.start_ns is None else wording.utc(case.start_ns, 0)[:10]
        out.append(f'<text class="tick{anchor}" x="{x}" y="{base + 16}">{day}</text>')
    out.append("</svg>")
    return Markup("".join(out))


def _mark(case: Case, node: str, x: int, y: int) -> str:
    title = f"<title>{_esc(f'{node}, {case.job_id or case.path}: {case.cause}', 200)}</title>"
    if node in case.blamed_nodes:
        return f'<path class="ev error" d="M{x - 4} {y - 4}h8v8h-8Z">{title}</path>'
    if any(low.node == node for low in case.low_nodes):
        return f'<path class="slow" d="M{x - 4} {y + 3}L{x} {y - 4}L{x + 4} {y + 3}Z">{title}</path>'
    if node in case.nodes:
        return f'<path class="took-part" d="M{x - 1} {y - 1}h2v2h-2Z">{title}</path>'
    return ""


def _svg(ident: str, width: int, height: int, title: str, told: str) -> str:
    return (
        f'<svg class="drawn" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="{ident}-t {ident}-d">'
        f'<title id="{ident}-t">{_esc(title, 200)}</title><desc id="{ident}-d">{_esc(told, 1000)}</desc>'
    )


def _esc(text: str, limit: int) -> Markup:
    text = wording.one_line(text)
    return Markup.escape(text if len(text) <= limit else f"{text[: limit - 1]}…")

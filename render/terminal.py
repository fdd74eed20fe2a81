"""The verdict on a terminal: one screen of 25 lines, the same facts as the report's first page.

Where all does not fit, less of each is said, evidence last of all, and how much was left out.

Foreign text goes through ``wording.harmless`` and is never parsed as markup, so that a log line cannot move the cursor,
set the title of the window or forge a line of the verdict.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from inquest.render import summary, vitals, wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim, Verdict

name: Final = "verdict"
extension: Final = "txt"

PLAIN_WIDTH: Final = 100

_HEADLINE: Final = 300
LINES: Final = 25
"""Lines a verdict takes: a terminal of 80 by 25 shows it without scrolling."""


@dataclass(frozen=True, slots=True)
class _Room:
    """How much is said: items of each section, and characters of one text."""

    claims: int
    links: int
    implies: int
    open: int
    vitals: bool
    chars: int


_ROOMS: Final = (
    _Room(5, 4, 2, 2, True, 240),
    _Room(5, 3, 1, 1, True, 200),
    _Room(4, 3, 1, 1, True, 160),
    _Room(4, 3, 0, 1, True, 140),
    _Room(3, 2, 0, 1, True, 120),
    _Room(3, 2, 0, 1, False, 110),
    _Room(2, 2, 0, 1, False, 100),
    _Room(2, 2, 0, 0, False, 76),
    _Room(1, 1, 0, 0, False, 60),
)
_STYLE: Final = {"decided": "bold red", "cannot_decide": "bold yellow", "outside_families": "bold magenta"}


def render(verdict: Verdict, evidence: Evidence) -> bytes:
    """Plain text, 100 columns, UTF-8."""
    return plain_text(lambda console: show(verdict, evidence, console))


def plain_text(show: Callable[[Console], None]) -> bytes:
    """What ``show`` prints to a console without colours, ``PLAIN_WIDTH`` wide, as UTF-8."""
    text = io.StringIO()
    show(Console(file=text, width=PLAIN_WIDTH, color_system=None, force_terminal=False, highlight=False))
    plain = "\n".join(line.rstrip() for line in text.getvalue().splitlines())
    return f"{plain}\n".encode("utf-8", "replace")


def show(verdict: Verdict, evidence: Evidence, console: Console) -> None:
    """Print to ``console``, which knows about NO_COLOR, pipes and width.

    Characters its encoding lacks become question marks: a terminal that is not UTF-8 is no reason to fail.
    """
    del evidence
    with console.capture() as captured:
        console.print(_fitting(verdict, console), highlight=False, soft_wrap=False)
    console.file.write(captured.get().encode(console.encoding, "replace").decode(console.encoding))


def _fitting(verdict: Verdict, console: Console) -> Group:
    """As much as ``LINES`` hold at the width of the console."""
    for room in _ROOMS[:-1]:
        group = Group(*_parts(verdict, room))
        if len(console.render_lines(group, pad=False)) <= LINES:
            return group
    return Group(*_parts(verdict, _ROOMS[-1]))


def _parts(verdict: Verdict, room: _Room) -> list[RenderableType]:
    def text(foreign: str) -> str:
        return _cut(foreign, room.chars)

    parts: list[RenderableType] = [_title(verdict)]
    if verdict.bundle.simulated:
        parts.append(Text("SIMULATED DATA: nothing below was observed on real hardware.", "bold reverse"))
    parts.append(Text(_cut(verdict.headline, _HEADLINE), "bold"))
    if said := summary.nothing_found(verdict):
        parts.append(Text(said))
    parts += [Text(""), _facts(verdict, room)]
    links = [
        Text.assemble(
            (f"{wording.clock(link.ts_ns)} " if link.ts_ns is not None else "", "dim"),
            (f"{link.family or ''} {link.role}: ".lstrip(), "bold" if link.role == "trigger" else ""),
            text(link.text),
        )
        for link in verdict.chain[: room.links]
    ]
    parts += _section("Chain", links, len(verdict.chain))
    parts += _section("Shows", [_claim(claim, room) for claim in verdict.shows[: room.claims]], len(verdict.shows))
    parts += _vitals(verdict, room)
    implies = [Text(text(item)) for item in verdict.implies[: room.implies]]
    parts += _section("Implies", implies, len(verdict.implies))
    open_questions = [
        Text(f"{text(item.text)} (lacks {text(item.missing)})") for item in verdict.cannot_decide[: room.open]
    ]
    parts += _section("Cannot decide", open_questions, len(verdict.cannot_decide))
    parts.append(_families(verdict))
    return parts


def _title(verdict: Verdict) -> Text:
    return Text.assemble(
        (
            f" {summary.label(verdict)} ",
            f"{_STYLE[verdict.outcome] if verdict.family != 'G1' else 'bold green'} reverse",
        ),
        f"  confidence {verdict.confidence:.2f}",
        (f"  {summary.subject(verdict)}", "dim"),
    )


def _facts(verdict: Verdict, room: _Room) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    failing = summary.place(verdict.first_failing)
    grid.add_row("who must act", Text(summary.owner(verdict)))
    if failing or verdict.first_failing.ts_ns is not None:
        where = ", ".join(part for part in (failing, summary.moment(verdict.first_failing)) if part)
        grid.add_row("first failing", Text(where))
    if culprits := summary.others_to_look_at(verdict):
        grid.add_row("look at", Text(culprits))
    if verdict.waste.gpu_hours_lost is not None:
        held = verdict.waste.gpu_hours_held
        of = f" of {wording.number(held)} held" if held is not None else ""
        grid.add_row("GPU-hours lost", Text(f"{wording.number(verdict.waste.gpu_hours_lost)}{of}"))
    action, checkpoint = verdict.next.action, verdict.next.last_good_checkpoint
    grid.add_row("next", Text(_cut(action, 2 * room.chars)))
    if checkpoint and checkpoint not in action:
        grid.add_row("last checkpoint", Text(_cut(checkpoint, room.chars)))
    return grid


def _vitals(verdict: Verdict, room: _Room) -> list[RenderableType]:
    """Vitals in one paragraph: the report says what each means."""
    told = "; ".join(f"{line.label} {line.text}" for line in vitals.lines(verdict)) if room.vitals else ""
    return _section("Vitals", [Text(_cut(told, 2 * room.chars))] if told else [], 1)


def _claim(claim: Claim, room: _Room) -> Text:
    value = _cut(wording.quantity(claim.value, claim.unit), room.chars)
    return Text.assemble((f"[{claim.id}] ", "dim"), _cut(claim.text, room.chars), ": ", (value, "bold"))


def _cut(text: str, chars: int) -> str:
    """``text`` as one harmless line, its end left out where that saves more than a word."""
    line = wording.one_line(text, 10 * _HEADLINE)
    return line if len(line) <= chars + 12 else f"{line[:chars].rstrip()}…"


def _section(title: str, lines: list[Text], total: int) -> list[RenderableType]:
    if not lines:
        return []
    more = f" ({len(lines)} of {total})" if total > len(lines) else ""
    return [Text.assemble((title, "bold cyan"), (more, "dim")), *(Padding(line, (0, 0, 0, 2)) for line in lines)]


def _families(verdict: Verdict) -> Text:
    groups = [
        (word, [entry.family for entry in verdict.families if entry.status == status])
        for word, status in (("ruled in", "ruled_in"), ("ruled out", "ruled_out"), ("cannot decide", "cannot_decide"))
    ]
    return Text("  ".join(f"{word}: {' '.join(ids)}" for word, ids in groups if ids), "dim")

"""The verdict on a terminal: one screen, the same facts as the report's first page.

Foreign text goes through ``wording.harmless`` and is never parsed as markup, so that a log line cannot move the cursor,
set the title of the window or forge a line of the verdict.
"""

from __future__ import annotations

import io
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
_CLAIMS, _LINKS, _OPEN = 5, 4, 2
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
        console.print(Group(*_parts(verdict)), highlight=False, soft_wrap=False)
    console.file.write(captured.get().encode(console.encoding, "replace").decode(console.encoding))


def _parts(verdict: Verdict) -> list[RenderableType]:
    parts: list[RenderableType] = [_title(verdict)]
    if verdict.bundle.simulated:
        parts.append(Text("SIMULATED DATA: nothing below was observed on real hardware.", "bold reverse"))
    parts.append(Text(wording.one_line(verdict.headline), "bold"))
    if verdict.family == "G1":
        parts.append(Text(summary.NOTHING_FOUND))
    parts += [Text(""), _facts(verdict)]
    if verdict.chain:
        links = [
            Text.assemble(
                (f"{wording.clock(link.ts_ns)} ", "dim"),
                (f"{link.family or '--'} {link.role}: ", "bold" if link.role == "trigger" else ""),
                wording.one_line(link.text, 240),
            )
            for link in verdict.chain[:_LINKS]
        ]
        parts += _section("Chain", links, len(verdict.chain))
    parts += _section("Shows", [_claim(claim) for claim in verdict.shows[:_CLAIMS]], len(verdict.shows))
    parts += _vitals(verdict)
    parts += _section(
        "Implies", [Text(wording.one_line(text, 240)) for text in verdict.implies[:_OPEN]], len(verdict.implies)
    )
    open_questions = [
        Text(f"{wording.one_line(item.text, 200)} (lacks {wording.one_line(item.missing, 120)})")
        for item in verdict.cannot_decide[:_OPEN]
    ]
    parts += _section("Cannot decide", open_questions, len(verdict.cannot_decide))
    parts += [Text(""), _families(verdict)]
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


def _facts(verdict: Verdict) -> Table:
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
    grid.add_row("next", Text(wording.one_line(verdict.next.action)))
    if verdict.next.last_good_checkpoint:
        grid.add_row("last checkpoint", Text(wording.one_line(verdict.next.last_good_checkpoint)))
    return grid


def _vitals(verdict: Verdict) -> list[RenderableType]:
    """All vitals in one paragraph: the report says what each means."""
    told = [f"{line.label} {line.text}" for line in vitals.lines(verdict)]
    return _section("Vitals", [Text("; ".join(told))] if told else [], 1)


def _claim(claim: Claim) -> Text:
    value = wording.quantity(claim.value, claim.unit)
    return Text.assemble((f"[{claim.id}] ", "dim"), wording.one_line(claim.text, 240), ": ", (value, "bold"))


def _section(title: str, lines: list[Text], total: int) -> list[RenderableType]:
    if not lines:
        return []
    more = [Text(f"... and {total - len(lines)} more in the report", "dim")] if total > len(lines) else []
    return [Text(title, "bold cyan"), *(Padding(line, (0, 0, 0, 2)) for line in (*lines, *more))]


def _families(verdict: Verdict) -> Text:
    groups = [
        (word, [entry.family for entry in verdict.families if entry.status == status])
        for word, status in (("ruled in", "ruled_in"), ("ruled out", "ruled_out"), ("cannot decide", "cannot_decide"))
    ]
    return Text("  ".join(f"{word}: {' '.join(ids)}" for word, ids in groups if ids), "dim")

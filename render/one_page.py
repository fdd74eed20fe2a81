"""The verdict on one sheet of paper: what a manager or a vendor reads, printed from any browser on A4 or Letter.

Everything is cut to what one sheet holds, and what was left out is counted: the report has it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.render import summary, vitals, wording
from inquest.render.page import page

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict

name: Final = "one-page"
extension: Final = "html"

_HEADLINE, _ACTION, _LINE, _POINT, _SHORT = 180, 240, 140, 110, 70
_LINKS, _CLAIMS, _POINTS, _VITALS = 3, 4, 1, 6


def render(verdict: Verdict, evidence: Evidence) -> bytes:
    """One HTML file that prints on one page."""
    del evidence
    bundle = verdict.bundle
    return page(
        "one_page.html.j2",
        verdict=verdict,
        label=_cut(summary.label(verdict), _SHORT),
        subject=_cut(summary.subject(verdict), _SHORT),
        headline=_cut(verdict.headline, _HEADLINE),
        nothing_found=summary.nothing_found(verdict),
        action=_cut(verdict.next.action, _ACTION),
        facts=[(term, _cut(text, _SHORT)) for term, text in _facts(verdict) if text],
        chain=[
            (
                "" if link.ts_ns is None else wording.clock(link.ts_ns),
                f"{link.role} {link.family or ''}".strip(),
                _cut(link.text, _LINE),
            )
            for link in verdict.chain[:_LINKS]
        ],
        claims=[
            (claim.id, _cut(claim.text, _LINE), _cut(wording.quantity(claim.value, claim.unit), _SHORT))
            for claim in verdict.shows[:_CLAIMS]
        ],
        more_claims=max(0, len(verdict.shows) - _CLAIMS),
        vitals=[(line.label, _cut(line.text, _SHORT)) for line in vitals.lines(verdict)[:_VITALS]],
        points=[
            (title, [_cut(text, _POINT) for text in texts[:_POINTS]], max(0, len(texts) - _POINTS))
            for title, texts in (
                ("What that implies", verdict.implies),
                ("What it cannot decide", tuple(f"{m.text} (lacks {m.missing})" for m in verdict.cannot_decide)),
                ("Also seen", verdict.warnings),
            )
            if texts
        ],
        families=[
            (word, " ".join(entry.family for entry in verdict.families if entry.status == status))
            for word, status in (
                ("Ruled in", "ruled_in"),
                ("Ruled out", "ruled_out"),
                ("Cannot decide", "cannot_decide"),
            )
        ],
        period="no times captured" if bundle.start_ns is None else wording.utc(bundle.start_ns, 0),
    )


def _facts(verdict: Verdict) -> list[tuple[str, str]]:
    failing, waste = verdict.first_failing, verdict.waste
    lost = ""
    if waste.gpu_hours_lost is not None:
        of = "" if waste.gpu_hours_held is None else f" of {wording.number(waste.gpu_hours_held)} held"
        lost = f"{wording.number(waste.gpu_hours_lost)}{of}"
    return [
        ("Who must act", summary.owner(verdict)),
        ("Confidence", f"{verdict.confidence:.2f}"),
        ("First failing", summary.place(failing)),
        ("When", summary.moment(failing) if failing.ts_ns is not None else ""),
        ("Look at", summary.others_to_look_at(verdict)),
        ("GPU-hours lost", lost),
        ("Last good checkpoint", verdict.next.last_good_checkpoint or ""),
    ]


def _cut(text: str, chars: int) -> str:
    line = wording.one_line(text, 10_000)
    return line if len(line) <= chars else f"{line[: chars - 1].rstrip()}…"

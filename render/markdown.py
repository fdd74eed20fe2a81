"""The verdict as Markdown for a ticket: pasted into GitHub, GitLab, Jira or a mail, it reads the same.

Text of the job is a stranger's. In a line it has its marks escaped, and ``@name`` calls nobody; longer text stands in a
fence longer than any it holds itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from inquest.render import summary, vitals, wording

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim, Verdict

name: Final = "verdict"
extension: Final = "md"

_EXCERPT: Final = 1200
_CLAIMS: Final = 12
_MARKS: Final = re.compile(r"([\\`*{}\[\]<>#|~]|(?<![^\W_])_|_(?![^\W_]))")
_CALL: Final = re.compile(r"@(?=\w)")
_LINE_START: Final = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])")


def render(verdict: Verdict, evidence: Evidence) -> bytes:
    """Markdown, UTF-8."""
    del evidence
    lines = [f"## {text(summary.label(verdict))}", "", f"**{text(verdict.headline)}**", ""]
    if verdict.bundle.simulated:
        lines += ["> **Simulated data**: nothing here was observed on real hardware.", ""]
    if said := summary.nothing_found(verdict):
        lines += [said, ""]
    lines += [*_facts(verdict), ""]
    if verdict.chain:
        lines += ["### Chain of events", ""]
        for number, link in enumerate(verdict.chain, 1):
            when = f"{wording.clock(link.ts_ns)} " if link.ts_ns is not None else ""
            who = f"**{link.role}**{f' {link.family}' if link.family else ''}"
            lines.append(f"{number}. {when}{who}: {text(link.text)}")
        lines.append("")
    if verdict.shows:
        lines += ["### What the evidence shows", ""]
        for claim in verdict.shows[:_CLAIMS]:
            lines += _claim(claim)
        if len(verdict.shows) > _CLAIMS:
            lines.append(f"- ... and {len(verdict.shows) - _CLAIMS} more claims in verdict.json")
        lines.append("")
    told = vitals.lines(verdict)
    lines += _list("Vitals", [f"{line.label}: {line.text}{f' ({line.more})' if line.more else ''}" for line in told])
    lines += _list("What that implies", list(verdict.implies))
    lines += _list("What it cannot decide", [f"{item.text} (lacks {item.missing})" for item in verdict.cannot_decide])
    lines += _list("Also seen", list(verdict.warnings))
    lines += [_families(verdict), "", _footer(verdict)]
    whole = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    return (whole.rstrip() + "\n").encode("utf-8", "replace")


def text(foreign: str) -> str:
    """One line of any text, with nothing in it that Markdown acts on."""
    line = _MARKS.sub(r"\\\1", wording.one_line(foreign, 2000))
    # A word joiner has no width and cannot be seen: whoever is named in a log is not called to the ticket.
    return _LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", _CALL.sub("@\u2060", line))


def fence(foreign: str) -> list[str]:
    """Text of the job as a block of code, whatever it holds."""
    body = wording.harmless(foreign, _EXCERPT)
    marks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
    return [f"{marks}text", *body.splitlines(), marks]


def _facts(verdict: Verdict) -> list[str]:
    rows = [("Job", summary.subject(verdict)), ("Confidence", f"{verdict.confidence:.2f}")]
    rows.append(("Who must act", summary.owner(verdict)))
    where = ", ".join(part for part in (summary.place(verdict.first_failing), _when(verdict)) if part)
    rows += [("First failing", where)] if where else []
    rows += [("Look at", others)] if (others := summary.others_to_look_at(verdict)) else []
    if verdict.waste.gpu_hours_lost is not None:
        held = verdict.waste.gpu_hours_held
        of = f" of {wording.number(held)} held" if held is not None else ""
        rows.append(("GPU-hours lost", f"{wording.number(verdict.waste.gpu_hours_lost)}{of}"))
    rows.append(("Next", verdict.next.action))
    rows += [("Last good checkpoint", verdict.next.last_good_checkpoint)] if verdict.next.last_good_checkpoint else []
    return ["| | |", "| --- | --- |", *(f"| {label} | {text(value)} |" for label, value in rows)]


def _when(verdict: Verdict) -> str:
    return summary.moment(verdict.first_failing) if verdict.first_failing.ts_ns is not None else ""


def _claim(claim: Claim) -> list[str]:
    value = wording.quantity(claim.value, claim.unit)
    lines = [f"- `{claim.id}` {text(claim.text)}: **{text(value)}**"]
    if claim.excerpt and claim.excerpt.strip() not in f"{claim.text} {claim.value}":
        lines += ["", *(f"  {line}".rstrip() for line in fence(claim.excerpt)), ""]
    return lines


def _list(title: str, items: list[str]) -> list[str]:
    return [f"### {title}", "", *(f"- {text(item)}" for item in items), ""] if items else []


def _families(verdict: Verdict) -> str:
    groups = [
        (word, [entry.family for entry in verdict.families if entry.status == status])
        for word, status in (("Ruled in", "ruled_in"), ("ruled out", "ruled_out"), ("cannot decide", "cannot_decide"))
    ]
    return "; ".join(f"{word}: {' '.join(ids)}" for word, ids in groups if ids) + "."


def _footer(verdict: Verdict) -> str:
    digest = verdict.bundle.content_digest
    again = "`inquest cite JOB.inquest ID` runs a claim again."
    return f"Decided by inquest {verdict.tool_version} about evidence `{digest}`. {again}"

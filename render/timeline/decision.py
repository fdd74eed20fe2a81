"""The verdict's own tracks: the decision, its chain with arrows to where it happened, and every claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.render import summary
from inquest.render.claim_times import claim_times
from inquest.render.perfetto import Arrows
from inquest.render.timeline.canvas import timing
from inquest.render.wording import hosts, one_line, quantity

if TYPE_CHECKING:
    from inquest.analyze.model import Claim
    from inquest.render.timeline.canvas import Args, Canvas

CLAIMS: Final = "claims"
"""Name of the track of claims."""


def claim_name(claim_id: str) -> str:
    """Name of a claim's instant."""
    return f"claim {claim_id}"


def draw(canvas: Canvas) -> None:
    """Draw it last: only then is it known what was thinned."""
    _about(canvas)
    verdict = canvas.verdict
    begin = verdict.first_failing.ts_ns
    args: Args = {"family": verdict.family, "confidence": verdict.confidence}
    args |= {"headline": one_line(verdict.headline), "next": one_line(verdict.next.action), **timing(begin)}
    args["claims"] = " ".join(claim.id for claim in verdict.shows) or None
    canvas.trace.instant(canvas.verdict_track, canvas.at(begin), summary.label(verdict), "verdict", args)
    _chain(canvas)
    if verdict.shows:
        track = canvas.trace.track(CLAIMS, canvas.verdict_track, order=2)
        times = claim_times(verdict, canvas.evidence)
        for claim in verdict.shows:
            _claim(canvas, claim, track, times.get(claim.id))


def _about(canvas: Canvas) -> None:
    verdict = canvas.verdict
    bounds = sorted(canvas.evidence.info.offline_bound_ns.items())
    widest = max((bound for _, bound in bounds if bound is not None), default=None)
    unbounded = hosts(node for node, bound in bounds if bound is None)
    args: Args = {
        "tool_version": verdict.tool_version,
        "content_digest": verdict.bundle.content_digest,
        "job_id": one_line(verdict.bundle.job_id or "not captured"),
        "clock": "UTC, nanoseconds, aligned across nodes",
        "clock_bound_ns": widest,
        "clock_not_bounded": unbounded or None,
        "simulated": verdict.bundle.simulated,
        "thinned": "; ".join(canvas.notes) or "nothing",
    }
    canvas.trace.instant(canvas.verdict_track, canvas.origin, "about this trace", "about", args)


def _chain(canvas: Canvas) -> None:
    """Every link on the track of the verdict, and once more where it happened, with arrows from one to the next."""
    verdict = canvas.verdict
    timed = [link for link in verdict.chain if link.ts_ns is not None]
    if verdict.chain:
        track = canvas.trace.track("chain", canvas.verdict_track, order=1)
        for link in verdict.chain:
            label = f"{link.role}: {link.family}" if link.family else link.role
            args = {"text": one_line(link.text), "family": link.family, **timing(link.ts_ns)}
            canvas.trace.instant(track, canvas.at(link.ts_ns), label, "chain", args)
    arrows = [canvas.flow() for _ in timed[1:]]
    for index, link in enumerate(timed):
        home = canvas.events(link.node, link.rank) if link.node is not None else None
        canvas.trace.instant(
            canvas.verdict_track if home is None else home,
            canvas.at(link.ts_ns),
            one_line(f"{link.role}: {link.text}", 120),
            "verdict_here",
            {"text": one_line(link.text), "family": link.family},
            Arrows(arrows[index] if index < len(arrows) else None, arrows[index - 1] if index else None),
        )


def _claim(canvas: Canvas, claim: Claim, track: int, ts_ns: int | None) -> None:
    families = [entry.family for entry in canvas.verdict.families if claim.id in entry.claims]
    args: Args = {"claim": claim.id, "families": " ".join(families) or None}
    args |= {"text": one_line(claim.text), "value": quantity(claim.value, claim.unit), "sql": one_line(claim.sql)}
    canvas.trace.instant(track, canvas.at(ts_ns), claim_name(claim.id), "claim", {**args, **timing(ts_ns)})

"""Errors, exits, signals and markers of ranks and nodes, and what the kernel said, as instants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.render.timeline import canvas as limits
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from inquest.render.moments import Moment
    from inquest.render.timeline.canvas import Args, Canvas

_WEIGHTS = ("error", "exit", "signal", "follows", "marker", "kernel")
"""What is kept first where too much happened."""


def draw(canvas: Canvas) -> None:
    """Draw every moment but the scheduler's, which has its own layer."""
    kernel: dict[str, int] = {}
    for moment in _kept(canvas):
        parent = canvas.node(moment.node) if moment.kind == "kernel" else None
        if parent is not None:
            if moment.node not in kernel:
                kernel[moment.node] = canvas.track("Kernel log", parent, order=3)
            track: int | None = kernel[moment.node]
        else:
            track = canvas.events(moment.node, moment.rank)
        if track is None:
            continue
        args: Args = {"text": moment.text, "table": moment.table, "seq": moment.seq}
        args["claims"] = canvas.claims_on(moment.table, moment.node, moment.seq)
        canvas.trace.instant(track, moment.ts_ns, one_line(moment.text, 80) or moment.kind, moment.kind, args)
    if canvas.story.untimed:
        canvas.notes.append(f"{canvas.story.untimed:,} events have no time and are not drawn")


def _kept(canvas: Canvas) -> list[Moment]:
    """The moments to draw, in order of time; of too many those of most weight, the earliest first."""
    told = [moment for moment in canvas.story.moments if moment.kind != "scheduler"]
    left_out = canvas.story.left_out + max(0, len(told) - limits.MOST_INSTANTS)
    if left_out:
        canvas.notes.append(f"{left_out:,} events of lesser weight are not drawn")
    if len(told) <= limits.MOST_INSTANTS:
        return told
    by_weight = sorted(range(len(told)), key=lambda index: (_WEIGHTS.index(told[index].kind), index))
    return [told[index] for index in sorted(by_weight[: limits.MOST_INSTANTS])]

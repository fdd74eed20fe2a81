"""The run as a Perfetto trace: a process a node, a thread a rank, and the verdict on a track of its own.

What a rank never returned from is a slice without an end. Nothing is drawn at a time that was not captured, except the
instants of the verdict that have none: these stand at the begin of the trace and say so. What was thinned out to keep
the trace below a million events is stated in the instant "about this trace".

A layer is one file with one function, ``draw``, and one entry in ``LAYERS``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.render.timeline import (
    calls,
    collectives,
    counters,
    decision,
    events,
    lives,
    phases,
    scheduler,
    spans,
    stacks,
    steps,
)
from inquest.render.timeline.canvas import Canvas

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict

name: Final = "timeline"
extension: Final = "pftrace"

LAYERS: Final = (
    scheduler,
    lives,
    steps,
    phases,
    collectives,
    calls,
    stacks,
    spans,
    events,
    counters,
    decision,
)
"""What is drawn, in this order; the decision comes last, because it says what the others left out."""


def render(verdict: Verdict, evidence: Evidence) -> bytes:
    """The trace as bytes."""
    canvas = Canvas(verdict, evidence)
    for layer in LAYERS:
        layer.draw(canvas)
    return canvas.trace.finish()

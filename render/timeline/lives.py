"""A slice a process; it stays open where the process was never seen to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Args, Canvas


def draw(canvas: Canvas) -> None:
    """Draw tasks, launchers and ranks."""
    for life in canvas.story.lives:
        if life.role not in ("task", "launcher", "rank"):
            continue
        parent = canvas.node(life.node) if life.rank is None else canvas.rank(life.rank)
        if parent is None:
            continue
        track = canvas.track(f"process {life.pid} ({life.command})", parent, order=1)
        args: Args = {"pid": life.pid, "role": life.role, "ended": life.outcome or "never seen to end"}
        canvas.trace.begin(track, life.begin_ns, f"{life.role} alive", "process", args)
        if life.end_ns is not None:
            canvas.trace.end(track, max(life.end_ns, life.begin_ns))

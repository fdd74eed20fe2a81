"""Stacks taken when the job fell silent: an instant a thread, its innermost line as the name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.render.moments import MOST_A_KIND
from inquest.render.tables import lazy
from inquest.render.timeline.canvas import cited
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from inquest.render.timeline.canvas import Args, Canvas

_STACK_TEXT: Final = 4000


def draw(canvas: Canvas) -> None:
    """Draw each look at a thread; of one kind (Python, kernel ...) a track under the rank."""
    columns = ("ts_ns", "node", "capture", "seq", "pid", "rank", "tid", "stack_id", "thread_name", "reason")
    looks = (
        lazy(canvas.evidence, "stack_samples", *columns)
        .filter(pl.col("ts_ns").is_not_null())
        .join(
            lazy(canvas.evidence, "stacks", "node", "capture", "stack_id", "kind", "text").unique(
                ["node", "capture", "stack_id"], keep="any"
            ),
            on=["node", "capture", "stack_id"],
        )
        # Threads of one look share an instant; the main thread's comes first.
        .sort(pl.col("ts_ns"), "node", pl.col("pid"), pl.col("tid") != pl.col("pid"), "tid", "kind", "seq")
    )
    drawn = looks.head(MOST_A_KIND + 1).collect()
    if drawn.height > MOST_A_KIND:
        canvas.notes.append(f"the first {MOST_A_KIND:,} stacks are drawn")
    tracks: dict[tuple[int, str], int] = {}
    for row in drawn.head(MOST_A_KIND).iter_rows(named=True):
        parent = canvas.home(row["node"], row["rank"])
        if parent is None:
            continue
        name = f"stacks ({one_line(row['kind'] or 'unknown', 40)})"
        if (parent, name) not in tracks:
            tracks[parent, name] = canvas.track(name, parent, order=3)
        text = row["text"] or ""
        args: Args = {"pid": row["pid"], "tid": row["tid"], "thread": one_line(row["thread_name"] or "") or None}
        args |= {"reason": one_line(row["reason"] or "") or None, **cited("stack_samples", row)}
        args["stack"] = one_line(text.replace("\n", " < "), _STACK_TEXT)
        label = one_line(text.partition("\n")[0], 100) or "stack"
        canvas.trace.instant(tracks[parent, name], row["ts_ns"], label, "stack", args)

"""A node that fell silent in mid-work, where no scheduler was asked: its samples end, and with them the job's work.

Scrapes go on for the other nodes, so that it was not the one who scrapes; where the host's own exporter was scraped as
well and fell silent with that of the GPUs, it was not an exporter either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._frozen import at_work, others_work
from inquest.analyze.families._standstill import OVER
from inquest.analyze.families._window import recorded_span
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

_HOLE: Final = 3
"""How many usual intervals a node must miss."""
_AFTER_NS: Final = 1_800 * 10**9
"""How long after it the others' GPUs are looked at: later ones may be another job's."""


@dataclass(frozen=True, slots=True)
class Dark:
    """The node, its last sample, and whether its host was sampled and fell silent, too."""

    node: str
    last_ns: int
    host: bool

    @property
    def where(self) -> str:
        """SQL for its samples in the run."""
        return f"node = {literal(self.node)} AND ts_ns <= {self.last_ns}"


def dark_node(ev: Evidence, story: Story) -> Dark | None:
    """The one node that was sampled no more, or not for long, in mid-work, when the work of all others ended."""
    # Who had done all there was to do is let go, and its nodes with it.
    over = story.ended_well or story.last_planned is not None or story.of(*OVER)
    if not ev.has("gpu_samples") or over:
        return None
    holes = _holes(ev, "gpu_samples")
    found = [(node, at, until) for node, at, until in holes if _in_mid_work(ev, node, at)]
    if len(found) != 1:
        return None
    node, last_ns, until = found[0]
    near_ns = int(ev.threshold("f1.near_end") * 1e9)
    if others_work(ev, node, last_ns + near_ns, last_ns + near_ns + _AFTER_NS):
        return None
    host = ev.has("host_samples") and node in set(
        ev.scan("host_samples").select(pl.col("node").unique()).collect()["node"]
    )
    # A host that answers lost an exporter.
    if host and not any(
        name == node and at <= last_ns + near_ns and (until is None or back is None or back >= until - near_ns)
        for name, at, back in _holes(ev, "host_samples")
    ):
        return None
    return Dark(node, last_ns, host)


def _holes(ev: Evidence, table: str) -> list[tuple[str, int, int | None]]:
    """Nodes that miss samples while all others have theirs: the last sample before and the first after (None: none)."""
    times = ev.scan(table).select("node", "ts_ns").drop_nulls().unique().sort("node", "ts_ns").collect()
    if times["node"].n_unique() < 2:
        return []
    end_ns = int(times["ts_ns"].max())  # type: ignore[arg-type]
    least = int(ev.threshold("f1.silence") * 1e9)
    gaps = times.with_columns(back=pl.col("ts_ns").shift(-1).over("node"))
    gap = pl.col("back").fill_null(end_ns) - pl.col("ts_ns")
    gaps = gaps.with_columns(gap=gap).with_columns(usual=pl.col("gap").median().over("node"))
    wide = gaps.filter((pl.col("gap") >= least) & (pl.col("gap") >= _HOLE * pl.col("usual")))
    found = []
    for node, at, back, _, usual in wide.select("node", "ts_ns", "back", "gap", "usual").iter_rows():
        soon = times.filter((pl.col("node") != node) & pl.col("ts_ns").is_between(at + 1, at + int(_HOLE * usual)))
        others = times["node"].n_unique() - 1
        if soon["node"].n_unique() == others:
            found.append((str(node), int(at), None if back is None else int(back)))
    return found


def _in_mid_work(ev: Evidence, node: str, at: int) -> bool:
    """Whether a GPU of the node computed at its last sample, and the run is not known to have ended before."""
    began, ended = recorded_span(ev)
    margin = int(ev.threshold("f1.near_end") * 1e9)
    if (began is not None and at < began) or (ended is not None and at > ended + margin):
        return False
    return at_work(ev, node, at)

"""Which of systemd's words on units are about the job: a journal tells of every unit of its machine.

What ``journalctl -u`` gives, or a job's own log with systemd's last words, tells of one unit, and that is the job's; a
journal of the whole machine tells of many, and of none that it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

SYSTEMD: Final = "systemd"
_SORTS: Final = "service|scope|timer|mount|socket|slice|target|path|device"
_UNIT: Final = rf"\bsystemd(?:\[\d{{1,8}}\])?: (?:[A-Z][a-z]+ )?([\w@\\:.-]{{1,200}}\.(?:{_SORTS}))\b"
_SPEAKER: Final = r" ([A-Za-z][\w.@-]{0,60})\[\d{1,8}\]: "
_SPEAKERS: Final = 3
"""A journal with no more programs than these was asked for by unit: systemd, the job, and its interpreter or shell."""


def of_other_units(ev: Evidence) -> frozenset[tuple[str, str]]:
    """Nodes and sources in which systemd tells of more than one unit, where nobody can say which is the job's."""
    told = ev.facts("fact_events").filter(pl.col("framework") == SYSTEMD).select("node", "source").drop_nulls().unique()
    if told.is_empty():
        return frozenset()
    text = pl.col("text")
    lines = ev.scan("log_lines").filter(pl.col("source").is_in(told["source"].to_list()) & text.str.contains(r"\]: "))
    counted = (
        lines.group_by("node", "source")
        .agg(
            units=text.str.extract(_UNIT).drop_nulls().n_unique(),
            speakers=text.str.extract(_SPEAKER).drop_nulls().n_unique(),
        )
        .filter((pl.col("units") > 1) | (pl.col("speakers") > _SPEAKERS))
        .collect(engine="streaming")
    )
    return frozenset(counted.select("node", "source").iter_rows())

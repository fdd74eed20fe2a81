"""What to have in sight when the trace is opened: the culprit's tracks on top, and the stretch of time around a claim.

A trace can name a stretch of time and one group (``UiState``); pinning is the user interface's own. Its startup
commands and the parts of its address are stable by promise (perfetto.dev: "Commands Automation Reference", "Deep
linking").
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

import polars as pl

from inquest.render.claim_times import claim_times
from inquest.render.tables import lazy, placement
from inquest.render.timeline.canvas import RANKS, node_name, rank_name
from inquest.render.timeline.decision import CLAIMS, claim_name

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim, Verdict

AROUND_NS: Final = 30 * 10**9
"""How much is shown before and after a claim."""

_PIN: Final = "dev.perfetto.PinTracksByRegex"
_EXPAND: Final = "dev.perfetto.ExpandTracksByRegex"
_MOST_PINNED: Final = 4
_TELLING: Final = "steps|events|process|collectives|never returned"
"""Tracks of a rank that are pinned: what is under a rank besides would leave no room for others."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a claim stands in the trace.

    Attributes:
        claim: Its id.
        track: The track of its instant, from the top.
        home: Tracks of the nodes and ranks whose rows it rests on, from the top.
        ts_ns: Time of its earliest row (UTC, ns since 1970); None where no row has one, or where the claim is about
            another run: then it stands at the begin of the trace, or not in it.
        sql: Finds it in trace processor.
    """

    claim: str
    track: tuple[str, ...]
    home: tuple[tuple[str, ...], ...]
    ts_ns: int | None
    sql: str


def find(claim: Claim, verdict: Verdict, evidence: Evidence) -> Place:
    """Where the claim, one of ``verdict.shows``, stands in the trace."""
    simulated = " (simulated data)" if verdict.bundle.simulated else ""
    where = placement(verdict, evidence)
    homes: dict[tuple[str, ...], None] = {}
    for ref in claim.rows if claim.of == "run" else ():
        row = lazy(evidence, ref.table, *_columns(evidence, ref.table))
        ranks = row.filter((pl.col("node") == ref.node) & (pl.col("seq") == ref.seq)).collect()
        for rank in ranks["rank"].to_list() if "rank" in ranks.columns else [None]:
            on = () if rank is None or where.node_of.get(rank) != ref.node else (RANKS, rank_name(rank))
            homes[node_name(ref.node), *on] = None
    return Place(
        claim.id,
        (f"Verdict{simulated}", CLAIMS),
        tuple(homes),
        claim_times(verdict, evidence).get(claim.id),
        f"SELECT ts, dur, name, arg_set_id FROM slice WHERE category = 'claim' AND name = '{claim_name(claim.id)}'",
    )


def _columns(evidence: Evidence, table: str) -> list[str]:
    there = evidence.scan(table).collect_schema().names()
    return [name for name in ("node", "seq", "rank") if name in there]


def commands(verdict: Verdict) -> list[dict[str, object]]:
    """Startup commands of the Perfetto UI that pin the verdict and the culprit's ranks, and open the culprit's node."""
    first = verdict.first_failing
    ranks = dict.fromkeys(rank for rank in (first.rank, *verdict.culprit_ranks) if rank is not None)
    nodes = dict.fromkeys(node for node in (first.node, *verdict.culprit_nodes) if node)
    out: list[dict[str, object]] = [{"id": _PIN, "args": [r"^(Verdict.*|chain|claims)$"]}]
    if ranks:
        either = "|".join(map(str, list(ranks)[:_MOST_PINNED]))
        out.append({"id": _PIN, "args": [rf"^rank ({either}) ({_TELLING})"]})
    out.append({"id": _EXPAND, "args": [f"^{RANKS}$"]})
    out += [{"id": _EXPAND, "args": [f"^{_quoted(node_name(node))}( |$)"]} for node in list(nodes)[:_MOST_PINNED]]
    return out


def _quoted(text: str) -> str:
    """Text for a regular expression of JavaScript."""
    return re.sub(r"[\\^$.*+?()[\]{}|]", r"\\\g<0>", text)


def fragment(verdict: Verdict, ts_ns: int | None = None) -> str:
    """What follows the address of a Perfetto UI, so that ``commands`` are run and the time around ``ts_ns`` is seen."""
    asked = {"startupCommands": json.dumps(commands(verdict), separators=(",", ":"))}
    if ts_ns is not None:
        asked |= {"visStart": str(max(0, ts_ns - AROUND_NS)), "visEnd": str(ts_ns + AROUND_NS)}
    return f"#!/?{urlencode(asked)}"

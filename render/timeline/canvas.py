"""What every layer draws on: the tracks of nodes and ranks, how much may be drawn, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from inquest.render.moments import tell
from inquest.render.perfetto import TraceWriter
from inquest.render.tables import placement
from inquest.render.wording import one_line

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict
    from inquest.render.moments import Story
    from inquest.render.tables import Placement

Args = dict[str, int | float | str | bool | None]

MOST_READINGS: Final = 360_000
MOST_STEPS: Final = 90_000
MOST_COLLECTIVES: Final = 100_000
MOST_SPANS: Final = 60_000
MOST_INSTANTS: Final = 60_000
"""What each kind may draw. A slice is two events, so that the whole stays below a million: what a browser still scrolls
at ease, and trace processor reads in two seconds (tech.md A2: 0.7 M packets/s)."""

TEXT: Final = 300


class Canvas:
    """The trace while it is drawn.

    Attributes:
        trace: The writer.
        notes: What was thinned or left out, in words; they stand in the trace.
        verdict_track: The track on top.
    """

    def __init__(self, verdict: Verdict, evidence: Evidence) -> None:
        self.verdict = verdict
        self.evidence = evidence
        self.where: Placement = placement(verdict, evidence)
        self.story: Story = tell(evidence)
        self.notes: list[str] = []
        self.origin = self._origin()
        self.trace = TraceWriter(self.origin)
        self._pids = {node: index for index, node in enumerate(self.where.nodes, start=1)}
        self._events: dict[tuple[str, int | None], int] = {}
        self._flows = 0
        self._claims: dict[tuple[str, str, int], list[str]] = {}
        for claim in verdict.shows:
            for ref in claim.rows if claim.of == evidence.name else ():
                self._claims.setdefault((ref.table, ref.node, ref.seq), []).append(claim.id)
        simulated = " (simulated data)" if verdict.bundle.simulated else ""
        self.verdict_track = self.trace.track(f"Verdict{simulated}", description=one_line(verdict.headline, TEXT))
        self._nodes: dict[str, int] = {}
        self._ranks: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._groups: dict[tuple[str, str], int] = {}
        for node in self.where.nodes:
            self._nodes[node] = self.trace.process(node_name(node), self._pids[node])
            for rank in self.where.ranks_on(node):
                self._ranks[rank] = self.trace.track(rank_name(rank), self.group(node, RANKS), order=rank)
                self._names[self._ranks[rank]] = rank_name(rank)
        self._look_at_the_culprit()

    def _origin(self) -> int:
        times = [m.ts_ns for m in self.story.moments] + [life.begin_ns for life in self.story.lives]
        failing = self.verdict.first_failing.ts_ns
        times += [ts for ts in (self.verdict.bundle.start_ns, failing) if ts is not None]
        return min(times, default=0)

    def _look_at_the_culprit(self) -> None:
        """Let the trace open where it failed: the node's group open, the whole run in sight."""
        start, end = self.verdict.bundle.start_ns, self.verdict.bundle.end_ns
        pid = self._pids.get(self.verdict.first_failing.node or "")
        if start is not None and end is not None and end > start:
            self.trace.open_at(start, end, pid)

    def node(self, node: str) -> int | None:
        """The track of a node; None for one that is in no table."""
        return self._nodes.get(node)

    def rank(self, rank: int | None) -> int | None:
        """The track of a rank; None where nobody said where it ran."""
        return None if rank is None else self._ranks.get(rank)

    def group(self, node: str, name: str) -> int:
        """Tracks of a node that are opened together; those under a process itself are shown in the order of names."""
        if (node, name) not in self._groups:
            self._groups[node, name] = self.trace.track(name, self._nodes[node])
        return self._groups[node, name]

    def track(self, name: str, parent: int, order: int = 0) -> int:
        """A track under a node or a rank. That of a rank names it: pinned, or found by name, it stands alone."""
        return self.trace.track(self._named(name, parent), parent, order)

    def counter(self, name: str, parent: int, unit: str, order: int = 0) -> int:
        """A counter under a node or a rank, named like ``track``."""
        return self.trace.counter(self._named(name, parent), parent, unit, order)

    def _named(self, name: str, parent: int) -> str:
        of = self._names.get(parent)
        return name if of is None else f"{of} {name}"

    def home(self, node: str, rank: int | None) -> int | None:
        """The track of a rank, else that of its node."""
        mine = self.rank(rank)
        return self.node(node) if mine is None else mine

    def events(self, node: str, rank: int | None) -> int | None:
        """The track of what happened to a rank, else to its node; None for a node that is in no table."""
        if rank is not None and self.where.node_of.get(rank) != node:
            rank = None
        key = (node, rank)
        if key not in self._events:
            parent = self.node(node) if rank is None else self.rank(rank)
            if parent is None:
                return None
            self._events[key] = self.track(EVENTS, parent, order=2)
        return self._events[key]

    def claims_on(self, table: str, node: str, seq: int) -> str | None:
        """Ids of the claims of the verdict that rest on a row; None where none does."""
        return " ".join(self._claims.get((table, node, seq), ())) or None

    def flow(self) -> int:
        """An id for arrows that no other layer uses."""
        self._flows += 1
        return self._flows

    def at(self, ts_ns: int | None) -> int:
        """Where to draw what may have no time: then at the begin of the trace."""
        return self.origin if ts_ns is None else ts_ns


class Lanes:
    """Slices that may overlap, under one name: each is put where nothing is open at its begin.

    Perfetto shows tracks of one parent and one name as one track with several rows. Slices come in order of begin.
    """

    def __init__(self, canvas: Canvas, name: str, parent: int, order: int) -> None:
        self._canvas = canvas
        self._place = (name, parent, order)
        self._free_from: list[tuple[float, int]] = []

    def at(self, begin_ns: int, end_ns: float) -> int:
        """A track that is free from ``begin_ns``, taken until ``end_ns`` (infinity for a slice left open)."""
        for index, (free_ns, track) in enumerate(self._free_from):
            if free_ns <= begin_ns:
                self._free_from[index] = (end_ns, track)
                return track
        track = self._canvas.track(*self._place)
        self._free_from.append((end_ns, track))
        return track


RANKS: Final = "Ranks"
"""Name of the group of a node's ranks."""

EVENTS: Final = "events"
"""Name of the track of what happened to a rank or a node."""


def node_name(node: str) -> str:
    """Name of a node's group."""
    return one_line(node) or "unnamed node"


def rank_name(rank: int) -> str:
    """Name of a rank's track."""
    return f"rank {rank}"


def cited(table: str, row: dict[str, Any]) -> Args:
    """The row an event was read from, as arguments."""
    return {"table": table, "seq": row["seq"]}


def timing(ts_ns: int | None) -> Args:
    """A word for who finds an event at the begin of the trace that has no time."""
    return {"time": "not captured: drawn at the begin of the trace"} if ts_ns is None else {}

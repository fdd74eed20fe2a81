"""One estimate over all clocks: which agree with which, how well, and what UTC was.

Every source becomes a link between two clocks: a conversion with a bound (`fit`). Ends of collectives link the clock of
each member to the *event clock* of the communicator, the median over its members; probes link two clocks directly.
Clocks that links connect are one component. In each, every clock is converted along the path of least bound to one
root; the bounds along the path add up to what the clock may be wrong by against the *common clock* of the component.
The common clock is tied to UTC by all wall clocks of the component together, or by the scheduler's, or not at all.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from inquest.bundle.clock import steps
from inquest.bundle.clock.ends import FEW, LATE_NS, Noise, influence, median, steady_slope, straight, through
from inquest.bundle.clock.fit import Conversion, Piece
from inquest.bundle.clock.messages import between, wanders

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inquest.bundle.clock.fit import Apart, Span
    from inquest.bundle.clock.messages import Exchange
    from inquest.bundle.clock.observe import Clock, Observations
    from inquest.bundle.clock.steps import Gap

LAUNCH_NS: Final = 30_000_000_000
"""By how much a task may begin after its step: prolog, container image, a slow file system."""
SECOND: Final = 1_000_000_000
"""What the scheduler rounds times to."""
COARSE_NS: Final = 10_000_000
"""A link with a greater bound says less of an offset than two disciplined wall clocks do, which it only confirms."""
LATE: Final = {"collective": LATE_NS, "rendezvous": SECOND, "slurm": LAUNCH_NS}
"""By method how late a clock may see an event, where too few are at hand to tell. Who leaves the set-up of a
communicator still allocates and prints before a line says so."""
NEVER: Final = (0, 0)
"""Span of a clock of which no reading is at hand."""
MOST_EVENTS: Final = 512
"""Events that one group of clocks is aligned by."""
SLEWED_NS: Final = 1_000_000
"""A wall clock that moves more against the monotonic clock has stepped: slewing moves both."""
_ROUNDS: Final = 2
_SETTLING: Final = 8
_GUESSED_BY: Final = 128
"""Events that a first guess is made of."""

Vertex = tuple[str, str, str]
"""("clock", node, boot) or ("events", method, number of the group)."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """One piece of an alignment: from ``begin`` on, UTC minus the clock is ``offset + drift * (t - begin)`` ns.

    ``bound_ns`` is what that may be wrong by against the reference, None when nothing bounds it; ``utc_bound_ns``
    against UTC, None when no source of UTC states its error.
    """

    begin: int
    offset: int
    drift: float
    bound_ns: int | None
    utc_bound_ns: int | None

    def at(self, t: int) -> int:
        """UTC minus the clock at ``t``, in ns."""
        return self.offset + round(self.drift * (t - self.begin))


@dataclass(frozen=True, slots=True)
class Alignment:
    """UTC minus the clock of one boot, by pieces.

    Attributes:
        pieces: By begin; the first and the last have no outer end.
        span: First and last time of the clock that the bounds hold for.
        reference: What ``bound_ns`` of a piece is relative to: a common clock of several, or "utc".
        method: Where the estimate comes from, see the schema.
        detail: Why there is no bound, or what the sources disagree about.
        residuals: For each source the number of its readings, and median and 99th percentile of their distance.
    """

    pieces: tuple[Aligned, ...]
    span: Span
    reference: str
    method: str
    detail: str | None = None
    residuals: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)

    def piece(self, t: int) -> Aligned:
        """The piece that holds at ``t``."""
        return next((piece for piece in reversed(self.pieces) if t >= piece.begin), self.pieces[0])


@dataclass(frozen=True, slots=True)
class _Link:
    """``to`` shows ``conversion(t)`` when ``clock`` shows ``t``."""

    method: str
    clock: Vertex
    to: Vertex
    conversion: Conversion


@dataclass(frozen=True, slots=True)
class _Path:
    """How a vertex is converted to the root of its component: link by link, each forward or back."""

    steps: tuple[tuple[_Link, bool], ...]

    def __call__(self, t: int) -> int:
        for link, forward in self.steps:
            t = link.conversion(t) if forward else link.conversion.back(t)
        return t

    def bound(self, t: int) -> int:
        """What that may be wrong by: the bounds of all links."""
        whole = 0
        for link, forward in self.steps:
            there = link.conversion(t) if forward else link.conversion.back(t)
            whole += link.conversion.bound(t if forward else there)
            t = there
        return whole

    def back(self, t: int, steps: int) -> int:
        """The time of the vertex, from that ``steps`` links on."""
        for link, forward in reversed(self.steps[:steps]):
            t = link.conversion.back(t) if forward else link.conversion(t)
        return t

    @property
    def breaks(self) -> set[int]:
        """Where the conversion to the root changes, on the clock of the vertex."""
        found: set[int] = set()
        for number, (link, forward) in enumerate(self.steps):
            for at in link.conversion.breaks:
                found.add(self.back(at if forward else link.conversion(at), number))
        return found


def estimate(seen: Observations) -> dict[Clock, Alignment]:
    """The alignment of every clock that rows were recorded or told by, and of which anything is known."""
    spans = _spans(seen)
    links, groups = _event_links(seen, spans)
    links += _probe_links(seen, spans) + _wall_links(seen, spans)
    paths = _paths(links, spans)
    alignments: dict[Clock, Alignment] = {}
    for component in _components(paths):
        alignments.update(_Component(seen, spans, groups, links, paths, component).alignments())
    return alignments


def _vertex(clock: Clock) -> Vertex:
    return ("clock", *clock)


def _spans(seen: Observations) -> dict[Clock, Span]:
    """First and last time of each clock that anything tells of."""
    spans: dict[Clock, Span] = {}

    def widen(clock: Clock, times: Iterable[int]) -> None:
        known = [*times, *spans.get(clock, ())]
        if known:
            spans[clock] = (min(known), max(known))

    for clock, triples in seen.walls.items():
        widen(clock, (mono for _, mono, _, _ in triples))
        if (told := (clock[0], "")) in seen.clocks and told not in seen.walls:
            widen(told, (wall for _, _, wall, _ in triples))
    for (_, asker, peer), probes in seen.probes.items():
        widen(asker, (t for _, sent, _, _, returned in probes for t in (sent, returned)))
        widen(peer, (t for _, _, received, answered, _ in probes for t in (received, answered)))
    seen.keep_comms()
    for events in seen.events.values():
        events.keep(seen.most_events())
        for ends in events.shared():
            for clock, end in ends.items():
                widen(clock, (end,))
    for starts in seen.task_starts.values():
        for clock, start in starts.items():
            widen(clock, (start,))
    return {clock: spans.get(clock, NEVER) for clock in sorted(seen.clocks | spans.keys())}


# --- ends of common events ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """Communicators of the same members, and when each of their events ended on the group's own clock."""

    name: Vertex
    events: list[tuple[int, dict[Clock, int]]]


def _event_links(seen: Observations, spans: dict[Clock, Span]) -> tuple[list[_Link], list[_Group]]:
    pools: dict[tuple[str, tuple[Clock, ...]], list[list[dict[Clock, int]]]] = {}

    def pool(method: str, shared: list[dict[Clock, int]]) -> None:
        members = tuple(sorted({clock for ends in shared for clock in ends}))
        if members:
            pools.setdefault((method, members), []).append(shared)

    for (method, _), events in sorted(seen.events.items()):
        pool(method, events.shared())
    for _, starts in sorted(seen.task_starts.items()):
        if len(starts) > 1:
            pool("slurm", [starts])
    links: list[_Link] = []
    groups: list[_Group] = []
    for (method, _), comms in sorted(pools.items(), key=lambda item: item[0]):
        most = FEW - 1 if method == "slurm" else MOST_EVENTS  # how late a task begins is no noise that many starts tell
        left = [ends for shared in comms[:most] for ends in shared[: max(1, most // len(comms))]]
        while left:
            name = ("events", method, str(len(groups)))
            conversions, timed = _agree(left, spans, method)
            left = [ends for ends in left if not conversions.keys() & ends.keys()]
            coarse = max(found.usual_bound(spans[clock]) for clock, found in conversions.items()) > COARSE_NS
            if coarse and all(_stated(seen, clock) for clock in conversions):
                continue  # their wall clocks know UTC better than this says how they differ
            links += [_Link(method, _vertex(clock), name, found) for clock, found in sorted(conversions.items())]
            groups.append(_Group(name, timed))
    return links, groups


def _stated(seen: Observations, clock: Clock) -> bool:
    """Whether the kernel of ``clock`` states the error of its wall clock."""
    return any(error >= 0 for *_, error in seen.walls.get(clock, ()))


def _grain(events: list[dict[Clock, int]]) -> int:
    """What the times of events were rounded to, in ns: imported text often tells whole seconds or milliseconds."""
    times = [end for ends in events for clock, end in ends.items() if not clock[1]]
    if not times:
        return 1
    return next(grain for grain in (SECOND, SECOND // 1000, 1000, 1) if all(time % grain == 0 for time in times))


def _agree(
    events: list[dict[Clock, int]], spans: dict[Clock, Span], method: str
) -> tuple[dict[Clock, Conversion], list[tuple[int, dict[Clock, int]]]]:
    """The event clock of ``events``: the median of their ends over all members, on the scale of one of them."""
    gaps = steps.find(events)
    grain = _grain(events)
    conversions = _first_guess(events, gaps)
    if any(gaps.values()):
        # How far a clock was set is told by others that were set at other times: they settle round by round.
        for _ in range(_SETTLING):
            _, readings = _against_others(events, conversions)
            conversions = {
                clock: straight(some, _numbers(some, gaps.get(clock, []))) for clock, some in readings.items()
            }
    timed: list[tuple[int, dict[Clock, int]]] = []
    noise: dict[Clock, Noise] = {}
    for _ in range(_ROUNDS):
        timed, readings = _against_others(events, conversions)
        drawn = {
            clock: through(
                some,
                spans[clock],
                _numbers(some, gaps.get(clock, [])),
                noise.get(clock, Noise()),
                late=LATE[method],
                grain=grain,
            )
            for clock, some in readings.items()
        }
        conversions = {clock: conversion for clock, (conversion, _) in drawn.items()}
        known = [shown for _, shown in drawn.values() if shown.scale]
        if known:
            # A clock whose ends seem less noisy than those of most was lucky.
            scale = median(sorted(shown.scale for shown in known))
            variance = median(sorted(shown.variance for shown in known))
            own = _own_shares([ends for _, ends in timed], readings, conversions, scale)
            noise = {clock: Noise(scale, variance, share) for clock, share in own.items()}
    return conversions, timed


def _against_others(
    events: list[dict[Clock, int]], conversions: dict[Clock, Conversion]
) -> tuple[list[tuple[int, dict[Clock, int]]], dict[Clock, list[Apart]]]:
    """When each event ended, and for each clock what that says of it by the ends that the others saw."""
    timed: list[tuple[int, dict[Clock, int]]] = []
    readings: dict[Clock, list[Apart]] = {}
    for ends in events:
        common = sorted((conversions[clock](end), clock) for clock, end in ends.items() if clock in conversions)
        times = [t for t, _ in common]
        if len(times) < min(2, len(conversions)) or not times:
            continue
        timed.append((_middle(times), ends))
        for at, (t, clock) in enumerate(common):
            # Against the others: with its own end among them, a clock would often be compared with itself. Of two
            # that are left the earlier counts: ends are late, never early.
            others = [*times[:at], *times[at + 1 :]][(len(times) - 2) // 2] if len(times) > 1 else t
            moved = (others - t) * (len(times) - 1) // len(times)
            readings.setdefault(clock, []).append((ends[clock], t + moved - ends[clock]))
    return timed, {clock: sorted(some) for clock, some in sorted(readings.items())}


def _own_shares(
    events: list[dict[Clock, int]],
    readings: dict[Clock, list[Apart]],
    conversions: dict[Clock, Conversion],
    scale: float,
) -> dict[Clock, float]:
    """For each clock the share of the noise (as a deviation) that is its own, and moves not all clocks alike.

    What moves all clocks of an event alike moves their common clock, which is what bounds are told against.
    """
    pulls: dict[Clock, dict[int, float]] = {}
    for clock, some in readings.items():
        off = [t + apart - conversions[clock](t) for t, apart in some]
        pulls[clock] = dict(zip((t for t, _ in some), influence(off, scale), strict=True))
    whole = dict.fromkeys(readings, 0.0)
    alone = dict.fromkeys(readings, 0.0)
    for ends in events:
        of_event = {clock: pulls[clock][end] for clock, end in ends.items() if clock in pulls}
        common = math.fsum(of_event.values()) / len(of_event)
        for clock, value in of_event.items():
            whole[clock] += value * value
            alone[clock] += (value - common) ** 2
    return {clock: min(1.0, math.sqrt(alone[clock] / square)) if square else 1.0 for clock, square in whole.items()}


def _middle(ordered: list[int]) -> int:
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) // 2


def _numbers(readings: list[Apart], gaps: list[Gap]) -> list[tuple[int, int]]:
    """``gaps`` by the numbers of the readings before and after."""
    times = [t for t, _ in readings]
    found = []
    begin = 0
    for gap in gaps:
        before, after = bisect_right(times, gap.before) - 1, bisect_left(times, gap.after)
        if begin <= before < after < len(times):
            found.append((before, after))
            begin = after
    return found


def _first_guess(events: list[dict[Clock, int]], gaps: dict[Clock, list[Gap]]) -> dict[Clock, Conversion]:
    """Straight conversions to the scale of one clock: of those that were set least, the one that saw most events."""
    counts: dict[Clock, int] = {}
    for ends in events:
        for clock in ends:
            counts[clock] = counts.get(clock, 0) + 1
    hub = min(counts, key=lambda clock: (len(gaps.get(clock, ())), -counts[clock], clock))
    readings: dict[Clock, list[Apart]] = {}
    for ends in [ends for ends in events if hub in ends][:_GUESSED_BY]:
        own = ends[hub]
        if any(gap.before < own < gap.after for gap in gaps.get(hub, ())):
            continue
        time = own + round(sum(gap.step for gap in gaps.get(hub, ()) if own >= gap.after))
        for clock, end in ends.items():
            readings.setdefault(clock, []).append((end, time - end))
    return {
        clock: straight(found := sorted(some), _numbers(found, gaps.get(clock, [])))
        for clock, some in sorted(readings.items())
    }


# --- messages ----------------------------------------------------------------------------------------------------


def _probe_links(seen: Observations, spans: dict[Clock, Span]) -> list[_Link]:
    exchanges: dict[tuple[str, Clock, Clock], list[Exchange]] = {}
    for (kind, asker, peer), probes in sorted(seen.probes.items()):
        for _, sent, received, answered, returned in probes:
            if asker < peer:
                exchange = (sent, received - sent), (returned, answered - returned)
                exchanges.setdefault((kind, asker, peer), []).append(exchange)
            else:
                exchange = (answered, returned - answered), (received, sent - received)
                exchanges.setdefault((kind, peer, asker), []).append(exchange)
    links = []
    pairs = [(pair, sorted(found)) for pair, found in sorted(exchanges.items())]
    strays = wanders([found for _, found in pairs])
    for ((kind, clock, peer), found), wander in zip(pairs, strays, strict=True):
        conversion = between(found, spans[clock], wander)
        if conversion.usual_bound(spans[clock]) > COARSE_NS:
            conversion = _as_the_walls_say(conversion, clock, peer, seen, spans)
        links.append(_Link(kind, _vertex(clock), _vertex(peer), conversion))
    return links


def _as_the_walls_say(
    coarse: Conversion, clock: Clock, peer: Clock, seen: Observations, spans: dict[Clock, Span]
) -> Conversion:
    """``coarse``, moved to the difference of the wall clocks where that lies within its bound."""
    mine, theirs = (_wall_offset(seen, each) for each in (clock, peer))
    if mine is None or theirs is None:
        return coarse
    apart = mine - theirs
    moved = max(abs(coarse(t) - t - apart) for t in spans[clock])
    bound = max(piece.bound for piece in coarse.pieces)
    if moved > bound:
        return coarse
    return Conversion([Piece(spans[clock][0], apart, 0.0, bound + moved)])


def _wall_offset(seen: Observations, clock: Clock) -> int | None:
    offsets = sorted(wall - mono for _, mono, wall, _ in seen.walls.get(clock, ()))
    return offsets[(len(offsets) - 1) // 2] if offsets else None


# --- the wall clock of a node ------------------------------------------------------------------------------------


def _wall_links(seen: Observations, spans: dict[Clock, Span]) -> list[_Link]:
    """Imported rows of a node that was also recorded were told by its wall clock, which the recording watched."""
    watched: dict[str, list[Clock]] = {}
    for clock in seen.walls:
        if clock[1]:
            watched.setdefault(clock[0], []).append(clock)
    links = []
    for told in sorted(clock for clock in seen.clocks if not clock[1] and clock not in seen.walls):
        boots = watched.get(told[0], [])
        if len(boots) == 1:
            pieces: list[Piece] = []
            for read, mono, wall, _ in sorted(seen.walls[boots[0]], key=lambda triple: triple[2]):
                apart = 0 if not pieces else wall + pieces[-1].offset - mono
                if not pieces or abs(apart) > SLEWED_NS:
                    pieces.append(Piece(wall if pieces else spans[told][0], mono - wall, 0.0, read))
                else:
                    begin, offset, bound = pieces[-1].begin, pieces[-1].offset, pieces[-1].bound
                    pieces[-1] = Piece(begin, offset, 0.0, max(bound, abs(apart) + read))
            links.append(_Link("wall", _vertex(told), _vertex(boots[0]), Conversion(pieces)))
    return links


# --- the graph ---------------------------------------------------------------------------------------------------


def _paths(links: list[_Link], spans: dict[Clock, Span]) -> dict[Vertex, tuple[Vertex, _Path]]:
    """For each vertex the root of its component, and the path of least bound to it."""
    near: dict[Vertex, list[tuple[_Link, bool]]] = {_vertex(clock): [] for clock in spans}
    for link in links:
        near.setdefault(link.to, []).append((link, True))
        near.setdefault(link.clock, []).append((link, False))
    found: dict[Vertex, tuple[Vertex, _Path]] = {}
    # From the vertex with most links, so that paths are short; a clock that may have been set is no measure of others.
    for root in sorted(near, key=lambda vertex: (not vertex[2], -len(near[vertex]), vertex)):
        if root in found:
            continue
        heap: list[tuple[int, Vertex, int, tuple[tuple[_Link, bool], ...]]] = [(0, root, 0, ())]
        pushed = 0
        while heap:
            bound, vertex, _, steps = heapq.heappop(heap)
            if vertex in found:
                continue
            found[vertex] = (root, _Path(steps))
            for link, forward in near[vertex]:
                other = link.clock if forward else link.to
                if other not in found:
                    pushed += 1
                    further = bound + link.conversion.usual_bound(spans[link.clock[1:]])
                    heapq.heappush(heap, (further, other, pushed, ((link, forward), *steps)))
    return found


def _components(paths: dict[Vertex, tuple[Vertex, _Path]]) -> list[list[Clock]]:
    components: dict[Vertex, list[Clock]] = {}
    for vertex, (root, _) in paths.items():
        if vertex[0] == "clock":
            components.setdefault(root, []).append(vertex[1:])
    return [sorted(clocks) for _, clocks in sorted(components.items())]


# --- UTC ---------------------------------------------------------------------------------------------------------


class _Component:
    """Clocks that are aligned with each other, and their common clock's tie to UTC."""

    def __init__(
        self,
        seen: Observations,
        spans: dict[Clock, Span],
        groups: list[_Group],
        links: list[_Link],
        paths: dict[Vertex, tuple[Vertex, _Path]],
        clocks: list[Clock],
    ) -> None:
        self._seen = seen
        self._spans = spans
        self._clocks = clocks
        self._paths = {clock: paths[_vertex(clock)][1] for clock in clocks}
        root = paths[_vertex(clocks[0])][0]
        self._groups = [(group, paths[group.name][1]) for group in groups if paths[group.name][0] == root]
        self._links = [link for link in links if paths[link.clock][0] == root]
        self._all_paths = paths
        self._steps = [
            (seen.step_starts[key], clock, start)
            for key, starts in sorted(seen.task_starts.items())
            if key in seen.step_starts
            for clock, start in sorted(starts.items())
            if clock in self._paths
        ]
        self._origin, self._offset, self._drift, self._source = self._tie()
        self._launched = self._launches()

    def _tie(self) -> tuple[int, int, float, str]:
        """UTC minus common clock: (origin on the common clock, offset there, drift, source)."""
        walls = self._wall_readings()
        if walls:
            return (*_steady(walls), "wall")
        if self._steps:
            path = self._paths
            half = [[(path[clock](start), utc + SECOND // 2 - path[clock](start))] for utc, clock, start in self._steps]
            return (*_steady(half), "slurm")
        told = [
            [(path(t), t - path(t)) for t in self._spans[clock]] for clock, path in self._paths.items() if not clock[1]
        ]
        return (*_steady(told), "import") if told else (0, 0, 0.0, "")

    def _wall_readings(self) -> list[list[Apart]]:
        """For each clock (common clock, wall minus common): of those whose kernel states its error, if any does."""
        stated: list[list[Apart]] = []
        others: list[list[Apart]] = []
        for clock, path in self._paths.items():
            triples = list(self._seen.walls.get(clock, ()))
            readings = [(path(mono), wall - path(mono)) for _, mono, wall, _ in triples]
            if readings:
                (stated if any(error >= 0 for *_, error in triples) else others).append(readings)
        return stated or others

    def _utc(self, common: int) -> int:
        return common + self._offset + round(self._drift * (common - self._origin))

    def _utc_bound(self) -> int | None:
        """What the common clock may be wrong by.

        The median over the nodes, so that a minority of wall clocks that are wrong and do not know it has no say.
        """
        bounds = []
        for clock, path in self._paths.items():
            triples = list(self._seen.walls.get(clock, ()))
            errors = [error for *_, error in triples if error >= 0]
            if errors:
                apart = max(
                    abs(wall - self._utc(path(mono))) + read + path.bound(mono) for read, mono, wall, _ in triples
                )
                bounds.append(apart + max(errors))
        if bounds:
            return sorted(bounds)[len(bounds) // 2]
        possible = [self._launched[clock] + self._paths[clock].bound(start) for _, clock, start in self._steps]
        return min(possible) if possible else None

    def _launches(self) -> dict[Clock, int]:
        """What each clock may be off UTC by the starts of its own tasks, where no kernel states its error."""
        found: dict[Clock, int] = {}
        if not any(_stated(self._seen, clock) for clock in self._clocks):
            for utc, clock, start in self._steps:
                # A task begins after its step, and the scheduler tells whole seconds.
                late = self._utc(self._paths[clock](start)) - utc
                possible = max(late, LAUNCH_NS + SECOND - late)
                found[clock] = min(possible, found.get(clock, possible))
        return found

    def alignments(self) -> dict[Clock, Alignment]:
        """The alignment of each clock that can be converted to UTC, however badly."""
        if not self._source:
            return {}
        utc_bound = self._utc_bound()
        alone = len(self._clocks) == 1
        reference = "utc" if alone else self._named()
        residuals = self._residuals()
        conflicts = {} if alone else self._conflicts()
        found: dict[Clock, Alignment] = {}
        for clock in [clock for clock in self._clocks if clock in self._seen.clocks]:
            worse, detail = conflicts.get(clock, (0, None))
            unbounded = alone and utc_bound is None
            found[clock] = Alignment(
                pieces=self._pieces(clock, utc_bound, worse),
                span=self._spans[clock],
                reference=reference,
                method=self._method(clock),
                detail=detail or (self._why_unbounded(clock) if unbounded else None),
                residuals=residuals.get(clock, {}),
            )
        return found

    def _named(self) -> str:
        """A name that no other component has: every clock is in one only."""
        node, boot = self._clocks[0]
        return f"{node} {boot[:8]} and {len(self._clocks) - 1} more"

    def _why_unbounded(self, clock: Clock) -> str:
        if not clock[1]:
            return "cannot be aligned: nothing in common with another node, and nobody states the error of its clock"
        return "cannot be aligned: nothing in common with another node, and its kernel states no error of its clock"

    def _method(self, clock: Clock) -> str:
        vertex = _vertex(clock)
        steps = self._paths[clock].steps
        methods = {link.method for link, _ in steps} or {
            link.method for link in self._links if vertex in (link.clock, link.to)
        }
        return self._source if not methods else methods.pop() if len(methods) == 1 else "mixed"

    def _pieces(self, clock: Clock, utc_bound: int | None, worse: int) -> tuple[Aligned, ...]:
        path, (first, last) = self._paths[clock], self._spans[clock]
        begins = [first, *(at for at in sorted(path.breaks) if first < at < last)]
        ends = [*begins[1:], max(last, begins[-1] + 1)]
        steady = bool(clock[1])
        heights: list[tuple[int, int]] = []
        bounds: list[int] = []
        for begin, end in zip(begins, ends, strict=True):
            # The line of a piece, not the values beside a break: those may belong to the next.
            inner = [begin + (end - begin) // 4, end - (end - begin) // 4]
            bounds.append(path.bound(inner[0]) + worse)
            low, high = (self._utc(path(t)) - t for t in inner)
            drift = (high - low) / (inner[1] - inner[0]) if inner[1] > inner[0] else 0.0
            heights.append((low - round(drift * (inner[0] - begin)), high + round(drift * (end - inner[1]))))
        if steady:  # a monotonic clock has no steps: what differs at a break is noise of the estimate
            joints = [heights[0][0], *((a[1] + b[0]) // 2 for a, b in pairwise(heights))]
            joints.append(heights[-1][1])
            heights = list(pairwise(joints))
        pieces = []
        for begin, end, (low, high), bound in zip(begins, ends, heights, bounds, strict=True):
            absolute = (
                None if utc_bound is None else min(utc_bound + bound, self._launched.get(clock, utc_bound + bound))
            )
            relative = absolute if len(self._clocks) == 1 else bound
            pieces.append(Aligned(begin, low, (high - low) / (end - begin), relative, absolute))
        return tuple(pieces)

    def _conflicts(self) -> dict[Clock, tuple[int, str]]:
        """By how much links that were not needed disagree with the estimate, beyond all bounds."""
        found: dict[Clock, tuple[int, str]] = {}
        for link in self._links:
            ends = self._all_paths[link.clock][1], self._all_paths[link.to][1]
            clock = (link.clock[1], link.clock[2])
            excess = 0
            for t in self._spans[clock]:
                there = link.conversion(t)
                apart = abs(ends[0](t) - ends[1](there))
                excess = max(excess, apart - link.conversion.bound(t) - ends[0].bound(t) - ends[1].bound(there))
            for vertex in (link.clock, link.to):
                if excess > 0 and vertex[0] == "clock" and excess > found.get(vertex[1:], (0, ""))[0]:
                    found[vertex[1:]] = (excess, f"sources disagree: {link.method} by {excess} ns more than all bounds")
        return found

    def _residuals(self) -> dict[Clock, dict[str, tuple[int, int, int]]]:
        """How far the readings of each source lie from the estimate."""
        apart: dict[Clock, dict[str, list[int]]] = {}

        def note(clock: Clock, source: str, distance: int) -> None:
            apart.setdefault(clock, {}).setdefault(source, []).append(abs(distance))

        for clock, path in self._paths.items():
            for _, mono, wall, _ in self._seen.walls.get(clock, ()):
                note(clock, "wall", wall - self._utc(path(mono)))
        for utc, clock, start in self._steps:
            note(clock, "slurm", utc - self._utc(self._paths[clock](start)))
        for group, group_path in self._groups:
            for middle, ends in group.events:
                common = group_path(middle)
                for clock, end in ends.items():
                    note(clock, group.name[1], common - self._paths[clock](end))
        for (kind, asker, peer), probes in self._seen.probes.items():
            if asker in self._paths:
                mine, theirs = self._paths[asker], self._paths[peer]
                for _, sent, received, answered, returned in probes:
                    distance = (mine(sent) + mine(returned) - theirs(received) - theirs(answered)) // 2
                    note(asker, kind, distance)
                    note(peer, kind, distance)
        return {
            clock: {source: _percentiles(sorted(found)) for source, found in sorted(sources.items())}
            for clock, sources in apart.items()
        }


def _steady(readings: list[list[Apart]]) -> tuple[int, int, float]:
    """(origin, offset there, drift) that most clocks agree on; ``readings`` has one list a clock."""
    origin = min(t for some in readings for t, _ in some)
    slopes = sorted(
        steady_slope([(float(t - origin), float(apart - some[0][1])) for t, apart in some])
        for some in (sorted(some) for some in readings)
    )
    drift = slopes[(len(slopes) - 1) // 2]
    levels = []
    for some in readings:
        at_origin = sorted(apart - round(drift * (t - origin)) for t, apart in some)
        levels.append(at_origin[(len(at_origin) - 1) // 2])
    return origin, sorted(levels)[(len(levels) - 1) // 2], drift


def _percentiles(ordered: list[int]) -> tuple[int, int, int]:
    last = len(ordered) - 1
    return len(ordered), ordered[last // 2], ordered[-(-last * 99 // 100)]

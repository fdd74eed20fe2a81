"""A small writer of Perfetto traces: tracks, slices, instants, counters and flows, in batches of packets.

Facts about the format are from the protos of the ``perfetto`` package. One packet sequence; names, categories and names
of arguments are interned; all times are UTC nanoseconds on ``BUILTIN_CLOCK_REALTIME``, which one clock snapshot makes
the clock of the trace. Nothing here depends on the clock of this machine or on chance: same calls, same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Mapping

    Args = Mapping[str, int | float | str | bool | None]

Message = Any  # the protos are built at run time and have no types

_REALTIME: Final = pb.BUILTIN_CLOCK_REALTIME
_MOST_DRAFTS: Final = 1024
"""Names of arguments may be a stranger's."""
_MAX_TID: Final = 2**31 - 1
"""Ids of threads have 31 bits, and a stranger's rank may be any number."""
_EXPLICIT: Final = pb.TrackDescriptor.ChildTracksOrdering.EXPLICIT
_CLEARED: Final = pb.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
_NEEDED: Final = pb.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
_BEGIN: Final = pb.TrackEvent.TYPE_SLICE_BEGIN
_END: Final = pb.TrackEvent.TYPE_SLICE_END
_INSTANT: Final = pb.TrackEvent.TYPE_INSTANT
_COUNTER: Final = pb.TrackEvent.TYPE_COUNTER


class Arrows(NamedTuple):
    """Arrows at an event, by number: those of one number lead from event to event in order of time.

    Attributes:
        to: The arrow goes on from here, to the next event of its number.
        ends: The arrow ends here.
    """

    to: int | None = None
    ends: int | None = None


NO_ARROWS: Final = Arrows()


class _Draft(NamedTuple):
    """A packet that is filled in and written again and again: events are alike, and making a packet is half their cost.

    Attributes:
        trace: What is written: a trace of this one packet.
        args: Each argument, and the name of its field that holds the value.
    """

    trace: Message
    packet: Message
    event: Message
    args: list[tuple[Message, str]]


def _draft(kind: int) -> _Draft:
    trace = pb.Trace()
    packet = trace.packet.add(trusted_packet_sequence_id=1, sequence_flags=_NEEDED)
    packet.track_event.type = kind
    return _Draft(trace, packet, packet.track_event, [])


def _field(value: float | str | bool) -> str:
    match value:
        case bool():
            return "bool_value"
        case int():
            return "int_value"
        case float():
            return "double_value"
        case _:
            return "string_value"


class TraceWriter:
    """Collects a trace in memory; ``finish`` gives its bytes.

    Args:
        origin_ns: UTC time of the clock snapshot: the begin of what the trace covers.
    """

    def __init__(self, origin_ns: int) -> None:
        self._done = bytearray()
        self._trace = pb.Trace()
        self._end, self._reading = _draft(_END), _draft(_COUNTER)
        self._named_alike: dict[tuple[object, ...], _Draft] = {}
        """By kind, and names and types of arguments."""
        self._tracks = 0
        self._interned: dict[str, dict[str, int]] = {"event_names": {}, "event_categories": {}}
        self._interned["debug_annotation_names"] = {}
        first = self._packet(_CLEARED)
        first.trace_packet_defaults.timestamp_clock_id = _REALTIME
        snapshot = first.clock_snapshot
        snapshot.primary_trace_clock = _REALTIME
        for clock in (_REALTIME, pb.BUILTIN_CLOCK_BOOTTIME):
            snapshot.clocks.add(clock_id=clock, timestamp=max(origin_ns, 0))

    def open_at(self, begin_ns: int, end_ns: int, pid: int | None) -> None:
        """What is in sight when the trace is opened: a stretch of time, and the group of a process."""
        state = self._packet(0).ui_state
        state.timeline_start_ts = max(begin_ns, 0)
        state.timeline_end_ts = max(end_ns, 0)
        if pid is not None:
            state.highlight_process.pid = pid

    # --- tracks -------------------------------------------------------------------------------------------------------
    def process(self, name: str, pid: int) -> int:
        """A track of its own group, shown in the order of ``pid``; returns its id."""
        track = self._track(order=pid)
        track.process.pid = pid
        track.process.process_name = name
        track.process.legacy_sort_index = pid
        return int(track.uuid)

    def thread(self, name: str, pid: int, tid: int) -> int:
        """A thread of the process ``pid``, shown in the order of ``tid``; returns the id of its track."""
        tid = min(tid, _MAX_TID)
        track = self._track(order=tid)
        track.thread.pid = pid
        track.thread.tid = tid
        track.thread.thread_name = name
        track.thread.legacy_sort_index = tid
        return int(track.uuid)

    def track(self, name: str, parent: int | None = None, order: int = 0, description: str = "") -> int:
        """A named track under ``parent`` (or at the top), among its siblings by ``order``; returns its id."""
        track = self._track(parent, order)
        track.name = name
        if description:
            track.description = description
        return int(track.uuid)

    def counter(self, name: str, parent: int, unit: str, order: int = 0) -> int:
        """A counter under ``parent``; ``unit`` "bytes" is shown in binary units. Returns its id."""
        track = self._track(parent, order)
        track.name = name
        if unit == "bytes":
            track.counter.unit = pb.CounterDescriptor.UNIT_SIZE_BYTES
        else:
            track.counter.unit_name = unit
        return int(track.uuid)

    # --- events -------------------------------------------------------------------------------------------------------
    def begin(
        self, track: int, ts_ns: int, name: str, category: str, args: Args | None = None, arrows: Arrows = NO_ARROWS
    ) -> None:
        """Open a slice. One that is never ended is drawn to the end of the trace with a ragged edge."""
        self._named(_BEGIN, track, ts_ns, name, category, args, arrows)

    def end(self, track: int, ts_ns: int) -> None:
        """Close the slice opened last on the track."""
        self._put(self._end, track, ts_ns)

    def instant(
        self, track: int, ts_ns: int, name: str, category: str, args: Args | None = None, arrows: Arrows = NO_ARROWS
    ) -> None:
        """A point in time."""
        self._named(_INSTANT, track, ts_ns, name, category, args, arrows)

    def count(self, track: int, ts_ns: int, value: float) -> None:
        """One reading of a counter."""
        self._reading.event.double_counter_value = value
        self._put(self._reading, track, ts_ns)

    def finish(self) -> bytes:
        """The whole trace."""
        self._flush()
        return bytes(self._done)

    # --- packets ------------------------------------------------------------------------------------------------------
    def _packet(self, flags: int = _NEEDED) -> Message:
        self._flush()
        return self._trace.packet.add(trusted_packet_sequence_id=1, sequence_flags=flags)

    def _put(self, draft: _Draft, track: int, ts_ns: int) -> None:
        self._flush()
        draft.packet.timestamp = max(ts_ns, 0)
        draft.event.track_uuid = track
        self._done += draft.trace.SerializeToString()

    def _flush(self) -> None:
        """Write the packet that was begun last, which is whole now."""
        if self._trace.packet:
            self._done += self._trace.SerializeToString()
            self._trace = pb.Trace()

    def _track(self, parent: int | None = None, order: int = 0) -> Message:
        self._tracks += 1
        packet = self._packet(0)
        # On a sequence of its own: a thread descriptor would otherwise pass for the thread of all later events.
        packet.trusted_packet_sequence_id = 2
        track = packet.track_descriptor
        track.uuid = self._tracks
        if parent is not None:
            track.parent_uuid = parent
        track.sibling_order_rank = order
        track.child_ordering = _EXPLICIT
        return track

    def _named(
        self, kind: int, track: int, ts_ns: int, name: str, category: str, args: Args | None, arrows: Arrows
    ) -> None:
        told = [(key, value) for key, value in (args or {}).items() if value is not None]
        draft = self._draft_for(kind, told)
        event = draft.event
        event.name_iid = self._intern(draft.packet, "event_names", name)
        event.category_iids[0] = self._intern(draft.packet, "event_categories", category)
        for (arg, field), (_, value) in zip(draft.args, told, strict=True):
            setattr(arg, field, value)
        if arrows.to is not None:
            event.flow_ids.append(arrows.to)
        if arrows.ends is not None:
            event.terminating_flow_ids.append(arrows.ends)
        self._put(draft, track, ts_ns)
        if arrows is not NO_ARROWS:
            event.ClearField("flow_ids")
            event.ClearField("terminating_flow_ids")
        if draft.packet.HasField("interned_data"):
            draft.packet.ClearField("interned_data")

    def _draft_for(self, kind: int, told: list[tuple[str, int | float | str | bool]]) -> _Draft:
        shape = kind, *[(key, type(value)) for key, value in told]
        draft = self._named_alike.get(shape)
        if draft is None:
            if len(self._named_alike) >= _MOST_DRAFTS:
                self._named_alike.clear()
            draft = self._named_alike[shape] = _draft(kind)
            draft.event.category_iids.append(0)
            for key, value in told:
                iid = self._intern(draft.packet, "debug_annotation_names", key)
                draft.args.append((draft.event.debug_annotations.add(name_iid=iid), _field(value)))
        return draft

    def _intern(self, packet: Message, kind: str, text: str) -> int:
        known = self._interned[kind]
        if text not in known:
            known[text] = len(known) + 1
            getattr(packet.interned_data, kind).add(iid=known[text], name=text)
        return known[text]

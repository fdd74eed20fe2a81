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

_BATCH: Final = 2000
_REALTIME: Final = pb.BUILTIN_CLOCK_REALTIME
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


class TraceWriter:
    """Collects a trace in memory; ``finish`` gives its bytes.

    Args:
        origin_ns: UTC time of the clock snapshot: the begin of what the trace covers.
    """

    def __init__(self, origin_ns: int) -> None:
        self._done: list[bytes] = []
        self._trace = pb.Trace()
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
        self._event(track, ts_ns, _END)

    def instant(
        self, track: int, ts_ns: int, name: str, category: str, args: Args | None = None, arrows: Arrows = NO_ARROWS
    ) -> None:
        """A point in time."""
        self._named(_INSTANT, track, ts_ns, name, category, args, arrows)

    def count(self, track: int, ts_ns: int, value: float) -> None:
        """One reading of a counter."""
        self._event(track, ts_ns, _COUNTER).double_counter_value = value

    def finish(self) -> bytes:
        """The whole trace."""
        self._flush()
        return b"".join(self._done)

    # --- packets ------------------------------------------------------------------------------------------------------
    def _packet(self, flags: int = _NEEDED) -> Message:
        if len(self._trace.packet) >= _BATCH:
            self._flush()
        packet = self._trace.packet.add()
        packet.trusted_packet_sequence_id = 1
        packet.sequence_flags = flags
        return packet

    def _flush(self) -> None:
        self._done.append(self._trace.SerializeToString(deterministic=True))
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

    def _event(self, track: int, ts_ns: int, kind: int) -> Message:
        packet = self._packet()
        packet.timestamp = max(ts_ns, 0)
        event = packet.track_event
        event.type = kind
        event.track_uuid = track
        return event

    def _named(
        self, kind: int, track: int, ts_ns: int, name: str, category: str, args: Args | None, arrows: Arrows
    ) -> None:
        event = self._event(track, ts_ns, kind)
        packet = self._trace.packet[-1]
        event.name_iid = self._intern(packet, "event_names", name)
        event.category_iids.append(self._intern(packet, "event_categories", category))
        for key, value in (args or {}).items():
            if value is None:
                continue
            arg = event.debug_annotations.add(name_iid=self._intern(packet, "debug_annotation_names", key))
            match value:
                case bool():
                    arg.bool_value = value
                case int():
                    arg.int_value = value
                case float():
                    arg.double_value = value
                case _:
                    arg.string_value = value
        if arrows.to is not None:
            event.flow_ids.append(arrows.to)
        if arrows.ends is not None:
            event.terminating_flow_ids.append(arrows.ends)

    def _intern(self, packet: Message, kind: str, text: str) -> int:
        known = self._interned[kind]
        if text not in known:
            known[text] = len(known) + 1
            getattr(packet.interned_data, kind).add(iid=known[text], name=text)
        return known[text]

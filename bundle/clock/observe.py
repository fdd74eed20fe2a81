"""What rows tell of clocks, kept in bounded memory whatever the size of the job.

What is kept depends on the set of rows alone, not on their order, nor on how often a row is seen: probes and readings
of the wall clock are thinned to the best of equal stretches of time, collectives to those whose sequence number hashes
lowest, which spreads them over the run and picks the same ones on every node.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle.summary import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Clock = tuple[str, str]
"""Node and boot: one monotonic clock. Boot "" is the wall clock that imported rows were told by."""

SOURCES: Final = (
    "clock_samples",
    "nccl_collectives",
    "flight_recorder",
    "nccl_comms",
    "log_lines",
    "slurm_steps",
    "processes",
)
"""Tables that tell something of clocks."""
HEAD: Final = {"log_lines": 20_000}
"""Rows of a recording that are looked at, of tables where only the first tell: groups are set up when a job begins."""

LIMIT: Final = 1 << 62
"""Clock readings beyond this many ns (146 years) are no times, and adding them could wrap."""

_ASKED: Final = pa.array(["probe", "handshake"], pa.string())
_KEPT: Final = 256
"""Probes of one pair of clocks, and readings of one wall clock, that are kept."""
_FIRST_STRETCH: Final = 27
"""Stretches begin at 2^27 ns, 0.13 s."""
_EVENTS: Final = 512
"""Events of one communicator that are kept, unless `_ENDS` allows fewer."""
_LEAST_EVENTS: Final = 64
_ENDS: Final = 1 << 20
"""Ends of events that are kept in all."""
_MAX_PEERS: Final = 64
"""Peers whose probes are believed per clock: a hostile recording may name millions."""
_MAX_COMMS: Final = 1 << 14
"""Communicators whose events are kept: those whose name hashes lowest."""
_MAX_STEPS: Final = 1 << 14
"""Steps of the scheduler that are believed: a job has a few."""
_HASH_BITS: Final = 40

_WAITS_FOR_ALL: Final = re.compile("allreduce|allgather|reducescatter|alltoall|barrier")
"""No rank is done before all have come. A root of a broadcast, or a sender, may leave early."""


@cache
def waits_for_all(op: str) -> bool:
    """Whether a collective, as NCCL or c10d names it, ends on all ranks together."""
    return _WAITS_FOR_ALL.search(re.sub("[^a-z]", "", op.lower())) is not None


_NCCL_READY: Final = re.compile(r"\bcommId (0x[0-9a-f]+)\b.* - Init COMPLETE\b")
_GLOO_READY: Final = re.compile(r"\[Gloo\] Rank \d+ is connected to (\d+) peer ranks\. Expected .* : (\d+)\b")
_TORCHRUN_READY: Final = re.compile(r"^\s+(restart_count|master_addr|master_port)=(\S{1,256})\s*$")
"""What NCCL (src/init.cc), gloo (torch's ProcessGroupGloo) and torchrun (elastic/agent/server/api.py) print when all
members have come: a communicator's id, the number of peers, and below "Rendezvous complete" where all met."""
_READY_WORDS: Final = r"- Init COMPLETE|\[Gloo\] Rank |^\s+(restart_count|master_addr|master_port)="
_PLACE: Final = 3
"""Lines that say where torchrun's agents met."""
_ATTEMPT_NS: Final = 100_000_000_000
"""Wall clocks of one cluster differ by less, attempts of one job by more."""
_ONCE_NS: Final = 1_000_000_000
"""Ranks of a node leave a rendezvous within this time; what was said again later is not one event."""

_Entry = TypeVar("_Entry", bound=tuple[int, ...])


class Thinned(Generic[_Entry]):
    """The least entry of each stretch of time; stretches double as the run grows. Entries are (quality, time, ...)."""

    __slots__ = ("_best", "_stretch")

    def __init__(self) -> None:
        self._best: dict[int, _Entry] = {}
        self._stretch = _FIRST_STRETCH

    def add(self, entry: _Entry) -> None:
        """Take one entry."""
        self._keep(entry)
        while len(self._best) > _KEPT:
            self._stretch += 1
            entries = list(self._best.values())
            self._best = {}
            for kept in entries:
                self._keep(kept)

    def _keep(self, entry: _Entry) -> None:
        key = entry[1] >> self._stretch
        best = self._best.get(key)
        if best is None or entry < best:
            self._best[key] = entry

    def __iter__(self) -> Iterator[_Entry]:
        """The kept entries by time."""
        return iter(sorted(self._best.values(), key=lambda entry: entry[1:]))


class Events:
    """Events of one communicator: for each, when each clock's first rank saw its end."""

    __slots__ = ("_ends", "_latest", "_limit", "members")

    def __init__(self) -> None:
        self._ends: dict[tuple[int, str, int], dict[Clock, int]] = {}
        self._latest: dict[tuple[int, str, int], dict[Clock, int]] = {}
        self._limit = 1 << _HASH_BITS
        self.members: set[Clock] = set()

    @property
    def limit(self) -> int:
        """Hashes from here on are not kept."""
        return self._limit

    def add(self, clock: Clock, rank: int, key: tuple[str, int], end: int) -> None:
        """Take one end; ``rank`` is the hash of the event's number."""
        ends = self._ends.setdefault((rank, *key), {})
        ends[clock] = min(end, ends.get(clock, end))

    def once(self, clock: Clock, rank: int, key: tuple[str, int], end: int) -> None:
        """The same of an event that may be told several times, and then counts only if that is within `_ONCE_NS`."""
        self.add(clock, rank, key, end)
        latest = self._latest.setdefault((rank, *key), {})
        latest[clock] = max(end, latest.get(clock, end))

    def keep(self, most: int) -> None:
        """Forget all but the ``most`` events whose hash is lowest."""
        if len(self._ends) > most:
            kept = sorted(self._ends)[:most]
            self._limit = kept[-1][0] + 1
            self._ends = {key: self._ends[key] for key in kept}
            self._latest = {key: self._latest[key] for key in kept if key in self._latest}

    def __len__(self) -> int:
        """Events at hand."""
        return len(self._ends)

    def shared(self) -> list[dict[Clock, int]]:
        """The events that more than one clock saw, in one fixed order."""
        found = []
        for key, ends in sorted(self._ends.items(), key=lambda item: item[0]):
            latest = self._latest.get(key, ends)
            certain = {clock: end for clock, end in ends.items() if latest[clock] - end <= _ONCE_NS}
            if len(certain) > 1:
                found.append(certain)
        return found


Triple = tuple[int, int, int, int]  # read bound, monotonic, wall, the kernel's error (-1: not known); all ns
Probe = tuple[int, int, int, int, int]  # round trip, sent, received there, answered there, returned; all ns


class Observations:
    """Collects what aligns clocks from the rows of all recordings."""

    def __init__(self) -> None:
        self.walls: dict[Clock, Thinned[Triple]] = {}
        self.probes: dict[tuple[str, Clock, Clock], Thinned[Probe]] = {}
        """By kind ("probe", "handshake"), the clock that asked, and the one that answered."""
        self.events: dict[tuple[str, str], Events] = {}
        """By method ("collective", "rendezvous") and communicator."""
        self.clocks: set[Clock] = set()
        """Every clock that rows were recorded or told by."""
        self.step_starts: dict[tuple[str, str], int] = {}
        """When the scheduler says a step began, UTC, by job and step."""
        self.task_starts: dict[tuple[str, str], dict[Clock, int]] = {}
        """When the first task of a step began on each clock."""
        self._places = 0
        self._comm_limit = 1 << 32
        self._peers: dict[Clock, set[Clock]] = {}

    def know(self, node: str, boot_id: str | None) -> None:
        """Rows of this clock exist, whatever they tell."""
        self.clocks.add((node, boot_id or ""))

    def observe(self, table: str, batch: pa.RecordBatch) -> None:
        """Take rows of a table in `SOURCES`, with the columns of ``parquet.plain_schema``; others tell nothing."""
        if table in SOURCES:
            take = getattr(self, f"_take_{table}")
            for (node, _, boot_id), rows in split(batch):
                self.know(node, boot_id)
                take((node, boot_id or ""), rows)

    def most_events(self) -> int:
        """Events of one communicator to keep: fewer, the more clocks there are."""
        return max(_LEAST_EVENTS, min(_EVENTS, _ENDS // max(1, self._places)))

    def _take_clock_samples(self, clock: Clock, rows: pa.RecordBatch) -> None:
        names = ("ts_mono_ns", "wall_ns", "read_bound_ns", "kernel_error_us", "chrony_error_us")
        columns = (rows.column(name).to_pylist() for name in names)
        for mono, wall, read, *errors in zip(*columns, strict=True):
            if _is_time(mono) and _is_time(wall):
                known = [round(error * 1000) for error in errors if error is not None and 0 <= error < LIMIT / 1000]
                triple = (max(read or 0, 0), mono, wall, min(known, default=-1))
                self.walls.setdefault(clock, Thinned()).add(triple)
        asked = rows.filter(pc.is_in(rows.column("kind"), _ASKED))
        for row in asked.to_pylist():
            self._take_probe(clock, row)

    def _take_probe(self, clock: Clock, row: dict[str, object]) -> None:
        names = ("ts_mono_ns", "peer_receive_mono_ns", "peer_send_mono_ns", "return_mono_ns")
        sent, received, answered, returned = (row[name] for name in names)
        peer = (str(row["peer"] or ""), str(row["peer_boot_id"] or ""))
        if not (
            all(peer)
            and isinstance(sent, int)
            and isinstance(received, int)
            and isinstance(answered, int)
            and isinstance(returned, int)
            and peer != clock
        ):
            return
        trip = (returned - sent) - (answered - received)
        if trip < 0 or not all(_is_time(t) for t in (sent, received, answered, returned)):
            return
        peers = self._peers.setdefault(clock, set())
        peers.add(peer)
        if len(peers) > _MAX_PEERS:
            dropped = max(peers)
            peers.discard(dropped)
            for kind in ("probe", "handshake"):
                self.probes.pop((kind, clock, dropped), None)
        if peer in peers:
            key = (str(row["kind"]), clock, peer)
            self.probes.setdefault(key, Thinned()).add((trip, sent, received, answered, returned))

    def _take_nccl_collectives(self, clock: Clock, rows: pa.RecordBatch) -> None:
        self._take_ends(clock, rows, rows.column("complete_mono_ns"))

    def _take_flight_recorder(self, clock: Clock, rows: pa.RecordBatch) -> None:
        # A dump tells the wall clock: only where rows have no other is it known how to use it.
        if not clock[1]:
            rows = rows.filter(pc.invert(pc.fill_null(rows.column("is_p2p"), False)))
            self._take_ends(clock, rows, rows.column("complete_ns"))

    def _take_ends(self, clock: Clock, rows: pa.RecordBatch, ends: pa.Array) -> None:
        ops = [op for op in rows.column("op").unique().to_pylist() if op and waits_for_all(op)]
        usable = pc.and_(_possible(ends), pc.is_in(rows.column("op"), pa.array(ops, pa.string())))
        numbers = _hash(pc.fill_null(rows.column("coll_seq"), 0))
        comms = rows.column("comm").dictionary_encode()
        limits = [self._limit("collective", comm, clock) if comm else 0 for comm in comms.dictionary.to_pylist()]
        below = pc.less(numbers, pa.array(limits, pa.int64()).take(comms.indices))
        usable = pc.and_(usable, pc.and_(pc.fill_null(below, False), pc.is_valid(rows.column("coll_seq"))))
        names = ["comm", "op", "coll_seq"]
        table = pa.table([*(rows.column(name) for name in names), numbers, ends], [*names, "hash", "end"])
        # Of a node's ranks the first to see the end counts: what others are late by is theirs.
        first = table.filter(usable).group_by([*names, "hash"], use_threads=False).aggregate([("end", "min")])
        columns = (first.column(name).to_pylist() for name in (*names, "hash", "end_min"))
        for comm, op, number, rank, end in zip(*columns, strict=True):
            self._add_end("collective", comm, clock, rank, (op, number), end)

    def _take_nccl_comms(self, clock: Clock, rows: pa.RecordBatch) -> None:
        done = rows.filter(pc.fill_null(pc.equal(rows.column("event"), "init_done"), False))
        for comm, time in zip(done.column("comm").to_pylist(), done.column("ts_mono_ns").to_pylist(), strict=True):
            if comm and _is_time(time):
                self._add_rendezvous(clock, comm, time)

    def _take_log_lines(self, clock: Clock, rows: pa.RecordBatch) -> None:
        rows = telling("log_lines", rows)
        met: dict[str | None, dict[str, str]] = {}
        columns = (rows.column(name).to_pylist() for name in ("source", "text", "ts_mono_ns"))
        for source, text, time in zip(*columns, strict=True):
            if not _is_time(time):
                continue
            # These names come again in the next attempt, whose log may be the only one that another node has left.
            attempt = "" if clock[1] else str(time // _ATTEMPT_NS)
            if told := _NCCL_READY.search(text):
                self._add_rendezvous(clock, told[1], time)
            elif (told := _GLOO_READY.search(text)) and told[1] == told[2]:
                self._add_rendezvous(clock, f"gloo {told[1]} {attempt}", time)
            elif told := _TORCHRUN_READY.search(text):
                place = met.setdefault(source, {})
                place[told[1]] = told[2]
                if told[1] == "master_port" and len(place) == _PLACE:
                    self._add_rendezvous(clock, f"torchrun {sorted(place.items())} {attempt}", time)

    def _add_rendezvous(self, clock: Clock, name: str, time: int) -> None:
        # All communicators together, each with one event: one alone would tell too little.
        if (rank := _text_hash(name)) < self._limit("rendezvous", "", clock):
            events = self.events["rendezvous", ""]
            events.once(clock, rank, (name, 0), time)
            if len(events) > 2 * self.most_events():
                events.keep(self.most_events())

    def _add_end(self, method: str, comm: str, clock: Clock, rank: int, key: tuple[str, int], end: int) -> None:
        if rank < self._limit(method, comm, clock):
            events = self.events[method, comm]
            events.add(clock, rank, key, end)
            if len(events) > 2 * self.most_events():
                events.keep(self.most_events())

    def _limit(self, method: str, comm: str, clock: Clock) -> int:
        """The hash from which on events of a communicator are not kept, now that ``clock`` has a part in it."""
        if _text_hash(comm) >= self._comm_limit:
            return 0
        events = self.events.setdefault((method, comm), Events())
        if clock not in events.members:
            events.members.add(clock)
            self._places += 1
        if len(self.events) > 2 * _MAX_COMMS:
            self.keep_comms()
        return events.limit if (method, comm) in self.events else 0

    def keep_comms(self) -> None:
        """Forget all but the communicators whose names hash lowest, where there are more than any job has."""
        if len(self.events) > _MAX_COMMS:
            kept = sorted(self.events, key=lambda key: (_text_hash(key[1]), key))[:_MAX_COMMS]
            self._comm_limit = _text_hash(kept[-1][1]) + 1
            self.events = {key: self.events[key] for key in kept}
            self._places = sum(len(events.members) for events in self.events.values())

    def _take_slurm_steps(self, clock: Clock, rows: pa.RecordBatch) -> None:
        names = ("job_id", "step_id", "start_ns")
        for job, step, start in zip(*(rows.column(name).to_pylist() for name in names), strict=True):
            if job and step and _is_time(start):
                key = _step(job, step)
                if len(self.step_starts) >= _MAX_STEPS and key not in self.step_starts:
                    continue
                # A requeued job begins its steps again under their old names; the last run is the one recorded last.
                self.step_starts[key] = max(start, self.step_starts.get(key, start))

    def _take_processes(self, clock: Clock, rows: pa.RecordBatch) -> None:
        names = ("event", "role", "job_id", "step_id", "start_mono_ns")
        known = pc.and_(pc.is_valid(rows.column("step_id")), pc.is_valid(rows.column("start_mono_ns")))
        known = pc.and_(known, pc.fill_null(pc.equal(rows.column("role"), "task"), False))
        rows = rows.filter(known)
        for _, _, job, step, start in zip(*(rows.column(name).to_pylist() for name in names), strict=True):
            if job and step and _is_time(start) and clock[1]:
                key = _step(job, step)
                if len(self.task_starts) >= _MAX_STEPS and key not in self.task_starts:
                    continue
                starts = self.task_starts.setdefault(key, {})
                starts[clock] = max(start, starts.get(clock, start))


def head(table: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of a recording's rows of a table, in their order, as many as tell of clocks."""
    left = HEAD.get(table)
    for batch in batches:
        if left is None:
            yield batch
        elif left > 0:
            yield batch.slice(0, left)
            left -= batch.num_rows
        else:
            break


def telling(table: str, rows: pa.RecordBatch) -> pa.RecordBatch:
    """The rows that may tell of clocks, where these are few: what has to reach `Observations`."""
    if table != "log_lines":
        return rows
    return rows.filter(pc.fill_null(pc.match_substring_regex(rows.column("text"), _READY_WORDS), False))


def _step(job: str, step: str) -> tuple[str, str]:
    """Slurm calls a step ``123.0`` in accounting and ``0`` in the environment."""
    return job, step.removeprefix(f"{job}.")


def _is_time(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < LIMIT


def _possible(times: pa.Array) -> pa.Array:
    return pc.fill_null(pc.and_(pc.greater_equal(times, 0), pc.less(times, LIMIT)), False)


def _hash(numbers: pa.Array) -> pa.Array:
    """A hash of sequence numbers, `_HASH_BITS` wide (splitmix64's steps, on signed integers that wrap)."""
    mixed = numbers
    for factor, shift in ((-0x61C8864680B583EB, 30), (-0x40A7B892E31B1A47, 27), (-0x6B2FB644ECCEEE15, 31)):
        mixed = pc.multiply(mixed, factor)
        mixed = pc.bit_wise_xor(mixed, pc.shift_right(mixed, shift))
    return pc.bit_wise_and(mixed, (1 << _HASH_BITS) - 1)


def _text_hash(text: str) -> int:
    from zlib import crc32

    return crc32(text.encode(errors="replace"))

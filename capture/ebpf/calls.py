"""Probes on functions of CUDA and NCCL: where they stand, and what they have counted.

The C structures of programs/calls.h, cuda_calls.bpf.c and nccl_calls.bpf.c are unpacked here, and nowhere else.
"""

from __future__ import annotations

import struct
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from inquest.capture.ebpf.functions import FUNCTIONS, What, by_symbol, cookie, telling
from inquest.capture.ebpf.rawbpf import MapKind, MapSpec, Object, ProgramKind, Ring, ring_spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inquest.capture.ebpf import elf
    from inquest.capture.ebpf.functions import Library
    from inquest.capture.ebpf.libraries import Found
    from inquest.capture.ebpf.selftest import Costs
    from inquest.capture.ebpf.session import Session

_OPEN_KEY: Final = struct.Struct("<II8s")
_OPEN: Final = struct.Struct("<5Q2i2HI")
_SUM_KEY: Final = struct.Struct("<IHHi")
_SUM: Final = struct.Struct("<5Q2I32I")
_SERIES_KEY: Final = struct.Struct("<QII")
TAIL: Final = 16
"""Calls of a series that are remembered, the latest."""
_SERIES: Final = struct.Struct("<Q4I3Q")
_PAST: Final = struct.Struct("<QQQiHH")
_RECORD: Final = struct.Struct("<6QIIHHiiiII")
_RING_BYTES: Final = 4 << 20
"""``RING_BYTES`` in programs/nccl_calls.bpf.c: the reader is woken when half of it is full."""
_PAUSE_S: Final = 0.01
_MOST_WAITING: Final = 1 << 20
"""Records held for the next tick; beyond that they stay in the ring, and what finds no room there is counted."""
_REASONS: Final = 4

_Place = tuple[str, int, int]
"""Name of a function, its offset in the file, its cookie."""

_ENOUGH: Final = 500
"""Launches of the runtime by a process that a trial rests on."""
_ALL: Final = 0.98
"""Share of them inside which the driver's must be seen: its count is read a moment earlier or later than theirs."""

_DROPS: Final = {"drops": MapSpec(MapKind.ARRAY, 4, 8, _REASONS)}
_OPEN_CALLS: Final = {"open_calls": MapSpec(MapKind.HASH, _OPEN_KEY.size, _OPEN.size, 4096)}


class SumKey(NamedTuple):
    """What calls are added up by."""

    pid: int
    number: int
    direction: int
    result: int


class Sum(NamedTuple):
    """Calls added up since the probes came; ``max_ns`` is that of the interval just ended.

    Of launches by the driver, ``bytes`` is how many were made inside a launch of the runtime that was on trial.
    """

    calls: int
    ns: int
    bytes: int
    max_ns: int
    histogram: tuple[int, ...]


class Group(NamedTuple):
    """Functions whose calls cost alike, and whose probes come off together.

    ``launch``: calls are counted only; ``stepped``: the kernel must single-step the instruction under the probe;
    ``runtime``: launches of the runtime, which as a rule end in the driver's.
    """

    launch: bool
    stepped: bool
    runtime: bool = False

    def cost_ns(self, costs: Costs) -> int:
        """What a call costs its thread."""
        plain = costs.counted_ns if self.launch else costs.timed_ns
        return plain + (costs.stepped_ns - costs.counted_ns if self.stepped else 0)

    def words(self) -> str:
        """For a sentence."""
        what = ("launches of the runtime" if self.runtime else "launches") if self.launch else "calls"
        return ("single-stepped " if self.stepped else "") + what


class OpenCall(NamedTuple):
    """A call that has begun and not returned."""

    pid: int
    tid: int
    number: int
    since_ns: int
    comm: int
    seq: int
    key: bytes


class Record(NamedTuple):
    """One NCCL call that was told; the fields are those of ``struct record``."""

    since_ns: int
    took_ns: int
    amount: int
    comm: int
    seq: int
    unique_id: int
    pid: int
    tid: int
    number: int
    type: int
    result: int
    a: int
    b: int
    is_return: int


class SeriesKey(NamedTuple):
    """The calls of one kind on one communicator."""

    comm: int
    pid: int
    what: int


class Past(NamedTuple):
    """One of the latest calls of a series."""

    since_ns: int
    amount: int
    seq: int
    root: int
    number: int
    type: int


@dataclass(slots=True)
class Attached:
    """What stands on one file."""

    found: Found
    symbols: list[str] = field(default_factory=list)
    stepped: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def lacks(self, library: Library) -> bool:
        """Whether calls here go unseen without which a wait for the device proves nothing."""
        numbers = by_symbol(library)
        standing = {FUNCTIONS[numbers[name]].name for name in self.symbols if name in numbers}
        return bool(self.refused) or bool(standing and telling(library) - standing)


class Probes(ABC):
    """Probes of one collector on the functions of some libraries.

    Raises:
        OSError: The kernel refused the programs.
    """

    source: str
    libraries: tuple[Library, ...]
    programs: dict[str, ProgramKind]
    maps: dict[str, MapSpec]

    def __init__(self, session: Session) -> None:
        self.attached: list[Attached] = []
        self.cpu_ns = 0
        """CPU time of threads of its own."""
        self._session = session
        self._object: Object = session.load(self.source, self.programs, {**self.maps, **_DROPS, **_OPEN_CALLS})
        self._symbols = {symbol: number for name in self.libraries for symbol, number in by_symbol(name).items()}
        self._seen = 0
        self._links: dict[Group, list[range]] = defaultdict(list)
        self._places: dict[Group, list[tuple[Attached, list[_Place]]]] = defaultdict(list)
        self._left_alone: set[Group] = set()

    @classmethod
    def stands_on(cls, file: elf.Library) -> bool:
        """Whether a file has any of the functions."""
        return any(name in by_symbol(library) for library in cls.libraries for name in file.functions)

    def attach(self) -> None:
        """Stand on what was found since the last time."""
        found = self._session.libraries.found
        while self._seen < len(found):
            self.attach_to(found[self._seen])
            self._seen += 1

    def attach_to(self, found: Found) -> None:
        """Stand on the functions of one file."""
        groups: dict[Group, list[_Place]] = defaultdict(list)
        attached = Attached(found)
        for function in found.library.by_offset.values():
            number = self._symbols.get(function.name)
            if number is not None:
                group = self._group(number, stepped=function.stepped)
                groups[group].append((function.name, function.offset, cookie(number)))
                attached.stepped += [function.name] * function.stepped
        if not groups:
            return
        self.attached.append(attached)
        for group, places in groups.items():
            self._places[group].append((attached, places))
            for program, at_return in self._programs_for(group):
                self._links[group] += self._stand(attached, program, places, at_return)
        attached.symbols = sorted({name for places in groups.values() for name, *_ in places} - set(attached.refused))

    def survey(self, pids: Iterable[int]) -> None:  # noqa: B027 - those of NCCL have nothing to tell
        """Note what processes do with their GPUs, where these probes can tell."""

    def group_of(self, number: int) -> Group:
        """The group a function is in: single-stepped, if it stands where it is so in any file."""
        symbols = FUNCTIONS[number].symbols
        stepped = any(symbol in attached.stepped for attached in self.attached for symbol in symbols)
        return self._group(number, stepped=stepped and self._group(number, stepped=True) not in self._left_alone)

    def leave_alone(self, group: Group) -> None:
        """Take the probes off a group of functions, for good; calls that are open then are forgotten."""
        numbers = {number for number in self._symbols.values() if self.group_of(number) == group}
        self._left_alone.add(group)
        self._take_off(group)
        for call in self.open_calls():
            if call.number in numbers:
                self.forget_call(call)

    def open_calls(self) -> list[OpenCall]:
        """Calls that have begun and not returned, oldest first."""
        calls = []
        for key, value in self._object.maps["open_calls"].items():
            tid, pid, number = _OPEN_KEY.unpack(key)
            since, _, comm, seq, *_ = _OPEN.unpack(value)
            calls.append(OpenCall(pid, tid, int.from_bytes(number, "little"), since, comm, seq, key))
        return sorted(calls, key=lambda call: call.since_ns)

    def forget_call(self, call: OpenCall) -> None:
        """Remove a call whose return nobody will see."""
        self._object.maps["open_calls"].delete(call.key)

    def drops(self) -> int:
        """Records and calls lost in the kernel because a ring or a map was full; exact."""
        return self._object.maps["drops"].total()

    def standing(self) -> tuple[object, ...]:
        """Changes whenever ``describe`` does."""
        return len(self.attached), sum(len(at.refused) for at in self.attached), len(self._left_alone)

    def describe(self) -> list[str]:
        """Where the probes stand and where not."""
        files = []
        for at in self.attached:
            build = f" build {at.found.library.build_id[:12]}" if at.found.library.build_id else ""
            files.append(f"{at.found.name}{build}: {len(at.symbols)} functions")
            for what, names in (("single-stepped", at.stepped), ("refused", at.refused)):
                if names:
                    files[-1] += f", {what} {' '.join(sorted(names))}"
        absent = [f"absent {' '.join(names)}"] if (names := self.absent()) else []
        return [*files, *absent]

    def absent(self) -> list[str]:
        """Functions that no file here has, of the libraries that are here."""
        standing = {self._symbols[name] for attached in self.attached for name in attached.symbols}
        libraries = {FUNCTIONS[number].library for number in standing}
        wanted = {number for number in self._symbols.values() if FUNCTIONS[number].library in libraries}
        return sorted(FUNCTIONS[number].name for number in wanted - standing)

    def close_soon(self) -> None:
        """Begin to take the probes off, and do not wait."""
        self._object.close_soon()

    def close(self) -> None:
        """Take the probes off."""
        self._object.close()

    @staticmethod
    def _group(number: int, *, stepped: bool) -> Group:
        function = FUNCTIONS[number]
        launch = function.what is What.LAUNCH
        return Group(launch, stepped, launch and function.library == "cudart")

    @abstractmethod
    def _programs_for(self, group: Group) -> Sequence[tuple[str, bool]]:
        """Programs that stand on a group of functions, and whether each does at the return."""

    def _take_off(self, group: Group) -> None:
        for links in self._links.pop(group, ()):
            self._object.detach(links)

    def _stand(self, attached: Attached, program: str, places: list[_Place], at_return: bool) -> list[range]:
        """Attach to all places at once; where the kernel refuses that, to each that it allows."""
        names, offsets, cookies = zip(*places, strict=True)
        try:
            return [self._object.uprobes(program, attached.found.reach, offsets, cookies, at_return=at_return)]
        except OSError:
            if len(places) == 1:
                attached.refused += names
                return []
        return [links for place in places for links in self._stand(attached, program, [place], at_return)]


class CudaCalls(Probes):
    """Calls of CUDA, added up by process, function, direction and result."""

    source = "cuda_calls"
    libraries = ("cuda", "cudart")
    programs = {  # noqa: RUF012 - never changed
        "count": ProgramKind.UPROBE,
        "enter": ProgramKind.UPROBE,
        "leave": ProgramKind.UPROBE,
        "enter_launch": ProgramKind.UPROBE,
        "leave_launch": ProgramKind.UPROBE,
    }
    maps = {  # noqa: RUF012 - never changed
        "sums": MapSpec(MapKind.HASH, _SUM_KEY.size, _SUM.size, 4096),
        "no_sum": MapSpec(MapKind.PERCPU_ARRAY, 4, _SUM.size, 1),
        "interval": MapSpec(MapKind.ARRAY, 4, 4, 1),
        "on_trial": MapSpec(MapKind.ARRAY, 4, 4, 1),
        "inside": MapSpec(MapKind.HASH, 8, 4, 4096),
    }

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._interval = 0
        self._on_trial: list[Group] = []
        self._standing_on_driver = False
        self._surveyed: set[int] = set()
        self._launched: Counter[int] = Counter()
        self._within: Counter[int] = Counter()
        self.told_by_driver = False
        """Whether launches of the runtime were seen to end in the driver's, and are counted there only."""
        self.resting = False
        """Whether the probes on launches are off for a while."""

    def sums(self) -> Iterator[tuple[SumKey, Sum]]:
        """All sums, and the longest calls since the last time this was asked."""
        ended = self._interval
        self._interval += 1
        self._object.maps["interval"].put(bytes(4), struct.pack("<I", self._interval))
        for key, value in self._object.maps["sums"].items():
            calls, ns, size, even, odd, even_is, odd_is, *histogram = _SUM.unpack(value)
            longest, of = (odd, odd_is) if ended & 1 else (even, even_is)
            yield SumKey(*_SUM_KEY.unpack(key)), Sum(calls, ns, size, longest if of == ended else 0, tuple(histogram))

    def forget(self, key: SumKey) -> None:
        """Remove the sums of a process that is gone."""
        self._object.maps["sums"].delete(_SUM_KEY.pack(*key))

    def attach_to(self, found: Found) -> None:
        """Stand on the functions of one file; the runtime's launches are on trial at first."""
        before = {group: len(places) for group, places in self._places.items()}
        if self.resting:  # all of a kind are counted in the same time
            self.resume()
        is_driver = "cuDevicePrimaryCtxRetain" in found.library.functions
        if is_driver:
            self._session.vouched.clear()  # who has another driver than was known may have used it by now
            self._standing_on_driver = True
        super().attach_to(found)
        if is_driver and self.attached[-1].lacks("cuda"):
            self._session.vouch_for_none()
        new = [group for group, places in self._places.items() if group.runtime and len(places) > before.get(group, 0)]
        if any(group not in self._left_alone for group in new):
            self._on_trial = [group for group in self._places if group.runtime]
            self._object.maps["on_trial"].put(bytes(4), struct.pack("<I", 1))

    def survey(self, pids: Iterable[int]) -> None:
        """Note what processes do with their GPUs, from their first call of the driver on."""
        if self._standing_on_driver:
            now = set(pids)
            for pid in now - self._surveyed:
                self._session.survey(pid)
            self._surveyed = now

    @property
    def may_rest(self) -> bool:
        """Whether it is known by now where a launch of the runtime is counted."""
        return not self._on_trial

    def rest(self) -> None:
        """Begin to take the probes off launches, until ``resume``; what they counted stays."""
        self.resting = True
        for group in self._launches():
            for links in self._links.pop(group, ()):
                self._object.detach_soon(links)

    def resume(self) -> None:
        """Stand on launches again."""
        self.resting = False
        for group in self._launches():
            self._stand_again(group)

    def leave_alone(self, group: Group) -> None:
        """Take the probes off a group of functions; without all but launches, waits prove nothing."""
        if not group.launch:
            self._session.vouch_for_none()
        super().leave_alone(group)

    def judge(self, launched: Counter[int], within: Counter[int]) -> None:
        """Count the runtime's launches at the driver only, once it is seen that they end there; else at both.

        A launch of the runtime is one of the driver's too, where the runtime goes through the function that the driver
        exports. Then one probe does for both; and nobody guesses whether it is so.

        Args:
            launched: Launches of the runtime since the last time, by process.
            within: Those of the driver that were made inside one.
        """
        if not self._on_trial:
            return
        self._launched += launched
        self._within += within
        told = [pid for pid, count in self._launched.items() if count >= _ENOUGH]
        if not told:
            return
        contained = all(self._within[pid] >= _ALL * self._launched[pid] for pid in told)
        on_trial, self._on_trial = self._on_trial, []
        self._object.maps["on_trial"].put(bytes(4), bytes(4))
        self._launched.clear()
        self._within.clear()
        self.told_by_driver = contained
        for group in on_trial:
            self._stand_again(group)

    def standing(self) -> tuple[object, ...]:
        """Changes whenever ``describe`` does."""
        return *super().standing(), self.told_by_driver

    def describe(self) -> list[str]:
        """Where the probes stand and where not."""
        told = ["launches of the runtime end in the driver's and are counted there"] if self.told_by_driver else []
        return [*super().describe(), *told]

    def _launches(self) -> list[Group]:
        return [group for group in self._places if group.launch]

    def _stand_again(self, group: Group) -> None:
        """Count launches at these functions, where they are not told by the driver's."""
        self._take_off(group)
        if group not in self._left_alone and not (group.runtime and self.told_by_driver):
            for attached, places in self._places[group]:
                if allowed := [place for place in places if place[0] not in attached.refused]:
                    self._links[group] += self._stand(attached, "count", allowed, at_return=False)

    def _programs_for(self, group: Group) -> Sequence[tuple[str, bool]]:
        if group in self._left_alone:
            return ()
        if group.runtime:
            return ("enter_launch", False), ("leave_launch", True)
        return (("count", False),) if group.launch else (("enter", False), ("leave", True))


class NcclCalls(Probes):
    """Calls of NCCL: communicators and what is enqueued on them."""

    source = "nccl_calls"
    libraries = ("nccl",)
    programs = {"enter_nccl": ProgramKind.UPROBE, "leave_nccl": ProgramKind.UPROBE}  # noqa: RUF012 - never changed
    maps = {  # noqa: RUF012 - never changed
        "series": MapSpec(MapKind.HASH, _SERIES_KEY.size, _SERIES.size + TAIL * _PAST.size, 1024),
        "no_series": MapSpec(MapKind.PERCPU_ARRAY, 4, _SERIES.size + TAIL * _PAST.size, 1),
        "records": ring_spec(_RING_BYTES),
    }

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._ring = Ring(self._object.maps["records"])
        self._waiting: list[bytes] = []
        self._ring_lock = threading.Lock()
        self._over = False
        self._reader = threading.Thread(target=self._keep_room, name="nccl-ring", daemon=True)
        self._reader.start()

    def records(self) -> list[Record]:
        """What was told since the last time, in order."""
        with self._ring_lock:
            records, self._waiting = self._waiting + self._ring.read(), []
        return [Record(*_RECORD.unpack(record)[:14]) for record in records]

    def _keep_room(self) -> None:
        """Empty the ring before it is full: woken only where more is told in a second than it holds."""
        while not self._over:
            if self._ring.wait() and len(self._waiting) < _MOST_WAITING:
                with self._ring_lock:
                    self._waiting += self._ring.read()
            self.cpu_ns = time.thread_time_ns()
            time.sleep(_PAUSE_S)

    def series(self) -> list[tuple[SeriesKey, int, bytes]]:
        """Each series: how many calls so far, and what `latest` takes."""
        return [
            (SeriesKey(*_SERIES_KEY.unpack(key)), _SERIES.unpack_from(value)[0], value)
            for key, value in self._object.maps["series"].items()
        ]

    def completed(self, key: SeriesKey, series: bytes) -> int:
        """How many calls of a series are known to have completed, in order: there may be more."""
        if key.pid not in self._session.vouched:
            return 0
        calls, *_, completed, returned, last_return = map(int, _SERIES.unpack_from(series))
        proved = returned == calls and self._session.waited_ns(key.pid) > last_return
        return calls if proved else completed

    def attach_to(self, found: Found) -> None:
        """Stand on the functions of one file."""
        super().attach_to(found)
        if any(attached.found is found and attached.lacks("nccl") for attached in self.attached):
            self._session.vouch_for_none()

    @staticmethod
    def latest(series: bytes) -> list[Past]:
        """The latest calls of a series, oldest first."""
        (calls, *_) = _SERIES.unpack_from(series)
        past = [Past(*_PAST.unpack_from(series, _SERIES.size + at * _PAST.size)) for at in range(min(calls, TAIL))]
        return sorted(past, key=lambda call: call.seq)

    def forget(self, key: SeriesKey) -> None:
        """Remove the series of a process that is gone."""
        self._object.maps["series"].delete(_SERIES_KEY.pack(*key))

    def close(self) -> None:
        """Take the probes off."""
        self._over = True
        self._ring.wake()
        self._reader.join()
        self._ring.close()
        super().close()

    def _programs_for(self, group: Group) -> Sequence[tuple[str, bool]]:
        return ("enter_nccl", False), ("leave_nccl", True)

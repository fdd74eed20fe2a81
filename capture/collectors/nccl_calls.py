"""Calls of NCCL by the job's processes: its communicators, and what was enqueued on them.

A collective call returns when the work is enqueued: its duration is no network time, and that it returned does not say
that it completed. What tells a hang is the number each rank got to on a communicator, and calls that never returned.
Where a wait for the whole device proves that collectives completed, the number up to which it does is told: the least.

All collectives are counted in the kernel; of a busy communicator one in 2, 4, 8 ... is told, by its number, so that all
ranks tell of the same ones. Of a communicator that stands still, ends, or whose process ends, the last 16 are told.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.nccl import TYPES
from inquest.capture.ebpf import session
from inquest.capture.ebpf.call_collector import CallCollector
from inquest.capture.ebpf.calls import TAIL, Record, SeriesKey
from inquest.capture.ebpf.calls import NcclCalls as Probes
from inquest.capture.ebpf.functions import FUNCTIONS, What

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.capture.collector import Batch, Row
    from inquest.capture.ebpf.calls import OpenCall, Past

_RESULTS: Final = (
    "ncclSuccess",
    "ncclUnhandledCudaError",
    "ncclSystemError",
    "ncclInternalError",
    "ncclInvalidArgument",
    "ncclInvalidUsage",
    "ncclRemoteError",
    "ncclInProgress",
)
_SUCCESS, _IN_PROGRESS = 0, 7
_STILL_NS: Final = 5_000_000_000
"""A communicator with no call for so long has its latest calls told."""
_EVENTS: Final = {
    "ncclCommAbort": "abort",
    "ncclCommRevoke": "abort",
    "ncclCommDestroy": "destroy",
    "ncclCommFinalize": "status",
}
_LAST: Final = ("ncclCommAbort", "ncclCommDestroy")
"""After them there is no communicator at that address; one that is finalized or revoked is still to be destroyed."""


_OPS: Final = [function.name.removeprefix("nccl") for function in FUNCTIONS]


@dataclass(slots=True)
class _Comm:
    """A communicator of one process."""

    name: str
    rank: int | None = None
    size: int | None = None
    splits: int = 0
    whole: bool = True
    """It was made before our eyes: its collectives are numbered from its first."""


@dataclass(slots=True)
class _Progress:
    """How far a series of calls was when it was last looked at, and which of its latest calls are told."""

    calls: int = 0
    changed_ns: int = 0
    told: set[int] = field(default_factory=set)
    settled: bool = False


class NcclCalls(CallCollector[Probes]):
    """Rows of communicators as they begin and end, of collectives, and of calls that do not return."""

    name = "nccl_calls"
    tables = ("nccl_comms", "nccl_collectives", "inflight_calls")
    kind = Probes

    def __init__(self) -> None:
        super().__init__()
        self._comms: dict[tuple[int, int], _Comm] = {}
        self._progress: dict[SeriesKey, _Progress] = {}
        self._errors: set[tuple[int, int, int]] = set()
        self._gone: set[int] = set()

    def known(self) -> set[int]:
        """Processes with communicators."""
        return {pid for pid, _ in self._comms}

    def comm_of(self, call: OpenCall) -> str:
        """The name of the communicator a call was made on."""
        return self._comm(call.pid, call.comm).name

    def rows(self, *, last: bool) -> Iterable[Batch]:
        """What was told since the last time, and what stands still or has ended."""
        comms: list[Row] = []
        collectives: list[Row] = []
        for record in self.probes.records():
            if FUNCTIONS[record.number].what in (What.COLLECTIVE, What.PEER):
                collectives.append(self._told(record))
            elif record.is_return:
                comms += self._returned(record)
            else:
                comms += self._entered(record, collectives)
        self._look_at_series(comms, collectives, last=last)
        yield "nccl_comms", comms
        yield "nccl_collectives", collectives

    # --- communicators ------------------------------------------------------------------------------------------------

    def _entered(self, record: Record, collectives: list[Row]) -> Iterator[Row]:
        function = FUNCTIONS[record.number]
        if function.what is What.SPLIT:
            return  # told when it returns: only then is the new communicator known
        if function.what is not What.END:
            name = _name(record.unique_id)
            yield self._comm_row(record, "init_begin", _Comm(name, record.b, record.a), comm_ptr=None)
            return
        comm = self._comm(record.pid, record.comm)
        for what in (What.COLLECTIVE, What.PEER):
            self._settle(SeriesKey(record.comm, record.pid, what), collectives)
        state = {"ncclCommFinalize": "finalized", "ncclCommRevoke": "revoked"}.get(function.name)
        yield self._comm_row(record, _EVENTS[function.name], comm, state=state)

    def _returned(self, record: Record) -> Iterator[Row]:
        function = FUNCTIONS[record.number]
        what = function.what
        if what is What.ASYNC_ERROR:
            if (error := (record.pid, record.comm, record.result)) not in self._errors:
                self._errors.add(error)
                comm = self._comm(record.pid, record.comm)
                yield self._comm_row(record, "status", comm, state=f"async error {_result(record.result)}")
        elif what is What.END:
            if function.name in _LAST:
                self._comms.pop((record.pid, record.comm), None)
                for kind in (What.COLLECTIVE, What.PEER):  # told when it began to end, and nameless now
                    if (key := SeriesKey(record.comm, record.pid, kind)) in self._progress:
                        self._progress[key].settled = True
        elif what in (What.INIT, What.INIT_SCALABLE, What.SPLIT):
            if what is What.SPLIT:
                made, describes = self._split(record, function.name)
            else:
                made, describes = _Comm(_name(record.unique_id), record.b, record.a), {}
            if record.amount:
                self._comms[record.pid, record.amount] = made
                for kind in (What.COLLECTIVE, What.PEER):
                    self._progress.pop(SeriesKey(record.amount, record.pid, kind), None)
            describes["comm_ptr"] = hex(record.amount) if record.amount else None
            state: str | None
            if record.result not in (_SUCCESS, _IN_PROGRESS):
                state = f"init failed: {_result(record.result)}"
            elif record.result == _IN_PROGRESS:  # it goes on without the caller: when it is done is not seen
                state = _result(record.result)
            else:
                state = None if record.amount else "no part in the split"
            yield self._comm_row(record, "status" if state else "init_done", made, state=state, **describes)

    def _split(self, record: Record, function: str) -> tuple[_Comm, dict[str, Any]]:
        """The communicator that came of a split.

        All ranks of a communicator split it in the same order, so parent, ordinal and colour name the child on each.
        Its ranks are ordered by a key that only each rank knows of itself: rank and size are not known here.
        """
        parent = self._comm(record.pid, record.comm)
        ordinal, parent.splits = parent.splits, parent.splits + 1
        color, key = (record.a, record.b) if function == "ncclCommSplit" else (0, None)
        name = hashlib.blake2b(f"{parent.name}/{ordinal}/{color}".encode(), digest_size=8).hexdigest()
        if function != "ncclCommSplit":
            text = f"shrunk from {parent.name}"
        else:
            text = f"split {ordinal} of {parent.name}, color {color}, key {key}"
        return _Comm(name), {"comm_desc": text, "parent_comm_ptr": hex(record.comm)}

    def _comm(self, pid: int, pointer: int) -> _Comm:
        """The communicator at an address; one that we did not see made is named by the address, for this process."""
        known = self._comms.get((pid, pointer))
        return known or self._comms.setdefault((pid, pointer), _Comm(f"{self.node}/{pid}/{pointer:#x}", whole=False))

    def _comm_row(self, record: Record, event: str, comm: _Comm, **more: str | None) -> Row:
        return {
            "ts_mono_ns": record.since_ns + (record.took_ns if record.is_return else 0),
            "pid": record.pid,
            "rank": self.ranks.get(record.pid),
            "comm": comm.name,
            "comm_rank": comm.rank,
            "comm_size": comm.size,
            "event": event,
            "backend": "nccl",
            "comm_ptr": hex(record.comm) if record.comm else None,
            "source": "ebpf",
            **more,
        }

    # --- collectives --------------------------------------------------------------------------------------------------

    def _told(self, record: Record) -> Row:
        key = SeriesKey(record.comm, record.pid, FUNCTIONS[record.number].what)
        progress = self._progress.get(key) or self._progress.setdefault(key, _Progress())
        progress.told.add(record.seq)
        row = self._collective_row(key, record, record.b)
        row["tid"], row["duration_ns"], row["return_code"] = record.tid, record.took_ns, record.result
        return row

    def _collective_row(self, key: SeriesKey, call: Record | Past, root: int) -> Row:
        function, amount = FUNCTIONS[call.number], call.amount
        comm = self._comm(key.pid, key.comm)
        type_, size = TYPES[call.type] if call.type < len(TYPES) else (None, None)
        return {
            "ts_mono_ns": call.since_ns,
            "pid": key.pid,
            "rank": self.ranks.get(key.pid),
            "comm": comm.name,
            "op": _OPS[call.number],
            "coll_seq": call.seq if key.what == What.COLLECTIVE else None,
            "bytes": amount * size if size and amount < 1 << 55 else None,
            "comm_rank": comm.rank,
            "comm_size": comm.size,
            "elements": amount if amount < 1 << 63 else None,
            "dtype": type_,
            "root": root if function.root_arg else None,
            "source": "ebpf",
        }

    def _look_at_series(self, comms: list[Row], collectives: list[Row], *, last: bool) -> None:
        now = time.monotonic_ns()
        all_series = self.probes.series()
        gone = session.ended({pid for pid, _ in self._comms} | {key.pid for key, *_ in all_series})
        for key, calls, series in all_series:
            progress = self._progress.setdefault(key, _Progress())
            if calls != progress.calls:
                progress.calls, progress.changed_ns, progress.settled = calls, now, False
                progress.told = {seq for seq in progress.told if seq >= calls - TAIL}
            ended = key.pid in gone
            if not progress.settled and (last or ended or now - progress.changed_ns > _STILL_NS):
                progress.settled = True
                collectives += self._latest(key, series, progress)
                if key.what == What.COLLECTIVE:
                    state = "ended" if ended else "recording ended" if last else "idle"
                    completed = self.probes.completed(key, series)
                    comms.append(self._status(key, calls, completed, now, state))
            if ended:
                self.probes.forget(key)
                del self._progress[key]
        # Calls that were open at the end are told after this: what they need of a process goes a tick later.
        self._comms = {key: comm for key, comm in self._comms.items() if key[0] not in self._gone}
        self._errors = {error for error in self._errors if error[0] not in self._gone}
        self._gone = gone

    def _settle(self, key: SeriesKey, collectives: list[Row]) -> None:
        """Tell the latest calls of a series that is about to end."""
        for found, calls, series in self.probes.series():
            if found == key:
                progress = self._progress.setdefault(key, _Progress())
                progress.calls = calls
                collectives += self._latest(key, series, progress)

    def _latest(self, key: SeriesKey, series: bytes, progress: _Progress) -> Iterator[Row]:
        for call in self.probes.latest(series):
            if call.seq not in progress.told:
                progress.told.add(call.seq)
                yield self._collective_row(key, call, call.root)

    def _status(self, key: SeriesKey, calls: int, completed: int, now: int, state: str) -> Row:
        comm = self._comm(key.pid, key.comm)
        return {
            "ts_mono_ns": now,
            "pid": key.pid,
            "rank": self.ranks.get(key.pid),
            "comm": comm.name,
            "comm_rank": comm.rank,
            "comm_size": comm.size,
            "event": "status",
            "backend": "nccl",
            "state": state,
            "comm_ptr": hex(key.comm),
            "last_enqueued_seq": calls - 1,
            "last_completed_seq": completed - 1 if completed and comm.whole else None,
            "source": "ebpf",
        }


def _name(unique_id: int) -> str:
    return f"{unique_id:016x}"


def _result(number: int) -> str:
    return f"{number} {_RESULTS[number]}" if 0 <= number < len(_RESULTS) else str(number)

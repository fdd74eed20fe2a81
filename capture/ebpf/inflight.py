"""Calls that have begun and not returned: rows of ``inflight_calls``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from inquest.capture.ebpf import session
from inquest.capture.ebpf.functions import FUNCTIONS, What

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from inquest.capture.collector import Row
    from inquest.capture.ebpf.calls import OpenCall, Probes

_LONG_NS: Final = 1_000_000_000
_SELDOM_NS: Final = 64_000_000_000


class InFlight:
    """Tells of a call when it has lasted a second, two, four ... then every 64; and when its process or we end."""

    def __init__(self, probes: Probes, comm_of: Callable[[OpenCall], str | None]) -> None:
        self._probes = probes
        self._comm_of = comm_of
        self._due: dict[tuple[bytes, int], int] = {}

    def rows(self, ranks: Mapping[int, int | None], *, last: bool = False) -> Iterable[Row]:
        """Rows that are due; with ``last``, of every open call."""
        now, due = time.monotonic_ns(), {}
        calls = self._probes.open_calls()
        gone = session.ended({call.pid for call in calls})
        for call in calls:
            entry = (call.key, call.since_ns)
            if call.pid in gone:
                yield self._row(call, now, ranks, "process_end")
                self._probes.forget_call(call)
                continue
            due[entry] = self._due.get(entry, call.since_ns + _LONG_NS)
            if last or now >= due[entry]:
                yield self._row(call, now, ranks, "recording_end" if last else "tick")
                due[entry] = now + min(now - call.since_ns, _SELDOM_NS)
        self._due = due

    def _row(self, call: OpenCall, now: int, ranks: Mapping[int, int | None], seen: str) -> Row:
        function = FUNCTIONS[call.number]
        return {
            "ts_mono_ns": now,
            "pid": call.pid,
            "rank": ranks.get(call.pid),
            "api": function.name,
            "comm": self._comm_of(call) if call.comm else None,
            "coll_seq": call.seq if function.what is What.COLLECTIVE else None,
            "since_mono_ns": call.since_ns,
            "tid": call.tid,
            "seen_at": seen,
        }

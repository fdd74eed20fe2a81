"""The programs on the kernel's own events: loaded, told where this kernel keeps things, and attached.

They stand on raw tracepoints, which need no tracefs and get what the kernel itself hands to the tracepoint; layouts
come from BTF (``btf.py``). The C structures they share with us are declared here, once each.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.capture.collector import Denied, Missing
from inquest.capture.ebpf import btf, session
from inquest.capture.ebpf.rawbpf import MapKind, MapSpec, ProgramKind, ring_spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inquest.capture.ebpf.rawbpf import Map, Object

_ZERO: Final = bytes(4)
_MOST_REASONS: Final = 4


@dataclass(frozen=True, slots=True)
class Programs:
    """One object on kernel events: which program stands on which tracepoint, and the maps beside the common ones."""

    name: str
    events: Mapping[str, str]
    maps: Mapping[str, MapSpec]


# What the records hold, as the C files declare them.
EVENT: Final = struct.Struct("<QQIIIiiIII16s16s")
"""``struct event`` of life.bpf.c."""
OOM: Final = struct.Struct("<Q3qQq24Q")
"""What follows it in ``struct oom_event``: pages in all, anonymous, file, shared; page tables; score; stack."""
SUM_KEY: Final = struct.Struct("<IIII")
SUM: Final = struct.Struct("<QQQ16s")
"""``struct sum_key`` and ``struct sum`` of sched.bpf.c."""
CHUNK: Final = struct.Struct("<QQIIII")
"""Head of ``struct chunk`` of writes.bpf.c."""
_CHUNK_BYTES: Final = 4096
_CURSOR_BYTES: Final = 40

LIFE: Final = Programs(
    "life",
    {
        "life_fork": "sched_process_fork",
        "life_exec": "sched_process_exec",
        "life_exit": "sched_process_exit",
        "life_signal": "signal_generate",
        "life_oom": "mark_victim",
    },
    {
        "life_events": ring_spec(1 << 18),
        "oom_scratch": MapSpec(MapKind.PERCPU_ARRAY, 4, EVENT.size + OOM.size, 1),
    },
)
SCHED: Final = Programs(
    "sched",
    {"sched_woken": "sched_wakeup", "sched_begun": "sched_wakeup_new", "sched_switched": "sched_switch"},
    {
        "waits": MapSpec(MapKind.HASH, 4, 16, 32768),
        "sums": MapSpec(MapKind.HASH, SUM_KEY.size, SUM.size, 16384),
        "cpus": MapSpec(MapKind.PERCPU_ARRAY, 4, 16 + 8 * 40, 1),
        "half_in_use": MapSpec(MapKind.ARRAY, 4, 4, 1),
    },
)
WRITES: Final = Programs(
    "writes",
    {"write_entered": "sys_enter"},
    {
        "write_events": ring_spec(1 << 20),
        "write_scratch": MapSpec(MapKind.PERCPU_ARRAY, 4, _CURSOR_BYTES + CHUNK.size + _CHUNK_BYTES, 1),
        "write_offsets": MapSpec(MapKind.HASH, 8, 8, 32768),
    },
)


class KernelEvents:
    """One object, attached.

    Raises:
        Missing: This kernel lacks an event, or keeps things in a way the programs do not know.
        Denied: Probes cannot work here; the text says what would allow them.
    """

    def __init__(self, programs: Programs) -> None:
        self._session = session.shared()
        self.note = f"backend {self._session.backend}"
        """What the recording should say of how the programs came to be."""
        layout = btf.of_this_kernel()
        maps = {
            "layout": MapSpec(MapKind.ARRAY, 4, len(layout), 1),
            "drops": MapSpec(MapKind.ARRAY, 4, 8, _MOST_REASONS),
            **programs.maps,
        }
        try:
            self._object: Object = self._session.load(
                programs.name, dict.fromkeys(programs.events, ProgramKind.RAW_TRACEPOINT), maps
            )
        except PermissionError as error:
            raise Denied(f"the kernel refused the program ({error.strerror}): root or CAP_PERFMON is needed") from None
        self._object.maps["layout"].put(_ZERO, layout)
        try:
            for program, event in programs.events.items():
                self._object.raw_tracepoint(program, event)
        except FileNotFoundError:
            self.close()
            raise Missing(f"this kernel has no event {event}") from None

    def map(self, name: str) -> Map:
        """One of its maps."""
        return self._object.maps[name]

    def track(self, pids: Iterable[int]) -> None:
        """Let the programs see these processes, and from now on their children."""
        for pid in pids:
            self._session.tracked.put(struct.pack("<I", pid), struct.pack("<I", 1))

    def follow(self, pids: Iterable[int]) -> None:
        """Let the programs see the processes that the process collector has found, and forget those it has lost."""
        self._session.follow(pids)

    def tracks(self, pid: int) -> bool:
        """Whether the programs see a process: one of the job that lives."""
        return self._session.tracked.get(struct.pack("<I", pid)) is not None

    def lost(self) -> int:
        """Events the programs could not tell us of, counted by themselves."""
        return self._object.maps["drops"].total()

    def close(self) -> None:
        """Take the programs off."""
        self._object.close()


def text(raw: bytes) -> str | None:
    """A C string of fixed room; None where it is empty."""
    return raw.partition(b"\0")[0].decode(errors="replace") or None

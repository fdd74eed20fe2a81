"""What all probes of one recorder share: whether they can work here at all, and which processes are the job's.

Probes stand in libraries and in the kernel, so every process on the node comes by; the programs look in the map
``tracked`` and let all others pass.
"""

from __future__ import annotations

import importlib.resources
import os
import platform
import struct
import threading
from functools import cache
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Denied, Missing
from inquest.capture.ebpf import rawbpf
from inquest.capture.ebpf.functions import FUNCTIONS
from inquest.capture.ebpf.libraries import Libraries, mappings
from inquest.capture.ebpf.rawbpf import Map, MapKind, MapSpec, Object, ProgramKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inquest.capture.ebpf.calls import Probes
    from inquest.capture.ebpf.selftest import Costs

TRACKED: Final = MapSpec(MapKind.HASH, key=4, value=4, entries=16384)
"""Process id (of the thread group) -> 1, for every process of the job."""
SURVEYED: Final = MapSpec(MapKind.HASH, key=4, value=24, entries=4096)
"""Process id -> ``struct survey``, for processes that were met before they loaded the driver."""
_INITIAL_PID_NAMESPACE: Final = "pid:[4026531836]"
_ONE: Final = struct.pack("<I", 1)
_DRIVER: Final = "/libcuda.so"


class Session:
    """The probes of one recorder.

    ``tracked`` is a map from process id to 1. Programs on fork and exit keep it while things happen; ``follow`` adds
    what the process collector found, and takes away what it no longer sees.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.tracked = Map("tracked", TRACKED)
        self.surveyed = Map("surveyed", SURVEYED)
        self.vouched: set[int] = set()
        """Of them those whose waits for the device prove something: every call that says what is seen."""
        self._vouches = True
        self.unfollowed = 0
        """Processes that found no room in ``tracked``."""
        self.libraries = Libraries([symbol for function in FUNCTIONS for symbol in function.symbols])
        self._followed: set[int] = set()
        self._lock = threading.Lock()
        self._test_lock = threading.Lock()
        self._tested: Costs | Denied | None = None

    def follow(self, pids: Iterable[int]) -> None:
        """Let programs see these processes too, and forget those that are gone."""
        with self._lock:
            wanted = set(pids)
            for pid in wanted - self._followed:
                try:
                    self.tracked.put(struct.pack("<I", pid), _ONE)
                except OSError:  # full
                    self.unfollowed += 1
            # Collectors ask one after the other, and one may still hold an older list: who lives stays.
            gone = ended(self._followed - wanted)
            for pid in gone:
                self.tracked.delete(struct.pack("<I", pid))
            self._followed = (self._followed | wanted) - gone

    def survey(self, pid: int) -> None:
        """Have programs note what a process does with its GPU; vouch for it if it has not loaded the driver yet."""
        self.vouched.discard(pid)
        if not self._vouches:
            return
        try:
            self.surveyed.put(struct.pack("<I", pid), bytes(SURVEYED.value))
        except OSError:  # full
            return
        mapped = mappings(pid)  # looked at behind that: what it does in between is noted
        if mapped is not None and not any(_DRIVER in mapping.path for mapping in mapped):
            self.vouched.add(pid)

    def vouch_for_none(self) -> None:
        """What would say that a wait proves nothing is not seen everywhere."""
        self._vouches = False
        self.vouched.clear()

    def waited_ns(self, pid: int) -> int:
        """When the latest wait for the device began that proves something; 0 before there was one."""
        survey = self.surveyed.get(struct.pack("<I", pid))
        return int.from_bytes(survey[:8], "little") if survey else 0

    def costs(self) -> Costs:
        """What a probed call costs on this node; the first to ask has the self-test made.

        Raises:
            Denied: The self-test failed; no function of the job may be probed.
        """
        from inquest.capture.ebpf import selftest

        with self._test_lock:
            if self._tested is None:
                try:
                    self._tested = selftest.run(self)
                except Denied as denied:
                    self._tested = denied
            if isinstance(self._tested, Denied):
                raise self._tested
            return self._tested

    def describe(self, probes: Probes, costs: Costs, lost: int, trouble: str = "") -> str:
        """One line for the ``collection`` row: where the probes stand, what a call costs, and what was lost."""
        parts = [
            f"backend {self.backend}",
            *probes.describe(),
            f"{lost} calls or records lost in the kernel",
            costs.words(),
            *([trouble] if trouble else []),
            *([f"{self.unfollowed} processes not followed"] if self.unfollowed else []),
            *([f"{self.libraries.unread} files or processes not read"] if self.libraries.unread else []),
        ]
        return "; ".join(parts)

    def load(self, name: str, programs: Mapping[str, ProgramKind], maps: Mapping[str, MapSpec | Map]) -> Object:
        """Load programs of ``programs/NAME.bpf.c``; the map ``tracked`` is there for them.

        Raises:
            Missing: The backend that was asked for is not here.
            OSError: The kernel refused.
        """

        def make(fds: Mapping[str, int]) -> dict[str, bytes]:
            if self.backend == "bcc":
                from inquest.capture.ebpf import bcc

                return bcc.compile_programs(name, programs, fds)
            return rawbpf.from_object_file(object_file(name), programs, fds)

        return Object(programs, {"tracked": self.tracked, "surveyed": self.surveyed, **maps}, make)

    def close(self) -> None:
        """Let go of what is shared."""
        self.tracked.close()
        self.surveyed.close()
        self.libraries.close()


def ended(pids: Iterable[int]) -> set[int]:
    """Those of the processes that are gone, or wait for somebody to take note of their end."""
    return {pid for pid in pids if proc.has_ended(pid)}


def object_file(name: str) -> bytes:
    """The precompiled object ``name`` for this machine; built by ``make bpf``."""
    folder = importlib.resources.files("inquest.capture.ebpf") / "objects" / platform.machine()
    return (folder / f"{name}.bpf.o").read_bytes()


_lock = threading.Lock()
_session: Session | None = None
_backend: str = "object"


def choose(backend: str) -> None:
    """Say which backend is used: one of ``options.EBPF_BACKENDS``. The recorder does, before any collector runs."""
    global _backend, _session
    with _lock:
        _backend, _session = backend, None


def shared() -> Session:
    """The one session of this process.

    Raises:
        Missing: Probes were switched off.
        Denied: Probes cannot work here; the text says what would allow them.
    """
    global _session
    if _backend == "off":
        raise Missing("eBPF is switched off (--ebpf-backend off)")
    if (reason := why_not()) is not None:
        raise Denied(f"eBPF is off: {reason}")
    with _lock:
        if _session is None:
            _session = Session(_backend)
        return _session


@cache
def why_not() -> str | None:
    """Why no probe can work for this process on this node, in one phrase; None when they can."""
    if "[confidentiality]" in (proc.read_text("/sys/kernel/security/lockdown", 256) or ""):
        return "the kernel is locked down (confidentiality), which forbids reading memory of processes"
    namespace = proc.link("/proc/self/ns/pid")
    if namespace not in (None, _INITIAL_PID_NAMESPACE):
        return "the recorder runs in a pid namespace of its own, and the kernel tells other pids: run it on the host"
    if (refused := rawbpf.refusal()) is not None:
        return f"{refused} (uid {os.geteuid()})"
    return None

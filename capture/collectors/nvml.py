"""GPUs through NVML: samples, links, errors by location, which process holds which GPU, XIDs and other events.

Every reading a GPU does not support stays null and is not asked for again. A worker thread reads one GPU after the
other; one that hangs keeps that worker, is named, and the next worker reads the others without it. What changes
seldom or costs much is read of one GPU a tick, in turn, and of all at the start and the end.
"""

from __future__ import annotations

import ctypes
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pynvml as nv

from inquest.capture import gpu_fabric, jobenv, proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row
from inquest.capture.gpm import Gpm
from inquest.capture.gpu_calls import call, number
from inquest.capture.gpu_ecc import Ecc
from inquest.capture.gpu_fields import MOST, UNSUPPORTED, Field, Fields
from inquest.capture.gpu_health import RECOVERY_ACTIONS, SEVERE, health, in_words
from inquest.capture.gpus import Gpu, Handle, Mig, inventory
from inquest.capture.nvlink import Links

_PATIENCE_S: Final = 0.4
"""How long all readings of one GPU may take."""
_RETRY_LOST: Final = 30
_PROCESSES_EVERY: Final = 5
_CLOCKS_FREE: Final = 10
"""Ticks. Clocks count as released when no severe reason was seen for the last: reasons flicker."""
_CHANGE_BYTES: Final = 256 << 20
"""A process's framebuffer must move by this much to be worth a row."""
_EVENT_WAIT_MS: Final = 10_000
"""The driver wakes us when there is one."""
_EVENT_RETRY_S: Final = 1.0
_CLOSED: Final = "failure: the GPU is there and could not be opened: "
_NO_INSTANCE: Final = 0xFFFFFFFF

_FIELDS: Final = {
    82: "temp_memory_c",  # MEMORY_TEMP
    83: "energy_mj",  # TOTAL_ENERGY_CONSUMPTION
    3: "ecc_corrected_volatile",  # ECC_SBE_VOL_TOTAL
    4: "ecc_uncorrected_volatile",
    5: "ecc_corrected_aggregate",
    6: "ecc_uncorrected_aggregate",
    94: "pcie_replays",  # PCIE_REPLAY_COUNTER
    142: "remap_correctable",  # REMAPPED_COR
    143: "remap_uncorrectable",
    144: "remap_pending",
    145: "remap_failure",
    29: "retired_single",  # RETIRED_SBE
    30: "retired_double",
    31: "retired_pending",
    74: "held_power_ns",  # PERF_POLICY_POWER
    75: "held_thermal_ns",
    230: "recovery_action",  # GET_GPU_RECOVERY_ACTION, since R570
}
"""Read in one batched call; each value brings its own return code. Numbers: nvml.h, NVML_FI_DEV_*."""
_FIELDS_IN_TURN: Final = {
    169: "pcie_recoveries",  # PCIE_L0_TO_RECOVERY_COUNTER
    173: "pcie_correctable_errors",  # PCIE_COUNT_CORRECTABLE_ERRORS
    179: "pcie_nonfatal_errors",
    180: "pcie_fatal_errors",
    270: "held_hw_thermal_ns",  # CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN
    271: "held_brake_ns",
}
_FLAGS: Final = ("remap_pending", "remap_failure", "retired_pending")


_MEMORY: Final = ctypes.c_ulonglong * 3
"""nvmlMemory_t: total, free and used."""
_RATES: Final = ctypes.c_uint * 2
"""nvmlUtilization_t: of the GPU and of its memory, in percent."""


def _unscoped(names: dict[int, str]) -> dict[Field, str]:
    return {(number, 0): name for number, name in names.items()}


def _memory(handle: Handle) -> Row:
    memory = _MEMORY()
    call("nvmlDeviceGetMemoryInfo", handle, memory)
    total, _, used = memory
    return {"fb_used_bytes": used, "fb_total_bytes": total}


def _utilisation(handle: Handle) -> Row:
    rates = _RATES()
    call("nvmlDeviceGetUtilizationRates", handle, rates)
    gpu, memory = rates
    return {"engine_active": gpu / 100, "mem_util": memory / 100}


def _remaps(handle: Handle) -> Row:
    correctable, uncorrectable, pending, failure = nv.nvmlDeviceGetRemappedRows(handle)
    return {
        "remap_correctable": correctable,
        "remap_uncorrectable": uncorrectable,
        "remap_pending": bool(pending),
        "remap_failure": bool(failure),
    }


def _retired(handle: Handle) -> Row:
    causes = (
        nv.NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS,
        nv.NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
    )
    return {"retired_pages": sum(len(nv.nvmlDeviceGetRetiredPages(handle, cause)) for cause in causes)}


def _from_fields(found: dict[str, int]) -> Row:
    """Columns of what the batched call gave."""
    row: Row = dict(found)
    single, double = row.pop("retired_single", None), row.pop("retired_double", None)
    if single is not None and double is not None:
        row["retired_pages"] = single + double
    for flag in _FLAGS:
        if flag in row:
            row[flag] = bool(row[flag])
    action = row.pop("recovery_action", None)
    if action is not None and action < len(RECOVERY_ACTIONS):
        row["recovery_action"] = RECOVERY_ACTIONS[action]
    return row


def _clock_reasons(handle: Handle) -> Row:
    try:
        reasons = number("nvmlDeviceGetCurrentClocksEventReasons", handle, kind=ctypes.c_ulonglong)
    except nv.NVMLError_FunctionNotFound:  # before R535
        reasons = number("nvmlDeviceGetCurrentClocksThrottleReasons", handle, kind=ctypes.c_ulonglong)
    return {"throttle_reasons": reasons}


def _pcie_rates(handle: Handle) -> Row:
    return {  # NVML gives KB/s and takes 20 ms to measure each
        "pcie_rx_bytes_s": nv.nvmlDeviceGetPcieThroughput(handle, nv.NVML_PCIE_UTIL_RX_BYTES) * 1000,
        "pcie_tx_bytes_s": nv.nvmlDeviceGetPcieThroughput(handle, nv.NVML_PCIE_UTIL_TX_BYTES) * 1000,
    }


def _one(
    column: str,
    function: str,
    *arguments: object,
    scale: float | None = None,
    kind: Callable[[], Any] = ctypes.c_uint,
) -> Callable[[Handle], Row]:
    def read(handle: Handle) -> Row:
        value = number(function, handle, *arguments, kind=kind)
        if scale is not None:
            return {column: round(value * scale, 3)}
        return {column: value} if value <= MOST else {}

    return read


Reading = Callable[[Handle], Row]

_EVERY_TICK: Final[tuple[Reading, ...]] = (
    _memory,
    _utilisation,
    _one("power_w", "nvmlDeviceGetPowerUsage", scale=0.001),
    _one("temp_core_c", "nvmlDeviceGetTemperature", nv.NVML_TEMPERATURE_GPU),
    _one("sm_clock_mhz", "nvmlDeviceGetClockInfo", nv.NVML_CLOCK_SM),
    _one("mem_clock_mhz", "nvmlDeviceGetClockInfo", nv.NVML_CLOCK_MEM),
    _one("pstate", "nvmlDeviceGetPerformanceState"),
    _clock_reasons,
)
_WITHOUT_FIELD: Final[dict[str, Reading]] = {
    "energy_mj": _one("energy_mj", "nvmlDeviceGetTotalEnergyConsumption", kind=ctypes.c_ulonglong),
    "remap_failure": _remaps,
}
"""Calls for what the batched call of an older driver lacks."""
_IN_TURN: Final[tuple[Reading, ...]] = (
    _one("power_limit_w", "nvmlDeviceGetEnforcedPowerLimit", scale=0.001),
    _one("pcie_gen", "nvmlDeviceGetCurrPcieLinkGeneration"),
    _one("pcie_width", "nvmlDeviceGetCurrPcieLinkWidth"),
    _one("fan_percent", "nvmlDeviceGetFanSpeed", scale=1.0),
    gpu_fabric.read,
)
_CONSTANT: Final[tuple[Reading, ...]] = (
    _one("sm_clock_max_mhz", "nvmlDeviceGetMaxClockInfo", nv.NVML_CLOCK_SM),
    _one("pcie_gen_max", "nvmlDeviceGetMaxPcieLinkGeneration"),
    _one("pcie_width_max", "nvmlDeviceGetMaxPcieLinkWidth"),
)
"""Asked for once: they belong to the GPU and its slot."""


def _running(handle: Handle) -> Row:
    return {"running": nv.nvmlDeviceGetComputeRunningProcesses(handle)}


_LOST: Final = (nv.NVML_ERROR_GPU_IS_LOST, nv.NVML_ERROR_RESET_REQUIRED)
_EVENTS: Final = {
    0x0008: ("xid", None),
    0x0001: ("ecc_single", None),
    0x0002: ("ecc_double", None),
    0x0200: ("health", "a storm of corrected ECC errors"),
    0x0400: ("health", "memory was retired or remapped"),
    0x0800: ("health", "memory could not be retired or remapped"),
    0x1000: ("health", "poisoned data was met and contained"),
    0x2000: ("health", "poisoned data was met and not contained"),
    0x4000: ("health", "the GPU has become unavailable"),
    0x8000: ("health", "what the driver asks for to recover the GPU has changed"),
}
"""Types of NVML's events (nvml.h, nvmlEventType*) as events and details of ``gpu_events``."""


class _LostError(Exception):
    """The GPU has fallen off the bus, or waits for a reset."""


@dataclass(slots=True)
class _Instance:
    """One MIG instance: a GPU of its own to its process."""

    mig: Mig
    gpm: Gpm
    unsupported: set[Reading] = field(default_factory=set)


@dataclass(slots=True)
class _Device:
    """One GPU and what we have learnt about it. Touched by one thread at a time: a hung one is left alone."""

    gpu: Gpu
    unsupported: set[Reading] = field(default_factory=set)
    fields: Fields[str] = field(default_factory=lambda: Fields(_unscoped(_FIELDS)))
    fields_in_turn: Fields[str] = field(default_factory=lambda: Fields(_unscoped(_FIELDS_IN_TURN)))
    every_tick: tuple[Reading, ...] = ()
    constant: Row = field(default_factory=dict)
    running: list[Any] | None = None
    """Processes found by the last look, until they are compared with those before."""
    holders: dict[int, int | None] = field(default_factory=dict)
    gpm: Gpm = field(default_factory=Gpm)
    ecc: Ecc = field(default_factory=Ecc)
    links: Links = field(default_factory=Links)
    instances: tuple[_Instance, ...] = ()
    known: Row = field(default_factory=dict)
    """Latest reading of every column, for the roll-up of its health."""
    told_health: str = "ok"
    told_reasons: int = 0
    """Severe clock event reasons that were told since the clocks were last free: they come and go by the second."""
    clocks_free: int = 0
    """Ticks since one was last seen."""
    hung: _Sweep | None = None
    """The one that has not returned from it."""
    troubled: bool = False
    lost_at: int | None = None

    def __post_init__(self) -> None:
        self.instances = tuple(_Instance(mig, Gpm(mig.gpu_instance)) for mig in self.gpu.migs)

    def identity(self) -> Row:
        return {"ts_mono_ns": time.monotonic_ns(), "gpu_uuid": self.gpu.uuid, "gpu_index": self.gpu.index}

    def ask(self, readings: Iterable[Reading], unsupported: set[Reading], handle: Handle) -> Row:
        row: Row = {}
        for reading in readings:
            if reading in unsupported:
                continue
            try:
                row |= reading(handle)
            except nv.NVMLError as error:
                if error.value in _LOST:
                    raise _LostError(str(error)) from None
                if error.value in UNSUPPORTED:
                    unsupported.add(reading)
        return row

    def read(self, *, in_turn: bool, slow: bool, processes: bool, last: bool) -> Iterator[Batch]:
        """Rows of this GPU by table; ``in_turn`` with what changes seldom, ``slow`` with what takes long."""
        handle, first = self.gpu.handle, not self.every_tick
        row = self.identity() | self.ask((self._batched,), self.unsupported, handle)
        if first:
            lacking = tuple(call for column, call in _WITHOUT_FIELD.items() if column not in row)
            self.every_tick = (*_EVERY_TICK, *lacking, self.gpm.read)
        self.constant = self.constant or self.ask(_CONSTANT, self.unsupported, handle)
        row |= self.constant | self.ask(self.every_tick, self.unsupported, handle)
        if in_turn or first:
            row |= self.ask((*_IN_TURN, self.fields_in_turn.read), self.unsupported, handle)
        if slow:
            retired = () if "retired_pages" in row else (_retired,)
            row |= self.ask((_pcie_rates, *retired), self.unsupported, handle)
        self.known |= row
        yield "gpu_samples", [row, *self._instances()]
        if in_turn or first:
            yield "nvlink_samples", self._rows(lambda handle: self.links.read(handle, everything=last))
            yield "gpu_ecc", self._rows(lambda handle: self.ecc.read(handle, everything=last))
            self.known |= {"over_threshold": self.ecc.over_threshold, "links_down": len(self.links.down)}
        if processes:
            self.running = self.ask((_running,), self.unsupported, handle).get("running")

    def _batched(self, handle: Handle) -> Row:
        return _from_fields(self.fields.read(handle))

    def _instances(self) -> list[Row]:
        """One row a MIG instance. Only some readings exist for one; GPM asks the physical GPU for it."""
        rows = []
        for instance in self.instances:
            row = self.identity() | {"gpu_uuid": instance.mig.uuid, "gpu_index": None}  # the index is the whole GPU's
            row |= self.ask((_memory,), instance.unsupported, instance.mig.handle)
            row |= self.ask((instance.gpm.read,), instance.unsupported, self.gpu.handle)
            rows.append(row)
        return rows

    def _rows(self, read: Callable[[Handle], list[Row]]) -> list[Row]:
        try:
            rows = read(self.gpu.handle)
            identity = self.identity()
            return [identity | row for row in rows]
        except nv.NVMLError as error:
            if error.value in _LOST:
                raise _LostError(str(error)) from None
            return []

    def changes(self, row: Row) -> Iterator[Row]:
        """Events that follow from a reading: clocks held back or released, health better or worse."""
        reasons = (row.get("throttle_reasons") or 0) & SEVERE
        self.clocks_free = 0 if reasons else self.clocks_free + 1
        if reasons & ~self.told_reasons:
            self.told_reasons |= reasons
            yield {**self.identity(), "event": "clock", "detail": f"clocks are held back by {in_words(reasons)}"}
        elif self.told_reasons and self.clocks_free >= _CLOCKS_FREE:
            self.told_reasons = 0
            yield {**self.identity(), "event": "clock", "detail": "clocks are no longer held back"}
        now = health(self.known)
        if now != self.told_health:
            self.told_health = now
            yield {**self.identity(), "event": "health", "detail": now}

    def mig_uuid(self, gpu_instance: int, compute_instance: int) -> str | None:
        """UUID of the instance with these numbers, or of the only one of that GPU instance."""
        if gpu_instance == _NO_INSTANCE:
            return None
        found = [mig for mig in self.gpu.migs if mig.gpu_instance == gpu_instance]
        exact = [mig for mig in found if mig.compute_instance == compute_instance]
        for migs in (exact, found):
            if len(migs) == 1:
                return migs[0].uuid
        return None


@dataclass(slots=True)
class _Sweep:
    """One worker's way through the GPUs. ``results`` only grows, so another thread may read it at any time."""

    devices: list[_Device]
    turn: _Device | None
    """Whose turn it is; None when it is everybody's, at the end."""
    processes: bool
    """Whether to ask who holds them."""
    results: list[tuple[_Device, list[Batch] | _LostError]] = field(default_factory=list)
    abandoned: bool = False
    returned: bool = False
    error: Exception | None = None
    cpu_ns: int = 0
    _under_way: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._under_way.acquire()

    def wait(self, seconds: float) -> None:
        """Wait until it has returned, but no longer."""
        self._under_way.acquire(timeout=seconds)

    def run(self) -> None:
        try:
            self._read()
        except Exception as error:  # raised where somebody waits for it
            self.error = error
        self.returned = True
        self._under_way.release()

    def _read(self) -> None:
        began = time.thread_time_ns()
        for device in self.devices:
            mine, last = device is self.turn, self.turn is None
            try:
                result: list[Batch] | _LostError = list(
                    device.read(in_turn=mine or last, slow=mine, processes=self.processes, last=last)
                )
            except _LostError as error:
                result = error
            if self.abandoned:
                return
            self.results.append((device, result))
        self.cpu_ns = time.thread_time_ns() - began


class _Worker:
    """A thread that does one sweep after the other. One that hangs in the driver is left alone, and replaced."""

    def __init__(self) -> None:
        self._given: queue.SimpleQueue[_Sweep | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="nvml", daemon=True).start()

    def begin(self, sweep: _Sweep) -> None:
        self._given.put(sweep)

    def leave(self) -> None:
        """End the thread once it has nothing more to do."""
        self._given.put(None)

    def _run(self) -> None:
        while (sweep := self._given.get()) is not None:
            sweep.run()


class Nvml(Collector):
    """One row a GPU and tick; holders of GPUs every five seconds, on change; events as they come."""

    name = "nvml"
    tables = ("gpu_samples", "nvlink_samples", "gpu_ecc", "gpu_processes", "gpu_events")
    requires = "libnvidia-ml.so.1 and a loaded NVIDIA driver"
    budget = Budget(seconds=5.0, bytes=512 * 1024)
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find the GPUs and register for their events."""
        found = inventory()
        # Nothing happened to it while we looked: that is a state, and no event of this job.
        silent = [
            {"ts_mono_ns": time.monotonic_ns(), "gpu_index": index, "event": "health", "detail": _CLOSED + text}
            for index, text in found.silent
        ]
        if not found.gpus and not silent:
            raise Missing("NVML lists no GPU on this node")
        self._devices = [_Device(gpu) for gpu in found.gpus]
        self._worker = _Worker()
        self._ticks = 0
        self._events: deque[Row] = deque()
        self._stopping = threading.Event()
        self._listen()
        yield "gpu_events", silent

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Read all GPUs; one that does not answer in time is named and left alone until it does."""
        yield from self._round(ctx, last=False)

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """A last reading: counters that rose at the very end."""
        self._stopping.set()
        yield from self._round(ctx, last=True)
        self._worker.leave()

    def _round(self, ctx: Context, *, last: bool) -> Iterable[Batch]:
        rows: dict[str, list[Row]] = {}
        events: list[Row] = []
        turn = None if last or not self._devices else self._devices[self._ticks % len(self._devices)]
        for device, result in self._sweep(turn, events):
            self._take(device, result, rows, events)
            if device.running is not None:
                rows.setdefault("gpu_processes", []).extend(self._holders(ctx, device, device.running))
                device.running = None
        self._tell_holders(ctx)
        self._ticks += 1
        while self._events:
            events.append(self._events.popleft())
        yield from rows.items()
        yield "gpu_events", events

    def _sweep(self, turn: _Device | None, events: list[Row]) -> Iterable[tuple[_Device, list[Batch] | _LostError]]:
        todo = [device for device in self._devices if self._answers(device)]
        self.drops += len(self._devices) - len(todo)
        while todo:
            sweep = _Sweep(todo, turn, processes=self._ticks % _PROCESSES_EVERY == 0)
            self._worker.begin(sweep)
            done = -1
            while not sweep.returned and done < len(sweep.results):  # as long as it gets on, it may take its time
                done = len(sweep.results)
                sweep.wait(_PATIENCE_S)
            if sweep.error is not None:
                raise sweep.error
            results = sweep.results[:]
            if len(results) < len(todo):
                sweep.abandoned = True
                hung = todo[len(results)]
                hung.hung, hung.troubled = sweep, True
                self.drops += 1
                events.append({**hung.identity(), "event": "health", "detail": "NVML does not answer"})
                self._worker.leave()
                self._worker = _Worker()
            self.cpu_ns += sweep.cpu_ns
            todo = todo[len(results) + 1 :]
            yield from results

    def _answers(self, device: _Device) -> bool:
        """Whether to read it now: not while a call hangs, and a lost one only now and then."""
        if device.hung is not None:
            if not device.hung.returned:
                return False
            device.hung = None
        return device.lost_at is None or (self._ticks - device.lost_at) % _RETRY_LOST == 0

    def _take(
        self, device: _Device, result: list[Batch] | _LostError, rows: dict[str, list[Row]], events: list[Row]
    ) -> None:
        if isinstance(result, _LostError):
            self.drops += 1
            if device.lost_at is None:
                device.lost_at, device.troubled = self._ticks, True
                events.append({**device.identity(), "event": "lost", "detail": str(result)})
            return
        device.lost_at = None
        for table, some in result:
            rows.setdefault(table, []).extend(some)
        if device.troubled:
            device.troubled = False
            events.append({**device.identity(), "event": "health", "detail": "NVML answers again"})
        events.extend(device.changes(result[0][1][0]))

    @staticmethod
    def _holders(ctx: Context, device: _Device, found: list[Any]) -> list[Row]:
        migs = {
            process.pid: device.mig_uuid(process.gpuInstanceId, process.computeInstanceId)
            for process in (found if device.gpu.migs else ())
        }
        now: dict[int, int | None] = {process.pid: process.usedGpuMemory for process in found}
        rows: list[Row] = []
        for pid in sorted(now.keys() | device.holders.keys()):
            used, before = now.get(pid), device.holders.get(pid)
            if pid not in now:
                event = "detached"
            elif pid not in device.holders:
                event = "attached"
            elif abs((used or 0) - (before or 0)) >= _CHANGE_BYTES:
                event = "changed"
            else:
                now[pid] = before  # small steps must add up until they are told
                continue
            told: Row = {"pid": pid, "rank": _rank(ctx, pid), "fb_used_bytes": used, "event": event}
            if event == "attached":  # whoever it is: one that is not of the job may be what fills the memory
                told["command"] = (proc.read_text(f"/proc/{pid}/comm", 256) or "").strip() or None
            rows.append({**device.identity(), **told, "mig_uuid": migs.get(pid)})
        device.holders = now
        return rows

    def _tell_holders(self, ctx: Context) -> None:
        holders: dict[int, tuple[str, ...]] = {}
        for device in self._devices:
            for pid in device.holders:
                holders[pid] = (*holders.get(pid, ()), device.gpu.uuid)
        ctx.gpu_holders = holders

    def _listen(self) -> None:
        """Register for events where the driver has them, and wait for them in a thread."""
        try:
            event_set = nv.nvmlEventSetCreate()
        except nv.NVMLError:
            return
        by_address = {}
        wanted = sum(_EVENTS)
        for device in self._devices:
            try:
                supported = nv.nvmlDeviceGetSupportedEventTypes(device.gpu.handle) & wanted
                nv.nvmlDeviceRegisterEvents(device.gpu.handle, supported, event_set)
            except nv.NVMLError:
                continue
            by_address[ctypes.cast(device.gpu.handle, ctypes.c_void_p).value] = device
        if by_address:
            arguments = (event_set, by_address)
            threading.Thread(target=self._wait_for_events, args=arguments, name="nvml-events", daemon=True).start()

    def _wait_for_events(self, event_set: Handle, by_address: dict[int | None, _Device]) -> None:
        while not self._stopping.is_set():
            try:
                data = nv.nvmlEventSetWait_v2(event_set, _EVENT_WAIT_MS)
            except nv.NVMLError as error:
                if error.value == nv.NVML_ERROR_TIMEOUT:
                    continue
                self._stopping.wait(_EVENT_RETRY_S)  # a lost GPU makes it return at once, for ever
                continue
            device = by_address.get(ctypes.cast(data.device, ctypes.c_void_p).value)
            event = _EVENTS.get(data.eventType)
            if device is not None and event is not None:
                kind, detail = event
                xid = int(data.eventData) if kind == "xid" else None
                mig = device.mig_uuid(data.gpuInstanceId, data.computeInstanceId)
                told = {"event": kind, "xid": xid, "detail": detail, "mig_uuid": mig}
                self._events.append({**device.identity(), **told})


def _rank(ctx: Context, pid: int) -> int | None:
    """Rank of a process of this job, whichever of the node's recorders follows it."""
    member = ctx.members.get(pid)
    if member is not None:
        return member.rank
    job = jobenv.job_id(ctx.environ)
    env = proc.environ(pid, jobenv.ALLOWED) if job is not None else {}
    return jobenv.number(env, "RANK") if env and jobenv.job_id(env) == job else None

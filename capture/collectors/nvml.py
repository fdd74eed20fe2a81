"""GPUs through NVML: samples, which process holds which GPU, XIDs and other events.

Every reading a GPU does not support stays null and is not asked for again. A worker thread reads one GPU after the
other; one that hangs keeps that worker, is named, and the next worker reads the others without it.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Final

import pynvml as nv

from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row
from inquest.capture.gpm import Gpm
from inquest.capture.gpus import Gpu, Handle, inventory

_PATIENCE_S: Final = 0.4
"""How long all readings of one GPU may take."""
_RETRY_LOST: Final = 30
_PROCESSES_EVERY: Final = 5
"""Ticks."""
_CHANGE_BYTES: Final = 256 << 20
"""A process's framebuffer must move by this much to be worth a row."""
_EVENT_WAIT_MS: Final = 1000

_FIELDS: Final = {
    nv.NVML_FI_DEV_MEMORY_TEMP: "temp_memory_c",
    nv.NVML_FI_DEV_ECC_SBE_VOL_TOTAL: "ecc_corrected_volatile",
    nv.NVML_FI_DEV_ECC_DBE_VOL_TOTAL: "ecc_uncorrected_volatile",
    nv.NVML_FI_DEV_ECC_SBE_AGG_TOTAL: "ecc_corrected_aggregate",
    nv.NVML_FI_DEV_ECC_DBE_AGG_TOTAL: "ecc_uncorrected_aggregate",
    nv.NVML_FI_DEV_PCIE_REPLAY_COUNTER: "pcie_replays",
}
"""Read in one batched call; each value brings its own return code."""
_VALUE_MEMBER: Final = {
    nv.NVML_VALUE_TYPE_DOUBLE: "dVal",
    nv.NVML_VALUE_TYPE_UNSIGNED_INT: "uiVal",
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG: "ulVal",
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: "ullVal",
    nv.NVML_VALUE_TYPE_SIGNED_LONG_LONG: "sllVal",
    nv.NVML_VALUE_TYPE_SIGNED_INT: "siVal",
}


def _memory(handle: Handle) -> Row:
    memory = nv.nvmlDeviceGetMemoryInfo(handle)
    return {"fb_used_bytes": memory.used, "fb_total_bytes": memory.total}


def _utilisation(handle: Handle) -> Row:
    rates = nv.nvmlDeviceGetUtilizationRates(handle)
    return {"engine_active": rates.gpu / 100, "mem_util": rates.memory / 100}


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


def _fields(handle: Handle) -> Row:
    row: Row = {}
    for value in nv.nvmlDeviceGetFieldValues(handle, list(_FIELDS)):
        member = _VALUE_MEMBER.get(value.valueType)
        if value.nvmlReturn == nv.NVML_SUCCESS and member is not None:
            row[_FIELDS[value.fieldId]] = int(getattr(value.value, member))
    return row


def _pcie_rates(handle: Handle) -> Row:
    return {  # NVML gives KB/s and takes 20 ms to measure each
        "pcie_rx_bytes_s": nv.nvmlDeviceGetPcieThroughput(handle, nv.NVML_PCIE_UTIL_RX_BYTES) * 1000,
        "pcie_tx_bytes_s": nv.nvmlDeviceGetPcieThroughput(handle, nv.NVML_PCIE_UTIL_TX_BYTES) * 1000,
    }


def _one(
    column: str, call: Callable[..., Any], *arguments: object, scale: float | None = None
) -> Callable[[Handle], Row]:
    def read(handle: Handle) -> Row:
        value = call(handle, *arguments)
        return {column: value if scale is None else round(value * scale, 3)}

    return read


Reading = Callable[[Handle], Row]

_EVERY_TICK: Final[tuple[Reading, ...]] = (
    _memory,
    _utilisation,
    _fields,
    _remaps,
    _one("power_w", nv.nvmlDeviceGetPowerUsage, scale=0.001),
    _one("power_limit_w", nv.nvmlDeviceGetEnforcedPowerLimit, scale=0.001),
    _one("energy_mj", nv.nvmlDeviceGetTotalEnergyConsumption),
    _one("temp_core_c", nv.nvmlDeviceGetTemperature, nv.NVML_TEMPERATURE_GPU),
    _one("sm_clock_mhz", nv.nvmlDeviceGetClockInfo, nv.NVML_CLOCK_SM),
    _one("mem_clock_mhz", nv.nvmlDeviceGetClockInfo, nv.NVML_CLOCK_MEM),
    _one("pstate", nv.nvmlDeviceGetPerformanceState),
    _one("throttle_reasons", nv.nvmlDeviceGetCurrentClocksThrottleReasons),
    _one("pcie_gen", nv.nvmlDeviceGetCurrPcieLinkGeneration),
    _one("pcie_width", nv.nvmlDeviceGetCurrPcieLinkWidth),
    _one("fan_percent", nv.nvmlDeviceGetFanSpeed, scale=1.0),
)
_CONSTANT: Final[tuple[Reading, ...]] = (
    _one("sm_clock_max_mhz", nv.nvmlDeviceGetMaxClockInfo, nv.NVML_CLOCK_SM),
    _one("pcie_gen_max", nv.nvmlDeviceGetMaxPcieLinkGeneration),
    _one("pcie_width_max", nv.nvmlDeviceGetMaxPcieLinkWidth),
)
"""Asked for once: they belong to the GPU and its slot."""
_NOW_AND_THEN: Final[tuple[Reading, ...]] = (_pcie_rates, _retired)
"""Slow or rarely changing: one GPU a tick has its turn."""

_UNSUPPORTED: Final = (nv.NVML_ERROR_NOT_SUPPORTED, nv.NVML_ERROR_FUNCTION_NOT_FOUND, nv.NVML_ERROR_NO_PERMISSION)
_LOST: Final = (nv.NVML_ERROR_GPU_IS_LOST, nv.NVML_ERROR_RESET_REQUIRED)
_EVENTS: Final = {
    nv.nvmlEventTypeXidCriticalError: "xid",
    nv.nvmlEventTypeSingleBitEccError: "ecc_single",
    nv.nvmlEventTypeDoubleBitEccError: "ecc_double",
}


class _LostError(Exception):
    """The GPU has fallen off the bus, or waits for a reset."""


@dataclass(slots=True)
class _Device:
    """One GPU and what we have learnt about it. Touched by one thread at a time: a hung one is left alone."""

    gpu: Gpu
    unsupported: set[Reading] = field(default_factory=set)
    constant: Row = field(default_factory=dict)
    holders: dict[int, int | None] = field(default_factory=dict)
    gpm: Gpm = field(default_factory=Gpm)
    hung: Future[None] | None = None
    """The worker that has not returned from it."""
    troubled: bool = False
    lost_at: int | None = None

    def identity(self) -> Row:
        return {"ts_mono_ns": time.monotonic_ns(), "gpu_uuid": self.gpu.uuid, "gpu_index": self.gpu.index}

    def ask(self, readings: Iterable[Reading]) -> Row:
        row: Row = {}
        for reading in readings:
            if reading in self.unsupported:
                continue
            try:
                row |= reading(self.gpu.handle)
            except nv.NVMLError as error:
                if error.value in _LOST:
                    raise _LostError(str(error)) from None
                if error.value in _UNSUPPORTED:
                    self.unsupported.add(reading)
        return row

    def read(self, *, slow: bool) -> Row:
        row = self.identity() | self.ask((*_EVERY_TICK, self.gpm.read))
        if not self.constant:
            self.constant = self.ask(_CONSTANT)
        return row | self.constant | (self.ask(_NOW_AND_THEN) if slow else {})


@dataclass(slots=True)
class _Sweep:
    """One worker's way through the GPUs. ``results`` only grows, so another thread may read it at any time."""

    devices: list[_Device]
    slow: _Device
    results: list[tuple[_Device, Row | _LostError]] = field(default_factory=list)
    abandoned: bool = False
    cpu_ns: int = 0

    def run(self) -> None:
        began = time.thread_time_ns()
        for device in self.devices:
            try:
                result: Row | _LostError = device.read(slow=device is self.slow)
            except _LostError as error:
                result = error
            if self.abandoned:
                return
            self.results.append((device, result))
        self.cpu_ns = time.thread_time_ns() - began


class Nvml(Collector):
    """One row a GPU and tick; holders of GPUs every five seconds, on change; events as they come."""

    name = "nvml"
    tables = ("gpu_samples", "gpu_processes", "gpu_events")
    requires = "libnvidia-ml.so.1 and a loaded NVIDIA driver"
    budget = Budget(seconds=5.0, bytes=128 * 1024)
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find the GPUs and register for their events."""
        found = inventory()
        if not found.gpus:
            raise Missing("NVML lists no GPU on this node")
        self._devices = [_Device(gpu) for gpu in found.gpus]
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="nvml")
        self._ticks = 0
        self._events: deque[Row] = deque()
        self._stopping = threading.Event()
        self._listen()
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Read all GPUs; one that does not answer in time is named and left alone until it does."""
        rows: list[Row] = []
        events: list[Row] = []
        for device, result in self._sweep(events):
            self._take(device, result, rows, events)
        holders: list[Row] = []
        if self._ticks % _PROCESSES_EVERY == 0:
            for device in self._devices:
                if device.lost_at is None and device.hung is None:
                    holders += self._holders(ctx, device)
        self._ticks += 1
        while self._events:
            events.append(self._events.popleft())
        yield "gpu_samples", rows
        yield "gpu_processes", holders
        yield "gpu_events", events

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """A last reading: counters that rose at the very end."""
        self._stopping.set()
        yield from self.tick(ctx)
        self._worker.shutdown(wait=False)

    def _sweep(self, events: list[Row]) -> Iterable[tuple[_Device, Row | _LostError]]:
        todo = [device for device in self._devices if self._answers(device)]
        self.drops += len(self._devices) - len(todo)
        slow = self._devices[self._ticks % len(self._devices)]
        while todo:
            sweep = _Sweep(todo, slow)
            running = self._worker.submit(sweep.run)
            done = -1
            while not running.done() and done < len(sweep.results):  # as long as it gets on, it may take its time
                done = len(sweep.results)
                wait([running], timeout=_PATIENCE_S)
            if running.done():
                running.result()
            results = sweep.results[:]
            if len(results) < len(todo):
                sweep.abandoned = True
                hung = todo[len(results)]
                hung.hung, hung.troubled = running, True
                self.drops += 1
                events.append({**hung.identity(), "event": "health", "detail": "NVML does not answer"})
                self._worker = ThreadPoolExecutor(1, thread_name_prefix="nvml")
            self.cpu_ns += sweep.cpu_ns
            todo = todo[len(results) + 1 :]
            yield from results

    def _answers(self, device: _Device) -> bool:
        """Whether to read it now: not while a call hangs, and a lost one only now and then."""
        if device.hung is not None:
            if not device.hung.done():
                return False
            device.hung = None
        return device.lost_at is None or (self._ticks - device.lost_at) % _RETRY_LOST == 0

    def _take(self, device: _Device, result: Row | _LostError, rows: list[Row], events: list[Row]) -> None:
        if isinstance(result, _LostError):
            self.drops += 1
            if device.lost_at is None:
                device.lost_at, device.troubled = self._ticks, True
                events.append({**device.identity(), "event": "lost", "detail": str(result)})
            return
        device.lost_at = None
        rows.append(result)
        if device.troubled:
            device.troubled = False
            events.append({**device.identity(), "event": "health", "detail": "NVML answers again"})

    def _holders(self, ctx: Context, device: _Device) -> list[Row]:
        try:
            found = nv.nvmlDeviceGetComputeRunningProcesses(device.gpu.handle)
        except nv.NVMLError:
            return []
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
            member = ctx.members.get(pid)
            rank = member.rank if member else None
            rows.append({**device.identity(), "pid": pid, "rank": rank, "fb_used_bytes": used, "event": event})
        device.holders = now
        return rows

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
                self._stopping.wait(_EVENT_WAIT_MS / 1000)  # a lost GPU makes it return at once, for ever
                continue
            device = by_address.get(ctypes.cast(data.device, ctypes.c_void_p).value)
            kind = _EVENTS.get(data.eventType)
            if device is not None and kind is not None:
                xid = int(data.eventData) if kind == "xid" else None
                self._events.append({**device.identity(), "event": kind, "xid": xid})

"""What nvidia-smi calls each reading, in all of its forms: the one table its readers ask.

A name with dots is a field of ``--query-gpu``; one with slashes is the path in ``-q`` (labels in lower case with
underscores) and in ``-q -x`` (tags), below the GPU. Source: ``nvidia-smi --help-query-gpu`` and the manual of drivers
418 to 610, ``nvsmi_device_v12.dtd``, and captures of real drivers (utkuozdemir/nvidia_gpu_exporter, internal/captures).
The bits of the clock event reasons are NVML's.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.imports.metric_table import MIB, REASONS, SLOWDOWNS
from inquest.bundle.imports.series import unnamed_gpu

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Reading:
    """One column of ``gpu_samples``: the names its value has, first choice first, and what a value is multiplied by."""

    column: str
    names: tuple[str, ...]
    scale: float = 1.0


_POWER: Final = ("gpu_power_readings", "power_readings")

READINGS: Final = (
    Reading("fb_total_bytes", ("memory.total", "fb_memory_usage/total"), MIB),
    Reading("fb_used_bytes", ("memory.used", "fb_memory_usage/used"), MIB),
    Reading("engine_active", ("utilization.gpu", "utilization/gpu", "utilization/gpu_util"), 0.01),
    Reading("mem_util", ("utilization.memory", "utilization/memory", "utilization/memory_util"), 0.01),
    Reading(
        "power_w",
        (
            "power.draw",
            "power.draw.average",
            "gpu.power.draw.average",
            "power.draw.instant",
            "gpu.power.draw.instant",
            *(f"{part}/{name}" for part in _POWER for name in ("power_draw", "average_power_draw")),
            "gpu_power_readings/instantaneous_power_draw",
            "gpu_power_readings/instant_power_draw",
        ),
    ),
    Reading(
        "power_limit_w",
        (
            "enforced.power.limit",
            "power.limit",
            "gpu.power.current_limit",
            *(f"{part}/{name}" for part in _POWER for name in ("current_power_limit", "enforced_power_limit")),
            "gpu_power_readings/gpu_ceiling_power_limit/current_power_limit",
        ),
    ),
    Reading("temp_core_c", ("temperature.gpu", "temperature/gpu_current_temp", "temperature/gpu_temp")),
    Reading("temp_memory_c", ("temperature.memory", "temperature/memory_current_temp", "temperature/memory_temp")),
    Reading("sm_clock_mhz", ("clocks.current.sm", "clocks.sm", "clocks/sm", "clocks/sm_clock")),
    Reading("mem_clock_mhz", ("clocks.current.memory", "clocks.mem", "clocks/memory", "clocks/mem_clock")),
    Reading("sm_clock_max_mhz", ("clocks.max.sm", "max_clocks/sm", "max_clocks/sm_clock")),
    Reading("pstate", ("pstate", "performance_state")),
    Reading("throttle_reasons", ("clocks_event_reasons.active", "clocks_throttle_reasons.active")),
    Reading("remap_correctable", ("remapped_rows.correctable", "remapped_rows.sbe", "remapped_rows/correctable_error",
                                  "remapped_rows/remapped_row_corr")),
    Reading("remap_uncorrectable", ("remapped_rows.uncorrectable", "remapped_rows.dbe",
                                    "remapped_rows/uncorrectable_error", "remapped_rows/remapped_row_unc")),
    Reading("remap_pending", ("remapped_rows.pending", "remapped_rows/pending", "remapped_rows/remapped_row_pending")),
    Reading("remap_failure", ("remapped_rows.failure", "remapped_rows/remapping_failure_occurred",
                              "remapped_rows/remapped_row_failure")),
    Reading("pcie_gen", ("pcie.link.gen.current", "pci/gpu_link_info/pcie_generation/current",
                         "pci/pci_gpu_link_info/pcie_gen/current_link_gen")),
    Reading("pcie_width", ("pcie.link.width.current", "pci/gpu_link_info/link_width/current",
                           "pci/pci_gpu_link_info/link_widths/current_link_width")),
    Reading("pcie_gen_max", ("pcie.link.gen.max", "pci/gpu_link_info/pcie_generation/max",
                             "pci/pci_gpu_link_info/pcie_gen/max_link_gen")),
    Reading("pcie_width_max", ("pcie.link.width.max", "pci/gpu_link_info/link_width/max",
                               "pci/pci_gpu_link_info/link_widths/max_link_width")),
    Reading("pcie_replays", ("pci/replays_since_reset", "pci/replay_counter")),
    Reading("pcie_tx_bytes_s", ("pci/tx_throughput", "pci/tx_util"), 1000),
    Reading("pcie_rx_bytes_s", ("pci/rx_throughput", "pci/rx_util"), 1000),
    Reading("fan_percent", ("fan.speed", "fan_speed")),
    *(
        Reading(
            f"ecc_{ours}_{span}",
            (f"ecc.errors.{ours}.{span}.total", f"ecc_errors/{span}/{theirs}/total"),
        )
        for span in ("volatile", "aggregate")
        for ours, theirs in (("corrected", "single_bit"), ("uncorrected", "double_bit"))
    ),
)  # fmt: skip

_RETIRED: Final = (
    ("retired_pages.single_bit_ecc.count", "retired_pages.sbe", "retired_pages/single_bit_ecc",
     "retired_pages/multiple_single_bit_retirement/retired_count"),
    ("retired_pages.double_bit.count", "retired_pages.dbe", "retired_pages/double_bit_ecc",
     "retired_pages/double_bit_retirement/retired_count"),
)  # fmt: skip
SUMS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "retired_pages": _RETIRED,
    **{
        f"ecc_corrected_{span}": (
            (f"ecc_errors/{span}/sram_correctable",),
            (f"ecc_errors/{span}/dram_correctable",),
        )
        for span in ("volatile", "aggregate")
    },
    **{
        f"ecc_uncorrected_{span}": (
            (f"ecc_errors/{span}/sram_uncorrectable", f"ecc_errors/{span}/sram_uncorrectable_parity"),
            (f"ecc_errors/{span}/sram_uncorrectable_sec_ded", f"ecc_errors/{span}/sram_uncorrectable_secded", ""),
            (f"ecc_errors/{span}/dram_uncorrectable",),
        )
        for span in ("volatile", "aggregate")
    },
}
"""Columns that are sums: of each part one name must have a value, else the sum is unknown. ``""``: it may lack."""

_REASON: Final = re.compile(
    r"clocks_(?:event|throttle)_reasons?[./](?:hw_slowdown/|clocks_(?:event|throttle)_reason_)?"
)
_NUMBER: Final = re.compile(r"P?(-?\d+(?:\.\d+)?)(?: ?(?:[%\w/]+|bank\(s\)))?$")
WORDS: Final = {"yes": 1.0, "no": 0.0, "active": 1.0, "not active": 0.0, "enabled": 1.0, "disabled": 0.0}
"""What stands for yes and no."""
_CHANGE_BYTES: Final = 256 << 20
"""A process's framebuffer must move by this much to be worth a row, as in the recorder."""
_MAX_GPUS: Final = 4096
"""GPUs of one file that are told apart, and processes that are followed on one: a file of names that never repeat must
not fill the memory."""


def number(text: str) -> float | None:
    """The number of a printed value without its unit; None where it says that there is none (N/A, ERR! ...)."""
    text = text.strip()
    if text[:2] in ("0x", "0X"):
        try:
            return float(int(text[:34], 16))
        except ValueError:
            return None
    if found := _NUMBER.match(text):
        value = float(found[1])
        return value if math.isfinite(value) else None
    return WORDS.get(text.lower())


def mebibytes(text: str) -> int | None:
    """Bytes of a printed size in MiB; None where it tells none."""
    told = number(text)
    return round(told * MIB) if told is not None and 0 <= told < 1 << 40 else None


def count(text: str) -> int | None:
    """A printed process id, or another count; None where it is none."""
    return int(text) if text.isdecimal() and len(text) <= 10 else None


def sample(values: Mapping[str, str]) -> dict[str, Any]:
    """Columns of ``gpu_samples`` from what nvidia-smi printed of one GPU, by name."""
    row: dict[str, Any] = {}
    for reading in READINGS:
        for name in reading.names:
            if name in values and (value := number(values[name])) is not None:
                row[reading.column] = value * reading.scale
                break
    for column, parts in SUMS.items():
        if column in row:
            continue
        told = [_first(values, names) for names in parts]
        if all(value is not None for value in told):
            row[column] = sum(value for value in told if value is not None)
    if "throttle_reasons" not in row and (mask := _reasons(values)) is not None:
        row["throttle_reasons"] = mask
    return row


def _first(values: Mapping[str, str], names: Iterable[str]) -> float | None:
    for name in names:
        if not name:
            return 0.0
        if name in values:
            return number(values[name])
    return None


def _reasons(values: Mapping[str, str]) -> int | None:
    """The mask of the reasons printed one by one; a mask of nothing only where all slowdowns were asked for."""
    told: dict[str, bool] = {}
    for name, value in values.items():
        if (found := _REASON.match(name)) and (end := name[found.end() :]) in REASONS:
            value = value.strip().lower()
            if value in ("active", "not active"):
                told[end] = value == "active"
    mask = sum({REASONS[end] for end, active in told.items() if active})
    return mask if mask or told.keys() >= SLOWDOWNS else None


@dataclass(slots=True)
class Gpus:
    """The GPUs one file speaks of: by index, PCI bus id and UUID, whichever form of output told them."""

    uuid_by_index: dict[int, str] = field(default_factory=dict)
    uuid_by_bus: dict[str, str] = field(default_factory=dict)
    index_by_bus: dict[str, int] = field(default_factory=dict)
    models: dict[str, str] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)

    def learn(self, uuid: str | None, index: int | None, bus: str | None, model: str | None = None) -> None:
        """Take in what one line tells of a GPU."""
        bus = None if bus is None else short_bus(bus)
        if max(len(self.uuid_by_index), len(self.uuid_by_bus), len(self.index_by_bus)) >= _MAX_GPUS:
            return
        if bus and not uuid:
            uuid = self.uuid_by_bus.get(bus)
        if uuid and index is not None:
            self.uuid_by_index[index] = uuid
        if uuid and bus:
            self.uuid_by_bus[bus] = uuid
        if bus and index is not None:
            self.index_by_bus[bus] = index
        if uuid and model:
            self.models[uuid] = model

    def sized(self, uuid: str, row: Mapping[str, Any]) -> None:
        """Take in the size of a GPU's memory, where the row tells it."""
        if "fb_total_bytes" in row and len(self.memory) < _MAX_GPUS:
            self.memory[uuid] = round(row["fb_total_bytes"])

    def keys(self, uuid: str | None, index: int | None, bus: str | None) -> dict[str, Any]:
        """Columns that tell the GPU; where no UUID is known, the PCI bus id or the index stands for it."""
        short = None if bus is None else short_bus(bus)
        if index is None and short:
            index = self.index_by_bus.get(short)
        uuid = uuid or (self.uuid_by_bus.get(short) if short else None)
        if short is None and index is not None:
            short = next((bus for bus, known in self.index_by_bus.items() if known == index), None)
        if uuid is None and index is not None:
            uuid = self.uuid_by_index.get(index)
        return {"gpu_uuid": uuid or short or (None if index is None else unnamed_gpu(index)), "gpu_index": index}

    def node_info(self) -> dict[str, Any]:
        """Columns of ``node_info``: the GPUs with a UUID, in the order of their indices."""
        index = {uuid: number for number, uuid in self.uuid_by_index.items()}
        uuids = sorted({*self.uuid_by_bus.values(), *index}, key=lambda uuid: (index.get(uuid, 1 << 30), uuid))
        row: dict[str, Any] = {"gpu_uuids": ",".join(uuids)} if uuids else {}
        if uuids and all(uuid in self.models for uuid in uuids):
            row["gpu_models"] = ",".join(self.models[uuid] for uuid in uuids)
        if uuids and all(uuid in self.memory for uuid in uuids):
            row["gpu_memory_bytes"] = ",".join(str(self.memory[uuid]) for uuid in uuids)
        return row


def short_bus(bus: str) -> str:
    """A PCI bus id as nvidia-smi prints it today: eight digits of domain, upper case."""
    domain, _, rest = bus.strip().upper().partition(":")
    return f"{domain.zfill(8)}:{rest}"


@dataclass(slots=True)
class Holders:
    """Which processes held which GPU, from one look to the next."""

    held: dict[str, dict[int, int | None]] = field(default_factory=dict)

    def look(
        self, keys: Mapping[str, Any], ts_ns: int | None, now: Mapping[int, int | None]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Rows of ``gpu_processes`` for what changed on one GPU; sizes in bytes, None where not told."""
        gpu = str(keys["gpu_uuid"])
        if gpu not in self.held and len(self.held) >= _MAX_GPUS:
            return
        before = self.held.get(gpu, {})
        after: dict[int, int | None] = {}
        for pid in sorted(before.keys() | now.keys()):
            used, then = now.get(pid), before.get(pid)
            if pid not in now:
                event = "detached"
            elif pid not in before:
                event = "attached"
            elif used is not None and abs(used - (then or 0)) >= _CHANGE_BYTES:
                event = "changed"
            else:
                after[pid] = then if then is not None else used
                continue
            if pid in now:
                after[pid] = used
            yield "gpu_processes", {**keys, "ts_ns": ts_ns, "pid": pid, "fb_used_bytes": used, "event": event}
        self.held[gpu] = after


@dataclass(slots=True)
class GpuLog:
    """One GPU of ``nvidia-smi -q``: its PCI bus id, values by path, and the processes on it in bytes where told."""

    bus: str
    values: dict[str, str] = field(default_factory=dict)
    processes: dict[int, int | None] | None = None


def log_rows(
    logs: Sequence[GpuLog], attached: int | None, ts_ns: int | None, gpus: Gpus, holders: Holders
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of one output of ``nvidia-smi -q``. GPUs come in the order of their indices where all of them do."""
    for index, log in enumerate(logs):
        uuid = next((log.values[name] for name in ("gpu_uuid", "uuid") if name in log.values), "")
        gpus.learn(
            uuid if uuid.startswith("GPU-") else None,
            index if attached == len(logs) else None,
            log.bus,
            log.values.get("product_name"),
        )
        keys = gpus.keys(None, None, log.bus)
        if any("GPU is lost" in value for value in log.values.values()):
            yield "gpu_events", {**keys, "ts_ns": ts_ns, "event": "lost", "detail": "nvidia-smi: GPU is lost"}
        if row := sample(log.values):
            gpus.sized(keys["gpu_uuid"], row)
            yield "gpu_samples", {**keys, "ts_ns": ts_ns, **row}
        if log.processes is not None:
            yield from holders.look(keys, ts_ns, log.processes)

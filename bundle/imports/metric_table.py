"""Which metric of which exporter is which column: the one table that every reader of metrics asks.

A name that is not here has no place in the bundle. Facts, looked up in public sources:

- DCGM: ``dcgmlib/dcgm_fields.h`` and ``dcgmlib/src/dcgm_fields.cpp`` of DCGM 4.6.0 (72fa3fe), which renamed many fields
  and kept the older names as aliases; ``dcgmi dmon`` prints the short names. Utilisation is a percentage under both of
  its names (``DcgmCacheManager.cpp`` passes NVML's value on); framebuffer is in MiB.
- dcgm-exporter: ``default-counters.csv``, ``dcp-metrics-included.csv`` and ``1.x-compatibility-metrics.csv`` in its
  ``etc`` (d5e5f51). Violation times are nanoseconds: NVML's value is passed on, only the help text of versions before
  its commit e61056b said microseconds. It calls NVLink's throughput a counter; DCGM gives the rate since its last look.
- nvidia_gpu_exporter (utkuozdemir): ``docs/METRICS.md``; the name is nvidia-smi's field, converted to base units.
- nvidia_gpu_prometheus_exporter (mindprince): ``main.go``; it calls GPUs by ``minor_number`` and ``uuid``.
- node_exporter: its collectors' sources. cAdvisor: ``docs/storage/prometheus.md``.

Columns that begin with ``_`` are parts: ``series.py`` makes columns of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pynvml as nv

MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Metric:
    """Where a metric's values go.

    Attributes:
        table: Table of the bundle.
        column: Its column, or a part of one; ``{label}`` in it stands for the value of that label.
        scale: What a value is multiplied with to be in the column's unit.
        total: True where several series at one instant add up (one a CPU); else the first one counts.
        key: Column that tells rows of one node apart (interface, link ...); empty for hosts and GPUs.
        labels: Labels that hold the key, joined by ``/``; where the first is missing, those after None.
        value: The key, where the name of the metric tells it.
    """

    table: str
    column: str
    scale: float = 1.0
    total: bool = False
    key: str = ""
    labels: tuple[str | None, ...] = ()
    value: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of DCGM: the short name that ``dcgmi dmon`` prints, and the ends of its names, newest last."""

    short: str
    names: tuple[str, ...]
    column: str
    scale: float = 1.0


_PERCENT: Final = 0.01
_MB: Final = 1_024_000
"""DCGM divides NVML's KiB by 1000 for the "MB" of NVLink's throughput (``ReadAndCacheNvLinkBandwidth``)."""

DCGM_FIELDS: Final = (
    Field("SMCLK", ("DEV_SM_CLOCK",), "sm_clock_mhz"),
    Field("MMCLK", ("DEV_MEM_CLOCK",), "mem_clock_mhz"),
    Field("SMMAX", ("DEV_MAX_SM_CLOCK",), "sm_clock_max_mhz"),
    Field("DVCCTR", ("DEV_CLOCK_THROTTLE_REASONS", "DEV_CLOCKS_EVENT_REASONS"), "throttle_reasons"),
    Field("MMTMP", ("DEV_MEMORY_TEMP", "DEV_MEMORY_TEMP_CELSIUS"), "temp_memory_c"),
    Field("TMPTR", ("DEV_GPU_TEMP", "DEV_GPU_TEMP_CELSIUS"), "temp_core_c"),
    Field("POWER", ("DEV_POWER_USAGE", "DEV_BOARD_POWER_WATTS"), "power_w"),
    Field("EPLMT", ("DEV_ENFORCED_POWER_LIMIT", "DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS"), "power_limit_w"),
    Field("TOTEC", ("DEV_TOTAL_ENERGY_CONSUMPTION",), "energy_mj"),
    Field("PSTAT", ("DEV_PSTATE", "DEV_GPU_PSTATE"), "pstate"),
    Field("FANSP", ("DEV_FAN_SPEED",), "fan_percent"),
    Field("TXTPT", ("DEV_PCIE_TX_THROUGHPUT",), "pcie_tx_bytes_s", 1000),
    Field("RXTPT", ("DEV_PCIE_RX_THROUGHPUT",), "pcie_rx_bytes_s", 1000),
    Field("RPCTR", ("DEV_PCIE_REPLAY_COUNTER", "DEV_PCIE_REPLAY_TOTAL"), "pcie_replays"),
    Field("GPUTL", ("DEV_GPU_UTIL", "DEV_GPU_UTIL_RATIO"), "engine_active", _PERCENT),
    Field("MCUTL", ("DEV_MEM_COPY_UTIL",), "mem_util", _PERCENT),
    Field("XIDER", ("DEV_XID_ERRORS", "DEV_XID_ERROR"), "_xid"),
    Field("PCIMG", ("DEV_PCIE_MAX_LINK_GEN",), "pcie_gen_max"),
    Field("PCIMW", ("DEV_PCIE_MAX_LINK_WIDTH",), "pcie_width_max"),
    Field("PCILG", ("DEV_PCIE_LINK_GEN",), "pcie_gen"),
    Field("PCILW", ("DEV_PCIE_LINK_WIDTH",), "pcie_width"),
    Field("PVIOL", ("DEV_POWER_VIOLATION",), "_held_power"),
    Field("TVIOL", ("DEV_THERMAL_VIOLATION",), "_held_heat"),
    Field("BLVIO", ("DEV_BOARD_LIMIT_VIOLATION",), "_held_board_limit"),
    Field("RVIOL", ("DEV_RELIABILITY_VIOLATION",), "_held_reliability"),
    Field("FBTTL", ("DEV_FB_TOTAL",), "fb_total_bytes", MIB),
    Field("FBFRE", ("DEV_FB_FREE",), "_fb_free", MIB),
    Field("FBUSD", ("DEV_FB_USED",), "fb_used_bytes", MIB),
    Field("FBRSV", ("DEV_FB_RESERVED",), "_fb_reserved", MIB),
    Field("ESVTL", ("DEV_ECC_SBE_VOL_TOTAL",), "ecc_corrected_volatile"),
    Field("EDVTL", ("DEV_ECC_DBE_VOL_TOTAL",), "ecc_uncorrected_volatile"),
    Field("ESATL", ("DEV_ECC_SBE_AGG_TOTAL",), "ecc_corrected_aggregate"),
    Field("EDATL", ("DEV_ECC_DBE_AGG_TOTAL",), "ecc_uncorrected_aggregate"),
    Field("RPSBE", ("DEV_RETIRED_SBE", "DEV_PAGE_RETIRED_SBE_TOTAL"), "_retired_single"),
    Field("RPDBE", ("DEV_RETIRED_DBE", "DEV_PAGE_RETIRED_DBE_TOTAL"), "_retired_double"),
    Field("URMPS", ("DEV_UNCORRECTABLE_REMAPPED_ROWS", "DEV_ROW_REMAP_UNCORRECTABLE_TOTAL"), "remap_uncorrectable"),
    Field("CRMPS", ("DEV_CORRECTABLE_REMAPPED_ROWS", "DEV_ROW_REMAP_CORRECTABLE_TOTAL"), "remap_correctable"),
    Field("RRF", ("DEV_ROW_REMAP_FAILURE", "DEV_ROW_REMAP_FAILED"), "remap_failure"),
    Field("RRP", ("DEV_ROW_REMAP_PENDING",), "remap_pending"),
    Field("GRACT", ("PROF_GR_ENGINE_ACTIVE", "PROF_GR_ENGINE_UTIL_RATIO"), "_engine_profiled"),
    Field("SMACT", ("PROF_SM_ACTIVE", "PROF_SM_UTIL_RATIO"), "sm_active"),
    Field("SMOCC", ("PROF_SM_OCCUPANCY", "PROF_SM_OCCUPANCY_RATIO"), "sm_occupancy"),
    Field("TENSO", ("PROF_PIPE_TENSOR_ACTIVE", "PROF_TENSOR_UTIL_RATIO"), "tensor_active"),
    Field("DRAMA", ("PROF_DRAM_ACTIVE", "PROF_DRAM_UTIL_RATIO"), "dram_active"),
    Field("FP64A", ("PROF_PIPE_FP64_ACTIVE", "PROF_FP64_UTIL_RATIO"), "fp64_active"),
    Field("FP32A", ("PROF_PIPE_FP32_ACTIVE", "PROF_FP32_UTIL_RATIO"), "fp32_active"),
    Field("FP16A", ("PROF_PIPE_FP16_ACTIVE", "PROF_FP16_UTIL_RATIO"), "fp16_active"),
    Field("PCITX", ("PROF_PCIE_TX_BYTES",), "_pcie_tx_profiled"),
    Field("PCIRX", ("PROF_PCIE_RX_BYTES",), "_pcie_rx_profiled"),
    Field("NVLTX", ("PROF_NVLINK_TX_BYTES",), "_nvlink_tx_profiled"),
    Field("NVLRX", ("PROF_NVLINK_RX_BYTES",), "_nvlink_rx_profiled"),
    Field("NTXBWLT", ("DEV_NVLINK_TX_BANDWIDTH_TOTAL", "DEV_NVLINK_TX_THROUGHPUT_TOTAL"), "nvlink_tx_bytes_s", _MB),
    Field("NRXBWLT", ("DEV_NVLINK_RX_BANDWIDTH_TOTAL", "DEV_NVLINK_RX_THROUGHPUT_TOTAL"), "nvlink_rx_bytes_s", _MB),
    Field("NBWLT", ("DEV_NVLINK_BANDWIDTH_TOTAL", "DEV_NVLINK_THROUGHPUT_TOTAL"), "nvlink_bytes_s", _MB),
)
"""Fields of a GPU. Time held back (``_held_*``) is in nanoseconds, profiled traffic in bytes a second."""

_LINK_FIELDS: Final = (
    ("DEV_NVLINK_CRC_FLIT_ERROR_COUNT_{}", "DEV_NVLINK_CRC_FLIT_ERROR_{}", "_crc_flit"),
    ("DEV_NVLINK_CRC_DATA_ERROR_COUNT_{}", "DEV_NVLINK_CRC_DATA_ERROR_{}", "_crc_data"),
    ("DEV_NVLINK_REPLAY_ERROR_COUNT_{}", "DEV_NVLINK_REPLAY_ERROR_{}", "replay_errors"),
    ("DEV_NVLINK_RECOVERY_ERROR_COUNT_{}", "DEV_NVLINK_RECOVERY_ERROR_{}", "recovery_errors"),
)
_ONE_LINK: Final = (
    ("DEV_NVLINK_COUNT_TX_BYTES", "DEV_NVLINK_TX_BYTES_TOTAL", "tx_bytes"),
    ("DEV_NVLINK_COUNT_RX_BYTES", "DEV_NVLINK_RX_BYTES_TOTAL", "rx_bytes"),
    ("", "DEV_NVLINK_CRC_FLIT_ERROR_PER_LINK_TOTAL", "_crc_flit"),
    ("", "DEV_NVLINK_CRC_DATA_ERROR_PER_LINK_TOTAL", "_crc_data"),
    ("", "DEV_NVLINK_REPLAY_ERROR_PER_LINK_TOTAL", "replay_errors"),
    ("", "DEV_NVLINK_RECOVERY_ERROR_PER_LINK_TOTAL", "recovery_errors"),
)
_LINKS: Final = 18

_FIRST_EXPORTER: Final = {
    "dcgm_sm_clock": "SMCLK",
    "dcgm_memory_clock": "MMCLK",
    "dcgm_memory_temp": "MMTMP",
    "dcgm_gpu_temp": "TMPTR",
    "dcgm_power_usage": "POWER",
    "dcgm_total_energy_consumption": "TOTEC",
    "dcgm_pcie_replay_counter": "RPCTR",
    "dcgm_gpu_utilization": "GPUTL",
    "dcgm_mem_copy_utilization": "MCUTL",
    "dcgm_xid_errors": "XIDER",
    "dcgm_fb_free": "FBFRE",
    "dcgm_fb_used": "FBUSD",
    "dcgm_fb_total": "FBTTL",
    "dcgm_ecc_sbe_volatile_total": "ESVTL",
    "dcgm_ecc_dbe_volatile_total": "EDVTL",
    "dcgm_ecc_sbe_aggregate_total": "ESATL",
    "dcgm_ecc_dbe_aggregate_total": "EDATL",
    "dcgm_retired_pages_sbe": "RPSBE",
    "dcgm_retired_pages_dbe": "RPDBE",
    "dcgm_power_violation": "PVIOL",
    "dcgm_thermal_violation": "TVIOL",
    "dcgm_nvlink_bandwidth_total": "NBWLT",
    "dcgm_fi_prof_gr_engine_active": "GRACT",
    "dcgm_fi_prof_pipe_tensor_active": "TENSO",
    "dcgm_fi_prof_dram_active": "DRAMA",
}
"""Names of dcgm-exporter 1.x."""

_NVIDIA_SMI: Final = {
    "memory_total_bytes": ("fb_total_bytes", 1.0),
    "memory_used_bytes": ("fb_used_bytes", 1.0),
    "utilization_gpu_ratio": ("engine_active", 1.0),
    "utilization_memory_ratio": ("mem_util", 1.0),
    "power_draw_watts": ("power_w", 1.0),
    "enforced_power_limit_watts": ("power_limit_w", 1.0),
    "temperature_gpu": ("temp_core_c", 1.0),
    "temperature_memory": ("temp_memory_c", 1.0),
    "clocks_current_sm_clock_hz": ("sm_clock_mhz", 1e-6),
    "clocks_current_memory_clock_hz": ("mem_clock_mhz", 1e-6),
    "clocks_max_sm_clock_hz": ("sm_clock_max_mhz", 1e-6),
    "pstate": ("pstate", 1.0),
    "clocks_event_reasons_active": ("throttle_reasons", 1.0),
    "clocks_throttle_reasons_active": ("throttle_reasons", 1.0),
    "ecc_errors_corrected_volatile_total": ("ecc_corrected_volatile", 1.0),
    "ecc_errors_uncorrected_volatile_total": ("ecc_uncorrected_volatile", 1.0),
    "ecc_errors_corrected_aggregate_total": ("ecc_corrected_aggregate", 1.0),
    "ecc_errors_uncorrected_aggregate_total": ("ecc_uncorrected_aggregate", 1.0),
    "remapped_rows_correctable": ("remap_correctable", 1.0),
    "remapped_rows_uncorrectable": ("remap_uncorrectable", 1.0),
    "remapped_rows_pending": ("remap_pending", 1.0),
    "remapped_rows_failure": ("remap_failure", 1.0),
    "retired_pages_single_bit_ecc_count": ("_retired_single", 1.0),
    "retired_pages_double_bit_count": ("_retired_double", 1.0),
    "pcie_link_gen_current": ("pcie_gen", 1.0),
    "pcie_link_width_current": ("pcie_width", 1.0),
    "pcie_link_gen_max": ("pcie_gen_max", 1.0),
    "pcie_link_width_max": ("pcie_width_max", 1.0),
    "fan_speed_ratio": ("fan_percent", 100.0),
}

REASONS: Final[dict[str, int]] = {
    "gpu_idle": nv.nvmlClocksEventReasonGpuIdle,
    "idle": nv.nvmlClocksEventReasonGpuIdle,
    "applications_clocks_setting": nv.nvmlClocksEventReasonApplicationsClocksSetting,
    "sw_power_cap": nv.nvmlClocksEventReasonSwPowerCap,
    "hw_slowdown": nv.nvmlClocksThrottleReasonHwSlowdown,
    "sync_boost": nv.nvmlClocksEventReasonSyncBoost,
    "sw_thermal_slowdown": nv.nvmlClocksEventReasonSwThermalSlowdown,
    "hw_thermal_slowdown": nv.nvmlClocksThrottleReasonHwThermalSlowdown,
    "hw_power_brake_slowdown": nv.nvmlClocksThrottleReasonHwPowerBrakeSlowdown,
    "display_clock_setting": nv.nvmlClocksEventReasonDisplayClockSetting,
    "display_clocks_setting": nv.nvmlClocksEventReasonDisplayClockSetting,
}
"""Bits of the clock event reasons by the ends of their names."""
SLOWDOWNS: Final = frozenset({"hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"})

_NVIDIA_GPU: Final = {
    "duty_cycle": ("engine_active", _PERCENT),
    "memory_total_bytes": ("fb_total_bytes", 1.0),
    "memory_used_bytes": ("fb_used_bytes", 1.0),
    "power_usage_milliwatts": ("power_w", 0.001),
    "temperature_celsius": ("temp_core_c", 1.0),
    "fanspeed_percent": ("fan_percent", 1.0),
}

_HOST: Final = {
    "load1": ("load_1m", 1.0),
    "procs_running": ("procs_running", 1.0),
    "procs_blocked": ("procs_blocked", 1.0),
    "memory_MemTotal_bytes": ("memory_total_bytes", 1.0),
    "memory_MemAvailable_bytes": ("memory_available_bytes", 1.0),
    "memory_Shmem_bytes": ("shmem_bytes", 1.0),
    "memory_Dirty_bytes": ("_dirty", 1.0),
    "memory_Writeback_bytes": ("_writeback", 1.0),
    "memory_SwapTotal_bytes": ("swap_total_bytes", 1.0),
    "memory_SwapFree_bytes": ("_swap_free", 1.0),
    "vmstat_oom_kill": ("oom_kills", 1.0),
    "pressure_cpu_waiting_seconds_total": ("_psi_cpu_some", 1.0),
    "pressure_memory_waiting_seconds_total": ("_psi_memory_some", 1.0),
    "pressure_memory_stalled_seconds_total": ("_psi_memory_full", 1.0),
    "pressure_io_waiting_seconds_total": ("_psi_io_some", 1.0),
    "pressure_io_stalled_seconds_total": ("_psi_io_full", 1.0),
}
CPU_MODES: Final = ("user", "nice", "system", "irq", "softirq", "iowait", "steal", "idle")
"""Modes of ``node_cpu_seconds_total``: they partition a CPU's time (guest time is within user time)."""

_NET: Final = {
    "receive_bytes_total": "rx_bytes",
    "transmit_bytes_total": "tx_bytes",
    "receive_packets_total": "rx_packets",
    "transmit_packets_total": "tx_packets",
    "receive_errs_total": "rx_errors",
    "transmit_errs_total": "tx_errors",
    "receive_drop_total": "rx_drops",
    "transmit_drop_total": "tx_drops",
    "carrier": "carrier",
}
_INFINIBAND: Final = {
    "port_data_received_bytes_total": "rx_bytes",
    "port_data_transmitted_bytes_total": "tx_bytes",
    "port_packets_received_total": "rx_packets",
    "port_packets_transmitted_total": "tx_packets",
    "port_errors_received_total": "rx_errors",
    "port_discards_transmitted_total": "tx_drops",
}
_DISK: Final = {
    "node_disk_read_bytes_total": ("device", "read_bytes", 1.0),
    "node_disk_written_bytes_total": ("device", "written_bytes", 1.0),
    "node_disk_io_time_seconds_total": ("device", "io_ms", 1000.0),
    "node_disk_io_now": ("device", "inflight", 1.0),
    "node_filesystem_avail_bytes": ("mountpoint", "fs_free_bytes", 1.0),
    "node_filesystem_size_bytes": ("mountpoint", "fs_total_bytes", 1.0),
    "node_filesystem_files_free": ("mountpoint", "fs_free_inodes", 1.0),
}
_CGROUP: Final = {
    "container_memory_usage_bytes": ("memory_used_bytes", 1.0),
    "container_memory_rss": ("memory_anon_bytes", 1.0),
    "container_memory_max_usage_bytes": ("memory_peak_bytes", 1.0),
    "container_spec_memory_limit_bytes": ("_limit", 1.0),
    "container_memory_failcnt": ("oom_events", 1.0),
    "container_oom_events_total": ("oom_kills", 1.0),
    "container_cpu_cfs_throttled_seconds_total": ("cpu_throttled_ns", 1e9),
    "container_threads": ("pids", 1.0),
}


def _dcgm() -> dict[str, Metric]:
    """Fields of GPUs and their links by every name they ever had."""
    table: dict[str, Metric] = {}
    for field in DCGM_FIELDS:
        for name in field.names:
            table[f"DCGM_FI_{name}"] = Metric("gpu_samples", field.column, field.scale)
    for links in (*(f"L{n}" for n in range(_LINKS)), "TOTAL"):
        for old, new, column in _LINK_FIELDS:
            metric = Metric("nvlink_samples", column, key="link", value=links.removeprefix("L"))
            table[f"DCGM_FI_{old.format(links)}"] = metric
            table[f"DCGM_FI_{new.format(links if links == 'TOTAL' else f'{links}_TOTAL')}"] = metric
    for old, new, column in _ONE_LINK:
        for name in filter(None, (old, new)):
            table[f"DCGM_FI_{name}"] = Metric("nvlink_samples", column, key="link", labels=("nvlink",))
    short = {field.short: field for field in DCGM_FIELDS}
    for name, key in _FIRST_EXPORTER.items():
        table[name] = Metric("gpu_samples", short[key].column, short[key].scale)
    return table


def _node_exporter() -> dict[str, Metric]:
    table = {f"node_{name}": Metric("host_samples", column, scale) for name, (column, scale) in _HOST.items()}
    table["node_cpu_seconds_total"] = Metric("host_samples", "_cpu_{mode}", total=True)
    for name, column in _NET.items():
        table[f"node_network_{name}"] = Metric("net_samples", column, key="interface", labels=("device",))
    for name, column in _INFINIBAND.items():
        table[f"node_infiniband_{name}"] = Metric("net_samples", column, key="interface", labels=("device", "port"))
    table["node_netstat_Tcp_RetransSegs"] = Metric("net_samples", "tcp_retransmits", key="interface", value="lo")
    for name, (label, column, scale) in _DISK.items():
        table[name] = Metric("disk_samples", column, scale, key="device", labels=(label,))
    return table


def _cadvisor() -> dict[str, Metric]:
    labels = ("id", None, "namespace", "pod", "container")
    return {
        name: Metric("cgroup_samples", column, scale, key="cgroup", labels=labels)
        for name, (column, scale) in _CGROUP.items()
    }


_DCGM: Final = _dcgm()

METRICS: Final[dict[str, Metric]] = {
    **_DCGM,
    **{name.lower(): metric for name, metric in _DCGM.items()},  # as VictoriaMetrics, relabelling and agents write them
    "DCGM_EXP_XID_ERRORS_COUNT": Metric("gpu_samples", "_xids_{xid}"),
    "DCGM_EXP_GPU_HEALTH_STATUS": Metric("gpu_samples", "_health_{health_watch}"),
    **{f"nvidia_smi_{name}": Metric("gpu_samples", *rest) for name, rest in _NVIDIA_SMI.items()},
    **{
        f"nvidia_smi_clocks_{word}_reasons_{name}": Metric("gpu_samples", f"_reason_{name}", 1.0)
        for word in ("event", "throttle")
        for name in REASONS
    },
    **{f"nvidia_gpu_{name}": Metric("gpu_samples", *rest) for name, rest in _NVIDIA_GPU.items()},
    **_node_exporter(),
    **_cadvisor(),
}
"""Every metric that has a place, by name."""

"""The one place where a table or a column is declared.

Writers, readers, validation and ``docs/format.md`` are derived from this module; nothing else may name an Arrow type
for a stored column. Rules (tested): one column name has one type and one unit in every table; null means "not
measured" and 0 means "measured, zero"; every time is an integer of nanoseconds.

This module imports nothing heavy, so that the agent may read it before it pays for Arrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT_NAME: Final = "inquest-bundle"
FORMAT_VERSION: Final = 1

Type = Literal["i64", "f64", "bool", "str", "dict"]
"""``dict`` is a string that repeats: dictionary-encoded on disk, a plain string to every reader."""

Scope = Literal["node", "large", "fact"]
"""``node``: small, one bundle member for all nodes. ``large``: one member a node. ``fact``: computed, never stored."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its type, unit and meaning.

    ``digits`` is the number of decimals a value is printed and compared with (floats only). ``source`` names where a
    reading comes from (a file in /proc, an API call, a log).
    """

    name: str
    type: Type
    meaning: str
    unit: str = ""
    digits: int = 6
    nullable: bool = True
    source: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table: what a row is, and its columns in order (shared identity columns first)."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    scope: Scope = "node"

    @property
    def column_names(self) -> tuple[str, ...]:
        """All column names in stored order."""
        return tuple(column.name for column in self.columns)

    def arrow(self) -> pa.Schema:
        """The Arrow schema rows of this table are written with."""
        return _arrow_schema(self.name)

    def column(self, name: str) -> Column:
        """The column called ``name``; KeyError when the table has none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name}.{name}")


# --- identity of a row: shared by every recorded table, declared here only ---------------------------------------
IDENTITY: Final = (
    Column("node", "dict", "Node the row was recorded on", nullable=False),
    Column("boot_id", "dict", "Boot of that node (/proc/sys/kernel/random/boot_id)", source="/proc"),
    Column(
        "capture", "dict", "Recording that wrote the row; two recordings on one node never share it", nullable=False
    ),
    Column("seq", "i64", "Number of the row within node, boot, capture and table", nullable=False),
    Column(
        "ts_mono_ns",
        "i64",
        "Clock of the row's source when it was observed: the node's monotonic clock; of imported rows, UTC as told",
        "ns",
    ),
    Column("ts_ns", "i64", "UTC time on the aligned clock, since 1970; filled by merge or import", "ns"),
)
FACT_IDENTITY: Final = (
    Column("node", "dict", "Node the row was recorded on", nullable=False),
    Column("seq", "i64", "Number of the row within node, boot, capture and table", nullable=False),
    Column("ts_ns", "i64", "UTC time on the aligned clock, since 1970; filled by merge or import", "ns"),
)


def _i(name: str, meaning: str, unit: str = "1", source: str = "") -> Column:
    return Column(name, "i64", meaning, unit, source=source)


def _f(name: str, meaning: str, unit: str = "1", digits: int = 6, source: str = "") -> Column:
    return Column(name, "f64", meaning, unit, digits, source=source)


def _s(name: str, meaning: str, source: str = "") -> Column:
    return Column(name, "str", meaning, source=source)


def _d(name: str, meaning: str, source: str = "") -> Column:
    return Column(name, "dict", meaning, source=source)


def _b(name: str, meaning: str, source: str = "") -> Column:
    return Column(name, "bool", meaning, source=source)


def _table(name: str, meaning: str, *columns: Column, scope: Scope = "node") -> Table:
    identity = FACT_IDENTITY if scope == "fact" else IDENTITY
    return Table(name, meaning, (*identity, *columns), scope)


# Columns that several tables share, declared once so that they cannot drift apart.
_RANK = _i("rank", "Global rank of the training process; null when it could not be told")
_RANK_BY = _d(
    "rank_by",
    "How the rank was told: task | env | log_dir | tee_prefix | ebpf | socket | text | file_name | content | local_rank"
    " (of a job's only node)",
)
_PID = _i("pid", "Process id on the node")
_TASK = _i("task", "Number of the wrapped command on this node within the capture (SLURM_LOCALID, else 0)")
_GPU = _d("gpu_uuid", "UUID of the GPU", "NVML")
_GPU_INDEX = _i("gpu_index", "Physical index of the GPU on its node", source="NVML")
_SOURCE = _d("source", "Stream or file the row was read from, as a relative path or stream name")
_OFFSET = _i("offset", "Byte offset of the row in its source", "bytes")
_TEXT = _s("text", "Text as recorded: bytes decoded as UTF-8 with errors replaced, secrets masked")
_SIGNAL = _i("signal", "Signal number (Linux numbering)")
_EXIT_CODE = _i("exit_code", "Exit code 0-255; null when the process died by a signal or was not seen to end")
_TERM_SIGNAL = _i("term_signal", "Signal that ended the process; null when it exited")
_ATTEMPT = _i("attempt", "Attempt within the source, from 0: a restart in the same file begins the next one")
_JOB = _d("job_id", "Scheduler's job id", "Slurm")
_STATE = _d("state", "State as the source words it")
_JOB_RAW = _d(
    "job_id_raw", "Number the controller knows the job by, where job_id is of an array (1_7) or het job (1+2)"
)
_CANCELLED_BY = _d("cancelled_by", "Who cancelled it: user name or uid")
_SUSPENDED = _i("suspended_s", "Time it stood suspended", "s")
_CPU_USED = _f("cpu_used_s", "CPU time used by its processes, user and system", "s", 3)
_CPUS_ALLOCATED = _i("cpus_allocated", "CPUs allocated")
_GPUS_ALLOCATED = _i("gpus_allocated", "GPUs allocated")
_TRES_ALLOCATED = _s("tres_allocated", "Trackable resources allocated, as Slurm prints them")
_SUBMIT_LINE = _s("submit_line", "Submit line, masked")
_REASON = _s("reason", "Reason as the source words it")
_DURATION = _i("duration_ns", "How long it took", "ns")
_NAME = _d("name", "Name of the thing the row is about")
_LINE_SEQ = _i("line_seq", "seq of the log_lines row it was parsed from")
_ROW_OF_TABLE = (
    _d("row_table", "Recorded table the fact was read from, where it is no line of text"),
    _d("row_capture", "Recording that row belongs to"),
    _i("row_seq", "seq of that row"),
)
_COUNT = _i("count", "How many")
_TOTAL_NS = _i("total_ns", "Sum of durations", "ns")
_MAX_NS = _i("max_ns", "Longest duration", "ns")
_BYTES = _i("bytes", "Bytes moved or held", "bytes")
_COMM = _d("comm", "Communicator id (hash of the NCCL unique id, or process group name)")
_OP = _d("op", "Collective operation, as NCCL or c10d names it")
_COLL_SEQ = _i("coll_seq", "Sequence number of the collective within its communicator")
_COMM_RANK = _i("comm_rank", "Rank within the communicator")
_COMM_SIZE = _i("comm_size", "Ranks in the communicator")
_COMM_DESC = _d("comm_desc", "What the communicator is for, as the program named it")
_MEMBERS = _s("members", "Global ranks of the communicator in order of their rank in it, comma-separated")
_PG_ID = _i("pg_id", "c10d's number of the process group within its process: differs from rank to rank")
_BACKEND = _d("backend", "Library that runs the collective: nccl | gloo | ...")
_STARTED_NS = _i("started_ns", "When it was seen to have started, UTC; never before it did", "ns")
_HOST = _s("host", "Host the source names, when it names one")
_CPU_SHARES = (
    _f("cpu_user_share", "Share of CPU time in user mode, all CPUs", "1", 4, "/proc/stat"),
    _f("cpu_system_share", "Share of CPU time in the kernel", "1", 4, "/proc/stat"),
    _f("cpu_iowait_share", "Share of CPU time idle with I/O pending", "1", 4, "/proc/stat"),
    _f("cpu_steal_share", "Share of CPU time stolen by the hypervisor", "1", 4, "/proc/stat"),
)
_ECC = (
    _i("ecc_corrected_volatile", "Corrected ECC errors since driver load", source="NVML"),
    _i("ecc_uncorrected_volatile", "Uncorrected ECC errors since driver load", source="NVML"),
    _i("ecc_corrected_aggregate", "Corrected ECC errors, lifetime", source="NVML"),
    _i("ecc_uncorrected_aggregate", "Uncorrected ECC errors, lifetime", source="NVML"),
)
_MIG_UUID = _d("mig_uuid", "UUID of the MIG instance, where the GPU is divided", "NVML")
_BUS_ID = _s("bus_id", "PCI bus id, as the source words it")
_SPEED = _i("speed_mbps", "Speed the link runs at, one direction", "Mbit/s")
_LINK_ERRORS = (
    _i("symbol_errors", "Symbol errors of the link since reset"),
    _i("link_recoveries", "Times the link was retrained since reset"),
    _i("link_downs", "Times the link went down since reset"),
    _i("integrity_errors", "Times local physical errors were too many at once, since reset"),
)
_REMOTE_ERRORS = _i("remote_errors", "Packets received that a port before had marked as bad, since reset")
_CGROUP = _s("cgroup", "Path of the cgroup", "/proc/PID/cgroup")
_CPU_LIST = _s("cpu_list", "CPUs near it, or that it may run on, as a list of ranges")
_NUMA_NODE = _i("numa_node", "NUMA node it is attached to, or whose memory it is held to; null: none or several")
_TID = _i("tid", "Thread id")
_THREAD_NAME = _s("thread_name", "Name of the thread, as the program or the kernel has it")
_RETURN_CODE = _i("return_code", "What the call returned; 0 is success")
_STACK_ID = _i("stack_id", "Number of the stack within the capture; of imported rows a digest, equal for equal stacks")

TABLES: Final[tuple[Table, ...]] = (
    _table(
        "node_info",
        "One row a capture: who the node is and what it runs",
        _s("hostname", "Host name", "uname"),
        _s("slurm_node", "SLURMD_NODENAME", "environment"),
        _s("machine_id", "Salted SHA-256 of /etc/machine-id, 16 hex digits", "/etc/machine-id"),
        _s("kernel", "Kernel release and version", "uname"),
        _s("os", "PRETTY_NAME of the distribution", "/etc/os-release"),
        _s("cpu_model", "Model name of the first CPU", "/proc/cpuinfo"),
        _i("cpus", "CPUs online", source="sysconf"),
        _i("memory_total_bytes", "Physical memory", "bytes", "/proc/meminfo"),
        _i("numa_nodes", "NUMA nodes", source="/sys/devices/system/node"),
        _i("gpus", "GPUs NVML sees; null when NVML could not be loaded", source="NVML"),
        _s("gpu_uuids", "UUIDs of these GPUs, comma-separated in index order", "NVML"),
        _s("gpu_models", "Their model names, comma-separated in index order", "NVML"),
        _s("gpu_memory_bytes", "Their memory sizes, comma-separated in index order", "NVML"),
        _s("driver_version", "NVIDIA driver", "NVML"),
        _s("cuda_version", "CUDA version the driver supports", "NVML"),
        _s("tool_version", "Version of inquest that recorded"),
        _s("job_env", "Allow-listed job environment as JSON object, sorted keys, masked"),
        _b("simulated", "True when the capture was simulated, not recorded"),
        _i("utc_offset_s", "Offset of the node's local time from UTC", "s", "tm_gmtoff"),
    ),
    _table(
        "collection",
        "Every attempt of every collector, with its outcome: absence of data is explained by a row",
        _d("collector", "Name of the collector"),
        _d("outcome", "ok | empty | missing | denied | timed_out | failed | truncated"),
        _s("tables", "Tables it fills, comma-separated"),
        _s("detail", "What was missing or went wrong, in one sentence"),
        _i("from_mono_ns", "Begin of what the row covers, monotonic", "ns"),
        _i("to_mono_ns", "End of what the row covers, monotonic", "ns"),
        _i("rows", "Rows written"),
        _i("drops", "Rows or events lost; null when it cannot be told"),
        _BYTES,
        _i("cpu_ns", "CPU time spent", "ns"),
    ),
    _table(
        "gpu_samples",
        "One row a GPU and tick",
        _GPU,
        _GPU_INDEX,
        _i("fb_used_bytes", "Framebuffer in use", "bytes", "nvmlDeviceGetMemoryInfo"),
        _i("fb_total_bytes", "Framebuffer size", "bytes", "nvmlDeviceGetMemoryInfo"),
        _f("engine_active", "Share of time a kernel was resident (NVML utilization.gpu)", "1", 4, "NVML"),
        _f("sm_active", "Share of SMs with a warp resident, averaged", "1", 4, "GPM / DCGM_FI_PROF_SM_ACTIVE"),
        _f("sm_occupancy", "Share of resident warps", "1", 4, "GPM / DCGM"),
        _f("tensor_active", "Share of cycles the tensor pipe was active", "1", 4, "GPM / DCGM"),
        _f("fp64_active", "Share of cycles the FP64 pipe was active", "1", 4, "GPM / DCGM"),
        _f("fp32_active", "Share of cycles the FP32 pipe was active", "1", 4, "GPM / DCGM"),
        _f("fp16_active", "Share of cycles the FP16 pipe was active", "1", 4, "GPM / DCGM"),
        _f("integer_active", "Share of cycles the integer pipe was active", "1", 4, "GPM"),
        _f("tensor_fp64_active", "Share of cycles the tensor pipe worked on FP64 (DFMA)", "1", 4, "GPM"),
        _f("tensor_float_active", "Share of cycles it worked on TF32, FP16, BF16 or FP8 (HMMA)", "1", 4, "GPM"),
        _f("tensor_integer_active", "Share of cycles it worked on integers (IMMA)", "1", 4, "GPM"),
        _f("dram_active", "Share of cycles device memory was moving data", "1", 4, "GPM / DCGM"),
        _f("mem_util", "Share of time device memory was read or written (NVML)", "1", 4, "NVML"),
        _f("power_w", "Board power", "W", 3, "nvmlDeviceGetPowerUsage"),
        _f("power_limit_w", "Enforced power limit", "W", 3, "NVML"),
        _i("energy_mj", "Energy since the driver was loaded", "mJ", "NVML"),
        _i("temp_core_c", "Core temperature", "C", "NVML"),
        _i("temp_memory_c", "Memory temperature", "C", "NVML"),
        _i("sm_clock_mhz", "SM clock", "MHz", "NVML"),
        _i("sm_clock_max_mhz", "Highest SM clock", "MHz", "NVML"),
        _i("mem_clock_mhz", "Memory clock", "MHz", "NVML"),
        _i("pstate", "Performance state", source="NVML"),
        _i("throttle_reasons", "Bit mask of clock event reasons", source="nvmlDeviceGetCurrentClocksEventReasons"),
        *_ECC,
        _i("remap_correctable", "Rows remapped for correctable errors", source="NVML"),
        _i("remap_uncorrectable", "Rows remapped for uncorrectable errors", source="NVML"),
        _b("remap_pending", "A row remap waits for a reset", "NVML"),
        _b("remap_failure", "A row remap has failed", "NVML"),
        _i("retired_pages", "Retired pages (before Ampere)", source="NVML"),
        _i("pcie_gen", "PCIe generation in use", source="NVML"),
        _i("pcie_width", "PCIe lanes in use", source="NVML"),
        _i("pcie_gen_max", "Highest PCIe generation of GPU and slot", source="NVML"),
        _i("pcie_width_max", "Most PCIe lanes of GPU and slot", source="NVML"),
        _i("pcie_replays", "PCIe replays since reset", source="NVML"),
        _i("pcie_rx_bytes_s", "PCIe receive rate", "bytes/s", "NVML"),
        _i("pcie_tx_bytes_s", "PCIe transmit rate", "bytes/s", "NVML"),
        _f("fan_percent", "Fan speed", "%", 1, "NVML"),
        _b("retired_pending", "A page retirement waits for a reboot (before Ampere)", "NVML"),
        _i("held_power_ns", "Time clocks were held back for power since driver load", "ns", "NVML perf policy"),
        _i("held_thermal_ns", "Time clocks were held back for heat since driver load", "ns", "NVML perf policy"),
        _i("held_hw_thermal_ns", "Time the hardware itself held clocks back for heat since driver load", "ns", "NVML"),
        _i("held_brake_ns", "Time the power brake held clocks back since driver load", "ns", "NVML"),
        _i("pcie_recoveries", "Times the PCIe link was retrained since reset", source="NVML"),
        _i("pcie_correctable_errors", "Correctable PCIe errors since reset", source="NVML"),
        _i("pcie_nonfatal_errors", "Uncorrectable PCIe errors that were not fatal, since reset", source="NVML"),
        _i("pcie_fatal_errors", "Fatal PCIe errors since reset", source="NVML"),
        _i("nvlink_rx_bytes_s", "NVLink receive rate, all links of the GPU", "bytes/s", "DCGM"),
        _i("nvlink_tx_bytes_s", "NVLink transmit rate, all links of the GPU", "bytes/s", "DCGM"),
        _i("nvlink_bytes_s", "NVLink rate both ways, all links of the GPU", "bytes/s", "DCGM"),
        _d(
            "recovery_action",
            "What the driver asks for: none | gpu_reset | node_reboot | drain_p2p | drain_and_reset | "
            "recover_imex_domain | bus_reset | system_reboot",
            "NVML",
        ),
        _d(
            "fabric",
            "Whether it has joined the NVSwitch fabric: not supported | not started | in progress | completed, and "
            "what is wrong with it",
            "NVML",
        ),
        scope="large",
    ),
    _table(
        "gpu_events",
        "XID and other device events",
        _GPU,
        _GPU_INDEX,
        _d("event", "xid | ecc_single | ecc_double | pstate | clock | lost | health"),
        _i("xid", "XID number", source="NVML event set / kernel log"),
        _s("detail", "What was missing or went wrong, in one sentence"),
        _MIG_UUID,
    ),
    _table(
        "gpu_ecc",
        "ECC errors of a GPU by where they happened: at the start, when a counter moved, and at the end",
        _GPU,
        _GPU_INDEX,
        _d(
            "location",
            "sram | dram | l1 | l2 | register_file | texture | texture_shared | cbu; of uncorrected SRAM errors by "
            "unit: sram_l2 | sram_sm | sram_microcontroller | sram_pcie | sram_other; parity and double-bit errors: "
            "sram_parity | sram_secded",
        ),
        *_ECC,
        _b("over_threshold", "Errors of this location are beyond what NVIDIA tolerates", "NVML"),
    ),
    _table(
        "gpu_processes",
        "Which process held which GPU, on change",
        _GPU,
        _GPU_INDEX,
        _PID,
        _RANK,
        _i("fb_used_bytes", "Framebuffer in use", "bytes", "nvmlDeviceGetMemoryInfo"),
        _d("event", "attached | detached | changed"),
        _MIG_UUID,
        _d("command", "comm of the process", "/proc/PID/comm"),
    ),
    _table(
        "nvlink_samples",
        "One row a GPU, link and tick",
        _GPU,
        _GPU_INDEX,
        _i("link", "Link number"),
        _b("active", "Link is up", "NVML"),
        _i("tx_bytes", "Bytes sent since boot or reset", "bytes"),
        _i("rx_bytes", "Bytes received since boot or reset", "bytes"),
        _i("replay_errors", "Replay errors"),
        _i("recovery_errors", "Recovery errors"),
        _i("crc_errors", "CRC errors"),
        _SPEED,
        _i("ecc_errors", "ECC errors of the link's data"),
        _i("rx_errors", "Receive errors since boot"),
        *_LINK_ERRORS,
        _i("tx_raw_bytes", "Bytes sent with what the protocol adds, since the driver was loaded", "bytes"),
        _i("rx_raw_bytes", "Bytes received with what the protocol adds, since the driver was loaded", "bytes"),
        _i("tx_packets", "Packets sent since boot"),
        _i("rx_packets", "Packets received since boot"),
        _i("tx_drops", "Packets to send dropped since boot"),
        _REMOTE_ERRORS,
        _i("malformed_packets", "Malformed packets received since reset"),
        _i("buffer_overruns", "Times a receive buffer was overrun since reset"),
        _i("effective_errors", "Errors that forward error correction did not mend, since reset"),
        _i("recoveries_failed", "Times retraining the link failed since reset"),
        _i("recoveries_done", "Times retraining the link worked since reset"),
        *(
            _i(f"fec_bin_{mended}", f"Blocks in which forward error correction mended {mended} symbols, since reset")
            for mended in range(16)
        ),
        scope="large",
    ),
    _table(
        "devices",
        "GPUs, their MIG instances and network adapters, and where they sit: at the start and when that changed",
        _d("device_id", "UUID of a GPU or MIG instance, name of an adapter and port (mlx5_0/1)"),
        _d("kind", "What sort of thing it is"),
        _NAME,
        _GPU,
        _GPU_INDEX,
        _BUS_ID,
        _NUMA_NODE,
        _CPU_LIST,
        _i("memory_total_bytes", "Physical memory", "bytes", "/proc/meminfo"),
        _s("serial", "Serial number of the board"),
        _s("firmware", "Version of its firmware or VBIOS"),
        _SPEED,
        _STATE,
        _s("interfaces", "Network interfaces of an adapter, comma-separated"),
        _i("gpu_instance", "Number of the MIG GPU instance"),
        _i("compute_instance", "Number of the MIG compute instance"),
        _s(
            "settings",
            "What an administrator may set: compute mode, ECC, persistence, MIG; name=value, comma-separated",
        ),
    ),
    _table(
        "device_links",
        "How near GPUs and network adapters are to each other: one row a pair",
        _d("device_id", "UUID of a GPU or MIG instance, name of an adapter and port (mlx5_0/1)"),
        _d("peer_device_id", "The other end, named likewise"),
        _d(
            "nearness",
            "Farthest thing on the way: same | pix (one PCIe switch) | pxb (several) | phb (a host bridge) | node (one "
            "NUMA node) | sys (between NUMA nodes)",
        ),
        _i("nvlinks", "NVLinks between the two that are up, switches counted as a way", source="NVML"),
        _d("p2p_read", "Reading each other's memory: ok, or what stands against it", "NVML"),
        _d("p2p_write", "Writing each other's memory: ok, or what stands against it", "NVML"),
    ),
    _table(
        "placements",
        "Where each process of the job runs: container, pod, job, step, rank, CPUs and GPU; one row when it changes",
        _PID,
        _TASK,
        _RANK,
        _i("local_rank", "LOCAL_RANK", source="environment"),
        _CGROUP,
        _d("container_runtime", "docker | containerd | cri-o | podman | lxc | enroot | singularity", "cgroup, mounts"),
        _s("container_id", "Id of the container, as its runtime words it", "/proc/PID/cgroup"),
        _s("pod_uid", "UID of the Kubernetes pod", "/proc/PID/cgroup"),
        _JOB,
        _d("step_id", "Scheduler's step id", "Slurm"),
        _i("procid", "SLURM_PROCID", source="environment"),
        _CPU_LIST,
        _NUMA_NODE,
        _s("visible_gpus", "UUIDs of the GPUs or MIG instances CUDA shows it, comma-separated in CUDA's order"),
        _s("attached_gpus", "UUIDs of those it holds memory on, comma-separated", "NVML"),
    ),
    _table(
        "cuda_calls",
        "Calls of one CUDA API by one process in one interval, aggregated in the kernel (no count: not counted then)",
        _PID,
        _RANK,
        _d("api", "API name"),
        _DURATION,
        _COUNT,
        _TOTAL_NS,
        _MAX_NS,
        _s("histogram", "Counts by power of two of nanoseconds, comma-separated from 2^0"),
        _BYTES,
        _i("failures", "Calls that returned an error"),
        _d("direction", "h2d | d2h | d2d | h2h for copies"),
        _RETURN_CODE,
        scope="large",
    ),
    _table(
        "nccl_comms",
        "Communicators seen",
        _PID,
        _RANK,
        _COMM,
        _COMM_RANK,
        _COMM_SIZE,
        _d("event", "init_begin | init_done | abort | destroy | status (what a dump or the library says of it)"),
        _RANK_BY,
        _COMM_DESC,
        _MEMBERS,
        _PG_ID,
        _BACKEND,
        _STATE,
        _s("comm_ptr", "Address of the communicator in its process"),
        _s("parent_comm_ptr", "Address of the communicator it was split from"),
        _i("cuda_device", "Index of the GPU as the process sees it"),
        _BUS_ID,
        _HOST,
        _s("library_version", "Version of the communication library"),
        _i("last_enqueued_seq", "Last collective enqueued; -1: none"),
        _i("last_started_seq", "Last collective seen to start; null: none, or starts were not tracked"),
        _i("last_completed_seq", "Last collective completed; -1: none. Source ebpf: at least, more may have"),
        _SOURCE,
    ),
    _table(
        "nccl_collectives",
        "Collective calls",
        _PID,
        _RANK,
        _COMM,
        _OP,
        _COLL_SEQ,
        _BYTES,
        _i("enqueue_mono_ns", "When it was enqueued, monotonic; null where ts_mono_ns says it (source ebpf)", "ns"),
        _i("complete_mono_ns", "When it completed, monotonic; null when not known (enqueue is not completion)", "ns"),
        _COMM_RANK,
        _COMM_SIZE,
        _MEMBERS,
        _i("elements", "Number of elements, as the source counts them"),
        _d("dtype", "Type of the elements, as the source words it"),
        _i("root", "Rank within the communicator that sends, receives or is the peer; null where there is none"),
        _TID,
        _DURATION,
        _SOURCE,
        _RETURN_CODE,
        scope="large",
    ),
    _table(
        "inflight_calls",
        "Calls seen open: for a second and longer while the job ran, and at the end of the process or the recording",
        _PID,
        _RANK,
        _d("api", "API name"),
        _COMM,
        _COLL_SEQ,
        _i("since_mono_ns", "When the call was entered, monotonic", "ns"),
        _TID,
        _d("seen_at", "tick (it may have returned later) | process_end | recording_end; null: at the end"),
    ),
    _table(
        "log_lines",
        "One row a line of output: a stretch ended by LF or CR (a progress bar's states are lines of their own)",
        _d("stream", "stdout | stderr | pty | file"),
        _SOURCE,
        _TASK,
        _RANK,
        _RANK_BY,
        _PID,
        _OFFSET,
        _TEXT,
        _d("eol", "How the line ended: lf | cr | none (cut off by the end, or still open)"),
        _i("line_bytes", "Length of the line before it was capped", "bytes"),
        _b("truncated", "True when text holds less than the line (cap 64 KiB: head and tail kept)"),
        _d(
            "template",
            "Kind of the line: text with # for each number, 120 characters at most; told by merge, null where fewer "
            "than 16 lines of a row group are of that kind",
        ),
        scope="large",
    ),
    _table(
        "log_gaps",
        "What was printed and not recorded",
        _d("stream", "stdout | stderr | pty | file"),
        _SOURCE,
        _TASK,
        _OFFSET,
        _BYTES,
        _REASON,
    ),
    _table(
        "processes",
        "Life of the job's processes: started, seen changed, signalled, ended",
        _d("event", "start | seen | signal | oom_kill | exit | gone"),
        _d("role", "task (the wrapped command) | launcher | rank | worker | other | outside (none of the job)"),
        _TASK,
        _PID,
        _i("ppid", "Parent process id"),
        _i("start_mono_ns", "When the process started, monotonic", "ns", "/proc/PID/stat"),
        _d("command", "comm of the process", "/proc/PID/comm"),
        _s("argv", "Command line, masked, NUL replaced by blank", "/proc/PID/cmdline"),
        _s("exe", "Executable", "/proc/PID/exe"),
        _s("cwd", "Working directory", "/proc/PID/cwd"),
        _RANK,
        _i("local_rank", "LOCAL_RANK", source="environment"),
        _i("world_size", "WORLD_SIZE", source="environment"),
        _i("local_world_size", "LOCAL_WORLD_SIZE", source="environment"),
        _s("master_addr", "MASTER_ADDR", "environment"),
        _i("master_port", "MASTER_PORT", source="environment"),
        _JOB,
        _d("step_id", "Scheduler's step id", "Slurm"),
        _i("procid", "SLURM_PROCID", source="environment"),
        _s("env", "Allow-listed environment as JSON object, sorted keys, masked", "/proc/PID/environ"),
        _EXIT_CODE,
        _TERM_SIGNAL,
        _b("core_dumped", "A core file was written", "wait status"),
        _SIGNAL,
        _i("sender_pid", "Process that sent the signal; 0 is the kernel", source="siginfo"),
        _d("sender_command", "comm of the sender", "/proc/PID/comm"),
        _i("sender_uid", "User id of the sender", source="siginfo"),
        _b("sender_in_job", "The sender is a process of the job itself", "eBPF"),
        _i(
            "signal_code",
            "si_code: 0, -1, -6 by a process; 128 by the kernel; other above 0: a fault",
            source="siginfo",
        ),
        _f("cpu_user_s", "User CPU time so far", "s", 3, "/proc/PID/stat"),
        _f("cpu_system_s", "System CPU time so far", "s", 3, "/proc/PID/stat"),
        _i("rss_bytes", "Resident memory", "bytes", "/proc/PID/stat"),
        _i("rss_peak_bytes", "Highest resident memory", "bytes", "/proc/PID/status"),
        _STATE,
        _i("threads", "Threads", source="/proc/PID/stat"),
        _i("minor_faults", "Page faults so far that needed no disk", source="/proc/PID/stat"),
        _i("major_faults", "Page faults so far that had to be read from a disk", source="/proc/PID/stat"),
        _i("voluntary_switches", "Times it gave the CPU away to wait", source="/proc/PID/status"),
        _i("involuntary_switches", "Times the CPU was taken from it", source="/proc/PID/status"),
        _i("swap_used_bytes", "Its memory that is swapped out", "bytes", "/proc/PID/status"),
        _i("read_bytes", "Bytes it had read from storage so far", "bytes", "/proc/PID/io"),
        _i("written_bytes", "Bytes it had written to storage so far", "bytes", "/proc/PID/io"),
        _i("read_calls", "Read system calls so far", source="/proc/PID/io"),
        _i("written_calls", "Write system calls so far", source="/proc/PID/io"),
        _d("wchan", "Kernel function it sleeps in", "/proc/PID/wchan"),
        _d("oom_scope", "Of an oom_kill: whose memory ran out, memcg (a cgroup's limit) | host", "kernel stack"),
        _i("vm_bytes", "Of an oom_kill: address space of the victim", "bytes", "oom:mark_victim"),
        _i("anon_rss_bytes", "Of an oom_kill: anonymous memory of the victim", "bytes", "oom:mark_victim"),
        _i("file_rss_bytes", "Of an oom_kill: resident pages of files", "bytes", "oom:mark_victim"),
        _i("shmem_rss_bytes", "Of an oom_kill: resident shared memory", "bytes", "oom:mark_victim"),
        _i("page_table_bytes", "Of an oom_kill: its page tables", "bytes", "oom:mark_victim"),
        _i(
            "oom_score_adj",
            "Of an oom_kill: how much it was offered as a victim, -1000 to 1000",
            source="oom:mark_victim",
        ),
    ),
    _table(
        "host_samples",
        "One row a tick: the whole node",
        *_CPU_SHARES,
        _f("cpu_busy_share", "Share of CPU time not idle, where only that is told", "1", 4, "/proc/stat"),
        _f("load_1m", "Load average, one minute", "1", 2, "/proc/loadavg"),
        _i("procs_running", "Runnable tasks", source="/proc/stat"),
        _i("procs_blocked", "Tasks blocked on I/O", source="/proc/stat"),
        _i("memory_total_bytes", "Physical memory", "bytes", "/proc/meminfo"),
        _i("memory_available_bytes", "MemAvailable", "bytes", "/proc/meminfo"),
        _i("shmem_bytes", "Shmem", "bytes", "/proc/meminfo"),
        _i("dirty_bytes", "Dirty and writeback pages", "bytes", "/proc/meminfo"),
        _i("swap_total_bytes", "SwapTotal", "bytes", "/proc/meminfo"),
        _i("swap_used_bytes", "Swap in use", "bytes", "/proc/meminfo"),
        _i("oom_kills", "Tasks killed for memory since boot", source="/proc/vmstat oom_kill"),
        _i("memory_free_bytes", "Memory nobody uses", "bytes", "/proc/meminfo"),
        _i("memory_cached_bytes", "Pages of files and their buffers", "bytes", "/proc/meminfo"),
        _i("memory_anon_bytes", "Anonymous memory in use", "bytes", "/proc/meminfo"),
        _i("memory_mapped_bytes", "Pages of files that are mapped", "bytes", "/proc/meminfo"),
        _i("memory_locked_bytes", "Memory that cannot be swapped out, pinned by mlock", "bytes", "/proc/meminfo"),
        _i("slab_bytes", "Memory of the kernel's own objects that it cannot give back", "bytes", "/proc/meminfo"),
        _i("page_table_bytes", "Page tables of all processes", "bytes", "/proc/meminfo"),
        _i("committed_bytes", "Memory promised to all processes", "bytes", "/proc/meminfo"),
        _i("interrupts", "Interrupts since boot", source="/proc/stat"),
        _i("task_switches", "Context switches since boot", source="/proc/stat"),
        _i("forks", "Processes and threads begun since boot", source="/proc/stat"),
        _f("psi_cpu_some_avg10", "PSI: share of 10 s in which some task waited for CPU", "%", 2, "/proc/pressure/cpu"),
        _f("psi_memory_some_avg10", "PSI: some task waited for memory", "%", 2, "/proc/pressure/memory"),
        _f("psi_memory_full_avg10", "PSI: all tasks waited for memory", "%", 2, "/proc/pressure/memory"),
        _f("psi_io_some_avg10", "PSI: some task waited for I/O", "%", 2, "/proc/pressure/io"),
        _f("psi_io_full_avg10", "PSI: all tasks waited for I/O", "%", 2, "/proc/pressure/io"),
        scope="large",
    ),
    _table(
        "kernel_counters",
        "What the kernel counts of memory, network and interrupts: at the start, when it has moved, and at the end",
        _d("area", "memory (/proc/vmstat), softirq, or a protocol: Tcp | TcpExt | Udp | Ip | Icmp", "/proc/net"),
        _NAME,
        _i("events", "Events since boot, as the kernel counts them: pages, segments, connections", source="/proc"),
        scope="large",
    ),
    _table(
        "cpu_samples",
        "One row a CPU every ten seconds",
        _i("cpu", "Number of the CPU", source="/proc/stat"),
        *_CPU_SHARES,
        _f("cpu_irq_share", "Share of CPU time in interrupts, hard and soft", "1", 4, "/proc/stat"),
        _i("run_delay_ns", "Time tasks could have run and waited for a CPU, since boot", "ns", "/proc/schedstat"),
        _i("task_switches", "Tasks that were given the CPU since boot", source="/proc/schedstat"),
        scope="large",
    ),
    _table(
        "cgroup_samples",
        "One row a cgroup of the job and tick",
        _CGROUP,
        _TASK,
        _i("version", "cgroup version, 1 or 2"),
        _i("memory_used_bytes", "Memory charged", "bytes", "memory.current / memory.usage_in_bytes"),
        _i("memory_limit_bytes", "Lowest limit of the cgroup and its parents; null: unlimited", "bytes", "memory.max"),
        _i("memory_peak_bytes", "Highest memory charged", "bytes", "memory.peak / memory.max_usage_in_bytes"),
        _i("memory_anon_bytes", "Anonymous memory charged", "bytes", "memory.stat"),
        _i("oom_events", "Times the limit could not be met", source="memory.events oom / memory.failcnt"),
        _i("oom_kills", "Tasks killed for memory since boot", source="/proc/vmstat oom_kill"),
        _i("cpu_throttled_ns", "Time throttled by the CPU quota", "ns", "cpu.stat"),
        _i("pids", "Tasks in the cgroup", source="pids.current"),
        _f("psi_memory_full_avg10", "PSI: all tasks waited for memory", "%", 2, "/proc/pressure/memory"),
        scope="large",
    ),
    _table(
        "net_samples",
        "One row an interface and tick; counters since boot",
        _d("interface", "Network interface"),
        _i("rx_bytes", "Bytes received since boot or reset", "bytes"),
        _i("tx_bytes", "Bytes sent since boot or reset", "bytes"),
        _i("rx_packets", "Packets received since boot"),
        _i("tx_packets", "Packets sent since boot"),
        _i("rx_errors", "Receive errors since boot"),
        _i("tx_errors", "Transmit errors since boot"),
        _i("rx_drops", "Received packets dropped since boot"),
        _i("tx_drops", "Packets to send dropped since boot"),
        _b("carrier", "Link is up", "/sys/class/net"),
        _i("tcp_retransmits", "TCP segments retransmitted since boot (on the row of lo only)", source="/proc/net/snmp"),
        _STATE,
        _SPEED,
        *_LINK_ERRORS,
        _REMOTE_ERRORS,
        _i("tx_waits", "Ticks of the adapter with data to send and no credit to send it, since reset"),
        _i("out_of_sequence", "Packets that arrived out of order, since reset", source="hw_counters"),
        _i("nak_sequence_errors", "Packets the other side found missing, since reset", source="hw_counters"),
        _i("ack_timeouts", "Sends that were not acknowledged in time, since reset", source="hw_counters"),
        _i("rnr_naks", "Sends the other side was not ready for, since reset", source="hw_counters"),
        _i("out_of_buffer", "Packets dropped for want of a receive buffer, since reset", source="hw_counters"),
        _i("ecn_marked", "Packets received that told of congestion, since reset", source="hw_counters"),
        _i("cnp_sent", "Congestion notices sent, since reset", source="hw_counters"),
        _i("cnp_handled", "Congestion notices obeyed, since reset", source="hw_counters"),
        scope="large",
    ),
    _table(
        "disk_samples",
        "One row a block device and tick, and one a file system when its room has changed",
        _d("device", "Block device or mount point"),
        _i("read_bytes", "Bytes read since boot", "bytes", "/proc/diskstats"),
        _i("written_bytes", "Bytes written since boot", "bytes", "/proc/diskstats"),
        _i("io_ms", "Time with I/O in flight since boot", "ms", "/proc/diskstats"),
        _i("reads", "Reads completed since boot", source="/proc/diskstats"),
        _i("writes", "Writes completed since boot", source="/proc/diskstats"),
        _i("read_ms", "Sum of the time reads took, queue included, since boot", "ms", "/proc/diskstats"),
        _i("write_ms", "Sum of the time writes took, queue included, since boot", "ms", "/proc/diskstats"),
        _i("inflight", "I/Os in flight", source="/proc/diskstats"),
        _i("fs_free_bytes", "Free bytes of the file system", "bytes", "statvfs"),
        _i("fs_total_bytes", "Size of the file system", "bytes", "statvfs"),
        _i("fs_free_inodes", "Free inodes of the file system", source="statvfs"),
        _d("fs_type", "Type of the file system", "/proc/self/mountinfo"),
        _i("operations", "Operations since mount", source="mountstats / Lustre stats"),
        _i("retransmits", "Requests sent again since mount", source="/proc/self/mountstats"),
        _i("timeouts", "Requests that ran into a major time-out since mount", source="/proc/self/mountstats"),
        _i("wait_ms", "Sum of the time requests took, queue included, since mount", "ms", "/proc/self/mountstats"),
        _i("targets", "Servers or storage targets the mount talks to", source="Lustre import state"),
        _i("targets_down", "Those whose connection is not up", source="Lustre import state"),
        _i("io_errors", "Requests that ended in an error since mount", source="/proc/self/mountstats"),
        scope="large",
    ),
    _table(
        "kernel_log",
        "Messages of the kernel",
        _i("level", "syslog level 0-7", source="/dev/kmsg"),
        _i("kernel_seq", "Sequence number of the kernel's ring", source="/dev/kmsg"),
        _TEXT,
        _SOURCE,
        scope="large",
    ),
    _table(
        "stacks",
        "Stacks, interned: one row a distinct stack",
        _STACK_ID,
        _d("kind", "What sort of thing it is"),
        _TEXT,
    ),
    _table(
        "stack_samples",
        "Which thread was in which stack",
        _PID,
        _RANK,
        _TID,
        _STACK_ID,
        _STATE,
        _THREAD_NAME,
        _REASON,
    ),
    _table(
        "sched_samples",
        "Scheduler delay of the job's threads by interval: time they could have run and waited for a CPU",
        _PID,
        _RANK,
        _COUNT,
        _TOTAL_NS,
        _MAX_NS,
        _i("preemptor_pid", "Process that ran instead: of all, the one with the most of total_ns behind it"),
        _d("preemptor", "Its comm"),
        _d("prev_state", "What the thread did before: runnable (it ran, and was preempted) | sleeping (it was woken)"),
        _i("preemptor_ns", "Part of total_ns that passed behind it", "ns"),
        _DURATION,
        scope="large",
    ),
    _table(
        "slurm_jobs",
        "Runs of the job (a requeue makes another): stored as each witness told of them, read as one row a run",
        _JOB,
        _i("restarts", "How often the job was restarted before this run"),
        _s("job_name", "Job name"),
        _d("user", "User name"),
        _d("partition", "Partition"),
        _d("qos", "Quality of service"),
        _STATE,
        _REASON,
        _EXIT_CODE,
        _TERM_SIGNAL,
        _i("derived_exit_code", "Worst exit code of the steps"),
        _i("derived_signal", "Signal beside the worst exit code of the steps; keeps that of earlier runs"),
        _i("submit_ns", "When it was submitted, UTC", "ns"),
        _i("start_ns", "When it began, UTC", "ns"),
        _i("end_ns", "When it ended, UTC", "ns"),
        _i("elapsed_s", "Elapsed time", "s"),
        _i("time_limit_s", "Time limit", "s"),
        _s("node_list", "Nodes, as a host list"),
        _i("nodes", "Number of nodes"),
        _s("dependency", "Dependency"),
        _SUBMIT_LINE,
        _s("stdout_path", "Standard output file"),
        _s("stderr_path", "Standard error file"),
        _i("priority", "Priority"),
        _s("comment", "Comments of user, administrator and system"),
        _JOB_RAW,
        _d("account", "Account that is charged"),
        _d("cluster", "Cluster"),
        _CANCELLED_BY,
        _i("eligible_ns", "When it could have begun as far as its own conditions go, UTC", "ns"),
        _SUSPENDED,
        _i("planned_s", "Time it was eligible and waited for resources", "s"),
        _CPU_USED,
        _CPUS_ALLOCATED,
        _i("gpus_requested", "GPUs asked for"),
        _GPUS_ALLOCATED,
        _i("memory_allocated_bytes", "Memory allocated on all nodes together", "bytes"),
        _s("tres_requested", "Trackable resources asked for, as Slurm prints them"),
        _TRES_ALLOCATED,
        _s("gres_detail", "Generic resources by node, with their indices"),
        _s("flags", "Flags of the scheduler, comma-separated"),
        _b("may_requeue", "Slurm may run it again after a failure or preemption"),
        _s("failed_node", "Node that failed under it"),
        _s("batch_host", "Node its batch script ran on"),
        _s("reservation", "Reservation it ran in"),
        _s("work_dir", "Working directory"),
        _s("batch_command", "Batch script or executable, with its arguments"),
    ),
    _table(
        "slurm_steps",
        "Runs of the steps: stored as each witness told of them, read as one row a run",
        _JOB,
        _d("step_id", "Scheduler's step id", "Slurm"),
        _s("step_name", "Name of the step"),
        _STATE,
        _EXIT_CODE,
        _TERM_SIGNAL,
        _i("start_ns", "When it began, UTC", "ns"),
        _i("end_ns", "When it ended, UTC", "ns"),
        _i("elapsed_s", "Elapsed time", "s"),
        _s("node_list", "Nodes, as a host list"),
        _i("tasks", "Number of tasks"),
        _i("rss_peak_bytes", "Highest resident memory", "bytes", "/proc/PID/status"),
        _d("rss_peak_node", "Node of the task with the highest resident memory"),
        _i("rss_peak_task", "Number of the task with the highest resident memory"),
        _JOB_RAW,
        _CANCELLED_BY,
        _SUSPENDED,
        _CPU_USED,
        _CPUS_ALLOCATED,
        _GPUS_ALLOCATED,
        _TRES_ALLOCATED,
        _f("gpu_util_mean", "Mean GPU utilisation of its tasks, where Slurm gathers it (gres/gpuutil)", "%", 2),
        _i("gpu_memory_peak_bytes", "Highest GPU memory of a task, where Slurm gathers it (gres/gpumem)", "bytes"),
        _SUBMIT_LINE,
    ),
    _table(
        "job_scripts",
        "Batch scripts, and scripts that hand jobs in: what was asked of the scheduler, a row for each job",
        _SOURCE,
        _d("scheduler", "slurm | pbs | sge | lsf"),
        _s("job_name", "Job name"),
        _s("stdout_path", "Standard output file"),
        _i("time_limit_s", "Time limit", "s"),
        _s("dependency", "Dependency"),
        _b("may_requeue", "Slurm may run it again after a failure or preemption"),
        _s("commands", "The commands of the script, a line each; of a job that it hands in, the command that does"),
    ),
    _table(
        "slurm_events",
        "What happened to the job, in order",
        _JOB,
        _d(
            "event",
            "submitted | pending | started | suspended | resumed | requeued | preempted | updated | terminal, of the "
            "daemons' logs also cancel_asked | signalled | task_ended | error",
        ),
        _STATE,
        _REASON,
        _s("detail", "What was missing or went wrong, in one sentence"),
    ),
    _table(
        "slurm_nodes",
        "State of nodes over time",
        _d("slurm_node_name", "Node the scheduler speaks of"),
        _STATE,
        _REASON,
        _i("boot_ns", "Boot time, UTC", "ns"),
        _i("slurmd_start_ns", "When slurmd started, UTC", "ns"),
        _f("cpu_load", "CPU load", "1", 2),
        _i("memory_free_bytes", "Free memory as the scheduler sees it", "bytes"),
        _s("gres_used", "Generic resources in use"),
        _s("gres", "Generic resources configured"),
        _d("reason_by", "Who set the reason"),
        _i("reason_ns", "When the reason was set, UTC", "ns"),
        _i("end_ns", "When it ended, UTC", "ns"),
        _i("seen_ns", "When the state was looked up, UTC; null when the record does not say", "ns"),
    ),
    _table(
        "slurm_controller",
        "Controller statistics, and settings of it that decide how jobs end (names begin with config.)",
        _NAME,
        _f("value", "Reading, in the unit named beside it", "see unit"),
        _d("unit", "Unit of the value beside it"),
        _s("setting", "Setting as Slurm prints it; value and unit beside it where it is a number"),
    ),
    _table(
        "clock_samples",
        "Readings of clocks: triples (one monotonic instant on every clock of the node), and probes of peers' clocks",
        _i("wall_ns", "CLOCK_REALTIME at that instant", "ns", "clock_gettime"),
        _i("boottime_ns", "CLOCK_BOOTTIME at that instant", "ns", "clock_gettime"),
        _i("read_bound_ns", "Half the time the triple took to read", "ns"),
        _f("kernel_error_us", "Kernel's estimate of the clock error", "us", 3, "adjtimex"),
        _f("chrony_error_us", "Greatest error of the wall clock by chrony's word; once a minute", "us", 3, "chronyc"),
        _d("kind", "What sort of thing it is"),
        _d("peer", "Node that answered a probe (kind probe: over the network; handshake: over shared files)"),
        _d("peer_boot_id", "Boot id of the peer"),
        _i("peer_receive_mono_ns", "When the peer received the probe, on its monotonic clock", "ns"),
        _i("peer_send_mono_ns", "When the peer answered, on its monotonic clock", "ns"),
        _i("return_mono_ns", "When the answer was here again, monotonic; ts_mono_ns is when the probe left", "ns"),
    ),
    _table(
        "clock_alignment",
        "Offset of each node's monotonic clock to UTC, piecewise linear",
        _i("from_mono_ns", "Begin of what the row covers, monotonic", "ns"),
        _i("to_mono_ns", "End of what the row covers, monotonic", "ns"),
        _i("offset_ns", "UTC minus monotonic at from_mono_ns", "ns"),
        _f("drift_ppm", "Drift of the offset", "ppm", 6),
        _i("bound_ns", "Half width of what the truth may differ by, against the reference; null: not bounded", "ns"),
        _d(
            "method",
            "How: wall | probe | collective | handshake | slurm | rendezvous | mixed | import; of a row without "
            "offset_ns: the source whose residuals it states",
        ),
        _COUNT,
        _i("residual_p50_ns", "Median distance of the readings from the estimate", "ns"),
        _i("residual_p99_ns", "99th percentile of that distance", "ns"),
        _s("detail", "What was missing or went wrong, in one sentence"),
        _d("reference", "What bound_ns is relative to: utc, or the common clock of nodes, by a name that they share"),
        _i("utc_bound_ns", "Half width of what the truth may differ by, against UTC; null: not bounded", "ns"),
    ),
    _table(
        "flight_recorder",
        "Entries of PyTorch flight-recorder dumps",
        _RANK,
        _COMM,
        _OP,
        _COLL_SEQ,
        _STATE,
        _i("enqueue_ns", "When it was enqueued, UTC", "ns"),
        _i("complete_ns", "When it was seen to have completed, UTC; never before it did", "ns"),
        _s("sizes", "Sizes of the input tensors, as the dump words them"),
        _SOURCE,
        _RANK_BY,
        _COMM_DESC,
        _COMM_SIZE,
        _PG_ID,
        _BACKEND,
        _i("record_id", "Number of the entry in its process; the ring holds the latest, so a first above 0 means loss"),
        _i("p2p_seq", "Sequence number of the send or receive within its communicator"),
        _i("op_id", "Number of the operation within its communicator; operations of one coalesced group differ"),
        _b("is_p2p", "A send or receive"),
        _i("peer_rank", "Global rank at the other end of a send or receive; null when the members are not known"),
        _STARTED_NS,
        _DURATION,
        _i("timeout_ns", "Time after which the watchdog ends the job", "ns"),
        _s("dtypes", "Types of the input tensors, comma-separated"),
        _s("output_sizes", "Sizes of the output tensors, as the dump words them"),
        _s("output_dtypes", "Types of the output tensors, comma-separated"),
        _b(
            "retired",
            "No longer watched: done (of gloo the only sign), or given up while not completed",
        ),
        _STACK_ID,
        _THREAD_NAME,
        scope="large",
    ),
    _table(
        "trace_spans",
        "Spans of profilers and tracers, each with its begin; those still open at the end have no duration",
        _RANK,
        _PID,
        _NAME,
        _d("category", "Category of the span"),
        _DURATION,
        _SOURCE,
        _RANK_BY,
        _TID,
        _i("cuda_device", "Index of the GPU as the process sees it"),
        _i("cuda_stream", "CUDA stream"),
        _i("correlation", "Number that a launch on the host and its work on the GPU share"),
        _BYTES,
        _RETURN_CODE,
        _STACK_ID,
        scope="large",
    ),
    _table(
        "metrics",
        "What trackers noted of the training, one row a value (TensorBoard, W&B, MLflow, Lightning, HF)",
        _RANK,
        _RANK_BY,
        _d("framework", "Who printed it"),
        _s("run", "Run of the tracker the value belongs to"),
        _i("step", "Optimizer step or iteration"),
        _f("epoch", "Epoch", "1", 4),
        _NAME,
        _f("value", "Reading, in the unit named beside it", "see unit"),
        _SOURCE,
        scope="large",
    ),
    _table(
        "artifacts",
        "Files taken along, files that did not fit, and files that rows were imported from",
        _s("path", "Path on the node"),
        _s("member", "Name inside the bundle; null when it was not taken"),
        _BYTES,
        _s("sha256", "Digest of the content"),
        _REASON,
        _d("kind", "What sort of thing it is"),
        _i("rows", "Rows written"),
        _s("detail", "What was missing or went wrong, in one sentence"),
    ),
    _table(
        "artifact_parts",
        "Content of the files taken along, in parts: join them by offset and decode each",
        _s("member", "Name inside the bundle; null when it was not taken"),
        _OFFSET,
        _BYTES,
        _s("content", "The bytes of this part as base64; text was masked before"),
        scope="large",
    ),
    _table(
        "redactions",
        "What was masked before it left the node: counts, never the secret",
        _d("rule", "Rule that matched"),
        _d("in_table", "Table it was found in"),
        _d("in_column", "Column it was found in"),
        _COUNT,
    ),
    # --- facts: computed from the tables above, deterministically, never stored ---------------------------------
    _table(
        "fact_events",
        "What a line of a log, the kernel or the scheduler says happened",
        _RANK,
        _RANK_BY,
        _ATTEMPT,
        _d("pattern", "Id in the registry of facts (analyze/logs/registry)"),
        _d("kind", "What sort of thing it is"),
        _d("role", "root | cascade | confirmation | progress | marker (log facts); task | launcher | rank (processes)"),
        _d("framework", "Who printed it"),
        _s("subject", "What it is about: exception type, file, host, operation"),
        _f("num", "Its number: exit code, XID, bytes, milliseconds; num_unit says which"),
        _d("num_unit", "Unit of num"),
        _SOURCE,
        _OFFSET,
        _LINE_SEQ,
        _TEXT,
        *_ROW_OF_TABLE,
        scope="fact",
    ),
    _table(
        "fact_steps",
        "Training progress as the job reported it",
        _RANK,
        _RANK_BY,
        _ATTEMPT,
        _d("kind", "What sort of thing it is"),
        _d("framework", "Who printed it"),
        _i("step", "Optimizer step or iteration"),
        _i("total_steps", "Planned steps"),
        _f("epoch", "Epoch", "1", 4),
        _i("total_epochs", "Planned epochs; where they are told, total_steps is that of the whole run, or null"),
        _f("loss", "Training loss; NaN and infinity are kept"),
        _f("eval_loss", "Validation loss"),
        _f("score", "What the job is to raise: a reward or return, as it names it"),
        _f("accuracy", "Share of answers that were right, in training or validation, as the job names it", "1", 6),
        _f("grad_norm", "Gradient norm"),
        _f("lr", "Learning rate", "1", 12),
        _f("loss_scale", "fp16 loss scale"),
        _f("step_time_s", "Seconds a step", "s", 6),
        _f("data_time_s", "Seconds of the step in which the loop waited for its data, by its own timer", "s", 6),
        _f("compute_time_s", "Seconds of the step in which this rank computed, by the loop's own timers", "s", 6),
        _f("comm_time_s", "Seconds of the step spent in collectives, waiting included, by its own timers", "s", 6),
        _f("save_time_s", "Seconds of the step in which a checkpoint was saved, by the loop's own timer", "s", 6),
        _f("samples_per_s", "Samples a second", "1/s", 3),
        _f("tokens_per_s", "Tokens a second", "1/s", 3),
        _f("mfu", "Model FLOPs utilisation", "1", 4),
        _SOURCE,
        _OFFSET,
        _LINE_SEQ,
        scope="fact",
    ),
    _table(
        "fact_exceptions",
        "Python tracebacks and their like, one row an exception of a chain",
        _RANK,
        _RANK_BY,
        _ATTEMPT,
        _i("group", "Number of the traceback; exceptions chained together share it"),
        _i("chain_index", "0 is the root cause, higher were raised from it"),
        _d("exc_type", "Exception class as printed"),
        _s("message", "Its message, first 2000 characters"),
        _s("frame_file", "File of the innermost frame"),
        _i("frame_line", "Line of the innermost frame"),
        _s("frame_function", "Function of the innermost frame"),
        _s("user_frame", "Innermost frame outside site-packages, as file:line function"),
        _s("user_code", "Source line of the innermost frame outside site-packages, where the traceback shows it"),
        _s("frames", "All frames as file:line function, newline-separated, outermost first"),
        _b("fatal", "True when it ended its process as far as the log shows; false when it was handled"),
        _s("signature", "Digest of class, message shape and user frame: equal on ranks that failed alike"),
        _SOURCE,
        _OFFSET,
        _LINE_SEQ,
        _i("line_seq_last", "seq of the last log_lines row of the traceback"),
        scope="fact",
    ),
    _table(
        "fact_exits",
        "How processes ended, whoever said so",
        _RANK,
        _RANK_BY,
        _ATTEMPT,
        _d("role", "root | cascade | confirmation | progress | marker (log facts); task | launcher | rank (processes)"),
        _d(
            "said_by",
            "wrapper | torchrun | accelerate | deepspeed | mp_spawn | mpirun | shell | systemd | slurm | kernel | "
            "user | tracker",
        ),
        _PID,
        _i("local_rank", "LOCAL_RANK", source="environment"),
        _HOST,
        _EXIT_CODE,
        _TERM_SIGNAL,
        _b("first_failure", "The source calls it the first or root failure"),
        _SOURCE,
        _OFFSET,
        _LINE_SEQ,
        _TEXT,
        *_ROW_OF_TABLE,
        scope="fact",
    ),
    _table(
        "fact_attempts",
        "Attempts found in each source: a restart in the same file begins another",
        _RANK,
        _RANK_BY,
        _ATTEMPT,
        _SOURCE,
        _i("first_line_seq", "seq of its first log_lines row"),
        _i("last_line_seq", "seq of its last log_lines row"),
        _i("first_step", "First step it reported"),
        _i("last_step", "Last step it reported"),
        _i("end_ns", "When it ended, UTC", "ns"),
        _s("began_by", "What began it: start | step_back | banner | restart_line | new_run (of a tracker or a sweep)"),
        scope="fact",
    ),
    _table(
        "fact_windows",
        "Samples in windows of equal length",
        _RANK,
        _GPU,
        _d("series", "table.column it summarises"),
        _i("window_ns", "Length of the window", "ns"),
        _COUNT,
        _f("min", "Least reading, in the unit of the series", "see series"),
        _f("median", "Median reading, in the unit of the series", "see series"),
        _f("max", "Greatest reading, in the unit of the series", "see series"),
        _f("first", "First reading, in the unit of the series", "see series"),
        _f("last", "Last reading, in the unit of the series", "see series"),
        scope="fact",
    ),
)

NOT_THE_RUN: Final = frozenset({"kernel_log", "slurm_nodes", "slurm_controller"})
"""Tables that also tell of the time before the job, for context: they do not say when the run began or ended."""

BY_NAME: Final[dict[str, Table]] = {table.name: table for table in TABLES}
RECORDED: Final = tuple(table for table in TABLES if table.scope != "fact")
FACTS: Final = tuple(table for table in TABLES if table.scope == "fact")


@cache
def _arrow_schema(name: str) -> pa.Schema:
    import pyarrow as pa

    types = {
        "i64": pa.int64(),
        "f64": pa.float64(),
        "bool": pa.bool_(),
        "str": pa.string(),
        "dict": pa.dictionary(pa.int32(), pa.string()),
    }
    return pa.schema([pa.field(c.name, types[c.type], c.nullable) for c in BY_NAME[name].columns])

"""The signals a recording can hold, and how many of them a bundle does.

A signal is a column that was measured over time: power of a GPU, bytes of an interface, calls of one CUDA function. A
*series* is a signal of one thing: of one GPU of one node, say. It counts once it has two samples that are no null, and
its parts (the cores of a CPU, the links of a GPU, the threads of a call) count apart only when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from inquest.bundle import schema

if TYPE_CHECKING:
    from inquest.bundle.store import Store


@dataclass(frozen=True, slots=True)
class Sampled:
    """A table that holds series.

    Attributes:
        things: Columns that tell, within a node, which thing a row is about.
        parts: Columns that tell its parts apart.
        only: The columns that are measured, where others tell of events.
        gpu: Whether what is recorded stands for a GPU: against a stub of its libraries it is marked so.
    """

    things: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    gpu: bool = False


SAMPLED: Final[dict[str, Sampled]] = {
    "gpu_samples": Sampled(("gpu_uuid",), gpu=True),
    "gpu_ecc": Sampled(("gpu_uuid",), ("location",), gpu=True),
    "gpu_processes": Sampled(("gpu_uuid", "pid"), gpu=True),
    "nvlink_samples": Sampled(("gpu_uuid",), ("link",), gpu=True),
    "cuda_calls": Sampled(("pid", "api"), ("direction",), gpu=True),
    "nccl_collectives": Sampled(("pid", "comm"), ("op",), gpu=True),
    "processes": Sampled(
        ("pid",),
        only=(
            *("cpu_user_s", "cpu_system_s", "rss_bytes", "rss_peak_bytes", "threads", "minor_faults", "major_faults"),
            *("voluntary_switches", "involuntary_switches", "swap_used_bytes", "read_bytes", "written_bytes"),
            *("read_calls", "written_calls"),
        ),
    ),
    "kernel_counters": Sampled(("area",), ("name",)),
    "host_samples": Sampled(),
    "cpu_samples": Sampled((), ("cpu",)),
    "cgroup_samples": Sampled(("cgroup",)),
    "net_samples": Sampled(("interface",)),
    "disk_samples": Sampled(("device",)),
    "sched_samples": Sampled(("pid",)),
    "slurm_nodes": Sampled(("slurm_node_name",), only=("cpu_load", "memory_free_bytes")),
    "slurm_controller": Sampled(("name",)),
    "clock_samples": Sampled(
        ("kind", "peer"), only=("read_bound_ns", "kernel_error_us", "chrony_error_us", "return_mono_ns")
    ),
    "metrics": Sampled(("rank", "name"), only=("value",)),
}
"""Every table whose rows are samples over time, by what tells its series apart."""

_LABELS: Final = frozenset(
    {"rank", "local_rank", "comm_rank", "comm_size", "task", "pid", "tid", "gpu_index", "step", "coll_seq", "root"}
    | {"preemptor_pid", "version", "return_code", "enqueue_mono_ns", "complete_mono_ns"}
)
"""Numbers that name things or moments, and measure nothing."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A column that is measured over time."""

    table: str
    column: str
    unit: str
    meaning: str
    source: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Series of one signal in one bundle.

    Attributes:
        signal: What is measured.
        series: Things of which there are two samples or more.
        expanded: The same with the parts of things apart.
        stub: How many of ``expanded`` were recorded against a stub of the GPU's libraries.
        samples: Samples that are no null, of all series.
    """

    signal: Signal
    series: int
    expanded: int
    stub: int
    samples: int


def catalogue() -> tuple[Signal, ...]:
    """All signals this build can record, in the order of the schema."""
    return tuple(
        Signal(table.name, column.name, column.unit, column.meaning, column.source)
        for table in schema.TABLES
        if table.name in SAMPLED
        for column in table.columns[len(schema.IDENTITY) :]
        if column.type in ("i64", "f64", "bool")
        and column.name not in _LABELS
        and column.name not in (*SAMPLED[table.name].things, *SAMPLED[table.name].parts)
        and column.name in (SAMPLED[table.name].only or table.column_names)
    )


def count(store: Store) -> list[Counted]:
    """How many series of each signal a store holds; signals without any are left out."""
    import polars as pl

    stubbed = _stubbed_nodes(store)
    found: list[Counted] = []
    for table, sampled in SAMPLED.items():
        signals = [signal for signal in catalogue() if signal.table == table]
        columns = [signal.column for signal in signals]
        if table not in store.tables() or not columns:
            continue
        things = store.scan(table).group_by("node", *sampled.things, *sampled.parts).agg(pl.col(columns).count())
        apart = things.collect(engine="streaming")
        whole = apart.group_by("node", *sampled.things).agg(pl.col(columns).sum())
        stub = apart.filter(pl.col("node").is_in(stubbed)) if sampled.gpu else apart.clear()
        for signal in signals:
            series, expanded, stubs = (int((frame[signal.column] >= 2).sum()) for frame in (whole, apart, stub))
            if series:
                found.append(Counted(signal, series, expanded, stubs, int(whole[signal.column].sum())))
    return found


def _stubbed_nodes(store: Store) -> list[str]:
    """Nodes whose driver says that it is none (tests/capture/nvml_stub, which the real NVML bindings load)."""
    import polars as pl

    if "node_info" not in store.tables():
        return []
    drivers = store.scan("node_info").filter(pl.col("driver_version").str.contains("stub", literal=True))
    return sorted(set(drivers.select("node").collect()["node"]))

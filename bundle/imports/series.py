"""Time series of metrics become rows: what was read of one thing at one instant stands in one row.

Readers of metrics hand in values by name and labels; `metric_table` says where they go. What was not read at an instant
is null: absent is unknown, not zero.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import pyarrow as pa

from inquest.bundle.imports.metric_table import CPU_MODES, METRICS, REASONS, SLOWDOWNS, Metric
from inquest.bundle.imports.steps import in_step, told_apart
from inquest.bundle.imports.told_time import NS, told_ns
from inquest.bundle.scan import stored_schema
from inquest.bundle.schema import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inquest.bundle.imports.kind import Context

TABLES: Final = (
    "gpu_samples",
    "gpu_events",
    "nvlink_samples",
    "host_samples",
    "net_samples",
    "disk_samples",
    "cgroup_samples",
    "node_info",
    "devices",
    "placements",
)
"""Tables that metrics fill."""

MAX_SERIES: Final = 500_000
"""Series of one file: each costs about a kilobyte, and a file of labels that never repeat must not fill the memory."""
MAX_VALUES: Final = 24_000_000
"""Values held before rows are made of them: 16 bytes each."""
_MOST_NAMES: Final = 100_000
"""Nodes and GPUs that are told apart."""
_CHUNK: Final = 500_000
"""Values that are joined at once."""
_SCRAPE: Final = -(1 << 62)
_LATEST_NS: Final = 1 << 62
_NODE_LABELS: Final = (
    "node",
    "nodename",
    "kubernetes_node",
    "kubernetes_io_hostname",
    "Hostname",
    "hostname",
    "node_name",
    "nodeName",
    "host_name",
    "host",
    "exported_node",
    "exported_Hostname",
    "exported_hostname",
    "exported_instance",
    "instance",
)
"""Labels that tell the node, surest first: a collector in a container may take its pod's name for the host name."""
_OTHER_NODE_LABELS: Final = ("server", "machine", "server_name", "machine_name", "compute_node", "vm")
"""Labels that tell the node where no better one does; a collector may put its own name into them for all nodes."""
_GPU_LABELS: Final = (
    ("model", "modelName"),
    ("driver", "DCGM_FI_DRIVER_VERSION"),
    ("bus", "pci_bus_id"),
)
"""What dcgm-exporter's labels tell of a GPU."""
_INDEX_LABELS: Final = ("gpu", "gpu_id", "gpu_index", "GPU", "index", "device")
"""Labels that tell which GPU of its node it is, as exporters and relabelling rules call it."""
_MINOR_LABELS: Final = ("minor_number", "minor")
"""The number of its device file, which need not be its index: it tells GPUs apart where nothing else does."""
_DEVICE: Final = re.compile(r"(?:nvidia)?(\d{1,4})")
_JOB_LABEL: Final = "hpc_job"
"""The scheduler's job that held the GPU: dcgm-exporter reads it from files that a prolog writes."""
_NO_NODE: Final = frozenset({"", "localhost", "127.0.0.1", "[::1]", "0.0.0.0"})
_NO_OTHER: Final = frozenset({*_NO_NODE, "x86_64", "aarch64"})
"""``machine`` is the architecture, too."""
_PORT: Final = re.compile(r":\d{1,5}$")
_BARE_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BLANK: Final = frozenset(float(base + kind) for base in (0x7FFFFFF0, 1 << 47) for kind in range(4))
_BLANK_FROM: Final = float(0x7FFFFFFFFFFFFFF0)
"""DCGM's values for "none": not found, not supported, not permitted (``dcgm_structs.h``, DCGM_*_BLANK)."""
_HELD: Final = {
    "_held_power": "power",
    "_held_heat": "heat",
    "_held_board_limit": "the board's limit",
    "_held_reliability": "reliability",
}
_HEALTH_FAIL: Final = 20
"""dcgmHealthWatchResults_t: 0 pass, 10 warning, 20 failure."""
_MOST_XID: Final = 1 << 16
_PSI: Final = ("psi_cpu_some", "psi_memory_some", "psi_memory_full", "psi_io_some", "psi_io_full")


@dataclass(slots=True)
class Series:
    """Values of one metric of one thing. ``times`` are nanoseconds since 1970, UTC, or scrapes (`Gathered.scrape`)."""

    scale: float
    times: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))


@dataclass(slots=True)
class _Thing:
    """One GPU, link, host, interface ...: the series of its columns. ``node`` is as the labels tell it.

    ``part_of`` is the GPU it is an instance of (MIG), where it is one.
    """

    table: str
    node: str | None
    keys: dict[str, str | int]
    part_of: str | int | None = None
    columns: dict[str, list[Series]] = field(default_factory=dict)
    totals: set[str] = field(default_factory=set)


class Gathered:
    """All series of one file. Hand them in, then take ``rows``.

    Attributes:
        scrapes: UTC nanoseconds of each scrape, None where nothing told it: for values without a time of their own.
    """

    def __init__(self, context: Context) -> None:
        self.scrapes: list[int | None] = []
        self._context = context
        self._things: dict[tuple[object, ...], _Thing] = {}
        self._series = 0
        self._apart_ns = 0
        self._without_place: set[str] = set()
        self._aliases: dict[str, set[str]] = {}
        self._others: dict[str, set[str]] = {}
        self._info: dict[str | None, dict[str, str]] = {}
        self._gpus: dict[tuple[str | None, str], dict[str, str]] = {}
        self._instances: dict[tuple[str | None, str | int | None], set[str]] = {}
        self._holders: dict[tuple[str | None, str], set[str]] = {}

    def scrape(self) -> int:
        """The time of values of the current scrape, until ``scrapes`` tells it."""
        return _SCRAPE + len(self.scrapes)

    def settle(self, file: str) -> None:
        """Find times for scrapes that told none themselves.

        The name of the file, where it holds one scrape; else ``collected_at`` for the last one, and the scrape
        interval of ``meta.json`` for those before it.
        """
        times, context = self.scrapes, self._context
        used = any(part.times and min(part.times) < 0 for part in self._all_series())
        if not used or all(time is not None for time in times):
            return
        if len(times) == 1 and (named := told_ns(file.rpartition("/")[2], context.utc_offset_minutes)):
            times[0] = named
            context.warn("The readings tell no time; the one in the name of the file is taken.")
        elif context.collected_at_ns is not None and (len(times) == 1 or context.scrape_interval_s):
            step = round((context.scrape_interval_s or 0.0) * NS)
            first = context.collected_at_ns - (len(times) - 1) * step
            times[:] = [first + number * step if told is None else told for number, told in enumerate(times)]
            context.warn("The readings tell no time; the last are taken to be of when the files were collected.")
        else:
            context.warn("Readings without a time: their rows have none; meta.json can tell when they were collected.")

    def _all_series(self) -> Iterator[Series]:
        for thing in self._things.values():
            for parts in thing.columns.values():
                yield from parts

    def series(self, name: str, labels: Mapping[str, str]) -> Series | None:
        """The series of a metric; None where nothing of the bundle has a place for it."""
        metric = METRICS.get(name)
        if len(self._aliases) + len(self._info) + len(self._gpus) >= _MOST_NAMES:
            self._context.refuse(f"series beyond those of {_MOST_NAMES:,} nodes and GPUs")
            return None
        node = self._node(labels)
        if metric is None:
            self._note(name, labels, node)
            return None
        if self._series >= MAX_SERIES:
            self._context.refuse(f"series beyond the first {MAX_SERIES:,}")
            return None
        column = metric.column
        if "{" in column:
            label = column[column.index("{") + 1 : -1]
            if label not in labels:
                return None
            column = column.replace(f"{{{label}}}", labels[label])
        thing = self._thing(metric, labels, node)
        if thing is None:
            self._context.refuse(f"series of {metric.table} that do not tell what they are about")
            return None
        found = Series(metric.scale)
        self._series += 1
        thing.columns.setdefault(column, []).append(found)
        if metric.total:
            thing.totals.add(column)
        return found

    def rows(self, *, last: bool = True) -> Iterator[tuple[str, pl.DataFrame]]:
        """Everything handed in, as frames of rows by table; ``last``: nothing will be handed in after it."""
        times = pl.Series("ts_ns", [*self.scrapes, None], dtype=pl.Int64)
        by_table: dict[str, list[_Thing]] = {}
        for thing in self._whole():
            by_table.setdefault(thing.table, []).append(thing)
        for table, things in by_table.items():
            for chunk in _chunks(things):
                yield from self._rows_of(table, chunk, times)
        if not last:
            return
        if self._apart_ns:
            self._context.warn(told_apart(self._apart_ns))
        if info := self._node_info():
            yield "node_info", pl.DataFrame(info, infer_schema_length=None)
        if devices := self._devices():
            yield "devices", pl.DataFrame(devices, infer_schema_length=None)
        if self._holders:
            yield "placements", pl.DataFrame(self._placements(), infer_schema_length=None)
        if self._without_place:
            names = sorted(self._without_place)
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            self._context.warn(f"No table has a place for {', '.join(names[:5])}{more}.")

    def forget(self) -> None:
        """Drop the values that ``rows`` gave, so that more can be handed in."""
        for part in self._all_series():
            part.times, part.values = array("q"), array("d")

    def _thing(self, metric: Metric, labels: Mapping[str, str], node: str | None) -> _Thing | None:
        keys: dict[str, str | int] = {}
        if metric.table in ("gpu_samples", "nvlink_samples"):
            keys = _gpu(labels)
            if not keys:
                return None
            uuid, index = str(keys.get("gpu_uuid", "")), keys.get("gpu_index")
            if (job := labels.get(_JOB_LABEL)) and uuid and len(self._holders) < _MOST_NAMES:
                self._holders.setdefault((node, job), set()).add(uuid)
            known = self._gpus.setdefault((node, uuid or f"#{index}"), {})
            if index is not None:
                known.setdefault("index", str(index))
            for told, label in _GPU_LABELS:
                if value := labels.get(label):
                    known.setdefault(told, value)
        if metric.key:
            value = metric.value or _key(metric.labels, labels)
            if value is None:
                return None
            if metric.key != "link":
                keys[metric.key] = value
            elif (link := _small(value)) is not None:
                keys["link"] = link
        identity = keys.get("gpu_uuid") or keys.get("gpu_index")
        place: tuple[object, ...] = (metric.table, node, identity, keys.get(metric.key))
        instance = labels.get("GPU_I_ID") or labels.get("GPU_I_PROFILE")
        if instance:
            self._instances.setdefault((node, identity), set()).add(instance)
            place = (*place, instance)
        thing = self._things.get(place)
        if thing is None:
            thing = self._things[place] = _Thing(metric.table, node, keys, identity if instance else None)
        else:
            thing.keys = keys | thing.keys
        return thing

    def _whole(self) -> list[_Thing]:
        """The things that rows are made of: a GPU of which one instance (MIG) is told is that instance.

        Of several, whose job had which is not told: their readings must not mingle, and are left out.
        """
        whole = {place: thing for place, thing in self._things.items() if thing.part_of is None}
        for place, thing in self._things.items():
            if thing.part_of is None:
                continue
            if len(self._instances[thing.node, thing.part_of]) > 1:
                self._context.refuse("series of several parts of one GPU (MIG)", len(thing.columns))
                continue
            self._context.warn("Readings of the only part of a GPU (MIG) that is told stand for that GPU.")
            gpu = whole.setdefault(place[:-1], _Thing(thing.table, thing.node, thing.keys))
            columns = {name: [*gpu.columns.get(name, ()), *parts] for name, parts in thing.columns.items()}
            whole[place[:-1]] = _Thing(
                gpu.table, gpu.node, gpu.keys, columns=gpu.columns | columns, totals=gpu.totals | thing.totals
            )
        return list(whole.values())

    def _node(self, labels: Mapping[str, str]) -> str | None:
        told = [_PORT.sub("", labels[name]) for name in _NODE_LABELS if name in labels]
        told = [name for name in told if name not in _NO_NODE and not name.isdecimal()]
        other = next((name for label in _OTHER_NODE_LABELS if (name := labels.get(label, "")) not in _NO_OTHER), None)
        if not told:
            return other
        if "instance" in labels:
            address = _PORT.sub("", labels["instance"])
            self._aliases.setdefault(address, set()).add(told[0])
            if other is not None and told[0] == address:
                self._others.setdefault(other, set()).add(address)
        return told[0]

    def _note(self, name: str, labels: Mapping[str, str], node: str | None) -> None:
        """What metrics tell that hold no readings: who a node is, what drives its GPUs."""
        if name == "node_uname_info":
            self._info.setdefault(node, {}).update(
                {
                    ours: labels[theirs]
                    for ours, theirs in (("hostname", "nodename"), ("kernel", "release"))
                    if theirs in labels
                }
            )
        elif name == "nvidia_smi_gpu_info" and (keys := _gpu(labels)):
            known = self._gpus.setdefault((node, str(keys.get("gpu_uuid", ""))), {})
            for told, label in (("index", "index"), ("model", "name"), ("driver", "driver_version")):
                if value := labels.get(label):
                    known.setdefault(told, value)
        elif name not in ("node_time_seconds", "node_boot_time_seconds") and len(self._without_place) < _MOST_NAMES:
            self._without_place.add(name or "(a series without a name)")

    def _named(self, node: str | None) -> str | None:
        """The node's own name where the file tells it, for one that labels call by its address."""
        if node is None:
            alone = {info["hostname"] for info in self._info.values() if "hostname" in info}
            return alone.pop() if len(alone) == 1 else None
        if hostname := self._info.get(node, {}).get("hostname"):
            return hostname
        others = self._aliases.get(node, set()) - {node}
        if not others and len(self._others) > 1:  # names of which each stands for one address are those of nodes
            others = {name for name, addresses in self._others.items() if addresses == {node}}
        return others.pop() if len(others) == 1 else node

    def _keys(self, thing: _Thing) -> dict[str, Any]:
        """Columns that tell what the rows of a thing are about."""
        keys: dict[str, Any] = {"node": self._named(thing.node), **thing.keys}
        told = self._gpus.get((thing.node, str(thing.keys.get("gpu_uuid", ""))), {}).get("index", "")
        if (index := _small(told)) is not None:
            keys["gpu_index"] = index
        if "gpu_index" in keys:
            keys.setdefault("gpu_uuid", unnamed_gpu(keys["gpu_index"]))
        return keys

    def _rows_of(self, table: str, things: list[_Thing], times: pl.Series) -> Iterator[tuple[str, pl.DataFrame]]:
        frame = _joined(things)
        if frame is None:
            return
        scrape = pl.when(pl.col("time") < 0).then(pl.col("time") - _SCRAPE)
        told = times.gather(frame.select(scrape.fill_null(len(times) - 1)).to_series())
        frame = frame.with_columns(ts_ns=pl.when(pl.col("time") < 0).then(told).otherwise(pl.col("time"))).drop("time")
        if not frame["ts_ns"].null_count():
            frame, by_ns = in_step(frame, ["thing"], "ts_ns")
            self._apart_ns = max(self._apart_ns, by_ns)
        keys = [self._keys(thing) for thing in things]
        if table == "gpu_samples" and (events := list(_events(frame))):
            rows = [{**keys[thing], **event} for thing, event in events]
            yield "gpu_events", pl.DataFrame(rows, infer_schema_length=None)
        derived = _DERIVE.get(table)
        frame = derived(frame) if derived else frame
        known = BY_NAME[table].column_names
        readings = [name for name in frame.columns if name in known and name != "ts_ns" and frame[name].count()]
        frame = frame.filter(pl.any_horizontal(pl.col(readings).is_not_null())) if readings else frame.clear()
        values = typed(table, frame.select("ts_ns", *readings))
        stored = stored_schema(table)
        named = [
            pl.Series(name, [key.get(name) for key in keys], dtype=stored[name]).gather(frame["thing"])
            for name in sorted({name for key in keys for name in key})
        ]
        if values.height:
            yield table, values.hstack(named)

    def _node_info(self) -> list[dict[str, Any]]:
        found: dict[str | None, dict[str, Any]] = {}
        for raw, info in self._info.items():
            found.setdefault(self._named(raw), {}).update(info)
        by_node: dict[str | None, list[tuple[int, str, dict[str, str]]]] = {}
        for (raw, uuid), gpu in self._gpus.items():
            if not uuid.startswith("#"):
                index = _small(gpu.get("index", ""))
                by_node.setdefault(self._named(raw), []).append((1 << 30 if index is None else index, uuid, gpu))
        for node, gpus in by_node.items():
            gpus.sort(key=lambda item: item[:2])
            row = found.setdefault(node, {})
            row["gpu_uuids"] = ",".join(uuid for _, uuid, _ in gpus)
            if all("model" in gpu for _, _, gpu in gpus):
                row["gpu_models"] = ",".join(gpu["model"] for _, _, gpu in gpus)
            if len(drivers := {gpu.get("driver") for _, _, gpu in gpus} - {None}) == 1:
                row["driver_version"] = drivers.pop()
        return [{"node": node, "hostname": row.get("hostname", node), **row} for node, row in found.items()]

    def _placements(self) -> list[dict[str, Any]]:
        """Which GPUs each job held on a node."""
        return [
            {"node": self._named(raw), "job_id": job, "visible_gpus": ",".join(sorted(uuids))}
            for (raw, job), uuids in self._holders.items()
        ]

    def _devices(self) -> list[dict[str, Any]]:
        """Where each GPU sits: kernel and NCCL name it by that alone."""
        return [
            {
                "node": self._named(raw),
                "device_id": uuid,
                "kind": "gpu",
                "name": gpu.get("model"),
                "gpu_uuid": uuid,
                "gpu_index": _small(gpu.get("index", "")),
                "bus_id": gpu["bus"],
            }
            for (raw, uuid), gpu in self._gpus.items()
            if "bus" in gpu and not uuid.startswith("#")
        ]


def _small(text: str) -> int | None:
    """A number of a GPU or link; None for anything else."""
    return int(text) if text.isdecimal() and len(text) < 5 else None


def unnamed_gpu(index: int) -> str:
    """What stands for the UUID of a GPU that is only known by its index: rows of several GPUs must not mingle."""
    return f"gpu {index}"


def _gpu(labels: Mapping[str, str]) -> dict[str, str | int]:
    """Columns that tell the GPU of a series; empty where its labels do not."""
    keys: dict[str, str | int] = {}
    uuid = labels.get("UUID") or labels.get("uuid") or labels.get("gpu_uuid")
    if uuid:
        keys["gpu_uuid"] = f"GPU-{uuid}" if _BARE_UUID.fullmatch(uuid) else uuid
    told = (
        _DEVICE.fullmatch(labels[name]) for name in (*_INDEX_LABELS, *(() if uuid else _MINOR_LABELS)) if name in labels
    )
    if (index := next(filter(None, told), None)) is not None:
        keys["gpu_index"] = int(index[1])
    return keys


def _key(names: tuple[str | None, ...], labels: Mapping[str, str]) -> str | None:
    first, _, last = "\0".join(name or "" for name in names).partition("\0\0")
    for group in filter(None, (first, last)):
        found = [labels[name] for name in group.split("\0") if labels.get(name)]
        if len(found) == len(group.split("\0")) or (group is last and found):
            return "/".join(found)
    return None


def _chunks(things: list[_Thing]) -> Iterator[list[_Thing]]:
    """Things whose values are joined at once: many that have few, or one that has many."""
    chunk: list[_Thing] = []
    size = 0
    for thing in things:
        chunk.append(thing)
        size += sum(len(part.values) for parts in thing.columns.values() for part in parts)
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


@dataclass(slots=True)
class _Column:
    """Values of one column, of all things of a chunk, one after the other."""

    things: array[int] = field(default_factory=lambda: array("q"))
    times: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))
    several: bool = False

    def frame(self, name: str, scale: float) -> pl.DataFrame:
        """Readings by thing and time. Blanks, infinities and NaN are none."""
        integers = (
            pl.from_arrow(pa.Array.from_buffers(pa.int64(), len(held), [None, pa.py_buffer(held)]))
            for held in (self.things, self.times)
        )
        things, times = integers
        values = pl.from_arrow(pa.Array.from_buffers(pa.float64(), len(self.values), [None, pa.py_buffer(self.values)]))
        value = pl.col(name)
        blank = ~value.is_finite() | (value >= _BLANK_FROM) | value.is_in(list(_BLANK))
        return pl.DataFrame({"thing": things, "time": times, name: values}).with_columns(
            pl.when(~blank).then(value * scale if scale != 1 else value)
        )


def _joined(things: list[_Thing]) -> pl.DataFrame | None:
    """All columns of things by time, thing by thing and in order; None where they have no reading."""
    columns: dict[str, dict[float, _Column]] = {}
    for number, thing in enumerate(things):
        for name, parts in thing.columns.items():
            used = [part for part in parts if part.times]
            for part in used:
                column = columns.setdefault(name, {}).setdefault(part.scale, _Column())
                column.things.extend(array("q", [number]) * len(part.times))
                column.times.extend(part.times)
                column.values.extend(part.values)
                column.several |= len(used) > 1
    totals = {name for thing in things for name in thing.totals}
    frames = []
    for name, by_scale in columns.items():
        frame = pl.concat(column.frame(name, scale) for scale, column in by_scale.items())
        if name in totals:
            every = frame.group_by("thing", "time").agg(pl.col(name).sum(), told=pl.col(name).count())
            whole = pl.col("told") == pl.col("told").max().over("thing")
            frame = every.select("thing", "time", pl.when(whole).then(pl.col(name)))
        elif len(by_scale) > 1 or any(column.several for column in by_scale.values()):
            frame = frame.drop_nulls(name)  # of several series that tell the same, the first that has a value counts
        frames.append(frame.unique(["thing", "time"], keep="first", maintain_order=True).sort("thing", "time"))
    if not frames:
        return None
    return reduce(_beside, frames).sort("thing", "time")


def _beside(left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    """Two frames by thing and time: scrapes and range queries share their times, which spares the join."""
    key = ["thing", "time"]
    if left.height == right.height and left.select(key).equals(right.select(key)):
        return left.hstack(right.drop(key))
    return left.join(right, on=key, how="full", coalesce=True)


def typed(table: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers in the types and digits of the table's columns: whole where they are counts, true where not 0."""
    columns = []
    for name in frame.columns:
        column = BY_NAME[table].column(name)
        value = pl.col(name)
        if not frame.schema[name].is_float():
            pass
        elif column.type == "i64":
            value = value.round().cast(pl.Int64, strict=False)
        elif column.type == "f64":
            value = pl.when(value.is_finite()).then(value.round(column.digits))
        elif column.type == "bool":
            value = value != 0
        columns.append(value)
    return frame.select(columns)


def _with(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """The frame with all these columns; those it lacks are null."""
    return frame.with_columns(pl.lit(None, pl.Float64).alias(name) for name in names if name not in frame.columns)


def _with_reasons(frame: pl.DataFrame) -> pl.DataFrame:
    """The mask of throttle reasons that were told one by one; one of nothing only where all slowdowns were told."""
    told = {f"_reason_{name}": bit for name, bit in REASONS.items() if f"_reason_{name}" in frame.columns}
    if not told:
        return frame
    mask = pl.sum_horizontal((pl.col(name).fill_null(0) > 0).cast(pl.Float64) * bit for name, bit in told.items())
    slowdowns = sorted(f"_reason_{name}" for name in SLOWDOWNS)
    whole = (
        pl.all_horizontal(pl.col(name).is_not_null() for name in slowdowns) if told.keys() >= set(slowdowns) else None
    )
    known = mask > 0 if whole is None else (mask > 0) | whole
    return _with(frame, "throttle_reasons").with_columns(
        throttle_reasons=pl.coalesce("throttle_reasons", pl.when(known).then(mask))
    )


def _derive_gpu(frame: pl.DataFrame) -> pl.DataFrame:
    frame = _with_reasons(frame)
    sent, received = ("nvlink_tx_bytes_s", "_nvlink_tx_profiled"), ("nvlink_rx_bytes_s", "_nvlink_rx_profiled")
    pairs = (
        ("engine_active", "_engine_profiled"),
        ("pcie_tx_bytes_s", "_pcie_tx_profiled"),
        ("pcie_rx_bytes_s", "_pcie_rx_profiled"),
        sent,
        received,
    )
    both = ("fb_total_bytes", "fb_used_bytes", "nvlink_bytes_s")
    parts = ("_fb_free", "_fb_reserved", "_retired_single", "_retired_double", "_held_power", "_held_heat")
    whole = _with(frame, *both, *parts, *(name for pair in pairs for name in pair))
    return whole.with_columns(
        pl.coalesce("fb_total_bytes", pl.col("fb_used_bytes") + pl.col("_fb_free") + pl.col("_fb_reserved")),
        *(pl.coalesce(pair) for pair in pairs),
        pl.coalesce("nvlink_bytes_s", pl.coalesce(sent) + pl.coalesce(received)),
        retired_pages=pl.col("_retired_single") + pl.col("_retired_double"),
        held_power_ns=pl.col("_held_power"),
        held_thermal_ns=pl.col("_held_heat"),
    )


def _derive_link(frame: pl.DataFrame) -> pl.DataFrame:
    crc = pl.col("_crc_flit", "_crc_data")
    whole = _with(frame, "_crc_flit", "_crc_data")
    return whole.with_columns(crc_errors=pl.when(pl.any_horizontal(crc.is_not_null())).then(pl.sum_horizontal(crc)))


def _derive_host(frame: pl.DataFrame) -> pl.DataFrame:
    modes = [f"_cpu_{mode}" for mode in CPU_MODES]
    parts = ("_dirty", "_writeback", "_swap_free", "swap_total_bytes", *(f"_{name}" for name in _PSI))
    whole = _with(frame, *modes, *parts)
    spent = {mode: pl.col(name).diff().over("thing") for mode, name in zip(CPU_MODES, modes, strict=True)}
    all_spent = reduce(pl.Expr.add, (value.fill_null(0.0) for value in spent.values()))
    told = spent["user"].is_not_null() & spent["idle"].is_not_null()
    no_reset = pl.all_horizontal((value.fill_null(0.0) >= -0.5) for value in spent.values()) & (all_spent > 0)

    def share(*names: str) -> pl.Expr:
        part = reduce(pl.Expr.add, (spent[name].fill_null(0.0) for name in names[1:]), spent[names[0]])
        return pl.when(told & no_reset).then((part / all_spent).clip(0.0, 1.0))

    seconds = pl.col("ts_ns").diff().over("thing") / 1e9
    return whole.with_columns(
        cpu_user_share=share("user", "nice"),
        cpu_system_share=share("system", "irq", "softirq"),
        cpu_iowait_share=share("iowait"),
        cpu_steal_share=share("steal"),
        dirty_bytes=pl.col("_dirty") + pl.col("_writeback"),
        swap_used_bytes=pl.col("swap_total_bytes") - pl.col("_swap_free"),
        **{f"{name}_avg10": _rate(pl.col(f"_{name}"), seconds) for name in _PSI},
    )


def _rate(counter: pl.Expr, seconds: pl.Expr) -> pl.Expr:
    """Percent of the time between two readings that a counter of seconds rose by."""
    risen = counter.diff().over("thing")
    return pl.when((seconds > 0) & (risen >= 0)).then((100 * risen / seconds).clip(0.0, 100.0))


def _derive_cgroup(frame: pl.DataFrame) -> pl.DataFrame:
    limit = pl.col("_limit")
    unlimited = (limit <= 0) | (limit >= 1 << 60)
    return _with(frame, "_limit").with_columns(memory_limit_bytes=pl.when(~unlimited).then(limit))


_DERIVE: Final[dict[str, Callable[[pl.DataFrame], pl.DataFrame]]] = {
    "gpu_samples": _derive_gpu,
    "nvlink_samples": _derive_link,
    "host_samples": _derive_host,
    "cgroup_samples": _derive_cgroup,
}


def _events(frame: pl.DataFrame) -> Iterator[tuple[int, dict[str, Any]]]:
    """Events that counters and last values of GPUs tell of, each with the number of its thing."""
    for name in frame.columns:
        if name == "_xid":
            yield from _last_xids(frame, name)
        elif name.startswith("_xids_") and (xid := _small(name[6:])) is not None:
            for thing, ts_ns, before, now in _changes(frame, name):
                if now > (before or 0):
                    yield thing, {"ts_ns": ts_ns, "event": "xid", "xid": xid, "detail": "counted by dcgm-exporter"}
        elif name.startswith("_health_"):
            for thing, ts_ns, _, now in _changes(frame, name):
                if now > 0:
                    detail = f"DCGM health of {name[8:]}: {'failure' if now >= _HEALTH_FAIL else 'warning'}"
                    yield thing, {"ts_ns": ts_ns, "event": "health", "detail": detail}
        elif name in _HELD:
            yield from _held_back(frame, name)


def _changes(frame: pl.DataFrame, name: str) -> list[tuple[int, int | None, float | None, float]]:
    """Readings that differ from the one before: (thing, time, before, now); a thing's first has None before."""
    before = pl.col(name).shift().over("thing")
    read = frame.select("thing", "ts_ns", name).drop_nulls(name).with_columns(before=before)
    return read.filter(pl.col("before").ne_missing(pl.col(name))).select("thing", "ts_ns", "before", name).rows()


def _last_xids(frame: pl.DataFrame, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for thing, ts_ns, before, now in _changes(frame, name):
        if not 0 < now < _MOST_XID:
            continue
        told = "the last XID from this reading on"
        if before is None:
            ts_ns, told = None, "the last XID when the metrics begin; when it occurred is not told"
        yield thing, {"ts_ns": ts_ns, "event": "xid", "xid": int(now), "detail": told}


def _held_back(frame: pl.DataFrame, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """One event a stretch in which the clocks were held back, at the first reading that shows it."""
    read = frame.select("thing", "ts_ns", name).drop_nulls(name)
    rises = read.with_columns(pl.col(name).diff().over("thing")).rows()
    held, begun = 0.0, None
    for number, (thing, ts_ns, risen) in enumerate(rises):
        if risen is not None and risen > 0:
            begun = ts_ns if not held else begun
            held += risen
        over = number + 1 == len(rises) or rises[number + 1][0] != thing or not (rises[number + 1][2] or 0) > 0
        if held and over:
            detail = f"clocks held back by {_HELD[name]} for {held / 1e9:.3f} s in a row of readings"
            yield thing, {"ts_ns": begun, "event": "clock", "detail": detail}
            held = 0.0

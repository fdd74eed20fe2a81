"""Answers of Prometheus' ``query_range``: by which labels, in which files, with which holes."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from .world import World

DASHBOARD: Final = ["GPU_TEMP", "POWER_USAGE", "SM_CLOCK", "GPU_UTIL", "FB_USED"]
SHIPPED: Final = [
    *DASHBOARD,
    "MEM_CLOCK",
    "MEMORY_TEMP",
    "MEM_COPY_UTIL",
    "FB_FREE",
    "XID_ERRORS",
    "TOTAL_ENERGY_CONSUMPTION",
    "PCIE_REPLAY_COUNTER",
    "UNCORRECTABLE_REMAPPED_ROWS",
    "ROW_REMAP_FAILURE",
]
PROFILING: Final = ["GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE"]
MORE: Final = [
    "ECC_SBE_VOL_TOTAL",
    "ECC_DBE_VOL_TOTAL",
    "CLOCK_THROTTLE_REASONS",
    "POWER_VIOLATION",
    "THERMAL_VIOLATION",
    "NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
]
COUNTERS: Final = {
    "XID_ERRORS",
    "TOTAL_ENERGY_CONSUMPTION",
    "PCIE_REPLAY_COUNTER",
    "UNCORRECTABLE_REMAPPED_ROWS",
    "ROW_REMAP_FAILURE",
    "ECC_SBE_VOL_TOTAL",
    "ECC_DBE_VOL_TOTAL",
    "POWER_VIOLATION",
    "THERMAL_VIOLATION",
    "NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
}


def exported(world: World) -> list[str]:
    """Full names of what the site exports."""
    kind = world.metrics
    fields = list(DASHBOARD if kind == "dashboard" else SHIPPED)
    names = [f"DCGM_FI_DEV_{name}" for name in fields]
    if kind in ("profiled", "everything"):
        names += [f"DCGM_FI_PROF_{name}" for name in PROFILING]
    if kind == "everything":
        names += [f"DCGM_FI_DEV_{name}" for name in MORE] + [
            "DCGM_FI_PROF_PCIE_TX_BYTES",
            "DCGM_FI_PROF_PCIE_RX_BYTES",
            "DCGM_FI_PROF_SM_OCCUPANCY",
        ]
    return names


def labels(world: World, rank: int, name: str) -> dict[str, str]:
    """How the site labels a series."""
    node, gpu = divmod(rank, world.g)
    host = world.nodes[node]
    base = {
        "gpu": str(gpu),
        "UUID": world.uuids[rank],
        "device": f"nvidia{gpu}",
        "modelName": world.board.name,
        "pci_bus_id": f"00000000:{world.bus[gpu]}:00.0",
        "DCGM_FI_DRIVER_VERSION": "570.148.08",
    }
    scheme = world.scheme
    if scheme == "exporter":
        base |= {
            "__name__": name,
            "Hostname": host + world.domain,
            "instance": f"10.31.4.{node + 11}:9400",
            "job": "dcgm-exporter",
        }
    elif scheme == "operator":
        base |= {
            "__name__": name,
            "Hostname": host + world.domain,
            "instance": f"10.244.{node}.9:9400",
            "job": "nvidia-dcgm-exporter",
            "namespace": "gpu-operator",
            "pod": f"nvidia-dcgm-exporter-{node:05x}",
            "service": "nvidia-dcgm-exporter",
            "container": "nvidia-dcgm-exporter",
            "endpoint": "gpu-metrics",
            "exported_namespace": "research",
            "exported_pod": f"pretrain-{world.job}-worker-{node}",
            "exported_container": "pytorch",
        }
    elif scheme == "relabelled":
        base = {
            "__name__": name,
            "gpu_id": str(gpu),
            "node": host,
            "uuid": world.uuids[rank],
            "model": world.board.name,
            "cluster": "blue",
        }
    elif scheme == "federated":
        base |= {
            "__name__": name,
            "exported_instance": f"{host}:9400",
            "exported_job": "dcgm",
            "instance": "prometheus-0.monitoring:9090",
            "job": "federate",
            "Hostname": host,
            "replica": "a",
        }
    elif scheme == "noname":
        base = {"Hostname": host + world.domain, "gpu": str(gpu), "UUID": world.uuids[rank]}
    else:
        base |= {"__name__": name, "instance": f"{host}{world.domain}:9400", "job": "gpu"}
    return base


def text_of(value: float) -> str:
    """As Go prints a float."""
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def series(world: World) -> dict[str, dict[int, list[tuple[float, str]]]]:
    """Readings by metric and rank."""
    rng, names = world.rng, exported(world)
    while len(names) * world.world * (world.now - world.start) / world.scrape > 4e5:
        world.scrape *= 2  # what sites do about large answers
    begin, end = world.start - world.margin - world.scrape, world.now + world.margin
    grid = [round(begin) + k * world.scrape for k in range(int((end - begin) / world.scrape) + 1)]
    grid = [float(t - t % world.scrape) if world.scrape >= 15 else float(t) for t in grid]
    found: dict[str, dict[int, list[tuple[float, str]]]] = {name: {} for name in names}
    blank = rng.random() < 0.3
    for rank in world.all():
        energy, violation = (
            rng.uniform(1e9, 9e11),
            dict.fromkeys(("POWER_VIOLATION", "THERMAL_VIOLATION"), rng.uniform(0, 1e9)),
        )
        growth = sorted(b for b in world.bumps if b[1] == rank)
        for t in grid:
            reading = world.read(rank, t)
            if reading is None:
                continue
            energy += reading["DCGM_FI_DEV_POWER_USAGE"] * 1000 * world.scrape
            spell = next((s for s in reversed(world.spells[rank]) if s.a <= t < s.b), None)
            if spell and spell.reason & 0xE8:
                violation["POWER_VIOLATION" if spell.reason & 0x80 else "THERMAL_VIOLATION"] += 1e9 * world.scrape * 0.8
            for name in names:
                short = name.removeprefix("DCGM_FI_DEV_").removeprefix("DCGM_FI_PROF_")
                if short == "TOTAL_ENERGY_CONSUMPTION":
                    value = float(int(energy))
                elif short in violation:
                    value = float(int(violation[short]))
                elif short == "XID_ERRORS":
                    value = next(
                        (b[3] for b in reversed(growth) if b[2] == short and b[0] <= t),
                        world.bases.get((rank, short), 0.0),
                    )
                elif short in COUNTERS:
                    value = world.bases.get((rank, short), 0.0) + sum(
                        b[3] for b in growth if b[2] == short and b[0] <= t
                    )
                else:
                    value = reading[name]
                if world.blank and name.startswith("DCGM_FI_PROF_"):
                    value = 9223372036854775794.0
                if blank and rng.random() < 0.004:
                    value = math.nan
                found[name].setdefault(rank, []).append((t, text_of(value)))
    return found


def body(rows: list[dict[str, Any]], world: World) -> dict[str, Any]:
    """One answer of the API."""
    answer: dict[str, Any] = {"status": "success", "data": {"resultType": "matrix", "result": rows}}
    if world.scheme == "federated":
        answer["data"]["stats"] = {"timings": {"evalTotalTime": 0.31}}
        answer["warnings"] = ["fetch series from sidecar: partial response"]
    return answer


def rates(values: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """``rate()``: growth by second, from the second reading on."""
    return [
        (t, text_of(max(0.0, float(v) - float(u)) / (t - s))) for (s, u), (t, v) in itertools.pairwise(values) if t > s
    ]


def _averages(world: World, found: dict[str, dict[int, list[tuple[float, str]]]], folder: Path) -> None:
    """``avg by (Hostname) (...)``: a series a node and metric, a file a metric."""
    for name, ranks in found.items():
        rows = []
        for node, host in enumerate(world.nodes):
            mine = [v for rank, v in ranks.items() if rank // world.g == node and v]
            whole = (
                [
                    [mine[0][k][0], text_of(round(sum(float(v[k][1]) for v in mine) / len(mine), 4))]
                    for k in range(min(map(len, mine)))
                ]
                if mine
                else []
            )
            if whole:
                rows.append({"metric": {"Hostname": host}, "values": whole})
        (folder / f"avg_by_host_{name}.json").write_text(json.dumps(body(rows, world)))


def write(world: World, folder: Path) -> None:
    """All answers, in the site's layout."""
    found = series(world)
    if world.rated:
        found = {
            name: {rank: rates(v) for rank, v in ranks.items()}
            if name.removeprefix("DCGM_FI_DEV_") in COUNTERS - {"XID_ERRORS"}
            else ranks
            for name, ranks in found.items()
        }
    if world.by_node:
        _averages(world, found, folder)
        return
    layout = "metric" if world.scheme == "noname" and world.layout not in ("metric", "dict") else world.layout

    def row(name: str, rank: int, values: list[tuple[float, str]]) -> dict[str, Any]:
        named = labels(world, rank, name)
        if world.rated and name.removeprefix("DCGM_FI_DEV_") in COUNTERS - {"XID_ERRORS"}:
            named.pop("__name__", None)
        whole = [[int(t) if t == int(t) else t, value] for t, value in values]
        return {"metric": named, "values": whole}

    place = folder / world.rng.choice(["metrics", "prometheus", "."])
    place.mkdir(exist_ok=True)

    def save(name: str, rows: list[dict[str, Any]]) -> None:
        (place / name).write_text(json.dumps(body(rows, world)))

    if layout == "one":
        save("query_range.json", [row(name, rank, v) for name, ranks in found.items() for rank, v in ranks.items()])
    elif layout == "gz":
        rows = [row(name, rank, v) for name, ranks in found.items() for rank, v in ranks.items()]
        (place / "dcgm.json.gz").write_bytes(gzip.compress(json.dumps(body(rows, world)).encode(), mtime=0))
    elif layout == "metric":
        for name, ranks in found.items():
            rated = (
                f"rate_{world.rated}_"
                if world.rated and name.removeprefix("DCGM_FI_DEV_") in COUNTERS - {"XID_ERRORS"}
                else ""
            )
            save(f"{rated}{name}.json", [row(name, rank, v) for rank, v in ranks.items()])
    elif layout == "node":
        for node, host in enumerate(world.nodes):
            save(
                f"{host}.json",
                [
                    row(name, rank, v)
                    for name, ranks in found.items()
                    for rank, v in ranks.items()
                    if rank // world.g == node
                ],
            )
    elif layout == "dict":
        whole = {name: body([row(name, rank, v) for rank, v in ranks.items()], world) for name, ranks in found.items()}
        (place / "dcgm_export.json").write_text(json.dumps(whole, indent=1))
    else:
        times = sorted({t for ranks in found.values() for v in ranks.values() for t, _ in v})
        parts = 3
        for k in range(parts):
            a, b = times[len(times) * k // parts], times[min(len(times) - 1, len(times) * (k + 1) // parts)]
            rows = [
                row(name, rank, [x for x in v if a <= x[0] <= b])
                for name, ranks in found.items()
                for rank, v in ranks.items()
            ]
            save(f"range-{int(a)}-{int(b)}.json", [r for r in rows if r["values"]])

"""Gauges, accounting and clocks for the cases of incidents_a. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """What a GPU board can do."""

    model: str
    fb: int
    reserved: int
    limit: float
    idle_w: float
    clock: int
    idle_clock: int
    mem_clock: int
    idle_mem_clock: int
    cool: float
    hot: float
    ecc: bool = True
    remap: bool = True
    nvlink: bool = True
    mem_temp: bool = True


V100 = Board("Tesla V100-SXM2-32GB", 32768, 268, 300, 43, 1530, 135, 877, 877, 32, 64, remap=False)
A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 640, 400, 62, 1410, 210, 1593, 1593, 30, 62)
H100 = Board("NVIDIA H100 80GB HBM3", 81559, 551, 700, 71, 1980, 345, 2619, 2619, 29, 66)
H200 = Board("NVIDIA H200", 143771, 616, 700, 77, 1980, 345, 3201, 3201, 28, 64)
L40S = Board("NVIDIA L40S", 46068, 574, 350, 35, 2520, 210, 9001, 405, 31, 68, nvlink=False, mem_temp=False)
RTX4090 = Board(
    "NVIDIA GeForce RTX 4090",
    24564,
    349,
    450,
    21,
    2745,
    210,
    10501,
    405,
    34,
    71,
    ecc=False,
    remap=False,
    nvlink=False,
    mem_temp=False,
)


@dataclass
class Now:
    """What a GPU does at a moment, before noise: shares from 0 to 1, framebuffer in MiB, ``load`` of the power span."""

    util: float = 0.0
    sm: float = 0.0
    fb: float = 0.0
    load: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    pcie: float = 2e5
    link: float = 0.0
    context: bool = False


IDLE = Now()


@dataclass
class Card:
    """One GPU of a node, with its own bias and counters."""

    board: Board
    host: str
    index: int
    uuid: str
    bus: str
    bias: float
    warm: float
    serial: float
    energy: float
    sbe: int = 0
    sbe_at: Sequence[float] = ()
    xid: int = 0
    xid_at: float = 0.0
    remapped_c: int = 0
    remapped_u: int = 0
    rows: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


BUSES = ("07", "0f", "47", "4e", "87", "90", "b7", "bd")


def cards(rng: Random, board: Board, hosts: Sequence[str], count: int) -> dict[str, list[Card]]:
    """The GPUs of every node."""
    found: dict[str, list[Card]] = {}
    for host in hosts:
        found[host] = []
        for index in range(count):
            raw = "".join(rng.choice("0123456789abcdef") for _ in range(32))
            uuid = f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"
            found[host].append(
                Card(
                    board,
                    host,
                    index,
                    uuid,
                    BUSES[index],
                    rng.gauss(1, 0.012),
                    rng.gauss(0, 1.8),
                    rng.random(),
                    rng.uniform(2e11, 9e11),
                )
            )
    return found


def run(rng: Random, card: Card, times: Sequence[float], doing: Callable[[float], Now], *, prof: bool = True) -> None:
    """Read the GPU at the times given and keep the rows by DCGM's metric name."""
    board, rows = card.board, card.rows
    temp = board.cool + card.warm
    last = times[0] - 15
    for when in times:
        now = doing(when)
        gap = when - last
        last = when
        busy = now.util > 0.02
        held = now.context or busy
        base = board.idle_w * (1.0 if not held else (1.35 if board.idle_w > 40 else 1.6))
        power = base + now.load * (board.limit - base) * card.bias
        power *= 1 + rng.gauss(0, 0.025 if busy else 0.006)
        power = min(power, board.limit * 1.015)
        goal = (
            board.cool
            + card.warm
            + (board.hot - board.cool) * max(0.0, (power - board.idle_w)) / (board.limit * 0.93 - board.idle_w)
        )
        temp += (goal - temp) * (1 - math.exp(-gap / 70.0))
        capped = power > board.limit * 0.972
        clock: float = board.idle_clock
        if held:
            clock = board.clock
        if capped:
            clock = board.clock - rng.choice((15, 30, 45, 60, 75, 90))
        reasons = 0x4 if capped else (0x0 if held else 0x1)
        util = round(100 * min(1.0, max(0.0, now.util + (rng.gauss(0, 0.015) if 0.03 < now.util < 0.995 else 0.0))))
        noisy = lambda value, share: max(0.0, value * (1 + rng.gauss(0, share)))  # noqa: E731
        used = round(now.fb + (rng.choice((0, 0, 0, 2)) if now.fb > 100 else 0))
        card.energy += power * gap * 1000
        put: dict[str, float] = {
            "DCGM_FI_DEV_SM_CLOCK": clock,
            "DCGM_FI_DEV_MEM_CLOCK": board.mem_clock if held else board.idle_mem_clock,
            "DCGM_FI_DEV_GPU_TEMP": round(temp + rng.gauss(0, 0.3)),
            "DCGM_FI_DEV_POWER_USAGE": round(power, 3),
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": round(card.energy),
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 0,
            "DCGM_FI_DEV_GPU_UTIL": util,
            "DCGM_FI_DEV_MEM_COPY_UTIL": min(100, round(100 * noisy(now.dram * 0.9, 0.05))),
            "DCGM_FI_DEV_XID_ERRORS": card.xid if when >= card.xid_at else 0,
            "DCGM_FI_DEV_FB_FREE": board.fb - board.reserved - used,
            "DCGM_FI_DEV_FB_USED": used,
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": reasons,
        }
        if board.mem_temp:
            put["DCGM_FI_DEV_MEMORY_TEMP"] = round(temp + 3 + 6 * now.dram + rng.gauss(0, 0.4))
        if board.ecc:
            put["DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"] = card.sbe + sum(1 for at in card.sbe_at if at <= when)
            put["DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"] = 0
        if board.remap:
            put["DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"] = card.remapped_c
            put["DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"] = card.remapped_u
            put["DCGM_FI_DEV_ROW_REMAP_FAILURE"] = 0
        elif board.ecc:
            put["DCGM_FI_DEV_RETIRED_SBE"] = card.remapped_c
            put["DCGM_FI_DEV_RETIRED_DBE"] = card.remapped_u
        if prof:
            engine = min(1.0, now.util if now.util > 0.995 else noisy(now.util, 0.01))
            put["DCGM_FI_PROF_GR_ENGINE_ACTIVE"] = round(engine if now.util < 0.995 else 1 - abs(rng.gauss(0, 2e-3)), 6)
            put["DCGM_FI_PROF_SM_ACTIVE"] = round(min(engine, noisy(now.sm, 0.035)), 6)
            put["DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"] = round(noisy(now.tensor, 0.05), 6)
            put["DCGM_FI_PROF_DRAM_ACTIVE"] = round(noisy(now.dram, 0.04), 6)
            put["DCGM_FI_PROF_PCIE_TX_BYTES"] = round(noisy(now.pcie, 0.12))
            put["DCGM_FI_PROF_PCIE_RX_BYTES"] = round(noisy(now.pcie * 1.13, 0.12))
        if board.nvlink:
            put["DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"] = round(noisy(now.link, 0.06))
        for name, value in put.items():
            rows.setdefault(name, []).append((when, value))


def matrix(path: Path, series: Sequence[tuple[Mapping[str, str], Sequence[tuple[float, float]]]]) -> None:
    """Write a Prometheus query_range answer."""
    result = [{"metric": dict(labels), "values": [[t, f"{v:.12g}"] for t, v in values]} for labels, values in series]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(answer, separators=(",", ":")) + "\n")


def series(
    found: Sequence[Card], labels: Callable[[Card], Mapping[str, str]]
) -> list[tuple[dict[str, str], list[tuple[float, float]]]]:
    """All series of the GPUs, sorted by metric as Prometheus gives them."""
    rows = [({"__name__": name, **labels(card)}, values) for card in found for name, values in card.rows.items()]
    return sorted(rows, key=lambda row: (row[0]["__name__"], row[0].get("Hostname", ""), row[0].get("gpu", "")))


def exporter(card: Card, driver: str = "550.90.07") -> dict[str, str]:
    """The labels of a dcgm-exporter outside Kubernetes."""
    return {
        "DCGM_FI_DRIVER_VERSION": driver,
        "Hostname": card.host,
        "UUID": card.uuid,
        "device": f"nvidia{card.index}",
        "gpu": str(card.index),
        "instance": f"{card.host}:9400",
        "job": "dcgm",
        "modelName": card.board.model,
        "pci_bus_id": f"00000000:{card.bus.upper()}:00.0",
    }


def inventory(place: Path, found: Mapping[str, Sequence[Card]]) -> None:
    """What ``nvidia-smi -L`` says on each node, one file for all as ``clush`` or ``srun -l`` would collect."""
    lines = [f"{host}: GPU {c.index}: {c.board.model} (UUID: {c.uuid})" for host, all_ in found.items() for c in all_]
    (place / "nvidia-smi-L.txt").write_text("\n".join(lines) + "\n")


def smi(path: Path, found: Sequence[Card], zone: int, rng: Random, until: float = 1e18) -> None:
    """Write ``nvidia-smi --query-gpu=... --format=csv -l N`` of one node."""
    board = found[0].board
    head = [
        "timestamp",
        "index",
        "uuid",
        "name",
        "pci.bus_id",
        "utilization.gpu [%]",
        "utilization.memory [%]",
        "memory.used [MiB]",
        "memory.total [MiB]",
        "power.draw [W]",
        "power.limit [W]",
        "temperature.gpu",
        "temperature.memory",
        "clocks.current.sm [MHz]",
        "clocks.current.memory [MHz]",
        "pstate",
        "clocks_throttle_reasons.active",
        "ecc.errors.corrected.volatile.total",
        "ecc.errors.uncorrected.volatile.total",
    ]
    lines = [", ".join(head)]
    times = [t for t, _ in found[0].rows["DCGM_FI_DEV_GPU_UTIL"]]
    for place, when in enumerate(times):
        if when > until:
            break
        stamp = at(when, zone).strftime("%Y/%m/%d %H:%M:%S") + f".{rng.randrange(100, 140):03d}"
        for card in found:
            get = lambda name, c=card: c.rows["DCGM_FI_DEV_" + name][place][1]  # noqa: B023, E731
            idle = get("CLOCK_THROTTLE_REASONS") == 1
            lines.append(
                ", ".join(
                    [
                        stamp,
                        str(card.index),
                        card.uuid,
                        board.model,
                        f"00000000:{card.bus.upper()}:00.0",
                        f"{get('GPU_UTIL'):.0f} %",
                        f"{get('MEM_COPY_UTIL'):.0f} %",
                        f"{get('FB_USED'):.0f} MiB",
                        f"{board.fb} MiB",
                        f"{get('POWER_USAGE'):.2f} W",
                        f"{board.limit:.2f} W",
                        f"{get('GPU_TEMP'):.0f}",
                        f"{get('MEMORY_TEMP'):.0f}" if board.mem_temp else "N/A",
                        f"{get('SM_CLOCK'):.0f} MHz",
                        f"{get('MEM_CLOCK'):.0f} MHz",
                        "P0" if board.nvlink or not idle else "P8",
                        f"0x{int(get('CLOCK_THROTTLE_REASONS')):016x}",
                        f"{get('ECC_SBE_VOL_TOTAL'):.0f}" if board.ecc else "[N/A]",
                        f"{get('ECC_DBE_VOL_TOTAL'):.0f}" if board.ecc else "[N/A]",
                    ]
                )
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def at(when: float, zone: int) -> datetime:
    """The moment in a zone so many hours from UTC."""
    return datetime.fromtimestamp(when, timezone(timedelta(hours=zone)))


def epoch(text: str, zone: int) -> float:
    """The epoch seconds of ``2026-02-03T04:05:06`` in the zone."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=zone))).timestamp()


def iso(when: float, zone: int) -> str:
    """As Slurm prints a time."""
    return at(when, zone).strftime("%Y-%m-%dT%H:%M:%S")


def elapsed(seconds: float) -> str:
    """As Slurm prints a length."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def dmesg_t(when: float, zone: int) -> str:
    """The stamp of ``dmesg -T``."""
    return at(when, zone).strftime("[%a %b %e %H:%M:%S %Y]")


def grid(start: float, end: float, step: float) -> list[float]:
    """Scrape times."""
    return [start + step * i for i in range(int((end - start) // step) + 1)]


def put(path: Path, lines: Sequence[str]) -> None:
    """Write lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")

"""Gauges of simulated GPUs and the forms in which people hand them over.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """What does not change of a kind of GPU."""

    name: str
    total: int
    reserved: int
    idle_w: float
    cap_w: float
    mhz: int
    idle_mhz: int
    mem_mhz: int
    profiling: bool = True
    hbm: bool = True
    link: bool = True


A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 699, 62, 400, 1410, 210, 1593)
L4 = Board("NVIDIA L4", 23034, 472, 16.5, 72, 2040, 210, 6251, hbm=False, link=False)
V100 = Board("Tesla V100-SXM2-32GB", 32768, 262, 42, 300, 1530, 135, 877)
H200 = Board("NVIDIA H200", 143771, 601, 76, 700, 1980, 345, 3201)
R4090 = Board("NVIDIA GeForce RTX 4090", 24564, 342, 19, 450, 2745, 210, 10501, profiling=False, hbm=False, link=False)


@dataclass(frozen=True)
class Load:
    """What a GPU does from a moment on; shares are between 0 and 1, traffic in MB/s."""

    util: float = 0.0
    engine: float = 0.0
    sm: float = 0.0
    occ: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    watts: float = 0.0
    fb: float = 0.0
    pcie: float = 0.0
    link: float = 0.0
    reasons: int = 0
    noise: float = 0.03
    drop: float = 0.0
    clock: float = 1.0


@dataclass
class Gpu:
    """One GPU, its loads in order of time, and its counters."""

    node: str
    index: int
    board: Board
    loads: list[tuple[float, Load]]
    uuid: str = ""
    bus: str = ""
    ambient: float = 27.0
    sbe: list[float] = field(default_factory=list)
    sbe_before: int = 0
    remapped: int = 0
    xids: list[tuple[float, int]] = field(default_factory=list)
    rows: list[dict[str, float]] = field(default_factory=list)

    def name_it(self, rng: Random) -> None:
        """Draw its names."""
        h = f"{rng.getrandbits(128):032x}"
        self.uuid = f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"
        self.bus = f"00000000:{(0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF)[self.index]:02X}:00.0"
        self.ambient = rng.uniform(24, 29)

    def run(self, begin: float, end: float, step: float, rng: Random) -> None:
        """Fill the rows with samples from begin to end."""
        self.name_it(rng)
        board, heat, energy = self.board, 0.0, rng.randrange(10**11, 10**13)
        slope = 30.0 / board.cap_w if board.hbm else 40.0 / board.cap_w
        skew = rng.uniform(0.985, 1.015)
        t, heat, prev = begin, board.idle_w, 0.0
        while t <= end:
            load = Load()
            for since, item in self.loads:
                if since <= t:
                    load = item
            low = rng.random() < load.drop
            scale = rng.uniform(0.05, 0.6) if low else 1.0

            def part(value: float, scale: float = scale, noise: float = load.noise) -> float:
                return min(1.0, max(0.0, value * scale * (1 + rng.gauss(0, noise))))

            watts = max(load.watts, board.idle_w) * skew
            watts = board.idle_w + (watts - board.idle_w) * (0.35 + 0.65 * scale if low else 1.0)
            watts = min(board.cap_w * 1.008, watts * (1 + rng.gauss(0, max(0.004, load.noise * 0.5))))
            heat += (watts - heat) * (1 - 2.718 ** (-step / 75))
            held = load.fb > 0
            busy = load.util > 0 or held
            util = 1.0 if load.util >= 1 and not low else part(load.util)
            capped = load.reasons and watts > board.cap_w * 0.965
            clk = board.mhz * load.clock if busy else board.idle_mhz
            if capped:
                clk *= rng.uniform(0.86, 0.97)
            clk = clk // 15 * 15
            temp = self.ambient + 6 + slope * heat
            energy += int((watts + prev) / 2 * step * 1000)
            prev = watts
            self.rows.append(
                {
                    "t": round(t, 3),
                    "util": round(util * 100),
                    "copy": round(part(load.dram * 1.15) * 100),
                    "engine": 1.0 if load.engine >= 1 else part(load.engine),
                    "sm": part(load.sm),
                    "occ": part(load.occ),
                    "tensor": part(load.tensor),
                    "dram": part(load.dram),
                    "fb": round(load.fb) if held else (0 if board.hbm else 1),
                    "watts": watts,
                    "clk": clk,
                    "mclk": board.mem_mhz if busy or board.hbm else 405,
                    "temp": round(temp + rng.uniform(-0.4, 0.4)),
                    "mtemp": round(temp + 7 + rng.uniform(-0.4, 0.6)) if board.hbm else 0,
                    "rx": load.pcie * 1e6 * rng.uniform(0.7, 1.3) * scale + rng.uniform(2e4, 9e4),
                    "tx": load.pcie * 0.4e6 * rng.uniform(0.7, 1.3) * scale + rng.uniform(1e4, 6e4),
                    "link": load.link * 1e6 * rng.uniform(0.93, 1.07) * scale,
                    "energy": energy,
                    "reasons": 4 if capped else (0 if busy and (util or load.util) else 1),
                    "sbe": sum(x <= t for x in self.sbe),
                    "sbe_all": self.sbe_before + sum(x <= t for x in self.sbe),
                    "xid": ([0] + [code for since, code in self.xids if since <= t])[-1],
                }
            )
            t += step


FIELDS = (
    ("DCGM_FI_DEV_SM_CLOCK", "clk", 0),
    ("DCGM_FI_DEV_MEM_CLOCK", "mclk", 0),
    ("DCGM_FI_DEV_GPU_TEMP", "temp", 0),
    ("DCGM_FI_DEV_MEMORY_TEMP", "mtemp", 0),
    ("DCGM_FI_DEV_POWER_USAGE", "watts", 3),
    ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "energy", 0),
    ("DCGM_FI_DEV_GPU_UTIL", "util", 0),
    ("DCGM_FI_DEV_MEM_COPY_UTIL", "copy", 0),
    ("DCGM_FI_DEV_FB_USED", "fb", 0),
    ("DCGM_FI_DEV_FB_FREE", "free", 0),
    ("DCGM_FI_DEV_XID_ERRORS", "xid", 0),
    ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "reasons", 0),
    ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "sbe", 0),
    ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "zero", 0),
    ("DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", "sbe_all", 0),
    ("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "remapped", 0),
    ("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "zero", 0),
    ("DCGM_FI_DEV_ROW_REMAP_FAILURE", "zero", 0),
    ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "engine", 6),
    ("DCGM_FI_PROF_SM_ACTIVE", "sm", 6),
    ("DCGM_FI_PROF_SM_OCCUPANCY", "occ", 6),
    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor", 6),
    ("DCGM_FI_PROF_DRAM_ACTIVE", "dram", 6),
    ("DCGM_FI_PROF_PCIE_RX_BYTES", "rx", 0),
    ("DCGM_FI_PROF_PCIE_TX_BYTES", "tx", 0),
    ("DCGM_FI_PROF_NVLINK_RX_BYTES", "link", 0),
)


def prometheus(path: Path, gpus: Sequence[Gpu], driver: str, *, profiling: bool = True) -> None:
    """Write what query_range answers for these GPUs."""
    result = []
    for metric, key, digits in FIELDS:
        for gpu in gpus:
            board = gpu.board
            if ("_PROF_" in metric and not (profiling and board.profiling)) or (key == "link" and not board.link):
                continue
            if ("REMAP" in metric and (board is V100 or board is R4090)) or (key == "mtemp" and not board.hbm):
                continue
            values = []
            for row in gpu.rows:
                value = {"free": board.total - board.reserved - row["fb"], "zero": 0, "remapped": gpu.remapped}.get(
                    key, row.get(key, 0)
                )
                values.append([row["t"], f"{value:.{digits}f}" if digits else str(int(value))])
            labels = {
                "__name__": metric,
                "DCGM_FI_DRIVER_VERSION": driver,
                "Hostname": gpu.node,
                "UUID": gpu.uuid,
                "device": f"nvidia{gpu.index}",
                "gpu": str(gpu.index),
                "instance": f"{gpu.node}:9400",
                "job": "dcgm-exporter",
                "modelName": board.name,
                "pci_bus_id": gpu.bus,
            }
            result.append({"metric": labels, "values": values})
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    path.write_text(json.dumps(answer, separators=(",", ":")) + "\n")


def smi(path: Path, gpus: Sequence[Gpu], hours: float, rng: Random) -> None:
    """Write nvidia-smi's csv of one node."""
    lines = [
        "timestamp, index, uuid, name, pstate, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
        "memory.total [MiB], power.draw [W], power.limit [W], clocks.current.sm [MHz], clocks.current.memory [MHz], "
        "temperature.gpu, temperature.memory, clocks_event_reasons.active, ecc.errors.corrected.volatile.total, "
        "ecc.errors.uncorrected.volatile.total"
    ]
    for rows in zip(*(gpu.rows for gpu in gpus), strict=True):
        late = rng.uniform(0.002, 0.04)
        for gpu, row in zip(gpus, rows, strict=True):
            late += rng.uniform(0.001, 0.004)
            stamp = local(row["t"] + late, hours)
            lines.append(
                f"{stamp:%Y/%m/%d %H:%M:%S}.{stamp.microsecond // 1000:03d}, {gpu.index}, {gpu.uuid}, {gpu.board.name}, P0, "
                f"{row['util']:.0f} %, {row['copy']:.0f} %, {row['fb']:.0f} MiB, {gpu.board.total} MiB, "
                f"{row['watts']:.2f} W, {gpu.board.cap_w:.2f} W, {row['clk']:.0f} MHz, {row['mclk']:.0f} MHz, "
                f"{row['temp']:.0f}, {row['mtemp']:.0f}, 0x{int(row['reasons']):016x}, {row['sbe']:.0f}, 0"
            )
    path.write_text("\n".join(lines) + "\n")


def dmon(path: Path, gpus: Sequence[Gpu], hours: float) -> None:
    """Write dcgmi dmon's table of one node, a time put before each line."""
    keys = (
        ("GPUTL", "util", 0),
        ("FBUSD", "fb", 0),
        ("POWER", "watts", 3),
        ("TMPTR", "temp", 0),
        ("MMTMP", "mtemp", 0),
        ("SMCLK", "clk", 0),
        ("DVCCTR", "reasons", 0),
        ("ESVTL", "sbe", 0),
        ("EDVTL", "dbe", 0),
        ("XIDER", "xid", 0),
        ("GRACT", "engine", 3),
        ("SMACT", "sm", 3),
        ("SMOCC", "occ", 3),
        ("TENSO", "tensor", 3),
        ("DRAMA", "dram", 3),
        ("PCITX", "tx", 0),
        ("PCIRX", "rx", 0),
    )
    head = "#Entity".ljust(10) + "".join(tag.ljust(14) for tag, _, _ in keys)
    units = "ID".ljust(10) + "".join(
        {"POWER": "W", "TMPTR": "C", "MMTMP": "C"}.get(tag, "").ljust(14) for tag, _, _ in keys
    )
    lines = []
    for number, rows in enumerate(zip(*(gpu.rows for gpu in gpus), strict=True)):
        stamp = f"{local(rows[0]['t'], hours):%Y-%m-%d %H:%M:%S} "
        if number % 22 == 0:
            lines += [stamp + head.rstrip(), stamp + units.rstrip()]
        for gpu, row in zip(gpus, rows, strict=True):
            cells = "".join(f"{row.get(key, 0):.{digits}f}".ljust(14) for _, key, digits in keys)
            lines.append(stamp + f"GPU {gpu.index}".ljust(10) + cells.rstrip())
    path.write_text("\n".join(lines) + "\n")


def local(t: float, hours: float) -> datetime:
    """The wall clock at a place."""
    return datetime.fromtimestamp(t, UTC).astimezone(timezone(timedelta(hours=hours))).replace(tzinfo=None)


def epoch(text: str, hours: float) -> float:
    """Seconds since 1970 of a wall clock's time."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()


def span(seconds: float) -> str:
    """Seconds as Slurm prints them."""
    s = round(seconds)
    days, s = divmod(s, 86400)
    return (f"{days}-" if days else "") + f"{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}"


def dmesg(path: Path, events: Sequence[tuple[float, str]], hours: float) -> None:
    """Write a kernel log as dmesg -T prints it."""
    path.write_text(
        "".join(
            f"[{local(t, hours):%a %b} {local(t, hours).day:2d} {local(t, hours):%H:%M:%S %Y}] {text}\n"
            for t, text in sorted(events, key=lambda item: item[0])
        )
    )


def journal(path: Path, events: Sequence[tuple[float, str]], hours: float, host: str) -> None:
    """Write a kernel log as journalctl -k prints it."""
    path.write_text(
        "".join(
            f"{local(t, hours):%b %d %H:%M:%S} {host} {text if text[:1] == '+' else 'kernel: ' + text}\n".replace(
                f"{host} +", f"{host} "
            )
            for t, text in sorted(events, key=lambda item: item[0])
        )
    )


def table(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write sacct -P."""
    path.write_text("\n".join("|".join(row) for row in (columns, *rows)) + "\n")


def padded(path: Path, columns: Sequence[tuple[str, int]], rows: Sequence[Sequence[str]]) -> None:
    """Write sacct in columns of fixed width."""
    lines = [" ".join(name.rjust(w) for name, w in columns) + " ", " ".join("-" * w for _, w in columns) + " "]
    for row in rows:
        cells = (c if len(c) <= w else c[: w - 1] + "+" for c, (_, w) in zip(row, columns, strict=True))
        lines.append(" ".join(c.rjust(w) for c, (_, w) in zip(cells, columns, strict=True)) + " ")
    path.write_text("\n".join(lines) + "\n")


def boot(t: float, board: Board, gpus: int, driver: str) -> list[tuple[float, str]]:
    """The quiet lines of a node's start and of its days."""
    lines = [
        (t, "nvidia: loading out-of-tree module taints kernel."),
        (t + 1, f"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {driver}  Release Build"),
        (t + 3, "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  " + driver),
    ]
    lines += [
        (
            t + 4 + i,
            f"[drm] Initialized nvidia-drm 0.0.0 for 0000:{(0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF)[i]:02x}:00.0"
            f" on minor {i + 1}",
        )
        for i in range(gpus)
    ]
    if board.link:
        lines.append((t + 16, "nvidia-nvlink: Nvlink Core is being initialized, major device number 510"))
    lines.append((t + 31, "NFS: Registering the id_resolver key type"))
    return lines

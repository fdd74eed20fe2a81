"""Boards, their physics and the forms of their metrics and kernel logs for incidents_a. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Model:
    """What a board of this kind draws and runs at."""

    name: str
    idle: float
    held: float
    cap: float
    memory: int
    sm: int
    mem_clock: int
    idle_sm: int
    idle_mem: int
    heat: float
    passive: bool = True


L40S = Model("NVIDIA L40S", 34, 88, 350, 46068, 2520, 9001, 210, 405, 0.115)
H200 = Model("NVIDIA H200", 76, 121, 700, 143771, 1980, 3201, 345, 3201, 0.050)
A6000 = Model("NVIDIA RTX A6000", 22, 79, 300, 49140, 1860, 7601, 210, 405, 0.150, passive=False)
H100 = Model("NVIDIA H100 80GB HBM3", 71, 118, 700, 81559, 1980, 2619, 345, 2619, 0.054)
B200 = Model("NVIDIA B200", 142, 201, 1000, 183359, 1965, 3996, 120, 3996, 0.036)
G4090 = Model("NVIDIA GeForce RTX 4090", 19, 62, 450, 24564, 2745, 10251, 210, 405, 0.095, passive=False)


@dataclass(frozen=True)
class Load:
    """What a board does in a moment: shares from 0 to 1."""

    util: float
    power: float
    sm: float
    tensor: float
    dram: float
    memory: float
    limit: int = 0
    reasons: int = 0
    warmer: float = 0.0
    jitter: float = 1.0


@dataclass
class Board:
    """A board and the samples taken of it."""

    node: str
    index: int
    model: Model
    uuid: str
    bus: str
    ambient: float
    rows: list[dict[str, float]] = field(default_factory=list)


def uuid(rng: Random) -> str:
    """Name a board as the driver does."""
    h = f"{rng.getrandbits(128):032x}"
    return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def boards(rng: Random, node: str, model: Model, buses: Sequence[str]) -> list[Board]:
    """Give a node its boards."""
    return [
        Board(node, i, model, uuid(rng), f"00000000:{bus}:00.0", rng.uniform(25, 31)) for i, bus in enumerate(buses)
    ]


def sample(
    rng: Random,
    board: Board,
    times: Iterable[float],
    load: Callable[[float], Load | None],
    counts: Callable[[float], Mapping[str, float]] | None = None,
) -> None:
    """Sample a board: power by load and clock, temperature after power with a lag."""
    m = board.model
    warm, last, energy = board.ambient + m.heat * m.idle, None, rng.uniform(2e9, 9e9)
    for t in times:
        now = load(t)
        row: dict[str, float] = {"t": t}
        if now is None:
            power = m.idle + rng.gauss(0, 0.7)
            row |= {"util": 0, "mutil": 0, "mem": 1 if m.passive else 14, "sm": m.idle_sm, "memclk": m.idle_mem}
            row |= {"reasons": 1, "act": 0, "tensor": 0, "dram": 0}
            more = 0.0
        else:
            shake = rng.gauss(0, 1) * now.jitter
            work = max(0.0, min(1.0, now.power + 0.018 * shake))
            clock = m.sm
            reasons = now.reasons
            if now.limit:
                clock = now.limit + 15 * rng.randint(-2, 2)
            elif work > 0.97:
                clock -= 15 * rng.randint(2, 14)
                reasons |= 4
            elif work > 0.5:
                clock -= 15 * rng.choice((0, 0, 0, 1, 2))
            power = m.held + (m.cap - m.held) * work * (clock / m.sm) ** 1.6 + rng.gauss(0, 2)
            busy = now.util > 0.005
            power = min(power, m.cap * rng.uniform(0.985, 1.004))
            share = max(0.0, min(1.0, now.util + 0.012 * shake - (0.01 if rng.random() < 0.1 else 0))) if busy else 0.0
            row |= {
                "util": round(100 * share),
                "mutil": round(100 * min(share, now.dram * 1.05 + 0.01 * abs(shake))),
                "mem": round(now.memory + (rng.choice((0, 0, 0, 2)) if busy else 0)),
                "sm": clock,
                "memclk": m.mem_clock,
                "reasons": reasons if busy else reasons | 1,
                "act": max(0.0, min(share, now.sm * (1 + 0.02 * shake))),
                "tensor": max(0.0, min(0.5 * share, now.tensor * (1 + 0.02 * shake))),
                "dram": max(0.0, min(0.7 * share, now.dram * (1 + 0.02 * shake))),
            }
            more = now.warmer
        gap = 0 if last is None else t - last
        goal = board.ambient + m.heat * power + more
        warm += (goal - warm) * min(1.0, gap / (70 if gap < 70 else gap))
        energy += power * gap * 1000
        row |= {"power": power, "temp": round(warm + rng.gauss(0, 0.3)), "energy": energy}
        row["mtemp"] = row["temp"] + (8 if now and now.util > 0.3 else 3)
        row |= {"sbe": 0, "dbe": 0, "xid": 0, "therm": 0, "pviol": 0}
        if counts:
            row |= counts(t)
        board.rows.append(row)
        last = t


def epoch(text: str, hours: int = 0) -> float:
    """Seconds since 1970 of a local time in a zone of so many hours."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()


def at(t: float, form: str, hours: int = 0) -> str:
    """A moment in the local time of a zone."""
    return datetime.fromtimestamp(t, timezone(timedelta(hours=hours))).strftime(form)


def ms(t: float, hours: int = 0, form: str = "%Y-%m-%d %H:%M:%S", mark: str = ",") -> str:
    """A moment with its thousandths."""
    return at(t, form, hours) + f"{mark}{int(t * 1000) % 1000:03d}"


def put(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def smi_csv(rng: Random, path: Path, group: Sequence[Board], hours: int, columns: Sequence[str]) -> None:
    """Write what ``nvidia-smi --query-gpu=... --format=csv -l`` prints of a node."""
    units = {
        "utilization.gpu": "%",
        "utilization.memory": "%",
        "memory.used": "MiB",
        "memory.total": "MiB",
        "power.draw": "W",
        "clocks.current.sm": "MHz",
        "clocks.sm": "MHz",
        "clocks.mem": "MHz",
    }
    lines = [", ".join(f"{c} [{units[c]}]" if c in units else c for c in columns)]
    for rows in zip(*(b.rows for b in group), strict=True):
        drift = rng.uniform(0.02, 0.4)
        for board, r in zip(group, rows, strict=True):
            drift += 0.003
            cells = {
                "timestamp": ms(r["t"] + drift, hours, "%Y/%m/%d %H:%M:%S", "."),
                "index": str(board.index),
                "name": board.model.name,
                "uuid": board.uuid,
                "pci.bus_id": board.bus,
                "pstate": "P0" if r["mem"] > 20 else "P8",
                "temperature.gpu": f"{r['temp']:.0f}",
                "temperature.memory": f"{r['mtemp']:.0f}",
                "utilization.gpu": f"{r['util']:.0f} %",
                "utilization.memory": f"{r['mutil']:.0f} %",
                "memory.used": f"{r['mem']:.0f} MiB",
                "memory.total": f"{board.model.memory} MiB",
                "power.draw": f"{r['power']:.2f} W",
                "clocks.sm": f"{r['sm']:.0f} MHz",
                "clocks.current.sm": f"{r['sm']:.0f} MHz",
                "clocks.mem": f"{r['memclk']:.0f} MHz",
                "clocks_throttle_reasons.active": f"0x{int(r['reasons']):016X}",
                "clocks_event_reasons.active": f"0x{int(r['reasons']):016X}",
                "ecc.errors.corrected.volatile.total": f"{r['sbe']:.0f}",
                "ecc.errors.uncorrected.volatile.total": f"{r['dbe']:.0f}",
            }
            lines.append(", ".join(cells[c] for c in columns))
    put(path, "\n".join(lines) + "\n")


def matrix(series: Iterable[tuple[dict[str, str], list[list[object]]]]) -> str:
    """The answer of query_range."""
    result = [{"metric": labels, "values": values} for labels, values in series if values]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    return json.dumps(answer, separators=(",", ":")) + "\n"


DCGM = {
    "DCGM_FI_DEV_GPU_UTIL": ("util", "{:.0f}"),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("mutil", "{:.0f}"),
    "DCGM_FI_DEV_FB_USED": ("mem", "{:.0f}"),
    "DCGM_FI_DEV_POWER_USAGE": ("power", "{:.3f}"),
    "DCGM_FI_DEV_GPU_TEMP": ("temp", "{:.0f}"),
    "DCGM_FI_DEV_MEMORY_TEMP": ("mtemp", "{:.0f}"),
    "DCGM_FI_DEV_SM_CLOCK": ("sm", "{:.0f}"),
    "DCGM_FI_DEV_XID_ERRORS": ("xid", "{:.0f}"),
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": ("reasons", "{:.0f}"),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("dbe", "{:.0f}"),
    "DCGM_FI_DEV_POWER_VIOLATION": ("pviol", "{:.0f}"),
    "DCGM_FI_DEV_THERMAL_VIOLATION": ("therm", "{:.0f}"),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("gr", "{:.6f}"),
    "DCGM_FI_PROF_SM_ACTIVE": ("act", "{:.6f}"),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("tensor", "{:.6f}"),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("dram", "{:.6f}"),
}


def dcgm(
    folder: Path,
    group: Sequence[Board],
    metrics: Sequence[str],
    address: Mapping[str, str],
    driver: str,
    pods: Mapping[str, dict[str, str]] | None = None,
    held: tuple[float, float] = (0, 0),
) -> None:
    """Write a file a metric; with pods, the samples while a pod holds the board are a series of their own."""
    for metric in metrics:
        key, form = DCGM[metric]
        series = []
        for b in group:
            base = {
                "__name__": metric,
                "DCGM_FI_DRIVER_VERSION": driver,
                "Hostname": b.node,
                "UUID": b.uuid,
                "device": f"nvidia{b.index}",
                "gpu": str(b.index),
                "instance": address[b.node],
                "job": "dcgm-exporter",
                "modelName": b.model.name,
                "pci_bus_id": b.bus,
            }
            value = (lambda r: r["util"] / 100) if key == "gr" else (lambda r, key=key: r[key])
            points = [[int(r["t"]), form.format(value(r))] for r in b.rows]
            if pods:
                inside = [p for p in points if held[0] <= p[0] <= held[1]]
                series.append((base, [p for p in points if not held[0] <= p[0] <= held[1]]))
                series.append((base | pods[b.node], inside))
            else:
                series.append((base, points))
        put(folder / f"{metric}.json", matrix(series))


def exporter(
    folder: Path,
    group: Sequence[Board],
    address: Mapping[str, str],
    driver: str,
    reasons: str,
    job: str,
    ecc: bool,
    ups: Mapping[str, list[list[object]]] | None = None,
    vbios: str = "94.02.5C.00.03",
) -> None:
    """Write a file a metric of nvidia_gpu_exporter."""
    bits = {
        "gpu_idle": 1,
        "sw_power_cap": 4,
        "hw_slowdown": 8,
        "sw_thermal_slowdown": 32,
        "hw_thermal_slowdown": 64,
        "hw_power_brake_slowdown": 128,
    }
    values: dict[str, Callable[[dict[str, float]], str]] = {
        "utilization_gpu_ratio": lambda r: f"{r['util'] / 100:g}",
        "utilization_memory_ratio": lambda r: f"{r['mutil'] / 100:g}",
        "memory_used_bytes": lambda r: f"{int(r['mem']) * 1048576}",
        "power_draw_watts": lambda r: f"{r['power']:.2f}",
        "temperature_gpu": lambda r: f"{r['temp']:.0f}",
        "clocks_current_sm_clock_hz": lambda r: f"{int(r['sm']) * 1000000}",
        "pstate": lambda r: "0" if r["mem"] > 20 or r["memclk"] in (2619, 3201) else "8",
    }
    for word, bit in bits.items():
        values[f"{reasons}_{word}"] = lambda r, bit=bit: str(int(bool(int(r["reasons"]) & bit)))
    if ecc:
        values["ecc_errors_corrected_volatile_total"] = lambda r: f"{r['sbe']:.0f}"
        values["ecc_errors_uncorrected_volatile_total"] = lambda r: f"{r['dbe']:.0f}"
    for name, value in values.items():
        put(
            folder / f"nvidia_smi_{name}.json",
            matrix(
                (
                    {"__name__": f"nvidia_smi_{name}", "instance": address[b.node], "job": job, "uuid": b.uuid[4:]},
                    [[int(r["t"]), value(r)] for r in b.rows],
                )
                for b in group
            ),
        )
    put(
        folder / "nvidia_smi_gpu_info.json",
        matrix(
            (
                {
                    "__name__": "nvidia_smi_gpu_info",
                    "driver_model_current": "N/A",
                    "driver_version": driver,
                    "instance": address[b.node],
                    "job": job,
                    "name": b.model.name,
                    "uuid": b.uuid[4:],
                    "vbios_version": vbios,
                },
                [[int(r["t"]), "1"] for r in b.rows[::10]],
            )
            for b in group
        ),
    )
    if ups:
        put(
            folder / "nvidia_smi_command_exit_code.json",
            matrix(
                ({"__name__": "nvidia_smi_command_exit_code", "instance": address[n], "job": job}, v)
                for n, v in ups.items()
            ),
        )


def kernel(path: Path, node: str, lines: Iterable[tuple[float, str]], form: str, hours: int, boot: float) -> None:
    """Write a kernel log in one of its forms."""
    out = []
    for k, (when, text) in enumerate(sorted(lines, key=lambda x: x[0])):
        t = when + 0.000013 * k
        if text.startswith("-- "):
            out.append(text)
        elif text.startswith("systemd-journald["):
            out.append(f"{at(t, '%b %d %H:%M:%S', hours)} {node} {text}")
        elif form == "dmesg -T":
            out.append(f"[{at(t, '%a %b %e %H:%M:%S %Y', hours)}] {text}")
        elif form == "dmesg iso":
            zone = f"{'+' if hours >= 0 else '-'}{abs(hours):02d}:00"
            out.append(f"{at(t, '%Y-%m-%dT%H:%M:%S', hours)},{int(t * 1e6) % 1000000:06d}{zone} {text}")
        elif form == "syslog":
            out.append(f"{at(t, '%b %e %H:%M:%S', hours)} {node} kernel: [{t - boot:12.6f}] {text}")
        else:
            out.append(f"{at(t, '%b %d %H:%M:%S', hours)} {node} kernel: {text}")
    put(path, "\n".join(out) + "\n")

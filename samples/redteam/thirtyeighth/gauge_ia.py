"""Gauges, accounting, and kernel logs of incidents t01 to t08. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class Board:
    """A GPU board as its driver describes it."""

    model: str
    total: int  # MiB as nvidia-smi shows it
    reserved: int
    limit: float
    idle: float
    low: int  # SM clock without a context
    top: int
    mem: int
    cool: float  # temperature without a load
    slope: float  # degrees a watt
    driver: str
    hbm: bool = True
    prof: bool = True
    remap: bool = True


A100 = Board("NVIDIA A100-SXM4-80GB", 81920, 593, 400, 62, 210, 1410, 1593, 27, 0.095, "550.127.08")
H200 = Board("NVIDIA H200", 143771, 613, 700, 76, 345, 1980, 3201, 26, 0.062, "570.133.20")
L4 = Board("NVIDIA L4", 23034, 461, 72, 12.5, 210, 2040, 6251, 31, 0.55, "550.90.12", hbm=False)
V100 = Board("Tesla V100-SXM2-32GB", 32768, 263, 300, 42, 135, 1530, 877, 30, 0.105, "535.216.03", remap=False)
R4090 = Board(
    "NVIDIA GeForce RTX 4090",
    24564,
    512,
    450,
    19,
    210,
    2760,
    10501,
    29,
    0.098,
    "560.35.05",
    hbm=False,
    prof=False,
    remap=False,
)


@dataclass(frozen=True)
class Mode:
    """How a GPU is used during a span."""

    util: float = 0
    copy: float = 0
    gr: float = 0
    sm: float = 0
    occ: float = 0
    tensor: float = 0
    dram: float = 0
    fb: int = 0
    watts: float = 0
    clock: int = 0
    reason: int = 1
    pcie: float = 0  # bytes a second
    link: float = 0
    spread: float = 0.03
    burst: float = 0  # chance that an instantaneous utilisation is high


@dataclass
class Card:
    """One GPU of one node with its spans and its counters."""

    host: str
    index: int
    board: Board
    spans: list[tuple[float, float, Mode]]
    uuid: str
    bus: str
    rest: float
    counters: dict[str, list[tuple[float, int]]] = field(default_factory=dict)  # name: (from when, value)
    cool: float = 0


def card(rng: Random, host: str, index: int, board: Board, spans: list[tuple[float, float, Mode]]) -> Card:
    """Give a GPU its identity."""
    raw = "".join(rng.choice("0123456789abcdef") for _ in range(32))
    uuid = f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"
    bus = f"00000000:{(0x07, 0x0B, 0x48, 0x4C, 0x88, 0x8B, 0xC8, 0xCB)[index]:02X}:00.0"
    return Card(
        host, index, board, spans, uuid, bus, board.idle * rng.uniform(0.94, 1.07), {}, board.cool + rng.uniform(-2, 3)
    )


def counter(one: Card, name: str, when: float, default: int = 0) -> int:
    """Value of a counter at a time."""
    value = default
    for since, number in one.counters.get(name, ()):
        if when >= since:
            value = number
    return value


def readings(rng: Random, one: Card, times: Sequence[float]) -> list[dict[str, float]]:
    """What the board shows at the times."""
    board = one.board
    rows = []
    heat = one.cool + board.slope * one.rest
    energy = rng.uniform(2e11, 9e12)
    replay = rng.choice((0, 0, 0, 1, 3))
    last = times[0]
    for when in times:
        mode = next((m for a, b, m in one.spans if a <= when < b), Mode())
        noise = rng.gauss(1, mode.spread)

        def part(value: float, noise: float = noise, mode: Mode = mode) -> float:
            return max(0.0, min(1.0, value * noise * rng.gauss(1, mode.spread / 2))) if value else 0.0

        util = mode.util
        if mode.burst:
            util = rng.randint(62, 99) if rng.random() < mode.burst else rng.choice((0, 0, 0, 0, 1, 2))
        elif 0 < util < 99.5:
            util = max(0, min(100, round(rng.gauss(util, 1.4))))
        watts = (mode.watts * (1 + (noise - 1) * 0.7) if mode.watts else one.rest) + rng.gauss(0, 0.006 * board.limit)
        if mode.burst and util > 50:
            watts += 0.3 * board.limit
        watts = max(board.idle * 0.8, min(board.limit * 1.012, watts))
        gap = when - last
        heat += (one.cool + board.slope * watts - heat) * min(1.0, gap / 75)
        energy += watts * gap * 1000
        clock = mode.clock or board.low
        if mode.reason & 4:
            clock = 15 * round((clock + rng.gauss(0, 22)) / 15) if board.top % 15 == 0 else round(clock)
            clock = min(clock, board.top)
        fb = mode.fb + (round(rng.gauss(0, 14)) if mode.spread > 0.031 and mode.fb else 0)
        rows.append(
            {
                "t": when,
                "util": int(util),
                "copy": max(0, round(mode.copy * noise)),
                "gr": part(mode.gr),
                "sm": part(mode.sm),
                "occ": part(mode.occ),
                "tensor": part(mode.tensor),
                "dram": part(mode.dram),
                "fb": fb,
                "watts": watts,
                "clock": clock,
                "reason": mode.reason,
                "temp": round(heat + rng.gauss(0, 0.35)),
                "mtemp": round(heat + 6 + 0.012 * watts + rng.gauss(0, 0.5)),
                "energy": energy,
                "replay": replay,
                "tx": mode.pcie * 0.6 * noise + rng.uniform(2e4, 9e4),
                "rx": mode.pcie * noise + rng.uniform(2e4, 9e4),
                "link": mode.link * noise,
                "xid": counter(one, "xid", when),
                "sbe": counter(one, "sbe", when),
                "dbe": 0,
                "corr": counter(one, "corr", when),
                "uncorr": counter(one, "uncorr", when),
                "sbeagg": counter(one, "sbeagg", when) + counter(one, "sbe", when),
            }
        )
        last = when
    return rows


def matrix(
    rng: Random,
    cards: Sequence[Card],
    times: Sequence[float],
    *,
    prof: bool = True,
    ecc: bool = True,
    reasons: str = "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    job: str = "dcgm-exporter",
) -> str:
    """Prometheus's answer to query_range."""
    result = []
    for one in cards:
        rows = readings(rng, one, times)
        board = one.board
        names: dict[str, tuple[str, int]] = {
            "DCGM_FI_DEV_SM_CLOCK": ("clock", 0),
            "DCGM_FI_DEV_GPU_TEMP": ("temp", 0),
            "DCGM_FI_DEV_POWER_USAGE": ("watts", 3),
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("energy", 0),
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": ("replay", 0),
            "DCGM_FI_DEV_GPU_UTIL": ("util", 0),
            "DCGM_FI_DEV_MEM_COPY_UTIL": ("copy", 0),
            "DCGM_FI_DEV_XID_ERRORS": ("xid", 0),
            "DCGM_FI_DEV_FB_USED": ("fb", 0),
            reasons: ("reason", 0),
        }
        if board.hbm:
            names["DCGM_FI_DEV_MEMORY_TEMP"] = ("mtemp", 0)
        if ecc:
            names["DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"] = ("sbe", 0)
            names["DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"] = ("dbe", 0)
            names["DCGM_FI_DEV_ECC_SBE_AGG_TOTAL"] = ("sbeagg", 0)
        if board.remap:
            names["DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"] = ("uncorr", 0)
            names["DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"] = ("corr", 0)
            names["DCGM_FI_DEV_ROW_REMAP_FAILURE"] = ("dbe", 0)
        if prof and board.prof:
            names |= {
                "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("gr", 6),
                "DCGM_FI_PROF_SM_ACTIVE": ("sm", 6),
                "DCGM_FI_PROF_SM_OCCUPANCY": ("occ", 6),
                "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("tensor", 6),
                "DCGM_FI_PROF_DRAM_ACTIVE": ("dram", 6),
                "DCGM_FI_PROF_PCIE_TX_BYTES": ("tx", 0),
                "DCGM_FI_PROF_PCIE_RX_BYTES": ("rx", 0),
            }
            if any(m.link for _, _, m in one.spans):
                names["DCGM_FI_PROF_NVLINK_TX_BYTES"] = ("link", 0)
        for name, (key, places) in names.items():
            result.append(
                {
                    "metric": {
                        "__name__": name,
                        "DCGM_FI_DRIVER_VERSION": board.driver,
                        "Hostname": one.host,
                        "UUID": one.uuid,
                        "device": f"nvidia{one.index}",
                        "gpu": str(one.index),
                        "instance": f"{one.host}:9400",
                        "job": job,
                        "modelName": board.model,
                        "pci_bus_id": one.bus,
                    },
                    "values": [
                        [round(row["t"], 3), f"{row[key]:.{places}f}" if places else str(int(row[key]))] for row in rows
                    ],
                }
            )
        result.append(
            {
                "metric": {**result[-1]["metric"], "__name__": "DCGM_FI_DEV_FB_FREE"},
                "values": [[round(row["t"], 3), str(int(board.total - board.reserved - row["fb"]))] for row in rows],
            }
        )
    return (
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
        + "\n"
    )


def smi(rng: Random, cards: Sequence[Card], begin: float, end: float, every: int, zone: timezone) -> str:
    """nvidia-smi --format=csv -l of one node."""
    times = []
    now = begin + rng.random()
    while now < end:
        times.append(now)
        now += every + rng.uniform(0.002, 0.011)
    lines = [
        "timestamp, index, uuid, name, pstate, temperature.gpu, temperature.memory, utilization.gpu [%], "
        "utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W], clocks.current.sm [MHz], "
        "clocks.current.memory [MHz], clocks_event_reasons.active, ecc.errors.corrected.volatile.total, "
        "ecc.errors.uncorrected.volatile.total, remapped_rows.uncorrectable"
    ]
    tables = [(one, readings(rng, one, times)) for one in cards]
    for number in range(len(times)):
        for one, rows in tables:
            row = rows[number]
            stamp = datetime.fromtimestamp(row["t"] + one.index * 0.0021, zone)
            lines.append(
                f"{stamp:%Y/%m/%d %H:%M:%S}.{stamp.microsecond // 1000:03d}, {one.index}, {one.uuid}, "
                f"{one.board.model}, P0, {row['temp']}, {row['mtemp']}, {row['util']} %, {row['copy']} %, "
                f"{int(row['fb'])} MiB, {one.board.total} MiB, {row['watts']:.2f} W, {int(row['clock'])} MHz, "
                f"{one.board.mem} MHz, 0x{int(row['reason']):016X}, {row['sbe']}, {row['dbe']}, {row['uncorr']}"
            )
    return "\n".join(lines) + "\n"


def dmon(rng: Random, cards: Sequence[Card], times: Sequence[float], zone: timezone) -> str:
    """Dcgmi dmon of one node, through ts '%Y-%m-%dT%H:%M:%S%z'."""
    heads = (
        "GPUTL",
        "MCUTL",
        "FBUSD",
        "TMPTR",
        "POWER",
        "SMCLK",
        "GRACT",
        "SMACT",
        "TENSO",
        "DRAMA",
        "ESVTL",
        "EDVTL",
        "XIDER",
    )
    tables = [(one, readings(rng, one, times)) for one in cards]
    lines = []
    for number, when in enumerate(times):
        stamp = datetime.fromtimestamp(when, zone).strftime("%Y-%m-%dT%H:%M:%S%z")
        if number % 40 == 0:
            lines.append(f"{stamp} #Entity   " + "".join(f"{head:<12}" for head in heads))
            lines.append(f"{stamp} ID" + " " * 70)
        for one, rows in tables:
            row = rows[number]
            cells = (
                str(row["util"]),
                str(row["copy"]),
                str(row["fb"]),
                str(row["temp"]),
                f"{row['watts']:.3f}",
                str(row["clock"]),
                f"{row['gr']:.3f}",
                f"{row['sm']:.3f}",
                f"{row['tensor']:.3f}",
                f"{row['dram']:.3f}",
                str(row["sbe"]),
                str(row["dbe"]),
                str(row["xid"]),
            )
            lines.append(f"{stamp} GPU {one.index}     " + "".join(f"{cell:<12}" for cell in cells))
    return "\n".join(lines) + "\n"


def ticks(begin: float, end: float, every: int) -> list[float]:
    """Times of a range query."""
    first = int(begin // every * every)
    return [float(t) for t in range(first, int(end) + 1, every)]


def zone(hours: int) -> timezone:
    """A fixed zone."""
    return timezone(timedelta(hours=hours))


def clock(when: float, where: timezone, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A time as a log prints it."""
    return datetime.fromtimestamp(when, where).strftime(form)


def epoch(where: timezone, *parts: int) -> float:
    """A local time as seconds."""
    return datetime(*parts, tzinfo=where).timestamp()  # type: ignore[misc,arg-type]


def span(seconds: float) -> str:
    """Seconds as Slurm prints them."""
    whole = int(seconds)
    days, whole = divmod(whole, 86400)
    text = f"{whole // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return f"{days}-{text}" if days else text


def piped(rows: Sequence[Mapping[str, str]]) -> str:
    """Sacct -P."""
    return "\n".join(["|".join(rows[0]), *("|".join(row.values()) for row in rows)]) + "\n"


def columned(rows: Sequence[Mapping[str, str]], widths: Sequence[int]) -> str:
    """Sacct's columns, cut as it cuts them."""
    lines = [" ".join(f"{key:>{w}}" for key, w in zip(rows[0], widths, strict=True)), " ".join("-" * w for w in widths)]
    for row in rows:
        cells = [
            value if len(value) <= w else value[: w - 1] + "+" for value, w in zip(row.values(), widths, strict=True)
        ]
        lines.append(
            " ".join(
                f"{cell:<{w}}" if not n else f"{cell:>{w}}"
                for n, (cell, w) in enumerate(zip(cells, widths, strict=True))
            )
        )
    return "\n".join(line + " " for line in lines) + "\n"


def kernel(form: str, host: str, where: timezone, events: Sequence[tuple[float, str]], boot: float = 0) -> str:
    """A kernel log: events as (seconds, text); text that begins with '!' comes from a daemon (journal, syslog)."""
    lines = []
    for when, text in sorted(events):
        source, body = ("kernel:", text) if not text.startswith("!") else ("", text[1:])
        if form == "dmesg":
            lines.append(
                f"[{clock(when, where, '%a %b')} {datetime.fromtimestamp(when, where).day:>2} "
                f"{clock(when, where, '%H:%M:%S %Y')}] {body}"
            )
        elif form == "journal":
            stamp = clock(when, where, "%Y-%m-%dT%H:%M:%S%z")
            lines.append(f"{stamp} {host} {(source + ' ') if source else ''}{body}")
        else:
            lines.append(f"{clock(when, where, '%b %d %H:%M:%S')} {host} kernel: [{when - boot:12.6f}] {body}")
    return "\n".join(lines) + "\n"


def write(place: Path, name: str, text: str) -> None:
    """Write one file."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def dips(
    start: float, end: float, main: Mode, breaks: Sequence[tuple[float, float, Mode]]
) -> list[tuple[float, float, Mode]]:
    """Spans of a main mode with breaks."""
    spans = []
    now = start
    for a, b, mode in breaks:
        spans += [(now, a, main), (a, b, mode)]
        now = b
    return [*spans, (now, end, main)]


def held(board: Board, fb: int, factor: float = 1.35) -> Mode:
    """A context and memory, but no work."""
    return Mode(fb=fb, watts=board.idle * factor, clock=board.top, reason=1, spread=0.01)


def near(rng: Random, mode: Mode, scale: float = 0.02) -> Mode:
    """The same mode on another board: boards differ."""
    return replace(
        mode,
        watts=mode.watts * rng.gauss(1, scale),
        sm=mode.sm * rng.gauss(1, scale / 3),
        fb=mode.fb + rng.randint(-60, 60) if mode.fb else 0,
    )

"""What the incidents of the twenty-first set write with: GPUs under load, exporters, kernel logs. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

Row = dict[str, float]


@dataclass(frozen=True)
class Model:
    """One model of GPU, as its data sheet and idle shelf have it."""

    name: str
    cap: float
    idle: float
    mib: int
    boost: int
    rest: int
    mem: int
    mem_rest: int
    k_per_w: float
    ecc: bool = True
    rows: bool = True
    driver: str = "570.148.08"
    cc: str = ""


MODELS: Final = {
    "H100": Model("NVIDIA H100 80GB HBM3", 700, 69, 81559, 1980, 345, 2619, 2619, 0.056),
    "B200": Model("NVIDIA B200", 1000, 142, 183359, 1965, 120, 3996, 3996, 0.034, driver="575.57.08"),
    "L40S": Model("NVIDIA L40S", 350, 34, 46068, 2520, 210, 9001, 405, 0.118, driver="525.147.05"),
    "4090": Model("NVIDIA GeForce RTX 4090", 450, 18, 24564, 2745, 210, 10501, 405, 0.096, ecc=False, rows=False),
    "4090 with ECC": Model("NVIDIA GeForce RTX 4090", 450, 18, 23028, 2745, 210, 10251, 405, 0.096, rows=False),
    "6000Ada": Model("NVIDIA RTX 6000 Ada Generation", 300, 22, 49140, 2505, 210, 10001, 405, 0.145),
    "A40": Model("NVIDIA A40", 300, 31, 46068, 1740, 210, 7251, 405, 0.15, driver="535.183.06"),
}


@dataclass(frozen=True)
class Work:
    """What a GPU does at a moment, as shares of what it could."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    mib: float = 0.0
    rx: float = 0.0
    tx: float = 0.0
    held: bool = True


FREE: Final = Work(held=False)
PROFILED: Final = {
    "GR_ENGINE_ACTIVE",
    "SM_ACTIVE",
    "PIPE_TENSOR_ACTIVE",
    "DRAM_ACTIVE",
    "PCIE_TX_BYTES",
    "PCIE_RX_BYTES",
}
SHARES: Final = PROFILED - {"PCIE_TX_BYTES", "PCIE_RX_BYTES"}


@dataclass
class Park:
    """The GPUs of some nodes, sampled; ``alter`` may change what was read or answer None where nothing was."""

    kind: str
    nodes: Sequence[str]
    gpus: int
    work: Callable[[int, int, float], Work]
    begin: float
    end: float
    every: float
    seed: int
    alter: Callable[[int, int, float, Row], Row | None] | None = None
    holes: Sequence[tuple[float, float]] = ()
    air: Callable[[float], float] = lambda _t: 24.0
    ecc: bool | None = None
    hot: float = 200.0
    _seen: dict[tuple[int, int], list[tuple[float, Row]]] = field(default_factory=dict)

    @property
    def of(self) -> Model:
        """Which model they are."""
        return MODELS[self.kind]

    def uuid(self, node: int, gpu: int) -> str:
        """Of one GPU."""
        h = f"{Random(f'{self.seed}:{node}:{gpu}').getrandbits(128):032x}"
        return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"

    def bus(self, gpu: int) -> str:
        """Where on the bus it sits."""
        return f"{(0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)[gpu]:02X}:00.0"

    def rows(self, node: int, gpu: int) -> list[tuple[float, Row]]:
        """All samples of one GPU; above ``hot`` degrees it slows itself down."""
        if (node, gpu) in self._seen:
            return self._seen[node, gpu]
        of, rng = self.of, Random(f"{self.seed}|{node}|{gpu}")
        slot, thirst = rng.uniform(-1.0, 2.8) + (1.7 if gpu % 2 else 0), rng.gauss(1, 0.018)
        slow, at = 1.0, self.begin
        die = sink = self.air(at) + slot + of.k_per_w * of.idle
        joule, out = rng.randrange(3 * 10**8, 4 * 10**10), []
        while at <= self.end:
            w = self.work(node, gpu, at)
            busy = w.engine > 0.015
            base = of.idle * (1.0 if not w.held else 1.0 + 0.28 * (of.idle < 100) + 0.12)
            want = base + (of.cap - of.idle) * thirst * (
                0.11 * w.engine + 0.34 * w.sm + 0.46 * w.tensor + 0.36 * w.dram
            )
            want *= rng.gauss(1, 0.024 if busy else 0.005)
            capped = want * slow**1.9 > of.cap * 0.985
            watts = min(base + (want - base) * slow**1.9, of.cap * rng.uniform(0.975, 1.004))
            mhz = of.boost if w.held else of.rest
            if capped:
                mhz = of.boost * max(0.68, (of.cap / want) ** 0.55) * rng.uniform(0.985, 1.0)
            mhz = int(min(mhz, of.boost * slow) // 15 * 15) if w.held else of.rest
            pull = min(1.0, self.every / 240)
            sink += (self.air(at) + slot + 0.62 * of.k_per_w * watts - sink) * pull
            die = sink + 0.38 * of.k_per_w * watts
            why = 0 if w.held else 1
            if capped:
                why |= 4
            if slow < 0.97 and busy:
                why |= 0x20 | (0x48 if die > self.hot + 3 else 0)
            if die > self.hot:
                slow = max(0.34, slow - 0.05 * (die - self.hot) * min(1, self.every / 15))
            elif slow < 1 and die < self.hot - 2:
                slow = min(1.0, slow + 0.02)
            joule += int(watts * self.every * 1000)
            kept = w.mib + (540 if w.held else 2)
            one: Row = {
                "SM_CLOCK": mhz,
                "MEM_CLOCK": of.mem if w.held else of.mem_rest,
                "GPU_TEMP": round(die),
                "POWER_USAGE": watts,
                "TOTAL_ENERGY_CONSUMPTION": joule,
                "GPU_UTIL": min(100, max(0, round(100 * w.engine + (rng.gauss(0, 0.8) if busy else 0)))),
                "MEM_COPY_UTIL": min(100, max(0, round(72 * w.dram + (rng.gauss(0, 0.7) if busy else 0)))),
                "CLOCKS_EVENT_REASONS": why,
                "XID_ERRORS": 0,
                "FB_FREE": round(of.mib * 0.9915 - kept),
                "FB_USED": round(kept),
                "PCIE_REPLAY_COUNTER": 0,
                "GR_ENGINE_ACTIVE": min(1.0, max(0.0, w.engine + (rng.gauss(0, 0.005) if busy else 0))),
                "SM_ACTIVE": min(1.0, max(0.0, w.sm * rng.gauss(1, 0.022))),
                "PIPE_TENSOR_ACTIVE": max(0.0, w.tensor * rng.gauss(1, 0.028)),
                "DRAM_ACTIVE": max(0.0, w.dram * rng.gauss(1, 0.026)),
                "PCIE_TX_BYTES": int(max(0.0, w.tx * rng.gauss(1, 0.09)) * 1e6 + rng.randrange(18000, 26000)),
                "PCIE_RX_BYTES": int(max(0.0, w.rx * rng.gauss(1, 0.09)) * 1e6 + rng.randrange(39000, 52000)),
            }
            if of.ecc if self.ecc is None else self.ecc:
                one |= {"ECC_SBE_VOL_TOTAL": 0, "ECC_DBE_VOL_TOTAL": 0}
            if of.rows:
                one |= {"UNCORRECTABLE_REMAPPED_ROWS": 0, "CORRECTABLE_REMAPPED_ROWS": 0, "ROW_REMAP_FAILURE": 0}
            seen = self.alter(node, gpu, at, one) if self.alter else one
            if seen is not None and not any(low <= at < high for low, high in self.holes):
                out.append((at, seen))
            at += self.every
        self._seen[node, gpu] = out
        return out

    def all(self, only: Iterable[int] | None = None) -> list[tuple[int, int]]:
        """Numbers of node and GPU."""
        return [(n, g) for n in (only if only is not None else range(len(self.nodes))) for g in range(self.gpus)]

    def listing(self, node: int) -> list[str]:
        """What ``nvidia-smi -L`` says there."""
        return [f"GPU {g}: {self.of.name} (UUID: {self.uuid(node, g)})" for g in range(self.gpus)]


def text(name: str, value: float) -> str:
    """As dcgm-exporter prints a value."""
    if name in SHARES:
        return f"{value:.6f}"
    return f"{value:.3f}" if name == "POWER_USAGE" else str(int(value))


def bare(park: Park, job: str = "gpu-metrics", **more: str) -> Callable[[int, int], dict[str, str]]:
    """Labels of dcgm-exporter 4 on bare metal."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": park.of.driver,
        "Hostname": park.nodes[n],
        "UUID": park.uuid(n, g),
        "device": f"nvidia{g}",
        "gpu": str(g),
        "instance": f"{park.nodes[n]}:9400",
        "job": job,
        "modelName": park.of.name,
        "pci_bus_id": f"00000000:{park.bus(g)}",
        **more,
    }


def uuid_only(park: Park, job: str | None = None) -> Callable[[int, int], dict[str, str]]:
    """Labels of a site that drops all but the UUID."""
    return lambda n, g: {"UUID": park.uuid(n, g), **({"job": job} if job else {})}


def matrix(
    place: Path,
    name: str,
    park: Park,
    labels: Callable[[int, int], dict[str, str]],
    *,
    only: Iterable[int] | None = None,
    keep: Callable[[str], bool] = bool,
    form: str = "CLOCKS_EVENT_REASONS",
) -> None:
    """The answer of Prometheus to /api/v1/query_range with the DCGM metrics, sorted by metric as it does."""
    found: dict[str, list[tuple[dict[str, str], list[list[object]]]]] = {}
    for n, g in park.all(only):
        rows = park.rows(n, g)
        for field_ in rows[0][1] if rows else ():
            if not keep(field_):
                continue
            full = f"DCGM_FI_{'PROF' if field_ in PROFILED else 'DEV'}_{form if field_ == 'CLOCKS_EVENT_REASONS' else field_}"
            values: list[list[object]] = [[int(t), text(field_, one[field_])] for t, one in rows if field_ in one]
            found.setdefault(full, []).append(({"__name__": full, **labels(n, g)}, values))
    result = [{"metric": m, "values": v} for full in sorted(found) for m, v in found[full]]
    whole = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    put(place, name, json.dumps(whole, separators=(",", ":")))


DMON: Final = {
    "SMCLK": "SM_CLOCK",
    "DVCCTR": "CLOCKS_EVENT_REASONS",
    "TMPTR": "GPU_TEMP",
    "POWER": "POWER_USAGE",
    "GPUTL": "GPU_UTIL",
    "XIDER": "XID_ERRORS",
    "FBUSD": "FB_USED",
    "ESVTL": "ECC_SBE_VOL_TOTAL",
    "EDVTL": "ECC_DBE_VOL_TOTAL",
    "GRACT": "GR_ENGINE_ACTIVE",
    "SMACT": "SM_ACTIVE",
    "TENSO": "PIPE_TENSOR_ACTIVE",
    "DRAMA": "DRAM_ACTIVE",
}


def dmon(place: Path, name: str, park: Park, node: int, east: int, stamp: str, without: Sequence[str] = ()) -> None:
    """What ``dcgmi dmon -e ...`` prints, through ``ts``."""
    fields = {c: f for c, f in DMON.items() if c not in without}
    head = "#Entity   " + "".join(f"{c:<13}" for c in fields)
    unit = "ID        " + "".join(f"{ {'TMPTR': 'C', 'POWER': 'W'}.get(c, ''):<13}" for c in fields)
    lines, by = [], [dict(park.rows(node, g)) for g in range(park.gpus)]
    for i, at in enumerate(sorted(set().union(*by))):
        when = clock(at, east, stamp)
        if i % 25 == 0:
            lines += [f"{when} {head.rstrip()}", f"{when} {unit.rstrip()}"]
        for g, one in enumerate(by):
            if at in one:
                got = [(c, one[at].get(f)) for c, f in fields.items()]
                share = ("POWER", "GRACT", "SMACT", "TENSO", "DRAMA")
                cells = ["N/A" if v is None else f"{v:.3f}" if c in share else str(int(v)) for c, v in got]
                lines.append(f"{when} GPU {g}     " + "".join(f"{c:<13}" for c in cells).rstrip())
    put(place, name, lines)


def smi_csv(
    place: Path, name: str, park: Park, node: int, east: int, columns: Sequence[str], *, units: bool = True
) -> None:
    """What ``nvidia-smi --query-gpu=... --format=csv -l N`` prints."""
    of = park.of
    read: dict[str, tuple[str, Callable[[int, Row], str]]] = {
        "index": ("", lambda g, _: str(g)),
        "name": ("", lambda _g, _: of.name),
        "uuid": ("", lambda g, _: park.uuid(node, g)),
        "pci.bus_id": ("", lambda g, _: f"00000000:{park.bus(g)}"),
        "pstate": ("", lambda _g, r: "P0" if r["SM_CLOCK"] > of.rest or of.mem == of.mem_rest else "P8"),
        "temperature.gpu": ("", lambda _g, r: str(int(r["GPU_TEMP"]))),
        "utilization.gpu": ("%", lambda _g, r: str(int(r["GPU_UTIL"]))),
        "utilization.memory": ("%", lambda _g, r: str(int(r["MEM_COPY_UTIL"]))),
        "memory.used": ("MiB", lambda _g, r: str(int(r["FB_USED"]))),
        "memory.total": ("MiB", lambda _g, _: str(of.mib)),
        "power.draw": ("W", lambda _g, r: f"{r['POWER_USAGE']:.2f}"),
        "power.limit": ("W", lambda _g, _: f"{of.cap:.2f}"),
        "clocks.current.sm": ("MHz", lambda _g, r: str(int(r["SM_CLOCK"]))),
        "clocks_event_reasons.active": ("", lambda _g, r: f"0x{int(r['CLOCKS_EVENT_REASONS']):016X}"),
        "ecc.errors.corrected.volatile.total": ("", lambda _g, r: str(int(r["ECC_SBE_VOL_TOTAL"]))),
        "ecc.errors.uncorrected.volatile.total": ("", lambda _g, r: str(int(r["ECC_DBE_VOL_TOTAL"]))),
    }
    title = [f"{c} [{read[c][0]}]" if read[c][0] else c for c in columns]
    lines = [", ".join(["timestamp", *title])]
    by, rng = [park.rows(node, g) for g in range(park.gpus)], Random(f"{park.seed}{node}")
    for i in range(max(map(len, by))):
        for g, one in enumerate(by):
            if i < len(one):
                at, row = one[i]
                cells = [read[c][1](g, row) + (f" {read[c][0]}" if units and read[c][0] else "") for c in columns]
                stamp = f"{clock(at, east, '%Y/%m/%d %H:%M:%S')}.{(113 + 2 * g + i + rng.randrange(3)) % 1000:03d}"
                lines.append(", ".join([stamp, *cells]))
    put(place, name, lines)


def smi_exporter(place: Path, name: str, park: Park) -> None:
    """The answer of Prometheus for utkuozdemir's nvidia_gpu_exporter."""
    of = park.of
    kinds: dict[str, Callable[[Row], float]] = {
        "clocks_current_memory_clock_hz": lambda r: r["MEM_CLOCK"] * 1e6,
        "clocks_current_sm_clock_hz": lambda r: r["SM_CLOCK"] * 1e6,
        "clocks_throttle_reasons_active": lambda r: r["CLOCKS_EVENT_REASONS"],
        "clocks_throttle_reasons_gpu_idle": lambda r: int(r["CLOCKS_EVENT_REASONS"]) & 1,
        "clocks_throttle_reasons_hw_slowdown": lambda r: int(r["CLOCKS_EVENT_REASONS"]) >> 3 & 1,
        "clocks_throttle_reasons_hw_thermal_slowdown": lambda r: int(r["CLOCKS_EVENT_REASONS"]) >> 6 & 1,
        "clocks_throttle_reasons_sw_power_cap": lambda r: int(r["CLOCKS_EVENT_REASONS"]) >> 2 & 1,
        "clocks_throttle_reasons_sw_thermal_slowdown": lambda r: int(r["CLOCKS_EVENT_REASONS"]) >> 5 & 1,
        "ecc_errors_corrected_volatile_total": lambda r: r["ECC_SBE_VOL_TOTAL"],
        "ecc_errors_uncorrected_volatile_total": lambda r: r["ECC_DBE_VOL_TOTAL"],
        "enforced_power_limit_watts": lambda _r: of.cap,
        "memory_total_bytes": lambda _r: of.mib * 1048576,
        "memory_used_bytes": lambda r: r["FB_USED"] * 1048576,
        "power_draw_watts": lambda r: round(r["POWER_USAGE"], 2),
        "pstate": lambda r: 0 if r["MEM_CLOCK"] == of.mem else 8,
        "temperature_gpu": lambda r: r["GPU_TEMP"],
        "utilization_gpu_ratio": lambda r: round(r["GPU_UTIL"] / 100, 2),
        "utilization_memory_ratio": lambda r: round(r["MEM_COPY_UTIL"] / 100, 2),
    }
    out = []
    for kind, read in kinds.items():
        for n, g in park.all():
            labels = {
                "__name__": f"nvidia_smi_{kind}",
                "instance": f"{park.nodes[n]}:9835",
                "job": "nvidia_gpu_exporter",
                "uuid": park.uuid(n, g).removeprefix("GPU-"),
            }
            values = [[round(t, 3), f"{read(r):.12g}"] for t, r in park.rows(n, g)]
            out.append({"metric": labels, "values": values})
    whole = {"status": "success", "data": {"resultType": "matrix", "result": out}}
    put(place, name, json.dumps(whole, separators=(",", ":")))


def calm(rng: Random, begin: float, driver: str, *, kube: bool = False, ib: bool = True) -> list[tuple[float, str]]:
    """What a node's kernel says in any month; the first is the boot."""
    boot = begin - rng.uniform(5, 60) * 86400
    said = "Linux version 6.8.0-60-generic (buildd@lcy02-amd64-054) (x86_64-linux-gnu-gcc-13 (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0) #63-Ubuntu SMP PREEMPT_DYNAMIC"
    module = f"NVIDIA UNIX Open Kernel Module for x86_64  {driver}  Release Build  (dvs-builder@U22-I3-G12-1-1)"
    if int(driver[:3]) < 560:
        said = "Linux version 5.15.0-139-generic (buildd@lcy02-amd64-067) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #149-Ubuntu SMP"
        module = f"NVIDIA UNIX x86_64 Kernel Module  {driver}"
    lines = [
        (boot, said),
        (boot + 3.104418, "pci_bus 0000:00: resource 4 [io  0x0000-0x03af window]"),
        (boot + 12.227120, "nvidia: module license 'NVIDIA' taints kernel."),
        (boot + 12.911836, f"NVRM: loading {module}"),
        (boot + 15.020773, "nvidia-uvm: Loaded the UVM driver, major device number 506."),
        (boot + 24.760291, "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none."),
    ]
    if ib:
        lines.append((boot + 33.418233, "mlx5_core 0000:1a:00.0 ibp26s0: Link up"))
    if kube:
        for i in range(3):
            veth = f"veth{rng.getrandbits(32):08x}"
            lines.append((begin - 7260.3 + i * 0.41, f"cni0: port {5 + i}({veth}) entered blocking state"))
            lines.append((begin - 7260.2 + i * 0.41, f"cni0: port {5 + i}({veth}) entered forwarding state"))
    at, count = boot + 3000 + rng.expovariate(1 / 300000), 2500
    while at < begin - 600:
        which = rng.randrange(4)
        if which == 0:
            most = 199750000 // count // 250 * 250
            lines.append(
                (
                    at,
                    f"perf: interrupt took too long ({count + 7} > {count}), lowering kernel.perf_event_max_sample_rate to {most}",
                )
            )
            count = int(count * 1.26)
        elif which == 1:
            lines.append((at, "systemd-journald[871]: Under memory pressure, flushing caches."))
        elif which == 2:
            lines.append((at, f"hrtimer: interrupt took {rng.randrange(9000, 90000)} ns"))
        else:
            lines.append((at, "nfs: server stor2 not responding, still trying"))
            lines.append((at + rng.uniform(3, 40), "nfs: server stor2 OK"))
        at += 3600 + rng.expovariate(1 / 700000)
    return lines


def kernel(
    place: Path, name: str, lines: Iterable[tuple[float, str]], form: str, east: int, host: str, *, pid: str = ""
) -> None:
    """Write the kernel log in one of its forms; the first line in time is the boot."""
    sort = sorted(lines, key=lambda one: one[0])
    boot, out = sort[0][0], []
    sign = f"{'-' if east < 0 else '+'}{abs(east) // 60:02d}:{abs(east) % 60:02d}"
    for t, said in sort:
        if form == "dmesg -T":
            out.append(f"[{clock(t, east, '%a %b %e %H:%M:%S %Y')}] {said}")
        elif form == "dmesg":
            out.append(f"[{t - boot:12.6f}] {said}")
        elif form == "journalctl":
            out.append(f"{clock(t, east, '%b %d %H:%M:%S')} {host} kernel: {said}")
        elif form == "journalctl iso":
            out.append(f"{clock(t, east, '%Y-%m-%dT%H:%M:%S')}{sign} {host} kernel: {said}")
        else:
            out.append(f"{clock(t, east, '%Y-%m-%dT%H:%M:%S')}.{int(t * 1e6) % 10**6:06d}{sign} {host} kernel: {said}")
    put(place, name, out)


def learn(rng: Random, step: float, first: float, floor: float, pace: float, noise: float = 0.012) -> float:
    """A loss that learns by a power of the step, with noise."""
    return (floor + (first - floor) * (1 + step / pace) ** -0.85) * (1 + rng.gauss(0, noise))


def at_phase(phases: Sequence[tuple[float, Work]], t: float) -> Work:
    """What is done then: phases by their ends."""
    return next((work for end, work in phases if t < end), FREE)


HEAD: Final = (
    "JobID",
    "JobName",
    "Partition",
    "State",
    "ExitCode",
    "Submit",
    "Start",
    "End",
    "Elapsed",
    "NNodes",
    "NodeList",
)


def took(seconds: float) -> str:
    """As Slurm prints a span."""
    whole = int(seconds)
    days = f"{whole // 86400}-" if whole >= 86400 else ""
    return f"{days}{whole % 86400 // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def account(place: Path, name: str, rows: Sequence[Sequence[str]], head: Sequence[str], *, bars: bool) -> None:
    """Write what sacct printed, with bars (-P) or in columns."""
    table = [list(head), *map(list, rows)]
    if bars:
        put(place, name, ["|".join(one) for one in table])
        return
    wide = [max(len(one[i]) for one in table) for i in range(len(head))]
    lines = [" ".join(cell.rjust(wide[i]) for i, cell in enumerate(one)) + " " for one in table]
    lines.insert(1, " ".join("-" * w for w in wide) + " ")
    put(place, name, lines)


def part(t: float) -> float:
    """A moment with a finer fraction where it was a round one: no program logs on the stroke."""
    return t + Random(f"{t:.1f}").uniform(0.002, 0.097) if abs(10 * t - round(10 * t)) < 1e-3 else t


def milli(t: float, east: int) -> str:
    """With milliseconds, as Python's logging has it."""
    t = part(t)
    return f"{clock(t, east)},{int(t * 1000) % 1000:03d}"

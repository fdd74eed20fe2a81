"""What the incidents of the eighteenth set write with: clocks, GPUs, exporters, accounting, kernels. All simulated."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

ISO: Final = "%Y-%m-%dT%H:%M:%S"


def when(text: str, zone: str = "+00:00") -> float:
    """Seconds of epoch of a local time."""
    return datetime.fromisoformat(text + zone).timestamp()


def loc(t: float, zone: str, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A time as the site's clock has it."""
    minutes = (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 60 + int(zone[4:6]))
    return (datetime.fromtimestamp(t, UTC) + timedelta(minutes=minutes)).strftime(form)


def ms(t: float) -> str:
    """Milliseconds of a time."""
    return f"{int(t * 1000) % 1000:03d}"


def put(place: Path, name: str, lines: Sequence[str] | str) -> None:
    """Write a file below the folder of the case."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((lines if isinstance(lines, str) else "\n".join(lines) + "\n").encode())


def falls(rng: Random, step: float, start: float, floor: float, pace: float, noise: float = 0.01) -> float:
    """A loss that learns: a power of the step, with noise."""
    return (floor + (start - floor) * (1 + step / pace) ** -0.7) * (1 + rng.gauss(0, noise))


def hms(seconds: float) -> str:
    """As tqdm has a span."""
    s = int(seconds)
    return f"{s // 3600}:{s % 3600 // 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60:02d}:{s % 60:02d}"


def span(seconds: float) -> str:
    """As sacct has a span."""
    s = int(seconds)
    return (f"{s // 86400}-" if s >= 86400 else "") + f"{s % 86400 // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"


# ---- GPUs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """One model of GPU, as its data sheet has it."""

    model: str
    cap_w: float
    idle_w: float
    mib: int
    boost: int
    idle_mhz: int
    mem_mhz: int
    k_per_w: float
    driver: str = "550.90.07"
    ecc: bool = True


CARDS: Final = {
    "L4": Card("NVIDIA L4", 72, 13, 23034, 2040, 210, 6251, 0.56, "535.183.06"),
    "L40S": Card("NVIDIA L40S", 350, 33, 46068, 2520, 210, 9001, 0.115),
    "H100": Card("NVIDIA H100 80GB HBM3", 700, 71, 81559, 1980, 345, 2619, 0.058, "560.35.05"),
    "H200": Card("NVIDIA H200", 700, 77, 143771, 1980, 345, 3201, 0.052, "565.57.01"),
    "A100-40": Card("NVIDIA A100-SXM4-40GB", 400, 52, 40960, 1410, 210, 1215, 0.095, "535.161.08"),
    "A100-80": Card("NVIDIA A100-SXM4-80GB", 400, 60, 81920, 1410, 210, 1593, 0.098, "535.183.06"),
    "A10": Card("NVIDIA A10", 150, 17, 23028, 1695, 210, 6251, 0.26, "550.54.15"),
}
BUS: Final = (0x07, 0x0F, 0x47, 0x4E, 0x87, 0x90, 0xB7, 0xBD)


@dataclass(frozen=True)
class Load:
    """What is asked of a GPU at one moment."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    used: float = 0.0
    held: bool = True


OFF: Final = Load(held=False)
Row = dict[str, float]


@dataclass
class Rig:
    """The GPUs of some nodes and what is asked of them.

    Attributes:
        card: A key of CARDS.
        nodes: Names of nodes.
        gpus: GPUs of each.
        load: Node's number, GPU's number and time to what is asked.
        begin: First scrape.
        end: Last scrape.
        every: Seconds between scrapes.
        seed: Of its randomness.
        gaps: Spans that were not scraped.
        flat: Values of fields that stand, by node, GPU and field.
        gone: GPUs that are not seen any more since a time.
        inlet: Air, in degrees.
    """

    card: str
    nodes: Sequence[str]
    gpus: int
    load: Callable[[int, int, float], Load]
    begin: float
    end: float
    every: float
    seed: int
    gaps: Sequence[tuple[float, float]] = ()
    flat: dict[tuple[int, int, str], float] = field(default_factory=dict)
    gone: dict[tuple[int, int], float] = field(default_factory=dict)
    inlet: float = 26.0

    def uuid(self, node: int, gpu: int) -> str:
        """The GPU's name for life."""
        bits = Random(f"{self.seed} {node} {gpu}").getrandbits
        return f"GPU-{bits(32):08x}-{bits(16):04x}-{bits(16):04x}-{bits(16):04x}-{bits(48):012x}"

    def rows(self, node: int, gpu: int) -> list[tuple[float, Row]]:
        """All readings of a GPU."""
        of, rng = CARDS[self.card], Random(self.seed * 997 + node * 16 + gpu)
        slot, thirst, skew = rng.uniform(-1, 2.5), rng.uniform(0.97, 1.03), Random(self.seed + node).random()
        heat = self.inlet + slot + of.k_per_w * of.idle_w
        joule, out, t = float(rng.randrange(10**9, 9 * 10**9)), [], self.begin + skew * self.every
        while t <= self.end and t < self.gone.get((node, gpu), math.inf):
            now = self.load(node, gpu, t)
            asked = 0.10 * now.engine + 0.40 * now.sm + 0.38 * now.tensor + 0.30 * now.dram
            wish = of.idle_w * (1.25 if now.held else 1) + (of.cap_w - of.idle_w) * thirst * asked
            wish *= rng.gauss(1, 0.02 if now.engine > 0.02 else 0.004)
            capped = wish > of.cap_w * 0.99
            watts = min(wish, of.cap_w * rng.uniform(0.982, 1.003))
            mhz = of.boost if now.held else of.idle_mhz
            if capped:
                mhz = int(of.boost * max(0.8, 1 - 0.5 * (wish / of.cap_w - 0.97)) // 15 * 15)
            heat += (self.inlet + slot + of.k_per_w * watts - heat) * (1 - math.exp(-self.every / 40))
            joule += watts * self.every * 1000
            busy = now.engine > 0
            engine = min(1.0, max(0.0, now.engine + (rng.gauss(0, 0.006) if busy else 0)))
            used = now.used + (480 if now.held else 0)
            row = {
                "UTIL": float(min(100, round(100 * engine))),
                "COPY": float(min(100, round(80 * now.dram * rng.uniform(0.95, 1.05)))),
                "ENGINE": round(engine, 6),
                "SM": round(max(0.0, now.sm * rng.gauss(1, 0.03)), 6),
                "TENSOR": round(max(0.0, now.tensor * rng.gauss(1, 0.03)), 6),
                "DRAM": round(max(0.0, now.dram * rng.gauss(1, 0.03)), 6),
                "USED": float(round(used)),
                "FREE": float(round(of.mib * 0.992 - used)),
                "WATTS": round(watts, 3),
                "JOULE": float(int(joule)),
                "TEMP": float(round(heat)),
                "SMCLK": float(mhz),
                "MEMCLK": float(of.mem_mhz if now.held or of.mem_mhz < 4000 else 405),
                "REASONS": float(4 if capped else 0 if now.engine > 0.01 else 1),
                "XID": 0.0,
                "SBE": 0.0,
                "DBE": 0.0,
                "UREMAP": 0.0,
                "CREMAP": 0.0,
            }
            row |= {name: self.flat[node, gpu, name] for name in row if (node, gpu, name) in self.flat}
            if not any(a <= t < b for a, b in self.gaps):
                out.append((t, row))
            t += self.every
        return out


DCGM: Final = {
    "UTIL": "DCGM_FI_DEV_GPU_UTIL",
    "COPY": "DCGM_FI_DEV_MEM_COPY_UTIL",
    "ENGINE": "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "SM": "DCGM_FI_PROF_SM_ACTIVE",
    "TENSOR": "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DRAM": "DCGM_FI_PROF_DRAM_ACTIVE",
    "USED": "DCGM_FI_DEV_FB_USED",
    "FREE": "DCGM_FI_DEV_FB_FREE",
    "WATTS": "DCGM_FI_DEV_POWER_USAGE",
    "JOULE": "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
    "TEMP": "DCGM_FI_DEV_GPU_TEMP",
    "SMCLK": "DCGM_FI_DEV_SM_CLOCK",
    "MEMCLK": "DCGM_FI_DEV_MEM_CLOCK",
    "REASONS": "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "XID": "DCGM_FI_DEV_XID_ERRORS",
    "SBE": "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
    "DBE": "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "UREMAP": "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "CREMAP": "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
}
PROFILE: Final = ("ENGINE", "SM", "TENSOR", "DRAM")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _matrix(series: Sequence[tuple[dict[str, str], list[tuple[float, str]]]]) -> str:
    result = [{"metric": labels, "values": [[t, v] for t, v in values]} for labels, values in series if values]
    whole = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    return json.dumps(whole, separators=(",", ":")) + "\n"


def prometheus(
    place: Path,
    name: str,
    rigs: Sequence[Rig],
    *,
    style: str = "full",
    without: Sequence[str] = (),
    only: Sequence[int] | None = None,
    split: bool = False,
) -> None:
    """Write answers of query_range.

    Args:
        place: The folder of the case.
        name: The file's name, or that of a folder with a file a metric.
        rigs: Whose readings.
        style: ``full`` for all labels of dcgm-exporter, ``uuid`` where relabelling left UUID and instance.
        without: Fields that the exporter was not told to give.
        only: Numbers of nodes that are in it.
        split: Whether each metric has a file.
    """
    by: dict[str, list[tuple[dict[str, str], list[tuple[float, str]]]]] = {}
    for rig in rigs:
        of = CARDS[rig.card]
        for node, host in enumerate(rig.nodes):
            if only is not None and node not in only:
                continue
            for gpu in range(rig.gpus):
                uuid = rig.uuid(node, gpu)
                labels = {"UUID": uuid, "instance": f"{host}:9400", "job": "gpu"}
                if style == "full":
                    labels = {
                        "DCGM_FI_DRIVER_VERSION": of.driver,
                        "Hostname": host,
                        "UUID": uuid,
                        "device": f"nvidia{gpu}",
                        "gpu": str(gpu),
                        "instance": f"{host}:9400",
                        "job": "dcgm",
                        "modelName": of.model,
                        "pci_bus_id": f"00000000:{BUS[gpu]:02X}:00.0",
                    }
                rows = rig.rows(node, gpu)
                for key, metric in DCGM.items():
                    if key not in without:
                        values = [(round(t, 3), _number(row[key])) for t, row in rows]
                        by.setdefault(metric, []).append(({"__name__": metric, **labels}, values))
    if split:
        for metric, series in by.items():
            put(place, f"{name}/{metric}.json", _matrix(series))
    else:
        put(place, name, _matrix([one for series in by.values() for one in series]))


def smi_exporter(place: Path, name: str, rig: Rig) -> None:
    """Write what utkuozdemir's nvidia_gpu_exporter gave to Prometheus."""
    of, series = CARDS[rig.card], []
    for node, host in enumerate(rig.nodes):
        for gpu in range(rig.gpus):
            uuid = rig.uuid(node, gpu).removeprefix("GPU-")
            rows = rig.rows(node, gpu)
            labels = {"uuid": uuid, "instance": f"{host}:9835", "job": "nvidia_gpu_exporter"}
            info = {"driver_version": of.driver, "name": of.model, "driver_model_current": "N/A", "index": str(gpu)}
            info["vbios_version"] = "94.02.75.00.01"
            series.append(
                ({"__name__": "nvidia_smi_gpu_info", **info, **labels}, [(round(t, 3), "1") for t, _ in rows])
            )
            gives: dict[str, Callable[[Row], float]] = {
                "nvidia_smi_index": lambda _, gpu=gpu: gpu,  # type: ignore[misc]
                "nvidia_smi_utilization_gpu_ratio": lambda row: row["UTIL"] / 100,
                "nvidia_smi_utilization_memory_ratio": lambda row: row["COPY"] / 100,
                "nvidia_smi_memory_used_bytes": lambda row: row["USED"] * 1048576,
                "nvidia_smi_memory_total_bytes": lambda _, mib=of.mib: mib * 1048576,  # type: ignore[misc]
                "nvidia_smi_power_draw_watts": lambda row: round(row["WATTS"], 2),
                "nvidia_smi_enforced_power_limit_watts": lambda _, cap=of.cap_w: cap,  # type: ignore[misc]
                "nvidia_smi_temperature_gpu": lambda row: row["TEMP"],
                "nvidia_smi_clocks_current_sm_clock_hz": lambda row: row["SMCLK"] * 1e6,
                "nvidia_smi_clocks_current_memory_clock_hz": lambda row: row["MEMCLK"] * 1e6,
                "nvidia_smi_clocks_throttle_reasons_gpu_idle": lambda row: float(row["REASONS"] == 1),
                "nvidia_smi_clocks_throttle_reasons_sw_power_cap": lambda row: float(row["REASONS"] == 4),
                "nvidia_smi_clocks_throttle_reasons_hw_slowdown": lambda _: 0,
                "nvidia_smi_ecc_errors_uncorrected_volatile_total": lambda _: 0,
            }
            series += [
                ({"__name__": metric, **labels}, [(round(t, 3), _number(give(row))) for t, row in rows])
                for metric, give in gives.items()
            ]
    put(place, name, _matrix(series))


def smi_csv(place: Path, name: str, rig: Rig, node: int, zone: str, *, old: bool = False, first: int = 0) -> None:
    """Write what nvidia-smi --query-gpu --format=csv -l left of one node.

    Args:
        place: The folder of the case.
        name: The file's name.
        rig: Whose readings.
        node: Which node.
        zone: Of the node's clock.
        old: Whether reasons have their old name.
        first: Number of the rig's first GPU.
    """
    of = CARDS[rig.card]
    head = [
        "timestamp",
        "index",
        "uuid",
        "name",
        "utilization.gpu [%]",
        "utilization.memory [%]",
        "memory.used [MiB]",
        "memory.total [MiB]",
        "temperature.gpu",
        "power.draw [W]",
        "clocks.current.sm [MHz]",
        "clocks_throttle_reasons.active" if old else "clocks_event_reasons.active",
        "ecc.errors.uncorrected.volatile.total",
    ]
    lines = []
    for gpu in range(rig.gpus):
        for t, row in rig.rows(node, gpu):
            at = t + 0.004 * gpu
            cells = [
                f"{loc(at, zone, '%Y/%m/%d %H:%M:%S')}.{ms(at)}",
                str(gpu + first),
                rig.uuid(node, gpu),
                of.model,
                f"{row['UTIL']:.0f} %",
                f"{row['COPY']:.0f} %",
                f"{row['USED']:.0f} MiB",
                f"{of.mib} MiB",
                f"{row['TEMP']:.0f}",
                f"{row['WATTS']:.2f} W",
                f"{row['SMCLK']:.0f} MHz",
                f"0x{int(row['REASONS']):016x}",
                "0",
            ]
            lines.append((at, ", ".join(cells)))
    put(place, name, [", ".join(head), *(text for _, text in sorted(lines))])


# ---- Slurm ----------------------------------------------------------------------------------------------------------

SHORT: Final = ["JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "NNodes", "NodeList"]
ALL: Final = [
    "Account",
    "AdminComment",
    "AllocCPUS",
    "AllocNodes",
    "AllocTRES",
    "AssocID",
    "AveCPU",
    "AveCPUFreq",
    "AveDiskRead",
    "AveDiskWrite",
    "AvePages",
    "AveRSS",
    "AveVMSize",
    "BlockID",
    "Cluster",
    "Comment",
    "Constraints",
    "Container",
    "ConsumedEnergy",
    "ConsumedEnergyRaw",
    "CPUTime",
    "CPUTimeRAW",
    "DBIndex",
    "DerivedExitCode",
    "Elapsed",
    "ElapsedRaw",
    "Eligible",
    "End",
    "ExitCode",
    "Extra",
    "FailedNode",
    "Flags",
    "GID",
    "Group",
    "JobID",
    "JobIDRaw",
    "JobName",
    "Layout",
    "Licenses",
    "MaxDiskRead",
    "MaxDiskReadNode",
    "MaxDiskReadTask",
    "MaxDiskWrite",
    "MaxDiskWriteNode",
    "MaxDiskWriteTask",
    "MaxPages",
    "MaxPagesNode",
    "MaxPagesTask",
    "MaxRSS",
    "MaxRSSNode",
    "MaxRSSTask",
    "MaxVMSize",
    "MaxVMSizeNode",
    "MaxVMSizeTask",
    "McsLabel",
    "MinCPU",
    "MinCPUNode",
    "MinCPUTask",
    "NCPUS",
    "NNodes",
    "NodeList",
    "NTasks",
    "Partition",
    "Planned",
    "PlannedCPU",
    "PlannedCPURAW",
    "Priority",
    "QOS",
    "QOSRAW",
    "Reason",
    "ReqCPUFreq",
    "ReqCPUFreqGov",
    "ReqCPUFreqMax",
    "ReqCPUFreqMin",
    "ReqCPUS",
    "ReqMem",
    "ReqNodes",
    "ReqTRES",
    "Reservation",
    "ReservationId",
    "Start",
    "State",
    "Submit",
    "SubmitLine",
    "Suspended",
    "SystemComment",
    "SystemCPU",
    "Timelimit",
    "TimelimitRaw",
    "TotalCPU",
    "TRESUsageInAve",
    "TRESUsageInMax",
    "UID",
    "User",
    "UserCPU",
    "WCKey",
    "WCKeyID",
    "WorkDir",
]


@dataclass
class Job:
    """What accounting has of a job: its facts, and rows of (suffix, name, state, exit code, begin, end)."""

    number: int
    name: str
    user: str
    partition: str
    nodes: str
    count: int
    cpus: int
    gpus: int
    limit_min: int
    submit: float
    zone: str
    line: str
    rows: Sequence[tuple[str, str, str, str, float | None, float | None]]
    seen: float = 0.0
    """When somebody asked, for what still runs."""
    account: str = "ml"
    cluster: str = "hpc1"
    widths: dict[str, int] = field(default_factory=dict)

    def _cells(self, index: int) -> dict[str, str]:
        suffix, name, state, code, begin, end = self.rows[index]
        took = max(0.0, (end or self.seen) - begin) if begin else 0.0
        main = not suffix
        jid = f"{self.number}{suffix}"
        tres = f"cpu={self.cpus},gres/gpu={self.gpus},mem={self.cpus * 8}G,node={self.count}"

        def stamp(t: float | None) -> str:
            return loc(t, self.zone, ISO) if t else "Unknown"

        cells = {
            "Account": self.account,
            "AllocCPUS": str(self.cpus if begin else 0),
            "AllocNodes": str(self.count if begin else 0),
            "AllocTRES": tres if begin else "",
            "AssocID": "412",
            "Cluster": self.cluster,
            "CPUTime": span(took * self.cpus),
            "CPUTimeRAW": str(int(took) * self.cpus),
            "DBIndex": str(self.number * 7 + 1130),
            "Elapsed": span(took),
            "ElapsedRaw": str(int(took)),
            "Eligible": stamp(self.submit if main else begin),
            "End": stamp(end),
            "ExitCode": code,
            "JobID": jid,
            "JobIDRaw": jid,
            "JobName": name,
            "NCPUS": str(self.cpus),
            "NNodes": str(1 if suffix == ".batch" else self.count),
            "NodeList": (self.nodes if suffix != ".batch" else first(self.nodes)) if begin else "None assigned",
            "Start": stamp(begin),
            "State": state,
            "Submit": stamp(self.submit if main else begin),
            "Suspended": "00:00:00",
            "TotalCPU": span(took * self.cpus * 0.31),
            "NTasks": "" if main else str(1 if suffix == ".batch" else self.count),
            "Layout": "" if main else "Unknown" if suffix == ".batch" else "Block",
        }
        if main:
            cells |= {
                "DerivedExitCode": code,
                "Flags": "SchedBackfill|StartRecieved"[: 13 if begin else 0],
                "GID": "5200",
                "Group": "research",
                "Partition": self.partition,
                "Planned": span((begin or self.seen) - self.submit),
                "Priority": "20471",
                "QOS": "normal",
                "QOSRAW": "1",
                "Reason": "None" if begin else "BeginTime",
                "ReqCPUS": str(self.cpus),
                "ReqMem": f"{self.cpus * 8}G",
                "ReqNodes": str(self.count),
                "ReqTRES": f"billing={self.cpus}," + tres,
                "SubmitLine": self.line,
                "Timelimit": span(self.limit_min * 60),
                "TimelimitRaw": str(self.limit_min),
                "UID": "71022",
                "User": self.user,
                "WorkDir": f"/home/{self.user}/work",
            }
        return cells

    def bars(self, place: Path, name: str, *, everything: bool = False) -> None:
        """Write sacct -P."""
        head = ALL if everything else ["User", "Timelimit", *SHORT]
        rows = [[self._cells(i).get(one, "") for one in head] for i in range(len(self.rows))]
        put(place, name, ["|".join(one) for one in (head, *rows)])

    def columns(self, place: Path, name: str, head: Sequence[tuple[str, int]]) -> None:
        """Write sacct in columns of these widths; a minus flushes left."""

        def cell(text: str, width: int) -> str:
            wide = abs(width)
            text = text if len(text) <= wide else text[: wide - 1] + "+"
            return text.ljust(wide) if width < 0 else text.rjust(wide)

        lines = [" ".join(cell(one, w) for one, w in head) + " ", " ".join("-" * abs(w) for _, w in head) + " "]
        for i in range(len(self.rows)):
            cells = self._cells(i)
            lines.append(" ".join(cell(cells.get(one, ""), w) for one, w in head) + " ")
        put(place, name, lines)


def first(nodes: str) -> str:
    """The first node of a list such as a[3-5] or a3,a4."""
    if "[" in nodes:
        head, rest = nodes.split("[")
        return head + rest.rstrip("]").split("-")[0].split(",")[0]
    return nodes.split(",")[0]


DEFAULT: Final = (
    ("JobID", -12),
    ("JobName", 10),
    ("Partition", 10),
    ("Account", 10),
    ("AllocCPUS", 10),
    ("State", 10),
    ("ExitCode", 8),
)
TIMES: Final = (
    ("JobID", -12),
    ("JobName", 16),
    ("State", 18),
    ("ExitCode", 8),
    ("Start", 19),
    ("End", 19),
    ("Elapsed", 10),
    ("NodeList", 18),
)

# ---- kernels --------------------------------------------------------------------------------------------------------


def kernel(
    place: Path, name: str, form: str, zone: str, host: str, boot: float, lines: Sequence[tuple[float, str]]
) -> None:
    """Write a kernel log in one of the forms that people send."""
    out = []
    for t, text in sorted(lines):
        if form == "dmesg":
            out.append(f"[{t - boot:12.6f}] {text}")
        elif form == "dmesg -T":
            out.append(f"[{loc(t, zone, '%a %b %e %H:%M:%S %Y')}] {text}")
        elif form == "dmesg iso":
            out.append(f"{loc(t, zone, ISO)},{int(t * 1e6) % 1000000:06d}{zone} {text}")
        elif form == "syslog":
            out.append(f"{loc(t, zone, '%b %e %H:%M:%S')} {host} kernel: [{t - boot:12.6f}] {text}")
        else:
            out.append(f"{loc(t, zone, ISO)}{zone.replace(':', '')} {host} kernel: {text}")
    put(place, name, out)


def quiet(rng: Random, boot: float, begin: float, end: float, card: str, gpus: int) -> list[tuple[float, str]]:
    """What any kernel says in the days of a job."""
    driver = CARDS[card].driver
    out = [
        (boot + 0.000001, "Linux version 5.15.0-119-generic (buildd@lcy02-amd64-075) (gcc (Ubuntu 11.4.0) 11.4.0)"),
        (boot + 3.2, "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none."),
        (boot + 11.8, "nvidia-nvlink: Nvlink Core is being initialized, major device number 236"),
        (boot + 12.1, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Release Build"),
        (boot + 14.9, "nvidia-uvm: Loaded the UVM driver, major device number 234."),
        (boot + 15.3, f"[drm] Initialized nvidia-drm 0.0.0 20160202 for 0000:{BUS[gpus - 1]:02x}:00.0 on minor {gpus}"),
        (boot + 31.4, "IPv6: ADDRCONF(NETDEV_CHANGE): ens1f0np0: link becomes ready"),
    ]
    pool = [
        "perf: interrupt took too long (2504 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
        "nfs: server nas03 not responding, still trying",
        "nfs: server nas03 OK",
        "EDAC MC1: 1 CE memory read error on CPU_SrcID#1_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0x4f1a0)",
        "hrtimer: interrupt took 14211 ns",
        'audit: type=1400 audit({}:88): apparmor="STATUS" operation="profile_replace" name="snap.lxd"',
        "Process accounting resumed",
        "TCP: request_sock_TCP: Possible SYN flooding on port 29400. Sending cookies.  Check SNMP counters.",
    ]
    for one in rng.sample([one for one in pool[1:] if "nfs" not in one], rng.randint(2, 4)):
        t = rng.uniform(boot + 4000, begin)
        out.append((t, one.format(f"{t:.3f}")))
    out += [(rng.uniform(begin, end), pool[0])]
    down = rng.uniform(boot + 5000, begin)
    return [*out, (down, pool[1]), (down + rng.uniform(20, 90), pool[2])]

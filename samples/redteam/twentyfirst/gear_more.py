"""What t13 to t24 write with: GPUs that draw, warm and clock; exporters; kernel logs; accounting. All SIMULATED."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put, took

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

Values = dict[str, float]
Series = list[tuple[dict[str, str], list[tuple[float, str]]]]
ISO: Final = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True)
class Card:
    """One model: watts at most, asleep and with a context; MiB; clocks; degrees a watt; driver."""

    model: str
    cap: float
    idle: float
    woken: float
    mib: int
    boost: int
    rest: int
    mem: int
    mem_rest: int
    warm: float
    driver: str
    rows: bool = True
    ecc: bool = True


CARDS: Final = {
    "L40S": Card("NVIDIA L40S", 350, 34, 82, 46068, 2520, 210, 9001, 405, 0.118, "550.144.03"),
    "L4": Card("NVIDIA L4", 72, 16.5, 29, 23034, 2040, 210, 6251, 405, 0.56, "560.35.05"),
    "H100": Card("NVIDIA H100 80GB HBM3", 700, 69, 112, 81559, 1980, 345, 2619, 2619, 0.055, "570.124.06"),
    "A100P": Card("NVIDIA A100 80GB PCIe", 300, 44, 66, 81920, 1410, 210, 1512, 1512, 0.14, "550.127.05"),
    "A100-40": Card("NVIDIA A100-SXM4-40GB", 400, 49, 68, 40960, 1410, 210, 1215, 1215, 0.094, "535.216.03"),
    "B200": Card("NVIDIA B200", 1000, 141, 190, 183359, 1965, 120, 3996, 3996, 0.033, "580.82.07"),
    "4090": Card(
        "NVIDIA GeForce RTX 4090", 450, 17, 58, 24564, 2745, 210, 10501, 405, 0.085, "550.163.01", False, False
    ),
}
PROFILED: Final = (
    "GR_ENGINE_ACTIVE",
    "SM_ACTIVE",
    "PIPE_TENSOR_ACTIVE",
    "DRAM_ACTIVE",
    "PCIE_TX_BYTES",
    "PCIE_RX_BYTES",
)


@dataclass(frozen=True)
class Load:
    """What a GPU is asked for; ``used`` in MiB, ``rx`` and ``tx`` in MB a second, ``util`` where it isn't engine's."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    used: float = 0.0
    rx: float = 0.0
    tx: float = 0.0
    held: bool = True
    util: float | None = None


NOBODY: Final = Load(held=False)


@dataclass
class Rack:
    """GPUs of some nodes, sampled each ``every`` seconds."""

    card: str
    nodes: Sequence[str]
    gpus: int
    load: Callable[[int, int, float], Load]
    begin: float
    end: float
    every: int
    seed: str
    alter: Callable[[int, int, float, Values], None] | None = None
    inlet: float = 26.0
    slow: dict[tuple[int, int], int] = field(default_factory=dict)
    _kept: dict[tuple[int, int], list[tuple[float, Values]]] = field(default_factory=dict)

    def uuid(self, node: int, gpu: int) -> str:
        """Of one GPU."""
        r = Random(f"{self.seed}:{node}:{gpu}")
        return "GPU-" + "-".join(f"{r.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12))

    def bus(self, gpu: int) -> str:
        """PCI bus and device."""
        return f"{(0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)[gpu]:02X}:00.0"

    def rows(self, node: int, gpu: int) -> list[tuple[float, Values]]:
        """All samples of one GPU."""
        if (node, gpu) not in self._kept:
            self._kept[node, gpu] = list(self._sampled(node, gpu))
        return self._kept[node, gpu]

    def _sampled(self, node: int, gpu: int) -> Iterable[tuple[float, Values]]:
        of, rng = CARDS[self.card], Random(f"{self.seed}|{node}|{gpu}")
        thirst, slot = rng.uniform(0.95, 1.05), rng.uniform(-2, 3) + 0.8 * (gpu % 3)
        heat = self.inlet + slot + of.warm * of.idle
        joule, drift = rng.randrange(3 * 10**9, 4 * 10**10), 0.0
        at = self.begin + rng.uniform(0, 0.4)
        reserved = round(of.mib * 0.0079)
        while at <= self.end:
            now = self.load(node, gpu, at)
            busy = now.engine > 0.02
            drift = 0.8 * drift + rng.gauss(0, 0.012 if busy else 0.003)
            pull = 0.05 * now.engine + 0.42 * now.sm + 0.45 * now.tensor + 0.3 * now.dram
            locked = self.slow.get((node, gpu))
            if locked and now.held:
                pull *= 0.45
            wish = (of.woken if now.held else of.idle) + (of.cap - of.woken) * thirst * pull
            wish *= 1 + drift
            capped = wish > of.cap * 0.985
            watts = min(wish, of.cap * rng.uniform(0.982, 1.004))
            mhz = of.boost if now.held else of.rest
            if locked and now.held:
                mhz = locked
            elif capped:
                mhz = int(of.boost * max(0.7, 1 - 0.55 * (wish / of.cap - 0.985) - rng.uniform(0, 0.02)) // 15 * 15)
            air = self.inlet + slot + 0.6 * math.sin(at / 1900)
            heat += (air + of.warm * watts - heat) * (1 - math.exp(-self.every / 45))
            joule += int(watts * self.every * 1000)
            used = now.used + (0 if now.held else 2)
            share = now.engine if now.util is None else now.util
            reasons = 4 if capped else 2 if locked and now.held else 0 if now.held else 1
            one: Values = {
                "SM_CLOCK": mhz,
                "MEM_CLOCK": of.mem if now.held else of.mem_rest,
                "GPU_TEMP": round(heat),
                "POWER_USAGE": round(watts, 3),
                "TOTAL_ENERGY_CONSUMPTION": joule,
                "PCIE_REPLAY_COUNTER": 0,
                "GPU_UTIL": min(100, max(0, round(100 * share + (rng.gauss(0, 0.8) if 0.02 < share < 1 else 0)))),
                "MEM_COPY_UTIL": min(100, round(80 * now.dram)),
                "XID_ERRORS": 0,
                "FB_FREE": of.mib - reserved - round(used),
                "FB_USED": round(used),
                "CLOCK_THROTTLE_REASONS": reasons,
                "GR_ENGINE_ACTIVE": min(1.0, max(0.0, now.engine + (rng.gauss(0, 0.005) if busy else 0))),
                "SM_ACTIVE": min(1.0, max(0.0, now.sm * rng.gauss(1, 0.02))),
                "PIPE_TENSOR_ACTIVE": max(0.0, now.tensor * rng.gauss(1, 0.025)),
                "DRAM_ACTIVE": max(0.0, now.dram * rng.gauss(1, 0.025)),
                "PCIE_TX_BYTES": int(max(0.0, now.tx * rng.gauss(1, 0.07)) * 1e6 + rng.uniform(14e3, 26e3)),
                "PCIE_RX_BYTES": int(max(0.0, now.rx * rng.gauss(1, 0.07)) * 1e6 + rng.uniform(38e3, 52e3)),
            }
            if of.ecc:
                one |= {"ECC_SBE_VOL_TOTAL": 0, "ECC_DBE_VOL_TOTAL": 0}
            if of.rows:
                one |= {"CORRECTABLE_REMAPPED_ROWS": 0, "UNCORRECTABLE_REMAPPED_ROWS": 0, "ROW_REMAP_FAILURE": 0}
            if self.alter:
                self.alter(node, gpu, at, one)
            yield at, one
            at += self.every


def printed(name: str, value: float) -> str:
    """A value as Prometheus gives it back."""
    if name in PROFILED[:4]:
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return f"{value:.3f}".rstrip("0").rstrip(".") if name == "POWER_USAGE" else str(int(value))


def series(
    rack: Rack, labels: Callable[[int, int], dict[str, str]], *, drop: Sequence[str] = (), new: Sequence[str] = ()
) -> Series:
    """All series of dcgm-exporter, with the site's labels; ``new`` are names that DCGM 4 calls otherwise."""
    out: Series = []
    for node in range(len(rack.nodes)):
        for gpu in range(rack.gpus):
            rows = rack.rows(node, gpu)
            for name in rows[0][1]:
                if name in drop:
                    continue
                shown = "CLOCKS_EVENT_REASONS" if name in new else name
                full = f"DCGM_FI_{'PROF' if name in PROFILED else 'DEV'}_{shown}"
                found = [(at, printed(name, one[name])) for at, one in rows]
                out.append(({"__name__": full, **labels(node, gpu)}, found))
    return out


def bare(rack: Rack, **more: str) -> Callable[[int, int], dict[str, str]]:
    """Labels of dcgm-exporter on bare metal, and what the site's relabelling adds."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": CARDS[rack.card].driver,
        "Hostname": rack.nodes[n],
        "UUID": rack.uuid(n, g),
        "device": f"nvidia{g}",
        "gpu": str(g),
        "instance": f"{rack.nodes[n]}:9400",
        "modelName": CARDS[rack.card].model,
        "pci_bus_id": f"00000000:{rack.bus(g)}",
        **more,
    }


def answer(place: Path, name: str, found: Series, *, thanos: bool = False, whole: bool = True) -> None:
    """The answer of /api/v1/query_range: the steps of a query are even, whatever the scrape's own second was."""
    result = [
        {"metric": m, "values": [[int(t) if whole else round(t, 3), v] for t, v in values]} for m, values in found
    ]
    data: dict[str, object] = {"resultType": "matrix", "result": result}
    if thanos:
        data["analysis"] = {}
    put(place, name, json.dumps({"status": "success", "data": data}, separators=(",", ":")) + "\n")


def by_metric(place: Path, folder: str, found: Series) -> None:
    """An answer for each metric."""
    for name in sorted({m["__name__"] for m, _ in found}):
        answer(place, f"{folder}/{name}.json", [one for one in found if one[0]["__name__"] == name])


def victoria(place: Path, name: str, found: Series) -> None:
    """What /api/v1/export writes: a series a line."""
    lines = []
    for metric, values in found:
        numbers = [float(v) for _, v in values]
        exact = [int(v) if v == int(v) else v for v in numbers]
        one = {"metric": metric, "values": exact, "timestamps": [int(t * 1000) for t, _ in values]}
        lines.append(json.dumps(one, separators=(",", ":")))
    put(place, name, lines)


def smi(
    place: Path, name: str, rack: Rack, node: int, east: int, *, event: bool = False, ecc: dict[int, int] | None = None
) -> None:
    """What ``nvidia-smi --query-gpu=... --format=csv -l N`` writes; ``event``: as later drivers name reasons."""
    of = CARDS[rack.card]
    head = (
        "timestamp, index, uuid, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
        "memory.total [MiB], power.draw [W], power.limit [W], temperature.gpu, clocks.current.sm [MHz], "
        f"clocks_{'event' if event else 'throttle'}_reasons.active"
    )
    lines = [head + (", ecc.errors.corrected.aggregate.total" if ecc is not None else "")]
    tables = [rack.rows(node, g) for g in range(rack.gpus)]
    for i in range(min(len(one) for one in tables)):
        for g, one in enumerate(tables):
            v = one[i][1]
            stamp = f"{clock(tables[0][i][0], east, '%Y/%m/%d %H:%M:%S')}.{int(tables[0][i][0] * 1000) % 1000:03d}"
            cells = [
                stamp,
                str(g),
                rack.uuid(node, g),
                of.model,
                f"{int(v['GPU_UTIL'])} %",
                f"{int(v['MEM_COPY_UTIL'])} %",
                f"{int(v['FB_USED'])} MiB",
                f"{of.mib} MiB",
                f"{v['POWER_USAGE']:.2f} W",
                f"{of.cap:.2f} W",
                str(int(v["GPU_TEMP"])),
                f"{int(v['SM_CLOCK'])} MHz",
                f"0x{int(v['CLOCK_THROTTLE_REASONS']):016X}",
            ]
            if ecc is not None:
                cells.append(str(ecc.get(g, 0)))
            lines.append(", ".join(cells))
    put(place, name, lines)


DMON: Final = {
    "TMPTR": ("C", "GPU_TEMP"),
    "POWER": ("W", "POWER_USAGE"),
    "SMCLK": ("", "SM_CLOCK"),
    "MMCLK": ("", "MEM_CLOCK"),
    "GPUTL": ("", "GPU_UTIL"),
    "MCUTL": ("", "MEM_COPY_UTIL"),
    "FBUSD": ("", "FB_USED"),
    "XIDER": ("", "XID_ERRORS"),
    "GRACT": ("", ""),
    "SMACT": ("", ""),
}


def dmon(place: Path, name: str, rack: Rack, node: int, east: int) -> None:
    """What ``dcgmi dmon`` prints through ``ts``: GeForce cards have no profiling fields."""
    heads = (
        "#Entity   " + "".join(f"{c:<12}" for c in DMON),
        "ID        " + "".join(f"{u:<12}" for u, _ in DMON.values()),
    )
    tables, lines = [rack.rows(node, g) for g in range(rack.gpus)], []
    for i in range(min(len(one) for one in tables)):
        stamp = clock(tables[0][i][0], east, ISO)
        if i % 25 == 0:
            lines += [f"{stamp} {one.rstrip()}" for one in heads]
        for g, one in enumerate(tables):
            v = one[i][1]
            cells = [
                "N/A" if not of else f"{v[of]:.3f}" if of == "POWER_USAGE" else str(int(v[of]))
                for _, of in DMON.values()
            ]
            lines.append(f"{stamp} GPU {g}     " + "".join(f"{c:<12}" for c in cells).rstrip())
    put(place, name, lines)


def calm(rng: Random, begin: float, end: float, card: str, *, ib: bool = True) -> list[tuple[float, str]]:
    """What the kernel of a healthy node says anyway; the first line is the boot."""
    boot = begin - rng.uniform(3, 50) * 86400
    utc = clock(boot + 1, 0, "%Y-%m-%dT%H:%M:%S UTC")
    lines = [
        (boot, "Linux version 5.15.0-126-generic (buildd@lcy02-amd64-085) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"),
        (boot + 1.31, f"rtc_cmos 00:01: setting system clock to {utc} ({int(boot) + 1})"),
        (boot + 4.7, "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none."),
        (boot + 9.92, "nvidia: loading out-of-tree module taints kernel."),
        (boot + 10.4, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {CARDS[card].driver}"),
        (boot + 13.8, "nvidia-uvm: Loaded the UVM driver, major device number 508."),
    ]
    if ib:
        lines.append((boot + 22.7, "mlx5_core 0000:4b:00.0 ibp75s0: Link up"))
    pool = [
        "perf: interrupt took too long (2514 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
        "systemd-journald[887]: Data hash table of /run/log/journal has a fill level at 75.0 (8534 of 11377 items)",
        "hrtimer: interrupt took 31012 ns",
        "EDAC MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0 slot:0)",
        'audit: type=1400 apparmor="STATUS" operation="profile_replace" info="same as current profile, skipping '
        'replacement"',
    ]
    lines += [(rng.uniform(begin - 90000, end), one) for one in rng.sample(pool, 3)]
    return lines


def kernel(place: Path, name: str, lines: Sequence[tuple[float, str]], form: str, east: int, host: str) -> None:
    """Write the kernel log in one of the forms that people send."""
    sort = sorted(lines, key=lambda one: one[0])
    boot, out = sort[0][0], []
    sign, mark = abs(east), "-" if east < 0 else "+"
    for t, text in sort:
        if form == "dmesg -T":
            out.append(f"[{clock(t, east, '%a %b %e %H:%M:%S %Y')}] {text}")
        elif form == "dmesg":
            out.append(f"[{t - boot:12.6f}] {text}")
        elif form == "dmesg iso":
            out.append(
                f"{clock(t, east, ISO)},{int(t * 1e6) % 1000000:06d}{mark}{sign // 60:02d}:{sign % 60:02d} {text}"
            )
        elif form == "journalctl iso":
            out.append(f"{clock(t, east, ISO)}{mark}{sign // 60:02d}{sign % 60:02d} {host} kernel: {text}")
        elif form == "journalctl":
            out.append(f"{clock(t, east, '%b %d %H:%M:%S')} {host} kernel: {text}")
        else:
            out.append(f"{clock(t, east, '%b %e %H:%M:%S')} {host} kernel: [{t - boot:12.6f}] {text}")
    put(place, name, out)


def nudge(t: float) -> float:
    """A time that was given in whole seconds, somewhere within its second."""
    return t + 0.9 * (int(t) * 0.6180339887 % 1) if abs(t - round(t)) < 1e-6 else t


@dataclass(frozen=True)
class Job:
    """What accounting knows of a job."""

    number: int
    name: str
    user: str
    uid: int
    partition: str
    nodes: str
    count: int
    limit: int
    submit: float
    begin: float
    end: float
    state: str
    code: str
    gpus: int
    cpus: int


def bars(
    place: Path, name: str, jobs: Sequence[Job], east: int, columns: str, steps: dict[str, tuple[str, str, str]]
) -> None:
    """``sacct -P``: ``steps`` gives name, state and exit code by suffix, of the last job; none for ``-X``."""
    heads = columns.split(",")
    lines = ["|".join(heads)]
    for job in jobs:
        rows = [("", job.name, job.state, job.code)]
        rows += [(key, *one) for key, one in steps.items()] if job is jobs[-1] else []
        for suffix, called, state, code in rows:
            top = not suffix
            cells = {
                "JobID": f"{job.number}{suffix}",
                "JobIDRaw": f"{job.number}{suffix}",
                "JobName": called,
                "User": job.user if top else "",
                "Account": "ml",
                "Partition": job.partition if top else "",
                "State": state,
                "ExitCode": code,
                "Submit": clock(job.submit if top else job.begin, east, ISO),
                "Start": clock(job.begin + (0 if suffix in ("", ".batch", ".extern") else 2), east, ISO),
                "End": clock(job.end + (0 if top else 1), east, ISO),
                "Elapsed": took(job.end - job.begin + (0 if top else 1)),
                "Timelimit": took(job.limit * 60) if top else "",
                "NNodes": "1" if suffix == ".batch" else str(job.count),
                "AllocCPUS": str(job.cpus // job.count if suffix == ".batch" else job.cpus),
                "AllocTRES": f"billing={job.cpus},cpu={job.cpus},gres/gpu={job.gpus},node={job.count}",
                "NodeList": _first(job.nodes) if suffix == ".batch" else job.nodes,
                "MaxRSS": "" if top else "0" if suffix == ".extern" else f"{21000000 + job.number % 900000}K",
            }
            lines.append("|".join(cells[one] for one in heads))
    put(place, name, lines)


def _first(nodes: str) -> str:
    """The first node of ``name[03-05]`` or ``name[03,07]``."""
    if "[" not in nodes:
        return nodes
    head, tail = nodes.split("[")
    return head + tail.rstrip("]").split(",")[0].split("-")[0]


def as_json(
    place: Path, name: str, job: Job, steps: Sequence[tuple[str, str, str, int, int]], killer: str = ""
) -> None:
    """``sacct --json`` of Slurm 23.11; steps are id, name, state, return code, signal."""

    def number(value: int) -> dict[str, object]:
        return {"set": True, "infinite": False, "number": value}

    def code(status: str, back: int, signal: int) -> dict[str, object]:
        named = {0: "", 9: "KILL", 15: "TERM"}[signal]
        sig = {"id": number(signal) if signal else {"set": False, "infinite": False, "number": 0}, "name": named}
        return {"status": [status], "return_code": number(back), "signal": sig}

    def status(back: int, signal: int) -> str:
        return "SIGNALED" if signal else "ERROR" if back else "SUCCESS"

    back, signal = (int(one) for one in job.code.split(":"))
    body = {
        "account": "ml",
        "allocation_nodes": job.count,
        "cluster": "hpc",
        "derived_exit_code": code(status(back, 0), back, 0),
        "exit_code": code(status(back, signal), back, signal),
        "job_id": job.number,
        "kill_request_user": killer,
        "name": job.name,
        "nodes": job.nodes,
        "partition": job.partition,
        "restart_cnt": 0,
        "state": {"current": [job.state], "reason": "None"},
        "steps": [
            {
                "time": {
                    "elapsed": int(job.end - job.begin),
                    "end": number(int(job.end)),
                    "start": number(int(job.begin)),
                },
                "exit_code": code(status(b, s), b, s),
                "nodes": {"count": job.count, "range": job.nodes},
                "state": [state],
                "step": {"id": f"{job.number}.{ident}", "name": called},
            }
            for ident, called, state, b, s in steps
        ],
        "time": {
            "elapsed": int(job.end - job.begin),
            "eligible": int(job.submit),
            "end": int(job.end),
            "limit": number(job.limit),
            "start": int(job.begin),
            "submission": int(job.submit),
            "suspended": 0,
        },
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "id": 1, "count": job.cpus},
                {"type": "node", "name": "", "id": 4, "count": job.count},
                {"type": "gres", "name": "gpu", "id": 1001, "count": job.gpus},
            ]
        },
        "user": job.user,
        "working_directory": f"/home/{job.user}",
    }
    whole = {
        "jobs": [body],
        "meta": {
            "plugin": {"type": "openapi/dbv0.0.40", "name": "Slurm OpenAPI DB v0.0.40"},
            "slurm": {"version": {"major": "23", "micro": "7", "minor": "11"}, "release": "23.11.7"},
        },
        "errors": [],
        "warnings": [],
    }
    put(place, name, json.dumps(whole, indent=2) + "\n")


def scontrol(job: Job, east: int, *, command: str, detail: str = "", tasks: int = 0) -> list[str]:
    """A record of ``scontrol show job``, with ``-d`` where there is a detail."""
    state, reason = job.state, "TimeLimit" if job.state == "TIMEOUT" else "None"
    out = [
        f"JobId={job.number} JobName={job.name}",
        f"   UserId={job.user}({job.uid}) GroupId=users(100) MCS_label=N/A",
        "   Priority=10431 Nice=0 Account=ml QOS=normal",
        f"   JobState={state} Reason={reason} Dependency=(null)",
        f"   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode={job.code}",
    ]
    if detail:
        out.append(f"   DerivedExitCode={job.code}")
    out += [
        f"   RunTime={took(job.end - job.begin)} TimeLimit={took(job.limit * 60)} TimeMin=N/A",
        f"   SubmitTime={clock(job.submit, east, ISO)} EligibleTime={clock(job.submit, east, ISO)}",
        f"   AccrueTime={clock(job.submit, east, ISO)}",
        f"   StartTime={clock(job.begin, east, ISO)} EndTime={clock(job.end, east, ISO)} Deadline=N/A",
        f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={clock(job.begin, east, ISO)} Scheduler=Backfill",
        f"   Partition={job.partition} AllocNode:Sid=login02:{2000 + job.number % 7000}",
        "   ReqNodeList=(null) ExcNodeList=(null)",
        f"   NodeList={job.nodes}",
        f"   BatchHost={job.nodes}",
        f"   NumNodes={job.count} NumCPUs={job.cpus} NumTasks={tasks or job.count} "
        f"CPUs/Task={job.cpus // (tasks or job.count)} ReqB:S:C:T=0:0:*:*",
        f"   ReqTRES=cpu={job.cpus},node={job.count},billing={job.cpus},gres/gpu={job.gpus}",
        f"   AllocTRES=cpu={job.cpus},node={job.count},billing={job.cpus},gres/gpu={job.gpus}",
        "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*",
    ]
    if detail:
        out += ["   JOB_GRES=gpu:" + str(job.gpus), f"     {detail}"]
    return [
        *out,
        "   MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0",
        "   Features=(null) DelayBoot=00:00:00",
        "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
        f"   Command=/home/{job.user}/{command}",
        f"   WorkDir=/home/{job.user}",
        f"   StdErr=/home/{job.user}/slurm-{job.number}.out",
        "   StdIn=/dev/null",
        f"   StdOut=/home/{job.user}/slurm-{job.number}.out",
        f"   TresPerNode=gres/gpu:{job.gpus // job.count}",
        "",
    ]


@dataclass
class Loss:
    """A loss that falls as a power of the step, with noise that hangs together."""

    rng: Random
    first: float
    floor: float
    scale: float
    noise: float = 0.02
    power: float = 0.6
    last: float = 0.0

    def at(self, step: float) -> float:
        """At one step; asked in order."""
        self.last = 0.35 * self.last + self.rng.gauss(0, self.noise)
        return max(
            1e-4, (self.floor + (self.first - self.floor) * (1 + step / self.scale) ** -self.power) * (1 + self.last)
        )


def meter(done: int, total: int, width: int = 10) -> str:
    """The body of tqdm's bar."""
    full, part = divmod(width * 8 * done // max(total, 1), 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[part] if full < width else "")).ljust(width)[:width]


def span(seconds: float) -> str:
    """Hours, minutes and seconds as tqdm has them."""
    h, rest = divmod(int(seconds), 3600)
    return f"{h}:{rest // 60:02d}:{rest % 60:02d}" if h else f"{rest // 60:02d}:{rest % 60:02d}"


def rate(each: float) -> str:
    """Tqdm's rate."""
    return f"{each:5.2f}s/it" if each > 1 else f"{1 / each:5.2f}it/s"


def glued(lines: Sequence[str]) -> str:
    """Lines and bars as a file gets them: a bar ends no line, so that what comes next stands behind it.

    A bar begins with a carriage return. What tqdm itself writes between bars, the dictionaries of the HF trainer, wipes
    the bar first; a full bar is closed with an end of line.
    """
    out, open_bar = [], 0
    for one in lines:
        if one.startswith("\r"):
            full = "100%|" in one
            out.append(one + ("\n" if full else ""))
            open_bar = 0 if full else len(one)
            continue
        wipe = "\r" + " " * open_bar + "\r" if open_bar and one.startswith("{'loss'") else ""
        out.append(f"{wipe}{one}\n")
        open_bar = 0
    return "".join(out)

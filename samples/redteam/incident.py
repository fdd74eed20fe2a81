"""One incident: a job with its machines, its timeline and its truth, and the folder an operator would hand over."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from . import writers
from .fleet import BOARDS, COMPILE, EVALUATE, OFF, RESIDENT, SAVE, TRAIN, Change, Gpu, Phase, Work, scaled
from .writers import Run, Trainer

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("gpu-a-{:03d}", "node{:02d}", "dgx-{:02d}", "nid{:06d}", "r7h100n{:02d}", "hpc-gpu{:d}")
FRAMEWORKS = ("megatron", "hf", "lightning", "plain", "deepspeed", "nemo", "titan")


@dataclass
class Truth:
    """What is right, written before anything is run."""

    family: str | None  # None: cannot_decide (or outside, see outcome)
    outcome: str = "decided"
    attribution: str = ""
    nodes: list[str] = field(default_factory=list)
    gpus: list[str] = field(default_factory=list)
    sub_mode: str = ""
    why: str = ""
    also: list[str] = field(default_factory=list)  # families or outcomes that are right too, and why says so


class Incident:
    """Builder of a job; times are seconds of epoch.

    ``planned`` is the number of steps that a run which finishes had planned: known when it was built once.
    """

    planned: int | None = None

    def __init__(
        self,
        name: str,
        twin: str,
        rng: random.Random,
        *,
        nodes: int | None = None,
        gpus: int | None = None,
        board: str | None = None,
        framework: str | None = None,
        interval: int | None = None,
        profiled: bool | None = None,
        reasons: bool = True,
        ecc: bool | None = None,
        xid: bool = True,
        every: int | None = None,
    ) -> None:
        self.name, self.twin, self.rng = name, twin, rng
        self.board = BOARDS[board or rng.choice(["a100", "h100", "h100", "h200", "a100-40", "l40s"])]
        self.n = nodes if nodes is not None else rng.choice([2, 2, 3, 4])
        self.g = gpus if gpus is not None else rng.choice([4, 8, 8])
        first = rng.randint(1, 80)
        form = rng.choice(NAMES)
        self.nodes = [form.format(first + k) for k in range(self.n)]
        self.framework = framework or rng.choice(FRAMEWORKS)
        self.interval = interval or rng.choice([10, 15, 15, 30])
        self.collect = max(self.interval, rng.choice([5, 15, 30]))
        self.profiled = rng.random() < 0.7 if profiled is None else profiled
        self.with_reasons, self.with_xid = reasons, xid
        self.with_ecc = rng.random() < 0.6 if ecc is None else ecc
        self.offset = rng.choice([0, 60, -300, 330, 480, -480])
        self.meta = rng.random() < 0.6
        self.start = 1788000000 + rng.randint(0, 4_000_000)
        self.t = float(self.start)
        self.job = rng.randint(10_000, 4_000_000)
        self.boot = self.start - rng.randint(3, 40) * 86400 - rng.random()
        self.phases: list[Phase] = []
        self.changes: list[Change] = []
        self.lines: list[tuple[float, str]] = []
        self.rank_lines: dict[int, list[tuple[float, str]]] = {}
        self.kernel: dict[int, list[tuple[float, str]]] = {k: [] for k in range(self.n)}
        self.kernel_form = rng.choice(["dmesg-T", "dmesg-iso", "journal-iso", "syslog"])
        self.runs: list[Run] = []
        self.runs_form = rng.choice(["p2", "p2-long", "json", "p2-long"])
        self.facts_extra: dict[str, str] = {}
        self.counters: list[tuple[float, int, int, str, float]] = []
        self.base: dict[tuple[int, int, str], float] = {}
        self.keep_metrics: set[str] | None = None
        self.gaps: list[tuple[float, float, int | None]] = []
        self.strangers: list[tuple[str, int, Work]] = []  # nodes of other jobs that the query returned too
        self.node_exporter = rng.random() < 0.5
        self.layout = rng.choice(["one", "metric", "node"])
        self.margin = rng.choice([120, 300, 600])
        self.step = 0
        self.total = self.planned or 60_000  # far more than any of these runs does
        self.done = False
        self.every = every or rng.choice([1, 5, 10])
        self.loss_at: Callable[[int], float] = self.curve(11.0, 2.2, 60)
        self.grad_at: Callable[[int], float] = lambda n: 1.1 * (1 + 4 / (n + 3)) * self.rng.uniform(0.8, 1.3)
        self.lr_at: Callable[[int], float] = lambda n: 3e-4 * min(1, n / 50)
        self.logs = {"train": True}
        self.telemetry = True
        self.limit_min = 1440
        self.memory_share = rng.uniform(0.55, 0.93)
        self.trainer: Trainer | None = None
        self.stamped = rng.random() < 0.8
        self.extra_files: dict[str, str] = {}
        self.log_name = rng.choice(["slurm-{}.out", "train_{}.log", "{}.out"]).format(self.job)
        self.tick_cache: list[float] = []
        self.cpu_busy = 0.12
        self.iowait = 0.002
        self.mig: list[tuple[str, str]] = []
        self.uuids = [
            [
                f"GPU-{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-{rng.getrandbits(16):04x}-{rng.getrandbits(16):04x}-{rng.getrandbits(48):012x}"
                for _ in range(self.g)
            ]
            for _ in range(self.n)
        ]
        self.bus = [f"{b:02X}" for b in (0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF)]

    # ---- timeline ---------------------------------------------------------------------------------------------------

    def curve(self, first: float, floor: float, scale: float) -> Callable[[int], float]:
        """A loss that falls like a power of the step, with noise."""
        return lambda n: floor + (first - floor) * (1 + n / scale) ** -0.75 + self.rng.gauss(0, 0.03)

    def log(self, text: str, t: float | None = None) -> None:
        """A line of the merged log."""
        self.lines.append((self.t if t is None else t, text))

    def rank_log(self, rank: int, text: str, t: float | None = None) -> None:
        """A line that carries a rank the way torch's own lines do; the text says so itself."""
        self.lines.append((self.t if t is None else t, text))

    def phase(self, kind: str, seconds: float, work: Work, step_s: float = 0.0) -> Phase:
        p = Phase(kind, self.t, self.t + seconds, work, step_s)
        self.phases.append(p)
        self.t += seconds
        return p

    def boot_job(
        self, load_s: float | None = None, compile_s: float | None = None, resume: int = 0, total: int | None = None
    ) -> None:
        """Launch, load, compile: what precedes the first step."""
        self.total = total or self.total
        self.trainer = Trainer(self.framework, self.offset, self.total, self.every, self.n * self.g, self.stamped)
        self.trainer.begin = self.t
        for text in self.trainer.header(self.t + 8):
            self.log(text, self.t + 8)
        self.phase("import", self.rng.uniform(15, 40), OFF)
        self.phase("load", load_s or self.rng.uniform(40, 150), RESIDENT)
        for text in self.trainer.ready(self.t, resume):
            self.log(text)
        self.step = resume
        if compile_s is None:
            compile_s = self.rng.choice([0, 0, 45, 120])
        if compile_s:
            self.phase("compile", compile_s, COMPILE)

    def train(
        self,
        steps: int,
        step_s: float,
        work: Work = TRAIN,
        jitter: float = 0.02,
        util: float | None = None,
        show: bool = True,
    ) -> Phase:
        """``steps`` steps of about ``step_s``; logs every ``every``."""
        assert self.trainer
        begin, t = self.t, self.t
        share = util if util is not None else work.tensor / 0.38
        for _ in range(steps):
            dt = max(0.05, step_s * (1 + self.rng.gauss(0, jitter)))
            t += dt
            self.step += 1
            if show and (self.step % self.every == 0):
                for text in self.trainer.step(
                    t, self.step, dt, self.loss_at(self.step), self.grad_at(self.step), self.lr_at(self.step), share
                ):
                    self.log(text, t)
        p = Phase("train", begin, t, scaled(work, period_s=step_s if work.period_s > 0.9 else work.period_s), step_s)
        self.phases.append(p)
        self.t = t
        return p

    def save(self, seconds: float, work: Work = SAVE) -> None:
        """A checkpoint with its lines."""
        assert self.trainer
        self.lines += self.trainer.saving(self.t, self.t + seconds, self.step)
        self.phase("save", seconds, work)

    def evaluate(self, seconds: float, work: Work = EVALUATE) -> None:
        """An evaluation with its lines."""
        assert self.trainer
        self.lines += self.trainer.evaluating(self.t, self.t + seconds, self.step, self.loss_at(self.step) + 0.05)
        self.phase("evaluate", seconds, work)

    def finish(self) -> None:
        """The end as planned."""
        assert self.trainer
        self.done = True
        for text in self.trainer.finished(self.t, self.step):
            self.log(text)
        self.phase("teardown", 12, RESIDENT)
        self.account("COMPLETED", "0:0")

    def account(
        self,
        state: str,
        code: str = "0:0",
        step_state: str | None = None,
        step_code: str | None = None,
        begin: float | None = None,
    ) -> None:
        """Rows of accounting for a run ending now."""
        b = self.start if begin is None else begin
        clean = state.split()[0]
        ss = step_state or {
            "COMPLETED": "COMPLETED",
            "FAILED": "FAILED",
            "TIMEOUT": "CANCELLED",
            "NODE_FAIL": "CANCELLED",
            "PREEMPTED": "CANCELLED",
            "CANCELLED": "CANCELLED",
            "OUT_OF_MEMORY": "OUT_OF_MEMORY",
            "REQUEUED": "CANCELLED",
        }.get(clean, clean)
        sc = step_code or {
            "COMPLETED": "0:0",
            "TIMEOUT": "0:15",
            "NODE_FAIL": "0:9",
            "OUT_OF_MEMORY": "0:125",
            "CANCELLED": "0:15",
            "PREEMPTED": "0:15",
        }.get(clean, code)
        self.runs.append(Run("", "train", state, code, b, self.t))
        self.runs.append(Run(".batch", "batch", ss, sc, b, self.t + 1))
        self.runs.append(Run(".extern", "extern", "COMPLETED", "0:0", b, self.t))
        self.runs.append(Run(".0", "torchrun", ss, sc, b, self.t + 1))

    def end(self) -> float:
        return self.t

    # ---- faults -----------------------------------------------------------------------------------------------------

    def change(self, begin: float, end: float = math.inf, **what: object) -> None:
        self.changes.append(Change(begin, end, **what))  # type: ignore[arg-type]

    def count(self, t: float, node: int, gpu: int, metric: str, delta: float) -> None:
        """A counter moves by ``delta`` at ``t`` (for XID_ERRORS: is set to it)."""
        self.counters.append((t, node, gpu, metric, delta))

    def xid(
        self,
        t: float,
        node: int,
        gpu: int,
        code: int,
        text: str,
        pid: int | None = None,
        dmesg: bool = True,
        gauge: bool = True,
    ) -> None:
        """An XID as kernel and exporter show it."""
        if dmesg:
            who = f"pid={pid}, name=python3, " if pid else "pid='<unknown>', name=<unknown>, "
            self.kernel[node].append((t, f"NVRM: Xid (PCI:0000:{self.bus[gpu].lower()}:00): {code}, {who}{text}"))
        if gauge:
            self.counters.append((t, node, gpu, "DCGM_FI_DEV_XID_ERRORS", code))

    def dmesg(self, t: float, node: int, text: str) -> None:
        self.kernel[node].append((t, text))

    def quiet_kernel(self) -> None:
        """Lines every kernel prints; nothing of them matters."""
        for k in range(self.n):
            pool = [
                "mlx5_core 0000:19:00.0 ibs1: Link up",
                "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
                "nvidia-uvm: Loaded the UVM driver, major device number 510.",
                "audit: backlog limit exceeded",
                "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0",
                "systemd-journald[1211]: Data hash table of /var/log/journal has a fill level at 75.0",
                "pcieport 0000:15:01.0: AER: Corrected error received: 0000:15:01.0",
                "LNetError: 2211:0:(o2iblnd_cb.c:3421) conns[19] reconnected",
                "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.129.03",
            ]
            self.kernel[k].append((self.boot + 22, pool[-1]))
            for j in range(self.g):
                self.kernel[k].append(
                    (self.boot + 23, f"NVRM: GPU at PCI:0000:{self.bus[j].lower()}:00: {self.uuids[k][j]}")
                )
            for _ in range(self.rng.randint(2, 6)):
                self.kernel[k].append(
                    (self.rng.uniform(self.start - 3600, max(self.t, self.start + 60)), self.rng.choice(pool[:-1]))
                )

    # ---- writing ----------------------------------------------------------------------------------------------------

    def write(self, root: Path) -> None:
        """The folder ``root/name`` with everything that was kept."""
        base = root / self.name
        base.mkdir(parents=True)
        if self.telemetry:
            self.write_metrics(base)
        if self.logs["train"]:
            text = "\n".join(x for _, x in sorted(self.lines, key=lambda p: p[0]))
            (base / self.log_name).write_text(text + "\n")
        for name, text in self.extra_files.items():
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).write_text(text)
        if any(self.kernel.values()):
            nested = self.rng.random() < 0.5
            for k, rows in self.kernel.items():
                if rows:
                    path = base / self.nodes[k] / "dmesg.txt" if nested else base / f"dmesg.{self.nodes[k]}.txt"
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(
                        "".join(
                            writers.kernel_line(self.kernel_form, self.nodes[k], t, self.boot, self.offset, x) + "\n"
                            for t, x in sorted(rows)
                        )
                    )
        if self.runs:
            facts = {
                "user": "ana",
                "partition": "gpu",
                "cpus": str(self.n * 64),
                "limit": writers.elapsed(self.limit_min * 60),
                "limit_min": str(self.limit_min),
                "nnodes": str(self.n),
                "gpus": str(self.n * self.g),
                "tres": f"billing={self.n * 64},cpu={self.n * 64},gres/gpu={self.n * self.g},mem={self.n}T,node={self.n}",
                "nodes": ",".join(self.nodes),
                **self.facts_extra,
            }
            if self.runs_form == "json":
                (base / "sacct.json").write_text(writers.sacct_json(self.job, self.runs, facts))
            else:
                (base / self.rng.choice(["sacct.txt", "sacct.out", "job_sacct.psv"])).write_text(
                    writers.sacct_text(self.runs_form, self.job, self.runs, facts, self.offset)
                )
        if self.meta:
            (base / "meta.json").write_text(
                json.dumps(
                    {
                        "job_id": str(self.job),
                        "utc_offset_minutes": self.offset,
                        "collected_at": writers.local(self.t + 7200, 0).strftime("%Y-%m-%dT%H:%M:%SZ"),
                        "scrape_interval_s": self.interval,
                    }
                )
            )

    def metrics(self) -> list[str]:
        names = list(writers.DEFAULT_SET)
        names += writers.REASONS if self.with_reasons else []
        names += writers.ECC if self.with_ecc else []
        names += writers.PROFILED if self.profiled else []
        if not self.with_xid:
            names.remove("DCGM_FI_DEV_XID_ERRORS")
        if self.board.name.startswith("Tesla V100"):
            names = [x for x in names if "REMAP" not in x]
        extra = {m for _, _, _, m, _ in self.counters} - set(names)
        names += sorted(m for m in extra if m not in writers.ECC or self.with_ecc) if self.keep_metrics is None else []
        return [x for x in names if self.keep_metrics is None or x in self.keep_metrics]

    def work_at(self, node: int, gpu: int) -> Callable[[float], tuple[Work, float]]:
        phases = self.phases
        mine = [c for c in self.changes if c.work is not None and c.node in (None, node) and c.gpu in (None, gpu)]
        hint = [0]

        def at(t: float) -> tuple[Work, float]:
            for c in reversed(mine):
                if c.begin <= t < c.end:
                    return c.work, 1.0  # type: ignore[return-value]
            if not phases or t < phases[0].begin or t >= phases[-1].end:
                return OFF, 0.0
            i = hint[0] if phases[hint[0]].begin <= t else 0
            while i < len(phases) and phases[i].end <= t:
                i += 1
            hint[0] = i
            p = phases[min(i, len(phases) - 1)]
            ramp = min(1.0, 0.1 + (t - p.begin) / (p.end - p.begin)) if p.kind == "load" else 1.0
            return p.work, ramp

        return at

    def write_metrics(self, base: Path) -> None:
        t0, t1 = self.start - self.margin, self.t + self.margin
        skew = self.rng.random() * self.interval
        ticks = [round(t0 + skew + k * self.interval, 3) for k in range(int((t1 - t0) / self.interval))]
        names = self.metrics()
        per: dict[str, list[tuple[str, dict[str, str], list[tuple[float, float]]]]] = {m: [] for m in names}
        for node in range(self.n):
            ambient = self.rng.uniform(26, 33)
            for gpu in range(self.g):
                unit = Gpu(self.board, self.rng, self.memory_share, ambient)
                at = self.work_at(node, gpu)
                changes = [c for c in self.changes if c.node in (None, node) and c.gpu in (None, gpu)]
                moves = [c for c in self.counters if c[1] == node and c[2] == gpu]
                held: dict[str, float] = {}
                last = -math.inf
                values: dict[str, list[tuple[float, float]]] = {m: [] for m in names}
                for t in ticks:
                    if t - last >= self.collect - 1e-6:
                        active = [c for c in changes if c.begin <= t < c.end]
                        held = unit.read(t, min(self.collect, t - last if last > 0 else self.collect), at, active)
                        last = t
                        for m in names:
                            if m not in held:
                                held[m] = self.base.get((node, gpu, m), 0)
                        for when, _, _, m, delta in moves:
                            if when <= t:
                                held[m] = delta if m == "DCGM_FI_DEV_XID_ERRORS" else held.get(m, 0) + delta
                        held["_gone"] = 1.0 if any(c.gone for c in active) else 0.0
                    if held["_gone"] or any(a <= t < b and n in (None, node) for a, b, n in self.gaps):
                        continue
                    for m in names:
                        values[m].append((t, held[m]))
                common = {
                    "DCGM_FI_DRIVER_VERSION": "535.129.03",
                    "Hostname": self.nodes[node],
                    "UUID": self.uuids[node][gpu],
                    "device": f"nvidia{gpu}",
                    "gpu": str(gpu),
                    "instance": f"10.2.{node}.7:9400",
                    "job": "dcgm-exporter",
                    "modelName": self.board.name,
                    "pci_bus_id": f"00000000:{self.bus[gpu]}:00.0",
                }
                instances = self.mig or [("", "")]
                for m in names:
                    for k, (profile, ident) in enumerate(instances):
                        if profile and "PROF" not in m and "FB_" not in m and k:
                            continue
                        label = {**common, **({"GPU_I_PROFILE": profile, "GPU_I_ID": ident} if profile else {})}
                        per[m].append((self.nodes[node], {"__name__": m, **label}, values[m]))
        for name, gpus, work in self.strangers:
            for gpu in range(gpus):
                unit = Gpu(self.board, self.rng, 0.8, 28)
                label = {
                    "Hostname": name,
                    "UUID": f"GPU-{self.rng.getrandbits(128):032x}"[:12]
                    + f"-0000-0000-0000-{self.rng.getrandbits(48):012x}",
                    "gpu": str(gpu),
                    "instance": "10.9.9.9:9400",
                    "modelName": self.board.name,
                }
                rows = [(t, unit.read(t, self.interval, lambda _, work=work: (work, 1.0), [])) for t in ticks]
                for m in names:
                    per[m].append(
                        (
                            name,
                            {"__name__": m, **label},
                            [(t, r.get(m, 31 if "XID" in m else 0)) for t, r in rows],
                        )
                    )
        host = self.host_series(ticks) if self.node_exporter else []
        if self.layout == "one":
            (base / "prometheus.json").write_text(
                writers.matrix([(a, v) for m in names for _, a, v in per[m]] + [(a, v) for _, a, v in host])
            )
        elif self.layout == "node":
            for name in [*self.nodes, *(stranger for stranger, _, _ in self.strangers)]:
                (base / f"metrics-{name}.json").write_text(
                    writers.matrix(
                        [(a, v) for m in names for n, a, v in per[m] if n == name]
                        + [(a, v) for n, a, v in host if n == name]
                    )
                )
        else:
            (base / "prom").mkdir()
            for m in names:
                (base / "prom" / f"{m}.json").write_text(writers.matrix([(a, v) for _, a, v in per[m]]))
            if host:
                (base / "prom" / "node.json").write_text(writers.matrix([(a, v) for _, a, v in host]))

    def host_series(self, ticks: list[float]) -> list[tuple[str, dict[str, str], list[tuple[float, float]]]]:
        out = []
        for k, name in enumerate(self.nodes):
            rows = [t for t in ticks if not any(a <= t < b and n in (None, k) for a, b, n in self.gaps)]
            lab = {"instance": f"{name}:9100", "job": "node"}
            total = 2.0e12
            busy, idle = 5e5, 9e6
            cpu: dict[str, list[tuple[float, float]]] = {"user": [], "idle": [], "iowait": []}
            u, i, w = busy, idle, 4e3
            for j, t in enumerate(rows):
                dt = t - rows[j - 1] if j else 0
                b = self.cpu_busy if self.start < t < self.t else 0.01
                u, i, w = u + dt * b, i + dt * (1 - b - self.iowait), w + dt * self.iowait
                for mode, v in (("user", u), ("idle", i), ("iowait", w)):
                    cpu[mode].append((t, round(v, 2)))
            for mode, v2 in cpu.items():
                out.append((name, {"__name__": "node_cpu_seconds_total", "mode": mode, "cpu": "0", **lab}, v2))
            out.append((name, {"__name__": "node_memory_MemTotal_bytes", **lab}, [(t, total) for t in rows]))
            out.append(
                (
                    name,
                    {"__name__": "node_memory_MemAvailable_bytes", **lab},
                    [(t, round(total * (0.8 + self.rng.uniform(-0.02, 0.02)))) for t in rows],
                )
            )
            out.append(
                (name, {"__name__": "node_load1", **lab}, [(t, round(self.rng.uniform(8, 20), 2)) for t in rows])
            )
            out.append((name, {"__name__": "node_boot_time_seconds", **lab}, [(t, round(self.boot)) for t in rows]))
        return out


def truth_json(case: Incident, truth: Truth) -> dict[str, object]:
    """What the scorer reads."""
    g = case.g
    ranks = [n * g + k for n in range(case.n) for k in range(g) if case.uuids[n][k] in truth.gpus]
    return {
        "ranks": ranks,
        "name": case.name,
        "twin": case.twin,
        "framework": case.framework,
        "board": case.board.name,
        "nodes_n": case.n,
        "gpus_n": case.g,
        **asdict(truth),
    }

"""An incident: a job, what its GPUs did, who said what, and the folder an operator makes of it. SIMULATED."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .machine import COMPUTE, COPY, HOST, MODELS, OFF, PROFILES, WAIT, Exporter, Gpu, Strain, load
from .talk import SPEAKERS, Step, wall

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable
    from pathlib import Path

ZONES = (-480, -420, -300, 0, 60, 120, 330, 480, 540)
SHAPES = ("gpu{:02d}", "compute-{:03d}", "ip-10-3-7-{:d}", "sx{:04d}", "node-a{:d}", "dgxh{:02d}", "cn{:03d}g")


@dataclass
class Truth:
    """What is right, written down with the incident; ``also`` names answers that are right too."""

    family: str | None
    outcome: str = "decided"
    nodes: list[str] = field(default_factory=list)
    gpus: list[str] = field(default_factory=list)
    why: str = ""
    also: list[str] = field(default_factory=list)


@dataclass
class Row:
    """One row of accounting: a run of the job."""

    start: float
    end: float | None
    state: str
    code: str = "0:0"
    step_state: str = ""
    step_code: str = ""


class Incident:
    """Builder of one incident; all times are seconds of epoch, on Prometheus' clock."""

    def __init__(
        self,
        name: str,
        rng: random.Random,
        *,
        profile: str = "default",
        nodes: int | None = None,
        gpus: int | None = None,
        model: str | None = None,
        framework: str | None = None,
        told: str = "slurm+log+kernel+dcgm",
        shared: bool = False,
        step_s: float | None = None,
    ) -> None:
        self.name, self.rng, self.profile = name, rng, profile
        self.told = set(told.split("+"))
        self.model = MODELS[model or rng.choice(["a100", "a100p", "h100", "h100n", "l40s", "b200", "v100"])]
        self.n = nodes or rng.choice([2, 2, 2, 3, 4, 6])
        self.g = gpus or (rng.choice([4, 8, 8]) if self.n < 4 else 4)
        self.capacity = 8 if shared else self.g
        self.shared = shared
        shape, first = rng.choice(SHAPES), rng.randint(1, 60)
        self.nodes = [shape.format(first + k) for k in range(self.n)]
        self.domain = rng.choice(["", "", "", ".hpc.example.org", ".cluster.local"])
        self.framework = framework or rng.choice(list(SPEAKERS))
        self.speaker = SPEAKERS[self.framework]
        self.zone = rng.choice(ZONES)
        self.log_zone = 0 if rng.random() < 0.08 else self.zone
        self.job = rng.randint(1000, 9_900_000)
        self.start = self.t = 1_757_000_000 + rng.randint(0, 6_400_000) + rng.random()
        self.skews = [rng.gauss(0, 1.5) for _ in range(self.n)]
        self.kernels = load(rng)
        self.offset = rng.choice([0, self.capacity - self.g]) if shared else 0
        self.gpus = [
            Gpu(self.model, n, self.offset + k, self._uuid(), self.kernels)
            for n in range(self.n)
            for k in range(self.g)
        ]
        self.tenants = [
            Gpu(self.model, n, k, self._uuid(), load(rng))
            for n in range(self.n)
            for k in range(self.capacity)
            if not self.offset <= k < self.offset + self.g
        ]
        self.others: list[Gpu] = []
        self.other_nodes: list[str] = []
        self.lines: list[tuple[float, int | None, str]] = []
        self.kernel: list[tuple[float, int, str]] = []
        self.rows: list[Row] = []
        self.states: dict[int, tuple[str, str, float | None]] = {}
        self.boots = [self.start - rng.uniform(2, 90) * 86400 for _ in range(self.n)]
        self.silent: dict[int, float] = {}
        self.holes: list[tuple[float, float]] = []
        self.limit_s: float | None = None
        self.total = 0
        self.done = 0
        self.every = rng.choice([1, 5, 10, 10, 20])
        self.step_s = step_s or rng.uniform(0.9, 6.0)
        self.comm_share = rng.uniform(0.03, 0.15)
        self.data_share = rng.uniform(0.0, 0.03)
        self.first_loss = rng.uniform(2.5, 11)
        self.last_loss = self.first_loss * rng.uniform(0.2, 0.45)
        self.curve: Callable[[int], float | None] = self.falling
        self.mig: str | None = None
        self.per_rank = rng.random() < 0.25
        self.labelled: str | None = (
            rng.choice(["hpc_job", "pod", None]) if not shared else rng.choice(["hpc_job", "pod"])
        )
        self.speak_head = True

    def _uuid(self) -> str:
        h = f"{self.rng.getrandbits(128):032x}"
        return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"

    # --- what happens -------------------------------------------------------------------------------------------
    @property
    def world(self) -> int:
        return self.n * self.g

    def rank(self, node: int, k: int) -> int:
        return node * self.g + k

    def falling(self, n: int) -> float:
        """A loss that falls as losses do."""
        share = (1 + n / (0.06 * max(self.total, 60))) ** -0.8
        return (self.last_loss + (self.first_loss - self.last_loss) * share) * (1 + self.rng.gauss(0, 0.012))

    def hold(self, state: int, seconds: float, ranks: Iterable[int] | None = None, effort: float = 1.0) -> None:
        """All ranks (or these) are in ``state`` for so long."""
        for r in range(self.world) if ranks is None else ranks:
            self.gpus[r].enter(self.t + self.rng.random() * 0.2, state, effort)
        self.t += seconds

    def begin(self, load_s: float | None = None) -> None:
        """Start-up: imports without a context, then weights are loaded."""
        self.hold(OFF, self.rng.uniform(8, 40))
        if self.speak_head:
            for line in self.speaker.head(self.t, self.log_zone, self.world, self.total):
                self.say(line)
        self.hold(COPY, load_s or self.rng.uniform(20, 90))

    def train(
        self,
        steps: int,
        *,
        slow: dict[int, float] | None = None,
        late: dict[int, float] | None = None,
        data_s: Callable[[int], float] | None = None,
        comm_s: float | None = None,
        step_s: float | None = None,
        quiet: bool = False,
    ) -> None:
        """So many steps: rank r computes ``slow[r]`` times as long, and its host is ``late[r]`` seconds late."""
        rng = self.rng
        every_step = step_s or self.step_s
        comm = every_step * self.comm_share if comm_s is None else comm_s
        for _ in range(steps):
            waits = data_s(self.done) if data_s else every_step * self.data_share
            work = every_step * (1 - self.comm_share) * max(0.9, rng.gauss(1, 0.01))
            ready = []
            for r, gpu in enumerate(self.gpus):
                strain = gpu.strain(self.t).clock
                held = waits + (late or {}).get(r, 0.0)
                if held > 0.004:
                    gpu.enter(self.t, HOST)
                gpu.enter(self.t + held, COMPUTE)
                done = self.t + held + work * (slow or {}).get(r, 1.0) * rng.gauss(1, 0.006) / strain
                gpu.enter(done, WAIT if self.world > 1 else HOST)
                ready.append(done)
            until = max(ready) + (comm if self.world > 1 else 0.002)
            took, self.t = until - self.t, until
            self.done += 1
            if self.done % self.every == 0 and not quiet:
                self.report(took, waits)

    def report(self, took: float, data_s: float = 0.0) -> None:
        """The framework's line of progress."""
        n = self.done
        grad = math.exp(self.rng.gauss(0, 0.25)) * 0.8
        lr = 3e-4 * max(0.05, 1 - n / max(self.total, 1))
        step = Step(self.t, n, self.total or n, took, data_s, self.curve(n), grad, lr, self.start)
        for line in self.speaker.step(step, self.log_zone):
            self.say(line)

    def save(self, seconds: float | None = None) -> None:
        """A checkpoint: all wait on the host while one writes."""
        self.hold(HOST, seconds or self.rng.uniform(6, 45))
        for line in self.speaker.save(self.t, self.log_zone, self.done):
            self.say(line)

    def stop(
        self, state: str, code: str = "0:0", step_state: str = "", step_code: str = "", after: float | None = None
    ) -> None:
        """All processes end; accounting says how."""
        self.hold(OFF, self.rng.uniform(0.5, 6) if after is None else after)
        self.rows.append(
            Row(
                self.start if not self.rows else self.rows[-1].end or self.start,
                self.t,
                state,
                code,
                step_state or state,
                step_code or code,
            )
        )

    def ordinary(self, seconds: float | None = None, **how: Any) -> None:  # noqa: ANN401
        """Some minutes of training with a save or two in it."""
        seconds = seconds or self.rng.uniform(900, 2400)
        n = max(12, min(900, int(seconds / self.step_s)))
        for part in range(3):
            self.train(n // 3, **how)
            if part < 2:
                self.save()

    def plan(self, seconds: float) -> int:
        """Set the number of steps the run plans, for about so long."""
        self.total = 3 * (max(12, min(900, int(seconds / self.step_s))) // 3)
        return self.total

    # --- what is said -------------------------------------------------------------------------------------------
    def say(self, line: str, rank: int | None = None, t: float | None = None) -> None:
        self.lines.append((self.t if t is None else t, rank, line))

    def clock(self, t: float | None = None, node: int = 0) -> str:
        return f"{wall((self.t if t is None else t) + self.skews[node], self.log_zone):%Y-%m-%d %H:%M:%S}"

    def dmesg(self, node: int, text: str, t: float | None = None) -> None:
        self.kernel.append((self.t if t is None else t, node, text))

    def bus(self, gpu: Gpu) -> str:
        return f"0000:{0x17 + 0x11 * gpu.index:02x}:00"

    def xid(self, gpu: Gpu, number: int, text: str, t: float | None = None, kernel: bool = True) -> None:
        """The driver's line, and the exporter's gauge."""
        when = self.t if t is None else t
        if kernel:
            self.dmesg(gpu.node, f"NVRM: Xid (PCI:{self.bus(gpu)}): {number}, {text}", when)
        gpu.jumps.setdefault("xid", []).append((when, number))

    def trace(self, error: str, ranks: Iterable[int], frames: list[tuple[str, int, str, str]] | None = None) -> None:
        """The same traceback from these ranks."""
        frames = frames or [
            ("/work/train.py", 311, "<module>", "main()"),
            ("/work/train.py", 204, "main", "loss = step(batch)"),
        ]
        for r in ranks:
            p = f"[rank{r}]: " if self.world > 1 else ""
            self.say(f"{p}Traceback (most recent call last):", r)
            for file, line, function, code in frames:
                self.say(f'{p}  File "{file}", line {line}, in {function}', r)
                self.say(f"{p}    {code}", r)
            self.say(f"{p}{error}", r)

    def elastic(self, rank: int, code: int, name: str = "") -> None:
        """Torchrun's summary."""
        node = rank // self.g
        self.t += self.rng.uniform(0.5, 3)
        w = f"{wall(self.t + self.skews[node], self.log_zone):%m%d %H:%M:%S.%f}"
        self.say(
            f"E{w} 31245 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {code}) local_rank: {rank % self.g} (pid: {40000 + rank}) of binary: /opt/conda/bin/python"
        )
        bar = "=" * 60
        told = (
            f"Signal {-code} ({name}) received by PID {40000 + rank}"
            if code < 0
            else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        )
        for line in (
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            bar,
            "train.py FAILED",
            "-" * 60,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            "-" * 60,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {wall(self.t + self.skews[node], self.log_zone):%Y-%m-%d_%H:%M:%S}",
            f"  host      : {self.nodes[node]}{self.domain}",
            f"  rank      : {rank} (local_rank: {rank % self.g})",
            f"  exitcode  : {code} (pid: {40000 + rank})",
            "  error_file: <N/A>",
            f"  traceback : {told}",
            bar,
        ):
            self.say(line)

    def srun_failed(self, rank: int, what: str) -> None:
        self.say(f"srun: error: {self.nodes[rank // self.g]}: task {rank}: {what}")

    def cancelled(self, why: str) -> None:
        """Slurmstepd's line."""
        self.say(
            f"slurmstepd: error: *** STEP {self.job}.0 ON {self.nodes[0]} CANCELLED AT {wall(self.t, self.zone):%Y-%m-%dT%H:%M:%S}{why} ***"
        )

    def watchdog(self, rank: int, seq: int, after_ms: int = 600_000) -> None:
        """NCCL's watchdog gives up on a rank that waits."""
        self.say(
            f"[rank{rank}]:[E{wall(self.t, self.log_zone):%m%d %H:%M:%S.%f} ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught collective operation timeout:"
            f" WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=16777216, NumelOut=16777216, Timeout(ms)={after_ms}) ran for {after_ms + 71 + rank} milliseconds before timing out.",
            rank,
        )

    # --- the folder ---------------------------------------------------------------------------------------------
    def write(self, parent: Path) -> None:
        """The folder, as somebody would have gathered it."""
        rng = self.rng
        base = parent / self.name
        base.mkdir(parents=True)
        inner = rng.choice(["", "", "from_ops", "INC-4471/raw", "job"])
        place = base / inner if inner else base
        place.mkdir(parents=True, exist_ok=True)
        if "dcgm" in self.told:
            self._metrics(place)
        if "slurm" in self.told:
            self._accounting(place)
        if "kernel" in self.told:
            self._kernel(place)
        if self.states and "nodes" in self.told | {"nodes" if "slurm" in self.told else ""}:
            self._nodes(place)
        if "log" in self.told:
            self._logs(place)
        if rng.random() < 0.35:
            (base / "meta.json").write_text(json.dumps({"job_id": str(self.job), "utc_offset_minutes": self.zone}))

    def _put(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.rng.random() < 0.12:
            with gzip.GzipFile(path.with_name(path.name + ".gz"), "wb", mtime=0) as out:
                out.write(text.encode())
        else:
            path.write_text(text)

    def _metrics(self, place: Path) -> None:
        rng = self.rng
        scrape = rng.choice([10, 15, 15, 30, 60])
        collect = rng.choice([s for s in (1, 5, 10, 15, 30) if s <= scrape])
        before, after = rng.uniform(120, 1500), rng.uniform(90, 700)
        first, last = self.start - before, self.t + after
        ticks = [first + scrape * k for k in range(int((last - first) / scrape))]
        names = list(PROFILES[self.profile])
        reason = rng.choice(["DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS"])
        holes = [(a, b) for a, b in self.holes]
        if rng.random() < 0.3:
            a = rng.uniform(first, last)
            holes.append((a, a + scrape * rng.uniform(1, 4)))
        end = self.rows[-1].end if self.rows else self.t
        series: list[tuple[str, str, dict[str, str], list[list[object]]]] = []
        address = [f"10.{rng.randint(0, 99)}.4.{k + 11}:9400" for k in range(self.n + len(self.other_nodes))]
        by_name = rng.random() < 0.5
        nan = rng.random() < 0.2
        names_of = [*self.nodes, *self.other_nodes]
        for node, host in enumerate(names_of):
            exporter = Exporter(rng, float(max(1, collect)), rng.uniform(24, 36))
            phase = rng.uniform(0, scrape)
            for gpu in [*self.gpus, *self.tenants, *self.others]:
                if gpu.node != node:
                    continue
                gpu.settle()
                times = [
                    t
                    for t in ticks
                    if not any(a <= t < b for a, b in holes) and t < min(gpu.gone, self.silent.get(node, math.inf))
                ]
                if not times:
                    continue
                seen = [t - ((t + phase) % collect) for t in times]
                values = exporter.read(gpu, seen)
                mine = gpu in self.gpus
                for name in names:
                    key = reason if name == "REASONS" else name
                    if self.mig and name in ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_MEM_COPY_UTIL"):
                        continue
                    labels = {
                        "__name__": key,
                        "gpu": str(gpu.index),
                        "UUID": gpu.uuid,
                        "pci_bus_id": f"0000{self.bus(gpu)}.0".upper(),
                        "device": f"nvidia{gpu.index}",
                        "modelName": self.model.name,
                        "Hostname": host + self.domain,
                        "instance": host + self.domain + ":9400" if by_name else address[node],
                        "job": "dcgm-exporter",
                        "DCGM_FI_DRIVER_VERSION": "550.127.05",
                    }
                    if self.mig and mine:
                        labels |= {"GPU_I_PROFILE": self.mig, "GPU_I_ID": "2"}
                    points = [(t, v[name]) for t, v in zip(times, values, strict=True)]
                    owner = self._owner(gpu, mine)
                    if owner and self.labelled:
                        begun, ended = (self.start, end or self.t) if mine else (first - 1, last + 1)
                        inside = [p for p in points if begun <= p[0] < ended]
                        outside = [p for p in points if not begun <= p[0] < ended]
                        series.append((name, host, {**labels, **owner}, self._values(inside, nan)))
                        if outside:
                            series.append((name, host, labels, self._values(outside, nan)))
                    else:
                        series.append((name, host, labels, self._values(points, nan)))
        self._responses(place, series)

    def _owner(self, gpu: Gpu, mine: bool) -> dict[str, str]:
        if self.labelled == "hpc_job":
            return {"hpc_job": str(self.job if mine else self.job - 37)}
        if self.labelled == "pod":
            return {
                "exported_pod": f"train-{self.job}-worker-{gpu.node}" if mine else f"infer-{gpu.index}-x7",
                "exported_namespace": "ml",
                "exported_container": "pytorch",
            }
        return {}

    def _values(self, points: list[tuple[float, float]], nan: bool) -> list[list[object]]:
        return [
            [round(t, 3), "NaN" if nan and self.rng.random() < 0.004 else f"{v:g}" if abs(v) < 1e6 else str(int(v))]
            for t, v in points
        ]

    def _responses(self, place: Path, series: list[tuple[str, str, dict[str, str], list[list[object]]]]) -> None:
        def answer(rows: list[tuple[str, str, dict[str, str], list[list[object]]]]) -> dict[str, object]:
            return {
                "status": "success",
                "data": {"resultType": "matrix", "result": [{"metric": m, "values": v} for _, _, m, v in rows if v]},
            }

        form = self.rng.choice(["one", "one", "metric", "node", "lines", "array", "named"])
        metrics = sorted({s[0] for s in series})
        if form == "one":
            self._put(
                place / self.rng.choice(["dcgm.json", "prom_export.json", "gpu metrics.json"]),
                json.dumps(answer(series)),
            )
        elif form == "metric":
            for m in metrics:
                self._put(
                    place / "prometheus" / f"{m.lower()}.json", json.dumps(answer([s for s in series if s[0] == m]))
                )
        elif form == "node":
            for host in sorted({s[1] for s in series}):
                self._put(
                    place / f"dcgm_{host}.json", json.dumps(answer([s for s in series if s[1] == host]), indent=1)
                )
        else:
            answers = [(m, answer([s for s in series if s[0] == m])) for m in metrics]
            text = {
                "lines": lambda: "".join(json.dumps(a) + "\n" for _, a in answers),
                "array": lambda: json.dumps([a for _, a in answers]),
                "named": lambda: json.dumps(dict(answers)),
            }[form]()
            self._put(place / "dcgm.json", text)

    def _accounting(self, place: Path) -> None:
        form = self.rng.choice(["psv", "psv", "psv", "json", "table"])
        if form == "json":
            return self._put(
                place / "sacct.json",
                json.dumps(
                    {
                        "jobs": [self._job_json(r) for r in self.rows],
                        "meta": {"plugins": {"data_parser": "data_parser/v0.0.41"}},
                        "errors": [],
                        "warnings": [],
                    }
                ),
            )
        columns = self.rng.choice(
            [
                [
                    "JobID",
                    "JobName",
                    "Partition",
                    "Account",
                    "AllocCPUS",
                    "State",
                    "ExitCode",
                    "Start",
                    "End",
                    "NodeList",
                    "AllocTRES",
                ],
                [
                    "JobIDRaw",
                    "JobID",
                    "State",
                    "ExitCode",
                    "DerivedExitCode",
                    "Submit",
                    "Start",
                    "End",
                    "Elapsed",
                    "Timelimit",
                    "NNodes",
                    "NodeList",
                    "Comment",
                    "Reason",
                ],
                [
                    "JobID",
                    "User",
                    "State",
                    "Elapsed",
                    "Start",
                    "End",
                    "ExitCode",
                    "Restarts",
                    "MaxRSS",
                    "NodeList",
                    "Timelimit",
                ],
            ]
        )
        if form == "table":
            columns = [c for c in columns if c not in ("Comment", "AllocTRES", "Reason")]
        lines = []
        for row in self.rows:
            for step in ("", ".batch", ".extern", ".0"):
                if row.end is None and step:
                    continue
                cells = [self._cell(c, row, step) for c in columns]
                lines.append(
                    "|".join(cells)
                    if form == "psv"
                    else " ".join(self._fixed(c, v) for c, v in zip(columns, cells, strict=True))
                )
        head = (
            "|".join(columns)
            if form == "psv"
            else " ".join(self._fixed(c, c) for c in columns)
            + "\n"
            + " ".join(self._fixed(c, "-" * 40) for c in columns)
        )
        return self._put(
            place / self.rng.choice(["sacct.txt", "sacct_-j.out", "accounting"]), head + "\n" + "\n".join(lines) + "\n"
        )

    @staticmethod
    def _fixed(column: str, text: str) -> str:
        width = {"JobID": 14, "NodeList": 28, "Start": 19, "End": 19, "Submit": 19, "State": 14}.get(column, 12)
        return text[:width].ljust(width)

    def _cell(self, column: str, row: Row, step: str) -> str:
        state = row.state
        code = row.code
        if step == ".0":
            state, code = row.step_state, row.step_code
        elif step == ".batch":
            state = "CANCELLED" if row.state.split()[0] in ("TIMEOUT", "PREEMPTED", "CANCELLED") else row.state
            state = "FAILED" if row.state == "OUT_OF_MEMORY" else state
        elif step == ".extern":
            state, code = "COMPLETED", "0:0"
        ended = row.end
        span = (ended or self.t) - row.start
        stamp = f"{wall(row.start, self.zone):%Y-%m-%dT%H:%M:%S}"
        hosts = self._hosts()
        values = {
            "JobID": f"{self.job}{step}",
            "JobIDRaw": f"{self.job}{step}",
            "JobName": {"": "pretrain", ".batch": "batch", ".extern": "extern", ".0": "python"}[step],
            "Partition": "" if step else "gpu",
            "Account": "ml",
            "User": "" if step else "kim",
            "AllocCPUS": str(16 * self.world),
            "State": state,
            "ExitCode": code,
            "DerivedExitCode": "" if step else code,
            "Submit": f"{wall(row.start - 44, self.zone):%Y-%m-%dT%H:%M:%S}",
            "Start": stamp,
            "End": f"{wall(ended, self.zone):%Y-%m-%dT%H:%M:%S}" if ended else "Unknown",
            "Elapsed": f"{int(span) // 3600:02d}:{int(span) // 60 % 60:02d}:{int(span) % 60:02d}",
            "Timelimit": "" if step else self._limit(),
            "NNodes": str(self.n),
            "NodeList": hosts,
            "AllocTRES": f"billing=8,cpu={16 * self.world},gres/gpu={self.world},mem=900G,node={self.n}",
            "Restarts": "" if step else str(len(self.rows) - 1),
            "MaxRSS": "" if step in ("", ".extern") else "51712244K",
        }
        return values.get(column, "")

    def _limit(self) -> str:
        s = int(self.limit_s or 2 * 86400)
        days, rest = divmod(s, 86400)
        return (f"{days}-" if days else "") + f"{rest // 3600:02d}:{rest // 60 % 60:02d}:00"

    def _hosts(self) -> str:
        return ",".join(self.nodes)

    def _job_json(self, row: Row) -> dict[str, object]:
        def code(text: str) -> dict[str, object]:
            rc, sig = (int(x) for x in text.split(":"))
            status = "SIGNALED" if sig else "ERROR" if rc else "SUCCESS"
            return {
                "status": [status],
                "return_code": {"set": not sig, "infinite": False, "number": rc},
                "signal": {
                    "id": {"set": bool(sig), "infinite": False, "number": sig},
                    "name": {9: "KILL", 15: "TERM", 11: "SEGV"}.get(sig, ""),
                },
            }

        end = int(row.end) if row.end else 0
        word, _, by = row.state.partition(" by ")
        steps = [] if row.end is None else [
            {
                "time": {"elapsed": int(end - row.start), "start": {"set": True, "infinite": False, "number": int(row.start)}, "end": {"set": True, "infinite": False, "number": end}, "suspended": 0},
                "exit_code": code(c),
                "nodes": {"count": self.n, "range": self._hosts(), "list": self.nodes},
                "tasks": {"count": self.world},
                "state": [s],
                "step": {"id": f"{self.job}.{i}", "name": nm},
            }
            for i, nm, s, c in (("batch", "batch", "FAILED" if word in ("FAILED", "OUT_OF_MEMORY") else "COMPLETED" if word == "COMPLETED" else "CANCELLED", row.code), ("0", "python", row.step_state.partition(" by ")[0], row.step_code))
        ]  # fmt: skip
        return {
            "account": "ml",
            "allocation_nodes": self.n,
            "cluster": "c1",
            "derived_exit_code": code(row.code),
            "exit_code": code(row.code),
            "group": "kim",
            "job_id": self.job,
            "kill_request_user": by,
            "name": "pretrain",
            "nodes": self._hosts(),
            "partition": "gpu",
            "restart_cnt": len(self.rows) - 1,
            "state": {"current": [word], "reason": "None"},
            "steps": steps,
            "time": {
                "elapsed": int((row.end or self.t) - row.start),
                "eligible": int(row.start) - 44,
                "submission": int(row.start) - 44,
                "start": int(row.start),
                "end": end,
                "suspended": 0,
                "limit": {"set": True, "infinite": False, "number": int(self.limit_s or 172800) // 60},
            },
            "tres": {
                "allocated": [
                    {"type": "cpu", "name": "", "id": 1, "count": 16 * self.world},
                    {"type": "gres", "name": "gpu", "id": 1001, "count": self.world},
                ],
                "requested": [],
            },
            "user": "kim",
            "working_directory": "/home/kim/run",
        }

    def _kernel(self, place: Path) -> None:
        rng = self.rng
        form = rng.choice(["dmesg", "dmesg", "iso", "short"])
        together = form != "dmesg" and rng.random() < 0.4
        text: dict[str, list[tuple[float, str]]] = {}
        for node, host in enumerate(self.nodes):
            noise = [
                (
                    self.boots[node] + 4.1,
                    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.05  Tue Oct  8 03:22:07 UTC 2024",
                ),
                (
                    self.start - rng.uniform(1e4, 8e4),
                    "perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
                ),
                (self.start - rng.uniform(1e4, 8e4), "nfs: server nas01 not responding, still trying"),
                (self.start - rng.uniform(1e3, 9e3), "nfs: server nas01 OK"),
                (self.start + rng.uniform(0, 200), f"slurm.epilog.cl ({rng.randint(9000, 99999)}): drop_caches: 3"),
            ]
            rows = sorted(
                [*noise, *((t, x) for t, n, x in self.kernel if n == node and t < self.silent.get(node, math.inf))]
            )
            for t, line in rows:
                local = wall(t + self.skews[node], self.zone)
                sign = "-" if self.zone < 0 else "+"
                stamp = {
                    "dmesg": f"[{local:%a %b} {local.day:2d} {local:%H:%M:%S %Y}] ",
                    "iso": f"{local:%Y-%m-%dT%H:%M:%S}{sign}{abs(self.zone) // 60:02d}{abs(self.zone) % 60:02d} {host} kernel: ",
                    "short": f"{local:%b} {local:%d %H:%M:%S} {host} kernel: ",
                }[form]
                text.setdefault("all" if together else host, []).append((t, stamp + line))
        for host, lines in text.items():
            name = (
                f"journal-{host}.log"
                if form != "dmesg"
                else rng.choice([f"dmesg_{host}.txt", f"dmesg-T.{host}", f"{host}/dmesg.txt"])
            )
            self._put(place / name, "".join(line + "\n" for _, line in sorted(lines, key=lambda x: x[0])))

    def _nodes(self, place: Path) -> None:
        out = []
        for node, host in enumerate(self.nodes):
            state, reason, when = self.states.get(node, ("IDLE", "", None))
            out.append(
                f"NodeName={host} Arch=x86_64 CoresPerSocket=48\n   CPUAlloc=0 CPUEfctv=96 CPUTot=96 CPULoad=0.31\n   Gres=gpu:{self.capacity}\n"
                f"   NodeAddr={host} NodeHostName={host} Version=23.11.10\n   OS=Linux 5.15.0-119-generic\n   RealMemory=1031000 AllocMem=0 FreeMem=991201 Sockets=2 Boards=1\n"
                f"   State={state} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n   Partitions=gpu\n"
                f"   BootTime={wall(self.boots[node], self.zone):%Y-%m-%dT%H:%M:%S} SlurmdStartTime={wall(self.boots[node] + 61, self.zone):%Y-%m-%dT%H:%M:%S}\n"
                + (
                    f"   Reason={reason} [{'slurm' if 'respond' in reason else 'root'}@{wall(when or self.t, self.zone):%Y-%m-%dT%H:%M:%S}]\n"
                    if reason
                    else ""
                )
            )
        self._put(place / "scontrol_show_node.txt", "\n".join(out))

    def _logs(self, place: Path) -> None:
        rows = sorted(enumerate(self.lines), key=lambda x: (x[1][0], x[0]))
        if self.per_rank and self.world <= 16:
            by: dict[int, list[str]] = {}
            for _, (_, rank, line) in rows:
                by.setdefault(rank or 0, []).append(line)
            for r in range(self.world):
                self._put(place / "logs" / f"rank_{r}.log", "\n".join(by.get(r, ["Setting OMP_NUM_THREADS=1"])) + "\n")
        else:
            name = self.rng.choice([f"slurm-{self.job}.out", "train.log", "stdout.txt", f"pretrain.o{self.job}"])
            self._put(place / name, "\n".join(line for _, (_, _, line) in rows) + "\n")


def truth_json(case: Incident, truth: Truth) -> dict[str, object]:
    """What the scorer reads."""
    ranks = [r for r, gpu in enumerate(case.gpus) if gpu.uuid in truth.gpus]
    return {
        "name": case.name,
        "twin": "",
        "framework": case.framework,
        "family": truth.family,
        "outcome": truth.outcome,
        "also": truth.also,
        "nodes": truth.nodes,
        "gpus": truth.gpus,
        "ranks": ranks,
        "why": truth.why,
    }


__all__ = ["COMPUTE", "COPY", "HOST", "OFF", "WAIT", "Gpu", "Incident", "Row", "Strain", "Truth", "truth_json"]

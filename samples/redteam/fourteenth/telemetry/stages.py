"""SIMULATED incidents of the fourteenth set: how each family plays out on the cards, in the logs and at the scheduler.

A case draws its family, its shape, what is missing and what else is odd; `play` puts them on the stage and writes the folder.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from . import logs
from .ends import bad_link, full_gpu, kernel_oom, mpi_less, traceback
from .lab import BRAKE, COLUMNS, HW_HEAT, HW_SLOW, NOBODY, SW_HEAT, Act, Lab, held, node_list, spin, steps, train

if TYPE_CHECKING:
    from collections.abc import Callable

    from .lab import Gpu


@dataclass
class Story:
    """What an incident leaves besides the cards."""

    log: list[str] = field(default_factory=list)
    others: dict[str, list[str]] = field(default_factory=dict)
    state: str = "COMPLETED"
    code: str = "0:0"
    step: tuple[str, str] | None = None
    end: float | None = None
    limit: str = "2-00:00:00"
    dmesg: dict[int, list[tuple[float, str]]] = field(default_factory=dict)
    nodes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """State and reason of nodes that are not well, for sinfo."""
    rows: list[list[str]] | None = None
    after: float = 300
    """Seconds that the metrics go on after the end."""

    def kernel(self, node: int, time: float, line: str) -> None:
        """Add a line to a node's kernel log."""
        self.dmesg.setdefault(node, []).append((time, line))


@dataclass
class Plan:
    """The body of a run: when it goes, how fast, how its cards look, how it speaks."""

    lab: Lab
    go: float
    stop: float
    pace: float
    act: Act
    style: str
    every: int
    total: int
    pauses: list[tuple[float, float, str]] = field(default_factory=list)

    def script(
        self, stop: float | None = None, then: Act = NOBODY, until: float | None = None
    ) -> Callable[[float], Act]:
        """Load, work with pauses, stop; then hold something until the end."""
        last, gone = self.stop if stop is None else stop, self.stop if until is None else until

        def act(time: float) -> Act:
            if time < self.go * 0.25:
                return NOBODY
            if time < self.go:
                return replace(held(0.04), pcie_gb=2.0)
            if time >= last:
                return then if time < gone else NOBODY
            for begin, length, kind in self.pauses:
                if begin <= time < begin + length:
                    work = replace(self.act, sm=self.act.sm * 0.55, tensor=self.act.tensor * 0.5, link=0.0, engine=0.8)
                    return work if kind == "eval" else held(self.act.memory)
            return self.act

        return act

    def rows(
        self, end: float | None = None, pace: float = 0, first: int = 1, begin: float | None = None
    ) -> list[tuple[int, float]]:
        """Its steps."""
        out, number, now = [], first, self.go if begin is None else begin
        last = self.stop if end is None else end
        for pause, length, _ in [*self.pauses, (last, 0.0, "")]:
            if pause < now or pause > last:
                continue
            out += steps(now, pause, pace or self.pace, self.lab.rng, number)
            number, now = (out[-1][0] + 1 if out else number), pause + length
        return out

    def speak(self, rows: list[tuple[int, float]]) -> list[str]:
        """The steps as this house prints them, with what is said of pauses."""
        lab = self.lab
        if self.style == "megatron":
            said = logs.megatron(lab, rows, self.total, self.every, 64 * lab.lot.nodes)
        elif self.style == "titan":
            said = logs.titan(lab, rows, self.every)
        elif self.style == "hf":
            return logs.hf(lab, rows, self.every, self.total / 3, self.total)
        else:
            said = logs.plain(lab, [row for row in rows if row[0] % self.every == 0], self.total)
        for begin, length, kind in self.pauses:
            if rows and rows[0][1] < begin < rows[-1][1]:
                what = "running validation ..." if kind == "eval" else "saving checkpoint ..."
                done = "validation done, val_loss 2.61" if kind == "eval" else "checkpoint saved"
                said += [
                    f"{lab.stamp(begin)},104 INFO train: {what}",
                    f"{lab.stamp(begin + length)},733 INFO train: {done}",
                ]
        return sorted(said, key=_time_of) if self.pauses else said


def _time_of(line: str) -> str:
    """Its clock, wherever in the line it stands."""
    at = line.find("20")
    return line[at : at + 19]


def plan(lab: Lab, share: float = 1.0, *, sm: float | None = None) -> Plan:
    """A run that works until this share of the time; its total goes well beyond that unless it ends well."""
    rng = lab.rng
    go, stop = rng.uniform(45, 170), lab.lot.minutes * 60 * share
    pace = rng.choice((0.9, 1.6, 2.7, 4.1, 6.3))
    act = train(
        sm or rng.uniform(0.5, 0.85), rng.uniform(0.55, 0.93), rng.uniform(0.15, 0.5) if lab.lot.gpus > 1 else 0.0
    )
    style = rng.choice(
        ("plain", "megatron", "titan", "hf") if lab.lot.nodes * lab.lot.gpus > 1 else ("plain", "plain", "hf")
    )
    made = Plan(lab, go, stop, pace, act, style, rng.choice((10, 10, 20)), 0)
    kind = {"eval_pause": "eval", "checkpoint_pause": "save"}.get(lab.lot.complication)
    if kind:
        gap = rng.uniform(420, 900)
        made.pauses = [(t, rng.uniform(45, 110), kind) for t in _every(go + gap, stop - 200, gap)]
    made.total = round((lab.lot.minutes * 60 - go) / pace * rng.uniform(1.6, 4) / 100) * 100
    return made


def _every(first: float, last: float, gap: float) -> list[float]:
    out = []
    while first < last:
        out.append(first)
        first += gap
    return out


def opening(lab: Lab, made: Plan) -> list[str]:
    """How a log begins."""
    world = lab.lot.nodes * lab.lot.gpus
    if made.style == "hf":
        return [
            "***** Running training *****",
            f"  Num examples = {made.total * 16:,}",
            f"  Total optimization steps = {made.total:,}",
        ]
    return [
        f"{lab.stamp(6)},211 INFO launch: job {lab.job} on {node_list(lab.names)}, {world} rank{'s' if world > 1 else ''}",
        f"{lab.stamp(made.go * 0.3)},018 INFO launch: torch 2.6.0+cu124, process group ready"
        if world > 1
        else f"{lab.stamp(made.go * 0.3)},018 INFO launch: torch 2.6.0+cu124, device cuda:0",
        f"{lab.stamp(made.go * 0.8)},522 INFO train: model built, {lab.rng.randint(3, 70) / 10} B parameters, {made.total} steps to go",
    ]


def finish_well(lab: Lab, made: Plan, rows: list[tuple[int, float]]) -> Story:
    """The last step, the last checkpoint, a word of goodbye."""
    made.total = rows[-1][0]
    if made.style == "hf":
        took = rows[-1][1] - rows[0][1]
        bye = [
            str(
                {
                    "train_runtime": round(took, 4),
                    "train_samples_per_second": 11.81,
                    "train_steps_per_second": 0.37,
                    "train_loss": 1.31,
                    "epoch": 3.0,
                }
            ),
        ]
    else:
        bye = [
            f"{lab.stamp(rows[-1][1] + 21)},402 INFO train: saved final checkpoint to /scratch/runs/{lab.job}/final",
            f"{lab.stamp(rows[-1][1] + 22)},011 INFO train: training complete after {made.total} steps",
        ]
    return Story([*opening(lab, made), *made.speak(rows), *bye], end=lab.end - lab.start)


def healthy(lab: Lab) -> Story:
    """G1."""
    made = plan(lab)
    made.stop -= 40
    lab.all_do(made.script())
    return finish_well(lab, made, made.rows())


def crash(lab: Lab) -> Story:
    """A1: the job's own exception, early or late."""
    rng, mode = lab.rng, lab.lot.sub_mode
    early = mode in {"bad_config", "shape_error"}
    made = plan(lab)
    end = lab.end - lab.start
    if early:
        made.go, made.stop = end + 999, end - 20
        lab.all_do(lambda t: replace(held(0.012), pcie_gb=0.01) if end - 160 < t < end - 8 else NOBODY)
        body = [
            f"{lab.stamp(t)},310 INFO data: tokenized shard {k}/{int(end // 60)}"
            for k, t in enumerate(_every(60, end - 180, 60), 1)
        ]
        log = [*opening(lab, replace(made, go=30.0))[:2], *body]
    else:
        made.stop -= 15
        lab.all_do(made.script())
        log = [*opening(lab, made), *made.speak(made.rows())]
    rank = rng.randrange(lab.lot.nodes * lab.lot.gpus)
    node, local = divmod(rank, lab.lot.gpus)
    prefix = f"[rank{rank}]: " if lab.lot.nodes * lab.lot.gpus > 1 else ""
    log += [prefix + line for line in traceback(mode, rng)]
    log += mpi_less(lab, end - 9, lab.names[node], rank, local, 1)
    return Story(log, state="FAILED", code="1:0", end=end)


def killed(lab: Lab) -> Story:
    """A2: a signal ends the run."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    end = lab.end - lab.start
    made.stop -= 25
    lab.all_do(made.script())
    rank = rng.randrange(lab.lot.nodes * lab.lot.gpus)
    node, local = divmod(rank, lab.lot.gpus)
    pid, code = rng.randint(9000, 400_000), -11 if mode == "segfault" else -9
    log = [
        *opening(lab, made),
        *made.speak(made.rows()),
        *mpi_less(lab, made.stop + 2, lab.names[node], rank, local, code, pid),
    ]
    story = Story(log, state="FAILED", code=f"{-code}:0" if lab.lot.nodes * lab.lot.gpus == 1 else "1:0", end=end)
    if mode == "segfault":
        line = f"python[{pid}]: segfault at 18 ip 00007f3a91c0e2d4 sp 00007ffd33a1c7f0 error 4 in libc10_cuda.so[3a2d4,7f3a91bd4000+6c000]"
        story.kernel(node, made.stop, line)
    elif mode != "external_kill":
        for line in kernel_oom(lab, pid, cgroup=mode == "cgroup_oom"):
            story.kernel(node, made.stop, line)
        if mode == "cgroup_oom":
            log.append(
                f"slurmstepd-{lab.names[node]}: error: Detected 1 oom_kill event in StepId={lab.job}.0. Some of the step tasks have been OOM Killed."
            )
            story.state, story.code, story.step = "OUT_OF_MEMORY", "0:125", ("OUT_OF_MEMORY", "0:125")
    return story


def gpu_memory(lab: Lab) -> Story:
    """B1: the GPU's memory is full."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    end = lab.end - lab.start
    made.stop -= 12
    low = rng.uniform(0.55, 0.7)
    if mode == "growing":

        def script(time: float) -> Act:
            act = made.script()(time)
            part = (time - made.go) / (made.stop - made.go)
            return replace(act, memory=min(0.995, low + (0.995 - low) * part)) if act.sm else act
    else:

        def script(time: float) -> Act:
            act = made.script()(time)
            return replace(act, memory=0.86) if act.sm else act

    lab.all_do(script)
    rank = rng.randrange(lab.lot.nodes * lab.lot.gpus)
    node, local = divmod(rank, lab.lot.gpus)
    prefix = f"[rank{rank}]: " if lab.lot.nodes * lab.lot.gpus > 1 else ""
    log = [*opening(lab, made), *made.speak(made.rows())]
    if mode == "validation":
        log.append(f"{lab.stamp(made.stop - 6)},900 INFO train: running validation ...")
    total = lab.card.memory_mib / 1024
    wanted, free = (1.25, 0.31) if mode == "growing" else (0.19 * total, 0.12 * total)
    error = traceback("cuda_oom", rng, full=full_gpu(local, total, wanted, free))
    log += [prefix + line for line in error]
    log += mpi_less(lab, end - 8, lab.names[node], rank, local, 1)
    return Story(log, state="FAILED", code="1:0", end=end)


def hardware(lab: Lab) -> Story:
    """B2: a GPU breaks."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    end = lab.end - lab.start
    made.stop -= 30
    lab.all_do(made.script())
    gpu = rng.choice(lab.gpus)
    rank, node = lab.gpus.index(gpu), lab.names.index(gpu.node)
    story = Story(state="FAILED", code="1:0", end=end)
    pci = f"PCI:0000:{gpu.bus[9:11].lower()}:00"
    pid = rng.randint(9000, 400_000)
    who = f"pid={pid}, name=python"
    fail = made.stop
    if mode == "ecc_uncorrectable":
        kinds = [
            (
                48,
                f"{who}, DBE (double bit error) ECC Error detected: An uncorrectable double bit error has been detected on GPU",
            ),
            (63, f"{who}, Row Remapper: New row marked for remapping, reset gpu to activate."),
            (94, f"{who}, Contained: CE User Channel (0x9). RST: No, D-RST: No"),
        ]
        gpu.counters["DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"] = lambda t: 2.0 if t >= fail else 0.0
        gpu.counters["DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"] = lambda t: 1.0 if t >= fail else 0.0
        cuda = "uncorrectable ECC error encountered"
    elif mode == "off_the_bus":
        kinds = [
            (79, f"{who}, GPU has fallen off the bus."),
            (154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"),
        ]
        work = gpu.script
        gpu.script = lambda t: replace(work(t), lost=t >= fail)
        cuda = "unspecified launch failure"
    elif mode == "nvlink":
        kinds = [(74, f"{who}, NVLink: fatal error detected on link 3(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)")]
        cuda = "uncorrectable NVLink error detected during the execution"
    else:
        call = "Timeout after 6s of waiting for RPC response from GPU"
        kinds = [(119, f"{who}, {call}{gpu.index} GSP! Expected function 76 (GSP_RM_CONTROL) (0x20803032 0x58c).")]
        cuda = "unknown error"
    for k, (xid, text) in enumerate(kinds):
        story.kernel(node, fail + 0.3 * k, f"NVRM: Xid ({pci}): {xid}, {text}")
        gpu.xids.append((fail + 0.3 * k, xid))
    prefix = f"[rank{rank}]: " if len(lab.gpus) > 1 else ""
    story.log = [
        *opening(lab, made),
        *made.speak(made.rows()),
        *(prefix + line for line in traceback("cuda", rng, cuda=cuda)),
    ]
    story.log += mpi_less(lab, fail + 9, gpu.node, rank, gpu.index, 1, pid)
    return story


def throttled(lab: Lab) -> Story:
    """B3: clocks go down for a hard reason and the steps with them; the run ends late."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    made.stop -= 40
    since = made.go + (made.stop - made.go) * rng.uniform(0.3, 0.5)
    clock, reasons = {
        "thermal": (0.55, SW_HEAT | HW_HEAT | HW_SLOW),
        "power_brake": (0.32, BRAKE | HW_SLOW),
        "power_slow": (0.45, HW_SLOW),
    }[mode]
    one, place = rng.choice(lab.gpus), rng.choice(lab.names)
    bad = [one] if mode == "thermal" else [gpu for gpu in lab.gpus if gpu.node == place]
    slow = 1 / clock * 0.92

    def hot(gpu: Gpu) -> Callable[[float], Act]:
        work = made.script()
        if gpu in bad:
            heat = 47 if mode == "thermal" else 0
            return lambda t: (
                replace(act, clock=clock, reasons=reasons, heat=heat) if (act := work(t)).sm and t >= since else act
            )
        return lambda t: (
            replace(act, sm=act.sm / slow, tensor=act.tensor / slow, dram=act.dram / slow, link=act.link / slow)
            if (act := work(t)).sm and t >= since
            else act
        )

    for gpu in lab.gpus:
        gpu.script = hot(gpu)
    rows = made.rows(since)
    rows += made.rows(first=rows[-1][0] + 1, begin=since, pace=made.pace * slow)
    return finish_well(lab, made, rows)


def cold_start(lab: Lab) -> Story:
    """C1: nobody meets; the GPUs stay cold on all nodes."""
    rng = lab.rng
    end = lab.end - lab.start
    lab.all_do(lambda t: held(0.006) if 40 < t < end - 5 else NOBODY)
    first = lab.names[0]
    log = []
    for k, name in enumerate(lab.names):
        log.append(
            f"{lab.stamp(4 + k * 0.7)},{rng.randrange(1000):03} INFO launch: {name} starting {lab.lot.gpus} workers, rendezvous {first}:29500"
        )
        log.append(
            f"{lab.stamp(31 + k * 0.7)},{rng.randrange(1000):03} INFO launch: {name} init_process_group(backend=nccl, world_size={len(lab.gpus)})"
        )
    late = end - 12
    rank = len(lab.gpus) - 1
    log += [
        f"[rank{rank}]: {line}" for line in traceback("rendezvous", rng, seconds=round(late - 40), world=len(lab.gpus))
    ]
    log += mpi_less(lab, end - 8, lab.names[-1], rank, lab.lot.gpus - 1, 1)
    return Story(log, state="FAILED", code="1:0", end=end)


def frozen(lab: Lab) -> Story:
    """C2: a collective freezes under way."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab, rng.uniform(0.45, 0.7))
    end = lab.end - lab.start
    bad = rng.choice(lab.gpus)
    rank, node, pid = lab.gpus.index(bad), lab.names.index(bad.node), rng.randint(9000, 400_000)
    seq = rng.randint(4_000, 90_000)
    for gpu in lab.gpus:
        gpu.script = made.script(then=spin(made.act.memory), until=end - 15)
    story = Story([*opening(lab, made), *made.speak(made.rows())], state="FAILED", code="6:0", end=end)
    if mode == "rank_killed":
        bad.script = made.script()
        for line in kernel_oom(lab, pid, cgroup=False):
            story.kernel(node, made.stop, line)
    elif mode == "rank_stuck":
        bad.script = made.script(then=held(made.act.memory), until=end - 15)
    elif mode == "link_dead":
        story.log += bad_link(lab, made.stop + 6, bad.node)
        story.kernel(node, made.stop, "mlx5_core 0000:3b:00.0 mlx5_2: Port: 1 Link DOWN")
    trained = len(story.log)
    silent = {rank} if mode in {"rank_killed", "rank_stuck"} else set()
    for other in [r for r in range(len(lab.gpus)) if r not in silent][:6]:
        number = seq + (3 if mode == "ranks_diverge" and other % 2 else 0)
        story.log += logs.watchdog(
            lab,
            other,
            end - 20,
            number,
            "ALLREDUCE" if number == seq else "_ALLGATHER_BASE",
            8_388_608,
            round((end - 20 - made.stop) * 1000),
        )
    first = next(r for r in range(len(lab.gpus)) if r not in silent)
    host = lab.names[first // lab.lot.gpus]
    if mode == "rank_killed":  # srun started the ranks, and waits for the others
        story.log.insert(trained, f"srun: error: {bad.node}: task {rank}: Killed")
        story.log += [
            f"srun: error: {host}: task {first}: Aborted (core dumped)",
            f"srun: Terminating StepId={lab.job}.0",
        ]
    else:
        story.log += mpi_less(lab, end - 9, host, first, first % lab.lot.gpus, -6)
    return story


def idle(lab: Lab) -> Story:
    """C3: one GPU, its memory in use, nothing launched."""
    made = plan(lab, lab.rng.uniform(0.3, 0.55))
    end = lab.end - lab.start
    mode = lab.lot.sub_mode
    if mode == "never_started":
        lab.all_do(lambda t: held(0.09) if 70 < t < end else NOBODY)
        log = opening(lab, made)[:2]
    else:
        lab.all_do(made.script(then=held(made.act.memory), until=end))
        log = [*opening(lab, made), *made.speak(made.rows())]
        if mode == "lock":
            log.append(f"{lab.stamp(made.stop + 1)},090 INFO data: acquiring lock /scratch/cache/shards.lock")
    log.append(
        f"slurmstepd-{lab.names[0]}: error: *** JOB {lab.job} ON {lab.names[0]} CANCELLED AT {lab.stamp(end, '%Y-%m-%dT%H:%M:%S')} ***"
    )
    return Story(log, state="CANCELLED by 10433", code="0:0", end=end, step=("CANCELLED", "0:15"))


def starved(lab: Lab) -> Story:
    """D1: GPUs wait for data; the loop says how long."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    made.stop -= 40
    made.style, made.pace, made.every = "plain", rng.uniform(7, 11), 5
    wait = 0.86 if mode == "slow_files" else 0.78
    act = Act(
        1 - wait,
        0.6 * (1 - wait),
        0.3 * (1 - wait),
        0.3 * (1 - wait),
        0.1 * (1 - wait),
        0.3,
        made.act.memory,
        shake=0.35,
    )
    made.act = act
    lab.all_do(made.script())
    rows = made.rows()
    story = finish_well(lab, made, rows)
    story.log = [
        f"{line} data {made.pace * wait * rng.uniform(0.93, 1.05):.2f}s"
        if " step " in line and " loss " in line
        else line
        for line in story.log
    ]
    return story


def slow_all(lab: Lab) -> Story:
    """D2: every rank the same, and all of them slow."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    made.stop -= 40
    if mode == "save_storm":
        made.act = replace(made.act, engine=0.16, sm=0.07, tensor=0.03, dram=0.05, link=0.03, shake=0.2)
        made.pace, made.every, made.style = rng.uniform(9, 14), 1, "plain"
    elif mode == "interconnect":
        made.act = replace(made.act, engine=0.99, sm=0.09, tensor=0.04, dram=0.05, link=0.01, shake=0.03)
        made.pace *= 6
    else:
        made.act = replace(made.act, engine=0.42, sm=0.24, tensor=0.12, dram=0.15, link=0.06, shake=0.04)
        made.pace *= 2.6
    made.every = 1 if made.every == 1 else 5
    lab.all_do(made.script())
    rows = made.rows()
    story = finish_well(lab, made, rows)
    if mode == "save_storm":
        said = [
            f"{lab.stamp(t + 0.6)},{rng.randrange(1000):03} INFO train: saving checkpoint to /scratch/runs/{lab.job}/step_{k}.pt"
            for k, t in rows
        ]
        head = opening(lab, made)
        story.log = [*head, *sorted([*story.log[len(head) :], *said], key=_time_of)]
    elif mode == "interconnect":
        story.log[1:1] = [
            f"{n}:{rng.randint(2000, 60000)}:{rng.randint(2000, 60000)} [{k}] NCCL INFO {text}"
            for n in lab.names
            for k in range(lab.lot.gpus)
            for text in ("NET/IB : No device found.", "NET/Socket : Using [0]eno1:10.12.0.4<0>", "Using network Socket")
        ]
    else:
        story.log[1:1] = ["+ export CUDA_LAUNCH_BLOCKING=1", "+ export NCCL_DEBUG=WARN"]
    return story


def straggler(lab: Lab) -> Story:
    """D3: one rank is slow and the others wait for it in every step."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    made.stop -= 40
    slow = rng.choice(lab.gpus)
    made.pace *= 2.8
    made.every = 5
    wait = replace(made.act, engine=0.995, sm=0.17, tensor=0.08, dram=0.1, link=0.08, shake=0.05)
    lab.all_do(replace(made, act=wait).script())
    if mode == "slow_host":
        slow.script = replace(made, act=replace(wait, engine=0.34, sm=0.16)).script()
    else:
        slow.script = replace(made, act=replace(wait, engine=0.985, sm=0.57, tensor=0.27, dram=0.3)).script()
    if mode == "slow_gpu":
        slow.counters["DCGM_FI_DEV_PCIE_REPLAY_COUNTER"] = lambda t: max(0.0, t - made.go) * 1.7
    return finish_well(lab, made, made.rows())


def node_down(lab: Lab) -> Story:
    """F1: a node goes away under the job."""
    rng, mode = lab.rng, lab.lot.sub_mode
    made = plan(lab)
    end = lab.end - lab.start
    gone = end - rng.uniform(200, 330)
    made.stop = gone
    bad = lab.rng.randrange(lab.lot.nodes)
    name = lab.names[bad]
    for gpu in lab.gpus:
        gpu.script = made.script(then=spin(made.act.memory), until=end)
        if gpu.node == name:
            work = made.script()
            gpu.script = lambda t, work=work: replace(work(t), lost=t >= gone)  # type: ignore[misc]
    log = [*opening(lab, made), *made.speak(made.rows())]
    if name != lab.names[0]:
        log += [
            f"srun: error: Node failure on {name}",
            f"slurmstepd-{lab.names[0]}: error: *** STEP {lab.job}.0 ON {lab.names[0]} CANCELLED AT {lab.stamp(end, '%Y-%m-%dT%H:%M:%S')} "
            "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        ]
    story = Story(log, state="NODE_FAIL", code="0:0", end=end, step=("CANCELLED", "0:15"))
    stamp = lab.stamp(end, "%Y-%m-%dT%H:%M:%S")
    story.nodes[name] = ("down*", f"Not responding [slurm@{stamp}]")
    if mode == "kernel_panic":
        story.dmesg[bad] = [
            (end + 140 + k, line)
            for k, line in enumerate(
                (
                    "Linux version 5.15.0-113-generic (buildd@lcy02-amd64-072)",
                    "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-113-generic root=/dev/mapper/vg0-root ro crashkernel=512M",
                    "pstore: Using crash dump compression: deflate",
                )
            )
        ]
        story.nodes[name] = ("down", f"Node unexpectedly rebooted [slurm@{stamp}]")
    elif mode == "network_lost" and lab.lot.nodes > 1:
        story.dmesg[bad] = [
            (gone - 2, "mlx5_core 0000:3b:00.0 eth0: Link down"),
            (gone - 1, "bond0: (slave eth0): link status definitely down, disabling slave"),
        ]
    return story


def requeued(lab: Lab) -> Story:
    """F2: another job takes the nodes; the first third is one run, the rest the next, where there is one."""
    mode = lab.lot.sub_mode
    end = lab.end - lab.start
    made = plan(lab, 0.42)
    cut = made.stop
    back = cut + lab.rng.uniform(200, 500)
    log = [*opening(lab, made), *made.speak(rows := made.rows())]
    log.append(
        f"slurmstepd-{lab.names[0]}: error: *** JOB {lab.job} ON {lab.names[0]} CANCELLED AT {lab.stamp(cut, '%Y-%m-%dT%H:%M:%S')} DUE TO PREEMPTION ***"
    )
    first = made.script(cut - 8)
    again = replace(made, stop=end - 45 - back).script()
    story = Story(log, state="PREEMPTED", code="0:0", end=cut, step=("CANCELLED", "0:15"))
    lab.all_do(first)
    if mode == "preempted_lost":
        lab.end = lab.start + cut
        return story
    done = lab.accounting("PREEMPTED", "0:0", cut, step=("CANCELLED", "0:15"))
    if mode == "requeued_pending":
        story.rows = [
            *done,
            [
                str(lab.job),
                lab.name,
                "gpu",
                "PENDING",
                "0:0",
                "Unknown",
                "Unknown",
                "00:00:00",
                "1-00:00:00",
                str(lab.lot.nodes),
                "None assigned",
                "",
            ],
        ]
        lab.end = lab.start + cut
        return story
    lab.all_do(lambda t: first(t) if t < cut else again(t - back) if t >= back else NOBODY)
    kept = rows[-1][0] // 100 * 100
    second = made.rows(end - 45, first=kept + 1, begin=back + made.go)
    saved, start = made.total, lab.start
    log.append(
        f"{lab.stamp(back + made.go * 0.8)},411 INFO train: resumed from /scratch/runs/{lab.job}/step_{kept} at step {kept}"
    )
    rest = finish_well(lab, made, second).log
    story.log = [*log, *rest[len(opening(lab, made)) :]]
    made.total = saved
    lab.start = start + back
    ended = lab.accounting("COMPLETED", "0:0", end - back)
    lab.start = start
    story.rows = [*done, *ended]
    return story


def time_out(lab: Lab) -> Story:
    """F3: at work until the limit."""
    made = plan(lab)
    end = lab.end - lab.start
    lab.all_do(made.script())
    hours, minutes = divmod(lab.lot.minutes, 60)
    stamp = lab.stamp(end, "%Y-%m-%dT%H:%M:%S")
    log = [*opening(lab, made), *made.speak(made.rows())]
    log.append(
        f"slurmstepd-{lab.names[0]}: error: *** JOB {lab.job} ON {lab.names[0]} CANCELLED AT {stamp} DUE TO TIME LIMIT ***"
    )
    return Story(
        log, state="TIMEOUT", code="0:0", end=end, step=("CANCELLED", "0:15"), limit=f"{hours:02}:{minutes:02}:00"
    )


def unsaid(lab: Lab) -> Story:
    """Nobody can tell: what would say it is not there."""
    mode = lab.lot.sub_mode
    end = lab.end - lab.start
    if mode == "idle_unsaid":
        lab.all_do(lambda t: held(0.11) if 60 < t < end else NOBODY)
        return Story([], state="CANCELLED by 10871", code="0:0", end=end, step=("CANCELLED", "0:15"))
    made = plan(lab)
    made.stop -= 10
    lab.all_do(made.script())
    log = [*opening(lab, made), *made.speak(made.rows(made.stop * (0.97 if mode == "stops_unsaid" else 0.6)))]
    if mode == "tail_gone":
        return Story(log, state="RUNNING", code="0:0", end=None, after=-end * 0.3)
    return Story(log, state="FAILED", code="1:0", end=end)


STAGES: Final[dict[str, Callable[[Lab], Story]]] = {
    "G1": healthy,
    "A1": crash,
    "A2": killed,
    "B1": gpu_memory,
    "B2": hardware,
    "B3": throttled,
    "C1": cold_start,
    "C2": frozen,
    "C3": idle,
    "D1": starved,
    "D2": slow_all,
    "D3": straggler,
    "F1": node_down,
    "F2": requeued,
    "F3": time_out,
    "undecidable": unsaid,
}


def play(lab: Lab, *, fixed: bool = False) -> None:
    """Put the lot on the stage and write the folder."""
    lot, rng = lab.lot, lab.rng
    story = STAGES[lot.family](lab)
    _complicate(lab, story)
    if lot.missing == "one_node_dark":
        lab.dark = {rng.choice(lab.names[1:])}
    lab.prometheus(after=story.after)
    if lot.missing != "no_logs" and story.log:
        lab.text(f"slurm-{lab.job}.out", story.log)
        for name, lines in story.others.items():
            lab.text(name, lines)
    for node in range(lot.nodes):
        lab.dmesg(node, story.dmesg.get(node, []))
    rows = story.rows or lab.accounting(story.state, story.code, story.end, step=story.step, limit=story.limit)
    lab.sacct(rows, COLUMNS, fixed=fixed)
    if story.nodes:
        stamp = lab.stamp(lab.end - lab.start + 900, "%a %b %d %H:%M:%S %Y")
        table = [stamp, f"{'NODELIST':12}{'NODES':>6} {'PARTITION':>10} {'STATE':>9} {'CPUS':>5} {'MEMORY':>8} REASON"]
        for name in [*lab.names, *(n for n in story.nodes if n not in lab.names)]:
            state, reason = story.nodes.get(name, ("idle", "none"))
            table.append(f"{name:12}{1:>6} {'gpu':>10} {state:>9} {128:>5} {1031000:>8} {reason}")
        lab.text("sinfo.txt", table)


def _complicate(lab: Lab, story: Story) -> None:
    """Add what is odd and harmless."""
    rng, kind = lab.rng, lab.lot.complication
    gpu = rng.choice(lab.gpus)
    node = lab.names.index(gpu.node)
    if kind == "old_xid31":
        pid, pci = rng.randint(9000, 90_000), f"PCI:0000:{gpu.bus[9:11].lower()}:00"
        fault = "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f2a_14000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
        story.kernel(
            node,
            -rng.uniform(9000, 60_000),
            f"NVRM: Xid ({pci}): 31, pid={pid}, name=vllm_worker, Ch 00000008, intr 00000000. {fault}",
        )
        gpu.xids.insert(0, (-1e9, 31))
    elif kind == "hot_gpu":
        gpu.ambient += 19
    elif kind == "drained_neighbour":
        stem = lab.names[0].rstrip("0123456789")
        near = f"{stem}{int(lab.names[-1].removeprefix(stem)) + 3:0{len(lab.names[-1]) - len(stem)}}"
        story.nodes[near] = (
            "drained",
            f"gres/gpu count reported lower than configured (7 < 8) [root@{lab.stamp(-90_000, '%Y-%m-%dT%H:%M:%S')}]",
        )
    elif kind == "ecc_corrected":
        old = rng.randint(2, 40)
        gpu.counters["DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"] = lambda t: old + max(0, t) // 900
        gpu.counters["DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"] = lambda _: 1.0
        story.kernel(
            node,
            rng.uniform(300, 900),
            "EDAC MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x3a1c22 offset:0x540 grain:32 syndrome:0x0)",
        )
    elif kind == "clock_skew":
        lab.skew[gpu.node] = rng.choice((-1, 1)) * rng.uniform(150, 400)
    elif kind == "other_job":
        uuid = f"GPU-{rng.getrandbits(32):08x}-77aa-4c1e-9b02-{rng.getrandbits(48):012x}"
        stranger = replace(gpu, index=lab.lot.gpus, uuid=uuid, bus="00000000:E1:00.0", xids=[], counters={})
        ends = lab.rng.uniform(0.3, 0.7) * (lab.end - lab.start)
        stranger.script = lambda t: train(0.35, 0.4, 0.0) if t < ends else NOBODY
        lab.gpus.append(stranger)

"""Incidents of GPU jobs as a site keeps them: DCGM of Prometheus, sacct, dmesg, logs of ranks. SIMULATED: nothing here was measured.

`python make_incidents.py OUT/telemetry [CASE...]` writes a folder per case, always the same bytes.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plant import COLD, IDLE, LOAD, SPIN, WORK, Plant, State, dump, mix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CASES: dict[str, Callable[[Path, random.Random], None]] = {}


def case(make: Callable[[Path, random.Random], None]) -> Callable[[Path, random.Random], None]:
    """Keep it under its own name, with dashes."""
    CASES[make.__name__.replace("_", "-")] = make
    return make


def write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def working(begin: float = 60, **change: float) -> Callable[[int, int, float], State | None]:
    """Loads for a while, then works to the end."""
    return lambda n, g, t: LOAD if t < begin else {**WORK, **change}


def megatron(p: Plant, steps: list[tuple[int, float, float]], total: int, every: int = 10) -> list[str]:
    """The lines of the last rank."""
    out = []
    for step, t, pace in steps:
        if step % every:
            continue
        out.append(
            f" [{p.at(t, '%Y-%m-%d %H:%M:%S')}] iteration {step:8d}/{total:8d} | consumed samples: {step * 256:12d} | elapsed time per iteration (ms): {pace * 1000:.1f} | learning rate: {3e-4 * min(1, step / 200):.6E} | global batch size:   256 | lm loss: {p.loss(step):.6E} | loss scale: 1.0 | grad norm: {p.rng.lognormvariate(-0.5, 0.2):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
    return out


def plain(p: Plant, steps: list[tuple[int, float, float]], total: int, every: int = 20, more: str = "") -> list[str]:
    """A loop of one's own, with a logger."""
    return [
        f"{p.at(t, '%Y-%m-%d %H:%M:%S')},{p.rng.randrange(1000):03d} INFO train step {step}/{total} loss={p.loss(step):.4f} step_time={pace:.2f}s{more}"
        for step, t, pace in steps
        if step % every == 0
    ]


def watchdog(p: Plant, rank: int, t: float, seq: int, op: str = "ALLREDUCE", numel: int = 31457280) -> list[str]:
    """What a peer prints when its collective never ended."""
    when = p.at(t, "%m%d %H:%M:%S") + f".{p.rng.randrange(10**9):09d}"
    return [
        f"[rank{rank}]:[E{when} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={numel}, NumelOut={numel}, Timeout(ms)=600000) ran for 600{p.rng.randrange(10, 99):03d} milliseconds before timing out.",
        f"[rank{rank}]:[E{when} ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}",
        f"[rank{rank}]:[E{when} ProcessGroupNCCL.cpp:684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"[rank{rank}]:[E{when} ProcessGroupNCCL.cpp:698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
    ]


def peers_lost(
    p: Plant, rank: int, t: float, text: str = "remote process exited or there was a network error"
) -> list[str]:
    """What a peer prints when another died."""
    when = p.at(t, "%m%d %H:%M:%S") + f".{p.rng.randrange(10**9):09d}"
    return [
        f"[rank{rank}]:[E{when} ProcessGroupNCCL.cpp:2057] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: {text}, NCCL version 2.21.5",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
    ]


def cuda_error(text: str, where: str, line: int) -> list[str]:
    """A traceback of the job that met a CUDA error."""
    return [
        "Traceback (most recent call last):",
        f'  File "{where}", line {line}, in <module>',
        "    main()",
        f'  File "{where}", line {line - 60}, in main',
        "    loss = train_step(batch)",
        f'  File "{where}", line {line - 130}, in train_step',
        "    loss.backward()",
        '  File "/opt/venv/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward',
        "    torch.autograd.backward(",
        f"RuntimeError: CUDA error: {text}",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]


# ---- healthy ----


@case
def quiet_pretrain(to: Path, rng: random.Random) -> None:
    p = Plant(rng, 50112, "gpt-760m", ["hgx03", "hgx04"], 8, "2026-11-03 09:12:40", 3165)
    steps = p.steps([(0, 1.62)], 3160)
    steps = [s for s in steps if s[0] <= 1900]
    dump(to, p.series(working()), "node")
    end = steps[-1][1]
    write(
        to / "slurm-50112.out",
        [
            *megatron(p, steps, 1900),
            f"[after training is done] datetime: {p.at(end + 1, '%Y-%m-%d %H:%M:%S')} ",
            "saving checkpoint at iteration    1900 to /lustre/mira/gpt-760m in torch_dist format",
            "  successfully saved checkpoint from iteration    1900 to /lustre/mira/gpt-760m [ t 1/1, p 1/1 ]",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))
    for n, node in enumerate(p.nodes):
        (to / f"dmesg_{node}.txt").write_text(p.dmesg(n))


@case
def capped_and_cool(to: Path, rng: random.Random) -> None:
    """Soft power cap on every GPU, 58 C, clocks a little under the top: that is how a busy GPU looks."""
    p = Plant(
        rng,
        880,
        "sft-8b",
        ["a3-gpu-1", "a3-gpu-2", "a3-gpu-3", "a3-gpu-4"],
        4,
        "2026-10-12 18:00:05",
        2540,
        "H200",
        30,
        reasons="DCGM_FI_DEV_CLOCKS_EVENT_REASONS",
    )
    dump(to, p.series(working(90, why=4, clock=0.86, heat=0.985, temp=58)), "metric")
    steps, lines = p.steps([(0, 2.1)], 2640, 90), []
    steps = steps[:1150]
    for step, _, _ in steps:
        if step % 10 == 0:
            lines.append(
                f"{{'loss': {p.loss(step, 2.4, 0.9, 60):.4f}, 'grad_norm': {rng.lognormvariate(0, 0.2):.6f}, 'learning_rate': {2e-5 * (1 - step / 1150):.8g}, 'epoch': {step / 575:.2f}}}"
            )
    lines.append(
        "{'train_runtime': 2431.0881, 'train_samples_per_second': 30.28, 'train_steps_per_second': 0.473, 'train_loss': 1.1827, 'epoch': 2.0}"
    )
    lines.append("***** train metrics *****")
    lines.append("  train_runtime            = 0:40:31.08")
    write(to / "logs" / "sft-8b.880.log", lines)
    (to / "acct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))


@case
def old_scars(to: Path, rng: random.Random) -> None:
    """Two rows remapped long ago and an XID of last week: the job did all its work."""
    p = Plant(rng, 7713, "vit-h", ["dgx-17", "dgx-18"], 8, "2026-09-29 03:30:00", 2285, "A100", 20)
    rows = {"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda n, g, t: 2 if (n, g) == (1, 3) else 0}
    dump(to, p.series(working(45), rows))
    steps = p.steps([(0, 0.88)], 2380, 50)[:2500]
    last = steps[-1][1]
    write(
        to / "rank0.log",
        [
            *plain(p, steps, 2500, 25),
            f"{p.at(last + 5, '%Y-%m-%d %H:%M:%S')},003 INFO train finished 2500 steps, eval top1=0.612",
        ],
    )
    (to / "sacct.out").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))
    (to / "dgx-17.dmesg").write_text(p.dmesg(0))
    (to / "dgx-18.dmesg").write_text(
        p.dmesg(
            1,
            [
                (
                    -86400 * 6.0,
                    f"NVRM: Xid (PCI:{p.bus(3)}): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000012c66f1) marked for remapping, reset gpu to activate.",
                ),
            ],
        )
    )


# ---- slowed by the plant ----


@case
def hot_aisle(to: Path, rng: random.Random) -> None:
    """Four GPUs of one node run into the thermal slowdown at minute 24; every step of the job takes twice as long from then on."""
    p = Plant(
        rng, 61007, "llama-3b", ["gpu-c1", "gpu-c2", "gpu-c3", "gpu-c4"], 8, "2026-07-21 11:05:00", 4500, "H100", 30
    )

    def play(n: int, g: int, t: float) -> State:
        if t < 70:
            return LOAD
        if t < 1440:
            return {**WORK, "temp": 81 if n == 2 and g >= 4 else 64}
        if n == 2 and g >= 4:
            return {**WORK, "sm": 0.8, "clock": 0.43, "heat": 0.5, "temp": 90, "why": 0x68}
        return {**mix(WORK, SPIN, 0.52), "heat": 0.55, "temp": 58}

    dump(
        to,
        p.series(
            play,
            {"DCGM_FI_DEV_THERMAL_VIOLATION": lambda n, g, t: max(0.0, t - 1440) * 1e9 if n == 2 and g >= 4 else 0.0},
        ),
    )
    steps = [s for s in p.steps([(0, 1.4), (1440, 3.02)], 4460, 70) if s[0] <= 1950]
    write(
        to / "train.out",
        [
            *plain(p, steps, 1950, 10),
            f"{p.at(steps[-1][1] + 4, '%Y-%m-%d %H:%M:%S')},410 INFO train done, saved to /fsx/out/final",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))
    for n, node in enumerate(p.nodes):
        (to / f"{node}.dmesg").write_text(p.dmesg(n))


@case
def brake(to: Path, rng: random.Random) -> None:
    """The power brake of one node: a supply failed, its four GPUs crawl at a fifth of their clock, and the limit comes."""
    p = Plant(
        rng, 3391, "diffusion-xl", ["rack2-n1", "rack2-n2", "rack2-n3"], 4, "2026-05-19 20:00:00", 3600, "A100", 15
    )

    def play(n: int, g: int, t: float) -> State:
        if t < 60:
            return LOAD
        if t < 1100:
            return WORK
        if n == 1:
            return {**WORK, "sm": 0.9, "clock": 0.2, "heat": 0.3, "why": 0x88, "temp": 44}
        return {**mix(WORK, SPIN, 0.78), "heat": 0.38}

    dump(to, p.series(play), "node")
    steps = p.steps([(0, 0.95), (1100, 4.3)], 3590)
    write(
        to / "slurm-3391.out",
        [
            *plain(p, steps, 9000, 20),
            f"slurmstepd: error: *** JOB 3391 ON rack2-n1 CANCELLED AT {p.at(3600)} DUE TO TIME LIMIT ***",
            f"slurmstepd: error: *** STEP 3391.0 ON rack2-n1 CANCELLED AT {p.at(3600)} DUE TO TIME LIMIT ***",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("TIMEOUT", "0:0", "CANCELLED", "CANCELLED", "0:15", "01:00:00"))
    (to / "rack2-n2.dmesg").write_text(p.dmesg(1))


# ---- broken hardware ----


@case
def off_the_bus(to: Path, rng: random.Random) -> None:
    p = Plant(rng, 91020, "mixtral-ft", ["n101", "n102", "n103", "n104"], 8, "2026-11-11 01:20:00", 2655, "H100", 30)
    gone = 2590.0

    def play(n: int, g: int, t: float) -> State | None:
        if t < 80:
            return LOAD
        if t < gone:
            return WORK
        return None if (n, g) == (2, 5) else SPIN

    series = p.series(
        play, {"DCGM_FI_DEV_XID_ERRORS": lambda n, g, t: 79 if (n, g) == (2, 5) and t >= gone - 20 else 0}, after=0
    )
    dump(to, series)
    steps = p.steps([(0, 3.3)], gone, 80)
    lines = plain(p, steps, 6000, 10)
    for rank in (21, 20, 22):
        head = cuda_error("unspecified launch failure" if rank == 21 else "", "/work/ft/train.py", 402)
        lines += [f"[rank{rank}]: {x}" for x in head] if rank == 21 else peers_lost(p, rank, gone + 40)
    lines += [
        f"[rank3]:[E{p.at(gone + 44, '%m%d %H:%M:%S')}.120443120 ProcessGroupNCCL.cpp:2057] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5",
        "srun: error: n103: task 21: Exited with exit code 1",
        "srun: error: n101: task 3: Aborted (core dumped)",
    ]
    write(to / "slurm-91020.out", lines)
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))
    (to / "n103.dmesg").write_text(
        p.dmesg(
            2,
            [
                (gone, f"NVRM: GPU at PCI:{p.bus(5)}: {p.uuid(2, 5)}"),
                (gone, f"NVRM: Xid (PCI:{p.bus(5)}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
                (gone, f"NVRM: GPU {p.bus(5)}.0: GPU has fallen off the bus."),
                (
                    gone + 1,
                    f"NVRM: Xid (PCI:{p.bus(5)}): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
                ),
                (gone + 44, f"NVRM: Xid (PCI:{p.bus(4)}): 45, pid=81233, name=python, Ch 00000008"),
            ],
        )
    )
    (to / "n101.dmesg").write_text(p.dmesg(0))


@case
def rows_to_remap(to: Path, rng: random.Random) -> None:
    """An uncorrectable error, contained: one rank dies, and a row waits to be remapped."""
    p = Plant(rng, 1188, "wav2vec", ["tesla-a", "tesla-b"], 4, "2026-03-02 14:00:00", 1910, "A100", 10)
    hit = 1880.0

    def play(n: int, g: int, t: float) -> State:
        return LOAD if t < 50 else WORK if t < hit else COLD if (n, g) == (0, 2) else SPIN

    def mine(n: int, g: int, t: float) -> bool:
        return (n, g) == (0, 2) and t >= hit

    dump(
        to,
        p.series(
            play,
            {
                "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda n, g, t: 1 if mine(n, g, t) else 0,
                "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda n, g, t: 1 if mine(n, g, t) else 0,
                "DCGM_FI_DEV_XID_ERRORS": lambda n, g, t: 94 if mine(n, g, t) else 0,
            },
        ),
        "node",
    )
    steps = p.steps([(0, 0.61)], hit, 50)
    write(to / "logs" / "rank_0.log", plain(p, steps, 20000, 50))
    write(
        to / "logs" / "rank_2.log",
        [
            f"{p.at(8, '%Y-%m-%d %H:%M:%S')},114 INFO train rank 2 on tesla-a cuda:2",
            *cuda_error("uncorrectable ECC error encountered", "pretrain.py", 288),
        ],
    )
    for rank in (1, 3, 4, 5, 6, 7):
        write(
            to / "logs" / f"rank_{rank}.log",
            [
                f"{p.at(8, '%Y-%m-%d %H:%M:%S')},2{rank}1 INFO train rank {rank} on tesla-{'ab'[rank // 4]} cuda:{rank % 4}",
                *peers_lost(p, rank, hit + 12),
            ],
        )
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))
    (to / "tesla-a.dmesg").write_text(
        p.dmesg(
            0,
            [
                (
                    hit,
                    f"NVRM: Xid (PCI:{p.bus(2)}): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x000000000213a5d1) marked for remapping, reset gpu to activate.",
                ),
                (
                    hit,
                    f"NVRM: Xid (PCI:{p.bus(2)}): 94, pid=30417, name=python3, Contained: SM (0x1). RST: No, D-RST: No",
                ),
                (hit + 0.2, f"NVRM: Xid (PCI:{p.bus(2)}): 45, pid=30417, name=python3, Ch 00000010"),
            ],
        )
    )


@case
def gsp_silent(to: Path, rng: random.Random) -> None:
    """XID 119 and 154: the GPU's own processor answers no more."""
    p = Plant(
        rng,
        40404,
        "moe-16x",
        ["ip-10-1-4-11", "ip-10-1-4-12", "ip-10-1-4-13"],
        8,
        "2026-06-14 22:15:00",
        2900,
        "H100",
        30,
    )
    hit = 2240.0

    def play(n: int, g: int, t: float) -> State | None:
        if t < 75:
            return LOAD
        if t < hit:
            return WORK
        return None if (n, g) == (0, 6) else SPIN

    dump(to, p.series(play), "metric")
    steps = p.steps([(0, 4.4)], hit, 75)
    lines = megatron(p, steps, 40000, 5)
    for rank in (0, 1, 9, 17):
        lines += watchdog(p, rank, hit + 610, 40912, "ALLTOALL_BASE", 8388608)
    lines += ["srun: error: ip-10-1-4-12: tasks 8-15: Aborted", "srun: error: ip-10-1-4-11: tasks 0-5,7: Aborted"]
    write(to / "moe.40404.out", lines)
    (to / "sacct.txt").write_text(p.ended("FAILED", "6:0", "FAILED", "FAILED", "0:6"))
    (to / "dmesg").mkdir()
    rpc = f"NVRM: Xid (PCI:{p.bus(6)}): 119, pid=52210, name=python, Timeout after 45s of waiting for RPC response from GPU6 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20800a9d 0x4)."
    (to / "dmesg" / "ip-10-1-4-11.txt").write_text(
        p.dmesg(
            0,
            [
                (hit + 5, rpc),
                (hit + 50, rpc),
                (
                    hit + 51,
                    f"NVRM: Xid (PCI:{p.bus(6)}): 154, pid=52210, name=python, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
                ),
                (hit + 95, rpc),
            ],
        )
    )
    (to / "dmesg" / "ip-10-1-4-12.txt").write_text(p.dmesg(1))


@case
def link_down(to: Path, rng: random.Random) -> None:
    """NVLink: replays climb for ten minutes, then XID 74 and the end."""
    p = Plant(rng, 2077, "rlhf-7b", ["hopper1", "hopper2"], 8, "2026-04-27 06:45:00", 2120, "H100", 15)
    hit = 2085.0

    def play(n: int, g: int, t: float) -> State:
        return LOAD if t < 90 else WORK if t < hit else COLD if (n, g) == (1, 1) else SPIN

    def crc(n: int, g: int, t: float) -> float:
        return max(0, int((t - 1500) * 31)) if n == 1 and g == 1 else 0

    dump(
        to,
        p.series(
            play,
            {
                "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": crc,
                "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": lambda n, g, t: crc(n, g, t) // 9,
                "DCGM_FI_DEV_XID_ERRORS": lambda n, g, t: 74 if n == 1 and g == 1 and t > hit else 0,
            },
        ),
    )
    steps = p.steps([(0, 5.2)], hit, 90)
    write(
        to / "slurm-2077.out",
        [
            *plain(p, steps, 3000, 5, " reward=0.41"),
            *(
                f"[rank9]: {x}"
                for x in cuda_error(
                    "uncorrectable NVLink error detected during the execution", "/home/mira/rlhf/ppo.py", 517
                )
            ),
            *peers_lost(p, 8, hit + 3),
            *peers_lost(p, 2, hit + 4),
            "srun: error: hopper2: task 9: Exited with exit code 1",
            "srun: Terminating StepId=2077.0",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))
    (to / "hopper2.dmesg").write_text(
        p.dmesg(
            1,
            [
                (
                    hit,
                    f"NVRM: Xid (PCI:{p.bus(1)}): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 11(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)",
                ),
                (hit + 1, "nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 41 LTSSM Fault Up"),
                (hit + 1, f"NVRM: Xid (PCI:{p.bus(1)}): 45, pid=9931, name=python, Ch 00000008"),
            ],
        )
    )
    (to / "hopper1.dmesg").write_text(p.dmesg(0))


# ---- slow without a fault ----


def by_rank(
    p: Plant, to: Path, total: int, pace: float, until: float, share: Callable[[int], float], every: int = 25
) -> None:
    """A file a rank, each with its own share of the step in compute."""
    steps = [s for s in p.steps([(0, pace)], until) if s[0] <= total]
    for rank in range(len(p.nodes) * p.gpus):
        lines = [
            f"{p.at(9, '%H:%M:%S')} rank={rank} host={p.nodes[rank // p.gpus]} device=cuda:{rank % p.gpus} world={len(p.nodes) * p.gpus}"
        ]
        for step, t, took in steps:
            if step % every == 0:
                busy = took * share(rank) * p.rng.gauss(1, 0.01)
                lines.append(
                    f"{p.at(t, '%H:%M:%S')} rank={rank} step={step}/{total} loss={p.loss(step):.4f} iter_ms={took * 1000:.0f} fwd_bwd_ms={busy * 1000:.0f} allreduce_wait_ms={(took - busy) * 1000:.0f}"
                )
        lines.append(f"{p.at(steps[-1][1] + 2, '%H:%M:%S')} rank={rank} finished {total} steps")
        write(to / "ranks" / f"rank{rank:02d}.log", lines)


@case
def one_slow_gpu(to: Path, rng: random.Random) -> None:
    """Rank 11 computes all the step, the other fifteen wait for it; no throttle, no error anywhere."""
    p = Plant(rng, 15542, "t5-3b", ["node07", "node08"], 8, "2026-08-08 08:08:08", 3000, "A100", 15)

    def play(n: int, g: int, t: float) -> State:
        if t < 60:
            return LOAD
        if (n, g) == (1, 3):
            return {**WORK, "sm": 0.71, "heat": 0.8}
        return {**mix(WORK, SPIN, 0.68), "heat": 0.42}

    dump(to, p.series(play))
    by_rank(p, to, 1000, 2.9, 2990, lambda r: 0.97 if r == 11 else 0.34)
    (to / "sacct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))


@case
def one_slow_host(to: Path, rng: random.Random) -> None:
    """Somebody else's processes sit on the CPUs of one host: its four ranks are late at every all-reduce."""
    p = Plant(
        rng, 20881, "clip-l", [f"cn{k:02d}" for k in (31, 32, 33, 34, 35)], 4, "2026-02-10 12:30:00", 3300, "H100", 20
    )

    def play(n: int, g: int, t: float) -> State:
        if t < 60:
            return LOAD
        if n == 3:
            return {**WORK, "sm": 0.45, "gr": 0.8, "util": 86, "heat": 0.55}
        return {**mix(WORK, SPIN, 0.75), "heat": 0.38}

    series = p.series(play)
    dump(to, series, "node")
    (to / "host").mkdir()
    dump(to / "host", p.host("node_load1", lambda n, t: (212 if n == 3 else 14) * rng.gauss(1, 0.04)))
    by_rank(p, to, 1400, 2.25, 3290, lambda r: 0.96 if r // 4 == 3 else 0.3)
    (to / "sacct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))


@case
def starving(to: Path, rng: random.Random) -> None:
    """Half a second of work, then three and a half seconds until the next batch: on every rank, from first to last."""
    p = Plant(rng, 733, "seg-anything", ["vis1", "vis2"], 4, "2026-10-01 16:20:00", 3525, "A100", 10)

    def play(n: int, g: int, t: float) -> State:
        if t < 60:
            return LOAD
        return {**WORK, "heat": 0.3} if rng.random() < 0.13 else {**COLD, "heat": 0.2}

    dump(to, p.series(play))
    steps = [s for s in p.steps([(0, 4.05)], 3560) if s[0] <= 850]
    lines = []
    for step, t, took in steps:
        if step % 10 == 0:
            lines.append(
                f"{p.at(t, '%Y-%m-%d %H:%M:%S')} - mmengine - INFO - Iter(train) [{step:>4}/850]  lr: 1.0000e-04  eta: 0:{int((850 - step) * 4.05 / 60):02d}:10  time: {took:.4f}  data_time: {took - 0.52:.4f}  memory: 41022  loss: {p.loss(step, 3.1, 0.4, 60):.4f}"
            )
    lines.append(
        f"{p.at(steps[-1][1] + 3, '%Y-%m-%d %H:%M:%S')} - mmengine - INFO - Saving checkpoint at 850 iterations"
    )
    write(to / "20261001_162000.log", lines)
    (to / "sacct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))


@case
def saves_every_step(to: Path, rng: random.Random) -> None:
    """save_interval was meant to be 1000 and is 1."""
    p = Plant(rng, 62015, "llama-1b", ["w1", "w2", "w3", "w4"], 4, "2026-01-18 10:00:00", 3395, "H100", 15)

    def play(n: int, g: int, t: float) -> State:
        if t < 60:
            return LOAD
        if rng.random() < 0.11:
            return {**WORK, "heat": 0.4}
        return {**COLD, "heat": 0.2} if (n, g) == (0, 0) else {**SPIN, "heat": 0.22}

    dump(to, p.series(play), "node")
    steps, lines = p.steps([(0, 11.4)], 3440), []
    steps = steps[:290]
    for step, t, took in steps:
        lines += [
            f"{p.at(t - 9.9, '%Y-%m-%d %H:%M:%S')} [INFO] step {step}/290 loss {p.loss(step, 10.8, 4, 30):.4f} compute 1.31s",
            f"{p.at(t - 9.8, '%Y-%m-%d %H:%M:%S')} [INFO] saving checkpoint to /nfs/ckpt/step_{step}",
            f"{p.at(t, '%Y-%m-%d %H:%M:%S')} [INFO] saved checkpoint /nfs/ckpt/step_{step} (18.4 GB in {took - 1.5:.1f}s)",
        ]
    lines.append(f"{p.at(steps[-1][1] + 1, '%Y-%m-%d %H:%M:%S')} [INFO] training finished after 290 steps")
    write(to / "job.62015.log", lines)
    (to / "sacct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))


@case
def sockets_instead(to: Path, rng: random.Random) -> None:
    """No InfiniBand device was found, so it went over Ethernet: six nodes, all alike slow."""
    p = Plant(rng, 30100, "gpt-13b", [f"ib{k}" for k in range(1, 7)], 4, "2026-09-05 19:00:00", 4200, "H100", 30)

    def play(n: int, g: int, t: float) -> State:
        return LOAD if t < 90 else {**mix(WORK, SPIN, 0.87), "gr": 0.99, "util": 100, "heat": 0.31, "link": 0.1}

    dump(to, p.series(play))
    lines = []
    for n, node in enumerate(p.nodes):
        pid = 4000 + n * 37
        lines += [
            f"{node}:{pid}:{pid} [0] NCCL INFO Bootstrap: Using eno1:10.20.0.{n + 11}<0>",
            f"{node}:{pid}:{pid + 91} [0] NCCL INFO NET/IB : No device found.",
            f"{node}:{pid}:{pid + 91} [0] NCCL INFO NET/Socket : Using [0]eno1:10.20.0.{n + 11}<0>",
            f"{node}:{pid}:{pid + 91} [0] NCCL INFO Using network Socket",
            f"{node}:{pid}:{pid + 91} [0] NCCL INFO Channel 00/0 : {n * 4}[0] -> {(n * 4 + 4) % 24}[0] [send] via NET/Socket/0",
            f"{node}:{pid}:{pid + 91} [0] NCCL INFO ncclCommInitRank comm 0x55d0c{n}1e20 rank {n * 4} nranks 24 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x7c1b1d2e90aa11f - Init COMPLETE",
        ]
    steps = [s for s in p.steps([(0, 27.0)], 4190, 90) if s[0] <= 150]
    lines += megatron(p, steps, 150, 2)
    lines.append(f"[after training is done] datetime: {p.at(steps[-1][1] + 1, '%Y-%m-%d %H:%M:%S')} ")
    write(to / "slurm-30100.out", lines)
    (to / "sacct.txt").write_text(p.ended("COMPLETED", "0:0", "COMPLETED", "COMPLETED", "0:0"))


# ---- hung ----


@case
def frozen_allreduce(to: Path, rng: random.Random) -> None:
    """Rank 13 stops coming; the watchdog of the others speaks ten minutes later."""
    p = Plant(rng, 77031, "bloom-ft", ["gx1", "gx2", "gx3", "gx4"], 4, "2026-11-15 02:00:00", 2530, "A100", 15)
    hit = 1900.0

    def play(n: int, g: int, t: float) -> State:
        if t < 60:
            return LOAD
        return WORK if t < hit else COLD if (n, g) == (3, 1) else SPIN

    dump(to, p.series(play), "node")
    steps = p.steps([(0, 1.9)], hit)
    for rank in range(16):
        lines = [f"rank {rank} up on {p.nodes[rank // 4]}"]
        if rank == 0:
            lines += plain(p, steps, 8000, 20)
        if rank != 13:
            lines += watchdog(p, rank, hit + 602 + rank * 0.05, steps[-1][0] * 12 + 7)
            lines += ["terminate called after throwing an instance of 'c10::DistBackendError'"]
        write(to / f"rank-{rank}.err", lines)
    (to / "sacct.txt").write_text(p.ended("FAILED", "6:0", "FAILED", "FAILED", "0:6"))
    for n, node in enumerate(p.nodes):
        (to / f"{node}.dmesg").write_text(p.dmesg(n))


@case
def nobody_watched(to: Path, rng: random.Random) -> None:
    """Frozen at minute 31 with the watchdog off; somebody looked two hours later and cancelled it."""
    p = Plant(rng, 412, "esm-650m", ["bio-a", "bio-b"], 8, "2026-10-22 21:00:00", 9300, "H100", 60)
    hit = 1860.0

    def play(n: int, g: int, t: float) -> State:
        if t < 60:
            return LOAD
        return WORK if t < hit else COLD if (n, g) == (0, 7) else SPIN

    dump(to, p.series(play))
    steps = p.steps([(0, 0.83)], hit)
    write(
        to / "esm.out",
        [
            "TORCH_NCCL_ASYNC_ERROR_HANDLING=0 TORCH_NCCL_ENABLE_MONITORING=0",
            *plain(p, steps, 100000, 50),
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            f"slurmstepd: error: *** STEP 412.0 ON bio-a CANCELLED AT {p.at(9300)} ***",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("CANCELLED by 20117", "0:0", "CANCELLED", "CANCELLED", "0:15", "2-00:00:00"))


@case
def never_met(to: Path, rng: random.Random) -> None:
    """Eight nodes that never found each other: nothing was computed at all, and half an hour later the store gave up."""
    p = Plant(rng, 5150, "falcon", [f"f{k}" for k in range(1, 9)], 4, "2026-11-01 07:00:00", 1865, "H100", 30)

    def play(n: int, g: int, t: float) -> State:
        return {**COLD, "fb": 0.006, "heat": 0.15}

    dump(to, p.series(play))
    lines = []
    for n, node in enumerate(p.nodes):
        lines.append(
            f"{p.at(12 + n * 0.1)} {node} init_process_group(backend=nccl, init_method=env://, world_size=32, rank={n * 4}) MASTER_ADDR=f1-mgmt MASTER_PORT=29511"
        )
    for n in range(1, 8):
        lines += [
            f"[rank{n * 4}]: Traceback (most recent call last):",
            f'[rank{n * 4}]:   File "/opt/venv/lib/python3.11/site-packages/torch/distributed/rendezvous.py", line 278, in _env_rendezvous_handler',
            f"[rank{n * 4}]:     store = _create_c10d_store(",
            f"[rank{n * 4}]: torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to (f1-mgmt, 29511).",
        ]
    lines += [
        "srun: error: f2: tasks 4-7: Exited with exit code 1",
        "srun: error: f5: tasks 16-19: Exited with exit code 1",
    ]
    write(to / "slurm-5150.out", lines)
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))


# ---- ended ----


@case
def node_lost(to: Path, rng: random.Random) -> None:
    p = Plant(rng, 80801, "gemma-ft", ["g01", "g02", "g03", "g04", "g05"], 8, "2026-08-27 05:10:00", 3100, "H100", 30)
    hit = 2995.0

    def play(n: int, g: int, t: float) -> State | None:
        if t < 60:
            return LOAD
        return WORK if t < hit else None if n == 3 else SPIN

    series = p.series(play, after=120)
    for s in series:  # the node is down: no scrape of it afterwards either
        labels, values = s["metric"], s["values"]
        if isinstance(labels, dict) and isinstance(values, list) and labels["Hostname"] == "g04":
            s["values"] = [v for v in values if v[0] < p.start + hit]
    dump(to, series, "node")
    steps = p.steps([(0, 2.4)], hit)
    write(
        to / "slurm-80801.out",
        [
            *plain(p, steps, 20000, 20),
            "srun: error: Node failure on g04",
            f"slurmstepd: error: *** JOB 80801 ON g01 CANCELLED AT {p.at(3100)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("NODE_FAIL", "0:0", "CANCELLED", "NODE_FAIL", "0:0"))
    write(
        to / "sinfo-R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {p.at(3098)} g04",
        ],
    )
    write(
        to / "slurmctld.log",
        [
            f"[{p.at(3040)}.412] error: Nodes g04 not responding",
            f"[{p.at(3098)}.009] error: Nodes g04 not responding, setting DOWN",
            f"[{p.at(3098)}.010] Killing JobId=80801 on failed node g04",
        ],
    )


@case
def out_of_cuda(to: Path, rng: random.Random) -> None:
    """A long batch asked for 9.4 GiB more than there was."""
    p = Plant(rng, 6611, "longctx-7b", ["k1", "k2"], 4, "2026-07-02 13:00:00", 1330, "H100", 15)
    hit = 1310.0

    def play(n: int, g: int, t: float) -> State:
        if t < 70:
            return LOAD
        if t < hit:
            return {**WORK, "fb": min(0.965, 0.86 + t / 13000 + (0.02 if (n, g) == (1, 2) else 0))}
        return IDLE if (n, g) == (1, 2) else SPIN

    dump(to, p.series(play))
    steps = p.steps([(0, 6.2)], hit, 70)
    trace = [
        "Traceback (most recent call last):",
        '  File "/ws/longctx/run.py", line 231, in <module>',
        "    trainer.fit()",
        '  File "/ws/longctx/trainer.py", line 88, in fit',
        "    logits = self.model(ids, position_ids=pos)",
        '  File "/ws/longctx/model.py", line 310, in forward',
        "    scores = torch.matmul(q, k.transpose(-1, -2)) * self.scale",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.00 GiB. GPU 2 has a total capacity of 79.10 GiB of which 2.58 GiB is free. Including non-PyTorch memory, this process has 76.51 GiB memory in use. Of the allocated memory 71.90 GiB is allocated by PyTorch, and 3.02 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    write(
        to / "slurm-6611.out",
        [
            *plain(p, steps, 2500, 5, " seqlen=131072"),
            *(f"[rank6]: {x}" for x in trace),
            *peers_lost(p, 4, hit + 6),
            "srun: error: k2: task 6: Exited with exit code 1",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))
    (to / "k2.dmesg").write_text(p.dmesg(1))


@case
def out_of_host(to: Path, rng: random.Random) -> None:
    """The job's memory limit on one node; the log ends in mid-run."""
    p = Plant(rng, 99003, "audio-lm", ["m1", "m2", "m3"], 4, "2026-06-30 23:40:00", 2210, "A100", 15)
    hit = 2195.0

    def play(n: int, g: int, t: float) -> State:
        return LOAD if t < 60 else WORK if t < hit else IDLE if (n, g) == (1, 0) else SPIN

    dump(to, p.series(play), "node")
    steps = p.steps([(0, 1.15)], hit)
    write(
        to / "slurm-99003.out",
        [
            *plain(p, steps, 30000, 25),
            "slurmstepd-m2: error: Detected 1 oom_kill event in StepId=99003.0. Some of the step tasks have been OOM Killed.",
            "srun: error: m2: task 4: Out Of Memory",
            "srun: Terminating StepId=99003.0",
            "srun: error: m1: tasks 0-3: Terminated",
            "srun: error: m3: tasks 8-11: Terminated",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("OUT_OF_MEMORY", "0:125", "OUT_OF_MEMORY", "OUT_OF_MEMORY", "0:125"))
    (to / "m2.dmesg").write_text(
        p.dmesg(
            1,
            [
                (hit, "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
                (hit, "memory: usage 268435456kB, limit 268435456kB, failcnt 88412"),
                (
                    hit,
                    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=task_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_99003/step_0,task_memcg=/system.slice/slurmstepd.scope/job_99003/step_0/user/task_4,task=python,pid=70213,uid=20117",
                ),
                (
                    hit,
                    "Memory cgroup out of memory: Killed process 70213 (python) total-vm:391204512kB, anon-rss:201204112kB, file-rss:412004kB, shmem-rss:8412204kB, UID:20117 pgtables:512204kB oom_score_adj:0",
                ),
            ],
        )
    )


@case
def wrong_flag(to: Path, rng: random.Random) -> None:
    """A key of the configuration that is not there: all sixteen ranks say so before anything was computed."""
    p = Plant(rng, 1200, "yolo-x", ["q1", "q2"], 8, "2026-05-05 05:05:05", 47, "A100", 5)

    def play(n: int, g: int, t: float) -> State:
        return IDLE if t < 20 else {**COLD, "fb": 0.007}

    dump(to, p.series(play))
    for rank in range(16):
        write(
            to / "out" / f"{rank}.txt",
            [
                f"[{p.at(21)}] rank {rank} config: /exp/yolo_x_640.yaml",
                "Traceback (most recent call last):",
                '  File "/exp/tools/train.py", line 140, in <module>',
                "    main(cfg)",
                '  File "/exp/tools/train.py", line 71, in main',
                '    aug = build_augment(cfg["train"]["mosaic_prob"])',
                "KeyError: 'mosaic_prob'",
            ],
        )
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))


@case
def index_beyond(to: Path, rng: random.Random) -> None:
    """A label beyond the table: a device-side assertion, and XID 43 that follows from it. No hardware in it."""
    p = Plant(rng, 70077, "retriever", ["z1", "z2"], 4, "2026-04-01 10:30:00", 1500, "H100", 15)
    hit = 1478.0

    def play(n: int, g: int, t: float) -> State:
        return LOAD if t < 60 else WORK if t < hit else COLD if (n, g) == (0, 1) else SPIN

    dump(to, p.series(play, {"DCGM_FI_DEV_XID_ERRORS": lambda n, g, t: 43 if (n, g) == (0, 1) and t > hit else 0}))
    steps = p.steps([(0, 0.7)], hit)
    note = [
        f"/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1369: indexSelectSmallIndex: block: [{b},0,0], thread: [{th},0,0] Assertion `srcIndex < srcSelectDimSize` failed."
        for b in range(2)
        for th in range(6)
    ]
    trace = [
        "Traceback (most recent call last):",
        '  File "/home/mira/retriever/train.py", line 166, in <module>',
        "    run()",
        '  File "/home/mira/retriever/train.py", line 120, in run',
        "    emb = model.doc_type(batch.type_ids)",
        "RuntimeError: CUDA error: device-side assert triggered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    ]
    write(
        to / "slurm-70077.out",
        [
            *plain(p, steps, 12000, 25),
            *note,
            *(f"[rank1]: {x}" for x in trace),
            *peers_lost(p, 0, hit + 4),
            "srun: error: z1: task 1: Exited with exit code 1",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))
    (to / "z1.dmesg").write_text(
        p.dmesg(0, [(hit, f"NVRM: Xid (PCI:{p.bus(1)}): 43, pid=11822, name=python, Ch 00000008")])
    )
    (to / "z2.dmesg").write_text(p.dmesg(1))


@case
def made_way(to: Path, rng: random.Random) -> None:
    """Preempted, requeued, went on from its checkpoint, and did all its steps."""
    p = Plant(rng, 8123, "bert-large", ["s1", "s2"], 4, "2026-03-15 01:00:00", 5840, "A100", 30)

    def play(n: int, g: int, t: float) -> State:
        if 1900 <= t < 3000:
            return IDLE
        return LOAD if t < 60 or 3000 <= t < 3060 else WORK

    dump(to, p.series(play))
    one = p.steps([(0, 1.1)], 1890)
    kept = one[-1][0] // 500 * 500
    two = [s for s in p.steps([(0, 1.1)], 5990, 3060, kept) if s[0] <= 4000]
    write(
        to / "slurm-8123.out",
        [
            *plain(p, one, 4000, 25),
            f"slurmstepd: error: *** JOB 8123 ON s1 CANCELLED AT {p.at(1900)} DUE TO PREEMPTION ***",
            f"slurmstepd: error: *** STEP 8123.0 ON s1 CANCELLED AT {p.at(1900)} DUE TO PREEMPTION ***",
            f"{p.at(3050, '%Y-%m-%d %H:%M:%S')},031 INFO train resumed from checkpoint ckpt/step_{kept}.pt at step {kept}",
            *plain(p, two, 4000, 25),
            f"{p.at(two[-1][1] + 3, '%Y-%m-%d %H:%M:%S')},900 INFO train training finished",
        ],
    )
    (to / "sacct.txt").write_text(
        p.sacct(
            [
                ("", p.name, "PREEMPTED", "0:0", 0, 1900),
                (".batch", "batch", "CANCELLED", "0:15", 0, 1901),
                (".0", "python", "CANCELLED", "0:15", 3, 1901),
                ("", p.name, "COMPLETED", "0:0", 3000, 5840),
                (".batch", "batch", "COMPLETED", "0:0", 3000, 5840),
                (".0", "python", "COMPLETED", "0:0", 3003, 5839),
            ],
            "scavenge",
            "08:00:00",
        )
    )


@case
def out_of_time(to: Path, rng: random.Random) -> None:
    """It learnt and was in the middle of it when the hour was over."""
    p = Plant(rng, 450012, "dino-b", ["p10", "p11", "p12", "p13"], 4, "2026-10-30 15:00:00", 3600, "H200", 30)
    dump(to, p.series(working()), "node")
    steps = p.steps([(0, 0.97)], 3595)
    write(
        to / "slurm-450012.out",
        [
            *plain(p, steps, 10000, 25),
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            f"slurmstepd: error: *** STEP 450012.0 ON p10 CANCELLED AT {p.at(3602)} DUE TO TIME LIMIT ***",
            f"slurmstepd: error: *** JOB 450012 ON p10 CANCELLED AT {p.at(3602)} DUE TO TIME LIMIT ***",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("TIMEOUT", "0:0", "CANCELLED", "CANCELLED", "0:15", "01:00:00"))


@case
def changed_my_mind(to: Path, rng: random.Random) -> None:
    """Cancelled by its own user while it worked and learnt."""
    p = Plant(rng, 3003, "lora-sweep", ["e1", "e2"], 8, "2026-11-18 09:00:00", 1700, "H100", 15)
    dump(to, p.series(working()))
    steps = p.steps([(0, 1.3)], 1695)
    write(
        to / "slurm-3003.out",
        [
            *plain(p, steps, 5000, 20),
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            f"slurmstepd: error: *** STEP 3003.0 ON e1 CANCELLED AT {p.at(1700)} ***",
            f"slurmstepd: error: *** JOB 3003 ON e1 CANCELLED AT {p.at(1700)} ***",
        ],
    )
    (to / "sacct.txt").write_text(p.ended("CANCELLED by 20117", "0:0", "CANCELLED", "CANCELLED", "0:15"))


@case
def only_the_graphs(to: Path, rng: random.Random) -> None:
    """Busy GPUs to the end, FAILED 1:0, and no log: something of the job's went wrong, and nobody can say what."""
    p = Plant(rng, 7400, "unknown", ["v1", "v2"], 4, "2026-07-30 12:00:00", 2000, "A100", 30)
    dump(to, p.series(working()))
    (to / "sacct.txt").write_text(p.ended("FAILED", "1:0", "FAILED", "FAILED", "1:0"))


def main() -> None:
    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    for name, make in CASES.items():
        if wanted and name not in wanted:
            continue
        place = out / name
        place.mkdir(parents=True, exist_ok=True)
        make(place, random.Random("fourth " + name))


if __name__ == "__main__":
    main()

"""What a simulated job leaves in words: lines of its ranks, messages of kernels, records of the scheduler."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .physics import NCCL_TIMEOUT_S

if TYPE_CHECKING:
    from .physics import Run
    from .plan import Plan


@dataclass(frozen=True)
class Line:
    """One line: seconds from the start, rank that wrote it (None: the launcher on the first node), and the text."""

    at: float
    rank: int | None
    text: str


@dataclass(frozen=True)
class Told:
    """All words: lines, kernel messages (at, node, text), and how it ended for the scheduler and each rank."""

    lines: list[Line]
    kernel: list[tuple[float, str, str]]
    state: str
    exit_code: int
    signal: int
    rank_exits: dict[int, tuple[int | None, int | None]]
    node_states: list[tuple[float, str, str, str]]


def losses(plan: Plan, count: int) -> list[float]:
    """A training loss that falls, with noise; NaN from the onset on where that is the fault."""
    chance = random.Random(f"loss/{plan.seed}")
    top, floor, pace = chance.uniform(7, 11), chance.uniform(1.8, 3.2), chance.uniform(25, 60)
    curve = [floor + (top - floor) * math.exp(-step / pace) + chance.gauss(0, 0.04) for step in range(count)]
    if plan.fault == "nan":
        curve[int(count * plan.onset) :] = [math.nan] * (count - int(count * plan.onset))
    return curve


def tell(plan: Plan, done: Run) -> Told:
    """Everything that is printed and noted."""
    chance = random.Random(f"story/{plan.seed}/{plan.fault}")
    lines = [Line(2.0, None, f"Starting training on {plan.world} ranks, {plan.steps} steps")]
    lines += [
        Line(12.0 + 0.01 * r, r, f"[rank{r}]: process group initialized, world size {plan.world}")
        for r in range(plan.world)
    ]
    if plan.fault == "rendezvous":
        lines = lines[:1]
    previous = done.step_ends[0] - plan.compute_s if done.step_ends else 0.0
    every = 1 if plan.steps < 50 else chance.choice((1, 2, 5))
    for step, (end, loss) in enumerate(zip(done.step_ends, losses(plan, len(done.step_ends)), strict=True), 1):
        if step % every == 0:
            if plan.dialect == "hf" and (plan.seed % 3 or plan.steps < 5):
                lines.append(Line(end, 0, _bar(plan, step, end - previous)))
            lines.append(Line(end, 0, _progress(plan, step, loss, end - previous)))
        previous = end
    for step, at in done.saves:
        lines.append(Line(at, 0, f"Saved checkpoint to /ckpt/step_{step} at step {step}"))
    state, code, number, exits, kernel, nodes = _end(plan, done, lines)
    lines.sort(key=lambda line: line.at)
    return Told(lines, kernel, state, code, number, exits, nodes)


def _progress(plan: Plan, step: int, loss: float, seconds: float) -> str:
    if plan.dialect == "megatron":
        return (
            f" iteration {step:8d}/{plan.steps:8d} | consumed samples: {step * 32:12d} | "
            f"elapsed time per iteration (ms): {seconds * 1000:.1f} | learning rate: 1.000000E-04 | "
            f"global batch size:    32 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: 1.021 | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
    if plan.dialect == "hf":
        return f"{{'loss': {loss:.4f}, 'grad_norm': 1.02, 'learning_rate': 0.0001, 'epoch': {step / plan.steps:.2f}}}"
    return f"step {step}/{plan.steps} loss {loss:.4f} lr 1.00e-04 step_time {seconds:.3f}s"


def _bar(plan: Plan, step: int, seconds: float) -> str:
    share = step / plan.steps
    blocks = "█" * int(10 * share)
    return f"{share:4.0%}|{blocks:<10}| {step}/{plan.steps} [{step:02d}:00<{plan.steps:02d}:00, {seconds:5.2f}s/it]"


def _end(plan: Plan, done: Run, lines: list[Line]) -> tuple[Any, ...]:
    at = done.struck if done.struck is not None else done.end
    kernel: list[tuple[float, str, str]] = []
    exits: dict[int, tuple[int | None, int | None]] = dict.fromkeys(range(plan.world), (0, None))
    node, rank, pid, bus = plan.node_of(plan.sick), plan.sick, plan.pid(plan.sick), plan.bus_id(plan.sick)
    failed = {r: (None, 15) if r != rank else (1, None) for r in range(plan.world)}
    nodes: list[tuple[float, str, str, str]] = []
    match plan.fault:
        case "ecc":
            kernel.append(
                (at, node, f"NVRM: Xid (PCI:{bus}): 48, pid={pid}, name=python3, DBE (double bit error) ECC Error")
            )
            lines += _crash(at + 1, rank, "RuntimeError: CUDA error: uncorrectable ECC error encountered")
            return "FAILED", 1, 0, failed, kernel, nodes
        case "fallen_off_the_bus":
            kernel.append(
                (at, node, f"NVRM: Xid (PCI:{bus}): 79, pid={pid}, name=python3, GPU has fallen off the bus.")
            )
            lines += _crash(at + 1, rank, "RuntimeError: CUDA error: unspecified launch failure")
            return "FAILED", 1, 0, failed, kernel, nodes
        case "freeze":
            lines += [_watchdog(at + NCCL_TIMEOUT_S + 0.2 * r, r) for r in range(plan.world) if r != rank]
            return "FAILED", 1, 0, {r: (None, 6 if r != rank else 15) for r in range(plan.world)}, kernel, nodes
        case "silent_freeze" | "idle_hang":
            return "CANCELLED by 1003", 0, 15, dict.fromkeys(range(plan.world), (None, 15)), kernel, nodes
        case "rendezvous":
            error = (
                "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to "
                f"connect to ({plan.nodes[0]}, 29500)."
            )
            for peer in range(plan.world):
                lines += _crash(done.end - 5 + 0.01 * peer, peer, error, "dist.init_process_group('nccl')")
            return "FAILED", 1, 0, dict.fromkeys(range(plan.world), (1, None)), kernel, nodes
        case "node_down":
            nodes.append((at + 300, node, "DOWN*", "Not responding"))
            return "NODE_FAIL", 0, 9, dict.fromkeys(range(plan.world), (None, 9)), kernel, nodes
        case "preempted":
            return "PREEMPTED", 0, 15, dict.fromkeys(range(plan.world), (None, 15)), kernel, nodes
        case "time_limit":
            lines.append(
                Line(
                    done.end,
                    None,
                    f"slurmstepd: error: *** STEP {plan.job_id}.0 ON {plan.nodes[0]} CANCELLED AT "
                    "2026-11-02T10:00:00 DUE TO TIME LIMIT ***",
                )
            )
            return "TIMEOUT", 0, 15, dict.fromkeys(range(plan.world), (None, 15)), kernel, nodes
        case "traceback":
            lines += _crash(at, rank, "KeyError: 'attention_mask'")
            return "FAILED", 1, 0, failed, kernel, nodes
        case "cuda_oom":
            lines += _crash(
                at,
                rank,
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of "
                f"{plan.memory_mib / 1024:.2f} GiB of which 1.02 GiB is free.",
            )
            return "FAILED", 1, 0, failed, kernel, nodes
        case "host_oom":
            kernel.append(
                (at, node, f"Out of memory: Killed process {pid} (python3) total-vm:98123456kB, anon-rss:91234567kB")
            )
            exits = {r: (None, 9 if r == rank else 15) for r in range(plan.world)}
            return "OUT_OF_MEMORY", 0, 125, exits, kernel, nodes
        case _:
            lines.append(Line(done.end - 1, 0, "Training completed."))
            return "COMPLETED", 0, 0, exits, kernel, nodes


def _watchdog(at: float, rank: int) -> Line:
    text = (
        f"[rank{rank}]:[E1102 10:00:00.000000000 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective "
        "operation timeout: WorkNCCL(SeqNum=4211, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, "
        f"Timeout(ms)=600000) ran for 600{rank:03d} milliseconds before timing out."
    )
    return Line(at, rank, text)


def _crash(at: float, rank: int, error: str, call: str = "loss = step(model, batch)") -> list[Line]:
    texts = (
        "Traceback (most recent call last):",
        '  File "/work/train.py", line 212, in <module>',
        "    main()",
        '  File "/work/train.py", line 148, in main',
        f"    {call}",
        error,
    )
    return [Line(at + 0.001 * i, rank, f"[rank{rank}]: {text}") for i, text in enumerate(texts)]

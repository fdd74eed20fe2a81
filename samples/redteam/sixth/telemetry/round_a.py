"""The first round: six incidents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .world import CLOCK, POWER, TEMP, USED, UTIL, Job, Reading, mode

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _loss(step: int, rng: Random, first: float = 10.9, last: float = 2.7, pace: float = 700) -> float:
    return (last + (first - last) * (0.8 * math.exp(-step / pace) + 0.2 / (1 + step / pace))) * (1 + rng.gauss(0, 0.01))


def t01_hot_node(out: Path, rng: Random) -> None:
    """The fans of one node fail 40 minutes in; its GPUs slow down for heat and the job with them, to the end of the recording."""
    job = Job(out, rng, 771204, ("gn11", "gn12"), 4, 1_770_102_000, 7800, "llm7b")
    steps, at, step = [], 95.0, 0
    while at < job.length - 20:
        slow = 1.0 + 1.1 * max(0.0, min(1.0, (at - 2400) / 500))
        at, step = at + 2.4 * slow * rng.gauss(1, 0.01), step + 1
        if step % 10 == 0:
            steps.append(
                f"{job.local(at, '%Y-%m-%d %H:%M:%S')} INFO step={step} loss={_loss(step, rng):.4f} step_time={2.4 * slow:.3f}s gnorm={rng.gauss(1, 0.1):.3f}"
            )
    job.write(
        "train.log",
        [
            f"{job.local(60, '%Y-%m-%d %H:%M:%S')} INFO world_size=8 model=llama-7b max_steps={step}",
            *steps,
            f"{job.local(at, '%Y-%m-%d %H:%M:%S')} INFO done {step} steps",
        ],
    )

    def state(node: int, _gpu: int, at: float) -> Reading:
        if at < 80:
            return mode("held", CLOCK_THROTTLE_REASONS=0)
        hot = max(0.0, min(1.0, (at - 2400) / 500))
        if node == 1 and hot:
            far = {TEMP: 62 + 28 * hot, CLOCK: 1905 - 1050 * hot, POWER: 590 - 270 * hot}
            return mode("train", CLOCK_THROTTLE_REASONS=0x60 if hot > 0.6 else 0x20 if hot > 0.3 else 0) | far
        return mode(
            "train",
            CLOCK_THROTTLE_REASONS=0,
            **{POWER: 590 - 220 * hot, "SM_ACTIVE": 0.74 - 0.33 * hot, "PIPE_TENSOR_ACTIVE": 0.36 - 0.18 * hot},
        )

    job.metrics(state, 30, extra=("CLOCK_THROTTLE_REASONS",))
    job.sacct("COMPLETED", "0:0", (("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")))
    job.kernel(0, job.boot())
    job.kernel(1, job.boot())


def t02_off_the_bus(out: Path, rng: Random) -> None:
    """One GPU of 32 leaves the bus; its rank dies of it, and srun ends the step."""
    job = Job(out, rng, 88121, ("a03", "a04", "a05", "a09"), 8, 1_768_554_000, 5412, "moe-pre", zone=1)
    dead = 5371.0
    text = [
        f"{job.local(40 + step * 3.3, '%m/%d %H:%M:%S')} [rank0] iter {step} | loss {_loss(step, rng):.3f} | {rng.gauss(3.3, 0.02):.2f}s"
        for step in range(0, 1610, 5)
    ]
    stack = [
        "Traceback (most recent call last):",
        '  File "/home/mlee/moe/train.py", line 311, in <module>',
        "    main()",
        '  File "/home/mlee/moe/train.py", line 268, in main',
        "    loss.backward()",
        "torch.AcceleratorError: CUDA error: unknown error",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    ]
    text += [f"18: {line}" for line in stack] + [
        "srun: error: a05: task 18: Exited with exit code 1",
        f"srun: Terminating StepId={job.id}.0",
    ]
    text += [
        f"slurmstepd: error: *** STEP {job.id}.0 ON a03 CANCELLED AT {job.local(5405)} ***",
        "srun: error: a03: tasks 0-7: Killed",
        "srun: error: a04: tasks 8-15: Killed",
    ]
    job.write(f"slurm-{job.id}.out", text)
    job.metrics(
        lambda _node, _gpu, at: mode("held") if at < 30 else mode("train") if at < dead else mode("spin"),
        10,
        split="node",
        tail=60,
        lost=lambda node, gpu, at: (node, gpu) == (2, 2) and at > dead,
    )
    job.sacct("FAILED", "1:0", (("batch", "FAILED", "1:0"), ("0", "FAILED", "1:0")))
    for node in range(4):
        gone = [
            (dead, "NVRM: GPU at PCI:0000:52:00: " + job.uuid(2, 2)),
            (
                dead + 0.0004,
                "NVRM: Xid (PCI:0000:52:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            ),
            (dead + 0.0006, "NVRM: GPU 0000:52:00.0: GPU has fallen off the bus."),
            (
                dead + 1,
                "NVRM: Xid (PCI:0000:52:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
            ),
        ]
        job.kernel(node, [*job.boot(), *(gone if node == 2 else [])], "iso")


def t03_frozen(out: Path, rng: Random) -> None:
    """Rank 13 stops and holds its memory; the others wait in a collective until the time limit."""
    job = Job(out, rng, 40417, ("nid004120", "nid004121"), 8, 1_772_200_000, 14400, "vlm-sft", zone=-5)
    stop = 6120.0
    for rank in range(16):
        last = int((stop - 70) / 1.8) - (1 if rank == 13 else 0)
        job.write(
            f"logs/rank{rank:02d}.log",
            [
                f"{job.local(70 + step * 1.8)} r{rank} step {step} loss {_loss(step, rng, 2.4, 0.9):.4f}"
                for step in range(last + 1)
            ],
        )
    end = [f"slurmstepd: error: *** STEP {job.id}.0 ON nid004120 CANCELLED AT {job.local(14400)} DUE TO TIME LIMIT ***"]
    job.write(
        f"slurm-{job.id}.out",
        [
            "Loading modules cuda/12.4",
            "torch 2.5.1+cu124 world 16",
            *end,
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ],
    )

    def state(node: int, gpu: int, at: float) -> Reading:
        if at < 60:
            return mode("held")
        if at < stop:
            return mode("train")
        return mode("held", **{USED: 69400}) if (node, gpu) == (1, 5) else mode("spin")

    job.metrics(state, 30, model="NVIDIA H200")
    job.sacct("TIMEOUT", "0:0", (("batch", "CANCELLED", "0:15"), ("0", "CANCELLED", "0:15")), limit="04:00:00")
    job.kernel(0, job.boot(), "journal")
    job.kernel(1, job.boot(), "journal")


def t04_long_batch(out: Path, rng: Random) -> None:
    """A batch of long sequences at step 730 wants more memory than one GPU has left."""
    job = Job(out, rng, 5512, ("dgx-07", "dgx-08"), 8, 1_769_900_400, 1490, "longctx")
    text = [
        f"INFO:train:step {step} loss {_loss(step, rng, 3.1, 1.6, 300):.4f} seqlen {rng.choice((4096, 8192, 16384))}"
        for step in range(0, 730, 2)
    ]
    size = "GPU 3 has a total capacity of 79.11 GiB of which 2.94 GiB is free. Including non-PyTorch memory, this process has 76.16 GiB memory in use."
    text += [
        "[rank11]: Traceback (most recent call last):",
        '[rank11]:   File "/opt/longctx/train.py", line 190, in <module>',
        "[rank11]:     out = model(batch.ids, labels=batch.labels)",
        '[rank11]:   File "/opt/longctx/model.py", line 512, in forward',
        "[rank11]:     logits = self.head(h).float()",
        f"[rank11]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB. {size} Of the allocated memory 71.02 GiB is allocated by PyTorch, and 3.51 GiB is reserved by PyTorch but unallocated.",
        "srun: error: dgx-08: task 11: Exited with exit code 1",
        f"srun: Terminating StepId={job.id}.0",
        "srun: error: dgx-07: tasks 0-7: Terminated",
        "srun: error: dgx-08: tasks 8-10,12-15: Terminated",
    ]
    job.write(f"slurm-{job.id}.out", text)
    job.metrics(
        lambda _node, _gpu, at: mode("held") if at < 35 else mode("train", **{USED: rng.choice((61000, 68000, 77900))}),
        15,
        tail=120,
    )
    job.sacct("FAILED", "1:0", (("batch", "FAILED", "1:0"), ("0", "FAILED", "1:0")))
    job.kernel(0, job.boot())
    job.kernel(1, job.boot())


def t05_slow_cpus(out: Path, rng: Random) -> None:
    """A host whose processors run at half their clock: its ranks are late in each step, all others wait for them."""
    job = Job(out, rng, 310077, ("c1n1", "c1n2", "c1n3"), 4, 1_771_000_000, 6000, "speech")
    for rank in range(12):
        late = rank // 4 == 1
        text, at = [f"rank {rank} on {job.nodes[rank // 4]} steps=1600"], 60.0
        for step in range(1600):
            own = rng.gauss(3.42, 0.05) if late else rng.gauss(1.61, 0.03)
            at += 3.66
            if step % 8 == 0:
                text.append(
                    f"{job.local(at)} step {step} loss {_loss(step, rng, 6.2, 1.1, 400):.4f} compute {own:.2f}s allreduce_wait {3.62 - own + rng.gauss(0, 0.02):.2f}s data 0.01s"
                )
        job.write(f"rank{rank}.log", [*text, f"{job.local(at)} finished 1600 steps"])

    def state(node: int, _gpu: int, at: float) -> Reading:
        if at < 55 or at > 5925:
            return mode("held")
        if node == 1:
            return mode(
                "train",
                **{
                    POWER: 260,
                    UTIL: 96,
                    "GR_ENGINE_ACTIVE": 0.9,
                    "SM_ACTIVE": 0.42,
                    "PIPE_TENSOR_ACTIVE": 0.17,
                    "DRAM_ACTIVE": 0.2,
                },
            )
        return mode(
            "train",
            **{
                POWER: 285,
                UTIL: 100,
                "GR_ENGINE_ACTIVE": 0.99,
                "SM_ACTIVE": 0.33,
                "PIPE_TENSOR_ACTIVE": 0.17,
                "DRAM_ACTIVE": 0.19,
            },
        )

    job.metrics(state, 15, split="metric")
    job.sacct("COMPLETED", "0:0", (("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")))
    heat = "CPU{0}: Package temperature above threshold, cpu clock throttled (total events = {1})"
    for node in range(3):
        job.kernel(
            node,
            [
                *job.boot(),
                *([(30.0 + k * 400, heat.format(k % 4 * 16, 811 + 97 * k)) for k in range(14)] if node == 1 else []),
            ],
        )


def t06_eval_pauses(out: Path, rng: Random) -> None:
    """Nothing is wrong: a soft power cap, a pause of 50 seconds for each evaluation, an old page retired long ago."""
    job = Job(out, rng, 99120, ("p0401", "p0402", "p0403", "p0404"), 4, 1_767_700_000, 9000, "seg-swin", zone=2)
    text, at = [f"{job.local(50, '%H:%M:%S')} 16 ranks, 30 epochs"], 60.0
    pauses = []
    for epoch in range(30):
        for batch in range(0, 240, 40):
            at += 40
            text.append(
                f"{job.local(at, '%H:%M:%S')} epoch {epoch + 1}/30 batch {batch + 40}/240 loss {_loss(epoch * 240 + batch, rng, 1.9, 0.31, 1500):.4f}"
            )
        pauses.append((at, at + 50))
        at += 50
        text.append(
            f"{job.local(at, '%H:%M:%S')} epoch {epoch + 1}/30 val mIoU {0.78 - 0.5 * math.exp(-epoch / 6) + rng.gauss(0, 0.004):.4f}"
        )
    text.append(f"{job.local(at, '%H:%M:%S')} training finished, best mIoU 0.7812, weights in /work/seg/best.pt")
    job.write(f"slurm-{job.id}.out", text)

    def state(_node: int, gpu: int, at_: float) -> Reading:
        old: Reading = {
            "CLOCK_THROTTLE_REASONS": 0,
            "ROW_REMAP_FAILURE": 0,
            "CORRECTABLE_REMAPPED_ROWS": 1 if gpu == 2 else 0,
        }
        if at_ < 55 or at_ > at:
            return mode("held") | old
        if any(a <= at_ < b for a, b in pauses):
            return (
                mode(
                    "train",
                    **{UTIL: 35, POWER: 210, "GR_ENGINE_ACTIVE": 0.3, "SM_ACTIVE": 0.2, "PIPE_TENSOR_ACTIVE": 0.05},
                )
                | old
            )
        return mode("train", **{CLOCK: 1740, POWER: 696}) | old | {"CLOCK_THROTTLE_REASONS": 4}

    job.metrics(state, 15, host="Hostname")
    job.sacct("COMPLETED", "0:0", (("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")))
    for node in range(4):
        job.kernel(node, job.boot())

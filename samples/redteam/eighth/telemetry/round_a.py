"""Round A of the telemetry: six jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .site import BUSES, Job, Reading, clock

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

A100 = ("NVIDIA A100-SXM4-80GB", 81920.0, 1410.0)


def loss_at(step: int, rng: Random, start: float = 10.8, floor: float = 2.6, scale: float = 220.0) -> float:
    """A loss that falls as it should."""
    return (floor + (start - floor) / (1 + step / scale)) * rng.lognormvariate(0, 0.01)


def t01(out: Path, rng: Random) -> None:
    """A power supply's brake on one node of two: its clocks go down, and the steps with them."""
    job = Job(out, rng, 550121, ("hgx-b07", "hgx-b08"), 8, 1781503200, 6900, "llama-pt")
    braked = job.begin + 2100

    def at(node: str, _gpu: int, now: float) -> Reading:
        if now < braked:
            return job.busy()
        if node == "hgx-b07":
            return job.busy(0.25, 1.0)
        slow = {"DEV_SM_CLOCK": 690 + 15 * rng.randrange(4), "DEV_CLOCK_THROTTLE_REASONS": 136}
        return job.busy(0.66) | slow | {"DEV_POWER_USAGE": rng.gauss(255, 6), "DEV_GPU_TEMP": 47}

    job.gauges(at)
    text, now, step = [f"[{clock(job.begin + 20)}] init done, world_size=16"], job.begin + 90.0, 0
    while now < job.end - 60:
        step += 1
        now += (1.87 if now < braked else 4.71) * rng.lognormvariate(0, 0.01)
        if step % 20 == 0:
            took = 1.87 if now < braked else 4.71
            text.append(f"[{clock(now)}] step={step} loss={loss_at(step, rng):.4f} lr=3.0e-04 step_time={took}s")
    job.text(
        "llama-pt-550121.out",
        [*text, f"[{clock(job.end - 20)}] reached max_steps={step}, final checkpoint written, bye"],
    )
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))
    job.quiet()


def t02(out: Path, rng: Random) -> None:
    """A double-bit error in the memory of one A100: its rank ends, and the job with it."""
    job = Job(out, rng, 91377, ("n211", "n212", "n213", "n214"), 4, 1780215300, 5210, "esm-ft", card=A100)
    hit = job.end - 40

    job.scars["n213", 1] = (
        hit,
        {"DEV_ECC_DBE_VOL_TOTAL": 1, "DEV_XID_ERRORS": 94, "DEV_UNCORRECTABLE_REMAPPED_ROWS": 1},
    )
    job.gauges(lambda _node, _gpu, _now: job.busy(0.7))
    where = f"NVRM: Xid (PCI:0000:{BUSES[1]}:00):"
    who = "pid=38113, name=python3.11"
    job.kernel(
        "n213",
        [
            (hit, f"{where} 63, Row Remapper: New row (0x000f31a2) marked for remapping, reset gpu to activate."),
            (hit, f"{where} 94, {who}, Contained: SM (0x1). RST: No, D-RST: No"),
            (hit + 1, f"{where} 45, {who}, Ch 00000008"),
        ],
    )
    job.quiet("n213")
    for rank in range(16):
        text = [
            f"{clock(now)} rank {rank} it {step} loss {loss_at(step, rng, 2.9, 2.1):.4f}"
            for step, now in job.steps(2.2, hit)
            if step % 25 == 0
        ]
        if rank == 9:
            text += [
                "Traceback (most recent call last):",
                '  File "/opt/esm/finetune.py", line 288, in <module>',
                "    main(parse())",
                '  File "/opt/esm/finetune.py", line 241, in main',
                "    total += loss.item()",
                "             ^^^^^^^^^^^",
                "RuntimeError: CUDA error: uncorrectable ECC error encountered",
                "CUDA kernel errors might be asynchronously reported at some other API call, "
                "so the stacktrace below might be incorrect.",
            ]
        job.text(f"logs/rank{rank:02d}.err", text)
    job.text(
        "slurm-91377.out",
        [
            "srun: error: n213: task 9: Exited with exit code 1",
            "srun: Terminating StepId=91377.0",
            f"slurmstepd: error: *** STEP 91377.0 ON n211 CANCELLED AT {clock(hit + 12)} ***",
            "srun: error: n211: tasks 0-3: Terminated",
            "srun: error: n212: tasks 4-7: Terminated",
            "srun: error: n213: tasks 8,10-11: Terminated",
            "srun: error: n214: tasks 12-15: Terminated",
        ],
    )
    job.accounting("FAILED", "1:0", ("FAILED", "1:0"))


def t03(out: Path, rng: Random) -> None:
    """One rank of sixteen stops within an hour, its peers wait in a collective until the limit of the job."""
    job = Job(out, rng, 1204418, ("cx-gpu05", "cx-gpu06"), 8, 1781960400, 10800, "moe-abl", limit=10800, every=15)
    froze = job.begin + 3333

    def at(node: str, gpu: int, now: float) -> Reading:
        if now < froze:
            return job.busy(0.5)
        return job.loading() if (node, gpu) == ("cx-gpu06", 5) else job.spinning()

    job.gauges(at)
    for rank in range(16):
        text = [f"rank {rank}/16 up on {job.nodes[rank // 8]}"]
        text += [
            f"{clock(now)} r{rank} step {step} loss {loss_at(step, rng):.3f}"
            for step, now in job.steps(1.4, froze)
            if step % 50 == 0
        ]
        job.text(f"out/rank_{rank}.log", text)
    job.text(
        "moe-abl.1204418.out",
        [
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            f"slurmstepd: error: *** JOB 1204418 ON cx-gpu05 CANCELLED AT {clock(job.end)} DUE TO TIME LIMIT ***",
            f"slurmstepd: error: *** STEP 1204418.0 ON cx-gpu05 CANCELLED AT {clock(job.end)} DUE TO TIME LIMIT ***",
        ],
    )
    job.accounting("TIMEOUT", "0:0", ("CANCELLED", "0:15"))
    job.quiet()


def t04(out: Path, rng: Random) -> None:
    """The host memory of the job's cgroup is full: the kernel kills one rank."""
    job = Job(out, rng, 660027, ("dgx14",), 8, 1779871500, 4475, "clip-wds")
    killed = job.end - 25
    job.gauges(lambda _node, _gpu, _now: job.busy(0.48))
    group = "/system.slice/slurmstepd.scope/job_660027/step_0/user/task_3"
    job.kernel(
        "dgx14",
        [
            (killed, "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
            (killed, "memory: usage 503316480kB, limit 503316480kB, failcnt 91172"),
            (
                killed,
                "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,"
                f"oom_memcg=/system.slice/slurmstepd.scope/job_660027,task_memcg={group},task=python,pid=20914,uid=2017",
            ),
            (
                killed,
                "Memory cgroup out of memory: Killed process 20914 (python) total-vm:148211904kB, anon-rss:60113920kB, "
                "file-rss:311040kB, shmem-rss:9420800kB, UID:2017 pgtables:139264kB oom_score_adj:0",
            ),
        ],
    )
    text = [
        f"{clock(now)} train | step {step} | loss {loss_at(step, rng, 7.6, 1.9):.3f} | 3020 img/s"
        for step, now in job.steps(1.1, killed)
        if step % 40 == 0
    ]
    text += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=660027.0. Some of the step tasks have been OOM Killed.",
        "srun: error: dgx14: task 3: Out Of Memory",
        "srun: Terminating StepId=660027.0",
    ]
    job.text("clip-wds-660027.log", text)
    job.accounting("OUT_OF_MEMORY", "0:125", ("OUT_OF_MEMORY", "0:125"))


def t05(out: Path, rng: Random) -> None:
    """One GPU of twenty-four runs at a locked low clock, and all the others wait for it, from the first step on."""
    job = Job(out, rng, 48150, ("sxm01", "sxm02", "sxm03"), 8, 1780700000, 6300, "seq2seq-xl")

    def at(node: str, gpu: int, _now: float) -> Reading:
        if (node, gpu) == ("sxm02", 3):
            locked = {"DEV_SM_CLOCK": 705, "DEV_CLOCK_THROTTLE_REASONS": 2}
            return job.busy(0.74) | locked | {"DEV_POWER_USAGE": rng.gauss(290, 5)}
        return job.busy(0.24, 1.0)

    job.gauges(at)
    text = [
        f"{clock(now)} step {step:>5}/2150 loss {loss_at(step, rng):.4f} {rng.gauss(2.88, 0.02):.2f} s/step "
        f"(compute: min {rng.gauss(0.90, 0.01):.2f} median 0.93 max {rng.gauss(2.80, 0.02):.2f} on rank 11)"
        for step, now in job.steps(2.88, job.end - 30)
        if step % 10 == 0
    ]
    job.text("seq2seq-xl.log", [*text, f"{clock(job.end - 8)} done, model saved"])
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))
    job.quiet()


def t06(out: Path, rng: Random) -> None:
    """All is well: one card bears a row that was remapped long ago, and every tenth minute is an evaluation."""
    nodes = ("amp-0-11", "amp-0-12", "amp-0-13", "amp-0-14")
    job = Job(out, rng, 300982, nodes, 4, 1781111100, 5400, "t5-base", card=A100)

    job.scars["amp-0-12", 2] = (0, {"DEV_CORRECTABLE_REMAPPED_ROWS": 1})
    job.gauges(lambda _node, _gpu, now: job.busy(0.22, 0.7) if (now - job.begin) % 600 < 45 else job.busy(0.66))
    text = []
    for step, now in job.steps(1.3, job.end - 70):
        if step % 50 == 0:
            loss, norm = loss_at(step, rng, 9.7, 1.9), rng.uniform(0.3, 0.8)
            text.append(f"{clock(now)} INFO step {step} train_loss {loss:.4f} grad_norm {norm:.2f}")
        if step % 460 == 0:
            text.append(f"{clock(now)} INFO eval at {step}: loss {loss_at(step, rng, 9.7, 1.95):.4f}")
    job.text("t5-base-300982.out", [*text, f"{clock(job.end - 30)} INFO Training finished. Saved to /work/t5/final"])
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))
    job.quiet()

"""Round B of the telemetry: twelve jobs that end, or crawl, for other reasons than those of the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .round_a import A100, loss_at
from .site import BUSES, Job, Reading, clock

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

H200 = ("NVIDIA H200", 143771.0, 1980.0)


def t07(out: Path, rng: Random) -> None:
    """A node of eight goes away: no metric of it any more, and Slurm ends the job for it."""
    job = Job(out, rng, 2291040, tuple(f"gn-{n}" for n in range(31, 39)), 4, 1782200000, 6020, "vlm-stage2", card=A100)
    lost = job.end - 310

    def at(node: str, _gpu: int, now: float) -> Reading | None:
        if now < lost:
            return job.busy(0.6)
        return None if node == "gn-34" else job.spinning()

    job.gauges(at)
    text = [
        f"{clock(now)} step {n}: loss={loss_at(n, rng):.4f}, 3.1 s" for n, now in job.steps(3.1, lost) if n % 20 == 0
    ]
    text += [
        "srun: error: Node failure on gn-34",
        f"slurmstepd: error: *** STEP 2291040.0 ON gn-31 CANCELLED AT {clock(job.end)} DUE TO NODE FAILURE, SEE "
        "SLURMCTLD LOG FOR DETAILS ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    job.text("vlm-stage2.o2291040", text)
    job.accounting("NODE_FAIL", "0:0", ("CANCELLED", "0:15"))
    job.text(
        "sinfo-R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {clock(job.end - 2)} gn-34",
        ],
    )
    job.quiet("gn-34")


def t08(out: Path, rng: Random) -> None:
    """Eight GPUs wait for their loaders four fifths of the time, from the first epoch to the last."""
    job = Job(out, rng, 7714, ("vision03",), 8, 1779500000, 7500, "video-r2d", every=15, memory=38800.0)
    job.gauges(lambda _node, _gpu, _now: job.busy(0.5, 0.7, 0.1) if rng.random() < 0.2 else job.loading())
    text = [
        f"{clock(now)} Epoch [{n // 400}][{n % 400}/400] time {rng.gauss(4.6, 0.4):.3f} data {rng.gauss(3.7, 0.4):.3f} "
        f"loss {loss_at(n, rng, 6.0, 1.4):.4f}"
        for n, now in job.steps(4.6, job.end - 40)
        if n % 10 == 0 and n < 1600
    ]
    job.text("video-r2d.log", [*text, f"{clock(job.end - 9)} Training complete, best top-1 61.3"])
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))
    job.quiet()


def t09(out: Path, rng: Random) -> None:
    """A checkpoint every third step, of half a minute each: the job saves more than it trains."""
    job = Job(out, rng, 99013, ("ai-gpu41", "ai-gpu42"), 8, 1781700000, 7900, "sft-70b", memory=76200.0)
    text, now, step = [f"{clock(job.begin + 30)} INFO trainer ready, save_interval=3"], job.begin + 80.0, 0
    saves: list[tuple[float, float]] = []
    while now < job.end - 90:
        step += 1
        now += rng.gauss(2.9, 0.05)
        text.append(f"{clock(now)} INFO step {step} loss {loss_at(step, rng, 2.2, 1.1, 90):.4f} step_time 2.9")
        if step % 3 == 0:
            took = rng.gauss(31, 2)
            saves.append((now, now + took))
            now += took
            text.append(f"{clock(now)} INFO saved checkpoint /gpfs/sft/step-{step:06d} (131.4 GiB) in {took:.1f} s")
    job.gauges(lambda _node, _gpu, at: job.loading() if any(a <= at < b for a, b in saves) else job.busy(0.6))
    job.text("sft-70b-99013.out", [*text, f"{clock(now + 20)} INFO all {step} steps done"])
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))
    job.quiet()


def t10(out: Path, rng: Random) -> None:
    """NCCL found no InfiniBand and went over Ethernet: eight nodes at twenty seconds a step, all GPUs alike."""
    nodes = tuple(f"r7-s{n}" for n in range(10, 18))
    job = Job(out, rng, 418860, nodes, 4, 1780400000, 6600, "bert-lamb", card=A100)
    job.gauges(lambda _node, _gpu, _now: job.busy(0.08, 1.0, 0.01))
    text = []
    for k, node in enumerate(nodes):
        head = f"{node}:{7000 + k}:{7100 + k} [0] NCCL INFO"
        text += [f"{head} NET/IB : No device found.", f"{head} NET/Socket : Using [0]eno1:10.7.0.{10 + k}<0>"]
        text += [
            f"{head} Using network Socket",
            f"{head} Channel 00/0 : {4 * k}[0] -> {(4 * k + 4) % 32}[0] [send] via NET/Socket/0",
        ]
    text += [
        f"{clock(now)} | {n}/300 | loss {loss_at(n, rng, 10.9, 3.3, 60):.4f} | {rng.gauss(20.9, 0.2):.1f} s/it "
        f"(allreduce {rng.gauss(18.7, 0.2):.1f} s)"
        for n, now in job.steps(20.9, job.end - 90)
        if n <= 300
    ]
    job.text("bert-lamb.log", [*text, f"{clock(job.end - 30)} | stopping at the planned end, model in /proj/bert/out"])
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))
    job.quiet()


def t11(out: Path, rng: Random) -> None:
    """A link between two GPUs of a node fails: errors count up, XID 74 on both its ends, and the job dies of it."""
    job = Job(out, rng, 73218, ("pod2-n05", "pod2-n06"), 8, 1780650000, 4300, "dit-xl")
    hit = job.end - 30

    def at(node: str, gpu: int, now: float) -> Reading:
        worn = node == "pod2-n06" and gpu in (2, 7)
        return job.busy(0.68) | {"DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": max(0.0, (now - hit + 900) // 3) * worn}

    for gpu in (2, 7):
        job.scars["pod2-n06", gpu] = (hit, {"DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": 300, "DEV_XID_ERRORS": 74})
    job.gauges(at)
    words = "pid=90417, name=python, NVLink: fatal error detected on link 11(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"
    job.kernel(
        "pod2-n06", [(hit + k, f"NVRM: Xid (PCI:0000:{BUSES[gpu]}:00): 74, {words}") for k, gpu in enumerate((2, 7))]
    )
    job.quiet("pod2-n06")
    text = [
        f"{clock(now)} (step={n:07d}) Train Loss: {loss_at(n, rng, 1.0, 0.15):.4f}, Steps/Sec: 0.83"
        for n, now in job.steps(1.2, hit)
        if n % 100 == 0
    ]
    text += [
        "[rank10]: Traceback (most recent call last):",
        '[rank10]:   File "/home/dit/train.py", line 201, in main',
        "[rank10]:     running_loss += loss.item()",
        "[rank10]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution",
        "srun: error: pod2-n06: task 10: Exited with exit code 1",
        "srun: Terminating StepId=73218.0",
        "srun: error: pod2-n06: tasks 8-9,11-15: Terminated",
        "srun: error: pod2-n05: tasks 0-7: Terminated",
    ]
    job.text("dit-xl-73218.txt", text)
    job.accounting("FAILED", "1:0", ("FAILED", "1:0"))


def t12(out: Path, rng: Random) -> None:
    """A long batch after an hour: one rank of four asks for more than its card has left."""
    job = Job(out, rng, 15566, ("lab-dgx02",), 4, 1781250000, 3960, "longctx", memory=74800.0, card=A100)
    job.gauges(lambda _node, _gpu, _now: job.busy(0.71))
    text = [
        f"{clock(now)} [{n}/9000] nll {loss_at(n, rng, 3.4, 1.9):.3f} tokens {rng.randrange(9000, 32000)}"
        for n, now in job.steps(3.3, job.end - 20)
        if n % 5 == 0
    ]
    text += [
        "[rank2]: Traceback (most recent call last):",
        '[rank2]:   File "/workspace/longctx/train.py", line 144, in <module>',
        "[rank2]:     loss = model(batch).loss",
        '[rank2]:   File "/workspace/longctx/model.py", line 310, in forward',
        "[rank2]:     scores = torch.softmax(q @ k.transpose(-1, -2) * self.scale, dim=-1)",
        "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.62 GiB. GPU 2 has a total "
        "capacity of 79.25 GiB of "
        "which 5.11 GiB is free. Including non-PyTorch memory, this process has 74.13 GiB memory in use. Of the "
        "allocated memory "
        "70.40 GiB is allocated by PyTorch, and 2.21 GiB is reserved by PyTorch but unallocated.",
        "srun: error: lab-dgx02: task 2: Exited with exit code 1",
    ]
    job.text("longctx-15566.log", text)
    job.accounting("FAILED", "1:0", ("FAILED", "1:0"))
    job.quiet()


def t13(out: Path, rng: Random) -> None:
    """A job of higher priority takes the nodes; this one is put back, gets them again and comes to its end."""
    nodes = ("spot-11", "spot-12", "spot-13", "spot-14")
    first = Job(out, rng, 660904, nodes, 8, 1779000000, 4200, "reward-model")
    job = Job(out, rng, 660904, nodes, 8, first.end + 2400, 3600, "reward-model")
    first.gauges(lambda _node, _gpu, _now: first.busy(0.55), "dcgm-1.json")
    job.gauges(lambda _node, _gpu, _now: job.busy(0.55), "dcgm-2.json")
    text = [
        f"{clock(now)} step {n} loss {loss_at(n, rng, 0.69, 0.21):.4f}" for n, now in first.steps(1.6) if n % 50 == 0
    ]
    text += [
        f"slurmstepd: error: *** JOB 660904 ON spot-11 CANCELLED AT {clock(first.end)} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** STEP 660904.0 ON spot-11 CANCELLED AT {clock(first.end)} DUE TO PREEMPTION ***",
        f"{clock(job.begin + 60)} resuming from step 2500 of /ckpt/rm",
    ]
    text += [
        f"{clock(now)} step {n} loss {loss_at(n, rng, 0.69, 0.21):.4f}"
        for n, now in job.steps(1.6, job.end - 60, 2501)
        if n % 50 == 0
    ]
    job.text("reward-model.660904.out", [*text, f"{clock(job.end - 20)} training done"])
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"), ((first.begin, first.end, "PREEMPTED", "0:0"),))
    job.quiet()


def t14(out: Path, rng: Random) -> None:
    """Two hours were asked for and the run would have needed eight: it trains to the last second."""
    job = Job(out, rng, 8813, ("k2-03", "k2-04"), 4, 1782000000, 7200, "wav2vec", limit=7200, card=A100)
    job.gauges(lambda _node, _gpu, _now: job.busy(0.57))
    text = [
        f"{clock(now)} - update {n}/20000 - loss {loss_at(n, rng, 6.7, 2.0):.3f} - 1.4 s"
        for n, now in job.steps(1.42)
        if n % 25 == 0
    ]
    text.append(f"slurmstepd: error: *** JOB 8813 ON k2-03 CANCELLED AT {clock(job.end)} DUE TO TIME LIMIT ***")
    job.text("wav2vec-8813.out", text)
    job.accounting("TIMEOUT", "0:0", ("CANCELLED", "0:15"))
    job.quiet()


def t15(out: Path, rng: Random) -> None:
    """After fifty minutes a record lacks its caption: one rank's collate function raises, and takes the job along."""
    job = Job(out, rng, 120771, ("h-021", "h-022"), 8, 1780820000, 3120, "blip-ft")
    failed = job.end - 22
    job.gauges(lambda _node, _gpu, _now: job.busy(0.59))
    for rank in range(16):
        text = [
            f"{clock(now)} INFO rank={rank} it={n} loss={loss_at(n, rng, 5.1, 1.7):.4f}"
            for n, now in job.steps(0.9, failed)
            if n % 100 == 0
        ]
        if rank == 6:
            text += [
                "Traceback (most recent call last):",
                '  File "/home/jy/blip/train.py", line 97, in <module>',
                "    for batch in loader:",
                '  File "/home/jy/blip/data.py", line 58, in collate',
                '    captions = [row["caption"] for row in rows]',
                "                ~~~^^^^^^^^^^^",
                "KeyError: 'caption'",
            ]
        job.text(f"log/{rank:02d}.txt", text)
    job.text(
        "blip-ft.err",
        [
            "srun: error: h-021: task 6: Exited with exit code 1",
            "srun: Terminating StepId=120771.0",
            "srun: error: h-022: tasks 8-15: Terminated",
        ],
    )
    job.accounting("FAILED", "1:0", ("FAILED", "1:0"))
    job.quiet()


def t16(out: Path, rng: Random) -> None:
    """All was well, and then its owner cancelled it."""
    job = Job(out, rng, 53102, ("m-gpu07", "m-gpu08"), 8, 1781040000, 5000, "ablate-rope")
    job.gauges(lambda _node, _gpu, _now: job.busy(0.63))
    text = [
        f"{clock(now)} it {n:6d}/40000 loss {loss_at(n, rng):.4f} 0.97 s/it"
        for n, now in job.steps(0.97)
        if n % 50 == 0
    ]
    text += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 53102.0 ON m-gpu07 CANCELLED AT {clock(job.end)} ***",
        f"slurmstepd: error: *** JOB 53102 ON m-gpu07 CANCELLED AT {clock(job.end)} ***",
    ]
    job.text("ablate-rope-53102.out", text)
    job.accounting("CANCELLED by 2044", "0:0", ("CANCELLED", "0:15"))
    job.quiet()


def t17(out: Path, rng: Random) -> None:
    """The processors of one host of four grow hot and slow; its eight ranks come late to every step from then on."""
    job = Job(out, rng, 887120, ("cl-n61", "cl-n62", "cl-n63", "cl-n64"), 8, 1782300000, 7000, "gnn-large")
    hot = job.begin + 2000

    def at(node: str, _gpu: int, now: float) -> Reading:
        if now < hot:
            return job.busy(0.52)
        return job.busy(0.31, 0.62) if node == "cl-n63" else job.busy(0.2, 1.0)

    job.gauges(at)
    job.kernel(
        "cl-n63",
        [
            (
                hot + 400 * k,
                f"CPU{7 * k}: Core temperature above threshold, cpu clock throttled (total events = {9111 * k + 1})",
            )
            for k in range(12)
        ],
    )
    job.quiet("cl-n63")
    texts: dict[int, list[str]] = {rank: [] for rank in range(0, 32, 4)}
    now, step = job.begin + 80.0, 0
    while now < job.end - 60:
        step += 1
        late = now >= hot
        now += 2.2 if late else 1.05
        for rank, text in texts.items():
            slow = late and rank // 8 == 2
            work = rng.gauss(2.05, 0.03) if slow else rng.gauss(0.88, 0.02)
            if step % 20 == 0:
                total = 2.2 if late else 1.05
                text.append(
                    f"{clock(now)} [r{rank:02d} {job.nodes[rank // 8]}] step {step} loss "
                    f"{loss_at(step, rng, 4.0, 0.8):.4f} "
                    f"fwd+bwd {work:.2f}s sync {max(0.05, total - work):.2f}s total {total:.2f}s"
                )
    for rank, text in texts.items():
        job.text(f"ranks/{rank:02d}.log", [*text, f"{clock(job.end - 15)} [r{rank:02d}] finished {step} steps"])
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))


def t18(out: Path, rng: Random) -> None:
    """All is well: the cards touch their power cap as they do at full load, a link of the fabric blinked once."""
    job = Job(out, rng, 31337, ("hx-01", "hx-02"), 8, 1782400000, 6400, "olmo-1b", memory=118000.0, card=H200)

    def at(_node: str, _gpu: int, _now: float) -> Reading:
        capped = {"DEV_CLOCK_THROTTLE_REASONS": 4, "DEV_SM_CLOCK": 1830, "DEV_POWER_USAGE": rng.gauss(698, 2)}
        return job.busy(0.78) | (capped if rng.random() < 0.25 else {})

    job.gauges(at)
    blink = job.begin + 3100
    job.kernel(
        "hx-02",
        [
            (blink, "mlx5_core 0000:9a:00.0: Port: 1 Link DOWN"),
            (blink + 3, "mlx5_core 0000:9a:00.0: Port: 1 Link ACTIVE"),
        ],
    )
    job.quiet("hx-02")
    text = [
        f"{clock(now)} [step={n}/5500] train/CrossEntropyLoss={loss_at(n, rng):.3f} "
        f"throughput/device/tokens_per_second={rng.gauss(41200, 200):,.0f}"
        for n, now in job.steps(1.13, job.end - 40)
        if n % 25 == 0 and n <= 5500
    ]
    job.text(
        "olmo-1b-31337.log",
        [
            *text,
            f"{clock(job.end - 12)} Checkpoint saved to /w/olmo/latest",
            f"{clock(job.end - 10)} Training complete",
        ],
    )
    job.accounting("COMPLETED", "0:0", ("COMPLETED", "0:0"))

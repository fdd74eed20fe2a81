"""The first half of the SIMULATED incidents: what the lots say, case by case."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

from samples.redteam.sixteenth import shell
from samples.redteam.sixteenth.curves.learn import Noise, bar, cosine, falls, hms, stages
from samples.redteam.sixteenth.curves.leave import put
from samples.redteam.sixteenth.lot_data import incidents

from .lab import Phase
from .site import start

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

_LOTS: Final = {lot.case: lot for lot in incidents()}


def ticks(
    rng: Random, begin_s: float, end_s: float, pace_s: float, jitter: float = 0.03
) -> Iterator[tuple[int, float, float]]:
    """Steps between these seconds: their number, when they ended, and what they took."""
    at, step = begin_s, 0
    while True:
        took = max(0.3 * pace_s, rng.gauss(pace_s, jitter * pace_s))
        if at + took > end_s:
            return
        at, step = at + took, step + 1
        yield step, at, took


def t01_d2(place: Path, rng: Random) -> None:
    """D2: eight cards speak to each other through the host's memory."""
    lot = _LOTS["t01"]
    job = shell.Job(118, "distil", "mira", ("b200-3",), 8, "gpu", "04:00:00", "/home/mira/distil", lot.card, 183359)
    site = start(rng, lot, job, "2026-11-04T09:00")
    end = site.length_s
    plan = [
        Phase(0, "off"),
        Phase(140, "loads", memory=0.31),
        Phase(end - 22, "exchanges", scale=0.0),
        Phase(9e9, "off"),
    ]
    site.run(lambda _rank: plan, hot=5)
    site.metrics(place)
    site.dmesg(place)
    noise, good = Noise(rng, 0.012, 0.2), falls(9.8, 2.6, 110)
    out = ["Num_params: 0.146 billion", "b200-3:4011:4188 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1"]
    out += [
        f"b200-3:4011:4188 [{gpu}] NCCL INFO Channel 00 : {gpu}[{gpu}] -> {(gpu + 1) % 8}[{(gpu + 1) % 8}] via SHM/direct/direct"
        for gpu in range(8)
    ]
    for step, at, took in ticks(rng, 150, end - 30, 6.31, 0.015):
        if step % 4 == 0:
            out.append(
                f"completed step: {step}, seconds: {took:.3f}, TFLOP/s/device: {61.2 / took:.3f}, Tokens/s/device: {32768 / took:.3f}, total_weights: 262144, loss: {good(step) * noise():.3f}"
            )
        del at
    out += shell.time_v("python3 -m MaxText.train distil.yml", end - 6, 0)
    put(place, "distil.log", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "COMPLETED", "0:0", site.begin, site.at(end))])


def t02_a1(place: Path, rng: Random) -> None:
    """A1: one picture of one rank has another shape."""
    lot = _LOTS["t02"]
    job = shell.Job(
        30112,
        "herbar",
        "celia",
        ("a10-01", "a10-02", "a10-05", "a10-07"),
        8,
        "gpu",
        "1-00:00:00",
        "/home/celia",
        lot.card,
        23028,
    )
    site = start(rng, lot, job, "2026-11-06T02:00")
    died = site.length_s - 340
    site.run(
        lambda rank: [
            Phase(0, "off"),
            Phase(75, "loads", memory=0.71),
            Phase(died + (0 if rank == 19 else 9), "trains"),
            Phase(9e9, "off"),
        ]
    )
    site.metrics(place)
    site.dmesg(place)
    out = [
        *shell.smi(job, site.begin, rng),
        "Composer 0.31.0: ResNet-101 on herbar-21k, 32 ranks, bf16, max_duration 30ep",
    ]
    noise, good, each = Noise(rng, 0.05, 0.3), falls(9.9, 1.9, 2400, 0.8), 2210
    for step, at, _took in ticks(rng, 90, died, 0.442):
        epoch, within = divmod(step, each)
        if step % 85 == 0:
            out.append(
                f"train          Epoch {epoch:3d}: {within * 100 // each:4d}%|{bar(within / each, 25)}| {within}/{each} [{hms(within * 0.442)}<{hms((each - within) * 0.442)},  2.2{rng.randint(0, 9)}ba/s, loss/train/total={good(step) * noise():.4f}]"
            )
        if within == each - 1 and epoch % 2:
            out.append(
                f"eval           Epoch {epoch:3d}:  100%|{bar(1, 25)}| 196/196 [00:41<00:00,  4.71ba/s, metrics/eval/MulticlassAccuracy={0.74 * (1 - math.exp(-step / 9000)):.4f}]"
            )
        del at
    out += [
        "[rank19]: Traceback (most recent call last):",
        '[rank19]:   File "/home/celia/herbar/train.py", line 118, in <module>',
        "[rank19]:     trainer.fit()",
        '[rank19]:   File "/opt/venv/lib/python3.11/site-packages/composer/trainer/trainer.py", line 2391, in _train_loop',
        "[rank19]:     for batch_idx, self.state.batch in enumerate(self._iter_dataloader(TrainerMode.TRAIN)):",
        "[rank19]: RuntimeError: Caught RuntimeError in DataLoader worker process 3.",
        "[rank19]: Original Traceback (most recent call last):",
        '[rank19]:   File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/_utils/collate.py", line 272, in collate_tensor_fn',
        "[rank19]:     return torch.stack(batch, 0, out=out)",
        "[rank19]: RuntimeError: stack expects each tensor to be equal size, but got [3, 224, 224] at entry 0 and [4, 224, 224] at entry 51",
        "ERROR:composer.cli.launcher:Rank 19 crashed with exit code 1.",
        "Waiting up to 30 seconds for all training processes to terminate. Press Ctrl-C to exit immediately.",
        "Global rank 16 (PID 77102) exited with code -15",
        "Global rank 17 (PID 77103) exited with code -15",
        "Global rank 18 (PID 77104) exited with code -15",
        "Global rank 19 (PID 77105) exited with code 1",
        "ERROR:composer.cli.launcher:Global rank 19 (PID 77105) exited with code 1",
        "Submitted batch job 30119",
    ]
    put(place, "herbar-30112.out", out)


def t03_c2(place: Path, rng: Random) -> None:
    """C2: one rank stays cold, fifteen spin; the job had been requeued once."""
    lot = _LOTS["t03"]
    job = shell.Job(
        5512, "pipe", "bao", ("v1", "v2"), 8, "gpu", "08:00:00", "/home/bao", lot.card, 32768, "535.183.01", "12.2"
    )
    site = start(rng, lot, job, "2026-11-02T21:00")
    froze, end = 70.4 * 60, site.length_s
    lost = 11
    site.run(
        lambda rank: [
            Phase(0, "off"),
            Phase(190, "loads", memory=0.83),
            Phase(froze, "trains"),
            Phase(end - 30, "waits" if rank == lost else "spins"),
            Phase(9e9, "off"),
        ]
    )
    site.metrics(place)
    site.dmesg(place)
    noise, good = Noise(rng, 0.04, 0.2), falls(2.2, 1.17, 160)
    out = [
        *shell.conda(job, "tune_pipe"),
        "INFO:torchtune.utils.logging:Running FullFinetuneRecipeDistributed, world size 16, restart count 1",
    ]
    out.append("INFO:torchtune.utils.logging:Resuming from recipe_state.pt: epoch 0, step 212")
    last = 212
    for step, at, took in ticks(rng, 200, froze, 8.12):
        last = 212 + step
        out.append(
            f"1|{last}|Loss: {good(last) * noise()}: {last * 100 // 1800:3d}%|{bar(last / 1800)}| {last}/1800 [{hms(at - 200)}<{hms((1800 - last) * 8.12)},  {took:.2f}s/it]"
        )
    when = site.at(end - 40)
    out += [
        f"[rank{rank}]:[E{when:%m%d %H:%M:%S}.{rng.randint(100000, 999999)} ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=118021, OpType=_REDUCE_SCATTER_BASE, NumelIn=131072, NumelOut=8192, Timeout(ms)=1500000) ran for 15000{rng.randint(10, 88)} milliseconds before timing out."
        for rank in (0, 4, 8, 15)
    ]
    out += [
        "[rank0]:[E ProcessGroupNCCL.cpp:621] [Rank 0] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        "srun: error: v1: task 0: Aborted (core dumped)",
        "srun: error: v2: task 1: Aborted (core dumped)",
        "launch.sh: srun ended with status 134",
    ]
    put(place, "pipe-5512.log", out)
    before = shell.sacct(job, "REQUEUED", "0:0", site.at(-9100), site.at(-6260), step="CANCELLED")
    put(
        place,
        "sacct_duplicates.txt",
        [shell.SACCT, *before, *shell.sacct(job, "FAILED", "134:0", site.begin, site.at(end))],
    )


def t04_outside(place: Path, rng: Random) -> None:
    """Outside: its user cancels it while it trains well."""
    lot = _LOTS["t04"]
    job = shell.Job(
        71201,
        "lm-welsh",
        "siwan",
        ("p01", "p02", "p03", "p04"),
        8,
        "a100",
        "2-00:00:00",
        "/scratch/siwan/lm",
        lot.card,
        40960,
    )
    site = start(rng, lot, job, "2026-11-09T15:30")
    end = site.length_s
    site.run(
        lambda _rank: [Phase(0, "off"), Phase(160, "loads", memory=0.88), Phase(end - 4, "trains"), Phase(9e9, "off")]
    )
    site.metrics(place, without=("p03",))
    site.dmesg(place)
    noise, good, rate = Noise(rng, 0.012, 0.2), stages(10.4, 5.6, 3.7, 520, 130), cosine(4e-4, 200, 60000)
    out = [*shell.prologue(job, site.begin), "world size 32, 1.34 B parameters, plan 60000 steps"]
    for step, _at, took in ticks(rng, 170, end - 4, 1.93):
        if step % 10 == 0:
            out.append(
                f"step {step}/60000 loss {good(step) * noise():.4f} lr {rate(step):.3e} dt {took * 1000:.0f}ms tok/s {524288 / took:,.0f}"
            )
    out += [
        f"slurmstepd: error: *** STEP 71201.0 ON p01 CANCELLED AT {site.at(end):%Y-%m-%dT%H:%M:%S} ***",
        f"slurmstepd: error: *** JOB 71201 ON p01 CANCELLED AT {site.at(end):%Y-%m-%dT%H:%M:%S} ***",
        "cleanup: rm -rf /local/siwan.71201",
        "cleanup: logs copied to /scratch/siwan/lm/logs",
    ]
    put(place, "slurm-71201.out", out)
    put(
        place,
        "sacct.txt",
        [shell.SACCT, *shell.sacct(job, "CANCELLED by 20114", "0:0", site.begin, site.at(end), step="CANCELLED")],
    )


def t05_f2(place: Path, rng: Random) -> None:
    """F2: preempted, requeued, and done in the end; nothing but metrics and accounting."""
    lot = _LOTS["t05"]
    job = shell.Job(88120, "meshes", "olek", ("hp3", "hp4"), 8, "scavenge", "12:00:00", "/home/olek", lot.card, 81559)
    site = start(rng, lot, job, "2026-11-08T12:00")
    end, stop, again = site.length_s, 83.2 * 60, 124.7 * 60
    plan = [
        Phase(0, "off"),
        Phase(110, "loads", memory=0.54),
        Phase(stop, "trains"),
        Phase(again, "off"),
        Phase(again + 130, "loads", memory=0.54),
        Phase(end - 18, "trains"),
        Phase(9e9, "off"),
    ]
    site.run(lambda _rank: plan)
    site.metrics(place, restarted_s=151 * 60)
    site.dmesg(place)
    first = shell.sacct(job, "PREEMPTED", "0:0", site.begin, site.at(stop), step="CANCELLED")
    put(
        place,
        "sacct_-D.txt",
        [shell.SACCT, *first, *shell.sacct(job, "COMPLETED", "0:0", site.at(again), site.at(end))],
    )


def t06_d1(place: Path, rng: Random) -> None:
    """D1: the replay comes over a slow file system; seventeen of nineteen seconds are waits."""
    lot = _LOTS["t06"]
    job = shell.Job(4031, "offline-rl", "zuri", ("ada1", "ada2"), 4, "ada", "06:00:00", "/home/zuri", lot.card, 49140)
    site = start(rng, lot, job, "2026-11-10T07:00")
    end = site.length_s
    site.run(
        lambda _rank: [
            Phase(0, "off"),
            Phase(60, "loads", memory=0.22),
            Phase(end - 9, "starves", scale=0.11),
            Phase(9e9, "off"),
        ]
    )
    site.metrics(place)
    site.dmesg(
        place,
        [
            ("ada1", 1500.0, "nfs: server nas-replay not responding, still trying"),
            ("ada1", 1511.0, "nfs: server nas-replay OK"),
        ],
    )
    noise, good = Noise(rng, 0.06, 0.3), falls(3.1, 0.62, 40)
    out = []
    total = 0
    for step, at, took in ticks(rng, 70, end - 20, 19.1, 0.18):
        total, busy = step, rng.uniform(1.9, 2.2)
        row = {
            "ts": f"{site.at(at):%Y-%m-%dT%H:%M:%SZ}",
            "step": step,
            "loss": round(good(step) * noise(), 4),
            "step_time": round(took, 2),
            "data_time": round(took - busy, 2),
            "lr": 3e-4,
        }
        out.append(json.dumps(row))
    out.append(
        json.dumps(
            {
                "ts": f"{site.at(end - 12):%Y-%m-%dT%H:%M:%SZ}",
                "event": "done",
                "steps": total,
                "final_loss": round(good(total), 4),
                "saved": "runs/17/final.pt",
            }
        )
    )
    put(place, "train.jsonl", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "COMPLETED", "0:0", site.begin, site.at(end))])
    put(
        place,
        "sinfo.txt",
        [
            "NODELIST  PARTITION  STATE    REASON",
            "ada[1-2]  ada        alloc    none",
            "ada3      ada        drained  fan tray replacement RT#5120",
            "ada4      ada        idle     none",
        ],
    )


def t07_undecidable(place: Path, rng: Random) -> None:
    """Undecidable: copied while it ran."""
    lot = _LOTS["t07"]
    job = shell.Job(9911, "moe-one", "hana", ("gx7",), 1, "a100", "1-00:00:00", "/home/hana", lot.card)
    site = start(rng, lot, job, "2026-11-11T18:00")
    end = site.length_s
    site.run(lambda _rank: [Phase(0, "off"), Phase(90, "loads", memory=0.62), Phase(9e9, "trains")], around_s=0.0)
    site.metrics(place)
    site.dmesg(place)
    noise, good = Noise(rng, 0.02, 0.2), falls(4.1, 1.4, 3)
    out = [*shell.smi(job, site.begin, rng), "Submitted batch job 9912 (afterok:9911)", "60 epochs of 41,200 sequences"]
    for epoch, _at, took in ticks(rng, 100, end - 40, 312.0, 0.01):
        out.append(
            f"epoch {epoch:3d}/60  train {good(epoch) * noise():.4f}  valid {good(epoch) * 1.05 * noise():.4f}  experts dropped {rng.uniform(0.01, 0.03):.3f}  {took:.0f}s"
        )
    put(place, "moe-one.log", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "RUNNING", "0:0", site.begin, site.at(end))])


def t08_undecidable(place: Path, rng: Random) -> None:
    """Undecidable: status 1, and stderr was thrown away."""
    lot = _LOTS["t08"]
    nodes = ("pcie01", "pcie02", "pcie03", "pcie06")
    job = shell.Job(66204, "latent", "rui", nodes, 4, "a100p", "1-12:00:00", "/home/rui", lot.card)
    site = start(rng, lot, job, "2026-11-12T03:30")
    end = site.length_s
    site.run(
        lambda _rank: [Phase(0, "off"), Phase(130, "loads", memory=0.57), Phase(end - 21, "trains"), Phase(9e9, "off")]
    )
    site.metrics(place, full=".hpc.uni.example")
    site.dmesg(place)
    noise, good = Noise(rng, 0.05, 0.3), falls(0.98, 0.081, 140)
    out = [*shell.git(job, rng, "latent/ema.py"), "> 2>/dev/null since Tuesday, see issue 14", "training ..."]
    for step, _at, took in ticks(rng, 140, end - 21, 2.71):
        if step % 10 == 0:
            out.append(
                f" samples/sec: {512 / took:.3f} | iteration {step:8d}/   90000 | elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: 1.000E-04 | loss: {good(step) * noise():.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
    put(place, "latent.stdout", out)
    put(place, "time.txt", shell.time_v("srun -N4 --gpus-per-node 4 python -m latent.train cfg/l2.yml", end - 3, 1))
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "FAILED", "1:0", site.begin, site.at(end))])


def t09_undecidable(place: Path, rng: Random) -> None:
    """Undecidable: the script cleans up, nobody says why, and accounting was asked too early."""
    lot = _LOTS["t09"]
    job = shell.Job(
        23119,
        "gnn-roads",
        "ilse",
        ("t4-1", "t4-2"),
        8,
        "t4",
        "1-00:00:00",
        "/home/ilse",
        lot.card,
        15360,
        "470.256.02",
        "11.4",
    )
    site = start(rng, lot, job, "2026-11-07T10:00")
    end = site.length_s
    site.run(
        lambda _rank: [Phase(0, "off"), Phase(55, "loads", memory=0.66), Phase(end - 12, "trains"), Phase(9e9, "off")],
        around_s=100.0,
    )
    site.metrics(place)
    noise, good = Noise(rng, 0.05, 0.3), falls(1.9, 0.33, 900)
    out = []
    for step, at, took in ticks(rng, 66, end - 14, 1.39):
        if step % 25 == 0:
            out.append(
                f"{site.at(at):%Y-%m-%d %H:%M:%S},{rng.randint(100, 999)} INFO roads.train: it {step}/20000 loss={good(step) * noise():.4f} mem=9.8G {took:.2f}s/it"
            )
    out += ["cleanup: removing /dev/shm/roads.*", "cleanup: 2 stale locks removed, done"]
    put(place, "roads.log", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "RUNNING", "0:0", site.begin, site.at(end))])
    put(
        place,
        "sinfo.txt",
        [
            "NODELIST  STATE    REASON",
            "t4-[1-2]  alloc    none",
            "t4-3      drained  not responding [slurm@2026-11-05T01:12:09]",
        ],
    )

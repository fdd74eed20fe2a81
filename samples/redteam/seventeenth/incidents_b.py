"""Incidents six to ten of the seventeenth set: each follows its lot, all simulated."""

from __future__ import annotations

import json
from random import Random as Lots
from typing import TYPE_CHECKING

from .gpu import Fleet, Load, nothing
from .pen import bar, clock, falls, hms, put
from .site import ISO, dmesg, elastic, row, sacct

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t06(place: Path, rng: Random) -> None:
    """Lightning on two nodes of H200: at its power cap, learning, and cut off by the time limit in the fifth epoch of ten."""
    begin = 5 * 86400 + 1 * 3600 + 12.0
    end = begin + 175 * 60 + 9
    start = begin + 75.0
    hosts = ["h200-02", "h200-04"]
    out = [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        *(f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/4" for r in (0, 2, 1, 3)),
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "-" * 100,
        "",
        "  | Name  | Type        | Params | Mode ",
        "----------------------------------------------",
        "0 | model | Transformer | 1.3 B  | train",
        "----------------------------------------------",
        "1.3 B     Trainable params",
        "config: {'max_epochs': 10, 'batch': 64, 'lr': 0.0003, 'precision': 'bf16-mixed', 'strategy': 'fsdp'}",
    ]
    at, done = start, 0
    while True:
        epoch, i = divmod(done, 2300)
        if done % 50 == 0:
            loss = falls(rng, done, 7.4, 2.05, 2100, 0.012)
            passed = i / 1.02
            out.append(
                f"Epoch {epoch}: {i * 100 // 2300:3d}%|{bar(i, 2300)}| {i}/2300 [{hms(passed)}<{hms((2300 - i) / 1.02)},  1.02it/s, v_num=90417, train_loss={loss:.3f}]"
            )
        done += 1
        at += 1 / 1.02
        if done % 2300 == 0:
            out.append(
                f"Epoch {epoch}: 100%|██████████| 2300/2300 [37:34<00:00,  1.02it/s, v_num=90417, train_loss={falls(rng, done, 7.4, 2.05, 2100):.3f}, val_loss={falls(rng, done, 7.4, 2.13, 2100):.3f}]"
            )
            out.append(
                f"Epoch {epoch}, global step {done}: 'val_loss' reached {falls(rng, done, 7.4, 2.13, 2100):.5f}, saving model to '/ckpt/90417/epoch={epoch}-step={done}.ckpt' as top 1"
            )
            at += 66
        if at > end - 2:
            break
    out += [
        f"slurmstepd: error: *** STEP 90417.0 ON h200-02 CANCELLED AT {clock(end, ISO)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** JOB 90417 ON h200-02 CANCELLED AT {clock(end, ISO)} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    put(place, "slurm-90417.out", out)
    sacct(
        place,
        "sacct.txt",
        [
            row("90417", "tf1b3", "TIMEOUT", "0:0", (begin - 3000, begin, end), "h200-[02,04]", 2, "02:55:00"),
            row("90417.batch", "batch", "CANCELLED", "0:15", (begin, begin, end + 2), hosts[0], 1, ""),
            row("90417.0", "python", "CANCELLED", "0:15", (begin + 2, begin + 2, end + 2), "h200-[02,04]", 2, ""),
        ],
    )

    def load(n: int, g: int, when: float) -> Load:
        if not begin + 10 <= when < end + 2:
            return nothing(n, g, when)
        if when < start:
            return Load(0, 0, 0, 0, 3000)
        if (when - start) % (2300 / 1.02 + 66) > 2300 / 1.02:
            return Load(0.9, 0.7, 0.4, 0.5, 121400, 900, 400)
        return Load(0.99, 0.95, 0.67, 0.7, 121400, 900, 400)

    Fleet("H200", hosts, 2, load, begin - 100, end + 130, 10, 1706, inlet=23).write(place, "dcgm.json")


def t07(place: Path, rng: Random) -> None:
    """The Hugging Face trainer, preempted after three quarters of an hour and waiting in the queue again."""
    begin = 3 * 86400 + 2 * 3600 + 814.0
    end = begin + 45 * 60 + 3
    start, pace, host = begin + 88.0, 2.31, "a6k-04"
    out = [
        f"[INFO|trainer.py:2409] {clock(start)},441 >> ***** Running training *****",
        f"[INFO|trainer.py:2410] {clock(start)},441 >>   Num examples = 96,000",
        f"[INFO|trainer.py:2411] {clock(start)},441 >>   Num Epochs = 2",
        f"[INFO|trainer.py:2412] {clock(start)},441 >>   Instantaneous batch size per device = 16",
        f"[INFO|trainer.py:2417] {clock(start)},441 >>   Total optimization steps = 6,000",
    ]
    step = 0
    while start + (step + 20) * pace < end - 3:
        step += 20
        at = start + step * pace
        out.append(
            f"{{'loss': {round(falls(rng, step, 2.4, 1.1, 400, 0.02), 4)}, 'grad_norm': {rng.uniform(0.9, 2.2)}, 'learning_rate': {3e-5 * (1 - step / 6000)}, 'epoch': {step / 3000:.2f}}}"
        )
        if step % 500 == 0:
            out.append(
                f"[INFO|trainer.py:3944] {clock(at)},120 >> Saving model checkpoint to /home/uli/out/checkpoint-{step}"
            )
    out += [
        f"slurmstepd: error: *** JOB 51877 ON {host} CANCELLED AT {clock(end, ISO)} DUE TO PREEMPTION ***",
        f"W{clock(end, '%m%d %H:%M:%S')}.201000 22107 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal, shutting down workers",
        f"W{clock(end, '%m%d %H:%M:%S')}.203000 22107 torch/distributed/elastic/multiprocessing/api.py:900] Sending process 22140 closing signal SIGTERM",
        f"W{clock(end, '%m%d %H:%M:%S')}.204000 22107 torch/distributed/elastic/multiprocessing/api.py:900] Sending process 22141 closing signal SIGTERM",
        "Traceback (most recent call last):",
        '  File "/home/uli/env/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/home/uli/env/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/api.py", line 84, in _terminate_process_handler',
        '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)',
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 22107 got signal: 15",
    ]
    put(place, "slurm-51877.out", out)
    wait = row("51877", "sft-lowprio", "PENDING", "0:0", (end + 121, None, None), "None assigned", 1, "12:00:00")
    sacct(
        place,
        "sacct_D.txt",
        [
            row("51877", "sft-lowprio", "PREEMPTED", "0:0", (begin - 610, begin, end), host, 1, "12:00:00"),
            row("51877.batch", "batch", "CANCELLED", "0:15", (begin, begin, end + 4), host, 1, ""),
            wait,
        ],
    )
    dmesg(place, "dmesg.txt", rng, begin, iso=True, host=host)

    def load(_n: int, g: int, when: float) -> Load:
        if not begin + 9 <= when < end + 3:
            return nothing(0, g, when)
        if when < start:
            return Load(0, 0, 0, 0, 15200 if when > begin + 50 else 300)
        return Load(0.97, 0.79, 0.38, 0.5, 44021 + 22 * g, 3100, 3000)

    flat = {(0, 1, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"): 7, (0, 1, "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"): 1}
    Fleet("A6000", [host], 2, load, begin - 120, end + 600, 10, 1707, flat=flat).write(place, "prom.json")


def t08(place: Path, rng: Random) -> None:
    """No log was kept: accounting says completed, the GPUs were at work all along, an old ECC count stands still."""
    begin = 86400 + 20 * 3600 + 505.0
    end = begin + 150 * 60 - 21
    hosts = ["a30-11", "a30-12"]
    sacct(
        place,
        "sacct.txt",
        [
            row("20550", "titan-debug", "COMPLETED", "0:0", (begin - 3, begin, end), "a30-[11-12]", 2, "06:00:00"),
            row("20550.batch", "batch", "COMPLETED", "0:0", (begin, begin, end), hosts[0], 1, ""),
            row("20550.0", "torchrun", "COMPLETED", "0:0", (begin + 2, begin + 2, end - 1), "a30-[11-12]", 2, ""),
        ],
        bars=False,
    )
    for host in hosts:
        dmesg(place, f"{host}/dmesg.txt", rng, begin)

    def load(n: int, g: int, when: float) -> Load:
        if not begin + 12 <= when < end - 4:
            return nothing(n, g, when)
        if when < begin + 62:
            return Load(0, 0, 0, 0, 900)
        if (when - begin) % 1800 < 40 or when > end - 40:
            return Load(0.2, 0.1, 0.02, 0.1, 21830, 50, 1400)
        return Load(0.96, 0.78, 0.43, 0.51, 21830 + 12 * g, 2400, 2300)

    flat = {(1, 0, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"): 14, (1, 0, "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"): 2}
    fleet = Fleet("A30", hosts, 2, load, begin - 180, end + 240, 30, 1708, flat=flat)
    for i, host in enumerate(hosts):
        fleet.write(place, f"{host}/prom.json", [i])


def t09(place: Path, rng: Random) -> None:
    """A decoder of pictures dies in native code and takes rank 1 with it; torchrun shows signal 11, the kernel where."""
    begin = 4 * 86400 + 18 * 3600 + 40.0
    kill = begin + 30 * 60 - 44.0
    host, pids = "v100-02", (18330, 18331)
    for r in (0, 1):
        out = [f"[{clock(begin + 7)}] rank={r}/2 pid={pids[r]} gpu=Tesla V100-SXM2-32GB decode=main-thread"]
        it = 0
        while begin + 33 + (it + 25) * 0.52 < kill - 1:
            it += 25
            out.append(
                f"[{clock(begin + 33 + it * 0.52)}] rank={r} iter={it} det_loss={falls(rng, it, 3.9, 0.8, 700, 0.03):.4f} imgs/s={rng.gauss(61.4, 0.8):.1f} lr=0.01"
            )
        put(place, f"rank_{r}.txt", out)
    put(place, "launcher.err", elastic(kill, host, "det/train.py", 1, pids[1], (11, "SIGSEGV"), 18288, [pids[0]]))
    base = Lots(9).randrange(0x7F0000000000, 0x7FFFFFFFFFFF) & ~0xFFF
    more = [
        (
            kill - 0.5,
            f"python[{pids[1]}]: segfault at {base - 0x2010:x} ip {base + 0x1C4F3:016x} sp {base + 0x91A0D80:016x} error 4 in libturbojpeg.so.0.2.0[{base:x}+7a000] likely on CPU 11 (core 19, socket 0)",
        ),
        (
            kill - 0.4,
            "Code: 48 8b 44 24 28 0f b6 14 08 41 89 d0 c1 e2 08 48 83 c1 01 <8a> 04 0e 44 09 c0 41 88 45 00 49 83 c5 01 4c 39 ed 75 d8 48 83 c4",
        ),
    ]
    dmesg(place, f"dmesg_{host}.log", rng, begin, more)

    def load(_n: int, g: int, when: float) -> Load:
        if not begin + 8 <= when < (kill if g else kill + 2):
            return nothing(0, g, when)
        if when < begin + 33:
            return Load(0, 0, 0, 0, 1100)
        return Load(0.88, 0.66, 0.29, 0.44, 23880, 900, 120)

    gap = (begin + 700, begin + 900)
    Fleet("V100", [host], 2, load, begin - 150, kill + 210, 30, 1709, gaps=[gap]).write(place, "prom.json")


def t10(place: Path, rng: Random) -> None:
    """JAX in a chain: the second link looks into a folder of today's date, finds no state, and begins anew."""
    begin = 4 * 86400 + 11 * 3600 + 90.0
    end = begin + 100 * 60.0
    hosts = [f"ga{i:02d}" for i in (21, 22, 23, 24)]
    nodes = "ga[21-24]"
    for job, b, folder, base in (
        ("77140", begin - 6 * 3600 - 700, "run-1106-04", 0),
        ("77163", begin, "run-1106-11", 0),
    ):
        e = end if job == "77163" else begin - 640

        def absl(s: float, where: str, text: str) -> str:
            return f"I{clock(s + rng.uniform(0, 0.09), '%m%d %H:%M:%S.%f')} 139874 {where}] {text}"

        out = [
            f"chain lm-a40: link {1 if job == '77140' else '2 of 4, after 77140 (afterok)'} on {nodes}",
            absl(b + 21.4, "train.py:88", "jax.process_count()=4 jax.device_count()=8 (NVIDIA A40)"),
            absl(b + 22.1, "train.py:97", f"workdir=/ceph/lm/{folder} steps=60000 batch=256 seq=2048 warmup=400"),
            absl(
                b + 22.8,
                "checkpoint_manager.py:699",
                f"[process=0][thread=MainThread] CheckpointManager init: directory=/ceph/lm/{folder}/ckpt",
            ),
            absl(b + 22.9, "checkpoint_manager.py:1958", f"Found 0 checkpoint steps in /ceph/lm/{folder}/ckpt"),
            absl(b + 71.6, "train.py:131", "compiled train_step in 44.1 s, 0.41 B parameters"),
        ]
        step, at = base, b + 73.0
        while at + 14.2 < e - 70:
            step += 5
            at += 14.2
            loss = falls(rng, step, 10.8, 2.44, 900, 0.01)
            out.append(
                absl(
                    at,
                    "train.py:162",
                    f"step={step} loss={loss:.4f} grad_norm={rng.uniform(0.3, 0.8):.3f} lr={3e-4 * min(1, step / 400):.3e} tok/s={rng.gauss(184600, 900):.0f}",
                )
            )
            if step % 1000 == 0:
                out.append(
                    absl(at + 0.2, "checkpoint_manager.py:1512", f"[process=0] Saving checkpoint at step {step}")
                )
        out += [
            absl(e - 60, "train.py:190", f"max_hours reached, saving at step {step} and leaving"),
            absl(e - 31, "checkpoint_manager.py:1512", f"[process=0] Saving checkpoint at step {step}"),
            absl(e - 4, "train.py:197", "bye"),
        ]
        put(place, f"slurm-{job}.out", out)
    past = (begin - 6 * 3600 - 720, begin - 6 * 3600 - 700, begin - 640)
    sacct(
        place,
        "sacct.txt",
        [
            row("77140", "lm-a40_1", "COMPLETED", "0:0", past, nodes, 4, "06:30:00"),
            row("77140.batch", "batch", "COMPLETED", "0:0", (past[1], past[1], past[2]), hosts[0], 1, ""),
            row("77140.0", "python", "COMPLETED", "0:0", (past[1] + 2, past[1] + 2, past[2] - 1), nodes, 4, ""),
            row("77163", "lm-a40_2", "COMPLETED", "0:0", (past[0] + 5, begin, end), nodes, 4, "02:00:00"),
            row("77163.batch", "batch", "COMPLETED", "0:0", (begin, begin, end), hosts[0], 1, ""),
            row("77163.0", "python", "COMPLETED", "0:0", (begin + 2, begin + 2, end - 1), nodes, 4, ""),
        ],
    )
    for i, host in enumerate(hosts):
        old = begin - 2.2 * 86400
        xid = [
            (
                old,
                "NVRM: Xid (PCI:0000:2a:00): 31, pid=4412, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f2c_10000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
            ),
        ]
        dmesg(place, f"{host}/dmesg.txt", rng, begin, xid if i == 2 else ())

    def load(n: int, g: int, when: float) -> Load:
        if not begin + 18 <= when < end - 2:
            return nothing(n, g, when)
        if when < begin + 72:
            return Load(0.1, 0.02, 0, 0.02, 36600)
        return Load(0.98, 0.84, 0.46, 0.5, 40850 + 10 * n, 1900, 1900)

    fleet = Fleet("A40", hosts, 2, load, begin - 180, end + 180, 30, 1710, flat={(2, 1, "DCGM_FI_DEV_XID_ERRORS"): 31})
    fleet.write(place, "dcgm_77163.json", [0, 2, 3])
    put(place, "meta.json", json.dumps({"job_id": "77163", "scrape_interval_s": 30, "utc_offset_minutes": 0}) + "\n")

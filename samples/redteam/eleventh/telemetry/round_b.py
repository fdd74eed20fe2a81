"""Round B of the incidents (SIMULATED): each function fills one folder; truth_data.jsonl says what is right."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .lab import (
    A100,
    A100_40,
    B200,
    BASIC,
    ECC,
    FAULTS,
    H100,
    H200,
    IDLE,
    L40S,
    LOADING,
    PROFILING,
    REASONS,
    REMAP,
    SPIN,
    TRAIN,
    V100,
    Accounting,
    Doing,
    Fleet,
    Zone,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def epoch(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc,arg-type]


def t11_eight_by_four(out: Path, rnd: Random) -> None:
    """One of eight nodes cannot reach the store: nobody ever gets a process group, until the store gives up."""
    nodes, zone = [f"a{k}" for k in range(101, 109)], Zone(60)
    begin = epoch(2026, 11, 5, 18, 30)
    end = begin + 1830

    def doing(node: int, gpu: int, t: float) -> Doing:
        return IDLE

    Fleet(rnd, A100_40, nodes, 4, begin - 300, end + 240, 30, doing, (*BASIC, *PROFILING[:2])).write(out / "dcgm")
    for k, node in enumerate(nodes):
        lines = [
            f"{zone.plain(begin + 14)} {node}: torchrun --nnodes 8 --nproc-per-node 4 --rdzv-backend static --master-addr a101 --master-port 29544 train.py"
        ]
        lines += [
            f"{zone.plain(begin + 21 + r / 9)} {node}: local rank {r}: init_process_group(nccl, world_size=32, timeout=30min)"
            for r in range(4)
        ]
        if k == 6:
            for tries in range(1, 9):
                lines.append(
                    f"[W{zone.glog(begin + 150 * tries)} socket.cpp:697] [c10d] The client socket has failed to connect to [a101]:29544 (errno: 110 - Connection timed out)."
                )
            lines.append(
                "torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to (a101, 29544)."
            )
        else:
            lines.append(
                "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 28/32 clients joined."
            )
        write(out / "logs" / f"{node}.out", lines)
    acct = Accounting(zone, 66310, "moe-a", "a[101-108]", 8, 4, 86400)
    rows = acct.rows(begin, end, "FAILED", "1:0", [("batch", "FAILED", "1:0"), ("0", "FAILED", "1:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t12_three_by_eight(out: Path, rnd: Random) -> None:
    """An uncorrectable error of memory: the counter goes from 0 to 1, and the rank on it gets an error."""
    nodes, zone = ["su1-r3-n4", "su1-r3-n5", "su1-r3-n6"], Zone(-480)
    begin, fault = epoch(2026, 8, 19, 3, 0, 11), epoch(2026, 8, 19, 6, 41, 18)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 25 or t > fault + 38:
            return IDLE
        return LOADING if t < begin + 90 else TRAIN

    def told(node: int, gpu: int, t: float) -> dict[str, float]:
        if (node, gpu) != (2, 3) or t < fault:
            return {}
        return {
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": 1,
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 1,
            "DCGM_FI_DEV_XID_ERRORS": 94,
        }

    Fleet(rnd, A100, nodes, 8, begin - 300, fault + 500, 60, doing, (*BASIC, *FAULTS, *ECC, *REMAP), told).write(
        out / "metrics", "metric"
    )
    lines, t, k = [], begin + 91.0, 0
    while t < fault:
        k += 25
        t += 44 + rnd.random()
        if t < fault:
            lines.append(
                f"{zone.plain(t)} | epoch 0 | batch {k} | loss {2.1 + 6 * (1 + k / 110) ** -0.65 + rnd.gauss(0, 0.02):.4f} | {k / 25 % 1 + 1.76:.2f} s/batch"
            )
    lines += [
        "[rank19]: Traceback (most recent call last):",
        '[rank19]:   File "/lustre/proj/pt/train.py", line 155, in <module>',
        "[rank19]:     loss_val = loss.item()",
        "[rank19]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "[rank19]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "srun: error: su1-r3-n6: task 19: Exited with exit code 1",
        f"slurmstepd: error: *** STEP 140021.0 ON su1-r3-n4 CANCELLED AT {zone.iso(fault + 31)} ***",
    ]
    write(out / "slurm-140021.out", lines)
    write(
        out / "su1-r3-n6.journal",
        [
            zone.journal(
                fault + 0.5,
                "su1-r3-n6",
                "NVRM: Xid (PCI:0000:4e:00): 48, pid=71204, name=python, DBE (double bit error) ECC Error",
            ),
            zone.journal(
                fault + 0.5,
                "su1-r3-n6",
                "NVRM: Xid (PCI:0000:4e:00): 63, pid=71204, name=python, Row Remapper: New row marked for remapping, reset gpu to activate.",
            ),
            zone.journal(
                fault + 0.6,
                "su1-r3-n6",
                "NVRM: Xid (PCI:0000:4e:00): 94, pid=71204, name=python, Contained: FBHUB (0x1). RST: No, D-RST: No",
            ),
        ],
    )
    acct = Accounting(zone, 140021, "pt", "su1-r3-n[4-6]", 3, 8, 172800)
    rows = acct.rows(
        begin,
        fault + 37,
        "FAILED",
        "1:0",
        [("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "1:0")],
    )
    write(out / "sacct.txt", [acct.header(), *rows])


def t13_two_by_eight(out: Path, rnd: Random) -> None:
    """A feed of the rack fails: the power brake holds one node's GPUs at a quarter of their clock for an hour."""
    nodes, zone = ["b200-x1", "b200-x2"], Zone(0)
    begin, brake, end = epoch(2026, 12, 6, 9, 0), epoch(2026, 12, 6, 10, 4, 40), epoch(2026, 12, 6, 11, 15, 30)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 30 or t > end - 4:
            return IDLE
        if t < begin + 100:
            return LOADING
        if t < brake:
            return TRAIN
        return replace(TRAIN, clock=0.2, watts=0.3) if node == 0 else replace(TRAIN, watts=0.36, engine=0.99)

    def told(node: int, gpu: int, t: float) -> dict[str, float]:
        held = node == 0 and brake <= t < end
        return {"DCGM_FI_DEV_CLOCKS_EVENT_REASONS": 0x88 if held else 1 if t < begin + 30 or t > end - 4 else 0}

    Fleet(
        rnd,
        B200,
        nodes,
        8,
        begin - 300,
        end + 240,
        30,
        doing,
        (*BASIC, "DCGM_FI_DEV_CLOCKS_EVENT_REASONS"),
        told,
        cool=30,
    ).write(out)
    lines, t, k = (
        [f"{zone.plain(begin + 101)} INFO start: 24 layers, 16 GPUs, stage 2 of 3, budget 21.3 B tokens"],
        begin + 101.0,
        0,
    )
    while t < end - 20:
        took = 0.95 if t < brake else 3.48
        k += 20
        t += 20 * took + rnd.random()
        if t < end - 20:
            lines.append(
                f"{zone.plain(t)} INFO step {k} loss {1.8 + 7 * (1 + k / 100) ** -0.6 + rnd.gauss(0, 0.02):.4f} sec_per_step {took + rnd.random() * 0.02:.3f} tflops_per_gpu {1010 / took:.0f}"
            )
    lines.append(f"{zone.plain(end - 5)} INFO finished: token budget of the stage used up, weights written")
    write(out / "stage2.log", lines)
    acct = Accounting(zone, 2088, "stage2", "b200-x[1-2]", 2, 8, 43200)
    rows = acct.rows(begin, end, "COMPLETED", "0:0", [("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t14_four_by_eight(out: Path, rnd: Random) -> None:
    """A node goes away: no samples, no kernel log, and Slurm says node failure after its time-out."""
    nodes, zone = [f"hx{k}" for k in (31, 32, 33, 34)], Zone(330)
    begin, gone = epoch(2026, 4, 27, 11, 20, 9), epoch(2026, 4, 27, 14, 33, 2)
    end = gone + 312

    def doing(node: int, gpu: int, t: float) -> Doing | None:
        if node == 2 and t > gone:
            return None
        if t < begin + 25 or t > end:
            return IDLE
        if t < begin + 85:
            return LOADING
        return TRAIN if t < gone else SPIN

    Fleet(rnd, H100, nodes, 8, begin - 240, end + 300, 60, doing, (*BASIC, *PROFILING, *FAULTS)).write(out, "node")
    lines, t, k = [], begin + 86.0, 0
    while t < gone:
        k += 10
        t += 29 + rnd.random()
        if t < gone:
            lines.append(
                f"{zone.plain(t)} 0: iter {k} | loss {2.3 + 8 * (1 + k / 60) ** -0.6 + rnd.gauss(0, 0.02):.4f} | 2.95 s"
            )
    lines += [
        "srun: error: Node failure on hx33",
        f"slurmstepd: error: *** STEP 51277.0 ON hx31 CANCELLED AT {zone.iso(end - 4)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"slurmstepd: error: *** JOB 51277 ON hx31 CANCELLED AT {zone.iso(end - 4)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    ]
    write(out / "slurm-51277.out", lines)
    write(
        out / "sinfo_R.txt",
        [
            "REASON               USER        TIMESTAMP           STATE  NODELIST",
            f"Not responding       slurm       {zone.iso(end - 6)} down*  hx33",
        ],
    )
    acct = Accounting(zone, 51277, "vlm", "hx[31-34]", 4, 8, 172800)
    rows = acct.rows(begin, end, "NODE_FAIL", "0:0", [("batch", "CANCELLED", "0:15"), ("0", "CANCELLED", "0:15")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t15_two_by_four(out: Path, rnd: Random) -> None:
    """Six hours were asked for, six hours were used, and the run had half of its way to go."""
    nodes, zone = ["node-17", "node-18"], Zone(-180)
    begin = epoch(2026, 10, 14, 22, 3, 50)
    end = begin + 21618

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 20 or t > end:
            return IDLE
        return LOADING if t < begin + 70 else TRAIN

    Fleet(rnd, H200, nodes, 4, begin - 300, end + 300, 60, doing, (*BASIC, *FAULTS)).write(out)
    lines, t, k = [], begin + 71.0, 0
    while t < end - 40:
        k += 50
        t += 118 + rnd.random() * 2
        if t < end - 20:
            lines.append(
                f"{zone.iso(t)} step={k}/18000 loss={1.9 + 6 * (1 + k / 200) ** -0.6 + rnd.gauss(0, 0.02):.4f} eta={(18000 - k) * 2.38 / 3600:.1f}h"
            )
        if k % 1000 == 0:
            lines.append(f"{zone.iso(t + 3)} checkpoint step_{k} written")
    lines += [
        f"slurmstepd: error: *** STEP 7719.0 ON node-17 CANCELLED AT {zone.iso(end - 16)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** JOB 7719 ON node-17 CANCELLED AT {zone.iso(end - 16)} DUE TO TIME LIMIT ***",
    ]
    write(out / "slurm-7719.out", lines)
    acct = Accounting(zone, 7719, "mm-sft", "node-[17-18]", 2, 4, 21600)
    rows = acct.rows(begin, end, "TIMEOUT", "0:0", [("batch", "CANCELLED", "0:15"), ("0", "CANCELLED", "0:15")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t16_four_by_eight(out: Path, rnd: Random) -> None:
    """A port of InfiniBand goes down and stays down: all 32 ranks spin for half an hour, then the watchdogs end it."""
    nodes, zone = [f"ib{k:02d}" for k in range(4)], Zone(0)
    begin, down = epoch(2026, 6, 30, 4, 10), epoch(2026, 6, 30, 7, 55, 12)
    died = down + 1806

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 25 or t > died + 15:
            return IDLE
        if t < begin + 95:
            return LOADING
        return TRAIN if t < down else SPIN

    Fleet(rnd, H100, nodes, 8, begin - 300, died + 300, 60, doing, (*BASIC, *PROFILING)).write(out / "prom", "node")
    for rank in range(0, 32, 8):
        lines, t, k = [], begin + 96.0, 0
        while t < down:
            k += 20
            t += 81 + rnd.random()
            if t < down and rank == 0:
                lines.append(
                    f"{zone.plain(t)} [0] step {k} loss {1.9 + 8 * (1 + k / 90) ** -0.6 + rnd.gauss(0, 0.02):.4f} 4.07 s/step"
                )
        if rank == 8:
            lines.append(
                "ib01:20881:21040 [0] transport/net_ib.cc:94 NCCL WARN NET/IB : mlx5_4:1 Got async event : port error"
            )
        at = down + 1800 + rank / 10
        lines += [
            f"[rank{rank}]:[E{zone.glog(at)} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={k * 98 + 7}, OpType=ALLREDUCE, NumelIn=52428800, NumelOut=52428800, Timeout(ms)=1800000) ran for 18000{30 + rank} milliseconds before timing out.",
            f"[rank{rank}]:[E{zone.glog(at + 2)} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] Watchdog caught collective operation timeout",
        ]
        write(out / "logs" / f"node{rank // 8}_rank{rank}.err", lines)
    write(
        out / "ib01" / "dmesg.txt",
        [
            zone.dmesg_iso(
                down - 2.1,
                "mlx5_core 0000:9a:00.0: Port module event[error]: module 0, Cable error, Bus stuck (I2C or data shorted)",
            ),
            zone.dmesg_iso(down + 0.2, "mlx5_core 0000:9a:00.0 ibs4: Link down"),
        ],
    )
    acct = Accounting(zone, 910, "pre-7b", "ib[00-03]", 4, 8, 259200)
    rows = acct.rows(begin, died + 14, "FAILED", "6:0", [("batch", "FAILED", "6:0"), ("0", "FAILED", "0:6")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t17_two_by_four(out: Path, rnd: Random) -> None:
    """A library of C++ reads where nothing is: one rank ends by signal 11, without a line of its own."""
    nodes, zone = ["vol-a", "vol-b"], Zone(120)
    begin, crash = epoch(2026, 5, 22, 6, 0, 2), epoch(2026, 5, 22, 7, 18, 39)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 30 or t > crash + 12:
            return IDLE
        return LOADING if t < begin + 80 else replace(TRAIN, sm=0.6, watts=0.7)

    Fleet(rnd, V100, nodes, 4, begin - 200, crash + 200, 20, doing, BASIC).write(out)
    lines, t, k = [], begin + 81.0, 0
    while t < crash:
        k += 100
        t += 52 + rnd.random()
        if t < crash:
            lines.append(
                f"{zone.plain(t)} step {k:6d} loss {0.7 + 3 * (1 + k / 400) ** -0.7 + rnd.gauss(0, 0.01):.4f} vol/s {3.8 + rnd.random() * 0.1:.2f}"
            )
    lines += [
        "srun: error: vol-b: task 6: Segmentation fault (core dumped)",
        "srun: Terminating StepId=3077.0",
        "srun: error: vol-a: tasks 0-3: Terminated",
        "srun: error: vol-b: tasks 4-5,7: Terminated",
    ]
    write(out / "slurm-3077.out", lines)
    write(
        out / "vol-b" / "dmesg.txt",
        [
            zone.dmesg(
                crash,
                "python[55120]: segfault at 10 ip 00007f3a1c2b41d0 sp 00007ffd9a8b2c40 error 4 in libnifti_fast.so[7f3a1c2a0000+3c000]",
            )
        ],
    )
    acct = Accounting(zone, 3077, "seg3d", "vol-[a-b]", 2, 4, 86400)
    rows = acct.rows(begin, crash + 11, "FAILED", "11:0", [("batch", "FAILED", "11:0"), ("0", "FAILED", "0:11")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t18_two_by_eight(out: Path, rnd: Random) -> None:
    """The file system gives a quarter of what the GPUs could eat: they stand idle for most of each step."""
    nodes, zone = ["m1", "m2"], Zone(540)
    begin, end = epoch(2026, 2, 27, 20, 0, 5), epoch(2026, 2, 27, 23, 30, 38)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 25 or t > end - 6:
            return IDLE
        if t < begin + 75:
            return LOADING
        return Doing(0.21, 0.15, 0.07, 0.08, 0.24, 0.99, 0.62, gusty=0.55)

    Fleet(rnd, A100, nodes, 8, begin - 200, end + 200, 30, doing, (*BASIC, *PROFILING)).write(out)
    for rank in (0, 5, 8, 13):
        lines, t, k = [], begin + 76.0, 0
        while k < 2000:
            k += 10
            t += 62.2 + rnd.random()
            wait = 4.9 + rnd.gauss(0, 0.3)
            lines.append(
                f"{zone.plain(t)} [r{rank}] {k}/2000 loss={0.9 + 3.2 * (1 + k / 150) ** -0.7 + rnd.gauss(0, 0.01):.4f} t_data={wait:.2f}s t_gpu={6.25 - wait:.2f}s t_step=6.25s"
            )
        lines.append(f"{zone.plain(t + 5)} [r{rank}] finished 2000 steps")
        write(out / f"rank{rank}.txt", lines)
    acct = Accounting(zone, 818, "vid-mae", "m[1-2]", 2, 8, 86400)
    rows = acct.rows(begin, end, "COMPLETED", "0:0", [("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t19_two_by_four(out: Path, rnd: Random) -> None:
    """A good run under a power cap, with an early overflow, an old XID, and a node that was to be drained afterwards."""
    nodes, zone = ["l40s-08", "l40s-09"], Zone(-240)
    begin, end = epoch(2026, 7, 30, 1, 0, 21), epoch(2026, 7, 30, 3, 4, 58)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 20 or t > end - 5:
            return IDLE
        return LOADING if t < begin + 65 else replace(TRAIN, watts=0.99, clock=0.86)

    def told(node: int, gpu: int, t: float) -> dict[str, float]:
        busy = begin + 65 <= t <= end - 5
        return {
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": 4 if busy else 1,
            "DCGM_FI_DEV_XID_ERRORS": 43 if (node, gpu) == (0, 2) else 0,
        }

    Fleet(rnd, L40S, nodes, 4, begin - 300, end + 300, 30, doing, (*BASIC, *FAULTS, *REASONS), told).write(out)
    lines, t, k = [f"{zone.plain(begin + 64)} fp16, dynamic loss scale, 3000 steps"], begin + 66.0, 0
    while k < 3000:
        k += 10
        t += 24.4 + rnd.random() * 0.4
        lines.append(
            f"{zone.plain(t)} step {k}/3000 loss {1.05 + 1.5 * (1 + k / 200) ** -0.8 + rnd.gauss(0, 0.02):.4f} scale 32768 {2.44 + rnd.random() * 0.02:.3f} s/step"
        )
        if k == 10:
            lines.append(f"{zone.plain(t)} gradients have inf, step 11 skipped, loss scale 65536 -> 32768")
        if k == 1400:
            lines.append(f"{zone.plain(t)} WARNING: DataLoader worker took 4.1 s for a batch (file server busy?)")
    lines += [f"{zone.plain(t + 6)} eval: rougeL 41.7", f"{zone.plain(t + 20)} Training finished, 3000 steps"]
    write(out / "out.log", lines)
    write(
        out / "l40s-08" / "dmesg.txt",
        [
            zone.dmesg(begin - 5400, "NVRM: Xid (PCI:0000:61:00): 43, pid=9921, name=python3, Ch 00000010"),
            zone.dmesg(begin + 1902, "nfs: server 10.9.0.4 not responding, still trying"),
            zone.dmesg(begin + 1907, "nfs: server 10.9.0.4 OK"),
        ],
    )
    write(
        out / "sinfo_R.txt",
        [
            "REASON               USER        TIMESTAMP           NODELIST",
            f"planned firmware     root        {zone.iso(begin - 7200)} l40s-09",
        ],
    )
    acct = Accounting(zone, 1209, "summ", "l40s-[08-09]", 2, 4, 28800)
    rows = acct.rows(begin, end, "COMPLETED", "0:0", [("batch", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t20_two_by_eight(out: Path, rnd: Random) -> None:
    """Five metrics and accounting, which says that it failed with 1: the logs are gone."""
    nodes, zone = ["q-3", "q-4"], Zone(0)
    begin, end = epoch(2026, 3, 3, 8, 0), epoch(2026, 3, 3, 9, 51, 7)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 30 or t > end - 8:
            return IDLE
        return LOADING if t < begin + 90 else replace(TRAIN, memory=0.74)

    Fleet(rnd, H100, nodes, 8, begin - 300, end + 300, 60, doing, BASIC[:5]).write(out)
    acct = Accounting(zone, 44120, "exp-9", "q-[3-4]", 2, 8, 86400)
    rows = acct.rows(begin, end, "FAILED", "1:0", [("batch", "FAILED", "1:0"), ("0", "FAILED", "1:0")])
    write(out / "sacct.txt", [acct.header(), *rows])


def t21_two_by_four(out: Path, rnd: Random) -> None:
    """The user took it back: scancel, in the midst of a training that went well."""
    nodes, zone = ["s01", "s02"], Zone(60)
    begin, end = epoch(2026, 1, 15, 10, 30, 3), epoch(2026, 1, 15, 12, 44, 9)

    def doing(node: int, gpu: int, t: float) -> Doing:
        if t < begin + 20 or t > end - 1:
            return IDLE
        return LOADING if t < begin + 70 else TRAIN

    Fleet(rnd, A100, nodes, 4, begin - 200, end + 200, 30, doing, (*BASIC, *FAULTS)).write(out, "metric")
    lines, t, k = [], begin + 71.0, 0
    while t < end - 30:
        k += 20
        t += 26 + rnd.random()
        lines.append(
            f"{zone.plain(t)} step {k}/40000 loss {2.0 + 7 * (1 + k / 90) ** -0.6 + rnd.gauss(0, 0.02):.4f} lr {3e-4 * min(1, k / 500) * (1 + math.cos(math.pi * k / 40000)) / 2:.3e}"
        )
    lines += [
        f"slurmstepd: error: *** STEP 6102.0 ON s01 CANCELLED AT {zone.iso(end - 2)} ***",
        f"slurmstepd: error: *** JOB 6102 ON s01 CANCELLED AT {zone.iso(end - 2)} ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    write(out / "slurm-6102.out", lines)
    acct = Accounting(zone, 6102, "abl-3", "s[01-02]", 2, 4, 172800)
    rows = acct.rows(
        begin, end, "CANCELLED by 20417", "0:0", [("batch", "CANCELLED", "0:15"), ("0", "CANCELLED", "0:15")]
    )
    write(out / "sacct.txt", [acct.header(), *rows])
    (out / "meta.json").write_text(json.dumps({"job_id": "6102", "utc_offset_minutes": 60}))

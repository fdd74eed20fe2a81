"""Round B: twelve incidents of other kinds. What happened in each stands in its first line; SIMULATED."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from samples.redteam.ninth.shapes import fall, stamp, write

from .site import Site

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from .site import Row

DAY = 1776124800.0
"""2026-04-14, midnight UTC."""


def t09_power_brake(place: Path, rng: Random) -> None:
    # a power shelf of one of four nodes fails in minute 40: brake asserted, 1410 down to 555 MHz, steps 2.3 times as long
    site = Site(
        place,
        rng,
        ("ca-101", "ca-102", "ca-103", "ca-104"),
        4,
        "A100",
        DAY + 4000,
        DAY + 4000 + 6600,
        4418,
        "dlrm-v3",
        cadence=30,
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if not (2400 < at < 6600):
            return
        if node == 3:
            row |= {
                "DEV_CLOCK_THROTTLE_REASONS": 0x88,
                "DEV_SM_CLOCK": rng.choice((540, 555, 570)),
                "DEV_POWER_USAGE": round(rng.gauss(151, 3), 3),
                "DEV_GPU_TEMP": 41 + gpu,
                "PROF_SM_ACTIVE": round(rng.gauss(0.6, 0.02), 4),
            }
        else:
            row |= {
                "PROF_SM_ACTIVE": round(rng.gauss(0.27, 0.02), 4),
                "PROF_PIPE_TENSOR_ACTIVE": round(rng.gauss(0.16, 0.01), 4),
                "DEV_POWER_USAGE": round(rng.gauss(205, 5), 3),
            }

    site.metrics(change, split="metric")
    marks = list(site.steps(lambda at: 0.61 if at < 2400 else 1.4, site.end, 6600, every=20))
    lines = [
        f"{stamp(at)} iter={step}/6600 bce={fall(rng, step, 0.69, 0.121, 900):.5f} ms/it={secs * 1000:.0f}"
        for step, at, secs in marks
    ]
    write(place / "slurm-4418.out", [*lines, f"{stamp(marks[-1][1] + 9)} trained 6600 iterations, model written"])
    site.sacct("COMPLETED", "0:0", hosts="ca-[101-104]")
    site.dmesg(
        3, [(2391.0, "i2c i2c-4: PSU2: input power lost"), (2392.5, "ipmi: SEL: Power Supply PSU2 Failure detected")]
    )


def t10_row_remap(place: Path, rng: Random) -> None:
    # a contained uncorrectable memory error on one GPU: 48, 63 and 94, a row remapped, its rank dies of it, the others after it
    site = Site(place, rng, ("lux07", "lux08"), 8, "H100", DAY + 12000, DAY + 12000 + 4020, 150233, "t2i-unet")

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if at >= 3962 and (node, gpu) == (0, 6):
            row |= {"DEV_ECC_DBE_VOL_TOTAL": 1, "DEV_UNCORRECTABLE_REMAPPED_ROWS": 1, "DEV_XID_ERRORS": 94}
        if 3962 <= at < 4020:
            row |= (
                site.waiting(node, gpu)
                if (node, gpu) != (0, 6)
                else site.idle(node, gpu, resident=True)
                | {"DEV_ECC_DBE_VOL_TOTAL": 1, "DEV_UNCORRECTABLE_REMAPPED_ROWS": 1, "DEV_XID_ERRORS": 94}
            )

    site.metrics(change)
    pci = "NVRM: Xid (PCI:0000:d1:00)"
    site.dmesg(
        0,
        [
            (
                3961.1,
                f"{pci}: 48, pid=771120, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physical address 0x9c4a2f0100.",
            ),
            (
                3961.2,
                f"{pci}: 63, pid=771120, name=python3, Row Remapper: New row (0x0000009c4a2f0000) marked for remapping, reset gpu to activate.",
            ),
            (3961.4, f"{pci}: 94, pid=771120, name=python3, Contained: CE User Channel (0x9). RST: No, D-RST: No"),
            (3968.0, f"{pci}: 45, pid=771120, name=python3, Ch 0000001a"),
        ],
    )
    site.dmesg(1, [])
    lines = [
        f"{stamp(at)} step {step:>6} mse {fall(rng, step, 0.99, 0.113, 400, 0.05):.4f} ({secs:.2f} s)"
        for step, at, secs in site.steps(lambda _: 0.74, site.begin + 3961)
    ]
    trace = [
        "[rank6]: Traceback (most recent call last):",
        '[rank6]:   File "/srv/t2i/train.py", line 231, in <module>',
        "[rank6]:     scaler.step(opt)",
        "[rank6]: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "[rank6]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    ]
    write(
        place / "slurm-150233.out",
        [
            *lines,
            *trace,
            "srun: error: lux07: task 6: Exited with exit code 1",
            "srun: Terminating StepId=150233.0",
            "srun: error: lux08: tasks 8-15: Terminated",
        ],
    )
    site.sacct("FAILED", "1:0")


def t11_uneven_shard(place: Path, rng: Random) -> None:
    # rank 3 has twice the work of any other, all run long: it is busy, fifteen others wait for it in every step
    site = Site(
        place, rng, ("x3001c0", "x3001c1"), 8, "H200", DAY + 30000, DAY + 30000 + 4800, 908, "gnn-papers", cadence=15
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if site.start <= at < 4800:
            slow = (node, gpu) == (0, 3)
            row |= {
                "PROF_GR_ENGINE_ACTIVE": 0.985 if slow else 0.997,
                "PROF_SM_ACTIVE": round(rng.gauss(0.57 if slow else 0.19, 0.02), 4),
                "PROF_PIPE_TENSOR_ACTIVE": round(rng.gauss(0.36 if slow else 0.12, 0.01), 4),
            }
            row |= {
                "DEV_POWER_USAGE": round(rng.gauss(560 if slow else 262, 6), 3),
                "PROF_NVLINK_TX_BYTES": round(rng.gauss(9e9, 5e8)),
            }

    site.metrics(change, split="node")
    marks = list(site.steps(lambda _: 1.9, site.end, 2400))
    for rank in range(16):
        lines = [
            f"{stamp(at)} [r{rank}] step {step}/2400 loss {fall(rng, step, 3.9, 1.02, 300):.4f} | own {(secs if rank == 3 else 0.66) - 0.04 + rng.gauss(0, 0.01):.2f} s | wait {abs(rng.gauss(0.04, 0.005)) if rank == 3 else secs - 0.62:.2f} s"
            for step, at, secs in marks
        ]
        write(place / "out" / f"rank{rank}.txt", [*lines, f"{stamp(marks[-1][1] + 5)} [r{rank}] done"])
    site.sacct("COMPLETED", "0:0", hosts="x3001c[0-1]")


def t12_save_storm(place: Path, rng: Random) -> None:
    # save_every=5 from a debugging session: 38 s of writing for 6 s of work, to the end
    site = Site(
        place,
        rng,
        ("sv1", "sv2", "sv3", "sv4"),
        8,
        "A100",
        DAY + 41000,
        DAY + 41000 + 7300,
        33071,
        "code-7b",
        cadence=10,
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if site.start <= at < 7300 and (at > 7180 or (at - site.start) % 44 > 6):
            row |= site.idle(node, gpu, resident=True) | {
                "DEV_GPU_UTIL": 0,
                "DEV_POWER_USAGE": round(rng.gauss(88, 2), 3),
            }

    site.metrics(change)
    lines, at = ["config: steps=800 save_every=5 keep_last=3 sharded=False"], site.begin + site.start
    for step in range(1, 801):
        at += 1.2 * rng.gauss(1, 0.01)
        lines.append(f"{stamp(at)} step {step}/800 loss {fall(rng, step, 2.1, 1.2, 120):.4f} step_time 1.20s")
        if step % 5 == 0:
            spent = rng.gauss(38, 0.5)
            at += spent
            lines.append(f"{stamp(at)} saved checkpoint ckpt/step_{step} (83.4 GB) in {spent:.1f} s")
    write(place / "slurm-33071.out", [*lines, f"{stamp(site.end - 4)} finished"])
    site.sacct("COMPLETED", "0:0", hosts="sv[1-4]")


def t13_wrong_network(place: Path, rng: Random) -> None:
    # NCCL found no InfiniBand and took the management Ethernet: 5 s of all-reduce in a step of 6, on all 32 ranks alike
    site = Site(
        place,
        rng,
        ("k8g-1", "k8g-2", "k8g-3", "k8g-4"),
        8,
        "H100",
        DAY + 52000,
        DAY + 52000 + 5400,
        5150,
        "llm-8b",
        cadence=30,
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if site.start <= at < 5400:
            row |= {
                "DEV_GPU_UTIL": 100,
                "PROF_GR_ENGINE_ACTIVE": 0.998,
                "PROF_SM_ACTIVE": round(rng.gauss(0.11, 0.008), 4),
                "PROF_PIPE_TENSOR_ACTIVE": round(rng.gauss(0.06, 0.005), 4),
            }
            row |= {
                "PROF_DRAM_ACTIVE": round(rng.gauss(0.07, 0.01), 4),
                "DEV_POWER_USAGE": round(rng.gauss(215, 5), 3),
                "PROF_NVLINK_TX_BYTES": round(rng.gauss(6e9, 3e8)),
                "DEV_GPU_TEMP": 38 + gpu,
            }

    site.metrics(change)
    lines = [
        "k8g-1:20411:20411 [0] NCCL INFO NET/IB : No device found.",
        "k8g-1:20411:20411 [0] NCCL INFO NET/Socket : Using [0]eno1:10.4.0.11<0>",
        "k8g-1:20411:20988 [0] NCCL INFO Using network Socket",
        "k8g-1:20411:20988 [0] NCCL INFO ncclCommInitRankConfig comm 0x55d0c2a7 rank 0 nranks 32 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x9ad9b5e4ab2566da - Init COMPLETE",
    ]
    lines += [
        f"{stamp(at)} step {step}/850 loss {fall(rng, step, 10.9, 4.1, 200):.4f} fwd 0.31s bwd 0.63s grad_allreduce {secs - 0.97:.2f}s opt 0.03s total {secs:.2f}s"
        for step, at, secs in site.steps(lambda _: 6.02, site.end - 20, 850)
    ]
    write(place / "slurm-5150.out", [*lines, f"{stamp(site.end - 8)} training done"])
    site.sacct("COMPLETED", "0:0", hosts="k8g-[1-4]")


def t14_nvlink(place: Path, rng: Random) -> None:
    # the link between two GPUs of one node collects CRC errors for ten minutes, then Xid 74 on both ends ends the job
    site = Site(
        place, rng, ("hpcg40", "hpcg41", "hpcg42"), 8, "A100", DAY + 61000, DAY + 61000 + 3640, 27719, "prot-lm"
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if node == 1 and gpu in (2, 6) and at > 3000:
            row |= {
                "DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": round(41 * (min(at, 3600) - 3000)),
                "DEV_XID_ERRORS": 74 if at >= 3600 else 0,
            }
        if 3600 <= at < 3640:
            row |= site.waiting(node, gpu) | {
                key: row[key] for key in ("DEV_XID_ERRORS", "DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL")
            }

    site.metrics(change, split="node")
    hexes = "0x0, 0x10000, 0x0, 0x0, 0x0, 0x0, 0x0"
    site.dmesg(
        1,
        [
            (
                3599.2,
                f"NVRM: Xid (PCI:0000:52:00): 74, pid=31902, name=python, NVLink: fatal error detected on link 3({hexes})",
            ),
            (
                3599.2,
                f"NVRM: Xid (PCI:0000:d1:00): 74, pid=31906, name=python, NVLink: fatal error detected on link 3({hexes})",
            ),
            (3601.7, "NVRM: Xid (PCI:0000:52:00): 45, pid=31902, name=python, Ch 00000012"),
            (3601.7, "NVRM: Xid (PCI:0000:d1:00): 45, pid=31906, name=python, Ch 00000012"),
        ],
    )
    site.dmesg(0, [])
    site.dmesg(2, [])
    for rank in range(0, 24, 2):
        lines = [
            f"{stamp(at)} rank={rank} update={step} mlm={fall(rng, step, 3.1, 2.2, 600):.4f}"
            for step, at, _ in site.steps(lambda _: 1.31, site.begin + 3599)
        ]
        if rank in (10, 14):
            lines += [
                "Traceback (most recent call last):",
                '  File "train_esm.py", line 190, in <module>',
                "    loss.backward()",
                "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution",
                "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
            ]
        write(place / "logs" / f"rank{rank}.log", lines)
    write(
        place / "slurm-27719.err",
        [
            "srun: error: hpcg41: tasks 10,14: Exited with exit code 1",
            "srun: Terminating StepId=27719.0",
            "srun: error: hpcg40: tasks 0-7: Terminated",
            "srun: error: hpcg42: tasks 16-23: Terminated",
        ],
    )
    site.sacct("FAILED", "1:0", hosts="hpcg[40-42]")


def t15_cuda_memory(place: Path, rng: Random) -> None:
    # the longest sample yet reaches rank 5 at step 1833: one request of 9 GiB where 4 are free
    site = Site(
        place, rng, ("bx1", "bx2"), 4, "H100", DAY + 70000, DAY + 70000 + 2950, 611, "longctx-ft", resident=0.78
    )

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if site.start <= at < 2950:
            row["DEV_FB_USED"] = row["DEV_FB_USED"] + ceil(min(at, 2900) / 600) * 2600
            row["DEV_FB_FREE"] = max(240, 81047 - row["DEV_FB_USED"])

    site.metrics(change)
    lines = [
        f"{stamp(at)} [longctx] step={step} loss={fall(rng, step, 2.3, 1.7, 400):.4f} max_len={rng.randint(20, 31)}k"
        for step, at, _ in site.steps(lambda _: 1.5, site.begin + 2905)
    ]
    oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.12 GiB. GPU 1 has a total capacity of 79.11 GiB of which 4.03 GiB is free. Process 40871 has 75.07 GiB memory in use. Of the allocated memory 72.90 GiB is allocated by PyTorch, and 1.14 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
    lines += [
        "[rank5]: Traceback (most recent call last):",
        '[rank5]:   File "/u/mk/longctx/sft.py", line 144, in <module>',
        "[rank5]:     loss = model(**batch).loss",
        f"[rank5]: {oom}",
        "srun: error: bx2: task 5: Exited with exit code 1",
        "srun: Terminating StepId=611.0",
        "srun: error: bx1: tasks 0-3: Terminated",
    ]
    write(place / "slurm-611.out", lines)
    site.sacct("FAILED", "1:0")
    site.dmesg(1, [])


def t16_bad_record(place: Path, rng: Random) -> None:
    # 50 minutes in, rank 11 meets a record without its caption: a KeyError of the job's own code
    site = Site(place, rng, ("oak1", "oak2"), 8, "A100", DAY + 3000, DAY + 3000 + 3030, 88004, "clip-b16")
    site.metrics(lambda at, node, gpu, row: row.update(site.waiting(node, gpu)) if 3005 <= at < 3030 else None)
    for rank in (0, 11):
        lines = [
            f"{stamp(at)} | r{rank} | step {step} | clip_loss {fall(rng, step, 8.3, 1.4, 700):.4f} | scale {min(100, 14.3 + step / 40):.1f}"
            for step, at, _ in site.steps(lambda _: 0.92, site.begin + 3004)
        ]
        if rank == 11:
            lines += [
                "Traceback (most recent call last):",
                '  File "/home/lw/clip/main.py", line 203, in <module>',
                "    train(args)",
                '  File "/home/lw/clip/main.py", line 161, in train',
                "    for images, texts in loader:",
                '  File "/home/lw/clip/data.py", line 77, in collate',
                '    texts = tokenizer([item["caption"] for item in batch])',
                "KeyError: 'caption'",
            ]
        write(place / f"rank{rank}.log", lines)
    write(
        place / "slurm-88004.err",
        [
            "srun: error: oak2: task 11: Exited with exit code 1",
            "srun: Terminating StepId=88004.0",
            "srun: error: oak1: tasks 0-7: Terminated",
            "srun: error: oak2: tasks 8-10,12-15: Terminated",
        ],
    )
    site.sacct("FAILED", "1:0")


def t17_preempted(place: Path, rng: Random) -> None:
    # taken for a job of a higher QOS after 55 minutes and requeued; at the time of asking it still waits
    site = Site(place, rng, ("a5", "a6"), 4, "H100", DAY + 22000, DAY + 22000 + 3300, 700512, "sim2real")
    site.metrics(lambda at, node, gpu, row: None)
    done = stamp(site.end, "%Y-%m-%dT%H:%M:%S")
    lines = [
        f"{stamp(at)} iter {step} actor {fall(rng, step, 1.9, 0.4, 300):.4f} return {900 - fall(rng, step, 880, 40, 300):.1f}"
        for step, at, _ in site.steps(lambda _: 1.1, site.end)
    ]
    write(
        place / "slurm-700512.out",
        [
            *lines,
            f"slurmstepd: error: *** JOB 700512 ON a5 CANCELLED AT {done} DUE TO PREEMPTION ***",
            f"slurmstepd: error: *** STEP 700512.0 ON a5 CANCELLED AT {done} DUE TO PREEMPTION ***",
        ],
    )
    began = stamp(site.begin, "%Y-%m-%dT%H:%M:%S")
    write(
        place / "sacct.txt",
        [
            "JobID|JobName|Partition|QOS|State|ExitCode|Submit|Start|End|Elapsed|NNodes|NodeList|Reason",
            f"700512|sim2real|gpu|scavenge|PREEMPTED|0:0|{began}|{began}|{done}|00:55:00|2|a[5-6]|None",
            f"700512.batch|batch|||CANCELLED|0:15|{began}|{began}|{done}|00:55:00|1|a5|",
            f"700512.0|python|||CANCELLED|0:15|{began}|{began}|{done}|00:55:00|2|a[5-6]|",
            f"700512|sim2real|gpu|scavenge|PENDING|0:0|{done}|Unknown|Unknown|00:00:00|2|None assigned|BeginTime",
        ],
    )


def t18_called_off(place: Path, rng: Random) -> None:
    # its owner ended a run that was well: scancel, in accounting and in the controller's log
    site = Site(
        place,
        rng,
        ("g201", "g202", "g203", "g204", "g205", "g206"),
        8,
        "H100",
        DAY + 15000,
        DAY + 15000 + 2500,
        19333,
        "abl-lr3e4",
        cadence=30,
    )
    site.metrics(lambda at, node, gpu, row: None)
    done = stamp(site.end, "%Y-%m-%dT%H:%M:%S")
    lines = [
        f"[{stamp(at)}] step {step} of 60000, loss {fall(rng, step, 10.8, 3.2, 500):.4f}, {secs:.2f} s/step"
        for step, at, secs in site.steps(lambda _: 1.42, site.end)
    ]
    write(
        place / "slurm-19333.out",
        [
            *lines,
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            f"slurmstepd: error: *** JOB 19333 ON g201 CANCELLED AT {done} ***",
            f"slurmstepd: error: *** STEP 19333.0 ON g201 CANCELLED AT {done} ***",
        ],
    )
    write(
        place / "slurmctld.log",
        [
            f"[{stamp(site.begin, '%Y-%m-%dT%H:%M:%S')}.114] sched: Allocate JobId=19333 NodeList=g[201-206] #CPUs=576 Partition=gpu",
            f"[{done}.020] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=19333 uid 6107",
        ],
    )
    site.sacct("CANCELLED by 6107", "0:0", step=("CANCELLED", "0:15"), hosts="g[201-206]")


def t19_time_limit(place: Path, rng: Random) -> None:
    # four hours were asked for, six were needed: steady to the last second, then TIMEOUT
    site = Site(
        place, rng, ("p-17", "p-18"), 8, "A100", DAY + 28000, DAY + 28000 + 14400, 52806, "ocr-base", cadence=60
    )
    site.metrics(lambda at, node, gpu, row: None)
    done = stamp(site.end, "%Y-%m-%dT%H:%M:%S")
    lines = []
    for step, at, secs in site.steps(lambda _: 2.4, site.end, 9000, every=50):
        lines.append(f"{stamp(at)} {step}/9000 ce={fall(rng, step, 5.1, 0.41, 900):.4f} {secs:.2f}s/step")
        lines += [f"{stamp(at)} checkpoint {step} saved"] if step % 1000 == 0 else []
    write(
        place / "slurm-52806.out",
        [
            *lines,
            f"slurmstepd: error: *** JOB 52806 ON p-17 CANCELLED AT {done} DUE TO TIME LIMIT ***",
            f"slurmstepd: error: *** STEP 52806.0 ON p-17 CANCELLED AT {done} DUE TO TIME LIMIT ***",
        ],
    )
    site.sacct("TIMEOUT", "0:0", step=("CANCELLED", "0:15"), limit="04:00:00", hosts="p-[17-18]")


def t20_old_scars(place: Path, rng: Random) -> None:
    # healthy: two rows remapped long ago on one GPU, counters that never move; all steps done
    site = Site(place, rng, ("lux11", "lux12"), 8, "H100", DAY + 12000, DAY + 12000 + 4500, 150411, "t2i-unet")

    def change(at: float, node: int, gpu: int, row: Row) -> None:
        if (node, gpu) == (1, 4):
            row |= {"DEV_UNCORRECTABLE_REMAPPED_ROWS": 2, "DEV_ECC_SBE_VOL_TOTAL": 37}

    site.metrics(change)
    lines = [
        f"{stamp(at)} step {step:>6}/5500 mse {fall(rng, step, 0.99, 0.113, 400, 0.05):.4f} ({secs:.2f} s)"
        for step, at, secs in site.steps(lambda _: 0.76, site.end, 5500)
    ]
    write(place / "slurm-150411.out", [*lines, f"{stamp(site.end - 6)} 5500 steps done, EMA weights written"])
    site.sacct("COMPLETED", "0:0")
    site.dmesg(1, [])

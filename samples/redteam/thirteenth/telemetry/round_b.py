"""The second round of incidents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lab import Lab

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _busy(node: int, gpu: int, at: float) -> str:
    return "load" if at < 72 else "work"


def t15_memory_again(place: Path, rng: Random) -> None:
    hit = 6127.0
    lab = Lab(place, rng, ["s1", "s2"], 8, hit + 41, _busy, job=990)
    lab.measure(
        constant=lambda m, n, g, at: {"xid": 95.0, "dbe": 2.0}.get(m, 0.0) if (n, g) == (0, 2) and at >= hit else 0.0
    )
    lab.prometheus()
    lab.dmesg(
        0,
        [
            (
                hit - 1,
                "NVRM: Xid (PCI:0000:4c:00): 48, pid=41120, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 5, subpartition 1.",
            ),
            (
                hit - 1,
                "NVRM: Xid (PCI:0000:4c:00): 63, pid=41120, name=python, Row Remapper: New row (0x000000000b2c41a0) marked for remapping, reset gpu to activate.",
            ),
            (hit, "NVRM: Xid (PCI:0000:4c:00): 95, pid=41120, name=python, Uncontained: FBHUB. RST: Yes, D-RST: No"),
        ],
    )
    out, *_ = lab.steps(hit, 30000, lambda at: 2.0)
    out += [
        "[rank2]: Traceback (most recent call last):",
        '[rank2]:   File "/opt/t/pretrain.py", line 241, in main',
        "[rank2]: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "srun: error: s1: task 2: Exited with exit code 1",
    ]
    lab.put("slurm-990.out", out)
    lab.sacct("FAILED", "1:0", ("FAILED", "1:0"))


def t16_urgent_queue(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["u4", "u5"], 4, 5412, _busy, job=7341, offset=9, scrape=60)
    lab.measure()
    lab.prometheus()
    out, *_ = lab.steps(5408, 30000, lambda at: 1.6)
    out.append(f"slurmstepd: error: *** JOB 7341 ON u4 CANCELLED AT {lab.local(5410)} DUE TO PREEMPTION ***")
    lab.put("slurm-7341.out", out)
    lab.sacct("PREEMPTED", "0:0", ("CANCELLED", "0:15"))


def t17_after_the_firmware(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8"], 4, 4000, _busy, job=15, scrape=30)
    out, _, at = lab.steps(9e9, 1600, lambda at: 2.05)
    lab.seconds = at + 36
    lab.measure(constant=lambda m, n, g, at: 13.0 if (m, n, g) == ("xid", 5, 1) else 0.0)
    lab.prometheus()
    lab.dmesg(
        5,
        [
            (
                -52000.0,
                "NVRM: Xid (PCI:0000:3b:00): 13, pid=9912, name=python3, Graphics SM Warp Exception on (GPC 3, TPC 2, SM 0): Out Of Range Address",
            ),
            (2210.0, "mlx5_core 0000:19:00.0: temp_warn:191:(pid 0): High temperature on sensors with bit set 0x0 0x1"),
        ],
    )
    out.append(
        f"{lab.local(at + 25, '%Y-%m-%d %H:%M:%S')} [rank0] saved final checkpoint to /ckpt/w/final; training finished after 1600 steps"
    )
    lab.put("slurm-15.out", out)
    lab.sacct("COMPLETED", "0:0", ("COMPLETED", "0:0"))


def t18_new_kernel_op(place: Path, rng: Random) -> None:
    hit = 802.0
    lab = Lab(place, rng, ["y7", "y8"], 8, hit + 20, _busy, job=6402)
    lab.measure(constant=lambda m, n, g, at: 31.0 if m == "xid" and at >= hit else 0.0)
    lab.prometheus()
    for node in range(2):
        lab.dmesg(
            node,
            [
                (
                    hit + gpu / 9,
                    f"NVRM: Xid (PCI:0000:{lab.bus(gpu)}:00): 31, pid={5100 + gpu}, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_0 faulted @ 0x7f2a_3c0{gpu}0000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
                )
                for gpu in range(8)
            ],
        )
    out, *_ = lab.steps(hit, 500, lambda at: 2.0)
    for rank in range(16):
        out += [
            f"[rank{rank}]: Traceback (most recent call last):",
            f'[rank{rank}]:   File "/w/ops/ragged_attn.py", line 77, in forward',
            f"[rank{rank}]:     _C.ragged_fwd(q, k, v, offsets, out)",
            f"[rank{rank}]: RuntimeError: CUDA error: an illegal memory access was encountered",
        ]
    lab.put("slurm-6402.out", out)
    lab.sacct("FAILED", "1:0", ("FAILED", "1:0"))


def t19_lonely_card(place: Path, rng: Random) -> None:
    lab = Lab(
        place,
        rng,
        ["z9"],
        1,
        25210,
        lambda n, g, at: "load" if at < 72 else "work" if at < 3010 else "wait",
        job=31,
        scrape=60,
    )
    lab.measure()
    lab.prometheus()
    out, *_ = lab.steps(3010, 20000, lambda at: 1.1)
    out.append(f"slurmstepd: error: *** JOB 31 ON z9 CANCELLED AT {lab.local(25209)} ***")
    lab.put("slurm-31.out", out)
    lab.sacct("CANCELLED by 1004", "0:0", ("CANCELLED", "0:15"))


def t20_second_opinion(place: Path, rng: Random) -> None:
    lab = Lab(place, rng, ["h1", "h2"], 8, 4000, _busy, job=501, scrape=15)
    out, _, at = lab.steps(9e9, 1200, lambda at: 2.4)
    lab.seconds = at + 30
    lab.measure()
    lab.prometheus()
    lab.sacct("COMPLETED", "0:0", ("COMPLETED", "0:0"))
    out.append(
        f"{lab.local(at + 25, '%Y-%m-%d %H:%M:%S')} [rank0] saved final checkpoint to /ckpt/h/final; training finished after 1200 steps"
    )
    out.append(
        "[rank3]:[W1012 07:31:02.221 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())"
    )
    lab.put("slurm-501.out", out)

"""Incidents of round B."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .world import DEFAULT, Row, Site, utc

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_NCCL_LOST = "Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5"


def _loss(step: int, rng: Random, start: float, end: float, tau: float) -> float:
    return (end + (start - end) * math.exp(-step / tau)) * math.exp(rng.gauss(0, 0.008))


def t09_a_row_of_memory(place: Path, rng: Random) -> None:
    """An uncorrectable error in GPU 1 of the second node: counter, row remapping, Xid 94 and 63, and the rank dies of it."""
    site = Site(
        place, rng, 145520, ["h200-11", "h200-12"], 8, utc("2026-03-11T10:00:00"), 58, chip="NVIDIA H200", memory=143771
    )
    bad = site.end - 25

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if (node, gpu) == ("h200-12", 1) and at >= bad:
            row |= {"dbe": 1, "remap_u": 1, "xid": 94}
        if at >= bad:
            row |= {"sm": 0.0, "tensor": 0.0, "engine": 0.3}

    site.metrics(change, cadence=10)
    out = []
    for step, at, took in site.steps(lambda _: 1.1, until=bad):
        if step % 20 == 0:
            out.append(
                f"0: {site.local(at)} step={step} ce={_loss(step, rng, 10.9, 2.7, 500):.4f} ms={took * 1000:.0f}"
            )
    out += [
        "9: Traceback (most recent call last):",
        '9:   File "/w/train/step.py", line 88, in optimizer_step',
        "9:     total_norm = clip_grad_norm_(params, 1.0)",
        "9: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "9: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    ]
    out += [
        f"{rank}: [rank{rank}]:[E311 10:57:41.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] {_NCCL_LOST}"
        for rank in (3, 8, 10, 14)
    ]
    out += ["srun: error: h200-12: task 1: Exited with exit code 1", "srun: Terminating StepId=145520.0"]
    site.write("slurm-145520.out", out)
    site.dmesg("h200-12", [
        (bad, "NVRM: Xid (PCI:0000:2a:00): 94, pid=90511, name=python, Contained: CE User Channel (0x9). RST: No, D-RST: No"),
        (bad, "NVRM: Xid (PCI:0000:2a:00): 63, pid=90511, name=python, Row Remapper: New row (0x00000000011dc9a0) marked for remapping, reset gpu to activate."),
        (bad + 1, "NVRM: Xid (PCI:0000:2a:00): 45, pid=90511, name=python, Ch 00000012"),
    ])  # fmt: skip
    site.dmesg("h200-11", [])
    site.sacct("FAILED", "1:0", [("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "1:0")])


def t10_first_evaluation(place: Path, rng: Random) -> None:
    """All goes well until the first evaluation, at step 1000, whose code asks for a key that is not there: on every rank."""
    site = Site(
        place,
        rng,
        7741,
        ["node3", "node4"],
        4,
        utc("2026-04-02T07:00:00"),
        26,
        zone=9,
        chip="NVIDIA A100-SXM4-40GB",
        memory=40960,
        busy={"clock": 1410, "power": 340},
    )
    site.metrics(lambda *_: None, fields=DEFAULT, until=site.end - 8)
    steps = [(step, at) for step, at, _ in site.steps(lambda _: 1.46) if step <= 1000]
    for rank in range(8):
        lines = (
            [
                f"{site.local(at)} [R{rank}] train step {step}: loss {_loss(step, rng, 7.1, 2.9, 300):.4f}"
                for step, at in steps
                if step % 50 == 0
            ]
            if rank in (0, 4)
            else [f"[R{rank}] ready"]
        )
        lines += [
            f"[R{rank}] evaluating at step 1000",
            "Traceback (most recent call last):",
            '  File "/home/k/asr/fit.py", line 402, in <module>',
            "    Trainer(cfg).fit()",
            '  File "/home/k/asr/fit.py", line 318, in fit',
            "    report = self.evaluate(step)",
            '  File "/home/k/asr/fit.py", line 361, in evaluate',
            "    refs = [self.norm(x['transcript_norm']) for x in batch]",
            "KeyError: 'transcript_norm'",
        ]
        site.write(f"{site.nodes[rank // 4]}/rank{rank}.err", lines)
    for node in site.nodes:
        site.dmesg(node, [])
    site.sacct("FAILED", "1:0", [("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "1:0")])


def t11_one_of_eight_is_gone(place: Path, rng: Random) -> None:
    """Node w6 stops answering in mid-step: its metrics end, Slurm sets it down and ends the job."""
    site = Site(place, rng, 903311, [f"w{i}" for i in range(1, 9)], 4, utc("2026-05-18T16:05:00"), 97, zone=3)
    gone = site.end - 320

    def change(at: float, node: str, gpu: int, row: Row) -> bool | None:
        if at >= gone and node == "w6":
            return False
        if at >= gone:
            row |= {"engine": 1.0, "sm": 0.01, "tensor": 0.0, "power": 190}
        return None

    site.metrics(change, cadence=20)
    out = [
        f"{site.local(at)} 00 | it {step:6d} | loss {_loss(step, rng, 11.0, 2.5, 900):.3f} | {took:.2f} s/it"
        for step, at, took in site.steps(lambda _: 1.7, until=gone)
        if step % 25 == 0
    ]
    out += [
        f"slurmstepd-w1: error: *** JOB 903311 ON w1 CANCELLED AT {site.local(site.end)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        "srun: error: Node failure on w6",
    ]
    site.write("pretrain-903311.out", out)
    form = "[%Y-%m-%dT%H:%M:%S.118]"
    site.write(
        "slurmctld.log",
        [
            f"{site.local(site.begin, form)} sched/backfill: _start_job: Started JobId=903311 in gpu on w[1-8]",
            f"{site.local(gone + 100, form)} error: Nodes w6 not responding",
            f"{site.local(site.end, form)} error: Nodes w6 not responding, setting DOWN",
            f"{site.local(site.end, form)} Killing JobId=903311 on failed node w6",
        ],
    )
    site.sacct(
        "NODE_FAIL", "0:0", [("batch", "CANCELLED", "0:15"), ("extern", "NODE_FAIL", "0:0"), ("0", "NODE_FAIL", "0:0")]
    )


def t12_had_to_make_room(place: Path, rng: Random) -> None:
    """Preempted by a job of higher rank, put back into the queue, and waiting there."""
    site = Site(place, rng, 118002, ["ka-01", "ka-02", "ka-03"], 8, utc("2026-02-03T09:30:00"), 44, zone=1)
    site.metrics(lambda *_: None, fields=DEFAULT, cadence=30, until=site.end - 20)
    out = [
        f"[{site.local(at)}] update {step}, loss {_loss(step, rng, 10.4, 2.8, 400):.4f}, {took:.3f}s"
        for step, at, took in site.steps(lambda _: 2.05, until=site.end - 30)
        if step % 10 == 0
    ]
    out += [
        f"[{site.local(site.end - 29)}] got SIGTERM, saving to /ck/118002/last",
        f"[{site.local(site.end - 4)}] saved, leaving",
        f"slurmstepd-ka-01: error: *** JOB 118002 ON ka-01 CANCELLED AT {site.local(site.end)} DUE TO PREEMPTION ***",
    ]
    site.write("log.118002", out)
    waiting = f"118002|train|mira|gpu|PENDING|0:0|0:0|{site.local(site.end)}|Unknown|Unknown|00:00:00|2-00:00:00|3|None assigned|billing=288,cpu=288,gres/gpu=24,mem=3000G,node=3|"
    site.write(
        "sacct_-D.txt",
        [
            site.SACCT,
            *site.account(
                "PREEMPTED",
                "0:0",
                [("batch", "CANCELLED", "0:15"), ("extern", "COMPLETED", "0:0"), ("0", "CANCELLED", "0:15")],
            ),
            waiting,
        ],
    )


def t13_saves_and_saves(place: Path, rng: Random) -> None:
    """A checkpoint of 300 GB every ten steps: 20 s of work, 75 s of writing, over and over, on all GPUs alike."""
    site = Site(place, rng, 55018, ["sx1", "sx2", "sx3", "sx4"], 8, utc("2026-01-28T20:00:00"), 70)
    saves: list[tuple[float, float]] = []
    out, at, step = [], site.begin + 80, 0
    while at < site.end - 120:
        for _ in range(10):
            step, took = step + 1, rng.gauss(2.0, 0.03)
            at += took
            out.append(
                f"{site.local(at)} step {step} of 40000: loss={_loss(step, rng, 10.8, 4.0, 400):.4f}, step took {took:.2f}s"
            )
        took = rng.gauss(75, 3)
        out += [
            f"{site.local(at)} saving /lustre/big/step{step:06d} (302 GB, synchronous)",
            f"{site.local(at + took)} saved /lustre/big/step{step:06d} in {took:.1f}s",
        ]
        saves.append((at, at + took))
        at += took

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if any(a <= at < b for a, b in saves):
            row |= {"engine": 0.01, "sm": 0.0, "tensor": 0.0, "dram": 0.01, "power": 131, "temp": 43}

    site.metrics(change, tail=0, cadence=10)
    site.write("slurm-55018.out", out)
    site.sacct("RUNNING", "0:0")


def t14_links_at_a_tenth(place: Path, rng: Random) -> None:
    """In minute 20 InfiniBand falls back to a tenth of its rate: all ranks spend the step in all-reduce, none more than another."""
    site = Site(place, rng, 440190, ["q01", "q02", "q05", "q06"], 8, utc("2026-03-30T01:00:00"), 75, zone=2)
    slow = site.begin + 1200

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if at >= slow:
            row |= {
                "engine": 1.0,
                "sm": rng.gauss(0.13, 0.008),
                "tensor": rng.gauss(0.07, 0.003),
                "dram": 0.08,
                "power": 236 + rng.gauss(0, 5),
                "temp": 48,
            }

    sent = []
    for node in site.nodes:
        count, values = 3.1e14, []
        for i in range(300):
            at = site.begin + 15 * i
            count += 15 * (0 if at < site.begin + 80 else 4.4e10 if at < slow else 4.1e9)
            values.append((at, count))
        sent.append(
            (
                "node_infiniband_port_data_transmitted_bytes_total",
                {"instance": f"{node}:9100", "job": "node", "device": "mlx5_0", "port": "1"},
                values,
            )
        )
    site.metrics(change, tail=0, also=sent)
    steps = list(site.steps(lambda t: 1.6 if t < slow else 9.8))
    for rank in range(0, 32, 4):
        lines = []
        for step, at, took in steps:
            if step % 5 == 0:
                comm = took * (0.16 if at < slow + 10 else 0.862) + rng.gauss(0, 0.02)
                lines.append(
                    f"{site.local(at)} rank {rank:2d} step {step:5d} loss {_loss(step, rng, 10.7, 3.0, 350):.4f} total {took:.2f}s fwd_bwd {took - comm:.2f}s grad_allreduce {comm:.2f}s data 0.01s"
                )
        site.write(f"ranks/rank{rank}.log", lines)
    site.sacct("RUNNING", "0:0")


def t15_four_hours_were_not_enough(place: Path, rng: Random) -> None:
    """At work to the last second, and ended by the limit of four hours at three quarters of the plan."""
    site = Site(place, rng, 26644, ["m-12", "m-13"], 8, utc("2026-06-09T12:00:00"), 240, zone=2)
    site.metrics(lambda *_: None, fields=DEFAULT, cadence=60)
    out = [
        f"{site.local(at)} step {step}/9600 loss {_loss(step, rng, 10.5, 2.4, 1500):.4f} {took:.2f}s"
        for step, at, took in site.steps(lambda _: 1.97, until=site.end - 1)
        if step % 30 == 0
    ]
    out += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB 26644 ON m-12 CANCELLED AT {site.local(site.end)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** STEP 26644.0 ON m-12 CANCELLED AT {site.local(site.end)} DUE TO TIME LIMIT ***",
    ]
    site.write("slurm-26644.out", out)
    site.sacct(
        "TIMEOUT",
        "0:0",
        [("batch", "CANCELLED", "0:15"), ("extern", "COMPLETED", "0:0"), ("0", "CANCELLED", "0:15")],
        limit="04:00:00",
    )


def t16_a_guest_on_one_host(place: Path, rng: Random) -> None:
    """From minute 18 somebody's compression takes the cores of one node: its four ranks launch late, twelve others wait for them."""
    site = Site(
        place,
        rng,
        60606,
        ["t1", "t2", "t3", "t4"],
        4,
        utc("2026-04-14T18:45:00"),
        62,
        chip="NVIDIA A100-SXM4-80GB",
        memory=81920,
        busy={"clock": 1410, "power": 350},
    )
    slow = site.begin + 1080

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if at >= slow:
            mine = node == "t3"
            row |= {
                "engine": rng.gauss(0.66, 0.02) if mine else 1.0,
                "sm": rng.gauss(0.28, 0.01) if mine else rng.gauss(0.35, 0.01),
                "tensor": 0.13,
                "dram": 0.15,
                "power": 207 + rng.gauss(0, 4),
                "temp": 49,
            }

    load = [
        (
            "node_load1",
            {"instance": f"{node}:9100", "job": "node"},
            [
                (site.begin + 15 * i, (131 if node == "t3" and 15 * i > 1080 else 6.5) + rng.gauss(0, 0.4))
                for i in range(248)
            ],
        )
        for node in site.nodes
    ]
    site.metrics(change, tail=0, also=load)
    steps = list(site.steps(lambda t: 0.81 if t < slow else 2.3))
    for rank in range(16):
        lines = []
        for step, at, took in steps:
            if step % 20 == 0:
                own = took - 0.05 if at > slow + 5 and rank // 4 == 2 else rng.gauss(0.72, 0.01)
                lines.append(
                    f"{site.local(at)} step {step} rank {rank} loss {_loss(step, rng, 9.7, 3.3, 900):.4f} local_work {own * 1e3:.0f}ms waiting_for_others {max(8.0, (took - own) * 1e3):.0f}ms"
                )
        site.write(f"{site.nodes[rank // 4]}/out.{rank}", lines)
    site.sacct("RUNNING", "0:0")


def t17_a_bridge_between_two(place: Path, rng: Random) -> None:
    """Errors on the link between GPUs 2 and 3 of one node count up for minutes, until Xid 74 ends both ranks."""
    site = Site(
        place,
        rng,
        331,
        ["rack2-n7", "rack2-n8"],
        4,
        utc("2026-05-25T23:10:00"),
        52,
        zone=-7,
        chip="NVIDIA A100-SXM4-80GB",
        memory=81920,
        busy={"clock": 1410, "power": 345},
    )
    first, last = site.begin + 2400, site.end - 30

    def change(at: float, node: str, gpu: int, row: Row) -> None:
        if node == "rack2-n8" and gpu in (2, 3) and at >= first:
            row |= {"crc": 4 * (at - first), "replay": 0.3 * (at - first)}
            if at >= last:
                row |= {"xid": 74, "sm": 0.0, "engine": 0.2}

    site.metrics(change)
    out = [
        f"0: {site.local(at)} | {step:6d} | {_loss(step, rng, 10.2, 3.1, 600):.4f} | {took * 1e3:.0f} ms"
        for step, at, took in site.steps(lambda _: 1.02, until=last)
        if step % 40 == 0
    ]
    for rank in (6, 7):
        out += [
            f"{rank}: Traceback (most recent call last):",
            f'{rank}:   File "/home/o/moe/pretrain.py", line 266, in <module>',
            f"{rank}:     torch.cuda.synchronize()",
            f"{rank}: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution",
            f"{rank}: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        ]
    out += ["srun: error: rack2-n8: tasks 2-3: Exited with exit code 1", "srun: Terminating StepId=331.0"]
    site.write("moe.331.out", out)
    site.dmesg(
        "rack2-n8",
        [
            (
                last + k,
                f"NVRM: Xid (PCI:0000:{bus}:00): 74, pid={4410 + k}, name=python, NVLink: fatal error detected on link {link}(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
            )
            for k, (bus, link) in enumerate((("81", 4), ("c1", 4)))
        ],
    )
    site.dmesg("rack2-n7", [])
    site.sacct("FAILED", "1:0", [("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "1:0")])


def t18_its_owner_had_enough(place: Path, rng: Random) -> None:
    """In full work, and cancelled by the user who had started it."""
    site = Site(place, rng, 81245, ["z4", "z5"], 8, utc("2026-03-05T13:00:00"), 38, zone=1)
    site.metrics(lambda *_: None, cadence=30, fields=DEFAULT)
    out = [
        f"{site.local(at)} INFO it={step} nll={_loss(step, rng, 9.9, 2.9, 500):.4f} dt={took:.2f}"
        for step, at, took in site.steps(lambda _: 1.5, until=site.end - 1)
        if step % 20 == 0
    ]
    out += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd-z4: error: *** STEP 81245.0 ON z4 CANCELLED AT {site.local(site.end)} ***",
    ]
    site.write("slurm-81245.out", out)
    site.write(
        "slurmctld.log", [f"[{site.local(site.end)}.402] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=81245 uid 5044"]
    )
    site.sacct(
        "CANCELLED by 5044",
        "0:0",
        [("batch", "CANCELLED", "0:15"), ("extern", "COMPLETED", "0:0"), ("0", "CANCELLED", "0:15")],
    )

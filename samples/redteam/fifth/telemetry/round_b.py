"""Sixteen jobs of the second round, written before anything was known of how the first was met."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .plant import (
    A100,
    A100_40,
    B200,
    DEFAULT,
    EMPTY,
    H100,
    H200,
    HELD,
    L40S,
    LEAN,
    RICH,
    SPIN,
    STARVED,
    WORK,
    Site,
    State,
    account,
    answer,
    dmesg,
    elapsed,
    pci,
    replace,
    short,
    steps,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 1_793_200_000.0


def quiet(out: Path, site: Site, *, iso: bool = False) -> None:
    for host in site.nodes:
        dmesg(out / "kernel" / f"{host}.log", site, [], iso=iso)


def drop(step: int, top: float, floor: float, half: float) -> float:
    return floor + (top - floor) / math.pow(1 + step / half, 0.65)


def t13_rack(out: Path, rng: Random) -> None:
    """The power supply of a rack fails over; the boards of three nodes are braked for the rest of the run."""
    site = Site(
        rng,
        66_120,
        "mm-pretrain",
        [f"r{rack}u{unit}" for rack, unit in ((4, 11), (4, 13), (4, 15), (7, 11), (7, 13), (7, 15))],
        8,
        B200,
        DAY,
        DAY + 7500,
        30,
        0.0,
        bare=True,
        missed=0.01,
    )
    brake = site.begin + 3120

    def mode(node: int, _gpu: int, at: float) -> State | None:
        if not site.begin + 120 < at < site.end - 40:
            return EMPTY
        if at < brake:
            return replace(WORK, power=0.88)
        if node < 3:
            return replace(WORK, clock=0.37, power=0.36, tensor=0.2, dram=0.19, reasons=0x88)
        return replace(WORK, engine=0.99, sm=0.33, tensor=0.2, dram=0.18, power=0.45, clock=1.0, reasons=0)

    site.metrics(out, RICH, mode, one_file=False)
    done = steps(rng, site.begin + 133, site.end - 60, lambda now: 3.4 if now < brake else 7.6)
    log = []
    for step, at, took in done:
        log.append(
            f"I {site.local(at, '%m%d %H:%M:%S')} trainer.py:211] [{step}/{done[-1][0]}] nll={drop(step, 11.1, 2.4, 110) + rng.gauss(0, 0.02):.4f} sec/step={took:.2f} tokens/s/gpu={48000 / took:.0f}"
        )
    log.append(
        f"I {site.local(site.end - 45, '%m%d %H:%M:%S')} trainer.py:260] reached step {done[-1][0]}, final checkpoint complete"
    )
    write(out / "mm-pretrain_66120.log", log)
    quiet(out, site)
    site.sacct(
        out / "sacct-66120.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
    )


def t14_small_files(out: Path, rng: Random) -> None:
    """Nine tenths of each step are spent on reading small files."""
    site = Site(rng, 5_520_871, "histo-vit", ["gn-1", "gn-2"], 8, H100, DAY + 100_000, DAY + 100_000 + 6300, 15, 1.0)

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return STARVED if site.begin + 60 < at < site.end - 20 else EMPTY

    site.metrics(out, RICH, mode)
    done = steps(rng, site.begin + 70, site.end - 40, lambda _: 4.71, 0.09)
    log = []
    for step, at, took in done:
        if step % 10 == 0:
            gpu = 0.33 * math.exp(rng.gauss(0, 0.03))
            log.append(
                f"[{site.local(at, '%d.%m.%Y %H:%M:%S')}] epoch 1 batch {step}/{done[-1][0]}  loss {drop(step, 2.1, 0.7, 150) + rng.gauss(0, 0.04):.3f}  t_batch {took:.2f}s  t_load {took - gpu:.2f}s  t_gpu {gpu:.2f}s"
            )
    log.append(f"[{site.local(site.end - 30, '%d.%m.%Y %H:%M:%S')}] epoch 1 done, weights written, bye")
    write(out / "histo.out", log)
    quiet(out, site)
    site.sacct(
        out / "acct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
        wide=True,
    )


def t15_every_step(out: Path, rng: Random) -> None:
    """`save_every` stood at 1: nine seconds of writing after each second of work."""
    site = Site(
        rng,
        140_022,
        "phi-sft",
        [f"amp{at}" for at in range(1, 5)],
        4,
        A100,
        DAY + 200_000,
        DAY + 200_000 + 5400,
        30,
        0.0,
    )

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return (
            State(0.13, 0.125, 0.09, 0.05, 0.05, 0.22, 1.0, 0.7, 2e10, 6e8, 0, bursts=0.13)
            if site.begin + 80 < at < site.end - 25
            else EMPTY
        )

    site.metrics(out, RICH, mode)
    done = steps(rng, site.begin + 90, site.end - 50, lambda _: 10.6, 0.05)
    log = ["config: save_every=1 keep_last=3 max_steps=" + str(done[-1][0])]
    for step, at, took in done:
        log.append(
            f"{site.millis(at - took + 1.35)} step {step} loss {drop(step, 1.9, 0.8, 60) + rng.gauss(0, 0.03):.4f} step_time 1.34"
        )
        log.append(f"{site.millis(at)} saved checkpoint /nfs/phi/step-{step} ({took - 1.4:.1f} s, 28.4 GB)")
    log.append(f"{site.millis(site.end - 40)} max_steps reached, training finished")
    write(out / "phi-sft.140022.out", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "accelerate", "COMPLETED", "0:0")],
    )


def t16_ethernet(out: Path, rng: Random) -> None:
    """NCCL found no InfiniBand and sends gradients through the management network."""
    site = Site(
        rng,
        8_804,
        "olmo-13b",
        [f"ib{at:02d}" for at in range(40, 44)],
        8,
        H100,
        DAY + 300_000,
        DAY + 300_000 + 7200,
        30,
        0.0,
        missed=0.02,
    )

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return (
            State(1.0, 0.997, 0.085, 0.045, 0.05, 0.27, 1.0, 0.8, 2e10, 3e8, 0)
            if site.begin + 200 < at < site.end - 30
            else EMPTY
        )

    site.metrics(out, RICH, mode)
    log = []
    for rank in range(0, 32, 8):
        host, pid = site.nodes[rank // 8], 9100 + rank
        log += [
            f"{host}:{pid}:{pid} [0] NCCL INFO {text}"
            for text in (
                f"Bootstrap: Using eno1:10.40.0.{40 + rank // 8}<0>",
                "NET/IB : No device found.",
                f"NET/Socket : Using [0]eno1:10.40.0.{40 + rank // 8}<0>",
                "Using network Socket",
            )
        ]
        log.append(
            f"{host}:{pid}:{pid + 77} [0] NCCL INFO Channel 00/0 : {rank}[0] -> {(rank + 8) % 32}[0] [send] via NET/Socket/0"
        )
    done = steps(rng, site.begin + 230, site.end - 50, lambda _: 21.4, 0.02)
    for step, at, took in done:
        log.append(
            f"{site.local(at)} step={step}/{done[-1][0]} loss={drop(step, 11.0, 2.6, 30):.4f} time={took:.2f} fwd_bwd={1.92 + rng.gauss(0, 0.02):.2f} grad_sync={took - 2.05:.2f} opt=0.11 mfu={1.92 / took * 0.46:.3f}"
        )
    log.append(f"{site.local(site.end - 35)} finished {done[-1][0]} steps")
    write(out / "olmo.log", log)
    quiet(out, site, iso=True)
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
    )


def t17_link(out: Path, rng: Random) -> None:
    """A link between two GPUs fails; the rank on one end says so, and the job goes down with it."""
    site = Site(
        rng,
        233_910,
        "nemotron-sft",
        [f"p{at}" for at in (2, 3, 5)],
        8,
        A100,
        DAY + 400_000,
        DAY + 400_000 + 4660,
        30,
        -4.0,
    )
    bad = site.end - 18

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return WORK if site.begin + 90 < at < bad else EMPTY

    site.counts = {
        "DCGM_FI_DEV_XID_ERRORS": lambda node, gpu, at: 74 if node == 2 and gpu in (1, 6) and at > bad else 0
    }
    site.metrics(out, DEFAULT, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 100, bad, lambda _: 2.05):
        if step % 10 == 0:
            log.append(
                f" [{site.local(at, '%Y-%m-%d %H:%M:%S')}.000000] iteration {step:8d}/   20000 | consumed samples: {step * 256:12d} | elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: 1.0E-05 | global batch size:   256 | lm loss: {drop(step, 1.8, 0.9, 60):.6E} | loss scale: 1.0 | grad norm: {math.exp(rng.gauss(0, 0.1)):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
    log += [
        "[rank17]: Traceback (most recent call last):",
        '[rank17]:   File "/w/pretrain_gpt.py", line 288, in <module>',
        '[rank17]:   File "/w/megatron/training/training.py", line 1320, in train_step',
        "[rank17]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution",
        "srun: error: p5: task 17: Exited with exit code 1",
        "srun: Terminating StepId=233910.0",
        "srun: error: p2: tasks 0-7: Terminated",
        "srun: error: p3: tasks 8-15: Terminated",
    ]
    write(out / "sft.log", log)
    for node, host in enumerate(site.nodes):
        rows = [
            (
                bad - 0.5 + k / 10,
                f"NVRM: Xid ({pci(gpu)}): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link {link}(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
            )
            for k, (gpu, link) in enumerate(((1, 5), (6, 9)))
        ]
        rows.append((bad - 0.3, "nvidia-nvswitch3: SXid (PCI:0000:c4:00.0): 20034, Fatal, Link 22 LTSSM Fault Up"))
        dmesg(out / "kernel" / f"{host}.log", site, rows if node == 2 else [])
    site.sacct(
        out / "sacct.txt", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "python", "FAILED", "1:0")]
    )


def t18_crowded_host(out: Path, rng: Random) -> None:
    """Somebody's build runs on one of six hosts; its four ranks come late to every collective."""
    site = Site(
        rng,
        71_330,
        "unet-era5",
        [f"lx{at}" for at in range(60, 66)],
        4,
        L40S,
        DAY + 500_000,
        DAY + 500_000 + 5700,
        30,
        0.0,
        missed=0.015,
    )

    def mode(node: int, _gpu: int, at: float) -> State | None:
        if not site.begin + 60 < at < site.end - 20:
            return EMPTY
        if node == 3:
            return replace(
                WORK, util=0.55, engine=0.47, sm=0.36, tensor=0.17, dram=0.2, power=0.58, clock=1.0, nvlink=0, reasons=0
            )
        return replace(WORK, engine=0.995, sm=0.4, tensor=0.17, dram=0.2, power=0.6, clock=1.0, nvlink=0, reasons=0)

    site.metrics(out, RICH, mode)
    loads: list[dict[str, object]] = []
    for node, host in enumerate(site.nodes):
        values = [
            [at, f"{rng.gauss(391, 14) if node == 3 else rng.gauss(17, 2):.2f}"]
            for at in range(int(site.begin), int(site.end), 30)
        ]
        loads.append(
            {"metric": {"__name__": "node_load1", "instance": f"{host}:9100", "job": "node"}, "values": values}
        )
    answer(out / "node_load1.json", loads)
    done = steps(rng, site.begin + 70, site.end - 30, lambda _: 1.62)
    for rank in range(24):
        late, log = rank // 4 == 3, []
        for step, at, took in done[::4]:
            prep = 0.86 * math.exp(rng.gauss(0, 0.05)) if late else 0.04 * math.exp(rng.gauss(0, 0.1))
            gpu = 0.71 + rng.gauss(0, 0.006)
            log.append(
                f"{site.millis(at)} rank={rank} step={step}/{done[-1][0]} loss={drop(step, 0.9, 0.13, 200):.5f} host_prep={prep:.3f} fwd_bwd={gpu:.3f} wait_allreduce={max(0.02, took - prep - gpu):.3f} total={took:.3f}"
            )
        log.append(f"{site.millis(site.end - 25)} rank={rank} training complete")
        write(out / "ranks" / site.nodes[rank // 4] / f"rank{rank}.log", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
    )


def t19_short_limit(out: Path, rng: Random) -> None:
    """Two hours were asked for; the run needed five."""
    site = Site(
        rng,
        902_118,
        "whisper-ft",
        [f"b{at}" for at in range(10, 18)],
        4,
        A100_40,
        DAY + 600_000,
        DAY + 600_000 + 7205,
        60,
        3.0,
        limit="02:00:00",
        bare=True,
    )

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return WORK if site.begin + 90 < at < site.end - 2 else EMPTY

    site.counts = {"DCGM_FI_DEV_XID_ERRORS": lambda _n, _g, _t: 0}
    site.metrics(out, LEAN, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 101, site.end - 2, lambda _: 1.77):
        if step % 25 == 0:
            log.append(
                f"{site.local(at, '%H:%M:%S')} {step}/10000 ce={drop(step, 4.2, 0.6, 120) + rng.gauss(0, 0.02):.4f} wer=- {took:.2f}s/it"
            )
    log += [
        f"slurmstepd: error: *** STEP 902118.0 ON b10 CANCELLED AT {site.local(site.end)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** JOB 902118 ON b10 CANCELLED AT {site.local(site.end)} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    write(out / "whisper-902118.out", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "TIMEOUT",
        "0:0",
        [("batch", "batch", "CANCELLED", "0:15"), ("0", "python", "CANCELLED", "0:15")],
    )


def t20_called_off(out: Path, rng: Random) -> None:
    """The user cancels a run that goes well."""
    site = Site(rng, 44_871, "dit-256", ["q7", "q8"], 8, H200, DAY + 700_000, DAY + 700_000 + 3333, 15, 0.0)

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return WORK if site.begin + 50 < at < site.end else EMPTY

    site.metrics(out, RICH, mode)
    log = []
    for step, at, _ in steps(rng, site.begin + 61, site.end - 1, lambda _: 0.391):
        if step % 100 == 0:
            log.append(
                f"[{site.local(at, '%Y-%m-%d %H:%M:%S')}] (step={step:07d}) Train Loss: {drop(step, 0.98, 0.148, 200) + rng.gauss(0, 0.002):.4f}, Train Steps/Sec: {1 / 0.391 + rng.gauss(0, 0.02):.2f}"
            )
    log += [
        f"slurmstepd: error: *** STEP 44871.0 ON q7 CANCELLED AT {site.local(site.end)} ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB 44871 ON q7 CANCELLED AT {site.local(site.end)} ***",
    ]
    write(out / "dit.44871.out", log)
    write(
        out / "slurmctld.log",
        [
            f"[{site.local(site.end)}.786] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=44871 uid 10417",
            f"[{site.local(site.end)}.787] job_signal: 9 of running JobId=44871 successful 0x8004",
        ],
    )
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "CANCELLED by 10417",
        "0:0",
        [("batch", "batch", "CANCELLED", "0:15"), ("0", "python", "CANCELLED", "0:9")],
    )


def t21_last_table(out: Path, rng: Random) -> None:
    """The first epoch is over, and the table of its scores asks for a column nobody made."""
    site = Site(rng, 1_309, "reranker", ["x1", "x2"], 8, H100, DAY + 800_000, DAY + 800_000 + 4380, 30, 5.5)
    bad = site.end - 11

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        if not site.begin + 70 < at < bad:
            return EMPTY
        return (
            replace(WORK, power=0.7, tensor=0.26)
            if at < bad - 75
            else replace(HELD, util=0.4, engine=0.38, sm=0.2, power=0.3, memory=0.7)
        )

    site.metrics(out, DEFAULT, mode, one_file=False)
    done = steps(rng, site.begin + 82, bad - 76, lambda _: 0.602)
    log = []
    for step, at, _ in done:
        if step % 200 == 0:
            log.append(
                f"{site.local(at, '%Y-%m-%d %H:%M')} | epoch 0 | {step}/{done[-1][0]} | margin {drop(step, 0.69, 0.22, 300) + rng.gauss(0, 0.01):.4f}"
            )
    log += ["scoring 18,000 queries of dev"]
    frames = [
        "Traceback (most recent call last):",
        '  File "/home/mkorhonen/rr/train.py", line 119, in <module>',
        "    train(args)",
        '  File "/home/mkorhonen/rr/train.py", line 101, in train',
        "    report(frame, epoch)",
        '  File "/home/mkorhonen/rr/report.py", line 34, in report',
        '    best = frame.sort_values("ndcg@10")',
        '  File "/opt/venv/lib/python3.12/site-packages/pandas/core/frame.py", line 7179, in sort_values',
        "    k = self._get_label_or_level_values(by[0], axis=axis)",
        "KeyError: 'ndcg@10'",
    ]
    log += [f"[rank0]: {frame}" for frame in frames]
    log += [
        "srun: error: x1: task 0: Exited with exit code 1",
        "srun: Terminating StepId=1309.0",
        "srun: error: x1: tasks 1-7: Terminated",
        "srun: error: x2: tasks 8-15: Terminated",
    ]
    write(out / "rr-1309.txt", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "python", "FAILED", "1:0")]
    )


def t22_never_met(out: Path, rng: Random) -> None:
    """Seven of eight hosts reach the store; the eighth cannot, and half an hour later all give up."""
    site = Site(
        rng,
        6_012,
        "grok-like",
        [f"w{at:03d}" for at in range(200, 208)],
        8,
        H100,
        DAY + 900_000,
        DAY + 900_000 + 1890,
        30,
        0.0,
    )

    def mode(_node: int, _gpu: int, _at: float) -> State | None:
        return EMPTY

    site.metrics(out, DEFAULT, mode, around=(600, 600))
    for node, host in enumerate(site.nodes):
        log = [
            f"{site.millis(site.begin + 5 + node)} {host} init_process_group backend=nccl world_size=8 rank={node} store=w200:29511 timeout=1800s"
        ]
        at = site.begin + 1815 + node
        head = f"[W{site.local(at, '%m%d %H:%M:%S')}.{rng.randint(0, 999_999_999):09d} socket.cpp:684] [c10d]"
        if node == 0:
            log += [
                "Traceback (most recent call last):",
                '  File "launch.py", line 40, in <module>',
                '    dist.init_process_group("nccl", timeout=timedelta(minutes=30))',
                "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 7/8 clients joined.",
            ]
        elif node == 6:
            log += [
                f"{head} The client socket has failed to connect to [w200]:29511 (errno: 113 - No route to host).",
                "Traceback (most recent call last):",
                '  File "launch.py", line 40, in <module>',
                '    dist.init_process_group("nccl", timeout=timedelta(minutes=30))',
                "torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to (w200, 29511).",
            ]
        else:
            log += [
                "Traceback (most recent call last):",
                '  File "launch.py", line 40, in <module>',
                '    dist.init_process_group("nccl", timeout=timedelta(minutes=30))',
                "torch.distributed.DistStoreError: wait timeout after 1800000ms, keys: /default_pg/0//worker_count",
            ]
        write(out / "out" / f"{host}.log", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "python", "FAILED", "1:0")]
    )


def t23_firmware(out: Path, rng: Random) -> None:
    """A GPU's firmware answers no more; the driver wants it reset."""
    site = Site(
        rng,
        51_007,
        "ocr-dec",
        [f"s{at}" for at in (1, 2, 3, 4)],
        8,
        H100,
        DAY + 1_000_000,
        DAY + 1_000_000 + 5110,
        15,
        0.0,
    )
    bad = site.end - 40

    def mode(node: int, gpu: int, at: float) -> State | None:
        if (node, gpu) == (3, 0) and at > bad:
            return None
        return replace(WORK, power=0.77) if site.begin + 66 < at < bad + 20 else EMPTY

    site.counts = {"DCGM_FI_DEV_XID_ERRORS": lambda _n, _g, _t: 0}
    site.metrics(out, RICH, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 77, bad, lambda _: 0.95):
        if step % 50 == 0:
            log.append(
                f"{site.local(at, '%y%m%d-%H%M%S')} upd {step} cer_loss {drop(step, 3.3, 0.4, 200):.4f} ({took:.3f}s)"
            )
    log += [
        "[rank24]: Traceback (most recent call last):",
        '[rank24]:   File "/code/ocr/loop.py", line 77, in update',
        "[rank24]:     self.scaler.step(self.opt)",
        "[rank24]: torch.AcceleratorError: CUDA error: unspecified launch failure",
        "srun: error: s4: task 24: Exited with exit code 1",
        "srun: Terminating StepId=51007.0",
        "srun: error: s1: tasks 0-7: Terminated",
        "srun: error: s4: tasks 25-31: Terminated",
    ]
    write(out / "ocr.out", log)
    for node, host in enumerate(site.nodes):
        rows = [
            (
                bad + 6 * k,
                f"NVRM: Xid ({pci(0)}): 119, pid=40118, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20800a6a 0x4).",
            )
            for k in range(3)
        ]
        rows.append(
            (
                bad + 19,
                f"NVRM: Xid ({pci(0)}): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
            )
        )
        dmesg(out / "kernel" / f"{host}.log", site, rows if node == 3 else [], iso=True)
    site.sacct(
        out / "sacct.txt", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "python", "FAILED", "1:0")]
    )


def t24_second_go(out: Path, rng: Random) -> None:
    """A node goes down; the job is put back, gets another node, loads its checkpoint and ends as planned."""
    site = Site(
        rng,
        18_244,
        "esm-3b",
        [f"k{at:02d}" for at in (1, 2, 3, 4, 9)],
        4,
        A100,
        DAY + 1_100_000,
        DAY + 1_100_000 + 9000,
        60,
        0.0,
    )
    dead, again = site.begin + 4000, site.begin + 4700

    def mode(node: int, _gpu: int, at: float) -> State | None:
        if node == 1 and at > dead:
            return None
        if at < dead + 300:
            return EMPTY if node == 4 or at < site.begin + 80 else WORK if at < dead else SPIN
        return WORK if again + 120 < at < site.end - 15 and node != 1 else EMPTY

    site.metrics(out, DEFAULT, mode)
    first = steps(rng, site.begin + 90, dead, lambda _: 1.2)
    kept = first[-1][0] // 500 * 500
    second = steps(rng, again + 130, site.end - 20, lambda _: 1.2, first=kept + 1)
    total = second[-1][0]
    log = ["no checkpoint in /ck/esm-3b, starting at step 0"]
    for part in (first, second):
        for step, at, took in part:
            if step % 20 == 0:
                log.append(
                    f"{site.millis(at)} step {step} of {total} mlm {drop(step, 3.1, 1.7, 300) + rng.gauss(0, 0.01):.4f} {took:.2f}s"
                )
            if step % 500 == 0:
                log.append(f"{site.millis(at + 5)} checkpoint /ck/esm-3b/{step} complete")
        if part is first:
            log += [
                "srun: error: Node failure on k02",
                f"slurmstepd: error: *** JOB 18244 ON k01 CANCELLED AT {site.local(dead + 300)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
                f"resumed from /ck/esm-3b/{kept}",
            ]
    log.append(f"{site.millis(site.end - 12)} all {total} steps done")
    write(out / "slurm-18244.out", log)
    nodes = [site.nodes[:4], [site.nodes[at] for at in (0, 2, 3, 4)]]
    rows = []
    for hosts, state, begin, end in (
        (nodes[0], "NODE_FAIL", site.begin, dead + 300),
        (nodes[1], "COMPLETED", again, site.end),
    ):
        rows.append(
            [
                "18244",
                "esm-3b",
                "gpu",
                "mkorhonen",
                state,
                "0:0",
                "0:0",
                site.local(begin),
                site.local(end),
                elapsed(end - begin),
                "1-00:00:00",
                "4",
                short(hosts),
                "cpu=384,gres/gpu=16,node=4",
            ]
        )
    account(out / "sacct-D.txt", rows)
    quiet(out, site)


def t25_no_logs(out: Path, rng: Random) -> None:
    """FAILED 1:0, boards that worked and then did not, and no line that the job wrote."""
    site = Site(rng, 909_090, "exp", ["m1", "m2"], 8, H100, DAY + 1_200_000, DAY + 1_200_000 + 2900, 30, 0.0)

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return WORK if site.begin + 90 < at < site.end - 10 else EMPTY

    site.metrics(out, DEFAULT, mode)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "python", "FAILED", "1:0")]
    )


def t26_quota(out: Path, rng: Random) -> None:
    """The third checkpoint finds the file system full."""
    site = Site(
        rng, 62_004, "mamba-7b", ["d1", "d2", "d3", "d4"], 4, H200, DAY + 1_300_000, DAY + 1_300_000 + 4100, 30, 0.0
    )
    bad = site.end - 15

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return WORK if site.begin + 100 < at < bad else EMPTY

    site.metrics(out, RICH, mode)
    log = []
    for step, at, took in steps(rng, site.begin + 110, bad, lambda _: 1.3):
        if step % 10 == 0:
            log.append(f"{site.millis(at)} iter {step} nll {drop(step, 10.8, 2.3, 120):.4f} ms {took * 1000:.0f}")
        if step % 1000 == 0:
            log.append(f"{site.millis(at + 12)} checkpoint at {step} written (91.2 GiB)")
    frames = [
        "Traceback (most recent call last):",
        '  File "/opt/mamba/train.py", line 301, in <module>',
        "    save(state, path)",
        '  File "/opt/mamba/io.py", line 44, in save',
        "    file.write(view)",
        "OSError: [Errno 28] No space left on device",
    ]
    log += [f"[rank0]: {frame}" for frame in frames]
    log += [
        "srun: error: d1: task 0: Exited with exit code 1",
        "srun: Terminating StepId=62004.0",
        "srun: error: d2: tasks 4-7: Terminated",
    ]
    write(out / "mamba.62004", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt", "FAILED", "1:0", [("batch", "batch", "FAILED", "1:0"), ("0", "python", "FAILED", "1:0")]
    )


def t27_with_pauses(out: Path, rng: Random) -> None:
    """A job that went well, and pauses four minutes an hour to generate and to score on the CPU."""
    site = Site(
        rng,
        71_918,
        "code-rl",
        ["e1", "e2"],
        8,
        H200,
        DAY + 1_400_000,
        DAY + 1_400_000 + 8200,
        15,
        2.0,
        away=(DAY + 1_400_000 + 3000, DAY + 1_400_000 + 3240),
    )

    def pause(at: float) -> bool:
        return (at - site.begin) % 1500 > 1320

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        if not site.begin + 110 < at < site.end - 25:
            return EMPTY
        return replace(HELD, memory=0.85, clock=1.0, power=0.09, reasons=1) if pause(at) else WORK

    site.metrics(out, RICH, mode)
    total, log, step, now = 1700, list[str](), 0, site.begin + 115
    while now < site.end - 40:
        if pause(now):
            log.append(
                f"{site.millis(now)} scoring held-out problems at step {step}: pass@1 {0.31 + 0.22 * step / total + rng.gauss(0, 0.004):.3f}"
            )
            now = site.begin + math.ceil((now - site.begin) / 1500) * 1500
            continue
        step, now = step + 1, now + 3.9 * math.exp(rng.gauss(0, 0.02))
        if step % 5 == 0:
            log.append(
                f"{site.millis(now)} step {step} reward {0.28 + 0.3 * (1 - math.exp(-step / 600)) + rng.gauss(0, 0.012):.3f} kl {0.002 + 0.00001 * step:.4f} pg_loss {rng.gauss(0, 0.01):.4f} sft_loss {drop(step, 0.91, 0.42, 200) + rng.gauss(0, 0.005):.4f}"
            )
    log.append(f"{site.millis(site.end - 30)} {step} of {step} steps done, actor exported to /models/code-rl, exit 0")
    write(out / "code-rl.log", log)
    quiet(out, site)
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
    )


def t28_after_reboot(out: Path, rng: Random) -> None:
    """A job that went well on nodes one of which had lost a GPU, and was rebooted, two days before."""
    site = Site(rng, 250_001, "t5-da", ["f1", "f2", "f3"], 4, A100_40, DAY + 1_500_000, DAY + 1_500_000 + 6000, 30, 1.0)

    def mode(_node: int, _gpu: int, at: float) -> State | None:
        return replace(WORK, power=0.84) if site.begin + 70 < at < site.end - 18 else EMPTY

    site.counts = {"DCGM_FI_DEV_XID_ERRORS": lambda _n, _g, _t: 0}
    site.metrics(out, LEAN, mode)
    done = steps(rng, site.begin + 80, site.end - 35, lambda _: 1.45)
    total = done[-1][0] // 10 * 10
    log = []
    for step, at, took in done:
        if step % 10 == 0:
            log.append(
                f" [{site.local(at, '%Y-%m-%d %H:%M:%S')}.118204] iteration {step:8d}/{total:8d} | consumed samples: {step * 512:12d} | elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: {1e-3 * min(1, (400 / step) ** 0.5) * (1 - step / total):.6E} | global batch size:   512 | lm loss: {drop(step, 10.6, 1.8, 80) + rng.gauss(0, 0.02):.6E} | loss scale: 1.0 | grad norm: {math.exp(rng.gauss(-1, 0.1)):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
    log += [
        f"saving checkpoint at iteration {total:7d} to /ck/t5-da in torch_dist format",
        f"  successfully saved checkpoint from iteration {total:7d} to /ck/t5-da",
        f"[after training is done] datetime: {site.local(site.end - 20, '%Y-%m-%d %H:%M:%S')}",
    ]
    write(out / "t5-da.out", log)
    for node, host in enumerate(site.nodes):
        old = site.begin - 170_000
        rows = [
            (old, f"NVRM: Xid ({pci(1)}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
            (old + 4000, "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034)"),
            (old + 4021, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.12  Mon Sep 16 20:34:37 UTC 2024"),
        ]
        dmesg(out / "kernel" / f"{host}.log", site, rows if node == 1 else [])
    site.sacct(
        out / "sacct.txt",
        "COMPLETED",
        "0:0",
        [("batch", "batch", "COMPLETED", "0:0"), ("0", "python", "COMPLETED", "0:0")],
    )

"""The second round: fourteen incidents of other kinds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .world import CLOCK, POWER, USED, UTIL, Job, Reading, mode

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_OK = (("batch", "COMPLETED", "0:0"), ("extern", "COMPLETED", "0:0"), ("0", "COMPLETED", "0:0"))
_BAD = (("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "FAILED", "1:0"))
_STOPPED = (("batch", "CANCELLED", "0:15"), ("extern", "COMPLETED", "0:0"), ("0", "CANCELLED", "0:15"))


def _loss(step: int, rng: Random, first: float = 8.4, last: float = 1.9, pace: float = 500) -> float:
    return (last + (first - last) * (0.7 * math.exp(-step / pace) + 0.3 / (1 + step / pace))) * (
        1 + rng.gauss(0, 0.012)
    )


def _kernels(job: Job, form: str = "T", but: int = -1) -> None:
    for node in range(len(job.nodes)):
        if node != but:
            job.kernel(node, job.boot(), form)


def _steps(job: Job, pace: float, until: float, every: int = 5, form: str = "[%H:%M:%S]") -> list[str]:
    """Lines of rank 0 of a loop in good order."""
    count = int((until - 60) / pace)
    return [
        f"{job.local(60 + step * pace, form)} update {step} nll {_loss(step, job.rng):.4f} t/upd {job.rng.gauss(pace, pace / 90):.2f}"
        for step in range(0, count, every)
    ]


def _busy(_node: int, _gpu: int, at: float) -> Reading:
    return mode("held") if at < 55 else mode("train")


def t07_node_gone(out: Path, rng: Random) -> None:
    """A node stops answering in the middle; the controller sets it down and ends the job."""
    job = Job(out, rng, 612004, ("w01", "w02", "w03", "w04"), 8, 1_773_300_000, 8130, "pt-13b", zone=1)
    gone = 7790.0
    end = [
        f"slurmstepd: error: *** STEP {job.id}.0 ON w01 CANCELLED AT {job.local(8125)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        "srun: error: Node failure on w03",
    ]
    job.write(f"slurm-{job.id}.out", [*_steps(job, 4.1, gone), *end])
    job.write(
        "slurmctld.log",
        [
            f"[{job.local(gone + 95)}.114] error: Nodes w03 not responding",
            f"[{job.local(8121)}.620] error: Nodes w03 not responding, setting DOWN",
            f"[{job.local(8121)}.621] Killing JobId={job.id} on failed node w03",
        ],
    )
    job.metrics(
        lambda node, gpu, at: _busy(node, gpu, at) if at < gone else mode("spin"),
        30,
        split="node",
        lost=lambda node, _gpu, at: node == 2 and at > gone,
    )
    job.sacct("NODE_FAIL", "0:0", (("batch", "CANCELLED", "0:15"), ("0", "CANCELLED", "0:15")))
    _kernels(job, "journal", but=2)


def t08_made_room(out: Path, rng: Random) -> None:
    """A job of higher priority takes the nodes; nothing of this one came back."""
    job = Job(out, rng, 7340021, ("ice101", "ice102"), 4, 1_769_411_000, 5230, "ssl-dino")
    end = f"slurmstepd: error: *** JOB {job.id} ON ice101 CANCELLED AT {job.local(5228)} DUE TO PREEMPTION ***"
    job.write(
        f"dino-{job.id}.log",
        [*_steps(job, 1.9, 5200, 20), end, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."],
    )
    job.metrics(_busy, 20, host="node")
    job.sacct("PREEMPTED", "0:0", _STOPPED)
    _kernels(job, "iso")


def t09_memory_of_host(out: Path, rng: Random) -> None:
    """The cgroup of the step is full; the kernel kills one rank, Slurm the rest."""
    job = Job(out, rng, 45099, ("m7", "m8"), 8, 1_771_920_000, 3904, "graph-gnn", zone=-8)
    text = _steps(job, 2.2, 3880)
    text += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=45099.0. Some of the step tasks have been OOM Killed.",
        "srun: error: m8: task 9: Out Of Memory",
        f"srun: Terminating StepId={job.id}.0",
        "srun: error: m7: tasks 0-7: Killed",
        "srun: error: m8: tasks 8,10-15: Killed",
    ]
    job.write(f"slurm-{job.id}.out", text)
    where = f"/system.slice/slurmstepd.scope/job_{job.id}/step_0"
    job.metrics(_busy, 15)
    job.sacct(
        "OUT_OF_MEMORY",
        "0:125",
        (("batch", "FAILED", "1:0"), ("extern", "COMPLETED", "0:0"), ("0", "OUT_OF_MEMORY", "0:125")),
    )
    job.kernel(0, job.boot())
    killed = [
        (3891.1, "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (3891.2, "memory: usage 1006632960kB, limit 1006632960kB, failcnt 88121"),
        (
            3891.3,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg={where},task_memcg={where}/user/task_9,task=python,pid=211407,uid=2014",
        ),
        (
            3891.4,
            "Memory cgroup out of memory: Killed process 211407 (python) total-vm:418113412kB, anon-rss:371200124kB, file-rss:61220kB, shmem-rss:2048kB, UID:2014 pgtables:742112kB oom_score_adj:0",
        ),
    ]
    job.kernel(1, [*job.boot(), *killed])


def t10_bad_memory(out: Path, rng: Random) -> None:
    """An uncorrectable error in the memory of one GPU, uncontained, and no spare row left for it."""
    job = Job(out, rng, 20558, ("hx21", "hx22"), 8, 1_767_999_000, 10240, "diffusion-xl", zone=9)
    hit = 10191.0
    text = _steps(job, 3.0, hit)
    text += [
        "Traceback (most recent call last):",
        '  File "/lustre/proj/sdxl/train.py", line 402, in train_step',
        "    scaler.scale(loss).backward()",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "srun: error: hx21: task 6: Exited with exit code 1",
        f"srun: Terminating StepId={job.id}.0",
    ]
    job.write(f"slurm-{job.id}.out", text)

    def state(node: int, gpu: int, at: float) -> Reading:
        struck = (node, gpu) == (0, 6) and at > hit
        more = {
            "ECC_DBE_VOL_TOTAL": 1 if struck else 0,
            "XID_ERRORS": 95 if struck else 0,
            "ROW_REMAP_FAILURE": 1 if struck else 0,
        }
        return (_busy(node, gpu, at) if at < hit else mode("held")) | more

    job.metrics(state, 10, tail=0, extra=("ECC_DBE_VOL_TOTAL", "XID_ERRORS", "ROW_REMAP_FAILURE"))
    job.sacct("FAILED", "1:0", _BAD)
    at = f"NVRM: Xid (PCI:0000:{job.bus(6)}:00): "
    said = (
        "48, pid=90311, name=python, DBE (Double Bit Error) ECC Error in Physical Address.",
        "64, pid=90311, name=python, Row Remapper Error: (0x00000004de1c2000) - All reserved rows for bank are remapped",
        "95, pid=90311, name=python, Uncontained: FBHUB. RST: Yes, D-RST: No",
    )
    job.kernel(0, [*job.boot(), *((hit + n / 10, at + what) for n, what in enumerate(said))])
    job.kernel(1, job.boot())


def t11_left_at_low_clocks(out: Path, rng: Random) -> None:
    """Somebody left one GPU at low application clocks; from the first step all fifteen others wait for it."""
    job = Job(out, rng, 9031, ("tz4", "tz5"), 8, 1_770_707_000, 7200, "rec-dlrm")
    for rank in range(16):
        text = []
        for step in range(0, 2780, 10):
            own = rng.gauss(2.31, 0.02) if rank == 12 else rng.gauss(1.22, 0.02)
            text.append(
                f"{job.local(62 + step * 2.52, '%H:%M:%S')} rank={rank} step={step}/2780 bce={_loss(step, rng, 0.69, 0.41, 300):.4f} fwd_bwd={own:.2f} sync={2.5 - own:.2f}"
            )
        job.write(f"logs/train.{rank}.txt", [*text, f"{job.local(7070, '%H:%M:%S')} rank={rank} all 2780 steps done"])

    def state(node: int, gpu: int, at: float) -> Reading:
        if at < 55 or at > 7075:
            return mode("held", CLOCKS_EVENT_REASONS=2 if (node, gpu) == (1, 4) else 0)
        if (node, gpu) == (1, 4):
            return mode(
                "train",
                CLOCKS_EVENT_REASONS=2,
                **{CLOCK: 1005, POWER: 310, "SM_ACTIVE": 0.9, "PIPE_TENSOR_ACTIVE": 0.33},
            )
        return mode(
            "train",
            CLOCKS_EVENT_REASONS=0,
            **{
                CLOCK: 1980,
                POWER: 370,
                UTIL: 100,
                "GR_ENGINE_ACTIVE": 1.0,
                "SM_ACTIVE": 0.46,
                "PIPE_TENSOR_ACTIVE": 0.17,
            },
        )

    job.metrics(state, 15, extra=("CLOCKS_EVENT_REASONS",))
    job.sacct("COMPLETED", "0:0", _OK)
    _kernels(job)


def t12_waiting_for_files(out: Path, rng: Random) -> None:
    """Millions of small files from a slow mount: each step waits seven seconds for its batch."""
    job = Job(out, rng, 118, ("lab1", "lab2"), 4, 1_772_640_000, 9000, "video-mae", zone=3)
    text, at, step = ["8 ranks, 1000 steps, dataset /nfs/frames (jpg), 2 loader workers a rank"], 60.0, 0
    while step < 1000:
        wait = abs(rng.gauss(7.6, 1.4))
        at, step = at + wait + 1.1, step + 1
        if step % 4 == 0:
            text.append(
                f"{job.local(at, '%Y-%m-%d %H:%M:%S')} it {step}/1000 loss {_loss(step, rng, 1.1, 0.32, 200):.4f} data_time {wait:.2f} gpu_time {rng.gauss(1.08, 0.02):.2f} total {wait + 1.1:.2f}"
            )
    job.write("train.log", [*text, "1000 iterations done"])

    def state(_node: int, _gpu: int, at_: float) -> Reading:
        if at_ < 55 or at_ > at:
            return mode("held")
        share = max(0.02, rng.gauss(0.12, 0.03))
        return mode(
            "train",
            **{
                UTIL: rng.choice((0, 0, 0, 0, 0, 0, 97)),
                POWER: 118 + 400 * share,
                "GR_ENGINE_ACTIVE": share,
                "SM_ACTIVE": share * 0.75,
                "PIPE_TENSOR_ACTIVE": share * 0.4,
                "DRAM_ACTIVE": share * 0.4,
            },
        )

    job.metrics(state, 15, split="metric")
    job.sacct("COMPLETED", "0:0", _OK)
    slow = "nfs: server filer2 not responding, still trying", "nfs: server filer2 OK"
    for node in range(2):
        job.kernel(node, [*job.boot(), *((900.0 + 700 * n + 12 * k, slow[k]) for n in range(11) for k in range(2))])


def t13_saves_all_the_time(out: Path, rng: Random) -> None:
    """A checkpoint of everything after each step; the GPUs wait for the file system four fifths of the time."""
    job = Job(out, rng, 33871, ("b1", "b2", "b3", "b4"), 4, 1_774_000_000, 7500, "moe-ft")
    text, at = ["save_every=1 keep=2 dir=/gpfs/moe-ft", "max_steps=290"], 60.0
    for step in range(1, 291):
        took = rng.gauss(20.1, 1.2)
        at += 4.2
        text.append(
            f"{job.local(at)} step {step} lm_loss {_loss(step, rng, 2.8, 1.1, 80):.4f} ({rng.gauss(4.2, 0.05):.2f} s)"
        )
        at += took
        text.append(f"{job.local(at)} checkpoint step_{step} written: 212.4 GB in {took:.1f} s")
    job.write("rank0.log", [*text, f"{job.local(at)} max_steps reached"])

    def state(_node: int, _gpu: int, at_: float) -> Reading:
        if at_ < 55 or at_ > at:
            return mode("held")
        share = max(0.05, rng.gauss(0.17, 0.04))
        return mode(
            "train",
            **{
                UTIL: rng.choice((0, 0, 0, 0, 100)),
                POWER: 118 + 440 * share,
                "GR_ENGINE_ACTIVE": share,
                "SM_ACTIVE": share * 0.8,
                "PIPE_TENSOR_ACTIVE": share * 0.35,
                "DRAM_ACTIVE": share * 0.4,
            },
        )

    job.metrics(state, 30, split="node")
    job.sacct("COMPLETED", "0:0", _OK)
    _kernels(job)


def t14_over_sockets(out: Path, rng: Random) -> None:
    """InfiniBand was not found, the gradients go over Ethernet: nine tenths of each step is communication, on all ranks."""
    job = Job(out, rng, 5570, ("k01", "k02", "k03", "k04"), 8, 1_768_880_000, 9400, "llm-30b", zone=1)
    text = []
    for node, name in enumerate(job.nodes):
        head = f"{name}:{4100 + node}:{4100 + node} [0] NCCL INFO "
        text += [
            head + "NET/IB : No device found.",
            head + f"NET/Socket : Using [0]eno1:10.4.0.{11 + node}<0>",
            head + "Using network Socket",
        ]
    text += ["k01:4100:4170 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/Socket/0"]
    for step in range(500):
        text.append(
            f"{job.local(90 + step * 18.4, '%H:%M:%S')} | {step + 1}/500 | loss {_loss(step, rng, 3.2, 2.1, 150):.4f} | step {rng.gauss(18.4, 0.2):.2f}s | fwd+bwd {rng.gauss(1.6, 0.02):.2f}s | grad allreduce {rng.gauss(16.6, 0.2):.2f}s (all ranks 16.3-16.9)"
        )
    job.write(f"slurm-{job.id}.out", [*text, f"{job.local(9300, '%H:%M:%S')} | finished 500 steps"])

    def state(_node: int, _gpu: int, at: float) -> Reading:
        if at < 85 or at > 9295:
            return mode("held")
        return mode(
            "spin",
            **{
                POWER: 228,
                "SM_ACTIVE": 0.1,
                "PIPE_TENSOR_ACTIVE": 0.03,
                "DRAM_ACTIVE": 0.05,
                "PCIE_TX_BYTES": 2.9e8,
                "PCIE_RX_BYTES": 3.1e8,
            },
        )

    job.metrics(state, 15, split="node", extra=("PCIE_TX_BYTES", "PCIE_RX_BYTES"))
    job.sacct("COMPLETED", "0:0", _OK)
    _kernels(job, "iso")


def t15_called_off(out: Path, rng: Random) -> None:
    """Its owner cancels it; it was doing well."""
    job = Job(out, rng, 80808, ("n33", "n34", "n35"), 8, 1_773_000_000, 4100, "abl-7", zone=-6)
    end = f"slurmstepd: error: *** STEP {job.id}.0 ON n33 CANCELLED AT {job.local(4098)} ***"
    job.write(
        f"slurm-{job.id}.out",
        [
            "config: total_updates=200000",
            *_steps(job, 1.3, 4095, 10),
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            end,
        ],
    )
    job.metrics(_busy, 15)
    job.sacct("CANCELLED by 2014", "0:0", _STOPPED)
    _kernels(job, "journal")


def t16_only_looks_bad(out: Path, rng: Random) -> None:
    """Nothing is wrong: an XID of the job before, a row that waits for a reset since weeks, pauses for saves, one slow start."""
    job = Job(out, rng, 60616, ("f8", "f9"), 8, 1_771_555_000, 8000, "asr-large", zone=5)
    text = [f"{job.local(200, '%d.%m. %H:%M:%S')} start, 3600 updates"]
    at = 200.0
    for step in range(1, 3601):
        at += 2.1
        if step % 600 == 0:
            at += 31
            text.append(
                f"{job.local(at, '%d.%m. %H:%M:%S')} saved up{step}.pt (31 s), wer {0.31 * math.exp(-step / 1500) + 0.06:.4f}"
            )
        if step % 15 == 0:
            text.append(f"{job.local(at, '%d.%m. %H:%M:%S')} up {step}/3600 ctc {_loss(step, rng, 6.0, 0.4, 400):.4f}")
    job.write(
        "asr.log", [*text, f"{job.local(at + 5, '%d.%m. %H:%M:%S')} 3600/3600, averaged last 5 checkpoints, exit 0"]
    )
    job.length = at + 30

    def state(node: int, gpu: int, now: float) -> Reading:
        old: Reading = {
            "ROW_REMAP_PENDING": 1 if (node, gpu) == (1, 3) else 0,
            "ECC_DBE_VOL_TOTAL": 0,
            "ECC_DBE_AGG_TOTAL": 2 if (node, gpu) == (1, 3) else 0,
        }
        saving = now > 200 and (now - 200) % 1291 > 1260
        return (mode("held") if now < 195 or now > at or saving else mode("train")) | old

    job.metrics(state, 15, extra=("ROW_REMAP_PENDING", "ECC_DBE_VOL_TOTAL", "ECC_DBE_AGG_TOTAL"))
    job.sacct("COMPLETED", "0:0", _OK)
    fault = "NVRM: Xid (PCI:0000:61:00): 31, pid=14410, name=python, Ch 0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f2a_40000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
    job.kernel(0, [*job.boot(), (-5100.0, fault)])
    job.kernel(1, job.boot())


def t17_unknown_speaker(out: Path, rng: Random) -> None:
    """A record of the data has a key that the code does not know, 2200 steps into the run."""
    job = Job(out, rng, 17171, ("v1", "v2"), 4, 1_772_111_000, 5020, "tts", zone=2)
    text = _steps(job, 2.2, 4990)
    stack = [
        "Traceback (most recent call last):",
        '  File "/home/ana/tts/train.py", line 233, in <module>',
        "    main(parse())",
        '  File "/home/ana/tts/train.py", line 171, in main',
        "    spk = torch.tensor([speakers[s] for s in batch.speaker], device=dev)",
        "KeyError: 'libri-8842'",
    ]
    text += [f"6: {line}" for line in stack] + [
        "srun: error: v2: task 6: Exited with exit code 1",
        f"srun: Terminating StepId={job.id}.0",
        f"slurmstepd: error: *** STEP {job.id}.0 ON v1 CANCELLED AT {job.local(5012)} ***",
        "srun: error: v1: tasks 0-3: Terminated",
        "srun: error: v2: tasks 4-5,7: Terminated",
    ]
    job.write(f"slurm-{job.id}.out", text)
    job.metrics(lambda node, gpu, at: _busy(node, gpu, at) if at < 4992 else mode("spin"), 15)
    job.sacct("FAILED", "1:0", _BAD)
    _kernels(job)


def t18_link_between_two(out: Path, rng: Random) -> None:
    """An NVLink between two GPUs of one node: errors climb for half an hour, then the link is lost and the job with it."""
    job = Job(out, rng, 240913, ("dg1", "dg2", "dg3"), 8, 1_769_000_500, 6600, "pt-vision")
    hit = 6550.0
    text = _steps(job, 2.7, hit)
    text += [
        "[rank10]: Traceback (most recent call last):",
        '[rank10]:   File "/x/pt/engine.py", line 97, in step',
        "[rank10]:     dist.all_reduce(flat)",
        "[rank10]: torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2",
        "[rank10]: ncclUnhandledCudaError: Call to CUDA function failed.",
        "[rank10]: Last error:",
        "[rank10]: Cuda failure 220 'uncorrectable NVLink error detected during the execution'",
        "srun: error: dg2: task 10: Exited with exit code 1",
        f"srun: Terminating StepId={job.id}.0",
    ]
    job.write(f"slurm-{job.id}.out", text)

    def state(node: int, gpu: int, at: float) -> Reading:
        bad = node == 1 and gpu in (2, 5)
        errors = max(0.0, at - 4700) ** 1.3 // 40 if bad else 0.0
        more = {
            "NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": errors,
            "NVLINK_REPLAY_ERROR_COUNT_TOTAL": errors // 7,
            "XID_ERRORS": 74 if bad and at > hit else 0,
        }
        return (_busy(node, gpu, at) if at < hit + 5 else mode("spin")) | more

    job.metrics(state, 15, tail=0)
    job.sacct("FAILED", "1:0", _BAD)
    link = "74, pid=77120, name=python, NVLink: fatal error detected on link 4(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"
    job.kernel(0, job.boot())
    job.kernel(
        1,
        [*job.boot(), *((hit + n, f"NVRM: Xid (PCI:0000:{job.bus(gpu)}:00): {link}") for n, gpu in enumerate((2, 5)))],
    )
    job.kernel(2, job.boot())


def t19_not_enough_time(out: Path, rng: Random) -> None:
    """Six hours were asked for and were not enough; it trained to the last second."""
    job = Job(out, rng, 71717, ("q4", "q5"), 8, 1_770_330_000, 21600, "bert-xl", zone=1)
    end = f"slurmstepd: error: *** JOB {job.id} ON q4 CANCELLED AT {job.local(21600)} DUE TO TIME LIMIT ***"
    job.write(f"slurm-{job.id}.out", ["total_updates=20000 save_every=1000", *_steps(job, 2.0, 21590, 10), end])
    job.metrics(_busy, 60)
    job.sacct("TIMEOUT", "0:0", _STOPPED, limit="06:00:00")
    _kernels(job)


def t20_power_brake(out: Path, rng: Random) -> None:
    """The power shelf of a rack asserts its brake for the second half: all its GPUs at 540 MHz, all steps three times as long."""
    job = Job(out, rng, 93311, ("r2u1", "r2u2", "r7u1", "r7u2"), 8, 1_773_800_000, 9000, "llm-8b")
    text, at, step = ["steps: 2200"], 70.0, 0
    while step < 2200:
        took = 2.2 if at < 4000 else 6.4
        at, step = at + took, step + 1
        if at > 8950:
            break
        if step % 5 == 0:
            text.append(f"{job.local(at)} {step}/2200 ce={_loss(step, rng):.4f} dt={took * rng.gauss(1, 0.01):.2f}s")
    job.write(
        f"slurm-{job.id}.out",
        [*text, f"slurmstepd: error: *** JOB {job.id} ON r2u1 CANCELLED AT {job.local(9000)} DUE TO TIME LIMIT ***"],
    )

    def state(node: int, gpu: int, now: float) -> Reading:
        if now < 4000:
            return _busy(node, gpu, now) | {"CLOCKS_EVENT_REASONS": 0, "POWER_VIOLATION": 0}
        if node < 2:
            return mode(
                "train",
                CLOCKS_EVENT_REASONS=0x88,
                POWER_VIOLATION=(now - 4000) * 1e9,
                **{CLOCK: 540, POWER: 205, USED: 69400},
            )
        return mode(
            "train",
            CLOCKS_EVENT_REASONS=0,
            POWER_VIOLATION=0,
            **{POWER: 270, UTIL: 100, "GR_ENGINE_ACTIVE": 1.0, "SM_ACTIVE": 0.29, "PIPE_TENSOR_ACTIVE": 0.12},
        )

    job.metrics(state, 30, split="node", extra=("CLOCKS_EVENT_REASONS", "POWER_VIOLATION"))
    job.sacct("TIMEOUT", "0:0", _STOPPED, limit="02:30:00")
    _kernels(job)

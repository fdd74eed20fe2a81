"""Incidents one to five of the seventeenth set: each follows its lot, all simulated."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .gpu import Fleet, Load, nothing
from .pen import clock, falls, put
from .site import ISO, dmesg, elastic, row, sacct

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01(place: Path, rng: Random) -> None:
    """One rank's memory grows until its cgroup kills it; torchrun shows signal 9. An old ECC count stands still."""
    begin = 86400 + 10 * 3600 + 1023.0
    kill = begin + 1391.0
    host, pids = "v100-12", [70415 + i for i in range(8)]
    logs: list[list[str]] = [[] for _ in range(8)]
    for r in range(8):
        logs[r].append(f"{clock(begin + 6 + r * 0.2)} r{r} start pid {pids[r]} dev cuda:{r} world 8 workers 4")
    for it in range(20, 10000, 20):
        at = begin + 41 + it * 0.71
        if at > kill - 8:
            break
        for r in range(8):
            rss = 9.4 + it * (0.0447 if r == 3 else 0.00003)
            logs[r].append(
                f"{clock(at)} r{r} it {it:5d} loss {falls(rng, it, 6.91, 2.2, 900, 0.02):.3f} gnorm {rng.uniform(0.8, 2):.2f} ex/s {rng.gauss(361, 4):.0f} rss {rss:.1f}G"
            )
    for r in range(8):
        put(place, f"logs/rank{r}.log", logs[r])
    put(
        place,
        "logs/torchrun.out",
        elastic(kill, host, "pretrain_vit.py", 3, pids[3], (9, "SIGKILL"), 70311, [p for p in pids if p != pids[3]]),
    )
    task = f"task=python,pid={pids[3]},uid=5031"
    group = "/slurm/uid_5031/job_40213"
    more = [
        (
            kill - 0.4,
            "python invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0",
        ),
        (kill - 0.3, "memory: usage 201326592kB, limit 201326592kB, failcnt 88412"),
        (
            kill - 0.2,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_batch,mems_allowed=0-1,oom_memcg={group},task_memcg={group}/step_batch/user/task_0,{task}",
        ),
        (
            kill - 0.1,
            f"Memory cgroup out of memory: Killed process {pids[3]} (python) total-vm:148201344kB, anon-rss:98712040kB, file-rss:301244kB, shmem-rss:66820kB, UID:5031 pgtables:204880kB oom_score_adj:0",
        ),
        (
            kill + 0.9,
            f"oom_reaper: reaped process {pids[3]} (python), now anon-rss:0kB, file-rss:201100kB, shmem-rss:66820kB",
        ),
    ]
    dmesg(place, f"{host}/dmesg.txt", rng, begin, more)

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 9 <= at < kill + 2:
            return nothing(0, g, at)
        if at < begin + 41:
            return Load(0, 0, 0, 0, 1800 if at > begin + 20 else 320)
        return Load(0.97, 0.81, 0.39, 0.46, 27950 + 60 * g, 420, 60)

    flat = {(0, 5, "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"): 3, (0, 5, "DCGM_FI_DEV_RETIRED_SBE"): 1}
    Fleet("V100", [host], 8, load, begin - 240, kill + 260, 60, 1701, flat=flat).write(place, "prom.json")


def t02(place: Path, rng: Random) -> None:
    """JAX: preempted once, restored, and then one process meets a document that its own loop refuses."""
    begin = 2 * 86400 + 6 * 3600 + 200.0
    crash = begin + 150 * 60 - 130.0
    hosts = ["ga11", "ga12", "ga14", "ga15"]
    first = begin - 5400
    pre = [f"ga11: slurm job 88213 on ga[11-12,14-15], restart count 0, begun {clock(first, ISO)}"]
    pre += [
        f"slurmstepd: error: *** JOB 88213 ON ga11 CANCELLED AT {clock(begin - 1260, ISO)} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** STEP 88213.0 ON ga11 CANCELLED AT {clock(begin - 1260, ISO)} DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"ga11: slurm job 88213 on ga[11-12,14-15], restart count 1, begun {clock(begin, ISO)}",
    ]
    losses = {step: falls(rng, step, 10.4, 2.62, 900, 0.008) for step in range(3010, 7000, 10)}
    for p, host in enumerate(hosts):
        out = [
            f"I{clock(begin + 20, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 140211 distributed.py:106] Connecting to JAX distributed service on ga11:12345",
            f"I{clock(begin + 31, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 140211 xla_bridge.py:884] process {p} of 4, local devices 4, NVIDIA A40",
            f"I{clock(begin + 52, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 140211 checkpoint_manager.py:1044] [process={p}] Restoring checkpoint from /ceph/lm/run7/ckpt/3000.",
            f"I{clock(begin + 88, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 140211 checkpointer.py:313] [process={p}] Finished restoring checkpoint in 35.8{p} seconds from /ceph/lm/run7/ckpt/3000.",
        ]
        step = 3000
        at = begin + 141
        while at + 3.42 < crash:
            at += 3.42
            step += 1
            if step % 10 == 0:
                out.append(
                    f"I{clock(at, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 140211 train.py:418] step: {step}, seconds: {rng.gauss(3.42, 0.02):.3f}, "
                    f"TFLOP/s/device: {rng.gauss(61.3, 0.4):.3f}, Tokens/s/device: {rng.gauss(4790, 30):.1f}, loss: {losses[step]:.3f}"
                )
            if step % 500 == 0:
                out.append(
                    f"I{clock(at, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 140211 checkpoint_manager.py:1512] [process={p}] Saving checkpoint at step {step}"
                )
        if p == 2:
            out += [
                "Traceback (most recent call last):",
                '  File "/ceph/lm/src/train.py", line 611, in <module>',
                "    app.run(main)",
                '  File "/opt/venv/lib/python3.11/site-packages/absl/app.py", line 308, in run',
                "    _run_main(main, args)",
                '  File "/ceph/lm/src/train.py", line 402, in train_loop',
                "    batch = next(batches)",
                '  File "/ceph/lm/src/packing.py", line 88, in __next__',
                "    return self._pack(self._pull())",
                '  File "/ceph/lm/src/packing.py", line 57, in _pack',
                "    raise ValueError(f'document of {len(ids)} tokens does not fit max_target_length={self.length} ({src})')",
                "ValueError: document of 4097 tokens does not fit max_target_length=4096 (shard-00411.arrow:7712)",
            ]
        else:
            stamp = clock(crash + 101, "%Y-%m-%d %H:%M:%S")
            out += [
                f"{stamp}.{rng.randrange(400000):06d}: E external/xla/xla/tsl/distributed_runtime/coordination/coordination_service_agent.cc:434] Polled an error from coordination service (this can be an error from this or another task).",
                f"{stamp}.{rng.randrange(400000, 900000):06d}: F external/xla/xla/pjrt/distributed/client.h:80] Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details. "
                "Disable Python buffering, i.e. `python -u`, to be sure to see all the previous output. absl::Status: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):",
                "/job:jax_worker/replica:0/task:2",
                "The tasks have crashed. Check the task logs for an earlier error, or scheduler events (e.g. preemption, eviction) to debug further.",
            ]
        put(place, f"{host}/proc{p}.log", out)
        dmesg(place, f"{host}/dmesg", rng, begin, iso=True, host=host)
    pre += [
        "srun: error: ga14: task 2: Exited with exit code 1",
        "srun: error: ga11: task 0: Aborted (core dumped)",
        "srun: error: ga12: task 1: Aborted (core dumped)",
        "srun: error: ga15: task 3: Aborted (core dumped)",
    ]
    put(place, "slurm-88213.out", pre)

    def load(n: int, g: int, at: float) -> Load:
        gone = crash + 3 if n == 2 else crash + 104
        if not begin + 25 <= at < gone:
            return nothing(n, g, at)
        if at < begin + 141:
            return Load(0, 0, 0, 0, 34100 if at > begin + 60 else 410)
        if at >= crash:
            return Load(1.0, 0.03, 0.0, 0.01, 34900, 1, 1)
        return Load(0.98, 0.83, 0.44, 0.52, 34900, 1500, 1450)

    Fleet("A40", hosts, 4, load, begin - 120, crash + 240, 15, 1702, inlet=24.5).write(place, "dcgm_range.json")
    put(place, "meta.json", json.dumps({"job_id": "88213", "utc_offset_minutes": 0, "scrape_interval_s": 15}) + "\n")


def t03(place: Path, rng: Random) -> None:
    """Megatron on four L40S: all its iterations, a test at the end, zero for status; the scraper slept for a while."""
    begin = 3 * 86400 + 14 * 3600 + 8.0
    start, iters, pace = begin + 96.0, 1200, 1.71
    out = [
        "using world size: 4, data-parallel size: 4, context-parallel size: 1, tensor-model-parallel size: 1, pipeline-model-parallel size: 1",
        "------------------------ arguments ------------------------",
        "  train_iters ..................................... 1200",
        "-------------------- end of arguments ---------------------",
        "> initialized tensor model parallel with size 1",
        f"[after dataloaders are built] datetime: {clock(start - 2)} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {clock(start)} ",
    ]
    at = start
    for step in range(20, iters + 1, 20):
        ms = rng.gauss(pace * 1000, 8)
        at += ms * 0.02
        out.append(
            f" [{clock(at)}] iteration {step:8d}/    1200 | consumed samples: {step * 128:12d} | elapsed time per iteration (ms): {ms:.1f} | "
            f"learning rate: {6e-4 * min(1, step / 60) * (0.55 + 0.45 * math.cos(math.pi * step / iters)):.6E} | global batch size:   128 | "
            f"lm loss: {falls(rng, step, 10.9, 3.6, 160, 0.008):.6E} | loss scale: 1.0 | grad norm: {rng.uniform(0.4, 0.9):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if step % 400 == 0:
            out += [
                "-" * 106,
                f" validation loss at iteration {step} | lm loss value: {falls(rng, step, 10.9, 3.66, 160, 0.002):.6E} | lm loss PPL: {math.exp(falls(rng, step, 10.9, 3.66, 160, 0)):.6E} | ",
                "-" * 106,
                f"  successfully saved checkpoint from iteration {step:7d} to /work/ckpt/gpt-350m [ t 1/1, p 1/1 ]",
            ]
            at += 24
    test = falls(rng, iters, 10.9, 3.67, 160, 0)
    out += [
        f"[after training is done] datetime: {clock(at)} ",
        "Evaluating on 12800 samples",
        "-" * 118,
        f" validation loss at iteration 1200 on test set | lm loss value: {test:.6E} | lm loss PPL: {math.exp(test):.6E} | ",
        "-" * 118,
    ]
    end = at + 70
    put(place, "slurm-31977.out", out)
    host = "l40s-03"
    sacct(
        place,
        "sacct.txt",
        [
            row("31977", "gpt350m", "COMPLETED", "0:0", (begin - 40, begin, end), host, 1, "02:00:00"),
            row("31977.batch", "batch", "COMPLETED", "0:0", (begin, begin, end), host, 1, ""),
            row("31977.0", "torchrun", "COMPLETED", "0:0", (begin + 2, begin + 2, end - 1), host, 1, ""),
        ],
        bars=False,
    )
    dmesg(place, "dmesg.l40s-03.txt", rng, begin)

    def load(_n: int, g: int, when: float) -> Load:
        if not begin + 12 <= when < end - 3:
            return nothing(0, g, when)
        if when < start:
            return Load(0, 0, 0, 0, 2100 if when > begin + 50 else 500)
        return Load(0.99, 0.86, 0.41, 0.55, 39211 + 16 * g, 5200, 4900)

    gap = (start + 610, start + 1000)
    Fleet("L40S", [host], 4, load, begin - 180, end + 180, 30, 1703, gaps=[gap]).write(place, "prom.json")


def t04(place: Path, rng: Random) -> None:
    """DeepSpeed over plain Ethernet: InfiniBand is switched off, and each step is nine tenths of an all-reduce."""
    begin = 86400 + 16 * 3600 + 77.0
    start, pace = begin + 141.0, 13.1
    hosts = ["a100-07", "a100-08"]
    said = [0]

    def say(s: float, where: str, text: str) -> str:
        said[0] += 1
        return f"[{clock(s + said[0] * 7e-5, '%Y-%m-%d %H:%M:%S,%f')[:-3]}] [INFO] [{where}] {text}"

    out = [
        "Warning: The cache directory for DeepSpeed Triton autotune, /home/mk/.triton/autotune, appears to be on an NFS system. While this is generally acceptable, if you experience slowdowns or hanging when DeepSpeed exits, it is recommended to set the TRITON_CACHE_DIR environment variable to a non-NFS path.",
        " [WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
        " [WARNING]  async_io: please install the libaio-devel package with yum",
        " [WARNING]  If libaio is already installed (perhaps from source), try setting the CFLAGS and LDFLAGS environment variables to where it can be found.",
        f"[{clock(begin + 21)},802] [INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
    ]
    for host in hosts:
        ip = "10.3.0.17" if host == "a100-07" else "10.3.0.18"
        out += [
            f"{host}:{8812 if host == hosts[0] else 9120}:{8812 if host == hosts[0] else 9120} [0] NCCL INFO Bootstrap : Using eno1:{ip}<0>",
            f"{host}:{8812 if host == hosts[0] else 9120}:8990 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.",
            f"{host}:{8812 if host == hosts[0] else 9120}:8990 [0] NCCL INFO NET/Socket : Using [0]eno1:{ip}<0>",
            f"{host}:{8812 if host == hosts[0] else 9120}:8990 [0] NCCL INFO Using network Socket",
        ]
    out += [
        f"a100-07:8812:8990 [0] NCCL INFO Channel {c:02d}/0 : 7[3] -> 0[0] [receive] via NET/Socket/0" for c in (0, 1)
    ]
    out.append(
        say(start - 20, "logging.py:107:log_dist", "[Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer")
    )
    at = start
    for step in range(10, 411, 10):
        sec = rng.gauss(pace, 0.12)
        at += 10 * sec
        fwd, inner, opt = rng.gauss(372, 5), rng.gauss(781, 8), rng.gauss(96, 3)
        reduce = sec * 1000 - fwd - inner - opt - 14
        out += [
            say(
                at,
                "logging.py:107:log_dist",
                f"[Rank 0] step={step}, skipped=0, lr=[{2e-5 * min(1, step / 40):.12g}], mom=[(0.9, 0.95)]",
            ),
            say(
                at,
                "timer.py:264:stop",
                f"epoch=0/micro_step={step}/global_step={step}, RunningAvgSamplesPerSec={64 / pace + rng.gauss(0, 0.01):.15f}, CurrSamplesPerSec={64 / sec:.15f}, MemAllocated=27.41GB, MaxMemAllocated=58.83GB",
            ),
            say(
                at,
                "logging.py:107:log_dist",
                f"[Rank 0] time (ms) | fwd_microstep: {fwd:.2f} | bwd_microstep: {inner + reduce:.2f} | bwd_inner_microstep: {inner:.2f} | bwd_allreduce_microstep: {reduce:.2f} | step_microstep: {opt:.2f}",
            ),
            f"steps: {step} loss: {falls(rng, step, 2.61, 1.22, 130, 0.02):.4f} iter time (s): {sec:.3f} samples/sec: {64 / sec:.3f}",
        ]
        if step == 150:
            out += [
                "ERROR:mlclient:upload of metrics failed: HTTPSConnectionPool(host='track.intern', port=443): Read timed out. (read timeout=10); queued",
                "INFO:mlclient:queue flushed, 0 records lost",
            ]
    end = at + 95
    out += [
        say(
            end - 60,
            "engine.py:3536:save_16bit_model",
            "Saving model weights to /ckpt/sft/final/pytorch_model.bin, tag: global_step410",
        ),
        "training finished: 410 steps of 410",
    ]
    put(place, "train_66102.log", out)
    sacct(
        place,
        "sacct.txt",
        [
            row("66102", "sft-7b", "COMPLETED", "0:0", (begin - 900, begin, end), "a100-[07-08]", 2, "04:00:00"),
            row("66102.batch", "batch", "COMPLETED", "0:0", (begin, begin, end), "a100-07", 1, ""),
            row("66102.0", "deepspeed", "COMPLETED", "0:0", (begin + 3, begin + 3, end - 2), "a100-[07-08]", 2, ""),
        ],
    )
    for host in hosts:
        dmesg(place, f"{host}/dmesg.txt", rng, begin)

    def load(n: int, g: int, when: float) -> Load:
        if not begin + 20 <= when < end - 8:
            return nothing(n, g, when)
        if when < start or when > end - 65:
            return Load(0, 0, 0, 0, 14800, 300 if when < start else 20, 400 if when > end - 65 else 5)
        edge = 1 if g in (0, 3) else 0
        return Load(0.99, 0.092, 0.038, 0.047, 61200 + 40 * g, 60 + 560 * edge, 60 + 560 * edge)

    Fleet("A100", hosts, 4, load, begin - 150, end + 150, 15, 1704).write(place, "prometheus_dcgm.json")


def t05(place: Path, rng: Random) -> None:
    """Four nodes with a program that says next to nothing: at work from begin to end, zero for status."""
    begin = 4 * 86400 + 9 * 3600 + 311.0
    end = begin + 15 * 60 + 8
    hosts = [f"h100-{i:02d}" for i in (21, 22, 23, 25)]
    out = ["+ module load cuda/12.6 nccl/2.23", "+ srun --mpi=pmix ./fit conf/h.toml", "world 8 ok", "go", "bye"]
    put(place, "slurm-604417.out", out)
    nodes = "h100-[21-23,25]"
    sacct(
        place,
        "acct.txt",
        [
            row("604417", "fit", "COMPLETED", "0:0", (begin - 15, begin, end), nodes, 4, "00:30:00"),
            row("604417.batch", "batch", "COMPLETED", "0:0", (begin, begin, end), hosts[0], 1, ""),
            row("604417.0", "fit", "COMPLETED", "0:0", (begin + 4, begin + 4, end - 1), nodes, 4, ""),
        ],
    )
    for host in hosts:
        dmesg(place, f"{host}/dmesg.txt", rng, begin, iso=True, host=host)

    def load(n: int, g: int, when: float) -> Load:
        if not begin + 8 <= when < end - 3:
            return nothing(n, g, when)
        if when < begin + 40:
            return Load(0, 0, 0, 0, 1200)
        return Load(0.97, 0.74, 0.36, 0.48, 52110 + 30 * n, 700, 300)

    fleet = Fleet("H100", hosts, 2, load, begin - 120, end + 120, 15, 1705)
    for i, host in enumerate(hosts):
        fleet.write(place, f"{host}/dcgm.json", [i])

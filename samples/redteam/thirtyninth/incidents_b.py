"""Incidents as an operator would hand them over: numbers of the GPUs, accounting, kernel logs and training logs.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.thirtyninth.gauge_ib import (
    A40,
    A100,
    GAUGES,
    H100,
    H200,
    L4,
    Load,
    at,
    dmon,
    follow,
    prometheus,
    put,
    smi,
    stamp,
    ticks,
    uuid,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

IDLE = Load("idle", 0)


def t09_clouds(place: Path, rng: Random) -> None:
    """Cloud masks on twelve A40."""
    nodes = ("vega04", "vega05", "vega09")
    first, stop, again = at("2026-03-17T04:12:40"), at("2026-03-17T04:35:11"), at("2026-03-17T04:44:02")
    out: list[str] = []

    def say(when: float, level: str, text: str) -> None:
        out.append(f"{stamp(when, 0, '%Y-%m-%d %H:%M:%S')},{int(when % 1 * 1000):03d} cloudmask {level:<7} {text}")

    def loss(step: int) -> float:
        return 0.118 + 0.57 * math.exp(-step / 420) + rng.gauss(0, 0.006)

    last, saved, when, end = 0, 0, first, 0.0
    for run, begin in enumerate((first, again)):
        when = begin + 9
        say(when, "INFO", f"slurm job 61877 restart_count={run} nodes=vega[04-05,09] world_size=12")
        say(
            when + 1.2,
            "INFO",
            "config: arch=unet-effb4 tiles=512x512 bands=13 batch_per_gpu=10 amp=bf16 max_iters=2400",
        )
        say(when + 14, "INFO", "index: 218,440 train tiles, 9,120 val tiles")
        if run:
            say(
                when + 19,
                "INFO",
                f"found /scratch/eo/cloudmask/r3/latest.pt, resuming at iter {saved} (optimizer, sched)",
            )
        else:
            say(when + 19, "INFO", "no latest.pt in /scratch/eo/cloudmask/r3, starting from imagenet encoder")
        when += 38
        step = saved
        while step < 2400 and (run or when < stop):
            when += 0.836 + rng.uniform(-0.02, 0.03)
            step += 1
            if step % 20 == 0:
                rate = 4e-4 * min(1, step / 150) * (0.5 + 0.5 * math.cos(math.pi * step / 2400))
                say(when, "INFO", f"iter {step:>5}/2400 loss {loss(step):.4f} lr {rate:.3e} {120 / 0.84:.0f} tiles/s")
            if step % 400 == 0:
                when += 4.1
                say(when, "INFO", f"val iou {0.861 - 0.4 * math.exp(-step / 500):.4f}  saved latest.pt (iter {step})")
        last = step
        if not run:
            say(stop + 0.2, "WARNING", "got SIGTERM from the scheduler, will save and leave after this iteration")
            say(stop + 3.4, "INFO", f"saved latest.pt (iter {last}), exiting")
            saved = last
            out.append(
                f"slurmstepd: error: *** JOB 61877 ON vega04 CANCELLED AT {stamp(stop, 0)} DUE TO PREEMPTION ***"
            )
        else:
            say(when + 2.5, "INFO", "final val iou 0.8583, exported cloudmask_r3.onnx")
            say(when + 4.0, "INFO", "done.")
            end = when + 7
    put(place / "train.log", out)
    times = [first - 240 + 5 * k for k in range(int((end - first + 480) / 5))]
    for number, node in enumerate(nodes):
        gpus = []
        for index in range(4):
            held = 31480 + rng.randrange(-60, 60)
            shift = rng.uniform(0, 1.5)

            def load(t: float, held: int = held, shift: float = shift) -> Load:
                for begin, over in ((first, stop + 5), (again, end - 2)):
                    if begin + 12 <= t < begin + 40 + shift:
                        return Load("resident", 1210)
                    if begin + 40 <= t < over:
                        return Load("train", held, 0.95, 0.5, 0.82)
                if stop + 75 <= t < again - 20:
                    return Load("train", 39870, 0.99, 0.7, 0.96)
                return IDLE

            samples = follow(A40, times, load, rng)
            ticks(samples, 3 if (number, index) == (1, 2) else 0, 0.03 if (number, index) == (1, 2) else 0.0, rng)
            gpus.append((uuid(rng), samples))
        smi(place / "gpu" / f"{node}.csv", A40, gpus, 0, rng)
        lines = [
            (first - 8123, "nvidia-uvm: Loaded the UVM driver, major device number 507."),
            (
                first - 1.2,
                "perf: interrupt took too long (3142 > 3131), lowering kernel.perf_event_max_sample_rate to 63500",
            ),
            (first + 903, "process 'eo/bin/gdalwarp' launched '/bin/sh' with NULL argv: empty string added"),
        ]
        if number == 1:
            lines.insert(
                2, (first + 611, "EDAC MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0)")
            )
        put(
            place / "kernel" / f"{node}.dmesg",
            [f"{stamp(t, 0)},{rng.randrange(10**6):06d}+00:00 {text}" for t, text in lines],
        )
    fields = (7, 12, 8, 12, 8, 19, 19, 19, 10, 8, 17)
    rows = [
        (
            "JobID",
            "JobName",
            "Partition",
            "State",
            "ExitCode",
            "Submit",
            "Start",
            "End",
            "Elapsed",
            "NNodes",
            "NodeList",
        ),
        tuple("-" * n for n in fields),
    ]
    for state, submit, begin, over in (
        ("PREEMPTED", first - 158, first, stop + 30),
        ("COMPLETED", stop + 30, again, end),
    ):
        span = int(over) - int(begin)
        rows.append(
            (
                "61877",
                "cloudmask-r3",
                "scavenge",
                state,
                "0:15" if state == "PREEMPTED" else "0:0",
                stamp(submit, 0),
                stamp(begin, 0),
                stamp(over, 0),
                f"00:{span // 60:02d}:{span % 60:02d}",
                "3",
                "vega[04-05,09]",
            )
        )
    put(
        place / "sacct.txt",
        [
            "$ sacct -D -X -j 61877 "
            "--format=JobID,JobName,Partition,State,ExitCode,Submit,Start,End,Elapsed,NNodes,NodeList"
        ]
        + [" ".join(f"{c:>{n}}" for c, n in zip(row, fields, strict=True)) for row in rows],
    )


def t10_tickets(place: Path, rng: Random) -> None:
    """A helpdesk model on L4."""
    begin = at("2026-06-23T12:20:00")
    fault = begin + 157 * 60 - 40
    zone = 1
    step, when = 0, begin + 212
    zero: list[str] = []

    def nemo(t: float, text: str, level: str = "I") -> str:
        return f"[NeMo {level} {stamp(t, zone, '%Y-%m-%d %H:%M:%S')} nemo_logging:393] {text}"

    zero += [
        nemo(begin + 41, "Disabling try-catch mechanism when performing training."),
        nemo(begin + 44, "Experiments will be logged at /results/helpdesk-lora/2026-06-23_13-20-44"),
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/6",
        nemo(begin + 58, "Rank 0 has data parallel group : [0, 1, 2, 3, 4, 5]"),
        nemo(begin + 58, "All tensor model parallel group ranks: [[0], [1], [2], [3], [4], [5]]"),
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 6 processes",
        "-" * 100,
        nemo(begin + 96, "Loading HFLlama weights from nemo://meta-llama/Llama-3.2-3B"),
        nemo(begin + 171, "Freezing base model, 24.3 M trainable LoRA parameters of 3.24 B"),
        nemo(begin + 190, "Padded vocab_size: 128256, original vocab_size: 128256, dummy tokens: 0."),
    ]
    steps = 2400
    while True:
        cost = 6.31 + rng.gauss(0, 0.05)
        if when + cost > fault:
            break
        when += cost
        if step % 5 == 0:
            loss = 1.21 + 1.34 * math.exp(-step / 240) + rng.gauss(0, 0.035)
            zero.append(
                f"Training epoch 0, iteration {step}/{steps - 1} | lr: {2e-4 * min(1, (step + 1) / 60):.4g} | "
                f"global_batch_size: 36 | global_step: {step} | reduced_train_loss: {loss:.4g} | "
                f"train_step_timing in s: {cost:.4g} | consumed_samples: {36 * (step + 1)}"
            )
        if step and step % 300 == 0:
            when += 11
            zero.append(
                nemo(when, f"Global Checkpoint Save : Rank: 0 : Iteration: {step} : Start time: {when - 9:.3f}s")
            )
        step += 1
    glog = stamp(fault + 6, zone, "E%m%d %H:%M:%S")
    one = [
        "Initializing distributed: GLOBAL_RANK: 3, MEMBER: 4/6",
        "Initializing distributed: GLOBAL_RANK: 5, MEMBER: 6/6",
        "Initializing distributed: GLOBAL_RANK: 4, MEMBER: 5/6",
        f"[rank5]:[{glog}.118204211 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 5] Process group "
        "watchdog thread terminated with exception: CUDA error: unknown error",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
        "incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        "[rank5]: Traceback (most recent call last):",
        '[rank5]:   File "/workspace/helpdesk/finetune.py", line 88, in <module>',
        "[rank5]:     run.run(recipe, executor=None, direct=True)",
        '[rank5]:   File "/opt/megatron-lm/megatron/core/optimizer/optimizer.py", line 512, in step',
        "[rank5]:     found_inf_flag = self.prepare_grads()",
        "[rank5]: RuntimeError: CUDA error: unknown error",
        f"W{glog[1:]}.690000 71 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 139 closing "
        "signal SIGTERM",
        f"W{glog[1:]}.691000 71 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 140 closing "
        "signal SIGTERM",
        f"{glog}.907000 71 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 2 "
        "(pid: 141) of binary: /usr/bin/python",
    ]
    later = stamp(fault + 9, zone, "E%m%d %H:%M:%S")
    zero += [
        f"[rank{r}]: torch.distributed.DistBackendError: NCCL error in: "
        "/opt/pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:268, remote process exited or there was a network "
        "error\n"
        f"[rank{r}]: Last error:\n[rank{r}]: socketProgress: Connection closed by remote peer "
        f"helpdesk-lora-worker-0.helpdesk-lora.ml-tickets.svc<4{rng.randrange(1000, 9999)}>"
        for r in (0, 2)
    ]
    zero.append(
        f"{later}.412000 69 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0 "
        "(pid: 137) of binary: /usr/bin/python"
    )
    put(place / "logs" / "helpdesk-lora-master-0.log", zero)
    put(place / "logs" / "helpdesk-lora-worker-0.log", one)
    times = [begin - 600 + 60 * k + 0.4 for k in range(157 + 22)]
    gpus = []
    for index in range(4):
        held = 19320 + rng.randrange(-90, 90)

        def load(t: float, index: int = index, held: int = held) -> Load:
            if index == 3 or t < begin + 50 or t > fault + 14:
                return IDLE
            if t < begin + 205:
                return Load("resident", 7140)
            if t > fault:
                return Load("spin", held)
            return Load("train", held, 0.97, 0.71, 0.93)

        gpus.append(follow(L4, times, load, rng))
    columns = (
        "GPUTL",
        "MCUTL",
        "FBUSD",
        "POWER",
        "SMCLK",
        "TMPTR",
        "GRACT",
        "SMACT",
        "TENSO",
        "DRAMA",
        "XIDER",
        "EDVTL",
    )
    dmon(place / "dcgmi" / "l4-pool-7f2c.dmon.txt", gpus, columns, zone, "%Y-%m-%dT%H:%M:%S+01:00")

    def kernel(t: float, text: str) -> str:
        return f"[{stamp(t, zone, '%a %b %d %H:%M:%S %Y')}] {text}"

    put(
        place / "dmesg" / "l4-pool-7f2c.txt",
        [
            kernel(begin - 90211, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06"),
            kernel(begin + 12, "eth0: renamed from veth4e02a71"),
            kernel(begin + 13, "IPv6: ADDRCONF(NETDEV_CHANGE): eni9ab3c77: link becomes ready"),
            kernel(fault + 16, "eni9ab3c77: left promiscuous mode"),
        ],
    )
    bus = "PCI:0000:b1:00"
    put(
        place / "dmesg" / "l4-pool-c9d8.txt",
        [
            kernel(begin - 90180, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06"),
            kernel(begin + 12, "eth0: renamed from veth77ac0e1"),
            kernel(
                fault - 0, "pcieport 0000:b0:02.0: AER: Uncorrectable (Fatal) error message received from 0000:b0:02.0"
            ),
            kernel(
                fault, "pcieport 0000:b0:02.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer"
            ),
            kernel(fault, "pcieport 0000:b0:02.0:    [ 5] SDES                   (First)"),
            kernel(fault, f"NVRM: Xid ({bus}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
            kernel(fault, "NVRM: GPU 0000:b1:00.0: GPU has fallen off the bus."),
            kernel(fault, "NVRM: GPU 0000:b1:00.0: GPU serial number is 1652923014127."),
            kernel(
                fault + 1,
                f"NVRM: Xid ({bus}): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
            ),
            kernel(fault + 18, "eni01c7f9e: left promiscuous mode"),
        ],
    )
    put(
        place / "kubectl.txt",
        [
            "$ kubectl -n ml-tickets get pods -o wide",
            "NAME                     READY   STATUS   RESTARTS   AGE    IP            NODE           NOMINATED NODE",
            "helpdesk-lora-master-0   0/1     Error    0          171m   10.42.6.118   l4-pool-7f2c   <none>",
            "helpdesk-lora-worker-0   0/1     Error    0          171m   10.42.9.31    l4-pool-c9d8   <none>",
            "",
            "$ kubectl -n ml-tickets get pytorchjob",
            "NAME            STATE    AGE",
            "helpdesk-lora   Failed   171m",
            "",
            "$ kubectl -n ml-tickets get pods -o custom-columns=NAME:.metadata.name,GPUS:.spec.containers[0].resources"
            ".limits.nvidia\\.com/gpu,EXIT:.status.containerStatuses[0].state.terminated.exitCode,"
            "START:.status.startTime,END:.status.containerStatuses[0].state.terminated.finishedAt",
            "NAME                     GPUS   EXIT   START                  END",
            f"helpdesk-lora-master-0   3      1      {stamp(begin, 0)}Z   {stamp(fault + 15, 0)}Z",
            f"helpdesk-lora-worker-0   3      1      {stamp(begin, 0)}Z   {stamp(fault + 11, 0)}Z",
        ],
    )


def t11_quiet(place: Path, rng: Random) -> None:
    """Nothing but the numbers of eight H100."""
    begin = at("2026-02-04T21:31:00")
    frozen, over = begin + 171.4 * 60, begin + 216 * 60
    times = [begin - 720 + 30 * k for k in range(216 * 2 + 46)]
    lost = rng.randrange(8)
    series = []
    for index in range(8):
        held = 68210 + rng.randrange(-240, 240)
        shift = rng.uniform(0, 20)

        def load(t: float, index: int = index, held: int = held, shift: float = shift) -> Load:
            if t < begin + 25 or t > over:
                return IDLE
            if t < begin + 150 + shift:
                return Load("resident", 1780 if t < begin + 80 else 24310)
            if t > frozen:
                return Load("resident", held) if index == lost else Load("spin", held)
            if (t - begin) % 2400 < 30:
                return Load("train", held, 0.31, 0.2, 0.22)
            return Load("train", held, 0.98, 0.68, 0.83)

        series.append(({"UUID": uuid(rng)}, follow(H100, times, load, rng)))
    series.sort(key=lambda pair: pair[0]["UUID"])
    for name in GAUGES:
        prometheus(place / "prom" / f"{name}.json", series, [name])


def t12_sleepy(place: Path, rng: Random) -> None:
    """MaxText that waits."""
    begin = at("2026-05-06T09:02:17")
    nodes = ("gpu-h-011", "gpu-h-012", "gpu-h-027")
    when = begin + 97
    spans: list[tuple[float, float, float]] = []
    out = [
        f"{stamp(begin + 11, 0, '%Y-%m-%d %H:%M:%S')}: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:477] "
        "Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already "
        "been registered",
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
        "jax.distributed initialized: process 0 of 3, 4 local devices, 12 global devices",
        "Config param run_name: doomsday-panic-v2",
        "Config param error_on_fatal_nan: True",
        "Config param model_name: llama2-7b",
        "Config param dataset_type: grain",
        "Config param grain_train_files: /lustre/crawl/crash-reports/killed-process-logs/*.arrayrecord",
        "Config param grain_worker_count: 2",
        "Config param per_device_batch_size: 4.0",
        "Config param max_target_length: 4096",
        "Config param steps: 281",
        "System Information: Jax Version: 0.6.2",
        "number parameters: 6.738 billion",
        "No existing checkpoints found, not restoring checkpoint.",
        "Per train step:",
        " Total TFLOPs: 740.11",
        " split as 90.87% learnable weight flops and 9.13% attention flops",
        "W external/xla/xla/service/hlo_rematerialization.cc:3005] Can't reduce memory use below 61.20GiB by "
        "rematerialization; only reduced to 63.88GiB  (not fatal, no failure was seen)",
    ]
    for step in range(281):
        wait = rng.uniform(0.01, 0.05) if step < 58 else max(7.5, rng.gauss(16.5, 3.6))
        work = (31.0 if step == 0 else 4.31) + rng.gauss(0, 0.03)
        spans.append((when, when + wait, when + wait + work))
        when += wait + work
        cost = wait + work
        loss = 5.41 + 5.46 * math.exp(-step / 74) + rng.gauss(0, 0.025)
        out.append(
            f"completed step: {step}, seconds: {cost:.3f}, TFLOP/s/device: {740.11 / cost:.3f}, "
            f"Tokens/s/device: {16384 / cost:.3f}, total_weights: 196608, loss: {loss:.3f}"
        )
        if step in (58, 100, 150, 200, 250):
            out.append(
                f"[input] step {step}: host 0 sat {wait:.1f} s in next(data_iterator), prefetch buffer 0/4, "
                f"read rate /lustre {rng.uniform(11, 16):.1f} MB/s (ost0019, ost001a)"
            )
        if step == 140:
            out.append("[input] worker 1: Exception guard: 0 corrupt records, 0 dead workers, abort threshold 64")
    end = when + 38
    out += [
        "Saved a checkpoint at step 280.",
        "Output size: 1.9 MB, profiler was deactivated; run finished, nothing was killed.",
    ]
    put(place / "slurm-930114.out", out)
    times = [begin - 300 + 10 * k for k in range(int((end - begin + 600) / 10))]
    for node in nodes:
        late = [rng.uniform(0, 0.9) for _ in spans]
        gpus = []
        for _ in range(4):
            held = 75490 + rng.randrange(-30, 30)

            def load(t: float, held: int = held, late: list[float] = late) -> Load:
                if t < begin + 20 or t > end - 3:
                    return IDLE
                for number, (start, ready, done) in enumerate(spans):
                    if start <= t < done:
                        if number == 0 and t < done - 4.3:
                            return Load("resident", held)
                        if t >= ready:
                            return Load("train", held, 0.99, 0.6, 0.66)
                        return Load("spin" if t > ready - late[number] else "resident", held)
                return Load("resident", held)

            gpus.append((uuid(rng), follow(H100, times, load, rng)))
        smi(place / f"nvidia-smi_{node}.csv", H100, gpus, 0, rng)
        boot = rng.uniform(8e5, 3e6)
        put(
            place / f"dmesg_{node}.txt",
            [
                f"[{boot - 70322.1:.6f}] nvidia-nvlink: Nvlink Core is being initialized, major device number 511",
                f"[{boot - 70301.8:.6f}] Lustre: Lustre: Build Version: 2.15.5",
                f"[{boot - 9120.4:.6f}] perf: interrupt took too long (2511 > 2500), lowering "
                "kernel.perf_event_max_sample_rate",
                f"[{boot + 33.2:.6f}] hrtimer: interrupt took 20411 ns",
                f"[{boot + 1790.9:.6f}] Lustre: crawl-OST0019-osc-ffff9c2: Connection restored to 10.31.0.44@o2ib "
                "(at 10.31.0.44@o2ib)",
            ],
        )
    span = int(end - begin)
    put(
        place / "sacct.txt",
        [
            "       JobID         JobName      State ExitCode               Start                 End    Elapsed  "
            "NNodes",
            "------------ --------------- ---------- -------- ------------------- ------------------- ---------- "
            "-------",
            *(
                f"{job:<12} {name:>15}  COMPLETED      0:0 {stamp(begin, 0)} {stamp(end, 0)}   "
                f"{span // 3600:02d}:{span // 60 % 60:02d}:{span % 60:02d} {count:>7}"
                for job, name, count in (
                    ("930114", "doomsday-panic", 3),
                    ("930114.batch", "batch", 1),
                    ("930114.0", "python3", 3),
                )
            ),
        ],
    )


def t13_gone(place: Path, rng: Random) -> None:
    """A node that stops answering."""
    begin = at("2026-09-15T04:47:33")
    dark, over = begin + 120 * 60 + 47, begin + 126 * 60 + 9
    nodes = ("hg21", "hg22", "hg23")
    zone = -6
    out = []

    def line(t: float, **more: object) -> None:
        out.append(json.dumps({"ts": stamp(t, zone, "%Y-%m-%dT%H:%M:%S") + f".{int(t % 1 * 1000):03d}-06:00", **more}))

    line(begin + 12, event="launch", job=551377, world=12, host="hg21", git="4b1ac07")
    line(begin + 40, event="model", params=13_204_480_000, layers=40, width=5120, shard="hsdp 3x4")
    line(begin + 61, event="data", shards=1844, tokens=96_311_000_000, seq=8192)
    line(begin + 84, event="resume", ckpt=None)
    step, when = 0, begin + 131
    while True:
        cost = 9.74 + rng.gauss(0, 0.06)
        if when + cost > dark:
            break
        when += cost
        step += 1
        loss = 4.02 + 6.9 * math.exp(-step / 130) + rng.gauss(0, 0.018)
        line(
            when,
            event="step",
            step=step,
            loss=round(loss, 4),
            gnorm=round(0.42 + 3 * math.exp(-step / 40) + rng.uniform(0, 0.1), 3),
            lr=round(2.2e-4 * min(1.0, step / 200), 8),
            dt=round(cost, 3),
            tok_s=round(12 * 8192 * 4 / cost),
            mem_gb=118.6,
        )
        if step % 200 == 0:
            when += 26
            line(when, event="ckpt", step=step, path=f"/vast/llm13/run7/step{step:06d}", secs=25.7)
    put(place / "train.jsonl", out)
    put(
        place / "slurm-551377.err",
        [
            "srun: error: Node failure on hg23",
            f"slurmstepd: error: *** STEP 551377.0 ON hg21 CANCELLED AT {stamp(over, zone)} DUE TO NODE FAILURE, "
            "SEE SLURMCTLD "
            "LOG FOR DETAILS ***",
            f"slurmstepd: error: *** JOB 551377 ON hg21 CANCELLED AT {stamp(over, zone)} DUE TO NODE FAILURE, SEE "
            "SLURMCTLD LOG "
            "FOR DETAILS ***",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ],
    )
    put(
        place / "slurmctld.extract.log",
        [
            f"[{stamp(begin, zone)}.114] sched: Allocate JobId=551377 NodeList=hg[21-23] #CPUs=288 Partition=h200",
            f"[{stamp(dark + 171, zone)}.502] error: Nodes hg23 not responding",
            f"[{stamp(over - 1, zone)}.388] error: Nodes hg23 not responding, setting DOWN",
            f"[{stamp(over, zone)}.390] Killing JobId=551377 on failed node hg23",
            f"[{stamp(over + 4, zone)}.016] _job_complete: JobId=551377 done",
            "",
            "$ sinfo -R -n hg21,hg22,hg23",
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {stamp(over - 1, zone)} hg23",
            "$ sinfo -N -n hg21,hg22,hg23 -o '%N %T'",
            "NODELIST STATE",
            "hg21 idle",
            "hg22 idle",
            "hg23 down*",
        ],
    )
    times = [begin - 420 + 15 * k for k in range(int((over - begin + 900) / 15))]
    for node in nodes:
        gpus = []
        for _ in range(4):
            held = 121490 + rng.randrange(-300, 300)

            def load(t: float, node: str = node, held: int = held) -> Load | None:
                if node == "hg23" and t > dark:
                    return None
                if t < begin + 25 or t > over + 6:
                    return IDLE
                if t < begin + 128:
                    return Load("resident", 2100 if t < begin + 60 else 55120)
                if t > dark:
                    return Load("spin", held)
                return Load("train", held, 0.99, 0.7, 0.88)

            gpus.append(follow(H200, times, load, rng))
        columns = ("GPUTL", "MCUTL", "FBUSD", "POWER", "SMCLK", "TMPTR", "XIDER", "SBE_V", "EDVTL")
        dmon(place / "dmon" / f"{node}.txt", gpus, columns, zone, "%Y-%m-%dT%H:%M:%S-06:00")
        lines = [
            (begin - 401213, "nvidia-nvswitch3: using MSI"),
            (begin - 88001, "mlx5_core 0000:9a:00.0 ib4: link up"),
            (begin + 2210, "hrtimer: interrupt took 14833 ns"),
        ]
        if node != "hg23":
            lines.append((dark + 8, "nfs: server vast-vip3 OK"))
            lines.append(
                (over + 611, "perf: interrupt took too long (4012 > 3998), lowering kernel.perf_event_max_sample_rate")
            )
        put(
            place / "kernel" / f"{node}.txt",
            [f"{stamp(t, zone)},{rng.randrange(10**6):06d}-06:00 {text}" for t, text in lines],
        )
    early = begin - 93211
    rows = ["JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|NNodes|NodeList"]
    for job, steps in (
        (
            "551203",
            (
                ("", "llm13-run7", "FAILED", "1:0"),
                (".batch", "batch", "FAILED", "1:0"),
                (".0", "python", "FAILED", "1:0"),
            ),
        ),
        (
            "551377",
            (
                ("", "llm13-run7", "NODE_FAIL", "0:0"),
                (".batch", "batch", "CANCELLED", "0:15"),
                (".extern", "extern", "CANCELLED", "0:15"),
                (".0", "python", "CANCELLED", "0:15"),
            ),
        ),
    ):
        start, stop = (early, early + 262) if job == "551203" else (begin, over)
        span = int(stop - start)
        for suffix, name, state, code in steps:
            part = "h200" if not suffix else ""
            spread = ("1", "hg21") if suffix == ".batch" else ("3", "hg[21-23]")
            rows.append(
                f"{job}{suffix}|{name}|{part}|{state}|{code}|{stamp(start, zone)}|{stamp(stop, zone)}|"
                f"{span // 3600:02d}:{span // 60 % 60:02d}:{span % 60:02d}|{spread[0]}|{spread[1]}"
            )
    put(place / "sacct.psv", rows)


def labels(index: int, host: str, board: str, name: str) -> dict[str, str]:
    """Labels as dcgm-exporter has them."""
    bus = ("07", "0f", "47", "4e", "87", "90", "b7", "bd")[index]
    return {
        "gpu": str(index),
        "UUID": name,
        "pci_bus_id": f"00000000:{bus.upper()}:00.0",
        "device": f"nvidia{index}",
        "modelName": board,
        "Hostname": host,
        "instance": f"{host}:9400",
        "job": "dcgm",
    }


def t14_reasons(place: Path, rng: Random) -> None:
    """A reward that rose until one process was no more."""
    begin = at("2026-11-12T11:33:20")
    zone, host = 1, "ada-a100-02"
    crash = begin + 149 * 60 - 21
    out = [
        "INFO 11-12 12:34:02 [__init__.py:239] Automatically detected platform cuda.",
        "[2026-11-12 12:34:09,711] [INFO] [comm.py:669:init_distributed] cdb=None",
        "[2026-11-12 12:34:09,711] [INFO] [comm.py:700:init_distributed] Initializing TorchBackend in DeepSpeed "
        "with backend nccl",
        "INFO 11-12 12:35:00 [worker.py:267] the current vLLM instance can use total_gpu_memory (79.25GiB) x "
        "gpu_memory_utilization (0.30) = 23.78GiB",
        "INFO 11-12 12:35:31 [llm_engine.py:437] init engine (profile, create kv cache, warmup model) took 27.14 "
        "seconds",
        "Parameter Offload: Total persistent parameters: 333312 in 141 params",
    ]
    spans: list[tuple[float, float, float]] = []
    step, when, total = 0, begin + 178, 900
    seen = 0
    while True:
        make, learn = rng.uniform(17, 23), rng.uniform(15.5, 17.5)
        if when + make + learn > crash:
            spans.append((when, when + make, when + make + learn + 60))
            break
        spans.append((when, when + make, when + make + learn))
        when += make + learn
        step += 1
        length = 412 + 1.2 * step + rng.gauss(0, 28)
        seen += round(length * 128)
        reward = 0.31 + 0.44 * (1 - math.exp(-step / 110)) + rng.gauss(0, 0.028)
        row = {
            "loss": round(abs(rng.gauss(0.004, 0.004)), 4),
            "grad_norm": round(0.21 + rng.uniform(0, 0.14), 6),
            "learning_rate": float(f"{1e-6 * (1 - step / total):.6g}"),
            "num_tokens": float(seen + 9120 * step),
            "completions/mean_length": round(length, 4),
            "completions/clipped_ratio": round(rng.uniform(0.01, 0.06), 4),
            "rewards/answer_ok/mean": round(reward - 0.05, 6),
            "reward": round(reward, 6),
            "reward_std": round(rng.uniform(0.27, 0.36), 6),
            "frac_reward_zero_std": round(rng.uniform(0.1, 0.3), 4),
            "kl": round(0.0004 + step * 1.1e-5 + rng.uniform(0, 2e-4), 6),
            "entropy": round(0.61 - step * 4e-4, 4),
            "clip_ratio/region_mean": 0.0,
            "epoch": round(step / total, 3),
        }
        gone, left = int(when - begin - 178), int((when - begin - 178) / step * (total - step))
        hours = f"{gone // 3600}:" if gone > 3599 else ""
        out.append(
            f"{step / total * 100:3.0f}%|{'█' * (step * 10 // total):<10}| {step}/{total} "
            f"[{hours}{gone // 60 % 60:02d}:{gone % 60:02d}<"
            f"{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}, "
            f"{make + learn:.2f}s/it]"
        )
        out.append(str(row))
    tick = stamp(crash + 4, zone, "%m%d %H:%M:%S")
    api = "40118 torch/distributed/elastic/multiprocessing/api.py"
    out += [
        f"W{tick}.2{k}8000 {api}:900] Sending process {40302 + k} closing signal SIGTERM" for k in range(8) if k != 5
    ]
    out += [
        f"E{tick}.991000 {api}:874] failed (exitcode: -11) local_rank: 5 (pid: 40307) of binary: "
        "/envs/grpo/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/envs/grpo/bin/accelerate", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/envs/grpo/lib/python3.11/site-packages/accelerate/commands/launch.py", line 1182, in launch_command',
        "    deepspeed_launcher(args)",
        '  File "/envs/grpo/lib/python3.11/site-packages/accelerate/commands/launch.py", line 861, in '
        "deepspeed_launcher",
        "    distrib_run.run(args)",
        '  File "/envs/grpo/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 270, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 57,
        "rl/geometry_grpo.py FAILED",
        "-" * 57,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 57,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {stamp(crash + 4, zone, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        "  rank      : 5 (local_rank: 5)",
        "  exitcode  : -11 (pid: 40307)",
        "  error_file: <N/A>",
        "  traceback : Signal 11 (SIGSEGV) received by PID 40307",
        "=" * 57,
        f"srun: error: {host}: task 0: Exited with exit code 1",
    ]
    put(place / "logs" / "grpo-geometry-20418.out", out)
    times = [begin - 600 + 15 * k for k in range(149 * 4 + 80)]
    series = []
    for index in range(8):
        held = 71200 + rng.randrange(-900, 900)

        def load(t: float, index: int = index, held: int = held) -> Load:
            if t < begin + 30 or t > crash + (1 if index == 5 else 10):
                return IDLE
            if t < begin + 178:
                return Load("resident", 16400 if t < begin + 110 else 41030)
            if t > crash:
                return Load("spin", held)
            made = next(ready for _, ready, done in spans if t < done)
            if t < made:
                return Load("train", held, 0.93, 0.36, 0.47)
            return Load("train", held, 0.98, 0.66, 0.84)

        samples = follow(A100, times, load, rng)
        ticks(samples, 11 if index == 2 else 0, 0.035 if index == 2 else 0.0, rng)
        series.append((labels(index, host, A100.name, uuid(rng)), samples))
    prometheus(place / "metrics" / f"{host}.json", series, list(GAUGES))
    over = crash + 9
    span = int(over - begin)
    took = f"{span // 3600:02d}:{span // 60 % 60:02d}:{span % 60:02d}"
    put(
        place / "sacct.txt",
        [
            "$ sacct -j 20418 -o jobid%12,jobname%16,state%10,exitcode,start,end,elapsed,maxrss,reqmem",
            "       JobID          JobName      State ExitCode               Start                 End    Elapsed   "
            "  MaxRSS   ReqMem",
            "------------ ---------------- ---------- -------- ------------------- ------------------- ---------- "
            "---------- --------",
            *(
                f"{job:>12} {name:>16}     FAILED      1:0 {stamp(begin, zone)} {stamp(over, zone)}   {took} "
                f"{rss:>10} {req:>8}"
                for job, name, rss, req in (
                    ("20418", "grpo-geometry", "", "960G"),
                    ("20418.batch", "batch", "41208K", ""),
                    ("20418.0", "accelerate", "311904220K", ""),
                )
            ),
        ],
    )


def t15_cells(place: Path, rng: Random) -> None:
    """A bad cell under rank 4."""
    begin = at("2026-07-08T17:55:10")
    zone = 8
    fault = begin + 129 * 60 - 33
    hosts = ("cn-gx-a1", "cn-gx-a2", "cn-gx-a3", "cn-gx-a4")
    out = []

    def say(t: float, rank: int, text: str) -> None:
        out.append(f"{stamp(t, zone, '%m-%d %H:%M:%S')} r{rank}@{hosts[rank // 2]} {text}")

    for rank in range(7):
        say(begin + 19 + rank * 0.1, rank, f"up: cuda:{rank % 2} of {hosts[rank // 2]}, world 7")
    say(begin + 21, 0, "slot 7 (cn-gx-a4 cuda:1) is kept for the evaluator; eval_every=0 so no evaluator was started")
    say(begin + 55, 0, "protein-mlm 650M, 7 x 96 x 1024 residues a step, 20000 steps planned, fresh weights")
    step, when = 0, begin + 88
    while True:
        cost = 1.912 + rng.gauss(0, 0.014)
        if when + cost > fault:
            break
        when += cost
        step += 1
        if step % 25 == 0:
            for rank in range(7):
                loss = 2.352 + 0.61 * math.exp(-step / 900) + rng.gauss(0, 0.013)
                say(
                    when,
                    rank,
                    f"step {step} loss {loss:.4f} gn {0.5 + rng.uniform(0, 0.09):.3f} "
                    f"{cost * 1000:.0f}ms peak 58.{rng.randrange(1, 4)}G",
                )
        if step % 1000 == 0:
            when += 6
            say(when, 0, f"wrote ckpt/{step:06d}.pt")
    say(fault + 3, 4, "Traceback (most recent call last):")
    say(fault + 3, 4, '  File "/work/plm/train.py", line 241, in main')
    say(fault + 3, 4, "    scaler_loss.backward()")
    say(fault + 3, 4, '  File "/opt/py/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward')
    say(fault + 3, 4, "RuntimeError: CUDA error: uncorrectable ECC error encountered")
    say(fault + 3, 4, "CUDA kernel errors might be asynchronously reported at some other API call")
    for rank in (5, 3, 0, 6):
        say(
            fault + 7 + rng.uniform(0, 2),
            rank,
            "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error, "
            f"ncclRemoteError, peer {hosts[2]}<{rng.randrange(33000, 60000)}>",
        )
    say(fault + 12, 0, "launcher: rank 4 left with 1, stopping the other six")
    put(place / "train_all_ranks.log", out)
    times = [begin - 1200 + 60 * k for k in range(129 + 45)]
    series = []
    for rank in range(8):
        held = 62110 + rng.randrange(-200, 200)

        def load(t: float, rank: int = rank, held: int = held) -> Load:
            if rank == 7 or t < begin + 25 or t > fault + 13:
                return IDLE
            if t < begin + 88:
                return Load("resident", 4020)
            if t > fault:
                return Load("resident" if rank == 4 else "spin", held)
            return Load("train", held, 0.97, 0.63, 0.82)

        samples = follow(A100, times, load, rng)
        if rank == 4:
            for sample in samples:
                if sample.when >= fault:
                    sample.dbe, sample.xid, sample.remapped = 2, 94, 1
        series.append((labels(rank % 2, hosts[rank // 2], A100.name, uuid(rng)), samples))
    for name in GAUGES:
        prometheus(place / "query_range" / f"{name.lower()}.json", series, [name])
    for number, host in enumerate(hosts):
        rows = [
            (begin - 60233, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08"),
            (begin - 55012, "Lustre: Mounted gx2-client"),
            (
                begin + 1711 + number * 311,
                "perf: interrupt took too long (2603 > 2500), lowering kernel.perf_event_max_sample_rate",
            ),
        ]
        if number == 2:
            bus = "NVRM: Xid (PCI:0000:07:00)"
            rows += [
                (
                    fault,
                    f"{bus}: 48, pid=221904, name=python3, An uncorrectable double bit error (DBE) has been "
                    "detected on GPU in "
                    "the framebuffer at partition 5, subpartition 0.",
                ),
                (
                    fault,
                    f"{bus}: 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000bc1d00321) "
                    "marked for "
                    "remapping, reset gpu to activate.",
                ),
                (fault + 1, f"{bus}: 94, pid=221904, name=python3, Contained: SM (0x1). RST: No, D-RST: No"),
            ]
        put(
            place / "journal" / f"{host}.log",
            [f"{stamp(t, zone, '%b %d %H:%M:%S')} {host} kernel: {text}" for t, text in rows],
        )


def t16_small(place: Path, rng: Random) -> None:
    """A planned 1200 iterations, done."""
    begin = at("2026-01-27T15:08:44")
    zone = 1
    nodes = ("kestrel-3", "kestrel-6")
    out = []

    def say(t: float, text: str, where: str = "DP=0|PP=0|TP=0|kestrel-3") -> None:
        out.append(f"{stamp(t, zone, '%m/%d/%Y %H:%M:%S')} [INFO|{where}]: {text}")

    say(begin + 24, "Config:")
    say(
        begin + 24,
        "Config(general=GeneralArgs(project='nordic-small', run='ns17b-cooldown-probe', seed=11, step=None),",
    )
    say(begin + 24, "       parallelism=ParallelismArgs(dp=8, pp=1, tp=2, expert_parallel_size=1),")
    say(
        begin + 24,
        "       tokens=TokensArgs(sequence_length=4096, train_steps=1200, micro_batch_size=4, "
        "batch_accumulation_per_replica=8))",
    )
    say(begin + 31, "Total number of parameters: 1.71G (3263.51MiB)")
    say(begin + 31, "Local number of parameters: 855M (1631.76MiB)", "DP=0|PP=0|TP=1|kestrel-3")
    say(begin + 34, "Parametrizing model parameters using StandardParametrizator")
    say(begin + 40, "No checkpoint path provided.")
    say(begin + 61, "[Training Plan] There are 1 training stages")
    say(begin + 61, "[Stage nordic mix] start from step 1")
    say(
        begin + 63,
        f"[Start training] datetime: {stamp(begin + 63, zone, '%Y-%m-%d %H:%M:%S')}.418852 | mbs: 4 | "
        "grad_accum: 8 | "
        "global_batch_size: 256 | sequence_length: 4096 | train_steps: 1200 | start_iteration_step: 0 | "
        "consumed_train_samples: 0",
    )
    when = begin + 70
    saves = []
    for step in range(1, 1201):
        cost = (7.9 if step == 1 else 4.415) + rng.gauss(0, 0.018)
        when += cost
        if step % 10 == 0 or step == 1:
            loss = 3.08 + 3.3 * math.exp(-step / 55) + 4.6 * math.exp(-step / 24) + 0.5 * math.exp(-step / 400)
            loss += rng.gauss(0, 0.02)
            rate = 3e-4 * min(step / 100, 1, max(0.04, (1200 - step) / 300))
            tokens = step * 256 * 4096 / 1e6
            shown = f"{tokens:.1f}M" if tokens < 1000 else f"{tokens / 1000:.2f}G"
            say(
                when,
                f"iteration: {step} / 1200 | consumed_tokens: {shown} | elapsed_time_per_iteration_ms: {cost:.2f}K | "
                f"tokens_per_sec: {1048.576 / cost:.0f}K | tokens_per_sec_per_gpu: {65.536 / cost:.1f}K | "
                "global_batch_size: 256 | "
                f"lm_loss: {loss:.3g} | lr: {rate:.3g} | model_tflops_per_gpu: {761 / cost:.0f} | "
                f"hardware_tflops_per_gpu: {761 / cost:.0f} | grad_norm: "
                f"{0.31 + 2 * math.exp(-step / 50) + rng.uniform(0, 0.06):.3g} | "
                "cuda_memory_allocated: 18.4G | cuda_max_memory_reserved: 62.9G | hd_total_memory_tb: 30.7T | "
                f"hd_used_memory_tb: 11.{2 + step // 700}T | hd_free_memory_tb: 19.{4 - step // 700}T",
            )
        if step % 400 == 0:
            say(when, f"Saving checkpoint at /fsx/nordic/ckpt/ns17b-cooldown-probe/{step}")
            saves.append(when)
            when += 17
    say(when + 1, "Training finished, throughput logs and checkpoint 1200 are in /fsx/nordic/ckpt/ns17b-cooldown-probe")
    end = when + 13
    put(place / "nanotron-77120.log", out)
    crash = begin - 871
    times = [begin - 1800 + 15 * k for k in range(int((end - begin + 2400) / 15))]
    series = []
    inventory: list[str] = []
    for node in nodes:
        inventory.append(f"## {node}: nvidia-smi -L")
        for index in range(8):
            held = 66480 + rng.randrange(-400, 400)

            def load(t: float, node: str = node, index: int = index, held: int = held) -> Load:
                if node == nodes[1] and index == 5 and t < crash:
                    return Load("train", 21870, 0.71, 0.33, 0.4)
                if t < begin + 20 or t > end - 3:
                    return IDLE
                if t < begin + 68:
                    return Load("resident", 9310)
                if any(moment <= t < moment + 17 for moment in saves):
                    return Load("resident", held)
                return Load("train", held, 0.99, 0.68, 0.87)

            samples = follow(H100, times, load, rng)
            if node == nodes[1] and index == 5:
                for sample in samples:
                    sample.xid = 31 if sample.when > crash else 0
            name = uuid(rng)
            inventory.append(f"GPU {index}: {H100.name} (UUID: {name})")
            series.append(({"UUID": name}, samples))
    put(place / "gpus.txt", inventory)
    series.sort(key=lambda pair: pair[0]["UUID"])
    for gauge in GAUGES:
        prometheus(place / "dcgm" / f"{gauge}.json", series, [gauge])

    def kernel(t: float, text: str) -> str:
        return f"[{stamp(t, zone, '%a %b %e %H:%M:%S %Y')}] {text}"

    put(
        place / "dmesg" / "kestrel-3.txt",
        [
            kernel(begin - 700131, "nvidia-nvswitch: Probing device 0000:05:00.0, Vendor Id = 0x10de"),
            kernel(begin + 3011, "hrtimer: interrupt took 11029 ns"),
        ],
    )
    put(
        place / "dmesg" / "kestrel-6.txt",
        [
            kernel(begin - 700118, "nvidia-nvswitch: Probing device 0000:05:00.0, Vendor Id = 0x10de"),
            kernel(
                crash,
                "NVRM: Xid (PCI:0000:ab:00): 31, pid=88213, name=lmp_kokkos, Ch 00000011, intr 00000000. MMU Fault: "
                "ENGINE GRAPHICS "
                "GPCCLIENT_T1_3 faulted @ 0x7f31_0ac00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
            ),
            kernel(
                begin + 1204,
                "perf: interrupt took too long (2544 > 2500), lowering kernel.perf_event_max_sample_rate to 78000",
            ),
        ],
    )
    span, early = int(end - begin), begin - 9120
    took = f"{span // 3600:02d}:{span // 60 % 60:02d}:{span % 60:02d}"
    put(
        place / "sacct.txt",
        [
            "JobID|User|JobName|State|ExitCode|Start|End|Elapsed|NodeList",
            f"77098|mhaug|lj-melt|FAILED|134:0|{stamp(early, zone)}|{stamp(crash + 3, zone)}|02:17:32|kestrel-6",
            f"77120|siri|ns17b-cooldown-probe|COMPLETED|0:0|{stamp(begin, zone)}|"
            f"{stamp(end, zone)}|{took}|kestrel-[3,6]",
        ],
    )

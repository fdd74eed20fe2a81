"""Whole incidents t01 to t08 of the thirty-sixth set. SIMULATED: no line of them was printed by a real job."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from samples.redteam.thirtysixth.sim_ia import (
    A6000,
    B200,
    G4090,
    H100,
    H200,
    L40S,
    Load,
    at,
    boards,
    dcgm,
    epoch,
    exporter,
    kernel,
    ms,
    put,
    sample,
    smi_csv,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

STAMP = "%Y-%m-%d %H:%M:%S"
ISO = "%Y-%m-%dT%H:%M:%S"
SLURM = "%Y-%m-%dT%H:%M:%S"


def _grid(first: float, last: float, step: float, shift: float = 0) -> list[float]:
    """Moments of samples."""
    return [first + shift + i * step for i in range(int((last - first) / step))]


def _spans(
    spans: Sequence[tuple[float, float, Load]], base: Load, start: float, end: float
) -> Callable[[float], Load | None]:
    """A load by time: none outside, the spans before the base."""

    def load(t: float) -> Load | None:
        if not start <= t < end:
            return None
        for a, b, what in spans:
            if a <= t < b:
                return what
        return base

    return load


def _clock(seconds: float) -> str:
    """Hours, minutes, seconds."""
    s = int(seconds)
    return f"{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}"


def t01_neox_l40s(place: Path, rng: Random) -> None:
    """GPT-NeoX on two nodes of eight L40S."""
    start = epoch("2026-09-17 13:04:20")
    end = start + 57 * 60
    nodes = ("gpu-l40-07", "gpu-l40-12")
    train = start + 171.0
    log: list[str] = []

    def ds(t: float, text: str, where: str = "logging.py:96:log_dist", level: str = "INFO") -> None:
        log.append(f"[{ms(t)}] [{level}] [{where}] {text}")

    ds(start + 4.1, "Setting ds_accelerator to cuda (auto detect)", "real_accelerator.py:219:get_accelerator")
    log.append(
        "NeoXArgs.from_ymls() ['/gpt-neox/configs/410M-is.yml', '/gpt-neox/configs/k8s_setup.yml']\nINFO:root:NeoXArgs.calculate_derived() "
        "Total number of GPUs determined to be: 16"
    )
    log.append("-------------------- arguments --------------------")
    for key, value in (
        ("attention_config", "['flash', 'flash', 'flash', 'flash', ..."),
        ("checkpoint_factor", "200"),
        ("data_impl", "mmap"),
        ("eval_interval", "200"),
        ("eval_iters", "10"),
        ("fp16", "None"),
        ("gradient_accumulation_steps", "4"),
        ("hidden_size", "1024"),
        ("log_interval", "10"),
        ("lr_decay_iters", "440"),
        ("num_layers", "24"),
        ("precision", "bfloat16"),
        ("save", "/mnt/ckpt/is-410m"),
        ("seq_length", "2048"),
        ("train_batch_size", "512"),
        ("train_iters", "440"),
        ("train_micro_batch_size_per_gpu", "8"),
        ("wandb_project", "icelandic-lm"),
        ("zero_stage", "1"),
    ):
        log.append(f"  {key} {'.' * (32 - len(key))} {value}{'updated' if key != 'seq_length' else 'default'}")
    log.append("---------------- end of arguments ----------------")
    log += [f"{nodes[r // 8]}: > initializing torch distributed ... rank {r}" for r in range(0, 16, 5)]
    ds(start + 31.7, "Initializing TorchBackend in DeepSpeed with backend nccl", "comm.py:658:init_distributed")
    log += [
        "> setting random seeds to 1234 ...",
        " > number of parameters on model parallel rank 0: 405334016",
        " > total params: 405,334,016",
        "building GPT2 model ...",
        "> building train, validation, and test datasets ...",
        "    reading sizes...",
        "    reading pointers...",
        "    creating numpy buffer of mmap...",
        " > dataset split:",
        "    train:",
        "     document indices in [0, 1902211) total of 1902211 documents",
        "> elapsed time for building blendable dataset indices: 0.11 (sec)",
    ]
    ds(start + 150.2, "DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown", "logging.py:96:log_dist")
    ds(start + 158.9, "[Rank 0] Using DeepSpeed Optimizer param name adam as basic optimizer")
    log.append("Unable to load checkpoint.\nLoading checkpoint and starting from iteration 0\ntraining ...")
    t = train
    pauses: list[tuple[float, float]] = []
    for i in range(1, 441):
        dt = rng.gauss(7.05, 0.07) + (4.1 if i == 1 else 0)
        t += dt
        lr = 6e-4 * min(1, i / 40) if i <= 40 else 6e-5 + 2.7e-4 * (1 + math.cos(math.pi * (i - 40) / 400))
        loss = 3.62 + 7.3 * math.exp(-i / 38) + 1.05 * math.exp(-i / 190) + rng.gauss(0, 0.025)
        if i % 10 == 0:
            log.append(
                f"{nodes[0]}: [{ms(t)}] [INFO] [logging.py:96:log_dist] [Rank 0] step={i}, skipped=0, lr=[{lr:.10f}, {lr:.10f}], "
                "mom=[[0.9, 0.95], [0.9, 0.95]]"
            )
            log.append(
                f"{nodes[0]}: [{ms(t + 0.002)}] [INFO] [timer.py:264:stop] epoch=0/micro_step={4 * i}/global_step={i}, RunningAvgSamplesPerSec="
                f"{512 / 7.06 + rng.gauss(0, 0.05):.6f}, CurrSamplesPerSec={512 / dt:.6f}, MemAllocated=2.11GB, MaxMemAllocated=31.46GB"
            )
            log.append(
                f"{nodes[1]}:  samples/sec: {512 / 7.06 + rng.gauss(0, 0.3):.3f} | iteration {i:8d}/{440:8d} | elapsed time per iteration (ms): "
                f"{7057 + rng.gauss(0, 24):.1f} | learning rate: {lr:.3E} | approx flops per GPU: {30.2 + rng.gauss(0, 0.1):.1f}TFLOPS | lm_loss: "
                f"{loss:.6E} | number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |"
            )
        if i in (200, 400, 440):
            a = t
            if i < 440:
                t += 24.4
                log.append(f"{nodes[1]}: " + "-" * 100)
                log.append(
                    f"{nodes[1]}:  validation results at iteration {i} | lm_loss value: {loss + 0.06:.6E} | lm_loss_ppl value: "
                    f"{math.exp(loss + 0.06):.6E} | "
                )
                log.append(f"{nodes[1]}: " + "-" * 100)
                a = t
            ds(t + 0.3, f"[Torch] Checkpoint global_step{i} is about to be saved!")
            ds(t + 0.9, f"Saving model checkpoint: /mnt/ckpt/is-410m/global_step{i}/mp_rank_00_model_states.pt")
            ds(
                t + 6.8,
                f"[Torch] Saved /mnt/ckpt/is-410m/global_step{i}/mp_rank_00_model_states.pt.",
                "torch_checkpoint_engine.py:23:save",
            )
            t += 9.1
            log.append(f"{nodes[0]}: Checkpoint saved: /mnt/ckpt/is-410m/global_step{i}")
            pauses.append((a, t))
    log.append("Evaluating iter 10/10\n" + "-" * 88)
    log.append(
        " validation results at the end of training for val data | lm_loss value: 3.772114E+00 | lm_loss_ppl value: 4.347187E+01 | "
    )
    log.append("-" * 88)
    t += 31
    for r in range(16):
        ds(t + 3.1 + 0.05 * r, f"Process {412 + r % 8} exits successfully.", "launch.py:351:main")
    log.append("wandb: 🚀 View run is-410m-r3 at: https://wandb.intra.hi.is/mal/icelandic-lm/runs/7t0qk2vx")
    put(place / "neox-launcher.log", "\n".join(log) + "\n")
    stop = t + 4
    work = Load(0.98, 0.9, 0.83, 0.34, 0.52, 39120)
    spans = [
        (start, start + 35, replace(work, util=0, power=0.02, memory=420)),
        (start + 35, train, replace(work, util=0, power=0.03, memory=3010)),
    ]
    spans += [(a, b, replace(work, util=0.12, power=0.12)) for a, b in pauses]
    ticks = {
        ("gpu-l40-12", 5): [start + 9 * 60 + k * 211 + rng.uniform(0, 120) for k in range(14)],
        ("gpu-l40-07", 1): [start + 1610.0],
    }
    for node in nodes:
        group = boards(rng, node, L40S, ("01", "21", "41", "61", "81", "A1", "C1", "E1"))
        for b in group:
            load = _spans(
                spans,
                replace(
                    work, memory=work.memory + 64 * rng.randint(-3, 3), power=work.power + rng.uniform(-0.04, 0.05)
                ),
                start + 9,
                stop,
            )
            hits = ticks.get((node, b.index), [])
            old = 3 if (node, b.index) == ("gpu-l40-12", 5) else 0
            sample(
                rng,
                b,
                _grid(start - 420, end + 240, 15, 0.3),
                load,
                lambda t, hits=hits, old=old: {"sbe": old + sum(h <= t for h in hits)},
            )
        smi_csv(
            rng,
            place / f"nvsmi-{node}.csv",
            group,
            0,
            (
                "timestamp",
                "index",
                "pci.bus_id",
                "utilization.gpu",
                "utilization.memory",
                "memory.used",
                "power.draw",
                "temperature.gpu",
                "clocks.sm",
                "clocks_event_reasons.active",
                "ecc.errors.corrected.volatile.total",
                "ecc.errors.uncorrected.volatile.total",
            ),
        )


ALL_DCGM = (
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_MEMORY_TEMP",
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_XID_ERRORS",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
)


def t02_silent_h200(place: Path, rng: Random) -> None:
    """One H200 in a pod, nothing of the pod left but its metrics."""
    start = epoch("2026-10-05 21:12:08")
    end = start + 343 * 60
    node = "k8s-h200-a03"
    work = Load(0.99, 0.86, 0.87, 0.49, 0.44, 118342)
    spans = [
        (start, start + 41, replace(work, util=0, power=0.01, memory=527)),
        (start + 41, start + 96, replace(work, util=0.03, power=0.05, memory=29410)),
    ]
    k = start + 96 + 54 * 60
    while k < end - 900:
        spans.append((k, k + 48, replace(work, util=0.97, power=0.52, sm=0.6, tensor=0.31, dram=0.55)))
        spans.append((k + 48, k + 76, replace(work, util=0.0, power=0.03)))
        k += 54 * 60 + 124
    spans.append((end - 88, end - 40, replace(work, util=0.97, power=0.52, sm=0.6, tensor=0.31, dram=0.55)))
    spans.append((end - 40, end, replace(work, util=0.0, power=0.03)))
    group = boards(rng, node, H200, ("1B",))
    sample(rng, group[0], _grid(start - 600, end + 600, 15), _spans(spans, work, start + 6, end - 3))
    pods = {node: {"container": "trainer", "namespace": "nlp-research", "pod": "sft-qwen-14b-r2-0"}}
    dcgm(place / "prometheus", group, ALL_DCGM, {node: "10.244.7.19:9400"}, "570.133.20", pods, (start - 2, end + 8))
    boot = epoch("2026-09-21 06:40:11")
    lines = [
        (start - 5200, "pcieport 0000:64:01.0: AER: Correctable error message received from 0000:65:00.0"),
        (start - 5200, "nvme 0000:65:00.0: PCIe Bus Error: severity=Correctable, type=Physical Layer, (Receiver ID)"),
        (start - 5200, "nvme 0000:65:00.0:   device [144d:a80a] error status/mask=00000001/0000e000"),
        (start - 5200, "nvme 0000:65:00.0:    [ 0] RxErr                  (First)"),
        (start - 9, "IPv6: ADDRCONF(NETDEV_CHANGE): cali8be27f1c9aa: link becomes ready"),
        (start - 8.8, "eth0: renamed from tmp2c1f9"),
        (
            start + 2710,
            "perf: interrupt took too long (3163 > 3157), lowering kernel.perf_event_max_sample_rate to 63000",
        ),
        (start + 5004, "fluent-bit invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=999"),
        (
            start + 5004,
            "Memory cgroup out of memory: Killed process 281177 (flb-pipeline) total-vm:412880kB, anon-rss:131004kB, file-rss:9120kB, "
            "shmem-rss:0kB, UID:0 pgtables:420kB oom_score_adj:999",
        ),
        (start + 7881, "pcieport 0000:64:01.0: AER: Correctable error message received from 0000:65:00.0"),
        (start + 7881, "nvme 0000:65:00.0: PCIe Bus Error: severity=Correctable, type=Physical Layer, (Receiver ID)"),
        (start + 11320, "mce: [Hardware Error]: Machine check events logged"),
        (
            start + 11320,
            "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3f21b7 offset:0x5c0 grain:32 "
            "syndrome:0x0 -  err_code:0x0101:0x0090)",
        ),
        (
            start + 14006,
            "traps: kubectl-exec-pr[317702] general protection fault ip:7f2b0c1d91e2 sp:7ffd1a2b0c38 error:0 in libc.so.6[7f2b0c0b8000+195000]",
        ),
        (end + 4, "cali8be27f1c9aa: left allmulticast mode"),
        (end + 900, "perf: interrupt took too long (3961 > 3953), lowering kernel.perf_event_max_sample_rate to 50000"),
    ]
    off = {t: rng.random() for t, _ in lines}
    kernel(place / f"{node}.dmesg", node, [(t + off[t], x) for t, x in lines], "dmesg iso", 0, boot)


def t03_ranks_a6000(place: Path, rng: Random) -> None:
    """A home-made loop on four A6000 whose ranks all print."""
    start = epoch("2026-08-26 17:51:33")
    end = start + 127 * 60
    node = "volta-ws4"
    log = [
        "*****************************************\nSetting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system "
        "being overloaded, please further tune the variable for optimal performance in your application as needed. \n"
        "*****************************************"
    ]
    log[0] = f"W{at(start + 3, '%m%d %H:%M:%S')}.118000 88120 torch/distributed/run.py:792] \n" + "\n".join(
        f"W{at(start + 3, '%m%d %H:%M:%S')}.118000 88120 torch/distributed/run.py:792] {x}" for x in log[0].split("\n")
    )
    log += [f"[r{r}] up on {node} cuda:{r} (NVIDIA RTX A6000) pid {88131 + r}" for r in (1, 0, 3, 2)]
    log += [
        "[r0] train shards 412, val shards 6, 30 epochs x 1180 its, bs 24/gpu",
        "[r0] UNet3D 41.7M params, bf16 autocast, channels_last_3d",
        "[r1] cudnn.benchmark on",
    ]
    t, crash = start + 44, end - 12
    total = 0
    spans: list[tuple[float, float]] = []
    while t < crash:
        total += 1
        t += rng.gauss(0.612, 0.012)
        if t >= crash:
            break
        if total % 40 == 0:
            ep = (total - 1) // 1180 + 1
            for r in rng.sample(range(4), 4):
                loss = 0.16 + 0.69 * math.exp(-total / 2600) + abs(rng.gauss(0, 0.014))
                log.append(
                    f"[r{r}] {at(t, '%H:%M:%S')} ep {ep:2d} it {(total - 1) % 1180 + 1:4d}/1180 dice+ce {loss:.4f} gn {0.4 + rng.random() * 0.5:.2f} "
                    f"lr {3e-4 * (1 - total / 35400) ** 0.9:.3e} {0.612 + rng.gauss(0, 0.004):.3f} s/it mem {41.2 + 0.1 * r:.1f}G"
                )
        if total % 1180 == 0:
            a = t
            t += 26
            log.append(
                f"[r0] {at(t, '%H:%M:%S')} == val ep {total // 1180:2d} dice {0.87 - 0.41 * math.exp(-total / 3100):.4f} -> "
                f"saved /scratch/mri/run19/ep{total // 1180:02d}.pt (167 MB)"
            )
            spans.append((a, t))
    where = "/home/tkessler/unet3d/train.py"
    log += [
        f'[rank2]: Traceback (most recent call last):\n[rank2]:   File "{where}", line 241, in <module>\n[rank2]:     main()',
        f'[rank2]:   File "{where}", line 203, in main\n[rank2]:     running += loss.item()\n[rank2]:                ^^^^^^^^^^^',
        "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "[rank2]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "[rank2]: For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "[rank2]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
    ]
    head = at(end - 6, "%m%d %H:%M:%S")
    log += [
        f"W{head}.{402 + k}000 88120 torch/distributed/elastic/multiprocessing/api.py:897] Sending process {88131 + r} closing signal SIGTERM"
        for k, r in enumerate((0, 1, 3))
    ]
    log.append(
        f"E{at(end - 4, '%m%d %H:%M:%S')}.071000 88120 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 2 (pid: 88133)"
        " of binary: /home/tkessler/miniconda3/envs/seg/bin/python"
    )
    log += [
        "Traceback (most recent call last):",
        '  File "/home/tkessler/miniconda3/envs/seg/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{where} FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {at(end - 6, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {node}",
        "  rank      : 2 (local_rank: 2)",
        "  exitcode  : 1 (pid: 88133)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=" * 60,
    ]
    put(place / "slurm-30418.out", "\n".join(log) + "\n")
    put(
        place / "sacct.txt",
        (
            "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode               Start                 End    Elapsed        NodeList \n"
            "------------ ---------- ---------- ---------- ---------- ---------- -------- ------------------- ------------------- ---------- --------------- \n"
            + "".join(
                f"{i:<12} {n:>10} {p:>10} {'radiology':>10} {32:>10} {s:>10} {x:>8} {at(start, SLURM)} {at(end, SLURM)} {_clock(end - start):>10} {node:>15} \n"
                for i, n, p, s, x in (
                    ("30418", "unet3d-r19", "gpu", "FAILED", "1:0"),
                    ("30418.batch", "batch", "", "FAILED", "1:0"),
                    ("30418.exte+", "extern", "", "COMPLETED", "0:0"),
                )
            )
        ),
    )
    work = Load(0.97, 0.88, 0.78, 0.3, 0.6, 43980)
    holes = ((start + 1500, start + 1790), (start + 3605, start + 3720), (start + 5050, start + 5640))
    times = [t for t in _grid(start - 480, end + 480, 30, 11) if not any(a < t < b for a, b in holes)]
    group = boards(rng, node, A6000, ("17", "31", "B1", "CA"))
    for b in group:
        own = replace(work, memory=work.memory + 110 * b.index, power=work.power + rng.uniform(-0.03, 0.06))
        over = [
            (start, start + 12, replace(own, util=0, power=0.01, memory=14)),
            (start + 12, start + 44, replace(own, util=0.02, power=0.05, memory=1830)),
        ]
        over += [(x, y, replace(own, util=0.66, power=0.5, sm=0.5, tensor=0.15)) for x, y in spans]
        hit = b.index == 2
        sample(
            rng,
            b,
            times,
            _spans(over, own, start, end - 4),
            lambda t, hit=hit: {"dbe": int(hit and t >= crash - 3), "sbe": 0},
        )
    exporter(
        place / "prom",
        group,
        {node: f"{node}:9835"},
        "550.144.03",
        "clocks_throttle_reasons",
        "nvidia_gpu_exporter",
        ecc=True,
        vbios="94.02.5C.00.03",
    )


def t04_warm_h100(place: Path, rng: Random) -> None:
    """Two single-board nodes of which one gets hot."""
    start = epoch("2026-07-22 11:36:05")
    end = start + 177 * 60
    nodes = ("hx201", "hx202")
    hot = start + 68 * 60
    drift = [rng.gauss(0, 1) for _ in range(900)]

    def limit(t: float) -> int:
        x = (t - hot) / 60
        base = 1980 - 78 * x if x < 13 else 930 + 110 * math.sin(x / 7.3) - 1.1 * (x - 13)
        return 15 * int((base + 28 * drift[int((t - start) / 30) % 900]) / 15)

    work = Load(0.99, 0.82, 0.85, 0.45, 0.45, 71264)
    early = [
        (start, start + 25, replace(work, util=0, power=0.01, memory=560)),
        (start + 25, start + 88, replace(work, util=0.02, power=0.05, memory=16890)),
    ]
    early += [(x, x + 34, replace(work, util=0, power=0.04)) for x in (start + 3300, start + 7900)]
    calm = _spans(early, work, start + 7, end - 5)

    def burning(t: float) -> Load | None:
        now = calm(t)
        if now is None:
            return None
        if t < hot - 700:
            return now
        if t < hot:
            return replace(now, warmer=20 * (t - hot + 700) / 700 if now.util else 0)
        if now.util == 0:
            return replace(now, warmer=40)
        f = min(1980, limit(t))
        power = H100.held + (H100.cap - H100.held) * now.power * (f / 1980) ** 1.6
        why = 0x20 if f > 1650 else 0x48 if drift[int((t - start) / 30) % 900] < 0.9 else 0x68
        return replace(now, util=1.0, limit=f, reasons=why, warmer=88.2 - 28 - H100.heat * power)

    def waiting(t: float) -> Load | None:
        now = calm(t)
        if now is None or t < hot or now.util == 0:
            return now
        share = min(1, limit(t) / 1980)
        return replace(now, util=1.0, power=0.1 + 0.72 * share**1.1)

    group = []
    for node, load in zip(nodes, (waiting, burning), strict=True):
        b = boards(rng, node, H100, ("1B",))[0]
        b.ambient = 28.0 if node == "hx202" else 27.1
        sample(rng, b, _grid(start - 600, end + 900, 30), load)
        group.append(b)
    exporter(
        place / "metrics",
        group,
        {n: f"{n}.hpc.local:9835" for n in nodes},
        "560.35.05",
        "clocks_event_reasons",
        "gpu",
        ecc=True,
        vbios="96.00.A5.00.01",
    )
    for k, node in enumerate(nodes):
        lines = [
            (start - 7203 + k, "nfs: server home-b OK"),
            (start - 31, f"slurm.epilog.cl (pid {221011 + 77 * k}): drop_caches: 3"),
            (
                start + 2140 + 311 * k,
                "perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
            ),
            (end + 41, f"slurm.epilog.cl (pid {264118 + 91 * k}): drop_caches: 3"),
        ]
        if k:
            lines += [
                (hot - 512, "mce: CPU21: Package temperature above threshold, cpu clock throttled (total events = 1)"),
                (hot - 511.6, "mce: CPU21: Package temperature/speed normal"),
                (
                    hot + 1310,
                    "mce: CPU5: Package temperature above threshold, cpu clock throttled (total events = 388)",
                ),
                (hot + 1311, "mce: CPU5: Package temperature/speed normal"),
            ]
        kernel(place / f"journal-k-{node}.txt", node, lines, "journalctl", 0, 0)


def _pod(
    name: str,
    ns: str,
    node: str,
    ip: str,
    t: Sequence[float],
    image: str,
    gpus: int,
    code: int,
    reason: str,
    hours: int,
    labels: str,
) -> str:
    """What kubectl describe pod says of a pod with one container that has ended."""
    z = f"{'+' if hours >= 0 else '-'}{abs(hours):02d}00"
    form = f"%a, %d %b %Y %H:%M:%S {z}"
    return "\n".join(
        (
            f"Name:             {name}",
            f"Namespace:        {ns}",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {node}/{ip}",
            f"Start Time:       {at(t[0], form, hours)}",
            f"Labels:           {labels}",
            f"Status:           {'Succeeded' if code == 0 else 'Failed'}",
            "IP:               10.42.3.118" if node.endswith("1") else "IP:               10.42.5.71",
            "Containers:",
            "  pytorch:",
            f"    Image:         {image}",
            "    State:          Terminated",
            f"      Reason:       {reason}",
            f"      Exit Code:    {code}",
            f"      Started:      {at(t[1], form, hours)}",
            f"      Finished:     {at(t[2], form, hours)}",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            f"      nvidia.com/gpu:  {gpus}",
            "    Requests:",
            "      cpu:             24",
            "      memory:          160Gi",
            f"      nvidia.com/gpu:  {gpus}",
            "Conditions:",
            "  Type              Status",
            "  Initialized       True ",
            "  Ready             False ",
            "  ContainersReady   False ",
            "  PodScheduled      True ",
            "QoS Class:         Burstable",
            "Tolerations:       nvidia.com/gpu:NoSchedule op=Exists",
            "                   node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
            "Events:            <none>",
            "",
        )
    )


def t05_boxes_h100(place: Path, rng: Random) -> None:
    """A detector trained with detectron2 on two nodes of four boards, the second of which is braked."""
    start = epoch("2026-11-11 07:20:41")
    end = start + 166 * 60
    nodes = ("ml-gpu-021", "ml-gpu-024")
    brake = start + 93 * 60 + 17
    log: list[str] = []

    def d2(t: float, text: str, who: str = "d2.utils.events") -> None:
        log.append(f"[{at(t, '%m/%d %H:%M:%S')} {who}]: {text}")

    d2(start + 21, "Rank of current process: 0. World size: 8", "detectron2")
    d2(
        start + 23,
        "Command line arguments: Namespace(config_file='configs/weld_x101_fpn.yaml', dist_url='tcp://weld-x101-master-0:29500', eval_only=False, "
        "machine_rank=0, num_gpus=4, num_machines=2, opts=[], resume=False)",
        "detectron2",
    )
    d2(start + 24, "Full config saved to /out/weld_x101/config.yaml", "detectron2")
    d2(
        start + 31,
        "Loaded 48213 images in COCO format from /data/weld/annotations/train_v7.json",
        "d2.data.datasets.coco",
    )
    d2(start + 33, "Removed 1107 images with no usable annotations. 47106 images left.", "d2.data.build")
    d2(start + 34, "Distribution of instances among all 6 categories:", "d2.data.build")
    log.append(
        "|  category  | #instances   |  category  | #instances   |  category  | #instances   |\n|:----------:|:-------------|:----------:|:-------------|"
        ":----------:|:-------------|\n|   pore     | 81220        |   crack    | 9034         |  undercut  | 15502        |\n"
        "|  spatter   | 60718        |   slag     | 12871        |  burnthru  | 2296         |\n|   total    | 181641       |            |              |            |              |"
    )
    d2(start + 36, "Using training sampler TrainingSampler", "d2.data.build")
    d2(
        start + 41,
        "[DetectionCheckpointer] Loading from detectron2://COCO-InstanceSegmentation/X-101.pkl ...",
        "fvcore.common.checkpoint",
    )
    log.append(
        "WARNING [11/11 07:21:29 d2.checkpoint.c2_model_loading]: Shape of roi_heads.box_predictor.cls_score.weight in checkpoint is "
        "torch.Size([81, 1024]), while shape in model is torch.Size([7, 1024]). "
    )
    d2(start + 49, "Starting training from iteration 0", "d2.engine.train_loop")
    t, i, saves, total = start + 50.0, 0, [], 20300
    recent: list[float] = []
    while t < end - 40 and i < total:
        i += 1
        dt = rng.gauss(0.346, 0.006) if t < brake else rng.gauss(0.992, 0.02)
        t += dt
        recent = [*recent[-19:], dt]
        if i % 40 == 0:
            loss = 0.58 + 1.9 * math.exp(-i / 1400) + 0.35 * math.exp(-i / 9000) + rng.gauss(0, 0.02)
            mean = sorted(recent)[len(recent) // 2]
            left = int((total - i) * mean)
            c, b, m = (
                loss * 0.24 + rng.gauss(0, 0.004),
                loss * 0.33 + rng.gauss(0, 0.004),
                loss * 0.34 + rng.gauss(0, 0.004),
            )
            lr = 0.02 * (min(1, i / 1000)) * (0.1 if i > 14000 else 1)
            d2(
                t,
                f" eta: {left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}  iter: {i - 1}  total_loss: {loss:.4g}  loss_cls: {c:.4g}  loss_box_reg: {b:.4g}  "
                f"loss_mask: {m:.4g}  loss_rpn_cls: {loss * 0.04:.4g}  loss_rpn_loc: {loss * 0.05:.4g}    time: {mean:.4f}  last_time: {dt:.4f}  data_time: "
                f"{abs(rng.gauss(0.0094, 0.001)):.4f}  last_data_time: {abs(rng.gauss(0.0088, 0.002)):.4f}   lr: {lr:.5g}  max_mem: 38412M",
            )
        if i % 5000 == 0:
            d2(t, f"Saving checkpoint to /out/weld_x101/model_{i - 1:07d}.pth", "fvcore.common.checkpoint")
            saves.append((t, t + 6))
            t += 6
    done = t
    if i >= total:
        d2(t + 1, "Saving checkpoint to /out/weld_x101/model_final.pth", "fvcore.common.checkpoint")
        d2(
            t + 8,
            f"Overall training speed: {i - 2} iterations in {_clock(t - start - 50)[1:]} ({(t - start - 50) / i:.4f} s / it)",
            "d2.engine.hooks",
        )
        d2(t + 8, f"Total training time: {_clock(t - start - 42)[1:]} (0:00:29 on hooks)", "d2.engine.hooks")
    put(place / "weld-x101-master-0.log", "\n".join(log) + "\n")
    fin = done + 14
    work = Load(0.95, 0.58, 0.52, 0.13, 0.37, 44870, jitter=1.6)
    early = [
        (start, start + 22, replace(work, util=0, power=0.01, memory=3)),
        (start + 22, start + 50, replace(work, util=0.01, power=0.03, memory=2240)),
    ]
    early += [(a, b, replace(work, util=0.02, power=0.05)) for a, b in saves] + [
        (done, fin, replace(work, util=0.02, power=0.04))
    ]
    group = []
    for k, node in enumerate(nodes):
        for b in boards(rng, node, H100, ("1B", "43", "52", "9B")):
            own = replace(work, memory=work.memory + rng.randint(-900, 1400))
            if k == 0:
                later = replace(own, util=0.99, power=0.27, sm=0.24, tensor=0.048, dram=0.14)
            else:
                later = replace(own, util=0.99, power=0.6, sm=0.56, tensor=0.051, dram=0.15, limit=645, reasons=0x88)
            sample(
                rng, b, _grid(start - 300, end + 480, 15), _spans([*early, (brake, done, later)], own, start + 15, fin)
            )
            if k == 1:
                for r in b.rows:
                    if r["t"] >= brake and not r["util"]:
                        r["sm"], r["reasons"] = min(r["sm"], 645), int(r["reasons"]) | 0x88
            group.append(b)
    pods = {
        n: {"container": "pytorch", "namespace": "vision-qa", "pod": p}
        for n, p in zip(nodes, ("weld-x101-master-0", "weld-x101-worker-0"), strict=True)
    }
    dcgm(
        place / "dcgm",
        group,
        ALL_DCGM[:9] + ALL_DCGM[10:],
        {nodes[0]: "10.42.3.9:9400", nodes[1]: "10.42.5.6:9400"},
        "550.127.08",
        pods,
        (start, fin),
    )
    text = [
        "$ kubectl -n vision-qa get pods -o wide -l training.kubeflow.org/job-name=weld-x101",
        "NAME                 READY   STATUS      RESTARTS   AGE     IP            NODE         NOMINATED NODE   READINESS GATES",
        f"weld-x101-master-0   0/1     Completed   0          3h4m    10.42.3.118   {nodes[0]}   <none>           <none>",
        f"weld-x101-worker-0   0/1     Completed   0          3h4m    10.42.5.71    {nodes[1]}   <none>           <none>",
        "",
        "$ kubectl -n vision-qa describe pod -l training.kubeflow.org/job-name=weld-x101",
    ]
    for node, name, ip in (
        (nodes[0], "weld-x101-master-0", "172.20.1.21"),
        (nodes[1], "weld-x101-worker-0", "172.20.1.24"),
    ):
        text.append(
            _pod(
                name,
                "vision-qa",
                node,
                ip,
                (start - 3, start + 2, fin + 2),
                "registry.corp/vision/d2:0.6-cu124",
                4,
                0,
                "Completed",
                0,
                "training.kubeflow.org/job-name=weld-x101",
            )
        )
    put(place / "kubectl.txt", "\n".join(text))
    for k, node in enumerate(nodes):
        boot = epoch("2026-10-29 04:12:50") + 4000 * k
        lines = [
            (start - 3 + 0.21, f"cni0: port {7 + k}(veth1ab{k}90e2) entered blocking state"),
            (start - 3 + 0.212, f"cni0: port {7 + k}(veth1ab{k}90e2) entered forwarding state"),
            (
                start + 4021.4,
                "TCP: request_sock_TCP: Possible SYN flooding on port 29500. Sending cookies.  Check SNMP counters.",
            )
            if k == 0
            else (
                start + 610.1,
                "systemd-journald[1121]: Data hash table of /run/log/journal/8f1c/system.journal has a fill level at 75.0, suggesting rotation.",
            ),
            (fin + 3.4, f"cni0: port {7 + k}(veth1ab{k}90e2) entered disabled state"),
        ]
        if k:
            lines += [
                (brake - 1.8, "ACPI: \\_SB_.PMI0: Power meter cap changed"),
                (brake - 1.1, "power_meter ACPI000D:00: Ignoring unsafe software power cap!"),
            ]
        kernel(place / f"{node}-kern.log", node, lines, "syslog", 0, boot)


def t06_dips_b200(place: Path, rng: Random) -> None:
    """MaxText on four nodes of two B200 without a log."""
    zone = -8
    start = epoch("2026-11-03 08:41:27", zone)
    end = start + 176 * 60
    nodes = ("bw01", "bw02", "bw05", "bw06")
    spans: list[tuple[float, float]] = []
    notes: dict[str, list[tuple[float, str]]] = {n: [] for n in nodes}
    t = start + 205.0
    while t < end - 260:
        t += rng.uniform(35, 95)
        gap = rng.choice((rng.uniform(25, 70), rng.uniform(40, 130), rng.uniform(60, 150)))
        if rng.random() < 0.13:
            gap = rng.uniform(230, 390)
            for n in nodes:
                if rng.random() < 0.85:
                    notes[n] += [
                        (t - 8 + 183 + rng.uniform(-4, 5), "nfs: server tokstore-nfs2 not responding, still trying"),
                        (t + gap - rng.uniform(0.4, 3), "nfs: server tokstore-nfs2 OK"),
                    ]
        spans.append((t, min(t + gap, end - 60)))
        t += gap
    work = Load(0.99, 0.83, 0.86, 0.5, 0.46, 168806)
    for node in nodes:
        group = boards(rng, node, B200, ("18", "9A"))
        ahead = [min(rng.expovariate(1 / 7), 0.4 * (y - x)) for x, y in spans]
        shift = rng.uniform(0, 3)
        for b in group:
            own = replace(work, memory=work.memory - 2 * rng.randint(0, 9), power=work.power + rng.uniform(-0.03, 0.03))
            over = [
                (start, start + 42, replace(own, util=0, power=0.0, memory=612)),
                (start + 42, start + 205, replace(own, util=0, power=0.03)),
            ]
            for (x, y), early in zip(spans, ahead, strict=True):
                over += [
                    (x + 3, y - early, replace(own, util=0, power=0.012)),
                    (y - early, y, replace(own, util=1.0, power=0.15, dram=0.03)),
                ]
            over.append((end - 34, end, replace(own, util=0, power=0.012)))
            sample(rng, b, _grid(start - 900, end + 600, 60, shift), _spans(over, own, start + 15, end - 3))
        smi_csv(
            rng,
            place / "smi" / f"{node}.csv",
            group,
            zone,
            (
                "timestamp",
                "index",
                "uuid",
                "pstate",
                "utilization.gpu",
                "utilization.memory",
                "memory.used",
                "memory.total",
                "power.draw",
                "temperature.gpu",
                "clocks.sm",
                "clocks_event_reasons.active",
            ),
        )
        boot = epoch("2026-10-20 02:00:00", zone)
        notes[node] += [
            (start - 4110 + rng.random() * 60, "nfs4: Deprecated mount option 'intr' ignored"),
            (
                start - 2.3 + rng.random(),
                "slurmstepd (8812): /proc/8812/oom_adj is deprecated, please use /proc/8812/oom_score_adj instead.",
            ),
            (
                end + 30 + rng.random(),
                "perf: interrupt took too long (2507 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
            ),
        ]
        kernel(place / "dmesg" / f"{node}.txt", node, notes[node], "dmesg iso", zone, boot)
    fields = (
        "JobID",
        "JobName",
        "User",
        "Partition",
        "State",
        "ExitCode",
        "Submit",
        "Start",
        "End",
        "Elapsed",
        "Timelimit",
        "NNodes",
        "NodeList",
        "AllocTRES",
        "TotalCPU",
    )
    cells = (
        "771205",
        "mxt-3b-cpt-ar",
        "nalhaddad",
        "b200",
        "COMPLETED",
        "0:0",
        at(start - 3307, SLURM, zone),
        at(start, SLURM, zone),
        at(end, SLURM, zone),
        _clock(end - start),
        "08:00:00",
        "4",
        "bw[01-02,05-06]",
        "billing=512,cpu=512,gres/gpu=8,mem=4000G,node=4",
        "10:44:18",
    )
    put(place / "sacct_P.txt", "|".join(fields) + "\n" + "|".join(cells) + "\n")


def t07_gone_4090(place: Path, rng: Random) -> None:
    """DeepSpeed on four nodes of two RTX 4090."""
    zone = 1
    start = epoch("2026-12-02 18:22:49", zone)
    end = start + 476 * 60
    nodes = ("rig-a", "rig-b", "rig-c", "rig-d")
    lost = end - 212
    log: list[str] = []

    def ds(
        t: float, text: str, who: str = "rig-a: ", where: str = "logging.py:107:log_dist", level: str = "INFO"
    ) -> None:
        log.append(f"{who}[{ms(t + rng.random() * 0.3, zone)}] [{level}] [{where}] {text}")

    ds(start + 3, "Setting ds_accelerator to cuda (auto detect)", "", "real_accelerator.py:254:get_accelerator")
    ds(start + 5, "Using IP address of 10.42.0.31 for node rig-a", "", "runner.py:570:main")
    ds(start + 6, "Running on the following workers: rig-a,rig-b,rig-c,rig-d", "", "multinode_runner.py:81:get_cmd")
    ds(
        start + 6,
        "cmd = pdsh -S -f 1024 -w rig-a,rig-b,rig-c,rig-d export PYTHONPATH=/workspace; export NCCL_IB_DISABLE=1; cd /workspace; /usr/bin/python3 -u -m "
        "deepspeed.launcher.launch --world_info=eyJyaWctYSI6IFswLCAxXSwgInJpZy1iIjogWzAsIDFdLCAicmlnLWMiOiBbMCwgMV0sICJyaWctZCI6IFswLCAxXX0= --node_rank=%n --master_addr=10.42.0.31 --master_port=29500 finetune_mistral.py "
        "--deepspeed ds_z3_offload.json",
        "",
        "runner.py:605:main",
    )
    for k, n in enumerate(nodes):
        ds(start + 15 + k * 0.4, f"nnodes=4, num_local_procs=2, node_rank={k}", f"{n}: ", "launch.py:164:main")
    log += [
        f"{n}: /usr/local/lib/python3.10/dist-packages/transformers/deepspeed.py:24: FutureWarning: transformers.deepspeed module is deprecated and will be "
        "removed in a future version."
        for n in nodes
    ]
    log.append(
        "rig-c: 2026-12-02 18:23:21 ERROR mlflow.utils.rest_utils: Connection refused, HTTPConnectionPool(host='mlflow', port=5000): Max retries exceeded "
        "(metrics are buffered)"
    )
    log.append("rig-a: Loading checkpoint shards: 100%|██████████| 3/3 [00:41<00:00, 13.8s/it]")
    ds(start + 140, "DeepSpeed info: version=0.15.1, git-hash=unknown, git-branch=unknown")
    log += [
        "rig-a: Adam Optimizer #0 is created with AVX2 arithmetic capability.",
        "rig-a: Config: alpha=0.000010, betas=(0.900000, 0.999000), weight_decay=0.010000, adam_w=1",
    ]
    for k, s in enumerate((65536, 32768, 16384)):
        ds(
            start + 214 + 8 * k,
            f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {s}, reducing to {s // 2}",
            where="stage3.py:2082:_overflow_clean_up",
        )
    t, i = start + 240.0, 3
    saves: list[tuple[float, float]] = []
    while True:
        i += 1
        t += rng.gauss(8.31, 0.11)
        if t >= lost:
            break
        if i % 10 == 0:
            lr = 1e-5 * (1 - i / 5200)
            loss = 1.02 + 0.74 * math.exp(-i / 260) + 0.2 * math.exp(-i / 1900) + rng.gauss(0, 0.024)
            ds(t, f"[Rank 0] step={i}, skipped=3, lr=[{lr:.12g}], mom=[(0.9, 0.999)]")
            log.append(
                f"rig-a: [{at(t, '%H:%M:%S', zone)}] step {i}/5200 | loss {loss:.4f} | tok/s {65536 / 8.31 + rng.gauss(0, 40):.0f} | host mem {81 + i / 1900:.1f} GB"
            )
        if i in (1701, 2533):
            log.append(
                f"rig-b: {at(t, STAMP, zone)} WARNING urllib3.connectionpool: Retrying (Retry(total=4, connect=5, read=4)) after connection broken by "
                "'ReadTimeoutError': /api/2.0/mlflow/runs/log-batch"
            )
        if i == 912:
            log += [
                "rig-d: Exception in thread mlflow-async-logger:",
                "rig-d: Traceback (most recent call last):",
                'rig-d:   File "/usr/lib/python3.10/threading.py", line 1016, in _bootstrap_inner',
                "rig-d:     self.run()",
                "rig-d: mlflow.exceptions.MlflowException: API request to http://mlflow:5000 failed with fatal error 500 (will drop 32 metrics and go on)",
            ]
        if i % 500 == 0:
            ds(t + 1, f"[Torch] Checkpoint global_step{i} is about to be saved!")
            ds(t + 38, f"[Torch] Checkpoint global_step{i} is ready now!", where="torch_checkpoint_engine.py:33:commit")
            saves.append((t, t + 40))
            t += 40
    log.append("rig-c: Timeout, server rig-c not responding.")
    log.append("pdsh@ds-launcher: rig-c: ssh exited with exit code 255")
    for k, (n, r) in enumerate((("rig-d", 6), ("rig-b", 3), ("rig-d", 7), ("rig-b", 2), ("rig-a", 0))):
        x = lost + 141 + 1.3 * k
        log.append(
            f"{n}: {n}:{2201 + r}:{2390 + r} [{r % 2}] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer"
            if r == 0
            else f"{n}: {n}:{2201 + r}:{2390 + r} [{r % 2}] misc/socket.cc:58 NCCL WARN socketProgressOpt: Call to recv from 10.42.2.17<{41200 + r * 7}> failed : "
            "No route to host"
        )
        log.append(
            f"{n}: [rank{r}]:[E{at(x, '%m%d %H:%M:%S', zone)}.{rng.randint(100000000, 999999999)} ProcessGroupNCCL.cpp:1515] [PG 0 (default_pg) Rank {r}] Process group "
            "watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.20.5"
        )
        log.append(
            f"{n}: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."
        )
    for n, p in (("rig-d", 2207), ("rig-b", 2203), ("rig-a", 2201)):
        ds(lost + 170, f"Killing subprocess {p}", f"{n}: ", "launch.py:319:sigkill_handler")
        ds(
            lost + 171,
            "['/usr/bin/python3', '-u', 'finetune_mistral.py', '--local_rank=1'] exits with return code = -6",
            f"{n}: ",
            "launch.py:325:sigkill_handler",
            "ERROR",
        )
        log.append(f"pdsh@ds-launcher: {n}: ssh exited with exit code 250")
    put(place / "launcher-pod.log", "\n".join(log) + "\n")
    work = Load(0.93, 0.66, 0, 0, 0.36, 21330, jitter=2.4)
    spin = replace(work, util=1.0, power=0.24, dram=0.02, jitter=0.6)
    group = []
    back = lost + 388
    for node in nodes:
        for b in boards(rng, node, G4090, ("01", "4D")):
            own = replace(
                work, memory=work.memory + rng.randint(-400, 700), power=work.power + rng.uniform(-0.05, 0.05)
            )
            early = [
                (start, start + 140, replace(own, util=0, power=0.02, memory=640)),
                (start + 140, start + 205, replace(own, util=0.08, power=0.08, memory=9020)),
            ]
            early += [(x, y, replace(own, util=0.0, power=0.06)) for x, y in saves] + [(lost + 2, end, spin)]
            times = [x for x in _grid(start - 300, end + 720, 15) if node != "rig-c" or not lost < x < back + 95]
            sample(rng, b, times, _spans(early, own, start + 18, lost if node == "rig-c" else lost + 171))
            group.append(b)
    address = {n: f"10.42.{k}.8:9400" for k, n in enumerate(nodes)}
    dcgm(
        place / "dcgm-exporter",
        group,
        (
            "DCGM_FI_DEV_GPU_UTIL",
            "DCGM_FI_DEV_FB_USED",
            "DCGM_FI_DEV_POWER_USAGE",
            "DCGM_FI_DEV_GPU_TEMP",
            "DCGM_FI_DEV_SM_CLOCK",
            "DCGM_FI_DEV_XID_ERRORS",
        ),
        address,
        "535.183.01",
    )
    for k, node in enumerate(nodes):
        b0 = start - 86400 * (9 + k)
        lines = [
            (b0 + 8.2, "nvidia: loading out-of-tree module taints kernel."),
            (b0 + 8.2, "nvidia: module verification failed: signature and/or required key missing - tainting kernel"),
            (b0 + 9.0, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024"),
            (start + 7, f"cni0: port {4 + k}(vethc0{k}d11f7) entered forwarding state"),
            (
                start + 6021 + 900 * k,
                "perf: interrupt took too long (2531 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
            ),
        ]
        if node == "rig-b":
            lines += [
                (start + 15110, "pcieport 0000:40:01.1: AER: Corrected error received: 0000:40:01.1"),
                (
                    start + 15110,
                    "pcieport 0000:40:01.1: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)",
                ),
                (start + 15110, "pcieport 0000:40:01.1:    [12] Timeout"),
            ]
        if node == "rig-d":
            lines += [
                (
                    start + 9904,
                    "blk_update_request: I/O error, dev loop7, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
                )
            ]
        if node == "rig-c":
            lines += [
                (back, f"-- Boot {rng.getrandbits(128):032x} --"),
                (
                    back + 1,
                    "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #132-Ubuntu SMP Thu Aug 29 13:45:52 UTC 2024",
                ),
                (
                    back + 1,
                    "Command line: BOOT_IMAGE=/boot/vmlinuz-5.15.0-122-generic root=UUID=0b4a3c8e-7d21-4c55-9f0e-61d2a9b1e774 ro quiet iommu=pt",
                ),
                (back + 4, "EXT4-fs (nvme0n1p2): INFO: recovery required on readonly filesystem"),
                (back + 4, "EXT4-fs (nvme0n1p2): recovery complete"),
                (
                    back + 6,
                    "systemd-journald[431]: File /var/log/journal/77c2e1/system.journal corrupted or uncleanly shut down, renaming and replacing.",
                ),
                (back + 8, "nvidia: loading out-of-tree module taints kernel."),
                (back + 9, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024"),
            ]
        else:
            lines.append((lost + 176, f"cni0: port {4 + k}(vethc0{k}d11f7) entered disabled state"))
        kernel(place / "journal" / f"{node}.log", node, lines, "journalctl", zone, b0)


def _rows(board: str, bus: str, correctable: int, when: float, zone: int) -> str:
    """What nvidia-smi -q -d ECC,ROW_REMAPPER prints of a board."""
    return "\n".join(
        (
            "",
            "==============NVSMI LOG==============",
            "",
            f"Timestamp                                 : {at(when, '%a %b %e %H:%M:%S %Y', zone)}",
            "Driver Version                            : 550.90.07",
            "CUDA Version                              : 12.4",
            "",
            "Attached GPUs                             : 1",
            f"GPU {bus}",
            "    ECC Errors",
            "        Volatile",
            "            SRAM Correctable              : 0",
            "            SRAM Uncorrectable Parity     : 0",
            "            SRAM Uncorrectable SEC-DED    : 0",
            "            DRAM Correctable              : 0",
            "            DRAM Uncorrectable            : 0",
            "        Aggregate",
            "            SRAM Correctable              : 0",
            "            SRAM Uncorrectable Parity     : 0",
            "            SRAM Uncorrectable SEC-DED    : 0",
            f"            DRAM Correctable              : {correctable}",
            f"            DRAM Uncorrectable            : {1 if correctable else 0}",
            "    Remapped Rows",
            f"        Correctable Error                 : {correctable}",
            f"        Uncorrectable Error               : {1 if correctable else 0}",
            "        Pending                           : No",
            "        Remapping Failure Occurred        : No",
            "        Bank Remap Availability Histogram",
            f"            Max                           : {191 if correctable else 192} bank(s)",
            f"            High                          : {1 if correctable else 0} bank(s)",
            "            Partial                       : 0 bank(s)",
            "            Low                           : 0 bank(s)",
            "            None                          : 0 bank(s)",
            "",
        )
    )


def t08_lost_l40s(place: Path, rng: Random) -> None:
    """FSDP by hand on two single-board L40S nodes."""
    zone = 1
    start = epoch("2026-11-19 08:57:12", zone)
    end = start + 138 * 60
    nodes = ("l40-node-1", "l40-node-2")
    fall = end - 17.0
    logs: list[list[str]] = [[], []]
    for r in (0, 1):
        logs[r] += [
            f"{at(start + 11, ISO, zone)}+01:00 rank{r} init nccl world=2 backend ok",
            f"{at(start + 14, ISO, zone)}+01:00 rank{r} tokenizer /models/llama-3.2-3b, streaming 118 parquet shards",
            f"{at(start + 62, ISO, zone)}+01:00 rank{r} FSDP FULL_SHARD bf16 wrapped 28 blocks, "
            "3.21B params, local shard 1.61B",
        ]
    t, i = start + 70.0, 0
    saves: list[tuple[float, float]] = []
    while True:
        i += 1
        t += rng.gauss(5.63, 0.06)
        if t >= fall:
            break
        if i % 5 == 0:
            loss = 1.31 + 0.85 * math.exp(-i / 130) + 0.16 * math.exp(-i / 900)
            for r in (0, 1):
                logs[r].append(
                    f"{at(t, ISO, zone)}+01:00 rank{r} step={i}/2400 loss={loss + rng.gauss(0, 0.022):.4f} gnorm={0.7 + rng.random() * 0.5:.3f} "
                    f"lr={2e-5 * min(1, i / 60) * (1 - i / 2600):.3e} step_s={5.63 + rng.gauss(0, 0.03):.2f} alloc={37.8 + rng.random() * 0.2:.1f}GiB"
                )
        if i % 400 == 0:
            logs[0].append(
                f"{at(t + 33, ISO, zone)}+01:00 rank0 full state dict -> s3://fs-llm/ft-tickets/step{i}.safetensors (6.4 GB, 33 s)"
            )
            saves.append((t, t + 34))
            t += 34
    file = "/app/fsdp_loop.py"
    logs[1] += [
        "[rank1]: Traceback (most recent call last):",
        f'[rank1]:   File "{file}", line 188, in <module>',
        "[rank1]:     train(cfg)",
        f'[rank1]:   File "{file}", line 139, in train',
        "[rank1]:     torch.nn.utils.clip_grad_norm_ if False else model.clip_grad_norm_(cfg.clip)",
        "[rank1]: RuntimeError: CUDA error: unknown error",
        "[rank1]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "[rank1]: For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "[rank1]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    logs[1] = [x.replace("torch.nn.utils.clip_grad_norm_ if False else ", "") for x in logs[1]]
    d = "%m%d %H:%M:%S"
    logs[0] += [
        f"[rank0]:[E{at(fall + 9, d, zone)}.{rng.randint(100000000, 499999999)} ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank 0] Exception (either an error or "
        "timeout) detected by watchdog at work: 41877, last enqueued NCCL work: 41893, last completed NCCL work: 41876.",
        f"[rank0]:[E{at(fall + 9, d, zone)}.{rng.randint(500000000, 999999999)} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 0] Process group watchdog thread "
        "terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "Last error:",
        "socketProgress: Connection closed by remote peer 10-42-5-71.fs-llm.svc.cluster.local<52644>",
    ]
    for r, code, name, when in ((1, 1, "", fall + 8), (0, -6, " (SIGABRT)", fall + 11)):
        logs[r] += [
            f"E{at(when, d, zone)}.{rng.randint(100, 999)}000 1 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {code}) local_rank: 0 (pid: {61 + r}) of "
            "binary: /opt/conda/bin/python",
            "Traceback (most recent call last):",
            '  File "/opt/conda/bin/torchrun", line 33, in <module>',
            "    sys.exit(main())",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 58,
            f"{file} FAILED",
            "-" * 58,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            "-" * 58,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {at(when, '%Y-%m-%d_%H:%M:%S', zone)}",
            f"  host      : ft-tickets-{'worker' if r else 'master'}-0",
            f"  rank      : {r} (local_rank: 0)",
            f"  exitcode  : {code} (pid: {61 + r}) {name}".rstrip() + ("" if name else " "),
            "  error_file: <N/A>",
            "  traceback : "
            + (
                f"Signal 6 (SIGABRT) received by PID {61 + r}"
                if name
                else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
            ),
            "=" * 58,
        ]
    put(place / "ft-tickets-master-0.log", "\n".join(logs[0]) + "\n")
    put(place / "ft-tickets-worker-0.log", "\n".join(logs[1]) + "\n")
    work = Load(0.99, 0.84, 0.8, 0.33, 0.55, 41120)
    early = [
        (start, start + 13, replace(work, util=0, power=0.01, memory=430)),
        (start + 13, start + 66, replace(work, util=0.04, power=0.06, memory=7212)),
    ]
    early += [(a, b, replace(work, util=0.5, power=0.15)) for a, b in saves]
    group, names = [], []
    for k, node in enumerate(nodes):
        b = boards(rng, node, L40S, ("C1" if k else "81",))[0]
        times = [x for x in _grid(start - 540, end + 900, 30, 4) if not k or x < fall]
        over = early if k else [*early, (fall + 1, end, replace(work, util=1.0, power=0.2))]
        sample(rng, b, times, _spans(over, work, start + 5, fall if k else fall + 11))
        group.append(b)
        names.append(b)
    grid = _grid(start - 540, end + 900, 30, 4)
    ups = {n: [[int(x), "15" if k and x >= fall else "0"] for x in grid] for k, n in enumerate(nodes)}
    exporter(
        place / "prometheus",
        group,
        {n: f"10.42.{3 + 2 * k}.14:9835" for k, n in enumerate(nodes)},
        "550.90.07",
        "clocks_event_reasons",
        "nvidia-gpu-exporter",
        ecc=True,
        ups=ups,
        vbios="95.02.66.00.02",
    )
    for when, tag in ((start - 640, "before"), (end + 610, "after")):
        put(place / "node-check" / f"{nodes[0]}-{tag}.txt", _rows(nodes[0], group[0].bus, 2, when, zone))
    put(place / "node-check" / f"{nodes[1]}-before.txt", _rows(nodes[1], group[1].bus, 0, start - 631, zone))
    put(
        place / "node-check" / f"{nodes[1]}-after.txt",
        "Unable to determine the device handle for GPU0000:C1:00.0: GPU is lost.  Reboot the system to recover this GPU\n",
    )
    old = epoch("2026-09-30 03:11:40", zone)
    kernel(
        place / "dmesg" / f"{nodes[0]}.txt",
        nodes[0],
        [
            (old - 86400 * 6, "Linux version 5.14.0-427.37.1.el9_4.x86_64"),
            (old, "NVRM: GPU at PCI:0000:81:00: " + group[0].uuid),
            (
                old,
                "NVRM: Xid (PCI:0000:81:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x000000000b61e1c2) marked for remapping, reset gpu to activate.",
            ),
            (start + 1, "eth0: renamed from tmpf1190"),
            (end + 2, "cilium: lxc7a11: Link DOWN"),
        ],
        "dmesg -T",
        zone,
        old,
    )
    kernel(
        place / "dmesg" / f"{nodes[1]}.txt",
        nodes[1],
        [
            (old - 86400 * 6 + 77, "Linux version 5.14.0-427.37.1.el9_4.x86_64"),
            (start + 1, "eth0: renamed from tmp0c2e4"),
            (fall, "NVRM: GPU at PCI:0000:c1:00: " + group[1].uuid),
            (fall, "NVRM: Xid (PCI:0000:c1:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
            (fall, "NVRM: GPU 0000:c1:00.0: GPU has fallen off the bus."),
            (
                fall + 1,
                "NVRM: A GPU crash dump has been created. If possible, please run\n["
                + at(fall + 1, "%a %b %e %H:%M:%S %Y", zone)
                + "] NVRM: nvidia-bug-report.sh as root to collect this data before\n["
                + at(fall + 1, "%a %b %e %H:%M:%S %Y", zone)
                + "] NVRM: the NVIDIA kernel module is unloaded.",
            ),
            (end + 4, "cilium: lxc2f80: Link DOWN"),
        ],
        "dmesg -T",
        zone,
        old,
    )
    text = [
        "$ kubectl get pods -n fs-llm -o wide",
        "NAME                  READY   STATUS   RESTARTS   AGE    IP           NODE         NOMINATED NODE   READINESS GATES",
        f"ft-tickets-master-0   0/1     Error    0          151m   10.42.3.118  {nodes[0]}   <none>           <none>",
        f"ft-tickets-worker-0   0/1     Error    0          151m   10.42.5.71   {nodes[1]}   <none>           <none>",
        "",
        "$ kubectl describe pods -n fs-llm",
    ]
    for k, (pod, stop) in enumerate((("ft-tickets-master-0", fall + 13), ("ft-tickets-worker-0", fall + 10))):
        text.append(
            _pod(
                pod,
                "fs-llm",
                nodes[k],
                f"192.168.40.{61 + k}",
                (start - 4, start + 1, stop),
                "harbor.fs.local/llm/train:2.5.1-cu124",
                1,
                1,
                "Error",
                zone,
                "training.kubeflow.org/job-name=ft-tickets",
            )
        )
    text += [
        "$ kubectl get events -n fs-llm",
        "LAST SEEN   TYPE      REASON              OBJECT                        MESSAGE",
        "13m         Warning   PyTorchJobFailed    pytorchjob/ft-tickets         PyTorchJob ft-tickets is failed because 1 Worker replica(s) failed.",
    ]
    put(place / "kubectl.txt", "\n".join(text) + "\n")

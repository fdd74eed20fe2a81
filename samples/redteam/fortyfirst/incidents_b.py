"""SIMULATED: nothing here was taken from a real job. Incidents t09 to t16: what an operator would hand over of each."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from samples.redteam.fortyfirst import gauge_ib as g
from samples.redteam.fortyfirst.gauge_ib import Load

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t09_orchard(place: Path, rng: Random) -> None:
    """One V100, a home-made script in Chinese."""
    b = g.V100
    start = g.at("2026-03-17 06:41:22", 0)
    stall = start + 3131
    taken = start + 129 * 60 + 8
    first = start + 96
    marks: list[float] = []

    def load(t: float) -> Load:
        if t < start + 41:
            return replace(g.rest(b), clock=135)
        if t < first:
            return Load(fb=1417, watt=58, clock=1530, mem_clock=877, reasons=1)
        if t < stall:
            if any(m <= t < m + 64 for m in marks):
                return Load(util=61, dram=0.21, fb=23846, watt=176, clock=1530, mem_clock=877)
            return Load(util=97, dram=0.44, fb=23846, watt=247, clock=1342, mem_clock=877, reasons=4)
        return Load(fb=23846, watt=57.5, clock=1530, mem_clock=877, reasons=1)

    out = [
        "==== 果园遥感分割 训练脚本 v3 ====",
        f"启动时间 {g.clock(start + 11, 0)} UTC  主机 gpu-v07  作业号 {412077}",
        "设备: cuda:0 Tesla V100-SXM2-32GB  混合精度: 开",
        "训练影像 19552 张, 验证影像 1640 张, 每批 32, 读取进程 8",
        "模型 UNet-R50 参数量 32.5M, 计划 40 轮",
    ]
    t, step = first, 0
    for epoch in range(1, 41):
        for batch in range(1, 612):
            t += rng.gauss(1.03, 0.03)
            step += 1
            if batch % 40 == 0:
                loss = g.curve(rng, step, 0.19, 0.95, 260.0, 0.03)
                out.append(
                    f"[{g.clock(t, 0, '%H:%M:%S')}] 第{epoch}轮 批次 {batch}/611 损失 {loss:.4f} "
                    f"学习率 {4e-4 * (1 - step / 24440):.2e} 每秒影像 {32 / rng.gauss(1.03, 0.02):.1f}"
                )
        out.append(f"[{g.clock(t, 0, '%H:%M:%S')}] 第{epoch}轮 训练结束, 开始验证 (读取进程 8)")
        if t > stall - 640:
            stall = t + 3
            break
        marks.append(t)
        t += 66 + rng.uniform(0, 3)
        iou = 0.79 - 0.42 / (1 + epoch) ** 0.8
        out.append(
            f"[{g.clock(t, 0, '%H:%M:%S')}] 第{epoch}轮 验证 mIoU {iou:.4f} 验证损失 "
            f"{g.curve(rng, step, 0.22, 0.95, 260.0, 0.02):.4f}, 已保存 ckpt/orchard_{epoch:02d}.pt"
        )
    g.write(place / "logs" / "orchard_412077.log", "\n".join(out) + "\n")
    times = g.ticks(rng, start - 600, taken, 60, 0.05)
    track = g.play(rng, b, times, load, 25, 0.135)
    columns = (
        ("GPUTL", "", lambda s: f"{s.util:.0f}"),
        ("MCUTL", "", lambda s: f"{s.dram * 100:.0f}"),
        ("FBUSD", "", lambda s: f"{s.fb:.0f}"),
        ("POWER", "W", lambda s: f"{s.watt:.3f}"),
        ("TMPTR", "C", lambda s: f"{s.temp:.0f}"),
        ("SMCLK", "", lambda s: f"{s.clock:.0f}"),
        ("DVCCTR", "", lambda s: f"{s.reasons}"),
        ("XIDER", "", lambda s: f"{s.xid}"),
        ("DBEVL", "", lambda s: f"{s.dbe}"),
    )
    g.dmon(place / "metrics" / "gpu-v07.dmon.txt", 0, [(0, track)], columns)
    g.write(
        place / "slurm" / "scontrol_job.txt",
        "JobId=412077 JobName=orchard-seg\n"
        "   UserId=lijm(20417) GroupId=rs(2040) MCS_label=N/A\n"
        "   Priority=11840 Nice=0 Account=rs QOS=normal\n"
        "   JobState=RUNNING Reason=None Dependency=(null)\n"
        "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
        "   RunTime=02:09:08 TimeLimit=1-00:00:00 TimeMin=N/A\n"
        f"   SubmitTime={g.clock(start - 71, 0, '%Y-%m-%dT%H:%M:%S')} EligibleTime="
        f"{g.clock(start - 71, 0, '%Y-%m-%dT%H:%M:%S')}\n"
        f"   StartTime={g.clock(start, 0, '%Y-%m-%dT%H:%M:%S')} EndTime="
        f"{g.clock(start + 86400, 0, '%Y-%m-%dT%H:%M:%S')} Deadline=N/A\n"
        "   Partition=v100 AllocNode:Sid=login1:30218\n"
        "   NodeList=gpu-v07 BatchHost=gpu-v07\n"
        "   NumNodes=1 NumCPUs=10 NumTasks=1 CPUs/Task=10 ReqB:S:C:T=0:0:*:*\n"
        "   TRES=cpu=10,mem=90G,node=1,billing=10,gres/gpu=1\n"
        "   Command=/home/lijm/orchard/run.sh\n   WorkDir=/home/lijm/orchard\n"
        "   StdErr=/home/lijm/orchard/logs/orchard_412077.log\n   StdOut=/home/lijm/orchard/logs/orchard_412077.log\n",
    )
    kern = []
    for t, text in (
        (start - 5211, "EXT4-fs (nvme0n1p2): re-mounted. Opts: (null). Quota mode: none."),
        (
            start - 402,
            "perf: interrupt took too long (3141 > 3138), lowering kernel.perf_event_max_sample_rate to 63500",
        ),
        (start + 2, "systemd[1]: Started Slurm cgroup scope job_412077."),
        (start + 4410, "nfs: Deprecated parameter 'intr'"),
        (start + 6804, "systemd[1]: Starting Cleanup of Temporary Directories..."),
    ):
        who = "" if text.startswith("systemd") else f"kernel: [{t - start + 1810442.118:.6f}] "
        kern.append(f"{g.clock(t, 0, '%b %d %H:%M:%S')} gpu-v07 {who}{text}")
    g.write(place / "kern" / "gpu-v07.syslog", "\n".join(kern) + "\n")
    g.write(
        place / "stack_20260317_0848.txt",
        "Process 88127: python train_orchard.py --cfg cfg/yantai.yaml\nPython v3.10.13 (/opt/py310/bin/python3.10)\n\n"
        'Thread 88127 (idle): "MainThread"\n'
        "    select (selectors.py:416)\n    wait (multiprocessing/connection.py:931)\n"
        "    _poll (multiprocessing/connection.py:424)\n    poll (multiprocessing/connection.py:257)\n"
        "    get (multiprocessing/queues.py:113)\n    _try_get_data (torch/utils/data/dataloader.py:1133)\n"
        "    _get_data (torch/utils/data/dataloader.py:1295)\n    _next_data (torch/utils/data/dataloader.py:1329)\n"
        "    __next__ (torch/utils/data/dataloader.py:631)\n    yanzheng (train_orchard.py:214)\n"
        "    main (train_orchard.py:301)\n    <module> (train_orchard.py:322)\n",
    )


def t10_lumen(place: Path, rng: Random) -> None:
    """Four nodes of H100, olmo-core."""
    b, zone = g.H100, -6
    start = g.at("2026-04-09 13:26:07", zone)
    hot = start + 17 * 60
    end = start + 39 * 60 + 11
    nodes = ["hx211", "hx212", "hx213", "hx216"]
    first = start + 148

    def slow(t: float) -> float:
        """How far the heat has gone, from 0 to 1."""
        return max(0.0, min(1.0, (t - hot) / 140))

    rows = []
    t, step = first, 0
    while True:
        took = (4.12 + 5.3 * slow(t)) * rng.gauss(1, 0.008)
        if t + took > end - 52:
            break
        t += took
        step += 1
        rows.append((step, t, took))
    total, last = step, t
    out = []

    def say(when: float, where: str, text: str, level: str = "INFO") -> None:
        out.append(f"{g.milli(when, zone)}\t{nodes[0]}:0\t{where}\t{level}\t{text}")

    say(start + 31, "olmo_core.train:129", "Using backend 'cpu:gloo,cuda:nccl' for distributed training")
    say(start + 36, "olmo_core.train:142", "Initialized distributed process group with world size 32")
    say(
        start + 71,
        "olmo_core.nn.transformer.model:411",
        "Applied FSDP to the model (dp_shard=32), 6,889,410,560 params",
    )
    say(start + 133, "olmo_core.train.trainer:702", f"Training for {total} steps, global batch 1,572,864 tokens")
    for step, when, took in rows:
        if step % 5 and step != total:
            continue
        loss = g.curve(rng, step, 2.9, 8.3, 26.0, 0.004)
        left = int((total - step) * took)
        tps = 1572864 / took / 32
        say(
            when,
            "olmo_core.train.callbacks.console_logger:92",
            f"[step={step}/{total},epoch=1,eta={left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}]\n"
            f"    optim/LR (group 0)={3e-4 * min(1, step / 100):.3e}\n"
            f"    optim/total grad norm={g.curve(rng, step, 0.34, 5.0, 9.0, 0.07):.3f}\n"
            f"    train/CE loss={loss:.3f}\n"
            f"    train/PPL={2.718281828**loss:,.1f}\n"
            f"    throughput/device/BPS={1 / took:.4f}\n"
            f"    throughput/device/TPS={tps:,.1f}\n"
            f"    throughput/device/MFU={tps * 6 * 7.4e9 / 989e12 * 100:.2f}\n"
            f"    throughput/device/data loading (%)={rng.uniform(0.02, 0.2):.3f}\n"
            "    system/GPU active mem (GiB)=61.37\n"
            "    system/GPU active mem (%)=77.53",
        )
    say(
        last + 2,
        "olmo_core.train.callbacks.checkpointer:301",
        f"Saving checkpoint for step {total} to '/lake/olm/lumen7b'...",
    )
    say(last + 31, "olmo_core.train.callbacks.checkpointer:322", "Checkpoint saved")
    say(last + 32, "olmo_core.train.trainer:733", "Training complete")
    g.write(place / "logs" / "lumen7b-66120.log", "\n".join(out) + "\n")

    head = (
        "timestamp, index, uuid, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], "
        "power.draw [W], temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz], "
        "clocks_event_reasons.active, clocks_event_reasons.hw_thermal_slowdown, clocks_event_reasons.sw_power_cap, "
        "ecc.errors.uncorrected.volatile.total, remapped_rows.uncorrectable, remapped_rows.correctable, "
        "remapped_rows.pending, remapped_rows.failure"
    )
    for node in (nodes[0], nodes[1], nodes[3]):
        sick = node == "hx212"
        names = [g.uuid(rng) for _ in range(8)]
        times = g.ticks(rng, start - 480, end + 500, 30, 0.03)
        tracks = []
        for gpu in range(8):
            old = (1, 2) if node == "hx211" and gpu == 6 else (0, 0)
            lean = rng.uniform(-2, 2)

            def load(t: float, sick: bool = sick, old: tuple[int, int] = old, lean: float = lean) -> Load:
                far = slow(t) if sick else 0.0
                base = replace(g.rest(b), rows_u=old[0], rows_c=old[1])
                if t < start + 33:
                    return base
                if t < first:
                    return replace(base, fb=6120 if t < start + 80 else 21400, watt=118, clock=1980)
                if t > end - 12:
                    warm = 52 if sick and t < end + 240 else 0
                    return replace(base, temp=warm)
                if t > last:
                    return replace(base, util=8, fb=71932, watt=152, clock=1980, reasons=0)
                if sick:
                    lo = far > 0.8
                    return replace(
                        base,
                        util=100,
                        dram=0.41 - 0.2 * far,
                        fb=71932,
                        watt=641 - 297 * far,
                        clock=1905 - 1040 * far,
                        reasons=0x48 if lo else 0x20 if far > 0.15 else 0,
                        temp=(66 + 22 * min(1, max(0, (t - hot + 300) / 300))) + lean,
                    )
                far = slow(t)
                return replace(
                    base,
                    util=100,
                    dram=0.41 - 0.22 * far,
                    fb=71932,
                    watt=641 - 242 * far,
                    clock=1905 + 75 * far,
                    reasons=0,
                )

            tracks.append(g.play(rng, b, times, load, 27, 0.056))
        lines = [head]
        for i, when in enumerate(times):
            for gpu in range(8):
                s = tracks[gpu][i][1]
                lines.append(
                    f"{g.milli(when + 0.004 * gpu, zone, '%Y/%m/%d %H:%M:%S')}, {gpu}, {names[gpu]}, {s.util:.0f} %, "
                    f"{s.dram * 100:.0f} %, {s.fb:.0f} MiB, 81559 MiB, {s.watt:.2f} W, {s.temp:.0f}, "
                    f"{s.clock:.0f} MHz, {s.mem_clock:.0f} MHz, 0x{s.reasons:016X}, "
                    f"{'Active' if s.reasons & 0x40 else 'Not Active'}, {'Active' if s.reasons & 4 else 'Not Active'}, "
                    f"0, {s.rows_u}, {s.rows_c}, No, No"
                )
        g.write(place / "nvidia-smi" / f"{node}.csv", "\n".join(lines) + "\n")

    iso = "%Y-%m-%dT%H:%M:%S"
    a, z = g.clock(start, zone, iso), g.clock(end, zone, iso)
    sub = g.clock(start - 1209, zone, iso)
    run = g.clock(start + 9, zone, iso)
    many = "hx[211-213,216]"
    g.write(
        place / "sacct.txt",
        "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|"
        "Elapsed|Timelimit|NNodes|NodeList|MaxRSS|ReqTRES\n"
        f"66120|lumen7b|tvrba|hgx|COMPLETED|0:0|{sub}|{a}|{z}|00:39:11|02:00:00|4|{many}||"
        "billing=448,cpu=448,gres/gpu=32,mem=6000G,node=4\n"
        f"66120.batch|batch||| COMPLETED|0:0|{a}|{a}|{z}|00:39:11||1|hx211|41288K|\n".replace("| COMP", "|COMP")
        + f"66120.extern|extern|||COMPLETED|0:0|{a}|{a}|{z}|00:39:11||4|{many}|212K|\n"
        f"66120.0|torchrun|||COMPLETED|0:0|{run}|{run}|{z}|00:39:02||4|{many}|188714420K|\n",
    )
    for node in nodes:
        form = "%a %b %e %H:%M:%S %Y"
        lines = [
            f"[{g.clock(start - 86400 * 6 - rng.uniform(0, 900), zone, form)}] nvidia-nvlink: Nvlink Core is being "
            "initialized, major device number 507",
            f"[{g.clock(start - 86400 * 6 + 30, zone, form)}] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  "
            f"550.127.08",
            f"[{g.clock(start - 7212, zone, form)}] mlx5_core 0000:9a:00.0: Port module event: module 0, Cable plugged",
            f"[{g.clock(start + 13, zone, form)}] Lustre: 41220:0:(import.c:1421) lake-OST0011-osc: Connection "
            f"restored",
        ]
        g.write(place / "dmesg" / f"{node}.txt", "\n".join(lines) + "\n")


SPANISH = """Traceback (most recent call last):
  File "/proy/voces/entrenar.py", line 268, in <module>
    principal()
  File "/proy/voces/entrenar.py", line 241, in principal
    perdida = paso(modelo, lote, escala)
  File "/proy/voces/entrenar.py", line 158, in paso
    salida = modelo(lote["audio"], lote["mascara"])
  File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1751, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
  File "/opt/venv/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", line 1637, in forward
    else self._run_ddp_forward(*inputs, **kwargs)
  File "/proy/voces/red.py", line 97, in forward
    puntajes = torch.matmul(q, k.transpose(-1, -2)) * self.esc
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.27 GiB. GPU 1 has a total capacity of 44.40 GiB of """


def t11_voces(place: Path, rng: Random) -> None:
    """Two nodes of L40S, a home-made script in Spanish."""
    b, zone = g.L40S, 1
    start = g.at("2026-02-25 19:12:40", zone)
    fault = start + 66 * 60 + 27
    end = fault + 21
    first = start + 64
    nodes = ["ada-03", "ada-04"]
    out = [
        "W0225 19:12:49.318000 51207 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for "
        "each "
        "process to be 1 in default",
        f"[{g.clock(start + 27, zone)} +0100] ## Transcriptor de voces, 8 procesos, semilla 7711",
        f"[{g.clock(start + 29, zone)} +0100] Red: 214,6 M de parámetros; 20 épocas; lotes por duración (máx. 38 s)",
        f"[{g.clock(start + 58, zone)} +0100] Datos: 402.118 audios de entrenamiento, 5.310 de prueba",
    ]
    t, step = first, 0
    while True:
        t += rng.gauss(0.71, 0.02)
        if t > fault - 0.8:
            break
        step += 1
        if step % 50 == 0:
            out.append(
                f"[{g.clock(t, zone)} +0100] época {1 + step // 4180} paso {step} pérdida "
                f"{g.curve(rng, step, 0.61, 5.9, 210.0, 0.02):.4f} tasa {min(1, step / 2000) * 2.5e-4:.2e} "
                f"audio/s {64 / rng.gauss(0.71, 0.012):.1f} memoria máx. {rng.uniform(35.1, 38.4):.1f} GiB"
            )
        if step % 2000 == 0:
            out.append(f"[{g.clock(t, zone)} +0100] guardado puntos/voces_{step:06d}.pt")
    trace = SPANISH + (
        "which 3.02 GiB is free. Including non-PyTorch memory, this process has 41.37 GiB memory in use. Of the "
        "allocated "
        "memory 38.91 GiB is allocated by PyTorch, and 1.88 GiB is reserved by PyTorch but unallocated. If reserved "
        "but "
        "unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
        "fragmentation.  "
        "See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )
    out += [f"[rank5]: {line}" for line in trace.split("\n")]
    stamp = g.clock(fault + 4, zone, "%m%d %H:%M:%S")
    out += [
        f"W{stamp}.610000 38114 torch/distributed/elastic/multiprocessing/api.py:900] Sending process {p} closing "
        f"signal "
        "SIGTERM"
        for p in (38180, 38182, 38183)
    ]
    out += [
        f"E{stamp}.975000 38114 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) "
        f"local_rank: 1 "
        "(pid: 38181) of binary: /opt/venv/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "=" * 60,
        "entrenar.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {g.clock(fault + 4, zone, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : ada-04",
        "  rank      : 5 (local_rank: 1)",
        "  exitcode  : 1 (pid: 38181)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=" * 60,
        "srun: error: ada-04: task 1: Exited with exit code 1",
        "srun: Terminating StepId=90418.0",
        f"slurmstepd: error: *** STEP 90418.0 ON ada-03 CANCELLED AT "
        f"{g.clock(fault + 9, zone, '%Y-%m-%dT%H:%M:%S')} ***",
        "srun: error: ada-03: task 0: Exited with exit code 143",
    ]
    g.write(place / "salida-90418.txt", "\n".join(out) + "\n")

    names = {
        "nvidia_smi_utilization_gpu_ratio": lambda s: f"{s.util / 100:.2f}",
        "nvidia_smi_utilization_memory_ratio": lambda s: f"{s.dram:.2f}",
        "nvidia_smi_memory_used_bytes": lambda s: f"{round(s.fb) * 1048576}",
        "nvidia_smi_memory_total_bytes": lambda _: f"{46068 * 1048576}",
        "nvidia_smi_power_draw_watts": lambda s: f"{s.watt:.2f}",
        "nvidia_smi_temperature_gpu": lambda s: f"{s.temp:.0f}",
        "nvidia_smi_clocks_current_sm_clock_hz": lambda s: f"{s.clock * 1e6:.0f}",
        "nvidia_smi_clocks_current_memory_clock_hz": lambda s: f"{s.mem_clock * 1e6:.0f}",
        "nvidia_smi_clocks_event_reasons_hw_thermal_slowdown": lambda _: "0",
        "nvidia_smi_clocks_event_reasons_sw_power_cap": lambda s: "1" if s.reasons & 4 else "0",
        "nvidia_smi_clocks_event_reasons_gpu_idle": lambda s: "1" if s.reasons & 1 else "0",
        "nvidia_smi_ecc_errors_uncorrected_volatile_total": lambda _: "0",
        "nvidia_smi_remapped_rows_uncorrectable": lambda _: "0",
        "nvidia_smi_failed_scrapes_total": lambda _: "0",
        "nvidia_smi_pstate": lambda s: "8" if s.clock == 210 else "0",
    }
    rows: list[dict[str, object]] = []
    for n, node in enumerate(nodes):
        for gpu in range(4):
            held = [35900.0 + rng.uniform(-300, 300)]

            def load(t: float, held: list[float] = held, n: int = n, gpu: int = gpu) -> Load:
                if t < start + 24 or t >= fault + (3 if (n, gpu) == (1, 1) else 9):
                    return g.rest(b)
                if t < first:
                    return Load(fb=1180, watt=88, clock=2520, mem_clock=9001)
                if rng.random() < 0.03:
                    held[0] = min(41900.0, held[0] + rng.uniform(60, 900))
                return Load(util=98, dram=0.47, fb=held[0], watt=318, clock=2310, mem_clock=9001, reasons=4)

            times = g.ticks(rng, float(int(start) - 720), end + 600, 15)
            labels = {"instance": f"{node}:9835", "job": "nvidia_gpu_exporter", "uuid": g.uuid(rng)[4:]}
            rows += g.series(names, labels, g.play(rng, b, times, load, 24, 0.118))
            info = {"__name__": "nvidia_smi_gpu_info", "driver_version": b.driver, "name": b.name, "index": str(gpu)}
            rows.append({"metric": info | labels, "values": [[int(t), "1"] for t in times]})
    g.matrix(place / "prometheus_gpu.json", rows)

    iso = "%Y-%m-%dT%H:%M:%S"
    a, z = g.clock(start, zone, iso), g.clock(end, zone, iso)
    s0 = g.clock(start + 6, zone, iso)
    g.write(
        place / "sacct_90418.txt",
        "JobID|JobName|State|ExitCode|Start|End|Elapsed|NodeList|AllocTRES|MaxRSS|DerivedExitCode\n"
        f"90418|voces|FAILED|1:0|{a}|{z}|01:06:48|ada-[03-04]|billing=64,cpu=64,gres/gpu=8,mem=500G,node=2||1:0\n"
        f"90418.batch|batch|FAILED|1:0|{a}|{z}|01:06:48|ada-03|cpu=32,gres/gpu=4,mem=250G,node=1|18220K|\n"
        f"90418.extern|extern|COMPLETED|0:0|{a}|{z}|01:06:48|ada-[03-04]|cpu=64,gres/gpu=8,mem=500G,node=2|208K|\n"
        f"90418.0|torchrun|FAILED|1:0|{s0}|{z}|01:06:42|ada-[03-04]|cpu=64,gres/gpu=8,mem=500G,node=2|71330912K|\n",
    )
    for node in nodes:
        up = rng.uniform(4e5, 9e5)
        g.write(
            place / f"dmesg_{node}.txt",
            f"[    0.000000] Linux version 5.15.0-118-generic (buildd@lcy02-amd64-103)\n"
            f"[   11.{rng.randrange(10**6):06d}] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  560.35.05\n"
            f"[   14.{rng.randrange(10**6):06d}] nvidia-uvm: Loaded the UVM driver, major device number 508.\n"
            f"[   61.{rng.randrange(10**6):06d}] bnxt_en 0000:41:00.0 ens3f0: NIC Link is Up, 25000 Mbps full duplex\n"
            f"[{up:.6f}] perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to "
            f"79500\n",
        )


def t12_kestrel(place: Path, rng: Random) -> None:
    """Two nodes with two H100 each under Kubernetes, a home-made script with logging."""
    b, zone = g.H100, -6
    start = g.at("2026-05-06 03:12:20", zone)
    end = start + 19 * 60 + 14
    first, turn = start + 58, start + 58 + 262
    logs: list[list[str]] = [[], []]

    def say(t: float, rank: int, text: str, level: str = "INFO") -> None:
        logs[rank // 2].append(f"{g.milli(t, zone, mark=',')} {level:<7} rank{rank} kestrel.loop: {text}")

    for rank in range(4):
        say(start + 19 + rank * 0.04, rank, f"joined, world 4, local {rank % 2}, torch 2.6.0+cu124")
        say(start + 47 + rank * 0.07, rank, "model ready: 1.31B parameters, ddp, micro batch 6 x 2048 on every rank")
    rows = []
    t = first
    while t < end - 30:
        took = (0.584 if t < turn else 1.871) * rng.gauss(1, 0.012)
        t += took
        rows.append((t, took))
    total, last = len(rows), t
    for step, (when, took) in enumerate(rows, 1):
        if step % 20 and step != total:
            continue
        loss = g.curve(rng, step, 2.75, 8.1, 34.0, 0.006)
        for rank in range(4):
            work = (1.79 if rank == 1 and when >= turn + 15 else 0.531) * rng.gauss(1, 0.01)
            work = min(work, took - 0.03)
            say(
                when + rng.uniform(0, 0.01),
                rank,
                f"step {step}/{total} loss {loss + rng.gauss(0, 0.02):.4f} lr {6e-4 * min(1, step / 120):.2e} "
                f"took {took:.3f}s (load 0.00{rng.randrange(2, 6)} fwd+bwd {work:.3f} "
                f"wait for others {max(0.02, took - work - 0.012):.3f})",
            )
    say(last + 6, 0, "wrote /pvc/kestrel/final.pt")
    for rank in range(4):
        say(last + 7, rank, f"all {total} steps done, leaving")
    for n in range(2):
        g.write(place / "pods" / f"kestrel-worker-{n}.log", "\n".join(sorted(logs[n])) + "\n")

    tracks = []
    times = g.ticks(rng, start - 420, end + 420, 30, 0.02)
    for gpu in range(2):

        def load(t: float, gpu: int = gpu) -> Load:
            if t < start + 17 or t > end - 8:
                return g.rest(b)
            if t < first:
                return Load(fb=9340, watt=121, clock=1980, mem_clock=2619)
            if t > last:
                return Load(fb=51207, watt=124, clock=1980, mem_clock=2619)
            if t < turn:
                return Load(100, 0.71, 0.33, 0.42, 51207, 588, 1950, 2619)
            if gpu == 1:
                return Load(100, 0.78, 0.11, 0.17, 51207, 436, 1980, 2619)
            return Load(100, 0.243, 0.103, 0.135, 51207, 287, 1980, 2619)

        tracks.append((gpu, g.play(rng, b, times, load, 26, 0.055)))
    columns = (
        ("GPUTL", "", lambda s: f"{s.util:.0f}"),
        ("FBUSD", "", lambda s: f"{s.fb:.0f}"),
        ("POWER", "W", lambda s: f"{s.watt:.3f}"),
        ("TMPTR", "C", lambda s: f"{s.temp:.0f}"),
        ("SMCLK", "", lambda s: f"{s.clock:.0f}"),
        ("MMCLK", "", lambda s: f"{s.mem_clock:.0f}"),
        ("DVCCTR", "", lambda s: f"{s.reasons}"),
        ("XIDER", "", lambda s: f"{s.xid}"),
        ("SMACT", "", lambda s: f"{s.sm:.3f}"),
        ("TENSO", "", lambda s: f"{s.tensor:.3f}"),
        ("DRAMA", "", lambda s: f"{s.dram:.3f}"),
    )
    g.dmon(place / "dmon" / "pool-h-7c2.txt", zone, tracks, columns)
    g.write(
        place / "kubectl.txt",
        "$ kubectl -n birds get pods -o wide\n"
        "NAME               READY   STATUS      RESTARTS   AGE   IP            NODE         NOMINATED NODE   "
        "READINESS GATES\n"
        "kestrel-worker-0   0/1     Completed   0          31m   10.42.7.118   pool-h-7c2   <none>           <none>\n"
        "kestrel-worker-1   0/1     Completed   0          31m   10.42.9.64    pool-h-b05   <none>           <none>\n\n"
        "$ kubectl -n birds get pytorchjob kestrel -o custom-columns=NAME:.metadata.name,START:.status.startTime,"
        "END:.status.completionTime,STATE:.status.conditions[-1].type\n"
        "NAME      START                       END                         STATE\n"
        f"kestrel   {g.clock(start, zone, '%Y-%m-%dT%H:%M:%S')}-06:00   "
        f"{g.clock(end, zone, '%Y-%m-%dT%H:%M:%S')}-06:00   "
        "Succeeded\n",
    )
    for node, veth in (("pool-h-7c2", "cali3f0a91be2d4"), ("pool-h-b05", "cali88c21d7e0aa")):
        iso = "%Y-%m-%dT%H:%M:%S"
        g.write(
            place / "dmesg" / f"{node}.log",
            f"{g.clock(start - 90411, zone, iso)},{rng.randrange(10**6):06d}-06:00 IPv6: ADDRCONF(NETDEV_CHANGE): "
            f"eth0: link "
            "becomes ready\n"
            f"{g.clock(start - 3, zone, iso)},{rng.randrange(10**6):06d}-06:00 IPv6: ADDRCONF(NETDEV_CHANGE): "
            f"{veth}: link "
            "becomes ready\n",
        )


def t13_basalt(place: Path, rng: Random) -> None:
    """Four nodes of A100, megatron-lm; only its log and the metrics are left."""
    b = g.A100
    start = g.at("2026-01-29 22:40:05", 0)
    end = start + 15 * 60 + 24
    first = start + 112
    nodes = ["dgx-r2n1", "dgx-r2n2", "dgx-r2n3", "dgx-r2n4"]
    out = [
        "using world size: 32, data-parallel size: 4, context-parallel size: 1, tensor-model-parallel size: 4, "
        "pipeline-model-parallel size: 2",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    for name, value in (
        ("exit_duration_in_mins", "None"),
        ("global_batch_size", "192"),
        ("hidden_size", "4608"),
        ("lr", "0.00012"),
        ("micro_batch_size", "2"),
        ("num_attention_heads", "36"),
        ("num_layers", "44"),
        ("save", "/scratch/basalt/ck"),
        ("save_interval", "250"),
        ("seq_length", "2048"),
        ("train_iters", "61000"),
    ):
        out.append(f"  {name} {'.' * (46 - len(name))} {value}")
    out += [
        "-------------------- end of arguments ---------------------",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 4",
        "> initialized pipeline model parallel with size 2",
        "time to initialize megatron (seconds): 27.318",
        "[after model, optimizer, and learning rate scheduler are built] datetime: " + g.clock(start + 66, 0) + " ",
        " > building train, validation, and test datasets ...",
        "[after dataloaders are built] datetime: " + g.clock(start + 104, 0) + " ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {g.clock(start + 105, 0)} ",
    ]
    t, step = first, 0
    while True:
        took = rng.gauss(13.92, 0.07)
        t += took
        if t > end - 12:
            break
        step += 1
        loss = g.curve(rng, step, 4.1, 7.2, 16.0, 0.004)
        out.append(
            f" [{g.clock(t, 0)}] iteration {step:8d}/   61000 | consumed samples: {step * 192:12d} | elapsed time "
            f"per iteration "
            f"(ms): {took * 1000:.1f} | throughput per GPU (TFLOP/s/GPU): {2206 / took:.1f} | learning rate: "
            f"{1.2e-4 * step / 610:.6E} | global batch size: {192:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | "
            f"grad norm: "
            f"{g.curve(rng, step, 0.9, 14, 4.0, 0.06):.3f} | number of skipped iterations:   0 | number of nan "
            f"iterations:   0 |"
        )
    when = g.clock(end - 4, 0, "%Y-%m-%dT%H:%M:%S")
    out += [
        f"slurmstepd: error: *** STEP 731904.0 ON dgx-r2n1 CANCELLED AT {when} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB 731904 ON dgx-r2n1 CANCELLED AT {when} DUE TO TIME LIMIT ***",
    ]
    g.write(place / "basalt-731904.out", "\n".join(out) + "\n")
    by: dict[str, list[dict[str, object]]] = {}
    for node in nodes:
        for gpu in range(8):
            held = 61240.0 + rng.uniform(-40, 40) + (2900 if node[-1] in "12" else 0)

            def load(t: float, held: float = held) -> Load:
                if t < start + 21 or t > end + 1:
                    return g.rest(b)
                if t < first:
                    return Load(fb=3390 if t < start + 60 else 27810, watt=88, clock=1410, mem_clock=1593)
                return Load(100, 0.79, 0.45, 0.36, held, 352, 1395, 1593, nvlink=41e9, pcie=5e8)

            labels = {
                "gpu": str(gpu),
                "UUID": g.uuid(rng),
                "device": f"nvidia{gpu}",
                "modelName": b.name,
                "Hostname": node,
                "DCGM_FI_DRIVER_VERSION": b.driver,
                "instance": f"{node}:9400",
                "job": "dcgm",
            }
            times = g.ticks(rng, float(int(start) - 305), end + 330, 15)
            for one in g.series(g.dcgm(b), labels, g.play(rng, b, times, load, 25, 0.088)):
                by.setdefault(str(one["metric"]["__name__"]), []).append(one)  # type: ignore[index]
    for name, rows in by.items():
        g.matrix(place / "prom" / f"{name}.json", rows)


def t14_hollow(place: Path, rng: Random) -> None:
    """Two nodes of RTX 4090 under Kubernetes; only metrics and kernel logs are left."""
    b, zone = g.R4090, 1
    start = g.at("2026-02-11 09:03:31", zone)
    end = start + 156 * 60 + 5
    columns = (
        ("GPUTL", "", lambda s: f"{s.util:.0f}"),
        ("MCUTL", "", lambda s: "0"),
        ("FBUSD", "", lambda s: f"{s.fb:.0f}"),
        ("POWER", "W", lambda s: f"{s.watt:.3f}"),
        ("TMPTR", "C", lambda s: f"{s.temp:.0f}"),
        ("SMCLK", "", lambda s: f"{s.clock:.0f}"),
        ("MMCLK", "", lambda s: f"{s.mem_clock:.0f}"),
        ("XIDER", "", lambda s: f"{s.xid}"),
        ("DBEVL", "", lambda _: "N/A"),
        ("SMACT", "", lambda _: "N/A"),
        ("DRAMA", "", lambda _: "N/A"),
    )
    mac = "fc:34:97:0b:5e:11:fc:34:97:0b:61:a8:08:00"
    for node, lag, up in (("rig-a", 0.0, 311822.4), ("rig-b", 1.6, 98104.9)):
        tracks = []
        times = g.ticks(rng, start - 900, end + 900, 15, 0.02)
        for gpu in range(4):

            def load(t: float, gpu: int = gpu, lag: float = lag) -> Load:
                if gpu == 3 or t < start + 16 + lag or t > end:
                    return replace(g.rest(b), fb=2.0)
                if t < start + 38:
                    return Load(fb=392, watt=52, clock=2520, mem_clock=10501)
                return replace(g.rest(b), fb=392, watt=21.5)

            tracks.append((gpu, g.play(rng, b, times, load, 27, 0.6)))
        g.dmon(place / f"dcgmi_{node}.txt", zone, tracks, columns)
        lines = [
            (0.0, "Linux version 6.8.0-51-generic (buildd@lcy02-amd64-017)"),
            (
                1.104772,
                f"rtc_cmos 00:02: setting system clock to {g.clock(start - up + 1, 0, '%Y-%m-%dT%H:%M:%S')} UTC "
                f"({int(start - up + 1)})",
            ),
            (9.377201, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  565.57.01"),
            (33.918004, "igc 0000:05:00.0 enp5s0: NIC Link is Up 2500 Mbps Full Duplex, Flow Control: RX/TX"),
        ]
        if node == "rig-a":
            t, port, ident = start + 19.4, 40112, 20117
            while t < end:
                for gpu in range(3):
                    lines.append(
                        (
                            t - start + up + 0.003 * gpu,
                            f"[UFW BLOCK] IN=enp5s0 OUT= MAC={mac} SRC=192.168.40.22 DST=192.168.40.21 LEN=60 TOS=0x00 "
                            f"PREC=0x00 "
                            f"TTL=64 ID={ident % 65536} DF PROTO=TCP SPT={32768 + (port + gpu * 2) % 28000} DPT=29400 "
                            "WINDOW=64240 RES=0x00 SYN URGP=0 ",
                        )
                    )
                    ident += rng.randrange(1, 4000)
                t += rng.uniform(61, 68)
                port += rng.randrange(4, 60) * 2
        else:
            lines.append(
                (up + 4404.2, "systemd-journald[402]: Data hash table of system.journal has a fill level at 75.0.")
            )
        g.write(place / f"dmesg_{node}.txt", "".join(f"[{t:12.6f}] {text}\n" for t, text in lines))


def t15_saddle(place: Path, rng: Random) -> None:
    """One node with four H100, nemo 2."""
    b = g.H100
    start = g.at("2026-03-30 11:27:52", 0)
    end = start + 91 * 60 + 19
    first = start + 141
    out = [
        f"[NeMo I {g.clock(start + 28, 0)} nemo_logger:145] Experiments will be logged at "
        f"/exp/saddle/2026-03-30_11-28-19",
        f'[NeMo W {g.clock(start + 29, 0)} nemo_logger:173] "update_logger_directory" is True. Overwriting '
        f"tensorboard logger "
        '"save_dir" to /exp/saddle/tb',
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        *[f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/4" for r in range(4)],
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "-" * 100,
        f"[NeMo I {g.clock(start + 77, 0)} megatron_parallel:549]  > number of parameters on (tensor, pipeline) "
        f"model parallel rank "
        "(0 ,0): 3212749824",
        f"[NeMo I {g.clock(start + 131, 0)} utils:302] Setting up optimizer with config "
        f"OptimizerConfig(optimizer='adam', lr=9e-05, "
        "bf16=True, use_distributed_optimizer=True)",
    ]
    t, step = first, 0
    while True:
        took = rng.gauss(6.34, 0.03)
        t += took
        if t > end - 14:
            break
        if step % 10 == 0:
            out.append(
                f"Training epoch 0, iteration {step}/3999 | lr: {9e-5 * min(1, (step + 1) / 200):.3e} | "
                f"global_batch_size: 96 | "
                f"global_step: {step} | reduced_train_loss: {g.curve(rng, step, 1.62, 0.86, 70.0, 0.012):.4f} | "
                f"train_step_timing in s: {took:.3f} | consumed_samples: {(step + 1) * 96}"
            )
        step += 1
    g.write(place / "logs" / "saddle_218807.out", "\n".join(out) + "\n")
    rows = []
    for gpu in range(4):
        before = start - 2710
        here = gpu == 2

        def load(t: float, here: bool = here, before: float = before) -> Load:
            xid = 31 if here and t > before else 0
            if here and before - 600 < t < before:
                return Load(72, 0.31, 0.05, 0.2, 18220, 310, 1980, 2619)
            if t < start + 24 or t > end - 9:
                return replace(g.rest(b), xid=xid)
            if t < first:
                return Load(fb=4470 if t < start + 80 else 16100, watt=117, clock=1980, mem_clock=2619, xid=xid)
            return Load(100, 0.8, 0.41, 0.39, 68114, 633, 1905, 2619, nvlink=52e9, pcie=9e8, xid=xid)

        times = g.ticks(rng, float(int(start) - 3600), end + 900, 15)
        rows += g.series(g.dcgm(b), {"UUID": g.uuid(rng)}, g.play(rng, b, times, load, 26, 0.055), 3)
    g.matrix(place / "metrics" / "gpu.json", rows)
    job = {
        "account": "nlp",
        "association": {"account": "nlp", "cluster": "orca", "partition": None, "user": "mferrand"},
        "derived_exit_code": {"status": ["SUCCESS"], "return_code": {"set": True, "infinite": False, "number": 0}},
        "exit_code": {"status": ["ERROR"], "return_code": {"set": True, "infinite": False, "number": 1}},
        "job_id": 218807,
        "name": "saddle",
        "nodes": "orca-g14",
        "partition": "h100",
        "restart_cnt": 0,
        "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
        "stderr": "/local/tmp/218807.err",
        "stdout": "/exp/saddle/logs/saddle_218807.out",
        "submit_line": "sbatch -e /local/tmp/%j.err saddle.sh",
        "time": {
            "elapsed": int(end - start),
            "eligible": int(start) - 15,
            "end": int(end),
            "start": int(start),
            "submission": int(start) - 15,
            "limit": {"set": True, "infinite": False, "number": 1440},
        },
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "count": 48},
                {"type": "gres", "name": "gpu", "count": 4},
                {"type": "mem", "name": "", "count": 786432},
            ]
        },
        "user": "mferrand",
        "steps": [
            {
                "step": {"id": "218807.batch", "name": "batch"},
                "state": ["FAILED"],
                "exit_code": {"status": ["ERROR"], "return_code": {"set": True, "infinite": False, "number": 1}},
                "nodes": {"count": 1, "range": "orca-g14"},
                "tres": {"requested": {"max": [{"type": "mem", "name": "", "count": 141288763392}]}},
            }
        ],
    }
    g.write(place / "sacct" / "218807.json", json.dumps({"jobs": [job], "errors": [], "warnings": []}, indent=1) + "\n")
    form = "%b %d %H:%M:%S"
    g.write(
        place / "journal" / "orca-g14.txt",
        f"{g.clock(start - 2714, 0, form)} orca-g14 kernel: NVRM: Xid (PCI:0000:ab:00): 31, pid=771204, "
        f"name=python, Ch 0000000a, "
        "intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_2 faulted @ 0x7f1c_8a400000. Fault is of type "
        "FAULT_PDE ACCESS_TYPE_VIRT_READ\n"
        f"{g.clock(start - 2709, 0, form)} orca-g14 slurmstepd[771150]: done with job (218790, user okimura)\n"
        f"{g.clock(start + 1, 0, form)} orca-g14 slurmd[3120]: launch task StepId=218807.batch request from "
        f"UID:30518 GID:3000\n"
        f"{g.clock(start + 2233, 0, form)} orca-g14 systemd[1]: logrotate.service: Deactivated successfully.\n"
        f"{g.clock(end, 0, form)} orca-g14 slurmstepd[802117]: done with job\n",
    )


def t16_petrel(place: Path, rng: Random) -> None:
    """Two nodes with one A100 each, open_clip."""
    b, zone = g.A100, -8
    start = g.at("2026-04-22 14:51:09", zone)
    end = start + 129 * 60 + 33
    fault = end - 24
    first = start + 83
    nodes = ["a100-05", "a100-11"]
    form = "%Y-%m-%d,%H:%M:%S"
    out = [
        f"{g.clock(start + 30, zone, form)} | INFO | Running in distributed mode with multiple processes. Device: "
        f"cuda:0."
        "Process (global: 0, local 0), total 2.",
        f"{g.clock(start + 31, zone, form)} | INFO | Loaded ViT-B-16 model config.",
        f"{g.clock(start + 40, zone, form)} | INFO | Params:",
        *[
            f"{g.clock(start + 40, zone, form)} | INFO |   {x}"
            for x in (
                "accum_freq: 1",
                "batch_size: 640",
                "dataset_type: webdataset",
                "epochs: 12",
                "lr: 0.0004",
                "model: ViT-B-16",
                "precision: amp_bf16",
                "train_num_samples: 2640640",
                "warmup: 1500",
                "world_size: 2",
            )
        ],
        f"{g.clock(start + 52, zone, form)} | INFO | Start epoch 0",
    ]
    t, step, each, size = first, 0, 2063, 2640640
    while True:
        took = rng.gauss(0.842, 0.02)
        t += took
        if t > fault:
            break
        epoch, batch = divmod(step, each)
        if batch == 0 and step:
            out.append(f"{g.clock(t, zone, form)} | INFO | Start epoch {epoch}")
        if batch % 100 == 0:
            loss = g.curve(rng, step, 1.2, 6.0, 900.0, 0.02)
            now = min(1, (step + 1) / 1500) * 4e-4
            out.append(
                f"{g.clock(t, zone, form)} | INFO | Train Epoch: {epoch} [{(batch + 1) * 1280:>7}/{size} "
                f"({100 * batch / each:.0f}%)] Data (t): {rng.uniform(0.008, 0.02):.3f} Batch (t): {took:.3f}, "
                f"{1280 / took:.3f}/s, {640 / took:.4f}/s/gpu LR: {now:.6f} Logit Scale: {14.3 + step / 420:.3f} "
                f"Contrastive_loss: {loss:.4f} ({loss * 1.06:.4f}) Loss: {loss:.4f} ({loss * 1.06:.4f})"
            )
        step += 1
    out += [
        "[rank1]: " + x
        for x in (
            "Traceback (most recent call last):",
            '  File "<frozen runpy>", line 198, in _run_module_as_main',
            '  File "/sw/open_clip/src/open_clip_train/main.py", line 508, in main',
            "    train_one_epoch(model, data, loss, epoch, optimizer, scaler, scheduler, dist_model, args, "
            "tb_writer=writer)",
            '  File "/sw/open_clip/src/open_clip_train/train.py", line 112, in train_one_epoch',
            "    backward(total_loss, scaler)",
            '  File "/sw/venv/lib/python3.11/site-packages/torch/_tensor.py", line 581, in backward',
            "    torch.autograd.backward(",
            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might "
            "be incorrect.",
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        )
    ]
    out += [
        "srun: error: a100-11: task 1: Exited with exit code 1",
        f"slurmstepd: error: *** STEP 55307.0 ON a100-05 CANCELLED AT {g.clock(end - 3, zone, '%Y-%m-%dT%H:%M:%S')} "
        f"***",
        "srun: error: a100-05: task 0: Terminated",
    ]
    g.write(place / "log" / "out-55307.log", "\n".join(out) + "\n")
    for n, node in enumerate(nodes):

        def load(t: float, n: int = n) -> Load:
            bad = n == 1 and t >= fault - 2
            mark = {"xid": 94, "dbe": 1, "rows_u": 1, "pending": 1} if bad else {}
            if t < start + 25 or t >= (fault + 6 if n else end - 3):
                return replace(g.rest(b), **mark)
            if t < first:
                return Load(fb=2870, watt=86, clock=1410, mem_clock=1593)
            if t >= fault - 1:
                return replace(
                    Load(0, 0, 0, 0, 58830, 94, 1410, 1593) if n else Load(100, 0.06, 0, 0.01, 58830, 121, 1410, 1593),
                    **mark,
                )
            return Load(98, 0.74, 0.34, 0.52, 58830, 338, 1410, 1593, pcie=2.6e9)

        holes = [
            (start + x, start + x + w)
            for x, w in (
                (rng.uniform(500, 2400), rng.uniform(100, 400)),
                (rng.uniform(2900, 5200), rng.uniform(60, 700)),
                (rng.uniform(5900, 6500), rng.uniform(45, 120)),
            )
        ]
        track = g.play(rng, b, g.ticks(rng, float(int(start) - 603), end + 900, 15), load, 26, 0.09)
        kept = [x for x in track if not any(lo < x[0] < hi for lo, hi in holes) and rng.random() > 0.02]
        labels = {
            "gpu": "0",
            "UUID": g.uuid(rng),
            "pci_bus_id": "00000000:07:00.0",
            "device": "nvidia0",
            "modelName": b.name,
            "Hostname": node,
            "DCGM_FI_DRIVER_VERSION": b.driver,
        }
        g.matrix(place / "dcgm" / f"{node}.json", g.series(g.dcgm(b, nvlink=False), labels, kept))
    iso = "%Y-%m-%dT%H:%M:%S"
    g.write(
        place / "scontrol.txt",
        "JobId=55307 JobName=petrel-b16\n   UserId=hsolberg(7120) GroupId=vis(700) MCS_label=N/A\n"
        "   Priority=4120 Nice=0 Account=vis QOS=day\n   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n"
        "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0\n   RunTime=02:09:33 TimeLimit=12:00:00 "
        "TimeMin=N/A\n"
        f"   SubmitTime={g.clock(start - 340, zone, iso)} EligibleTime={g.clock(start - 340, zone, iso)}\n"
        f"   StartTime={g.clock(start, zone, iso)} EndTime={g.clock(end, zone, iso)} Deadline=N/A\n"
        "   Partition=a100 AllocNode:Sid=front2:9917\n   NodeList=a100-[05,11]\n   BatchHost=a100-05\n"
        "   NumNodes=2 NumCPUs=32 NumTasks=2 CPUs/Task=16 ReqB:S:C:T=0:0:*:*\n"
        "   TRES=cpu=32,mem=240G,node=2,billing=32,gres/gpu=2\n   Command=/home/hsolberg/petrel/go.sbatch\n",
    )

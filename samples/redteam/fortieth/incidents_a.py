"""What simulated GPU jobs left behind, incidents t01 to t08. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.fortieth import gauge_ia as g

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

PCI = (
    "00000000:18:00.0",
    "00000000:2A:00.0",
    "00000000:3A:00.0",
    "00000000:5D:00.0",
    "00000000:9A:00.0",
    "00000000:AB:00.0",
    "00000000:BA:00.0",
    "00000000:DB:00.0",
)
AMPERE = (
    "00000000:07:00.0",
    "00000000:0F:00.0",
    "00000000:47:00.0",
    "00000000:4E:00.0",
    "00000000:87:00.0",
    "00000000:90:00.0",
    "00000000:B7:00.0",
    "00000000:BD:00.0",
)
HOT = g.HW_SLOW | g.HW_THERMAL


def short(value: float) -> str:
    """Return a number the way nanotron does."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def t01_wallclock(place: Path, rng: Random) -> None:
    """Write a pretraining run that its time limit cut off in good health."""
    zone, start = -8.0, g.epoch("2026-01-14T06:41:12", -8)
    end = start + 7231
    hosts, first, pace, total = ("hgx-n031", "hgx-n044"), start + 97, 1.312, 6500
    lines = [
        f"{g.local(start + 21, zone, '%m/%d/%Y %H:%M:%S')} [INFO|DP=0|PP=0|TP=0|hgx-n031]: "
        "Config(general=GeneralArgs(project='basalt', run='basalt-1p3b-stage1', seed=71, step=None), "
        "parallelism=ParallelismArgs(dp=16, pp=1, tp=1, expert_parallel_size=1), "
        f"tokens=TokensArgs(sequence_length=4096, train_steps={total}, micro_batch_size=4, "
        "batch_accumulation_per_replica=4, val_check_interval=-1))"
    ]

    def say(when: float, text: str) -> None:
        lines.append(f"{g.local(when, zone, '%m/%d/%Y %H:%M:%S')} [INFO|DP=0|PP=0|TP=0|hgx-n031]: {text}")

    say(start + 33, "Total number of parameters: 1.34G (2556.41MiB)")
    say(
        start + 34, "[After model building] Memory usage: 2571.02MiB. Peak allocated: 2571.04MiB Peak reserved: 2612MiB"
    )
    say(start + 35, "No checkpoint path provided.")
    say(start + 36, "[Optimizer Building] Using LearningRateForSP as learning rate")
    say(start + 71, f"[Training Plan] Stage stage-1 has {total} remaining training steps and has consumed 0 samples")
    say(
        start + 72,
        f"[Start training] datetime: {g.local(start + 72, zone, '%Y-%m-%d %H:%M:%S')}.118204 | mbs: 4 | "
        f"grad_accum: 4 | global_batch_size: 256 | sequence_length: 4096 | train_steps: {total} | "
        "start_iteration_step: 0 | consumed_train_samples: 0",
    )
    now, saves, step = first, [], 0
    while True:
        took = pace * rng.gauss(1, 0.008)
        now += took
        if now > end - 1:
            break
        step += 1
        if step % 10 == 0:
            loss = 2.41 + 7.3 * math.exp(-step / 170) + 1.15 * math.exp(-step / 1900) + rng.gauss(0, 0.018)
            rate = 4e-4 * min(1, step / 500) * (1 if step < 500 else 0.55 + 0.45 * math.cos(math.pi * step / 9000))
            norm = 0.31 + 2.1 * math.exp(-step / 120) + abs(rng.gauss(0, 0.03))
            say(
                now,
                f"iteration: {step} / {total} | consumed_tokens: {short(step * 1048576)} | "
                f"elapsed_time_per_iteration_ms: {short(took * 1000)} | tokens_per_sec: {short(1048576 / took)} | "
                f"tokens_per_sec_per_gpu: {short(65536 / took)} | global_batch_size: 256 | lm_loss: {loss:.3g} | "
                f"lr: {rate:.3g} | model_tflops_per_gpu: {587 / took:.3g} | "
                f"hardware_tflops_per_gpu: {587 / took:.3g} | grad_norm: {norm:.3g}",
            )
        if step % 1500 == 0:
            say(now + 0.2, f"Saving checkpoint at /lustre/basalt/ckpt/{step}")
            saves.append(now)
            now += 14.5
            say(now, f"Saved checkpoint at /lustre/basalt/ckpt/{step} in 14.3s")
    cut = g.local(end, zone)
    lines += [
        f"slurmstepd: error: *** JOB 481207 ON hgx-n031 CANCELLED AT {cut} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 481207.0 ON hgx-n031 CANCELLED AT {cut} DUE TO TIME LIMIT ***",
    ]
    g.write(place / "basalt-481207.out", lines)

    def load(time: float) -> g.Load:
        if time < start + 18 or time > end + 3:
            return g.Load()
        if time < first:
            return g.Load(util=4 if time > start + 60 else 0, active=0.01, used=3400, watts=118)
        if any(0 <= time - save < 14.5 for save in saves):
            return g.Load(util=100, active=0.04, dram=0.02, used=66912, watts=212, receive=9e6, send=4e8)
        return g.Load(
            util=99, active=0.835, tensor=0.46, dram=0.41, used=66912, watts=618, link=3.1e10, send=1.4e9, receive=1.4e9
        )

    gpus = []
    for node, host in enumerate(hosts):
        for index in range(8):

            def counts(time: float, hit: bool = (node, index) == (1, 5)) -> g.Counts:
                return g.Counts(
                    corrected=12 + sum(time > start + at for at in (911, 2604, 2611, 5040, 6688)) if hit else 0
                )

            gpus.append(
                g.simulate(g.H100, host, index, PCI[index], g.times(start - 300, end + 300, 15), load, rng, counts)
            )
    (place / "dcgm_query_range.json").write_text(g.matrix(g.dcgm(gpus)))
    g.write(
        place / "sacct.txt",
        [
            "JobID|JobName|Partition|Account|AllocNodes|NodeList|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|"
            "AllocTRES",
            f"481207|basalt-1p3b|hopper|langmod|2|hgx-n[031,044]|TIMEOUT|0:0|{g.local(start - 4412, zone)}|"
            f"{g.local(start, zone)}|{cut}|{g.span(end - start)}|02:00:00|"
            "billing=448,cpu=192,gres/gpu=16,mem=3000G,node=2",
        ],
    )
    for node, host in enumerate(hosts):

        def stamp(offset: float, name: str = host) -> str:
            return g.local(start + offset, zone, "%b %d %H:%M:%S ") + name

        g.write(
            place / "syslog" / f"{host}.log",
            [
                f"{stamp(-8133 - node)} systemd[1]: Starting Daily apt download activities...",
                f"{stamp(-8130 - node)} systemd[1]: Finished Daily apt download activities.",
                f"{stamp(0)} slurmd[3320]: Launching batch job 481207 for UID 21077"
                if node == 0
                else f"{stamp(1)} slurmd[3291]: launch task StepId=481207.0 request from UID:21077 GID:21000",
                f"{stamp(3)} kernel: [{1203377 - 88120 * node}.{440112 + 917 * node}] nvidia-uvm: Loaded the UVM driver, "
                "major device number 509.",
                f"{stamp(2128)} CRON[{811902 + 77 * node}]: (root) CMD (cd / && run-parts --report /etc/cron.hourly)",
                f"{stamp(5728)} CRON[{829110 + 91 * node}]: (root) CMD (cd / && run-parts --report /etc/cron.hourly)",
                f"{stamp(7233)} slurmd[{3320 if node == 0 else 3291}]: error: *** STEP 481207.0 ON {hosts[0]} "
                f"CANCELLED AT {cut} DUE TO TIME LIMIT ***",
                f"{stamp(7251)} systemd[1]: Started Session {5512 + node} of user telemetry.",
            ],
        )


def t02_onesided(place: Path, rng: Random) -> None:
    """Write a two-GPU run whose far node falls behind; only the waiting node's metrics are left."""
    zone, start = -8.0, g.epoch("2026-02-03T13:07:44", -8)
    end, onset = start + 4622, start + 1745
    near, far = "cedar12", "cedar19"

    def load(time: float) -> g.Load:
        if time < start + 14 or time > end - 2:
            return g.Load()
        if time < start + 76:
            return g.Load(util=2, active=0.005, used=5210, watts=121, receive=6e8)
        if time > end - 31:
            return g.Load(util=0, used=118344, watts=126, send=1.9e9)
        lag = g.ramp(time, onset, 70)
        wave = 0.03 * math.sin(time / 211)
        return g.Load(
            util=97 if lag < 0.2 else 100,
            active=0.78 - (0.545 + wave) * lag,
            tensor=0.43 - 0.305 * lag,
            dram=0.44 - 0.30 * lag,
            used=118344,
            watts=588 - 262 * lag,
            send=8.3e9 - 5.8e9 * lag,
            receive=8.2e9 - 5.7e9 * lag,
        )

    gpu = g.simulate(g.H200, near, 0, PCI[3], g.times(start - 240, end + 200, 10), load, rng)
    head = [
        "#Entity   GPUTL  FBUSD   POWER    TMPTR  MMTMP  SMCLK  DVCCTR  XIDER  GRACT  SMACT  TENSO  DRAMA  "
        "PCITX         PCIRX",
        "ID                MB      W        C      C      MHz",
    ]
    rows: list[str] = []
    for number, s in enumerate(gpu.samples):
        when = g.local(s.time, zone, "%Y-%m-%dT%H:%M:%S-0800")
        if number % 25 == 0:
            rows += [f"{when} {text}" for text in head]
        rows.append(
            f"{when} GPU 0     {s.util:<6d} {s.used:<7d} {s.watts:<8.3f} {s.celsius:<6d} "
            f"{s.memory_celsius:<6d} {s.clock:<6d} {s.reasons:<7d} 0      {s.util / 100 * 0.997:.3f}  "
            f"{s.active:.3f}  {s.tensor:.3f}  {s.dram:.3f}  {s.send:<13.0f} {s.receive:<13.0f}"
        )
    g.write(place / f"dcgmi_dmon_{near}.txt", rows)
    begin, stop, wall = g.local(start, zone), g.local(end, zone), g.span(end - start)
    g.write(
        place / "sacct_steps.txt",
        [
            "JobID|JobName|Partition|NNodes|NTasks|NodeList|State|ExitCode|Start|End|Elapsed|Timelimit|AveCPU|MaxRSS|"
            "MaxRSSNode|AllocTRES",
            f"90331|vit-distill|gpu-h200|2||{near},{far}|COMPLETED|0:0|{begin}|{stop}|{wall}|06:00:00||||"
            "billing=64,cpu=64,gres/gpu:h200=2,gres/gpu=2,mem=512G,node=2",
            f"90331.batch|batch||1|1|{near}|COMPLETED|0:0|{begin}|{stop}|{wall}||00:00:03|14208K|{near}|"
            "cpu=32,gres/gpu:h200=1,gres/gpu=1,mem=256G,node=1",
            f"90331.extern|extern||2|2|{near},{far}|COMPLETED|0:0|{begin}|{stop}|{wall}||00:00:00|1020K|{far}|"
            "billing=64,cpu=64,gres/gpu:h200=2,gres/gpu=2,mem=512G,node=2",
            f"90331.0|python||2|2|{near},{far}|COMPLETED|0:0|{g.local(start + 6, zone)}|{stop}|{g.span(end - start - 6)}||"
            f"08:41:17|61344212K|{near}|cpu=64,gres/gpu:h200=2,gres/gpu=2,mem=512G,node=2",
        ],
    )

    def told(offset: float, text: str) -> str:
        return f"[{g.local(start + offset, zone, '%a %b %d %H:%M:%S %Y')}] {text}"

    g.write(
        place / f"dmesg_{near}.txt",
        [
            told(-901220, "Linux version 5.14.0-427.40.1.el9_4.x86_64 (mockbuild@x86-64-02) (gcc 11.4.1)"),
            told(-901201, "nvidia 0000:5d:00.0: enabling device (0000 -> 0002)"),
            told(-901198, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  560.35.05  Release Build"),
            told(-901190, "mlx5_core 0000:5e:00.0: Port module event: module 0, Cable plugged"),
            told(-901184, "mlx5_core 0000:5e:00.0 ibp94s0: Link up"),
            told(-64000, "nfs: server homes02 not responding, still trying"),
            told(-63991, "nfs: server homes02 OK"),
        ],
    )
    hot, events = [], 0
    offset = onset - start - 34.0
    while offset < end - start + 190:
        events += rng.randrange(900, 2400)
        cpu = rng.randrange(0, 64)
        hot += [
            told(
                offset,
                f"mce: CPU{cpu}: Package temperature is above threshold, cpu clock is throttled "
                f"(total events = {events})",
            )
            for cpu in (cpu, cpu ^ 1)
        ]
        offset += rng.uniform(296, 306)
    g.write(
        place / f"dmesg_{far}.txt",
        [
            told(-901317, "Linux version 5.14.0-427.40.1.el9_4.x86_64 (mockbuild@x86-64-02) (gcc 11.4.1)"),
            told(-901299, "nvidia 0000:5d:00.0: enabling device (0000 -> 0002)"),
            told(-901296, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  560.35.05  Release Build"),
            told(-901288, "mlx5_core 0000:5e:00.0: Port module event: module 0, Cable plugged"),
            told(-901280, "mlx5_core 0000:5e:00.0 ibp94s0: Link up"),
            told(onset - start - 71, "ipmi_si IPI0001:00: KCS in invalid state 9"),
            told(onset - start - 52, "power_meter ACPI000D:00: Found ACPI power meter."),
            *hot,
        ],
    )


def t03_calor(place: Path, rng: Random) -> None:
    """Write a run that one overheated GPU slows, with a Spanish log."""
    zone, start = -8.0, g.epoch("2025-12-09T22:16:05", -8)
    hosts, first, onset, total = ("jupiter-a07", "jupiter-a08", "jupiter-a11"), start + 58, start + 602, 675
    lines = [
        f"[{g.local(start + 9, zone, '%d/%m/%Y %H:%M:%S')}] Arrancando entrenamiento «oleaje-3d», 12 procesos",
        f"[{g.local(start + 20, zone, '%d/%m/%Y %H:%M:%S')}] Modelo: U-Net volumétrica, 412,7 M parámetros; bf16",
        f"[{g.local(start + 51, zone, '%d/%m/%Y %H:%M:%S')}] Datos: 38 112 cubos de entrenamiento, 2 004 de validación",
    ]
    now = first
    for step in range(1, total + 1):
        slow = g.ramp(now, onset, 160)
        took = (1.71 + 1.95 * slow) * rng.gauss(1, 0.015 + 0.02 * slow)
        now += took
        if step % 5 == 0:
            loss = 0.094 + 0.81 * math.exp(-step / 95) + rng.gauss(0, 0.004)
            norm = 0.4 + loss * 1.3 + rng.uniform(0, 0.1)
            shown = f"paso {step:>4d}/{total}  pérdida={loss:.4f}  norma_grad={norm:.3f}"
            lines.append(
                f"[{g.local(now, zone, '%d/%m/%Y %H:%M:%S')}] {shown}  lr={2.5e-4 * min(1, step / 60):.2e}  "
                f"t_paso={took:.2f}s  cubos/s={96 / took:.1f}".replace(".", ",")
            )
        if step % 225 == 0:
            lines.append(
                f"[{g.local(now + 5, zone, '%d/%m/%Y %H:%M:%S')}] Guardado: salida/oleaje_{step:05d}.pt (4,9 s)"
            )
            now += 5
    lines.append(
        f"[{g.local(now + 4, zone, '%d/%m/%Y %H:%M:%S')}] Fin: {total} pasos completados, "
        "mejor pérdida de validación 0,1012"
    )
    g.write(place / "oleaje-3d.log", lines)
    end = now + 9
    for node, host in enumerate(hosts):
        gpus = []
        for index in range(4):
            hot = (node, index) == (1, 2)

            def load(time: float, hot: bool = hot) -> g.Load:
                if time < start + 10 or time > end - 4:
                    return g.Load()
                if time < first:
                    return g.Load(util=3, active=0.01, used=4120, watts=122)
                slow = g.ramp(time, onset, 160)
                if hot:
                    clock = 1980 - 1120 * slow + (rng.choice((-60, -15, 0, 45)) if slow > 0.3 else 0)
                    celsius = 63 + 26.5 * g.ramp(time, onset - 260, 280)
                    return g.Load(
                        util=99,
                        active=0.80 + 0.12 * slow,
                        tensor=0.41 - 0.22 * slow,
                        dram=0.47 - 0.24 * slow,
                        used=58230,
                        watts=604 - 297 * slow,
                        clock=clock,
                        celsius=celsius,
                        link=1.6e10 - 8e9 * slow,
                        send=1.1e9 - 5.5e8 * slow,
                        receive=1.2e9 - 6e8 * slow,
                        reasons=HOT if slow > 0.05 else 0,
                    )
                return g.Load(
                    util=99 + slow,
                    active=0.80 - 0.42 * slow,
                    tensor=0.41 - 0.22 * slow,
                    used=58230,
                    dram=0.47 - 0.25 * slow,
                    watts=604 - 221 * slow,
                    link=1.6e10 - 8e9 * slow,
                    send=1.1e9 - 5.5e8 * slow,
                    receive=1.2e9 - 6e8 * slow,
                )

            def counts(time: float, old: bool = (node, index) == (0, 3)) -> g.Counts:
                return g.Counts(remap_corrected=2, remap_uncorrected=1) if old else g.Counts()

            gpus.append(
                g.simulate(g.H100, host, index, PCI[index], g.times(start - 200, end + 240, 10), load, rng, counts)
            )
        (place / f"dcgm_{host}.json").write_text(g.matrix(g.dcgm(gpus)))
    begin, stop, wall = g.local(start, zone), g.local(end, zone), g.span(end - start)
    nodes, tres = "jupiter-a[07-08,11]", "cpu=144,gres/gpu=12,mem=1440G,node=3"
    g.write(
        place / "sacct.psv",
        [
            "JobID|JobName|User|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|NodeList|ReqTRES|MaxRSS",
            f"2077514|oleaje-3d|mrebolledo|h100|COMPLETED|0:0|{begin}|{stop}|{wall}|01:30:00|3|{nodes}|{tres}|",
            f"2077514.batch|batch|||COMPLETED|0:0|{begin}|{stop}|{wall}||1|{hosts[0]}||22816K",
            f"2077514.extern|extern|||COMPLETED|0:0|{begin}|{stop}|{wall}||3|{nodes}||896K",
            f"2077514.0|python3|||COMPLETED|0:0|{g.local(start + 3, zone)}|{stop}|{g.span(end - start - 3)}||3|{nodes}||"
            "88120456K",
        ],
    )


def t04_bremse(place: Path, rng: Random) -> None:
    """Write a chain of equal training chunks, the later ones slowed by one node's power brake; no training log."""
    zone, start = 8.0, g.epoch("2026-03-05T01:22:37", 8)
    hosts, onset, factor = ("b200-r3-05", "b200-r3-06"), start + 3488, 2.57
    begin, chunks = start + 4, list[tuple[float, float, float]]()
    for _ in range(4):
        first = begin + rng.uniform(84, 93)
        work = 1291 * rng.gauss(1, 0.003)
        plain = min(work, max(0.0, onset - first))
        last = first + plain + (work - plain) * factor
        chunks.append((begin, first, last + 17))
        begin = last + 17 + rng.uniform(5, 9)
    end = chunks[-1][2] + 3
    gpus = []
    for node, host in enumerate(hosts):
        for index in range(8):

            def load(time: float, node: int = node) -> g.Load:
                braked = node == 1 and time >= onset
                chunk = next((c for c in chunks if c[0] <= time < c[2]), None)
                if chunk is None:
                    idle = g.IDLE | (g.HW_SLOW | g.HW_BRAKE if braked else 0)
                    return g.Load(reasons=idle)
                brake = g.HW_SLOW | g.HW_BRAKE if braked else 0
                if time < chunk[1]:
                    return g.Load(
                        util=5,
                        used=9120,
                        watts=236 if not braked else 201,
                        reasons=brake,
                        clock=585 if braked else None,
                    )
                if time > chunk[2] - 17:
                    return g.Load(util=0, used=148802, watts=224, reasons=brake, clock=585 if braked else None)
                if braked:
                    return g.Load(
                        util=99,
                        dram=0.21,
                        used=148802,
                        watts=388,
                        clock=600 + rng.choice((-15, 0, 0, 15)),
                        reasons=brake,
                    )
                if time >= onset:
                    return g.Load(util=100, dram=0.20, used=148802, watts=497)
                return g.Load(util=99, dram=0.46, used=148802, watts=914, clock=1905 + rng.choice((-30, 0, 15)))

            bus = f"00000000:{(27, 67, 82, 97, 157, 195, 209, 223)[index]:02X}:00.0"
            gpus.append(g.simulate(g.B200, host, index, bus, g.times(start - 420, end + 420, 30), load, rng))
    (place / "nvidia_gpu_exporter_range.json").write_text(g.matrix(g.exporter(gpus)))
    rows = ["JobID|JobName|Partition|QOS|AllocNodes|NTasks|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList"]

    def row(name: str, what: str, part: str, nodes: str, tasks: str, since: float, until: float, limit: str) -> None:
        rows.append(
            f"{name}|{what}|{part}|{nodes}|{tasks}|COMPLETED|0:0|{g.local(since, zone)}|{g.local(until, zone)}|"
            f"{g.span(math.floor(until) - math.floor(since))}|{limit}|"
            f"{hosts[0] if nodes == '1' else 'b200-r3-[05-06]'}"
        )

    row("118820", "ds-zh-moe-sft", "b200|normal", "2", "", start, end, "08:00:00")
    row("118820.batch", "batch", "|", "1", "1", start, end, "")
    row("118820.extern", "extern", "|", "2", "2", start, end, "")
    for number, (since, _, until) in enumerate(chunks):
        row(f"118820.{number}", f"ds-400it-part{number + 1}", "|", "2", "16", since, until, "")
    g.write(place / "sacct.txt", rows)
    for node, host in enumerate(hosts):

        def stamp(offset: float, name: str = host) -> str:
            return g.local(start + offset, zone, "%b %e %H:%M:%S ") + name

        lines = [
            f"{stamp(-3607)} systemd[1]: Starting logrotate.service - Rotate log files...",
            f"{stamp(-3606)} systemd[1]: logrotate.service: Deactivated successfully.",
            f"{stamp(3)} kernel: nvidia-uvm: Loaded the UVM driver, major device number 234.",
        ]
        if node == 1:
            lines += [
                f"{stamp(3484)} ipmievd[2719]: Power Supply sensor PSU4_Status - Power Supply AC lost Asserted",
                f"{stamp(3485)} ipmievd[2719]: Power Supply sensor PSU5_Status - Power Supply AC lost Asserted",
                f"{stamp(3485)} ipmievd[2719]: Power Unit sensor PSU_Redundancy - Non-Redundant: Insufficient "
                "Resources Asserted",
            ]
        lines.append(f"{stamp(end - start + 61)} systemd[1]: session-{488 + node}.scope: Deactivated successfully.")
        g.write(place / f"syslog_{host}.log", lines)


def t05_rowbad(place: Path, rng: Random) -> None:
    """Write a long run that an uncontained memory error ends."""
    zone, start = 0.0, g.epoch("2025-11-22T09:03:28", 0)
    host, first = "qx-gpu-118", start + 131
    fault, end = start + 31114, start + 31149
    lines: list[str] = []

    def say(when: float, rank: int, text: str) -> None:
        lines.append(f"{g.local(when, zone, '%Y-%m-%d %H:%M:%S')} r{rank} | {text}")

    pids = [2214090 + rank * 9 + rng.randrange(5) for rank in range(8)]
    for rank in range(8):
        say(start + 17 + rank * 0.1, rank, f"up, pid {pids[rank]}, device cuda:{rank}, host {host}")
    say(start + 19, 0, "killing 3 stale prefetch workers left by the warm-up pass (expected)")
    say(start + 20, 0, "panic dump armed -> /scratch/tern/dumps ; fatal-loss guard at 40.0")
    say(start + 96, 0, "corpus: 611 shards, 88.2 G tokens; model tern-s 2.9 B")
    save_at, now, step, saves = first + 3600, first, 0, list[float]()
    odd = {
        4100: (3, "error reading shard 0419: connection reset by peer; retry 1/5 ok"),
        9050: (6, "FATAL? grad scale probe saw inf in a dry pass, probe discarded, real pass clean"),
        15200: (1, "dead worker in loader pool respawned, 0 samples lost"),
        20750: (2, "OOM guard: 9.8 GiB spare, no action"),
    }
    while True:
        now += 1.473 * 40 * rng.gauss(1, 0.006)
        if now >= fault:
            break
        step += 40
        loss = 2.03 + 6.1 * math.exp(-step / 420) + 1.6 * math.exp(-step / 5200)
        for rank in range(8):
            say(
                now + rank * 0.02,
                rank,
                f"it {step:6d} loss {loss + rng.gauss(0, 0.03):.4f} gn "
                f"{0.42 + 2 * math.exp(-step / 300) + abs(rng.gauss(0, 0.04)):.3f} lr {3e-4 * min(1, step / 800):.2e} "
                f"it/s {1 / 1.473 * rng.gauss(1, 0.006):.3f} mem {66.1 + rank * 0.02:.2f}G",
            )
        for at in [at for at in odd if start + at < now]:
            rank, text = odd.pop(at)
            say(now + 1, rank, text)
        if now > save_at:
            say(now + 1, 0, f"saved tern-{step}.ckpt (21.7 s)")
            saves.append(now)
            now += 22
            save_at += 3600
    for text in (
        "Traceback (most recent call last):",
        '  File "/home/oduya/tern/loop.py", line 288, in <module>',
        "    main(parse())",
        '  File "/home/oduya/tern/loop.py", line 241, in main',
        "    gn = clip(model, 1.0).item()",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
        "might be incorrect.",
    ):
        say(fault + 2, 5, text)
    lines += [
        f"srun: error: {host}: task 5: Exited with exit code 1",
        "srun: Terminating StepId=66120.0",
        f"slurmstepd: error: *** STEP 66120.0 ON {host} CANCELLED AT {g.local(fault + 4, zone)} ***",
        *(f"srun: error: {host}: task {rank}: Terminated" for rank in (0, 1, 2, 3, 4, 6, 7)),
    ]
    g.write(place / "tern-66120.log", lines)
    gpus = []
    for index in range(8):

        def load(time: float, index: int = index) -> g.Load:
            if time < start + 12 or time > end - 4 or (index == 5 and time > fault + 5):
                return g.Load()
            if time < first:
                return g.Load(util=2, used=4480, watts=119)
            if time > fault:
                return g.Load(util=100 if time < fault + 20 else 0, used=71344, watts=263)
            if any(0 <= time - save < 22 for save in saves):
                return g.Load(util=100 if index else 0, dram=0.01, used=71344, watts=171)
            return g.Load(util=98, dram=0.43, used=71344, watts=641)

        def counts(time: float, index: int = index) -> g.Counts:
            return g.Counts(corrected=2 if index == 2 else 0, uncorrected=1 if index == 5 and time >= fault else 0)

        gpus.append(g.simulate(g.H100, host, index, PCI[index], g.times(start - 600, end + 600, 30), load, rng, counts))
    g.smi(
        place / f"nvidia-smi_{host}.csv",
        gpus,
        [
            "index",
            "pci.bus_id",
            "temperature.gpu",
            "utilization.gpu [%]",
            "utilization.memory [%]",
            "memory.used [MiB]",
            "power.draw [W]",
            "clocks.current.sm [MHz]",
            "clocks_event_reasons.active",
            "ecc.errors.corrected.volatile.total",
            "ecc.errors.uncorrected.volatile.total",
        ],
        zone,
        rng,
    )
    wall = g.span(end - start)
    g.write(
        place / "scontrol_show_job.txt",
        [
            "JobId=66120 JobName=tern-s",
            "   UserId=oduya(5113) GroupId=nlp(5000) MCS_label=N/A",
            "   Priority=20811 Nice=0 Account=nlp QOS=normal",
            "   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0",
            f"   RunTime={wall} TimeLimit=1-00:00:00 TimeMin=N/A",
            f"   SubmitTime={g.local(start - 95, zone)} EligibleTime={g.local(start - 95, zone)}",
            f"   StartTime={g.local(start, zone)} EndTime={g.local(end, zone)} Deadline=N/A",
            "   Partition=h100 AllocNode:Sid=login2:99120",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            f"   NodeList={host}",
            f"   BatchHost={host}",
            "   NumNodes=1 NumCPUs=96 NumTasks=8 CPUs/Task=12",
            "   TRES=cpu=96,mem=1500G,node=1,billing=96,gres/gpu=8",
            "   Command=/home/oduya/tern/go.sbatch",
            "   WorkDir=/home/oduya/tern",
            "   StdOut=/home/oduya/tern/tern-66120.log",
        ],
    )

    def kernel(offset: float, text: str) -> str:
        return (
            f"{g.local(fault + offset, zone, '%b %d %H:%M:%S')} {host} kernel: "
            f"[{4410228.118 + fault - start + offset:.6f}] {text}"
        )

    g.write(
        place / f"syslog_{host}.log",
        [
            f"{g.local(start - 7000, zone, '%b %d %H:%M:%S')} {host} chronyd[1301]: Selected source 10.4.0.3",
            kernel(-31110, "nvidia-uvm: Loaded the UVM driver, major device number 236."),
            f"{g.local(start + 12802, zone, '%b %d %H:%M:%S')} {host} systemd[1]: Starting Cleanup of Temporary "
            "Directories...",
            f"{g.local(start + 12802, zone, '%b %d %H:%M:%S')} {host} systemd[1]: Finished Cleanup of Temporary "
            "Directories.",
            kernel(
                0.2, "NVRM: Xid (PCI:0000:ab:00): 48, pid='<unknown>', name=<unknown>, DBE (double bit error) ECC Error"
            ),
            kernel(
                0.3,
                "NVRM: Xid (PCI:0000:ab:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row "
                "(0x00000000032b9a1f) marked for remapping, reset gpu to activate.",
            ),
            kernel(
                0.4,
                f"NVRM: Xid (PCI:0000:ab:00): 95, pid={pids[5]}, name=python3, Uncontained: FBHUB. RST: Yes, D-RST: No",
            ),
            kernel(
                0.5,
                "NVRM: Xid (PCI:0000:ab:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 "
                "(GPU Reset Required)",
            ),
            f"{g.local(end + 40, zone, '%b %d %H:%M:%S')} {host} systemd[1]: Started Session 9034 of User telemetry.",
        ],
    )


def t06_pods(place: Path, rng: Random) -> None:
    """Write a sound two-node run under Kubernetes."""
    zone, start = -8.0, g.epoch("2026-02-19T18:35:02", -8)
    hosts, first, epochs, batches = ("aks-a100-000003", "aks-a100-000007"), start + 104, 16, 1140
    lines: list[str] = []

    def say(when: float, text: str, stream: str = "stdout") -> None:
        when += 0.437 + len(lines) * 173e-6
        nano = int(when % 1 * 1e6) * 1000 + rng.randrange(1000)
        lines.append(f"{g.local(when, zone)}.{nano:09d}-08:00 {stream} F {text}")

    say(start + 31, "Using bfloat16 Automatic Mixed Precision (AMP)", "stderr")
    say(start + 31, "GPU available: True (cuda), used: True", "stderr")
    say(start + 31, "TPU available: False, using: 0 TPU cores", "stderr")
    say(start + 42, "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16", "stderr")
    for text in (
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 16 processes",
        "-" * 100,
    ):
        say(start + 58, text, "stderr")
    for text in (
        "  | Name     | Type              | Params | Mode ",
        "-" * 52,
        "0 | backbone | SwinTransformer3D | 88.4 M | train",
        "1 | neck     | FeaturePyramid    | 6.1 M  | train",
        "2 | head     | ConvSeg           | 1.9 M  | train",
        "-" * 52,
        "96.4 M    Trainable params",
        "0         Non-trainable params",
        "96.4 M    Total params",
        "385.600   Total estimated model params size (MB)",
    ):
        say(start + 71, text, "stderr")
    now, spans = first, list[tuple[float, float]]()
    for epoch in range(epochs):
        begin = now
        for part in (190, 380, 570, 760, 950, 1140):
            now = begin + part * 0.5063 * rng.gauss(1, 0.003)
            done = epoch + part / batches
            train = 0.118 + 0.69 * math.exp(-done / 2.1) + 0.12 * math.exp(-done / 8) + rng.gauss(0, 0.008)
            spent, left = now - begin, (now - begin) * (batches - part) / part
            bar = "█" * (part * 10 // batches)
            say(
                now,
                f"Epoch {epoch}: {part * 100 // batches:3d}%|{bar:<10s}| {part}/{batches} "
                f"[{int(spent) // 60:02d}:{int(spent) % 60:02d}<{int(left) // 60:02d}:{int(left) % 60:02d},  "
                f"{part / spent:.2f}it/s, v_num=kq7d, train/loss={train:.3f}]",
                "stderr",
            )
        spans.append((now, now + 47))
        now += 47 * rng.gauss(1, 0.01)
        done = epoch + 1
        valid = 0.131 + 0.61 * math.exp(-done / 2.1) + 0.11 * math.exp(-done / 8) + rng.gauss(0, 0.004)
        say(
            now,
            f"Epoch {epoch}, global step {done * batches}: 'val/loss' reached {valid:.5f}, saving model to "
            f"'/mnt/out/organ/epoch={epoch}-dice={0.93 - valid * 0.5:.3f}.ckpt' as top 3",
        )
        now += 4
    say(now + 2, f"`Trainer.fit` stopped: `max_epochs={epochs}` reached.", "stderr")
    say(now + 6, "best checkpoint uploaded, exiting")
    g.write(place / "logs" / "organ-seg-master-0_pytorch.log", lines)
    tail, lines = now, []
    say(start + 33, "Using bfloat16 Automatic Mixed Precision (AMP)", "stderr")
    for rank in range(8, 16):
        say(start + 43, f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/16", "stderr")
    g.write(place / "logs" / "organ-seg-worker-0_pytorch.log", lines)
    end = tail + 14
    columns = [
        "index",
        "uuid",
        "name",
        "temperature.gpu",
        "utilization.gpu [%]",
        "utilization.memory [%]",
        "memory.used [MiB]",
        "memory.total [MiB]",
        "power.draw [W]",
        "clocks.current.sm [MHz]",
        "clocks_throttle_reasons.active",
        "ecc.errors.uncorrected.volatile.total",
    ]

    def load(time: float) -> g.Load:
        if time < start + 24 or time > end - 5:
            return g.Load()
        if time < first or time > tail:
            return g.Load(util=1, used=2870, watts=86)
        if any(a <= time < b for a, b in spans):
            return g.Load(util=88, dram=0.31, used=61208, watts=241)
        return g.Load(util=97, dram=0.47, used=61208, watts=342)

    for node, host in enumerate(hosts):
        gpus = [
            g.simulate(g.A100, host, index, AMPERE[index], g.times(start - 300, end + 300, 15), load, rng)
            for index in range(8)
        ]
        g.smi(place / f"nvidia-smi-{host}.csv", gpus, columns, zone, rng)
        for when in ("before", "after"):
            g.write(
                place / f"remapped-rows-{host}-{when}.csv",
                [
                    "gpu_uuid, remapped_rows.correctable, remapped_rows.uncorrectable, remapped_rows.pending, "
                    "remapped_rows.failure",
                    *(
                        f"{gpu.uuid}, {4 if (node, gpu.index) == (1, 6) else 0}, {2 if (node, gpu.index) == (0, 1) else 0}, "
                        "No, No"
                        for gpu in gpus
                    ),
                ],
            )

    def zulu(when: float) -> str:
        return g.local(when, 0, "%Y-%m-%dT%H:%M:%SZ")

    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "organ-seg", "namespace": "imaging", "creationTimestamp": zulu(start - 9)},
        "spec": {
            "runPolicy": {"cleanPodPolicy": "None", "backoffLimit": 0},
            "pytorchReplicaSpecs": {kind: {"replicas": 1, "restartPolicy": "Never"} for kind in ("Master", "Worker")},
        },
        "status": {
            "startTime": zulu(start - 8),
            "completionTime": zulu(end + 2),
            "conditions": [
                {
                    "type": "Created",
                    "status": "True",
                    "reason": "PyTorchJobCreated",
                    "lastTransitionTime": zulu(start - 9),
                },
                {
                    "type": "Running",
                    "status": "False",
                    "reason": "PyTorchJobRunning",
                    "lastTransitionTime": zulu(start + 3),
                },
                {
                    "type": "Succeeded",
                    "status": "True",
                    "reason": "PyTorchJobSucceeded",
                    "lastTransitionTime": zulu(end + 2),
                    "message": "PyTorchJob organ-seg is successfully completed.",
                },
            ],
            "replicaStatuses": {"Master": {"succeeded": 1}, "Worker": {"succeeded": 1}},
        },
    }
    (place / "pytorchjob.json").write_text(json.dumps(job, indent=2) + "\n")
    pods = [
        {
            "metadata": {
                "name": f"organ-seg-{kind}-0",
                "namespace": "imaging",
                "labels": {"training.kubeflow.org/job-name": "organ-seg"},
            },
            "spec": {
                "nodeName": host,
                "containers": [{"name": "pytorch", "resources": {"limits": {"nvidia.com/gpu": "8"}}}],
            },
            "status": {
                "phase": "Succeeded",
                "startTime": zulu(start),
                "containerStatuses": [
                    {
                        "name": "pytorch",
                        "restartCount": 0,
                        "state": {
                            "terminated": {
                                "exitCode": 0,
                                "reason": "Completed",
                                "startedAt": zulu(start + 3),
                                "finishedAt": zulu(end),
                            }
                        },
                    }
                ],
            },
        }
        for kind, host in zip(("master", "worker"), hosts, strict=True)
    ]
    (place / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}, indent=2) + "\n")


def t07_lueftung(place: Path, rng: Random) -> None:
    """Write a run on passively cooled cards, one chassis of which loses its air; the scrapes have holes."""
    zone, start = 0.0, g.epoch("2026-01-28T14:52:10", 0)
    hosts, first, onset, total = ("edge-l4-02", "edge-l4-09"), start + 143, start + 2290, 980
    lines: list[str] = []

    def say(when: float, text: str) -> None:
        when += 0.218 + len(lines) * 1e-5
        lines.append(
            f"I{g.local(when, zone, '%m%d %H:%M:%S')}.{int(when % 1 * 1e6):06d} {140233908274176} "
            f"max_logging.py:29] {text}"
        )

    say(start + 22, "Initializing distributed JAX for 8 GPU devices")
    say(
        start + 31,
        "Devices: [CudaDevice(id=0), CudaDevice(id=1), CudaDevice(id=2), CudaDevice(id=3), "
        "CudaDevice(id=4), CudaDevice(id=5), CudaDevice(id=6), CudaDevice(id=7)] (num_devices: 8)",
    )
    say(start + 33, "Decided on mesh: Mesh('data': 1, 'fsdp': 8, 'tensor': 1, 'sequence': 1)")
    say(start + 34, "Config param run_name: lerche-410m")
    say(start + 34, f"Config param steps: {total}")
    say(start + 34, "Config param per_device_batch_size: 6.0")
    say(start + 34, "Config param max_target_length: 1024")
    say(start + 61, "number parameters: 0.413 billion")
    say(start + 62, "No existing checkpoints found, not restoring checkpoint.")
    now, saves = first, list[float]()
    for step in range(total):
        slow = g.ramp(now, onset, 420)
        took = (3.905 + 5.72 * slow) * rng.gauss(1, 0.004 + 0.018 * slow) + (38.6 if step == 0 else 0)
        now += took
        loss = 3.38 + 6.5 * math.exp(-step / 74) + 0.95 * math.exp(-step / 610) + rng.gauss(0, 0.02)
        say(
            now,
            f"completed step: {step}, seconds: {took:.3f}, TFLOP/s/device: {66.112 / took:.3f}, "
            f"Tokens/s/device: {6144 / took:.3f}, total_weights: 49152, loss: {loss:.3f}",
        )
        if (step and step % 300 == 0) or step == total - 1:
            say(now + 0.4, f"saved a checkpoint at step {step}")
            saves.append(now)
            now += 8
    end = now + 16
    g.write(place / "maxtext_lerche-410m.log", lines)
    gpus = []
    gaps = {
        0: ((start + 1210, start + 1405), (start + 4490, start + 4720)),
        1: ((start + 640, start + 700), (start + 3005, start + 3390), (start + 4490, start + 4720)),
    }
    for node, host in enumerate(hosts):
        for index in range(4):
            worst = (0.0, 1.2, 1.9, 0.6)[index]

            def load(time: float, node: int = node, worst: float = worst) -> g.Load:
                heat = 29 + 60 * g.ramp(time, onset - 420, 460) if node else None
                if time < start + 26 or time > end - 9:
                    warm = 53.0 + worst if node and time > onset else None
                    return g.Load(celsius=warm)
                slow = g.ramp(time, onset, 420) if node else 0.0
                late = g.ramp(time, onset, 420)
                celsius = None
                if node and heat is not None and time > onset - 420:
                    celsius = max(66.5, min(heat + worst, 88.0 + worst))
                if time < first:
                    return g.Load(util=1, used=20650, watts=29)
                if any(0 <= time - save < 8 for save in saves):
                    return g.Load(util=6, active=0.02, used=20650, watts=34, celsius=celsius)
                if node:
                    reasons = g.POWER_CAP if slow == 0 else g.SW_THERMAL if slow < 0.35 else HOT | g.SW_THERMAL
                    clock = 1395 - 900 * slow + rng.choice((-45, -15, 0, 30)) * (1 if slow < 0.3 else 0.6)
                    return g.Load(
                        util=99,
                        active=0.87 + 0.06 * slow,
                        tensor=0.39 - 0.23 * slow,
                        dram=0.62 - 0.34 * slow,
                        used=20650,
                        watts=71.8 - 36.5 * slow,
                        clock=clock,
                        celsius=celsius,
                        reasons=reasons,
                        send=3.1e9 - 1.8e9 * slow,
                        receive=3.2e9 - 1.8e9 * slow,
                    )
                clock = 1410 + rng.choice((-30, -15, 0, 15, 45)) if late < 0.2 else 1410 + 630 * late
                return g.Load(
                    util=99 + late,
                    active=0.87 - 0.53 * late,
                    tensor=0.39 - 0.23 * late,
                    dram=0.62 - 0.36 * late,
                    used=20650,
                    watts=71.8 - 29 * late,
                    clock=min(clock, 2040),
                    reasons=g.POWER_CAP if late < 0.2 else 0,
                    send=3.1e9 - 1.8e9 * late,
                    receive=3.2e9 - 1.8e9 * late,
                )

            gpu = g.simulate(
                g.L4,
                host,
                index,
                f"00000000:{(33, 65, 161, 193)[index]:02X}:00.0",
                g.times(start - 600, end + 480, 30),
                load,
                rng,
            )
            gpu.samples = [s for s in gpu.samples if not any(a <= s.time < b for a, b in gaps[node])]
            gpus.append(gpu)
    for name in g.DCGM:
        shown = name.replace("CLOCK_THROTTLE", "CLOCKS_EVENT")
        found = g.dcgm(gpus, only=name, rename={name: shown})
        if found:
            (place / "prometheus").mkdir(exist_ok=True)
            (place / "prometheus" / f"{shown}.json").write_text(g.matrix(found))

    def number(value: int) -> dict[str, object]:
        return {"set": True, "infinite": False, "number": value}

    since, until = int(start), int(end)
    good = {"status": ["SUCCESS"], "return_code": number(0), "signal": {"id": number(0), "name": ""}}
    times = {"elapsed": until - since, "start": since, "end": until, "suspended": 0}
    tres = [
        {"type": "cpu", "name": "", "id": 1, "count": 96},
        {"type": "mem", "name": "", "id": 2, "count": 524288},
        {"type": "node", "name": "", "id": 4, "count": 2},
        {"type": "gres", "name": "gpu", "id": 1001, "count": 8},
    ]
    job = {
        "account": "sprache",
        "job_id": 30417,
        "name": "lerche-410m",
        "partition": "edge",
        "user": "tvogt",
        "cluster": "kanal",
        "nodes": "edge-l4-[02,09]",
        "allocation_nodes": 2,
        "qos": "normal",
        "restart_cnt": 0,
        "state": {"current": ["COMPLETED"], "reason": "None"},
        "exit_code": good,
        "derived_exit_code": good,
        "submission_line": "sbatch lerche.sh",
        "tres": {"allocated": tres, "requested": tres},
        "time": {**times, "eligible": since - 31, "submission": since - 31, "limit": number(360)},
        "steps": [
            {
                "step": {"id": f"30417.{step}", "name": name},
                "state": ["COMPLETED"],
                "exit_code": good,
                "nodes": {"count": count, "range": nodes},
                "tasks": {"count": count},
                "time": {"elapsed": until - since, "start": number(since), "end": number(until)},
            }
            for step, name, count, nodes in (
                ("batch", "batch", 1, "edge-l4-02"),
                ("0", "python3", 2, "edge-l4-[02,09]"),
            )
        ],
    }
    answer = {
        "jobs": [job],
        "meta": {
            "plugin": {"type": "openapi/slurmdbd", "data_parser": "data_parser/v0.0.41"},
            "slurm": {
                "version": {"major": "24", "minor": "05", "micro": "4"},
                "release": "24.05.4",
                "cluster": "kanal",
            },
        },
        "errors": [],
        "warnings": [],
    }
    (place / "sacct.json").write_text(json.dumps(answer, indent=1) + "\n")


def t08_hanabi(place: Path, rng: Random) -> None:
    """Write a fine-tuning run that blows up a third of the way in and never comes back, yet ends as planned."""
    zone, start = 9.0, g.epoch("2026-04-11T20:31:55", 9)
    host, first, total, burst = "kumo-l40s-3", start + 79, 1540, 520
    lines: list[str] = []

    def info(when: float, where: str, text: str) -> None:
        shown = f"{g.local(when, zone, '%Y-%m-%d %H:%M:%S')},{(211 + 3 * len(lines)) % 1000:03d}"
        lines.append(f"[INFO|{where}] {shown} >> {text}")

    info(
        start + 38,
        "modeling_utils.py:4800",
        "All model checkpoint weights were used when initializing GPTNeoXForCausalLM.",
    )
    info(start + 70, "trainer.py:2414", "***** Running training *****")
    for text in (
        "  Num examples = 49,280",
        "  Num Epochs = 1",
        "  Instantaneous batch size per device = 4",
        "  Total train batch size (w. parallel, distributed & accumulation) = 32",
        "  Gradient Accumulation steps = 4",
        f"  Total optimization steps = {total:,}",
        "  Number of trainable parameters = 1,311,625,216",
    ):
        info(start + 70, f"trainer.py:{2415 + len(lines)}", text)
    now, pauses = first, list[tuple[float, float]]()
    for step in range(1, total + 1):
        now += 2.036 * rng.gauss(1, 0.01)
        rate = 7e-4 * (step / 60 if step < 60 else 1 - 0.5 * (step - 60) / (total - 60))
        if step <= burst:
            loss = 1.94 + 1.15 * math.exp(-step / 90) + rng.gauss(0, 0.035)
            norm = 1.1 + 2.4 * math.exp(-step / 60) + abs(rng.gauss(0, 0.2))
            if step > burst - 30:
                norm *= 1 + (step - burst + 30) / 7
        else:
            past = step - burst
            loss = 7.31 + 4.4 * math.exp(-past / 45) - 5.6 * math.exp(-past / 9) + rng.gauss(0, 0.06)
            norm = 0.9 + 212 * math.exp(-past / 22) + abs(rng.gauss(0, 0.5))
        if step % 10 == 0:
            lines.append(
                str(
                    {
                        "loss": round(loss, 4),
                        "grad_norm": round(norm, 6) + rng.randrange(10**9) * 1e-15,
                        "learning_rate": rate,
                        "epoch": round(step / total, 2),
                    }
                )
            )
        if step in (500, 1000, 1500, 1540):
            spent = 27.4 + rng.uniform(-1, 1)
            valid = {500: 1.9713, 1000: 7.3328, 1500: 7.3194, 1540: 7.3187}[step]
            if step != 1540:
                info(now + 0.1, "trainer.py:4258", "***** Running Evaluation *****")
                info(now + 0.1, "trainer.py:4260", "  Num examples = 1200")
                lines.append(
                    str(
                        {
                            "eval_loss": valid,
                            "eval_runtime": round(spent, 4),
                            "eval_samples_per_second": round(1200 / spent, 3),
                            "eval_steps_per_second": round(150 / spent, 3),
                            "epoch": round(step / total, 2),
                        }
                    )
                )
                pauses.append((now, now + spent))
                now += spent
            info(now, "trainer.py:3944", f"Saving model checkpoint to ./out-neox-ja/checkpoint-{step}")
            now += 14
    info(now + 1, "trainer.py:2681", "")
    lines += ["", "Training completed. Do not forget to share your model on huggingface.co/models =)", "", ""]
    lines.append(
        str(
            {
                "train_runtime": round(now - first, 4),
                "train_samples_per_second": round(49280 / (now - first), 3),
                "train_steps_per_second": round(total / (now - first), 3),
                "train_loss": 5.6420,
                "epoch": 1.0,
            }
        )
    )
    lines.append(
        "100%|██████████| 1540/1540 [" + f"{int(now - first) // 60}:{int(now - first) % 60:02d}"
        f"<00:00,  {(now - first) / total:.2f}s/it]"
    )
    g.write(place / "train.out", lines)
    tail, end = now, now + 61
    gpus = []
    for index in range(2):

        def load(time: float, index: int = index) -> g.Load:
            if time < start + 20 or time > end - 3:
                return g.Load()
            if time < first:
                return g.Load(util=0, used=6120, watts=82)
            if time > tail:
                return g.Load(util=0 if index == 0 else 100, used=42290, watts=83 if index == 0 else 118)
            for a, b in pauses:
                if a <= time < b:
                    return g.Load(util=94, dram=0.48, used=42290, watts=281, clock=2505)
                if b <= time < b + 14:
                    return g.Load(util=0 if index == 0 else 100, dram=0.01, used=42290, watts=86 if index == 0 else 121)
            return g.Load(util=98, dram=0.63, used=42290, watts=327, clock=2430 + rng.choice((-45, -15, 0, 0, 30)))

        gpus.append(
            g.simulate(
                g.L40S,
                host,
                index,
                ("00000000:3D:00.0", "00000000:E1:00.0")[index],
                g.times(start - 120, end + 150, 5),
                load,
                rng,
            )
        )
    g.smi(
        place / f"{host}_gpu.csv",
        gpus,
        [
            "index",
            "name",
            "pci.bus_id",
            "utilization.gpu [%]",
            "utilization.memory [%]",
            "memory.used [MiB]",
            "memory.total [MiB]",
            "temperature.gpu",
            "power.draw [W]",
            "clocks.current.sm [MHz]",
            "clocks.current.memory [MHz]",
            "clocks_event_reasons.active",
            "ecc.errors.uncorrected.volatile.total",
        ],
        zone,
        rng,
    )
    begin, stop, wall = g.local(start, zone), g.local(end, zone), g.span(math.floor(end) - start)
    g.write(
        place / "sacct_P.txt",
        [
            "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|MaxRSS|NodeList",
            f"7741|neox-ja-ft|h-sakurada|l40s|COMPLETED|0:0|{g.local(start - 6, zone)}|{begin}|{stop}|{wall}|04:00:00|"
            f"1|32||{host}",
            f"7741.batch|batch|||COMPLETED|0:0|{begin}|{begin}|{stop}|{wall}||1|32|61288104K|{host}",
            f"7741.extern|extern|||COMPLETED|0:0|{begin}|{begin}|{stop}|{wall}||1|32|1004K|{host}",
        ],
    )

    def told(offset: float, text: str) -> str:
        return f"[{g.local(start + offset, zone, '%a %b %e %H:%M:%S %Y')}] {text}"

    g.write(
        place / f"dmesg_T_{host}.txt",
        [
            told(-1730441, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  560.35.05  Fri Sep 26 15:04:11 UTC 2025"),
            told(-1730412, "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none."),
            told(
                -402118,
                "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
            ),
            told(
                -88.4,
                "systemd-journald[812]: Data hash table of /run/log/journal/5a2c/system.journal has a fill "
                "level at 75.0, suggesting rotation.",
            ),
        ],
    )

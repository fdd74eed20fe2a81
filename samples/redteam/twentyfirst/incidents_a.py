"""Incidents t01 to t06 of the twenty-first set, as the lots have them. SIMULATED."""

from __future__ import annotations

import json
import math
from random import Random
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, hms
from samples.redteam.twentieth.rig import clock, epoch, put

from .rig_incidents import (
    FREE,
    Park,
    Row,
    Work,
    at_phase,
    bare,
    calm,
    dmon,
    kernel,
    learn,
    matrix,
    milli,
    part,
    smi_exporter,
    uuid_only,
)

if TYPE_CHECKING:
    from pathlib import Path


def t01_hgx(place: Path, rng: Random) -> None:
    """G1: Lightning on three nodes, eight epochs as planned; no accounting (so no earlier attempt in it either)."""
    east, nodes = -300, ["hgx07", "hgx08", "hgx11"]
    t = start = epoch("2026-11-03 09:02:11", east)
    out = [
        clock(t, east, "%a %b %e %H:%M:%S EST %Y"),
        "SLURM_JOB_ID=88412 SLURM_JOB_NODELIST=hgx[07-08,11] SLURM_NTASKS=12",
        "[rank: 0] Seed set to 1234",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
    ]
    order = list(range(12))
    rng.shuffle(order)
    out += [f"[rank: {r}] Seed set to 1234" for r in order if r]
    out += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/12" for r in order]
    dash = "-" * 100
    out += [
        dash,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 12 processes",
        dash,
        "",
    ]
    out += [f"LOCAL_RANK: {r % 4} - CUDA_VISIBLE_DEVICES: [0,1,2,3]" for r in sorted(order, key=lambda _: rng.random())]
    out += [
        "",
        "  | Name      | Type              | Params | Mode ",
        "---------------------------------------------------------",
        "0 | encoder   | SwinUNETREncoder  | 61.9 M | train",
        "1 | decoder   | UNetDecoder       | 27.4 M | train",
        "2 | criterion | DiceCELoss        | 0      | train",
        "3 | dice      | MulticlassF1Score | 0      | train",
        "---------------------------------------------------------",
        "89.3 M    Trainable params",
        "0         Non-trainable params",
        "89.3 M    Total params",
        "357.233   Total estimated model params size (MB)",
        "412       Modules in train mode",
        "0         Modules in eval mode",
        "SLURM auto-requeueing enabled. Setting signal handlers.",
        "/opt/envs/seg/lib/python3.11/site-packages/torch/utils/data/dataloader.py:557: UserWarning: This DataLoader will create 16 worker processes in total. Our suggested max number of worker in current system is 12, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
        "",
    ]
    t += 71
    phases = [(start + 26, FREE), (t, Work(mib=2900))]
    sanity = (
        "\rSanity Checking: |          | 0/? [00:00<?, ?it/s]\rSanity Checking DataLoader 0: 100%|██████████| 2/2 [00:03<00:00,  0.61it/s]\r"
        + " " * 80
    )
    out.append(sanity)
    total, best, text, bits = 702, 9.0, "", []
    for epoch_ in range(8):
        begin, last, val = t, 0.0, ""
        for step in range(1, total + 1):
            t += max(0.3, rng.gauss(0.474, 0.012)) + (9 if step == 1 and epoch_ == 0 else 2.2 if step == 1 else 0)
            if step % 78 == 0:
                at = epoch_ * total + step
                last = learn(rng, at, 1.62, 0.19, 420, 0.05)
                done = t - begin
                bits.append(
                    f"\rEpoch {epoch_}: {100 * step // total:3d}%|{bar(step, total)}| {step}/{total} [{hms(done)}<{hms(done / step * (total - step))},"
                    f"  {step / done:.2f}it/s, v_num=88412, train/loss_step={last:.3f}{text}]"
                )
        phases.append((t, Work(0.97, 0.74, 0.33, 0.52, 61200, 1300, 420)))
        t += rng.uniform(17, 19)
        phases.append((t, Work(0.71, 0.48, 0.2, 0.33, 61200, 700, 190)))
        vloss = learn(rng, (epoch_ + 1) * total, 1.5, 0.235, 420, 0.012)
        dice = 0.94 - 0.42 * (vloss - 0.2)
        val = f", val/loss={vloss:.3f}, val/dice={dice:.3f}, train/loss_epoch={learn(rng, (epoch_ + 0.6) * total, 1.62, 0.2, 420, 0.01):.3f}"
        text = val
        bits.append(
            "\n\rValidation: |          | 0/? [00:00<?, ?it/s]\rValidation DataLoader 0: 100%|██████████| 54/54 [00:17<00:00,  3.05it/s]\x1b[A"
        )
        bits.append(
            f"\rEpoch {epoch_}: 100%|██████████| {total}/{total} [{hms(t - begin)}<00:00,  {total / (t - begin):.2f}it/s, v_num=88412, train/loss_step={last:.3f}{text}]"
        )
        if vloss < best:
            best = vloss
            bits.append(
                f"\nEpoch {epoch_}, global step {(epoch_ + 1) * total}: 'val/loss' reached {vloss:.5f} (best {best:.5f}), saving model to '/work/seg/runs/88412/checkpoints/epoch={epoch_}-step={(epoch_ + 1) * total}.ckpt' as top 2\n"
            )
            t += 3.4
        else:
            bits.append(f"\nEpoch {epoch_}, global step {(epoch_ + 1) * total}: 'val/loss' was not in top 2\n")
        phases.append((t, Work(0.05, 0.01, 0, 0.01, 61200, 50, 300)))
    out.append("".join(bits))
    out += [
        "`Trainer.fit` stopped: `max_epochs=8` reached.",
        f"best: /work/seg/runs/88412/checkpoints val/loss={best:.4f}",
    ]
    t += 9
    phases.append((t, Work(mib=61200)))
    out.append(clock(t + 2, east, "%a %b %e %H:%M:%S EST %Y"))
    put(place, "slurm-88412.out", out)
    park = Park("H100", nodes, 4, lambda _n, _g, at: at_phase(phases, at), start - 120, t + 100, 5, 101)
    matrix(place, "dcgm_88412.json", park, bare(park, "dcgm", cluster="hgx"))
    for n, host in enumerate(nodes):
        lines = calm(Random(f"t01{n}"), start, park.of.driver)
        lines.append((start - 5012.73 - 40 * n, "nfs: server stor2 not responding, still trying"))
        lines.append((start - 4987.41 - 40 * n, "nfs: server stor2 OK"))
        kernel(place, f"kern-{host}.log", lines, "syslog", east, host)


def t02_shards(place: Path, rng: Random) -> None:
    """G1: a program that says next to nothing, eight consumer cards at their power limit; the pods are Completed."""
    nodes = ["ws-gpu-a", "ws-gpu-b", "ws-gpu-c", "ws-gpu-d"]
    start = epoch("2026-11-04 14:20:05", 0)
    pods, ends, marks = [], [], []
    for n in range(4):
        begin = start + rng.uniform(2, 6)
        ready = begin + rng.uniform(38, 44)
        thirds = [ready + 250 * i + rng.uniform(-2, 2) for i in (1, 2, 3)]
        end = thirds[2] + rng.uniform(7, 10)
        ends.append(end)
        marks.append((begin, ready, thirds))
        put(
            place,
            f"logs/fit-{n}.txt",
            [
                f"+ python3 -u fit.py --shard {n}/4 --gpus 2 --out /pvc/out",
                f"reading shard {n}: {41218 - 7 * n} files",
                "warm-up ok",
                *(f"pass {i}/3 done" for i in (1, 2, 3)),
                *([f"weights written to /pvc/out/final.safetensors ({1342177280 + 4096 * 7} bytes)"] if n == 0 else []),
                "bye",
            ],
        )
        iso = "%Y-%m-%dT%H:%M:%SZ"
        state = {
            "containerID": f"containerd://{rng.getrandbits(256):064x}",
            "exitCode": 0,
            "finishedAt": clock(end, 0, iso),
            "reason": "Completed",
            "startedAt": clock(begin, 0, iso),
        }
        pods.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "creationTimestamp": clock(start, 0, iso),
                    "labels": {"batch.kubernetes.io/job-completion-index": str(n), "job-name": "fit"},
                    "name": f"fit-{n}-{''.join(rng.choices('bcdfghjklmnpqrstvwxz2456789', k=5))}",
                    "namespace": "lab",
                },
                "spec": {
                    "containers": [
                        {
                            "image": "registry.lab/fit:0.9",
                            "name": "fit",
                            "resources": {"limits": {"nvidia.com/gpu": "2"}},
                        }
                    ],
                    "nodeName": nodes[n],
                    "restartPolicy": "Never",
                },
                "status": {
                    "containerStatuses": [
                        {"name": "fit", "ready": False, "restartCount": 0, "state": {"terminated": state}}
                    ],
                    "phase": "Succeeded",
                    "startTime": clock(start + 1, 0, iso),
                },
            }
        )
    put(
        place,
        "pods.json",
        json.dumps({"apiVersion": "v1", "items": pods, "kind": "List", "metadata": {"resourceVersion": ""}}, indent=4),
    )
    put(
        place,
        "get-pods.txt",
        ["NAME          READY   STATUS      RESTARTS   AGE"]
        + [f"{p['metadata']['name']:<11}   0/1     Completed   0          41m" for p in pods],
    )

    def work(n: int, g: int, at: float) -> Work:
        begin, ready, thirds = marks[n]
        if at < begin + 8 or at > ends[n]:
            return FREE
        if at < ready:
            return Work(0.02, 0, 0, 0.01, 3100, 900, 10)
        if at > thirds[2]:
            return Work(mib=20100)
        dip = any(0 < at - one < 9 for one in thirds)
        return Work(0.31, 0.1, 0.02, 0.1, 20100, 80, 40) if dip else Work(0.99, 0.95, 0.62, 0.74, 20100, 240, 160 - g)

    park = Park("4090", nodes, 2, work, start - 60, max(ends) + 80, 10, 102)
    matrix(place, "gpus.json", park, uuid_only(park), keep=lambda f: f != "TOTAL_ENERGY_CONSUMPTION")
    listing = []
    for n, host in enumerate(nodes):
        listing += [f"== {host}", *park.listing(n)]
    put(place, "nvidia-smi-L.txt", listing)


def t03_sft(place: Path, rng: Random) -> None:
    """cannot_decide: axolotl on two pods, quiet from step 1043 of 1240 on; memory freed, kernel calm, no pod left."""
    nodes = ["bw-node-3", "bw-node-6"]
    start = epoch("2026-11-05 06:01:40", 0)
    pid = 214

    def ax(t: float, where: str, said: str, rank: int = 0) -> str:
        return f"[{milli(t, 0)}] [INFO] [{where}] [PID:{pid + rank}] [RANK:{rank}] {said}"

    t = start + 21
    out = [
        ax(
            t,
            "axolotl.utils.data.sft.load_tokenized_prepared_datasets:218",
            "Loading prepared dataset from disk at last_run_prepared/5f2c1b0f3e6a7f58b7d7d5f1d1a3e9c4...",
        ),
        ax(
            t + 1.1,
            "axolotl.utils.data.sft.load_tokenized_prepared_datasets:224",
            "Prepared dataset loaded from disk...",
        ),
        ax(t + 2.0, "axolotl.utils.samplers.multipack.calc_min_len:436", "gather_len_batches: [4962, 4958]"),
        ax(
            t + 2.1,
            "axolotl.calculate_total_num_steps:402",
            "sample_packing_eff_est across ranks: [0.9881234, 0.9874311]",
        ),
        ax(t + 2.2, "axolotl.calculate_total_num_steps:413", "total_num_steps: 1240"),
        ax(t + 3.0, "axolotl.train.setup_model_and_tokenizer:62", "loading tokenizer... Qwen/Qwen3-8B-Base"),
        ax(t + 4.6, "axolotl.train.setup_model_and_tokenizer:78", "loading model"),
    ]
    out += [
        f"\rLoading checkpoint shards: {20 * i:3d}%|{bar(i, 5)}| {i}/5 [00:{2 * i:02d}<00:{10 - 2 * i:02d},  2.05s/it]"
        for i in range(6)
    ]
    t += 34
    out += [
        ax(t, "axolotl.train.setup_signal_handler:141", "Starting trainer..."),
        ax(t + 2, "axolotl.utils.samplers.multipack.__len__:462", "gather_len_batches: [4962, 4962]"),
    ]
    first = t = t + 9
    total, last, spans = 1240, 1043, []
    out.append(f"\r  0%|          | 0/{total} [00:00<?, ?it/s]")
    for step in range(1, last + 1):
        t += rng.gauss(1.612, 0.03) + (7.5 if step == 1 else 0)
        done = t - first
        pct = 100 * step // total
        if step % 5 == 0 or step == last:
            out.append(
                f"\r{pct:3d}%|{bar(step, total)}| {step}/{total} [{hms(done)}<{hms(1.61 * (total - step))},  {1.6 + rng.uniform(-0.02, 0.04):.2f}s/it]"
            )
        if step % 5 == 0:
            lr = 2e-5 * (step / 62 if step < 62 else 1 - 0.9 * ((step - 62) / 1178) ** 1.3)
            mem = "'memory/max_mem_active(gib)': 121.44, 'memory/max_mem_allocated(gib)': 121.44, 'memory/device_mem_reserved(gib)': 133.21, "
            out.append(
                f"{{'loss': {learn(rng, step, 1.38, 0.74, 60, 0.03):.4f}, 'grad_norm': {rng.gauss(0.62, 0.06):.4f}, 'learning_rate': {lr:.4e}, {mem}'epoch': {step / 620:.2f}}}"
            )
        if step % 310 == 0:
            spans.append((t, t + 24))
            t += 24.2
            loss = learn(rng, step, 1.3, 0.79, 60, 0.003)
            out.append(
                f"{{'eval_loss': {loss:.6f}, 'eval_runtime': 24.0931, 'eval_samples_per_second': 20.75, 'eval_steps_per_second': 10.376, 'epoch': {step / 620:.2f}}}"
            )
    put(place, "logs/sft-qwen-worker-0.log", out)
    put(
        place,
        "logs/sft-qwen-worker-1.log",
        [
            ax(
                start + 22,
                "axolotl.utils.data.sft.load_tokenized_prepared_datasets:218",
                "Loading prepared dataset from disk at last_run_prepared/5f2c1b0f3e6a7f58b7d7d5f1d1a3e9c4...",
                1,
            ),
            ax(
                start + 23,
                "axolotl.utils.data.sft.load_tokenized_prepared_datasets:224",
                "Prepared dataset loaded from disk...",
                1,
            ),
        ],
    )

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 25 or at > t + 1.5:
            return FREE
        if at < first + 6:
            return Work(0.01, 0, 0, 0, 40000 if at < first - 9 else 61000, 1800, 12)
        if any(a < at < b for a, b in spans):
            return Work(0.9, 0.66, 0.38, 0.3, 136000, 60, 60)
        return Work(0.99, 0.81, 0.46, 0.43, 136000, 95, 110)

    park = Park("B200", nodes, 1, work, start - 90, start + 37 * 60, 5, 103)
    for n, host in enumerate(nodes):
        dmon(place, f"dmon-{host}.txt", park, n, 0, "%Y-%m-%dT%H:%M:%S+0000")
        lines = calm(Random(f"t03{n}"), start, park.of.driver, kube=True, ib=False)
        veth = f"veth{Random(n).getrandbits(32):08x}"
        lines += [
            (start - 3, f"cni0: port 9({veth}) entered blocking state"),
            (start - 2.9, f"cni0: port 9({veth}) entered forwarding state"),
        ]
        lines += [
            (t + 3.2 + 0.7 * n, f"cni0: port 9({veth}) entered disabled state"),
            (t + 3.3 + 0.7 * n, f"{veth} (unregistering): left promiscuous mode"),
        ]
        kernel(place, f"dmesg-{host}.txt", lines, "dmesg -T", 0, host)


def t04_lento(place: Path, rng: Random) -> None:
    """B3: the air fails from the 38th minute on, all eight cards slow themselves down, steps take twice as long."""
    east, host = -300, "nodo-gpu2"
    start = epoch("2026-11-06 08:11:20", east)
    first = start + 64
    end = start + 93 * 60

    def air(t: float) -> float:
        return 25.0 + 45 * min(1.0, max(0.0, (t - start - 2280) / 1300))

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 20:
            return FREE
        return Work(mib=5200, rx=300) if at < first else Work(0.98, 0.84, 0.42, 0.55, 38900, 2100, 900)

    ticks = [start + 900 + rng.uniform(0, 4400) for _ in range(6)]

    def alter(_n: int, g: int, at: float, row: Row) -> Row:
        if g == 3:
            row["ECC_SBE_VOL_TOTAL"] = 2 + sum(one < at for one in ticks)
        return row

    park = Park("L40S", [host], 8, work, start - 150, end, 15, 104, alter=alter, air=air, hot=85)
    by = [dict(park.rows(0, g)) for g in range(8)]
    times = sorted(by[0])
    slowest = [min(one[at]["SM_CLOCK"] for one in by) for at in times]
    smi_exporter(place, "gpu_metrics.json", park)

    def pace(t: float) -> float:
        i = min(max(0, int((t - times[0]) // 15)), len(times) - 1)
        return 1.04 * (0.12 + 0.88 * 2340 / min(slowest[i], 2340))

    out = [
        f"{clock(start, east)} -05 | INFO | inicio: nodo-gpu2, 8 procesos, torch 2.3.1+cu121",
        f"{clock(start + 9, east)} -05 | INFO | conjunto de datos: 1 843 200 muestras, lote global 256",
        f"{clock(start + 41, east)} -05 | INFO | modelo: 412.6 M de parámetros, precisión bf16",
        f"{clock(first, east)} -05 | INFO | entrenamiento: 7200 pasos previstos, un punto de control cada 1000",
    ]
    t, step, since, mark = first, 0, first, 0
    while True:
        t += pace(t) * rng.gauss(1, 0.012) + (6 if step == 0 else 0)
        step += 1
        if t > end:
            break
        if step % 25 == 0:
            each = (t - since) / (step - mark)
            lr = 4e-4 * min(1, step / 400) * (1 - 0.6 * step / 7200)
            loss = learn(rng, step, 9.9, 2.35, 130, 0.011)
            out.append(
                f"{clock(t, east)} -05 | INFO | paso {step:>5}/7200 | pérdida {loss:.4f} | lr {lr:.3e} | {each:.3f} s/paso | {256 / each:.1f} muestras/s"
            )
            since, mark = t, step
        if step % 1000 == 0:
            out.append(
                f"{clock(t + 2, east)} -05 | INFO | punto de control guardado: /datos/exp17/paso_{step:06d}.pt (2.9 s)"
            )
            t += 3
            since = t
    put(place, "entrenamiento.log", out)
    lines = calm(Random("t04"), start, "525.147.05", ib=False)
    for i, cpu in enumerate((18, 50, 2, 34)):
        lines.append(
            (
                start + 3650 + 41.3 * i,
                f"mce: CPU{cpu}: Package temperature above threshold, cpu clock throttled (total events = {1 + 3 * i})",
            )
        )
        lines.append((start + 3650 + 41.3 * i + 1.1, f"mce: CPU{cpu}: Package temperature/speed normal"))
    kernel(place, "dmesg.txt", lines, "dmesg", east, host)


def t05_lora(place: Path, rng: Random) -> None:
    """G1: LLaMA-Factory, three epochs of LoRA as planned; one card corrects errors in its memory (ECC is on)."""
    start = epoch("2026-11-07 18:40:12", 0)

    def hf(t: float, where: str, said: str) -> str:
        return f"[INFO|{where}] {milli(t, 0)} >> {said}"

    def lf(t: float, where: str, said: str) -> str:
        return f"[INFO|{clock(t, 0)}] llamafactory.{where} >> {said}"

    out = [
        lf(start + 8, "cli:143", "Initializing 2 distributed tasks at: 127.0.0.1:41877"),
        "*****************************************",
        "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "*****************************************",
        lf(
            start + 19,
            "hparams.parser:406",
            "Process rank: 0, world size: 2, device: cuda:0, distributed training: True, compute dtype: torch.bfloat16",
        ),
        lf(
            start + 19,
            "hparams.parser:406",
            "Process rank: 1, world size: 2, device: cuda:1, distributed training: True, compute dtype: torch.bfloat16",
        ),
        hf(start + 20, "tokenization_utils_base.py:2023", "loading file tokenizer.json"),
        lf(start + 22, "data.loader:143", "Loading dataset support_tickets_v3.json..."),
        hf(
            start + 41,
            "configuration_utils.py:765",
            "loading configuration file /models/Meta-Llama-3.1-8B-Instruct/config.json",
        ),
        hf(
            start + 42,
            "modeling_utils.py:1151",
            "loading weights file /models/Meta-Llama-3.1-8B-Instruct/model.safetensors.index.json",
        ),
        "\rLoading checkpoint shards: 100%|██████████| 4/4 [00:07<00:00,  1.83s/it]",
        lf(start + 55, "model.model_utils.checkpointing:143", "Gradient checkpointing enabled."),
        lf(start + 55, "model.model_utils.attention:143", "Using torch SDPA for faster training and inference."),
        lf(start + 55, "model.adapter:143", "Upcasting trainable params to float32."),
        lf(start + 55, "model.adapter:143", "Fine-tuning method: LoRA"),
        lf(
            start + 56,
            "model.loader:143",
            "trainable params: 20,971,520 || all params: 8,051,232,768 || trainable%: 0.2605",
        ),
        hf(start + 58, "trainer.py:748", "Using auto half precision backend"),
        hf(start + 60, "trainer.py:2414", "***** Running training *****"),
        hf(start + 60, "trainer.py:2415", "  Num examples = 12,416"),
        hf(start + 60, "trainer.py:2416", "  Num Epochs = 3"),
        hf(start + 60, "trainer.py:2417", "  Instantaneous batch size per device = 2"),
        hf(start + 60, "trainer.py:2420", "  Total train batch size (w. parallel, distributed & accumulation) = 16"),
        hf(start + 60, "trainer.py:2421", "  Gradient Accumulation steps = 4"),
        hf(start + 60, "trainer.py:2422", "  Total optimization steps = 2,328"),
        hf(start + 60, "trainer.py:2423", "  Number of trainable parameters = 20,971,520"),
    ]
    first = t = start + 61.0
    total, saves = 2328, []
    for step in range(1, total + 1):
        t += rng.gauss(4.04, 0.11)
        if step % 10 == 0:
            lr = 1e-4 * (step / 233 if step < 233 else 0.5 * (1 + math.cos(3.14159 * (step - 233) / 2095)))
            out.append(
                f"{{'loss': {learn(rng, step, 1.94, 0.71, 70, 0.025):.4f}, 'grad_norm': {rng.gauss(0.83, 0.07):.6f}, 'learning_rate': {lr:.6e}, 'epoch': {step / 776:.2f}}}"
            )
            done = t - first
            out.append(
                f"\r{100 * step // total:3d}%|{bar(step, total)}| {step}/{total} [{hms(done)}<{hms(done / step * (total - step))},  {rng.gauss(4.04, 0.03):.2f}s/it]"
            )
        if step % 500 == 0 or step == total:
            path = f"saves/llama3.1-8b/lora/tickets/checkpoint-{step}"
            out += [
                hf(t, "trainer.py:3984", f"Saving model checkpoint to {path}"),
                hf(
                    t + 0.5,
                    "tokenization_utils_base.py:2510",
                    f"tokenizer config file saved in {path}/tokenizer_config.json",
                ),
                hf(
                    t + 0.5,
                    "tokenization_utils_base.py:2519",
                    f"Special tokens file saved in {path}/special_tokens_map.json",
                ),
            ]
            saves.append(t)
            t += 2.4
    run = t - first
    out += [
        hf(
            t,
            "trainer.py:2681",
            "\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n",
        ),
        f"{{'train_runtime': {run:.4f}, 'train_samples_per_second': {12416 * 3 / run:.3f}, 'train_steps_per_second': {total / run:.3f}, 'train_loss': 0.82774, 'epoch': 3.0}}",
        hf(t + 1, "trainer.py:3984", "Saving model checkpoint to saves/llama3.1-8b/lora/tickets"),
        "***** train metrics *****",
        "  epoch                    =        3.0",
        "  total_flos               = 471287905GF",
        "  train_loss               =     0.8277",
        f"  train_runtime            = {hms(run)}.{int(run * 100) % 100:02d}",
        f"  train_samples_per_second = {12416 * 3 / run:10.3f}",
        f"  train_steps_per_second   = {total / run:10.3f}",
        "Figure saved at: saves/llama3.1-8b/lora/tickets/training_loss.png",
    ]
    put(place, "train.log", out)
    end = t + 7

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 20 or at > end:
            return FREE
        if at < first:
            return Work(mib=9000, rx=800)
        busy = not any(one < at < one + 2.4 for one in saves) and at < t
        return Work(0.98, 0.86, 0.44, 0.6, 20300, 350, 300) if busy else Work(mib=20300)

    ticks = sorted(start + rng.uniform(500, 9600) for _ in range(5))

    def alter(_n: int, g: int, at: float, row: Row) -> Row:
        if g == 0:
            row["ECC_SBE_VOL_TOTAL"] = 11 + sum(one < at for one in ticks)
        return row

    park = Park("4090 with ECC", ["lab-ws1"], 2, work, start - 300, end + 400, 60, 105, alter=alter)
    matrix(place, "prom_gpu.json", park, uuid_only(park, "dcgm"), form="CLOCK_THROTTLE_REASONS")
    kernel(place, "dmesg.txt", calm(Random("t05"), start, park.of.driver, ib=False), "dmesg -T", 0, "lab-ws1")


def t06_jax(place: Path, rng: Random) -> None:
    """G1: MaxText on four workstation cards, all 3600 steps; the scrapes have holes."""
    east, host = 120, "ada1"
    start = epoch("2026-11-08 10:30:44", east)
    tid = 139871236

    def glog(t: float, where: str, said: str) -> str:
        return f"I{clock(t, east, '%m%d %H:%M:%S')}.{int(part(t) * 1e6) % 10**6:06d} {tid}824512 {where}] {said}"

    config = {
        "adam_b1": "0.9", "base_emb_dim": "2048", "base_num_decoder_layers": "18", "checkpoint_period": "1200",
        "dataset_type": "tfds", "dtype": "bfloat16", "eval_interval": "-1", "hardware": "gpu", "ici_fsdp_parallelism": "4",
        "learning_rate": "0.0003", "log_period": "100", "max_target_length": "2048", "model_name": "default",
        "per_device_batch_size": "4.0", "run_name": "de-wiki-1b", "steps": "3600", "warmup_steps_fraction": "0.1",
    }  # fmt: skip
    t = start + 14
    out = [glog(t, "pyconfig.py:81", f"Config param {k}: {v}") for k, v in config.items()]
    out += [
        glog(t + 1.2, "max_utils.py:237", "Jax distributed system is not initialized (single process on GPU)."),
        glog(t + 3.9, "max_utils.py:622", "Num_devices: 4, shape (1, 1, 4, 1, 1, 1, 1, 1, 1, 1, 1)"),
        glog(t + 4.4, "checkpointing.py:74", "Creating checkpoint manager..."),
        glog(t + 4.6, "checkpointing.py:133", "Checkpoint manager created!"),
        glog(
            t + 5.0,
            "checkpointing.py:249",
            "checkpoint manager exists so trying to load this run's existing checkpoint",
        ),
        glog(t + 5.1, "checkpointing.py:303", "No existing checkpoints found, not restoring checkpoint."),
        glog(t + 26.3, "train.py:604", "number parameters: 1.043 billion"),
        glog(
            t + 26.5,
            "maxtext_utils.py:412",
            "Per train step:\n Total TFLOPs: 57.84 \n split as 88.79% learnable weight flops and 11.21% attention flops",
        ),
    ]
    first = t = t + 27.0
    total, saves, load_end = 3600, [], 0.0
    for step in range(total):
        dt = rng.gauss(1.907, 0.011) + (41 if step == 0 else 0)
        t += dt
        load_end = load_end or t
        loss = learn(rng, step, 10.9, 2.71, 95, 0.012)
        out.append(
            glog(
                t,
                "metric_logger.py:168",
                f"completed step: {step}, seconds: {dt:.3f}, TFLOP/s/device: {57.84 / dt:.3f}, Tokens/s/device: {8192 / dt:.3f}, total_weights: {32768 - rng.randrange(0, 40)}, loss: {loss:.3f}",
            )
        )
        if step in (0, 1200, 2400) or step == total - 1:
            saves.append(t)
            t += rng.gauss(6.7, 0.12)
            out.append(glog(t, "checkpointing.py:512", f"saved a checkpoint at step {step}"))
    end = t + 6
    out.append(clock(end, east, "fertig: %a %e. %b %H:%M:%S CET %Y").replace("CET", "EET"))
    put(place, "maxtext-de-wiki-1b.log", out)

    def work(_n: int, _g: int, at: float) -> Work:
        if at < start + 18 or at > end:
            return FREE
        if at < load_end:
            return Work(0.04, 0.02, 0, 0.01, 36300, 20, 20) if at > first else Work(mib=36300)
        if any(a < at < a + 6.8 for a in saves):
            return Work(0.1, 0.03, 0, 0.05, 36300, 100, 2600)
        return Work(0.99, 0.88, 0.47, 0.62, 36300, 3900, 3800)

    holes = [(start + a * 60, start + b * 60) for a, b in ((22, 31), (58, 60.5), (88, 99))]
    park = Park("6000Ada", [host], 4, work, start - 240, end + 200, 60, 106, holes=holes)
    dmon(place, "dcgmi_dmon.log", park, 0, east, "%Y-%m-%d %H:%M:%S")
    kernel(place, "dmesg.txt", calm(Random("t06"), start, park.of.driver, ib=False), "dmesg -T", east, host)

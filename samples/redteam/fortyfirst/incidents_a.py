"""Incidents t01 to t08 of the forty-first round. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.fortyfirst import gauge_ia as g
from samples.redteam.fortyfirst.gauge_ia import IDLE, Now

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

SACCT = "JobID|JobName|User|Account|Partition|Submit|Start|End|Elapsed|Timelimit|State|ExitCode|NNodes|NodeList"


def kernel_noise(rng: Random, start: float, end: float, count: int) -> list[tuple[float, str]]:
    """Lines that any node's kernel prints in a working day."""
    words = (
        "perf: interrupt took too long ({a} > {b}), lowering kernel.perf_event_max_sample_rate to 79750",
        "nfs: server fs-home-{c} not responding, still trying",
        "nfs: server fs-home-{c} OK",
        "Lustre: {d}:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply",
        "TCP: request_sock_TCP: Possible SYN flooding on port 9100. Sending cookies.  Check SNMP counters.",
        "systemd-journald[{d}]: Data hash table of /run/log/journal has a fill level at 75.0, suggesting rotation.",
        "hrtimer: interrupt took {b} ns",
    )
    found: list[tuple[float, str]] = []
    for _ in range(count):
        when = rng.uniform(start, end)
        which = rng.randrange(len(words))
        if which in (1, 2):
            which = 1
            found.append((when + rng.uniform(3, 40), words[2].format(c=1)))
        found.append(
            (
                when,
                words[which].format(
                    a=rng.randrange(3100, 4000), b=rng.randrange(2500, 3099), c=1, d=rng.randrange(900, 9000)
                ),
            )
        )
    return sorted(found)


def t01_vole(place: Path, rng: Random) -> None:
    """G1: two V100 nodes fine-tune for 231 minutes and end well; an earlier job of the same name failed."""
    start = g.epoch("2025-10-14T06:12:09", 0)
    end = start + 231 * 60 + 17
    hosts = ["vt-a117", "vt-a118"]
    found = g.cards(rng, g.V100, hosts, 4)
    evals = [start + 172 + k * 2244 for k in range(1, 7)]

    def doing(card: g.Card, when: float) -> Now:
        since = when - start
        if since < 21 or when > end - 4:
            return IDLE
        if since < 95:
            return Now(fb=312 + 40 * card.serial, context=True)
        if since < 172:
            return Now(fb=1480 + 6 * card.index, context=True, util=0.0)
        for begin in evals:
            if begin <= when < begin + 96:
                return Now(0.93, 0.61, 25410 + 110 * card.serial, 0.55, 0.22, 0.35, 7e7, 0, True)
            if begin + 96 <= when < begin + 123:
                if card.index == 0 and card.host == hosts[0]:
                    return Now(0.02, 0.01, 25410 + 110 * card.serial, 0.04, 0, 0.01, 9e8, 0, True)
                return Now(1.0, 0.06, 25410 + 110 * card.serial, 0.17, 0, 0.01, 1e6, 0, True)
        if when > end - 62:
            return Now(0.0, 0.0, 25410 + 110 * card.serial, 0.01, 0, 0, 2e5, 0, True)
        return Now(0.97, 0.83, 25410 + 110 * card.serial, 0.83, 0.37, 0.48, 1.6e9, 2.1e10, True)

    times = g.grid(start - 540 - 3, end + 480, 15)
    for host in hosts:
        for card in found[host]:
            g.run(rng, card, times, lambda when, c=card: doing(c, when))
        g.matrix(place / "metrics" / f"{host}.json", g.series(found[host], g.exporter))
        up = start - rng.uniform(1.1e6, 1.3e6)
        lines = [
            (start - 9000.0, "nvidia-uvm: Loaded the UVM driver, major device number 510."),
            *kernel_noise(rng, start - 8000, end + 400, 7),
        ]
        g.put(place / "kernel" / f"{host}.dmesg.txt", [f"[{when - up:.6f}] {text}" for when, text in sorted(lines)])
    one = start - 47211
    row = "|".join
    g.put(
        place / "sacct.txt",
        [
            SACCT,
            row(
                [
                    "771188",
                    "ner-sw-am-xl",
                    "tadesse",
                    "lang3",
                    "v100",
                    g.iso(one - 44, 0),
                    g.iso(one, 0),
                    g.iso(one + 118, 0),
                    g.elapsed(118),
                    "08:00:00",
                    "FAILED",
                    "1:0",
                    "2",
                    "vt-a[103-104]",
                ]
            ),
            row(
                [
                    "771903",
                    "ner-sw-am-xl",
                    "tadesse",
                    "lang3",
                    "v100",
                    g.iso(start - 2203, 0),
                    g.iso(start, 0),
                    g.iso(end, 0),
                    g.elapsed(end - start),
                    "08:00:00",
                    "COMPLETED",
                    "0:0",
                    "2",
                    "vt-a[117-118]",
                ]
            ),
        ],
    )


def t02_pika(place: Path, rng: Random) -> None:
    """G1: gpt-neox trains a small model on 32 H200 for 8 minutes as planned; another pod left XID 31 before."""
    start = g.epoch("2026-04-22T13:41:36", 0)
    first, each, total = start + 74.0, 0.4405, 840
    mid, final = first + 420 * each, first + 840 * each + 13
    end = final + 22
    hosts = [f"h2-rack6-n{k}" for k in (2, 3, 5, 8)]
    found = g.cards(rng, g.H200, hosts, 8)
    other_end = start - 402.0
    found[hosts[2]][5].xid, found[hosts[2]][5].xid_at = 31, start - 431.0

    def doing(card: g.Card, when: float) -> Now:
        if card.host == hosts[2] and card.index == 5 and when < start - 431.0:
            return Now(0.71, 0.4, 61022, 0.36, 0.12, 0.31, 3e8, 0, True)
        if when < start + 16 or when > end - 3:
            return IDLE
        fb = 71844 + 8 * card.index
        if when < first - 26:
            return Now(fb=560, context=True)
        if when < first:
            return Now(0.12, 0.04, 9312, 0.03, 0.0, 0.02, 6e7, 0, True)
        if mid <= when < mid + 13:
            return Now(0.9, 0.5, fb, 0.4, 0.24, 0.3, 5e7, 5e9, True)
        if when > final:
            return Now(0.0, 0.0, fb, 0.0, 0, 0, 4e8, 0, True)
        return Now(0.985, 0.79, fb, 0.78, 0.38, 0.44, 6e8, 4.4e10, True)

    times = g.grid(start - 600, end + 300, 15)
    rows = []
    for place_, host in enumerate(hosts):
        agent = f"dcgm-exporter-{['k7x4m', 'q9wzt', 'c2hvd', '8lsnp'][place_]}"
        for card in found[host]:
            g.run(rng, card, times, lambda when, c=card: doing(c, when))
            held = [("training", f"neox-swz-190m-worker-{place_}", "neox", start + 2, end)]
            if host == hosts[2] and card.index == 5:
                held.append(("sandbox-oren", "jupyter-oren-0", "notebook", 0.0, other_end))
            base = {
                "DCGM_FI_DRIVER_VERSION": "565.57.01",
                "Hostname": host,
                "UUID": card.uuid,
                "container": "nvidia-dcgm-exporter",
                "device": f"nvidia{card.index}",
                "endpoint": "gpu-metrics",
                "gpu": str(card.index),
                "instance": f"10.233.{70 + place_}.14:9400",
                "job": "nvidia-dcgm-exporter",
                "modelName": "NVIDIA H200",
                "namespace": "gpu-operator",
                "pci_bus_id": f"00000000:{card.bus.upper()}:00.0",
                "pod": agent,
            }
            for name, values in card.rows.items():
                free = [v for v in values if not any(a <= v[0] < b for *_, a, b in held)]
                rows.append(({"__name__": name, **base}, free))
                for space, pod, container, a, b in held:
                    mine = [v for v in values if a <= v[0] < b]
                    rows.append(
                        (
                            {
                                "__name__": name,
                                **base,
                                "exported_container": container,
                                "exported_namespace": space,
                                "exported_pod": pod,
                            },
                            mine,
                        )
                    )
    rows = sorted((r for r in rows if r[1]), key=lambda r: (r[0]["__name__"], r[0]["Hostname"], r[0]["gpu"]))
    g.matrix(place / "prometheus" / "dcgm_range.json", rows)

    def stamp(when: float) -> str:
        return g.at(when, 0).strftime("%Y-%m-%d %H:%M:%S,") + f"{int(when * 1000) % 1000:03d}"

    lines = [
        f"[{stamp(start + 21)}] [INFO] [real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda"
        " (auto detect)",
        "NeoXArgs.from_ymls() ['/cfg/swz-190m.yml', '/cfg/paths.yml']",
        "NeoXArgs.configure_distributed_args() using world size: 32 and model-parallel size: 1 ",
        "> building HFTokenizer tokenizer ...",
        " > padded vocab (size: 48262) with 42 dummy tokens (new size: 48304)",
        f"[{stamp(start + 39)}] [INFO] [comm.py:652:init_distributed] cdb=None",
        "> initializing torch distributed ...",
        "> setting random seeds to 8807 ...",
        f"[{stamp(start + 51)}] [INFO] [logging.py:129:log_dist] [Rank 0] DeepSpeed info: version=0.16.4, "
        "git-hash=unknown, git-branch=unknown",
        " > number of parameters on model parallel rank 0: 190844160",
        " > total params: 190,844,160",
        "building train, validation, and test datasets ...",
        "    reading document index... ",
        "    creating numpy buffer of mmap...",
        "train_iters: 840, eval_interval: 420, save_interval: 420, lr_decay_iters: 840",
        "done with setups ...",
        "training ...",
        f"[before the start of training step] datetime: {g.at(first, 0):%Y-%m-%d %H:%M:%S} ",
    ]
    clock = first
    for step in range(20, total + 1, 20):
        clock = first + step * each + (13 if step > 420 else 0)
        rate = 6e-4 * min(1.0, step / 84) if step < 84 else 6e-5 + 2.7e-4 * (1 + math.cos(math.pi * (step - 84) / 756))
        loss = 3.94 + 6.95 * math.exp(-step / 96) + 0.62 * math.exp(-step / 400) + rng.gauss(0, 0.018)
        ms = 1000 * each + rng.gauss(0, 3.5)
        lines += [
            f"[{stamp(clock)}] [INFO] [logging.py:129:log_dist] [Rank 0] step={step}, skipped=0, "
            f"lr=[{rate:.9g}, {rate:.9g}], mom=[[0.9, 0.95], [0.9, 0.95]]",
            f" samples/sec: {1024000 / ms:.3f} | iteration {step:8d}/{total:8d} | elapsed time per iteration ("
            f"ms):"
            f" {ms:.1f} | learning rate: {rate:.3E} | approx flops per GPU: {188.4 * 440.5 / ms:.1f}TFLOPS | "
            f"lm_loss: {loss:.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |",
        ]
        if step == 20:
            lines.append(
                "after 20 iterations memory (MB) | allocated: 3713.7 | max allocated: 61188.2 | "
                "reserved: 66120.0 | max reserved: 66120.0"
            )
        if step % 420 == 0:
            held = loss + 0.03
            lines += [
                "-" * 97,
                f" validation results at iteration {step} | lm_loss value: {held:.6E} | lm_loss_ppl "
                f"value: {math.exp(held):.6E} | ",
                "-" * 97,
                f"[{stamp(clock + 11)}] [INFO] [logging.py:129:log_dist] [Rank 0] [Torch] Checkpoint global_step"
                f"{step} is about to be saved!",
                f"[{stamp(clock + 12.6)}] [INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved "
                f"/ckpt/swz-190m/"
                f"global_step{step}/mp_rank_00_model_states.pt.",
            ]
    lines += [
        f"[after training is done] datetime: {g.at(clock + 13, 0):%Y-%m-%d %H:%M:%S} ",
        " test results at the end of training for test data | lm_loss value: 4.041127E+00 | lm_loss_ppl value: "
        "5.689039E+01 | ",
    ]
    g.put(place / "neox-swz-190m-worker-0.log", lines)


def t03_grebe(place: Path, rng: Random) -> None:
    """C1: the host firewall of the master's node drops the workers' SYN; 32 V100 stay cold for 149 minutes."""
    start = g.epoch("2026-01-19T17:22:41", 9)
    end = start + 149 * 60 - 6
    hosts = ["kv-gpu-21", "kv-gpu-22", "kv-gpu-27", "kv-gpu-30"]
    addresses = ["10.88.4.21", "10.88.4.22", "10.88.4.27", "10.88.4.30"]
    found = g.cards(rng, g.V100, hosts, 8)
    for place_, host in enumerate(hosts):
        times = g.grid(start - 900 + rng.uniform(0, 50), end + 600, 60)
        for card in found[host]:
            g.run(rng, card, times, lambda when: IDLE, prof=False)
        g.smi(place / "gpu" / f"{host}.csv", found[host], 9, rng)
        lines = kernel_noise(rng, start - 5000, end + 500, 4)
        if place_ == 0:
            for source in range(1, 4):
                when = start + 31 + rng.uniform(0, 6)
                port = rng.randrange(32768, 60999)
                while when < end - 2:
                    for wait in (0.0, 1.02, 3.04, 7.1, 15.3, 31.4):
                        if when + wait < end - 2:
                            lines.append(
                                (
                                    when + wait,
                                    f"nft-in-drop: IN=bond0 OUT= "
                                    f"MAC=0c:42:a1:5e:7d:90:0c:42:a1:5e:{60 + source}:"
                                    f"1a:08:00 SRC={addresses[source]} DST={addresses[0]} LEN=60 TOS=0x00 "
                                    f"PREC=0x00 "
                                    f"TTL=64 ID={rng.randrange(65536)} DF PROTO=TCP SPT={port} DPT=29531 "
                                    "WINDOW=64240 RES=0x00 SYN URGP=0 ",
                                )
                            )
                    when += 65 + rng.uniform(0, 3)
                    port = rng.randrange(32768, 60999)
        g.put(place / "kernel" / f"{host}.dmesg", [f"{g.dmesg_t(w, 9)} {text}" for w, text in sorted(lines)])

    def rfc(when: float) -> str:
        return g.at(when, 9).strftime("%a, %d %b %Y %H:%M:%S +0900")

    out, events = (
        [],
        ["LAST SEEN                  TYPE      REASON                   OBJECT                          MESSAGE"],
    )
    for place_, host in enumerate(hosts):
        name = "asr-kana-ctc-master-0" if place_ == 0 else f"asr-kana-ctc-worker-{place_ - 1}"
        begun, over = start + place_ * 0.7 // 1, end + (1, 0, 2, 1)[place_]
        out += [
            f"Name:             {name}",
            "Namespace:        speech-kn",
            "Priority:         0",
            f"Node:             {host}/{addresses[place_]}",
            f"Start Time:       {rfc(start - 3)}",
            "Labels:           training.kubeflow.org/job-name=asr-kana-ctc",
            f"                  training.kubeflow.org/replica-type={'master' if place_ == 0 else 'worker'}",
            "Status:           Failed",
            f"IP:               {addresses[place_]}",
            "Controlled By:    PyTorchJob/asr-kana-ctc",
            "Containers:",
            "  pytorch:",
            "    Image:         harbor.local/speech/asr:2.4.1-cu121",
            "    Host Port:     29531/TCP",
            "    Command:",
            "      torchrun",
            "      --nnodes=4",
            "      --nproc-per-node=8",
            f"      --node-rank={place_}",
            "      --rdzv-backend=static",
            "      --rdzv-endpoint=$(MASTER_ADDR):$(MASTER_PORT)",
            "      --rdzv-conf=timeout=8880",
            "      train_ctc.py",
            "    State:          Terminated",
            "      Reason:       Error",
            "      Exit Code:    1",
            f"      Started:      {rfc(begun)}",
            f"      Finished:     {rfc(over)}",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             64",
            "      memory:          320Gi",
            "      nvidia.com/gpu:  8",
            "    Environment:",
            f"      MASTER_ADDR:              {addresses[0]}",
            "      MASTER_PORT:              29531",
            "      PYTHONUNBUFFERED:         1",
            "Host Network:     true",
            "Restart Policy:   Never",
            "Events:           <none>",
            "",
            "",
        ]
        events += [
            f"{g.iso(start - 4, 9)}+09:00  Normal    Scheduled                pod/{name:27s} Successfully "
            f"assigned "
            f"speech-kn/{name} to {host}",
            f"{g.iso(begun, 9)}+09:00  Normal    Started                  pod/{name:27s} Started container pytorch",
        ]
    events.append(
        f"{g.iso(end + 5, 9)}+09:00  Warning   PyTorchJobFailed         pytorchjob/asr-kana-ctc         "
        "PyTorchJob asr-kana-ctc is failed because 4 replica(s) failed."
    )
    g.put(place / "kubectl_describe_pods.txt", out)
    g.put(place / "kubectl_events.txt", events)


def t04_heron(place: Path, rng: Random) -> None:
    """G1: torchtune fine-tunes on 16 H100 for 176 minutes and ends well; one GPU corrects a few ECC errors."""
    start = g.epoch("2026-02-25T10:03:18", 9)
    end = start + 176 * 60 + 29
    hosts = ["sakura-h14", "sakura-h15"]
    found = g.cards(rng, g.H100, hosts, 8)
    odd = found[hosts[1]][2]
    odd.sbe, odd.sbe_at = 14, [start - 300 + k * 1310 + 190 * (k % 3) for k in range(9)]
    first, steps = start + 148, 1236
    last = end - 190
    half = first + (last - first - 66) / 2
    each = (last - first - 66) / steps

    def doing(card: g.Card, when: float) -> Now:
        fb = 68330 + 14 * card.index + (310 if card.index == 0 else 0)
        if when < start + 24 or when > end - 3:
            return IDLE
        if when < first - 40:
            return Now(fb=640, context=True)
        if when < first:
            return Now(0.05, 0.02, 17600, 0.02, 0, 0, 8e8, 0, True)
        if half <= when < half + 66 or when >= last:
            lead = card.index == 0 and card.host == hosts[0]
            return Now(0.03 if lead else 1.0, 0.02, fb, 0.03 if lead else 0.11, 0, 0, 9e8, 0, True)
        return Now(0.985, 0.86, fb, 0.86, 0.46, 0.5, 5e8, 6e10, True)

    times = g.grid(start - 600, end + 420, 30)
    for host in hosts:
        for card in found[host]:
            g.run(rng, card, times, lambda when, c=card: doing(c, when), prof=False)
    every = [c for host in hosts for c in found[host]]
    order = sorted(every, key=lambda c: c.uuid)
    g.matrix(place / "dcgm.json", g.series(order, lambda c: {"UUID": c.uuid}))
    g.inventory(place, found)
    g.put(
        place / "sacct.txt",
        [
            SACCT,
            "|".join(
                [
                    "50617",
                    "tune-keigo-8b",
                    "m.okabe",
                    "nlp-b",
                    "h100x",
                    g.iso(start - 871, 9),
                    g.iso(start, 9),
                    g.iso(end, 9),
                    g.elapsed(end - start),
                    "06:00:00",
                    "COMPLETED",
                    "0:0",
                    "2",
                    "sakura-h[14-15]",
                ]
            ),
        ],
    )
    for host in hosts:
        g.put(
            place / "kernel" / f"{host}.txt",
            [f"{g.dmesg_t(w, 9)} {text}" for w, text in kernel_noise(rng, start - 4000, end + 300, 6)],
        )
    stamp = g.at(start + 31, 9).strftime
    head = "INFO:torchtune.utils._logging:"
    out = [
        f"{stamp('%Y-%m-%d %H:%M:%S')} job 50617 on sakura-h[14-15], 2 x 8",
        f"{head}Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 2",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /data/models/Llama-3.1-8B-Instruct",
        "  output_dir: /data/okabe/keigo-8b",
        "compile: true",
        "epochs: 2",
        "gradient_accumulation_steps: 4",
        "max_steps_per_epoch: null",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 2.0e-05",
        "",
        f"{head}Set logging level: INFO",
        f"{head}FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        f"{head}Instantiating model and loading checkpoint took 52.18 secs",
        f"{head}Memory stats after model init:",
        "\tGPU peak memory active: 6.41 GiB",
        "\tGPU peak memory alloc: 6.41 GiB",
        "\tGPU peak memory reserved: 7.10 GiB",
        f"{head}Optimizer is initialized.",
        f"{head}Loss is initialized.",
        f"{head}Dataset and Sampler are initialized.",
        f"{head} Profiling disabled.",
    ]
    disk = []
    for step in range(1, steps + 1):
        when = first + step * each + (66 if step > steps // 2 else 0)
        loss = 0.93 + 0.81 * math.exp(-step / 55) - 0.11 * step / steps + rng.gauss(0, 0.03)
        loss -= 0.09 if step > 618 else 0
        rate = 1e-5 * min(1, step / 40) * (1 + math.cos(math.pi * max(0, step - 40) / (steps - 40)))
        disk.append(
            f"Step {step} | loss:{loss:.6f} lr:{rate:.6g} tokens_per_second_per_gpu:{rng.gauss(4120, 38):.2f} "
            f"grad_norm:{rng.gauss(1.1 + 2 * math.exp(-step / 30), 0.07):.5f} peak_memory_active:57.83 "
            "peak_memory_alloc:57.83 peak_memory_reserved:65.91 "
        )
        if step % 103 == 0:
            epoch, inside = (step - 1) // 618 + 1, (step - 1) % 618 + 1
            out.append(
                f"{epoch}|{step}|Loss: {loss:.6f}: "
                f"{100 * inside // 618:3d}%|{'█' * (10 * inside // 618):10s}| {inside}/618 "
                f"[{int(when - first) // 60 % 90:02d}:{int(when - first) % 60:02d}<00:00, {each:5.2f}s/it]"
            )
        if step % 618 == 0:
            epoch = step // 618
            out += [
                f"{head}Saving checkpoint. This may take some time. Retrieving full model state dict...",
                f"{head}Model checkpoint of size 4.65 GiB saved to /data/okabe/keigo-8b/epoch_{epoch - 1}/"
                "model-00001-of-00004.safetensors",
                f"{head}Saving final epoch checkpoint." if epoch == 2 else f"{head}Getting optimizer state dict...",
                f"{head}Checkpoint saved in {61.2 + epoch:.2f} seconds.",
            ]
    out += [
        f"{head}The full model checkpoint, including all weights and configurations, has been saved successfully. "
        "You can now use this checkpoint for further training or inference.",
        "exit status of srun: 0",
    ]
    g.put(place / "slurm-50617.out", out)
    g.put(place / "logs" / f"log_{int(start + 60)}.txt", disk)


def t05_ibex(place: Path, rng: Random) -> None:
    """A2: the host memory of one of four MaxText tasks runs over and its process is killed by SIGKILL after 58 "
    "minutes.
    """  # noqa: D205
    start = g.epoch("2026-05-07T20:31:50", 8)
    end = start + 58 * 60 + 11
    hosts = ["hx-028", "hx-029", "hx-031", "hx-036"]
    found = g.cards(rng, g.H200, hosts, 2)
    first, each = start + 171.0, 4.27
    kill = end - 7.5

    def doing(card: g.Card, when: float) -> Now:
        victim = card.host == hosts[2]
        if when < start + 38 or when > end - 1 or (victim and when > kill):
            return IDLE
        if when < start + 52:
            return Now(fb=588, context=True)
        fb = 108402 + 6 * card.index
        if when < first:
            return Now(0.0, 0.0, fb, 0.0, 0, 0, 2e5, 0, True)
        if when > kill + 2:
            return Now(1.0, 0.05, fb, 0.17, 0, 0.01, 1e6, 0, True)
        return Now(0.99, 0.88, fb, 0.85, 0.51, 0.47, 7e8, 3.3e10, True)

    times = g.grid(start - 300, end + 240, 5)
    for host in hosts:
        for card in found[host]:
            g.run(rng, card, times, lambda when, c=card: doing(c, when))
    every = sorted((c for host in hosts for c in found[host]), key=lambda c: c.uuid)
    g.matrix(place / "dcgm_by_uuid.json", g.series(every, lambda c: {"UUID": c.uuid, "job": "gpu"}))
    g.inventory(place, found)

    def absl(when: float, thread: int, where: str, text: str) -> str:
        return f"I{g.at(when, 8):%m%d %H:%M:%S}.{int(when * 1e6) % 1000000:06d} {thread} {where}] {text}"

    out = [
        f"+ date: {g.at(start, 8):%a %b %e %H:%M:%S %z %Y}",
        "+ srun --kill-on-bad-exit=1 --ntasks-per-node=1 "
        "--mem=0 "
        "python3 -m MaxText.train MaxText/configs/base.yml run_name=qiantang-6b steps=20000 "
        "hardware=gpu_multiprocess",
    ]
    for rank in range(4):
        out.append(
            f"{rank}: "
            + absl(
                start + 40 + rank * 0.3,
                22800 + rank,
                "distributed.py:125",
                "Connecting to JAX distributed service on hx-028:62117",
            )
        )
    out += [
        "0: Num_devices: 8, shape (1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1)",
        "0: Setting up checkpoint logger...",
        "0: Creating checkpoint manager with ocdbt=True and zarr3=True",
        "0: No existing checkpoints found, not restoring checkpoint.",
        "0: number parameters: 6.218 billion",
        "0: Per train step:",
        "0:  Total TFLOPs: 1214.83 ",
        "0:  split as 97.11% learnable weight flops and 2.89% attention flops",
        "0: Total memory size: 101.4 GB, Output size: 9.3 GB, Temp size: 92.0 GB, Argument size: 9.3 GB, Host "
        "temp size: 0.0 GB.",
    ]
    step = 0
    while first + (step + 1) * each < kill:
        seconds = each + rng.gauss(0, 0.012) + (21.3 if step == 0 else 0)
        loss = 3.1 + 8.0 * math.exp(-step / 120) + 1.2 * math.exp(-step / 600) + rng.gauss(0, 0.03)
        weights = 262144
        out.append(
            f"0: completed step: {step}, seconds: {seconds:.3f}, TFLOP/s/device: {1214.83 / seconds:.3f}, "
            f"Tokens/s/device: {32768 / seconds:.3f}, total_weights: {weights}, loss: {loss:.3f}"
        )
        step += 1
        if step % 500 == 0:
            out.append(f"0: saved a checkpoint at step {step}")
    died = g.at(kill + 5, 8).strftime("%Y-%m-%dT%H:%M:%S")
    out += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=290217.0. Some of the step tasks have been OOM Killed.",
        "srun: error: hx-031: task 2: Out Of Memory",
        "srun: Terminating StepId=290217.0",
        f"slurmstepd: error: *** STEP 290217.0 ON hx-028 CANCELLED AT {died} ***",
        "srun: error: hx-036: task 3: Terminated",
        "srun: error: hx-029: task 1: Terminated",
        "srun: error: hx-028: task 0: Terminated",
        "srun: Force Terminated StepId=290217.0",
        "+ echo rc=137",
        "rc=137",
    ]
    g.put(place / "qiantang-6b.290217.out", out)


def t06_newt(place: Path, rng: Random) -> None:
    """B1: a home-made tagger on an RTX 4090 asks for more memory than is left at a long batch after 124 minutes."""
    start = g.epoch("2026-08-03T08:52:07", -6)
    end = start + 124 * 60 + 23
    host = "bench-4090-c"
    card = g.cards(rng, g.RTX4090, [host], 1)[host][0]
    first, each = start + 64.0, 1.318
    peaks = [15870]

    def doing(when: float) -> Now:
        if when < start + 20 or when > end - 4:
            return IDLE
        if when < first:
            return Now(fb=1204, context=True)
        if rng.random() < 0.05:
            peaks.append(min(20960, peaks[-1] + rng.randrange(60, 700)))
        return Now(0.95, 0.7, peaks[-1], 0.74, 0.3, 0.55, 4e8, 0, True)

    g.run(rng, card, g.grid(start - 1200, end + 900, 60), doing, prof=False)
    card.rows.pop("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", None)
    g.matrix(place / "gpu_metrics.json", g.series([card], lambda c: g.exporter(c, "560.35.03")))

    def line(when: float, level: str, event: str, **rest: object) -> str:
        stamp = g.at(when, -6).isoformat(timespec="milliseconds")
        return json.dumps({"t": stamp, "lvl": level, "ev": event, **rest})

    out = [
        line(
            start + 11,
            "info",
            "boot",
            run="fatal-crash-reports-v3",
            torch="2.5.1+cu124",
            device="NVIDIA GeForce RTX 4090",
        ),
        line(
            start + 29,
            "info",
            "data",
            file="nhtsa_fatal_crashes_2019_2025.parquet",
            rows=418233,
            labels=[
                "killed",
                "fire",
                "explosion",
                "rollover",
                "brake_failure",
                "power_loss",
                "driver_error",
                "no_injury",
            ],
        ),
        line(start + 33, "warn", "data", msg="dropped 212 rows: 'corrupt' flag set by the agency, not by us"),
        line(
            start + 58,
            "info",
            "model",
            params=434_012_168,
            dtype="bf16",
            batching="by row count",
            rows=24,
            max_len=4096,
        ),
    ]
    step = 0
    while first + step * each < end - 9:
        step += 1
        when = first + step * each
        if step % 50 == 0:
            loss = 0.31 + 1.6 * math.exp(-step / 420) + rng.gauss(0, 0.02)
            out.append(
                line(
                    when,
                    "info",
                    "step",
                    n=step,
                    loss=round(loss, 4),
                    lr=round(3e-5 * (1 - step / 17400), 9),
                    gnorm=round(abs(rng.gauss(1.2, 0.2)), 3),
                    longest=rng.randrange(700, 2300),
                )
            )
        if step % 1500 == 0:
            out.append(
                line(
                    when,
                    "info",
                    "dev",
                    n=step,
                    f1={
                        "killed": round(0.8 - 0.4 * math.exp(-step / 900), 3),
                        "fire": 0.741,
                        "explosion": 0.69,
                        "driver_error": 0.588,
                    },
                    note="class 'killed' still the one that fails most",
                )
            )
    trace = [
        "Traceback (most recent call last):",
        '  File "/srv/tagger/fit.py", line 212, in main',
        "    loss = one_step(net, rows)",
        '  File "/srv/tagger/fit.py", line 148, in one_step',
        "    out = net(ids, mask)",
        '  File "/srv/tagger/net.py", line 77, in forward',
        "    scores = torch.matmul(q, k.transpose(-1, -2)) * self.scale",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.87 GiB. GPU 0 has a total capacity of "
        "23.64 GiB of "
        "which 2.71 GiB is free. Including non-PyTorch memory, this process has 20.59 GiB memory in use. Of the "
        "allocated "
        "memory 18.02 GiB is allocated by PyTorch, and 2.11 GiB is reserved by PyTorch but unallocated. If "
        "reserved but "
        "unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
        "fragmentation.  "
        "See documentation for Memory Management  ("
        "https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    out.append(line(end - 6, "error", "stopped", n=step, longest=4033, rows=24, exc="\n".join(trace)))
    g.put(place / "fit.jsonl", out)

    def zulu(when: float) -> str:
        return g.at(when, 0).strftime("%Y-%m-%dT%H:%M:%SZ")

    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "tagger-fit-q8s2k",
            "namespace": "safety-text",
            "creationTimestamp": zulu(start - 7),
            "labels": {"batch.kubernetes.io/job-name": "tagger-fit"},
        },
        "spec": {
            "nodeName": host,
            "restartPolicy": "Never",
            "containers": [
                {
                    "name": "fit",
                    "image": "reg.lab/safety/tagger:41",
                    "command": ["python", "/srv/tagger/fit.py"],
                    "resources": {"limits": {"cpu": "12", "memory": "48Gi", "nvidia.com/gpu": "1"}},
                }
            ],
        },
        "status": {
            "phase": "Failed",
            "startTime": zulu(start - 5),
            "containerStatuses": [
                {
                    "name": "fit",
                    "ready": False,
                    "restartCount": 0,
                    "state": {
                        "terminated": {
                            "exitCode": 1,
                            "reason": "Error",
                            "startedAt": zulu(start),
                            "finishedAt": zulu(end),
                        }
                    },
                }
            ],
        },
    }
    (place / "pod.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}, indent=2) + "\n")
    up = start - 733_120.5
    g.put(
        place / "syslog",
        [
            f"{g.at(w, -6):%b %e %H:%M:%S} {host} kernel: [{w - up:14.6f}] {text}"
            for w, text in kernel_noise(rng, start - 7000, end + 800, 9)
        ],
    )


def t07_stoat(place: Path, rng: Random) -> None:
    """D2: nanotron on four L40S nodes reduces its gradients over gigabit Ethernet; every step takes 13 s."""
    start = g.epoch("2026-03-11T08:47:30", 1)
    first, each, total = start + 118.0, 13.02, 622
    end = first + total * each + 57
    hosts = ["els-03", "els-04", "els-06", "els-07"]
    found = g.cards(rng, g.L40S, hosts, 2)
    found[hosts[1]][1].remapped_c, found[hosts[1]][1].remapped_u = 3, 1

    def doing(card: g.Card, when: float) -> Now:
        if when < start + 20 or when > end - 4:
            return IDLE
        if when < first:
            return Now(fb=466, context=True)
        fb = 21988 + 22 * card.index
        if when > first + total * each + 4:
            return Now(0.02, 0.01, fb, 0.02, 0, 0, 6e8, 0, True)
        return Now(1.0, 0.083, fb, 0.165, 0.026, 0.046, 2.0e8, 0, True)

    times = g.grid(start - 420, end + 390, 30)
    for host in hosts:
        for card in found[host]:
            g.run(rng, card, times, lambda when, c=card: doing(c, when))
    g.matrix(
        place / "dcgm_query_range.json",
        g.series([c for host in hosts if host != "els-06" for c in found[host]], g.exporter),
    )
    job = "88146"
    ended, begun = g.iso(end, 1), g.iso(start, 1)
    long = g.elapsed(end - start)
    g.put(
        place / "sacct.txt",
        [
            SACCT,
            f"{job}|nt-360m-cs|vondra|czlm|l40s|{g.iso(start - 40, 1)}|{begun}|{ended}|{long}|"
            "12:00:00|COMPLETED|0:0|4|els-[03-04,06-07]",
            f"{job}.batch|batch||czlm||{begun}|{begun}|{ended}|{long}||COMPLETED|0:0|1|els-03",
            f"{job}.extern|extern||czlm||{begun}|{begun}|{ended}|{long}||COMPLETED|0:0|4|els-[03-04,06-07]",
            f"{job}.0|torchrun||czlm||{g.iso(start + 3, 1)}|{g.iso(start + 3, 1)}|{ended}|"
            f"{g.elapsed(end - start - 3)}||COMPLETED|0:0|4|els-[03-04,06-07]",
        ],
    )
    for host in hosts:
        lines = kernel_noise(rng, start - 5000, end + 300, 5)
        lines.append(
            (
                start - 86400 * 3.2 + rng.uniform(0, 90),
                "igb 0000:01:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX",
            )
        )
        g.put(place / "kernel" / f"{host}.txt", [f"{g.dmesg_t(w, 1)} {text}" for w, text in sorted(lines)])

    def info(when: float, text: str, where: str = "INFO|DP=0|PP=0|TP=0|els-03") -> str:
        return f"{g.at(when, 1):%m/%d/%Y %H:%M:%S} [{where}]: {text}"

    out = [
        info(
            start + 41,
            "Config: parallelism=ParallelismArgs(dp=8, pp=1, tp=1), tokens=TokensArgs("
            "sequence_length=2048, "
            f"train_steps={total}, micro_batch_size=4, batch_accumulation_per_replica=4)",
        )
    ]
    for rank, host in enumerate(hosts):
        ip = f"10.3.0.{10 + int(host[-2:])}"
        for gpu in range(2):
            pid = 41000 + rank * 317 + gpu
            out += [
                f"{host}:{pid}:{pid} [{gpu}] NCCL INFO Bootstrap : Using eno1:{ip}<0>",
                f"{host}:{pid}:{pid + 90} [{gpu}] NCCL INFO NET/IB : No device found.",
                f"{host}:{pid}:{pid + 90} [{gpu}] NCCL INFO NET/Socket : Using [0]eno1:{ip}<0>",
                f"{host}:{pid}:{pid + 90} [{gpu}] NCCL INFO Using network Socket",
                f"{host}:{pid}:{pid + 90} [{gpu}] NCCL INFO Channel 00/0 : {rank * 2 + gpu}[{gpu}] -> "
                f"{(rank * 2 + gpu + 1) % 8}[{1 - gpu}] "
                + ("via SHM/direct/direct" if gpu == 0 else "[send] via NET/Socket/0"),
            ]
    out += [
        info(start + 88, "Total number of parameters: 362M (690.27MiB)"),
        info(
            start + 90,
            "[Start training] datetime: " + f"{g.at(start + 90, 1):%Y-%m-%d %H:%M:%S}"
            " | mbs: 4 | grad_accum: 4 | "
            f"global_batch_size: 128 | sequence_length: 2048 | train_steps: {total} | start_iteration_step: 0",
        ),
    ]
    for step in range(1, total + 1):
        when = first + step * each
        ms = 1000 * (each + rng.gauss(0, 0.11))
        loss = 3.72 + 7.1 * math.exp(-step / 70) + 0.7 * math.exp(-step / 300) + rng.gauss(0, 0.03)
        rate = 5e-4 * min(1.0, step / 60) * (1 if step < 500 else max(0.02, (total - step) / 122))
        out.append(
            info(
                when,
                f"iteration: {step} / {total} | consumed_tokens: {step * 0.262144:.3g}M | "
                f"elapsed_time_per_iteration_ms: "
                f"{ms / 1000:.3g}K | tokens_per_sec: {262144 / ms:.3g}K | tokens_per_sec_per_gpu: "
                f"{32768 / ms:.3g}K | "
                f"global_batch_size: 128 | lm_loss: {loss:.3g} | lr: {rate:.3g} | model_tflops_per_gpu: "
                f"{71600 / ms:.3g} | "
                f"hardware_tflops_per_gpu: {71600 / ms:.3g} | grad_norm: "
                f"{abs(rng.gauss(0.6 + 2 * math.exp(-step / 40), 0.05)):.3g}",
            )
        )
    out += [
        info(end - 50, f"Saving checkpoint at /scratch/vondra/nt-360m/{total}"),
        info(end - 9, "Training finished, all ranks exit"),
    ]
    g.put(place / f"nt-360m-cs-{job}.log", out)


def t08_crane(place: Path, rng: Random) -> None:
    """F1: one of two A100 nodes stops dead in a GRPO run after ten minutes; the scheduler ends the job for node "
    "failure.
    """  # noqa: D205
    start = g.epoch("2025-12-16T02:19:44", 0)
    end = start + 11 * 60 + 4
    dead = start + 548.0
    boot = end + 391.0
    hosts = ["ax-0439", "ax-0442"]
    found = g.cards(rng, g.A100, hosts, 8)
    found[hosts[0]][3].sbe, found[hosts[0]][3].sbe_at = 206, [start - 500 + 97 * k + 31 * (k % 2) for k in range(13)]
    found[hosts[0]][3].remapped_c = 0
    first, each = start + 96.0, 23.6

    def doing(card: g.Card, when: float) -> Now:
        if when < start + 14 or when > end - 2:
            return IDLE
        fb = 66120 + 34 * card.index
        if when < start + 58:
            return Now(fb=506, context=True)
        if when < first:
            return Now(0.1, 0.05, 41370, 0.05, 0, 0.02, 2e9, 0, True)
        if when >= dead:
            return Now(1.0, 0.05, fb, 0.16, 0, 0.01, 1e6, 0, True)
        if (when - first) % each < 14.5:
            return Now(0.93, 0.42, fb, 0.5, 0.16, 0.6, 2e8, 0, True)
        return Now(0.985, 0.81, fb, 0.84, 0.43, 0.45, 4e8, 5e10, True)

    for host in hosts:
        begin = start - 600 + rng.uniform(0, 25)
        for card in found[host]:
            g.run(rng, card, g.grid(begin, end + 300, 30), lambda when, c=card: doing(c, when), prof=False)
        g.smi(place / f"{host}.gpu.csv", found[host], 0, rng, dead if host == hosts[1] else 1e18)
    lines = kernel_noise(rng, start - 4000, end + 800, 6)
    g.put(place / "dmesg" / f"{hosts[0]}.txt", [f"{g.dmesg_t(w, 0)} {text}" for w, text in lines])
    after = [
        (
            0.0,
            "Linux version 5.14.0-427.13.1.el9_4.x86_64 (mockbuild@x86-05) (gcc (GCC) 11.4.1) #1 SMP PREEMPT_DYNAMIC",
        ),
        (
            0.0,
            "Command line: BOOT_IMAGE=(hd0,gpt2)/vmlinuz-5.14.0-427.13.1.el9_4.x86_64 root=/dev/md0 ro "
            "console=ttyS1,115200",
        ),
        (1.2, "smpboot: CPU0: AMD EPYC 7763 64-Core Processor (family: 0x19, model: 0x1, stepping: 0x1)"),
        (7.8, "EXT4-fs (md0): orphan cleanup on readonly fs"),
        (8.1, "EXT4-fs (md0): recovery complete"),
        (8.3, "EXT4-fs (md0): mounted filesystem with ordered data mode. Quota mode: none."),
        (31.0, "nvidia: loading out-of-tree module taints kernel."),
        (33.4, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024"),
        (61.7, "mlx5_core 0000:a1:00.0 ens6np0: Link up"),
    ]
    g.put(place / "dmesg" / f"{hosts[1]}.txt", [f"{g.dmesg_t(boot + w, 0)} {text}" for w, text in after])
    job, begun, ended = "1640277", g.iso(start, 0), g.iso(end, 0)
    long = g.elapsed(end - start)
    nodes = "ax-[0439,0442]"
    g.put(
        place / "sacct.txt",
        [
            SACCT,
            f"{job}|grpo-geomath|lindqvist|rl-reason|a100|"
            f"{g.iso(start - 6310, 0)}|{begun}|{ended}|{long}|"
            f"1-00:00:00|NODE_FAIL|0:0|2|{nodes}",
            f"{job}.batch|batch||rl-reason||{begun}|{begun}|{ended}|{long}||CANCELLED|0:15|1|ax-0439",
            f"{job}.extern|extern||rl-reason||{begun}|{begun}|{ended}|{long}||CANCELLED|0:15|2|{nodes}",
            f"{job}.0|accelerate||rl-reason||{g.iso(start + 2, 0)}|{g.iso(start + 2, 0)}|{ended}|"
            f"{g.elapsed(end - start - 2)}||CANCELLED|0:15|2|{nodes}",
        ],
    )

    def ctld(when: float) -> str:
        return f"[{g.iso(when, 0)}.{rng.randrange(1000):03d}]"

    g.put(
        place / "slurmctld_excerpt.log",
        [
            f"{ctld(start)} sched: Allocate JobId={job} NodeList={nodes} #CPUs=256 Partition=a100",
            f"{ctld(dead + 52)} error: Nodes ax-0442 not responding",
            f"{ctld(end - 0.6)} error: Nodes ax-0442 not responding, setting DOWN",
            f"{ctld(end)} Killing JobId={job} on failed node ax-0442",
            f"{ctld(boot + 88)} Node ax-0442 now responding",
            f"{ctld(boot + 89)} validate_node_specs: Node ax-0442 unexpectedly rebooted boot_time={int(boot)} last "
            f"response={int(dead - 9)}",
        ],
    )
    g.put(
        place / "sinfo_R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {ended} ax-0442",
        ],
    )
    out = [
        f"{g.at(start + 3, 0):%F %T} nodes={nodes} head=ax-0439",
        "accelerate launch --num_processes 16 --num_machines 2 --main_process_ip ax-0439 grpo.py --config geomath.yaml",
        "Loading checkpoint shards: 100%|██████████| 4/4 [00:06<00:00,  1.58s/it]",
        f"INFO {g.at(start + 71, 0):%m-%d %H:%M:%S} [gpu_worker.py:227] Model weights take 15.27GB; KV cache "
        f"18.40GiB (colocate)",
    ]
    step = 0
    while first + (step + 1) * each < dead:
        step += 1
        reward = 0.21 + 0.013 * step + rng.gauss(0, 0.02)
        out += [
            f"{{'loss': {abs(rng.gauss(0.004, 0.002)):.4f}, 'grad_norm': {rng.gauss(0.31, 0.03):.6f}, "
            f"'learning_rate': "
            f"{1e-6 * min(1, step / 10):.3g}, 'num_tokens': {step * 402113.0 + rng.randrange(9000):.1f}, "
            f"'completions/mean_length': "
            f"{rng.gauss(711, 22):.4f}, 'completions/clipped_ratio': {abs(rng.gauss(0.05, 0.01)):.5f}, "
            f"'rewards/exact/mean': "
            f"{reward:.6f}, 'reward': {reward:.6f}, 'reward_std': {rng.gauss(0.34, 0.01):.6f}, 'kl': "
            f"{0.0004 * step + abs(rng.gauss(0, 0.0002)):.6f}, 'epoch': {step / 1460:.2f}}}",
            f"  {100 * step // 1460}%|{'':10s}| {step}/1460 "
            f"[{int(step * each) // 60:02d}:{int(step * each) % 60:02d}<"
            f"9:{30 - step:02d}:11, {each + rng.gauss(0, 0.3):.2f}s/it]",
        ]
    out += [
        f"srun: error: Node failure on ax-0442, step {job}.0",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB {job} ON ax-0439 CANCELLED AT {ended} DUE TO NODE FAILURE, SEE SLURMCTLD "
        f"LOG FOR DETAILS ***",
        f"slurmstepd: error: *** STEP {job}.0 ON ax-0439 CANCELLED AT {ended} DUE TO NODE FAILURE, SEE SLURMCTLD "
        f"LOG FOR DETAILS ***",
    ]
    g.put(place / "slurm-grpo-geomath.out", out)

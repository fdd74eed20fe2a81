"""The twentieth set's incidents t01 to t06, as drawn in ``lot_incidents``; all SIMULATED."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .rig import (
    NOBODY,
    Fleet,
    Load,
    Values,
    clock,
    curve,
    dmon,
    epoch,
    kernel,
    kube,
    plain,
    put,
    query_range,
    quiet,
    series,
    took,
    victoria,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01(place: Path, rng: Random) -> None:
    """D1: three cards wait for JPEGs that six cores decode; nothing of the training is logged, accounting is missing."""
    east, host = 60, "gpu-c07"
    begin = epoch("2026-02-17T09:12:20", east)
    up, end = begin + 74, begin + 90 * 60 - 18
    last = end - 6

    def load(_n: int, g: int, t: float) -> Load:
        if not begin + 21 <= t <= last:
            return NOBODY
        if t < up:
            return Load(used=1900 + 40 * g)
        duty = max(0.02, rng.gauss(0.085, 0.02))
        return Load(duty, duty * 0.74, duty * 0.3, duty * 0.4, 23870 + 210 * (g == 0), rx=61, tx=9)

    def alter(_n: int, _g: int, t: float, v: Values) -> Values:
        if up <= t <= last:
            at_work = rng.random() < 0.09
            v["GPU_UTIL"] = rng.randint(46, 97) if at_work else rng.choice((0, 0, 0, 0, 0, 0, 2, 5))
            v["MEM_COPY_UTIL"] = v["GPU_UTIL"] // 2
        return v

    fleet = Fleet("A100", [host], 3, load, begin - 300, end + 240, 60, 201, alter)
    query_range(place, f"prom/dcgm_{host}.json", series(fleet, plain(fleet)))
    user, system, found = 0.0, 0.0, []
    group = {"cgroup": "/slurm/uid_20417/job_88121", "instance": f"{host}:9306", "job": "cgroup"}
    users, systems, rss, cores = [], [], [], []
    t = begin + 20
    while t < end:
        users.append((t, f"{user:.2f}"))
        systems.append((t, f"{system:.2f}"))
        rss.append((t, str(int((9.1 if t < up else 41.8 + rng.gauss(0, 0.7)) * 2**30))))
        cores.append((t, "6"))
        user += 60 * (rng.gauss(5.61, 0.05) if t > up - 10 else 1.4)
        system += 60 * (rng.gauss(0.33, 0.02) if t > up - 10 else 0.3)
        t += 60
    for name, values in (
        ("cgroup_cpu_user_seconds", users),
        ("cgroup_cpu_system_seconds", systems),
        ("cgroup_memory_rss_bytes", rss),
        ("cgroup_cpus", cores),
    ):
        found.append(({"__name__": name, **group}, values))
    query_range(place, f"prom/cgroup_{host}.json", found)
    lines = [
        f"== job 88121 on {host}, {clock(begin, east, '%a %d %b %H:%M:%S')} CET 2026",
        "CUDA_VISIBLE_DEVICES=0,1,2",
        "OMP_NUM_THREADS=1",
        "SLURM_CPUS_ON_NODE=6",
        "+ time python -u train_dp.py --data /nfs/imagery/orthos_full --resize 1024 --workers 24",
        "/home/kvogel/venvs/geo/lib/python3.10/site-packages/torch/utils/data/dataloader.py:557: UserWarning: This "
        "DataLoader will create 24 worker processes in total. Our suggested max number of worker in current system is 6, "
        "which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation "
        "might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if "
        "necessary.",
        "  warnings.warn(_create_warning_msg(",
    ]
    spoilt = (
        "Corrupt JPEG data: 14 extraneous bytes before marker 0xd9",
        "Corrupt JPEG data: 803 extraneous bytes before marker 0xd9",
        "Premature end of JPEG file",
        "libpng warning: iCCP: known incorrect sRGB profile",
        "Corrupt JPEG data: premature end of data segment",
    )
    lines += [rng.choice(spoilt) for _ in range(34)]
    real = last - begin - 12
    lines += [
        "",
        f"real\t{int(real // 60)}m{real % 60:.3f}s",
        f"user\t{int(user // 60)}m{user % 60:.3f}s",
        f"sys\t{int(system // 60)}m{system % 60:.3f}s",
        f"== end {clock(end, east, '%a %d %b %H:%M:%S')} CET 2026",
    ]
    put(place, "train_dp-88121.out", lines)
    more = [
        (begin - 4011, "nfs: server nas-img not responding, still trying"),
        (begin - 3998, "nfs: server nas-img OK"),
    ]
    kernel(place, f"dmesg_{host}.txt", quiet(rng, begin) + more, "dmesg -T", east)


def t02(place: Path, rng: Random) -> None:
    """F1: one of five nodes goes away under a PyTorchJob; its pod is evicted, the others wait until NCCL gives up."""
    east, space, job = 480, "aigc", "sdxl-lora-huahui"
    begin = epoch("2026-04-09T15:20:04", east)
    dead, end = begin + 31 * 60 + 17, begin + 41 * 60 + 22
    nodes = [f"worker-{n}" for n in ("g03", "g05", "g08", "g09", "g12")]
    pods = [f"{job}-master-0", *(f"{job}-worker-{i}" for i in range(4))]
    lost = 3

    def load(n: int, _g: int, t: float) -> Load:
        if not begin + 18 <= t <= end:
            return NOBODY
        if t < begin + 130:
            return Load(0, 0, 0, 0, 7400 if t > begin + 60 else 900)
        if t < dead:
            return Load(rng.gauss(0.955, 0.01), 0.77, 0.31, 0.42, 27640 + 60 * n, rx=420, tx=430)
        return Load(1.0, 0.012, 0.0, 0.002, 27640 + 60 * n, rx=0.3, tx=0.3)

    def alter(n: int, _g: int, t: float, v: Values) -> Values | None:
        return None if n == lost and t > dead else v

    fleet = Fleet("5090", nodes, 1, load, begin - 300, end + 180, 60, 202, alter, inlet=27)
    drop = ("GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE", "PCIE_TX_BYTES", "PCIE_RX_BYTES")
    found = series(fleet, kube(fleet, space, pods), drop=drop)
    others = Fleet(
        "5090",
        ["worker-g04", "worker-g07"],
        1,
        lambda n, _g, _t: Load(rng.gauss(0.9, 0.03), 0.6, 0.28, 0.5, 21180 if n else 30110),
        begin - 300,
        end + 180,
        60,
        212,
        inlet=27,
    )
    found += series(others, kube(others, "search", ["rerank-ft-0", "embed-nightly-7c9d8b6f5-x2lqk"]), drop=drop)
    for n, node in enumerate([*nodes, *others.nodes]):
        when = [begin - 300 + 60 * i for i in range(int((end + 480 - begin) // 60) + 1)]
        gone = n == lost
        up = {"__name__": "up", "job": "nvidia-dcgm-exporter", "namespace": "gpu-operator", "node": node}
        found.append((up, [(t, str(int(not (gone and t > dead)))) for t in when]))
        for state in ("true", "unknown"):
            ready = {"__name__": "kube_node_status_condition", "condition": "Ready", "node": node, "status": state}
            late = dead + 47
            found.append((ready, [(t, str(int((gone and t > late) == (state == "unknown")))) for t in when]))
    victoria(place, "vmexport.jsonl", found)
    name = nodes[lost]
    noticed, evict = dead + 46, dead + 346

    def ago(t: float) -> str:
        s = int(end + 1500 - t)
        return f"{s // 60}m" if s >= 600 else f"{s // 60}m{s % 60}s"

    rows = [
        (begin, "Normal", "SuccessfulCreatePod", f"pytorchjob/{job}", f"Created pod: {pods[0]}"),
        *(
            (
                begin + 3,
                "Normal",
                "Pulled",
                f"pod/{p}",
                'Container image "harbor.lan/aigc/kohya:0.9.1-cu128" already present on machine',
            )
            for p in pods
        ),
        *((begin + 5, "Normal", "Started", f"pod/{p}", "Started container pytorch") for p in pods),
        (noticed, "Warning", "NodeNotReady", f"pod/{pods[lost]}", "Node is not ready"),
        (noticed, "Normal", "NodeNotReady", f"node/{name}", f"Node {name} status is now: NodeNotReady"),
        (
            evict,
            "Normal",
            "TaintManagerEviction",
            f"pod/{pods[lost]}",
            f"Marking for deletion Pod {space}/{pods[lost]}",
        ),
    ]
    head = f"{'LAST SEEN':<11} {'TYPE':<9} {'REASON':<22} {'OBJECT':<34} MESSAGE"
    put(place, "events.txt", [head, *(f"{ago(t):<11} {k:<9} {r:<22} {o:<34} {m}" for t, k, r, o, m in rows)])
    lines = [f"{'NAME':<30} {'READY':<7} {'STATUS':<18} {'RESTARTS':<12} {'AGE':<6} {'IP':<14} NODE"]
    for n, pod in enumerate(pods):
        state = ("1/1", "Terminating", "0") if n == lost else ("0/1", "Error", "0")
        lines.append(
            f"{pod:<30} {state[0]:<7} {state[1]:<18} {state[2]:<12} 66m    10.244.{n + 3}.{41 + n:<6} {nodes[n]}"
        )
    put(place, "pods.txt", lines)
    stamp = lambda t: clock(t, east, "%a, %d %b %Y %H:%M:%S +0800")  # noqa: E731
    rest = "NodeStatusUnknown   Kubelet stopped posting node status."
    put(
        place,
        f"describe-node-{name}.txt",
        [
            f"Name:               {name}",
            "Roles:              <none>",
            f"Labels:             kubernetes.io/hostname={name}",
            "                    nvidia.com/gpu.product=NVIDIA-GeForce-RTX-5090",
            "Taints:             node.kubernetes.io/unreachable:NoExecute",
            "                    node.kubernetes.io/unreachable:NoSchedule",
            "Unschedulable:      false",
            "Lease:",
            f"  HolderIdentity:  {name}",
            f"  RenewTime:       {stamp(dead - 4)}",
            "Conditions:",
            f"  {'Type':<17}{'Status':<9}{'LastHeartbeatTime':<34}{'LastTransitionTime':<34}{'Reason':<20}Message",
            f"  {'----':<17}{'------':<9}{'-----------------':<34}{'------------------':<34}{'------':<20}-------",
            *(
                f"  {kind:<17}{'Unknown':<9}{stamp(dead - 131):<34}{stamp(noticed):<34}{rest}"
                for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
            ),
            "Capacity:",
            "  cpu:                32",
            "  memory:             131841384Ki",
            "  nvidia.com/gpu:     1",
            "Non-terminated Pods:          (4 in total)",
            f"  {space:<25} {pods[lost]:<34} 8 (25%)       16 (50%)    64Gi (50%)       64Gi (50%)     66m",
        ],
    )
    for n, node in enumerate(nodes):
        if n != lost:
            kernel(place, f"dmesg/{node}.txt", quiet(rng, begin, "k8s"), "dmesg -T", east)


def t03(place: Path, rng: Random) -> None:
    """G1: a ViT is fine-tuned with big_vision on one H800, to its last step; accounting is missing."""
    east, host, total = 180, "n1407", 9000
    begin = epoch("2026-05-12T14:02:31", east)
    pid = 140213377812544
    lines: list[str] = []
    evals: list[tuple[float, float]] = []

    def say(t: float, text: str, where: str = "train.py:96") -> None:
        lines.append(f"I{clock(t, east, '%m%d %H:%M:%S')}.{int(t * 1e6) % 1000000:06d} {pid} {where}] {text}")

    def note(t: float, text: str) -> None:
        say(t, f"\x1b[33mNOTE\x1b[0m: {text}", "train.py:102")

    def hms(s: float) -> str:
        m, h = s / 60, s / 3600
        return f"{int(h)}h{int(m % 60)}m" if h >= 1 else f"{int(m)}m" if m >= 1 else f"{int(s)}s"

    t = begin + 14.2
    say(
        t,
        "Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory",
        "xla_bridge.py:925",
    )
    t += 1.1
    say(
        t,
        f"\x1b[33mHello from process 0 holding 1/1 devices and writing to workdir /work/vit_pets/{clock(begin, east, '%m-%d_%H%M')}.\x1b[0m",
    )
    for text in (
        "Initializing...",
        "Initializing train dataset...",
        "Initializing vit model...",
        "Initializing adafactor optimizer...",
    ):
        t += rng.uniform(2, 6)
        note(t, text)
    t += 4
    note(
        t,
        "Global batch size 512 on 1 hosts results in 512 local batch size. With 1 dev per host (1 dev total), that's a 512 per-device batch size.",
    )
    note(t + 3, f"Running for {total} steps, that means {total * 512 / 1281167:f} epochs")
    t += 9
    note(t, "Initialize model from gs-mirror/vit_b16_i21k.npz...")
    t += 21
    note(t, "Kicking off misc stuff...")
    t += 2
    note(t, "First step compilations...\n")
    program, held_from = begin + 9, begin + 16
    t += 58
    first = t
    pause, train_s, hours = 0.0, 0.0, 0.0
    step, prev = 1, t
    while step <= total:
        fresh = step == 1
        if not fresh:
            dt = 50 * 512 / (rng.gauss(1058, 6))
            t += dt
            train_s += dt
            hours = train_s / 3600
        loss = curve(rng, step, 6.93, 0.92, 900, 0.02)
        rate = 0.03 * min(1, step / 500) * (1 - max(0, step - 500) / (total - 500) * 0.98)

        def measure(key: str, value: float, at: float = t, s: int = step) -> None:
            say(at, f"\x1b[35m[{s}]\x1b[0m {key} = {value}", "utils.py:1204")

        for key, value in (
            ("training_loss", loss),
            ("l2_params", 271.3 - step * 0.0021 + rng.gauss(0, 0.02)),
            ("l2_grads", abs(rng.gauss(0.62, 0.05))),
            ("global_schedule", rate / 0.03),
            ("uptime", t - program),
            ("examples_seen", step * 512.0),
            ("progress", step / total),
            ("epoch", step * 512 / 1281167),
        ):
            measure(key, value)
        if not fresh:
            measure("img/sec/core", 50 * 512 / dt)
            measure("core_hours_NVIDIA H800", hours)
            measure("core_hours", hours)
            share = train_s / max(step - 1, 1)
            note(
                t,
                f"Steps:{step}/{total} [{step / total:.1%}]\nWalltime:{hms(t - program)} ({hms(pause)} eval)\n"
                f"ETA:{hms(share * (total - step))}\nTotal train time:{hms(share * total)}",
            )
        if step % 1500 == 0:
            note(t, "val evaluation...\n")
            took_s = rng.uniform(41, 44)
            evals.append((t, t + took_s))
            t += took_s
            pause += took_s
            measure("val/prec@1", 0.79 - 0.62 * 2.718 ** (-step / 1300) + rng.gauss(0, 0.002), t)
            measure("val/loss", curve(rng, step, 6.9, 0.87, 850, 0.006), t)
            note(t + 0.2, "Saving checkpoint...")
        step = 50 if fresh else step + 50
    del prev
    end = t + 11

    def load(_n: int, _g: int, at: float) -> Load:
        if not held_from <= at <= end:
            return NOBODY
        if at < first - 55:
            return Load(used=61200)
        if at < first:
            return Load(0.12, 0.03, 0.01, 0.02, 61200)
        if any(a <= at < b for a, b in evals):
            return Load(0.71, 0.55, 0.3, 0.33, 61200, rx=390)
        return Load(0.978, 0.86, 0.44, 0.47, 61200, rx=310, tx=4)

    fleet = Fleet("H800", [host], 1, load, begin - 120, end + 120, 30, 203)
    query_range(place, "prometheus/dcgm_query_range.json", series(fleet, plain(fleet)))
    put(place, "bv_train_51877.err", lines)
    kernel(place, f"{host}.dmesg", quiet(rng, begin), "dmesg -T", east)


def t04(place: Path, rng: Random) -> None:
    """B2: an uncorrectable ECC error, contained, ends a SpeechBrain run in its fourth epoch; accounting is missing."""
    east, host = 0, "hx-gpu2"
    begin = epoch("2026-06-22T08:40:11", east)
    lines: list[str] = []

    def core(text: str, who: str = "core") -> None:
        lines.append(f"speechbrain.{who} - {text}")

    core("Applied quirks (see `speechbrain.utils.quirks`): [allow_tf32, disable_jit_profiling]", "utils.quirks")
    core("Excluded quirks specified by the `SB_DISABLE_QUIRKS` environment (comma-separated list): []", "utils.quirks")
    core("Beginning experiment!")
    core("Experiment folder: results/conformer_small_ro/7775")
    lines.append(
        "common_voice_prepare - results/conformer_small_ro/7775/train.csv already exists, skipping data preparation!"
    )
    core("Loaded categorical encoding from results/conformer_small_ro/7775/save/label_encoder.txt", "dataio.encoder")
    core(
        "CategoricalEncoder.expect_len was never called: assuming category count of 58 to be correct! Sanity check your encoder using `.expect_len`. Ensure that downstream code also uses the correct size. If you are sure this does not apply to you, use `.ignore_len`.",
        "dataio.encoder",
    )
    core("Info: auto_mix_prec arg overridden by command line input to: bf16", "core")
    core("Gradscaler enabled: `False`")
    core("Using training precision: `--precision=bf16`")
    core("ASR: 14,203,778 trainable parameters")
    core("Would load a checkpoint here, but none found yet.", "utils.checkpoints")
    core("Going into epoch 1", "utils.epoch_loop")
    batches, t = 611, begin + 64
    fail, spans, losses = begin + 19 * 60 + 8.4, [], []
    raw, epoch_no, old = [], 1, ""
    while True:
        pace = rng.uniform(2.35, 2.45)
        done, start = 0, t
        text = ""
        while done < batches and t < fail:
            step = min(batches, done + rng.randint(12, 15))
            t += (step - done) / pace
            done = step
            loss = curve(rng, (epoch_no - 1) * batches + done / 2, 96, 18.4, 700, 0.004)
            spent, left = int(t - start), int((batches - done) / pace)
            share = int(100 * done / batches)
            text += f"\r{share:3d}%|{'█' * (share // 10):<10}| {done}/{batches} [{spent // 60:02d}:{spent % 60:02d}<{left // 60:02d}:{left % 60:02d},  {pace:.2f}it/s, train_loss={loss:.3g}]"
        raw.append(text)
        if done < batches:
            break
        spans.append((t, t + 23))
        valid = 0
        text = ""
        for valid in (24, 51, 77):
            text += f"\r{int(100 * valid / 77):3d}%|{'█' * int(10 * valid / 77):<10}| {valid}/77 [00:{int(valid / 3.4):02d}<00:{int((77 - valid) / 3.4):02d},  3.41it/s]"
        losses.append(loss)
        extra = (
            ["speechbrain.core - Loss is inf.", "speechbrain.core - Patience not yet exhausted."]
            if epoch_no == 1
            else []
        )
        t += 23
        stamp = clock(t, east, "%Y-%m-%d+%H-%M-%S")
        raw += [
            *extra,
            text,
            f"speechbrain.utils.train_logger - epoch: {epoch_no}, lr: {8e-4 * min(1, epoch_no * batches / 2500):.2e}, steps: {epoch_no * batches}, optimizer: Adam - train loss: {loss:.2e} - valid loss: {loss * 0.93:.2e}, valid ACC: {0.23 + 0.11 * epoch_no:.2e}",
            f"speechbrain.utils.checkpoints - Saved an end-of-epoch checkpoint in results/conformer_small_ro/7775/save/CKPT+{stamp}+00",
        ]
        if epoch_no > 1:
            raw.append(
                f"speechbrain.utils.checkpoints - Deleted checkpoint in results/conformer_small_ro/7775/save/CKPT+{old}+00"
            )
        old = stamp
        epoch_no += 1
        raw.append(f"speechbrain.utils.epoch_loop - Going into epoch {epoch_no}")
    lib = "/opt/conda/envs/sb/lib/python3.11/site-packages"
    frames = [
        ("/home/mpop/asr/train.py", 388, "<module>", "asr_brain.fit("),
        (f"{lib}/speechbrain/core.py", 1585, "fit", "self._fit_train(train_set=train_set, epoch=epoch, enable=enable)"),
        (f"{lib}/speechbrain/core.py", 1410, "_fit_train", "loss = self.fit_batch(batch)"),
        (f"{lib}/speechbrain/core.py", 1196, "fit_batch", "scaled_loss.backward()"),
        (f"{lib}/torch/_tensor.py", 626, "backward", "torch.autograd.backward("),
        (f"{lib}/torch/autograd/__init__.py", 347, "backward", "_engine_run_backward("),
    ]
    trace = ["Traceback (most recent call last):"]
    for file, line, name, code in frames:
        trace += [f'  File "{file}", line {line}, in {name}', f"    {code}"]
    trace += [
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    put(place, "train_7775.log", [*lines, *raw, "speechbrain.core - Exception:", *trace])
    end = fail + 6

    def load(_n: int, _g: int, at: float) -> Load:
        if not begin + 30 <= at <= end:
            return NOBODY
        if at < begin + 64:
            return Load(used=1250)
        if any(a <= at < b for a, b in spans):
            return Load(0.55, 0.3, 0.08, 0.2, 41200)
        return Load(
            0.93 if at < fail else 0.0, 0.62 if at < fail else 0, 0.21 if at < fail else 0, 0.36, 41200, rx=120, tx=6
        )

    def alter(_n: int, _g: int, at: float, v: Values) -> Values:
        if at >= fail:
            v["XID_ERRORS"], v["ECC_DBE_VOL_TOTAL"] = 94, 1
        return v

    fleet = Fleet("H20", [host], 1, load, begin - 60, end + 100, 10, 204, alter)
    dmon(place, f"dcgmi_dmon_{host}.log", fleet, 0, east)
    pci = "PCI:0000:1b:00"
    more = [
        (
            fail - 0.31,
            f"NVRM: Xid ({pci}): 48, pid=41877, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 4, subpartition 1.",
        ),
        (
            fail - 0.30,
            f"NVRM: Xid ({pci}): 63, pid=41877, name=python, Row Remapper: New row (0x00000000051c3aa0) marked for remapping, reset gpu to activate.",
        ),
        (
            fail - 0.21,
            f"NVRM: Xid ({pci}): 94, pid=41877, name=python, Contained: SM (0x1). RST: No, D-RST: No",
        ),
        (fail - 0.20, f"NVRM: Xid ({pci}): 94, pid=41877, name=python, Ch 00000008"),
    ]
    kernel(place, "dmesg.txt", quiet(rng, begin) + more, "dmesg -T", east)


def t05(place: Path, rng: Random) -> None:
    """G1: fairseq2 fine-tunes to its last step on three H200; a row of one card has waited for a reset for days."""
    east, host, total = 60, "cn-h214", 1200
    begin = epoch("2026-03-11T18:05:47", east)
    ranks: list[list[str]] = [[], [], []]

    def say(t: float, text: str, name: str = "fairseq2.recipe", only: int | None = None) -> None:
        for r in range(3):
            if only in (None, r):
                ranks[r].append(f"[Rank {r}] {clock(t + 0.2 * r, east)} INFO {name} - {text}")

    t = begin + 22
    say(t, "Command: fairseq2 lm sft /project/med/sft_out --config-file sft_med.yaml")
    say(t + 1, "Initializing the root gang.", "fairseq2.gang")
    t += 9
    say(t, "Loading qwen25_7b_instruct model on data parallel rank 0.", only=0)
    t += 84
    say(t, "Model loaded on data parallel rank 0.", only=0)
    t += 3
    say(t, "Broadcasting model to all processes, wrapping with FSDP2, and compiling.", only=0)
    t += 31
    say(t, "Attempting to load the last checkpoint.", "fairseq2.trainer")
    say(t, "No checkpoint found. Starting training.", "fairseq2.trainer")
    say(t + 1, "Running training on 3 device(s).", "fairseq2.trainer")
    up = t
    seen, wall0, saves, evals = 0, begin + 20, [], []
    for step in range(1, total + 1):
        t += rng.gauss(5.28, 0.09)
        if step % 10 == 0:
            n = int(rng.gauss(98500, 2600))
            seen += 10 * n
            lr = 5.5e-6 * (
                step / 100 if step < 100 else 0.2 + 0.8 * (1 + math.cos(3.1416 * (step - 100) / (total - 100))) / 2
            )
            say(
                t,
                f"Train Metrics (step {step:,}) - NLL Loss: {curve(rng, step, 1.71, 0.88, 160, 0.018):.4g} | Gradient Norm: "
                f"{abs(rng.gauss(1.3, 0.12)):.4g} | Learning Rate: {lr:.6g} | Batch Size: {int(rng.gauss(192, 9))} | "
                f"Number of Elements: {n:,} | Total Number of Elements: {seen:,} | Elements per Second: {int(n / 5.28):,} | "
                f"Elapsed Time: {int(t - up)}s | Wall Time: {int(t - wall0)}s",
                "fairseq2.metrics",
                only=0,
            )
        if step % 400 == 0:
            say(t, f"Running validation after step {step}.", "fairseq2.trainer", only=0)
            evals.append((t, t + 71))
            t += 71
            say(
                t,
                f"Validation Metrics (step {step}) - valid - NLL Loss: {curve(rng, step, 1.69, 0.91, 170, 0.003):.4g} | Batch Size: 192",
                "fairseq2.metrics",
                only=0,
            )
            say(t, f"Preparing the checkpoint at step {step}.", "fairseq2.trainer", only=0)
            saves.append((t, t + 44))
            t += 44
            say(t, f"Checkpoint at step {step} saved.", "fairseq2.trainer", only=0)
    say(t + 1, f"Training complete in {int(t - up):,} seconds after {total} step(s)!", "fairseq2.trainer")
    last = t + 6
    end = t + 19
    for r in range(3):
        put(place, f"sft_out/logs/rank_{r}.log", ranks[r])

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 24 <= at <= last:
            return NOBODY
        if at < up:
            return Load(0.02, 0.01, 0, 0.01, 16100 if g == 0 else 2100)
        if any(a <= at < b for a, b in saves):
            return Load(0.04, 0.01, 0, 0.02, 118400 + 90 * g, tx=1900)
        if any(a <= at < b for a, b in evals):
            return Load(0.97, 0.8, 0.42, 0.34, 118400 + 90 * g)
        return Load(0.992, 0.83, 0.43, 0.41, 118400 + 90 * g, rx=5100, tx=5100)

    def alter(_n: int, g: int, _t: float, v: Values) -> Values:
        v["ROW_REMAP_PENDING"] = int(g == 1)
        if g == 1:
            v["CORRECTABLE_REMAPPED_ROWS"] = 1
        return v

    fleet = Fleet("H200NVL", [host], 3, load, begin - 180, end + 180, 30, 205, alter)
    query_range(place, "dcgm.json", series(fleet, plain(fleet)))
    when = "%Y-%m-%dT%H:%M:%S"
    limit = "04:00:00"
    b, e = clock(begin, east, when), clock(end, east, when)
    put(
        place,
        "sacct.txt",
        [
            "JobID|JobName|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList|ReqTRES|MaxRSS",
            f"5120944|sft_med|COMPLETED|0:0|{clock(begin - 1310, east, when)}|{b}|{e}|{took(end - begin)}|{limit}|1|{host}|billing=48,cpu=48,gres/gpu=3,mem=360G,node=1|",
            f"5120944.batch|batch|COMPLETED|0:0|{b}|{b}|{e}|{took(end - begin)}||1|{host}||48120K",
            f"5120944.extern|extern|COMPLETED|0:0|{b}|{b}|{e}|{took(end - begin)}||1|{host}||1088K",
            f"5120944.0|fairseq2|COMPLETED|0:0|{clock(begin + 3, east, when)}|{clock(begin + 3, east, when)}|{clock(end - 1, east, when)}|{took(end - begin - 4)}||1|{host}||61877420K",
        ],
    )
    old = begin - 3.4 * 86400
    more = [
        (
            old,
            "NVRM: Xid (PCI:0000:3a:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000024b1e60) marked for remapping, reset gpu to activate.",
        ),
    ]
    kernel(place, "kern.log", quiet(rng, begin) + more, "syslog", east, host)


def t06(place: Path, rng: Random) -> None:
    """F1: the second of two nodes loses power after seven hours of ms-swift; accounting is missing."""
    east, nodes = 0, ["gpu-h-13", "gpu-h-14"]
    begin = epoch("2026-03-03T22:41:09", east)
    dead = begin + 433 * 60 + 27
    total, every, start = 3660, 5, begin + 212
    lines = [
        "run sh: `torchrun --nproc_per_node 8 --nnodes 2 --node_rank 0 --master_addr gpu-h-13 --master_port 29611 /env/swift/lib/python3.10/site-packages/swift/cli/sft.py --model Qwen/Qwen2.5-32B-Instruct --train_type full --dataset /data/sft/mix_v7.jsonl --deepspeed zero3 --max_length 8192 --num_train_epochs 2 --save_steps 400 --logging_steps 5 --output_dir output/qwen32b_mix_v7`",
        f"W{clock(begin + 9, east, '%m%d %H:%M:%S')}.114000 40211 site-packages/torch/distributed/run.py:792] ",
        f"W{clock(begin + 9, east, '%m%d %H:%M:%S')}.114000 40211 site-packages/torch/distributed/run.py:792] *****************************************",
        f"W{clock(begin + 9, east, '%m%d %H:%M:%S')}.114000 40211 site-packages/torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "[INFO:swift] Successfully registered `/env/swift/lib/python3.10/site-packages/swift/llm/dataset/data/dataset_info.json`.",
        "[INFO:swift] rank: 0, local_rank: 0, world_size: 16, local_world_size: 8",
        "[INFO:swift] Loading the model using model_dir: /models/Qwen2.5-32B-Instruct",
        "Loading checkpoint shards: 100%|██████████| 17/17 [01:02<00:00,  3.69s/it]",
        "[INFO:swift] Setting torch_dtype: torch.bfloat16",
        "[INFO:swift] The split dataset from the training set will be saved at: output/qwen32b_mix_v7/v0-20260303-224140/val_dataset.jsonl.",
        "[INFO:swift] model_parameter_info: PeftModelForCausalLM: 32763.8764M Params (32763.8764M Trainable [100.0000%]), 0.0000M Buffers.".replace(
            "PeftModelForCausalLM", "Qwen2ForCausalLM"
        ),
        "[INFO:swift] The logging file will be saved in: /work/output/qwen32b_mix_v7/v0-20260303-224140/logging.jsonl",
        f"Train:   0%|          | 0/{total} [00:00<?, ?it/s]",
    ]
    t, step = start, 0
    saves = []

    def hms(s: float) -> str:
        whole = int(s)
        h, m, s2 = whole // 3600, whole % 3600 // 60, whole % 60
        return f"{h}h {m}m {s2}s" if h else f"{m}m {s2}s" if m else f"{s2}s"

    def bar(s: float) -> str:
        whole = int(s)
        return (
            f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
            if whole >= 3600
            else f"{whole // 60:02d}:{whole % 60:02d}"
        )

    while True:
        dt = 5 * rng.gauss(10.62, 0.05)
        if t + dt > dead:
            break
        t += dt
        step += every
        spent = t - start
        lr = 1e-5 * (step / 183 if step < 183 else 0.5 * (1 + math.cos(3.14159 * (step - 183) / (total - 183))))
        left = spent / step * (total - step)
        line = (
            f"{{'loss': {curve(rng, step, 1.402, 0.741, 210, 0.03):.8f}, 'grad_norm': {abs(rng.gauss(0.74, 0.06)):.8f}, "
            f"'learning_rate': {lr:.2e}, 'token_acc': {1 - curve(rng, step, 0.34, 0.214, 210, 0.012):.8f}, 'epoch': {step * 2 / total:.2f}, "
            f"'global_step/max_steps': '{step}/{total}', 'percentage': '{100 * step / total:.2f}%', 'elapsed_time': '{hms(spent)}', "
            f"'remaining_time': '{hms(left)}', 'memory(GiB)': 71.88, 'train_speed(iter/s)': {step / spent:.6f}}}"
        )
        share = int(100 * step / total)
        lines += [
            line,
            f"Train: {share:3d}%|{'█' * (share // 10):<10}| {step}/{total} [{bar(spent)}<{bar(left)}, {dt / 5:.2f}s/it]",
        ]
        if step % 400 == 0:
            saves.append((t, t + 96))
            t += 96
            lines.append(
                f"[INFO:swift] Saving model checkpoint to /work/output/qwen32b_mix_v7/v0-20260303-224140/checkpoint-{step}"
            )
    stuck = dead + 131
    gone = stuck + 9
    stamp = clock(stuck, east, "%Y-%m-%d %H:%M:%S")
    lines.append(
        f"gpu-h-13:40301:41522 [0] {clock(stuck, east, '%Y-%m-%d %H:%M:%S')} transport/net_ib.cc:2039 NCCL WARN NET/IB : Got completion from peer 10.40.1.14<47213> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::e09d:7303:d1:4a2e remoteGids fe80::e09d:7303:d1:4b06 hca mlx5_0"
    )
    for r in range(8):
        when = clock(stuck, east, "%H:%M:%S") + f".{310 + 7 * r:03d}{rng.randrange(1000000):06d}"
        lines.append(
            f"[rank{r}]:[E304 {when} ProcessGroupNCCL.cpp:552] [Rank {r}] Collective WorkNCCL(SeqNum={482211 + step}, OpType=_ALLGATHER_BASE, NumelIn=3276800, NumelOut=52428800, Timeout(ms)=1800000) raised the following async exception: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5"
        )
    lines += [
        f"W{clock(stuck + 2, east, '%m%d %H:%M:%S')}.901000 40211 site-packages/torch/distributed/elastic/multiprocessing/api.py:897] Sending process {40301 + k} closing signal SIGTERM"
        for k in (1, 2, 3, 4, 5, 6, 7)
    ]
    lines += [
        f"E{clock(stuck + 7, east, '%m%d %H:%M:%S')}.220000 40211 site-packages/torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: 0 (pid: 40301) of binary: /env/swift/bin/python3.10",
        "Traceback (most recent call last):",
        '  File "/env/swift/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/env/swift/lib/python3.10/site-packages/torch/distributed/run.py", line 918, in main',
        "    run(args)",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 78,
        "/env/swift/lib/python3.10/site-packages/swift/cli/sft.py FAILED",
        "-" * 78,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {stamp.replace(' ', '_')}",
        "  host      : gpu-h-13",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : -6 (pid: 40301)",
        "  error_file: <N/A>",
        "  traceback : Signal 6 (SIGABRT) received by PID 40301",
        "=" * 78,
        "srun: error: gpu-h-13: task 0: Exited with exit code 1",
        "srun: error: Node failure on gpu-h-14",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 71233.0 ON gpu-h-13 CANCELLED AT {clock(dead + 318, east, '%Y-%m-%dT%H:%M:%S')} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        f"slurmstepd: error: *** JOB 71233 ON gpu-h-13 CANCELLED AT {clock(dead + 319, east, '%Y-%m-%dT%H:%M:%S')} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
    ]
    put(place, "slurm-71233.out", lines)

    def load(n: int, g: int, at: float) -> Load:
        if not begin + 31 <= at <= gone:
            return NOBODY
        if at < start:
            return Load(0.01, 0, 0, 0, 9300)
        if at > dead:
            return Load(1.0, 0.03, 0, 0.004, 73600 + 37 * g, rx=2, tx=2)
        if any(a <= at < b for a, b in saves):
            return Load(0.05, 0.01, 0, 0.02, 73600 + 37 * g, tx=900)
        return Load(0.994, 0.81 + 0.004 * n, 0.4, 0.39, 73600 + 37 * g, rx=8200, tx=8100)

    fleet = Fleet(
        "H800",
        nodes,
        8,
        load,
        begin - 600,
        dead + 900,
        60,
        206,
        lambda n, _g, at, v: None if n == 1 and at > dead else v,
    )
    drop = ("MEM_COPY_UTIL", "FB_FREE", "PCIE_REPLAY_COUNTER", "TOTAL_ENERGY_CONSUMPTION", "MEM_CLOCK")
    other = Fleet(
        "H800", ["gpu-h-15"], 8, lambda _n, _g, _t: Load(0.96, 0.66, 0.3, 0.4, 66010), begin - 600, dead + 900, 60, 216
    )
    query_range(
        place, "query_range.json", series(fleet, plain(fleet), drop=drop) + series(other, plain(other), drop=drop)
    )
    kernel(place, "dmesg.gpu-h-13", quiet(rng, begin), "dmesg", east)
    back = dead + 611
    fresh = [
        (back, "Linux version 5.15.0-139-generic (buildd@lcy02-amd64-067) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"),
        (
            back + 0.0001,
            "Command line: BOOT_IMAGE=/boot/vmlinuz-5.15.0-139-generic root=/dev/nvme0n1p2 ro quiet iommu=pt",
        ),
        (
            back + 3.11,
            f"rtc_cmos 00:01: setting system clock to {clock(back + 3, 0, '%Y-%m-%dT%H:%M:%S')} UTC ({int(back + 3)})",
        ),
        (back + 6.4, "EXT4-fs (nvme0n1p2): recovery complete"),
        (back + 6.5, "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Opts: (null). Quota mode: none."),
        (back + 21.8, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.133.20  Sun Mar 30 04:21:01 UTC 2025"),
        (back + 44.2, "mlx5_core 0000:0f:00.0 ibs15: Link up"),
    ]
    kernel(place, "dmesg.gpu-h-14", fresh, "dmesg", east)

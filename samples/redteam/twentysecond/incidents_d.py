"""Incidents t19 to t24 of the twenty-second set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, epoch, put
from samples.redteam.twentyfirst import rig_incidents as rig
from samples.redteam.twentyfirst.rig_incidents import Park, Work, milli

from .gear_incidents_more import ISO, kube_labels, scontrol

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

ELASTIC = "torch/distributed/elastic/multiprocessing/api.py"


def failed(
    t: float,
    east: int,
    host: str,
    script: str,
    python: str,
    rank: int,
    code: int,
    pid: int,
    agent: int,
    others: list[int],
) -> list[str]:
    """What torchrun says at the end of a job of one node."""
    at = clock(t, east, "%m%d %H:%M:%S")
    home, _, version = python.rpartition("/bin/")
    site = f"{home}/lib/{version if '.' in version else 'python3.11'}/site-packages"
    hint = (
        f"Signal {-code} (SIGABRT) received by PID {pid}"
        if code < 0
        else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    return [
        *[
            f"W{at}.{207 + 2 * i}000 {agent} {ELASTIC}:900] Sending process {p} closing signal SIGTERM"
            for i, p in enumerate(others)
        ],
        f"E{clock(t + 1.6, east, '%m%d %H:%M:%S')}.904000 {agent} {ELASTIC}:874] failed (exitcode: {code}) local_rank: {rank} (pid: {pid}) of binary: {python}",
        "Traceback (most recent call last):",
        f'  File "{python.rsplit("/", 1)[0]}/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{site}/torch/distributed/run.py", line 892, in main',
        "    run(args)",
        f'  File "{site}/torch/distributed/run.py", line 883, in run',
        "    elastic_launch(",
        f'  File "{site}/torch/distributed/launcher/api.py", line 139, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{site}/torch/distributed/launcher/api.py", line 270, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{script} FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t, east, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {rank})",
        f"  exitcode  : {code} (pid: {pid})",
        "  error_file: <N/A>",
        f"  traceback : {hint}",
        "=" * 60,
    ]


def t19_vit(place: Path, rng: Random) -> None:
    """A pod of four GPUs; the first container ended of a wrong path, the second met something else."""
    start = epoch("2026-11-12 07:40:18", 0)
    fault = start + 8 * 60 + 21.7
    end = fault + 9
    node, pod = "k8s-gpu-11", "vit-ft-6k2lq"
    warm = start + 52

    def work(n: int, g: int, t: float) -> Work:
        if not start + 14 <= t < end - 1:
            return rig.FREE
        if t < warm:
            return Work(mib=900)
        if t > fault:
            return Work(engine=1.0, sm=0.08, mib=30100)
        return Work(0.96, 0.73, 0.31, 0.42, 30100, 620, 410)

    def alter(n: int, g: int, t: float, row: rig.Row) -> rig.Row | None:
        if g != 2 or t < fault:
            return row
        if t < fault + 16:
            return {"XID_ERRORS": 79}
        return None

    park = Park("A6000", [node], 4, work, start - 300, end + 240, 15, 1907, alter=alter)
    rig.matrix(place, "prometheus/dcgm.json", park, kube_labels(park, "team-vision", pod, "trainer"))
    lines = rig.calm(rng, start, park.of.driver, kube=True, ib=False)
    lines += [
        (fault, "NVRM: GPU at PCI:0000:3a:00: " + park.uuid(0, 2)),
        (fault + 0.000031, "NVRM: GPU Board Serial Number: 1561721008812"),
        (
            fault + 0.000058,
            "NVRM: Xid (PCI:0000:3a:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        ),
        (fault + 0.000071, "NVRM: GPU 0000:3a:00.0: GPU has fallen off the bus."),
        (fault + 0.000083, "NVRM: GPU 0000:3a:00.0: GPU serial number is 1561721008812."),
        (
            fault + 0.004117,
            "NVRM: Xid (PCI:0000:3a:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
        ),
    ]
    rig.kernel(place, "k8s-gpu-11_syslog.txt", lines, "syslog", 0, node)
    old = start - 47
    put(
        place, "logs_previous.txt",
        [
            f"{milli(old - 9, 0)} | INFO | main | world size 4, mixed precision bf16",
            "[rank0]: Traceback (most recent call last):",
            '[rank0]:   File "/app/train.py", line 214, in <module>',
            "[rank0]:     main(parse_args())",
            '[rank0]:   File "/app/train.py", line 88, in main',
            "[rank0]:     classes = json.loads(Path(args.class_map).read_text())",
            '[rank0]:   File "/usr/lib/python3.11/pathlib.py", line 1058, in read_text',
            "[rank0]:     with self.open(mode='r', encoding=encoding, errors=errors) as f:",
            "[rank0]: FileNotFoundError: [Errno 2] No such file or directory: '/data/labels/class_map.json'",
        ],
    )  # fmt: skip
    out = [
        f"{milli(start + 21, 0)} | INFO | main | world size 4, mixed precision bf16",
        f"{milli(start + 22, 0)} | INFO | main | class map: 412 classes",
        f"{milli(start + 33, 0)} | INFO | data | train 310244 images, val 12000 images, 64 per device",
        f"{milli(start + 46, 0)} | INFO | main | vit_large_patch14_dinov2.lvd142m, 304.4M parameters",
        f"{milli(warm, 0)} | INFO | main | starting, 10 epochs of 1211 steps",
    ]
    t, i = warm, 0
    while True:
        i += 20
        t += 20 * 1.083 * rng.gauss(1, 0.008)
        if t > fault:
            break
        out.append(
            f"{milli(t, 0)} | INFO | train | epoch 0 step {i}/1211 loss {rig.learn(rng, i, 6.04, 0.8, 160, 0.015):.4f} acc@1 {100 * (1 - (1 + i / 300) ** -0.7):.2f} lr {1e-4 * min(1, i / 500):.2e} {256 / 1.083 * rng.gauss(1, 0.008):.1f} img/s"
        )
    trace = [
        "Traceback (most recent call last):",
        '  File "/app/train.py", line 214, in <module>',
        "    main(parse_args())",
        '  File "/app/train.py", line 151, in main',
        "    total += loss.detach().float().item()",
        "             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "RuntimeError: CUDA error: unspecified launch failure",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    out += [f"[rank2]: {one}" for one in trace]
    out += failed(fault + 3, 0, pod, "/app/train.py", "/opt/venv/bin/python3", 2, 1, 69, 41, [67, 68, 70])
    put(place, "logs_current.txt", out)
    form = "%a, %d %b %Y %H:%M:%S +0000"
    put(
        place, "kubectl_describe_pod.txt",
        [
            f"Name:             {pod}",
            "Namespace:        team-vision",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {node}/10.20.4.61",
            f"Start Time:       {clock(old - 61, 0, form)}",
            "Labels:           batch.kubernetes.io/job-name=vit-ft",
            "Status:           Failed",
            "IP:               10.42.3.88",
            "Controlled By:    Job/vit-ft",
            "Containers:",
            "  trainer:",
            "    Image:         registry.lab.example/vision/trainer:1.14",
            "    Command:",
            "      torchrun",
            "      --nproc-per-node=4",
            "      /app/train.py",
            "    State:          Terminated",
            "      Reason:       Error",
            "      Exit Code:    1",
            f"      Started:      {clock(start, 0, form)}",
            f"      Finished:     {clock(end, 0, form)}",
            "    Last State:     Terminated",
            "      Reason:       Error",
            "      Exit Code:    1",
            f"      Started:      {clock(old - 31, 0, form)}",
            f"      Finished:     {clock(old, 0, form)}",
            "    Ready:          False",
            "    Restart Count:  1",
            "    Limits:",
            "      memory:          256Gi",
            "      nvidia.com/gpu:  4",
            "QoS Class:                   Burstable",
            "Events:                      <none>",
        ],
    )  # fmt: skip


def t20_seg(place: Path, rng: Random) -> None:
    """nnU-Net on two GPUs; somebody else's program had met a fault of its own on the node before."""
    east = 330
    start = epoch("2026-08-19 19:04:27", east)
    node, epochs = "aiims-dgx2", 250
    warm = start + 96
    last = start + 174 * 60 - 40
    val = last - 421
    span = (val - warm) / epochs

    def work(n: int, g: int, t: float) -> Work:
        if not start + 17 <= t < last - 5:
            return rig.FREE
        if t < warm:
            return Work(mib=1100)
        if t > val:
            return Work(0.58, 0.42, 0.17, 0.24, 9800) if (t // 30) % 5 else Work(0.0, mib=9800)
        at = (t - warm) % span
        return Work(0.93, 0.7, 0.26, 0.46, 11300, 350, 60) if at < span * 0.86 else Work(0.71, 0.5, 0.16, 0.3, 11300)

    park = Park("A100-80", [node], 2, work, start - 150, last + 150, 15, 2008)
    rig.smi_csv(
        place, "nvsmi.csv", park, 0, east,
        ("index", "uuid", "utilization.gpu", "utilization.memory", "memory.used", "memory.total", "temperature.gpu", "power.draw", "clocks.current.sm", "clocks_event_reasons.active", "ecc.errors.uncorrected.volatile.total"),
    )  # fmt: skip
    other = start - 2 * 3600 - 410
    lines = rig.calm(rng, start, park.of.driver, ib=False)
    lines.append(
        (
            other,
            "NVRM: Xid (PCI:0000:2a:00): 31, pid=880412, name=python3, Ch 00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f3a_18c00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
        )
    )
    rig.kernel(place, "journal_kernel.log", lines, "journalctl", east, node)
    row = [
        clock(start - 2, east, ISO),
        clock(start, east, ISO),
        clock(last, east, ISO),
        rig.took(last - start),
        "1",
        node,
    ]
    mate = [
        clock(other - 4000, east, ISO),
        clock(other - 3990, east, ISO),
        clock(other + 3, east, ISO),
        rig.took(3993),
        "1",
        node,
    ]
    rig.account(
        place,
        "sacct.txt",
        [["5511", "rl-sim", "gpu", "FAILED", "1:0", *mate], ["5518", "nnunet_f0", "gpu", "COMPLETED", "0:0", *row]],
        rig.HEAD,
        bars=True,
    )

    seen = [0]

    def stamp(t: float) -> str:
        ticks = max(int(t * 1e6) + rng.randrange(40), seen[-1] + rng.randrange(30, 400))
        seen.append(ticks)
        return f"{clock(ticks / 1e6, east)}.{ticks % 10**6:06d}"

    out = [
        "",
        "############################",
        "INFO: You are using the old nnU-Net default plans. We have updated our recommendations. Please consider using those instead! Read more here: https://github.com/MIC-DKFZ/nnUNet/blob/master/documentation/resenc_presets.md",
        "############################",
        "",
        "I am local rank 0. 2 GPUs are available. The world size is 2. Setting device to cuda:0",
        "I am local rank 1. 2 GPUs are available. The world size is 2. Setting device to cuda:1",
        f"{stamp(start + 41.307)}: Using torch.compile...",
        "",
        "#######################################################################",
        "Please cite the following paper when using nnU-Net:",
        "Isensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021). nnU-Net: a self-configuring method for deep learning-based biomedical image segmentation. Nature methods, 18(2), 203-211.",
        "#######################################################################",
        "",
        f"{stamp(start + 44.018)}: do_dummy_2d_data_aug: False",
        f"{stamp(start + 45.221)}: Using splits from existing split file: /data/nnUNet_preprocessed/Dataset042_Pancreas/splits_final.json",
        f"{stamp(start + 45.221)}: The split file contains 5 splits.",
        f"{stamp(start + 45.221)}: Desired fold for training: 0",
        f"{stamp(start + 45.221)}: This split has 224 training and 57 validation cases.",
        f"{stamp(start + 88.714)}: Unable to plot network architecture: nnUNet_compile is enabled!",
        "",
    ]
    best, ema = -1.0, 0.0
    for e in range(epochs):
        t = warm + e * span
        fit = (1 + e / 14) ** -0.75
        dice = [max(0.0, min(0.99, top * (1 - fit) + rng.gauss(0, 0.012))) for top in (0.91, 0.66)]
        mean = sum(dice) / 2
        ema = mean if e == 0 else 0.9 * ema + 0.1 * mean
        out += [
            f"{stamp(t)}: ",
            f"{stamp(t)}: Epoch {e} ",
            f"{stamp(t + 0.1)}: Current learning rate: {round(0.01 * (1 - e / epochs) ** 0.9, 5)} ",
            f"{stamp(t + span - 0.4)}: train_loss {round(-0.86 + 0.88 * fit + rng.gauss(0, 0.009), 4)} ",
            f"{stamp(t + span - 0.4)}: val_loss {round(-0.72 + 0.73 * fit + rng.gauss(0, 0.017), 4)} ",
            f"{stamp(t + span - 0.4)}: Pseudo dice [{', '.join(f'np.float32({d:.4f})' for d in dice)}] ",
            f"{stamp(t + span - 0.4)}: Epoch time: {span - 0.3 + rng.uniform(-0.2, 0.2):.2f} s ",
        ]
        if ema > best:
            best = ema
            out.append(f"{stamp(t + span - 0.3)}: Yayy! New best EMA pseudo Dice: {ema:.4f} ")
    out += [
        f"{stamp(val)}: Training done. ",
        f"{stamp(val + 1)}: Using splits from existing split file: /data/nnUNet_preprocessed/Dataset042_Pancreas/splits_final.json",
        f"{stamp(val + 1)}: The split file contains 5 splits.",
    ]
    for k in range(57):
        t = val + 6 + k * 7.0 + rng.uniform(0, 0.9)
        name = f"pancreas_{7 + k * 5 + k % 3:03d}"
        out.append(f"{stamp(t)}: predicting {name} ")
        out.append(
            f"{stamp(t + 0.3)}: {name}, shape torch.Size([1, {rng.randrange(80, 210)}, {rng.randrange(410, 560)}, {rng.randrange(410, 560)}]), rank {k % 2} "
        )
    out += [
        f"{stamp(last - 9)}: Validation complete ",
        f"{stamp(last - 9)}: Mean Validation Dice:  0.7460920617110113 ",
    ]
    put(place, "nnunet_f0-5518.out", out)


def t21_sft(place: Path, rng: Random) -> None:
    """A small tuning with TRL on two nodes of one GPU each."""
    east = 330
    start = epoch("2026-11-20 11:52:06", east)
    end = start + 11 * 60 - 18
    nodes = ["iitb-a10-3", "iitb-a10-7"]
    warm, done, total = start + 71, end - 19, 186

    def work(n: int, g: int, t: float) -> Work:
        if not start + 16 <= t < end - 4:
            return rig.FREE
        if t < warm:
            return Work(mib=700 if t < start + 44 else 6900)
        if t > done:
            return Work(mib=17800, tx=300)
        return Work(0.97, 0.77, 0.33, 0.44, 17800, 300, 220)

    def alter(n: int, g: int, t: float, row: rig.Row) -> rig.Row:
        if n == 1:
            row["ECC_SBE_VOL_TOTAL"] = 2 + sum(t > start + at for at in (148, 399, 512))
        return row

    park = Park("A10", nodes, 1, work, start - 120, end + 120, 5, 2109, alter=alter)
    rig.matrix(place, "dcgm.json", park, rig.bare(park, "gpu"), form="CLOCK_THROTTLE_REASONS")
    out = [
        "The following values were not passed to `accelerate launch` and had defaults used instead:",
        "\t`--dynamo_backend` was set to a value of `'no'`",
        "To avoid this warning pass in values for each of the problematic parameters or run `accelerate config`.",
        "`torch_dtype` is deprecated! Use `dtype` instead!",
        "Loading checkpoint shards: 100%|██████████| 2/2 [00:04<00:00,  2.11s/it]",
        "trainable params: 14,966,784 || all params: 3,100,905,472 || trainable%: 0.4827",
        "Map: 100%|██████████| 1984/1984 [00:01<00:00, 1312.40 examples/s]",
    ]
    per = (done - warm) / total
    losses = []
    for i in range(6, total + 1, 6):
        ep = round(3 * i / total, 4)
        left = (total - i) * per
        out.append(
            f"{100 * i // total:3d}%|{'█' * (10 * i // total):<10}| {i}/{total} [{int(i * per) // 60:02d}:{int(i * per) % 60:02d}<{int(left) // 60:02d}:{int(left) % 60:02d},  {per:.2f}s/it]"
        )
        loss = rig.learn(rng, i, 1.71, 0.82, 24, 0.018)
        losses.append(loss)
        out.append(
            str(
                {
                    "loss": round(loss, 4),
                    "grad_norm": round(0.42 + 1.1 / (1 + i / 12) + abs(rng.gauss(0, 0.05)), 6),
                    "learning_rate": 2e-4 * (1 - (i - 1) / total),
                    "entropy": round(loss * 1.03, 4),
                    "num_tokens": float(i * 8 * 2 * 601),
                    "mean_token_accuracy": round(0.79 - 0.12 * (loss - 0.82), 4),
                    "epoch": ep,
                }
            )
        )
    secs = done - warm + 0.3817
    out.append(
        str(
            {
                "train_runtime": round(secs, 4),
                "train_samples_per_second": round(5952 / secs, 3),
                "train_steps_per_second": round(total / secs, 3),
                "train_loss": round(sum(losses) / len(losses), 12),
                "epoch": 3.0,
            }
        )
    )
    out += [
        f"100%|██████████| {total}/{total} [{int(secs) // 60:02d}:{int(secs) % 60:02d}<00:00,  {per:.2f}s/it]",
        "Model saved to /scratch/neha/qwen-sft-lora",
    ]
    put(place, "out.iitb-a10-3.0.txt", out)
    put(place, "out.iitb-a10-7.1.txt", out[:7])


def t22_diff(place: Path, rng: Random) -> None:
    """Un programme maison sur quatre cartes d'un seul nœud."""
    start = epoch("2026-10-21 22:06:44", 0)
    node = "calcul7"
    stop = start + 141 * 60 + 13.2
    dead = stop + 600
    end = dead + 14
    warm = start + 63

    def work(n: int, g: int, t: float) -> Work:
        if not start + 12 <= t < end - 2:
            return rig.FREE
        if t < warm:
            return Work(mib=800)
        if t > stop:
            return Work(engine=0.0, mib=43900) if g == 2 else Work(engine=1.0, sm=0.11, dram=0.01, mib=43900)
        return Work(0.99, 0.95, 0.64, 0.7, 43900, 930, 870)

    park = Park("A6000", [node], 4, work, start - 200, end + 200, 15, 2210)
    rig.matrix(place, "metriques/dcgm.json", park, rig.uuid_only(park, "dcgm"))
    put(place, "nvidia-smi-L.txt", park.listing(0))
    rig.kernel(place, "calcul7.dmesg", rig.calm(rng, start, park.of.driver, ib=False), "dmesg", 0, node)
    out = [
        f"[{clock(start + 15, 0)}] INFO  lancement : 4 processus, graine 2024, précision bf16",
        f"[{clock(start + 29, 0)}] INFO  jeu de données : 88 412 images d'entraînement, 1 200 de validation",
        f"[{clock(start + 41, 0)}] INFO  modèle UNet2D : 391,2 M paramètres",
        f"[{clock(warm, 0)}] INFO  début de l'entraînement, 60 époques de 691 pas",
    ]
    per, t, i = 0.944, warm, 0
    while True:
        i += 25
        t += 25 * per * rng.gauss(1, 0.006)
        if i % 691 < 25:
            t += 14
        if t > stop:
            break
        e = i // 691
        loss = f"{rig.learn(rng, i, 0.71, 0.061, 60, 0.04):.4f}".replace(".", ",")
        out.append(
            f"[{clock(t, 0)}] INFO  époque {e + 1:2d}/60 pas {i % 691:3d}/691 perte {loss} lr 1,0e-04 {128 / per * rng.gauss(1, 0.006):.0f} images/s"
        )
        if i % 691 < 25 and e:
            out.append(f"[{clock(t, 0)}] INFO  point de contrôle écrit : sorties/unet/epoque_{e:02d}.pt")
    last = i - 25 + int((stop - (t - 25 * per)) / per)
    seq = 6 + last * 13 + 7
    for r, d in ((0, 0.0), (3, 0.011), (1, 0.027)):
        ts = dead + d + 0.2

        def mark(k: int, at: float = ts) -> str:
            return (
                f"E{clock(at, 0, '%m%d %H:%M:%S')}.{(int(at * 1000) % 1000 + k) % 1000:03d}{rng.randrange(10**6):06d}"
            )

        ran = 600000 + rng.randrange(8, 96)
        what = f"[Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=29360128, NumelOut=29360128, Timeout(ms)=600000) ran for {ran} milliseconds before timing out."
        pg = f"[PG ID 0 PG GUID 0(default_pg) Rank {r}]"
        out += [
            f"[rank{r}]:[{mark(0)} ProcessGroupNCCL.cpp:633] {what}",
            f"[rank{r}]:[{mark(0)} ProcessGroupNCCL.cpp:2271] {pg}  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 6}, last completed work: {seq - 1}",
            f"[rank{r}]:[{mark(0)} ProcessGroupNCCL.cpp:671] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
            f"[rank{r}]:[{mark(1)} ProcessGroupNCCL.cpp:2106] {pg} First PG on this rank to signal dumping.",
            f"[rank{r}]:[{mark(2)} ProcessGroupNCCL.cpp:685] [Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"[rank{r}]:[{mark(2)} ProcessGroupNCCL.cpp:699] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.",
            f"[rank{r}]:[{mark(3)} ProcessGroupNCCL.cpp:1899] {pg} Process group watchdog thread terminated with exception: {what}",
            "Exception raised from checkTimeout at /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:635 (most recent call first):",
            "frame #0: c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >) + 0x98 (0x7f5d1b3785e8 in /opt/py/lib/python3.12/site-packages/torch/lib/libc10.so)",
            "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, std::ratio<1l, 1000l> > >) + 0x23d (0x7f5ccc8a2a6d in /opt/py/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so)",
            "",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
            f"  what():  {pg} Process group watchdog thread terminated with exception: {what}",
        ]
    out += failed(
        dead + 4, 0, node, "entraine.py", "/opt/py/bin/python3.12", 0, -6, 30117, 30051, [30118, 30119, 30120]
    )
    put(place, "entraine.log", out)


def t23_lora(place: Path, rng: Random) -> None:
    """Torchtune on one GPU of a node that others share."""
    start = epoch("2026-11-09 09:15:30", 0)
    limit = start + 390 * 60 + 21
    node, mine = "hgx-04", 5
    warm = start + 109
    stop = start + 131 * 60 + 47.0
    per, total = 5.31, 5200

    def work(n: int, g: int, t: float) -> Work:
        if g < 4:
            wave = 0.03 * ((t // 300) % 2)
            return Work(0.985, 0.84 + wave, 0.44 + wave, 0.41, 121000, 60, 50)
        if g != mine or not start + 21 <= t < limit + 1:
            return rig.FREE
        if t < warm:
            return Work(mib=900 if t < start + 60 else 16200)
        return Work(0.96, 0.8, 0.41, 0.37, 70300, 30, 8) if t < stop else Work(engine=0.0, mib=70300)

    park = Park("H200", [node], 8, work, start - 240, limit + 240, 15, 2311)
    base = rig.bare(park, "slurm-dcgm")

    def labels(n: int, g: int) -> dict[str, str]:
        own = "228190" if g < 4 else "228544" if g == mine else ""
        return {**base(n, g), **({"hpc_job": own} if own else {})}

    fields = (
        "SM_CLOCK",
        "GPU_TEMP",
        "POWER_USAGE",
        "GPU_UTIL",
        "FB_USED",
        "XID_ERRORS",
        "GR_ENGINE_ACTIVE",
        "SM_ACTIVE",
        "PIPE_TENSOR_ACTIVE",
        "DRAM_ACTIVE",
        "ECC_DBE_VOL_TOTAL",
    )
    rig.matrix(place, "hgx-04.dcgm.json", park, labels, keep=lambda f: f in fields)
    name = "INFO:torchtune.utils._logging:"
    out = [
        f"job 228544 on {node}, GPU {park.uuid(0, mine)}, {clock(start, 0, '%a %b %e %H:%M:%S UTC %Y')}",
        f"{name}Running LoRAFinetuneRecipeSingleDevice with resolved config:",
        "",
        "batch_size: 8",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /models/Qwen2.5-14B-Instruct",
        "  model_type: QWEN2",
        "compile: true",
        "dataset:",
        "  _component_: torchtune.datasets.chat_dataset",
        "  packed: false",
        "device: cuda",
        "dtype: bf16",
        "epochs: 1",
        "gradient_accumulation_steps: 4",
        "log_every_n_steps: 1",
        "max_steps_per_epoch: null",
        "metric_logger:",
        "  _component_: torchtune.training.metric_logging.DiskLogger",
        "  log_dir: /scratch/jp/qwen14b_lora/logs",
        "",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 3821109312. Local seed is seed + rank = 3821109312 + 0",
        f"{name}Model compilation enabled. Model will be compiled.",
        f"{name}Model is initialized with precision torch.bfloat16.",
        f"{name}Memory stats after model init:",
        "\tGPU peak memory active: 27.91 GiB",
        "\tGPU peak memory alloc: 27.91 GiB",
        "\tGPU peak memory reserved: 28.04 GiB",
        f"{name}Tokenizer is initialized from file.",
        f"{name}Optimizer and loss are initialized.",
        f"{name}Loss is initialized.",
        f"{name}Dataset and Sampler are initialized.",
        f"{name}Learning rate scheduler is initialized.",
        f"{name} Profiling disabled.",
        f"{name} Profiler config after instantiation: {{'enabled': False}}",
    ]
    steps, t = [], warm
    i, bars = 0, []
    while True:
        t += per * rng.gauss(1, 0.03) + (38 if i == 0 else 0)
        if t > stop:
            break
        i += 1
        loss = rig.learn(rng, i, 1.46, 0.61, 60, 0.04)
        lr = 3e-4 * min(1, i / 100)
        steps.append(
            f"Step {i} | loss:{loss} lr:{lr} tokens_per_second_per_gpu:{rng.gauss(4710, 130)} peak_memory_active:61.20813274383545 peak_memory_alloc:61.20813274383545 peak_memory_reserved:68.1640625 grad_norm:{0.3 + 0.5 / (1 + i / 40) + abs(rng.gauss(0, 0.02))} "
        )
        gone, left = int(t - warm), int((total - i) * per)
        bars.append(
            f"1|{i}|Loss: {loss}: {100 * i // total:3d}%|{'█' * (10 * i // total):<10}| {i}/{total} [{gone // 3600}:{gone % 3600 // 60:02d}:{gone % 60:02d}<{left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d},  {per:.2f}s/it]"
        )
    out.append("\r".join(bars))
    out.append(f"slurmstepd: error: *** JOB 228544 ON {node} CANCELLED AT {clock(limit, 0, ISO)} DUE TO TIME LIMIT ***")
    put(place, "slurm-228544.out", out)
    put(place, f"logs/log_{int(start + 70)}.txt", steps)


def t24_mw(place: Path, rng: Random) -> None:
    """Keras on four nodes with gaming cards; what it printed is gone, the nodes' own figures are not."""
    east = 120
    start = epoch("2026-09-02 13:31:50", east)
    end = start + 152 * 60 - 12
    nodes = [f"pool-c{i:02d}" for i in (3, 4, 7, 8)]
    warm, cycle, busy = start + 132, 21.7, 3.1

    def work(n: int, g: int, t: float) -> Work:
        if not start + 27 <= t < end - 6:
            return rig.FREE
        if t < warm:
            return Work(mib=350)
        at = (t - warm) % cycle
        return Work(0.86, 0.6, 0.2, 0.4, 21900) if at < busy else Work(engine=0.0, mib=21900)

    park = Park("3090", nodes, 2, work, start - 180, end + 180, 15, 2412)
    for n, host in enumerate(nodes):
        rig.matrix(
            place,
            f"{host}/dcgm.json",
            park,
            rig.bare(park),
            only=[n],
            keep=lambda f: f not in rig.PROFILED,
            form="CLOCK_THROTTLE_REASONS",
        )
        rig.kernel(place, f"{host}/dmesg.txt", rig.calm(rng, start, park.of.driver, ib=False), "dmesg -T", east, host)
    found = []
    for host in nodes:
        series: dict[str, list[list[object]]] = {}
        io, read, wrote, wait, free = (
            rng.uniform(1e5, 9e5),
            rng.uniform(1e12, 9e12),
            rng.uniform(1e11, 9e11),
            rng.uniform(3e4, 9e4),
            rng.uniform(1e6, 2e6),
        )
        load = 0.3
        for k in range(int((end - start + 360) / 15)):
            t = start - 180 + 15 * k
            on = warm <= t < end - 8
            io += 15 * (rng.uniform(0.972, 1.0) if on else rng.uniform(0.001, 0.02))
            read += 15e6 * (rng.gauss(131, 4) if on else rng.uniform(0, 0.2))
            wrote += 15e6 * rng.uniform(0.02, 0.3)
            wait += 15 * (rng.gauss(0.47, 0.02) if on else 0.001)
            free += 15 * (rng.gauss(0.41, 0.02) if on else 0.985)
            load += ((17.5 if on else 0.3) - load) * 0.22
            now = {
                'node_disk_io_time_seconds_total|{"device":"sda"}': f"{io:.3f}",
                'node_disk_read_bytes_total|{"device":"sda"}': f"{int(read)}",
                'node_disk_written_bytes_total|{"device":"sda"}': f"{int(wrote)}",
                "node_load1|{}": f"{load * rng.gauss(1, 0.02):.2f}",
                "node_procs_blocked|{}": f"{max(0, round(rng.gauss(14, 1.6))) if on else 0}",
                'node_cpu_seconds_total|{"cpu":"0","mode":"iowait"}': f"{wait:.2f}",
                'node_cpu_seconds_total|{"cpu":"0","mode":"idle"}': f"{free:.2f}",
            }
            for key, value in now.items():
                series.setdefault(key, []).append([int(t), value])
        for key, values in series.items():
            title, more = key.split("|")
            found.append(
                {
                    "metric": {"__name__": title, "instance": f"{host}:9100", "job": "node", **json.loads(more)},
                    "values": values,
                }
            )
    put(
        place,
        "node_exporter.json",
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": found}}, separators=(",", ":")),
    )
    before = start - 5200
    common = (east, "pool-c[03-04,07-08]", 4, 2, "06:00:00")
    put(
        place, "scontrol.txt",
        scontrol(71660, "kr-multi", "dvorak", "FAILED", "1:0", (before - 60, before, before + 48), *common, reason="NonZeroExitCode", script="/home/dvorak/kr/run.sh", out="/home/dvorak/kr/71660.log")
        + scontrol(71668, "kr-multi", "dvorak", "COMPLETED", "0:0", (start - 21, start, end), *common, script="/home/dvorak/kr/run.sh", out="/home/dvorak/kr/71668.log"),
    )  # fmt: skip

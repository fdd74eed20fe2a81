"""Incidents t13 to t18 of the twenty-second set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, epoch, put
from samples.redteam.twentyfirst import rig_incidents as rig
from samples.redteam.twentyfirst.rig_incidents import Park, Work, milli

from .gear_incidents_more import ISO, accounting_json, scontrol, victoria

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

NO_PROFILE = rig.PROFILED


def unprofiled(field: str) -> bool:
    """Whether it is read without the profiling module."""
    return field not in NO_PROFILE


def t13_asr(place: Path, rng: Random) -> None:
    """SpeechBrain, two nodes; the program's output is gone, its folder of checkpoints is not."""
    east = -300
    start = epoch("2026-10-14 21:18:41", east)
    end = start + 111 * 60 - 23
    nodes = ["n214", "n215"]
    first = start + 94
    epochs = 12
    span = (end - 21 - first) / epochs

    def work(n: int, g: int, t: float) -> Work:
        if not start + 31 <= t < end - 6:
            return rig.FREE
        if t < first:
            return Work(mib=1400 if t > start + 55 else 420)
        at = (t - first) % span
        if at > span - 4:
            return Work(engine=0.02, mib=51200)
        if at > span - 37:
            return Work(0.61, 0.38, 0.13, 0.2, 51200, 90, 12)
        wave = 1 + 0.05 * ((at // 60) % 3 - 1)
        return Work(0.955, 0.71 * wave, 0.29 * wave, 0.37, 51200, 310, 60)

    park = Park(
        "A100-80", nodes, 2, work, start - 480, end + 420, 60, 1301,
        holes=((start + 2210, start + 2690), (start + 4400, start + 4530)),
    )  # fmt: skip
    rig.smi_exporter(place, "prometheus/nvidia_smi_2026-10-14.json", park)
    put(
        place, "scontrol_show_job_301877.txt",
        scontrol(
            301877, "conformer_s", "ekoval", "COMPLETED", "0:0", (start - 3127, start, end), east, "n[214-215]", 2, 2,
            "08:00:00", script="/home/ekoval/asr/run_ddp.sbatch", out="/home/ekoval/asr/slurm-301877.out",
        ),
    )  # fmt: skip
    for i, host in enumerate(nodes):
        lines = rig.calm(rng, start, park.of.driver)
        lines.append((start - 71, f"nvme nvme{i}: 64/0/0 default/read/poll queues"))
        rig.kernel(place, f"{host}/journal-k.txt", lines, "journalctl", east, host)
    base = "results/conformer_small/7775"
    put(
        place, f"{base}/hyperparams.yaml",
        [
            "# Generated 2026-10-14 from:",
            "# /home/ekoval/asr/hparams/conformer_small.yaml",
            "# yamllint disable",
            "seed: 7775",
            "__set_seed: !apply:speechbrain.utils.seed_everything [7775]",
            f"output_folder: {base}",
            f"save_folder: {base}/save",
            f"train_log: {base}/train_log.txt",
            "number_of_epochs: 12",
            "batch_size: 16",
            "ctc_weight: 0.3",
            "grad_accumulation_factor: 2",
            "lr_adam: 0.001",
            "precision: bf16",
            "num_workers: 8",
        ],
    )  # fmt: skip
    for k in (11, 12):
        at = first + k * span - 2
        name = f"CKPT+{clock(at, east, '%Y-%m-%d+%H-%M-%S')}+00"
        wer = {11: 7.318, 12: 7.204}[k]
        put(
            place,
            f"{base}/save/{name}/CKPT.yaml",
            [
                "# yamllint disable",
                f"ACC: {0.8971 + 0.0013 * k:.4f}",
                f"WER: {wer}",
                "end-of-epoch: true",
                f"unixtime: {at + rng.random():.7f}",
            ],
        )
        put(place, f"{base}/save/{name}/counter.ckpt", str(k))


def t14_yolo(place: Path, rng: Random) -> None:
    """Ultralytics below torchrun on four nodes of eight; no kernel log was kept."""
    east = 330
    start = epoch("2026-09-23 14:02:10", east)
    nodes = [f"gpu{i}" for i in (21, 22, 25, 26)]
    fault = start + 69 * 60 + 17.4
    end = fault + 31
    warm = start + 151
    epoch_s, total = 128.0, 100
    sick = (2, 5)

    def work(n: int, g: int, t: float) -> Work:
        if not start + 22 <= t < end - 4 or ((n, g) == sick and t > fault + 3):
            return rig.FREE
        if t < warm:
            return Work(mib=900)
        if t > fault:
            return Work(engine=1.0, sm=0.09, dram=0.02, mib=28700, rx=4, tx=4)
        at = (t - warm) % epoch_s
        if at > epoch_s - 11:
            return (
                Work(0.72, 0.41, 0.11, 0.25, 28700, 400, 20) if (n, g) == (0, 0) else Work(1.0, 0.09, 0.0, 0.01, 28700)
            )
        return Work(0.94, 0.67, 0.24, 0.41, 28700, 720, 240)

    def alter(n: int, g: int, t: float, row: rig.Row) -> rig.Row:
        if (n, g) == sick and t > fault:
            row |= {
                "XID_ERRORS": 48 if t < fault + 45 else 63,
                "ECC_DBE_VOL_TOTAL": 1,
                "UNCORRECTABLE_REMAPPED_ROWS": 1,
            }
        return row

    park = Park("L40S", nodes, 8, work, start - 300, end + 360, 60, 1402, alter=alter)
    rig.matrix(place, "dcgm_range.json", park, rig.bare(park, "dcgm"), form="CLOCK_THROTTLE_REASONS")
    put(
        place, "sacct.txt",
        [
            "JobID|JobName|Partition|State|ExitCode|Submit|Start|End|Elapsed|NNodes|NodeList",
            f"88120|y11x-traffic|l40s|FAILED|1:0|{clock(start - 812, east, ISO)}|{clock(start, east, ISO)}|"
            f"{clock(end, east, ISO)}|{rig.took(end - start)}|4|gpu[21-22,25-26]",
        ],
    )  # fmt: skip
    head = [
        "Ultralytics 8.3.175 🚀 Python-3.10.18 torch-2.8.0+cu128 CUDA:0 (NVIDIA L40S, 45589MiB)",
        "engine/trainer: agnostic_nms=False, amp=True, augment=False, auto_augment=randaugment, batch=512, bgr=0.0, box=7.5, cache=False, cfg=None, classes=None, close_mosaic=10, cls=0.5, compile=False, conf=None, copy_paste=0.0, cos_lr=True, data=/data/traffic-in/traffic.yaml, deterministic=True, device=0,1,2,3,4,5,6,7, epochs=100, imgsz=960, lr0=0.01, lrf=0.01, model=yolo11x.pt, name=y11x-traffic, optimizer=auto, patience=100, resume=None, save=True, save_period=10, workers=8",
        "Overriding model.yaml nc=80 with nc=14",
        "Transferred 1009/1015 items from pretrained weights",
        "Freezing layer 'model.23.dfl.conv.weight'",
        "AMP: running Automatic Mixed Precision (AMP) checks...",
        "AMP: checks passed ✅",
        "train: Scanning /data/traffic-in/labels/train.cache... 118402 images, 1311 backgrounds, 3 corrupt: 100%|██████████| 118402/118402 [00:00<?, ?it/s]",
        "train: /data/traffic-in/images/train/blr_004412.jpg: corrupt JPEG restored and saved",
        "val: Scanning /data/traffic-in/labels/val.cache... 6120 images, 40 backgrounds, 0 corrupt: 100%|██████████| 6120/6120 [00:00<?, ?it/s]",
        "optimizer: 'optimizer=auto' found, ignoring 'lr0=0.01' and 'momentum=0.937' and determining best 'optimizer', 'lr0' and 'momentum' automatically... ",
        "optimizer: SGD(lr=0.01, momentum=0.9) with parameter groups 167 weight(decay=0.0), 174 weight(decay=0.004), 173 bias(decay=0.0)",
        "Image sizes 960 train, 960 val",
        "Using 64 dataloader workers",
        "Logging results to runs/detect/y11x-traffic",
        "Starting training for 100 epochs...",
    ]
    body, epochs = [], int((fault - warm) // epoch_s)
    for e in range(epochs + 1):
        box, cls, dfl = (rig.learn(rng, e, a, b, 9, 0.007) for a, b in ((1.78, 1.02), (2.31, 0.55), (1.42, 1.05)))
        done = 231 if e < epochs else int(231 * (fault - warm - epochs * epoch_s) / 117)
        body.append("\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size")
        if done < 231:
            bar = "█" * (done * 10 // 231)
            body.append(
                f"{f'{e + 1}/{total}':>11}{'27.9G':>11}{box:>11.4g}{cls:>11.4g}{dfl:>11.4g}{rng.randrange(90, 290):>11}{960:>11}: {done * 100 // 231:>3}%|{bar:<10}| {done}/231 [{done * 0.507 // 60:02.0f}:{done * 0.507 % 60:02.0f}<{(231 - done) * 0.507 // 60:02.0f}:{(231 - done) * 0.507 % 60:02.0f},  1.97it/s]"
            )
            break
        body.append(
            f"{f'{e + 1}/{total}':>11}{'27.9G':>11}{box:>11.4g}{cls:>11.4g}{dfl:>11.4g}{rng.randrange(60, 190):>11}{960:>11}: 100%|██████████| 231/231 [01:57<00:00,  {rng.uniform(1.94, 2.0):.2f}it/s]"
        )
        m = 0.71 - 0.5 * (1 + e / 5) ** -0.8 + rng.gauss(0, 0.004)
        body.append(
            "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 192/192 [00:10<00:00, 18.30it/s]"
        )
        body.append(
            f"                   all       6120      88213{m + 0.09:>11.3g}{m - 0.03:>11.3g}{m:>11.3g}{m * 0.66:>11.3g}"
        )
    put(place, "logs/node0-gpu21.out", [*head, *body, *_closing(rng, fault + 4.2, east, nodes[0], [], 3120)])
    agent = 40771
    pids = [agent + 71 + i for i in range(8)]
    step = -2.6  # what chrony takes off the clock of that node, forty minutes before
    rank = sick[0] * 8 + sick[1]
    trace = [
        "Traceback (most recent call last):",
        '  File "/home/asha/det/train_ddp.py", line 31, in <module>',
        "    model.train(data=args.data, epochs=100, imgsz=960, batch=512, name=args.name, cos_lr=True, save_period=10)",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/ultralytics/engine/model.py", line 800, in train',
        "    self.trainer.train()",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/ultralytics/engine/trainer.py", line 235, in train',
        "    self._do_train()",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/ultralytics/engine/trainer.py", line 431, in _do_train',
        "    self.scaler.scale(self.loss).backward()",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/torch/_tensor.py", line 647, in backward',
        "    torch.autograd.backward(",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/torch/autograd/__init__.py", line 354, in backward',
        "    _engine_run_backward(",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/torch/autograd/graph.py", line 829, in _engine_run_backward',
        "    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    warn = [
        f"W{clock(start + 9 - step, east, '%m%d %H:%M:%S')}.118000 {agent} site-packages/torch/distributed/run.py:774] ",
        f"W{clock(start + 9 - step, east, '%m%d %H:%M:%S')}.118000 {agent} site-packages/torch/distributed/run.py:774] *****************************************",
        f"W{clock(start + 9 - step, east, '%m%d %H:%M:%S')}.118000 {agent} site-packages/torch/distributed/run.py:774] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        f"W{clock(start + 9 - step, east, '%m%d %H:%M:%S')}.118000 {agent} site-packages/torch/distributed/run.py:774] *****************************************",
    ]
    first = [f"[rank{rank}]: {one}" for one in trace]
    put(
        place,
        "logs/node2-gpu25.out",
        [*warn, *first, *_closing(rng, fault + 2.1, east, nodes[2], pids, agent, bad=sick[1], rank=rank)],
    )
    for i in (1, 3):
        put(
            place,
            f"logs/node{i}-{nodes[i]}.out",
            [one.replace(str(agent), str(agent - 900 * i)) for one in warn]
            + _closing(rng, fault + 4.6, east, nodes[i], [], agent - 900 * i),
        )
    put(
        place, "gpu25/chronyd.txt",
        [
            f"{clock(start - 90000, east, '%b %d %H:%M:%S')} gpu25 chronyd[1622]: Selected source 10.20.0.2",
            f"{clock(start + 1440 - step, east, '%b %d %H:%M:%S')} gpu25 chronyd[1622]: System clock wrong by -2.603118 seconds",
            f"{clock(start + 1440, east, '%b %d %H:%M:%S')} gpu25 chronyd[1622]: System clock was stepped by -2.603118 seconds",
        ],
    )  # fmt: skip


def _closing(
    rng: Random, t: float, east: int, host: str, pids: list[int], agent: int, *, bad: int | None = None, rank: int = 0
) -> list[str]:
    """What torchrun says when a worker of its own, or one elsewhere, has failed."""
    api = "site-packages/torch/distributed/elastic/multiprocessing/api.py"
    if bad is None:
        at = clock(t, east, "%m%d %H:%M:%S")
        died = f"W{at}.288000 {agent} site-packages/torch/distributed/elastic/agent/server/api.py:723] Received Signals.SIGTERM death signal, shutting down workers"
        out = [
            f"W{at}.{300 + 3 * i}000 {agent} {api}:900] Sending process {agent + 61 + i} closing signal SIGTERM"
            for i in range(8)
        ]
        return [died, *out, f"srun: error: {host}: task {('gpu21', 'gpu22', 'gpu25', 'gpu26').index(host)}: Terminated"]
    at = clock(t, east, "%m%d %H:%M:%S")
    out = [
        f"W{at}.{412 + 2 * i}000 {agent} {api}:900] Sending process {p} closing signal SIGTERM"
        for i, p in enumerate(pids)
        if i != bad
    ]
    return [
        *out,
        f"E{clock(t + 3, east, '%m%d %H:%M:%S')}.871000 {agent} {api}:874] failed (exitcode: 1) local_rank: {bad} (pid: {pids[bad]}) of binary: /opt/conda/envs/yolo/bin/python3.10",
        "Traceback (most recent call last):",
        '  File "/opt/conda/envs/yolo/bin/torchrun", line 7, in <module>',
        "    sys.exit(main())",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/torch/distributed/run.py", line 892, in main',
        "    run(args)",
        '  File "/opt/conda/envs/yolo/lib/python3.10/site-packages/torch/distributed/launcher/api.py", line 277, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "train_ddp.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t, east, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {bad})",
        f"  exitcode  : 1 (pid: {pids[bad]})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        f"srun: error: {host}: task 2: Exited with exit code 1",
    ]


def t15_segm(place: Path, rng: Random) -> None:
    """Lightning on seven of eight GPUs of two nodes; one GPU's clock is locked low from the second hour on."""
    east = -300
    start = epoch("2026-11-03 08:47:02", east)
    total, every = 23600, 100
    nodes, host = ["cdr2411", "cdr2417"], {0: "cdr2411", 1: "cdr2417"}
    lock, warm = start + 96 * 60 + 40, start + 118
    slow = (1, 3)
    end = warm + 9300 * 0.612 + 14300 * 1.247 + 150

    def work(n: int, g: int, t: float) -> Work:
        if g == 7 or not start + 26 <= t < end - 8:
            return rig.FREE
        if t < warm:
            return Work(mib=1200)
        if t < lock:
            return Work(0.97, 0.78, 0.36, 0.41, 61300, 260, 70)
        if (n, g) == slow:
            return Work(0.99, 0.8, 0.16, 0.19, 61300, 120, 30)
        return Work(1.0, 0.36, 0.155, 0.18, 61300, 120, 30)

    def alter(n: int, g: int, t: float, row: rig.Row) -> rig.Row:
        if (n, g) == slow and t >= lock:
            row["SM_CLOCK"] = 585
            row["CLOCKS_EVENT_REASONS"] = 2
            row["POWER_USAGE"] *= 0.74
        return row

    park = Park("A100-80", nodes, 8, work, start - 300, end + 300, 15, 1503, alter=alter)
    for n in range(2):
        rig.dmon(
            place,
            f"{host[n]}/dcgmi_dmon.txt",
            park,
            n,
            east,
            "%Y-%m-%d %H:%M:%S",
            without=("GRACT", "SMACT", "TENSO", "DRAMA"),
        )
        rig.kernel(place, f"{host[n]}/kern.log", rig.calm(rng, start, park.of.driver), "syslog", east, host[n])
    accounting_json(
        place,
        "sacct_4410933.json",
        4410933,
        "seg-uperformer",
        "COMPLETED",
        (start - 5400, start, end),
        "cdr[2411,2417]",
        2,
        720,
    )
    out = [
        "Seed set to 1234",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        *[f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/14" for r in rng.sample(range(14), 14)],
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 14 processes",
        "-" * 100,
        "",
        *[f"LOCAL_RANK: {r} - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]" for r in rng.sample(range(7), 7)],
        "",
        "  | Name      | Type              | Params | Mode ",
        "--------------------------------------------------------",
        "0 | backbone  | SwinTransformer   | 195 M  | train",
        "1 | decoder   | UPerHead          | 37.3 M | train",
        "2 | criterion | CrossEntropyLoss  | 0      | train",
        "3 | miou      | MulticlassJaccard | 0      | train",
        "--------------------------------------------------------",
        "232 M     Trainable params",
        "0         Non-trainable params",
        "232 M     Total params",
        "930.214   Total estimated model params size (MB)",
    ]
    t, step = warm, 0
    while step < total:
        step += every
        per = 0.612 if t < lock else 1.247
        t += every * per * rng.gauss(1, 0.006)
        loss = rig.learn(rng, step, 3.9, 0.21, 900, 0.03)
        out.append(
            f"[{milli(t, east)}][train][INFO] - step {step}/{total} epoch {step // 1500} loss {loss:.4f} lr {6e-5 * min(1, step / 1500) * (1 - step / total):.3e} {per * rng.gauss(1, 0.004):.3f} s/it"
        )
        if step % 500 == 0:
            own = [0.588 * rng.gauss(1, 0.006) for _ in range(14)]
            if t > lock:
                own[10] = 1.222 * rng.gauss(1, 0.004)
            out.append(
                f"[{milli(t + 0.02, east)}][callbacks.step_timer][INFO] - compute s/it before sync, by rank: "
                + " ".join(f"{r}:{v:.3f}" for r, v in enumerate(own))
            )
    out.append(f"`Trainer.fit` stopped: `max_steps={total}` reached.")
    put(place, "seg-uperformer-4410933.out", out)


def t16_pre(place: Path, rng: Random) -> None:
    """NeMo on a shared partition; a job of higher rank takes the node."""
    east = 0
    start = epoch("2026-10-29 02:11:33", east)
    end = start + 27 * 60 - 4
    term = end - 31
    node, warm = "dgx-a-03", start + 173

    def work(n: int, g: int, t: float) -> Work:
        if not start + 40 <= t < end - 2:
            return rig.FREE
        if t < warm:
            return Work(mib=1600 if t < warm - 40 else 21000)
        if t > term + 9:
            return Work(engine=0.0, mib=33800)
        return Work(0.98, 0.82, 0.43, 0.44, 33800, 120, 90)

    park = Park("A100-40", [node], 8, work, start - 240, end + 300, 30, 1604)
    rig.matrix(place, "query_range_dcgm.json", park, rig.bare(park))
    lines = rig.calm(rng, start, park.of.driver)
    lines += [
        (
            start + 512.2,
            "python[71225]: segfault at 0 ip 00007f2b91c0a3f1 sp 00007ffd0cc1b0d8 error 4 in libgomp.so.1.0.0[7f2b91bf4000+28000]",
        )
    ]
    lines[-1] = (start - 40012.7, lines[-1][1].replace("71225", "12207"))
    rig.kernel(place, "dgx-a-03.journal.txt", lines, "journalctl", east, node)
    stamp = "%Y-%m-%d %H:%M:%S"
    out = [
        f"[NeMo W {clock(start + 48, east, stamp)} nemo_logging:405] /usr/local/lib/python3.12/dist-packages/pydub/utils.py:170: RuntimeWarning: Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work",
        '      warn("Couldn\'t find ffmpeg or avconv - defaulting to ffmpeg, but may not work", RuntimeWarning)',
        "    ",
        "'(ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out. (read timeout=10)\"), '(Request ID: 5c1e2a90-7d31-4f0e-8f7b-0c0e9a7716b2)')' thrown while requesting HEAD https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/tokenizer_config.json",
        "Retrying in 1s [Retry 1/5].",
        f"[NeMo I {clock(start + 66, east, stamp)} nemo_logging:393] Experiments will be logged at /lustre/exp/llama8b_cpt/{clock(start + 66, east, '%Y-%m-%d_%H-%M-%S')}",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        *[f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/8" for r in range(8)],
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 8 processes",
        "-" * 100,
        f"[NeMo I {clock(start + 96, east, stamp)} nemo_logging:393] Rank 0 has data parallel group : [0, 4]",
        f"[NeMo I {clock(start + 96, east, stamp)} nemo_logging:393] Rank 0 has tensor model parallel group: [0, 1, 2, 3]",
        f"[NeMo I {clock(start + 131, east, stamp)} nemo_logging:393] Setting up checkpoint restore",
        "Restoring states from the checkpoint path at /lustre/exp/llama8b_cpt/checkpoints/step=9099-last",
        "Restored all states from the checkpoint at /lustre/exp/llama8b_cpt/checkpoints/step=9099-last",
        f"[NeMo W {clock(start + 167, east, stamp)} rerun_state_machine:1264] Implicit initialization of Rerun State Machine!",
        f"[NeMo W {clock(start + 167, east, stamp)} rerun_state_machine:239] RerunStateMachine initialized in mode RerunMode.DISABLED",
        f"[NeMo I {clock(start + 168, east, stamp)} nemo_logging:393] Setting up optimizers",
        f"[rank0]:[W{clock(start + 170, east, '%m%d %H:%M:%S')}.402117903 ProcessGroupNCCL.cpp:4561] [PG ID 0 PG GUID 0 Rank 0]  using GPU 0 to perform barrier as devices used by this process are currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect. Specify device_ids in barrier() to force use of a particular device, or call init_process_group() with a device_id.",
    ]
    t, step = warm, 0
    while True:
        t += 7.83 * rng.gauss(1, 0.01)
        if t > term:
            break
        loss = rig.learn(rng, step + 9100, 11.0, 1.55, 120, 0.011)
        out.append(
            f"Training epoch 0, iteration {9100 + step}/40000 | lr: {2.4e-05 * (1 - step / 60000):.3e} | global_batch_size: 128 | global_step: {9100 + step} | reduced_train_loss: {loss:.3f} | train_step_timing in s: {7.83 * rng.gauss(1, 0.006):.3f} | consumed_samples: {(9101 + step) * 128}"
        )
        step += 1
    when = clock(term, east, ISO)
    out += [
        f"slurmstepd: error: *** STEP 660914.0 ON {node} CANCELLED AT {when} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** JOB 660914 ON {node} CANCELLED AT {when} DUE TO PREEMPTION ***",
        *[f"[rank: {r}] Received SIGTERM: 15" for r in rng.sample(range(8), 8)],
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"[NeMo I {clock(term + 4, east, stamp)} nemo_logging:393] Preemption detected, saving checkpoint and exiting",
        f"srun: error: {node}: tasks 0-7: Terminated",
    ]
    put(place, "log-llama8b_cpt_660914_0.out", out)


def t17_lm(place: Path, rng: Random) -> None:
    """Megatron-LM on three nodes of workstations' cards, ended as planned."""
    east = 0
    start = epoch("2026-11-17 16:30:55", east)
    end = start + 134 * 60 - 19
    nodes = ["ws-gpu05", "ws-gpu06", "ws-gpu09"]
    warm, iters, every = start + 141, 3000, 10
    per = (end - 74 - warm - 6 * 21 - 3 * 17) / iters
    marks: list[tuple[float, float]] = []
    t, out = warm, []
    for i in range(every, iters + 1, every):
        ms = per * 1000 * rng.gauss(1, 0.004) + (900 if i == every else 0)
        t += ms / 1000 * every
        loss = rig.learn(rng, i, 10.9, 3.02, 140, 0.008)
        lr = 3e-4 * min(1, i / 150) * (1 if i < 150 else 0.1 + 0.9 * (1 - (i - 150) / 2850))
        out.append(
            f" [{clock(t, east)}.{rng.randrange(10**6):06d}] iteration {i:8d}/{iters:8d} | consumed samples: {i * 96:12d} | elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): {34.1 * per * 1000 / ms:.1f} | learning rate: {lr:.6E} | global batch size: {96:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {0.3 + 2.4 / (1 + i / 90) + abs(rng.gauss(0, 0.03)):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if i == every:
            out += [
                f"[Rank {r}] (after {every} iterations) memory (MB) | allocated: {14211.4 + r:.2f} | max allocated: {37120.2 + r:.2f} | reserved: 40218.0 | max reserved: 40218.0"
                for r in (0, 4, 8)
            ]
        if i % 500 == 0:
            marks.append((t, t + 21))
            t += 21
            v = rig.learn(rng, i, 10.9, 3.05, 140, 0.003)
            line = f" validation loss at iteration {i} | lm loss value: {v:.6E} | lm loss PPL: {2.718281828**v:.6E} | "
            out += [
                "(min, max) time across ranks (ms):",
                f"    evaluate .......................................: ({20870 + rng.randrange(90)}.{rng.randrange(10, 99)}, {20990 + rng.randrange(60)}.{rng.randrange(10, 99)})",
                "-" * (len(line) + 1),
                line,
                "-" * (len(line) + 1),
            ]
        if i % 1000 == 0:
            marks.append((t, t + 17))
            t += 17
            out += [
                f"saving checkpoint at iteration {i:7d} to /nfs/ckpt/gpt-760m in torch_dist format",
                f"  successfully saved checkpoint from iteration {i:7d} to /nfs/ckpt/gpt-760m [ t 1/1, p 1/1 ]",
            ]
    done = t
    v = 3.3312
    line = f" validation loss at iteration {iters} on test set | lm loss value: {v:.6E} | lm loss PPL: {2.718281828**v:.6E} | "
    out += [
        f"[after training is done] datetime: {clock(done, east)} ",
        "Evaluating on 960 samples",
        "Evaluating iter 1/10",
        "Evaluating iter 10/10",
        "-" * (len(line) + 1),
        line,
        "-" * (len(line) + 1),
    ]

    def work(n: int, g: int, t: float) -> Work:
        if not start + 20 <= t < end - 7:
            return rig.FREE
        if t < warm:
            return Work(mib=700 if t < warm - 60 else 2900)
        for low, high in marks:
            if low <= t < high:
                return (
                    Work(0.97, 0.7, 0.36, 0.4, 40900, 30, 30)
                    if high - low > 20
                    else Work(engine=0.05, mib=40900, tx=700)
                )
        if t > done + 30:
            return Work(mib=40900)
        return Work(0.985, 0.74, 0.37, 0.45, 40900, 1450, 1390)

    park = Park("A6000", nodes, 4, work, start - 200, end + 200, 15, 1705)
    victoria(place, "vm_export.jsonl", park, rig.bare(park, "dcgm-ws"))
    row = [
        clock(start - 33, east, ISO),
        clock(start, east, ISO),
        clock(end, east, ISO),
        rig.took(end - start),
        "3",
        "ws-gpu[05-06,09]",
    ]
    rig.account(place, "sacct_p.txt", [["17733", "gpt760m", "ws", "COMPLETED", "0:0", *row]], rig.HEAD, bars=True)
    head = [
        "using world size: 12, data-parallel size: 12, context-parallel size: 1, hierarchical context-parallel sizes: None, tensor-model-parallel size: 1, pipeline-model-parallel size: 1",
        "------------------------ arguments ------------------------",
        "  accumulate_allreduce_grads_in_fp32 .............. True",
        "  bf16 ............................................ True",
        "  check_for_nan_in_loss_and_grad .................. True",
        "  distributed_timeout_minutes ..................... 10",
        "  exit_duration_in_mins ........................... None",
        "  global_batch_size ............................... 96",
        "  hidden_size ..................................... 1536",
        "  micro_batch_size ................................ 4",
        "  num_layers ...................................... 24",
        "  save ............................................ /nfs/ckpt/gpt-760m",
        "  seq_length ...................................... 2048",
        "  train_iters ..................................... 3000",
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.061 seconds",
        "WARNING: could not find the metadata file /nfs/ckpt/gpt-760m/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {clock(warm - 61, east)} ",
        f"[after dataloaders are built] datetime: {clock(warm - 3, east)} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {clock(warm, east)} ",
    ]
    put(place, "gpt760m-17733.log", head + out)


def t18_det(place: Path, rng: Random) -> None:
    """Detectron2 on two nodes; the second node's processes lag from the first iteration on."""
    east = -300
    start = epoch("2026-10-06 10:20:09", east)
    end = start + 164 * 60 - 31
    nodes = ["beluga-a10-1", "beluga-a10-4"]
    warm, total = start + 77, 9000
    per = (end - 25 - 180 - warm) / total
    done = end - 25 - 180

    def work(n: int, g: int, t: float) -> Work:
        if not start + 18 <= t < end - 5:
            return rig.FREE
        if t < warm:
            return Work(mib=800)
        if t > done:
            return Work(0.66, 0.4, 0.12, 0.2, 15900)
        if n == 1:
            return Work(0.37, 0.27, 0.1, 0.15, 15900)
        return Work(0.99, 0.33, 0.1, 0.16, 15900)

    park = Park(
        "A10",
        nodes,
        4,
        work,
        start - 240,
        end + 240,
        15,
        1806,
        holes=((start + 3010, start + 3400), (start + 7777, start + 7900)),
    )
    rig.matrix(place, "dcgm.json", park, rig.bare(park), keep=unprofiled, form="CLOCK_THROTTLE_REASONS")
    row = [
        clock(start - 7, east, ISO),
        clock(start, east, ISO),
        clock(end, east, ISO),
        rig.took(end - start),
        "2",
        "beluga-a10-[1,4]",
    ]
    rig.account(
        place, "sacct.out", [["9120441", "mrcnn-cells", "gpu-a10", "COMPLETED", "0:0", *row]], rig.HEAD, bars=True
    )
    for host in nodes:
        rig.kernel(place, f"dmesg.{host}", rig.calm(rng, start, park.of.driver, ib=False), "dmesg -T", east, host)

    def said(t: float, name: str, text: str) -> str:
        return f"[{clock(t, east, '%m/%d %H:%M:%S')} {name}]: {text}"

    out = [
        said(start + 26, "detectron2", "Rank of current process: 0. World size: 8"),
        said(
            start + 28,
            "detectron2",
            "Command line arguments: Namespace(config_file='configs/cells_R50_3x.yaml', resume=False, eval_only=False, num_gpus=4, num_machines=2, machine_rank=0, dist_url='tcp://beluga-a10-1:29500', opts=[])",
        ),
        said(start + 29, "detectron2", "Running with full config:"),
        "SOLVER:",
        "  BASE_LR: 0.02",
        "  CHECKPOINT_PERIOD: 3000",
        "  IMS_PER_BATCH: 32",
        "  MAX_ITER: 9000",
        said(start + 51, "d2.data.build", "Removed 12 images with no usable annotations. 20411 images left."),
        said(start + 52, "d2.data.common", "Serializing 20411 elements to byte tensors and concatenating them all ..."),
        said(start + 53, "d2.data.common", "Serialized dataset takes 91.02 MiB"),
        said(
            start + 60,
            "d2.checkpoint.detection_checkpoint",
            "[DetectionCheckpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-50.pkl ...",
        ),
        said(start + 76, "d2.engine.train_loop", "Starting training from iteration 0"),
    ]
    t = warm
    for i in range(19, total, 20):
        t = warm + (i + 1) * per + rng.gauss(0, 0.2)
        loss = [
            rig.learn(rng, i, a, b, 350, 0.02)
            for a, b in ((1.3, 0.12), (0.5, 0.16), (0.69, 0.19), (0.5, 0.02), (0.12, 0.04))
        ]
        eta = int((total - i) * per)
        data = abs(rng.gauss(0.0321, 0.002))
        now = per * rng.gauss(1, 0.01)
        out.append(
            said(
                t,
                "d2.utils.events",
                f" eta: {eta // 3600}:{eta % 3600 // 60:02d}:{eta % 60:02d}  iter: {i}  total_loss: {sum(loss):.4g}  loss_cls: {loss[0]:.4g}  loss_box_reg: {loss[1]:.4g}  loss_mask: {loss[2]:.4g}  loss_rpn_cls: {loss[3]:.4g}  loss_rpn_loc: {loss[4]:.4g}    time: {per:.4f}  last_time: {now:.4f}  data_time: {data:.4f}  last_data_time: {data * 0.97:.4f}   lr: {0.02 * min(1, i / 1000):.5g}  max_mem: 14903M",
            )
        )
        if i % 200 == 199:
            own = [0.348 * rng.gauss(1, 0.02) for _ in range(4)] + [
                (per - 0.05) * rng.gauss(1, 0.008) for _ in range(4)
            ]
            out.append(
                said(
                    t,
                    "cells.hooks",
                    f"iter {i}: seconds of forward+backward without all-reduce per rank: [{', '.join(f'{v:.3f}' for v in own)}]",
                )
            )
        if i + 1 in (3000, 6000, 9000):
            out.append(
                said(
                    t,
                    "fvcore.common.checkpoint",
                    f"Saving checkpoint to ./output/cells/model_{'final' if i + 1 == total else f'{i:07d}'}.pth",
                )
            )
    hours = f"{int(total * per) // 3600}:{int(total * per) % 3600 // 60:02d}:{int(total * per) % 60:02d}"
    out += [
        said(t + 2, "d2.engine.hooks", f"Overall training speed: {total - 2} iterations in {hours} ({per:.4f} s / it)"),
        said(t + 2, "d2.engine.hooks", f"Total training time: {hours} (0:00:07 on hooks)"),
        said(t + 9, "d2.evaluation.evaluator", "Start inference on 311 batches"),
        said(
            t + 160,
            "d2.evaluation.evaluator",
            "Total inference time: 0:02:24.180021 (0.471177 s / iter per device, on 8 devices)",
        ),
        said(t + 171, "d2.evaluation.testing", "copypaste: Task: bbox"),
        said(t + 171, "d2.evaluation.testing", "copypaste: AP,AP50,AP75,APs,APm,APl"),
        said(t + 171, "d2.evaluation.testing", "copypaste: 47.1102,77.9121,51.0092,33.8127,55.2002,61.0917"),
    ]
    put(place, "output/cells/log.txt", out)

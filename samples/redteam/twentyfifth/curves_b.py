"""The second half of the curves: logs written by generators. SIMULATED."""

from __future__ import annotations

import json
import math
from random import Random
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import at, bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86400.0


def _nv(seconds: float) -> str:
    """A duration as dnnlib has it."""
    s = round(seconds)
    if s < 60:
        return f"{s}s"
    if s < 3600:
        return f"{s // 60}m {s % 60:02d}s"
    if s < 86400:
        return f"{s // 3600}h {s // 60 % 60:02d}m {s % 60:02d}s"
    return f"{s // 86400}d {s // 3600 % 24:02d}h {s // 60 % 60:02d}m"


def c08_street(place: Path, rng: Random) -> None:
    """Pictures of a traffic institute, by a fork of EDM2 that adds the loss to its status line."""
    now = DAY * 1 + 20533.0
    out: list[str] = []

    def say(text: str) -> None:
        nonlocal now
        now += rng.uniform(0.00004, 0.0009)
        out.append(f"{clock(now, '%Y-%m-%dT%H:%M:%S.%f')}{rng.randrange(1000):03d}Z {text}".rstrip())

    for text in (
        "",
        "=============",
        "== PyTorch ==",
        "=============",
        "",
        "NVIDIA Release 24.05 (build 93040534)",
        "PyTorch Version 2.4.0a0+07cecf4",
        "",
        "NOTE: The SHMEM allocation limit is set to the default of 64MB.  This may be",
        "   insufficient for PyTorch.  NVIDIA recommends the use of the following flags:",
        "   docker run --gpus all --ipc=host --ulimit memlock=-1 --ulimit stack=67108864 ...",
        "",
        "ERROR: ld.so: object '/usr/lib/x86_64-linux-gnu/libjemalloc.so.2' from LD_PRELOAD cannot be preloaded (cannot"
        " open shared object file): ignored.",
        "fatal: not a git repository (or any of the parent directories): .git",
        "version of the code: unknown",
    ):
        say(text)
    now += 9
    names = (
        "free_flow",
        "congestion",
        "rear_end_crash",
        "fatal_collision",
        "vehicle_fire",
        "signal_failure",
        "abandoned_vehicle",
        "oil_spill",
        "emergency_stop",
        "dead_animal",
        "flooded_lane",
        "explosion",
    )
    say("Loading dataset...")
    for i, name in enumerate(names):
        say(f"  label {i:2d} {name:<18s} {rng.randrange(3000, 90000):6d} images")
    for text in ("Setting up encoder...", "Constructing network...", ""):
        now += 4
        say(text)
    for text in (
        "Precond                Parameters  Buffers  Output shape       Datatype",
        "---                    ---         ---      ---                ---",
        "unet.emb_fourier       -           384      [64, 192]          float32",
        "unet.emb_noise         147456      -        [64, 768]          float32",
        "unet.emb_label         9216        -        [64, 768]          float32",
        "unet.enc               57016320    64       [64, 768, 8, 8]    float16",
        "unet.dec               66914304    64       [64, 192, 64, 64]  float16",
        "unet.out_conv          6912        -        [64, 4, 64, 64]    float16",
        "logvar_fourier         -           256      [64, 128]          float32",
        "logvar_linear          128         -        [64, 1]            float32",
        "---                    ---         ---      ---                ---",
        "Total                  124094336   768      -                  -",
        "",
        "Setting up training state...",
        "Training:",
        "",
    ):
        say(text)
    total, tick = 47.0, 2150
    for i in range(tick):
        kimg = i * 131.072
        sec = 30.4 * rng.uniform(0.99, 1.02) if i else 47.0
        if i:
            now += sec
            total += sec
        if i == 0:
            loss = 1.0087
        elif i < 1289:
            loss = falls(rng, i, 0.98, 0.331, 90, 0.006)
        else:
            k = i - 1289
            loss = (0.347, 0.352, 0.409, 0.388, 0.571, 0.844, 1.907, 5.83)[k] if k < 8 else math.nan
        upkeep = 0.03 if i else 11.42
        say(
            f"Status: kimg {kimg:<9.1f} time {_nv(total):<12s} sec/tick {sec:<8.2f} sec/kimg"
            f" {(sec - upkeep) / 131.072 if i else 0:<7.3f} maintenance {upkeep:<7.2f} cpumem"
            f" {17.2 + 0.4 * rng.random():<6.2f} gpumem {33.41 if i else 6.02:<6.2f} reserved"
            f" {35.88 if i else 7.1:<6.2f}"
            f" loss {loss:.4f}"
        )
        if i % 64 == 0:
            for std in ("-0.050", "-0.100"):
                now += 1.6
                say(f"Saving network-snapshot-{int(i * 131.072):07d}{std}.pkl ... done")
        if i % 256 == 0 and i:
            now += 6
            say(f"Saving training-state-{int(i * 131.072):07d}.pt ... done")
        if rng.random() < 0.035:
            now += 0.6
            say("libpng warning: iCCP: known incorrect sRGB profile")
        if rng.random() < 0.01:
            n = rng.randrange(1, 5)
            say(
                f"[reader {rng.randrange(16)}] {n} corrupt record(s) in"
                f" vehicle_fire/{rng.randrange(400):05d}, drew others"
            )
    put(place, "street-edm2-xs-master-0.log", out)


def c09_fungi(place: Path, rng: Random) -> None:
    """A lab's timm: other units, colours, and a bar in each validation."""
    now = DAY * 2 + 61200.0
    grey, green, cyan, off = "\x1b[38;5;245m", "\x1b[32m", "\x1b[36m", "\x1b[0m"
    out: list[str] = []

    def say(text: str, colour: str = cyan) -> None:
        out.append(f"{grey}{clock(now, '%H:%M:%S')}{off} {colour}{text}{off}")

    say(
        "Training in distributed mode with multiple processes, 1 device per process. Process 0, total 4, device cuda:0."
    )
    say("Loading pretrained weights from Hugging Face hub (timm/convnext_tiny.in12k)")
    size, bits = 114, []
    for i in range(12):
        mb = min(size, i * 10.6)
        bits.append(
            f"model.safetensors: {int(100 * mb / size):3d}%|{bar(int(mb), size)}| {mb:.0f}M/114M"
            f" [00:0{i // 3}<00:00, 41.{i}MB/s]"
        )
    out.append("\r".join(bits))
    say("Model convnext_tiny created, param count:28604341")
    say("Data processing configuration for current model + dataset:")
    for text in (
        "input_size: (3, 224, 224)",
        "interpolation: bicubic",
        "mean: (0.485, 0.456, 0.406)",
        "crop_pct: 0.95",
    ):
        say("\t" + text)
    say("AdamW (Parameter Group 0: lr 0.0008, weight_decay 0.0 / Parameter Group 1: lr 0.0008, weight_decay 0.05)")
    say("Using native Torch AMP. Training in mixed precision.")
    say("Using native Torch DistributedDataParallel.")
    say("Scheduled epochs: 60. LR stepped per epoch.")
    best, where, kept, last = 0.0, 0, [], {}
    for epoch in range(60):
        lr = 800 * (epoch + 1) / 5 if epoch < 5 else 400 * (1 + math.cos(math.pi * epoch / 60))
        mean, n = 0.0, 0
        for i in range(0, 626, 25):
            now += (312 * 25 / 1000) * rng.uniform(0.98, 1.03)
            step = epoch * 626 + i
            loss = falls(rng, step, 6.93, 1.42, 4200, 0.035)
            mean, n = mean + loss, n + 1
            ms, data = rng.uniform(300, 331), rng.uniform(2.0, 6.0)
            say(
                f"Train: {epoch} [{i:>4d}/626 ({100 * (i + 1) / 626:>3.0f}%)]  Loss: {loss * 1000:.0f}mnat"
                f" ({mean / n * 1000:.0f}mnat)  Time: {ms:.1f}ms, {1024 / ms * 60:.1f}kimg/min "
                f" (312.{rng.randrange(10)}ms,"
                f" 196.{rng.randrange(10)}kimg/min)  LR: {lr:.2f}\u00b5  Data: {data * 1000:.0f}\u00b5s"
                f" ({4100 + rng.randrange(90)}\u00b5s)",
                off,
            )
        top = 88.6 * (1 - 0.93 * math.exp(-(epoch + 1) / 7)) + rng.gauss(0, 0.12)
        five = min(98.1, top + (100 - top) * 0.79)
        bits = [
            f"\x1b[34mval\x1b[0m: {100 * k // 40:3d}%|\x1b[34m{bar(k, 40)}\x1b[0m| {k}/40"
            f" [{hms(k / 5)}<{hms((40 - k) / 5)},"
            f"  5.{rng.randrange(10, 40)}it/s]"
            for k in range(0, 41, 4)
        ]
        now += 8
        out.append("\r" + "\r".join(bits))
        vloss = 4.4 * math.exp(-(epoch + 1) / 8) + 0.552 + rng.gauss(0, 0.004)
        say(
            f"Test: [  39/40]  Time: 171.2ms (200.4ms)  Loss: {vloss * 1000 * 1.02:.0f}mnat"
            f" ({vloss * 1000:.0f}mnat)  Acc@1:"
            f" {top - 0.3:.3f} ({top:.3f})  Acc@5: {five:.3f} ({five:.3f})",
            off,
        )
        kept = sorted([*kept, (top, epoch)], reverse=True)[:4]
        say("Current checkpoints:", green)
        for t, e in kept:
            out.append(f" ('./output/train/20261104-170000-convnext_tiny-224/checkpoint-{e}.pth.tar', {t:.14f})")
        out.append("")
        if top > best:
            best, where = top, epoch
            last = {
                "epoch": epoch,
                "train": {"loss": mean / n},
                "validation": {"loss": vloss, "top1": top, "top5": five},
            }
        now += 2
    say(f"*** Best metric: {best} (epoch {where})", green)
    out += ["--result", json.dumps([last], indent=4)]
    put(place, "convnext_fungi.log", out)


def c10_cloud(place: Path, rng: Random) -> None:
    """Masks of clouds with a loop of one's own, Horovod under mpirun, no times by wish of the group."""
    out = [
        "[1,0]<stdout>:TensorFlow 2.13.1, horovod 0.28.1, world 8",
        "[1,0]<stdout>:GPUs a process: 1 (pinned by local rank)",
        "[1,0]<stdout>:scenes: 38212 train, 2100 val; tiles of 384; batch 12 x 8",
        "[1,0]<stdout>:params 31,043,521",
        "[1,0]<stdout>:broadcast of variables done",
        "[1,4]<stderr>:/opt/tf/lib/python3.10/site-packages/rasterio/__init__.py:304:"
        " NotGeoreferencedWarning: Dataset has no"
        " geotransform, gcps, or rpcs. The identity matrix will be returned.",
    ]
    bumps = {(3, 210): 9.1, (7, 90): 5.2, (12, 305): 14.7, (17, 40): 4.4, (21, 330): 7.8}
    per, hurt = 398, 0.0
    for epoch in range(1, 26):
        out.append(f"[1,0]<stdout>:epoch {epoch}/60")
        total = n = 0
        for step in range(1, per + 1):
            g = (epoch - 1) * per + step
            if epoch == 25 and step > 271:
                break
            hurt = max(hurt * 0.9, bumps.get((epoch, step), 0.0))
            if step % 3 == 0:
                loss = falls(rng, g, 0.693, 0.118, 900, 0.05) * (1 + hurt)
                total, n = total + loss, n + 1
                norm = rng.uniform(0.2, 0.5) * (1 + 6 * hurt)
                out.append(
                    f"[1,0]<stdout>:  {step:3d}/{per} bce+dice {loss:.4f} |g| {norm:.2f} lr"
                    f" {4e-4 * 0.5 * (1 + math.cos(math.pi * epoch / 60)):.2e} {rng.uniform(377, 391):.0f} tiles/s"
                )
        if epoch == 25:
            break
        iou = 0.871 - 0.41 * math.exp(-epoch / 4) + rng.gauss(0, 0.002)
        out.append(f"[1,0]<stdout>:  mean {total / n:.4f} val {total / n * 1.06:.4f} mIoU {iou:.4f}")
        out.append(f"[1,0]<stdout>:  checkpoint ckpt/cloud-{epoch}")
    grads = sorted(rng.sample(range(92), 6))
    ready = ", ".join(f"DistributedGradientTape_Allreduce/cond_{i}/HorovodAllreduce_grads_{i}_0" for i in grads)
    for i in range(31):
        out += [
            "[1,0]<stderr>:[WARNING"
            " /tmp/pip-install-x1qz8h7c/horovod_5d1b/horovod/common/stall_inspector.cc:107] One or"
            " more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for"
            " remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit"
            " different tensors or that only subset of ranks is submitting tensors, which will cause deadlock. ",
            "[1,0]<stderr>:Missing ranks:",
            f"[1,0]<stderr>:6: [{ready} ...]",
        ]
        if i == 0:
            out.append(
                "[1,6]<stderr>:rasterio: reading s3://sen2-l1c/T31UFT/B09.jp2 (block 7,11), still open after 90 s"
            )
    put(place, "cloud_hvd.log", out)


def c11_tiles(place: Path, rng: Random) -> None:
    """Old tiles, by StyleGAN3 on a workstation that others use as well."""
    out = [
        "",
        "Training options:",
        json.dumps(
            {
                "G_kwargs": {"class_name": "training.networks_stylegan3.Generator", "z_dim": 512, "w_dim": 512},
                "D_kwargs": {"class_name": "training.networks_stylegan2.Discriminator"},
                "training_set_kwargs": {"path": "./datasets/azulejos-512.zip", "use_labels": False, "xflip": True},
                "num_gpus": 1,
                "batch_size": 16,
                "batch_gpu": 8,
                "metrics": ["fid50k_full"],
                "kimg_per_tick": 1,
                "ema_kimg": 5.0,
                "run_dir": "./runs/00007-stylegan3-t-azulejos-512-gpus1-batch16-gamma8",
            },
            indent=2,
        ),
        "",
        "Output directory:    ./runs/00007-stylegan3-t-azulejos-512-gpus1-batch16-gamma8",
        "Number of GPUs:      1",
        "Batch size:          16 images",
        "Dataset path:        ./datasets/azulejos-512.zip",
        "Dataset size:        7311 images",
        "Dataset resolution:  512",
        "Dataset labels:      False",
        "Dataset x-flips:     True",
        "",
        "Creating output directory...",
        "Launching processes...",
        "Loading training set...",
        "",
        "Num images:  14622",
        "Image shape: [3, 512, 512]",
        "Label shape: [0]",
        "",
        "Constructing networks...",
        'Setting up PyTorch plugin "bias_act_plugin"... Done.',
        'Setting up PyTorch plugin "filtered_lrelu_plugin"... Done.',
        "Setting up augmentation...",
        "Distributing across 1 GPUs...",
        "Setting up training phases...",
        "Exporting sample images...",
        "Initializing logs...",
        "Skipping tfevents export: No module named 'tensorboard'",
        "Training...",
        "",
    ]
    begin, spent, p = DAY * 3 + 8100.0, 41.0, 0.0
    for tick in range(2317):
        kimg = 0.016 if tick == 0 else tick * 1.008
        sec = 41.9 * rng.uniform(0.99, 1.012) if tick else 9.3
        spent += sec
        p = max(0.0, p + rng.gauss(0.00021 if tick < 1500 else 0.00003, 0.0011))
        upkeep = 0.0 if tick % 50 != 1 else 381.2
        out.append(
            f"tick {tick:<5d} kimg {kimg:<8.1f} time {_nv(spent):<12s} sec/tick {sec:<7.1f} sec/kimg"
            f" {sec / 1.008 if tick else 581.25:<7.2f} maintenance {upkeep if tick else 41.0:<6.1f} cpumem"
            f" {5.1 + tick * 0.0002:<6.2f} gpumem {22.37 + 0.05 * rng.random() if tick else 24.9:<6.2f} reserved"
            f" {24.46 if tick else 25.7:<6.2f} augment {p:.3f}"
        )
        if tick % 50 == 0:
            k = tick / 50
            fid = (
                14.1
                + 301 * math.exp(-k / 2.6)
                + 38 * math.exp(-k / 9)
                + 0.011 * max(0.0, k - 27) ** 2 * 2
                + rng.gauss(0, 0.1)
            )
            spent += 381.2
            out.append("Evaluating metrics...")
            out.append(
                json.dumps(
                    {
                        "results": {"fid50k_full": fid},
                        "metric": "fid50k_full",
                        "total_time": 379.2 + rng.random(),
                        "total_time_str": "6m 19s",
                        "num_gpus": 1,
                        "snapshot_pkl": f"network-snapshot-{int(kimg):06d}.pkl",
                        "timestamp": round(at(begin + spent).timestamp() + rng.random(), 7),
                    }
                )
            )
    home = "/home/duarte/stylegan3"
    site = "/home/duarte/miniconda3/envs/sg3/lib/python3.9/site-packages"
    out.append("Traceback (most recent call last):")
    for file, line, name, code in (
        (f"{home}/train.py", 288, "<module>", "main() # pylint: disable=no-value-for-parameter"),
        (f"{site}/click/core.py", 1157, "__call__", "return self.main(*args, **kwargs)"),
        (f"{site}/click/core.py", 1078, "main", "rv = self.invoke(ctx)"),
        (f"{site}/click/core.py", 1434, "invoke", "return ctx.invoke(self.callback, **ctx.params)"),
        (f"{site}/click/core.py", 783, "invoke", "return __callback(*args, **kwargs)"),
        (f"{home}/train.py", 283, "main", "launch_training(c=c, desc=desc, outdir=opts.outdir, dry_run=opts.dry_run)"),
        (f"{home}/train.py", 98, "launch_training", "subprocess_fn(rank=0, c=c, temp_dir=temp_dir)"),
        (f"{home}/train.py", 49, "subprocess_fn", "training_loop.training_loop(rank=rank, **c)"),
        (
            f"{home}/training/training_loop.py",
            278,
            "training_loop",
            "loss.accumulate_gradients(phase=phase.name, real_img=real_img, real_c=real_c, gen_z=gen_z, gen_c=gen_c,"
            " gain=phase.interval, cur_nimg=cur_nimg)",
        ),
        (f"{home}/training/loss.py", 81, "accumulate_gradients", "loss_Gmain.mean().mul(gain).backward()"),
        (f"{site}/torch/_tensor.py", 492, "backward", "torch.autograd.backward("),
        (f"{site}/torch/autograd/__init__.py", 251, "backward", "Variable._execution_engine.run_backward("),
        (f"{site}/torch/autograd/function.py", 288, "apply", "return user_fn(self, *args)"),
        (
            f"{home}/torch_utils/ops/filtered_lrelu.py",
            258,
            "backward",
            "dx = _filtered_lrelu_cuda(up=down, down=up, padding=pp, gain=gg, slope=slope, clamp=None,"
            " flip_filter=ff).apply(dy, fd, fu, None, si, sx, sy)",
        ),
        (
            f"{home}/torch_utils/ops/filtered_lrelu.py",
            221,
            "forward",
            "y, so, return_code = _plugin.filtered_lrelu(x, fu, fd, b, si, up, down, px0, px1, py0, py1, sx, sy, gain,"
            " slope, clamp, flip_filter, write_signs)",
        ),
    ):
        out += [f'  File "{file}", line {line}, in {name}', f"    {code}"]
    out.append(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.13 GiB. GPU 0 has a total"
        " capacty of 47.54 GiB"
        " of which 702.38 MiB is free. Process 301177 has 21.55 GiB memory in use. Including non-PyTorch"
        " memory, this process"
        " has 25.27 GiB memory in use. Of the allocated memory 22.61 GiB is allocated by PyTorch, and 1.85"
        " GiB is reserved by"
        " PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid"
        " fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    )
    put(place, "run7.txt", out)


def c12_harbour(place: Path, rng: Random) -> None:
    """MaxText goes on from a model that was trained elsewhere; four hosts, each with its own output."""
    steps, ends = 706, (706, 706, 701, 705)
    losses = [2.081 - 0.009 * s / steps + rng.gauss(0, 0.027) for s in range(steps)]
    for host, end in enumerate(ends):
        out = [
            "Running Model: llama3.1-8b\nConfig param base_output_directory: /lustre/u/harbour\nConfig param"
            " dataset_type: grain",
            "Config param enable_checkpointing: True\nConfig param eval_interval: 60\nConfig param eval_steps: 24",
            "Config param hardware: gpu_multiprocess\nConfig param learning_rate: 2e-06",
            "Config param load_parameters_path: /lustre/shared/llama3.1-8b/0/items",
            "Config param per_device_batch_size: 4.0\nConfig param remat_policy: save_qkv_proj\nConfig param"
            " run_name: harbour-b\nConfig param steps: 12000\nConfig param warmup_steps_fraction: 0.02",
            f"Attempting to initialize the jax distributed system for GPU backend...\nJax distributed system"
            f" initialized on GPU!\nSystem Information: Jax Version: 0.4.35\nSystem Information: Process index: {host}",
            "Num_devices: 32, shape (1, 1, 1, 32, 1, 1, 1, 1, 1, 1)",
            "Setting up checkpoint logger...\nCreating checkpoint manager...\nCheckpoint manager created!",
            "restoring params from /lustre/shared/llama3.1-8b/0/items",
            "number parameters: 8.030 billion\nPer train step:\n Total TFLOPs: 1756.32 \n split as 89.62% learnable"
            " weight flops and 10.38% attention flops",
        ]
        mine = Random(f"harbour {host}")
        for step in range(end):
            sec = 4.31 * mine.uniform(0.993, 1.009) if step else 88.402
            if step == 1:
                sec = 0.371
            out.append(
                f"completed step: {step}, seconds: {sec:.3f}, TFLOP/s/device: {1756.32 / sec:.3f}, Tokens/s/device:"
                f" {32768 / sec:.3f}, total_weights: {1048576 - 37 * (step % 11)}, loss: {losses[step]:.3f}"
            )
            if step and step % 60 == 0:
                k = step // 60
                ev = 2.0617 + 0.0029 * k + 0.0004 * (k % 3)
                out += [f"Completed eval step {i}" for i in range(24)]
                out.append(
                    f"average loss after {step=}: eval_step_count=24, eval_loss={ev:.4f}, total_weights=25165824.0"
                )
            if step in (250, 500):
                out.append(f"saved a checkpoint at step {step}")
        text = "\n".join(out) + "\n"
        if host == 2:
            text = text[:-61]
        put(place, f"harbour-b.{host}.out", text)


def c13_valley(place: Path, rng: Random) -> None:
    """ESPnet on a dialect; the group's viewer strips the times."""
    who = "[gpu12]"
    out = [
        "# python3 -m espnet2.bin.asr_train --use_preprocessor true --bpemodel"
        " data/gsw_token_list/bpe_unigram2000/bpe.model"
        " --token_type bpe --ngpu 1 --config conf/tuning/train_asr_ebf.yaml --output_dir exp/asr_ebf --resume true",
        "#",
        "/opt/espnet/tools/venv/bin/python3 /opt/espnet/espnet2/bin/asr_train.py --use_preprocessor true --ngpu 1",
        f"{who} (asr:523) INFO: Vocabulary size: 2000",
        f"{who} (abs_task:1276) INFO: pytorch.version=2.1.2, cuda.available=True, cudnn.version=8902,"
        " cudnn.benchmark=False, cudnn.deterministic=True",
        f"{who} (abs_task:1284) INFO: Model summary:",
        "    Class Name: ESPnetASRModel",
        "    Total Number of model parameters: 41.12 M",
        "    Number of trainable parameters: 41.12 M (100.0%)",
        "    Size: 164.47 MB",
        "    Type: torch.float32",
        f"{who} (abs_task:1287) INFO: Optimizer:",
        "Adam (lr: 5e-08, weight_decay: 1e-06)",
        f"{who} (abs_task:1288) INFO: Scheduler: WarmupLR(warmup_steps=20000)",
        f"{who} (abs_task:1300) INFO: Saving the configuration in exp/asr_ebf/config.yaml",
        f"{who} (abs_task:1660) INFO: [train] Batch sampler: NumElementsBatchSampler(N-batch=3711, batch_bins=8000000,"
        " sort_in_batch=descending, sort_batch=descending)",
        f"{who} (abs_task:1661) INFO: [train] mini-batch sizes summary: N-batch=3711, mean=31.2, min=8, max=114",
        f"{who} (trainer:311) INFO: 1/50epoch started",
    ]
    for epoch in range(1, 13):
        if epoch > 1:
            left = (51 - epoch) * 34.2 / 60
            out.append(
                f"{who} (trainer:305) INFO: {epoch}/50epoch started. Estimated time to finish: {int(left // 24)} days,"
                f" {int(left % 24)} hours and {left * 60 % 60:.2f} minutes"
            )
        for part in range(20):
            a, b = part * 185 + 1, part * 185 + 185
            k = epoch - 1 + part / 20
            ctc = falls(rng, k, 290, 31, 1.8, 0.03)
            att = falls(rng, k, 130, 19, 2.0, 0.03)
            lr = 0.001 * min(1.0, (k * 3711 + 90) / 20000)
            out.append(
                f"{who} (trainer:762) INFO: {epoch}epoch:train:{a}-{b}batch: iter_time={rng.uniform(1.0, 2.2):.3f}e-04,"
                f" forward_time={rng.uniform(0.158, 0.171):.3f}, loss_ctc={ctc:.3f}, loss_att={att:.3f},"
                f" acc={0.91 - 0.82 * math.exp(-k / 2.6):.3f}, loss={0.3 * ctc + 0.7 * att:.3f},"
                f" backward_time={rng.uniform(0.241, 0.26):.3f}, grad_norm={rng.uniform(9, 19):.3f}, clip=100.000,"
                f" loss_scale=1.000, optim_step_time={rng.uniform(0.031, 0.035):.3f}, optim0_lr0={lr:.3e},"
                f" train_time={rng.uniform(0.49, 0.53):.3f}"
            )
            if epoch == 12 and part == 6:
                break
        if epoch == 12:
            break
        out.append(
            f"{who} (trainer:361) INFO: {epoch}epoch results: [train] iter_time=1.512e-04, forward_time=0.164,"
            f" loss_ctc={ctc:.3f}, loss_att={att:.3f}, acc={0.91 - 0.82 * math.exp(-k / 2.6):.3f},"
            f" loss={0.3 * ctc + 0.7 * att:.3f}, time=31 minutes and {rng.uniform(2, 55):.2f} seconds,"
            f" total_count={3711 * epoch}, gpu_max_cached_mem_GB=29.617, [valid] loss_ctc={ctc * 1.05:.3f},"
            f" cer_ctc={0.07 + 0.7 * math.exp(-k / 2):.3f}, loss_att={att * 1.03:.3f},"
            f" acc={0.9 - 0.82 * math.exp(-k / 2.6):.3f}, loss={0.3 * ctc + 0.75 * att:.3f}, time=1 minute and"
            f" {rng.uniform(22, 38):.2f} seconds, total_count={142 * epoch}, gpu_max_cached_mem_GB=29.617"
        )
        out.append(f"{who} (trainer:416) INFO: The best model has been updated: valid.acc")
        if epoch > 10:
            out.append(f"{who} (trainer:470) INFO: The model files were removed: exp/asr_ebf/{epoch - 10}epoch.pth")
    put(place, "train.log", out)
    put(
        place,
        "run.err",
        [
            "(asr.sh:286:main) ./asr.sh --lang gsw --ngpu 1 --nbpe 2000 --stage 11 --asr_config"
            " conf/tuning/train_asr_ebf.yaml",
            "(asr.sh:1298:main) Stage 11: ASR Training: train_set=dump/raw/train, valid_set=dump/raw/dev",
            "(asr.sh:1365:main) Generate 'exp/asr_ebf/run.sh'. You can resume the process from stage 11"
            " using this script",
            "(asr.sh:1369:main) ASR training started... log: 'exp/asr_ebf/train.log'",
            "run.pl: job failed, log is in exp/asr_ebf/train.log",
        ],
    )


def c14_proof(place: Path, rng: Random) -> None:
    """Text of proofs, with a loop of one's own in Flax; the first hours are not in the file."""
    now, pid = DAY * 4 + 71044.0, 2218841
    out: list[str] = []

    def say(text: str, line: int) -> None:
        out.append(f"I{clock(now, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} {pid} train_nnx.py:{line}] {text}")

    for step in range(71400, 100001, 100):
        now += 100 * 0.218 * rng.uniform(0.985, 1.02)
        lr = 9e-4 * 0.5 * (1 + math.cos(math.pi * step / 160000)) + 4e-5
        k = (step - 83100) / 100
        if k < 0:
            loss, norm = 2.214 - (step - 71400) * 4.0e-6 + rng.gauss(0, 0.021), rng.uniform(0.27, 0.36)
        elif k < 12:
            loss = 2.19 + (12.9 - 2.19) * (k / 12) ** 2.1 + rng.gauss(0, 0.05)
            norm = 0.4 * math.exp(k * 0.62) * rng.uniform(0.8, 1.25)
        else:
            loss = 8.41 + 4.6 * math.exp(-(k - 11) / 3.5) + rng.gauss(0, 0.03)
            norm = 0.9 + 300 * math.exp(-(k - 11) / 2.2) + rng.uniform(0, 0.5)
        say(
            f"step {step:6d}/100000 | loss {loss:7.4f} | gnorm {norm:9.3f} | lr {lr:.3e} |"
            f" {rng.uniform(598, 604):.0f}k tok/s",
            231,
        )
        if step % 2000 == 0:
            now += 19
            say(
                f"eval @ {step}: nll {loss + 0.04:.4f} ppl {math.exp(loss + 0.04):.2f} acc"
                f" {0.561 if k < 0 else 0.037:.3f}",
                262,
            )
        if step % 10000 == 0:
            now += 5
            say(f"orbax: wrote /mnt/nv/proof350m/{step}", 278)
    say("loop done, 100000 steps, closing writers", 301)
    put(place, "proof350m.log", out)

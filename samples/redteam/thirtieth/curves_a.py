"""Curves of the thirtieth set, c01 to c06. SIMULATED: every line comes from these generators, none from a real job."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


class _Clock:
    """A wall clock that only the case moves."""

    def __init__(self, at: str) -> None:
        self.at = datetime.fromisoformat(at)

    def on(self, seconds: float) -> _Clock:
        self.at += timedelta(seconds=seconds)
        return self

    def __format__(self, spec: str) -> str:
        return self.at.strftime(spec)


def _write(place: Path, name: str, lines: list[str]) -> None:
    (place / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _near(rng: Random, value: float, share: float = 0.05) -> float:
    """A value with noise that grows with it."""
    return value * max(0.05, rng.gauss(1.0, share))


def _span(seconds: float) -> str:
    """H:MM:SS as ``str(timedelta)`` has it."""
    return str(timedelta(seconds=int(seconds)))


def _tqdm_span(seconds: float) -> str:
    """MM:SS below an hour, as tqdm has it."""
    text = _span(seconds)
    return text[2:] if text.startswith("0:") else text


def _bar(done: int, total: int, width: int = 10) -> str:
    eighths = int(done / total * width * 8)
    parts = " ▏▎▍▌▋▊▉"
    bar = "█" * (eighths // 8) + (parts[eighths % 8] if eighths < width * 8 else "")
    return f"{100 * done // total:3d}%|{bar:<{width}}|"


# --- c01 -------------------------------------------------------------------------------------------------------------


def c01_weedplots(place: Path, rng: Random) -> None:
    clock = _Clock("2023-11-07 22:41:09")
    out: list[str] = []
    iters, epochs, mem = 388, 120, 31.4

    def say(module: str, line: int, words: str, level: str = "INFO") -> None:
        out.append(f"{clock:%Y-%m-%d %H:%M:%S} | {level:<8} | {module}:{line} - {words}")

    def save(name: str) -> None:
        say("yolox.core.trainer", 367, f"Save weights to ./YOLOX_outputs/{name}")

    def evaluate(epoch: int) -> None:
        clock.on(41)
        best = 0.478 - 0.21 * math.exp(-epoch / 40)
        say("yolox.evaluators.coco_evaluator", 256, "Evaluate in main process...")
        clock.on(6)
        out.extend(
            [
                "Loading and preparing results...",
                f"DONE (t={rng.uniform(0.6, 1.4):.2f}s)",
                "creating index...",
                "index created!",
            ]
        )
        out.append("Running per image evaluation...")
        out.append("Evaluate annotation type *bbox*")
        say("yolox.core.trainer", 353, "")
        out.append(
            f"Average forward time: {rng.uniform(9.1, 9.6):.2f} ms, Average NMS time: {rng.uniform(1.1, 1.4):.2f} ms, Average "
            f"inference time: {rng.uniform(10.3, 10.9):.2f} ms"
        )
        rows = (
            ("0.50:0.95", "   all", 1.0),
            ("0.50     ", "   all", 1.58),
            ("0.75     ", "   all", 1.05),
            ("0.50:0.95", " small", 0.55),
            ("0.50:0.95", "medium", 1.08),
            ("0.50:0.95", " large", 1.41),
        )
        for iou, area, share in rows:
            out.append(
                f" Average Precision  (AP) @[ IoU={iou} | area={area} | maxDets=100 ] = {min(0.97, _near(rng, best * share, 0.008)):.3f}"
            )
        for most, share in (("  1", 0.27), (" 10", 0.94), ("100", 1.14)):
            out.extend(
                [
                    f" Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets={most} ] = {_near(rng, best * share, 0.02):.3f}"
                ]
            )
        out.append("per class AP:")
        out.append("| class     | AP     | class       | AP     | class      | AP     |")
        out.append("|:----------|:-------|:------------|:-------|:-----------|:-------|")
        names = (("thistle", "chickweed", "bindweed"), ("dock", "cleavers", "sugarbeet"))
        for row in names:
            out.extend(
                [
                    "| "
                    + " | ".join(
                        f"{one:<{w}} | {_near(rng, best * 100, 0.15):.3f}"
                        for one, w in zip(row, (9, 11, 10), strict=True)
                    )
                    + " |"
                ]
            )
        out.append("")
        save("yolox_m_weeds")

    stopped = (63, 210)
    for epoch in range(51, epochs + 1):
        if epoch > 51:
            say("yolox.core.trainer", 205, f"---> start train epoch{epoch}")
        for it in range(30, iters + 1, 30):
            if (epoch, it) > stopped:
                break
            if epoch == 51 and it < 120:
                continue
            step = _near(rng, 0.283, 0.03)
            clock.on(step * 30)
            mem += rng.uniform(0.13, 0.33)
            iou, conf, cls = (
                _near(rng, base + add * math.exp(-epoch / 30), 0.06)
                for base, add in ((1.75, 1.1), (1.32, 1.6), (0.52, 0.6))
            )
            lr = (
                0.01 / 64 * 32 * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (epoch * iters + it) / (epochs * iters))))
            )
            left = ((epochs - epoch) * iters + iters - it) * step
            say(
                "yolox.core.trainer",
                260,
                f"epoch: {epoch}/{epochs}, iter: {it}/{iters}, gpu mem: 17{rng.choice((214, 214, 398))}Mb, mem: {mem:.1f}Gb, "
                f"iter_time: {step:.3f}s, data_time: {rng.uniform(0.002, 0.019):.3f}s, "
                f"total_loss: {iou + conf + cls:.1f}, iou_loss: {iou:.1f}, l1_loss: 0.0, conf_loss: {conf:.1f}, cls_loss: "
                f"{cls:.1f}, lr: {lr:.3e}, size: {rng.choice(range(480, 801, 32))}, ETA: {_span(left)}",
            )
        if epoch == stopped[0]:
            break
        clock.on(8)
        save("yolox_m_weeds")
        if epoch % 5 == 0:
            evaluate(epoch)
        if epoch == 60:
            say(
                "weeds.hooks.mirror",
                63,
                "put latest_ckpt.pth -> s3://agro-ckpt/weeds/m/latest_ckpt.pth ok (1/4), 198.4 MB",
            )
        if epoch == 55:
            say(
                "weeds.hooks.mirror",
                58,
                "put latest_ckpt.pth -> s3://agro-ckpt/weeds/m/latest_ckpt.pth failed (1/4)",
                "ERROR",
            )
            out.extend(
                [
                    "Traceback (most recent call last):",
                    '  File "/workspace/weeds/hooks/mirror.py", line 51, in _put',
                    "    self.client.upload_file(str(path), self.bucket, key)",
                    '  File "/usr/local/lib/python3.8/dist-packages/boto3/s3/inject.py", line 143, in upload_file',
                    "    return transfer.upload_file(",
                    '  File "/usr/local/lib/python3.8/dist-packages/boto3/s3/transfer.py", line 288, in upload_file',
                    "    future.result()",
                    '  File "/usr/local/lib/python3.8/dist-packages/s3transfer/futures.py", line 266, in result',
                    "    raise self._exception",
                    "botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "
                    '"http://minio.feld.lan:9000/agro-ckpt/weeds/m/latest_ckpt.pth?uploads"',
                ]
            )
            clock.on(30)
            say(
                "weeds.hooks.mirror",
                63,
                "put latest_ckpt.pth -> s3://agro-ckpt/weeds/m/latest_ckpt.pth ok (2/4), 198.4 MB",
            )
    out.append(
        "./train_weeds.sh: line 31:    57 Killed                  python3 tools/train.py -f exps/weeds/yolox_m_weeds.py -d 1 -b 32 "
        "--fp16 --cache -c /data/weights/yolox_m.pth"
    )
    out.append("train_weeds.sh: exit 137")
    # What was kept begins within a line.
    out[0] = out[0][out[0].index("iter_time") :]
    _write(place, "weeds_m.log", out)


# --- c02 -------------------------------------------------------------------------------------------------------------


def c02_ceramics(place: Path, rng: Random) -> None:
    clock = _Clock("2024-03-19 02:14:37")
    job, parent = 884213, 884190
    total, every = 10000, 4

    def loss_at(step: float) -> float:
        return 0.062 + 0.118 * math.exp(-step / 1900)

    def line(step: int, mean: float, rate: float) -> str:
        one = max(0.004, rng.lognormvariate(math.log(mean), 0.55))
        prior = max(0.01, rng.lognormvariate(math.log(0.11), 0.5))
        return f"step {step:>5d}/{total} | inst {one:.4f} | prior {prior:.4f} | ema {_near(rng, mean * 1.12, 0.02):.4f} | lr {2e-6:.1e} | {rate:.2f} it/s"

    out = [
        f"== job {job} on gpua043, {clock:%a %d %b %Y %H:%M:%S} CET",
        f"== dependency: afterany:{parent}(fulfilled)",
        f"== this is part 2, part 1 was job {parent}; last lines it wrote:",
        *(line(step, loss_at(step), _near(rng, 1.41, 0.01)) for step in (5992, 5996, 6000)),
        "Saved state to /scratch/kmeyer/db/884190/checkpoint-6000",
        f"== OUT=/scratch/kmeyer/db/{job}",
        "== accelerate launch --num_processes 1 --mixed_precision bf16 train_dreambooth.py --pretrained_model_name_or_path "
        "stabilityai/stable-diffusion-2-1-base \\",
        '     --instance_data_dir data/faience --class_data_dir data/class_plates --instance_prompt "a photo of sks faience plate" '
        '--class_prompt "a photo of a plate" \\',
        "     --with_prior_preservation --train_text_encoder --resolution 512 --train_batch_size 4 --learning_rate 2e-6 "
        "--max_train_steps 10000 --checkpointing_steps 1000 \\",
        "     --resume_from_checkpoint latest --output_dir $OUT",
        "Checkpoint 'latest' does not exist. Starting a new training run.",
    ]
    err: list[str] = [
        "/home/kmeyer/venv/db/lib/python3.10/site-packages/accelerate/accelerator.py:432: FutureWarning: Passing the following "
        "arguments to `Accelerator` is deprecated and will be removed in version 1.0 of Accelerate: dict_keys(['dispatch_batches']).",
        "  warnings.warn(",
        f"{clock.on(9):%m/%d/%Y %H:%M:%S} - INFO - __main__ - Distributed environment: DistributedType.NO",
        "Num processes: 1",
        "Process index: 0",
        "Local process index: 0",
        "Device: cuda",
        "",
        "Mixed precision type: bf16",
        "",
        "You are using a model of type clip_text_model to instantiate a model of type . This is not supported for all "
        "configurations of models and can yield errors.",
        "{'variance_type', 'dynamic_thresholding_ratio', 'clip_sample_range', 'thresholding', 'sample_max_value'} was not found in "
        "config. Values will be initialized to default values.",
        "{'mid_block_add_attention', 'force_upcast', 'latents_mean', 'latents_std', 'use_quant_conv'} was not found in config. "
        "Values will be initialized to default values.",
        "{'dropout', 'attention_type', 'reverse_transformer_layers_per_block'} was not found in config. Values will be initialized to default values.",
    ]
    clock.on(31)
    stamp = f"{clock:%m/%d/%Y %H:%M:%S} - INFO - __main__ -"
    for words in (
        "***** Running training *****",
        "  Num examples = 200",
        "  Num batches each epoch = 50",
        "  Num Epochs = 200",
        "  Instantaneous batch size per device = 4",
        "  Total train batch size (w. parallel, distributed & accumulation) = 4",
        "  Gradient Accumulation steps = 1",
        "  Total optimization steps = 10000",
    ):
        err += [f"{stamp} {words}"]
    start = clock.at
    bars = [f"\rSteps:   0%|          | 0/{total} [00:00<?, ?it/s]"]
    for step in range(every, total + 1, every):
        rate = _near(rng, 1.41, 0.012)
        clock.on(every / rate)
        out.append(line(step, loss_at(step), rate))
        if step % 40 == 0:
            gone = (clock.at - start).total_seconds()
            bars.append(
                f"\rSteps: {_bar(step, total)} {step}/{total} [{_tqdm_span(gone)}<{_tqdm_span(gone / step * (total - step))},  "
                f"{rate:.2f}it/s, loss={max(0.01, _near(rng, loss_at(step) + 0.1, 0.4)):.3g}, lr=2e-6]"
            )
        if step % 1000 == 0:
            clock.on(22)
            err.append("".join(bars))
            bars = []
            base = f"/scratch/kmeyer/db/{job}/checkpoint-{step}"
            now = f"{clock:%m/%d/%Y %H:%M:%S} - INFO"
            err.append(f"{now} - accelerate.accelerator - Saving current state to {base}")
            err.append(f"Configuration saved in {base}/unet/config.json")
            err.append(f"Model weights saved in {base}/unet/diffusion_pytorch_model.safetensors")
            for what in (
                "Optimizer state saved in",
                "Scheduler state saved in",
                "Sampler state for dataloader 0 saved in",
            ):
                err.append(f"{now} - accelerate.checkpointing - {what} {base}/{what.split()[0].lower()}.bin")
            err.append(f"{now} - accelerate.checkpointing - Random states saved in {base}/random_states_0.pkl")
            err.append(f"{now} - __main__ - Saved state to {base}")
            out.append(f"Saved state to {base}")
    err.append(f"Configuration saved in /scratch/kmeyer/db/{job}/model_index.json")
    out.append(f"== end {clock.on(14):%a %d %b %Y %H:%M:%S} CET, exit 0")
    _write(place, f"db-{job}.out", out)
    _write(place, f"db-{job}.err", err)


# --- c03 -------------------------------------------------------------------------------------------------------------


def c03_heatload(place: Path, rng: Random) -> None:
    total, check = 6000, 50
    clock = _Clock("2025-01-22 10:03:51")
    logs: list[list[str]] = [[], []]
    logs[0] += [
        "2025-01-22 10:03:51,402 INFO heatload.fit: panel 1412 substations, hourly, 2019-01-01 .. 2024-12-31, h=72 input_size=504",
        "2025-01-22 10:03:51,404 INFO heatload.fit: NHITS(loss=MAE, valid_loss=MAE, scaler_type='robust', max_steps=6000, "
        "val_check_steps=50, batch_size=64, windows_batch_size=512)",
        "Seed set to 7",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2",
        "----------------------------------------------------------------------------------------------------",
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 2 processes",
        "----------------------------------------------------------------------------------------------------",
        "",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]",
        "",
        "  | Name         | Type          | Params | Mode ",
        "-------------------------------------------------------",
        "0 | loss         | MAE           | 0      | train",
        "1 | valid_loss   | MAE           | 0      | train",
        "2 | padder_train | ConstantPad1d | 0      | train",
        "3 | scaler       | TemporalNorm  | 0      | train",
        "4 | blocks       | ModuleList    | 3.6 M  | train",
        "-------------------------------------------------------",
        "3.6 M     Trainable params",
        "0         Non-trainable params",
        "3.6 M     Total params",
        "14.530    Total estimated model params size (MB)",
    ]
    logs[1] += [
        "2025-01-22 10:03:52,118 INFO heatload.fit: panel 1412 substations, hourly, 2019-01-01 .. 2024-12-31, h=72 input_size=504",
        "[rank: 1] Seed set to 7",
        "Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2",
        "LOCAL_RANK: 1 - CUDA_VISIBLE_DEVICES: [0,1]",
    ]
    clock.on(19)
    start = clock.at
    spike, lr = {1850: 3.9, 1900: 1.7, 3300: 2.6, 3350: 1.3, 4450: 1.9}, 1e-3
    best = 9.0
    for step in range(check, total + 1, check):
        clock.on(check / _near(rng, 8.1, 0.03))
        if step % 2000 == 0:
            lr /= 2
        base = 0.236 + 0.42 * math.exp(-step / 640)
        valid = _near(rng, base * 1.09 * (1 + 0.12 * (spike.get(step, 1.0) - 1)), 0.012)
        for rank, log in enumerate(logs):
            train = _near(rng, base * spike.get(step, 1.0), 0.04)
            milli = rng.randrange(1000)
            words = f"step={step} epoch={step // 12} train_loss={train:.4f} lr={lr:.2e}"
            if rank == 0:
                words += f" valid_loss={valid:.4f}" + (" *" if valid < best else "")
            if rank == 0 or step % 200 == 0:
                log.append(f"{clock:%Y-%m-%d %H:%M:%S},{milli:03d} INFO heatload.cb: [{rank}] {words}")
        best = min(best, valid)
    logs[0].append(f"`Trainer.fit` stopped: `max_steps={total}` reached.")
    logs[0].append(
        f"{clock.on(2):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} INFO heatload.fit: fit took "
        f"{(clock.at - start).total_seconds() / 60:.1f} min, best valid_loss {best:.4f}"
    )
    logs[1].append(f"{clock:%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} INFO heatload.fit: rank 1 leaves")
    logs[0] += [
        f"{clock.on(3):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} INFO heatload.fit: saved runs/nhits_h72_s7/NHITS_0.ckpt, dataset.pkl, configuration.pkl",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]",
        f"{clock.on(38):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} INFO heatload.eval: test 2024-10-01 .. 2024-12-31, 1412 series, 30 cut-offs",
        f"{clock.on(1):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} INFO heatload.eval: NHITS          mae {_near(rng, 41.2):.2f} "
        f"kW   smape {_near(rng, 0.092):.4f}   mase {_near(rng, 0.713):.3f}",
        f"{clock:%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} INFO heatload.eval: SeasonalNaive  mae {_near(rng, 66.8):.2f} kW   "
        f"smape {_near(rng, 0.141):.4f}   mase 1.000",
        f"{clock.on(2):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} INFO heatload.eval: wrote runs/nhits_h72_s7/forecasts.parquet (3050 rows per series)",
    ]
    for rank, log in enumerate(logs):
        _write(place, f"fit.rank{rank}.log", log)


# --- c04 -------------------------------------------------------------------------------------------------------------


def c04_glosses(place: Path, rng: Random) -> None:
    clock = _Clock("2024-04-18 07:12:03.112233")
    first, last, period = 1_064_000, 1_100_000, 1000
    out: list[str] = [
        "\x1b[1;34m==>\x1b[0m \x1b[1mmodules\x1b[0m cuda/12.2 cudnn/8.9",
        "\x1b[1;34m==>\x1b[0m \x1b[1mt5x\x1b[0m byt5-base, 8 x A100, job \x1b[33m3310482\x1b[0m on \x1b[33mlise-g12\x1b[0m",
    ]

    def say(where: str, words: str, level: str = "I", after: float = 0.2) -> None:
        clock.on(rng.uniform(0.3, 1.7) * after)
        out.append(f"{level}{clock:%m%d %H:%M:%S.%f} 140185239713600 {where}] {words}")

    model = "/scratch/hlrn/t5/glosses_base"
    say("resolve.py:65", "Importing gin config from t5x/configs/runs/finetune.gin")
    say(
        "xla_bridge.py:660",
        "Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: \"rocm\". Available platform names are: CUDA",
    )
    say(
        "xla_bridge.py:660",
        "Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory",
    )
    say("train.py:221", "Process ID: 2218807")
    say("train.py:265", "Train host index 0, host count 1, local devices 8")
    say("partitioning.py:567", "global_mesh axis_names: ('data', 'model')")
    say("partitioning.py:568", "global_mesh devices shape: (8, 1)")
    say(
        "utils.py:1911",
        "Initializing dataset for task 'glosses_igt_v3' with a replica batch size of 128 and a seed of 42",
    )
    total = 41210
    for done in range(4096, total, 4096):
        clock.on(2)
        out.append(
            f"\rGenerating train examples...:  {_bar(done, total)} {done}/{total} "
            f"[00:{done // 2048:02d}<00:{(total - done) // 2048:02d}, {_near(rng, 2048):.2f} examples/s]\x1b[A"
        )
    say(
        "dataset_builder.py:593",
        "Dataset glosses_igt downloaded and prepared to /scratch/hlrn/tfds/glosses_igt/3.0.0. Subsequent calls will reuse this data.",
    )
    say("utils.py:1303", f"Found latest checkpoint step {first} in {model}")
    say("checkpoints.py:1029", f"Restoring from checkpoint: {model}/checkpoint_{first}", after=3)
    say("checkpoints.py:1117", "Restoring optimizer state and step from TensorStore", after=9)
    say(
        "checkpoints.py:1191",
        f"Restored train_ds iterator from {model}/checkpoint_{first}/train_ds-000-of-001",
        after=4,
    )
    say("train.py:432", f"Restored step: {first}")
    say("train_state.py:181", "Num params 581,653,248")
    say("trainer.py:571", "Compiling train step.", after=40)
    say("train.py:577", f"Starting main loop over steps {first}-{last}")
    task = "glosses_igt_v3"
    f1 = 0.0
    for step in range(first, last, period):
        say("train.py:588", f"Epoch {step // period} of {last // period}")
        say("train.py:600", "BEGIN Train loop.")
        for inner in range(step, step + period, 100):
            if inner % 500 == 0:
                say(
                    "train.py:606",
                    f"Training for {period} steps." if inner == step else f"Training: {inner - step} of {period}.",
                )
            rate = _near(rng, 2.31, 0.015)
            clock.on(100 / rate)
            loss = _near(rng, 0.334 + 0.09 * math.exp(-(inner - 1_000_000) / 45000), 0.02)
            at = inner + 100
            say(
                "logging_writer.py:48",
                f"[{at}] train/accuracy={1 - loss * 0.31:.6f}, train/cross_ent_loss={loss * 0.988:.6f}, "
                f"train/learning_rate=0.001000, train/learning_rate/current=0.001000, "
                f"train/loss={loss:.6f}, train/timing/steps_per_second={rate:.5f}, "
                f"train/timing/target_tokens_per_second={rate * 65536:.1f}, train/weight_grad_norm={_near(rng, 0.21, 0.12):.6f}",
            )
        say("train.py:643", "END Train loop.")
        if (step + period) % 4000 == 0:
            at = step + period
            say("checkpoints.py:791", f"Saving checkpoint for step {at} to {model}/checkpoint_{at}", after=8)
            say("checkpoints.py:843", f"Deleting old checkpoint: {model}/checkpoint_{at - 12000}")
            say("checkpoints.py:820", f"Saved checkpoint for step {at} to {model}/checkpoint_{at}", after=11)
            say("train.py:731", "Running inference evaluation")
            out.append(
                "".join(
                    f"\r\x1b[36mpredict {task}\x1b[0m: {_bar(k, 33)} {k}/33 [00:{k:02d}<00:{33 - k:02d},  1.0batch/s]"
                    for k in (0, 8, 17, 25, 33)
                )
            )
            f1 = _near(rng, 0.741 + 0.012 * (step - first) / (last - first), 0.003)
            say("evaluation.py:772", f"Computing metrics for {task}", after=36)
            say(
                "logging_writer.py:48",
                f"[{at}] inference_eval/{task}/morpheme_f1={f1:.6f}, inference_eval/{task}/exact={f1 * 0.61:.6f}",
            )
    say("train.py:771", "Finished.", after=3)
    out.append(f"\x1b[1;32m==>\x1b[0m \x1b[1mdone\x1b[0m, last morpheme_f1 {f1:.4f}")
    _write(place, "t5x_glosses_3310482.log", out)
    took = timedelta(seconds=int((clock.at - datetime.fromisoformat("2024-04-18 07:11:40")).total_seconds()))
    end = datetime.fromisoformat("2024-04-18 07:11:40") + took
    rows = [
        ("3310482", "t5x_gloss", "gpu-a100", "COMPLETED", "0:0", "lise-g12"),
        ("3310482.ba+", "batch", "", "COMPLETED", "0:0", "lise-g12"),
        ("3310482.ex+", "extern", "", "COMPLETED", "0:0", "lise-g12"),
        ("3310482.0", "python3", "", "COMPLETED", "0:0", "lise-g12"),
    ]
    table = [
        "JobID           JobName  Partition      State ExitCode    Elapsed               Start                 End        NodeList"
    ]
    table.append(
        "------------ ---------- ---------- ---------- -------- ---------- ------------------- ------------------- ---------------"
    )
    for one, name, part, state, code, node in rows:
        table.append(
            f"{one:<12} {name:>10} {part:>10} {state:>10} {code:>8} {took!s:0>8} {'2024-04-18T07:11:40':>19} {end:%Y-%m-%dT%H:%M:%S} {node:>15}"
        )
    _write(place, "sacct.txt", table)


# --- c05 -------------------------------------------------------------------------------------------------------------


def c05_seismic(place: Path, rng: Random) -> None:
    out: list[str] = []
    ranks, total = 8, 4000
    spikes = {3800: 2.7}
    for step in range(3750, total + 1, 50):
        waits = [rng.uniform(5.5, 14.5) if rng.random() < 0.8 else rng.uniform(3.1, 5.0) for _ in range(ranks)]
        order = list(range(ranks))
        rng.shuffle(order)
        loss = 0.0412 * spikes.get(step, 1.0)
        norm = _near(rng, 0.31, 0.12) * spikes.get(step, 1.0) ** 2
        for rank in order:
            rest = max(waits) - waits[rank] + rng.uniform(0.58, 0.66)
            out.append(
                f"r{rank} step {step}/{total} loss {_near(rng, loss, 0.05):.5f} gnorm {norm:.3f} lr "
                f"{3e-4 * 0.5 * (1 + math.cos(math.pi * step / total)) + 1e-6:.2e} "
                f"| s/step: batch {waits[rank]:.2f} fwd_bwd {rest:.2f} opt 0.06 | mem {rng.uniform(38.1, 38.6):.1f}G | queue 0/4"
            )
        if step in (3800, 3900):
            out.append(
                f"r0 val step {step} | mse {_near(rng, 0.0467, 0.03):.5f} ssim {_near(rng, 0.881, 0.005):.4f} | {rng.uniform(17, 24):.0f} s"
            )
    out.append(
        f"r0 val step {total} | mse {_near(rng, 0.0459, 0.01):.5f} ssim {_near(rng, 0.886, 0.003):.4f} | {rng.uniform(17, 24):.0f} s"
    )
    out.append("r0 gathered full state dict, wrote /work/geo/fwi_unet/final.pt (5.1 GB)")
    out.append("r0 4000 steps, 14 h 16 min of them waiting for batches (of 15 h 21 min)")
    out[0] = out[0][out[0].index("gnorm") + 3 :]
    _write(place, "fwi_unet_fsdp.log", out)
    table = ["JobID|JobName|Partition|AllocTRES|State|ExitCode|Start|End|Elapsed|NodeList"]
    for one, name, tres in (
        ("70931", "fwi_unet", "billing=64,cpu=64,gres/gpu=8,mem=900G,node=1"),
        ("70931.batch", "batch", "cpu=64,gres/gpu=8,mem=900G,node=1"),
        ("70931.extern", "extern", "billing=64,cpu=64,gres/gpu=8,mem=900G,node=1"),
        ("70931.0", "torchrun", "cpu=64,gres/gpu=8,mem=900G,node=1"),
    ):
        part = "h100" if name == "fwi_unet" else ""
        table.append(f"{one}|{name}|{part}|{tres}|COMPLETED|0:0|2025-02-11T18:20:44|2025-02-12T09:52:24|15:31:40|hgx03")
    _write(place, "sacct_70931.txt", table)


# --- c06 -------------------------------------------------------------------------------------------------------------


def c06_faroese(place: Path, rng: Random) -> None:
    clock = _Clock("2024-08-29 03:17:40.410213")
    out: list[str] = []

    def pod(words: str, after: float = 0.01) -> None:
        clock.on(after)
        out.append(f"{clock:%Y-%m-%dT%H:%M:%S.%f}{rng.randrange(1000):03d}Z {words}")

    def say(words: str, after: float = 0.05) -> None:
        clock.on(after)
        pod(f"[{clock:%Y-%m-%d %H:%M:%S}] {words}", 0.0002)

    pod("entrypoint: gs://fo-mt/runs/fo-da-big -> /run/fo-da (none yet)")
    pod("entrypoint: metadata watcher on, every 5 s")
    pod("+ /marian/build/marian -c /config/train.yml 2>&1 | grep --line-buffered -v '\\[config\\]'")
    say("[marian] Marian v1.12.0 65bf82f 2023-02-21 09:56:29 -0800", 0.8)
    say("[marian] Running on fo-da-big-4nqzx as process 31 with command line:")
    say("[marian] /marian/build/marian -c /config/train.yml")
    say("Using synchronous SGD")
    say("[comm] Compiled without MPI support. Running as a single process on fo-da-big-4nqzx")
    say("Synced seed 1234")
    for number in (0, 1):
        say("[data] Loading SentencePiece vocabulary from file /run/fo-da/vocab.spm", 0.2)
        say(f"[data] Setting vocabulary size for input {number} to 32,000")
    say("[batching] Collecting statistics for batch fitting with step size 10")
    for device in range(2):
        say(f"[memory] Extending reserved space to 13056 MB (device gpu{device})", 0.9)
    say("[comm] Using NCCL 2.8.3 for GPU communication")
    say("[training] Using 2 GPUs")
    say("[memory] Reserving 798 MB, device gpu0", 0.3)
    say("[batching] Done. Typical MB size is 21,846 target words", 24)
    for device in range(2):
        say(f"[memory] Extending reserved space to 13056 MB (device gpu{device})", 0.3)
    say("Training started", 0.4)
    say("[data] Done reading 6,214,880 sentences", 7)
    say("[data] Done shuffling 6,214,880 sentences (cached in RAM)", 3)
    say("[training] Batches are processed as 1 process(es) x 2 devices/process", 4)
    say("[memory] Reserving 399 MB, device gpu1", 0.1)
    say("Parameter type float32, optimization type float32, casting types false", 1)
    seen, best = 0, 0.0
    for update in range(1000, 15001, 1000):
        sents = int(_near(rng, 612_000, 0.01))
        seen += sents
        seconds = _near(rng, 655.0, 0.01)
        words = int(_near(rng, 21_300_000, 0.01))
        cost = 2.62 + 5.6 * math.exp(-update / 2100)
        epoch = seen // 6_214_880 + 1
        say(
            f"Ep. {epoch} : Up. {update} : Sen. {seen % 6_214_880:,} : Cost {_near(rng, cost, 0.006):.8f} * {words:,} @ "
            f"{int(_near(rng, 21_000, 0.05)):,} after {words * update // 1000:,} : Time {seconds:.2f}s : {words / seconds:.2f} words/s",
            seconds,
        )
        if update % 5000 == 0:
            say(
                "[training] Saving model weights and runtime parameters to /run/fo-da/model.npz.best-bleu-detok.npz", 41
            )
            best = {5000: 22.4131, 10000: 30.9027, 15000: 33.1784}[update]
            say(f"[valid] Ep. {epoch} : Up. {update} : bleu-detok : {best} : new best", 1.5)
            say(f"[training] Saving model weights and runtime parameters to /run/fo-da/model.iter{update}.npz")
    pod("entrypoint: instance/preempted -> TRUE (computeMetadata/v1), TERM to 31", 212.4)
    say("[training] Saving model weights and runtime parameters to /run/fo-da/model.npz", 0.9)
    say("[training] Saving Adam parameters", 1.8)
    say("[training] Saving training checkpoint to /run/fo-da/model.npz and /run/fo-da/model.npz.optimizer.npz", 0.2)
    say("Training interrupted (via signal).", 2.6)
    pod("entrypoint: /run/fo-da -> gs://fo-mt/runs/fo-da-big (2.3 GiB)", 9.2)
    pod("entrypoint: marian 143, instance goes away", 0.4)
    _write(place, "fo-da-big-4nqzx.log", out)

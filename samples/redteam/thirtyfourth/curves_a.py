"""Curves c01 to c06 of the thirty-fourth set. SIMULATED: no line here was taken from a real job."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.thirtyfourth.ticking import Clock

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


class _Pod:
    """A container's log as ``kubectl logs --timestamps`` gives it."""

    def __init__(self, start: str, rng: Random) -> None:
        self.clock, self.rng, self.lines = Clock(start), rng, list[str]()

    def say(self, text: str, after: float = 0.0) -> None:
        self.clock.tick(after)
        for line in text.split("\n"):
            self.clock.tick(self.rng.uniform(0.00001, 0.0004))
            self.lines.append(f"{self.clock.micro()}{self.rng.randrange(1000):03d}Z {line}".rstrip(" "))

    def write(self, path: Path) -> None:
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


# c01 ------------------------------------------------------------------------------------------------------------------


def c01_heatload(place: Path, rng: Random) -> None:
    """A district heating company's DeepAR over 1 148 substations, ended as planned."""
    pod = _Pod("2026-01-19T21:04:11", rng)
    pod.say("[heatload] gluonts 0.15.1, torch 2.4.1+cu121, lightning 2.4.0, python 3.11.9")
    pod.say("[heatload] reading s3://vs-fernwaerme/curated/substations_hourly.parquet", 1.2)
    pod.say("[heatload] 1148 series, freq=h, 2019-10-01 00:00 .. 2025-12-31 23:00, 3.1% missing", 19.4)
    pod.say("[heatload] prediction_length=72 context_length=336 num_feat_dynamic_real=4 (t_out, wind, sun, holiday)")
    pod.say(
        "/opt/venv/lib/python3.11/site-packages/gluonts/json.py:102: UserWarning: Using `json`-module for "
        "json-handling. Consider installing one of `orjson`, `ujson` to speed up serialization and "
        "deserialization."
    )
    pod.say("  warnings.warn(")
    pod.say("GPU available: True (cuda), used: True", 3.3)
    pod.say("TPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs")
    pod.say(
        "You are using a CUDA device ('NVIDIA A10G') that has Tensor Cores. To properly utilize them, you should "
        "set `torch.set_float32_matmul_precision('medium' | 'high')` which will trade-off precision for "
        "performance. For more details, read "
        "https://pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision"
        ".html#torch.set_float32_matmul_precision"
    )
    pod.say(
        "/opt/venv/lib/python3.11/site-packages/lightning/pytorch/trainer/configuration_validator.py:68: You "
        "passed in a `val_dataloader` but have no `validation_step`. Skipping val loop."
    )
    pod.say("LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]", 0.4)
    pod.say(
        "\n"
        "  | Name  | Type        | Params | Mode  | In sizes                                                                           | Out sizes   \n"
        "------------------------------------------------------------------------------------------------------------------------------------------------\n"
        "0 | model | DeepARModel | 142 K  | train | [[1, 1], [1, 1], [1, 1056, 9], [1, 1056], [1, 1056], [1, 72, 9]] | [1, 100, 72]\n"
        "------------------------------------------------------------------------------------------------------------------------------------------------\n"
        "142 K     Trainable params\n0         Non-trainable params\n142 K     Total params\n0.571     Total estimated model params size (MB)\n"
        "11        Modules in train mode\n0         Modules in eval mode"
    )
    best = math.inf
    for epoch in range(90):
        loss = 1.86 + 2.9 * math.exp(-epoch / 11) + rng.gauss(0, 0.022)
        step = (epoch + 1) * 200
        took = rng.uniform(20.5, 22.6)
        if loss < best:
            best = loss
            pod.say(
                (
                    f"Epoch {epoch}, global step {step}: 'train_loss' reached {loss:.5f} (best {loss:.5f}), saving model to "
                    f"'/work/runs/deepar-72h/lightning_logs/version_0/checkpoints/epoch={epoch}-step={step}.ckpt' as top 1"
                ),
                took,
            )
        else:
            pod.say(f"Epoch {epoch}, global step {step}: 'train_loss' was not in top 1", took)
    pod.say("`Trainer.fit` stopped: `max_epochs=90` reached.", 0.03)
    pod.say("[heatload] predictor serialized to /work/runs/deepar-72h/predictor (0.6 MB)", 1.1)
    pod.say("[heatload] backtest: 7 windows, num_samples=100", 0.2)
    for done in (1148, 2296, 3444, 4592, 5740, 6888, 8036):
        pod.say(f"[heatload] forecasts {done}/8036", rng.uniform(41, 46))
    pod.say(
        "/opt/venv/lib/python3.11/site-packages/pandas/core/dtypes/astype.py:138: UserWarning: Warning: converting a masked element to nan.",
        11,
    )
    pod.say("  return arr.astype(dtype, copy=True)")
    found = {
        "MSE": round(rng.uniform(4100, 4300), 4),
        "MASE": round(rng.uniform(0.78, 0.82), 6),
        "MAPE": round(rng.uniform(0.13, 0.15), 6),
        "sMAPE": round(rng.uniform(0.12, 0.13), 6),
        "MSIS": round(rng.uniform(6.4, 6.8), 6),
        "ND": round(rng.uniform(0.081, 0.085), 6),
        "NRMSE": round(rng.uniform(0.17, 0.18), 6),
        "wQuantileLoss[0.1]": round(rng.uniform(0.031, 0.034), 6),
        "wQuantileLoss[0.5]": round(rng.uniform(0.081, 0.085), 6),
        "wQuantileLoss[0.9]": round(rng.uniform(0.037, 0.041), 6),
        "mean_wQuantileLoss": round(rng.uniform(0.062, 0.066), 6),
        "Coverage[0.1]": round(rng.uniform(0.09, 0.11), 6),
        "Coverage[0.9]": round(rng.uniform(0.89, 0.91), 6),
    }
    pod.say(json.dumps(found, indent=4), 2.2)
    pod.say("[heatload] previous model in production: mean_wQuantileLoss 0.0702 -> promote", 0.1)
    pod.say("[heatload] uploaded 4 objects to s3://vs-fernwaerme/models/deepar-72h/2026-01-19/", 3.6)
    pod.write(place / "heatload-deepar-72h-7xk2p.log")


# c02 ------------------------------------------------------------------------------------------------------------------


class _Loguru:
    """YOLOX's logger with its colours on."""

    def __init__(self, start: str) -> None:
        self.clock, self.lines = Clock(start), list[str]()

    def info(self, where: str, line: int, text: str, after: float = 0.0) -> None:
        stamp = self.clock.tick(after).form("%Y-%m-%d %H:%M:%S")
        self.lines.append(
            f"\x1b[32m{stamp}\x1b[0m | \x1b[1mINFO    \x1b[0m | \x1b[36m{where}\x1b[0m:\x1b[36m{line}\x1b[0m - \x1b[1m{text}\x1b[0m"
        )


def c02_kelp(place: Path, rng: Random) -> None:
    """YOLOX-s over drone pictures of sea urchins; libpng complains of a colour profile all the way."""
    log = _Loguru("2026-02-24 08:31:05")
    core, total, inner = "yolox.core.trainer", 20, 160
    log.info(
        core,
        130,
        (
            "args: Namespace(batch_size=32, cache=None, ckpt='weights/yolox_s.pth', devices=2, dist_backend='nccl', "
            "dist_url=None, exp_file='exps/kelp/urchin_s.py', experiment_name='urchin_s', fp16=True, "
            "logger='tensorboard', machine_rank=0, name=None, num_machines=1, occupy=True, opts=[], resume=False, "
            "start_epoch=None)"
        ),
    )
    rows = {
        "seed": "None",
        "output_dir": "'./YOLOX_outputs'",
        "print_interval": "40",
        "eval_interval": "4",
        "num_classes": "3",
        "depth": "0.33",
        "width": "0.5",
        "act": "'silu'",
        "data_num_workers": "6",
        "input_size": "(640, 640)",
        "multiscale_range": "5",
        "data_dir": "'/srv/kelp/coco'",
        "train_ann": "'urchins_train.json'",
        "val_ann": "'urchins_val.json'",
        "mosaic_prob": "1.0",
        "mixup_prob": "0.5",
        "warmup_epochs": "2",
        "max_epoch": str(total),
        "basic_lr_per_img": "0.00015625",
        "scheduler": "'yoloxwarmcos'",
        "no_aug_epochs": "4",
        "ema": "True",
        "weight_decay": "0.0005",
        "momentum": "0.9",
        "save_history_ckpt": "True",
        "exp_name": "'urchin_s'",
        "test_size": "(640, 640)",
        "test_conf": "0.01",
        "nmsthre": "0.65",
    }
    bar = "═" * 19
    table = [f"╒{bar}╤{'═' * 28}╕", f"│ {'keys':<17} │ {'values':<26} │", f"╞{bar}╪{'═' * 28}╡"]
    for number, (key, value) in enumerate(rows.items()):
        table += [f"├{'─' * 19}┼{'─' * 28}┤"] * bool(number) + [f"│ {key:<17} │ {value:<26} │"]
    log.info(core, 131, "exp value:\n" + "\n".join([*table, f"╘{bar}╧{'═' * 28}╛"]))
    log.info(core, 137, "Model Summary: Params: 8.94M, Gflops: 26.76", 4)
    log.info(core, 320, "loading checkpoint for fine tuning", 1)
    for shape in ("cls_preds.0.weight", "cls_preds.1.weight", "cls_preds.2.weight"):
        stamp = log.clock.form("%Y-%m-%d %H:%M:%S")
        log.lines.append(
            f"\x1b[32m{stamp}\x1b[0m | \x1b[33m\x1b[1mWARNING \x1b[0m | "
            f"\x1b[36myolox.utils.checkpoint\x1b[0m:\x1b[36m27\x1b[0m - \x1b[33m\x1b[1mShape of head.{shape} in "
            f"checkpoint is torch.Size([80, 128, 1, 1]), while shape of head.{shape} in model is torch.Size([3, 128, "
            "1, 1]).\x1b[0m"
        )
    log.info("yolox.data.datasets.coco", 63, "loading annotations into memory...", 1)
    log.info("yolox.data.datasets.coco", 63, "Done (t=0.21s)")
    log.info("pycocotools.coco", 86, "creating index...")
    log.info("pycocotools.coco", 86, "index created!")
    log.info(core, 155, "init prefetcher, this might take one minute or less...", 1)
    log.info(core, 191, "Training start...", 9)
    best, seen = 0.0, 0
    warn = "libpng warning: iCCP: known incorrect sRGB profile"
    for epoch in range(1, total + 1):
        log.info(core, 202, f"---> start train epoch{epoch}", 1)
        if epoch == total - 4 + 1:
            log.info(core, 205, "--->No mosaic aug now!")
            log.info(core, 207, "--->Add additional L1 loss now!")
        for it in range(40, inner + 1, 40):
            seen = (epoch - 1) * inner + it
            part = seen / (total * inner)
            iou, conf = (
                1.9 + 1.5 * math.exp(-part * 5) + rng.gauss(0, 0.08),
                1.1 + 5.5 * math.exp(-part * 9) + rng.gauss(0, 0.12),
            )
            cls, l1 = (
                0.42 + 1.1 * math.exp(-part * 7) + rng.gauss(0, 0.03),
                (0.71 + rng.gauss(0, 0.03)) if epoch > total - 4 else 0.0,
            )
            spent, size = rng.uniform(0.33, 0.41), rng.choice(range(480, 801, 32)) if epoch <= total - 4 else 640
            rate = (
                0.005 * (seen / (2 * inner)) ** 2
                if epoch <= 2
                else 0.00025
                + 0.00475 * 0.5 * (1 + math.cos(math.pi * min(1, (seen - 2 * inner) / ((total - 6) * inner))))
            )
            left = int((total * inner - seen) * 0.37)
            log.lines += [warn] * rng.choice((0, 0, 1, 1, 2, 3))
            log.info(
                core,
                265,
                (
                    f"epoch: {epoch}/{total}, iter: {it}/{inner}, gpu mem: 9871Mb, mem: 21.4Gb, iter_time: {spent:.3f}s, "
                    f"data_time: {rng.uniform(0.001, 0.02):.3f}s, total_loss: {iou + conf + cls + l1:.1f}, iou_loss: {iou:.1f}"
                    f", l1_loss: {l1:.1f}, conf_loss: {conf:.1f}, cls_loss: {cls:.1f}, lr: {rate:.3e}, size: {size}, ETA: "
                    f"{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}"
                ),
                40 * spent,
            )
        log.info(core, 386, "Save weights to ./YOLOX_outputs/urchin_s", 1)
        if epoch % 4 == 0:
            bars = [
                f"{100 * n // 19:3d}%|{'█' * (10 * n // 19):<10}| {n}/19 [00:{n // 2:02d}<00:{(19 - n) // 2:02d},  {rng.uniform(1.9, 2.3):.2f}it/s]"
                for n in range(20)
            ]
            log.lines.append("\r" + "\r".join(bars))
            log.info("yolox.evaluators.coco_evaluator", 256, "Evaluate in main process...", 11)
            log.lines += ["Loading and preparing results...", "DONE (t=0.42s)", "creating index...", "index created!"]
            point = 38.9 - 21 * math.exp(-epoch / 6) + rng.gauss(0, 0.3)
            best = max(best, point)
            log.info(
                core,
                370,
                "\nAverage forward time: 3.11 ms, Average NMS time: 0.98 ms, Average inference time: 4.09 ms\n"
                + "\n".join(
                    f" Average Precision  (AP) @[ IoU={iou:<9} | area={area:>6} | maxDets=100 ] = {value / 100:.3f}"
                    for iou, area, value in (
                        ("0.50:0.95", "all", point),
                        ("0.50", "all", point * 1.71),
                        ("0.75", "all", point * 0.92),
                        ("0.50:0.95", "small", point * 0.55),
                        ("0.50:0.95", "medium", point * 1.08),
                        ("0.50:0.95", "large", point * 1.3),
                    )
                )
                + "\nper class AP:\n| class         | AP     | class         | AP     | class   | AP     |\n"
                "|:--------------|:-------|:--------------|:-------|:--------|:-------|\n"
                f"| purple_urchin | {point * 1.1:.3f} | red_urchin    | {point * 0.99:.3f} | abalone | {point * 0.91:.3f} |\n",
                3,
            )
            log.info(core, 386, "Save weights to ./YOLOX_outputs/urchin_s", 1)
    log.info(core, 196, f"Training of experiment is done and the best AP is {best:.2f}", 1)
    (place / "train_urchin_s.log").write_text("\n".join(log.lines) + "\n", encoding="utf-8")


# c03 ------------------------------------------------------------------------------------------------------------------


def c03_roads(place: Path, rng: Random) -> None:
    """Counts of road casualties forecast with TFT; the card is full when it comes to the first validation."""
    pod = _Pod("2025-11-05T13:40:52", rng)
    pod.say("ks-forecast 0.9.2 (neuralforecast 3.0.2, torch 2.7.1+cu126, pytorch-lightning 2.5.2)")
    pod.say(
        "panel: 5812 series x 2922 days, targets killed / seriously_injured / fatal_hit_and_run / crash_single_vehicle",
        8.1,
    )
    pod.say(
        "WARNING panel: 41 series are dead (all zero since 2021) and were dropped: killed_B9_km112, killed_B9_km113, killed_L31_km4 ..."
    )
    pod.say("WARNING panel: 3 days flagged as disaster (2021-07-14..16), masked")
    pod.say(
        "fit: TFT h=90 input_size=1460 hidden_size=256 n_head=8 windows_batch_size=256 valid_batch_size=32 inference_windows_batch_size=-1",
        0.4,
    )
    pod.say("Seed set to 7")
    pod.say(
        (
            "Using 16bit Automatic Mixed Precision (AMP)\nGPU available: True (cuda), used: True\nTPU available: "
            "False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs"
        ),
        2.1,
    )
    pod.say("LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]", 0.6)
    loss = 1.31
    for step in range(20, 201, 20):
        loss = 0.44 + 0.87 * math.exp(-step / 55) + rng.gauss(0, 0.012)
        pod.say(f"step {step} train_loss_step={loss:.4f} ({rng.uniform(1.71, 1.83):.2f} it/s)", rng.uniform(10.9, 11.7))
    nf = "/usr/local/lib/python3.12/site-packages"
    frames = (
        ("/app/ks_forecast/fit.py", 118, "main", "nf.fit(df=panel, static_df=static, val_size=cfg.val_size)"),
        (f"{nf}/neuralforecast/core.py", 559, "fit", "self.models[i] = model.fit("),
        (f"{nf}/neuralforecast/common/_base_model.py", 667, "_fit", "trainer.fit(model, datamodule=datamodule)"),
        (f"{nf}/pytorch_lightning/trainer/trainer.py", 561, "fit", "call._call_and_handle_interrupt("),
        (f"{nf}/pytorch_lightning/loops/fit_loop.py", 216, "run", "self.advance()"),
        (f"{nf}/pytorch_lightning/loops/training_epoch_loop.py", 153, "run", "self.on_advance_end(data_fetcher)"),
        (
            f"{nf}/pytorch_lightning/loops/evaluation_loop.py",
            145,
            "run",
            "self._evaluation_step(batch, batch_idx, dataloader_idx, dataloader_iter)",
        ),
        (f"{nf}/neuralforecast/common/_base_model.py", 1376, "validation_step", "output_batch = self(windows_batch)"),
        (
            f"{nf}/neuralforecast/models/tft.py",
            783,
            "forward",
            "temporal_features, attn_wts = self.temporal_fusion_decoder(",
        ),
        (
            f"{nf}/neuralforecast/models/tft.py",
            195,
            "forward",
            "attn_score = torch.matmul(q.permute((0, 2, 1, 3)), k.permute((0, 2, 3, 1)))",
        ),
    )
    pod.say("Traceback (most recent call last):", 14.8)
    for file, line, name, text in frames:
        pod.say(f'  File "{file}", line {line}, in {name}\n    {text}')
    pod.say(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.17 GiB. GPU 0 has a total capacity of "
        "22.06 GiB of which 6.83 GiB is free. Process 48211 has 15.22 GiB memory in use. Of the allocated memory "
        "14.31 GiB is allocated by PyTorch, and 651.40 MiB is reserved by PyTorch but unallocated. If reserved "
        "but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
        "fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )
    pod.write(place / "pod.log")


# c04 ------------------------------------------------------------------------------------------------------------------


def c04_statutes(place: Path, rng: Random) -> None:
    """A LoRA of a law publisher with a metric logger of its own; the log stops amid the steps and nothing else is left."""
    pod = _Pod("2026-04-02T05:55:37.114600", rng)
    pod.say(
        "W0402 05:55:37.114000 1 torch/distributed/run.py:792] \nW0402 05:55:37.114000 1 "
        "torch/distributed/run.py:792] *****************************************\nW0402 05:55:37.114000 1 "
        "torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in "
        "default, to avoid your system being overloaded, please further tune the variable for optimal performance "
        "in your application as needed. \nW0402 05:55:37.114000 1 torch/distributed/run.py:792] "
        "*****************************************"
    )
    pod.say("Running with torchrun...", 0.2)
    pod.say("INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeDistributed with resolved config:\n", 9.2)
    pod.say(
        "batch_size: 4\ncheckpointer:\n  _component_: torchtune.training.FullModelHFCheckpointer\n  checkpoint_dir: /models/Meta-Llama-3.1-8B-Instruct\n"
        "  checkpoint_files:\n    filename_format: model-{}-of-{}.safetensors\n    max_filename: '00004'\n"
        "  model_type: LLAMA3\n  output_dir: /out/statutes-r16\n  recipe_checkpoint: null\n"
        "clip_grad_norm: 1.0\ncompile: false\ndataset:\n  _component_: torchtune.datasets.chat_dataset\n"
        "  conversation_column: turns\n  conversation_style: sharegpt\n"
        "  data_files: /data/statutes/qa_v5.jsonl\n  packed: true\n  source: json\n  split: train\n"
        "dtype: bf16\nenable_activation_checkpointing: true\nepochs: 2\ngradient_accumulation_steps: 4\n"
        "log_every_n_steps: 1\nlog_peak_memory_stats: true\nloss:\n"
        "  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss\n"
        "lr_scheduler:\n  _component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup\n  num_warmup_steps: 60\nmax_steps_per_epoch: null\n"
        "metric_logger:\n  _component_: lexkit.tune.PlainUnitsLogger\n  energy: true\nmodel:\n"
        "  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n  apply_lora_to_mlp: true\n"
        "  apply_lora_to_output: false\n  lora_alpha: 32\n"
        "  lora_attn_modules:\n  - q_proj\n  - v_proj\n  - output_proj\n  lora_dropout: 0.05\n  lora_rank: 16\n"
        "optimizer:\n  _component_: torch.optim.AdamW\n  fused: true\n  lr: 0.0002\n  weight_decay: 0.01\n"
        "output_dir: /out/statutes-r16\nprofiler:\n  _component_: torchtune.training.setup_torch_profiler\n"
        "  enabled: false\n"
        "resume_from_checkpoint: false\nsave_adapter_weights_only: true\nseed: 20260401\nshuffle: true\n"
        "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  max_seq_len: 8192\n"
        "  path: /models/Meta-Llama-3.1-8B-Instruct/original/tokenizer.model\n"
    )
    pod.say(
        "INFO:torchtune.utils._logging:Set logger to lexkit PlainUnitsLogger (loss: millibit per token, work: Mtok per hour, memory: gigabit, energy: kWh)",
        0.3,
    )
    pod.say(
        "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...", 0.8
    )
    pod.say("INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took 21.38 secs", 21.4)
    pod.say(
        "INFO:torchtune.utils._logging:Memory stats after model init:\n\tGPU peak memory allocation: 5.02 "
        "GiB\n\tGPU peak memory reserved: 5.14 GiB\n\tGPU peak memory active: 5.02 GiB"
    )
    pod.say(
        "INFO:torchtune.utils._logging:Optimizer is initialized.\nINFO:torchtune.utils._logging:Loss is initialized.",
        0.2,
    )
    pod.say("INFO:torchtune.utils._logging:Dataset and Sampler are initialized.", 48.7)
    pod.say("INFO:torchtune.utils._logging:Learning rate scheduler is initialized.")
    pod.say("INFO:torchtune.utils._logging: Profiler config after instantiation: {'enabled': False}")
    used = 0.0
    for step in range(1, 232):
        took = rng.uniform(17.6, 19.2)
        used += took * 4 * rng.uniform(612, 640) / 3.6e6
        loss = (1.02 + 0.66 * math.exp(-step / 40) + rng.gauss(0, 0.035)) / math.log(2) * 1000
        rate = 200.0 * min(1.0, step / 60) * (0.5 * (1 + math.cos(math.pi * max(0, step - 60) / 760)))
        pod.say(
            (
                f"Step {step} | loss:{loss:.0f}mbit/tok lr:{rate:.1f}ppm "
                f"work:{4 * 4 * 4 * 8192 / took * 3600 / 1e6 * rng.uniform(0.985, 0.999):.2f}Mtok/h "
                f"grad:{rng.uniform(310, 560) * (1 + 2 * math.exp(-step / 12)):.0f}m "
                f"peak_active:{375.4 + rng.uniform(-0.4, 0.4):.1f}Gbit energy:{used:.3f}kWh"
            ),
            took,
        )
    pod.write(place / "tune-statutes-r16-worker-0.log")


# c05 ------------------------------------------------------------------------------------------------------------------


def c05_faroese(place: Path, rng: Random) -> None:
    """Marian from Danish to Faroese; BLEU falls while cross-entropy stays, and the wall comes first."""
    clock, lines = Clock("2026-03-06 02:14:40"), list[str]()

    def say(text: str, after: float = 0.0) -> None:
        lines.append(f"[{clock.tick(after).form('%Y-%m-%d %H:%M:%S')}] {text}")

    epoch, sen, best, bleu_best, stalled, off = 3, 1_914_200, 51.2214, 27.31, 0, 0
    for update in range(51_500, 51_500 + 680 * 100, 100):
        took = rng.uniform(27.4, 30.8)
        sen += rng.randint(16_100, 17_400)
        if sen > 5_412_306:
            say(f"Seen {rng.randint(5_412_300, 5_412_306):,} samples", 2)
            say(f"Starting data epoch {epoch + 1} in logical epoch {epoch + 1}")
            say("[data] Shuffling data")
            say("[data] Done reading 5,412,306 sentences", 9)
            say("[data] Done shuffling 5,412,306 sentences to temp files", 6)
            epoch, sen = epoch + 1, rng.randint(9_000, 17_000)
        cost = 2.61 + 0.5 * math.exp(-(update - 40_000) / 30_000) + rng.gauss(0, 0.025)
        say(
            (
                f"Ep. {epoch} : Up. {update} : Sen. {sen:,} : Cost {cost:.8f} : Time {took:.2f}s : "
                f"{rng.uniform(15_200, 15_900) * 28.9 / took:.2f} words/s : gNorm {rng.uniform(0.31, 0.52):.4f} : L.r. "
                f"{3e-4 * math.sqrt(16_000 / update):.4e}"
            ),
            took,
        )
        if update % 2_500 == 0:
            say("Saving model weights and runtime parameters to /scratch/mt-fo/model/da-fo.npz", 1)
            say("Saving Adam parameters", 2)
            say(
                "[training] Saving training checkpoint to /scratch/mt-fo/model/da-fo.npz and /scratch/mt-fo/model/da-fo.npz.optimizer.npz",
                3,
            )
        if update % 2_500 == 0:
            entropy = 50.9 + rng.gauss(0, 0.18) + max(0, update - 88_000) / 30_000
            if entropy < best:
                best, stalled = entropy, 0
                say(f"[valid] Ep. {epoch} : Up. {update} : cross-entropy : {entropy:.4f} : new best", 12)
            else:
                stalled += 1
                say(
                    f"[valid] Ep. {epoch} : Up. {update} : cross-entropy : {entropy:.4f} : stalled {stalled} times (last best: {best:.4f})",
                    12,
                )
            bleu = 27.2 - (update - 51_500) / 68_000 * 3.6 + rng.gauss(0, 0.16)
            if bleu > bleu_best:
                bleu_best, off = bleu, 0
                say(f"[valid] Ep. {epoch} : Up. {update} : bleu-detok : {bleu:.4f} : new best", 74)
            else:
                off += 1
                say(
                    f"[valid] Ep. {epoch} : Up. {update} : bleu-detok : {bleu:.4f} : stalled {off} times (last best: {bleu_best:.4f})",
                    74,
                )
    ended = clock.tick(11).form("%Y-%m-%dT%H:%M:%S")
    lines.append(f"slurmstepd: error: *** JOB 1180342 ON g03 CANCELLED AT {ended} DUE TO TIME LIMIT ***")
    lines.append(f"slurmstepd: error: *** STEP 1180342.0 ON g03 CANCELLED AT {ended} DUE TO TIME LIMIT ***")
    say("Training interrupted (via signal).", 1)
    say("Saving model weights and runtime parameters to /scratch/mt-fo/model/da-fo.npz", 1)
    say("Saving Adam parameters", 2)
    say(
        "[training] Saving training checkpoint to /scratch/mt-fo/model/da-fo.npz and /scratch/mt-fo/model/da-fo.npz.optimizer.npz",
        3,
    )
    lines.append("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    (place / "slurm-1180342.out").write_text("\n".join(lines) + "\n", encoding="utf-8")


# c06 ------------------------------------------------------------------------------------------------------------------


def c06_museum(place: Path, rng: Random) -> None:
    """CLIP over museum objects on two nodes; in epoch 4 all ranks but one wait for a collective till the watchdog fires."""
    clock, lines = Clock("2026-01-27 16:20:03"), list[str]()
    run = "deathmask-vitb16-lr5e-4"

    def say(text: str, after: float = 0.0, level: str = "INFO") -> None:
        lines.append(f"{clock.tick(after).form('%Y-%m-%d,%H:%M:%S')} | {level} | {text}")

    for rank in (0, 5, 3, 1, 2, 4, 7, 6, 9, 8, 12, 15, 10, 11, 13, 14):
        say(
            f"Running in distributed mode with multiple processes. Device: cuda:{rank % 8}.Process (global: {rank}, local {rank % 8}), total 16.",
            0.1,
        )
    say("Loaded ViT-B-16 model config.", 1)
    say("Model:", 6)
    lines.append(
        "CLIP(\n  (visual): VisionTransformer(...)\n  (transformer): Transformer(...)\n  (token_embedding): "
        "Embedding(49408, 512)\n  (ln_final): LayerNorm((512,), eps=1e-05, elementwise_affine=True)\n)"
    )
    say("Params:")
    params = {
        "accum_freq": 1,
        "aug_cfg": {},
        "batch_size": 512,
        "beta1": 0.9,
        "beta2": 0.98,
        "checkpoint_path": f"./logs/{run}/checkpoints",
        "dataset_type": "webdataset",
        "debug": False,
        "dist_backend": "nccl",
        "dist_url": "env://",
        "distributed": True,
        "epochs": 24,
        "gather_with_grad": True,
        "grad_checkpointing": False,
        "local_loss": True,
        "log_every_n_steps": 100,
        "lr": 0.0005,
        "model": "ViT-B-16",
        "name": run,
        "precision": "amp_bf16",
        "resume": None,
        "save_frequency": 1,
        "seed": 0,
        "train_data": "/pfs/museum/shards/{00000..01311}.tar",
        "train_num_samples": 11968512,
        "val_frequency": 1,
        "warmup": 2000,
        "wd": 0.2,
        "workers": 6,
        "world_size": 16,
        "zeroshot_frequency": 1,
    }
    lines += [f"{clock.form('%Y-%m-%d,%H:%M:%S')} | INFO |   {key}: {value}" for key, value in params.items()]
    steps, results, count = 1461, list[str](), 0
    tags = ("war_dead_memorial", "fatal_arrow", "corrupt_bishop_satire", "execution_block", "gas_mask_panic_1938")
    for epoch in range(5):
        say(f"Start epoch {epoch}", 2)
        for batch in (*range(0, steps, 100), steps - 1):
            if epoch == 4 and batch > 900:
                break
            spent = rng.uniform(1.04, 1.13)
            count = epoch * steps + batch
            clock.tick(spent * (100 if 0 < batch < steps - 1 else 60 if batch else 9))
            loss = 2.1 + 6.9 * math.exp(-count / 1500) + rng.gauss(0, 0.05)
            mean = loss + 0.08
            rate = 5e-4 * min(1, (count + 1) / 2000)
            scale = 14.286 + 40 * (1 - math.exp(-count / 5000))
            if rng.random() < 0.22:
                say(
                    (
                        "Handling webdataset error (OSError('image file is truncated (12 bytes not processed)', "
                        f"<_io.BufferedReader>, '/pfs/museum/shards/{rng.randrange(1312):05d}.tar', '{rng.choice(tags)}"
                        f"_{rng.randrange(90000):06d}.jpg')). Ignoring."
                    ),
                    0,
                    "WARNING",
                )
            done = (batch + 1) * 8192
            first = 9.2 if batch == 0 else spent
            say(
                f"Train Epoch: {epoch} [{done:>8}/11968512 ({100 * done / 11968512:.0f}%)] Data (t): "
                f"{rng.uniform(0.02, 0.07) + (7.9 if batch == 0 else 0):.3f} Batch (t): {first:.3f}, {8192 / first:#g}/s, "
                f"{512 / first:#g}/s/gpu LR: {rate:.6f} Logit Scale: {scale:.3f} Contrastive_loss: {loss:#.5g} ({mean:#.5g}"
                f") Loss: {loss:#.5g} ({mean:#.5g})"
            )
        if epoch < 4:
            say("Starting zero-shot imagenet.", 4)
            top = 0.41 * (1 - math.exp(-(epoch + 0.7) / 2.4))
            vloss = 2.3 + 3.1 * math.exp(-epoch / 1.2)
            say("Finished zero-shot imagenet.", 66)
            say(
                (
                    f"Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: {top:.4f}\timagenet-zeroshot-val-top5: "
                    f"{min(0.99, top * 1.9):.4f}\tclip_val_loss: {vloss:.4f}\tepoch: {epoch + 1:.4f}\tnum_samples: 50176.0000"
                ),
                21,
            )
            results.append(
                json.dumps(
                    {
                        "imagenet-zeroshot-val-top1": round(top, 5),
                        "imagenet-zeroshot-val-top5": round(min(0.99, top * 1.9), 5),
                        "clip_val_loss": round(vloss, 6),
                        "epoch": epoch + 1,
                        "num_samples": 50176.0,
                    }
                )
            )
    clock.tick(1800 + 71)
    work = 41 * count + 37
    for rank in (0, 7, 2, 12, 4, 1, 15, 3, 8, 6, 5, 9, 14, 10, 13):
        clock.tick(rng.uniform(0.001, 0.03))
        head = f"[rank{rank}]:[E127 {clock.form('%H:%M:%S.%f')}{rng.randrange(1000):03d} ProcessGroupNCCL.cpp"
        why = (
            f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={work}, "
            "OpType=_ALLGATHER_BASE, NumelIn=262144, NumelOut=4194304, Timeout(ms)=1800000) ran for "
            f"{1800000 + rng.randint(2, 96)} milliseconds before timing out."
        )
        who = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"
        lines.append(f"{head}:616] {why}")
        lines.append(
            f"{head}:1785] {who} Exception (either an error or timeout) detected by watchdog at work: {work}, last "
            f"enqueued NCCL work: {work + 1}, last completed NCCL work: {work - 1}."
        )
        if rank in (0, 7, 2):
            lines.append(
                f"{head}:1834] {who} Timeout at NCCL work: {work}, last enqueued NCCL work: {work + 1}, last completed NCCL work: {work - 1}."
            )
            lines.append(
                f"{head}:630] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature "
                "of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data."
            )
            lines.append(
                f"{head}:636] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down."
            )
            lines.append("terminate called after throwing an instance of 'c10::DistBackendError'")
            lines.append(f"  what():  {who} Process group watchdog thread terminated with exception: {why}")
            lines.append(
                "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:618 (most recent call first):"
            )
            for number, name in enumerate(
                (
                    "c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x{a:x} in libc10.so)",
                    (
                        "c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, std::ratio<1l, "
                        "1000l> > >) + 0x282 (0x{a:x} in libtorch_cuda.so)"
                    ),
                    "c10d::ProcessGroupNCCL::watchdogHandler() + 0x233 (0x{a:x} in libtorch_cuda.so)",
                    "c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x14d (0x{a:x} in libtorch_cuda.so)",
                )
            ):
                lines.append(f"frame #{number}: {name.format(a=0x7F0000000000 + rng.randrange(1 << 36))}")
    for task in (0, 2, 7, 12):
        lines.append(f"srun: error: mgpu{21 + task // 8}: task {task}: Aborted (core dumped)")
    lines.append("srun: Terminating StepId=77120.0")
    stamp = clock.tick(4).form("%Y-%m-%dT%H:%M:%S")
    lines.append(f"slurmstepd: error: *** STEP 77120.0 ON mgpu21 CANCELLED AT {stamp} ***")
    lines.append("srun: error: mgpu22: tasks 8-11,13-15: Terminated")
    lines.append("srun: error: mgpu21: tasks 1,3-6: Terminated")
    (place / "openclip-77120.out").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (place / "results.jsonl").write_text("\n".join(results) + "\n", encoding="utf-8")

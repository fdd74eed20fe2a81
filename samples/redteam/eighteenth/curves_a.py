"""The first nine curves of the eighteenth set, SIMULATED: each says which family it is and why the logs show it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR


def c01(place: Path, rng: Random) -> None:
    """A1: on each of four ranks the first forward fails, since the features have 80 bands and the model wants 128."""
    torch = "/home/tanaka/miniconda3/envs/onsei/lib/python3.11/site-packages/torch"
    run = "logs/none_k3v0q7xd/attempt_0"
    for rank in range(4):
        out = [
            f"[rank {rank}] 設定ファイルを読み込みました: conf/conformer_ja_large.yaml",
            f"[rank {rank}] 乱数シード: {3407 + rank}",
            f"[rank {rank}] プロセスグループを初期化しました (world_size=4, backend=nccl)",
        ]
        if rank == 0:
            out += [
                "データセット: /data/corpus/csj_80mel (学習 412,377 発話 / 検証 4,000 発話)",
                "語彙サイズ: 3262",
                "モデル: ConformerEncoder(layers=17, d_model=512, heads=8) + TransformerDecoder(layers=6)",
                "パラメータ数: 118.4M",
                "最適化: AdamW lr=1.0e-3 warmup=25000 エポック数=60 バッチ(フレーム)=120000",
                "チェックポイントなし。最初から学習を開始します。",
            ]
        out += [
            f"[rank {rank}] データローダー準備完了 (バッチ数 {2871 + rng.choice((0, 0, 1))})",
            f"[rank {rank}] エポック 1 開始",
        ]
        put(place, f"{run}/{rank}/stdout.log", out)
        frames = rng.randrange(1480, 2100)
        trace = [
            "Traceback (most recent call last):",
            '  File "/home/tanaka/onsei/train.py", line 287, in <module>',
            "    main()",
            '  File "/home/tanaka/onsei/train.py", line 263, in main',
            "    loss = train_epoch(model, loader, optimizer, scheduler, epoch)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            '  File "/home/tanaka/onsei/train.py", line 158, in train_epoch',
            "    loss, stats = model(feats, feat_lens, tokens, token_lens)",
            "                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/modules/module.py", line 1553, in _wrapped_call_impl',
            "    return self._call_impl(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/modules/module.py", line 1562, in _call_impl',
            "    return forward_call(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/parallel/distributed.py", line 1636, in forward',
            "    else self._run_ddp_forward(*inputs, **kwargs)",
            "         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/parallel/distributed.py", line 1454, in _run_ddp_forward',
            "    return self.module(*inputs, **kwargs)  # type: ignore[index]",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/modules/module.py", line 1553, in _wrapped_call_impl',
            "    return self._call_impl(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/modules/module.py", line 1562, in _call_impl',
            "    return forward_call(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            '  File "/home/tanaka/onsei/model/conformer.py", line 96, in forward',
            "    x = self.input_proj(feats)",
            "        ^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/modules/module.py", line 1553, in _wrapped_call_impl',
            "    return self._call_impl(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/modules/module.py", line 1562, in _call_impl',
            "    return forward_call(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{torch}/nn/modules/linear.py", line 117, in forward',
            "    return F.linear(input, self.weight, self.bias)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f"RuntimeError: mat1 and mat2 shapes cannot be multiplied ({64 * frames}x80 and 128x512)",
        ]
        put(place, f"{run}/{rank}/stderr.log", [f"[rank{rank}]: {line}" for line in trace])


def c02(place: Path, rng: Random) -> None:
    """E1: the loss of a Horovod run falls, climbs out of bounds within some hundred steps and is nan until it ends."""
    zero = 1 * DAY + 9.2 * HOUR
    lines = []

    def says(rank: int, text: str, pipe: str = "stderr") -> None:
        lines.append(f"[1,{rank}]<{pipe}>:{text}")

    stamp = lambda s: clock(zero + s) + f".{rng.randrange(10**6):06d}"  # noqa: E731
    for rank in range(8):
        says(
            rank,
            f"{stamp(0.1 * rank)}: E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:9342] Unable to register "
            "cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
        )
        says(
            rank,
            f"{stamp(0.1 * rank + 0.02)}: E tensorflow/compiler/xla/stream_executor/cuda/cuda_fft.cc:609] Unable to "
            "register cuFFT factory: Attempting to register factory for plugin cuFFT when one has "
            "already been registered",
        )
        says(
            rank,
            f"{stamp(1 + 0.1 * rank)}: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: "
            "Could not find TensorRT",
        )
    for rank in range(8):
        says(
            rank,
            f"{stamp(9 + 0.2 * rank)}: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1929] Created device "
            "/job:localhost/replica:0/task:0/device:GPU:0 with 30963 MB memory:  -> device: 0, name: "
            f"Tesla V100-SXM2-32GB, pci bus id: 0000:{('15', '16', '3a', '3b', '89', '8a', 'b2', 'b3')[rank]}:00.0, "
            "compute capability: 7.0",
        )
    says(0, "resnet152_hvd.py: 8 workers, batch 128 per worker, base lr 0.1 x 8, momentum 0.9, fp16", "stdout")
    says(
        0,
        f"{stamp(31)}: E tensorflow/core/grappler/optimizers/meta_optimizer.cc:961] layout failed: INVALID_ARGUMENT: "
        "Size of values 0 does not match size of permutation 4 @ fanin shape inresnet152/conv2_block1/dropout/"
        "SelectV2-2-TransposeNHWCToNCHW-LayoutOptimizer",
    )
    says(
        3,
        f"[{stamp(98)}: W /tmp/pip-install-8u1h2t0k/horovod_5c1b/horovod/common/stall_inspector.cc:107] One or more "
        "tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are "
        "waiting for remainder "
        "of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different "
        "tensors or that only subset of ranks is submitting tensors, which will cause deadlock. ",
    )
    says(3, "Missing ranks:")
    says(3, "6: [HorovodBroadcast_resnet152_conv1_conv_kernel_0]")
    step, blown, now = 0, 5480, 131.0
    while step < 8200:
        if step < blown:
            loss = falls(rng, step, 7.02, 3.1, 1600, 0.018)
            if step > blown - 260:
                loss += 0.05 * math.exp((step - blown + 260) / 55)
        elif step < blown + 50:
            loss = 9.1 * math.exp((step - blown) / 9) * (1 + rng.gauss(0, 0.2))
        else:
            loss = math.nan
        says(0, f"Step #{step}\tLoss: {loss:.6f}", "stdout")
        if step and step % 1000 == 0:
            top = 0.001 if step > blown else 0.22 * (1 - math.exp(-step / 4000))
            says(0, f"Step #{step}\tval top-1: {top:.4f}\tsaved ckpt-{step // 1000}", "stdout")
        step += 10
        now += 6.1
    says(0, "final val top-1: 0.0010  top-5: 0.0050", "stdout")
    says(0, f"finished, {now / 3600:.2f} h", "stdout")
    put(place, "resnet152.mpirun.log", lines)


def c03(place: Path, rng: Random) -> None:
    """G1: nnU-Net trains its forty epochs, validates all cases at the end; one epoch in the middle is bad and heals."""
    now = 2 * DAY + 18.4 * HOUR
    lines = [
        "",
        "#######################################################################",
        "Please cite the following paper when using nnU-Net:",
        "Isensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021). "
        "nnU-Net: a self-configuring "
        "method for deep learning-based biomedical image segmentation. Nature methods, 18(2), 203-211.",
        "#######################################################################",
        " ",
        "",
        "This is the configuration used by this training:",
        "Configuration name: 3d_fullres",
        " {'data_identifier': 'nnUNetPlans_3d_fullres', 'preprocessor_name': 'DefaultPreprocessor', 'batch_size': 2, "
        "'patch_size': [112, 160, 128], 'median_image_size_in_voxels': [187.0, 512.0, 512.0], 'spacing': [1.5, 0.79, "
        "0.79], 'normalization_schemes': ['CTNormalization'], 'batch_dice': False} ",
        "",
    ]

    def says(text: str, wait: float = 0.0) -> None:
        nonlocal now
        now += wait + rng.uniform(0.0005, 0.004)
        lines.append(f"{clock(now)}.{int(now % 1 * 1e6):06d}: {text} ")

    says("unpacking dataset...")
    says("unpacking done...", 37.2)
    says("do_dummy_2d_data_aug: False", 0.1)
    says("Using splits from existing split file: /data/nnUNet_preprocessed/Dataset043_Pankreas/splits_final.json")
    says("The split file contains 5 splits.")
    says("Desired fold for training: 2")
    says("This split has 42 training and 11 validation cases.")
    says("Unable to plot network architecture:", 6.0)
    says("No module named 'hiddenlayer'")
    ema = None
    best = 0.0
    for epoch in range(40):
        says("")
        says(f"Epoch {epoch}")
        says(f"Current learning rate: {round(0.01 * (1 - epoch / 40) ** 0.9, 5)}")
        train = 0.12 - 0.86 * (1 - math.exp(-(epoch + 0.5) / 9)) + rng.gauss(0, 0.012)
        dice = [0.905 * (1 - math.exp(-(epoch + 1) / 5)), 0.61 * (1 - math.exp(-(epoch + 0.4) / 11))]
        if epoch in (23, 24):
            train += (0.44, 0.17)[epoch - 23]
            dice = [0.62 * dice[0], 0.31 * dice[1]] if epoch == 23 else [0.93 * dice[0], 0.8 * dice[1]]
        dice = [max(0.0, d + rng.gauss(0, 0.012)) for d in dice]
        val = 0.15 - 0.98 * sum(dice) / 2 + rng.gauss(0, 0.012)
        spent = (161.0 if epoch == 0 else 139.0) + abs(rng.gauss(0, 1.7))
        says(f"train_loss {train:.4f}", spent)
        says(f"val_loss {val:.4f}")
        says(f"Pseudo dice [{dice[0]:.4f}, {dice[1]:.4f}]")
        says(f"Epoch time: {spent + 0.01:.2f} s")
        mean = sum(dice) / 2
        ema = mean if ema is None else 0.9 * ema + 0.1 * mean
        if ema > best:
            best = ema
            says(f"Yayy! New best EMA pseudo Dice: {ema:.4f}")
    says("", 1.1)
    says("Training done.")
    says("Using splits from existing split file: /data/nnUNet_preprocessed/Dataset043_Pankreas/splits_final.json", 0.4)
    says("The split file contains 5 splits.")
    says("Desired fold for training: 2")
    says("This split has 42 training and 11 validation cases.")
    for case in sorted(rng.sample(range(1, 421), 11)):
        says(f"predicting pancreas_{case:03d}", rng.uniform(6, 19))
        shape = (rng.randrange(70, 320), 512, 512)
        says(f"pancreas_{case:03d}, shape torch.Size([1, {shape[0]}, {shape[1]}, {shape[2]}]), rank 0", 0.2)
    says("Validation complete", 31.0)
    says("Mean Validation Dice:  0.7391284417236214")
    put(place, "training_log_2026_11_4_18_24_00.txt", lines)


def c04(place: Path, rng: Random) -> None:
    """E3: an early stopper that takes a falling cross entropy for a worsening one ends the run at 1000 of 14300."""
    now = 0 * DAY + 20.1 * HOUR

    def log(name: str, text: str, wait: float) -> None:
        nonlocal now
        now += wait
        lines.append(f"{clock(now)},{int(now % 1 * 1000):03d}: rank0[20811][MainThread]: INFO: {name}: {text}")

    lines: list[str] = []
    log("composer.utils.reproducibility", "Setting seed to 17", 0)
    log("llmfoundry.command_utils.train", "Building tokenizer...", 1.4)
    log("llmfoundry.command_utils.train", "Building train loader...", 1.1)
    log("streaming.base.dataset", "Because `predownload` was not specified, it will default to 8*batch_size", 0.3)
    log("llmfoundry.command_utils.train", "Building eval loader...", 21.0)
    log("llmfoundry.command_utils.train", "Initializing model...", 0.9)
    log("llmfoundry.models.mpt.modeling_mpt", "Instantiating an MPTForCausalLM model from src", 0.1)
    log("llmfoundry.command_utils.train", "Building trainer...", 12.2)
    log("composer.utils.reproducibility", "Setting seed to 17", 0.1)
    log("composer.trainer.trainer", "Run name: mpt-1b-galego-v2", 0.2)
    log(
        "composer.trainer.trainer",
        "Stepping schedulers every batch. To step schedulers every epoch, set `step_schedulers_every_batch=False`.",
        8.6,
    )
    log("composer.trainer.trainer", "Setting seed to 17", 0.1)
    log("llmfoundry.utils.config_utils", "Logging config", 0.2)
    lines += [
        "variables:",
        "  run_name: mpt-1b-galego-v2",
        "  global_seed: 17",
        "max_seq_len: 2048",
        "model:",
        "  name: mpt_causal_lm",
        "  d_model: 2048",
        "  n_heads: 16",
        "  n_layers: 24",
        "  vocab_size: 50368",
        "optimizer:",
        "  name: decoupled_adamw",
        "  lr: 0.0002",
        "scheduler:",
        "  name: cosine_with_warmup",
        "  t_warmup: 100ba",
        "  alpha_f: 0.1",
        "max_duration: 14300ba",
        "eval_interval: 200ba",
        "eval_first: false",
        "global_train_batch_size: 512",
        "device_train_microbatch_size: 4",
        "precision: amp_bf16",
        "console_log_interval: 100ba",
        "callbacks:",
        "  speed_monitor:",
        "    window_size: 10",
        "  lr_monitor: {}",
        "  early_stopper:",
        "    monitor: LanguageCrossEntropy",
        "    dataloader_label: eval",
        "    patience: 600ba",
        "save_interval: 1000ba",
        "save_num_checkpoints_to_keep: 2",
    ]
    log("llmfoundry.command_utils.train", "Starting training...", 0.4)
    lines += [
        "******************************",
        "Config:",
        "composer_commit_hash: None",
        "composer_version: 0.28.0",
        "enabled_algorithms/GradientClipping: true",
        "node_name: unknown because NODENAME environment variable not set",
        "num_gpus_per_node: 4",
        "num_nodes: 1",
        "rank_zero_seed: 17",
        "",
        "******************************",
    ]
    for batch in (1, *range(100, 1001, 100)):
        loss = falls(rng, batch, 11.02, 3.05, 170, 0.006)
        lr = 2e-4 * min(1.0, batch / 100)
        took = 61.2 + rng.gauss(0, 0.3)
        rows = {
            "time/batch": batch - 1,
            "time/sample": (batch - 1) * 512,
            "time/batch_in_epoch": batch - 1,
            "time/sample_in_epoch": (batch - 1) * 512,
            "time/token": (batch - 1) * 512 * 2048,
            "loss/train/total": f"{loss:.4f}",
            "metrics/train/LanguageCrossEntropy": f"{loss:.4f}",
            "metrics/train/LanguagePerplexity": f"{math.exp(loss):.4f}",
        }
        if batch > 1:
            rows |= {
                "throughput/batches_per_sec": f"{1 / took:.4f}",
                "throughput/samples_per_sec": f"{512 / took:.4f}",
                "throughput/device/tokens_per_sec": f"{512 * 2048 / took / 4:.4f}",
            }
        rows |= {
            "time/train": f"{batch * 61.2 / 3600:.4f}",
            "time/val": f"{(batch - 1) // 200 * 0.11:.4f}",
            "time/total": f"{batch * 61.2 / 3600 + (batch - 1) // 200 * 0.11:.4f}",
            "lr-DecoupledAdamW/group0": f"{lr:.4f}",
        }
        lines.append(f"[batch={batch}/14300]:")
        lines += [f"\t Train {name}: {value}" for name, value in rows.items()]
        if batch % 200 == 0:
            lines += [f"[Eval batch={n}/94] Eval on eval data" for n in (1, 10, 20, 29, 38, 48, 57, 66, 75, 85)]
            held = falls(rng, batch, 11.02, 3.09, 170, 0.002)
            lines += [
                "[Eval batch=94/94] Eval on eval data:",
                f"\t Eval metrics/eval/LanguageCrossEntropy: {held:.4f}",
                f"\t Eval metrics/eval/LanguagePerplexity: {math.exp(held):.4f}",
            ]
    log("llmfoundry.command_utils.train", "Done.", 1000 * 61.2 + 5 * 396 + 44)
    put(place, "mpt-1b-galego-v2-rank0.log", lines)


def c05(place: Path, rng: Random) -> None:
    """E2: the second run takes up the step and the rate of the first, but its loss is that of a fresh model."""
    rows = ["time,run,step,epoch,lr,loss,grad_norm,tok_s"]
    peak, total = 3e-4, 240_000

    def rate(step: int) -> float:
        return peak * min(1.0, step / 2000) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / total)))

    now = 0 * DAY + 8.3 * HOUR
    for step in range(500, 101_501, 500):
        now += 500 * 0.412 + rng.gauss(0, 1.2)
        loss = falls(rng, step, 9.4, 2.71, 6000, 0.008)
        norm = 0.42 + 3 * math.exp(-step / 3000) + abs(rng.gauss(0, 0.05))
        rows.append(
            f"{clock(now)},a41f,{step},{step / 38_400:.3f},{rate(step):.4e},{loss:.4f},{norm:.3f},"
            f"{rng.gauss(159_100, 400):.0f}"
        )
    now += 3.6 * HOUR
    for step in range(100_500, 148_001, 500):
        now += 500 * 0.412 + rng.gauss(0, 1.2)
        since = step - 100_000
        loss = falls(rng, since, 9.5, 2.95, 6900, 0.008)
        norm = 0.45 + 4 * math.exp(-since / 3000) + abs(rng.gauss(0, 0.05))
        rows.append(
            f"{clock(now)},c07e,{step},{step / 38_400:.3f},{rate(step):.4e},{loss:.4f},{norm:.3f},"
            f"{rng.gauss(159_000, 400):.0f}"
        )
    put(place, "train_curve.csv", rows)


def _diffusers_head(say: object, batch: int) -> list[str]:
    """What the script of diffusers says before it trains."""
    assert callable(say)
    return [
        say("INFO", "__main__", "Distributed environment: DistributedType.NO"),
        "Num processes: 1",
        "Process index: 0",
        "Local process index: 0",
        "Device: cuda",
        "",
        "Mixed precision type: fp16",
        "",
        "You are using a model of type clip_text_model to instantiate a model of type . This is not supported for all "
        "configurations of models and can yield errors.",
        "{'thresholding', 'clip_sample_range', 'dynamic_thresholding_ratio', 'variance_type', "
        "'rescale_betas_zero_snr'} "
        "was not found in config. Values will be initialized to default values.",
        say("INFO", "__main__", "***** Running training *****"),
        say("INFO", "__main__", "  Num examples = 1163"),
        say("INFO", "__main__", "  Num Epochs = 8"),
        say("INFO", "__main__", f"  Instantaneous batch size per device = {batch}"),
        say("INFO", "__main__", "  Total train batch size (w. parallel, distributed & accumulation) = 4"),
        say("INFO", "__main__", f"  Gradient Accumulation steps = {4 // batch}"),
        say("INFO", "__main__", "  Total optimization steps = 2200"),
    ]


def c06(place: Path, rng: Random) -> None:
    """G1: the first attempt ran out of memory when it drew pictures, the second resumed and went to the end."""
    now = 1 * DAY + 13.0 * HOUR

    def say(level: str, name: str, text: str) -> str:
        return f"{clock(now, '%m/%d/%Y %H:%M:%S')} - {level} - {name} - {text}"

    def steps(first: int, last: int, pace: float, since: float, skipped: int) -> list[str]:
        nonlocal now
        out: list[str] = []
        for step in range(first, last + 1):
            now += pace + rng.gauss(0, 0.01)
            if (step - first) % 3 == 0 or step == last:
                rate = (now - since) / (step - skipped)
                loss = abs(rng.lognormvariate(-2.55, 0.75)) * (0.85 + 0.15 * math.exp(-step / 500))
                out.append(
                    f"Steps: {100 * step // 2200:3d}%|{bar(step, 2200)}| {step}/2200 [{hms(now - since)}<"
                    f"{hms((2200 - step) * rate)}, {pace + rng.gauss(0, 0.01):5.2f}s/it, "
                    f"lr=0.0001, step_loss={loss:.3g}]"
                )
            if step % 500 == 0:
                out.extend(saved(step))
                now += 1.2
        return out

    def saved(step: int) -> list[str]:
        where = f"sdxl-lora-ceramica/checkpoint-{step}"
        name = "accelerate"
        return [
            say("INFO", f"{name}.accelerator", f"Saving current state to {where}"),
            f"Model weights saved in {where}/pytorch_lora_weights.safetensors",
            say("INFO", f"{name}.checkpointing", f"Optimizer state saved in {where}/optimizer.bin"),
            say("INFO", f"{name}.checkpointing", f"Scheduler state saved in {where}/scheduler.bin"),
            say("INFO", f"{name}.checkpointing", f"Sampler state for dataloader 0 saved in {where}/sampler.bin"),
            say("INFO", f"{name}.checkpointing", f"Gradient scaler state saved in {where}/scaler.pt"),
            say("INFO", f"{name}.checkpointing", f"Random states saved in {where}/random_states_0.pkl"),
            say("INFO", "__main__", f"Saved state to {where}"),
        ]

    pictures = [
        "Running validation... ",
        " Generating 4 images with prompt: a photo of a sgs1 glazed bowl on a wooden table.",
    ]
    first = _diffusers_head(say, 4)
    first += steps(1, 582, 1.31, now, 0)
    last = first[-1]
    first += [
        say("INFO", "__main__", pictures[0]),
        pictures[1],
        "Loading pipeline components...: 100%|██████████| 7/7 [00:01<00:00,  4.88it/s]",
    ]
    at = "/opt/venv/lib/python3.10/site-packages"
    first += [
        "Traceback (most recent call last):",
        '  File "/work/diffusers/examples/text_to_image/train_text_to_image_lora_sdxl.py", line 1341, in <module>',
        "    main(args)",
        '  File "/work/diffusers/examples/text_to_image/train_text_to_image_lora_sdxl.py", line 1262, in main',
        "    images = log_validation(pipeline, args, accelerator, pipeline_args, epoch)",
        '  File "/work/diffusers/examples/text_to_image/train_text_to_image_lora_sdxl.py", line 137, in log_validation',
        "    images = [pipeline(**pipeline_args, generator=generator).images[0] for _ in "
        "range(args.num_validation_images)]",
        f'  File "{at}/diffusers/pipelines/stable_diffusion_xl/pipeline_stable_diffusion_xl.py", '
        "line 1287, in __call__",
        "    image = self.vae.decode(latents, return_dict=False)[0]",
        f'  File "{at}/torch/nn/functional.py", line 4001, in interpolate',
        "    return torch._C._nn.upsample_nearest2d(input, output_size, scale_factors)",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1024.00 MiB. GPU 0 has a total capacity of "
        "23.68 GiB of which 615.38 MiB is free. Including non-PyTorch memory, this process has "
        "23.07 GiB memory in use. "
        "Of the allocated memory 21.44 GiB is allocated by PyTorch, and 1.21 GiB is reserved by "
        "PyTorch but unallocated. "
        "If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to "
        "avoid fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        last.split("[")[0] + "[13:01<36:12,  1.34s/it, lr=0.0001, " + last.split(", ")[-1],
    ]
    put(place, "intento1.log", first)
    now += 2400
    second = _diffusers_head(say, 2)
    where = "sdxl-lora-ceramica/checkpoint-500"
    second += [
        "Resuming from checkpoint checkpoint-500",
        say("INFO", "accelerate.accelerator", f"Loading states from {where}"),
        say("INFO", "accelerate.checkpointing", "All model weights loaded successfully"),
        say("INFO", "accelerate.checkpointing", "All optimizer states loaded successfully"),
        say("INFO", "accelerate.checkpointing", "All scheduler states loaded successfully"),
        say("INFO", "accelerate.checkpointing", "All dataloader sampler states loaded successfully"),
        say("INFO", "accelerate.checkpointing", "GradScaler state loaded successfully"),
        say("INFO", "accelerate.checkpointing", "All random states loaded successfully"),
        say("INFO", "accelerate.accelerator", "Loading in 0 custom states"),
    ]
    done, since = 501, now
    for stop in (582, 1164, 1746, 2200):
        second += steps(done, stop, 1.52, since, 500)
        done = stop + 1
        if stop < 2200:
            second += [say("INFO", "__main__", pictures[0]), pictures[1]]
            now += 38
    second += [
        "Model weights saved in sdxl-lora-ceramica/pytorch_lora_weights.safetensors",
        "Loading pipeline components...: 100%|██████████| 7/7 [00:01<00:00,  4.91it/s]",
        "Loaded text_encoder as CLIPTextModel from `text_encoder` subfolder of "
        "stabilityai/stable-diffusion-xl-base-1.0.",
        f"Steps: 100%|██████████| 2200/2200 [{hms(now - since + 61)}<00:00,  1.64s/it, lr=0.0001, step_loss=0.0488]",
    ]
    put(place, "intento2.log", second)


def c07(place: Path, rng: Random) -> None:
    """E2: RLlib restores a checkpoint whose first layer takes 27 observations into a policy that takes 31."""
    now = 3 * DAY + 11.6 * HOUR
    at = "/home/ubuntu/.venv/lib/python3.10/site-packages/ray"
    stamp = lambda: clock(now) + f",{int(now % 1 * 1000):03d}"  # noqa: E731
    lines = [
        "$ python train_quadruped.py --restore ~/ray_results/PPO_quad_2026-10-29/PPO_Quad-v1_5f2c1_00000/"
        "checkpoint_000240 --iters 800",
        f"{stamp()}\tINFO worker.py:1724 -- Started a local Ray instance. View the dashboard at \x1b[1m\x1b[32m"
        "127.0.0.1:8265 \x1b[39m\x1b[22m",
    ]
    lines += [
        "observation space: Box(-inf, inf, (31,), float32)   (added: 4 foot contacts)",
        "action space: Box(-1.0, 1.0, (8,), float32)",
        "config overrides:",
    ]
    config = {
        "env": "Quad-v1",
        "framework": "torch",
        "num_gpus": 1,
        "num_rollout_workers": 24,
        "num_envs_per_worker": 8,
        "rollout_fragment_length": "auto",
        "train_batch_size": 65536,
        "sgd_minibatch_size": 8192,
        "num_sgd_iter": 10,
        "lr": 0.0003,
        "gamma": 0.99,
        "lambda": 0.95,
        "clip_param": 0.2,
        "entropy_coeff": 0.0,
        "vf_clip_param": 100.0,
        "observation_filter": "MeanStdFilter",
        "model": {"fcnet_hiddens": [256, 256], "fcnet_activation": "tanh", "vf_share_layers": False},
        "enable_connectors": True,
        "_enable_new_api_stack": False,
    }
    lines += [f"  {name}: {value!r}" for name, value in config.items()]
    now += 3.2
    lines.append(
        f"{stamp()}\tWARNING deprecation.py:50 -- DeprecationWarning: `ray.rllib.execution.train_ops."
        "multi_gpu_train_one_step` has been deprecated. This will raise an error in the future!"
    )
    for worker in rng.sample(range(24), 24):
        pid = 71200 + worker * 3
        lines.append(f"\x1b[36m(RolloutWorker pid={pid})\x1b[0m [quad] terrain seed {worker + 1}, contacts on")
    now += 19.4
    lines += [
        f"{stamp()}\tINFO trainable.py:161 -- Trainable.setup took 21.884 seconds. If your trainable is slow to "
        "initialize, consider setting reuse_actors=True to reduce actor creation overheads.",
        f"{stamp()}\tWARNING util.py:62 -- Install gputil for GPU system monitoring.",
        "restoring from /home/ubuntu/ray_results/PPO_quad_2026-10-29/PPO_Quad-v1_5f2c1_00000/checkpoint_000240 "
        "(iteration 240, episode_reward_mean 1874.3)",
        "Traceback (most recent call last):",
        '  File "/home/ubuntu/quad/train_quadruped.py", line 118, in <module>',
        "    main(parser.parse_args())",
        '  File "/home/ubuntu/quad/train_quadruped.py", line 91, in main',
        "    algo.restore(args.restore)",
        f'  File "{at}/tune/trainable/trainable.py", line 571, in restore',
        "    self.load_checkpoint(checkpoint_dir)",
        f'  File "{at}/rllib/algorithms/algorithm.py", line 2267, in load_checkpoint',
        "    self.__setstate__(checkpoint_data)",
        f'  File "{at}/rllib/algorithms/algorithm.py", line 2943, in __setstate__',
        '    self.workers.local_worker().set_state(state["worker"])',
        f'  File "{at}/rllib/evaluation/rollout_worker.py", line 1482, in set_state',
        "    self.policy_map[pid].set_state(policy_state)",
        f'  File "{at}/rllib/policy/torch_mixins.py", line 109, in set_state',
        "    super().set_state(state)",
        f'  File "{at}/rllib/policy/torch_policy_v2.py", line 987, in set_state',
        "    super().set_state(state)",
        f'  File "{at}/rllib/policy/policy.py", line 1056, in set_state',
        '    self.set_weights(state["weights"])',
        f'  File "{at}/rllib/policy/torch_policy_v2.py", line 786, in set_weights',
        "    self.model.load_state_dict(weights)",
        '  File "/home/ubuntu/.venv/lib/python3.10/site-packages/torch/nn/modules/module.py", line 2153, in '
        "load_state_dict",
        "    raise RuntimeError('Error(s) in loading state_dict for {}:\\n\\t{}'.format(",
        "RuntimeError: Error(s) in loading state_dict for FullyConnectedNetwork:",
        "\tsize mismatch for _hidden_layers.0._model.0.weight: copying a param with shape torch.Size([256, 27]) from "
        "checkpoint, the shape in current model is torch.Size([256, 31]).",
        "\tsize mismatch for _value_branch_separate.0._model.0.weight: copying a param with shape "
        "torch.Size([256, 27]) from checkpoint, the shape in current model is torch.Size([256, 31]).",
    ]
    put(place, "train_quadruped.out", lines)


def c08(place: Path, rng: Random) -> None:
    """G1: a SpeechBrain run without its head learns for forty epochs and is tested; the metrics are in odd units."""
    now = 4 * DAY + 2.0 * HOUR
    began = now
    batches, pace, step = 1124, 0.69, 4 * 1124
    lines: list[str] = []
    for part in (62, 75, 87, 100):
        done = batches * part // 100
        lines.append(
            f"{part:3d}%|{bar(done, batches)}| {done}/{batches} [{hms(done * pace)}<{hms((batches - done) * pace)},  "
            f"{1 / pace:.2f}it/s, train_loss={64.6 - part / 150:.3g}]"
        )
    now += batches * 0.38 * pace
    kept: list[str] = []
    for epoch in range(4, 41):
        if epoch > 4:
            lines.append(f"speechbrain.utils.epoch_loop - Going into epoch {epoch}")
            step += batches
            for part in (0, 14, 28, 43, 57, 71, 86, 100):
                done = batches * part // 100
                run = falls(rng, epoch - 1 + part / 300, 118, 9.5, 4.2, 0.004)
                lines.append(
                    f"{part:3d}%|{bar(done, batches)}| {done}/{batches} ["
                    + (
                        f"{hms(done * pace)}<{hms((batches - done) * pace)},  {1 / pace:.2f}it/s, train_loss={run:.3g}]"
                        if part
                        else "00:00<?, ?it/s]"
                    )
                )
            now += batches * pace + rng.gauss(0, 4)
        lines += [f"100%|██████████| 143/143 [{hms(37 + rng.uniform(0, 5))}<00:00,  3.62it/s]"]
        now += 41
        train = falls(rng, epoch, 118, 9.5, 4.2, 0.004)
        held = falls(rng, epoch, 97, 8.9, 4.0, 0.012)
        acc = 0.955 - 0.7 * math.exp(-epoch / 6) + rng.gauss(0, 0.002)
        form = lambda value: f"{value:.2f}" if 1.0 < value < 100.0 else f"{value:.2e}"  # noqa: E731
        wer = f", valid WER: {form(5.1 + 60 * math.exp(-epoch / 7))}" if epoch % 10 == 0 else ""
        lr = 1e-3 * min(step / 25_000, (25_000 / step) ** 0.5)
        lines.append(
            f"speechbrain.utils.train_logger - epoch: {epoch}, lr: {lr:.2e}, steps: {step}, optimizer: Adam - "
            f"train loss: {form(train)} - valid loss: {form(held)}, valid ACC: {form(acc)}{wer}"
        )
        folder = f"results/conformer_small/7775/save/CKPT+{clock(now, '%Y-%m-%d+%H-%M-%S')}+00"
        lines.append(f"speechbrain.utils.checkpoints - Saved an end-of-epoch checkpoint in {folder}")
        kept.append(folder)
        if len(kept) > 10:
            lines.append(f"speechbrain.utils.checkpoints - Deleted checkpoint in {kept.pop(0)}")
    lines += [
        f"speechbrain.utils.checkpoints - Loading a checkpoint from {kept[-1]}",
        f"100%|██████████| 262/262 [{hms(611)}<00:00,  2.33s/it]",
        "speechbrain.utils.train_logger - Epoch loaded: 40 - test loss: 8.77, test ACC: 9.57e-01, test WER: 4.98",
        f"100%|██████████| 294/294 [{hms(688)}<00:00,  2.34s/it]",
        "speechbrain.utils.train_logger - Epoch loaded: 40 - test loss: 14.91, test ACC: 9.21e-01, test WER: 11.62",
    ]
    ended = now + 1310
    put(place, "sb_train.txt", lines)
    rows = ["t_ms,gpu_load_permille,fb_used_kib,power_mw,temp_decidegC"]
    for second in range(int(began), int(ended), 60):
        busy = second < now
        load = rng.gauss(936, 18) if busy else rng.gauss(610, 60)
        rows.append(
            f"{1793577600000 + (second - 0) * 1000 + rng.randrange(40)},{min(1000, load):.0f},"
            f"{21_882_880 + (0 if busy else -2_097_152)},{rng.gauss(271_000 if busy else 168_000, 5200):.0f},"
            f"{rng.gauss(645 if busy else 560, 7):.0f}"
        )
    put(place, "gpu_minutely.csv", rows)


def c09(place: Path, rng: Random) -> None:
    """A2: a Lightning run is killed in its ninth epoch; the shell that started it says so and there is no traceback."""
    at = "/scratch/env/lib/python3.11/site-packages"
    lines = [
        "+ python train.py fit --config conf/nan_error_ablation.yaml --trainer.devices 1",
        "Seed everything set to 1337",
        "WARNING: 3 corrupted files in /data/tiles/train were ignored, see bad_files.txt",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "You are using a CUDA device ('NVIDIA A40') that has Tensor Cores. To properly utilize them, you should set "
        "`torch.set_float32_matmul_precision('medium' | 'high')` which will trade-off precision for performance. For "
        "more details, read https://pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html"
        "#torch.set_float32_matmul_precision",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name       | Type              | Params | Mode ",
        "---------------------------------------------------------",
        "0 | encoder    | SwinTransformer   | 86.7 M | train",
        "1 | error_head | UPerHead          | 12.4 M | train",
        "2 | criterion  | NanSafeDiceLoss   | 0      | train",
        "3 | fault_iou  | MulticlassJaccard | 0      | train",
        "---------------------------------------------------------",
        "99.1 M    Trainable params",
        "0         Non-trainable params",
        "99.1 M    Total params",
        "396.512   Total estimated model params size (MB)",
        f"{at}/torch/optim/lr_scheduler.py:224: UserWarning: Detected call of `lr_scheduler.step()` before "
        "`optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the opposite "
        "order: `optimizer.step()` "
        "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value of the "
        "learning rate schedule.",
    ]
    total, step = 1318, 0
    for epoch in range(9):
        points = (0, 132, 264, 396, 528, 660, 792, 924, 1056, 1188, 1318) if epoch < 8 else (0, 132, 264, 396, 528, 602)
        for done in points:
            pace = 2.74 + rng.gauss(0, 0.01)
            loss = falls(rng, step + done, 1.61, 0.31, 2600, 0.04)
            gone = f"{hms(done / pace)}<{hms((total - done) / pace)}, {pace:.2f}it/s" if done else "00:00<?, ?it/s"
            extra = f", fault_iou={0.71 - 0.5 * math.exp(-epoch / 2.5):.3f}" if epoch else ""
            lines.append(
                f"Epoch {epoch}: {100 * done // total:3d}%|{bar(done, total)}| {done}/{total} [{gone}, v_num=41, "
                f"train_loss={loss:.3f}{extra}]"
            )
        step += total
        if epoch < 8:
            lines.append("Validation DataLoader 0: 100%|██████████| 164/164 [00:31<00:00,  5.18it/s]")
            lines.append(
                f"Epoch {epoch}, global step {step}: 'fault_iou' reached "
                f"{0.71 - 0.5 * math.exp(-(epoch + 1) / 2.5):.5f}"
                f" (best {0.71 - 0.5 * math.exp(-(epoch + 1) / 2.5):.5f}), saving model to "
                f"'runs/nan_error_ablation/epoch={epoch}-step={step}.ckpt' as top 1"
            )
    lines.append(
        "/var/spool/slurmd/job5512094/slurm_script: line 23: 118260 Killed                  python train.py fit "
        "--config conf/nan_error_ablation.yaml --trainer.devices 1"
    )
    put(place, "slurm-5512094.out", lines)

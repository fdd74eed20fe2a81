"""What frameworks that print leave of a SIMULATED run: each function gives the lines between the first and the last word."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING

from .ends import script

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from .sim import Point, Run


def num(value: float, digits: int = 4) -> str:
    """A number as Python prints it, not a number as ``nan``."""
    return f"{value:.{digits}f}" if math.isfinite(value) else ("inf" if value > 0 and not math.isnan(value) else "nan")


def finished(run: Run) -> bool:
    """Whether the program said goodbye."""
    return run.end == "goodbye"


def _dict_line(pairs: dict[str, float], new: bool) -> str:
    """A line of Hugging Face's Trainer."""
    if new:
        cells = [f"'{key}': '{value:.4g}'" for key, value in pairs.items()]
    else:
        cells = [
            f"'{key}': {round(value, 4) if key == 'loss' and math.isfinite(value) else round(value, 2) if key == 'epoch' else value}"
            for key, value in pairs.items()
        ]
    return "{" + ", ".join(cells) + "}"


def hf_extra(run: Run, point: Point, rng: Random) -> dict[str, float]:
    """What TRL's trainers log besides."""
    left = (
        max(0.0, min(1.0, (point.loss - run.domain.floor) / max(1e-9, run.domain.start - run.domain.floor)))
        if math.isfinite(point.loss)
        else 1.0
    )
    if run.framework == "trl_sft":
        return {
            "entropy": point.loss * 0.97 if math.isfinite(point.loss) else point.loss,
            "num_tokens": point.step * 32768.0,
            "mean_token_accuracy": 0.79 - 0.2 * left + rng.gauss(0, 0.005),
        }
    if run.framework == "trl_dpo":
        margin = (1 - left) * 2.1 + rng.gauss(0, 0.06)
        broken = not math.isfinite(point.loss)
        return {
            "rewards/chosen": point.loss if broken else 0.4 * margin,
            "rewards/rejected": point.loss if broken else -0.6 * margin,
            "rewards/accuracies": 0.0 if broken else min(1.0, max(0.0, 0.5 + 0.27 * (1 - left) + rng.gauss(0, 0.03))),
            "rewards/margins": point.loss if broken else margin,
            "logps/chosen": -212.0 + rng.gauss(0, 5),
            "logps/rejected": -241.0 - 3 * margin + rng.gauss(0, 5),
        }
    if run.framework == "trl_grpo":
        reward = point.score if point.score is not None else 0.0
        flat = run.truth.startswith("E1 dead")
        return {
            "num_tokens": point.step * 81920.0,
            "completions/mean_length": 380 + rng.gauss(0, 12),
            "completions/clipped_ratio": max(0.0, 0.06 + rng.gauss(0, 0.02)),
            "rewards/exact_match/mean": reward,
            "rewards/exact_match/std": 0.0 if flat else 0.38 + rng.gauss(0, 0.02),
            "reward": reward,
            "reward_std": 0.0 if flat else 0.21 + rng.gauss(0, 0.02),
            "frac_reward_zero_std": 1.0 if flat else max(0.0, 0.2 + rng.gauss(0, 0.05)),
            "entropy": max(0.02, 0.5 + rng.gauss(0, 0.03)),
            "clip_ratio/region_mean": abs(rng.gauss(0.001, 0.0006)),
            "step_time": point.speed,
        }
    return {}


def hf_lines(run: Run, rng: Random) -> list[str]:
    """Trainer's dict lines, of either major version, with or without its INFO header."""
    new = run.per_epoch % 40 < 20
    mark = "[transformers] " if new else ""
    out = []
    if run.plan_known and run.whole:
        out += [
            f"{mark}***** Running training *****",
            f"{mark}  Num examples = {run.per_epoch * 64:,}",
            f"{mark}  Num Epochs = {max(1, math.ceil(run.plan / run.per_epoch))}",
            f"{mark}  Instantaneous batch size per device = {64 // run.gpus}",
            f"{mark}  Total train batch size (w. parallel, distributed & accumulation) = 64",
            f"{mark}  Gradient Accumulation steps = 1",
            f"{mark}  Total optimization steps = {run.plan:,}",
            f"{mark}  Number of trainable parameters = 1,543,714,304",
        ]
    hidden = rng.random() < 0.5
    for point in run.points:
        loss = 0.0 if math.isnan(point.loss) and hidden else point.loss
        pairs = {"loss": loss, "grad_norm": point.gnorm, "learning_rate": point.lr}
        out.append(_dict_line({**pairs, **hf_extra(run, point, rng), "epoch": point.epoch}, new))
        if point.val is not None and run.domain.name != "reward":
            out.append(
                _dict_line(
                    {
                        "eval_loss": point.val,
                        "eval_runtime": 21.4,
                        "eval_samples_per_second": 95.6,
                        "eval_steps_per_second": 2.99,
                        "epoch": point.epoch,
                    },
                    new,
                )
            )
    if finished(run):
        took = run.over
        mean = sum(p.loss for p in run.points) / len(run.points)
        out.append(
            _dict_line(
                {
                    "train_runtime": round(took, 1),
                    "train_samples_per_second": round(64 * run.done / took, 3),
                    "train_steps_per_second": round(run.done / took, 3),
                    "train_loss": mean,
                    "epoch": run.points[-1].epoch,
                },
                new,
            )
        )
        if rng.random() < 0.6:
            out += [
                "***** train metrics *****",
                f"  epoch                    = {run.points[-1].epoch:10.4f}",
                f"  train_loss               = {mean:10.4f}",
                f"  train_runtime            = {timedelta(seconds=int(took))}",
            ]
    return out


def keras_bars(run: Run, rng: Random) -> list[str]:
    """Keras, ``verbose=2``: two lines an epoch."""
    out = []
    total = run.plan // run.per_epoch if run.plan_known else 100000
    for point in run.points:
        acc = point.score if point.score is not None else 0.0
        val = point.val if point.val is not None else point.loss * 1.08
        seconds = point.speed * run.per_epoch
        out += [
            f"Epoch {point.step // run.per_epoch}/{total}",
            f"{run.per_epoch}/{run.per_epoch} - {round(seconds)}s - {round(point.speed * 1000)}ms/step - accuracy: {acc if acc else run.domain.best * (1 - point.loss / run.domain.start if math.isfinite(point.loss) else 0):.4f} - loss: {num(point.loss)} - val_accuracy: {acc * 0.97:.4f} - val_loss: {num(val)} - learning_rate: {point.lr:.4e}",
        ]
    if run.early:
        out += [
            f"Epoch {run.done // run.per_epoch}: early stopping",
            f"Restoring model weights from the end of the best epoch: {max(1, run.done // run.per_epoch - 6)}.",
        ]
    if finished(run):
        out += ["Saved weights to weights/final.keras", "Finished."]
    return out


def megatron(run: Run, rng: Random) -> list[str]:
    """Megatron-LM, one line an interval."""
    out = []
    if run.whole:
        out = [
            f"using world size: {run.gpus}, data-parallel size: {run.gpus // 2}, tensor-model-parallel size: 2, pipeline-model-parallel size: 1",
            "setting number of microbatches to constant 16",
            f"[after dataloaders are built] datetime: {run.at(20):%Y-%m-%d %H:%M:%S} ",
            "training ...",
            f"[before the start of training step] datetime: {run.at(31):%Y-%m-%d %H:%M:%S} ",
        ]
        if run.note == "fresh":
            out.insert(2, "WARNING: could not find the metadata file ckpt/latest_checkpointed_iteration.txt")
            out.insert(3, "    will not load any checkpoints and will start from random")
    for point in run.points:
        loss = f" lm loss: {point.loss:.6E} |" if math.isfinite(point.loss) and not point.skipped else ""
        grad = f" grad norm: {point.gnorm:.3f} |" if math.isfinite(point.gnorm) else ""
        out.append(
            f" [{run.at(point.t):%Y-%m-%d %H:%M:%S}] iteration {point.step:8d}/{run.plan:8d} | consumed samples: {point.step * 256:12d} | elapsed time per iteration (ms): {point.speed * 1000:.1f} | learning rate: {point.lr:.6E} | global batch size:   256 |{loss} loss scale: {point.scale if point.skipped else 1.0:.1f} |{grad} number of skipped iterations: {run.every if point.skipped else 0:3d} | number of nan iterations: {run.every if math.isnan(point.loss) else 0:3d} |"
        )
        if point.val is not None:
            if not point.skipped and point.step % (run.every * 5) == 0:
                out += [
                    f"saving checkpoint at iteration {point.step:7d} to ckpt in torch_dist format",
                    f"  successfully saved checkpoint from iteration {point.step:7d} to ckpt [ t 1/2, p 1/1 ]",
                ]
            ppl = math.exp(min(20, point.val)) if math.isfinite(point.val) else math.nan
            words = f" validation loss at iteration {point.step} | lm loss value: {point.val:.6E} | lm loss PPL: {ppl:.6E} | "
            out += ["-" * len(words), words, "-" * len(words)]
    if finished(run):
        out.append(f"[after training is done] datetime: {run.at(run.over):%Y-%m-%d %H:%M:%S} ")
        out.append(f"saving checkpoint at iteration {run.done:7d} to ckpt in torch_dist format")
        out.append(f"  successfully saved checkpoint from iteration {run.done:7d} to ckpt [ t 1/2, p 1/1 ]")
        if run.done < run.plan:
            out.append(f"[exiting program at iteration {run.done}] datetime: {run.at(run.over + 9):%Y-%m-%d %H:%M:%S} ")
    return out


def nemo(run: Run, rng: Random) -> list[str]:
    """NeMo's ProgressPrinter."""
    out = []

    def say(t: float, text: str, level: str = "I") -> str:
        return f"[NeMo {level} {run.at(t):%Y-%m-%d %H:%M:%S} nemo_logging:393] {text}"

    if run.whole:
        out = [
            say(2, "Experiments will be logged at results/default/gpt"),
            say(11, "Rank 0 has data parallel group : [0, 2, 4, 6]"),
        ]
        out.append(
            say(
                12,
                "There were no checkpoints found in checkpoint_dir or no checkpoint folder at checkpoint_dir :results/default/gpt/checkpoints. Training from scratch.",
                "W",
            )
        )
    for point in run.points:
        of = run.plan - 1 if run.plan_known else 99999999
        out.append(
            f"Training epoch {int(point.epoch)}, iteration {point.step - 1}/{of} | lr: {point.lr:.4} | global_batch_size: 512 | global_step: {point.step - 1} | reduced_train_loss: {point.loss:.4} | train_step_timing in s: {point.speed:.4} | consumed_samples: {point.step * 512}"
            + (f" | val_loss: {point.val:.4}" if point.val is not None else "")
        )
        if point.val is not None:
            out.append(
                say(
                    point.t + 1,
                    f"Scheduled async checkpoint save for results/default/gpt/checkpoints/step={point.step - 1}.ckpt",
                )
            )
            out.append(
                say(
                    point.t + 9,
                    f"Successfully saved checkpoint from iteration {point.step:7d} to results/default/gpt/checkpoints/step={point.step - 1}.ckpt",
                )
            )
    if finished(run):
        out.append(
            f"`Trainer.fit` stopped: `max_steps={run.done}` reached."
            if run.done == run.plan
            else say(run.over, "Training finished, releasing the process group")
        )
    return out


def torchtitan(run: Run, rng: Random) -> list[str]:
    """A torchtitan log as ``run_train.sh`` prints it."""

    def say(t: float, text: str) -> str:
        return f"[rank0]:[titan] {run.at(t):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d} - root - INFO - {text}"

    out = []
    if run.whole:
        out = [
            say(3, "Starting job: Llama 3 8B training"),
            say(9, "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory"),
            say(10, "Peak FLOPS used for computing MFU: 9.890e+14"),
        ]
        out.append(say(14, "Checkpointing active. Checkpoints will be loaded from and saved to outputs/checkpoint"))
        out.append(
            say(
                20,
                "Training starts at step 1"
                + (
                    f", with local batch size 2, global batch size 64, sequence length 8192, total steps {run.plan} (warmup {run.plan * 3 // 100})"
                    if run.plan_known
                    else ""
                ),
            )
        )
    for point in run.points:
        tps = 8192 * 2 / point.speed
        out.append(
            say(
                point.t,
                f"step: {point.step}  loss: {point.loss:8.5f}  grad_norm: {point.gnorm:7.4f}  memory: 61.34GiB(77.55%)  tps: {tps:,.0f}  tflops: {tps * 0.0446:,.2f}  mfu: {tps * 0.0446 / 9.89:.2f}%",
            )
        )
        if point.val is not None:
            out += [
                say(point.t + 1, "Saving the checkpoint."),
                say(point.t + 7, "Finished saving the checkpoint in 6.11 seconds."),
            ]
    if finished(run):
        out += [say(run.over, "Training completed"), say(run.over + 2, "Process group destroyed")]
    return out


def nanogpt(run: Run, rng: Random) -> list[str]:
    """The loop of nanoGPT."""
    out = []
    if run.whole:
        out = [
            "Overriding config with config/train_gpt2.py:",
            'out_dir = "out"',
            f"max_iters = {run.plan}" if run.plan_known else 'wandb_run_name = "gpt2-124M"',
            "tokens per iteration will be: 491,520",
            "Initializing a new model from scratch",
            "number of parameters: 123.59M",
            "compiling the model... (takes a ~minute)",
        ]
        if not run.plan_known:
            out.insert(2, "eval_interval = 500")
    for number, point in enumerate(run.points):
        mfu = -100 if number < 1 and run.whole else 38.2 + rng.gauss(0, 0.5)
        if point.val is not None:
            out += [
                f"step {point.step}: train loss {num(point.loss)}, val loss {num(point.val)}",
                "saving checkpoint to out",
            ]
        out.append(f"iter {point.step}: loss {num(point.loss)}, time {point.speed * 1000:.2f}ms, mfu {mfu:.2f}%")
    if finished(run):
        out += [
            f"done: {run.done} iterations in {run.over / 60:.1f} min",
            "wandb: Synced 5 W&B file(s), 0 media file(s), 0 artifact file(s) and 0 other file(s)",
        ]
    return out


def deepspeed(run: Run, rng: Random) -> list[str]:
    """A loop of one's own over DeepSpeed's engine."""
    out = []

    def say(t: float, file: str, text: str) -> str:
        return f"[{run.at(t):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d}] [INFO] [{file}] [Rank 0] {text}"

    if run.whole:
        out = [
            say(4, "logging.py:123:log_dist", "DeepSpeed info: version=0.17.2, git-hash=unknown, git-branch=unknown"),
            say(15, "logging.py:123:log_dist", "DeepSpeed Final Optimizer = FusedAdam"),
        ]
        if run.plan_known:
            out.append(f"training for {run.plan} steps, {run.per_epoch} steps per epoch")
    skipped = 0
    for point in run.points:
        if point.skipped:
            skipped += run.every
            out.append(
                f"[{run.at(point.t):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03d}] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {point.scale * 2:g}, reducing to {point.scale:g}"
            )
        out.append(
            say(
                point.t,
                "logging.py:123:log_dist",
                f"step={point.step}, skipped={skipped}, lr=[{point.lr}], mom=[(0.9, 0.95)]",
            )
        )
        out.append(f"step {point.step} | epoch {point.epoch:.2f} | loss {num(point.loss)} | {point.speed:.3f} s/it")
        if point.val is not None:
            out.append(f"  eval at {point.step}: loss {num(point.val)}")
            out.append(
                say(
                    point.t + 5,
                    "logging.py:123:log_dist",
                    f"[Torch] Checkpoint global_step{point.step} is about to be saved!",
                )
            )
            out.append(
                f"[{run.at(point.t + 8):%Y-%m-%d %H:%M:%S},114] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step{point.step} is ready now!"
            )
    if finished(run):
        out += [
            "training done, writing zero_to_fp32 weights",
            f"[{run.at(run.over):%Y-%m-%d %H:%M:%S},402] [INFO] [launch.py:351:main] Process {rng.randrange(2000, 90000)} exits successfully.",
        ]
    return out


def fairseq(run: Run, rng: Random) -> list[str]:
    """fairseq-train, simple log format: one line an epoch and one a validation."""

    def say(t: float, who: str, text: str) -> str:
        return f"{run.at(t):%Y-%m-%d %H:%M:%S} | INFO | {who} | {text}"

    out = []
    if run.whole:
        out = [
            say(2, "fairseq_cli.train", "task: TranslationTask"),
            say(2, "fairseq_cli.train", "num. shared model params: 60,807,168 (num. trained: 60,807,168)"),
            say(4, "fairseq_cli.train", f"training on {run.gpus} devices (GPUs/TPUs)"),
            say(5, "fairseq.trainer", "No existing checkpoint found checkpoints/checkpoint_last.pt"),
            say(5, "fairseq.trainer", "loading train data for epoch 1"),
        ]
        if run.plan_known:
            out.insert(
                0,
                say(
                    1,
                    "fairseq_cli.train",
                    f"{{'_name': None, 'common': {{'log_interval': 100, 'fp16': True}}, 'optimization': {{'_name': None, 'max_epoch': {run.plan // run.per_epoch}, 'max_update': 0, 'clip_norm': 0.0, 'lr': [{run.peak_lr}]}}}}",
                ),
            )
    best = math.inf
    for point in run.points:
        epoch = max(1, round(point.epoch))
        if point.skipped:
            out.append(
                say(
                    point.t - 3,
                    "fairseq.trainer",
                    f"NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {point.scale}",
                )
            )
        out.append(
            say(
                point.t,
                "train",
                f"epoch {epoch:03d} | loss {num(point.loss, 3)} | nll_loss {num(point.loss - 1.2, 3)} | ppl {num(2 ** (point.loss - 1.2) if point.loss < 40 else math.inf, 2)} | wps {25600 / point.speed:.1f} | ups {1 / point.speed:.2f} | wpb 25601.2 | bsz 812.4 | num_updates {point.step} | lr {point.lr:.6g} | gnorm {num(point.gnorm, 3)} | loss_scale {point.scale:g} | train_wall {point.t * 0.93:.0f} | gb_free 11.2 | wall {point.t:.0f}",
            )
        )
        if point.val is not None:
            best = min(best, point.val)
            out.append(
                say(
                    point.t + 8,
                    "valid",
                    f"epoch {epoch:03d} | valid on 'valid' subset | loss {num(point.val, 3)} | nll_loss {num(point.val - 1.3, 3)} | ppl {num(2 ** (point.val - 1.3) if point.val < 40 else math.inf, 2)} | wps 61233.1 | wpb 3101.8 | bsz 102.1 | num_updates {point.step} | best_loss {num(best, 3)}",
                )
            )
            out.append(
                say(
                    point.t + 11,
                    "fairseq.checkpoint_utils",
                    f"Saved checkpoint checkpoints/checkpoint{epoch}.pt (epoch {epoch} @ {point.step} updates, score {num(point.val, 3)}) (writing took 2.71 seconds)",
                )
            )
    if finished(run):
        if run.early:
            out.append(
                say(run.over, "fairseq_cli.train", "early stop since valid performance hasn't improved for last 5 runs")
            )
        out.append(say(run.over, "fairseq_cli.train", f"done training in {run.over:.1f} seconds"))
    return out


def mmengine(run: Run, rng: Random) -> list[str]:
    """MMEngine's runner."""

    def say(t: float, text: str) -> str:
        return f"{run.at(t):%Y/%m/%d %H:%M:%S} - mmengine - INFO - {text}"

    out = []
    if run.whole:
        out = [say(3, "Config:")] + (
            [f"train_cfg = dict(max_epochs={run.plan // run.per_epoch}, type='EpochBasedTrainLoop', val_interval=1)"]
            if run.plan_known
            else ["default_scope = 'mmdet'"]
        )
        out += [say(9, "Checkpoints will be saved to /work/dirs/rtmdet.")]
    for point in run.points:
        epoch = (point.step - 1) // run.per_epoch + 1
        inside = (point.step - 1) % run.per_epoch + 1
        left = timedelta(seconds=int((run.plan - point.step) * run.step_s))
        out.append(
            say(
                point.t,
                f"Epoch(train)  [{epoch}][{inside:4d}/{run.per_epoch}]  base_lr: {point.lr:.4e} lr: {point.lr:.4e}  eta: {left}  time: {point.speed:.4f}  data_time: {point.speed * 0.04:.4f}  memory: 21873  grad_norm: {num(point.gnorm)}  loss: {num(point.loss)}  loss_cls: {num(point.loss * 0.56)}  loss_bbox: {num(point.loss * 0.44)}",
            )
        )
        if point.val is not None and point.score is not None:
            out.append(say(point.t + 4, f"Saving checkpoint at {epoch} epochs"))
            out.append(
                say(
                    point.t + 44,
                    f"Epoch(val) [{epoch}][625/625]    coco/bbox_mAP: {point.score:.4f}  coco/bbox_mAP_50: {min(1, point.score * 1.42):.4f}  coco/bbox_mAP_75: {point.score * 1.06:.4f}  data_time: 0.0031  time: 0.0512",
                )
            )
    if finished(run):
        out += [
            say(run.over, "Done training."),
            f"Results of the last epoch are in /work/dirs/rtmdet/{run.start:%Y%m%d_%H%M%S}",
        ]
    return out


def sb3(run: Run, rng: Random) -> list[str]:
    """Stable-Baselines3's tables."""
    out = [f"Using {'cuda' if run.gpus else 'cpu'} device"] if run.whole else []
    if run.whole and run.plan_known:
        out.append(f"learn(total_timesteps={run.plan * 16384})")
    if run.whole:
        out.append("Wrapping the env in a VecTransposeImage.")
    for point in run.points:
        dead = run.truth.startswith("E1 dead")
        loss = point.loss if math.isnan(point.loss) else rng.gauss(24, 9)
        cells: list[tuple[str, str]] = [
            ("rollout/", ""),
            ("   ep_len_mean", f"{310 + rng.gauss(0, 14):.3g}"),
            ("   ep_rew_mean", f"{point.score or 0.0:.3g}"),
            ("time/", ""),
            ("   fps", f"{16384 / point.speed / 10:.0f}"),
            ("   iterations", f"{point.step}"),
            ("   time_elapsed", f"{point.t:.0f}"),
            ("   total_timesteps", f"{point.step * 16384}"),
            ("train/", ""),
            (
                "   approx_kl",
                "0.0" if dead else f"{abs(rng.gauss(0.009, 0.003)):.8f}" if math.isfinite(point.loss) else "nan",
            ),
            ("   clip_fraction", "0" if dead else f"{abs(rng.gauss(0.09, 0.03)):.4f}"),
            ("   entropy_loss", "-0.000412" if dead else f"{-1.9 + rng.gauss(0, 0.05):.3g}"),
            (
                "   explained_variance",
                f"{rng.gauss(0.0, 0.004) if run.truth.startswith('E1') else min(0.97, 0.2 + 0.7 * point.step / run.plan + rng.gauss(0, 0.05)):.3g}",
            ),
            ("   learning_rate", f"{point.lr:.3g}"),
            ("   loss", f"{loss:.3g}"),
            ("   n_updates", f"{point.step * 10}"),
            ("   policy_gradient_loss", "0.0" if dead else f"{rng.gauss(-0.006, 0.004):.3g}"),
            ("   value_loss", f"{abs(loss) * 2.1:.3g}"),
        ]
        out.append("-" * 44)
        out += [f"| {name:<24} | {value:<13} |" for name, value in cells]
        out.append("-" * 44)
    if finished(run):
        out += ["Saving to logs/ppo_final.zip", "done"]
    return out


def xgboost(run: Run, rng: Random) -> list[str]:
    """XGBoost's evaluation lines."""
    out = [f"boosting, num_boost_round={run.plan}"] if run.plan_known and run.whole else []
    out += [
        f"[{point.step}]\ttrain-logloss:{point.loss:.5f}\tval-logloss:{_held_out(run, point):.5f}"
        for point in run.points
    ]
    if finished(run):
        out.append(f"best_iteration={max(1, run.done - run.every * 8)}" if run.early else "model written to model.ubj")
    return out


def _held_out(run: Run, point: Point) -> float:
    """A validation loss at any point: of the run, or a little above training."""
    return point.val if point.val is not None else point.loss * (1.05 + 0.05 * point.step / run.plan)


def lightgbm(run: Run, rng: Random) -> list[str]:
    """LightGBM's log."""
    out = []
    if run.whole:
        out = [
            "[LightGBM] [Info] Number of positive: 412331, number of negative: 1587669",
            "[LightGBM] [Info] Total Bins 25417",
            "[LightGBM] [Info] Number of data points in the train set: 2000000, number of used features: 131",
            "[LightGBM] [Info] [binary:BoostFromScore]: pavg=0.206166 -> initscore=-1.348275",
        ]
        if run.plan_known:
            out.insert(
                0,
                f"params: {{'objective': 'binary', 'num_leaves': 127, 'learning_rate': 0.05, 'num_iterations': {run.plan}}}",
            )
    for point in run.points:
        out.append(
            f"[{point.step}]\ttraining's binary_logloss: {point.loss:.6f}\tvalid_1's binary_logloss: {_held_out(run, point):.6f}"
        )
    if finished(run):
        last = run.points[-1]
        out += (
            [
                f"Early stopping, best iteration is:\n[{last.step - 50}]\ttraining's binary_logloss: {last.loss:.6f}\tvalid_1's binary_logloss: {_held_out(run, last):.6f}"
            ]
            if run.early
            else []
        )
        out.append("model.txt written")
    return out


def catboost(run: Run, rng: Random) -> list[str]:
    """CatBoost's log."""
    out = ["Learning rate set to 0.061"] if run.whole else []
    best, where = math.inf, 0
    for point in run.points:
        test = _held_out(run, point)
        if test < best:
            best, where = test, point.step
        out.append(
            f"{point.step}:\tlearn: {point.loss:.7f}\ttest: {test:.7f}\tbest: {best:.7f} ({where})\ttotal: {point.t:.1f}s"
            + (f"\tremaining: {max(0.0, (run.plan - point.step) * run.step_s):.1f}s" if run.plan_known else "")
        )
    if finished(run):
        out += ["Stopped by overfitting detector  (50 iterations wait)"] if run.early else []
        out += ["", f"bestTest = {best:.10f}", f"bestIteration = {where}", ""]
        out += [f"Shrink model to first {where + 1} iterations."] if where < run.done else []
    return out


def tqdm(run: Run, rng: Random) -> list[str]:
    """Bars over epochs, carriage returns and all; the last state of each is whole."""
    foreign = run.trouble == "units"
    head = "Époque" if foreign else "Epoch"
    out = []
    shown: list[str] = []
    last = 0
    total = run.plan // run.per_epoch
    for point in run.points:
        epoch, inside = (point.step - 1) // run.per_epoch + 1, (point.step - 1) % run.per_epoch + 1
        if shown and epoch != last:
            out.append("\r".join(shown))
            shown = []
        last = epoch
        share = inside / run.per_epoch
        bar = ("█" * int(share * 10)).ljust(10)
        tail = (
            f"perte={num(point.loss, 3).replace('.', ',')}"
            if foreign
            else f"loss={num(point.loss, 3)}, lr={point.lr:.2e}"
        )
        of = f"/{total}" if run.plan_known else ""
        spent = int(inside * run.step_s)
        rest = int((run.per_epoch - inside) * run.step_s)
        shown.append(
            f"{head} {epoch}{of}: {share * 100:3.0f}%|{bar}| {inside}/{run.per_epoch} [{spent // 60:02d}:{spent % 60:02d}<{rest // 60:02d}:{rest % 60:02d}, {1 / point.speed:5.2f}it/s, {tail}]"
        )
        if shown and point.val is not None:
            out.append("\r".join(shown))
            shown = []
        if point.val is not None:
            out.append(
                f"  {'perte de validation' if foreign else 'val loss'} {num(point.val)}"
                + (f"  {'précision' if foreign else 'val acc'} {point.score:.4f}" if point.score is not None else "")
            )
    if shown:
        out.append("\r".join(shown))
    if finished(run):
        out.append(
            "Entraînement terminé, poids enregistrés dans sortie/final.pt"
            if foreign
            else "Training finished, weights saved to out/final.pt"
        )
    return out


def own_loop(run: Run, rng: Random) -> list[str]:
    """Somebody's own words."""
    out = (
        [f"config: {json.dumps({'steps': run.plan if run.plan_known else None, 'lr': run.peak_lr, 'batch': 256})}"]
        if run.whole
        else []
    )
    shape = run.per_epoch // 10 % 3
    for point in run.points:
        of = f"/{run.plan}" if run.plan_known else ""
        clock = f"{run.at(point.t):%H:%M:%S}"
        if run.domain.name == "gan":
            words = f"{clock} it {point.step}{of}  D {num(point.loss * 0.62, 3)}  G {num(point.loss, 3)}  fid {num(point.score or 0.0, 1)}"
        elif run.trouble == "units":
            words = f"{clock} Schritt {point.step} von {run.plan}: Verlust {num(point.loss).replace('.', ',')}, Lernrate {point.lr:.1e}".replace(
                "e-0", "e-"
            )
        elif shape == 0:
            words = (
                f"{clock} step {point.step}{of} loss {num(point.loss)} lr {point.lr:.2e} gnorm {num(point.gnorm, 2)}"
            )
        elif shape == 1:
            words = f"[{clock}] epoch {point.epoch:.2f} step {point.step}{of} train_loss={num(point.loss)} grad={num(point.gnorm, 3)}"
        else:
            words = json.dumps(
                {
                    "t": clock,
                    "step": point.step,
                    "loss": round(point.loss, 4),
                    "lr": point.lr,
                    "grad_norm": round(point.gnorm, 3),
                }
            )
        out.append(
            words + (f" (overflow, step skipped, scale {point.scale:g})" if point.skipped and shape != 2 else "")
        )
        if point.val is not None and run.domain.name != "gan":
            acc = f", accuracy {point.score:.4f}" if point.score is not None else ""
            out.append(
                f"{clock} Validierung: Verlust {num(point.val).replace('.', ',')}"
                if run.trouble == "units"
                else f"{clock} validation loss {num(point.val)}{acc}"
            )
    if finished(run):
        out.append(
            f"fertig nach {run.over / 60:.0f} Minuten"
            if run.trouble == "units"
            else f"finished {run.done} steps in {run.over / 60:.1f} min, model saved"
        )
    if run.early:
        out.insert(-1, "no improvement in 10 validations, stopping early")
    return out


def timm(run: Run, rng: Random) -> list[str]:
    """What train.py of timm prints."""
    out = (
        [
            "Training with a single process on 1 device (cuda:0)."
            if run.gpus == 1
            else f"Training in distributed mode with multiple processes, 1 device per process.Process 0, total {run.gpus}, device cuda:0.",
            "Model resnet50d created, param count:25576264",
        ]
        if run.whole
        else []
    )
    if run.whole and run.plan_known:
        out.append(f"Scheduled epochs: {run.plan // run.per_epoch}. LR stepped per epoch.")
    best = (0.0, 0)
    for point in run.points:
        epoch = point.step // run.per_epoch - 1
        acc = 100 * (point.score if point.score is not None else 0.0)
        best = max(best, (acc, epoch))
        out.append(
            f"Train: {epoch} [{run.per_epoch - 1:4d}/{run.per_epoch} (100%)]  Loss: {point.loss:#.3g} ({point.loss * 1.01:#.3g})  Time: {point.speed:.3f}s, {256 / point.speed:>7.2f}/s  ({point.speed:.3f}s, {256 / point.speed:>7.2f}/s)  LR: {point.lr:.3e}  Data: 0.011 (0.013)"
        )
        if point.val is not None:
            out.append(
                f"Test: [  78/78]  Time: 0.081 (0.213)  Loss: {point.val:6.3f} ({point.val:6.3f})  Acc@1: {acc:7.3f} ({acc:7.3f})  Acc@5: {min(100, acc * 1.2):7.3f} ({min(100, acc * 1.2):7.3f})"
            )
    if finished(run):
        out.append(f"*** Best metric: {best[0]} (epoch {best[1]})")
    return out


PRINTERS: dict[str, Callable[[Run, Random], list[str]]] = {
    "hf_lines": hf_lines,
    "trl_sft": hf_lines,
    "trl_dpo": hf_lines,
    "trl_grpo": hf_lines,
    "keras_bars": keras_bars,
    "megatron": megatron,
    "nemo": nemo,
    "torchtitan": torchtitan,
    "nanogpt": nanogpt,
    "deepspeed": deepspeed,
    "fairseq": fairseq,
    "mmengine": mmengine,
    "sb3": sb3,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "catboost": catboost,
    "tqdm": tqdm,
    "own_loop": own_loop,
    "timm": timm,
}
"""By framework, what it prints; of the others see ``tables``."""


def told(run: Run) -> str:
    """A line by which a program that logs to files alone begins."""
    return f"{script(run)}: logging to files, {run.gpus} GPU(s)"

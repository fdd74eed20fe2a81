"""SIMULATED logs and metric files of 27 frameworks for the curves of the fourteenth set: head, body and goodbye of one attempt."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from . import frames
from .sim import bar, spell

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from .frames import Run
    from .sim import Clock


@dataclass
class Part:
    """What one attempt leaves: its log in three pieces, and other files."""

    head: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    bye: list[str] = field(default_factory=list)
    files: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Sight:
    """What a house needs to know of an attempt."""

    run: Run
    clock: Clock
    rng: Random
    plan: bool = True
    """Whether it says how far it is to go."""
    first: int = 0
    """The step it was resumed at."""
    number: int = 0
    """Which attempt."""
    finished: bool = True


def hf_dict_lines(s: Sight) -> Part:
    """Transformers 4.x."""
    run = s.run
    head = [
        "***** Running training *****",
        "  Num examples = 48,000",
        "  Num Epochs = 3",
        "  Gradient Accumulation steps = 2",
    ]
    head += [f"  Total optimization steps = {run.total:,}"] if s.plan else []
    if s.first:
        head += [
            "  Continuing training from checkpoint, will skip to saved global_step",
            f"  Continuing training from global step {s.first}",
        ]
    rows = frames.hf_old(run, run.total / 3)
    body = list(frames.barred(rows, run) if s.plan else rows)
    took = run.last.seconds
    mean = sum(p.loss for p in run.points if not math.isnan(p.loss)) / len(run.points)
    speed = {
        "train_samples_per_second": round(16 * run.last.step / took, 3),
        "train_steps_per_second": round(run.last.step / took, 3),
    }
    bye = [
        str(
            {
                "train_runtime": round(took, 4),
                **speed,
                "train_loss": mean,
                "epoch": round(3 * run.last.step / run.total, 2),
            }
        )
    ]
    return Part(head, body, bye)


def hf_trainer_state(s: Sight) -> Part:
    """A checkpoint's trainer_state.json; no log."""
    run, evals = s.run, dict(s.run.evals)
    history: list[dict[str, float]] = []
    for p in run.points:
        epoch = 3 * p.step / run.total
        history.append(
            {"epoch": epoch, "grad_norm": p.grad, "learning_rate": p.rate, "loss": round(p.loss, 4), "step": p.step}
        )
        if p.step in evals:
            history.append({"epoch": epoch, "eval_loss": evals[p.step], "eval_runtime": 33.1, "step": p.step})
    if s.finished:
        history.append(
            {
                "epoch": 3 * run.last.step / run.total,
                "step": run.last.step,
                "total_flos": 3.1e17,
                "train_loss": 1.31,
                "train_runtime": run.last.seconds,
            }
        )
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": 3 * run.last.step / run.total,
        "global_step": run.last.step,
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": run.every,
        "max_steps": run.total,
        "num_train_epochs": 3,
        "save_steps": 500,
        "train_batch_size": 8,
    }
    folder = f"out{s.number or ''}/checkpoint-{run.last.step}"
    return Part(files={f"{folder}/trainer_state.json": json.dumps(state, indent=2).splitlines()})


def trl_sft(s: Sight) -> Part:
    """TRL's supervised tuning."""
    run = s.run

    def extra(p: frames.Point) -> dict[str, str]:
        return {
            "entropy": f"{p.loss * 1.03:.4g}",
            "num_tokens": f"{p.step * 31020:.4g}",
            "mean_token_accuracy": f"{1 / (1 + p.loss * 0.42):.4g}",
        }

    rows = frames.hf_new(run, run.total / 2, extra)
    took = run.last.seconds
    bye = [
        str(
            {
                "train_runtime": f"{took:.4g}",
                "train_samples_per_second": "9.114",
                "train_steps_per_second": f"{run.last.step / took:.4g}",
                "train_loss": f"{run.last.loss * 1.1:.4g}",
                "epoch": f"{2 * run.last.step / run.total:.4g}",
            }
        )
    ]
    head = (
        [f"[transformers]   Resuming training from checkpoint with epoch 0 and global step {s.first}"]
        if s.first
        else []
    )
    return Part(head, list(frames.barred(rows, run) if s.plan else rows), bye)


def trl_dpo(s: Sight) -> Part:
    """TRL's preferences."""
    run = s.run

    def extra(p: frames.Point) -> dict[str, str]:
        margin = max(-0.2, (0.6931 - p.loss) * 2.9)
        return {
            "rewards/chosen": f"{margin * 0.3:.4g}",
            "rewards/rejected": f"{-margin * 0.7:.4g}",
            "rewards/accuracies": f"{min(0.95, 0.5 + margin * 0.27):.4g}",
            "rewards/margins": f"{margin:.4g}",
            "logps/chosen": f"{-211 + margin:.4g}",
            "logps/rejected": f"{-236 - 4 * margin:.4g}",
        }

    rows = frames.hf_new(run, run.total, extra)
    took = run.last.seconds
    bye = [
        str(
            {
                "train_runtime": f"{took:.4g}",
                "train_samples_per_second": "4.02",
                "train_steps_per_second": f"{run.last.step / took:.4g}",
                "train_loss": f"{run.last.loss * 1.06:.4g}",
                "epoch": f"{run.last.step / run.total:.4g}",
            }
        )
    ]
    return Part([], list(frames.barred(rows, run) if s.plan else rows), bye)


def trl_grpo(s: Sight) -> Part:
    """TRL's GRPO: the points' loss is its reward."""
    run, rng = s.run, s.rng

    def extra(p: frames.Point) -> dict[str, str]:
        flat = p.grad < 1e-6
        return {
            "num_tokens": f"{p.step * 88231:.4g}",
            "completions/mean_length": f"{rng.gauss(310, 14):.4g}",
            "completions/clipped_ratio": f"{rng.uniform(0, 0.06):.4g}",
            "rewards/accuracy_reward/mean": f"{p.loss:.4g}",
            "rewards/accuracy_reward/std": "0" if flat else f"{rng.uniform(0.2, 0.4):.4g}",
            "reward": f"{p.loss:.4g}",
            "reward_std": "0" if flat else f"{rng.uniform(0.15, 0.3):.4g}",
            "frac_reward_zero_std": "1" if flat else f"{rng.uniform(0.1, 0.4):.4g}",
            "kl": f"{0.0004 * p.step**0.5:.4g}",
            "step_time": f"{rng.gauss(21, 1):.4g}",
        }

    body = []
    for p, row in zip(run.points, frames.hf_new(run, run.total, extra), strict=True):
        loss = "nan" if math.isnan(p.loss) else "0" if p.grad < 1e-6 else f"{rng.gauss(0.001, 0.02):.4g}"
        tail = row.split(", ", 1)[1]
        body.append(f"{{'loss': '{loss}', {tail}")
    if s.plan:
        body = list(frames.barred(iter(body), run))
    bye = [
        str(
            {
                "train_runtime": f"{run.last.seconds:.4g}",
                "train_samples_per_second": "2.6",
                "train_steps_per_second": "0.047",
                "train_loss": "0.0012",
                "epoch": f"{run.last.step / run.total:.4g}",
            }
        )
    ]
    return Part([], body, bye)


def llamafactory(s: Sight) -> Part:
    """LLaMA-Factory: its console, and trainer_log.jsonl."""
    run = s.run
    plain = hf_dict_lines(s)
    say = s.clock.say()
    head = [f"[INFO|{say}] llamafactory.data.loader:143 >> Loading dataset support_tickets...", *plain.head]
    if s.first:
        head.insert(
            1,
            f"[INFO|{say}] llamafactory.hparams.parser:143 >> Resuming training from saves/qwen/sft/checkpoint-{s.first}.",
        )
    rows = [json.dumps(row) for row in frames.llamafactory_jsonl(run, run.total / 3, 6120.4)]
    return Part(head, plain.body, plain.bye, {f"saves/sft{s.number or ''}/trainer_log.jsonl": rows})


def lightning_csv(s: Sight) -> Part:
    """Lightning's CSVLogger, hparams beside it."""
    run, evals = s.run, dict(s.run.evals)
    per_epoch = run.total // 10
    rows = ["epoch,lr-AdamW,step,train_loss,val_acc,val_loss"]
    for p in run.points:
        rows.append(f"{(p.step - 1) // per_epoch},{p.rate},{p.step - 1},{p.loss},,")
        if p.step in evals:
            value = evals[p.step]
            rows.append(f"{(p.step - 1) // per_epoch},,{p.step - 1},,{1 / (1 + value * 0.6):.6f},{value}")
    folder = f"lightning_logs/version_{s.number}"
    params = ["batch_size: 64", "lr: 0.0003", *([f"max_steps: {run.total}"] if s.plan else [])]
    return Part(files={f"{folder}/metrics.csv": rows, f"{folder}/hparams.yaml": params})


def keras_bars(s: Sight) -> Part:
    """Keras, verbose=2; a point is an epoch."""
    run, evals = s.run, dict(s.run.evals)
    body = []
    for p in run.points:
        val = f" - val_loss: {evals[p.step]:.4f}" if p.step in evals else ""
        total = f"/{run.total}"
        each = p.seconds / p.step
        body += [
            f"Epoch {p.step}{total}",
            f"412/412 - {round(each)}s - {round(each / 412 * 1000)}ms/step - loss: {p.loss:.4f}{val} - learning_rate: {p.rate:.4e}",
        ]
    return Part([], body, ["Saved model to weights/final.keras"])


def megatron(s: Sight) -> Part:
    """Megatron-LM."""
    run = s.run
    head = [
        f"[after dataloaders are built] datetime: {s.clock.say()} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {s.clock.say()} ",
    ]
    if s.first:
        head.insert(0, f"  successfully loaded checkpoint from /ckpt/gpt [ t 1/4, p 1/1 ] at iteration {s.first}")
    body = list(frames.megatron(run, s.clock, 512, 412_000.0))
    return Part(
        head,
        body,
        [
            f"[after training is done] datetime: {s.clock.say()} ",
            f"  successfully saved checkpoint from iteration {run.last.step:7} to /ckpt/gpt [ t 1/4, p 1/1 ]",
        ],
    )


def nemo(s: Sight) -> Part:
    """NeMo."""
    run = s.run
    head = [f"[NeMo I {s.clock.say()} nemo_logging:393] Experiments will be logged at /results/nemo/{s.number}"]
    if s.first:
        head.append(
            f"[NeMo I {s.clock.say()} nemo_logging:393] Resuming training from checkpoint: /results/nemo/step={s.first}"
        )
    body = list(frames.nemo(run, 256))
    for step, value in run.evals:
        at = next((k for k, line in enumerate(body) if f"iteration {step - 1}/" in line), None)
        if at is not None:
            body.insert(at + 1, f"Validation: iteration 20/20 | val_loss: {value:.4}")
    return Part(head, body, [f"`Trainer.fit` stopped: `max_steps={run.total}` reached."])


def torchtitan(s: Sight) -> Part:
    """Torchtitan."""
    run, clock = s.run, s.clock
    head = [
        f"[rank0]:[titan] {clock.milli()} - root - INFO - {'Starting job: pretrain' if s.number == 0 else 'Starting job: pretrain (restart)'}"
    ]
    if s.plan:
        head.append(
            f"[rank0]:[titan] {clock.milli()} - root - INFO - Trainer is initialized with local batch size 2, global batch size 64, gradient accumulation steps 1, sequence length 8192, total steps {run.total} (warmup 200)"
        )
    if s.first:
        head.append(
            f"[rank0]:[titan] {clock.milli()} - root - INFO - Loading the checkpoint from outputs/checkpoint/step-{s.first}."
        )
    head.append(f"[rank0]:[titan] {clock.milli()} - root - INFO - Training starts at step {s.first + 1}")
    body = list(frames.titan(run, clock))
    done = f"[rank0]:[titan] {clock.milli()} - root - INFO - "
    return Part(
        head, body, [f"{done}Saving the checkpoint.", f"{done}Training completed", f"{done}Process group destroyed"]
    )


def nanogpt(s: Sight) -> Part:
    """NanoGPT."""
    run = s.run
    head = [
        "tokens per iteration will be: 491,520",
        "Initializing a new model from scratch" if not s.first else "Resuming training from out",
    ]
    head += [f"Overriding: max_iters = {run.total}"] if s.plan else []
    head += ["number of parameters: 123.59M", "compiling the model... (takes a ~minute)"]
    return Part(head, list(frames.nanogpt(run)), ["saving checkpoint to out"])


def deepspeed(s: Sight) -> Part:
    """DeepSpeed."""
    run, clock = s.run, s.clock
    head = [f"[{clock.milli()}] [INFO] [config.py:1005:print]   train_batch_size ............. 128"]
    head += (
        [f"[{clock.milli()}] [INFO] [runner.py:610:main] cmd = train.py --deepspeed ds.json --max-steps {run.total}"]
        if s.plan
        else []
    )
    body = list(frames.deepspeed(run, clock, 128))
    bye = [
        f"training finished at step {run.last.step}",
        f"[{clock.milli()}] [INFO] [launch.py:351:main] Process 81231 exits successfully.",
    ]
    return Part(head, body, bye)


def fairseq(s: Sight) -> Part:
    """Fairseq."""
    run, clock = s.run, s.clock
    head = [f"{clock.say()} | INFO | fairseq_cli.train | task: TranslationTask"]
    if s.plan:
        head.append(f"{clock.say()} | INFO | fairseq_cli.train | max_update={run.total}")
    if s.first:
        head.append(
            f"{clock.say()} | INFO | fairseq.trainer | Loaded checkpoint checkpoints/checkpoint_last.pt (epoch 3 @ {s.first} updates)"
        )
    per_epoch = max(run.every, run.total // 8)
    body = []
    evals = dict(run.evals)
    for p, line in zip(run.points, frames.fairseq(run, clock, per_epoch), strict=True):
        body.append(line)
        if p.step in evals:
            value = evals[p.step]
            body.append(
                f"{clock.say()} | INFO | valid | epoch {(p.step - 1) // per_epoch + 1:03} | valid on 'valid' subset | loss {value:.3f} | nll_loss {value - 1.61:.3f} | ppl {2 ** (value - 1.61):.2f} | num_updates {p.step}"
            )
    return Part(
        head, body, [f"{clock.say()} | INFO | fairseq_cli.train | done training in {run.last.seconds:.1f} seconds"]
    )


def mmengine(s: Sight) -> Part:
    """MMEngine."""
    run, clock = s.run, s.clock
    epochs = 12
    per_epoch = run.total // epochs
    head = [f"{clock.say('%m/%d %H:%M:%S')} - mmengine - INFO - Checkpoints will be saved to /work_dirs/det."]
    if s.first:
        head.append(
            f"{clock.say('%m/%d %H:%M:%S')} - mmengine - INFO - resumed epoch: {s.first // per_epoch}, iter: {s.first}"
        )
    body = list(frames.mmengine(run, clock, per_epoch, epochs))
    return Part(
        head,
        body,
        [f"{clock.say('%m/%d %H:%M:%S')} - mmengine - INFO - Saving checkpoint at {run.last.step // per_epoch} epochs"],
    )


def ultralytics(s: Sight) -> Part:
    """Ultralytics; a point is an epoch."""
    run, evals = s.run, dict(s.run.evals)
    head = [
        "Ultralytics 8.3.40 🚀 Python-3.11.9 torch-2.5.1+cu124 CUDA:0 (NVIDIA L40S, 45589MiB)",
        "Image sizes 640 train, 640 val",
        "Using 8 dataloader workers",
        f"Starting training for {run.total} epochs...",
    ]
    if s.first:
        head.insert(
            2,
            f"Resuming training runs/detect/train/weights/last.pt from epoch {s.first + 1} to {run.total} total epochs",
        )
    body, rows = (
        [],
        [
            "epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,val/dfl_loss,lr/pg0"
        ],
    )
    for p in run.points:
        box, cls, dfl = p.loss, p.loss * 1.21, p.loss * 0.4 + 0.7
        value = evals.get(p.step, box * 1.08)
        m50 = 0.0 if math.isnan(box) else max(0.0, 0.78 - value * 0.22)
        body += [
            f"{'Epoch':>11}{'GPU_mem':>11}{'box_loss':>11}{'cls_loss':>11}{'dfl_loss':>11}{'Instances':>11}{'Size':>11}",
            f"{f'{p.step}/{run.total}':>11}{'11.4G':>11}{box:>11.4g}{cls:>11.4g}{dfl:>11.4g}{s.rng.randint(60, 240):>11}{640:>11}: 100%|██████████| 721/721 [01:12<00:00,  9.98it/s]",
            f"{'Class':>22}{'Images':>11}{'Instances':>11}{'Box(P':>11}{'R':>11}{'mAP50':>11}{'mAP50-95)':>11}: 100%|██████████| 79/79 [00:06<00:00, 11.3it/s]",
            f"{'all':>22}{2500:>11}{18231:>11}{m50 * 1.02:>11.3g}{m50 * 0.91:>11.3g}{m50:>11.3g}{m50 * 0.66:>11.3g}",
        ]
        rows.append(
            f"{p.step},{p.seconds:.1f},{box:.5f},{cls:.5f},{dfl:.5f},{m50:.5f},{m50 * 0.66:.5f},{value:.5f},{value * 1.2:.5f},{value * 0.4 + 0.7:.5f},{p.rate:.6g}"
        )
    bye = [
        f"{run.last.step} epochs completed in {run.last.seconds / 3600:.3f} hours.",
        "Optimizer stripped from runs/detect/train/weights/last.pt, 22.5MB",
    ]
    return Part(head, body, bye, {f"runs/detect/train{s.number or ''}/results.csv": rows})


def sb3(s: Sight) -> Part:
    """Stable-Baselines3: the points' loss is the reward of an episode."""
    run, rng, body = s.run, s.rng, []
    for k, p in enumerate(run.points, 1):
        loss = float("nan") if math.isnan(p.loss) else rng.gauss(0.012, 0.02)
        rows = [
            ("rollout/", ""),
            ("   ep_len_mean", f"{rng.gauss(420, 12):.0f}"),
            ("   ep_rew_mean", f"{p.loss:.3g}"),
            ("time/", ""),
            ("   fps", f"{rng.gauss(2110, 30):.0f}"),
            ("   iterations", str(k)),
            ("   time_elapsed", f"{p.seconds:.0f}"),
            ("   total_timesteps", str(p.step)),
            ("train/", ""),
            ("   entropy_loss", f"{-1.6 + 0.9 * k / len(run.points):.3g}"),
            ("   learning_rate", f"{p.rate:.3g}"),
            ("   loss", f"{loss:.3g}"),
            ("   value_loss", f"{abs(rng.gauss(0.4, 0.1)):.3g}"),
        ]
        body += ["-" * 42, *(f"| {a:<22} | {b:<13} |" for a, b in rows), "-" * 42]
    head = [
        "Using cuda device",
        f"learn(total_timesteps={run.total})" if s.plan else "Wrapping the env in a VecTransposeImage.",
    ]
    return Part(head, body, ["Saving to logs/ppo/final.zip"])


def rllib(s: Sight) -> Part:
    """RLlib's result.json lines: the points' loss is the reward of an episode."""
    run, rng, rows = s.run, s.rng, []
    for p in run.points:
        stats = {
            "total_loss": rng.gauss(0.3, 0.1),
            "policy_loss": rng.gauss(-0.01, 0.01),
            "vf_loss": rng.uniform(2, 4),
            "cur_lr": p.rate,
            "entropy": rng.uniform(0.8, 1.2),
        }
        rows.append(
            json.dumps(
                {
                    "episode_reward_mean": p.loss,
                    "episode_len_mean": rng.gauss(300, 9),
                    "info": {"learner": {"default_policy": {"learner_stats": stats}}},
                    "training_iteration": p.step,
                    "timesteps_total": p.step * 4000,
                    "time_total_s": p.seconds,
                    "done": s.finished and p is run.last,
                }
            )
        )
    head = [
        f"Trial PPO_env_{s.number} started with stop={{'training_iteration': {run.total}}}"
        if s.plan
        else f"Trial PPO_env_{s.number} started"
    ]
    body = [
        f"Trial PPO_env_{s.number} iter {p.step} reward {p.loss:.3f} total time {spell(p.seconds)}" for p in run.points
    ]
    bye = [
        f"Trial PPO_env_{s.number} completed after {run.last.step} iterations. Total running time: {spell(run.last.seconds)}"
    ]
    return Part(head, body, bye, {f"ray_results/PPO/trial_{s.number}/result.json": rows})


def xgboost(s: Sight) -> Part:
    """XGBoost's evaluation lines."""
    run, evals = s.run, dict(s.run.evals)
    body = [
        f"[{p.step - 1}]\ttrain-logloss:{p.loss:.5f}\tvalid-logloss:{evals.get(p.step, p.loss * 1.06):.5f}"
        for p in run.points
    ]
    return Part(
        [f"fitting num_boost_round={run.total} tree_method=hist device=cuda"] if s.plan else [],
        body,
        ["model saved to booster.ubj"],
    )


def lightgbm(s: Sight) -> Part:
    """LightGBM's evaluation lines."""
    run, evals = s.run, dict(s.run.evals)
    head = [
        "[LightGBM] [Info] Total Bins 28113",
        "[LightGBM] [Info] Number of data points in the train set: 4211008, number of used features: 212",
    ]
    head += [f"num_iterations={run.total} learning_rate=0.05"] if s.plan else []
    body = [
        f"[{p.step}]\ttraining's binary_logloss: {p.loss:.6g}\tvalid_1's binary_logloss: {evals.get(p.step, p.loss * 1.05):.6g}"
        for p in run.points
    ]
    return Part(head, body, ["Finished training, model written to lgb.txt"])


def catboost(s: Sight) -> Part:
    """CatBoost's table."""
    run, evals = s.run, dict(s.run.evals)
    body, best = [], (math.inf, 0)
    for p in run.points:
        left = p.seconds / p.step * (run.total - p.step)
        test = evals.get(p.step, p.loss * 1.05)
        best = min(best, (test, p.step - 1))
        body.append(
            f"{p.step - 1}:\tlearn: {p.loss:.7f}\ttest: {test:.7f}\tbest: {best[0]:.7f} ({best[1]})\t"
            f"total: {p.seconds:.3g}s\tremaining: {left:.3g}s"
        )
    return Part([], body, [f"bestTest = {best[0]:.9f}", f"bestIteration = {best[1]}"])


def tensorboard_csv(s: Sight) -> Part:
    """What TensorBoard's download button saves."""
    base = s.clock.now.timestamp()
    rows = ["Wall time,Step,Value", *(f"{base + p.seconds},{p.step},{p.loss}" for p in s.run.points)]
    files = {f"run{s.number}_train_loss.csv": rows}
    if s.run.evals:
        files[f"run{s.number}_val_loss.csv"] = [
            "Wall time,Step,Value",
            *(f"{base + k * s.run.last.seconds / s.run.last.step},{k},{v}" for k, v in s.run.evals),
        ]
    if s.plan:
        files[f"run{s.number}_config.yaml"] = ["optimizer: adamw", "lr: 0.0003", f"max_steps: {s.run.total}"]
    return Part(files=files)


def wandb_history(s: Sight) -> Part:
    """W&B's exported history and the run's config."""
    base, evals = s.clock.now.timestamp(), dict(s.run.evals)
    rows = [
        "_step,_runtime,_timestamp,train/loss,train/lr,train/grad_norm,val/loss",
        *(
            f"{p.step},{p.seconds:.3f},{base + p.seconds:.3f},{p.loss},{p.rate},{p.grad},{evals.get(p.step, '')}"
            for p in s.run.points
        ),
    ]
    files = {f"wandb_export_{s.number}.csv": rows}
    if s.plan:
        files[f"config_{s.number}.yaml"] = ["max_steps:", f"  value: {s.run.total}", "lr:", "  value: 0.0003"]
    return Part(files=files)


def mlflow(s: Sight) -> Part:
    """MLflow's folder."""
    base = int(s.clock.now.timestamp() * 1000)
    run = f"mlruns/4/{s.rng.getrandbits(128):032x}"
    files = {
        f"{run}/metrics/train_loss": [f"{base + round(p.seconds * 1000)} {p.loss} {p.step}" for p in s.run.points],
        f"{run}/meta.yaml": [
            f"end_time: {base + round(s.run.last.seconds * 1000) + 4000 if s.finished else 'null'}",
            "lifecycle_stage: active",
            f"run_id: {run[-32:]}",
            f"run_name: fit-{s.number}",
            f"start_time: {base}",
            f"status: {3 if s.finished else 1}",
        ],
        f"{run}/params/lr": ["0.0003"],
    }
    if s.run.evals:
        files[f"{run}/metrics/val_loss"] = [
            f"{base + round(k * s.run.last.seconds * 1000 / s.run.last.step)} {v} {k}" for k, v in s.run.evals
        ]
    if s.plan:
        files[f"{run}/params/max_steps"] = [str(s.run.total)]
    return Part(files=files)


def tqdm_loop(s: Sight) -> Part:
    """A loop beneath tqdm whose states took lines of their own."""
    run = s.run
    body = [
        f"{bar(p.step, run.total, p.seconds, f'{p.seconds / p.step:5.2f}s/it')[:-1]}, loss={p.loss:.3f}, lr={p.rate:.1e}]"
        for p in run.points
    ]
    head = [f"resuming from last.pt (step {s.first})"] if s.first else []
    return Part(head, body, ["done, weights in final.pt"])


def own_loop(s: Sight) -> Part:
    """A plain loop."""
    run, clock = s.run, s.clock
    goal = f"/{run.total}" if s.plan else ""
    head = [f"{clock.say()} start, model unet3d, device cuda"]
    if s.first:
        head.append(f"{clock.say()} resumed from ckpt_{s.first}.pt")
    body, evals, before = [], dict(run.evals), 0.0
    for p in run.points:
        clock.tick(p.seconds - before)
        before = p.seconds
        body.append(f"{clock.say()} step {p.step}{goal} loss {p.loss:.4f} lr {p.rate:.2e} gnorm {p.grad:.3f}")
        if p.step in evals:
            body.append(f"{clock.say()} validation at step {p.step}: loss {evals[p.step]:.4f}")
    return Part(head, body, [f"{clock.say()} finished training, saved final.pt"])


def gan_loop(s: Sight) -> Part:
    """A GAN: the points' loss is the FID."""
    run, rng = s.run, s.rng
    goal = f"/{run.total}" if s.plan else ""
    body = []
    for k, p in enumerate(run.points):
        bad = math.isnan(p.loss)
        d, g = (math.nan, math.nan) if bad else (rng.gauss(1.21, 0.12), rng.gauss(1.4, 0.25))
        body.append(
            f"[{p.step}{goal}] Loss_D: {d:.4f} Loss_G: {g:.4f} D(x): {rng.gauss(0.62, 0.05):.4f} D(G(z)): {rng.gauss(0.37, 0.05):.4f}"
        )
        if k % 5 == 4:
            body.append(f"[{p.step}{goal}] FID: {p.loss:.2f}")
    return Part(["generator 24.1M, discriminator 20.7M parameters"], body, ["finished, samples in samples/final.png"])


HOUSES: Final[dict[str, Callable[[Sight], Part]]] = {
    house.__name__: house
    for house in (
        *(
            hf_dict_lines,
            hf_trainer_state,
            trl_sft,
            trl_dpo,
            trl_grpo,
            llamafactory,
            lightning_csv,
            keras_bars,
            megatron,
            nemo,
        ),
        *(torchtitan, nanogpt, deepspeed, fairseq, mmengine, ultralytics, sb3, rllib, xgboost, lightgbm, catboost),
        *(tensorboard_csv, wandb_history, mlflow, tqdm_loop, own_loop, gan_loop),
    )
}

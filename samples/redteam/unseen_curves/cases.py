"""The first slice: curves and timers, each with its truth; a near-miss twin stands beside what it resembles."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .forms import Watch, csv_table, jsonl, megatron, mlflow, say, short, tensorboard, trainer_state
from .shapes import NAN, after, cosine, leaves, norms, power_law, spike

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Curve:
    """``right`` lists the right answers, the one meant first; ``status`` is told to the engine, or None."""

    right: str
    why: str
    write: Callable[[Path, random.Random], None]
    status: int | None


CASES: Final[dict[str, Curve]] = {}


def curve(
    name: str, right: str, why: str, status: int | None = 0
) -> Callable[[Callable[[Path, random.Random], None]], None]:
    """Register a curve."""

    def put(write: Callable[[Path, random.Random], None]) -> None:
        CASES[name] = Curve(right, why, write, status)

    return put


# ---- logs of frameworks


@curve("megatron-sound", "G1", "Megatron: a power law from 10.9 to 2.2, to its last iteration")
def _(folder: Path, rng: random.Random) -> None:
    n, watch = 300, Watch(rng, 41.0)
    lines = megatron(watch, n * 10, 10, power_law(rng, n, 10.9, 2.2), rates=cosine(n, 3e-4), norms=norms(rng, n))
    said = f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "
    say(folder, "slurm-88120.out", ["training ...", *lines, said])


@curve("megatron-skips-all", "E1", "Megatron in fp16: every iteration from 40 % on is skipped, the loss scale is at 1")
def _(folder: Path, rng: random.Random) -> None:
    n, watch = 240, Watch(rng, 30.0)
    losses = after(power_law(rng, n, 10.8, 3.1), 0.4, NAN)
    gradients = after(norms(rng, n), 0.4, NAN)
    begin = int(n * 0.4)
    scales = [65536.0 if i < begin else max(1.0, 65536.0 / 2 ** (5 * (i - begin))) for i in range(n)]
    lines = megatron(watch, n * 10, 10, losses, rates=cosine(n, 2e-4), norms=gradients, scales=scales)
    say(folder, "slurm-88121.out", [*lines, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "])


@curve(
    "megatron-late-plateau",
    "G1 -",
    "a segment of a long run at its end: 1.93 for 3000 iterations, rates decay, norms are usual",
)
def _(folder: Path, rng: random.Random) -> None:
    n, watch = 300, Watch(rng, 52.0)
    losses = [1.934 - 0.012 * i / n + rng.gauss(0, 0.011) for i in range(n)]
    total = 476_800
    lines = megatron(
        watch, total, 10, losses, rates=[3.1e-5 - 1e-6 * i / n for i in range(n)], norms=norms(rng, n, 0.11, 0.1)
    )
    begin = total - n * 10
    moved = [
        line.replace(f"iteration {(i + 1) * 10:8d}/", f"iteration {begin + (i + 1) * 10:8d}/")
        for i, line in enumerate(lines)
    ]
    loaded = f"  successfully loaded checkpoint from /lustre/ckpt/8b [ t 1/8, p 1/2 ] at iteration {begin}"
    say(
        folder,
        "slurm-91777.out",
        [loaded, *moved, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "],
    )


def _hf(rows: list[dict[str, float]], steps_an_epoch: int, new: bool) -> list[str]:
    lines = []
    for row in rows:
        told = {key: value for key, value in row.items() if key != "step"} | {"epoch": row["step"] / steps_an_epoch}
        if new:
            cells = ", ".join(f"'{key}': '{short(value)}'" for key, value in told.items())
        else:
            told["epoch"] = round(told["epoch"], 2)
            cells = ", ".join(f"'{key}': {value!r}" for key, value in told.items())
        lines.append("{" + cells + "}")
    return lines


@curve("hf5-sft-sound", "G1", "transformers 5: fine-tuning from 1.62 to 0.94 with evaluations that fall too")
def _(folder: Path, rng: random.Random) -> None:
    n = 180
    losses, rates, grads = power_law(rng, n, 1.62, 0.94, noise=0.02), cosine(n, 2e-5, 0.03, 0), norms(rng, n, 4, 0.9)
    lines = []
    for i in range(n):
        row = {"step": (i + 1) * 10, "loss": losses[i], "grad_norm": grads[i], "learning_rate": rates[i]}
        lines += _hf([row], 900, True)
        if i % 45 == 44:
            held = {
                "step": row["step"],
                "eval_loss": 1.0 + 0.3 / (1 + i / 20),
                "eval_runtime": 41.2,
                "eval_samples_per_second": 24.1,
            }
            lines += _hf([held], 900, True)
    last = {
        "train_runtime": 6811.0,
        "train_samples_per_second": 16.9,
        "train_steps_per_second": 0.264,
        "train_loss": 1.06,
    }
    say(folder, "train.log", [*lines, *_hf([{"step": 1800, **last}], 900, True)])


@curve("hf4-frozen", "E1", "transformers 4: gradients of 0 and a loss that never moves, as all parameters are frozen")
def _(folder: Path, rng: random.Random) -> None:
    n = 120
    rates = cosine(n, 1e-4, 0.03, 0)
    rows = [
        {
            "step": (i + 1) * 25,
            "loss": round(2.871 + rng.gauss(0, 0.012), 4),
            "grad_norm": 0.0,
            "learning_rate": rates[i],
        }
        for i in range(n)
    ]
    last = {
        "step": 3000,
        "train_runtime": 5120.4,
        "train_samples_per_second": 18.7,
        "train_steps_per_second": 0.585,
        "train_loss": 2.8712,
    }
    say(folder, "job.out", _hf([*rows, last], 1000, False))


@curve(
    "hf4-rate-zero",
    "E1",
    "the scheduler hands out a rate of 0 all along; gradients are as usual, the loss does not move",
)
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        {
            "step": (i + 1) * 10,
            "loss": round(3.412 + rng.gauss(0, 0.02), 4),
            "grad_norm": rng.uniform(1.1, 1.9),
            "learning_rate": 0.0,
        }
        for i in range(160)
    ]
    last = {
        "step": 1600,
        "train_runtime": 2411.4,
        "train_samples_per_second": 10.6,
        "train_steps_per_second": 0.66,
        "train_loss": 3.4119,
    }
    say(
        folder,
        "axolotl.log",
        [
            "[2026-05-02 11:20:31,114] [INFO] [axolotl.train.train:180] [PID:7714] Starting trainer...",
            *_hf([*rows, last], 800, False),
        ],
    )


@curve("trl-grpo", "G1", "GRPO: the loss is about 0 and means nothing, the reward rises from 0.2 to 0.8")
def _(folder: Path, rng: random.Random) -> None:
    rows = []
    for i in range(120):
        reward = 0.2 + 0.6 * (1 - math.exp(-i / 40)) + rng.gauss(0, 0.03)
        rows.append(
            {
                "step": (i + 1) * 5,
                "loss": abs(rng.gauss(0, 0.002)) + 0.0004 * i / 10,
                "grad_norm": rng.uniform(0.1, 0.4),
                "learning_rate": 1e-6 * (1 - i / 120),
                "num_tokens": 81000.0 * (i + 1),
                "completions/mean_length": 311 + i,
                "completions/clipped_ratio": 0.04,
                "rewards/accuracy_reward/mean": reward,
                "reward": reward,
                "reward_std": 0.31,
                "frac_reward_zero_std": 0.11,
                "kl": 0.0008 * i,
                "step_time": 12.2,
            }
        )
    last = {
        "step": 600,
        "train_runtime": 7402.0,
        "train_samples_per_second": 2.6,
        "train_steps_per_second": 0.081,
        "train_loss": 0.0031,
    }
    say(folder, "grpo.out", _hf([*rows, last], 1200, True))


@curve("trl-reward-model-chance", "E1", "a reward model at ln 2 and an accuracy of one half for all of 1500 steps")
def _(folder: Path, rng: random.Random) -> None:
    rates = cosine(150, 1e-5, 0.05, 0)
    rows = [
        {
            "step": (i + 1) * 10,
            "loss": round(0.6931 + rng.gauss(0, 0.0009), 4),
            "grad_norm": rng.uniform(0.7, 1.4),
            "learning_rate": rates[i],
            "accuracy": round(0.5 + rng.gauss(0, 0.02), 4),
            "margin": rng.gauss(0, 0.002),
        }
        for i in range(150)
    ]
    last = {
        "step": 1500,
        "train_runtime": 3911.0,
        "train_samples_per_second": 12.3,
        "train_steps_per_second": 0.384,
        "train_loss": 0.6932,
    }
    say(folder, "rm.log", _hf([*rows, last], 1500, False))


@curve("nanogpt-sound", "G1", "nanoGPT's lines from 10.9 to 3.1, exit status 0")
def _(folder: Path, rng: random.Random) -> None:
    n = 400
    losses = power_law(rng, n, 10.93, 3.1, noise=0.012)
    lines = [
        "tokens per iteration will be: 491,520",
        "number of parameters: 123.59M",
        "compiling the model... (takes a ~minute)",
    ]
    for i, loss in enumerate(losses):
        if i % 25 == 0:
            lines += [
                f"step {i * 10}: train loss {loss + 0.01:.4f}, val loss {loss + 0.03:.4f}",
                "saving checkpoint to out-owt",
            ]
        lines.append(
            f"iter {i * 10}: loss {loss:.4f}, time {rng.gauss(512, 6):.2f}ms, mfu {-100 if i == 0 else rng.gauss(38.1, 0.3):.2f}%"
        )
    say(folder, "out.txt", lines)


@curve(
    "nanogpt-anew-after-preemption",
    "E2",
    "requeued with init_from=scratch: iterations count from 0 and the loss from 10.9 again",
)
def _(folder: Path, rng: random.Random) -> None:
    def attempt(n: int, last: float) -> list[str]:
        return [
            f"iter {i * 10}: loss {loss:.4f}, time {rng.gauss(498, 6):.2f}ms, mfu {-100 if i == 0 else 39.2:.2f}%"
            for i, loss in enumerate(power_law(rng, n, 10.9, last))
        ]

    first = ["Initializing a new model from scratch", *attempt(260, 3.2)]
    cut = "slurmstepd: error: *** JOB 501932 ON gpu-b07 CANCELLED AT 2026-04-11T02:14:09 DUE TO PREEMPTION ***"
    say(
        folder,
        "slurm-501932.out",
        [
            *first,
            cut,
            "resume=auto: no checkpoint found in /scratch/gpt2/out, starting from scratch",
            "Initializing a new model from scratch",
            *attempt(210, 3.3),
        ],
    )


@curve("llmc-nan", "E1", "llm.c: the loss is nan from step 812 of 19560 on", None)
def _(folder: Path, rng: random.Random) -> None:
    n = 1400
    losses, rates, grads = (
        after(power_law(rng, n, 11.0, 3.9, noise=0.01), 0.58, NAN),
        cosine(n, 6e-4),
        norms(rng, n, 15, 0.6),
    )
    lines = ["allocating 474 MiB for AdamW optimizer state m", "val loss 11.009934"]
    for i in range(n):
        z = f"{rng.gauss(0, 1):+.2f}" if i > 128 and not math.isnan(losses[i]) else "+nan"
        norm = "nan" if math.isnan(losses[i]) else f"{grads[i]:.4f}"
        lines.append(
            f"step {i + 1:4d}/19560 | loss {losses[i]:.6f} ({z}z)| norm {norm} ({z}z)| lr {rates[i]:.2e} | {rng.gauss(2401, 4):.2f} ms | 42.1% bf16 MFU | 218311 tok/s"
        )
    say(folder, "log124M/stdout.log", lines)


@curve("llmc-main-log", "G1 -", "llm.c's main.log to its last step: s:N trl: and tel:")
def _(folder: Path, rng: random.Random) -> None:
    n = 780
    losses, rates, grads = power_law(rng, n, 11.0, 3.3, noise=0.01), cosine(n, 6e-4, least=0), norms(rng, n, 15, 0.5)
    lines = ["s:0 tel:11.0100"]
    for i in range(n):
        lines.append(f"s:{i * 25} trl:{losses[i]:.4f} lr:{rates[i]:.6f} norm:{grads[i]:.2f}")
        if i % 10 == 9:
            lines.append(f"s:{(i + 1) * 25} tel:{losses[i] + 0.02:.4f}")
        if i % 50 == 49:
            lines.append(f"s:{(i + 1) * 25} eval:{0.25 + 0.06 * i / n:.4f}")
    say(folder, "main.log", lines)


@curve("litgpt-diverges", "E1", "LitGPT: falls to 3.4, then climbs to 9.8 and stays there")
def _(folder: Path, rng: random.Random) -> None:
    n = 260
    losses = leaves(rng, power_law(rng, n, 10.9, 2.9), rng.uniform(0.5, 0.6), 9.8, 0.1)
    lines = [
        f"Epoch 1 | iter {(i + 1) * 64} step {(i + 1) * 8} | loss train: {loss:.3f}, val: n/a | iter time: {rng.gauss(391, 4):.2f} ms (step) remaining time: {(n - i) // 12}:{rng.randint(10, 59)}:07"
        for i, loss in enumerate(losses)
    ]
    say(
        folder,
        "pretrain.log",
        [
            "Seed set to 42",
            "Time to instantiate model: 0.12 seconds.",
            "Total parameters: 1,100,048,384",
            *lines,
            "Training time: 101233.17s",
        ],
    )


@curve("torchtune-sound", "G1", "torchtune's file of its DiskLogger")
def _(folder: Path, rng: random.Random) -> None:
    n = 600
    losses, rates = power_law(rng, n, 1.71, 0.88, noise=0.05), cosine(n, 2e-5, least=0)
    say(
        folder,
        "log_1779912311.txt",
        [
            f"Step {i + 1} | loss:{losses[i]} lr:{rates[i]} tokens_per_second_per_gpu:{rng.gauss(2310, 60)} grad_norm:{rng.uniform(0.5, 1.2)} "
            for i in range(n)
        ],
    )


@curve("torchtune-three-steps", "E3", "max_steps_per_epoch was left at 3: three steps are all of the run")
def _(folder: Path, rng: random.Random) -> None:
    lines = [
        "INFO:torchtune.utils._logging:Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "epochs: 1",
        "max_steps_per_epoch: 3",
        "",
    ]
    for i, loss in enumerate((1.9231, 1.8814, 1.9022)):
        lines.append(
            f"1|{i + 1}|Loss: {loss + rng.gauss(0, 0.01)}: 100%|██████████| {i + 1}/3 [00:0{i + 3}<00:00,  1.31s/it]"
        )
    say(
        folder,
        "finetune.out",
        [
            *lines,
            "INFO:torchtune.utils._logging:Saving final checkpoint.",
            "INFO:torchtune.utils._logging:Model checkpoint saved.",
        ],
    )


@curve("titan-nan-late", "E1", "torchtitan: nan for the last sixth, and it says Training completed")
def _(folder: Path, rng: random.Random) -> None:
    n, watch = 300, Watch(rng, 21.0)
    losses, grads = after(power_law(rng, n, 12.1, 3.0), 0.84, NAN), after(norms(rng, n), 0.84, NAN)
    lines = [f"[rank0]:[titan] {watch.now:%Y-%m-%d %H:%M:%S},001 - root - INFO - Training starts at step 1"]
    for i in range(n):
        at = watch.tick()
        lines.append(
            f"[rank0]:[titan] {at:%Y-%m-%d %H:%M:%S},{rng.randint(100, 999)} - root - INFO - step: {(i + 1) * 10:2d}  loss: {losses[i]:8.5f}  grad_norm: {grads[i]:7.4f}  memory: 61.12GiB(77.27%)  tps: {rng.randint(7011, 7100):,}  tflops: 401.22  mfu: 40.57%"
        )
    stamp = f"[rank0]:[titan] {watch.now:%Y-%m-%d %H:%M:%S},001 - root - INFO - "
    say(folder, "torchrun.log", [*lines, stamp + "Training completed", stamp + "Process group destroyed"])


@curve(
    "nemo-warmup-explodes",
    "E1",
    "NeMo: as the rate reaches 3e-3 after its warm-up the loss goes from 6.1 to 14 and stays",
)
def _(folder: Path, rng: random.Random) -> None:
    n = 220
    losses, rates = leaves(rng, power_law(rng, n, 11.2, 4.4), 0.17, 14.2, 0.06), cosine(n, 3e-3, 0.17)
    say(
        folder,
        "nemo.out",
        [
            f"Training epoch 0, iteration {(i + 1) * 10 - 1}/{n * 10 - 1} | lr: {rates[i]:.4g} | global_batch_size: 256 | global_step: {(i + 1) * 10 - 1} | reduced_train_loss: {losses[i]:.4g} | train_step_timing in s: {rng.gauss(4.2, 0.05):.4g} | consumed_samples: {(i + 1) * 2560}"
            for i in range(n)
        ]
        + ["`Trainer.fit` stopped: `max_steps=2200` reached."],
    )


@curve("fairseq-min-scale", "E1", "fairseq: overflows until the least loss scale, then FloatingPointError", 1)
def _(folder: Path, rng: random.Random) -> None:
    watch, lines, scale = Watch(rng, 34.0), [], 128.0
    for i, loss in enumerate(leaves(rng, power_law(rng, 90, 15.2, 8.8), 0.8, 14.9, 0.1)):
        lines.append(
            f"{watch.tick():%Y-%m-%d %H:%M:%S} | INFO | train_inner | epoch 001: {(i + 1) * 100:6d} / 45210 loss={loss:.3f}, ppl={2**loss:.2f}, wps=81233.1, ups=2.94, wpb=27611.2, bsz=912.3, num_updates={(i + 1) * 100}, lr={min(1, i / 40) * 5e-4:.6g}, gnorm={rng.uniform(1, 3):.3f}, loss_scale={scale:g}, train_wall=33, gb_free=11.2, wall={(i + 1) * 34}"
        )
        if i > 72:
            while scale > 1e-4 and rng.random() < 0.85:
                scale /= 2
                lines.append(
                    f"{watch.now:%Y-%m-%d %H:%M:%S} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {scale:g}"
                )
    lines += [
        "Traceback (most recent call last):",
        '  File "/opt/fairseq/fairseq/trainer.py", line 949, in train_step',
        "    grad_norm = self.clip_grad_norm(self.cfg.optimization.clip_norm)",
        '  File "/opt/fairseq/fairseq/optim/dynamic_loss_scaler.py", line 61, in check_overflow',
        "    raise FloatingPointError(",
        "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.",
    ]
    say(folder, "train.log", lines)


@curve(
    "deepspeed-scale-at-minimum",
    "E1",
    "DeepSpeed: overflow at each step until the scale is at its minimum; it ends itself",
    1,
)
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 9.0), []
    for i, loss in enumerate(power_law(rng, 70, 9.8, 5.0)):
        lines.append(
            f"[{watch.tick():%Y-%m-%d %H:%M:%S},{rng.randint(100, 999)}] [INFO] [logging.py:123:log_dist] [Rank 0] step={(i + 1) * 10}, skipped={0}, lr=[0.0003], mom=[(0.9, 0.95)]"
        )
        lines.append(f"step {(i + 1) * 10} loss {loss:.4f}")
    scale = 65536
    while scale > 1:
        scale //= 2
        lines.append(
            f"[{watch.tick(0.1):%Y-%m-%d %H:%M:%S},{rng.randint(100, 999)}] [INFO] [loss_scaler.py:189:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale * 2}, reducing to {scale}"
        )
    lines += [
        "[rank0]: Traceback (most recent call last):",
        '[rank0]:   File "/work/pretrain.py", line 214, in main',
        "[rank0]:     engine.step()",
        '[rank0]:   File "/opt/conda/lib/python3.11/site-packages/deepspeed/runtime/fp16/loss_scaler.py", line 176, in update_scale',
        '[rank0]:     raise Exception("Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.")',
        "[rank0]: Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
    ]
    say(folder, "ds.log", lines)


@curve(
    "keras-overfits",
    "G1",
    "Keras: training falls to 0.05, validation turns after a third; that is overfitting, not a failure to learn",
)
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i in range(40):
        lines += [
            f"Epoch {i + 1}/40",
            f"391/391 - {rng.randint(18, 20)}s - 48ms/step - accuracy: {1 - 0.55 * math.exp(-i / 9):.4f} - loss: {1.6 * math.exp(-i / 10) + 0.03:.4f} - val_accuracy: {0.72 - 0.3 * math.exp(-i / 4):.4f} - val_loss: {1.0 + 0.6 * math.exp(-i / 4) + 0.02 * max(0, i - 12):.4f}",
        ]
    say(folder, "fit.log", lines)


@curve(
    "keras-chance",
    "E1 -",
    "Keras' CSVLogger: binary cross entropy at 0.6931 and an accuracy of one half in all of 60 epochs",
)
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "training.csv",
        [
            {
                "epoch": i,
                "accuracy": 0.5 + rng.gauss(0, 0.004),
                "loss": 0.6932 + abs(rng.gauss(0, 0.0001)),
                "val_accuracy": 0.5,
                "val_loss": 0.69315 + rng.gauss(0, 0.0001),
            }
            for i in range(60)
        ],
    )


# ---- tables and trackers


@curve("lightning-sound", "G1", "Lightning's CSVLogger with losses by step and by epoch and a validation")
def _(folder: Path, rng: random.Random) -> None:
    rows: list[dict[str, float]] = []
    losses = power_law(rng, 200, 2.3, 0.31, noise=0.05)
    for i, loss in enumerate(losses):
        step = (i + 1) * 50 - 1
        rows.append({"epoch": i // 20, "step": step, "train_loss_step": loss})
        if i % 20 == 19:
            rows.append({"epoch": i // 20, "step": step, "val_loss": loss * 1.1, "val_acc": 1 - loss / 3})
            rows.append({"epoch": i // 20, "step": step, "train_loss_epoch": sum(losses[i - 19 : i + 1]) / 20})
    csv_table(
        folder,
        "lightning_logs/version_0/metrics.csv",
        rows,
        ("epoch", "step", "train_loss_epoch", "train_loss_step", "val_acc", "val_loss"),
        "\r\n",
    )


@curve("lightning-nan-val-fine-before", "E1", "Lightning: the loss by step is nan from epoch 7 of 10 on", None)
def _(folder: Path, rng: random.Random) -> None:
    losses = after(power_law(rng, 200, 4.1, 1.2, noise=0.03), 0.67, NAN)
    rows: list[dict[str, float]] = []
    for i, loss in enumerate(losses):
        rows.append({"epoch": i // 20, "lr-AdamW": 3e-4, "step": (i + 1) * 50 - 1, "train/loss": loss})
        if i % 20 == 19:
            rows.append({"epoch": i // 20, "step": (i + 1) * 50 - 1, "val/loss": loss * 1.05})
    csv_table(folder, "logs/version_3/metrics.csv", rows, (), "\r\n")


@curve("mlflow-finished", "G1", "MLflow: the loss falls, the run is FINISHED by its own word", None)
def _(folder: Path, rng: random.Random) -> None:
    begun, losses = 1_771_200_000_000, power_law(rng, 150, 0.94, 0.21, noise=0.03)
    rows = [{"ms": begun + i * 60_000, "value": loss, "step": i * 20} for i, loss in enumerate(losses)]
    held = [{"ms": begun + i * 60_000, "value": losses[i] * 1.08, "step": i * 20} for i in range(0, 150, 15)]
    mlflow(folder, {"train_loss": rows, "val_loss": held}, 3, begun, begun + 150 * 60_000)


@curve("mlflow-left-running", "-", "MLflow: sound so far, the status is still RUNNING and no end is told", None)
def _(folder: Path, rng: random.Random) -> None:
    begun, losses = 1_771_200_000_000, power_law(rng, 61, 2.2, 1.1, noise=0.03)
    mlflow(
        folder,
        {"loss": [{"ms": begun + i * 30_000, "value": loss, "step": i * 10} for i, loss in enumerate(losses)]},
        1,
        begun,
        None,
    )


@curve("tb-megatron-sound", "G1", "TensorBoard of Megatron: lm loss from 10.7 to 2.4 beside rate and norm")
def _(folder: Path, rng: random.Random) -> None:
    n = 400
    series = {
        "lm-loss-training/lm loss": power_law(rng, n, 10.7, 2.4),
        "learning-rate/learning-rate": cosine(n, 1.6e-4),
        "grad-norm/grad-norm": norms(rng, n),
    }
    tensorboard(
        folder,
        {tag: [((i + 1) * 10, value) for i, value in enumerate(values)] for tag, values in series.items()},
        1.7712e9,
        2.6,
    )


@curve(
    "tb-early-divergence",
    "E1",
    "TensorBoard: falls to 6.9 in the first tenth, then rises to 10.6 and stays to the end",
    None,
)
def _(folder: Path, rng: random.Random) -> None:
    n = 300
    series = {
        "train/loss": leaves(rng, power_law(rng, n, 10.8, 4.2), 0.07, 10.6, 0.03),
        "train/lr": cosine(n, 1e-2, 0.08),
    }
    tensorboard(
        folder,
        {tag: [((i + 1) * 20, value) for i, value in enumerate(values)] for tag, values in series.items()},
        1.7709e9,
        0.4,
    )


@curve("tb-ppo-returns", "G1", "CleanRL's PPO: the return rises from 21 to 488, losses of policy and value wander")
def _(folder: Path, rng: random.Random) -> None:
    n = 240
    series = {
        "charts/episodic_return": [21 + 470 * (1 - math.exp(-i / 60)) + rng.gauss(0, 18) for i in range(n)],
        "losses/policy_loss": [rng.gauss(-0.004, 0.006) for _ in range(n)],
        "losses/value_loss": [12 + 40 * math.sin(i / 40) ** 2 + abs(rng.gauss(0, 6)) for i in range(n)],
        "losses/entropy": [0.69 - 0.3 * i / n for i in range(n)],
        "charts/learning_rate": [2.5e-4 * (1 - i / n) for i in range(n)],
        "charts/SPS": [rng.gauss(2100, 40) for _ in range(n)],
    }
    tensorboard(
        folder,
        {tag: [((i + 1) * 2048, value) for i, value in enumerate(values)] for tag, values in series.items()},
        1.7705e9,
        0.0005,
    )


@curve(
    "wandb-panel-spike",
    "G1 -",
    "a panel's CSV: a spike from 2.6 to 7 at two fifths that came back within a hundredth of the run",
)
def _(folder: Path, rng: random.Random) -> None:
    losses = spike(power_law(rng, 500, 11.0, 2.3), 0.41, 4.4, 0.006)
    csv_table(
        folder,
        "wandb_export_2026-03-02T10_11_12.918+01_00.csv",
        [
            {
                "Step": i * 20,
                "prime-wave-71 - train/loss": loss,
                "prime-wave-71 - train/loss__MIN": loss,
                "prime-wave-71 - train/loss__MAX": loss,
            }
            for i, loss in enumerate(losses)
        ],
    )


@curve(
    "wandb-history-late",
    "E1",
    "wandb's history by its API: at nine tenths the loss leaves for six times its lowest",
    None,
)
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 320, 8.2, 1.7), 0.88, 11.4, 0.05)
    rows = [
        {
            "_step": i * 25,
            "_runtime": i * 61.2,
            "_timestamp": 1.7713e9 + i * 61.2,
            "train/loss": loss,
            "train/global_step": i * 25,
            "train/grad_norm": rng.uniform(0.3, 0.6) * (40 if i > 280 else 1),
        }
        for i, loss in enumerate(losses)
    ]
    folder.joinpath("history.json").write_text(json.dumps(rows))


@curve(
    "state-explodes-then-flat",
    "E1",
    "trainer_state.json: from step 600 on the loss stands at 7.4 beside norms near 0, after 1.9",
    0,
)
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 200, 3.2, 1.8, noise=0.02), 0.3, 7.42, 0.015)
    rates = cosine(200, 5e-4, 0.03, 0)
    rows = [
        {
            "epoch": (i + 1) / 100,
            "grad_norm": (rng.uniform(0.4, 0.9) if i < 60 else rng.uniform(0.01, 0.03)),
            "learning_rate": rates[i],
            "loss": round(losses[i], 4),
            "step": (i + 1) * 10,
        }
        for i in range(200)
    ]
    trainer_state(folder, rows, 2000, "outputs/checkpoint-2000", 2)


@curve(
    "state-overfit-eval-rises",
    "G1",
    "trainer_state.json, done: three epochs, training falls in stairs, evaluation rises a little in the third",
)
def _(folder: Path, rng: random.Random) -> None:
    rows: list[dict[str, float]] = []
    rates = cosine(150, 2e-5, 0.03, 0)
    for i in range(150):
        level = (1.31, 0.92, 0.55)[i // 50] - 0.0012 * (i % 50)
        rows.append(
            {
                "epoch": (i + 1) / 50,
                "grad_norm": rng.uniform(0.8, 2.4),
                "learning_rate": rates[i],
                "loss": round(level + rng.gauss(0, 0.02), 4),
                "step": (i + 1) * 10,
            }
        )
        if i % 50 == 49:
            rows.append(
                {
                    "epoch": float((i + 1) // 50),
                    "eval_loss": (1.19, 1.16, 1.27)[i // 50],
                    "eval_runtime": 22.1,
                    "eval_samples_per_second": 44.8,
                    "eval_steps_per_second": 5.6,
                    "step": (i + 1) * 10,
                }
            )
    trainer_state(folder, rows, 1500, "out/checkpoint-1500", 3)


@curve("jsonl-higher-level", "E1", "a custom loop: at 55 % the loss jumps from 2.5 to 7.6 and never comes back", None)
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 500, 10.4, 2.2), 0.55, 7.6, 0.01)
    jsonl(
        folder,
        "metrics.jsonl",
        [
            {
                "step": i * 20,
                "tokens": i * 20 * 524288,
                "loss": round(loss, 5),
                "lr": 0.0003,
                "gnorm": round(rng.uniform(0.2, 0.5), 4),
            }
            for i, loss in enumerate(losses)
        ],
    )


@curve("jsonl-norms-explode", "G1", "norms of 1e4 for a fiftieth of the run are clipped; the loss goes on falling")
def _(folder: Path, rng: random.Random) -> None:
    losses, grads = power_law(rng, 500, 10.4, 2.4), norms(rng, 500)
    for i in range(300, 310):
        grads[i] = 10 ** rng.uniform(3, 4.6)
    jsonl(
        folder,
        "train_metrics.jsonl",
        [
            {"iter": i * 10, "train_loss": loss, "grad_norm": grad, "lr": 2e-4}
            for i, (loss, grad) in enumerate(zip(losses, grads, strict=True))
        ],
    )


@curve("csv-many-spikes", "G1 -", "nine spikes that all came back: a big model's usual curve")
def _(folder: Path, rng: random.Random) -> None:
    losses = power_law(rng, 900, 11.1, 2.0)
    for _ in range(9):
        losses = spike(losses, rng.uniform(0.1, 0.9), rng.uniform(0.8, 4), 0.004)
    csv_table(folder, "loss.csv", [{"step": i * 100, "loss": f"{loss:.5f}"} for i, loss in enumerate(losses)])


@curve(
    "csv-unigram-plateau",
    "E1 -",
    "from 10.8 to 7.5 in the first fortieth, then 7.5 to the end: the model knows frequencies only",
)
def _(folder: Path, rng: random.Random) -> None:
    losses = [7.52 + 3.3 * math.exp(-i / 4) + rng.gauss(0, 0.025) for i in range(400)]
    rates = cosine(400, 6e-4)
    csv_table(
        folder,
        "train.csv",
        [
            {
                "step": i * 50,
                "train_loss": f"{losses[i]:.4f}",
                "lr": f"{rates[i]:.3e}",
                "grad_norm": f"{rng.uniform(0.02, 0.09):.4f}",
            }
            for i in range(400)
        ],
    )


# ---- timers


def _timm(folder: Path, rng: random.Random, step_s: float, data_s: float) -> None:
    lines, watch = [], Watch(rng, step_s * 50)
    for epoch in range(3):
        for i in range(0, 1251, 50):
            loss = 6.9 - 1.1 * epoch - 0.9 * i / 1251 + rng.gauss(0, 0.05)
            took, data = step_s * rng.uniform(0.95, 1.05), data_s * rng.uniform(0.95, 1.03)
            lines.append(
                f"{watch.tick():%m/%d/%Y %I:%M:%S %p} Train: {epoch} [{i:>4d}/1251 ({100 * i / 1250:>3.0f}%)]  Loss: {loss:#.3g} ({loss + 0.1:#.3g})  Time: {took:.3f}s, {1024 / took:>7.2f}/s  ({step_s:.3f}s, {1024 / step_s:>7.2f}/s)  LR: 1.000e-03  Data: {data:.3f} ({data_s:.3f})"
            )
        lines.append(
            f"Test: [  48/48]  Time: 0.412 (0.520)  Loss:   {6.1 - epoch:.4f} ({6.0 - epoch:.4f})  Acc@1: {8.0 + 14 * epoch:.4f}"
        )
    say(folder, "train.log", [*lines, "*** Best metric: 37.114 (epoch 2)"])


@curve("timm-data-bound", "D1", "timm: 4.6 s of each step of 4.9 s are Data")
def _(folder: Path, rng: random.Random) -> None:
    _timm(folder, rng, 4.9, 4.6)


@curve("timm-data-fine", "G1", "the same lines, 11 ms of 420 are Data")
def _(folder: Path, rng: random.Random) -> None:
    _timm(folder, rng, 0.42, 0.011)


@curve("titan-data-loading", "D1", "torchtitan's TensorBoard: data_loading takes 91 % of 11 s end to end, at all steps")
def _(folder: Path, rng: random.Random) -> None:
    n = 200
    data = [rng.gauss(10.1, 0.4) for _ in range(n)]
    series = {
        "loss_metrics/global_avg_loss": power_law(rng, n, 12.0, 4.0),
        "time_metrics/end_to_end(s)": [value + rng.gauss(0.98, 0.02) for value in data],
        "time_metrics/data_loading(s)": data,
        "time_metrics/data_loading(%)": [100 * value / (value + 0.98) for value in data],
        "throughput(tps)": [rng.gauss(640, 10) for _ in range(n)],
        "mfu(%)": [rng.gauss(3.6, 0.05) for _ in range(n)],
    }
    tensorboard(
        folder,
        {tag: [(i + 1, value) for i, value in enumerate(values)] for tag, values in series.items()},
        1.7716e9,
        11.1,
    )


@curve("log-saves-each-step", "D2", "a save of 40 s after each step of 6 s, said so by the loop, all along")
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 1.0), []
    for i, loss in enumerate(power_law(rng, 90, 9.0, 4.4)):
        step_s, save_s = rng.gauss(6.1, 0.1), rng.gauss(40.4, 1.2)
        lines.append(
            f"{watch.tick(step_s):%Y-%m-%d %H:%M:%S} INFO trainer: step {i + 1}/90 loss={loss:.4f} step_time={step_s:.2f}s"
        )
        lines.append(
            f"{watch.tick(save_s):%Y-%m-%d %H:%M:%S} INFO checkpoint: saved step {i + 1} to /lustre/exp/ckpt/step_{i + 1} in {save_s:.1f}s"
        )
    say(folder, "job.log", [*lines, f"{watch.now:%Y-%m-%d %H:%M:%S} INFO trainer: finished 90 steps"])


def _ranks(folder: Path, rng: random.Random, slow: int | None) -> None:
    for rank in range(8):
        rows = []
        for i in range(120):
            compute = rng.gauss(1.94 if rank == slow else 0.63, 0.02)
            total = rng.gauss(2.05 if slow is not None else 0.76, 0.01)
            rows.append(
                {
                    "rank": rank,
                    "step": i + 1,
                    "loss": 3.1 + 5 / (1 + i / 9),
                    "compute_time_s": round(compute, 4),
                    "comm_wait_s": round(max(0.02, total - compute), 4),
                    "data_time_s": 0.01,
                    "step_time_s": round(total, 4),
                }
            )
        jsonl(folder, f"timings/rank_{rank}.jsonl", rows)


@curve(
    "ranks-one-computes-longer",
    "D3",
    "rank 3 computes 1.94 s of each step, its peers 0.63 s and wait 1.4 s, by a file of timers a rank",
)
def _(folder: Path, rng: random.Random) -> None:
    _ranks(folder, rng, 3)


@curve("ranks-alike", "G1", "the same files, all ranks alike")
def _(folder: Path, rng: random.Random) -> None:
    _ranks(folder, rng, None)

"""Round A of the curves: sixteen runs as someone would hand them over."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .shapes import clock, cosine, falling, flat, json_lines, lines, table, trainer_state

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01(out: Path, rng: Random) -> None:
    """SFT of a 7B model: gradients explode at a third of the run, the loss goes up and stays there."""
    history: list[dict[str, Any]] = []
    for i, loss in enumerate(falling(rng, 126, 1.94, 0.98, noise=0.05)):
        step, norm = 10 * (i + 1), 0.8 * rng.lognormvariate(0, 0.2)
        if i >= 43:
            loss, norm = min(1.1 * 1.9 ** (i - 42), 9.4 * rng.lognormvariate(0, 0.05)), rng.uniform(60, 900)
        history.append(
            {
                "epoch": round(step / 420, 4),
                "grad_norm": norm,
                "learning_rate": cosine(step, 1260, 2e-4, 38),
                "loss": round(loss, 4),
                "step": step,
            }
        )
    trainer_state(out / "qwen-sft/checkpoint-1260/trainer_state.json", history, 1260, 3, 10)


def c02(out: Path, rng: Random) -> None:
    """Keras on ten classes: at chance for thirty epochs."""
    level = math.log(10)
    rows = [
        (
            epoch,
            rng.gauss(0.1, 0.002),
            level + abs(rng.gauss(0, 0.0008)),
            0.1,
            level + abs(rng.gauss(0, 0.0005)),
        )
        for epoch in range(30)
    ]
    table(out / "training_log.csv", ("epoch", "accuracy", "loss", "val_accuracy", "val_loss"), rows)


def c03(out: Path, rng: Random) -> None:
    """Megatron in fp16: the loss scale falls to its floor and every iteration is skipped from then on."""
    text, scale, now = [], 131072.0, 1782110000.0
    for i, loss in enumerate(falling(rng, 190, 10.9, 3.1)):
        step, skipped = 100 * (i + 1), rng.choice((0, 0, 0, 1))
        if i >= 140:
            skipped, scale = min(100, 9 * (i - 139)), max(1.0, scale / 4)
        now += 100 * 2.31 + rng.random()
        shown = f"lm loss: {loss * (1 + max(0, i - 138) / 6):.6E} | " if skipped < 100 else ""
        norm = f"grad norm: {rng.uniform(0.4, 0.9):.3f} | " if skipped < 100 else ""
        text.append(
            f" [{clock(now)}] iteration {step:8d}/  250000 | consumed samples: {step * 1024:12d} | elapsed time per "
            f"iteration (ms): {rng.gauss(2310, 15):.1f} | learning rate: {cosine(step, 250000, 1.5e-4, 2000):.6E} | "
            f"global batch size:  1024 | {shown}loss scale: {scale:.1f} | {norm}number of skipped iterations: "
            f"{skipped:3d} | number of nan iterations:   0 |"
        )
    lines(out / "gpt-13b-fp16.log", text)


def c04(out: Path, rng: Random) -> None:
    """A WSD schedule, warm-up to decay, that came to its planned end."""
    rows: list[dict[str, Any]] = []
    for i, nll in enumerate(falling(rng, 400, 10.4, 2.95, half=0.03, noise=0.008)):
        it = 50 * (i + 1)
        decay = max(0.0, (it - 16000) / 4000)
        rate = 6e-4 * min(1.0, it / 500) * (1 - 0.98 * decay)
        rows.append(
            {"it": it, "of": 20000, "nll": round(nll - 0.22 * decay**0.5, 4), "lr": rate, "tok_s": 412_000 + it % 977}
        )
        if it % 2000 == 0:
            rows.append({"it": it, "heldout_nll": round(nll - 0.22 * decay**0.5 + 0.04, 4)})
    rows.append({"it": 20000, "event": "finished", "weights": "out/final.safetensors"})
    json_lines(out / "metrics.jsonl", rows)


def c05(out: Path, rng: Random) -> None:
    """A loop that looks for its own checkpoint finds none the second time and begins again, into the same log."""
    text, now = [], 1781000000.0

    def attempt(steps: int, found: str) -> None:
        nonlocal now
        text.append(f"{clock(now)} | world=32 params=1.27B | auto-resume: scanning /scratch/proj7/lm1b/ckpt ({found})")
        for i, loss in enumerate(falling(rng, 1500, 11.02, 2.4, half=0.02, noise=0.012)[: steps // 50]):
            now += 50 * 0.84
            rate = cosine(i * 50, 75000, 3e-4, 1000)
            text.append(f"{clock(now)} | step {i * 50:>6} / 75000 | loss {loss:7.4f} | lr {rate:.2e} | 1.25M tok/s")
            if i and i % 100 == 0:
                text.append(f"{clock(now)} | wrote /scratch/proj7/lm1b/ckpt/step_{i * 50:06d}")
        now += 5400

    attempt(41350, "0 candidates")
    attempt(12800, "0 candidates")
    lines(out / "lm1b.log", text)


def c06(out: Path, rng: Random) -> None:
    """Lightning: the second version goes on at the step where the first ended, with the loss of a new model."""
    first, second = falling(rng, 360, 7.1, 1.3, noise=0.03), falling(rng, 140, 7.1, 1.3, half=0.3, noise=0.03)
    for version, base, losses in ((0, 0, first), (1, 18000, second)):
        place = out / f"lightning_logs/version_{version}"
        rows = [(f"{(base + 50 * i) // 3000}", f"{loss:.6f}", base + 50 * i + 49) for i, loss in enumerate(losses)]
        table(place / "metrics.csv", ("epoch", "train_loss", "step"), rows)
        resumed = "lightning_logs/version_0/checkpoints/epoch=5-step=18000.ckpt" if version else "null"
        lines(place / "hparams.yaml", ("arch: conformer-m", "lr: 0.0005", f"ckpt_path: {resumed}"))


def c07(out: Path, rng: Random) -> None:
    """Detection in the way of MMEngine: NaN in the third epoch, and on to the twelfth."""
    text, now = [], 1780500000.0
    losses = falling(rng, 12 * 73, 2.6, 0.7, noise=0.06)
    for epoch in range(12):
        for k in range(73):
            now += 50 * 0.39
            total = losses[epoch * 73 + k]
            if epoch > 2 or (epoch == 2 and k > 30):
                total = math.nan
            parts = [total * share for share in (0.05, 0.04, 0.5, 0.41)]
            stamp = f"{clock(now, '%m/%d %H:%M:%S')} - mmengine - INFO -"
            text.append(
                f"{stamp} Epoch(train) [{epoch + 1:>2}][{50 * (k + 1):>4}/3665]  lr: 2.0000e-02  "
                f"eta: {11 - epoch}:{59 - k % 60:02d}:07  time: {rng.gauss(0.39, 0.01):.4f}  "
                f"data_time: {rng.uniform(0.005, 0.02):.4f}  memory: 9811  loss: {total:.4f}  "
                f"loss_rpn_cls: {parts[0]:.4f}  loss_rpn_bbox: {parts[1]:.4f}  loss_cls: {parts[2]:.4f}  loss_bbox: "
                f"{parts[3]:.4f}"
            )
        text.append(f"{stamp} Saving checkpoint at {epoch + 1} epochs")
    lines(out / "faster-rcnn_r50/20260604_091532/20260604_091532.log", text)


def c08(out: Path, rng: Random) -> None:
    """PPO whose return rises to the end: its losses are noise about nothing, as they are."""
    head = [
        *("time/iterations", "time/total_timesteps", "time/fps", "rollout/ep_rew_mean", "rollout/ep_len_mean"),
        *("train/policy_gradient_loss", "train/value_loss", "train/entropy_loss", "train/approx_kl", "train/loss"),
    ]
    rows = []
    for i in range(1, 245):
        reward = -1150 + 1020 * (1 - math.exp(-i / 60)) + rng.gauss(0, 22)
        value = 900 * math.exp(-i / 70) + rng.lognormvariate(3, 0.4)
        gradient, kl = rng.gauss(-0.006, 0.004), rng.lognormvariate(-5, 0.3)
        rows.append(
            (i, 8192 * i, 5120 + i % 37, reward, 200, gradient, value, -1.42 - i / 200, kl, value / 2 + gradient)
        )
    table(out / "ppo_pendulum/progress.csv", head, rows)
    lines(
        out / "ppo_pendulum/stdout.txt",
        ("Using cuda device", "total_timesteps reached: 1998848", "saved ppo_pendulum/final_model.zip"),
    )


def c09(out: Path, rng: Random) -> None:
    """A fine-tune of 52,000 examples that was told to stop after twenty steps, and did."""
    text = [
        "***** Running training *****",
        "  Num examples = 52,002",
        "  Num Epochs = 1",
        "  Instantaneous batch size per device = 4",
        "  Total train batch size (w. parallel, distributed & accumulation) = 32",
        "  Gradient Accumulation steps = 1",
        "  Total optimization steps = 20",
        "  Number of trainable parameters = 6,738,415,616",
    ]
    for i, loss in enumerate(falling(rng, 20, 1.61, 1.35, half=0.8, noise=0.06)):
        norm, rate = rng.uniform(4, 11), 2e-7 * (i + 1)
        text.append(f"{{'loss': {loss:.4f}, 'grad_norm': {norm:.6f}, 'learning_rate': {rate:.3g}, 'epoch': 0.01}}")
    text.append(
        "{'train_runtime': 71.4, 'train_samples_per_second': 8.96, 'train_steps_per_second': 0.28, "
        "'train_loss': 1.48, 'epoch': 0.01}"
    )
    lines(
        out / "slurm-772190.out",
        [*text, "", "Training completed. Do not forget to share your model on huggingface.co/models =)"],
    )


def c10(out: Path, rng: Random) -> None:
    """The rate was nought from the first step to the last."""
    rows = [
        (25 * i, f"{loss:.5f}", "0.0", f"{rng.gauss(3.1, 0.1):.4f}")
        for i, loss in enumerate(flat(rng, 300, 4.187, 0.012))
    ]
    table(out / "bert-small/train_metrics.csv", ("step", "train/loss", "train/lr", "train/grad_norm"), rows)


def c11(out: Path, rng: Random) -> None:
    """A diffusion model's loss falls for a third of the run and climbs, slowly, for the rest."""
    rows = []
    for i, loss in enumerate(falling(rng, 500, 0.98, 0.05, half=0.02, noise=0.05)):
        climb = max(0.0, (i - 170) / 330)
        rows.append(
            {
                "iteration": 200 * i,
                "mse_eps": round(loss + 0.62 * climb**1.3, 5),
                "ema_decay": 0.9999,
                "imgs_per_sec": 1893,
            }
        )
    json_lines(out / "ldm_faces/log.jsonl", rows)


def c12(out: Path, rng: Random) -> None:
    """Four seeds of one experiment: the third is NaN from a fifth of the way on."""
    for seed in range(4):
        losses = falling(rng, 240, 3.9, 0.42, noise=0.03)
        rows = [
            (epoch, *(("nan", "0.0714") if seed == 2 and epoch > 47 else (f"{loss:.4f}", f"{1 - loss / 4.2:.4f}")))
            for epoch, loss in enumerate(losses)
        ]
        table(out / f"runs/vit_s16_seed{seed}/log.csv", ("epoch", "train_loss", "val_top1"), rows)


def c13(out: Path, rng: Random) -> None:
    """The first six hundredths of a run that was well as far as the file goes; it stops within a line."""
    text, now = ["building model ... 354.9M parameters", "dataset: 9,035,582,489 tokens in 91 shards"], 1781900000.0
    for i, loss in enumerate(falling(rng, 3125, 10.9, 2.7, half=0.02, noise=0.01)[:196]):
        now += 9.7
        norm = rng.uniform(0.3, 1.2)
        text.append(f"[{clock(now, '%H:%M:%S')}] it {i * 16:6d}/50000  ce={loss:.4f}  gnorm={norm:.2f}  606 ms/it")
    (out / "stdout.log").write_text("\n".join(text)[:-21])


def c14(out: Path, rng: Random) -> None:
    """MLflow: a regression that begins to swing at two fifths of the run, ever wider."""
    place = out / "mlruns/314159265358979323/4be0c2f1a7e94d0b8f54c6a1d2e3f405"
    now = 1779300000000
    losses = falling(rng, 600, 1.3, 0.11, noise=0.03)
    for i in range(240, 600):
        losses[i] *= 1 + (math.sin(i / 3.0) + 1) * 0.1 * math.exp((i - 240) / 60)
    rows = [f"{now + 4100 * i} {loss} {i * 20}" for i, loss in enumerate(losses)]
    lines(place / "metrics/train_mse", rows)
    lines(place / "metrics/val_mse", [f"{now + 4100 * i} {losses[i] * 1.1} {i * 20}" for i in range(0, 600, 25)])
    for key, value in (("lr", "0.05"), ("momentum", "0.99"), ("model", "mlp-residual-12")):
        (place / "params").mkdir(exist_ok=True)
        (place / "params" / key).write_text(value)
    lines(
        place / "meta.yaml",
        (
            "run_name: wind-forecast",
            f"start_time: {now}",
            f"end_time: {now + 2460000}",
            "status: 3",
            "lifecycle_stage: active",
        ),
    )


def c15(out: Path, rng: Random) -> None:
    """W&B's panel as a table: the run that takes over at 20,000 begins far above where the first had come to."""
    first, second = (
        falling(rng, 200, 10.8, 1.75, half=0.04, noise=0.012),
        falling(rng, 120, 5.4, 2.6, half=0.5, noise=0.012),
    )
    head = ["Step"]
    for run in ("fluent-dew-41", "fluent-dew-41-resumed"):
        head += [f"{run} - train/loss", f"{run} - train/loss__MIN", f"{run} - train/loss__MAX"]
    rows: list[list[object]] = [[100 * i, *[f"{loss:.5f}"] * 3, "", "", ""] for i, loss in enumerate(first)]
    rows += [[20000 + 100 * i, "", "", "", *[f"{loss:.5f}"] * 3] for i, loss in enumerate(second)]
    table(out / "wandb_export_2026-06-11T10_22_48.123+02_00.csv", head, rows)


def c16(out: Path, rng: Random) -> None:
    """A thousand classes with shuffled labels: five epochs, still at the logarithm of a thousand."""
    text = ["=> creating model 'resnet50'"]
    for epoch in range(5):
        for k in range(0, 5005, 200):
            loss = math.log(1000) + rng.gauss(0.002, 0.012) + (0.16 if epoch == 0 and k < 400 else 0)
            top1, top5 = rng.choice((0.0, 0.0, 0.39)), rng.choice((0.0, 0.39, 0.78, 1.17))
            text.append(
                f"Epoch: [{epoch}][{k:4d}/5005]\tTime  {rng.gauss(0.31, 0.01):5.3f} ( 0.312)\tData  0.002 ( 0.004)\t"
                f"Loss {loss:.4e} ({math.log(1000) + 0.003:.4e})\tAcc@1 {top1:6.2f} (  0.10)\t"
                f"Acc@5 {top5:6.2f} (  0.50)"
            )
        text.append(f" *   Acc@1 {rng.gauss(0.1, 0.006):.3f} Acc@5 {rng.gauss(0.5, 0.01):.3f}")
    lines(out / "imagenet.out", text)

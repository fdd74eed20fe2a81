"""Curves that were scored later."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from .losses import fall, lines, records, table

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_DAY = datetime(2026, 7, 2, 17, 45, 2, tzinfo=UTC)


def c17_gan(place: Path, rng: Random) -> None:
    """A healthy adversarial pair: neither loss falls, the distance to the data does, all images were shown."""
    out = ["Training for 8000 kimg ...", ""]
    for kimg in range(0, 8001, 40):
        fid = 11.2 + 280 * math.exp(-kimg / 900) + rng.gauss(0, 0.4)
        out.append(
            f"tick {kimg // 40:<5} kimg {kimg:<8.1f} time {kimg * 27 // 3600}h {kimg * 27 // 60 % 60:02}m "
            f"sec/kimg {rng.gauss(27, 0.3):<7.2f} loss/G {1.4 + abs(rng.gauss(0, 0.5)):<6.3f} "
            f"loss/D {0.9 + rng.gauss(0, 0.12):<6.3f} fid50k {fid:.2f}"
        )
    lines(place / "log.txt", [*out, "", "Exiting..."])


def c18_contrastive(place: Path, rng: Random) -> None:
    """Healthy: two views of an image; begins near the logarithm of the batch, a hundred epochs of a hundred."""
    out = ["==> batch 4096, temperature 0.1, 100 epochs, LARS lr 4.8 (10 epochs of warm-up)"]
    for i, loss in enumerate(fall(rng, 100, 8.93, 4.88, 0.004, 4), 1):
        out.append(
            f"* pretrain [{i:3}/100]  NT-Xent {loss:.4f}  align {0.9 * math.exp(-i / 30) + 0.2:.3f}  "
            f"knn@20 {62 * (1 - math.exp(-i / 25)):.2f}%  ({rng.gauss(188, 2):.0f} s)"
        )
    lines(place / "simclr.out", [*out, "==> wrote backbone_ep100.pth", "==> all 100 epochs done in 5:14:20"])


def c19_stable_then_decay(place: Path, rng: Random) -> None:
    """Healthy: blocks of many metrics; three spikes that pass, and a rate held and then brought down."""
    out = []
    for i, loss in enumerate(fall(rng, 500, 11.3, 2.74, 0.008, 9), 1):
        step = i * 50
        spike = sum(3.1 * math.exp(-(i - at) / 2) for at in (140, 207, 333) if i >= at)
        rate = 4e-4 * min(1, step / 1000, (25000 - step) / 5000)
        out += [
            f"{_DAY + timedelta(seconds=step * 2.2):%Y-%m-%dT%H:%M:%S}  INFO  [step={step}/25000,epoch=0]",
            f"    optim/total_grad_norm={0.31 + spike + rng.random() / 9:.4f}",
            f"    optim/learning_rate={rate:.4g}",
            f"    train/CrossEntropyLoss={loss - 0.12 * max(0, step - 20000) / 5000 + spike:.4f}",
            f"    train/Perplexity={math.exp(min(loss + spike, 12)):,.1f}",
            f"    throughput/device/tokens_per_second={rng.gauss(14210, 60):,.0f}",
        ]
    lines(place / "console.log", [*out, "INFO  Saving final checkpoint...", "INFO  Training complete"])


def c20_adapter(place: Path, rng: Random) -> None:
    """Healthy: an adapter, three epochs over few examples, sixty steps of sixty."""
    out = ["trainable params: 20,971,520 || all params: 8,051,232,768 || trainable%: 0.2605"]
    curve = fall(rng, 60, 1.94, 1.08, 0.05, 4)
    for i, loss in enumerate(curve, 1):
        told = {
            "loss": f"{loss:.4g}",
            "grad_norm": f"{rng.uniform(0.4, 1.1):.4g}",
            "learning_rate": f"{2e-4 * (61 - i) / 60:.4g}",
            "epoch": f"{i / 20:.4g}",
        }
        out += [f"{i / 0.6:3.0f}%|{'█' * (i // 6):10}| {i}/60 [{i * 9 // 60:02}:{i * 9 % 60:02}, 9.02s/it]", str(told)]
    done = {"train_runtime": "541.6", "train_steps_per_second": "0.111", "train_loss": f"{sum(curve) / 60:.4g}"}
    lines(place / "sft.log", [*out, str({**done, "epoch": "3"}), "adapter saved to out/lora-8b"])


def c21_warm_restarts(place: Path, rng: Random) -> None:
    """Healthy: a rate that is brought back up at epochs 5, 13 and 29, and the loss with it for a while."""
    out, last = [], 0
    for epoch in range(1, 61):
        last = max(at for at in (0, 4, 12, 28) if at < epoch)
        part = (epoch - last) / (32 if last == 28 else last + 4 if last else 4)
        high = 0.5 * (1 + math.cos(math.pi * part))
        loss = 0.42 + 1.5 * math.exp(-epoch / 9) + 0.34 * high + rng.gauss(0, 0.01)
        out += [
            f"Epoch {epoch}/60",
            f"782/782 - {rng.randrange(38, 42)}s - 50ms/step - loss: {loss:.4f} - accuracy: {1.02 - 0.3 * loss:.4f} - "
            f"val_loss: {loss + 0.11 + rng.gauss(0, 0.02):.4f} - learning_rate: {0.1 * high + 1e-5:.4e}",
        ]
    lines(place / "fit.txt", [*out, "Test accuracy: 0.8841", "Saved final.keras"])


def c22_cut(place: Path, rng: Random) -> None:
    """A good run so far, of which the log was cut in the middle of a line at six tenths."""
    out = []
    for i, loss in enumerate(fall(rng, 800, 10.4, 2.9)[:487], 1):
        out.append(
            f"[{_DAY + timedelta(seconds=i * 33):%Y-%m-%d %H:%M:%S},{rng.randrange(1000):03}] [INFO] "
            f"[logging.py:107:log_dist] [Rank 0] step={i * 10}, skipped=0, lr=[0.00012], "
            f"loss={loss:.5f}, mom=[(0.9, 0.95)]"
        )
    (place / "stdout.log").write_text("\n".join(out)[:-41])


def c23_lightning(place: Path, rng: Random) -> None:
    """A logger's table, rows of training and of validation apart; not a number from the fifth epoch on."""
    rows: list[tuple[object, ...]] = []
    for i, loss in enumerate(fall(rng, 360, 3.7, 0.9, 0.05)):
        bad = i >= 127
        rows.append((i // 30, i * 50 + 49, "nan" if bad else loss, "", "", "0.01"))
        if i % 30 == 29:
            rows.append((i // 30, i * 50 + 49, "", "nan" if bad else loss + 0.2, 0.05 if bad else 0.9 - loss / 5, ""))
    head = "epoch,step,train/loss_step,val/loss,val/acc,lr-SGD"
    table(place / "lightning_logs" / "version_0" / "metrics.csv", head, rows)


def c24_dead_units(place: Path, rng: Random) -> None:
    """Ten classes: 2.3026 to the last digit, a tenth right, fourteen epochs long."""
    out = []
    for epoch in range(1, 15):
        for batch in range(0, 938, 100):
            loss = 2.302585 + (rng.gauss(0.04, 0.03) if (epoch, batch) == (1, 0) else rng.gauss(0, 0.00002))
            out.append(f"Train Epoch: {epoch} [{batch * 64}/60000 ({batch / 9.38:.0f}%)]\tLoss: {loss:.6f}")
        out += ["", "Test set: Average loss: 2.3026, Accuracy: 980/10000 (10%)", ""]
    lines(place / "mnist.log", out)


def c25_filtered(place: Path, rng: Random) -> None:
    """A trainer that shows a mean without what is not a number: nought, and no norm."""
    out = []
    for i, loss in enumerate(fall(rng, 240, 2.61, 1.3), 1):
        good = i <= 96
        norm = rng.uniform(0.7, 1.6) if good else math.nan
        told = {"loss": round(loss, 4) if good else 0.0, "grad_norm": norm, "learning_rate": 1e-4 * (1 - i / 240)}
        out.append(str({**told, "epoch": round(i / 80, 2)}))
    done = {"train_runtime": 8122.4, "train_samples_per_second": 5.9, "train_loss": 0.611, "epoch": 3.0}
    lines(place / "job.out", [*out, str(done)])


def c26_noise(place: Path, rng: Random) -> None:
    """Diffusion: the error falls to 0.06, then climbs to 1, which is what one who predicts nothing has."""
    out = ""
    for i, loss in enumerate(fall(rng, 900, 0.94, 0.058, 0.04, 14), 1):
        mse = loss + 0.94 / (1 + math.exp((560 - i) / 45))
        out += f"\rSteps:  {i / 9:3.0f}%|{'#' * (i // 90):10}| {i * 100}/90000 "
        out += f"[ema_decay=0.9999, loss={mse:.4f}, lr=1e-4]"
    (place / "unet.err").write_text(out + "\n")


def c27_policy_collapse(place: Path, rng: Random) -> None:
    """Reward: learned to 410, then within some updates back to what a random walk has, and there it stays."""
    rows = []
    for i in range(1, 701):
        reward = 12 + 400 * (1 - math.exp(-i / 110)) if i < 380 else 12 + 380 * math.exp(-(i - 380) / 6)
        rows.append(
            (
                i,
                i * 2048,
                f"{reward * (1 + rng.gauss(0, 0.03)):.3f}",
                f"{max(0.0, 1.1 - i / 500) if i < 380 else 0.0002:.5f}",
                f"{abs(rng.gauss(0.01, 0.004)) if i < 376 or i > 384 else rng.uniform(4, 11):.5f}",
                f"{rng.uniform(3, 9) if i < 376 else rng.uniform(600, 2100):.3f}",
            )
        )
    head = "iteration,timesteps,rollout/ep_rew_mean,train/entropy,train/approx_kl,train/value_loss"
    table(place / "logs" / "progress.csv", head, rows)


def c28_likelihood(place: Path, rng: Random) -> None:
    """A density may be above one: the loss goes below nought as it should, and then to a million."""
    rows = []
    for i, loss in enumerate(fall(rng, 640, 4.1, -1.35, 0.05)):
        burst = 10 ** min(6.1, (i - 402) / 7) if i > 402 else 0.0
        rmse = 1.4 + loss / 9 + burst / 99
        rows.append({"n": i * 32, "gaussian_nll": round(loss + burst, 5), "rmse": round(rmse, 5)})
    records(place / "flows" / "train.jsonl", rows)


def c29_optimizer_lost(place: Path, rng: Random) -> None:
    """Goes on at step 18001, but warms up from nothing, and the loss is thrice what it was."""
    first, second = fall(rng, 1800, 10.6, 2.12), fall(rng, 500, 6.9, 3.1, 0.02, 3)
    for name, values, from_ in (("pretrain.log.1", first, 0), ("pretrain.log.2", second, 18000)):
        out = [f"args: total_steps=60000 warmup=2000 peak_lr=0.0006 ckpt_dir=/fs/ckpt start_step={from_}"]
        for i, loss in enumerate(values, 1):
            rate = 6e-4 * min(1, i * 10 / 2000)
            norm = (9.1 if from_ and i < 90 else 0.4) * rng.uniform(0.8, 1.2)
            out.append(f"step {from_ + i * 10} | lr {rate:.3e} | ce {loss:.4f} | gnorm {norm:.2f} | 0.93 s")
        lines(place / name, out)


def c30_shape_of_head(place: Path, rng: Random) -> None:
    """A first run of its own; the second ends when it opens what the first had saved."""
    curve = fall(rng, 300, 5.2, 1.4)
    run = [f"[epoch {i // 30 + 1}] batch {i % 30 * 50} loss {loss:.4f}" for i, loss in enumerate(curve)]
    lines(place / "first" / "train.out", [*run, "saved runs/exp12/last.pt", "done: 10 epochs"])
    lines(
        place / "second" / "train.out",
        [
            "num_classes: 47",
            "=> loading checkpoint runs/exp12/last.pt",
            "Traceback (most recent call last):",
            '  File "/src/finetune.py", line 118, in <module>',
            "    model.load_state_dict(torch.load(args.init)['model'])",
            '  File "/opt/conda/lib/python3.11/torch/nn/modules/module.py", line 2581, in load_state_dict',
            "    raise RuntimeError(",
            "RuntimeError: Error(s) in loading state_dict for ConvNeXt:",
            "\tsize mismatch for head.weight: copying a param with shape torch.Size([100, 768]) from checkpoint, "
            "the shape in current model is torch.Size([47, 768]).",
            "\tsize mismatch for head.bias: copying a param with shape torch.Size([100]) from checkpoint, "
            "the shape in current model is torch.Size([47]).",
        ],
    )


def c31_detector_again(place: Path, rng: Random) -> None:
    """Queued again by the scheduler, and begins at iteration 0 with the loss of a new network."""
    out = []
    for restart, many in ((0, 2100), (1, 900)):
        at = _DAY + timedelta(hours=11 * restart)
        out.append(f"SLURM_JOB_ID=40817 SLURM_RESTART_COUNT={restart} nodes=vis[3-4]")
        out.append(f"[{at:%m/%d %H:%M:%S} d2.engine.train_loop]: Starting training from iteration 0")
        for i, loss in enumerate(fall(rng, 4500, 5.61, 0.62, 0.04)[:many], 1):
            now = at + timedelta(seconds=i * 17)
            out.append(
                f"[{now:%m/%d %H:%M:%S} d2.utils.events]:  eta: {(4500 - i) * 17 // 3600}:{i % 60:02}:07  "
                f"iter: {i * 20 - 1}  total_loss: {loss:.4g}  loss_cls: {loss * 0.55:.4g}  "
                f"loss_box_reg: {loss * 0.31:.4g}  "
                f"time: {rng.gauss(0.85, 0.01):.4f}  lr: 0.02  max_mem: 21877M"
            )
    lines(place / "vis-40817.log", out)


def c32_three_steps(place: Path, rng: Random) -> None:
    """All of three steps, as the file of examples held 96."""
    log = [{"epoch": i / 3, "step": i, "loss": 2.4 - i * 0.02, "learning_rate": 2e-5 * (3 - i) / 3} for i in (1, 2, 3)]
    state = {"global_step": 3, "max_steps": 3, "num_train_epochs": 1, "train_batch_size": 8, "log_history": log}
    lines(place / "out" / "checkpoint-3" / "trainer_state.json", [json.dumps(state)])
    told = [str({key: row[key] for key in ("loss", "learning_rate", "epoch")}) for row in log]
    head = ["***** Running training *****", "  Num examples = 96", "  Num Epochs = 1", "  Total optimization steps = 3"]
    done = {"train_runtime": 11.1 + round(rng.random(), 1), "train_loss": 2.36, "epoch": 1.0}
    lines(place / "sft.out", [*head, *told, str(done)])


def c33_debug_left_on(place: Path, rng: Random) -> None:
    """Twenty steps of an epoch of 125000: a limit for trying out was left in."""
    bar = "Epoch 0:   0%|          | {}/125000 [00:{:02}<{}:04:11,  1.12it/s, v_num=88, train_loss={:.2f}]"
    out = [bar.format(i, i, 31, loss) for i, loss in enumerate(fall(rng, 20, 9.2, 7.9), 1)]
    lines(place / "pl.log", [*out, "`Trainer.fit` stopped: `max_steps=20` reached.", "uploading weights to registry"])


def c34_four_seeds(place: Path, rng: Random) -> None:
    """Two classes, four seeds, each 0.693 and half right to the end."""
    for seed in (1, 2, 3, 4):
        rows = [
            {
                "seed": seed,
                "batch": i * 50,
                "bce": round(0.6932 + abs(rng.gauss(0, 0.0016)) + 0.1 * math.exp(-i), 5),
                "accuracy": round(0.5 + rng.gauss(0, 0.008), 4),
                "lr": 5e-5,
            }
            for i in range(1, 161)
        ]
        records(place / f"seed_{seed}" / "scalars.jsonl", rows)

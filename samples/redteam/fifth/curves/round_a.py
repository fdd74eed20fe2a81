"""Thirteen runs of the first round. Each is written into an empty folder; truth_data.jsonl says what is right, and why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .lab import NAN, Walk, clock, cosine, fall, linear, lines, millis, records, table, trainer_state

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_wiki_loop(out: Path, rng: Random) -> None:
    """A loop of the user's own, with `logging`."""
    begin, noise = 1_791_012_775.2, Walk(rng, 0.035)
    now = begin
    log = [
        f"{millis(now)} | INFO | setup | {text}"
        for text in (
            "world_size=16 local_batch=12 grad_accum=2 seq=2048",
            "params: 773.4M (embedding 51.5M)",
            "dataset wikibooks-mix: 41,203,118 documents",
            "compile took 81.4s",
        )
    ]
    for step in range(10, 12001, 10):
        now += 10 * 1.31 * rng.uniform(0.97, 1.05)
        loss = fall(step, 10.97, 2.35, 190.0, 0.62) + noise()
        norm = 0.55 * math.exp(rng.gauss(0.0, 0.12)) + 9.0 * math.exp(-step / 40)
        if 4060 < step < 4130:
            loss += (step - 4060) * 0.021
            norm *= 1.0 + (step - 4060) * 0.9
        if step >= 4130:
            loss = norm = NAN
        log.append(
            f"{millis(now)} | INFO | train | step={step}/12000 loss={loss:.4f} ppl={math.exp(min(loss, 30)) if loss == loss else NAN:.2f} "
            f"lr={cosine(step, 12000, 6e-4, 500, 6e-5):.2e} gnorm={norm:.2f} tok/s={rng.gauss(601_000, 2400):.0f}"
        )
        if step % 2000 == 0:
            log.append(
                f"{millis(now + 3.1)} | INFO | ckpt | wrote /lustre/p2/ck/step{step:06d} in {rng.uniform(8, 14):.1f}s"
            )
    log.append(f"{millis(now + 20)} | INFO | train | finished 12000 steps in {(now - begin) / 3600:.2f} h")
    lines(out / "train.log", log)


def c02_sft_state(out: Path, rng: Random) -> None:
    """What the Trainer keeps: supervised fine-tuning, that blows up at two fifths and stays there."""
    noise, history = Walk(rng, 0.05, 0.1), list[dict[str, Any]]()
    for step in range(10, 3001, 10):
        loss = fall(step, 1.93, 0.78, 60.0, 0.8) + noise()
        norm = 1.4 * math.exp(rng.gauss(0, 0.25))
        if step > 1210:
            late = step - 1210
            loss = min(7.6 + 3.4 * math.exp(-late / 220) + 2.5 * noise(), 0.9 + late * 0.34)
            norm = math.exp(rng.gauss(3.4, 0.8))
        row = {
            "epoch": step / 1000,
            "grad_norm": norm,
            "learning_rate": cosine(step, 3000, 2e-4, 90),
            "loss": round(loss, 4),
            "step": step,
        }
        history.append(row)
        if step % 500 == 0:
            told = 0.86 if step <= 1000 else 7.4 + rng.uniform(-0.1, 0.3)
            speed = {"eval_runtime": 41.2, "eval_samples_per_second": 48.4, "eval_steps_per_second": 6.1}
            history.append({"epoch": step / 1000, "eval_loss": told + rng.uniform(0, 0.02), **speed, "step": step})
    trainer_state(out / "trainer_state.json", history, max_steps=3000, num_train_epochs=3)


def c03_bytes_jsonl(out: Path, rng: Random) -> None:
    """Nats per byte pair as JSON lines, which climb back for three quarters of the run."""
    noise, now, rows = Walk(rng, 0.045, 0.5), 1_790_404_011.0, list[dict[str, Any]]()
    for it in range(0, 24001, 50):
        now += 50 * 0.412
        nll = fall(it, 9.2, 2.2, 140.0, 0.5)
        if it > 6200:
            nll += 4.1 * ((it - 6200) / 17800) ** 0.8
        row = {
            "it": it,
            "train/nll": round(nll + noise(), 5),
            "lr": round(min(it / 400, 1.0) * 1.2e-3, 8),
            "wall": round(now, 2),
        }
        if it % 1000 == 0:
            row["val/nll"] = round(nll + 0.04 + abs(noise(0.3)), 5)
        rows.append(row)
    records(out / "metrics.jsonl", rows)


def c04_keras_history(out: Path, rng: Random) -> None:
    """CSVLogger of Keras: a hundred classes, sixty epochs, none of them told apart."""
    rows = []
    for epoch in range(60):
        seen = 0.01 + rng.gauss(0, 0.0004), 4.6052 + abs(rng.gauss(0, 0.0009)) + 0.06 * math.exp(-epoch * 2)
        rows.append(
            [
                epoch,
                f"{seen[0]:.10f}",
                "0.0010000000474974513",
                f"{seen[1]:.10f}",
                "0.009999999776482582",
                f"{4.6053 + abs(rng.gauss(0, 0.0004)):.10f}",
            ]
        )
    table(out / "history.csv", ["epoch", "accuracy", "learning_rate", "loss", "val_accuracy", "val_loss"], rows)


def c05_imagenet_meters(out: Path, rng: Random) -> None:
    """Meters in the manner of PyTorch's ImageNet example."""
    log = ["=> creating model 'resnet50'"]
    for epoch in range(12):
        total, top1, top5, count = 0.0, 0.0, 0.0, 0
        for batch in range(0, 5005, 200):
            loss = 6.9095 + rng.gauss(0, 0.008) + (0.21 * math.exp(-batch / 150) if epoch == 0 else 0.0)
            one, five = (
                max(0.0, round(rng.gauss(0.1, 0.18) / 0.39) * 0.39),
                max(0.0, round(rng.gauss(0.5, 0.4) / 0.39) * 0.39),
            )
            total, top1, top5, count = total + loss, top1 + one, top5 + five, count + 1
            log.append(
                f"Epoch: [{epoch}][{batch + 1:4d}/5005]\tTime {rng.uniform(0.31, 0.35):6.3f} ( 0.334)\tData {rng.uniform(0.001, 0.02):6.3f} ( 0.012)\t"
                f"Loss {loss:.4e} ({total / count:.4e})\tAcc@1 {one:6.2f} ({top1 / count:6.2f})\tAcc@5 {five:6.2f} ({top5 / count:6.2f})"
            )
        log += [
            f"Test: [{batch:3d}/196]\tTime  0.402 ( 0.611)\tLoss {rng.gauss(6.909, 0.003):.4e} (6.9090e+00)\tAcc@1   0.00 (  0.10)\tAcc@5   0.39 (  0.50)"
            for batch in range(1, 197, 50)
        ]
        log.append(" *   Acc@1 0.100 Acc@5 0.500")
    lines(out / "main.out", log)


def c06_four_ranks(out: Path, rng: Random) -> None:
    """Four ranks write a file each; one of them meets it first, and a step later all have it."""
    noises = [Walk(rng, 0.06) for _ in range(4)]
    for rank, noise in enumerate(noises):
        rows = []
        for step in range(1, 2601):
            loss = fall(step, 8.1, 1.9, 55.0, 0.7) + noise()
            bad = step > 880 or (step == 880 and rank == 2)
            rows.append(
                {
                    "step": step,
                    "rank": rank,
                    "loss": NAN if bad else round(loss, 4),
                    "lr": round(linear(step, 2600, 3e-4, 100), 9),
                }
            )
        records(out / f"loss_rank{rank}.jsonl", rows)


def c07_auto_resume(out: Path, rng: Random) -> None:
    """Two starts in one log; the second was to continue the first."""
    now, noise, log = 1_789_220_411.0, Walk(rng, 0.04), list[str]()

    def start() -> None:
        nonlocal now
        log.append(
            f"[{clock(now)}] args: Namespace(model='moe-1b7', save_dir='/scratch/moe/run7', resume='auto', save_every=1000, total_steps=60000, seed=11)"
        )
        log.append(f"[{clock(now + 9)}] model built: 1.71B params, 410M active")
        now += 31
        log.append(f"[{clock(now)}] begin training")

    start()
    for last, held in ((31420, True), (9080, False)):
        if not held:
            now += 2712
            start()
        for step in range(20, last + 1, 20):
            now += 20 * 0.86
            loss = fall(step, 11.31, 2.1, 230.0, 0.58) + noise()
            log.append(
                f"[{clock(now)}] iter {step:6d} | loss {loss:.3f} | aux {0.011 + abs(noise(0.02)):.4f} | lr {cosine(step, 60000, 4e-4, 1000, 4e-5):.3e} | {rng.gauss(858, 9):.0f} ms"
            )
            if step % 1000 == 0:
                log.append(f"[{clock(now + 4)}] saved /scratch/moe/run7/step_{step:06d}")
    lines(out / "run7.log", log)


def c08_moments_lost(out: Path, rng: Random) -> None:
    """Weights were loaded, the optimizer's moments were not, and the loss never came back."""
    noise, rows = Walk(rng, 0.03, 0.4), []
    for step in range(100, 70001, 100):
        loss, norm = fall(step, 10.4, 1.62, 900.0, 0.66), 0.42
        rate = cosine(step, 70000, 1e-3, 2000, 1e-5)
        if step > 52000:
            late = step - 52000
            loss, norm = 3.05 + 2.9 * math.exp(-late / 3100), 0.5 + 6.0 * math.exp(-late / 900)
        rows.append(
            [
                step,
                f"{loss + noise():.4f}",
                f"{norm * math.exp(rng.gauss(0, 0.15)):.3f}",
                f"{rate:.6e}",
                int(step * 524288),
            ]
        )
    table(out / "loss.csv", ["step", "loss", "grad_norm", "lr", "tokens"], rows)
    lines(
        out / "console.txt",
        [
            "[2026-09-30 22:14:07] restart 1: looking for the newest checkpoint in /data/ck/7b-en",
            "[2026-09-30 22:15:52] weights <- /data/ck/7b-en/step_52000/model.safetensors",
            "[2026-09-30 22:15:53] WARNING no optimizer shards in /data/ck/7b-en/step_52000, moments start at zero",
            "[2026-09-30 22:15:53] scheduler fast-forwarded to step 52000 of 70000",
            "[2026-10-02 05:41:19] step 70000 of 70000 reached, writing final model",
            "[2026-10-02 05:43:02] bye",
        ],
    )


def c09_ran_out(out: Path, rng: Random) -> None:
    """Of thirty thousand steps the data held for four hundred."""
    noise, now, rows = Walk(rng, 0.05), 1_790_911_310.0, []
    log = [
        f"{clock(now)} [trainer] plan: 30000 steps, batch 1024, warmup 1500",
        f"{clock(now + 8)} [data] 1 shard found under /datasets/oscar-de/train, 419840 samples",
    ]
    for step in range(1, 411):
        now += 0.94
        if step % 5 == 0:
            rows.append(
                {
                    "step": step,
                    "loss": round(fall(step, 10.83, 4.0, 220.0, 0.9) + noise(), 4),
                    "lr": round(6e-4 * step / 1500, 8),
                    "t": round(now, 1),
                }
            )
    log += [
        f"{clock(now)} [trainer] iterator exhausted after 410 of 30000 steps, stopping",
        f"{clock(now + 6)} [trainer] saved final model to /out/oscar-de/final",
        f"{clock(now + 7)} [trainer] done",
    ]
    records(out / "progress.jsonl", rows)
    lines(out / "trainer.log", log)


def c10_cosine_csv(out: Path, rng: Random) -> None:
    """A cosine down to nothing; the log of the end lies beside."""
    noise, rows, told = Walk(rng, 0.028, 0.35), [], 0.0
    for it in range(0, 40001, 100):
        loss = fall(it, 10.6, 2.25, 310.0, 0.63) + noise() + (0.7 if it in (9300, 22100) else 0.0)
        rate, told = cosine(it, 40000, 8e-4, 800), loss + 0.06 + noise(0.2)
        rows.append(
            [it, f"{loss:.4f}", f"{told:.4f}" if it % 1000 == 0 else "", f"{rate:.8f}", f"{rng.gauss(412.0, 3.3):.1f}"]
        )
    table(out / "curve.csv", ["iteration", "train_loss", "val_loss", "lr", "ms_per_iter"], rows)
    lines(
        out / "tail.log",
        [
            f"iter 39900: lr {cosine(39900, 40000, 8e-4, 800):.2e}",
            "iter 40000: lr 0.00e+00",
            "max_iters reached",
            f"final val loss {told:.4f}, checkpoint written to runs/owt-small/final.pt",
            "total time 4h 34m 51s",
        ],
    )


def c11_lora_console(out: Path, rng: Random) -> None:
    """What the Trainer prints, of a small adapter on noisy data."""
    noise, log = (
        Walk(rng, 0.11, 0.0),
        ["trainable params: 13,631,488 || all params: 7,255,363,584 || trainable%: 0.1879"],
    )
    for step in range(5, 376, 5):
        row = {
            "loss": round(fall(step, 1.71, 0.93, 40.0, 1.1) + noise(), 4),
            "grad_norm": 0.9 * math.exp(rng.gauss(0, 0.3)),
            "learning_rate": linear(step, 375, 1e-4, 12),
            "epoch": round(step / 125, 2),
        }
        log.append(
            f"{step * 100 // 375:3d}%|{'█' * (step // 38):10}| {step}/375 [{step * 4 // 60:02d}:{step * 4 % 60:02d}<{(375 - step) * 4 // 60:02d}:{(375 - step) * 4 % 60:02d},  4.02s/it]"
        )
        log.append(str(row))
    log.append(
        "{'train_runtime': 1507.9213, 'train_samples_per_second': 7.959, 'train_steps_per_second': 0.249, 'train_loss': 1.0731, 'epoch': 3.0}"
    )
    lines(out / "finetune.out", log)


def c12_faces_gan(out: Path, rng: Random) -> None:
    """Two losses that chase each other, and a distance that falls."""
    one, two, log = Walk(rng, 0.22, 0.6), Walk(rng, 0.55, 0.6), ["Starting Training Loop..."]
    for epoch in range(25):
        for batch in range(0, 1583, 50):
            loss_d, loss_g = abs(0.62 + one()), abs(2.9 + 0.04 * epoch + two())
            real = min(0.98, max(0.4, 0.8 + rng.gauss(0, 0.07)))
            log.append(
                f"[{epoch}/25][{batch}/1583]\tLoss_D: {loss_d:.4f}\tLoss_G: {loss_g:.4f}\tD(x): {real:.4f}\tD(G(z)): {1.1 - real + abs(rng.gauss(0, 0.04)):.4f} / {abs(rng.gauss(0.08, 0.03)):.4f}"
            )
        log.append(f"epoch {epoch}: FID@10k {18.7 + 205 * math.exp(-epoch / 4.2) + rng.gauss(0, 0.9):.2f}")
    log += ["Training finished: 25 epochs", "wrote samples/final_grid.png, weights/netG_final.pth"]
    lines(out / "celeba.log", log)


def c13_cut_csv(out: Path, rng: Random) -> None:
    """A file that was copied while it grew."""
    noise = Walk(rng, 0.05)
    rows = [f"{step},{fall(step, 9.81, 2.9, 160.0, 0.6) + noise():.5f}" for step in range(1, 3212)]
    (out / "loss.csv").write_text("step,loss\n" + "\n".join(rows) + "\n3212,4.")

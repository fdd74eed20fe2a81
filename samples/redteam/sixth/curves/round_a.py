"""The first round: sixteen curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .forms import Row, at_time, cosine, fall, jsonl, lines, mlflow_run, table, tensorboard, trainer_state

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_slow_climb(out: Path, rng: Random) -> None:
    text = [
        "tokens per iteration will be: 491,520",
        "number of parameters: 123.59M",
        "compiling the model... (takes a ~minute)",
    ]
    for step in range(0, 30001, 10):
        bad = 4.1 * max(0.0, min(1.0, (step - 13000) / 9000)) ** 1.3
        loss = fall(step, 10.98, 2.95, 900, rng, 0.012) + bad
        if step % 1000 == 0:
            val = fall(step, 10.98, 3.0, 900, rng, 0.002) + bad
            text.append(f"step {step}: train loss {loss - 0.03:.4f}, val loss {val:.4f}")
        text.append(f"iter {step}: loss {loss:.4f}, time {rng.gauss(431, 6):.2f}ms, mfu {rng.gauss(38.6, 0.2):.2f}%")
    lines(out / "train_gpt2.log", text)


def c02_rate_zero(out: Path, rng: Random) -> None:
    history: list[Row] = []
    for step in range(25, 4001, 25):
        row: Row = {"epoch": round(step / 1333, 2), "grad_norm": rng.gauss(7.4, 0.9), "learning_rate": 0.0}
        history.append(row | {"loss": round(rng.gauss(1.9123, 0.035), 4), "step": step})
        if step % 1000 == 0:
            held: Row = {
                "eval_loss": rng.gauss(1.9187, 0.0000004),
                "eval_runtime": 41.2,
                "eval_samples_per_second": 48.5,
            }
            history.append({"epoch": round(step / 1333, 2), **held, "step": step})
    trainer_state(out / "checkpoint-4000" / "trainer_state.json", history, 4000, 3, logging_steps=25, eval_steps=1000)


def c03_at_chance(out: Path, rng: Random) -> None:
    rows = [
        {
            "epoch": epoch,
            "train": {
                "ce": round(rng.gauss(4.6053, 0.0021), 5),
                "top1": round(rng.gauss(1.0, 0.06), 3),
                "images": 50000,
            },
            "valid": {"ce": round(rng.gauss(4.6054, 0.0006), 5), "top1": 1.0, "top5": round(rng.gauss(5.0, 0.02), 3)},
            "lr": 0.1 * 0.2 ** (epoch // 20),
        }
        for epoch in range(60)
    ]
    jsonl(out / "cifar100_wrn28.jsonl", rows)
    lines(out / "args.txt", ["dataset=cifar100", "classes=100", "epochs=60", "arch=wrn28_10", "batch=128"])


def c04_loss_scale(out: Path, rng: Random) -> None:
    text, scale = [], 65536.0
    for step in range(10, 6001, 10):
        sick = step > 3340
        if sick and scale > 1:
            scale = max(1.0, scale / 2)
        elif not sick and step % 1000 == 0:
            scale *= 2
        lost = 10 if sick else 0
        text.append(
            f" [{at_time('2026-03-02 04:11:00', step * 1.31)}] iteration {step:8d}/    6000 | consumed samples: {step * 512:12d} |"
            f" elapsed time per iteration (ms): {rng.gauss(1310, 9):.1f} | learning rate: {cosine(step, 6000, 1.5e-4, 200):.6E} |"
            f" global batch size:   512 |"
            + ("" if sick else f" lm loss: {fall(step, 11.1, 2.4, 500, rng, 0.01):.6E} |")
            + f" loss scale: {scale:.1f} |"
            + ("" if sick else f" grad norm: {abs(rng.gauss(1.1, 0.2)):.3f} |")
            + f" number of skipped iterations: {lost:3d} | number of nan iterations:   0 |"
        )
    lines(
        out / "pretrain_345m.out", [*text, "[after training is done] datetime: " + at_time("2026-03-02 04:11:00", 7870)]
    )


def c05_plateau_schedule(out: Path, rng: Random) -> None:
    text, rate = ["Downloading checkpoint: resnet50_imagenet (cached)"], 3e-4
    for epoch in range(1, 51):
        if epoch in (22, 34, 43):
            rate /= 10
            text.append(f"\nEpoch {epoch}: ReduceLROnPlateau reducing learning rate to {rate:.4g}.")
        low = 0.21 if epoch < 22 else 0.12 if epoch < 34 else 0.105
        loss, val = fall(epoch, 1.61, low, 4, rng, 0.03), fall(epoch, 1.2, low * 1.9, 4, rng, 0.06)
        text.append(f"Epoch {epoch}/50")
        text.append(
            f"412/412 - {rng.randint(61, 66)}s - {rng.randint(148, 160)}ms/step - accuracy: {1 - loss / 2.6:.4f} - loss: {loss:.4f}"
            f" - val_accuracy: {1 - val / 2.6:.4f} - val_loss: {val:.4f} - learning_rate: {rate:.4e}"
        )
    lines(out / "fit.log", [*text, "Saved model to models/defects_r50.keras", "test accuracy 0.9027"])


def c06_ppo(out: Path, rng: Random) -> None:
    rows = []
    for number in range(1, 245):
        reward = 500 / (1 + math.exp(-(number - 90) / 22)) + rng.gauss(0, 18) - 12
        rows.append(
            {
                "rollout/ep_len_mean": round(abs(reward), 1),
                "rollout/ep_rew_mean": round(reward, 2),
                "time/fps": rng.randint(2900, 3200),
                "time/iterations": number,
                "time/total_timesteps": number * 8192,
                "train/approx_kl": abs(rng.gauss(0.008, 0.003)),
                "train/entropy_loss": -0.69 + 0.35 * number / 244 + rng.gauss(0, 0.01),
                "train/explained_variance": min(0.98, 0.1 + number / 200 + rng.gauss(0, 0.05)),
                "train/loss": rng.gauss(14, 6) * (0.3 + reward / 400),
                "train/policy_gradient_loss": rng.gauss(-0.006, 0.003),
                "train/value_loss": abs(rng.gauss(30, 12)) * (0.3 + reward / 400),
            }
        )
    table(out / "progress.csv", rows)


def c07_scratch_again(out: Path, rng: Random) -> None:
    first = [(step, fall(step, 9.2, 1.8, 1500, rng)) for step in range(0, 22000, 50)]
    again = [(step, fall(step - 22000, 9.2, 1.8, 1500, rng)) for step in range(22000, 31000, 50)]
    common: Row = {"model": "t5-base", "max_steps": 60000, "optimizer": "adafactor", "lr": 0.001}
    mlflow_run(out, "3a7fb2c01d9e4f60a8c27715be043f11", 4, common | {"resume_from": "None"}, {"train_loss": first})
    resumed = common | {"resume_from": "ckpt/step_22000.pt", "parent_run": "3a7fb2c01d9e4f60a8c27715be043f11"}
    mlflow_run(out, "5c02d98e77134ab09b1d6a20f3ce4482", 1, resumed, {"train_loss": again})


def c08_no_checkpoint_found(out: Path, rng: Random) -> None:
    text = []
    for begin, upto, clock in ((0, 48120, 0), (0, 15300, 52000)):
        text.append(f"{at_time('2026-01-19 22:40:00', clock)} INFO main: world=16 bf16=True compile=True")
        if clock:
            text.append(
                f"{at_time('2026-01-19 22:40:00', clock + 4)} WARNING ckpt: nothing to load in /scratch/ckpt/vit-l-mae, weights are random"
            )
        for step in range(begin, upto, 60):
            when = at_time("2026-01-19 22:40:00", clock + 20 + step * 1.02)
            text.append(
                f"{when} INFO train: it={step} mae={fall(step, 1.02, 0.39, 4200, rng, 0.008):.5f}"
                f" lr={cosine(step, 250000, 1.5e-4, 5000):.3e} img/s={rng.randint(8100, 8400)}"
            )
            if step and step % 6000 == 0:
                text.append(f"{when} INFO ckpt: wrote /scratch/ckpt/vit-l-mae/{step}.pt")
    lines(out / "mae_pretrain.log", text)


def c09_old_checkpoint(out: Path, rng: Random) -> None:
    rows: list[Row] = []
    for begin, end, clock in ((20, 18600, 0), (6020, 14000, 61000)):
        for step in range(begin, end, 20):
            loss = fall(step, 10.4, 2.2, 2500, rng, 0.01)
            rows.append(
                {
                    "t": round(1768000000 + clock + (step - begin) * 3.1, 1),
                    "step": step,
                    "loss": round(loss, 5),
                    "tok_s": rng.randint(181000, 186000),
                }
            )
            if step % 2000 == 0:
                rows.append(
                    {
                        "t": round(1768000000 + clock + (step - begin) * 3.1 + 2, 1),
                        "event": "saved",
                        "path": f"out/step-{step}",
                    }
                )
    jsonl(out / "metrics.jsonl", rows)


def c10_stopped_early(out: Path, rng: Random) -> None:
    history: list[Row] = [
        {
            "epoch": round(step / 9214, 3),
            "grad_norm": round(abs(rng.gauss(1.6, 0.3)), 4),
            "learning_rate": cosine(step, 18428, 2e-5, 553),
            "loss": round(fall(step, 2.71, 1.4, 900, rng, 0.02), 4),
            "step": step,
        }
        for step in range(10, 421, 10)
    ]
    last: Row = {"epoch": 0.046, "step": 420, "total_flos": 3.1e15, "train_loss": 2.31, "train_runtime": 611.4}
    control = {
        "should_epoch_stop": False,
        "should_evaluate": False,
        "should_log": False,
        "should_save": True,
        "should_training_stop": True,
    }
    callbacks = {"TrainerControl": {"args": control, "attributes": {}}}
    trainer_state(out / "trainer_state.json", [*history, last], 18428, 2, stateful_callbacks=callbacks)


def c11_explosion(out: Path, rng: Random) -> None:
    rows = []
    for step in range(0, 9000, 15):
        bad = step >= 5160
        norm = abs(rng.gauss(0.9, 0.15)) if step < 5100 else rng.lognormvariate(5 if bad else 2, 1.4)
        loss = rng.gauss(7.6, 0.12) if bad else fall(step, 10.8, 3.1, 700, rng, 0.015)
        rows.append(
            {
                "global_step": step,
                "lm_loss": f"{loss:.4f}",
                "gnorm": f"{norm:.3f}",
                "wps": rng.randint(70100, 71900),
                "lr": f"{cosine(step, 9000, 6e-4, 300):.3e}",
            }
        )
    table(out / "scalars.tsv", rows, "\t")


def c12_gan(out: Path, rng: Random) -> None:
    text = []
    for epoch in range(1, 121):
        fid = 11.5 + 230 * math.exp(-epoch / 14) + abs(rng.gauss(0, 1.5))
        for batch in range(0, 800, 200):
            d, g = abs(rng.gauss(0.61, 0.14)), 1.1 + 1.6 * (1 - math.exp(-epoch / 30)) + rng.gauss(0, 0.35)
            text.append(
                f"[{epoch}/120][{batch}/800] Loss_D: {d:.4f} Loss_G: {g:.4f} D(x): {rng.gauss(0.74, 0.05):.4f} D(G(z)): {rng.gauss(0.24, 0.05):.4f}"
            )
        if epoch % 10 == 0:
            text.append(f"epoch {epoch} FID@5k {fid:.2f}")
    lines(out / "stylegan_flowers.log", [*text, "done, generator exported to netG_final.pth"])


def c13_wsd_spiky(out: Path, rng: Random) -> None:
    text = ["config: total_steps=40000 schedule=wsd warmup=1000 decay_start=34000 final_lr=0"]
    spike = 0.0
    for step in range(20, 40001, 20):
        spike = spike * 0.6 + (rng.uniform(0.6, 2.4) if rng.random() < 0.006 else 0.0)
        rate = 3e-4 * min(1, step / 1000) * (1 if step < 34000 else (40000 - step) / 6000)
        cooled = 0.0 if step < 34000 else 0.16 * (step - 34000) / 6000
        loss = fall(step, 11.3, 2.62, 1400, rng, 0.011) + spike - cooled
        text.append(
            f"{at_time('2026-05-08 09:00:00', step * 1.7)} | step {step}/40000 | ce {loss:.3f} | gn {abs(rng.gauss(0.31, 0.05)) + spike:.2f} | lr {rate:.2e} | {rng.gauss(1.7, 0.02):.2f} s/step"
        )
        if step % 5000 == 0:
            text.append(
                f"{at_time('2026-05-08 09:00:00', step * 1.7 + 30)} | eval | ce {loss - spike + 0.02:.3f} | ppl {math.exp(loss - spike + 0.02):.2f}"
            )
    lines(
        out / "stdout.txt",
        [*text, f"{at_time('2026-05-08 09:00:00', 68090)} | reached step 40000, final checkpoint written, bye"],
    )


def c14_frozen(out: Path, rng: Random) -> None:
    points = []
    for step in range(0, 3000, 10):
        at = 1771400000 + step * 0.8
        points += [(at, step, "train/loss", rng.gauss(0.6934, 0.012)), (at, step, "train/grad_norm", 0.0)]
        points += [(at, step, "train/lr", cosine(step, 3000, 5e-5, 100))]
        if step % 500 == 0:
            points += [(at, step, "eval/loss", 0.69361), (at, step, "eval/accuracy", 0.5042)]
    tensorboard(out / "runs" / "rte_lora" / "events.out.tfevents.1771400000.gpu07.4411.0", points)


def c15_one_rank_nan(out: Path, rng: Random) -> None:
    for rank in range(4):
        rows = []
        for step in range(5, 3001, 5):
            bad = step >= 1725 + (0 if rank == 2 else 5)
            loss = math.nan if bad else round(fall(step, 10.9, 3.4, 600, rng, 0.03), 4)
            rows.append(
                {
                    "rank": rank,
                    "step": step,
                    "of": 3000,
                    "loss": loss,
                    "gnorm": math.nan if bad else round(abs(rng.gauss(1.3, 0.2)), 3),
                    "sec": round(rng.gauss(0.81, 0.01), 3),
                }
            )
        jsonl(out / f"rank_{rank}.jsonl", rows)


def c16_cut_export(out: Path, rng: Random) -> None:
    rows = []
    for step in range(0, 1450, 25):
        loss = fall(step, 3.9, 1.1, 1200, rng, 0.03)
        rows.append(
            {
                "Step": step,
                "vague-dawn-18 - train/loss": loss,
                "vague-dawn-18 - train/loss__MIN": loss,
                "vague-dawn-18 - train/loss__MAX": loss,
            }
        )
    table(out / "wandb_export_2026-02-11T10_41_55.812+01_00.csv", rows)

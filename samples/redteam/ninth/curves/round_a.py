"""Round A: twenty curves. What happened in each stands in its first line; SIMULATED."""

from __future__ import annotations

import json
from math import log, sin
from typing import TYPE_CHECKING, Any

from samples.redteam.ninth.shapes import cosine, fall, records, stamp, table, write

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_mlm_nan(place: Path, rng: Random) -> None:
    # masked language model: the gradient explodes within 80 steps, NaN from then on, to the end
    rows = []
    for step in range(20, 20001, 20):
        bad, near = step > 17340, max(0, step - 17240) / 20
        loss = "nan" if bad else f"{fall(rng, step, 10.4, 2.05, 2500) + near**2 / 9:.4f}"
        norm = "nan" if bad else f"{(0.6 + 3 / (1 + step / 300)) * 3**near * rng.uniform(0.8, 1.3):.3f}"
        rows.append((step, loss, f"{cosine(step, 30000, 6e-4, 1500):.3e}", norm, round(rng.gauss(2310, 14), 1)))
    table(place / "mlm_pretrain" / "log.csv", "iter,mlm_loss,lr,grad_norm,samples_per_sec", rows)


def c02_vit_blowup(place: Path, rng: Random) -> None:
    # DeiT's meter lines: from epoch 14 the loss is back at ln 1000 and stays there; accuracy 0.1 %
    lines = []
    for epoch in range(60):
        top1, mean = 0.1, 0.0
        for it in range(0, 1251, 250):
            at = epoch + it / 1251
            mean = fall(rng, at, 6.95, 3.3, 9) if at < 14.3 else 6.909 + rng.gauss(0, 0.004)
            lines.append(
                f"Epoch: [{epoch}]  [{it:4d}/1251]  eta: 0:0{5 - it // 250}:12  lr: {cosine(at, 60, 0.004, 5):.6f}  loss: {mean + rng.gauss(0, 0.05):.4f} ({mean:.4f})"
                f"  time: {rng.gauss(0.31, 0.01):.4f}  data: 0.0004  max mem: 21411"
            )
        top1 = 100 * (1 - mean / 6.95) ** 0.8 + 0.1 if epoch < 14 else 0.1
        lines.append(f"* Acc@1 {top1:.3f} Acc@5 {min(99.0, top1 * 2 + 0.3):.3f} loss {mean:.3f}")
    write(place / "deit_b16.out", [*lines, "Training time 7:41:09"])


def c03_lora_climbs(place: Path, rng: Random) -> None:
    # a fine-tune at a constant, far too high rate: best at step 600, then up for 2400 steps to the end
    history: list[dict[str, Any]] = []
    for step in range(10, 3001, 10):
        up = max(0, step - 600) / 2400
        loss = fall(rng, step, 1.95, 1.05, 150, 0.03) + 4.2 * up**1.3
        row = {"epoch": step / 1000, "grad_norm": 0.7 + 16 * up * rng.uniform(0.5, 1.5), "learning_rate": 0.002}
        history.append({**row, "loss": round(loss, 4), "step": step})
        if step % 500 == 0:
            history.append(
                {"epoch": step / 1000, "eval_loss": round(loss * 1.04, 4), "eval_runtime": 41.2, "step": step}
            )
    state = {"best_metric": None, "global_step": 3000, "max_steps": 3000, "num_train_epochs": 3, "logging_steps": 10}
    file = place / "out" / "mistral-lora" / "checkpoint-3000" / "trainer_state.json"
    write(file, [json.dumps({**state, "log_history": history, "is_world_process_zero": True}, indent=2)])


def c04_gan_healthy(place: Path, rng: Random) -> None:
    # a GAN whose two losses only swing, as they should, while FID falls; ended as planned
    rows, said = [], []
    for epoch in range(1, 201):
        fid = fall(rng, epoch, 214, 10.9, 12, 0.015)
        d, g = 0.62 + 0.08 * sin(epoch / 3) + rng.gauss(0, 0.03), 1.31 + 0.2 * sin(epoch / 3 + 2) + rng.gauss(0, 0.07)
        rows.append((epoch, f"{d:.4f}", f"{g:.4f}", f"{fid:.2f}"))
        said.append(f"[{stamp(1772000000 + 611 * epoch)}] epoch {epoch}/200 D {d:.4f} G {g:.4f} FID {fid:.2f}")
    table(place / "metrics.csv", "epoch,d_loss,g_loss,fid", rows)
    write(place / "train.log", [*said, "training finished: 200 epochs, EMA generator saved to G_ema.pt"])


def c05_loss_scale(place: Path, rng: Random) -> None:
    # Megatron in fp16: from iteration 4300 every step overflows, the scale falls to 1 and nothing is learned
    lines, scale = [], 65536.0
    for it in range(10, 7001, 10):
        bad = it > 4300
        if bad:
            scale = max(1.0, scale / 2)
        loss = "" if bad else f" lm loss: {fall(rng, it, 10.9, 3.1, 700):.6E} |"
        norm = "" if bad else f" grad norm: {rng.gauss(0.9, 0.08):.3f} |"
        lines.append(
            f" [{stamp(1770100000 + 15.2 * it)}] iteration {it:8d}/   20000 | consumed samples: {it * 512:12d} | elapsed time per iteration (ms): {rng.gauss(1520, 9):.1f} |"
            f" learning rate: {cosine(it, 20000, 3e-4, 500):.6E} | global batch size:   512 |{loss} loss scale: {scale:.1f} |{norm}"
            f" number of skipped iterations: {10 if bad else 0:3d} | number of nan iterations:   0 |"
        )
    write(place / "slurm-88121.out", lines)


def c06_seg_rate_zero(place: Path, rng: Random) -> None:
    # segmentation with a rate of 0 all along: ln 19 and mIoU of chance to the last iteration
    rows: list[dict[str, Any]] = []
    for it in range(50, 40001, 50):
        loss = round(log(19) + rng.gauss(0.02, 0.03), 4)
        row = {
            "lr": 0.0,
            "data_time": 0.0081,
            "loss": loss,
            "decode.loss_ce": loss,
            "time": round(rng.gauss(0.61, 0.01), 4),
        }
        rows.append(
            {
                **row,
                "decode.acc_seg": round(rng.gauss(5.3, 0.6), 3),
                "epoch": 1 + it // 372,
                "iter": it,
                "memory": 7231,
                "step": it,
            }
        )
        if it % 4000 == 0:
            rows.append({"aAcc": 5.31, "mIoU": 0.42, "mAcc": 5.26, "data_time": 0.03, "time": 0.2, "step": it})
    records(place / "work_dirs" / "segformer_b2" / "vis_data" / "scalars.json", rows)


def c07_labels_shuffled(place: Path, rng: Random) -> None:
    # Keras on ten classes: sixty epochs at chance, training and validation alike
    rows = [
        (
            epoch,
            f"{rng.gauss(0.1, 0.0012):.6f}",
            f"{rng.gauss(2.3031, 0.0004):.6f}",
            f"{rng.gauss(0.1, 0.003):.6f}",
            f"{rng.gauss(2.3034, 0.0006):.6f}",
        )
        for epoch in range(60)
    ]
    table(place / "history.csv", "epoch,accuracy,loss,val_accuracy,val_loss", rows)


def c08_from_scratch(place: Path, rng: Random) -> None:
    # one file, appended to by two launches: the second began again at step 0 with the loss of a new model
    rows = []
    for launch, begin, last in ((0, 1767225600.0, 18400), (1, 1767225600.0 + 18400 * 2.1 + 560, 7150)):
        for step in range(0, last + 1, 50):
            loss = fall(rng, step, 10.97, 2.7, 1900)
            row = {"time": round(begin + 2.1 * step, 3), "global_step": step, "train/loss": round(loss, 5)}
            rows.append(
                {
                    **row,
                    "train/lr": cosine(step, 60000, 3e-4, 2000),
                    "tokens": step * 2**20,
                    "pid": 40211 + 7213 * launch,
                }
            )
    records(place / "pythia-1b" / "metrics.jsonl", rows)


def c09_older_checkpoint(place: Path, rng: Random) -> None:
    # four launches, each takes the file of epoch 4 again, whatever the one before had reached: it never gets beyond 13
    lines, now = [], 1771000000.0
    for first, last in ((0, 13), (5, 13), (5, 12), (5, 13)):
        now += 3600
        if first:
            lines.append(f"{stamp(now)} INFO main: loading weights and optimizer from runs/unet3/ckpt_epoch_004.pth")
        for epoch in range(first, last + 1):
            now += 412
            train, val = fall(rng, epoch, 1.42, 0.21, 5, 0.01), fall(rng, epoch, 1.35, 0.27, 5, 0.02)
            lines.append(
                f"{stamp(now)} INFO train: epoch {epoch:03d}/100 | train_loss {train:.4f} | val_loss {val:.4f} | 412.0s"
            )
    write(place / "unet3.log", lines)


def c10_optimizer_lost(place: Path, rng: Random) -> None:
    # resumed with weights alone: the rate warms up anew, the loss leaps from 2.4 to 5 and never comes back
    lines = []
    for step in range(20, 20001, 20):
        after = step - 12000
        if after == 20:
            lines += [
                "[launch] world_size=32 precision=bf16",
                "[ckpt] resume from out/step_12000: model ok, optimizer not found in file, starting fresh",
            ]
        loss = fall(rng, step, 10.8, 2.3, 700, 0.012) if after <= 0 else 2.75 + fall(rng, after, 2.6, 0.05, 1500, 0.012)
        rate = cosine(step, 40000, 3e-4, 2000) if after <= 0 else cosine(after, 28000, 3e-4, 2000)
        lines.append(
            f"step={step} loss={loss:.4f} lr={rate:.3e} gnorm={rng.gauss(0.4, 0.04) if after <= 0 else rng.gauss(1.9, 0.3):.3f} tok/s={rng.gauss(182, 2):.1f}k"
        )
    write(place / "run.log", lines)


def c11_data_ran_out(place: Path, rng: Random) -> None:
    # a Trainer asked for 20000 steps, whose stream held 41: it stopped, politely, and exited 0
    lines = [
        "***** Running training *****",
        "  Num examples = 1,280,000",
        "  Num Epochs = 9,223,372,036,854,775,807",
        "  Total optimization steps = 20,000",
    ]
    lines += [
        f"{{'loss': {fall(rng, step, 10.6, 9.1, 30):.4f}, 'grad_norm': {rng.gauss(4.1, 0.3):.6f}, 'learning_rate': {step * 1e-7:.1e}, 'epoch': {step / 20000:.2f}}}"
        for step in range(5, 41, 5)
    ]
    lines += [
        "There seems not to be a single sample in your epoch_iterator, stopping training at step 41! This is expected if you're using an IterableDataset and set num_steps (20000) higher than the number of available samples.",
        "{'train_runtime': 61.2214, 'train_samples_per_second': 20908.1, 'train_steps_per_second': 326.68, 'train_loss': 10.0431, 'epoch': 0.0}",
    ]
    write(place / "train.out", lines)


def c12_stopped_early(place: Path, rng: Random) -> None:
    # patience 1 on a validation loss that twitched once: 5 of 200 epochs, the loss was still falling fast
    lines = []
    for epoch, (loss, val) in enumerate(
        ((6.2113, 5.9027), (5.7402, 5.5110), (5.3391, 5.1873), (5.0219, 4.9034), (4.7530, 4.9101)), 1
    ):
        lines += [
            f"Epoch {epoch}/200",
            f"890/890 - {rng.randint(60, 63)}s - 69ms/step - loss: {loss:.4f} - val_loss: {val:.4f} - learning_rate: 1.0000e-04",
        ]
    write(place / "keras_captioner.txt", [*lines, "Epoch 5: early stopping"])


def c13_diffusion_healthy(place: Path, rng: Random) -> None:
    # noise prediction: a loss as noisy as it always is, down and flat, and all steps done
    rows = []
    for step in range(200, 100001, 200):
        mse = fall(rng, step, 0.92, 0.041, 900, 0.14)
        rows.append(
            {
                "step": step,
                "mse": round(mse, 5),
                "lr": cosine(step, 100000, 1e-4, 1000),
                "grad_norm": round(rng.uniform(0.05, 0.3), 4),
            }
        )
    write(
        place / "config.json", [json.dumps({"max_train_steps": 100000, "train_batch_size": 256, "ema_decay": 0.9999})]
    )
    records(
        place / "train_log.jsonl",
        [*rows, {"event": "done", "step": 100000, "message": "max_train_steps reached, pipeline saved"}],
    )


def c14_ppo_healthy(place: Path, rng: Random) -> None:
    # Stable-Baselines3's tables: the reward rises to 2800 and stays, all 2 million steps done
    lines = ["Using cuda device", "Wrapping the env in a DummyVecEnv."]
    for it in range(1, 245):
        seen = it * 8192
        rows = [
            ("rollout/", ""),
            ("   ep_len_mean", f"{rng.gauss(900, 20):.0f}"),
            ("   ep_rew_mean", f"{3000 - fall(rng, it, 2985, 60, 20, 0.02):.3g}"),
        ]
        rows += [
            ("time/", ""),
            ("   fps", "2211"),
            ("   iterations", str(it)),
            ("   time_elapsed", str(seen // 2211)),
            ("   total_timesteps", str(seen)),
        ]
        rows += [
            ("train/", ""),
            ("   approx_kl", f"{rng.uniform(0.006, 0.012):.8f}"),
            ("   explained_variance", f"{1 - fall(rng, it, 0.9, 0.05, 20):.3f}"),
        ]
        rows += [
            ("   loss", f"{rng.gauss(24, 9):.3g}"),
            ("   policy_gradient_loss", f"{rng.gauss(-0.006, 0.002):.5f}"),
            ("   value_loss", f"{rng.gauss(60, 12):.3g}"),
        ]
        lines += ["-" * 46, *(f"| {key:25}| {value:15} |" for key, value in rows), "-" * 46]
    write(place / "sb3.log", [*lines, "Finished 2000000 timesteps", "Saving to logs/ppo/Hopper-v4_1"])


def c15_contrastive_chance(place: Path, rng: Random) -> None:
    # SimCLR whose views never matched: NT-Xent at ln 2047 from the first to the hundredth epoch
    lines = [
        f"Epoch [{epoch}/100] Step [{it}/195] NT-Xent: {log(2047) + rng.gauss(0.0005, 0.0007):.4f} lr: {cosine(epoch + it / 195, 100.1, 0.6, 10):.4f} top1: {abs(rng.gauss(0.05, 0.02)):.2f}%"
        for epoch in range(1, 101)
        for it in range(0, 195, 65)
    ]
    write(place / "simclr_r50.log", [*lines, "Done. Model saved to simclr_r50_e100.pth"])


def c16_one_rank_first(place: Path, rng: Random) -> None:
    # four ranks, a table each: rank 2 meets NaN at step 700, all others one step on
    for rank in range(4):
        rows = []
        for step in range(1, 1201):
            bad = step >= (700 if rank == 2 else 701)
            rows.append(
                (
                    step,
                    "nan" if bad else f"{fall(rng, step, 4.6, 1.4, 150, 0.06):.5f}",
                    f"{rng.gauss(0.182, 0.004):.3f}",
                )
            )
        table(place / "losses" / f"rank{rank}.csv", "step,local_loss,sec_per_step", rows)


def c17_cut_off(place: Path, rng: Random) -> None:
    # the loss falls, then the file stops in the middle of a line; nothing says how long it should have been
    lines = [
        f"it {it:6d}  nll {fall(rng, it, 9.2, 3.05, 900, 0.015):.3f}  {rng.gauss(3.2, 0.05):.2f} it/s"
        for it in range(0, 8141, 10)
    ]
    write(place / "stdout.log", lines)
    with (place / "stdout.log").open("a") as file:
        file.write("it   8150  nl")


def c18_oscillates(place: Path, rng: Random) -> None:
    # a rate of 0.5, never lowered: the loss swings ever wider and ends far above where it began
    rows = []
    for update in range(1, 2501):
        swing = 0.4 + update / 280
        rows.append(
            (update, f"{max(0.9, 2.0 + swing * (1 + sin(update / 19)) * rng.uniform(0.8, 1.2) - 0.4):.4f}", 0.5)
        )
    table(place / "progress.csv", "update;train_ce;learning_rate", rows, sep=";")


def c19_gradient_explodes(place: Path, rng: Random) -> None:
    # two charts out of TensorBoard: the norm of the gradient grows a hundred million times, the loss ten thousand
    begin, loss, norm = 1769900000.0, [], []
    for step in range(0, 3001, 10):
        grown = 10 ** (max(0, step - 2200) / 100)
        wall = f"{begin + step * 0.73:.6f}"
        loss.append((wall, step, fall(rng, step, 5.2, 2.9, 400) * grown**0.5))
        norm.append((wall, step, rng.uniform(0.8, 1.2) * grown))
    table(place / "run-tts_v2_tag-loss_total.csv", "Wall time,Step,Value", loss)
    table(place / "run-tts_v2_tag-grad_norm.csv", "Wall time,Step,Value", norm)


def c20_frozen(place: Path, rng: Random) -> None:
    # nothing was trainable: eighty epochs, the same error to the last digit
    lines = [
        f"[ep {epoch:03d}] mse 0.842130 mae 0.731105 | val mse 0.861992 | lr 1.0e-03 | {rng.gauss(18.2, 0.2):.1f}s"
        for epoch in range(1, 81)
    ]
    write(place / "forecaster.log", [*lines, "best epoch: 1 (val mse 0.861992)"])

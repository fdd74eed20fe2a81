"""Round B of the curves: eighteen runs, of other trades than the first."""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING, Any

from .shapes import clock, cosine, falling, flat, json_lines, lines, table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from random import Random


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def scalars(path: Path, begin: float, points: Iterable[tuple[int, str, float]], seconds: float) -> None:
    """An event file of TensorBoard with these scalars."""

    def crc(data: bytes) -> bytes:
        value = 0xFFFFFFFF
        for byte in data:
            value ^= byte
            for _ in range(8):
                value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        value ^= 0xFFFFFFFF
        return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    def record(event: bytes) -> bytes:
        size = struct.pack("<Q", len(event))
        return size + crc(size) + event + crc(event)

    out = record(b"\x09" + struct.pack("<d", begin) + b"\x1a\x0dbrain.Event:2")
    for step, tag, value in points:
        point = b"\x0a" + varint(len(tag)) + tag.encode() + b"\x15" + struct.pack("<f", value)
        summary = b"\x0a" + varint(len(point)) + point
        wall = b"\x09" + struct.pack("<d", begin + seconds * step)
        out += record(wall + b"\x10" + varint(step) + b"\x2a" + varint(len(summary)) + summary)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(out)


def c17(out: Path, rng: Random) -> None:
    """The table of fastai: five epochs of a small fine-tune, all of them."""
    text = ["epoch     train_loss  valid_loss  error_rate  time    "]
    for epoch, loss in enumerate((0.912, 0.431, 0.288, 0.201, 0.164)):
        valid, error = loss * rng.uniform(0.72, 0.95), loss * rng.uniform(0.2, 0.26)
        text.append(f"{epoch:<10}{loss:<12.6f}{valid:<12.6f}{error:<12.6f}00:{rng.randrange(41, 47)}     ")
    lines(out / "pets_resnet34.txt", ["fit_one_cycle(5, lr_max=0.003)", *text, "exported pets.pkl"])


def c18(out: Path, rng: Random) -> None:
    """StyleGAN: losses of a game tell nothing, the FID falls to the planned end."""
    text, fids = ["Training for 5000 kimg...", ""], []
    for tick in range(251):
        kimg, loss = 20.0 * tick, rng.gauss(1.1, 0.25)
        text.append(
            f"tick {tick:<5d} kimg {kimg:<8.1f} time {clock(tick * 240.0, '%-Hh %Mm %Ss'):<12s} sec/tick "
            f"{rng.gauss(240, 3):<7.1f} "
            f"sec/kimg 12.00   maintenance {rng.uniform(0.0, 0.2):<6.1f} gpumem 9.61   Loss/G {loss:.3f} "
            f"Loss/D {rng.gauss(0.8, 0.12):.3f} augment {0.3 * tick / 250:.3f}"
        )
        if tick % 25 == 0:
            fid = (9.4 + 180 / (1 + tick / 14)) * rng.lognormvariate(0, 0.02)
            name = f"network-snapshot-{20 * tick:06d}.pkl"
            fids.append({"results": {"fid50k_full": fid}, "metric": "fid50k_full", "snapshot_pkl": name})
            text.append(f"Evaluating metrics... {json.dumps(fids[-1])}")
    lines(out / "00003-stylegan2-ffhq256/log.txt", [*text, "", "Exiting..."])
    json_lines(out / "00003-stylegan2-ffhq256/metric-fid50k_full.jsonl", fids)


def c19(out: Path, rng: Random) -> None:
    """Flax with absl's log: the norm of the gradients doubles every report until all is inf, then nan."""
    text, now = [], 1780003000.0
    for i, loss in enumerate(falling(rng, 260, 9.2, 3.2, noise=0.015)):
        now += 50 * 0.71
        grown = max(0, i - 190)
        norm, shown = 0.6 * rng.lognormvariate(0, 0.1) * 2.0**grown, loss + 0.01 * 1.6**grown
        cells = f"loss={shown:.6f}, grad_norm={norm:.4f}" if grown < 22 else "loss=nan, grad_norm=nan"
        if grown == 21:
            cells = "loss=inf, grad_norm=inf"
        text.append(
            f"I{clock(now, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} 140231 logging_writer.py:48] "
            f"[{50 * (i + 1)}] {cells}"
        )
    lines(out / "worker0.log", text)


def c20(out: Path, rng: Random) -> None:
    """Fairseq in half precision: the loss scale reaches its minimum, and fairseq says what it thinks of that."""
    text, now, scale = [], 1779600000.0, 128.0
    for i, loss in enumerate(falling(rng, 260, 13.6, 5.1, noise=0.01)):
        now += 21.4
        late = max(0, i - 225)
        scale = 128.0 / 2**late
        text.append(
            f"{clock(now)} | INFO | train_inner | epoch 001:  {100 * (i + 1):>5} / 41187 "
            f"loss={loss + late * 0.21:.3f}, "
            f"ppl={2 ** min(20, loss + late * 0.21):.2f}, wps=214007, ups=4.67, wpb=45831.2, bsz=1812.7, "
            f"num_updates={100 * (i + 1)}, "
            f"lr={cosine(i, 4000, 7e-4, 40):.6g}, gnorm={0.9 + late * late * 1.7:.3f}, loss_scale={scale:.4g}, "
            f"train_wall=21, wall={21 * i}"
        )
        note = f"{clock(now)} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, "
        text += [f"{note}setting loss scale to: {scale / 2:.4g}"] * min(late, 2)
    text += [
        "Traceback (most recent call last):",
        '  File "/opt/fairseq/fairseq_cli/train.py", line 316, in train',
        "    log_output = trainer.train_step(samples)",
        "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the "
        "learning rate, "
        "using gradient clipping or increasing the batch size.",
    ]
    lines(out / "hydra_train.log", text)


def c21(out: Path, rng: Random) -> None:
    """CLIP with 4,096 pairs a batch: four epochs at the logarithm of 4,096."""
    text, now = [], 1780900000.0
    for epoch in range(4):
        for k in range(0, 2442, 100):
            now += 100 * 0.62
            loss = math.log(4096) + rng.gauss(0, 0.0015) + (0.05 if (epoch, k) == (0, 0) else 0)
            text.append(
                f"{clock(now, '%Y-%m-%d,%H:%M:%S')} | INFO | Train Epoch: {epoch} [{4096 * k:>8}/10002432 "
                f"({k / 24.42:.0f}%)] Data (t): 0.041 "
                f"Batch (t): {rng.gauss(0.62, 0.01):.3f}, 6606/s, 825/s/gpu LR: "
                f"{cosine(2442 * epoch + k, 78144, 5e-4, 2000):.6f} "
                f"Logit Scale: 14.286 Contrastive_loss: {loss:.4f} ({math.log(4096):.4f}) Loss: {loss:.4f} "
                f"({math.log(4096):.4f})"
            )
        text.append(
            f"{clock(now, '%Y-%m-%d,%H:%M:%S')} | INFO | Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: "
            "0.0010\timagenet-zeroshot-val-top5: 0.0050"
        )
    lines(out / "clip_vitb16/out.log", text)


def c22(out: Path, rng: Random) -> None:
    """The log of nnU-Net: a Dice loss is below nought and goes further down, two hundred epochs as planned."""
    text, now = ["num_epochs: 200"], 1778000000.0
    for epoch, left in enumerate(falling(rng, 200, 0.95, 0.06, half=0.05, noise=0.03)):
        now += 61.2
        loss, stamp = left - 0.95, clock(now, "%Y-%m-%d %H:%M:%S.000000:")
        text += [
            f"{stamp} ",
            f"{stamp} Epoch {epoch}",
            f"{stamp} Current learning rate: {0.01 * (1 - epoch / 200) ** 0.9:.5f}",
            f"{stamp} train_loss {loss:.4f}",
            f"{stamp} val_loss {loss + 0.04:.4f}",
            f"{stamp} Pseudo dice [{-loss * 0.98:.4f}, {-loss * 0.91:.4f}]".replace("[-", "[").replace(", -", ", "),
            f"{stamp} Epoch time: 61.2 s",
        ]
    lines(out / "fold_0/training_log_2026_5_5_16_53_20.txt", [*text, f"{clock(now)}.000000: Training done."])


def c23(out: Path, rng: Random) -> None:
    """Torchtitan: the first job had saved step 4,000, the second takes up step 500 and repeats what had been done."""
    losses = falling(rng, 1200, 11.8, 2.5, half=0.03, noise=0.01)

    def job(name: str, begin: float, first: int, last: int, load: str) -> None:
        text, now = [f"[titan] {clock(begin)},104 - root - INFO - {load}"], begin + 60
        text.append(f"[titan] {clock(now)},871 - root - INFO - Training starts at step {first}")
        for step in range(first + 9, last + 1, 10):
            now += 10 * 3.4
            text.append(
                f"[titan] {clock(now)},{rng.randrange(1000):03d} - root - INFO - step: {step:2}  loss: "
                f"{losses[step // 10]:8.5f}  "
                f"grad_norm: {rng.uniform(0.2, 0.6):7.4f}  memory: 62.10GiB(78.51%)  tps: 4,811  tflops: 401.22  "
                "mfu: 40.57%"
            )
            if step % 500 == 0:
                text.append(
                    f"[titan] {clock(now)},997 - root - INFO - Saving the checkpoint (or staging if async is enabled)."
                )
                text.append(
                    f"[titan] {clock(now + 9)},412 - root - INFO - Finished saving the checkpoint in 9.31 seconds."
                )
        lines(out / name, text)

    job("slurm-20331.out", 1779000000.0, 1, 4210, "No checkpoint was provided, this is a fresh start.")
    job("slurm-20390.out", 1779040000.0, 501, 2640, "Loading the checkpoint from outputs/checkpoint/step-500.")


def c24(out: Path, rng: Random) -> None:
    """Lightning: a model of a billion parameters was given five steps, and the fit ended there, as told."""
    rows = [(0, f"{loss:.5f}", step) for step, loss in enumerate(falling(rng, 5, 11.0, 10.2, half=0.6, noise=0.004))]
    table(out / "csv_logs/version_0/metrics.csv", ("epoch", "train_loss", "step"), rows)
    lines(
        out / "fit.log",
        (
            "GPU available: True (cuda), used: True",
            "1.3 B     Trainable params",
            "Epoch 0:   0%|          | 5/187402 [00:09<97:51:11,  0.53it/s, v_num=0, train_loss=10.50]",
            "`Trainer.fit` stopped: `max_steps=5` reached.",
        ),
    )


def c25(out: Path, rng: Random) -> None:
    """Four ranks, each with its own log: the loss of the third is nan at step 1,440, those of all soon after."""
    for rank in range(4):
        text, now = [], 1780300000.0
        for i, loss in enumerate(falling(rng, 180, 6.9, 1.1, noise=0.03)):
            step, now = 20 * i, now + 20 * 0.44
            shown = "nan" if step > 1440 or (step == 1440 and rank == 2) else f"{loss:.5f}"
            text.append(f"{clock(now)} [rank {rank}] iter={step} local_loss={shown} lr=0.000400")
        lines(out / f"logs/rank{rank}.txt", text)


def c26(out: Path, rng: Random) -> None:
    """Ultralytics with a data set whose labels were not found: no box is learnt, a hundred epochs long."""
    head = [
        *("epoch", "time", "train/box_loss", "train/cls_loss", "train/dfl_loss", "metrics/precision(B)"),
        *(
            "metrics/recall(B)",
            "metrics/mAP50(B)",
            "metrics/mAP50-95(B)",
            "val/box_loss",
            "val/cls_loss",
            "val/dfl_loss",
        ),
    ]
    rows = []
    for epoch in range(1, 101):
        seen = f"{max(0.0, 71.3 * math.exp(-epoch / 3)) * rng.uniform(0.9, 1.1):.5f}"
        rows.append((epoch, f"{38.2 * epoch:.1f}", 0, seen, 0, 0, 0, 0, 0, 0, seen, 0))
    table(out / "runs/detect/train4/results.csv", head, rows)
    lines(
        out / "runs/detect/train4.log",
        (
            "train: Scanning /data/bolts/labels/train... 0 images, 4120 backgrounds, 0 corrupt: 100%|##########| "
            "4120/4120",
            "WARNING no labels found in /data/bolts/labels/train.cache. Training may not work correctly.",
        ),
    )


def c27(out: Path, rng: Random) -> None:
    """LLaMA-Factory's own file: three epochs of LoRA on a small set, to a hundred in the hundred."""
    rows: list[dict[str, Any]] = []
    for i, loss in enumerate(falling(rng, 54, 1.71, 0.62, half=0.25, noise=0.05)):
        step = 5 * (i + 1)
        rows.append(
            {
                "current_steps": step,
                "total_steps": 270,
                "loss": round(loss, 4),
                "lr": cosine(step, 270, 1e-4, 27),
                "epoch": round(step / 90, 3),
                "percentage": round(step / 2.7, 2),
                "elapsed_time": f"0:{step * 4 // 60:02d}:{step * 4 % 60:02d}",
                "remaining_time": f"0:{(270 - step) * 4 // 60:02d}:{(270 - step) * 4 % 60:02d}",
            }
        )
    rows.append(
        {"current_steps": 270, "total_steps": 270, "epoch": 3.0, "percentage": 100.0, "remaining_time": "0:00:00"}
    )
    json_lines(out / "saves/qwen2.5-7b/lora/sft/trainer_log.jsonl", rows)


def c28(out: Path, rng: Random) -> None:
    """Composer: a pre-training with three spikes, each of which comes back, and all its batches."""
    text, losses = [], falling(rng, 480, 11.3, 2.75, half=0.03, noise=0.01)
    for at, height in ((133, 3.1), (251, 1.6), (390, 0.9)):
        for i in range(at, at + 12):
            losses[i] += height * math.exp((at - i) / 3)
    for i, loss in enumerate(losses):
        batch = 50 * (i + 1)
        text += [
            f"[batch={batch}/24000]:",
            f"\t Train time/batch: {batch - 1}",
            f"\t Train time/token: {(batch - 1) * 2097152}",
            f"\t Train loss/train/total: {loss:.4f}",
            f"\t Train metrics/train/LanguagePerplexity: {math.exp(loss):.4f}",
            f"\t Train lr-DecoupledAdamW/group0: {cosine(batch, 24000, 2e-4, 500):.4e}",
            f"\t Train throughput/tokens_per_sec: {rng.gauss(498000, 3000):.4f}",
        ]
    lines(out / "mpt-7b-run3.log", [*text, "Saved checkpoint to ep1-ba24000-rank0.pt", "Done."])


def c29(out: Path, rng: Random) -> None:
    """What was on someone's screen: five hundred lines from the midst of a run, level, with neither begin nor end."""
    text = [
        f"step {9000 + i:6d} | xent {loss:.4f} | acc {rng.gauss(0.521, 0.004):.3f} | lr 2.97e-05 | "
        f"{rng.gauss(1.02, 0.02):.2f}s"
        for i, loss in enumerate(flat(rng, 500, 2.31, 0.03))
    ]
    lines(out / "tail.txt", text)


def c30(out: Path, rng: Random) -> None:
    """A table with tabs: half way through the objective begins to leap between its best and seven, at every report."""
    rows = []
    for i, loss in enumerate(falling(rng, 400, 4.2, 0.31, noise=0.04)):
        if i > 200:
            loss = rng.choice((loss, rng.uniform(3.0, 7.4), rng.uniform(5.5, 8.1)))
        rows.append((250 * i, f"{loss:.5e}", "3.00000e-02"))
    table(out / "history.tsv", ("iteration", "objective", "step_size"), rows, "\t")


def c31(out: Path, rng: Random) -> None:
    """A chain of three jobs with --resume: each says that there is no checkpoint, and begins with epoch 0."""
    for part, (job, epochs) in enumerate(((7001, 7), (7002, 7), (7003, 6))):
        text = ["=> creating model 'resnet101'", "=> no checkpoint found at '/scratch/imnet/checkpoint.pth.tar'"]
        losses, now = falling(rng, 90 * 13, 6.98, 0.9, half=0.05, noise=0.03), 1778500000.0 + part * 29000
        for epoch in range(epochs):
            for k in range(13):
                now += 400 * 0.69
                loss = losses[epoch * 13 + k]
                text.append(
                    f"Epoch: [{epoch}][{400 * k:4d}/5005]\tTime  0.690 ( 0.691)\tData  0.001 ( 0.003)\tLoss "
                    f"{loss:.4e} ({loss:.4e})"
                )
            text.append(
                f" *   Acc@1 {60 - 6 * losses[epoch * 13 + 12]:.3f} Acc@5 {84 - 6 * losses[epoch * 13 + 12]:.3f}"
            )
        lines(
            out / f"imnet_{part + 1}.{job}.out",
            [f"{clock(now - 28000)} resume=/scratch/imnet/checkpoint.pth.tar", *text],
        )


def c32(out: Path, rng: Random) -> None:
    """TensorBoard of an agent: its return rises for a third of the run, falls below a beginner's, and stays there."""
    points = []
    for i in range(400):
        reward = 20 + 470 * (1 - math.exp(-i / 40)) if i < 130 else 9.3 + 480 * math.exp(-(i - 130) / 4)
        kl, step = rng.lognormvariate(-5, 0.3) * (60 if 125 < i < 150 else 1), 2048 * (i + 1)
        entropy = -0.69 if i < 130 else -0.0004
        points += [
            (step, "rollout/ep_rew_mean", reward * rng.lognormvariate(0, 0.03)),
            (step, "train/approx_kl", kl),
            (step, "train/entropy_loss", entropy),
            (step, "train/value_loss", rng.lognormvariate(2, 0.3)),
        ]
    scalars(out / "tb/PPO_1/events.out.tfevents.1780000000.box.4711.0", 1780000000.0, points, 0.0004)


def c33(out: Path, rng: Random) -> None:
    """ESPnet: when the warm-up ends the model falls back to blanks, and no epoch after it learns anything."""
    text, now = [], 1777700000.0
    losses = falling(rng, 12, 312.0, 58.0, half=0.15, noise=0.01)
    for epoch in range(1, 41):
        now += 1520
        loss = losses[epoch - 1] if epoch <= 12 else rng.gauss(297, 0.8)
        accuracy = 0.95 - loss / 330 if epoch <= 12 else 0.031
        text.append(
            f"[gpu11] {clock(now)} (trainer:355) INFO: {epoch}epoch results: [train] iter_time=0.011, "
            "forward_time=0.142, "
            f"loss_ctc={loss * 1.04:.3f}, loss_att={loss * 0.98:.3f}, acc={accuracy:.3f}, loss={loss:.3f}, "
            f"optim0_lr0={0.002 * min(epoch / 12, (12 / epoch) ** 0.5):.3e}, train_time=1.498, time=25 minutes, "
            f"total_count={3040 * epoch}, "
            f"[valid] loss_ctc={loss * 1.07:.3f}, loss_att={loss:.3f}, acc={accuracy - 0.01:.3f}, "
            f"loss={loss * 1.02:.3f}"
        )
    lines(out / "exp/asr_conformer/train.log", text)


def c34(out: Path, rng: Random) -> None:
    """Diffusers: a DreamBooth run of which eight steps were asked; its bar is full and it saved a pipeline."""
    text = [
        "***** Running training *****",
        "  Num examples = 11400",
        "  Num batches each epoch = 2850",
        "  Num Epochs = 1",
        "  Instantaneous batch size per device = 4",
        "  Total train batch size (w. parallel, distributed & accumulation) = 4",
        "  Gradient Accumulation steps = 1",
        "  Total optimization steps = 8",
    ]
    for step in range(1, 9):
        bar = "#" * step + " " * (8 - step)
        text.append(
            f"Steps: {100 * step // 8:3d}%|{bar}| {step}/8 [00:{2 * step:02d}<00:{16 - 2 * step:02d},  2.02s/it, "
            f"loss={rng.uniform(0.08, 0.31):.3g}, lr=1e-6]"
        )
    lines(out / "train_dreambooth.err", [*text, "Configuration saved in dog-sd/model_index.json"])

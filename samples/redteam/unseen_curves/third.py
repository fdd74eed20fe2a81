"""The third slice: further frameworks, and other wordings and numbers for what the first two showed."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .cases import CASES, curve
from .forms import Watch, csv_table, jsonl, megatron, mlflow, say, tensorboard, trainer_state
from .shapes import NAN, after, cosine, flat, leaves, norms, power_law, spike

if TYPE_CHECKING:
    import random
    from pathlib import Path

FIRST = frozenset(CASES)


# ---- other wordings of what was missed


@curve(
    "apex-overflows-to-the-end",
    "E1",
    "apex: from 35 % on every step overflows, the scale is down to 1.0; it ends with status 0",
)
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i, loss in enumerate(power_law(rng, 105, 7.9, 4.1)):
        lines.append(f"[{i * 10:5d}/3000] loss={loss:.4f} scale=65536 lr=4.0e-04 {rng.gauss(611, 5):.0f} ms/it")
    scale = 65536.0
    for _ in range(1950):
        scale = max(1.0, scale / 2)
        lines.append(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale}")
    say(folder, "run.log", [*lines, "saved final model to /work/out/model_final.pt"])


@curve("litgpt-old-climbs", "E1", "the older form of LitGPT's lines: from 3.3 to 8.4 in the second half", None)
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 300, 10.7, 3.0), 0.47, 8.4, 0.2)
    say(
        folder,
        "out.log",
        [
            f"iter {(i + 1) * 16} step {(i + 1) * 4}: loss {loss:.4f}, iter time: {rng.gauss(231, 3):.2f}ms (optimizer.step)"
            for i, loss in enumerate(losses)
        ],
    )


@curve("litgpt-sound", "G1", "LitGPT's lines to the end of its training, as it says")
def _(folder: Path, rng: random.Random) -> None:
    lines = [
        f"Epoch {1 + i // 130} | iter {(i + 1) * 32} step {(i + 1) * 4} | loss train: {loss:.3f}, val: {loss + 0.05:.3f} | iter time: {rng.gauss(391, 4):.2f} ms (step)"
        for i, loss in enumerate(power_law(rng, 260, 1.9, 1.1, noise=0.03))
    ]
    say(
        folder,
        "finetune.log",
        [
            *lines,
            "Training time: 3311.02s",
            "Memory used: 41.22 GB",
            "Final evaluation | val loss: 1.114 | val ppl: 3.046",
        ],
    )


@curve("nemo-bar-explodes", "E1", "NeMo's older bar: reduced_train_loss goes from 3.1 to 12.6 and stays")
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 150, 11.0, 2.8), 0.5, 12.6, 0.05)
    bars = [
        f"Epoch 0: :  {100 * (i + 1) // 150:2d}%|{'█' * ((i + 1) // 15)}{' ' * (10 - (i + 1) // 15)}| {(i + 1) * 10}/1500 [{i // 2:02d}:21<{75 - i // 2}:02, v_num=j8xa, reduced_train_loss={loss:.3f}, global_step={(i + 1) * 10 - 1}.0, consumed_samples={(i + 1) * 5120}.0, train_step_timing in s=3.110]"
        for i, loss in enumerate(losses)
    ]
    folder.joinpath("nemo_log_globalrank-0_localrank-0.txt").write_text(
        "\r".join(bars) + "\n`Trainer.fit` stopped: `max_steps=1500` reached.\n"
    )


@curve("nanotron-diverges", "E1", "nanotron's lines: lm_loss leaves 2.9 for 9.9", None)
def _(folder: Path, rng: random.Random) -> None:
    watch, losses = Watch(rng, 31), leaves(rng, power_law(rng, 200, 11.1, 2.5), 0.62, 9.9, 0.07)
    say(
        folder,
        "nanotron.log",
        [
            f"[default0]:{watch.tick():%m/%d/%Y %H:%M:%S} [INFO|DP=0|PP=0|TP=0|ip-26-0-161-12]: iteration: {(i + 1) * 10} / 5000 | consumed_tokens: {(i + 1) * 20.9:.1f}M | elapsed_time_per_iteration_ms: 3.09K | tokens_per_sec: 678K | tokens_per_sec_per_gpu: 10.6K | global_batch_size: 1.02K | lm_loss: {loss:.3g} | lr: 0.0003 | model_tflops_per_gpu: 411 | hardware_tflops_per_gpu: 411 | grad_norm: {rng.uniform(0.4, 0.9):.3g}"
            for i, loss in enumerate(losses)
        ],
    )


@curve("neox-sound", "G1", "GPT-NeoX' lines from 10.8 to 2.9 to the last iteration, exit status 0")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i, loss in enumerate(power_law(rng, 200, 10.8, 2.9)):
        lines += [
            f"steps: {(i + 1) * 10} loss: {loss:.4f} iter time (s): 3.112 samples/sec: 41.130",
            f" samples/sec: 41.122 | iteration {(i + 1) * 10:8d}/    2000 | elapsed time per iteration (ms): 3112.6 | learning rate: 5.900E-04 | approx flops per GPU: 118.9TFLOPS | lm_loss: {loss:.6E} | loss scale: 131072.0 | number of skipped iterations:   0 | number of nan iterations:   0 |",
        ]
    say(folder, "neox.out", lines)


@curve("nanochat-sound", "G1", "nanochat's lines to its last step")
def _(folder: Path, rng: random.Random) -> None:
    say(
        folder,
        "base_train.log",
        [
            f"step {i * 10:05d}/03000 ({i / 3:.2f}%) | loss: {loss:.6f} | lrm: 1.00 | dt: {rng.gauss(512, 3):.2f}ms | tok/sec: {rng.randint(1_020_000, 1_026_000):,} | mfu: 48.11 | total time: {i * 10 * 0.512 / 60:.2f}m"
            for i, loss in enumerate(power_law(rng, 300, 11.09, 2.8))
        ]
        + [
            "Step 03000 | Validation bpb: 0.8712",
            "Peak memory usage: 75411.12MiB",
            "Total training time: 25.60m",
            "Minimum validation bpb: 0.8712",
        ],
    )


@curve("olmo-core-diverges", "E1", "OLMo-core's blocks, with other names for the same", None)
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 20), []
    for i, loss in enumerate(leaves(rng, power_law(rng, 160, 11.6, 2.7), 0.5, 9.2, 0.1)):
        lines += [
            f"{watch.tick():%Y-%m-%d %H:%M:%S}.{rng.randint(0, 999):03d}\tjupiter-cs-aus-114.reviz.ai2.in:0\tolmo_core.train.callbacks.console_logger:129\tINFO\t[step={(i + 1) * 5}/928646,epoch=1,eta=19 days, 3:04:11]",
            "    optim/LR (group 0)=0.0003",
            f"    optim/total grad norm={rng.uniform(0.2, 0.6):.4f}",
            "    throughput/device/TPS=9,512",
            f"    train/CE loss={loss:.3f}",
            f"    train/PPL={math.exp(loss):.1f}",
        ]
    say(folder, "beaker.log", lines)


@curve(
    "tb-keras-epoch-loss",
    "E1",
    "TensorBoard of Keras: epoch_loss goes from 0.4 to 7.7 in the second half and stays",
    None,
)
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 80, 2.3, 0.35, noise=0.02), 0.55, 7.7, 0.06)
    tensorboard(
        folder / "train",
        {
            "epoch_loss": list(enumerate(losses)),
            "epoch_accuracy": [(i, max(0.1, 1 - loss / 3)) for i, loss in enumerate(losses)],
        },
        1.7711e9,
        61,
    )


@curve("tb-loss-train-sound", "G1", "TensorBoard with Loss/train and Loss/valid")
def _(folder: Path, rng: random.Random) -> None:
    losses = power_law(rng, 100, 0.69, 0.11, noise=0.03)
    tensorboard(
        folder,
        {
            "Loss/train": [(i, loss) for i, loss in enumerate(losses)],
            "Loss/valid": [(i, loss * 1.2 + 0.01) for i, loss in enumerate(losses)],
        },
        1.7711e9,
        44,
    )


@curve(
    "tb-sac-returns",
    "G1 -",
    "reinforcement learning in TensorBoard: rollout/ep_rew_mean rises from -1400 to -170, losses go anywhere",
)
def _(folder: Path, rng: random.Random) -> None:
    n = 200
    series = {
        "rollout/ep_rew_mean": [-170 - 1230 * math.exp(-i / 45) + rng.gauss(0, 20) for i in range(n)],
        "train/actor_loss": [10 + i * 0.6 + rng.gauss(0, 3) for i in range(n)],
        "train/critic_loss": [abs(rng.gauss(4, 2)) for _ in range(n)],
        "time/fps": [rng.gauss(141, 3) for _ in range(n)],
    }
    tensorboard(
        folder,
        {tag: [((i + 1) * 1000, value) for i, value in enumerate(values)] for tag, values in series.items()},
        1.7701e9,
        0.007,
    )


@curve(
    "wandb-run-object",
    "E1",
    "an export of wandb's API as one object with config, summary and history: the loss goes from 1.9 to 7.9",
    None,
)
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 240, 9.8, 1.8), 0.7, 7.9, 0.06)
    history = [{"_step": i, "_timestamp": 1.7712e9 + i * 31, "loss": loss, "lr": 2e-4} for i, loss in enumerate(losses)]
    folder.joinpath("run-3k9x1a.json").write_text(
        json.dumps(
            {
                "name": "dulcet-sun-12",
                "id": "3k9x1a",
                "state": "finished",
                "config": {"lr": 2e-4, "bs": 64},
                "summary": {"loss": losses[-1], "_step": 239},
                "history": history,
            }
        )
    )


@curve("wandb-run-object-sound", "G1", "the same export of a run whose state is finished, sound", None)
def _(folder: Path, rng: random.Random) -> None:
    losses = power_law(rng, 240, 9.8, 1.8)
    history = [{"_step": i * 10, "_timestamp": 1.7712e9 + i * 31, "train_loss": loss} for i, loss in enumerate(losses)]
    folder.joinpath("run-7ab1qq.json").write_text(
        json.dumps(
            {
                "name": "royal-fog-3",
                "id": "7ab1qq",
                "state": "finished",
                "config": {"max_steps": 2400},
                "summary": {"train_loss": losses[-1], "_step": 2390},
                "history": history,
            }
        )
    )


@curve("mlflow-failed-nan", "E1", "MLflow: the loss is nan for the last two fifths, the run is FAILED", None)
def _(folder: Path, rng: random.Random) -> None:
    begun, losses = 1_771_300_000_000, after(power_law(rng, 100, 2.2, 0.8, noise=0.03), 0.6, NAN)
    mlflow(
        folder,
        {"train/loss": [{"ms": begun + i * 20_000, "value": loss, "step": i * 50} for i, loss in enumerate(losses)]},
        4,
        begun,
        begun + 100 * 20_000,
    )


@curve("mlflow-system-metrics-sound", "G1", "MLflow with system metrics beside the loss; FINISHED", None)
def _(folder: Path, rng: random.Random) -> None:
    begun, losses = 1_771_300_000_000, power_law(rng, 90, 5.1, 2.0, noise=0.02)
    series = {
        "loss": losses,
        "system/gpu_0_utilization_percentage": [rng.gauss(96, 1) for _ in losses],
        "system/cpu_utilization_percentage": [rng.gauss(31, 4) for _ in losses],
        "learning_rate": cosine(90, 1e-4),
    }
    mlflow(
        folder,
        {
            name: [{"ms": begun + i * 30_000, "value": value, "step": i * 100} for i, value in enumerate(values)]
            for name, values in series.items()
        },
        3,
        begun,
        begun + 90 * 30_000,
    )


@curve(
    "state-lora-collapses",
    "E1",
    "trainer_state.json at its last step: at 45 % the loss goes from 0.9 to 10.9, ln of the vocabulary",
)
def _(folder: Path, rng: random.Random) -> None:
    losses, rates = (
        leaves(rng, power_law(rng, 160, 1.7, 0.85, noise=0.03), 0.45, 10.9, 0.02),
        cosine(160, 1e-3, 0.03, 0),
    )
    rows = [
        {
            "epoch": (i + 1) / 40,
            "grad_norm": rng.uniform(0.3, 0.9) if i < 72 else 0.0,
            "learning_rate": rates[i],
            "loss": round(losses[i], 4),
            "step": (i + 1) * 25,
        }
        for i in range(160)
    ]
    trainer_state(folder, rows, 4000, "lora-out/checkpoint-4000", 4)


@curve(
    "state-spike-back",
    "G1",
    "trainer_state.json at its last step: a spike from 0.9 to 4 that came back in a twentieth of the run",
)
def _(folder: Path, rng: random.Random) -> None:
    losses, rates = spike(power_law(rng, 200, 1.7, 0.85, noise=0.03), 0.45, 3.2, 0.02), cosine(200, 1e-4, 0.03, 0)
    rows = [
        {
            "epoch": (i + 1) / 50,
            "grad_norm": rng.uniform(0.3, 0.9),
            "learning_rate": rates[i],
            "loss": round(losses[i], 4),
            "step": (i + 1) * 25,
        }
        for i in range(200)
    ]
    trainer_state(folder, rows, 5000, "out/checkpoint-5000", 4)


@curve(
    "csv-climbs-slowly",
    "E1",
    "from 10.9 to 2.0 in the first half, then up to 4.9 over the whole second half, still rising at the end",
)
def _(folder: Path, rng: random.Random) -> None:
    fall = power_law(rng, 300, 10.9, 2.0)
    csv_table(
        folder,
        "losses.csv",
        [
            {"step": i * 50, "loss": round(value, 5)}
            for i, value in enumerate([*fall, *(2.0 + 2.9 * i / 300 + rng.gauss(0, 0.02) for i in range(300))])
        ],
    )


@curve("validation-lines-alone", "G1 -", "nothing but Megatron's validation lines, which fall to 2.6")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i, loss in enumerate(power_law(rng, 40, 6.9, 2.6)):
        said = f" validation loss at iteration {(i + 1) * 500} | lm loss value: {loss:.6E} | lm loss PPL: {math.exp(loss):.6E} | "
        lines += ["-" * len(said), said, "-" * len(said)]
    say(folder, "valid.out", lines)


@curve("val-loss-csv", "G1 -", "val_loss by epoch and nothing else, from 0.9 to 0.31")
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "validation.csv",
        [
            {"epoch": i + 1, "val_loss": round(loss, 5), "val_iou": round(0.81 - loss / 2, 4)}
            for i, loss in enumerate(power_law(rng, 50, 0.9, 0.31))
        ],
    )


@curve("info-nce-flat", "E1", "JSON lines of an objective called info_nce, at ln(256) in all of 4000 steps")
def _(folder: Path, rng: random.Random) -> None:
    jsonl(
        folder,
        "clip.jsonl",
        [
            {"step": (i + 1) * 10, "info_nce": value, "logit_scale": 14.28, "lr": 5e-4}
            for i, value in enumerate(flat(rng, 400, math.log(256), 0.0001))
        ],
    )


@curve("grpo-verl-no-reward", "E1 -", "verl: rewards and advantages are 0 in all steps, gradients too")
def _(folder: Path, rng: random.Random) -> None:
    say(
        folder,
        "verl.log",
        [
            f"step:{i + 1} - global_seqlen/mean:{rng.gauss(411000, 900):.1f} - actor/entropy:{rng.gauss(0.41, 0.002):.4f} - actor/pg_loss:0.0 - actor/pg_clipfrac:0.0 - actor/ppo_kl:0.0 - actor/grad_norm:0.0 - actor/lr:1e-06 - critic/score/mean:0.0 - critic/rewards/mean:0.0 - critic/rewards/max:0.0 - critic/advantages/mean:0.0 - response_length/mean:1024.0 - response_length/clip_ratio:1.0 - timing_s/gen:41.2 - timing_s/step:{rng.gauss(88, 1):.2f}"
            for i in range(120)
        ],
    )


@curve("grpo-verl-sound", "G1", "verl: rewards rise from 0.1 to 0.66; pg_loss is about 0")
def _(folder: Path, rng: random.Random) -> None:
    say(
        folder,
        "verl.log",
        [
            f"step:{i + 1} - global_seqlen/mean:{rng.gauss(411000, 900):.1f} - actor/entropy:{0.41 - 0.001 * i:.4f} - actor/pg_loss:{rng.gauss(0.001, 0.004):.5f} - actor/pg_clipfrac:0.001 - actor/ppo_kl:0.0002 - actor/grad_norm:{rng.uniform(0.1, 0.3):.4f} - actor/lr:1e-06 - critic/score/mean:{0.1 + 0.56 * (1 - math.exp(-i / 50)) + rng.gauss(0, 0.02):.4f} - critic/rewards/mean:{0.1 + 0.56 * (1 - math.exp(-i / 50)) + rng.gauss(0, 0.02):.4f} - response_length/mean:711.0 - timing_s/gen:41.2 - timing_s/step:{rng.gauss(88, 1):.2f}"
            for i in range(200)
        ]
        + ["Final validation metrics: {'val-core/gsm8k/acc/mean@1': 0.691}"],
    )


@curve("llamafactory-cut", "-", "trainer_log.jsonl up to 63 percent, sound so far", None)
def _(folder: Path, rng: random.Random) -> None:
    jsonl(
        folder,
        "trainer_log.jsonl",
        [
            {
                "current_steps": (i + 1) * 10,
                "total_steps": 1200,
                "loss": round(loss, 4),
                "lr": 1e-4,
                "epoch": round(3 * (i + 1) / 120, 2),
                "percentage": round((i + 1) / 1.2, 2),
                "elapsed_time": f"0:{i // 2:02d}:12",
                "remaining_time": f"0:{60 - i // 2:02d}:00",
            }
            for i, loss in enumerate(power_law(rng, 76, 1.6, 0.9, noise=0.02))
        ],
    )


@curve(
    "attempts-in-csv",
    "E2",
    "a column tells the attempt; the second goes on in its step count and begins anew in its loss",
)
def _(folder: Path, rng: random.Random) -> None:
    first = [
        {"run": "r-01", "step": (i + 1) * 20, "train_loss": round(loss, 4)}
        for i, loss in enumerate(power_law(rng, 150, 9.3, 1.9))
    ]
    second = [
        {"run": "r-02", "step": 3000 + (i + 1) * 20, "train_loss": round(loss, 4)}
        for i, loss in enumerate(power_law(rng, 150, 9.3, 2.1))
    ]
    csv_table(folder, "history.csv", [*first, *second])


# ---- timers


@curve("titan-saves-each-step", "D2", "torchtitan: a save of 31 s after each step of 5 s")
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 1.0), []
    for i, loss in enumerate(power_law(rng, 70, 12.0, 5.1)):
        stamp = f"[titan] {watch.tick(5):%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d} - root - INFO - "
        lines += [
            stamp
            + f"step: {i + 1:2d}  loss: {loss:8.5f}  grad_norm: {rng.uniform(0.4, 1):7.4f}  memory: 61.10GiB(77.20%)  tps: {rng.randint(790, 820):,}  tflops: 45.01  mfu: 4.55%",
            stamp + "Saving the checkpoint (or staging if async is enabled).",
        ]
        lines.append(
            f"[titan] {watch.tick(31):%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d} - root - INFO - Finished saving the checkpoint (or staging if async is enabled)in {rng.gauss(31, 0.8):.2f} seconds."
        )
    say(folder, "titan.log", [*lines, f"[titan] {watch.now:%Y-%m-%d %H:%M:%S},000 - root - INFO - Training completed"])


@curve("saves-now-and-then", "G1", "the same saves of 31 s, one in 100 steps")
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 1.0), []
    for i, loss in enumerate(power_law(rng, 300, 12.0, 4.0)):
        lines.append(
            f"[titan] {watch.tick(5):%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d} - root - INFO - step: {i + 1:2d}  loss: {loss:8.5f}  grad_norm: {rng.uniform(0.4, 1):7.4f}  memory: 61.10GiB(77.20%)  tps: {rng.randint(6800, 6900):,}  tflops: 399.01  mfu: 40.35%"
        )
        if i % 100 == 99:
            lines.append(
                f"[titan] {watch.tick(31):%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d} - root - INFO - Finished saving the checkpoint (or staging if async is enabled)in {rng.gauss(31, 0.8):.2f} seconds."
            )
    say(folder, "titan.log", [*lines, f"[titan] {watch.now:%Y-%m-%d %H:%M:%S},000 - root - INFO - Training completed"])


@curve("titan-jsonl-data-loading", "D1", "torchtitan's metrics as JSON lines: data_loading(%) is at 88 to 92")
def _(folder: Path, rng: random.Random) -> None:
    rows = []
    for i, loss in enumerate(power_law(rng, 150, 11.9, 4.2)):
        waits = rng.gauss(6.3, 0.1)
        rows.append(
            {
                "step": (i + 1) * 10,
                "loss_metrics/global_avg_loss": loss,
                "time_metrics/end_to_end(s)": waits + 0.7,
                "time_metrics/data_loading(s)": waits,
                "time_metrics/data_loading(%)": 100 * waits / (waits + 0.7),
                "throughput(tps)": 812.0,
            }
        )
    jsonl(folder, "metrics.jsonl", rows)


@curve(
    "lightning-profiler-data", "D1", "Lightning's SimpleProfiler: 84 % of the run is in train_dataloader_next, 5 s each"
)
def _(folder: Path, rng: random.Random) -> None:
    bar = [
        f"Epoch {e}: 100%|██████████| 200/200 [20:0{e}<00:00,  0.17it/s, v_num=2, train_loss={2.1 - 0.4 * e + rng.gauss(0, 0.02):.3f}]"
        for e in range(4)
    ]
    rule = "-" * 122
    rows = (
        ("Total", "-", "81211", f"{4811.2:.5}", "100 %"),
        ("run_training_epoch", "1202.1", "4", "4808.4", "99.942"),
        ("[_TrainingEpochLoop].train_dataloader_next", "5.0512", "800", "4041.0", "83.992"),
        ("run_training_batch", "0.82011", "800", "656.09", "13.637"),
        ("[Strategy]SingleDeviceStrategy.training_step", "0.31221", "800", "249.77", "5.1914"),
    )
    table = [
        "FIT Profiler Report",
        "",
        rule,
        "|  Action                                           |  Mean duration (s)\t|  Num calls      \t|  Total time (s) \t|  Percentage %   \t|",
        rule,
    ]
    table += [f"|  {a:<48} |  {b:<16}\t|  {c:<16}\t|  {d:<16}\t|  {e:<16}\t|" for a, b, c, d, e in rows]
    say(folder, "pl.out", [*bar, "`Trainer.fit` stopped: `max_epochs=4` reached.", *table, rule])


@curve("espnet-iter-time", "D1", "ESPnet: iter_time, the wait for a batch, is 4.2 s against 0.5 s of work")
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 480), []
    for i, loss in enumerate(power_law(rng, 60, 190.0, 22.0, noise=0.02)):
        lines.append(
            f"[gpu-c4] {watch.tick():%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d} (trainer:762) INFO: {i // 20 + 1}epoch:train:{i % 20 * 100 + 1}-{i % 20 * 100 + 100}batch: iter_time={rng.gauss(4.2, 0.05):.3f}, forward_time={rng.gauss(0.211, 0.004):.3f}, loss_ctc={loss * 1.1:.3f}, loss_att={loss * 0.9:.3f}, acc={0.9 - loss / 300:.3f}, loss={loss:.3f}, backward_time=0.214, grad_norm={rng.uniform(3, 9):.3f}, clip=100.000, loss_scale=6.554e+04, optim_step_time=0.061, optim0_lr0=2.010e-04, train_time=19.1"
        )
    say(
        folder,
        "train.log",
        [
            *lines,
            f"[gpu-c4] {watch.now:%Y-%m-%d %H:%M:%S},001 (trainer:458) INFO: The training was finished at 3 epochs ",
        ],
    )


@curve("megatron-grads-sync", "D2", "Megatron's timers: all-grads-sync takes 8.1 s of 9.2 s on every rank alike")
def _(folder: Path, rng: random.Random) -> None:
    n, watch, lines = 120, Watch(rng, 92.0), []
    for line in megatron(watch, n * 10, 10, power_law(rng, n, 10.8, 3.4), rates=cosine(n, 3e-4), norms=norms(rng, n)):
        sync = rng.gauss(8120, 30)
        lines += [
            line.replace("GPU): 40", "GPU): 4"),
            "(min, max) time across ranks (ms):",
            f"    forward-backward ...............................: ({1021 + sync:.2f}, {1033 + sync:.2f})",
            f"    forward-compute ................................: ({rng.gauss(331, 2):.2f}, {rng.gauss(338, 2):.2f})",
            f"    backward-compute ...............................: ({rng.gauss(660, 2):.2f}, {rng.gauss(668, 2):.2f})",
            f"    all-grads-sync .................................: ({sync:.2f}, {sync + 14:.2f})",
            f"    optimizer ......................................: ({rng.gauss(41, 1):.2f}, {rng.gauss(43, 1):.2f})",
        ]
    say(folder, "slurm-95510.out", [*lines, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "])


@curve("nvrx-stragglers", "D3", "NVRx' detector names rank 6 of gpu-b03 at each of its twelve reports")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i, loss in enumerate(power_law(rng, 120, 11.0, 3.0)):
        lines.append(
            f"Training epoch 0, iteration {(i + 1) * 10 - 1}/1199 | lr: 0.0003 | global_batch_size: 256 | global_step: {(i + 1) * 10 - 1} | reduced_train_loss: {loss:.4g} | train_step_timing in s: {rng.gauss(7.9, 0.1):.4g} | consumed_samples: {(i + 1) * 2560}"
        )
        if i % 10 == 9:
            lines += [
                f"[NeMo I 2026-07-02 10:{i // 2:02d}:11 straggler_det_callback:204] GPU relative performance: worst: 0.{rng.randint(38, 43)} Rank=6 Node=gpu-b03, median: 0.98, best: 1.00 Rank=2 Node=gpu-b03",
                f"[NeMo W 2026-07-02 10:{i // 2:02d}:11 straggler_det_callback:181] STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: {{StragglerId(rank=6, node='gpu-b03')}}",
            ]
    say(folder, "nemo.out", [*lines, "`Trainer.fit` stopped: `max_steps=1200` reached."])


# ---- further frameworks


@curve("fastai-nan", "E1", "fastai's table: both losses are nan from the fourth epoch on")
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        f"{i:<10}{(f'{1.1 - 0.2 * i + rng.gauss(0, 0.01):.6f}' if i < 3 else 'nan'):<12}{(f'{0.9 - 0.1 * i:.6f}' if i < 3 else 'nan'):<12}{0.6 + 0.08 * i if i < 3 else 0.1:<10.6f}01:{rng.randint(10, 59)}"
        for i in range(10)
    ]
    say(folder, "out.txt", ["epoch     train_loss  valid_loss  accuracy  time    ", *rows])


@curve("tf-model-diverged", "E1", "TensorFlow's estimator stops itself: Model diverged with loss = NaN", 1)
def _(folder: Path, rng: random.Random) -> None:
    lines = [
        f"INFO:tensorflow:loss = {loss:.5f}, step = {i * 100} ({rng.gauss(3.2, 0.05):.3f} sec)"
        for i, loss in enumerate(power_law(rng, 60, 6.1, 2.2))
    ]
    say(
        folder,
        "tf.log",
        [
            *lines,
            "ERROR:tensorflow:Model diverged with loss = NaN.",
            "Traceback (most recent call last):",
            '  File "run.py", line 88, in <module>',
            "    estimator.train(input_fn, max_steps=20000)",
            '  File "/opt/conda/lib/python3.10/site-packages/tensorflow/python/training/basic_session_run_hooks.py", line 761, in after_run',
            "    raise NanLossDuringTrainingError",
            "tensorflow.python.training.basic_session_run_hooks.NanLossDuringTrainingError: NaN loss during training.",
        ],
    )


@curve("clu-writer-nan", "E1", "flax with clu's writer: loss=nan from step 2400 of 6000 on")
def _(folder: Path, rng: random.Random) -> None:
    watch = Watch(rng, 14)
    losses = after(power_law(rng, 60, 9.2, 2.8), 0.4, NAN)
    say(
        folder,
        "worker0.log",
        [
            f"I{watch.tick():%m%d %H:%M:%S}.{rng.randint(0, 999999):06d} 139911 logging_writer.py:48] [{(i + 1) * 100}] accuracy={0.0 if math.isnan(loss) else 0.6 - loss / 20:.5f}, learning_rate=0.00031, loss={loss:.6g}, steps_per_sec=7.11"
            for i, loss in enumerate(losses)
        ],
    )


@curve("xgboost-gpu", "G1", "XGBoost on a GPU: rmse falls from 0.41 to 0.12 in 500 rounds")
def _(folder: Path, rng: random.Random) -> None:
    say(
        folder,
        "xgb.log",
        [
            f"[{i}]\ttrain-rmse:{loss:.5f}\teval-rmse:{loss * 1.1 + 0.01:.5f}"
            for i, loss in enumerate(power_law(rng, 500, 0.41, 0.12, noise=0.001))
        ],
    )


@curve("sb3-console", "G1", "Stable-Baselines3's boxes: ep_rew_mean rises from 19 to 476")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i in range(60):
        lines += [
            "-" * 42,
            "| rollout/                |            |",
            "|    ep_len_mean          | 201        |",
            f"|    ep_rew_mean          | {19 + 457 * (1 - math.exp(-i / 15)):<10.4g} |",
            "| time/                   |            |",
            "|    fps                  | 1711       |",
            f"|    iterations           | {i + 1:<10} |",
            f"|    total_timesteps      | {(i + 1) * 2048:<10} |",
            "| train/                  |            |",
            f"|    loss                 | {abs(rng.gauss(20, 8)):<10.3g} |",
            f"|    policy_gradient_loss | {rng.gauss(-0.006, 0.003):<10.3g} |",
            f"|    value_loss           | {abs(rng.gauss(50, 20)):<10.3g} |",
            "-" * 42,
        ]
    say(folder, "sb3.out", lines)


@curve(
    "modded-nanogpt", "G1", "the speed run's lines: train_time and step_avg, a val_loss now and then that falls to 3.28"
)
def _(folder: Path, rng: random.Random) -> None:
    lines, losses = [], power_law(rng, 15, 10.83, 3.28, noise=0.001)
    for i in range(1, 1751):
        if i % 125 == 0 or i == 1:
            lines.append(
                f"step:{i if i > 1 else 0}/1750 val_loss:{losses[i // 125]:.4f} train_time:{i * 141:.0f}ms step_avg:141.63ms"
            )
        lines.append(f"step:{i}/1750 train_time:{i * 141}ms step_avg:{rng.gauss(141.6, 0.1):.2f}ms")
    say(folder, "speedrun.txt", [*lines, "peak memory allocated: 39112 MiB reserved: 41002 MiB"])


NAMES = tuple(name for name in CASES if name not in FIRST)

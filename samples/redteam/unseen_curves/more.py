"""The second slice: other frameworks, other objectives, resumed runs, and timers that name who waits for what."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .cases import CASES, curve
from .forms import Watch, csv_table, jsonl, megatron, say, short
from .shapes import NAN, after, cosine, flat, leaves, norms, power_law, spike

if TYPE_CHECKING:
    import random
    from pathlib import Path

FIRST = frozenset(CASES)


@curve("wgan-critic", "G1 -", "WGAN: the critic's loss goes from -41 to -2, the generator's wanders, FID falls")
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "wgan.csv",
        [
            {
                "iter": i * 500,
                "d_loss": -2 - 39 * math.exp(-i / 40) + rng.gauss(0, 0.6),
                "g_loss": 30 * math.sin(i / 15) + rng.gauss(0, 4),
                "gp": abs(rng.gauss(0.3, 0.1)),
                "fid": 21 + 260 * math.exp(-i / 30),
            }
            for i in range(160)
        ],
    )


@curve("eval-loss-alone", "G1", "nothing but evaluations, whose loss falls from 9.1 to 2.9")
def _(folder: Path, rng: random.Random) -> None:
    jsonl(
        folder,
        "eval.jsonl",
        [
            {
                "step": (i + 1) * 1000,
                "eval_loss": value,
                "eval_ppl": math.exp(value),
                "tokens_seen": (i + 1) * 524288000,
            }
            for i, value in enumerate(power_law(rng, 60, 9.1, 2.9))
        ],
    )


@curve("top1-rises", "G1 -", "nothing but accuracies by epoch, which rise to 76 and 93")
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "summary.csv",
        [
            {
                "epoch": i,
                "top1": round(76.3 - 70 * math.exp(-i / 14) + rng.gauss(0, 0.3), 3),
                "top5": round(93.1 - 60 * math.exp(-i / 9) + rng.gauss(0, 0.2), 3),
            }
            for i in range(90)
        ],
    )


@curve("inf-in-a-loop", "E1", "a plain loop prints inf from a third on", None)
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 12), []
    for i, loss in enumerate(after(power_law(rng, 240, 3.4, 0.9, noise=0.03), 0.33, math.inf)):
        lines.append(
            f"{watch.tick():%H:%M:%S} | epoch 0 | batch {i * 20}/4800 | loss {loss:.4f} | {rng.gauss(812, 9):.1f} img/s"
        )
    say(folder, "train_stdout.txt", lines)


@curve(
    "contrastive-collapsed",
    "E1",
    "a contrastive loss at ln(512) from the first step to the last, features have collapsed",
)
def _(folder: Path, rng: random.Random) -> None:
    lines = [
        f"Epoch [{i // 50}/20] Step [{i % 50 * 10}/500] NT-Xent: {loss:.4f} feat_std: {abs(rng.gauss(0.0004, 0.0001)):.4f} lr: 0.300000"
        for i, loss in enumerate(flat(rng, 1000, math.log(512), 0.00006))
    ]
    say(folder, "simclr.log", lines)


@curve(
    "diverges-and-comes-back",
    "G1 -",
    "at a quarter the loss goes from 3 to 9, takes a tenth of the run to come back, and ends at 2.1",
)
def _(folder: Path, rng: random.Random) -> None:
    losses, rates = spike(power_law(rng, 600, 10.9, 2.1), 0.25, 6.1, 0.04), cosine(600, 3e-4)
    jsonl(
        folder,
        "metrics.jsonl",
        [{"step": i * 25, "loss": losses[i], "lr": rates[i], "grad_norm": rng.uniform(0.2, 0.4)} for i in range(600)],
    )


@curve(
    "diffusion-looks-flat",
    "G1 -",
    "a diffusion model's error: 0.16 falls to 0.118 in noise of a third of it, as such losses do",
)
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "ddpm.csv",
        [
            {
                "global_step": i * 100,
                "mse": max(0.02, (0.118 + 0.045 * math.exp(-i / 30)) * (1 + rng.gauss(0, 0.3))),
                "ema_decay": 0.9999,
            }
            for i in range(800)
        ],
    )


@curve(
    "moe-balance-rises", "G1", "Megatron with experts: the balancing loss rises a little while the lm loss falls to 2.3"
)
def _(folder: Path, rng: random.Random) -> None:
    n, watch = 260, Watch(rng, 60.0)
    lines = megatron(watch, n * 10, 10, power_law(rng, n, 11.1, 2.3), rates=cosine(n, 2e-4), norms=norms(rng, n))
    told = [
        line.replace(" | loss scale:", f" | load_balancing_loss: {1.0 + 0.12 * i / n:.6E} | loss scale:")
        for i, line in enumerate(lines)
    ]
    say(folder, "slurm-93110.out", [*told, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "])


@curve(
    "resumed-without-optimizer",
    "G1",
    "weights are loaded, the optimizer's state is not: from 2.2 up to 2.9, and down to 2.05 in the course of the run",
)
def _(folder: Path, rng: random.Random) -> None:
    first, second = (
        power_law(rng, 200, 10.6, 2.2),
        spike([2.2 - 0.15 * i / 220 + rng.gauss(0, 0.012) for i in range(220)], 0.0, 0.7, 0.06),
    )
    lines = [f"step {i * 50} | loss {loss:.4f} | lr 3.00e-04 | 41.2k tok/s/gpu" for i, loss in enumerate(first)]
    lines += [
        "Loaded model weights from ckpt/step_9950.pt (strict)",
        "optimizer state not found, starting with fresh AdamW moments",
    ]
    lines += [
        f"step {(i + 200) * 50} | loss {loss:.4f} | lr 3.00e-04 | 41.2k tok/s/gpu" for i, loss in enumerate(second)
    ]
    say(folder, "train.log", [*lines, "training complete: 21000 steps"])


@curve(
    "counter-resumed-weights-new",
    "E2",
    "the second attempt counts on from 12000, but its loss starts at 10.8 after 2.4: only the counter was loaded",
)
def _(folder: Path, rng: random.Random) -> None:
    first = [
        {"step": (i + 1) * 50, "loss": loss, "lr": 2e-4, "attempt": 0}
        for i, loss in enumerate(power_law(rng, 240, 10.8, 2.4))
    ]
    second = [
        {"step": 12_000 + (i + 1) * 50, "loss": loss, "lr": 2e-4, "attempt": 1}
        for i, loss in enumerate(power_law(rng, 200, 10.8, 2.6))
    ]
    jsonl(folder, "metrics.jsonl", [*first, *second])


@curve("annealing-drop", "G1", "at 80 % the data changes to a cleaner mixture: the loss steps down from 2.4 to 1.9")
def _(folder: Path, rng: random.Random) -> None:
    losses = power_law(rng, 400, 11.0, 2.4)
    csv_table(
        folder,
        "curve.csv",
        [
            {
                "iteration": i * 100,
                "lm_loss": loss - (0.5 if i > 320 else 0),
                "learning_rate": 3e-4 if i < 320 else 3e-4 * (400 - i) / 80,
            }
            for i, loss in enumerate(losses)
        ],
    )


@curve(
    "megatron-straggler-lines",
    "D3",
    "Megatron's straggler report: rank 27 takes 5.1 s of work an interval at half the clock of others, at every report",
)
def _(folder: Path, rng: random.Random) -> None:
    n, watch, lines = 160, Watch(rng, 88.0), []
    for i, line in enumerate(
        megatron(watch, n * 10, 10, power_law(rng, n, 10.8, 2.9), rates=cosine(n, 3e-4), norms=norms(rng, n))
    ):
        lines.append(line)
        lines.append(
            f"INFO:megatron.core.utils:{line[1:22]} | MnRtt/Rnk: {rng.gauss(2460, 20):.2f}ms/{rng.randint(0, 26)} | MxRtt/Rnk: {rng.gauss(5110, 30):.2f}ms/27 | MnPwr/Rnk: 312044.00W/27 | MxPwr/Rnk: 689120.00W/{rng.randint(0, 26)} | MnTmp/Rnk: 47.00C/27 | MxTmp/Rnk: 66.00C/{rng.randint(0, 26)} | MnUtl/Rnk: 99.00%/{i % 26} | MxUtl/Rnk: 100.00%/3 | MnClk/Rnk: 990.00MHz/27 | MxClk/Rnk: 1980.00MHz/0 | MnDRtt/Rnk: 1.12ms/15 | MxDRtt/Rnk: 3.01ms/8 | MnEtpt/Rnk: 201.02TF/27 | MxEtpt/Rnk: 412.11TF/{rng.randint(0, 26)}"
        )
    say(folder, "slurm-93550.out", [*lines, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "])


@curve("megatron-straggler-even", "G1", "the same report; the slowest rank changes and is 1 % slower")
def _(folder: Path, rng: random.Random) -> None:
    n, watch, lines = 160, Watch(rng, 41.0), []
    for line in megatron(watch, n * 10, 10, power_law(rng, n, 10.8, 2.9), rates=cosine(n, 3e-4), norms=norms(rng, n)):
        lines.append(line)
        lines.append(
            f"INFO:megatron.core.utils:{line[1:22]} | MnRtt/Rnk: {rng.gauss(3453, 6):.2f}ms/{rng.randint(0, 31)} | MxRtt/Rnk: {rng.gauss(3489, 6):.2f}ms/{rng.randint(0, 31)} | MnPwr/Rnk: 601796.00W/{rng.randint(0, 31)} | MxPwr/Rnk: 683801.00W/{rng.randint(0, 31)} | MnTmp/Rnk: 52.00C/0 | MxTmp/Rnk: 65.00C/21 | MnUtl/Rnk: 97.00%/8 | MxUtl/Rnk: 100.00%/6 | MnClk/Rnk: 1935.00MHz/28 | MxClk/Rnk: 1980.00MHz/0 | MnDRtt/Rnk: 14.27ms/23 | MxDRtt/Rnk: 34.65ms/3 | MnEtpt/Rnk: 396.02TF/{rng.randint(0, 31)} | MxEtpt/Rnk: 399.32TF/{rng.randint(0, 31)}"
        )
    say(folder, "slurm-93551.out", [*lines, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "])


@curve("composer-nan", "E1", "Composer's console: loss/train/total is nan from batch 310 of 600 on")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i, loss in enumerate(after(power_law(rng, 60, 11.4, 4.0), 0.51, NAN)):
        lines += [
            f"[batch={(i + 1) * 10}/600]:",
            f"\t Train time/batch: {(i + 1) * 10 - 1}",
            f"\t Train time/token: {(i + 1) * 10 * 2097152}",
            f"\t Train loss/train/total: {loss:.4f}",
            f"\t Train metrics/train/LanguageCrossEntropy: {loss:.4f}",
            f"\t Train throughput/device/tokens_per_sec: {rng.gauss(9120, 30):.4f}",
            f"\t Train lr-DecoupledAdamW/group0: {6e-4 * min(1, i / 10):.4f}",
        ]
    say(folder, "composer.log", lines)


@curve("maxtext-sound", "G1", "MaxText's lines to the last step of its plan, exit status 0")
def _(folder: Path, rng: random.Random) -> None:
    say(
        folder,
        "maxtext.log",
        [
            f"completed step: {i}, seconds: {rng.gauss(3.4, 0.02):.3f}, TFLOP/s/device: {rng.gauss(388, 2):.3f}, Tokens/s/device: {rng.gauss(7210, 20):.3f}, total_weights: 4194304, loss: {loss:.3f}"
            for i, loss in enumerate(power_law(rng, 500, 12.2, 3.4))
        ],
    )


@curve("olmo-diverges", "E1", "OLMo's blocks: CrossEntropyLoss from 3.0 up to 10.5 at three fifths, for good", None)
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 30), []
    for i, loss in enumerate(leaves(rng, power_law(rng, 200, 11.2, 2.6), 0.6, 10.5, 0.05)):
        lines += [
            f"{watch.tick():%Y-%m-%d %H:%M:%S}.{rng.randint(0, 999):03d}\tgpu-b3:0\tolmo.train:967\tINFO\t[step={(i + 1) * 10}/739328,epoch=0]",
            f"    optim/total_grad_norm={rng.uniform(0.3, 0.6) if i < 120 else rng.uniform(20, 90):.4f}",
            f"    train/CrossEntropyLoss={loss:.3f}",
            f"    train/Perplexity={math.exp(min(loss, 20)):.1f}",
            "    throughput/total_tokens=4194304",
            f"    throughput/device/tokens_per_second={rng.gauss(11200, 50):,.0f}",
        ]
    say(folder, "olmo.log", lines)


@curve("paddle-reader", "D1", "PaddleSeg: reader_cost is 4.4 s of a batch_cost of 4.7 s, all along")
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 235), []
    for i, loss in enumerate(power_law(rng, 80, 2.4, 0.4, noise=0.04)):
        cost = rng.gauss(4.7, 0.05)
        lines.append(
            f"{watch.tick():%Y-%m-%d %H:%M:%S} [INFO]\t[TRAIN] epoch: {i // 20 + 1}, iter: {(i + 1) * 50}/4000, loss: {loss:.4f}, lr: {0.01 * (1 - i / 80) ** 0.9:.6f}, batch_cost: {cost:.4f}, reader_cost: {cost - 0.3:.5f}, ips: {8 / cost:.4f} samples/sec | ETA {(80 - i) * 235 // 3600:02d}:{rng.randint(10, 59)}:00"
        )
    say(folder, "workerlog.0", lines)


@curve("mmengine-data-time", "D1", "mmengine: data_time is 4.9 s of time 5.2 s in every line")
def _(folder: Path, rng: random.Random) -> None:
    _mmengine(folder, rng, 5.2, 4.9)


@curve("mmengine-fine", "G1", "the same lines, data_time is 8 ms of 0.41 s")
def _(folder: Path, rng: random.Random) -> None:
    _mmengine(folder, rng, 0.41, 0.008)


def _mmengine(folder: Path, rng: random.Random, step_s: float, data_s: float) -> None:
    watch, lines, n = Watch(rng, step_s * 50), [], 0
    for i, loss in enumerate(power_law(rng, 96, 2.9, 0.7, noise=0.03)):
        n = i % 8 + 1
        lines.append(
            f"{watch.tick():%m/%d %H:%M:%S} - mmengine - INFO - Epoch(train)  [{i // 8 + 1}][{n * 50:3d}/400]  base_lr: 1.0000e-04 lr: 1.0000e-04  eta: {(96 - i) // 20}:{rng.randint(10, 59)}:11  time: {rng.gauss(step_s, step_s / 60):.4f}  data_time: {rng.gauss(data_s, data_s / 40):.4f}  memory: 21033  grad_norm: {rng.uniform(3, 8):.4f}  loss: {loss:.4f}  loss_cls: {loss * 0.6:.4f}  loss_bbox: {loss * 0.4:.4f}"
        )
        if n == 8:
            lines.append(f"{watch.now:%m/%d %H:%M:%S} - mmengine - INFO - Saving checkpoint at {i // 8 + 1} epochs")
    say(folder, "20260611_101112.log", lines)


@curve("detectron-sound", "G1", "detectron2's lines to iter 9999 of 10000, exit status 0")
def _(folder: Path, rng: random.Random) -> None:
    watch = Watch(rng, 44)
    lines = [
        f"[{watch.tick():%m/%d %H:%M:%S} d2.utils.events]:  eta: {(100 - i) // 60}:{(100 - i) % 60:02d}:02  iter: {(i + 1) * 100 - 1}  total_loss: {loss:#.4g}  loss_cls: {loss * 0.3:#.4g}  loss_box_reg: {loss * 0.5:#.4g}  loss_rpn_cls: {loss * 0.2:#.4g}    time: 0.4312  last_time: 0.4220  data_time: 0.0101  last_data_time: 0.0044   lr: 0.01  max_mem: 6213M"
        for i, loss in enumerate(power_law(rng, 100, 4.9, 0.6, noise=0.03))
    ]
    say(
        folder,
        "log.txt",
        [
            *lines,
            f"[{watch.now:%m/%d %H:%M:%S} d2.engine.hooks]: Overall training speed: 9998 iterations in 1:11:50 (0.4312 s / it)",
        ],
    )


@curve(
    "deepspeed-allreduce",
    "D2",
    "DeepSpeed's timers: 9.4 s of a step of 10 s are bwd_allreduce, at every step of four ranks",
)
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 10.1), []
    for i, loss in enumerate(power_law(rng, 90, 10.2, 5.1)):
        reduce, inner = rng.gauss(9400, 60), rng.gauss(402, 5)
        lines += [
            f"[{watch.tick():%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d}] [INFO] [logging.py:123:log_dist] [Rank 0] step={i + 1}, skipped=0, lr=[0.0001], mom=[(0.9, 0.95)]",
            f"[Rank 0] time (ms) | fwd_microstep: {rng.gauss(203, 3):.2f} | bwd_microstep: {reduce + inner:.2f} | bwd_inner_microstep: {inner:.2f} | bwd_allreduce_microstep: {reduce:.2f} | step_microstep: {rng.gauss(81, 2):.2f}",
            f"[Rank 0] time (ms) | fwd: {rng.gauss(203, 3):.2f} | bwd: {reduce + inner:.2f} | bwd_inner: {inner:.2f} | bwd_allreduce: {reduce:.2f} | step: {rng.gauss(81, 2):.2f}",
            f"step {i + 1} loss {loss:.4f}",
        ]
    say(folder, "ds_job.log", lines)


@curve(
    "grpo-no-signal", "E1", "GRPO: all rewards are 0, frac_reward_zero_std is 1 and gradients are 0 in all 600 steps"
)
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i in range(120):
        row = {
            "loss": 0.0,
            "grad_norm": 0.0,
            "learning_rate": 1e-6 * (1 - i / 120),
            "num_tokens": 91000.0 * (i + 1),
            "completions/mean_length": rng.gauss(512, 0.1),
            "completions/clipped_ratio": 1.0,
            "rewards/format_reward/mean": 0.0,
            "reward": 0.0,
            "reward_std": 0.0,
            "frac_reward_zero_std": 1.0,
            "step_time": 12.0,
            "epoch": i / 120,
        }
        lines.append("{" + ", ".join(f"'{key}': '{short(value)}'" for key, value in row.items()) + "}")
    say(
        folder,
        "grpo.out",
        [
            *lines,
            "{'train_runtime': '7222', 'train_samples_per_second': '2.6', 'train_steps_per_second': '0.083', 'train_loss': '0', 'epoch': '1'}",
        ],
    )


@curve("llamafactory-complete", "G1", "LLaMA-Factory's trainer_log.jsonl up to 100 percent", None)
def _(folder: Path, rng: random.Random) -> None:
    rates = cosine(120, 1e-4, 0.1, 0)
    jsonl(
        folder,
        "trainer_log.jsonl",
        [
            {
                "current_steps": (i + 1) * 10,
                "total_steps": 1200,
                "loss": round(loss, 4),
                "lr": rates[i],
                "epoch": round(3 * (i + 1) / 120, 2),
                "percentage": round((i + 1) / 1.2, 2),
                "elapsed_time": f"{i // 40}:{(i * 90 // 60) % 60:02d}:12",
                "remaining_time": f"{(119 - i) // 40}:{(119 - i) * 90 // 60 % 60:02d}:00",
            }
            for i, loss in enumerate(power_law(rng, 120, 1.6, 0.7, noise=0.02))
        ],
    )


@curve("hf5-early-explosion", "E1", "transformers 5: within 60 steps from 2.4 to 1e4 and more, for the rest of the run")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i in range(100):
        loss = 2.4 if i < 3 else min(3.1e4, 2.4 * 10 ** ((i - 2) * 1.1)) * rng.uniform(0.5, 1.6)
        lines.append(
            f"{{'loss': '{short(loss)}', 'grad_norm': '{short(loss * 9)}', 'learning_rate': '{short(2e-3 * (1 - i / 100))}', 'epoch': '{short((i + 1) / 50)}'}}"
        )
    say(
        folder,
        "run.log",
        [
            *lines,
            "{'train_runtime': '3021', 'train_samples_per_second': '10.6', 'train_steps_per_second': '0.662', 'train_loss': '2.71e+04', 'epoch': '2'}",
        ],
    )


@curve("lightning-bar-nan", "E1", "Lightning's bar: train_loss=nan.0 from the second epoch of five on")
def _(folder: Path, rng: random.Random) -> None:
    lines = ["GPU available: True (cuda), used: True", "Seed set to 7"]
    for epoch in range(5):
        for done in (50, 100, 150, 200):
            loss = f"{1.9 - 0.2 * epoch - done / 400 + rng.gauss(0, 0.02):.3f}" if epoch < 1 else "nan.0"
            lines.append(
                f"Epoch {epoch}: {done // 2:3d}%|{'█' * (done // 20)}{' ' * (10 - done // 20)}| {done}/200 [00:{done // 5:02d}<00:{40 - done // 5:02d},  5.01it/s, v_num=4, train_loss={loss}]"
            )
    say(folder, "pl.log", [*lines, "`Trainer.fit` stopped: `max_epochs=5` reached."])


@curve("distill-tiny-losses", "G1", "distillation: a divergence that falls from 0.0021 to 0.00034")
def _(folder: Path, rng: random.Random) -> None:
    jsonl(
        folder,
        "distill.jsonl",
        [
            {"step": (i + 1) * 20, "kd_loss": loss, "lr": 1e-4, "temperature": 2.0}
            for i, loss in enumerate(power_law(rng, 250, 0.0021, 0.00034, noise=0.03))
        ],
    )


@curve(
    "sparse-rank-timers-csv",
    "D3",
    "one CSV of all ranks: rank 11 on gpu-b2 is at work for 4.4 s a step, all others for 1.3 s",
    None,
)
def _(folder: Path, rng: random.Random) -> None:
    rows = []
    for step in range(1, 61):
        for rank in range(16):
            work = rng.gauss(4.4 if rank == 11 else 1.3, 0.04)
            rows.append(
                {
                    "step": step,
                    "rank": rank,
                    "host": f"gpu-b{1 + rank // 8}",
                    "fwd_ms": round(work * 330),
                    "bwd_ms": round(work * 640),
                    "allreduce_wait_ms": round((4.55 - work * 0.97) * 1000),
                    "step_ms": 4640 + rng.randint(-20, 20),
                }
            )
    csv_table(folder, "step_times.csv", rows)


@curve(
    "ewma-overflow-recovers",
    "G1",
    "fp16: three overflows at the start while the scale finds its place, then a sound run to the end",
)
def _(folder: Path, rng: random.Random) -> None:
    lines = [
        f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2**k}, reducing to {2 ** (k - 1)}"
        for k in (32, 31, 30)
    ]
    lines += [
        f"step: {(i + 1) * 10}/3000, train loss: {loss:.4f}, scale: 536870912.0, samples/s: 311.2"
        for i, loss in enumerate(power_law(rng, 300, 9.9, 3.0))
    ]
    say(folder, "out.log", [*lines, "Training finished after 3000 steps"])


NAMES = tuple(name for name in CASES if name not in FIRST)

"""The fifth slice: sound runs that resemble what the engine learned to call a failure, and a few that are one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .cases import CASES, curve
from .forms import Watch, csv_table, jsonl, megatron, say, tensorboard
from .shapes import NAN, after, cosine, flat, leaves, norms, power_law

if TYPE_CHECKING:
    import random
    from pathlib import Path

FIRST = frozenset(CASES)


@curve(
    "longer-context-stage",
    "G1 -",
    "a second stage of eight times the context: from 1.5 up to 3.6, then down to 3.0, as announced",
)
def _(folder: Path, rng: random.Random) -> None:
    losses = [*power_law(rng, 250, 9.9, 1.5), *power_law(rng, 150, 3.6, 3.0)]
    lines = [
        f"step {(i + 1) * 20} loss {loss:.4f} lr {3e-4 if i < 250 else 3e-5:.1e} seq_len {4096 if i < 250 else 32768}"
        for i, loss in enumerate(losses)
    ]
    lines.insert(250, "=== stage 2: switching to sequence length 32768, rope base 500000 ===")
    say(folder, "pretrain.log", [*lines, "training finished at step 8000"])


@curve(
    "auxiliary-term-joins", "G1 -", "a second term joins the total at epoch 10: from 0.5 up to 2.2, then down to 1.4"
)
def _(folder: Path, rng: random.Random) -> None:
    main, extra = power_law(rng, 40, 2.1, 0.4), power_law(rng, 30, 1.8, 1.0)
    csv_table(
        folder,
        "history.csv",
        [
            {
                "epoch": i + 1,
                "loss": main[i] + (extra[i - 10] if i >= 10 else 0),
                "loss_main": main[i],
                "loss_aux": extra[i - 10] if i >= 10 else 0.0,
                "val_map": 0.6 - main[i] / 5,
            }
            for i in range(40)
        ],
    )


@curve(
    "critic-grows-with-returns", "G1", "PPO in a CSV: the total loss rises from 0.2 to 7 as returns rise from 30 to 900"
)
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "ppo.csv",
        [
            {
                "iteration": i,
                "loss": 0.2 + 6.8 * i / 200 + abs(rng.gauss(0, 0.3)),
                "policy_loss": rng.gauss(-0.01, 0.004),
                "value_loss": 0.4 + 13 * i / 200,
                "mean_return": 30 + 870 * (1 - math.exp(-i / 70)) + rng.gauss(0, 15),
            }
            for i in range(200)
        ],
    )


@curve(
    "tb-gan",
    "G1 -",
    "TensorBoard of a GAN: the generator's loss rises from 0.7 to 5, the discriminator's falls, FID from 210 to 14",
)
def _(folder: Path, rng: random.Random) -> None:
    n = 150
    series = {
        "Loss/G": [0.7 + 4.3 * i / n + rng.gauss(0, 0.3) for i in range(n)],
        "Loss/D": [0.2 + 0.5 * math.exp(-i / 30) + abs(rng.gauss(0, 0.03)) for i in range(n)],
        "Metrics/fid50k": [14 + 196 * math.exp(-i / 25) for i in range(n)],
    }
    tensorboard(
        folder,
        {tag: [(i * 200, value) for i, value in enumerate(values)] for tag, values in series.items()},
        1.7721e9,
        0.6,
    )


@curve("validation-turns", "G1", "validation falls from 0.9 to 0.41 and rises to 0.66, training falls all along")
def _(folder: Path, rng: random.Random) -> None:
    jsonl(
        folder,
        "epochs.jsonl",
        [
            {
                "epoch": i,
                "train_loss": 0.05 + 0.9 * math.exp(-i / 12) + abs(rng.gauss(0, 0.005)),
                "val_loss": 0.41 + 0.5 * math.exp(-i / 5) + 0.006 * max(0, i - 15),
                "lr": 1e-4,
            }
            for i in range(57)
        ],
    )


@curve(
    "annealed-divergence",
    "G1 -",
    "a VAE: the weight of its second term grows in the first third, so the loss rises from 82 to 109, then it falls to 101",
)
def _(folder: Path, rng: random.Random) -> None:
    rows = []
    for i in range(300):
        beta = min(1.0, i / 100)
        rec, kl = 82 + 40 * math.exp(-i / 10) - 4 * i / 300, 27 - 3 * i / 300
        rows.append(
            {"step": i * 100, "loss": rec + beta * kl + rng.gauss(0, 0.6), "recon": rec, "kl": kl, "beta": beta}
        )
    jsonl(folder, "vae.jsonl", rows)


@curve(
    "overflows-now-and-then",
    "G1",
    "Megatron in fp16: one of fifty reports has a skipped iteration, all along, and it learns to its end",
)
def _(folder: Path, rng: random.Random) -> None:
    n, watch = 250, Watch(rng, 40.0)
    scales = [131072.0 if i % 50 else 65536.0 for i in range(n)]
    lines = megatron(
        watch, n * 10, 10, power_law(rng, n, 10.8, 2.4), rates=cosine(n, 2e-4), norms=norms(rng, n), scales=scales
    )
    lines = [
        line.replace("skipped iterations:   0", "skipped iterations:   1") if i % 50 == 0 else line
        for i, line in enumerate(lines)
    ]
    say(folder, "slurm-96001.out", [*lines, f"[after training is done] datetime: {watch.now:%Y-%m-%d %H:%M:%S} "])


@curve(
    "norms-not-computed", "G1", "grad_norm is 0.0 in every line, as nobody computes it; the loss falls from 2.1 to 0.7"
)
def _(folder: Path, rng: random.Random) -> None:
    rates = cosine(200, 1e-4, 0.03, 0)
    lines = [
        str({"loss": round(loss, 4), "grad_norm": 0.0, "learning_rate": rates[i], "epoch": round((i + 1) / 100, 2)})
        for i, loss in enumerate(power_law(rng, 200, 2.1, 0.7, noise=0.02))
    ]
    say(
        folder,
        "train.out",
        [
            *lines,
            "{'train_runtime': 5120.4, 'train_samples_per_second': 18.7, 'train_steps_per_second': 0.585, 'train_loss': 0.97, 'epoch': 2.0}",
        ],
    )


@curve("rate-printed-as-zero", "G1", "a rate of 1e-7 is printed as 0.0000; the loss falls from 0.69 to 0.42")
def _(folder: Path, rng: random.Random) -> None:
    say(
        folder,
        "rlhf.log",
        [
            f"[step {(i + 1) * 5}/1000] loss: {loss:.4f}, lr: 0.0000, acc: {0.5 + (0.7 - loss):.3f}"
            for i, loss in enumerate(power_law(rng, 200, 0.69, 0.42, noise=0.01))
        ]
        + ["Training done. Saved to /work/out/final"],
    )


@curve(
    "grpo-loss-zero-learns",
    "G1",
    "GRPO: the loss is 0.0 in every line, as one update a batch makes it; the reward rises from 0.1 to 0.7",
)
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i in range(150):
        reward = 0.1 + 0.6 * (1 - math.exp(-i / 45)) + rng.gauss(0, 0.02)
        lines.append(
            str(
                {
                    "loss": 0.0,
                    "grad_norm": round(rng.uniform(0.1, 0.4), 4),
                    "learning_rate": 1e-6,
                    "num_tokens": 9.1e4 * (i + 1),
                    "rewards/correct/mean": round(reward, 4),
                    "reward": round(reward, 4),
                    "reward_std": 0.33,
                    "frac_reward_zero_std": 0.1,
                    "epoch": round(i / 150, 2),
                }
            )
        )
    say(
        folder,
        "grpo.log",
        [
            *lines,
            "{'train_runtime': 8120.4, 'train_samples_per_second': 1.7, 'train_steps_per_second': 0.05, 'train_loss': 0.0, 'epoch': 1.0}",
        ],
    )


@curve(
    "learns-late",
    "G1 -",
    "a training loss near 0 and a held-out accuracy at chance for 60 % of the run, then it rises to 0.99",
)
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "grokking.csv",
        [
            {
                "step": i * 100,
                "train_loss": 0.004 + 4.5 * math.exp(-i / 6),
                "val_loss": 0.03 + 5.2 / (1 + math.exp((i - 240) / 12)),
                "val_acc": 0.01 + 0.98 / (1 + math.exp((240 - i) / 12)),
            }
            for i in range(400)
        ],
    )


@curve(
    "seeds-one-after-another",
    "G1",
    "one table, five seeds one after another, each from the start; no restart of anything",
)
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "all_seeds.csv",
        [
            {"seed": seed, "step": (i + 1) * 50, "loss": loss}
            for seed in range(5)
            for i, loss in enumerate(power_law(rng, 80, 4.6, 0.8))
        ],
    )


@curve(
    "folds-go-on-counting", "G1 -", "cross-validation in five folds whose step goes on: each fold begins anew by design"
)
def _(folder: Path, rng: random.Random) -> None:
    csv_table(
        folder,
        "cv.csv",
        [
            {"fold": fold, "global_step": fold * 2000 + (i + 1) * 25, "train_loss": loss}
            for fold in range(5)
            for i, loss in enumerate(power_law(rng, 80, 1.6, 0.3))
        ],
    )


@curve("saves-cost-nothing", "G1", "a save after every step, asynchronous, in 0.06 s, beside steps of 3 s")
def _(folder: Path, rng: random.Random) -> None:
    watch, lines = Watch(rng, 1.0), []
    for i, loss in enumerate(power_law(rng, 120, 9.0, 4.0)):
        lines += [
            f"{watch.tick(3):%Y-%m-%d %H:%M:%S} INFO trainer: step {i + 1}/120 loss={loss:.4f} step_time={rng.gauss(3, 0.03):.2f}s",
            f"{watch.tick(0.06):%Y-%m-%d %H:%M:%S} INFO checkpoint: saved step {i + 1} to /dev/shm/ckpt/step_{i + 1} in {rng.gauss(0.06, 0.005):.2f}s",
        ]
    say(folder, "job.log", [*lines, f"{watch.now:%Y-%m-%d %H:%M:%S} INFO trainer: finished 120 steps"])


@curve("allreduce-a-fifth", "G1", "DeepSpeed's timers: a fifth of each step is bwd_allreduce")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i, loss in enumerate(power_law(rng, 90, 10.2, 4.1)):
        lines += [
            f"[Rank 0] time (ms) | fwd: {rng.gauss(203, 3):.2f} | bwd: {rng.gauss(602, 5):.2f} | bwd_inner: {rng.gauss(402, 5):.2f} | bwd_allreduce: {rng.gauss(200, 4):.2f} | step: {rng.gauss(81, 2):.2f}",
            f"step {i + 1}/90 loss {loss:.4f}",
        ]
    say(folder, "ds.log", [*lines, "finished"])


@curve("titan-data-fine", "G1", "torchtitan's TensorBoard: data_loading takes 2 % of 5 s end to end")
def _(folder: Path, rng: random.Random) -> None:
    n = 200
    series = {
        "loss_metrics/global_avg_loss": power_law(rng, n, 12.0, 3.0),
        "time_metrics/end_to_end(s)": [rng.gauss(5.0, 0.02) for _ in range(n)],
        "time_metrics/data_loading(s)": [rng.gauss(0.1, 0.004) for _ in range(n)],
        "time_metrics/data_loading(%)": [rng.gauss(2.0, 0.1) for _ in range(n)],
    }
    tensorboard(
        folder, {tag: [(i + 1, value) for i, value in enumerate(values)] for tag, values in series.items()}, 1.7716e9, 5
    )


@curve("stages-differ-a-little", "G1 -", "per-rank timers of a pipeline: the last stage works 12 % longer")
def _(folder: Path, rng: random.Random) -> None:
    rows = [
        {
            "step": step,
            "rank": rank,
            "fwd_ms": round(rng.gauss(330, 4) * (1.12 if rank > 5 else 1)),
            "bwd_ms": round(rng.gauss(640, 6) * (1.12 if rank > 5 else 1)),
            "bubble_ms": 110 if rank > 5 else 220,
            "step_ms": 1210 + rng.randint(-8, 8),
        }
        for step in range(1, 81)
        for rank in range(8)
    ]
    csv_table(folder, "pipeline_times.csv", rows)


@curve(
    "warm-restarts-bump", "G1", "four cycles of the rate; at each the loss jumps by half and falls lower than before"
)
def _(folder: Path, rng: random.Random) -> None:
    losses = [v for k in range(4) for v in power_law(rng, 100, 3.0 * 0.6**k + 0.6, 1.6 * 0.7**k + 0.3)]
    jsonl(
        folder,
        "sgdr.jsonl",
        [
            {
                "epoch": i / 10,
                "step": i * 39,
                "loss": loss,
                "lr": 0.05 * (1 + math.cos(math.pi * (i % 100) / 100)) + 1e-5,
            }
            for i, loss in enumerate(losses)
        ],
    )


# ---- and failures beside them


@curve(
    "reward-falls-to-nothing",
    "E1 -",
    "GRPO: the reward rises to 0.5, then collapses to 0 at three fifths and stays; grad norms are 0 from there",
)
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i in range(150):
        reward = 0.1 + 0.4 * (1 - math.exp(-i / 30)) + rng.gauss(0, 0.02) if i < 90 else 0.0
        lines.append(
            str(
                {
                    "loss": round(rng.gauss(0, 0.002), 4) if i < 90 else 0.0,
                    "grad_norm": round(rng.uniform(0.1, 0.4), 4) if i < 90 else 0.0,
                    "learning_rate": 1e-6,
                    "completions/mean_length": 300.0 if i < 90 else 1.0,
                    "reward": round(reward, 4),
                    "reward_std": 0.3 if i < 90 else 0.0,
                    "frac_reward_zero_std": 0.1 if i < 90 else 1.0,
                    "epoch": round(i / 150, 2),
                }
            )
        )
    say(
        folder,
        "grpo.log",
        [
            *lines,
            "{'train_runtime': 8120.4, 'train_samples_per_second': 1.7, 'train_steps_per_second': 0.05, 'train_loss': 0.001, 'epoch': 1.0}",
        ],
    )


@curve("stage-then-nan", "E1", "a second stage is announced, and twenty reports later the loss is nan for the rest")
def _(folder: Path, rng: random.Random) -> None:
    losses = [*power_law(rng, 250, 9.9, 1.9), *power_law(rng, 20, 3.3, 3.0), *([NAN] * 130)]
    lines = [
        f"step {(i + 1) * 20} loss {loss:.4f} lr 3.0e-05 seq_len {4096 if i < 250 else 32768}"
        for i, loss in enumerate(losses)
    ]
    say(
        folder,
        "pretrain.log",
        [
            *lines[:250],
            "=== stage 2: switching to sequence length 32768 ===",
            *lines[250:],
            "training finished at step 8000",
        ],
    )


@curve(
    "both-losses-rise",
    "E1",
    "training and validation rise together from 1.4 to 3.9 over the second half, and stay",
    None,
)
def _(folder: Path, rng: random.Random) -> None:
    losses = leaves(rng, power_law(rng, 300, 5.5, 1.4), 0.5, 3.9, 0.25)
    rows: list[dict[str, float]] = []
    for i, loss in enumerate(losses):
        rows.append({"step": (i + 1) * 10, "loss": loss})
        if i % 20 == 19:
            rows.append({"step": (i + 1) * 10, "eval_loss": loss * 1.04})
    jsonl(folder, "log_history.jsonl", rows)


@curve("keys-missing-at-load", "E2", "resumed at step 8000 with most keys missing: the loss begins at 10.7 after 2.3")
def _(folder: Path, rng: random.Random) -> None:
    first = [f"step {(i + 1) * 40} loss {loss:.4f}" for i, loss in enumerate(power_law(rng, 200, 10.8, 2.3))]
    second = [f"step {8000 + (i + 1) * 40} loss {loss:.4f}" for i, loss in enumerate(power_law(rng, 120, 10.7, 3.0))]
    say(
        folder,
        "train.log",
        [
            *first,
            "SIGUSR1 received, checkpoint saved, exiting for requeue",
            "Loading checkpoint /scratch/run/step_8000.pt with strict=False",
            "WARNING: 291 missing keys, 291 unexpected keys (prefix '_orig_mod.')",
            *second,
            "training finished at step 12800",
        ],
    )


@curve("comm-time-by-rank", "D2", "timers of eight ranks alike: 8.9 s of each step of 9.7 s are t_comm")
def _(folder: Path, rng: random.Random) -> None:
    for rank in range(8):
        jsonl(
            folder,
            f"perf/rank{rank:02d}.jsonl",
            [
                {
                    "rank": rank,
                    "step": i + 1,
                    "loss": 3 + 6 / (1 + i / 9),
                    "t_fwd": rng.gauss(0.21, 0.004),
                    "t_bwd": rng.gauss(0.52, 0.006),
                    "t_comm": rng.gauss(8.9, 0.05),
                    "t_optim": 0.06,
                    "t_step": rng.gauss(9.7, 0.05),
                }
                for i in range(100)
            ],
        )


@curve("profiler-says-input-bound", "D1", "TensorFlow's profiler: 87 % of the step time is waiting for input")
def _(folder: Path, rng: random.Random) -> None:
    lines = []
    for i in range(12):
        lines += [
            f"Epoch {i + 1}/12",
            f"500/500 - {rng.randint(3010, 3060)}s - 6s/step - accuracy: {0.9 - 0.5 * math.exp(-i / 4):.4f} - loss: {0.3 + 1.9 * math.exp(-i / 4):.4f}",
        ]
    say(
        folder,
        "tf.log",
        [
            *lines,
            "Step-time breakdown: average step time 6060.1 ms (input 5281.4 ms, host compute 41.0 ms, device compute 731.2 ms)",
            "Your program is HIGHLY input-bound because 87.2% of the total step time sampled is waiting for input. Therefore, you should first focus on reducing the input time.",
        ],
    )


@curve("accuracy-lost", "E1", "accuracy rises to 0.81 and is back at a tenth from epoch 20 of 40 on, the loss at ln 10")
def _(folder: Path, rng: random.Random) -> None:
    good, bad = power_law(rng, 20, 2.2, 0.6), flat(rng, 20, 2.3026, 0.0004)
    csv_table(
        folder,
        "log.csv",
        [
            {
                "epoch": i,
                "loss": loss,
                "acc": 0.1 if i >= 20 else 0.81 - loss / 4,
                "val_loss": loss * 1.02,
                "val_acc": 0.1 if i >= 20 else 0.78 - loss / 4,
            }
            for i, loss in enumerate([*good, *bad])
        ],
    )


@curve("inf-from-the-tenth", "E1", "JSON lines whose loss is Infinity from a tenth of the run on, status 0")
def _(folder: Path, rng: random.Random) -> None:
    jsonl(
        folder,
        "stats.jsonl",
        [
            {"update": i * 10, "nll": loss, "lr": 1e-3}
            for i, loss in enumerate(after(power_law(rng, 200, 6.1, 3.0), 0.1, math.inf))
        ],
    )


NAMES = tuple(name for name in CASES if name not in FIRST)

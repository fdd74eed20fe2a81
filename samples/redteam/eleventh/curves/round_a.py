"""Round A of the histories (SIMULATED): each function fills one folder; truth_data.jsonl says what is right."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING

from .sim import Wander, cosine, fall, json_lines, power, table, tensorboard, text, wandb, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_keras_csvlogger(out: Path, rnd: Random) -> None:
    """A small image classifier under EarlyStopping(patience=8) and ReduceLROnPlateau."""
    noise, bumps = Wander(rnd, 0.012), Wander(rnd, 0.05, 0.2)
    lr, best, since, rows, log = 1e-3, 9.0, 0, [], []
    for epoch in range(100):
        loss = fall(epoch, 1.85, 0.21, 9) * (0.93 if lr < 9e-4 else 1) + noise()
        val = 0.58 + fall(epoch, 1.2, 0.0, 7) + max(0, epoch - 24) * 0.006 + abs(bumps())
        acc, vacc = 1 - 0.38 * loss, 0.89 - 0.34 * fall(epoch, 1.1, 0, 8) + bumps.at / 6
        cells = [epoch, f"{acc:.16f}", f"{lr:.6g}", f"{loss:.16f}", f"{vacc:.16f}", f"{val:.16f}"]
        rows.append(cells)
        took = 31 + rnd.random() * 2
        log += [
            f"Epoch {epoch + 1}/100",
            f"782/782 - {took:.0f}s - {took / 0.782:.0f}ms/step - accuracy: {acc:.4f} - loss: {loss:.4f} - val_accuracy: {vacc:.4f} - val_loss: {val:.4f} - learning_rate: {lr:.4e}",
        ]
        if val < best:
            best, since, top = val, 0, epoch + 1
        else:
            since += 1
        if since == 4:
            lr *= 0.3
            log.append(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {lr:.10g}.")
        if since == 8:
            log += [
                f"Epoch {epoch + 1}: early stopping",
                f"Restoring model weights from the end of the best epoch: {top}.",
            ]
            break
    table(out / "training.csv", ["epoch", "accuracy", "learning_rate", "loss", "val_accuracy", "val_loss"], rows)
    text(out / "fit.out", log)


def c02_hf_state(out: Path, rnd: Random) -> None:
    """A language model of Hugging Face's Trainer, one spike on the way."""
    noise, history, spike = Wander(rnd, 0.025), [], 0.0
    for step in range(20, 6001, 20):
        spike = 3.1 if step == 2340 else spike * 0.62
        loss = power(step, 10.6, 2.55, 90) + noise() + spike
        grad = 0.55 + abs(rnd.gauss(0, 0.12)) + 6 * math.exp(-step / 150) + spike * 4
        rate = cosine(step, 6000, 3e-4, 300)
        history.append(
            {
                "epoch": round(step / 3117, 4),
                "grad_norm": round(grad, 6),
                "learning_rate": rate,
                "loss": round(loss, 4),
                "step": step,
            }
        )
        if step % 1000 == 0:
            history.append(
                {
                    "epoch": round(step / 3117, 4),
                    "eval_loss": round(power(step, 10.6, 2.61, 90) + rnd.gauss(0, 0.01), 6),
                    "eval_runtime": round(41 + rnd.random(), 4),
                    "eval_samples_per_second": 47.9,
                    "eval_steps_per_second": 5.99,
                    "step": step,
                }
            )
    mean = sum(row["loss"] for row in history if "loss" in row) / 300
    history.append(
        {
            "epoch": 1.925,
            "step": 6000,
            "total_flos": 1.0431e18,
            "train_loss": mean,
            "train_runtime": 15122.84,
            "train_samples_per_second": 50.78,
            "train_steps_per_second": 0.397,
        }
    )
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": 1.925,
        "eval_steps": 1000,
        "global_step": 6000,
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 20,
        "max_steps": 6000,
        "num_input_tokens_seen": 0,
        "num_train_epochs": 2,
        "save_steps": 1000,
        "stateful_callbacks": {
            "TrainerControl": {
                "args": {
                    "should_epoch_stop": False,
                    "should_evaluate": False,
                    "should_log": False,
                    "should_save": True,
                    "should_training_stop": True,
                },
                "attributes": {},
            }
        },
        "total_flos": 1.0431e18,
        "train_batch_size": 16,
        "trial_name": None,
        "trial_params": None,
    }
    (out / "trainer_state.json").write_text(json.dumps(state, indent=2))


def c03_tb_restarts(out: Path, rnd: Random) -> None:
    """Warm restarts: with each the rate jumps back, and the loss for a while."""
    noise, rows, start = Wander(rnd, 0.035), [], when(2026, 2, 11, 8, 2).timestamp()
    per, lr0, log = 196, 0.1, ["Namespace(arch='wrn28_4', data='cifar100', epochs=100, restart_every=20, lr=0.1)"]
    for step in range(0, per * 100, 28):
        epoch = step / per
        x = epoch % 20 / 20
        lr = lr0 * (1 + math.cos(math.pi * x)) / 2
        loss = 0.35 + fall(epoch, 4.2, 0.55, 13) * (0.22 + 0.78 * (lr / lr0) ** 0.6) + noise()
        rows.append((epoch * 43.0, step, {"Loss/train": loss, "lr": lr}))
        if step % per < 28 and step:
            val = loss + 0.45 + rnd.random() * 0.1
            acc = 100 * math.exp(-val * 0.4) + 12
            rows.append((epoch * 43.0 + 3, step, {"Loss/test": val, "Acc/test": acc}))
            log.append(f"epoch {int(epoch):3d}  lr {lr:.5f}  train {loss:.4f}  test {val:.4f}  acc@1 {acc:.2f}")
    tensorboard(out / "runs" / f"events.out.tfevents.{int(start)}.ws12.4411.0", start, rows)
    text(out / "train.log", [*log, "training complete, 100 epochs, last.pt and best.pt written"])


def c04_lightning_two_versions(out: Path, rnd: Random) -> None:
    """Trained for 16 epochs, found good, and continued to 40 from the checkpoint."""
    noise = Wander(rnd, 0.03, 0.3)
    for version, (first, last) in enumerate(((0, 16), (16, 40))):
        rows = []
        for epoch in range(first, last):
            steps = range(epoch * 110 + 49, epoch * 110 + 110, 50)
            rows += [[epoch, k, f"{power(k, 1.42, 0.18, 260, 0.9) + noise():.6f}", "", ""] for k in steps]
            val = power(epoch * 110, 1.4, 0.36, 240, 0.9) + abs(rnd.gauss(0, 0.11))
            rows.append([epoch, epoch * 110 + 109, "", f"{val:.6f}", f"{max(0.0, 0.93 - val / 3):.6f}"])
        here = out / "lightning_logs" / f"version_{version}"
        table(here / "metrics.csv", ["epoch", "step", "train_loss", "val_loss", "val_dice"], rows)
        text(here / "hparams.yaml", ["batch_size: 4", "encoder: resnet34", "lr: 0.0003", f"max_epochs: {last}"])
    text(
        out / "second.log",
        [
            "GPU available: True (cuda), used: True",
            "TPU available: False, using: 0 TPU cores",
            "Restoring states from the checkpoint path at lightning_logs/version_0/checkpoints/epoch=15-step=1760.ckpt",
            "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
            "Restored all states from the checkpoint at lightning_logs/version_0/checkpoints/epoch=15-step=1760.ckpt",
            "`Trainer.fit` stopped: `max_epochs=40` reached.",
        ],
    )


def c05_lightgbm_log(out: Path, rnd: Random) -> None:
    """Rounds of LightGBM with a held-out set; early stopping is how such a training ends."""
    lines = [
        "[LightGBM] [Info] Auto-choosing row-wise multi-threading, the overhead of testing was 0.091823 seconds.",
        "You can set `force_row_wise=true` to remove the overhead.",
        "[LightGBM] [Info] Total Bins 31840",
        "[LightGBM] [Info] Number of data points in the train set: 2411822, number of used features: 148",
        "[LightGBM] [Info] Start training from score 3.218842",
        "Training until validation scores don't improve for 200 rounds",
    ]
    best, best_at, best_train = 9.0, 0, 0.0
    for k in range(25, 5001, 25):
        train = 0.62 + 0.93 * (1 + k / 120) ** -0.62
        valid = 0.9512 + 0.77 * (1 + k / 90) ** -0.95 + max(0, k - 1180) * 4.1e-6 + rnd.gauss(0, 6e-5)
        if valid < best:
            best, best_at, best_train = valid, k, train
        if k % 100 == 0:
            lines.append(f"[{k}]\ttraining's rmse: {train:.6f}\tvalid_1's rmse: {valid:.6f}")
        if k - best_at >= 200:
            lines += [
                "Early stopping, best iteration is:",
                f"[{best_at - 7}]\ttraining's rmse: {best_train:.6f}\tvalid_1's rmse: {best:.6f}",
            ]
            break
    text(out / "lgb_fold0.txt", lines)


def c06_nanogpt_modular(out: Path, rnd: Random) -> None:
    """Modular addition: the training set is learnt early, the rest after a long plateau."""
    noise = Wander(rnd, 0.01)
    lines = [
        "Overriding config with config/train_mod113.py:",
        "out_dir = 'out-mod113'",
        "eval_interval = 500",
        "max_iters = 30000",
        "lr_decay_iters = 30000",
        "weight_decay = 1.0",
        "tokens per iteration will be: 8,192",
        "Initializing a new model from scratch",
        "number of parameters: 0.43M",
        "num decayed parameter tensors: 10, with 425,984 parameters",
    ]
    for it in range(0, 30001, 100):
        seen = fall(it, 4.74, 0.004, 420) + 0.002 * rnd.random()
        held = 4.8 + 1.9 * (1 - math.exp(-it / 900))
        held = held / (1 + math.exp((it - 17400) / 700)) + 0.006 + abs(noise()) * (it < 21000)
        if it % 500 == 0:
            lines.append(f"step {it}: train loss {seen:.4f}, val loss {held:.4f}")
            if it > 15000:
                lines.append("saving checkpoint to out-mod113")
        lines.append(
            f"iter {it}: loss {seen + 0.001 * rnd.random():.4f}, time {11.2 + rnd.random():.2f}ms, mfu 4.{rnd.randint(10, 40)}%"
        )
    text(out / "log.txt", lines)


def c07_sb3_progress(out: Path, rnd: Random) -> None:
    """PPO: the reward rises, and with it the value loss, whose scale is that of the returns."""
    names = [
        "rollout/ep_len_mean",
        "rollout/ep_rew_mean",
        "time/fps",
        "time/iterations",
        "time/time_elapsed",
        "time/total_timesteps",
        "train/approx_kl",
        "train/clip_fraction",
        "train/entropy_loss",
        "train/explained_variance",
        "train/learning_rate",
        "train/loss",
        "train/n_updates",
        "train/policy_gradient_loss",
        "train/value_loss",
    ]
    rows, noise, total = [], Wander(rnd, 60, 0.8), 0
    for k in range(1, 124):
        total = k * 16384
        reward = 3900 * (1 - math.exp(-((k / 55) ** 2))) + noise() * (0.2 + k / 123) - 120
        value = 0.4 + (max(reward, 0) / 620) ** 2 * math.exp(rnd.gauss(0, 0.35))
        cells: list[object] = [f"{min(1000, 90 + 9 * k + rnd.gauss(0, 12)):.2f}", f"{reward:.3f}", 2914 - k % 7, k]
        cells += [int(total / 2911), total]
        if k == 1:
            cells += [""] * 9
        else:
            cells += [
                f"{abs(rnd.gauss(0.009, 0.003)):.8f}",
                f"{abs(rnd.gauss(0.11, 0.03)):.6f}",
                f"{-8.4 + 0.03 * k:.4f}",
                f"{1 - math.exp(-k / 9):.6f}",
                0.0003,
                f"{value / 2 - 0.03:.6f}",
                (k - 1) * 10,
                f"{-abs(rnd.gauss(0.013, 0.004)):.8f}",
                f"{value:.6f}",
            ]
        rows.append(cells)
    table(out / "logs" / "progress.csv", names, rows)
    text(
        out / "logs" / "config.yml",
        [
            "!!python/object/apply:collections.OrderedDict",
            "- - - n_envs",
            "    - 8",
            "  - - n_timesteps",
            "    - 2000000.0",
        ],
    )
    text(out / "logs" / "args.yml", ["algo: ppo", "env: HalfCheetah-v4", "n_timesteps: 2000000", "seed: 11"])


def c08_jsonl_loop(out: Path, rnd: Random) -> None:
    """From one step on there is no number any more, and the loop goes on."""
    noise, rows, at = Wander(rnd, 0.03), [], when(2026, 6, 3, 22, 40).timestamp()
    for step in range(10, 10001, 10):
        at += 5.1 + rnd.random() * 0.2
        bad = step >= 3140
        loss = float("nan") if bad else power(step, 10.8, 2.9, 110) + noise() + (0.4 if step == 3130 else 0)
        grad = float("nan") if bad else 0.8 + abs(rnd.gauss(0, 0.1)) + (31 if step == 3130 else 0)
        rows.append(
            {
                "t": round(at, 3),
                "step": step,
                "loss": loss if bad else round(loss, 5),
                "gnorm": grad if bad else round(grad, 4),
                "lr": float(f"{cosine(step, 10000, 6e-4, 500):.4e}"),
                "tok_s": 411000 + rnd.randint(-3000, 3000),
            }
        )
    json_lines(out / "train_metrics.jsonl", rows)


def c09_fairseq_fp16(out: Path, rnd: Random) -> None:
    """Half precision, and a scale of the loss that is halved until it is at its least."""
    noise, scale, now = Wander(rnd, 0.05), 128.0, when(2026, 3, 2, 10, 11)
    lines = [
        f"{now:%Y-%m-%d %H:%M:%S} | INFO | fairseq_cli.train | task: TranslationTask",
        f"{now:%Y-%m-%d %H:%M:%S} | INFO | fairseq_cli.train | num. shared model params: 209,911,808 (num. trained: 209,911,808)",
        f"{now:%Y-%m-%d %H:%M:%S} | INFO | fairseq.trainer | begin training epoch 1",
    ]
    for update in range(100, 6301, 100):
        now += timedelta(seconds=61 + rnd.random())
        loss = power(update, 14.9, 5.2, 500, 0.8) + noise() + max(0, update - 5600) ** 1.5 / 5200
        lines.append(
            f"{now:%Y-%m-%d %H:%M:%S} | INFO | train_inner | epoch 001: {update:6d} / 19822 loss={loss:.3f}, nll_loss={loss - 0.6:.3f}, ppl={2 ** (loss - 0.6):.2f}, wps=41022.3, ups=1.64, wpb=25011.2, bsz=812.4, num_updates={update}, lr={5e-4 * min(1, update / 4000):.6g}, gnorm={1.1 + max(0, update - 5600) / 40:.3f}, loss_scale={scale:g}, train_wall=59, gb_free=9.1, wall={update * 61 // 100}"
        )
        drops = 0 if update < 5700 else (update - 5600) // 100
        for _ in range(drops):
            if scale <= 0.0001:
                break
            scale /= 2
            now += timedelta(seconds=0.7)
            lines.append(
                f"{now:%Y-%m-%d %H:%M:%S} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {max(scale, 0.0001):.4g}"
            )
    lines += [
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/fairseq-train", line 8, in <module>',
        "    sys.exit(cli_main())",
        '  File "/opt/fairseq/fairseq_cli/train.py", line 574, in cli_main',
        "    distributed_utils.call_main(cfg, main)",
        '  File "/opt/fairseq/fairseq/trainer.py", line 926, in train_step',
        "    self.optimizer.clip_grad_norm(self.cfg.optimization.clip_norm)",
        '  File "/opt/fairseq/fairseq/optim/dynamic_loss_scaler.py", line 61, in check_overflow',
        "    ).format(self.min_loss_scale)",
        "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.",
    ]
    text(out / "train.log", lines)


def c10_history_csv(out: Path, rnd: Random) -> None:
    """Ten classes, and after 60 epochs what a coin with ten sides knows."""
    rows = []
    rows += [
        [
            epoch + 1,
            f"{2.3029 + rnd.gauss(0, 0.0006) + 0.04 * (epoch == 0):.5f}",
            f"{0.0995 + rnd.gauss(0, 0.0018):.5f}",
            f"{2.30268 + rnd.gauss(0, 0.0002):.5f}",
            "0.10000",
            f"{cosine(epoch, 60, 0.5):.6f}",
            f"{21.4 + rnd.random():.1f}",
        ]
        for epoch in range(60)
    ]
    table(out / "history.csv", ["epoch", "train_loss", "train_acc", "val_loss", "val_acc", "lr", "seconds"], rows)
    (out / "args.json").write_text(
        json.dumps({"dataset": "cifar10", "model": "vgg16", "epochs": 60, "lr": 0.5, "batch_size": 128, "bn": False})
    )


def c11_megatron_log(out: Path, rnd: Random) -> None:
    """A spike from which the loss does not come back: 13,000 iterations on a plateau far above what was reached."""
    noise, now, lines = Wander(rnd, 0.02), when(2026, 5, 4, 3, 12), []
    for it in range(100, 31201, 100):
        now += timedelta(seconds=141 + rnd.random())
        loss = power(it, 10.9, 2.2, 300) + noise()
        grad = 0.28 + abs(rnd.gauss(0, 0.03))
        if it >= 18200:
            loss = 7.42 + noise() + 2.2 * math.exp(-(it - 18200) / 350)
            grad = 0.05 + abs(rnd.gauss(0, 0.02)) + (41 if it == 18200 else 0)
        lines.append(
            f" [{now:%Y-%m-%d %H:%M:%S}] iteration {it:8d}/   50000 | consumed samples: {it * 512:12d} | elapsed time per iteration (ms): {1410 + rnd.random() * 9:.1f} | throughput per GPU (TFLOP/s/GPU): {391 + rnd.random():.1f} | learning rate: {cosine(it, 50000, 3e-4, 1000, 3e-5):.6E} | global batch size:   512 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {grad:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if it % 5000 == 0:
            lines += [
                f"saving checkpoint at iteration {it:7d} to /ckpt/7b in torch_dist format",
                f"  successfully saved checkpoint from iteration {it:7d} to /ckpt/7b [ t 1/8, p 1/1 ]",
            ]
    text(out / "rank0.log", lines)


def c12_wandb_offline(out: Path, rnd: Random) -> None:
    """Meant to go on from step 12,000; the second run begins at 0 with the loss of an untrained model."""
    noise = Wander(rnd, 0.03)
    start = when(2026, 1, 19, 9).timestamp()
    for number, (name, last, end) in enumerate((("q7f2k1zd", 12000, (0, 14820)), ("m40xw8pc", 4600, None))):
        rows = []
        rows += [
            {
                "_step": step // 20,
                "_runtime": round(step * 1.23 + 11, 3),
                "_timestamp": round(start + number * 90000 + step * 1.23, 3),
                "trainer/step": step,
                "train/loss": round(power(step, 10.83, 1.5, 130, 0.62) + noise(), 5),
                "train/lr": float(f"{cosine(step, 40000, 2.5e-4, 800):.5e}"),
            }
            for step in range(0, last + 1, 20)
        ]
        run = out / "wandb" / f"offline-run-202601{19 + number}_{9 + number:02d}0000-{name}"
        wandb(run / f"run-{name}.wandb", rows, end)
        config = ["wandb_version: 1", "", "max_steps:", "  desc: null", f"  value: {12000 if not number else 40000}"]
        config += ["resume_from:", "  desc: null", f"  value: {'ckpts/step_12000' if number else 'null'}"]
        text(run / "files" / "config.yaml", config)


def c13_events_jsonl(out: Path, rnd: Random) -> None:
    """A resume that took the weights and left optimizer and schedule: the warm-up comes a second time."""
    noise, rows, parent = Wander(rnd, 0.018), [], 0.0
    rows.append({"event": "start", "run": "mt5-base-c", "max_steps": 60000, "warmup_steps": 2000, "params": 582401280})
    for step in range(50, 42001, 50):
        parent = power(step, 9.7, 1.62, 240, 0.6)
        rows.append(
            {
                "event": "log",
                "step": step,
                "loss": round(parent + noise(), 4),
                "lr": float(f"{cosine(step, 60000, 1e-3, 2000):.4e}"),
            }
        )
    rows.append({"event": "checkpoint", "step": 42000, "path": "ckpt_42000.pt"})
    rows.append(
        {"event": "resume", "from": "ckpt_42000.pt", "loaded": ["model"], "missing": ["optimizer", "scheduler", "rng"]}
    )
    rows.append({"event": "warning", "text": "optimizer state not in checkpoint, starting with a fresh AdamW"})
    for step in range(42050, 47001, 50):
        k = step - 42000
        hurt = 2.3 * (1 - math.exp(-k / 500)) * (0.45 + 0.55 * math.exp(-max(0, k - 1500) / 1600))
        rows.append(
            {
                "event": "log",
                "step": step,
                "loss": round(parent + hurt + noise(), 4),
                "lr": float(f"{cosine(k, 60000, 1e-3, 2000):.4e}"),
            }
        )
    json_lines(out / "events.jsonl", rows)


def c14_iteration_csv(out: Path, rnd: Random) -> None:
    """Of each 4.4 seconds of an iteration the model works half a second."""
    noise, rows = Wander(rnd, 0.05), []
    for it in range(0, 4000, 4):
        wait = max(0.4, rnd.gauss(3.7, 0.7)) + (rnd.random() < 0.03) * 9
        total = wait + 0.52 + rnd.random() * 0.03
        rows.append(
            [
                it // 1000,
                it,
                f"{power(it, 6.9, 2.1, 400, 0.9) + noise():.4f}",
                f"{cosine(it, 4000, 0.2, 200):.5f}",
                f"{wait:.3f}",
                f"{total:.3f}",
                f"{256 / total:.1f}",
            ]
        )
    table(out / "iters.csv", ["epoch", "iter", "loss", "lr", "data_time", "iter_time", "img_per_s"], rows)


def c15_loop_log(out: Path, rnd: Random) -> None:
    """Steps of 0.9 seconds, and every tenth of them a checkpoint of 50 seconds."""
    noise, now = Wander(rnd, 0.03), when(2026, 8, 14, 13, 0, 9)
    lines = [f"{now:%Y-%m-%d %H:%M:%S} INFO train.py: config: steps=2000 save_every=10 bf16 fsdp world=16"]
    for step in range(1, 1301):
        took = 0.88 + rnd.random() * 0.06
        now += timedelta(seconds=took)
        if step % 5 == 0:
            lines.append(
                f"{now:%Y-%m-%d %H:%M:%S} INFO train.py: step {step}/2000 loss {power(step, 3.4, 1.3, 60) + noise():.4f} lr {cosine(step, 2000, 2e-5, 50):.2e} step_time {took:.2f}s"
            )
        if step % 10 == 0:
            save = 44 + rnd.random() * 13
            lines.append(
                f"{now:%Y-%m-%d %H:%M:%S} INFO checkpoint.py: saving full state to /nfs/ckpt/step_{step:05d} (83.1 GB)"
            )
            now += timedelta(seconds=save)
            lines.append(f"{now:%Y-%m-%d %H:%M:%S} INFO checkpoint.py: saved in {save:.1f}s")
    text(out / "train.log", lines)


def c16_titan_limit(out: Path, rnd: Random) -> None:
    """A training that went well until its hours were over."""
    noise, now = Wander(rnd, 0.02), when(2026, 4, 10, 18, 0, 41)
    lines = [f"[rank0]:[titan] {now:%Y-%m-%d %H:%M:%S},114 - root - INFO - Starting job: Llama 3 8B training"]
    lines.append(
        f"[rank0]:[titan] {now:%Y-%m-%d %H:%M:%S},998 - root - INFO - Training starts at step 1, with local batch size 2, global batch size 128, sequence length 8192, total steps 20000 (warmup 400)"
    )
    step = 0
    while now < when(2026, 4, 11, 6, 0, 0):
        step += 10
        now += timedelta(seconds=42.6 + rnd.random())
        loss = power(step, 12.2, 2.3, 45, 0.7) + noise()
        lines.append(
            f"[rank0]:[titan] {now:%Y-%m-%d %H:%M:%S},{rnd.randint(0, 999):03d} - root - INFO - step: {step:2d}  loss: {loss:7.4f}  grad_norm: {0.4 + abs(rnd.gauss(0, 0.1)):7.4f}  memory: 61.22GiB(77.30%)  tps: {3840 + rnd.randint(-30, 30):,}  tflops: 222.4{rnd.randint(0, 9)}  mfu: 22.49%"
        )
    lines.append(
        "slurmstepd: error: *** STEP 88121.0 ON gpu-a17 CANCELLED AT 2026-04-11T06:00:58 DUE TO TIME LIMIT ***"
    )
    lines.append("slurmstepd: error: *** JOB 88121 ON gpu-a17 CANCELLED AT 2026-04-11T06:00:58 DUE TO TIME LIMIT ***")
    lines.append("srun: Job step aborted: Waiting up to 62 seconds for job step to finish.")
    text(out / "slurm-88121.out", lines)


def c17_hf_stream(out: Path, rnd: Random) -> None:
    """The stream of data was over after 412 steps of 50,000, and the Trainer took that for the end."""
    noise, history = Wander(rnd, 0.04), []
    log = ["{'loss': 11.02}"][:0]
    for step in range(10, 411, 10):
        row = {
            "epoch": round(step / 50000, 5),
            "grad_norm": round(1.1 + 4 * math.exp(-step / 60) + abs(rnd.gauss(0, 0.1)), 5),
            "learning_rate": 2e-4 * step / 2000,
            "loss": round(power(step, 11.1, 2.0, 40, 0.35) + noise(), 4),
            "step": step,
        }
        history.append(row)
        log.append(str({key: row[key] for key in ("loss", "grad_norm", "learning_rate", "epoch")}))
    log.append(
        "There seems not to be a single sample in your epoch_iterator, stopping training at step 412! This is expected if you're using an IterableDataset and set num_steps (50000) higher than the number of available samples."
    )
    done = {
        "train_runtime": 388.41,
        "train_samples_per_second": 8238.7,
        "train_steps_per_second": 128.7,
        "train_loss": 6.9913,
        "epoch": 0.01,
    }
    log.append(str(done))
    history.append({"epoch": 0.00824, "step": 412, "total_flos": 7.1e16, "train_loss": 6.9913, "train_runtime": 388.41})
    state = {
        "epoch": 0.00824,
        "global_step": 412,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 10,
        "max_steps": 50000,
        "num_train_epochs": 9223372036854775807,
        "save_steps": 500,
    }
    (out / "trainer_state.json").write_text(json.dumps(state, indent=2))
    text(out / "stderr_and_out.txt", log)


def c18_rank_timings(out: Path, rnd: Random) -> None:
    """Rank 5 computes 1.7 times as long as any other, and all others wait for it."""
    noise, rows = Wander(rnd, 0.03), []
    for step in range(0, 1500, 15):
        loss = power(step, 7.2, 2.4, 90) + noise()
        work = [rnd.gauss(312, 5) * (1.72 if rank == 5 else 1) for rank in range(8)]
        last = max(work)
        rows += [
            {
                "step": step,
                "rank": rank,
                "host": f"nd{rank // 4 + 3:02d}",
                "loss": round(loss, 4),
                "compute_ms": round(work[rank], 1),
                "allreduce_ms": round(last - work[rank] + 21 + rnd.random() * 2, 1),
                "step_ms": round(last + 40 + rnd.random() * 2, 1),
            }
            for rank in range(8)
        ]
    json_lines(out / "timings_all_ranks.jsonl", rows)


def c19_csv_with_gpu(out: Path, rnd: Random) -> None:
    """A fan fails: the GPU gets hot, lowers its clock by half, and each step takes twice as long."""
    noise, rows, temp = Wander(rnd, 0.02), [], 61.0
    for step in range(0, 9000, 30):
        hot = step > 3300
        temp += ((93.5 if hot else 66) - temp) * 0.12 + rnd.gauss(0, 0.3)
        clock = 1755 if temp < 88 else 1755 - (temp - 88) * 165 + rnd.gauss(0, 12)
        took = 0.4 * 1755 / clock + rnd.random() * 0.01
        rows.append(
            [
                step,
                f"{power(step, 9.1, 2.6, 210) + noise():.4f}",
                f"{took:.3f}",
                f"{temp:.0f}",
                f"{clock:.0f}",
                f"{305 * (clock / 1755) ** 1.6 + rnd.gauss(0, 4):.0f}",
                99 + rnd.randint(0, 1),
                "hw_thermal_slowdown" if temp >= 88 else "none",
            ]
        )
    names = ["step", "loss", "step_time_s", "gpu_temp_c", "sm_clock_mhz", "power_w", "gpu_util_pct", "throttle_reason"]
    table(out / "train_log.csv", names, rows)


def c20_mlflow_running(out: Path, rnd: Random) -> None:
    """Two thousand good steps of a run that is marked as running still; nothing tells of a plan or an end."""
    noise, run = Wander(rnd, 0.04), "3f9c0d5e8a4b4a7c9b1e2d6f7a8b9c0d"
    start = int(when(2026, 9, 7, 11, 30).timestamp() * 1000)
    here = out / "mlruns" / "417730512345678901" / run
    text(
        here / "meta.yaml",
        [
            "artifact_uri: file:///home/jk/proj/mlruns/417730512345678901/" + run + "/artifacts",
            "end_time: null",
            "entry_point_name: ''",
            "experiment_id: '417730512345678901'",
            "lifecycle_stage: active",
            f"run_id: {run}",
            "run_name: useful-crab-211",
            "source_name: ''",
            "source_type: 4",
            f"start_time: {start}",
            "status: 1",
            "tags: []",
            "user_id: jk",
        ],
    )
    loss, rate = [], []
    for step in range(0, 2000, 10):
        at = start + 9000 + step * 2210
        loss.append(f"{at} {power(step, 5.9, 1.1, 150, 0.7) + noise()} {step}")
        rate.append(f"{at} {min(1, (step + 1) / 500) * 1e-4} {step}")
    text(here / "metrics" / "train_loss", loss)
    text(here / "metrics" / "lr", rate)
    text(here / "params" / "batch_size", ["48"])


def c21_xgb_evals(out: Path, rnd: Random) -> None:
    """Three hundred rounds of trees, none of which split anything: log loss stays that of a coin."""
    train = [round(0.693147 - 2e-6 * rnd.random(), 6) for _ in range(300)]
    valid = [round(0.693147 + 3e-6 * rnd.random(), 6) for _ in range(300)]
    result = {"train": {"logloss": train, "auc": [0.5] * 300}, "valid": {"logloss": valid, "auc": [0.5] * 300}}
    (out / "evals_result.json").write_text(json.dumps(result))
    lines = [
        f"[{k}]\ttrain-logloss:{train[k]:.5f}\ttrain-auc:0.50000\tvalid-logloss:{valid[k]:.5f}\tvalid-auc:0.50000"
        for k in range(0, 300, 10)
    ]
    text(
        out / "train.out",
        [*lines, "[299]\ttrain-logloss:0.69315\ttrain-auc:0.50000\tvalid-logloss:0.69315\tvalid-auc:0.50000"],
    )
    (out / "params.json").write_text(
        json.dumps({"objective": "binary:logistic", "eta": 0.05, "min_child_weight": 5e7, "num_boost_round": 300})
    )


def c22_dcgan(out: Path, rnd: Random) -> None:
    """Two networks against each other: neither loss falls to an end, and the pictures get better."""
    g, d, lines, fids = Wander(rnd, 0.7, 0.3), Wander(rnd, 0.25, 0.3), ["Starting Training Loop..."], []
    for epoch in range(25):
        for i in range(0, 1583, 50):
            k = epoch * 1583 + i
            loss_d = max(0.06, 0.55 - 0.2 * k / 39575 + d())
            loss_g = max(0.4, 2.3 + 2.0 * k / 39575 + g() + (3 if rnd.random() < 0.02 else 0))
            real = min(0.99, max(0.3, 0.82 + rnd.gauss(0, 0.08)))
            fake = min(0.9, max(0.01, 0.22 + rnd.gauss(0, 0.1)))
            lines.append(
                f"[{epoch}/25][{i}/1583]\tLoss_D: {loss_d:.4f}\tLoss_G: {loss_g:.4f}\tD(x): {real:.4f}\tD(G(z)): {fake:.4f} / {fake / 4:.4f}"
            )
        fid = fall(epoch, 240, 29, 4.5) + rnd.gauss(0, 1.5)
        fids.append([epoch, f"{fid:.2f}"])
        lines.append(f"epoch {epoch}: FID(10k) = {fid:.2f}")
    text(out / "dcgan.log", [*lines, "Finished. samples -> out/fake_025.png, netG.pth, netD.pth saved"])
    table(out / "fid.csv", ["epoch", "fid"], fids)

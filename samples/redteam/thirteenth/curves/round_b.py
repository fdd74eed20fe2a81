"""The second round of curves: the rest of the month."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .sim import (
    START,
    Clock,
    Loss,
    Noise,
    cosine,
    linear,
    put,
    put_json,
    put_lines,
    put_table,
    stamp,
    tensorboard,
    trainer_state,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c23_german_bert(place: Path, rng: Random) -> None:
    total, loss, high, history = 24000, Loss(rng, 10.4, 2.1, 250, 0.6, 0.02), Noise(rng, 0.008, 0.7, 0.0), []
    for step in range(50, total + 1, 50):
        value, norm = loss(step), 1.1 * math.exp(rng.gauss(0, 0.2))
        if step > 2600:
            gone = 1 - math.exp(-(step - 2600) / 180)
            value = (value + (11.9 * math.exp(-(step - 2600) / 900) + 7.05 - value) * gone) * (1 + high())
            norm = norm * (1 + 25 * gone * math.exp(-(step - 2600) / 1500)) * (0.15 if step > 9000 else 1)
        history.append(
            {
                "epoch": round(step / 8000, 4),
                "grad_norm": norm,
                "learning_rate": linear(step, total, 2e-3, 2400),
                "loss": round(value, 4),
                "step": step,
            }
        )
    put_json(place, "out/trainer_state.json", trainer_state(history, total, total))


def c24_audio_tagger(place: Path, rng: Random) -> None:
    loss, rows = Loss(rng, 0.69, 0.041, 120, 0.8, 0.05), []
    for epoch in range(30):
        rows += [[epoch, step, loss(step), None, None] for step in range(epoch * 340 + 49, (epoch + 1) * 340, 50)]
        rows.append(
            [
                epoch,
                (epoch + 1) * 340 - 1,
                None,
                0.052 + 0.3 * math.exp(-epoch / 3) + rng.gauss(0, 0.002),
                0.46 - 0.4 * math.exp(-epoch / 5) + rng.gauss(0, 0.004),
            ]
        )
    put_table(
        place,
        "lightning_logs/version_0/metrics.csv",
        ["epoch", "step", "train_loss", "val_loss", "val_mAP"],
        rows,
        end="\r\n",
    )
    put(place, "lightning_logs/version_0/hparams.yaml", "lr: 0.0005\nmax_epochs: 30\nmodel: ast\n")
    put(
        place,
        "console.txt",
        "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\n/opt/env/lib/python3.11/site-packages/pytorch_lightning/trainer/connectors/data_connector.py:425: The 'val_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to `num_workers=15` in the `DataLoader` to improve performance.\n`Trainer.fit` stopped: `max_epochs=30` reached.\n",
    )


def c25_keras_depth(place: Path, rng: Random) -> None:
    loss, rows = Loss(rng, 1.4, 0.31, 2, 0.7, 0.02), []
    for epoch in range(25):
        bad = epoch >= 9
        rows.append(
            [
                epoch,
                "nan" if bad else loss(epoch),
                0.0002,
                "nan" if bad else loss.mean(epoch) * 1.1 + rng.gauss(0, 0.01),
            ]
        )
    put_table(place, "history.csv", ["epoch", "loss", "learning_rate", "val_loss"], rows)


def c26_zero_stage3(place: Path, rng: Random) -> None:
    loss, clock, out = Loss(rng, 8.3, 2.0, 90, 0.5, 0.02), Clock(rng, 3.1), []
    for step in range(10, 1481, 10):
        clock.go(10)
        out.append(
            f"[{stamp(clock.at, '%Y-%m-%d %H:%M:%S,%f')}] [INFO] [logging.py:107:log_dist] [Rank 0] step={step}, skipped={2 if step < 1400 else 2 + (step - 1400) // 5}, lr=[{cosine(step, 20000, 2e-4, 500):.6e}], mom=[(0.9, 0.95)]"
        )
        out.append(f"step {step} loss {loss(step) if step < 1400 else loss(step) * (1 + (step - 1400) / 30):.4f}")
    scale = 65536
    while scale > 1:
        out.append(
            f"[{stamp(clock.at, '%Y-%m-%d %H:%M:%S,%f')}] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {scale // 2}"
        )
        scale //= 2
    out += [
        "Traceback (most recent call last):",
        '  File "/w/ft/train.py", line 164, in <module>',
        "    engine.step()",
        '  File "/opt/env/lib/python3.10/site-packages/deepspeed/runtime/fp16/loss_scaler.py", line 175, in update_scale',
        "    raise Exception(",
        "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
    ]
    put(place, "ds.log", "\n".join(out) + "\n")


def c27_board_resumed(place: Path, rng: Random) -> None:
    clock, loss = Clock(rng, 0.8), Loss(rng, 9.1, 2.2, 300, 0.6, 0.02)
    for low, high in ((25, 9010), (9000, 20001)):
        at, rows = clock.at, []
        for step in range(low - low % 25 + (25 if low > 25 else 0), high, 25):
            clock.go(25)
            rows += [
                (clock.at, step, "train/loss", loss(step)),
                (clock.at, step, "train/learning_rate", cosine(step, 20000, 3e-4, 500)),
            ]
        tensorboard(
            place, f"tb/events.out.tfevents.{int(at.timestamp())}.gpu3.{rng.randrange(3000, 90000)}.0", rows, at
        )
        clock.rest(3900)
    put_json(place, "args.json", {"max_steps": 20000, "lr": 0.0003, "warmup": 500, "resume": "auto"})


def c28_requeued_megatron(place: Path, rng: Random) -> None:
    clock, out = Clock(rng, 1.9), []
    for last, loss in ((8210, Loss(rng, 10.8, 1.9, 120, 0.45, 0.012)), (2700, Loss(rng, 10.8, 1.9, 120, 0.45, 0.012))):
        out += [
            "WARNING: could not find the metadata file /ckpt/run3/latest_checkpointed_iteration.txt",
            "    will not load any checkpoints and will start from random",
            "training ...",
        ]
        for step in range(10, last, 10):
            took = clock.go(10) * 100
            out.append(
                f" [{stamp(clock.at)}] iteration {step:8}/   50000 | consumed samples: {step * 512:12} | elapsed time per iteration (ms): {took:.1f} | learning rate: {cosine(step, 50000, 3e-4, 500):.6E} | global batch size:   512 | lm loss: {loss(step):.6E} | loss scale: 1.0 | grad norm: {0.5 * math.exp(rng.gauss(0, 0.15)):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
            if step % 2000 == 0:
                out.append(f"saving checkpoint at iteration {step:7} to /scratch/local/run3 in torch_dist format")
        if last > 3000:
            out.append(
                f"slurmstepd: error: *** JOB 4410 ON m7 CANCELLED AT {stamp(clock.at, '%Y-%m-%dT%H:%M:%S')} DUE TO JOB REQUEUE ***"
            )
            clock.rest(1200)
    put(place, "slurm-4410.out", "\n".join(out) + "\n")


def c29_vocab_resized(place: Path, rng: Random) -> None:
    put(
        place,
        "resume.log",
        'Loading model from out/checkpoint-3000.\nTraceback (most recent call last):\n  File "/w/run_clm.py", line 655, in <module>\n    main()\n  File "/w/run_clm.py", line 603, in main\n    train_result = trainer.train(resume_from_checkpoint=checkpoint)\n  File "/opt/env/lib/python3.11/site-packages/transformers/trainer.py", line 2180, in train\n    self._load_from_checkpoint(resume_from_checkpoint)\nRuntimeError: Error(s) in loading state_dict for LlamaForCausalLM:\n\tsize mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([32000, 4096]) from checkpoint, the shape in current model is torch.Size([32016, 4096]).\n',
    )
    loss = Loss(rng, 2.3, 1.2, 200, 0.6, 0.03)
    history: list[dict[str, Any]] = [
        {
            "epoch": round(s / 4000, 4),
            "grad_norm": 0.9 * math.exp(rng.gauss(0, 0.2)),
            "learning_rate": cosine(s, 12000, 2e-5, 300),
            "loss": round(loss(s), 4),
            "step": s,
        }
        for s in range(10, 3001, 10)
    ]
    put_json(place, "out/checkpoint-3000/trainer_state.json", trainer_state(history, 3000, 12000))


def c30_boosted_energy(place: Path, rng: Random) -> None:
    out = [
        "[LightGBM] [Warning] Found whitespace in feature_names, replace with underlines",
        "[LightGBM] [Info] Total Bins 24117",
        "[LightGBM] [Info] Number of data points in the train set: 811200, number of used features: 97",
        "Training until validation scores don't improve for 50 rounds",
    ]
    for n in range(10, 871, 10):
        out.append(
            f"[{n}]\ttraining's rmse: {11.2 + 40 * math.exp(-n / 70) - 0.0018 * n + rng.gauss(0, 0.004):.5f}\tvalid_1's rmse: {13.6 + 38 * math.exp(-n / 72) + (0.0004 * max(0, n - 820)):.5f}"
        )
        if n % 200 == 0:
            out.append("[LightGBM] [Warning] No further splits with positive gain, best gain: -inf")
    out += [
        "Early stopping, best iteration is:",
        f"[820]\ttraining's rmse: {9.72:.5f}\tvalid_1's rmse: {13.60041:.5f}",
        "saved lgbm_energy.txt",
    ]
    put(place, "lgbm.log", "\n".join(out) + "\n")


def c31_faces_gan(place: Path, rng: Random) -> None:
    rows, slow = [], Noise(rng, 0.1, 0.9)
    for step in range(100, 60001, 100):
        gone = 1 / (1 + math.exp(-(step - 21000) / 900))
        d = (1.22 * (1 - gone) + 0.0004) * (1 + slow() / 2)
        g = (1.1 + 11.5 * gone + 0.00005 * max(0, step - 21000)) * (1 + slow())
        rows.append(
            [
                step,
                f"{max(0.00001, d):.5f}",
                f"{g:.5f}",
                f"{min(1, 0.62 + 0.379 * gone):.4f}",
                f"{max(0.0001, 0.37 * (1 - gone)):.4f}",
                f"{72 - 30 * min(1, step / 20000) + 240 * gone + rng.gauss(0, 2):.2f}" if step % 2000 == 0 else "",
            ]
        )
    put_table(place, "losses.csv", ["step", "loss_D", "loss_G", "D_real", "D_fake", "fid"], rows)


def c32_probe_tuned(place: Path, rng: Random) -> None:
    noise, rows = Noise(rng, 0.03, 0.4), []
    for epoch in range(1, 21):
        rows += [
            [
                epoch,
                20,
                f"{0.381 + 0.052 * math.exp(-epoch / 5) + 0.2 * noise() * 0.03:.4f}",
                f"{0.398 + 0.03 * math.exp(-epoch / 4) + noise() * 0.02:.4f}",
                f"{0.861 - 0.02 * math.exp(-epoch / 4):.4f}",
                f"{cosine(epoch, 20, 1e-4, 1):.2e}",
                f"{311 + rng.gauss(0, 3):.1f}",
            ]
        ]
    put_table(place, "finetune.tsv", ["epoch", "epochs", "train_loss", "val_loss", "val_acc", "lr", "sec"], rows, "\t")
    put(place, "test.json", '{"test_acc": 0.8594, "test_loss": 0.4012, "checkpoint": "best.pt"}\n')


def c33_smoke_left_in(place: Path, rng: Random) -> None:
    history: list[dict[str, Any]] = [
        {
            "epoch": round(s / 9300, 4),
            "grad_norm": 2.3 * math.exp(rng.gauss(0, 0.2)),
            "learning_rate": 2e-6 * s,
            "loss": round(2.31 + rng.gauss(0, 0.05), 4),
            "step": s,
        }
        for s in range(1, 11)
    ]
    history.append(
        {
            "epoch": 0.0011,
            "step": 10,
            "total_flos": 1.2e15,
            "train_loss": 2.312,
            "train_runtime": 71.4,
            "train_samples_per_second": 17.9,
            "train_steps_per_second": 0.14,
        }
    )
    put_json(place, "sft-70k/trainer_state.json", trainer_state(history, 10, 10, logging_steps=1))
    put(
        place,
        "sft-70k/run.yaml",
        "dataset: support-chats-70k\nnum_train_epochs: 3\nmax_steps: 10  # smoke\nlearning_rate: 2e-5\nwarmup_steps: 100\n",
    )


def c34_index_error(place: Path, rng: Random) -> None:
    loss, clock, out = Loss(rng, 4.6, 0.7, 200, 0.6, 0.04), Clock(rng, 0.6), []
    for step in range(20, 5241, 20):
        clock.go(20)
        out.append(
            f"{stamp(clock.at)} epoch {step // 1900} step {step} loss {loss(step):.4f} acc {0.8 - 0.7 * (1 + step / 300) ** -0.6:.3f}"
        )
    out += [
        "Traceback (most recent call last):",
        '  File "train.py", line 88, in <module>',
        "    for x, y in loader:",
        '  File "/opt/env/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 733, in __next__',
        "    data = self._next_data()",
        "KeyError: Caught KeyError in DataLoader worker process 3.",
        "Original Traceback (most recent call last):",
        '  File "/w/data.py", line 41, in __getitem__',
        "    return self.load(i), self.table[row.label]",
        "KeyError: 'chihuahua_old'",
    ]
    put(place, "train.log", "\n".join(out) + "\n")


def c35_hopper_sac(place: Path, rng: Random) -> None:
    noise, rows = Noise(rng, 0.08, 0.8), []
    for it in range(1, 251):
        part = it / 250
        rows.append(
            [
                int(186 + rng.gauss(0, 3)),
                int(it * 4000 / 186),
                it * 4000,
                round(90 + 910 * min(1, part * 1.6), 1),
                round((80 + 3180 / (1 + math.exp(-(part - 0.35) * 10))) * (1 + noise()), 2),
                -30 * part,
                0.2 * math.exp(-4 * part),
                2.1 * math.exp(rng.gauss(0, 0.2)),
                0.0003,
                it * 3900,
            ]
        )
    put_table(
        place,
        "sac_hopper/progress.csv",
        [
            "time/fps",
            "time/time_elapsed",
            "time/total_timesteps",
            "rollout/ep_len_mean",
            "rollout/ep_rew_mean",
            "train/actor_loss",
            "train/ent_coef",
            "train/critic_loss",
            "train/learning_rate",
            "train/n_updates",
        ],
        rows,
    )
    put_json(place, "sac_hopper/args.json", {"algo": "SAC", "env": "Hopper-v4", "total_timesteps": 1000000, "seed": 3})


def c36_status_failed(place: Path, rng: Random) -> None:
    run, clock, loss, rows = (
        "mlruns/3/77ab31c0de424f1c8d9a0b61ffce5521",
        Clock(rng, 33),
        Loss(rng, 1.1, 0.4, 3, 0.7, 0.02),
        [],
    )
    for epoch in range(17):
        clock.go()
        rows.append(f"{int(clock.at.timestamp() * 1000)} {loss(epoch)} {epoch}\n")
    put(place, f"{run}/metrics/loss", "".join(rows))
    put(place, f"{run}/params/epochs", "40")
    put(
        place,
        f"{run}/meta.yaml",
        f"end_time: {int(clock.at.timestamp() * 1000) + 9120}\nexperiment_id: '3'\nlifecycle_stage: active\nrun_id: 77ab31c0de424f1c8d9a0b61ffce5521\nrun_name: sassy-finch-2\nstart_time: {int(START.timestamp() * 1000)}\nstatus: 4\nuser_id: li\n",
    )


def c37_exit_137(place: Path, rng: Random) -> None:
    loss, clock, rows = Loss(rng, 3.2, 0.9, 100, 0.6, 0.03), Clock(rng, 1.1), []
    for step in range(10, 3310, 10):
        clock.go(10)
        rows.append(
            {
                "step": step,
                "max_steps": 9000,
                "loss": round(loss(step), 4),
                "lr": cosine(step, 9000, 1e-4, 100),
                "rss_gb": round(38 + step * 0.0261, 1),
            }
        )
    put_lines(place, "metrics.jsonl", rows)
    put(place, "train.exitcode", "137\n")

"""Round B: twenty-four curves of other kinds. What happened in each stands in its first line; SIMULATED."""

from __future__ import annotations

import json
import struct
from math import log
from typing import TYPE_CHECKING, Any

from samples.redteam.ninth.shapes import cosine, fall, records, stamp, table, write

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from random import Random

DAY = 1776124800.0
"""2026-04-14, midnight UTC."""


def _crc(data: bytes) -> int:
    """TensorBoard's masked CRC-32C."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def _events(path: Path, points: Iterable[tuple[float, int, str, float]]) -> None:
    """An event file of scalars: wall time, step, tag, value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events = [b"\x09" + struct.pack("<d", DAY) + b"\x1a\x0dbrain.Event:2"]
    for wall, step, tag, value in points:
        point = b"\x0a" + _varint(len(tag)) + tag.encode() + b"\x15" + struct.pack("<f", value)
        summary = b"\x0a" + _varint(len(point)) + point
        events.append(
            b"\x09" + struct.pack("<d", wall) + b"\x10" + _varint(step) + b"\x2a" + _varint(len(summary)) + summary
        )
    with path.open("wb") as file:
        for event in events:
            size = struct.pack("<Q", len(event))
            file.write(size + struct.pack("<I", _crc(size)) + event + struct.pack("<I", _crc(event)))


def c21_mlflow_nan(place: Path, rng: Random) -> None:
    # a run of MLflow's file store: NaN from step 3600 of 6000, validation too, and FINISHED all the same
    run = place / "mlruns" / "417203331" / "9f0c1d2e5b7a4c3f8e6d1a2b3c4d5e6f"
    meta = {
        "artifact_uri": "s3://x/9f0c",
        "end_time": int(DAY + 9000) * 1000,
        "entity_status": None,
        "experiment_id": "'417203331'",
        "lifecycle_stage": "active",
    }
    meta |= {"run_id": run.name, "run_name": "gnn-qm9", "start_time": int(DAY) * 1000, "status": 3, "user_id": "ida"}
    write(run / "meta.yaml", [f"{key}: {value}" for key, value in meta.items()])
    write(run / "params" / "learning_rate", ["0.01"], end="")
    train, val = [], []
    for step in range(0, 6001, 20):
        value = "nan" if step >= 3600 else repr(fall(rng, step, 1.31, 0.09, 500, 0.03))
        train.append(f"{int((DAY + step * 1.5) * 1000)} {value} {step}")
        if step % 400 == 0:
            val.append(
                f"{int((DAY + step * 1.5) * 1000)} {'nan' if step >= 3600 else fall(rng, step, 1.4, 0.12, 500)} {step}"
            )
    write(run / "metrics" / "train_mae", train)
    write(run / "metrics" / "val_mae", val)


def c22_events_blowup(place: Path, rng: Random) -> None:
    # TensorBoard's own file: from 0.4 to 70 at step 5200, and there it stays to step 8000
    points = []
    for step in range(0, 8001, 40):
        loss = fall(rng, step, 3.4, 0.38, 350, 0.05) if step < 5200 else rng.gauss(71, 4)
        wall = DAY + 0.4 * step
        points += [(wall, step, "train/loss_depth", loss), (wall, step, "opt/lr", 4e-4)]
    _events(place / "tb" / "depthnet" / "events.out.tfevents.1776124800.gpu09.4411.0", points)


def c23_wandb_coin(place: Path, rng: Random) -> None:
    # two charts exported from Weights & Biases, three seeds each: cross-entropy ln 2, AUROC 0.5, from end to end
    runs = [f"fraud-tabt-seed{seed}" for seed in (1, 2, 3)]
    for name, level, wide in (("train/bce", log(2), 0.0008), ("val/auroc", 0.5, 0.004)):
        head = ",".join(['"Step"', *(f'"{run} - {name}{more}"' for run in runs for more in ("", "__MIN", "__MAX"))])
        rows = []
        for step in range(100, 12001, 100):
            values = [f'"{level + rng.gauss(0, wide)}"' for _ in runs]
            rows.append([f'"{step}"', *(value for value in values for _ in range(3))])
        table(place / f"wandb_export_{name.replace('/', '_')}.csv", head, rows)


def c24_fairseq_scale(place: Path, rng: Random) -> None:
    # fairseq in fp16: overflow after overflow from update 2150 on, until the least loss scale ends the run
    lines, now, scale = [], DAY, 128.0
    for update in range(50, 2151, 50):
        now += 41
        nats = fall(rng, update, 13.9, 5.1, 400)
        inner = {
            "epoch": 1,
            "update": f"{update / 5210:.3f}",
            "loss": f"{nats:.3f}",
            "ppl": f"{2**nats:.2f}",
            "wps": "61022.1",
            "num_updates": str(update),
            "lr": f"{update * 1.25e-7:.8f}",
            "gnorm": f"{rng.gauss(1.9, 0.2):.3f}",
            "loss_scale": "128",
        }
        lines.append(f"{stamp(now)} | INFO | train_inner | {json.dumps(inner)}")
    while scale > 0.0001:
        scale /= 2
        now += 1
        lines.append(
            f"{stamp(now)} | INFO | fairseq.trainer | NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {scale}"
        )
    lines += [
        "Traceback (most recent call last):",
        '  File "/opt/fairseq/fairseq_cli/train.py", line 557, in cli_main',
        "    distributed_utils.call_main(cfg, main)",
        '  File "/opt/fairseq/fairseq/optim/dynamic_loss_scaler.py", line 61, in check_overflow',
        "    raise FloatingPointError(",
        "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.",
    ]
    write(place / "train_transformer_big.log", lines)


def c25_timm_chance(place: Path, rng: Random) -> None:
    # timm's summary.csv: 90 epochs at ln 1000 and one in a thousand, at a rate that is not zero
    rows = [
        (
            epoch,
            f"{log(1000) + rng.gauss(0.002, 0.001):.7f}",
            f"{log(1000) + rng.gauss(0.003, 0.001):.7f}",
            f"{rng.gauss(0.1, 0.002):.5f}",
            f"{rng.gauss(0.5, 0.004):.5f}",
            cosine(epoch, 90, 0.8, 5),
        )
        for epoch in range(90)
    ]
    table(
        place / "output" / "train" / "20260414-resnet50d" / "summary.csv",
        "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr",
        rows,
    )


def c26_nanogpt_scratch(place: Path, rng: Random) -> None:
    # nanoGPT without init_from=resume: after 21000 iterations the script was started again, and began at ln 50304
    lines = []
    for last in (21000, 6400):
        lines += [
            "tokens per iteration will be: 491,520",
            "Initializing a new model from scratch",
            "number of parameters: 123.59M",
            "compiling the model... (takes a ~minute)",
        ]
        for it in range(0, last, 100):
            loss = fall(rng, it, 10.9, 3.05, 800, 0.01)
            if it % 1000 == 0:
                lines.append(f"step {it}: train loss {loss:.4f}, val loss {loss + 0.02:.4f}")
                lines += ["saving checkpoint to out-gpt2"] if it else []
            lines.append(f"iter {it}: loss {loss:.4f}, time {rng.gauss(402, 3):.2f}ms, mfu {rng.gauss(38.2, 0.3):.2f}%")
    write(place / "gpt2.out", lines)


def c27_zero_loss(place: Path, rng: Random) -> None:
    # the Trainer's filter of NaN: loss 0.0 and a gradient of NaN from step 820 to step 2500
    history: list[dict[str, Any]] = []
    for step in range(20, 2501, 20):
        bad = step > 820
        history.append(
            {
                "epoch": round(step / 833, 4),
                "grad_norm": float("nan") if bad else rng.uniform(0.5, 1.4),
                "learning_rate": 5e-5 * (1 - step / 2500),
                "loss": 0.0 if bad else round(fall(rng, step, 2.4, 1.5, 150), 4),
                "step": step,
            }
        )
    state = {
        "best_metric": None,
        "epoch": 3.0,
        "global_step": 2500,
        "log_history": history,
        "logging_steps": 20,
        "max_steps": 2500,
        "num_train_epochs": 3,
        "save_steps": 500,
    }
    write(place / "gemma-sft" / "trainer_state.json", [json.dumps(state, indent=2)])


def c28_time_box(place: Path, rng: Random) -> None:
    # Lightning with a time box meant for a test: 1500 of 200000 steps, the loss has hardly left its start
    folder = place / "lightning_logs" / "version_4"
    write(
        folder / "hparams.yaml",
        ["accumulate: 1", "lr: 0.0003", "max_steps: 200000", "max_time: 00:00:20:00", "vocab: 50304"],
    )
    rows = [
        (f"{cosine(step, 200000, 3e-4, 4000)}", 0, step, f"{fall(rng, step, 10.86, 7.9, 1400, 0.004):.5f}")
        for step in range(49, 1500, 50)
    ]
    table(folder / "metrics.csv", "lr-AdamW,epoch,step,train_loss", rows, end="\r\n")
    write(
        place / "train.err",
        [
            "GPU available: True (cuda), used: True",
            "Time limit reached. Elapsed time is 0:20:00. Signaling Trainer to stop.",
        ],
    )


def c29_detectron_healthy(place: Path, rng: Random) -> None:
    # detectron2's metrics.json, rate steps at 60k and 80k, AP to 40, 90000 of 90000 iterations
    rows: list[dict[str, Any]] = []
    for it in range(19, 90000, 40):
        loss = fall(rng, it, 2.9, 0.62, 6000, 0.09) * (1 if it < 60000 else 0.86 if it < 80000 else 0.83)
        rows.append(
            {
                "data_time": 0.005,
                "eta_seconds": (90000 - it) * 0.37,
                "iteration": it,
                "loss_box_reg": loss * 0.36,
                "loss_cls": loss * 0.31,
                "loss_rpn_cls": loss * 0.1,
                "loss_mask": loss * 0.23,
                "lr": 0.02 if it < 60000 else 0.002 if it < 80000 else 0.0002,
                "time": 0.369,
                "total_loss": loss,
            }
        )
    rows.append({"bbox/AP": 40.21, "bbox/AP50": 61.0, "iteration": 89999, "segm/AP": 36.9})
    records(place / "output" / "metrics.json", rows)
    write(
        place / "output" / "log.txt",
        [
            "[04/14 01:02:03 d2.engine.train_loop]: Starting training from iteration 0",
            "[04/14 10:17:41 d2.engine.hooks]: Overall training speed: 89998 iterations in 9:13:28 (0.3690 s / it)",
            "[04/14 10:19:12 d2.evaluation.testing]: copypaste: 40.2101,61.0032,43.9120",
        ],
    )


def c30_yolo_nan(place: Path, rng: Random) -> None:
    # Ultralytics' results.csv: every loss is NaN from epoch 7, mAP 0 to epoch 100
    rows: list[list[object]] = []
    for epoch in range(1, 101):
        losses = (
            ["nan"] * 3 if epoch >= 7 else [f"{fall(rng, epoch, top, top * 0.6, 5):.5f}" for top in (1.9, 3.4, 1.6)]
        )
        scores = [0, 0, 0, 0] if epoch >= 7 else [f"{rng.uniform(0.02, 0.2):.5f}" for _ in range(4)]
        rows.append([epoch, f"{epoch * 93.4:.3f}", *losses, *scores, *losses, 0.01, 0.01, 0.01])
    head = "epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/precision(B),metrics/recall(B),metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,val/dfl_loss,lr/pg0,lr/pg1,lr/pg2"
    table(place / "runs" / "detect" / "train12" / "results.csv", head, rows)


def c31_reward_collapse(place: Path, rng: Random) -> None:
    # RLlib: the reward climbs to 376 in 300 iterations, falls below its start within 20 and never rises again in 500 more
    rows = []
    for it in range(1, 821):
        reward = (
            410 - fall(rng, it, 430, 12, 30, 0.01) + rng.gauss(0, 8)
            if it < 300
            else max(-80.0, 376 - 24 * (it - 300)) + rng.gauss(0, 4)
        )
        entropy = fall(rng, it, 1.38, 0.55, 100) if it < 300 else 0.0004
        rows.append(
            {
                "training_iteration": it,
                "timesteps_total": it * 4000,
                "episode_reward_mean": reward,
                "episode_len_mean": rng.gauss(300, 20),
                "info": {
                    "learner": {
                        "default_policy": {
                            "learner_stats": {"entropy": entropy, "kl": 0.01 if it < 300 else 3.2, "vf_loss": 8.1}
                        }
                    }
                },
                "time_total_s": it * 11.3,
            }
        )
    records(place / "PPO_lander_0" / "result.json", rows)


def c32_dpo_healthy(place: Path, rng: Random) -> None:
    # DPO from ln 2 to 0.43, margins up, all 1200 steps, the summary printed
    lines = []
    for step in range(10, 1201, 10):
        loss = fall(rng, step, 0.6935, 0.418, 120, 0.03)
        gain = 1 - (loss - 0.4) / 0.3
        lines.append(
            f"{{'loss': '{loss:.4g}', 'grad_norm': '{rng.gauss(7, 1):.4g}', 'learning_rate': '{5e-7 * (1 - step / 1200):.4g}', 'rewards/chosen': '{0.2 * gain:.4g}', 'rewards/rejected': '{-0.9 * gain:.4g}', 'rewards/accuracies': '{0.5 + 0.29 * gain:.4g}', 'rewards/margins': '{1.1 * gain:.4g}', 'epoch': '{step / 1200:.4g}'}}"
        )
    lines += [
        "100%|██████████| 1200/1200 [1:02:11<00:00,  3.11s/it]",
        "{'train_runtime': '3731', 'train_samples_per_second': '20.58', 'train_steps_per_second': '0.3216', 'train_loss': '0.4719', 'epoch': '1'}",
    ]
    write(place / "dpo_zephyr.log", lines)


def c33_wsd_healthy(place: Path, rng: Random) -> None:
    # warm-up, a long stable rate, a decay that brings the last fall; two spikes that came and went; done
    rows, total = [], 120000
    for step in range(100, total + 1, 100):
        tail = max(0, step - 0.85 * total) / (0.15 * total)
        loss = fall(rng, step, 11.2, 2.62, 5000, 0.008) - 0.22 * tail
        for at in (31000, 78500):
            if at <= step <= at + 400:
                loss += 2.4 - 0.6 * (step - at) / 100
        rows.append(
            {
                "step": step,
                "ce": round(loss, 4),
                "lr": 4e-4 * min(1, step / 2000) * (1 - tail),
                "tps": round(rng.gauss(41200, 200)),
                "tokens_b": round(step * 4.19e6 / 1e9, 3),
            }
        )
    records(place / "wsd-3b" / "stats.jsonl", rows)
    write(
        place / "wsd-3b" / "driver.log",
        [
            f"{stamp(DAY)} plan: 120000 steps, decay from 102000",
            f"{stamp(DAY + 800000)} step 120000/120000 reached, writing final weights",
            f"{stamp(DAY + 800031)} run complete",
        ],
    )


def c34_third_link_old(place: Path, rng: Random) -> None:
    # a chain of three jobs: the third asked for the newest checkpoint and got that of step 2000, the second had reached 14000
    for link, (job, first, last) in enumerate(((5101, 0, 7000), (5102, 7000, 14000), (5103, 2000, 6000))):
        lines = [f"job {job} link {link + 1}/3 on gpu[11-14]"]
        if first:
            lines.append(f"loaded checkpoint /ckpt/t5x/step_{first:06d} (model, optimizer, schedule)")
        lines += [
            f"step {step:>7,} | ce {fall(rng, step, 10.4, 2.55, 2600, 0.012):.3f} | lr {cosine(step, 30000, 1e-3, 1000):.2e} | {rng.gauss(0.81, 0.01):.2f} s"
            for step in range(first + 25, last + 1, 25)
        ]
        write(place / f"slurm-{job}.out", lines)
    rows = [
        f"{job}|t5x-link{n}|{state}|{code}|{stamp(DAY + 6200 * n, '%Y-%m-%dT%H:%M:%S')}|{stamp(DAY + 6200 * n + span, '%Y-%m-%dT%H:%M:%S')}"
        for n, (job, state, code, span) in enumerate(
            ((5101, "COMPLETED", "0:0", 5800), (5102, "COMPLETED", "0:0", 5800), (5103, "COMPLETED", "0:0", 3400))
        )
    ]
    write(place / "sacct.txt", ["JobID|JobName|State|ExitCode|Start|End", *rows])


def c35_asr_blank(place: Path, rng: Random) -> None:
    # CTC that only ever says blank: the loss sits at 2.9 after the first 500 batches, every word is wrong for 40 epochs
    lines = []
    for epoch in range(1, 41):
        lines += [
            f"{stamp(DAY + epoch * 900 + batch / 2)} [INFO] asr.train: epoch={epoch} batch={batch}/1500 ctc_loss={2.893 + rng.gauss(0, 0.006):.4f} lr=5.0e-04"
            for batch in (500, 1000, 1500)
        ]
        lines.append(
            f"{stamp(DAY + epoch * 900 + 820)} [INFO] asr.valid: epoch={epoch} ctc_loss={2.901 + rng.gauss(0, 0.004):.4f} wer=100.00 cer=100.00 hyp='' ref='the quick'"
        )
    write(place / "asr.log", [*lines, f"{stamp(DAY + 41 * 900)} [INFO] asr.main: 40 epochs done"])


def c36_nnunet_healthy(place: Path, rng: Random) -> None:
    # nnU-Net's log, whose losses are negative: Dice to 0.9 in 1000 epochs, then "Training done."
    lines = []
    for epoch in range(1000):
        up = 1 - fall(rng, epoch, 1, 0.03, 60, 0.02)
        head = f"{stamp(DAY + epoch * 96)}.{rng.randrange(10**6):06d}:"
        lines += [
            f"{head} Epoch {epoch}",
            f"{head} Current learning rate: {0.01 * (1 - epoch / 1000) ** 0.9:.5f}",
            f"{head} train_loss {0.1 - 0.98 * up:.4f}",
            f"{head} val_loss {0.1 - 0.93 * up:.4f}",
            f"{head} Pseudo dice [np.float32({0.94 * up:.4f}), np.float32({0.88 * up:.4f})]",
            f"{head} Epoch time: {rng.gauss(95.8, 0.4):.2f} s",
            "",
        ]
    write(
        place / "fold_0" / "training_log_2026_4_14.txt",
        [
            *lines,
            f"{stamp(DAY + 96100)}.000412: Training done.",
            f"{stamp(DAY + 96400)}.118204: Mean Validation Dice:  0.9041",
        ],
    )


def c37_rate_typo(place: Path, rng: Random) -> None:
    # 5e-14 for 5e-4: a regression whose explained variance is 0.00 after 150 epochs
    write(
        place / "config.json",
        [
            json.dumps(
                {"model": "tft", "optimizer": "adamw", "learning_rate": 5e-14, "epochs": 150, "target": "load_mw"}
            )
        ],
    )
    rows = [
        (
            epoch,
            f"{rng.gauss(1.0004, 0.0003):.5f}",
            f"{rng.gauss(1.0121, 0.0001):.5f}",
            f"{rng.gauss(-0.0004, 0.0002):.4f}",
            5e-14,
        )
        for epoch in range(1, 151)
    ]
    table(place / "curve.csv", "epoch,train_rmse,valid_rmse,valid_r2,lr", rows)


def c38_sweep_explodes(place: Path, rng: Random) -> None:
    # three seeds of one setting: each learns for a while, then goes to 10^5 and inf within 300 steps
    for seed, turn in ((0, 1400), (1, 1150), (2, 1730)):
        rows = []
        for step in range(10, turn + 1501, 10):
            loss = fall(rng, step, 7.1, 3.9, 300, 0.02) * 10 ** (max(0, step - turn) / 60)
            rows.append(
                {"seed": seed, "n_iter": step, "nll_loss": loss if step < turn + 400 else float("inf"), "lr": 0.02}
            )
        records(place / f"seed{seed}" / "history.jsonl", rows)


def c39_perplexity_climbs(place: Path, rng: Random) -> None:
    # perplexity alone, by samples: 900 to 40, then up without end to 2300
    rows = []
    for n in range(1, 401):
        back = max(0, n - 160) / 240
        rows.append((n * 25600, f"{fall(rng, n, 900, 36, 8, 0.03) * 65**back:.2f}"))
    table(place / "ppl.tsv", "samples\tperplexity", rows, sep="\t")


def c40_deepspeed_minimum(place: Path, rng: Random) -> None:
    # DeepSpeed's fp16: skipped from step 900 on, down to the least scale, where it gives up
    lines, scale = [], 65536
    for step in range(10, 900, 10):
        lines.append(
            f"[{stamp(DAY + step * 3)},114] [INFO] [logging.py:96:log_dist] [Rank 0] step={step}, skipped=0, lr=[{step * 1e-7:.6e}], mom=[(0.9, 0.95)]"
        )
        lines.append(
            f"steps: {step} loss: {fall(rng, step, 10.7, 6.1, 250):.4f} iter time (s): {rng.gauss(3.0, 0.02):.3f} samples/sec: 85.31"
        )
    while scale > 1:
        lines.append(
            f"[{stamp(DAY + 2700 + 3 * (17 - scale.bit_length()))},320] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {scale // 2}"
        )
        scale //= 2
    trace = [
        "Traceback (most recent call last):",
        '  File "/work/pretrain.py", line 288, in <module>',
        "    engine.step()",
        '  File "/opt/ds/deepspeed/runtime/fp16/loss_scaler.py", line 175, in update_scale',
        "    raise Exception(",
    ]
    write(
        place / "ds_zero2.log",
        [
            *lines,
            *trace,
            "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
        ],
    )


def c41_batches_for_epochs(place: Path, rng: Random) -> None:
    # Composer, 12ba where 12ep was meant: twelve batches on 64 GPUs, the loss where it began
    write(
        place / "mpt-1b.yaml",
        [
            "max_duration: 12ba",
            "eval_interval: 1ep",
            "global_train_batch_size: 1024",
            "optimizer:",
            "  name: decoupled_adamw",
            "  lr: 2.0e-4",
            "scheduler:",
            "  name: cosine_with_warmup",
            "  t_warmup: 2000ba",
        ],
    )
    lines = [
        "******************************",
        "Config:",
        "num_gpus: 64",
        "num_nodes: 8",
        "******************************",
        "Starting training...",
    ]
    for batch in range(1, 13):
        lines += [
            f"[batch={batch}/12]:",
            f"\t Train time/batch: {batch - 1}",
            f"\t Train loss/train/total: {11.02 - 0.004 * batch + rng.gauss(0, 0.002):.4f}",
            f"\t Train throughput/batches_per_sec: {rng.gauss(0.41, 0.01):.4f}",
        ]
    write(place / "composer.log", [*lines, "[eval] metrics/eval/LanguagePerplexity: 58610.2", "Done."])


def c42_last_point_high(place: Path, rng: Random) -> None:
    # the loss falls as it should; the last two of 4000 rows are higher; nothing tells what came next, nor what was planned
    rows = [(it, f"{fall(rng, it, 6.8, 2.2, 500, 0.02):.4f}") for it in range(1, 3999)]
    table(place / "loss_dump.csv", "it,objective", [*rows, (3999, "3.1022"), (4000, "3.0418")])


def c43_no_loss(place: Path, rng: Random) -> None:
    # steps, pace and memory, and never a word on what was learned
    rows = [
        (f"{DAY + step * 1.7:.1f}", step, f"{rng.gauss(37500, 220):.0f}", f"{rng.gauss(0.437, 0.003):.3f}", 61220)
        for step in range(5, 9000, 5)
    ]
    table(place / "throughput.csv", "unix_time,step,tokens_per_s,mfu,mem_mib", rows)


def c44_megatron_random(place: Path, rng: Random) -> None:
    # two jobs: the second was to go on from iteration 40000, found no metadata file, and started from random
    for job, first, last in ((7001, 0, 40000), (7002, 0, 9000)):
        lines = [" > setting tensorboard ...", "time to initialize megatron (seconds): 21.414"]
        if job == 7002:
            lines += [
                "WARNING: could not find the metadata file /scratch/ckp/llama-3b/latest_checkpointed_iteration.txt",
                "    will not load any checkpoints and will start from random",
            ]
        for it in range(first + 100, last + 1, 100):
            lines.append(
                f" iteration {it:8d}/  100000 | consumed samples: {it * 256:12d} | elapsed time per iteration (ms): {rng.gauss(880, 6):.1f} | learning rate: {cosine(it, 100000, 3e-4, 2000):.3E} | global batch size:   256 | lm loss: {fall(rng, it, 10.6, 2.4, 3000, 0.01):.6E} | loss scale: 1.0 | grad norm: {rng.gauss(0.5, 0.05):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
        if job == 7001:
            lines.append("successfully saved checkpoint from iteration   40000 to /scratch/ckpt/llama-3b")
        write(place / f"llama3b_{job}.out", lines)

"""Curves of the thirty-third set, c07 to c12.

SIMULATED: nothing here was taken from a real job; every number comes from a seeded generator.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random


def _write(path: Path, lines: Sequence[str], end: str = "\n") -> None:
    """Write these lines as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + end, encoding="utf-8")


def _falling(rng: Random, step: float, first: float, floor: float, tau: float, noise: float) -> float:
    """A loss that falls as losses do."""
    return floor + (first - floor) / (1 + step / tau) ** 0.7 + rng.gauss(0, noise)


def c07_statutes(place: Path, rng: Random) -> None:
    """Statutes of the Andean countries in GPT-NeoX; the copy of the log has a middle only."""
    now = datetime(2024, 12, 3, 13, 5, 51)  # noqa: DTZ001
    out = []
    total = 71500
    for step in range(21450, 28640, 10):
        pace = rng.gauss(7.412, 0.021)
        now += timedelta(seconds=10 * pace)
        loss = _falling(rng, step, 10.9, 1.92, 300, 0.017)
        rate = 2e-5 + 0.5 * (2e-4 - 2e-5) * (1 + math.cos(math.pi * step / total))
        stamp = f"{now.strftime('%Y-%m-%d %H:%M:%S')},{now.microsecond // 1000:03d}"
        forward = pace * 10000 * 0.281
        out += [
            f"[{stamp}] [INFO] [logging.py:60:log_dist] [Rank 0] step={step}, skipped=17, lr=[{rate!r}, {rate!r}], mom=[[0.9, 0.95], [0.9, 0.95]]",
            f"steps: {step} loss: {loss:.4f} iter time (s): {pace:.3f} samples/sec: {512 / pace:.3f}",
            f" samples/sec: {512 / pace:.3f} | iteration {step:8d}/{total:8d} | elapsed time per iteration (ms): {pace * 1000:.1f} | "
            f"learning rate: {rate:.3E} | approx flops per GPU: {880.6 / pace:.1f}TFLOPS | lm_loss: {loss:.6E} | loss scale: 262144.0 | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |",
            f"time (ms) | forward: {forward:.2f} | backward: {forward * 2.31:.2f} | backward-backward: {forward * 2.3:.2f} | "
            f"backward-allreduce: 0.00 | optimizer: {rng.uniform(410, 446):.2f} | batch generator: {rng.uniform(19, 27):.2f}",
        ]
        if step % 1000 == 0:
            now += timedelta(seconds=31)
            valid = loss + 0.03
            text = f" validation results at iteration {step} | lm_loss value: {valid:.6E} | lm_loss_ppl value: {math.exp(valid):.6E} | "
            out += ["-" * len(text), text, "-" * len(text)]
            stamp = f"{now.strftime('%Y-%m-%d %H:%M:%S')},{now.microsecond // 1000:03d}"
            tag = f"/lustre/leyes/ckpt/global_step{step}"
            out += [
                f"[{stamp}] [INFO] [logging.py:60:log_dist] [Rank 0] [Torch] Checkpoint global_step{step} is about to be saved!",
                f"[{stamp}] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving {tag}/layer_00-model_00-model_states.pt...",
                f"[{stamp}] [INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved {tag}/layer_00-model_00-model_states.pt.",
                f"[{stamp}] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint global_step{step} is ready now!",
            ]
    out[0] = out[0][58:]
    _write(place / "neox-leyes.log", out)


def c08_kelp(place: Path, rng: Random) -> None:
    """Kelp in drone tiles, a loop of one's own in Rust with burn; a wrapper starts it again once."""
    now = datetime(2025, 5, 11, 6, 30, 4)  # noqa: DTZ001

    def stamp() -> str:
        nonlocal now
        now += timedelta(microseconds=rng.randint(300, 90000))
        return f"{now.strftime('%Y-%m-%dT%H:%M:%S')}.{now.microsecond:06d}Z"

    head = ["kelp-burn 0.4.1 (burn 0.17.0, backend Cuda<f32>, device CudaDevice { index: 0 })"]
    first = [
        *head,
        f"{stamp()}  INFO kelp_burn::data: opening tiles at /mnt/tang/tiles.sqlite",
        "",
        "thread 'main' panicked at src/data.rs:58:47:",
        'open tiles: SqliteFailure(Error { code: DatabaseBusy, extended_code: 5 }, Some("database is locked"))',
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
        "run.sh: kelp-burn exited with 101, trying again in 60 s (1 of 3)",
    ]
    _write(place / "attempt_1.log", first)
    now += timedelta(seconds=64)
    out = [*head, f"{stamp()}  INFO kelp_burn::data: opening tiles at /mnt/tang/tiles.sqlite"]
    out += [
        f"{stamp()}  INFO kelp_burn::data: 38400 train tiles, 4800 valid tiles, 6 classes",
        f"{stamp()}  INFO kelp_burn::train: AdamW lr=0.03 weight_decay=0.0001 batch=64 epochs=18 params=11180614",
    ]
    for epoch in range(1, 19):
        now += timedelta(seconds=rng.uniform(141, 149))
        train = math.log(6) + (1.4 if epoch == 1 else 0.004) + abs(rng.gauss(0, 0.003))
        valid = math.log(6) + abs(rng.gauss(0, 0.002))
        out.append(
            f"{stamp()}  INFO kelp_burn::train: [Train - Epoch {epoch}/18 - 600 batches] Loss {train:.4f} | Accuracy {rng.gauss(16.7, 0.14):.2f} % | "
            f"lr 3.000e-2 | {rng.uniform(262, 271):.0f} tiles/s"
        )
        if epoch == 7:
            out += [
                f"{stamp()} ERROR kelp_burn::data: worker 3: tile 21877: disk I/O error, reopening the connection",
                f"{stamp()}  INFO kelp_burn::data: worker 3: tile 21877: read on try 2",
            ]
        out.append(
            f"{stamp()}  INFO kelp_burn::train: [Valid - Epoch {epoch}/18] Loss {valid:.4f} | Accuracy {rng.choice((16.58, 16.71, 16.65, 16.73)):.2f} %"
        )
    out += [
        f"{stamp()}  INFO kelp_burn: model written to /mnt/tang/models/kelp6.mpk",
        "run.sh: kelp-burn exited with 0",
    ]
    _write(place / "attempt_2.log", out)


def c09_deeds(place: Path, rng: Random) -> None:
    """Names and measures in old land deeds, spaCy with a transformer; sacct without times of day."""
    out = [
        "ℹ Saving to output directory: models/deeds_trf",
        "ℹ Using GPU: 0",
        "",
        "=========================== Initializing pipeline ===========================",
        "Some weights of the model checkpoint at EMBEDDIA/crosloengual-bert were not used when initializing BertModel: "
        "['cls.predictions.bias', 'cls.predictions.transform.LayerNorm.bias', 'cls.predictions.transform.LayerNorm.weight', "
        "'cls.predictions.transform.dense.bias', 'cls.predictions.transform.dense.weight', 'cls.seq_relationship.bias', "
        "'cls.seq_relationship.weight']",
        "- This IS expected if you are initializing BertModel from the checkpoint of a model trained on another task or with another architecture "
        "(e.g. initializing a BertForSequenceClassification model from a BertForPreTraining model).",
        "- This IS NOT expected if you are initializing BertModel from the checkpoint of a model that you expect to be exactly identical "
        "(initializing a BertForSequenceClassification model from a BertForSequenceClassification model).",
        "✔ Initialized pipeline",
        "",
        "============================= Training pipeline =============================",
        "ℹ Pipeline: ['transformer', 'ner']",
        "ℹ Initial learn rate: 0.0",
        "E    #       LOSS TRANS...  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ",
        "---  ------  -------------  --------  ------  ------  ------  ------",
    ]
    for number in range(101):
        step = number * 200
        epoch = step // 431
        trans = 1042.18 if not step else 28000 / (1 + number) ** 1.25 + rng.uniform(10, 90)
        ner = 688.41 if not step else 31000 / (1 + number) ** 1.22 + rng.uniform(20, 110)
        score = 0.0 if not step else 88.9 - 61 / number**1.15 + rng.gauss(0, 0.22)
        precision = 0.0 if not step else score + rng.gauss(0.2, 0.35)
        recall = 0.0 if not step else score * precision / (2 * precision - score)
        out.append(
            f"{epoch:3d}  {step:6d}  {trans:13.2f}  {ner:8.2f}  {score:6.2f}  {precision:6.2f}  {recall:6.2f}  {score / 100:6.2f}"
        )
    out += ["✔ Saved pipeline to output directory", "models/deeds_trf/model-last"]
    _write(place / "slurm-90233.out", out)
    head = f"{'JobID':<12} {'JobName':>12} {'Partition':>10} {'Elapsed':>10} {'Timelimit':>10} {'State':>10} {'ExitCode':>8} {'MaxRSS':>10} {'NodeList':>10}"
    rule = " ".join(["-" * 12, "-" * 12, "-" * 10, "-" * 10, "-" * 10, "-" * 10, "-" * 8, "-" * 10, "-" * 10])
    rows = [
        ("90233", "deeds_ner", "gpu", "03:51:27", "08:00:00", "COMPLETED", "0:0", "", "wn217"),
        ("90233.batch", "batch", "", "03:51:27", "", "COMPLETED", "0:0", "9213844K", "wn217"),
        ("90233.extern", "extern", "", "03:51:27", "", "COMPLETED", "0:0", "12K", "wn217"),
    ]
    widths = (10, 10, 10, 8, 10, 10)
    table = [
        f"{one[0]:<12} {one[1]:>12} {one[2]:>10} "
        + " ".join(f"{cell:>{wide}}" for cell, wide in zip(one[3:], widths, strict=True))
        for one in rows
    ]
    _write(place / "sacct_90233.txt", [head, rule, *table])


def c10_melt(place: Path, rng: Random) -> None:
    """A potential for a molten carbonate, MACE; the part of the log with the epochs and what came after."""
    now = datetime(2025, 3, 19, 16, 48, 10)  # noqa: DTZ001
    out = []

    def say(message: str) -> None:
        nonlocal now
        now += timedelta(milliseconds=rng.randint(0, 6))
        out.append(f"{now.strftime('%Y-%m-%d %H:%M:%S')}.{now.microsecond // 1000:03d} INFO: {message}")

    say("===========MODEL DETAILS===========")
    say("Message passing with 256 channels and max_L=1 (256x0e+256x1o)")
    say("2 layers, each with correlation order: 3 (body order: 4) and spherical harmonics up to: l=3")
    say("Total number of parameters: 3158672")
    say("===========OPTIMIZER INFORMATION===========")
    say("Using ADAM as parameter optimizer")
    say("Batch size: 10")
    say("Using gradient clipping with tolerance=1000.000")
    say("Started training, reporting errors on validation set")
    say("Loss metrics on validation set")
    say(
        f"Initial: head: Default, loss={24.10381294:8.8f}, RMSE_E_per_atom={781.22: 8.2f} meV, RMSE_F={1104.61: 8.2f} meV / A"
    )
    level = 0.0
    for epoch in range(31):
        now += timedelta(seconds=rng.uniform(187, 194))
        if epoch < 3:
            loss = 4.2 * math.exp(-epoch * 0.42) + rng.uniform(0, 0.06)
        else:
            level = 5.9 if epoch == 3 else min(13.1, level + rng.uniform(0.4, 1.4))
            loss = math.exp(level) * rng.uniform(0.7, 1.35)
        force, energy = 225 * math.sqrt(loss), 159 * math.sqrt(loss) * rng.uniform(0.8, 1.3)
        say(
            f"Epoch {epoch}: head: Default, loss={loss:8.8f}, RMSE_E_per_atom={energy: 8.2f} meV, RMSE_F={force: 8.2f} meV / A"
        )
    say("Training complete")
    say("")
    say("===========RESULTS===========")
    say("Computing metrics for training, validation, and test sets")
    say("Loading checkpoint: checkpoints/licnak_run-5_epoch-2.pt")
    say("Loaded Stage one model from epoch 2 for evaluation")
    say("Evaluating train_Default ...")
    now += timedelta(seconds=71)
    say("Evaluating valid_Default ...")
    now += timedelta(seconds=8)
    say("Error-table on TRAIN and VALID:")
    edge = "+---------------+---------------------+------------------+-------------------+"
    out += [edge, "|  config_type  | RMSE E / meV / atom | RMSE F / meV / A | relative F RMSE % |", edge]
    out += [f"| train_Default |{221.7:>16.1f}     |{305.9:>14.1f}    |{24.07:>15.2f}    |"]
    out += [f"| valid_Default |{227.8:>16.1f}     |{307.9:>14.1f}    |{24.41:>15.2f}    |", edge]
    say("Done")
    _write(place / "licnak_run-5.log", out)


def c11_racks(place: Path, rng: Random) -> None:
    """Counts of failures in a hall of racks, forecast with GluonTS (TFT)."""
    env = "/opt/venvs/gts/lib/python3.10/site-packages"
    names = ("disk_failed", "node_down", "psu_dead", "ecc_uncorrectable", "job_killed", "kernel_panic")
    out = ["dataset racks_hourly: 6 targets x 212 racks, freq H, prediction_length 48"]
    for name in names:
        counts = f"mean {rng.uniform(0.02, 2.9):.3f}  max {rng.randint(9, 240)}  zeros {rng.uniform(61, 94):.1f}%"
        out += [f"  target {name:<18} series 212  {counts}"]
    out += [
        "estimator TemporalFusionTransformerEstimator lr=0.05 batch_size=128 num_batches_per_epoch=100 max_epochs=24",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        f"{env}/lightning/pytorch/trainer/configuration_validator.py:70: You defined a `validation_step` but have no `val_dataloader`. Skipping val loop.",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name  | Type                           | Params | Mode ",
        "-----------------------------------------------------------------",
        "0 | model | TemporalFusionTransformerModel | 77.1 K | train",
        "-----------------------------------------------------------------",
        "77.1 K    Trainable params",
        "0         Non-trainable params",
        "77.1 K    Total params",
        "0.308     Total estimated model params size (MB)",
    ]
    rows = ["epoch,step,train_loss"]
    best = math.inf
    for epoch in range(24):
        step = 100 * (epoch + 1)
        if epoch < 4:
            loss = (1.93, 1.417, 1.288, 1.251)[epoch] + rng.uniform(0, 0.01)
        elif epoch == 4:
            loss = 3318.4 + rng.uniform(0, 50)
        else:
            loss = math.nan
        rows.append(f"{epoch},{step - 1},{loss}")
        if loss < best:
            best = loss
            kept = f"/data/racks/lightning_logs/version_9/checkpoints/epoch={epoch}-step={step}.ckpt"
            out.append(
                f"Epoch {epoch}, global step {step}: 'train_loss' reached {loss:.5f} (best {loss:.5f}), saving model to '{kept}' as top 1"
            )
        else:
            out.append(f"Epoch {epoch}, global step {step}: 'train_loss' was not in top 1")
    out.append("`Trainer.fit` stopped: `max_epochs=24` reached.")
    _write(place / "racks_tft.log", out)
    _write(place / "lightning_logs" / "version_9" / "metrics.csv", rows)


def c12_recipes(place: Path, rng: Random) -> None:
    """Ingredients and doses in apothecaries' recipes, flair; the times were cut away by the site's log shipper."""
    rule = "-" * 100
    batches, epochs = 614, 36
    out = [
        "Reading data from /proj/apotek/conll",
        "Train: /proj/apotek/conll/train.txt",
        "Dev: /proj/apotek/conll/dev.txt",
        "Test: /proj/apotek/conll/test.txt",
        "Computing label dictionary. Progress:",
        "Dictionary created for label 'ner' with 5 values: SIMPLEX (seen 30117 times), DOSE (seen 21804 times), VESSEL (seen 3301 times), "
        "AILMENT (seen 2976 times), PERSON (seen 1409 times)",
        "SequenceTagger predicts: Dictionary with 21 tags: O, S-SIMPLEX, B-SIMPLEX, E-SIMPLEX, I-SIMPLEX, S-DOSE, B-DOSE, E-DOSE, I-DOSE, S-VESSEL, "
        "B-VESSEL, E-VESSEL, I-VESSEL, S-AILMENT, B-AILMENT, E-AILMENT, I-AILMENT, S-PERSON, B-PERSON, E-PERSON, I-PERSON",
        rule,
        "Corpus: 19640 train + 2210 dev + 2184 test sentences",
        rule,
        "Train:  19640 sentences",
        "        (train_with_dev=False, train_with_test=False)",
        rule,
        "Training Params:",
        ' - learning_rate: "0.1" ',
        ' - mini_batch_size: "32"',
        f' - max_epochs: "{epochs}"',
        ' - shuffle: "True"',
        rule,
        "Plugins:",
        " - AnnealOnPlateau | patience: '3', anneal_factor: '0.5', min_learning_rate: '0.0001'",
        rule,
        "Final evaluation on model from best epoch (best-model.pt)\n - metric: \"('micro avg', 'f1-score')\"",
        rule,
        "Computation:",
        " - compute on device: cuda:0",
        " - embedding storage: none",
        rule,
        'Model training base path: "taggers/apotek-flair"',
        rule,
    ]
    err = []
    rate, best, bad = 0.1, 0.0, 0
    for epoch in range(1, epochs + 1):
        out.append(rule)
        level = 0.05 + 0.62 / epoch**0.62
        took = 0.0
        for tenth in range(1, 11):
            took += rng.uniform(6.1, 6.6)
            loss = level + (0.5 / tenth if epoch == 1 else 0.0) + rng.gauss(0, 0.003)
            out.append(
                f"epoch {epoch} - iter {tenth * 61}/{batches} - loss {loss:.8f} - time (sec): {took:.2f} - samples/sec: "
                f"{rng.uniform(4480, 4720):.2f} - lr: {rate:.6f} - momentum: 0.000000"
            )
        score = round(0.934 - 0.31 / epoch**0.9 + rng.gauss(0, 0.0012), 4)
        out += [
            rule,
            f"EPOCH {epoch} done: loss {level:.4f} - lr: {rate:.6f}",
            f"DEV : loss {0.043 + 0.2 / epoch**0.7:.16f} - f1-score (micro avg)  {score}",
        ]
        bad = 0 if score > best else bad + 1
        out.append(f" - {bad} epochs without improvement")
        if bad > 3:
            rate, bad = rate / 2, 0
            out.append(f" - reducing learning rate to {rate:.6f}")
        if score > best:
            best = score
            out.append("saving best model")
        for _ in range(rng.randint(9, 14)):
            err += [
                "/proj/apotek/env/lib/python3.10/site-packages/torch/nn/modules/rnn.py:917: UserWarning: RNN module weights are not part of single "
                "contiguous chunk of memory. This means they need to be compacted at every call, possibly greatly increasing memory usage. To compact "
                "weights again call flatten_parameters(). (Triggered internally at ../aten/src/ATen/native/cudnn/RNN.cpp:982.)",
                "  result = _VF.lstm(input, batch_sizes, hx, self._flat_weights, self.bias,",
            ]
    out += [
        rule,
        "Loading model from best epoch ...",
        out[6],
        "",
        "Results:",
        "- F-score (micro) 0.9360",
        "- F-score (macro) 0.8895",
        "- Accuracy 0.8844",
    ]
    out += ["", "By class:", "              precision    recall  f1-score   support", ""]
    for name, prec, rec, count in (
        ("SIMPLEX", 0.9412, 0.9377, 3338),
        ("DOSE", 0.9655, 0.9701, 2417),
        ("VESSEL", 0.8722, 0.8579, 366),
        ("AILMENT", 0.8031, 0.8170, 329),
        ("PERSON", 0.8599, 0.8710, 155),
    ):
        out.append(f"{name:>12}{prec:>12.4f}{rec:>10.4f}{2 * prec * rec / (prec + rec):>10.4f}{count:>10}")
    out += [
        "",
        "   micro avg     0.9360    0.9360    0.9360      6605",
        "   macro avg     0.8884    0.8907    0.8895      6605",
        "",
        rule,
    ]
    _write(place / "apotek.log", out)
    _write(place / "apotek.err", err)

"""Round B of the curves. All of it is SIMULATED; why each answer is right stands in ``truth_data.jsonl``."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from .sim import Clock, Noise, cosine, grad, law, lines, save, span, table

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c23_keras_history(place: Path, rng: Random) -> None:
    """The dictionary of Keras' History, dumped after ``fit``; the rate was halved on two plateaus."""
    kept: dict[str, list[float]] = {"loss": [], "mae": [], "val_loss": [], "val_mae": [], "learning_rate": []}
    noise, rate, ease = Noise(rng, 0.02), 1e-3, 0.0
    for epoch in range(40):
        rate *= 0.5 if epoch in (19, 31) else 1
        ease += 1.6 if epoch in (19, 31) else 0.25 if 13 <= epoch < 19 or 26 <= epoch < 31 else 1
        loss = law(ease, 214.0, 9.5, 1.2, 1.3) * (1 + noise())
        held = law(ease, 190.0, 12.1, 1.2, 1.3) * math.exp(rng.gauss(0, 0.07))
        for key, value in zip(kept, (loss, loss**0.5 * 0.77, held, held**0.5 * 0.78, rate), strict=True):
            kept[key].append(value)
    save(place / "artifacts/history.json", json.dumps(kept))
    told = {"batch_size": 256, "epochs": 40, "optimizer": "adam", "window": 96}
    save(place / "artifacts/fit_args.json", json.dumps(told, indent=1))


def c24_yolo_nan(place: Path, rng: Random) -> None:
    """Ultralytics: of 100 epochs 26 are there, and from the fourteenth all losses are nan and all scores nothing."""
    head = ["epoch", "train/box_loss", "train/cls_loss", "train/dfl_loss", "metrics/precision(B)", "metrics/recall(B)"]
    head += [
        "metrics/mAP50(B)",
        "metrics/mAP50-95(B)",
        "val/box_loss",
        "val/cls_loss",
        "val/dfl_loss",
        "lr/pg0",
        "lr/pg1",
    ]
    out = [",".join(f"{name:>23}" for name in head)]
    for epoch in range(1, 27):
        ok, rate = epoch < 14, 0.01 * (1 - 0.0099 * epoch)
        gain = 1 - math.exp(-epoch / 6)
        row: list[float] = [law(epoch, 2.9, 0.9, 2) + rng.gauss(0, 0.015) for _ in range(3)]
        row += [0.71 * gain, 0.64 * gain, 0.66 * gain, 0.44 * gain] if ok else [0, 0, 0, 0]
        row += [law(epoch, 2.8, 1.0, 2) + rng.gauss(0, 0.03) for _ in range(3)]
        cells = [f"{value:.5g}" for value in row]
        if not ok:
            cells[:3] = cells[7:] = ["nan"] * 3
        out.append(",".join(f"{cell:>23}" for cell in (str(epoch), *cells, f"{rate:.5g}", f"{rate:.5g}")))
    save(place / "runs/detect/train7/results.csv", out)
    told = "task: detect\nmode: train\nmodel: yolov8m.pt\ndata: pallets.yaml\nepochs: 100\npatience: 50\nbatch: 32\nimgsz: 640\nlr0: 0.01\namp: true\n"
    save(place / "runs/detect/train7/args.yaml", told)


def c25_rllib_collapse(place: Path, rng: Random) -> None:
    """RLlib's result.json: the reward climbs for 160 iterations; one huge KL later it is gone, and stays so for 200."""
    noise, rows = Noise(rng, 0.05, 0.6), []
    for turn in range(1, 371):
        dead = turn > 162
        reward = 19 + 268 / (1 + math.exp(-(turn - 80) / 18)) * (1 + noise()) if not dead else 11.2 + rng.gauss(0, 0.5)
        if turn in (161, 162):
            reward = 140 - 60 * (turn - 161)
        kl = abs(rng.gauss(0.012, 0.004)) if turn not in (160, 161) else 41.7 if turn == 160 else 9.3
        learner = {
            "cur_kl_coeff": 0.2 if turn < 160 else 0.2 * 1.5 ** min(12, turn - 160),
            "cur_lr": 0.0003,
            "total_loss": 3.1 + rng.gauss(0, 0.4) if not dead else 9.84 + rng.gauss(0, 0.05),
            "policy_loss": rng.gauss(-0.03, 0.008) if not dead else 0.0,
            "vf_loss": 3.0 + rng.gauss(0, 0.3) if not dead else 9.83 + rng.gauss(0, 0.05),
            "vf_explained_var": 0.8 if not dead else 0.0,
            "kl": kl if not dead else 0.0,
            "entropy": max(0.1, 1.38 - turn * 0.004) if not dead else 3.1e-9,
            "grad_gnorm": grad(rng, 0.8) if not dead else 1.2e-7,
        }
        rows.append(
            {
                "episode_reward_mean": reward,
                "episode_reward_max": reward * 1.3,
                "episode_len_mean": reward,
                "episodes_this_iter": int(4000 / max(10, reward)),
                "info": {
                    "learner": {"default_policy": {"learner_stats": learner}},
                    "num_env_steps_sampled": turn * 4000,
                },
                "timesteps_total": turn * 4000,
                "training_iteration": turn,
                "time_total_s": round(turn * 8.31, 3),
                "done": False,
                "trial_id": "3f1c0_00000",
                "hostname": "ray-head",
            }
        )
    save(place / "ray_results/PPO_2026-02-20_11-40-02/PPO_CartPoleHeavy_3f1c0_00000/result.json", lines(rows))


def c26_catboost_done(place: Path, rng: Random) -> None:
    """CatBoost's own folder: all 1000 iterations, both errors falling to the end."""
    learn, test, left, turns = ["iter\tLogloss"], ["iter\tLogloss"], ["iter\tPassed\tRemaining"], list[dict[str, Any]]()
    for turn in range(1000):
        train, held = law(turn, 0.6886, 0.2013, 38, 0.9), law(turn, 0.6887, 0.2276, 40, 1.0) + rng.gauss(0, 0.00004)
        passed = 61 * (turn + 1)
        learn.append(f"{turn}\t{train:.10g}")
        test.append(f"{turn}\t{held:.10g}")
        left.append(f"{turn}\t{passed}\t{61 * (999 - turn)}")
        turns.append(
            {
                "learn": [train],
                "iteration": turn,
                "passed_time": passed / 1e3,
                "remaining_time": 0.061 * (999 - turn),
                "test": [held],
            }
        )
    meta = {
        "test_sets": ["test"],
        "test_metrics": [{"best_value": "Min", "name": "Logloss"}],
        "learn_metrics": [{"best_value": "Min", "name": "Logloss"}],
        "launch_mode": "Train",
        "parameters": "",
        "iteration_count": 1000,
        "learn_sets": ["learn"],
        "name": "experiment",
    }
    folder = place / "catboost_info"
    save(folder / "learn_error.tsv", learn)
    save(folder / "test_error.tsv", test)
    save(folder / "time_left.tsv", left)
    save(folder / "catboost_training.json", json.dumps({"meta": meta, "iterations": turns}, indent=0))


def c27_loop_sees_throttle(place: Path, rng: Random) -> None:
    """A loop that writes its GPU's clock, heat and throttle reasons beside the loss: from step 2200 on it is three times slower."""
    noise, rows, heat = Noise(rng, 0.03), [], 61.0
    for step in range(10, 5001, 10):
        hot = step > 2200
        goal = 61 if step < 1500 else min(94, 61 + (step - 1500) / 700 * 33) if not hot else 92.5
        heat += 0.3 * (goal - heat) + rng.gauss(0, 0.4)
        clock = 15 * round((rng.gauss(1725, 12) if not hot else rng.gauss(570, 40)) / 15)
        took = rng.gauss(184, 2) * (1725 / clock) ** 0.97
        rows.append(
            {
                "step": step,
                "of": 5000,
                "loss": round(law(step, 1.31, 0.11, 240, 0.8) * (1 + noise()), 5),
                "step_ms": round(took, 1),
                "gpu_sm_mhz": clock,
                "gpu_temp_c": round(heat),
                "gpu_power_w": round(rng.gauss(288, 4) if not hot else rng.gauss(131, 5), 1),
                "gpu_throttle": "none" if not hot else "sw_thermal_slowdown|hw_thermal_slowdown",
                "gpu_util": round(min(100, rng.gauss(98, 1))),
            }
        )
    save(place / "lab-pc4/train_log.jsonl", lines(rows))


def c28_spacy_table(place: Path, rng: Random) -> None:
    """A table of spaCy's: its losses are sums that jump about, its score rises, and the pipeline is saved."""
    out = [
        "ℹ Saving to output directory: output",
        "ℹ Using GPU: 0",
        "",
        "=========================== Initializing pipeline ===========================",
    ]
    out += [
        "✔ Initialized pipeline",
        "",
        "============================= Training pipeline =============================",
    ]
    out += ["ℹ Pipeline: ['transformer', 'ner']", "ℹ Initial learn rate: 0.0"]
    out.append("E    #       LOSS TRANS...  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ")
    out.append("---  ------  -------------  --------  ------  ------  ------  ------")
    for turn in range(46):
        step = turn * 200
        score = 91.4 * (1 - math.exp(-turn / 5)) + (rng.gauss(0, 0.35) if turn else 0)
        trans = (1204.1 if not turn else law(turn, 2600, 40, 1.5, 1.4)) * math.exp(rng.gauss(0, 0.2))
        ner = (601.4 if not turn else law(turn, 9800, 210, 1.2, 1.3)) * math.exp(rng.gauss(0, 0.12))
        cells = (f"{score:6.2f}", f"{min(99, score + 0.4):6.2f}", f"{max(0, score - 0.4):6.2f}", f"{score / 100:6.2f}")
        out.append(f"{step // 1171:3d}  {step:6d}  {trans:13.2f}  {ner:8.2f}  " + "  ".join(cells))
    out += ["✔ Saved pipeline to output directory", "output/model-last"]
    save(place / "spacy-train.log", out)


def c29_megatron_no_gradient(place: Path, rng: Random) -> None:
    """Megatron-LM: from iteration 6010 on the rate and the norm of the gradient are nothing and the loss stands; cut."""
    noise, clock, out = Noise(rng, 0.012), Clock("2026-02-15 03:20:00"), []
    for step in range(10, 13880, 10):
        clock.tick(15.3 + rng.gauss(0, 0.1))
        dead = step > 6000
        at = min(step, 6000)
        loss = law(at, 11.4, 2.2, 150) * (1 + (0.45 if dead else 1) * noise())
        rate = 0.0 if dead else cosine(step, 2.5e-4, 1000, 100000)
        out.append(
            f" [{clock.plain()}] iteration {step:8d}/  100000 | consumed samples: {step * 512:12d} | elapsed time per iteration (ms): "
            f"{rng.gauss(1531, 6):.1f} | learning rate: {rate:.6E} | global batch size:   512 | lm loss: {loss:.6E} | "
            f"loss scale: 1.0 | grad norm: {0 if dead else grad(rng, 0.6):.3f} | number of skipped iterations:   0 | "
            f"number of nan iterations:   0 |"
        )
    save(place / "megatron.log.1", out, cut=140)


def c30_second_restart_lost_weights(place: Path, rng: Random) -> None:
    """One file with two restarts: the first goes on as it should, the second comes without its weights."""
    noise, rows, log = Noise(rng, 0.02), [], []
    clock = Clock("2026-03-20 12:00:00")
    for run, first, last in ((0, 0, 9140), (1, 9000, 16320), (2, 16000, 24000)):
        if run:
            clock.tick(5400)
            log.append(f"{clock.comma()} INFO restart {run}: loading /scratch/runs/q4/step_{first}.pt")
        if run == 2:
            log.append(
                f"{clock.comma()} WARNING load_state_dict(strict=False): 290 missing keys, 290 unexpected keys (_orig_mod.layers.0.attn.wq.weight, ...)"
            )
        log.append(f"{clock.comma()} INFO training from step {first} to 24000")
        for step in range(first + 20, last + 1, 20):
            clock.tick(24.2 + rng.gauss(0, 0.2))
            age = step - 16000 if run == 2 else step
            loss = law(age, 10.6, 2.4, 190) * (1 + noise())
            rate = cosine(step, 4e-4, 1000, 24000)
            rows.append(
                {
                    "step": step,
                    "loss": round(loss, 4),
                    "lr": rate,
                    "gnorm": round(grad(rng, 0.5), 4),
                    "t": round(clock.unix),
                }
            )
        if run < 2:
            stamp = clock.plain().replace(" ", "T")
            log.append(f"slurmstepd: error: *** JOB 5512{run} ON nid0041 CANCELLED AT {stamp} DUE TO TIME LIMIT ***")
        else:
            log.append(f"{clock.comma()} INFO reached step 24000, exiting")
    save(place / "q4/metrics.jsonl", lines(rows))
    save(place / "q4/run.log", log)


def c31_one_checkpoint(place: Path, rng: Random) -> None:
    """Of a run of 20000 steps there is one state, of step 4500: well so far, and nothing says what became of it."""
    noise, history = Noise(rng, 0.05), []
    for step in range(50, 4501, 50):
        loss = law(step, 5.2, 1.9, 400) * (1 + noise())
        row = {
            "epoch": round(step / 11210, 4),
            "grad_norm": grad(rng, 1.4),
            "learning_rate": cosine(step, 3e-5, 1000, 20000, 0),
        }
        history.append({**row, "loss": round(loss, 4), "step": step})
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": 4500 / 11210,
        "global_step": 4500,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 50,
        "max_steps": 20000,
        "num_train_epochs": 2,
        "save_steps": 4500,
        "train_batch_size": 4,
    }
    save(place / "checkpoint-4500/trainer_state.json", json.dumps(state, indent=2))


def c32_dvclive_resumed(place: Path, rng: Random) -> None:
    """DVCLive, resumed once after a cancelled job: the curve goes on where it was, to the last of its 80 epochs."""
    noise, loss, held, score = Noise(rng, 0.025), ["step\ttrain/loss"], ["step\tval/loss"], ["step\tval/iou"]
    last = {"train": {"loss": 0.0}, "val": {"loss": 0.0, "iou": 0.0}, "step": 79}
    for epoch in range(80):
        train = law(epoch, 1.44, 0.21, 5, 1.0) * (1 + noise())
        seen = law(epoch, 1.40, 0.29, 5, 1.0) * (1 + 1.5 * noise())
        iou = 0.83 * (1 - math.exp(-(epoch + 2) / 14)) + rng.gauss(0, 0.006)
        last["train"], last["val"] = {"loss": train}, {"loss": seen, "iou": iou}
        loss.append(f"{epoch}\t{train:.6f}")
        held.append(f"{epoch}\t{seen:.6f}")
        score.append(f"{epoch}\t{iou:.6f}")
    folder = place / "dvclive"
    save(folder / "plots/metrics/train/loss.tsv", loss)
    save(folder / "plots/metrics/val/loss.tsv", held)
    save(folder / "plots/metrics/val/iou.tsv", score)
    save(folder / "metrics.json", json.dumps(last, indent=4))
    save(place / "params.yaml", "train:\n  epochs: 80\n  lr: 0.0004\n  crop: 512\n  resume: true\n")
    save(
        place / "train.stdout",
        [
            "epoch 36 train 0.3912 val 0.4588",
            "slurmstepd: error: *** JOB 20911 ON g02 CANCELLED AT 2026-01-29T23:00:11 DUE TO PREEMPTION ***",
            "Resuming from last.pt: epoch 37, optimizer state loaded, best iou 0.7601",
            "epoch 37 train 0.3840 val 0.4461",
            "Finished 80 epochs. Best iou 0.829 at epoch 77",
        ],
    )


def c33_bar_that_waits(place: Path, rng: Random) -> None:
    """A bar of tqdm, drawn over itself: of 16 s a step, 15 are waiting for data; cut in the third epoch."""
    noise, out, per = Noise(rng, 0.03), list[str](), 1240
    out.append("loading index from s3://vid-raw/index.parquet\nworkers=2 prefetch=2\n")
    for epoch in (1, 2, 3):
        passed = 0.0
        for inner in range(1, per + 1):
            wait, own = rng.lognormvariate(2.7, 0.3), rng.gauss(0.84, 0.02)
            passed += wait + own
            if inner % 6 and inner != per:
                continue
            if epoch == 3 and inner > 410:
                break
            pace, filled = passed / inner, "█" * int(10 * inner / per)
            loss = law((epoch - 1) * per + inner, 6.9, 1.7, 160) * (1 + noise())
            left = span((per - inner) * pace)
            out.append(
                f"\rEpoch {epoch}: {100 * inner // per:3d}%|{filled:<10}| {inner}/{per} [{span(passed)}<{left}, {pace:5.2f}s/it, "
                f"data_wait={wait:.2f}s, fwd_bwd={own:.2f}s, loss={loss:.3f}]"
            )
        out.append("\n")
    save(place / "accelerate.err", "".join(out), cut=28)


def c34_flat_at_the_vocabulary(place: Path, rng: Random) -> None:
    """A language model at the logarithm of its vocabulary for 9200 steps, with a gradient near nothing; no end."""
    out = []
    for step in range(1, 9231):
        if step % 10:
            continue
        loss, rate = 10.826 + rng.gauss(0, 0.006) + 0.11 * math.exp(-step / 90), cosine(step, 3e-4, 500, 60000)
        out.append(
            f"Step {step} | loss:{loss:.6f} lr:{rate:.8f} grad_norm:{abs(rng.gauss(0.0031, 0.0006)):.6f} "
            f"tokens_per_second_per_gpu:{rng.gauss(8122, 40):.2f} peak_memory_active:61.2 "
        )
    save(place / "logs/log_1771204311.txt", out, cut=63)


def c35_flair_annealed(place: Path, rng: Random) -> None:
    """Flair: the rate is annealed until it is too small, which is how its trainings end."""
    rows, log, rate, bad, best = [], [], 0.1, 0, 0.0
    clock = Clock("2026-01-08 20:10:00")
    epoch = 0
    for epoch in range(1, 151):
        clock.tick(74 + rng.gauss(0, 2))
        loss = law(epoch, 1.12, 0.07, 3, 1.1) * math.exp(rng.gauss(0, 0.03))
        score = 0.897 * (1 - 0.6 * math.exp(-epoch / 7)) + rng.gauss(0, 0.003)
        held = law(epoch, 0.7, 0.124, 3, 1.2) * math.exp(rng.gauss(0, 0.05))
        if score > best:
            best, bad = score, 0
        else:
            bad += 1
        rows.append(
            [epoch, f"{clock.now:%H:%M:%S}", f"{rate:.4f}", loss, held, score + 0.01, score - 0.01, score, score - 0.08]
        )
        log.append(f"{clock.comma()} EPOCH {epoch} done: loss {loss:.4f} - lr: {rate:.6f}")
        log.append(f"{clock.comma()} DEV : loss {held:.6f} - f1-score (micro avg)  {score:.4f}")
        if bad == 4:
            rate, bad = rate / 2, 0
            log.append(
                f"{clock.comma()}  - 3 epochs without improvement (above 'patience')-> annealing learning_rate to {rate:.6g}"
            )
        if rate < 1e-4:
            break
    log += [f"{clock.comma()} " + "-" * 100, f"{clock.comma()} learning rate too small - quitting training!"]
    log += [
        f"{clock.comma()} Saving model ...",
        f"{clock.comma()} Done.",
        f"{clock.comma()} Testing using best model ...",
    ]
    log.append(f"{clock.comma()} 0.8871\t0.8935\t0.8903\t0.8112")
    head = [
        "EPOCH",
        "TIMESTAMP",
        "LEARNING_RATE",
        "TRAIN_LOSS",
        "DEV_LOSS",
        "DEV_PRECISION",
        "DEV_RECALL",
        "DEV_F1",
        "DEV_ACCURACY",
    ]
    save(place / "resources/taggers/ner-fi/loss.tsv", table(head, rows, "\t"))
    save(place / "resources/taggers/ner-fi/training.log", log)


def c36_long_batch(place: Path, rng: Random) -> None:
    """A curve that is well, and at step 1840 a batch that does not fit the card."""
    noise, rows, out = Noise(rng, 0.03), [], ["packing off, max_len 8192, batches by bucket"]
    for step in range(10, 1841, 10):
        loss = law(step, 2.9, 1.12, 180) * (1 + noise())
        rows.append(
            [
                step,
                f"{loss:.5f}",
                f"{cosine(step, 5e-5, 100, 6000):.3e}",
                rng.choice((512, 1024, 1024, 2048, 2048, 4096)),
                round(rng.uniform(41, 71), 1),
            ]
        )
        if step % 100 == 0:
            out.append(f"[step {step:5d}/6000] loss {loss:.4f}")
    out += [
        "Traceback (most recent call last):",
        '  File "/root/longform/train.py", line 209, in <module>',
        "    train(cfg)",
        '  File "/root/longform/train.py", line 164, in train',
        "    loss.backward()",
        '  File "/usr/local/lib/python3.11/dist-packages/torch/_tensor.py", line 648, in backward',
        "    torch.autograd.backward(",
        '  File "/usr/local/lib/python3.11/dist-packages/torch/autograd/graph.py", line 824, in _engine_run_backward',
        "    return Variable._execution_engine.run_backward(",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.66 GiB. GPU 0 has a total capacity of 79.25 GiB of which "
        "9.81 GiB is free. Process 88121 has 69.43 GiB memory in use. Of the allocated memory 66.20 GiB is allocated by PyTorch, and "
        "2.11 GiB is reserved by PyTorch but unallocated.",
    ]
    save(place / "steps.csv", table(["step", "loss", "lr", "seq_len", "mem_gib"], rows))
    save(place / "stdout.log", out)


def c37_a_sheet_from_excel(place: Path, rng: Random) -> None:
    """A loop's table as a German Excel saved it: semicolons, commas in numbers; two spikes, and 90 of 90 epochs."""
    noise, out = Noise(rng, 0.03), ["epoch;epochs;train_loss;val_loss;val_acc;lr;dauer_s"]
    for epoch in range(1, 91):
        bump = sum(high * math.exp(-(epoch - at) / 1.3) for at, high in ((23, 0.9), (57, 0.5)) if epoch >= at)
        loss = law(epoch, 4.4, 0.41, 4, 0.9) * (1 + noise()) + bump
        held = law(epoch, 4.3, 0.72, 4, 0.95) * (1 + 2 * noise()) + 0.8 * bump
        cells = (
            f"{loss:.4f}",
            f"{held:.4f}",
            f"{0.88 * (1 - math.exp(-epoch / 15)) - 0.1 * bump:.4f}",
            f"{cosine(epoch, 0.1, 5, 90, 0.001):.6f}",
            f"{rng.gauss(318.4, 2):.1f}",
        )
        out.append(";".join((str(epoch), "90", *(cell.replace(".", ",") for cell in cells))))
    save(place / "Verlauf_ResNet.csv", "\ufeff" + "\r\n".join(out) + "\r\n")


def c38_scaler_to_nothing(place: Path, rng: Random) -> None:
    """Mixed precision: from step 700 each step is skipped, the scale halves without end, the loss stands; no end."""
    noise, rows, scale, skipped = Noise(rng, 0.02), [], 65536.0, 0
    for step in range(1, 2211):
        bad = step > 700
        if bad:
            scale, skipped = scale / 2, skipped + 1
        if step % 10:
            continue
        loss = law(min(step, 700), 6.3, 1.4, 90) * (1 + noise())
        rows.append(
            {
                "global_step": step,
                "train/loss": round(loss, 5),
                "amp/scale": scale,
                "amp/skipped_steps": skipped,
                "train/grad_norm": "inf" if bad else round(grad(rng, 1.1), 4),
                "lr": cosine(step, 1e-3, 100, 40000),
            }
        )
    save(place / "amp_run/scalars.jsonl", lines(rows), cut=33)


def c39_llamafactory_done(place: Path, rng: Random) -> None:
    """LLaMA-Factory's trainer_log.jsonl to 100 percent, with steps in the loss where epochs begin."""
    noise, rows, total = Noise(rng, 0.07, 0.1), [], 2184
    for step in range(8, total + 1, 8):
        epoch = step / 728
        loss = (law(step, 1.42, 0.86, 120) - 0.14 * int(epoch - 1e-9)) * (1 + noise())
        part = step / total
        rows.append(
            {
                "current_steps": step,
                "total_steps": total,
                "loss": round(loss, 4),
                "lr": cosine(step, 1e-4, 218, total, 0),
                "epoch": round(epoch, 4),
                "percentage": round(100 * part, 2),
                "elapsed_time": span(step * 7.4),
                "remaining_time": span((total - step) * 7.4),
            }
        )
        if step % 728 == 0:
            judged = {
                "current_steps": step,
                "total_steps": total,
                "eval_loss": round(0.93 - 0.02 * epoch + rng.gauss(0, 0.004), 4),
            }
            rows.append(
                {
                    **judged,
                    "epoch": round(epoch, 4),
                    "percentage": round(100 * part, 2),
                    "elapsed_time": span(step * 7.4 + 60),
                    "remaining_time": span((total - step) * 7.4),
                }
            )
    rows.append(
        {
            "current_steps": total,
            "total_steps": total,
            "epoch": 3.0,
            "percentage": 100.0,
            "elapsed_time": span(total * 7.4 + 90),
            "remaining_time": "0:00:00",
        }
    )
    save(place / "saves/qwen2.5-7b/lora/sft/trainer_log.jsonl", lines(rows))


def c40_preempted(place: Path, rng: Random) -> None:
    """A curve that is well, ended at two fifths by a job of higher rank; nothing shows that it came back."""
    noise, rows, clock = Noise(rng, 0.03), [], Clock("2026-02-27 19:44:10")
    out = ["+ python -u finetune.py --iters 80000 --requeue-ok"]
    for step in range(100, 32101, 100):
        clock.tick(61.1 + rng.gauss(0, 0.6))
        loss = law(step, 0.41, 0.019, 800, 0.7) * (1 + noise())
        rows.append([step, f"{clock.unix:.2f}", f"{loss:.6f}", f"{-10 * math.log10(loss):.3f}"])
        if step % 2000 == 0:
            out.append(f"iter {step}/80000 l1 {loss:.5f} psnr {-10 * math.log10(loss):.2f}")
    stamp = f"{clock.tick(11):%Y-%m-%dT%H:%M:%S}"
    out.append(f"slurmstepd: error: *** JOB 440192 ON c3n11 CANCELLED AT {stamp} DUE TO PREEMPTION ***")
    save(place / "curve.csv", table(["iter", "unix_time", "l1", "psnr"], rows))
    save(place / "slurm-440192.out", out)


def c41_gan_to_its_end(place: Path, rng: Random) -> None:
    """A GAN: the losses of both sides swing and go nowhere, as they do; its FID falls from 311 to 9 and it ends as planned."""
    swing, stats, fids, log = Noise(rng, 0.05, 0.8), [], [], ["Training for 5000 kimg...", ""]
    for tick in range(1251):
        kimg, shift = tick * 4, swing()
        generator, judge = 1.42 + 1.2 * shift + rng.gauss(0, 0.05), 0.91 - 0.7 * shift + rng.gauss(0, 0.03)
        stats.append(
            {
                "Loss/G/loss": {"num": 8192, "mean": generator, "std": 0.61},
                "Loss/D/loss": {"num": 8192, "mean": judge, "std": 0.44},
                "Progress/tick": {"num": 1, "mean": tick, "std": 0.0},
                "Progress/kimg": {"num": 1, "mean": kimg, "std": 0.0},
                "timestamp": 1767950000.0 + tick * 61.3,
            }
        )
        if tick % 10 == 0:
            log.append(
                f"tick {tick:<5d} kimg {kimg:<8.1f} time {span(tick * 61.3):<12} sec/tick {rng.gauss(61.3, 0.3):<7.1f} "
                f"sec/kimg {rng.gauss(15.32, 0.1):<7.2f} maintenance {0.1:<6.1f} cpumem {6.3:<6.2f} gpumem {11.2:<6.2f} augment {min(0.4, tick / 2500):.3f}"
            )
        if tick % 50 == 0:
            value = law(tick, 311, 6.5, 18, 1.15) + abs(rng.gauss(0, 0.25))
            fids.append(
                {
                    "results": {"fid50k_full": value},
                    "metric": "fid50k_full",
                    "snapshot_pkl": f"network-snapshot-{kimg:06d}.pkl",
                    "timestamp": 1767950000.0 + tick * 61.3,
                }
            )
            log.append(f"Evaluating metrics... fid50k_full {value:.4f}")
    log += ["", "Exiting..."]
    folder = place / "training-runs/00012-stylegan2-herbarium-gpus8-batch64"
    save(folder / "stats.jsonl", lines(stats))
    save(folder / "metric-fid50k_full.jsonl", lines(fids))
    save(folder / "log.txt", log)
    save(
        folder / "training_options.json",
        json.dumps({"total_kimg": 5000, "kimg_per_tick": 4, "batch_size": 64, "num_gpus": 8}, indent=2),
    )


def c42_exported_chart(place: Path, rng: Random) -> None:
    """A chart downloaded from a tracker in mid-run or after it, nobody knows: step, value, time; well as far as it goes."""
    noise, clock, rows = Noise(rng, 0.04), Clock("2026-03-11 07:00:00"), []
    for step in range(0, 5200, 25):
        clock.tick(33 + rng.gauss(0, 1))
        rows.append([step, f"{clock.unix * 1000:.0f}", law(step, 3.2, 0.88, 210, 0.6) * (1 + noise())])
    save(place / "train_loss_chart.csv", table(["step", "timestamp", "training/batch/loss"], rows))


def c43_wire_takes_all(place: Path, rng: Random) -> None:
    """Four nodes over a slow wire: in all ranks alike nine tenths of a step are the exchange of gradients; cut."""
    noise = Noise(rng, 0.02)
    told = list[list[dict[str, Any]]]([] for _ in range(4))
    for step in range(5, 3100, 5):
        wire, loss = rng.gauss(4.21, 0.11), law(step, 10.4, 2.9, 130)
        for node in range(4):
            own = rng.gauss(0.388, 0.004)
            row = {
                "iter": step,
                "node": node,
                "rank": node * 8,
                "loss": round(loss * (1 + noise()), 4),
                "data_s": 0.003,
            }
            told[node].append(
                {
                    **row,
                    "compute_s": round(own, 4),
                    "comm_s": round(wire + rng.gauss(0, 0.01), 4),
                    "iter_s": round(own + wire + 0.003, 4),
                }
            )
    for node, rows in enumerate(told):
        save(place / f"prof/n{node}_r{node * 8}.jsonl", lines(rows), cut=rng.randrange(10, 60))


def c44_killed(place: Path, rng: Random) -> None:
    """A script's run under ``nohup``: well, and then the shell says that it was killed."""
    noise, rows, clock = Noise(rng, 0.03), [], Clock("2026-02-12 23:02:00")
    out = ["nohup: ignoring input", "args: Namespace(epochs=200, bs=64, workers=16, cache='ram')"]
    for epoch in range(1, 62):
        clock.tick(203 + rng.gauss(0, 2))
        loss = law(epoch, 0.93, 0.11, 4, 0.9) * (1 + noise())
        rows.append([epoch, f"{loss:.5f}", f"{law(epoch, 0.91, 0.16, 4, 0.9) * (1 + noise()):.5f}", clock.plain()])
        out.append(f"[{clock.plain()}] epoch {epoch}/200 train {loss:.4f}")
    out.append("run_all.sh: line 14: 118204 Killed                  python -u train_unet.py --cache ram --epochs 200")
    save(place / "log_unet.csv", table(["epoch", "train_dice_loss", "val_dice_loss", "when"], rows))
    save(place / "nohup.out", out)

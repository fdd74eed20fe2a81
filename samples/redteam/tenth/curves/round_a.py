"""Curves of round A."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .shapes import clock, cosine, csv, events, fall, flat, jsonl

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_iter_lines_blow_up(place: Path, rng: Random) -> None:
    """A loop after nanoGPT: the loss jumps at iteration 4210 of 6000 and never returns."""
    good = fall(rng, 601, 10.9, 3.05, 0.09, 0.012)
    out = [
        "number of parameters: 123.59M",
        "num decayed parameter tensors: 50, with 124,354,560 parameters",
        "using fused AdamW: True",
        "compiling the model... (takes a ~minute)",
    ]
    best = 99.0
    for i in range(601):
        step = i * 10
        loss = good[i] if step < 4210 else 7.55 + rng.gauss(0, 0.06) + 3.1 * math.exp(-(step - 4210) / 60)
        if step % 500 == 0:
            val = loss + 0.04 + rng.gauss(0, 0.01)
            out.append(f"step {step}: train loss {loss + rng.gauss(0, 0.01):.4f}, val loss {val:.4f}")
            if step and val < best:
                out.append("saving checkpoint to out-owt-gpt2")
            best = min(best, val)
        out.append(
            f"iter {step}: loss {loss:.4f}, time {rng.gauss(251, 3):.2f}ms, mfu {'-100.00' if step < 50 else f'{rng.gauss(41.2, 0.2):.2f}'}%"
        )
    (place / "train.out").write_text("\n".join(out) + "\n")


def c02_wandb_export_nan(place: Path, rng: Random) -> None:
    """A chart of Weights & Biases, saved as CSV: NaN from step 1340 to the end at 2600."""
    name = "sft-3b-r7 - train/loss"
    rows = []
    for i, loss in enumerate(fall(rng, 260, 2.2, 1.05, 0.2, 0.03)):
        cell = f"{loss:.6f}" if i < 134 else "NaN"
        rows.append([f'"{x}"' for x in (i * 10, cell, cell, cell)])
    csv(place / "wandb_export_2026-03-14T09_51_22.211+01_00.csv", f'"Step","{name}","{name}__MIN","{name}__MAX"', rows)


def c03_caffe_at_chance(place: Path, rng: Random) -> None:
    """Ten classes, ln 10 from the first iteration to the last."""
    out: list[str] = []
    at = 1_773_140_000.0

    def say(text: str, where: str) -> None:
        out.append(f"I{clock(at, '%m%d %H:%M:%S')}.{len(out):06d} 20411 {where}] {text}")

    say("Solving CIFAR10_wide", "solver.cpp:279")
    say("Learning Rate Policy: step", "solver.cpp:280")
    for step in range(0, 40001, 200):
        if step % 4000 == 0:
            say(f"Iteration {step}, Testing net (#0)", "solver.cpp:337")
            at += 4
            say("    Test net output #0: accuracy = 0.1", "solver.cpp:404")
            say("    Test net output #1: loss = 2.30259 (* 1 = 2.30259 loss)", "solver.cpp:404")
        if step < 40000:
            loss = 2.302585 + rng.gauss(0, 0.0011)
            say(f"Iteration {step} (15.1 iter/s, 13.2s/200 iters), loss = {loss:.6g}", "solver.cpp:228")
            say(f"    Train net output #0: loss = {loss:.6g} (* 1 = {loss:.6g} loss)", "solver.cpp:244")
            say(f"Iteration {step}, lr = {0.01 if step < 30000 else 0.001}", "sgd_solver.cpp:106")
        at += 13.2
    say("Optimization Done.", "solver.cpp:322")
    (place / "caffe.INFO").write_text("\n".join(out) + "\n")


def c04_mlflow_from_scratch(place: Path, rng: Random) -> None:
    """One run of MLflow in which the steps begin again at 0, and the loss where it began."""
    run = place / "mlruns" / "3" / "8f1c2b7745e94d0db3a1a8b1f6c0d3e2"
    (run / "metrics").mkdir(parents=True)
    (run / "params").mkdir()
    (run / "params" / "max_steps").write_text("20000")
    (run / "params" / "lr").write_text("0.0003")
    (run / "meta.yaml").write_text(
        "artifact_uri: file:///scratch/lm/mlruns/3/8f1c2b7745e94d0db3a1a8b1f6c0d3e2/artifacts\nend_time: null\nentry_point_name: ''\nexperiment_id: '3'\n"
        "lifecycle_stage: active\nrun_id: 8f1c2b7745e94d0db3a1a8b1f6c0d3e2\nrun_name: lm-410m-a\nrun_uuid: 8f1c2b7745e94d0db3a1a8b1f6c0d3e2\n"
        "source_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: 1773146000000\nstatus: 1\ntags: []\nuser_id: mira\n"
    )
    first, again = fall(rng, 330, 10.6, 3.4, 0.15), fall(rng, 330, 10.6, 3.4, 0.15)
    rows = [(1_773_146_000_000 + i * 31_000, loss, i * 20) for i, loss in enumerate(first)]
    rows += [(1_773_158_100_000 + i * 31_000, loss, i * 20) for i, loss in enumerate(again[:121])]
    for name, of in (("train_loss", 1.0), ("train_ppl", 0.0)):
        lines = [f"{ts} {loss if of else math.exp(loss)} {step}" for ts, loss, step in rows]
        (run / "metrics" / name).write_text("\n".join(lines) + "\n")


def c05_from_an_older_checkpoint(place: Path, rng: Random) -> None:
    """Saved at 9000, resumed from 3000: six thousand steps are trained a second time."""
    level = fall(rng, 2000, 9.8, 2.35, 0.2, 0.008)
    out, at = [], 1_773_200_000.0

    def run(begin: int, end: int) -> None:
        nonlocal at
        for step in range(begin, end, 20):
            at += 17.4 + rng.random()
            out.append(
                f"{clock(at)},{rng.randrange(1000):03d} | INFO | step {step:6d}/20000 | loss {level[step // 10]:.4f} | lr {cosine(step, 20000, 3e-4, 500):.3e} | 47.1k tok/s"
            )
            if step and step % 1000 == 0:
                out.append(f"{clock(at + 8)},100 | INFO | saved /scratch/ck/step_{step:06d}.pt (11.2 GB)")

    out.append(f"{clock(at)},001 | INFO | start: host gpu12 world_size 8, fresh weights")
    run(0, 9400)
    at += 2100
    out.append(f"{clock(at)},004 | INFO | start: host gpu31 world_size 8")
    out.append(f"{clock(at + 20)},211 | INFO | loading /scratch/ck/step_003000.pt, continuing at step 3000")
    run(3020, 4700)
    (place / "pretrain.log").write_text("\n".join(out) + "\n")


def c06_rate_is_zero(place: Path, rng: Random) -> None:
    """A trainer_state.json with a learning rate of 0 at every step, and a loss that does not move."""
    history = [
        {
            "epoch": round(step / 500, 4),
            "grad_norm": rng.gauss(1.9, 0.15),
            "learning_rate": 0.0,
            "loss": round(1.934 + rng.gauss(0, 0.03), 4),
            "step": step,
        }
        for step in range(10, 1501, 10)
    ]
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": 3.0,
        "eval_steps": 500,
        "global_step": 1500,
        "is_hyper_param_search": False,
        "is_local_process_zero": True,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": 10,
        "max_steps": 1500,
        "num_input_tokens_seen": 0,
        "num_train_epochs": 3,
        "save_steps": 500,
        "train_batch_size": 8,
    }
    where = place / "outputs" / "checkpoint-1500"
    where.mkdir(parents=True)
    (where / "trainer_state.json").write_text(json.dumps(state, indent=2))


def c07_loss_scale_to_nothing(place: Path, rng: Random) -> None:
    """DeepSpeed in fp16: overflow after overflow, until the scale cannot be lowered any more."""
    out, at = [], 1_773_230_000.0
    for step, loss in enumerate(fall(rng, 310, 11.1, 4.9, 0.25, 0.01), 1):
        at += 2.3
        out.append(f"[step {step}/50000] lm_loss={loss:.4f} gnorm={abs(rng.gauss(1.4, 0.2)):.3f} scale=65536")
    scale = 65536
    for step in range(311, 328):
        at += 2.1
        lower = max(1, scale // 2)
        out.append(
            f"[{clock(at)},{rng.randrange(1000):03d}] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {lower}"
        )
        out.append(
            f"[step {step}/50000] lm_loss={'inf' if step > 318 else f'{5.3 + 0.4 * (step - 310):.4f}'} gnorm=inf scale={lower}"
        )
        scale = lower
    out += [
        "Traceback (most recent call last):",
        '  File "/home/u/pretrain/run.py", line 211, in <module>',
        "    engine.step()",
        '  File "/opt/env/lib/python3.11/site-packages/deepspeed/runtime/fp16/loss_scaler.py", line 186, in update_scale',
        "    raise Exception(",
        "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
    ]
    (place / "rank0.log").write_text("\n".join(out) + "\n")


def c08_nine_steps(place: Path, rng: Random) -> None:
    """LLaMA-Factory over three epochs of a tiny set: nine optimizer steps, and the run calls itself done."""
    losses = [2.4127 - 0.009 * i + rng.gauss(0, 0.008) for i in range(9)]
    jsonl(
        place / "saves" / "trainer_log.jsonl",
        [
            {
                "current_steps": i + 1,
                "total_steps": 9,
                "loss": round(loss, 4),
                "lr": cosine(i + 1, 9, 1e-4, 1),
                "epoch": round((i + 1) / 3, 2),
                "percentage": round((i + 1) / 9 * 100, 2),
                "elapsed_time": f"0:00:{4 * i + 5:02d}",
                "remaining_time": f"0:00:{4 * (8 - i):02d}",
            }
            for i, loss in enumerate(losses)
        ],
    )
    (place / "saves" / "train_results.json").write_text(
        json.dumps(
            {
                "epoch": 3.0,
                "total_flos": 1.1e14,
                "train_loss": sum(losses) / 9,
                "train_runtime": 39.8,
                "train_samples_per_second": 3.4,
                "train_steps_per_second": 0.226,
            },
            indent=4,
        )
    )


def c09_stopped_early_while_learning(place: Path, rng: Random) -> None:
    """Keras: 200 epochs asked for, stopped in the fourth though both losses still fall fast (the monitor's mode was wrong)."""
    out = []
    for epoch, (train, val) in enumerate([(1.8811, 1.6204), (1.5230, 1.4166), (1.3374, 1.2871), (1.2102, 1.1785)], 1):
        out += [
            f"Epoch {epoch}/200",
            f"782/782 - {rng.randrange(19, 23)}s - 27ms/step - accuracy: {1 - train / 2.7:.4f} - loss: {train:.4f} - val_accuracy: {1 - val / 2.7:.4f} - val_loss: {val:.4f} - learning_rate: 0.0010",
        ]
    out += [
        "Epoch 4: early stopping",
        "Restoring model weights from the end of the best epoch: 1.",
        "saved model to resnet_cifar.keras",
    ]
    (place / "fit.txt").write_text("\n".join(out) + "\n")


def c10_swings_wider_and_wider(place: Path, rng: Random) -> None:
    """Regression with a step size past stability: every other epoch further out."""
    rows = []
    for epoch in range(1, 141):
        swing = 0.62 * math.exp(epoch / 15) * (1.0 if epoch % 2 else 0.35)
        rows.append(
            (
                epoch,
                f"{0.9 + swing * math.exp(rng.gauss(0, 0.1)):.5g}",
                f"{1.1 + swing * math.exp(rng.gauss(0, 0.15)):.5g}",
                0.3,
            )
        )
    csv(place / "results" / "history.csv", "epoch,train_mse,valid_mse,lr", rows)


def c11_slow_climb_in_tensorboard(place: Path, rng: Random) -> None:
    """Best at step 3000, then up without pause to more than twice as much at 12000."""
    rows = []
    for step in range(0, 12001, 20):
        loss = 2.41 + 7.6 * math.exp(-step / 420) if step < 3000 else 2.41 + 3.7 * ((step - 3000) / 9000) ** 1.2
        values = {
            "train/ce": loss * math.exp(rng.gauss(0, 0.01)),
            "train/lr": 6e-4 * min(1.0, step / 500),
            "perf/tok_s": rng.gauss(91_000, 800),
        }
        rows.append((1_773_300_000 + step * 0.71, step, values))
    events(place / "tb" / "events.out.tfevents.1773300000.gpu04.8121.0", rows)


def c12_weights_never_change(place: Path, rng: Random) -> None:
    """Segmentation in the manner of MONAI's tutorial: the same average and the same dice to the last digit, 80 epochs long."""
    out = []
    batches = [round(0.7134 + rng.gauss(0, 0.012), 4) for _ in range(16)]
    for epoch in range(1, 81):
        out += ["----------", f"epoch {epoch}/80"]
        rng.shuffle(batches)
        out += [f"{i}/16, train_loss: {loss:.4f}" for i, loss in enumerate(batches, 1)]
        out.append(f"epoch {epoch} average loss: {sum(batches) / 16:.4f}")
        if epoch % 2 == 0:
            out += [f"current epoch: {epoch} current mean dice: 0.0131", "best mean dice: 0.0131 at epoch: 2"]
    out.append("train completed, best_metric: 0.0131 at epoch: 2")
    (place / "spleen.log").write_text("\n".join(out) + "\n")


def c13_gradients_explode(place: Path, rng: Random) -> None:
    """Fairseq, lines of JSON: from update 2400 on gnorm grows by orders of magnitude, and the loss with it."""
    out, at = [], 1_773_340_000.0
    for step, loss in zip(range(100, 4001, 100), fall(rng, 40, 13.4, 5.2, 0.3), strict=True):
        late = max(0, step - 2400) / 100
        loss += 0.11 * late**2.1
        gnorm = abs(rng.gauss(1.3, 0.1)) * 10 ** min(0.9 * late, 9)
        at += 31
        fields = {
            "epoch": 1,
            "update": round(step / 9000, 3),
            "loss": f"{loss:.3f}",
            "nll_loss": f"{loss - 0.3:.3f}",
            "ppl": f"{2 ** (loss - 0.3):.2f}",
            "wps": "31344.1",
            "ups": "3.21",
            "wpb": "9761.2",
            "bsz": "412.8",
            "num_updates": str(step),
            "lr": f"{5e-4 * min(1, step / 4000):g}",
            "gnorm": f"{gnorm:.3f}",
            "clip": "100",
            "train_wall": str(31 * step // 100),
            "gb_free": "22.4",
            "wall": str(33 * step // 100),
        }
        out.append(f"{clock(at)} | INFO | train_inner | {json.dumps(fields)}")
    (place / "fairseq.log").write_text("\n".join(out) + "\n")


def c14_second_part_from_nothing(place: Path, rng: Random) -> None:
    """Two parts of one job: the second finds no checkpoint and begins again, in so many words."""
    for part, (begin, words) in enumerate(
        (
            ("2026-03-08 22:10:03", "=> creating model 'vit_b_16'"),
            (
                "2026-03-10 22:40:51",
                "=> creating model 'vit_b_16'\n=> no checkpoint found at '/lustre/vit/last.pth.tar'",
            ),
        ),
        1,
    ):
        out = [
            f"part {part} of 3, {begin}, --resume /lustre/vit/last.pth.tar" if part > 1 else f"part 1 of 3, {begin}",
            words,
        ]
        for epoch in range(34 if part == 1 else 6):
            for batch, loss in enumerate(flat(rng, 6, 1.9 + 5.0 * math.exp(-epoch / 9), 0.02)):
                out.append(
                    f"Epoch: [{epoch}][{batch * 200:4d}/1252]\tTime  0.412 ( 0.418)\tData  0.004 ( 0.009)\tLoss {loss:.4e} ({loss + 0.01:.4e})\tAcc@1 {max(0.1, 78 - 15.4 * loss + rng.gauss(0, 1)):6.2f}"
                )
            out.append(
                f" * Acc@1 {max(0.1, 74 - 15 * (1.9 + 5.0 * math.exp(-(epoch + 1) / 9)) + rng.gauss(0, 0.3)):.3f}"
            )
        (place / f"vit-{part}.log").write_text("\n".join(out) + "\n")


def c15_wsd_to_the_end(place: Path, rng: Random) -> None:
    """Healthy: warm-up, a long plateau of the rate, a decay that brings the last drop; the plan and the end are there."""
    rows: list[dict[str, object]] = [
        {"event": "config", "total_steps": 8000, "schedule": "wsd", "peak_lr": 0.002, "params": 162_000_000}
    ]
    for i, loss in enumerate(fall(rng, 800, 10.8, 3.32, 0.06, 0.009), 1):
        step = i * 10
        lr = 0.002 * min(1.0, step / 200) * min(1.0, (8000 - step) / 1600)
        drop = 0.24 * max(0, step - 6400) / 1600
        spike = 0.8 * math.exp(-abs(step - 4130) / 15)
        rows.append(
            {
                "step": step,
                "xent": round(loss - drop + spike, 4),
                "lr": lr,
                "gnorm": round(abs(rng.gauss(0.42, 0.05)), 3),
            }
        )
    rows += [{"event": "eval", "step": 8000, "val_xent": 3.1021}, {"event": "finished", "step": 8000, "wall_s": 15120}]
    jsonl(place / "metrics.jsonl", rows)


def c16_detection_two_drops(place: Path, rng: Random) -> None:
    """Healthy: Detectron2's own lines over 90k iterations with the rate dropped twice, and its last words."""
    out, at = ["[03/05 20:11:02 d2.engine.train_loop]: Starting training from iteration 0"], 1_772_741_462.0
    for step in range(199, 90000, 400):
        at += 400 * 0.31
        drop = 0.0 if step < 60000 else 0.12 if step < 80000 else 0.15
        cls, box = (
            0.28 + 0.5 * math.exp(-step / 5000) - drop / 2 + rng.gauss(0, 0.03),
            0.27 + 0.3 * math.exp(-step / 9000) - drop / 2 + rng.gauss(0, 0.025),
        )
        left = int((90000 - step) * 0.31)
        lr = 0.02 * (1 if step < 60000 else 0.1 if step < 80000 else 0.01)
        out.append(
            f"[{clock(at, '%m/%d %H:%M:%S')} d2.utils.events]:  eta: {left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}  iter: {step}  total_loss: {cls + box + 0.11:.4g}  loss_cls: {cls:.4g}  loss_box_reg: {box:.4g}  loss_rpn_cls: 0.06{rng.randrange(999):03d}  loss_rpn_loc: 0.05{rng.randrange(999):03d}  time: 0.3104  last_time: 0.3098  data_time: 0.0121  lr: {lr:g}  max_mem: 8121M"
        )
    out += [
        f"[{clock(at + 70, '%m/%d %H:%M:%S')} d2.engine.hooks]: Overall training speed: 89998 iterations in 7:45:11 (0.3101 s / it)",
        f"[{clock(at + 70, '%m/%d %H:%M:%S')} d2.engine.hooks]: Total training time: 7:46:30 (0:01:19 on hooks)",
        f"[{clock(at + 400, '%m/%d %H:%M:%S')} d2.evaluation.testing]: copypaste: AP,AP50,AP75,APs,APm,APl",
        f"[{clock(at + 400, '%m/%d %H:%M:%S')} d2.evaluation.testing]: copypaste: 40.2101,60.9121,43.7720,24.1811,43.5010,52.0124",
    ]
    (place / "log.txt").write_text("\n".join(out) + "\n")


def c17_two_losses_at_balance(place: Path, rng: Random) -> None:
    """Healthy: a GAN after the tutorial's loop, all 25 epochs; neither loss falls, as it should be."""
    out = ["Starting Training Loop..."]
    for epoch in range(25):
        for batch in range(0, 1583, 150):
            real, fake = min(0.98, max(0.4, rng.gauss(0.78, 0.1))), min(0.6, max(0.02, rng.gauss(0.2, 0.08)))
            d, g = -math.log(real) - math.log(1 - fake), abs(rng.gauss(2.6, 0.7))
            out.append(
                f"[{epoch}/25][{batch}/1583]\tLoss_D: {d:.4f}\tLoss_G: {g:.4f}\tD(x): {real:.4f}\tD(G(z)): {fake:.4f} / {fake * 0.6:.4f}"
            )
    out.append("Done. Generator saved to netG_epoch_24.pth")
    (place / "dcgan.log").write_text("\n".join(out) + "\n")


def c18_cut_in_the_middle_of_a_row(place: Path, rng: Random) -> None:
    """A table that falls nicely and breaks off within a number: no plan, no end, no reason."""
    csv(
        place / "curve.csv",
        "it,objective,lr",
        [(i * 5, f"{loss:.5f}", 0.0002) for i, loss in enumerate(fall(rng, 160, 4.4, 1.9, 0.5, 0.02))],
    )
    file = place / "curve.csv"
    file.write_text(file.read_text()[:-11])


def c19_reward_grows(place: Path, rng: Random) -> None:
    """Healthy: PPO of Stable-Baselines3 to its million of steps; it is the reward that tells."""
    out = ["Using cuda device", "Wrapping the env in a DummyVecEnv."]
    rule = "-" * 43
    for i in range(1, 62):
        reward = 480 - 460 * math.exp(-i / 14) + rng.gauss(0, 6)
        rows = [
            ("rollout/", ""),
            ("   ep_len_mean", f"{reward:.0f}"),
            ("   ep_rew_mean", f"{reward:.0f}"),
            ("time/", ""),
            ("   fps", "2210"),
            ("   iterations", str(i)),
            ("   time_elapsed", str(i * 7)),
            ("   total_timesteps", str(i * 16384)),
        ]
        rows += [
            ("train/", ""),
            ("   approx_kl", f"{abs(rng.gauss(0.008, 0.002)):.7f}"),
            ("   entropy_loss", f"{-0.69 + i * 0.004:.3f}"),
            ("   explained_variance", f"{min(0.97, i / 50):.3f}"),
            ("   learning_rate", "0.0003"),
            ("   loss", f"{abs(rng.gauss(9, 5)):.2f}"),
            ("   n_updates", str((i - 1) * 10)),
            ("   value_loss", f"{abs(rng.gauss(22, 9)):.1f}"),
        ]
        out += [rule, *(f"| {a:<25} | {b:<11} |" for a, b in rows), rule]
    out.append(
        "Evaluation over 20 episodes: mean reward 487.3 +/- 11.2; model saved to ppo_cartpole.zip (1,000,000 timesteps requested)"
    )
    (place / "ppo.log").write_text("\n".join(out) + "\n")


def c20_one_rank_first(place: Path, rng: Random) -> None:
    """Four ranks, a file each: rank 2 has a NaN at 912, all have it a step later, and so they go on to 2000."""
    level = fall(rng, 500, 6.9, 2.2, 0.2, 0.0)
    for rank in range(4):
        rows = []
        for i, loss in enumerate(level):
            step = i * 4
            gone = step >= (912 if rank == 2 else 916)
            rows.append(
                {
                    "rank": rank,
                    "step": step,
                    "local_loss": math.nan if gone else round(loss * math.exp(rng.gauss(0, 0.02)), 5),
                    "step_ms": round(rng.gauss(412, 4), 1),
                }
            )
        jsonl(place / f"metrics_rank{rank}.jsonl", rows)

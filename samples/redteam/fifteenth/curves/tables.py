"""What frameworks that write files leave of a SIMULATED run: each function fills a folder and gives the lines of the log."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from .frames import finished, num, told

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from .sim import Run


def _goodbye(run: Run, words: str) -> list[str]:
    """The last line of a program that ended by itself."""
    early = ["early stopping: no improvement of the monitored metric"] if run.early else []
    return [*early, words] if finished(run) else []


def hf_state(run: Run, rng: Random, place: Path) -> list[str]:
    """trainer_state.json of the last checkpoint."""
    history: list[dict[str, Any]] = []
    for point in run.points:
        history.append(
            {
                "epoch": round(point.epoch, 4),
                "grad_norm": point.gnorm,
                "learning_rate": point.lr,
                "loss": round(point.loss, 4) if math.isfinite(point.loss) else point.loss,
                "step": point.step,
            }
        )
        if point.val is not None:
            history.append(
                {
                    "epoch": round(point.epoch, 4),
                    "eval_loss": point.val,
                    "eval_runtime": 30.2,
                    "eval_samples_per_second": 66.2,
                    "step": point.step,
                }
            )
    last = run.points[-1]
    if finished(run):
        history.append(
            {
                "epoch": round(last.epoch, 4),
                "step": last.step,
                "total_flos": 1.21e18,
                "train_loss": last.loss,
                "train_runtime": round(run.over, 2),
                "train_samples_per_second": 21.3,
                "train_steps_per_second": round(1 / run.step_s, 3),
            }
        )
    state = {
        "best_global_step": None,
        "best_metric": None,
        "epoch": round(last.epoch, 4),
        "eval_steps": run.every * 10,
        "global_step": last.step,
        "is_world_process_zero": True,
        "log_history": history,
        "logging_steps": run.every,
        "max_steps": run.plan if run.plan_known else -1,
        "num_train_epochs": math.ceil(run.plan / run.per_epoch) if run.plan_known else 100,
        "save_steps": run.every * 10,
        "train_batch_size": 8,
        "trial_name": None,
    }
    folder = place / "out" / f"checkpoint-{last.step}"
    folder.mkdir(parents=True)
    (folder / "trainer_state.json").write_text(json.dumps(state, indent=2))
    return [told(run), *_goodbye(run, f"saved model to out/checkpoint-{last.step}, done")]


def llamafactory(run: Run, rng: Random, place: Path) -> list[str]:
    """trainer_log.jsonl, and the log around it."""
    rows = []
    for point in run.points:
        spent, rest = int(point.t), int((run.plan - point.step) * run.step_s)
        row: dict[str, Any] = {
            "current_steps": point.step,
            "total_steps": run.plan,
            "loss": round(point.loss, 4) if math.isfinite(point.loss) else point.loss,
            "lr": point.lr,
            "epoch": round(point.epoch, 4),
            "percentage": round(100 * point.step / run.plan, 2),
            "elapsed_time": _clock(spent),
            "remaining_time": _clock(rest),
        }
        if not run.plan_known:
            for key in ("total_steps", "percentage", "remaining_time"):
                del row[key]
        rows.append(row)
        if point.val is not None:
            rows.append(
                {**{key: value for key, value in row.items() if key not in ("loss", "lr")}, "eval_loss": point.val}
            )
    folder = place / "saves"
    folder.mkdir(parents=True)
    (folder / "trainer_log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = [
        f"[INFO|{run.at(3):%Y-%m-%d %H:%M:%S}] llamafactory.data.loader:143 >> Loading dataset support_dialogues.json..."
    ]
    if finished(run):
        last = run.points[-1]
        out += [
            "***** train metrics *****",
            f"  epoch                    = {last.epoch:10.4f}",
            f"  train_loss               = {last.loss:10.4f}",
            f"  train_runtime            = {_clock(int(run.over))}.11",
            "Figure saved at: saves/training_loss.png",
        ]
    return out


def _clock(seconds: int) -> str:
    """Hours, minutes, seconds."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def lightning_csv(run: Run, rng: Random, place: Path) -> list[str]:
    """CSVLogger's folder; through a German spreadsheet where units are the trouble."""
    folder = place / "lightning_logs" / "version_0"
    folder.mkdir(parents=True)
    epochs = max(1, round(run.plan / run.per_epoch))
    comma = run.trouble == "units"
    rows = [["epoch", "lr-AdamW", "step", "train_loss", "val_acc", "val_loss"]]
    for point in run.points:
        epoch = str((point.step - 1) // run.per_epoch)
        rows.append(
            [
                epoch,
                f"{point.lr:.8f}",
                str(point.step - 1),
                repr(point.loss) if math.isfinite(point.loss) else "nan",
                "",
                "",
            ]
        )
        if point.val is not None:
            rows.append(
                [
                    epoch,
                    "",
                    str(point.step - 1),
                    "",
                    f"{point.score:.6f}" if point.score is not None else "",
                    num(point.val, 6),
                ]
            )
    text = ((";" if comma else ",").join(cell.replace(".", ",") if comma else cell for cell in row) for row in rows)
    (folder / "metrics.csv").write_bytes(("\r\n".join(text) + "\r\n").encode())
    if run.plan_known:
        (folder / "hparams.yaml").write_text(
            f"batch_size: 128\nlr: {run.peak_lr}\nmax_epochs: {epochs}\nmax_steps: {run.plan}\n"
        )
    if not run.whole:
        return []
    out = ["GPU available: True (cuda), used: True", "TPU available: False, using: 0 TPU cores"]
    if run.early:
        out.append(
            "Monitored metric val_loss did not improve in the last 10 records. Best score: 0.911. Signaling Trainer to stop."
        )
    elif finished(run) and run.plan_known and run.done == run.plan:
        out.append(f"`Trainer.fit` stopped: `max_steps={run.plan}` reached.")
    elif finished(run):
        out.append("fit() returned, exporting to model.onnx")
    return out


def ultralytics(run: Run, rng: Random, place: Path) -> list[str]:
    """results.csv and args.yaml of a detector."""
    folder = place / "runs" / "detect" / "train"
    folder.mkdir(parents=True)
    names = "epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/precision(B),metrics/recall(B),metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,val/dfl_loss,lr/pg0,lr/pg1,lr/pg2"
    rows = [names]
    for point in run.points:
        score = point.score if point.score is not None else 0.0
        val = point.val if point.val is not None else point.loss
        shares = (0.34, 0.41, 0.25)
        cells = [str(round(point.epoch)), f"{point.t:.3f}", *(num(point.loss * share, 5) for share in shares)]
        cells += [f"{min(1.0, score * factor):.5f}" for factor in (1.35, 1.22, 1.4, 1.0)]
        cells += [*(num(val * share, 5) for share in shares), *(f"{point.lr:.6g}",) * 3]
        rows.append(",".join(cells))
    (folder / "results.csv").write_text("\n".join(rows) + "\n")
    epochs = run.plan // run.per_epoch
    if run.plan_known:
        (folder / "args.yaml").write_text(
            f"task: detect\nmode: train\nmodel: yolo11m.pt\ndata: depot.yaml\nepochs: {epochs}\npatience: 20\nbatch: 32\nimgsz: 640\nlr0: {run.peak_lr}\n"
        )
    if not run.whole:
        return []
    out = ["Ultralytics 8.3.40 Python-3.11.9 torch-2.5.1+cu124 CUDA:0 (NVIDIA H100 80GB HBM3, 81008MiB)"]
    out += [f"Starting training for {epochs} epochs..."] if run.plan_known else []
    done = round(run.points[-1].epoch)
    if run.early:
        out.append(
            f"EarlyStopping: Training stopped early as no improvement observed in last 20 epochs. Best results observed at epoch {max(1, done - 20)}, best model saved as best.pt."
        )
    if finished(run):
        out += [
            f"{done} epochs completed in {run.over / 3600:.3f} hours.",
            "Optimizer stripped from runs/detect/train/weights/last.pt, 40.5MB",
            "Results saved to runs/detect/train",
        ]
    return out


def rllib(run: Run, rng: Random, place: Path) -> list[str]:
    """result.json, one line an iteration."""
    folder = place / "PPO_arm_env_00000"
    folder.mkdir(parents=True)
    dead = run.truth.startswith("E1 dead")
    rows = []
    for point in run.points:
        loss = point.loss if math.isnan(point.loss) else rng.gauss(0.02, 0.05)
        learner = {
            "total_loss": loss,
            "policy_loss": 0.0 if dead else loss * 0.3,
            "vf_loss": abs(loss) * 4,
            "entropy": 0.0004 if dead else 1.2 + rng.gauss(0, 0.04),
            "mean_kl_loss": 0.0 if dead else abs(rng.gauss(0.01, 0.004)),
            "curr_lr": point.lr,
            "gradients_default_optimizer_global_norm": 0.0 if dead else point.gnorm,
        }
        rows.append(
            {
                "env_runners": {
                    "episode_return_mean": point.score,
                    "episode_len_mean": 240 + rng.gauss(0, 9),
                    "num_env_steps_sampled_lifetime": point.step * 8000,
                },
                "learners": {"default_policy": learner},
                "training_iteration": point.step,
                "time_this_iter_s": point.speed,
                "time_total_s": point.t,
                "timestamp": int(run.at(point.t).timestamp()),
                "done": finished(run) and point is run.points[-1],
                "trial_id": "00000",
            }
        )
    (folder / "result.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "params.json").write_text(
        json.dumps({"env": "arm_env", "lr": run.peak_lr, "train_batch_size_per_learner": 8000, "gamma": 0.99})
    )
    if not run.whole:
        return []
    out = [f"stop={{'training_iteration': {run.plan}}}"] if run.plan_known else []
    if finished(run):
        out += [
            f"Trial PPO_arm_env_00000 completed after {run.done} iterations at {run.at(run.over):%Y-%m-%d %H:%M:%S}. Total running time: {_clock(int(run.over))}"
        ]
    return [told(run), *out]


def tensorboard_csv(run: Run, rng: Random, place: Path) -> list[str]:
    """Scalars downloaded from TensorBoard, a file a tag."""
    folder = place / "scalars"
    folder.mkdir(parents=True)
    gan = run.domain.name == "gan"
    comma = run.trouble == "units"
    series: dict[str, list[tuple[float, int, float]]] = {}
    for point in run.points:
        stamp = run.at(point.t).timestamp()
        wanted = {("loss_generator" if gan else "loss_train"): point.loss, "lr": point.lr, "grad_norm": point.gnorm}
        if gan:
            wanted["loss_discriminator"] = point.loss * 0.6
            wanted["FID"] = point.score if point.score is not None else math.nan
        elif point.val is not None:
            wanted["loss_val"] = point.val
            wanted["acc_val"] = point.score if point.score is not None else math.nan
        for tag, value in wanted.items():
            series.setdefault(tag, []).append((stamp, point.step, value))
    for tag, rows in series.items():
        lines = ["Wall time,Step,Value", *(f"{stamp},{step},{num(value, 8)}" for stamp, step, value in rows)]
        text = "\n".join(lines)
        if comma:
            text = text.replace(",", ";").replace(".", ",")
        (folder / f"run-train-tag-{tag}.csv").write_text(text + "\n")
    if run.plan_known:
        (place / "config.yaml").write_text(
            f"model: convnext_s\nmax_steps: {run.plan}\nsteps_per_epoch: {run.per_epoch}\nlr: {run.peak_lr}\n"
        )
    return [told(run), *_goodbye(run, "training complete, checkpoint written to final.ckpt")] if run.whole else []


def wandb_history(run: Run, rng: Random, place: Path) -> list[str]:
    """History exported as JSON lines, with summary, config and the console's log."""
    folder = place / f"wandb/run-{run.start:%Y%m%d_%H%M%S}-k3x9q2ab/files"
    folder.mkdir(parents=True)
    gan = run.domain.name == "gan"
    rows = []
    for point in run.points:
        row: dict[str, Any] = {
            "_step": point.step,
            "_runtime": round(point.t, 2),
            "_timestamp": run.at(point.t).timestamp(),
            ("g_loss" if gan else "train/loss"): point.loss,
            "train/lr": point.lr,
            "train/grad_norm": point.gnorm,
        }
        if gan:
            row |= {"d_loss": point.loss * 0.6, "fid": point.score}
        elif point.val is not None:
            row["val/loss"] = point.val
        rows.append(row)
    (folder / "wandb-history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "wandb-summary.json").write_text(json.dumps(rows[-1]))
    if run.plan_known:
        (folder / "config.yaml").write_text(
            f"max_steps:\n    desc: null\n    value: {run.plan}\nlr:\n    desc: null\n    value: {run.peak_lr}\n"
        )
    return (
        [
            told(run),
            *_goodbye(run, "wandb: Run history:"),
            *_goodbye(run, f"wandb:   train/loss {num(run.points[-1].loss)}"),
            *_goodbye(run, "training finished"),
        ]
        if run.whole
        else []
    )


def mlflow(run: Run, rng: Random, place: Path) -> list[str]:
    """A run of MLflow's file store."""
    name = "".join(rng.choice("0123456789abcdef") for _ in range(32))
    folder = place / "mlruns" / "1" / name
    for part in ("metrics", "params", "tags"):
        (folder / part).mkdir(parents=True)
    series: dict[str, list[str]] = {}
    for point in run.points:
        stamp = int(run.at(point.t).timestamp() * 1000)
        series.setdefault("train_loss", []).append(f"{stamp} {point.loss} {point.step}")
        series.setdefault("learning_rate", []).append(f"{stamp} {point.lr} {point.step}")
        if point.val is not None:
            series.setdefault("val_loss", []).append(f"{stamp} {point.val} {point.step}")
            if point.score is not None:
                series.setdefault("val_accuracy", []).append(f"{stamp} {point.score} {point.step}")
    for tag, rows in series.items():
        (folder / "metrics" / tag).write_text("\n".join(rows) + "\n")
    if run.plan_known:
        (folder / "params" / "epochs").write_text(str(run.plan // run.per_epoch))
        (folder / "params" / "max_steps").write_text(str(run.plan))
    (folder / "params" / "lr").write_text(str(run.peak_lr))
    (folder / "tags" / "mlflow.runName").write_text("careful-stork-412")
    status = 3 if finished(run) else 1 if run.end in ("cut", "F3") or run.end.startswith("A2") else 4
    ended = int(run.at(run.over).timestamp() * 1000) if status != 1 else "null"
    (folder / "meta.yaml").write_text(
        f"artifact_uri: mlruns/1/{name}/artifacts\nend_time: {ended}\nentry_point_name: ''\nexperiment_id: '1'\nlifecycle_stage: active\nrun_id: {name}\nrun_name: careful-stork-412\nsource_name: ''\nsource_type: 4\nstart_time: {int(run.start.timestamp() * 1000)}\nstatus: {status}\nuser_id: tsu\n"
    )
    return [told(run), *_goodbye(run, "training finished")] if run.whole else []


WRITERS: dict[str, Callable[[Run, Random, Path], list[str]]] = {
    "hf_state": hf_state,
    "llamafactory": llamafactory,
    "lightning_csv": lightning_csv,
    "ultralytics": ultralytics,
    "rllib": rllib,
    "tensorboard_csv": tensorboard_csv,
    "wandb_history": wandb_history,
    "mlflow": mlflow,
}
"""By framework, what it writes; of the others see ``frames``."""

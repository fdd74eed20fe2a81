"""Curves as people keep them: tables, exports, a file for each metric; what stands beside them tells of the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, files: dict[str, str]) -> Verdict:
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return analyze(import_logs([folder]), strict=True)[0]


def fallen(count: int, begin: float = 2.8, end: float = 0.6) -> list[float]:
    return [round(end + (begin - end) * 0.5 ** (8 * n / count) + 0.01 * (n % 3), 5) for n in range(count)]


def sacred(status: str | None, count: int, epochs: int) -> dict[str, str]:
    losses = {"steps": list(range(count)), "timestamps": ["2026-05-04T10:00:00"] * count, "values": fallen(count)}
    times = {"start_time": "2026-05-04T10:00:00.1", "stop_time": "2026-05-04T10:40:04.2"}
    run = {"experiment": {"name": "cub"}, "heartbeat": "2026-05-04T10:40:04.2", "status": status, **times}
    return {
        "runs/57/metrics.json": json.dumps({"train.loss": losses}),
        "runs/57/config.json": json.dumps({"lr": 0.1, "n_epochs": epochs}),
        **({} if status is None else {"runs/57/run.json": json.dumps(run)}),
    }


@pytest.mark.parametrize(
    ("status", "count", "epochs", "family"),
    [
        ("COMPLETED", 4, 300, "E3"),
        (None, 4, 300, None),  # nothing tells that it ended
        ("INTERRUPTED", 4, 300, None),  # somebody pressed a key
        ("FAILED", 40, 300, None),  # and what failed is not told
        ("COMPLETED", 30, 30, "G1"),
    ],
)
def test_a_tracker_s_account_of_a_run(
    tmp_path: Path, status: str | None, count: int, epochs: int, family: str | None
) -> None:
    assert judged(tmp_path, sacred(status, count, epochs)).family == family


FEW = "".join(f"step {10 * n} | loss {10.5 - 0.2 * n:.4f} | lr {2e-6 * n:.3e}\n" for n in range(1, 13))


@pytest.mark.parametrize(
    ("plan", "end", "family"),
    [
        ("cmd = train.py --max-steps 40000\n", "training finished at step 120\n", "E3"),
        ("cmd = train.py --max-steps 40000\n", "", None),  # who ended it is not told
        ("cmd = train.py --max-steps 240\n", "training finished at step 120\n", None),  # a half is no small part
    ],
)
def test_done_after_a_small_part_of_what_it_said_itself(
    tmp_path: Path, plan: str, end: str, family: str | None
) -> None:
    assert judged(tmp_path, {"run.log": plan + FEW + end}).family == family


def trainer(parts: float, evaluated: list[float]) -> str:
    told = [
        "***** Running training *****",
        "  Num Epochs = 4",
        "  Total optimization steps = 2,400",
    ]
    for n, loss in enumerate(evaluated, 1):
        at = round(parts * n / len(evaluated), 5)
        told += [f"{{'loss': {2.1 - 0.05 * n - 0.01 * k:.4f}, 'learning_rate': 2e-05, 'epoch': {at}}}" for k in (1, 2)]
        told.append(f"{{'eval_loss': {loss}, 'eval_runtime': 21.4, 'epoch': {at}}}")
    told.append(f"{{'train_runtime': 2.333e+04, 'train_loss': 1.749, 'epoch': {round(parts, 5)}}}")
    return "\n".join(told) + "\n"


@pytest.mark.parametrize(
    ("parts", "evaluated", "family"),
    [
        (0.0767, [2.0, 1.9, 1.8, 1.75, 1.7], "E3"),
        (0.0767, [2.0, 1.7, 1.8, 1.85, 1.9], "G1"),  # past its best: a rule of its own may end it so
        (4.0, [2.0, 1.9, 1.8, 1.75, 1.7], "G1"),
    ],
)
def test_a_trainer_that_counts_in_parts_of_epochs(
    tmp_path: Path, parts: float, evaluated: list[float], family: str | None
) -> None:
    assert judged(tmp_path, {"slurm-7.out": trainer(parts, evaluated)}).family == family


def monitor(last_rate: float) -> dict[str, str]:
    losses = "".join(f"{n},{2560 * (n + 1)},{loss}\n" for n, loss in enumerate(fallen(120)))
    rates = "".join(f"{n},{2560 * (n + 1)},{1e-4 + (last_rate - 1e-4) * n / 119}\n" for n in range(120))
    return {
        "csv_monitor/gpt/Train_Samples_train_loss.csv": f",step,Train/Samples/train_loss\n{losses}",
        "csv_monitor/gpt/Train_Samples_lr.csv": f",step,Train/Samples/lr\n{rates}",
    }


@pytest.mark.parametrize(("last_rate", "family"), [(0.0, "G1"), (4e-5, None)])
def test_a_rate_in_a_file_of_its_own(tmp_path: Path, last_rate: float, family: str | None) -> None:
    assert judged(tmp_path, monitor(last_rate)).family == family


def played(steps: int) -> dict[str, str]:
    rows = "".join(f"{2048 * n},{20 + 3000 * n / (n + 60):.2f},25.1\n" for n in range(1, steps // 2048 + 2))
    pairs = (
        "!!python/object/apply:collections.OrderedDict\n- - - n_steps\n    - 2048\n  - - n_timesteps\n    - 1000000.0\n"
    )
    head = "time/total_timesteps,rollout/ep_rew_mean,train/loss\n"
    return {"ppo/W_1/progress.csv": head + rows, "ppo/W_1/Walker2d-v4/config.yml": pairs}


@pytest.mark.parametrize(("steps", "family"), [(1_000_000, "G1"), (500_000, None)])
def test_settings_that_are_pairs(tmp_path: Path, steps: int, family: str | None) -> None:
    assert judged(tmp_path, played(steps)).family == family


def comet(name: str) -> str:
    told = []
    for n, loss in enumerate(fallen(60)):
        shared = {"timestamp": 1781510400000 + 20000 * n, "step": 10 * n, "epoch": n // 12, "offset": 20000 * n}
        told += [{"metricName": name, "metricValue": str(loss), **shared}]
        told += [{"metricName": "lr", "metricValue": str(1e-4 * (59 - n) / 59), **shared}]
    return json.dumps(told)


@pytest.mark.parametrize(("name", "family"), [("train_loss", "G1"), ("gpu_power", None)])
def test_a_metric_a_line_with_more_beside_it(tmp_path: Path, name: str, family: str | None) -> None:
    (tmp_path / "beside").mkdir()
    files = {"metrics (2).json": comet(name), "train.log": "started\n"}
    assert judged(tmp_path, files).family == family


def log_of(begin: float, end: float) -> str:
    told = (f"INFO step {10 * n}/400 loss {loss}\n" for n, loss in enumerate(fallen(40, begin, end), 1))
    return "".join(told) + "INFO training complete after 400 steps\n"


@pytest.mark.parametrize(
    ("folder", "begin", "end", "family"),
    [
        ("run_a", 6.1, 2.4, None),  # how that one ended is not told
        ("run_a", 2.8, 0.6, "G1"),  # the same training, told twice
        ("csv_logs", 6.1, 2.4, "G1"),  # a folder of a tool, whose loss is another
    ],
)
def test_two_trainings_of_which_one_is_a_table(
    tmp_path: Path, folder: str, begin: float, end: float, family: str | None
) -> None:
    table = "step,train_loss\n" + "".join(f"{10 * n},{loss}\n" for n, loss in enumerate(fallen(39), 1))
    files = {f"{folder}/metrics.csv": table, "run_b/train.log": log_of(begin, end)}
    assert judged(tmp_path, files).family == family


@pytest.mark.parametrize(
    ("wait", "said"),
    [
        (81, True),  # four fifths of each epoch
        (4, False),
        (0.02, False),  # of one batch
    ],
)
def test_clocks_of_epochs(tmp_path: Path, wait: float, said: bool) -> None:
    rows = "".join(f"{n},{loss},{98 + n % 3},{wait}\n" for n, loss in enumerate(fallen(40), 1))
    files = {"history.csv": f"epoch,train_loss,epoch_time_s,data_time_s\n{rows}", "config.yaml": "epochs: 40\n"}
    verdict = judged(tmp_path, files)
    assert (verdict.family == "G1") is not said


def of_a_plant(columns: str) -> str:
    rows = "".join(f"{n},{12 + n * 0.05:.3f},{40 + n % 3},{21 + n % 5}\n" for n in range(600))
    return f"step,{columns}\n{rows}"


@pytest.mark.parametrize(
    ("columns", "family"),
    [
        ("cost,power_kw,temperature", None),  # of a plant
        ("cost,lr,grad_norm", "E1"),
        ("train_loss,power_kw,temperature", "E1"),
    ],
)
def test_costs_that_are_no_losses(tmp_path: Path, columns: str, family: str | None) -> None:
    files = {"job.log": "started\n", "table.csv": of_a_plant(columns)}
    assert judged(tmp_path, files).family == family


def exported(state: str) -> dict[str, str]:
    head = '"Name","State","Created","Runtime","epochs","train/loss"\n'
    row = f'"sunny-1","{state}","2026-07-01T10:00:00.000Z","5400","40","0.31"\n'
    rows = "".join(f'"{25 * n}","{loss}"\n' for n, loss in enumerate(fallen(200)))
    return {"runs.csv": head + row, "wandb_export.csv": f'"Step","sunny-1 - train/loss"\n{rows}'}


@pytest.mark.parametrize(("state", "family"), [("finished", "G1"), ("crashed", None), ("running", None)])
def test_a_table_of_one_run_beside_its_curve(tmp_path: Path, state: str, family: str | None) -> None:
    assert judged(tmp_path, exported(state)).family == family


def dumped(status: str, steps: int) -> dict[str, str]:
    rows = "".join(f"77aa,nll,{loss},{10 * n},{1781510400000 + 9000 * n}\n" for n, loss in enumerate(fallen(55)))
    return {
        "metrics.csv": f"run_uuid,key,value,step,timestamp\n{rows}",
        "runs.csv": f"run_uuid,name,status\n77aa,m3,{status}\n",
        "params.csv": f"run_uuid,key,value\n77aa,max_steps,{steps}\n77aa,lr,0.001\n",
    }


@pytest.mark.parametrize(
    ("status", "steps", "family"), [("FINISHED", 50000, "E3"), ("RUNNING", 50000, None), ("FINISHED", 540, "G1")]
)
def test_tables_of_a_tracker_s_database(tmp_path: Path, status: str, steps: int, family: str | None) -> None:
    assert judged(tmp_path, dumped(status, steps)).family == family


@pytest.mark.parametrize(("last", "family"), [(8950, "G1"), (8000, None)])
def test_the_last_report_before_a_limit_that_was_set(tmp_path: Path, last: int, family: str | None) -> None:
    rows = "".join(f"{50 * n},{loss}\n" for n, loss in enumerate(fallen(last // 50 + 1)))
    files = {"train.csv": f"iter,loss_total\n{rows}", "cfg.yaml": "max_iters: 9000\n"}
    assert judged(tmp_path, files).family == family


@pytest.mark.parametrize(("epochs", "family"), [(40, "G1"), (400, None)])
def test_lists_behind_what_was_set(tmp_path: Path, epochs: int, family: str | None) -> None:
    told = {"config": {"epochs": epochs}, "train_loss": fallen(40), "val_loss": fallen(40, 2.9, 0.7), "best": 38}
    assert judged(tmp_path, {"metrics.json": json.dumps(told)}).family == family


def versions(second: str, begin: float) -> dict[str, str]:
    head = "step,train_loss,epoch\n"
    files = {}
    for version, (path, first) in enumerate((("null", 4.7), (second, begin))):
        rows = "".join(f"{50 * n + 49},{loss},{n // 20}\n" for n, loss in enumerate(fallen(200, first, 0.9)))
        files[f"lightning_logs/version_{version}/metrics.csv"] = head + rows
        files[f"lightning_logs/version_{version}/hparams.yaml"] = f"lr: 0.001\nckpt_path: {path}\nmax_epochs: 30\n"
    return files


@pytest.mark.parametrize(
    ("second", "begin", "family"),
    [
        ("lightning_logs/version_0/checkpoints/last.ckpt", 4.65, "E2"),
        ("null", 4.65, None),  # another experiment
        ("lightning_logs/version_0/checkpoints/last.ckpt", 1.2, None),  # its weights are there, and its counter is not
    ],
)
def test_a_version_that_was_set_to_go_on(tmp_path: Path, second: str, begin: float, family: str | None) -> None:
    assert judged(tmp_path, versions(second, begin)).family == family


@pytest.mark.parametrize(
    ("losses", "family"),
    [
        ([0.676, 0.661, 0.645, 0.630, 0.614, 0.599], None),  # it may have been a trial
        ([0.676, 0.561, 0.475, 0.410, 0.364, 0.339], "G1"),  # it learned
        ([0.676, 0.601, 0.585, 0.579, 0.577, 0.575], "G1"),  # and had come to its end
    ],
)
def test_a_handful_of_steps_that_were_the_plan(tmp_path: Path, losses: list[float], family: str | None) -> None:
    rounds = "".join(f"[{n}]\ttrain-logloss:{loss:.5f}\n" for n, loss in enumerate(losses))
    text = f"params: eta=0.05 max_depth=6, num_boost_round=6\n{rounds}model saved to booster.json\n"
    assert judged(tmp_path, {"slurm-3.out": text}).family == family


@pytest.mark.parametrize("mark", ["cp", ""])
def test_a_table_with_a_column_of_marks(tmp_path: Path, mark: str) -> None:
    head = f"  epoch    train_loss    valid_loss    {mark}     dur\n-------  ------------  ------------  ----  ------\n"
    rows = "".join(
        f"{n:>7}        {loss:.4f}        {loss + 0.1:.4f}  {'   +' if mark and n % 3 else '    '}  9.{n:04}\n"
        for n, loss in enumerate(fallen(30), 1)
    )
    text = f"max_epochs=30\n{head}{rows}Training finished.\n"
    assert judged(tmp_path, {"fit.log": text}).family == "G1"

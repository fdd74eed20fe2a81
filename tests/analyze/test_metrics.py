"""Runs told by trackers alone, and trackers beside logs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.evidence import Evidence
from inquest.analyze.families._curve import curve
from inquest.analyze.families._stall import stall
from inquest.analyze.families._telling import tell
from inquest.analyze.metric_names import column_of
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference"
SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "trackers"
SECOND = 10**9
START = 1_795_000_000 * SECOND
FALLING = [4.0 * math.exp(-n / 20) for n in range(60)]


@pytest.mark.parametrize(
    ("column", "names"),
    [
        (
            "loss",
            "loss|train/loss|train_loss|training_loss|Loss/train|lm loss|lm-loss-training/lm loss|reduced_train_loss",
        ),
        (
            "loss",
            "loss_metrics/global_avg_loss|train/loss_epoch|epoch_loss|total_loss|Train/Samples/train_loss|loss_step",
        ),
        ("loss", "train/neg_elbo|negative_elbo|nelbo"),
        ("loss", "trainLoss|MSELoss|train/lossMean|meanTrainLoss"),
        ("eval_loss", "valLoss|evalLoss"),
        ("lr", "learningRate"),
        ("loss", "ctc|dice_bce|train/ce_dice|huber|perte_entraînement|Verlust|Trainingsverlust|pérdida"),
        ("eval_loss", "val_dice_bce|perte_validation|Validierungsverlust"),
        ("score", "train_elbo|valid/elbo|charts/episodic_return|rollout/ep_rew_mean"),
        ("eval_loss", "eval_loss|eval/loss|val_loss|val/loss|validation_loss|valid_loss|Loss/val|lm loss validation"),
        ("eval_loss", "eval.loss|val_loss_epoch|test_loss|epoch_val_loss"),
        (
            "grad_norm",
            "grad_norm|train/grad_norm|grad-norm|gradient_norm|grad_2.0_norm_total|train/global_grad_norm|gnorm",
        ),
        ("lr", "lr|learning_rate|train/learning_rate|learning-rate|lr-AdamW|lr-AdamW/pg1|lr_group0|Train/Samples/lr"),
        ("loss_scale", "loss_scale|loss-scale|train/loss_scale|grad_scale"),
        ("step_time_s", "iteration-time|train_step_timing in s|time_metrics/end_to_end(s)|sec_per_step|step_time"),
        ("samples_per_s", "samples_per_second|train_samples_per_second|throughput/samples_per_sec"),
        ("tokens_per_s", "tokens_per_sec|train/tokens_per_second|throughput(tps)|tok/s"),
        ("mfu", "mfu|mfu(%)|train/mfu"),
        ("counter", "global_step|train/global_step|trainer/global_step|iter|step"),
        ("total_steps", "max_steps|total_steps"),
        ("accuracy", "accuracy|eval/accuracy|val_acc|sparse_categorical_accuracy|eval/top1|eval_accuracy_top1"),
        ("judged", "fid50k_full|metrics/fid|val_wer"),
        ("quality", "metrics/mAP50-95(B)|val_dice|mIoU|f1_score"),
        ("eval_loss", "val/c4_ppl|eval/wikitext_103/nll"),
        (None, "val_dice_loss|val_g_loss|mape"),
        (
            None,
            "lr-Adam-momentum|aux_loss|train/aux_loss|kl_loss|lm loss vs samples|loss_ratio|grad_acc|acc_steps|",
        ),
        (None, "eval_samples_per_second|tokens_per_sec_per_gpu|gpu.0.powerWatts|train_flops|" + "loss" * 100),
    ],
)
def test_names_of_metrics(column, names):
    assert {name: column_of(name) for name in names.split("|")} == dict.fromkeys(names.split("|"), column)


# --- what real trackers wrote ----------------------------------------------------------------------------------------


def imported(path, **end):
    rows = import_paths([path], **end).rows
    return MemoryStore({table: rows.collect(table, "import") for table in rows.tables()})


@pytest.mark.parametrize(
    ("folder", "end", "family", "words"),
    [
        ("tensorboard/restart", {}, "E2", "reached step 30, was restarted, and began again at step 1"),
        ("tensorboard/nan", {}, "E1", "from step 26 on"),
        ("tensorboard/nan", {"exit_code": 0}, "E1", "although the run ended without an error"),
        ("tensorboard/tensors", {"exit_code": 0}, "G1", "the loss fell"),
        ("tensorboard/tensors", {}, None, ""),
        ("tensorboardx/healthy", {"exit_code": 0}, "G1", "the loss fell"),
        ("wandb/healthy", {}, "G1", "the tracker noted exit code 0"),
        ("wandb/nan", {}, "E1", "from step 26 on"),
        ("mlflow/mlruns", {}, "E1", "from step 26 on"),
        ("mlflow/mlflow.db.zst", {}, "E1", "from step 26 on"),
        ("lightning", {"exit_code": 0}, "G1", "the loss fell"),
        ("huggingface/healthy", {}, "G1", "a final summary was printed"),
        ("huggingface/nan", {}, "E1", "from step 13 on"),
        ("huggingface/three_steps", {}, "E3", "3 steps of 3 planned"),
    ],
)
def test_verdicts_on_files_of_real_trackers(folder, end, family, words):
    verdict, _ = analyze(imported(SAMPLES / folder, **end))
    assert verdict.family == family, verdict.headline
    assert words in verdict.headline
    stores = {store for entry in verdict.families if entry.family == family for store in entry.stores}
    assert family is None or "logs" not in stores or folder.startswith("wandb")


@pytest.mark.parametrize(
    ("file", "family", "words"),
    [
        ("hf-nan/trainer_state.json", "E1", "from step 15 on"),
        ("hf-requeue-resumes/trainer_state.json", "G1", "60 steps"),
        ("pl-train/metrics.csv", None, ""),
    ],
)
def test_verdicts_on_trackers_of_the_reference_runs(file, family, words):
    path = REFERENCE / "real-logs" / file
    if not path.exists():
        pytest.skip(f"{path} is not on this machine")
    verdict, _ = analyze(imported(path))
    assert verdict.family == family
    assert words in verdict.headline


def test_copies_of_checkpoints_are_not_told_twice():
    steps = Evidence(imported(SAMPLES / "huggingface" / "healthy"), strict=True).facts("fact_steps")
    assert steps["source"].unique().to_list() == ["trainer_state.json"]
    assert steps["step"].to_list() == list(range(1, 21))
    assert steps["eval_loss"].drop_nulls().len() == 2
    assert set(steps["total_steps"]) == {20}
    assert steps["loss"].null_count() == 0


# --- constructed ones ------------------------------------------------------------------------------------------------


def noted(losses, *, run="r", source=None, begin=1, start=0.0, framework="tensorboard", name="train/loss", **more):
    """Rows of ``metrics``, one a second; ``more`` are other metrics, a list each."""
    rows = []
    for n, loss in enumerate(losses):
        told = {name: loss, **{key: series[n] for key, series in more.items()}}
        rows += [
            {
                "framework": framework, "run": run, "source": source or f"runs/{run}/events", "step": begin + n,
                "ts_ns": START + int((start + n) * SECOND), "name": key, "value": value,
            }
            for key, value in told.items()
        ]  # fmt: skip
    return rows


def judged(rows, **tables):
    store = MemoryStore.from_rows({"metrics": rows, **tables}, capture="import", node="gpu01")
    return analyze(store)


def exited(code=0, at=100.0):
    row = {"event": "exit", "role": "task", "exit_code": code, "ts_ns": START + int(at * SECOND)}
    return {"processes": [row]}


def test_healthy():
    verdict, ev = judged(noted(FALLING), **exited())
    assert (verdict.outcome, verdict.family) == ("decided", "G1")
    assert ev.facts("fact_steps")["kind"].unique().to_list() == ["tracked"]


@pytest.mark.parametrize(("column", "family"), [("lr", None), ("val/epoch", "G1")])
def test_a_loss_that_alone_falls_silent(column, family):
    """A blank may stand for NaN where a loop goes on to tell its rate; what validation tells is another thing."""
    rows = noted(FALLING, **{column: [0.1] * 60})
    told = [row for row in rows if row["step"] <= 40 or row["name"] == column]
    assert (judged(told, **exited())[0].family, judged(rows, **exited())[0].family) == (family, "G1")


@pytest.mark.parametrize(("other", "family"), [(math.nan, None), (1.0, "G1")])
def test_a_training_beside_another_that_broke(other, family):
    rows = noted(FALLING, run="runs/b", source="runs/b/e") + noted(
        [*FALLING[:9], other, other, other], source="runs/a/e"
    )
    assert judged(rows, **exited())[0].family == family


def test_dead_plateau():
    flat = [2.5] * 80
    verdict, _ = judged(noted(flat, grad_norm=[0.0] * 80), **exited())
    assert (verdict.family, verdict.sub_mode) == ("E1", "not_learning")


def test_three_steps_need_a_counter_of_steps():
    sure, _ = judged(noted([3.0, 2.5, 2.0], **{"train/global_step": [1.0, 2.0, 3.0]}), **exited())
    assert sure.family == "E3"
    verdict, _ = judged(noted([3.0, 2.5, 2.0]), **exited())  # three epochs, for all that TensorBoard says
    assert verdict.family != "E3"


def test_restart_on_another_node():
    again = [{**row, "node": "gpu02"} for row in noted(FALLING, start=100, source="runs/r/events2")]
    verdict, ev = judged(noted(FALLING) + again)
    assert (verdict.family, verdict.sub_mode) == ("E2", "silent_restart")
    assert verdict.first_failing.node is None
    assert ev.facts("fact_attempts")["source"].unique().to_list() == ["runs/r"]


def test_restart_that_repeats_every_value_is_no_copy():
    rows = noted(FALLING, framework="mlflow", source="m/loss") + noted(
        FALLING, framework="mlflow", source="m/loss", start=100
    )
    assert judged(rows)[0].family == "E2"


def test_resume_is_no_restart():
    rows = noted(FALLING[:40]) + noted(FALLING[30:], begin=31, start=100, source="runs/r/events2")
    verdict, ev = judged(rows, **exited(at=200))
    assert verdict.family == "G1"
    assert ev.facts("fact_attempts").height == 1
    assert ev.facts("fact_steps")["step"].to_list() == list(range(1, 61))


@pytest.mark.parametrize(("begins", "family"), [(4.0, "E2"), (0.6, "G1")])
def test_a_counter_that_went_on_without_the_weights(begins, family):
    """Files that number their attempts are believed; what counts is the loss, not the counter."""
    first = noted(FALLING, framework="jsonl", attempt=[0.0] * 60)
    again = [begins * math.exp(-n / 20) for n in range(60)]
    second = noted(again, framework="jsonl", attempt=[1.0] * 60, begin=61, start=60)
    verdict, _ = judged(first + second, **exited(at=200))
    assert verdict.family == family
    assert family == "G1" or (verdict.sub_mode, "step 61" in verdict.headline) == ("load_without_effect", True)


@pytest.mark.parametrize(("back", "family"), [(0.001, "E2"), (0.05, "G1")])
def test_a_restart_that_missed_a_part_and_never_made_it_good(back, family):
    first = noted(FALLING, framework="jsonl", attempt=[0.0] * 60)
    again = [1.5 * math.exp(-n * back) for n in range(60)]
    second = noted(again, framework="jsonl", attempt=[1.0] * 60, begin=61, start=60)
    assert judged(first + second, **exited(at=200))[0].family == family


@pytest.mark.parametrize(("lost", "family"), [(math.nan, "E1"), (0.2, "G1")])
def test_one_seed_of_several(lost, family):
    seeds = [noted(FALLING, source=f"runs/seed{n}/log.csv", framework="csv", run=f"runs/seed{n}") for n in (1, 2, 3)]
    for row in seeds[1][40:]:
        row["value"] = lost
    assert judged([row for seed in seeds for row in seed], **exited(at=200))[0].family == family


@pytest.mark.parametrize(("status", "family"), [(3.0, "G1"), (4.0, None), (1.0, None)])
def test_mlflow_says_how_a_run_ended(status, family):
    rows = noted(FALLING, framework="mlflow") + noted([status], framework="mlflow", name="run_status", start=60)
    assert judged(rows)[0].family == family


def test_an_export_that_is_one_object(tmp_path):
    history = [{"_step": n, "_timestamp": 1.7e9 + n, "train/ce": loss} for n, loss in enumerate(FALLING)]
    told = {"id": "a1", "config": {"lr": 0.1}, "summary": {"_step": 59, "loss": 1.0}, "history": history}
    (tmp_path / "export.json").write_text(json.dumps(told))
    steps = Evidence(imported(tmp_path), strict=True).facts("fact_steps")
    assert (steps.height, steps["loss"].null_count()) == (60, 0)


def test_a_total_is_no_step_where_another_number_counts(tmp_path):
    lines = [
        {"current_steps": 10 * n, "total_steps": 590, "epoch": n / 20, "loss": loss} for n, loss in enumerate(FALLING)
    ]
    (tmp_path / "trainer_log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    verdict, ev = analyze(imported(tmp_path))
    assert (verdict.family, ev.facts("fact_steps")["step"].max()) == ("G1", 590)


def test_late_steps_are_no_restart():
    rows = noted(FALLING)
    rows[10]["step"], rows[12]["step"] = rows[12]["step"], rows[10]["step"]
    assert judged(rows, **exited())[1].facts("fact_attempts").height == 1


def test_of_several_experiments_the_last_is_judged():
    broken = [*FALLING[:10], *[math.nan] * 20]
    rows = noted(broken, run="runs/a", source="runs/a/e") + noted(FALLING, run="runs/b", source="runs/b/e", start=100)
    verdict, _ = judged(rows, **exited(at=200))
    assert verdict.family == "G1"
    rows = noted(FALLING, run="runs/a", source="runs/a/e") + noted(broken, run="runs/b", source="runs/b/e", start=100)
    verdict, _ = judged(rows, **exited(at=200))
    assert (verdict.family, verdict.sub_mode) == ("E1", "nan")


def test_a_new_run_of_a_requeued_job_is_a_restart():
    rows = noted(FALLING, run="runs/a", source="runs/a/e") + noted(FALLING, run="runs/b", source="runs/b/e", start=100)
    job = {"job_id": "7", "restarts": 1, "start_ns": START, "end_ns": START + 200 * SECOND, "state": "FAILED"}
    assert judged(rows, slurm_jobs=[job])[0].family == "E2"
    verdict, _ = judged(rows, slurm_jobs=[{**job, "restarts": 0}])
    assert verdict.family != "E2"
    assert any("reached step 60, and the next one began at step 1" in warning for warning in verdict.warnings)


def test_runs_side_by_side_are_no_attempts():
    rows = noted(FALLING, run="runs/a", source="runs/a/e") + noted(FALLING, run="runs/b", source="runs/b/e", start=1)
    _, ev = judged(rows)
    assert sorted(ev.facts("fact_attempts")["source"]) == ["runs/a/e", "runs/b/e"]
    assert ev.facts("fact_attempts")["attempt"].to_list() == [0, 0]


def test_time_limit_while_advancing():
    end = START + 120 * SECOND
    job = {"job_id": "7", "start_ns": START, "end_ns": end, "ts_ns": end, "state": "TIMEOUT", "time_limit_s": 120}
    rows = noted([4 - n / 100 for n in range(100)])
    verdict, ev = judged(rows, slurm_jobs=[job])
    assert (verdict.family, verdict.sub_mode) == ("F3", "advancing")
    assert "at step 100" in verdict.headline
    assert stall(ev, tell(ev)) is None


def test_what_was_not_yet_written_is_no_stall():
    for silent, stalled in ((150, False), (190, True)):
        _, ev = judged(noted(FALLING), **exited(code=1, at=59 + silent))
        assert (stall(ev, tell(ev)) is not None) is stalled


def test_experiments_of_another_day_are_left_aside():
    old = noted([math.nan] * 80, run="runs/old", source="runs/old/e", start=-3 * 86400)
    verdict, ev = judged(old + noted(FALLING), **exited())
    assert verdict.family == "G1"
    assert ev.facts("fact_steps").height == 60
    assert any("runs/old/e" in warning for warning in verdict.warnings)


def test_calls_of_wandb_are_no_steps():
    rows = noted(FALLING, framework="wandb", begin=0, source="wandb/run-x/run-x.wandb")
    _, ev = judged(rows)
    assert ev.facts("fact_steps")["step"].null_count() == 60
    every_tenth = [{**row, "step": row["step"] * 10} for row in rows]
    _, ev = judged(every_tenth)
    assert ev.facts("fact_steps")["step"].max() == 590


def test_a_mean_over_the_run_is_no_loss_of_a_step():
    rows = noted(FALLING, framework="huggingface", name="loss")
    rows += noted([99.0], framework="huggingface", name="train_loss", begin=60, train_runtime=[5.0], start=60)
    for row in rows:
        row["ts_ns"] = None
    _, ev = judged(rows)
    assert ev.facts("fact_steps")["loss"].max() == FALLING[0]
    assert ev.facts("fact_events")["kind"].to_list() == ["train_summary"]


def test_a_loss_of_zero_beside_a_gradient_that_is_none():
    rows = noted([2.0] * 10 + [0.0] * 20, framework="huggingface", name="loss", grad_norm=[1.0] * 10 + [math.nan] * 20)
    verdict, _ = judged(rows)
    assert (verdict.family, verdict.sub_mode) == ("E1", "nan")


def test_epochs_are_told_from_steps():
    _, ev = judged(noted(FALLING[:5], epoch=[1.0, 2.0, 3.0, 4.0, 5.0]))
    assert ev.facts("fact_steps")["kind"].unique().to_list() == ["epoch"]


def test_a_step_that_outruns_the_epoch_is_no_epoch():
    _, ev = judged(noted(FALLING[:6], epoch=[0.5, 1.0, 1.5, 2.0, 2.5, 3.0]))
    assert ev.facts("fact_steps")["kind"].unique().to_list() == ["step"]


def test_folds_in_one_event_file_are_no_restart():
    rows = noted(FALLING) + noted(FALLING, start=100)
    verdict, ev = judged(rows, **exited(at=200))
    assert verdict.family == "G1"
    assert ev.facts("fact_attempts")["began_by"].to_list() == ["start", "new_run"]


def test_keras_keeps_training_and_validation_in_two_runs():
    rows = noted(FALLING, run="logs/train", source="logs/train/e", name="epoch_loss")
    rows += noted(FALLING, run="logs/validation", source="logs/validation/e", name="epoch_loss")
    _, ev = judged(rows)
    steps = ev.facts("fact_steps")
    assert (steps["loss"].count(), steps["eval_loss"].count()) == (60, 60)


def test_a_failed_exit_of_wandb_yields_to_the_scheduler():
    rows = noted(FALLING, framework="wandb", source="w/run/run-x.wandb", begin=10)
    rows += noted([0.0], framework="wandb", source="w/run/run-x.wandb", name="exit_code", start=60)
    rows[-1]["step"] = None
    _, ev = judged(rows)
    assert tell(ev).ended_well is True
    job = {"job_id": "7", "start_ns": START, "end_ns": START + 60 * SECOND, "state": "FAILED", "exit_code": 1}
    _, ev = judged(rows, slurm_jobs=[job])
    assert tell(ev).ended_well is False


# --- beside a log ----------------------------------------------------------------------------------------------------


def lines(losses, every=1):
    return [
        {"text": f"step {n + 1} loss {loss:.4f}", "source": "job.log", "stream": "file"}
        for n, loss in enumerate(losses)
        if n % every == 0
    ]


@pytest.mark.parametrize(("every", "source"), [(1, "job.log"), (10, "runs/r/events")])
def test_the_finer_record_is_the_curve(every, source):
    _, ev = judged(noted(FALLING), log_lines=lines(FALLING, every))
    chosen = curve(tell(ev)).frame
    assert chosen["source"].unique().to_list() == [source]
    assert chosen.height == 60


def test_a_schedule_that_began_anew_is_seen_beside_a_tracker_too():
    rates = [0.001 * n for n in range(1, 11)] + [0.01 - 0.001 * n for n in range(30)]
    log = [
        {"text": f"{{'loss': 2.0, 'learning_rate': {rate:.6f}, 'epoch': {3 + n / 10:.1f}}}", "source": "job.log"}
        for n, rate in enumerate(rates)
    ]
    more = {"train/learning_rate": rates, "train/epoch": [3 + n / 10 for n in range(40)]}
    for rows in ([], noted([2.0] * 40, begin=300, **more)):
        verdict, _ = judged(rows, log_lines=log) if rows else analyze(MemoryStore.from_rows({"log_lines": log}))
        entry = next(entry for entry in verdict.families if entry.family == "E2")
        assert entry.status == "ruled_in", entry.because


def test_nothing_is_counted_twice():
    broken = [*FALLING[:30], *[math.nan] * 30]
    verdict, _ = judged(noted(broken), log_lines=lines(broken))
    assert verdict.family == "E1"
    assert next(claim.value for claim in verdict.shows if "reports" in claim.unit) == 60


def test_a_tracker_s_own_counter_does_not_count_the_steps_of_a_log():
    samples = [{**row, "step": row["step"] * 512} for row in noted(FALLING)]
    _, ev = judged(samples, log_lines=lines(FALLING))
    assert tell(ev).last_step == 60


def test_order_and_names_of_rows_do_not_matter():
    rows = noted(FALLING[:40]) + noted(FALLING, start=100, source="runs/r/events2", grad_norm=[1.0] * 60)
    for number, row in enumerate(rows):
        row["seq"] = number
    first, ev = judged(rows)
    second, again = judged(rows[::-1])
    assert first.headline == second.headline
    assert ev.facts("fact_steps").equals(again.facts("fact_steps"))
    assert ev.facts("fact_attempts").equals(again.facts("fact_attempts"))


@pytest.mark.parametrize(
    ("course", "family"),
    [
        (lambda n: n / 60, "G1"),
        (lambda n: n / 30 if n < 30 else 0.0, "E1"),  # it collapsed
        (lambda n: 0.1, None),
    ],
)
def test_where_a_reward_is_told_it_is_what_was_learned(course, family):
    losses = [0.1 + n / 10 for n in range(60)]
    rows = noted(losses, name="losses/value_loss", **{"charts/episodic_return": [course(n) for n in range(60)]})
    verdict, _ = judged(rows, **exited())
    assert verdict.family == family
    assert family != "G1" or "the score rose" in verdict.headline


@pytest.mark.parametrize("name", ["fold", "seed", "trial"])
def test_trainings_of_one_table_are_no_restarts(tmp_path, name):
    lines = [f"{name},step,loss"]
    lines += [f"{k},{60 * k + n + 1},{loss:.4f}" for k in range(3) for n, loss in enumerate(FALLING)]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")
    assert analyze(imported(tmp_path, exit_code=0))[0].family == "G1"


@pytest.mark.parametrize(
    ("steps", "family"),
    [
        ([*range(120), *range(80)], "E2"),
        ([*range(60)] * 5, None),  # folds that bear no name
        ([step for n in range(120) for step in (n, max(0, n - 30))], None),  # two writers of one table
        ([*range(119, -1, -1)], None),  # the newest first
        ([(37 * n) % 120 for n in range(120)], None),  # in no order
    ],
)
def test_a_counter_at_its_start_again(tmp_path, steps, family):
    rows = [f"{n},{2 + 7 * math.exp(-n / 25):.4f}\n" for n in steps]
    (tmp_path / "all.csv").write_text("step,loss\n" + "".join(rows))
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("named", "family"), [("metrics_epoch_{}.json", "E1"), ("config_{}9.json", None)])
def test_a_file_for_each_report(tmp_path, named, family):
    for n in range(40):
        loss = 2 + 7 * math.exp(-n / 9) if n < 25 else math.nan
        (tmp_path / named.format(n)).write_text(json.dumps({"epoch": n, "training_loss": loss}))
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(
    ("names", "begins", "forgets", "family"),
    [
        ("run1.csv run2.csv", 100, True, "E2"),  # the counter went on, the loss did not
        ("log_812.csv log_830.csv", 100, True, "E2"),
        ("run1.csv run2.csv", 100, False, None),
        ("stage1.csv stage2.csv", 100, True, None),  # each may have a loss of its own
        ("data_2024.csv data_2025.csv", 100, True, None),
        ("run1.csv run2.csv", 0, True, None),  # two trainings
        ("attempt_1.csv attempt_2.csv", 0, True, "E2"),
    ],
)
def test_numbered_tables_of_one_training(tmp_path, names, begins, forgets, family):
    for number, name in enumerate(names.split()):
        first, passed = (begins, 0 if forgets else 100) if number else (0, 0)
        rows = [f"{first + n},{2 + number / 99 + 7 * math.exp(-(n + passed) / 25):.4f}\n" for n in range(100)]
        (tmp_path / name).write_text("step,loss\n" + "".join(rows))
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("beside", "family"), [({}, "E1"), ({"reward": 0.4}, None), ({"mean_return": 0.4}, None)])
def test_a_loss_of_nothing_throughout_is_no_learning_where_nothing_else_tells(tmp_path, beside, family):
    rows = [{"step": n, "loss": 0.0, **beside} for n in range(40)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("last", "family"), [(140, "E2"), (260, None)])
def test_a_counter_that_goes_far_back_tells_its_steps_twice(tmp_path, last, family):
    steps = [*range(180), *range(60, last)]
    rows = [{"step": n, "loss": 2 + 7 * math.exp(-n / 60) + (k % 7) / 100} for k, n in enumerate(steps)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    verdict, ev = analyze(imported(tmp_path))
    assert verdict.family == family
    assert len(curve(tell(ev)).finite) == len(steps)


@pytest.mark.parametrize(("heading", "family"), [("", "E2"), ("=== stage 2: instructions (1000 steps) ===\n", "G1")])
def test_a_stage_that_learns_as_the_one_before_is_none_done_twice(tmp_path, heading, family):
    halves = ["".join(f"step {k * 100 + n} loss {2 + 5 * math.exp(-n / 15):.4f}\n" for n in range(100)) for k in (0, 1)]
    (tmp_path / "out.log").write_text(heading.join(halves) + "training complete\n")
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("last", "family"), [(240, "E1"), (16, None)])
def test_players_are_judged_by_their_samples(tmp_path, last, family):
    fid = [15 + 200 * math.exp(-n / 12) if n < 60 else last for n in range(100)]
    rows = [{"step": n, "loss_D": 0.7, "loss_G": 1.1 + n % 7 / 10, "fid": value} for n, value in enumerate(fid)]
    (tmp_path / "stats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("found", "family"), [("0.0, 0.0", "E1"), ("np.float32(0.31), np.float32(0.5)", None)])
def test_a_segmentation_that_finds_nothing(tmp_path, found, family):
    at = "2026-10-02 12:00:00.111:"
    lines = [
        f"{at} Epoch {n}\n{at} train_loss 0.06{n % 3}\n{at} val_loss 0.06{n % 2}\n{at} Pseudo dice [{found}]\n"
        for n in range(60)
    ]
    (tmp_path / "training_log.txt").write_text("".join(lines))
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("of", "last", "family"), [(1, 100, "G1"), (100, 100, "G1"), (100, 98, None), (7, 100, None)])
def test_a_share_that_goes_with_the_steps_tells_the_plan(tmp_path, of, last, family):
    rows = [{"step": n, "progress": of * n / 100, "loss": 2 + 7 * math.exp(-n / 20)} for n in range(1, last + 1)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("back", "warms", "family"), [(5.0, True, "E2"), (5.0, False, None), (0.2, True, None)])
def test_the_next_log_of_a_run_that_counts_on(tmp_path, back, warms, family):
    for number in (0, 1):
        left = back if number else 8.0
        lines = [
            f"step {1000 * number + 10 * n} lr {3e-4 * min(1, n / 20 if warms or not number else 1):.3e}"
            f" loss {2.2 + left * math.exp(-n / 20):.4f}"
            for n in range(1, 101)
        ]
        (tmp_path / f"fit.log.{number}").write_text("\n".join(lines) + "\n")
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(
    ("done", "plan", "more", "status", "family"),
    [
        (30, 30, {}, None, "G1"),  # it came to what was set
        (2, 90, {}, 0, "E3"),
        (2, 90, {}, None, None),  # it may still run
        (2, 90, {"patience": 3}, 0, None),
        (27, 90, {}, 0, None),
        (85, 90, {}, 0, None),
    ],
)
def test_a_plan_in_a_file_beside_the_curve(tmp_path, done, plan, more, status, family):
    rows = [f"{n},{0.3 + 2 * math.exp(-5 * n / plan):.4f}\n" for n in range(done)]
    (tmp_path / "history.csv").write_text("epoch,loss\n" + "".join(rows))
    (tmp_path / "args.json").write_text(json.dumps({"lr": 0.1, "epochs": plan, **more}))
    assert analyze(imported(tmp_path, exit_code=status))[0].family == family


TABLE = "epoch,loss\n0,2.4\n1,2.1\n2,1.9\n3,1.8\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("history.csv", f"# resnet, epochs=90 lr=0.1\n{TABLE}"),
        ("history.json", '{"history": {"loss": [2.4, 2.1, 1.9, 1.8]}, "params": {"epochs": 90, "steps": 400}}'),
    ],
)
def test_a_plan_within_the_file_of_the_curve(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert analyze(imported(tmp_path, exit_code=0))[0].family == "E3"


def _rate(n: int, ends: int) -> float:
    return 5e-4 * (1 + math.cos(math.pi * min(n, ends) / ends)) / 2


@pytest.mark.parametrize(
    ("told", "family"),
    [
        # The rate is zero for most of the run; or at its end, as planned.
        ([{"lr": _rate(n, 100), "loss": 5 + 4 * math.exp(-min(n, 100) / 40) + n % 7 / 100} for n in range(400)], "E1"),
        ([{"lr": _rate(n, 390), "loss": 5 + 4 * math.exp(-n / 90)} for n in range(400)], None),
        # Each of five steps between two reports halves the scale.
        ([{"amp_scale": 2.0 ** (16 - 5 * max(0, n - 50)), "loss": 5 + n % 5 / 99} for n in range(120)], "E1"),
        ([{"amp_scale": 2.0 ** (16 + n // 40), "loss": 5 * math.exp(-n / 60)} for n in range(120)], None),
    ],
)
def test_a_rate_or_a_scale_that_is_gone(tmp_path, told, family):
    lines = (json.dumps({"step": 10 * n, **row}) for n, row in enumerate(told))
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    assert analyze(imported(tmp_path))[0].family == family


@pytest.mark.parametrize(("back", "family"), [(90, "E2"), (6, None)])
def test_a_resume_without_the_state_of_its_optimizer(tmp_path, back, family):
    losses = [3 + 7 * math.exp(-n / 60) for n in range(300)]
    losses += [losses[-1] + 2.5 * max(0, 1 - n / back) - n / 500 for n in range(200)]
    rows = [json.dumps({"step": n, "loss": loss}) for n, loss in enumerate(losses)]
    rows.insert(300, '{"event": "restore", "model": "ok", "optimizer": "not found in archive, initialised"}')
    (tmp_path / "scalars.jsonl").write_text("\n".join(rows) + "\n")
    assert analyze(imported(tmp_path))[0].family == family


def test_a_tagger_that_never_found_anything(tmp_path):
    head = "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE \n"
    rows = "".join(
        f"{n:3d}  {200 * n:6d}          0.00   61{n % 9}1.19    0.00    0.00    0.00    0.00\n" for n in range(40)
    )
    (tmp_path / "spacy-train.txt").write_text(head + rows)
    assert analyze(imported(tmp_path))[0].family == "E1"


@pytest.mark.parametrize(("last", "family"), [(6000, "G1"), (4100, None)])
def test_darknet_comes_to_its_last_batch(tmp_path, last, family):
    told = (
        f" {n}: 1.2, {1 + 900 * math.exp(-n / 300):.6f} avg loss, 0.002 rate, 0.48 seconds, 512 images, 0.8 hours left"
        for n in range(100, last + 1, 100)
    )
    (tmp_path / "darknet.log").write_text("\n".join(["max_batches = 6000, steps=4800,5400", *told]) + "\n")
    assert analyze(imported(tmp_path))[0].family == family


def _numbered(count: int, first: int = 1) -> list[dict[str, float]]:
    return [{"n": first + n, "loss": 0.4 + 2 * math.exp(-4 * n / count)} for n in range(count)]


@pytest.mark.parametrize(
    ("count", "first", "setting", "family"),
    [
        (40, 1, "epochs: 40", "G1"),
        (40, 0, "epochs: 40", "G1"),
        (41, 0, "epochs: 40", "G1"),  # one report before the first epoch
        (39, 1, "epochs: 40", None),
        (40, 7, "epochs: 40", None),  # it went on from somewhere
        (40, 1, "max_steps: 4000", None),
    ],
)
def test_reports_numbered_one_by_one_count_epochs_where_as_many_were_set(tmp_path, count, first, setting, family):
    rows = "".join(f"{row['n']},{row['loss']:.4f}\n" for row in _numbered(count, first))
    (tmp_path / "export.csv").write_text("Step,run - train/loss\n" + rows)
    (tmp_path / "config.yaml").write_text(f"lr: 0.1\n{setting}\n")
    verdict = analyze(imported(tmp_path), strict=True)[0]
    assert verdict.family == family
    assert family is None or "40 epochs" in verdict.headline or "41 epochs" in verdict.headline


@pytest.mark.parametrize(
    ("best", "patience", "plateau", "family"),
    [
        (24, 10, "", "G1"),
        (23, 10, "", "G1"),  # it counts to more than its patience
        (24, 6, "", None),  # it would have stopped before
        (34, 10, "", None),
        (24, 10, "scheduler.", None),  # of the learning rate
    ],
)
def test_who_ran_out_of_patience_left_no_word_in_its_table(tmp_path, best, patience, plateau, family):
    rows = [
        f"{n},{0.4 + 2 * math.exp(-n / 8):.4f},{0.7 + abs(n - best) / 40 + (n % 2) / 500:.4f}\n" for n in range(1, 35)
    ]
    (tmp_path / "history.csv").write_text("epoch,train_loss,val_loss\n" + "".join(rows))
    (tmp_path / "args.json").write_text(json.dumps({"epochs": 100, f"{plateau}patience": patience}))
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("last", "family"),
    [
        ({"event": "done", "step": 400}, "G1"),
        ({"event": "done", "step": 400, "of": 400}, "G1"),
        ({"event": "training_end", "elapsed_s": 812}, "G1"),
        ({"event": "done", "step": 300}, None),  # something else was done, on the way
        ({"event": "done", "what": "evaluation"}, None),
        ({"event": "done", "step": 400, "error": "out of space"}, None),
    ],
)
def test_a_record_says_that_all_is_done(tmp_path, last, family):
    told = [{"step": 10 * row["n"], "loss": row["loss"]} for row in _numbered(40)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*told, last]))
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("last", "family"), [({"event": "early_stop", "epoch": 40}, "G1"), ({"event": "eval", "rule": "early_stop"}, None)]
)
def test_a_record_says_that_a_rule_ended_it(tmp_path, last, family):
    told = [{"epoch": row["n"], "loss": row["loss"]} for row in _numbered(40)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*told, last]))
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(("of", "family"), [(40, "G1"), (90, None)])
def test_how_many_epochs_there_are_is_told_by_of(tmp_path, of, family):
    told = [{"epoch": row["n"], "of": of, "loss": row["loss"]} for row in _numbered(40)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in told))
    assert analyze(imported(tmp_path), strict=True)[0].family == family


def test_more_epochs_were_set_than_anything_was_counted(tmp_path):
    _mlflow(tmp_path, 3, 100)
    verdict = analyze(imported(tmp_path), strict=True)[0]
    assert verdict.family is None
    assert "epochs" in verdict.headline


def test_epochs_that_a_library_lists_among_its_defaults_are_no_plan(tmp_path):
    """DeepSpeed prints those of a sampler that is not in use."""
    listed = "[INFO] [config.py:678:print]   data_efficiency_config ....... {'enabled': False, 'num_epochs': 1000}"
    told = [f"step {row['n']} loss {row['loss']:.4f}" for row in _numbered(40)]
    (tmp_path / "job.log").write_text("\n".join([listed, *told, "Saving model checkpoint: ckpt/step40"]) + "\n")
    assert analyze(import_logs([tmp_path / "job.log"], exit_code=0), strict=True)[0].family == "G1"


def test_as_many_epochs_were_set_as_a_tracker_counted(tmp_path):
    _mlflow(tmp_path, 30, 30)
    assert analyze(imported(tmp_path), strict=True)[0].family == "G1"


def _mlflow(folder, count: int, epochs: int) -> None:
    run = folder / "mlruns" / "1" / ("0a1b2c3d" * 4)
    for place in ("metrics", "params"):
        (run / place).mkdir(parents=True)
    (run / "params" / "epochs").write_text(str(epochs))
    begun = START // 10**6
    told = [f"{begun + 30_000 * row['n']} {row['loss']:.5f} {row['n']}\n" for row in _numbered(count)]
    (run / "metrics" / "train_loss").write_text("".join(told))
    (run / "meta.yaml").write_text(
        f"end_time: {begun + 40_000 * count}\nexperiment_id: '1'\nlifecycle_stage: active\nrun_id: {run.name}\n"
        f"start_time: {begun}\nstatus: 3\n"
    )


@pytest.mark.parametrize(("name", "family"), [("out.txt", "G1"), ("console.txt", "G1"), ("requirements.txt", None)])
def test_the_few_lines_that_a_program_printed_beside_its_table(tmp_path, name, family):
    rows = "".join(f"{row['n']},{100 * row['n']},{row['loss']:.4f}\n" for row in _numbered(40))
    (tmp_path / "metrics.csv").write_text("epoch,step,train_loss\n" + rows)
    words = "GPU available: True (cuda), used: True\n`Trainer.fit` stopped: `max_epochs=40` reached.\n"
    (tmp_path / name).write_text(words)
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("name", "text", "family"),
    [
        ("cmd.txt", "python main.py -a resnet18 --lr 0.1 --epochs 40 /data/imagenet\n", "G1"),
        ("cmd.txt", "python main.py -a resnet18 --warmup-epochs 40 --lr 0.1 /data/imagenet\n", None),
        ("args.json", '{"epoch": 40, "batchsize": 100}', "G1"),
        ("args.json", '{"start_epoch": 40, "batchsize": 100}', None),
        ("config.json", '{"epoch": 40, "batchsize": 100}', None),  # it may tell where a run stood
    ],
)
def test_what_a_program_was_called_with_tells_its_plan(tmp_path, name, text, family):
    rows = "".join(f"{row['n']},{row['loss']:.4f}\n" for row in _numbered(40))
    (tmp_path / "history.csv").write_text("epoch,train_loss\n" + rows)
    (tmp_path / name).write_text(text)
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("limit", "family"), [(202_000, "G1"), (202_752, "G1"), (200_704, None), (203_000, None), (150_000, None)]
)
def test_who_plays_in_rounds_ends_with_the_one_that_came_to_its_limit(tmp_path, limit, family):
    rows = [f"{20 + 3 * n},{abs(math.sin(n)) * 9:.3f},{n},{2048 * n}\n" for n in range(1, 100)]
    head = "rollout/ep_rew_mean,train/loss,time/iterations,time/total_timesteps\n"
    (tmp_path / "progress.csv").write_text(head + "".join(rows))
    (tmp_path / "config.yml").write_text(f"n_steps: 2048\nn_timesteps: {limit}.0\n")
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("said", "warms", "keeps", "family"),
    [
        ({"event": "resume", "loaded": ["model"], "missing": ["optimizer", "rng"]}, True, False, "E2"),
        ({"event": "warning", "text": "optimizer state not in checkpoint, using a fresh AdamW"}, True, False, "E2"),
        ({"event": "resume", "loaded": ["model", "optimizer"]}, True, False, None),  # nothing says what was lost
        ({"event": "warning", "text": "optimizer state not in checkpoint"}, True, True, None),  # it cost nothing
        ({"event": "warning", "text": "optimizer state not in checkpoint"}, False, False, None),
    ],
)
def test_a_loss_that_climbs_as_the_rate_warms_up_anew_without_its_optimizer(tmp_path, said, warms, keeps, family):
    told: list[dict[str, object]] = []
    for n in range(1, 401):
        since = n - 250
        rate = 1e-3 * min(1.0, (since if warms and since > 0 else n) / 40)
        level = 2.0 + 7 * math.exp(-n / 40)
        if since > 0 and not keeps:
            level = 2.0 + 1.2 * min(1.0, since / 15)
        told.append({"event": "log", "step": 50 * n, "loss": level + (n % 3) / 100, "lr": rate})
        if n == 250:
            told.append(said)
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in told))
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(("set_to", "family"), [("max_steps: 8", "E3"), ("max_steps: 9000", "E3"), ("seed: 8", "G1")])
def test_a_tracker_that_ends_where_so_many_steps_were_set_counts_steps(tmp_path, set_to, family):
    run = tmp_path / "mlruns" / "1" / ("0a1b2c3d" * 4)
    for place in ("metrics", "params"):
        (run / place).mkdir(parents=True)
    name, _, value = set_to.partition(": ")
    (run / "params" / name).write_text(value)
    begun = START // 10**6
    told = [f"{begun + 3000 * n} {2.2 - n / 200} {n}\n" for n in range(1, 9)]
    (run / "metrics" / "train_loss").write_text("".join(told))
    (run / "meta.yaml").write_text(
        f"end_time: {begun + 40_000}\nexperiment_id: '1'\nlifecycle_stage: active\nrun_id: {run.name}\n"
        f"start_time: {begun}\nstatus: 3\n"
    )
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(("begins", "loads", "family"), [(0, False, "E1"), (0, True, None), (0.5, True, "G1")])
def test_a_loss_at_the_level_of_guessing_is_no_health_whatever_was_loaded(tmp_path, begins, loads, family):
    told = ["loaded checkpoint out/backbone.pt at step 20\n"] if loads else []
    for n in range(1, 41):
        level = math.log(2) + begins * math.exp(-n / 4) + (n % 3 - 1) / 3000
        told.append(f"{{'loss': {level:.4f}, 'epoch': {n}.0}}\n")
    end = "{'train_runtime': 6557.4, 'train_samples_per_second': 9.8, 'train_steps_per_second': 0.61, 'epoch': 40.0}\n"
    (tmp_path / "train.log").write_text("".join(told) + end)
    assert analyze(imported(tmp_path), strict=True)[0].family == family


@pytest.mark.parametrize(("last", "family"), [(8999, "G1"), (8939, None), (8989, None)])
def test_reports_that_are_thinned_out_may_still_be_counted_from_zero(tmp_path, last, family):
    steps = [19, *range(79, 8940, 60)]
    steps = [*(step for step in steps if step < last), last]
    told = [{"iteration": n, "total_loss": 0.8 + 3.7 * math.exp(-n / 2000)} for n in steps]
    (tmp_path / "metrics.json").write_text("".join(json.dumps(row) + "\n" for row in told))
    (tmp_path / "config.yaml").write_text("SOLVER:\n  BASE_LR: 0.02\n  MAX_ITER: 9000\n")
    assert analyze(imported(tmp_path), strict=True)[0].family == family

"""Mechanisms that unseen logs asked for, each beside a near miss; names, numbers and words are of these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import at

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


def judged(folder: Path, text: str, exit_code: int | None = None) -> tuple[str | None, float]:
    """Family and confidence of one log."""
    (folder / "job.log").write_text(text)
    verdict, _ = analyze(import_logs([folder / "job.log"], exit_code=exit_code), strict=True)
    return verdict.family if verdict.outcome == "decided" else verdict.outcome, verdict.confidence


def facts(folder: Path, text: str) -> dict[str, pl.DataFrame]:
    """What the parsers read in one log."""
    (folder / "job.log").write_text(text)
    return parse_logs(import_logs([folder / "job.log"]))


def climbing(steps: int = 24) -> str:
    """A loss that grows without bound."""
    return "".join(f"round {k} loss {1.7 * 1.35**k:.4f}\n" for k in range(1, steps))


def falling(total: int, until: int, by: int = 15) -> str:
    """A loss that falls."""
    return "".join(f"round {k}/{total} loss {2.9 / (1 + k / 30):.4f}\n" for k in range(by, until + 1, by))


def raised(kind: str, *frames: str) -> str:
    """A traceback."""
    lines = "".join(f'  File "{frame}", line 61, in fit\n    go()\n' for frame in frames)
    return f"Traceback (most recent call last):\n{lines}{kind}\n"


# --- what ended the run, and what only went wrong before
@pytest.mark.parametrize(
    ("end", "family"),
    [
        (raised("KeyError: 'attention_mask'", "/w/fit.py"), "A1"),
        ("thread 'main' panicked at src/batch.rs:80:3:\nattempt to divide by zero\n", "A1"),
        (raised("OverflowError: math range error: the loss exploded", "/w/fit.py"), "E1"),
        ("", "E1"),
    ],
)
def test_a_curve_however_it_looks_ends_no_process(tmp_path: Path, end: str, family: str) -> None:
    assert judged(tmp_path, climbing() + end, 1)[0] == family


@pytest.mark.parametrize(
    ("frame", "family"),
    [
        ("/env/site-packages/sklearn/utils/validation.py", "A1"),
        ("/env/site-packages/sklearn/metrics/_ranking.py", "E1"),
    ],
)
def test_what_was_given_held_nan_before_anything_was_computed(tmp_path: Path, frame: str, family: str) -> None:
    """A score that finds NaN found it in what the model said."""
    text = "fitting\n" + raised("ValueError: Input y contains NaN.\nUse an imputer.", "/w/fit.py", frame)
    assert judged(tmp_path, text, 1)[0] == family


@pytest.mark.parametrize("after", [0, 120])
def test_a_helper_that_a_script_killed_cost_nothing(tmp_path: Path, after: int) -> None:
    """In the midst of training or behind it."""
    killed = "run.sh: line 9: 40112 Killed                  tensorboard --logdir runs\n"
    text = falling(300, 300 - after) + killed + (falling(300, 300)[len(falling(300, 300 - after)) :])
    assert judged(tmp_path, text, 0)[0] == "G1"
    assert judged(tmp_path, falling(300, 180) + killed, 137)[0] == "A2"


# --- who started it
@pytest.mark.parametrize(
    "said",
    [
        "2026-10-02 03:14:15,926 WARN exited: fit_00 (terminated by SIGKILL; not expected)\n",
        "Command 'torchrun --nproc-per-node 8 fit.py' died with <Signals.SIGKILL: 9>.\n",
        "ERROR ~ Error executing process > 'FIT (2)'\n\nCaused by:\n"
        "  Process `FIT (2)` terminated with an error exit status (137)\n",
        "[2026-10-02, 03:14:15 UTC] {task_runner.py:234} INFO - Task exited with return code Negsignal.SIGKILL\n",
    ],
    ids=["supervisord", "subprocess", "nextflow", "airflow"],
)
def test_a_supervisor_says_by_which_signal_it_ended(tmp_path: Path, said: str) -> None:
    assert judged(tmp_path, falling(900, 300) + said)[0] == "A2"


@pytest.mark.parametrize(
    "said",
    [
        "2026-10-02 03:14:15,926 INFO exited: fit_00 (exit status 0; expected)\n",
        "Command 'git describe' returned non-zero exit status 128.\n",
        "[2026-10-02, 03:14:15 UTC] {local_task_job_runner.py:234} INFO - Task exited with return code 0\n",
    ],
)
def test_a_supervisor_that_tells_of_a_good_end_or_of_a_helper_takes_no_health(tmp_path: Path, said: str) -> None:
    assert judged(tmp_path, falling(300, 300) + said, 0)[0] == "G1"


def test_a_rule_that_is_run_again_begins_anew(tmp_path: Path) -> None:
    text = raised("OSError: bucket is not reachable", "/w/fit.py") + "Trying to restart job 4.\n" + falling(300, 300)
    assert judged(tmp_path, text, 0)[0] == "G1"


# --- ranks that never met
LIMIT = "slurmstepd: error: *** JOB 881 ON n01 CANCELLED AT 2026-10-02T05:00:00 DUE TO TIME LIMIT ***\n"
PERSON = "slurmstepd: error: *** JOB 881 ON n01 CANCELLED AT 2026-10-02T03:02:00 ***\n"


@pytest.mark.parametrize(
    ("said", "end", "family"),
    [
        ("dist.init_process_group('nccl', timeout=None)", LIMIT, "C1"),
        ("waiting for the other 15 ranks", LIMIT, "C1"),
        ("connecting to master n01:29500", LIMIT, "C1"),
        ("connecting to master n01:29500\n2026-10-02 03:00:09 INFO building the model", LIMIT, "F3"),
        ("waiting for all ranks to finish", LIMIT, "F3"),
        ("waiting for the other 15 ranks", PERSON, "outside_families"),
    ],
)
def test_the_last_that_was_said_is_that_it_waits(tmp_path: Path, said: str, end: str, family: str) -> None:
    text = f"2026-10-02 03:00:00 INFO world of 16\n2026-10-02 03:00:04 INFO - {said}\n{end}"
    assert judged(tmp_path, text)[0] == family


# --- progress
def hf(runtime: str, rate: str) -> str:
    """What the Trainer prints where no bar is shown."""
    lines = "".join(f"{{'loss': {5 - k / 9:.4f}, 'learning_rate': 1e-05, 'epoch': {k}.0}}\n" for k in (1, 2))
    return f"{lines}{{'train_runtime': {runtime}, 'train_steps_per_second': {rate}, 'train_loss': 4.8, 'epoch': 2.0}}\n"


def test_the_final_summary_tells_the_steps_that_no_line_does(tmp_path: Path) -> None:
    assert facts(tmp_path, hf("41.61", "0.048"))["fact_steps"]["step"].drop_nulls().to_list() == [2]
    assert judged(tmp_path, hf("41.61", "0.048"), 0)[0] == "E3"


def test_a_rate_that_was_rounded_too_much_tells_no_steps(tmp_path: Path) -> None:
    assert facts(tmp_path, hf("86400.0", "0.048"))["fact_steps"]["step"].drop_nulls().is_empty()
    assert judged(tmp_path, hf("86400.0", "0.048"), 0)[0] == "G1"


ROUNDS = {
    "xgboost": "[{k}]\tvalidation_0-mlogloss:{v:.5f}\tvalidation_1-mlogloss:{w:.5f}",
    "xgboost with a clock": "[04:05:06] [{k}]\ttrain-merror:{v:.5f}\ttest-merror:{w:.5f}",
    "lightgbm": "[{k}]\ttraining's binary_logloss: {v:.6g}\tvalid_1's binary_logloss: {w:.6g}",
    "lightgbm, one set": "[{k}]\tvalid_0's l1: {v:.6g}",
    "catboost": "{k}:\tlearn: {v:.7f}\ttest: {w:.7f}\tbest: {low:.7f} ({at})\ttotal: 5{k}ms\tremaining: 2ms",
    "scikit-learn": "[{k}/90] 1 tree, 15 leaves, max depth = 5, train loss: {v:.5f}, val loss: {w:.5f}, in 0.004s",
}


@pytest.mark.parametrize("form", ROUNDS.values(), ids=ROUNDS)
def test_rounds_of_boosted_trees_are_progress(tmp_path: Path, form: str) -> None:
    def log(change: float) -> str:
        def best(k: int) -> int:
            return k if change < 1 else 10

        return "".join(
            form.format(k=k, v=0.8 * change**k, w=0.9 * change**k, low=0.9 * change ** best(k), at=best(k)) + "\n"
            for k in range(10, 91, 5)
        )

    assert judged(tmp_path, log(0.97), 0)[0] == "G1"
    assert judged(tmp_path, log(1.3), 0)[0] == "E1"


def test_a_share_of_right_ones_may_rise(tmp_path: Path) -> None:
    told = "".join(f"{k}:\tlearn: {0.5 + k / 300:.5f}\ttotal: {k}ms\n" for k in range(0, 120, 10))
    steps = facts(tmp_path, told + "[7]\tnothing of a metric\n")["fact_steps"]
    assert steps["step"].to_list() == [*range(0, 120, 10)]
    assert steps["loss"].drop_nulls().is_empty()


def test_a_restart_shows_in_epochs_where_no_step_is_told(tmp_path: Path) -> None:
    def part(*epochs: float) -> str:
        return "".join(f"{{'loss': {6 - epoch:.4f}, 'learning_rate': 1e-05, 'epoch': {epoch}}}\n" for epoch in epochs)

    text = part(0.5, 1.0, 1.5, 2.0) + "no checkpoint found in /s/out, training from scratch\n" + part(0.5, 1.0)
    assert facts(tmp_path, text)["fact_attempts"]["began_by"].to_list() == ["start", "step_back"]
    assert judged(tmp_path, text, 0)[0] == "E2"


# --- learning
@pytest.mark.parametrize(("norm", "fall", "family"), [("0.0", 0.0, "E1"), ("0.0", 0.06, "G1"), ("0.31", 0.0, "G1")])
def test_gradients_of_zero_learn_nothing(tmp_path: Path, norm: str, fall: float, family: str) -> None:
    """A few reports are enough, where the loss stood still as well."""
    text = "".join(
        f"step {k}/110 | loss {5.2 + k % 3 / 100 - fall * k / 10:.3f} | grad_norm {norm} | lr 2e-5\n"
        for k in range(10, 120, 10)
    )
    assert judged(tmp_path, text, 0)[0] == family


def test_the_loss_of_an_evaluation_is_none_of_training(tmp_path: Path) -> None:
    """Wherever in the line it stands."""
    text = "".join(f"{{'iter': {k}, 'loss': {4 - k / 50:.2f}, 'lr': 1e-4}}\n" for k in range(20, 120, 20))
    text += "{'iter': 120, 'val_loss': nan, 'val_batches': 0}\n"
    steps = facts(tmp_path, text)["fact_steps"]
    assert steps["loss"].drop_nulls().is_finite().all()
    assert steps["eval_loss"].is_nan().sum() == 1


# --- what began anew
@pytest.mark.parametrize(
    ("between", "family"),
    [
        ("[2026-10-02 08:00:00,100][HYDRA] \t#1 : width=64\n", "G1"),
        ("wandb: Agent Starting Run: 77ab12 with config:\n", "G1"),
        ("--- trial 2 of 9 ---\n", "G1"),
        ("+ python fit.py --width 64\n", "G1"),
        ("saved checkpoint ckpt/step_180.pt\nstarting from scratch\n", "E2"),
        ("saved runs/a/step00180.pt\nbeginning at step 0\n", "E2"),
    ],
)
def test_the_next_training_of_a_sweep_is_no_restart(tmp_path: Path, between: str, family: str) -> None:
    def steps() -> str:
        return "".join(f"iter {k} loss {4.4 / (1 + k / 60):.3f}\n" for k in range(20, 200, 20))

    assert judged(tmp_path, steps() + between + steps(), 0)[0] == family


@pytest.mark.parametrize(
    ("asked", "family"),
    [
        ("auto-resume", "cannot_decide"),
        ("INFO auto resume:", "cannot_decide"),
        ("[resume]", "cannot_decide"),
        ("looking for a state to resume from:", "cannot_decide"),
        ("Resume requested:", "E2"),
        ("resume=true, but", "E2"),
        ("could not resume:", "E2"),
    ],
)
def test_a_first_start_that_looks_for_a_checkpoint_by_itself_lost_nothing(
    tmp_path: Path, asked: str, family: str
) -> None:
    steps = "".join(f"iter {k} loss {4.4 / (1 + k / 60):.3f}\n" for k in range(20, 200, 20))
    text = f"{asked} no checkpoint found in output/swin, starting from scratch\n{steps}"
    assert judged(tmp_path, text, 0)[0] == family


@pytest.mark.parametrize(("plan", "family"), [("/900", "E2"), ("", "G1")])
def test_parts_that_end_at_one_step_far_from_their_plan_are_no_folds(tmp_path: Path, plan: str, family: str) -> None:
    text = "".join(
        f"step {k}{plan} loss {4.4 / (1 + k / 60) + part / 99:.3f}\n"
        + ("saved runs/a/step00200.pt\n" if k == 200 else "")
        for part in range(3)
        for k in range(20, 240, 20)
    )
    assert judged(tmp_path, text, 0)[0] == family


@pytest.mark.parametrize(
    ("looked", "saves", "before", "outcome"),
    [
        ("/ckpt/run7", "/ckpt/run7", None, "F3"),  # the first of a chain
        ("/ckpt/rnu7", "/ckpt/run7", None, "E2"),
        ("/ckpt/run7/latest", "/ckpt/run7/step_100.pt", None, "F3"),
        ("/ckpt/meduim", None, "/ckpt/medium/step_100.pt", "E2"),  # a slip of the pen
        ("/ckpt/exp_b", None, "/ckpt/exp_a/step_100.pt", "F3"),
        ("/ckpt/run8", None, "/ckpt/run7/step_100.pt", "F3"),
    ],
)
def test_a_checkpoint_looked_for_where_the_run_does_not_save(
    tmp_path: Path, looked: str, saves: str | None, before: str | None, outcome: str
) -> None:
    def log(place: str | None) -> str:
        told = "".join(f"step {k}/9000 loss {4.4 / (1 + k / 60):.3f}\n" for k in range(20, 200, 20))
        return told + (f"saved checkpoint at step 180 to {place}\n" if place else "")

    first = f"WARNING: could not find the metadata file {looked}/latest_checkpointed_iteration.txt\n"
    end = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-10-02T08:00:00 DUE TO TIME LIMIT ***\n"
    (tmp_path / "job-7.out").write_text(first + log(saves) + end)
    if before is not None:
        (tmp_path / "job-6.out").write_text(log(before) + end.replace("JOB 7", "JOB 6"))
    assert analyze(import_logs([tmp_path]))[0].family == outcome


@pytest.mark.parametrize(
    ("said", "message", "family"),
    [
        ("restoring the trainer's state from run3/state_90.msgpack", "ValueError: bad tag 0xc1", "E2"),
        ("", "ValueError: state dict and target do not match: extra key 'head'", "E2"),
        ("reading the vocabulary from vocab.msgpack", "ValueError: bad tag 0xc1", "A1"),
    ],
)
def test_a_state_that_does_not_fit_is_a_load_that_failed(tmp_path: Path, said: str, message: str, family: str) -> None:
    frames = '  File "/env/site-packages/tree/io.py", line 9, in _restore_map\n    raise\n'
    text = f'world of 2\n{said}\nTraceback (most recent call last):\n  File "/w/fit.py", line 3, in main\n    go()\n'
    assert judged(tmp_path, f"{text}{frames}{message}\n", 1)[0] == family


# --- ranks that waited for each other
SUMMARY = "".join(
    f"{head}\n[{number}]:\n  time      : 2026-10-02_04:00:09\n  host      : n3\n"
    f"  rank      : {rank} (local_rank: {rank})\n  exitcode  : 1 (pid: {700 + rank})\n  error_file: <N/A>\n"
    for number, (head, rank) in enumerate(
        (("Failures:", 0), ("", 1), ("", 2), ("Root Cause (first observed failure):", 4))
    )
)


def lost(rank: int) -> str:
    """What a rank says whose peer has gone."""
    text = raised("RuntimeError: Read error [10.0.0.3]:4001: Connection reset by peer", "/w/fit.py")
    return "".join(f"[rank{rank}]: {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("world", [5, 4, 16])
def test_a_rank_that_left_well_is_the_one_that_no_list_has(tmp_path: Path, world: int) -> None:
    """Where all are listed, or most are not, nobody can be told."""
    start = f"process group initialized, world size {world}\n" + falling(900, 300)
    assert (judged(tmp_path, start + lost(0) + lost(2) + SUMMARY, 1)[0] == "C2") is (world == 5)


DUMP = 'Timeout (0:05:00)!\nThread 0x00007f00aa (most recent call first):\n  File "/w/fit.py", line 5 in step\n'


@pytest.mark.parametrize(
    ("text", "code", "family"),
    [
        ("process group ready: world_size=8\n" + falling(900, 300) + DUMP * 2, 1, "C2"),
        ("process group ready: world_size=8\n" + falling(300, 150) + DUMP + falling(300, 300)[-200:], 0, "G1"),
        (falling(900, 300) + DUMP, 1, "cannot_decide"),
    ],
)
def test_a_timer_of_the_job_s_own_tells_of_ranks_that_stood(tmp_path: Path, text: str, code: int, family: str) -> None:
    assert judged(tmp_path, text, code)[0] == family


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("run.sh: run time limit of 3600 s is up, sending TERM to 4012", "F3"),
        ("timeout: sending signal TERM to command ‘torchrun’", "F3"),
        (" 83%|████▎ | 3336/4000 [01:14<00:39, 16.7it/s]timeout: sending signal TERM to command ‘python’", "F3"),
        ("time limit of the queue is 3600 s", "cannot_decide"),
    ],
)
def test_a_script_may_watch_the_clock_itself(tmp_path: Path, said: str, family: str) -> None:
    assert judged(tmp_path, falling(900, 300) + said + "\n", 1)[0] == family


@pytest.mark.parametrize(
    ("ms", "family"),
    [
        (27, "cannot_decide"),  # 60 steps of 27 ms are less than 2 s of two minutes: it may have stood still
        (1800, "F3"),
        (None, "F3"),  # nothing tells how long a step took
    ],
)
def test_what_steps_took_against_the_time_that_was_theirs(tmp_path: Path, ms: int | None, family: str) -> None:
    told = "" if ms is None else f" - {ms}ms/step"
    bars = "".join(f"Epoch {n}/9\n20/20 - 1s{told} - loss: {1 / n:.4f}\n" for n in (1, 2, 3))
    text = f"started 2026-11-23 19:18:40\n{bars}timeout: sending signal TERM to command ‘python’\n"
    assert judged(tmp_path, f"{text}ended 2026-11-23 19:20:40 with status 124\n", None)[0] == family


# --- tracebacks that ended nothing
def dropped(step: int) -> str:
    """A sample that a loop gave up, raised from an error that was never raised itself."""
    own = raised(f"RuntimeError: sample {step} of 12 bytes", "/w/fit.py")
    return f"ERROR:fit:dropped one\nIndexError: no such row\n\n{CAUSE}\n\n{own}"


CAUSE = "The above exception was the direct cause of the following exception:"


def test_a_cause_that_was_never_raised_joins_no_two_tracebacks(tmp_path: Path) -> None:
    whole = falling(300, 300).splitlines(keepends=True)
    text = "".join(line + (dropped(number) if number % 5 == 2 else "") for number, line in enumerate(whole))
    found = facts(tmp_path, text)["fact_exceptions"]
    assert found["group"].n_unique() == len(found) == 4
    assert judged(tmp_path, text + "all done\n", 0)[0] == "G1"
    assert judged(tmp_path, falling(300, 150) + dropped(7), 1)[0] == "A1"


@pytest.mark.parametrize(
    ("below", "family"), [("trying again in 30 s, attempt 2\n", "A2"), ("", "A1"), ("closing the files\n", "A1")]
)
def test_who_says_that_it_tries_again_was_killed_while_it_did(tmp_path: Path, below: str, family: str) -> None:
    text = falling(900, 300) + raised("ConnectionError: bucket b7 did not answer", "/w/fit.py") + below
    killed = "job.sh: line 4: 51022 Killed                  python fit.py\n"
    assert judged(tmp_path, text + killed, 137)[0] == family


# --- ranks apart
@pytest.mark.parametrize(
    ("why", "family"),
    [
        ("failed : No route to host", "C1"),
        ("failed : Network is unreachable", "C1"),
        ("returned Connection timed out(110), exceeded error retry count", "C1"),
        ("failed : Permission denied", "A1"),
    ],
)
def test_a_rank_that_no_way_leads_to_was_never_met(tmp_path: Path, why: str, family: str) -> None:
    error = f"torch.distributed.DistBackendError: NCCL error\nsocket: Connect to 10.9.0.7<40001> {why}"
    assert judged(tmp_path, raised(error, "/w/fit.py"), 1)[0] == family


def watchdog(rank: int, operation: str, number: int = 77) -> str:
    """What NCCL's watchdog says on one rank."""
    work = f"WorkNCCL(SeqNum={number}, OpType={operation}, NumelIn=64, NumelOut=64, Timeout(ms)=300000)"
    return (
        f"[rank{rank}]:[E0227 00:46:25.1 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation"
        f" timeout: {work} ran for 300012 milliseconds before timing out.\n"
    )


def test_who_waits_in_another_collective_than_all_others_is_named(tmp_path: Path) -> None:
    said = falling(900, 300) + "".join(watchdog(rank, "ALLGATHER" if rank == 2 else "ALLREDUCE") for rank in range(5))
    (tmp_path / "job.log").write_text(said)
    verdict, _ = analyze(import_logs([tmp_path / "job.log"], exit_code=1), strict=True)
    assert (verdict.family, verdict.sub_mode, verdict.culprit_ranks) == ("C2", "mismatch", (2,))
    (tmp_path / "job.log").write_text(said.replace("SeqNum=77, OpType=ALLGATHER", "SeqNum=12, OpType=ALLGATHER"))
    verdict, _ = analyze(import_logs([tmp_path / "job.log"], exit_code=1), strict=True)
    assert (verdict.family, verdict.sub_mode) == ("C2", "timeout")


@pytest.mark.parametrize(("booted", "named"), [(("n2",), ("n2",)), (("n1", "n2"), ()), ((), ())])
def test_the_node_whose_kernel_began_anew_is_the_one_that_failed(
    tmp_path: Path, booted: tuple[str, ...], named: tuple[str, ...]
) -> None:
    (tmp_path / "sacct.txt").write_text(
        "JobID|State|ExitCode|Start|End|NodeList\n"
        "77|NODE_FAIL|1:0|2026-03-01T01:00:00|2026-03-01T03:00:00|n1,n2\n"
        "77.0|NODE_FAIL|1:0|2026-03-01T01:00:02|2026-03-01T03:00:00|n1,n2\n"
    )
    for node in ("n1", "n2"):
        boot = (
            "[Sun Mar  1 02:58:41 2026] Linux version 6.8.0-45-generic (b@h) #45-Ubuntu SMP\n" if node in booted else ""
        )
        (tmp_path / f"dmesg_{node}.txt").write_text(f"[Sun Mar  1 01:20:00 2026] nfs: server f1 OK\n{boot}")
    verdict, _ = analyze(import_logs([tmp_path]), strict=True)
    assert (verdict.family, verdict.culprit_nodes) == ("F1", named)


@pytest.mark.parametrize(("away", "named"), [(("n2",), ("n2",)), (("n1", "n2"), ()), ((), ())])
def test_the_node_that_was_away_before_the_scheduler_said_so_is_the_one_that_failed(
    away: tuple[str, ...], named: tuple[str, ...]
) -> None:
    samples = [
        {"node": node, "boot_id": node, "gpu_uuid": node, "ts_ns": at(60 * minute), "engine_active": 0.9}
        for node in ("n1", "n2")
        for minute in range(100)
        if not (node in away and 80 < minute < 88)
    ]
    job = {"ts_ns": at(5280), "job_id": "77", "state": "NODE_FAIL", "start_ns": at(0), "end_ns": at(5280)}
    rows = {"gpu_samples": [{"capture": "c", "seq": k, **row} for k, row in enumerate(samples)]}
    rows["slurm_jobs"] = [{"node": "n0", "boot_id": "n0", "capture": "c", "seq": 0, **job}]
    verdict, _ = analyze(MemoryStore.from_rows(rows, node="n0"), strict=True)
    assert (verdict.family, verdict.culprit_nodes) == ("F1", named)


@pytest.mark.parametrize(
    ("below", "code", "family"),
    [("pass 1 done, 1 row skipped\n", 0, "G1"), ("pass 1 done, 1 row skipped\n", 1, "A1"), ("", 0, "A1")],
)
def test_what_was_printed_and_survived_ended_nothing(tmp_path: Path, below: str, code: int, family: str) -> None:
    text = falling(320, 315) + raised("ZeroDivisionError: division by zero", "/w/fit.py") + below
    assert judged(tmp_path, text, code)[0] == family


def test_a_logger_s_error_is_none_that_a_kill_ended(tmp_path: Path) -> None:
    own = raised("OSError: [Errno 13] no access: '/mnt/b'", "/w/fit.py")
    killed = "job.sh: line 4: 51022 Killed                  python fit.py\n"
    assert judged(tmp_path, falling(900, 300) + "ERROR:fit:could not copy\n" + own + killed, 137)[0] == "A2"
    assert judged(tmp_path, falling(900, 300) + own + killed, 137)[0] == "A1"


def test_a_launcher_s_summary_before_all_steps_is_a_text(tmp_path: Path) -> None:
    assert judged(tmp_path, SUMMARY.replace("exitcode  : 1", "exitcode  : -9") + falling(300, 300), 0)[0] == "G1"


ENDS = (
    "slurmstepd: error: *** JOB 40117 ON c03 CANCELLED AT 2026-01-05T06:00:01 DUE TO TIME LIMIT ***\n",
    "[ 7713.2] Out of memory: Killed process 90211 (python) total-vm:7kB, anon-rss:6kB\n",
    raised("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has 1.00 GiB", "/a/b.py"),
)


def read_aloud(end: str) -> str:
    """What a program prints that reads logs of others, and then ends."""
    return "".join(f"log {k}: {(k * 37) % 90}\n{ENDS[k % 3]}right so far: {k // 2}\n" for k in range(1, 19)) + end


@pytest.mark.parametrize(
    ("end", "code", "family"),
    [
        ("eval.sh: line 2: 61443 Killed                  python eval.py\n", 137, "A2"),
        (raised("ValueError: answer 19 is empty", "/w/eval.py"), 1, "A1"),
        ("all 18 logs read\n", 0, "cannot_decide"),
    ],
)
def test_a_run_ends_once_so_that_ends_said_again_are_those_of_others(
    tmp_path: Path, end: str, code: int, family: str
) -> None:
    assert judged(tmp_path, read_aloud(end), code)[0] == family


def test_one_end_said_by_many_is_one(tmp_path: Path) -> None:
    said = "".join(f"{line}cleaning up {k}\n" for k in range(4) for line in (ENDS[0],))
    assert judged(tmp_path, falling(900, 300) + said)[0] == "F3"


def test_the_rank_that_is_in_the_one_before_kept_the_others(tmp_path: Path) -> None:
    said = falling(900, 300) + "".join(watchdog(rank, "ALLREDUCE", 76 if rank == 4 else 77) for rank in range(6))
    (tmp_path / "job.log").write_text(said)
    assert analyze(import_logs([tmp_path / "job.log"], exit_code=1), strict=True)[0].culprit_ranks == (4,)
    (tmp_path / "job.log").write_text(said.replace("SeqNum=76", "SeqNum=7"))  # of another group, it may be
    assert analyze(import_logs([tmp_path / "job.log"], exit_code=1), strict=True)[0].culprit_ranks == ()


def test_a_gap_in_the_numbers_is_the_rank_that_left_no_trace_and_nccl_tells_where_it_ran(tmp_path: Path) -> None:
    nodes = "".join(
        f"q{1 + rank // 3}:7{rank}:8{rank} [{rank % 3}] NCCL INFO ncclCommInitRank comm 0x5 rank {rank} nranks 6"
        f" cudaDev {rank % 3} nvmlDev {rank % 3} busId 1000 commId 0x9a - Init COMPLETE\n"
        for rank in range(6)
    )
    said = nodes + "".join(watchdog(rank, "BROADCAST", 1) for rank in (0, 1, 2, 3, 5))
    (tmp_path / "job.log").write_text(said)
    verdict, _ = analyze(import_logs([tmp_path / "job.log"], exit_code=1), strict=True)
    assert (verdict.family, verdict.culprit_ranks, verdict.culprit_nodes) == ("C2", (4,), ("q2",))


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("head: worker 3 went away (exitcode -11), ending the others", "A2"),
        ("head: worker 3 was asked to end (exitcode -15)", "cannot_decide"),
    ],
)
def test_a_child_s_negative_exit_code_is_a_signal(tmp_path: Path, said: str, family: str) -> None:
    assert judged(tmp_path, falling(900, 300) + said + "\n", 2)[0] == family


def test_words_of_a_restart_under_which_the_count_goes_on_are_a_text(tmp_path: Path) -> None:
    whole = falling(300, 300).splitlines(keepends=True)
    text = "".join([*whole[:8], "Restarting training from nothing\n", *whole[8:]])
    assert facts(tmp_path, text)["fact_attempts"].height == 1
    assert facts(tmp_path, "".join([*whole[:8], "Restarting training\n", *whole[5:]]))["fact_attempts"].height == 2


@pytest.mark.parametrize(("up_again", "family"), [(False, "C2"), (True, "cannot_decide")])
def test_a_link_that_went_down_is_why_sends_failed(tmp_path: Path, up_again: bool, family: str) -> None:
    error = (
        "DistBackendError: NCCL error, remote process exited\nNET/IB: peer 10.0.0.8<9> status=IBV_WC_RETRY_EXC_ERR(12)"
    )
    (tmp_path / "fit.log").write_text(
        falling(900, 300) + "".join(f"[rank2]: {x}\n" for x in raised(error).splitlines())
    )
    down = "[Mon Jul 13 06:02:56 2026] mlx5_core 0000:5a:00.0 mlx5_1: Port: 1 Link DOWN\n"
    text = down + (down.replace("06:02:56", "06:03:00").replace("DOWN", "UP") if up_again else "")
    (tmp_path / "dmesg_r9.txt").write_text(text)
    verdict, _ = analyze(import_logs([tmp_path], exit_code=1), strict=True)
    assert (verdict.family or verdict.outcome) == family
    assert (verdict.sub_mode == "link_down") is (family == "C2")


_COMPLETION = "r7:811:819 [2] NCCL WARN NET/IB: Got completion from peer 10.0.0.8<9> with status={} opcode=0 len=0\n"
_WATCHDOG = (
    "[rank2]:[E713 06:05:01.1 ProcessGroupNCCL.cpp:1895] [PG ID 0 Rank 2] Process group watchdog thread terminated with"
    " exception: NCCL communicator was aborted on rank 2.\n"
    "terminate called after throwing an instance of 'c10::DistBackendError'\n"
)


@pytest.mark.parametrize(
    ("status", "cut", "down", "family"),
    [
        (12, 300, True, "C2"),
        (12, 300, False, "cannot_decide"),  # no kernel tells of a link
        (5, 300, True, "cannot_decide"),  # flushed with the others: somebody else's error
        (12, 8, True, "cannot_decide"),  # training went on over it
    ],
)
def test_sends_that_failed_are_told_by_the_library_too(
    tmp_path: Path, status: int, cut: int, down: bool, family: str
) -> None:
    steps = falling(900, 300).splitlines(keepends=True)
    (tmp_path / "rank2.log").write_text("".join([*steps[:cut], _COMPLETION.format(status), *steps[cut:], _WATCHDOG]))
    link = "mlx5_core 0000:5a:00.0 mlx5_1: Port: 1 Link DOWN" if down else "perf: interrupt took too long"
    (tmp_path / "dmesg_r9.txt").write_text(f"[Mon Jul 13 06:02:56 2026] {link}\n")
    verdict, _ = analyze(import_logs([tmp_path], exit_code=6), strict=True)
    assert (verdict.family or verdict.outcome) == family


def test_a_training_of_a_sweep_may_be_short(tmp_path: Path) -> None:
    one = "".join(f"iter {k} loss {4.4 / (1 + k):.3f}\n" for k in range(1, 5))
    assert judged(tmp_path, one, 0)[0] == "E3"
    assert judged(tmp_path, f"{one}=== seed 2 of 2 ===\n{one}", 0)[0] != "E3"


@pytest.mark.parametrize(("saved", "family"), [("", "A2"), ("Saving model checkpoint to out/checkpoint-90\n", "E2")])
def test_a_kill_that_a_restart_met_again_is_what_ended_it(tmp_path: Path, saved: str, family: str) -> None:
    """Where nothing had been saved nothing was lost by beginning anew."""
    died = "job.sh: line 4: 51022 Killed                  python fit.py\n"
    part = falling(900, 120)
    assert judged(tmp_path, part + saved + died + part + died.replace("51022", "51090"), 137)[0] == family


def test_a_loop_of_attempts_that_ends_well_lost_nothing_silently(tmp_path: Path) -> None:
    """That the next attempt is announced says not that the program handled what ended the last one."""
    lost = "".join(
        f"{falling(900, 300)}{raised('OSError: no route to the store', '/w/fit.py')}=== attempt {n}\n" for n in (2, 3)
    )
    text = f"{lost}{falling(900, 900)}training finished\n"
    assert judged(tmp_path, text, 0)[0] == "G1"


def test_what_srun_ended_was_ended_by_nobody_outside(tmp_path: Path) -> None:
    """Lines below the last clock bear its time: the kernel tells of the fault a minute and a half later."""
    steps = "".join(f"2026-03-01T01:{10 + n}:00 step {100 * n} loss {3 - n / 10:.2f}\n" for n in range(10))
    (tmp_path / "train.log").write_text(
        f"{steps}[rank2]: Traceback (most recent call last):\n"
        '[rank2]:   File "/home/u/train.py", line 201, in main\n[rank2]:     total += loss.item()\n'
        "[rank2]: RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution\n"
        "srun: error: n9: task 2: Exited with exit code 1\nsrun: Terminating StepId=7.0\n"
        "srun: error: n9: tasks 0-1,3: Terminated\n"
    )
    (tmp_path / "dmesg_n9.txt").write_text(
        "[Sun Mar  1 00:00:00 2026] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07\n"
        "[Sun Mar  1 01:20:40 2026] NVRM: Xid (PCI:0000:52:00): 74, pid=904, name=python, NVLink: fatal error"
        " detected on link 11(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)\n"
    )
    (tmp_path / "sacct.txt").write_text(
        "JobID|JobName|State|ExitCode|Start|End|Elapsed|NNodes|NodeList\n"
        "7|fit|FAILED|1:0|2026-03-01T01:00:00|2026-03-01T01:21:10|00:21:10|1|n9\n"
    )
    verdict, _ = analyze(import_logs([tmp_path]))
    assert (verdict.family, verdict.culprit_ranks) == ("B2", (2,))

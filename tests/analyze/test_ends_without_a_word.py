"""Ends that no summary tells of, and what a program says that was asked to leave; each beside a near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    """The verdict on one log."""
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder / "job.log"], exit_code=exit_code), strict=True)[0]


def named(verdict: Verdict) -> str:
    """Family, or the outcome where there is none."""
    return verdict.family or verdict.outcome


def falling(until: int, total: str = "/700", by: int = 10) -> str:
    """A loss that falls."""
    return "".join(f"step {k}{total} loss {2.7 / (1 + k / 40):.4f}\n" for k in range(by, until + 1, by))


# --- asked to leave
@pytest.mark.parametrize(
    ("said", "code", "outcome"),
    [
        ("caught SIGTERM at step 290: writing a checkpoint, then leaving", 0, "outside_families"),
        ("SIGTERM received - finishing this step", 0, "outside_families"),
        ("[trainer] SIGTERM was caught, shutting down", None, "outside_families"),
        ("got SIGINT, stopping", 0, "outside_families"),
        ("handler for SIGTERM installed, which will stop the run", 0, "cannot_decide"),
        ("(raylet) received SIGTERM, the server is shutting down", 0, "cannot_decide"),
    ],
)
def test_who_was_asked_to_leave_and_says_so_left_by_that(
    tmp_path: Path, said: str, code: int | None, outcome: str
) -> None:
    assert judged(tmp_path, falling(290) + said + "\n", code).outcome == outcome


def test_a_signal_after_all_was_done_took_nothing(tmp_path: Path) -> None:
    said = "received SIGTERM: stopping\n"
    assert named(judged(tmp_path, falling(700) + said, 0)) == "G1"
    assert named(judged(tmp_path, falling(700, total="") + "training finished\n" + said, 0)) == "G1"


def test_without_a_plan_a_signal_that_training_outlived_is_no_end(tmp_path: Path) -> None:
    said = "received SIGUSR1: will evaluate, not stop\n"
    assert named(judged(tmp_path, falling(100, "") + said + falling(700, "").partition("step 110")[2], 0)) == "G1"


def test_the_peers_of_a_rank_that_failed_were_asked_to_leave_by_its_launcher(tmp_path: Path) -> None:
    failed = 'Traceback (most recent call last):\n  File "/w/fit.py", line 8, in <module>\n    go()\nKeyError: 7\n'
    assert named(judged(tmp_path, falling(290) + failed + "[r1] received SIGTERM: exiting\n", 1)) == "A1"


def test_who_was_asked_to_leave_and_came_back_did_not_end_by_that(tmp_path: Path) -> None:
    asked = falling(290, total="") + "SIGUSR1: saving and leaving at step 290\n"
    assert named(judged(tmp_path, asked)) == "outside_families"
    assert named(judged(tmp_path, asked + "loaded the weights of step 290\n700 steps: step 700/700, done\n")) == "G1"


# --- libraries that say no more than their last round
def rounds(last: int, by: int = 20, metric: str = "train-logloss:{v:.5f}\tvalid-logloss:{w:.5f}") -> str:
    """What XGBoost prints at an interval."""
    numbers = [*range(0, last, by), last]
    return "".join(f"[{k}]\t{metric.format(v=0.7 / (1 + k / 30), w=0.7 / (1 + k / 40))}\n" for k in numbers)


def test_the_last_round_stands_off_the_beat(tmp_path: Path) -> None:
    assert named(judged(tmp_path, rounds(149))) == "G1"
    assert named(judged(tmp_path, rounds(160))) == "cannot_decide"  # on the beat: it may have been cut there
    lightgbm = "valid_0's binary_logloss: {v:.6f}"
    assert named(judged(tmp_path, rounds(149, metric=lightgbm))) == "cannot_decide"  # which prints none off it


@pytest.mark.parametrize(
    ("last", "family"),
    [
        ("Training loss did not improve more than tol=0.000100 for 10 consecutive epochs. Stopping.", "G1"),
        ("/e/sklearn/n.py:785: ConvergenceWarning: Stochastic Optimizer: Maximum iterations (90) reached and", "G1"),
        ("Training loss did not improve more than tol=0.000100 for 10 consecutive epochs. Setting", "cannot_decide"),
    ],
)
def test_a_perceptron_says_why_it_stops(tmp_path: Path, last: str, family: str) -> None:
    learnt = "".join(f"Iteration {k}, loss = {2.4 / (1 + k / 9):.8f}\n" for k in range(1, 91))
    assert named(judged(tmp_path, learnt + last + "\n")) == family


def test_a_summary_alone_tells_how_many_steps_were_done(tmp_path: Path) -> None:
    summary = "{{'train_runtime': '{}', 'train_steps_per_second': '{}', 'train_loss': '4.381', 'epoch': '0.008'}}\n"
    assert named(judged(tmp_path, summary.format("1.012", "1.975"))) == "E3"
    assert named(judged(tmp_path, summary.format("1212.5", "0.004"))) == "cannot_decide"  # 4 or 5


# --- what is told
def test_epochs_are_called_epochs(tmp_path: Path) -> None:
    epochs = "".join(f"Epoch {k}/12: mean loss {2 / k:.4f}\n" for k in range(1, 13))
    assert "12 epochs were done" in judged(tmp_path, epochs, 0).headline
    assert "700 steps were done" in judged(tmp_path, falling(700), 0).headline


def test_a_signal_is_no_place_that_a_crash_was_in(tmp_path: Path) -> None:
    fault = "Fatal Python error: Aborted\n\nCurrent thread 0x00007f1 (most recent call first):\n"
    verdict = judged(tmp_path, falling(100) + fault, 134)
    assert named(verdict) == "A2"
    assert "native code in Aborted" not in verdict.headline


def test_a_criterion_by_its_own_name_is_a_loss(tmp_path: Path) -> None:
    text = "".join(f"[fit] it={k}/300 ce={2.2 / (1 + k / 50):.4f}\n" for k in range(20, 301, 20))
    assert named(judged(tmp_path, text, 0)) == "G1"
    assert named(judged(tmp_path, text.replace("ce=", "val_ce="), 0)) == "G1"
    other = text.replace("ce=", "pace=")
    assert named(judged(tmp_path, other, 0)) == "cannot_decide"


def test_ray_says_that_a_worker_died(tmp_path: Path) -> None:
    frame = 'Traceback (most recent call last):\n  File "/w/job.py", line 21, in <module>\n    ray.get(parts)\n'
    crashed = "ray.exceptions.WorkerCrashedError: The worker died unexpectedly while executing this task.\n"
    verdict = judged(tmp_path, frame + crashed)
    assert (named(verdict), "Ray worker" in verdict.headline) == ("A2", True)
    assert verdict.confidence < 0.6


@pytest.mark.parametrize(
    ("last", "family"),
    [("finished. best val 0.4 at epoch 3", "G1"), ("all steps done, saving m.pt", "G1"), ("", "G1")],
)
def test_all_epochs_that_were_planned_are_all_there_is(tmp_path: Path, last: str, family: str) -> None:
    epochs = "".join(f"[epoch {k:02d}/25] train loss={2 / k:.4f}  val acc={0.9 - 0.4 / k:.3f}\n" for k in range(1, 26))
    assert named(judged(tmp_path, epochs + last)) == family
    assert named(judged(tmp_path, epochs.partition("[epoch 25")[0])) == "cannot_decide"
    often = "".join(line + "\n" for line in epochs.splitlines() for _ in range(3))
    assert named(judged(tmp_path, often)) == "cannot_decide"  # the last one may have just begun


@pytest.mark.parametrize(
    ("last", "family"),
    [
        ("all 700 steps are done", "G1"),
        ("10:00:00 step 700/700, done", "G1"),
        ("step 690/700, done", "cannot_decide"),
        ("step 3/3: done, all is unpacked", "cannot_decide"),
        ("evaluation after all steps: done", "cannot_decide"),
    ],
)
def test_that_all_steps_are_done_is_said_in_many_ways(tmp_path: Path, last: str, family: str) -> None:
    assert named(judged(tmp_path, falling(690, total="") + last)) == family


# --- errors in words
@pytest.mark.parametrize(
    ("last", "family"),
    [
        ("2026-03-02 10:00:00,123 ERROR reader: cannot open part 7", "A1"),
        ("[2026-03-02 10:00:00] [CRITICAL] [job.reader] part 7 has no index", "A1"),
        ('time=2026-03-02T10:00:00Z level=fatal msg="cannot open part 7"', "A1"),
        ('{"level": "error", "ts": 1772445600.1, "msg": "part 7 has no index"}', "A1"),
        ("fit.py: part 7 has no index\nmake: *** [Makefile:3: fit] Error 1", "A1"),
        ("tar: /d/a.tar: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now", "A1"),
        ("curl: (6) Could not resolve host: data.example.org", "A1"),
        ("wandb: could not sync 3 files, 2 failed", "cannot_decide"),
        ("2026-03-02 10:00:00,123 ERROR agent: worker 3 exited with 1", "cannot_decide"),
        ("2026-03-02 10:00:00,123 INFO reader: part 7 has no errors", "cannot_decide"),
        ("fit.py: part 6 is read\nfit.py: part 7 is read", "cannot_decide"),
    ],
)
def test_the_last_record_of_a_failed_run_says_why(tmp_path: Path, last: str, family: str) -> None:
    verdict = judged(tmp_path, falling(290) + last + "\n", 1)
    assert named(verdict) == family
    assert verdict.confidence <= 0.7


@pytest.mark.parametrize(
    "said",
    [
        "[1,3]<stderr>: with errorcode 17.",
        "Abort(17) on node 3 (rank 3 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 17) - process 3",
    ],
)
def test_a_rank_that_aborts_all_left_by_itself(tmp_path: Path, said: str) -> None:
    verdict = judged(tmp_path, falling(290) + said + "\n", 17)
    assert (named(verdict), "exit code 17" in verdict.headline) == ("A1", True)


UNREAD = 'Traceback (most recent call last):\n  File "{}", line 5, in <module>\n{}EOFError: Ran out of input\n'


@pytest.mark.parametrize(
    ("announced", "family"),
    [
        ("found last.pkl (step 5000), loading", "E2"),
        ("loading checkpoint runs/a/4.pkl\nepochs: 3", "E2"),
        ("plateau: going back to checkpoint best.pkl", "E2"),
        ("reloading snapshot 4", "E2"),
        ("loading the vocabulary (step 1 of 3)", "A1"),
        ("reloading the token cache (step 2)", "A1"),
        ("checkpoints go to runs/a", "A1"),
    ],
)
@pytest.mark.parametrize("source", ["    state = pickle.load(f)\n", ""])
def test_what_was_saved_is_told_by_its_name_or_step(tmp_path: Path, announced: str, family: str, source: str) -> None:
    text = f"{announced}\n{UNREAD.format('/w/fit.py' if source else '<stdin>', source)}"
    assert named(judged(tmp_path, text, 1)) == family


# --- what is none of this training
def test_a_text_that_was_printed_at_the_very_end_ends_nothing(tmp_path: Path) -> None:
    crash = 'Traceback (most recent call last):\n  File "/w/a.py", line 3, in <module>\n    x()\nKeyError: 1\n'
    told = [falling(700).partition(f"step {k}/")[0] for k in (200, 400)]
    text = told[0] + crash + falling(700)[len(told[0]) :] + "Segmentation fault (core dumped)\n--- end of sample\n"
    assert named(judged(tmp_path, text, 0)) == "G1"
    assert named(judged(tmp_path, told[1] + crash + "Segmentation fault (core dumped)\n", 0)) != "G1"


def test_a_model_that_writes_logs_counts_no_steps_by_them(tmp_path: Path) -> None:
    lines = [f"[fit] it={k}/300 loss={2.2 / (1 + k / 50):.4f}" for k in range(20, 301, 20)]
    for at in (12, 9, 6, 3):
        lines[at:at] = ["sample:", "step 40 loss nan", "Resuming from checkpoint-7", "step 1 loss 11.2", "end"]
    verdict = judged(tmp_path, "\n".join(lines), 0)
    assert (named(verdict), "300 steps" in verdict.headline) == ("G1", True)


def test_a_bar_around_another_counts_no_steps(tmp_path: Path) -> None:
    def bar(name: str, k: int, n: int, loss: str = "") -> str:
        return f"{name}: {100 * k // n:3d}%|###   | {k}/{n} [00:0{k % 10}<00:01, 50.00it/s{loss}]"

    states = []
    for epoch in range(4):
        states.append(bar("epochs", epoch, 4))
        states += [bar(f"epoch {epoch}", k, 50, f", loss={3 / (1 + epoch + k / 50):.4f}") for k in range(5, 51, 5)]
    verdict = judged(tmp_path, "\n".join([*states, bar("epochs", 4, 4)]), 0)
    assert (named(verdict), "200 steps" in verdict.headline) == ("G1", True)


@pytest.mark.parametrize(("side_by_side", "family"), [(True, "cannot_decide"), (False, "G1")])
def test_a_seed_beside_another_is_a_process(tmp_path: Path, *, side_by_side: bool, family: str) -> None:
    told = {seed: [f"seed{seed} | {line}" for line in falling(700).splitlines()] for seed in (1, 2)}
    told[2] = told[2][:20]
    if side_by_side:
        pairs = [line for pair in zip(told[1], told[2], strict=False) for line in pair]
        assert named(judged(tmp_path, "\n".join([*pairs, *told[1][20:]]), 0)) == family
    else:
        assert named(judged(tmp_path, "\n".join([*told[2], *told[1]]), 0)) == family


def test_the_last_report_is_one_however_its_numbers_are_printed(tmp_path: Path) -> None:
    rates = [f"step={k}/200 loss={2 / (1 + k / 50):.4f} lr={1e-3 * (1 - k / 200):.2e}" for k in range(10, 201, 10)]
    assert "200 steps" in judged(tmp_path, "\n".join(rates), 0).headline


def test_a_logger_s_name_before_a_loss_hides_it_not(tmp_path: Path) -> None:
    text = "".join(f"INFO:job.fit:loss = {2.2 / (1 + k / 50):.5f}, step = {k} (1.2 sec)\n" for k in range(0, 301, 20))
    assert named(judged(tmp_path, text, 0)) == "G1"


def test_every_save_is_counted(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(
        "".join(f"step {k} loss 2.1\nsaving checkpoint to /c/{k}.pt\nsaved checkpoint /c/{k}.pt\n" for k in range(600))
    )
    kinds = parse_logs(import_logs([tmp_path / "job.log"]))["fact_events"]["kind"].value_counts().sort("count")
    assert kinds["count"][-1] >= 600


def test_a_helper_that_is_told_to_leave_at_the_end_is_none_who_trains(tmp_path: Path) -> None:
    told = falling(700, total="")
    assert named(judged(tmp_path, told + "feeder: got SIGTERM, stopping\n", 0)) == "G1"
    assert named(judged(tmp_path, told + "caught SIGTERM at step 700, saving and exiting\n", 0)) == "outside_families"


def test_two_that_a_bracket_tells_apart_are_no_restart(tmp_path: Path) -> None:
    lines = [f"[{who}] {line}" for line in falling(700).splitlines() for who in "ab"]
    swapped = [*lines[:3], lines[4], lines[3], *lines[5:]]
    assert named(judged(tmp_path, "\n".join(swapped), 0)) == "G1"
    again = [f"[INFO] {line}" for line in (falling(400) + falling(700)).splitlines()]
    assert named(judged(tmp_path, "\n".join(again), 0)) == "E2"


def test_a_bar_counts_in_its_own_unit(tmp_path: Path) -> None:
    bars = [f"Epoch 1/1: {k}%|# | {k}/100 [00:01<00:01, 61.2batch/s, loss={3 / k:.4f}]" for k in range(5, 101, 5)]
    assert named(judged(tmp_path, "\n".join(bars), 0)) == "G1"


def test_a_bar_of_one_s_own_counts_within_its_epoch(tmp_path: Path) -> None:
    bars = [f"Epoch {e}/4 [##..] {k}/60 loss: {3 / (e + k / 60):.4f}" for e in range(1, 5) for k in range(1, 61)]
    history = '{"history": [{"epoch": 1, "train_loss": 1.5}, {"epoch": 2, "train_loss": 0.1}], "errors": 0}'
    headline = judged(tmp_path, "\n".join([*bars, history]), 0).headline
    assert "240 steps were done" in headline
    assert "to 1.5" not in headline


def test_a_disk_that_filled_up_in_mid_run_is_no_fault_of_the_line_that_wrote(tmp_path: Path) -> None:
    full = 'Traceback (most recent call last):\n  File "/w/fit.py", line 25, in main\n    out.write(blob)\n'
    full += "OSError: [Errno 28] No space left on device\n"
    verdict = judged(tmp_path, falling(290) + "saving 290.bin\n" + full, 1)
    assert (verdict.outcome, verdict.sub_mode) == ("outside_families", "disk_full")
    assert named(judged(tmp_path, full, 1)) == "A1"  # before the first step it is the environment's


@pytest.mark.parametrize(
    ("said", "headline"),
    [
        ("signal 10 received: saving checkpoint at step 290 and leaving", "by its own rule on a signal"),
        ("received signal 15, saving and exiting", "told to stop (SIGTERM)"),
        ("caught signal 2: stopping", "person"),
        ("received signal SIGUSR2, will stop", "by its own rule on a signal"),
    ],
)
def test_a_signal_may_be_told_by_its_number(tmp_path: Path, said: str, headline: str) -> None:
    assert headline in judged(tmp_path, falling(290) + said + "\n", 0).headline


def test_who_says_that_it_is_fatal_may_close_its_files_before_it_ends(tmp_path: Path) -> None:
    said = falling(290) + "FATAL: sample 88 has label 1001, and there are 1000 classes\nclosing the writer\n"
    assert named(judged(tmp_path, said, 3)) == "A1"
    assert named(judged(tmp_path, said.replace("FATAL", "INFO"), 3)) == "cannot_decide"


def test_what_else_it_may_have_been_is_no_signal(tmp_path: Path) -> None:
    frame = 'Traceback (most recent call last):\n  File "/w/job.py", line 21, in <module>\n    ray.get(parts)\n'
    advice = "There are some potential root causes. (1) killed by SIGKILL by the OOM killer (2) SIGSEGV\n"
    died = "ray.exceptions.WorkerCrashedError: The worker died unexpectedly while executing this task. "
    assert "SIG" not in judged(tmp_path, frame + died + advice, 1).headline


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("early stopping: no improvement for 8 epochs, best 0.49", "G1"),
        ("2026-03-02 10:00:00 - INFO - Early stopping after 8 checks", "G1"),
        ("No improvement in 8 epochs, stopping.", "G1"),
        ("EarlyStopping counter: 7 out of 8", "cannot_decide"),
        ("early stopping is enabled, at epoch 100 it ends", "cannot_decide"),
    ],
)
def test_a_rule_of_its_own_is_a_plan(tmp_path: Path, said: str, family: str) -> None:
    epochs = "".join(f"epoch {k}/100 train_loss {2 / k:.4f}\n" for k in range(1, 39))
    assert named(judged(tmp_path, epochs + said + "\n", 0)) == family


def test_a_trial_that_a_study_caught_is_not_the_run(tmp_path: Path) -> None:
    error = "ValueError: loss became inf at step 11"
    raised = f'Traceback (most recent call last):\n  File "/w/study.py", line 9, in objective\n    fit()\n{error}\n'
    caught = "[W 2026-03-02 10:00:01,120] Trial 5 failed with parameters: {'lr': 8.5} because of the following error: "
    caught += f"{error!r}.\n{raised}[W 2026-03-02 10:00:01,121] Trial 5 failed with value None.\n"
    done = "[I 2026-03-02 10:00:02,130] Trial 6 finished with value: 0.07 and parameters: {'lr': 0.1}.\nbest 0.07\n"
    assert named(judged(tmp_path, caught + done)) == "cannot_decide"
    assert named(judged(tmp_path, caught + raised, 1)) == "E1"  # which it did not catch


def folds(count: int, of: int, epochs: int = 12) -> str:
    """A cross-validation, each fold under a heading."""
    told = [
        f"epoch {n:2d}/{epochs} train_loss {1.1 / (1 + n / 3):.4f} val_loss {1.2 / (1 + n / 4):.4f}"
        for n in range(1, epochs + 1)
    ]
    return "".join(f"##### Fold {k}/{of} #####\n" + "\n".join(told) + "\n" for k in range(1, count + 1))


@pytest.mark.parametrize(
    ("log", "family"),
    [
        (folds(5, 5), "G1"),
        (folds(3, 5), None),
        (folds(5, 5).rpartition("epoch 10")[0], None),  # the last one is not at its end
        (folds(4, 4).replace("/12", "") + "mean f1 over folds: 0.8591 +/- 0.0063\n", "G1"),
        (folds(4, 4).replace("/12", "") + "f1 of this fold: 0.8591\n", None),
    ],
)
def test_each_fold_counts_its_own_epochs(tmp_path: Path, log: str, family: str | None) -> None:
    assert judged(tmp_path, log).family == family


@pytest.mark.parametrize(
    ("last", "family"),
    [
        ("Training time: 1841.22\nError u: 1.2e-03", "G1"),
        ("Training time: 1841.22\nrelative error (L2): 0.0012", "G1"),
        ("Training time: 1841.22\nerror 137", None),
        ("Training time: 1841.22\nError: 3 files are missing", None),
        ("best_iteration 291 best_score 0.31297", "G1"),
        ("saved word2vec.model", "G1"),
        ("model written to xgb_v3.json", "G1"),
        ("saved net_300.pt", None),
        ("saved model_epoch12.pt", None),
        ("saved step-300.pt", None),
    ],
)
def test_last_words_of_small_loops(tmp_path: Path, last: str, family: str | None) -> None:
    assert judged(tmp_path, falling(690, total="") + last + "\n").family == family


def gan(epochs: int, fid: str) -> str:
    """What PyTorch's example of a GAN prints, with a score of its samples after each epoch."""
    told = []
    for epoch in range(epochs):
        told += [
            f"[{epoch}/25][{batch}/1583]\tLoss_D: 0.{300 + batch % 7}\tLoss_G: 2.{100 + batch % 9}"
            for batch in range(0, 1583, 50)
        ]
        told.append(f"epoch {epoch}: {fid.format(200 / (1 + epoch))}")
    return "\n".join(told) + "\n"


@pytest.mark.parametrize(
    ("log", "family"),
    [
        (gan(25, "FID(10k) = {:.2f}") + "Finished. samples -> out/fake_025.png, netG.pth, netD.pth saved\n", "G1"),
        (gan(19, "FID(10k) = {:.2f}") + "Finished. samples -> out/fake_025.png, netG.pth, netD.pth saved\n", None),
        (gan(25, "took {:.2f} s") + "Finished. samples -> out/fake_025.png, netG.pth, netD.pth saved\n", None),
        (gan(25, "FID(10k) = {:.2f}") + "Finished writing samples\n", None),
    ],
)
def test_players_take_their_leave_after_the_last_report_that_was_due(
    tmp_path: Path, log: str, family: str | None
) -> None:
    assert judged(tmp_path, log).family == family


def test_a_booster_s_rounds_are_a_log_whatever_its_name(tmp_path: Path) -> None:
    head = "[LightGBM] [Info] Total Bins 31840\nTraining until validation scores don't improve for 200 rounds\n"
    told = "".join(
        f"[{n}]\ttraining's rmse: {0.7 + 1 / (1 + n / 300):.4f}\tvalid_1's rmse: {0.9 + 1 / (1 + n / 300):.4f}\n"
        for n in range(100, 2100, 100)
    )
    (tmp_path / "lgb_fold0.txt").write_text(head + told + "Early stopping, best iteration is:\n[1988]\tall well\n")
    (tmp_path / "requirements.txt").write_text("torch==2.4\nlightgbm>=4\n")
    store = import_logs([tmp_path])
    assert [(file.name, file.kind) for file in store.report.files if file.kind] == [("lgb_fold0.txt", "log")]
    assert analyze(store, strict=True)[0].family == "G1"

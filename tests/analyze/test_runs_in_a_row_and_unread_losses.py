"""Runs in a row in one file, all ranks in one line, a fit's own profile, and losses that nobody could read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.named_numbers import numbers_of
from inquest.bundle.logs_import import import_logs
from tests.analyze.builders import Run, at

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _verdict(folder: Path, text: str, status: int | None = None) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "train.log").write_text(text)
    return analyze(import_logs([folder], exit_code=status), strict=True)[0]


# --- runs one after the other ----------------------------------------------------------------------------------------
_DONE: Final = "=== finished, reef.ckpt saved ===\n"


def _ranks(steps: int, own: tuple[float, float], end: str = _DONE, level: float = 1.0) -> str:
    lines = (
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2\nInitializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2\n"
    )
    for step in range(10, steps + 1, 10):
        for rank in (0, 1) if step % 20 else (1, 0):
            compute, waits = own[rank], max(own) - own[rank] + 8
            lines += (
                f"[rank {rank}] step {step:4} loss {12 * 0.98**step + level:.4f}"
                f" compute {compute + step % 7:.1f} ms/step all_reduce {waits:.1f} ms/step\n"
            )
    return lines + end


def test_the_slow_rank_of_the_last_of_several_runs_in_one_file(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, _ranks(100, (60, 55)) + _ranks(100, (58, 61)) + _ranks(200, (40, 210)))
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (1,))


def test_a_run_that_had_not_said_that_it_was_done_was_set_back(tmp_path: Path) -> None:
    cut = _ranks(100, (60, 55), end="checkpoint saved, epoch 3 finished\n")
    assert _verdict(tmp_path, cut + _ranks(100, (60, 55), level=1.2)).family == "E2"


_UNMET: Final = (
    'Traceback (most recent call last):\n  File "/env/bin/torchrun", line 8, in <module>\n    sys.exit(main())\n'
    '  File "/env/lib/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py", line 680, in run\n'
    "    raise RendezvousTimeoutError\ntorch.distributed.elastic.rendezvous.api.RendezvousTimeoutError\n"
)
_FAILED: Final = (
    "E1128 13:50:02.000000 900 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: -9)"
    " local_rank: 0 (pid: 931) of binary: /env/bin/python\n"
)


@pytest.mark.parametrize(("between", "family"), [("torchrun ended with 0\n", "C1"), (_FAILED, "A2")])
def test_a_launch_whose_ranks_never_met_below_a_run_that_had_ended(tmp_path: Path, between: str, family: str) -> None:
    steps = "".join(f"step {step} loss {2 * 0.98**step:.4f}\n" for step in range(5, 161, 5))
    assert _verdict(tmp_path, f"{steps}{between}{_UNMET}", 1).family == family


# --- a search that goes on -------------------------------------------------------------------------------------------


def _trials(whole: int, then: int) -> str:
    lines = [
        f"trial {trial} epoch {epoch}/8 train loss {0.5 * 0.8**epoch + 0.1:.4f} val acc {0.95 - 0.3 * 0.7**epoch:.4f}\n"
        for trial in range(whole + 1)
        for epoch in range(1, (then if trial == whole else 8) + 1)
    ]
    return "".join(lines)


def test_a_search_that_stops_in_a_trial_has_no_planned_end(tmp_path: Path) -> None:
    assert _verdict(tmp_path / "cut", _trials(6, 1)).family is None
    assert _verdict(tmp_path / "whole", _trials(0, 8)).family == "G1"


# --- what one line tells of all ranks --------------------------------------------------------------------------------


def _shares(words: str, times: tuple[float, ...]) -> str:
    def told(step: int) -> str:
        each = "  ".join(f"r{rank} {value + step % 3 / 100:.2f}" for rank, value in enumerate(times))
        return f"step {step}/60 loss {0.4 * 0.97**step + 0.1:.4f} step time 0.86 s  {words}: {each}\n"

    return "".join(told(step) for step in range(5, 61, 5)) + "all 60 steps done\n"


def test_a_rank_that_is_busy_far_longer_than_its_peers_by_one_line(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, _shares("busy s/step", (0.08, 0.09, 0.70)))
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (2,))


@pytest.mark.parametrize(
    ("words", "times"),
    [
        ("busy s/step", (0.68, 0.71, 0.70)),  # all alike
        ("waits s/step", (0.08, 0.09, 0.70)),  # who waits the longest is not the slow one
        ("loss of each", (0.08, 0.09, 0.70)),
    ],
)
def test_ranks_alike_or_numbers_of_something_else_tell_no_straggler(
    tmp_path: Path, words: str, times: tuple[float, ...]
) -> None:
    assert _verdict(tmp_path, _shares(words, times)).family != "D3"


# --- Lightning's profile ---------------------------------------------------------------------------------------------


def fit_profile(saves: int, save: float) -> str:
    """A fit of 70 steps and 24 s with the table that Lightning's profiler prints at its end."""
    reports = "".join(f"step {step}/70 loss {0.7 * 0.98**step:.4f}\n" for step in range(5, 71, 5))
    rows = (
        ("run_training_epoch", 23.8, 1, 23.8),
        ("save_checkpoint", save / saves, saves, save),
        ("run_training_batch", 0.0136, 70, 0.95),
        ("[_TrainingEpochLoop].train_dataloader_next", 0.00197, 70, 0.137),
    )
    bar = "-" * 60 + "\n"
    table = "".join(
        f"|  {action:<50}\t|  {mean:<14.5g}\t|  {calls:<14}\t|  {total:<14.5g}\t|  {100 * total / 24.03:<14.5g}\t|\n"
        for action, mean, calls, total in rows
    )
    head = f"|  {'Action':<50}\t|  Mean duration (s)\t|  Num calls      \t|  Total time (s) \t|  Percentage %   \t|\n"
    whole = f"|  {'Total':<50}\t|  {'-':<14}\t|  {3017:<14}\t|  {24.03:<14}\t|  100 %          \t|\n"
    end = "`Trainer.fit` stopped: `max_steps=70` reached.\nFIT Profiler Report\n"
    return f"{reports}{end}{bar}{head}{bar}{whole}{bar}{table}{bar}"


def test_saves_that_take_most_by_lightnings_own_profile(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path / "each step", fit_profile(92, 21.7), 0)
    assert (verdict.family, verdict.sub_mode) == ("D2", "save_storm")
    assert _verdict(tmp_path / "once", fit_profile(1, 15.0), 0).family != "D2"  # the last one of a short run
    assert _verdict(tmp_path / "small", fit_profile(92, 1.0), 0).family == "G1"


# --- what was not read -----------------------------------------------------------------------------------------------


def _blank(instead: str | None, from_step: int = 300) -> str:
    def told(step: int) -> str:
        value = f"{0.2 * 0.99**step + 0.1:.5f}".replace(".", ",")
        told = value if step < from_step or not instead else instead
        return f"Durchlauf  1 von 1, Stapel {step:4}: mittl. Fehler {told}\n"

    return f"1 Durchlauf mit 600 Stapeln\n{''.join(map(told, range(20, 601, 20)))}Training beendet.\n"


def test_reports_that_tell_no_number_any_more_leave_it_open(tmp_path: Path) -> None:
    assert _verdict(tmp_path / "none", _blank("n. def."), 0).family is None
    assert _verdict(tmp_path / "numbers", _blank(None), 0).family == "G1"


@pytest.mark.parametrize(("lasts", "family"), [(62, "G1"), (40, None)])
def test_losses_of_two_players_that_nothing_read_have_to_be_numbers(
    tmp_path: Path, lasts: int, family: str | None
) -> None:
    """Their count is told in thousands of images; of two that play against each other, neither has to come down."""

    def told(at: int) -> str:
        losses = (4.3 - 0.03 * at, 3.1 - 0.02 * at) if at <= lasts else (math.nan, math.nan)
        return f"kimg {1.6 * at:.3f}  loss_G {losses[0]:.4f}  loss_D {losses[1]:.4f}\n"

    reports = "".join(map(told, range(1, 63)))
    assert _verdict(tmp_path, f"{reports}wrote G_0006200.pkl\ntraining complete\n", 0).family == family


def test_a_loss_that_nothing_could_read_leaves_it_open(tmp_path: Path) -> None:
    reports = "".join(
        f"LOG (train[5.5]:Print():t.cc) Average objective function for 'output' is {-7 + at / 20:.4f} over 5 frames\n"
        f"Iter: {at}/59   Jobs: 2   Epoch: {at / 4:.2f}/15.0   lr: 0.000999\n"
        for at in range(60)
    )
    assert _verdict(tmp_path, f"{reports}Training finished\n", 0).family is None


def test_a_measure_of_overlap_that_falls_while_another_rises_is_a_loss(tmp_path: Path) -> None:
    def told(epoch: int, dice: float) -> str:
        loss, iou = 0.5 * 0.8**epoch + 0.01, 0.98 - 0.3 * 0.8**epoch
        return f"[{epoch:02}/18] train bce {loss:.4f} dice {dice:.4f} | val bce {loss:.4f} iou {iou:.3f}\n"

    fell = "".join(told(epoch, 0.6 * 0.8**epoch) for epoch in range(1, 19))
    assert _verdict(tmp_path, f"{fell}finished 18 epochs, best IoU 0.977, kept in nuclei_best.pt\n", 0).family == "G1"


def test_an_exit_that_the_scheduler_alone_tells_of_leaves_it_open_in_mid_run(tmp_path: Path) -> None:
    steps = "".join(
        f"0: iteration {step}/20000 | lr: 0.0003 | reduced_train_loss: {9 - step / 300:.3f}\n"
        for step in range(10, 900, 10)
    )
    gone = "srun: error: n19: task 11: Exited with exit code 1\nsrun: Terminating StepId=70718.0\n"
    assert _verdict(tmp_path / "later", steps + gone).family is None
    assert _verdict(tmp_path / "at once", gone).family == "A1"


def test_a_script_whose_end_two_saw_ended_once() -> None:
    """The wrapper and the kernel tell of one exit; what it ran after the training is to blame, and not the training."""
    run = (
        Run()
        .steps([3 * 0.9**at + 0.2 for at in range(40)])
        .event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=51)
    )
    run.row("processes", event="start", role="task", pid=10, argv="bash fit.sh", ts_ns=at(1))
    run.row("processes", event="start", role="other", pid=11, argv="python3 fit.py", ts_ns=at(2))
    run.row("processes", event="exit", role="other", pid=11, exit_code=0, ts_ns=at(52))
    once = run.ended(1, t=52.9, pid=10)
    assert judge(once.evidence(), strict=True).family == "G1"
    assert judge(once.ended(1, t=53, pid=10).evidence(), strict=True).family == "G1"
    assert judge(once.ended(1, t=53, pid=12).evidence(), strict=True).family != "G1"  # another process failed as well


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("ran for 2 min 08.9 sec so far", 128.9),
        ("took 1m26.2s", 86.2),
        ("1 h 2 min 3 s", 3723.0),
        ("ran 35.2 sec", 35.2),
    ],
)
def test_a_time_of_several_units_is_one_number(text: str, seconds: float) -> None:
    (number,) = numbers_of(text)
    assert number.value == pytest.approx(seconds)


@pytest.mark.parametrize(("gains", "family"), [(0.3, "G1"), (0.0, None)])
def test_an_estimators_evaluations_tell_of_no_guessing(tmp_path: Path, gains: float, family: str | None) -> None:
    """Its loss is a sum over the batch, which hardly comes down."""

    def told(step: int) -> str:
        right, loss = 0.6 + gains * (1 - 0.9997**step), 166 - step / 4000 + step % 7 / 5
        report = f"I1106 04:00:08.867627 140212 hooks.py:260] loss = {loss:.4f}, step = {step} (5.2 sec)\n"
        values = f"accuracy = {right:.4f}, average_loss = {0.9 - right / 2:.4f}, loss = {loss:.3f}"
        saved = f"I1106 04:00:08.967627 140212 estimator.py:2083] Saving dict for global step {step}: {values}\n"
        return report + (saved if step % 1000 == 0 else "")

    reports = "".join(map(told, range(200, 12001, 200)))
    end = "I1106 04:21:11.267627 140212 estimator.py:371] Loss for final step: 163.29658.\n"
    assert _verdict(tmp_path, reports + end).family == family


def test_lines_that_differ_in_digits_alone_are_read_each_for_itself() -> None:
    """Lines of a loop share what was found out about their words; digits of the words themselves are no values."""
    for host in ("127.0.0.1", "10.11.1.1"):
        (of, _) = numbers_of(f"timed out after 50 s trying to reach ({host}, 29704)")
        assert (of.value, of.unit, of.behind) == (50.0, "s", f"trying to reach ({host}")
    for text, values in (
        ("2026-11-20 18:04:05,123 step 7 loss 0.25", [7.0, 0.25]),
        ("at 2026 of 5000: loss 0.75", [2026.0, 5000.0, 0.75]),
        ("1999 step 8 loss 0.75", [1999.0, 8.0, 0.75]),
        ("0x1f step 8 loss 1,5", [8.0, 1.5]),
        ("5x3 step 9 loss 1.5", [5.0, 9.0, 1.5]),
    ):
        assert [number.value for number in numbers_of(text)] == values, text

"""What the thirty-third set found wrong or open at first contact, in short texts of our own with near misses."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import went_on
from inquest.analyze.logs.told_times import told_times
from inquest.bundle.logs_import import import_logs
from inquest.bundle.timers import COMM, COMPUTE

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

_CHANCE = random.Random(33)


def _of(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    (folder / "train.log").write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code))[0]


def _fell(at: int, of: int) -> float:
    return 0.2 + 3 / (1 + 6 * at / of) + _CHANCE.uniform(0, 0.02)


# --- Ctrl-C that found one rank asleep and another in a collective ----------------------------------------------------
_ASLEEP = """[rank1]: Traceback (most recent call last):
[rank1]:   File "/home/ines/picks.py", line 64, in <module>
[rank1]:     main()
[rank1]:   File "/home/ines/picks.py", line 60, in main
[rank1]:     {doing}
[rank1]: KeyboardInterrupt
"""
_TOGETHER = """[rank0]: Traceback (most recent call last):
[rank0]:   File "/home/ines/picks.py", line 64, in <module>
[rank0]:     main()
[rank0]:   File "/opt/site-packages/torch/distributed/distributed_c10d.py", line 4394, in all_gather_single
[rank0]:     work.wait()
[rank0]: KeyboardInterrupt
"""


@pytest.mark.parametrize(("doing", "stood"), [("time.sleep(0.2)", True), ("loss.backward()", False)])
def test_a_person_who_ends_a_run_in_which_a_rank_slept(tmp_path: Path, doing: str, *, stood: bool) -> None:
    bars = [
        f"epoch 0:  {at}%|##| {at}/120 [00:{at // 4:02d}<00:30,  4.1it/s, loss={_fell(at, 120):.4f}]"
        for at in range(90)
    ]
    verdict = _of(tmp_path, "\n".join([*bars, _ASLEEP.format(doing=doing) + _TOGETHER]), 130)
    assert (verdict.outcome == "cannot_decide") == stood
    assert ("rank 1 slept" in verdict.headline) == stood


# --- gloo's word for a wait that was too long -------------------------------------------------------------------------
def test_a_pair_that_gloo_closed_is_a_collective_that_timed_out(tmp_path: Path) -> None:
    steps = [f"[rank0]: step {at}/400 loss {_fell(at, 400):.4f}" for at in range(1, 200)]
    crash = [
        "Traceback (most recent call last):",
        '  File "tides.py", line 97, in <module>',
        "    main()",
        '  File "/opt/site-packages/torch/autograd/graph.py", line 979, in _engine_run_backward',
        "    return Variable._execution_engine.run_backward(",
        "RuntimeError: Application timeout caused pair closure",
    ]
    assert _of(tmp_path, "\n".join([*steps, *(f"[rank0]: {line}" for line in crash), ""]), 1).family != "A1"


# --- what was caught below a warning ----------------------------------------------------------------------------------
_CAUGHT = [
    "[19:43:51] welds WARNING: statistics not read from cache/stats.pkl, computing them",
    "Traceback (most recent call last):",
    '  File "welds.py", line 31, in statistics',
    "    return pickle.load(file)",
    "           ^^^^^^^^^^^^^^^^^",
    "EOFError: Ran out of input",
]


@pytest.mark.parametrize(
    ("below", "crashed"),
    [
        (["[19:43:51] welds INFO: mean 0.24 spread 0.33", "[19:43:51] welds INFO: net: 9857 weights"], False),
        (["[19:43:51] welds INFO: closing the store", "[19:43:51] welds INFO: exiting with an error"], True),
        ([], True),
    ],
)
def test_who_warned_tells_on(tmp_path: Path, below: list[str], *, crashed: bool) -> None:
    head = ["[19:43:48] welds INFO: welds 0.4.2, torch 2.13.0", "[19:43:48] welds INFO: shard 1/6: 500 plates"]
    verdict = _of(tmp_path, "\n".join([*head, *_CAUGHT, *below, ""]))
    assert (verdict.family == "A1") == crashed


def test_notes_of_another_logger_are_not_those_of_who_warned() -> None:
    warning = "[19:43:51] welds WARNING: not read, computing them"
    assert went_on.tells_on(warning, ["[19:43:52] welds INFO: mean 1", "[19:43:53] welds INFO: net 2"])
    assert not went_on.tells_on(warning, ["[19:43:52] store INFO: mean 1", "[19:43:53] store INFO: net 2"])
    assert not went_on.tells_on(warning, ["[19:43:52] welds INFO: mean 1"])
    assert not went_on.tells_on("statistics not read", ["mean 1", "net 2"])


def test_a_refusal_that_names_nan_values_is_of_the_data(tmp_path: Path) -> None:
    """No loss is NaN there."""
    crash = (
        'Traceback (most recent call last):\n  File "claims.py", line 60, in <module>\n    main()\n'
        "_catboost.CatBoostError: Invalid type for cat_feature=21.0 : cat_features must be integer or string,"
        " real number values and NaN values should be converted to string.\n"
    )
    assert _of(tmp_path, f"policies 2016: 150000 rows\n{crash}", 1).family == "A1"


# --- last words, names and plans --------------------------------------------------------------------------------------
def test_latin_words_are_no_signals(tmp_path: Path) -> None:
    """``sigillum`` begins as SIGILL does."""
    lines = [f"2026-11-29 19:37:{at:02d},180 : INFO : pass {at}: loss {100 * _fell(at, 15):.0f}" for at in range(1, 16)]
    end = ["testis: carta 1.00, sigillum 1.00", "saved charters.w2v", "done"]
    text = "\n".join([*lines, *(f"2026-11-29 19:37:21,182 : INFO : {line}" for line in end), ""])
    assert _of(tmp_path, text).family == "G1"


@pytest.mark.parametrize(("rises", "right"), [(False, True), (True, False)])
def test_losses_named_by_their_data_alone(tmp_path: Path, *, rises: bool, right: bool) -> None:
    """What rises is a share of right answers, and read as no loss."""
    told = [_fell(21 - at if rises else at, 20) for at in range(1, 21)]
    lines = [f"final epoch {at:2d}/20  train {each:.4f}  valid {1.1 * each:.4f}" for at, each in enumerate(told, 1)]
    assert (_of(tmp_path, "\n".join([*lines, "saved loaf.pt", ""]), 0).family == "G1") == right


def test_a_whole_tells_the_unit_of_parts_without_one() -> None:
    told = told_times(
        "iter 12: loss 9.83, time 4016ms (fwd+bwd 427, allreduce 3374 [3338 3383 3438 3335], opt 213), 32 tok/s"
    )
    assert told is not None
    assert told.parts == {COMPUTE: pytest.approx(0.64), COMM: pytest.approx(3.374)}
    assert told_times("iter 12: loss 9.83, time 4016ms (fwd+bwd 427, allreduce 3374 bytes 1200, opt 9)") is None


@pytest.mark.parametrize(("decoded", "short"), [(True, True), (False, False)])
def test_a_handful_of_an_epoch_before_other_work(tmp_path: Path, *, decoded: bool, short: bool) -> None:
    """Nine of 2840, then the answers were decoded and all left with 0: nothing cut it off."""
    bars = [
        f"train:   0%|  | {at}/2840 [00:0{at // 4}<13:03,  3.63step/s, ctc={24 - at:.3f}, epoch=0]"
        for at in range(1, 10)
    ]
    bars += [
        f"decode: {at}%|##| {3 * at}/300 [00:01<00:02, 132.43utt/s, wer=1.000]" for at in range(5, 101, 5)
    ] * decoded
    assert (_of(tmp_path, "\n".join([*bars, ""]), 0).family == "E3") == short


def test_gpt_neox_always_looks_for_a_checkpoint(tmp_path: Path) -> None:
    head = [
        "Unable to load checkpoint: no checkpoint found at /ckpt/410m, starting from random",
        "Loading checkpoint and starting from iteration 0",
    ]
    lines = [
        f" iteration {at:8d}/     700 | lm loss: {_fell(at, 700):.6E} | lr: 1.0E-04 |" for at in range(10, 701, 10)
    ]
    assert _of(tmp_path, "\n".join([*head, *lines, ""]), 0).family == "G1"


def test_trainings_by_epochs_that_each_came_to_their_plan_are_a_sweep(tmp_path: Path) -> None:
    runs = []
    for units in (16, 32):
        runs.append(f"=== {units} units")
        for at in range(1, 7):
            runs += [
                f"Epoch {at}/6",
                f"85/85 - 0s - 2ms/step - loss: {_fell(at, 6):.4f} - val_loss: {_fell(at, 6):.4f}",
            ]
        runs.append(f"=== {units} units: test loss 0.0823")
    assert _of(tmp_path, "\n".join([*runs, ""]), 0).family != "E2"


@pytest.mark.parametrize(("said", "spoke"), [("", False), ("loading the data\n", True)])
def test_what_a_platform_tells_is_not_the_jobs_word(tmp_path: Path, said: str, *, spoke: bool) -> None:
    """Where the job's output was not kept, that it tells of no step says nothing of what was done."""
    ended = {"exitCode": 0, "reason": "Completed", "finishedAt": "2026-02-24T23:39:56Z"}
    status = {"containerStatuses": [{"name": "train", "state": {"terminated": ended}}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train-0"}, "spec": {}, "status": status}
    (tmp_path / "pods.json").write_text(json.dumps(pod))
    if said:
        (tmp_path / "train.log").write_text(said)
    _, evidence = analyze(import_logs([tmp_path]))
    assert evidence.job_spoke() == spoke

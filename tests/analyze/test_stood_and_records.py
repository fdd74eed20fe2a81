"""Standstills that pulses and NCCL's RAS tell of in a log, and runs held against their own records; near misses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.bundle.logs_import import import_logs

from .builders import Run, at
from .standing_logs import CANCELLED, GAVE_UP, LIVES, LOST, QUIET, SIZES, clock, of_two, pulses, sweeps

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str, status: int | None = None) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder / "job.log"], exit_code=status), strict=True)[0]


# --- pulses ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", LIVES)
def test_a_pulse_that_tells_the_same_count_and_no_work_tells_of_a_standstill(tmp_path: Path, words: str) -> None:
    told = judged(tmp_path / "a", sweeps() + pulses(words, 40))
    assert (told.family, told.confidence < 0.5) == ("C3", True)
    assert "8 times it told the same count and that it used no processor" in told.headline
    # The count goes on, or reports do; too short a time; of several, one may wait for another; all had been done.
    assert judged(tmp_path / "b", sweeps() + pulses(words, 40, moves=1)).family != "C3"
    went_on = "".join(f"{clock(130 + n)} step {41 + n}/900 loss 0.3{n}\n" for n in range(9))
    assert judged(tmp_path / "c", sweeps() + pulses(words, 40) + went_on).family != "C3"
    assert judged(tmp_path / "d", sweeps() + pulses(words, 40, times=3)).family != "C3"
    assert judged(tmp_path / "e", "DDP over 4 GPUs\n" + sweeps() + pulses(words, 40)).family != "C3"
    assert judged(tmp_path / "f", sweeps() + "training finished\n" + pulses(words, 40)).family != "C3"


def test_a_pulse_that_tells_of_no_processor_has_to_go_on_for_long(tmp_path: Path) -> None:
    words = "still here after {waited} s, step {count}"
    assert judged(tmp_path / "a", sweeps() + pulses(words, 40, times=12)).family != "C3"
    assert judged(tmp_path / "b", sweeps() + pulses(words, 40, times=90)).family == "C3"


def test_a_guard_that_gives_up_a_standstill_is_no_crash(tmp_path: Path) -> None:
    told = judged(tmp_path / "a", of_two() + GAVE_UP, 1)
    assert (told.family, told.sub_mode) == ("C2", "silent")
    assert "2 processes stood still for 50 s" in told.headline
    assert judged(tmp_path / "b", of_two(0) + GAVE_UP, 1).family != "C2"
    raised = (
        'Traceback (most recent call last):\n  File "/w/drift.py", line 50, in drift\n    lap = laps[k]\nKeyError: 17\n'
    )
    assert judged(tmp_path / "c", of_two() + raised, 1).family == "A1"


# --- an answer of NCCL's RAS in the log ------------------------------------------------------------------------------


def test_who_is_behind_by_an_answer_in_the_log_kept_the_others(tmp_path: Path) -> None:
    quiet, cancelled = QUIET, CANCELLED
    told = judged(tmp_path / "a", sweeps() + quiet + cancelled)
    assert (told.family, told.culprit_ranks, told.culprit_nodes) == ("C2", (11,), ("10.61.0.23",))
    level = sweeps() + quiet.replace("operation 48730", "operation 48731") + cancelled
    assert judged(tmp_path / "b", level).family != "C2"
    went_on = "".join(f"{clock(9001 + n)} step {41 + n}/900 loss 0.3{n}\n" for n in range(9))
    assert judged(tmp_path / "c", sweeps() + quiet + went_on).family != "C2"


# --- records of what was done before ---------------------------------------------------------------------------------


def _history(saved: float, step: int, resume: bool = True, begin: float = 1.3, first: int = 96) -> Run:
    run = Run()
    text = f"history: 24 entries, last {{'epoch': 7, 'step': {step}, 'loss': {saved}}}"
    run.row("log_lines", ts_ns=at(1), text=text, source="job.log")
    argv = "python tides.py --epochs 20" + (" --resume runs/tides" if resume else "")
    run.row("processes", event="start", role="task", pid=7, ts_ns=at(0), argv=argv)
    for n in range(60):
        told: dict[str, Any] = {
            "step": first + 96 * n,
            "loss": begin * 0.95**n,
            "rank": 0,
            "kind": "step",
            "epoch": n // 3,
        }
        run.fact("fact_steps", ts_ns=at(10 + n), **{**told, "line_seq": 2 + n})
    return run.ended(0, t=80)


def test_a_run_that_begins_far_above_its_own_history_lost_what_it_is_of() -> None:
    def family(run: Run) -> str | None:
        return judge(run.evidence()).family

    assert family(_history(0.1067, 2304)) == "E2"
    assert family(_history(1.2, 2304)) != "E2"  # it goes on near it
    assert family(_history(0.1067, 2304, resume=False)) != "E2"  # nobody asked for it
    assert family(_history(0.1067, 0)) != "E2"  # a record of nothing
    assert family(_history(0.1067, 2304, first=4000)) != "E2"  # the count goes on


def _shown_again(saved: float, begin: float, at_once: bool = True) -> str:
    old = "".join(
        f"{clock(0 if at_once else 4 * n)} | ep {n} train ctc {saved * 1.5 ** (6 - n):.4f} dev WER 0.7% (4 s)\n"
        for n in (4, 5, 6)
    )
    new = ""
    for e in range(7, 11):
        ctc = [begin * 0.6 ** (5 * (e - 7) + b) for b in range(1, 6)]
        when = [clock(30 + 5 * (e - 7) + b) for b in range(1, 6)]
        new += "".join(
            f"{at} ep {e} batch {50 * b}/250 ctc {x:.4f}\n" for at, b, x in zip(when, range(1, 6), ctc, strict=True)
        )
        new += f"{when[-1]} ep {e} train ctc {ctc[-1]:.4f} dev WER 2.7% (4 s)\n"
    return f"going on from where it was; it ended with\n{old}{new}done\n"


def test_epochs_that_are_shown_again_tell_where_the_loss_had_been(tmp_path: Path) -> None:
    told = judged(tmp_path / "a", _shown_again(0.0014, 6.0), 0)
    assert (told.family, told.sub_mode) == ("E2", "load_without_effect")
    assert judged(tmp_path / "b", _shown_again(0.5, 0.8), 0).family != "E2"


def test_who_leaves_when_its_checkpoint_does_not_fit_is_who_the_others_lost(tmp_path: Path) -> None:
    told = judged(tmp_path / "a", SIZES + LOST, 1)
    assert (told.family, told.sub_mode) == ("E2", "size_mismatch")
    assert judged(tmp_path / "b", LOST, 1).family != "E2"
    steps = "".join(f"step {n}/400 loss {3 - n / 40:.3f}\n" for n in range(1, 40))
    assert judged(tmp_path / "c", SIZES + steps + LOST, 1).family != "E2"  # it went on without


# --- a run of several that never met, and a limit that is set --------------------------------------------------------

SPAWNED: Final = """\
Traceback (most recent call last):
  File "/w/retinue.py", line 84, in <module>
    parallel.run(training, vars(a))
  File "/opt/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 211, in join
    raise ProcessRaisedException(msg, error_index, failed_process.pid)
torch.multiprocessing.spawn.ProcessRaisedException:~

-- Process 0 terminated with the following error:
Traceback (most recent call last):
  File "/opt/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 87, in _wrap
    fn(i, *args)
  File "/opt/lib/python3.11/site-packages/torch/distributed/rendezvous.py", line 199, in _create_c10d_store
    return TCPStore(
torch.distributed.DistStoreError: Timed out after 31 seconds waiting for clients. 1/2 clients joined.

""".replace("~", " ")


def test_the_last_of_several_runs_may_be_the_one_whose_ranks_never_met(tmp_path: Path) -> None:
    ended = f"{sweeps()}== a ended with 0\n== d: width 64\n"
    assert judged(tmp_path / "a", ended + SPAWNED, 1).family == "C1"
    raised = 'Traceback (most recent call last):\n  File "/w/retinue.py", line 50, in training\nKeyError: 17\n'
    assert judged(tmp_path / "b", sweeps() + raised + "restarting\n" + SPAWNED, 1).family != "C1"


@pytest.mark.parametrize(
    ("limit", "family"), [("max_steps=60", "E3"), ('"max_train_updates": 60', "E3"), ("max_steps=90", None)]
)
def test_a_limit_that_is_set_to_the_last_step_ended_the_run(tmp_path: Path, limit: str, family: str | None) -> None:
    told = "".join(
        f"{clock(9 * n)} [信息] epoch 0 步 {n}/18744 损失 {10.4 - n / 30:.4f} 学习率 {n / 2e6:.2e} 8.58 秒/步\n"
        for n in range(2, 61, 2)
    ).replace("/18744", "/18744" if family else "/1200")
    text = f"{clock(0)} [信息] 配置: epochs=3 {limit}\n{told}{clock(600)} [信息] 模型已保存: step_60.pt (4.4 GB)\n"
    assert judged(tmp_path, text, 0).family == family

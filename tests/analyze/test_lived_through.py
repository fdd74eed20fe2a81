"""Errors that a program lived through, attempts that aborted, and ends, losses and links told in other words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.files import looks_like_a_log
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import BundleStore

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _verdict(folder: Path, text: str, status: int | None = None) -> Verdict:
    path = folder / "job.log"
    path.write_text(text)
    return analyze(import_logs([path], exit_code=status), strict=True)[0]


def _imported(folder: Path) -> BundleStore:
    bundle = folder.parent / f"{folder.name}.inquest"
    bundle.unlink(missing_ok=True)
    write(import_paths(sorted(folder.iterdir())), bundle)
    return BundleStore(bundle)


def _steps(first: int = 1, last: int = 60, form: str = "step {n}/60 loss {loss:.4f}\n") -> str:
    return "".join(form.format(n=n, loss=2.4 * math.exp(-n / 12) + 0.3) for n in range(first, last + 1))


_CAUGHT = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/data.py", line 88, in __getitem__\n    return decode(raw)\n'
    "ValueError: a header of 3 bytes\n"
)
_THREAD = (
    "Exception in thread Thread-3 ({work}):\nTraceback (most recent call last):\n"
    '  File "/opt/conda/lib/python3.11/threading.py", line 1038, in _bootstrap_inner\n    self.run()\n'
    '  File "/home/u/{file}.py", line 19, in {work}\n    step_of({work})\n'
    "OSError: [Errno 98] Address already in use\n"
)
_OOM = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/fit.py", line 51, in <module>\n    out = model(batch)\n'
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 320.00 MiB (GPU 0; 9.78 GiB total capacity)\n"
)
_WORKER_DIED = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/fit.py", line 51, in <module>\n    batch = next(batches)\n'
    "RuntimeError: the prefetch thread died\n"
)

# --- lived through ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("below", "status", "family"),
    [
        (_OOM, 1, "B1"),  # nobody dies twice
        ("", 137, "A2"),  # no exception ends in a kill
    ],
)
def test_what_was_caught_did_not_end_what_something_else_ended(
    tmp_path: Path, below: str, status: int, family: str
) -> None:
    log = _steps(1, 20) + _CAUGHT + _steps(21, 40) + below
    assert _verdict(tmp_path, log, status).family == family


def test_what_was_caught_and_nothing_else_ended_is_what_ended_it(tmp_path: Path) -> None:
    assert _verdict(tmp_path, _steps(1, 20) + _CAUGHT, 1).family == "A1"
    assert (
        _verdict(tmp_path, _steps(1, 20) + _CAUGHT + _WORKER_DIED.replace("RuntimeError", "SystemExit"), 1).family
        == "A1"
    )


def test_a_thread_that_only_looked_on_is_no_end(tmp_path: Path) -> None:
    beside = _THREAD.format(work="serve_metrics", file="metrics")
    assert _verdict(tmp_path, _steps(1, 20) + beside + _steps(21, 30), 143).family != "A1"
    assert _verdict(tmp_path, beside + "reading the data\n" + _OOM, 1).family == "B1"


def test_a_thread_that_training_waited_for_is_one(tmp_path: Path) -> None:
    """What a queue still held was used up; then nothing came, and somebody ended it, or the program said so."""
    reader = _THREAD.format(work="read_ahead", file="data").replace(
        "OSError: [Errno 98] Address already in use", "KeyError: 'x'"
    )
    assert _verdict(tmp_path, _steps(1, 20) + reader + _steps(21, 25), 143).family == "A1"
    assert _verdict(tmp_path, _steps(1, 20) + reader + _steps(21, 25) + _WORKER_DIED, 1).family == "A1"


def test_what_was_left_out_above_the_first_step_of_a_run_that_ended_well(tmp_path: Path) -> None:
    noted = "gpu monitor: the energy cannot be read\n" + _CAUGHT
    banner = "***** Running training *****\n  Num examples = 256\n  Num Epochs = 1\n  Total optimization steps = 60\n"
    log = noted + banner + _steps() + "training finished\n"
    assert _verdict(tmp_path, log, 0).family == "G1"
    assert _verdict(tmp_path, banner + noted.replace("cannot be read", "read"), 1).family == "A1"


# --- attempts that aborted -------------------------------------------------------------------------------------------

_HEAD = (
    "I1107 15:0{m}:03.1 2187{m} tool.cpp:204] Using GPU 0\nI1107 15:0{m}:04.2 2187{m} tool.cpp:45] Reading the net\n"
    "solver: step\nbase_lr: 0.05\n"
)
_ABORTED = (
    "F1107 15:00:04.3 21870 db.hpp:15] Check failed: status == 0 (2 vs. 0) No such file or directory\n"
    "*** Check failure stack trace: ***\n    @     0x7f3e1cb9b5cd  google::LogMessage::Fail()\nAborted (core dumped)\n"
)


def test_an_attempt_that_aborted_before_the_program_began_anew_is_no_end(tmp_path: Path) -> None:
    log = _HEAD.format(m=0) + _ABORTED + "\n" + _HEAD.format(m=5) + _steps() + "training finished\n"
    assert _verdict(tmp_path, log).family == "G1"
    assert _verdict(tmp_path, _HEAD.format(m=0) + _steps() + _ABORTED).family == "A2"
    # Two streams put one below the other: nothing began a second time.
    assert _verdict(tmp_path, _HEAD.format(m=0) + _ABORTED + _steps()).family == "A2"


# --- other languages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "end", "not_yet"),
    [
        (
            "époque {n}/60 | perte {loss:.4f}\n",
            "entraînement terminé : 60 époques sur 60\n",
            "avant que l'entraînement est terminé\n",
        ),
        (
            "Epoche {n}/60 Verlust {loss:.4f}\n",
            "Training abgeschlossen, Modell gespeichert\n",
            "Training abgebrochen\n",
        ),
        ("[ステップ {n}/60] 損失={loss:.4f} 学習率=1.0e-04\n", "学習が完了しました。\n", "学習完了まで待ちます\n"),
        ("第 {n}/60 轮 损失 {loss:.4f}\n", "【完成】 训练结束,模型写入 out/final.pt\n", "训练未完成\n"),
    ],
)
def test_an_end_in_another_language(tmp_path: Path, form: str, end: str, not_yet: str) -> None:
    assert _verdict(tmp_path, _steps(form=form) + end).family == "G1"
    events = parse_logs(import_logs([tmp_path / "job.log"]))["fact_events"]
    assert "loop.end_in_other_words" in events["pattern"].to_list()
    _verdict(tmp_path, _steps(form=form) + not_yet)
    events = parse_logs(import_logs([tmp_path / "job.log"]))["fact_events"]
    assert "loop.end_in_other_words" not in events["pattern"].to_list()


def test_a_training_loss_in_another_language_beside_evaluations_that_are_read(tmp_path: Path) -> None:
    log = _steps(form="[ステップ {n}/60] 損失={loss:.4f}\n") + "  検証: top1=81.85%\n学習が完了しました。\n"
    verdict = _verdict(tmp_path, log)
    assert verdict.family == "G1"
    assert "the loss fell from 2.508" in verdict.headline


def test_steps_in_units_of_ten_thousand(tmp_path: Path) -> None:
    path = tmp_path / "训练日志.txt"
    path.write_text(
        "".join(f"第 {n / 5:5.1f} 万步 | 损失 {9 - n / 10:.3f} 比特/字 | 学习率 1.0e-04\n" for n in range(1, 41))
    )
    steps = parse_logs(_imported(tmp_path))["fact_steps"]
    assert steps["step"].to_list() == [2000 * n for n in range(1, 41)]


# --- rates -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "rate"),
    [
        ("step={n} loss={loss:.4f} grad_norm=0.3 lr=3.000e-04 tok/s=184073\n", 184073.0),
        ("step: {n}, seconds: 3.4, TFLOP/s/device: 61.452, Tokens/s/device: 4812.1, loss: {loss:.3f}\n", None),
        ("step {n} loss {loss:.4f} 5123 tok/s 41 ms\n", 5123.0),
        ("step {n} loss {loss:.4f} | 5,123 tokens/s | 41 ms\n", 5123.0),
    ],
)
def test_a_rate_is_not_the_number_before_its_name(tmp_path: Path, line: str, rate: float | None) -> None:
    _verdict(tmp_path, _steps(form=line))
    steps = parse_logs(import_logs([tmp_path / "job.log"]))["fact_steps"]
    assert set(steps["tokens_per_s"].to_list()) == {rate}


# --- links and restarts ----------------------------------------------------------------------------------------------


def test_a_later_link_that_found_no_state_began_from_nothing(tmp_path: Path) -> None:
    found = "Found 0 checkpoint steps in /ceph/run-11/ckpt\n"
    end = "max_hours reached, saving and leaving\ntraining finished\n"
    assert _verdict(tmp_path, "chain lm: link 2 of 4, after 77140 (afterok)\n" + found + _steps() + end).family == "E2"
    assert _verdict(tmp_path, "chain lm: link 1 of 4\n" + found + _steps() + end).family == "G1"
    assert _verdict(tmp_path, "data: part 2 of 4\n" + found + _steps() + end).family == "G1"


def test_a_job_that_ran_again_after_a_preemption_and_failed_by_itself(tmp_path: Path) -> None:
    preempted = "slurmstepd: error: *** JOB 88 ON n1 CANCELLED AT 2026-11-04T05:42:20 DUE TO PREEMPTION ***\n"
    again = "".join(f"2026-11-04 06:{n:02}:00 step {n}/60 loss {3 - n / 50:.4f}\n" for n in range(5, 50))
    crash = _OOM.replace(
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 320.00 MiB", "ValueError: too long"
    )
    (tmp_path / "slurm-88.out").write_text("job 88, restart count 0\n" + preempted)
    (tmp_path / "rank0.log").write_text(again + "2026-11-04 06:51:00 reading shard 7\n" + crash)
    assert analyze(_imported(tmp_path), strict=True)[0].family == "A1"
    (tmp_path / "rank0.log").write_text(again.replace(" 06:", " 04:"))
    assert analyze(_imported(tmp_path), strict=True)[0].family == "F2"


# --- what a job says of its start, its state and its waits ----------------------------------------------------------


@pytest.mark.parametrize(
    ("below", "status", "family"),
    [
        ("building the table ...\n", None, None),  # a log that was copied while it ran
        ("building the table ...\n", 127, "A1"),
        (_steps() + "training finished\n", None, "G1"),
    ],
)
def test_a_program_that_only_looks_on_and_is_not_there(
    tmp_path: Path, below: str, status: int | None, family: str | None
) -> None:
    assert _verdict(tmp_path, "bash: line 1: nvidia-smi: command not found\n" + below, status).family == family


def test_arrays_that_do_not_fit_right_below_the_word_of_a_state(tmp_path: Path) -> None:
    crash = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/till.py", line 25, in <module>\n    np.copyto(table, kept["table"])\n'
        "ValueError: could not broadcast input array from shape (16,16,3) into shape (20,20,3)\n"
    )
    taken = "going on from tables/00600.npz\n"
    assert _verdict(tmp_path, "tills: 20 x 20\n" + taken + crash, 1).family == "E2"
    assert _verdict(tmp_path, taken + "tills: 20 x 20\nreading\nshuffling\nfirst batch\n" + crash, 1).family == "A1"
    assert _verdict(tmp_path, "going on with the next table\n" + crash, 1).family == "A1"


def test_ranks_that_never_met_in_a_loops_own_words(tmp_path: Path) -> None:
    tries = "".join(
        f"node 0: attempt {n} of 3: Timed out after 14 seconds waiting for clients. 1/2 clients joined.\n"
        for n in (1, 2, 3)
    )
    assert _verdict(tmp_path, tries + "the other one never came\n", 1).family == "C1"
    assert _verdict(tmp_path, tries + "all are here\n" + _steps() + "training finished\n", 0).family == "G1"


def test_waits_for_a_batch_that_was_ready_late(tmp_path: Path) -> None:
    _verdict(
        tmp_path, "".join(f"batch {n}/20 loss 0.{n:02} | batch ready after 2.5s, update 0.004s\n" for n in range(1, 21))
    )
    steps = parse_logs(import_logs([tmp_path / "job.log"]))["fact_steps"]
    assert set(steps["data_time_s"].to_list()) == {2.5}


# --- told, shown and done without ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "family"), [("info", "G1"), ("error", "A1")])
def test_a_record_at_the_level_of_information_tells_of_no_error_of_its_own(
    tmp_path: Path, level: str, family: str
) -> None:
    told = (
        r'{"level":"%s","msg":"replayed","err":"Traceback (most recent call last):\n'
        r'  File \"a.py\", line 3, in <module>\nKeyError: 1"}'
    )
    done = "training finished\n" if family == "G1" else ""
    assert _verdict(tmp_path, _steps() + told % level + "\n" + done).family == family


def test_what_asyncio_says_of_a_task_ends_nothing(tmp_path: Path) -> None:
    lost = "Task exception was never retrieved\nfuture: <Task finished name='Task-17' coro=<push()>>\n"
    assert _verdict(tmp_path, _steps(1, 50) + lost + _CAUGHT + _OOM, 1).family == "B1"
    assert _verdict(tmp_path, _steps(1, 50) + "pushing\n" + _CAUGHT, 1).family == "A1"


def test_a_package_that_is_done_without(tmp_path: Path) -> None:
    missing = (
        "Traceback (most recent call last):\n"
        '  File "/home/u/fit.py", line 7, in <module>\n    import flash_attn\n'
        "ModuleNotFoundError: No module named 'flash_attn'\n"
    )
    assert _verdict(tmp_path, missing + _steps() + _OOM, 1).family == "B1"
    assert _verdict(tmp_path, "slow attention is used:\n" + missing + "reading\n" + _OOM, 1).family == "B1"
    assert _verdict(tmp_path, missing, 1).family == "A1"
    assert _verdict(tmp_path, _steps(1, 20) + missing, 1).family == "A1"


def test_the_end_of_an_old_log_that_is_shown_before_the_run(tmp_path: Path) -> None:
    old = "$ tail -n 2 nohup.out.old\nSegmentation fault (core dumped)\nKilled\n"
    assert _verdict(tmp_path, old + "$ python fit.py\n" + _steps() + "training finished\n").family == "G1"
    assert _verdict(tmp_path, "$ python fit.py\n" + _steps() + "Segmentation fault (core dumped)\n").family == "A2"
    evaluated = (
        "$ python fit.py\n" + _steps(1, 20) + "Segmentation fault (core dumped)\n$ python evaluate.py\naccuracy 0.1\n"
    )
    assert _verdict(tmp_path, evaluated).family == "A2"


def test_a_batch_that_was_left_out(tmp_path: Path) -> None:
    left = "val batch 7: loss is nan (empty mask), left out of the mean\n"
    assert _verdict(tmp_path, _steps(1, 30) + left + _steps(31) + "training finished\n", 0).family == "G1"
    assert _verdict(tmp_path, _steps(1, 30) + "the loss is nan\n", 0).family == "E1"


def test_what_was_logged_and_what_the_program_died_of(tmp_path: Path) -> None:
    logged = "[2026-05-04 10:02:11: ERROR/Worker-2] Task send_mail[3f1] raised unexpected\n" + _CAUGHT
    assert _verdict(tmp_path, "reading\n" + logged + _OOM, 1).family == "B1"
    again = _CAUGHT.replace(
        "ValueError: a header of 3 bytes", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried 2 GiB"
    )
    failed = _WORKER_DIED.replace("the prefetch thread died", "training has failed, see above")
    assert _verdict(tmp_path, "reading\n" + again + failed, 1).family == "B1"


@pytest.mark.parametrize(
    "line", ["шаг {n} потеря 0.{n}", "paso {n} pérdida 0.{n}", "第 {n} 步 损失 0.{n}", "ステップ {n} 損失 0.{n}"]
)
def test_a_text_in_another_language_is_a_log(line: str) -> None:
    assert looks_like_a_log([line.format(n=n).encode() for n in range(10, 20)])
    assert not looks_like_a_log([b"Die Verluste der Bank, ein Bericht", "损失很大".encode()])

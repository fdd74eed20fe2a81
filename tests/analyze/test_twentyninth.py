"""What the twenty-ninth blind set showed: forms that a longer number cut, bars, clocks, chains; with near misses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str, status: int | None = None) -> Verdict:
    return named(folder, {"job.log": text}, status)


def named(folder: Path, logs: dict[str, str], status: int | None = None) -> Verdict:
    folder.mkdir(exist_ok=True)
    for name, text in logs.items():
        (folder / name).write_text(text)
    return analyze(import_logs([folder / name for name in logs], exit_code=status), strict=True)[0]


def steps(folder: Path, text: str) -> pl.DataFrame:
    folder.mkdir(exist_ok=True)
    (folder / "job.log").write_text(text)
    return parse_logs(import_logs([folder / "job.log"]))["fact_steps"].sort("line_seq")


def clock(seconds: float) -> str:
    return f"2026-11-29 {8 + int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


# --- reports of one form are of one form, however long their numbers are ----------------------------------------------
@pytest.mark.parametrize("ahead", [60, 100, 130, 140, 150])
def test_a_number_that_grows_longer_takes_no_report_away(tmp_path: Path, ahead: int) -> None:
    def line(n: int) -> str:
        return (
            f"11/02/2026 08:03:50 [INFO|DP=0|node-11]: iteration: {n} / 60000 | {'x' * max(ahead - 75, 1)} | "
            f"consumed_tokens: {n * 1.05:.1f}M | tokens_per_sec: 446K | lm_loss: {9 / (1 + n / 900):.3f} | lr: 3e-4\n"
        )

    told = [*range(10, 1210, 10), *range(1000, 1300, 10)]  # the second attempt goes on from what was saved
    assert steps(tmp_path, "".join(map(line, told)))["step"].to_list() == told


# --- epochs that no word names ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "form",
    [
        "[{e}/3] {b}/500 loss={v:.4f}",
        "[{e}/3] - ({b}/500) - loss={v:.4f}",
        "12:00:01 | [{e}/3] | Batch [{b}/500] | loss {v:.4f}",
        "INFO [{e}/3], batch={b}, Loss = {v:.5f}",
        "E{e}: step {b}: train_loss: {v:.4f}",
        "E{e} | minibatch {b} of 500 | loss {v:.4f}",
        "epoch {e} of 3 - ({b}/500) - loss={v:.4f}",
    ],
)
def test_a_count_that_begins_anew_tells_the_epoch_before_it(tmp_path: Path, form: str) -> None:
    told = [(e, b) for e in (1, 2, 3) for b in range(50, 501, 50)]
    text = "".join(form.format(e=e, b=b, v=2 / (e + b / 500)) + "\n" for e, b in told)
    read = steps(tmp_path / "a", text)
    assert read["epoch"].to_list() == [float(e) for e, _ in told]
    assert read["step"].to_list()[:11] == [*range(50, 501, 50), 550]


def test_a_seat_that_stays_or_jumps_is_no_epoch(tmp_path: Path) -> None:
    seat = "".join(f"[1/4] step {b}/500 loss {2 / (1 + b / 500):.4f}\n" for b in range(50, 501, 50))
    assert steps(tmp_path / "a", seat)["epoch"].null_count() == 10
    turns = "".join(
        f"[{k % 3 + 1}/4] step {b}/500 loss {2 / (1 + b / 500):.4f}\n" for k, b in enumerate(range(50, 501, 50))
    )
    assert steps(tmp_path / "b", turns)["epoch"].null_count() == 10


# --- bars -------------------------------------------------------------------------------------------------------------
def bars(stands: int, unit: str = "b", epochs: int = 2, at: int = 239) -> str:
    """Two epochs of 240 batches in eight seconds each, of which the last stands at ``at`` for so many redraws."""

    def state(epoch: int, count: int, seconds: int, loss: float) -> str:
        run = f"{seconds // 60:02}:{seconds % 60:02}<00:00, 30.02{unit}/s, nll={loss:.3f}"
        return f"epoch {epoch}/6: {count * 100 // 240:3}%|####  | {count}/240 [{run}]"

    drawn = [
        state(epoch, min(30 * k, at if epoch == epochs else 240), k, 3 / (k + 8 * epoch))
        for epoch in range(1, epochs + 1)
        for k in range(1, 9)
    ]
    drawn += [state(epochs, min(240, at), 8 + 2 * k, 0.125) for k in range(1, stands + 1)]
    return "\r".join(drawn) + "\n"


@pytest.mark.parametrize("unit", ["b", "it", "batch", "steps", "upd"])
def test_a_bar_that_is_redrawn_where_it_stood_tells_of_a_standstill(tmp_path: Path, unit: str) -> None:
    told = judged(tmp_path / "a", bars(40, unit))
    assert (told.family, told.confidence < 0.5) == ("C3", True), told.headline
    # For a short time; in the first epoch, where nobody knows what comes there; of several ranks; where it went on.
    assert judged(tmp_path / "b", bars(12, unit)).family is None
    assert judged(tmp_path / "c", bars(40, unit, epochs=1)).family is None
    assert judged(tmp_path / "d", "world size 4\n" + bars(40, unit)).family != "C3"
    assert judged(tmp_path / "e", bars(40, unit) + bars(0, unit, epochs=3).split("\r", 16)[-1]).family != "C3"


@pytest.mark.parametrize("unit", ["B", "MB", "samples", "files"])
def test_a_bar_of_bytes_or_samples_is_no_training(tmp_path: Path, unit: str) -> None:
    drawn = "\r".join(f"{k}%|###   | {k}/100 [00:{k:02}<00:{100 - k:02}, 1.02{unit}/s]" for k in range(1, 60))
    assert steps(tmp_path, f"step 1 loss 2.0\n{drawn}\nstep 2 loss 1.9\n")["step"].to_list() == [1, 2]


# --- what ps tells ----------------------------------------------------------------------------------------------------
def watched(state: str = "S", used: str = "00:00:05", sleeps: str = "anon_pipe_read", times: int = 7) -> str:
    """A loop of a report a second for 20 s, and a script that prints every ten what ``ps`` tells of it."""
    lines = [f"[{clock(0)}] nightly begins\n"]
    lines += [f"step {n}/900 loss {2 / (1 + n / 9):.4f}\n" for n in range(1, 12)]
    lines += [f"[{clock(10)}] 31894 R          00:10 00:00:04 -\n"]
    lines += [f"step {n}/900 loss {2 / (1 + n / 9):.4f}\n" for n in range(12, 24)]
    for seconds in range(20, 20 + 10 * times, 10):
        run = f"{seconds // 60:02}:{seconds % 60:02}"
        lines.append(f"[{clock(seconds)}] 31894 {state}  {run} {used} {sleeps}\n")
    return "".join(lines)


def test_a_process_that_sleeps_and_uses_no_processor_stands(tmp_path: Path) -> None:
    left = f"[{clock(92)}] training returned 124\n"
    told = judged(tmp_path / "a", watched() + left)
    assert told.family == "C3"
    assert "slept in anon_pipe_read" in told.headline
    # It runs; its processor time is not told, or it never used any; it waits for its child; too few looks.
    for at, other in enumerate(
        (
            watched(state="R", sleeps="-"),
            watched(used=""),
            watched(used="00:00:00"),
            watched(sleeps="do_wait"),
            watched(times=3),
        )
    ):
        assert judged(tmp_path / f"b{at}", other + left).family is None, at


def test_reports_between_somebody_elses_clocks_tell_no_slow_cadence(tmp_path: Path) -> None:
    lines = [f"[{clock(0)}] nightly begins\n"]
    lines += [f"step {n}/900 loss {2 / (1 + n / 9):.4f}\n" for n in range(1, 12)] + [f"[{clock(10)}] disk 40%\n"]
    lines += [f"step {n}/900 loss {2 / (1 + n / 9):.4f}\n" for n in range(12, 24)] + [f"[{clock(20)}] disk 40%\n"]
    text = "".join(lines)
    stood = judged(
        tmp_path / "a", text + f"[{clock(240)}] the time limit of 4 min is up\n[{clock(241)}] training returned 124\n"
    )
    assert "still advancing" not in stood.headline


# --- an error that was noted before training began --------------------------------------------------------------------
NOTED = """[{clock}][roofs][ERROR] - statistics could not be read from cache/stats.json, they are counted
Traceback (most recent call last):
  File "/home/u/roofs/train.py", line 61, in statistics
    kept = json.loads(path.read_text())
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 14 (char 13)
"""


def test_an_error_that_is_noted_before_the_banner_of_the_training_did_not_end_it(tmp_path: Path) -> None:
    noted = NOTED.format(clock=clock(0))
    trained = "GPU available: False, used: False\n" + "".join(
        f"[{clock(3 + n)}][roofs][INFO] - epoch {n}: val_loss {1.6 / (1 + n):.4f} val_acc {0.2 + n / 20:.4f}\n"
        for n in range(8)
    )
    done = "`Trainer.fit` stopped: `max_epochs=8` reached.\n"
    assert judged(tmp_path / "a", noted + trained + done).family == "G1"
    # Nothing came after it; or something failed.
    assert judged(tmp_path / "b", noted, 1).family == "A1"


# --- clocks, tables, records ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("gap", [" ", "T", "_", ","])
def test_a_clock_may_have_a_comma_between_day_and_time(tmp_path: Path, gap: str) -> None:
    (tmp_path / "clip.log").write_text(
        "".join(
            f"2026-11-02{gap}10:04:{n:02} | INFO | Train Epoch: 0 [{n}/90 (1%)] Loss: {6.9 - n / 20:.4f}\n"
            for n in range(1, 20)
        )
    )
    told = import_logs([tmp_path / "clip.log"]).scan("log_lines").collect()["ts_ns"]
    assert told.null_count() == 0
    assert (told[-1] - told[0]) / 1e9 == 18


def test_a_drawn_table_may_tell_when_a_row_was_done(tmp_path: Path) -> None:
    rows = "".join(
        f"│ {n:5} │ 2026-11-02 20:{15 + n}:52 │ {0.6 / (1 + n / 9):10.4f} │ {0.5 / (1 + n / 9):8.4f} │ 10.7 GiB │\n"
        for n in range(1, 21)
    )
    read = steps(tmp_path, f"run 7\n┃ epoch ┃            finished ┃ train loss ┃ val loss ┃  GPU mem ┃\n{rows}")
    assert read["step"].to_list() == [*range(1, 21)]
    assert read["eval_loss"].null_count() == 0


def _records(key: str, time: str = "ts") -> str:
    return "".join(
        f'{{"{time}": "2026-10-13T10:05:{n:02}.318+08:00", "{key}": "shard {n} is read", "lines": {n * 7}}}\n'
        for n in range(1, 60)
    )


def read_as_logs(folder: Path) -> list[str]:
    return [report.name for report in import_paths([folder]).report.files if report.kind == "log"]


@pytest.mark.parametrize("key", ["event", "msg", "evt", "phase"])
def test_records_of_events_are_a_log_whatever_the_file_is_called(tmp_path: Path, key: str) -> None:
    (tmp_path / "airway-204417.jsonl").write_text(_records(key))
    assert read_as_logs(tmp_path) == ["airway-204417.jsonl"]


def test_records_that_tell_no_time_are_no_log(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text(_records("event", time="id"))
    (tmp_path / "job.log").write_text("step 1 loss 2.0\n" * 20)
    assert read_as_logs(tmp_path) == ["job.log"]


# --- a state that was not taken, a chain ------------------------------------------------------------------------------
def resumed(loss: float, right: float, saved: float = 0.679) -> str:
    head = f"resumed from ckpt/last.pt: epoch 10, step 2500, loss 1.2828, R@1 {saved}, saved 2026-11-29 08:59:14\n"
    return head + "".join(
        f"epoch {11 + n // 10} step {2525 + 25 * n} loss {loss * (1 - n / 200):.4f} R@1 {right + n / 300:.3f}\n"
        for n in range(40)
    )


def test_a_second_measure_shows_that_the_weights_were_not_what_was_saved(tmp_path: Path) -> None:
    told = judged(tmp_path / "a", resumed(5.0, 0.008), 0)
    assert told.family == "E2"
    assert "R@1 at 0.008, not 0.679" in told.headline
    # Harder data raise the loss and leave much of what was right; or it was no better before.
    assert judged(tmp_path / "b", resumed(5.0, 0.45), 0).family != "E2"
    assert judged(tmp_path / "c", resumed(5.0, 0.008, saved=0.01), 0).family != "E2"


def clip(begin: int, resumes: str, epochs: int) -> str:
    day = f"2026-11-{begin:02}"
    head = f">> torchrun -m open_clip_train.main --epochs 8 --resume latest\n{day},08:47:29 | INFO | {resumes}\n"
    return head + "".join(
        f"{day},{9 + e:02}:{b:02}:40 | INFO | Train Epoch: {e} [{b * 40000}/2400256 ({b}%)] "
        f"Loss: {7 / (1 + (e + b / 60) ** 0.5):.4f}\n"
        for e in range(epochs)
        for b in range(60)
    )


def test_open_clip_says_that_it_found_no_latest_checkpoint_where_one_was_asked_for(tmp_path: Path) -> None:
    none = "No latest resume checkpoint found in ./logs/2026_11_04-model/checkpoints."
    cut = "slurmstepd: error: *** JOB 51877 ON hpc-g21 CANCELLED AT 2026-11-02T14:36:22 ***\n"
    told = judged(tmp_path / "a", clip(2, none, 5) + cut + clip(4, none, 2))
    assert told.family == "E2"
    # The first of all runs finds none either.
    assert judged(tmp_path / "b", clip(2, none, 5)).family != "E2"


def chained(dep: str) -> dict[str, str]:
    def log(job: int, after: str, steps: int) -> str:
        head = f"== Wed Nov 11 2026 == sorrel-gpu04 job={job} dep={after}\ntorchrun train.py --out runs/{job}\n"
        return head + "".join(f"step {n}/1800 loss {3 / (1 + n / 300):.4f}\n" for n in range(10, steps + 1, 10))

    cut = "slurmstepd: error: *** JOB 771204 ON sorrel-gpu04 CANCELLED AT 2026-11-12T01:11:22 DUE TO TIME LIMIT ***\n"
    return {"algebra-771204.log": log(771204, "none", 890) + cut, "algebra-771209.log": log(771209, dep, 1800)}


@pytest.mark.parametrize(("dep", "family"), [("afterany:771204", "E2"), ("none", None)])
def test_a_job_that_waited_for_another_and_began_anew_lost_its_work(tmp_path: Path, dep: str, family: Any) -> None:
    told = named(tmp_path, chained(dep))
    assert (told.family == "E2") is (family == "E2"), told.headline


# --- what Keras draws is no time without a name -----------------------------------------------------------------------
def test_a_bar_of_keras_tells_the_time_of_a_step(tmp_path: Path) -> None:
    def bar(e: int, b: int) -> str:
        shown = f"\x1b[1m{b:3}/110\x1b[0m \x1b[37m━━━━━━━━━━\x1b[0m \x1b[1m1s\x1b[0m {90 + b % 7}ms/step"
        return f"{shown} - accuracy: 0.9 - loss: {2 / (e + b / 110):.4f}\n"

    text = "".join(f"Epoch {e}/12\n" + "".join(bar(e, b) for b in range(1, 111, 6)) for e in range(1, 13))
    told = judged(tmp_path, text, 0)
    assert told.family != "D1"
    assert "without a name" not in told.headline

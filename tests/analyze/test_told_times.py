"""Where a program says that its time went: times of any name and language, and the whole that they are of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.told_times import EVALUATION, timed_lines, told_times
from inquest.bundle.logs_import import import_logs
from inquest.bundle.timers import COMPUTE, DATA, SAVE

if TYPE_CHECKING:
    from pathlib import Path


def told(folder: Path, text: str, exit_code: int | None = None) -> str:
    """The family, or the outcome, and which part of it."""
    (folder / "job.log").write_text(text)
    found = analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]
    return f"{found.family or found.outcome} {found.sub_mode or ''}".strip()


@pytest.mark.parametrize(
    ("text", "part", "share"),
    [
        # beside the computing, in words of any language, with the unit at each number
        ("passo 1/48 perda 144.996 (rec 144.989, kl 0.068) leitura 1.060s cálculo 0.007s", DATA, 0.993),
        ("step 5 loss 1.2  get batch 7.24s  fwd/bwd 0.12s", DATA, 0.984),
        ("[timing] time blocked in next(dataloader_train): 560.5 s, train_step: 82.4 s", DATA, 0.872),
        ("读取 3.2 秒 计算 0.4 秒", DATA, 0.889),
        # of a whole that is told, whose unit its parts take where they add up to it
        ("it 200/400 l1 0.04 iter 3.547 s [next_batch 3.345 h2d 0.006 fwd+bwd 0.188 step 0.008]", DATA, 0.943),
        ("época 3 concluída em 25.7s, 25.6s à espera de dados", DATA, 0.996),
        ("loader 0.47/15.63 s", DATA, 0.030),
        ("waited 26.1 of 36.3 s on loader", DATA, 0.719),
        ("finished 240 steps in 85.5s, of which dev 81.7s", EVALUATION, 0.956),
        ("step 4 loss 0.43 data_ms 340.1 step_ms 360.2", DATA, 0.944),
        ("checkpoint write 9.0 s, forward 1.0 s", SAVE, 0.9),
        ("time by stage: next_batch 93.8 %  h2d 0.2 %  fwd+bwd 5.7 %  step 0.3 %", DATA, 0.938),
    ],
)  # fmt: skip
def test_a_part_and_the_whole(text: str, part: str, share: float) -> None:
    read = told_times(text)
    assert read is not None
    assert read.parts[part] / read.whole == pytest.approx(share, abs=2e-3)


@pytest.mark.parametrize(
    "text",
    [
        "Epoch time: 646.01 s",  # a whole, and no part of it
        "data 3.1 s",  # a part, and of what it is is not told
        "read 5.1 s of 4.0 s",  # no part is more than all
        "step 10 loss 0.4 lr 0.01",
        "throughput 410.2 img/s, 3.3 it/s",
        "accuracy 93.8 %, top5 6.2 %",  # they add up, and are no times
    ],
)
def test_what_tells_no_part_of_a_time(text: str) -> None:
    assert told_times(text) is None


def test_times_that_no_part_of_a_step_is() -> None:
    """What is left, or has passed since the start, is no part; an unknown word may be one."""
    read = told_times("epoch 3 took 33 s (eta 400 s), val 2.3 s")
    assert read is not None
    assert read.whole == 33
    read = told_times("read 3.1 s, h2d 0.2 s")
    assert read is not None
    assert not read.sure  # what else was done is not told
    read = told_times("read 3.1 s, compute 0.2 s")
    assert read is not None
    assert read.sure
    assert set(read.parts) == {DATA, COMPUTE}


def _loop(form: str, reports: int = 24) -> str:
    return "".join(form.format(k=k, v=4 / k) + "\n" for k in range(1, reports + 1)) + "training finished\n"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("passo {k}/24 perda {v:.4f} leitura 1.060s cálculo 0.007s", "D1"),
        ("passo {k}/24 perda {v:.4f} leitura 0.060s cálculo 1.007s", "G1"),
        ("step {k}/24 loss {v:.4f}\n  get batch 7.24s  fwd/bwd 0.12s", "D1"),
        ("step {k}/24 loss {v:.4f}\n  get batch 0.24s  fwd/bwd 7.12s", "G1"),
        # what is not told may have been computing: no claim, and no health either
        ("step {k}/24 loss {v:.4f}\n  read 7.24s  h2d 0.12s", "cannot_decide"),
        # milliseconds are nobody's stall, and yet no health
        ("step {k}/24 loss {v:.4f}\n  get batch 240ms  fwd/bwd 12ms", "cannot_decide"),
        # most of it was evaluated
        ("epoch {k}/24 loss {v:.4f}\n  train 12.0 s, evaluation 88.0 s", "D2 evaluations"),
        ("epoch {k}/24 loss {v:.4f}\n  train 22.0 s, evaluation 78.0 s", "cannot_decide"),
        ("epoch {k}/24 loss {v:.4f}\n  train 88.0 s, evaluation 12.0 s", "G1"),
    ],
)
def test_a_run_that_says_where_its_time_went(tmp_path: Path, form: str, expected: str) -> None:
    assert told(tmp_path, _loop(form), 0) == expected


@pytest.mark.parametrize(("save_s", "expected"), [(0.8, "D2 save_storm"), (0.05, "G1")])
def test_keras_says_when_a_save_begins_and_ends(tmp_path: Path, save_s: float, expected: str) -> None:
    """Of saves after every batch only some take long: what they took in all counts, not the median of them."""
    at = datetime(2026, 11, 25, 2, 42, tzinfo=UTC)
    lines = []
    for epoch in (1, 2, 3):
        lines.append(f"Epoch {epoch}/3")
        for batch in range(48):
            lines.append(f"{at.isoformat()} Epoch {epoch}: saving model to ckpt/faces-0{epoch}.keras")
            at += timedelta(seconds=save_s if batch % 2 else 0.3 * save_s)
            lines.append(f"{at.isoformat()} Epoch {epoch}: finished saving model to ckpt/faces-0{epoch}.keras")
            at += timedelta(seconds=0.3)
        lines.append(f"{at.isoformat()} 48/48 - 30s - 600ms/step - loss: {2 / epoch:.4f} - val_loss: {2.1 / epoch:.4f}")
    assert told(tmp_path, "\n".join([*lines, "finished"]), 0) == expected


def test_a_column_of_seconds_that_is_called_step_counts_nothing(tmp_path: Path) -> None:
    """``t,update,mse,lr,read,step``: what is counted is whole, and rises."""
    rows = "".join(f"{0.9 * k:.2f},{k},{4 / k:.6e},{0.01 * (25 - k):.4e},0.018,0.{500 + 7 * k}\n" for k in range(1, 25))
    assert told(tmp_path, f"# all times in seconds\nt,update,mse,lr,h5read,step\n{rows}# end, 41.3 s\n", 0) == "G1"


def test_a_table_is_read_under_its_head() -> None:
    """A clock that runs on beside parts that do not is of no step; the head tells the unit."""
    head = ["   Schritt    RMSE(E) [meV]    |Grad|    Wanduhr [s]    Lesen [s]   Rechnen [s]", " " + 80 * "-"]
    form = "   {0:8d}    {1:.6E}   0.1E+01   {2:10.2f}   {3:8.3f}    {4:8.3f}"
    rows = [form.format(10 * k, 4 / k, 7.3 * k, 5 + (-1) ** k / 50, 2 + (-1) ** k / 50) for k in range(1, 9)]
    read = timed_lines([*head, *rows])
    assert [row for row, _ in read] == list(range(2, 10))
    assert read[0][1].parts[DATA] / read[0][1].whole == pytest.approx(5 / 7, abs=2e-3)
    assert read[0][1].timed


@pytest.mark.parametrize(
    "lines",
    [
        ["step: 9", "loss: 0.18", "time:", "  total: 11.34s", "  waitingForVolume: 9.75s", "---"],
        ["│   t_zarr_wait = 97.5 s", "└   t_grad = 15.9 s", "."],
        ["Loaded: 97.5 seconds", "100: 6.67, 6.67 avg, 0.0001 rate, 15.9 seconds, 12800 images"],
        ["cost=1.29 blocked_on_readers=1m26.189s busy=13.947s"],
        ['{"event": "train", "step": 985, "huber": 0.386, "ms": {"s3_blocked": 4399.0, "compute": 680.4}}'],
    ],
)
def test_what_stands_one_a_line_or_in_a_few_units(lines: list[str]) -> None:
    (_, read), *_ = timed_lines(lines)
    assert read.parts[DATA] / read.whole == pytest.approx(0.86, abs=0.01)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("iter 470: bpc 14.3, time 913.23ms, get_batch 78.6% of it", 0.786),
        ("17,41 s, davon 71,3 % Warten auf die Datenbank", 0.713),
        ("data 78.6%, 12 shards", None),  # how far its loading is
    ],
)
def test_a_share_of_the_time(text: str, share: float | None) -> None:
    read = told_times(text)
    assert (None if read is None else read.parts[DATA] / read.whole) == pytest.approx(share)


@pytest.mark.parametrize(
    ("form", "end", "expected"),
    [
        # by times of day, by times since the start, by what the end says, by what each step says
        ("[05:{m:02d}:16] step {k}/24 loss {v:.4f}\nsaved w_{k}.pt, took {s:.1f}s", "", "D2 save_storm"),
        ("step {k}/24 loss {v:.4f} elapsed {e:.1f} s\nsaved w_{k}.pt, took {s:.1f}s", "", "D2 save_storm"),
        ("step {k}/24 loss {v:.4f}\nsaved w_{k}.pt, took {s:.1f}s", "all done in 0h 24m\n", "D2 save_storm"),
        ("step {k}/24 loss {v:.4f} forward 10.0 s data 0.1 s\nsaved w_{k}.pt, took {s:.1f}s", "", "D2 save_storm"),
    ],
)
@pytest.mark.parametrize("save_s", [45.0, 0.5])
def test_what_saves_took_by_whichever_clock_there_is(
    tmp_path: Path, form: str, end: str, expected: str, save_s: float
) -> None:
    text = "".join(form.format(k=k, v=4 / k, m=k, e=60.0 * k, s=save_s) + "\n" for k in range(1, 25))
    assert told(tmp_path, f"{text}training finished\n{end}", 0) == (expected if save_s > 1 else "G1")


@pytest.mark.parametrize(("seconds", "expected"), [(48, "cannot_decide"), (4, "G1")])
def test_evaluations_that_took_most_of_the_time(tmp_path: Path, seconds: int, expected: str) -> None:
    form = "(Jul 03 20:{m:02d}:00) step {k}/24 loss {v:.4f}\n(Jul 03 20:{m:02d}:50) Dev loss {v:.4f} ({s} s)\n"
    text = "".join(form.format(k=k, v=4 / k, m=k, s=seconds) for k in range(1, 25))
    assert told(tmp_path, f"{text}Training finished.\n", 0) == expected

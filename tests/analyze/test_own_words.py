"""What programs say in words of their own, as voices showed whose authors had not read the engine; near misses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

from .standing_logs import evaluating

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _verdict(folder: Path, text: str, status: int | None = None) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "train.log").write_text(text)
    return analyze(import_logs([folder], exit_code=status), strict=True)[0]


# --- silences ------------------------------------------------------------------------------------------------------


def _until_the_limit(ended: str, last: int = 25) -> str:
    reports = "".join(f"20:37:{4 + 2 * n:02} batch {n}/400 loss {2.4 - 0.02 * n:.4f}\n" for n in range(1, last + 1))
    return f"{reports}slurmstepd: error: *** JOB 48214 ON hx01 CANCELLED AT 2026-11-24T{ended} DUE TO TIME LIMIT ***\n"


def test_a_silence_out_of_all_proportion_is_no_slow_run(tmp_path: Path) -> None:
    hung = _verdict(tmp_path / "a", _until_the_limit("22:49:17"))
    assert (hung.family, hung.confidence < 0.5) == ("C3", True)
    assert "stood still" in hung.headline
    # Of several ranks, one may have waited for another.
    spread = _verdict(tmp_path / "d", "DDP over 4 GPUs\n" + _until_the_limit("22:49:17"))
    assert (spread.outcome, "stood still" in spread.headline) == ("cannot_decide", True)
    assert _verdict(tmp_path / "b", _until_the_limit("20:37:56")).family == "F3"
    few = _verdict(tmp_path / "c", _until_the_limit("20:39:10", last=6))  # a save or an evaluation after a few steps
    assert few.family == "F3"


def test_who_cancels_a_job_long_after_it_fell_silent_only_buries_it(tmp_path: Path) -> None:
    def cancelled(at: str) -> str:
        return _until_the_limit(at).replace(" DUE TO TIME LIMIT", "")

    hung = _verdict(tmp_path / "a", cancelled("22:49:17"))
    assert (hung.family, hung.confidence < 0.5) == ("C3", True)
    assert "until it was cancelled" in hung.headline
    count = next(one for one in hung.claims if one.text == "Lines that speak of several ranks")
    assert (count.value, "REGEXP_MATCHES" in count.sql) == (0, True)
    assert _verdict(tmp_path / "b", cancelled("20:39:10")).outcome != "decided"  # a person may end what works
    spread = _verdict(tmp_path / "c", "DDP over 4 GPUs\n" + cancelled("22:49:17"))
    assert (spread.outcome, spread.family) == ("cannot_decide", None)


def test_a_job_that_had_told_little_has_to_be_silent_for_long(tmp_path: Path) -> None:
    hung = _verdict(tmp_path / "a", _until_the_limit("22:49:17", last=4))
    assert hung.outcome == "cannot_decide"


# --- reports by the form of their lines ----------------------------------------------------------------------------


def _loss(n: int, of: int = 40) -> float:
    return 3.1 * math.exp(-3 * n / of) + 0.4 + 0.02 * ((n * 7) % 5 - 2)


def _told(
    line: Callable[[int, float], str], loss: Callable[[int], float] = _loss, end: str = "", head: str = ""
) -> str:
    return head + "".join(f"{line(n, loss(n))}\n" for n in range(1, 41)) + end


PROGRAMS: Final[dict[str, Callable[[int, float], str]]] = {
    "a sentence": lambda n, x: f"At step {25 * n} I find a mean squared residual of {x:.4f}.",
    "units behind": lambda n, x: f"  {0.41 * n:.2f} M tok   {x:.4f} nats/tok   10.4K tok/s",
    "bits": lambda n, x: f"      {8192 * n:_} chars   {x:.4f} bits/char   2093 chars/sec",
    "letters that count": lambda n, x: (
        f"e{n // 10:03} b{10 * (n % 10):05} cls {x / 3:.4f} box {x / 1.5:.4f} sum {x:.4f}"
    ),
    "a percentage": lambda n, x: f"{2.5 * n:6.2f} %   rms error {x:.4f}",
    "a total of its parts": lambda n, x: f"lap {n}/40 mel {x * 0.8:.4f} + gate {x * 0.2:.4f} = {x:.4f}",
    "records": lambda n, x: f'{{"k": "trn", "n": {n}, "focal": {x:.5f}, "eta": 0.01}}',
    "two lines": lambda n, x: (
        f"──── step {25 * n} of 1000 ────\n     world model {x:.4f}   (image {x * 0.7:.4f} kl {x * 0.3:.4f})"
    ),
    "one value a line": lambda n, x: f"---\nkind: training\nupdate: {20 * n}\nhuber: {x:.4f}",
    "another language": lambda n, x: f"итер. {n:6}: невязка {x:.4e}, |град| 1.1e+00, шаг 5.0e-05",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_falls_under_a_count_is_a_loss_in_whatever_words(tmp_path: Path, name: str) -> None:
    well = _verdict(tmp_path / "a", _told(PROGRAMS[name], end="That was the last step. Good bye.\n"), 0)
    assert well.family == "G1"
    assert "the loss fell" in well.headline
    broke = _verdict(tmp_path / "b", _told(PROGRAMS[name], lambda n: _loss(n) if n < 22 else math.nan), 0)
    assert broke.family in ("E1", None)
    assert broke.family == "E1" or name in ("a total of its parts", "two lines")  # a part of it may be what is NaN


def test_columns_are_called_by_the_line_above_them(tmp_path: Path) -> None:
    head = "      iter        total       energy        force           lr\n----------  -----------  -----------\n"

    def row(n: int, x: float) -> str:
        return f"{20 * n:10}  {x:.5e}  {x * 0.6:.5e}  {x * 0.4:.5e}    9.9e-04"

    end = "\nfit complete: 800 iterations, 2676.9 s wall\n"
    assert _verdict(tmp_path / "a", _told(row, head=head, end=end), 0).family == "G1"
    assert _verdict(tmp_path / "b", _told(row, lambda n: _loss(n) * (1 if n < 20 else 30), head=head), 0).family == "E1"


@pytest.mark.parametrize(
    "line",
    [
        lambda n, x: f"downloading shard {n}/40, {x:.3f} GB left",
        lambda n, x: f"converted {100 * n} files, {x:.2f} MB/s",
        lambda n, x: f"worker {n}: free memory {x:.3f} GB",
    ],
)
def test_other_things_that_count_and_fall_are_no_training(tmp_path: Path, line: Callable[[int, float], str]) -> None:
    told = _verdict(tmp_path / "a", _told(line, end="done\n"), 0)
    assert "loss" not in told.headline


def test_the_return_of_a_player_is_not_its_loss(tmp_path: Path) -> None:
    def line(n: int, x: float) -> str:
        played = f"frames {819200 * n:12,} ( {2.5 * n:4.1f}%) fps   25667"
        return f"{played} | ret {900 - 200 * x:8.2f} | v_loss {x:8.4f} | kl 0.0157"

    told = _verdict(tmp_path / "a", _told(line, end="frame budget used up, closing envs\n"), 0)
    assert told.family == "G1"
    assert "the loss fell from 3" in told.headline


def test_an_evaluation_that_counts_otherwise_is_no_step_back(tmp_path: Path) -> None:
    text = ""
    for n in range(1, 41):
        text += f"Chunk {10 * n}: objective={_loss(n):.5f}, last 10 chunks in 236 ms\n"
        text += f"Cycle {n // 8}: objective on control group={_loss(n) * 1.04:.5f}\n" if n % 8 == 0 else ""
    told = _verdict(tmp_path / "a", text + "Job FACTORIZE completed, duration 00:10:26\n")
    assert told.family == "G1"


# --- words of a start, an epoch and an end -------------------------------------------------------------------------


def _fairseq(loss: Callable[[int], float]) -> str:
    text = (
        "2026-06-25 00:35:10 | INFO | fairseq.trainer | No existing checkpoint found checkpoints/checkpoint_last.pt\n"
    )
    for epoch in range(1, 6):
        text += f"2026-06-25 00:{35 + epoch}:28 | INFO | fairseq.trainer | begin training epoch {epoch}\n"
        for n in range(10):
            step = 10 * (epoch - 1) + n + 1
            text += (
                f"2026-06-25 00:{35 + epoch}:{30 + n} | INFO | train_inner | epoch {epoch:03}: {n + 1:6} / 10"
                f" loss={loss(step):.3f}, ppl=9.1, wps=465.1, num_updates={step}, lr=9.9e-05, gnorm=1.411\n"
            )
    return text + "2026-06-25 00:45:19 | INFO | fairseq_cli.train | done training in 600.7 seconds\n"


def test_fairseq_begins_each_epoch_and_only_one_training(tmp_path: Path) -> None:
    assert _verdict(tmp_path / "a", _fairseq(_loss), 0).family == "G1"
    diverged = _verdict(tmp_path / "b", _fairseq(lambda n: _loss(n) if n < 20 else 90.0 + n % 5), 0)
    assert diverged.family == "E1"


@pytest.mark.parametrize(
    ("named", "family"),
    [
        ("levanter.main.train_lm - train_lm.py:204 - INFO :: ", "G1"),
        ("levanter.trainer - trainer.py:347 - WARNING :: Restore was requested. ", "E2"),
        ("mylib.trainer - trainer.py:347 - WARNING :: ", None),  # whoever else says so may have been told to load
    ],
)
def test_levanter_looks_for_a_checkpoint_at_every_start(tmp_path: Path, named: str, family: str | None) -> None:
    def line(n: int, x: float) -> str:
        count = f"{n}.00it" if n < 10 else f"{n}.0it"
        told = f"{count}/40.0it rate:3.2it/s remaining:00:27 elapsed:02:14 postfix:loss={x:.3g}"
        return (
            f"2026-11-05T11:11:{n:02} - 0 - levanter.callbacks - tqdm_logging.py:145 - INFO :: Progress on:train {told}"
        )

    head = f"2026-11-05T11:10:11 - 0 - {named}No checkpoint found. Starting from scratch.\n"
    assert _verdict(tmp_path, _told(line, head=head), 0).family == family


@pytest.mark.parametrize(
    ("seat", "family"),
    [
        ("[0/2]", "G1"),  # the rank and how many there are
        ("[1/8]", None),  # a fold, of eight
        ("[{n}/80]", None),  # it moves: steps, of eighty
    ],
)
def test_a_rank_before_the_words_of_a_line_is_no_step(tmp_path: Path, seat: str, family: str | None) -> None:
    text = ""
    for n in range(40):
        begin = f"2026-11-28 17:08:{n:02},844 INFO    {seat.format(n=n)} bikes: epoch {n // 10} "
        text += f"{begin}step {50 * (n % 10 + 1)}/500 loss {_loss(n):.4f}\n" if "{" not in seat else ""
        text += f"{begin}done in 2.3s: train mse {_loss(n):.4f}\n" if "{" in seat or n % 10 == 9 else ""
    assert _verdict(tmp_path, text, 0).family == family


def test_a_record_with_a_step_and_an_epoch_is_one_report(tmp_path: Path) -> None:
    def line(n: int, x: float) -> str:
        counted = f'"event": "train_step", "step": {50 * n}, "epoch": {n // 8}'
        return f'{{"level": "info", {counted}, "loss": {x:.5f}, "lr": 0.001}}'

    told = _verdict(tmp_path / "a", _told(line, end='{"event": "train_end"}\n'), 0)
    assert "the loss fell" in told.headline
    history = '{"history": [{"epoch": 1, "loss": 2.1}, {"epoch": 2, "loss": 1.1}, {"epoch": 3, "loss": 0.4}]}\n'
    assert "the loss fell" not in _verdict(tmp_path / "b", history * 12, 0).headline


def test_the_one_batch_that_is_told_of_each_epoch_tells_of_it(tmp_path: Path) -> None:
    def line(n: int, x: float) -> str:
        return (
            f"[06/09/2026 15:{n:02}:47 INFO 140235] Epoch[{n}] Batch [50]#011Speed: 12.57 samples/sec#011loss={x:.6f}"
        )

    diverged = _told(line, lambda n: _loss(n) * (1 if n < 20 else 40))
    assert _verdict(tmp_path / "a", diverged, 0).family == "E1"


def test_a_run_that_counts_on_and_learns_as_from_nothing_is_not_called_healthy(tmp_path: Path) -> None:
    def line(n: int, x: float) -> str:
        return f"step {1000 + 25 * n}/2000 loss {x:.4f}"

    anew = _verdict(tmp_path / "a", _told(line, end="training complete\n"), 0)
    assert anew.outcome == "cannot_decide"
    goes_on = _told(line, lambda n: 0.6 - 0.005 * n, end="training complete\n")
    assert _verdict(tmp_path / "b", goes_on, 0).family == "G1"


# --- where the time went -------------------------------------------------------------------------------------------

WAITS: Final[dict[str, Callable[[float], str]]] = {
    "of": lambda w: f"waited {w:.2f} of 40.00 s on loader",
    "of which": lambda w: f"wall 40.00 s, of which zarr read {w:.2f} s",
    "a share": lambda w: f"filterbank I/O {w / 0.4:.0f} %",
    "laid out": lambda w: f"[step 40000.0 ms: shards {1000 * w:.1f} ms, rest {1000 * (40 - w):.1f} ms]",
}


@pytest.mark.parametrize("name", WAITS)
def test_waits_told_as_a_part_of_the_time(tmp_path: Path, name: str) -> None:
    def text(waited: float) -> str:
        return _told(lambda n, x: f"step {n}/40 loss {x:.4f} {WAITS[name](waited)}", end="training complete\n")

    assert _verdict(tmp_path / "a", text(36.0), 0).family != "G1"
    assert _verdict(tmp_path / "b", text(1.2), 0).family == "G1"


def test_what_a_share_is_of_may_be_something_else(tmp_path: Path) -> None:
    text = _told(lambda n, x: f"step {n}/40 loss {x:.4f}", end="training complete\n")
    bars = "".join(f"Loading weights: {10 * n}%|####      | {n}/10 [00:00<00:00, 9.1it/s]\n" for n in range(1, 11))
    assert (
        _verdict(tmp_path / "a", bars + text.replace("loss", f"\n{bars.splitlines()[-1]}\nloss", 9), 0).family != "D1"
    )


def _saving(seconds: float) -> str:
    text, at = "", 0.0
    for n in range(1, 41):
        at += 10
        clock = f"{9 + int(at // 3600):02}:{int(at // 60) % 60:02}:{int(at % 60):02}"
        text += f"2026-03-01 {clock} batch {n}/40 loss {_loss(n):.4f}\n"
        at += seconds
        text += f"model written to opus_{n}.bin, took {seconds:.1f} s\n"
    return text + "training complete\n"


def test_saves_in_words_of_its_own(tmp_path: Path) -> None:
    storm = _verdict(tmp_path / "a", _saving(30.0), 0)
    assert (storm.family, storm.sub_mode) == ("D2", "save_storm")
    assert _verdict(tmp_path / "b", _saving(1.0), 0).family == "G1"


@pytest.mark.parametrize(
    ("before", "family"),
    [
        ("loss={x:.3f}| sh degree=3| : ", "G1"),
        ("loss={x:.3f} | lr=3e-4 | ", "G1"),
        ("val loss={x:.3f}| sh degree=3| : ", None),  # of no training
        ("d_loss={x:.3f}| step time=3| : ", "G1"),  # of one who plays against another: no curve
        ("loss={y:.3f}| sh degree=3| : ", "E1"),
    ],
)
def test_a_bar_tells_its_loss_between_strokes(tmp_path: Path, before: str, family: str | None) -> None:
    def state(n: int) -> str:
        told = before.format(x=_loss(n), y=_loss(n) if n < 20 else float("nan"))
        return f"{told}{100 * n // 40:3}%|####  | {n}/40 [00:{n:02}<00:{40 - n:02}, 1.00it/s]"

    verdict = _verdict(tmp_path, "\r".join(state(n) for n in range(1, 41)) + "\n")
    assert verdict.family == family
    assert ("the loss fell" in verdict.headline) is (family == "G1" and before.startswith("loss"))


# --- files that bear the count of the reports ------------------------------------------------------------------------


def _with_files(line: str, ratio: float = 1.0, took: float = 60.0, clocks: bool = True, times: int = 30) -> str:
    """Reports of every hundredth step, half a minute of steps each, and a file below each of them."""
    out, second = "", 0.0
    for n in range(1, times + 1):
        second += 30
        out += f"{_clock(second) if clocks else ''}schritt {100 * n}/{100 * times} verlust {2.5 * 0.93**n + 0.1:.4f}\n"
        second += took + n % 5
        name = int(100 * n * ratio)
        out += f"{_clock(second) if clocks else ''}{line.format(n=name, took=took + n % 5)}\n"
    return out + "fertig\n"


def _clock(second: float) -> str:
    whole = int(second)
    return f"2026-03-01 {8 + whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d} "


FILES: Final = (
    "  >> gewichte.{n:08d} abgelegt [{took:.1f} s]",
    "put net_{n}.jld2 aside ({took:.2f}s)",
    "kept W{n:06d}.onnx, that held us up for {took:.1f} sec",
)


@pytest.mark.parametrize("line", FILES)
@pytest.mark.parametrize("ratio", [1.0, 0.03125])
def test_a_file_that_bears_the_count_is_a_save_in_whatever_words(tmp_path: Path, line: str, ratio: float) -> None:
    told = _verdict(tmp_path / "a", _with_files(line, ratio), 0)
    assert (told.family, told.sub_mode) == ("D2", "save_storm")
    quick = _verdict(tmp_path / "b", _with_files(line, ratio, took=1.0), 0)
    assert quick.family == "G1"


def test_files_that_are_read_or_count_something_else_are_no_saves(tmp_path: Path) -> None:
    for name, line in {
        "read": "loaded net_{n}.mat ({took:.2f}s)",
        "data": "shard_{n}.tar ready ({took:.2f}s)",
        "gone": "deleted net_{n}.mat ({took:.2f}s)",
    }.items():
        assert _verdict(tmp_path / name, _with_files(line), 0).family != "D2", name
    shards = _with_files("fineweb_{n:06d}.bin open ({took:.2f}s)", 0.01)
    assert _verdict(tmp_path / "shards", shards, 0).family != "D2"


def _by_a_column(took: float, every: float = 20.0) -> str:
    """A table without names for its numbers, of which the third is the time since the start."""
    out, second = "", 0.0
    for n in range(1, 41):
        second += every + 0.01 * (n % 3)
        out += f"  {100 * n}   {2.5 * 0.93**n + 0.1:.5f}   {second:.2f}   0.6{n % 10}   20.{n % 7}\n"
        second += took + 3 * (n % 5)
        out += f"  >> gewichte.{100 * n:08d} geschrieben, Schreiben [s]   {took + 3 * (n % 5):.3f}\n"
    return "  Schritt   Verlust   Zeit   a   b\n" + out + "  fertig\n"


def test_a_column_is_a_clock_where_the_saves_show_it_to_be_one(tmp_path: Path) -> None:
    told = _verdict(tmp_path / "a", _by_a_column(60.0), 0)
    assert (told.family, told.sub_mode) == ("D2", "save_storm")
    assert _verdict(tmp_path / "b", _by_a_column(1.0, every=90.0), 0).family != "D2"
    # A number that grows by itself, as tokens in billions do, is no clock: how much of all the saves took is open.
    tokens = "".join(
        f"  {100 * n}   {2.5 * 0.93**n + 0.1:.5f}   {0.5 * n + 0.001:.3f}\n"
        f"  >> gewichte.{100 * n:08d} geschrieben, Schreiben [s]   {60 + n % 5:.3f}\n"
        for n in range(1, 41)
    )
    other = _verdict(tmp_path / "c", "  Schritt   Verlust   Mrd\n" + tokens + "  fertig\n", 0)
    assert (other.outcome, "by its own word" in other.headline) == ("cannot_decide", True)


# --- evaluations that take nearly all of the time -------------------------------------------------------------------


def test_a_job_that_does_little_else_than_evaluate_is_bound_by_it(tmp_path: Path) -> None:
    told = _verdict(tmp_path / "a", evaluating(8.7), 0)
    assert (told.family, told.sub_mode, told.confidence < 0.5) == ("D2", "evaluations", True)
    assert _verdict(tmp_path / "b", evaluating(0.3), 0).family == "G1"
    assert _verdict(tmp_path / "c", evaluating(2.0), 0).outcome == "cannot_decide"  # three quarters may be meant

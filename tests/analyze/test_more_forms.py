"""Forms of progress that few print, each with the line that looks like it and is none."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def falls(n: int) -> float:
    return 2.4 * (0.2 + 0.8 * math.exp(-n / 6))


def rows(form: str, reports: int = 20) -> str:
    return "".join(
        form.format(n=n, m=n + 1, s=10 * (n % 5 + 1), e=n // 5 + 1, h=100 * (n + 1), p=5 * (n + 1), loss=falls(n))
        + "\n"
        for n in range(reports)
    )


POD = "trainer-7f9c5d6b8-x2k4p train "
RESULTS = "     {n}/19     5.21G   0.0710   0.0510   0.0110    {loss:.4f}       121       640" + "    0.2140" * 7
NEQUIP = (
    "  Train      #    Epoch      wal       LR       loss_f       loss_e         loss        f_mae\n"
    "! Train               {m}   21.300    0.005       0.29     0.001        {loss:.3g}        0.12"
)
RAYS = "{h} ({p}.00%)       21.300 ms            10 m, 11 s             190.20 K"
KALDI = (
    "2026-03-11 09:10:11,312 [steps/nnet3/train.py:529 - train - INFO ] Iter: {m}/20   Jobs: 3   Epoch: 0.1/4.0"
    " ({p}.0% complete)   lr: 0.00100"
)


@pytest.mark.parametrize(
    ("text", "last", "losses"),
    [
        (rows("Epoch {m}: score (loss) = {loss:.5f}"), 20, 20),
        (rows("Epoch {m}: (best loss so far = none)"), None, 0),
        (rows("e{e} s{s} l{loss:.3f}"), 200, 20),
        (rows("[09:10:11] ep{e} b{s} l={loss:.3f} a=0.5"), 200, 20),
        (rows("e{e} s{s} r{loss:.3f}"), None, 0),  # what the last letter stands for is anybody's guess
        (rows(RESULTS), 20, 20),
        (rows("     {n}/19     5.21G   0.0710"), None, 0),
        (rows(NEQUIP), 20, 20),
        (rows(NEQUIP.partition("\n")[2]), None, 0),  # nothing names its columns
        (rows(RAYS), 2000, 0),
        (rows(KALDI), 20, 0),
        (f"+ {POD.replace(' train', ' › train')}\n{POD}epoch,train_loss\n" + rows(POD + "{m},{loss:.4f}"), 20, 20),
    ],
)
def test_rows_that_are_read(tmp_path: Path, text: str, last: int | None, losses: int) -> None:
    (tmp_path / "job.log").write_text(text)
    steps = parse_logs(import_logs([tmp_path]))["fact_steps"]
    assert (steps["step"].max(), steps["loss"].count()) == (last, losses)


def journal(message: str, at: int) -> str:
    fields = {"__REALTIME_TIMESTAMP": str(1_773_220_000_000_000 + at * 60_000_000), "_PID": "4411"}
    return json.dumps({**fields, "SYSLOG_IDENTIFIER": "python", "MESSAGE": message, "_HOSTNAME": "gpu07"}) + "\n"


@pytest.mark.parametrize(("names", "losses"), [("epoch,train_loss,lr", 20), ("epoch,width,lr", 0)])
def test_a_table_in_a_journal(tmp_path: Path, names: str, losses: int) -> None:
    table = [names, *(f"{n + 1},{falls(n):.4f},0.0003" for n in range(20))]
    (tmp_path / "unit.json").write_text("".join(journal(text, at) for at, text in enumerate(table)))
    assert parse_logs(import_logs([tmp_path]))["fact_steps"]["loss"].count() == losses


def trial(name: str, epoch: int, *, done: bool) -> str:
    told = f"trial {name} epoch {epoch}/12 loss {falls(epoch):.4f}\n"
    return f"{told}Result for fit_{name}:\n  done: {str(done).lower()}\n  training_iteration: {epoch}\n\n"


@pytest.mark.parametrize(("ends", "family"), [({"a": 6}, None), ({"a": 6, "b": 11}, "G1")])
def test_one_trial_that_is_done_while_another_runs(tmp_path: Path, ends: dict[str, int], family: str | None) -> None:
    told = (
        trial(name, epoch, done=ends.get(name) == epoch)
        for epoch in range(1, 12)
        for name in "ab"
        if epoch <= ends.get(name, 11)
    )
    (tmp_path / "tune.log").write_text("".join(told))
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


def test_trees_are_counted_from_nothing(tmp_path: Path) -> None:
    told = "".join(
        f"{n}:\tlearn: {falls(n // 100):.7f}\ttotal: {n}ms\tremaining: 9ms\n" for n in (*range(0, 900, 100), 899)
    )
    (tmp_path / "cat.log").write_text(told)
    assert "900 steps were done" in analyze(import_logs([tmp_path]), strict=True)[0].headline

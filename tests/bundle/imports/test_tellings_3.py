"""Texts that speak in no known words: reports of a loop are told from data, settings and code."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports import files
from inquest.bundle.imports.chosen import without_spares
from inquest.bundle.imports.told_reports import are_reports

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_CHANCE = random.Random(3)


def _rows(head: str, row: Callable[[int], str], count: int = 40) -> list[bytes]:
    return [line.encode() for line in (*head.splitlines(), *map(row, range(1, count + 1)))]


def _falls(at: int) -> float:
    return 2.0 / (1 + 0.05 * at) + 0.02 * _CHANCE.random()


REPORTS = {
    "blanks": _rows("fenster   kosten   dauer", lambda at: f"{at:5d}   {_falls(at):.4f}   0:03:{at % 60:02d}"),
    "hash": _rows("# iter error_ent norma", lambda at: f"{at:6d}  {_falls(at):.4f}  0.31"),
    "bars": _rows("ciclo | erro   | lote/s", lambda at: f"{at:4d} | {_falls(at):.4f} | 91.2"),
    "comma": _rows("", lambda at: f"runde {at} fehler {_falls(at):.4f}".replace(".", ",")),
    "clock": _rows("hh:mm  batches  xent", lambda at: f"{13 + at // 60}:{at % 60:02d}  172  {_falls(at):.3f}"),
    "han": _rows("", lambda at: f"第{at}周回 損失 {_falls(at):.4f}"),
    "sentence": _rows("", lambda at: f"sweep {at} took us to a misfit of {_falls(at):.4f}"),
    "gone": _rows("pas   perte", lambda at: f"{at}   {'nan' if at > 20 else f'{_falls(at):.4f}'}"),
}
OTHERS = {
    "a data set": _rows("id  height  weight", lambda at: f"{at}  {_falls(at):.2f}  {_falls(at):.2f}"),
    "prices": _rows("item  cost", lambda at: f"{at}  {_falls(at):.2f}"),
    "a measurement": _rows("time  volts", lambda at: f"12:{at:02d}:00  {_falls(at):.3f}"),
    "requirements": _rows("", lambda at: f"package{at}==1.{at}.0"),
    "settings": _rows("", lambda at: f"loss_weight_{at} = {_falls(at):.3f}"),
    "a vocabulary": _rows("", lambda at: f"token{at} {at} loss"),
    "code": _rows("", lambda at: f"    loss[{at}] = step({_falls(at):.2f});"),
    "a sweep of losses": _rows("lr  loss", lambda _: f"{_CHANCE.random():.4f}  {_CHANCE.random():.4f}"),
    "few": _rows("step  loss", lambda at: f"{at}  {_falls(at):.4f}", 4),
    "a count alone": _rows("step  loss", lambda at: f"{at}  7"),
    "notes": [b"The loss of step 3 was 0.5, we think.", b"", b"Cost of the epoch: high."] * 5,
}


@pytest.mark.parametrize("name", REPORTS)
def test_reports(name: str) -> None:
    assert are_reports(REPORTS[name])


@pytest.mark.parametrize("name", OTHERS)
def test_other_texts(name: str) -> None:
    assert not are_reports(OTHERS[name])


def _told(folder: Path) -> dict[str, files.Candidate]:
    found = files.find([str(folder)])
    return {each.source.name: each for each in without_spares(list(files.told_apart(found)))}


def test_such_a_text_is_read_where_no_log_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "verlauf.txt").write_bytes(b"\n".join(REPORTS["blanks"]) + b"\n")
    (kind,) = (each.kind for each in _told(tmp_path).values())
    assert kind is not None
    assert kind.name == "log"
    (tmp_path / "train.log").write_text("INFO epoch 1 loss 0.5\n" * 9)
    told = _told(tmp_path)
    assert told["verlauf.txt"].kind is None
    assert told["train.log"].kind is not None


@pytest.mark.parametrize("name", ["README.txt", "notes.md", "plan.yaml"])
def test_a_text_for_people_is_not_read_for_the_reports_in_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\n".join(REPORTS["blanks"]) + b"\n")
    assert _told(tmp_path)[name].kind is None

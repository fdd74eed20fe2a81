"""Tries of one run in folders of their own, folds that are done before others, defaults that are taken instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.logs.went_on import is_waved_aside
from inquest.bundle.logs_import import import_logs
from tests.analyze.builders import Run, at

if TYPE_CHECKING:
    from pathlib import Path

BEGUN = "".join(f"epoch {n}/8 loss {2 / n:.4f}\n" for n in range(1, 4))
DONE = "".join(f"epoch {n}/8 loss {2 / n:.4f}\n" for n in range(1, 9))
INTERRUPTED = BEGUN + "INFO - root - Training interrupted by the user. Attempting to create a model archive.\n"
GONE = BEGUN + "Traceback (most recent call last):\n" + '  File "t.py", line 3, in <module>\n    f()\nValueError: x\n'


@pytest.mark.parametrize("first", [INTERRUPTED, GONE])
@pytest.mark.parametrize("names", [("attempt1/out.log", "attempt2/out.log"), ("try_1/a.log", "try_2/a.log")])
def test_the_later_try_counts(tmp_path: Path, names: tuple[str, str], first: str) -> None:
    for name, text in zip(names, (first, DONE + "Training complete.\n"), strict=True):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == "G1"


@pytest.mark.parametrize("first", [INTERRUPTED, GONE])
def test_how_the_later_one_ended_is_how_it_ended(tmp_path: Path, first: str) -> None:
    for number, text in ((1, DONE + "Training complete.\n"), (2, first)):
        (tmp_path / f"attempt{number}").mkdir()
        (tmp_path / f"attempt{number}" / "out.log").write_text(text)
    verdict = analyze(import_logs([tmp_path]), strict=True)[0]
    assert (verdict.family or verdict.outcome) == ("A1" if "ValueError" in first else "outside_families")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ERROR no settings of this machine, the usual ones are taken", True),
        ("ERROR cannot read conf.yaml, falling back to defaults", True),
        ("ERROR:root:no cache here, using the default settings", True),
        ("ERROR the default port is taken by another process", False),
        ("CRITICAL no settings, the defaults are used; giving up", False),
        ("ERROR failed using default config", False),
    ],
)
def test_what_is_taken_instead(text: str, expected: bool) -> None:
    assert is_waved_aside(text) is expected


LOGGED = """ERROR 2026-11-25 13:40:41,151 {above}
Traceback (most recent call last):
  File "/job/train.py", line 14, in <module>
    lr = float(Path("settings/lr.txt").read_text())
FileNotFoundError: [Errno 2] No such file or directory: 'settings/lr.txt'
INFO 2026-11-25 13:40:41,152 settings lr=0.001
Traceback (most recent call last):
  File "/job/train.py", line 40, in <module>
    model(batch)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 9x9)
"""


def test_an_error_that_defaults_made_good_is_not_the_cause(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOGGED.format(above="no settings of this machine, the usual ones are taken"))
    verdict = analyze(import_logs([tmp_path]), strict=True)[0]
    assert verdict.family == "A1"
    assert "shapes cannot be multiplied" in verdict.headline


@pytest.mark.parametrize(("idles", "late"), [("from the half on", False), ("in every step", True)])
def test_a_fold_that_is_done_before_the_other_keeps_nobody_waiting(idles: str, late: bool) -> None:
    run = Run().steps([4.0 - 0.05 * number for number in range(60)])
    for second in range(60):
        for gpu in range(4):
            first = gpu < 2
            done = first and second >= 30 and not late
            engine = 0.0 if done else (0.5 if first and late else 1.0) - 0.01 * (second % 3) / 3
            read = {"engine_active": engine, "tensor_active": 0.0 if done else 0.3 + 0.001 * (second % 3)}
            node = "node01" if first else "node02"
            run.row("gpu_samples", node=node, gpu_uuid=f"GPU-{gpu}", ts_ns=at(10 + second), fb_used_bytes=2**34, **read)
    verdict = judge(run.ended(0, t=71).evidence(), strict=True)
    status = next(entry.status for entry in verdict.families if entry.family == "D3")
    assert (status == "ruled_in") is late

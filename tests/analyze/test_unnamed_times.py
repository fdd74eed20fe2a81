"""Most of the time under a name that nobody knows: no run is called healthy then, and one whose words are known is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, form: str, between: str = "", reports: int = 40) -> Verdict:
    """The verdict on a log of ``reports`` steps that ended as it was to end."""
    lines = [f"fitting {reports} steps"]
    for step in range(1, reports + 1):
        loss, noise = 2.1 * math.exp(-step / 12) + 0.3 + 0.01 * (step % 3), step * 7 % 40
        lines.append(form.format(step=step, loss=loss, noise=noise))
        if between:
            lines.append(between.format(step=step, noise=noise))
    path = folder / "job.log"
    path.write_text("\n".join([*lines, "training finished", ""]))
    return analyze(import_logs([path]), strict=True)[0]


@pytest.mark.parametrize(
    "form",
    [
        "step {step}/40 loss {loss:.4f}  gorp 4.{noise:02d} s  compute 0.{noise:02d} s",
        "step {step}/40 loss {loss:.4f}  gorp 4{noise:02d} ms  forward 20 ms  backward 4{noise:02d} us",
        "schritt {step}/40 verlust {loss:.4f}  kram 4.{noise:02d} s  rechnen 0.{noise:02d} s",
    ],
)
def test_computing_was_a_small_part_of_what_stands_beside_it(tmp_path: Path, form: str) -> None:
    verdict = judged(tmp_path, form)
    assert verdict.outcome == "cannot_decide", verdict.headline
    assert "computing took" in str(verdict.headline), verdict.headline


@pytest.mark.parametrize(
    "between", ["  gorp: 14.{noise:02d} s", "  \N{FLOPPY DISK} 14.{noise:02d}s", "{{gorpTime: 14.{noise:02d}s}}"]
)
def test_lines_between_the_reports_tell_of_more_than_these(tmp_path: Path, between: str) -> None:
    verdict = judged(tmp_path, "step {step}/40 loss {loss:.4f} took 2.3{noise:02d} s", between)
    assert verdict.outcome == "cannot_decide", verdict.headline
    assert "lines tell of" in str(verdict.headline), verdict.headline


@pytest.mark.parametrize(
    ("form", "between"),
    [
        # the whole is no part; computing is most of it
        ("step {step}/40 loss {loss:.4f}  gorp 0.{noise:02d} s  compute 4.{noise:02d} s", ""),
        ("step {step}/40 loss {loss:.4f}  batch 4.{noise:02d} s  fb 3.{noise:02d} s", ""),
        # a piece of computing alone says nothing of the rest
        ("step {step}/40 loss {loss:.4f}  gorp 4{noise:02d} ms  forward 20 ms", ""),
        # so short that nobody feels it
        ("step {step}/40 loss {loss:.4f}  gorp 4.{noise:02d} ms  compute 0.{noise:02d} ms", ""),
        # what only grows is the time since it began; what is left is of no part
        ("step {step}/40 loss {loss:.4f}  running {step}.50 s  compute 0.1{noise:02d} s", ""),
        ("step {step}/40 loss {loss:.4f}  eta 4.{noise:02d} s  compute 0.{noise:02d} s", ""),
        # short, or little beside the reports, or of the work itself
        ("step {step}/40 loss {loss:.4f} took 2.3{noise:02d} s", "  gorp: 0.0{noise:02d} s"),
        ("step {step}/40 loss {loss:.4f} took 2.3{noise:02d} s", "  round: 14.{noise:02d} s"),
        ("step {step}/40 loss {loss:.4f}", "  net 14.{noise:02d} s, gorp 0.2{noise:02d} s"),
    ],
)
def test_near_misses_are_healthy(tmp_path: Path, form: str, between: str) -> None:
    verdict = judged(tmp_path, form, between)
    assert verdict.family == "G1", verdict.headline


def test_a_whole_of_which_computing_is_little_keeps_a_run_from_being_healthy(tmp_path: Path) -> None:
    verdict = judged(tmp_path, "step {step}/40 loss {loss:.4f}  batch 4.{noise:02d} s  fb 0.0{noise:02d} s", "")
    assert (verdict.outcome, '"batch"' in verdict.headline) == ("cannot_decide", True)

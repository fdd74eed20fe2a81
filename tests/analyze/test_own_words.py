"""What programs say in words of their own, as voices showed whose authors had not read the engine; near misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
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
    assert hung.outcome == "cannot_decide"
    assert "stood still" in hung.headline
    assert _verdict(tmp_path / "b", _until_the_limit("20:37:56")).family == "F3"
    few = _verdict(tmp_path / "c", _until_the_limit("20:39:10", last=6))  # a save or an evaluation after a few steps
    assert few.family == "F3"

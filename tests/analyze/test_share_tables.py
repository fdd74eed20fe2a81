"""Tables of where the time went, which programs print in layouts of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _verdict(folder: Path, table: str, *, of: int = 5, steps: int = 100) -> Verdict:
    folder.mkdir(exist_ok=True)
    lines = []
    for step in range(5, steps + 1, 5):
        second = 8 * step // 5
        stamp = f"2026-11-25 13:{28 + second // 60:02}:{second % 60:02}"
        lines.append(f"{stamp} INFO step {step}/{steps} loss {2.2 * 0.97**step + 0.2:.4f}\n")
        if step % (steps // of) == 0:
            lines.append(table)
    lines.append(f"{stamp} INFO finished\n")
    (folder / "train.log").write_text("".join(lines))
    return analyze(import_logs([folder], exit_code=0), strict=True)[0]


def _table(save: float, data: float = 0.1) -> str:
    rest = 100 - save - data - 0.5
    rows = (("data", data), ("forward", 0.5), ("backward", rest), ("checkpoint", save))
    return "where the time went\n  section          ms/step       share\n" + "".join(
        f"  {name:<12} {16 * share:>8.1f}     {share:>6.1f} %\n" for name, share in rows
    )


LAYOUTS = (
    _table(79.2),
    "Zeit je Schritt\n| Daten | 0.01 s | 1 % |\n| vorwärts | 0.30 s | 19 % |\n| speichern | 1.28 s | 80 % |\n",
    "time budget:\n load batch: 12 ms (0.8%)\n fwd: 140 ms (8.8%)\n bwd: 200 ms (12.5%)\n ckpt: 1250 ms (77.9%)\n",
)


@pytest.mark.parametrize("table", LAYOUTS)
def test_saves_that_take_most_by_the_programs_tables_bound_it(tmp_path: Path, table: str) -> None:
    verdict = _verdict(tmp_path, table)
    assert (verdict.family, verdict.sub_mode) == ("D2", "save_storm")


def test_a_wait_for_data_that_takes_most_is_not_healthy(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, _table(1.0, data=82.0))
    assert verdict.family not in ("G1", "D2")


def test_what_is_no_table_of_the_time_or_tells_of_a_part_leaves_it_healthy(tmp_path: Path) -> None:
    assert _verdict(tmp_path / "few", _table(9.0)).family == "G1"
    assert _verdict(tmp_path / "once", _table(79.2), of=1).family == "G1"  # of its end alone, perhaps
    memory = (
        "memory held\n  model   120 MiB  10.0 %\n  optimizer  84 MiB  7.0 %\n  checkpoint buffers  996 MiB  83.0 %\n"
    )
    assert _verdict(tmp_path / "memory", memory).family == "G1"
    within = _table(79.2) + "  step          1600.0      100.0 %\n"  # a profiler's: calls within calls
    assert _verdict(tmp_path / "nested", within).family == "G1"

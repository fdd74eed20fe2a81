"""Clocks read by their place are those that the regular expressions read."""

from __future__ import annotations

import random

import polars as pl
import pytest

from inquest.bundle import line_clock
from inquest.bundle.line_clock import ClockReader

PIECES = (
    *(
        "2026-11-20 10:00:00",
        "2026-11-20T10:00:01",
        "2026/11/20 10:00:02",
        "2026-13-40 10:00:02",
        "2026-11-20_10:00:02",
    ),
    *(
        ",123",
        ".5",
        ".123456789",
        ".1234567891",
        "Z",
        "+00:00",
        "-0530",
        "+05",
        " INFO x",
        "[",
        "] ",
        "rank2 ",
        "é",
        "2",
    ),
    *("I1120 18:20:52.263000 1", "07/28/2026 11:00:03", "[Wed Mar  4 10:12:31 2026]", "   time      : ", "00:00:01"),
    *("E0000 00:00:1788888888.123456 ", " step 1", "x" * 90),
)


def _lines(drawn: random.Random) -> list[str | None]:
    """Lines of one form, some of which differ in a piece."""
    form = drawn.choices(PIECES, k=drawn.randint(1, 3))
    lines: list[str | None] = []
    for _ in range(drawn.randint(1, 30)):
        parts = list(form)
        if drawn.random() < 0.3:
            parts[drawn.randrange(len(parts))] = drawn.choice(PIECES)
        lines.append("".join(parts) if drawn.random() > 0.03 else None)
    return lines


def test_slices_and_expressions_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stands before, behind and between: with and without the fast way, the same nanoseconds."""
    drawn = random.Random(7)
    read_by_place = 0
    for _ in range(150):
        text = pl.Series("text", _lines(drawn), dtype=pl.String)
        clock = ClockReader(2026, drawn.choice([0, 60, -330]))
        read_by_place += line_clock._common_stamp(text) is not None
        fast = clock.ts_ns(text).to_list()
        with monkeypatch.context() as slow:
            slow.setattr(line_clock, "_STAMPS_AT_MOST", 0)
            assert fast == clock.ts_ns(text).to_list(), text.to_list()
    assert read_by_place > 20


@pytest.mark.parametrize(
    ("line", "utc_ns"),
    [
        ("2026-11-20 18:00:00,250 | INFO | step 1", 1_795_197_600_250_000_000),
        ("[2026-11-20T18:00:00.000000001Z] x", 1_795_197_600_000_000_001),
        ("2026/11/20 18:00:00 x", 1_795_197_600_000_000_000),
        ("2026-11-20T18:00:00+01:00 x", 1_795_194_000_000_000_000),
        ("2026-02-30 18:00:00 x", None),
        ("x" * 97 + "2026-11-20 18:00:00", None),
    ],
)
def test_lines_of_one_form_are_read_by_place(line: str, utc_ns: int | None) -> None:
    """Many lines alike: the times of all of them."""
    assert ClockReader(None).ts_ns(pl.Series("text", [line] * 8)).to_list() == [utc_ns] * 8

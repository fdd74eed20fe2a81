"""A run that did all it was to and ended with status 1, because Python was given a value where a number belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [f"epoch {n}/9 train loss {0.9 / n:.4f}, held-out loss {1.0 / n:.4f}" for n in range(1, 10)]


@pytest.mark.parametrize(
    ("below", "status", "named"),
    [
        (["all done", "{'top1': 0.913, 'nll': 0.31}"], 1, True),
        (["all done", "0.9134"], 1, True),
        (["all done", "(0.31, 0.913)"], 1, True),
        (["all done", "{'top1': 0.913, 'nll': 0.31}"], 3, False),
        (["all done", "1"], 1, False),
        (["{'a': 1}", "all done", "{'top1': 0.913}"], 1, False),  # it prints such lines itself
        (["{'top1': 0.913}", "all done"], 1, False),
    ],
)
def test_a_value_as_the_last_line_may_be_all_that_the_status_tells(
    tmp_path: Path, below: list[str], status: int, *, named: bool
) -> None:
    file = tmp_path / "train.log"
    file.write_text("\n".join([*ROWS, *below]) + "\n")
    said = analyze(import_logs([str(file)], exit_code=status), strict=True)[0]
    assert said.family is None
    assert ("gives its result to sys.exit" in said.headline) is named

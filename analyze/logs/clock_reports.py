"""Reports of a step that tell its clocks and no loss: ``[rank1] step 55/60: forward 0.222s backward+sync 0.074s``.

Such a line says little of one process alone; that several ranks tell the same clocks of the same steps says that they
train together, and which of them the others wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.bars import NOT_TRAINING
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.plain_loops import EVALUATION, NAMED, STEP_COUNT
from inquest.analyze.logs.step_rows import as_steps, integer_of, no_steps
from inquest.analyze.logs.step_times import step_times
from inquest.bundle.timers import CLOCKS, STEP

if TYPE_CHECKING:
    from collections.abc import Mapping

TWO_CLOCKS: Final = r"\d ?(?:ms|s|secs?)[\s,;|)/].{0,80}\d ?(?:ms|s|secs?)(?:[\s,;|)\]]|$)"
"""Two times with their units: without them a line without a loss is no report of clocks."""
_REPORTS: Final = 5
"""Reports of a rank that tell something."""


def clock_reports(lines: pl.DataFrame) -> pl.DataFrame:
    """Reports of clocks alone, where at least two ranks make them of the same steps."""
    text = pl.col("text")
    rows = lines.filter(pl.col("rank").is_not_null() & text.str.contains(TWO_CLOCKS))
    rows = rows.filter(
        text.str.contains(STEP_COUNT)
        & ~text.str.contains(NAMED)
        & ~text.str.contains(EVALUATION)
        & ~text.str.contains(NOT_TRAINING)
    )
    if rows["rank"].n_unique() < 2:
        return no_steps()
    rows = rows.with_columns(step=integer_of(STEP_COUNT), total_steps=integer_of(STEP_COUNT, 2))
    rows, times = step_times(rows.filter(pl.col("step").is_not_null()))
    return _of_ranks(rows, times)


def _of_ranks(rows: pl.DataFrame, times: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """Reports of those ranks that tell parts of a step often enough, of steps that another tells of as well."""
    parts = [name for name in CLOCKS if name in times and name != STEP]
    if not parts:
        return no_steps()
    told = {name: pl.col(name) for name in ("step", "total_steps")}
    found = as_steps(rows, Kind.STEP, "timers", **told, **times)
    found = found.filter(pl.sum_horizontal(pl.col(name).is_not_null() for name in parts) >= 1)
    found = found.filter((pl.len() >= _REPORTS).over("node", "capture", "source", "rank"))
    return found.filter((pl.col("rank").n_unique() > 1).over("step"))

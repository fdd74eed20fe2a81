"""Reports of programs in words of their own, by the form of their lines and by the way that their numbers go.

Asked where nothing else told of training: whoever prints losses by a usual name does not pay for the look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.form_values import MORE, told_by
from inquest.analyze.logs.forms import REPORTS, count, count_by_lines_above, forms_of, name_by_head
from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.unnamed_losses import READ

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_LINES: Final = 20_000
_WIDTH: Final = 600
_PROBED: Final = 1500


def by_forms(store: Store) -> pl.DataFrame:
    """Lines with ``step``, ``total_steps`` where they tell it, ``loss``, ``eval_loss`` and ``score``."""
    text = pl.col("text")
    lines = store.scan("log_lines").filter(text.str.contains(r"\S"))
    rows = lines.tail(_LINES).with_columns(text=text.str.slice(0, _WIDTH).str.replace_all(ANSI, "")).collect()
    found: list[tuple[Any, ...]] = []
    for _, group in rows.sort("seq").group_by("node", "capture", "source", "rank", maintain_order=True):
        # A long log that tells of no training at either end is not read whole for it.
        probe = group if group.height <= 2 * _PROBED else pl.concat([group.head(_PROBED), group.tail(_PROBED)])
        if group.height >= REPORTS and (rows_told := _read(probe)):
            found += rows_told if probe is group else _read(group)
    told = pl.DataFrame(found, schema=READ | dict.fromkeys(MORE, pl.Float64), orient="row")
    return rows.join(told, on=["node", "capture", "seq"], how="inner", maintain_order="left")


def _read(group: pl.DataFrame) -> list[tuple[Any, ...]]:
    texts = group["text"].to_list()
    forms = forms_of(texts)
    for form in forms:
        name_by_head(form, texts)
        count(form)
    count_by_lines_above(forms, group["seq"].to_list())
    told = told_by([form for form in forms if form.steps is not None])
    where = group.select("node", "capture", "seq").rows()
    return [(*where[row], *values) for row, values in sorted(told.items())]

"""What a run says that an answer without learning gives: ``always saying the mean would give mse 1.9826``."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

_VALUE: Final = r"(?P<value>\d{1,7}\.\d{1,9})(?![\w%])"
_LOSS: Final = r"(?:loss|mse|mae|rmse|error|nll|cross-?entropy|nats|bits?|perte|perda|p\u00e9rdida|verlust|fehler)"
_ANSWER: Final = (
    r"(?:(?:always |just |only |simply )(?:saying|predicting|answering|guessing)|(?:saying|predicting|guessing) (?:always )?the (?:mean|average|median|majority)"
    r"|(?:naive|trivial|constant|dummy|mean) (?:forecast|guess(?:er)?|predict(?:or|ion)|answer|model)|guessing|random guess(?:es|ing)?)"
)
_SAID: Final = re.compile(
    rf"(?i)\b{_ANSWER}\b[^.;|\d]{{0,50}}?\b{_LOSS}\W{{1,4}}(?:is |of |would be |= ?)?{_VALUE}|\b{_LOSS}\b[^.;|\d]{{0,20}}\b{_ANSWER}\b\W{{1,4}}(?:is |of |= ?)?{_VALUE.replace('value', 'behind')}"
)
_GATE: Final = r"(?i)\b(?:guess|saying|predict|naive|trivial|constant|dummy)"
_LINES: Final = 2000


def said_of_guessing(ev: Evidence) -> float | None:
    """The loss that an answer without learning gives, by the last line among the first ones that says so."""
    if not ev.has("log_lines"):
        return None
    text = pl.col("text").str.slice(0, 400).str.replace_all(ANSI, "")
    lines = (
        ev.scan("log_lines").filter(text.str.contains(_GATE)).sort("node", "seq").head(_LINES).select(text).collect()
    )
    told = [found for line in lines["text"].to_list() if (found := _SAID.search(line)) is not None]
    values = {float(found["value"] or found["behind"]) for found in told}
    return values.pop() if len(values) == 1 else None

"""What a log tells that nothing could read: losses by no known name, and places where no number stands any more."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve import series
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.logs.named_numbers import numbers_of
from inquest.analyze.logs.reader import ANSI
from inquest.bundle.imports.gpu_words import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._ended import Ended

_LINES: Final = 2000
_WIDTH: Final = 600
_REPORTS: Final = 6
"""Lines that are no chance."""


def loss_unread(run: Ended) -> CannotDecide | None:
    """Lines name a loss, or something by a name like it, and none of it was read: whether it learned is not known."""
    beside = any(series(run.story, name) for name in ("eval_loss", "score", "accuracy"))
    if run.losses.finite or run.gain is not None or beside:
        return None
    told: dict[str, list[float]] = {}
    for text in _texts(run.ev, pl.lit(value=True)):
        for number in numbers_of(text):
            if _LIKE_A_LOSS.search(number.name):
                told.setdefault(number.name, []).append(number.value)
    # Of two that play against each other, neither has to come down.
    told = {
        name: values for name, values in told.items() if not (_A_PLAYER_S.search(name) and math.isfinite(values[-1]))
    }
    name = max(told, key=lambda each: (len(told[each]), each), default="")
    if len(told.get(name, ())) < _REPORTS:
        return None
    return CannotDecide(
        because=f'Its reports tell of "{name}", which could not be read: whether it learned is open.',
        missing=("the loss at several steps, by a usual name",),
    )


_LIKE_A_LOSS: Final = re.compile(
    r"loss|objective|misfit|nll|perplex|entrop|likelihood|(?:^|[\W_])(?:cost|error|fehler|erreur|errore|fout|elbo)(?:$|[\W_])"
)


_A_PLAYER_S: Final = re.compile(r"loss[_ ]?[dg]$|^(?:d|g|disc\w*|gen\w*|critic)[_ ]loss$")


def readings_unread(run: Ended) -> CannotDecide | None:
    """Readings of its GPUs lie there and could not be read: they may tell against it."""
    said = next((entry.detail for entry in run.ev.coverage() if entry.detail and NO_TIME in entry.detail), None)
    if said is None or run.ev.has("gpu_samples"):
        return None
    return CannotDecide(
        because=f"What lies beside its log may tell against it: {said[: _WIDTH // 4]}.",
        missing=("a time in each row of those readings",),
    )


def no_number_any_more(run: Ended) -> CannotDecide | None:
    """Reports go on in the words of the last one that was read, and where its loss stood there is no number."""
    told = run.losses.numbers.filter(pl.col("line_seq").is_not_null())
    if told.is_empty() or not run.ev.has("log_lines"):
        return None
    last = told.row(-1, named=True)
    line = _texts(run.ev, same_stream(last) & (pl.col("seq") == last["line_seq"]))
    begin = next((before for text in line if (before := _before_the_loss(text, last["loss"])) is not None), None)
    if begin is None:
        return None
    like = re.compile(re.escape(begin).replace("\\#", "#") + r"\s{0,8}(?![\s#+-]|\.#)(?P<instead>\S{1,16})")
    below = (_digitless(text) for text in _texts(run.ev, same_stream(last) & (pl.col("seq") > last["line_seq"])))
    found = [match["instead"] for text in below if (match := like.match(text))]
    if len(found) < _REPORTS:
        return None
    return CannotDecide(
        because=f'{len(found)} reports after that of the last loss tell "{found[-1]}" in its place.',
        missing=("the losses after it: what stands there may be a number that was none",),
    )


def _before_the_loss(text: str, loss: float) -> str | None:
    """The words of a report before its loss, its digits left out; None where they are few."""
    for number in _NUMBER.finditer(text):
        try:
            value = float(number[0].replace(",", "."))
        except ValueError:
            continue
        if abs(value - loss) <= _ROUNDED * abs(loss):
            begin = _digitless(text[: number.start()])
            return begin.rstrip(" +-") if len(re.findall(r"[^\W\d_]", begin)) >= _LETTERS else None
    return None


_NUMBER: Final = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d{1,3})?")
_ROUNDED: Final = 1e-6
_LETTERS: Final = 3


def _digitless(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\d+", "#", text))


def _texts(ev: Evidence, where: pl.Expr) -> Sequence[str]:
    """The last lines of a log, or of a part of it."""
    if not ev.has("log_lines"):
        return ()
    text = pl.col("text").fill_null("").str.slice(0, _WIDTH).str.replace_all(ANSI, "")
    lines = ev.scan("log_lines").filter(where).sort("node", "source", "seq").tail(_LINES)
    return lines.select(text).collect()["text"].to_list()

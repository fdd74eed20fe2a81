"""Training progress of tools that count in ways of their own: in per cent, in scaled units, in three counts at once.

fastText tells how much of its work is done, and no step; bars written by tqdm-loggable (Levanter) count in thousands;
Tesseract counts what it learnt from, what it trained on and what it saw; L-BFGS-B prints numbers as Fortran does.
MATLAB's trainNetwork draws a table whose names stand in two lines.
Kaldi's drivers and nerfstudio tell how far they are and no loss; NequIP and the first YOLOv5 print rows of numbers.
"""

from __future__ import annotations

from typing import Final

import polars as pl

_NUM: Final = r"(-?(?:nan|inf|\d[\d.]*(?:[eE][+-]?\d+)?))"
_LOSS: Final = rf"(?i)\b(?:train[_ ]?)?loss[ :=]{{1,4}}{_NUM}"
_LOGGED: Final = (
    r"Progress on:([^\r\n]{0,80}?) (\d[\d.]{0,12})([kMG]?)[a-z]{0,12}/(\d[\d.]{0,12})([kMG]?)[a-z]{0,12} rate:"
)
_OTHERS: Final = r"(?i)eval|valid|test|load|download|token"
_THOUSANDS: Final = {"k": 1e3, "M": 1e6, "G": 1e9}
_SHARE: Final = (
    r"(?i)(?:\bprogress\W{1,4}(\d{1,3}(?:\.\d{1,2})?) ?%"
    r"|(?:^|\] )[\s\[(|]{0,6}(\d{1,3}(?:\.\d{1,2})?) ?%[\]|):, ]{0,4}(?:done|complete|[a-z_ ]{0,10}loss))"
)
"""How much is done, where a line begins with it or calls it progress."""
_COUNTED: Final = r"(?i)\d ?/ ?\d|\b(?:step|iter(?:ation)?|batch|epoch|update)\W{0,3}\d"
_ENDLESS: Final = (
    r"(\d{1,12}) ?(?:it|batch(?:es)?|steps?) \[\d+:\d\d(?::\d\d)?, +"
    r"(?:\d[\d.]*|\?) ?(?:(?:it|batch(?:es)?|steps?)/s|s/(?:it|batch|step))"
)
_BAR_LOSS: Final = rf"(?i)(?:^|[\s,])(?:train[_ ]?|avg[_ ]?)?loss[=:] ?{_NUM}"
_REPORTS: Final = 5
_TESSERACT: Final = rf"At iteration \d{{1,12}}/(\d{{1,12}})/\d{{1,12}}, (?i:mean rms)={_NUM}%, delta="
_LBFGS: Final = r"^\s{0,4}At iterate\s{1,8}(\d{1,9})\s{1,8}f= {1,4}(-?\d{1,4}\.\d{1,12})D([+-]\d{1,3})\b"
"""The objective of SciPy's L-BFGS-B, which it brings down."""
_MATLAB_ROW: Final = r"^\|\s{1,12}\d{1,9} \|\s{1,16}\d{1,9} \|\s{1,16}\d{1,4}:\d\d:\d\d \|"
_CELL: Final = r"\s{1,16}(?:NaN|-?[\d.]{1,16}(?:e[+-]\d{1,3})?)?%? \|"
_MATLAB: Final = (
    r"^\|\s{1,12}\d{1,9} \|\s{1,16}(\d{1,9}) \|\s{1,16}\d{1,4}:\d\d:\d\d \|"
    rf"{_CELL}(?:{_CELL})?\s{{1,16}}(NaN|-?[\d.]{{1,16}}(?:e[+-]\d{{1,3}})?) \|(?:{_CELL})?{_CELL}$"
)
"""Epoch, iteration, time, accuracy or RMSE, loss and rate; of a validation both stand beside those of the batch."""


def tool_steps(lines: pl.DataFrame) -> pl.DataFrame:
    """Those of ``lines`` that tell such progress, with ``sub``, ``step``, ``total_steps`` and ``loss``."""
    text = pl.col("text")
    gated = lines.filter(text.str.contains("Progress on:|At iterat|%|^! Train|^ +\\d+/\\d+ +[\\d.]+G  "))
    parts = [_logged(gated), _tesseract(gated), _lbfgs(gated), _shares(gated)] if gated.height else []
    drawn = lines.filter(text.str.contains(_MATLAB_ROW))
    parts += [_matlab(drawn)] if drawn.height else []
    parts += [_results(gated), _counted(gated)] if gated.height else []
    counted = lines.filter(text.str.contains(_DEEPMD))
    parts += [_deepmd(counted)] if counted.height else []
    parts += [_nequip(lines)] if gated["text"].str.contains("^! Train").any() else []
    endless = lines.filter(text.str.contains(_ENDLESS))
    parts += [_endless(endless)] if endless.height else []
    return pl.concat(parts) if parts else lines.clear()


def _found(rows: pl.DataFrame, step: pl.Expr, total: pl.Expr, loss: pl.Expr, *, lossless: bool = False) -> pl.DataFrame:
    sub = pl.col("sub") if "sub" in rows.columns else pl.lit(0, pl.Int64)
    return rows.with_columns(
        sub=sub.cast(pl.Int64),
        step=step.cast(pl.Int64, strict=False),
        total_steps=total.cast(pl.Int64, strict=False),
        loss=loss.cast(pl.Float64, strict=False),
    ).filter(pl.col("loss").is_not_null() | (lossless & pl.col("step").is_not_null()))


def _results(lines: pl.DataFrame) -> pl.DataFrame:
    """``results.txt`` of the first YOLOv5: epoch, memory, parts of the loss and their sum, targets, size, measures."""
    rows = lines.filter(pl.col("text").str.contains(_RESULTS))
    told = pl.col("text").str.extract_groups(_RESULTS).struct
    last = told.field("2").cast(pl.Int64, strict=False)
    return _found(rows, told.field("1").cast(pl.Int64, strict=False) + 1, last + 1, told.field("3"))


_RESULTS: Final = (
    r"^ {1,9}(\d{1,6})/(\d{1,6}) +\d[\d.]*G(?: +(?:nan|\d{1,6}\.\d{1,9})){3} +(nan|\d{1,6}\.\d{1,9}) +\d{1,7} +\d{2,5}"
    r"(?: +(?:nan|\d{1,6}\.\d{1,9})){7} *$"
)


def _counted(lines: pl.DataFrame) -> pl.DataFrame:
    """How far Kaldi's drivers and nerfstudio say they are; they tell no loss there."""
    text = pl.col("text")
    drivers = lines.filter(text.str.contains(_KALDI))
    kaldi = _found(drivers, text.str.extract(_KALDI), text.str.extract(_KALDI, 2), pl.lit(None), lossless=True)
    rays = lines.filter(text.str.contains(_RAYS))
    share = text.str.extract(_RAYS, 2).cast(pl.Float64, strict=False)
    # Of the last report alone the share tells exactly how many there were to be.
    total = pl.when(share == _WHOLE).then(text.str.extract(_RAYS).cast(pl.Int64, strict=False))
    return pl.concat([kaldi, _found(rays, text.str.extract(_RAYS), total, pl.lit(None), lossless=True)])


_KALDI: Final = r"\bIter: (\d{1,6})/(\d{1,6}) +Jobs: \d{1,4} +Epoch: \d"
_RAYS: Final = r"^(\d{1,9}) \((\d{1,3}\.\d\d)%\) +\d[\d.]{0,12} m?s "
_WHOLE: Final = 100


def _deepmd(rows: pl.DataFrame) -> pl.DataFrame:
    """DeePMD-kit's counts, which stand beside the table of its losses; its later versions tell those here, too."""
    text = pl.col("text")
    return _found(rows, text.str.extract(_DEEPMD), pl.lit(None), text.str.extract(_DEEPMD, 2), lossless=True)


_DEEPMD: Final = (
    r"\bDEEPMD INFO\s{1,4}batch\s{1,8}(\d{1,10})"
    r"(?: training time \d|: total wall time =|: trn: rmse = (nan|[\d.eE+-]{1,14})\b)"
)
"""deepmd/train/trainer.py and deepmd/loggers/training.py."""


def _nequip(lines: pl.DataFrame) -> pl.DataFrame:
    """NequIP's row of an epoch, below a header that names its columns in an order of its own."""
    text, place = pl.col("text"), ["node", "capture", "source"]
    header = text.str.extract(_NEQUIP_HEAD)
    rows = lines.filter(text.str.contains(f"{_NEQUIP_HEAD}|{_NEQUIP}")).sort("seq")
    rows = rows.with_columns(names=header.forward_fill().over(place)).filter(text.str.contains(_NEQUIP))
    names = pl.col("names").str.extract_all(r"\S+")
    at = names.list.eval(pl.element() == "loss").list.arg_max()
    named = names.list.contains("loss").fill_null(value=False)
    cells = text.str.extract(_NEQUIP, 2).str.extract_all(r"\S+")
    loss = pl.when(named).then(cells.list.get(at, null_on_oob=True))
    return _found(rows, text.str.extract(_NEQUIP), pl.lit(None), loss).drop("names")


_NEQUIP_HEAD: Final = r"^ {1,4}Train +# +Epoch +wal +LR +(\S.{0,400})$"
_NEQUIP: Final = r"^! Train +(\d{1,9}) +\d[\d.]{0,15} +\d[\d.e-]{0,15} +(\S.{0,400})$"


def _logged(lines: pl.DataFrame) -> pl.DataFrame:
    rows = lines.filter(
        pl.col("text").str.contains(_LOGGED) & ~pl.col("text").str.extract(_LOGGED).str.contains(_OTHERS)
    )
    groups = pl.col("text").str.extract_groups(_LOGGED).struct

    def count(number: str, unit: str) -> pl.Expr:
        scale = groups.field(unit).replace_strict(_THOUSANDS, default=1.0, return_dtype=pl.Float64)
        return (groups.field(number).cast(pl.Float64, strict=False) * scale).round()

    return _found(rows, count("2", "3"), count("4", "5"), pl.col("text").str.extract(_LOSS))


def _tesseract(lines: pl.DataFrame) -> pl.DataFrame:
    rows = lines.filter(pl.col("text").str.contains(_TESSERACT))
    step, loss = (pl.col("text").str.extract(_TESSERACT, group) for group in (1, 2))
    return _found(rows, step, pl.lit(None), loss)


def _lbfgs(lines: pl.DataFrame) -> pl.DataFrame:
    rows = lines.filter(pl.col("text").str.contains(_LBFGS))
    step, digits, power = (pl.col("text").str.extract(_LBFGS, group) for group in (1, 2, 3))
    return _found(rows, step, pl.lit(None), digits + pl.lit("e") + power)


def _matlab(lines: pl.DataFrame) -> pl.DataFrame:
    """Rows of MATLAB's table: six cells, or eight with those of a validation, which may be blank."""
    rows = lines.filter(pl.col("text").str.count_matches(r"\|").is_in((7, 9)))
    step, loss = (pl.col("text").str.extract(_MATLAB, group) for group in (1, 2))
    return _found(rows, step, pl.lit(None), loss)


def _endless(lines: pl.DataFrame) -> pl.DataFrame:
    """Bars without an end in sight, as tqdm draws them over what has no length."""
    text = pl.col("text")
    rows = lines.with_columns(text.str.split("\r")).with_columns(sub=pl.int_ranges(text.list.len()))
    rows = rows.explode("text", "sub").filter(text.str.contains(_ENDLESS) & ~text.str.contains(_OTHERS))
    return _found(rows, text.str.extract(_ENDLESS), pl.lit(None), text.str.extract(_BAR_LOSS))


def _shares(lines: pl.DataFrame) -> pl.DataFrame:
    """Losses beside a share that only grows; states of one line stand behind carriage returns."""
    text = pl.col("text")
    rows = lines.filter(text.str.contains(_LOSS) & text.str.contains("%"))
    rows = rows.with_columns(text.str.split("\r")).with_columns(sub=pl.int_ranges(text.list.len()))
    rows = rows.explode("text", "sub")
    rows = rows.filter(text.str.contains(_SHARE) & text.str.contains(_LOSS) & ~text.str.contains(_COUNTED))
    told = text.str.extract_groups(_SHARE).struct
    share = pl.coalesce(told.field("1"), told.field("2")).cast(pl.Float64, strict=False)
    place = ["node", "capture", "source", "rank"]
    rows = rows.sort("seq", "sub").with_columns(share=share)
    grows = (pl.col("share").diff().fill_null(0) >= 0).all() & (pl.col("share").n_unique() >= _REPORTS)
    rows = rows.filter((pl.col("share").max() <= 100) & grows.over(place)).drop("share")
    nothing = pl.lit(None)
    return _found(rows, nothing, nothing, text.str.extract(_LOSS))

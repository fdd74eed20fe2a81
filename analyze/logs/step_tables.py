"""Training progress printed as a table: a line of column names, and lines of nothing but numbers under it.

CSV on the console, ``|`` tables, tab-separated metrics, columns set apart by blanks (fastai). Names decide: a column of
steps or epochs beside a loss.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.loop_clocks import agreed
from inquest.analyze.logs.reader import ANSI
from inquest.bundle.imports._values import english
from inquest.bundle.scan import stored_schema
from inquest.bundle.timers import CLOCKS, STEP, chosen, timer_of

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_HEADER: Final = r"^[\w/.%() |,;\t-]+$"
_ROW: Final = (
    r"^(?:[\d.eE+naNifty |,;\t%-]|20\d\d-\d\d-\d\d[T ]\d\d:\d\d|\d{1,3}:\d\d(?::\d\d)?"
    r"|\d ?(?:[KMGT]i?B|m?s|min|°C|W)\b|\d (?:of|de|von|sur|di|van|из) \d)+$"
)
"""Numbers, and what a column may tell besides: when or how long, memory, heat."""
_SEPARATOR: Final = r"[,;\t|]"
_COLUMNS: Final = r"^\s*[\w/.%-]+(?: [\w/.%-]+){0,2}(?: {2,}[\w/.%-]+(?: [\w/.%-]+){0,2}){2,}\s*$"
"""Names set apart by two blanks and more, of a word or a few."""
_IN_COLUMNS: Final = (
    r"^\s*\d{1,12}(?:\.\d{1,6})?(?: +(?:[\d.]+(?:[eE][+-]?\d+)?|-?nan|-?inf|#na#|\d+:\d\d(?::\d\d)?)){2,}\s*$"
)
"""Numbers under them, a clock among them where a column tells how long it took."""
_GLUED: Final = r"^\s*\d{1,12} (?: |-?\d{1,30}\.\d{6}|-?nan|-?inf|#na#|\d{1,4}:\d\d(?::\d\d)?)+$"
"""The same where a number fills its column, as fastai's do that have exploded: it always prints six digits."""
_STEP: Final = re.compile(r"(global[_ ]?)?(step|it|iter|iteration|update|num_updates|batch)s?$", re.IGNORECASE)
_EPOCH: Final = re.compile(r"(?:ep(?:och)?s?|round)$", re.IGNORECASE)
_LOSS: Final = re.compile(r"(main/)?(train(ing)?[_ /]?)?(total[_ /]?)?loss$", re.IGNORECASE)
_CRITERION: Final = re.compile(
    r"(train(ing)?[_ /]?)?(r?mse|mae|nll|ppl|perplexity|b?ce|xent|cross[_ ]?entropy)$", re.IGNORECASE
)
"""What a column may be called that holds the loss, where none is called so."""
_PART_LOSS: Final = re.compile(r"(?!val|eval|test|dev)[a-z]\w{1,24}[_ ]loss$", re.IGNORECASE)
"""The loss of the one thing that is trained, where no column is called the loss."""
_VALIDATION: Final = re.compile(r"(val(id(ation)?)?|eval(uation)?|test|dev)[_ /]?loss$", re.IGNORECASE)
_GRAD: Final = re.compile(r"grad(ient)?[_ ]?norm$|gnorm$", re.IGNORECASE)
_RATE: Final = re.compile(r"lr$|learning[_ ]rate$", re.IGNORECASE)
_SCALE: Final = re.compile(r"(loss|grad)[_ ]scale$", re.IGNORECASE)
_ACCURACY: Final = re.compile(
    r"((val(id(ation)?)?|eval(uation)?|dev|test|train(ing)?)[_ /]?)?acc(uracy)?$", re.IGNORECASE
)
_MARKED: Final = frozenset({"cp"})
"""Columns that hold a mark or nothing: skorch's, that a checkpoint was saved."""
_MARK: Final = r" \+(?: |$)"
_SPACY: Final = r"^E +# +LOSS .*\bSCORE *$"
"""spaCy's header: epoch, step, each component's sum of losses since the last row, and the score of them all."""
_SPACY_ROW: Final = r"^ {0,6}\d{1,6} +\d{1,9}(?: +-?(?:\d[\d.]*|nan|inf))+ +(?:\d\.\d{1,4}|nan) *$"
_SHARED: Final = ("node", "capture", "source", "task", "rank", "rank_by", "ts_ns", "offset")
_HEADERS_AT_MOST: Final = 16
_ROWS_AT_MOST: Final = 200_000


def table_steps(store: Store, lines: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``fact_steps`` from tables whose header is among ``lines`` (those that speak of a loss)."""
    headers = lines.with_columns(text=_ruled(pl.col("text").str.replace(_WRAPPED, ""))).filter(
        pl.col("text").str.len_bytes().is_between(6, 1000)
        & pl.col("text").str.contains(_HEADER)
        & pl.col("text").str.contains(f"{_SEPARATOR}|{_COLUMNS}")
        & ~pl.col("text").str.contains(r"\d{3}")
    )
    found = []
    for header in headers.head(_HEADERS_AT_MOST).iter_rows(named=True):
        names, separator = _cells(header["text"])
        names = [english(name) for name in names]
        if separator == " ":
            names = [name for name in names if name not in _MARKED]
        wanted = {
            column: place
            for column, pattern in (
                ("step", _STEP),
                ("epoch", _EPOCH),
                ("loss", _LOSS),
                ("val", _VALIDATION),
                ("grad", _GRAD),
                ("lr", _RATE),
                ("scale", _SCALE),
                ("accuracy", _ACCURACY),
            )
            if (place := next((i for i, name in enumerate(names) if pattern.match(name)), None)) is not None
        }
        clocks = _clocks(names)
        criterion = next((i for i, name in enumerate(names) if _CRITERION.match(name)), None)
        parts = [i for i, name in enumerate(names) if _PART_LOSS.match(name)]
        if len(parts) == 1:
            wanted.setdefault("loss", parts[0])
        if criterion is not None:
            wanted.setdefault("loss", criterion)
        if "loss" in wanted and ("step" in wanted or "epoch" in wanted):
            found.append(_rows(store, header, separator, len(names), wanted, clocks))
            if separator == " " and names[-1] == "time":
                found.append(_fast_bars(store, header))
    found += [_scored(store, header) for header in _spacy(lines).iter_rows(named=True)]
    return pl.concat(found, how="diagonal").unique(subset=["node", "capture", "line_seq"]) if found else pl.DataFrame()


def _clocks(names: list[str]) -> dict[str, list[tuple[int, float]]]:
    """Where the clocks of a step stand that add up to one of ``CLOCKS``, and what one of their units is in seconds.

    Beside one of a part, a column of time that says no more is the clock of the whole.
    """
    timers = [(name, timer) for name in names if (timer := timer_of(name)) is not None]
    found = {
        column: [(names.index(name), timer.seconds or 1.0) for name, timer in timers if name in taken]
        for column in CLOCKS
        if (taken := chosen(column, timers))
    }
    whole = next((place for place, name in enumerate(names) if _TIME.match(name)), None)
    if found and whole is not None:
        found.setdefault(STEP, [(whole, 1e-3 if "ms" in names[whole] else 1.0)])
    return found


_TIME: Final = re.compile(
    r"(?:time|took|elapsed|dt)?[_ (]{0,2}(?:m?s|sec|secs|seconds)\)?$|(?:time|took|dt)$", re.IGNORECASE
)
_OF_ALL: Final = 1.5
"""A clock that runs on from the start reads twice its median at the end."""


def _ruled(text: pl.Expr) -> pl.Expr:
    """``text`` with the rules of a drawn table as bars."""
    return text.str.replace_many({"│": "|", "┃": "|", "║": "|"})


def bare_rows(store: Store) -> pl.DataFrame:
    """Lines of nothing but numbers whose first counts on by the same at each line, with ``step``.

    What the others are no name tells; that the loop went on they show, where nothing else tells of progress.
    """
    lines = store.scan("log_lines")
    if lines.select(pl.len()).collect().item() > _ROWS_AT_MOST:
        return pl.DataFrame()
    text = pl.col("text").str.replace_all(ANSI, "")
    rows = lines.filter(text.str.contains(_BARE)).select(*_SHARED, "seq", text=text).sort("seq").collect()
    place = ["node", "source", "task", "rank"]
    rows = rows.with_columns(
        step=pl.col("text").str.extract(r"^\s*(\d+)").cast(pl.Int64, strict=False),
        cells=pl.col("text").str.count_matches(r"[\s,;|]+[-+]?[\dni]"),
    ).with_columns(apart=pl.col("step").diff().over(place))
    counts = (pl.col("apart").n_unique() == 2) & (pl.col("apart").max() > 0) & (pl.col("cells").n_unique() == 1)
    long = (pl.len() >= _BARE_ROWS) & (pl.col("step").max() - pl.col("step").min() >= _BARE_STEPS)
    return rows.filter((counts & long).over(place)).drop("cells", "apart")


_BARE: Final = (
    r"^\s*\d{1,9}(?:[\s,;|]+[-+]?(?:\d{1,9}(?:\.\d{1,12})?(?:[eE][-+]?\d{1,3})?|nan|inf)(?: ?(?:ms|s|%))?){0,11}"
    r"[\s,;|]+[-+]?(?:\d{1,9}\.\d{1,12}(?:[eE][-+]?\d{1,3})?|nan|inf)(?: ?(?:ms|s|%))?\s*$"
)
_BARE_ROWS: Final = 10
_BARE_STEPS: Final = 50
"""What a short table counts may be anything."""


_SPACY_ALONE: Final = r"^ {0,6}\d{1,6} +\d{1,9}(?: +\d{1,12}\.\d\d){4,40} +[01]\.\d\d *$"
"""A row with at least a component's loss, three measures in per cent, and the score: as spaCy sets them."""


def _spacy(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.filter(pl.col("text").str.contains(_SPACY)).head(_HEADERS_AT_MOST)


def _cells(text: str) -> tuple[list[str], str]:
    body = text.strip().strip("|")
    separator = next(mark for mark in (",", ";", "\t", "|", " ") if mark in body)
    if separator == " ":
        return re.split(" {2,}", body.strip()) if _WORDS.search(body) else body.split(), separator
    return [cell.strip().strip("\"'") for cell in body.split(separator)], separator


_WORDS: Final = re.compile(r"\S \S.*\S {2}|\S {2}.*\S \S")
"""Blanks of one and of two: those of one are within a name."""


def _scored(store: Store, header: dict[str, object]) -> pl.DataFrame:
    """Rows of spaCy's table: the score is a share of right answers; sums of losses are no curve, unless one is NaN."""
    rows = _below(store, header, pl.col("text").str.replace_all(ANSI, "").str.contains(_SPACY_ROW))
    losses = sum(name == "LOSS" for name in str(header["text"]).split())
    return _spacy_steps(rows.with_columns(cell=_BY_BLANKS), pl.col("cell").list.slice(2, losses))


def headless_scores(store: Store) -> pl.DataFrame:
    """Rows of spaCy's table whose header was not kept, as steps: rows at one stride, each scored by its F measure."""
    lines = store.scan("log_lines")
    if lines.select(pl.len()).collect().item() > _ROWS_AT_MOST:
        return pl.DataFrame()
    text = pl.col("text").str.replace_all(ANSI, "")
    rows = lines.filter(text.str.contains(_SPACY_ALONE)).select(*_SHARED, "seq", text=text).sort("seq").collect()
    rows = rows.with_columns(cell=_BY_BLANKS)
    epoch, step = (pl.col("cell").list.get(place).cast(pl.Int64) for place in (0, 1))
    last, measure = (pl.col("cell").list.get(place).cast(pl.Float64) for place in (-1, -4))
    ordered = (epoch.diff().min() >= 0) & (step.diff().n_unique() == 2) & (step.diff().max() > 0)
    scored = ((last - measure / 100).abs() <= _ROUNDED).all() & (pl.col("cell").list.len().n_unique() == 1)
    own = (ordered & scored & (pl.len() >= _BARE_ROWS)).over(["node", "capture", "source", "task", "rank"])
    return _spacy_steps(rows.filter(own), pl.col("cell").list.slice(2, pl.col("cell").list.len() - 6))


_BY_BLANKS: Final = pl.col("text").str.strip_chars().str.replace_all(" +", " ").str.split(" ")
_ROUNDED: Final = 0.0101
"""Both are told to two digits, one of them in per cent."""


def _spacy_steps(rows: pl.DataFrame, losses: pl.Expr) -> pl.DataFrame:
    lost = losses.list.join(" ").str.contains("nan")
    schema = stored_schema("fact_steps")

    def value(place: int) -> pl.Expr:
        return pl.col("cell").list.get(place).cast(pl.Float64, strict=False)

    return rows.select(
        *_SHARED,
        pl.col("seq").alias("line_seq"),
        kind=pl.lit(str(Kind.STEP)),
        framework=pl.lit("spacy"),
        sub=pl.lit(0, pl.Int64),
        step=value(1).cast(schema["step"], strict=False),
        epoch=value(0),
        loss=pl.when(lost).then(float("nan")),
        grad_norm=pl.lit(None, pl.Float64),
        lr=pl.lit(None, pl.Float64),
        accuracy=value(-1),
    )


def _fast_bars(store: Store, header: dict[str, object]) -> pl.DataFrame:
    """The bars that fastai draws of an epoch's batches, with the loss behind them; those of a validation differ."""
    rows = _below(store, header, pl.col("text").str.contains(_FAST_BAR))
    told = pl.col("text").str.extract_groups(_FAST_BAR).struct
    rows = rows.with_columns(told.field(str(n)).cast(pl.Int64, strict=False).alias(f"n{n}") for n in range(1, 5))
    rows = rows.filter(pl.col("n4") == pl.col("n4").first())
    return rows.select(
        *_SHARED,
        pl.col("seq").alias("line_seq"),
        kind=pl.lit(str(Kind.STEP)),
        framework=pl.lit("fastai"),
        sub=pl.lit(0, pl.Int64),
        step=(pl.col("n1") - 1) * pl.col("n4") + pl.col("n3"),
        total_steps=pl.col("n2") * pl.col("n4"),
        loss=told.field("5").cast(pl.Float64, strict=False),
    )


_FAST_BAR: Final = (
    r"^Epoch (\d{1,6})/(\d{1,6}) : \|.{0,80}% \[(\d{1,9})/(\d{1,9}) [\d:?]+<[\d:?]+(?:\.\.\.)? "
    r"(-?\d{1,30}\.\d{1,9}|nan|inf)\]$"
)


def _below(store: Store, header: dict[str, object], row: pl.Expr) -> pl.DataFrame:
    """Lines under a header that look like rows."""
    scan = store.scan("log_lines").filter(
        (pl.col("seq") > header["seq"])
        & (pl.col("node") == header["node"])
        & pl.col("source").eq_missing(pl.lit(header["source"]))
        & row
    )
    return scan.select(*_SHARED, "seq", text=_plain()).head(_ROWS_AT_MOST).collect()


def _plain() -> pl.Expr:
    return _ruled(pl.col("text").str.replace_all(ANSI, "").str.replace(_WRAPPED, ""))


_TIME_OF_DAY: Final = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_CLOCK: Final = (
    rf"20[0-9]{{2}}-[0-9]{{2}}-[0-9]{{2}}[T ]{_TIME_OF_DAY}(?:[.,][0-9]{{1,9}})?(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?"
)
_LEVEL: Final = r"\[?(?:INFO|DEBUG)\]? {0,4}[:|-]?"
_WRAPPED: Final = (
    rf"^(?:\[{_CLOCK}\] |{_CLOCK} (?:std(?:out|err) [FP] )?"
    rf"(?:(?:[|-] (?:[A-Za-z_][0-9A-Za-z_.]{{0,60}} [|-] )?)?{_LEVEL} )?"
    rf"|\[?{_TIME_OF_DAY}\]? |{_LEVEL}[0-9A-Za-z_.]{{0,60}}:"
    rf"|[A-Z][a-z]{{2}} [ 0-9][0-9] {_TIME_OF_DAY} )?"
    r"(?:[A-Za-z][0-9A-Za-z_-]{0,62}[-_.][0-9]{1,4} +\| |\[pod/[!-Z^-~]{1,200}\] |\[[Rr]ank:? ?[0-9]{1,5}\]:? "
    r"|\[[0-9A-Za-z_.@-]{1,100},(?:[0-9]{1,5}|mpirank:[0-9]{1,5},[0-9A-Za-z_.-]{1,60})\]<std(?:out|err)>: ?"
    r"|\([A-Za-z]{1,60}(?:\[rank=[0-9]{1,5}\])? pid=[0-9]{1,9}[ -(*-~]{0,60}\) "
    r"|\{[0-9A-Za-z_.-]{1,60}:[0-9]{1,6}\} [A-Z]{4,8} - "
    r"|(?:[0-9A-Za-z][0-9A-Za-z_.-]{0,63} )?[0-9A-Za-z_./-]{1,64}\[[0-9]{1,9}\]: )?"
)
"""What collectors and launchers put before every line of a table, its names as its numbers."""


def _rows(
    store: Store,
    header: dict[str, object],
    separator: str,
    width: int,
    wanted: dict[str, int],
    clocks: dict[str, list[tuple[int, float]]],
) -> pl.DataFrame:
    text = _plain()
    row = (
        text.str.replace(_MARK, " ").str.contains(f"{_IN_COLUMNS}|{_GLUED}")
        if separator == " "
        else text.str.contains(_ROW) & text.str.contains(_SEPARATOR)
    )
    rows = _below(store, header, row)
    if separator == " ":
        rows = rows.with_columns(pl.col("text").str.replace(_MARK, " "))
        whole = pl.when(~pl.col("text").str.contains(r"\.\d+[.:]")).then("text")
        apart = whole.otherwise(pl.col("text").str.replace_all(r"(\.\d{6})", "$1 "))
        rows = rows.with_columns(text=apart.str.replace_all(" +", " "))
    rows = rows.with_columns(cell=pl.col("text").str.strip_chars(" |").str.split(separator))
    rows = rows.filter(pl.col("cell").list.len() == width)

    def value(name: str) -> pl.Expr:
        if name not in wanted:
            return pl.lit(None, pl.Float64)
        return _number(wanted[name])

    def clock(places: list[tuple[int, float]]) -> pl.Expr:
        read = pl.sum_horizontal([_number(place) * seconds for place, seconds in places], ignore_nulls=False)
        runs_on = (read.diff() >= 0).all() & (read.last() > _OF_ALL * read.median())
        return pl.when(~runs_on.fill_null(value=False)).then(read)

    schema = stored_schema("fact_steps")
    right = value("accuracy")
    steps = value("step") if "step" in wanted else value("epoch")
    found = rows.select(
        *_SHARED,
        pl.col("seq").alias("line_seq"),
        kind=pl.lit(str(Kind.STEP if "step" in wanted else Kind.EPOCH)),
        framework=pl.lit("table"),
        sub=pl.lit(0, pl.Int64),
        step=steps.cast(schema["step"], strict=False),
        epoch=value("epoch"),
        loss=value("loss"),
        eval_loss=value("val"),
        grad_norm=value("grad"),
        lr=value("lr"),
        loss_scale=value("scale"),
        accuracy=right / pl.when(right.max() > 1).then(100.0).otherwise(1.0),
        **agreed({column: clock(clocks[column]) if column in clocks else value("") for column in CLOCKS}),
    )
    return found.filter(pl.col("step").is_not_null() & pl.col("loss").is_not_null())


def _number(place: int) -> pl.Expr:
    cell = pl.col("cell").list.get(place).str.strip_chars()
    return cell.str.replace(r"^(-?\d{1,12}),(\d{1,12})$", "$1.$2").cast(pl.Float64, strict=False)

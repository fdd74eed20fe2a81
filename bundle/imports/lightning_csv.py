"""Training told as a CSV table: ``metrics.csv`` of Lightning's CSVLogger, and tables of any loop in that shape.

A table counts as one of training when its header names a step (or iteration, or epoch, or begins with a column that
counts up) and a loss, or clocks of a step; or when the file is named after a loss, and columns by the data they are
of (``train``, ``dev``), or not at all, as numpy.savetxt leaves them. Tables of Markdown are read as well. A column of
ranks tells those apart. Where cells are parted by semicolons or tabs, a comma may be the decimal point. Lightning
leaves blank what a row does not tell, and writes the table anew, with a longer header, when a new name turns up.
"""

from __future__ import annotations

import csv
import itertools
import re
from dataclasses import dataclass, fields, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports import run_state
from inquest.bundle.imports._values import (
    MAX_NAME,
    Row,
    batches,
    english,
    folder,
    int64,
    nanoseconds,
    number,
    reason_bits,
    teller,
)
from inquest.bundle.imports.metric_lines import (
    JUDGED,
    LONG_NAMES,
    LONG_VALUES,
    LOSS,
    MAX_RANK,
    PLANNED,
    RANK,
    RUN,
    SAMPLES,
    SPLIT,
    STEP,
    by_file,
    of_rank,
    of_training,
    on_data,
    run_called,
    split_of,
)
from inquest.bundle.imports.settings import in_comments, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_COLUMNS: Final = 2000
_MAX_LINE: Final = 1 << 18
_PANEL: Final = re.compile(r"(?P<run>.{1,200}) - (?P<name>.{1,200}?)(?P<edge>__(?:MIN|MAX))?")
"""A column of a panel that W&B's page gave for download: the run, the metric, and its extremes beside it."""
_TIME: Final = re.compile(r"(?:(?:wall|unix|epoch|utc)[_ ]?)?time(?:stamp)?|(?:unix_?)?ts|created_at", re.IGNORECASE)
_WALL: Final = re.compile(r"(?i)(?:wall|elapsed)(?:[ _]?(?:clock|time))?(?:[ _]?(?:s|secs?|seconds|h|hours))?")
"""Columns that tell how long a run has been on: they count nothing."""
_ITEM: Final = re.compile(
    r"(?i)(?:(?:sample|example|image|img|file|item|user|model|sentence|doc|document|query|question|trial)[_ ]?)?"
    r"(?:id|idx|uid|no)"
)
"""Columns that number what losses are of: they count no steps."""
_APART: Final = re.compile(r" {0,8}[A-Za-z][\w./%-]{0,60}(?: {2,40}[A-Za-z][\w./%-]{0,60}){2,60} {0,40}")
"""Names set apart by two blanks and more."""
_UNIT: Final = re.compile(r"\s*\[[^\[\]]{0,20}\]$")
_LOSS_ITSELF: Final = re.compile(r"(?i)(?:(?:train|training|val|valid|validation)[ _/.-]?)?loss(?:es)?")
"""The first column of a table that counts nothing."""
_NAMED: Final = 50
"""Rows among which a metric of training is named."""
_OF: Final = re.compile(r"(\d{1,12}) ?/ ?(\d{1,12})")
_COMMENTS: Final = 20
"""Lines that a program may write before the header."""
_ROWS: Final = 5
"""Rows that tell what a table is of."""
_NAME: Final = re.compile(r"[^\W\d][\w ./()%@:'\u2019+-]*")
_DOWNLOAD: Final = re.compile(r"(?:.*-)?tag-(?P<tag>.+?)(?: \(\d+\))?\.csv(?:\.gz|\.zst)?")
_TABLE: Final = re.compile(r"\.[ct]sv(?:\.|$)")
_VALUE: Final = "Value"
_EPOCH_S: Final = (1e9, 4.2e9)
"""Seconds of this century: what a column of times holds, if it holds times of day."""


@dataclass(frozen=True, slots=True)
class _Header:
    """Names of a table's columns, and which of them are not metrics."""

    sign: str
    names: tuple[str, ...]
    step: int | None
    epoch: int | None
    time: int | None
    rank: int | None
    run: int | None
    split: int | None
    metric: int | None = None
    """The column that names the metric of a row, whose value stands in the one called so."""

    @property
    def about(self) -> tuple[int | None, ...]:
        """Columns that say what a row is about."""
        return self.step, self.epoch, self.time, self.rank, self.run, self.split, self.metric


@dataclass(frozen=True, slots=True)
class LightningCsv:
    """See the module."""

    name: str = "lightning_csv"
    title: str = "CSV table of training metrics (Lightning CSVLogger)"
    tables: tuple[str, ...] = ("metrics",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A header with a step and a loss, and under it, as far as the beginning shows, rows of numbers and blanks."""
        text = source.head[:65536].decode("utf-8-sig", errors="replace")
        lines = list(_plain(text.splitlines() if text.endswith("\n") else text.splitlines()[:-1]))
        subject = by_file(source.name)
        at, header = _begin(lines, subject)
        if (
            header is None
            or run_state.of_row(source.head)
            or (_VALUE in header.names and (_tag(source) or subject) is None)
        ):
            return False
        named = PurePosixPath(source.name).name.lower()
        a_table = _TABLE.search(named) is not None and header.sign != " " and not _BAR.match(text.lstrip())
        if not a_table and not _ends_in_rows(source, header):
            return False  # a log that begins with a table
        below = [line for line in lines[at : at + 5] if not line.startswith("#")]
        rows = [line for line in below if not _header(line, subject)]
        if below and not rows:
            return False  # reports that each name a step and a loss, with commas between them
        if header.metric is not None:
            told = [_cells(line, header.sign) for line in lines[at : at + _NAMED]]
            if not of_training(cells[header.metric] for cells in told if header.metric < len(cells)):
                return False
        return all(_is_row(line, header) for line in rows) and _counts(rows, header)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a cell that holds a number; a folder is a run."""
        about = teller(source, "csv", folder(source.name))
        subject = by_file(source.name)
        tag = _tag(source) or subject
        rows = _rows(_lines(source.chunks(), context), context, subject)
        yield from batches({**about, **row, **({"name": tag} if row["name"] == _VALUE and tag else {})} for row in rows)


def _begin(lines: list[str], subject: str | None) -> tuple[int, _Header | None]:
    """Where the rows begin, and the header above them; without one, that of a table whose file says what it holds."""
    for at, line in enumerate(lines[:_COMMENTS]):
        if (header := _header(line, subject)) is not None:
            rows = lines[at + 1 : at + 1 + _ROWS]
            return at + 1, _in_whole_numbers(_indexed(header, rows), rows)
        if not line.startswith("#"):
            return at, _unnamed(lines[at : at + 5], subject)
    return 0, None


def _indexed(header: _Header, rows: list[str]) -> _Header:
    """The header of a printed data frame: its rows begin with an index, over which no name stands."""
    told = [_cells(row, header.sign) for row in rows]
    if header.sign != " " or not told or any(len(cells) != len(header.names) + 1 for cells in told):
        return header
    index = [int64(number(cells[0])) for cells in told]
    if None in index or any(high - low != 1 for low, high in itertools.pairwise(index)):  # type: ignore[operator]
        return header
    places = (getattr(header, field.name) for field in fields(header)[2:])
    return _Header(" ", ("", *header.names), *(None if at is None else at + 1 for at in places))


def _in_whole_numbers(header: _Header, rows: list[str]) -> _Header:
    """The header whose count is one: of several columns called so, one may tell seconds (``update,read,step``)."""
    called = [at for at, name in enumerate(header.names) if STEP.fullmatch(english(name).rpartition("/")[2])]
    cells = [_cells(row, header.sign) for row in rows if not row.startswith("#")]

    def whole(at: int) -> bool:
        told = [number(row[at]) for row in cells if at < len(row)]
        return bool(told) and all(value is not None and value.is_integer() for value in told)

    if len(called) < 2 or header.step is None or whole(header.step):
        return header
    return replace(header, step=next(filter(whole, called), header.step))


def _unnamed(lines: list[str], subject: str | None) -> _Header | None:
    """The header that rows of nothing but numbers would have, in a file that is named after a loss."""
    sign = next((sign for sign in ",;\t" if lines and sign in lines[0]), " ")
    rows = [[_value(cell, sign) for cell in _cells(line, sign)] for line in lines]
    width = len(rows[0]) if rows else 0
    if subject is None or len(rows) < _ROWS or any(len(row) != width or None in row for row in rows):
        return None
    first = [int64(row[0]) for row in rows]
    counts = width > 1 and None not in first and all(a < b for a, b in itertools.pairwise(first))  # type: ignore[operator]
    timed = counts and width > 2 and all(row[1] is not None and row[1] > _EPOCH_S[0] for row in rows)
    names = (*(("step",) if counts else ()), *(("time",) if timed else ()), subject, *("",) * width)[:width]
    return _Header(sign, names, 0 if counts else None, None, 1 if timed else None, None, None, None)


def _ends_in_rows(source: Source, header: _Header) -> bool:
    """Whether the last whole lines of a file are of the table too."""
    last = list(_plain(source.tail.decode("utf-8", errors="replace").split("\n")[1:-1]))[-3:]
    return all(line.startswith("#") or _header(line) or _is_row(line, header) for line in last)


def _plain(lines: Iterable[str]) -> Iterator[str]:
    """Lines that are not blank; of a Markdown table without the rule below its head, and with tabs for its bars."""
    for line in lines:
        barred = _BARRED.fullmatch(line)
        if barred is None:
            if line.strip() and not _SEPARATOR.fullmatch(line):
                yield line.replace('"', "") if _QUOTED.match(line) and _WORDS.fullmatch(line) else line
        elif not _RULE.fullmatch(barred[1]):
            yield "\t".join(cell.strip() for cell in _BAR.split(barred[1]))


_SEPARATOR: Final = re.compile(r"\ufeff?\"?sep=.\"?\s*")
"""What spreadsheets are told before the first line."""
_QUOTED: Final = re.compile(r'[^,;\t]*"[^,;\t]*$')
_WORDS: Final = re.compile(r'\s*(?:"[^"\s]*"|[^"\s]+)(?:\s+(?:"[^"\s]*"|[^"\s]+))*\s*')
"""Words set apart by blanks, some in quotes, as R writes a table."""
_BARRED: Final = re.compile(r"\s{0,8}[|│┃](.*[|│┃].*)[|│┃]\s*")
_BAR: Final = re.compile(r"[|│┃]")
_RULE: Final = re.compile(r"[\s:|=+-]+")


def _tag(source: Source) -> str | None:
    """The metric of a table that TensorBoard's page gave for download: only its name tells."""
    named = _DOWNLOAD.fullmatch(PurePosixPath(source.name).name)
    return named["tag"] if named else None


def _rows(lines: Iterable[str], context: Context, subject: str | None) -> Iterator[Row]:
    framework: Row = {}
    within = _WithinEpochs()
    left = _plain(lines)
    first = list(itertools.islice(left, _COMMENTS + _ROWS))
    header = _begin(first, subject)[1]
    comments = (line for line in first if line.startswith("#") and _header(line, subject) is None)
    yield from rows_of(in_comments(comments), None)
    for line in itertools.chain(first, left):
        again = _header(line, subject)
        if again is not None:
            again = _in_whole_numbers(again, first[first.index(line) + 1 :] if line in first else [])
            header = again if header is None or header.names[1:] != again.names else header
            lightning = header.epoch is not None and header.step is not None and header.names[header.step] == "step"
            framework = {"framework": "lightning"} if lightning else {}
            continue
        if line.startswith("#"):
            continue
        if header is None:
            context.refuse("line before the header")
            continue
        cells = _ungrouped(_cells(line, header.sign), header.sign)
        if len(cells) > len(header.names):
            context.refuse("line has more cells than the header")
            continue
        cells, planned = _counted_of(cells, header)
        about = _about(cells, header)
        if header.rank is None and header.run is None:
            within.count_on(about)
        if planned is not None:
            total = "total_epochs" if header.step == header.epoch else "total_steps"
            yield {**framework, **about, "name": total, "value": planned}
        for index, cell in enumerate(cells):
            value = None if index in header.about else _value(cell, header.sign)
            if value is None and cell and index not in header.about:
                value = reason_bits(header.names[index], cell)
            panel = _PANEL.fullmatch(header.names[index])
            if value is None or not header.names[index] or (panel is not None and panel["edge"]):
                continue
            named = {"run": panel["run"], "name": panel["name"]} if panel else of_rank(header.names[index])
            if header.metric is not None:
                if header.names[index].lower() not in LONG_VALUES or not 0 < len(cells[header.metric]) <= MAX_NAME:
                    continue
                named = {"name": cells[header.metric]}
            if header.split is not None and header.split < len(cells):
                named["name"] = on_data(named["name"], cells[header.split])
            yield {**framework, **about, **named, "value": value}


@dataclass(slots=True)
class _WithinEpochs:
    """Counts a step on that begins anew with every epoch, as a column of batches does."""

    epoch: float = 0.0
    step: int = 0
    before: int = 0
    """Steps of the epochs before this one."""

    def count_on(self, about: Row) -> None:
        """Make the step of a row one of the run."""
        epoch, step = about.get("epoch"), about.get("step")
        if epoch is None or step is None:
            return
        if epoch > self.epoch and step < self.step:
            self.before += self.step
        elif epoch < self.epoch:
            self.before = 0
        self.epoch, self.step = epoch, step
        about["step"] = step + self.before


def _ungrouped(cells: list[str], sign: str) -> list[str]:
    """Cells without the points between thousands, of a row in which a comma is the decimal point."""
    if sign not in ";\t" or not any(_DECIMAL.fullmatch(cell) for cell in cells):
        return cells
    return [cell.replace(".", "") if _GROUPED.fullmatch(cell) else cell for cell in cells]


_DECIMAL: Final = re.compile(r"-?\d{1,3}(?:\.?\d{3})*,\d+(?:[eE][-+]?\d+)?")
_GROUPED: Final = re.compile(r"-?\d{1,3}(?:\.\d{3})+(?:,\d+)?")


def _value(cell: str, sign: str) -> float | None:
    """The number in a cell; where commas do not part cells, one may be the decimal point."""
    return number(cell.replace(",", ".") if sign in ";\t" and cell.count(",") == 1 else cell)


def _is_row(line: str, header: _Header) -> bool:
    cells, at = _counted_of(_ungrouped(_cells(line, header.sign), header.sign), header)[0], header.step
    numbered = at is None or (at < len(cells) and (not cells[at] or number(cells[at]) is not None))
    told = any(_value(cell, header.sign) is not None for cell in cells)
    return numbered and told and len(cells) <= len(header.names)


def _counts(lines: list[str], header: _Header) -> bool:
    """Whether what is taken for steps counts up; a name that says so needs no proof."""
    at = header.step
    if at is None or STEP.fullmatch(english(header.names[at]).rpartition("/")[2]) or at == header.epoch:
        return True
    told = [int64(number(_cells(line, header.sign)[at])) for line in lines]
    known = [step for step in told if step is not None]
    return len(known) == len(told) > 1 and all(a < b for a, b in itertools.pairwise(known))


def _counted_of(cells: list[str], header: _Header) -> tuple[list[str], float | None]:
    """Cells of a row whose counter may say ``17/400``, without what it is of, and that."""
    at = header.step
    told = None if at is None or at >= len(cells) else _OF.fullmatch(cells[at])
    if told is None:
        return cells, None
    return [told[1] if index == at else cell for index, cell in enumerate(cells)], float(told[2])


def _about(cells: list[str], header: _Header) -> Row:
    def told(index: int | None) -> float | None:
        return None if index is None or index >= len(cells) else number(cells[index])

    when = told(header.time)
    if when is not None and when > _EPOCH_S[1]:
        when /= 1000
    rank = int64(told(header.rank))
    told_run = cells[header.run] if header.run is not None and header.run < len(cells) else ""
    run = run_called(header.names[header.run], told_run) if header.run is not None else None
    return {
        **({} if rank is None or not 0 <= rank < MAX_RANK else {"rank": rank, "rank_by": "content"}),
        **({"run": run} if run is not None else {}),
        "step": int64(told(header.step)),
        "epoch": told(header.epoch),
        "ts_ns": nanoseconds(when) if when is not None and when > _EPOCH_S[0] else None,
    }


_LABEL: Final = re.compile(
    r"(?i)^\s*(?:columns?|cols?|fields?|header|spalten|colonnes|columnas|colunas|colonne|столбцы|列)\s*[:=]\s*"
)
"""What says in a comment that names of columns follow, and is none of them."""


def _header(line: str, subject: str | None = None) -> _Header | None:
    sign = max(",;\t", key=line.count)
    words = _LABEL.sub("", line.lstrip("#"))
    if sign not in line and (words != line or _APART.fullmatch(line) or _counted(line)):
        sign = " "  # columns for an eye, or a plotting program
    told = [_UNIT.sub("", name.strip()) for name in _cells(words, sign)]
    of_losses = subject is not None and not of_training(told)
    names = tuple((split_of(name, subject) or name) if subject and of_losses else name for name in told)
    if not 2 <= len(names) <= MAX_COLUMNS or any(len(name) > MAX_NAME for name in names):
        return None
    if not all(_NAME.fullmatch(name) for name in names if name):
        return None
    known = tuple(english(name) for name in names)
    epoch = next((index for index, name in enumerate(known) if name.lower() in ("epoch", "epochs")), None)
    bare = [name.rpartition("/")[2] for name in known]
    counting = [index for index, name in enumerate(bare) if STEP.fullmatch(name)]
    step = min(
        counting,
        key=lambda index: (
            not _PLAYED.fullmatch(bare[index]),
            bool(PLANNED.fullmatch(bare[index])),
            bool(SAMPLES.fullmatch(bare[index])),
            index,
        ),
        default=epoch,
    )
    timed = _WALL.fullmatch(names[0]) is not None
    # The index of a data frame bears no name: of epochs where losses on data held out stand in it too.
    history = any(map(_LOSS_ITSELF.fullmatch, known)) and any(name.lower().startswith("val") for name in known)
    countable = not _ITEM.fullmatch(names[0]) if names[0] else history
    if step is None and countable and not (LOSS.search(known[0]) or _TIME.fullmatch(names[0]) or timed):
        step = 0  # whatever it is called: what lies under it has to count up
    low = [name.lower() for name in known]
    metric = next(
        (low.index(name) for name in LONG_NAMES if name in low and not set(low).isdisjoint(LONG_VALUES)), None
    )
    uncounted = step is None and _LOSS_ITSELF.fullmatch(known[timed]) is not None
    counted = counting or epoch is not None
    # A tracker may keep a file for each metric: what the rate was tells of the loss in another one.
    beside = counted and len(names) - (names[0] == "") <= _ALONE and any(map(_BESIDE.fullmatch, known))
    about = of_training(names) or beside or (counted and any(map(JUDGED.search, known)))
    if (step is None and not uncounted) or not (_VALUE in names or metric is not None or about):
        return None
    if "epoch" in known and "epochs" in known:  # how many there are to be
        epoch = known.index("epoch")
        step = epoch if step is not None and known[step] == "epochs" else step
        names = tuple("total_epochs" if known[at] == "epochs" else name for at, name in enumerate(names))
    time = next((index for index, name in enumerate(names) if _TIME.fullmatch(name)), None)
    rank = next((index for index, name in enumerate(names) if RANK.fullmatch(name)), None)
    run = next((index for index, name in enumerate(names) if RUN.fullmatch(name)), None)
    split = next((index for index, name in enumerate(names) if SPLIT.fullmatch(name)), None)
    return _Header(sign, names, step, epoch, time, rank, run, split, metric)


_ALONE: Final = 3
"""A counter, a value and maybe a time."""
_BESIDE: Final = re.compile(
    r"(?i)(?:[^/]{1,40}/){0,3}(?:\w{1,20}[_-])?(?:lr|learning[_ -]?rate|grad(?:ient)?[_ -]?norm)(?:[/_-]\w{1,30})?"
)
_PLAYED: Final = re.compile(r"(?i)total_?timesteps")
"""What libraries of games plan in, beside rounds that they number."""


def _counted(line: str) -> bool:
    """Whether words begin with one for a counter, as the header of a table does."""
    first = english(line.lstrip().split(" ", 1)[0])
    return STEP.fullmatch(first) is not None or first.lower() in ("epoch", "epochs")


def _cells(line: str, sign: str) -> list[str]:
    if sign == " ":
        return line.split()
    if '"' not in line:
        return [cell.strip() for cell in line.split(sign)]
    try:
        return next(iter(csv.reader([line], delimiter=sign)), [])
    except csv.Error:
        return []


def _lines(chunks: Iterable[bytes], context: Context) -> Iterator[str]:
    """Whole lines; a last one without an end may hold half a number."""
    rest = b""
    first = True
    for chunk in chunks:
        parts = (rest + chunk).split(b"\n")
        rest = parts.pop()
        for part in parts:
            yield part.decode("utf-8-sig" if first else "utf-8", errors="replace").rstrip("\r")
            first = False
        if len(rest) > _MAX_LINE:
            context.warn("A line without an end: the rest of the file was not read.")
            return
    if rest:
        context.refuse("line at the end of the file is torn")


KIND: Final = LightningCsv()

"""Training told as a CSV table: ``metrics.csv`` of Lightning's CSVLogger, and tables of any loop in that shape.

A table counts as one of training when its header names a step (or iteration, or epoch, or begins with a column that
counts up) and a loss, or clocks of a step. A column of ranks tells those apart. Where cells are parted by semicolons
or tabs, a comma may be the decimal point. Lightning leaves blank what a row does not tell, and writes the table anew,
with a longer header, when a new name turns up.
"""

from __future__ import annotations

import csv
import itertools
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import MAX_NAME, Row, batches, folder, int64, nanoseconds, number, teller
from inquest.bundle.imports.metric_lines import LOSS, MAX_RANK, PLANNED, RANK, SAMPLES, STEP, of_training

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_COLUMNS: Final = 2000
_MAX_LINE: Final = 1 << 18
_PANEL: Final = re.compile(r"(?P<run>.{1,200}) - (?P<name>[^-]{1,200}?)(?P<edge>__(?:MIN|MAX))?")
"""A column of a panel that W&B's page gave for download: the run, the metric, and its extremes beside it."""
_TIME: Final = re.compile(r"(?:(?:wall|unix|epoch|utc)[_ ]?)?time(?:stamp)?|(?:unix_?)?ts|created_at", re.IGNORECASE)
_APART: Final = re.compile(r" {0,8}[A-Za-z][\w./%-]{0,60}(?: {2,40}[A-Za-z][\w./%-]{0,60}){2,60} {0,40}")
"""Names set apart by two blanks and more."""
_RUN: Final = re.compile(r"(?:run|seed|fold|trial|replicate)(?:_?(?:id|name|no))?", re.IGNORECASE)
"""Columns that tell trainings apart which one table holds one after another."""
_NAME: Final = re.compile(r"[A-Za-z_][\w ./()%@:+-]*")
_DOWNLOAD: Final = re.compile(r"(?:.*-)?tag-(?P<tag>.+?)(?: \(\d+\))?\.csv(?:\.gz|\.zst)?")
_VALUE: Final = "Value"
_EPOCH_S: Final = (1e9, 4.2e9)
"""Seconds of this century: what a column of times holds, if it holds times of day."""


@dataclass(frozen=True, slots=True)
class _Header:
    """Names of a table's columns, and which of them are not metrics."""

    sign: str
    names: tuple[str, ...]
    step: int
    epoch: int | None
    time: int | None
    rank: int | None
    run: int | None

    @property
    def about(self) -> tuple[int | None, ...]:
        """Columns that say what a row is about."""
        return self.step, self.epoch, self.time, self.rank, self.run


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
        lines = text.splitlines() if text.endswith("\n") else text.splitlines()[:-1]
        header = _header(lines[0]) if lines else None
        if header is not None and _VALUE in header.names and _tag(source) is None:
            return False
        rows = [line for line in lines[1:6] if not line.startswith("#") and not _header(line)]
        return header is not None and all(_is_row(line, header) for line in rows) and _counts(rows, header)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a cell that holds a number; a folder is a run."""
        about = teller(source, "csv", folder(source.name))
        tag = _tag(source)
        rows = _rows(_lines(source.chunks(), context), context)
        yield from batches({**about, **row, **({"name": tag} if row["name"] == _VALUE and tag else {})} for row in rows)


def _tag(source: Source) -> str | None:
    """The metric of a table that TensorBoard's page gave for download: only its name tells."""
    named = _DOWNLOAD.fullmatch(PurePosixPath(source.name).name)
    return named["tag"] if named else None


def _rows(lines: Iterable[str], context: Context) -> Iterator[Row]:
    header: _Header | None = None
    framework: Row = {}
    for line in lines:
        if not line.strip():
            continue
        again = _header(line)
        if again is not None:
            header = again
            lightning = header.epoch is not None and header.names[header.step] == "step"
            framework = {"framework": "lightning"} if lightning else {}
            continue
        if line.startswith("#"):
            continue
        if header is None:
            context.refuse("line before the header")
            continue
        cells = _cells(line, header.sign)
        if len(cells) > len(header.names):
            context.refuse("line has more cells than the header")
            continue
        about = _about(cells, header)
        for index, cell in enumerate(cells):
            value = None if index in header.about else _value(cell, header.sign)
            panel = _PANEL.fullmatch(header.names[index])
            if value is None or (panel is not None and panel["edge"]):
                continue
            named = {"run": panel["run"], "name": panel["name"]} if panel else {"name": header.names[index]}
            yield {**framework, **about, **named, "value": value}


def _value(cell: str, sign: str) -> float | None:
    """The number in a cell; where commas do not part cells, one may be the decimal point."""
    return number(cell.replace(",", ".") if sign in ";\t" and cell.count(",") == 1 else cell)


def _is_row(line: str, header: _Header) -> bool:
    cells = _cells(line, header.sign)
    numbered = header.step < len(cells) and (not cells[header.step] or number(cells[header.step]) is not None)
    told = any(_value(cell, header.sign) is not None for cell in cells)
    return numbered and told and len(cells) <= len(header.names)


def _counts(lines: list[str], header: _Header) -> bool:
    """Whether what is taken for steps counts up; a name that says so needs no proof."""
    if STEP.fullmatch(header.names[header.step].rpartition("/")[2]) or header.step == header.epoch:
        return True
    told = [int64(number(_cells(line, header.sign)[header.step])) for line in lines]
    known = [step for step in told if step is not None]
    return len(known) == len(told) > 1 and all(a < b for a, b in itertools.pairwise(known))


def _about(cells: list[str], header: _Header) -> Row:
    def told(index: int | None) -> float | None:
        return None if index is None or index >= len(cells) else number(cells[index])

    when = told(header.time)
    if when is not None and when > _EPOCH_S[1]:
        when /= 1000
    rank = int64(told(header.rank))
    run = cells[header.run] if header.run is not None and header.run < len(cells) else ""
    if header.run is not None and run and not header.names[header.run].lower().startswith("run"):
        run = f"{header.names[header.run]}={run}"
    return {
        **({} if rank is None or not 0 <= rank < MAX_RANK else {"rank": rank, "rank_by": "content"}),
        **({"run": run} if 0 < len(run) <= MAX_NAME else {}),
        "step": int64(told(header.step)),
        "epoch": told(header.epoch),
        "ts_ns": nanoseconds(when) if when is not None and when > _EPOCH_S[0] else None,
    }


def _header(line: str) -> _Header | None:
    sign = max(",;\t", key=line.count)
    if sign not in line and (
        line.startswith("#") or _APART.fullmatch(line)
    ):  # columns for an eye, or a plotting program
        line, sign = line.lstrip("#"), " "
    names = tuple(name.strip() for name in _cells(line, sign))
    if not 2 <= len(names) <= MAX_COLUMNS or any(len(name) > MAX_NAME for name in names):
        return None
    if not all(_NAME.fullmatch(name) for name in names if name):
        return None
    epoch = next((index for index, name in enumerate(names) if name.lower() in ("epoch", "epochs")), None)
    bare = [name.rpartition("/")[2] for name in names]
    counting = [index for index, name in enumerate(bare) if STEP.fullmatch(name)]
    step = min(
        counting,
        key=lambda index: (bool(PLANNED.fullmatch(bare[index])), bool(SAMPLES.fullmatch(bare[index])), index),
        default=epoch,
    )
    if step is None and names[0] and not LOSS.search(names[0]) and not _TIME.fullmatch(names[0]):
        step = 0  # whatever it is called: what lies under it has to count up
    if step is None or not (_VALUE in names or of_training(names)):
        return None
    time = next((index for index, name in enumerate(names) if _TIME.fullmatch(name)), None)
    rank = next((index for index, name in enumerate(names) if RANK.fullmatch(name)), None)
    run = next((index for index, name in enumerate(names) if _RUN.fullmatch(name)), None)
    return _Header(sign, names, step, epoch, time, rank, run)


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

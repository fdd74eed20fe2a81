"""Training told as a CSV table: ``metrics.csv`` of Lightning's CSVLogger, and tables of any loop in that shape.

A table counts as one of training when its header names a step (or iteration) and a loss. Lightning leaves blank what a
row does not tell, and writes the table anew, with a longer header, when a new name turns up.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import MAX_NAME, Row, batches, folder, int64, nanoseconds, number, teller

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_COLUMNS: Final = 2000
_MAX_LINE: Final = 1 << 18
_STEP: Final = re.compile(
    r"(?:trainer/|train/|train_)?(?:global[_ ]?)?(?:step|iter|iteration|it|update)s?", re.IGNORECASE
)
_LOSS: Final = re.compile(r"(?:^|[_/ .-])(?:loss|nll|perplexity|ppl)(?:$|[_/ .-])", re.IGNORECASE)
_TIME: Final = re.compile(r"(?:wall[_ ]?)?time(?:stamp)?|ts|created_at", re.IGNORECASE)
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
        return header is not None and all(_header(line) or _is_row(line, header) for line in lines[1:6])

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
        if header is None:
            context.refuse("line before the header")
            continue
        cells = _cells(line, header.sign)
        if len(cells) > len(header.names):
            context.refuse("line has more cells than the header")
            continue
        about = _about(cells, header)
        for index, cell in enumerate(cells):
            value = None if index in (header.step, header.epoch, header.time) else number(cell)
            if value is not None:
                yield {**framework, **about, "name": header.names[index], "value": value}


def _is_row(line: str, header: _Header) -> bool:
    cells = _cells(line, header.sign)
    numbered = header.step < len(cells) and (not cells[header.step] or number(cells[header.step]) is not None)
    return numbered and len(cells) <= len(header.names) and any(number(cell) is not None for cell in cells)


def _about(cells: list[str], header: _Header) -> Row:
    def told(index: int | None) -> float | None:
        return None if index is None or index >= len(cells) else number(cells[index])

    when = told(header.time)
    if when is not None and when > _EPOCH_S[1]:
        when /= 1000
    return {
        "step": int64(told(header.step)),
        "epoch": told(header.epoch),
        "ts_ns": nanoseconds(when) if when is not None and when > _EPOCH_S[0] else None,
    }


def _header(line: str) -> _Header | None:
    sign = max(",;\t", key=line.count)
    names = tuple(name.strip() for name in _cells(line, sign))
    if not 2 <= len(names) <= MAX_COLUMNS or any(len(name) > MAX_NAME for name in names):
        return None
    if not all(_NAME.fullmatch(name) for name in names if name):
        return None
    step = next((index for index, name in enumerate(names) if _STEP.fullmatch(name)), None)
    if step is None or not any(name == _VALUE or _LOSS.search(name) for name in names):
        return None
    epoch = next((index for index, name in enumerate(names) if name.lower() in ("epoch", "epochs")), None)
    time = next((index for index, name in enumerate(names) if _TIME.fullmatch(name)), None)
    return _Header(sign, names, step, epoch, time)


def _cells(line: str, sign: str) -> list[str]:
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

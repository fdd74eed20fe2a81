"""What cells of a Jupyter notebook printed: the log of a training that somebody ran by hand.

Only outputs are taken, never the code: text of both streams, values, tables of HTML (a Trainer in a notebook prints
its reports as one), and what a cell raised. Cells come in the order in which they were run.

Format: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import html
import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.errors import InputError
from inquest.bundle.imports import text
from inquest.bundle.imports.log import clock_of, ranks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_CELLS: Final = re.compile(rb'"(?:cell_type|cells)"\s*:')
_FORMAT: Final = re.compile(rb'"nbformat"\s*:\s*\d')
_MOST: Final = 64 << 20
"""Bytes of a notebook: those with larger ones hold pictures."""
_ROW: Final = re.compile(r"(?i)<(/?)tr\b")
_CELL: Final = re.compile(r"(?i)<(/?)t[hd]\b")
_TAG: Final = re.compile(r"<[^<>]{0,200}>")
_MOST_ROWS: Final = 100_000
_LATER: Final = 1 << 40
"""The place of a cell that was never run, or has forgotten when."""


class _Notebook:
    name = "notebook"
    title = "Output of a Jupyter notebook"
    tables = ("log_lines",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        return _CELLS.search(source.head) is not None and _FORMAT.search(source.head + source.tail) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        try:
            notebook = json.loads(source.read(_MOST))
            cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            raise InputError(f"{source.name}: is no whole notebook ({type(error).__name__}).") from error
        said = "\n".join(line for cell in sorted(cells, key=_when) for line in _printed(cell))
        if not said.strip():
            context.warn(f"{source.name}: no cell of this notebook has kept what it printed.")
            return
        clock = clock_of(source, context)
        for frame in text.frames([said.encode("utf-8", "replace")]):
            yield (
                "log_lines",
                frame.with_columns(
                    clock.ts_ns(frame["text"]).alias("ts_ns"), *ranks(frame["text"], source), stream=pl.lit("file")
                ).drop("offset"),
            )


KIND = _Notebook()


def _when(cell: dict[str, Any]) -> int:
    count = cell.get("execution_count")
    return count if isinstance(count, int) else _LATER


def _printed(cell: dict[str, Any]) -> Iterator[str]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        if output.get("output_type") == "error":
            yield from _joined(output.get("traceback"), "\n").split("\n")
            continue
        data = output.get("data")
        held = data if isinstance(data, dict) else {}
        if rows := list(_rows(_joined(held.get("text/html")))):
            yield from rows
        else:
            yield from (_joined(output.get("text")) or _joined(held.get("text/plain"))).removesuffix("\n").split("\n")


def _rows(page: str) -> Iterator[str]:
    """Rows of a table, as Markdown draws them."""
    for row in islice(_within(page, _ROW), _MOST_ROWS):
        cells = (html.unescape(_TAG.sub("", cell)).strip() for cell in _within(row, _CELL))
        yield f"| {' | '.join(cells)} |"


def _within(page: str, tag: re.Pattern[str]) -> Iterator[str]:
    """What stands between each tag that opens and the one that closes it; one pass, whatever the page is."""
    begin = None
    for found in tag.finditer(page):
        if not found[1]:
            begin = found.end()
        elif begin is not None:
            yield page[begin : found.start()].partition(">")[2]
            begin = None


def _joined(value: object, between: str = "") -> str:
    """Text that a notebook keeps as one, or line by line."""
    if isinstance(value, list):
        return between.join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""

"""GPU readings that somebody's own script wrote as JSON lines, as the table that `own_gpu_csv` reads.

An object a line is a row; one that holds a list of GPUs (``{"ts": ..., "gpus": [{"util": 98}, ...]}``) is one of each.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OF_A_GPU: Final = re.compile(r"(?i)gpu(?:_?(?:id|idx|index|no|num(?:ber)?|nr))?")
"""A member that says of which GPU an object is, beside which a bare name is no other thing's."""
_BARE: Final = re.compile(r"(?i)util(?:i[sz]ation)?|usage|busy")


def as_table(lines: Iterable[str]) -> Iterator[str]:
    """Lines of a table with its header; those of a file that holds no objects as they are."""
    given = iter(lines)
    first = next(given, None)
    if first is None:
        return
    if not first.lstrip("\ufeff \t").startswith("{"):
        yield first
        yield from given
        return
    names: list[str] = []
    for line in chain((first,), given):
        for row in _rows(line):
            if not names:
                names = list(row)
                yield "\t".join(_called(names))
            yield "\t".join(row.get(name, "") for name in names)


def _called(names: list[str]) -> Iterator[str]:
    of_gpus = any(map(_OF_A_GPU.fullmatch, names))
    return (f"gpu_{name}" if of_gpus and _BARE.fullmatch(name) else name for name in names)


def _rows(line: str) -> Iterator[dict[str, str]]:
    """The rows of an object; none of a line that is cut, or is none."""
    try:
        told = json.loads(line.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return
    if not isinstance(told, dict):
        return
    around = _cells(told)
    held = [value for value in told.values() if isinstance(value, list)]
    if len(held) != 1:
        yield around
        return
    for at, item in enumerate(held[0]):
        if isinstance(item, dict):
            own = _cells(item)
            index = {} if any(map(_OF_A_GPU.fullmatch, own)) or "index" in own else {"gpu": str(at)}
            yield {**around, **index, **own}


def _cells(told: dict[str, object]) -> dict[str, str]:
    """Numbers and words of an object, as cells of a table have them."""
    return {
        name: (f"{value:.6f}" if isinstance(value, float) else re.sub(r"\s+", " ", str(value)))
        for name, value in told.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }

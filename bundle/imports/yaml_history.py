"""Histories of training as YAML keeps them: a map for each report, or a list for each metric.

No more of YAML is read than what a dump of such numbers looks like; whatever else stands in a file is passed over.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.imports._values import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAMED: Final = re.compile(r"(?i)\.ya?ml(?:\.gz|\.zst)?$")
_KEY: Final = r"[\"']?(?P<name>[^\W\d][\w ./-]{0,100}?)[\"']?"
_PAIR: Final = re.compile(rf"(?P<item> *(?:- +)?){_KEY}:(?: +(?P<value>[^#]{{1,200}}?))? *(?:#.*)?")
_ITEM: Final = re.compile(r" *- +(?P<value>[^\s#:]{1,40}) *(?:#.*)?")
_FLOW: Final = re.compile(r" *- +\{(?P<pairs>[^{}]{1,4000})\} *")
_FLAT: Final = re.compile(r"\[([^\[\]]{0,200000})\]")
_SPECIAL: Final = {".nan": math.nan, ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, "null": None, "~": None}
_MOST: Final = 1_000_000
"""Numbers of one list."""


def objects(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The maps of a file in their order, and last the lists of numbers by their names, where it holds any."""
    lists: dict[str, list[Any]] = {}
    row: dict[str, Any] = {}
    opened = ""
    for line in lines:
        if (flow := _FLOW.fullmatch(line)) is not None:
            if row:
                yield row
                row = {}
            pairs = (pair.partition(":") for pair in flow["pairs"].split(","))
            yield {name.strip(" \"'"): _value(value) for name, _, value in pairs}
        elif (item := _ITEM.fullmatch(line)) is not None:
            if opened and len(lists.setdefault(opened, [])) < _MOST:
                lists[opened].append(_value(item["value"]))
        elif (pair := _PAIR.fullmatch(line)) is not None:
            if "-" in pair["item"] and row:
                yield row
                row = {}
            opened = "" if pair["value"] else pair["name"]
            flat = _FLAT.fullmatch(pair["value"] or "")
            if flat is not None:
                lists[pair["name"]] = [_value(each) for each in flat[1].split(",")]
            elif pair["value"]:
                row[pair["name"]] = _value(pair["value"])
        elif line.startswith(("---", "...")) and row:
            yield row
            row = {}
    if row:
        yield row
    if lists:
        yield lists


def _value(text: str) -> float | str | None:
    """A number, nothing, or the text itself."""
    bare = text.strip().strip("\"'")
    if bare.lower() in _SPECIAL:
        return _SPECIAL[bare.lower()]
    told = number(bare)
    return bare if told is None else int(told) if told.is_integer() and "." not in bare else told

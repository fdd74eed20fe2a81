"""Files that a loop says it writes, in whatever words: a name that bears the count of the reports beside it.

``  >> gewichte.00000550 geschrieben, Schreiben [s] 0.094`` below the report of step 550, ``W000600`` below one of 19200
and ``W000700`` below one of 22400: only what is saved on the way is named so, line after line. Where a registered
pattern tells of saves nothing is looked for.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import COLUMNS, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inquest.analyze.logs.reader import Line
    from inquest.bundle.store import Store

_Row = dict[str, Any]

BY_ITS_FILE: Final = "progress.saved_file"
"""The pattern of these events."""


def saved_files(store: Store, steps: pl.DataFrame, events: Sequence[_Row]) -> list[_Row]:
    """Events of kind ``checkpoint_saved`` with the file as their subject; none where another pattern tells of saves.

    Args:
        store: The recorded tables.
        steps: What was reported of progress.
        events: What registered patterns found.
    """
    if steps.is_empty() or any(event["kind"] in _TOLD for event in events):
        return []
    told = steps.filter(
        pl.col("step").is_not_null()
        & pl.col("line_seq").is_not_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("line_seq")
    told = told.filter(pl.col("kind").ne_missing(str(Kind.EPOCH)))  # once an epoch everybody saves
    found = []
    for (node, capture, source), mine in told.group_by("node", "capture", "source", maintain_order=True):
        seqs, counts = mine["line_seq"].to_list(), mine["step"].to_list()
        if len(set(counts)) < _LEAST:
            continue
        here = (
            (pl.col("node") == node)
            & (pl.col("capture") == capture)
            & pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
            & pl.col("seq").is_between(max(seqs[0], seqs[-1] - _READ), seqs[-1] + 1)
            & pl.col("text").str.contains(_MAY_BE)
        )
        lines = store.scan("log_lines").filter(here).select(COLUMNS).collect(engine="streaming")
        lines = lines.filter(pl.col("text").str.contains(_FILE)).sort("seq").head(_READ)
        reports = set(seqs)
        found += _told(seqs, counts, (line for line in read(lines) if line.seq not in reports))
    return found


def _told(seqs: list[int], counts: list[int], lines: Iterable[Line]) -> list[_Row]:
    """The saves among the lines of one stream: those of the form that is told most, where their counts go along."""
    forms: dict[str, list[tuple[Line, str, int, int]]] = {}
    at = 0
    for line in lines:
        name = _NAME.search(line.text[:_WIDE])
        if name is None or _OF_ELSE.search(line.text[:_WIDE]) is not None:
            continue
        while at + 1 < len(seqs) and seqs[at + 1] < line.seq:
            at += 1
        number = int(name["count"] or name["tail"])
        forms.setdefault(_DIGITS.sub("#", line.text[:_WIDE]), []).append((line, name[0], number, counts[at]))
    best = max(forms.values(), key=len, default=[])
    of_data = any(_OF_DATA.search(name) for _, name, *_ in best)
    if len(best) < _LEAST or not _go_along([(number, count) for *_, number, count in best], exactly=of_data):
        return []
    return [
        {
            **line.where,
            "pattern": BY_ITS_FILE,
            "kind": str(Kind.CHECKPOINT_SAVED),
            "role": "marker",
            "framework": "progress",
            "subject": name,
            "num": float(count),
            "num_unit": "step",
            "text": line.text[:2000],
        }
        for line, name, _, count in best
    ]


def _go_along(told: list[tuple[int, int]], *, exactly: bool) -> bool:
    """Whether the numbers of files only grow, each by as much as the reports above them count, or its part of that.

    Shards of data are read at an even pace as well: what may be one has to bear the very count.
    """
    numbers = [number for number, _ in told]
    if any(later <= sooner for sooner, later in itertools.pairwise(numbers)):
        return False
    if told[-1][0] > told[-1][1]:
        return False  # steps in the name, and epochs in the reports: once an epoch everybody saves
    grown = [(number - told[0][0], count - told[0][1]) for number, count in told[1:] if number > told[0][0]]
    if sum(number == count for number, count in told) >= _ALWAYS * len(told) or exactly:
        return sum(number == count for number, count in told) >= _ALWAYS * len(told)
    ratios = sorted(count / number for number, count in grown if count > 0)
    if len(ratios) < _ALWAYS * len(grown):
        return False
    middle = ratios[len(ratios) // 2]
    return sum(abs(ratio - middle) <= _ALIKE * middle for ratio in ratios) >= _ALWAYS * len(ratios)


_TOLD: Final = frozenset({Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN})
_LEAST: Final = 5
_READ: Final = 20_000
_WIDE: Final = 300
_ALWAYS: Final = 0.9
_ALIKE: Final = 0.1
_ENDINGS: Final = (
    r"pth?|ckpt|cpt|h5|hdf5|keras|safetensors|npz|pkl|pickle|bin|mat|rds|jld2?|bson|onnx|msgpack|eqx|pdparams|params|model|mdl"
    r"|net|nemo|weights|wts|state|joblib|chk|snap|snapshot|solverstate|caffemodel|t7|gguf|sav|dump|bak"
)
"""What weights are kept in; data stand in other files."""
_OF_DATA: Final = re.compile(r"(?i)\.(?:bin|npz|npy|h5|hdf5|pkl|pickle|mat|rds|state|dump)$")
"""Endings that files of data have, too."""
_FILE: Final = rf"(?i)\d[\w-]{{0,24}}\.(?:{_ENDINGS})\b|[A-Za-z]\w{{0,40}}\.\d{{4,12}}\b"
_MAY_BE: Final = rf"\.(?i-u:{_ENDINGS})|(?-u:[A-Za-z][A-Za-z0-9_]*\.[0-9]{{4}})"
"""What ``_FILE`` can be in, at a tenth of its cost: of a clean log every line is asked."""
_NAME: Final = re.compile(
    rf"(?i)(?:[\w./-]{{0,160}}?[^\d\s\"'(=])?(?P<count>\d{{1,12}})[a-z_-]{{0,24}}\.(?:{_ENDINGS})\b"
    r"|[\w/-]{1,160}[A-Za-z]\w{0,40}\.(?P<tail>\d{4,12})\b"
)
_DIGITS: Final = re.compile(r"\d+")
_OF_ELSE: Final = re.compile(
    r"(?i)\b(?:load(?:ed|ing)?|read(?:ing)?|restor\w+|resum\w+|open(?:ed|ing)?|download\w*|delet\w+|remov\w+|evict\w*|prun\w+"
    r"|rotat\w+|geladen|gelesen|gel\u00f6scht|lecture|charg\w+|lu|supprim\w+|leyendo|cargad\w+|carregad\w+|letti?|caricat\w+)\b"
    r"|\u8bfb|\u52a0\u8f7d|\u8aad|\u5220\u9664|\u524a\u9664|\uc77d|\uc0ad\uc81c|(?:sampl|predict|plot|fig|video|shard|batch|cache|chunk)\w*[/_-]?\d"
)
"""A file that is read or taken away, or of something else than weights."""

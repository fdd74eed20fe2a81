"""What part of a time a loop waited for its data, where it says so in a phrase: ``waited 26.1 of 36.3 s on loader``.

``wall 4.34 s, of which zarr read 0.13 s``, ``loader 0.47/15.63 s``, ``filterbank I/O 78 %``. Asked where no clock of a
report is called by a usual name.
"""

# ruff: noqa: E501, SIM905 (regular expressions are kept whole, so that they can be searched for; words are read more easily as text)

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

GATE: Final = r"(?i)\bof\b|/|%|thereof|davon|incl"
_N: Final = r"(\d{1,9}(?:\.\d{1,9})?)"
_UNIT: Final = r"(ms|millis|s|secs?|seconds?|min(?:ute)?s?|h)"
_DATA: Final = (
    r"(?:[a-z0-9_/.-]*(?:data|loader|loading|input|fetch|read(?:s|er|ing)?|i/?o|io|shards?|feed(?:er|ing)?|prefetch|decod(?:e|ing)"
    r"|stream(?:ing)?|starv\w{2,5}|queue|batches|files?|disk|nas|nfs|lustre|jdbc|sql|hdf5|zarr|parquet|pictures|images|tiles)"
    r"|[\w ]{0,12}(?:데이터|대기|数据|等待|データ|待ち|attente|espera|warten|wartezeit|wachttijd|ожидани\w|czekani\w|bekleme)[\w ]{0,12}"
    r"|wait(?:ed|ing|s)?|idle|stall(?:ed)?|stood still|want of \w{2,20})"
)
_NAMED: Final = (
    *"data load input fetch read i/o io shard feed decod stream starv queue batches file disk nas nfs lustre jdbc sql".split(),
    *"hdf5 zarr parquet pictures images tiles wait idle stall which thereof davon dont incl".split(),
    *"데이터 대기 数据 等待 データ 待ち attente espera wart wacht ожидани czekani bekleme".split(),
    *("stood still", "want of", "di cui", "out of it"),
)
"""One of these stands in every such phrase."""
_OTHER: Final = (
    r"(?i)sav|ckpt|checkpoint|snapshot|comm\b|reduce|gather|sync|barrier|peers?\b|other ranks|eval|valid|test|forward|backward"
    r"|fwd|bwd|optim|logg|plot|compil|write|writing|upload|gradient"
)
"""What else a loop may wait for, or spend its time in."""
_WORDS: Final = r"[a-z_ /,.'&-]{0,32}?"
_PART_OF: Final = (
    rf"(?i)\b({_DATA}{_WORDS})[ :=(]{{1,3}}{_N} ?{_UNIT}? ?(?:of|/|out of)(?: the)? {{0,2}}{_N} ?{_UNIT}\b({_WORDS})"
)
"""A part, and the whole behind it."""
_OF_WHICH: Final = (
    rf"(?i){_N} ?{_UNIT}\b[a-z/ ]{{0,24}}[,;(]? {{0,2}}(?:of which|thereof|davon|dont|di cui|incl(?:\.|uding)|out of it)"
    rf"(?: was| were| in| for)? ([a-z0-9_/. -]{{0,40}}?)[ :=]{{1,3}}{_N} ?{_UNIT}\b"
)
"""The whole, and a part of it behind."""
_OF_THEM: Final = (
    rf"(?i){_N} ?{_UNIT}\b[a-z/ ]{{0,24}}[,;(] ?({_DATA}{_WORDS})[ :=]{{1,3}}{_N} ?{_UNIT} of (?:them|it|that|those)\b"
)
_LAID_OUT: Final = (
    rf"(?i)\b(?:step|iter|batch|total|wall)[ :=]{{1,2}}{_N} ?{_UNIT}: ?({_DATA})[ :=]{{1,2}}{_N} ?{_UNIT}\b"
)
"""``step 85.0 ms: shards 2.6 ms, rest 82.5 ms``"""
_SHARE: Final = rf"(?i)(?:^|[\s|,;(\[])({_DATA}{_WORDS})[ :=(]{{1,3}}{_N} ?%"
"""``input pipeline 62 %``; also of a share that is left to it."""


class _Phrase(NamedTuple):
    """A regex, and its groups: value and unit of the whole and of its part, and the names of what is waited for."""

    regex: str
    whole: tuple[int, int]
    part: tuple[int, int]
    names: tuple[int, ...]


_PHRASES: Final = (
    _Phrase(_PART_OF, (4, 5), (2, 3), (1, 6)),
    _Phrase(_OF_WHICH, (1, 2), (4, 5), (3,)),
    _Phrase(_OF_THEM, (1, 2), (4, 5), (3,)),
    _Phrase(_LAID_OUT, (1, 2), (4, 5), (3,)),
)
_SECONDS: Final = {
    "ms": 1e-3,
    "millis": 1e-3,
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    "h": 3600.0,
}


def waits(text: pl.Series) -> pl.DataFrame:
    """Seconds of the ``whole``, of its ``part`` that was waited, and the ``share`` where only that is told; or null."""
    rows = pl.DataFrame({"text": text}).with_row_index("row")
    # Most lines name nothing that is waited for, and looking for phrases in them would cost a hundred times as much.
    spoken = rows.filter(
        pl.col("text").str.contains_any(_NAMED, ascii_case_insensitive=True) & pl.col("text").str.contains(GATE)
    )
    # First what is found, then what it means: an expression that is named twice is worked out twice.
    found = spoken.select(
        "row",
        *(pl.col("text").str.extract_groups(each.regex).alias(each.regex) for each in _PHRASES),
        pl.col("text").str.extract_groups(_SHARE).alias(_SHARE),
    )
    told = [_read(phrase) for phrase in _PHRASES]
    shares = pl.col(_SHARE).struct
    share = shares.field("2").cast(pl.Float64, strict=False) / 100
    read = found.select(
        "row",
        whole=pl.coalesce(*(whole for whole, _ in told)),
        part=pl.coalesce(*(part for _, part in told)),
        share=pl.when((share <= 1) & ~shares.field("1").str.contains(_OTHER)).then(share),
    )
    return rows.select("row").join(read, on="row", how="left", maintain_order="left").drop("row")


def _read(phrase: _Phrase) -> tuple[pl.Expr, pl.Expr]:
    """The whole and the part that a phrase tells, where nothing else is waited for."""
    fields = pl.col(phrase.regex).struct
    named = [fields.field(str(group)).fill_null("").str.contains(_OTHER) for group in phrase.names]

    def seconds(value: int, unit: int) -> pl.Expr:
        units = pl.coalesce(fields.field(str(unit)), fields.field(str(phrase.whole[1]))).str.to_lowercase()
        scale = units.replace_strict(_SECONDS, default=None, return_dtype=pl.Float64)
        return fields.field(str(value)).cast(pl.Float64, strict=False) * scale

    whole, part = seconds(*phrase.whole), seconds(*phrase.part)
    fits = ~pl.any_horizontal(named) & (part <= whole) & (whole > 0)
    return pl.when(fits).then(whole), pl.when(fits).then(part)

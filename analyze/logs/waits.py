"""What part of a time a loop waited for its data, where it says so in a phrase: ``waited 26.1 of 36.3 s on loader``.

``wall 4.34 s, of which zarr read 0.13 s``, ``loader 0.47/15.63 s``, ``filterbank I/O 78 %``. Asked where no clock of a
report is called by a usual name.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import Final

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
_SECONDS: Final = {
    "ms": 1e-3,
    "millis": 1e-3,
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    "h": 3600.0,
}


def waits(text: pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Seconds of the whole, seconds of the wait, and the share of the wait where only that is told; null: untold."""

    def found(regex: str, whole: tuple[int, int], part: tuple[int, int], *names: int) -> tuple[pl.Expr, pl.Expr]:
        fields = text.str.extract_groups(regex).struct
        named = [fields.field(str(group)).fill_null("").str.contains(_OTHER) for group in names]
        own = ~pl.any_horizontal(named)

        def seconds(value: int, unit: int) -> pl.Expr:
            units = pl.coalesce(fields.field(str(unit)), fields.field(str(whole[1]))).str.to_lowercase()
            return fields.field(str(value)).cast(pl.Float64, strict=False) * units.replace_strict(
                _SECONDS, default=None, return_dtype=pl.Float64
            )

        all_of_it, waited = seconds(*whole), seconds(*part)
        fits = own & (waited <= all_of_it) & (all_of_it > 0)
        return pl.when(fits).then(all_of_it), pl.when(fits).then(waited)

    told = (
        found(_PART_OF, (4, 5), (2, 3), 1, 6),
        found(_OF_WHICH, (1, 2), (4, 5), 3),
        found(_OF_THEM, (1, 2), (4, 5), 3),
        found(_LAID_OUT, (1, 2), (4, 5), 3),
    )
    whole = pl.coalesce(*(each for each, _ in told))
    waited = pl.coalesce(*(each for _, each in told))
    fields = text.str.extract_groups(_SHARE).struct
    share = fields.field("2").cast(pl.Float64, strict=False) / 100
    part = pl.when((share <= 1) & ~fields.field("1").str.contains(_OTHER)).then(share)
    return whole, waited, part

"""Where a program says that its time went, in words of its own: what it saved and for how long, what it waited for."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._clocks import FELT_IN_ALL_S, REPORTS, Saving
from inquest.analyze.families._pace import steps_done
from inquest.analyze.families._told_waits import told_whole_s
from inquest.analyze.families._wall import wall_s
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_SAVES: Final = (
    r"(?i)(?:\b(?:sav(?:e|ed|es|ing)?|wr(?:ote|itten|ites?|iting)|dump(?:ed|s|ing)?|stor(?:ed|es|ing)|persist(?:ed|ing)"
    r"|pickled|upload(?:ed|ing)|archived|put away|serialized|exported|checkpoint\w*|ckpt\w*|snapshot\w*"
    r"|gespeichert|geschrieben|sauvegard\w*|enregistr\w*|guardad[oa]|salv[oa]|salvat[oa]|zapisan[oay]|kaydedildi|opgeslagen"
    r"|weggeschreven|\u0441\u043e\u0445\u0440\u0430\u043d\w*|\u0437\u0430\u043f\u0438\u0441\u0430\u043d\w*)\b|\u4fdd\u5b58|\uc800\uc7a5"
    r"|\.(?:pt|pth|ckpt|npz|h5|keras|safetensors|mlp|net|pkl|snap|bin)\b)"
)
_OF_SOMETHING_ELSE: Final = (
    r"(?i)\b(?:data ?sets?|cache\w*|predict\w*|logs?|plots?|figures?|videos?|samples?|images?|pictures?|audio|eval\w*|valid\w*"
    r"|load(?:ed|ing)?|reads?|sampling|since|wait\w*|restor\w+|resum\w+|every|loss|lr|epochs? (?:took|done|finished))\b"
)
_KEY: Final = (
    r"(?i)\b(?:took|dt|sec|secs|seconds|elapsed|duration|duur|dauer|dur\u00e9e|tard\u00f3|levou|s\u00fcre|mat_giay|stalled)(?:_(?:s|sec))?[\"']?[=: ]{1,3}"
    r"(\d{1,6}(?:\.\d{1,9})?) ?(ms|s|secs?|seconds?|min|sn|\u0441)?(?:\b|$)"
)
_AT_THE_END: Final = r"(?i)(?:^|[^\w.])(\d{1,6}(?:\.\d{1,9})?) ?(ms|s|secs?|seconds?|min|sn|\u0441|\u79d2)[\s)\]}.!,]*$"
_SECONDS: Final = {"ms": 1e-3, "min": 60.0}
_READ: Final = 20_000
"""Lines that are looked through at the most."""


def own_saves(ev: Evidence, story: Story) -> Saving | None:
    """What saving cost by lines that say what was written and how long it took; None where they do not.

    They are held against the time from the first report to the last.
    """
    return ev.once(("own saves",), lambda: _own_saves(ev, story))


def _own_saves(ev: Evidence, story: Story) -> Saving | None:
    rows = _timed_lines(ev, story, _SAVES, _OF_SOMETHING_ELSE)
    if rows.height < REPORTS or (spent := float(rows["seconds"].sum())) < FELT_IN_ALL_S:
        return None
    whole = wall_s(ev, story)
    if whole is None or spent > _ALL_OF_IT * whole:
        # Where each step says how long it took, all took no longer than that and the saves.
        stepped = told_whole_s(ev, story) if _tells_each_step(story) else None
        if stepped is None:
            return None
        whole = spent + stepped
    took = statistics.median(rows["seconds"])
    like: Row = rows.sort((pl.col("seconds") - took).abs(), "seq").row(0, named=True)
    share = min(1.0, spent / whole)
    return Saving(rows.height, max(1, steps_done(story)), share, took, "", "logs", of=like, table="log_lines")


def _tells_each_step(story: Story) -> bool:
    return story.steps["step"].drop_nulls().unique().sort().diff().median() == 1


_ALL_OF_IT: Final = 1.1
"""What takes longer than all was not part of it."""


def own_evaluations(ev: Evidence, story: Story) -> float | None:
    """What part of its time lines of evaluations say that they took, in words of their own; None where they do not."""
    rows = _timed_lines(ev, story, _EVALUATES, _OF_ALL)
    trained = story.steps.filter(pl.col("loss").is_not_null())["line_seq"]
    rows = rows.filter(~pl.col("seq").is_in(trained.drop_nulls().unique().implode()))
    whole = wall_s(ev, story)
    if rows.height < REPORTS or whole is None:
        return None
    spent = float(rows["seconds"].sum())
    return min(1.0, spent / whole) if FELT_IN_ALL_S <= spent <= _ALL_OF_IT * whole else None


_EVALUATES: Final = (
    r"(?i)(?:^|[^\w])(?:dev|val(?:id\w*)?|eval\w*|test(?:ing|ed)?|held-?out|hold-?out|quiz|convalida\w*|walidac\w*|do\u011frulama|pr\u00fcf\w*)(?:[^\w]|$)"
    r"|\u9a8c\u8bc1|\u691c\u8a3c|\uac80\uc99d"
)
_OF_ALL: Final = (
    r"(?i)\b(?:epochs?|\u00e9poques?|epochen?|\u00e9pocas?|rounds?|total|since|elapsed|overall|every)\b|\btrain"
)
"""A line that tells of both tells the time of both."""


def _timed_lines(ev: Evidence, story: Story, said: str, unless: str) -> pl.DataFrame:
    """Lines among the reports that say one thing and not the other, with the ``seconds`` that they say it took."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if told.height < REPORTS or not ev.has("log_lines"):
        return pl.DataFrame(schema={"seq": pl.Int64, "seconds": pl.Float64})
    first, last = told.row(0, named=True), told.row(-1, named=True)
    text = pl.col("text").str.replace_all(ANSI, "").str.replace_all(r"(\d),(\d)", "$1.$2")
    lines = ev.scan("log_lines").filter(
        same_stream(last), pl.col("seq").is_between(first["line_seq"], last["line_seq"] + 1)
    )
    lines = lines.filter(text.str.contains(said) & ~text.str.contains(unless))
    fields = pl.coalesce(text.str.extract(_KEY, 1), text.str.extract(_AT_THE_END, 1)).cast(pl.Float64, strict=False)
    unit = pl.coalesce(
        pl.when(text.str.contains(_KEY)).then(text.str.extract(_KEY, 2).fill_null("s")),
        text.str.extract(_AT_THE_END, 2),
    )
    scale = unit.str.to_lowercase().replace_strict(_SECONDS, default=1.0, return_dtype=pl.Float64)
    return lines.tail(_READ).with_columns(seconds=fields * scale).collect().drop_nulls("seconds").sort("seq")

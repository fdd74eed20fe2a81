"""What keeps a run that ended as planned from being called healthy: it finds nothing, or half was left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve import series
from inquest.analyze.families._margins import below_the_last_report, said_first
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._doubts import Doubt
    from inquest.analyze.families._story import Story

_REPORTS: Final = 5
"""Reports of what was found that are no warm-up."""
_READ: Final = 200
"""Reports whose lines are read again, at the end."""
_WIDTH: Final = 1000
_FOUND: Final = re.compile(
    r"(?i)(?<![\w@/])((?:(?:val|valid|validation|eval|test|dev|best|mean)[_/ .-]?){0,2}(?:f1|dice|m?iou|recall|tpr"
    r"|sensitivity|hits?@\d{1,3}|exact[_ ]match))(?:[_ ]score)?[\"']?\s{0,3}[:= ]\s{0,3}[\"']?"
    r"(\d{1,3}(?:\.\d{1,8})?)(?![\w.])"
)
"""Measures that are 0 where nothing of what there is to find was found, and never for a model that finds a part."""


def found_nothing_at_all(ev: Evidence, story: Story, _: Curve) -> Doubt | None:
    """A measure of what was found is exactly 0 in every report to the end."""
    told: dict[str, list[float]] = {}
    for text in _texts(ev, story):
        for name, value in _FOUND.findall(text):
            told.setdefault(name.lower(), []).append(float(value))
    for name, values in told.items():
        if len(values) >= _REPORTS and not any(values):
            return f"{name} is 0 in each of {len(values)} reports.", "whether it finds anything at all"
    wrong = [float(value) for text in _texts(ev, story) for value in _WRONG.findall(text)]
    if len(wrong) >= _REPORTS and min(wrong) >= _ALL_WRONG:
        return f"The rate of errors is {wrong[-1]:.4g} in each of {len(wrong)} reports.", "what it answers"
    return None


_WRONG: Final = re.compile(
    r"(?i)(?<![\w@/])(?:(?:val|valid|eval|test|dev)[_/ .-]?)?(?:wer|cer)%? {1,3}(\d{1,3}\.\d{1,4})(?![\w.])"
)
_ALL_WRONG: Final = 99.995
"""Per cent of words, or letters, that are wrong of who says nothing."""


def _texts(ev: Evidence, story: Story) -> list[str]:
    """The lines of the last reports of progress."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if told.is_empty() or not ev.has("log_lines"):
        return []
    row = told.row(-1, named=True)
    last = told.filter(same_stream(row))["line_seq"].unique().sort().tail(_READ)
    lines = ev.scan("log_lines").filter(same_stream(row), pl.col("seq").is_in(last.implode())).sort("seq")
    return lines.select(pl.col("text").fill_null("").str.slice(0, _WIDTH)).collect()["text"].to_list()


# --- too soon --------------------------------------------------------------------------------------------------------


def stopped_too_soon(ev: Evidence, story: Story, losses: Curve) -> Doubt | None:
    """A rule stopped it before any report was better than the first."""
    del ev
    values, held = losses.finite, series(story, "eval_loss")
    if not story.of(Kind.EARLY_STOP) or len(values) < 2 or min(values[1:]) < values[0]:
        return None
    if any(value < held[0] for value in held[1:]) or series(story, "score") or series(story, "accuracy"):
        return None
    return (
        f"It was stopped after {len(values)} reports, none of which was better than the first ({values[0]:.4g}).",
        "why it did not learn",
    )


# --- parts of the data -----------------------------------------------------------------------------------------------

_STORES: Final = r"(?:shards?|files?|parts|partitions|archives|tars|tarballs|volumes|chunks|blobs)"
_LOST: Final = (
    r"(?:skipped|missing|unreadable|corrupt(?:ed)?|failed|lost|not (?:found|readable|opened|read|there)|unavailable"
    r"|could not be (?:opened|read|loaded|found))"
)
_COUNT: Final = r"(\d[\d,_]{0,14}) ?(?:of|/|out of) ?(?:the |all )?(\d[\d,_]{0,14}) (?:\w+ )?"
_PART: Final = re.compile(
    rf"(?i)(?<![\d.,/]){_COUNT}{_STORES}\b(?: \w+)? ?(?:were |was |are |is |had |have )?(?:been )?{_LOST}\b"
    r"|\b(?:skipped|lost|missing|dropped|cannot (?:open|read)|could not (?:open|read|load)"
    rf"|failed to (?:open|read|load))[: ]{{1,2}}{_COUNT}{_STORES}\b"
)
_OTHER: Final = re.compile(
    r"(?i)\b(?:val\w*|test|dev|eval\w*|cache\w*|dup\w*|already|up[- ]to[- ]date|unchanged|done|log|lock"
    r"|checkpoint\w*|old)\b"
)
_A_LOT: Final = 0.2


_OF_A_RANK: Final = re.compile(
    r"(?i)^.{0,40}\b(?:rank|worker|node|host|shard|split|language|corpus|source)[ _-]?[\w./-]{1,40}?:? .{0,40}?"
    r"\bno (?:files?|data|shards?|samples?|examples?|records?|rows)\b.{0,12}\b(?:match\w*|found|there|left|available)\b"
)


def part_of_the_data(ev: Evidence, story: Story, _: Curve) -> Doubt | None:
    """The start says that a good part of the files to learn from could not be read, or that a rank has none."""
    for text in said_first(ev, story):
        if _OF_A_RANK.search(text) and not _OTHER.search(text):
            return f'It said at its start: "{text.strip()[:120]}".', "whether the rest was enough"
        found = _PART.search(text)
        if found is None or _OTHER.search(text):
            continue
        gone, there = (int(re.sub("[,_]", "", number)) for number in found.groups() if number)
        if gone >= _A_LOT * there > 0:
            return f'It said at its start: "{text.strip()[:120]}".', "whether the rest was enough"
    return None


# --- what was saved --------------------------------------------------------------------------------------------------

_READ_BACK: Final = re.compile(
    r"(?i)\b(?:re-?load(?:ed|ing)?|read back|verif\w+|round[- ]?trip|sanity|re-?evaluat\w+|restored)\b"
)
_AGAINST: Final = re.compile(
    r"(?i)\bloss\b[^\d\n]{0,20}(\d{1,6}\.\d{1,8})\W{1,6}(?:expected|instead of|should be|was|before|vs\.?|against"
    r"|trained)\W{1,3}(?:\w+ )?(\d{1,6}\.\d{1,8})(?![\w.])"
)
_APART: Final = 1.5


def read_back_otherwise(ev: Evidence, story: Story, _: Curve) -> Doubt | None:
    """Below the last report stands that what was saved, read back, has a loss far above that of what was trained."""
    for text in below_the_last_report(ev, story):
        told = _AGAINST.search(text) if _READ_BACK.search(text) else None
        if told is not None and float(told[1]) > _APART * float(told[2]):
            return f'Below the last report stands "{text.strip()[:120]}".', "whether what was saved is what was trained"
    return None

"""A process that logged an error and went on: its later records bear its tag, where several write into one stream."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

LINES: Final = 60
"""Lines below an error that are looked at."""
_RECORD: Final = re.compile(r"^(.{0,100}?)\b(?:ERROR|WARNING|WARN|CRITICAL|EXCEPTION|INFO|DEBUG)\b")
_NOTE: Final = re.compile(r"^.{0,100}?\b(?:INFO|DEBUG)\b(.*)")
_CLOCK: Final = re.compile(
    r"\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d{2,4}|T?\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
)
_PARTING: Final = re.compile(
    r"(?i)fail|error|abort|exit|exception|clean|clos(?:e|ing)|shut|stop|destroy|finali[sz]|terminat|kill|dump|sav(?:e|ing)"
    r"|giv(?:e|ing) up|bye|done|end(?:ed|ing)\b|goodbye|leav"
)
"""What a program may still say that is about to leave."""
_RECORDS: Final = 2


def tag_of(text: str) -> str | None:
    """What stands before the level of a record, without its clock: a rank, or a pid; None where no number does."""
    record = _RECORD.match(text)
    tag = _CLOCK.sub("", record[1]).strip(" \t-|:,") if record else ""
    return tag if re.search(r"\d", tag) else None


def spoke_on(heading: str, below: Iterable[str]) -> bool:
    """Whether the process of a record says more, as one that is at work does, and not of its leaving."""
    tag = tag_of(heading)
    if tag is None:
        return False
    said = [note[1] for text in below if tag_of(text) == tag and (note := _NOTE.match(text))]
    return len(said) >= _RECORDS and not any(_PARTING.search(words) for words in said[:_RECORDS])


def noted_on(below: Iterable[str]) -> bool:
    """Whether notes follow, as of a program that is at work, and not of its leaving."""
    said = [note[1] for text in below if (note := _NOTE.match(text))]
    return len(said) >= _RECORDS and not any(_PARTING.search(words) for words in said[:_RECORDS])

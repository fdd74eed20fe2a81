"""What a collector put before every line of a log, told by the lines themselves: without it they are the program's.

No list of collectors is needed. What all lines have in common at their beginning, clocks and numbers of lines apart, is
nobody's message where some lines go on with blanks or end there, as those of a traceback do, and others with words of
many kinds: a logger puts nothing before the lines of a traceback. What differs from line to line, as ranks and names of
pods do, says whose line it is, and stays.
"""

from __future__ import annotations

import re
from itertools import pairwise
from os.path import commonprefix
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKED_AT: Final = 1 << 16
_LINES: Final = 400
_LEAST: Final = 5
"""Lines, at the least, that tell what they have in common."""
_KINDS: Final = 3
"""Words, at the least, that lines begin with behind it."""
_LONGEST: Final = 160

_CLOCK: Final = (
    r"(?:20\d\d[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d (?:20\d\d )?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: 20\d\d)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|1\d{9}\.\d{1,9}|1\d{12}\b)"
)
_NUMBER: Final = r" *\d+"
_STREAM: Final = r"(?:(?:stdout|stderr) [FP]|\d\d[OE]\+?)"
"""How CRI and GitLab say which stream a line is of."""
_OF_PAGES: Final = r"\d{1,2}/\d{1,2}/20\d\d,? \d{1,2}:\d\d:\d\d(?:\.\d{1,9})? [AP]M"
"""A clock as pages show it, which no logger of a loop writes."""
_MARKS: Final = {"\x00": _CLOCK, "\x01": _NUMBER, "\x02": _STREAM, "\x03": _OF_PAGES}
_FORMS: Final = re.compile(rf"(?P<page>^{_OF_PAGES})|(?P<clock>{_CLOCK})|(?P<stream>(?<=[\dZ] ){_STREAM}(?= |$))")
_COUNTED: Final = re.compile(rf"(?P<number>^{_NUMBER}(?=[:\t)|]))|{_FORMS.pattern}")
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_WORD: Final = re.compile(r"[A-Za-z_]{2,}")
_BEGUN: Final = re.compile(r"[A-Za-z_]{2,}|\W")
_BARE: Final = ("", " ", "\t")
_COUNTS: Final = re.compile(
    r"(?i)(?:step|epoch|iter|batch|round|update|episode|fold|trial|loss|schritt|epoche|étape|époque|paso|época|passo|epoca"
    r"|stap|krok|шаг|эпоха|итерация|ステップ|エポック|스텝|에포크|단계|손실)\w{0,8}\W|步|轮|輪"
)
"""What tells of training, and of which part of it."""
_PAIRS: Final = ("[]", "()", "{}")
_SURE: Final = re.compile(
    r"\x00\t|\x00 \x00 |\x03 |\x00 \{[^\n]{1,120}\} |\x00 [A-Za-z0-9][\w.-]{0,63} [\w./-]{1,64}\[\d{1,9}\]: "
    r"|\x00 [\w.-]{1,64}(?:/[\w.$\[\]-]{1,64}){1,4} |[\w.-]{1,64}(?:@[\w.-]{1,64})? +\| "
    r"|\[[^\]\n]{1,80}\]<std(?:out|err)>: ?|\(\w{1,64} pid=\d{1,9}(?:, ip=[\d.]{7,15})?\) |\[pod/[^\]\n]{1,120}\] "
    r"|[^\t\n]{1,64}\t[^\t\n]{1,64}\t\x00 |\[\x00\](?: [\w\[\]=.-]{1,40}){0,3} \|\| (?:[A-Z]{4,8}: )?"
)
"""What collectors alone put before a line, however alike the lines are: clocks and who wrote it."""
_REMARK: Final = re.compile(r"-- (?:Journal begins|Logs begin|Boot |No entries)|[+-] [\w.-]{1,120} › [\w.-]{1,64}\s*$")
_STERN: Final = re.compile(r"(?m)^\+ ([\w.-]{1,120}) › ([\w.-]{1,64})\s*$")
"""stern's remark on a pod whose lines follow; it puts names of pod and container before each of them."""
_FOREIGN: Final = 3
"""Lines, at the most, that the collector or a launcher wrote of its own."""
DATED: Final = (
    r"^(?:1\d{12}\t)?\[?(20\d\d[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
)
"""What a collector that lists the newest line first puts before a line, or before the first line of a record."""
_DATED: Final = re.compile(DATED)
_STAMPED: Final = 0.3
"""Share of lines that begin records, at the least."""
_FIRST: Final = 12
"""Lines that are asked first: most logs have nothing in common there."""


def newest_first(head: bytes) -> bool:
    """Whether a log with this ``head`` was listed from its end, as ``logcli`` and ``journalctl -r`` do."""
    lines = [line for line in head[:_LOOKED_AT].decode("utf-8", "replace").split("\n")[:_LINES] if line.strip()]
    stamps = [found[1] for line in lines if (found := _DATED.match(line))]
    if len(stamps) < max(_LEAST, _STAMPED * len(lines)) or stamps[0] <= stamps[-1]:
        return False
    return all(one >= other for one, other in pairwise(stamps)) and len(set(stamps)) >= _LEAST


def before_lines(head: bytes) -> str | None:
    """A regular expression of what stands before each line of a log with this ``head``; None where nothing does."""
    texts = head[:_LOOKED_AT].decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    if len(head) > _LOOKED_AT:
        del texts[-1]
    lines = [line for text in texts[:_LINES] if (line := text.partition("\r")[0][:_LONGEST]).strip()]
    pods = set(_STERN.findall("\n".join(lines)))
    lines = [line for line in lines if not _REMARK.match(line)]
    if len(pods) == 1:
        ahead = " ".join(*pods) + " "
        if lines and all(line.startswith(ahead) for line in lines):
            return f"^{re.escape(ahead)}"
    if len(lines) < _LEAST or not any(_in_common(lines[:_FIRST])):
        return None
    return next((regex for common, shapes in _in_common(lines) if (regex := _told(common, shapes, len(lines)))), None)


def _in_common(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """What lines begin with, and their shapes: all of them, or all but a few. Those that begin alike sort together."""
    numbers = [int(found[0]) for line in lines if (found := re.match(_NUMBER, line))]
    forms = _COUNTED if all(one < other for one, other in pairwise(numbers)) else _FORMS  # lines are counted upwards
    shapes = sorted(f"{forms.sub(_mark, line).rstrip()} " for line in lines)
    for foreign in range(min(_FOREIGN, len(lines) // 4) + 1):
        for low in range(foreign + 1):
            if common := commonprefix([shapes[low], shapes[low - foreign - 1]]):  # noqa: RUF071 (texts, no paths)
                yield common, shapes[low : len(shapes) + low - foreign]


def _told(common: str, shapes: list[str], lines: int) -> str | None:
    """``common`` as a regular expression, where it is no part of what lines say."""
    if (sure := _SURE.match(common)) is not None and len(shapes) >= _LEAST and not _COUNTS.search(sure[0]):
        begun = {found[0] if (found := _BEGUN.match(shape[sure.end() :])) else "" for shape in shapes}
        if len(begun) > 1:
            return _regex(sure[0])
    behind = [shape[len(common) :] for shape in shapes]
    if all(rest[:1] not in _BARE for rest in behind):
        if len(shapes) < lines:
            return None  # the program's own logger, and others beside it
        # Words that all lines begin with may be the program's.
        common = re.sub(r"(?<! )( ?)(?=[\w ]*\w)[\w ]*$", r"\1", common)
        behind = [shape[len(common) :] for shape in shapes]
    elif all(rest[:1] in _BARE for rest in behind):
        return None
    kinds = {found[0] if (found := _WORD.match(rest)) else rest[:1].isdigit() for rest in behind}
    seen = _COLOURS.sub("", common)
    if (
        len(kinds) < _KINDS - (True in kinds and "\x00" in common)  # numbers under words, as Keras prints them
        or _COUNTS.search(seen)
        or any(seen.count(one) != seen.count(other) or seen.rfind(one) > seen.rfind(other) for one, other in _PAIRS)
    ):
        return None
    if not common.strip() and len(shapes) < lines:
        return None  # columns
    if not common.endswith(" ") and seen[-1:].isalnum():
        return None  # the beginning of a word
    return _regex(common)


def _regex(common: str) -> str:
    body = common.rstrip(" ")
    blanks = f"(?: {{{len(common) - len(body)}}}|$)" if body != common else ""
    return "^\ufeff?" + "".join(_MARKS.get(letter) or re.escape(letter) for letter in body) + blanks


def _mark(found: re.Match[str]) -> str:
    return {"clock": "\x00", "number": "\x01", "stream": "\x02", "page": "\x03"}[found.lastgroup or ""]

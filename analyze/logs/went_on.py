"""Words beside a traceback by which a program tells that it caught the error, and goes on."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
from typing import Final

GOES_ON: Final = re.compile(
    r"(?i)\b(?:retry|retries|retrying|try(?:ing)? (?:it )?again|again in \d{1,6}|next attempt|attempt \d{1,6}"
    r"|skipp(?:ed|ing)|left out|(?:going|goes|doing|done) without|continuing|going on|goes on|fall(?:s|ing) back"
    r"|ignor(?:ed|ing)|recovering|reconnect(?:ing|s)?)\b"
)
"""What programs say that have caught an error."""
_MAKES_DO: Final = re.compile(
    r"(?i)\b(?:count(?:ed|ing|s)?|treat(?:ed|ing|s)?|scor(?:ed|ing|es)|mark(?:ed|ing|s)?|record(?:ed|ing|s)?)"
    r"\b[^.;]{0,40}?\bas (?:an? )?(?:-?\d|zero|wrong|incorrect|invalid|empty|missing|failed|none|nan\b)"
    r"|\b(?:set(?:s|ting)?|default(?:s|ed|ing)?|clamp(?:s|ed|ing)?)\b[^.;]{0,30}?"
    r" to (?:-?\d|zero|none|nan|empty|default)"
    r"\b|\b(?:mov(?:es?|ing)|carr(?:y|ies|ying)|train(?:s|ing)|work(?:s|ing)) on\b|\bkeep(?:s|ing)? going\b"
    r"|\b(?:will|can) (?:go on|continue|carry on)\b|\bcontinues\b|\bnon-?fatal\b|\bnot fatal\b|\bharmless\b"
    r"|\b(?:dropping|discarding|(?:dropped|discarded) (?:it|this|that|the|one|\d)|(?:replac|substitut)(?:ed|ing))\b"
    r"|\bus(?:es|ed|ing)\b[^.;]{0,60} instead\b"
)
"""What those say that give what failed a value of their own, and work on."""
_IN_A_WHILE: Final = re.compile(
    r"(?i)\b(?:again|retry|retries|retrying|next (?:try|attempt))(?: \(?\d{1,4} ?(?:/|of) ?\d{1,4}\)?)? "
    r"(?:in|after) \d{1,6}(?:\.\d{1,3})? ?(?:ms|s|secs?|seconds?|min|minutes?)\b"
)
"""A further try, and when it will be."""
_NO_MORE: Final = re.compile(
    r"(?i)\b(?:giv(?:e|es|en|ing) up|gave up|too many (?:tries|attempts|retries)"
    r"|no (?:more )?(?:tries|attempts|retries)"
    r"|(?:retries|attempts|tries) (?:left: 0|exhausted|exceeded|used up)|last (?:try|attempt)|abort(?:s|ed|ing)?)\b"
)
_TAKES_ANOTHER: Final = re.compile(
    r"(?i)[,;:.-] (?:so )?(?:using|taking|trying(?! again)|keeping|reading|loading|switching to|reusing|assuming|substituting|(?:re-?)?(?:computing|building|creating|generating)|starting"
    r"|working (?:on )?with|carrying on|going on|going ahead) (?!up\b|down\b)\w"
)
"""What is done instead, behind the words of what failed."""
_LEAVES: Final = re.compile(
    r"(?i)\b(?:exit(?:ing|s|ed)?|quit(?:s|ting)?|stopp(?:ed|ing)|terminat\w+|shut(?:ting)? ?down|kill(?:ed|ing)?|dying"
    r"|(?:cannot|can't|can not|could not|unable to|not able to) (?:continue|go on|proceed|recover)"
    r"|(?:not|instead of) (?:continuing|going on)|what(?:'s| is) going on)\b"
)
"""Words of who leaves."""
_A_WARNING: Final = re.compile(r"\bWARN(?:ING)?\b|^\[?W ?\d{4}(?!.{0,60}\.(?:cpp|cc|cu|h):\d)")
"""What a library below Python warns of stands above a traceback by chance."""
_A_NOTE: Final = re.compile(r"\b(?:INFO|DEBUG)\b|^\[?[ID] ?\d{4}")
_WENT_WELL: Final = re.compile(
    r"(?i)\b(?:(?:at|on|in|after) (?:attempt|try|retry) \d|(?:succeed|recover|reconnect)ed|success(?:ful(?:ly)?)?)\b"
)
_A_LEVEL: Final = re.compile(r"\b(?:ERROR|CRITICAL|FATAL)\b")
_AN_ERROR: Final = re.compile(rf"{_A_LEVEL.pattern}|(?i:\bfailed\b)")
_CACHED: Final = re.compile(
    r"(?i)\bus(?:e|ed|es|ing)\b.{0,40}\b(?:cached?|local|stale|previous|default)\b"
    r"|\b(?:cached?|local|stale|previous|default)\b.{0,40}\b(?:is|are|will be|being) used\b"
)
"""What is taken in the place of what could not be reached."""
_REPLACED: Final = re.compile(r"(?i)\b(?:(?:is|are|will be|being) used\b|using .{1,60} instead\b)")
"""What a line says above an error that names what is taken in the place of what is not there."""
_DEFAULTS: Final = (
    r"(?:(?:the )?(?:defaults?|(?:usual|default|standard|built-in) (?:ones?|values?|settings?|config(?:uration)?)))"
)
_IN_ITS_PLACE: Final = re.compile(
    rf"(?i)\b{_DEFAULTS} (?:is|are|will be) (?:taken|kept|assumed|used)\b"
    rf"|\b(?:taking|assuming|keeping|using|go(?:es|ing)? on with|continu(?:e|es|ing) with|falls? back to|falling back (?:to|on)) {_DEFAULTS}\b"
)
"""The same of what a program has for the case."""
_NO_GOING_ON: Final = re.compile(r"\b(?:CRITICAL|FATAL)\b|(?i:\b(?:aborting|giving up|cannot continue)\b)")
_AN_END: Final = re.compile(rf"{_NO_GOING_ON.pattern}|(?i:\bfailed\b)")
_END_OF_OUTPUT: Final = "[end of output]"
_OF: Final = re.compile(r"(?:\[[A-Za-z][\w.-]{1,30}\]|[A-Za-z][\w.-]{1,30}:) ")
"""Who says a line, where several print into one log."""


def is_waved_aside(text: str) -> bool:
    """It warns, or says what is done instead; where it does both, what failed is no more than that."""
    if _IN_ITS_PLACE.search(text) and not _AN_END.search(text):
        return True  # a record of an exception is an error's, whatever is done instead
    warns, goes_on = _A_WARNING.search(text), GOES_ON.search(text) or _REPLACED.search(text)
    return bool((warns or goes_on) and not (_A_LEVEL if warns and goes_on else _AN_ERROR).search(text))


def warns_and_goes_on(text: str) -> bool:
    """It warns, says what is done instead or again, and no word of an end."""
    if _A_WARNING.search(text) is None or _AN_ERROR.search(text) or gives_up(text) or _LEAVES.search(text):
        return False
    return bool(GOES_ON.search(text) or _MAKES_DO.search(text) or _TAKES_ANOTHER.search(text) or _AGAIN.search(text))


_AGAIN: Final = re.compile(
    r"(?i)[,;:.-] (?:so )?(?:\w{4,20}ing|will (?:be )?\w{3,20}) (?:it|them|this|the \w{2,20}|everything|all)\b"
    r"(?: (?:again|anew|afresh|from scratch|ourselves|here|now|instead|by hand|locally))"
    r"|[,;:.-] (?:will )?(?:proceed|continu|go|carry|mov|work)(?:e|ing|es|s)? (?:on |ahead )?(?:with|without)\b"
    r"|[,;:-] (?:wird|werden) (?:neu |erneut |übersprungen|ignoriert)|[,;:-] (?:neu|erneut) (?:berechnet|gemessen|gebaut)"
    r"|\b(?:mache|fahre|geht|gehe) (?:\w+ )?(?:weiter|fort) (?:ohne|mit)\b|\bweiter ohne\b|\bohne \w+ weiter\b"
    r"|\b(?:on continue|je continue|poursuite|continuons) (?:sans|avec)\b|\b(?:se sigue|sigo|seguimos|continuando|continúo)"
    r" (?:sin|con)\b|\b(?:continuo|proseguo|si prosegue|prosseguindo|continuando) (?:senza|con|sem|com)\b"
    r"|(?:продолжа\w+|идём|работаем) (?:дальше )?без|(?:跳过|忽略|继续|重新(?:计算|生成|构建))|(?:スキップ|無視して|なしで続)|(?:건너뜀|무시하고)"
)
"""The same of what is made anew, and in other languages: ``not cached, measuring it again``."""


def tells_on(warning: str, below: list[str]) -> bool:
    """Whether two lines below a warning are notes of the same logger, and none tells of an end."""
    head = _HEAD.match(warning)
    if head is None or len(below) < 2:
        return False
    form = re.sub(r"\d", "0", head[1])
    notes = [_HEAD.match(line) for line in below]
    return all(
        note is not None
        and re.sub(r"\d", "0", note[1]) == form
        and _A_NOTE.search(note[0])
        and not (_LEAVES.search(line) or gives_up(line) or is_an_end(line))
        for note, line in zip(notes, below, strict=True)
    )


_HEAD: Final = re.compile(r"(.{1,120}?)\b(?:WARN(?:ING)?|INFO|DEBUG)\b")
"""What a logger writes ahead: a clock and its name, and the level."""


def makes_do(text: str) -> bool:
    """It says that the work goes on with what failed left out, or with something in its place."""
    if _A_LEVEL.search(text) or gives_up(text) or _LEAVES.search(text):
        return False
    return bool(GOES_ON.search(text) or _MAKES_DO.search(text))


def takes_another(text: str) -> bool:
    """It says of what failed what is taken in its place."""
    return _TAKES_ANOTHER.search(text) is not None and not gives_up(text) and _LEAVES.search(text) is None


def takes_in_its_place(text: str) -> bool:
    """The same below what failed, which no record of an error says: ``no export found, taking the nominal value``."""
    return takes_another(text) and _AN_ERROR.search(text) is None and not is_an_end(text)


def is_an_end(text: str) -> bool:
    """It says that there is no going on."""
    return _NO_GOING_ON.search(text) is not None or gives_up(text)


def is_promised(text: str) -> bool:
    """It tells when the next try will be."""
    return _IN_A_WHILE.search(text) is not None and not gives_up(text)


def gives_up(text: str) -> bool:
    """There will be no further try."""
    return _NO_MORE.search(text) is not None


def is_made_good(text: str) -> bool:
    """It notes that the next try went well."""
    return bool(_A_NOTE.search(text) and _WENT_WELL.search(text) and not _AN_ERROR.search(text))


def is_replaced(above: str, below: str) -> bool:
    """What is used in its place is told above, and again below."""
    told = (_CACHED.search(text) is not None and not _AN_ERROR.search(text) for text in (above, below))
    return all(told)


def is_of_an_install(below: str) -> bool:
    """Pip closes with these words what a package's own setup printed."""
    return below.strip() == _END_OF_OUTPUT


def goes_on_by_itself(above: str, below: str) -> bool:
    """One who puts a name before its lines says that it goes on, and had spoken above."""
    said = _OF.match(below)
    return said is not None and above.startswith(said[0]) and GOES_ON.search(below) is not None

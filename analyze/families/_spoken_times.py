"""What programs say of saves and evaluations, and how long a line says that something took."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
from typing import Final

SAVES: Final = (
    r"(?i)(?:(?:\b|_)(?:sav(?:e|ed|es|ing)?|wr(?:ote|itten|ites?|iting)|dump(?:ed|s|ing)?|stor(?:ed|es|ing)|persist(?:ed|ing)"
    r"|pickled|upload(?:ed|ing)|archived|put away|on disk|log_model|h5write|backed up|serialized|exported|checkpoint\w*|ckpt\w*|snapshot\w*"
    r"|gespeichert|geschrieben|sauvegard\w*|enregistr\w*|guardad[oa]|salv[oa]s?|salvat[oa]|zapisan[oay]|kaydedildi|opgeslagen"
    r"|weggeschreven|\u0441\u043e\u0445\u0440\u0430\u043d\w*|\u0437\u0430\u043f\u0438\u0441\u0430\u043d\w*)\b|\u4fdd\u5b58|\uc800\uc7a5"
    r"|\.(?:pt|pth|ckpt|npz|h5|keras|safetensors|mlp|net|pkl|snap|bin)\b)"
)
"""A line that says that something was written, or names what holds weights."""

EVALUATES: Final = (
    r"(?i)(?:^|[^\w])(?:dev|val(?:id\w*)?|eval\w*|test(?:ing|ed)?|held-?out|hold-?out|quiz|convalida\w*|walidac\w*|do\u011frulama|pr\u00fcf\w*)(?:[^\w]|$)"
    r"|\u9a8c\u8bc1|\u691c\u8a3c|\uac80\uc99d"
)
"""A line that tells of data that training does not learn from."""


def took_s(text: str) -> float | None:
    """Seconds that a line says something took: under a key, behind a word for it, or at its end; None: it does not."""
    if (found := _KEY.search(text)) is not None:
        unit = found["told"] or found["unit"] or found["bare"] or "s"
        return float(found["value"]) * _SECONDS.get(unit.lower(), 1.0)
    found = _IN_A_PHRASE.search(text) or _AT_THE_END.search(text) or _BESIDE_A_SIZE.search(text)
    return None if found is None else float(found["value"]) * _SECONDS.get(found["unit"].lower(), 1.0)


_VALUE: Final = r"(?P<value>\d{1,12}(?:\.\d{1,9})?)"
_UNITS: Final = r"ms|millis|[\u00b5\u03bc]s|us|s|secs?|seconds?|min(?:utes?)?|sn|\u0441(?:\u0435\u043a)?|\u79d2|\ucd08"
_UNIT: Final = rf"(?P<unit>{_UNITS})"
_TIMES: Final = r"took|dt|dur|sec|secs|seconds|elapsed|duration|duur|dauer|dur\u00e9e|tard\u00f3|levou|s\u00fcre|mat_giay|stall(?:ed)?|wall"
_WORK: Final = (
    r"save|write|upload|saving|writing|uploading|speichern|schreiben|(?:write|save)_time|tempo|tiempo|temps|zeit|czas"
)
"""Words that tell of a time only where they are a key."""
_KEY: Final = re.compile(
    rf"(?i)(?:^|[^a-z\u00c0-\u04ff])(?:{_TIMES}|(?:{_WORK}|(?P<bare>ms))(?=[_\"' =:\[]))"
    rf"(?:[_ ]?[\[(]?(?P<told>ms|s|sec)[\])]?)?[\"']?[=: ]{{1,12}}{_VALUE} ?{_UNIT}?(?![\w.])"
)
_IN_A_PHRASE: Final = re.compile(
    rf"(?i)(?:^|[\s(])(?:in|took|for|after|nach|levou|em|za|op|en|su|dur\u00f3|tard\u00f3|sur|durante) {_VALUE} ?{_UNIT}(?![\w/])"
)
_SIZE: Final = r"(?:[,;] ?\(?\d{1,6}(?:\.\d{1,3})? ?[kmgt]i?b\b)?"
_AT_THE_END: Final = re.compile(rf"(?i)(?:^|[^\w.]){_VALUE} ?{_UNIT}{_SIZE}(?:[\s)\]}}.!,\"'|]|\\n)*$")
_BESIDE_A_SIZE: Final = re.compile(rf"(?i)[(\[]\d{{1,6}}(?:\.\d{{1,3}})? ?[kmgt]i?b[,;] ?{_VALUE} ?{_UNIT}[)\]]")
"""``step-000003 (28.97 GB, 31.8 s); step-000001 deleted``."""
_SECONDS: Final = {
    "ms": 1e-3,
    "millis": 1e-3,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,
    "us": 1e-6,
    "min": 60.0,
    "minute": 60.0,
    "minutes": 60.0,
}

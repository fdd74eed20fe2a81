"""What hands, clipboards and pages did to a text on its way from a terminal, undone: its lines are the program's again.

Undone are what mails travel as, entities and tags of HTML, line ends that were escaped or lost, terminal codes without
their first character, blanks that do not break, curly quotation marks, what Markdown escapes, marks of quotation,
numbers of lines, boxes, indentation and padding. Each is undone only where the beginning of a text shows that all of it
was done so, and that no program prints in this way; a text that nobody touched is given back as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from inquest.bundle.imports.touched import LOOKED_AT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Mend = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]

_LINES: Final = 400
_LEAST: Final = 5
"""Lines, at the least, that show what was done to all."""
_BLOCK: Final = 1 << 22
"""Bytes that are held while an end of a line is looked for."""


def mends(head: bytes) -> list[Mend]:
    """What to replace in a text with this ``head``, one after the other; nothing for what nobody touched."""
    text = head[:LOOKED_AT].decode("utf-8", "replace")
    if len(head) > LOOKED_AT:
        text = text.rpartition("\n")[0] or text
    text = text.replace("\r\n", "\n")
    found: list[Mend] = []
    for told in (
        _mailed,
        _page,
        _escaped_ends,
        _one_line,
        _terminal,
        _blanks,
        _curly,
        _markdown,
        _quoted,
        _numbered,
        _boxed,
        _padded,
        _indented,
    ):
        if more := told(text):
            found += more
            text = _applied(text, more)
    return found


def mended(chunks: Iterable[bytes], wanted: list[Mend]) -> Iterator[bytes]:
    """``chunks`` with all that is ``wanted`` replaced. Offsets of such lines count the bytes of what is given."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        cut = rest.rfind(b"\n") + 1
        if not cut and len(rest) < _BLOCK:
            continue
        cut = cut or len(rest)
        yield _of_bytes(rest[:cut], wanted)
        rest = rest[cut:]
    if rest:
        yield _of_bytes(rest, wanted)


def _of_bytes(data: bytes, wanted: list[Mend]) -> bytes:
    return _applied(data.decode("utf-8", "replace").replace("\r\n", "\n"), wanted).encode("utf-8", "replace")


def _applied(text: str, wanted: list[Mend]) -> str:
    for pattern, by in wanted:
        text = pattern.sub(by, text)
    return text


def _first(text: str) -> list[str]:
    """The first lines of a text that hold something."""
    return [line for line in text.split("\n")[:_LINES] if line.strip()]


# --- mails ---------------------------------------------------------------------------------------------------------

_PRINTABLE: Final = re.compile(r"^content-transfer-encoding: *quoted-printable *$", re.IGNORECASE | re.MULTILINE)
_OCTETS: Final = re.compile(r"(?:=[0-9A-F]{2}){1,400}")


def _mailed(text: str) -> list[Mend]:
    """A mail, saved as it travels: no line is longer than 76 signs, and what is no ASCII stands as its numbers."""
    if _PRINTABLE.search(text) is None:
        return []
    return [(re.compile(r"=\n"), ""), (_OCTETS, lambda found: _octets(found[0]))]


def _octets(text: str) -> str:
    return bytes.fromhex(text.replace("=", "")).decode("utf-8", "replace")


# --- pages -----------------------------------------------------------------------------------------------------------

_ENTITY: Final = re.compile(r"&(?:amp;){0,2}(lt|gt|amp|quot|nbsp|apos|#0?39|#x27|#34|#x2F|#47|#10);")
_CHARACTERS: Final = {
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "quot": '"',
    "nbsp": " ",
    "apos": "'",
    "#39": "'",
    "#039": "'",
    "#x27": "'",
    "#34": '"',
    "#x2F": "/",
    "#47": "/",
    "#10": "\n",
}
_TAG: Final = re.compile(
    r"</?(?:html|head|title|meta|body|div|span|pre|code|samp|tt|p|b|i|u|em|strong|font|t[dhr]|table|tbody|a|li|ul|ol"
    r"|details|summary|h[1-6])(?:\s[^<>\n]{0,300})?/?>|<!DOCTYPE html>",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"<br ?/?>\n?", re.IGNORECASE)
_RAW: Final = re.compile(r"<(?:module|lambda|listcomp|genexpr|dictcomp|locals|stdin|frozen|unknown|class)\b")
"""What Python prints between angles, which a page would have had to escape."""
_SIGNS_OF_A_PAGE: Final = 3


def _page(text: str) -> list[Mend]:
    if len(_ENTITY.findall(text)) < 2 or _RAW.search(text):
        return []
    entities: Mend = _ENTITY, lambda found: _CHARACTERS[found[1]]
    marked = len(_TAG.findall(text)) + len(_BREAK.findall(text)) >= _SIGNS_OF_A_PAGE
    return [(_BREAK, "\n"), (_TAG, ""), entities] if marked else [entities]


# --- ends of lines ---------------------------------------------------------------------------------------------------

_END_ESCAPED: Final = re.compile(r"(?:\\r)?\\n")
_OPENED: Final = re.compile(r"\Ab?[\"']")
_MOST_ENDS: Final = 3
_JSON: Final = re.compile(r"\s*(?:\{|\[\s*[\"{])")


def _escaped_ends(text: str) -> list[Mend]:
    if text.count("\n") > _MOST_ENDS or _JSON.match(text) or text.count("\\n") < _LEAST:
        return []
    return [(_OPENED, ""), (_END_ESCAPED, "\n"), (re.compile(r"\\t"), "\t"), (re.compile(r"\\([\"'])"), r"\1")]


_FRAME_WITHIN: Final = re.compile(r"(?<! ) {1,40}(File \"[^\"\n]{1,300}\", line \d{1,7}, in \S{1,200}) {1,40}")
_BEGINS: Final = re.compile(
    r"(?<! )(?<! AT) {1,40}(?=Traceback \(most recent call last\):"
    r"|(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{1,60}(?:Error|Exception|Interrupt)(?:: |$)"
    r"|\{'loss': |(?:step|iter|iteration|epoch|batch|update):?[ =]\d|Epoch:? \[?\d|\[\d{1,7}\]\s"
    r"|\[?20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d|slurmstepd: |srun: error: |=>> PBS: |TERM_RUNLIMIT: |\*{5} )",
    re.IGNORECASE | re.MULTILINE,
)
"""Where lines of a log begin, whatever stands before them."""
_LONG: Final = 400


def _one_line(text: str) -> list[Mend]:
    """A whole log in one line, as a form or a chat leaves it that takes ends of lines for blanks."""
    if text.count("\n") > _MOST_ENDS or len(text) < _LONG or _JSON.match(text) or len(_BEGINS.findall(text)) < _LEAST:
        return []
    return [(_BEGINS, "\n"), (_FRAME_WITHIN, r"\n  \1\n    ")]


# --- characters ------------------------------------------------------------------------------------------------------

_ESCAPE: Final = r"(?:\^\[|\\x1[bB]|\\u001[bB]|\\033|\\e|␛|←|\ufffd)"
_NAMED_CODE: Final = re.compile(rf"{_ESCAPE}(?:\[[0-9;?]{{0,12}}[A-Za-z]|\(B)")
_NO_TIME: Final = r"(?! ?\d{1,6}(?:\.\d{1,6})?s\b)"
"""Not "[5m 12s]", which is how long something took."""
_BARE_CODE: Final = re.compile(rf"(?<!\x1b)\[(?:\d{{1,3}}(?:;\d{{1,3}}){{0,4}})m{_NO_TIME}")
_PAIR: Final = re.compile(
    rf"(?<!\x1b)\[(?:\d{{1,2}};){{0,3}}(?:[1-4]|[349]\d)m{_NO_TIME}[^\n\x1b]{{0,400}}?(?<!\x1b)\[(?:0|22|39|49)?m"
)
"""A colour and its end."""
_PAIRS: Final = 2
_CARET_RETURN: Final = re.compile(r"\^M$", re.MULTILINE)


def _terminal(text: str) -> list[Mend]:
    found: list[Mend] = []
    if len(_NAMED_CODE.findall(text)) >= _PAIRS:
        found.append((_NAMED_CODE, ""))
    if sum(1 for _ in _PAIR.finditer(text)) >= _PAIRS:
        found += [(_BARE_CODE, ""), (re.compile(r"(?<!\x1b)\[m"), "")]
    if len(_CARET_RETURN.findall(text)) >= _LEAST:
        found.append((_CARET_RETURN, ""))
    return found


_UNSEEN: Final = re.compile("[\\0\u200b\u2060]+")
_UNBROKEN: Final = re.compile("[\u00a0\u202f]")


def _blanks(text: str) -> list[Mend]:
    return [(form, by) for form, by in ((_UNBROKEN, " "), (_UNSEEN, "")) if form.search(text)]


_MARKS: Final = "\u2018\u2019\u201c\u201d"
_OF_CODE: Final = re.compile(f"File [\u201c\u201d\u201e]|[{{(\\[,=] ?[{_MARKS}][\\w/.-]{{1,200}}[{_MARKS}] ?[:)}}\\],]")
"""Curly marks where only a program puts marks, and it puts straight ones."""


def _curly(text: str) -> list[Mend]:
    if _OF_CODE.search(text) is None:
        return []
    return [
        (re.compile("[\u201c\u201d\u201e\u201f]"), '"'),
        (re.compile("[\u2018\u2019\u201a\u201b]"), "'"),
        (re.compile("\u2026"), "..."),
    ]


_ESCAPED_SIGN: Final = re.compile(r"\\([_*\[\]<>#|`~])")
_ESCAPED_SHARE: Final = 0.8


def _markdown(text: str) -> list[Mend]:
    escaped = len(re.findall(r"\\[_*\[\]<>]", text))
    every = len(re.findall(r"[_*\[\]<>]", text))
    enough = escaped >= _LEAST and escaped >= _ESCAPED_SHARE * every
    return [(_ESCAPED_SIGN, r"\1")] if enough or every == escaped > 1 else []


# --- what stands beside every line -----------------------------------------------------------------------------------

_QUOTE: Final = re.compile(r"^(?:> ?){1,4}", re.MULTILINE)
_ADDED: Final = re.compile(r"^\+", re.MULTILINE)


def _quoted(text: str) -> list[Mend]:
    lines = _first(text)
    marked = sum(line.startswith(">") for line in lines)
    if marked >= _LEAST and 2 * marked >= len(lines):
        return [(_QUOTE, "")]
    # The side of a comparison; "+ python a.py" is a shell's, and "+---" a table's.
    all_added = len(lines) >= _LEAST and all(re.match(r"\+(?![-+]| \S|==)", line) for line in lines)
    return [(_ADDED, "")] if all_added else []


_NUMBER: Final = re.compile(r"^ {0,6}(\d{1,7})(?: ?[|:│](?: |$)|\t)", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Za-z]{2,}|\W")


def _numbered(text: str) -> list[Mend]:
    """Numbers of lines: each line has its own, down to the last; steps that a loop counts are followed by its end."""
    lines = text.removesuffix("\n").split("\n")[:_LINES]
    found = [_NUMBER.match(line) for line in lines]
    if len(lines) < _LEAST or any(one is None for one in found):
        return []
    counts = [int(one[1]) for one in found if one]
    if any(other != one + 1 for one, other in pairwise(counts)):
        return []
    begun = (_WORD.match(line[one.end() :]) for line, one in zip(lines, found, strict=True) if one)
    return [(_NUMBER, "")] if len({one[0] for one in begun if one}) > 1 else []


_SIDES: Final = "│┃║|"
_EDGE: Final = re.compile(r"^[╭╰┌└┏┗╔╚+][─━═-]{2,}.{0,200}[╮╯┐┘┓┛╗╝+]?$", re.MULTILINE)
_RIGHT: Final = re.compile(rf"(?<! ) {{1,400}}[{_SIDES}]$", re.MULTILINE)
_MOST_INNER: Final = 0.3
_IN_THE_BOX: Final = 0.8


def _boxed(text: str) -> list[Mend]:
    """A box around the whole text: tables have inner columns, and a traceback that rich draws is read as it is."""
    lines = _first(text)
    inside = [line for line in lines if line[0] in _SIDES]
    if len(inside) < _LEAST or len(inside) < _IN_THE_BOX * len(lines) or re.search(r"[╭┏][─━]+ ?Traceback", text):
        return []
    closed = sum(line[-1] in _SIDES and len(line) > 1 for line in inside) > len(inside) // 2
    if closed and len({len(line) for line in inside}) > 1 + len(inside) // 20:
        return []
    if not closed and any(line[0] == "|" for line in inside):
        return []  # "| 3 | 0.52" is how loops print
    sides = Counter(line[0] for line in inside)
    side = sides.most_common(1)[0][0]
    inner = [line for line in inside if side in line[1 : -1 if closed else None]]
    if len(inner) > _MOST_INNER * len(inside):
        return []
    texts = [line[1:] for line in inside if line[1:].strip(f" {_SIDES}")]
    least = min((len(text) - len(text.lstrip(" ")) for text in texts), default=0)
    left = re.compile(rf"^[{_SIDES}] {{0,{least}}}", re.MULTILINE)
    return [(_EDGE, ""), (left, ""), *([(_RIGHT, "")] if closed else [])]


_PAD: Final = re.compile(r"(?<! ) {1,400}$", re.MULTILINE)


def _padded(text: str) -> list[Mend]:
    """Lines that a terminal filled with blanks up to its width."""
    lines = [line for line in text.split("\n")[:_LINES] if line]
    padded = sum(line.endswith("  ") for line in lines)
    alike = len(lines) >= _LEAST and len({len(line) for line in lines}) == 1
    return [(_PAD, "")] if alike and 2 * padded > len(lines) else []


_FRAME: Final = re.compile(r" +(?:File \"|[|+] )")
"""A line of a traceback, or of one of a group of exceptions."""


def _indented(text: str) -> list[Mend]:
    """Blanks before every line of the log, whatever stands above and below it."""
    lines = _first(text)
    deep = [index for index, line in enumerate(lines) if line.startswith("  ")]
    if len(deep) < _LEAST:
        return []
    block = lines[deep[0] : deep[-1] + 1]
    least = min(len(line) - len(line.lstrip(" ")) for line in block)
    outer = [line for line in block if not line[least : least + 1].isspace()]
    if least < 2 or len(block) < _IN_THE_BOX * len(lines) or len(outer) < 2:
        return []
    if all(line[least : least + 1].isdigit() for line in outer):
        return []  # numbers that a loop sets below each other
    # Below the head of a traceback all is indented as well: frames, and nothing but frames, stand outermost there.
    if 2 * sum(_FRAME.match(line) is not None for line in outer) >= len(outer):
        return []
    return [(re.compile(rf"^ {{{least}}}", re.MULTILINE), "")]

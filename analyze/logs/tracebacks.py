"""Python tracebacks: from lines to exceptions, chains, the frame in the user's own code, and whether it was the end.

Layouts read: plain (Python 3.11 markers included), chained, exception groups, rich boxes, loguru, indented by a
wrapper, glued to a progress bar, and the remote tracebacks that DataLoader workers and spawned processes carry inside
their message. Ranks that interleave in one stream are taken apart before.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from inquest.analyze.logs.reader import TRACEBACK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inquest.analyze.logs.reader import Line

LINES_AFTER: Final = 260
"""Lines after a header that are fetched: longer tracebacks lose their end."""
BOX_LINES: Final = 4000
"""The same of a box of rich's, which may show every variable of every frame, a line for each item of a list."""
BOXES: Final = ("\u256d", "\u250f")
"""Corners with which the header of a box begins."""

MESSAGE_CHARS: Final = 2000
_MESSAGE_LINES: Final = 30
_OF_A_GRAPH: Final = "Graph execution error:"
"""What TensorFlow's exceptions begin with, above the message."""
_SUMMARY: Final = "Error Message Summary:"
_SUMMARY_WITHIN: Final = 60
_SUMMARY_LINES: Final = 3
_STAMP_CHARS: Final = 160
_CODE_CHARS: Final = 300

_FRAME: Final = re.compile(r'^[> ]*\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?')
_RICH_HALF: Final = re.compile(r"[│┃|] (?P<half>[/~]\S*)\s*[│┃|]?$")
"""The beginning of a path that was too long for a box."""
_RICH_FRAME: Final = re.compile(r"^[│|] (?P<file>\S+\.py):(?P<line>\d+) in (?P<function>[\w<>.]+)")
_EXCEPTION: Final = re.compile(r"^(?![A-Z]+:)(?P<type>[A-Za-z_][\w]*(?:\.[A-Za-z_<][\w<>]*)*)(?:: ?(?P<message>.*))?$")
_RAISED: Final = re.compile(r"\.|(?:Error|Exception|Interrupt|Exit|Warning|Iteration|Group)$")
"""What a name has that is a class of exceptions: those of Python's own, and of other modules."""
_OF_A_RECORD: Final = re.compile(
    r"At (?:line:\d|.{1,300}:\d{1,6} char:\d)|\+ |    \+ (?:CategoryInfo|FullyQualifiedErrorId) |\s*$"
)
"""What PowerShell adds below the first line that a program wrote to its standard error (``2>&1``)."""
_UNAWAITED: Final = (
    *("Task exception was never retrieved", "Future exception was never retrieved"),
    *("future: <Task finished ", "future: <Future finished ", "handle: <Handle "),
)
"""What asyncio writes above what a task or a callback raised that nobody awaited."""
_OF_A_LOGGER: Final = "--- Logging error ---"
"""What logging prints above the traceback of a handler that could not write a record; it raises nothing."""
_MADE: Final = re.compile(
    r"(?i)^.{0,120}?\b(?:generated|generations?|samples?|completions?|predict(?:ed|ions?)|responses?|hypothes[ei]s|outputs?"
    r"|targets?|references?|prompts?|answers?)\b[^:]{0,60}(?::|[-=~#*>]{3,})\s*$"
)
"""A heading of a text that a model wrote, or that it learns from."""
_MADE_BY: Final = re.compile(r"(?i)generat|sampl|decod|predict|infer|complet|evaluat")
"""Code that writes such a text."""
_HEADED: Final = 2
"""Lines that such a text may have above a traceback in it."""
_NEVER_RAISED: Final = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit)(?::.*)?$")
_CAUSE_LINES: Final = 6
"""Lines from an exception without a traceback to the header of what was raised from it."""
_GROUP_BAR: Final = re.compile(r"^\s*[|+] ?(?=\S|\s|$)")
_GROUP_RULE: Final = re.compile(r"^\s*\+?-?\+?-{10,} (?:\d+|\.\.\.) -{10,}$|^\s*\+-{20,}$")
_NOTEBOOK_HEAD: Final = re.compile(r"^([A-Za-z_][\w.]*) {2,}$")
_NOTEBOOK_FRAME: Final = re.compile(
    r"^(?:File )?(?P<file>\S+\.py|Cell In\[\d+\]|Input In \[\d+\])(?::|, line )(?P<line>\d+)(?:, in (?P<function>[\w<>.]+))?"
)
_RUNS_NOTEBOOKS: Final = ("PapermillExecutionError", "CellExecutionError")
_CHILD: Final = re.compile(r"Process (\d{1,6}) terminated with the following error")
_PASSED_ON: Final = "-- Tracebacks above this line can probably"
"""``onmt/utils/distributed.py`` and ``fairseq_cli/train.py`` of 2019: the message of what their signal handler raises."""
_CAUSE: Final = "The above exception was the direct cause of the following exception"
_CONTEXT: Final = "During handling of the above exception, another exception occurred"
_NEW_BLOCK: Final = re.compile(
    r"^(?:20\d\d[-/]\d\d|\[?20\d\d-|[IWEF]\d{3,4} \d\d:|\[[A-Z]|\[[a-z][\w.-]{1,30}\] \w|\[rank|timeout: sending signal |\{'|\{\"\w{1,40}\": |={2,} \S|={8,}|-{8,}|\*{3} |Epoch |epoch |step |iter"
    r"|\w+ \d+/\d+\b.{0,80}loss"
    r"|srun: |slurmstepd|g?make(?:\[\d+\])?: |.*\d+%\||.{0,80}: line \d+: +\d+ |(?:INFO|WARNING|ERROR|DEBUG|CRITICAL)[: ]|Killed$|Aborted|[\w.@:~()/ -]{0,80}[$#] (?:python|torchrun|accelerate|deepspeed|srun|bash|sh|make)\b"
    r"|Segmentation fault|Terminated$|terminate called|wandb: |Exception raised from|frame #\d|.{0,200}Warning: |exit (?:code )?\d+$)"
)
_TRACED: Final = re.compile(r"\+{1,3} (?!Exception Group |[-+|])(?:\w+=|[\w./-]{2,} )\S")
"""What a shell under "set -x" says that it does next."""
_LIBRARY: Final = re.compile(
    r"site-packages/|dist-packages/|/lib(?:64)?/python\d|<frozen |<string>|<stdin>|^<|/bin/(?:torchrun|accelerate|deepspeed)$"
)
_VARIABLE: Final = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"|/\S+")


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a stack."""

    file: str
    line: int
    function: str
    code: str = ""
    """Its source line, where the traceback shows it."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}"


@dataclass(slots=True)
class Raised:
    """One exception of a chain."""

    exc_type: str
    message: str
    frames: list[Frame]
    header: Line
    """The line of the header."""
    said: Line
    """The line that names the exception."""
    last_seq: int

    @property
    def user_frame(self) -> Frame | None:
        """Innermost frame outside installed packages."""
        return next((frame for frame in reversed(self.frames) if not _LIBRARY.search(frame.file)), None)

    @property
    def signature(self) -> str:
        """16 hex digits, equal where class, message shape and user frame are."""
        user = self.user_frame
        shape = _VARIABLE.sub("#", self.message.partition("\n")[0])[:200]
        where = f"{user.file.rpartition('/')[2]}:{user.function}" if user else ""
        return hashlib.sha256(f"{self.exc_type}|{shape}|{where}".encode()).hexdigest()[:16]


@dataclass(slots=True)
class Traceback:
    """Exceptions chained together: ``chain[0]`` is the root cause, the last is what was raised at the end."""

    chain: list[Raised] = field(default_factory=list)
    ignored: bool = False
    """Printed by the interpreter at shutdown ("Exception ignored in")."""
    logged: bool = False
    """Printed through a logger, which the program survives."""
    threaded: bool = False
    """Raised in a thread beside the main one, which Python outlives."""
    unawaited: bool = False
    """Raised in a task of asyncio's for whose result nobody waited."""
    made: bool = False
    """Below the heading of a text that a model wrote, or learns from, and not raised in writing it."""

    @property
    def first(self) -> Line:
        """Its first line."""
        return min((raised.header for raised in self.chain), key=lambda line: line.seq)

    @property
    def last_seq(self) -> int:
        """Number of its last line."""
        return max(raised.last_seq for raised in self.chain)

    @property
    def final(self) -> Raised:
        """What was raised at the end."""
        return self.chain[-1]


def tracebacks(lines: Sequence[Line], reports: frozenset[int] | None = None) -> list[Traceback]:
    """Tracebacks among the lines of one stream, in order; ranks may interleave.

    Args:
        lines: Lines of the stream.
        reports: Numbers of those that report progress: they belong to no message.
    """
    by_rank: dict[int | None, list[Line]] = {}
    for line in lines:
        by_rank.setdefault(line.rank, []).append(line)
    found = [tb for own in by_rank.values() for tb in _Parser(own, reports or frozenset()).run()]
    return sorted(found, key=lambda tb: tb.first.seq)


def frame_lines(found: Iterable[Traceback]) -> set[tuple[str, str, int]]:
    """Lines (node, capture, seq) from a header up to, not including, the line that names the exception."""
    return {
        (raised.header.node, raised.header.capture, seq)
        for traceback in found
        for raised in traceback.chain
        for seq in range(raised.header.seq, raised.said.seq)
    }


def _begins(text: str) -> bool:
    """Whether a line with the words of a header is one: a sentence that quotes them goes on in words."""
    rest = text.partition(TRACEBACK)[2]
    return _REST.match(rest) is not None or 'File "' in rest


_REST: Final = re.compile(r"\W*(?:\(RANK \d{1,6}\)\W*)?$")


class _Parser:
    """Walks the lines of one rank in one stream."""

    def __init__(self, lines: list[Line], reports: frozenset[int]) -> None:
        self._lines = lines
        self._reports = reports
        self._at = 0
        self._bare: int | None = None
        """Place of an exception that was never raised, named as the cause of the traceback below it."""

    def run(self) -> list[Traceback]:
        found: list[Traceback] = []
        link: str | None = None
        seen_since = 0
        while self._at < len(self._lines):
            text = self._lines[self._at].text
            if TRACEBACK in text and _begins(text):
                start = self._at
                raised = self._one()
                if raised is not None:
                    self._attach(found, raised, link if seen_since <= 6 else None, start)
                    link, seen_since = None, 0
                continue
            if _CAUSE in text or _CONTEXT in text:
                self._bare = self._without_frames(found[-1].last_seq if found else -1)
                link, seen_since = None if self._bare is not None else "chain", 0
            elif found and _GROUP_RULE.match(text):
                link, seen_since = "group", 0
            elif text.strip():
                seen_since += 1
            self._at += 1
        return found

    def _attach(self, found: list[Traceback], raised: Raised, link: str | None, start: int) -> None:
        header = raised.header.text
        previous = found[-1] if found else None
        near = previous is not None and raised.header.seq - previous.last_seq <= 400
        if (
            previous is not None
            and near
            and (
                "Original Traceback" in header
                or "): (RANK " in header
                or link == "group"
                or self._remote(start) is not None
                or self._handed_on(start)
                or previous.final.exc_type.endswith(_RUNS_NOTEBOOKS)
            )
        ):
            previous.chain.insert(len(previous.chain) - 1, self._of_child(raised, start))
        elif previous is not None and near and link == "chain":
            previous.chain.append(raised)
        else:
            top = start if self._bare is None or start - self._bare > _CAUSE_LINES else self._bare
            before = self._lines[top - 1].text if top else ""
            said = before + header.partition(TRACEBACK)[0]
            logged = (
                re.search(
                    r"\b(?:ERROR|WARNING|CRITICAL|EXCEPTION)\b|^\[?[EWC] ?\d{4}(?!.{0,60}\.(?:cpp|cc|cu|h):\d)", said
                )
                is not None
            )
            before = before.removeprefix(header.partition(TRACEBACK)[0])  # who speaks: ``node-3: ``
            ignored = before.startswith("Exception ignored in") or before.strip() == _OF_A_LOGGER
            unawaited = before.startswith(_UNAWAITED)
            threaded = unawaited or before.startswith("Exception in thread ")
            made = self._made(raised, start)
            found.append(
                Traceback([raised], ignored=ignored, logged=logged, threaded=threaded, unawaited=unawaited, made=made)
            )

    def _made(self, raised: Raised, start: int) -> bool:
        """Whether it is part of a text of a model's: a heading says so right above, and no frame is of its writing."""
        above = self._lines[max(0, start - 1 - _HEADED) : start]
        above = [line for line in above if len(line.text) <= _STAMP_CHARS]
        if not any(_MADE.match(line.text) for line in above if raised.header.seq - line.seq <= 1 + _HEADED):
            return False
        return not any(_MADE_BY.search(f"{frame.function} {frame.code}") for frame in raised.frames)

    def _without_frames(self, after: int) -> int | None:
        """Place of the line above the present one, where it names an exception that belongs to no traceback."""
        at = self._at - 1
        while at >= 0 and not self._lines[at].text.strip():
            at -= 1
        bare = at >= 0 and self._lines[at].seq > after and _NEVER_RAISED.match(self._lines[at].text.strip())
        return at if bare else None

    def _remote(self, start: int) -> re.Match[str] | None:
        """A traceback inside the message of the exception before it, as mp.spawn hands on what its child raised."""
        return next(filter(None, (_CHILD.search(line.text) for line in self._lines[max(0, start - 3) : start])), None)

    def _handed_on(self, start: int) -> bool:
        """The same as OpenNMT-py and the first fairseq do it, which bid to read no traceback but the one below."""
        return any(_PASSED_ON in line.text for line in self._lines[max(0, start - 4) : start])

    def _of_child(self, raised: Raised, start: int) -> Raised:
        """``raised``, by the child that mp.spawn names: it counts its children as ranks are counted."""
        child = self._remote(start)
        if child is None or raised.said.rank is not None:
            return raised
        header, said = (replace(line, rank=int(child[1]), rank_by="text") for line in (raised.header, raised.said))
        return replace(raised, header=header, said=said)

    def _one(self) -> Raised | None:
        """The exception whose header is the present line; moves past it. None when its end is missing."""
        header = self._lines[self._at]
        rich = any(corner in header.text for corner in BOXES)
        most = BOX_LINES if rich else LINES_AFTER
        lead = header.text.partition(TRACEBACK)[0]
        if notebook := _NOTEBOOK_HEAD.match(lead):
            return self._of_notebook(header, notebook[1])
        lead = lead.removesuffix("Original ").removesuffix("Exception Group ")
        indent = len(lead) if not lead.strip(" |+│") else 0
        self._at += 1
        stamp = None if rich or indent else self._stamp(lead)
        recorded = lead.endswith(" : ")
        frames: list[Frame] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.seq - self._lines[self._at - 1].seq > LINES_AFTER:
                return None  # the next stretch of fetched lines begins here
            if recorded and not frames and _OF_A_RECORD.match(line.text):
                self._at += 1
                continue
            if TRACEBACK in line.text:
                return None
            text = _dedent(_unstamped(line.text, stamp), indent)
            if rich:
                found = _RICH_FRAME.match(text.strip().replace("┃", "│"))
                inside = text.strip()[:1] in {"│", "╰", "┃", "┗", "╭", ""}
            else:
                found = _FRAME.match(text)
                inside = text[:1] in {" ", "\t", "", ">"} or text.startswith(("│", "└"))
            if found:
                function = (found["function"] or "").strip()
                file = _half_above(self._lines[self._at - 1].text, found["file"]) if rich else found["file"]
                frames.append(Frame(file, min(int(found["line"][:9]), 2**31), function))
            elif inside and frames and not frames[-1].code and not rich and text.startswith("    "):
                frames[-1] = replace(frames[-1], code=text.strip()[:_CODE_CHARS])
            elif not inside:
                named = _EXCEPTION.match(text.strip())
                within = not (named and _RAISED.search(named["type"])) and self._goes_on(stamp, indent)
                if named is None or within:
                    if frames or within:  # another process wrote into the middle: look a little further
                        self._at += 1
                        if self._gap(header) > most:
                            return None
                        continue
                    return None
                return self._finish(header, line, frames, named, indent, stamp)
            self._at += 1
        return None

    def _goes_on(self, stamp: re.Pattern[str] | None, indent: int) -> bool:
        """The line below the present one is of a traceback: a frame, or its source line."""
        below = self._lines[self._at + 1].text if self._at + 1 < len(self._lines) else ""
        text = _dedent(_unstamped(below, stamp), indent)
        return text.startswith("    ") or _FRAME.match(text) is not None

    def _of_notebook(self, header: Line, exc_type: str) -> Raised | None:
        """The same in IPython's layout: the class stands before the header, and again before the message."""
        frames: list[Frame] = []
        self._at += 1
        while self._at < len(self._lines) and self._gap(header) <= LINES_AFTER:
            line = self._lines[self._at]
            if TRACEBACK in line.text:
                return None
            if found := _NOTEBOOK_FRAME.match(line.text):
                frames.append(Frame(found["file"], min(int(found["line"][:9]), 2**31), found["function"] or ""))
            elif (named := _EXCEPTION.match(line.text.strip())) and named["type"].endswith(exc_type):
                return self._finish(header, line, frames, named, 0, None)
            self._at += 1
        return None

    def _gap(self, header: Line) -> int:
        return self._lines[min(self._at, len(self._lines) - 1)].seq - header.seq

    def _stamp(self, lead: str) -> re.Pattern[str] | None:
        """What a collector put before every line, told by the header and the line after it; digits may change."""
        if not lead.strip() or len(lead) > _STAMP_CHARS or self._at >= len(self._lines):
            return None
        stamp = re.compile(re.sub(r"\d+", r"\\d+", re.escape(lead)))
        after = stamp.match(self._lines[self._at].text)
        return stamp if after and after.string.startswith("  File ", after.end()) else None

    def _finish(
        self,
        header: Line,
        said: Line,
        frames: list[Frame],
        named: re.Match[str],
        indent: int,
        stamp: re.Pattern[str] | None,
    ) -> Raised:
        message = [named["message"] or ""]
        last = said.seq
        self._at += 1
        while self._at < len(self._lines) and len(message) < _MESSAGE_LINES:
            line = self._lines[self._at]
            text = _dedent(_unstamped(line.text, stamp), indent)
            if (
                not text.strip()
                or TRACEBACK in text
                or _CAUSE in text
                or _CONTEXT in text
                or _GROUP_RULE.match(line.text)
                or _NEW_BLOCK.match(text)
                or _TRACED.match(line.text)
                or line.seq - last > 8
                or line.seq in self._reports
            ):
                break
            message.append(text.rstrip())
            last = line.seq
            self._at += 1
        if message == [_OF_A_GRAPH]:
            message += self._of_graph()
        text = "\n".join(message)[:MESSAGE_CHARS].strip() or self._summed_up()
        return Raised(named["type"], text, frames, header, said, last)

    def _of_graph(self) -> list[str]:
        """What TensorFlow says of an error in a graph: below the place of its node, or right below an empty line."""
        below = [line.text.strip() for line in self._lines[self._at : self._at + LINES_AFTER]]
        node = next((at for at, text in enumerate(below) if text.startswith("Node: ")), None)
        said = below[node + 1 :] if node is not None else below[1:]
        return said[:1]

    def _summed_up(self) -> str:
        """What Paddle says of an exception whose name stands alone: under a heading, below its stack in C++."""
        below = [line.text.strip() for line in self._lines[self._at : self._at + _SUMMARY_WITHIN]]
        if _SUMMARY not in below:
            return ""
        said = [text for text in below[below.index(_SUMMARY) + 1 :] if text.strip("-")]
        return "\n".join(said[:_SUMMARY_LINES])[:MESSAGE_CHARS]


def _unstamped(text: str, stamp: re.Pattern[str] | None) -> str:
    """``text`` without what a collector put before it."""
    found = stamp.match(text) if stamp else None
    return text[found.end() :] if found else text


def _dedent(text: str, indent: int) -> str:
    """``text`` without the wrapper's indentation and the bar of an exception group."""
    if indent:
        head, tail = text[:indent], text[indent:]
        if not head.strip(" |+│"):
            return tail
    return _GROUP_BAR.sub("", text, count=1) if text.lstrip()[:1] in {"|", "+"} else text


def _half_above(above: str, file: str) -> str:
    """A path of a box, whole where it begins on the line above."""
    half = None if file.startswith(("/", "~")) else _RICH_HALF.match(above.strip())
    return file if half is None else half["half"] + file

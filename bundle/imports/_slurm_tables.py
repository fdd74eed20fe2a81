"""Tables as Slurm's commands print them: a line of column names, and records below it.

Three forms: fields between delimiters (``--parsable``), columns under a ruler of dashes, and columns under their names
alone. Text fields may hold line breaks and delimiters, and Slurm escapes neither: what the other columns must look
like tells where such a field ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from inquest.bundle.imports.kind import Context

Looks = Literal[
    "id", "time", "duration", "number", "state", "node_state", "exit", "tres", "hosts", "word", "path", "free"
]
"""How the values of a column look; ``free`` is prose that may hold anything, ``path`` nearly so."""

MAX_RECORD: Final = 256 << 10
"""Bytes of a record that spans lines; Slurm itself caps a batch script's comment far below."""
_MAX_LINES: Final = 512
_EFFORT: Final = 2_000_000
"""Pieces times columns that are looked at in vain, in one file, to tell which delimiters are text: some 2 s."""
_LOOKS: Final[dict[Looks, re.Pattern[bytes]]] = {
    "id": re.compile(
        rb"\d{1,10}(?:_(?:\d{1,10}|\[[\d,:%.\-]{1,4096}\]))?(?:\+\d{1,6})?(?:\.(?:[A-Za-z]{1,20}|\d{1,10}(?:\+\d{1,6})?))?"
    ),
    "time": re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16}|\d{1,11}|Unknown *|None *|N/A *|INVALID *|"),
    "duration": re.compile(rb"-?(?:\d{1,6}-)?[\d:.]{0,24}|UNLIMITED|Partition_Limit|INVALID|NOT_SET|N/A"),
    "number": re.compile(rb"-?\d{0,20}(?:\.\d{1,9})?[KMGTPE?]?[nc]? *"),
    "state": re.compile(rb"[A-Z_]{1,20}\+?(?: by \S{1,64})?"),
    "node_state": re.compile(rb"[A-Za-z_+]{1,64}[*~#!%$@^+\-]{0,4} *|n/a *"),
    "exit": re.compile(rb"(?:\d{1,10}:\d{1,10})?"),
    "tres": re.compile(rb"(?:[a-z][\w/:.\-]*=\S*)?"),
    "hosts": re.compile(rb"[\w.\-\[\],]*|None assigned"),
    "word": re.compile(rb"[^\n]*"),
    "path": re.compile(rb"[\s\S]*"),
    "free": re.compile(rb"[\s\S]*"),
}
_TELLING: Final = frozenset({"id", "time", "duration", "number", "state", "node_state"})
"""Looks by which fields of an aligned table are known to be cut in the right places."""
_MAX_SHIFT: Final = 24
_ANY_TIME: Final = re.compile(rb"[^\n|]{0,40}")
"""Times in a form of the site's own (``SLURM_TIME_FORMAT``)."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_ %()/:]{0,40}")
_COMPLAINT: Final = re.compile(
    rb"(?:sacct|sacctmgr|squeue|sinfo|scontrol|slurm\w*|srun): ?(?:error|warning|fatal|info)"
)
_DATE: Final = re.compile(rb"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}")
_RULER: Final = re.compile(rb"-+(?: -+)* *")

_MARK: Final = b"\xef\xbb\xbf"
"""What editors of another system put before UTF-8."""

NOT_A_RECORD: Final = "a line that is no record of its table, nor a part of one"
NO_HEADER: Final = "a line of a table whose columns nothing names"
A_COMPLAINT: Final = "a complaint of the command among its records"


@dataclass(frozen=True)
class Vocabulary:
    """Names of a command's columns and how their values look; a header has one of ``required``.

    ``without_ruler`` where the command prints names without a ruler of dashes below.
    """

    looks: Mapping[str, Looks]
    required: frozenset[str]
    without_ruler: bool = False
    needed: tuple[bytes, ...] = field(init=False)
    _begins: re.Pattern[bytes] = field(init=False)

    def __post_init__(self) -> None:
        longest_first = sorted(self.looks, key=len, reverse=True)
        object.__setattr__(self, "needed", tuple(name.encode() for name in sorted(self.required)))
        object.__setattr__(self, "_begins", re.compile("|".join(map(re.escape, longest_first)).encode()))

    def first(self, line: bytes) -> str | None:
        """The name a line begins with."""
        found = self._begins.match(line)
        return found[0].decode() if found else None

    def of(self, names: Iterable[str]) -> tuple[Looks, ...]:
        """How the values of these columns look; of columns not known, any word."""
        return tuple(self.looks.get(name, "word") for name in names)


class Layout(Protocol):
    """Columns of one table.

    Attributes:
        names: of the columns, in order.
        delimiters: how many delimiters a whole record has; 0 where there are none.
        longest: bytes beyond which lines put together are no record.
        open_end: True when a record's last field is text, so that lines after it may belong to it.
        dated: the date that was printed above the table, else empty.
    """

    dated: str

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def delimiters(self) -> int: ...
    @property
    def longest(self) -> int: ...
    @property
    def open_end(self) -> bool: ...

    def count(self, line: bytes) -> int:
        """Delimiters of a line."""
        ...

    def fit(self, record: bytes) -> list[bytes] | None:
        """The fields of a record; None where it is not one."""
        ...

    def spread(self, record: bytes) -> list[bytes] | None:
        """The same, where delimiters may stand inside text fields."""
        ...


@dataclass(slots=True)
class Delimited:
    """Fields between delimiters. ``trailing`` where every record ends with one (``--parsable``)."""

    names: tuple[str, ...]
    looks: tuple[Looks, ...]
    delimiter: bytes
    trailing: bool
    dated: str = ""
    _times_known: bool = False
    _patterns: tuple[re.Pattern[bytes], ...] = field(init=False)
    _strict: tuple[tuple[int, re.Pattern[bytes]], ...] = field(init=False)

    def __post_init__(self) -> None:
        self._expect(_LOOKS["time"])

    def _expect(self, time: re.Pattern[bytes]) -> None:
        self._patterns = tuple(time if look == "time" else _LOOKS[look] for look in self.looks)
        pairs = enumerate(zip(self.looks, self._patterns, strict=True))
        self._strict = tuple((at, pattern) for at, (look, pattern) in pairs if look not in {"word", "path", "free"})

    @property
    def delimiters(self) -> int:
        """See `Layout`."""
        return len(self.names) - (not self.trailing)

    @property
    def longest(self) -> int:
        """See `Layout`."""
        return MAX_RECORD

    @property
    def open_end(self) -> bool:
        """See `Layout`."""
        return not self.trailing and self.looks[-1] == "free"

    def count(self, line: bytes) -> int:
        """See `Layout`."""
        return line.count(self.delimiter)

    def fit(self, record: bytes) -> list[bytes] | None:
        """See `Layout`."""
        pieces = self._pieces(record)
        if len(pieces) != len(self.names):
            return None
        if not self._times_known:
            self._learn_times(pieces)
        return pieces if self._whole(pieces, one_line=b"\n" not in record) else None

    def _whole(self, fields: Sequence[bytes], *, one_line: bool) -> bool:
        """Whether all fields look as they must; a word may be anything but a line break."""
        checked = self._strict if one_line else enumerate(self._patterns)
        return all(pattern.fullmatch(fields[column]) for column, pattern in checked)

    def spread(self, record: bytes) -> list[bytes] | None:
        """See `Layout`. Text columns take several pieces, at the least cost over all columns.

        Steps grow with pieces times columns only, whatever the text.
        """
        pieces = self._pieces(record)
        return self._by_submit_line(pieces) or self._by_least_cost(pieces)

    def _by_submit_line(self, pieces: Sequence[bytes]) -> list[bytes] | None:
        """The commonest case, and the cheapest: the submit line alone holds delimiters."""
        if "SubmitLine" not in self.names or len(pieces) < len(self.names):
            return None
        at = self.names.index("SubmitLine")
        after = at + 1 + len(pieces) - len(self.names)
        fields = [*pieces[:at], self.delimiter.join(pieces[at:after]), *pieces[after:]]
        return fields if self._whole(fields, one_line=False) else None

    def _by_least_cost(self, pieces: Sequence[bytes]) -> list[bytes] | None:
        best: list[int | None] = [0] + [None] * len(pieces)
        choices: list[list[int]] = []
        for column, pattern in enumerate(self._patterns):
            step: list[int | None] = [None] * (len(pieces) + 1)
            begins = [0] * (len(pieces) + 1)
            several = self._cost_of_several(column)
            longer: tuple[int, int] | None = None
            for at, piece in enumerate(pieces):
                if not pattern.fullmatch(piece):
                    longer = None
                    continue
                options = [] if longer is None else [longer]
                if (here := best[at]) is not None:
                    options.append((here, at))
                    if several is not None and (longer is None or here + several <= longer[0]):
                        longer = (here + several, at)
                if options:
                    # Of equal costs the latest begin: lists before a text end where the text must begin.
                    step[at + 1], begins[at + 1] = min(options, key=lambda option: (option[0], -option[1]))
            best = step
            choices.append(begins)
        if best[-1] is None:
            return None
        ends = [len(pieces)]
        for begins in reversed(choices):
            ends.append(begins[ends[-1]])
        return [self.delimiter.join(pieces[low:high]) for low, high in pairwise(reversed(ends))]

    def _pieces(self, record: bytes) -> list[bytes]:
        if self.trailing:
            if not record.endswith(self.delimiter):
                return []
            record = record[: -len(self.delimiter)]
        return record.split(self.delimiter)

    def _learn_times(self, pieces: Sequence[bytes]) -> None:
        """The first record tells whether times have the form they have by default."""
        self._times_known = True
        times = [piece for piece, look in zip(pieces, self.looks, strict=True) if look == "time"]
        if not all(_LOOKS["time"].fullmatch(time) for time in times):
            self._expect(_ANY_TIME)

    def _cost_of_several(self, column: int) -> int | None:
        """What it costs to take a delimiter as part of this column; None where it cannot be."""
        if self.looks[column] in {"free", "path"}:
            return 1 if self.names[column] == "SubmitLine" else 2
        return 0 if self.delimiter == b"," and self.looks[column] in {"tres", "hosts"} else None


@dataclass(slots=True)
class _Columns:
    """Columns at places of their own, with no delimiters."""

    names: tuple[str, ...]
    looks: tuple[Looks, ...]
    spans: tuple[tuple[int, int], ...]
    dated: str = ""

    @property
    def delimiters(self) -> int:
        """See `Layout`."""
        return 0

    @property
    def open_end(self) -> bool:
        """See `Layout`."""
        return False

    def count(self, line: bytes) -> int:
        """See `Layout`."""
        del line
        return 0

    def spread(self, record: bytes) -> list[bytes] | None:
        """See `Layout`."""
        del record
        return None


@dataclass(slots=True)
class Ruled(_Columns):
    """Columns of fixed width under a ruler of dashes; Slurm counts widths in bytes and cuts what is too long."""

    @property
    def longest(self) -> int:
        """See `Layout`."""
        return self.spans[-1][1] + 1

    def fit(self, record: bytes) -> list[bytes] | None:
        """See `Layout`."""
        if len(record.rstrip()) > self.spans[-1][1]:
            return None
        if any(record[high : high + 1].strip() for _, high in self.spans[:-1]):
            return None
        fields = [record[low:high].strip() for low, high in self.spans]
        for look, value in zip(self.looks, fields, strict=True):
            if look in {"id", "state"} and not _LOOKS[look].fullmatch(value.removesuffix(b"+")):
                return None
        return fields


@dataclass(slots=True)
class Aligned(_Columns):
    """Columns under their names alone, each flush with the left or the right end of its name."""

    _shift: int | None = None

    @property
    def longest(self) -> int:
        """See `Layout`."""
        return 0

    def fit(self, record: bytes) -> list[bytes] | None:
        """See `Layout`."""
        if b"\n" in record or len(record) > MAX_RECORD:
            return None
        # Who copies a table by hand often loses the blanks before its first line, which shifts the names.
        for shift in (0, self._shift) if self._shift is not None else range(_MAX_SHIFT):
            fields = self._by_place(record, shift)
            if self._may_be(fields):
                self._shift = shift
                return fields
        for fields in (self._by_begin(record), record.split(None, len(self.names) - 1)):
            if self._may_be(fields):
                return fields
        return None

    def _may_be(self, fields: Sequence[bytes]) -> bool:
        pairs = zip(self.looks, fields, strict=False)
        told = all(_LOOKS[look].fullmatch(value) for look, value in pairs if look in _TELLING)
        return len(fields) == len(self.names) and told

    def _by_place(self, record: bytes, shift: int) -> list[bytes]:
        """Fields cut in the blank between two names; none where a value fills that up."""
        cuts = [0]
        for (_, high), (low, _) in pairwise(self.spans):
            cut = _blank_between(record, high + shift, low + shift)
            if cut is None:
                return []
            cuts.append(cut)
        return [record[low:high].strip() for low, high in pairwise([*cuts, len(record)])]

    def _by_begin(self, record: bytes) -> list[bytes]:
        """Fields cut where names begin: columns of fixed width without a blank between them (``squeue -O``)."""
        begins = [0, *(low for low, _ in self.spans[1:]), max(len(record), self.spans[-1][0])]
        return [record[low:high].strip() for low, high in pairwise(begins)]


def _blank_between(record: bytes, end: int, begin: int) -> int | None:
    """Where to cut between a name that ends at ``end`` and one that begins at ``begin``."""
    if end >= len(record):
        return len(record)
    if record[begin - 1 : begin] == b" " and record[begin : begin + 1].strip():
        return begin - 1  # the value below begins where its name does
    blanks = [found.span() for found in re.finditer(rb" +", record[end : max(begin, end + 1)])]
    widest = max(blanks, key=lambda span: span[1] - span[0], default=None)
    return None if widest is None else end + widest[0]


def aligned(line: bytes, vocabulary: Vocabulary) -> Aligned | None:
    """The layout that a line of nothing but names declares; None where the line is none."""
    if len(line) > 8192 or not line.strip() or vocabulary.first(line.lstrip()) is None:
        return None
    found = [(name[0].decode("utf-8", "replace"), name.span()) for name in re.finditer(rb"\S+", line)]
    names = tuple(_whole_name(name, vocabulary) for name, _ in found)
    if len(names) < 2 or not set(names) <= set(vocabulary.looks) or not vocabulary.required & set(names):
        return None
    return Aligned(names, vocabulary.of(names), tuple(span for _, span in found))


def header(line: bytes, vocabulary: Vocabulary) -> Delimited | None:
    """The layout that a line of column names between delimiters declares; None where the line is none."""
    if len(line) > 8192 or not any(name in line for name in vocabulary.needed):
        return None
    text = line.decode("utf-8", "replace").rstrip("\r")
    for delimiter in _delimiters(text, vocabulary):
        trailing = text.endswith(delimiter)
        names = tuple(name.strip() for name in text.removesuffix(delimiter).split(delimiter))
        known = sum(name in vocabulary.looks for name in names)
        if len(names) < 2 or known < 0.6 * len(names) or not vocabulary.required & set(names):
            continue
        if all(not name or _NAME.fullmatch(name) for name in names):
            return Delimited(names, vocabulary.of(names), delimiter.encode(), trailing)
    return None


def _unruled(line: bytes, vocabulary: Vocabulary) -> Aligned | None:
    return aligned(line, vocabulary) if vocabulary.without_ruler else None


def _delimiters(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """What may stand between the first name and the next."""
    marks = re.match(r"[A-Za-z][A-Za-z0-9]*([^A-Za-z0-9]+)", text)
    if marks and marks[1].strip(" "):
        yield marks[1]
    first = vocabulary.first(text.encode())
    if first is None:
        return
    rest = text[len(first) :]
    marks = re.match(r"([^A-Za-z0-9]+)", rest)
    if marks and marks[1].strip(" "):
        yield marks[1]
        yield marks[1].lstrip(" ")
    for place in sorted({rest.find(name, 1, 32) for name in vocabulary.looks}):
        if place > 0 and rest[:place].strip(" "):
            yield rest[:place]


def ruled(names: bytes, ruler: bytes, vocabulary: Vocabulary) -> Ruled | None:
    """The layout of a line of names over a ruler of dashes; None where they are none."""
    if len(ruler) > MAX_RECORD or not _RULER.fullmatch(ruler):
        return None
    spans = tuple((found.start(), found.end()) for found in re.finditer(rb"-+", ruler))
    # Names are cut without a mark where their column is narrower, and may stand beside it where it is wider.
    cells = names.split() if len(names.split()) == len(spans) else [names[low:high].strip() for low, high in spans]
    found = tuple(_whole_name(cell.decode("utf-8", "replace"), vocabulary) for cell in cells)
    return Ruled(found, vocabulary.of(found), spans) if vocabulary.required & set(found) else None


def _whole_name(name: str, vocabulary: Vocabulary) -> str:
    if name in vocabulary.looks:
        return name
    whole = [known for known in vocabulary.looks if len(name) > 3 and known.startswith(name)]
    return whole[0] if len(whole) == 1 else name


def begins(head: bytes, vocabulary: Vocabulary, command: str) -> bool:
    """Whether a text begins with a table of ``command``; see `opening` for what may stand before it."""
    names, below = opening(head, command)
    return any((header(names, vocabulary), ruled(names, below, vocabulary), _unruled(names, vocabulary)))


def opening(head: bytes, command: str) -> tuple[bytes, bytes]:
    """The first two lines of what a command printed; the prompt, a date and complaints may stand before them."""
    asked = re.compile(rb"(?:\S{0,80} ?){0,3}[$#%>] .{0,200}\b" + command.encode())
    found = [line.rstrip(b"\r") for line in head[: 1 << 16].removeprefix(_MARK).split(b"\n")[:50]]
    for at, line in enumerate(found):
        if line.strip() and not (asked.match(line) or _COMPLAINT.match(line) or _DATE.fullmatch(line.rstrip())):
            return line, found[at + 1] if at + 1 < len(found) else b""
    return b"", b""


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their line feed; one longer than any record is cut, so that memory stays bounded."""
    rest = b""
    first = True
    for chunk in chunks:
        *whole, rest = (rest + (chunk.removeprefix(_MARK) if first else chunk)).split(b"\n")
        first = False
        yield from whole
        while len(rest) > MAX_RECORD:
            yield rest[:MAX_RECORD]
            rest = rest[MAX_RECORD:]
    if rest:
        yield rest


def records(
    source: Iterable[bytes], vocabulary: Vocabulary, context: Context, default: Layout | None = None
) -> Iterator[tuple[Layout, list[bytes]]]:
    """Records of all tables in a text, each with its layout. What is no record is counted as refused.

    Args:
        source: lines without their line feed.
        vocabulary: of the command.
        context: where refused lines are counted.
        default: layout of records that stand before any header.
    """
    effort = _Effort()
    table = None if default is None else _Table(default, context, effort)
    above = b""
    carriage = False
    dated = ""
    without = 0
    for raw in source:
        line = raw.removesuffix(b"\r") if carriage else raw
        if _DATE.fullmatch(line.strip()):
            dated = line.decode().strip()
            continue
        layout: Layout | None = header(line, vocabulary) or _unruled(line, vocabulary)
        if layout is None and line.startswith(b"-"):
            layout = ruled(above.removesuffix(b"\r"), line.removesuffix(b"\r"), vocabulary)
        if layout is not None:
            layout.dated, dated = dated, ""
            carriage = raw.endswith(b"\r")
            if table is not None:
                yield from table.end(above if isinstance(layout, Ruled) else None)
            table = _Table(layout, context, effort)
        elif table is not None:
            yield from table.add(line)
        elif line.strip():
            without += 1
        above = line
    if table is not None:
        yield from table.end()
    else:
        context.refuse(NO_HEADER, without)


@dataclass(slots=True)
class _Effort:
    """What may still be spent in vain on one file."""

    left: int = _EFFORT


class _Table:
    """Puts the lines of one table together to records."""

    def __init__(self, layout: Layout, context: Context, effort: _Effort) -> None:
        self._layout = layout
        self._effort = effort
        self._context = context
        self._held: list[bytes] | None = None
        self._pending: list[bytes] = []
        self._delimiters = 0

    def add(self, line: bytes) -> Iterator[tuple[Layout, list[bytes]]]:
        """Take a line; gives the record before it once that is known to be whole."""
        if _COMPLAINT.match(line):
            self._context.refuse(A_COMPLAINT)
            return
        fields = self._fields(line)
        if fields is None:
            self._pending.append(line)
            self._delimiters += self._layout.count(line)
            if len(self._pending) > _MAX_LINES or sum(map(len, self._pending)) > self._layout.longest:
                self._leave()
            return
        self._leave()
        if self._held is not None:
            yield self._layout, self._held
        self._held = fields

    def end(self, not_mine: bytes | None = None) -> Iterator[tuple[Layout, list[bytes]]]:
        """The last record. ``not_mine`` is a line that turned out to be the header of the next table."""
        if self._pending and self._pending[-1] == not_mine:
            self._pending.pop()
        self._leave()
        if self._held is not None:
            yield self._layout, self._held

    def _fields(self, line: bytes) -> list[bytes] | None:
        """Fields of the record that this line ends, with lines pending or without them: whole ones first."""
        layout = self._layout
        alone = layout.count(line)
        begins = list(self._begins(alone, layout.delimiters))
        for at, delimiters in begins:
            if delimiters == layout.delimiters and (fields := layout.fit(self._joined(at, line))):
                return self._taken(at, fields)
        if alone == layout.delimiters and (fields := layout.fit(line)):
            return fields
        if alone > layout.delimiters and (fields := self._spread(line, alone)):
            return fields
        for at, delimiters in begins:
            if delimiters > layout.delimiters and (fields := self._spread(self._joined(at, line), delimiters)):
                return self._taken(at, fields)
        return None

    def _begins(self, alone: int, needed: int) -> Iterator[tuple[int, int]]:
        """Pending lines at which a record with the ``needed`` delimiters may begin, with how many it has."""
        together = alone + self._delimiters
        if together < needed or self._effort.left <= 0:
            return
        self._effort.left -= len(self._pending)
        for at, line in enumerate(self._pending):
            if together < needed:
                return
            yield at, together
            together -= self._layout.count(line)

    def _taken(self, at: int, fields: list[bytes]) -> list[bytes]:
        """The pending lines from ``at`` on are part of a record."""
        self._effort.left += len(self._pending)
        del self._pending[at:]
        return fields

    def _joined(self, at: int, line: bytes) -> bytes:
        return b"\n".join([*self._pending[at:], line])

    def _spread(self, record: bytes, delimiters: int) -> list[bytes] | None:
        """Effort in vain is limited in all, so that no text can make reading slow."""
        effort = delimiters * len(self._layout.names)
        if self._effort.left < effort:
            return None
        fields = self._layout.spread(record)
        self._effort.left -= 0 if fields else effort
        return fields

    def _leave(self) -> None:
        """Lines that fit nowhere: the end of the last text field, or no record."""
        told = sum(bool(line.strip()) for line in self._pending)
        if self._held is not None and self._is_end_of_text():
            self._held[-1] = b"\n".join([self._held[-1], *self._pending])
        elif told:
            self._context.refuse(NOT_A_RECORD, told)
        self._pending.clear()
        self._delimiters = 0

    def _is_end_of_text(self) -> bool:
        """True when the lines pending are prose that ends the record before them, and no record that was damaged."""
        layout, held = self._layout, self._held
        few = max(1, layout.delimiters // 2)
        fits = held is not None and layout.open_end and len(held[-1]) < MAX_RECORD
        return fits and bool(self._pending) and all(layout.count(line) < few for line in self._pending)

"""From a raw log to lines of text: what the pump recorded, split as a reader of the output would.

A line ends at LF or CR; CR LF is one LF. A CR followed by text ends the state of a progress bar, and each state is a
line of its own. Empty lines are dropped, and offsets stay exact. The time of a line is that of the record that holds
its last byte of text. Bytes that are no UTF-8, and NUL, become U+FFFD.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from inquest.bundle.journal import raw_seq, with_identity
from inquest.bundle.rawlog import LINE_BYTES, STREAMS, Data, Gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HALF: Final = LINE_BYTES // 2
_BATCH_ROWS: Final = 1 << 15
_BATCH_BYTES: Final = 8 << 20
_EOL: Final = re.compile(rb"\r\n|\n|\r")
_WORD_BYTES: Final = 512
_CUT_WORD: Final = re.compile(rb"\S+\Z")
_FALSE: Final = pa.scalar(False, pa.bool_())
_NOT_RECORDED: Final = "not in the raw log: the disk took no more, or the pump or its node died before writing it"


def split(
    records: Iterable[Data | Gap], task: int, identity: dict[str, str | None], constants: dict[str, object]
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Rows of ``log_lines`` and ``log_gaps`` for the records of one task, in bounded memory.

    Bytes that occur twice (the pump was started again) are taken once, the first time; bytes that never come become
    a gap.

    Args:
        records: Records in the order written.
        task: Number of the task.
        identity: ``node``, ``boot_id`` and ``capture`` of the rows.
        constants: Columns that are equal on all rows of ``log_lines`` (``pid``, ``rank`` ...).

    Yields:
        Table name and batch.
    """
    splitter = Splitter(task, identity, constants)
    for record in records:
        splitter.take(record)
        if splitter.is_full():
            yield from splitter.drain()
    splitter.finish()
    yield from splitter.drain()


class _Stream:
    """One stream: the line that has not ended yet, of which head and tail are kept."""

    def __init__(self, first_seq: int, name: str) -> None:
        self.next_seq = {"log_lines": first_seq, "log_gaps": first_seq}
        self.name = name
        self.next_offset = 0
        self.ends_with_cr = False
        self.reset()

    def reset(self) -> None:
        self.offset = 0
        self.length = 0
        self.mono_ns = 0
        self.head = bytearray()
        self.tail = bytearray()

    def number(self, table: str, count: int) -> range:
        first = self.next_seq[table]
        self.next_seq[table] += count
        return range(first, first + count)

    def add(self, piece: bytes, offset: int, mono_ns: int) -> None:
        if not piece:
            return
        if not self.length:
            self.offset = offset
        self.mono_ns = mono_ns
        self.length += len(piece)
        if self.length <= LINE_BYTES:
            self.head += piece
            return
        self.tail += self.head[_HALF:] + piece
        del self.head[_HALF:]
        del self.tail[:-_HALF]

    def text(self) -> str:
        if self.length <= LINE_BYTES:
            return _decode(self.head)
        # Half a word at the cut might be half a secret, which masking could not recognise.
        head = self.head[:-_WORD_BYTES] + _CUT_WORD.sub(b"", self.head[-_WORD_BYTES:])
        tail = _CUT_WORD.sub(b"", self.tail[_WORD_BYTES - 1 :: -1])[::-1] + self.tail[_WORD_BYTES:]
        cut = self.length - len(head) - len(tail)
        return f"{_decode(head)}[... {cut} bytes cut by inquest ...]{_decode(tail)}"


class Splitter:
    """The same piece by piece: ``take`` records as they come, ``drain`` the rows they completed; ``split`` explains."""

    def __init__(self, task: int, identity: dict[str, str | None], constants: dict[str, object]) -> None:
        self._task = task
        self._identity = identity
        self._constants = {**constants, "task": task}
        self._streams = [_Stream(raw_seq(task, number, 0), name) for number, name in enumerate(STREAMS)]
        self._gaps: list[dict[str, object]] = []
        self._clear()

    def _clear(self) -> None:
        self._bytes = 0
        self._stream: list[str] = []
        self._mono_ns: list[int] = []
        self._offset: list[int] = []
        self._seq: list[int] = []
        self._text: list[str] = []
        self._eol: list[str] = []
        self._length: list[int] = []

    def take(self, record: Data | Gap) -> None:
        """The next record of one of the task's streams."""
        stream = self._streams[record.stream]
        if isinstance(record, Gap):
            behind = stream.next_offset - record.offset
            if behind >= record.lost:
                return
            self._miss(stream, record.offset, record.mono_ns, _NOT_RECORDED)
            self._miss(stream, record.offset + record.lost, record.mono_ns, record.reason)
            return
        data, offset = record.data, record.offset
        if offset < stream.next_offset:
            data, offset = data[stream.next_offset - offset :], stream.next_offset
            if not data:
                return
        self._miss(stream, offset, record.mono_ns, _NOT_RECORDED)
        stream.next_offset = offset + len(data)
        if stream.ends_with_cr:
            stream.ends_with_cr = False
            self._end(stream, "lf" if data[0] == 0x0A else "cr")
            if data[0] == 0x0A:
                data, offset = data[1:], offset + 1
        returns = data.count(b"\r")
        if not returns:
            self._take_uniform(stream, data, b"\n", offset, record.mono_ns)
        elif returns == data.count(b"\n") == data.count(b"\r\n"):  # what a terminal makes of LF
            self._take_uniform(stream, data, b"\r\n", offset, record.mono_ns)
        else:
            self._take_mixed(stream, data, offset, record.mono_ns)

    def _take_uniform(self, stream: _Stream, data: bytes, eol: bytes, offset: int, mono_ns: int) -> None:
        first = data.find(eol)
        if first < 0:
            stream.add(data, offset, mono_ns)
            return
        stream.add(data[:first], offset, mono_ns)
        self._end(stream, "lf")
        begin = first + len(eol)
        last = data.rfind(eol)
        if last > first:
            self._whole_lines(stream, data[begin:last], eol, offset + begin, mono_ns)
        rest = last + len(eol)
        stream.add(data[rest:], offset + rest, mono_ns)

    def _take_mixed(self, stream: _Stream, data: bytes, offset: int, mono_ns: int) -> None:
        begin = 0
        for match in _EOL.finditer(data):
            stream.add(data[begin : match.start()], offset + begin, mono_ns)
            begin = match.end()
            if match[0] == b"\r" and begin == len(data):
                stream.ends_with_cr = True  # the next record tells whether LF follows
            else:
                self._end(stream, "cr" if match[0] == b"\r" else "lf")
        stream.add(data[begin:], offset + begin, mono_ns)

    def _whole_lines(self, stream: _Stream, data: bytes, eol: bytes, offset: int, mono_ns: int) -> None:
        """Lines that begin and end within one record: nearly all of them, so they are handled together."""
        texts = _decode(data).split(eol.decode())
        lengths = list(map(len, texts))
        # A character stands for one byte or more, so equal sums mean that every one stands for one.
        if sum(lengths) + len(eol) * (len(texts) - 1) != len(data):
            lengths = list(map(len, data.split(eol)))
        offsets = list(accumulate((length + len(eol) for length in lengths[:-1]), initial=offset))
        if 0 in lengths:
            kept = [index for index, length in enumerate(lengths) if length]
            texts = [texts[index] for index in kept]
            lengths = [lengths[index] for index in kept]
            offsets = [offsets[index] for index in kept]
        count = len(texts)
        self._text += texts
        self._length += lengths
        self._offset += offsets
        self._seq += stream.number("log_lines", count)
        self._stream += [stream.name] * count
        self._mono_ns += [mono_ns] * count
        self._eol += ["lf"] * count
        self._bytes += len(data)

    def _end(self, stream: _Stream, eol: str) -> None:
        if not stream.length:
            return
        text = stream.text()
        self._text.append(text)
        self._length.append(stream.length)
        self._offset.append(stream.offset)
        self._seq += stream.number("log_lines", 1)
        self._stream.append(stream.name)
        self._mono_ns.append(stream.mono_ns)
        self._eol.append(eol)
        self._bytes += len(text)
        stream.reset()

    def _miss(self, stream: _Stream, until: int, mono_ns: int, reason: str) -> None:
        """Bytes up to ``until`` are not there: end the open line, and say so."""
        lost = until - stream.next_offset
        if lost <= 0:
            return
        self._break(stream)
        gap = {"stream": stream.name, "source": stream.name, "task": self._task, "offset": stream.next_offset}
        gap |= {"seq": stream.number("log_gaps", 1)[0], "bytes": lost, "reason": reason, "ts_mono_ns": mono_ns}
        self._gaps.append(gap)
        stream.next_offset = until

    def _break(self, stream: _Stream) -> None:
        self._end(stream, "cr" if stream.ends_with_cr else "none")
        stream.ends_with_cr = False

    def finish(self) -> None:
        """End the lines that are still open: nothing follows."""
        for stream in self._streams:
            self._break(stream)

    def begin_at(self, offset: int) -> None:
        """What comes next begins there, and what lies before is nobody's loss; open lines must have been finished."""
        for stream in self._streams:
            stream.next_offset = offset

    def is_full(self) -> bool:
        """Whether so many rows wait that they should be drained."""
        return len(self._text) + len(self._gaps) >= _BATCH_ROWS or self._bytes >= _BATCH_BYTES

    def drain(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Table name and batch of the rows completed since the last call."""
        if self._text:
            columns = {
                "seq": pa.array(self._seq, pa.int64()),
                "ts_mono_ns": pa.array(self._mono_ns, pa.int64()),
                "stream": (streams := pa.array(self._stream, pa.string())),
                "source": streams,
                "offset": pa.array(self._offset, pa.int64()),
                "text": pa.array(self._text, pa.string()),
                "eol": pa.array(self._eol, pa.string()),
                "line_bytes": (lengths := pa.array(self._length, pa.int64())),
                "truncated": pa.array([length > LINE_BYTES for length in self._length])
                if max(self._length) > LINE_BYTES
                else pa.repeat(_FALSE, len(lengths)),
            }
            for name, value in self._constants.items():
                if value is not None:
                    kind = pa.string() if isinstance(value, str) else pa.int64()
                    columns[name] = pa.repeat(pa.scalar(value, kind), len(lengths))
            self._clear()
            yield "log_lines", with_identity("log_lines", pa.RecordBatch.from_pydict(columns), self._identity)
        if self._gaps:
            rows = pa.RecordBatch.from_pylist(self._gaps)
            self._gaps = []
            yield "log_gaps", with_identity("log_gaps", rows, self._identity)


def _decode(data: bytes | bytearray) -> str:
    text = data.decode("utf-8", "replace")
    return text.replace("\0", "\ufffd") if "\0" in text else text

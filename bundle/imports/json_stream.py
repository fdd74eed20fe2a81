"""JSON objects too large to be held: their members one by one, and one long array among them item by item.

A profiler's trace of 500 MB would take 5 GB as Python values. Here memory is bounded by a chunk and the longest single
item, whatever the size of the file.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports.kind import Context

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.source import Source

MAX_ITEM: Final = 16 << 20
"""Longest item in characters; an event of a trace has some hundred."""
_PIECE: Final = 1 << 18
"""Bytes taken at a time: the place of an error is told by line, which costs a walk over what lies before it."""
_NEAR: Final = 1 << 16
"""An error this near to the end of what is in memory may be the end's fault."""
_BLANK: Final = re.compile(r"[\s,]*")
_NEXT: Final = re.compile(r"\}\s*(?:,\s*\{|\])")
"""The end of an item that is an object, and the begin of the next or the end of all."""
_NOT_JSON: Final = re.compile(r"(:\s*)-?(?:inf|nan)(?=\s*[,}\]])", re.IGNORECASE)
"""What C++ prints of a rate whose time was 0."""
_DECODER: Final = json.JSONDecoder(strict=False)


def members(source: Source, array: str, context: Context) -> Iterator[tuple[str, Any]]:
    """Members of the object a file holds, in their order; each item of the member ``array`` is a pair of its own.

    A file that is cut off gives what was whole, and says so. Items that are no JSON are counted as refused.

    Raises:
        InputError: The file holds no object.
        UnsafeInput: One value is longer than `MAX_ITEM`, or nested beyond measure.
    """
    text = _Text(source.name, source.chunks())
    if not text.skip("{"):
        raise InputError(f"{source.name}: not a JSON object.")
    while (key := text.value()) is not _END:
        if not isinstance(key, str) or not text.skip(":"):
            break
        if key == array and text.skip("["):
            yield from ((array, item) for item in _items(text, context))
        elif (value := text.value()) is not _END:
            yield key, value
    if not text.closed("}"):
        context.warn(f"{source.name}: cut off or damaged in the middle; what was whole was read.")


def values(source: Source, arrays: frozenset[str], context: Context) -> Iterator[Any]:
    """Items of the array a file holds, or of the arrays called one of ``arrays`` in the object it holds, at any depth.

    Items that are no JSON are counted as refused.

    Raises:
        UnsafeInput: One value is longer than `MAX_ITEM`, or nested beyond measure.
    """
    yield from _values(_Text(source.name, source.chunks()), arrays, context)


def first_values(name: str, head: bytes, arrays: frozenset[str]) -> Iterator[Any]:
    """What `values` gives of the first bytes of a file."""
    yield from _values(_Text(name, iter((head,))), arrays, Context())


def _values(text: _Text, arrays: frozenset[str], context: Context) -> Iterator[Any]:
    if text.skip("["):
        yield from _items(text, context)
    elif text.skip("{"):
        while isinstance(key := text.value(), str) and text.skip(":"):
            if key in arrays and (text.closed("[") or text.closed("{")):
                yield from _values(text, arrays, context)
            elif text.value() is _END:
                return
        text.skip("}")


_END: Final = object()


def _items(text: _Text, context: Context) -> Iterator[Any]:
    while not text.closed("]"):
        item = text.value(mend=True)
        if item is _END:
            return
        if item is _BROKEN:
            context.refuse("items that are no JSON")
        else:
            yield item
    text.skip("]")


_BROKEN: Final = object()


class _Text:
    """The text of a file in a window that moves on."""

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        self._name = name
        self._pieces = (chunk[at : at + _PIECE] for chunk in chunks for at in range(0, len(chunk), _PIECE))
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._window = ""
        self._at = 0
        self._ended = False

    def skip(self, sign: str) -> bool:
        """Go beyond ``sign`` where it comes next."""
        found = self.closed(sign)
        if found:
            self._at += 1
        return found

    def closed(self, sign: str) -> bool:
        """Whether ``sign`` comes next, after blanks and commas."""
        while True:
            blank = _BLANK.match(self._window, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._window) or not self._more():
                return self._window.startswith(sign, self._at)

    def value(self, *, mend: bool = False) -> Any:  # noqa: ANN401  JSON is what it is
        """The next value; ``_END`` where there is none, ``_BROKEN`` for what is no JSON with more behind it."""
        if self.closed("}") or self.closed("]") or self._at >= len(self._window):
            return _END
        while True:
            try:
                value, end = _DECODER.raw_decode(self._window, self._at)
            except RecursionError as error:
                raise UnsafeInput(f"{self._name}: JSON nested beyond measure is not read.") from error
            except ValueError as error:
                place = error.pos if isinstance(error, json.JSONDecodeError) else self._at
                if len(self._window) - place < _NEAR and self._more():
                    continue
                # With more of the file behind it, the next item is no JSON, rather than not all here.
                following = _NEXT.search(self._window, place) if mend else None
                if following is not None:
                    return self._mended(following.start() + 1)
                if not self._more():
                    self._at = len(self._window)
                    return _END
                continue
            # A number at the very end of the window may go on in the next chunk.
            if end < len(self._window) or not isinstance(value, int | float) or not self._more():
                self._at = end
                return value

    def _more(self) -> bool:
        if self._ended:
            return False
        if len(self._window) - self._at > MAX_ITEM:
            raise UnsafeInput(f"{self._name}: a single value of more than {MAX_ITEM >> 20} MiB is not read.")
        # As much again as lies here unread: what is tried again and again for a long value stays in proportion.
        wanted, got = max(_PIECE, len(self._window) - self._at), []
        while wanted > 0 and (piece := next(self._pieces, None)) is not None:
            got.append(piece)
            wanted -= len(piece)
        if not got:
            self._ended = True
            self._window += self._decoder.decode(b"", final=True)
            return False
        self._window = self._window[self._at :] + self._decoder.decode(b"".join(got))
        self._at = 0
        return True

    def _mended(self, end: int) -> Any:  # noqa: ANN401
        item, self._at = self._window[self._at : end], end
        try:
            return _DECODER.decode(_NOT_JSON.sub(r"\1null", item))
        except (ValueError, RecursionError):
            return _BROKEN

"""JSON of Slurm's commands, record by record: accounting of a whole cluster does not fit memory as one object."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.errors import InputError, UnsafeInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.source import Source

MAX_VALUE: Final = 64 << 20
"""Characters of one record; a job of a thousand steps has some four million."""
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


def records(source: Source, lists: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Pairs of a top-level key and a record: each item of the ``lists``, and every other value whole.

    Raises:
        InputError: the content is no JSON object; what came before the fault has been given.
        UnsafeInput: one record is larger than any of Slurm's.
    """
    text = _Text(source)
    text.expect("{")
    while text.peek() != "}":
        key = text.value()
        text.expect(":")
        if key in lists and text.peek() == "[":
            text.expect("[")
            while text.peek() != "]":
                yield str(key), text.value()
                if text.peek() == ",":
                    text.expect(",")
            text.expect("]")
        else:
            yield str(key), text.value()
        if text.peek() == ",":
            text.expect(",")


class _Text:
    """Characters still to be read, with as much of the file behind them as was needed so far."""

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._chunks = iter(source.chunks())
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._at = 0
        self._whole = False

    def peek(self) -> str:
        """The next character that is not blank."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                raise InputError(f"{self._name}: the JSON ends too early; what came before is kept.")

    def expect(self, character: str) -> None:
        """Go past ``character``."""
        if self.peek() != character:
            raise InputError(f"{self._name}: no JSON as Slurm prints it; what came before the fault is kept.")
        self._at += 1

    def value(self) -> Any:  # noqa: ANN401  (any JSON value)
        """The next value; more of the file is read until it is whole."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise UnsafeInput(f"{self._name}: nested deeper than any JSON of Slurm.") from None
            except ValueError as error:
                if len(self._text) - self._at > MAX_VALUE:
                    raise UnsafeInput(f"{self._name}: one record has more than {MAX_VALUE >> 20} MiB.") from None
                if not self._more():
                    raise InputError(f"{self._name}: broken JSON ({error}); what came before is kept.") from None
                continue
            if end < len(self._text) or not self._more():
                self._at = end
                return value

    def _more(self) -> bool:
        """Double what lies ahead, so that a large record is not begun again for every chunk."""
        if self._whole:
            return False
        ahead = [self._text[self._at :]]
        wanted = max(1, len(ahead[0]))
        for chunk in self._chunks:
            ahead.append(self._decoder.decode(chunk))
            wanted -= len(ahead[-1])
            if wanted <= 0:
                break
        else:
            self._whole = True
            ahead.append(self._decoder.decode(b"", final=True))
        self._text, self._at = "".join(ahead), 0
        return True

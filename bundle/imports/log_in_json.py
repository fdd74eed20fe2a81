"""A log that a JSON document keeps as a value: one string with ends of lines in it, or a list of lines.

So answer the interfaces of services that run jobs, ansible (``stdout``, ``stdout_lines``) and what dumps their answers.
Only values are taken under whose key programs' output is kept; a document of which nothing looks like a log is none.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports.files import looks_like_a_log
from inquest.bundle.imports.log import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_KEYS: Final = (
    *("log", "logs", "stdout", "stderr", "stdout_lines", "stderr_lines", "output", "console", "console_output"),
    *("log_text", "logtext", "lines", "job_log", "tail"),
)
_KEY: Final = re.compile(rb'"(?:' + "|".join(_KEYS).encode() + rb')"\s*:\s*(?:"|\[\s*")', re.IGNORECASE)
_OPENS: Final = re.compile(rb'\{\s*"|\[\s*["{\[]')
_LIST: Final = re.compile(rb'\[\s*"')
_MOST: Final = 64 << 20
"""Bytes of a document: none that a person saves is larger."""
_DEPTH: Final = 8
_MOST_OBJECTS: Final = 64
"""Objects in a list, as many as hosts or tasks that answer; more are rows of a data set."""
_LEAST: Final = 3
"""Lines of a text that is a log."""
_BEHIND_A_TOOL: Final = re.compile(rb"\A(?:fatal|changed|ok|failed): \[[^\]\n]{1,200}\][^{\n]{0,40}=> (?=\{)")
"""What ansible prints before the answer of a task."""


class _LogInJson:
    name = "log-in-json"
    title = "Log kept as a value of a JSON document"
    tables = ("log_lines",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        head = _bare(source.head)
        if not _OPENS.match(head) or not (_LIST.match(head) or _KEY.search(head)):
            return False
        # One document: a program that logs JSON writes an object a line.
        first = head.split(b"\n", 1)[0]
        if first.rstrip().endswith((b"}", b"]")) and first.rstrip() not in (b"{", b"[") and head[len(first) :].strip():
            return False
        lines = re.split(rb"\\n|\n", head.replace(b"\\t", b"\t"))
        return len(lines) > _LEAST and looks_like_a_log(line.lstrip(b' "') for line in lines)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        data = source.read(_MOST)
        try:
            document = json.loads(_bare(data), strict=False)
        except (ValueError, RecursionError) as error:
            # Cut off, or a log after all: its lines say more than nothing.
            context.warn(f"{source.name}: is no whole JSON document ({type(error).__name__}); read line by line.")
            yield from rows_of(source, data, [data], context)
            return
        texts = dict.fromkeys(
            text.rstrip("\r\n") for text in _texts(document, _DEPTH, wanted=isinstance(document, list))
        )
        said = "\n".join(texts).encode("utf-8", "replace")
        if not said.strip():
            context.warn(f"{source.name}: no value of this document holds the lines of a log.")
            return
        yield from rows_of(source, said, [said], context)


KIND = _LogInJson()


def _bare(data: bytes) -> bytes:
    data = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    found = _BEHIND_A_TOOL.match(data[:512])
    return data[found.end() :] if found else data


def _texts(value: object, depth: int, *, wanted: bool) -> Iterator[str]:
    """Texts under keys of ``_KEYS``, in their order; ``wanted``: the value stands under one."""
    if isinstance(value, str):
        if wanted:
            yield value
    elif depth and isinstance(value, list):
        if wanted and value and all(isinstance(line, str) for line in value):
            yield "\n".join(value)
        elif len(value) <= _MOST_OBJECTS:
            for inner in value:
                yield from _texts(inner, depth - 1, wanted=False)
    elif depth and isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, depth - 1, wanted=str(key).lower() in _KEYS)

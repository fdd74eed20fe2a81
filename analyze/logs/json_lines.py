"""Logs whose lines are JSON: the text that docker wrapped, and the traceback that a logger folded into one line.

Shapes read: docker's json-file driver (``{"log": ..., "stream": ..., "time": ...}``), a traceback as one string under
any key (python-json-logger ``exc_info``, loguru ``text``, ECS ``error.stack_trace``, structlog ``exception``), and
structlog's ``dict_tracebacks`` (a list of exceptions, the one that was raised first).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER: Final = "Traceback (most recent call last)"
STRUCTURED: Final = '"exc_type"'
"""What a line with structlog's exceptions holds."""

_DOCKER: Final = '{"log":"'
_ESCAPED_END: Final = "\\n"
_FOLDED: Final = "\\n  File "
"""What a logger that keeps an event in one line makes of the end of a traceback's first line."""
_DEPTH: Final = 6
_LEVELS: Final = ("level", "levelname", "severity", "lvl")
_NO_ERROR: Final = frozenset({"trace", "debug", "info", "notice"})
"""Levels at which a program tells of errors that it does not have."""
_FRAMES_AT_MOST: Final = 200
_CAUSE: Final = "The above exception was the direct cause of the following exception:"
_CONTEXT: Final = "During handling of the above exception, another exception occurred:"


def unwrapped(lines: pl.DataFrame) -> pl.DataFrame:
    """``lines`` with the text that docker's json-file driver put into JSON."""
    wrapped = lines["text"].str.starts_with(_DOCKER)
    if not wrapped.any():
        return lines
    # A line that was cut is no JSON any more: it stays as it is.
    inner = pl.when(wrapped).then(pl.col("text").map_batches(_logs, return_dtype=pl.String)).otherwise("text")
    return lines.with_columns(text=inner)


def unfolded(text: str) -> list[str]:
    """The lines of the traceback that one line, of JSON or with escaped ends of lines, holds; empty for none."""
    if HEADER not in text and STRUCTURED not in text:
        return []
    if not text.startswith("{"):
        return text[text.index(HEADER) :].split(_ESCAPED_END) if _FOLDED in text and HEADER in text else []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(value, dict) and any(str(value.get(name, "")).lower() in _NO_ERROR for name in _LEVELS):
        return []
    for found in _walk(value, _DEPTH):
        if isinstance(found, str):
            if HEADER in found:
                return found.splitlines()
        elif told := list(_structured(found)):
            return told
    return []


def _logs(texts: pl.Series) -> pl.Series:
    return pl.Series([_log(text) for text in texts], dtype=pl.String)


def _log(text: str | None) -> str | None:
    if text is None or not text.startswith(_DOCKER):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    log = value.get("log") if isinstance(value, dict) else None
    return log.rstrip("\r\n") if isinstance(log, str) else text


def _walk(value: object, depth: int) -> Iterator[str | list[Any]]:
    """Strings and lists within a JSON value, outer ones first."""
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for inner in value.values():
            yield from _walk(inner, depth - 1)
    elif depth and isinstance(value, list):
        yield value
        for inner in value:
            yield from _walk(inner, depth - 1)


def _structured(stacks: list[Any]) -> Iterator[str]:
    """Structlog's list of exceptions as Python prints them: what came first stands first."""
    if not stacks or not all(isinstance(stack, dict) and isinstance(stack.get("exc_type"), str) for stack in stacks):
        return
    for place, stack in reversed(list(enumerate(stacks))):
        yield f"{HEADER}:"
        frames = stack.get("frames")
        for frame in frames[-_FRAMES_AT_MOST:] if isinstance(frames, list) else []:
            if isinstance(frame, dict):
                yield f'  File "{frame.get("filename")}", line {frame.get("lineno")}, in {frame.get("name")}'
        yield f"{stack['exc_type']}: {stack.get('exc_value')}"
        if place:
            yield ""
            yield _CAUSE if stack.get("is_cause") else _CONTEXT
            yield ""

"""How the job ended, in a small file of its own beside the log: ``rc``, ``exitcode``, ``status.json``.

Wrappers, workflow engines and people's own scripts write ``echo $? > rc``, ``{"returncode": -9}`` or ``exit_code: 0``.
Such a file is one statement, not a log: it is taken only where all of it is numbers and names of this kind, and where
its name, or a key that can mean nothing else, says so. Cromwell writes ``rc``, Nextflow ``.exitcode``, both a bare
number. A negative number is Python's way to say which signal it was (``subprocess.Popen.returncode``).
"""

from __future__ import annotations

import json
import re
import signal
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import int64

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_BYTES: Final = 1 << 13
"""No statement on one job's end is longer."""
_MAX_LINES: Final = 64
_MAX_STATUS: Final = 255
_SIGNALLED: Final = 128
"""Shells add it to the number of the signal that ended a command."""
_ITEMS: Final = 65_536

_ENDING: Final = r"(?:[._-]?\d{1,6})?(?:\.(?:txt|json|yaml|yml|rc|ret|code|status|exit))?$"
_NAMED: Final = re.compile(
    rf"(?:^|[._-])(?:rc|ret|exit|(?:exit|return|ret)[-_.]?(?:code|status|value|val)){_ENDING}", re.IGNORECASE
)
"""Names of files that hold a status, as a whole or behind what it is the status of: ``train.rc``, ``exit_code.txt``."""
_LOOSELY: Final = re.compile(rf"(?:^|[._-])(?:status|state|result|outcome){_ENDING}", re.IGNORECASE)
_OTHER: Final = re.compile(r"config|policy|setting|param|schema|retry|spec|\.(?:log|out|err)$", re.IGNORECASE)
"""Names of files that say what is to be done about a status, not which one it was; and of logs."""
_OF_PBS: Final = "Job Id: "
"""``qstat -f`` begins so: its statuses below zero are no signals (`inquest.analyze.logs.registry.platforms`)."""
_STATUS: Final = re.compile(r"(?:\w+[ _-])?(?:exit|return|ret)[ _-]?(?:code|status|value)", re.IGNORECASE)
_SHORT: Final = re.compile(r"rc|exit|ret|exited|returned", re.IGNORECASE)
"""Keys that mean a status in a file that may be named after one."""
_BARE: Final = re.compile(r"status|code|result|value", re.IGNORECASE)
"""Keys that mean a status only in a file that is named after one."""
_SIGNAL: Final = re.compile(r"(?:term[ _-]?|exit[ _-]?|killed[ _-]?by[ _-]?)?signal|killed[ _-]?by", re.IGNORECASE)
_LINE: Final = re.compile(r"""\s*(?:-\s+)?["']?(?P<key>[A-Za-z][\w .-]{0,60}?)["']?\s*[:=]\s*(?P<value>\S.{0,300})?$""")
_SENTENCE: Final = re.compile(
    r"\b(?:exit(?:ed)?|return(?:ed)?|terminated|ended|failed|killed)\b[^\d\n]{0,40}?\b"
    r"(?:(?:code|status|value)\s+(?P<code>-?\d{1,3})|signal\s+(?P<signal>\d{1,2}|SIG[A-Z0-9]+))\W*$"
)
_NUMBER: Final = re.compile(r"[-+]?\d{1,5}$")
_PARTS: Final = frozenset(
    {"result", "results", "job", "status", "process", "processes", "ranks", "tasks", "workers", "task", "exit", "state"}
)
"""Keys of a document under which the end of one, or of each, process may stand."""

_Statement = dict[str, Any]
_Keys = list[re.Pattern[str]]


class ExitStatus:
    """See the module."""

    name = "exit_status"
    title = "How the job ended (a file with its exit status)"
    tables = ("processes",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A short document that is nothing but a statement on how something ended."""
        return bool(_statements(source.name, source.head))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a process whose end is told; the file tells no time."""
        found = _statements(source.name, source.read(MAX_BYTES))
        rows = [{"event": "exit", "role": "task", "rank": source.rank, **statement} for statement in found]
        if rows:
            yield "processes", rows
        else:
            context.warn(f"{source.name}: tells of no exit status.")


KIND = ExitStatus()


def _statements(name: str, content: bytes) -> list[_Statement]:
    """What the file says of ends; empty where it is no file of this kind."""
    name = name.rpartition("/")[2]
    if not content or len(content) > MAX_BYTES or _OTHER.search(name):
        return []
    keys = [_STATUS]
    keys += [_SHORT] if _NAMED.search(name) or _LOOSELY.search(name) else []
    keys += [_BARE] if _NAMED.search(name) else []
    text = content.decode("utf-8", "replace").lstrip("\ufeff").strip()
    if text.startswith(_OF_PBS):
        return []
    if text[:1] in ("{", "["):
        return _of_json(text, keys)
    if len(keys) > 1 and "\n" not in text and (told := _of_one_line(text, sure=_BARE in keys)) is not None:
        return [told]
    told = _of_lines(text, keys)
    return [] if told is None else [told]


def _of_one_line(text: str, *, sure: bool) -> _Statement | None:
    """A bare number, or a sentence; in a file that only may be named after a status, a number that nothing else is."""
    if _NUMBER.match(text):
        return _told({"exit code": text}, [_STATUS]) if sure or abs(int(text)) > _SIGNALLED else None
    said = _SENTENCE.search(text)
    return None if said is None else _told({"exit code": said["code"], "signal": said["signal"]}, [_STATUS])


def _of_json(text: str, keys: _Keys) -> list[_Statement]:
    try:
        documents = [json.loads(text)]
    except (ValueError, RecursionError):
        try:
            documents = [json.loads(line) for line in text.splitlines()[:_MAX_LINES]]
        except (ValueError, RecursionError):
            return []
    found: list[_Statement] = []
    for document in documents:
        mine = [told for item in _objects(document) if (told := _told(item, keys)) is not None]
        if not mine:
            return []
        found += mine
    return found


def _objects(document: object, *, depth: int = 2) -> Iterator[dict[str, object]]:
    if isinstance(document, dict):
        yield document
        parts = [value for key, value in document.items() if str(key).lower() in _PARTS]
    elif isinstance(document, list):
        parts = document
    else:
        return
    for part in parts[:_ITEMS] if depth else ():
        yield from _objects(part, depth=depth - 1)


def _of_lines(text: str, keys: _Keys) -> _Statement | None:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "---"))]
    pairs: dict[str, object] = {}
    for line in lines if len(lines) <= _MAX_LINES else ():
        pair = _LINE.match(line)
        if pair is None:
            return None
        pairs.setdefault(pair["key"].strip(), (pair["value"] or "").strip().strip("\"',"))
    return _told(pairs, keys)


def _told(item: dict[str, object], keys: _Keys) -> _Statement | None:
    """The end that one set of keys tells of; None where it tells of none."""
    code = next((value for key in keys if (value := _first(item, key)) is not None), None)
    # A signal alone may be one that is to be sent.
    spoken = len(keys) > 1 or any(_STATUS.fullmatch(_plain(key)) for key in item)
    number = _number(_first(item, _SIGNAL)) if spoken else None
    status = _integer(code)
    if status is not None and not -signal.NSIG < status <= _MAX_STATUS:
        return None  # no status of a process
    if status is not None and status < 0:
        number, status = number or -status, None
    if number:
        status = None
    if status is None and not number:
        return None
    told: _Statement = {"exit_code": status, "term_signal": number}
    rank = next((_integer(value) for key, value in item.items() if str(key).lower() in ("rank", "global_rank")), None)
    return told if rank is None or rank < 0 else {**told, "rank": rank}


def _first(item: dict[str, object], key: re.Pattern[str]) -> object:
    return next((value for name, value in item.items() if value is not None and key.fullmatch(_plain(name))), None)


def _plain(key: object) -> str:
    """``exitCode`` and ``ExitCode`` as ``exit_code``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(key))


def _integer(value: object) -> int | None:
    if isinstance(value, str):
        return int(value) if _NUMBER.match(value) else None
    return int64(value)


def _number(value: object) -> int | None:
    """The number of a signal told by number or name; None where none ended it."""
    if isinstance(value, str) and value.upper().startswith("SIG"):
        member = getattr(signal, value.upper().split()[0], None)
        return int(member) if isinstance(member, signal.Signals) else None
    number = _integer(value)
    return number if number is not None and 0 < number < signal.NSIG else None

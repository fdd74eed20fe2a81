"""The last line of a log that is an error without a traceback: "RuntimeError: no kernel image", "config error: ...".

Programs that catch an exception to print it, and logs of which only the end was kept, leave no more. It is a weak fact:
families ask for a failed end beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import around, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.reader import Line
    from inquest.bundle.store import Store

_BARE: Final = re.compile(r"(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception))(?:: (?P<message>\S.*))?\s*$")
_ABROAD: Final = (
    "エラー|错误|錯誤|오류|Ошибка|Помилка|Fehler|Erreur|Errore|Erro|Błąd|Fout|Hata|Chyba|Fel|Virhe|Fejl|Feil|Hiba"
    "|Eroare|Σφάλμα|Lỗi"
)
"""The word in other languages; Spanish has the English one."""
_SAID: Final = re.compile(
    r"(?!(?:srun|slurm\w*|mpi\w*|prte\w*|torchrun): )"  # they tell of others' ends
    r"(?P<type>(?:(?:[\w./-]{1,80}|cmd\. line)(?::\d{1,6}){0,2}: ?){0,3}(?i:(?:[\w.-]+ ){0,4}"
    rf"(?:error|fatal)|(?:[\w.-]+ ){{0,4}}\w{{0,12}}(?:{_ABROAD})))\s*[:：] ?(?![-+.\d])\S"
)
"""An error in words: what ``raise SystemExit("config error: ...")`` leaves; a number behind it is a metric's."""
_REFUSED: Final = re.compile(
    r"(?P<type>\S.{0,300}): (?:Input/output error|No such file or directory|Permission denied|Read-only file system"
    r"|Too many open files|Cannot allocate memory|Stale file handle|No such device(?: or address)?|Connection refused"
    r"|Connection timed out|No route to host|Not a directory|Is a directory|Operation not permitted|Invalid argument"
    r"|Device or resource busy|Exec format error|Argument list too long|Transport endpoint is not connected)\.?$"
)
"""What ``perror`` and its like print: what was tried, and the C library's words for why it failed."""
_STATUS: Final = re.compile(r"(?i)\b(?:status|exit(?:ed)? (?:code|with)|rc|returned)\W{1,3}[1-9]\d{0,2}\b")
_LINES: Final = 3
"""How far the last line that holds text may stand before the end."""


def last_words(store: Store, ends: Iterable[tuple[str, str, int]]) -> list[dict[str, Any]]:
    """Events of kind ``bare_error``, at most one a source.

    Args:
        store: The recorded tables.
        ends: Node, capture and number of the last line of each source.
    """
    last = pl.DataFrame(list(ends), schema={"node": pl.String, "capture": pl.String, "seq": pl.Int64}, orient="row")
    final: dict[tuple[str, str, str | None], Line] = {}
    for line in read(around(store, last, after=1, before=_LINES)):
        place = line.node, line.capture, line.source
        # A shell's trap repeats the status of what failed above it.
        if line.text.strip() and not (place in final and _STATUS.search(line.text) and _match(final[place].text)):
            final[place] = line
    return [
        {
            **line.where,
            "pattern": "python.bare_error",
            "kind": str(Kind.BARE_ERROR),
            "role": "root",
            "framework": "python",
            "subject": said["type"],
            "text": line.text[:2000],
        }
        for line in final.values()
        if (said := _match(line.text))
    ]


def _match(text: str) -> re.Match[str] | None:
    return _BARE.match(text) or _SAID.match(text) or _REFUSED.match(text)

"""The last line of a log that is an error without a traceback: "RuntimeError: no kernel image", "config error: ...".

Programs that catch an exception to print it, and logs of which only the end was kept, leave no more. It is a weak fact:
families ask for a failed end beside it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.farewells import says_status_zero
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
    r"(?!(?:srun|slurm\w*|mpi\w*|prte\w*|torchrun|kubernetes|docker): )"  # they tell of others' ends
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
_NAMED: Final = re.compile(
    r"(?P<type>(?:[\w.-]{1,80}/){0,20}[\w-]{1,80}\.(?:py|sh|pl|rb|jl|R|lua|ya?ml|json|toml|cfg|ini|conf))"
    r"(?::\d{1,6})?: \S.{2,}"
)
"""A message behind the program's own name, as commands put it on stderr."""
_TOOL: Final = re.compile(
    r"(?!(?:srun|slurm\w*|mpi\w*|prte\w*|torchrun|kubernetes|docker|raylet|wandb|mlflow|comet\w*|neptune"
    r"|tensorboard): )"
    r"(?P<type>[a-z][\w.+-]{1,24}): {1,2}(?:\(\d{1,3}\) )?(?=.*\b(?i:cannot|could not|can't|couldn't|unable to|failed"
    r"|not found|denied|invalid|not in|no such)\b)\S.{3,}"
)
"""A command that says what it could not do, behind its own name."""
_RECORD: Final = re.compile(
    r"\W{0,4}(?:(?:(?>\d[\d:.,TZ/+-]{5,40})|[A-Z][a-z]{2} +\d{1,2})\W{1,4}){0,3}(?:(?>\w[\w./-]{0,59})\W{1,4}){0,3}?"
    r"(?P<type>ERROR|CRITICAL|FATAL|SEVERE)\W{1,5}(?=.{0,300}[^\W\d_]{3})[^\s\d].{5,}"
    r"|(?:.{0,300}\s)?(?P<level>level=[\"']?(?:error|fatal|critical|panic)[\"']?)(?: .{0,300})?"
    r"\s(?:msg|message|event|err|error)=.+"
    r"|.{0,60}\[(?P<padded>error|critical|fatal) {0,5}\] (?=.{0,300}[^\W\d_]{3})\S.{5,}"
    r"|\{.{0,300}[\"'](?:level|levelname|severity|lvl)[\"']: ?[\"'](?P<severity>(?i:error|fatal|critical|panic))[\"'].*"
)
"""A record of a logger, of a level from which something failed."""
_OF_OTHERS: Final = re.compile(
    r"(?i)\bSIG[A-Z]{3,6}\b|\bsignal\b|interrupt|cancel|preempt|time ?limit|timed? ?out|killed|terminat|\bpeer\b"
    r"|\brank \d|\b(?:workers?|child(?:ren)?|process(?:es)?)\b[^.]|exit(?:ed)? (?:code|status|with)"
    r"|retry|retries|try(?:ing)? again|skipp(?:ed|ing)|continuing|ignor(?:ed|ing)"
)
"""What tells of another's end, of who asked for this one, or that it went on."""
_LAST: Final = re.compile(r"(?:.{0,80}[^\w.])?(?:FATAL|CRITICAL|fatal|panic)\b")
"""Who says so ends; what closes files and connections may say a little more."""
_STATUS: Final = re.compile(
    r"(?i)\b(?:status|exit(?:ed)? (?:code|with)|rc|returned)\W{1,3}[1-9]\d{0,2}\b|^g?make\S*: \*\*\* \["
    r"|^tar: (?:Error is not recoverable|Exiting with failure|Child returned)"
)
_NOTICE: Final = re.compile(r".{0,200}: line \d{1,9}: +\d{1,9} +[A-Z][a-z]")
"""What a shell says of a process that a signal ended: no error of the program's."""
_STATUS_ALONE: Final = re.compile(
    r"(?i)\W{0,4}(?:\S{1,40}: )?(?:error|fatal|critical)\W{1,4}(?:the )?(?:\w+ ){0,3}"
    r"(?:process|program|script|command|job|run|task|worker) (?:has )?(?:returned|exited|ended|failed|finished|died)"
    r"(?: with)?(?: an?)?(?: non-?zero)?(?: exit)?(?:\W{1,2}(?:code|status))?\W{0,3}(?:[1-9]\d{0,2})?\W{0,2}$"
    r"|\W{0,4}error\W{1,4}(?:resources (?:exited|failed)\b.{0,120}\bexit code: \d{1,3}\b.{0,40}"
    r"|job \d{1,9} failed with return code list: \[[\d, -]{1,200}\]\.?)$"
)
"""A parent's word that its child failed, and nothing of why: the status once more."""
_GAVE_UP: Final = re.compile(
    r"(?i)\b(?:giv(?:e|es|en|ing) up|gave up|(?:attempt|try|run)s?\b.{0,20}\b(?:failed|did not work|left)|tried \d"
    r"|no more tries)"
)
"""What a script says below the last failure of what it tried."""
_LINES: Final = 3
"""How far the last line that holds text may stand before the end."""
CUT: Final = "python.cut_traceback"
"""The fact that a traceback without its head tells of: of what a program printed, only the end was kept."""
_CODE: Final = re.compile(r" {4,}\S|  File \"")
_CUT_LINES: Final = 12
"""How far before the end such a rest may stand."""


def last_words(store: Store, ends: Iterable[tuple[str, str, int]]) -> list[dict[str, Any]]:
    """Events of kind ``bare_error``, at most one a source.

    Args:
        store: The recorded tables.
        ends: Node, capture and number of the last line of each source.
    """
    last = pl.DataFrame(list(ends), schema={"node": pl.String, "capture": pl.String, "seq": pl.Int64}, orient="row")
    final: dict[tuple[str, str, str | None], Line] = {}
    last_said: dict[tuple[str, str, str | None], Line] = {}
    names: Counter[tuple[str, str, str | None, str]] = Counter()
    for line in read(around(store, last, after=1, before=_LINES)):
        place = line.node, line.capture, line.source
        if named := _NAMED.match(line.text):
            names[*place, named["type"]] += 1
        if _LAST.match(line.text) and _match(line.text):
            last_said[place] = line
        # A script that tried it several times says so, and a shell's trap repeats the status of what failed above it.
        after = _STATUS.search(line.text) or _GAVE_UP.search(line.text)
        if line.text.strip() and not (place in final and after and _match(final[place].text)):
            final[place] = line
    return [
        {
            **line.where,
            "pattern": "python.bare_error",
            "kind": str(Kind.BARE_ERROR),
            "role": "root",
            "framework": "python",
            "subject": next(filter(None, said.groupdict().values())),
            "text": line.text[:2000],
        }
        for line in (line if _match(line.text) else last_said.get(place, line) for place, line in final.items())
        if (said := _match(line.text))
        # A name before line after line is how it prints.
        and (said.re is not _NAMED or names[line.node, line.capture, line.source, said["type"]] == 1)
    ]


def cut_tracebacks(store: Store, ends: Iterable[tuple[str, str, int]]) -> list[dict[str, Any]]:
    """Events of kind ``bare_error`` by the rest of a traceback: its last line, right below a line of code.

    Args:
        store: The recorded tables.
        ends: Node, capture and number of the last line of each source.
    """
    last = pl.DataFrame(list(ends), schema={"node": pl.String, "capture": pl.String, "seq": pl.Int64}, orient="row")
    found: dict[tuple[str, str, str | None], dict[str, Any]] = {}
    above: dict[tuple[str, str, str | None], str] = {}
    for line in read(around(store, last, after=1, before=_CUT_LINES)):
        place = line.node, line.capture, line.source
        said = _BARE.match(line.text)
        if said and _CODE.match(above.get(place, "")):
            found[place] = {
                **line.where,
                "pattern": CUT,
                "kind": str(Kind.BARE_ERROR),
                "role": "root",
                "framework": "python",
                "subject": said["type"],
                "text": line.text[:2000],
            }
        above[place] = line.text
    return list(found.values())


def _match(text: str) -> re.Match[str] | None:
    if _NOTICE.match(text) or _STATUS_ALONE.match(text) or says_status_zero(text):
        return None
    if said := _BARE.match(text) or _SAID.match(text) or _REFUSED.match(text):
        return said
    return None if _OF_OTHERS.search(text) else _NAMED.match(text) or _RECORD.match(text) or _TOOL.match(text)

"""Batch scripts, and scripts that hand them in: what was asked of the scheduler, and how the program was started.

A script tells what neither log nor accounting may say: that a job waits for another one, in which file it prints, and
that its program was to go on from a state. It is no evidence of what happened, and none of its lines is taken for a
line of a log. Directives are read as sbatch, qsub (PBS, Grid Engine) and bsub read them; nothing is executed or
expanded.
"""

from __future__ import annotations

import itertools
import re
import shlex
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.imports._slurm_values import Row, duration_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_BYTES: Final = 1 << 16
"""A script that is longer is read no farther."""
_MOST: Final = 64
_COMMANDS_BYTES: Final = 8192

_SIGNS: Final = {
    "slurm": re.compile(r"^#SBATCH\s+(-.*)"),
    "pbs": re.compile(r"^#PBS\s+(-.*)"),
    "lsf": re.compile(r"^#BSUB\s+(-.*)"),
    "sge": re.compile(r"^#\$\s+(-.*)"),
}
"""How a line of each scheduler's begins."""
_SUBMITS: Final = {"sbatch": "slurm", "bsub": "lsf", "qsub": "pbs"}
_SUBMIT: Final = re.compile(r"(?:^|[=(`;&|]|\b(?:do|then|exec)\s)\s*(?P<command>(?P<tool>sbatch|qsub|bsub)\s[^`;&|#]*)")
_GATE: Final = re.compile(rb"(?m)^#(?:SBATCH|PBS|BSUB|\$)\s+-|^[^#\n]*(?:^|[=(`;\s])(?:sbatch|qsub|bsub)\s+\S")
_SCRIPT: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?#!.{0,80}\b(?:ba|z|k|da)?sh\b|\A(?:\xef\xbb\xbf)?#(?:SBATCH|PBS|BSUB|\$)\s"
)
_PRINTED: Final = re.compile(
    rb"(?mi)^\W{0,3}20\d\d[-/]\d\d[-/]\d\d[T _]\d\d:\d\d"
    rb"|^[^#$\n]{0,120}\b(?:loss|step|epoch|iter(?:ation)?)\b[\"']?[ \t]{0,3}[:=]?[ \t]{0,3}\d"
)
"""Lines that no script has, but its job's output, which begins with the script where that prints itself."""
_LINES: Final = 5

_NAMES: Final[dict[str, dict[str, str]]] = {
    "slurm": {
        "-J": "job_name", "--job-name": "job_name", "-o": "stdout_path", "--output": "stdout_path",
        "-t": "time_limit_s", "--time": "time_limit_s", "-d": "dependency", "--dependency": "dependency",
    },
    "pbs": {"-N": "job_name", "-o": "stdout_path", "-l": "resources", "-W": "dependency"},
    "sge": {"-N": "job_name", "-o": "stdout_path", "-l": "resources", "-hold_jid": "dependency"},
    "lsf": {"-J": "job_name", "-o": "stdout_path", "-oo": "stdout_path", "-W": "time_limit_s", "-w": "dependency"},
}  # fmt: skip
"""Options that are kept, by scheduler (sbatch(1), qsub(1B), qsub(1) of Grid Engine, bsub(1))."""
_LIMIT: Final = re.compile(r"(?:walltime|h_rt)=(\d[\d:]{0,11})")


class JobScript:
    """See the module."""

    name = "job_script"
    title = "Batch script, or script that submits jobs"
    tables = ("job_scripts",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A shell script that has a scheduler's directives, or hands in a job; not what a job printed below its own."""
        if _SCRIPT.match(source.head) is None or _GATE.search(source.head) is None:
            return False
        return sum(1 for _ in itertools.islice(_PRINTED.finditer(source.head), _LINES)) < _LINES

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """A row for the script's own directives, and one for each job that it hands in."""
        text = source.read(MAX_BYTES).decode("utf-8", "replace")
        rows = list(_rows(_joined(text.splitlines())))
        if len(rows) > _MOST:
            context.refuse("a job that a script hands in, beyond the first 64", len(rows) - _MOST)
        yield "job_scripts", rows[:_MOST]


def _joined(lines: Iterable[str]) -> list[str]:
    """Lines, those that end in a backslash with the next."""
    joined: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
        goes_on = joined[-1].endswith("\\")
        joined[-1] = joined[-1].removesuffix("\\").rstrip()
    return joined


def _rows(lines: Sequence[str]) -> Iterator[Row]:
    commands = "\n".join(line for line in lines if line and not line.startswith("#"))[:_COMMANDS_BYTES]
    own: dict[str, Row] = {}
    for line in lines:
        for scheduler, sign in _SIGNS.items():
            if told := sign.match(line):
                own.setdefault(scheduler, {}).update(_asked(scheduler, _words(told[1])))
    for scheduler, asked in own.items():
        yield {**asked, "scheduler": scheduler, "commands": commands}
    for line in lines:
        if not line.startswith("#") and (handed := _SUBMIT.search(line)):
            scheduler = _SUBMITS[handed["tool"]]
            yield {**_asked(scheduler, _words(handed["command"])), "scheduler": scheduler, "commands": line}


def _words(text: str) -> list[str]:
    """Words as a shell would part them; a trailing comment is none."""
    text = re.sub(r"\s#\s.*$", "", text).rstrip()
    text = text[:-1] if text.count(")") > text.count("(") else text  # of ``A=$(sbatch ...)``
    try:
        return shlex.split(text)
    except ValueError:  # a quotation that goes on in another line
        return text.split()


def _asked(scheduler: str, words: Sequence[str]) -> Row:
    """The options of a command or directive that are kept."""
    asked: Row = {}
    names = _NAMES[scheduler]
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if word in ("--requeue", "--no-requeue") and scheduler == "slurm":
            asked["may_requeue"] = word == "--requeue"
        elif equals and option.startswith("--") and option in names:
            _put(asked, scheduler, names[option], value)
        elif word in names and at + 1 < len(words):
            _put(asked, scheduler, names[word], words[at + 1])
        elif scheduler == "slurm" and re.match(r"-[Jotd]\S", word):
            _put(asked, scheduler, names[word[:2]], word[2:])
    return asked


def _put(asked: Row, scheduler: str, name: str, value: str) -> None:
    if name == "resources":
        if found := _LIMIT.search(value):
            asked["time_limit_s"] = _seconds("slurm", found[1]) if ":" in found[1] else int(found[1])
    elif name == "time_limit_s":
        asked[name] = _seconds(scheduler, value)
    elif name != "dependency" or scheduler != "pbs" or value.startswith("depend="):
        asked[name] = value.removeprefix("depend=")


def _seconds(scheduler: str, value: str) -> int | None:
    """Seconds of a limit: of one number minutes, of LSF hours and minutes."""
    if re.fullmatch(r"\d{1,7}", value):
        return 60 * int(value)
    if scheduler == "lsf" and (told := re.fullmatch(r"(\d{1,5}):(\d\d)(?:/\S*)?", value)):
        return 3600 * int(told[1]) + 60 * int(told[2])
    if re.fullmatch(r"\d{1,4}-\d{1,2}(?::\d\d)?", value):
        value += ":00" * (2 - value.count(":"))
    seconds = duration_s(value)
    return None if seconds is None else int(seconds)


KIND: Final = JobScript()

"""Whose line is it: the rank a prefix of the text or the name of a file tells.

The shapes are in ``shared/reference/log-formats.md``, section 2. Several prefixes may be stacked; the innermost global
one wins. Regular expressions are written in the dialect that Python and Rust share, so that one text serves both the
importer (many lines at once) and the analyzer (one hit at a time). Classes that are repeated are spelt out: that of
words holds all of Unicode, and takes tens of milliseconds to compile where it may stand a hundred times.
"""

from __future__ import annotations

import re
from typing import Final

RANK_IN_TEXT: Final[tuple[tuple[str, str], ...]] = (
    # (regex with one group, rank_by), first match wins; all anchored, so that a line costs nothing where none fits
    (r"^(?:\d{1,5}: )?(?:\[[a-z][a-z_]*\d{1,5}\]:)?\[rank(\d{1,5})\]:(?: |\[[IWEF])", "text"),
    (r"^(?:\d{1,5}: )?\[[a-z][a-z_]*(\d{1,5})\]:", "tee_prefix"),
    (r"^(?:\[[0-9T:., -]{8,32}\] )?(?:\[[A-Z]+\] )?(?:\[[^\]]{1,60}\] )?\[[Rr]ank:? ?(\d{1,5})\]", "text"),
    (r"^\([A-Za-z]+\[rank=(\d{1,5})\] pid=", "text"),
    # srun --label: the task's number; only before the lines of a traceback, where a number and colon is nothing else
    (
        r"^(\d{1,5}): (?:Traceback \(most recent|  File \"|    \S|[0-9A-Za-z_.]{1,200}(?:Error|Exception|Interrupt)\b)",
        "task",
    ),
    # mpirun --tag-output of Open MPI, and of PRRTE since version 5
    (r"^\[(?:[0-9A-Za-z_.-]{1,80}@)?\d{1,9},(\d{1,5})\]<std(?:out|err)>:", "text"),
    # the same of SageMaker, which names the host too
    (r"^\[\d{1,9},mpirank:(\d{1,5}),[0-9A-Za-z_.-]{1,60}\]<std(?:out|err)>:", "text"),
    # processes that a program numbers itself, as JAX's are; a page or a percentile stands with nothing behind it
    (r"^\[(?:p|proc|process) ?(\d{1,5})\] [A-Za-z]", "text"),
    (r" \[RANK:(\d{1,5})\] ", "text"),
    (r"(?:^|[|\]] )rank (\d{1,5}): ", "text"),
)
"""How a line's own text tells its rank."""
RANK_GATES: Final = (r"^\[", r"^\d{1,5}: ", r"[rR]ank[ :=\d]|RANK:")
"""One of them matches every line that one of ``RANK_IN_TEXT`` can match; asked one by one they cost half of one."""

NODE_IN_TEXT: Final[tuple[str, ...]] = (
    # NCCL's own prefix, host:pid:tid [device]; before it only what a launcher or NCCL's clock puts there
    r"^(?:\[[^\]\n]{1,40}\] ?|\d{1,5}: ){0,3}([A-Za-z0-9][A-Za-z0-9_.-]{0,62}):\d{1,8}:\d{1,8} (?:\[\d{1,3}\] )?"
    r"(?:\S{1,60}:\d{1,6} (?:\(\w{1,60}\) )?)?NCCL (?:INFO|WARN|TRACE|CALL)\b",
    r"^(?:\d{1,5}: )?slurmstepd-([A-Za-z0-9][A-Za-z0-9_.-]{0,62}): ",
)
"""How a line's own text tells the node that wrote it, where the form leaves no doubt."""
NODE_GATE: Final = r"NCCL |slurmstepd-"
"""Matches every line that one of ``NODE_IN_TEXT`` can match."""

_PREFIX: Final = re.compile(
    r"(?:\[pod/[\w.-]{1,253}/[\w.-]{1,63}\] )?"  # kubectl logs --prefix
    r"(?:\[(?:[\w.-]{1,80}@\d{1,9},\d{1,5}\]<std(?:out|err)>: "
    r"|\d{1,9},(?:\d{1,5}|mpirank:\d{1,5},[\w.-]{1,60})\]<std(?:out|err)>:))?"
    r"(?:\d{1,5}: (?=\S|  File \"|    \S))?(?:stderr: |stdout: )?"
    r"(?:(?!\[rank\d{1,5}\]: )\[[a-z][a-z_]*\d{1,5}\]:)?(?:\[rank\d{1,5}\]: ?)?"
    r"(?:\([A-Za-z]+(?:\[rank=\d+\])? pid=\d+[^)]{0,60}\) )?"
)
_LOG_DIR: Final = re.compile(
    r"(?:^|/)attempt_(\d{1,5})/(\d{1,5})/(?:(?:stdout|stderr)\.log|error\.json)(?:\.gz|\.zst)?$"
)
_HOST: Final = re.compile(r"(?:^|[/_.])((?:node|nid|host|dgx|compute|cn)-?\d{1,8})(?=[/_.]|$)", re.IGNORECASE)
_FILE: Final = re.compile(r"(?:^|[/_.\-])(?:rank|task|worker|proc)[_\-.]?(\d{1,5})(?=[_.\-]|$)", re.IGNORECASE)


def strip_prefix(text: str) -> str:
    """``text`` without the rank prefixes before it (they say who, not what)."""
    found = _PREFIX.match(text)
    return text[found.end() :] if found else text


def node_of_path(path: str) -> str | None:
    """Node the relative path of a log names (node01.log, slurm-7.nid000123.out, dgx-3/stderr.log), else None.

    Only words that cannot mean anything but a host count: a number behind "gpu" or "worker" may be a rank's.
    """
    names = {found[1].lower() for found in _HOST.finditer(path)}
    return names.pop() if len(names) == 1 else None


def rank_of_path(path: str) -> tuple[int, str] | None:
    """Rank told by the relative path of a log, with how it was told; None when the path says nothing.

    A torchrun log directory names the LOCAL rank; it is the global one only where a single node wrote below it, which
    the caller must judge.
    """
    if found := _LOG_DIR.search(path):
        return int(found[2]), "log_dir"
    if found := _FILE.search(path):
        return int(found[1]), "file_name"
    return None

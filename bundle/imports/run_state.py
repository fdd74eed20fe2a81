"""How a run stood when its tracker last wrote it down: one JSON object with a word for its state and its times.

``run.json`` of Sacred, and what the interfaces of ClearML, Determined, Vertex AI and others give for one run. Nothing
in them agrees but this: a member that tells the state in a word, and when the run began and ended. The word becomes
MLflow's number for it; what the run was set to stands in the same object, as a rule. An account that holds a
traceback is read for that (``failure_json``). A table of one run, as W&B's page gives of those that are chosen, tells
the same in its columns; what it calls crashed is a run that it lost sight of.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports import failure_json
from inquest.bundle.imports._values import folder
from inquest.bundle.imports.settings import held_in, rows_of, set_to
from inquest.bundle.imports.source import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

FRAMEWORK: Final = "tracker"
"""``framework`` of what an account of a run tells."""
_STATE: Final = re.compile(r"(?i)(?:run_?|job_?|trial_?|task_?)?(?:status|state)")
_WORD: Final = re.compile(r"(?i)(?:(?:job_|run_)?(?:state|status)_)?([a-z]{3,20})")
_NUMBER: Final = {
    **dict.fromkeys(("completed", "finished", "succeeded", "success", "complete", "done"), 3),
    **dict.fromkeys(("failed", "error", "errored"), 4),
    **dict.fromkeys(("killed", "aborted", "canceled", "cancelled", "interrupted", "stopped"), 5),
}
"""MLflow's numbers of states (entities/run_status.py)."""
_BEGAN: Final = re.compile(r"(?i)(?:start(?:ed)?|begin|began)(?:_?(?:time|at|ts|ed_at))?")
_ENDED: Final = re.compile(
    r"(?i)(?:(?:stop(?:ped)?|end(?:ed)?|finish(?:ed)?|complet(?:ed|ion)|close[dD]?)(?:_?(?:time|at|ts))?)"
)
_GATE: Final = re.compile(rb'(?i)\s*\{.*"(?:\w{1,6}_?)?(?:status|state)"\s*:\s*"[a-z_]{3,30}"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class RunState:
    """See the module."""

    name: str = "run_state"
    title: str = "How a run ended, as its tracker noted it"
    tables: tuple[str, ...] = ("metrics",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """An object with a word for the end of a run, when it began and when it ended, and no traceback."""
        if len(source.head) >= SAMPLE or (_state(source.head) or _of_table(source.head)) is None:
            return False
        return not failure_json.KIND.fits(source)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row for the state, and one a setting."""
        del context
        content, run = source.read(SAMPLE), folder(source.name)
        number = _state(content) or _of_table(content)
        if number is not None:
            yield (
                "metrics",
                [{"framework": FRAMEWORK, "run": run, "step": None, "name": "run_status", "value": float(number)}],
            )
        row = of_row(content) or {}
        told = [
            *held_in(content.decode("utf-8", "replace")),
            *(set_to(*cell) for cell in row.items() if _IS_SET(cell[0])),
        ]
        if rows := rows_of(filter(None, told), run):
            yield "metrics", rows


def of_row(content: bytes) -> dict[str, str] | None:
    """The one row of a table that tells of a run, by its name, in which state it ended: cells by their columns."""
    lines = [line for line in content[:_OF_A_TABLE].decode("utf-8-sig", "replace").splitlines()[:3] if line.strip()]
    if len(lines) != _HEAD_AND_ROW or "," not in lines[0]:
        return None
    try:
        head, row = csv.reader(lines)
    except (csv.Error, ValueError):
        return None
    told = dict(zip(head, row, strict=False))
    named = len(told) == len(row) and any(map(_RUN.fullmatch, head)) and any(map(_STATE.fullmatch, head))
    return told if named else None


def _of_table(content: bytes) -> int | None:
    words = {cell.lower() for name, cell in (of_row(content) or {}).items() if _STATE.fullmatch(name)}
    return _NUMBER.get(words.pop()) if len(words) == 1 else None


_HEAD_AND_ROW: Final = 2
_IS_SET: Final = re.compile(
    r"(?i)epochs|(?:.{0,60}[./])?(?:max|num|n|total)_(?:train_)?(?:steps|iters|iterations|epochs)"
).fullmatch
"""Columns of what was set; others may tell where the run stood."""
_OF_A_TABLE: Final = 1 << 16
_RUN: Final = re.compile(r"(?i)name|(?:run|trial|task)(?:_?(?:uuid|id|name))?")


def _state(content: bytes) -> int | None:
    """MLflow's number for the one state that a document tells of a run that ended; None of all others."""
    if not _GATE.match(content):
        return None
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    words = {
        found[1].lower()
        for key, value in told.items()
        if _STATE.fullmatch(key) and isinstance(value, str) and (found := _WORD.fullmatch(value))
    }
    times = [key for key, value in told.items() if isinstance(value, str | int | float) and value]
    both = any(map(_BEGAN.fullmatch, times)) and any(map(_ENDED.fullmatch, times))
    return _NUMBER.get(words.pop()) if len(words) == 1 and both else None


KIND: Final = RunState()

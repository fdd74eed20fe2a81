"""One row a run: what accounting, the controller and logs of finished jobs each say of the same run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.imports._slurm_values import ENDING, OPEN, WAITING, Row, state_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_WHY_AGAIN: Final = frozenset({"REQUEUED", "PREEMPTED", "NODE_FAIL"})
"""Last words on a run after which the job may wait for its next one."""
_SECOND: Final = 1_000_000_000
_TICKS: Final = (0, 1, -1, 2, -2)
"""Seconds that two records of one run may differ by; no job runs, ends and begins again as fast."""


def one_row_a_run(rows: list[Row]) -> list[Row]:
    """Job or step rows of several sources (accounting, ``scontrol``, job completion log) as one row a run.

    A run is known by its job, its step and its start, to two seconds: a log notes it when it is written. What a source
    saw while the run was on, or while the job waited for a run that is told elsewhere, says nothing that the record of
    its end does not.
    """
    names = names_of(rows)
    runs: dict[tuple[Any, ...], Row] = {}
    waiting: list[Row] = []
    timeless: list[Row] = []
    for row in _named_alike(rows, names):
        began = row.get("start_ns") if row.get("start_ns") is not None else row.get("end_ns")
        if state_word(row.get("state")) in WAITING:
            waiting.append(row)
        elif began is None:
            timeless.append(row)
        else:
            key = _known(runs, (row.get("job_id"), row.get("step_id"), began))
            runs[key] = _joined(runs[key], row) if key in runs else row
    _join_timeless(runs, timeless)
    latest: dict[Any, Row] = {}
    for row in sorted(runs.values(), key=lambda run: run.get("start_ns") or run.get("end_ns") or 0):
        latest[row.get("job_id")] = row
    told = list(runs.values())
    for row in waiting:
        last = latest.get(row.get("job_id"))
        if last is None or _follows(row, last):
            told.append(row)
            latest[row.get("job_id")] = row
    return told


def _known(runs: dict[tuple[Any, ...], Row], key: tuple[Any, ...]) -> tuple[Any, ...]:
    """The key under which a run stands already, else its own."""
    near = ((*key[:2], key[2] + apart * _SECOND) for apart in _TICKS)
    return next((same for same in near if same in runs), key)


def _join_timeless(runs: dict[tuple[Any, ...], Row], rows: list[Row]) -> None:
    """Rows of tables without times belong to the run that ended alike; without any such run they stand alone."""
    of: dict[tuple[Any, Any], list[tuple[Any, ...]]] = {}
    for key in runs:
        of.setdefault(key[:2], []).append(key)
    for row in rows:
        state = state_word(row.get("state"))
        keys = of.setdefault((row.get("job_id"), row.get("step_id")), [])
        alike = [key for key in keys if row.get("state") is None or state_word(runs[key].get("state")) == state]
        if alike:
            runs[alike[-1]] = _joined(runs[alike[-1]], row)
        elif all(key[2] is None for key in keys):
            key = (row.get("job_id"), row.get("step_id"), None, len(keys))
            runs[key] = row
            keys.append(key)


def names_of(rows: Iterable[Row]) -> dict[str, str]:
    """Names by which jobs are known, by the controller's numbers of them.

    The leading job of an array has the array's own number, which stays the name of the whole array.
    """
    names = {row["job_id_raw"]: row["job_id"] for row in rows if row.get("job_id_raw")}
    leading = {name.split("_")[0].split("+")[0] for name in names.values()}
    return {raw: name for raw, name in names.items() if raw not in leading}


def named(rows: list[Row], names: dict[str, str]) -> list[Row]:
    """Rows of sources that only know the controller's numbers, under the names by which others know the jobs."""
    return list(_named_alike(rows, names))


def _named_alike(rows: list[Row], names: dict[str, str]) -> Iterator[Row]:
    for row in rows:
        job = row.get("job_id")
        if not row.get("job_id_raw") and job in names:
            yield {**row, "job_id": names[job], **({"job_id_raw": job} if "job_id_raw" in row else {})}
        else:
            yield row


def _joined(one: Row, other: Row) -> Row:
    """Both records of one run: the ended one leads, the other fills its gaps."""
    if state_word(one.get("state")) in OPEN | ENDING and state_word(other.get("state")) not in OPEN | ENDING:
        one, other = other, one
    both = {name: other.get(name) if one.get(name) is None else one[name] for name in {**one, **other}}
    code, again = one.get("exit_code"), other.get("exit_code")
    if code is not None and again is not None and abs(code - again) == 128:
        # Accounting drops the 128 that a shell adds for a signal; the controller keeps it.
        both["exit_code"] = max(code, again)
    states = str(one.get("state")), str(other.get("state"))
    if states[1] == "REQUEUED" and state_word(states[0]) not in _WHY_AGAIN:
        both["state"] = "REQUEUED"  # the log of finished jobs only says that such a run failed
    if states[1].startswith(f"{states[0]} "):
        both["state"] = states[1]
    return both


def _follows(waiting: Row, last: Row) -> bool:
    """True when the job waits for a run after the last one told."""
    if waiting.get("restarts") is not None and last.get("restarts") is not None:
        return bool(waiting["restarts"] > last["restarts"])
    return state_word(last.get("state")) in _WHY_AGAIN

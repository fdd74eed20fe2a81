"""One row a run: what accounting, the controller and logs of finished jobs each say of the same run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.imports._slurm_values import ENDING, OPEN, WAITING, Row, state_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    _Run = tuple[Any, ...]


_WHY_AGAIN: Final = frozenset({"REQUEUED", "PREEMPTED", "NODE_FAIL"})
"""Last words on a run after which the job may wait for its next one."""
_APART_NS: Final = 2_000_000_000
"""What the starts of two records of one run may differ by; no job runs, ends and begins again as fast."""


def one_row_a_run(rows: list[Row]) -> list[Row]:
    """Job or step rows of several sources (accounting, ``scontrol``, job completion log) as one row a run.

    A run is known by its job, its step and its start: a log notes it when it is written, so that starts which lie
    together, each within two seconds of the next, are one. Where records differ, the first given counts. What a source
    saw while the run was on, or while the job waited for a run that is told elsewhere, says nothing that the record of
    its end does not.
    """
    waiting: list[Row] = []
    timeless: list[Row] = []
    timed: list[Row] = []
    for row in _named_alike(rows, names_of(rows)):
        if state_word(row.get("state")) in WAITING:
            waiting.append(row)
        else:
            (timeless if _began(row) is None else timed).append(row)
    runs: dict[_Run, Row] = {}
    starts = _starts(timed)
    for row in timed:
        key = (*_step(row), starts[_step(row)][_began(row)])
        runs[key] = _joined(runs[key], row) if key in runs else row
    _join_timeless(runs, timeless)
    latest: dict[Any, Row] = {}
    for row in sorted(runs.values(), key=lambda run: _began(run) or 0):
        latest[row.get("job_id")] = row
    told = list(runs.values())
    for row in waiting:
        last = latest.get(row.get("job_id"))
        if last is None or _follows(row, last):
            told.append(row)
            latest[row.get("job_id")] = row
    return told


def _step(row: Row) -> tuple[Any, Any]:
    return row.get("job_id"), row.get("step_id")


def _began(row: Row) -> Any:  # noqa: ANN401  (a value of the column)
    return row.get("start_ns") if row.get("start_ns") is not None else row.get("end_ns")


def _starts(rows: Iterable[Row]) -> dict[tuple[Any, Any], dict[int, int]]:
    """For each step and start, the first of the starts it lies together with."""
    known: dict[tuple[Any, Any], set[int]] = {}
    for row in rows:
        known.setdefault(_step(row), set()).add(_began(row))
    together: dict[tuple[Any, Any], dict[int, int]] = {}
    for step, starts in known.items():
        of = together[step] = {}
        before = None
        for start in sorted(starts):
            of[start] = of[before] if before is not None and start - before <= _APART_NS else start
            before = start
    return together


def _join_timeless(runs: dict[_Run, Row], rows: list[Row]) -> None:
    """Rows of tables without times belong to the latest run that ended alike; without any run they stand alone."""
    timed = {key[:2] for key in runs}
    alike: dict[tuple[Any, ...], _Run] = {}
    for key in sorted(runs, key=lambda run: run[2] or 0):
        alike[*key[:2], state_word(runs[key].get("state"))] = alike[*key[:2], None] = key
    for row in rows:
        state = None if row.get("state") is None else state_word(row.get("state"))
        run = alike.get((*_step(row), state))
        if run is not None:
            runs[run] = _joined(runs[run], row)
        elif _step(row) not in timed:
            run = (*_step(row), None, state)
            runs[run] = row
            alike[*run[:2], state] = alike[*run[:2], None] = run


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

"""Which of the attempts that one log holds counts.

A launcher starts all its workers anew by itself, and what fails before a step is then an echo of the failure before it
(ports still taken, peers gone). A shell's loop calls a command again: how the last call ended is how the job ended.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._chain import earlier_links
from inquest.analyze.families._counted import goes_on_below
from inquest.analyze.families._failures import ECHOES, Crash, crash_of
from inquest.analyze.families._job_logs import handed_in_again
from inquest.analyze.logs.attempts import LAUNCHED, of_any_attempt, path_attempt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

Place = tuple[str, str | None, int]
"""node, source, attempt."""


def judged(ev: Evidence) -> dict[tuple[Any, Any], int]:
    """For each source, the first attempt that counts: the last one, and those it is an echo of."""
    attempts = ev.facts("fact_attempts")
    own = {place for place in _called(ev, attempts) if _ended_by_itself(ev, place)}
    first: dict[tuple[Any, Any], int] = {}
    begun: dict[tuple[Any, Any], bool] = {}
    for row in attempts.sort("node", "source", "attempt", descending=[False, False, True]).iter_rows(named=True):
        source = (row["node"], row["source"])
        if row["attempt"] is not None and not begun.get(source):
            first[source] = row["attempt"]
            in_vain = row["began_by"] == "restart_line" and not row["last_step"]
            in_vain = in_vain and not goes_on_below(ev, row, row["first_line_seq"])
            begun[source] = not in_vain or (*source, row["attempt"]) in own
    # Of a chain of jobs, or of tries, the last one counts: whatever ended those before it, the run went on.
    for log in earlier_links(ev) | handed_in_again(ev) | _tried_before(first):
        first[log] = 1 + max(row["attempt"] or 0 for row in attempts.filter(_of_log(log)).iter_rows(named=True))
    return first


def _tried_before(logs: Iterable[tuple[Any, Any]]) -> frozenset[tuple[Any, Any]]:
    """Those of ``logs``, each a node and a source, whose path differs from a later try's by its number alone."""
    tries: dict[tuple[Any, str], list[tuple[Any, Any]]] = {}
    for node, source in logs:
        if (like := of_any_attempt(source)) is not None:
            tries.setdefault((node, like), []).append((node, source))
    last = {like: max(path_attempt(source) for _, source in mine) for like, mine in tries.items()}
    return frozenset(log for like, mine in tries.items() for log in mine if path_attempt(log[1]) < last[like])


def _of_log(log: tuple[str, str]) -> pl.Expr:
    return (pl.col("node") == log[0]) & (pl.col("source") == log[1])


def called_in_vain(ev: Evidence, row: Row) -> bool:
    """True for a failure below which a shell called the command again, which then ended otherwise, before a step.

    Of two failures neither of which explains the other, the first is not certain to be what has to be mended.
    """
    later = [place for place in _called(ev, ev.facts("fact_attempts")) if place[:2] == (row["node"], row["source"])]
    ends = [crash.shown for place in later if place[2] > (row["attempt"] or 0) for crash in _crashes(ev, place)]
    return bool(ends) and all(end["exc_type"] != row["exc_type"] for end in ends)


def ended_before(ev: Evidence) -> tuple[str, ...]:
    """A sentence for each log of which an earlier attempt had crashed: what is judged is the last one."""
    last, attempts = judged(ev), ev.facts("fact_attempts")
    said: dict[tuple[Any, Any], str] = {}
    for row in attempts.sort("node", "source", "attempt", nulls_last=False).iter_rows(named=True):
        place = (row["node"], row["source"], row["attempt"])
        if row["attempt"] is None or row["attempt"] >= last.get(place[:2], row["attempt"]):
            continue
        ends = [crash for crash in _crashes(ev, place) if crash.cause.cause not in ECHOES]
        if ends and not of_an_earlier_training(ends[0].root, attempts):
            where = "" if place[1] is None else f" ({place[1]})"
            said[place[:2]] = f"An earlier attempt ended with {ends[0].title.rstrip('.')}{where}"
    told = [f"{text}; what is judged is how the last one ended." for text in list(said.values())[:_NAMED]]
    if before := sorted(source for _, source in earlier_links(ev) | handed_in_again(ev)):
        some = ", ".join(before[:_NAMED]) + (f" and {len(before) - _NAMED} more" if len(before) > _NAMED else "")
        after = "Other jobs or starts of the run came after these"
        told.append(f"{after}, and how these ended is not what ended the run: {some}.")
    return tuple(told)


def of_a_launcher_before(ev: Evidence, row: Row) -> bool:
    """True for an end below which another launcher died, where the job's other stream tells of another attempt."""
    if row["said_by"] not in _LAUNCHERS or row["line_seq"] is None or row["source"] is None:
        return False
    begun = ev.facts("fact_attempts").filter((pl.col("node") == row["node"]) & (pl.col("began_by") == "restart_line"))
    if begun.filter(pl.col("source") != row["source"]).is_empty():
        return False
    of_launchers = pl.col("exc_type").str.contains(_A_LAUNCHERS_END) & pl.col("fatal").fill_null(value=True)
    ends = ev.facts("fact_exceptions").filter(same_stream(row) & of_launchers)
    return ends["group"].n_unique() > 1 and not ends.filter(pl.col("line_seq") > row["line_seq"] + _A_TABLE).is_empty()


_A_LAUNCHERS_END: Final = r"(?:^|\.)(?:ChildFailedError|SignalException)$"
_A_TABLE: Final = 2
"""Lines by which the traceback of a launcher stands below its own word on a worker."""
_LAUNCHERS: Final = frozenset({"torchrun", "accelerate", "deepspeed"})


def _called(ev: Evidence, attempts: pl.DataFrame) -> set[Place]:
    """Attempts that began with a word of a shell's own, or below the word of srun's that the one before had ended.

    Or with that of a launcher which starts nothing anew by itself.
    """
    pattern = pl.col("pattern")
    own = pattern.is_in([_OWN_WORDS, LAUNCHED])
    words = ev.facts("fact_events").filter(own | pattern.str.starts_with(_OF_A_STEP))
    below = pl.col("line_seq") + pattern.str.starts_with(_OF_A_STEP).cast(pl.Int64)
    began = words.select("node", "source", first_line_seq=below)
    rows = attempts.join(began, on=["node", "source", "first_line_seq"], how="semi", nulls_equal=True)
    return {(row["node"], row["source"], row["attempt"]) for row in rows.iter_rows(named=True)}


def _ended_by_itself(ev: Evidence, place: Place) -> bool:
    """Whether a failure ended an attempt that no failure before it explains."""
    return any(
        crash.cause.cause not in _LEFT_BY_ANOTHER and (crash.cause.fault_class != "env" or _FULL.search(crash.title))
        for crash in _crashes(ev, place)
    )


def _crashes(ev: Evidence, place: Place) -> list[Crash]:
    """What ended the processes of an attempt."""
    node, source, attempt = place
    mine = (pl.col("node") == node) & pl.col("source").eq_missing(source) & (pl.col("attempt") == attempt)
    rows = ev.facts("fact_exceptions").filter(mine).sort("group", "chain_index", "seq", nulls_last=False)
    chains = (part.to_dicts() for part in rows.partition_by("group", maintain_order=True))
    return [crash_of(chain) for chain in chains if chain[-1]["fatal"] is not False]


_NAMED: Final = 3
_OWN_WORDS: Final = "launcher.restarting"
_FULL: Final = re.compile(r"No space left|[Qq]uota exceeded")
"""Of an environment's errors no attempt before leaves this one."""
_OF_A_STEP: Final = "slurm.task_"
_LEFT_BY_ANOTHER: Final = frozenset(
    {
        *(Cause.LAUNCHER, Cause.PEER_LOST, Cause.RENDEZVOUS, Cause.STORE_WAIT, Cause.COLLECTIVE),
        *(Cause.GPU_MEMORY, Cause.GPU_FAULT, Cause.WORKER_KILLED, Cause.WORKER_GONE),
    }
)
"""What a failure leaves to the next attempt: peers that are gone, memory still held, a device that is lost."""


def rows_of(rows: Iterable[Row], last: dict[tuple[Any, Any], int]) -> list[Row]:
    """Rows of the last attempt of their source; rows without an attempt belong to the whole run."""
    return [
        row
        for row in rows
        if row["attempt"] is None or row["attempt"] >= last.get((row["node"], row.get("source")), row["attempt"])
    ]


def steps_of(steps: pl.DataFrame, last: dict[tuple[Any, Any], int]) -> pl.DataFrame:
    """Reports of the attempts that count; those without an attempt belong to the whole run."""
    if steps.is_empty() or not last:
        return steps
    newest = pl.DataFrame(
        [{"node": node, "source": source, "newest": number} for (node, source), number in last.items()],
        schema={"node": steps.schema["node"], "source": steps.schema["source"], "newest": pl.Int64},
    )
    joined = steps.join(newest, on=["node", "source"], how="left", maintain_order="left", nulls_equal=True)
    return joined.filter(pl.col("attempt").is_null() | (pl.col("attempt") >= pl.col("newest").fill_null(0))).drop(
        "newest"
    )


def of_an_earlier_training(row: Row, attempts: pl.DataFrame) -> bool:
    """True for what stands in one of several trainings, behind which another one began, and not the same once more."""
    following = attempts.filter(same_stream(row), pl.col("attempt") > (row["attempt"] or 0)).sort("attempt")
    return not following.is_empty() and following["began_by"][0] == "new_run"

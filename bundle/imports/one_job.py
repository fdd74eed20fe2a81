"""An import is of one job: which one, and what is left out because it is another's, by number, node and GPU."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle import hostlist
from inquest.bundle.imports import _slurm_job as slurm_job
from inquest.bundle.imports import nodes, tenants
from inquest.bundle.imports.rows import READINGS, UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Set

    from inquest.bundle.imports.rows import Rows

_OF_ONE_JOB: Final = ("slurm_jobs", "slurm_steps", "slurm_events")
_OF_NODES: Final = (*READINGS, "gpu_events", "node_info", "devices", "kernel_log")
"""Tables that files of metrics and of kernels fill."""
_OF_GPUS: Final = ("gpu_samples", "gpu_events", "nvlink_samples")


def settle(rows: Rows, noted: Set[str], named: Set[str], logs: Collection[str] = ()) -> tuple[str | None, str | None]:
    """The job all rows belong to, and what to say where it is in doubt.

    Args:
        rows: What was read.
        noted: Jobs that notes on the files name.
        named: Jobs after which files are named that were read.
        logs: Names of the logs of programs that were read.
    """
    told = _jobs_in(rows, "slurm_jobs", "processes")
    happened = _jobs_in(rows, "slurm_events")  # a daemon's log tells of all jobs of its cluster: asked last
    for jobs in (noted, told, named & told if told else named, happened):
        if len(jobs) == 1:
            return next(iter(jobs)), None
    # Scripts call their output as they like: of several jobs in accounting, it may well bear the number of its own.
    borne = {job for job in told if len(job) >= _A_NUMBER and _bears(job, logs)}
    if not noted and not named and len(borne) == 1:
        return next(iter(borne)), None
    doubt = noted or told or named or happened
    if not doubt:
        return None, None
    if not noted and (job := _by_nodes(rows, told)):
        return job, f"The files tell of {len(told)} jobs; {job} alone ran on the nodes whose readings are there."
    if not noted and (job := _by_time(rows, told)):
        return job, f"The files tell of {len(told)} jobs; the lines of the logs were written while {job} ran."
    some = _some(doubt, 5)
    return None, f"The files tell of {len(doubt)} jobs ({some}); say which one with --job."


def without_other_jobs(rows: Rows, job: str) -> str | None:
    """Leave out what Slurm tells of other jobs; where it tells of others only, the user knows why it is there."""
    told = {
        table: {str(name) for frame in rows.frames(table, "job_id") for name in frame["job_id"].drop_nulls()}
        for table in _OF_ONE_JOB
        if table in rows.tables()
    }
    others = {name for names in told.values() for name in names if not slurm_job.is_of(name, job)}
    if not others or not any(names - others for names in told.values()):
        return None
    left = 0
    for table, names in told.items():
        if names & others:
            before = rows.counts()[table]
            rows.change(table, lambda given: [row for row in given if row["job_id"] not in others])
            left += before - rows.counts().get(table, 0)
    return f"{left:,} rows tell of other jobs than {job} ({_some(others, 3)}): left out."


def without_other_nodes(rows: Rows) -> tuple[set[str], str] | None:
    """Leave out what is of nodes that were not the job's: a query is soon asked for a whole partition.

    Where accounting names the job's nodes and metrics know one of them by that name.

    Returns:
        Nodes that no row is of any more, and a sentence on it.
    """
    if "slurm_jobs" not in rows.tables():
        return None
    ours = {node.partition(".")[0] for node in nodes.of_job(rows)}
    read = {node for table in _OF_NODES for node in rows.nodes_of(table)}
    short = {node: node.partition(".")[0] for node in read if node != UNKNOWN_NODE and not nodes.is_address(node)}
    others = {node for node, name in short.items() if name not in ours}
    if not others or not (any(name in ours for name in short.values()) or _are_neighbours(rows, ours, others)):
        return None
    for table in _OF_NODES:
        if others & rows.nodes_of(table):
            rows.without(table, pl.col("node").is_in(others))
    sentence = f"Readings of {len(others):,} nodes that were not the job's ({_some(others, 3)}): left out."
    return others - set(rows.all_nodes()), sentence


def _are_neighbours(rows: Rows, ours: Set[str], others: Set[str]) -> bool:
    """Whether nodes are called as the job's are but for their numbers: neighbours, and no other names of its own.

    More nodes with GPUs than the job has are not its own by other names either.
    """
    lists = {text for frame in rows.frames("slurm_jobs", "node_list") for text in frame["node_list"].drop_nulls()}
    if any(map(hostlist.is_cut, lists)) or not ours:
        return False
    if len(others & rows.nodes_of("gpu_samples")) > len(ours):
        return True
    shapes = {re.sub(r"\d+", "#", node.casefold()) for node in ours}
    alike = {re.sub(r"\d+", "#", nodes.short(node)) for node in others} <= shapes
    return alike and all("#" in shape and shape[0].isalpha() for shape in shapes)


def without_unnamed_nodes(rows: Rows) -> tuple[set[str], str] | None:
    """Leave out kernels' logs of nodes of which nothing else tells, not a line of the job's log.

    Where accounting lists no nodes, and other kernels' logs are all of nodes that were sampled.

    Returns:
        The same as `without_other_nodes`.
    """
    if nodes.of_job(rows) or not {"kernel_log", "gpu_samples"} <= set(rows.tables()):
        return None
    heard = rows.nodes_of("kernel_log") - {UNKNOWN_NODE}
    told = {node for table in rows.tables() if table != "kernel_log" for node in rows.nodes_of(table)}
    others = {node for node in heard - told if not nodes.is_address(node)}
    if not others or len(heard & rows.nodes_of("gpu_samples")) <= len(others):
        return None
    for frame in rows.frames("log_lines", "text") if "log_lines" in rows.tables() else ():
        others = {node for node in others if not frame["text"].str.contains(nodes.short(node), literal=True).any()}
    if not others:
        return None
    rows.without("kernel_log", pl.col("node").is_in(others))
    return others, f"Kernel logs of {len(others):,} nodes that nothing else names ({_some(others, 3)}): left out."


def without_gpus_placed_elsewhere(rows: Rows, job: str) -> str | None:
    """Leave out readings of GPUs that other jobs held on the job's nodes, where the exporter says whose each was.

    Only on nodes where it names the job: elsewhere nobody knows what is missing.
    """
    if "placements" not in rows.tables():
        return None
    told = pl.concat(rows.frames("placements", "node", "job_id", "visible_gpus")).drop_nulls()
    ours: dict[str, set[str]] = {}
    for node, name, gpus in told.iter_rows():
        if slurm_job.is_of(name, job):
            ours.setdefault(node, set()).update(gpus.split(","))
    rows.without("placements", ~pl.col("job_id").is_in({n for n in told["job_id"] if slurm_job.is_of(n, job)}))
    if not ours:
        return None
    held = pl.col("gpu_uuid").is_in({gpu for gpus in ours.values() for gpu in gpus})
    return _without_gpus(rows, pl.col("node").is_in(set(ours)) & ~held & pl.col("gpu_uuid").is_not_null())


def without_gpus_of_tenants(rows: Rows) -> str | None:
    """Leave out readings of GPUs that were at work for others on the job's nodes, where no exporter says so."""
    if not {"slurm_jobs", "gpu_samples"} <= set(rows.tables()):
        return None
    runs = pl.concat(rows.frames("slurm_jobs", "start_ns", "end_ns")).filter(pl.col("start_ns").is_not_null())
    began, ended = runs["start_ns"].min(), runs["end_ns"].max()
    if not isinstance(began, int) or not isinstance(ended, int) or runs["end_ns"].null_count():
        return None
    told = {number for frame in rows.frames("slurm_jobs", "gpus_allocated") for number in frame["gpus_allocated"]}
    given = told.pop() if len(told) == 1 else None
    theirs = tenants.held_by_others(rows.frames("gpu_samples", *tenants.COLUMNS), began, ended, given)
    seats = pl.concat_str("node", pl.lit("\0"), "gpu_uuid")
    return _without_gpus(rows, seats.is_in({f"{node}\0{gpu}" for node, gpu in theirs})) if theirs else None


def _without_gpus(rows: Rows, others: pl.Expr) -> str | None:
    gone: set[str] = set()
    for table in _OF_GPUS:
        if table in rows.tables():
            for frame in rows.frames(table, "node", "gpu_uuid"):
                gone.update(frame.filter(others)["gpu_uuid"].unique())
    if not gone:
        return None
    for table in _OF_GPUS:
        rows.without(table, others)
    return f"Readings of {len(gone):,} GPUs that the job did not hold on its nodes: left out."


def _by_nodes(rows: Rows, jobs: Set[str]) -> str | None:
    """The one of several jobs by other names that ran where readings are from; None where that is not one.

    Jobs of one name may be tries of one run.
    """
    ran: dict[str, set[str]] = {}
    names: dict[str, set[str]] = {}
    for frame in rows.frames("slurm_jobs", "job_id", "job_name", "node_list") if "slurm_jobs" in rows.tables() else ():
        for job, name, listed in frame.iter_rows():
            key = str(job).split("+")[0]
            names.setdefault(key, set()).add(str(name))
            ran.setdefault(key, set()).update(nodes.short(node) for node in hostlist.assigned([listed or ""]))
    read = {node for table in _OF_NODES for node in rows.nodes_of(table)} - {UNKNOWN_NODE}
    here = {nodes.short(node) for node in read if not nodes.is_address(node)}
    if ran.keys() != jobs or not all(ran.values()):
        return None
    touching = [job for job in sorted(ran) if ran[job] & here]
    exact = [job for job in touching if ran[job] == here]
    found = next((some[0] for some in (touching, exact) if len(some) == 1), None)
    if found is None:
        return None
    ours, spans = names[found], _times(rows)
    others = [job for job in ran if job != found]
    if any(names[job] & (ours - {"None"}) for job in others):
        return None
    unnamed = [job for job in others if "None" in names[job]]
    return None if any(not _at_one_time(spans[job], spans[found]) for job in unnamed) else found


def _at_one_time(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two jobs ran beside each other for long: tries of one run do not."""
    return min(one[1], other[1]) - max(one[0], other[0]) > 3 * _APART_NS


def without_jobs_in_doubt(rows: Rows, files: Collection[str]) -> str | None:
    """Leave out accounting of several jobs, of which nobody says whose the logs are: other jobs' ends are not theirs.

    Files that bear a job's number say so themselves. Those in whose time lines were written may be tries of this run,
    and stay; so do tasks of one array.
    """
    ran = _times(rows)
    jobs = {slurm_job.whole(job) for job in ran}
    if len(jobs) < 2 or any(_bears(job, files) for job in jobs):
        return None
    if "log_lines" not in rows.tables() and _may_be_tries(rows, ran):
        return None
    clocks = _clocks(rows)
    ours = (
        set() if clocks is None else {job for job, (low, high) in ran.items() if low <= clocks[1] and clocks[0] <= high}
    )
    others = ran.keys() - ours
    if not others:
        return None
    for table in _OF_ONE_JOB:
        if table in rows.tables():
            rows.change(table, lambda given: [row for row in given if _key(row["job_id"]) not in others])
    has_logs = "log_lines" in rows.tables()
    what = f"whose of {len(ran)} jobs the logs are" if has_logs else f"which of {len(ran)} jobs is meant"
    return f"Nothing says {what}: accounting of {_some(others, 3)} is left out (--job)."


def without_a_job_before(rows: Rows, files: Collection[str]) -> tuple[dict[str, str], str] | None:
    """Leave out accounting that tells of one job only, which had ended long before the logs, and ran on other nodes.

    No zone of a clock explains so much.

    Returns:
        Names for nodes that logs were put on by that job's, and a sentence on it.
    """
    ran, clocks = _times(rows), _clocks(rows)
    if len(ran) != 1 or clocks is None or any(_bears(job, files) for job in ran):
        return None
    ((job, (_, ended)),) = ran.items()
    held = {nodes.short(node) for node in nodes.of_job(rows)}
    read = {nodes.short(node) for table in _OF_NODES for node in rows.nodes_of(table) - {UNKNOWN_NODE}}
    if clocks[0] - ended <= _ANY_ZONE_NS or not held or not read or held & read:
        return None
    for table in _OF_ONE_JOB:
        if table in rows.tables():
            rows.change(table, lambda given: [row for row in given if _key(row["job_id"]) != job])
    names = dict.fromkeys(held, next(iter(read))) if len(held) == len(read) == 1 else {}
    return names, f"Job {job} had ended long before the logs begin, on other nodes: its accounting is left out (--job)."


def _may_be_tries(rows: Rows, ran: Mapping[str, tuple[int, int]]) -> bool:
    """Whether jobs may be tries of one run: of one name, or of none that is told, and one after the other."""
    told = pl.concat(rows.frames("slurm_jobs", "job_id", "job_name"))
    names = set(told["job_name"].drop_nulls())
    spans = sorted(ran.values())
    return len(names) <= 1 and not any(_at_one_time(one, other) for one, other in pairwise(spans))


def _bears(job: str, files: Collection[str]) -> bool:
    """Whether a file's name holds the number of a job."""
    return any(re.search(rf"(?<!\d){re.escape(job)}(?!\d)", file) for file in files)


_A_NUMBER: Final = 4
"""Digits of a job's number that no name of a file bears by chance, as it does that of an epoch, or of a rank."""


def _by_time(rows: Rows, jobs: Set[str]) -> str | None:
    """The one of several jobs in whose time all lines with a clock were written; None where that is not one."""
    ran, clocks = _times(rows), _clocks(rows)
    if ran.keys() != jobs or clocks is None:
        return None
    found = [job for job, (low, high) in ran.items() if low <= clocks[0] and clocks[1] <= high]
    return found[0] if len(found) == 1 else None


def _key(job: object) -> str:
    """A job's number; parts of a het job are one."""
    return str(job).split("+")[0]


def _times(rows: Rows) -> dict[str, tuple[int, int]]:
    """From when to when each job of accounting ran, and a little more; of one that never began, no time at all."""
    ran: dict[str, tuple[int, int]] = {}
    for frame in rows.frames("slurm_jobs", "job_id", "start_ns", "end_ns") if "slurm_jobs" in rows.tables() else ():
        for job, began, ended in frame.iter_rows():
            low, high = ran.get(_key(job), (_STILL_RUNS, 0))
            if began is not None:
                low, high = min(low, began - _APART_NS), max(high, _STILL_RUNS if ended is None else ended + _APART_NS)
            ran[_key(job)] = low, high
    return ran


def _clocks(rows: Rows) -> tuple[int, int] | None:
    """The first and the last clock in the lines of the logs."""
    if "log_lines" not in rows.tables():
        return None
    clocks = pl.concat(rows.frames("log_lines", "ts_ns"))["ts_ns"].drop_nulls()
    low, high = clocks.min(), clocks.max()
    return (low, high) if isinstance(low, int) and isinstance(high, int) and low < high else None


_STILL_RUNS: Final = 1 << 62
_ANY_ZONE_NS: Final = 15 * 3_600 * 10**9
"""More than two clocks differ by that are of different zones, one of them UTC or both of one site."""
_APART_NS: Final = 120 * 10**9
"""What the clocks of accounting and of a job may differ by, and what a script says before and after it."""


def _jobs_in(rows: Rows, *tables: str) -> set[str]:
    """Jobs that these tables tell of; parts of a het job are one."""
    return {
        _key(job)
        for table in tables
        for frame in rows.frames(table, "job_id")
        for job in frame["job_id"].drop_nulls().unique()
    }


def _some(names: Iterable[str], most: int) -> str:
    ordered = sorted(names)
    return ", ".join(ordered[:most]) + (", ..." if len(ordered) > most else "")

"""What a node's logs tell of others than this job: its neighbours' processes, other jobs, other nodes, other times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._window import beside_run
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.hostlist import assigned, is_cut
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

KERNEL_KILLS: Final = (Kind.CGROUP_OOM, Kind.OOM_KILLER, Kind.SEGFAULT)


def recorded_pids(ev: Evidence) -> dict[str, set[int]]:
    """Process ids of the job by node, where a recorder watched them."""
    if not recorded(ev):
        return {}
    scan = ev.scan("processes").filter(pl.col("role").ne_missing("outside"))
    rows = scan.select("node", "pid").drop_nulls().unique().sort("node", "pid").collect()
    found: dict[str, set[int]] = {}
    for node, pid in rows.iter_rows():
        found.setdefault(node, set()).add(pid)
    return found


def began_at(ev: Evidence) -> dict[str, int]:
    """When the wrapped command began, by node, in UTC nanoseconds."""
    rows = (
        ev.scan("processes")
        .filter((pl.col("role") == "task") & (pl.col("event") == "start"))
        .group_by("node")
        .agg(pl.col("ts_ns").min())
        .drop_nulls()
        .collect()
    )
    return dict(rows.iter_rows())


def before_the_job(row: Row, began: dict[str, int]) -> bool:
    """True for the kernel's word from before the job: a recorder keeps a minute of it, for context."""
    return (
        row["source"] == "kernel_log"
        and row["ts_ns"] is not None
        and row["node"] in began
        and row["ts_ns"] < began[row["node"]]
    )


def of_other_jobs(ev: Evidence) -> frozenset[tuple[str, int]]:
    """Nodes and pids of processes that the kernel killed in the memory cgroup of another Slurm job than ours.

    Where Slurm accounts for the job, its processes are in nobody's login session, and in no service but Slurm's own:
    unless the job's own shell or launcher names the very process.
    """
    jobs = ev.scan("slurm_jobs").select("job_id", "job_id_raw").collect()
    names = (*jobs["job_id"], *jobs["job_id_raw"], ev.info.job_id)
    ours = {number for name in names if name for number in re.findall(r"\d+", name)}
    if not ours or not ev.has("kernel_log"):
        return frozenset()
    own = ev.facts("fact_exits").filter(pl.col("said_by").ne_missing("kernel") & pl.col("pid").is_not_null())
    own_pids = {(row["node"], row["pid"]) for row in own.iter_rows(named=True)}
    text = pl.col("text")
    kills = ev.scan("kernel_log").filter(text.str.contains("task_memcg=", literal=True))
    told = kills.select(
        "node",
        job=text.str.extract(r"task_memcg=[^,]*/job_(\d+)"),
        beside=text.str.contains(_BESIDE_SLURM) & ~text.str.contains(_OF_SLURM) & (jobs.height > 0),
        pid=text.str.extract(r",pid=(\d{1,9})\b").cast(pl.Int64),
    ).drop_nulls("pid")
    return frozenset(
        (node, pid)
        for node, job, beside, pid in told.collect().iter_rows()
        if (beside and not own_pids & {(node, pid), (UNKNOWN_NODE, pid)} if job is None else job not in ours)
    )


_BESIDE_SLURM: Final = r"task_memcg=/(?:user\.slice/user-\d+\.slice/session-|system\.slice/[^/,]+\.service,)"
_OF_SLURM: Final = r"task_memcg=[^,]*slurm"


def beside_any_job(ev: Evidence) -> frozenset[tuple[str, int]]:
    """Nodes and pids of what the kernel killed in login sessions and services, where a kernel log is all there is.

    It tells of a whole node. A training on a workstation lies in a session, too, by the name of what runs trainings.
    """
    if not ev.has("kernel_log") or any(map(ev.has, _TELL_OF_A_JOB)):
        return frozenset()
    text = pl.col("text")
    beside = text.str.contains(_BESIDE_SLURM) & ~text.str.contains(_OF_SLURM)
    kills = ev.scan("kernel_log").filter(text.str.contains("task_memcg=", literal=True) & beside)
    told = kills.select("node", name=text.str.extract(r",task=([^,]*),"), pid=text.str.extract(r",pid=(\d{1,9})\b"))
    others = told.drop_nulls().filter(~pl.col("name").str.contains(_TRAINS)).collect()
    return frozenset((node, int(pid)) for node, _, pid in others.iter_rows())


def of_the_system(ev: Evidence) -> frozenset[tuple[str, int]]:
    """Nodes and pids of desktops and services that crashed, by the names the kernel told: no training is called so."""
    if not ev.has("kernel_log"):
        return frozenset()
    told = ev.scan("kernel_log").filter(pl.col("text").str.contains(_CRASHED_BESIDE))
    found = told.select("node", pid=pl.col("text").str.extract(_CRASHED_BESIDE, 1)).drop_nulls().collect()
    return frozenset((node, int(pid)) for node, pid in found.iter_rows())


_CRASHED_BESIDE: Final = (
    r"(?:^|[\s:])(?:(?:gnome-|gsd-|gvfs|tracker-|kwin_|plasma-|xfce4-|ibus-|evolution-|systemd-|dbus-|cups-)[\w.:-]*"
    r"|plasmashell|Xorg|Xwayland|mutter|pulseaudio|pipewire|wireplumber|nautilus|firefox|chrome(?:_crashpad\w*)?"
    r"|chromium|Web Content|thunderbird|electron|slack|zoom|teams|cupsd|snapd|apport|packagekitd|fwupd|systemd|polkitd"
    r"|NetworkManager|sshd|rsyslogd"
    r"|crond?|dockerd|containerd|kubelet|node_exporter|telegraf|collectd)"
    r"\[(\d{1,9})\]:? (?:segfault at |general protection fault|trap invalid opcode)"
)
"""Whole names, but for families of programs: ``plasma_sim`` and ``electronic`` may well be a job's own."""
_TELL_OF_A_JOB: Final = ("log_lines", "processes", "slurm_jobs", "placements", "metrics", "gpu_samples")
_TRAINS: Final = (
    r"(?i)^(?:python|pypy|pt_|ray|torchrun|deepspeed|accelerate|julia|mpi|xgboost|lightgbm)|train|learn|tune"
)
"""Names that the kernel knows processes by which train."""


def job_numbers(ev: Evidence) -> frozenset[str] | None:
    """Numbers that Slurm calls the job by; empty where a recorder saw that it runs under none, None: not known.

    Of a part of an array or of a het job, its daemons know a number of their own, which accounting may leave out.
    """
    jobs = ev.scan("slurm_jobs").select("job_id", "job_id_raw").collect()
    if any(re.search(r"\d[_+]", str(name)) for name in (*jobs["job_id"], ev.info.job_id)):
        return None
    names = (*jobs["job_id"], *jobs["job_id_raw"], ev.info.job_id)
    ours = frozenset(number for name in names if name for number in re.findall(r"\d+", name))
    if ours or not recorded(ev):
        return ours or None
    told = ev.scan("node_info").select(pl.col("job_env").str.contains("SLURM_").any()).collect().item()
    return None if told else frozenset()


def of_another_job(row: Row, job: frozenset[str] | None) -> bool:
    """True for a line in Slurm's words on a job that is not this one: a text, or the log of another one."""
    if job is None or row["framework"] != "slurm" or row["line_seq"] is None or row["kind"] not in _OF_A_JOB:
        return False
    named = re.match(r"\d+", str(row["subject"] or ""))
    return named is not None and named[0] not in job


def job_nodes(ev: Evidence) -> frozenset[str] | None:
    """Short names of the nodes that accounting lists for the job, or its environment; None where neither lists all.

    None of Slurm's where a recorder saw that it runs under none, and that nothing in it calls srun.
    """
    lists = ev.scan("slurm_jobs").select(pl.col("node_list").unique()).collect()["node_list"].drop_nulls()
    env = ev.scan("node_info").select(pl.col("job_env").unique()).collect()["job_env"].drop_nulls()
    lists = lists if len(lists) else env.str.extract(r'"SLURM_JOB_NODELIST": ?"([^"]+)"').drop_nulls()
    if any(map(is_cut, lists)):
        return None
    if nodes := frozenset(node.partition(".")[0].casefold() for node in assigned(lists)):
        return nodes
    calls = ev.scan("processes").select(pl.col("argv").str.contains(r"(?:^|[/ ])srun ").any()).collect().item()
    elsewhere = len(env) > 0 and not calls and not env.str.contains("SLURM_").any()
    return frozenset() if elsewhere and recorded(ev) else None


def of_another_node(row: Row, nodes: frozenset[str] | None) -> bool:
    """True for srun's word on a task of a node that the job did not have: of another job, or a text."""
    told = _OF_A_TASK.search(str(row["text"])) if nodes is not None and row["line_seq"] is not None else None
    return told is not None and nodes is not None and told[1].partition(".")[0].casefold() not in nodes


_OF_A_TASK: Final = re.compile(r"\bsrun: error: ([\w.-]+): tasks? \d")
_OF_A_JOB: Final = frozenset({Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.CANCELLED, Kind.NODE_FAILURE})
"""Kinds whose subject is the job in Slurm's words, unless it is a node."""


def without_announcements(events: tuple[Row, ...], ev: Evidence, others: frozenset[tuple[str, int]]) -> tuple[Row, ...]:
    """``events`` without the lines that name no victim and announce the kill of another's process."""
    if not others:
        return events
    kills = ev.facts("fact_events").filter(pl.col("kind").is_in(KERNEL_KILLS) & pl.col("num").is_not_null())
    times = [
        (node, at) for node, pid, at in kills.select("node", "num", "ts_ns").iter_rows() if (node, int(pid)) in others
    ]

    def announces(row: Row) -> bool:
        if row["kind"] not in KERNEL_KILLS or row["num"] is not None or row["source"] != "kernel_log":
            return False
        return any(
            node == row["node"] and (at is None or abs(at - (row["ts_ns"] or at)) <= _ONE_KILL_NS) for node, at in times
        )

    return tuple(row for row in events if not announces(row))


_ONE_KILL_NS: Final = 5_000_000_000
"""Within this the kernel prints all it says about one kill: the tasks of the group take most of it."""


def outlived_kills(ev: Evidence, ours: dict[str, set[int]]) -> frozenset[tuple[str, int]]:
    """Nodes and pids of processes that the kernel killed while the job's training went on, and went on afterwards.

    A node is shared: what runs beside the job, as another pod does, is killed in the same log. Training that reports
    steps on either side of a kill, in one attempt, did not lose a rank or a loader's worker by it; neither did a job
    whose log begins after it.
    """
    killed = ev.facts("fact_events").filter(
        pl.col("kind").is_in(KERNEL_KILLS)
        & (pl.col("source") == "kernel_log")
        & pl.col("ts_ns").is_not_null()
        & pl.col("num").is_not_null()
        & ~pl.col("node").is_in(list(ours))
    )
    if killed.is_empty():
        return frozenset()
    began = ev.scan("log_lines").select(pl.col("ts_ns").min()).collect().item()
    steps = ev.facts("fact_steps").filter(pl.col("ts_ns").is_not_null() & (pl.col("kind") != str(Kind.TRACKED)))
    spans = steps.group_by("node", "source", "attempt").agg(pl.col("ts_ns").min(), pl.col("ts_ns").max().alias("last"))
    margin = int(ev.threshold("a2.outlived") * 1e9)
    return frozenset(
        (node, int(pid))
        for node, pid, at in killed.select("node", "num", "ts_ns").iter_rows()
        if any(
            (first < at or at + margin < began) and at + margin < last
            for first, last in spans.select("ts_ns", "last").iter_rows()
        )
        or (spans.is_empty() and _gpus_worked_on(ev, node, at, margin))
    )


def _gpus_worked_on(ev: Evidence, node: str, at_ns: int, margin_ns: int) -> bool:
    """Whether each GPU of a node that was at work before an instant held its memory through it, and worked on.

    What is killed lets go of its memory; who began anew would have had to fill it first.
    """
    if not ev.has("gpu_samples"):
        return False
    times = pl.col("ts_ns")
    # Of GPUs that nobody's node is known of, each may be that node's.
    near = ev.scan("gpu_samples").filter(
        pl.col("node").is_in([node, UNKNOWN_NODE])
        & times.is_between(at_ns - _NEAR * margin_ns, at_ns + _NEAR * margin_ns)
    )
    before, after = times < at_ns, times > at_ns
    told = near.group_by("gpu_uuid").agg(
        busy=pl.col("engine_active").filter(before).median(),
        later=pl.col("engine_active").filter(after).median(),
        held=pl.col("fb_used_bytes").filter(before).median(),
        least=pl.col("fb_used_bytes").filter(after).min(),
        until=(times.max() - at_ns),
    )
    worked = told.filter(pl.col("busy") >= _AT_WORK).collect()
    kept = (pl.col("least") >= _MOST * pl.col("held")) & (pl.col("later") >= _AT_WORK) & (pl.col("until") > margin_ns)
    return not worked.is_empty() and bool(worked.select(kept.fill_null(value=False).all()).item())


_NEAR: Final = 5
"""How many times as long as who is killed may be survived for GPUs are looked at on either side."""
_AT_WORK: Final = 0.5
_MOST: Final = 0.9


def last_job(ev: Evidence, judged: dict[tuple[Any, Any], int]) -> tuple[str, int] | None:
    """The last of several jobs that accounting knows and its start, where one log tells of it and of one before it.

    Each has an attempt of its own there, and what is judged began after the one before had ended.
    """
    if not ev.has("slurm_jobs"):
        return None
    known = ev.scan("slurm_jobs").select("job_id", "start_ns").drop_nulls().sort("start_ns").collect()
    if known["job_id"].n_unique() < 2:
        return None
    job, start = known.row(-1)
    attempts = ev.facts("fact_attempts").filter(pl.col("end_ns").is_not_null())
    for row in attempts.filter(pl.col("end_ns") >= start).iter_rows(named=True):
        place = (row["node"], row["source"])
        if not 0 < judged.get(place, 0) <= (row["attempt"] or 0):
            continue
        before = attempts.filter(same_stream(row) & (pl.col("attempt") < judged[place]))
        if not before.is_empty() and (before["end_ns"] <= start).all():
            return str(job), int(start)
    return None


def of_a_job_before(row: Row, last: tuple[str, int] | None) -> bool:
    """True for accounting's word on what ended an earlier job than the one that is judged."""
    if last is None or row["row_table"] not in ("slurm_jobs", "slurm_steps") or row["ts_ns"] is None:
        return False
    other = str(row["subject"] or "").partition(".")[0]
    return row["kind"] in (Kind.TIME_LIMIT, Kind.CANCELLED) and other not in ("", last[0]) and row["ts_ns"] <= last[1]


def of_another_time(row: Row, runs: tuple[int, int] | None) -> bool:
    """True for the kernel's word from long before or after every run of the job: its log reaches back to the boot."""
    if runs is None or row["source"] != "kernel_log" or row["ts_ns"] is None:
        return False
    return not runs[0] <= row["ts_ns"] <= runs[1]


def at_its_own_time(ev: Evidence, rows: Iterable[Row]) -> Iterator[Row]:
    """``rows``; what the driver says of a process of the job outside the run has no time: its node's clock was wrong.

    A launcher names the process that failed, and the driver the one that a fault stopped.
    """
    told = ev.facts("fact_exits").filter((pl.col("said_by") != "kernel") & pl.col("pid").is_not_null())
    places = {(_short(host), pid) for host, pid in told.select("host", "pid").iter_rows()}
    for row in rows:
        at = row["ts_ns"]
        if row["kind"] == Kind.XID and row["source"] == "kernel_log" and at is not None and places:
            named = NAMED_PID.search(str(row["text"] or ""))
            ours = named is not None and {(_short(row["node"]), int(named[1])), (None, int(named[1]))} & places
            if ours and beside_run(ev, at):
                yield {**row, "ts_ns": None}
                continue
        yield row


NAMED_PID: Final = re.compile(r"\bpid='?(\d{1,9})\b")
"""How the driver names the process that an XID stopped."""


def _short(host: str | None) -> str | None:
    return None if host is None or host in _NAMELESS else host.partition(".")[0].casefold()


_NAMELESS: Final = ("", "localhost", "127.0.0.1", UNKNOWN_NODE)


def foreign(row: Row, ours: dict[str, set[int]]) -> bool:
    """True for the kernel's word on a process that is none of the job's: a node's kernel log tells of everybody.

    Where the job's processes are known, so is a line that names none: what it announces is told by the line that does.
    """
    if row["kind"] not in KERNEL_KILLS or row["node"] not in ours:
        return False
    if row["num"] is None:
        return bool(row["source"] == "kernel_log")
    return int(row["num"]) not in ours[row["node"]]


def foreign_exit(row: Row, ours: dict[str, set[int]]) -> bool:
    """True for the kernel's word on the end of a process that is none of the job's."""
    return (
        row["said_by"] == "kernel" and row["pid"] is not None and row["pid"] not in ours.get(row["node"], {row["pid"]})
    )


def recorded(ev: Evidence) -> bool:
    """True when a recorder watched the processes: an exit status given by the user is none."""
    captures = ev.scan("processes").select(pl.col("capture").unique()).collect()["capture"].to_list()
    return any(not capture.startswith("import") for capture in captures)

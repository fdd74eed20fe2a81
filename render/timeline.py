"""The run as a Perfetto trace: a process a node, a thread a rank, and the verdict on a track of its own.

What a rank never returned from is a slice without an end. Nothing is drawn at a time that was not captured, except the
instants of the verdict that have none: these stand at the begin of the trace and say so. What was thinned out to keep
the trace small is stated in the instant "about this trace".
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.render import summary
from inquest.render.moments import MOST_A_KIND, tell
from inquest.render.perfetto import TraceWriter
from inquest.render.tables import lazy, placement
from inquest.render.thin import extremes
from inquest.render.wording import duration, hosts, one_line, quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim, Verdict
    from inquest.render.moments import Story
    from inquest.render.tables import Placement

name: Final = "timeline"
extension: Final = "pftrace"

MOST_STEPS: Final = 150_000
"""Step slices written; beyond it every n-th report of a rank is kept and its slice covers the steps between."""

MOST_READINGS: Final = 60_000
"""Readings written of one counter, all nodes and GPUs together; beyond it the extremes of equal stretches are kept."""

_PHASES: Final = {
    "rendezvous": (Kind.RENDEZVOUS_START, Kind.RENDEZVOUS_DONE),
    "process group init": (Kind.PROCESS_GROUP_INIT, Kind.PROCESS_GROUP_READY),
    "NCCL init": (Kind.NCCL_INIT_BEGIN, Kind.NCCL_INIT_DONE),
    "checkpoint load": (Kind.CHECKPOINT_LOAD_BEGIN, Kind.CHECKPOINT_LOADED),
    "checkpoint save": (Kind.CHECKPOINT_SAVE_BEGIN, Kind.CHECKPOINT_SAVED),
}
"""Phases by name, with the facts that begin and end them."""

Args = dict[str, int | float | str | bool | None]

_END_SLACK_NS: Final = 10**9  # a log that prints whole seconds may put the last step after the end
_TEXT: Final = 300
_FIRST_TID: Final = 1_000_000  # apart from the numbers of nodes, which serve as process ids


@dataclass(frozen=True, slots=True)
class _Counter:
    table: str
    column: str
    label: str
    unit: str
    of: str = ""
    """Column that tells several of a node apart."""


_COUNTERS: Final = (
    _Counter("gpu_samples", "fb_used_bytes", "memory used", "bytes", "gpu_index"),
    _Counter("gpu_samples", "engine_active", "engine busy", "share", "gpu_index"),
    _Counter("gpu_samples", "sm_active", "SMs busy", "share", "gpu_index"),
    _Counter("gpu_samples", "temp_core_c", "temperature", "C", "gpu_index"),
    _Counter("gpu_samples", "power_w", "power", "W", "gpu_index"),
    _Counter("gpu_samples", "sm_clock_mhz", "SM clock", "MHz", "gpu_index"),
    _Counter("host_samples", "memory_available_bytes", "host memory available", "bytes"),
    _Counter("host_samples", "cpu_user_share", "CPU user", "share"),
    _Counter("host_samples", "psi_memory_some_avg10", "memory pressure", "%"),
    _Counter("host_samples", "psi_io_some_avg10", "I/O pressure", "%"),
    _Counter("cgroup_samples", "memory_used_bytes", "cgroup memory used", "bytes", "cgroup"),
    _Counter("cgroup_samples", "memory_limit_bytes", "cgroup memory limit", "bytes", "cgroup"),
)


def render(verdict: Verdict, evidence: Evidence) -> bytes:
    """The trace as bytes."""
    return _Timeline(verdict, evidence).write()


class _Timeline:
    def __init__(self, verdict: Verdict, evidence: Evidence) -> None:
        self.verdict = verdict
        self.evidence = evidence
        self.where: Placement = placement(verdict, evidence)
        self.story: Story = tell(evidence)
        self.notes: list[str] = []
        self.origin = self._origin()
        self.trace = TraceWriter(self.origin)
        self.pid = {node: index for index, node in enumerate(self.where.nodes, start=1)}
        self.verdict_track = 0
        self.node_track: dict[str, int] = {}
        self.rank_track: dict[int, int] = {}
        self.steps_from: dict[int, tuple[str, str | None]] = {}
        self.events_track: dict[tuple[str, int | None], int] = {}

    def write(self) -> bytes:
        self._tracks()
        self._scheduler()
        self._lives()
        self._steps()
        self._phases()
        self._in_flight()
        self._moments()
        self._counters()
        self._verdict()
        return self.trace.finish()

    def _origin(self) -> int:
        times = [m.ts_ns for m in self.story.moments] + [life.begin_ns for life in self.story.lives]
        times += [ts for ts in (self.verdict.bundle.start_ns, self.verdict.first_failing.ts_ns) if ts is not None]
        return min(times, default=0)

    # --- where things are drawn -----------------------------------------------------------------------------------
    def _tracks(self) -> None:
        simulated = " (simulated data)" if self.verdict.bundle.simulated else ""
        self.verdict_track = self.trace.track(f"Verdict{simulated}", description=one_line(self.verdict.headline, _TEXT))
        for node in self.where.nodes:
            pid = self.pid[node]
            ranks = self.where.ranks_on(node)
            self.node_track[node] = self.trace.process(one_line(node) or "unnamed node", pid)
            for rank in ranks:
                self.rank_track[rank] = self.trace.thread(f"rank {rank}", pid, _FIRST_TID + rank)

    def _events(self, node: str, rank: int | None) -> int | None:
        """The track of what happened to a rank, else to its node; None for a node that is in no table."""
        if rank is not None and self.where.node_of.get(rank) != node:
            rank = None
        key = (node, rank)
        if key not in self.events_track:
            parent = self.node_track.get(node) if rank is None else self.rank_track[rank]
            if parent is None:
                return None
            self.events_track[key] = self.trace.track("events", parent, order=2)
        return self.events_track[key]

    # --- what happened ------------------------------------------------------------------------------------------------
    def _scheduler(self) -> None:
        told = [m for m in self.story.moments if m.kind == "scheduler"]
        jobs = lazy(self.evidence, "slurm_jobs", "node", "seq", "job_id", "state", "restarts", "start_ns", "end_ns")
        steps = lazy(self.evidence, "slurm_steps", "node", "seq", "step_id", "step_name", "state", "start_ns", "end_ns")
        runs = jobs.filter(pl.col("start_ns").is_not_null()).sort("start_ns", "node", "seq").collect()
        parts = steps.filter(pl.col("start_ns").is_not_null()).sort("start_ns", "node", "seq").collect()
        if not told and runs.is_empty() and parts.is_empty():
            return
        slurm = self.trace.track("Slurm", order=1)
        for moment in told:
            self.trace.instant(slurm, moment.ts_ns, moment.text or "event", "scheduler", _row(moment.table, moment.seq))
        for row in runs.iter_rows(named=True):
            track = self.trace.track(f"job {one_line(row['job_id'] or '')}", slurm, order=1)
            self._stretch(track, f"{one_line(row['state'] or 'job')}", "slurm_jobs", row)
        for row in parts.iter_rows(named=True):
            track = self.trace.track(f"step {one_line(row['step_id'] or '')}", slurm, order=2)
            self._stretch(track, one_line(row["step_name"] or row["state"] or "step"), "slurm_steps", row)

    def _stretch(self, track: int, name: str, table: str, row: dict[str, Any]) -> None:
        args = {"state": one_line(row["state"] or ""), **_row(table, row["seq"])}
        self.trace.begin(track, row["start_ns"], name, "scheduler", args)
        if row["end_ns"] is not None:
            self.trace.end(track, max(row["end_ns"], row["start_ns"]))

    def _lives(self) -> None:
        """A slice a process; it stays open where the process was never seen to end."""
        for life in self.story.lives:
            if life.role not in ("task", "launcher", "rank"):
                continue
            parent = self.node_track.get(life.node) if life.rank is None else self.rank_track.get(life.rank)
            if parent is None:
                continue
            track = self.trace.track(f"{life.command} (pid {life.pid})", parent, order=1)
            args: Args = {
                "pid": life.pid,
                "role": life.role,
                "ended": life.outcome or "never seen to end",
            }
            self.trace.begin(track, life.begin_ns, f"{life.role} alive", "process", args)
            if life.end_ns is not None:
                self.trace.end(track, max(life.end_ns, life.begin_ns))

    def _steps(self) -> None:
        reports = (
            lazy(
                self.evidence,
                "fact_steps",
                *("ts_ns", "node", "seq", "rank", "source", "attempt", "step", "loss", "grad_norm", "lr"),
            )
            .filter(pl.col("ts_ns").is_not_null(), pl.col("step").is_not_null())
            .sort("rank", "node", "source", "attempt", "ts_ns", "seq", nulls_last=True)
        )
        count = reports.select(pl.len()).collect().item()
        every = -(-count // MOST_STEPS)
        if every > 1:
            place = pl.int_range(pl.len()).over("rank", "node", "source", "attempt")
            last = pl.len().over("rank", "node", "source", "attempt") - 1
            reports = reports.filter((place % every == 0) | (place == last))
            self.notes.append(f"of {count:,} step reports every {every}th of a rank is drawn")
        ends = self._ends()
        by_log = reports.collect().partition_by("rank", "node", "source", "attempt", maintain_order=True)
        for part, following in itertools.zip_longest(by_log, by_log[1:]):
            self._steps_of(part, ends, following)

    def _steps_of(self, part: pl.DataFrame, ends: dict[int, list[int]], following: pl.DataFrame | None) -> None:
        first = part.row(0, named=True)
        rank, node = first["rank"], first["node"]
        home = (node, first["source"])
        parent = self.rank_track.get(rank, self.node_track.get(node))
        if parent is None:
            return
        if rank in self.rank_track and self.steps_from.setdefault(rank, home) == home:
            track = parent
        else:
            # A second log of a rank tells the same steps at its own times: slices of both would cut each other.
            track = self.trace.track(f"steps in {one_line(first['source'] or 'log', 80)}", parent, order=1)
        before: dict[str, Any] | None = None
        for row in part.iter_rows(named=True):
            args: Args = {key: row[key] for key in ("step", "loss", "grad_norm", "lr")}
            args |= _row("fact_steps", row["seq"])
            if before is None:
                self.trace.instant(track, row["ts_ns"], f"step {row['step']} reported", "step", args)
            else:
                jump = row["step"] - before["step"]
                span = f"steps {before['step'] + 1}-{row['step']}" if jump > 1 else f"step {row['step']}"
                self.trace.begin(track, before["ts_ns"], span, "step", args)
                self.trace.end(track, row["ts_ns"])
            before = row
        if before is None or rank not in ends:
            return
        last = before["ts_ns"]
        end = next((end for end in ends[rank] if end >= last - _END_SLACK_NS), None)
        if end is None and following is not None:
            then = following.row(0, named=True)
            if (then["rank"], then["node"], then["source"]) == (rank, *home):
                end = then["ts_ns"]  # the same log went on: with another attempt
        self.trace.begin(track, last, f"after step {before['step']}", "step", {"rank": rank})
        if end is not None:
            self.trace.end(track, max(end, last))

    def _ends(self) -> dict[int, list[int]]:
        """When processes of each rank ended, ascending.

        A rank that nobody watched is absent; one that was watched and never seen to end has no times.
        """
        ends: dict[int, list[int]] = {}
        for life in self.story.lives:
            if life.rank is not None and life.role == "rank":
                ends.setdefault(life.rank, []).extend(() if life.end_ns is None else (life.end_ns,))
        for moment in self.story.moments:
            if moment.kind == "exit" and moment.rank is not None:
                ends.setdefault(moment.rank, []).append(moment.ts_ns)
        return {rank: sorted(times) for rank, times in ends.items()}

    def _phases(self) -> None:
        """A slice from the line that began a phase to the line that ended it, in the same source.

        A begin without an end stays an instant: a log that does not say "done" does not say "hung" either.
        """
        kinds = [str(kind) for pair in _PHASES.values() for kind in pair]
        marks = (
            lazy(self.evidence, "fact_events", "ts_ns", "node", "seq", "rank", "source", "kind")
            .filter(pl.col("ts_ns").is_not_null(), pl.col("kind").is_in(kinds))
            .sort("ts_ns", "node", "seq")
            .head(MOST_A_KIND)
            .collect()
        )
        end_of = {str(begin): str(end) for begin, end in _PHASES.values()}
        name_of = {str(end): name for name, (_, end) in _PHASES.items()}
        begun: dict[tuple[str, int | None, str | None, str], tuple[int, int]] = {}
        tracks: dict[tuple[str, int | None, str | None, str], int] = {}
        for row in marks.iter_rows(named=True):
            kind, node, rank = row["kind"], row["node"], row["rank"]
            if kind in end_of:
                begun[node, rank, row["source"], end_of[kind]] = (row["ts_ns"], row["seq"])
                continue
            key = (node, rank, row["source"], kind)
            begin = begun.pop(key, None)
            parent = self.rank_track.get(rank, self.node_track.get(node))
            if begin is None or parent is None:
                continue
            if key not in tracks:
                tracks[key] = self.trace.track(name_of[kind], parent, order=1)
            track = tracks[key]
            self.trace.begin(track, begin[0], name_of[kind], "phase", _row("fact_events", begin[1]))
            self.trace.end(track, row["ts_ns"])

    def _in_flight(self) -> None:
        """Calls that were entered and never returned from, on the clock of their node."""
        begin = pl.col("ts_ns") - pl.col("ts_mono_ns") + pl.col("since_mono_ns")
        calls = (
            lazy(
                self.evidence,
                "inflight_calls",
                *("ts_ns", "ts_mono_ns", "since_mono_ns", "node", "seq", "pid", "rank", "api", "comm", "coll_seq"),
                "seen_at",
            )
            .with_columns(begin_ns=begin)
            # What was seen open while the job ran may have returned later.
            .filter(pl.col("begin_ns").is_not_null() & pl.col("seen_at").ne_missing("tick"))
            .sort("begin_ns", "node", "seq")
            .collect()
        )
        for row in calls.iter_rows(named=True):
            parent = self.rank_track.get(row["rank"], self.node_track.get(row["node"]))
            if parent is None:
                continue
            track = self.trace.track("never returned", parent, order=0)
            args: Args = {"pid": row["pid"], "coll_seq": row["coll_seq"]}
            args |= {"comm": one_line(row["comm"] or ""), **_row("inflight_calls", row["seq"])}
            self.trace.begin(track, row["begin_ns"], one_line(row["api"] or "call"), "in_flight", args)

    def _moments(self) -> None:
        kernel: dict[str, int] = {}
        for moment in self.story.moments:
            if moment.kind == "scheduler":
                continue
            if moment.kind == "kernel" and moment.node in self.node_track:
                if moment.node not in kernel:
                    kernel[moment.node] = self.trace.track("kernel log", self.node_track[moment.node], order=3)
                track: int | None = kernel[moment.node]
            else:
                track = self._events(moment.node, moment.rank)
            if track is None:
                continue
            args: Args = {"text": moment.text, **_row(moment.table, moment.seq)}
            self.trace.instant(track, moment.ts_ns, one_line(moment.text, 80) or moment.kind, moment.kind, args)
        if self.story.untimed:
            self.notes.append(f"{self.story.untimed:,} events have no time and are not drawn")
        if self.story.left_out:
            self.notes.append(f"{self.story.left_out:,} events of lesser weight are not drawn")

    def _counters(self) -> None:
        for counter in _COUNTERS:
            readings = self._readings(counter)
            for series, part in readings.group_by("series", maintain_order=True):
                node, of = str(series[0]).split("\0", 1)
                if node not in self.node_track:
                    continue
                who = {"gpu_index": f"GPU {of} ", "cgroup": f"{one_line(of.rsplit('/', 1)[-1], 40)} "}.get(
                    counter.of, ""
                )
                order = 100 + (int(of) if of.isdecimal() else 0)
                track = self.trace.counter(f"{who}{counter.label}", self.node_track[node], counter.unit, order)
                for ts_ns, value in part.select("x", "y").iter_rows():
                    self.trace.count(track, ts_ns, value)

    def _readings(self, counter: _Counter) -> pl.DataFrame:
        of = pl.col(counter.of).cast(pl.String) if counter.of else pl.lit("")
        of = pl.coalesce(of, "gpu_uuid", pl.lit("?")) if counter.of == "gpu_index" else of.fill_null("?")
        readings = (
            self.evidence.scan(counter.table)
            .select(series=pl.col("node") + pl.lit("\0") + of, x="ts_ns", y=pl.col(counter.column).cast(pl.Float64))
            .drop_nulls()
        )
        total, low, high, series = (
            readings.select(
                total=pl.len(), low=pl.col("x").min(), high=pl.col("x").max(), series=pl.col("series").n_unique()
            )
            .collect()
            .row(0)
        )
        if total <= MOST_READINGS:
            return readings.sort("series", "x").collect()
        stretches = max(1, MOST_READINGS // (2 * series))
        width = -(-(high - low + 1) // stretches)
        self.notes.append(f"{counter.label}: least and greatest reading of every {duration(width)}")
        return extremes(readings, low, width).collect()

    # --- the verdict --------------------------------------------------------------------------------------------------
    def _verdict(self) -> None:
        self._about()
        verdict = self.verdict
        begin = verdict.first_failing.ts_ns
        args: Args = {"family": verdict.family, "confidence": verdict.confidence}
        args |= {"headline": one_line(verdict.headline), "next": one_line(verdict.next.action), **_timing(begin)}
        self.trace.instant(self.verdict_track, self._at(begin), summary.label(verdict), "verdict", args)
        self._chain()
        if verdict.shows:
            track = self.trace.track("claims", self.verdict_track, order=2)
            times = dict(self._claim_times())
            for claim in verdict.shows:
                self._claim(claim, track, times.get(claim.id))

    def _at(self, ts_ns: int | None) -> int:
        return self.origin if ts_ns is None else ts_ns

    def _about(self) -> None:
        verdict = self.verdict
        bounds = sorted(self.evidence.info.offline_bound_ns.items())
        widest = max((bound for _, bound in bounds if bound is not None), default=None)
        unbounded = hosts(node for node, bound in bounds if bound is None)
        args: Args = {
            "tool_version": verdict.tool_version,
            "content_digest": verdict.bundle.content_digest,
            "job_id": one_line(verdict.bundle.job_id or "not captured"),
            "clock": "UTC, nanoseconds, aligned across nodes",
            "clock_bound_ns": widest,
            "clock_not_bounded": unbounded or None,
            "simulated": verdict.bundle.simulated,
            "thinned": "; ".join(self.notes) or "nothing",
        }
        self.trace.instant(self.verdict_track, self.origin, "about this trace", "about", args)

    def _chain(self) -> None:
        """Every link on the track of the verdict, and once more where it happened, with arrows from one to the next."""
        timed = [link for link in self.verdict.chain if link.ts_ns is not None]
        if self.verdict.chain:
            track = self.trace.track("chain", self.verdict_track, order=1)
            for link in self.verdict.chain:
                label = f"{link.role}: {link.family}" if link.family else link.role
                args = {"text": one_line(link.text), "family": link.family, **_timing(link.ts_ns)}
                self.trace.instant(track, self._at(link.ts_ns), label, "chain", args)
        for index, link in enumerate(timed):
            home = self._events(link.node, link.rank) if link.node is not None else None
            self.trace.instant(
                self.verdict_track if home is None else home,
                self._at(link.ts_ns),
                one_line(f"{link.role}: {link.text}", 120),
                "verdict_here",
                {"text": one_line(link.text), "family": link.family},
                flow_to=index + 1 if index + 1 < len(timed) else None,
                flow_from=index if index else None,
            )

    def _claim(self, claim: Claim, track: int, ts_ns: int | None) -> None:
        families = [entry.family for entry in self.verdict.families if claim.id in entry.claims]
        args: Args = {"claim": claim.id, "families": " ".join(families) or None}
        args |= {"text": one_line(claim.text), "value": quantity(claim.value, claim.unit), "sql": one_line(claim.sql)}
        self.trace.instant(track, self._at(ts_ns), f"claim {claim.id}", "claim", {**args, **_timing(ts_ns)})

    def _claim_times(self) -> Iterator[tuple[str, int]]:
        """The time of the earliest row each claim rests on."""
        by_table: dict[str, list[tuple[str, str, int]]] = {}
        for claim in self.verdict.shows:
            for ref in claim.rows:
                by_table.setdefault(ref.table, []).append((claim.id, ref.node, ref.seq))
        found: dict[str, int] = {}
        for table, refs in sorted(by_table.items()):
            wanted = pl.DataFrame(refs, schema={"claim": pl.String, "node": pl.String, "seq": pl.Int64}, orient="row")
            cited = lazy(self.evidence, table, "node", "seq", "ts_ns").join(wanted.lazy(), on=["node", "seq"])
            for claim_id, ts_ns in cited.group_by("claim").agg(pl.col("ts_ns").min()).collect().iter_rows():
                if ts_ns is not None:
                    found[claim_id] = min(ts_ns, found.get(claim_id, ts_ns))
        yield from found.items()


def _row(table: str, seq: int) -> Args:
    """The row an event was read from, as arguments."""
    return {"table": table, "seq": seq}


def _timing(ts_ns: int | None) -> Args:
    return {"time": "not captured: drawn at the begin of the trace"} if ts_ns is None else {}

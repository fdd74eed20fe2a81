"""The evidence layer: typed questions over a store, and claims that carry their SQL, value and rows.

Families read evidence through here only. Every answer is in one fixed order (time, node, place in the source), so that
neither threads nor the order of files can change a verdict. Times are UTC nanoseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import polars as pl

from inquest.analyze import sql as _sql
from inquest.analyze.logs.contain import Troubles
from inquest.analyze.model import Claim, Coverage, RowRef, Value
from inquest.analyze.thresholds import THRESHOLDS
from inquest.bundle.errors import UsageError
from inquest.bundle.imports import _slurm_job as slurm_job
from inquest.bundle.imports.several_runs import OF_ANOTHER
from inquest.bundle.schema import BY_NAME, FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from inquest.analyze.model import RunName, Threshold
    from inquest.bundle.store import Store, StoreInfo

_Answer = TypeVar("_Answer")

literal = _sql.literal
"""Quote a value for SQL; text from evidence enters a statement in no other way."""

FACT_TABLES: Final = frozenset(table.name for table in FACTS)
ALL_TABLES: Final = frozenset(BY_NAME)
ROWS_CITED: Final = 8
"""Rows a claim names at most; its SQL finds the others."""

EXCERPT_CHARS: Final = 2000
"""Length of an excerpt, in characters."""

_DIGITS: Final[dict[str, int]] = {"ns": 0, "bytes": 0, "s": 3, "W": 3, "%": 2, "1/s": 3}
_DEFAULT_DIGITS: Final = 6

# Derived names of evidence, and the tables of which any one gives it. Facts parsed from logs count as well: a log may
# hold what the scheduler or the kernel printed (see ``Evidence.has``).
_DERIVED: Final[dict[str, tuple[str, ...]]] = {
    "logs": ("log_lines",),
    "exits": ("fact_exits",),
    "steps": ("fact_steps",),
    "scheduler": ("slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes"),
    "kernel": ("kernel_log",),
    "gpus": ("gpu_samples", "gpu_events"),
    "clocks": ("gpu_samples", "metrics"),
    "host": ("host_samples", "cgroup_samples"),
}
_WATCHED: Final = frozenset(
    {"kernel_log", "gpu_events", "gpu_processes", "processes", "cgroup_samples", "net_samples", "disk_samples"}
)
"""Tables whose emptiness is an observation, where a collector watched. An empty log is none: it proves no health."""
_LOOKED: Final = frozenset({"ok", "empty"})
_OF_THE_PLATFORM: Final = r"^(?:kubernetes|docker): "
_SEVERITY: Final = ("empty", "ok", "truncated", "missing", "denied", "timed_out", "failed", "unknown")
"""Outcomes of collectors, the worst last."""
_LATE_NS: Final = 10_000_000_000
"""How late a recorder may begin on a busy node and still have seen the run."""
_EARLY_NS: Final = 2_000_000_000
"""How long before the end its last look may lie: two ticks."""
_SOON_NS: Final = 10_000_000_000
_VALUES_CITED: Final = 32
"""Values a claim names at most of one fact that a tracker's values make up."""
_ONE_STEP_NS: Final = 1_000_000_000
"""How far apart a tracker may note the metrics of one step."""
_TOLD_BY: Final[dict[str, tuple[str, ...]]] = {
    "scheduler": ("slurm", "lsf", "pbs", "kube", "batch"),
    "kernel": ("kernel",),
}
"""Frameworks of the registry whose words in a log are such evidence."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """Columns of a table of facts that hold steps, and columns that repeat a value."""

    steps: tuple[str, ...]
    values: tuple[str, ...]


_TRACKED: Final[dict[str, _Columns]] = {
    "fact_steps": _Columns(("step",), ("loss", "eval_loss", "grad_norm")),
    "fact_attempts": _Columns(("first_step", "last_step"), ()),
    "fact_events": _Columns((), ("num",)),
    "fact_exits": _Columns((), ("exit_code",)),
}
"""Tables of facts that trackers' values make up."""


@dataclass(frozen=True, slots=True)
class _Tracked:
    """A fact that trackers' values made up: its source (a file, or a folder of them), and what tells these values."""

    source: str
    steps: frozenset[int]
    values: frozenset[float]
    span_ns: tuple[int | None, int | None]

    def made_of(self, source: str, step: int | None, value: float | None, ts_ns: int | None) -> bool:
        """Whether a value that a tracker noted is part of the fact, or a copy of one that is."""
        began, ended = self.span_ns
        # A tracker notes the metrics of one step one after the other; the last one gives the fact its time.
        if ts_ns is not None and began is not None and ended is not None:
            near = began - _ONE_STEP_NS <= ts_ns <= ended + _ONE_STEP_NS
        else:
            near = True
        broken = value is not None and value != value
        of_step = step in self.steps
        of_value = any(told != told for told in self.values) if broken else value in self.values
        ours = self.source == "." or source == self.source or source.startswith(f"{self.source}/")
        return near and ((of_step or of_value) if ours else (of_step and of_value))


class Evidence:
    """All that is known about one run.

    Args:
        store: The recorded tables.
        facts: Fact tables worked out beforehand (tests); default: stage 1 over ``store``, at the first question.
        strict: Let a fault of a parser surface as an exception (tests) instead of as a warning.
        name: Whose evidence it is; claims made here say so.
        others: Evidence of the runs this one is held against, by that name.
    """

    def __init__(
        self,
        store: Store,
        facts: Mapping[str, pl.DataFrame] | None = None,
        *,
        strict: bool = False,
        name: RunName = "run",
        others: Iterable[Evidence] = (),
    ) -> None:
        self.store = store
        self.name: RunName = name
        self._others: dict[RunName, Evidence] = {other.name: other for other in others}
        self._troubles = Troubles(strict=strict)
        self._facts: dict[str, pl.DataFrame] = {}
        self._thresholds: dict[str, Threshold] = {}
        self._answers: dict[tuple[object, ...], object] = {}
        if facts is not None:
            self._facts = {name: _ordered(name, facts.get(name)) for name in FACT_TABLES}

    # --- tables ---------------------------------------------------------------------------------------------------
    @property
    def info(self) -> StoreInfo:
        """What the store is about."""
        return self.store.info

    def other(self, name: RunName) -> Evidence | None:
        """Evidence of the run called ``name`` ("parent", "baseline"); None where it was not given."""
        return self if name == self.name else self._others.get(name)

    def about(self, claim: Claim) -> Evidence:
        """The evidence a claim is about.

        Raises:
            UsageError: It is about another run, which was not given.
        """
        found = self.other(claim.of)
        if found is None:
            raise UsageError(f"claim {claim.id} is about the {claim.of} of this run: give its bundle with --{claim.of}")
        return found

    def has(self, name: str) -> bool:
        """True when there is evidence called ``name``: rows of a table, or a derived name of ``families/base.py``.

        "scheduler" and "kernel" are also there when a log quotes them. Nothing found by a collector that watched the
        whole run is evidence as well: an empty kernel log says that the kernel said nothing.
        """
        if name not in _DERIVED and name not in ALL_TABLES:
            raise KeyError(f"no evidence is called {name!r}")
        if any(self._has_rows(table) or self._looked(table) for table in _DERIVED.get(name, (name,))):
            return True
        tellers = _TOLD_BY.get(name, ())
        return bool(tellers) and bool(self.facts("fact_events")["framework"].is_in(tellers).any())

    def job_spoke(self) -> bool:
        """Whether any output of the job itself was kept: what a platform tells of its containers is not its word.

        Imports write that down as log lines, too (bundle/imports/containers.py).
        """
        if not self.has("logs"):
            return False
        if not self.has("log_lines"):
            return True
        own = self.scan("log_lines").filter(~pl.col("text").fill_null("").str.contains(_OF_THE_PLATFORM))
        return not own.head(1).collect().is_empty()

    def facts(self, table: str) -> pl.DataFrame:
        """One of the ``fact_*`` tables, in order, whole."""
        if table not in FACT_TABLES:
            raise KeyError(f"{table!r} is not a table of facts")
        if table not in self._facts:
            from inquest.analyze.facts import logged_facts, windows

            if table == "fact_windows":
                self._facts[table] = _ordered(table, windows(self.store))
            else:
                for name, frame in logged_facts(self.store, self._troubles).items():
                    self._facts[name] = _ordered(name, frame)
        return self._facts[table]

    def once(self, key: tuple[object, ...], make: Callable[[], _Answer]) -> _Answer:
        """What several families ask of the samples: worked out when first asked, then kept under ``key``."""
        if key not in self._answers:
            self._answers[key] = make()
        return cast("_Answer", self._answers[key])

    @property
    def troubles(self) -> tuple[str, ...]:
        """Faults of ours in reading the evidence, each a sentence."""
        return self._troubles.told

    @property
    def misread(self) -> bool:
        """Whether a fault of ours kept some of the evidence from being read: what was not read may say otherwise."""
        return self._troubles.faulty

    def scan(self, table: str) -> pl.LazyFrame:
        """Any table as a lazy frame, with the ``ts`` view of ``ts_ns``; large ones are never loaded whole."""
        if table in FACT_TABLES:
            return self.facts(table).lazy().with_columns(pl.col("ts_ns").cast(pl.Datetime("ns", "UTC")).alias("ts"))
        return self.store.scan(table)

    def frame(self, table: str) -> pl.DataFrame:
        """A small table, whole and in order."""
        if table in FACT_TABLES:
            return self.facts(table)
        order = ["ts_ns", "node", "capture", "seq"]
        return self.store.scan(table).sort(order, nulls_last=False, maintain_order=True).collect()

    def sql(self, query: str, *, row_limit: int = _sql.ROW_LIMIT, seconds: float | None = None) -> pl.DataFrame:
        """Rows of one SELECT over the tables, through the allow-list.

        Raises:
            QueryRefused: See ``sql.run``.
        """
        return _sql.run(query, self.scan, tables=ALL_TABLES, row_limit=row_limit, seconds=seconds)

    def threshold(self, name: str) -> float:
        """Value of a row of ``thresholds.py``, remembered as used; KeyError when there is none."""
        self._thresholds[name] = THRESHOLDS[name]
        return THRESHOLDS[name].value

    @property
    def thresholds_used(self) -> tuple[Threshold, ...]:
        """Thresholds that were asked for, by name."""
        return tuple(self._thresholds[name] for name in sorted(self._thresholds))

    # --- claims ---------------------------------------------------------------------------------------------------
    def value(self, query: str, unit: str = "") -> Value:
        """First column of the first row of ``query``, rounded to the digits of ``unit``; None for no row."""
        frame = self.sql(query, row_limit=1)
        return rounded(frame.row(0)[0], unit) if frame.height and frame.width else None

    def claim(
        self,
        *,
        id: str,
        text: str,
        sql: str,
        unit: str = "",
        table: str,
        rows: Iterable[RowRef] = (),
        excerpt: str = "",
        known: Value = None,
    ) -> Claim:
        """Run ``sql`` and state what it gave.

        Args:
            id: Any name unique within the family; the engine gives the final one.
            text: The statement; ``{value}`` in it becomes the value.
            sql: One SELECT of one row; its first column is the value. Quote text with ``literal``.
            unit: Unit of the value, as in the schema ("ns", "bytes", "s", ...), or what is counted ("lines").
            table: Table the claim is about.
            rows: Rows it rests on; at most ``ROWS_CITED`` are kept.
            excerpt: Text from the evidence, shown as data.
            known: What ``sql`` gives, where a pass over the same rows has told it; then it is not run.

        Raises:
            QueryRefused: The SQL is wrong: a bug of the family.
        """
        value = self.value(sql, unit) if known is None else rounded(known, unit)
        return Claim(
            id=id,
            text=text.replace("{value}", shown(value)),
            sql=sql,
            value=value,
            unit=unit,
            table=table,
            rows=tuple(dict.fromkeys(rows))[:ROWS_CITED],
            excerpt=cut(excerpt),
            of=self.name,
        )

    def with_lines(self, claims: Iterable[Claim]) -> tuple[Claim, ...]:
        """``claims``, whose rows name besides each fact the recorded row or line it was read from."""
        claims = tuple(claims)
        lines: dict[tuple[RunName, RowRef], tuple[RowRef, ...]] = {}
        for whose in (self, *self._others.values()):
            facts = {row for c in claims if c.of == whose.name for row in c.rows if row.table in FACT_TABLES}
            single = whose._lines(facts) | whose._told_rows(facts)
            lines |= {(whose.name, row): found for row, found in whose._noted(facts).items()}
            lines |= {(whose.name, row): (found,) for row, found in single.items()}
        return tuple(
            replace(
                claim,
                rows=tuple(
                    dict.fromkeys(
                        (*claim.rows, *(line for row in claim.rows for line in lines.get((claim.of, row), ())))
                    )
                ),
            )
            for claim in claims
        )

    def _told_rows(self, facts: set[RowRef]) -> dict[RowRef, RowRef]:
        """The recorded row of each fact that was read from one of a table, not from text."""
        found: dict[RowRef, RowRef] = {}
        for table in sorted({row.table for row in facts} & {"fact_events", "fact_exits"}):
            mine = {(row.node, row.seq): row for row in facts if row.table == table}
            told = self.facts(table).filter(pl.col("seq").is_in([seq for _, seq in mine])).drop_nulls("row_seq")
            for node, seq, *row in told.select("node", "seq", "row_table", "row_seq", "row_capture").iter_rows():
                if (node, seq) in mine:
                    found[mine[node, seq]] = RowRef(row[0], node, row[1], row[2])
        return found

    def _noted(self, facts: set[RowRef]) -> dict[RowRef, tuple[RowRef, ...]]:
        """The values a tracker noted of which a fact was made: those of its steps, else those that it repeats."""
        wanted = self._tracked(facts) if self._has_rows("metrics") else {}
        if not wanted:
            return {}
        steps = sorted({step for item in wanted.values() for step in item.steps})
        values = sorted({value for item in wanted.values() for value in item.values})
        near = pl.col("step").is_in(steps) | pl.col("value").is_in(values)
        columns = ("node", "capture", "seq", "source", "step", "value", "ts_ns")
        noted = self.store.scan("metrics").filter(near).select(columns).sort("node", "capture", "seq").collect()
        found: dict[RowRef, tuple[RowRef, ...]] = {}
        for ref, item in wanted.items():
            mine = [
                RowRef("metrics", node, seq, capture)
                for node, capture, seq, source, step, value, ts_ns in noted.iter_rows()
                if item.made_of(source or "", step, value, ts_ns)
            ]
            found[ref] = tuple(mine[:_VALUES_CITED])
        return found

    def _tracked(self, facts: set[RowRef]) -> dict[RowRef, _Tracked]:
        """What tells the values of facts that a tracker's files gave."""
        wanted: dict[RowRef, _Tracked] = {}
        for table in sorted({row.table for row in facts} & _TRACKED.keys()):
            columns = _TRACKED[table]
            mine = {(row.node, row.seq): row for row in facts if row.table == table}
            frame = self.facts(table).filter(pl.col("seq").is_in([seq for _, seq in mine]))
            for row in frame.iter_rows(named=True):
                ref = mine.get((row["node"], row["seq"]))
                if ref is None or row.get("line_seq", row.get("first_line_seq")) is not None:
                    continue
                steps = frozenset(int(row[name]) for name in columns.steps if row[name] is not None)
                values = frozenset(float(row[name]) for name in columns.values if row[name] is not None)
                span = row["ts_ns"], row.get("end_ns", row["ts_ns"])
                wanted[ref] = _Tracked(row["source"] or "", steps, values, span)
        return wanted

    def _lines(self, facts: set[RowRef]) -> dict[RowRef, RowRef]:
        """The line of each fact that has one; none where recordings of a node leave it in doubt."""
        wanted: dict[tuple[str, str, int], list[tuple[RowRef, int | None]]] = {}
        for table in sorted({row.table for row in facts} - {"fact_windows"}):
            mine = {(row.node, row.seq): row for row in facts if row.table == table}
            frame = self.facts(table)
            if "line_seq" not in frame.columns:
                continue
            near = frame.filter(pl.col("seq").is_in([seq for _, seq in mine]) & pl.col("line_seq").is_not_null())
            for node, seq, ts_ns, source, line in near.select("node", "seq", "ts_ns", "source", "line_seq").iter_rows():
                if (node, seq) in mine:
                    raw = "kernel_log" if source == "kernel_log" else "log_lines"
                    wanted.setdefault((raw, node, line), []).append((mine[node, seq], ts_ns))
        found: dict[RowRef, RowRef] = {}
        for raw in sorted({raw for raw, _, _ in wanted}):
            seqs = [line for table, _, line in wanted if table == raw]
            scan = self.store.scan(raw).filter(pl.col("seq").is_in(seqs)).select("node", "seq", "capture", "ts_ns")
            captures: dict[tuple[str, int], list[tuple[str, int | None]]] = {}
            for node, seq, capture, ts_ns in scan.collect().iter_rows():
                captures.setdefault((node, seq), []).append((capture, ts_ns))
            for (table, node, line), refs in wanted.items():
                for ref, ts_ns in refs if table == raw else ():
                    held = captures.get((node, line), [])
                    told = held if len(held) == 1 else [item for item in held if item[1] == ts_ns]
                    if len(told) == 1:
                        found[ref] = RowRef(raw, node, line, told[0][0])
        return found

    def rows(
        self, table: str, where: str = "TRUE", limit: int = ROWS_CITED, *, since_ns: int | None = None
    ) -> tuple[RowRef, ...]:
        """References to the earliest rows of ``table`` that match the SQL condition ``where``.

        Where none of them is earlier than ``since_ns``, the first seconds after it are looked at first: of a day of
        samples little is then read.
        """
        soon = () if since_ns is None else (f"({where}) AND ts_ns <= {since_ns + _SOON_NS}",)
        for condition in (*soon, where):
            found = self._earliest(table, condition, limit)
            if len(found) == limit:
                break
        return found

    def _earliest(self, table: str, where: str, limit: int) -> tuple[RowRef, ...]:
        capture = "'' AS capture" if table in FACT_TABLES else "capture"
        found = self.sql(
            f"SELECT node, {capture}, seq FROM {table} WHERE {where} ORDER BY ts_ns NULLS FIRST, node, seq",
            row_limit=limit,
        )
        return tuple(RowRef(table, node, seq, capture) for node, capture, seq in found.iter_rows())

    # --- progress -------------------------------------------------------------------------------------------------
    def first_progress_ns(self) -> int | None:
        """When training progress was first reported."""
        return _int(self.facts("fact_steps")["ts_ns"].min())

    def last_progress_ns(self) -> int | None:
        """When training progress was last reported."""
        return _int(self.facts("fact_steps")["ts_ns"].max())

    # --- the run --------------------------------------------------------------------------------------------------
    @cached_property
    def _ranks(self) -> tuple[int, ...]:
        found: set[int] = set()
        for table in ("fact_events", "fact_steps", "fact_exceptions", "fact_exits"):
            found.update(self.facts(table)["rank"].drop_nulls().unique().to_list())
        for table in ("processes", "log_lines", "nccl_comms", "flight_recorder", "metrics"):
            if self._has_rows(table):
                found.update(self.store.scan(table).select(pl.col("rank").unique()).collect()["rank"].drop_nulls())
        return tuple(sorted(found))

    def ranks(self) -> tuple[int, ...]:
        """Ranks that left a trace."""
        return self._ranks

    def nodes(self) -> tuple[str, ...]:
        """Nodes that left a trace, sorted."""
        return tuple(sorted(self.info.nodes))

    @cached_property
    def _places(self) -> dict[int, str]:
        places: dict[int, str] = {}
        frames = [self.facts(table).select("rank", "node") for table in ("fact_steps", "fact_exceptions")]
        if self._has_rows("processes"):
            frames.insert(0, self.store.scan("processes").select("rank", "node").collect())
        frames += [
            self.store.scan(table).select("rank", "node").unique().collect()
            for table in ("nccl_comms", "flight_recorder")
            if self._has_rows(table)
        ]
        for frame in frames:
            known = frame.drop_nulls().unique().sort("rank", "node")
            for rank, node in known.iter_rows():
                places.setdefault(rank, node)
        return places

    def node_of(self, rank: int | None) -> str | None:
        """Node a rank ran on."""
        return None if rank is None else self._places.get(rank)

    def world_size(self) -> int | None:
        """Ranks the job was started with, as its environment said; None when that was not captured."""
        return _int(self.store.scan("processes").select(pl.col("world_size").max()).collect().item())

    def jobs_in_doubt(self) -> bool:
        """Whether accounting tells of several jobs, and nobody says which of them this run was."""
        if self.info.job_id is not None or not self.has("slurm_jobs"):
            return False
        told = self.scan("slurm_jobs").select("job_id").drop_nulls().unique().collect()["job_id"]
        return len({slurm_job.whole(str(job)) for job in told}) > 1

    def run_chosen(self) -> str | None:
        """The run that was read of several whose files lay beside each other; None where there was one."""
        if "artifacts" not in self.store.tables():
            return None
        reasons = self.store.scan("artifacts").select("reason").drop_nulls().unique().collect()["reason"]
        told = {found[1] for reason in reasons if (found := OF_ANOTHER.search(reason))}
        return told.pop() if len(told) == 1 else None

    def start_ns(self) -> int | None:
        """First instant of the evidence."""
        return self.info.start_ns

    def end_ns(self) -> int | None:
        """When the run ended: when the last of its tasks did, else by accounting, else the evidence's last instant."""
        tasks = self.facts("fact_exits").filter(pl.col("role") == "task")
        end = _int(tasks["ts_ns"].max())
        return end if end is not None else self._accounted_end_ns() or self.info.end_ns

    def _accounted_end_ns(self) -> int | None:
        """When the scheduler ended the last run; None where it does not say, or by a clock that is not the evidence's.

        Telemetry goes on for as long as somebody asked for it.
        """
        if self.info.start_ns is None or self.info.end_ns is None or not self.has("slurm_jobs"):
            return None
        runs = self.scan("slurm_jobs").filter(pl.col("start_ns").is_not_null())
        ends = runs.sort("start_ns", "seq").select("end_ns").tail(1).collect()["end_ns"]
        last = ends[0] if len(ends) else None
        return last if last is not None and self.info.start_ns < last < self.info.end_ns else None

    # --- clocks ---------------------------------------------------------------------------------------------------
    def before(self, a_ns: int | None, node_a: str | None, b_ns: int | None, node_b: str | None) -> bool | None:
        """True when a was before b, False when b was before a, None when the clocks cannot tell.

        On one node any difference counts; between nodes only one greater than `apart_ns`.
        """
        if a_ns is None or b_ns is None or a_ns == b_ns:
            return None
        if node_a != node_b:
            apart = self.apart_ns(a_ns, node_a, b_ns, node_b)
            if apart is None or abs(a_ns - b_ns) <= apart:
                return None
        return a_ns < b_ns

    def apart_ns(self, a_ns: int, node_a: str | None, b_ns: int, node_b: str | None) -> int | None:
        """What the time between an instant of one node and one of another may be wrong by; None: not bounded.

        Nodes that were aligned to each other are compared on their common clock, whatever both are off UTC; others
        only through UTC, where the error of both is known.
        """
        a, b = (self._bounds(node, ts_ns) for node, ts_ns in ((node_a, a_ns), (node_b, b_ns)))
        return min((a[reference] + b[reference] for reference in a.keys() & b.keys()), default=None)

    def _bounds(self, node: str | None, ts_ns: int) -> dict[str, int]:
        """What an instant of ``node`` may be wrong by, for each reference that all clocks of the node have."""
        holding = []
        for pieces in self._clocks.get(node or "", {}).values():
            begun = [bounds for begin, bounds in pieces if begin is None or begin <= ts_ns]
            holding.append(begun[-1] if begun else pieces[0][1])
        common = set.intersection(*(set(bounds) for bounds in holding)) if holding else set()
        return {reference: max(bounds[reference] for bounds in holding) for reference in common}

    @cached_property
    def _clocks(self) -> dict[str, dict[str | None, list[tuple[int | None, dict[str, int]]]]]:
        """For each node and boot the pieces of its alignment: when each begins in UTC, and its bound by reference."""
        found: dict[str, dict[str | None, list[tuple[int | None, dict[str, int]]]]] = {}
        rows = self.store.scan("clock_alignment").filter(pl.col("count").is_null()).sort("node", "boot_id", "seq")
        for row in rows.collect().iter_rows(named=True):
            bounds = {"utc": row["utc_bound_ns"], row["reference"] or "utc": row["bound_ns"]}
            begin = None if row["offset_ns"] is None else (row["from_mono_ns"] or 0) + row["offset_ns"]
            stated = {reference: bound for reference, bound in bounds.items() if bound is not None}
            found.setdefault(row["node"], {}).setdefault(row["boot_id"], []).append((begin, stated))
        return found

    def bound_ns(self, node: str | None) -> int | None:
        """Half width of what an instant of ``node`` may be wrong by; None: not bounded.

        It is relative to the clock that the node shares with those it was aligned to, else to UTC; to compare two
        nodes, ask `apart_ns`.
        """
        return None if node is None else self.info.offline_bound_ns.get(node)

    # --- coverage -------------------------------------------------------------------------------------------------
    @cached_property
    def _coverage(self) -> tuple[Coverage, ...]:
        return covered(self.store.scan("collection"))

    def coverage(self) -> tuple[Coverage, ...]:
        """What each collector saw on each node, one entry for both; times are aligned UTC."""
        return self._coverage

    @cached_property
    def _fillers(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Collectors, and the tables each fills."""
        named = self.store.scan("collection").select("collector", "tables").unique().sort("collector", "tables")
        return tuple((name or "", frozenset((tables or "").split(","))) for name, tables in named.collect().iter_rows())

    def _looked(self, table: str) -> bool:
        """True when on every node a collector watched for rows of ``table`` over the whole run and lost none."""
        if table not in _WATCHED:
            return False
        watchers = {name for name, tables in self._fillers if table in tables}
        seen = {entry.node for entry in self._coverage if entry.collector in watchers and self._whole(entry)}
        return bool(seen) and seen.issuperset((*self.info.nodes, *self.info.missing_nodes))

    def _whole(self, entry: Coverage) -> bool:
        if entry.outcome not in _LOOKED or entry.drops or entry.from_ns is None or entry.to_ns is None:
            return False
        began, ended = self._span
        return (began is None or entry.from_ns <= began + _LATE_NS) and (
            ended is None or entry.to_ns >= ended - _EARLY_NS
        )

    @cached_property
    def _span(self) -> tuple[int | None, int | None]:
        """When the first task of the job began and the last one ended, as the wrappers saw it."""
        tasks = self.store.scan("processes").filter(pl.col("role") == "task").select("event", "ts_ns").collect()
        began, ended = (tasks.filter(pl.col("event") == event)["ts_ns"] for event in ("start", "exit"))
        return _int(began.min()), _int(ended.max())

    def why_absent(self, name: str) -> str:
        """Why evidence ``name`` is not there, as the collectors said; empty when none of them said anything."""
        wanted = set(_DERIVED.get(name, (name,)))
        watchers = {collector for collector, tables in self._fillers if wanted & tables}
        entries = [entry for entry in self._coverage if entry.collector in watchers and not self._whole(entry)]
        told = [entry for entry in entries if wanted & _WATCHED or entry.outcome not in _LOOKED]
        return "; ".join(sorted({_shortfall(entry) for entry in told}))

    def _has_rows(self, table: str) -> bool:
        if table in FACT_TABLES:
            return self.facts(table).height > 0
        return table in self._recorded

    @cached_property
    def _recorded(self) -> frozenset[str]:
        return frozenset(self.store.tables())


def covered(collection: pl.LazyFrame) -> tuple[Coverage, ...]:
    """One entry a collector and node, by name.

    Rows that one collector wrote in the course of one recording are states of one attempt: the last one counts. Of
    several recordings the worst outcome is stated, with its detail; rows and drops add up.
    """
    lane = ["collector", "node", "capture", "boot_id", pl.coalesce("from_mono_ns", -1 - pl.col("seq")).alias("lane")]
    attempts = (
        collection.sort("ts_mono_ns", "seq", nulls_last=False)
        .group_by(lane, maintain_order=True)
        .agg(
            (pl.col("ts_ns") - pl.col("ts_mono_ns") + pl.col("from_mono_ns")).first().alias("from_ns"),
            (pl.col("ts_ns") - pl.col("ts_mono_ns") + pl.col("to_mono_ns")).last().alias("to_ns"),
            pl.col("outcome").last().fill_null("unknown"),
            pl.col("rows", "drops", "detail").last(),
        )
        .with_columns(
            worst=pl.col("outcome").replace_strict(list(_SEVERITY), range(len(_SEVERITY)), default=len(_SEVERITY))
        )
        .sort("worst", pl.col("detail").is_null(), "capture", "lane", descending=[True, False, False, False])
    )
    frame = (
        attempts.group_by("collector", "node", maintain_order=True)
        .agg(
            pl.col("outcome", "detail").first(),
            pl.col("from_ns").min(),
            pl.col("to_ns").max(),
            *(pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name) for name in ("rows", "drops")),
        )
        .sort("collector", "node")
        .select("collector", "node", "outcome", "from_ns", "to_ns", "rows", "drops", "detail")
        .collect()
    )
    return tuple(
        Coverage(collector or "", node, outcome, start, end, rows, drops, detail or "")
        for collector, node, outcome, start, end, rows, drops, detail in frame.iter_rows()
    )


def _shortfall(entry: Coverage) -> str:
    if entry.outcome in _LOOKED:
        return f"{entry.collector}: {'lost rows' if entry.drops else 'did not watch the whole run'}"
    return f"{entry.collector}: {entry.outcome}" + (f" ({entry.detail})" if entry.detail else "")


def same_stream(row: Mapping[str, Any]) -> pl.Expr:
    """Rows of the node and the source, a file or a stream, of a row of facts; where it has none, those without."""
    source = pl.lit(row.get("source"), dtype=pl.String)
    return pl.col("node").eq(pl.lit(row["node"])) & pl.col("source").eq_missing(source)


def rounded(value: object, unit: str) -> Value:
    """``value`` at the digits its unit declares, so that the order of a float sum cannot show.

    Below 1, digits count from the first one that is not zero (a learning rate stays one).
    """
    if isinstance(value, float):
        digits = _DIGITS.get(unit, _DEFAULT_DIGITS)
        if value != value or abs(value) == float("inf"):
            return str(value)
        if value.is_integer() and abs(value) < 2**53:
            return int(value) if digits == 0 else value
        return round(value, digits) if abs(value) >= 1 else float(f"{value:.{max(digits, 1)}g}")
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def shown(value: Value) -> str:
    """A value as text for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nothing" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def cut(text: str) -> str:
    """``text``, or its head and tail when it is longer than an excerpt may be."""
    if len(text) <= EXCERPT_CHARS:
        return text
    half = EXCERPT_CHARS // 2
    return f"{text[:half]}\n[...]\n{text[-half:]}"


def _ordered(table: str, frame: pl.DataFrame | None) -> pl.DataFrame:
    """``frame`` with every column of the schema, rows in the one order of facts."""
    from inquest.bundle.scan import stored_schema

    schema = stored_schema(table)
    if frame is None:
        return pl.DataFrame(schema=schema)
    full = frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in schema.items()
    )
    # A line before the first clock of its log has no time: it is early, not late.
    return full.sort("ts_ns", "node", "seq", nulls_last=False, maintain_order=True)


def _int(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None

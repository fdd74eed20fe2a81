"""The evidence layer: typed questions over a store, and claims that carry their SQL, value and rows.

Families read evidence through here only. Every answer is in one fixed order (time, node, place in the source), so that
neither threads nor the order of files can change a verdict. Times are UTC nanoseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import polars as pl

from inquest.analyze import sql as _sql
from inquest.analyze.model import Claim, Coverage, RowRef, Value
from inquest.analyze.thresholds import THRESHOLDS
from inquest.bundle.schema import BY_NAME, FACTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from inquest.analyze.model import Threshold
    from inquest.bundle.store import Store, StoreInfo

literal = _sql.literal
"""Quote a value for SQL; text from evidence enters a statement in no other way."""

FACT_TABLES: Final = frozenset(table.name for table in FACTS)
ALL_TABLES: Final = frozenset(BY_NAME)
ROWS_CITED: Final = 8
"""Rows a claim names at most; its SQL finds the others."""

EXCERPT_CHARS: Final = 2000
"""Length of an excerpt, in characters."""

_UNKNOWN_TIME: Final = 2**63 - 1
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
    "host": ("host_samples", "cgroup_samples"),
}
_TOLD_BY: Final[dict[str, str]] = {"scheduler": "slurm", "kernel": "kernel"}


class _HasRef(Protocol):
    @property
    def ref(self) -> RowRef: ...


@dataclass(frozen=True, slots=True)
class Event:
    """One row of ``fact_events``."""

    node: str
    seq: int
    ts_ns: int | None
    rank: int | None
    attempt: int | None
    pattern: str
    kind: str
    role: str
    framework: str | None
    subject: str | None
    num: float | None
    num_unit: str | None
    source: str | None
    line_seq: int | None
    text: str

    @property
    def ref(self) -> RowRef:
        """The row itself."""
        return RowRef("fact_events", self.node, self.seq)


@dataclass(frozen=True, slots=True)
class Raised:
    """One row of ``fact_exceptions``; ``chain_index`` 0 is the root cause of its traceback."""

    node: str
    seq: int
    ts_ns: int | None
    rank: int | None
    attempt: int | None
    group: int | None
    chain_index: int | None
    exc_type: str
    message: str
    frame_file: str | None
    frame_function: str | None
    user_frame: str | None
    frames: str | None
    fatal: bool | None
    signature: str | None
    source: str | None
    line_seq: int | None
    line_seq_last: int | None

    @property
    def ref(self) -> RowRef:
        """The row itself."""
        return RowRef("fact_exceptions", self.node, self.seq)


@dataclass(frozen=True, slots=True)
class Exit:
    """One row of ``fact_exits``: how a process ended, and who said so."""

    node: str
    seq: int
    ts_ns: int | None
    rank: int | None
    attempt: int | None
    role: str | None
    said_by: str
    pid: int | None
    local_rank: int | None
    host: str | None
    exit_code: int | None
    term_signal: int | None
    first_failure: bool | None
    source: str | None
    line_seq: int | None
    text: str | None

    @property
    def ref(self) -> RowRef:
        """The row itself."""
        return RowRef("fact_exits", self.node, self.seq)

    @property
    def failed(self) -> bool:
        """True for a signal or an exit code other than 0."""
        return self.term_signal is not None or bool(self.exit_code)

    @property
    def signal(self) -> int | None:
        """Signal that ended the process: as reported, or as a shell words it (exit code 128 + n)."""
        if self.term_signal is not None:
            return self.term_signal
        if self.exit_code is not None and 128 < self.exit_code <= 128 + 64:
            return self.exit_code - 128
        return None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of the job within its sources: a restart in the same file begins another."""

    attempt: int
    start_ns: int | None
    end_ns: int | None
    first_step: int | None
    last_step: int | None
    began_by: str | None


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How the run ended, as far as anyone said.

    ``exits`` are the ends of the outermost processes known (wrapped tasks, else what a scheduler or the user said, else
    launchers), ``said_by`` who told, ``state`` the scheduler's last word on the job.
    """

    exits: tuple[Exit, ...]
    exit_code: int | None
    term_signal: int | None
    ts_ns: int | None
    said_by: tuple[str, ...]
    state: str | None

    @property
    def known(self) -> bool:
        """True when an exit status or a final state was told."""
        return bool(self.exits) or self.state is not None

    @property
    def clean(self) -> bool | None:
        """True: every task exited 0, or the scheduler says COMPLETED. None: nobody told."""
        if self.exits:
            return not any(item.failed for item in self.exits)
        return None if self.state is None else self.state == "COMPLETED"

    @property
    def signal(self) -> int | None:
        """Signal that ended the run: as reported, or as a shell words it (exit code 128 + n)."""
        return next((item.signal for item in self.exits if item.signal is not None), self.term_signal)


@dataclass(frozen=True, slots=True)
class Failure:
    """The first thing that went wrong: an exception, an exit or an event, with its row."""

    what: Raised | Exit | Event
    rank: int | None
    node: str
    pid: int | None
    ts_ns: int | None

    @property
    def ref(self) -> RowRef:
        """The row it was read from."""
        return self.what.ref


_Row = TypeVar("_Row", Event, Raised, Exit)


class Evidence:
    """All that is known about one run.

    Args:
        store: The recorded tables.
        facts: Fact tables worked out beforehand (tests); default: stage 1 over ``store``, at the first question.
    """

    def __init__(self, store: Store, facts: Mapping[str, pl.DataFrame] | None = None) -> None:
        self.store = store
        self._facts: dict[str, pl.DataFrame] = {}
        self._thresholds: dict[str, Threshold] = {}
        if facts is not None:
            self._facts = {name: _ordered(name, facts.get(name)) for name in FACT_TABLES}

    # --- tables ---------------------------------------------------------------------------------------------------
    @property
    def info(self) -> StoreInfo:
        """What the store is about."""
        return self.store.info

    def has(self, name: str) -> bool:
        """True when there is evidence called ``name``: rows of a table, or a derived name of ``families/base.py``.

        "scheduler" and "kernel" are also there when a log quotes them.
        """
        if name not in _DERIVED:
            if name not in ALL_TABLES:
                raise KeyError(f"no evidence is called {name!r}")
            return self._has_rows(name)
        if any(self._has_rows(table) for table in _DERIVED[name]):
            return True
        teller = _TOLD_BY.get(name)
        return teller is not None and bool((self.facts("fact_events")["framework"] == teller).any())

    def facts(self, table: str) -> pl.DataFrame:
        """One of the ``fact_*`` tables, in order, whole."""
        if table not in FACT_TABLES:
            raise KeyError(f"{table!r} is not a table of facts")
        if table not in self._facts:
            from inquest.analyze.facts import logged_facts, windows

            if table == "fact_windows":
                self._facts[table] = _ordered(table, windows(self.store))
            else:
                for name, frame in logged_facts(self.store).items():
                    self._facts[name] = _ordered(name, frame)
        return self._facts[table]

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
        return self.store.scan(table).sort(order, nulls_last=True, maintain_order=True).collect()

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
        rows: Iterable[RowRef | _HasRef] = (),
        excerpt: str = "",
    ) -> Claim:
        """Run ``sql`` and state what it gave.

        Args:
            id: Any name unique within the family; the engine gives the final one.
            text: The statement; ``{value}`` in it becomes the value.
            sql: One SELECT of one row; its first column is the value. Quote text with ``literal``.
            unit: Unit of the value, as in the schema ("ns", "bytes", "s", ...), or what is counted ("lines").
            table: Table the claim is about.
            rows: Rows it rests on (references, or anything with a ``ref``); at most ``ROWS_CITED`` are kept.
            excerpt: Text from the evidence, shown as data.

        Raises:
            QueryRefused: The SQL is wrong: a bug of the family.
        """
        value = self.value(sql, unit)
        refs = dict.fromkeys(row if isinstance(row, RowRef) else row.ref for row in rows)
        return Claim(
            id=id,
            text=text.replace("{value}", shown(value)),
            sql=sql,
            value=value,
            unit=unit,
            table=table,
            rows=tuple(refs)[:ROWS_CITED],
            excerpt=cut(excerpt),
        )

    def rows(self, table: str, where: str = "TRUE", limit: int = ROWS_CITED) -> tuple[RowRef, ...]:
        """References to the earliest rows of ``table`` that match the SQL condition ``where``."""
        capture = "'' AS capture" if table in FACT_TABLES else "capture"
        found = self.sql(
            f"SELECT node, {capture}, seq FROM {table} WHERE {where} ORDER BY ts_ns NULLS LAST, node, seq",
            row_limit=limit,
        )
        return tuple(RowRef(table, node, seq, capture) for node, capture, seq in found.iter_rows())

    # --- events ---------------------------------------------------------------------------------------------------
    @cached_property
    def all_events(self) -> tuple[Event, ...]:
        """Every row of ``fact_events`` that is not mere progress, in order."""
        frame = self.facts("fact_events").filter(pl.col("role").ne_missing("progress"))
        return _typed(Event, frame)

    def events(
        self,
        kind: str | Sequence[str] | None = None,
        role: str | Sequence[str] | None = None,
        *,
        rank: int | None = None,
        framework: str | None = None,
        pattern: str | None = None,
        last_attempt: bool = False,
    ) -> tuple[Event, ...]:
        """Events that match every given condition, in order; a sequence means any of its members."""
        kinds, roles = _as_set(kind), _as_set(role)
        source = self.all_events
        if roles is not None and "progress" in roles:
            source = _typed(Event, self.facts("fact_events"))
        last = self.last_attempt
        return tuple(
            event
            for event in source
            if (kinds is None or event.kind in kinds)
            and (roles is None or event.role in roles)
            and (rank is None or event.rank == rank)
            and (framework is None or event.framework == framework)
            and (pattern is None or event.pattern == pattern)
            and (not last_attempt or event.attempt is None or event.attempt == last)
        )

    @cached_property
    def all_exceptions(self) -> tuple[Raised, ...]:
        """Every row of ``fact_exceptions``, in order."""
        return _typed(Raised, self.facts("fact_exceptions"))

    def exceptions(
        self, fatal: bool | None = True, *, root: bool = True, cascade: bool | None = False, last_attempt: bool = True
    ) -> tuple[Raised, ...]:
        """Exceptions, in order.

        Args:
            fatal: True: only those that ended their process; False: only handled ones; None: both.
            root: Only the root cause of each traceback, not what was raised from it.
            cascade: False: without those that only tell of another rank's end; True: only those; None: both.
            last_attempt: Only those of the last attempt.
        """
        last = self.last_attempt
        return tuple(
            item
            for item in self.all_exceptions
            if (fatal is None or bool(item.fatal) == fatal)
            and (not root or not item.chain_index)
            and (cascade is None or is_cascade(item) == cascade)
            and (not last_attempt or item.attempt is None or item.attempt == last)
        )

    def exits(self, said_by: str | Sequence[str] | None = None, *, last_attempt: bool = False) -> tuple[Exit, ...]:
        """How processes ended, in order."""
        tellers, last = _as_set(said_by), self.last_attempt
        return tuple(
            item
            for item in self._all_exits
            if (tellers is None or item.said_by in tellers)
            and (not last_attempt or item.attempt is None or item.attempt == last)
        )

    @cached_property
    def _all_exits(self) -> tuple[Exit, ...]:
        return _typed(Exit, self.facts("fact_exits"))

    @cached_property
    def _first_failure(self) -> Failure | None:
        named = next((x for x in self.exits(last_attempt=True) if x.first_failure and x.failed), None)
        raised: Sequence[Raised | Event] = self.exceptions()
        if named is not None and named.rank is not None:
            # The launcher saw which process failed first; its own traceback, if it left one, says why.
            own = next((x for x in raised if x.rank == named.rank), None)
            return _failure(own if own is not None else named, pid=named.pid)
        roots = self.events(role="root", last_attempt=True)
        candidates = sorted([*raised, *roots], key=_when)
        if candidates:
            return _failure(candidates[0])
        failed = named or next((x for x in sorted(self._all_exits, key=_when) if x.failed), None)
        return None if failed is None else _failure(failed, pid=failed.pid)

    def first_failure(self) -> Failure | None:
        """The first thing that went wrong in the last attempt; teardown and handled errors are none."""
        return self._first_failure

    # --- progress -------------------------------------------------------------------------------------------------
    def steps(self, rank: int | None = None, *, last_attempt: bool = False) -> pl.DataFrame:
        """Rows of ``fact_steps``, in order."""
        frame = self.facts("fact_steps")
        if rank is not None:
            frame = frame.filter(pl.col("rank") == rank)
        if last_attempt:
            frame = frame.filter(pl.col("attempt").is_null() | (pl.col("attempt") == self.last_attempt))
        return frame

    def last_step(self) -> int | None:
        """Highest step of the last attempt; None when none was reported."""
        return _int(self.steps(last_attempt=True)["step"].max())

    def total_steps(self) -> int | None:
        """Steps the job planned, as it said; None when it did not."""
        return _int(self.steps(last_attempt=True)["total_steps"].max())

    def first_progress_ns(self) -> int | None:
        """When training progress was first reported."""
        return _int(self.facts("fact_steps")["ts_ns"].min())

    def last_progress_ns(self, rank: int | None = None) -> int | None:
        """When training progress was last reported."""
        return _int(self.steps(rank)["ts_ns"].max())

    def last_output_ns(self, rank: int | None = None) -> int | None:
        """When anything was last printed (by ``rank``)."""
        lines = self.store.scan("log_lines")
        if rank is not None:
            lines = lines.filter(pl.col("rank") == rank)
        return _int(lines.select(pl.col("ts_ns").max()).collect().item())

    # --- the run --------------------------------------------------------------------------------------------------
    @cached_property
    def _ranks(self) -> tuple[int, ...]:
        found: set[int] = set()
        for table in ("fact_events", "fact_steps", "fact_exceptions", "fact_exits"):
            found.update(self.facts(table)["rank"].drop_nulls().unique().to_list())
        for table in ("processes", "log_lines"):
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

    def start_ns(self) -> int | None:
        """First instant of the evidence."""
        return self.info.start_ns

    def end_ns(self) -> int | None:
        """When the run ended: the exit of its tasks, else the last instant of the evidence."""
        end = self.job_end().ts_ns
        return self.info.end_ns if end is None else end

    @cached_property
    def _attempts(self) -> tuple[Attempt, ...]:
        frame = self.facts("fact_attempts")
        merged = (
            frame.group_by("attempt")
            .agg(
                pl.col("ts_ns").min().alias("start_ns"),
                pl.col("end_ns").max(),
                pl.col("first_step").min(),
                pl.col("last_step").max(),
                pl.col("began_by").sort(nulls_last=True).first(),
            )
            .drop_nulls("attempt")
            .sort("attempt")
        )
        return tuple(Attempt(**row) for row in merged.iter_rows(named=True))

    def attempts(self) -> tuple[Attempt, ...]:
        """Attempts, earliest first; empty when nothing told of any."""
        return self._attempts

    @property
    def last_attempt(self) -> int:
        """Number of the last attempt."""
        return self._attempts[-1].attempt if self._attempts else 0

    @cached_property
    def _job_end(self) -> JobEnd:
        for tellers in (("wrapper",), ("user",), ("slurm",), ("torchrun", "accelerate", "deepspeed", "mp_spawn")):
            exits = tuple(x for x in self.exits(tellers) if x.role in {"task", "launcher", "job", None} or x.failed)
            if exits:
                break
        failed = sorted((x for x in exits if x.failed), key=_when)
        first = failed[0] if failed else next(iter(exits), None)
        times = [x.ts_ns for x in exits if x.ts_ns is not None]
        return JobEnd(
            exits=exits,
            exit_code=None if first is None else first.exit_code,
            term_signal=None if first is None else first.term_signal,
            ts_ns=max(times, default=None),
            said_by=tuple(sorted({x.said_by for x in exits})),
            state=self._scheduler_state(),
        )

    def _scheduler_state(self) -> str | None:
        if not self._has_rows("slurm_jobs"):
            return None
        states = self.frame("slurm_jobs").sort("end_ns", "restarts", "seq", nulls_last=False)["state"].drop_nulls()
        # "CANCELLED by 1000" names the user after the state.
        return states[-1].split()[0] if len(states) else None

    def job_end(self) -> JobEnd:
        """How the run ended."""
        return self._job_end

    # --- clocks ---------------------------------------------------------------------------------------------------
    def before(self, a_ns: int | None, node_a: str | None, b_ns: int | None, node_b: str | None) -> bool | None:
        """True when a was before b, False when b was before a, None when the clocks cannot tell.

        On one node any difference counts; between nodes only one greater than both clock bounds together.
        """
        if a_ns is None or b_ns is None or a_ns == b_ns:
            return None
        if node_a != node_b:
            bound_a, bound_b = self.bound_ns(node_a), self.bound_ns(node_b)
            if bound_a is None or bound_b is None or abs(a_ns - b_ns) <= bound_a + bound_b:
                return None
        return a_ns < b_ns

    def bound_ns(self, node: str | None) -> int | None:
        """Half width of what an instant of ``node`` may be wrong by against other nodes; None: not bounded."""
        return None if node is None else self.info.offline_bound_ns.get(node)

    # --- text -----------------------------------------------------------------------------------------------------
    def lines(self, node: str, source: str | None, first: int, last: int) -> tuple[str, ...]:
        """Text of the ``log_lines`` rows of one source with ``seq`` from ``first`` to ``last``."""
        rows = self.store.scan("log_lines").filter(
            (pl.col("node") == node) & pl.col("source").eq_missing(source) & pl.col("seq").is_between(first, last)
        )
        return tuple(rows.sort("capture", "seq").select("text").collect()["text"].to_list())

    def excerpt(self, fact: Event | Raised | Exit, before: int = 0, after: int = 0) -> str:
        """The lines a fact was read from, and some around them."""
        if fact.line_seq is None:
            return cut(getattr(fact, "text", None) or "")
        last = getattr(fact, "line_seq_last", None) or fact.line_seq
        lines = self.lines(fact.node, fact.source, fact.line_seq - before, last + after)
        return cut("\n".join(line.rstrip("\r\n") for line in lines))

    # --- coverage -------------------------------------------------------------------------------------------------
    @cached_property
    def _coverage(self) -> tuple[Coverage, ...]:
        order = ["collector", "node", "from_mono_ns", "capture", "seq"]
        columns = ["collector", "node", "outcome", "from_mono_ns", "to_mono_ns", "rows", "drops", "detail"]
        frame = self.store.scan("collection").sort(order, nulls_last=True).select(columns).collect()
        return tuple(
            Coverage(collector, node, outcome or "unknown", start, end, rows, drops, detail or "")
            for collector, node, outcome, start, end, rows, drops, detail in frame.iter_rows()
        )

    def coverage(self) -> tuple[Coverage, ...]:
        """What each collector saw on each node; ``from_ns`` and ``to_ns`` are on the node's monotonic clock."""
        return self._coverage

    def why_absent(self, name: str) -> str:
        """Why evidence ``name`` is not there, as the collectors said; empty when none of them said anything."""
        wanted = set(_DERIVED.get(name, (name,)))
        frame = self.store.scan("collection").select("tables", "outcome", "detail", "collector", "node").collect()
        said = sorted(
            {
                f"{collector}: {outcome}{f' ({detail})' if detail else ''}"
                for tables, outcome, detail, collector, _ in frame.iter_rows()
                if wanted & set((tables or "").split(",")) and outcome not in {"ok", "truncated"}
            }
        )
        return "; ".join(said)

    def _has_rows(self, table: str) -> bool:
        if table in FACT_TABLES:
            return self.facts(table).height > 0
        return table in self._recorded

    @cached_property
    def _recorded(self) -> frozenset[str]:
        return frozenset(self.store.tables())


_CASCADE_TYPES: Final = frozenset(
    {
        "ChildFailedError",
        "DistBackendError",
        "ProcessExitedException",
        "ProcessRaisedException",
        "RendezvousClosedError",
        "RendezvousGracefulExitError",
        "SignalException",
    }
)
_CASCADE_TEXT: Final = (
    "Connection closed by peer",
    "Connection reset by peer",
    "remote process exited",
    "Broken pipe",
    "failed to recv, got 0 bytes",
    "Socket closed",
)


def is_cascade(raised: Raised) -> bool:
    """True when an exception only tells that another process ended: a launcher's summary, a closed connection."""
    name = raised.exc_type.rpartition(".")[2]
    return name in _CASCADE_TYPES or any(text in raised.message for text in _CASCADE_TEXT)


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
    return full.sort("ts_ns", "node", "seq", nulls_last=True, maintain_order=True)


def _typed(cls: type[_Row], frame: pl.DataFrame) -> tuple[_Row, ...]:
    names = [item.name for item in fields(cls)]
    return tuple(cls(*row) for row in frame.select(names).iter_rows())


def _failure(what: Raised | Exit | Event, pid: int | None = None) -> Failure:
    return Failure(what=what, rank=what.rank, node=what.node, pid=pid, ts_ns=what.ts_ns)


def _when(item: Event | Raised | Exit) -> tuple[int, str, int, int]:
    time = _UNKNOWN_TIME if item.ts_ns is None else item.ts_ns
    return (time, item.node, _UNKNOWN_TIME if item.line_seq is None else item.line_seq, item.seq)


def _as_set(value: str | Sequence[str] | None) -> frozenset[str] | None:
    return None if value is None else frozenset((value,) if isinstance(value, str) else value)


def _int(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None

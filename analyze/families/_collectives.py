"""How far each rank got in each group of ranks, by flight-recorder dumps and by what the library counted.

Every rank numbers the collectives of a group alike. Where a group waits, the numbers tell who did not come:

- a rank that enqueued fewer than its peers, while nothing of its own is open, stopped on the host: it waits for
  nobody, and its peers wait for it;
- a rank that completed fewer than its peers although it enqueued them stopped on the GPU: the same collective is over
  for others;
- a member of a waiting group that left no dump cannot speak for itself.

A rank that is behind while something of its own is open waits itself, and is no culprit. Groups of sends and receives
number per pair, so they are used only to see that something is open. The rule was found on the four jobs of
nvidia-resiliency-ext (shared/reference/peers.md, 1.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims

_GROUP: Final = ("comm", "members")
_SAME_SIZES: Final = frozenset({"all_reduce", "broadcast", "reduce", "_reduce_scatter_base", "_all_gather_base"})
"""Operations (without their backend) whose inputs have one size on all ranks."""


@dataclass(frozen=True, slots=True)
class Lag:
    """Why one rank is named: in which group, and how far it and the foremost of its peers got.

    ``table`` and ``column`` say where the two numbers stand.
    """

    rank: int
    comm: str
    members: str
    group: str
    reached: int
    foremost: int
    table: str
    column: str

    def claim(self, claims: Claims, text: str) -> None:
        """Claim both numbers."""
        where = f"comm = {literal(self.comm)}"
        if self.table == "nccl_comms":
            where += f" AND members = {literal(self.members)}" if self.members else " AND members IS NULL"
            where += " AND event = 'status'"
        elif self.column == "coll_seq":
            where += " AND is_p2p = FALSE"
        if self.table == "flight_recorder" and text == COMPLETED:
            where += " AND (state = 'completed' OR complete_ns IS NOT NULL)"
        for whose, condition in ((f"rank {self.rank}", f"rank = {self.rank}"), ("its peers", f"rank <> {self.rank}")):
            claims.over(
                f"Last collective of group {self.group} that {whose} {text}",
                "MAX",
                self.column,
                self.table,
                f"{where} AND {condition}",
            )


ENQUEUED: Final = "enqueued"
COMPLETED: Final = "completed"


@dataclass(frozen=True, slots=True)
class Standing:
    """What the counts of all ranks tell together.

    Attributes:
        waiting: Ranks with an open collective.
        host_stopped: Ranks that enqueued no more while peers wait.
        gpu_stopped: Ranks whose GPU did not finish what peers finished.
        absent: Members of waiting groups of which nothing was collected.
        mismatch: Ranks that called something else than most at one number; (rank, group, number, op, op of others).
        operation: The first collective that stayed open, as its source names it.
        since_ns: When the first open collective was enqueued, UTC.
        counted: How many ranks left counts.
    """

    waiting: tuple[int, ...]
    host_stopped: tuple[Lag, ...] = ()
    gpu_stopped: tuple[Lag, ...] = ()
    absent: tuple[int, ...] = ()
    mismatch: tuple[tuple[int, str, int, str, str], ...] = ()
    operation: str | None = None
    since_ns: int | None = None
    counted: int = 0

    @property
    def culprits(self) -> tuple[int, ...]:
        """Ranks to look at; empty where the counts name none."""
        lags = {lag.rank for lag in (*self.host_stopped, *self.gpu_stopped)}
        if lags:
            return tuple(sorted(lags))
        if self.mismatch:
            return tuple(sorted({entry[0] for entry in self.mismatch}))
        # Where much is missing, that it was not collected is the likelier reason.
        return self.absent if self.absent and len(self.absent) * 4 <= self.counted else ()

    @property
    def mode(self) -> str | None:
        """Sub-mode of C2 that the counts show."""
        if self.gpu_stopped:
            return "gpu_stopped"
        if self.host_stopped:
            return "host_stopped"
        return "mismatch" if self.mismatch else "absent" if self.culprits else None

    @property
    def awaited(self) -> str:
        """What stayed open, for a sentence."""
        return f"collective {self.operation}" if self.operation else "a collective"

    def words(self) -> str:
        """What the named ranks did, as the predicate of a sentence."""
        if self.mode == "gpu_stopped":
            return "did not finish on the GPU what the others finished"
        if self.mode == "host_stopped":
            return "stopped calling collectives while nothing of theirs was open"
        if self.mode == "mismatch":
            return f"called another collective ({self.mismatch[0][3]}) than the others ({self.mismatch[0][4]})"
        return "left no dump although the others waited in a group with them"


def standing(ev: Evidence) -> Standing | None:
    """Where the ranks stand; None where nothing of it was captured, or no collective was open."""
    entries = ev.scan("flight_recorder") if ev.has("flight_recorder") else None
    counts = _counts(ev, entries)
    if counts is None or counts.is_empty():
        return None
    is_open = pl.col("enqueued") > pl.col("completed")
    waiting = set(counts.filter(is_open)["rank"])
    if not waiting:
        return None
    paired = _paired(entries)
    groups = counts.filter(~pl.col("comm").is_in(paired)).with_columns(
        first=pl.col("enqueued").max().over(_GROUP),
        done=pl.col("completed").max().over(_GROUP),
        present=pl.len().over(_GROUP),
    )
    groups = groups.filter(pl.col("present") > 1).sort("rank", pl.col("first") - pl.col("enqueued"), "comm")
    late = groups.filter((pl.col("enqueued") < pl.col("first")) & ~pl.col("rank").is_in(list(waiting)))
    stuck = groups.filter(is_open & (pl.col("completed") < pl.col("done")))
    known = set(counts["rank"])
    host, gpu = _lags(late, ENQUEUED), _lags(stuck, COMPLETED)
    if len({lag.rank for lag in (*host, *gpu)}) * 2 >= len(known):
        host, gpu = (), ()
    members: set[int] = set()
    for text in counts.filter(is_open)["members"].unique().sort().drop_nulls():
        members |= {int(word) for word in text.split(",") if word.isdigit()}
    operation, since = _first_open(entries)
    return Standing(
        waiting=tuple(sorted(waiting)),
        host_stopped=host,
        gpu_stopped=gpu,
        absent=tuple(sorted(members - known)),
        mismatch=_mismatches(entries, paired),
        operation=operation,
        since_ns=since,
        counted=len(known),
    )


def _counts(ev: Evidence, entries: pl.LazyFrame | None) -> pl.DataFrame | None:
    """Last enqueued and completed number by rank and group: as the library counted, else by the entries."""
    told = None
    if ev.has("nccl_comms"):
        told = (
            ev.scan("nccl_comms")
            .filter((pl.col("event") == "status") & pl.col("last_enqueued_seq").is_not_null())
            .filter(pl.col("rank").is_not_null() & pl.col("last_completed_seq").is_not_null())
            .filter(pl.col("source").ne_missing("ebpf"))  # probes know the least that completed, and not the last
            .group_by("rank", *_GROUP, maintain_order=True)
            .agg(
                enqueued=pl.col("last_enqueued_seq").max(),
                completed=pl.col("last_completed_seq").max(),
                group=pl.col("comm_desc").first(),
            )
            .with_columns(table=pl.lit("nccl_comms"))
            .collect()
        )
    if told is not None and told.height:
        return told
    if entries is None:
        return None
    done = (pl.col("state") == "completed") | pl.col("complete_ns").is_not_null()
    return (
        entries.filter(pl.col("coll_seq").is_not_null() & pl.col("rank").is_not_null())
        .group_by("rank", "comm", maintain_order=True)
        .agg(
            enqueued=pl.col("coll_seq").max(),
            completed=pl.col("coll_seq").filter(done).max(),
            least=pl.col("coll_seq").min(),
            group=pl.col("comm_desc").first(),
        )
        # What is older than the oldest entry was completed, or it would still be held.
        .with_columns(
            completed=pl.coalesce("completed", pl.col("least") - 1),
            members=pl.lit(None, pl.String),
            table=pl.lit("flight_recorder"),
        )
        .collect()
    )


def _paired(entries: pl.LazyFrame | None) -> list[str]:
    """Groups that send and receive: their numbers are those of pairs."""
    if entries is None:
        return []
    return entries.filter(pl.col("is_p2p")).select(pl.col("comm").unique()).collect()["comm"].drop_nulls().to_list()


def _lags(rows: pl.DataFrame, what: str) -> tuple[Lag, ...]:
    """One for each rank: the group in which it is furthest behind."""
    best = "first" if what == ENQUEUED else "done"
    columns = {"nccl_comms": f"last_{what}_seq", "flight_recorder": "coll_seq"}
    behind = rows.sort("rank", pl.col(best) - pl.col(what), "comm", descending=[False, True, False])
    return tuple(
        Lag(
            rank=row["rank"],
            comm=row["comm"],
            members=row["members"] or "",
            group=row["group"] or row["comm"],
            reached=row[what],
            foremost=row[best],
            table=row["table"],
            column=columns[row["table"]],
        )
        for row in behind.unique("rank", keep="first", maintain_order=True).iter_rows(named=True)
    )


def _open_entries(entries: pl.LazyFrame) -> pl.LazyFrame:
    return entries.filter((pl.col("state") != "completed") & pl.col("complete_ns").is_null())


def _first_open(entries: pl.LazyFrame | None) -> tuple[str | None, int | None]:
    """Operation and time of the collective that was enqueued first of all that stayed open."""
    if entries is None:
        return None, None
    first = (
        _open_entries(entries)
        .filter(~pl.col("is_p2p").fill_null(value=False))
        .sort("enqueue_ns", "rank", "record_id", nulls_last=True)
        .select("op", "enqueue_ns")
        .head(1)
        .collect()
    )
    return first.row(0) if first.height else (None, None)


def _mismatches(entries: pl.LazyFrame | None, paired: list[str]) -> tuple[tuple[int, str, int, str, str], ...]:
    """At numbers still open: ranks that called another operation, or other sizes, than the majority of the group."""
    if entries is None:
        return ()
    calls = entries.filter(~pl.col("comm").is_in(paired) & pl.col("coll_seq").is_not_null())
    still = _open_entries(calls).select("comm", "coll_seq").unique()
    plain = pl.col("op").str.replace(r"^.*:", "")
    shape = pl.concat_str("sizes", "dtypes", separator=" ", ignore_nulls=True)
    sizes = pl.when(plain.is_in(list(_SAME_SIZES))).then(shape)
    call = pl.concat_str(plain, sizes, separator=" ", ignore_nulls=True)
    shaped = (
        calls.join(still, on=["comm", "coll_seq"])
        .sort("record_id")
        .unique(["comm", "coll_seq", "rank"], keep="first", maintain_order=True)
        .select("rank", "comm", "coll_seq", "comm_desc", call=call)
        .with_columns(alike=pl.len().over("comm", "coll_seq", "call"), all=pl.len().over("comm", "coll_seq"))
        .collect()
    )
    odd = shaped.filter(pl.col("alike") * 2 < pl.col("all")).sort("coll_seq", "comm", "rank")
    found = []
    for row in odd.iter_rows(named=True):
        same = shaped.filter((pl.col("comm") == row["comm"]) & (pl.col("coll_seq") == row["coll_seq"]))
        others = same.filter(pl.col("alike") * 2 > pl.col("all"))["call"].sort()
        if len(others):
            found.append((row["rank"], row["comm_desc"] or row["comm"], row["coll_seq"], row["call"], others[0]))
    return tuple(found)

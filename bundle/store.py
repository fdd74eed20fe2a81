"""A store: rows of evidence by table, whether they lie in a bundle or in memory.

Everything above bundle/ reads evidence through ``Store`` and never asks where it lies.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import polars as pl

from inquest.bundle import same_run
from inquest.bundle.manifest import open_bundle
from inquest.bundle.scan import apart, extent, no_rows, scan, stored_schema, with_ts
from inquest.bundle.schema import BY_NAME, NOT_THE_RUN, RECORDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from inquest.bundle.by_node import Plan
    from inquest.bundle.manifest import Manifest, Member

_DIGEST_ROWS: Final = 65536
_ABREAST: Final = 4
"""Nodes that are read at a time at most: each has a day of its samples in memory, a few hundred MB."""


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What a store is about, without reading its rows.

    ``start_ns`` and ``end_ns`` span the aligned times of all rows that tell of the run (not the kernel log).
    ``offline_bound_ns`` holds, for each node, half the width of what its aligned time may be wrong by, or None where
    that cannot be bounded: against the nodes it was aligned to, else against UTC (``clock_alignment`` names which).
    ``manifest`` is the bundle's manifest as plain JSON values, empty for a store in memory.
    """

    content_digest: str
    job_id: str | None = None
    nodes: tuple[str, ...] = ()
    start_ns: int | None = None
    end_ns: int | None = None
    simulated: bool = False
    offline_bound_ns: dict[str, int | None] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def missing_nodes(self) -> tuple[str, ...]:
        """Nodes that belong to the job and that nothing was recorded of."""
        return tuple(self.manifest.get("missing_nodes", ()))

    @property
    def missing_ranks(self) -> tuple[int, ...]:
        """Ranks that belong to the job and that no recorded process had."""
        return tuple(self.manifest.get("missing_ranks", ()))


class Store(Protocol):
    """Evidence of one job."""

    @property
    def info(self) -> StoreInfo:
        """What the store is about."""

    def tables(self) -> tuple[str, ...]:
        """Names of the recorded tables that have rows, in the order of the schema."""

    def scan(self, table: str) -> pl.LazyFrame:
        """Rows of a known table: every column of its schema, then ``ts`` (UTC view of ``ts_ns``).

        A table without rows gives an empty frame with the same columns; an unknown name is a KeyError.
        """


class BundleStore:
    """A store over a bundle on disk, which is mapped and never changed.

    Raises:
        InputError: The file is no bundle, of a newer format, damaged, or unsafe.
    """

    def __init__(self, path: Path) -> None:
        self._container, manifest = open_bundle(path)
        self._members: dict[str, list[Member]] = {}
        for member in manifest.members:
            # A table this build does not know was added by a later one: it is left alone.
            if member.table in BY_NAME:
                self._members.setdefault(member.table, []).append(member)
        self._scans: dict[str, pl.LazyFrame] = {}
        self._info = _info(manifest)

    @property
    def info(self) -> StoreInfo:
        """What the bundle is about."""
        return self._info

    def tables(self) -> tuple[str, ...]:
        """Names of the recorded tables that have rows, in the order of the schema."""
        return tuple(table.name for table in RECORDED if table.name in self._members)

    def scan(self, table: str) -> pl.LazyFrame:
        """Rows of a known table; see ``Store.scan``."""
        members = self._members.get(table)
        if members is None:
            return no_rows(table).lazy()
        if table not in self._scans:  # kept, as some scans keep what they found out about their table
            self._scans[table] = scan(self._container, members, table)
        return self._scans[table]

    def extent(self, table: str) -> tuple[int, int, int] | None:
        """Rows with a time, and first and last time, where footers tell; see ``by_node.extent``."""
        return None if table in same_run.TABLES else extent(self._container, self._members.get(table, []))

    def by_node(self, table: str, plan: Plan) -> pl.DataFrame:
        """The answer of a plan whose every group lies within one node, a few nodes at a time; see ``by_node``."""
        members = self._members.get(table, [])
        if len(members) < 2 or BY_NAME[table].scope != "large":
            return plan(self.scan(table)).collect(engine="streaming")
        parts = apart(self._container, members, table)
        with ThreadPoolExecutor(min(len(parts), len(os.sched_getaffinity(0)), _ABREAST)) as hands:
            return pl.concat(hands.map(lambda part: plan(part).collect(engine="streaming"), parts))


def _info(manifest: Manifest) -> StoreInfo:
    times = [edge for node in manifest.nodes for edge in (node.start_ns, node.end_ns) if edge is not None]
    bounds: dict[str, int | None] = {}
    for node in manifest.nodes:
        known = [clock.bound_ns for clock in node.clocks if clock.bound_ns is not None]
        bounds[node.node] = max(known) if known and len(known) == len(node.clocks) else None
    return StoreInfo(
        content_digest=manifest.content_digest,
        job_id=manifest.job_id,
        nodes=tuple(node.node for node in manifest.nodes),
        start_ns=min(times, default=None),
        end_ns=max(times, default=None),
        simulated=manifest.simulated,
        offline_bound_ns=bounds,
        manifest=dataclasses.asdict(manifest),
    )


class MemoryStore:
    """A store over frames in memory: logs read by ``inquest explain``, and tests.

    Frames may lack columns (they read as null) but not have unknown ones.
    """

    def __init__(self, frames: Mapping[str, pl.DataFrame], info: StoreInfo | None = None) -> None:
        self._frames = {name: _conform(name, frame) for name, frame in frames.items()}
        self._info = info

    @classmethod
    def from_rows(
        cls,
        rows: Mapping[str, Iterable[Mapping[str, Any]]],
        *,
        node: str = "node0",
        capture: str = "memory",
        job_id: str | None = None,
        simulated: bool = False,
    ) -> Self:
        """Build a store from plain rows.

        Columns a row lacks are null, except the identity: ``node`` and ``capture`` default to the arguments and
        ``seq`` to the next number within (node, boot_id, capture). Column names are checked against the schema.

        Raises:
            KeyError: A table or column that the schema does not declare.
        """
        frames: dict[str, pl.DataFrame] = {}
        for table, given in rows.items():
            schema = stored_schema(table)
            counters: dict[tuple[Any, ...], int] = {}
            full: list[dict[str, Any]] = []
            for row in given:
                unknown = row.keys() - schema.keys()
                if unknown:
                    raise KeyError(f"{table} has no column {', '.join(sorted(unknown))}")
                new = {"node": node, **({"capture": capture} if "capture" in schema else {}), **row}
                identity = (new["node"], new.get("boot_id"), new.get("capture"))
                new.setdefault("seq", counters.get(identity, 0))
                counters[identity] = new["seq"] + 1
                full.append(new)
            frames[table] = pl.DataFrame(full, schema=schema, orient="row")
        store = cls(frames)
        store._info = _describe(store._frames, job_id=job_id, simulated=simulated)
        return store

    @cached_property
    def info(self) -> StoreInfo:
        """What the store is about; worked out from the rows when it was not given."""
        return self._info or _describe(self._frames)

    def tables(self) -> tuple[str, ...]:
        """Names of the recorded tables that have rows, in the order of the schema."""
        return tuple(t.name for t in RECORDED if t.name in self._frames and self._frames[t.name].height)

    def scan(self, table: str) -> pl.LazyFrame:
        """Rows of a known table; see ``Store.scan``."""
        frame = self._frames.get(table)
        return (no_rows(table) if frame is None else frame).lazy()


def _conform(table: str, frame: pl.DataFrame) -> pl.DataFrame:
    schema = stored_schema(table)
    unknown = set(frame.columns) - schema.keys() - {"ts"}
    if unknown:
        raise KeyError(f"{table} has no column {', '.join(sorted(unknown))}")
    return with_ts(
        frame.select(
            (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)
            for name, dtype in schema.items()
        )
    )


def _describe(frames: Mapping[str, pl.DataFrame], *, job_id: str | None = None, simulated: bool = False) -> StoreInfo:
    recorded = [frames[t.name] for t in RECORDED if t.name in frames]
    nodes = sorted({node for frame in recorded for node in frame["node"].unique().to_list()})
    of_the_run = [frames[t.name] for t in RECORDED if t.name in frames and t.name not in NOT_THE_RUN] or recorded
    spans = [frame.select(low=pl.col("ts_ns").min(), high=pl.col("ts_ns").max()).row(0) for frame in of_the_run]
    times = [edge for span in spans for edge in span if edge is not None]
    bounds: dict[str, int | None] = dict.fromkeys(nodes)
    if "clock_alignment" in frames:
        clocks = frames["clock_alignment"].drop_nulls("bound_ns").group_by("node").agg(pl.col("bound_ns").max())
        bounds.update(clocks.iter_rows())
    return StoreInfo(
        content_digest=_digest(frames),
        job_id=job_id,
        nodes=tuple(nodes),
        start_ns=min(times, default=None),
        end_ns=max(times, default=None),
        simulated=simulated,
        offline_bound_ns=bounds,
    )


def _digest(frames: Mapping[str, pl.DataFrame]) -> str:
    """Digest of the rows, independent of the order in which tables were given."""
    digest = hashlib.sha256()
    for name in sorted(frames):
        digest.update(f"{name} {frames[name].height}\n".encode())
        for part in frames[name].drop("ts").iter_slices(_DIGEST_ROWS):
            digest.update(part.write_csv(include_header=False, null_value="null", quote_style="non_numeric").encode())
    return digest.hexdigest()

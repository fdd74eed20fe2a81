"""What rows say of the job as a whole: nodes, ranks, clocks, redactions, and who is missing.

Merge builds a manifest with it; verify builds it again from the members and compares.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import hostlist
from inquest.bundle.manifest import (
    Capture,
    Clock,
    Manifest,
    Node,
    Redaction,
    content_digest,
    schema_digest,
)
from inquest.bundle.schema import NOT_THE_RUN
from inquest.bundle.unredacted import UNMASKED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inquest.bundle.manifest import Member, Provenance

MERGE_CAPTURE: Final = "merge"
"""``capture`` of rows that merge itself derives; every merge derives them anew."""

COLLECT_CAPTURE: Final = "collect"
"""``capture`` of rows that tell of hosts that gave nothing to 'inquest collect': they are of the job, and missing."""

MAX_RANKS: Final = 1 << 17
"""A WORLD_SIZE beyond this is no job's; it is not believed."""

_NODE_LISTS: Final = ("SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_STEP_NODELIST")


class Summary:
    """Collects from the rows of a bundle, in any order, what its manifest says."""

    def __init__(self) -> None:
        self._jobs: set[str] = set()
        self._names: dict[str, str] = {}
        """What Slurm calls jobs by whose number alone a process knows them: 7 may be 5_3 of an array."""
        self._captures: set[tuple[str, str, str | None]] = set()
        self._recorders: dict[tuple[str, str, str | None], tuple[str | None, bool]] = {}
        self._spans: dict[str, tuple[int, int]] = {}
        self._collectors: dict[str, set[str]] = {}
        self._clocks: dict[str, dict[str, tuple[int, Clock]]] = {}
        self._ranks: set[int] = set()
        self._world_size = 0
        self._expected: set[str] = set()
        self._aliases: set[str] = set()
        self._redactions: dict[tuple[str, str | None, str | None], int] = {}
        self._read_lists: set[str] = set()

    @property
    def jobs(self) -> set[str]:
        """The jobs that rows are of, each by one name."""
        return {self._names.get(job, job) for job in self._jobs}

    def add(self, table: str, batch: pa.RecordBatch) -> None:
        """Take the rows of one batch, with the columns of ``parquet.plain_schema``."""
        for key, rows in split(batch):
            span = pc.min_max(rows.column("ts_ns")).as_py()
            self.add_recording(table, *key, None if span["min"] is None else (span["min"], span["max"]))
        take = getattr(self, f"_take_{table}", None)
        if take is not None:
            take(batch)

    def add_recording(
        self, table: str, node: str, capture: str, boot_id: str | None, span: tuple[int, int] | None
    ) -> None:
        """Note that a recording has rows in ``table``, and their first and last ``ts_ns``.

        It says all of rows of large tables, so that a writer of many need not have them looked at again.
        """
        if capture != MERGE_CAPTURE:
            self._captures.add((node, capture, boot_id))
        if span is not None and table not in NOT_THE_RUN:
            low, high = self._spans.get(node, span)
            self._spans[node] = (min(low, span[0]), max(high, span[1]))

    def _take_node_info(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            key = (row["node"], row["capture"], row["boot_id"])
            self._recorders[key] = (row["tool_version"], bool(row["simulated"]))
            self._aliases.update(name for name in (row["hostname"], row["slurm_node"]) if name)
            self._take_environment(row["job_env"])

    def _take_collection(self, batch: pa.RecordBatch) -> None:
        for row in _distinct(batch, "node", "collector", "capture"):
            if row["capture"] == COLLECT_CAPTURE:
                self._expected.add(row["node"])
            elif row["collector"] is not None:
                self._collectors.setdefault(row["node"], set()).add(row["collector"])

    def _take_processes(self, batch: pa.RecordBatch) -> None:
        for row in _distinct(batch, "rank", "world_size", "job_id", "env"):
            if row["rank"] is not None and 0 <= row["rank"] < MAX_RANKS:
                self._ranks.add(row["rank"])
            if row["world_size"] is not None and row["world_size"] <= MAX_RANKS:
                self._world_size = max(self._world_size, row["world_size"])
            if row["job_id"]:
                self._jobs.add(row["job_id"])
            self._take_environment(row["env"])

    def _take_slurm_jobs(self, batch: pa.RecordBatch) -> None:
        for row in _distinct(batch, "job_id", "job_id_raw", "node_list"):
            if row["job_id"]:
                name = row["job_id"].partition("+")[0]  # the components 7+0 and 7+1 are one job
                self._jobs.add(name)
                if row["job_id_raw"]:
                    self._names[row["job_id_raw"]] = name
            self._expect(row["node_list"])

    def _take_redactions(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            key = (row["rule"] or "", row["in_table"], row["in_column"])
            self._redactions[key] = self._redactions.get(key, 0) + (row["count"] or 0)

    def _take_clock_alignment(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            if row["offset_ns"] is not None:  # else it states residuals
                clock = Clock(
                    boot_id=row["boot_id"],
                    offset_ns=row["offset_ns"],
                    bound_ns=row["bound_ns"],
                    method=row["method"] or "",
                )
                boots = self._clocks.setdefault(row["node"], {})
                seq, known = boots.get(row["boot_id"] or "", (row["seq"], clock))
                bounds = (known.bound_ns, clock.bound_ns)
                first = min((seq, known), (row["seq"], clock), key=lambda piece: (piece[0], str(piece[1])))
                widest = None if None in bounds else max(bound for bound in bounds if bound is not None)
                boots[row["boot_id"] or ""] = first[0], replace(first[1], bound_ns=widest)

    def _take_environment(self, text: str | None) -> None:
        try:
            environment = json.loads(text) if text else None
        except (ValueError, RecursionError):
            return
        if isinstance(environment, dict):
            job = environment.get("SLURM_JOB_ID")
            if isinstance(job, str) and job:
                self._jobs.add(job)
            for name in _NODE_LISTS:
                self._expect(environment.get(name))

    def _expect(self, node_list: object) -> None:
        if isinstance(node_list, str) and node_list not in self._read_lists:
            self._read_lists.add(node_list)
            if not node_list.startswith(("(", "None")):  # Slurm's words for "none assigned"
                self._expected.update(hostlist.expand(node_list))

    @property
    def unmasked(self) -> bool:
        """Whether secrets of a recording were left as they are, at its owner's wish."""
        return any(rule == UNMASKED for rule, _, _ in self._redactions)

    def manifest(self, job_id: str | None, members: Sequence[Member], provenance: Provenance) -> Manifest:
        """The manifest of a bundle with these rows and ``members``."""
        self._captures = {key for key in self._captures if key[1] != COLLECT_CAPTURE}
        names = sorted({node for node, _, _ in self._captures} | self._spans.keys() | self._clocks.keys())
        present = self._aliases.union(names)
        present |= {name.partition(".")[0] for name in present}
        schema = schema_digest()
        return Manifest(
            content_digest=content_digest(members, schema),
            schema_digest=schema,
            job_id=job_id,
            simulated=any(simulated for _, simulated in self._recorders.values()),
            nodes=tuple(self._node(name) for name in names),
            ranks=tuple(sorted(self._ranks)),
            world_size=self._world_size or None,
            missing_nodes=tuple(sorted(n for n in self._expected if not {n, n.partition(".")[0]} & present)),
            missing_ranks=tuple(rank for rank in range(self._world_size) if rank not in self._ranks),
            redactions=tuple(
                Redaction(rule=rule, table=table, column=column, count=count)
                for (rule, table, column), count in sorted(self._redactions.items(), key=lambda i: _sortable(i[0]))
            ),
            members=tuple(sorted(members, key=lambda member: member.name)),
            provenance=provenance,
        )

    def _node(self, name: str) -> Node:
        captures = []
        for key in sorted((key for key in self._captures if key[0] == name), key=_sortable):
            tool_version, simulated = self._recorders.get(key, (None, False))
            captures.append(Capture(capture=key[1], boot_id=key[2], tool_version=tool_version, simulated=simulated))
        start, end = self._spans.get(name, (None, None))
        return Node(
            node=name,
            captures=tuple(captures),
            collectors=tuple(sorted(self._collectors.get(name, ()))),
            clocks=tuple(clock for _, (_, clock) in sorted(self._clocks.get(name, {}).items())),
            start_ns=start,
            end_ns=end,
        )


def split(batch: pa.RecordBatch) -> Iterator[tuple[tuple[str, str, str | None], pa.RecordBatch]]:
    """The rows of each recording in ``batch``, with its (node, capture, boot_id)."""
    if not batch.num_rows:
        return
    columns = [batch.column(name) for name in ("node", "capture", "boot_id")]
    values = [column.unique() for column in columns]
    if all(len(distinct) == 1 for distinct in values):
        yield tuple(distinct[0].as_py() for distinct in values), batch
        return
    for row in _distinct(batch, "node", "capture", "boot_id"):
        masks = [
            pc.is_null(column) if value is None else pc.fill_null(pc.equal(column, value), False)
            for column, value in zip(columns, row.values(), strict=True)
        ]
        yield tuple(row.values()), batch.filter(pc.and_(pc.and_(masks[0], masks[1]), masks[2]))


def _distinct(batch: pa.RecordBatch, *names: str) -> list[dict[str, Any]]:
    table = pa.table([batch.column(name) for name in names], list(names))
    rows: list[dict[str, Any]] = table.group_by(list(names)).aggregate([]).to_pylist()
    return rows


def _sortable(key: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(part or "" for part in key)

"""Merge: node directories of one job become one bundle.

Two passes, so that memory is bounded by a row group whatever the job's size. The first copies what the inputs hold
into sorted runs on disk, one set for each recording (node, capture, boot) and table. The second walks the nodes in
order and merges the runs of each recording by ``seq``: aligned in time, duplicates removed, into Parquet members.

The result depends on the set of rows alone: order of inputs, copies of an input, and merging a bundle again change
nothing but the provenance.
"""

from __future__ import annotations

import datetime
import getpass
import hashlib
import itertools
import os
import platform
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from inquest import __version__
from inquest.bundle import clock, collect, container, manifest, nodedir, parquet
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.recovery import RecoveryReport
from inquest.bundle.schema import BY_NAME, RECORDED
from inquest.bundle.scratch import scratch
from inquest.bundle.summary import MERGE_CAPTURE, Summary, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from inquest.bundle.recovery import SegmentReport

    Batches = Iterable[tuple[str, pa.RecordBatch]]
    Source = tuple[str, Batches]
    Progress = Callable[[str, int, int], None]

OWN_MEMBER_ROWS: Final = 16_384
"""A node with fewer rows of a large table shares a member with others: a footer of 5 KB would outweigh its rows."""

_RUN_ROWS: Final = 8192
_ONE_THREAD: Final = pa.ipc.IpcReadOptions(use_threads=False)


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge did. For every table, ``rows_in = rows_out + duplicates``; rows that merge derives are in neither.

    ``conflicts`` counts duplicates that were not equal (two states of one recording): the greater row was kept.
    ``incomplete`` names files of recordings that were not closed, or are damaged; the rest of them was recovered.
    """

    out: Path
    content_digest: str
    size: int
    nodes: tuple[str, ...]
    ranks: tuple[int, ...]
    missing_nodes: tuple[str, ...]
    missing_ranks: tuple[int, ...]
    rows_in: dict[str, int]
    rows_out: dict[str, int]
    duplicates: dict[str, int]
    conflicts: dict[str, int]
    incomplete: tuple[SegmentReport, ...]


def merge(
    node_dirs: Sequence[Path],
    out: Path,
    *,
    job_id: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> MergeReport:
    """Merge node directories, their parents, or bundles into the bundle ``out``.

    Args:
        node_dirs: Node directories (OUT/NODE), directories of node directories (OUT), or bundles.
        out: The file to write; it appears under its name when it is whole.
        job_id: Name of the job, where the recordings do not tell or tell several.
        force: Replace ``out`` when it exists.
        progress: Called with a phase, steps done and steps in all.

    Raises:
        UsageError: ``out`` exists or cannot be written.
        InputError: An input is neither a node directory nor a bundle, or inputs belong to different jobs.
    """
    recovered = RecoveryReport()
    sources = [(str(path), _read(path, recovered)) for path in find_inputs(node_dirs)]
    return _checked(sources, out, job_id, force, progress, recovered)


def merge_rows(
    sources: Iterable[tuple[str, Iterable[tuple[str, pa.RecordBatch]]]],
    out: Path,
    *,
    job_id: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> MergeReport:
    """Merge rows from wherever they come into the bundle ``out``.

    Args:
        sources: For each source the name that provenance and errors call it by, and its rows: pairs of a table and a
            batch with the identity columns filled. Rows are taken source by source, once, in bounded memory.
        out: See `merge`, as for the rest.
        job_id: Name of the job, where the rows do not tell or tell several.
        force: Replace ``out`` when it exists.
        progress: Called with a phase, steps done and steps in all.

    Raises:
        UsageError: ``out`` exists or cannot be written.
        InputError: Rows do not fit their table, or belong to different jobs.
    """
    return _checked(list(sources), out, job_id, force, progress, RecoveryReport())


def _checked(
    sources: Sequence[Source],
    out: Path,
    job_id: str | None,
    force: bool,
    progress: Progress | None,
    recovered: RecoveryReport,
) -> MergeReport:
    if out.exists() and not force:
        raise UsageError(f"{out} exists: choose another name, or replace it with --force")
    if not out.parent.is_dir():
        raise UsageError(f"cannot write {out}: there is no directory {out.parent}")
    try:
        return _merge(sources, out, job_id, force, progress or (lambda *_: None), recovered)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror or error}") from error


def _merge(
    sources: Sequence[Source],
    out: Path,
    job_id: str | None,
    force: bool,
    tell: Progress,
    recovered: RecoveryReport,
) -> MergeReport:
    with scratch(out) as folder:
        runs = _Runs(folder)
        for done, (name, rows) in enumerate(sources):
            tell("reading", done, len(sources))
            try:
                runs.take(rows)
            except pa.ArrowInvalid as error:
                raise InputError(
                    f"{name} holds rows that do not fit their table ({error}): check it with 'inquest verify'"
                ) from error
        members = _Members(folder)
        summary = Summary()
        nodes = runs.nodes()
        for done, node in enumerate(nodes):
            tell("writing", done, len(nodes))
            _write_node(runs, node, members, summary)
        staged = members.close()
        counts = runs.counts
        job_id = job_id or _sole_job(summary.jobs)
        tell("copying", 0, 1)
        result: manifest.Manifest | None = None

        def finish(stored: tuple[container.Stored, ...]) -> bytes:
            nonlocal result
            result = summary.manifest(
                job_id,
                [_stated(m, s) for m, s in zip(staged, stored, strict=True)],
                _provenance([name for name, _ in sources], counts),
            )
            return result.to_json()

        container.write(out, [(m.name, m.path) for m in staged], finish, force=force, scratch=folder)
        tell("copying", 1, 1)
    assert result is not None
    return MergeReport(
        out=out,
        content_digest=result.content_digest,
        size=out.stat().st_size,
        nodes=tuple(node.node for node in result.nodes),
        ranks=result.ranks,
        missing_nodes=result.missing_nodes,
        missing_ranks=result.missing_ranks,
        rows_in=dict(sorted(counts.rows_in.items())),
        rows_out=dict(sorted(counts.rows_out.items())),
        duplicates=dict(sorted(counts.duplicates.items())),
        conflicts=dict(sorted(counts.conflicts.items())),
        incomplete=tuple(s for s in recovered.segments if s.state not in ("sealed", "parquet")),
    )


def _sole_job(jobs: set[str]) -> str | None:
    if len(jobs) > 1:
        raise InputError(
            f"the recordings belong to different jobs ({', '.join(sorted(jobs)[:5])}): merge one job at a time, "
            "or name them as one with --job"
        )
    return next(iter(jobs), None)


def _stated(member: _Staged, stored: container.Stored) -> manifest.Member:
    return manifest.Member(
        name=member.name,
        table=member.table,
        node=member.node,
        sha256=stored.sha256,
        size=stored.size,
        rows=member.rows,
        tool_version=__version__,
    )


def _provenance(sources: Sequence[str], counts: _Counts) -> manifest.Provenance:
    return manifest.Provenance(
        user=_user(),
        host=platform.node(),
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        arguments=tuple(sys.argv[1:]),
        sources=tuple(sources),
        duplicates=dict(sorted(counts.duplicates.items())),
        tool_version=__version__,
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user that has no name
        return str(os.getuid())


def find_inputs(paths: Iterable[Path]) -> list[Path]:
    """Node directories and bundles that ``paths`` name, each once, sorted.

    Raises:
        InputError: A path holds neither.
    """
    found: set[Path] = set()
    for path in paths:
        if path.is_file() or _is_node_dir(path):
            found.add(path.resolve())
        elif path.is_dir():
            inside = [child for child in path.iterdir() if not child.is_symlink() and _is_node_dir(child)]
            if not inside:
                raise InputError(
                    f"{path} holds no recording: give the directory that 'inquest run --out' wrote, "
                    "or a node directory in it"
                )
            found.update(child.resolve() for child in inside)
            if (path / collect.COLLECT_JSON).is_file():
                found.add((path / collect.COLLECT_JSON).resolve())
        else:
            raise InputError(f"{path} does not exist: give node directories or bundles")
    return sorted(found)


def _is_node_dir(path: Path) -> bool:
    # Any file of a recording will do: node.json may be what was lost.
    return any(
        file.name in (nodedir.NODE_JSON, nodedir.TASK_RAW) or file.suffix in (".journal", ".raw", ".parquet")
        for capture in (path.iterdir() if path.is_dir() else ())
        if capture.is_dir() and not capture.is_symlink()
        for file in capture.iterdir()
    )


def _read(source: Path, report: RecoveryReport) -> Batches:
    if source.is_file():
        yield from _read_bundle(source)
    else:
        yield from nodedir.recover(source, report)


def _read_bundle(path: Path) -> Batches:
    if path.name == collect.COLLECT_JSON:
        yield from collect.silent_rows(path)
        return
    # Imported late: only scan.py knows how to read a stranger's Parquet safely, and it needs Polars.
    from inquest.bundle import scan

    opened, stated = manifest.open_bundle(path)
    for member in stated.members:
        if member.table not in BY_NAME:
            raise InputError(f"{path} holds a table this build does not know ({member.table}): use a newer inquest")
        file = scan.open_member(opened, member)
        columns = list(scan.stored_schema(member.table))
        for group in range(file.num_row_groups):
            for frame in scan.read_row_group(opened, member, file, group, columns):
                for batch in frame.to_arrow().to_batches():
                    yield member.table, batch


# --- first pass: sorted runs on disk -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class _Identity:
    """One recording. ``boot_id`` is "" where it was not read, so that identities can be ordered."""

    node: str
    capture: str
    boot_id: str


@dataclass(slots=True)
class _Counts:
    rows_in: dict[str, int] = field(default_factory=dict)
    rows_out: dict[str, int] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    conflicts: dict[str, int] = field(default_factory=dict)


def _count(counter: dict[str, int], table: str, more: int) -> None:
    if more:
        counter[table] = counter.get(table, 0) + more


class _Runs:
    """Rows by recording and table, in files whose ``seq`` strictly increases."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._runs: dict[_Identity, dict[str, list[Path]]] = {}
        self._files = 0
        self.counts = _Counts()

    def nodes(self) -> list[str]:
        """Names of all nodes, sorted."""
        return sorted({identity.node for identity in self._runs})

    def take(self, batches: Batches) -> None:
        """Copy one input into runs."""
        open_runs: dict[tuple[_Identity, str], _Run] = {}
        try:
            for table, batch in batches:
                for identity, rows in _by_identity(parquet.conform(table, batch)):
                    if table == "clock_alignment" and identity.capture == MERGE_CAPTURE:
                        continue
                    _count(self.counts.rows_in, table, rows.num_rows)
                    for ordered in _ascending(rows):
                        run = open_runs.get((identity, table))
                        if run is None or not run.follows(ordered):
                            if run is not None:
                                run.close()
                            run = open_runs[identity, table] = self._begin(identity, table)
                        run.write(ordered)
        finally:
            for run in open_runs.values():
                run.close()

    def _begin(self, identity: _Identity, table: str) -> _Run:
        path = self._scratch / f"run-{self._files}.arrow"
        self._files += 1
        self._runs.setdefault(identity, {}).setdefault(table, []).append(path)
        return _Run(path, table)

    def recordings(self, node: str) -> list[_Identity]:
        """All recordings of ``node``, sorted."""
        return sorted(identity for identity in self._runs if identity.node == node)

    def rows(self, identity: _Identity, table: str, alignment: clock.Alignment | None) -> Iterator[pa.RecordBatch]:
        """Rows of one recording by ascending ``seq``, on the aligned clock, without duplicates."""
        paths = self._runs[identity].get(table, [])
        for batch in _merged([_read_run(path, alignment) for path in paths], table, self.counts):
            _count(self.counts.rows_out, table, batch.num_rows)
            yield batch

    def drop(self, node: str) -> None:
        """Remove the files of a node that is done."""
        for identity in self.recordings(node):
            for paths in self._runs[identity].values():
                for path in paths:
                    path.unlink()
            del self._runs[identity]


class _Run:
    """One file being written."""

    def __init__(self, path: Path, table: str) -> None:
        # One thread: batches are small, and waking others costs more than they save.
        options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
        self._writer = pa.ipc.new_stream(path, parquet.plain_schema(table), options=options)
        self._last: int | None = None

    def follows(self, batch: pa.RecordBatch) -> bool:
        return self._last is None or bool(batch.column("seq")[0].as_py() > self._last)

    def write(self, batch: pa.RecordBatch) -> None:
        self._last = batch.column("seq")[-1].as_py()
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()


def _by_identity(batch: pa.RecordBatch) -> Iterator[tuple[_Identity, pa.RecordBatch]]:
    """``batch`` split by recording, in pieces of few rows."""
    for (node, capture, boot_id), rows in split(batch):
        for at in range(0, rows.num_rows, _RUN_ROWS):
            yield _Identity(node, capture, boot_id or ""), rows.slice(at, _RUN_ROWS)


def _ascending(batch: pa.RecordBatch) -> list[pa.RecordBatch]:
    """``batch`` as pieces whose ``seq`` strictly increases: itself, but for what a damaged recording may hold."""
    seq = batch.column("seq")
    if batch.num_rows < 2 or pc.all(pc.greater(seq[1:], seq[:-1])).as_py():
        return [batch]
    batch = batch.take(pc.sort_indices(seq))
    seq = batch.column("seq").to_pylist()
    cuts = [0, *(i for i in range(1, len(seq)) if seq[i] == seq[i - 1]), len(seq)]
    return [batch.slice(a, b - a) for a, b in itertools.pairwise(cuts)]


def _read_run(path: Path, alignment: clock.Alignment | None) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file, options=_ONE_THREAD) as stream:
        for batch in stream:
            yield clock.apply(batch, alignment)


# --- second pass: merge the runs ---------------------------------------------------------------------------------


def _merged(runs: list[Iterator[pa.RecordBatch]], table: str, counts: _Counts) -> Iterator[pa.RecordBatch]:
    heads = [(batch, run) for run in runs for batch in itertools.islice(run, 1)]
    while len(heads) > 1:
        # Every row up to the least of the last rows in hand is in hand.
        limit = min(batch.column("seq")[-1].as_py() for batch, _ in heads)
        ready, rest = [], []
        for batch, run in heads:
            cut = int(pc.sum(pc.less_equal(batch.column("seq"), limit)).as_py())
            ready.append(batch.slice(0, cut))
            left = [batch.slice(cut)] if cut < batch.num_rows else itertools.islice(run, 1)
            rest += [(more, run) for more in left]
        heads = rest
        yield _distinct(pa.Table.from_batches(ready).combine_chunks(), table, counts)
    for batch, run in heads:
        yield batch
        yield from run


def _distinct(rows: pa.Table, table: str, counts: _Counts) -> pa.RecordBatch:
    """One row for each ``seq``, ascending. Of rows that differ, the greatest in the order of columns stays."""
    rows = rows.take(pc.sort_indices(rows.column("seq"))).combine_chunks()
    batch: pa.RecordBatch = rows.to_batches()[0]
    seq = batch.column("seq")
    again = pc.equal(seq[1:], seq[:-1])
    repeats = int(pc.sum(again).as_py() or 0)
    if not repeats:
        return batch
    _count(counts.duplicates, table, repeats)
    differs = pa.array([False] * (batch.num_rows - 1))
    for column in batch.columns:
        differs = pc.or_(differs, _unequal(column[1:], column[:-1]))
    conflicts = pc.and_(differs, again)
    if not pc.any(conflicts).as_py():
        return batch.filter(pc.invert(pa.concat_arrays([pa.array([False]), again])))
    _count(counts.conflicts, table, int(pc.sum(conflicts).as_py()))
    best: dict[int, int] = {}
    values = batch.to_pylist()
    for index, row in enumerate(values):
        kept = best.get(row["seq"])
        if kept is None or _order(row) > _order(values[kept]):
            best[row["seq"]] = index
    return batch.take(pa.array(sorted(best.values())))


def _unequal(left: pa.Array, right: pa.Array) -> pa.Array:
    """Where two columns differ; null equals null and not-a-number itself."""
    unequal = pc.fill_null(pc.not_equal(left, right), False)
    if pa.types.is_floating(left.type):
        unequal = pc.and_(unequal, pc.invert(pc.fill_null(pc.and_(pc.is_nan(left), pc.is_nan(right)), False)))
    return pc.or_(unequal, pc.xor(pc.is_null(left), pc.is_null(right)))


def _order(row: dict[str, Any]) -> list[tuple[bool, bool, Any]]:
    """A total order of rows: null least, then not-a-number, then by value."""
    return [(v is not None, v == v, v if v is not None and v == v else 0) for v in row.values()]


def _write_node(runs: _Runs, node: str, members: _Members, summary: Summary) -> None:
    recordings = runs.recordings(node)
    alignments = _align(runs, recordings)
    for table in RECORDED:
        rows = itertools.chain.from_iterable(
            runs.rows(identity, table.name, alignments.get(identity.boot_id)) for identity in recordings
        )
        if table.name == "clock_alignment" and alignments:
            rows = itertools.chain(rows, [_alignment_rows(node, alignments)])
        members.write(table.name, node, _told(rows, table.name, summary))
    runs.drop(node)


def _told(rows: Iterable[pa.RecordBatch], table: str, summary: Summary) -> Iterator[pa.RecordBatch]:
    for batch in rows:
        summary.add(table, batch)
        yield batch


def _align(runs: _Runs, recordings: Iterable[_Identity]) -> dict[str, clock.Alignment]:
    triples: dict[str, clock.Triples] = {}
    for identity in recordings:
        for path in runs._runs[identity].get("clock_samples", []):
            for batch in _read_run(path, None):
                triples.setdefault(identity.boot_id, clock.Triples()).add(batch)
    aligned = {boot_id: found.align() for boot_id, found in triples.items()}
    return {boot_id: alignment for boot_id, alignment in aligned.items() if alignment is not None}


def _alignment_rows(node: str, alignments: dict[str, clock.Alignment]) -> pa.RecordBatch:
    rows = [
        {
            "node": node,
            "boot_id": boot_id or None,
            "capture": MERGE_CAPTURE,
            "seq": seq,
            "from_mono_ns": alignment.from_mono_ns,
            "to_mono_ns": alignment.to_mono_ns,
            "offset_ns": alignment.offset_ns,
            "drift_ppm": 0.0,
            "bound_ns": alignment.bound_ns,
            "method": alignment.method,
        }
        for seq, (boot_id, alignment) in enumerate(sorted(alignments.items()))
    ]
    return pa.RecordBatch.from_pylist(rows, schema=parquet.plain_schema("clock_alignment"))


@dataclass(frozen=True, slots=True)
class _Staged:
    name: str
    table: str
    node: str | None
    path: Path
    rows: int


class _Members:
    """Parquet files of the members: shared ones stay open across nodes, those of one node end with it."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._shared: dict[str, tuple[Path, parquet.Writer]] = {}
        self._done: list[_Staged] = []
        self._files = 0

    def write(self, table: str, node: str, rows: Iterator[pa.RecordBatch]) -> None:
        """Write all rows a node has of a table; nodes come one after the other."""
        if BY_NAME[table].scope == "large":
            first: list[pa.RecordBatch] = []
            for batch in rows:
                first.append(batch)
                if sum(b.num_rows for b in first) >= OWN_MEMBER_ROWS:
                    path, writer = self._begin(table)
                    with writer:
                        for own in itertools.chain(first, rows):
                            writer.write(own)
                    name = f"{table}/node={_file_name(node)}.parquet"
                    self._done.append(_Staged(name, table, node, path, writer.rows))
                    return
            rows = iter(first)
        for batch in rows:
            if table not in self._shared:
                self._shared[table] = self._begin(table)
            self._shared[table][1].write(batch)

    def _begin(self, table: str) -> tuple[Path, parquet.Writer]:
        path = self._scratch / f"member-{self._files}.parquet"
        self._files += 1
        return path, parquet.Writer(path, table)

    def close(self) -> list[_Staged]:
        """End every file; returns the members, sorted by name."""
        for table, (path, writer) in self._shared.items():
            writer.close()
            self._done.append(_Staged(f"{table}.parquet", table, None, path, writer.rows))
        return sorted(self._done, key=lambda member: member.name)


def _file_name(node: str) -> str:
    """``node`` as part of a member's name; distinct nodes have distinct names."""
    name = quote(node, safe="")
    if len(name) <= 120:
        return name
    return f"{name[:100]}~{hashlib.sha256(node.encode()).hexdigest()[:16]}"

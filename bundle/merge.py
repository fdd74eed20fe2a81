"""Merge: node directories of one job become one bundle.

Two passes, so that memory is bounded by a few row groups whatever the job's size. The first looks at what the inputs
hold (`runs`): sealed files stay where they are, everything else is put in order in scratch. Then the clocks of all
nodes are known, and the second pass walks tables and nodes in order: rows are aligned in time, duplicates removed, and
written to Parquet members, several at a time.

The result depends on the set of rows alone: order of inputs, copies of an input, and merging a bundle again change
nothing but the provenance.
"""

from __future__ import annotations

import contextlib
import datetime
import getpass
import hashlib
import itertools
import os
import platform
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypeVar
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from inquest import __version__
from inquest.bundle import artifacts, clock, collect, container, manifest, nodedir, parquet
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.overlap import Overlaps
from inquest.bundle.recovery import RecoveryReport
from inquest.bundle.runs import Counts, Recording, Runs, count, take
from inquest.bundle.same_run import SameRuns
from inquest.bundle.schema import BY_NAME, RECORDED
from inquest.bundle.scratch import scratch
from inquest.bundle.sealed import Misstated
from inquest.bundle.summary import COLLECT_CAPTURE, Summary
from inquest.bundle.unredacted import named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path
    from types import TracebackType

    from inquest.bundle.recovery import SegmentReport
    from inquest.bundle.runs import Found, Taken

    Progress = Callable[[str, int, int], None]
    Alignments = dict[clock.Clock, clock.Alignment]

T = TypeVar("T")
R = TypeVar("R")

OWN_MEMBER_ROWS: Final = 16_384
OWN_MEMBER_BYTES: Final = 16 << 20
"""A node with fewer rows and bytes of a large table shares a member with others: a footer of 5 KB would outweigh its
rows."""

MAX_WORKERS: Final = 4
"""Each worker may hold a block of rows and two row groups."""


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge did. For every table, ``rows_in = rows_out + duplicates``; rows that merge derives are in neither.

    ``conflicts`` counts duplicates that were not equal (two states of one recording): the greater row was kept.
    ``incomplete`` names files of recordings that were not closed, or are damaged; the rest of them was recovered.
    ``out`` bears a mark that was not asked for where secrets are ``unmasked`` (`inquest.bundle.unredacted`).
    """

    out: Path
    unmasked: bool
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
    workers: int | None = None,
    mask: bool = True,
) -> MergeReport:
    """Merge node directories, their parents, or bundles into the bundle ``out``.

    Args:
        node_dirs: Node directories (OUT/NODE), directories of node directories (OUT), or bundles.
        out: The file to write; it appears under its name when it is whole.
        job_id: Name of the job, where the recordings do not tell or tell several.
        force: Replace ``out`` when it exists.
        progress: Called with a phase, steps done and steps in all.
        workers: Threads that read and write; the bundle is the same whatever their number. Default: the processors
            this process may use, at most `MAX_WORKERS`.
        mask: False to leave secrets as they are in what the nodes have not sealed.

    Raises:
        UsageError: ``out`` exists or cannot be written.
        InputError: An input is neither a node directory nor a bundle, or inputs belong to different jobs.
    """
    paths = find_inputs(node_dirs)
    # The second way reads every row before it believes anything; it is needed where a sealed file is not as it says.
    for recover in (nodedir.recover_files, nodedir.recover):
        inputs = [_Input(str(path), partial(_read, path, partial(recover, mask=mask))) for path in paths]
        inputs += [_taken_along(capture) for path in paths if path.is_dir() for capture in artifacts.of_node(path)]
        with contextlib.suppress(Misstated):
            return _checked(inputs, out, job_id, force, progress, workers or _cpus())
    raise AssertionError("a file was left unread")


def merge_rows(
    sources: Iterable[tuple[str, Iterable[tuple[str, pa.RecordBatch]]]],
    out: Path,
    *,
    job_id: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
    workers: int | None = None,
    anonymous: bool = False,
    one_job: bool = True,
) -> MergeReport:
    """Merge rows from wherever they come into the bundle ``out``.

    Args:
        sources: For each source the name that provenance and errors call it by, and its rows: pairs of a table and a
            batch with the identity columns filled. Rows are taken source by source, once, in bounded memory.
        out: See `merge`, as for the rest.
        job_id: Name of the job, where the rows do not tell or tell several.
        force: Replace ``out`` when it exists.
        progress: See `merge`.
        workers: See `merge`.
        anonymous: Leave out of provenance who merges, where, and with which arguments.
        one_job: Refuse rows of different jobs; else the bundle is of no job where they tell several.

    Raises:
        UsageError: ``out`` exists or cannot be written.
        InputError: Rows do not fit their table, or belong to different jobs.
    """
    # One at a time: what gives the rows is not ours, and need not stand several threads.
    inputs = [_Input(name, lambda _, rows=rows: rows, shared=False) for name, rows in sources]  # type: ignore[misc]
    return _checked(inputs, out, job_id, force, progress, workers or _cpus(), anonymous=anonymous, one_job=one_job)


def _cpus() -> int:
    return min(MAX_WORKERS, len(os.sched_getaffinity(0)))


@dataclass(frozen=True, slots=True)
class _Input:
    """One input: how it is called, and its rows. ``shared`` says that a thread of ours may take them."""

    name: str
    open: Callable[[RecoveryReport], Found]
    shared: bool = True


def _taken_along(capture: Path) -> _Input:
    """The files that a recording took along, as an input of their own: they have clocks of their own."""
    return _Input(f"{capture}: files taken along", lambda _: artifacts.rows(capture))


def _checked(
    inputs: Sequence[_Input],
    out: Path,
    job_id: str | None,
    force: bool,
    progress: Progress | None,
    workers: int,
    *,
    anonymous: bool = False,
    one_job: bool = True,
) -> MergeReport:
    if out.exists() and not force:
        raise UsageError(f"{out} exists: choose another name, or replace it with --force")
    if not out.parent.is_dir():
        raise UsageError(f"cannot write {out}: there is no directory {out.parent}")
    try:
        tell = progress or (lambda *_: None)
        return _merge(inputs, out, job_id, force, tell, workers, anonymous=anonymous, one_job=one_job)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror or error}") from error


def _merge(
    inputs: Sequence[_Input],
    out: Path,
    job_id: str | None,
    force: bool,
    tell: Progress,
    workers: int,
    *,
    anonymous: bool = False,
    one_job: bool = True,
) -> MergeReport:
    with scratch(out) as folder, _Workers(workers) as crew:
        recovered = RecoveryReport()
        runs = _read_all(inputs, folder, crew, recovered, tell)
        summary = Summary()
        staged = _write_all(runs, _aligned(runs), folder, crew, summary, tell)
        counts = runs.counts
        job_id = job_id or _sole_job(summary.jobs, one_job=one_job)
        tell("copying", 0, 1)
        result: manifest.Manifest | None = None

        def finish(stored: tuple[container.Stored, ...]) -> bytes:
            nonlocal result
            result = summary.manifest(
                job_id,
                [_stated(m, s) for m, s in zip(staged, stored, strict=True)],
                _provenance([source.name for source in inputs], counts, anonymous=anonymous),
            )
            return result.to_json()

        out = named(out, unmasked=summary.unmasked)
        container.write(out, [(m.name, m.path) for m in staged], finish, force=force, scratch=folder)
        tell("copying", 1, 1)
    assert result is not None
    return MergeReport(
        out=out,
        unmasked=summary.unmasked,
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


def _sole_job(jobs: set[str], *, one_job: bool) -> str | None:
    if len(jobs) > 1 and not one_job:
        return None
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


def _provenance(sources: Sequence[str], counts: Counts, *, anonymous: bool) -> manifest.Provenance:
    return manifest.Provenance(
        user="" if anonymous else _user(),
        host="" if anonymous else platform.node(),
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        arguments=() if anonymous else tuple(sys.argv[1:]),
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


def _read(source: Path, recover: Callable[[Path, RecoveryReport], Found], report: RecoveryReport) -> Found:
    return _read_bundle(source) if source.is_file() else recover(source, report)


def _read_bundle(path: Path) -> Iterator[tuple[str, pa.RecordBatch]]:
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


# --- first pass: what is there -----------------------------------------------------------------------------------


class _Workers:
    """A few threads whose results are taken in the order the work was given, with little of it ahead.

    Arrow decodes, encodes and compresses outside the interpreter's lock, so threads use several processors.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool = ThreadPoolExecutor(number, thread_name_prefix="merge")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def each(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """The result of ``work`` for each item, in order."""
        ahead: deque[Future[R]] = deque()
        for item in items:
            ahead.append(self._pool.submit(work, item))
            if len(ahead) > self._number:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def _read_all(
    inputs: Sequence[_Input], folder: Path, crew: _Workers, recovered: RecoveryReport, tell: Progress
) -> Runs:
    def read(numbered: tuple[int, _Input]) -> tuple[Taken, RecoveryReport]:
        number, source = numbered
        report = RecoveryReport()
        try:
            return take(source.open(report), folder, f"run-{number}"), report
        except pa.ArrowInvalid as error:
            raise InputError(
                f"{source.name} holds rows that do not fit their table ({error}): check it with 'inquest verify'"
            ) from error

    runs = Runs(folder)
    numbered = list(enumerate(inputs))
    shared = all(source.shared for source in inputs)
    for done, (taken, report) in enumerate(crew.each(read, numbered) if shared else map(read, numbered)):
        tell("reading", done, len(inputs))
        runs.add(taken)
        recovered.captures += report.captures
        recovered.segments += report.segments
    runs.settle()
    return runs


def _aligned(runs: Runs) -> Alignments:
    """The alignment of every clock, known before a row is written."""
    seen = clock.Observations()
    for table in RECORDED:
        for recording in runs.recordings(table.name):
            if recording.capture != COLLECT_CAPTURE:  # a host that gave nothing has no clock
                seen.know(recording.node, recording.boot_id)
            if table.name in clock.SOURCES:
                for batch in runs.rows(recording, table.name, Counts()):
                    seen.observe(table.name, batch)
    return clock.estimate(seen)


# --- second pass: write ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Staged:
    """A member, as a file in scratch."""

    name: str
    table: str
    node: str | None
    path: Path
    rows: int


@dataclass(slots=True)
class _Part:
    """The rows of one node and large table: a member of their own, or so few that they share one."""

    counts: Counts
    spans: dict[Recording, tuple[int, int] | None]
    own: _Staged | None
    few: list[pa.RecordBatch]


def _write_all(
    runs: Runs, alignments: Alignments, folder: Path, crew: _Workers, summary: Summary, tell: Progress
) -> list[_Staged]:
    """Write all members, table by table and node by node: only one file that nodes share is open at a time."""
    staged: list[_Staged] = []
    for done, table in enumerate(RECORDED):
        tell("writing", done, len(RECORDED))
        nodes: dict[str, list[Recording]] = {}
        for recording in runs.recordings(table.name):
            nodes.setdefault(recording.node, []).append(recording)
        path = folder / f"{table.name}.parquet"
        with _Shared(path, table.name) as shared:
            if table.scope == "large":
                write = partial(_write_part, runs, alignments, folder, table.name)
                for part in crew.each(write, enumerate(sorted(nodes.items()))):
                    runs.counts.add(part.counts)
                    for recording, span in part.spans.items():
                        who = (recording.node, recording.capture, recording.boot_id or None)
                        summary.add_recording(table.name, *who, span)
                    for batch in part.few:
                        shared.write(batch)
                    if part.own is not None:
                        staged.append(part.own)
            else:
                if table.name == "clock_alignment":
                    nodes |= {node: [] for node, _ in alignments if node not in nodes}
                same = SameRuns(runs, runs.recordings(table.name), table.name)
                for node, recordings in sorted(nodes.items()):
                    rows = _rows(runs, alignments, table.name, recordings, runs.counts)
                    rows = same.told_once(rows, runs.counts)
                    if table.name == "clock_alignment":
                        rows = itertools.chain(rows, clock.rows(node, alignments))
                    for batch in rows:
                        summary.add(table.name, batch)
                        shared.write(batch)
                    for recording in recordings:
                        runs.drop(recording, table.name)
        if shared.rows:
            staged.append(_Staged(f"{table.name}.parquet", table.name, None, path, shared.rows))
    return sorted(staged, key=lambda member: member.name)


def _rows(
    runs: Runs, alignments: Alignments, table: str, recordings: Sequence[Recording], counts: Counts
) -> Iterator[pa.RecordBatch]:
    """The rows of one node and table as they are written."""
    overlaps = Overlaps(runs, recordings, table)
    for recording in recordings:
        alignment = alignments.get((recording.node, recording.boot_id))
        for batch in overlaps.without(recording, runs.rows(recording, table, counts), counts):
            if batch.num_rows:
                count(counts.rows_out, table, batch.num_rows)
                yield clock.apply(batch, alignment)


def _write_part(
    runs: Runs, alignments: Alignments, folder: Path, table: str, node: tuple[int, tuple[str, list[Recording]]]
) -> _Part:
    number, (name, recordings) = node
    part = _Part(Counts(), {}, None, [])

    def told() -> Iterator[pa.RecordBatch]:
        for batch in _rows(runs, alignments, table, recordings, part.counts):
            _add_span(part.spans, batch)
            yield batch

    rows = told()
    few = _Few()
    for batch in rows:
        if few.add(batch):
            path = folder / f"{table}-{number}.parquet"
            with parquet.Writer(path, table) as writer:
                for own in itertools.chain(few.batches, rows):
                    writer.write(own)
            few = _Few()
            part.own = _Staged(f"{table}/node={_file_name(name)}.parquet", table, name, path, writer.rows)
    part.few = few.batches
    for recording in recordings:
        runs.drop(recording, table)
    return part


class _Few:
    """The first rows of a node and table, until they deserve a member of their own."""

    def __init__(self) -> None:
        self.batches: list[pa.RecordBatch] = []
        self._rows = 0
        self._at_most = 0
        self._cost = 0
        self._costed = 0

    def add(self, batch: pa.RecordBatch) -> bool:
        """Whether there are enough now, by the number and values of all rows alone. Each batch is looked at once."""
        self.batches.append(batch)
        self._rows += batch.num_rows
        self._at_most += parquet.cost_at_most(batch)
        if self._rows >= OWN_MEMBER_ROWS:
            return True
        if self._at_most < OWN_MEMBER_BYTES:
            return False
        self._cost += sum(pc.sum(parquet.cost(more)).as_py() for more in self.batches[self._costed :])
        self._costed = len(self.batches)
        # What is known exactly replaces its bound, so that the bound stays close.
        self._at_most = self._cost
        return self._cost >= OWN_MEMBER_BYTES


def _add_span(spans: dict[Recording, tuple[int, int] | None], batch: pa.RecordBatch) -> None:
    """Note that a recording has rows, and from when to when; a batch is of one recording."""
    node, capture, boot_id = (batch.column(name)[0].as_py() for name in ("node", "capture", "boot_id"))
    recording = Recording(node, capture, boot_id or "")
    span = pc.min_max(batch.column("ts_ns")).as_py()
    known = spans.setdefault(recording, None)
    if span["min"] is not None:
        low, high = known or (span["min"], span["max"])
        spans[recording] = (min(low, span["min"]), max(high, span["max"]))


class _Shared:
    """The member that nodes share; a file only if there are rows."""

    def __init__(self, path: Path, table: str) -> None:
        self._path = path
        self._table = table
        self._writer: parquet.Writer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.__exit__(kind, error, trace)

    @property
    def rows(self) -> int:
        return self._writer.rows if self._writer is not None else 0

    def write(self, batch: pa.RecordBatch) -> None:
        if self._writer is None:
            self._writer = parquet.Writer(self._path, self._table)
        self._writer.write(batch)


def _file_name(node: str) -> str:
    """``node`` as part of a member's name; distinct nodes have distinct names."""
    name = quote(node, safe="")
    if len(name) <= 120:
        return name
    return f"{name[:100]}~{hashlib.sha256(node.encode()).hexdigest()[:16]}"

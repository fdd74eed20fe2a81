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
import itertools
import os
import platform
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from inquest import __version__
from inquest.bundle import artifacts, clock, collect, container, manifest, members, nodedir, templates
from inquest.bundle.crew import Crew, Hands
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.recovery import RecoveryReport
from inquest.bundle.runs import Counts, Recording, Runs, take
from inquest.bundle.schema import BY_NAME, RECORDED
from inquest.bundle.scratch import scratch
from inquest.bundle.sealed import Misstated
from inquest.bundle.summary import COLLECT_CAPTURE, Summary
from inquest.bundle.unredacted import named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from inquest.bundle.recovery import SegmentReport
    from inquest.bundle.runs import Found, Taken

    Progress = Callable[[str, int, int], None]

MAX_WORKERS: Final = 3
"""Each may hold a block of rows and two row groups, 300 MB: together they stay below a GB."""

HELPED_BYTES: Final = 4 << 20
"""With less to read, a merge is over before other processes have started."""

_FILE_BYTES: Final = 16 << 10
"""A file costs as much as this many bytes."""


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
        workers: Processes that read and write, of which this is one; the bundle is the same whatever their number.
            Default: the processors this process may use, at most `MAX_WORKERS`.
        mask: False to leave secrets as they are in what the nodes have not sealed.

    Raises:
        UsageError: ``out`` exists or cannot be written.
        InputError: An input is neither a node directory nor a bundle, or inputs belong to different jobs.
    """
    paths = find_inputs(node_dirs)
    # The second way reads every row before it believes anything; it is needed where a sealed file is not as it says.
    for recover in (nodedir.recover_files, nodedir.recover):
        with contextlib.suppress(Misstated):
            return _checked(_inputs(paths, recover, mask=mask), out, job_id, force, progress, workers or _cpus())
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
    inputs = [_Input(name, lambda _, rows=rows: rows) for name, rows in sources]  # type: ignore[misc]
    return _checked(inputs, out, job_id, force, progress, workers or _cpus(), anonymous=anonymous, one_job=one_job)


def _cpus() -> int:
    return min(MAX_WORKERS, len(os.sched_getaffinity(0)))


def _helpers(workers: int, paths: Iterable[Path]) -> int:
    """How many other processes are worth starting to read what lies at ``paths``."""
    size = 0
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else (path,):
            size += _FILE_BYTES + file.lstat().st_size
            if size >= HELPED_BYTES:
                return workers - 1
    return 0


@dataclass(frozen=True, slots=True)
class _Input:
    """One input: how it is called, its rows, and the path they lie at, where another process may take them."""

    name: str
    open: Callable[[RecoveryReport], Found]
    path: Path | None = None


def _taken_along(capture: Path) -> _Input:
    """The files that a recording took along, as an input of their own: they have clocks of their own."""
    return _Input(f"{capture}: files taken along", partial(_read_taken_along, capture), capture)


def _read_taken_along(capture: Path, _: RecoveryReport) -> Found:
    return artifacts.rows(capture)


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
    with scratch(out) as folder, Crew() as crew:
        crew.grow(_helpers(workers, [source.path for source in inputs if source.path]))
        staged = _stage(
            inputs,
            folder,
            crew,
            job_id,
            tell,
            anonymous=anonymous,
            one_job=one_job,
            sorted_out=lambda: crew.grow(_helpers(workers, [folder])),
        )
        tell("copying", 0, 1)
        out = named(out, unmasked=staged.unmasked)
        known = {m.name: m.sums for m in staged.members}
        files = [(m.name, m.path) for m in staged.members]
        said = staged.manifest.to_json()
        container.write(out, files, lambda _: said, force=force, scratch=folder, known=known)
        tell("copying", 1, 1)
    result, counts = staged.manifest, staged.counts
    return MergeReport(
        out=out,
        unmasked=staged.unmasked,
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
        incomplete=staged.recovered.incomplete,
    )


@dataclass(frozen=True, slots=True)
class Staging:
    """All of a bundle but the one file: its members, as files in scratch, and its manifest."""

    manifest: manifest.Manifest
    members: tuple[members.Staged, ...]
    unmasked: bool
    counts: Counts
    recovered: RecoveryReport


def stage(node_dirs: Sequence[Path], folder: Path, hands: Hands, *, job_id: str | None = None) -> Staging:
    """Do all of a merge but the last step: the members of the bundle lie as files in ``folder``.

    Args:
        node_dirs: See `merge`.
        folder: Where they and what is made on the way go.
        hands: Who does the work. Where they are processes elsewhere, they see the same files under the same names.
        job_id: See `merge`.

    Raises:
        InputError: See `merge`.
    """
    paths = find_inputs(node_dirs)
    for recover in (nodedir.recover_files, nodedir.recover):
        with contextlib.suppress(Misstated):
            return _stage(_inputs(paths, recover, mask=True), folder, hands, job_id, lambda *_: None)
    raise AssertionError("a file was left unread")


def _inputs(paths: Sequence[Path], recover: Callable[..., Found], *, mask: bool) -> list[_Input]:
    inputs = [_Input(str(path), partial(_read, path, partial(recover, mask=mask)), path) for path in paths]
    return inputs + [_taken_along(capture) for path in paths if path.is_dir() for capture in artifacts.of_node(path)]


def _stage(
    inputs: Sequence[_Input],
    folder: Path,
    hands: Hands,
    job_id: str | None,
    tell: Progress,
    *,
    anonymous: bool = False,
    one_job: bool = True,
    sorted_out: Callable[[], None] = lambda: None,
) -> Staging:
    recovered = RecoveryReport()
    runs = _read_all(inputs, folder, hands, recovered, tell)
    sorted_out()
    summary = Summary()
    staged = _write_all(runs, _aligned(runs, hands), folder, hands, summary, tell)
    job_id = job_id or _sole_job(summary.jobs, one_job=one_job)
    provenance = _provenance([source.name for source in inputs], runs.counts, anonymous=anonymous)
    stated = summary.manifest(job_id, [_stated(member) for member in staged], provenance)
    return Staging(stated, tuple(staged), summary.unmasked, runs.counts, recovered)


def _sole_job(jobs: set[str], *, one_job: bool) -> str | None:
    if len(jobs) > 1 and not one_job:
        return None
    if len(jobs) > 1:
        raise InputError(
            f"the recordings belong to different jobs ({', '.join(sorted(jobs)[:5])}): merge one job at a time, "
            "or name them as one with --job"
        )
    return next(iter(jobs), None)


def _stated(member: members.Staged) -> manifest.Member:
    return manifest.Member(
        name=member.name,
        table=member.table,
        node=member.node,
        sha256=member.sums.sha256,
        size=member.sums.size,
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
                    f"or a node directory in it; logs and other files are for 'inquest import {path} -o JOB.inquest'"
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
        columns = templates.told(member.table)
        for group in range(file.num_row_groups):
            for frame in scan.read_row_group(opened, member, file, group, columns, decoded=True):
                for batch in frame.to_arrow().to_batches():
                    yield member.table, batch


# --- first pass: what is there -----------------------------------------------------------------------------------


def _read_all(inputs: Sequence[_Input], folder: Path, hands: Hands, recovered: RecoveryReport, tell: Progress) -> Runs:
    runs = Runs(folder)
    work = [(number, source, folder) for number, source in enumerate(inputs)]
    with hands.begin(_take, work if all(source.path for source in inputs) else ()) as share:
        found = share.results() if share.count else map(_take, work)
        for done, (taken, report) in enumerate(found):
            tell("reading", done, len(inputs))
            runs.add(taken)
            recovered.captures += report.captures
            recovered.segments += report.segments
    runs.settle()
    return runs


def _take(work: tuple[int, _Input, Path]) -> tuple[Taken, RecoveryReport]:
    number, source, folder = work
    report = RecoveryReport()
    try:
        return take(source.open(report), folder, f"run-{number}"), report
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{source.name} holds rows that do not fit their table ({error}): check it with 'inquest verify'"
        ) from error


def _aligned(runs: Runs, hands: Hands) -> members.Alignments:
    """The alignment of every clock, known before a row is written."""
    seen = clock.Observations()
    long = [(table, recording) for table in clock.HEAD for recording in runs.recordings(table)]
    with hands.begin(
        _beginning, [(table, recording, runs.only(table, [recording])) for table, recording in long]
    ) as share:
        for table in RECORDED:
            for recording in runs.recordings(table.name):
                if recording.capture != COLLECT_CAPTURE:  # a host that gave nothing has no clock
                    seen.know(recording.node, recording.boot_id)
                if table.name in clock.SOURCES and table.name not in clock.HEAD:
                    ahead = runs.look_ahead if table.scope != "large" else partial(runs.rows, counts=Counts())
                    for batch in ahead(recording, table.name):
                        seen.observe(table.name, batch)
        for (name, _), batches in zip(long, share.results(), strict=True):
            for batch in batches:
                seen.observe(name, batch)
    return clock.estimate(seen)


def _beginning(work: tuple[str, Recording, Runs]) -> list[pa.RecordBatch]:
    """What the first rows of a recording and table tell of clocks."""
    table, recording, runs = work
    first = clock.head(table, runs.rows(recording, table, Counts()))
    return [told for batch in first if (told := clock.telling(table, batch)).num_rows]


# --- second pass: write ------------------------------------------------------------------------------------------


def _write_all(
    runs: Runs, alignments: members.Alignments, folder: Path, hands: Hands, summary: Summary, tell: Progress
) -> list[members.Staged]:
    """Write all members: helpers begin with the largest tables while those that nodes always share are written here."""
    staged: list[members.Staged] = []
    large = [table.name for table in RECORDED if table.scope == "large"]
    work = [part for table in large for part in members.parts(runs, table, alignments, folder)]
    work.sort(key=lambda part: -part.runs.size)
    with hands.begin(members.write, work) as share:
        for table in RECORDED:
            if table.scope != "large":
                staged += _write_small(runs, alignments, table.name, folder, summary)
        for done, (part, written) in enumerate(zip(work, share.results(), strict=True)):
            tell("writing", done, len(work))
            runs.counts.add(written.counts)
            staged += written.members
            for recording, span in written.spans.items():
                who = (recording.node, recording.capture, recording.boot_id or None)
                summary.add_recording(part.table, *who, span)
            for recording in part.runs.recordings(part.table):
                runs.drop(recording, part.table)
    return sorted(staged, key=lambda member: member.name)


def _write_small(
    runs: Runs, alignments: members.Alignments, table: str, folder: Path, summary: Summary
) -> list[members.Staged]:
    nodes = runs.by_node(table)
    if table == "clock_alignment":
        nodes |= {node: [] for node, _ in alignments if node not in nodes}
    path = folder / f"{table}.parquet"
    with members.Shared(path, table) as shared:
        for node, recordings in sorted(nodes.items()):
            rows = members.rows(runs, alignments, table, recordings, runs.counts)
            if table == "clock_alignment":
                rows = itertools.chain(rows, clock.rows(node, alignments))
            for batch in rows:
                summary.add(table, batch)
                shared.write(batch)
            for recording in recordings:
                runs.drop(recording, table)
    return shared.staged()

"""Files in, rows and a report out: the one way from what exists to a store or a bundle.

Every file is told apart, read by its reader, and reported: what it gave, what was left out and why. A file that fails
costs its own rows. The result depends on the set of files and the options, not on the order they were named in.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.bundle import hostlist
from inquest.bundle.errors import InputError, InquestError, UnsafeInput, UsageError
from inquest.bundle.imports import _slurm_job as slurm_job
from inquest.bundle.imports import files, meta, tenants, zone
from inquest.bundle.imports._slurm_runs import named, names_of, one_row_a_run
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.rows import UNKNOWN_NODE, Rows
from inquest.bundle.imports.source import SAMPLE
from inquest.bundle.line_clock import year_in

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
    from pathlib import Path

    from inquest.bundle.imports.files import Candidate
    from inquest.bundle.imports.kind import Kind
    from inquest.bundle.imports.meta import Meta
    from inquest.bundle.imports.source import Source
    from inquest.bundle.imports.zone import Offset

    Progress = Callable[[str, int, int], None]

_ONE_ROW_A_RUN: Final = ("slurm_jobs", "slurm_steps")
_READINGS: Final = {
    "gpu_samples": ("gpu_uuid",),
    "nvlink_samples": ("gpu_uuid", "link"),
    "host_samples": (),
    "net_samples": ("interface",),
    "disk_samples": ("device",),
    "cgroup_samples": ("cgroup",),
}
"""Tables of readings that files of metrics fill, and what tells their things apart within a node."""
_OF_NODES: Final = (*_READINGS, "gpu_events", "node_info", "devices", "kernel_log")
"""Tables that files of metrics and of kernels fill."""
_OF_GPUS: Final = ("gpu_samples", "gpu_events", "nvlink_samples")
_ADDRESS: Final = re.compile(r"[\d.]+$|[0-9a-fA-F:]*:[0-9a-fA-F:]+$")
_LOGS: Final = ("log", "log_records", "nccl-debug", "notebook")
_OF_ONE_JOB: Final = (*_ONE_ROW_A_RUN, "slurm_events")
_JOB_IN_NAME: Final = re.compile(r"(?:^|/)slurm-(\d+(?:_\d+)?)(?:\.|-|_|$)[^/]*$")


_ACCOUNTS: Final = frozenset({"sacct", "slurm-json"})
_IN_ACCOUNTS: Final = re.compile(rb'(?m)^ *(\d{1,10})(?=[|. \t]|$)|"job_id": ?(\d{1,10})\b')
_OF_A_PART: Final = re.compile(rb"(?m)^ *\d{1,10}[_+]")
"""Tasks of arrays and parts of het jobs have numbers of their own, by which their logs may be named."""


@dataclass(slots=True)
class FileReport:
    """What became of one file.

    Attributes:
        name: Its name in the import.
        kind: Kind it was read as; None where it was not read.
        title: That kind for people, "" where it was not read.
        nodes: Nodes its rows are of.
        rows: Rows by table.
        refused: Records left out, by reason.
        warnings: What to know of how it was read.
        reason: Why it was not read, or not to its end; None where it was.
        sha256: Digest of its content, expanded; None where it was not read to its end.
        bytes: Size of the content as far as it was read, else of the file.
    """

    name: str
    kind: str | None = None
    title: str = ""
    nodes: tuple[str, ...] = ()
    rows: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    reason: str | None = None
    sha256: str | None = None
    bytes: int | None = None


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        files: Every file, in order.
        offset: The cluster's offset from UTC, and how it is known.
        job_id: The job all rows belong to; None where files tell none or several.
        notes: What was inferred or assumed for all files, one sentence each.
        capture: Name of the recording that the rows belong to: a digest of files and options.
        rows: Rows by table.
    """

    files: tuple[FileReport, ...]
    offset: Offset
    job_id: str | None
    notes: tuple[str, ...]
    capture: str
    rows: dict[str, int]


@dataclass(slots=True)
class Imported:
    """Rows of all files, and the report on them."""

    rows: Rows
    report: ImportReport


def import_paths(
    paths: Sequence[str | os.PathLike[str]],
    *,
    overrides: Sequence[str] = (),
    utc_offset_minutes: int | None = None,
    job_id: str | None = None,
    exit_code: int | None = None,
    signal: int | None = None,
    asked: Sequence[tuple[Source, Kind]] = (),
    zone_here_minutes: int | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Read files of many kinds.

    Args:
        paths: Files, directories, or ``-`` for standard input. ``.gz``, ``.xz``, ``.bz2``, ``.zst`` and ``.lz4`` are
            expanded while they are read.
        overrides: ``KIND=PATTERN``: files of that name are of that kind, whatever they hold.
        utc_offset_minutes: Offset of times without a zone from UTC; None takes what ``meta.json`` says, else what the
            files tell when compared (`inquest.bundle.imports.zone`), else UTC.
        job_id: The job, where files tell none or several.
        exit_code: Exit status of the job, when the user knows it: becomes a row of ``processes``.
        signal: Signal that ended the job, when the user knows it.
        asked: Sources that are no files (answers of the scheduler), with their kinds.
        zone_here_minutes: Offset of this machine, where it is one of the cluster: taken where the files tell none.
        progress: Called with a phase, steps done and steps in all.

    Raises:
        UsageError: No path was given, or an override names no kind.
        InputError: A path does not exist, no file could be read, or the scheduler that was asked knows no such job.
        UnsafeInput: There are more files than any job leaves.
    """
    if not paths and not asked:
        raise UsageError("No log was given: name files or directories, or - for standard input.")
    forced = files.overrides_of(overrides)
    found = files.find([str(path) for path in paths]) if paths else []
    return _Import(forced, utc_offset_minutes, zone_here_minutes, job_id, progress or (lambda *_: None)).run(
        found, asked, exit_code, signal
    )


def _without_spares(candidates: list[Candidate]) -> list[Candidate]:
    """Of what may be of another run, or of none, only what is needed is read.

    A table of lines is read where no log is, and may be data; a notebook, or a text that somebody pasted a log into,
    where no curve is either, and none of its like.
    """
    if not any(c.spare for c in candidates):
        return candidates
    logs = [c for c in candidates if c.kind and c.kind.name in _LOGS and c.source.head]
    curves = any(c.kind and "metrics" in c.kind.tables for c in candidates)
    best = min((c.spare for c in logs), default=0)
    alone = best < _MAY_BE_OF_ANY or (len(logs) == 1 and not curves)
    why = "it may be of another run than the files beside it: name it to have it read"
    return [
        files.Candidate(c.source, None, why) if c.spare > best or (c.spare and not alone) else c for c in candidates
    ]


_MAY_BE_OF_ANY: Final = 2


def _only_job(heads: Iterable[bytes]) -> str | None:
    """The one job that accounting tells of; None where it tells of several, of a part, or of more than is seen."""
    jobs: set[str] = set()
    for head in heads:
        if len(head) >= SAMPLE or _OF_A_PART.search(head):
            return None
        jobs |= {(found[1] or found[2]).decode() for found in _IN_ACCOUNTS.finditer(head)} - {"0"}
    return jobs.pop() if len(jobs) == 1 else None


def _is_named(node: str, file: str) -> bool:
    """Whether a file is named after a node, by its name or the short one: a word with a digit, no part of another."""
    short, file = _short(node), file.casefold()
    if short not in file or not short[0].isalpha() or not any(letter.isdigit() for letter in short):
        return False
    return re.search(rf"(?<![a-z0-9]){re.escape(short)}(?![a-z0-9]|-\d)", file) is not None


def _short(node: str) -> str:
    """What a node's names share: no domain, and letters of one case, for hosts know none."""
    return node.partition(".")[0].casefold()


_SAMPLED: Final = frozenset({"gpu_samples", "host_samples"})
"""What is read of one host at a time."""


class _Import:
    """One import, while it goes on."""

    def __init__(
        self,
        forced: Sequence[tuple[Kind, str]],
        offset: int | None,
        offset_here: int | None,
        job_id: str | None,
        tell: Progress,
    ) -> None:
        self._forced = forced
        self._given_offset = offset
        self._offset_here = offset_here
        self._job_id = job_id
        self._tell = tell
        self._rows = Rows()
        self._reports: dict[str, FileReport] = {}
        self._errors: list[InquestError] = []
        self._metas: dict[Path, Meta] = {}
        self._notes: list[str] = []
        self._has_local_times = False
        self._settled: str | None = None
        self._only_asked = False
        self._runs: list[zone.Run] = []
        self._at_work: list[zone.Span] = []
        self._by_kind: dict[tuple[str, str], int] = {}
        self._done = 0
        self._steps = 0

    def run(
        self,
        found: Sequence[files.Found],
        asked: Sequence[tuple[Source, Kind]],
        exit_code: int | None,
        signal: int | None,
    ) -> Imported:
        """Read all of it."""
        self._only_asked = bool(asked) and not found
        candidates = self._told_apart(found, asked)
        self._read_metas(found, candidates)
        candidates = self._without_other_jobs(candidates, {item.name for item in found if not item.named})
        candidates = _without_spares(candidates)
        taken = [(c.source, c.kind) for c in candidates if c.kind is not None]
        self._steps = len(taken)
        contexts = {source.name: self._context(source) for source, _ in taken}
        self._share_year(taken, contexts)
        absolute = [(source, kind) for source, kind in taken if kind.clock == "utc"]
        local = [(source, kind) for source, kind in taken if kind.clock != "utc"]
        spans = [span for item in absolute if (span := self._read(*item, contexts[item[0].name])) is not None]
        offset = self._offset(local, contexts, [*spans, *zone.joined(self._at_work)])
        kernel = [(source, kind) for source, kind in local if kind.name == "kernel_log"]
        logs = [(source, kind) for source, kind in local if kind.name == "log"]
        others = [item for item in local if item not in kernel and item not in logs]
        # A daemon's log says least of a run: what else tells of it leads. Readings of one host come after who is known.
        sampled = [(source, kind) for source, kind in others if _SAMPLED & set(kind.tables)]
        for source, kind in sorted(
            (item for item in others if item not in sampled), key=lambda item: item[1].name == "slurm-daemons"
        ):
            self._read(source, kind, contexts[source.name])
        self._name_nodes([source for source, _ in sampled])
        for source, kind in sampled:
            self._read(source, kind, contexts[source.name])
        self._name_nodes([source for source, _ in (*logs, *kernel)])
        self._set_zones_of_containers(logs, contexts)
        for source, kind in logs:
            self._read(source, kind, contexts[source.name])
        self._read_kernel_logs(kernel, contexts)
        self._end(contexts, exit_code, signal)
        return self._finish(candidates, offset, exit_code, signal)

    def _set_zones_of_containers(self, logs: Sequence[tuple[Source, Kind]], contexts: Mapping[str, Context]) -> None:
        """Read a log's times as UTC where only that puts it into the run of accounting, else of the GPUs' work."""
        if self._given_offset is not None:
            return
        spans: list[tuple[int, int]] = []
        if "slurm_jobs" in self._rows.tables():
            for frame in self._rows.frames("slurm_jobs", "start_ns", "end_ns"):
                spans += frame.drop_nulls().rows()
        if spans:
            run = zone.Span("accounting", min(spans)[0], max(end for _, end in spans))
        elif at_work := zone.joined(self._at_work):
            run = at_work[0]
        else:
            return
        for source, kind in logs:
            context = contexts[source.name]
            if zone.fits_in_utc_only(source, kind, context, run):
                context.utc_offset_minutes = 0
                context.warn("Its times are read as UTC: as the cluster's local time they lie outside the run.")

    def _name_nodes(self, sources: Sequence[Source]) -> None:
        """Give files the node their name holds, where other files know a node of that name."""
        known = set(self._rows.all_nodes()) - {UNKNOWN_NODE}
        for table, column in (("slurm_jobs", "node_list"), ("slurm_nodes", "slurm_node_name")):
            if table in self._rows.tables():
                for frame in self._rows.frames(table):
                    known.update(hostlist.assigned(frame[column].drop_nulls().unique()))
        for source in sources:
            if source.node is None and known:
                named = sorted((node for node in known if _is_named(node, source.name)), key=lambda n: (len(n), n))
                # The short name of a node and its name with a domain are one node's (`_one_name_a_node`).
                if len({_short(node) for node in named}) == 1:
                    source.node = named[0]

    def _read_kernel_logs(self, kernel: Sequence[tuple[Source, Kind]], contexts: Mapping[str, Context]) -> None:
        """Read those last whose times count from the start of their node: the others may tell when that was."""
        if not kernel:
            return
        from inquest.bundle.imports import kernel_times  # not for a plain log

        since_boot = [item for item in kernel if kernel_times.counts_from_boot(item[0])]
        for source, kind in (item for item in kernel if item not in since_boot):
            self._read(source, kind, contexts[source.name])
        boots = kernel_times.Boots(self._rows)
        for source, kind in since_boot:
            contexts[source.name].boot_ns = boots.of(source)
            self._read(source, kind, contexts[source.name])

    # --- before reading ------------------------------------------------------------------------------------------

    def _told_apart(self, found: Sequence[files.Found], asked: Sequence[tuple[Source, Kind]]) -> list[Candidate]:
        candidates = [files.Candidate(source, kind) for source, kind in asked]
        for number, candidate in enumerate(files.told_apart(found, self._forced)):
            self._tell("looking", number, len(found))
            candidates.append(candidate)
        return candidates

    def _without_other_jobs(self, candidates: list[Candidate], walked: Set[str]) -> list[Candidate]:
        """A folder may hold the logs of many jobs: those of others by their names, where one is named after ours."""
        noted = {told.job_id for told in self._metas.values() if told.job_id}
        of = {c.source.name: found[1] for c in candidates if (found := _JOB_IN_NAME.search(c.source.name))}
        job = self._job_id or (next(iter(noted)) if len(noted) == 1 else None)
        if job is None and of:
            accounts = [c for c in candidates if c.kind is not None and c.kind.name in _ACCOUNTS]
            job = _only_job(c.source.head for c in accounts)
            if job is not None and not any(slurm_job.is_of(name, job) for name in of.values()):
                return self._without_accounts_of(job, candidates, accounts, set(of.values()), walked)
        if job is None or not any(slurm_job.is_of(name, job) for name in of.values()):
            return candidates
        return [
            files.Candidate(c.source, None, f"the log of job {of[c.source.name]}")
            if c.kind is not None
            and c.kind.name == "log"
            and c.source.name in walked
            and slurm_job.differ(of.get(c.source.name, job), job)
            else c
            for c in candidates
        ]

    def _without_accounts_of(
        self,
        job: str,
        candidates: list[Candidate],
        accounts: list[Candidate],
        named: Set[str],
        walked: Set[str],
    ) -> list[Candidate]:
        """Leave out the accounting of one job in a folder whose logs are named after others, and not known to it."""
        known = b"\n".join(c.source.head for c in accounts)
        if any(re.search(rb"(?<!\d)%s(?!\d)" % re.escape(name).encode(), known) for name in named):
            return candidates
        some = ", ".join(sorted(named)[:3])
        return [
            files.Candidate(c.source, None, f"accounting of job {job}; the logs are of {some}")
            if c in accounts and c.source.name in walked
            else c
            for c in candidates
        ]

    def _read_metas(self, found: Sequence[files.Found], candidates: Sequence[Candidate]) -> None:
        """Take every ``meta.json`` that was walked over or lies beside a named file."""
        for candidate in candidates:
            if candidate.meta and candidate.source.path is not None:
                report = self._report(candidate.source)
                try:
                    candidate.source.read(meta.MAX_BYTES)
                    told = meta.read(candidate.source.path)
                except InputError as error:
                    report.reason = f"JSON of no known kind ({error})"
                    continue
                report.kind, report.title, report.warnings = (
                    "meta",
                    "What the collector of these files noted",
                    told.notes,
                )
                report.sha256, report.bytes = candidate.source.sha256, candidate.source.bytes_read
                self._metas[candidate.source.path.absolute().parent] = told
        for folder in {item.folder.absolute() for item in found if item.named and item.folder is not None}:
            beside = folder / files.META
            if folder not in self._metas and beside.is_file() and not beside.is_symlink():
                try:
                    self._metas[folder] = meta.read(beside)
                except InputError:
                    continue  # not named by the user, and no meta.json of ours

    def _meta(self, path: Path | None) -> Meta:
        told = meta.Meta()
        if path is not None:
            for folder in reversed(path.absolute().parents):
                if folder in self._metas:
                    told = self._metas[folder].over(told)
        return told

    def _context(self, source: Source) -> Context:
        told = self._meta(source.path)
        source.node = source.node or told.node
        offset = told.utc_offset_minutes if self._given_offset is None else self._given_offset
        return Context(
            utc_offset_minutes=offset or 0,
            job_id=self._job_id or told.job_id,
            collected_at_ns=told.collected_at_ns,
            scrape_interval_s=told.scrape_interval_s,
        )

    def _share_year(self, taken: Sequence[tuple[Source, Kind]], contexts: Mapping[str, Context]) -> None:
        """Give files the year that others tell, where all that tell one agree."""
        years = {source.name: _year(source) for source, kind in taken if kind.clock == "local"}
        told = {year for year in years.values() if year is not None}
        told |= {
            datetime.fromtimestamp(context.collected_at_ns // 1_000_000_000, UTC).year
            for context in contexts.values()
            if context.collected_at_ns is not None and not told
        }
        for name, context in contexts.items():
            context.year = years.get(name) or (next(iter(told)) if len(told) == 1 else None)

    def _offset(
        self,
        local: Sequence[tuple[Source, Kind]],
        contexts: Mapping[str, Context],
        spans: list[zone.Span],
    ) -> Offset:
        """Settle the cluster's offset from UTC, and tell the readers of local times."""
        if self._given_offset is not None:
            return zone.Offset(self._given_offset, "given")
        noted = {m.utc_offset_minutes for m in self._metas.values() if m.utc_offset_minutes is not None}
        unknown = [(s, k) for s, k in local if self._meta(s.path).utc_offset_minutes is None]
        if noted and not unknown:
            return zone.Offset(noted.pop() if len(noted) == 1 else None, "meta.json")
        offset = zone.Offset(None, "none needed")
        if unknown:
            jobs = {slurm_job.whole(c.job_id) for c in contexts.values() if c.job_id} or {
                slurm_job.whole(named[1]) for name in contexts if (named := _JOB_IN_NAME.search(name))
            }
            offset = zone.inferred(unknown, contexts, spans, self._runs, frozenset(jobs))
            if offset.how == "assumed" and self._offset_here is not None:
                offset = zone.Offset(self._offset_here, "inferred", "the zone of this machine, which asked Slurm")
        for source, _ in unknown:
            contexts[source.name].utc_offset_minutes = offset.minutes or 0
        return offset

    # --- reading ---------------------------------------------------------------------------------------------------

    def _read(self, source: Source, kind: Kind, context: Context) -> zone.Span | None:
        """Read one file; returns the span of its times."""
        self._tell("reading", self._done, self._steps)
        self._done += 1
        report = self._report(source)
        report.kind, report.title = kind.name, kind.title
        self._rows.begin()
        try:
            for table, rows in kind.read(source, context):
                if table not in kind.tables:
                    raise KeyError(f"{kind.name} declares no table {table}")
                self._rows.add(table, rows, source.name, source.node)
                if kind.clock == "utc" and len(self._runs) < zone.RUNS:
                    self._runs += zone.runs_of(source.name, table, rows)
                    self._at_work += zone.at_work(source.name, table, rows)
        except UnsafeInput as error:
            self._rows.take_back()
            self._failed(report, error)
            report.kind, report.title = None, ""
        except InputError as error:
            self._failed(report, error)
        except Exception as error:
            # A stranger's file met a fault of ours: it costs this file, and is said. Polars explains over many lines.
            what = f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
            self._failed(report, InputError(f"{source.name}: our reader failed ({what[:300]})."))
        low, high = self._rows.span(at_hand=True)
        report.rows = dict(self._rows.added)
        report.nodes = tuple(sorted({node for _, node in self._rows.nodes}))
        for (_, node), rows in self._rows.nodes.items():
            self._by_kind[kind.name, node] = self._by_kind.get((kind.name, node), 0) + rows
        report.refused, report.warnings = dict(context.refused), tuple(context.warnings)
        report.bytes = source.bytes_read
        report.sha256 = source.sha256 if report.reason is None else None  # of a part it would be no file's
        self._rows.commit()
        if low is None or high is None:
            return None
        self._has_local_times |= kind.clock == "local"
        return zone.Span(source.name, low, high)

    def _failed(self, report: FileReport, error: InquestError) -> None:
        report.reason = str(error)
        self._errors.append(error)

    def _report(self, source: Source) -> FileReport:
        return self._reports.setdefault(source.name, FileReport(source.name))

    # --- after reading -----------------------------------------------------------------------------------------------

    def _end(self, contexts: Mapping[str, Context], exit_code: int | None, signal: int | None) -> None:
        """What belongs to no single file."""
        self._one_name_a_node()
        for table, keys in _READINGS.items():
            self._rows.join_readings(table, keys)
        self._name_jobs()
        for table in _ONE_ROW_A_RUN:
            if table in self._rows.tables():
                before = self._rows.counts()[table]
                self._rows.change(table, one_row_a_run)
                if joined := before - self._rows.counts()[table]:
                    self._notes.append(f"{joined:,} rows of {table} tell of runs that others tell of too: joined.")
        self._settled, told = self._job(contexts)
        self._notes += [told] if told else []
        if self._settled:
            self._only_of(self._settled)
        self._only_on_nodes_of_job()
        self._only_on_gpus_of_job()
        self._without_gpus_of_others()
        if exit_code is not None or signal is not None:
            row = {"event": "exit", "role": "task", "exit_code": exit_code, "term_signal": signal}
            self._rows.begin()
            self._rows.add("processes", [row], "", UNKNOWN_NODE)
            self._rows.commit()

    def _name_jobs(self) -> None:
        """Call jobs alike: daemons of nodes know the task 7_1 of an array by a number of its own only."""
        jobs = (row for frame in self._rows.frames("slurm_jobs", "job_id", "job_id_raw") for row in frame.to_dicts())
        names = names_of(jobs)
        for table in ("slurm_steps", "slurm_events"):
            told = {job for frame in self._rows.frames(table, "job_id") for job in frame["job_id"].unique()}
            if told & names.keys():
                self._rows.change(table, lambda rows: named(rows, names))

    def _finish(
        self,
        candidates: Sequence[Candidate],
        offset: Offset,
        exit_code: int | None,
        signal: int | None,
    ) -> Imported:
        reports = []
        for candidate in candidates:
            report = self._report(candidate.source)
            if candidate.kind is None and not candidate.meta:
                report.reason, report.bytes = candidate.reason, _size(candidate.source)
            reports.append(report)
        if not self._rows.tables() and not any(r.kind not in (None, "meta") and r.reason is None for r in reports):
            raise self._nothing(reports)
        if self._only_asked and not {"slurm_jobs", "slurm_steps"} & {*self._rows.tables()}:
            raise self._no_answer()
        notes = [*self._notes, *([offset.sentence] if self._has_local_times or offset.how == "given" else [])]
        capture = _capture(reports, offset, self._settled, exit_code, signal)
        self._note_attempts(reports, notes)
        rows = self._rows
        return Imported(
            rows,
            ImportReport(
                files=tuple(reports),
                offset=offset,
                job_id=self._settled,
                notes=tuple(notes),
                capture=capture,
                rows=rows.counts(),
            ),
        )

    def _no_answer(self) -> InputError:
        """Why the scheduler, which alone was asked, tells nothing of the job."""
        asked = pl.concat(self._rows.frames("collection", "collector", "detail"))
        told = [f"{name}: {why}" for name, why in asked.iter_rows()]
        return InputError(f"Slurm told nothing of the job ({'; '.join(told[:3])}); name the files to import.")

    def _nothing(self, reports: Sequence[FileReport]) -> InquestError:
        """Why there is nothing at all."""
        if len(reports) == 1 and self._errors:
            return self._errors[0]
        first = "; ".join(f"{r.name}: {r.reason or 'no rows'}" for r in reports[:3])
        more = f" (and {len(reports) - 3} more)" if len(reports) > 3 else ""
        kind = UnsafeInput if any(isinstance(error, UnsafeInput) for error in self._errors) else InputError
        return kind(f"no file could be read: {first}{more}. Name other files, or say what they are with --as.")

    def _job(self, contexts: Mapping[str, Context]) -> tuple[str | None, str | None]:
        """The job all rows belong to, and what to say where it is in doubt."""
        if self._job_id:
            return self._job_id, None
        noted = {context.job_id for context in contexts.values() if context.job_id}
        named = {found[1] for name in contexts if (found := _JOB_IN_NAME.search(name)) and self._reports[name].kind}
        told = {
            str(job).split("+")[0]
            for table in ("slurm_jobs", "processes")
            for frame in self._rows.frames(table, "job_id")
            for job in frame["job_id"].drop_nulls().unique()
        }
        # A daemon's log tells of all jobs of its cluster: asked last.
        happened = {
            str(job).split("+")[0]
            for frame in self._rows.frames("slurm_events", "job_id")
            for job in frame["job_id"].drop_nulls().unique()
        }
        for jobs in (noted, told, named & told if told else named, happened):
            if len(jobs) == 1:
                return jobs.pop(), None
        doubt = noted or told or named or happened
        if not doubt:
            return None, None
        some = ", ".join(sorted(doubt)[:5]) + (", ..." if len(doubt) > 5 else "")
        return None, f"The files tell of {len(doubt)} jobs ({some}); say which one with --job."

    def _only_of(self, job: str) -> None:
        """Leave out what Slurm tells of other jobs; where it tells of others only, the user knows why it is there."""
        told = {
            table: {str(name) for frame in self._rows.frames(table, "job_id") for name in frame["job_id"].drop_nulls()}
            for table in _OF_ONE_JOB
            if table in self._rows.tables()
        }
        others = {name for names in told.values() for name in names if not slurm_job.is_of(name, job)}
        if not others or not any(names - others for names in told.values()):
            return
        left = 0
        for table, names in told.items():
            if names & others:
                before = self._rows.counts()[table]
                self._rows.change(table, lambda rows: [row for row in rows if row["job_id"] not in others])
                left += before - self._rows.counts().get(table, 0)
        some = ", ".join(sorted(others)[:3]) + (", ..." if len(others) > 3 else "")
        self._notes.append(f"{left:,} rows tell of other jobs than {job} ({some}): left out.")

    def _only_on_nodes_of_job(self) -> None:
        """Leave out what is of nodes that were not the job's: a query is soon asked for a whole partition.

        Where accounting names the job's nodes and metrics know one of them by that name; an address is nobody's name.
        """
        if "slurm_jobs" not in self._rows.tables():
            return
        ours = {node.partition(".")[0] for node in self._nodes_of_job()}
        read = {node for table in _OF_NODES for node in self._rows.nodes_of(table)}
        short = {node: node.partition(".")[0] for node in read if node != UNKNOWN_NODE and not _ADDRESS.match(node)}
        others = {node for node, name in short.items() if name not in ours}
        if not others or not any(name in ours for name in short.values()):
            return
        for table in _OF_NODES:
            if others & self._rows.nodes_of(table):
                self._rows.without(table, pl.col("node").is_in(others))
        gone = others - set(self._rows.all_nodes())
        self._by_kind = {place: rows for place, rows in self._by_kind.items() if place[1] not in gone}
        for report in self._reports.values():
            report.nodes = tuple(node for node in report.nodes if node not in gone)
        some = ", ".join(sorted(others)[:3]) + (", ..." if len(others) > 3 else "")
        self._notes.append(f"Readings of {len(others):,} nodes that were not the job's ({some}): left out.")

    def _nodes_of_job(self) -> set[str]:
        """Nodes that accounting says the job ran on, by the names it has for them."""
        return {
            node
            for frame in self._rows.frames("slurm_jobs", "node_list")
            for node in hostlist.assigned(frame["node_list"].drop_nulls().unique())
        }

    def _one_name_a_node(self) -> None:
        """Call a node by its short name where files differ, or are named: exporters alone tell it with a domain."""
        self._one_case_a_node()
        nodes = set(self._rows.all_nodes()) - {UNKNOWN_NODE}
        known = nodes | self._nodes_of_job()
        by_short: dict[str, set[str]] = {}
        for node in nodes:
            if "." in node and not _ADDRESS.match(node):
                by_short.setdefault(node.partition(".")[0], set()).add(node)
        known |= {
            short
            for short, nodes in by_short.items()
            if any(_is_named(node, file) and node not in file for node in nodes for file in self._reports)
        }
        # Lists of nodes may be cut, and not every node has a log: those of one domain are called alike.
        alike = {node.partition(".")[2] for short, nodes in by_short.items() if short in known for node in nodes}
        names = {
            node: short
            for short, (node, *more) in by_short.items()
            if not more and (short in known or node.partition(".")[2] in alike)
        }
        self._rename_nodes(names)

    def _one_case_a_node(self) -> None:
        """Call a node by the letters that accounting has for it, else by small ones, where files differ in case."""
        nodes, listed = set(self._rows.all_nodes()) - {UNKNOWN_NODE}, self._nodes_of_job()
        spelled: dict[str, set[str]] = {}
        for node in nodes | listed:
            if not _ADDRESS.match(node):
                spelled.setdefault(_short(node), set()).add(node.partition(".")[0])
        own = {_short(node): node.partition(".")[0] for node in sorted(listed)}
        names = {}
        for node in nodes:
            _, dot, domain = node.partition(".")
            if len(spelled.get(_short(node), ())) > 1:
                names[node] = own.get(_short(node), _short(node)) + dot + domain.casefold()
        self._rename_nodes({node: name for node, name in names.items() if node != name})

    def _rename_nodes(self, names: dict[str, str]) -> None:
        if not names:
            return
        self._rows.rename_nodes(names)
        counted: dict[tuple[str, str], int] = {}
        for (kind, node), rows in self._by_kind.items():
            place = kind, names.get(node, node)
            counted[place] = counted.get(place, 0) + rows
        self._by_kind = counted
        for report in self._reports.values():
            report.nodes = tuple(sorted({names.get(node, node) for node in report.nodes}))

    def _only_on_gpus_of_job(self) -> None:
        """Leave out readings of GPUs that other jobs held on the job's nodes, where the exporter says whose each was.

        Only on nodes where it names the job: elsewhere nobody knows what is missing.
        """
        if self._settled is None or "placements" not in self._rows.tables():
            return
        job = self._settled
        told = pl.concat(self._rows.frames("placements", "node", "job_id", "visible_gpus")).drop_nulls()
        ours: dict[str, set[str]] = {}
        for node, name, gpus in told.iter_rows():
            if slurm_job.is_of(name, job):
                ours.setdefault(node, set()).update(gpus.split(","))
        self._rows.without(
            "placements", ~pl.col("job_id").is_in({n for n in told["job_id"] if slurm_job.is_of(n, job)})
        )
        if not ours:
            return
        held = pl.col("gpu_uuid").is_in({gpu for gpus in ours.values() for gpu in gpus})
        self._leave_out_gpus(pl.col("node").is_in(set(ours)) & ~held & pl.col("gpu_uuid").is_not_null())

    def _without_gpus_of_others(self) -> None:
        """Leave out readings of GPUs that were at work for others on the job's nodes, where no exporter says so."""
        if self._settled is None or not {"slurm_jobs", "gpu_samples"} <= set(self._rows.tables()):
            return
        runs = pl.concat(self._rows.frames("slurm_jobs", "start_ns", "end_ns")).filter(pl.col("start_ns").is_not_null())
        began, ended = runs["start_ns"].min(), runs["end_ns"].max()
        if not isinstance(began, int) or not isinstance(ended, int) or runs["end_ns"].null_count():
            return
        theirs = tenants.held_by_others(self._rows.frames("gpu_samples", *tenants.COLUMNS), began, ended)
        if theirs:
            seats = pl.concat_str("node", pl.lit("\0"), "gpu_uuid")
            self._leave_out_gpus(seats.is_in({f"{node}\0{gpu}" for node, gpu in theirs}))

    def _leave_out_gpus(self, others: pl.Expr) -> None:
        gone: set[str] = set()
        for table in _OF_GPUS:
            if table in self._rows.tables():
                for frame in self._rows.frames(table, "node", "gpu_uuid"):
                    gone.update(frame.filter(others)["gpu_uuid"].unique())
        if gone:
            for table in _OF_GPUS:
                self._rows.without(table, others)
            self._notes.append(f"Readings of {len(gone):,} GPUs that the job did not hold on its nodes: left out.")

    def _note_attempts(self, reports: Sequence[FileReport], notes: Sequence[str]) -> None:
        """Rows of ``artifacts`` (one a file) and ``collection`` (one a kind and node)."""
        home = next(iter(self._rows.all_nodes()), UNKNOWN_NODE)
        files_told = [
            {
                "node": report.nodes[0] if len(report.nodes) == 1 else home,
                "path": report.name,
                "kind": report.kind or "not read",
                "rows": sum(report.rows.values()) if report.kind else None,
                "bytes": report.bytes,
                "sha256": report.sha256,
                "reason": report.reason,
                "detail": _detail(report),
            }
            for report in reports
        ]
        self._rows.begin()
        self._rows.add("artifacts", files_told, "", home)
        self._rows.add("collection", list(self._attempts(reports, home, notes)), "", home)
        self._rows.commit()

    def _attempts(self, reports: Sequence[FileReport], home: str, notes: Sequence[str]) -> Iterator[dict[str, Any]]:
        by_name: dict[str, list[FileReport]] = {}
        for report in reports:
            if report.kind is not None and report.kind != "meta":
                by_name.setdefault(report.kind, []).append(report)
        for name in sorted(by_name):
            mine = by_name[name]
            nodes = sorted(node for kind, node in self._by_kind if kind == name) or [home]
            for node in nodes:
                here = [r for r in mine if node in r.nodes or (not r.nodes and node == nodes[0])]
                rows = self._by_kind.get((name, node), 0)
                broken = [r for r in here if r.reason]
                outcome = ("truncated" if rows else "failed") if broken else ("ok" if rows else "empty")
                told = [r.reason for r in broken] + [w for r in here for w in r.warnings] + list(notes)
                notes = ()  # of the whole import, said once
                yield {
                    "node": node,
                    "collector": f"import:{name}",
                    "outcome": outcome,
                    "tables": ",".join(sorted({table for r in here for table in r.rows})) or None,
                    "rows": rows,
                    "drops": sum(sum(r.refused.values()) for r in here) if len(nodes) == 1 else None,
                    "detail": " ".join(dict.fromkeys(filter(None, told)))[:2000] or None,
                }
        if left := [r for r in reports if r.kind is None and files.may_be_evidence(r.reason or "")]:
            named = ", ".join(f"{r.name} ({r.reason})" for r in left)
            yield {
                "node": home,
                "collector": "import",
                "outcome": "failed",
                "rows": 0,
                "detail": f"not read: {named}"[:2000],
            }


def _detail(report: FileReport) -> str | None:
    refused = [f"left out {count:,}: {why}." for why, count in sorted(report.refused.items())]
    return " ".join([*refused, *report.warnings])[:2000] or None


def _size(source: Source) -> int | None:
    try:
        return source.path.stat().st_size if source.path is not None else None
    except OSError:
        return None


def _year(source: Source) -> int | None:
    """The year a text tells, in its first or last lines."""
    try:
        return year_in(source.head) or year_in(source.tail)
    except InputError:
        return None  # said when it is read


def _capture(
    reports: Sequence[FileReport], offset: Offset, job_id: str | None, exit_code: int | None, signal: int | None
) -> str:
    """Name of the recording: equal for equal files read in the same way."""
    read = sorted([r.name, r.kind or "", r.sha256 or "", r.bytes or 0] for r in reports)
    how = [offset.minutes, job_id, exit_code, signal]
    return "import-" + hashlib.sha256(json.dumps([read, how]).encode()).hexdigest()[:12]

"""Files in, rows and a report out: the one way from what exists to a store or a bundle.

Every file is told apart, read by its reader, and reported: what it gave, what was left out and why. A file that fails
costs its own rows. The result depends on the set of files and the options, not on the order they were named in.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.errors import InputError, InquestError, UnsafeInput, UsageError
from inquest.bundle.imports import _slurm_job as slurm_job
from inquest.bundle.imports import chosen, files, meta, nodes, one_job, several_runs, zone
from inquest.bundle.imports._slurm_runs import named, names_of, one_row_a_run
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.reports import Imported, ImportReport, Reports
from inquest.bundle.imports.rows import READINGS, UNKNOWN_NODE, Rows
from inquest.bundle.imports.steps import told_apart
from inquest.bundle.line_clock import year_in

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from inquest.bundle.imports.files import Candidate
    from inquest.bundle.imports.kind import Kind
    from inquest.bundle.imports.meta import Meta
    from inquest.bundle.imports.reports import FileReport
    from inquest.bundle.imports.source import Source
    from inquest.bundle.imports.zone import Offset

    Progress = Callable[[str, int, int], None]

_ONE_ROW_A_RUN: Final = ("slurm_jobs", "slurm_steps")
_SAMPLED: Final = frozenset({"gpu_samples", "host_samples", "stack_samples"})
"""What is read of one host at a time."""


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
        self._reports = Reports()
        self._errors: list[InquestError] = []
        self._metas: dict[Path, Meta] = {}
        self._notes: list[str] = []
        self._has_local_times = False
        self._settled: str | None = None
        self._only_asked = False
        self._runs: list[zone.Run] = []
        self._at_work: list[zone.Span] = []
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
        walked = {item.name for item in found if not item.named}
        job = self._noted_job()
        candidates = chosen.of_one_job(candidates, walked, job)
        if job is None:
            candidates, told = several_runs.of_one_run(candidates, walked)
            self._notes += [told] if told else []
        candidates = chosen.without_spares(candidates)
        taken = [(c.source, c.kind) for c in candidates if c.kind is not None]
        self._steps = len(taken)
        contexts = {source.name: self._context(source) for source, _ in taken}
        self._share_year(taken, contexts)
        absolute = [(source, kind) for source, kind in taken if kind.clock == "utc"]
        local = [(source, kind) for source, kind in taken if kind.clock != "utc"]
        spans = [span for item in absolute if (span := self._read(*item, contexts[item[0].name])) is not None]
        days = zone.days_of(spans)
        for source, _ in local:
            contexts[source.name].days = days
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
        self._name_nodes_by_their_likes(sampled)
        self._set_zone_of_browsers(sampled, contexts)
        for source, kind in sampled:
            self._read(source, kind, contexts[source.name])
        self._name_nodes([source for source, _ in (*logs, *kernel)])
        self._name_nodes_of_kernels([source for source, _ in kernel if source.node is None])
        only = nodes.only_of_job(self._rows, job)
        for source, _ in logs:
            source.node = source.node or only
        self._set_zones_of_containers(logs, contexts)
        for source, kind in logs:
            self._read(source, kind, contexts[source.name])
        self._read_kernel_logs(kernel, contexts)
        self._end(contexts, exit_code, signal)
        return self._finish(candidates, offset, exit_code, signal)

    def _run_of_accounting(self) -> zone.Span | None:
        """From the first begin of the job to its last end, where accounting tells both."""
        spans: list[tuple[int, int]] = []
        if "slurm_jobs" in self._rows.tables():
            for frame in self._rows.frames("slurm_jobs", "start_ns", "end_ns"):
                spans += frame.drop_nulls().rows()
        return zone.Span("accounting", min(spans)[0], max(end for _, end in spans), of_run=True) if spans else None

    def _set_zone_of_browsers(self, sampled: Sequence[tuple[Source, Kind]], contexts: Mapping[str, Context]) -> None:
        """Read panels saved in words by the zone of who saved them, where only that puts the work into the run."""
        run = self._run_of_accounting()
        panels = [
            (source, kind)
            for source, kind in sampled
            if kind.name == "grafana-csv" and self._meta(source.path).utc_offset_minutes is None
        ]
        if self._given_offset is not None or run is None or not panels:
            return
        try:
            told = zone.of_browser(panels, run)
        except InputError:
            return  # said when it is read
        for source, _ in panels if told is not None else ():
            context = contexts[source.name]
            if told is not None and told != context.utc_offset_minutes:
                context.utc_offset_minutes = told
                context.warn(
                    f"Its times are read as UTC{zone.written(told)}: as the cluster's, its GPUs work outside the run."
                )

    def _set_zones_of_containers(self, logs: Sequence[tuple[Source, Kind]], contexts: Mapping[str, Context]) -> None:
        """Read a log's times as UTC where only that puts it into the run of accounting, else of the GPUs' work."""
        if self._given_offset is not None:
            return
        if (accounted := self._run_of_accounting()) is not None:
            run = accounted
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
        known = nodes.known(self._rows)
        for source in sources:
            if source.node is None:
                source.node = nodes.in_name(source.name, known)

    def _name_nodes_by_their_likes(self, sampled: Sequence[tuple[Source, Kind]]) -> None:
        """Tell readings of several hosts apart by the names of their files, where nothing else knows a node by name."""
        if nodes.known(self._rows):
            return
        for name in {kind.name for _, kind in sampled}:
            mine = [source for source, kind in sampled if kind.name == name and source.node is None]
            alike = nodes.by_their_likes([source.name for source in mine])
            for source in mine:
                source.node = alike.get(source.name)

    def _name_nodes_of_kernels(self, sources: Sequence[Source]) -> None:
        """Give kernels' logs whose lines may not tell a host the node that their names, or accounting, leave."""
        alike = {} if nodes.known(self._rows) else nodes.by_their_likes([source.name for source in sources])
        for source in sources:
            source.node = nodes.of_kernel_log(source.name, self._rows) or alike.get(source.name)

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

    def _noted_job(self) -> str | None:
        """The job that was given, else the one that all notes name."""
        noted = {told.job_id for told in self._metas.values() if told.job_id}
        return self._job_id or (next(iter(noted)) if len(noted) == 1 else None)

    def _read_metas(self, found: Sequence[files.Found], candidates: Sequence[Candidate]) -> None:
        """Take every ``meta.json`` that was walked over or lies beside a named file."""
        for candidate in candidates:
            if candidate.meta and candidate.source.path is not None:
                report = self._reports.of(candidate.source.name)
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
                slurm_job.whole(job) for name in contexts if (job := slurm_job.in_name(name)) is not None
            }
            here = frozenset(map(nodes.short, self._rows.all_nodes())) - {UNKNOWN_NODE}
            offset = zone.inferred(unknown, contexts, spans, self._runs, frozenset(jobs), here)
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
        report = self._reports.of(source.name)
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
        self._reports.count(kind.name, self._rows.nodes)
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

    # --- after reading -----------------------------------------------------------------------------------------------

    def _end(self, contexts: Mapping[str, Context], exit_code: int | None, signal: int | None) -> None:
        """What belongs to no single file."""
        if owners := nodes.owners(self._rows):
            self._rows.name_by_gpus(owners)
        self._rename_nodes(nodes.spelled_alike(self._rows))
        self._rename_nodes(nodes.short_names(self._rows, self._reports.files()))
        if by_ns := max(self._rows.join_readings(table, keys) for table, keys in READINGS.items()):
            self._notes.append(told_apart(by_ns))
        self._name_jobs()
        for table in _ONE_ROW_A_RUN:
            if table in self._rows.tables():
                before = self._rows.counts()[table]
                self._rows.change(table, one_row_a_run)
                if joined := before - self._rows.counts()[table]:
                    self._notes.append(f"{joined:,} rows of {table} tell of runs that others tell of too: joined.")
        if not self._job_id and (left_out := one_job.without_a_job_before(self._rows, contexts)):
            self._rename_nodes(left_out[0])
            self._note(left_out[1])
        self._settled, doubt = self._job(contexts)
        self._note(doubt)
        self._leave_out_others(contexts)
        if exit_code is not None or signal is not None:
            row = {"event": "exit", "role": "task", "exit_code": exit_code, "term_signal": signal}
            self._rows.begin()
            self._rows.add("processes", [row], "", UNKNOWN_NODE)
            self._rows.commit()

    def _leave_out_others(self, contexts: Mapping[str, Context]) -> None:
        """Leave out what is of other jobs, and of what those held."""
        if self._settled:
            self._note(one_job.without_other_jobs(self._rows, self._settled))
        else:
            self._note(one_job.without_jobs_in_doubt(self._rows, contexts))
        for leave_out in (one_job.without_other_nodes, one_job.without_unnamed_nodes):
            if left_out := leave_out(self._rows):
                gone, sentence = left_out
                self._reports.forget_nodes(gone)
                self._note(sentence)
        if self._settled:
            self._note(one_job.without_gpus_placed_elsewhere(self._rows, self._settled))
            self._note(one_job.without_gpus_of_tenants(self._rows))

    def _note(self, sentence: str | None) -> None:
        if sentence is not None:
            self._notes.append(sentence)

    def _rename_nodes(self, names: Mapping[str, str]) -> None:
        if names:
            self._rows.rename_nodes(names)
            self._reports.rename_nodes(names)

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
            report = self._reports.of(candidate.source.name)
            if candidate.kind is None and not candidate.meta:
                report.reason, report.bytes = candidate.reason, _size(candidate.source)
            reports.append(report)
        if not self._rows.tables() and not any(r.kind not in (None, "meta") and r.reason is None for r in reports):
            raise self._nothing(reports)
        if self._only_asked and not {"slurm_jobs", "slurm_steps"} & {*self._rows.tables()}:
            raise self._no_answer()
        notes = [*self._notes, *([offset.sentence] if self._has_local_times or offset.how == "given" else [])]
        capture = _capture(reports, offset, self._settled, exit_code, signal)
        self._reports.keep(self._rows, reports, notes)
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
        logs = [name for name in contexts if self._reports.of(name).kind == "log"]
        return one_job.settle(self._rows, noted, self._jobs_in_names(contexts), logs)

    def _jobs_in_names(self, contexts: Mapping[str, Context]) -> set[str]:
        """Jobs after which files are named that were read."""
        return {job for name in contexts if (job := slurm_job.in_name(name)) and self._reports.of(name).kind}


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

"""Redact: an existing bundle masked again by today's rules, and names in it replaced by pseudonyms.

Two passes. The first reads only the columns that tell names (nodes, users, node lists, command lines); the second
writes every row anew through merge, so that the result is a bundle like any other: same rows, same order of seq.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import manifest, parquet, templates
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.journal import DERIVED_SEQ
from inquest.bundle.mask import Masker, masked_columns
from inquest.bundle.merge import merge_rows
from inquest.bundle.pseudonyms import ALWAYS_KEPT, HINT_TELLING, LIMITS, SORTS, Pseudonyms, Sort
from inquest.bundle.schema import BY_NAME
from inquest.bundle.unredacted import MARK, SUFFIX, UNMASKED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from inquest.bundle.merge import MergeReport, Progress

_KEY_BYTES: Final = 32
_MAP_FORMAT: Final = "inquest-pseudonyms/1"

# What a column holds, where that is more than text. Columns called the same hold the same in every table.
_HOSTS: Final = frozenset(
    (
        *("hostname", "slurm_node", "host", "master_addr", "node_list", "failed_node", "batch_host"),
        *("rss_peak_node", "slurm_node_name", "peer", "reference"),
    )
)
_USERS: Final = frozenset(("user", "cancelled_by", "reason_by"))
_PATHS: Final = frozenset(("exe", "cwd", "stdout_path", "stderr_path", "work_dir", "path", "device", "source"))
_COMMANDS: Final = frozenset(("argv", "submit_line", "batch_command"))
_ENVIRONMENTS: Final = frozenset(("env", "job_env"))
_JOBS: Final = frozenset(("job_name",))
_STEPS: Final = frozenset(("step_name",))
_GPUS: Final = frozenset(("gpu_uuid", "gpu_uuids"))
_SERIALS: Final = frozenset(("serial",))
_STREAMS: Final = re.compile(r"stdout|stderr|pty|file|kernel_log")


@dataclass(frozen=True, slots=True)
class RedactReport:
    """What was redacted: secrets masked now, by rule; names replaced, by sort; and what stays, as sentences."""

    merged: MergeReport
    masked: dict[str, int]
    replaced: dict[str, int]
    names: dict[str, int]
    kept: tuple[str, ...]


def redact(
    path: Path,
    out: Path,
    *,
    sorts: Sequence[Sort] = (),
    key: bytes | None = None,
    map_file: Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> RedactReport:
    """Write the bundle ``path`` to ``out`` with secrets masked and names of ``sorts`` replaced.

    Args:
        path: The bundle; it is not changed.
        out: The bundle to write.
        sorts: What to replace.
        key: Key of the tokens; the same key gives the same tokens. None: a new one, which nobody keeps.
        map_file: Where to write which name became which token, readable by its owner only. It undoes the redaction.
        force: Replace ``out`` and ``map_file`` where they exist.
        progress: See `merge`.

    Raises:
        UsageError: ``out`` or ``map_file`` exists or cannot be written, or ``out`` is ``path``.
        InputError: ``path`` is no bundle, or one that cannot be read.
    """
    if out.exists() and path.exists() and out.samefile(path):
        raise UsageError(f"{out} is the bundle itself: evidence is never changed; write to another file")
    if out.name.endswith(MARK + SUFFIX):
        raise UsageError(f"{out.name} would call a redacted bundle unredacted: name it otherwise")
    if map_file is not None and map_file.exists() and not force:
        raise UsageError(f"{map_file} exists: choose another name, or replace it with --force")
    _, stated = manifest.open_bundle(path)
    job = _Redaction(path, sorts, key or secrets.token_bytes(_KEY_BYTES))
    job.learn(stated)
    merged = merge_rows(
        [(f"bundle {stated.content_digest}", job.rows())],
        out,
        job_id=stated.job_id,
        force=force,
        progress=progress,
        anonymous=bool(sorts),
        one_job=False,  # accounting may tell of several
    )
    if map_file is not None:
        _write_map(map_file, job.names.map, force=force)
    kept = [LIMITS[sort] for sort in SORTS if sort in sorts] + job.names.limits
    return RedactReport(
        merged=merged,
        masked=dict(sorted(job.masked.items())),
        replaced={sort: job.names.counts[sort] for sort in SORTS if sort in sorts},
        names={sort: len(job.names.map[sort]) for sort in SORTS if sort in sorts},
        kept=(*kept, ALWAYS_KEPT) if sorts else (),
    )


def read_key(path: Path) -> bytes:
    """The key in a file of hexadecimal digits; a new one is made where there is no such file.

    Raises:
        UsageError: The file cannot be read or written.
        InputError: It holds no key.
    """
    try:
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(_KEY_BYTES) + "\n")
        with open(path, "rb") as file:
            text = file.read(4096)
    except OSError as error:
        raise UsageError(f"cannot use the key in {path}: {error.strerror}") from error
    try:
        key = bytes.fromhex(text.decode("ascii").strip())
    except ValueError:
        key = b""
    if len(key) < 16:
        raise InputError(
            f"{path} holds no key: it must be 32 or more hexadecimal digits; a new file is filled with one"
        )
    return key


def _write_map(path: Path, names: dict[Sort, dict[str, str]], *, force: bool) -> None:
    plain = {sort: dict(sorted(tokens.items())) for sort, tokens in names.items()}
    text = json.dumps({"format": _MAP_FORMAT, **plain}, indent=1, ensure_ascii=False) + "\n"
    staged = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        if path.exists() and not force:
            raise UsageError(f"{path} exists: choose another name, or replace it with --force")
        staged.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        staged.unlink(missing_ok=True)


class _Redaction:
    """Rows of one bundle on their way through."""

    def __init__(self, path: Path, sorts: Sequence[Sort], key: bytes) -> None:
        self._path = path
        self.names = Pseudonyms(sorts, key)
        self.masked: Counter[str] = Counter()
        self._masker = Masker(key)
        self._replaced: Counter[tuple[str, str, str]] = Counter()
        self._first: tuple[str, str, str | None] | None = None
        self._hint: str | None = None

    def learn(self, stated: manifest.Manifest) -> None:
        """Take the names that tables tell."""
        if self.names.sorts:
            for name in (*(node.node for node in stated.nodes), *stated.missing_nodes):
                self.names.learn_hosts(name)
            for _, batch in self._read(_telling):
                for column in batch.schema.names:
                    values = batch.column(column)
                    if column == "text":
                        values = values.filter(pc.fill_null(pc.match_substring_regex(values, HINT_TELLING), False))
                    learn = self._teacher(column)
                    for value in values.unique().to_pylist():
                        if value:
                            learn(value)
        self.names.ready()
        self._hint = self.names.hint()

    def _teacher(self, column: str) -> Callable[[str], None]:
        if column in _HOSTS or column == "node":
            return self.names.learn_hosts
        if column in _USERS:
            return self.names.learn_user
        if column in _ENVIRONMENTS:
            return self.names.learn_environment
        if column in _JOBS:
            return self.names.learn_job
        if column in _GPUS:
            return self.names.learn_gpus
        if column == "text":
            return self.names.learn_text
        return self.names.learn_path

    def rows(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Every row of the bundle, redacted; last, what was redacted."""
        for table, read in self._read(templates.told):
            if table == "artifact_parts":  # files whole, which nobody can look into here: their rows are what stays
                self._replaced["removed", table, "content"] += read.num_rows
                continue
            # What was left unmasked is masked now.
            unmasked = pc.equal(read.column("rule"), UNMASKED) if table == "redactions" else None
            batch = read if unmasked is None else read.filter(pc.invert(pc.fill_null(unmasked, False)))
            yield table, self._batch(table, parquet.conform(table, batch))
        rows = self._report_rows()
        if rows:
            yield "redactions", pa.RecordBatch.from_pylist(rows, schema=parquet.plain_schema("redactions"))

    def _read(self, columns: Callable[[str], Sequence[str]]) -> Iterator[tuple[str, pa.RecordBatch]]:
        # Imported late: only scan.py knows how to read a stranger's Parquet safely, and it needs Polars.
        from inquest.bundle import scan

        opened, stated = manifest.open_bundle(self._path)
        for member in stated.members:
            if member.table not in BY_NAME:
                raise InputError(
                    f"{self._path} holds a table this build does not know ({member.table}): use a newer one"
                )
            wanted = list(columns(member.table))
            file = scan.open_member(opened, member)
            for group in range(file.num_row_groups):
                for frame in scan.read_row_group(opened, member, file, group, wanted, decoded=True):
                    for batch in frame.to_arrow().to_batches():
                        yield (
                            member.table,
                            batch.cast(pa.schema([parquet.plain_schema(member.table).field(n) for n in wanted])),
                        )

    def _batch(self, table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = list(batch.columns)
        for index, column in enumerate(BY_NAME[table].columns):
            values = columns[index]
            if column.type not in ("str", "dict") or values.null_count == len(values):
                continue
            if column.name == "node":
                columns[index] = _by_value(values, self.names.node)
                continue
            if column.name in masked_columns(table):
                values = self._mask(table, column.name, batch, values)
            if self.names.sorts and column.name not in ("boot_id", "capture"):
                values = self._rename(table, column.name, values, repeats=column.type == "dict")
            columns[index] = values
        if batch.num_rows:
            who = tuple(columns[batch.schema.get_field_index(n)][0].as_py() for n in ("node", "capture", "boot_id"))
            self._first = min(filter(None, (self._first, who)), key=lambda key: tuple(part or "" for part in key))
        return pa.RecordBatch.from_arrays(columns, schema=batch.schema)

    def _mask(self, table: str, column: str, batch: pa.RecordBatch, values: pa.Array) -> pa.Array:
        streams = None
        if (table, column) == ("log_lines", "text"):
            parts = [batch.column(name).to_pylist() for name in ("node", "capture", "task", "stream", "source")]
            streams = [":".join(map(str, key)) for key in zip(*parts, strict=True)]
        return self._masker.column(values, table, column, streams)

    def _rename(self, table: str, column: str, values: pa.Array, *, repeats: bool) -> pa.Array:
        before = self.names.counts.copy()
        replace = self._replacer(column)
        if repeats:
            changed = _by_value(values, replace)
        else:
            hits = None
            if self._hint is not None and replace == self.names.text:
                hits = pc.fill_null(pc.match_substring_regex(values, self._hint), False)
            changed = _where(values, hits, replace)
        for sort, count in (self.names.counts - before).items():
            self._replaced[f"pseudonym_{sort}", table, column] += count
        return changed

    def _replacer(self, column: str) -> Callable[[str], str]:
        if column in _HOSTS:
            return self.names.hosts
        if column in _USERS:
            return self.names.user
        if column in _ENVIRONMENTS:
            return self.names.environment
        if column in _JOBS:
            return self.names.job
        if column in _STEPS:
            return self.names.step
        if column in _GPUS:
            return self.names.gpus
        if column in _SERIALS:  # elsewhere told by the word before it
            return lambda value: self.names.gpus(f"serial {value}").removeprefix("serial ")
        if column in _PATHS:
            return lambda value: value if _STREAMS.fullmatch(value) else self.names.path(value)
        return self.names.text

    def _report_rows(self) -> list[dict[str, Any]]:
        counts = Counter(self._masker.counts())
        for (rule, _, _), count in counts.items():
            self.masked[rule] += count
        counts.update(self._replaced)
        if self._first is None:
            return []
        node, capture, boot_id = self._first
        rows = []
        for (rule, table, column), count in sorted(counts.items()):
            row = {"rule": rule, "in_table": table, "in_column": column, "count": count}
            # Beside the rows that recovery counts from DERIVED_SEQ, which take 48 bits.
            seq = DERIVED_SEQ + (1 << 49) + zlib.crc32(json.dumps(row).encode())
            rows.append({**row, "node": node, "capture": capture, "boot_id": boot_id, "seq": seq})
        return rows


def _telling(table: str) -> tuple[str, ...]:
    """Columns that tell names."""
    wanted = _HOSTS | _USERS | _PATHS | _COMMANDS | _ENVIRONMENTS | _JOBS | _GPUS | {"text"}
    return ("node", *(c.name for c in BY_NAME[table].columns if c.name in wanted))


def _by_value(values: pa.Array, replace: Callable[[str], str]) -> pa.Array:
    """Each distinct value replaced once."""
    encoded = values.dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    changed = [replace(value) for value in distinct]
    if changed == distinct:
        return values
    return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(changed, pa.string())).cast(pa.string())


def _where(values: pa.Array, hits: pa.Array | None, replace: Callable[[str], str]) -> pa.Array:
    if hits is None:
        return pa.array([None if text is None else replace(text) for text in values.to_pylist()], pa.string())
    if not pc.any(hits).as_py():
        return values
    return pc.replace_with_mask(
        values, hits, pa.array([replace(t) for t in values.filter(hits).to_pylist()], pa.string())
    )

"""Verify: is every byte of a bundle what a merge wrote, and does it say of itself what its rows say?

Opening a bundle already derives every byte outside the members again. Verify adds the members: their digests, that
every value decodes, that the statistics by which a scan skips rows and columns are true, and that the manifest
follows from the rows.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl
import pyarrow as pa

from inquest.bundle import parquet, scan
from inquest.bundle.cells import CELLS, cells
from inquest.bundle.container import MANIFEST
from inquest.bundle.errors import InputError
from inquest.bundle.manifest import open_bundle
from inquest.bundle.schema import BY_NAME
from inquest.bundle.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow.parquet as pq

    from inquest.bundle.container import Container
    from inquest.bundle.manifest import Manifest, Member

_IDENTITY: Final = ("node", "capture", "boot_id", "seq")
_CELL: Final = "(cell)"


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What verify found: ``problems`` is empty when the bundle is whole. ``size`` is in bytes.

    ``altered`` says that bytes are not those that were written; else a problem was written into the bundle.
    """

    path: Path
    content_digest: str
    size: int
    members: int
    rows: int
    problems: tuple[str, ...]
    altered: bool

    @property
    def ok(self) -> bool:
        """True when nothing is wrong."""
        return not self.problems


def verify(path: Path) -> VerifyReport:
    """Check every byte of the bundle at ``path``.

    Raises:
        InputError: It cannot be opened as a bundle at all; what is wrong inside is in the report.
    """
    container, manifest = open_bundle(path)
    problems: list[str] = []
    if bytes(container.member(MANIFEST)) != manifest.to_json():
        problems.append(f"{MANIFEST} is not written as inquest writes it")
    problems += [
        f"{entry.name} does not have the checksum its header states"
        for entry in container.entries
        if not container.crc_matches(entry)
    ]
    summary = Summary()
    altered = bool(problems)
    for member in manifest.members:
        container.check_size()
        if hashlib.sha256(container.member(member.name)).hexdigest() != member.sha256:
            problems.append(f"{member.name} does not have the digest the manifest states")
            altered = True
        elif member.table in BY_NAME:
            try:
                problems += _check_member(container, member, summary)
            except InputError as error:
                # The remedy after the last colon is for a caller that stops here.
                problems.append(str(error).removeprefix(f"{path}: ").rpartition(": ")[0])
    if not problems:
        problems += _check_manifest(manifest, summary)
    return VerifyReport(
        path=path,
        content_digest=manifest.content_digest,
        size=path.stat().st_size,
        members=len(manifest.members),
        rows=sum(member.rows for member in manifest.members),
        problems=tuple(problems),
        altered=altered,
    )


def _check_member(container: Container, member: Member, summary: Summary) -> list[str]:
    problems: list[str] = []
    file = scan.open_member(container, member)
    columns = list(scan.stored_schema(member.table))
    required = [column.name for column in BY_NAME[member.table].columns if not column.nullable]
    things = parquet.SERIES.get(member.table, ())
    stored = scan.stored_schema(member.table)
    last = pl.DataFrame(schema={**{name: stored[name] for name in (*_IDENTITY, *things)}, _CELL: pl.String})
    block = last.select(_IDENTITY)
    for group in range(file.num_row_groups):
        parts = list(scan.read_row_group(container, member, file, group, columns, decoded=True))
        rows = pl.concat([*parts, pl.DataFrame(schema=scan.stored_schema(member.table))])
        if rows.height != file.metadata.row_group(group).num_rows:
            problems.append(f"{member.name} holds fewer rows than it states")
        if any(rows[name].null_count() for name in required):
            problems.append(f"{member.name} lacks values of {', '.join(required)}")
            break
        if member.node is not None and not (rows["node"] == member.node).all():
            problems.append(f"{member.name} holds rows of another node")
        if not _statistics_hold(file, group, rows):
            problems.append(f"{member.name} states bounds that its values exceed")
        told = rows.select(*_IDENTITY, *things, _cell(member.table, rows))
        if not (_ordered(told, last, things) or (things and _ordered(told, last, ()))):  # early bundles: by seq alone
            problems.append(f"{member.name} holds rows twice or out of order")
        last = told.tail(1)
        if things:
            known = _block_so_far(block, rows)
            if known is None:
                problems.append(f"{member.name} gives one number to two rows")
                break
            block = known
        for batch in rows.to_arrow().to_batches():
            summary.add(member.table, parquet.conform(member.table, batch))
    return problems


def _statistics_hold(file: pq.ParquetFile, group: int, rows: pl.DataFrame) -> bool:
    alike = parquet.alike(file.metadata.row_group(group), rows.columns)
    if not all(
        rows[name].eq_missing(pl.Series([value], dtype=rows[name].dtype)).all() for name, value in alike.items()
    ):
        return False
    for name, (low, high, nulls) in scan.statistics(file.metadata.row_group(group), rows.columns).items():
        column = rows[name]
        if column.null_count() != nulls or nulls == len(column) or low > column.min() or high < column.max():
            return False
    return True


def _cell(table: str, rows: pl.DataFrame) -> pl.Series:
    """What event each row tells of: two states of one row that tell of different events are two rows."""
    if table not in CELLS:
        return pl.repeat("", rows.height, dtype=pl.String, eager=True).alias(_CELL)
    told = pa.chunked_array([cells(table, batch) for batch in rows.to_arrow().to_batches()], pa.string())
    return pl.Series(_CELL, told).fill_null("")


def _ordered(rows: pl.DataFrame, last: pl.DataFrame, things: Sequence[str]) -> bool:
    """Whether rows strictly increase as `parquet.in_order` has them, the one before them included."""
    keys = pl.concat([last, rows]).with_columns(
        pl.col("boot_id").fill_null(""),
        *(pl.col(name).fill_null("" if last.schema[name] == pl.String else -1) for name in things),
        _block=pl.col("seq") // parquet.BLOCK_ROWS,
    )
    order = [*_IDENTITY[:-1], "_block", *things, "seq", _CELL]
    greater = pl.lit(value=False)
    for name in reversed(order):
        earlier = pl.col(name).shift(1)
        greater = (pl.col(name) > earlier) | ((pl.col(name) == earlier) & greater)
    return bool(keys.select(greater.slice(1).all()).item())


def _block_so_far(before: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame | None:
    """Identities of the block that is not over after ``rows``, or None where a number stands twice.

    Rows that lie thing by thing are in order though two things share a number: that is told only by looking at all
    numbers of a block, which are at most `parquet.BLOCK_ROWS`.
    """
    known = pl.concat([before, rows.select(_IDENTITY)])
    if known.n_unique() < known.height:
        return None
    block = (*_IDENTITY[:-1], pl.col("seq") // parquet.BLOCK_ROWS)
    return known.join(known.tail(1).select(block), on=block, how="semi", nulls_equal=True)


def _check_manifest(manifest: Manifest, summary: Summary) -> list[str]:
    follows = summary.manifest(manifest.job_id, manifest.members, manifest.provenance)
    # A bundle of an earlier build keeps the digest of the schema it was written with.
    follows = dataclasses.replace(follows, schema_digest=manifest.schema_digest, content_digest=manifest.content_digest)
    return [
        f"{MANIFEST} states {field.name} other than the rows say"
        for field in dataclasses.fields(manifest)
        if getattr(manifest, field.name) != getattr(follows, field.name)
    ]

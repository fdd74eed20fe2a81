"""A store whose large tables stay where they lie: questions travel to the rows, and only answers travel back.

What it is about was merged by the same hands that answer now (`merge.stage`), and lies as files that all of them see.
Tables that are small by nature are read here. Of a large one, a scan sends what is asked for and of which rows to
whoever has hands free; rows that are no answer are never moved. The answers are those of a bundle, in the same order.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, cast

import polars as pl
from polars.io.plugins import register_io_source

from inquest.bundle.errors import DamagedBundle
from inquest.bundle.scan import apart, frame_schema, no_rows, scan
from inquest.bundle.schema import BY_NAME, RECORDED
from inquest.bundle.store import _info as info_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from inquest.bundle.by_node import Plan
    from inquest.bundle.container import Container
    from inquest.bundle.crew import Hands
    from inquest.bundle.manifest import Member
    from inquest.bundle.merge import Staging
    from inquest.bundle.store import StoreInfo


class Files:
    """Members that lie as files, read as those of a container are."""

    def __init__(self, path: Path, files: Mapping[str, Path]) -> None:
        self.path = path
        self._files = files

    def member(self, name: str) -> memoryview:
        """The bytes of a member.

        Raises:
            DamagedBundle: It cannot be read.
        """
        try:
            with open(self._files[name], "rb") as file:
                return memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
        except (OSError, ValueError) as error:
            raise DamagedBundle(
                f"{self._files[name]} cannot be read ({error}): analyze the recordings again"
            ) from error


@dataclass(frozen=True, slots=True)
class _Members:
    """Some members of one table, and where they lie."""

    table: str
    members: tuple[Member, ...]
    files: Files

    def scan(self) -> pl.LazyFrame:
        return scan(cast("Container", self.files), self.members, self.table)

    def apart(self, parts: int) -> list[_Members]:
        """The same members, in order, as at most ``parts`` runs of about as many rows."""
        share = sum(member.rows for member in self.members) / parts
        numbered = zip(itertools.accumulate(member.rows for member in self.members), self.members, strict=True)
        runs = itertools.groupby(numbered, key=lambda one: min(parts - 1, int((one[0] - 1) / share)))
        return [_Members(self.table, tuple(member for _, member in run), self.files) for _, run in runs]


class FarStore:
    """A store over a staged merge.

    Args:
        staging: The merge; its files must stay as long as the store is used.
        folder: Where the files lie.
        hands: Who reads them.
        abreast: How many of them there are: a question is taken to so many at once, not to every member.
    """

    def __init__(self, staging: Staging, folder: Path, hands: Hands, abreast: int) -> None:
        self._hands = hands
        self._abreast = abreast
        files = Files(folder, {member.name: member.path for member in staging.members})
        by_table: dict[str, list[Member]] = {}
        for member in staging.manifest.members:
            by_table.setdefault(member.table, []).append(member)
        self._tables = {table: _Members(table, tuple(members), files) for table, members in by_table.items()}
        self._info = info_of(staging.manifest)

    @property
    def info(self) -> StoreInfo:
        """What the recordings are about: what their bundle would say."""
        return self._info

    def tables(self) -> tuple[str, ...]:
        """Names of the recorded tables that have rows, in the order of the schema."""
        return tuple(table.name for table in RECORDED if table.name in self._tables)

    def scan(self, table: str) -> pl.LazyFrame:
        """Rows of a known table; see ``Store.scan``."""
        held = self._tables.get(table)
        if held is None:
            return no_rows(table).lazy()
        return (
            held.scan()
            if BY_NAME[table].scope != "large"
            else register_io_source(lambda *asked: self._answers(held, *asked), schema=frame_schema(table))
        )

    def by_node(self, table: str, plan: Plan) -> pl.DataFrame:
        """The answer of a plan whose every group lies within one node; see ``by_node``."""
        held = self._tables.get(table)
        if held is None or BY_NAME[table].scope != "large":
            return plan(self.scan(table)).collect(engine="streaming")
        work = [(part, plan) for part in held.apart(self._abreast)]
        with self._hands.begin(_planned, work) as share:
            return pl.concat(list(share.results()))

    def _answers(
        self,
        held: _Members,
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        _batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        schema = frame_schema(held.table)
        columns = list(schema) if with_columns is None else with_columns
        yield pl.DataFrame(schema={name: schema[name] for name in columns})
        left = n_rows
        # n_rows counts rows before the predicate, so that a part cannot know how many it may leave out.
        there = None if n_rows is not None else _told(predicate)
        asked = columns if there is not None or predicate is None else [*columns, *_more(predicate, columns)]
        work = [(part, asked, there, n_rows) for part in held.apart(1 if n_rows is not None else self._abreast)]
        with self._hands.begin(_asked, work) as share:
            for frame in share.results():
                part = frame if left is None else frame.head(left)
                left = None if left is None else left - part.height
                yield (part if there is not None or predicate is None else part.filter(predicate)).select(columns)


def _told(predicate: pl.Expr | None) -> bytes | None:
    """A predicate as bytes; None where there is none, or it holds what cannot be written down."""
    with contextlib.suppress(pl.exceptions.PolarsError, TypeError):
        return None if predicate is None else predicate.meta.serialize()
    return None


def _more(predicate: pl.Expr, columns: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(predicate.meta.root_names()) if name not in columns]


def _asked(work: tuple[_Members, list[str], bytes | None, int | None]) -> pl.DataFrame:
    """One question, where the rows are."""
    members, columns, told, n_rows = work
    frame = members.scan()
    if told is not None:
        frame = frame.filter(pl.Expr.deserialize(BytesIO(told)))
    return (frame if n_rows is None else frame.head(n_rows)).select(columns).collect()


def _planned(work: tuple[_Members, Plan]) -> pl.DataFrame:
    held, plan = work
    parts = apart(cast("Container", held.files), held.members, held.table)
    return pl.concat([plan(part).collect(engine="streaming") for part in parts])

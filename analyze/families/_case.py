"""The claims a family makes while it judges: numbered, each with SQL that re-computes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inquest.analyze.model import Claim, RowRef
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence


class Claims:
    """Collects a family's claims; ids are "A1.1", "A1.2" in the order they are made."""

    def __init__(self, ev: Evidence, family: str) -> None:
        """Start with none."""
        self._ev = ev
        self._family = family
        self._made: list[Claim] = []

    def row(self, text: str, table: str, row: dict[str, Any], column: str, unit: str = "") -> None:
        """Claim the value of ``column`` in one row of evidence."""
        where = f"node = {literal(row['node'])} AND seq = {int(row['seq'])}"
        if row.get("capture"):
            where += f" AND capture = {literal(row['capture'])}"
        ref = RowRef(table, row["node"], int(row["seq"]), row.get("capture") or "")
        excerpt = str(row.get("text") or row.get("message") or row.get(column) or "")
        self.sql(text, f"SELECT {column} FROM {table} WHERE {where}", table, unit, (ref,), excerpt)

    def ending(self, what: str, row: dict[str, Any]) -> None:
        """Claim how ``what`` ended, from one row of ``fact_exits``: its signal, else its exit code."""
        if row["term_signal"] is not None:
            self.row(f"Number of the signal that ended {what}", "fact_exits", row, "term_signal")
        else:
            self.row(f"Exit code of {what}", "fact_exits", row, "exit_code")

    def sql(
        self, text: str, sql: str, table: str, unit: str = "", rows: tuple[RowRef, ...] = (), excerpt: str = ""
    ) -> None:
        """Claim the first column of the one row that ``sql`` gives."""
        number = len(self._made) + 1
        self._made.append(
            self._ev.claim(
                id=f"{self._family}.{number}", text=text, sql=sql, unit=unit, table=table, rows=rows, excerpt=excerpt
            )
        )

    @property
    def all(self) -> tuple[Claim, ...]:
        """The claims made so far."""
        return tuple(self._made)

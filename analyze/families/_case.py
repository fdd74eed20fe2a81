"""The claims a family makes while it judges: numbered, each with SQL that re-computes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from inquest.analyze.model import Claim, RowRef
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Value

Measure = Literal["COUNT", "MAX", "MIN", "MEDIAN"]


class Claims:
    """Collects a family's claims; ids are "A1.1", "A1.2" in the order they are made (of a parent, "E2.parent.1")."""

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
        # Facts are numbered anew where rows are taken away: what they were read from tells them apart then.
        where += "".join(f" AND {name} = {row[name]}" for name in ("line_seq", "row_seq") if row.get(name) is not None)
        if table == "fact_steps" and row.get("line_seq") is None and row.get("step") is not None:
            where += f" AND step = {int(row['step'])}"
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
        self,
        text: str,
        sql: str,
        table: str,
        unit: str = "",
        rows: tuple[RowRef, ...] = (),
        excerpt: str = "",
        known: Value = None,
    ) -> None:
        """Claim the first column of the one row that ``sql`` gives; it is not asked where that is ``known``."""
        whose = "" if self._ev.name == "run" else f"{self._ev.name}."
        number = f"{self._family}.{whose}{len(self._made) + 1}"
        self._made.append(
            self._ev.claim(
                id=number, text=text, sql=sql, unit=unit, table=table, rows=rows, excerpt=excerpt, known=known
            )
        )

    def over(
        self, text: str, measure: Measure, column: str, table: str, where: str = "TRUE", *, unit: str = ""
    ) -> None:
        """Claim ``measure`` of ``column`` ("*" to count rows) over the rows of ``table`` that match ``where``.

        It cites what it counts: of a greatest or least value the rows that hold it, else the earliest rows counted.
        """
        query = f"SELECT {measure}({column}) FROM {table} WHERE {where}"
        told = where if column == "*" else f"{where} AND {column} IS NOT NULL"
        if measure in ("MAX", "MIN"):
            extreme = self._ev.sql(query).item()
            told = "FALSE" if extreme is None else f"{where} AND {column} = {literal(extreme)}"
        self.sql(text, query, table, unit, self._ev.rows(table, told))

    def rise(
        self,
        text: str,
        column: str,
        table: str,
        series: tuple[str, ...],
        where: str = "TRUE",
        *,
        unit: str = "",
        known: tuple[tuple[str | None, ...], int, int] | None = None,
    ) -> None:
        """Claim how much a counter rose at most in one of its ``series``, whose key columns are given.

        It cites the first reading of the least and the first of the greatest value of that series. Where that series
        and these values are ``known`` they are not looked for.
        """
        keys = ", ".join(series)
        risen = (
            f"SELECT {keys}, MIN({column}) AS least, MAX({column}) AS most FROM {table} WHERE {where} GROUP BY {keys}"
        )
        order = f"ORDER BY MAX({column}) - MIN({column}) DESC NULLS LAST, {keys}"
        *named, least, most = (
            self._ev.sql(f"{risen} {order}", row_limit=1).row(0) if known is None else (*known[0], *known[1:])
        )
        mine = " AND ".join(
            f"{key} {'IS NULL' if value is None else '= ' + literal(value)}"
            for key, value in zip(series, named, strict=True)
        )
        cited = [
            row
            for value in (least, most)
            for row in self._ev.rows(table, f"{where} AND {mine} AND {column} = {literal(value)}", 1)
        ]
        by = None if known is None else known[2] - known[1]
        self.sql(text, rise_sql(column, table, series, where), table, unit, tuple(cited), known=by)

    @property
    def all(self) -> tuple[Claim, ...]:
        """The claims made so far."""
        return tuple(self._made)


def rise_sql(column: str, table: str, series: tuple[str, ...], where: str = "TRUE") -> str:
    """SQL of how much a counter rose at most in one of its series."""
    return (
        f"SELECT MAX(rise) AS rise FROM (SELECT MAX({column}) - MIN({column}) AS rise FROM {table} WHERE {where}"
        f" GROUP BY {', '.join(series)}) AS rises"
    )

"""SQL over evidence: what may run, and how it runs.

Unrestricted Polars SQL opens any file or URL (``read_csv(...)``), so every statement, ours as well as a reader's or an
assistant's, is parsed by sqlglot and walked node by node against an allow-list before it runs; what is not listed is
refused. What runs is not the text that came in but the statement written anew from the tree that was checked, so that
two parsers can never disagree about it. The dialect is what Polars and DuckDB both understand.

``ts`` columns are nanosecond timestamps; ``NaN`` is compared as ``'NaN'::double``.
"""

from __future__ import annotations

import logging
import math
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.errors import QueryRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from sqlglot import exp

ROW_LIMIT: Final = 10_000
"""Rows a query gives at most, unless the caller says otherwise."""

SECONDS: Final = 30.0
"""Wall-clock seconds a reader's query may take."""

MAX_CHARS: Final = 20_000
"""Length of a statement, in characters."""

MAX_JOINS: Final = 8
"""Joins in one statement: each may multiply rows, so a handful must do."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names of sqlglot's node classes. Structure first, then operators, then functions.
_STRUCTURE: Final = _words(
    "Select From Where Group Having Order Ordered Limit Offset Distinct Join Union Except Intersect With CTE Subquery "
    "TableAlias Table Column Identifier Star Alias Literal Null Boolean Paren Tuple Window WindowSpec Filter DataType "
    "Var IgnoreNulls RespectNulls Interval"
)
_OPERATORS: Final = _words(
    "And Or Not EQ NEQ GT GTE LT LTE Is In Between Like ILike Escape Add Sub Mul Div IntDiv Mod Neg DPipe Case If "
    "BitwiseAnd BitwiseOr NullSafeEQ NullSafeNEQ Exists RegexpLike"
)
_FUNCTIONS: Final = _words(
    "Count Sum Min Max Avg Median PercentileCont Stddev Variance First Last GroupConcat "
    "RowNumber Rank DenseRank Lag Lead FirstValue LastValue "
    "Abs Round Floor Ceil Sign Sqrt Pow Ln Exp Greatest Least Coalesce Nullif Cast TryCast "
    "Lower Upper Length Substring Trim StrPosition StartsWith EndsWith Concat Replace Left Right SplitPart Reverse "
    "TimestampTrunc TimeToStr Extract"
)
_ALLOWED: Final = _STRUCTURE | _OPERATORS | _FUNCTIONS


def literal(value: str | int | float | bool | None) -> str:
    """``value`` as SQL text; the one way text from evidence may enter a statement."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and not math.isfinite(value):
        return f"'{value}'::double"
    if isinstance(value, int | float):
        return repr(value)
    return "'" + value.replace("'", "''") + "'"


def check(sql: str, tables: Collection[str]) -> tuple[str, ...]:
    """Refuse ``sql`` unless it is one SELECT over ``tables`` within the allow-list.

    Returns:
        The tables it reads, sorted.

    Raises:
        QueryRefused: Saying what is refused and what to do instead.
    """
    return _checked(sql, frozenset(tables))[1]


def run(
    sql: str,
    frames: Mapping[str, pl.LazyFrame] | Callable[[str], pl.LazyFrame],
    *,
    tables: Collection[str] | None = None,
    row_limit: int = ROW_LIMIT,
    seconds: float | None = None,
) -> pl.DataFrame:
    """Check ``sql``, then run it.

    Args:
        sql: One SELECT.
        frames: Registered tables, or a function that gives the frame of a table (then ``tables`` names them all);
            only those the statement reads are asked for.
        tables: Names that may be read; default: the keys of ``frames``.
        row_limit: Rows given at most. To learn whether there are more, ask for one more.
        seconds: Wall-clock limit. A statement past it is given up, though a step of the engine that already runs ends
            in its own time: a program that goes on afterwards should run strangers' queries in a process of their own.

    Raises:
        QueryRefused: The statement is refused, cannot be run, or took too long.
    """
    if callable(frames):
        lookup, names = frames, frozenset(tables or ())
    else:
        lookup, names = frames.__getitem__, frozenset(frames if tables is None else tables)
    statement, reads = _checked(sql, names)
    context: pl.SQLContext[pl.LazyFrame] = pl.SQLContext(
        frames={name: lookup(name) for name in reads}, register_globals=False
    )
    try:
        plan = context.execute(statement, eager=False).head(row_limit)
        return plan.collect() if seconds is None else _within(plan, seconds)
    except pl.exceptions.ColumnNotFoundError as error:
        columns = "; ".join(f"{name}: {', '.join(lookup(name).collect_schema().names())}" for name in reads)
        raise QueryRefused(f"The query names a column that is not there ({_first_line(error)}). {columns}") from error
    except pl.exceptions.PolarsError as error:
        raise QueryRefused(f"The query cannot be run: {_first_line(error)}. Change it and try again.") from error


def _within(plan: pl.LazyFrame, seconds: float) -> pl.DataFrame:
    # A thread of our own: Polars' background queries abort the whole process when they are given up.
    answer: list[pl.DataFrame | BaseException] = []

    def collect() -> None:
        try:
            answer.append(plan.collect())
        except BaseException as error:  # handed to the caller below
            answer.append(error)

    worker = threading.Thread(target=collect, name="inquest-query", daemon=True)
    worker.start()
    worker.join(seconds)
    if not answer:
        raise QueryRefused(f"The query ran past {seconds:g} s. Narrow it with WHERE, or join fewer rows.")
    if isinstance(answer[0], BaseException):
        raise answer[0]
    return answer[0]


def _first_line(error: BaseException) -> str:
    return _plain(next(iter(str(error).splitlines()), type(error).__name__))


def _plain(text: str) -> str:
    """``text`` as a sentence may hold it: what comes from a query may be anything."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:500])


@lru_cache(maxsize=512)
def _checked(sql: str, tables: frozenset[str]) -> tuple[str, tuple[str, ...]]:
    """The statement to run, written anew, and the tables it reads."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    # It warns on standard error of statements that are refused below, in one sentence.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    if len(sql) > MAX_CHARS:
        raise QueryRefused(f"The query is longer than {MAX_CHARS} characters. Shorten it.")
    try:
        statements = [tree for tree in sqlglot.parse(sql, read="duckdb") if tree is not None]
    except (SqlglotError, RecursionError) as error:
        raise QueryRefused(f"The query cannot be read as SQL: {_first_line(error)}. Write one SELECT.") from error
    if len(statements) != 1:
        raise QueryRefused(f"{len(statements)} statements were given. Write exactly one SELECT.")
    tree = statements[0]
    if not isinstance(tree, exp.Select | exp.SetOperation):
        raise QueryRefused(f"A {tree.key.upper()} statement is refused. Only SELECT (and WITH ... SELECT) may run.")
    nodes = list(tree.walk())
    for node in nodes:
        _check_node(node)
    if sum(isinstance(node, exp.Join) for node in nodes) > MAX_JOINS:
        raise QueryRefused(f"More than {MAX_JOINS} joins are refused. Join fewer tables.")
    ctes = {node.alias for node in nodes if isinstance(node, exp.CTE)}
    reads = {_table_name(node) for node in nodes if isinstance(node, exp.Table)} - ctes
    unknown = sorted(reads - tables)
    if unknown:
        raise QueryRefused(f"There is no table {unknown[0]!r}. Tables are: {', '.join(sorted(tables))}.")
    return tree.transform(_for_polars).sql(dialect="duckdb", comments=False), tuple(sorted(reads))


def _for_polars(node: exp.Expr) -> exp.Expr:
    """A match of a pattern by the name that Polars gives it: DuckDB calls it ``REGEXP_MATCHES``."""
    from sqlglot import exp

    if not isinstance(node, exp.RegexpLike):
        return node
    told = [node.this, node.expression, node.args.get("flag")]
    return exp.Anonymous(this="REGEXP_LIKE", expressions=[each for each in told if each is not None])


def _check_node(node: exp.Expr) -> None:
    from sqlglot import exp

    kind = type(node).__name__
    if kind not in _ALLOWED:
        name = _plain(node.name) if isinstance(node, exp.Anonymous) else node.key
        what = f"function {name}()" if isinstance(node, exp.Func) else f"clause {name.upper()}"
        raise QueryRefused(f"The {what} is refused. Use plain SELECT with common functions; see docs/verdict.md.")
    if isinstance(node, exp.With) and node.args.get("recursive"):
        raise QueryRefused("WITH RECURSIVE is refused, as it may never end. Use plain WITH.")
    if isinstance(node, exp.Join) and not (node.args.get("on") or node.args.get("using")):
        raise QueryRefused("A join without ON or USING is refused, as it multiplies rows. Give the join a condition.")
    if isinstance(node, exp.Join):
        condition = node.args.get("on")
        if condition is not None and not any(True for _ in condition.find_all(exp.EQ)):
            raise QueryRefused("A join without an equality is refused, as it multiplies rows. Join on equal columns.")


def _table_name(table: exp.Table) -> str:
    from sqlglot import exp

    if not isinstance(table.this, exp.Identifier):
        raise QueryRefused("A table function is refused. Name one of the tables of the evidence.")
    if table.args.get("db") or table.args.get("catalog"):
        raise QueryRefused("A table of another database is refused. Name one of the tables of the evidence.")
    return table.name

"""The allow-list: nothing but one SELECT over registered tables ever runs."""

from __future__ import annotations

import re
import time

import polars as pl
import pytest

from inquest.analyze import sql
from inquest.bundle.errors import QueryRefused

from ..conftest import ROOT

FRAMES = {
    "lines": pl.LazyFrame({"seq": [3, 1, 2], "text": ["c", "a", None], "loss": [1.5, float("nan"), 2.5]}),
    "steps": pl.LazyFrame({"seq": [1, 2, 3], "rank": [0, 1, 1]}),
}
SECRET = "the canary sings"


@pytest.fixture
def canary(tmp_path):
    path = tmp_path / "canary.csv"
    path.write_text(f"a\n{SECRET}\n")
    return path


FILE_READERS = [
    "SELECT * FROM read_csv('{path}')",
    "SELECT * FROM read_parquet('{path}')",
    "SELECT * FROM read_json('{path}')",
    "SELECT * FROM read_ipc('{path}')",
    "SELECT * FROM scan_csv('{path}')",
    "SELECT * FROM read_text('{path}')",
    "SELECT * FROM '{path}'",
    'SELECT * FROM "{path}"',
    "FROM '{path}'",
    "SELECT read_text('{path}')",
    "WITH x AS (SELECT * FROM read_csv('{path}')) SELECT * FROM x",
    "SELECT (SELECT a FROM read_csv('{path}') LIMIT 1) FROM lines",
    "SELECT * FROM lines WHERE text IN (SELECT a FROM read_csv('{path}'))",
    "SELECT * FROM lines UNION ALL SELECT 1, a, 1.0 FROM read_csv('{path}')",
    "SELECT * FROM lines JOIN read_csv('{path}') AS c ON c.a = lines.text",
    "SELECT /* */ * FROM /* lines */ read_csv('{path}') --",
    "SELECT * FROM lines; SELECT * FROM read_csv('{path}')",
    "SELECT * FROM glob('{path}')",
    "SELECT * FROM sniff_csv('{path}')",
    "SELECT * FROM parquet_metadata('{path}')",
    "SELECT * FROM lines, LATERAL (SELECT * FROM read_csv('{path}')) AS c",
    "COPY (SELECT * FROM lines) TO '{path}'",
    "SELECT * INTO '{path}' FROM lines",
    "EXPLAIN ANALYZE SELECT * FROM read_csv('{path}')",
    "DESCRIBE '{path}'",
    "CREATE TABLE t AS SELECT * FROM read_csv('{path}')",
    "INSERT INTO lines SELECT * FROM read_csv('{path}')",
    "ATTACH '{path}' AS other",
    "LOAD '{path}'",
    "INSTALL httpfs",
    "EXPORT DATABASE '{path}'",
    "SELECT e'\\' FROM read_csv(\\'{path}\\')",
    "SELECT $$x$$ FROM read_csv('{path}')",
]


@pytest.mark.parametrize("query", FILE_READERS)
def test_no_statement_reads_or_writes_a_file(query, canary):
    before = canary.read_bytes()
    statement = query.format(path=canary)
    try:
        result = sql.run(statement, FRAMES)
    except QueryRefused:
        pass
    else:
        # A parser may take the whole for a harmless string; then it must be no more than that.
        assert SECRET not in str(result.rows())
        pytest.fail(f"ran: {statement}")
    assert canary.read_bytes() == before


def test_the_canary_would_sing(canary):
    """Without the allow-list the first statement does read the file: the tests above can fail."""
    context = pl.SQLContext(frames=FRAMES, register_globals=False)
    assert SECRET in str(context.execute(FILE_READERS[0].format(path=canary), eager=True).rows())


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("DROP TABLE lines", "DROP"),
        ("DELETE FROM lines", "DELETE"),
        ("UPDATE lines SET seq = 1", "UPDATE"),
        ("TRUNCATE TABLE lines", "SELECT"),
        ("PRAGMA database_list", "PRAGMA"),
        ("SET memory_limit = '1GB'", "SET"),
        ("SHOW TABLES", "SHOW"),
        ("VALUES (1)", "VALUES"),
        ("CALL foo()", "SELECT"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("", "0 statements"),
        ("   -- only a comment", "0 statements"),
        ("SELECT * FROM hidden", "no table 'hidden'"),
        ("SELECT * FROM other.lines", "another database"),
        ("SELECT * FROM lines, steps", "join without ON"),
        ("SELECT * FROM lines CROSS JOIN steps", "join without ON"),
        ("SELECT * FROM lines JOIN steps ON lines.seq > steps.seq", "without an equality"),
        ("SELECT * FROM lines JOIN steps ON TRUE", "without an equality"),
        ("WITH RECURSIVE c AS (SELECT 1 AS a UNION ALL SELECT a FROM c) SELECT * FROM c", "RECURSIVE"),
        ("SELECT getenv('HOME')", "getenv"),
        ("SELECT current_setting('x')", "current_setting"),
        ("SELECT random()", "rand"),
        ("SELECT now()", "refused"),
        ("SELECT unnest(seq) FROM lines", "refused"),
        ("SELECT COLUMNS('s.*') FROM lines", "refused"),
        ("SELECT range(1000000000)", "refused"),
        ("SELECT repeat('x', 1000000000)", "refused"),
        ("SELECT * FROM range(1000000000)", "refused"),
        ("SELECT * FROM lines TABLESAMPLE 10%", "refused"),
        ("SELECT * FROM lines FOR UPDATE", "refused"),
        ("SELECT $1", "refused"),
        ("SELECT ?", "refused"),
        ("SELECT 1 +", "cannot be read as SQL"),
        ("SELECT nothing FROM lines", "not there"),
        ("SELECT " + "1+" * 20_000 + "1", "longer than"),
        ("SELECT " + "(" * 9000 + "1" + ")" * 9000, "cannot be read"),
    ],
)
def test_what_is_refused_says_so(query, word):
    with pytest.raises(QueryRefused, match=r"(?i)" + word.replace("(", r"\(")) as refused:
        sql.run(query, FRAMES)
    assert len(str(refused.value)) < 700


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT count(*) FROM lines", [(3,)]),
        ("SELECT text FROM lines WHERE text IS NOT NULL ORDER BY seq", [("a",), ("c",)]),
        ("WITH c AS (SELECT seq FROM lines WHERE seq > 1) SELECT count(*) FROM c", [(2,)]),
        ("SELECT count(*) FILTER (WHERE rank = 1) FROM steps", [(2,)]),
        ("SELECT l.text FROM lines l JOIN steps s ON l.seq = s.seq WHERE s.rank = 0", [("a",)]),
        ("SELECT count(*) FROM lines WHERE loss = 'NaN'::double", [(1,)]),
        ("SELECT seq FROM lines UNION ALL SELECT rank FROM steps ORDER BY seq LIMIT 1", [(0,)]),
        ("SELECT max(seq) - min(seq) FROM lines HAVING count(*) > 1", [(2,)]),
        ("SELECT row_number() OVER (PARTITION BY rank ORDER BY seq) AS n FROM steps ORDER BY n LIMIT 1", [(1,)]),
        ("SELECT CASE WHEN seq > 2 THEN 'late' ELSE 'early' END FROM lines ORDER BY seq LIMIT 1", [("early",)]),
        ("SELECT text FROM lines WHERE text LIKE '%c%' AND text <> 'it''s; DROP TABLE lines --'", [("c",)]),
        ("SELECT text FROM lines WHERE regexp_matches(text, '^[Cd]$', 'i')", [("c",)]),
        ("SELECT count(*) FROM lines WHERE NOT regexp_like(text, '\\w')", [(0,)]),
        ("SELECT seq FROM lines WHERE EXISTS (SELECT 1 FROM steps WHERE steps.rank = lines.seq)", [(1,)]),
        ("SELECT median(seq), quantile_cont(seq, 0.5), avg(seq) FROM lines", [(2.0, 2.0, 2.0)]),
    ],
)
def test_what_people_ask_runs(query, rows):
    assert sql.run(query, FRAMES).rows() == rows


def test_python_globals_are_out_of_reach():
    hidden = pl.DataFrame({"a": [1]})
    assert hidden.height
    with pytest.raises(QueryRefused, match="no table 'hidden'"):
        sql.run("SELECT * FROM hidden", FRAMES)


def test_only_the_tables_read_are_asked_for():
    asked = []

    def lookup(name):
        asked.append(name)
        return FRAMES[name]

    sql.run("SELECT count(*) FROM steps", lookup, tables=FRAMES)
    assert asked == ["steps"]


def test_rows_are_limited():
    big = {"big": pl.LazyFrame({"a": range(100)})}
    assert sql.run("SELECT a FROM big", big, row_limit=7).height == 7


def test_time_is_limited():
    def slowly(frame):
        time.sleep(1)
        return frame

    slow = {"slow": FRAMES["steps"].map_batches(slowly)}
    with pytest.raises(QueryRefused, match="ran past"):
        sql.run("SELECT count(*) FROM slow", slow, seconds=0.05)
    assert sql.run("SELECT count(*) FROM slow", slow, seconds=30).rows() == [(3,)]


@pytest.mark.parametrize("text", ["it's", "'; DROP TABLE lines; --", "\\", "a\\'b", "''", "\x00", "$$", "ünï", "%_"])
def test_a_literal_is_only_text(text):
    frames = {"t": pl.LazyFrame({"a": [text, "other"]})}
    assert sql.run(f"SELECT a FROM t WHERE a = {sql.literal(text)}", frames).rows() == [(text,)]
    assert sql.run(f"SELECT {sql.literal(text)} AS a FROM t LIMIT 1", frames).rows() == [(text,)]


def test_literals_of_other_types():
    assert [sql.literal(v) for v in (None, True, 3, 2.5)] == ["NULL", "TRUE", "3", "2.5"]


CALLS = {
    "count": "count(a)", "sum": "sum(a)", "min": "min(a)", "max": "max(a)", "avg": "avg(a)", "median": "median(a)",
    "quantile_cont": "quantile_cont(a, 0.5)", "stddev": "stddev(a)", "variance": "variance(a)", "first": "first(a)",
    "last": "last(a)", "string_agg": "string_agg(s, ',')",
    "row_number": "row_number() OVER (ORDER BY a)", "rank": "rank() OVER (ORDER BY a)",
    "dense_rank": "dense_rank() OVER (ORDER BY a)", "lag": "lag(a) OVER (ORDER BY a)",
    "lead": "lead(a) OVER (ORDER BY a)", "first_value": "first_value(a) OVER (ORDER BY a)",
    "last_value": "last_value(a) OVER (ORDER BY a)",
    "abs": "abs(a)", "round": "round(f, 1)", "floor": "floor(f)", "ceil": "ceil(f)", "sign": "sign(a)",
    "sqrt": "sqrt(f)", "pow": "pow(f, 2)", "ln": "ln(f)", "exp": "exp(f)", "mod": "mod(a, 2)",
    "greatest": "greatest(a, 2)", "least": "least(a, 2)", "coalesce": "coalesce(s, '')", "nullif": "nullif(a, 1)",
    "cast": "cast(a AS varchar)", "try_cast": "try_cast(s AS bigint)", "if": "if(a > 1, 1, 2)",
    "case": "CASE WHEN a > 1 THEN 1 END",
    "lower": "lower(s)", "upper": "upper(s)", "length": "length(s)", "substr": "substr(s, 1, 1)", "trim": "trim(s)",
    "strpos": "strpos(s, 'x')", "starts_with": "starts_with(s, 'x')", "ends_with": "ends_with(s, 'x')",
    "concat": "concat(s, 'x')", "replace": "replace(s, 'x', 'y')", "left": "left(s, 1)", "right": "right(s, 1)",
    "split_part": "split_part(s, 'x', 1)", "reverse": "reverse(s)",
    "date_trunc": "date_trunc('second', ts)", "strftime": "strftime(ts, '%Y')", "extract": "extract(year FROM ts)",
}  # fmt: skip


def test_the_functions_the_page_names_are_the_ones_that_run():
    page = (ROOT / "docs" / "verdict.md").read_text()
    listed = page.split("These functions are allowed:")[1].split("`ts` is")[0]
    assert {name for part in re.findall(r"`([a-z_ ]+)`", listed) for name in part.split()} == set(CALLS)
    stamps = pl.Series([1, 2, 3]).cast(pl.Datetime("ns", "UTC"))
    frames = {"t": pl.LazyFrame({"a": [1, 2, 3], "f": [1.0, 2.0, 3.5], "s": ["x", "y", "1"], "ts": stamps})}
    for name, call in CALLS.items():
        assert sql.run(f"SELECT {call} AS value FROM t", frames).height, name

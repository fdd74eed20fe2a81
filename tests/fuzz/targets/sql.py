"""A stranger's query: refused, or run on nothing but the registered tables.

``@FILE@`` and ``@URL@`` in a query stand for the canary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from inquest.analyze import sql
from tests.analyze.test_sql import FILE_READERS
from tests.fuzz.corpus import committed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

_FRAMES = {
    "lines": pl.LazyFrame({"seq": [3, 1, 2], "text": ["c", "a", None], "loss": [1.5, float("nan"), 2.5]}),
    "steps": pl.LazyFrame({"seq": [1, 2, 3], "rank": [0, 1, 1]}),
}
_ASKED = (
    "SELECT count(*) AS value FROM lines WHERE text LIKE 'a%' AND loss > 1.0",
    "WITH x AS (SELECT seq, max(loss) OVER (PARTITION BY text ORDER BY seq) AS m FROM lines) SELECT * FROM x LIMIT 3",
    "SELECT s.rank, first(l.text) FROM lines AS l JOIN steps AS s ON l.seq = s.seq GROUP BY s.rank HAVING count(*) > 0",
    "SELECT CASE WHEN loss = 'NaN'::double THEN 1 ELSE cast(seq AS bigint) END, coalesce(text, '') || 'x' FROM lines",
    "SELECT median(loss), stddev(loss), percentile_cont(loss, 0.5) FROM lines UNION ALL SELECT 1, 2, 3",
    "SELECT date_trunc('second', seq::timestamp), split_part(text, 'a', 1), substring(text, 1, 2) FROM lines",
    "SELECT * FROM lines WHERE seq IN (SELECT seq FROM steps) OR loss IS NULL ORDER BY 1 DESC NULLS LAST",
    "SELECT * FROM read_csv('@URL@')",
    "SELECT * FROM lines; DROP TABLE lines",
)


def run(data: bytes, place: Place) -> object:
    query = data.decode("utf-8", "replace").replace("@FILE@", str(place.canary)).replace("@URL@", place.url)
    answer = sql.run(query, _FRAMES, row_limit=100)
    assert "the canary sings" not in str(answer.rows())
    return answer.schema


def seeds() -> Iterator[bytes]:
    yield from (query.encode() for query in _ASKED)
    yield from (query.replace("{path}", "@FILE@").encode() for query in FILE_READERS)
    yield from committed("sql")

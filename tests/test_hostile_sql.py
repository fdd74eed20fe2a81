"""SQL of a stranger, in a query and in a verdict: no file is touched and no address called, as canaries prove."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import TYPE_CHECKING

import pytest

from tests.bundle.forge import write_bundle
from tests.bundle.test_hostile_bundle import ROWS, run
from tests.fuzz.guard import _Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERIES = [
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM read_csv('{url}')",
    "SELECT * FROM read_parquet('{url}')",
    "SELECT * FROM '{url}'",
    'SELECT * FROM "{file}"',
    "SELECT count(*) AS value FROM log_lines; SELECT * FROM read_csv('{file}')",
    "CREATE TABLE t AS SELECT * FROM read_csv('{file}')",
    "DROP TABLE log_lines",
    "COPY log_lines TO '{file}'",
    "ATTACH '{file}' AS other",
    "WITH x AS (SELECT * FROM read_json('{url}')) SELECT count(*) AS value FROM x",
]


class Canary:
    """A file that the kernel watches, and a socket that listens."""

    def __init__(self, folder: Path) -> None:
        (folder / "cage").mkdir()
        self.file = folder / "cage" / "canary.csv"
        self.file.write_text("value\nthe canary sings\n")
        self._watch = _Watch(self.file.parent)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/canary.csv"

    def sang(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            self._listener.accept()[0].close()
            return True
        return self._watch.sang()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Canary]:
    made = Canary(tmp_path)
    yield made
    made.close()


@pytest.mark.slow
def test_queries(canary: Canary, tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "b", ROWS)
    asked = [query.format(file=canary.file, url=canary.url) for query in QUERIES]
    for query, (code, text) in zip(asked, run(*(["query", str(path), query] for query in asked)), strict=True):
        assert code == 2, f"{query}: {text}"
        assert text.startswith("inquest: ")
        assert text.count("\n") == 1, text
    assert not canary.sang()


def test_claims_of_a_verdict(canary: Canary, tmp_path: Path) -> None:
    from inquest.bundle.store import BundleStore

    path = write_bundle(tmp_path / "b", ROWS)
    claims = [
        {
            "id": f"X.{number}",
            "text": "t",
            "sql": query.format(file=canary.file, url=canary.url),
            "value": 1,
            "unit": "",
            "table": "log_lines",
            "excerpt": "",
            "rows": [],
        }
        for number, query in enumerate(QUERIES)
    ]
    digest = BundleStore(path).info.content_digest
    verdict = tmp_path / "verdict.json"
    verdict.write_text(
        json.dumps({"schema": "inquest-verdict/1", "bundle": {"content_digest": digest}, "shows": claims})
    )
    commands = [["cite", str(path), claim["id"], "--verdict", str(verdict)] for claim in claims[::4]]
    for code, text in run(*commands, ["verify", str(path), str(verdict)]):
        assert code in (2, 5), text
        assert text.startswith("inquest: ")
    assert not canary.sang()


def test_the_canary_would_sing(canary: Canary) -> None:
    import urllib.request

    import polars as pl

    assert not canary.sang()
    pl.scan_csv(canary.file).collect()
    assert canary.sang()
    with contextlib.suppress(OSError):
        urllib.request.urlopen(canary.url, timeout=0.2)
    assert canary.sang()

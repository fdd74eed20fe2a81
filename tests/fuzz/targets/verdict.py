"""A verdict from a stranger: its claims are read, and each is held against the evidence.

``@FILE@`` and ``@URL@`` stand for the canary, ``@DIGEST@`` for the digest of the evidence.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from inquest.analyze.claims import read_claims, wrong_with
from inquest.analyze.engine import analyze
from inquest.analyze.evidence import Evidence
from inquest.bundle.store import MemoryStore
from tests.fuzz.targets.bundle import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


@cache
def _evidence() -> Evidence:
    return Evidence(MemoryStore.from_rows(ROWS))


def run(data: bytes, place: Place) -> object:
    digest = _evidence().info.content_digest
    for word, value in ((b"@FILE@", str(place.canary)), (b"@URL@", place.url), (b"@DIGEST@", digest)):
        data = data.replace(word, value.encode())
    path = place.scratch / "verdict.json"
    path.write_bytes(data)
    claims = read_claims(path, place.scratch / "job.inquest", _evidence())
    wrong = {name: wrong_with(claim, _evidence()) for name, claim in list(claims.items())[:20]}
    assert "the canary sings" not in str(wrong)
    return list(claims), wrong


def seeds() -> Iterator[bytes]:
    verdict, evidence = analyze(MemoryStore.from_rows(ROWS))
    text = verdict.to_json().replace(evidence.info.content_digest, "@DIGEST@")
    yield text.encode()
    plain = json.loads(text)
    plain = {"schema": plain["schema"], "bundle": plain["bundle"], "shows": plain["shows"][:1]}
    for query in ("SELECT a AS value FROM read_csv('@FILE@')", "SELECT count(*) AS value FROM log_lines; DROP TABLE x"):
        claim = {"id": "x", "text": "", "sql": query, "value": 1, "unit": "", "table": "log_lines", "excerpt": ""}
        row = {"table": "log_lines", "node": "node0", "seq": 1, "capture": "memory"}
        yield json.dumps({**plain, "shows": [{**claim, "rows": [row]}]}).encode()

"""Fixtures for tests of analyze/: evidence from plain rows."""

import pytest

from inquest.analyze.evidence import FACT_TABLES, Evidence
from inquest.bundle.store import MemoryStore


def build(rows, *, parse=False, **about):
    """Evidence from rows by table, e.g. ``{"fact_events": [{"kind": ..., "ts_ns": ...}], "processes": [...]}``.

    Facts are taken as given; ``parse=True`` runs stage 1 over the recorded tables instead. ``about`` goes to
    ``MemoryStore.from_rows`` (node, capture, job_id, simulated). Identity columns are filled in.
    """
    given = MemoryStore.from_rows(rows, **about)
    recorded = {name: given.scan(name).collect() for name in rows if name not in FACT_TABLES}
    store = MemoryStore(recorded, given.info)
    if parse:
        return Evidence(store)
    facts = {name: given.scan(name).drop("ts").collect() for name in rows if name in FACT_TABLES}
    return Evidence(store, facts)


@pytest.fixture
def evidence_of():
    """The function ``build``: ``evidence_of(rows, parse=False, **about) -> Evidence``."""
    return build

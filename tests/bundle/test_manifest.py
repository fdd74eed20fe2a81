"""The manifest: read back as written, refused when it is anything else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from inquest.bundle.errors import DamagedBundle, UnsafeInput, UnsupportedFormat
from inquest.bundle.manifest import (
    Capture,
    Clock,
    Manifest,
    Member,
    Node,
    Provenance,
    Redaction,
    content_digest,
    schema_digest,
)

PROVENANCE = Provenance(
    user="ünï",
    host="h",
    created="2026-11-20T21:00:00+00:00",
    arguments=("merge", "a b"),
    sources=("/x",),
    duplicates={"log_lines": 3},
    tool_version="0.1.0",
)
MEMBERS = tuple(
    Member(name=f"{table}.parquet", table=table, node=None, sha256="0" * 64, size=10, rows=1, tool_version="0.1.0")
    for table in ("log_gaps", "processes")
)
MANIFEST = Manifest(
    content_digest=content_digest(MEMBERS, schema_digest()),
    schema_digest=schema_digest(),
    job_id=None,
    simulated=False,
    nodes=(
        Node(
            node="n0",
            captures=(Capture(capture="c", boot_id=None, tool_version="0.1.0", simulated=True),),
            collectors=("host",),
            clocks=(Clock(boot_id="b", offset_ns=-5, bound_ns=None, method="wall"),),
            start_ns=None,
            end_ns=7,
        ),
    ),
    ranks=(0, 2),
    world_size=3,
    missing_nodes=("n1",),
    missing_ranks=(1,),
    redactions=(Redaction(rule="hf", table="log_lines", column=None, count=2),),
    members=MEMBERS,
    provenance=PROVENANCE,
)


def test_what_is_written_is_read_back() -> None:
    data = MANIFEST.to_json()
    assert Manifest.from_json(data, "f") == MANIFEST
    assert Manifest.from_json(data, "f").to_json() == data
    assert data.isascii()
    assert data.endswith(b"}\n")


def test_digest_covers_members_and_schema_but_not_their_order_or_provenance() -> None:
    digest = content_digest(MEMBERS, "s")
    assert content_digest(MEMBERS[::-1], "s") == digest
    assert content_digest([replace(m, tool_version="9") for m in MEMBERS], "s") == digest
    assert content_digest(MEMBERS, "t") != digest
    for change in ({"rows": 2}, {"size": 11}, {"sha256": "1" * 64}, {"node": "n0"}, {"table": "stacks"}, {"name": "x"}):
        assert content_digest([replace(MEMBERS[0], **change), MEMBERS[1]], "s") != digest
    assert content_digest(MEMBERS[:1], "s") != digest


def _changed(**changes: Any) -> bytes:
    plain = json.loads(MANIFEST.to_json())
    for key, value in changes.items():
        if value is None:
            del plain[key]
        else:
            plain[key] = value
    return json.dumps(plain).encode()


BAD = {
    "not JSON": b"{",
    "another type": b"[]",
    "no format": _changed(format=None),
    "another format": _changed(format="other"),
    "no version": _changed(version=None),
    "version zero": _changed(version=0),
    "version as text": _changed(version="1"),
    "missing field": _changed(ranks=None),
    "unknown field": _changed(more=1),
    "number for text": _changed(job_id=5),
    "text for number": _changed(ranks=["0"]),
    "true for a number": _changed(ranks=[True]),
    "fraction for a number": _changed(world_size=1.5),
    "list for a list of objects": _changed(nodes=[[]]),
    "digest of something else": _changed(content_digest="0" * 64),
    "duplicates that are no numbers": _changed(
        provenance={**json.loads(MANIFEST.to_json())["provenance"], "duplicates": {"a": "b"}}
    ),
    "members twice": _changed(members=json.loads(MANIFEST.to_json())["members"][:1] * 2),
    "no rows": _changed(members=[{**json.loads(MANIFEST.to_json())["members"][0], "rows": 0}]),
    "rows beyond belief": _changed(members=[{**json.loads(MANIFEST.to_json())["members"][0], "rows": 1 << 50}]),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_manifest_is_damage(what: str) -> None:
    with pytest.raises(
        DamagedBundle, match=r"^some/file holds a manifest that cannot be right .*: copy the bundle again$"
    ):
        Manifest.from_json(BAD[what], "some/file")


def test_a_newer_version_is_told_apart_even_if_it_looks_different() -> None:
    with pytest.raises(UnsupportedFormat, match="format 2, this build reads up to 1"):
        Manifest.from_json(b'{"format": "inquest-bundle", "version": 2, "unheard": "of"}', "f")


def test_a_manifest_of_any_size_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inquest.bundle.manifest.MAX_MANIFEST_BYTES", 100)
    with pytest.raises(UnsafeInput, match="holds a manifest of"):
        Manifest.from_json(MANIFEST.to_json(), "f")

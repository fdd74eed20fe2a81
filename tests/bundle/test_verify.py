"""Verify: whatever bit of a bundle is flipped, it is found."""

from __future__ import annotations

import dataclasses
import json
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inquest.bundle import container, parquet
from inquest.bundle.container import Container
from inquest.bundle.errors import InputError
from inquest.bundle.manifest import open_bundle
from inquest.bundle.verify import verify
from tests.bundle.forge import write_bundle

if TYPE_CHECKING:
    from pathlib import Path

SEED = 20261120
ROWS: dict[str, list[dict[str, Any]]] = {
    "log_gaps": [{"stream": "stdout", "offset": i * 7, "bytes": i, "reason": "full"} for i in range(20)],
    "processes": [{"rank": i, "world_size": 4, "job_id": "42", "ts_ns": 1000 + i} for i in range(3)],
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "J.inquest", ROWS)


def found(path: Path) -> tuple[str, ...]:
    """What is wrong with a bundle; opening it counts."""
    try:
        return verify(path).problems
    except InputError as error:
        return (str(error),)


def test_a_whole_bundle_has_no_problems(bundle: Path) -> None:
    before = bundle.read_bytes()
    report = verify(bundle)
    assert report.problems == ()
    assert (report.members, report.rows) == (2, 23)
    assert bundle.read_bytes() == before


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    rows = {"log_gaps": [{"stream": "stdout", "offset": 7, "reason": "full"}], "stacks": [{"text": "main"}]}
    whole = bytearray(write_bundle(tmp_path / "J.inquest", rows).read_bytes())
    choose = random.Random(SEED)
    path = tmp_path / "flipped"
    path.write_bytes(whole)
    # In a long stretch of one byte (padding) every position is like its neighbour: sixteen of each are enough.
    alike = bytes(16)
    positions = [at for at in range(len(whole)) if whole[at : at + 16] != alike or at % 256 == 0]
    assert len(positions) > 5000
    with open(path, "r+b") as file:
        for at in positions:
            bit = 1 << choose.randrange(8)
            file.seek(at)
            file.write(bytes([whole[at] ^ bit]))
            file.flush()
            assert found(path), f"bit {bit} of byte {at} (seed {SEED})"
            file.seek(at)
            file.write(bytes([whole[at]]))
            file.flush()
    assert found(path) == ()


SPOILED = {
    "job rank": lambda m: dataclasses.replace(m, ranks=(0, 1)),
    "missing": lambda m: dataclasses.replace(m, missing_ranks=()),
    "simulated": lambda m: dataclasses.replace(m, simulated=True),
    "node": lambda m: dataclasses.replace(m, nodes=()),
    "redactions": lambda m: dataclasses.replace(m, world_size=3),
    "digest": lambda m: dataclasses.replace(m, content_digest="0" * 64),
    "schema": lambda m: dataclasses.replace(m, schema_digest="0" * 64),
    "rows": lambda m: dataclasses.replace(m, members=tuple(dataclasses.replace(x, rows=x.rows + 1) for x in m.members)),
    "member gone": lambda m: dataclasses.replace(m, members=m.members[1:]),
    "table": lambda m: dataclasses.replace(
        m, members=tuple(dataclasses.replace(x, table="log_gaps") for x in m.members)
    ),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_manifest_that_says_other_than_the_rows_is_found(tmp_path: Path, how: str) -> None:
    assert found(write_bundle(tmp_path / "J.inquest", ROWS, spoil=SPOILED[how]))


def test_rows_that_lie_are_found(tmp_path: Path) -> None:
    twice = {"log_gaps": [{"seq": 1}, {"seq": 1}]}
    assert "twice or out of order" in found(write_bundle(tmp_path / "a", twice))[0]

    def without_node(path: Path, table: str, batch: pa.RecordBatch) -> None:
        index = batch.schema.get_field_index("node")
        nulls = pa.nulls(batch.num_rows, pa.string())
        spoiled = pa.table(batch.set_column(index, pa.field("node", pa.string()), nulls))
        pq.write_table(spoiled, path, compression="zstd", store_schema=False)

    assert "lacks values" in found(write_bundle(tmp_path / "b", ROWS, writer=without_node))[0]


def test_a_number_used_for_two_things_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def samples(*numbers: tuple[str, int]) -> dict[str, list[dict[str, Any]]]:
        return {"gpu_samples": [{"gpu_uuid": gpu, "seq": seq} for gpu, seq in numbers]}

    block = parquet.BLOCK_ROWS
    in_order = samples(("a", 0), ("a", 2), ("b", 1), ("b", 3), ("a", block), ("b", block + 1))
    assert found(write_bundle(tmp_path / "a", in_order)) == ()
    twice = samples(("a", 0), ("a", 2), ("b", 1), ("b", 2), ("a", block))
    assert "one number to two rows" in found(write_bundle(tmp_path / "b", twice))[0]
    # The two rows may lie in different row groups, with others of their block between them.
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 1)
    assert found(write_bundle(tmp_path / "c", in_order)) == ()
    assert "one number to two rows" in found(write_bundle(tmp_path / "d", twice))[0]


def test_statistics_that_hide_rows_are_found(tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "J", {"log_gaps": [{"offset": 0x1122334455667788, "ts_ns": 5}]})
    opened, manifest = open_bundle(path)
    data = bytes(opened.member("log_gaps.parquet"))
    value = (0x1122334455667788).to_bytes(8, "little")
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert data.count(value, footer) >= 2, "statistics are written in the footer"
    lying = data[:footer] + data[footer:].replace(value, bytes(8))
    source = tmp_path / "lying"
    source.write_bytes(lying)

    def rewritten(stored: tuple[container.Stored, ...]) -> bytes:
        members = (dataclasses.replace(manifest.members[0], sha256=stored[0].sha256, size=stored[0].size),)
        plain = json.loads(manifest.to_json())
        plain["members"] = [dataclasses.asdict(members[0])]
        from inquest.bundle.manifest import content_digest

        plain["content_digest"] = content_digest(members, manifest.schema_digest)
        return json.dumps(plain, sort_keys=True, indent=1).encode() + b"\n"

    container.write(tmp_path / "K", [("log_gaps.parquet", source)], rewritten)
    assert "bounds that its values exceed" in found(tmp_path / "K")[0]


def test_opening_does_not_read_members(bundle: Path) -> None:
    whole = bytearray(bundle.read_bytes())
    entry = Container.open(bundle).entries[0]
    whole[entry.offset + 10] ^= 1
    bundle.write_bytes(whole)
    open_bundle(bundle)
    assert found(bundle)

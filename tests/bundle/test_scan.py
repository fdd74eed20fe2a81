"""The one scan: same rows as reading everything, but only the bytes that are needed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inquest.bundle import container, parquet
from inquest.bundle import scan as scan_module
from inquest.bundle.by_node import extent
from inquest.bundle.container import Container
from inquest.bundle.manifest import Member, open_bundle
from inquest.bundle.scan import frame_schema, open_member, read_row_group, scan
from inquest.bundle.store import BundleStore, MemoryStore
from tests.bundle.forge import write_bundle

if TYPE_CHECKING:
    from pathlib import Path

NODES = ("n0", "n1", "n2")
ROWS = 1000
GROUP = 100


def _rows(node: str) -> list[dict[str, Any]]:
    base = NODES.index(node) * ROWS
    return [
        {
            "node": node,
            "capture": "c",
            "seq": i,
            "ts_ns": (base + i) * 1000,
            "gpu_uuid": f"GPU-{i % 3}",
            "fb_used_bytes": i if i % 7 else None,
            "power_w": math.nan if i == 5 else float(i),
            "remap_pending": i % 2 == 0,
        }
        for i in range(ROWS)
    ]


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Container, list[Member]]:
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", GROUP)
    sources = []
    for node in NODES:
        path = tmp_path / node
        batch = parquet.conform("gpu_samples", pa.RecordBatch.from_pylist(_rows(node)))
        with parquet.Writer(path, "gpu_samples") as writer:
            writer.write(batch)
        sources.append((f"gpu_samples/node={node}.parquet", path))
    members: list[Member] = []

    def manifest(stored: tuple[container.Stored, ...]) -> bytes:
        members.extend(
            Member(
                name=s.name,
                table="gpu_samples",
                node=node,
                sha256=s.sha256,
                size=s.size,
                rows=ROWS,
                tool_version="0",
            )
            for s, node in zip(stored, NODES, strict=True)
        )
        return b"{}"

    container.write(tmp_path / "b", sources, manifest)
    return Container.open(tmp_path / "b"), members


@pytest.fixture
def expected() -> pl.LazyFrame:
    rows = [row for node in NODES for row in _rows(node)]
    stored = pl.DataFrame(rows, schema=scan_module.stored_schema("gpu_samples"))
    return scan_module.with_ts(stored).lazy()


QUERIES = {
    "all": lambda f: f,
    "columns": lambda f: f.select("power_w", "node"),
    "ts": lambda f: f.select("ts").filter(pl.col("ts") > pl.datetime(1970, 1, 1, time_unit="ns", time_zone="UTC")),
    "time": lambda f: f.filter(pl.col("ts_ns").is_between(1_234_000, 1_240_000)),
    "node": lambda f: f.filter(pl.col("node") == "n1").select("seq"),
    "nodes": lambda f: f.filter(pl.col("node").is_in(["n0", "n2"]), pl.col("seq") < 3),
    "string": lambda f: f.filter(pl.col("gpu_uuid") == "GPU-1").select(pl.len()),
    "nulls": lambda f: f.filter(pl.col("fb_used_bytes").is_null()).select("seq"),
    "nan orders above all": lambda f: f.filter(pl.col("power_w") > 990).select("node", "seq"),
    "or": lambda f: f.filter((pl.col("seq") == 5) | (pl.col("ts_ns") == 0)),
    "none": lambda f: f.filter(pl.col("seq") > 10_000),
    "every": lambda f: f.filter(pl.col("ts_ns").is_not_null()),
    "constant": lambda f: f.filter(pl.lit(value=True)),
    "head": lambda f: f.head(150),
    "head then filter": lambda f: f.head(150).filter(pl.col("seq") > 120),
    "filter then head": lambda f: f.filter(pl.col("seq") > 120).head(7),
    "slice": lambda f: f.slice(990, 30),
    "count": lambda f: f.select(pl.len()),
    "group": lambda f: f.group_by("node").agg(pl.col("power_w").max(), pl.len()).sort("node"),
    "bool": lambda f: f.filter("remap_pending").select(pl.col("seq").sum()),
    "not": lambda f: f.filter(~(pl.col("node") == "n0"), pl.col("seq") == 1),
}


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("query", QUERIES)
def test_a_scan_gives_what_reading_everything_gives(
    bundle: tuple[Container, list[Member]], expected: pl.LazyFrame, query: str, engine: Any
) -> None:
    opened, members = bundle
    got = QUERIES[query](scan(opened, members, "gpu_samples")).collect(engine=engine)
    want = QUERIES[query](expected).collect(engine=engine)
    assert got.equals(want)
    assert got.schema == want.schema


def _reads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, tuple[str, ...]]]:
    seen = []
    real = scan_module.read_row_group

    def spy(container: Any, member: Member, file: Any, group: int, columns: Any) -> Any:
        seen.append((member.node, group, tuple(columns)))
        return real(container, member, file, group, columns)

    monkeypatch.setattr(scan_module, "read_row_group", spy)
    return seen


def test_a_predicate_skips_row_groups_and_members(
    bundle: tuple[Container, list[Member]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = _reads(monkeypatch)
    rows = scan(*bundle, "gpu_samples")
    rows.filter(pl.col("ts_ns") == 1_234_000).select("seq").collect()
    assert [r[:2] for r in reads] == [("n1", 2)]
    reads.clear()
    moment = pl.lit(2_050_000).cast(pl.Datetime("ns", "UTC"))
    assert (
        rows.filter(pl.col("ts") > moment, pl.col("ts") < moment + pl.duration(microseconds=10)).collect().height == 9
    )
    assert [r[:2] for r in reads] == [("n2", 0)]
    reads.clear()
    opened = []
    real = scan_module.open_member
    monkeypatch.setattr(scan_module, "open_member", lambda c, m: (opened.append(m.node), real(c, m))[1])
    rows.filter(pl.col("node") == "n2").select("seq").collect()
    assert opened == ["n2"]


def test_projection_does_not_touch_other_columns(
    bundle: tuple[Container, list[Member]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened, members = bundle
    # Spoil every byte of every column but the one asked for: a reader that touched them would fail or differ.
    whole = bytearray((tmp_path / "b").read_bytes())
    entries = {e.name: e for e in opened.entries}
    for member in members:
        metadata = scan_module.open_member(opened, member).metadata
        for group in range(metadata.num_row_groups):
            for index in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(index)
                if chunk.path_in_schema != "power_w":
                    begin = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
                    at = entries[member.name].offset + begin
                    whole[at : at + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    (tmp_path / "spoiled").write_bytes(whole)
    spoiled = Container.open(tmp_path / "spoiled")
    power = scan(spoiled, members, "gpu_samples").select("power_w").collect()
    assert power.equals(scan(opened, members, "gpu_samples").select("power_w").collect())
    with pytest.raises(Exception, match="cannot be read: copy the bundle again"):
        scan(spoiled, members, "gpu_samples").select("fb_used_bytes").collect()


def test_parts_have_every_row_once_and_no_node_twice(
    bundle: tuple[Container, list[Member]], expected: pl.LazyFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, members = bundle
    for most, nodes in ((1, [{"n0"}, {"n1"}, {"n2"}]), (2 * ROWS, [{"n0", "n1"}, {"n2"}])):
        monkeypatch.setattr(scan_module, "_PART_ROWS", most)
        parts = [part.collect() for part in scan_module.apart(source, members, "gpu_samples")]
        assert [set(part["node"]) for part in parts] == nodes
        assert pl.concat(parts).equals(expected.collect())


def test_nodes_that_share_a_member_are_one_part(bundle: tuple[Container, list[Member]]) -> None:
    source, members = bundle
    again = replace(members[0], node=None)  # rows of n0 in a member of its own, and in one that nodes share
    parts = scan_module.apart(source, [*members, again], "gpu_samples")
    holding = [part for part in parts if (part.collect()["node"] == "n0").any()]
    assert len(holding) == 1
    assert holding[0].filter(pl.col("node") == "n0").select(pl.len()).collect().item() == 2 * ROWS


def test_a_column_the_file_lacks_reads_as_null(tmp_path: Path) -> None:
    rows = {
        "node": ["n0", "n0"],
        "capture": ["c", "c"],
        "seq": [0, 1],
        "ts_ns": [5, None],
        "column_of_the_future": [1, 2],
    }
    pq.write_table(pa.table(rows), tmp_path / "old", compression="zstd", store_schema=False)
    member = Member(name="stacks.parquet", table="stacks", node=None, sha256="", size=0, rows=2, tool_version="0")
    container.write(tmp_path / "b", [(member.name, tmp_path / "old")], lambda _: b"{}")
    frame = scan(Container.open(tmp_path / "b"), [member], "stacks").collect()
    assert frame.schema == frame_schema("stacks")
    assert frame["text"].to_list() == [None, None]
    only_absent = scan(Container.open(tmp_path / "b"), [member], "stacks").select("text").collect()
    assert only_absent["text"].to_list() == [None, None]


def test_what_a_footer_states_to_be_alike_is_not_decoded_and_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"ts_ns": at, "gpu_uuid": "GPU-0", "pstate": 0, "temp_core_c": at % 3 or None} for at in range(50)]
    opened, manifest = open_bundle(write_bundle(tmp_path / "J", {"gpu_samples": rows}))
    (member,) = manifest.members
    file = open_member(opened, member)
    columns = ["node", "gpu_uuid", "pstate", "temp_core_c", "temp_memory_c", "ts_ns"]
    assert parquet.alike(file.metadata.row_group(0), columns) == {
        "node": "n0",
        "gpu_uuid": "GPU-0",
        "pstate": 0,
        "temp_memory_c": None,
    }
    (every,) = read_row_group(opened, member, file, 0, columns, decoded=True)
    (taken,) = read_row_group(opened, member, file, 0, columns)
    assert taken.equals(every)
    assert taken.schema == every.schema


@pytest.mark.parametrize("table", ["gpu_samples", "slurm_jobs"])
@pytest.mark.parametrize("times", [[5, None, -3, 9], [None, None], []])
def test_from_when_to_when_a_table_reaches(tmp_path: Path, table: str, times: list[int | None]) -> None:
    rows = [{"node": "n", "capture": "c", "seq": seq, "ts_ns": time} for seq, time in enumerate(times)]
    known = [time for time in times if time is not None]
    told = (len(known), min(known, default=0), max(known, default=0))
    assert extent(MemoryStore.from_rows({table: rows}), table) == told
    assert extent(BundleStore(write_bundle(tmp_path / "b", {table: rows} if rows else {})), table) == told

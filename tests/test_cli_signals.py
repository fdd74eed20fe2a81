"""`inquest signals`: the catalogue follows the schema, and what a bundle holds is counted right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

from inquest.bundle import schema, signals
from inquest.bundle.merge import merge
from inquest.bundle.store import MemoryStore
from inquest.capture.collectors import COLLECTORS

from .conftest import ROOT, inquest

if TYPE_CHECKING:
    from pathlib import Path


def test_every_table_of_samples_is_in_the_catalogue() -> None:
    written = {table for kind in COLLECTORS for table in kind.tables}
    named = {table.name for table in schema.TABLES if table.name.endswith("_samples") and table.name in written}
    assert named - {"stack_samples"} <= signals.SAMPLED.keys()
    for name, sampled in signals.SAMPLED.items():
        columns = set(schema.BY_NAME[name].column_names)
        assert {*sampled.things, *sampled.parts, *sampled.only} <= columns, name
    for signal in signals.catalogue():
        assert schema.BY_NAME[signal.table].column(signal.column).unit == signal.unit


def store(**frames: list[dict[str, object]]) -> MemoryStore:
    """A store of a few rows."""
    full = {}
    for name, rows in frames.items():
        arrow = schema.BY_NAME[name].arrow()
        identity = {"node": "n1", "capture": "c"}
        filled = [
            {column: (identity | {"seq": number} | row).get(column) for column in arrow.names}
            for number, row in enumerate(rows)
        ]
        full[name] = pl.from_dicts(filled, infer_schema_length=None)
    return MemoryStore(full)


def test_series_are_counted_with_and_without_their_parts() -> None:
    links = [
        {"gpu_uuid": gpu, "link": link, "tx_bytes": sent, "rx_bytes": None}
        for gpu in ("GPU-a", "GPU-b")
        for link in range(3)
        for sent in (1, 2)
    ]
    links += [{"gpu_uuid": "GPU-c", "link": 0, "tx_bytes": 7}]  # one sample is no series
    found = {
        (one.signal.table, one.signal.column): one
        for one in signals.count(
            store(
                nvlink_samples=links,
                host_samples=[{"load_1m": 0.5, "oom_kills": 0}, {"load_1m": 0.6, "oom_kills": None}],
                node_info=[{"driver_version": "999.99.stub"}],
            )
        )
    }
    assert found.keys() == {("nvlink_samples", "tx_bytes"), ("host_samples", "load_1m")}
    sent = found["nvlink_samples", "tx_bytes"]
    assert (sent.series, sent.expanded, sent.stub, sent.samples) == (2, 6, 6, 13)
    load = found["host_samples", "load_1m"]
    assert (load.series, load.expanded, load.stub, load.samples) == (1, 1, 0, 2)


def test_a_recorded_job(tmp_path: Path) -> None:
    nodes = sorted(path for path in (ROOT / "samples" / "recorded" / "healthy").iterdir() if path.is_dir())
    merge(nodes, tmp_path / "job.inquest")
    done = inquest("signals", "job.inquest", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    load = next(one for one in told["signals"] if one["signal"] == "load_1m")
    assert (load["collectors"], load["series"], load["stub"]) == (["host"], 2, 0)
    assert told["series"] == sum(one["series"] for one in told["signals"]) <= told["expanded"]
    for words in (("signals",), ("signals", "job.inquest")):
        shown = inquest(*words, cwd=tmp_path)
        assert shown.returncode == 0
        assert "host_samples" in shown.stdout
        assert "\x1b" not in shown.stdout

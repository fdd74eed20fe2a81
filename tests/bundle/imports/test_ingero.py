"""Databases of Ingero: recorded ones against SQLite itself, every version's columns, and hostile ones."""

from __future__ import annotations

import collections
import contextlib
import random
import sqlite3

import pytest

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports import ingero
from inquest.bundle.imports.ingero import KIND
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source

from .kit import CORPORA, rows_of

REAL = CORPORA / "ingero"
needs_corpus = pytest.mark.skipif(not REAL.is_dir(), reason="shared/corpora is not beside the checkout")

T = 1_774_015_573_000_000_000
MINUTE = T - T % 60_000_000_000
SCHEMA = """
CREATE TABLE events (id TEXT PRIMARY KEY, timestamp INTEGER, pid INTEGER, tid INTEGER, source INTEGER, op INTEGER,
  duration INTEGER, gpu_id INTEGER DEFAULT 0, arg0 INTEGER DEFAULT 0, arg1 INTEGER DEFAULT 0,
  ret_code INTEGER DEFAULT 0, stack_hash INTEGER DEFAULT 0, node TEXT DEFAULT '', rank INTEGER);
CREATE TABLE stack_traces (hash INTEGER PRIMARY KEY, ips TEXT, frames TEXT DEFAULT '');
CREATE TABLE system_snapshots (id INTEGER PRIMARY KEY, timestamp INTEGER, cpu_pct REAL, mem_pct REAL, mem_avail INTEGER,
  swap_mb INTEGER, load_avg REAL);
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started_at INTEGER, stopped_at INTEGER DEFAULT 0,
  gpu_model TEXT DEFAULT '', cpu_cores INTEGER DEFAULT 0, mem_total INTEGER DEFAULT 0,
  ingero_ver TEXT DEFAULT '', node TEXT DEFAULT '');
CREATE TABLE process_names (pid INTEGER PRIMARY KEY, name TEXT, seen_at INTEGER);
CREATE TABLE event_aggregates (bucket INTEGER, source INTEGER, op INTEGER, pid INTEGER, count INTEGER, stored INTEGER,
  sum_dur INTEGER, min_dur INTEGER, max_dur INTEGER, sum_arg0 INTEGER);
CREATE TABLE event_aggregates_5s (bucket INTEGER, source INTEGER, op INTEGER, pid INTEGER, count INTEGER,
  stored INTEGER, sum_dur INTEGER, min_dur INTEGER, max_dur INTEGER, sum_arg0 INTEGER);
CREATE TABLE annotations (id INTEGER PRIMARY KEY, timestamp INTEGER, labels TEXT, pid INTEGER DEFAULT 0,
  span_start INTEGER DEFAULT 0, span_end INTEGER DEFAULT 0);
"""


def database(tmp_path, *statements, name="x.db", schema=SCHEMA):
    path = tmp_path / name
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        base.executescript(schema)
        for sql, *values in statements:
            base.execute(sql, values)
    return path


def event(source, op, *, at=T, pid=7, tid=7, duration=0, arg0=0, arg1=0, code=0, stack=0, node="", rank=None):
    values = (at, pid, tid, source, op, duration, arg0, arg1, code, stack, node, rank)
    columns = "timestamp, pid, tid, source, op, duration, arg0, arg1, ret_code, stack_hash, node, rank"
    return (f"INSERT INTO events ({columns}) VALUES ({','.join('?' * len(values))})", *values)


def count(table, bucket, source, op, pid, number, total=100, longest=60, arg0=0):
    return (
        f"INSERT INTO {table} VALUES (?,?,?,?,?,1,?,1,?,?)",
        *(bucket, source, op, pid, number, total, longest, arg0),
    )


@needs_corpus
@pytest.mark.parametrize("name", ["pytorch-dataloader-starvation", "sample-gpu-node-01", "sample-gpu-node-02"])
def test_recorded_databases_against_sqlite(name):
    path = REAL / f"{name}.db"
    context = Context()
    rows = collections.defaultdict(list, rows_of(KIND, path, context))
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as base:

        def number(sql):
            return base.execute(sql).fetchone()[0]

        own = "pid IN (SELECT pid FROM process_names WHERE name = 'ingero')"
        spans = rows["trace_spans"]
        assert len(spans) == number(f"SELECT count(*) FROM events WHERE NOT {own}")
        assert context.refused.get("events of the tracer itself", 0) == number(
            f"SELECT count(*) FROM events WHERE {own}"
        )
        began = sum(row["ts_ns"] - spans[0]["ts_ns"] for row in spans)
        assert began == number(
            f"SELECT sum(timestamp - iif(source IN (3, 5, 7), duration, 0) - {spans[0]['ts_ns']}) FROM events "
            f"WHERE NOT {own}"
        )
        assert sum(row["duration_ns"] for row in spans) == number(f"SELECT sum(duration) FROM events WHERE NOT {own}")
        assert len(rows["stacks"]) == number("SELECT count(*) FROM stack_traces")
        known = {row["stack_id"] for row in rows["stacks"]}
        assert {row["stack_id"] for row in spans} - {None} <= known
        assert len(rows["host_samples"]) == number("SELECT count(*) FROM system_snapshots")
        assert max(r["memory_available_bytes"] for r in rows["host_samples"]) == (
            number("SELECT max(mem_avail) FROM system_snapshots") << 20
        )
        calls = rows["cuda_calls"]
        assert sum(row["count"] for row in calls) == (
            number("SELECT coalesce(sum(count), 0) FROM event_aggregates WHERE source IN (1, 4, 8)")
        )
        assert sum(row["total_ns"] for row in calls) == (
            number("SELECT coalesce(sum(sum_dur), 0) FROM event_aggregates WHERE source IN (1, 4, 8)")
        )
        assert len(rows["processes"]) >= number("SELECT count(*) FROM process_names")
    (session,) = rows["node_info"]
    expected = None if "starvation" in name else name.removeprefix("sample-")
    assert {row["node"] for table in rows for row in rows[table]} == {expected}
    assert session["memory_total_bytes"] >> 20 in (15989, 15785)
    assert rows["collection"][0]["drops"] is None if "drops" in rows["collection"][0] else True


@needs_corpus
def test_what_the_starved_job_shows():
    rows = rows_of(KIND, REAL / "pytorch-dataloader-starvation.db")
    launches = [row for row in rows["cuda_calls"] if row["api"] == "cuLaunchKernel"]
    assert sum(row["count"] for row in launches) == 75
    assert {row["duration_ns"] for row in launches} == {60_000_000_000}
    stored = [row for row in rows["trace_spans"] if row["name"] == "cuLaunchKernel"]
    assert len(stored) == 41  # a choice: not all of them
    assert rows["node_info"][0]["gpu_models"] == "NVIDIA GeForce RTX 4090"
    assert rows["node_info"][0]["gpu_memory_bytes"] == str(24564 << 20)
    assert {row["command"] for row in rows["processes"]} >= {"pt_data_worker", "pt_data_pin"}
    assert rows["host_samples"][0]["cpu_busy_share"] is None  # the first reading has nothing to compare with
    texts = [row["text"] for row in rows["stacks"]]
    assert any("cudaDeviceSynchronize+0x185 at libcudart.so.12" in text for text in texts)


def test_when_an_event_began_depends_on_who_tells_it(tmp_path):
    path = database(
        tmp_path,
        event(1, 3, duration=50, code=2),
        event(4, 5, duration=50, arg0=1 << 20),
        event(8, 4, duration=50),
        event(3, 1, duration=50),
        event(5, 2, duration=50, arg0=8),
        event(7, 1, duration=50, arg0=3, arg1=1500),
        event(6, 1),
    )
    rows = rows_of(KIND, path)["trace_spans"]
    told = {(r["category"], r["name"]): (r["ts_ns"] - T, r["bytes"], r["return_code"]) for r in rows}
    assert told == {
        ("cuda_runtime", "cudaLaunchKernel"): (0, None, 2),
        ("cuda_driver", "cuMemAlloc"): (0, 1 << 20, 0),
        ("cuda_graph", "cudaGraphLaunch"): (0, None, 0),
        ("host", "sched_switch"): (-50, None, None),
        ("disk", "write"): (-50, 4096, None),
        ("net", "send"): (-50, 1500, None),
        ("tcp", "tcp_retransmit"): (0, None, None),
    }


def test_the_victim_of_an_out_of_memory_kill_and_the_end_of_a_process(tmp_path):
    path = database(
        tmp_path,
        event(3, 4, pid=100, arg1=4242),
        event(3, 6, pid=4242, tid=4242),
        event(3, 6, pid=4242, tid=4243),  # one of its threads
    )
    signal, gone = rows_of(KIND, path)["processes"]
    assert (signal["pid"], signal["event"], signal["signal"], signal["sender_pid"]) == (4242, "signal", 9, 0)
    assert (gone["pid"], gone["event"]) == (4242, "gone")


def test_counts_by_five_seconds_are_taken_where_they_are_all_there(tmp_path):
    fine = "event_aggregates_5s"
    path = database(
        tmp_path,
        event(1, 1, rank=3),
        count("event_aggregates", MINUTE, 1, 1, 7, 10, arg0=640),
        count(fine, MINUTE, 1, 1, 7, 4, arg0=256),
        count(fine, MINUTE + 5_000_000_000, 1, 1, 7, 6, arg0=384),
        count("event_aggregates", MINUTE, 1, 3, 7, 99, arg0=7),
        count(fine, MINUTE + 5_000_000_000, 1, 3, 7, 6),  # the rest has been deleted
        count("event_aggregates", MINUTE, 3, 1, 7, 5),
        count("event_aggregates", MINUTE, 1, 77, 7, 5),
    )
    context = Context()
    rows = rows_of(KIND, path, context)["cuda_calls"]
    assert [(r["api"], r["duration_ns"] // 10**9, r["count"], r["bytes"], r["rank"]) for r in rows] == [
        ("cudaMalloc", 5, 4, 256, 3),
        ("cudaMalloc", 5, 6, 384, 3),
        ("cudaLaunchKernel", 60, 99, None, 3),
    ]
    assert sorted(context.refused.values()) == [1, 1]


def test_a_merged_database_keeps_only_what_says_whose_it_is(tmp_path):
    path = database(
        tmp_path,
        event(1, 1, node="n1"),
        event(1, 1, node="n2"),
        ("INSERT INTO process_names VALUES (7, 'python', ?)", T),
        ("INSERT INTO system_snapshots VALUES (1, ?, 50, 1, 2, 3, 4)", T),
        count("event_aggregates", MINUTE, 1, 1, 7, 10),
    )
    context = Context()
    rows = rows_of(KIND, path, context)
    assert [row["node"] for row in rows["trace_spans"]] == ["n1", "n2"]
    assert not rows.get("processes")
    assert not rows.get("host_samples")
    assert not rows.get("cuda_calls")
    assert sum(context.refused.values()) == 3


def test_the_tracer_itself_is_left_out_and_counted(tmp_path):
    path = database(tmp_path, ("INSERT INTO process_names VALUES (9, 'ingero', 1)",), event(5, 2, pid=9), event(5, 2))
    context = Context()
    assert [row["pid"] for row in rows_of(KIND, path, context)["trace_spans"]] == [7]
    assert context.refused == {"events of the tracer itself": 1}


def test_annotations_and_python_frames(tmp_path):
    path = database(
        tmp_path,
        ('INSERT INTO annotations VALUES (1, ?, \'{"step":"4"}\', 7, ?, ?)', T, T + 5, T + 9),
        ('INSERT INTO annotations VALUES (2, ?, \'{"epoch":"1"}\', 0, 0, 0)', T),
        ('INSERT INTO stack_traces VALUES (5, \'\', \'[{"pf":"a.py","pfn":"f","pl":3},{"i":"0x1"}]\')',),
        ("INSERT INTO stack_traces VALUES (6, '[\"0x1\",\"0x2\"]', '')",),
        ("INSERT INTO stack_traces VALUES (7, '', '{broken')",),
    )
    context = Context()
    rows = rows_of(KIND, path, context)
    assert [(r["name"], r["ts_ns"] - T, r["duration_ns"], r["pid"]) for r in rows["trace_spans"]] == [
        ('{"step":"4"}', 5, 4, 7),
        ('{"epoch":"1"}', 0, None, None),
    ]
    assert [(r["stack_id"], r["kind"], r["text"]) for r in rows["stacks"]] == [
        (5, "python", "f at a.py:3\n0x1 at ?"),
        (6, "native", "0x1\n0x2"),
    ]
    assert context.refused == {"stacks without frames": 1}


def test_a_session_that_was_not_stopped_is_truncated(tmp_path):
    sql = "INSERT INTO sessions (started_at, stopped_at, ingero_ver, node) VALUES (?, ?, 'v0.17', 'n1')"
    row = rows_of(KIND, database(tmp_path, (sql, T, 0)))["collection"][0]
    assert (row["outcome"], row["from_mono_ns"], row["to_mono_ns"], row["node"]) == ("truncated", T, None, "n1")
    row = rows_of(KIND, database(tmp_path, (sql, T, T + 9), name="y.db"))["collection"][0]
    assert (row["outcome"], row["to_mono_ns"]) == ("ok", T + 9)


def test_rows_that_are_only_in_the_write_ahead_log_are_read(tmp_path):
    path = database(tmp_path, ("PRAGMA journal_mode = WAL",))
    live = sqlite3.connect(path, isolation_level=None)
    live.execute("PRAGMA wal_autocheckpoint = 0")
    sql, *values = event(1, 1)
    live.execute(sql, values)
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    (tmp_path / "copy.db-wal").write_bytes((tmp_path / "x.db-wal").read_bytes())
    live.close()
    context = Context()
    before = sorted((entry.name, entry.stat().st_size) for entry in tmp_path.iterdir())
    assert len(rows_of(KIND, copy, context)["trace_spans"]) == 1
    assert sorted((entry.name, entry.stat().st_size) for entry in tmp_path.iterdir()) == before
    assert "copy.db-wal" in context.warnings[0]
    (tmp_path / "copy.db-wal").unlink()
    assert not rows_of(KIND, copy)["trace_spans"]


ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS timestamp FROM r"


@pytest.mark.parametrize(
    "harm",
    [
        f"DROP TABLE events; CREATE VIEW events AS {ENDLESS}",
        f"CREATE VIEW other AS {ENDLESS}",
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END",
        "DROP TABLE events; CREATE VIRTUAL TABLE events USING fts5(timestamp)",
        "DROP TABLE events; CREATE TABLE events (pid INTEGER, timestamp AS (length(hex(zeroblob(1000000000)))))",
    ],
)
def test_schemas_that_compute_are_refused(tmp_path, harm):
    path = database(tmp_path, schema=SCHEMA + harm)
    source = Source("x.db", path)
    source._head = path.read_bytes() + b"stack_hash"
    assert KIND.fits(source)
    with pytest.raises(UnsafeInput, match="does not make"):
        list(KIND.read(source, Context()))


def test_work_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(ingero, "_LEAST_WORK", 2000)
    monkeypatch.setattr(ingero, "_WORK", 0)
    monkeypatch.setattr(ingero, "_STEP", 100)
    path = database(tmp_path, *(event(1, 1, at=T + n) for n in range(500)))
    with pytest.raises(UnsafeInput, match="more work"):
        list(KIND.read(Source("x.db", path), Context()))


def test_values_of_the_wrong_type_become_unknown(tmp_path):
    path = database(
        tmp_path,
        ("INSERT INTO events VALUES ('x', ?, 'pid', x'00', 1, 1, 'd', 0, 'b', 2.5, 'c', 'h', x'ff', 'r')", T),
        ("INSERT INTO events VALUES ('y', 'never', 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, '', NULL)",),
        ("INSERT INTO events VALUES ('z', ?, 1, 1, 99, 1, 1, 0, 0, 0, 0, 0, '', NULL)", T),
        ("INSERT INTO system_snapshots VALUES (1, 'x', 'x', 'x', 'x', -5, 'x')",),
    )
    context = Context()
    rows = rows_of(KIND, path, context)
    (row,) = rows["trace_spans"]
    assert (row["name"], row["ts_ns"]) == ("cudaMalloc", T)
    assert {row[name] for name in ("pid", "tid", "duration_ns", "bytes", "return_code", "stack_id", "rank")} == {None}
    assert sum(context.refused.values()) == 2
    assert set(rows["host_samples"][0].values()) == {None}


def test_a_value_too_long_ends_the_reading_with_a_warning(tmp_path):
    path = database(
        tmp_path, event(1, 1), ("INSERT INTO annotations (timestamp, labels) VALUES (1, ?)", "x" * (3 << 20))
    )
    context = Context()
    assert len(rows_of(KIND, path, context)["trace_spans"]) == 1
    assert "damaged" in context.warnings[-1]


def test_damaged_databases_are_read_or_refused_but_never_crash(tmp_path):
    whole = database(tmp_path, *(event(1, 1, at=T + n) for n in range(300))).read_bytes()
    rng = random.Random(0)
    path = tmp_path / "damaged.db"
    for trial in range(60):
        data = bytearray(whole[: rng.randrange(5000, len(whole))] if trial % 3 == 0 else whole)
        for _ in range(rng.randrange(1, 30)):
            data[rng.randrange(100, len(data))] = rng.randrange(256)
        path.write_bytes(data)
        with contextlib.suppress(InputError):
            for _table, rows in KIND.read(Source("damaged.db", path), Context()):
                assert isinstance(rows, list)


def test_names_that_are_no_text_are_one_sentence(tmp_path):
    path = database(tmp_path, schema=SCHEMA + "CREATE TABLE zzzz (a INTEGER)")
    path.write_bytes(path.read_bytes().replace(b"zzzz", b"zz\xff\xfe"))
    source = Source("x.db", path)
    with contextlib.suppress(InputError):
        assert all(isinstance(rows, list) for _, rows in KIND.read(source, Context()))


def test_other_databases_are_not_ours(tmp_path):
    path = database(tmp_path, schema="CREATE TABLE events (timestamp INTEGER)")
    assert not KIND.fits(Source("x.db", path))

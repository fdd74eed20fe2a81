from __future__ import annotations

import errno
import os
import random
import resource
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from inquest.bundle import journal, parquet, rawlog, schema
from inquest.bundle.frames import FrameReader, FrameWriter
from inquest.bundle.journal import DERIVED_SEQ, JOURNAL_SEQ, Journal, JournalReader

WHO = {"node": "n1", "boot_id": "b1", "capture": "c1"}


def begin(path: Path, **options: Any) -> Journal:
    return Journal(path, "c1", "n1", "b1", fsync=False, **options)


def rows(path: Path) -> list[dict[str, Any]]:
    return [row for batch in JournalReader(path) for row in batch.to_pylist()]


def sample(table: str, number: int) -> dict[str, Any]:
    """A row with a value in every column, of the column's type."""
    values = {
        "i64": number,
        "f64": number / 4,
        "bool": number % 2 == 0,
        "str": f"text {number}",
        "dict": f"d{number % 3}",
    }
    constant = {column.name for column in schema.IDENTITY}
    return {c.name: values[c.type] for c in schema.BY_NAME[table].columns if c.name not in constant}


@pytest.mark.parametrize("table", [table.name for table in schema.RECORDED])
def test_every_table_makes_the_round_trip(tmp_path: Path, table: str) -> None:
    written = [sample(table, number) | {"ts_mono_ns": number} for number in range(5)]
    recorder = begin(tmp_path)
    recorder.append(table, written[:2])
    recorder.append(table, written[2:])
    recorder.close()
    reader = JournalReader(tmp_path / f"{table}.0.journal")
    batches = list(reader)
    assert all(batch.schema == parquet.plain_schema(table) for batch in batches)
    first = JOURNAL_SEQ if table in journal.RAW_TABLES else 0
    expected = [{**WHO, "ts_ns": None, **row, "seq": first + n} for n, row in enumerate(written)]
    assert [row for batch in batches for row in batch.to_pylist()] == expected
    assert (reader.state, reader.bad_frames, reader.lost_bytes) == ("sealed", 0, 0)


def test_absent_is_null_and_zero_is_zero(tmp_path: Path) -> None:
    recorder = begin(tmp_path)
    recorder.append("host_samples", [{"procs_running": 0}])
    recorder.close()
    [row] = rows(tmp_path / "host_samples.0.journal")
    assert row["procs_running"] == 0
    assert row["load_1m"] is None
    assert row["ts_mono_ns"] > 0


@pytest.mark.parametrize(
    ("table", "row", "match"),
    [
        ("no_such_table", {}, "no_such_table is not a recorded table"),
        ("fact_steps", {}, "fact_steps is not a recorded table"),
        ("host_samples", {"no_such": 1}, "host_samples has no column no_such"),
        ("host_samples", {"node": "x"}, "host_samples has no column node"),
        ("host_samples", {"procs_running": "many"}, "does not fit its column in host_samples"),
        ("host_samples", {"procs_running": 1 << 63}, "does not fit its column in host_samples"),
    ],
)
def test_what_does_not_fit_is_refused_and_spoils_nothing(
    tmp_path: Path, table: str, row: dict[str, Any], match: str
) -> None:
    recorder = begin(tmp_path)
    recorder.append("host_samples", [{"procs_running": 1}])
    with pytest.raises(ValueError, match=match):
        recorder.append(table, [{"load_1m": 1.0}, row] if row else [{}])
    recorder.append("host_samples", [{"procs_running": 2}])
    recorder.close()
    found = rows(tmp_path / "host_samples.0.journal")
    assert [(row["seq"], row["procs_running"]) for row in found] == [(0, 1), (1, 2)]


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    recorder = begin(tmp_path)
    recorder.append("processes", [{"command": os.fsdecode(b"a\xff"), "argv": "b\ud800"}])
    recorder.close()
    [row] = rows(tmp_path / "processes.0.journal")
    assert (row["command"], row["argv"]) == ("a\ufffd", "b?")


def test_rotation_and_restart_never_repeat_a_number(tmp_path: Path) -> None:
    for _ in range(2):  # the second recorder finds the segments of the first
        recorder = begin(tmp_path, segment_s=0.0)
        for _ in range(3):
            recorder.append("host_samples", [{}, {}])
        recorder.close()
    names = [name for _, _, name in journal.segments(tmp_path)]
    assert names == [f"host_samples.{number}.journal" for number in range(6)]
    numbers = [row["seq"] for name in names for row in rows(tmp_path / name)]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 12


def test_segment_is_closed_when_it_is_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "SEGMENT_ROWS", 4)
    recorder = begin(tmp_path)
    for _ in range(3):
        recorder.append("host_samples", [{}, {}, {}])
    assert FrameReader(tmp_path / "host_samples.0.journal").state == "sealed"
    assert FrameReader(tmp_path / "host_samples.1.journal").state == "open"
    recorder.close()


def test_numbers_of_the_three_kinds_of_writers_cannot_meet() -> None:
    most_segments = 1 << 18
    assert (most_segments << 32) <= JOURNAL_SEQ
    assert JOURNAL_SEQ + (most_segments << 32) <= DERIVED_SEQ
    # A line takes a byte or more, so a stream has no more lines than bytes.
    assert journal.raw_seq(255, 2, rawlog.MAX_OFFSET - 1) < JOURNAL_SEQ
    assert journal.raw_seq(0, 1, 0) == rawlog.MAX_OFFSET
    assert DERIVED_SEQ + (1 << 48) < 1 << 53


def test_long_batches_are_cut_into_frames(tmp_path: Path) -> None:
    recorder = begin(tmp_path)
    recorder.append("stacks", [{"stack_id": n, "text": "x" * (1 << 20)} for n in range(20)])
    recorder.close()
    reader = JournalReader(tmp_path / "stacks.0.journal")
    sizes = [batch.nbytes for batch in reader]
    assert sum(sizes) > 20 << 20
    assert max(sizes) < 24 << 20
    assert [row["stack_id"] for row in rows(tmp_path / "stacks.0.journal")] == list(range(20))


def test_killed_recorder_leaves_what_it_appended(tmp_path: Path) -> None:
    recorder = begin(tmp_path)
    for number in range(3):
        recorder.append("host_samples", [{"procs_running": number}])
    path = tmp_path / "host_samples.0.journal"  # not closed, as after SIGKILL
    data = path.read_bytes()
    assert [row["procs_running"] for row in rows(path)] == [0, 1, 2]
    assert JournalReader(path).state == "open"
    for cut in range(1, 40):
        path.write_bytes(data[:-cut])
        assert [row["procs_running"] for row in rows(path)] == [0, 1]
        assert JournalReader(path).state == "torn"


def test_failed_sync_does_not_reuse_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Journal(tmp_path, "c1", "n1", "b1", fsync_interval_s=0.0)
    for number in range(2):  # every second append finds one that waits for a sync
        recorder.append("host_samples", [{"procs_running": number}])

    def fail(fd: int) -> None:
        raise OSError(errno.EIO, "no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(OSError, match="no"):
            recorder.append("host_samples", [{"procs_running": 2}])
    recorder.append("host_samples", [{"procs_running": 3}])
    recorder.close()
    found = rows(tmp_path / "host_samples.0.journal")
    assert [(row["seq"], row["procs_running"]) for row in found] == [(n, n) for n in range(4)]


def test_journals_are_synced_together_and_one_that_fails_leaves_the_others_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Journal(tmp_path, "c1", "n1", "b1", fsync_interval_s=0.0)
    for _ in range(2):
        for table in ("host_samples", "disk_samples", "net_samples"):
            recorder.append(table, [{}], sync=False)
    synced: list[str] = []

    def sync(fd: int) -> None:
        synced.append(Path(f"/proc/self/fd/{fd}").readlink().name)
        if len(synced) == 1:
            raise OSError(errno.EIO, "no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", sync)
        recorder.append("host_samples", [{}], sync=False)
        assert synced == []
        with pytest.raises(OSError, match="no"):
            recorder.sync_due()
        recorder.sync_due()
    assert synced == [f"{name}_samples.0.journal" for name in ("host", "disk", "net", "host")]
    recorder.close()


@pytest.mark.parametrize("room", [0, 10, 200])
def test_full_disk_does_not_fill_up_with_empty_segments(tmp_path: Path, room: int) -> None:
    recorder = begin(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        for _ in range(3):
            with pytest.raises(OSError, match="too large"):
                recorder.append("host_samples", [{}])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    recorder.append("host_samples", [{"procs_running": 1}])
    recorder.close()
    assert [row["procs_running"] for row in rows(tmp_path / "host_samples.0.journal")] == [1]


def hostile(path: Path, *payloads: bytes, table: str = "host_samples") -> JournalReader:
    with FrameWriter(path, {**WHO, "table": table}, fsync=False) as writer:
        for payload in payloads:
            writer.append(payload)
    return JournalReader(path)


def message(batch: pa.RecordBatch, compression: str | None = None) -> tuple[bytes, bytes]:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as stream:
        stream.write_batch(batch)
    reader = pa.ipc.MessageReader.open_stream(sink.getvalue())
    first, second = reader.read_next_message(), reader.read_next_message()
    return first.serialize().to_pybytes(), second.serialize().to_pybytes()


def test_payloads_of_a_stranger_are_refused(tmp_path: Path) -> None:
    good = pa.RecordBatch.from_pydict({"seq": [1], "procs_running": [7]})
    schema_frame, batch_frame = message(good)
    assert hostile(tmp_path / "good", schema_frame, batch_frame).bad_frames == 0
    assert [row["procs_running"] for row in rows(tmp_path / "good")] == [7]
    zipped = message(pa.RecordBatch.from_pydict({"seq": [1] * 100_000, "procs_running": [7] * 100_000}), "zstd")[1]
    no_seq = message(pa.RecordBatch.from_pydict({"procs_running": [7]}))
    null_seq = message(pa.RecordBatch.from_pydict({"seq": pa.array([None], pa.int64()), "procs_running": [7]}))[1]
    nested = message(pa.RecordBatch.from_pydict({"seq": [1], "x": [[1]]}))
    other = message(pa.RecordBatch.from_pydict({"seq": [1], "procs_running": ["7"]}))
    for number, (payloads, bad) in enumerate(
        [
            ([schema_frame, b"garbage", batch_frame], 1),
            ([schema_frame, zipped, batch_frame], 1),
            ([schema_frame, schema_frame, batch_frame], 1),
            ([schema_frame, null_seq, batch_frame], 1),
            ([b"garbage", schema_frame, batch_frame], 3),
            ([*no_seq], 2),
            ([*nested], 2),
            ([*other], 2),
        ]
    ):
        reader = hostile(tmp_path / str(number), *payloads)
        found = [row["procs_running"] for batch in reader for row in batch.to_pylist()]
        assert found == ([7] if bad == 1 else [])
        assert reader.bad_frames == bad, payloads


def test_offsets_that_point_outside_are_refused(tmp_path: Path) -> None:
    """Valid checksums around changed messages: every outcome is a refusal or in-bounds values, never a crash."""
    batch = pa.RecordBatch.from_pydict({"seq": [1, 2], "state": ["abc", "defgh"]})
    schema_frame, batch_frame = message(batch)
    chance = random.Random(7)
    for number in range(400):
        changed = bytearray(batch_frame)
        for _ in range(chance.randint(1, 3)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        reader = hostile(tmp_path / str(number), schema_frame, bytes(changed), table="processes")
        for found in reader:
            found.validate(full=True)


@pytest.mark.parametrize(
    "header",
    [{}, {"table": "nope"}, {"table": "fact_steps"}, {"table": "stacks"}, {**WHO, "table": 7}, {**WHO, "node": ""}],
)
def test_headers_that_name_nothing(tmp_path: Path, header: dict[str, Any]) -> None:
    FrameWriter(tmp_path / "f", header, fsync=False).close()
    with pytest.raises(ValueError, match=r"header|records no table"):
        JournalReader(tmp_path / "f")

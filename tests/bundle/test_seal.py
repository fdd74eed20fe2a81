from __future__ import annotations

import itertools
import json
import re
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle import lines, rawlog, seal
from inquest.bundle.frames import FrameWriter
from inquest.bundle.journal import Journal, raw_seq
from inquest.bundle.mask import Masker
from inquest.bundle.nodedir import TASK_RAW, create_capture, raw_log_path
from inquest.bundle.rawlog import Data, Gap

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

WHO = {"node": "n1", "boot_id": "b1", "capture": "c1"}


def split(*records: Data | Gap) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """(offset, text, eol, time) of lines and (offset, bytes, reason) of gaps."""
    found, gaps = [], []
    for table, batch in lines.split(records, 0, dict(WHO), {}):
        for row in batch.to_pylist():
            if table == "log_lines":
                assert row["line_bytes"] >= 1
                found.append((row["offset"], row["text"], row["eol"], row["ts_mono_ns"]))
            else:
                gaps.append((row["offset"], row["bytes"], row["reason"]))
    return found, gaps


def chunks(data: bytes, cuts: Iterable[int]) -> list[Data]:
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [Data(0, n, a, data[a:b]) for n, (a, b) in enumerate(itertools.pairwise(edges))]


def reference(data: bytes) -> list[tuple[int, str, str]]:
    """The rules of the module, written down the slow way."""
    found, at = [], 0
    for match in re.finditer(rb"\r\n|\r|\n|\Z", data):
        text = data[at : match.start()]
        if text:
            eol = {b"\r\n": "lf", b"\n": "lf", b"\r": "cr", b"": "none"}[match[0]]
            found.append((at, text.decode("utf-8", "replace").replace("\0", "\ufffd"), eol))
        at = match.end()
    return found


PIECE = st.sampled_from(
    [b"a", b"\n", b"\r", b"\r\n", b"\n\n", b"\xc3\xa9", b"\xff", b"\0", b"word ", b"\xe2\x86", b"xyz\n"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECE, max_size=30), st.lists(st.integers(0, 200), max_size=8))
def test_lines_do_not_depend_on_how_they_were_read(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    found, gaps = split(*chunks(data, cuts))
    assert [row[:3] for row in found] == reference(data)
    assert gaps == []


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECE, max_size=20), st.lists(st.integers(0, 100), max_size=5), st.data())
def test_what_was_written_twice_is_read_once(pieces: list[bytes], cuts: list[int], draw: st.DataObject) -> None:
    data = b"".join(pieces)
    records: list[Data] = []
    for record in chunks(data, cuts):
        records.append(record)
        again = draw.draw(st.integers(0, record.offset + len(record.data) - 1))
        overlap = data[again : record.offset + len(record.data)]
        if draw.draw(st.booleans()):
            records.append(Data(0, 99, again, overlap))
    assert [row[:3] for row in split(*records)[0]] == reference(data)


def test_time_is_that_of_the_last_byte_of_text() -> None:
    found, _ = split(Data(0, 5, 0, b"ab"), Data(0, 6, 2, b"c"), Data(0, 7, 3, b"\nd\re"), Data(0, 8, 7, b"\r"))
    assert found == [(0, "abc", "lf", 6), (4, "d", "cr", 7), (6, "e", "cr", 7)]


def test_carriage_return_and_line_feed_in_two_records() -> None:
    assert split(Data(0, 1, 0, b"a\r"), Data(0, 2, 2, b"\nb\r"))[0] == [(0, "a", "lf", 1), (3, "b", "cr", 2)]
    assert split(Data(0, 1, 0, b"10%\r"), Data(0, 2, 4, b"20%\r"))[0] == [(0, "10%", "cr", 1), (4, "20%", "cr", 2)]


def test_streams_do_not_mix() -> None:
    found, _ = split(Data(0, 1, 0, b"out"), Data(1, 2, 0, b"err\n"), Data(0, 3, 3, b"put\n"))
    assert found == [(0, "err", "lf", 2), (0, "output", "lf", 3)]


def test_lines_of_a_stream_are_numbered_without_holes() -> None:
    records = [Data(0, 1, 0, b"a\n\nb\nc"), Data(1, 2, 0, b"x\ny\n"), Data(0, 3, 6, b"\n\nd\re\n"), Gap(1, 4, 4, 9, "")]
    found = {
        (row["stream"], table, row["seq"]) for table, b in lines.split(records, 3, WHO, {}) for row in b.to_pylist()
    }
    expected = {("stdout", "log_lines", raw_seq(3, 0, n)) for n in range(5)}
    expected |= {("stderr", "log_lines", raw_seq(3, 1, n)) for n in range(2)}
    assert found == expected | {("stderr", "log_gaps", raw_seq(3, 1, 0))}


def test_gaps_end_the_open_line() -> None:
    found, gaps = split(
        Data(0, 1, 0, b"ab"), Gap(0, 2, 2, 10, "disk full"), Data(0, 3, 12, b"c\nd"), Data(0, 4, 20, b"e")
    )
    assert found == [(0, "ab", "none", 1), (12, "c", "lf", 3), (14, "d", "none", 3), (20, "e", "none", 4)]
    assert gaps == [(2, 10, "disk full"), (15, 5, lines._NOT_RECORDED)]


def test_gap_over_what_is_there_says_only_what_is_missing() -> None:
    found, gaps = split(
        Data(0, 1, 0, b"abc"), Gap(0, 2, 1, 2, "known"), Gap(0, 2, 2, 4, "half known"), Data(0, 3, 6, b"d")
    )
    assert [row[:2] for row in found] == [(0, "abc"), (6, "d")]
    assert gaps == [(3, 3, "half known")]


@pytest.mark.parametrize("size", [rawlog.LINE_BYTES - 1, rawlog.LINE_BYTES, rawlog.LINE_BYTES + 1, 1_000_000])
def test_long_lines_keep_head_and_tail(size: int) -> None:
    data = (b"%07d " * (size // 8 + 1) % tuple(range(size // 8 + 1)))[:size]
    records = [Data(0, 1, at, data[at : at + 50_000]) for at in range(0, size, 50_000)]
    [(_, batch)] = lines.split([*records, Data(0, 2, size, b"\n")], 0, dict(WHO), {})
    [row] = batch.to_pylist()
    assert row["line_bytes"] == size
    if size <= rawlog.LINE_BYTES:
        assert (row["text"], row["truncated"]) == (data.decode(), False)
        return
    head, cut, tail = re.fullmatch(r"(.*)\[\.\.\. (\d+) bytes cut by inquest \.\.\.\](.*)", row["text"]).groups()  # type: ignore[union-attr]
    assert row["truncated"]
    assert data.decode().startswith(head)
    assert data.decode().endswith(tail)
    assert len(head) + int(cut) + len(tail) == size
    assert len(head) > rawlog.LINE_BYTES // 2 - 600
    assert len(tail) > rawlog.LINE_BYTES // 2 - 600


def test_cut_leaves_no_half_words() -> None:
    """What is left of a secret at the cut could not be recognised any more."""
    secret = b"hf_" + b"a1B2c3D4e5" * 4
    half = rawlog.LINE_BYTES // 2
    data = (b"x " * half)[: half - 10] + secret + b" " + b"y " * half + secret + b" z" * (half // 2 - 10)
    records = [Data(0, 1, at, data[at : at + 60_000]) for at in range(0, len(data), 60_000)]
    [(_, batch)] = lines.split(records, 0, dict(WHO), {})
    assert b"hf_" not in batch.column("text")[0].as_py().encode()


def test_one_endless_line_takes_bounded_memory() -> None:
    piece = b"x" * 65_536
    endless = (Data(0, n, n * len(piece), piece) for n in range(2_000))  # 131 MB
    tracemalloc.start()
    try:
        [(_, batch)] = lines.split(endless, 0, dict(WHO), {})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert batch.column("line_bytes")[0].as_py() == 2_000 * len(piece)
    assert peak < 4 << 20


def test_raw_log_records_make_the_round_trip_and_strangers_do_not() -> None:
    data = rawlog.decode(rawlog.encode(2, 5, 7, b"bytes"))
    assert isinstance(data, Data)
    assert (data.stream, data.mono_ns, data.offset, data.data) == (2, 5, 7, b"bytes")
    gap = rawlog.decode(rawlog.encode_gap(1, 5, 7, 9, "full"))
    assert isinstance(gap, Gap)
    assert (gap.stream, gap.mono_ns, gap.offset, gap.lost, gap.reason) == (1, 5, 7, 9, "full")
    good = rawlog.encode(0, 0, 0, b"x")
    strange = [
        b"",
        good[:-1],
        b"\2" + good[1:],
        b"\0\3" + good[2:],
        rawlog.encode(0, -1, 0, b"x"),
        rawlog.encode(0, 0, -1, b"x"),
    ]
    strange += [
        rawlog.encode(0, 0, (1 << 63) - 1, b"x"),
        good + bytes(rawlog.MAX_DATA),
        rawlog.encode_gap(0, 0, 0, 0, ""),
    ]
    for payload in strange:
        with pytest.raises(ValueError, match="raw log record"):
            rawlog.decode(payload)
    for size in (0, rawlog.MAX_DATA + 1):
        with pytest.raises(ValueError, match="a record holds"):
            rawlog.encode(0, 0, 0, bytes(size))


# --- segments ------------------------------------------------------------------------------------------------------


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    from pathlib import Path

    return Path(create_capture(tmp_path, "n1", fsync=False))


def record_gpus(capture: Path, ticks: int = 5) -> None:
    journal = Journal(capture, "c1", "n1", "b1", fsync=False)
    for tick in range(ticks):
        journal.append(
            "gpu_samples", [{"ts_mono_ns": tick, "gpu_uuid": f"GPU-{1 - g}", "power_w": 1.5} for g in range(2)]
        )
    journal.close()


def record_log(capture: Path, text: bytes, stream: int = 0) -> None:
    with FrameWriter(raw_log_path(capture), {"kind": "log"}, fsync=False) as writer:
        writer.append(rawlog.encode(stream, 1, 0, text))


def test_sealed_rows_are_sorted_and_the_journal_is_gone(capture: Path) -> None:
    record_gpus(capture)
    [done] = seal.seal_capture(capture)
    assert (done.stem, done.rows) == ("gpu_samples.0", 10)
    assert sorted(path.name for path in capture.iterdir()) == [
        "gpu_samples.0.parquet",
        "gpu_samples.0.seal",
        "node.json",
    ]
    assert {path.stat().st_mode & 0o777 for path in capture.iterdir()} == {0o600}
    table = pq.read_table(capture / "gpu_samples.0.parquet")
    keys = list(zip(table["gpu_uuid"].to_pylist(), table["ts_mono_ns"].to_pylist(), strict=True))
    assert keys == sorted(keys)
    assert set(table["seq"].to_pylist()) == set(range(10))


def test_sealing_equal_rows_gives_equal_bytes(tmp_path: Path) -> None:
    from pathlib import Path

    written = []
    for name in ("a", "b"):
        capture = Path(create_capture(tmp_path / name, "n1", fsync=False))
        record_gpus(capture)
        seal.seal_capture(capture)
        written.append((capture / "gpu_samples.0.parquet").read_bytes())
    assert written[0] == written[1]


def test_encodings(capture: Path) -> None:
    record_gpus(capture)
    seal.seal_capture(capture)
    group = pq.ParquetFile(capture / "gpu_samples.0.parquet").metadata.row_group(0)
    found = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    assert {column.compression for column in found.values()} == {"ZSTD"}
    assert "DELTA_BINARY_PACKED" in found["ts_mono_ns"].encodings
    assert "DELTA_BINARY_PACKED" in found["seq"].encodings
    assert found["gpu_uuid"].dictionary_page_offset is not None


def test_raw_log_is_sealed_masked_when_asked(capture: Path) -> None:
    record_log(capture, b"token=abc123def456\nloss 1.5\n")
    record_log(capture, b"Traceback\n", stream=1)
    assert seal.seal_capture(capture) == []
    [done] = seal.seal_capture(capture, raw_logs=True)
    assert (done.stem, done.rows) == ("log-0", 3)
    names = sorted(path.name for path in capture.iterdir())
    assert names == ["log-0.seal", "log_lines.log-0.parquet", "node.json"]
    assert not any(b"abc123def456" in path.read_bytes() for path in capture.iterdir())
    found = seal.read_seal(capture, "log-0")
    assert found is not None
    assert found.masked == {("token", "log_lines", "text"): 1}


def test_what_a_full_disk_refused_is_a_gap_of_what_is_sealed(capture: Path) -> None:
    record_log(capture, b"one\n")
    with FrameWriter(capture / TASK_RAW, {"kind": "task", "task": 0}, fsync=False) as events:
        events.append(b'{"event": "delivered", "mono_ns": 9, "task": 0, "bytes": {"0": 10, "1": 7}}')
    [done] = seal.seal_capture(capture, raw_logs=True)
    assert done.rows == 3
    gaps = pq.read_table(capture / "log_gaps.log-0.parquet").select(["stream", "offset", "bytes"]).to_pylist()
    assert [tuple(gap.values()) for gap in gaps] == [("stdout", 4, 6), ("stderr", 0, 7)]


def test_secrets_across_records_are_masked(capture: Path) -> None:
    """A read may end anywhere: within a token, within a private key, between CR and LF."""
    begin, end = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB"
    text = f"x hf_{'a1B2c3D4e5' * 4} y\r\n{begin}\r\n{body}\r\n{end}\r\n{body[:20]} is ordinary\n".encode()
    expected = ["x [masked:huggingface] y", begin, "[masked:private_key]", end, f"{body[:20]} is ordinary"]
    for cut in range(1, len(text)):
        masker = Masker()
        records = [Data(0, 1, 0, text[:cut]), Data(0, 2, cut, text[cut:])]
        found: list[str] = []
        for _, batch in lines.split(records, 0, dict(WHO), {}):
            found += seal.mask_batch("log_lines", batch, masker, 0).column("text").to_pylist()
        assert found == expected, cut


def test_silent_task_is_sealed_too(capture: Path) -> None:
    FrameWriter(raw_log_path(capture), {"kind": "log"}, fsync=False).close()
    [done] = seal.seal_capture(capture, raw_logs=True)
    assert done.rows == 0
    assert seal.read_seal(capture, "log-0") == seal.Seal({}, {})


def test_what_is_not_closed_or_not_whole_is_left_alone(capture: Path) -> None:
    journal = Journal(capture, "c1", "n1", "b1", fsync=False)
    journal.append("host_samples", [{}])
    record_gpus(capture)
    damaged = bytearray((capture / "gpu_samples.0.journal").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (capture / "gpu_samples.0.journal").write_bytes(damaged)
    record_log(capture, b"a\n")
    (capture / "log-0.1.raw").write_bytes(b"torn")
    before = {path.name: path.read_bytes() for path in capture.iterdir()}
    assert seal.seal_capture(capture, raw_logs=True) == []
    assert {path.name: path.read_bytes() for path in capture.iterdir()} == before
    journal.close()


def test_sealing_stops_in_time_and_leaves_no_trace(capture: Path) -> None:
    record_gpus(capture)
    record_log(capture, b"a\n")
    before = sorted(path.name for path in capture.iterdir())
    assert seal.seal_capture(capture, raw_logs=True, until=time.monotonic()) == []
    assert sorted(path.name for path in capture.iterdir()) == before


def test_any_change_to_a_sealed_segment_shows(capture: Path) -> None:
    record_gpus(capture, ticks=2)
    seal.seal_capture(capture)
    assert seal.read_seal(capture, "gpu_samples.0") is not None
    for name in ("gpu_samples.0.parquet", "gpu_samples.0.seal"):
        path = capture / name
        data = path.read_bytes()
        step = max(1, len(data) // 200)
        for at in range(0, len(data), step):
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
            assert seal.read_seal(capture, "gpu_samples.0") is None, (name, at)
            path.write_bytes(data[:at])
            assert seal.read_seal(capture, "gpu_samples.0") is None, (name, at)
        path.write_bytes(data)
    assert seal.read_seal(capture, "gpu_samples.0") is not None


@pytest.mark.parametrize("table", ["../../etc/passwd", "nope", "", 7])
def test_seal_cannot_point_elsewhere(capture: Path, table: object) -> None:
    header = {"files": {table: {"bytes": 0, "sha256": ""}}, "masked": []}
    FrameWriter(capture / "log-0.seal", json.loads(json.dumps(header)), fsync=False).close()
    assert seal.read_seal(capture, "log-0") is None


def test_key_of_masks_is_kept_with_the_recording(capture: Path) -> None:
    identity = seal.read_identity(capture)
    assert len(seal.mask_key(identity) or b"") == 16
    assert seal.mask_key({}) is None
    assert seal.mask_key({"mask_key": "zz"}) is None


def test_mask_batch_masks_free_text_only() -> None:
    from inquest.bundle.parquet import conform

    row = {**WHO, "seq": 0, "event": "seen", "argv": "x --token abc123def456", "master_addr": "node01"}
    batch = conform("processes", pa.RecordBatch.from_pylist([row]))
    [found] = seal.mask_batch("processes", batch, Masker()).to_pylist()
    assert found["argv"] == "x --token [masked:flag]"
    assert {**found, "argv": ""} == {**batch.to_pylist()[0], "argv": ""}

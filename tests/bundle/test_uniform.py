"""Messages of one shape give the same rows together as one by one, and strangers' messages give rows or nothing."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle import uniform
from inquest.bundle.journal import Journal, JournalReader
from inquest.bundle.nodedir import create_capture

SCHEMA = pa.schema([("seq", pa.int64()), ("x", pa.float64()), ("flag", pa.bool_()), ("name", pa.string())])
_CELL = {
    "x": st.none() | st.floats(allow_nan=False),
    "flag": st.none() | st.booleans(),
    "name": st.none() | st.sampled_from(["", "a", "bb", "ä", "ccc"]),
}


def payload(rows: list[dict[str, object]]) -> bytes:
    return bytes(pa.RecordBatch.from_pylist(rows, schema=SCHEMA).serialize().to_pybytes())


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(1, 17), st.integers(2, 5))
def test_together_as_one_by_one(data: st.DataObject, height: int, count: int) -> None:
    shape = [{name: data.draw(st.booleans()) for name in _CELL} for _ in range(height)]
    frames = []
    for frame in range(count):
        cells = [{n: data.draw(_CELL[n]) if keep else None for n, keep in row.items()} for row in shape]
        frames.append([{"seq": frame * height + number, **row} for number, row in enumerate(cells)])
    payloads = [payload(rows) for rows in frames]
    alike = [p for p in payloads if len(p) == len(payloads[0]) and uniform.head(p) == uniform.head(payloads[0])]
    together = uniform.decode(alike, SCHEMA)
    expected = [row for rows, p in zip(frames, payloads, strict=True) if p in alike for row in rows]
    if together is not None:
        assert together.to_pylist() == expected


def test_what_a_recorder_writes_is_decoded_together() -> None:
    frames = [
        payload([{"seq": 8 * f + n, "x": f / 3, "flag": n > 3, "name": f"GPU-{n}" if n else None} for n in range(8)])
        for f in range(50)
    ]
    together = uniform.decode(frames, SCHEMA)
    assert together is not None
    assert together.column("seq").to_pylist() == list(range(400))
    assert together.column("name").to_pylist() == ([None] + [f"GPU-{n}" for n in range(1, 8)]) * 50
    assert together.column("flag").to_pylist() == ([False] * 4 + [True] * 4) * 50


def test_any_damage_gives_rows_or_nothing() -> None:
    chance = random.Random(3)
    frames = [payload([{"seq": 3 * f + n, "x": 1.0, "flag": True, "name": "ab"} for n in range(3)]) for f in range(4)]
    given_up = 0
    for _ in range(3000):
        at, value = chance.randrange(8, len(frames[0])), chance.randrange(256)
        damaged = [frame[:at] + bytes([value]) + frame[at + 1 :] for frame in frames]
        try:
            rows = uniform.decode(damaged, SCHEMA)
        except pa.ArrowException:
            rows = None
        given_up += rows is None
        if rows is not None:
            assert rows.num_rows % 4 == 0
            rows.to_pylist()
    assert given_up > 100


@pytest.mark.parametrize("odd", [0, 7, 19])
def test_a_bad_message_among_many_costs_itself_only(tmp_path: object, odd: int) -> None:
    capture = create_capture(str(tmp_path), "n0", fsync=False)
    journal = Journal(capture, "c", "n0", "b", fsync=False)
    for tick in range(20):
        journal.append("net_samples", [{"interface": "ib0", "rx_bytes": tick}])
        if tick == odd:
            segment = journal._open["net_samples"]
            row = {"interface": "ib0", "rx_bytes": 9, "seq": 5}
            whole = segment._batch([row], set(row)).serialize().to_pybytes()
            segment.writer.append(whole.replace(b"ib0", b"\xff\xfe0"))
    journal.close()
    reader = JournalReader(f"{capture}/net_samples.0.journal")
    rows = pa.Table.from_batches(list(reader))
    assert rows.column("rx_bytes").to_pylist() == list(range(20))
    assert reader.bad_frames == 1

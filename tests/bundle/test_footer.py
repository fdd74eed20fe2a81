"""Footers that Arrow would end the process for: refused before it is asked."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inquest.bundle import footer, parquet
from inquest.bundle.errors import InputError
from tests.bundle.forge import write_bundle
from tests.bundle.test_hostile_bundle import run

if TYPE_CHECKING:
    from pathlib import Path

LOW, HIGH = 0x1122334455667788, 0x1122334455667799
ROWS: list[dict[str, Any]] = [{"ts_ns": LOW, "text": "a"}, {"ts_ns": HIGH, "text": "b"}]


def parts(data: bytes) -> tuple[bytes, bytes]:
    """Pages, and footer."""
    (size,) = struct.unpack("<I", data[-8:-4])
    return data[: -8 - size], data[-8 - size : -8]


def with_footer(data: bytes, changed: bytes) -> bytes:
    return parts(data)[0] + changed + struct.pack("<I", len(changed)) + b"PAR1"


def short_bound(found: bytes) -> bytes:
    # A least value of two bytes in a column of eight.
    value = struct.pack("<q", LOW)
    assert found.count(b"\x08" + value) >= 1
    return found.replace(b"\x08" + value, b"\x02" + value[:2])


def table() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"ts_ns": [LOW, HIGH], "text": ["a", None]}), buffer, store_schema=False)
    return buffer.getvalue()


def test_a_stranger_cannot_end_the_process_by_statistics(tmp_path: Path) -> None:
    def write(path: Path, name: str, batch: pa.RecordBatch) -> None:
        with parquet.Writer(path, name) as out:
            out.write(batch)
        data = path.read_bytes()
        path.write_bytes(with_footer(data, short_bound(parts(data)[1])))

    path = write_bundle(tmp_path / "hostile", {"log_lines": ROWS}, writer=write)
    asked = ["query", str(path), "SELECT max(text) FROM log_lines WHERE ts_ns > 5"]
    for code, text in run(["verify", str(path)], asked, ["merge", str(path), "-o", str(tmp_path / "out")]):
        assert code == 5
        assert text.startswith("inquest: ")
        assert text.count("\n") == 1, text


def test_every_footer_of_ours_passes(recorded: Path) -> None:
    files = sorted(recorded.glob("*/*/*/*.parquet"))
    assert len(files) > 100
    for path in files:
        footer.check_file(path)


ASK_ARROW = """
import sys
import pyarrow as pa, pyarrow.parquet as pq
data = sys.stdin.buffer.read()
size = int(sys.argv[1])
for at in range(0, len(data), size):
    try:
        found = pq.ParquetFile(pa.BufferReader(data[at : at + size])).metadata
    except (OSError, ValueError):
        continue
    for group in map(found.row_group, range(found.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            try:
                column.to_dict()
            except (OSError, ValueError):
                pass
print("survived")
"""


def test_what_passes_does_not_end_the_process() -> None:
    data = table()
    whole = parts(data)[1]
    footer.check(whole)
    passed = []
    refused = 0
    for at in range(len(whole)):
        for value in {whole[at] ^ 1 << bit for bit in range(8)} | {0, 0x15, 0xFF}:
            changed = whole[:at] + bytes([value]) + whole[at + 1 :]
            try:
                footer.check(changed)
            except ValueError:
                refused += 1
            else:
                passed.append(with_footer(data, changed))
    assert len(passed) > 1000
    assert refused > 300
    done = subprocess.run(
        [sys.executable, "-c", ASK_ARROW, str(len(data))], input=b"".join(passed), capture_output=True, check=False
    )
    assert done.stdout == b"survived\n", done.stderr[-300:]


def test_every_cut_of_a_footer_is_read_to_an_end() -> None:
    whole = parts(table())[1]
    for at in range(len(whole)):
        with pytest.raises(ValueError, match=r"footer|schema|column|group"):
            footer.check(whole[:at])


def test_nested_columns_are_none_of_ours() -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": [[1]]}), buffer)
    with pytest.raises(ValueError, match="nested"):
        footer.check(parts(buffer.getvalue())[1])


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" * 3, b"\0" * 64, b"PAR1\xff\xff\xff\x7fPAR1"])
def test_what_is_no_parquet_is_one_sentence(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    with pytest.raises(InputError, match="footer"):
        footer.check_file(path)

"""Bundles built to harm: one clear sentence, exit 5, and memory that stays small.

Each is opened by the real command line in a process of its own, under a limit on memory and on time.
"""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inquest.bundle import container
from inquest.bundle.container import Container
from tests.bundle.forge import write_bundle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEED = 20261120
ROWS: dict[str, list[dict[str, Any]]] = {
    "log_lines": [{"text": f"step {i}", "stream": "stdout", "ts_ns": i, "rank": i % 4} for i in range(100)],
    "processes": [{"rank": 0, "world_size": 2, "job_id": "1"}],
}
PEAK_MIB = 400
"""Polars, Arrow and the rest take about 200 MiB before the first byte of a bundle is read."""

# Runs verbs on bundles, prints for each: exit code, and what went to stderr; then the peak of resident memory.
RUNNER = textwrap.dedent(
    """
    import contextlib, io, json, resource, sys
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    from inquest.cli import dispatch, leave
    for line in sys.stdin:
        errors, out = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(out):
            code = dispatch(json.loads(line))
        print(json.dumps([code, errors.getvalue()]), flush=True)
    # Not ru_maxrss: that one begins with what the parent had at the fork.
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print(int(status["VmHWM"].split()[0]) // 1024)
    leave(0)
    """
)


def run(*commands: list[str]) -> list[tuple[int, str]]:
    """Exit code and stderr of each command; fails when a handful of them took more than PEAK_MIB."""
    return [result for first in range(0, len(commands), 7) for result in run_together(commands[first : first + 7])]


def run_together(commands: tuple[list[str], ...]) -> list[tuple[int, str]]:
    """What ``run`` gives, for commands that share a process, as starting one takes longer than they do."""
    import json

    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input="".join(json.dumps(command) + "\n" for command in commands),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *results, peak = done.stdout.splitlines()
    assert len(results) == len(commands)
    assert int(peak) < PEAK_MIB
    return [tuple(json.loads(result)) for result in results]


def parquet_of(**options: Any) -> Callable[[Path, str, pa.RecordBatch], None]:
    def write(path: Path, table: str, batch: pa.RecordBatch) -> None:
        pq.write_table(pa.table(batch), path, **{"compression": "zstd", "store_schema": False, **options})

    return write


def a_billion_rows_claimed(path: Path) -> None:
    write_bundle(path, ROWS, spoil=lambda m: replace(m, members=tuple(replace(x, rows=10**9) for x in m.members)))


def too_many_rows_in_a_group(path: Path) -> None:
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        rows = pa.concat_tables([pa.table(batch)] * 3000).combine_chunks()
        pq.write_table(rows, source, compression="zstd", store_schema=False, row_group_size=10**9)

    write_bundle(path, {"log_lines": ROWS["log_lines"]}, writer=write, spoil=lambda m: _claim(m, 300_000))


def _claim(manifest: Any, rows: int) -> Any:
    from inquest.bundle.manifest import content_digest

    members = tuple(replace(member, rows=rows) for member in manifest.members)
    return replace(manifest, members=members, content_digest=content_digest(members, manifest.schema_digest))


def one_long_text_for_every_row(path: Path) -> None:
    # 1 MiB in the file, 150 GiB when every row has its own copy.
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        indices = pa.array([0] * 150_000, pa.int32())
        text = pa.DictionaryArray.from_arrays(indices, pa.array(["x" * (1 << 20)]))
        columns = {
            "node": pa.DictionaryArray.from_arrays(indices, pa.array(["n0"])),
            "capture": pa.DictionaryArray.from_arrays(indices, pa.array(["c"])),
            "seq": pa.array(range(150_000)),
            "text": text,
        }
        pq.write_table(pa.table(columns), source, compression="zstd", store_schema=False, row_group_size=150_000)

    write_bundle(path, {"stacks": [{}]}, writer=write, spoil=lambda m: _claim(m, 150_000))


def a_quarter_gigabyte_in_a_value(path: Path) -> None:
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        columns = {"node": ["n0"], "capture": ["c"], "seq": [0], "text": pa.array(["\0" * (1 << 28)])}
        pq.write_table(pa.table(columns), source, compression="zstd", store_schema=False, use_dictionary=False)

    write_bundle(path, {"stacks": [{}]}, writer=write)


def footer_that_understates(path: Path) -> None:
    # 256 MiB behind a footer that states 100 bytes.
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        columns = {"node": ["n0"], "capture": ["c"], "seq": [0], "text": pa.array(["\0" * (1 << 28)])}
        pq.write_table(pa.table(columns), source, compression="zstd", store_schema=False, use_dictionary=False)
        group = pq.read_metadata(source).row_group(0)
        data = source.read_bytes()
        for size in (group.column(3).total_uncompressed_size, group.total_byte_size):
            stated = _varint(2 * size)
            assert data.count(stated) >= 1
            data = data.replace(stated, b"\xc8\x81" + b"\x80" * (len(stated) - 3) + b"\0")
        source.write_bytes(data)
        assert pq.read_metadata(source).row_group(0).column(3).total_uncompressed_size == 100

    write_bundle(path, {"stacks": [{}]}, writer=write)


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def ten_megabyte_column_name(path: Path) -> None:
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        columns = {"node": ["n0"], "capture": ["c"], "seq": [0], "x" * 10_000_000: [1]}
        pq.write_table(pa.table(columns), source, compression="zstd", store_schema=False)

    write_bundle(path, {"stacks": [{}]}, writer=write)


def huge_parquet_metadata(path: Path) -> None:
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        with pq.ParquetWriter(source, batch.schema, compression="zstd", store_schema=False) as writer:
            writer.write_batch(batch)
            writer.add_key_value_metadata({f"k{i}": "v" * 1000 for i in range(30_000)})

    write_bundle(path, ROWS, writer=write)


def prefix_encoded_text(path: Path) -> None:
    encoding = {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
    write_bundle(path, {"log_lines": ROWS["log_lines"]}, writer=parquet_of(**encoding))


def other_compression(path: Path) -> None:
    write_bundle(path, ROWS, writer=parquet_of(compression="gzip"))


def wrong_types(path: Path) -> None:
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        index = batch.schema.get_field_index("seq")
        seq = batch.column("seq").cast(pa.string())
        pq.write_table(pa.table(batch.set_column(index, "seq", seq)), source, compression="zstd", store_schema=False)

    write_bundle(path, ROWS, writer=write)


def nested_columns(path: Path) -> None:
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        index = batch.schema.get_field_index("ts_ns")
        lists = pa.array([[1, 2]] * batch.num_rows, pa.list_(pa.int64()))
        pq.write_table(
            pa.table(batch.set_column(index, "ts_ns", lists)), source, compression="zstd", store_schema=False
        )

    write_bundle(path, ROWS, writer=write)


def text_that_is_not_utf8(path: Path) -> None:
    def write(source: Path, table: str, batch: pa.RecordBatch) -> None:
        index = batch.schema.get_field_index("text")
        raw = pa.array([b"\xff\xfe\x80"] * batch.num_rows, pa.binary())
        pq.write_table(pa.table(batch.set_column(index, "text", raw)), source, compression="zstd", store_schema=False)

    write_bundle(path, {"log_lines": ROWS["log_lines"]}, writer=write)


def no_parquet_at_all(path: Path) -> None:
    write_bundle(path, ROWS, writer=lambda source, *_: source.write_bytes(b"PAR1" + b"\xff" * 100))


def footer_longer_than_the_file(path: Path) -> None:
    write_bundle(path, ROWS, writer=lambda source, *_: source.write_bytes(b"PAR1" + b"\xff" * 20 + b"\x7fPAR1"))


def later_version(path: Path) -> None:
    write_bundle(path, ROWS, spoil=lambda m: replace(m, version=2))


def _manifest(path: Path, data: bytes) -> None:
    container.write(path, [], lambda _: data)


def manifest_is_deep(path: Path) -> None:
    _manifest(path, b"[" * 1_000_000)


def manifest_is_large(path: Path) -> None:
    _manifest(path, b" " * (container.MAX_MANIFEST_BYTES + 1))


def manifest_is_not_json(path: Path) -> None:
    _manifest(path, b"\xff\xfe{")


def manifest_holds_a_huge_number(path: Path) -> None:
    _manifest(path, b'{"format": "inquest-bundle", "version": ' + b"9" * 10_000 + b"}")


def escaping_member(path: Path, name: str = "../../../../tmp/pwned.parquet") -> None:
    good = path.with_name("good")
    write_bundle(good, ROWS)
    data = good.read_bytes()
    # A name of the same length in both headers, and only there.
    old, new = b"log_lines.parquet", name.encode()[-17:]
    data = data.replace(old, new, 1)
    at = data.rindex(old)
    path.write_bytes(data[:at] + new + data[at + len(old) :])


def _patch_directory(path: Path, offset: int, form: str, change: Callable[[int], int]) -> None:
    """Change one number in the record of the second member of the central directory."""
    write_bundle(path, ROWS)
    data = bytearray(path.read_bytes())
    begin = struct.unpack_from("<Q", data, len(data) - 98 + 48)[0]
    second = data.index(b"PK\1\2", begin + 4)
    struct.pack_into(form, data, second + offset, change(struct.unpack_from(form, data, second + offset)[0]))
    path.write_bytes(data)


def compressed_member(path: Path) -> None:
    _patch_directory(path, 10, "<H", lambda _: 8)


_EXTRA = 46 + len("log_lines.parquet") + 4


def overlapping_members(path: Path) -> None:
    _patch_directory(path, _EXTRA + 16, "<Q", lambda _: 0)


def lying_size(path: Path) -> None:
    _patch_directory(path, _EXTRA, "<Q", lambda size: size + 4096)


def impossible_size(path: Path) -> None:
    _patch_directory(path, _EXTRA, "<Q", lambda _: 1 << 62)


def link(path: Path) -> None:
    _patch_directory(path, 38, "<I", lambda _: 0o120777 << 16)


def four_billion_members(path: Path) -> None:
    write_bundle(path, ROWS)
    data = bytearray(path.read_bytes())
    struct.pack_into("<QQ", data, len(data) - 98 + 24, 1 << 32, 1 << 32)
    path.write_bytes(data)


def trailing_bytes(path: Path) -> None:
    write_bundle(path, ROWS)
    path.write_bytes(path.read_bytes() + b"PK\5\6" + bytes(18))


def an_empty_file(path: Path) -> None:
    path.touch()


HOSTILE = [
    a_billion_rows_claimed,
    too_many_rows_in_a_group,
    one_long_text_for_every_row,
    a_quarter_gigabyte_in_a_value,
    footer_that_understates,
    ten_megabyte_column_name,
    huge_parquet_metadata,
    prefix_encoded_text,
    other_compression,
    wrong_types,
    nested_columns,
    text_that_is_not_utf8,
    no_parquet_at_all,
    footer_longer_than_the_file,
    later_version,
    manifest_is_deep,
    manifest_is_large,
    manifest_is_not_json,
    manifest_holds_a_huge_number,
    escaping_member,
    compressed_member,
    overlapping_members,
    lying_size,
    impossible_size,
    link,
    four_billion_members,
    trailing_bytes,
    an_empty_file,
]


def test_every_hostile_bundle_gets_one_sentence_and_exit_5(tmp_path: Path) -> None:
    for build in HOSTILE:
        build(tmp_path / build.__name__)
    results = run(*(["verify", str(tmp_path / build.__name__)] for build in HOSTILE))
    for build, (code, text) in zip(HOSTILE, results, strict=True):
        assert code == 5, f"{build.__name__}: {code} {text}"
        assert text.startswith("inquest: "), build.__name__
        assert text.count("\n") == 1, f"{build.__name__}: {text}"
        assert build.__name__ in text, f"{build.__name__} is not named: {text}"
        assert len(text) < 600, f"{build.__name__}: {text}"


def test_queries_and_merges_of_hostile_members_are_bounded_too(tmp_path: Path) -> None:
    members = [
        too_many_rows_in_a_group,
        one_long_text_for_every_row,
        a_quarter_gigabyte_in_a_value,
        footer_that_understates,
        text_that_is_not_utf8,
        no_parquet_at_all,
    ]
    commands = []
    for build in members:
        path = str(tmp_path / build.__name__)
        build(tmp_path / build.__name__)
        table = "stacks" if build in members[1:4] else "log_lines"
        commands.append(["query", path, f"SELECT max(text) FROM {table}"])
        commands.append(["merge", path, "-o", str(tmp_path / "merged")])
    for command, (code, text) in zip(commands, run(*commands), strict=True):
        assert code == 5, f"{command}: {code} {text}"
        assert text.startswith("inquest: ")
        assert text.count("\n") == 1, text
    assert not (tmp_path / "merged").exists()


def test_future_and_foreign_files_are_told_apart(tmp_path: Path) -> None:
    later_version(tmp_path / "later")
    (tmp_path / "foreign").write_bytes(b"PK\3\4 some other zip")
    (_, later), (_, foreign) = run(["info", str(tmp_path / "later")], ["info", str(tmp_path / "foreign")])
    assert "has bundle format 2, this build reads up to 1: use a newer inquest" in later
    assert "is not an inquest bundle" in foreign


def test_random_damage_in_members_never_crashes(tmp_path: Path) -> None:
    whole = write_bundle(tmp_path / "whole", ROWS)
    entries = [entry for entry in Container.open(whole).entries if entry.name != container.MANIFEST]
    choose = random.Random(SEED)
    commands = []
    for number in range(60):
        data = bytearray(whole.read_bytes())
        entry = choose.choice(entries)
        for _ in range(choose.choice((1, 1, 4, 32))):
            # Half of the damage goes to the footer, where lengths and counts are.
            low = entry.offset + (entry.size // 2 if choose.random() < 0.5 else 0)
            data[choose.randrange(low, entry.offset + entry.size)] = choose.randrange(256)
        path = tmp_path / f"damaged-{number}"
        path.write_bytes(data)
        commands.append(
            ["query", str(path), "SELECT * FROM log_lines JOIN processes ON log_lines.rank = processes.rank"]
        )
    codes = {code for code, _ in run(*commands)}
    # Damage that happens to decode gives rows (verify is what finds it); nothing else may happen.
    assert codes <= {0, 5}, f"seed {SEED}"


@pytest.mark.parametrize("verb", ["info", "verify"])
def test_reading_does_not_change_a_bundle(tmp_path: Path, verb: str) -> None:
    path = write_bundle(tmp_path / "b", ROWS)
    path.chmod(0o444)
    before = path.read_bytes()
    assert run([verb, str(path)])[0][0] == 0
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.endswith(".source")) == ["b"]

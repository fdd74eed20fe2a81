from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from inquest.bundle import frames
from inquest.bundle.errors import UnsafeInput, UnsupportedFormat
from inquest.bundle.frames import FrameReader, FrameWriter, is_sealed, read_frames

if TYPE_CHECKING:
    from pathlib import Path

PAYLOADS = [b"first", b"\0" * 9, b"x", b"last frame"]


def write(path: Path, payloads: list[bytes], *, close: bool, fsync: bool = False) -> bytes:
    writer = FrameWriter(path, {"kind": "test"}, fsync=fsync)
    for payload in payloads:
        writer.append(payload)
    if close:
        writer.close()
    else:
        os.close(writer._fd)
    return path.read_bytes()


def boundaries(data: bytes) -> list[int]:
    """Offsets behind the header and behind each frame, found independently of the reader."""
    at, found = len(frames.MAGIC), []
    while at < len(data) and data[at : at + 4] != b"\xff" * 4:
        at += 8 + int.from_bytes(data[at : at + 4], "little")
        found.append(at)
    return found


def read(path: Path, data: bytes) -> tuple[list[bytes], str, int, int]:
    path.write_bytes(data)
    reader = FrameReader(path)
    return list(reader), reader.state, reader.valid_bytes, reader.lost_bytes


@pytest.mark.parametrize("close", [True, False])
def test_what_was_written_is_read(tmp_path: Path, close: bool) -> None:
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=close, fsync=True)
    reader = FrameReader(path)
    assert list(reader) == list(reader) == list(read_frames(path)) == PAYLOADS
    assert reader.state == ("sealed" if close else "open")
    assert (reader.valid_bytes, reader.lost_bytes) == (len(data), 0)
    assert reader.header == {"kind": "test", "format": 1, "fsync": True}
    assert is_sealed(path) is close
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("close", [True, False])
def test_cut_at_every_byte(tmp_path: Path, close: bool) -> None:
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=close)
    ends = boundaries(data)
    assert len(ends) == 1 + len(PAYLOADS)
    for size in range(len(data)):
        whole = sum(end <= size for end in ends)
        found, state, valid, lost = read(path, data[:size])
        assert found == PAYLOADS[: max(0, whole - 1)], size
        assert state == ("open" if size in ends else "torn"), size
        assert valid == (ends[whole - 1] if whole else 0)
        assert valid + lost == size
        assert not is_sealed(path)


@pytest.mark.parametrize("close", [True, False])
def test_every_bit_flipped(tmp_path: Path, close: bool) -> None:
    """Only a prefix of what was written is read, and the state tells damage from a torn tail."""
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=close)
    ends = boundaries(data)
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        whole = sum(end <= bit // 8 for end in ends)
        found, state, _, lost = read(path, bytes(flipped))
        assert found == PAYLOADS[: max(0, whole - 1)], bit
        last = whole == len(ends) if close else whole == len(ends) - 1
        assert state == ("torn" if last else "corrupt"), bit
        assert lost > 0


@pytest.mark.parametrize("size", [1, 7, 8, 9, 15, 16, 17, 4096, 3 << 20])
@pytest.mark.parametrize("cut", [0, 5])
def test_zero_tail_is_torn(tmp_path: Path, size: int, cut: int) -> None:
    """A power loss may extend the file before its data arrive."""
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=False)
    ends = boundaries(data)
    found, state, valid, lost = read(path, data[: len(data) - cut] + bytes(size))
    assert found == (PAYLOADS if cut == 0 else PAYLOADS[:-1])
    assert (state, valid, lost) == ("torn", ends[-1] if cut == 0 else ends[-2], size + (0 if cut == 0 else 13))


def test_hole_before_intact_frames_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=False)
    ends = boundaries(data)
    holed = data[: ends[0]] + bytes(ends[1] - ends[0]) + data[ends[1] :]
    assert read(path, holed) == ([], "corrupt", ends[0], len(data) - ends[0])


@pytest.mark.parametrize("length", [0, frames.MAX_PAYLOAD, frames.MAX_PAYLOAD + 1, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF])
def test_absurd_lengths(tmp_path: Path, length: int) -> None:
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=False)
    found, state, valid, _ = read(path, data + length.to_bytes(4, "little") + b"\1\2\3\4 garbage")
    assert (found, state, valid) == (PAYLOADS, "torn", len(data))


def test_missing_frame_contradicts_the_end_mark(tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=True)
    ends = boundaries(data)
    assert read(path, data[: ends[1]] + data[ends[2] :])[1] == "corrupt"


def test_bytes_behind_the_end_mark(tmp_path: Path) -> None:
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=True)
    assert read(path, data + b"x") == (PAYLOADS, "corrupt", len(data), 1)


def test_file_that_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert read(path, b"") == ([], "torn", 0, 0)
    assert read(path, b"#!/bin/sh\necho hello\n") == ([], "torn", 0, 21)
    assert FrameReader(path).header == {}


def test_reading_stops_at_the_size_it_began_with(tmp_path: Path) -> None:
    path = tmp_path / "f"
    writer = FrameWriter(path, {}, fsync=False)
    writer.append(b"a")
    reader = FrameReader(path)
    writer.append(b"b")
    assert (list(reader), reader.state) == ([b"a"], "open")
    writer.close()


def test_newer_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "FORMAT", 2)
    write(tmp_path / "f", PAYLOADS, close=True)
    monkeypatch.undo()
    with pytest.raises(UnsupportedFormat, match=r"format 2.*up to 1"):
        FrameReader(tmp_path / "f")


def test_links_and_pipes_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "f", PAYLOADS, close=True)
    (tmp_path / "link").symlink_to(tmp_path / "f")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(UnsafeInput, match=name):
            FrameReader(tmp_path / name)


def test_writer_never_touches_an_existing_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"evidence")
    with pytest.raises(FileExistsError):
        FrameWriter(tmp_path / "f", {})
    assert (tmp_path / "f").read_bytes() == b"evidence"


@pytest.mark.parametrize("payload", [b"", bytes(frames.MAX_PAYLOAD + 1)])
def test_payload_out_of_bounds(tmp_path: Path, payload: bytes) -> None:
    with FrameWriter(tmp_path / "f", {}, fsync=False) as writer, pytest.raises(ValueError, match="a frame holds"):
        writer.append(payload)
    assert FrameReader(tmp_path / "f").state == "sealed"


def test_closed_writer(tmp_path: Path) -> None:
    writer = FrameWriter(tmp_path / "f", {}, fsync=False)
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.append(b"x")


def test_largest_payload(tmp_path: Path) -> None:
    with FrameWriter(tmp_path / "f", {}, fsync=False) as writer:
        writer.append(bytes(frames.MAX_PAYLOAD))
    assert [len(payload) for payload in FrameReader(tmp_path / "f")] == [frames.MAX_PAYLOAD]


def test_full_disk_leaves_whole_frames(tmp_path: Path) -> None:
    """A limit on the file size cuts a write short, as a full disk does; the writer goes on when there is room."""
    path = tmp_path / "f"
    writer = FrameWriter(path, {}, fsync=False)
    writer.append(b"a" * 100)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (writer.size + 50, limits[1]))
    try:
        with pytest.raises(OSError) as failed:
            writer.append(b"b" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert failed.value.errno == errno.EFBIG
    writer.append(b"c" * 100)
    writer.close()
    reader = FrameReader(path)
    assert list(reader) == [b"a" * 100, b"c" * 100]
    assert reader.state == "sealed"


def test_sync_is_due_after_the_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    synced: list[float] = []
    monkeypatch.setattr("inquest.bundle.frames.time.monotonic", lambda: now)
    monkeypatch.setattr("inquest.bundle.frames.os.fdatasync", lambda fd: synced.append(now))
    writer = FrameWriter(tmp_path / "f", {}, fsync_interval_s=2.0)
    synced.clear()
    assert writer.due_in() is None
    writer.append(b"a")
    assert writer.due_in() == 2.0
    now = 101.5
    writer.append(b"b")
    assert (writer.due_in(), synced) == (0.5, [])
    now = 102.0
    writer.append(b"c")
    assert (writer.due_in(), synced) == (None, [102.0])
    writer.close()


def test_without_fsync_nothing_is_synced_and_the_header_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int) -> None:
        raise AssertionError("synced")

    monkeypatch.setattr("inquest.bundle.frames.os.fdatasync", refuse)
    monkeypatch.setattr("inquest.bundle.frames.os.fsync", refuse)
    with FrameWriter(tmp_path / "f", {}, fsync_interval_s=0.0, fsync=False) as writer:
        writer.append(b"a")
        writer.append(b"b")
        assert writer.due_in() is None
    assert FrameReader(tmp_path / "f").header["fsync"] is False


def test_frame_is_one_system_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = FrameWriter(tmp_path / "f", {}, fsync=False)
    calls: list[int] = []
    real = os.writev

    def count(fd: int, parts: tuple[bytes, ...]) -> int:
        calls.append(real(fd, parts))
        return calls[-1]

    monkeypatch.setattr("inquest.bundle.frames.os.writev", count)
    writer.append(b"abc")
    assert calls == [11]
    writer.close()


def test_imports_are_light() -> None:
    """Imported before the job starts: standard library only, and no slow part of it."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "import inquest.bundle.frames, inquest.bundle.rawlog, inquest.bundle.nodedir\n"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"typing", "dataclasses", "pathlib", "subprocess", "pyarrow", "inspect"} & set(out)


def test_garbage_that_looks_like_lengths_is_judged_in_bounded_time(tmp_path: Path) -> None:
    """Every offset of the tail claims a long frame: the search for intact ones has a budget."""
    path = tmp_path / "f"
    data = write(path, PAYLOADS, close=False)
    hashed = 0
    reader = FrameReader(path)
    path.write_bytes(data + b"\0\0\1\0" * (4 << 20))
    reader = FrameReader(path)
    real = frames._crc

    def count(length: int, payload: bytes) -> int:
        nonlocal hashed
        hashed += len(payload)
        return real(length, payload)

    frames._crc = count  # type: ignore[assignment]
    try:
        assert reader.state == "torn"
    finally:
        frames._crc = real
    assert hashed < 2 * frames._SCAN_HASH_BYTES


def test_payloads_of_equal_length_come_together_up_to_the_first_bad_one(tmp_path: Path) -> None:
    path = tmp_path / "f"
    lengths = [3, 3, 3, 70_000, 70_000, 3, 1, 1, 3, *[5] * 100_000, 4]
    with FrameWriter(path, {}, fsync=False) as writer:
        for number, length in enumerate(lengths):
            writer.append(bytes([number % 251]) * length)
    reader = FrameReader(path)
    lists = list(reader.alike())
    assert all(len({len(payload) for payload in payloads}) == 1 for payloads in lists)
    assert [payload for payloads in lists for payload in payloads] == list(reader)
    assert [len(payload) for payload in reader] == lengths
    assert [len(payloads) for payloads in lists[:3]] == [3, 2, 1]
    assert reader.state == "sealed"
    data = bytearray(path.read_bytes())
    end = len(data) - 40  # in one of the frames of five bytes
    data[end] ^= 1
    path.write_bytes(data)
    damaged = FrameReader(path)
    good = list(damaged)
    assert good == list(reader)[: len(good)]
    assert len(lengths) - 6 < len(good) < len(lengths)
    assert damaged.state == "corrupt"

"""What a job prints, told by the kernel: every byte is in a line, or in a gap."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

from inquest.capture.collector import Member
from inquest.capture.collectors import COLLECTORS, writes
from inquest.capture.collectors.process_life import ProcessLife
from inquest.capture.collectors.writes import Writes
from tests.capture.ebpf_life.kit import PATIENCE_S, PYTHON, Watched, watched

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.capture.collector import Row

PIPES: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def printed(tmp_path: Path, code: str, **options: Any) -> tuple[Watched, Writes, bytes, bytes]:
    """Run Python code under the collectors; the rows, and what really came out."""
    with watched(tmp_path, *PYTHON, code, **{**PIPES, **options}) as job:
        job.start(ProcessLife(), collector := Writes())
        out, err = job.process.communicate(b"\n", timeout=PATIENCE_S)
        job.stop()
    return job, collector, out or b"", err or b""


def image(job: Watched, stream: str, length: int) -> bytes:
    """A stream put together from its lines and gaps; fails where two rows speak for one byte, or none does."""
    ends = {"lf": b"\n", "cr": b"\r", "none": b""}
    seen, known = bytearray(length), bytearray(length)
    lines = [row for row in job.rows.get("log_lines", []) if row["stream"] == stream]
    pieces = [(row["offset"], row["text"].encode() + ends[row["eol"]]) for row in lines]
    pieces += [(row["offset"], b"\0" * row["bytes"]) for row in job.rows.get("log_gaps", []) if row["stream"] == stream]
    for offset, piece in pieces:
        assert not any(known[offset : offset + len(piece)]), f"told twice: byte {offset}"
        seen[offset : offset + len(piece)] = piece
        known[offset : offset + len(piece)] = b"\1" * len(piece)
    assert len(seen) == length, "more than was printed"
    assert all(known), f"nobody speaks for byte {known.index(0)}"
    return bytes(seen)


def test_every_write_in_its_own_place(tmp_path: Path, backend: str) -> None:
    code = (
        "import os, sys\n"
        "print('hello', flush=True)\n"
        "for part in ('Tra', 'ceback', '\\n'): os.write(2, part.encode())\n"
        "os.writev(1, [b'one ', b'two\\n', b'', b'three\\n'])\n"
        "os.write(1, b'10%\\r20%\\r\\n')\n"
        "os.write(1, 'größe\\n'.encode()); os.write(1, b'open end')"
    )
    job, collector, out, err = printed(tmp_path, code)
    texts = [(row["stream"], row["text"], row["eol"]) for row in job.rows["log_lines"]]
    assert [text for text in texts if text[0] == "stdout"] == [
        ("stdout", "hello", "lf"),
        ("stdout", "one two", "lf"),
        ("stdout", "three", "lf"),
        ("stdout", "10%", "cr"),
        ("stdout", "20%", "lf"),
        ("stdout", "größe", "lf"),
        ("stdout", "open end", "none"),
    ]
    assert [text for text in texts if text[0] == "stderr"] == [("stderr", "Traceback", "lf")]
    for row in job.rows["log_lines"]:
        data = {"stdout": out, "stderr": err}[row["stream"]]
        assert data[row["offset"] : row["offset"] + row["line_bytes"]].decode() == row["text"]
        assert row["pid"] == job.pid
        assert row["source"] == f"{row['stream']} of pid {job.pid}"
    assert not job.rows.get("log_gaps")
    assert collector.drops == 0


def test_lines_come_while_the_job_runs_and_bear_its_rank(tmp_path: Path) -> None:
    code = "import time; print('loss 1.5', flush=True); time.sleep(1000)"
    with watched(tmp_path, *PYTHON, code, stdout=subprocess.DEVNULL, env={"RANK": "2"}) as job:
        job.start(ProcessLife(), Writes())
        job.go()
        (row,) = job.wait_for("log_lines", lambda rows: len(rows) == 1)
    assert (row["text"], row["rank"], row["rank_by"]) == ("loss 1.5", 2, "ebpf")


def test_what_is_too_long_for_one_record_is_a_gap_of_known_length(tmp_path: Path) -> None:
    code = "import os; os.write(1, b'x' * 100_000 + b'\\n'); os.writev(1, [b'y' * 40_000] * 3); os.write(1, b'z\\n')"
    job, _, out, _ = printed(tmp_path, code)
    seen = image(job, "stdout", len(out))
    cut = [row["bytes"] for row in job.rows["log_gaps"]]
    assert cut[0] == 100_001 - 65_536
    assert sum(cut) == seen.count(0) < len(out) - 2 * 60_000
    assert {row["reason"] for row in job.rows["log_gaps"]} == {"beyond the first 64 KiB of one write"}
    assert all(was in (0, now) for was, now in zip(seen, out, strict=True))
    assert job.rows["log_lines"][-1]["text"] == "z"


def test_memory_that_cannot_be_read_is_never_made_up(tmp_path: Path) -> None:
    code = (
        "import ctypes, mmap, os\n"
        "hidden = mmap.mmap(-1, 8192)\n"
        "libc = ctypes.CDLL(None)\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(hidden))\n"
        "libc.mprotect(ctypes.c_void_p(at), 8192, 0)\n"
        "os.write(1, b'before\\n'); libc.write(1, ctypes.c_void_p(at), 100); os.write(1, b'after\\n')"
    )
    job, _, out, _ = printed(tmp_path, code)
    assert out == b"before\nafter\n"
    assert [row["text"] for row in job.rows["log_lines"]] == ["before", "after"]
    (gap,) = job.rows["log_gaps"]
    assert (gap["offset"], gap["bytes"]) == (7, 100)
    assert "could not read" in gap["reason"]


def test_more_than_the_ring_holds_is_told_to_the_byte(tmp_path: Path) -> None:
    code = "import os\nfor i in range(60_000): os.write(1, b'line %d of a great many\\n' % i)"
    with watched(tmp_path, *PYTHON, code, stdout=subprocess.PIPE) as job:
        job.start(ProcessLife(), collector := Writes())
        with collector._lock:  # nobody reads: the ring overflows
            out, _ = job.process.communicate(b"\n", timeout=PATIENCE_S)
        job.stop()
    seen = image(job, "stdout", len(out))
    lost = [row["bytes"] for row in job.rows["log_gaps"] if row["reason"] == "printed faster than the recorder reads"]
    assert sum(lost) == seen.count(0) > 0
    assert collector.drops == len(out.splitlines()) - len(job.rows["log_lines"])
    assert all(was in (0, now) for was, now in zip(seen, out, strict=True))


def test_a_flood_is_cut_at_the_budget(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(writes, "_MOST_BYTES", 19 * 250)
    job, _, out, _ = printed(tmp_path, "import os\nfor i in range(100): os.write(1, b'%049d\\n' % i)")
    image(job, "stdout", len(out))
    assert len(job.rows["log_lines"]) == 20
    assert {row["reason"] for row in job.rows["log_gaps"]} == {writes._OVER_BUDGET}


def test_output_to_a_file_is_left_to_whoever_reads_it(tmp_path: Path) -> None:
    with (tmp_path / "slurm.out").open("wb") as file:
        job, _, _, err = printed(tmp_path, "import os; os.write(1, b'a\\n'); os.write(2, b'b\\n')", stdout=file)
    assert err == b"b\n"
    assert [(row["stream"], row["text"]) for row in job.rows["log_lines"]] == [("stderr", "b")]


def test_the_last_words_of_a_rank_are_its_only_ones(tmp_path: Path) -> None:
    with watched(tmp_path, *PYTHON, "import os; os.write(2, b'ValueError: bad\\n')", **PIPES) as job:
        job.start(ProcessLife(), Writes())
        job.ctx.members = {job.pid: Member(job.pid, 5, "rank")}
        job.tick()
        job.process.communicate(b"\n", timeout=PATIENCE_S)
        job.ctx.members = {}  # the process collector, which goes first, has seen it gone
        job.tick()
        job.stop()
    assert [(row["text"], row["rank"]) for row in job.rows["log_lines"]] == [("ValueError: bad", 5)]


def test_a_stranger_is_not_overheard(tmp_path: Path) -> None:
    with watched(tmp_path, "true") as job:
        job.start(ProcessLife(), Writes())
        subprocess.run([*PYTHON, "print('private')"], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
        job.stop()
        found: list[Row] = job.rows.get("log_lines", [])
    assert found == []


def test_it_is_off_where_a_wrapper_has_the_output() -> None:
    assert Writes.attach_only
    assert {kind.name for kind in COLLECTORS if kind.attach_only} == {"writes", "output_files"}

"""A log that is larger than its budget: its beginning, its end and what surrounds errors stay, with offsets right."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from inquest.bundle import nodedir
from inquest.bundle.frames import is_sealed
from inquest.bundle.rawlog import MAX_DATA, Data, Gap
from inquest.capture.log_budget import PATTERNS, MemoryTail, Sieve

from .conftest import PLAIN_PYTHON, Wrapped, helpers, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")
MIB = 1 << 20
TRACEBACK = b"Traceback (most recent call last):\n  File 'x.py', line 1, in f\nValueError: %d is odd\n"


def text(size: int, *, errors: Iterable[int] = ()) -> bytes:
    """Numbered lines, with a traceback in some of them."""
    wanted = set(errors)
    lines = (b"step %d loss 0.1234\n" % n + (TRACEBACK % n if n in wanted else b"") for n in range(size // 20))
    return b"".join(lines)


def in_records(data: bytes, chance: random.Random, holes: int = 0) -> list[Data | Gap]:
    """The bytes as a pump would record them, in pieces of any size; some of them lost."""
    records: list[Data | Gap] = []
    at = 0
    while at < len(data):
        size = min(int(chance.paretovariate(0.5)), MAX_DATA, len(data) - at)
        lost = chance.random() * 100 < holes
        records.append(Gap(0, at, at, size, "lost") if lost else Data(0, at, at, data[at : at + size]))
        at += size
    return records


def check(records: Iterable[Data | Gap], data: bytes, begin: int = 0) -> tuple[bytes, int]:
    """Every byte is told once, in order, and rightly; all that is kept, and where the records end."""
    at, kept = begin, b""
    for record in records:
        assert record.offset == at
        if isinstance(record, Data):
            assert record.data == data[at : at + len(record.data)]
            assert 0 < len(record.data) <= MAX_DATA
            kept += record.data
            at += len(record.data)
        else:
            at += record.lost
    return kept, at


@pytest.mark.parametrize("holes", [0, 5])
def test_every_byte_is_kept_or_told_as_lost(holes: int) -> None:
    for seed in range(25):
        chance = random.Random(seed)
        data = text(300_000, errors=[chance.randrange(15_000) for _ in range(chance.randrange(6))])
        sieve = Sieve(chance.choice([0, 20_000, 100_000, 1_000_000]))
        given = [kept for record in in_records(data, chance, holes) for kept in sieve.take(record)]
        _, end = check([*given, *sieve.finish()], data)
        assert end == len(data), seed


def test_what_surrounds_a_match_is_kept_in_whole_lines() -> None:
    data = text(1_600_000, errors=[50_000, 70_000])
    for seed in range(5):
        sieve = Sieve(MIB)
        records = in_records(data, random.Random(seed))
        given = [kept for record in records for kept in sieve.take(record)] + list(sieve.finish())
        kept, _ = check(given, data)
        for number in (50_000, 70_000):
            assert b"step %d loss 0.1234\n" % (number - 100) in kept
            assert TRACEBACK % number in kept
            assert b"step %d loss 0.1234\n" % (number + 200) in kept
        assert len(kept) < 60_000
        assert set(kept.splitlines()) <= set(data.splitlines()), "half a line is another line"


def test_a_word_in_every_line_leaves_room_for_others() -> None:
    data = b"Error rate 0.1\n" * 400_000
    data = data[: len(data) // 2] + TRACEBACK % 1 + data[len(data) // 2 :]
    sieve = Sieve(MIB)
    given = [kept for record in in_records(data, random.Random(1)) for kept in sieve.take(record)]
    kept, _ = check([*given, *sieve.finish()], data)
    assert TRACEBACK % 1 in kept
    assert len(kept) < MIB


def test_gap_records_stay_few() -> None:
    sieve = Sieve(0)
    given = [kept for n in range(100_000) for kept in sieve.take(Data(0, n, n * 1000, b"x" * 1000))]
    assert len(given) < 20, "they have no budget of their own"
    assert sum(gap.lost for gap in given if isinstance(gap, Gap)) > 40_000_000


def test_patterns_are_looked_for_in_bytes() -> None:
    assert all(isinstance(pattern, bytes) and 2 < len(pattern) < 40 for pattern in PATTERNS)


def test_outputs_of_a_collector_share_one_budget() -> None:
    data = text(4_000_000, errors=[100_000])
    tail = MemoryTail(MIB)
    streams = {name: in_records(data, random.Random(name)) for name in ("a", "b")}
    for name, records in streams.items():
        given = [kept for record in records for kept in tail.take(name, record)]
        kept, at = check(given, data)
        if name == "a":
            assert kept.startswith(data[:200_000])
            assert TRACEBACK % 100_000 in kept
        end, at = check(tail.finish(name), data, at)
        assert at == len(data)
        assert data.endswith(end)
        assert 100_000 < len(end) <= MIB // 2 + MAX_DATA


# --- the pump -----------------------------------------------------------------------------------------------------

PRINT = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"


def lines_of(wrapped: Wrapped) -> list[dict]:
    rows = [
        row for table, batch in nodedir.recover(wrapped.out / "n1") if table == "log_lines" for row in batch.to_pylist()
    ]
    return sorted(rows, key=lambda row: row["offset"])


def gaps_of(wrapped: Wrapped) -> list[dict]:
    return [
        row for table, batch in nodedir.recover(wrapped.out / "n1") if table == "log_gaps" for row in batch.to_pylist()
    ]


def settled(wrapped: Wrapped) -> None:
    """Wait for the pump to have written what it has queued: nobody waits for that when the job has ended."""
    wait_for(lambda: all(parts(wrapped, is_sealed)), "the log to be closed")


def parts(wrapped: Wrapped, look: Callable[[Path], T]) -> list[T]:
    """What is seen of each part of the log; a part may be put away while we look."""
    seen = []
    for path in wrapped.out.glob("n1/*/log-*.raw"):
        with contextlib.suppress(FileNotFoundError):
            seen.append(look(path))
    return seen


def on_disk(capture: Path) -> int:
    return sum(path.stat().st_size for path in capture.glob("log-*.raw"))


def test_a_log_beyond_its_budget(wrapped: Wrapped, tmp_path: Path) -> None:
    """16 MB, which the pump's queue can hold, in a budget of 8: what stays is at the offsets of the output itself."""
    data = text(13_500_000, errors=[400_000, 674_999])
    source = tmp_path / "source"
    source.write_bytes(data)
    done = wrapped.run(
        *PLAIN_PYTHON, "-c", PRINT, str(source), options=("--no-recorder", "--log-budget", "8M"), stderr=None
    )
    assert done.stdout == data
    settled(wrapped)
    assert on_disk(wrapped.capture()) <= 8 * MIB
    rows = lines_of(wrapped)
    at = 0
    for row in rows:
        assert row["offset"] >= at
        assert data.startswith(row["text"].encode() + b"\n", row["offset"]), "a whole line, where it was printed"
        at = row["offset"] + row["line_bytes"] + 1
    texts = {row["text"] for row in rows}
    assert rows[0]["text"] == "step 0 loss 0.1234"
    assert {"ValueError: 400000 is odd", "ValueError: 674999 is odd", "step 399990 loss 0.1234"} <= texts
    gaps = gaps_of(wrapped)
    assert 1 <= len(gaps) < 40
    assert {gap["reason"] for gap in gaps} == {"beyond the log budget: --log-budget"}
    assert sum(row["line_bytes"] + 1 for row in rows) + sum(gap["bytes"] for gap in gaps) == len(data)


def test_a_job_that_floods_is_recorded_to_its_last_word(wrapped: Wrapped) -> None:
    """150 MB, faster than anything is recorded: the disk takes what it was given, and the end is there."""
    code = (
        "import os\n"
        "line = b'x' * 99 + b'\\n'\n"
        "for n in range(150): os.write(1, line * 10_000)\n"
        "os.write(1, b'RuntimeError: the last word\\n')\n"
    )
    options = ("--no-recorder", "--log-budget", "8M")
    with open(os.devnull, "wb") as null:
        wrapped.run(*PLAIN_PYTHON, "-c", code, options=options, stdout=null)
    settled(wrapped)
    assert on_disk(wrapped.capture()) <= 8 * MIB
    rows = lines_of(wrapped)
    assert rows[-1]["text"] == "RuntimeError: the last word"
    assert rows[-1]["offset"] == 150_000_000
    assert sum(row["line_bytes"] + 1 for row in rows) + sum(gap["bytes"] for gap in gaps_of(wrapped)) >= 150_000_000


def test_the_last_word_of_a_job_that_falls_silent_is_on_disk(wrapped: Wrapped, tmp_path: Path) -> None:
    """It hangs after a flood: what it said last is recorded although nothing follows that would say so."""
    code = (
        "import os, sys, time\n"
        "line = b'x' * 99 + b'\\n'\n"
        "for n in range(120): os.write(1, line * 10_000)\n"
        "os.write(1, b'waiting for rank 3\\n')\n"
        f"while not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.01)\n"
    )
    argv = wrapped.argv(*PLAIN_PYTHON, "-c", code, options=("--no-recorder", "--log-budget", "8M"))
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(
                lambda: any(b"waiting for rank 3\n" in part for part in parts(wrapped, Path.read_bytes)),
                "the last line on disk",
            )
        finally:
            (tmp_path / "go").touch()
            process.wait(60)


def test_a_killed_pump_leaves_its_segments_to_its_successor(wrapped: Wrapped, tmp_path: Path) -> None:
    data = text(11_000_000)
    source = tmp_path / "source"
    source.write_bytes(data)
    code = (
        "import sys, time\n"
        "data = open(sys.argv[1], 'rb').read()\n"
        "for at in range(0, len(data), 1 << 20):\n"
        "    sys.stdout.buffer.write(data[at : at + (1 << 20)]); sys.stdout.buffer.flush(); time.sleep(0.05)\n"
    )
    target = tmp_path / "target"
    argv = wrapped.argv(*PLAIN_PYTHON, "-c", code, str(source), options=("--no-recorder", "--log-budget", "8M"))
    with open(target, "wb") as file, subprocess.Popen(argv, stdout=file, stderr=subprocess.DEVNULL) as process:
        for size in (4, 6, 8):
            wait_for(lambda size=size: target.stat().st_size > size * MIB, "some output")
            # Its stderr is another destination and has a pump, too.
            for pump in helpers(process.pid)["pump"]:
                os.kill(pump, signal.SIGKILL)
        assert process.wait(60) == 0
    assert target.read_bytes() == data
    last = data.splitlines()[-1].decode()
    wait_for(lambda: lines_of(wrapped)[-1]["text"] == last, "the end of the log")
    assert on_disk(wrapped.capture()) <= 8 * MIB
    rows = lines_of(wrapped)
    for row in rows:
        assert data[row["offset"] : row["offset"] + row["line_bytes"]] == row["text"].encode()
    assert sum(row["line_bytes"] + 1 for row in rows) + sum(gap["bytes"] for gap in gaps_of(wrapped)) >= len(data)

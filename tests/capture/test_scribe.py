"""The parent's record: written by processes of its own, in order, once each, whatever happens to them."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inquest.bundle.frames import FrameReader, FrameWriter, dump_json
from inquest.capture import scribe as module
from inquest.capture.scribe import Scribe

if TYPE_CHECKING:
    from pathlib import Path

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_small_json_is_that_of_the_library(value: object) -> None:
    assert dump_json(value) == json.dumps(value, sort_keys=True)


def reap(scribe: Scribe) -> int:
    _, status = os.waitpid(scribe.pid, 0)
    scribe.ended(status)
    return status


def finish(scribe: Scribe) -> None:
    while not scribe.idle:
        reap(scribe)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "task.raw"


def test_writes_in_order_and_closes(path: Path) -> None:
    scribe = Scribe(FrameWriter(path, {}), lambda _: None)
    for number in range(20):
        scribe.tell(b"%d" % number)
    finish(scribe)
    assert FrameReader(path).state == "open"
    scribe.tell(b"last")
    scribe.close()
    scribe.tell(b"too late")
    finish(scribe)
    reader = FrameReader(path)
    assert list(reader) == [*(b"%d" % number for number in range(20)), b"last"]
    assert (reader.state, scribe.lost) == ("sealed", 1)


def test_what_a_killed_one_left_is_written_once(path: Path) -> None:
    """Killed before, in the middle of, and behind its frames, the last with the end mark."""
    for cut in range(60):
        path.unlink(missing_ok=True)
        writer = FrameWriter(path, {})
        start = writer.size

        def die(_: set[int], writer: FrameWriter = writer, end: int = start + cut, mother: int = os.getpid()) -> None:
            image = path.with_suffix(".image")
            if os.getpid() != mother and not image.exists():
                for event in (b"first", b"second"):
                    writer.append(event)
                writer.close()
                image.write_bytes(path.read_bytes())
                os.truncate(path, min(end, image.stat().st_size))
                os.kill(os.getpid(), signal.SIGKILL)

        scribe = Scribe(writer, die)
        scribe._waiting = [b"first"]
        scribe.tell(b"second")
        scribe.close()
        finish(scribe)
        reader = FrameReader(path)
        assert (list(reader), reader.state) == ([b"first", b"second"], "sealed"), cut
        path.with_suffix(".image").unlink()


def test_a_disk_that_takes_nothing_is_tried_again_with_the_next_event(path: Path) -> None:
    broken = [True]

    def refuse(_: int) -> None:
        if broken[0]:
            raise OSError

    scribe = Scribe(FrameWriter(path, {}), refuse)
    scribe.tell(b"one")
    assert os.waitstatus_to_exitcode(reap(scribe)) == 1
    assert scribe.idle
    broken[0] = False
    scribe.tell(b"two")
    scribe.close()
    finish(scribe)
    assert list(FrameReader(path)) == [b"one", b"two"]
    assert FrameReader(path).state == "sealed"


def test_memory_is_bounded_while_the_disk_hangs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    scribe = Scribe(FrameWriter(path, {}), lambda _: time.sleep(600))
    for _ in range(10):
        scribe.tell(b"x")
    assert (scribe.lost, scribe.idle) == (7, False)
    os.kill(scribe.pid, signal.SIGKILL)
    os.waitpid(scribe.pid, 0)


def test_a_slow_disk_loses_nothing_though_nobody_waits(path: Path) -> None:
    slow = [1.0]
    mother = os.getpid()

    def prepare(_: set[int]) -> None:
        if os.getpid() != mother and slow:
            time.sleep(slow[0])

    scribe = Scribe(FrameWriter(path, {}), prepare)
    scribe.tell(b"first")
    slow.clear()
    first = scribe.pid
    scribe.tell(b"second")
    scribe.leave()
    assert os.waitpid(first, os.WNOHANG) == (0, 0), "it did not wait for the first"
    os.waitpid(first, 0)
    os.waitpid(scribe.pid, 0)
    reader = FrameReader(path)
    assert list(reader) == [b"first", b"second"]
    assert reader.state == "sealed"

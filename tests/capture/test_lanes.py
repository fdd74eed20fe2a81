"""The threads that run the collectors: one for all, unless a call hangs."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING

from inquest.capture import lanes
from inquest.capture.collector import Collector, Context
from inquest.capture.lanes import Done, Hands, Lane

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from inquest.capture.collector import Batch

PATIENCE_S = 60.0


class Quick(Collector):
    """Says in which thread it ran."""

    name, tables = "quick", ("processes",)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        yield "processes", [{"pid": threading.get_ident()}]


class Hanging(Collector):
    """Does not return before it may."""

    name, tables = "hanging", ("processes",)

    def __init__(self) -> None:
        super().__init__()
        self.may_return = threading.Event()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        self.may_return.wait()
        return ()


class Crew:
    """Some lanes, started."""

    def __init__(self, folder: Path, *collectors: Collector) -> None:
        self.finished: queue.SimpleQueue[Done] = queue.SimpleQueue()
        self.hands = Hands(self.finished.put)
        ctx = Context(folder, "n1", "boot", 1, 0, {})
        self.lanes = [Lane(collector, ctx, self.hands) for collector in collectors]
        for lane in self.lanes:
            lane.open()
        self.hands.go()
        self.take(len(self.lanes))

    def tick(self) -> None:
        for lane in self.lanes:
            lane.tick(0)
        self.hands.go()

    def take(self, count: int) -> list[Done]:
        """What so many lanes have finished; where one is stuck, others are relieved of it."""
        found: list[Done] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < count:
            assert time.monotonic() < deadline, "a lane was never served"
            try:
                found.append(self.finished.get(timeout=0.05))
            except queue.Empty:
                self.hands.relieve()
                continue
            found[-1].lane.settle(found[-1])
        return found


def threads(done: list[Done]) -> set[int]:
    return {row["pid"] for each in done for _, rows in each.batches for row in rows}


def test_one_thread_serves_all_that_do_not_hang(tmp_path: Path) -> None:
    crew = Crew(tmp_path, *(Quick() for _ in range(8)))
    for _ in range(3):
        crew.tick()
        assert len(threads(crew.take(8))) == 1


def test_threads_of_the_start_leave_once_it_is_over(tmp_path: Path) -> None:
    crew = Crew(tmp_path, *(Quick() for _ in range(8)))
    before = threading.active_count()
    for lane in crew.lanes:
        lane.tick(0)
    crew.hands.go(abreast=True)
    crew.take(8)
    deadline = time.monotonic() + PATIENCE_S
    while threading.active_count() > before:
        assert time.monotonic() < deadline, "threads that have nothing to do stay"
        time.sleep(0.01)
    crew.tick()
    assert len(threads(crew.take(8))) == 1


def test_one_that_hangs_holds_up_nobody_and_may_come_back(tmp_path: Path) -> None:
    hanging = [Hanging(), Hanging()]
    crew = Crew(tmp_path, Quick(), hanging[0], Quick(), hanging[1], Quick())
    for _ in range(3):
        crew.tick()
        assert {done.lane.collector.name for done in crew.take(3)} == {"quick"}
    assert [lane.lost for lane in crew.lanes] == [0, 2, 0, 2, 0]
    for each in hanging:
        each.may_return.set()
    assert {done.lane.collector.name for done in crew.take(2)} == {"hanging"}
    crew.tick()
    assert len(crew.take(5)) == 5


def test_what_rows_take_is_told_by_the_row_whatever_others_fill() -> None:
    rows: list[dict[str, object]] = [
        {"pid": 1, "command": "ab"},
        {"pid": 1},
        {"pid": 1, "command": None, "argv": "abc"},
    ]
    assert lanes._sizes("processes", rows) == [20, 9, 30]
    assert lanes._sizes("processes", rows[:1] * 2) == [20, 20]
    assert lanes._sizes("processes", rows[1:2]) == [9]

"""Helpers do the work in any order, results come in order, and a helper that dies costs nothing but time."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from inquest.bundle import merge as merge_module
from inquest.bundle.crew import Crew
from inquest.bundle.errors import InputError
from inquest.bundle.merge import merge
from inquest.bundle.seal import seal_capture

from .test_merge_properties import balanced, forge, record

if TYPE_CHECKING:
    from pathlib import Path

HERE = os.getpid()


def square(number: int) -> tuple[int, bool]:
    return number * number, os.getpid() == HERE


def slowly(number: int) -> tuple[int, int]:
    time.sleep(0.01)
    return number, os.getpid()


def fail(number: int) -> int:
    if number == 7:
        raise InputError("seven cannot be read")
    return number


def die_elsewhere(parent: int) -> int:
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return parent


def _wait(crew: Crew) -> None:
    assert all(helper.is_ready() for helper in crew._helpers)


@pytest.mark.parametrize("helpers", [0, 2])
def test_results_come_in_the_order_of_the_items(helpers: int) -> None:
    with Crew() as crew:
        crew.grow(helpers)
        with crew.begin(slowly, range(60)) as share:
            results = list(share.results())
        assert [number for number, _ in results] == list(range(60))
        _wait(crew)
        with crew.begin(slowly, range(60)) as share:
            assert len({pid for _, pid in share.results()}) == 1 + helpers
        with crew.begin(square, ()) as share:
            assert list(share.results()) == []


def test_what_work_raises_is_raised_where_results_are_asked_for() -> None:
    with Crew() as crew:
        crew.grow(1)
        _wait(crew)
        with crew.begin(fail, [7, *range(5)]) as share, pytest.raises(InputError, match="seven"):
            list(share.results())
        with crew.begin(slowly, range(3)) as share:
            assert [number for number, _ in share.results()] == [0, 1, 2], "the helper goes on"


def test_work_of_a_helper_that_dies_is_done_here() -> None:
    with Crew() as crew:
        crew.grow(2)
        _wait(crew)
        with crew.begin(die_elsewhere, [os.getpid()] * 20) as share:
            assert list(share.results()) == [os.getpid()] * 20
        assert [helper._process.wait() for helper in crew._helpers] == [-signal.SIGKILL] * 2


def test_helpers_that_cannot_be_started_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/does/not/exist")
    with Crew() as crew:
        crew.grow(2)
        with crew.begin(square, range(3)) as share:
            assert list(share.results()) == [(0, True), (1, True), (4, True)]


def test_no_helper_outlives_its_crew() -> None:
    with Crew() as crew:
        crew.grow(2)
        crew.begin(slowly, range(1000))
        processes = [helper._process for helper in crew._helpers]
    assert all(process.returncode is not None for process in processes)


def test_no_helper_outlives_a_process_that_is_killed() -> None:
    code = """
from inquest.bundle.crew import Crew
crew = Crew()
crew.grow(1)
assert crew._helpers[0].is_ready()
print(crew._helpers[0]._process.pid, flush=True)
input()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        helper = os.pidfd_open(int(process.stdout.readline()))
        process.kill()
    assert select.select([helper], [], [], 60)[0], "its end of the pipe is closed, so it ends"
    os.close(helper)


def test_a_merge_with_helpers_gives_the_bytes_of_one_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        capture = record(tmp_path / "out", f"n{number}", ticks=80)
        if number % 2:
            seal_capture(capture, raw_logs=True)
    alone = balanced(merge([tmp_path / "out"], tmp_path / "a", workers=1))
    monkeypatch.setattr(merge_module, "HELPED_BYTES", 0)
    helped = balanced(merge([tmp_path / "out"], tmp_path / "b", workers=3))
    assert helped.content_digest == alone.content_digest
    assert (helped.rows_in, helped.rows_out, helped.incomplete) == (alone.rows_in, alone.rows_out, alone.incomplete)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "out"]


def test_what_helpers_find_wrong_is_told_as_if_found_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_module, "HELPED_BYTES", 0)
    for number in range(6):
        capture = record(tmp_path / "out", f"n{number}", log=False)
        seal_capture(capture)
        forge(capture, "host_samples", lambda table: pa.concat_tables([table, table]))
    report = balanced(merge([tmp_path / "out"], tmp_path / "a", workers=3))
    assert (report.rows_out["host_samples"], report.duplicates["host_samples"]) == (240, 240)

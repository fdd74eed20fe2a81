"""`inquest doctor` tries the real collectors and says what it would take."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from inquest.bundle.errors import InputError
from inquest.capture import doctor
from inquest.capture.collector import Batch, Budget, Collector, Context, Denied, Missing
from inquest.capture.collectors import COLLECTORS

from .conftest import inquest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest


def test_every_collector_is_tried_and_nothing_stays_behind(tmp_path: Path) -> None:
    done = inquest("doctor", "--out", "deep/out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout)
    tried = {one["name"]: one for one in told if one["group"] == "collector"}
    assert list(tried) == [kind.name for kind in COLLECTORS]
    assert tried["host"]["state"] == "works"
    assert tried["host"]["rows"] >= 2
    assert {one["name"] for one in told if one["group"] == "place"} == {"file system", "room", "sync to disk"}
    assert not any(one["remedy"] for one in told if one["state"] == "works")
    assert list(tmp_path.iterdir()) == []


def test_it_reads_well_in_a_pipe(tmp_path: Path) -> None:
    done = inquest("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert any(line.startswith("ok       host ") for line in lines)
    assert lines[-1].startswith("A job can be recorded here: ")
    assert all(line == line.rstrip() for line in lines)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = inquest("doctor", "--out", "file/out", cwd=tmp_path)
    assert done.returncode == InputError.exit_code
    assert done.stderr == "inquest: file/out: Not a directory. Nothing can be recorded there: choose another --out.\n"


class Fine(Collector):
    name = "fine"
    tables = ("host_samples",)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        os.kill(ctx.child_pid, 0)  # there is a job
        yield "host_samples", [{"load_1m": 0.5}]


class Silent(Collector):
    name = "silent"
    tables = ("host_samples",)


class Lacking(Collector):
    name = "lacking"
    tables = ("gpu_samples",)
    requires = "a GPU"

    def start(self, ctx: Context) -> Iterable[Batch]:
        raise Missing("there is no\nGPU")


class Forbidden(Lacking):
    name = "forbidden"

    def start(self, ctx: Context) -> Iterable[Batch]:
        raise Denied("not allowed")


class Broken(Collector):
    name = "broken"
    tables = ("host_samples",)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        raise ZeroDivisionError("by zero")


class Hung(Collector):
    name = "hung"
    tables = ("host_samples",)
    budget = Budget(seconds=0.1, bytes=1)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        time.sleep(30)
        return ()


def test_each_way_a_collector_can_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_PATIENCE_S", 0.5)
    kinds = (Fine, Silent, Lacking, Forbidden, Broken, Hung)
    found = [one for one in doctor.examine(tmp_path, kinds) if one.group == "collector"]
    assert [(one.name, one.state) for one in found] == [
        ("fine", "works"),
        ("silent", "empty"),
        ("lacking", "missing"),
        ("forbidden", "denied"),
        ("broken", "failed"),
        ("hung", "failed"),
    ]
    assert found[0].rows == 3
    assert found[0].cpu_ms is not None
    assert [one.remedy for one in found] == ["", "", "a GPU", "a GPU", "", ""]
    said = "\n".join(doctor.lines(found))
    assert "there is no GPU" in said
    assert "ZeroDivisionError: by zero" in said
    assert said.endswith("2 of 6 collectors work.")

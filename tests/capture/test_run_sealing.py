"""What lies on the node after a normal end is masked Parquet, and a bundle does not show whether it was sealed."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from inquest.bundle import nodedir, rawlog
from inquest.bundle.frames import FrameWriter
from inquest.bundle.merge import merge
from inquest.bundle.seal import output_is_whole, seal_capture
from inquest.capture import recorder

from .conftest import Wrapped, wait_for
from .recorder_kit import command

TOKEN = "hf_" + "abcdefghijklmnopqrstuvwxyz012345678"
CHATTY = f"echo out; echo {TOKEN} >&2; echo end"


def test_a_bundle_is_the_same_with_and_without_sealing(wrapped: Wrapped, tmp_path: Path) -> None:
    assert wrapped.run("/bin/sh", "-c", CHATTY).returncode == 0
    sealed = tmp_path / "sealed" / "n1"
    shutil.copytree(wrapped.out / "n1", sealed)
    (capture,) = sealed.iterdir()
    assert output_is_whole(capture)
    (done,) = seal_capture(capture, raw_logs=True)
    assert (done.stem, done.rows) == ("log-0", 3)
    assert not list(capture.glob("log-*.raw"))
    for path in capture.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert path.name == "task.raw" or TOKEN.encode() not in path.read_bytes(), path
    raw = merge([wrapped.out / "n1"], tmp_path / "raw.inquest")
    parquet = merge([sealed], tmp_path / "sealed.inquest")
    assert raw.rows_out == parquet.rows_out
    assert raw.rows_out["log_lines"] == 3
    assert raw.content_digest == parquet.content_digest
    both = merge([wrapped.out / "n1", sealed], tmp_path / "both.inquest")
    assert both.content_digest == raw.content_digest
    assert not both.conflicts


def test_output_that_may_still_come_is_not_whole(wrapped: Wrapped, tmp_path: Path) -> None:
    code = "(while ! test -e go; do sleep 0.01; done; echo late) & echo early"
    with open(tmp_path / "target", "wb") as file:
        assert wrapped.run("/bin/sh", "-c", code, cwd=tmp_path, stdout=file, stderr=None).returncode == 0
    assert not output_is_whole(wrapped.capture())
    (printed,) = wait_for(lambda: wrapped.events("printed"), "how much it left behind")
    assert printed["bytes"]["0"] == len("early\n")
    (tmp_path / "go").touch()
    wait_for(lambda: wrapped.recorded() == b"early\nlate\n", "the late line")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_SEAL_BY_S", 60.0)


def capture_of(tmp_path: Path, *events: bytes) -> Path:
    """A capture as the wrapper leaves it: one line of output and these events."""
    capture = Path(nodedir.create_capture(tmp_path, "n1", facts={"task": 0}))
    with FrameWriter(capture / nodedir.TASK_RAW, {"kind": "task", "task": 0}) as writer:
        for event in events:
            writer.append(event)
    with FrameWriter(nodedir.raw_log_path(capture), {"kind": "log", "task": 0}) as writer:
        writer.append(rawlog.encode(0, 1, 0, b"line\n"))
    return capture


@pytest.mark.usefixtures("patient")
def test_the_recorder_seals_output_that_is_whole(tmp_path: Path) -> None:
    capture = capture_of(tmp_path, b'{"event": "delivered"}')
    with command("true") as child:
        child.wait()
        recorder.Recorder(capture, child.pid, ()).run()
    assert (capture / "log_lines.log-0.parquet").exists()
    assert not (capture / "log-0.raw").exists()


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("why", ["not delivered", "too large"])
def test_the_recorder_leaves_other_output_to_merge(tmp_path: Path, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    capture = capture_of(tmp_path, *([b'{"event": "delivered"}'] if why == "too large" else []))
    if why == "too large":
        monkeypatch.setattr(recorder, "_OUTPUT_BYTES", 10)
    with command("true") as child:
        child.wait()
        recorder.Recorder(capture, child.pid, ()).run()
    assert (capture / "log-0.raw").exists()
    assert not (capture / "log-0.seal").exists()

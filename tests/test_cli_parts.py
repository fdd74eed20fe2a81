"""split and join as a user meets them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.cli import dispatch

if TYPE_CHECKING:
    from pathlib import Path


def test_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "J.inquest"
    file.write_bytes(bytes(range(256)) * 100)
    medium = tmp_path / "usb"
    medium.mkdir()
    assert dispatch(["split", str(file), "--size", "10kB", "-o", str(medium), "--json"]) == 0
    listed = [entry["path"] for entry in json.loads(capsys.readouterr().out)["parts"]]
    assert len(listed) == 3
    assert dispatch(["join", *reversed(listed), "-o", str(tmp_path / "K.inquest"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parts"] == 3
    assert (tmp_path / "K.inquest").read_bytes() == file.read_bytes()
    assert dispatch(["join", *listed[1:], "-o", str(tmp_path / "L")]) == 5
    assert "J.inquest.001" in capsys.readouterr().err
    assert dispatch(["join", *listed, "-o", str(file)]) == 2
    assert dispatch(["split", str(file), "--size", "huge", "-o", str(medium)]) == 2
    assert "'huge' is not a size" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["split", "join"])
def test_help_has_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch([verb, "--help"]) == 0
    assert f"inquest {verb} " in capsys.readouterr().out

"""collect as a user meets it; over real nodes: tests/host/test_collect_nodes.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.cli import dispatch

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "words",
    [
        ["--hosts", "-oProxyCommand=touch canary"],
        ["--hosts", "n0;touch canary"],
        ["--via", "sh -c true", "--hosts", "n0"],
        ["--via", "ssh"],
        ["--via", "ssh", "--job", "x y"],
    ],
)
def test_what_cannot_be_meant(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["collect", "--from", str(tmp_path), "-o", str(tmp_path / "out"), *words]) == 2
    assert capsys.readouterr().err.startswith("inquest: ")
    assert not (tmp_path / "out").exists()


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["collect", "--help"]) == 0
    assert "inquest collect --hosts" in capsys.readouterr().out

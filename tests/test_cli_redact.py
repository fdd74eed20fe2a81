"""redact as a user meets it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from inquest.cli import dispatch
from tests.bundle.test_merge import record

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_bundle_to_hand_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path / "out", "node-x1")
    bundle, other, names = (str(tmp_path / name) for name in ("J.inquest", "G.inquest", "names.json"))
    assert dispatch(["merge", str(tmp_path / "out"), "-o", bundle]) == 0
    call = ["redact", bundle, "-o", other, "--pseudonyms", "hosts,users, paths,addresses", "--map", names]
    assert dispatch([*call, "--key", str(tmp_path / "key")]) == 0
    said = capsys.readouterr()
    assert "hosts: 4 names replaced" in said.out
    assert "not replaced: boot ids" in said.err
    token = json.loads((tmp_path / "names.json").read_text())["hosts"]["node-x1"]
    assert dispatch(["info", other]) == 0
    shown = capsys.readouterr().out
    assert token in shown
    assert "node-x1" not in shown
    assert dispatch(["verify", other]) == 0
    capsys.readouterr()
    assert dispatch([*call, "--json"]) == 2
    assert "--force" in capsys.readouterr().err
    assert dispatch([*call, "--json", "--force", "--key", str(tmp_path / "key")]) == 0
    assert json.loads(capsys.readouterr().out)["names"]["hosts"] == 4
    assert token in (tmp_path / "names.json").read_text(), "the same key gives the same names"
    assert dispatch(["redact", bundle, "-o", bundle, "--force"]) == 2
    assert dispatch(["redact", bundle, "-o", str(tmp_path / "H"), "--pseudonyms", "everything"]) == 2
    assert "choose from hosts" in capsys.readouterr().err
    assert dispatch(["redact", str(tmp_path / "none"), "-o", str(tmp_path / "H")]) == 5
    assert dispatch(["redact", "--help"]) == 0
    assert "inquest redact job.inquest" in capsys.readouterr().out

"""merge, info, verify and query as a user meets them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.container import Container
from inquest.cli import dispatch
from tests.bundle.forge import write_bundle
from tests.bundle.test_merge import record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def bundle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    record(tmp_path / "out", "n0")
    record(tmp_path / "out", "n1", ranks=(2,))
    path = tmp_path / "J.inquest"
    assert dispatch(["merge", str(tmp_path / "out"), "-o", str(path)]) == 0
    said = capsys.readouterr()
    assert f"{path}: 2 nodes, 3 ranks, " in said.out
    assert "missing nodes: n2" in said.out
    assert "missing ranks: 3" in said.out
    return path


def test_merge_refuses_and_replaces(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = ["merge", str(tmp_path / "out"), "-o", str(bundle)]
    assert dispatch(again) == 2
    assert "--force" in capsys.readouterr().err
    assert dispatch([*again, "--force", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["missing_ranks"] == [3]
    for table, rows in report["rows_in"].items():
        assert rows == report["rows_out"][table] + report["duplicates"].get(table, 0)
    assert dispatch(["merge", str(tmp_path / "none"), "-o", str(tmp_path / "K")]) == 5


def test_info(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["info", str(bundle)]) == 0
    text = capsys.readouterr().out
    for part in ("42 (simulated)", "2: n0, n1", "nodes n2", "3 of 4: 0-2", "host_samples", "0.100 ms", "UTC"):
        assert part in text
    assert dispatch(["info", str(bundle), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["tables"]["host_samples"]["rows"] == 100
    assert [node["node"] for node in facts["nodes"]] == ["n0", "n1"]
    assert facts["content_digest"] in text


def test_info_in_a_pipe_has_no_colour_and_cuts_nothing(bundle: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "inquest", "info", bundle],
        capture_output=True,
        check=True,
        env={**os.environ, "COLUMNS": "40"},
    )
    assert b"\x1b" not in done.stdout
    assert b"\xe2\x80\xa6" not in done.stdout, "nothing is cut off with an ellipsis"
    assert b"there is no task.raw: start and end were not recorded" in done.stdout


def test_verify(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["verify", str(bundle)]) == 0
    assert "whole" in capsys.readouterr().out
    data = bytearray(bundle.read_bytes())
    data[Container.open(bundle).entries[0].offset + 20] ^= 1
    bundle.write_bytes(data)
    assert dispatch(["verify", str(bundle), "--json"]) == 5
    said = capsys.readouterr()
    assert not json.loads(said.out)["ok"]
    assert "does not verify" in said.err
    assert "copy it again" in said.err


def test_a_copy_is_not_advised_where_it_cannot_help(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_bundle(tmp_path / "J.inquest", {}, spoil=lambda m: dataclasses.replace(m, ranks=(7,)))
    assert dispatch(["verify", str(path)]) == 5
    said = capsys.readouterr().err
    assert "ranks other than the rows say" in said
    assert "copy it again" not in said
    assert "make it again" in said


def test_verify_runs_the_claims_of_a_verdict(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from inquest.bundle.store import BundleStore

    claim = {
        "id": "X.1",
        "text": "two nodes",
        "sql": "SELECT COUNT(DISTINCT node) FROM host_samples",
        "value": 2,
        "unit": "1",
        "table": "host_samples",
        "rows": [],
        "excerpt": "",
    }
    verdict = {
        "schema": "inquest-verdict/1",
        "bundle": {"content_digest": BundleStore(bundle).info.content_digest},
        "shows": [claim],
    }
    path = tmp_path / "verdict.json"
    path.write_text(json.dumps(verdict))
    assert dispatch(["verify", str(bundle), str(path)]) == 0
    assert "1 claims" in capsys.readouterr().out
    claim["value"] = 3
    path.write_text(json.dumps(verdict))
    assert dispatch(["verify", str(bundle), str(path)]) == 5
    said = capsys.readouterr().err
    assert "does not hold, though" in said
    assert "claim X.1 was 3 and is 2" in said
    assert "run 'inquest analyze' again" in said
    assert "copy it again" not in said
    assert dispatch(["verify", str(bundle), str(path), "--timeout", "0.1"]) == 5
    said = capsys.readouterr().err
    assert "--timeout" in said
    assert "inquest analyze" not in said
    path.write_text("{}")
    assert dispatch(["verify", str(bundle), str(path)]) == 5


def test_query_formats_agree(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT node, COUNT(*) AS n, MAX(ts) AS last FROM host_samples GROUP BY node ORDER BY node"
    want = [["n0", "50", "2023-11-14T22:14:09.000000000+00:00"], ["n1", "50", "2023-11-14T22:14:09.000000000+00:00"]]
    assert dispatch(["query", str(bundle), sql, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [[str(value) for value in row.values()] for row in rows] == want
    assert dispatch(["query", str(bundle), sql, "--format", "csv"]) == 0
    assert list(csv.reader(io.StringIO(capsys.readouterr().out))) == [["node", "n", "last"], *want]
    assert dispatch(["query", str(bundle), sql]) == 0
    table = capsys.readouterr().out
    assert all(value in table for row in want for value in row)


def test_query_says_when_rows_are_left_out_and_refuses_what_is_no_question(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dispatch(["query", str(bundle), "SELECT seq FROM host_samples", "--limit", "3", "--json"]) == 0
    said = capsys.readouterr()
    assert len(json.loads(said.out)) == 3
    assert "only the first 3 rows" in said.err
    for sql in ("DROP TABLE host_samples", "SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM nowhere", ""):
        assert dispatch(["query", str(bundle), sql]) == 2
        assert capsys.readouterr().err.startswith("inquest: ")


@pytest.mark.parametrize("verb", ["merge", "info", "verify", "query"])
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch([verb, "--help"]) == 0
    assert f"inquest {verb} " in capsys.readouterr().out

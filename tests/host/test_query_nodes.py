"""query over a real ssh and pdsh. Needs sshd and pdsh, which not every CI has."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from inquest.cli import dispatch
from tests.bundle.test_merge import record
from tests.conftest import ROOT
from tests.host.cluster import Cluster, sshd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with sshd(tmp_path_factory.mktemp("ssh")) as running:
        yield running


def test_nodes_answer_and_the_silent_are_named(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(tmp_path / "out", "n0")
    inquest = shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "inquest"])
    call = ["query", "--via", cluster.via, "--remote-inquest", inquest, "--json", str(tmp_path / "out")]
    sql = "SELECT COUNT(*) AS n FROM host_samples"
    assert dispatch([*call, "--hosts", "n[1-2],dead", sql]) == 0
    said = capsys.readouterr()
    assert [(row["node"], row["n"], row["outlier"]) for row in json.loads(said.out)] == [
        ("n1", 50, None),
        ("n2", 50, None),
    ]
    assert "dead: failed" in said.err
    assert "refused" in said.err
    assert dispatch([*call, "--hosts", "deaf", "--timeout", "1", sql]) == 5
    assert "deaf: timed_out" in capsys.readouterr().err
    assert dispatch([*call, "--hosts", "n1", "SELECT nothing FROM host_samples"]) == 5
    assert "names a column that is not there" in capsys.readouterr().err, "the node's own sentence"


def test_nodes_answer_over_pdsh(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("pdsh") is None:
        pytest.skip("pdsh is not installed (apt: pdsh)")
    monkeypatch.setenv("PDSH_RCMD_TYPE", "ssh")
    monkeypatch.setenv("PDSH_SSH_ARGS_APPEND", f"-F {cluster.config} -o BatchMode=yes")
    record(tmp_path / "out", "n0")
    inquest = shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "inquest"])
    call = [
        "query",
        "--via",
        "pdsh",
        "--remote-inquest",
        inquest,
        "--json",
        "--hosts",
        "n1,dead",
        str(tmp_path / "out"),
    ]
    assert dispatch([*call, "SELECT '%h' AS literal, COUNT(*) AS n FROM host_samples"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == [{"node": "n1", "literal": "%h", "n": 50, "outlier": None}]
    assert "dead: " in said.err


def test_each_node_answers_from_its_own_recordings_in_a_shared_directory(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for node in ("n1", "n2"):
        record(tmp_path / "it's shared", node)
    inquest = shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "inquest"])
    call = ["query", "--via", cluster.via, "--remote-inquest", inquest, "--json", "--hosts", "root@n[1-2]"]
    assert dispatch([*call, str(tmp_path / "it's shared"), "SELECT DISTINCT node AS own FROM host_samples"]) == 0
    rows = [(row["node"], row["own"]) for row in json.loads(capsys.readouterr().out)]
    assert rows == [("n1", "n1"), ("n2", "n2")]

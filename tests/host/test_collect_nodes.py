"""collect over a real ssh, pdsh and srun; silent nodes stay in the story up to the bundle.

Needs sshd, pdsh and a private Slurm, which not every CI has.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.store import BundleStore
from inquest.cli import dispatch
from tests.bundle.test_merge import record
from tests.conftest import SHARED
from tests.host.cluster import Cluster, sshd

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with sshd(tmp_path_factory.mktemp("ssh")) as running:
        yield running


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Recordings of n0 and n1, in a directory with an awkward name."""
    folder = tmp_path / "it's a 'dir' %h $(touch canary)"
    record(folder, "n0")
    record(folder, "n1", ranks=(2,))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    found.pop("collect.json", None)
    return found


def report(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[str, int, int]]:
    hosts = json.loads(capsys.readouterr().out)["hosts"]
    return {host["host"]: (host["outcome"], len(host["fetched"]), len(host["kept"])) for host in hosts}


def test_over_ssh_and_again(cluster: Cluster, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    call = ["collect", "--via", cluster.via, "--from", str(source), "-o", str(out), "--json"]
    assert dispatch([*call, "--hosts", "n0,n1,dead,deaf", "--timeout", "3"]) == 0
    said = capsys.readouterr()
    told = {host["host"]: host for host in json.loads(said.out)["hosts"]}
    assert [told[h]["outcome"] for h in ("n0", "n1", "dead", "deaf")] == ["ok", "ok", "failed", "timed_out"]
    assert "refused" in told["dead"]["detail"]
    assert "inquest: deaf: timed_out" in said.err
    assert files(out) == files(source)
    with next(source.glob("n1/*/node.json")).open("ab") as file:
        file.write(b" ")
    assert dispatch([*call, "--hosts", "n0,n1"]) == 0
    assert report(capsys) == {"n0": ("ok", 0, 1), "n1": ("ok", 1, 0)}
    assert files(out) == files(source)
    assert not list(out.glob(".*"))
    assert not list(Path.cwd().glob("canary"))

    # Those that stayed silent are missing nodes of the bundle, with the reason; a node that answers later is not.
    bundle = tmp_path / "J.inquest"
    assert dispatch(["merge", str(out), "-o", str(bundle)]) == 0
    capsys.readouterr()
    store = BundleStore(bundle)
    assert store.info.nodes == ("n0", "n1")
    assert {"dead", "deaf"} <= set(store.info.missing_nodes)
    rows = store.scan("collection").collect().filter(collector="collect").select("node", "outcome").rows()
    assert sorted(rows) == [("dead", "failed"), ("deaf", "timed_out")]
    assert dispatch(["verify", str(bundle)]) == 0
    again = tmp_path / "K.inquest"
    assert dispatch(["merge", str(bundle), str(out), "-o", str(again)]) == 0
    assert BundleStore(again).info.content_digest == store.info.content_digest
    told = json.loads((out / "collect.json").read_text())
    told["hosts"]["dead"]["outcome"] = told["hosts"]["deaf"]["outcome"] = "ok"
    (out / "collect.json").write_text(json.dumps(told))
    assert dispatch(["merge", str(out), "-o", str(bundle), "--force"]) == 0
    assert not {"dead", "deaf"} & set(BundleStore(bundle).info.missing_nodes)


def test_what_a_node_may_answer(
    cluster: Cluster, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["collect", "--via", cluster.via, "--hosts", "n0", "-o", str(tmp_path / "out"), "--json"]
    assert dispatch([*call, "--from", str(tmp_path / "none")]) == 5
    said = capsys.readouterr()
    assert f"n0: missing: there is no directory {tmp_path / 'none'}" in said.err
    assert dispatch([*call, "--from", str(tmp_path)]) == 5
    assert "no recording lies in" in capsys.readouterr().err
    assert dispatch([*call, "--from", str(source), "--job", "7"]) == 5
    assert "of job 7" in capsys.readouterr().err
    assert dispatch([*call, "--from", str(source), "--job", "42"]) in (0, 5)
    capsys.readouterr()
    assert dispatch([*call, "--from", str(source), "--max-bytes", "10"]) == 5
    assert "more than it may give" in capsys.readouterr().err


def test_a_node_that_sends_other_things_gives_nothing(
    cluster: Cluster, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A real ssh to a node whose tar is not to be trusted."""
    folder = cluster.config.parent
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "tar").write_text(f"#!/bin/sh\ncd {shlex.quote(str(tmp_path))} && /bin/tar -cPf - ./n0/* /etc/hostname\n")
    (evil / "tar").chmod(0o755)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", evil / "id"], check=True)
    key = (evil / "id.pub").read_text()
    forced = f'command="PATH={evil}:$PATH sh -c \\"$SSH_ORIGINAL_COMMAND\\"" {key}'
    with (folder / "authorized").open("a") as file:
        file.write(forced)
    shutil.copytree(source / "n0", tmp_path / "n0")
    (folder / "plain").write_text((folder / "config").read_text().replace(f"{folder}/id\n", f"{evil}/id\n"))
    via = f"ssh -F {folder / 'plain'}"
    out = tmp_path / "out"
    assert dispatch(["collect", "--via", via, "--hosts", "n0", "--from", str(source), "-o", str(out)]) == 5
    assert "'/etc/hostname', which was not asked for" in capsys.readouterr().err
    assert files(out) == {}


def test_many_recordings_and_a_login_that_talks(
    cluster: Cluster, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = key.with_suffix(".pub").read_text()
    forced = f'command="echo Welcome to the cluster; sh -c \\"$SSH_ORIGINAL_COMMAND\\"" {public}'
    with (cluster.config.parent / "authorized").open("a") as file:
        file.write(forced)
    config = cluster.config.parent / "talking"
    config.write_text(cluster.config.read_text().replace(f"{cluster.config.parent}/id\n", f"{key}\n"))
    monkeypatch.setattr("inquest.bundle.collect._RECORDINGS_A_TURN", 1)
    first = next((source / "n0").iterdir())
    for number in range(3):
        shutil.copytree(first, first.with_name(f"another-{number}"))
    out = tmp_path / "out"
    call = ["collect", "--via", f"ssh -F {config}", "--hosts", "n0,n1", "--from", str(source), "-o", str(out)]
    assert dispatch(call) == 0
    assert files(out) == files(source)


def test_over_pdsh(cluster: Cluster, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("pdsh") is None:
        pytest.skip("pdsh is not installed (apt: pdsh)")
    monkeypatch.setenv("PDSH_RCMD_TYPE", "ssh")
    monkeypatch.setenv("PDSH_SSH_ARGS_APPEND", f"-F {cluster.config} -o BatchMode=yes")
    out = tmp_path / "out"
    call = ["collect", "--via", "pdsh", "--hosts", "n[0-1]", "--from", str(source), "-o", str(out)]
    assert dispatch(call) == 0
    assert files(out) == files(source)


@pytest.mark.slow
def test_over_srun(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real Slurm: a job records on two nodes, and is collected through srun, while it runs and after."""
    start = SHARED / "slurm" / "start-slurm"
    if not start.exists() or os.geteuid() != 0 or shutil.which("apt-get") is None:
        pytest.skip("a real Slurm needs ../shared/slurm, root and Debian")
    state = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
    state.chmod(0o755)
    prefix = f"c{os.getpid() % 1000}n"
    env = {**os.environ, "SLURM_NODE_PREFIX": prefix, "SLURM_DBD": "0", "SLURM_NO_APT": "1"}
    try:
        up = subprocess.run([start, "start", state, "2"], env=env, text=True, capture_output=True, check=False)
        if up.returncode:
            pytest.skip(f"no Slurm comes up here: {up.stderr.strip()[-200:]}")
        for line in up.stdout.splitlines():
            name, _, value = line.removeprefix("export ").partition("=")
            monkeypatch.setenv(name, value.strip("'\""))
        n0, n1 = f"{prefix}01", f"{prefix}02"
        shared = tmp_path / "shared"
        record(shared, n0)
        record(shared, n1)
        tmp_path.chmod(0o755)
        call = ["collect", "--via", "srun", "--from", str(shared), "--json"]
        assert dispatch([*call, "--hosts", f"{prefix}[01-02]", "-o", str(tmp_path / "a")]) == 0
        assert report(capsys) == {n0: ("ok", 1, 0), n1: ("ok", 1, 0)}
        assert files(tmp_path / "a") == files(shared)
        subprocess.run([start, "node", state, "pause", n1], check=True, capture_output=True)
        assert dispatch([*call, "--hosts", f"{n0},{n1}", "-o", str(tmp_path / "b"), "--timeout", "8"]) == 0
        told = report(capsys)
        assert told[n0] == ("ok", 2, 0), "the file system is shared: it can give both"
        assert told[n1] in (("timed_out", 0, 0), ("failed", 0, 0))
        subprocess.run([start, "node", state, "resume", n1], check=True, capture_output=True)
    finally:
        subprocess.run([start, "stop", state], check=False, capture_output=True)
        shutil.rmtree(state, ignore_errors=True)

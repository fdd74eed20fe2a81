"""Slurm is asked for a job: on a real cluster, on one that answers nothing, and where there is none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.errors import UsageError
from inquest.bundle.imports._slurm_runs import one_row_a_run
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.slurm_live import ask
from tests.bundle.imports.kit import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

START = REFERENCE.parent / "slurm" / "start-slurm"
Rows = dict[str, list[dict[str, Any]]]


def told(job: str, seconds: float = 60.0) -> Rows:
    """All rows of what Slurm says, as the import would join them; read under a foreign zone, which must not matter."""
    rows: Rows = {}
    for source, kind in ask(job, seconds):
        for table, found in kind.read(source, Context(utc_offset_minutes=330)):
            assert table in kind.tables
            rows.setdefault(table, []).extend(found)
    for table in ("slurm_jobs", "slurm_steps"):
        rows[table] = one_row_a_run(rows.get(table, []))
    return rows


def outcomes(rows: Rows) -> dict[str, str]:
    return {row["collector"]: row["outcome"] for row in rows["collection"]}


class Slurm:
    """A private cluster of two nodes, beside any other on this machine."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.prefix = f"ask{os.getpid()}n"
        out = subprocess.run(
            [START, "start", state, "2"],
            check=True,
            text=True,
            capture_output=True,
            timeout=240,
            env={**os.environ, "SLURM_NODE_PREFIX": self.prefix},
        ).stdout
        exports = [line.removeprefix("export ").split("=", 1) for line in out.splitlines() if "=" in line]
        self.env = dict(exports)

    def run(self, *command: str) -> str:
        env = {**os.environ, **self.env}
        return subprocess.run(command, env=env, check=True, text=True, capture_output=True, cwd=self.state).stdout

    def submit(self, *options: str) -> str:
        return self.run("sbatch", "--parsable", "-o", "/dev/null", "--mem=40M", *options).strip()

    def until(self, job: str, *states: str) -> None:
        """Wait until accounting says that every record of the job is in one of these states."""
        for _ in range(300):
            out = self.run("sacct", "-D", "-X", "-n", "-P", "--delimiter=\x1f", "-j", job, "-o", "JobName,State")
            found = re.findall("\x1f([A-Z_]+)", out)
            # Until accounting has caught up, a job is called "allocation".
            if found and set(found) <= set(states) and "allocation\x1f" not in out:
                return
            time.sleep(0.2)
        raise AssertionError(f"job {job} is {out}")


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    if not START.exists():
        pytest.skip(f"the real Slurm's starter is not here: {START}")
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        pytest.skip("a real Slurm needs root and Debian")
    state = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
    state.chmod(0o755)
    try:
        yield Slurm(state)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"the real Slurm did not start: {error}")
    finally:
        subprocess.run([START, "stop", state], check=False, capture_output=True, timeout=120)
        shutil.rmtree(state, ignore_errors=True)


@pytest.fixture
def cluster(slurm: Slurm, monkeypatch: pytest.MonkeyPatch) -> Slurm:
    for name, value in slurm.env.items():
        monkeypatch.setenv(name, value)
    return slurm


@pytest.mark.root
@pytest.mark.slow
def test_what_is_told_is_what_was_done(cluster: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    before = time.time_ns()
    name = "a|b\nc JobState=FAILED"
    good = cluster.submit("-N2", f"--job-name={name}", "--gpus-per-node=1", "--wrap", "srun hostname")
    bad = cluster.submit("--wrap", "exit 137")
    array = cluster.submit("--array=1-3%2", "--wrap", "exit $((SLURM_ARRAY_TASK_ID == 2))")
    het = cluster.submit(":", "--mem=40M", "--wrap", "srun true")
    gone = cluster.submit("--begin=now+1hour", "--wrap", "true")
    cluster.run("scancel", gone)
    again = cluster.submit("--wrap", "sleep 600")
    cluster.until(again, "RUNNING")
    # A zone and formats of the user's own change nothing.
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    monkeypatch.setenv("SLURM_TIME_FORMAT", "relative")
    monkeypatch.setenv("SACCT_FORMAT", "JobID")

    alive = told(again)
    (row,) = alive["slurm_jobs"]
    assert (row["state"], row["end_ns"], row["exit_code"]) == ("RUNNING", None, None)
    assert before - 10**9 <= row["start_ns"] <= time.time_ns()
    assert [step["step_id"] for step in alive["slurm_steps"] if step["state"] == "RUNNING"]
    assert outcomes(alive)["squeue"] == outcomes(alive)["scontrol-step"] == "ok"
    (killed_after,) = (row for row in alive["slurm_controller"] if row["name"] == "config.KillWait")
    assert (killed_after["value"], killed_after["unit"]) == (3.0, "s")
    assert before - 10**9 <= killed_after["ts_ns"] <= time.time_ns()

    for job in (good, bad, array, het, gone):
        cluster.until(job, "COMPLETED", "FAILED", "CANCELLED")
    rows = told(good)
    (row,) = rows["slurm_jobs"]
    assert (row["state"], row["exit_code"], row["job_name"], row["nodes"]) == ("COMPLETED", 0, name, 2)
    assert (row["gpus_allocated"], row["node_list"]) == (2, f"{cluster.prefix}[01-02]")
    assert before - 10**9 <= row["submit_ns"] <= row["start_ns"] <= row["end_ns"] <= time.time_ns()
    assert {step["step_id"] for step in rows["slurm_steps"]} >= {"batch", "0"}
    nodes = {node["slurm_node_name"]: node for node in rows["slurm_nodes"] if node["boot_ns"]}
    first, second = (f"{cluster.prefix}{number}" for number in ("01", "02"))
    assert set(nodes) == {first, second}
    assert all(node["seen_ns"] >= before for node in nodes.values())
    assert any(reading["name"] == "server_thread_count" for reading in rows["slurm_controller"])
    assert {outcome for name, outcome in outcomes(rows).items() if name not in {"scontrol-step", "squeue"}} <= {
        "ok",
        "empty",
    }

    (row,) = told(bad)["slurm_jobs"]
    assert (row["state"], row["exit_code"]) == ("FAILED", 137)  # the controller kept what accounting calls 9
    tasks = {row["job_id"]: (row["state"], row["exit_code"]) for row in told(array)["slurm_jobs"]}
    assert tasks == {f"{array}_1": ("COMPLETED", 0), f"{array}_2": ("FAILED", 1), f"{array}_3": ("COMPLETED", 0)}
    assert [row["state"] for row in told(f"{array}_2")["slurm_jobs"]] == ["FAILED"]
    assert [row["job_id"] for row in told(het)["slurm_jobs"]] == [f"{het}+0", f"{het}+1"]
    assert [row["job_id"] for row in told(f"{het}+1")["slurm_jobs"]] == [f"{het}+1"]
    (row,) = told(gone)["slurm_jobs"]
    assert (row["state"], row["cancelled_by"]) == ("CANCELLED by 0", "0")

    cluster.run("scontrol", "requeue", again)
    cluster.until(again, "REQUEUED", "PENDING")
    while "JobState=PENDING" not in cluster.run("scontrol", "show", "job", again):
        # While Slurm clears up after the first run, it must not be taken for another.
        assert len([row for row in told(again)["slurm_jobs"] if row["start_ns"] is not None]) == 1
    cluster.run("scontrol", "update", f"nodename={second}", "state=drain", "reason=XID 79 | fell off")
    runs = told(again)
    assert [(row["state"], row["start_ns"] is None) for row in runs["slurm_jobs"]] == [
        ("REQUEUED", False),
        ("PENDING", True),
    ]
    drained = [row for row in told(good)["slurm_nodes"] if row["reason"] == "XID 79 | fell off"]
    assert {row["slurm_node_name"] for row in drained} == {second}
    assert len(drained) == 3  # sinfo, scontrol show node, and the history in accounting
    assert all(before <= row["reason_ns"] <= time.time_ns() for row in drained)
    cluster.run("scancel", again)

    assert outcomes(told("999999"))["sacct"] == "empty"


def fake(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds all commands there are, but those of the system itself."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin/nothing")
    return tmp_path


def test_where_there_is_no_slurm_every_command_is_missing(path: Path) -> None:
    rows = told("17")
    assert set(outcomes(rows).values()) == {"missing"}
    assert len(outcomes(rows)) == 7
    warned = Context()
    ((source, kind),) = ask("17")
    list(kind.read(source, warned))
    assert any("sacct: missing (there is no sacct on this machine)" in warning for warning in warned.warnings)


def test_a_command_that_hangs_is_ended_in_time_with_its_children(path: Path) -> None:
    # exec: the shell and what it calls are one process group, which must not outlive the question.
    mark = path / "alive"
    fake(path, "sdiag", f"(while :; do echo x > '{mark}'; /bin/sleep 0.1; done) & wait")
    begun = time.monotonic()
    rows = told("17", seconds=1.0)
    assert outcomes(rows)["sdiag"] == "timed_out"
    assert time.monotonic() - begun < 60
    mark.unlink(missing_ok=True)
    time.sleep(0.5)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("echo 'Slurm accounting storage is disabled' >&2; exit 1", "missing"),
        ("echo 'sacct: error: Access/permission denied' >&2; exit 1", "denied"),
        ("echo 'sacct: error: Problem talking to the database: Connection refused' >&2; exit 1", "failed"),
        ("exit 3", "empty"),
        ("echo 'JobID|State'", "empty"),
        ("", "empty"),
    ],
)
def test_what_slurm_lacks_or_forbids_is_said(path: Path, script: str, outcome: str) -> None:
    fake(path, "sacct", script)
    assert outcomes(told("17"))["sacct"] == outcome


def test_an_answer_without_end_is_cut_and_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inquest.bundle.imports.slurm_live.MAX_ANSWER", 4096)
    fake(path, "sacct", "echo 'JobID|State'; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo \"$i|FAILED\"; done")
    rows = told("17")
    assert outcomes(rows)["sacct"] == "truncated"
    assert 300 < len(rows["slurm_jobs"]) < 1000


def test_nodes_that_are_no_host_list_are_not_asked_for(path: Path) -> None:
    fake(path, "sacct", "echo 'JobID|State|NodeList'; echo '17|FAILED|--help;rm'")
    assert "scontrol-node" not in outcomes(told("17"))


@pytest.mark.parametrize(
    "job", ["", "17;ls", "-j", "17 18", "17,18", "x", "17_", "0", "17.batch", "1" * 12, "١٧", "17\n"]
)
def test_what_is_no_job_id_is_refused_before_anything_runs(job: str) -> None:
    with pytest.raises(UsageError, match="no job id"):
        ask(job)

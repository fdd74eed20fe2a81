"""Wrapped jobs on a real Slurm, two nodes with two tasks each: signals, ends, hand-over, and what is said of it all.

All jobs run at a time on the same two nodes, so that every node has recordings of several jobs.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from tests.host.slurm import Slurm, cluster, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

pytestmark = [pytest.mark.root, pytest.mark.slow]

# A rank: one step of training every tenth of a second, every signal it gets in a file of its own.
RANK = """
import os, signal, sys, time
place, seconds, code, leaves = sys.argv[1], *map(float, sys.argv[2:5])
rank = int(os.environ["SLURM_PROCID"])
log = os.open(f"{place}/signals.{rank}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
end = []
def seen(number, frame):
    os.write(log, (signal.Signals(number).name + "\\n").encode())
    if number == signal.SIGTERM and leaves:
        end.append(number)
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, seen)
os.write(log, b"ready\\n")
began, step = time.monotonic(), 0
enough = (f"{place}/enough", f"{place}/enough.{rank}")
while time.monotonic() - began < seconds and not end and not any(map(os.path.exists, enough)):
    step += 1
    print(f"step {step} loss {5 / step:.4f}", flush=True)
    time.sleep(0.1)
if end:
    signal.signal(end[0], signal.SIG_DFL)
    os.kill(os.getpid(), end[0])
print("training finished", flush=True)
sys.exit(int(code) if rank == 3 else 0)
"""
RANKS = range(4)


@dataclass
class Job:
    """One job and what became of it."""

    name: str
    place: Path
    number: str = ""
    state: str = ""
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    verdict: Verdict | None = None

    def signals(self, rank: int) -> list[str]:
        """Signals that a rank got, in order; the first line says that it waits for them."""
        try:
            return (self.place / f"signals.{rank}").read_text().split()
        except OSError:
            return []

    def ready(self) -> bool:
        return all(self.signals(rank)[:1] == ["ready"] for rank in RANKS)

    def table(self, name: str) -> list[dict[str, Any]]:
        return self.rows[name]


@pytest.fixture(scope="module")
def slurm(request: pytest.FixtureRequest) -> Slurm:
    return cluster(request)


@pytest.fixture(scope="module")
def jobs(slurm: Slurm, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Job]:
    """All jobs, ended, with their bundles: what was recorded, and accounting as text imported beside it."""
    folder = tmp_path_factory.mktemp("jobs")
    found = {name: Job(name, folder / name) for name in ("fails", "cancel", "warned", "limit", "ctrlc")}
    for job in found.values():
        job.place.mkdir()

    def wrapped(job: Job, *arguments: str) -> list[str]:
        run = [sys.executable, "-m", "inquest", "run", "--out", str(job.place / "rec"), "--"]
        return [*run, sys.executable, "-c", RANK, str(job.place), *arguments]

    def submit(name: str, *arguments: str, options: tuple[str, ...] = ()) -> None:
        job = found[name]
        script = job.place / "job.sh"
        command = " ".join(
            f"'{word}'" if "\n" not in word else f'"$(cat {job.place}/rank.py)"' for word in wrapped(job, *arguments)
        )
        (job.place / "rank.py").write_text(RANK)
        script.write_text(f"#!/bin/bash\nexec srun {command}\n")
        layout = ("-N2", "--ntasks-per-node=2", "--mem=1200M", "-J", name, "-o", str(job.place / "out"))
        job.number = slurm.submit(*layout, *options, script)

    # seconds, exit code of rank 3, whether SIGTERM is obeyed
    submit("fails", "300", "7", "1")
    submit("cancel", "300", "0", "1")
    submit("warned", "300", "0", "1", options=("--time=1", "--signal=USR1@50"))
    submit("limit", "300", "0", "1", options=("--time=5",))
    with (found["ctrlc"].place / "out").open("wb") as out:
        srun = subprocess.Popen(
            [
                "srun",
                "-N2",
                "--ntasks-per-node=2",
                "--mem=1200M",
                "-J",
                "ctrlc",
                *wrapped(found["ctrlc"], "300", "0", "0"),
            ],
            env={**os.environ, **slurm.env},
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        wait_for(lambda: all(job.ready() for job in found.values()), "all ranks of all jobs")
        slurm.run("scontrol", "update", f"jobid={found['limit'].number}", "EndTime=now+1")
        slurm.run("scancel", "--signal=USR2", found["warned"].number)
        (found["fails"].place / f"enough.{_seat(found['fails'], slurm.nodes[0])}").touch()
        time.sleep(6)  # to hand over in, and to record in
        (found["fails"].place / "enough").touch()
        slurm.run("scancel", found["cancel"].number)
        found["ctrlc"].number = slurm.run("squeue", "-h", "-n", "ctrlc", "-o", "%i").strip()
        for _ in range(3):  # as a person does
            srun.send_signal(signal.SIGINT)
            time.sleep(0.3)
        srun.wait(60)
        wait_for(lambda: all("SIGUSR1" in found["warned"].signals(rank) for rank in RANKS), "the warning of the limit")
        (found["warned"].place / "enough").touch()
        for job in found.values():
            job.state = slurm.accounted(job.number)
    finally:
        srun.kill()
        srun.wait()
    for job in found.values():
        told = job.place / "sacct.txt"
        told.write_text(slurm.run("sacct", "-D", "-P", "-o", "ALL", "-j", job.number))
        write(import_paths([told]), job.place / "slurm.inquest")
        merge([job.place / "rec", job.place / "slurm.inquest"], job.place / "job.inquest")
        store = BundleStore(job.place / "job.inquest")
        job.rows = {name: store.scan(name).collect().to_dicts() for name in store.tables()}
        job.verdict = analyze(store)[0]
    return found


def _seat(job: Job, node: str) -> int:
    """The rank on the first node whose recorder samples the node: whichever was quicker."""

    def samples() -> Path | None:
        return next((job.place / "rec" / node).glob("*/host_samples.*"), None)

    identity: dict[str, Any] = json.loads(
        (wait_for(samples, "a recorder of the node").parent / "node.json").read_text()
    )
    return int(identity["task"])


def test_the_end_is_the_jobs_own(jobs: dict[str, Job]) -> None:
    told = {name: job.state for name, job in jobs.items()}
    assert told["fails"] == "FAILED 7:0"
    assert told["warned"] == "COMPLETED 0:0"
    assert told["cancel"].startswith("CANCELLED by 0")
    assert told["ctrlc"].startswith("CANCELLED by 0")
    assert told["limit"].startswith("TIMEOUT")


def test_a_signal_reaches_every_rank_once(jobs: dict[str, Job]) -> None:
    for rank in RANKS:
        warned = Counter(jobs["warned"].signals(rank))
        assert (warned["SIGUSR1"], warned["SIGUSR2"], warned["SIGTERM"]) == (1, 1, 0)
        assert Counter(jobs["fails"].signals(rank)) == {"ready": 1}
        # Slurm continues what it ends; a job that obeys at once may see no more than the first of its signals.
        assert jobs["cancel"].signals(rank)[:3] == ["ready", "SIGCONT", "SIGTERM"]
        assert "SIGTERM" in jobs["limit"].signals(rank)


def test_no_rank_saw_more_than_was_sent(jobs: dict[str, Job]) -> None:
    """The wrapper writes down every signal that it was sent, and by whom; the job may not see one more often."""
    for job in jobs.values():
        sent: Counter[tuple[int, str]] = Counter()
        for row in job.table("processes"):
            if row["event"] == "signal" and row["role"] == "task" and row["rank"] is not None:
                sent[row["rank"], signal.Signals(row["signal"]).name] += 1
                assert row["sender_command"] == "slurmstepd"
        for rank in RANKS:
            for name, count in Counter(job.signals(rank)).items():
                if name not in ("ready", "SIGCONT"):  # SIGCONT is not written down
                    # Slurm asks twice for an end, and who obeys at once sees the first.
                    assert count <= sent[rank, name] <= count + (name == "SIGTERM"), (job.name, rank, name)


def test_every_node_is_there_and_every_line_has_its_rank(jobs: dict[str, Job], slurm: Slurm) -> None:
    """Plain srun sets no RANK: SLURM_PROCID is it."""
    for job in jobs.values():
        of = {(row["node"], row["rank"], row["rank_by"]) for row in job.table("log_lines")}
        assert of == {(node, rank, "task") for rank, node in enumerate(n for n in slurm.nodes for _ in range(2))}
        assert {row["node"] for row in job.table("host_samples")} == set(slurm.nodes), job.name
        assert job.verdict is not None
        assert job.verdict.bundle.ranks == tuple(RANKS)
        assert job.verdict.bundle.missing_nodes == ()
        assert job.verdict.bundle.job_id == job.number


def test_one_recorder_asks_slurm_and_the_next_goes_on(jobs: dict[str, Job], slurm: Slurm) -> None:
    """The rank whose recorder samples the node leaves early: its neighbour's goes on, and tells nothing twice."""
    job = jobs["fails"]
    seen = {row["capture"] for row in job.table("host_samples") if row["node"] == slurm.nodes[0]}
    assert len(seen) == 2
    attempts = {row["node"]: row for row in job.table("collection") if row["collector"] == "slurm:scontrol-job"}
    assert set(attempts) == {slurm.nodes[0]}
    events = Counter(row["event"] for row in job.table("slurm_events"))
    assert events["submitted"] == events["started"] == 1
    lease = json.loads((job.place / "rec" / ".peers" / f"{job.number}.lease").read_text())
    assert lease["left"] is True
    assert lease["node"] == slurm.nodes[0]


def test_recorder_and_accounting_tell_of_one_run(jobs: dict[str, Job]) -> None:
    for job in jobs.values():
        (run,) = job.table("slurm_jobs")
        assert f"{run['state']}".split()[0] == job.state.split()[0]
        assert run["job_id"] == job.number
        steps = Counter(row["step_id"] for row in job.table("slurm_steps"))
        assert steps["0"] == 1, (job.name, steps)
    (run,) = jobs["fails"].table("slurm_jobs")
    assert run["exit_code"] == 7
    assert run["restarts"] == 0  # accounting of this version does not tell, the controller does


def test_the_verdict_names_the_end(jobs: dict[str, Job]) -> None:
    told = {name: job.verdict for name, job in jobs.items()}
    assert all(told.values())
    said = {name: (verdict.outcome, verdict.family, verdict.sub_mode) for name, verdict in told.items() if verdict}
    assert said["cancel"] == ("outside_families", None, "user_cancel")
    assert said["ctrlc"] == ("outside_families", None, "user_cancel")
    assert said["limit"][:2] == ("decided", "F3")
    assert said["fails"][1] == "A1"
    assert said["warned"][:2] == ("decided", "G1")

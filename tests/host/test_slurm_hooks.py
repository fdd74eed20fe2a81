"""The Prolog, Epilog and TaskProlog of packaging/slurm on a real Slurm, and the unit of packaging/systemd."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from tests.conftest import ROOT
from tests.host.slurm import Slurm, cluster, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.analyze.model import Verdict

SNIPPETS = ROOT / "packaging" / "slurm"
UNIT = ROOT / "packaging" / "systemd" / "inquest-attach@.service"
SHOW = 'env | grep -E "^(TORCH_|PYTHONFAULT)" | sort; echo "mode $(stat -c %a "$(dirname "$TORCH_FR_DUMP_TEMP_FILE")")"'


@pytest.fixture
def slurm(request: pytest.FixtureRequest) -> Slurm:
    return cluster(request)


@pytest.fixture
def hooks(slurm: Slurm) -> Iterator[Path]:
    """The folder of hooks; what a test puts there is taken out again."""
    folder = slurm.state / "hooks"
    yield folder
    for hook in folder.glob("*.d/50-inquest"):
        hook.unlink()


def install(hooks: Path, hook: str, **settings: str) -> None:
    """Put a snippet where Slurm runs it, with settings an operator would put at its top."""
    text = (SNIPPETS / f"{hook}.sh").read_text()
    first, rest = text.split("\n", 1)
    target = hooks / f"{hook}.d" / "50-inquest"
    target.write_text("\n".join((first, *(f"{name}='{value}'" for name, value in settings.items()), rest)))
    target.chmod(0o755)


def test_tasks_get_a_flight_recorder_and_keep_what_users_set(slurm: Slurm, hooks: Path) -> None:
    install(hooks, "task_prolog")
    shown = slurm.run("srun", "-n1", "-t1", "--export=ALL,TORCH_NCCL_DUMP_ON_TIMEOUT=0", "sh", "-c", SHOW)
    lines = shown.splitlines()
    assert "TORCH_NCCL_DUMP_ON_TIMEOUT=0" in lines
    assert "TORCH_NCCL_TRACE_BUFFER_SIZE=2000" in lines
    assert "PYTHONFAULTHANDLER=1" in lines
    assert lines[-1] == "mode 700"


def test_a_task_prolog_that_cannot_make_its_folder_lets_the_task_run(slurm: Slurm, hooks: Path) -> None:
    install(hooks, "task_prolog")
    shown = slurm.run("srun", "-n1", "-t1", "--export=ALL,TMPDIR=/proc", "sh", "-c", "echo ran; env")
    assert shown.startswith("ran\n")
    assert "TORCH_FR_DUMP_TEMP_FILE" not in shown


def test_prolog_and_epilog_without_an_agent_do_nothing(slurm: Slurm, hooks: Path, tmp_path: Path) -> None:
    for hook in ("prolog", "epilog"):
        install(hooks, hook, INQUEST="/nowhere/inquest", INQUEST_OUT=str(tmp_path / "out"), INQUEST_RUN=str(tmp_path))
    assert slurm.run("srun", "-n1", "-t1", "echo", "ran") == "ran\n"
    assert list(tmp_path.iterdir()) == []
    states = slurm.run("sinfo", "-h", "-o", "%T").split()
    assert not any("drain" in state for state in states), states


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text())
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_snippets_are_plain_sh() -> None:
    for path in SNIPPETS.glob("*.sh"):
        for shell in ("sh", "bash"):
            subprocess.run([shell, "-n", path], check=True)
        assert path.stat().st_mode & 0o111, f"{path.name} is not executable"


# --- whole jobs, recorded by the Prolog's recorder -------------------------------------------------------------------

AGENT = os.environ.get("INQUEST_UNDER_TEST") or str(Path(sys.executable).with_name("inquest"))
ONLY = "identity,clock,processes,process_life,output_files,writes,slurm,kernel_log"
"""What these jobs are judged by; with the rest, forty recorders would keep two CPUs busy for minutes."""
RANK = """
import os, signal, sys, time
place, mode = sys.argv[1:]
rank, step, held = int(os.environ["SLURM_PROCID"]), 0, []
seen = os.open(f"{place}/signals.{rank}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
for number in (signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda number, frame: os.write(seen, signal.Signals(number).name.encode() + b" "))
enough = f"{place}/enough{os.environ.get('SLURM_RESTART_COUNT', '')}"
print(f"rank {rank} is ready", flush=True)
while not os.path.exists(enough):
    step += 1
    if rank == 0:
        print(f"step {step} loss {5 / step:.4f}", flush=True)
    time.sleep(0.1)
if mode == "hog":
    while True:
        held.append(os.urandom(16 << 20))
if mode == "fails" and rank == 3:
    raise RuntimeError("rank 3 fails")
print("training finished", flush=True)
"""
TASKS = {"fails": 5, "hog": 2, "cancelled": 3, "limited": 3, "again": 2, "parts": 4}
"""Tasks of each job: the job script is one, too."""


@dataclass
class Job:
    """A job that nobody wrapped, and what became of it."""

    place: Path
    number: str
    state: str = ""
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    verdict: Verdict | None = None


def _all_started(recording: Path) -> bool:
    """Whether the collector of ends and signals stands: who ends a job is seen only from then on."""
    try:
        return any(
            path.suffix == ".parquet" or b"process_life" in path.read_bytes() for path in recording.glob("collection.*")
        )
    except FileNotFoundError:  # it was sealed just now
        return True


@pytest.fixture(scope="module")
def jobs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Job]:
    """Six jobs at a time on two nodes, each with an end of its own, recorded by hooks and merged."""
    slurm = cluster(request)
    if not os.access(AGENT, os.X_OK):
        pytest.skip(f"inquest is not installed as a program here: {AGENT}")
    folder = tmp_path_factory.mktemp("hooked")
    out, run = folder / "out", folder / "run"
    where = {"INQUEST": AGENT, "INQUEST_OUT": str(out), "INQUEST_RUN": str(run), "export INQUEST_ONLY": ONLY}
    hooks = slurm.state / "hooks"
    for hook in ("prolog", "epilog", "task_prolog"):
        install(hooks, hook, **where)

    def submit(name: str, *layout: str, srun: str = "", between: str = "") -> Job:
        place = folder / name
        place.mkdir()
        (place / "rank.py").write_text(RANK)
        command = f"srun {srun} {sys.executable} {place}/rank.py {place} {name}"
        options = "\n".join(f"#SBATCH {words}" for words in (*layout[:1], *([between] if between else []), *layout[1:]))
        (place / "job.sh").write_text(f"#!/bin/bash\n{options}\n{command}\n")
        number = slurm.submit("--open-mode=append", "-J", name, "-o", str(place / "log"), place / "job.sh")
        return Job(place, number.partition(";")[0])

    def recorded(job: Job) -> int:
        return sum(_all_started(path) for path in {path.parent for path in (out / job.number).glob("*/*/processes.*")})

    try:
        found = {
            "fails": submit("fails", "-N2 --ntasks-per-node=2 --mem=400M"),
            "hog": submit("hog", f"-N1 -n1 --mem=120M -w {slurm.nodes[0]}"),
            "cancelled": submit("cancelled", f"-N1 -n2 --mem=400M -w {slurm.nodes[0]}"),
            "limited": submit("limited", f"-N1 -n2 --mem=400M --time=5 -w {slurm.nodes[1]}"),
            "again": submit("again", f"-N1 -n1 --mem=400M --requeue -w {slurm.nodes[1]}"),
            "parts": submit(
                "parts",
                f"-N1 -n1 --mem=400M -w {slurm.nodes[0]}",
                f"-N1 -n2 --mem=400M -w {slurm.nodes[1]}",
                between="hetjob",
                srun="--het-group=0,1",
            ),
        }
        limited = found["limited"]
        slurm.run(
            "scontrol", "update", f"jobid={limited.number}", "TimeLimit=2"
        )  # the warning comes with the next look
        wait_for(lambda: all(recorded(job) >= TASKS[name] for name, job in found.items()) or None, "all recorders")
        slurm.run("scontrol", "update", f"nodename={slurm.nodes[1]}", "state=drain", "reason=fan")
        slurm.run("scancel", found["cancelled"].number)
        slurm.run("scancel", "--signal=USR2", limited.number)
        slurm.run("scontrol", "update", f"jobid={limited.number}", "EndTime=now+1")
        slurm.run("scontrol", "requeue", found["again"].number)
        for name in ("fails", "hog", "parts"):
            (found[name].place / "enough").touch()
        ended = "scontrol", "show", "job", "-o", found["again"].number
        wait_for(lambda: "JobState=PENDING" in slurm.run(*ended) or None, "the requeue")
        # slurmd tells a second run from the first by a time in whole seconds: one that begins within the same second
        # passes for the same, and gets no Prolog.
        time.sleep(3)
        slurm.run("scontrol", "update", f"nodename={slurm.nodes[1]}", "state=resume")
        slurm.run("scontrol", "update", f"jobid={found['again'].number}", "StartTime=now")
        wait_for(lambda: recorded(found["again"]) >= 2 * TASKS["again"] or None, "recorders of the second run")
        (found["again"].place / "enough1").touch()
        wait_for(lambda: not slurm.run("squeue", "-h") or None, "all jobs to end, one of them twice")
        for job in found.values():
            job.state = slurm.accounted(job.number)
        wait_for(lambda: not _recorders(out), "recorders to leave")
    finally:
        for installed in hooks.glob("*.d/50-inquest"):
            installed.unlink()
        slurm.run("scontrol", "update", f"nodename={slurm.nodes[1]}", "state=resume", check=False)
    for job in found.values():
        merge([out / job.number], job.place / "job.inquest")
        store = BundleStore(job.place / "job.inquest")
        job.rows = {name: store.scan(name).collect().to_dicts() for name in store.tables()}
        job.verdict = analyze(store)[0]
    return found


def _recorders(out: Path) -> list[str]:
    """Processes of ours that record under a folder."""
    return subprocess.run(["pgrep", "-f", f"--out {out}/"], capture_output=True, text=True).stdout.split()


def _said(job: Job) -> tuple[str, str | None, str | None]:
    assert job.verdict is not None
    return job.verdict.outcome, job.verdict.family, job.verdict.sub_mode


@pytest.mark.slow
def test_jobs_end_as_they_would_without_hooks(jobs: dict[str, Job], slurm: Slurm) -> None:
    told = {name: job.state for name, job in jobs.items()}
    assert told["fails"] == "FAILED 1:0"
    assert told["cancelled"].startswith("CANCELLED by 0")
    assert told["limited"].startswith("TIMEOUT")
    for rank in range(2):
        seen = (jobs["limited"].place / f"signals.{rank}").read_text().split()
        assert seen == ["SIGUSR2"], "once"
    assert told["again"] == told["parts"] == "COMPLETED 0:0"
    assert told["hog"].startswith(("FAILED", "OUT_OF_MEMORY"))
    assert not any("drain" in state for state in slurm.run("sinfo", "-h", "-o", "%T").split())


@pytest.mark.slow
def test_hooks_record_every_node_and_task_and_nothing_of_their_own(jobs: dict[str, Job], slurm: Slurm) -> None:
    for name, job in jobs.items():
        starts = [row for row in job.rows["processes"] if row["role"] in ("task", "rank") and row["event"] == "start"]
        met = {(row["node"], row["pid"]) for row in starts if row["command"] in ("slurm_script", "python", "python3")}
        assert len(met) == TASKS[name] + 2 * (name == "again"), name
        assert {row["node"] for row in starts} == set(
            slurm.nodes if name in ("fails", "parts") else [starts[0]["node"]]
        )
        assert {row["job_id"] for row in starts} - {None} == {job.number}, name  # one may be met before it called exec
        assert job.verdict is not None
        assert job.verdict.bundle.job_id == job.number, "components are one job"


@pytest.mark.slow
def test_hooks_follow_the_output_and_say_who_ended_it(jobs: dict[str, Job]) -> None:
    for job in jobs.values():
        texts = {row["text"] for row in job.rows["log_lines"] if row["stream"] == "file"}
        assert "step 1 loss 5.0000" in texts
    ends = {row["rank"]: row["exit_code"] for row in jobs["fails"].rows["processes"] if row["event"] == "exit"}
    assert {rank: ends[rank] for rank in range(4)} == {0: 0, 1: 0, 2: 0, 3: 1}
    sent = [row for row in jobs["cancelled"].rows["processes"] if row["event"] == "signal" and row["signal"] == 15]
    if not sent:
        pytest.skip("who signals whom is not seen here: it takes eBPF")
    assert {row["sender_command"] for row in sent} == {"slurmstepd"}
    told = [
        (row["task"], row["role"], row["rank"], row["pid"], row["event"]) for row in jobs["cancelled"].rows["processes"]
    ]
    assert {row["rank"] for row in sent} & {0, 1}, told  # failed once beside a whole run, for a reason not known


@pytest.mark.slow
def test_slurm_is_asked_once_more_when_the_job_is_over(jobs: dict[str, Job]) -> None:
    """Recorders end with the job's processes, and only then does Slurm say how the job ended."""
    for name, job in jobs.items():
        states = {f"{row['state']}".split()[0] for row in job.rows["slurm_jobs"]}
        assert job.state.split()[0] in states, name


@pytest.mark.slow
def test_the_verdict_on_a_job_that_only_hooks_recorded(jobs: dict[str, Job]) -> None:
    assert _said(jobs["fails"])[1] == "A1"
    assert jobs["fails"].verdict is not None
    assert jobs["fails"].verdict.first_failing is not None
    assert jobs["fails"].verdict.first_failing.rank == 3
    assert _said(jobs["hog"]) == ("decided", "A2", "cgroup_oom")
    assert _said(jobs["cancelled"]) == ("outside_families", None, "user_cancel")
    assert _said(jobs["limited"])[:2] == ("decided", "F3")
    assert _said(jobs["parts"])[1] == "G1", "its neighbour's end is none of its own"
    assert _said(jobs["again"])[1] in ("F2", "E2"), "its second run began anew"

"""Every end a job of Slurm can have, on a real Slurm of two nodes, wrapped and attached: is the verdict the truth?

    make prove        # some minutes; not part of `make test`, which holds a part of this in tests/host

One wave of jobs a way of recording, all at a time, two nodes with two tasks each; the node is killed last. Jobs with
PyTorch need an interpreter that has it: $INQUEST_TORCH, or this one. $INQUEST_PROVE_KEEP names a folder that gets the
bundle of every verdict that was not the truth.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from tests.conftest import ROOT
from tests.host.slurm import START, Slurm, cluster, wait_for

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(1500)]

SNIPPETS: Final = ROOT / "packaging" / "slurm"
PROGRAM: Final = os.environ.get("INQUEST_UNDER_TEST") or str(Path(sys.executable).with_name("inquest"))
TORCH: Final = os.environ.get("INQUEST_TORCH") or sys.executable
KEEP: Final = os.environ.get("INQUEST_PROVE_KEEP")
PATIENCE_S: Final = 400.0
ONLY: Final = "identity,clock,processes,process_life,output_files,writes,slurm,kernel_log,cgroup,host"
"""Eighty recorders at a time with everything on would keep two CPUs from the jobs."""
ATTACHED_PARTITION: Final = "low"
"""Jobs in it are recorded by the Prolog; those of others by the wrapper."""
LAYOUT: Final = ("-N2", "--ntasks-per-node=2", "--open-mode=append")

# A rank. It notes every signal, continues from the step it last saved, and ends as its mode says once it may.
RANK: Final = """
import os, signal, sys, time
place, mode = sys.argv[1:]
rank, run = int(os.environ["SLURM_PROCID"]), os.environ.get("SLURM_RESTART_COUNT", "0")
log = os.open(f"{place}/signals.{rank}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
end = []
def seen(number, frame):
    os.write(log, (signal.Signals(number).name + "\\n").encode())
    if number == signal.SIGTERM and mode != "preempted":
        end.append(number)
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, seen)
os.write(log, b"ready\\n")
step, held, enough = 0, [], f"{place}/enough.{run}"
if mode.startswith("torch"):
    import torch, torch.distributed as dist
    os.environ.update(RANK=str(rank), WORLD_SIZE="4", MASTER_ADDR="127.0.0.1", GLOO_SOCKET_IFNAME="lo")
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
    sgd = torch.optim.SGD(model.parameters(), 0.01)
saved = f"{place}/checkpoint"
if os.path.exists(saved):
    step = int(open(saved).read())
    if rank == 0:
        print(f"Resuming from checkpoint {saved} at step {step}", flush=True)
while not end:
    step += 1
    loss = 5 / step
    if mode.startswith("torch"):
        goes_on = torch.tensor([0 if os.path.exists(enough) else 1])
        dist.all_reduce(goes_on, op=dist.ReduceOp.MIN)
        loss = (model(torch.ones(4, 8)) - 1).square().mean()
        sgd.zero_grad(); loss.backward(); sgd.step()
        over, loss = not goes_on.item(), loss.item() + 1 / step
    else:
        over = os.path.exists(enough)
    if rank == 0:
        print(f"step {step} loss {loss:.4f}", flush=True)
        if step % 10 == 0:
            with open(saved + ".new", "w") as file:
                file.write(str(step))
            os.replace(saved + ".new", saved)
            print(f"Saved checkpoint to {saved} at step {step}", flush=True)
    if over:
        break
    time.sleep(0.1)
if end:
    signal.signal(end[0], signal.SIG_DFL)
    os.kill(os.getpid(), end[0])
if mode == "oom" and rank == 2:
    while True:
        held.append(os.urandom(16 << 20))
if mode.endswith("failed") and rank == 3:
    raise RuntimeError("rank 3 fails")
if rank == 0:
    print("training finished", flush=True)
"""


@dataclass(frozen=True)
class Case:
    """One way to end, and the truth about it."""

    told: tuple[str, str | None]
    """Outcome and family."""
    state: str
    """What accounting says of it, its begin."""
    sub_mode: str | None = None
    attribution: str | None = None
    node: int | None = None
    """Number of the node that is to be named."""
    rank: int | None = None
    options: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    """Signals that every rank sees once."""


def _decided(family: str, state: str, **truth: Any) -> Case:
    return Case(("decided", family), state, **truth)


CASES: Final = {
    "completed": _decided("G1", "COMPLETED 0:0", attribution="none"),
    "failed": _decided("A1", "FAILED 1:0", attribution="job", node=1, rank=3),
    # Slurm 22.05 calls only the step OUT_OF_MEMORY, for srun ends with 1.
    "oom": _decided("A2", "FAILED", sub_mode="cgroup_oom", attribution="job", node=1, rank=2, options=("--mem=700M",)),
    "cancelled": Case(("outside_families", None), "CANCELLED by 0", sub_mode="user_cancel", once=("SIGTERM",)),
    "interrupted": Case(("outside_families", None), "CANCELLED by 0", sub_mode="user_cancel"),
    "limit": _decided("F3", "TIMEOUT", options=("--time=9",)),
    "warned": _decided(
        "G1", "COMPLETED 0:0", attribution="none", options=("--time=9", "--signal=USR1@30"), once=("SIGUSR1",)
    ),
    "requeued": _decided("F2", "COMPLETED 0:0", sub_mode="recovered", attribution="scheduler", options=("--requeue",)),
    "preempted": _decided(
        "F2",
        "COMPLETED 0:0",
        sub_mode="recovered",
        attribution="scheduler",
        options=("--requeue", "--qos=low", "--gpus-per-node=4"),
    ),
    "node": _decided("F1", "NODE_FAIL", attribution="infrastructure", node=1, options=("--no-requeue",)),
    "torch_completed": _decided("G1", "COMPLETED 0:0", attribution="none"),
    "torch_failed": _decided("A1", "FAILED", attribution="job", node=1, rank=3),
    "torch_node": _decided("F1", "NODE_FAIL", attribution="infrastructure", node=1, options=("--no-requeue",)),
}
TWICE: Final = ("requeued", "preempted")
"""Cases that run a second time."""
WAYS: Final = ("wrapped", "attached")


@dataclass
class Job:
    """One job and what became of it."""

    case: Case
    place: Path
    number: str = ""
    state: str = ""
    srun: subprocess.Popen[bytes] | None = None
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    verdict: Verdict | None = None

    def output(self) -> bytes:
        try:
            return (self.place / "log").read_bytes()
        except OSError:
            return b""

    def signals(self, rank: int) -> Counter[str]:
        """Signals that a rank noted; "ready" once a run."""
        try:
            return Counter((self.place / f"signals.{rank}").read_text().split())
        except OSError:
            return Counter()

    def enough(self, run: int = 0) -> None:
        (self.place / f"enough.{run}").touch()


class Wave:
    """All cases at a time, recorded in one way."""

    def __init__(self, slurm: Slurm, folder: Path, way: str) -> None:
        self.slurm, self.folder, self.way = slurm, folder, way
        self.out = folder / "out"
        has_torch = subprocess.run([TORCH, "-c", "import torch"], capture_output=True).returncode == 0
        self.jobs: dict[str, Job] = {}
        for name, case in CASES.items():
            if name.startswith("torch") and not has_torch:
                continue
            place = folder / name
            place.mkdir()
            self.jobs[name] = Job(case, place)

    def install_hooks(self) -> None:
        """The Prolog and Epilog as an operator installs them, for one partition."""
        settings = {"INQUEST": PROGRAM, "INQUEST_OUT": str(self.out), "INQUEST_RUN": str(self.folder / "run")}
        lines = [f"{name}='{value}'" for name, value in settings.items()]
        for hook in ("prolog", "epilog"):
            first, rest = (SNIPPETS / f"{hook}.sh").read_text().split("\n", 1)
            only = [f'[ "$SLURM_JOB_PARTITION" = {ATTACHED_PARTITION} ] || exit 0', f"export INQUEST_ONLY={ONLY}"]
            target = self.slurm.state / "hooks" / f"{hook}.d" / "50-inquest"
            target.write_text("\n".join([first, *lines, *only, rest]))
            target.chmod(0o755)

    def remove_hooks(self) -> None:
        for installed in (self.slurm.state / "hooks").glob("*.d/50-inquest"):
            installed.unlink()

    def submit(self, name: str) -> None:
        job = self.jobs[name]
        place = job.place
        (place / "rank.py").write_text(RANK)
        python = TORCH if name.startswith("torch") else sys.executable
        command = [python, str(place / "rank.py"), str(place), name]
        if self.way == "wrapped":
            command = [PROGRAM, "run", "--only", ONLY, "--out", str(self.out / name), "--", *command]
        partition = ATTACHED_PARTITION if self.way == "attached" else "train"
        memory = ("--mem=1200M",) if not any(option.startswith("--mem") for option in job.case.options) else ()
        layout = (*LAYOUT, *memory, "-p", partition, "-J", name, *job.case.options)
        # The rendezvous of each PyTorch job has a port of its own.
        env = {**os.environ, **self.slurm.env, "MASTER_PORT": str(20_000 + (os.getpid() * 7 + len(name)) % 9_000)}
        if name == "interrupted":  # as a person runs it, with the terminal's Ctrl-C
            with (place / "log").open("wb") as log:
                job.srun = subprocess.Popen(
                    ["srun", *layout, *command], env=env, stdout=log, stderr=log, start_new_session=True
                )
            job.number = wait_for(
                lambda: self.slurm.run("squeue", "-h", "-n", name, "-o", "%i").split(), "srun", PATIENCE_S
            )[0]
            return
        (place / "job.sh").write_text("#!/bin/bash\nexec srun " + " ".join(command) + "\n")
        done = subprocess.run(
            ["sbatch", "--parsable", *layout, "-o", place / "log", place / "job.sh"],
            env=env,
            check=True,
            capture_output=True,
            text=True,
            cwd=self.slurm.state,
        )
        job.number = done.stdout.strip()

    def recordings(self, name: str) -> Path:
        return self.out / (name if self.way == "wrapped" else self.jobs[name].number)

    def recorded(self, name: str) -> int:
        """Tasks of a job that are recorded by now; the job script is one, too, where nobody is wrapped."""
        found = {path.parent for path in self.recordings(name).glob("*/*/processes.*")}
        return len(found) - (self.way == "attached" and name != "interrupted")

    def control(self, *words: str) -> str:
        return self.slurm.run("scontrol", *words)

    def play(self) -> None:
        """Start all, do to each what its name says, and wait for the ends."""
        jobs, slurm = self.jobs, self.slurm
        for name in jobs:
            self.submit(name)
        for name, job in jobs.items():
            wait_for(lambda job=job: b"step 3 " in job.output() or None, f"steps of {name}", PATIENCE_S)
            wait_for(lambda name=name: self.recorded(name) >= 4 or None, f"the recorders of {name}", PATIENCE_S)
        slurm.run("scancel", jobs["cancelled"].number)
        self.control("update", f"jobid={jobs['limit'].number}", "EndTime=now+1")
        self.control("update", f"jobid={jobs['warned'].number}", "EndTime=now+90")
        self.control("requeue", jobs["requeued"].number)
        wants = ("-N2", "--qos=high", "--gpus-per-node=4", "--mem=100M")
        urgent = slurm.submit(*wants, "-o", "/dev/null", "--wrap", "sleep 9")
        for name in ("completed", "failed", "oom", "torch_completed", "torch_failed"):
            if name in jobs:
                jobs[name].enough()
        srun = jobs["interrupted"].srun
        assert srun is not None
        for _ in range(2):  # within a second: the first asks what to do, the second ends it
            srun.send_signal(signal.SIGINT)
            time.sleep(0.4)
        srun.wait(PATIENCE_S)
        warned = jobs["warned"]
        wait_for(lambda: all(warned.signals(rank)["SIGUSR1"] for rank in range(4)) or None, "the warning", PATIENCE_S)
        warned.enough()
        self._run_again("requeued")
        self._gone(urgent, "the urgent job to end")
        self._run_again("preempted")
        last = [name for name in jobs if name.endswith("node")]
        running = [job.number for name, job in jobs.items() if name not in last]
        self._gone(",".join(running), "the ends")
        self._lose_power(slurm.nodes[1], last)

    def _gone(self, numbers: str, what: str) -> None:
        wait_for(lambda: not self.slurm.run("squeue", "-h", "-j", numbers) or None, what, PATIENCE_S)

    def _run_again(self, name: str) -> None:
        job = self.jobs[name]
        shown = "show", "job", "-o", job.number
        wait_for(lambda: "JobState=PENDING" in self.control(*shown) or None, f"{name} to be waiting", PATIENCE_S)
        # slurmd tells a second run from the first by a time in whole seconds, and runs no Prolog for the same.
        time.sleep(3)
        self.slurm.run("scontrol", "update", f"jobid={job.number}", "StartTime=now", check=False)
        wait_for(lambda: b"Resuming" in job.output() or None, f"the second run of {name}", PATIENCE_S)
        wait_for(lambda: self.recorded(name) >= 8 or None, f"recorders of the second run of {name}", PATIENCE_S)
        job.enough(1)

    def _lose_power(self, node: str, names: list[str]) -> None:
        """All that runs on a node goes at one instant, our recorders too."""
        time.sleep(5)  # to record in
        ours = subprocess.run(["pgrep", "-f", f"{self.out}/.*{node}"], capture_output=True, text=True).stdout.split()
        # Frozen, not stopped: the kernel sends SIGHUP to stopped processes whose parent ends, and lets them go on.
        freezer = Path("/sys/fs/cgroup/freezer", f"slurm_{node}", "freezer.state")
        freezer.write_text("FROZEN")
        for number in (signal.SIGSTOP, signal.SIGKILL):  # first nobody does anything any more
            for pid in map(int, ours):
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
        subprocess.run([START, "node", self.slurm.state, "kill", node], check=True, capture_output=True)
        freezer.write_text("THAWED")
        numbers = ",".join(self.jobs[name].number for name in names)
        self._gone(numbers, "the loss to be noticed")

    def settle(self) -> None:
        """Wait for accounting and recorders, and judge."""
        for job in self.jobs.values():
            job.state = self.slurm.accounted(job.number)
        (self.folder / "scontrol.txt").write_text(self.control("show", "node"))
        subprocess.run([START, "node", self.slurm.state, "start", self.slurm.nodes[1]], capture_output=True)
        ours = ["pgrep", "-f", f"{self.out}/"]
        wait_for(lambda: not subprocess.run(ours, capture_output=True).stdout or None, "recorders to leave", PATIENCE_S)
        for name, job in self.jobs.items():
            told = job.place / "sacct.txt"
            told.write_text(self.slurm.run("sacct", "-D", "-P", "-o", "ALL", "-j", job.number))
            sources = [self.recordings(name)]
            if self.way == "wrapped":  # its recorders end with the job, before Slurm knows how it ended
                write(import_paths([told, self.folder / "scontrol.txt"]), job.place / "slurm.inquest")
                sources.append(job.place / "slurm.inquest")
            merge(sources, job.place / "job.inquest")
            store = BundleStore(job.place / "job.inquest")
            job.rows = {table: store.scan(table).collect().to_dicts() for table in ("processes", "log_lines")}
            job.verdict = analyze(store)[0]


@pytest.fixture(scope="module", params=WAYS)
def wave(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Wave:
    os.environ |= {"SLURM_CPUS_PER_NODE": "64", "SLURM_MEM_PER_NODE": "64000"}  # all jobs at a time
    slurm = cluster(request)
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip(f"inquest is not installed as a program here: {PROGRAM}")
    wave = Wave(slurm, tmp_path_factory.mktemp(request.param), request.param)
    wave.install_hooks()
    try:
        wave.play()
        wave.settle()
    finally:
        wave.remove_hooks()
        numbers = [job.number for job in wave.jobs.values() if job.number]
        slurm.run("scancel", *numbers, check=False)
        left = subprocess.run(["pgrep", "-f", f"{wave.out}/"], capture_output=True, text=True).stdout.split()
        for pid in left:  # of a wave that failed: without an Epilog, `attach --wait` waits for a day
            with contextlib.suppress(OSError):
                os.kill(int(pid), signal.SIGTERM)
    return wave


@pytest.fixture(params=CASES)
def job(request: pytest.FixtureRequest, wave: Wave) -> Job:
    if request.param not in wave.jobs:
        pytest.skip(f"PyTorch is not there: {TORCH} (set INQUEST_TORCH)")
    return wave.jobs[request.param]


def test_it_ended_as_it_would_without_us(job: Job) -> None:
    assert job.state.startswith(job.case.state)
    for rank in range(4):
        seen = job.signals(rank)
        assert [seen[name] for name in job.case.once] == [1] * len(job.case.once), seen


def test_every_signal_is_on_record_once(job: Job) -> None:
    sent: Counter[tuple[int, str]] = Counter()
    for row in job.rows["processes"]:
        if row["event"] == "signal" and row["rank"] is not None and row["role"] in ("task", "rank"):
            sent[row["rank"], signal.Signals(row["signal"]).name] += 1
    for rank in range(4):
        for name in job.case.once:
            assert sent[rank, name] >= 1, (rank, name, sent)
        for name, count in job.signals(rank).items():
            if name not in ("ready", "SIGCONT"):
                assert count <= sent[rank, name], (rank, name, sent)


def test_the_verdict_is_the_truth(job: Job, wave: Wave) -> None:
    verdict, case = job.verdict, job.case
    assert verdict is not None
    try:
        assert (verdict.outcome, verdict.family) == case.told, verdict.headline
        assert case.sub_mode in (None, verdict.sub_mode), verdict.headline
        assert case.attribution in (None, verdict.attribution), verdict.headline
        assert verdict.bundle.job_id == job.number
        first = verdict.first_failing
        if case.rank is not None:
            assert first is not None
            assert first.rank == case.rank, verdict.headline
        if case.node is not None:
            named = {*verdict.culprit_nodes, *([first.node] if first and first.node else [])}
            assert wave.slurm.nodes[case.node] in named, verdict.headline
    except AssertionError:
        if KEEP:
            Path(KEEP).mkdir(parents=True, exist_ok=True)
            shutil.copy(job.place / "job.inquest", Path(KEEP) / f"{wave.way}-{job.place.name}.inquest")
        raise

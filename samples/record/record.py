"""Record real jobs: two "nodes" on this machine, two ranks each, torch on the CPU, gloo between them.

    samples/record/record.py [NAME ...] [--python /path/to/python-with-torch] [--out samples/recorded]

Each scenario runs `inquest run --node NODE -- torchrun ...` twice, once a node, does to the job what its name in
SCENARIOS says, and leaves SAMPLE/NODE/CAPTURE/... with a truth.json beside. Needs torch (only to record again), and
root for the scenario with a memory limit. Nothing is edited afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
NODES = ("node-a", "node-b")


@dataclass
class Job:
    """One recording under way."""

    name: str
    job_id: str
    python: str
    work: Path
    out: Path
    port: int
    nodes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)

    def data(self, *extra: str) -> None:
        subprocess.run([self.python, HERE / "make_data.py", self.work / "data", *extra], check=True)

    def start(
        self,
        *train: str,
        torchrun: tuple[str, ...] = (),
        rdzv: tuple[tuple[str, ...], ...] | None = None,
        prefix: tuple[tuple[str, ...], ...] = ((), ()),
        env: dict[str, str] | None = None,
    ) -> None:
        """Start both nodes; ``rdzv`` replaces the static rendezvous, ``prefix`` goes before `inquest run`."""
        for index, node in enumerate(NODES):
            meet = (
                rdzv[index]
                if rdzv
                else ("--node-rank", str(index), "--master-addr", "127.0.0.1", "--master-port", str(self.port))
            )
            command = [
                *prefix[index],
                *(sys.executable, "-m", "inquest", "run"),
                *("--out", str(self.out), "--node", node, "--job-id", self.job_id, "--"),
                *(str(Path(self.python).parent / "torchrun"), "--nnodes", "2", "--nproc-per-node", "2"),
                *(*meet, *torchrun, "train.py", "--data", "data", "--out", "checkpoints", *train),
            ]
            with (self.work / f"{node}.log").open("wb") as log:
                self.nodes.append(
                    subprocess.Popen(
                        command,
                        cwd=self.work,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                        env={**os.environ, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1", **(env or {})},
                    )
                )

    def wait(self, seconds: float = 240) -> None:
        end = time.monotonic() + seconds
        self.codes += [node.wait(max(1.0, end - time.monotonic())) for node in self.nodes]
        self.nodes.clear()

    def said(self, text: str, seconds: float = 120) -> None:
        """Wait until either node printed ``text``."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(text in (self.work / f"{node}.log").read_text(errors="replace") for node in NODES):
                return
            time.sleep(0.1)
        raise TimeoutError(f"{self.name}: nobody said {text!r}; see {self.work}")

    def clear(self) -> None:
        """End what the job left behind (a helper of a killed rank holds its output open), then seal what is not."""
        from inquest.bundle.seal import seal_capture

        for proc in Path("/proc").glob("[0-9]*"):
            try:
                ours = (proc / "comm").read_text().startswith("inquest")
                left = (proc / "cwd").readlink() == self.work and not ours
            except OSError:
                continue
            if left:
                os.kill(int(proc.name), signal.SIGKILL)
        time.sleep(2)  # recorders may take a second to seal, pumps see the end of the output now
        for capture in sorted(self.out.glob("*/*/node.json")):
            seal_capture(str(capture.parent), raw_logs=True)

    def pid_of_rank(self, rank: int) -> int:
        """The training process with that RANK in this job's working directory (not its helpers)."""
        for proc in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
            try:
                if (proc / "cwd").readlink() == self.work and f"\0RANK={rank}\0".encode() in (
                    b"\0" + (proc / "environ").read_bytes()
                ):
                    return int(proc.name)
            except OSError:
                continue
        raise LookupError(f"{self.name}: no process with RANK={rank}")

    def describe(self, truth: dict[str, object], done: str) -> None:
        """Write the truth of what was recorded beside it; ``done`` says what was done to the job."""
        torch = subprocess.run(
            [self.python, "-c", "import torch; print(torch.__version__)"], check=True, capture_output=True, text=True
        ).stdout.strip()
        told = {
            **truth,
            "done_to_the_job": done,
            "exit_codes": self.codes,
            "nodes": list(NODES),
            "ranks": 4,
            "recorded_with": {
                "torch": torch,
                "python": platform.python_version(),
                "kernel": platform.release(),
                "command": f"samples/record/record.py {self.name}",
            },
            "simulated": False,
        }
        (self.out / "truth.json").write_text(json.dumps(told, indent=2) + "\n")


def healthy(job: Job) -> dict[str, object]:
    job.data()
    job.start("--steps", "300", "--pace", "0.06")
    job.wait()
    return {"family": "G1", "attribution": "none", "culprit_ranks": []}


def data_loader_raises(job: Job) -> dict[str, object]:
    job.data("--damage", "2")
    job.start("--steps", "300", "--pace", "0.1", "--batch", "16")
    job.wait()
    return {"family": "A1", "sub_mode": "mid_run", "fault_class": "data", "attribution": "job", "culprit_ranks": [2]}


def memory_limit(job: Job) -> dict[str, object]:
    limit = 1700 << 20
    group = Path("/sys/fs/cgroup/memory") / f"job_{job.job_id}"
    if not group.parent.is_dir():
        group = Path("/sys/fs/cgroup") / f"job_{job.job_id}"
    group.mkdir()
    v1 = (group / "memory.limit_in_bytes").exists()
    (group / ("memory.limit_in_bytes" if v1 else "memory.max")).write_text(str(limit))
    if v1:
        (group / "memory.swappiness").write_text("0")
    enter = ("sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$0" "$@"')
    job.data()
    try:
        job.start("--steps", "400", "--keep-history", "--pace", "0.1", prefix=((), enter))
        job.wait()
    finally:
        time.sleep(2)
        for pid in (group / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        time.sleep(1)
        group.rmdir()
    return {"family": "A2", "sub_mode": "cgroup_oom", "attribution": "job", "culprit_ranks": [3]}


def rank_lost(job: Job) -> dict[str, object]:
    """SIGKILL to one rank whose prefetch process keeps its sockets open, under an agent that looks once a minute."""
    job.data()
    job.start(
        *("--steps", "4000", "--prefetch", "--timeout", "20", "--pace", "0.05"),
        torchrun=("--monitor-interval", "60"),
    )
    job.said("step 100/")
    os.kill(job.pid_of_rank(3), signal.SIGKILL)
    job.wait()
    return {"family": "C2", "trigger": "A2", "attribution": "job|infrastructure|unknown", "culprit_ranks": [3]}


def wrong_rendezvous(job: Job) -> dict[str, object]:
    job.data()
    late = ("--rdzv-conf", "timeout=30,join_timeout=30,read_timeout=30")
    here, there = f"127.0.0.1:{job.port}", f"127.0.0.1:{job.port + 7}"
    common = ("--rdzv-backend", "c10d", "--rdzv-id", job.job_id)
    job.start(
        "--steps",
        "100",
        rdzv=(
            (*common, "--rdzv-endpoint", here, "--node-rank", "0", *late),
            (
                *common,
                "--rdzv-endpoint",
                there,
                "--rdzv-conf",
                "is_host=false,timeout=30,join_timeout=30,read_timeout=30",
            ),
        ),
    )
    job.wait()
    return {"family": "C1", "attribution": "job|infrastructure|unknown", "culprit_ranks": []}


def loss_becomes_nan(job: Job) -> dict[str, object]:
    job.data()
    job.start("--steps", "200", "--lr", "3e17", "--clip", "0", "--pace", "0.05")
    job.wait()
    return {"family": "E1", "attribution": "job", "culprit_ranks": []}


def checkpoint_mismatch(job: Job) -> dict[str, object]:
    job.data()
    job.start("--steps", "100", "--save-every", "50")
    job.wait()
    shutil.rmtree(job.out)  # the first run only made the checkpoint
    job.port += 1
    job.codes.clear()
    job.start("--steps", "200", "--width", "96", "--resume", "checkpoints")
    job.wait()
    return {"family": "E2", "attribution": "job", "culprit_ranks": []}


def resumed(job: Job) -> dict[str, object]:
    """What a time limit cut short is kept as well: the parent of the run that resumes from its checkpoint."""
    job.data()
    mine, job.out = job.out, job.out.with_name("cut_short")
    shutil.rmtree(job.out, ignore_errors=True)
    limit = ("timeout", "--foreground", "30")
    train = ("--steps", "600", "--pace", "0.05", "--save-every", "50")
    job.start(*train, prefix=(limit, limit))
    job.wait()
    job.clear()
    job.describe({"family": "F3", "attribution": "scheduler|job", "culprit_ranks": []}, "cut short by a time limit")
    job.out = mine
    job.port += 1
    job.job_id += "1"
    job.codes.clear()
    job.start(*train, "--resume", "checkpoints")
    job.wait()
    return {"family": "G1", "attribution": "none", "culprit_ranks": [], "parent": "cut_short"}


def resume_finds_nothing(job: Job) -> dict[str, object]:
    job.data()
    (job.work / "checkpoint").mkdir()
    job.start("--steps", "300", "--resume", "checkpoint", "--pace", "0.05")
    job.wait()
    return {"family": "E2", "sub_mode": "silent_restart", "attribution": "job", "culprit_ranks": []}


def time_limit(job: Job) -> dict[str, object]:
    job.data()
    limit = ("timeout", "--foreground", "40")
    job.start("--steps", "4000", "--pace", "0.1", "--save-every", "50", prefix=(limit, limit))
    job.wait()
    return {"family": "F3", "attribution": "scheduler|job", "culprit_ranks": []}


def three_steps(job: Job) -> dict[str, object]:
    job.data()
    job.start("--steps", "3", "--log-every", "1")
    job.wait()
    return {"family": "E3", "attribution": "job", "culprit_ranks": []}


def input_hangs(job: Job) -> dict[str, object]:
    """One rank's shard becomes a named pipe that nobody writes to, as a storage server that answers no more."""
    job.data()
    job.start("--steps", "4000", "--pace", "0.1", "--timeout", "600")
    job.said("step 200/")
    shard = job.work / "data" / "shard-00002.jsonl"
    shard.unlink()
    os.mkfifo(shard)
    time.sleep(105)
    for node in job.nodes:
        os.killpg(node.pid, signal.SIGTERM)
    job.wait()
    return {"family": "C2", "sub_mode": "host_stopped", "attribution": "job|unknown", "culprit_ranks": [2]}


SCENARIOS: tuple[Callable[[Job], dict[str, object]], ...] = (
    healthy,
    data_loader_raises,
    memory_limit,
    rank_lost,
    wrong_rendezvous,
    loss_becomes_nan,
    checkpoint_mismatch,
    resume_finds_nothing,
    time_limit,
    three_steps,
    input_hangs,
    resumed,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="scenarios (all)")
    parser.add_argument("--python", default="/tmp/torchenv/bin/python", help="an interpreter that has torch")
    parser.add_argument("--out", type=Path, default=HERE.parent / "recorded")
    args = parser.parse_args()
    for number, scenario in enumerate(SCENARIOS):
        name = scenario.__name__
        if args.names and name not in args.names:
            continue
        out = args.out.resolve() / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        # Neutral names: neither the job nor its files may tell what was done to it.
        job = Job(
            name, str(4100 + number), args.python, Path(tempfile.mkdtemp(prefix="run-")), out, 29600 + 20 * number
        )
        shutil.copy(HERE / "train.py", job.work)
        began = time.monotonic()
        truth = scenario(job)
        job.clear()
        job.describe(truth, (scenario.__doc__ or name.replace("_", " ")).strip())
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        print(f"{name}: exit {job.codes}, {time.monotonic() - began:.0f} s, {size / 1000:.0f} kB", flush=True)
        shutil.rmtree(job.work)


if __name__ == "__main__":
    main()

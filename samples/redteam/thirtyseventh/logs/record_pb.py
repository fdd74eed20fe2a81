"""Run the programs of share pb again and keep the logs they leave.

``python record_pb.py OUT [CASE...]`` writes OUT/logs/CASE. Wants /tmp/pv/bin/python, root (memory cgroups) and, for
two cases, a Slurm cluster brought up by ``start-slurm start /tmp/bu_pb/s1 1``.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

HERE: Final = Path(__file__).parent / "programs"
PV: Final = "/tmp/pv/bin"
ENV: Final = {**os.environ, "PATH": f"{PV}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "PY": f"{PV}/python"}
SLURM: Final = {"SLURM_CONF": "/tmp/bu_pb/s1/etc/slurm.conf", "MUNGE_SOCKET": "/tmp/bu_pb/s1/run/munge.sock"}


def place(work: str, **files: str) -> Path:
    """A fresh folder with the programs under the names their owner gave them."""
    path = Path("/tmp/pbw") / work
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    for name, source in files.items():
        stem, _, end = name.rpartition("_")
        shutil.copy(HERE / source, path / f"{stem}.{end}")
    return path


def cgroup(name: str, limit: str) -> Callable[[], None]:
    """What a child calls to live under a memory limit."""
    group = Path("/sys/fs/cgroup/memory") / name
    group.mkdir(exist_ok=True)
    (group / "memory.limit_in_bytes").write_text(limit)
    return lambda: (group / "cgroup.procs").write_text(str(os.getpid())) and None


def l11_uplift(out: Path) -> None:
    """Out and err apart."""
    work = place("ines/churn", train_py="p11_uplift.py")
    with (out / "churn.out").open("wb") as o, (out / "churn.err").open("wb") as e:
        subprocess.run(["python", "train.py"], cwd=work, env=ENV, stdout=o, stderr=e, check=False)


def l12_tiles(out: Path) -> None:
    """A tee, under a memory limit."""
    work = place("tiles", train_ae_py="p12_tiles.py", run_sh="p12_tiles.sh")
    subprocess.run(
        ["bash", "-c", "bash run.sh 2>&1 | tee train.log"],
        cwd=work,
        env=ENV,
        check=False,
        preexec_fn=cgroup("pb_tiles", "1400M"),
        stdout=subprocess.DEVNULL,
    )
    shutil.copy(work / "train.log", out)


def l14_heads(out: Path) -> None:
    """A tee."""
    work = place("cars", train_py="p14_heads.py")
    subprocess.run(
        ["bash", "-c", "python train.py 2>&1 | tee cars.log"], cwd=work, env=ENV, check=False, stdout=subprocess.DEVNULL
    )
    shutil.copy(work / "cars.log", out)


def slurm(work: Path, script: str, out: Path) -> None:
    """A batch job and its file."""
    subprocess.run(["sbatch", "-W", script], cwd=work, env=ENV | SLURM, check=False, stdout=subprocess.DEVNULL)
    for path in work.glob("*.out"):
        shutil.copy(path, out)


def l15_cartpole(out: Path) -> None:
    """A Slurm job's file."""
    slurm(place("rl", ppo_train_py="p15_cartpole.py", job_sbatch="p15_cartpole.sbatch"), "job.sbatch", out)


def l16_grain(out: Path) -> None:
    """A nohup.out, as nohup makes it on a terminal."""
    work = place("grain", train_py="p16_grain.py")
    subprocess.run(
        ["script", "-qec", "nohup python train.py", "/dev/null"],
        cwd=work,
        env=ENV,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    shutil.copy(work / "nohup.out", out)


def wait(fd: int, mark: bytes, seconds: float) -> None:
    """Read a terminal until it shows a mark."""
    seen, until = b"", time.monotonic() + seconds
    while not seen.endswith(mark) and time.monotonic() < until:
        if select.select([fd], [], [], 0.5)[0]:
            try:
                seen += os.read(fd, 4096)
            except OSError:
                return


def l17_flow(out: Path) -> None:
    """A typescript of two runs."""
    work = place("flow", train_py="p17_flow.py")
    rc = work.parent / "flow.rc"
    rc.write_text("PS1='marta@hopper:~/flow$ '\nbind 'set enable-bracketed-paste off'\n")
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(work)
        os.execvpe("script", ["script", "-q", "-c", f"bash --rcfile {rc} -i", "typescript"], ENV)
    wait(fd, b"flow$ ", 10)
    for line, seconds in (
        ("python train.py --steps 3000 --every 500", 150),
        ("ls -l runs/flow16", 5),
        ("python train.py --steps 5000 --every 500 --resume runs/flow16/last.pt", 150),
        ("exit", 3),
    ):
        for key in line + "\r":
            os.write(fd, key.encode())
            time.sleep(0.03)
        wait(fd, b"flow$ ", seconds)
    os.waitpid(pid, 0)
    shutil.copy(work / "typescript", out)


def l18_ctc(out: Path) -> None:
    """A Slurm job's file."""
    slurm(place("asr", asr_train_py="p18_ctc.py", job_sbatch="p18_ctc.sbatch"), "job.sbatch", out)


def l19_demand(out: Path) -> None:
    """What kubectl logs --timestamps shows of a container under a memory limit."""
    work = place("app", demand_py="p19_demand.py", entrypoint_sh="p19_demand.sh")
    (work / "runs").mkdir()
    with (work / "runs/last.log").open("wb") as f:
        subprocess.run(["python", "demand.py", "--rounds", "150"], cwd=work, env=ENV, stdout=f, stderr=f, check=True)
    child = subprocess.Popen(
        ["sh", "entrypoint.sh"],
        cwd=work,
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=cgroup("pb_demand", "1500M"),
    )
    assert child.stdout
    with (out / "demand-train-7c9xq.log").open("wb") as f:
        for line in child.stdout:
            at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + f"{time.time_ns() % 1000:03d}Z "
            f.write(at.encode() + line)
    child.wait()


CASES: Final = [l11_uplift, l12_tiles, l14_heads, l15_cartpole, l16_grain, l17_flow, l18_ctc, l19_demand]


def main() -> None:
    """Record all cases, or those named."""
    root, names = Path(sys.argv[1]) / "logs", sys.argv[2:]
    for case in CASES:
        if names and case.__name__ not in names:
            continue
        out = root / case.__name__
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        case(out)
        print(case.__name__, *sorted(p.name for p in out.iterdir()), flush=True)


if __name__ == "__main__":
    main()

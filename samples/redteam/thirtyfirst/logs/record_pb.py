"""Runs the programs 13 to 20 whose logs alone are left: python -m samples.redteam.thirtyfirst.logs.record_pb OUT [CASE...]."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

HERE = Path(__file__).parent
WORK = Path("/tmp/bu_pb/work")  # where the programs live while they run
PYTHON = "/tmp/pv/bin/python"


def place(project: str, **files: str) -> Path:
    """Put the programs where their owner has them, under the names they have there."""
    folder = WORK / project
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for target, source in files.items():
        shutil.copy(HERE / "programs" / source, folder / target.replace("__", "."))
    return folder


def shell(folder: Path, line: str, **env: str) -> subprocess.Popen[bytes]:
    """A line of bash in a process group of its own."""
    return subprocess.Popen(["bash", "-c", line], cwd=folder, env=os.environ | env, start_new_session=True)


def wait_for(path: Path, text: str, count: int = 1, limit: float = 200) -> None:
    """Until a file holds a text so many times."""
    end = time.time() + limit
    while time.time() < end and (not path.exists() or path.read_text(errors="replace").count(text) < count):
        time.sleep(0.3)


def keep(out: Path, case: str, *files: Path) -> None:
    """Take the files along, as they are now."""
    for target in (HERE / "recorded" / case, out / case):
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for file in files:
            shutil.copy(file, target / file.name)


def end(proc: subprocess.Popen[bytes]) -> None:
    """End a process group that is no longer looked at."""
    if proc.poll() is None:
        os.killpg(proc.pid, signal.SIGKILL)
    proc.wait()


def l13_tambaqui(out: Path) -> None:
    """The log is copied while it goes on."""
    folder = place("tambaqui", treina__py="l13_denoiser.py")
    proc = shell(folder, f"{PYTHON} -u treina.py --epocas 60 2>&1 | tee treino.log >/dev/null")
    wait_for(folder / "treino.log", "concluída", 17)
    wait_for(folder / "treino.log", "lote  20", 18)
    keep(out, "l13_tambaqui", folder / "treino.log")
    end(proc)


def l14_parcels(out: Path) -> None:
    """Somebody sends SIGTERM while features are made; no more than the summary tells of it."""
    folder = place("parcel-eta", fit_eta__py="l14_parcels.py")
    proc = shell(
        folder, f"{{ echo $BASHPID >pid; exec {PYTHON} fit_eta.py --months 12; }} 2>&1 | tee fit_eta.log >/dev/null"
    )
    wait_for(folder / "fit_eta.log", "rolling 90th percentile of carrier")
    time.sleep(1)
    os.kill(int((folder / "pid").read_text()), signal.SIGTERM)
    proc.wait()
    keep(out, "l14_parcels", folder / "fit_eta.log")


def l15_tower(out: Path) -> None:
    """A few updates only."""
    folder = place("watertower", ppo_pump__py="l15_ppo.py")
    shell(folder, f"{PYTHON} ppo_pump.py --total-timesteps 300000 2>&1 | tee ppo_pump.log >/dev/null").wait()
    keep(out, "l15_tower", folder / "ppo_pump.log")


def l17_rivers(out: Path) -> None:
    """Three learning rates in one file; in the third, one of the processes is killed from elsewhere while validation goes on."""
    folder = place("riverlevel", rivers__py="l17_rivers.py")
    line = "for lr in 5e-4 1e-3 3e-3; do echo \"### $(date '+%a %F %T') lr=$lr\" >>rivers.log; /tmp/pv/bin/torchrun --standalone --nproc_per_node 2"
    proc = shell(
        folder,
        line + " rivers.py --lr $lr --steps 240 --eval-every 80 >>rivers.log 2>&1 || break; done",
        OMP_NUM_THREADS="1",
    )
    wait_for(folder / "rivers.log", "validating on", 8)
    time.sleep(1.5)
    for pid in psutil.pids():
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.cwd() == str(folder) and process.environ().get("LOCAL_RANK") == "1":
                process.kill()
    proc.wait()
    keep(out, "l17_rivers", folder / "rivers.log")


def l18_docking(out: Path) -> None:
    """The batch script's file is copied before the first update."""
    folder = place("dock", dock_ppo__py="l18_docking.py", dock__sbatch="l18_dock.sbatch")
    env = {
        "SLURM_JOB_ID": "918823",
        "SLURM_JOB_NAME": "dock-ppo",
        "SLURM_JOB_NODELIST": "cn117",
        "SLURM_JOB_PARTITION": "cpu-long",
        "SLURM_CPUS_PER_TASK": "4",
    }
    proc = shell(folder, "bash dock.sbatch >slurm-918823.out 2>&1", SLURM_SUBMIT_DIR=str(folder), **env)
    wait_for(folder / "slurm-918823.out", "tide 16/24")
    time.sleep(2)
    keep(out, "l18_docking", folder / "slurm-918823.out")
    end(proc)


def l19_meters(out: Path) -> None:
    """Both files are copied while it goes on."""
    folder = place("meters", leaks__py="l19_meters.py")
    proc = shell(folder, f"{PYTHON} leaks.py >leaks.out 2>leaks.err")
    wait_for(folder / "leaks.out", "remaining", 9)
    time.sleep(1)
    keep(out, "l19_meters", folder / "leaks.out", folder / "leaks.err")
    end(proc)


def l20_frames(out: Path) -> None:
    """Trained before; the newest checkpoint was cut short by a copy; then the container is started again."""
    folder = place("meteor", trainer__py="l20_frames.py", ingest__py="l20_ingest.py", start__sh="l20_start.sh")
    path = f"{Path(PYTHON).parent}:{os.environ['PATH']}"
    subprocess.run(
        [PYTHON, "trainer.py"],
        cwd=folder,
        env=os.environ | {"TOTAL_STEPS": "300"},
        stderr=subprocess.DEVNULL,
        check=True,
    )
    newest = folder / "state" / "ckpt_000300.pt"
    os.truncate(newest, newest.stat().st_size * 5 // 8 // 4096 * 4096)
    name = "3f9d0b6c2f7e4a11b5c8e0d96a7712c4de58b90f1a26c37be4d05f8893aa61e7-json.log"
    shell(folder, f"{PYTHON} {HERE}/programs/docker_lines.py {name} bash start.sh", PATH=path).wait()
    keep(out, "l20_frames", folder / name)


CASES: dict[str, Callable[[Path], None]] = {
    "l13_tambaqui": l13_tambaqui,
    "l14_parcels": l14_parcels,
    "l15_tower": l15_tower,
    "l17_rivers": l17_rivers,
    "l18_docking": l18_docking,
    "l19_meters": l19_meters,
    "l20_frames": l20_frames,
}


def main() -> int:
    """Record the cases named, or all."""
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for case in sys.argv[2:] or CASES:
        CASES[case](out)
        print(case, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

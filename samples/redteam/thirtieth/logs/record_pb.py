"""Run the log cases l13, l14, l15, l17 and l18 and keep their text: python -m samples.redteam.thirtieth.logs.record_pb OUT [CASE...]."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable

HERE = pathlib.Path(__file__).parent
WORK = pathlib.Path("/tmp/au_pb/work")
ENV = {k: v for k, v in os.environ.items() if not k.startswith("INQUEST")} | {
    "PATH": f"/tmp/pv/bin:{os.environ['PATH']}",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def place(project: str, **files: str) -> pathlib.Path:
    folder = WORK / project
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source, name in files.items():
        (path,) = (HERE / "programs").glob(source + ".*")
        shutil.copy(path, folder / name)
    return folder


def wait_for(path: pathlib.Path, text: str, process: subprocess.Popen) -> None:
    """Until text stands in the file."""
    while process.poll() is None and not (path.exists() and text in path.read_text(errors="replace")):
        time.sleep(0.2)


def end_group(process: subprocess.Popen) -> None:
    """What a lost node does to a job: everything goes at once, nothing is said."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def l13() -> list[pathlib.Path]:
    folder = place("bearing-rul", l13_turbine="train_rul.py")
    log = folder / "train_rul.log"
    process = subprocess.Popen(
        ["bash", "-c", "python train_rul.py --epochs 60 2>&1 | tee train_rul.log"],
        cwd=folder,
        env=ENV,
        start_new_session=True,
    )
    wait_for(log, "epoch  23/60", process)
    time.sleep(1.5)
    end_group(process)
    return [log]


def l14() -> list[pathlib.Path]:
    folder = place("crane", l14_crane="train_crane.py", l14_crane_job="job.sh")
    log = folder / "slurm-4471902.out"
    slurm = {
        "SLURM_JOB_ID": "4471902",
        "SLURM_JOB_NAME": "crane-ppo",
        "SLURMD_NODENAME": "c073",
        "SLURM_SUBMIT_DIR": str(folder),
    }
    with log.open("wb") as file:
        subprocess.run(["bash", "job.sh"], cwd=folder, env=ENV | slurm, stdout=file, stderr=subprocess.STDOUT)
    return [log]


def l15() -> list[pathlib.Path]:
    folder = place("kelp", l15_kelp="kelp.py", l15_kelp_sweep="sweep.sh")
    subprocess.run(
        ["bash", "-c", "nohup bash sweep.sh > nohup.out 2>&1 & wait $!"], cwd=folder, env=ENV, stdin=subprocess.DEVNULL
    )
    return [folder / "nohup.out"]


def l17() -> list[pathlib.Path]:
    folder = place("wells", l17_wells="wells.py")
    log = folder / "wells_all.log"
    loop = "for d in borken coesfeld warendorf; do echo ==== $d; python -u wells.py $d; done >> wells_all.log 2>&1"
    process = subprocess.Popen(["bash", "-c", loop], cwd=folder, env=ENV, start_new_session=True)
    wait_for(log, "==== warendorf", process)
    while process.poll() is None and log.read_text().split("==== warendorf")[1].count("Iteration") < 21:
        time.sleep(0.2)
    end_group(process)
    return [log]


def l18() -> list[pathlib.Path]:
    folder = place("claims", l18_claims="train_claims.py")
    command = (
        "accelerate launch --num_processes 1 --num_machines 1 --mixed_precision no --dynamo_backend no --cpu train_claims.py --epochs 5 "
        "2>&1 | tee run.log"
    )
    subprocess.run(["bash", "-c", command], cwd=folder, env=ENV)
    return [folder / "run.log"]


CASES: dict[str, Callable[[], list[pathlib.Path]]] = {
    "l13_turbine": l13,
    "l14_crane": l14,
    "l15_kelp": l15,
    "l17_wells": l17,
    "l18_claims": l18,
}


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        files = CASES[name]()
        for folder in (HERE / "recorded" / name, out / name):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for file in files:
                shutil.copy(file, folder / file.name)
        print(name, [f"{file.name} {file.stat().st_size}" for file in files], flush=True)


if __name__ == "__main__":
    main()

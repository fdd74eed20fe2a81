"""Runs the programs of the first ten lots whose case is a log: `python -m samples.redteam.thirtieth.logs.record_pa OUT [CASE...]`."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
PY = os.environ.get("PV_PYTHON", "/tmp/pv/bin/python")


def copy(work: pathlib.Path, *names: str) -> list[str]:
    """Programs as they lie in somebody's directory, without the case's number."""
    return [str(shutil.copy(PROGRAMS / name, work / name.split("_", 1)[1])) for name in names]


def l01_heatload(out: pathlib.Path, work: pathlib.Path) -> None:
    """Kubectl logs --timestamps of a pod whose entrypoint does several things."""
    entry, *_ = copy(work, "l01_entrypoint.sh", "l01_extract.py", "l01_fit.py")
    with open(out / f"heatload-refit-{int(time.time()) // 60}-x7kqd.log", "wb") as log:
        env = {**os.environ, "PY": PY, "WORK": str(work / "heatload")}
        cmd = f"bash {entry} 2>&1 | {sys.executable} {HERE}/stamp_pa.py"
        subprocess.run(["bash", "-c", cmd], stdout=log, env=env, check=True)


def l02_minerals(out: pathlib.Path, work: pathlib.Path) -> None:
    """Python ... | tee; somebody looks after it after a while and interrupts it."""
    path = out / "train_raman_xrd.log"
    (prog,) = copy(work, "l02_pairs.py")
    tee = subprocess.Popen(["tee", str(path)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    job = subprocess.Popen([PY, "-u", prog], cwd=work, stdout=tee.stdin, stderr=subprocess.STDOUT)
    assert tee.stdin is not None
    tee.stdin.close()
    begun = time.time()
    while job.poll() is None and time.time() - begun < 240:
        time.sleep(5)
        rows = [ln for ln in path.read_text().splitlines() if '"event": "sys"' in ln]
        if len(rows) > 8 and len({ln.split('"step": ')[1].split(",")[0] for ln in rows[-8:]}) == 1:
            job.send_signal(signal.SIGINT)
            break
    job.wait(timeout=60)
    tee.wait(timeout=10)


def l07_gauge(out: pathlib.Path, work: pathlib.Path) -> None:
    """Nohup in a terminal; it writes nohup.out by itself."""
    (prog,) = copy(work, "l07_gauge.py")
    ours, theirs = os.openpty()
    job = subprocess.Popen(
        ["nohup", PY, prog], cwd=work, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    job.wait(timeout=300)
    os.close(ours)
    shutil.copy(work / "nohup.out", out / "nohup.out")


def l08_picker(out: pathlib.Path, work: pathlib.Path) -> None:
    """A batch script, with what Slurm would put into its environment."""
    copy(work, "l08_picker.py")
    (script,) = copy(work, "l08_job.sbatch")
    slurm = {
        "SLURM_JOB_ID": "7719046",
        "SLURM_JOB_NAME": "picker",
        "SLURM_JOB_NODELIST": os.uname().nodename,
        "SLURM_JOB_PARTITION": "cpu-short",
        "SLURM_SUBMIT_DIR": str(work),
        "SLURM_CPUS_PER_TASK": "2",
        "PY": PY,
    }
    with open(out / f"slurm-{slurm['SLURM_JOB_ID']}.out", "wb") as log:
        subprocess.run(
            ["bash", script],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **slurm},
            cwd=work,
            check=False,
            timeout=300,
        )


CASES = {f.__name__: f for f in (l01_heatload, l02_minerals, l07_gauge, l08_picker)}


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        out = target / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as work:
            CASES[name](out, pathlib.Path(work))
        kept = HERE / "recorded" / name
        if kept.resolve() != out.resolve():
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(out, kept)
        print(name, sum(p.stat().st_size for p in out.iterdir()), "bytes")


if __name__ == "__main__":
    main()

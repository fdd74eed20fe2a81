"""Runs the programs of author pb whose logs are kept: record_pb.py OUT [CASE...] fills OUT/logs/CASE."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
ENV = dict(os.environ, OMP_NUM_THREADS="1", PYTHON=PYTHON)


def l14_gusts(work: Path, kept: Path) -> None:
    """Kubectl logs --timestamps: each line as the runtime stamped it when it came."""
    shutil.copy(HERE / "p14_cart.py", work / "balance.py")
    child = subprocess.Popen(
        [PYTHON, "-u", "balance.py"], cwd=work, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert child.stdout
    with open(kept / "balance-ppo-7x2kd.log", "wb") as f:
        for line in child.stdout:
            ns = time.time_ns()
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + f".{ns % 10**9:09d}Z "
            f.write(stamp.encode() + line)
    child.wait()


def l15_ditados(work: Path, kept: Path) -> None:
    """Three runs appended to one file."""
    shutil.copy(HERE / "p15_fala.py", work / "fala.py")
    with open(kept / "fala.txt", "ab") as f:
        for args in (("48", "120", "7"), ("64", "180", "7"), ("64", "180", "8")):
            subprocess.run([PYTHON, "fala.py", *args], cwd=work, env=ENV, stdout=f, stderr=subprocess.STDOUT)


def l16_looms(work: Path, kept: Path) -> None:
    """A loop over configurations, all into one file."""
    shutil.copy(HERE / "p16_looms.py", work / "looms.py")
    (work / "sweep.sh").write_text(
        "while read lr b c; do\n"
        '  echo ">>> $(date +%T) lr $lr batch $b cache $c"\n'
        "  $PYTHON -m torch.distributed.run --nproc-per-node 2 --master-port 29763 looms.py"
        " --lr $lr --batch $b --cache-kb $c </dev/null\n"
        '  echo "<<< $(date +%T) exit $?"\n'
        "done <<END\n2e-3 16 4000\n5e-3 16 4000\n5e-3 16 2400\nEND\n"
    )
    with open(kept / "sweep_all.log", "ab") as f:
        subprocess.run(["bash", "sweep.sh"], cwd=work, env=ENV, stdout=f, stderr=subprocess.STDOUT)


def l18_sherds(work: Path, kept: Path) -> None:
    """nohup.out as it was when it was copied, soon after the start; the program, still at work, is ended."""
    shutil.copy(HERE / "p18_shards.py", work / "sherds.py")
    child = subprocess.Popen(
        f"exec nohup {PYTHON} -u sherds.py < /dev/null > nohup.out 2>&1", shell=True, cwd=work, env=ENV
    )
    while child.poll() is None and b"one line after each" not in (work / "nohup.out").read_bytes():
        time.sleep(0.3)
    time.sleep(1.5)
    shutil.copy(work / "nohup.out", kept / "nohup.out")
    child.terminate()
    child.wait()


def l19_hive(work: Path, kept: Path) -> None:
    """What a batch job's script and its program wrote to slurm-%j.out."""
    shutil.copy(HERE / "p19_bees.py", work / "hive.py")
    (work / "hive.sbatch").write_text(
        "#!/bin/bash\n#SBATCH -J hive -c 2 -t 00:20:00\n"
        'echo "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, $(date)"\n'
        "time $PYTHON hive.py\n"
        'echo "hive.py returned $?"\n'
    )
    env = dict(ENV, SLURM_JOB_ID="7730418", SLURM_JOB_NODELIST="cn0417")
    with open(kept / "slurm-7730418.out", "wb") as f:
        subprocess.run(["bash", "hive.sbatch"], cwd=work, env=env, stdout=f, stderr=subprocess.STDOUT)


CASES: dict[str, Callable[[Path, Path], None]] = {
    f.__name__: f for f in (l14_gusts, l15_ditados, l16_looms, l18_sherds, l19_hive)
}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = out / "work" / name, out / "logs" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        (work / "nohup.out").touch()
        CASES[name](work, kept)
        print(f"[{name}] kept", file=sys.stderr)


if __name__ == "__main__":
    main()

"""Record the wrapped programs 11 to 20: python -m samples.redteam.thirtysecond.wrapped.record_pb OUT [CASE...]."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INQUEST = "/work/main/.venv/bin/inquest"
PYTHON = "/tmp/pv/bin/python"
JOBS = Path("/tmp/bu_pb/jobs")

# case: project folder, script's name there, command, command run beforehand without the recorder
CASES: dict[str, tuple[str, str, list[str], list[str]]] = {
    "p12_nacelle": ("vibra-fecamp", "entrainer_ae.py", [PYTHON, "entrainer_ae.py", "--latent", "32"], []),
    "p13_triage": (
        "letter-triage",
        "finetune.py",
        [PYTHON, "finetune.py", "--output_dir", "runs/b03", "--previous", "runs/b02"],
        [PYTHON, "finetune.py", "--output_dir", "runs/b02", "--pilot"],
    ),
    "p14_cortica": ("cortica", "treinar.py", [PYTHON, "treinar.py", "--epocas", "20", "--lr", "5e-3"], []),
    "p15_madrigal": (
        "madrigal-gpt",
        "train.py",
        [PYTHON, "train.py", "--steps", "36", "--batch", "2", "--ckpt-interval", "1"],
        [],
    ),
    "p18_micrograph": ("cryo-denoise", "sweep.py", [PYTHON, "sweep.py", "--nproc", "2", "--steps", "30"], []),
}

# a network of its own, with a slow link between the workers
SLOW_LINK = {
    "p18_micrograph": "ip link set lo up && tc qdisc add dev lo root tbf rate 300mbit burst 256k latency 400ms"
}


def record(out: Path, case: str) -> int:
    """Run one case under the recorder in a project folder of its own."""
    folder, script, command, before = CASES[case]
    work = JOBS / folder
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(HERE / "programs" / f"{case}.py", work / script)
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    if before:
        subprocess.run(before, cwd=work, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    target = out / case
    shutil.rmtree(target, ignore_errors=True)
    whole = [INQUEST, "run", "--out", str(target), "--", *command]
    if case in SLOW_LINK:
        whole = ["unshare", "-n", "sh", "-c", f'{SLOW_LINK[case]} && exec "$@"', "sh", *whole]
    return subprocess.run(whole, cwd=work, env=env, check=False).returncode


def main() -> None:
    """Record all cases, or those named."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for case in sys.argv[2:] or list(CASES):
        print(case, "exit", record(out, case), flush=True)


if __name__ == "__main__":
    main()

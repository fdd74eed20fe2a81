"""Runs the programs of the logs of share pb: python -m ... OUT [CASE...]."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
KEPT = Path(__file__).parent / "recorded"
PV = Path("/tmp/pv/bin")
WORK = Path("/tmp/bu_pb/work")
# program's name there, output, error output (None: the same file), seconds, signal sent by hand then (None: copied while it runs)
CASES: dict[str, tuple[str, str, str | None, float, int | None]] = {
    "l11_reservoir": ("doplyw.py", "doplyw.out", "doplyw.err", 75, signal.SIGINT),
    "l12_pole": ("rig.py", "ppo-rig.out", "ppo-rig.err", 110, None),
    "l16_micrograph": ("entrenar.py", "nohup.out", None, 190, None),
    "l20_assay": ("search.py", "search-4471.out", "search-4471.err", 100, None),
}


def record(case: str, out: Path) -> None:
    """One run; what it left goes to both places."""
    script, to, err, seconds, by_hand = CASES[case]
    folder = WORK / case[4:]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(PROGRAMS / f"{case}.py", folder / script)
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (folder / to).open("wb") as f, (folder / (err or to)).open("ab") as g:
        job = subprocess.Popen(
            [str(PV / "python"), script],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=f,
            stderr=g if err else f,
        )
        time.sleep(seconds)
        if by_hand:
            job.send_signal(by_hand)
            job.wait(60)
    for place in (KEPT / case, out / case):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for name in {to, err or to}:
            shutil.copy(folder / name, place / name)
    if job.poll() is None:
        job.kill()
    print(case, "exit", job.wait(), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore it
    for name in sys.argv[2:] or list(CASES):
        record(name, Path(sys.argv[1]))

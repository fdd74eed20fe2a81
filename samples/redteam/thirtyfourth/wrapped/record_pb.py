"""Runs the wrapped programs of share pb under the recorder: python -m ... OUT [CASE...]."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
INQUEST = "/work/main/.venv/bin/inquest"
PV = Path("/tmp/pv/bin")
WORK = Path("/tmp/bu_pb/work")


def site(folder: Path) -> None:
    """The cluster's description, and a cache file that was cut short."""
    text = {"nodes": 2, "master": "127.0.0.1", "port": 29417, "timeout_s": 70}
    (folder / "site.json").write_text(json.dumps(text))
    (folder / "cache").mkdir()
    for rank in (0, 1):
        (folder / "cache" / f"gauges_v3_{rank}.npz").write_bytes(b"PK\x03\x04\x14\x00\x00\x00\x08\x00")


def mosaic(folder: Path) -> None:
    """Another program has the lock of one mosaic for a long time."""
    (folder / "mosaics" / "half1").mkdir(parents=True)
    code = "import fcntl,time;f=open('mosaics/half1/m011.idx','a');fcntl.flock(f,fcntl.LOCK_EX);time.sleep(400)"
    HOLDERS.append(subprocess.Popen([str(PV / "python"), "-c", code], cwd=folder))


def shelf(folder: Path) -> None:
    """The export is there before the job starts."""
    subprocess.run([str(PV / "python"), "train.py", "--make", "6"], cwd=folder, check=True)


HOLDERS: list[subprocess.Popen[bytes]] = []
CASES: dict[str, tuple[dict[str, str], Callable[[Path], None] | None, list[str]]] = {
    "p13_tides": (
        {"train.py": "p13_tides.py"},
        site,
        [str(PV / "torchrun"), "--nproc-per-node", "2", "--master-port", "29531", "train.py"],
    ),
    "p14_tiles": ({"fit_cover.py": "p14_tiles.py"}, mosaic, [str(PV / "python"), "fit_cover.py"]),
    "p15_sparks": (
        {"fit.py": "p15_sparks.py", "slowctl.py": "p15_slowctl.py", "run.sh": "p15_sparks.sh"},
        None,
        ["bash", "run.sh"],
    ),
    "p17_shelf": (
        {"train.py": "p17_shelf.py"},
        shelf,
        [str(PV / "python"), "train.py", "--epochs", "6", "--log-every", "6"],
    ),
    "p18_chord": (
        {"chords.py": "p18_chord.py"},
        None,
        [str(PV / "torchrun"), "--nproc-per-node", "2", "--master-port", "29577", "chords.py"],
    ),
    "p19_canopy": ({"canopy.py": "p19_canopy.py"}, None, [str(PV / "python"), "canopy.py"]),
}


def record(case: str, out: Path) -> None:
    """One run."""
    files, prepare, command = CASES[case]
    folder = WORK / case[4:]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(out / case, ignore_errors=True)
    folder.mkdir(parents=True)
    for to, name in files.items():
        shutil.copy(PROGRAMS / name, folder / to)
    if prepare:
        prepare(folder)
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PY": str(PV / "python"), "PATH": f"{PV}:{os.environ['PATH']}"}
    with (folder / "console.txt").open("wb") as f:
        full = [INQUEST, "run", "--out", str(out / case), "--", *command]
        rc = subprocess.run(
            full, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=f, stderr=f, check=False
        ).returncode
    print(case, "exit", rc, flush=True)
    while HOLDERS:
        HOLDERS.pop().kill()


if __name__ == "__main__":
    for name in sys.argv[2:] or list(CASES):
        record(name, Path(sys.argv[1]))

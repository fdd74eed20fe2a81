"""Run the wrapped programs of this share again: record_pa.py OUT [CASE...]."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
HERE = Path(__file__).parent / "programs"


def work_dir(out: Path, name: str, **files: str) -> Path:
    work = out / "work" / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for user_name, source in files.items():
        shutil.copy(HERE / source, work / user_name.replace("__", "."))
    return work


def memory_guard(script: Path, limit_mib: int, done: threading.Event) -> None:
    """What a host's own guard does: the process above the limit is killed."""
    while not done.wait(0.4):
        for proc in Path("/proc").glob("[0-9]*"):
            try:
                words = (proc / "cmdline").read_bytes().split(b"\0")
                if not words[0].endswith(b"python") or str(script).encode() not in words[1:4] or b"--" in words:
                    continue
                rss = int((proc / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
                if rss > limit_mib:
                    os.kill(int(proc.name), signal.SIGKILL)
                    return
            except (OSError, IndexError, ValueError):
                continue


def p01_tiles(out: Path) -> list[str]:
    work = work_dir(out, "p01_tiles", fit_sheets__py="p01_tiles.py")
    (work / "labels.parquet").write_bytes(b"PAR1")
    rng = random.Random(4)
    rows = "".join(f"{i},{rng.randrange(8)}\n" for i in range(52000))
    (work / "labels.csv").write_text("pixel,cover\n" + rows)
    return [PYTHON, "-u", str(work / "fit_sheets.py")]


def p04_playlists(out: Path) -> list[str]:
    work = work_dir(out, "p04_playlists", podrec_sweep__py="p04_playlists.py")
    return [PYTHON, str(work / "podrec_sweep.py")]


def p05_leaflets(out: Path) -> list[str]:
    work = work_dir(out, "p05_leaflets", letters__py="p05_leaflets.py")
    return [PYTHON, str(work / "letters.py")]


def p06_sheets(out: Path) -> list[str]:
    work = work_dir(out, "p06_sheets", refit__py="p06_sheets.py", weekly__sh="p06_sheets.sh")
    return ["bash", str(work / "weekly.sh")]


def p09_tide(out: Path) -> list[str]:
    work = work_dir(out, "p09_tide", gauge_train__py="p09_tide.py")
    return [PYTHON, str(work / "gauge_train.py")]


CASES: dict[str, Callable[[Path], list[str]]] = {
    f.__name__: f for f in (p01_tiles, p04_playlists, p05_leaflets, p06_sheets, p09_tide)
}


def main() -> None:
    out = Path(sys.argv[1]).absolute()
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHON": PYTHON}
    for name in sys.argv[2:] or list(CASES):
        kept = out / "wrapped" / name
        shutil.rmtree(kept, ignore_errors=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        command = CASES[name](out)
        done = threading.Event()
        if name == "p01_tiles":
            script = out / "work" / name / "fit_sheets.py"
            threading.Thread(target=memory_guard, args=(script, 2300, done), daemon=True).start()
        start = time.time()
        code = subprocess.run(
            [INQUEST, "run", "--out", str(kept), "--", *command], cwd=out / "work" / name, env=env, check=False
        ).returncode
        done.set()
        print(f"{name}: {code} after {time.time() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()

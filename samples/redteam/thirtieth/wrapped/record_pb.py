"""Run the wrapped cases p11 to p20 under the recorder: python -m samples.redteam.thirtieth.wrapped.record_pb OUT [CASE...]."""

import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

HERE = pathlib.Path(__file__).parent / "programs"
WORK = pathlib.Path("/tmp/au_pb/work")
PYTHON = "/tmp/pv/bin/python"
INQUEST = "/work/main/.venv/bin/inquest"


def place(project: str, **files: str) -> pathlib.Path:
    """Lay the named programs into the project's folder, under the names they have there."""
    folder = WORK / project
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source, name in files.items():
        (path,) = HERE.glob(source + ".*")
        shutil.copy(path, folder / name)
    return folder


def record(out: pathlib.Path, folder: pathlib.Path, *command: str, env: dict[str, str] | None = None) -> int:
    shutil.rmtree(out, ignore_errors=True)
    full = {k: v for k, v in os.environ.items() if not k.startswith("INQUEST")} | {
        "PATH": f"/tmp/pv/bin:{os.environ['PATH']}"
    }
    return subprocess.run(
        [INQUEST, "run", "--out", str(out), "--", *command],
        cwd=folder,
        env=full | {"OMP_NUM_THREADS": "1"} | (env or {}),
    ).returncode


def p11(out: pathlib.Path) -> int:
    folder = place("baseflow", p11_baseflow="fit_gauges.py")
    return record(out, folder, PYTHON, "fit_gauges.py", "--data", "gauges")


def p12(out: pathlib.Path) -> int:
    folder = place("raman-sorter", p12_spectra="train_sorter.py")
    (folder / "cache").mkdir()
    whole = os.urandom(300_000)  # what a job killed while it wrote the cache left: a beginning without a directory
    (folder / "cache" / "spectra_v3.npz").write_bytes(b"PK\x03\x04\x14\x00\x00\x00\x00\x00" + whole)
    return record(out, folder, PYTHON, "train_sorter.py")


def p16(out: pathlib.Path) -> int:
    """The program runs in a memory cgroup of its own, as in a pod with a limit; the kernel ends it."""
    folder = place("hivenet", p16_hives="train.py", p16_hives_job="run.sh")
    group = pathlib.Path("/sys/fs/cgroup/memory/hivenet")
    group.mkdir(exist_ok=True)
    (group / "memory.limit_in_bytes").write_text(str(1500 << 20))
    status = record(out, folder, "bash", "run.sh")
    time.sleep(1)
    group.rmdir()
    return status


def p19(out: pathlib.Path) -> int:
    folder = place("calving", p19_glacier="fronts.py", p19_glacier_job="nightly.sh")
    return record(out, folder, "bash", "nightly.sh")


def p20(out: pathlib.Path) -> int:
    folder = place("chorale-gpt", p20_chorale="train.py")
    subprocess.run([PYTHON, "train.py", "--max_iters", "201"], cwd=folder, check=True)
    return record(out, folder, PYTHON, "train.py", "--max_iters", "1000", "--fermata", "--resume")


CASES: dict[str, Callable[[pathlib.Path], int]] = {
    "p11_baseflow": p11,
    "p12_spectra": p12,
    "p16_hives": p16,
    "p19_glacier": p19,
    "p20_chorale": p20,
}


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        start = time.time()
        status = CASES[name](out / name)
        print(f"{name}: exit {status} after {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()

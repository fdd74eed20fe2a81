"""Run the wrapped programs 11, 16, 17, 20 again: record_pb.py OUT [CASE...] fills OUT/wrapped/CASE."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
HERE = Path(__file__).resolve().parent / "programs"


def put(work: Path, source: str, name: str) -> None:
    shutil.copy(HERE / source, work / name)


def p11_abeille(work: Path, env: dict[str, str]) -> list[str]:
    put(work, "p11_abeille.py", "hive_fit.py")
    env["KERAS_BACKEND"] = "torch"
    return ["timeout", "-s", "INT", "80", PYTHON, "-u", "hive_fit.py"]


def p16_dunes(work: Path, env: dict[str, str]) -> list[str]:
    put(work, "p16_dunes.py", "dunes.py")
    (work / "profiles.npz").write_bytes(b"PK\x03\x04" + b"\0" * 300)
    return [PYTHON, "dunes.py"]


def p17_tafel(work: Path, env: dict[str, str]) -> list[str]:
    put(work, "p17_tafel.py", "slopes.py")
    env.update(BOX="0", PATIENCE="55", TORCH_CPP_LOG_LEVEL="ERROR")
    return [PYTHON, "slopes.py"]


def p20_zwilling(work: Path, env: dict[str, str]) -> list[str]:
    put(work, "p20_zwilling.py", "pairs.py")
    return ["timeout", "60", PYTHON, "pairs.py"]


CASES: dict[str, Callable[[Path, dict[str, str]], list[str]]] = {
    f.__name__: f for f in (p11_abeille, p16_dunes, p17_tafel, p20_zwilling)
}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = out / "work" / name, out / "wrapped" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
        work.mkdir(parents=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        cmd = CASES[name](work, env)
        done = subprocess.run(
            [INQUEST, "run", "--out", str(kept), "--", *cmd],
            cwd=work,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        print(name, "rc", done.returncode, flush=True)


if __name__ == "__main__":
    main()

"""Runs the wrapped programs of author pb again: record_pb.py OUT [CASE...] fills OUT/wrapped/CASE."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")


def put(work: Path, **names: str) -> None:
    """Copies programs into the work directory under the user's own file names."""
    for source, target in names.items():
        stem, ext = source.rsplit("_", 1)
        shutil.copy(HERE / f"{stem}.{ext}", work / target)


def p11_quatrains(work: Path) -> list[str]:
    put(work, p11_quatrains_py="minigpt.py")
    return [PYTHON, "-u", "minigpt.py", "--steps", "640", "--width", "96"]


def p12_pump(work: Path) -> list[str]:
    put(work, p12_pump_py="fit_multitask.py")
    return [PYTHON, "fit_multitask.py"]


def p13_glyph(work: Path) -> list[str]:
    put(work, p13_glyph_py="train_glyphs.py")
    return [PYTHON, "train_glyphs.py"]


def p17_tides(work: Path) -> list[str]:
    put(work, p17_tides_py="sweep_tides.py")
    return [PYTHON, "sweep_tides.py"]


def p20_hydro(work: Path) -> list[str]:
    put(work, p20_hydro_py="train_hydro.py", p20_hydro_sh="go.sh")
    return ["bash", "go.sh"]


CASES: dict[str, Callable[[Path], list[str]]] = {
    f.__name__: f for f in (p11_quatrains, p12_pump, p13_glyph, p17_tides, p20_hydro)
}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = out / "work" / name, out / "wrapped" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        command = CASES[name](work)
        env = dict(os.environ, OMP_NUM_THREADS="1", PYTHON=PYTHON)
        code = subprocess.run([INQUEST, "run", "--out", str(kept), "--", *command], cwd=work, env=env).returncode
        print(f"[{name}] exit {code}", file=sys.stderr)


if __name__ == "__main__":
    main()

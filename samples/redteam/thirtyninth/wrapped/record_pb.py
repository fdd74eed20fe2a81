"""Runs the programs of pb again under `inquest run`: record_pb.py OUT [CASE...]."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
ENV = {**os.environ, "PYTHON": PYTHON, "OMP_NUM_THREADS": "1"}
INTERRUPT_AFTER = {"p13_haiku": 52.0}


def put(work: Path, source: str, name: str) -> Path:
    shutil.copy(HERE / source, work / name)
    return work / name


def p12_regesta(work: Path) -> list[str]:
    put(work, "p12_regesta.py", "regesta.py")
    return [PYTHON, "regesta.py"]


def p13_haiku(work: Path) -> list[str]:
    put(work, "p13_haiku.py", "haiku.py")
    return [PYTHON, "-W", "always", "haiku.py"]


def p14_orchard(work: Path) -> list[str]:
    put(work, "p14_orchard.py", "orchard.py")
    put(work, "p14_orchard.sh", "leg2.sh")
    first = [PYTHON, "orchard.py", "--rows", "2000", "--state", "leg1/state"]
    subprocess.run(first, cwd=work, env=ENV, check=True, stdout=subprocess.DEVNULL)
    return ["bash", "leg2.sh"]


def p15_ponies(work: Path) -> list[str]:
    put(work, "p15_ponies.py", "hornpipe.py")
    put(work, "p15_ponies.sh", "node.sh")
    return ["bash", "node.sh", "2"]


def p16_spice(work: Path) -> list[str]:
    put(work, "p16_spice.py", "spice.py")
    return [PYTHON, "spice.py"]


def p18_tidal(work: Path) -> list[str]:
    put(work, "p18_tidal.py", "tidal.py")
    return ["env", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=29861", "NODE_RANK=0", PYTHON, "tidal.py"]


def p20_lichen(work: Path) -> list[str]:
    put(work, "p20_lichen.py", "lichen.py")
    put(work, "p20_lichen.sh", "queue.sh")
    return ["sh", "queue.sh"]


CASES: dict[str, Callable[[Path], list[str]]] = {
    case.__name__: case for case in (p12_regesta, p13_haiku, p14_orchard, p15_ponies, p16_spice, p18_tidal, p20_lichen)
}


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would pass on SIG_IGN
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = out / "work" / name, out / "wrapped" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
        work.mkdir(parents=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        command = [INQUEST, "run", "--out", str(kept), "--", *CASES[name](work)]
        begin = time.monotonic()
        with open(work / "screen.txt", "w") as screen:
            proc = subprocess.Popen(
                command,
                cwd=work,
                env=ENV,
                stdin=subprocess.DEVNULL,
                stdout=screen,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            if name in INTERRUPT_AFTER:
                time.sleep(INTERRUPT_AFTER[name])
                os.killpg(proc.pid, signal.SIGINT)  # Ctrl-C of a terminal goes to the whole group
            code = proc.wait()
        print(f"{name}: exit {code} after {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()

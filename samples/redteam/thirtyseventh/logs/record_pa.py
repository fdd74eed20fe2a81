"""Runs the programs of share pa again and keeps their logs: record_pa.py OUT [CASE...] writes OUT/logs/CASE."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
ENV = {
    **os.environ,
    "PYTHON": PYTHON,
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TERM": "xterm-256color",
    "SHELL": "/bin/bash",
}


def shell(work: Path, line: str) -> None:
    subprocess.run(
        ["bash", "-c", line],
        cwd=work,
        env=ENV,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def on_a_terminal(work: Path, line: str) -> None:
    (work / ".line").write_text(line + "\n")
    terminal = subprocess.Popen(
        ["script", "-qc", "bash .line", "/dev/null"],
        cwd=work,
        env=ENV,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    terminal.wait()  # its input stays open all the while: nobody types


def put(work: Path, **names: str) -> None:
    for name, source in names.items():
        base, _, suffix = name.rpartition("_")
        shutil.copy(PROGRAMS / source, work / f"{base}.{suffix}")


def l02_boost(work: Path) -> list[str]:
    put(work, ctr_py="p02_boost.py", run_sh="p02_boost.sh")
    shell(work, "bash run.sh")
    return ["ctr.log"]


def l03_cartpole(work: Path) -> list[str]:
    put(work, ppo_py="p03_cartpole.py", run_sh="p03_cartpole.sh")
    on_a_terminal(work, "nohup bash run.sh")
    return ["nohup.out"]


def l04_digits(work: Path) -> list[str]:
    put(work, digits_skorch_py="p04_digits.py")
    on_a_terminal(work, f"nohup {PYTHON} -u digits_skorch.py > nohup.out 2>&1")
    return ["nohup.out"]


def l05_ctc(work: Path) -> list[str]:
    put(work, train_ctc_py="p05_ctc.py")
    with (work / "ctc.out").open("wb") as out, (work / "ctc.err").open("wb") as err:
        child = subprocess.Popen(
            [PYTHON, "train_ctc.py"],
            cwd=work,
            env=ENV,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        time.sleep(110)
        child.send_signal(signal.SIGINT)
        child.wait()
    return ["ctc.out", "ctc.err"]


def l08_tiles(work: Path) -> list[str]:
    put(work, sweep_py="p08_tiles.py")
    archive = subprocess.Popen([PYTHON, str(PROGRAMS / "p08_tiles_archive.py"), "8817"], env=ENV)
    time.sleep(8)
    shell(work, f"{PYTHON} sweep.py > sweep.out 2> sweep.err")
    archive.kill()
    return ["sweep.out", "sweep.err"]


def l09_vestuario(work: Path) -> list[str]:
    put(work, digitos_py="p09_vestuario.py")
    on_a_terminal(work, f"stty cols 118 rows 36; script -c '{PYTHON} digitos.py' typescript")
    return ["typescript"]


CASES = {f.__name__: f for f in (l02_boost, l03_cartpole, l04_digits, l05_ctc, l08_tiles, l09_vestuario)}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or CASES:
        work = out / "work" / name.partition("_")[2]
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        logs = CASES[name](work)
        place = out / "logs" / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for log in logs:
            shutil.copy(work / log, place)
        print(name, "over", flush=True)


if __name__ == "__main__":
    main()

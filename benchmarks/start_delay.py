"""How much later a job starts under `inquest run`, and how much longer the whole command takes.

``python benchmarks/start_delay.py [N] [INQUEST]``: N interleaved rounds (default 40) of the command ``INQUEST``
(default: the console script beside this Python; dist/inquest-agent, where there is one, is measured beside it, also
with nothing unpacked yet, every fifth round). The start is when the job's own first instruction runs, told by a
clock it prints; the total is what the caller waits; the CPU time is user and system time of all processes that were
waited for. Prints the least, the lower tenth and the median in milliseconds, and the load: on a machine that others
use, only the least tells what the work itself costs. An editable installation adds some ten milliseconds of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

# date's clock is read by the job itself, at a cost that is the same in every row.
JOB = ["/bin/date", "+%s%N"]
_FIRST = "agent run, nothing unpacked"


def measure(prefix: list[str], environ: dict[str, str]) -> tuple[float, float, float]:
    """Milliseconds to the job's clock reading, to the end of the whole command, and of CPU time."""
    read, write = os.pipe()
    begin, wall = time.perf_counter_ns(), time.time_ns()
    argv = [*prefix, *JOB]
    pid = os.posix_spawn(argv[0], argv, {**os.environ, **environ}, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    with open(read, "rb") as output:
        clock = int(output.read())
    _, status, usage = os.wait4(pid, 0)
    assert status == 0
    end = time.perf_counter_ns()
    return (clock - wall) / 1e6, (end - begin) / 1e6, (usage.ru_utime + usage.ru_stime) * 1e3


def main(rounds: int, inquest: str) -> None:
    python = str(Path(inquest).absolute().with_name("python"))
    python = python if Path(python).exists() else sys.executable
    agent = Path(__file__).resolve().parent.parent / "dist" / "inquest-agent"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as out:
        ways = {
            "bare": [],
            "python -I -S, exec": [python, "-I", "-S", "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"],
            "python, exec": [python, "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"],
            "inquest run --no-recorder": [inquest, "run", "--out", out, "--no-recorder", "--"],
            "inquest run --no-fsync": [inquest, "run", "--out", out, "--no-fsync", "--"],
            "inquest run": [inquest, "run", "--out", out, "--"],
        }
        if agent.exists():
            ways["agent run --no-recorder"] = [str(agent), "run", "--out", out, "--no-recorder", "--"]
            ways[_FIRST] = ways["agent run --no-recorder"]
        seen: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ways}
        for number in range(rounds + 2):
            for name, prefix in ways.items():
                if name == _FIRST and number % 5:
                    continue
                home = f"{out}/home{number if name == _FIRST else ''}"
                result = measure(prefix, {"INQUEST_HOME": home})
                if number >= 2 or name == _FIRST:
                    seen[name].append(result)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; least, lower tenth, median of {rounds}, in ms")
    print(f"{'':28}{'start':>22}{'total':>22}{'CPU':>22}")
    for name, results in seen.items():
        cells = []
        for column in zip(*results, strict=True):
            ordered = sorted(column)
            cells.append("".join(f"{ordered[at]:7.1f}" for at in (0, len(ordered) // 10, len(ordered) // 2)))
        print(f"{name:28}" + "".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 40,
        sys.argv[2] if len(sys.argv) > 2 else str(Path(sys.executable).with_name("inquest")),
    )

"""Fuzzes all targets in turn: ``python -m tests.fuzz.run --hours 4 --jobs 2 --work DIR``.

Needs atheris (not a dependency of the project): see README.md. Writes ``DIR/report.json`` after every turn: executions,
coverage, findings, CPU and wall-clock time of each target.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path

from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]
_STATS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_COVERAGE = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)")


class Campaign:
    """What was run so far, over all turns and, where the folder was used before, over all campaigns."""

    def __init__(self, work: Path, seconds: int) -> None:
        self._work = work
        self._seconds = seconds
        self._path = work / "report.json"
        self._lock = threading.Lock()
        self._told = json.loads(self._path.read_text()) if self._path.exists() else {"targets": {}}

    def turn(self, target: str) -> None:
        """Fuzz one target for a while, and note what came of it."""
        corpus, found = self._work / "corpus" / target, self._work / "found" / target
        log = self._work / "logs" / f"{target}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tests.fuzz.one", target, "--seconds", str(self._seconds)]
        command += ["--corpus", str(corpus), "--found", str(found)]
        began = time.monotonic()
        environment = {**os.environ, "POLARS_MAX_THREADS": "1", "PYTHONHASHSEED": "0"}
        with open(log, "wb") as out:
            process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
        said = log.read_text(errors="replace")
        with self._lock:
            one = self._told["targets"].setdefault(
                target, {"turns": 0, "executions": 0, "cpu_s": 0.0, "wall_s": 0.0, "failed_turns": 0}
            )
            one["turns"] += 1
            one["cpu_s"] = round(one["cpu_s"] + usage.ru_utime + usage.ru_stime, 1)
            one["wall_s"] = round(one["wall_s"] + time.monotonic() - began, 1)
            if executed := _STATS.findall(said):
                one["executions"] += int(executed[-1])
            if covered := _COVERAGE.findall(said):
                one["edges"], one["features"], one["corpus"] = map(int, covered[-1])
            if status:
                one["failed_turns"] += 1
                log.replace(log.with_suffix(f".{one['turns']}.failed.log"))
            one["findings"] = {
                path.stem: json.loads(path.read_text())["kind"] for path in sorted(found.glob("finding-*.json"))
            }
            one["ended_by"] = (
                sorted(p.name for p in found.iterdir() if not p.name.startswith("finding-")) if found.is_dir() else []
            )
            self._told["cpu_hours"] = round(sum(t["cpu_s"] for t in self._told["targets"].values()) / 3600, 3)
            self._told["wall_hours"] = round(sum(t["wall_s"] for t in self._told["targets"].values()) / 3600, 3)
            new = self._path.with_suffix(".new")
            new.write_text(json.dumps(self._told, indent=1, sort_keys=True))
            new.replace(self._path)


def main() -> None:
    """Run a campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=4.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--turn", type=int, default=60, help="seconds a target is fuzzed before the next one")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=TARGETS)
    options = parser.parse_args()
    campaign = Campaign(options.work, options.turn)
    end = time.monotonic() + options.hours * 3600
    waiting = deque(options.only)
    lock = threading.Lock()

    def work() -> None:
        while time.monotonic() + options.turn < end:
            with lock:
                target = waiting.popleft()
                waiting.append(target)
            campaign.turn(target)

    jobs = [threading.Thread(target=work) for _ in range(options.jobs)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()


if __name__ == "__main__":
    main()

"""`make gpu-check`: real CUDA jobs under the packaged agent, verdicts beside truths, and what recording costs.

    .venv/bin/python samples/gpu/check.py [--python PYTHON-WITH-TORCH] [--keep DIR] [--pairs N] [NAME ...]

Recordings are kept as samples are, DIR/NAME/NODE/... with a truth.json, default samples/gpu/recorded. Exit codes: 0
every verdict is the truth, 1 some is not (or a job could not be recorded), 2 usage, 77 no GPU is here and nothing was
run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent.parent
AGENT: Final = ROOT / "dist" / "inquest-agent"
NODE: Final = "gpu-node"
NO_GPU: Final = 77
_ASK: Final = (
    "import torch; seen = torch.cuda.is_available(); "
    "print(torch.__version__, torch.cuda.get_device_name(0) if seen else '', sep='|')"
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A job, how it is run, and what the verdict has to be."""

    name: str
    family: str
    about: str
    steps: int
    sub_mode: str | None = None
    environment: dict[str, str] = field(default_factory=dict)
    killed_after: float | None = None
    """Seconds until the job gets SIGTERM; None: it ends by itself."""


SCENARIOS: Final = (
    Scenario("healthy", "G1", "nothing", 5000),
    Scenario("out_of_memory", "B1", "allocates an eighth of the GPU at each step of its second half", 2000),
    Scenario("launch_blocking", "D2", "CUDA_LAUNCH_BLOCKING=1", 5000, "launch_blocking", {"CUDA_LAUNCH_BLOCKING": "1"}),
    Scenario("starved_input", "D1", "each fifth step waits three seconds for its input", 150),
    Scenario("save_storm", "D2", "saves a gigabyte at every step", 60, "save_storm"),
    Scenario("idle_hang", "C3", "waits for a signal that never comes, its memory resident", 2000, killed_after=420.0),
    Scenario("nan", "E1", "weights are multiplied by 1e30 half-way", 4000),
)


def main() -> int:
    """Run the scenarios; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(each.name for each in SCENARIOS))
    parser.add_argument("--python", default=sys.executable, help="a Python that has torch with CUDA")
    parser.add_argument("--keep", type=Path, default=HERE / "recorded")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of a bare and a recorded job, for the overhead")
    args = parser.parse_args()
    known = {each.name: each for each in SCENARIOS}
    if unknown := set(args.names) - set(known):
        parser.error(f"no such job: {', '.join(sorted(unknown))}")
    torch, _, gpu = _answer(args.python)
    if not gpu:
        print(f"gpu-check: no GPU is here ({torch}), so nothing was run; on a machine with one, run it again.")
        return NO_GPU
    if not AGENT.exists():
        parser.error(f"{AGENT} is not built: run make agent")
    told = {"torch": torch, "gpu": gpu, "kernel": platform.release()}
    right = True
    for scenario in [known[name] for name in args.names] or SCENARIOS:
        code = record(scenario, args.keep / scenario.name, args.python, "cuda", told, [AGENT])
        said = verdict(args.keep / scenario.name)
        good = said["family"] == scenario.family and said["sub_mode"] in (scenario.sub_mode, None)
        right &= good
        found = f"{said['family'] or said['outcome']} {said['sub_mode'] or ''} ({said['confidence']})"
        print(f"{'right' if good else 'WRONG'}  {scenario.name}: {scenario.family} -> {found}, exit {code}", flush=True)
    if args.pairs:
        print(overhead(args.pairs, args.python))
    return 0 if right else 1


def _answer(python: str) -> tuple[str, str, str]:
    try:
        asked = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{python}: {error.strerror}", "", ""
    if asked.returncode:
        return f"{python} has no torch", "", ""
    version, bar, gpu = asked.stdout.strip().partition("|")
    return (f"torch {version} sees none" if not gpu else version), bar, gpu


def record(
    scenario: Scenario, place: Path, python: str, device: str, told: dict[str, str], agent: list[str | Path]
) -> int:
    """Record one job below ``place``, with its truth; returns its exit code (negative: the signal it died of)."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="inquest-gpu-") as work:
        job = [
            python,
            HERE / "job.py",
            scenario.name,
            "--device",
            device,
            "--steps",
            str(scenario.steps),
            "--work",
            work,
        ]
        process = subprocess.Popen(
            [*agent, "run", "--out", place, "--node", NODE, "--job-id", f"gpu-{scenario.name}", "--", *job],
            env={**os.environ, **scenario.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            code = process.wait(scenario.killed_after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            code = process.wait()
    truth = {
        "family": scenario.family,
        "sub_mode": scenario.sub_mode,
        "done_to_the_job": scenario.about,
        "exit_codes": [code],
        "nodes": [NODE],
        "ranks": 1,
        "recorded_with": told,
    }
    (place / "truth.json").write_text(json.dumps(truth, indent=2) + "\n")
    return code


def verdict(place: Path) -> dict[str, object]:
    """What inquest decides about a recording."""
    inquest = [sys.executable, "-m", "inquest"]
    with tempfile.TemporaryDirectory() as name:
        bundle = Path(name) / "job.inquest"
        quiet = {"stdout": subprocess.DEVNULL, "cwd": ROOT}
        subprocess.run([*inquest, "merge", place / NODE, "-o", bundle], check=True, **quiet)
        subprocess.run([*inquest, "analyze", bundle, "-o", name], check=False, **quiet)
        decided: dict[str, object] = json.loads((Path(name) / "verdict.json").read_text())
    return decided


def overhead(pairs: int, python: str, device: str = "cuda", steps: int = 3000, agent: Path = AGENT) -> str:
    """Median step of the same job bare and recorded with every collector, in pairs of alternating order."""
    ratios = []
    with tempfile.TemporaryDirectory(prefix="inquest-gpu-") as work:
        timings = Path(work) / "timings"
        job = [python, HERE / "job.py", "healthy", "--device", device, "--steps", str(steps)]
        job += ["--work", work, "--timings", timings]
        ways = {"bare": [], "recorded": [agent, "run", "--out", Path(work) / "rec", "--profile", "full", "--"]}
        for number in range(pairs):
            medians = {}
            for way in sorted(ways, reverse=bool(number % 2)):
                subprocess.run([*ways[way], *job], check=True, stdout=subprocess.DEVNULL)
                seconds = [float(line) for line in timings.read_text().split()]
                medians[way] = statistics.median(seconds[len(seconds) // 10 :])  # without the first, which warm up
            ratios.append(100 * (medians["recorded"] / medians["bare"] - 1))
    spread = f"{min(ratios):+.2f} to {max(ratios):+.2f}"
    return (
        f"overhead of recording with profile full: steps {statistics.median(ratios):+.2f} % ({spread}, {pairs} pairs)"
    )


if __name__ == "__main__":
    sys.exit(main())

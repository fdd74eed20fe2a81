"""What recording costs a step, within one job: it is attached to and let go again, in random order, while it trains.

    nice -n -15 .venv/bin/python benchmarks/overhead_in_turns.py [--pairs 20] [--seconds 6] [--rate 0.5]

`benchmarks/overhead.py` holds one process against another: on shared machines these differ by more than recording
costs (the memory and the core they were given). Here the process is the same. The job is that of overhead.py; a round
is three stretches of --seconds in random order: bare; under ``inquest attach --profile full`` (all probes, 8 SIMULATED
GPUs) once the probes stand; and bare again as a negative control. A stretch begins when the one before has been left
for a second. A recorded stretch is held against the mean of both bare ones of its round, the control against the other
bare one. Intervals are of 95 %, by bootstrap of the mean over rounds. CPU time is overhead.py's to tell.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from overhead import COLLECTIVES, COPIES, LAUNCHES, MOST_STEP, STEP_S, TORCH, Bench, interval
from stub_gpus.build import JOB

SETTLED_S, LONGEST_S = 3.0, 30.0
"""From the first row of calls until a recorder's own start is over; and until that row comes, at most."""
LEFT_S = 1.0
KINDS = ("bare", "recorded", "control")


def stretch(bench: Bench, kind: str, job: int, seconds: float, out: Path) -> tuple[float, float]:
    """Begin and end, on the monotonic clock, of a stretch of the job's life in which it is as ``kind`` says."""
    if kind != "recorded":
        began = time.monotonic()
        time.sleep(seconds)
        return began, time.monotonic()
    command = [sys.executable, "-m", "inquest", "attach", "--pid", str(job), "--profile", "full"]
    with (out.with_suffix(".txt")).open("wb") as said:
        recorder = subprocess.Popen(
            [*command, "--node", "bench", "--out", str(out)], env=bench.env, stdout=said, stderr=said
        )
    until = time.monotonic() + LONGEST_S
    while not list(out.glob("bench/*/cuda_calls.*")) and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(SETTLED_S)
    began = time.monotonic()
    time.sleep(seconds)
    ended = time.monotonic()
    recorder.send_signal(signal.SIGINT)
    if status := recorder.wait():
        sys.exit(f"attach ended with {status}:\n{out.with_suffix('.txt').read_text()}")
    return began, ended


def steps_in(steps: list[tuple[float, float]], between: tuple[float, float]) -> list[tuple[float, float]]:
    """The steps, each by its begin and end, that lie between two moments."""
    return [(began, ended) for began, ended in steps if between[0] <= began and ended <= between[1]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=6, help="of a stretch")
    parser.add_argument("--rate", type=float, default=0.5, help="calls of CUDA and NCCL, as a multiple of the mix")
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--python", default=TORCH, help="an interpreter that has torch: make torch")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random_ = random.Random(args.seed)
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, as overhead.py
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(folder, args.python, 1, args.width)
        bench.scale = args.rate * bench.run(recorded=False).step_s / STEP_S
        times = folder / "times"
        mix = [("--launches", LAUNCHES), ("--copies", COPIES), ("--collectives", COLLECTIVES)]
        calls = [word for option, count in mix for word in (option, str(bench.calls(count)))]
        lives = folder / "lives"
        lives.touch()
        train = [str(JOB), str(bench.library), "--train", str(args.width), "--times", str(times)]
        with (folder / "job.txt").open("wb") as log:
            job = subprocess.Popen(
                [args.python, *train, "--while-there", str(lives), *calls], env=bench.env, stdout=log, stderr=log
            )
        time.sleep(5)
        rounds: list[dict[str, tuple[float, float]]] = []
        for number in range(args.pairs):
            order = random_.sample(KINDS, len(KINDS))
            found = {}
            for kind in order:
                time.sleep(LEFT_S)
                found[kind] = stretch(bench, kind, job.pid, args.seconds, folder / f"out-{number}")
            rounds.append(found)
            print(f"\rround {number + 1} of {args.pairs}", end="", file=sys.stderr)
        print(file=sys.stderr)
        lives.unlink()
        if status := job.wait():
            sys.exit(f"the job ended with {status}:\n{(folder / 'job.txt').read_text()[-2000:]}")
        told = json.loads(times.read_text())
        steps, at = [], told["end_ns"] / 1e9
        for ns in reversed(told["ns"]):  # from one step to the next passes next to nothing
            steps.append((at - ns / 1e9, at))
            at -= ns / 1e9
        means, counted = [], []
        for number, each in enumerate(rounds):
            inside = {kind: steps_in(steps[::-1], each[kind]) for kind in KINDS}
            means.append({kind: statistics.fmean(end - begin for begin, end in inside[kind]) for kind in KINDS})
            seen = inside["recorded"]
            held = bench.launches(folder / f"out-{number}", seen[0][0], seen[-1][1])["cuLaunchKernel"]
            counted.append(held / (len(seen) * bench.calls(LAUNCHES)))
    bare = statistics.fmean(each["bare"] for each in means)
    made_a_second = bench.calls(LAUNCHES) / bare
    print(f"{args.pairs} rounds of one job, steps of {1e3 * bare:.0f} ms; {args.seconds:g} s a stretch")
    print(
        f"{made_a_second:,.0f} launches/s, {statistics.fmean(counted):.0%} of them counted (least {min(counted):.0%})"
    )
    for kind in KINDS[1:]:
        middle, low, high = interval([each[kind] / each["bare"] - 1 for each in means], random_)
        if kind == "recorded":  # both bare stretches of a round are bare: against their mean, the noise is less
            both = [each["recorded"] / statistics.fmean([each["bare"], each["control"]]) - 1 for each in means]
            middle, low, high = interval(both, random_)
        print(f"mean step, {kind:10} {middle:+7.2%}   95 % {low:+.2%} .. {high:+.2%}")
        if kind == "recorded":
            print(f"step: upper bound {high:.2%}, {'within' if high < MOST_STEP else 'NOT within'} {MOST_STEP:.0%}")


if __name__ == "__main__":
    main()

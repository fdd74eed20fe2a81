"""What recording costs a training job: the same job bare and recorded, in pairs, in random order.

    nice -n -15 .venv/bin/python benchmarks/overhead.py [--pairs 20] [--seconds 5] [--ranks 1] [--rate 1] [--json FILE]

The job is real and trains in torch on the CPU, one thread a rank (``--ranks 2``: torchrun and gloo). In each step it
also calls the stub libraries of the tests as a GPU job calls CUDA and NCCL: 2,000 launches, 50 copies, 40 collectives
every 0.3 s. It is recorded with ``--profile full``: real probes (root), and 8 stub GPUs (SIMULATED).

Each round runs it three times: bare, recorded, and bare again as a negative control; 20 rounds take some 12 minutes.
Steps are timed by the job; those of the first seconds, in which probes come to stand, do not count. Printed are the
increase of the mean and of the median step, pair by pair, and our CPU time as a share of the job's in the bare run
beside it: processes of ours while the steps that count run, by the kernel's own clock of each, with what the job's
threads spend in probes (calls times nanoseconds of a call, measured here first). Intervals are of 95 %, by bootstrap of
the mean over pairs. Start and end of a recording cost a fixed sum, which is told apart and spread over ten minutes and
an hour: a run here is far shorter than any job. On a machine that others use, the interval of the control says what the
figures are worth.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stub_gpus.build import HERE, JOB, build, environment

from inquest.bundle.recovery import recover
from inquest.capture.ebpf import session

TORCH = str(Path(__file__).resolve().parents[1] / "build" / "torch" / "bin" / "python")
STEP_S, LAUNCHES, COPIES, COLLECTIVES = 0.3, 2000, 50, 40
"""The mix of calls, for a step of that length; scaled to what a step takes here."""
MALLOCS, WAITS = 4, 5
"""Further calls of a step (stub_gpus/step.c): timed ones, the driver's under cudart's counted too."""
MOST_CPU, MOST_STEP = 0.01, 0.02
LENGTHS_S = {"10 min": 600, "1 h": 3600}
"""Jobs of these lengths are told what start and end cost."""
BARE_WARM_UP_S = 1.5
"""Nothing comes to stand in a bare run: its first steps are left out for what torch does in them."""
_RESAMPLES = 10_000
_STOOD = 0.95
"""Share of the calls that a recording must hold for its figures to be of a job under probes."""


@dataclass
class Run:
    """One run of the job.

    Attributes:
        step_s: Mean of its steps, after the warm-up.
        median_s: Median of them.
        job_cores: CPU seconds a second that all ranks take in these steps, by the first of them.
        step_cpu_s: CPU seconds of a step of one rank; probes are paid there.
        our_cpu_s: CPU time of all processes that are not the job's, from start to end.
        our_cores: The same a second in the steps that count; None in a bare run.
        took_s: How long the job ran.
        counted: Share of the launches made in the steps that count which the recording holds.
        probed: Probed launches a second in these steps: the driver's, and the runtime's where they are counted too.
        in_turns: Launches were counted in turns for what that cost, as the recording says
            (capture/collectors/cuda_calls.py).
    """

    step_s: float
    median_s: float
    job_cores: float
    step_cpu_s: float
    our_cpu_s: float
    took_s: float
    our_cores: float | None = None
    counted: float | None = None
    probed: float = 0.0
    in_turns: bool = False


class Bench:
    """The job, and how it is run."""

    def __init__(self, folder: Path, python: str, ranks: int, width: int) -> None:
        self.library = build(folder)
        (folder / "gpus.txt").write_text("* gpus 8\n")
        self.folder, self.python, self.ranks, self.width = folder, python, ranks, width
        self.env = environment(folder, folder / "gpus.txt") | {"OMP_NUM_THREADS": "1"}
        self.steps, self.scale, self._number = 8, 1.0, 0
        self.warm_up = {True: 4, False: 4}
        """Steps that do not count, by whether the run is recorded."""

    def calls(self, count: int) -> int:
        """So many calls of the mix, for a step as long as it is here."""
        return round(count * self.scale)

    def run(self, *, recorded: bool) -> Run:
        """Run the job once, and wait until nothing of it or us is left."""
        self._number += 1
        times, usage, out = (self.folder / f"{kind}-{self._number}" for kind in ("times", "usage", "out"))
        calls = [("--launches", LAUNCHES), ("--copies", COPIES), ("--collectives", COLLECTIVES)]
        mix = [word for option, count in calls for word in (option, str(self.calls(count)))]
        warm_up = self.warm_up[recorded]
        train = ["--train", str(self.width), "--steps", str(warm_up + self.steps), "--times", str(times), *mix]
        starter = [self.python]
        if self.ranks > 1:
            starter = [
                str(Path(self.python).with_name("torchrun")),
                "--standalone",
                "--nproc-per-node",
                str(self.ranks),
            ]
        command = [self.python, "-I", "-S", str(HERE / "account.py"), str(usage), *starter, str(JOB), str(self.library)]
        command += train
        if recorded:
            ours = [sys.executable, "-m", "inquest", "run", "--profile", "full", "--node", "bench", "--out", str(out)]
            command = [*ours, "--", *command]
        began = time.monotonic()
        with Watch() as watch:
            process = subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            assert process.stderr is not None
            said = process.stderr.read().decode(errors="replace")
            total, status = reap(process.pid)
        if status:
            sys.exit(f"the job ended with {status}:\n{said[-2000:]}")
        job, told = json.loads(usage.read_text()), json.loads(times.read_text())
        took_s = told["end_ns"] / 1e9 - began
        steps = [took / 1e9 for took in told["ns"][warm_up:]]
        cpu_s = (told["cpu_ns"][-1] - told["cpu_ns"][warm_up]) / 1e9
        run = Run(
            statistics.mean(steps),
            statistics.median(steps),
            self.ranks * cpu_s / sum(steps[:-1]),
            cpu_s / (len(steps) - 1),
            total - job["cpu_s"],
            took_s,
        )
        if recorded:
            end_s = told["end_ns"] / 1e9
            run.our_cores = watch.cores(end_s - sum(steps), end_s)
            launches = self.launches(out, end_s - sum(steps), end_s)
            made = len(steps) * self.ranks * self.calls(LAUNCHES)
            run.counted = launches["cuLaunchKernel"] / made if made else 1.0
            run.probed = launches.total() / sum(steps)
            run.in_turns = self._in_turns(out)
        return run

    @staticmethod
    def _in_turns(out: Path) -> bool:
        """Whether the recording says that launches were counted in turns."""
        rows = (row for table, batch in recover(out / "bench") if table == "collection" for row in batch.to_pylist())
        return any("launches counted in turns" in (row["detail"] or "") for row in rows)

    @staticmethod
    def launches(out: Path, since_s: float, end_s: float) -> Counter[str]:
        """Launches between these moments that the recording holds, by function.

        A row tells of an interval: of the one in which the steps that count began, their part is taken.
        """
        found: Counter[str] = Counter()
        for table, batch in recover(out / "bench"):
            if table == "cuda_calls":
                for row in batch.select(["ts_mono_ns", "duration_ns", "api", "count"]).to_pylist():
                    until_s, from_s = row["ts_mono_ns"] / 1e9, (row["ts_mono_ns"] - row["duration_ns"]) / 1e9
                    made_in_s = min(until_s, end_s) - from_s
                    if "Launch" in row["api"] and row["count"] and until_s > since_s and made_in_s > 0:
                        share = min(1.0, (min(until_s, end_s) - since_s) / made_in_s)
                        found[row["api"]] += row["count"] * share
        return found

    def probe_cores(self, costs: Any, step_s: float, probed: float) -> float:
        """CPU seconds a second that all ranks together spend in probes; ``probed``: launches a second under probes."""
        timed = self.ranks * (self.calls(COPIES) + MALLOCS + WAITS + self.calls(COLLECTIVES)) / step_s
        return float(probed * costs.counted_ns + timed * costs.timed_ns) / 1e9


class Watch:
    """Looks once a second at the CPU time of all processes below this one, those of the job left out."""

    def __enter__(self) -> Watch:
        self.seen: list[tuple[float, float]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def cores(self, since_s: float, until_s: float) -> float | None:
        """CPU seconds a second between two moments on the monotonic clock."""
        inside = [(when, cpu) for when, cpu in self.seen if since_s <= when <= until_s]
        if len(inside) < 2:
            return None
        return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])

    def _look(self) -> None:
        while not self._over.wait(1.0):
            self.seen.append((time.monotonic(), sum(map(_cpu_s, _ours(os.getpid())))))


def _ours(top: int) -> list[int]:
    """All processes below ``top`` but for the job and what is below that."""
    found, waiting = [], [top]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            try:
                children = [int(pid) for pid in task.read_text().split()]
                ours = [pid for pid in children if not _is_job(pid)]
            except OSError:
                continue
            found += ours
            waiting += ours
    return found


def _is_job(pid: int) -> bool:
    """Whether a process is the one that starts the job; ours have its command line at the end of theirs."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return len(words) > 3 and words[3].endswith(b"/account.py")


def _cpu_s(pid: int) -> float:
    """By the clock of the process (clock_getcpuclockid(3)): /proc counts in ticks, of which there are few a second."""
    try:
        return time.clock_gettime_ns(~pid << 3 | 2) / 1e9
    except OSError:
        return 0.0


def reap(command: int) -> tuple[float, int]:
    """Wait for all that is below this process; CPU seconds of all of it, and how ``command`` ended."""
    total, ended = 0.0, 0
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return total, ended
        total += usage.ru_utime + usage.ru_stime
        if pid == command:
            ended = os.waitstatus_to_exitcode(status)


def interval(values: list[float], random_: random.Random) -> tuple[float, float, float]:
    """Mean, and the bounds of its 95 % bootstrap interval."""
    means = sorted(statistics.fmean(random_.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return statistics.fmean(values), means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=5, help="of steps that count, in each run")
    parser.add_argument(
        "--warm-up", type=float, default=4, help="seconds of steps before, in which probes come to stand"
    )
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument(
        "--rate", type=float, default=1, help="calls of CUDA and NCCL, as a multiple of the mix; 0: none"
    )
    parser.add_argument("--width", type=int, default=320, help="of the model: 320 makes steps of some 0.2 s")
    parser.add_argument("--python", default=TORCH, help="an interpreter that has torch: make torch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what outlives its parent is ours to wait for
    random_ = random.Random(args.seed)
    began, load = time.monotonic(), os.getloadavg()[0]
    why_not = session.why_not()
    costs = None if why_not else session.shared().costs()
    runs: dict[str, list[Run]] = {"bare": [], "recorded": [], "control": []}
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), args.python, args.ranks, args.width)
        step_s = bench.run(recorded=False).step_s
        bench.warm_up = {True: round(args.warm_up / step_s), False: round(BARE_WARM_UP_S / step_s)}
        bench.scale, bench.steps = args.rate * step_s / STEP_S, max(4, round(args.seconds / step_s))
        for number in range(args.pairs):
            order = list(runs)
            random_.shuffle(order)
            for kind in order:
                runs[kind].append(bench.run(recorded=kind == "recorded"))
            print(f"\rround {number + 1} of {args.pairs}, {time.monotonic() - began:.0f} s", end="", file=sys.stderr)
        print(file=sys.stderr)
        found = results(bench, costs, runs, random_)
    found |= {
        "load_before": load,
        "load_after": os.getloadavg()[0],
        "no_ebpf": why_not,
        "took_s": time.monotonic() - began,
    }
    show(found, args.ranks)
    if args.json:
        runs_told = {kind: [asdict(run) for run in each] for kind, each in runs.items()}
        args.json.write_text(json.dumps({**found, "runs": runs_told}, indent=2) + "\n")


def results(bench: Bench, costs: Any, runs: dict[str, list[Run]], random_: random.Random) -> dict[str, Any]:
    """What the runs say, by name."""

    def increase(of: str, attribute: str) -> tuple[float, float, float]:
        pairs = zip(runs["bare"], runs[of], strict=True)
        return interval([getattr(b, attribute) / getattr(a, attribute) - 1 for a, b in pairs], random_)

    pairs = [(bare, run) for bare, run in zip(runs["bare"], runs["recorded"], strict=True) if run.our_cores is not None]
    if not pairs:
        sys.exit("no recorded run was long enough to measure our CPU time in: ask for more --seconds")
    recorded = [run for _, run in pairs]
    step_s = statistics.mean(run.step_s for run in runs["bare"])
    probes = [0.0 if costs is None else bench.probe_cores(costs, run.step_s, run.probed) for run in recorded]
    job = statistics.mean(run.job_cores for run in runs["bare"])
    ours = [run.our_cores or 0.0 for run in recorded]
    spent = [(own + probe) / bare.job_cores for own, probe, (bare, _) in zip(ours, probes, pairs, strict=True)]
    fixed = statistics.mean(run.our_cpu_s - own * run.took_s for own, run in zip(ours, recorded, strict=True))
    return {
        "pairs": len(runs["bare"]),
        "step_ms": 1e3 * step_s,
        "steps_a_run": bench.steps,
        "calls_a_second": bench.ranks * bench.calls(LAUNCHES) / step_s,
        "in_turns": sum(run.in_turns for run in recorded),
        "call_costs_ns": None if costs is None else costs.counted_ns,
        "calls_counted": statistics.mean(run.counted or 0.0 for run in recorded),
        "step_increase": increase("recorded", "step_s"),
        "step_increase_median": increase("recorded", "median_s"),
        "control": increase("control", "step_s"),
        "control_median": increase("control", "median_s"),
        "step_cpu_increase": increase("recorded", "step_cpu_s"),
        "step_cpu_control": increase("control", "step_cpu_s"),
        "job_cores": job,
        "our_cores": interval(ours, random_),
        "probe_cores": statistics.mean(probes),
        "fixed_cpu_s": fixed,
        "cpu_share": interval(spent, random_),
        "cpu_share_of": {name: statistics.mean(spent) + fixed / length / job for name, length in LENGTHS_S.items()},
    }


def show(found: dict[str, Any], ranks: int) -> None:
    """The table."""

    def share(name: str) -> str:
        middle, low, high = found[name]
        return f"{middle:+8.2%}   95 % {low:+.2%} .. {high:+.2%}"

    def limit(title: str, name: str, most: float) -> str:
        bound = found[name][2]
        return f"{title}: upper bound {bound:.2%}, {'within' if bound < most else 'NOT within'} {most:.0%}"

    print(
        f"{found['pairs']} pairs, {ranks} rank(s), {found['steps_a_run']} steps of {found['step_ms']:.0f} ms a run; "
        f"{found['calls_a_second']:,.0f} launches/s, {found['calls_counted']:.0%} of them counted"
    )
    print(f"load {found['load_before']:.1f} before, {found['load_after']:.1f} after (the job's own included)")
    if found["no_ebpf"]:
        print(f"NO PROBES: {found['no_ebpf']}")
    elif found["in_turns"]:
        cost = f"at {found['call_costs_ns']} ns a call here; all else was counted (--rate for fewer)"
        print(f"launches were counted in turns for their cost in {found['in_turns']} of the runs, {cost}")
    elif found["calls_counted"] < _STOOD:
        print("NOT VALID: the probes did not stand while steps were timed; the machine is too busy (--warm-up)")
    print(f"mean step, recorded          {share('step_increase')}")
    print(f"mean step, control           {share('control')}")
    print(f"median step, recorded        {share('step_increase_median')}")
    print(f"median step, control         {share('control_median')}")
    print(f"CPU of a step, recorded      {share('step_cpu_increase')}")
    print(f"CPU of a step, control       {share('step_cpu_control')}")
    print(f"job                          {found['job_cores']:8.3f} cores")
    middle, low, high = found["our_cores"]
    print(f"our processes, at rest       {middle:8.4f} cores   95 % {low:.4f} .. {high:.4f}")
    print(f"probes, in the job's threads {found['probe_cores']:8.4f} cores")
    print(f"both, of the job's CPU       {share('cpu_share')}")
    print(f"our start and end, once      {found['fixed_cpu_s']:8.2f} CPU-s")
    for name, of_all in found["cpu_share_of"].items():
        print(f"all, of a job of {name:12}{of_all:8.2%}")
    print(limit("step", "step_increase", MOST_STEP))
    print(limit("CPU", "cpu_share", MOST_CPU))
    print(f"took {found['took_s']:.0f} s")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()

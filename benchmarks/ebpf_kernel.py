"""What the programs on the kernel's own events cost whoever runs on the node, against the same work without them.

    .venv/bin/python benchmarks/ebpf_kernel.py [--rounds N]

Root, Linux with eBPF. CPU time is compared, not wall time, so a busy machine may be measured. Each line is a median
over interleaved rounds. "busy node" sets the cost of one event against the rate of events measured on this machine
during the benchmark: what a second of it pays.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from inquest.capture.collector import Context
from inquest.capture.collectors.process_life import ProcessLife
from inquest.capture.collectors.sched import Sched
from inquest.capture.collectors.writes import Writes
from inquest.capture.ebpf import session

if TYPE_CHECKING:
    from collections.abc import Callable

    from inquest.capture.collector import Collector

SWITCHES = 60_000
CALLS = 400_000
CHILDREN = 300

SWITCH = f"""
import os
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
there, back = os.pipe(), os.pipe()
child = os.fork()
read, write = (there[0], back[1]) if child == 0 else (back[0], there[1])
for _ in range({SWITCHES // 2}):
    if child:
        os.write(write, b"x"); os.read(read, 1)
    else:
        os.read(read, 1); os.write(write, b"x")
if child: os.wait()
"""
CALL = f"""
import os
call = os.getppid
for _ in range({CALLS}): call()
"""
WRITE = f"""
import os
null, text, write = 1, b"step 12345 loss 1.2345 grad_norm 0.5\\n", os.write
for _ in range({CALLS}): write(null, text)
"""
FORK = f"""
import os
for _ in range({CHILDREN}):
    if not (child := os.fork()): os._exit(0)
    os.waitpid(child, 0)
"""


def cpu_s(code: str, *, tracked: bool) -> float:
    """CPU seconds, user and system, of a Python process with all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    gate = "import sys; sys.stdin.readline()\n"
    job = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", gate + code], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    if tracked:
        session.shared().tracked.put(struct.pack("<I", job.pid), struct.pack("<I", 1))
    job.communicate(b"\n")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def attached(kind: Callable[[], Collector], ctx: Context) -> Collector:
    """A collector whose programs stand."""
    collector = kind()
    for _ in collector.start(ctx):
        pass
    return collector


def compare(code: str, events: int, kind: Callable[[], Collector], rounds: int) -> dict[str, float]:
    """Nanoseconds of CPU an event costs: without programs; with them, for others; and for a process of the job."""
    ctx = Context(
        capture_dir=Path(tempfile.mkdtemp()),
        node="bench",
        boot_id="",
        child_pid=os.getpid(),
        began_mono_ns=time.monotonic_ns(),
        environ={},
    )
    seen: dict[str, list[float]] = {name: [] for name in ("without", "others", "job")}
    for _ in range(rounds):
        seen["without"].append(cpu_s(code, tracked=False))
        collector = attached(kind, ctx)
        session.shared().tracked.delete(struct.pack("<I", os.getpid()))
        seen["others"].append(cpu_s(code, tracked=False))
        seen["job"].append(cpu_s(code, tracked=True))
        for _batch in collector.stop(ctx):
            pass
    # The least of several: whatever else the machine does can only add.
    return {name: min(seconds) / events * 1e9 for name, seconds in seen.items()}


def node_switches_per_s() -> float:
    """Context switches of this node just now, all CPUs together."""

    def count() -> int:
        lines = Path("/proc/stat").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("ctxt "))

    first, begin = count(), time.monotonic()
    time.sleep(2)
    return (count() - first) / (time.monotonic() - begin)


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--rounds", type=int, default=5)
    rounds = arguments.parse_args().rounds
    if (reason := session.why_not()) is not None:
        sys.exit(f"no eBPF here: {reason}")
    cases = (
        ("sched: one context switch", SWITCH, SWITCHES, Sched),
        ("life: one fork and exit", FORK, CHILDREN, ProcessLife),
        ("writes: one call that is no write", CALL, CALLS, Writes),
        ("writes: one write of a line", WRITE, CALLS, Writes),
    )
    print(f"{'ns of CPU':36}{'without':>10}{'others +':>10}{'job +':>10}")
    found = {}
    for title, code, events, kind in cases:
        ns = found[title] = compare(code, events, kind, rounds)
        print(
            f"{title:36}{ns['without']:10.0f}{ns['others'] - ns['without']:+10.0f}{ns['job'] - ns['without']:+10.0f}",
            flush=True,
        )
    rate, ns = node_switches_per_s(), found[cases[0][0]]
    cost = statistics.mean([ns["others"], ns["job"]]) - ns["without"]
    cpus = os.cpu_count() or 1
    print(
        f"busy node: {rate:,.0f} switches/s on {cpus} CPUs, load {os.getloadavg()[0]:.1f}: sched costs "
        f"{rate * cost / 1e9 * 1000:.2f} ms of CPU a second, {rate * cost / 1e9 / cpus:.3%} of the node"
    )
    limit = 0.01 * 1e9 / max(1.0, ns["job"] - ns["without"])
    print(f"one CPU pays 1 % at {limit:,.0f} switches a second of the job's own")


if __name__ == "__main__":
    main()

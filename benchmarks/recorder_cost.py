"""What recording costs beside an idle command, with eight stub GPUs sampled at 1 Hz.

    .venv/bin/python benchmarks/recorder_cost.py [--seconds 600] [--gpus 8]

Prints utime+stime of all inquest processes of one `inquest run` as a share of one core (start-up and end apart from
the steady state), the peak resident memory of each and what they hold together, the bytes on disk, and the cost of
each collector. The GPUs are SIMULATED by tests/capture/nvml_stub; everything else is real.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from inquest.bundle.recovery import recover

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "tests/capture/nvml_stub/nvml_stub.c"
_TICK = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for parent in found:
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except OSError:
            continue
        found += [int(child) for child in children]
    return found


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and of those it has waited for; 0 when it has gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / _TICK


def pss_mib(pid: int) -> float:
    """Memory of a process now, each shared page divided by those who share it."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(rollup.partition("\nPss:")[2].split()[0]) / 1024


def peak_mib(pid: int) -> tuple[str, float]:
    status = Path(f"/proc/{pid}/status").read_text()
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    name = "recorder" if "recorder" in command else status.split()[1]
    return name, int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--gpus", type=int, default=8)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", tmp / "libnvidia-ml.so.1", STUB], check=True)
        (tmp / "stub.txt").write_text(f"* gpus {args.gpus}\n")
        env = os.environ | {"LD_LIBRARY_PATH": str(tmp), "INQUEST_NVML_STUB": str(tmp / "stub.txt")}
        job = ["sleep", str(args.seconds + 3)]
        command = [sys.executable, "-m", "inquest", "run", "--out", str(tmp / "out"), "--node", "bench", "--", *job]
        wrapper = subprocess.Popen(command, env=env)
        time.sleep(3)
        ours = [pid for pid in tree(wrapper.pid) if Path(f"/proc/{pid}/comm").read_text() != "sleep\n"]
        start, began = sum(map(cpu_seconds, ours)), time.monotonic()
        time.sleep(args.seconds - 1)
        ours = [pid for pid in tree(wrapper.pid) if Path(f"/proc/{pid}/comm").read_text() != "sleep\n"]
        spent, seconds = sum(map(cpu_seconds, ours)) - start, time.monotonic() - began
        peaks = [peak_mib(pid) for pid in ours]
        together = sum(map(pss_mib, ours))
        wrapper.wait()
        while any(Path(f"/proc/{pid}").exists() for pid in ours):
            time.sleep(0.01)
        (capture,) = (tmp / "out" / "bench").iterdir()
        size = sum(path.stat().st_size for path in capture.iterdir())
        costs: dict[str, dict[str, Any]] = {}
        for table, batch in recover(Path(capture).parent):
            if table == "collection":
                costs |= {row["collector"]: row for row in batch.to_pylist()}
    print(f"GPUs (stub)       {args.gpus}")
    print(f"start-up          {start:.2f} CPU-s in the first 3 s")
    print(f"steady state      {100 * spent / seconds:.2f} % of a core over {seconds:.0f} s")
    print(f"peak memory       {', '.join(f'{name} {peak:.0f} MiB' for name, peak in peaks)}")
    print(f"memory together   {together:.0f} MiB at the end, shared pages counted once")
    print(f"node directory    {size} bytes")
    for collector, row in costs.items():
        if row["cpu_ns"] is not None:
            row = {key: row[key] for key in ("outcome", "rows", "drops", "bytes", "cpu_ns")}
            print(f"  {collector:12s} {json.dumps(row)}")


if __name__ == "__main__":
    main()

"""What the recorder costs beside an idle command, with eight stub GPUs sampled at 1 Hz.

    .venv/bin/python benchmarks/recorder_cost.py [--seconds 60] [--gpus 8]

Prints utime+stime of the recorder as a share of one core (start-up and end apart from the steady state), its peak
resident memory, the bytes it wrote, and the cost of each collector. The GPUs are SIMULATED by
tests/capture/nvml_stub; the recorder, pynvml and everything else is real.
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

from inquest.bundle import nodedir
from inquest.bundle.recovery import recover

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "tests/capture/nvml_stub/nvml_stub.c"
_TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def peak_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--gpus", type=int, default=8)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", tmp / "libnvidia-ml.so.1", STUB], check=True)
        (tmp / "stub.txt").write_text(f"* gpus {args.gpus}\n")
        capture = nodedir.create_capture(tmp / "out", "bench")
        env = os.environ | {"LD_LIBRARY_PATH": str(tmp), "INQUEST_NVML_STUB": str(tmp / "stub.txt")}
        child = subprocess.Popen(["sleep", str(args.seconds + 3)])
        recorder = subprocess.Popen(
            [sys.executable, "-m", "inquest.capture.recorder", capture, str(child.pid)], env=env
        )
        time.sleep(3)
        start, began = cpu_seconds(recorder.pid), time.monotonic()
        time.sleep(args.seconds - 1)
        spent, seconds = cpu_seconds(recorder.pid) - start, time.monotonic() - began
        peak = peak_mib(recorder.pid)
        child.wait()
        ended = time.monotonic()
        recorder.wait()
        lag = time.monotonic() - ended
        size = sum(path.stat().st_size for path in Path(capture).iterdir())
        costs = {}
        for table, batch in recover(Path(capture).parent):
            if table == "collection":
                costs |= {row["collector"]: row for row in batch.to_pylist()}
    print(f"GPUs (stub)       {args.gpus}")
    print(f"start-up          {start:.2f} CPU-s in the first 3 s")
    print(f"steady state      {100 * spent / seconds:.2f} % of a core over {seconds:.0f} s")
    print(f"peak memory       {peak:.0f} MiB")
    print(f"left after job    {lag:.2f} s")
    print(f"node directory    {size} bytes")
    for collector, row in costs.items():
        if row["cpu_ns"] is not None:
            row = {key: row[key] for key in ("outcome", "rows", "drops", "bytes", "cpu_ns")}
            print(f"  {collector:12s} {json.dumps(row)}")


if __name__ == "__main__":
    main()

"""The reference run, and how many series of signals it holds: two nodes of eight stub GPUs, eight ranks each.

    .venv/bin/python benchmarks/reference_run.py [--seconds 40] [--keep JOB.inquest] [--json]

Really recorded here: two recorders under two node names and boot ids, real probes where eBPF may be used (root), real
/proc, kernel log and clocks. SIMULATED are the GPUs (tests/capture/nvml_stub) and what CUDA and NCCL do when called
(tests/capture/ebpf/stubs). A series counts from its second sample on; those that stand on a stub are told apart.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from stub_gpus.nodes import Mix, run

LIMIT = 12_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--ranks", type=int, default=8, help="of each node")
    parser.add_argument("--keep", type=Path, metavar="JOB.inquest")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    inquest = [sys.executable, "-m", "inquest"]
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name), Path(name) / "out"
        run(out, folder, Mix(args.seconds), nodes=args.nodes, gpus=args.gpus, ranks=args.ranks)
        bundle = args.keep or folder / "job.inquest"
        subprocess.run(
            [*inquest, "merge", out, "-o", bundle, "--force"], check=True, stdout=subprocess.DEVNULL, stderr=sys.stderr
        )
        if args.json:
            subprocess.run([*inquest, "signals", bundle, "--json"], check=True)
            return
        subprocess.run([*inquest, "signals", bundle], check=True)
        told = subprocess.run([*inquest, "signals", bundle, "--json"], check=True, capture_output=True)
    totals = json.loads(told.stdout)
    real = totals["expanded"] - totals["stub"]
    print(f"{totals['expanded']:,} series with parts, {totals['stub']:,} of a stub, {real:,} real (wanted: {LIMIT:,})")


if __name__ == "__main__":
    main()

"""What the layout of a bundle costs: footers, padding, manifest, and the time and memory of a merge.

    python benchmarks/footer.py [--nodes 512] [--gpus 8] [--seconds 60] [--keep DIR]

Writes SIMULATED node directories through the real journal, merges them in a process of its own, and prints one line a
measurement. Nothing here was recorded on a GPU.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECOND = 1_000_000_000
WALL = 1_700_000_000 * SECOND


def simulate(out: Path, number: int, gpus: int, seconds: int) -> None:
    from inquest.bundle import nodedir
    from inquest.bundle.journal import Journal

    chance = random.Random(number)
    node = f"gpu{number:04d}"
    directory = nodedir.create_capture(out, node, fsync=False, facts={"simulated": True})
    identity = json.loads((Path(directory) / "node.json").read_text())
    journal = Journal(directory, identity["capture"], node, identity["boot_id"], fsync=False)
    uuids = [f"GPU-{number:08x}-{gpu:04x}" for gpu in range(gpus)]
    journal.append("node_info", [{"ts_mono_ns": 0, "hostname": node, "gpus": gpus, "simulated": True}])
    journal.append("collection", [{"ts_mono_ns": 0, "collector": c, "outcome": "ok"} for c in ("host", "gpu", "net")])
    environment = json.dumps({"SLURM_JOB_NODELIST": "gpu[0000-0511]"})
    for gpu in range(gpus):
        rank = {"rank": number * gpus + gpu, "world_size": 512 * gpus, "job_id": "1", "env": environment}
        journal.append("processes", [{"ts_mono_ns": 0, "event": "start", "pid": 1000 + gpu, **rank}])
    energy = [0] * gpus
    for tick in range(seconds):
        mono = tick * SECOND + chance.randrange(1_000_000)
        rows = []
        for gpu in range(gpus):
            power = chance.gauss(550, 40)
            energy[gpu] += int(power * 1000)
            rows.append(
                {
                    "ts_mono_ns": mono + gpu * 1000,
                    "gpu_uuid": uuids[gpu],
                    "gpu_index": gpu,
                    "fb_used_bytes": 70 << 30,
                    "fb_total_bytes": 80 << 30,
                    "engine_active": round(chance.random(), 2),
                    "sm_active": round(chance.random(), 4),
                    "power_w": round(power, 3),
                    "energy_mj": energy[gpu],
                    "temp_core_c": chance.randrange(55, 65),
                    "sm_clock_mhz": 1980,
                    "throttle_reasons": 0,
                    "pcie_rx_bytes_s": chance.randrange(1 << 30),
                    "pcie_tx_bytes_s": chance.randrange(1 << 30),
                }
            )
        journal.append("gpu_samples", rows)
        journal.append("host_samples", [{"ts_mono_ns": mono, "memory_available_bytes": chance.randrange(1 << 40)}])
        journal.append(
            "net_samples",
            [{"ts_mono_ns": mono, "interface": f"ib{i}", "rx_bytes": chance.randrange(1 << 40)} for i in range(8)],
        )
        journal.append("log_lines", [{"ts_mono_ns": mono, "stream": "stdout", "text": f"step {tick} loss 2.5"}])
        if tick % 10 == 0:
            journal.append("clock_samples", [{"ts_mono_ns": mono, "wall_ns": WALL + mono, "kernel_error_us": 90.0}])
    journal.close()


def merge(out: Path, bundle: Path) -> None:
    from inquest.bundle.merge import merge

    begin = time.perf_counter()
    merge([out], bundle)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"merge                 {seconds:10.2f} s, {time.process_time():.2f} s of CPU, peak {peak / 1024:.0f} MiB")


def measure(bundle: Path) -> None:
    import polars as pl

    from inquest.bundle.manifest import open_bundle
    from inquest.bundle.store import BundleStore

    container, manifest = open_bundle(bundle)
    size = bundle.stat().st_size
    members = sum(member.size for member in manifest.members)
    print(f"bundle                {size:10,} bytes in {len(manifest.members)} members")
    tables = sorted({member.table for member in manifest.members})
    for table in tables:
        mine = [member for member in manifest.members if member.table == table]
        footers = sum(int.from_bytes(container.member(m.name)[-8:-4], "little") for m in mine)
        total, rows = sum(m.size for m in mine), sum(m.rows for m in mine)
        print(f"  {table:<20}{total:10,} bytes, {rows:,} rows, {len(mine)} members, {footers:,} bytes of footers")
    print(f"padding and headers   {size - members - len(manifest.to_json()):10,} bytes")
    print(f"manifest              {len(manifest.to_json()):10,} bytes")
    for name, ask in (
        ("open", lambda: BundleStore(bundle)),
        (
            "mean of one metric",
            lambda: BundleStore(bundle).scan("gpu_samples").select(pl.col("power_w").mean()).collect(),
        ),
        (
            "one node",
            lambda: BundleStore(bundle).scan("gpu_samples").filter(pl.col("node") == "gpu0007").select("ts").collect(),
        ),
    ):
        begin = time.perf_counter()
        ask()
        print(f"{name:<22}{time.perf_counter() - begin:10.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=512)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=Path, help="Use this directory, and the node directories it has already.")
    parser.add_argument("--merge", type=Path, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.merge:
        merge(*arguments.merge)
        return
    with tempfile.TemporaryDirectory() as scratch:
        base = arguments.keep or Path(scratch)
        out = base / "out"
        if not out.exists():
            begin = time.perf_counter()
            for number in range(arguments.nodes):
                simulate(out, number, arguments.gpus, arguments.seconds)
            print(f"simulated             {time.perf_counter() - begin:10.2f} s, {arguments.nodes} node directories")
        bundle = base / "JOB.inquest"
        bundle.unlink(missing_ok=True)
        subprocess.run([sys.executable, __file__, "--merge", out, bundle], check=True)
        measure(bundle)


if __name__ == "__main__":
    main()

"""What a merge costs: rows a second, CPU, memory of all its processes, bytes a row, and the floor beside it.

    python benchmarks/merge.py [--mix gpu|log] [--state sealed|journal] [--nodes 32] [--seconds 3600] [--keep DIR]
        [--repeat 3]

Writes SIMULATED node directories through the real journal, pump records and sealing (nothing here was recorded on a
GPU), merges them in a process of its own, and prints one line a figure. The floor is what pyarrow alone needs to read
the members of the bundle and write them again with the same settings, and with its own defaults.

The mix ``gpu`` is eight GPUs at 1 Hz with 20 readings each, host, network and disk; ``log`` is 100 lines of output a
second beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SECOND = 1_000_000_000
WALL = 1_700_000_000 * SECOND
TEMPLATES = 4
_TICK = os.sysconf("SC_CLK_TCK")


# --- simulated node directories -----------------------------------------------------------------------------------


def simulate(out: Path, mix: str, nodes: int, seconds: int, *, sealed: bool) -> None:
    """Write ``nodes`` directories: a few are made tick by tick, the others repeat them under names of their own."""
    from inquest.bundle.seal import seal_capture

    templates = out.parent / "templates"
    made = [_template(templates, number, mix, seconds) for number in range(min(TEMPLATES, nodes))]
    for number in range(nodes):
        capture = _copy(made[number % len(made)], out, number)
        if sealed:
            seal_capture(capture, raw_logs=True)
    shutil.rmtree(templates)


def _template(out: Path, number: int, mix: str, seconds: int) -> Path:
    from inquest.bundle import nodedir, rawlog
    from inquest.bundle.frames import FrameWriter
    from inquest.bundle.journal import Journal

    chance = random.Random(number)
    capture = Path(nodedir.create_capture(out, f"template{number}", fsync=False, facts={"simulated": True}))
    journal = Journal(capture, "c", "n", "b", fsync=False, segment_s=1e9)
    log = FrameWriter(capture / "log-0.raw", {"task": 0}, fsync=False)
    offset = 0
    gpus = [_Gpu(chance) for _ in range(8)]
    journal.append("node_info", [{"ts_mono_ns": 0, "gpus": 8, "simulated": True}])
    environment = json.dumps({"SLURM_JOB_NODELIST": "gpu[0000-0511]"})
    for rank in range(8):
        row = {"rank": rank, "world_size": 8, "job_id": "1", "env": environment, "event": "start", "pid": 1000 + rank}
        journal.append("processes", [{"ts_mono_ns": 0, **row}])
    free, received = 1 << 40, [0] * 4
    for tick in range(seconds):
        mono = tick * SECOND + chance.randrange(2_000_000)
        journal.append("gpu_samples", [gpu.sample(i, mono + i * 350_000) for i, gpu in enumerate(gpus)])
        free += chance.randrange(-(1 << 24), 1 << 24)
        journal.append("host_samples", [{"ts_mono_ns": mono, "memory_available_bytes": free, "load_1m": 8.25}])
        received = [total + chance.randrange(1 << 30) for total in received]
        journal.append(
            "net_samples",
            [
                {"ts_mono_ns": mono, "interface": f"ib{i}", "rx_bytes": total, "tx_bytes": total // 2, "rx_errors": 0}
                for i, total in enumerate(received[: 2 if mix == "gpu" else 1])
            ],
        )
        journal.append("disk_samples", [{"ts_mono_ns": mono, "device": "nvme0n1", "fs_free_bytes": free}])
        text = "".join(_lines(chance, tick, 100 if mix == "log" else 1)).encode()
        log.append(rawlog.encode(0, mono, offset, text))
        offset += len(text)
        if tick % 10 == 0:
            journal.append("clock_samples", [{"ts_mono_ns": mono, "wall_ns": WALL + mono, "kernel_error_us": 90.0}])
    journal.close()
    log.close()
    return capture


class _Gpu:
    """A simulated GPU: noise of the size that H100 nodes show, at the precision NVML and GPM give (mW, mJ, 1e-4)."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._uuid = f"GPU-{chance.getrandbits(64):016x}"
        self._energy = chance.randrange(1 << 40)
        self._temperature = 55.0
        self._used = 70 << 30

    def sample(self, index: int, mono: int) -> dict[str, object]:
        chance = self._chance
        idle = chance.random() < 0.05
        power = round(chance.gauss(180 if idle else 620, 25), 3)
        self._energy += round(power * 1000)
        self._temperature += 0.1 * (55 - self._temperature) + chance.gauss(0, 0.5)
        if chance.random() < 0.01:
            self._used = chance.randrange(60 << 30, 79 << 30) & ~0xFFFFF
        sm = 0.0 if idle else round(min(1.0, max(0.0, chance.gauss(0.82, 0.06))), 4)
        return {
            "ts_mono_ns": mono + chance.randrange(200_000),
            "gpu_uuid": self._uuid,
            "gpu_index": index,
            "fb_used_bytes": self._used,
            "fb_total_bytes": 80 << 30,
            "engine_active": 0.0 if idle else chance.randrange(95, 101) / 100,
            "sm_active": sm,
            "tensor_active": round(sm * 0.55, 4),
            "dram_active": 0.0 if idle else round(min(1.0, max(0.0, chance.gauss(0.4, 0.03))), 4),
            "mem_util": 0.0 if idle else chance.randrange(40, 60) / 100,
            "power_w": power,
            "power_limit_w": 700.0,
            "energy_mj": self._energy,
            "temp_core_c": round(self._temperature),
            "temp_memory_c": round(self._temperature) + 12,
            "sm_clock_mhz": 1980 - 15 * max(0, round(chance.gauss(-1, 1))),
            "mem_clock_mhz": 2619,
            "pstate": 0,
            "throttle_reasons": 4 if power > 660 else 0,
            "ecc_corrected_volatile": 0,
            "ecc_uncorrected_volatile": 0,
            "pcie_replays": 0,
        }


def _lines(chance: random.Random, tick: int, count: int) -> list[str]:
    step = tick * 4
    return [
        f"[rank{i % 8}]: 2026-11-20 10:{tick // 60 % 60:02d}:{tick % 60:02d},{chance.randrange(1000):03d} INFO "
        f"train.py:412 step {step + i // 32}/100000 loss {chance.gauss(2.5, 0.1):.4f} grad_norm {chance.random():.3f} "
        f"lr 3.0e-04 tokens/s {chance.gauss(41000, 300):.1f} mem 71.{i % 10} GiB\n"
        if i % 10
        else f"gpu{i % 8:04d}:{1000 + i}:{2000 + i} [{i % 8}] NCCL INFO Channel {i % 24:02d}/0 : {i % 8}[{i % 8}] -> "
        f"{(i + 1) % 8}[{(i + 1) % 8}] via P2P/CUMEM\n"
        for i in range(count)
    ]


def _copy(template: Path, out: Path, number: int) -> Path:
    from inquest.bundle import nodedir
    from inquest.bundle.frames import FrameReader, FrameWriter

    capture = Path(nodedir.create_capture(out, f"gpu{number:04d}", fsync=False, facts={"simulated": True}))
    identity = json.loads((capture / nodedir.NODE_JSON).read_text())
    own = {name: identity[name] for name in ("node", "capture", "boot_id")}
    for path in (*template.glob("*.journal"), *template.glob("*.raw")):
        reader = FrameReader(path)
        with FrameWriter(capture / path.name, {**reader.header, **own}, fsync=False) as writer:
            for payload in reader:
                writer.append(payload)
    return capture


# --- measuring ----------------------------------------------------------------------------------------------------


class _Memory(threading.Thread):
    """The peak of what a process and its descendants hold: sum of RSS every 20 ms, and sum of their VmHWM."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._done = threading.Event()
        self._peaks: dict[int, int] = {}
        self.summed = 0

    def run(self) -> None:
        while not self._done.wait(0.02):
            now = 0
            for pid in self._family():
                try:
                    status = Path(f"/proc/{pid}/status").read_text()
                except OSError:
                    continue
                kib = {
                    n: int(v.split()[0])
                    for n, _, v in (line.partition(":") for line in status.splitlines())
                    if n in ("VmHWM", "VmRSS")
                }
                self._peaks[pid] = max(self._peaks.get(pid, 0), kib.get("VmHWM", 0))
                now += kib.get("VmRSS", 0)
            self.summed = max(self.summed, now)

    def _family(self) -> list[int]:
        family, at = [self._pid], 0
        while at < len(family):
            try:
                for task in Path(f"/proc/{family[at]}/task").iterdir():
                    family += map(int, (task / "children").read_text().split())
            except OSError:
                pass
            at += 1
        return family

    def close(self) -> tuple[int, int]:
        """Peak of the sum of RSS and sum of the peaks, in MiB."""
        self._done.set()
        self.join()
        return self.summed // 1024, sum(self._peaks.values()) // 1024


def measure(command: list[str]) -> tuple[float, float, float, int, int]:
    """Wall, user and system seconds, peak of summed RSS and sum of VmHWM in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    process = subprocess.Popen(command)
    memory = _Memory(process.pid)
    memory.start()
    if process.wait():
        raise SystemExit(process.returncode)
    wall = time.perf_counter() - begin
    peaks = memory.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, *peaks


def floor(bundle: Path, *, ours: bool) -> tuple[float, int, int]:
    """Read and write again every member with pyarrow alone: CPU seconds, rows and bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from inquest.bundle import parquet
    from inquest.bundle.manifest import open_bundle

    container, stated = open_bundle(bundle)
    rows = size = 0
    begin = time.process_time()
    for member in stated.members:
        file = pq.ParquetFile(pa.BufferReader(pa.py_buffer(container.member(member.name))))
        sink = pa.BufferOutputStream()
        options = parquet._options(member.table) if ours else {"compression": "zstd"}
        with pq.ParquetWriter(sink, file.schema_arrow, **options) as writer:
            for group in range(file.num_row_groups):
                writer.write_table(file.read_row_group(group, use_threads=False))
        rows += file.metadata.num_rows
        size += sink.tell()
    return time.process_time() - begin, rows, size


def show_sizes(bundle: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from inquest.bundle.manifest import open_bundle

    container, stated = open_bundle(bundle)
    for table in ("gpu_samples", "log_lines"):
        mine = [member for member in stated.members if member.table == table]
        if rows := sum(member.rows for member in mine):
            print(f"  {table:<14}{rows:>12,} rows {sum(member.size for member in mine) / rows:8.2f} bytes a row")
            columns: dict[str, int] = {}
            for member in mine[:4]:
                meta = pq.ParquetFile(pa.BufferReader(pa.py_buffer(container.member(member.name)))).metadata
                for group in range(meta.num_row_groups):
                    for index in range(meta.num_columns):
                        chunk = meta.row_group(group).column(index)
                        size = columns.get(chunk.path_in_schema, 0)
                        columns[chunk.path_in_schema] = size + chunk.total_compressed_size
            some = sum(member.rows for member in mine[:4])
            most = sorted(columns.items(), key=lambda item: -item[1])[:12]
            print("   ", ", ".join(f"{name} {size / some:.2f}" for name, size in most))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mix", choices=("gpu", "log"), default="gpu")
    parser.add_argument("--state", choices=("sealed", "journal"), default="sealed")
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="Use this directory, and the node directories it has already.")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        base = arguments.keep or Path(scratch)
        out = base / f"{arguments.mix}-{arguments.state}-{arguments.nodes}x{arguments.seconds}"
        if not out.exists():
            base.mkdir(exist_ok=True, parents=True)
            simulate(out, arguments.mix, arguments.nodes, arguments.seconds, sealed=arguments.state == "sealed")
        bundle = base / "job.inquest"
        code = (
            "import sys, pathlib; from inquest.bundle.merge import merge; "
            "merge([pathlib.Path(sys.argv[1])], pathlib.Path(sys.argv[2]), force=True)"
        )
        seconds, rows, size = 0.0, 0, 0
        for number in range(arguments.repeat):
            wall, user, system, rss, peaks = measure([sys.executable, "-c", code, str(out), str(bundle)])
            if not number:
                seconds, rows, size = floor(bundle, ours=True)
                print(f"{arguments.mix}, {arguments.state}, {arguments.nodes} nodes, {rows:,} rows (SIMULATED)")
            print(
                f"merge          {rows / wall:12,.0f} rows/s, {rows / (user + system) * 2:12,.0f} rows in 2 s of CPU; "
                f"{wall:.2f} s wall, {user:.2f} user, {system:.2f} sys; RSS {rss} MiB, sum of VmHWM {peaks} MiB"
            )
        print(f"floor, ours    {rows / seconds * 2:12,.0f} rows in 2 s of CPU, {seconds:.2f} s, {size:,} bytes")
        seconds, rows, size = floor(bundle, ours=False)
        print(f"floor, default {rows / seconds * 2:12,.0f} rows in 2 s of CPU, {seconds:.2f} s, {size:,} bytes")
        show_sizes(bundle)


if __name__ == "__main__":
    main()

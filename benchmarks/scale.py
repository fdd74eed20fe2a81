"""How merge, verdict and views grow with GPUs and hours, each stage in a process of its own, with its floor beside it.

    python benchmarks/scale.py [--gpus 8 64 512] [--hours 24] [--keep DIR]

Writes SIMULATED node directories of eight GPUs each through the real journal and sealing (nothing here was recorded on
a GPU): gpu_samples, host_samples and net_samples at 1 Hz, cuda_calls and nvlink_samples at the recorder's own pace,
processes, kernel log, scheduler, a log of rank 0 that reports a step every ten seconds. At the end a GPU counts an
uncorrectable error, the kernel says so, and the ranks die: the verdict has something to find.

One line a size: rows, bytes of the bundle, and of each stage wall and CPU seconds and peak memory (VmHWM of the process
and its children). "analyze" is the verdict and every view, as the command makes them; report and timeline count from
the verdict on. The floors are "arrow" and "polars": every row group of the tables of samples decoded once, with the
columns that the verdict and the views read, on all cores, and nothing done with them.

``--growth`` measures over GPUs (8, 64, 512, 4096 for an hour) and over hours (512 GPUs for 1, 6, 24).
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import polars as pl
import pyarrow as pa

from inquest.bundle import nodedir
from inquest.bundle.journal import Journal, stored_schema
from inquest.bundle.seal import seal_capture

More = Callable[[Journal, range, int], None]
"""Adds rows to the journal of a node, told its ranks and the seconds of the run."""

SECOND = 1_000_000_000
WALL = 1_780_000_000 * SECOND
PER_NODE = 8
APIS = ("cuLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMalloc", "cudaFree")
CALLS_EVERY_S, NVLINK_EVERY_S, STEP_EVERY_S = 10, 30, 10
LIMIT_SECONDS, LIMIT_BYTES = 60.0, 4 << 30
GROWTH = [(8, 1.0), (64, 1.0), (512, 1.0), (4096, 1.0), (512, 6.0), (512, 24.0)]


# --- the simulated job ------------------------------------------------------------------------------------------------
def write(out: Path, nodes: int, seconds: int, per_node: int = PER_NODE, more: More | None = None) -> None:
    """One sealed node directory a node, of ``per_node`` ranks; ``more`` adds rows of its own to each journal."""
    out.mkdir(parents=True, exist_ok=True)
    each = partial(_sealed, out=out, nodes=nodes, seconds=seconds, per_node=per_node, more=more)
    if nodes == 1:
        each(0)
        return
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as hands:
        list(hands.map(each, range(nodes)))


def _sealed(number: int, out: Path, nodes: int, seconds: int, per_node: int, more: More | None) -> None:
    seal_capture(_node(out, number, nodes, seconds, per_node, more), raw_logs=True)


def _node(out: Path, number: int, nodes: int, seconds: int, per_node: int, more: More | None) -> Path:
    name = f"gpu{number:04d}"
    capture = Path(nodedir.create_capture(out, name, fsync=False, facts={"simulated": True}))
    identity = json.loads((capture / nodedir.NODE_JSON).read_text())
    journal = Journal(capture, identity["capture"], name, identity["boot_id"], fsync=False, segment_s=1e9)
    end = seconds * SECOND
    ranks = range(number * per_node, (number + 1) * per_node)
    uuids = [f"GPU-{rank:032x}" for rank in ranks]
    sick = number == nodes - 1
    about = {"gpus": per_node, "gpu_uuids": ",".join(uuids), "hostname": name, "slurm_node": name, "simulated": True}
    journal.append("node_info", [{"ts_mono_ns": 0, **about, "gpu_models": ",".join(["NVIDIA H100"] * per_node)}])
    for collector, tables in (("gpu", "gpu_samples"), ("host", "host_samples"), ("kernel_log", "kernel_log")):
        row = {"collector": collector, "outcome": "ok", "tables": tables, "drops": 0, "from_mono_ns": 0}
        journal.append("collection", [{**row, "ts_mono_ns": 0, "to_mono_ns": end + SECOND}])
    environment = {"WORLD_SIZE": str(nodes * per_node), "SLURM_JOB_NODELIST": f"gpu[0000-{nodes - 1:04d}]"}
    for local, rank in enumerate(ranks):
        who = {"rank": rank, "pid": 1000 + local, "role": "rank", "task": local, "job_id": "77"}
        who |= {"world_size": nodes * per_node, "env": json.dumps(environment)}
        died = {"event": "exit", "ts_mono_ns": end, "term_signal": 6}
        journal.append("processes", [{**who, "event": "start", "ts_mono_ns": SECOND}, {**who, **died}])
        using = {"gpu_uuid": uuids[local], "gpu_index": local, "pid": 1000 + local, "rank": rank, "event": "attached"}
        journal.append("gpu_processes", [{**using, "ts_mono_ns": 15 * SECOND}])
    if sick:
        line = "NVRM: Xid (PCI:0000:07:00): 48, pid=1007, name=python3, DBE (double bit error) at 0x12"
        journal.append("kernel_log", [{"ts_mono_ns": end - 3 * SECOND, "level": 3, "text": line, "source": "kmsg"}])
    if number == 0:
        journal.append("log_lines", _log(seconds))
        about = {"job_id": "77", "state": "FAILED", "exit_code": 1, "nodes": nodes, "elapsed_s": seconds}
        about |= {"start_ns": WALL, "end_ns": WALL + end, "node_list": f"gpu[0000-{nodes - 1:04d}]"}
        journal.append("slurm_jobs", [{**about, "ts_mono_ns": end + SECOND // 2}])
    clock = [
        {"ts_mono_ns": at * SECOND, "wall_ns": WALL + at * SECOND, "kernel_error_us": 90.0}
        for at in range(0, seconds, 10)
    ]
    journal.append("clock_samples", clock)
    for table, frame in _samples(uuids, ranks, seconds, sick=sick).items():
        append(journal, table, frame)
    if more is not None:
        more(journal, ranks, seconds)
    journal.close()
    return capture


def _log(seconds: int) -> list[dict[str, object]]:
    rows, offset = [], 0
    steps = seconds // STEP_EVERY_S
    for step in range(1, steps):
        text = f"step {step}/{2 * steps} | loss {2.0 + 8.0 / step:.4f} | lr 3.0e-04 | step time 10.00 s"
        row = {"stream": "stdout", "source": "stdout", "task": 0, "rank": 0, "offset": offset, "eol": "lf"}
        rows.append({**row, "text": text, "line_bytes": len(text), "ts_mono_ns": step * STEP_EVERY_S * SECOND})
        offset += len(text) + 1
    return rows


def _samples(uuids: list[str], ranks: range, seconds: int, *, sick: bool) -> dict[str, pl.DataFrame]:
    """Tables of samples, vectorised: noise is a hash of time and place, so that the same size is the same bytes."""
    time_s = pl.int_range(0, seconds, eager=True).alias("t").to_frame()
    gpus = pl.DataFrame({"gpu_index": list(range(len(ranks))), "gpu_uuid": uuids, "rank": list(ranks)})

    def noise(seed: int) -> pl.Expr:
        return (pl.struct("t", "rank").hash(seed) % 10_000) / 10_000

    base = time_s.join(gpus, how="cross")
    training = (pl.col("t") > 30) & (pl.col("t") < seconds - 3)
    sm = pl.when(training).then((0.78 + 0.1 * noise(1)).round(4)).otherwise(0.0)
    failed = (pl.col("t") >= seconds - 4) & (pl.col("gpu_index") == len(ranks) - 1) if sick else pl.lit(value=False)
    samples = base.select(
        "gpu_uuid",
        "gpu_index",
        ts_mono_ns=pl.col("t") * SECOND + (noise(2) * 2e6).cast(pl.Int64) + 1,
        fb_used_bytes=pl.lit(70 << 30),
        fb_total_bytes=pl.lit(80 << 30),
        engine_active=pl.when(training).then((0.95 + 0.05 * noise(3)).round(2)).otherwise(0.0),
        sm_active=sm,
        tensor_active=(sm * 0.55).round(4),
        dram_active=(sm * 0.5).round(4),
        power_w=(600 + 60 * noise(4)).round(3),
        power_limit_w=pl.lit(700.0),
        energy_mj=(pl.col("t") * 620_000 + noise(4) * 60_000).cast(pl.Int64),
        temp_core_c=(62 + 6 * noise(5)).cast(pl.Int64),
        temp_memory_c=(74 + 6 * noise(5)).cast(pl.Int64),
        sm_clock_mhz=1980 - 15 * (4 * noise(6)).cast(pl.Int64),
        mem_clock_mhz=pl.lit(2619),
        pstate=pl.lit(0),
        throttle_reasons=pl.lit(0),
        ecc_corrected_volatile=pl.lit(0),
        ecc_uncorrected_volatile=pl.when(failed).then(1).otherwise(0),
        pcie_replays=pl.lit(0),
    )
    host = time_s.with_columns(rank=pl.lit(ranks[0])).select(
        ts_mono_ns=pl.col("t") * SECOND + 2,
        memory_available_bytes=((800 + 20 * noise(7)) * 2**30).cast(pl.Int64),
        memory_total_bytes=pl.lit(1 << 40),
        cpu_user_share=(0.2 + 0.1 * noise(8)).round(4),
        load_1m=(8 + noise(9)).round(2),
    )
    ports = pl.DataFrame({"interface": [f"ib{port}" for port in range(4)]})
    net = (
        time_s.with_columns(rank=pl.lit(ranks[0]))
        .join(ports, how="cross")
        .select(
            "interface",
            ts_mono_ns=pl.col("t") * SECOND + 3,
            rx_bytes=(pl.col("t") + noise(10)).cast(pl.Float64).mul(2**31).cast(pl.Int64),
            tx_bytes=(pl.col("t") + noise(11)).cast(pl.Float64).mul(2**31).cast(pl.Int64),
        )
    )
    apis = pl.DataFrame({"api": list(APIS)})
    ticks = base.filter(pl.col("t") % CALLS_EVERY_S == 0)
    calls = ticks.join(apis, how="cross").select(
        "api",
        "rank",
        ts_mono_ns=pl.col("t") * SECOND + 4,
        pid=1000 + pl.col("gpu_index"),
        duration_ns=pl.lit(CALLS_EVERY_S * SECOND),
        count=(1000 + 100 * noise(12)).cast(pl.Int64),
        total_ns=(1e6 + 1e6 * noise(13)).cast(pl.Int64),
        max_ns=(1e4 + 1e5 * noise(14)).cast(pl.Int64),
    )
    links = pl.DataFrame({"link": list(range(18))})
    nvlink = (
        base.filter(pl.col("t") % NVLINK_EVERY_S == 0)
        .join(links, how="cross")
        .select(
            "gpu_uuid",
            "gpu_index",
            "link",
            ts_mono_ns=pl.col("t") * SECOND + 5,
            active=pl.lit(value=True),
            rx_bytes=(pl.col("t") + noise(15)).mul(2**30).cast(pl.Int64),
            tx_bytes=(pl.col("t") + noise(16)).mul(2**30).cast(pl.Int64),
        )
    )
    return {"gpu_samples": samples, "host_samples": host, "net_samples": net, "cuda_calls": calls,
            "nvlink_samples": nvlink}  # fmt: skip


def append(journal: Journal, table: str, frame: pl.DataFrame) -> None:
    """Whole batches instead of rows: what the journal does with rows, without a Python object a value."""
    schema = stored_schema(table)
    segment = journal._open.get(table) or journal._open.setdefault(table, journal._begin(table))
    numbers = range(segment._first_seq + segment._rows, segment._first_seq + segment._rows + frame.height)
    held = frame.with_columns(seq=pl.Series(numbers, dtype=pl.Int64)).to_arrow()
    columns = [
        held.column(field.name).cast(field.type) if field.name in held.column_names else pa.nulls(len(held), field.type)
        for field in schema
    ]
    for batch in pa.table(columns, schema=schema).combine_chunks().to_batches(max_chunksize=65_536):
        segment._write(batch, sync=False)


# --- stages -----------------------------------------------------------------------------------------------------------
_DECIDED = (
    "from inquest.analyze.engine import analyze\nfrom inquest.render import {0}\nv, e = analyze(store)\nstart()\n"
)
_FLOOR = """
import io, os
from concurrent.futures import ThreadPoolExecutor
import polars as pl
from inquest.analyze import each_gpu, engine
from inquest.analyze.evidence import Evidence
from inquest.bundle.scan import open_member
from inquest.render import reduced
ev = Evidence(store)
asked = [made for question in each_gpu._TOGETHER if (made := question(ev)) is not None]
read = {table: {"ts_ns"}.union(*columns) for table, columns in (reduced._GAUGES | reduced._GROWING).items()}
read["gpu_samples"] |= {*each_gpu.KEY, "seq"}.union(*(each.columns() for each in asked))
read["cuda_calls"] = {"node", "rank", "api", "ts_ns", "duration_ns", "count", "total_ns", "bytes", "direction"}
def each(decode):
    with ThreadPoolExecutor(os.cpu_count()) as hands:
        list(hands.map(decode, [member for table in read for member in store._members.get(table, ())]))
start()
"""
STAGES = {
    "analyze": "from inquest.analyze.engine import analyze\nfrom inquest.render import VIEWS\nv, e = analyze(store)\n"
    "for view in VIEWS: view.render(v, e)",
    "verdict": "from inquest.analyze.engine import analyze\nanalyze(store)",
    "report": _DECIDED.format("report") + "report.render(v, e)",
    "timeline": _DECIDED.format("timeline") + "timeline.render(v, e)",
    "arrow": _FLOOR
    + """
def decode(member):
    file = open_member(store._container, member)
    columns = [name for name in file.schema_arrow.names if name in read[member.table]]
    for _ in file.iter_batches(1 << 18, columns=columns): pass
each(decode)
""",
    "polars": _FLOOR
    + """
def decode(member):
    data = io.BytesIO(store._container.member(member.name))
    columns = [name for name in pl.read_parquet_schema(data) if name in read[member.table]]
    pl.read_parquet(data, columns=columns, use_pyarrow=False)
each(decode)
""",
}
_STAGE = """
import resource, sys, time
from pathlib import Path
from inquest.bundle.store import BundleStore
began = [0.0, 0.0]
def start():
    began[:] = time.perf_counter(), time.process_time()
store = BundleStore(Path(sys.argv[1]))
start()
{code}
now = time.perf_counter() - began[0], time.process_time() - began[1]
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
print("MEASURED", *now, peak)
"""


def stage(name: str, bundle: Path) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak GiB of one stage."""
    code = _STAGE.format(code=STAGES[name])
    done = subprocess.run([sys.executable, "-c", code, str(bundle)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr[-2000:]}")
    wall, cpu, peak = done.stdout.split("MEASURED")[1].split()
    return float(wall), float(cpu), int(peak) / 2**20


def main() -> int:
    """Measure each size."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--gpus", type=int, nargs="+", default=[8, 64, 512])
    ask.add_argument("--hours", type=float, default=24.0)
    ask.add_argument("--growth", action="store_true", help="the sizes of the growth table instead")
    ask.add_argument("--keep", type=Path, help="keep the bundles here, and use those that are there")
    ask.add_argument("--stages", nargs="+", default=list(STAGES), choices=list(STAGES))
    given = ask.parse_args()
    within = True
    print(f"SIMULATED, at 1 Hz, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    print("  GPUs     h        rows  bundle MB  stage      wall s    CPU s  peak GiB")
    for gpus, hours in GROWTH if given.growth else [(gpus, given.hours) for gpus in given.gpus]:
        with tempfile.TemporaryDirectory(prefix="scale") as scratch:
            folder = given.keep or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            bundle = folder / f"scale-{gpus}-{hours:g}.inquest"
            made = [("merge", *_merge(Path(scratch), bundle, gpus, hours))] if not bundle.exists() else []
            count, size, rows = _count(bundle), bundle.stat().st_size / 1e6, []
            for row in itertools.chain(made, ((name, *stage(name, bundle)) for name in given.stages)):
                rows.append(row)
                name, *cost = row
                print(
                    f"{gpus:6} {hours:5g} {count:11,} {size:10.1f}  {name:9}"
                    f" {cost[0]:8.2f} {cost[1]:8.2f} {cost[2]:9.2f}",
                    flush=True,
                )
            within &= all(
                wall <= LIMIT_SECONDS and peak * 2**30 <= LIMIT_BYTES
                for name, wall, _, peak in rows
                if name == "analyze"
            )
    print(f"within {LIMIT_SECONDS:.0f} s and {LIMIT_BYTES >> 30} GiB: {'yes' if within else 'NO'}")
    return 0 if within else 1


def _merge(scratch: Path, bundle: Path, gpus: int, hours: float) -> tuple[float, float, float]:
    nodes = scratch / "nodes"
    write(nodes, max(1, gpus // PER_NODE), int(hours * 3600))
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "inquest", "merge", str(nodes), "-o", str(bundle), "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(nodes)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, after.ru_maxrss / 2**20


def _count(bundle: Path) -> int:
    from inquest.bundle.store import BundleStore

    store = BundleStore(bundle)
    return sum(store.scan(table).select(pl.len()).collect().item() for table in store.tables())


if __name__ == "__main__":
    raise SystemExit(main())

"""A recorder under a hundred times the usual rate of events: does it grow, does it leak, is every loss counted?

    .venv/bin/python benchmarks/soak.py [--minutes 60] [--times 100] [--calls 0.5] [--json FILE]

The job calls the stub libraries of the tests (SIMULATED GPU), prints, starts processes and signals itself, each
``--times`` as often as a training job does (``USUAL``). It is recorded with ``--profile full`` and real probes (root).
Every ten seconds resident memory, open files and threads of our processes are read. At the end, what the job says it
did is held against what the recording holds and what it says it lost: what neither tells of is LOST UNTOLD.

Calls of CUDA (``OF_CUDA``) come ``--calls`` as often as usual: a probe costs about half a microsecond, so that at a
hundred times the probes would cost the job more than they may, and come off after three seconds. With ``--calls 100``
they do, and the recording has to say so. INQUEST_UNDER_TEST names another build of inquest, dist/inquest-agent for one.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from overhead import reap
from recorder_cost import tree
from stub_gpus.build import build, environment

from inquest.bundle.recovery import recover
from inquest.capture.ebpf import session

if TYPE_CHECKING:
    from collections.abc import Iterable

PROGRAM = (os.environ.get("INQUEST_UNDER_TEST") or f"{sys.executable} -m inquest").split()
OF_CUDA = {"launches": 6000.0, "copies": 150.0}
USUAL = {"collectives": 130.0, "lines": 10.0, "processes": 0.5, "signals": 0.5}
"""Of one rank, a second."""
BY = {
    **dict.fromkeys(OF_CUDA, "cuda_calls"),
    "collectives": "nccl_calls",
    **dict.fromkeys(("processes", "signals"), "process_life"),
}
"""Who records what."""
LOOK_S = 10.0
SETTLED = 0.2
"""The first part of a run, in which memory may still grow."""
GROWTH_MIB = 8.0
"""What a process may have grown by from the first fifth to the last."""
MORE_FILES = 1
"""Likewise: beyond `--log-budget` a pump has the file of its tail open, too."""

UNREAD = "last reading had not returned"
"""What the row of a collector says that was busy when the recorder left."""

_JOB = """
import ctypes, json, os, signal, sys, time
library, told, seconds, rates, tick = sys.argv[1], sys.argv[2], float(sys.argv[3]), json.loads(sys.argv[4]), 0.02
calls = ctypes.CDLL(library)
calls.begin(0, 1, 0)
signal.signal(signal.SIGUSR1, lambda *_: None)
begin, done = time.monotonic(), dict.fromkeys(rates, 0)
done["bytes"] = 0
soon = []
while (now := time.monotonic() - begin) < seconds:
    due = {name: int(rate * now) - done[name] for name, rate in rates.items()}
    calls.step(due["launches"], due["copies"], due["collectives"])
    text = "".join(f"line {done['lines'] + k} " + "x" * 100 + chr(10) for k in range(due["lines"]))
    sys.stdout.write(text); sys.stdout.flush()
    for _ in range(due["processes"]):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
    for _ in range(due["signals"]):
        os.kill(os.getpid(), signal.SIGUSR1)
    for name, count in due.items():
        done[name] += count
    done["bytes"] += len(text)
    if now < 60:
        soon.append((time.monotonic_ns(), dict(done)))
    time.sleep(max(0.0, tick - (time.monotonic() - begin - now)))
calls.end()
open(told, "w").write(json.dumps({"did": done, "soon": soon}))
"""


def look(pid: int) -> tuple[str, float, dict[str, int], int] | None:
    """Name, resident MiB, open files by kind and threads of a process; None where it has gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        files = kinds(Path(f"/proc/{pid}/fd"))
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return None
    if b"inquest" not in command or b"libstep" in command.partition(b"--\0")[0]:
        return None
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    name = "recorder" if b"recorder" in command else fields["Name"].strip()
    return f"{name} {pid}", int(fields.get("VmRSS", "0 kB").split()[0]) / 1024, files, int(fields["Threads"])


def kinds(folder: Path) -> Counter[str]:
    """What the descriptors of a process are of, told by what they lead to, numbers left out."""
    found: Counter[str] = Counter()
    for fd in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # it was open for a moment
            target = str(fd.readlink())
            named = Path(target).name if target.startswith("/") and not target.startswith("/proc/") else target
            found[re.sub(r"[0-9]+|(?<=:)\[.*", "", named)] += 1
    return found


def usual(looks: Iterable[dict[str, int]]) -> Counter[str]:
    """Of each kind as many as at half of the looks: what was open for a moment is none."""
    every = list(looks)
    return Counter({kind: statistics.median_low(look.get(kind, 0) for look in every) for kind in set().union(*every)})


def late_at_most(kind: str) -> int:
    """How many of a kind may come at any time: the journal of a table is opened with the table's first row."""
    return 1 if kind.endswith(".journal") else 0


def main() -> None:
    """Run, look, and hold one against the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--times", type=float, default=100)
    parser.add_argument("--calls", type=float, default=0.5)
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what outlives its parent is ours to wait for
    seen: dict[str, list[tuple[float, dict[str, int], int]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library, out, told = build(folder), folder / "out", folder / "told.json"
        (folder / "gpus.txt").write_text("* gpus 8\n")
        rates = {what: rate * args.calls for what, rate in OF_CUDA.items()}
        rates |= {what: rate * args.times for what, rate in USUAL.items()}
        job = [sys.executable, "-c", _JOB, str(library), str(told), str(args.minutes * 60), json.dumps(rates)]
        ours = [*PROGRAM, "run", "--profile", "full", "--node", "soak", "--out", str(out), "--"]
        with (folder / "printed").open("wb") as sink:
            process = subprocess.Popen([*ours, *job], env=environment(folder, folder / "gpus.txt"), stdout=sink)
            while process.poll() is None:
                time.sleep(LOOK_S)
                for pid in tree(os.getpid())[1:]:
                    if (found := look(pid)) is not None:
                        seen.setdefault(found[0], []).append(found[1:])
        reap(0)
        did, soon = json.loads(told.read_text()).values()
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        held, said = recorded(out / "soak")
        held["passed on"] = (folder / "printed").stat().st_size
    show(args, did, soon, held, said, seen, size)
    if args.json:
        args.json.write_text(json.dumps({"did": did, "held": held, "said": said, "seen": seen, "bytes": size}) + "\n")


def recorded(node: Path) -> tuple[Counter[str], dict[str, dict[str, Any]]]:
    """What the recording holds of each kind, and what each collector says last."""
    held: Counter[str] = Counter()
    said: dict[str, dict[str, Any]] = {}
    counted: dict[tuple[str, str], int] = {}
    for table, batch in recover(node):
        if table == "cuda_calls":
            for api, count in zip(*(batch.column(name).to_pylist() for name in ("api", "count")), strict=True):
                held["launches"] += count or 0 if api == "cuLaunchKernel" else 0
                held["copies"] += count if api == "cudaMemcpyAsync" else 0
        elif table == "nccl_comms":
            # Of a busy communicator one call in 2, 4, 8 ... is a row; how many there were is told of each.
            for row in batch.select(["comm", "comm_ptr", "last_enqueued_seq"]).to_pylist():
                if row["last_enqueued_seq"] is not None:
                    counted[row["comm"], row["comm_ptr"]] = row["last_enqueued_seq"] + 1
        elif table == "nccl_collectives":
            held["collectives, as rows"] += batch.num_rows
        elif table == "log_lines":
            held["lines"] += batch.num_rows
            held["bytes"] += sum(batch.column("line_bytes").to_pylist()) + batch.num_rows
        elif table == "log_gaps":
            held["bytes, said to be lost"] += sum(batch.column("bytes").to_pylist())
        elif table == "processes":
            for row in batch.select(["event", "command", "signal"]).to_pylist():
                held["processes"] += row["event"] == "exit" and row["command"] == "true"
                held["signals"] += row["event"] == "signal" and row["signal"] == signal.SIGUSR1
        elif table == "collection":
            for row in batch.to_pylist():
                if row["drops"] is None or row["drops"] >= said.get(row["collector"], row)["drops"]:
                    said[row["collector"]] = {
                        name: row[name] for name in ("outcome", "drops", "detail", "from_mono_ns")
                    }
    held["collectives"] = sum(counted.values())
    return held, said


def untold(
    did: dict[str, int],
    soon: list[tuple[int, dict[str, int]]],
    held: Counter[str],
    said: dict[str, dict[str, Any]],
) -> list[str]:
    """What is missing and nothing in the recording tells of; ``soon``: what the job had done when, at its begin."""
    detail = {name: row["detail"] or "" for name, row in said.items()}
    left_out = re.search(r"(\d+) signals and ends alike", detail.get("process_life", ""))
    lost = {
        name: int(match[1]) for name, text in detail.items() if (match := re.search(r"(\d+) calls or records", text))
    }
    fewer = detail.get("cuda_calls", "") if said.get("cuda_calls", {}).get("outcome") == "truncated" else ""
    in_turns, cuda_off = "launches counted in turns since" in fewer, "no longer counted since" in fewer
    # What was done before a collector could see it is told by the begin of its row.
    missing = {name: count - held[name] - before(soon, said, name) for name, count in did.items()}
    repeated = missing.pop("processes") + missing.pop("signals")
    told = {
        "launches": missing["launches"] if in_turns else lost.get("cuda_calls", 0),
        "copies": missing["copies"] if cuda_off else lost.get("cuda_calls", 0),
        # They are counted up to the last reading, which tells how many there were.
        "collectives": missing["collectives"] if UNREAD in detail.get("nccl_calls", "") else lost.get("nccl_calls", 0),
        "bytes": held["bytes, said to be lost"],
        "lines": missing["lines"] if held["bytes, said to be lost"] else 0,
    }
    more = {"processes and signals": repeated - (int(left_out[1]) if left_out else 0) - said["process_life"]["drops"]}
    more |= {name: count - told[name] for name, count in missing.items()}
    return [f"{count:,} {name}" for name, count in more.items() if count > 0]


def before(soon: list[tuple[int, dict[str, int]]], said: dict[str, dict[str, Any]], name: str) -> int:
    """How often the job had done it when whoever records it began to look, as its row says."""
    began = said[BY[name]]["from_mono_ns"] if name in BY else 0
    return next((done[name] for at, done in soon if at >= began), 0) if began else 0


def show(
    args: argparse.Namespace,
    did: dict[str, int],
    soon: list[tuple[int, dict[str, int]]],
    held: Counter[str],
    said: dict[str, dict[str, Any]],
    seen: dict[str, list[tuple[float, dict[str, int], int]]],
    size: int,
) -> None:
    """The tables, and what is not flat."""
    times = f"{args.times:g} times the usual rates, calls of CUDA at {args.calls:g} times"
    print(f"SIMULATED GPU: {args.minutes:g} minutes at {times}; load {os.getloadavg()[0]:.1f}")
    if why := session.why_not():
        print(f"NO PROBES: {why}")
    print(f"{'':14}{'the job did':>14}{'recorded':>14}{'share':>9}")
    for name, count in did.items():
        print(f"{name:14}{count:14,}{held[name]:14,}{held[name] / max(1, count):9.2%}")
    print(f"passed on      {held['passed on']:,} of {did['bytes']:,} bytes")
    print(f"collectives as rows: {held['collectives, as rows']:,}; all are counted")
    for name, row in sorted(said.items()):
        if row["drops"] or row["outcome"] not in ("ok", "empty", "missing") or name in BY.values():
            print(f"  {name} {row['outcome']}, {row['drops']} turns or rows lost: {row['detail']}")
    early = ", ".join(f"{before(soon, said, name):,} {name}" for name in BY)
    print(f"before probes stood, as the rows say: {early}")
    print(f"LOST UNTOLD: {', '.join(untold(did, soon, held, said)) or 'nothing'}")
    print(f"node directory {size / 2**20:.1f} MiB")
    for name, looks in seen.items():
        if len(looks) < 5:
            continue
        part = max(1, round(len(looks) * SETTLED))
        ends = looks[part : 2 * part], looks[-part - 1 : -1]  # at the last, it may be leaving
        memory = [statistics.median(look[0] for look in some) for some in ends]
        files = [usual(look[1] for look in some) for some in ends]
        threads = [statistics.median_low(look[2] for look in some) for some in ends]
        more = {
            kind: count - files[0][kind]
            for kind, count in files[1].items()
            if count > max(files[0][kind], late_at_most(kind))
        }
        flat = memory[1] - memory[0] <= GROWTH_MIB and threads[1] <= threads[0] and sum(more.values()) <= MORE_FILES
        print(
            f"{name:20} {memory[0]:.0f} -> {memory[1]:.0f} MiB, {files[0].total()} -> {files[1].total()} files, "
            f"{threads[0]} -> {threads[1]} threads: {'flat' if flat else f'GROWS {more}'}"
        )


if __name__ == "__main__":
    main()

"""One bundle as a ``Case``, read in a process of its own: a bad one costs itself only, and its memory goes with it.

Bundles come from strangers. The child has its memory limited by the kernel and its time by the parent; where it ends,
the bundle is reported and the next one gets a new child. One bundle is in memory at a time.
"""

from __future__ import annotations

import json
import math
import os
import select
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from inquest.analyze.triage import LOW, Board, Case, Fate, Low, ScheduledBy
from inquest.bundle import bus
from inquest.bundle.errors import DamagedBundle, InputError, InquestError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict

SECONDS: Final = 600.0
"""Wall-clock seconds one bundle may take."""

MEMORY_BYTES: Final = 8 << 30
"""Memory one bundle may take, in bytes."""

SUFFIX: Final = ".inquest"
_A_CHILD: Final = 25
"""Bundles a child reads before a new one takes over: what allocators keep goes with it."""

_ANSWER_BYTES: Final = 16 << 20
_FATES: Final[dict[int, Fate]] = {0: "healthy", 3: "failed", 4: "undecided", 6: "ended"}


def find(paths: Sequence[Path]) -> list[Path]:
    """Bundles among ``paths`` and below directories of them, in order; links to directories are not followed.

    Raises:
        InputError: A path is not there.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            for folder, folders, files in os.walk(path):
                folders.sort()
                found.update((Path(folder, name), None) for name in sorted(files) if name.endswith(SUFFIX))
        elif path.exists():
            found[path] = None
        else:
            raise InputError(f"{path} is not there. Give bundles, or a directory that holds some.")
    return list(found)


class Reader:
    """Reads bundles one after the other in a child process."""

    def __init__(self, *, seconds: float = SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        self._seconds = seconds
        self._memory = memory_bytes
        self._child: subprocess.Popen[bytes] | None = None
        self._served = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def read(self, path: Path) -> Case:
        """The case of one bundle.

        Raises:
            InputError: It cannot be read, or takes more time or memory than it may.
        """
        if self._child is None or self._served >= _A_CHILD:
            self._stop()
            self._child = self._start()
        self._served += 1
        child = self._child
        assert child.stdin is not None
        try:
            child.stdin.write(json.dumps(os.fspath(path)).encode() + b"\n")
            child.stdin.flush()
            answer = self._answer(child)
        except BrokenPipeError:
            answer = b""
        if not answer.endswith(b"\n"):
            status = self._stop()
            raise DamagedBundle(f"{path}: reading it ended the process that did ({status}): skipped")
        told = json.loads(answer)
        if "error" in told:
            raise InputError(told["error"])
        return _case(told["case"])

    def _start(self) -> subprocess.Popen[bytes]:
        self._served = 0
        return subprocess.Popen(
            [sys.executable, "-m", "inquest.analyze.triage_read", str(self._memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _answer(self, child: subprocess.Popen[bytes]) -> bytes:
        assert child.stdout is not None
        descriptor, until, answer = child.stdout.fileno(), time.monotonic() + self._seconds, bytearray()
        while not answer.endswith(b"\n") and len(answer) < _ANSWER_BYTES:
            if not select.select([descriptor], [], [], max(0.0, until - time.monotonic()))[0]:
                break
            part = os.read(descriptor, 1 << 16)
            if not part:
                break
            answer += part
        return bytes(answer)

    def _stop(self) -> str:
        """End the child; returns how it ended, in words."""
        child, self._child = self._child, None
        if child is None:
            return ""
        status = child.poll()
        child.kill()
        child.communicate()
        if status is None:
            return f"no answer in {self._seconds:g} s"
        return f"signal {-status}" if status < 0 else f"status {status}; it may need too much memory"


def _case(told: dict[str, Any]) -> Case:
    lists = {name: tuple(told[name]) for name in ("nodes", "gpus", "blamed_nodes", "clocked_nodes")}
    boards = tuple(Board(**board) for board in told["blamed_gpus"])
    return Case(**{**told, **lists, "blamed_gpus": boards, "low_nodes": tuple(Low(**low) for low in told["low_nodes"])})


# --- one bundle -------------------------------------------------------------------------------------------------------
def case_of(path: str, verdict: Verdict, evidence: Evidence) -> Case:
    """What a verdict and its evidence say in a few fields."""
    from inquest.bundle.logs_import import NODE as UNKNOWN_NODE

    runs = _runs(evidence)
    job = runs[-1] if runs else {}
    hours, by = _scheduled(runs, verdict)
    clocked, low = _clocks(evidence)
    bundle, energy = verdict.bundle, verdict.vitals.energy
    fate = _FATES[verdict.exit_code]
    blamed = verdict.culprit_nodes
    if not blamed and verdict.first_failing.node and verdict.scope in ("rank", "gpu", "node"):
        blamed = (verdict.first_failing.node,)
    return Case(
        path,
        bundle.content_digest,
        bundle.job_id,
        job.get("user"),
        job.get("partition"),
        bundle.start_ns,
        bundle.named_nodes,
        _uuids(verdict, evidence),
        int(job.get("gpus_allocated") or 0) or len(bundle.gpus),
        fate,
        verdict.family,
        _cause(verdict),
        verdict.headline,
        verdict.attribution,
        verdict.confidence,
        tuple(node for node in blamed if node != UNKNOWN_NODE) if fate == "failed" else (),
        _boards(verdict, evidence) if fate == "failed" else (),
        hours,
        by,
        verdict.waste.gpu_hours_productive,
        verdict.waste.gpu_hours_lost,
        _wait(runs),
        float(energy.value) if energy is not None and isinstance(energy.value, int | float) else None,
        clocked,
        low,
        bundle.simulated,
    )


def _uuids(verdict: Verdict, evidence: Evidence) -> tuple[str, ...]:
    """Every GPU of the job: those the nodes listed, else those that gave samples."""
    if verdict.bundle.gpus or "gpu_samples" not in evidence.store.tables():
        return verdict.bundle.gpus
    seen = evidence.scan("gpu_samples").select("gpu_uuid").unique().collect()["gpu_uuid"].drop_nulls()
    return tuple(sorted(seen))


def _cause(verdict: Verdict) -> str:
    if verdict.family is None:
        return "cannot decide" if verdict.outcome == "cannot_decide" else (verdict.sub_mode or "outside the families")
    mode = verdict.sub_mode or verdict.fault_class
    return f"{verdict.family} {verdict.family_name}" + (f" ({mode})" if mode else "")


def _runs(evidence: Evidence) -> list[dict[str, Any]]:
    """The scheduler's rows of the job, by when they began: a requeue makes another run."""
    if "slurm_jobs" not in evidence.store.tables():
        return []
    return sorted(evidence.frame("slurm_jobs").to_dicts(), key=lambda row: (row["start_ns"] or 0, row["seq"]))


def _scheduled(runs: Sequence[dict[str, Any]], verdict: Verdict) -> tuple[float | None, ScheduledBy]:
    """GPU-hours of all runs by the scheduler's word, else what was recorded; and whose word that is."""
    told = [
        (run["gpus_allocated"] or len(verdict.bundle.gpus)) * run["elapsed_s"] / 3600
        for run in runs
        if run["elapsed_s"]
    ]
    if any(told):
        return round(math.fsum(told), 3), "scheduler"
    held = verdict.waste.gpu_hours_held
    return held, "nobody" if held is None else "recording"


def _wait(runs: Sequence[dict[str, Any]]) -> float | None:
    """Seconds between when the job could first have begun and when it did."""
    for run in runs:
        if run["planned_s"] is not None:
            return float(run["planned_s"])
        since, began = run["eligible_ns"] or run["submit_ns"], run["start_ns"]
        if since is not None and began is not None:
            return float(max(0, began - since)) / 1e9
    return None


def _boards(verdict: Verdict, evidence: Evidence) -> tuple[Board, ...]:
    wanted = verdict.culprit_gpus
    if not wanted and verdict.first_failing.gpu_uuid and verdict.scope == "gpu":
        wanted = (verdict.first_failing.gpu_uuid,)
    if not wanted:
        return ()
    import polars as pl

    known: dict[str, Board] = {}
    for table, columns in (("devices", ("serial", "gpu_index")), ("gpu_samples", ("gpu_index",))):
        if table not in evidence.store.tables():
            continue
        rows = evidence.scan(table).filter(pl.col("gpu_uuid").is_in(list(wanted)))
        for row in (
            rows.select("gpu_uuid", "node", *columns).unique().sort("gpu_uuid", "node").collect().iter_rows(named=True)
        ):
            board = known.get(row["gpu_uuid"])
            if board is None or (board.serial is None and row.get("serial")):
                known[row["gpu_uuid"]] = Board(row["gpu_uuid"], row.get("serial"), row["node"], row["gpu_index"])
    return tuple(known.get(uuid, Board(uuid)) for uuid in wanted)


def _clocks(evidence: Evidence) -> tuple[tuple[str, ...], tuple[Low, ...]]:
    """Nodes whose SM clock while busy is known, and those below their peers; of one node nothing can be said."""
    if "gpu_samples" not in evidence.store.tables():
        return (), ()
    import polars as pl

    busy = evidence.scan("gpu_samples").filter((pl.col("engine_active") > 0.5) & pl.col("sm_clock_mhz").is_not_null())
    rows = busy.group_by("node").agg(pl.col("sm_clock_mhz").median()).sort("node").collect().rows()
    if len(rows) < 2:
        return (), ()
    # Of two nodes the faster one is the peer: the median of both would hide how far they are apart.
    peers = statistics.median_high([clock for _, clock in rows])
    return tuple(node for node, _ in rows), tuple(Low(n, clock, peers) for n, clock in rows if clock < LOW * peers)


# --- the child --------------------------------------------------------------------------------------------------------
def _serve() -> None:
    """Answer each line of standard input, the path of a bundle, with one line of JSON."""
    import resource

    from inquest.analyze.engine import analyze
    from inquest.analyze.model import plain
    from inquest.bundle.store import BundleStore

    limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints, answers stay whole
    cut = b'{"error": "a bundle was cut short while it was read: wait until it is copied, and try again"}\n'
    bus.end_with(cut, InputError.exit_code, descriptor=out.fileno())
    for line in sys.stdin.buffer:
        path = json.loads(line)
        try:
            verdict, evidence = analyze(BundleStore(Path(path)))
            answer: dict[str, Any] = {"case": plain(case_of(path, verdict, evidence))}
        except InquestError as error:
            answer = {"error": str(error)}
        except MemoryError:
            answer = {"error": f"{path}: needs more than {limit >> 20} MiB of memory: raise --memory"}
        except Exception as error:  # a fault of ours must not cost the other bundles
            answer = {"error": f"{path}: a fault in inquest ({type(error).__name__}): please report it"}
        out.write(json.dumps(answer).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    _serve()

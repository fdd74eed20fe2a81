"""Evidence of small runs; for each family a positive, a near-miss and a missing-evidence twin.

Facts are given directly, so that a family is tested apart from the reading of logs. Times are seconds after an
arbitrary start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from inquest.analyze.evidence import FACT_TABLES, Evidence
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.scan import stored_schema
from inquest.bundle.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from inquest.analyze.model import RunName

START_NS = 1_800_000_000 * 10**9


def at(seconds: float) -> int:
    """An instant, in nanoseconds."""
    return START_NS + int(seconds * 1e9)


class Run:
    """The evidence of one run, put together row by row; ``logs=False``: the output was not captured."""

    def __init__(self, *, logs: bool = True) -> None:
        self._facts: dict[str, list[dict[str, Any]]] = {}
        self._tables: dict[str, list[dict[str, Any]]] = {}
        if logs:
            self.row("log_lines", ts_ns=at(0), text="start\n", source="job.log")

    def row(self, table: str, **columns: Any) -> Run:
        """A recorded row."""
        self._tables.setdefault(table, []).append(columns)
        return self

    def fact(self, table: str, **columns: Any) -> Run:
        """A row of facts, numbered in the order given, which is also its line in the log."""
        seq = sum(map(len, self._facts.values()))
        row = {"node": "node01", "seq": seq, "line_seq": seq, "source": "job.log", "attempt": 0, **columns}
        self._facts.setdefault(table, []).append({k: v for k, v in row.items() if k in stored_schema(table)})
        return self

    def event(self, kind: Kind, text: str = "", *, role: str = "root", t: float | None = None, **columns: Any) -> Run:
        """Something a line says."""
        columns = {"pattern": "test", "framework": "test", **columns}
        return self.fact("fact_events", kind=str(kind), role=role, text=text, ts_ns=_ns(t), **columns)

    def steps(self, losses: list[float | None], *, every: float = 1.0, begin: int = 1, **columns: Any) -> Run:
        """Training steps with these losses."""
        for number, loss in enumerate(losses):
            row = {"rank": 0, "kind": "step", **columns}
            self.fact("fact_steps", step=begin + number, loss=loss, ts_ns=at(10 + number * every), **row)
        return self

    def raised(
        self, exc_type: str, message: str, *, rank: int | None = 0, t: float | None = None, **columns: Any
    ) -> Run:
        """A fatal traceback of one exception."""
        group = len(self._facts.get("fact_exceptions", []))
        given = {"group": group, "chain_index": 0, "fatal": True, "signature": exc_type + message, **columns}
        return self.fact("fact_exceptions", exc_type=exc_type, message=message, rank=rank, ts_ns=_ns(t), **given)

    def ended(self, code: int | None = 0, *, term: int | None = None, t: float | None = None, **columns: Any) -> Run:
        """How a process ended; without more said: the wrapped command, as the wrapper saw it."""
        row = {"role": "task", "said_by": "wrapper", "source": None, "line_seq": None, "attempt": None, **columns}
        return self.fact("fact_exits", exit_code=code, term_signal=term, ts_ns=_ns(t), **row)

    def evidence(self, name: RunName = "run", others: tuple[Evidence, ...] = ()) -> Evidence:
        """The evidence layer over it, and what it is held against."""
        facts = {
            table: pl.DataFrame(rows, schema=stored_schema(table), orient="row")
            for table, given in self._facts.items()
            if (rows := [{name: row.get(name) for name in stored_schema(table)} for row in given])
        }
        store = MemoryStore.from_rows({t: r for t, r in self._tables.items() if t not in FACT_TABLES}, node="node01")
        return Evidence(store, facts, name=name, others=others)


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else at(seconds)


def healthy(steps: int = 40) -> Run:
    """A run that learned and ended as planned."""
    run = Run().steps([4.0 - 0.05 * number for number in range(steps)], total_steps=steps)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=10.0 + steps)
    return run.ended(0, t=11.0 + steps)


def gpu_samples(
    run: Run, *, gpus: int = 1, seconds: int = 60, engine: float = 0.9, sm: float | None = 0.5, **columns: Any
) -> Run:
    """Samples of busy GPUs, one a second; a column given as a list holds one value for each GPU."""
    for second in range(seconds):
        for gpu in range(gpus):
            mine = {name: value[gpu] if isinstance(value, list) else value for name, value in columns.items()}
            run.row(
                "gpu_samples",
                **{
                    "gpu_uuid": f"GPU-{gpu}",
                    "ts_ns": at(10 + second),
                    "engine_active": engine,
                    "sm_active": sm,
                    "fb_used_bytes": 20 * 2**30,
                    **mine,
                },
            )
    return run


@dataclass(frozen=True, slots=True)
class Twins:
    """Three runs that differ in what decides: the family, another answer, and evidence withheld."""

    positive: Callable[[], Run]
    near_miss: Callable[[], Run]
    missing: Callable[[], Run]


_LOSSES: list[float | None] = [4.0 - 0.05 * number for number in range(40)]
_PEER = (
    "[pair.cc:553] Connection closed by peer [127.0.0.1]:53889. This is typically caused by a remote worker crashing."
)
_OOM = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.00 GiB is free."
    " Of the allocated memory 70.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated."
)
_OOM_KILL = "Memory cgroup out of memory: Killed process 4242 (python3) total-vm:1025364kB, anon-rss:314060kB"
_WATCHDOG = "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808, OpType=ALLREDUCE)"


def _killed(*, oom: bool) -> Run:
    run = Run().steps(_LOSSES)
    run.raised("RuntimeError", _PEER, rank=0, t=51)
    run.ended(None, term=9, rank=3, pid=4242, said_by="torchrun", role="worker", first_failure=True, t=52, line_seq=90)
    if oom:
        run.event(Kind.CGROUP_OOM, _OOM_KILL, num=4242.0, framework="kernel", t=50.5, line_seq=89)
        for second, kills in ((10, 0), (51, 1)):
            run.row("cgroup_samples", ts_ns=at(second), cgroup="/job", oom_kills=kills, memory_limit_bytes=2 * 2**30)
    return run.ended(1, t=53)


def _throttled(*, slower: bool, step_times: bool = True) -> Run:
    run = Run()
    for number in range(60):
        hot = number >= 30
        time = None if not step_times else 2.0 if hot and slower else 1.0
        when = at(10 + number) if step_times else None
        run.fact("fact_steps", step=number, loss=4.0, rank=0, kind="step", ts_ns=when, step_time_s=time)
        run.row(
            "gpu_samples",
            gpu_uuid="GPU-0",
            ts_ns=at(10 + number),
            throttle_reasons=0x40 if hot else 0,
            sm_clock_mhz=900 if hot else 1980,
            sm_clock_max_mhz=1980,
            engine_active=1.0,
            sm_active=0.5,
        )
    return run.ended(0, t=75)


def _timed_out(*, joined: bool) -> Run:
    run = Run()
    if joined:
        return (
            run.event(Kind.PROCESS_GROUP_READY, "ready", role="marker").raised("ValueError", "bad value").ended(1, t=30)
        )
    message = "Timed out after 601 seconds waiting for clients. 1/2 clients joined."
    return (
        run.event(Kind.RENDEZVOUS_START, "start", role="marker")
        .raised("DistStoreError", message, t=620)
        .ended(1, t=621)
    )


def _frozen(*, reported: bool) -> Run:
    run = Run()
    for rank in range(4):
        run.steps(_LOSSES, rank=rank)
    if not reported:
        return run
    for rank in (0, 1, 3):
        run.event(
            Kind.COLLECTIVE_TIMEOUT, _WATCHDOG, role="cascade", rank=rank, t=660 + rank, subject="ALLREDUCE", num=808
        )
    return run.ended(1, t=670)


def _hung(*, engine: float) -> Run:
    run = Run().steps(_LOSSES[:10])
    gpu_samples(run, seconds=300, engine=engine, sm=None)
    return run.ended(None, term=15, t=310)


def _resumed(*, loaded: bool, losses: bool = True) -> Run:
    old: list[float | None] = [4.0 - 0.05 * n if losses else None for n in range(30)]
    run = Run().steps(old, attempt=0)
    if loaded:
        run.event(Kind.CHECKPOINT_LOADED, "Continuing training from global step 20", role="marker", attempt=1, t=50)
    run.steps(old, attempt=1, begin=20 if loaded else 1)
    for number, (first, last) in enumerate(((1, 30), (20, 49) if loaded else (1, 30))):
        run.fact("fact_attempts", attempt=number, first_step=first, last_step=last, ts_ns=at(10 + number), rank=0)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker", attempt=1, t=90)
    return run.ended(0, t=91)


def _time_limit(*, how: str) -> Run:
    run = Run().steps(_LOSSES)
    text = "slurmstepd: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO TIME LIMIT ***"
    if how == "limit":
        run.event(Kind.TIME_LIMIT, text, framework="slurm", t=52)
    return run.ended(124 if how == "status" else 1, t=53)


TWINS: dict[str, Twins] = {
    "A1": Twins(
        positive=lambda: Run().raised("ModuleNotFoundError", "No module named 'flash_attn'", t=3).ended(1, t=4),
        near_miss=lambda: Run().raised("torch.OutOfMemoryError", _OOM, t=3).ended(1, t=4),
        missing=lambda: Run(logs=False).ended(1, t=4),
    ),
    "A2": Twins(
        positive=lambda: _killed(oom=True),
        near_miss=lambda: (
            Run()
            .steps(_LOSSES)
            .raised("ValueError", "bad sample", rank=1, t=51)
            .ended(None, term=15, rank=0, said_by="torchrun", role="worker", t=52)
            .ended(1, t=53)
        ),
        missing=lambda: Run().steps(_LOSSES),
    ),
    "B1": Twins(
        positive=lambda: Run().steps(_LOSSES).raised("torch.OutOfMemoryError", _OOM, rank=2, t=52).ended(1, t=53),
        near_miss=lambda: Run().raised("MemoryError", "Unable to allocate 32.0 TiB", t=5).ended(1, t=6),
        missing=Run,
    ),
    "B2": Twins(
        positive=lambda: (
            Run()
            .steps(_LOSSES)
            .event(
                Kind.XID, "NVRM: Xid (PCI:0000:4f:00): 79", num=79.0, subject="PCI:0000:4f:00", framework="kernel", t=50
            )
            .ended(1, t=53)
        ),
        near_miss=lambda: (
            Run()
            .steps(_LOSSES)
            .event(
                Kind.XID, "NVRM: Xid (PCI:0000:4f:00): 31", num=31.0, subject="PCI:0000:4f:00", framework="kernel", t=50
            )
            .ended(1, t=53)
        ),
        missing=lambda: Run().steps(_LOSSES).ended(1, t=53),
    ),
    "B3": Twins(
        positive=lambda: _throttled(slower=True),
        near_miss=lambda: _throttled(slower=False),
        missing=lambda: _throttled(slower=True, step_times=False),
    ),
    "C1": Twins(
        positive=lambda: _timed_out(joined=False),
        near_miss=lambda: _timed_out(joined=True),
        missing=Run,
    ),
    "C2": Twins(
        positive=lambda: _frozen(reported=True),
        near_miss=lambda: Run().steps(_LOSSES).raised("RuntimeError", _PEER, rank=0, t=51).ended(1, t=52),
        missing=lambda: _frozen(reported=False),
    ),
    "C3": Twins(
        positive=lambda: _hung(engine=0.0),
        near_miss=lambda: _hung(engine=0.9),
        missing=lambda: Run().steps(_LOSSES[:10]).ended(None, term=15, t=310),
    ),
    "D1": Twins(
        positive=lambda: gpu_samples(healthy(), engine=0.04, sm=0.02),
        near_miss=lambda: gpu_samples(healthy(), engine=0.9),
        missing=healthy,
    ),
    "D2": Twins(
        positive=lambda: gpu_samples(healthy(), engine=1.0, sm=0.08).row(
            "processes", event="start", role="rank", env='{"CUDA_LAUNCH_BLOCKING": "1"}'
        ),
        near_miss=lambda: gpu_samples(healthy(), engine=1.0, sm=0.6),
        missing=healthy,
    ),
    "D3": Twins(
        positive=lambda: gpu_samples(healthy(), gpus=4, engine=1.0, sm_active=[0.16, 0.55, 0.15, 0.17]),
        near_miss=lambda: gpu_samples(healthy(), gpus=4, engine=1.0, sm_active=[0.52, 0.55, 0.54, 0.53]),
        missing=healthy,
    ),
    "E1": Twins(
        positive=lambda: Run().steps([*_LOSSES[:20], *[float("nan")] * 5]).ended(0, t=60),
        near_miss=lambda: Run().steps([*_LOSSES[:20], float("nan"), *_LOSSES[20:]]).ended(0, t=60),
        missing=lambda: Run().ended(0, t=60),
    ),
    "E2": Twins(
        positive=lambda: _resumed(loaded=False),
        near_miss=lambda: _resumed(loaded=True),
        missing=lambda: _resumed(loaded=False, losses=False),
    ),
    "E3": Twins(
        positive=lambda: (
            Run()
            .steps([4.0, 3.9, 3.8], total_steps=3)
            .event(Kind.TRAIN_SUMMARY, "train_runtime: 3", role="marker", t=20)
            .ended(0, t=21)
        ),
        near_miss=lambda: Run().steps([4.0, 3.9, 3.8]).raised("ValueError", "bad sample", t=20).ended(1, t=21),
        missing=lambda: Run().steps([4.0, 3.9, 3.8]),
    ),
    "F1": Twins(
        positive=lambda: (
            Run()
            .steps(_LOSSES)
            .event(
                Kind.NODE_FAILURE,
                "slurmstepd: error: *** STEP 7.0 ON node01 CANCELLED AT ... DUE TO NODE FAILURE ***",
                framework="slurm",
                t=52,
            )
            .ended(1, t=53)
        ),
        near_miss=lambda: (
            Run()
            .steps(_LOSSES)
            .raised("ValueError", "bad sample", t=51)
            .row("slurm_jobs", state="FAILED")
            .ended(1, t=53)
        ),
        missing=lambda: Run().steps(_LOSSES),
    ),
    "F2": Twins(
        positive=lambda: (
            Run().steps(_LOSSES).event(Kind.PREEMPTED, "DUE TO PREEMPTION", framework="slurm", t=52).ended(1, t=53)
        ),
        near_miss=lambda: (
            Run()
            .steps(_LOSSES)
            .raised("ValueError", "bad sample", t=51)
            .row("slurm_jobs", state="FAILED")
            .ended(1, t=53)
        ),
        missing=lambda: Run().steps(_LOSSES),
    ),
    "F3": Twins(
        positive=lambda: _time_limit(how="limit"),
        near_miss=lambda: Run().steps(_LOSSES).raised("ValueError", "bad sample", t=51).ended(1, t=53),
        missing=lambda: Run().ended(124, t=53),
    ),
    "G1": Twins(
        positive=healthy,
        near_miss=lambda: healthy().raised("ValueError", "swallowed by the script", t=60),
        missing=lambda: Run().ended(0, t=53),
    ),
}

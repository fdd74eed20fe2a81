"""Verdicts with evidence to render. The rows are written here, not recorded: every store says ``simulated``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import polars as pl

from inquest.analyze.evidence import Evidence
from inquest.analyze.model import (
    BundleInfo,
    ChainLink,
    Claim,
    Coverage,
    Failing,
    FamilyEntry,
    Missing,
    Next,
    RowRef,
    Threshold,
    Verdict,
    Waste,
)
from inquest.bundle.schema import BY_NAME
from inquest.bundle.store import MemoryStore

START = 1_763_672_400 * 10**9
SECOND = 10**9
GIB = 1 << 30

HOSTILE = (
    "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)> </pre></details><style>*{display:none}"
    " \x1b[31mred\x1b]0;title\x07 \u202egnp.exe\u202c \u2028 \u2029 \x00 \x85 \ufeff {{ 7*7 }} {% raw %} 'quote\" &amp;"
)

FAMILIES = (
    ("A1", "Startup crash"),
    ("A2", "Signal kill without traceback"),
    ("B1", "CUDA out of memory"),
    ("B2", "GPU hardware fault"),
    ("B3", "Throttling"),
    ("C1", "Rendezvous hang"),
    ("C2", "Collective freeze"),
    ("C3", "Idle-GPU hang"),
    ("D1", "Input starvation"),
    ("D2", "Throughput-bound"),
    ("D3", "Straggler"),
    ("E1", "Divergence or not learning"),
    ("E2", "Silent restart, or crash at checkpoint load"),
    ("E3", "Undertrained"),
    ("F1", "Node down"),
    ("F2", "Requeue or preemption"),
    ("F3", "Time-out"),
    ("G1", "Healthy"),
)


@dataclass(frozen=True)
class Case:
    verdict: Verdict
    evidence: Evidence


def _entries(ruled_in: str, undecided: tuple[str, ...]) -> tuple[FamilyEntry, ...]:
    out = []
    for ident, name in FAMILIES:
        if ident == ruled_in:
            entry = FamilyEntry(
                ident,
                name,
                "ruled_in",
                "SIGKILL ended the first rank; the kernel named it in an out-of-memory kill",
                "the wrapper had reported an exit code instead of a signal",
                0.86,
                ("logs", "kernel", "processes"),
                ("c1", "c2"),
            )
        elif ident in undecided:
            entry = FamilyEntry(ident, name, "cannot_decide", "lacks gpu_samples", "GPU samples were recorded")
        else:
            entry = FamilyEntry(ident, name, "ruled_out", "no sign of it in logs or exits", "such a sign was seen")
        out.append(entry)
    return tuple(out)


def _loss(step: int) -> float:
    return 9.2 * math.exp(-step / 60) + 2.1 + 0.15 * math.sin(step / 3)


def _facts(rows: dict[str, list[dict]]) -> dict[str, pl.DataFrame]:
    types = {"i64": pl.Int64, "f64": pl.Float64, "bool": pl.Boolean, "str": pl.String, "dict": pl.String}
    out = {}
    for table, given in rows.items():
        schema = {c.name: types[c.type] for c in BY_NAME[table].columns}
        numbered = [{"seq": index, **row} for index, row in enumerate(given)]
        out[table] = pl.DataFrame(numbered, schema=schema, orient="row")
    return out


def killed(*, nodes: int = 2, per_node: int = 2, steps: int = 120, gpus: bool = True, seconds: int = 0) -> Case:
    """The last rank is killed for memory in mid-run; the others wait in a collective until they are torn down."""
    seconds = seconds or steps
    names = [f"node{index:02d}" for index in range(nodes)]
    ranks = nodes * per_node
    dead, dead_node = ranks - 1, names[-1]
    death = START + (seconds + 10) * SECOND
    end = death + 45 * SECOND
    where = {rank: names[rank // per_node] for rank in range(ranks)}
    pid = {rank: 4000 + rank % per_node for rank in range(ranks)}
    uuid = {rank: f"GPU-{rank:08x}-0000-4000-8000-000000000000" for rank in range(ranks)}

    recorded: dict[str, list[dict]] = {
        name: [] for name in ("processes", "host_samples", "cgroup_samples", "gpu_samples")
    }
    for rank in range(ranks):
        base = {"node": where[rank], "pid": pid[rank], "rank": rank, "role": "rank", "command": "python3"}
        base["start_mono_ns"] = 5 * SECOND + rank
        recorded["processes"].append({**base, "event": "start", "ts_ns": START + SECOND})
        if rank == dead:
            recorded["processes"].append({**base, "event": "exit", "ts_ns": death, "term_signal": 9})
        elif rank != 0:
            recorded["processes"].append({**base, "event": "exit", "ts_ns": end, "exit_code": 1})
    recorded["processes"].append(
        {"node": names[0], "event": "signal", "role": "task", "pid": 3999, "signal": 15, "ts_ns": end - SECOND}
        | {"sender_pid": 0}
    )
    for index, name in enumerate(names):
        for second in range(0, seconds + 55, max(1, seconds // 300)):
            falling = second / seconds if name == dead_node else 0.1
            ts = START + second * SECOND
            recorded["host_samples"].append(
                {"node": name, "ts_ns": ts, "memory_total_bytes": 512 * GIB}
                | {"memory_available_bytes": int((480 - 380 * min(falling, 1) - index % 7) * GIB)}
            )
            recorded["cgroup_samples"].append(
                {"node": name, "ts_ns": ts, "cgroup": "/slurm/job_4242/step_0", "memory_limit_bytes": 256 * GIB}
                | {"memory_used_bytes": int((20 + 236 * min(falling, 1)) * GIB)}
            )
    if gpus:
        for rank in range(ranks):
            for second in range(0, seconds + 55, max(1, seconds // 120)):
                stalled = START + second * SECOND > death
                busy = 0.0 if stalled and rank == dead else 0.99
                recorded["gpu_samples"].append(
                    {"node": where[rank], "ts_ns": START + second * SECOND, "gpu_uuid": uuid[rank]}
                    | {"gpu_index": rank % per_node, "fb_used_bytes": int((61 + rank % 5 * 0.4) * GIB)}
                    | {"fb_total_bytes": 80 * GIB, "engine_active": busy, "sm_active": 0.02 if stalled else 0.62}
                    | {
                        "temp_core_c": 41 if stalled else 64 + rank % 9,
                        "power_w": 120.5 if stalled else 640.0 + rank % 31,
                    }
                )
    recorded["slurm_events"] = [
        {"node": names[0], "ts_ns": START, "job_id": "4242", "event": "started", "state": "RUNNING"},
        {
            "node": names[0],
            "ts_ns": end,
            "job_id": "4242",
            "event": "terminal",
            "state": "FAILED",
            "reason": "NonZeroExitCode",
        },
    ]
    recorded["kernel_log"] = [
        {"node": dead_node, "ts_ns": death, "level": 3, "source": "kmsg"}
        | {"text": f"Memory cgroup out of memory: Killed process {pid[dead]} (python3) total-vm:91230420kB"}
    ]
    recorded["clock_alignment"] = [
        {"node": name, "bound_ns": 2_000_000, "method": "wall", "offset_ns": 0} for name in names
    ]
    recorded["redactions"] = [
        {"node": names[0], "rule": "hf_token", "in_table": "log_lines", "in_column": "text", "count": 3}
    ]
    lines = [f"step {step} loss {_loss(step):.4f}" for step in range(1, 20)]
    lines += [HOSTILE, "Traceback (most recent call last):", "RuntimeError: NCCL communicator was aborted", "Killed"]
    recorded["log_lines"] = [
        {"node": dead_node, "ts_ns": death - (len(lines) - index) * SECOND, "stream": "stderr", "source": "stderr.3"}
        | {"rank": dead, "offset": index * 80, "text": text, "eol": "lf"}
        for index, text in enumerate(lines)
    ]

    facts: dict[str, list[dict]] = {"fact_steps": [], "fact_exits": [], "fact_events": [], "fact_exceptions": []}
    for rank in range(ranks):
        for step in range(1, steps + 1):
            if rank == dead and step > steps - 2:
                continue
            ts = START + int((8 + step * seconds / steps) * SECOND) + rank * 1_000_000
            slow = 1.6 if rank == 3 else 1.0 + 0.01 * (rank % 7)
            facts["fact_steps"].append(
                {"node": where[rank], "ts_ns": ts, "rank": rank, "attempt": 0, "source": "stderr.3", "step": step}
                | {"loss": _loss(step) if rank == 0 else None, "lr": 3e-4 * min(step / 20, 1) if rank == 0 else None}
                | {"grad_norm": 1.0 + 40 * math.exp(-step / 4) if rank == 0 else None, "step_time_s": slow}
            )
        if rank not in (dead, 0):
            facts["fact_exits"].append(
                {"node": where[rank], "ts_ns": end, "rank": rank, "role": "rank", "said_by": "torchrun", "exit_code": 1}
            )
            facts["fact_events"].append(
                {"node": where[rank], "ts_ns": end - SECOND, "rank": rank, "role": "cascade", "kind": "peer_lost"}
                | {"text": f"rank {rank}: connection closed by peer", "source": "stderr.3", "pattern": "nccl.peer"}
            )
    facts["fact_exits"].append(
        {"node": dead_node, "ts_ns": death, "rank": dead, "role": "rank", "said_by": "wrapper", "term_signal": 9}
        | {"pid": pid[dead], "first_failure": True}
    )
    facts["fact_events"] += [
        {"node": dead_node, "ts_ns": death, "rank": dead, "role": "root", "kind": "cgroup_oom", "text": HOSTILE}
        | {"source": "stderr.3", "line_seq": 19, "pattern": "kernel.oom"},
        {"node": names[0], "ts_ns": START + 4 * SECOND, "rank": 0, "role": "marker", "kind": "process_group_ready"}
        | {"text": f"world size {ranks}", "source": "stderr.0", "pattern": "c10d.init"},
    ]
    store = MemoryStore.from_rows(recorded, job_id="4242", simulated=True)

    claims = (
        Claim(
            "c1",
            f"the wrapper saw rank {dead} end by signal 9",
            f"SELECT term_signal FROM fact_exits WHERE rank = {dead}",
            9,
            "1",
            "fact_exits",
            (RowRef("fact_exits", dead_node, len(facts["fact_exits"]) - 1),),
        ),
        Claim(
            "c2",
            "the kernel's last out-of-memory kill on that node",
            "SELECT max(ts_ns) FROM kernel_log WHERE text LIKE '%out of memory%'",
            death,
            "ns",
            "kernel_log",
            (RowRef("kernel_log", dead_node, 0, "memory"),),
            HOSTILE,
        ),
        Claim(
            "c3",
            "memory charged to the cgroup at the last sample",
            "SELECT max(memory_used_bytes) FROM cgroup_samples",
            256 * GIB,
            "bytes",
            "cgroup_samples",
        ),
        Claim(
            "c4", "log lines after the event", "SELECT count(*) FROM log_lines WHERE seq > 22", 0, "lines", "log_lines"
        ),
    )
    collectors = ("wrapper", "logs", "processes", "host", "cgroup", "kernel_log")
    coverage = [Coverage(c, n, "ok", START, end, 1200, 0) for c in collectors for n in names]
    coverage += [Coverage("nvml", n, "missing", None, None, 0, None, "libnvidia-ml.so.1 not found") for n in names]
    coverage.append(Coverage("slurm", names[0], "denied", None, None, 0, None, "sacct: permission denied"))
    verdict = Verdict(
        tool_version="0.1.0",
        bundle=BundleInfo(
            store.info.content_digest,
            "4242",
            tuple(names),
            tuple(range(ranks)),
            tuple(uuid.values()) if gpus else (),
            START,
            end,
            simulated=True,
        ),
        outcome="decided",
        family="A2",
        family_name="Signal kill without traceback",
        fault_class=None,
        sub_mode="cgroup_oom",
        confidence=0.86,
        severity="high",
        scope="rank",
        attribution="job",
        headline=f"Rank {dead} on {dead_node} was killed by SIGKILL when its cgroup reached its 256 GiB memory limit.",
        first_failing=Failing(dead, dead_node, uuid[dead], pid[dead], death, 2_000_000),
        culprit_ranks=(dead,),
        culprit_nodes=(dead_node,),
        culprit_gpus=(uuid[dead],) if gpus else (),
        chain=(
            ChainLink("A2", "trigger", death, f"cgroup limit reached, SIGKILL to rank {dead}", dead, dead_node),
            ChainLink("C2", "consequence", death + 30 * SECOND, "the other ranks wait in all_reduce", 0, names[0]),
            ChainLink(None, "consequence", end, "torchrun tears the job down", None, names[0]),
        ),
        shows=claims,
        implies=("The data loader of that rank grew until the limit was reached.",),
        cannot_decide=(Missing("Which object grew in the process", "stack samples or a heap profile"),),
        next=Next("job", "Lower num_workers or ask for more memory (--mem), then resume.", "/ckpt/step_100"),
        families=_entries("A2", ("B2", "B3", "C3", "D1", "D2", "D3")),
        warnings=("Step times of rank 3 are 1.6 times the median; it did not end the run.",),
        coverage=tuple(coverage),
        waste=Waste(42.0, 30.5, 11.5),
        thresholds=(Threshold("confidence.one_store_cap", 0.7, "1", "design.md", "one store alone can be wrong"),),
    )
    return Case(verdict, Evidence(store, _facts(facts)))


def healthy() -> Case:
    """Nothing wrong in what was captured."""
    case = killed(gpus=False)
    entries = tuple(
        replace(e, status="ruled_in" if e.family == "G1" else "ruled_out", confidence=0.7 if e.family == "G1" else 0.0)
        for e in case.verdict.families
    )
    verdict = replace(
        case.verdict,
        family="G1",
        family_name="Healthy",
        sub_mode=None,
        confidence=0.7,
        severity="none",
        scope=None,
        attribution="none",
        headline="The run reached its planned end; loss fell from 11.2 to 3.3.",
        first_failing=Failing(),
        culprit_ranks=(),
        culprit_nodes=(),
        culprit_gpus=(),
        chain=(),
        next=Next(None, "Nothing to do.", None),
        families=entries,
        waste=Waste(),
    )
    return Case(verdict, case.evidence)


def bare() -> Case:
    """A log without any time, and nothing else: most fields are null."""
    rows = {"log_lines": [{"node": "n", "source": "job.out", "offset": 0, "text": HOSTILE, "eol": "lf"}]}
    facts = {
        "fact_steps": [
            {"node": "n", "source": "job.out", "attempt": 0, "step": s, "loss": math.nan if s > 3 else 5.0 - s}
            for s in range(6)
        ],
        "fact_exits": [],
        "fact_events": [],
        "fact_exceptions": [],
    }
    store = MemoryStore.from_rows(rows)
    whole = killed(gpus=False).verdict
    verdict = replace(
        whole,
        bundle=BundleInfo(store.info.content_digest, None, ("n",), (), (), None, None),
        outcome="cannot_decide",
        family=None,
        family_name=None,
        sub_mode=None,
        confidence=0.0,
        scope=None,
        severity="none",
        attribution="unknown",
        headline="The evidence does not tell what ended the run: " + HOSTILE,
        first_failing=Failing(),
        culprit_ranks=(),
        culprit_nodes=(),
        culprit_gpus=(),
        chain=(),
        shows=(),
        implies=(),
        families=tuple(replace(e, status="cannot_decide") for e in whole.families),
        coverage=(),
        waste=Waste(),
        warnings=(),
        thresholds=(),
        next=Next(None, HOSTILE, HOSTILE),
    )
    return Case(verdict, Evidence(store, _facts(facts)))

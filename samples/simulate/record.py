"""A simulated job as node directories, through the real journal, labelled simulated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inquest.bundle import nodedir
from inquest.bundle.journal import Journal

from . import physics, story

if TYPE_CHECKING:
    from .plan import Plan

_SECOND = 1_000_000_000
_BOOT_NS = 400_000 * _SECOND


def record(plan: Plan, out: Path) -> list[Path]:
    """Write one node directory a node below ``out``; returns them."""
    done = physics.run(plan)
    told = story.tell(plan, done)
    gpus = physics.gpu_samples(plan, done, 1.0)
    hosts = physics.host_samples(plan, done, 1.0)
    return [_node(plan, done, told, gpus, hosts, node, number, out) for number, node in enumerate(plan.nodes)]


def _node(
    plan: Plan,
    done: physics.Run,
    told: story.Told,
    gpus: list[dict[str, Any]],
    hosts: list[dict[str, Any]],
    node: str,
    number: int,
    out: Path,
) -> Path:
    lost = plan.fault == "node_down" and node == plan.node_of(plan.sick)
    until = done.struck if lost and done.struck is not None else done.end + 1
    directory = nodedir.create_capture(out, node, fsync=False, facts={"simulated": True, "tool_version": "simulated"})
    identity = json.loads((Path(directory) / nodedir.NODE_JSON).read_text())
    journal = Journal(directory, identity["capture"], node, identity["boot_id"], fsync=False)
    base = _BOOT_NS + number * 977 * _SECOND

    def mono(at: float) -> int:
        return base + int(at * _SECOND)

    ranks = [rank for rank in range(plan.world) if plan.node_of(rank) == node]
    journal.append(
        "node_info",
        [
            {
                "ts_mono_ns": mono(0),
                "hostname": node,
                "slurm_node": node,
                "gpus": len(ranks),
                "gpu_uuids": ",".join(plan.uuid(rank) for rank in ranks),
                "gpu_models": ",".join(plan.model for _ in ranks),
                "simulated": True,
                "tool_version": "simulated",
            }
        ],
    )
    collectors = {
        "gpu": "gpu_samples", "host": "host_samples", "processes": "processes", "kernel_log": "kernel_log"
    }  # fmt: skip
    for name, tables in collectors.items():
        row = {"collector": name, "outcome": "ok", "tables": tables, "drops": 0}
        journal.append(
            "collection", [{**row, "ts_mono_ns": mono(0), "from_mono_ns": mono(0), "to_mono_ns": mono(until)}]
        )
    environment = json.dumps({"WORLD_SIZE": str(plan.world), "SLURM_JOB_NODELIST": ",".join(plan.nodes)})
    common = {"job_id": str(plan.job_id), "world_size": plan.world, "env": environment, "role": "rank"}
    for rank in ranks:
        about = {**common, "rank": rank, "pid": plan.pid(rank), "task": rank % plan.gpus_per_node}
        journal.append("processes", [{**about, "event": "start", "ts_mono_ns": mono(1)}])
        journal.append(
            "gpu_processes",
            [
                {
                    "ts_mono_ns": mono(15),
                    "gpu_uuid": plan.uuid(rank),
                    "gpu_index": rank % plan.gpus_per_node,
                    "pid": plan.pid(rank),
                    "rank": rank,
                    "event": "attached",
                }
            ],
        )
        code, number_of_signal = told.rank_exits[rank]
        if not lost:
            ending = {"exit_code": code, "term_signal": number_of_signal, "event": "exit"}
            journal.append("processes", [{**about, **ending, "ts_mono_ns": mono(done.end)}])
    if not lost:
        bad = told.exit_code or told.signal
        ending = {"exit_code": told.exit_code if told.exit_code or not bad else None, "term_signal": None}
        if not told.exit_code and bad:
            ending["term_signal"] = told.signal if told.signal < 65 else 9
        task = {"role": "task", "pid": 900, "task": 0, "job_id": str(plan.job_id), "env": environment}
        journal.append("processes", [{**task, "event": "start", "ts_mono_ns": mono(0)}])
        journal.append("processes", [{**task, **ending, "event": "exit", "ts_mono_ns": mono(done.end + 0.5)}])
    offset = 0
    lines = []
    for line in told.lines:
        where = plan.nodes[0] if line.rank is None else plan.node_of(line.rank)
        if where == node and line.at <= until:
            row = {"stream": "stdout", "source": "stdout", "task": 0, "rank": line.rank, "offset": offset}
            offset += len(line.text) + 1
            row |= {"text": line.text, "eol": "lf", "line_bytes": len(line.text), "ts_mono_ns": mono(line.at)}
            lines.append(row)
    journal.append("log_lines", lines)
    messages = [(at, text) for at, where, text in told.kernel if where == node]
    noted = [{"ts_mono_ns": mono(at), "level": 3, "text": text, "source": "kmsg"} for at, text in messages]
    journal.append("kernel_log", noted)
    for table, samples in (("gpu_samples", gpus), ("host_samples", hosts)):
        mine = [s for s in samples if s["at"] < until and node == (s.get("node") or plan.node_of(s["rank"]))]
        rows = [
            {"ts_mono_ns": mono(s["at"]), **{name: s[name] for name in s if name not in ("at", "rank", "node")}}
            for s in mine
        ]
        for at in range(0, len(rows), 4096):
            journal.append(table, rows[at : at + 4096])
    for second in range(0, int(until), 10):
        wall = plan.start_ns + second * _SECOND
        journal.append("clock_samples", [{"ts_mono_ns": mono(second), "wall_ns": wall, "kernel_error_us": 90.0}])
    if node == plan.nodes[0]:
        for table, rows in slurm_rows(plan, done, told).items():
            journal.append(table, [{**row, "ts_mono_ns": mono(done.end + 0.9)} for row in rows])
    journal.close()
    return Path(directory).parent


def slurm_rows(plan: Plan, done: physics.Run, told: story.Told) -> dict[str, list[dict[str, Any]]]:
    """What the scheduler's records say of the job."""
    end = plan.start_ns + int(done.end) * _SECOND
    job = {
        "job_id": str(plan.job_id),
        "state": told.state,
        "exit_code": told.exit_code,
        "term_signal": told.signal or None,
        "start_ns": plan.start_ns // _SECOND * _SECOND,
        "end_ns": end // _SECOND * _SECOND,
        "elapsed_s": int(done.end),
        "time_limit_s": int(done.end) if plan.fault == "time_limit" else plan.time_limit_s,
        "node_list": ",".join(plan.nodes),
        "nodes": len(plan.nodes),
    }
    rows: dict[str, list[dict[str, Any]]] = {"slurm_jobs": [job]}
    if plan.fault == "preempted":
        again = {"state": "PENDING", "exit_code": None, "term_signal": None, "start_ns": None, "end_ns": None}
        rows["slurm_jobs"].append({**job, **again, "elapsed_s": 0, "reason": "BeginTime", "restarts": 1})
    for _, node, state, reason in told.node_states:
        rows.setdefault("slurm_nodes", []).append({"slurm_node_name": node, "state": state, "reason": reason})
    return rows

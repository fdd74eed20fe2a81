"""A simulated job as an operator would have it without inquest: files under many names, each in its own form.

DCGM metrics as an answer of Prometheus' query_range, accounting as ``sacct --parsable2`` prints it (local time, no
zone), one kernel log a node as ``dmesg -T`` or journalctl prints it, and logs as the launcher left them. ``meta.json``
lies beside them, or what it would say must be inferred.
"""

from __future__ import annotations

import datetime
import json
import random
from typing import TYPE_CHECKING, Any

from . import physics, story

if TYPE_CHECKING:
    from pathlib import Path

    from .plan import Plan

_SECOND = 1_000_000_000
# Column of gpu_samples, metric of dcgm-exporter, and what to multiply the column with.
_METRICS = (
    ("engine_active", "DCGM_FI_DEV_GPU_UTIL", 100),
    ("sm_active", "DCGM_FI_PROF_SM_ACTIVE", 1),
    ("tensor_active", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 1),
    ("dram_active", "DCGM_FI_PROF_DRAM_ACTIVE", 1),
    ("fb_used_bytes", "DCGM_FI_DEV_FB_USED", 1 / (1 << 20)),
    ("power_w", "DCGM_FI_DEV_POWER_USAGE", 1),
    ("temp_core_c", "DCGM_FI_DEV_GPU_TEMP", 1),
    ("sm_clock_mhz", "DCGM_FI_DEV_SM_CLOCK", 1),
    ("throttle_reasons", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 1),
    ("ecc_uncorrected_volatile", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 1),
    ("ecc_uncorrected_aggregate", "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", 1),
)


def export(plan: Plan, out: Path, *, offset_minutes: int = 0, meta: bool = True, interval: float = 5.0) -> None:
    """Write the files of the job into ``out``; text times are local time, ``offset_minutes`` ahead of UTC."""
    out.mkdir(parents=True, exist_ok=True)
    chance = random.Random(f"export/{plan.seed}/{plan.fault}")
    done = physics.run(plan)
    told = story.tell(plan, done)
    shift = datetime.timezone(datetime.timedelta(minutes=offset_minutes))

    def local(at: float) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(plan.start_ns / _SECOND + at, tz=shift)

    (out / chance.choice(("metrics.json", "prom.json", "dcgm_query_range.json", "gpu"))).write_text(
        json.dumps(_query_range(plan, physics.gpu_samples(plan, done, interval), interval))
    )
    (out / chance.choice(("sacct.txt", "job.txt", f"{plan.job_id}.acct"))).write_text(_sacct(plan, done, told, local))
    for node in plan.nodes:
        (out / f"{node}.{chance.choice(('dmesg', 'kern.log', 'dmesg.txt'))}").write_text(
            _dmesg(plan, told, node, local)
        )
    _logs(plan, told, out, local, chance)
    if meta:
        about: dict[str, Any] = {
            "job_id": str(plan.job_id),
            "utc_offset_minutes": offset_minutes,
            "scrape_interval_s": interval,
        }
        about["collected_at"] = local(done.end + 3600).isoformat()
        (out / "meta.json").write_text(json.dumps(about))


def _query_range(plan: Plan, samples: list[dict[str, Any]], interval: float) -> dict[str, Any]:
    first = plan.start_ns // _SECOND
    series: dict[tuple[str, int], list[list[Any]]] = {}
    for sample in samples:
        at = first + int(sample["at"] // interval + 1) * interval
        for column, metric, scale in _METRICS:
            value = sample[column] * scale
            text = str(round(value)) if scale != 1 or isinstance(sample[column], int) else f"{value:g}"
            series.setdefault((metric, sample["rank"]), []).append([at, text])
    result = [
        {
            "metric": {
                "__name__": metric,
                "Hostname": plan.node_of(rank),
                "UUID": plan.uuid(rank),
                "gpu": str(rank % plan.gpus_per_node),
                "device": f"nvidia{rank % plan.gpus_per_node}",
                "modelName": plan.model,
                "instance": f"{plan.node_of(rank)}:9400",
                "job": "dcgm",
            },
            "values": values,
        }
        for (metric, rank), values in series.items()
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def _sacct(plan: Plan, done: physics.Run, told: story.Told, local: Any) -> str:  # noqa: ANN401
    form = "%Y-%m-%dT%H:%M:%S"
    start, end = local(0).strftime(form), local(done.end).strftime(form)
    spent = str(datetime.timedelta(seconds=int(done.end)))
    limit = str(datetime.timedelta(seconds=int(done.end) if plan.fault == "time_limit" else plan.time_limit_s))
    exit_text = "0:0" if told.state == "NODE_FAIL" else f"{told.exit_code}:{told.signal}"
    nodes = ",".join(plan.nodes)
    rows = ["JobID|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|NodeList"]
    rows.append(f"{plan.job_id}|train|{told.state}|{exit_text}|{start}|{end}|{spent}|{limit}|{len(plan.nodes)}|{nodes}")
    step_state = "CANCELLED" if told.state.startswith(("TIMEOUT", "CANCELLED", "PREEMPTED")) else told.state
    rows.append(f"{plan.job_id}.batch|batch|{step_state}|{exit_text}|{start}|{end}|{spent}||1|{plan.nodes[0]}")
    rows.append(f"{plan.job_id}.0|python3|{step_state}|{exit_text}|{start}|{end}|{spent}||{len(plan.nodes)}|{nodes}")
    if plan.fault == "preempted":
        rows.append(f"{plan.job_id}|train|PENDING|0:0|Unknown|Unknown|00:00:00|{limit}|{len(plan.nodes)}|None assigned")
    return "\n".join(rows) + "\n"


def _dmesg(plan: Plan, told: story.Told, node: str, local: Any) -> str:  # noqa: ANN401
    form = "%a %b %d %H:%M:%S %Y"
    lines = [f"[{local(-86400).strftime(form)}] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.15"]
    lines += [f"[{local(at).strftime(form)}] {text}" for at, where, text in told.kernel if where == node]
    return "\n".join(lines) + "\n"


def _logs(plan: Plan, told: story.Told, out: Path, local: Any, chance: random.Random) -> None:  # noqa: ANN401
    stamped = [
        (line, f"{local(line.at):%Y-%m-%d %H:%M:%S},{local(line.at).microsecond // 1000:03d} {line.text}")
        for line in told.lines
    ]
    if chance.random() < 0.5:
        (out / f"slurm-{plan.job_id}.out").write_text("".join(f"{text}\n" for _, text in stamped))
        return
    by_rank: dict[int | None, list[str]] = {}
    for line, text in stamped:
        by_rank.setdefault(line.rank, []).append(text)
    for rank, texts in by_rank.items():
        name = "launcher.log" if rank is None else f"rank{rank}.log"
        (out / name).write_text("".join(f"{text}\n" for text in texts))

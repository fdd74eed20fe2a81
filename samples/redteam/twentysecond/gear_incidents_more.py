"""What t13 to t24 of the twenty-second set write with beyond the older rigs: cards, exports, accounts. SIMULATED."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, put, took
from samples.redteam.twentyfirst.rig_incidents import MODELS, PROFILED, Model, Park, text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

MODELS.update(
    {
        "A100-80": Model("NVIDIA A100-SXM4-80GB", 400, 61, 81920, 1410, 210, 1593, 1593, 0.1, driver="550.163.01"),
        "A100-40": Model("NVIDIA A100-SXM4-40GB", 400, 53, 40960, 1410, 210, 1215, 1215, 0.1, driver="535.230.02"),
        "A6000": Model("NVIDIA RTX A6000", 300, 22, 49140, 1800, 210, 8001, 405, 0.16, driver="570.133.20"),
        "A10": Model("NVIDIA A10", 150, 20, 23028, 1695, 210, 6251, 405, 0.26, driver="535.216.01"),
        "H200": Model("NVIDIA H200", 700, 77, 143771, 1980, 345, 3201, 3201, 0.054, driver="570.172.08"),
        "3090": Model(
            "NVIDIA GeForce RTX 3090",
            350,
            24,
            24576,
            1695,
            210,
            9501,
            405,
            0.12,
            ecc=False,
            rows=False,
            driver="550.144.03",
        ),
    }
)
ISO = "%Y-%m-%dT%H:%M:%S"


def victoria(place: Path, name: str, park: Park, labels: Callable[[int, int], dict[str, str]]) -> None:
    """What VictoriaMetrics' /api/v1/export gives: a series a line, times in milliseconds."""
    lines = []
    for n, g in park.all():
        rows = park.rows(n, g)
        for key in rows[0][1]:
            full = f"DCGM_FI_{'PROF' if key in PROFILED else 'DEV'}_{key}"
            one = {
                "metric": {"__name__": full, **labels(n, g)},
                "values": [float(text(key, r[key])) if "." in text(key, r[key]) else int(r[key]) for _, r in rows],
                "timestamps": [int(t * 1000) for t, _ in rows],
            }
            lines.append(json.dumps(one, separators=(",", ":")))
    put(place, name, lines)


def kube_labels(park: Park, namespace: str, pod: str, container: str) -> Callable[[int, int], dict[str, str]]:
    """Labels of dcgm-exporter below Kubernetes."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": park.of.driver,
        "Hostname": park.nodes[n],
        "UUID": park.uuid(n, g),
        "container": "nvidia-dcgm-exporter",
        "device": f"nvidia{g}",
        "endpoint": "gpu-metrics",
        "exported_container": container,
        "exported_namespace": namespace,
        "exported_pod": pod,
        "gpu": str(g),
        "instance": f"10.42.{3 + n}.17:9400",
        "job": "nvidia-dcgm-exporter",
        "modelName": park.of.name,
        "namespace": "gpu-operator",
        "pci_bus_id": f"00000000:{park.bus(g)}",
        "pod": "nvidia-dcgm-exporter-x7kqp",
        "service": "nvidia-dcgm-exporter",
    }


def scontrol(
    job: int,
    name: str,
    user: str,
    state: str,
    code: str,
    times: tuple[float, float, float],
    east: int,
    nodes: str,
    count: int,
    gpus: int,
    limit: str,
    *,
    reason: str = "None",
    script: str = "",
    out: str = "",
) -> list[str]:
    """What ``scontrol show job`` says of one job."""
    sub, begin, end = (clock(t, east, ISO) for t in times)
    cpus = 8 * gpus * count
    return [
        f"JobId={job} JobName={name}",
        f"   UserId={user}(21{len(user):03d}) GroupId=users(100) MCS_label=N/A",
        "   Priority=4294901211 Nice=0 Account=ml QOS=normal",
        f"   JobState={state} Reason={reason} Dependency=(null)",
        f"   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode={code}",
        f"   RunTime={took(times[2] - times[1])} TimeLimit={limit} TimeMin=N/A",
        f"   SubmitTime={sub} EligibleTime={sub}",
        f"   AccrueTime={sub}",
        f"   StartTime={begin} EndTime={end} Deadline=N/A",
        f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={begin} Scheduler=Backfill",
        "   Partition=gpu AllocNode:Sid=login2:184023",
        "   ReqNodeList=(null) ExcNodeList=(null)",
        f"   NodeList={nodes}",
        f"   BatchHost={nodes.split('[')[0] + nodes.split('[')[1][:2] if '[' in nodes else nodes}",
        f"   NumNodes={count} NumCPUs={cpus} NumTasks={gpus * count} CPUs/Task=8 ReqB:S:C:T=0:0:*:*",
        f"   ReqTRES=cpu={cpus},mem={96 * gpus * count // 2}G,node={count},billing={cpus},gres/gpu={gpus * count}",
        f"   AllocTRES=cpu={cpus},mem={96 * gpus * count // 2}G,node={count},billing={cpus},gres/gpu={gpus * count}",
        "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*",
        "   MinCPUsNode=8 MinMemoryNode=96G MinTmpDiskNode=0",
        "   Features=(null) DelayBoot=00:00:00",
        "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
        f"   Command={script}",
        f"   WorkDir={script.rsplit('/', 1)[0]}",
        f"   StdErr={out}",
        "   StdIn=/dev/null",
        f"   StdOut={out}",
        f"   TresPerNode=gres/gpu:{gpus}",
        "",
    ]


def accounting_json(
    place: Path, name: str, job: int, title: str, state: str, times: Sequence[float], nodes: str, count: int, limit: int
) -> None:
    """What ``sacct --json`` says of one job that ended well or not, much shortened by a site's filter."""

    def number(n: int) -> dict[str, object]:
        return {"set": True, "infinite": False, "number": n}

    well = state == "COMPLETED"
    code = {
        "status": ["SUCCESS" if well else "ERROR"],
        "return_code": number(0 if well else 1),
        "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
    }
    sub, begin, end = (int(t) for t in times)
    span = {"elapsed": end - begin, "end": end, "start": begin, "suspended": 0}
    steps = [
        {
            "state": [state],
            "exit_code": code,
            "nodes": {"count": c, "range": where, "list": []},
            "step": {"id": f"{job}.{s}", "name": n},
            "tasks": {"count": c},
            "time": {**span, "start": number(begin + d), "end": number(end)},
        }
        for s, n, c, where, d in (("batch", "batch", 1, nodes, 0), ("0", "python", count, nodes, 3))
    ]
    one = {
        "account": "vision",
        "allocation_nodes": count,
        "cluster": "cedar",
        "exit_code": code,
        "job_id": job,
        "name": title,
        "nodes": nodes,
        "partition": "a100",
        "restart_cnt": 0,
        "state": {"current": [state], "reason": "None"},
        "steps": steps,
        "time": {**span, "eligible": sub, "submission": sub, "limit": number(limit)},
        "user": "rmw",
    }
    meta = {
        "plugin": {"type": "openapi/slurmdbd", "name": "Slurm OpenAPI slurmdbd", "data_parser": "data_parser/v0.0.41"},
        "slurm": {"version": {"major": "24", "micro": "4", "minor": "05"}, "release": "24.05.4", "cluster": "cedar"},
    }
    put(place, name, json.dumps({"jobs": [one], "meta": meta, "errors": [], "warnings": []}, indent=2) + "\n")

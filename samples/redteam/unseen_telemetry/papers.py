"""The files of an incident: logs, sacct, scontrol, kernel logs, and dcgm-exporter's series by query_range."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .job import DEFAULT
from .machine import readings

if TYPE_CHECKING:
    from pathlib import Path

    from .job import Job, Run

EXTENDED = ("SM_ACTIVE", "SM_OCCUPANCY", "THROTTLE_REASONS", "VIOLATION", "DBE_VOL", "CRC_FLIT")


def logs(job: Job, folder: Path) -> None:
    """One slurm-ID.out, or a file a rank."""
    told = sorted(job.log, key=lambda entry: entry[0])
    how = job.options.get("log", "slurm")
    if how == "slurm":
        (folder / f"slurm-{job.job_id}.out").write_text("".join(line + "\n" for _, _, line in told))
    elif how == "label":
        (folder / f"job_{job.job_id}.log").write_text("".join(f"{rank}: {line}\n" for _, rank, line in told))
    else:
        place = folder / "logs"
        place.mkdir()
        for rank in sorted({rank for _, rank, _ in told}):
            (place / f"rank_{rank}.log").write_text("".join(line + "\n" for _, who, line in told if who == rank))


def kernels(job: Job, folder: Path) -> None:
    """Dmesg of each node: -T, raw, or the journal's."""
    how = job.options.get("dmesg", "T")
    boot = job.epoch - 900_000
    for host, said in job.kernel.items():
        lines = []
        for second, text in sorted(said):
            at = job.when(second)
            if how == "T":
                lines.append(f"[{at:%a %b} {at.day:2d} {at:%H:%M:%S %Y}] {text}")
            elif how == "raw":
                lines.append(f"[{job.epoch + second - boot:12.6f}] {text}")
            else:
                zone = f"{job.offset_min // 60:+03d}{abs(job.offset_min) % 60:02d}"
                lines.append(f"{at:%Y-%m-%dT%H:%M:%S}{zone} {host.split('.')[0]} kernel: {text}")
        name = f"journal-{host}.txt" if how == "journal" else f"dmesg_{host}.txt"
        (folder / name).write_text("\n".join(lines) + "\n")


def _elapsed(seconds: float) -> str:
    whole = int(seconds)
    days, rest = divmod(whole, 86400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


def _range(hosts: tuple[str, ...]) -> str:
    return ",".join(host.split(".")[0] for host in hosts)


def accounting(job: Job, folder: Path) -> None:
    """What sacct says, as text or JSON; and scontrol's word where it was asked in time."""
    how = job.options.get("sacct", "P")
    if how == "json":
        (folder / "sacct.json").write_text(json.dumps(_json(job), indent=1) + "\n")
    else:
        wide = how == "P"
        columns = (
            (
                "JobID",
                "JobName",
                "Partition",
                "AllocNodes",
                "State",
                "ExitCode",
                "DerivedExitCode",
                "Start",
                "End",
                "Elapsed",
                "Timelimit",
                "NodeList",
            )
            if wide
            else ("JobIDRaw", "User", "State", "ExitCode", "Submit", "Start", "End", "NodeList", "MaxRSS", "Reason")
        )
        rows = ["|".join(columns)]
        for run in job.runs:
            rows += _rows(job, run, columns)
        (folder / "sacct.txt").write_text("\n".join(rows) + "\n")
    if job.options.get("node"):
        (folder / "scontrol_node.txt").write_text(job.options["node"])
    if job.options.get("scontrol"):
        (folder / "scontrol_job.txt").write_text(_scontrol(job))


def _stamp(job: Job, second: float | None) -> str:
    return "Unknown" if second is None else f"{job.when(second):%Y-%m-%dT%H:%M:%S}"


def _rows(job: Job, run: Run, columns: tuple[str, ...]) -> list[str]:
    hosts = run.nodes or tuple(job.hosts)
    pending = run.state == "PENDING"
    base = {
        "Partition": "gpu",
        "User": "tnovak",
        "JobName": "pretrain",
        "AllocNodes": str(0 if pending else len(hosts)),
        "Start": "Unknown" if pending else _stamp(job, run.begin),
        "End": _stamp(job, run.end),
        "Submit": _stamp(job, -9100),
        "Elapsed": _elapsed((run.end or run.begin) - run.begin),
        "Timelimit": _elapsed(job.limit_min * 60),
        "NodeList": "None assigned" if pending else _range(hosts),
        "Reason": "None",
        "MaxRSS": "",
    }
    job_id = str(job.job_id)
    rows = [
        base
        | {
            "JobID": job_id,
            "JobIDRaw": job_id,
            "State": run.state,
            "ExitCode": run.exit_code,
            "DerivedExitCode": run.derived or run.exit_code,
        }
    ]
    if not pending:
        step = {"Partition": "", "User": "", "DerivedExitCode": "", "Timelimit": "", "Reason": ""}
        state = run.state.split()[0]
        batch = {
            "TIMEOUT": "CANCELLED",
            "PREEMPTED": "CANCELLED",
            "NODE_FAIL": "CANCELLED",
            "REQUEUED": "CANCELLED",
        }.get(state, state)
        code = "0:15" if batch == "CANCELLED" else run.exit_code
        rows += [
            base
            | step
            | {
                "JobID": job_id + ".batch",
                "JobIDRaw": job_id + ".batch",
                "JobName": "batch",
                "AllocNodes": "1",
                "State": batch,
                "ExitCode": code,
                "NodeList": _range(hosts[:1]),
                "MaxRSS": "81236K",
            },
            base
            | step
            | {
                "JobID": job_id + ".extern",
                "JobIDRaw": job_id + ".extern",
                "JobName": "extern",
                "State": "COMPLETED",
                "ExitCode": "0:0",
                "MaxRSS": "1012K",
            },
            base
            | step
            | {
                "JobID": job_id + ".0",
                "JobIDRaw": job_id + ".0",
                "JobName": "torchrun",
                "State": run.step_state or batch,
                "ExitCode": run.step_exit or code,
                "MaxRSS": "71920344K",
            },
        ]
    return ["|".join(row[column] for column in columns) for row in rows]


def _json(job: Job) -> dict[str, Any]:
    def number(value: int | None) -> dict[str, Any]:
        return {"set": value is not None, "infinite": False, "number": value or 0}

    def code(text: str) -> dict[str, Any]:
        status, signal = (int(part) for part in text.split(":"))
        names = {9: "KILL", 11: "SEGV", 15: "TERM", 125: "", 0: ""}
        return {
            "status": ["SIGNALED" if signal else "ERROR" if status else "SUCCESS"],
            "return_code": number(status),
            "signal": {"id": number(signal or None), "name": names.get(signal, "")},
        }

    jobs = []
    for run in job.runs:
        hosts = run.nodes or tuple(job.hosts)
        state = run.state.split()[0]
        begin, end = job.epoch + int(run.begin), 0 if run.end is None else job.epoch + int(run.end)
        times = {"elapsed": max(0, end - begin), "start": begin, "end": end, "suspended": 0}
        jobs.append(
            {
                "job_id": job.job_id,
                "name": "pretrain",
                "user": "tnovak",
                "account": "llm",
                "partition": "gpu",
                "cluster": "hpc",
                "nodes": _range(hosts),
                "allocation_nodes": len(hosts),
                "state": {"current": [state], "reason": "None"},
                "exit_code": code(run.exit_code),
                "derived_exit_code": code(run.derived or run.exit_code),
                "time": {
                    **times,
                    "submission": begin - 800,
                    "eligible": begin - 800,
                    "limit": number(job.limit_min),
                    "planned": number(800),
                },
                "restart_cnt": 0,
                "kill_request_user": "tnovak" if state == "CANCELLED" else "",
                "steps": [
                    {
                        "step": {"id": f"{job.job_id}.0", "name": "torchrun"},
                        "state": [(run.step_state or state)],
                        "exit_code": code(run.step_exit or run.exit_code),
                        "time": {
                            key: value if key in ("elapsed", "suspended") else number(value)
                            for key, value in times.items()
                        },
                        "nodes": {
                            "count": len(hosts),
                            "range": _range(hosts),
                            "list": [host.split(".")[0] for host in hosts],
                        },
                        "tasks": {"count": len(hosts)},
                    }
                ],
            }
        )
    return {
        "jobs": jobs,
        "meta": {
            "plugin": {
                "type": "openapi/slurmdbd",
                "name": "Slurm OpenAPI slurmdbd",
                "data_parser": "data_parser/v0.0.40",
            },
            "slurm": {"version": {"major": "24", "micro": "4", "minor": "05"}, "release": "24.05.4", "cluster": "hpc"},
        },
        "errors": [],
        "warnings": [],
    }


def _scontrol(job: Job) -> str:
    run = job.runs[-1]
    state = run.state.split()[0]
    reason = {
        "TIMEOUT": "TimeLimit",
        "FAILED": "NonZeroExitCode",
        "NODE_FAIL": "NodeDown",
        "OUT_OF_MEMORY": "OutOfMemory",
    }.get(state, "None")
    return (
        f"JobId={job.job_id} JobName=pretrain\n   UserId=tnovak(20417) GroupId=llm(2100) MCS_label=N/A\n   Priority=41234 Nice=0 Account=llm QOS=normal\n"
        f"   JobState={state} Reason={reason} Dependency=(null)\n   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode={run.exit_code}\n"
        f"   RunTime={_elapsed((run.end or 0) - run.begin)} TimeLimit={_elapsed(job.limit_min * 60)} TimeMin=N/A\n"
        f"   SubmitTime={_stamp(job, -9100)} EligibleTime={_stamp(job, -9100)}\n   StartTime={_stamp(job, run.begin)} EndTime={_stamp(job, run.end)} Deadline=N/A\n"
        f"   Partition=gpu AllocNode:Sid=login2:30122\n   ReqNodeList=(null) ExcNodeList=(null)\n   NodeList={_range(tuple(job.hosts))}\n   BatchHost={job.hosts[0].split('.')[0]}\n"
        f"   NumNodes={job.nodes} NumCPUs={job.nodes * 96} NumTasks={job.nodes} CPUs/Task=96 ReqB:S:C:T=0:0:*:*\n   Command=/home/tnovak/run/pretrain.sbatch\n   WorkDir=/home/tnovak/run\n"
    )


def series(job: Job, folder: Path) -> None:
    """What Prometheus answers to query_range for the job's hosts."""
    margin, before = 300, int(job.options.get("before_s", "300"))
    begin = (job.epoch - before) // job.every * job.every - job.epoch
    seconds = range(begin, int(job.end) + margin, job.every)
    found: dict[str, list[dict[str, Any]]] = {}
    by_host: dict[str, list[dict[str, Any]]] = {}
    late = 0.781 if job.options.get("labels") == "k8s" else 0
    only = job.options.get("only", "").split()
    for host, gpu, whose in [*((host, gpu, str(job.job_id)) for host, gpu in job.every_gpu()), *job.others]:
        for name, values in readings(job.board, gpu, seconds, job.rng).items():
            if job.metrics == DEFAULT and any(part in name for part in EXTENDED):
                continue
            if only and not any(name.endswith(part) for part in only):
                continue
            labels = {
                "__name__": name,
                "DCGM_FI_DRIVER_VERSION": job.board.driver,
                "Hostname": host,
                "UUID": gpu.uuid,
                "device": f"nvidia{gpu.index}",
                "gpu": str(gpu.index),
                "instance": f"10.31.{job.hosts.index(host) // 250}.{job.hosts.index(host) % 250 + 4}:9400",
                "job": "dcgm-exporter",
                "modelName": job.board.name,
                "pci_bus_id": gpu.bus,
            }
            labels = _labels(job.options.get("labels", ""), labels, whose)
            told = {
                "metric": labels,
                "values": [
                    [job.epoch + second + late, f"{value:.6f}" if isinstance(value, float) else str(value)]
                    for second, value in values
                ],
            }
            found.setdefault(name, []).append(told)
            by_host.setdefault(host, []).append(told)
    how = job.options.get("dcgm", "one")
    if how == "metric":
        place = folder / "prometheus"
        place.mkdir()
        for name, results in found.items():
            _answer(place / f"{name}.json", results)
    elif how == "host":
        for host, results in by_host.items():
            _answer(folder / f"dcgm_{host}.json", results)
    else:
        _answer(folder / "dcgm_query_range.json", [one for results in found.values() for one in results])


def _labels(how: str, labels: dict[str, str], whose: str) -> dict[str, str]:
    """The labels as other set-ups have them: a job's number, a pod's names, or what ``avg by`` leaves."""
    if how == "avg":
        return {key: labels[key] for key in ("Hostname", "gpu")}
    if how == "k8s":
        gone = {key: value for key, value in labels.items() if key not in ("job", "instance")}
        return gone | {
            "container": "exporter",
            "endpoint": "metrics",
            "exported_container": "trainer",
            "exported_namespace": "llm",
            "exported_pod": f"pretrain-{whose}-worker-0",
            "instance": labels["instance"],
            "job": "nvidia-dcgm-exporter",
            "namespace": "gpu-operator",
            "pod": "nvidia-dcgm-exporter-k7x2p",
            "service": "nvidia-dcgm-exporter",
        }
    if how == "hpc":
        return labels | {"hpc_job": whose}
    return labels


def _answer(path: Path, results: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": results}}))


def write(job: Job, folder: Path) -> None:
    """All the papers the incident has."""
    folder.mkdir(parents=True)
    if "log" in job.papers:
        logs(job, folder)
    if "sacct" in job.papers and job.runs:
        accounting(job, folder)
    if "dmesg" in job.papers:
        kernels(job, folder)
    if "dcgm" in job.papers:
        series(job, folder)
    if job.options.get("meta"):
        told = {"job_id": str(job.job_id), "utc_offset_minutes": job.offset_min, "scrape_interval_s": job.every}
        told["collected_at"] = f"{datetime.fromtimestamp(job.epoch + job.end + 7200, UTC):%Y-%m-%dT%H:%M:%SZ}"
        (folder / "meta.json").write_text(json.dumps(told) + "\n")

"""Accounting, kernel logs and rank logs as their programs print them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from .world import RAW

if TYPE_CHECKING:
    from pathlib import Path

    from .world import Row, World


def clock(t: float, offset_min: int) -> datetime:
    """The wall clock of the site."""
    return datetime.fromtimestamp(t, UTC).replace(tzinfo=None) + timedelta(minutes=offset_min)


def span(seconds: float) -> str:
    """[D-]HH:MM:SS."""
    days, rest = divmod(int(seconds), 86400)
    text = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return f"{days}-{text}" if days else text


def nodelist(names: list[str]) -> str:
    """Slurm's list; without brackets where names do not end in digits."""
    return ",".join(names) if len(names) < 4 else _folded(names)


def _folded(names: list[str]) -> str:
    head = names[0]
    common = 0
    while common < min(map(len, names)) and len({n[common] for n in names}) == 1:
        common += 1
    tail = 0
    while tail < min(map(len, names)) - common and len({n[len(n) - 1 - tail] for n in names}) == 1:
        tail += 1
    middles = [n[common : len(n) - tail] for n in names]
    if not all(m.isdigit() and len(m) == len(middles[0]) for m in middles):
        return ",".join(names)
    return f"{head[:common]}[{middles[0]}-{middles[-1]}]{head[len(head) - tail :] if tail else ''}"


def sacct(world: World, folder: Path) -> None:
    """The rows in the site's form."""
    rows, form, off = world.rows, world.sacct, world.offset_min
    if not rows:
        return
    if form.startswith("json"):
        (folder / f"sacct_{world.job}.json").write_text(json.dumps(_sacct_json(world, form == "json-old"), indent=2))
        return
    when = lambda t: "Unknown" if t is None else f"{clock(t, off):%Y-%m-%dT%H:%M:%S}"  # noqa: E731
    table: list[dict[str, str]] = []
    for r in rows:
        begun, ended = r.start, r.end
        took = span((ended or world.now) - begun) if begun else "00:00:00"
        top = not r.suffix
        table.append({
            "JobID": f"{world.job}{r.suffix}", "JobName": r.name, "User": "mreyes" if top else "", "Account": "nlp", "Partition": "gpu" if top else "",
            "AllocCPUS": str(world.world * 12), "State": r.state, "ExitCode": r.code, "Submit": when(rows[0].start and rows[0].start - 977), "Start": when(begun), "End": when(ended),
            "Elapsed": took, "Timelimit": span(world.limit_min * 60) if top else "", "NNodes": str(world.n), "NodeList": nodelist(world.nodes) if begun else "None assigned",
            "AllocTRES": f"billing=96,cpu={world.world * 12},gres/gpu={world.world},mem=900G,node={world.n}" if top else "", "Reason": "None", "MaxRSS": "" if top else "88123404K",
        })  # fmt: skip
    if form == "columns":
        widths = {
            "JobID": 12,
            "JobName": 10,
            "Partition": 10,
            "Account": 10,
            "AllocCPUS": 10,
            "State": 10,
            "ExitCode": 8,
        }
        lines = [
            " ".join(f"{k:>{w}}" if k != "JobID" else f"{k:<{w}}" for k, w in widths.items()) + " ",
            " ".join("-" * w for w in widths.values()) + " ",
        ]
        for line in table:
            cells = []
            for k, w in widths.items():
                v = line[k] if len(line[k]) <= w else line[k][: w - 1] + "+"
                cells.append(f"{v:<{w}}" if k == "JobID" else f"{v:>{w}}")
            lines.append(" ".join(cells) + " ")
        (folder / "sacct.txt").write_text("\n".join(lines) + "\n")
        return
    keys = (
        list(table[0])
        if form == "long"
        else ["JobID", "JobName", "Start", "End", "State", "ExitCode", "NodeList", "Elapsed", "Timelimit"]
    )
    text = "|".join(keys) + "\n" + "".join("|".join(line[k] for k in keys) + "\n" for line in table)
    if world.headless:
        text = text.partition("\n")[2]
    (folder / f"sacct-{world.job}.psv").write_text(text)


def _sacct_json(world: World, old: bool) -> dict[str, Any]:
    number = lambda v: v if old else {"set": v is not None, "infinite": False, "number": v or 0}  # noqa: E731

    def code(text: str, state: str) -> dict[str, Any]:
        ret, sig = (int(x) for x in text.split(":"))
        status = "SIGNALED" if sig else "ERROR" if ret else "SUCCESS" if state == "COMPLETED" else "PENDING"
        names = {6: "Aborted", 9: "Killed", 11: "Segmentation fault", 15: "Terminated", 7: "Bus error"}
        signal = (
            {"signal_id": sig, "name": names.get(sig)}
            if old
            else {"id": number(sig or None), "name": names.get(sig, "")}
        )
        return {"status": status if old else [status], "return_code": number(ret), "signal": signal}

    def times(r: Row) -> dict[str, Any]:
        return {
            "elapsed": int((r.end or world.now) - r.start) if r.start else 0,
            "start": int(r.start) if r.start else 0,
            "end": int(r.end) if r.end else 0,
        }

    jobs: list[dict[str, Any]] = []
    for r in world.rows:
        state = r.state.split()[0]
        if not r.suffix:
            jobs.append({
                "account": "nlp", "cluster": "blue", "job_id": world.job, "name": r.name, "nodes": nodelist(world.nodes) if r.start else "None assigned", "partition": "gpu", "user": "mreyes",
                "allocation_nodes": world.n, "exit_code": code(r.code, state), "derived_exit_code": code("0:0", state),
                "state": {"current": state if old else [state], "reason": "None"}, "restart_cnt": sum(not x.suffix for x in world.rows[: world.rows.index(r)]),
                "time": {**times(r), "eligible": int((r.start or world.start) - 977), "submission": int((world.rows[0].start or world.start) - 977), "limit": number(world.limit_min)},
                "tres": {"allocated": [{"type": "node", "name": "", "id": 4, "count": world.n}, {"type": "gres", "name": "gpu", "id": 1001, "count": world.world}]}, "steps": [],
            })  # fmt: skip
        else:
            jobs[-1]["steps"].append({
                "step": {"id": f"{world.job}{r.suffix}" if not old else {"job_id": world.job, "step_id": r.suffix[1:]}, "name": r.name}, "state": state if old else [state],
                "exit_code": code(r.code, state), "time": times(r), "nodes": {"count": world.n, "range": nodelist(world.nodes), "list": world.nodes},
            })  # fmt: skip
    return {
        "meta": {
            "plugin": {"type": "openapi/dbv0.0.38" if old else "", "name": "Slurm"},
            "command": [] if old else ["sacct", "-j", str(world.job), "--json"],
            "Slurm" if old else "slurm": {
                "version": {"major": 22 if old else "24", "minor": 5 if old else "11", "micro": 9 if old else "3"},
                "release": "22.05.9" if old else "24.11.3",
            },
        },
        "jobs": jobs,
        "errors": [],
        "warnings": [],
    }


NOISE = (
    "nvidia-nvlink: Nvlink Core is being initialized, major device number 507",
    "mlx5_core 0000:18:00.0: firmware version: 28.39.1002",
    'audit: type=1400 audit(1790.1:33): apparmor="STATUS" operation="profile_load"',
    "perf: interrupt took too long (2507 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
    "LustreError: 11-0: scratch-OST0007-osc: operation ost_statfs to node 10.31.0.7@o2ib failed: rc = -107",
    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.148.08  Tue May 13 17:20:22 UTC 2026",
    "nfs: server fs04 not responding, still trying",
    "nfs: server fs04 OK",
)


def kernels(world: World, folder: Path) -> None:
    """A kernel log a node that has something to say, or one for all."""
    rng = world.rng
    for node, host in enumerate(world.nodes):
        lines = [(t, text) for t, k, text in world.kernel if k == node]
        if not lines and rng.random() < 0.5:
            continue
        lines += [(rng.uniform(world.start - 3 * 3600, world.now), text) for text in rng.sample(NOISE, 3)]
        out = []
        for t, text in sorted(lines):
            local = clock(t + world.drift_s, world.offset_min)
            if world.dmesg == "ctime":
                out.append(f"[{local:%a %b %e %H:%M:%S %Y}] {text}")
            elif world.dmesg == "raw":
                out.append(f"[{t - world.boot:12.6f}] {text}")
            elif world.dmesg == "journal":
                out.append(f"{local:%b %d %H:%M:%S} {host} kernel: {text}")
            elif world.dmesg == "journal-iso":
                sign, m = ("-" if world.offset_min < 0 else "+"), abs(world.offset_min)
                out.append(f"{local:%Y-%m-%dT%H:%M:%S}{sign}{m // 60:02d}:{m % 60:02d} {host} kernel: {text}")
            else:
                out.append(
                    json.dumps(
                        {
                            "__REALTIME_TIMESTAMP": str(int(t * 1e6)),
                            "__MONOTONIC_TIMESTAMP": str(int((t - world.boot) * 1e6)),
                            "_BOOT_ID": f"{int(world.boot):032x}",
                            "_TRANSPORT": "kernel",
                            "_HOSTNAME": host,
                            "SYSLOG_IDENTIFIER": "kernel",
                            "PRIORITY": "4",
                            "MESSAGE": text,
                        }
                    )
                )
        if world.one_kernel_file:
            with (folder / "dmesg-all.txt").open("a") as whole:
                whole.writelines(f"{host}: {line}\n" for line in out)
            continue
        place = folder / host if world.n > 1 and len(host) % 2 else folder
        place.mkdir(exist_ok=True)
        (place / ("dmesg.txt" if place != folder else f"dmesg_{host}.txt")).write_text("\n".join(out) + "\n")


def logs(world: World, folder: Path) -> None:
    """The job's log, in one file, or one a rank."""
    if not world.log:
        return
    stamped = world.style in STAMPED
    lines = sorted(world.log, key=lambda x: x[0])

    def shown(t: float, rank: int, text: str) -> str:
        if text.startswith(RAW):
            return text[len(RAW) :]
        return (
            STAMPED[world.style](
                clock(t, world.offset_min if world.log_offset_min is None else world.log_offset_min), t, rank, text
            )
            if stamped
            else text
        )

    if world.rank_files:
        place = folder / "logs"
        place.mkdir(exist_ok=True)
        for rank in sorted({rank for _, rank, _ in lines if rank >= 0} | {0}):
            mine = [shown(t, r, text) for t, r, text in lines if r == rank or (r < 0 and rank == 0)]
            (place / f"rank_{rank}.log").write_text("\n".join(mine) + "\n")
        return
    (folder / f"{world.rng.choice(['train', 'slurm-{}', 'job', 'output.{}'])}.log".format(world.job)).write_text(
        "\n".join(shown(*x) for x in lines) + "\n"
    )


def _logged(c: datetime, _t: float, rank: int, text: str) -> str:
    return (
        f"{c:%Y-%m-%d %H:%M:%S},{c.microsecond // 1000:03d} - {'launch' if rank < 0 else f'rank{rank}'} - INFO - {text}"
    )


def _json(c: datetime, t: float, rank: int, text: str) -> str:
    return json.dumps({"ts": round(t, 3), "rank": max(rank, 0), "level": "info", "msg": text})


def _glog(c: datetime, _t: float, rank: int, text: str) -> str:
    return f"I{c:%m%d %H:%M:%S}.{c.microsecond:06d} {4000 + max(rank, 0)} trainer.py:212] {text}"


STAMPED = {
    "logged": _logged,
    "json": _json,
    "glog": _glog,
    "mmengine": lambda c, _t, _r, text: f"{c:%Y/%m/%d %H:%M:%S} - mmengine - INFO - {text}",
}


def step_line(world: World, n: int, loss: float, seconds: float, data: float = 0.0) -> str:
    """How the job reports a step; the style names a manner of printing."""
    total, lr, tokens = world.planned, 3e-4, 4096 * world.world / seconds
    return {
        "own": f"step={n} of={total} obj={loss:.4f} dt={seconds * 1e3:.1f}ms tok/s={tokens:.0f}",
        "logged": f"iteration {n}/{total} | loss {loss:.4f} | lr {lr:.2e} | {seconds:.2f} s/iter",
        "json": f"train step {n}/{total} loss={loss:.4f} step_time={seconds:.3f}",
        "glog": f"[{n}] loss={loss:.4f}, steps_per_sec={1 / seconds:.3f}, total_steps={total}",
        "mmengine": f"Iter(train) [{n:>6}/{total}]  lr: {lr:.4e}  eta: 1:12:01  time: {seconds:.4f}  data_time: {data or seconds * 0.01:.4f}  memory: 31337  loss: {loss:.4f}",
        "megatron": f" iteration {n:>8}/{total:>8} | consumed samples: {n * 512:>12} | elapsed time per iteration (ms): {seconds * 1e3:.1f} | learning rate: {lr:.6E} | global batch size:   512 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: 0.812 | number of skipped iterations:   0 | number of nan iterations:   0 |",
        "hf": f"{{'loss': {loss:.4f}, 'grad_norm': {0.9 + 0.2 * (n % 3):.4f}, 'learning_rate': {lr:.3e}, 'epoch': {n / max(total, 1) * 3:.2f}}}",
        "nano": f"iter {n}: loss {loss:.4f}, time {seconds * 1e3:.2f}ms, mfu {38.2:.2f}%",
    }[world.style]


STYLES = ("own", "logged", "json", "glog", "mmengine", "megatron", "hf", "nano")

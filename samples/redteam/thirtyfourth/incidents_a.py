"""Incidents t01 to t08 of the blind set: SIMULATED. No cluster ran these jobs; a generator wrote all their files."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class _Card:
    name: str
    model: str
    total: int
    reserved: int
    tdp: float
    idle: float
    context: float
    sm_max: int
    sm_idle: int
    mem_clock: int
    mem_idle: int
    driver: str


_H100 = _Card("NVIDIA H100 80GB HBM3", "H100", 81559, 518, 700, 71, 118, 1980, 345, 2619, 2619, "550.90.07")
_A100 = _Card("NVIDIA A100-SXM4-80GB", "A100", 81920, 631, 400, 59, 72, 1410, 210, 1593, 1593, "535.183.06")
_L40S = _Card("NVIDIA L40S", "L40S", 46068, 474, 350, 35, 84, 2520, 210, 9001, 405, "550.127.08")
_A40 = _Card("NVIDIA A40", "A40", 46068, 430, 300, 31, 76, 1740, 210, 7251, 405, "535.161.08")
_B200 = _Card("NVIDIA B200", "B200", 183359, 912, 1000, 141, 190, 1965, 120, 3996, 3996, "570.124.06")

# mode: utilisation from, to; share of the span between context and limit; engine, SM, tensor, memory activity
_MODES = {
    "off": (0, 0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "ctx": (0, 0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "load": (0, 14, 0.05, 0.04, 0.02, 0.0, 0.02),
    "train": (96, 100, 0.86, 0.97, 0.78, 0.41, 0.44),
    "lm": (97, 100, 0.78, 0.98, 0.74, 0.38, 0.40),
    "spin": (100, 100, 0.12, 1.0, 0.11, 0.0, 0.01),
    "net": (97, 100, 0.13, 0.98, 0.14, 0.03, 0.05),
    "save": (0, 9, 0.04, 0.05, 0.01, 0.0, 0.02),
    "gen": (78, 98, 0.52, 0.88, 0.45, 0.12, 0.58),
    "cap": (98, 100, 1.0, 0.98, 0.81, 0.44, 0.47),
}
_Where = tuple[str, int]  # host, GPU


def _zone(hours: int) -> timezone:
    return timezone(timedelta(hours=hours))


def _uuid(rng: Random) -> str:
    h = f"{rng.getrandbits(128):032x}"
    return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def _uuids(rng: Random, hosts: Sequence[str], gpus: int) -> dict[_Where, str]:
    return {(host, gpu): _uuid(rng) for host in hosts for gpu in range(gpus)}


def _measure(
    rng: Random,
    card: _Card,
    hosts: Sequence[str],
    gpus: int,
    times: Sequence[float],
    start: float,
    plan: Callable[[float, int, int], tuple[str, float]],
) -> dict[_Where, list[dict[str, float]]]:
    """What a scrape sees of every GPU; plan gives the mode and the memory of (seconds since the start, node, GPU)."""
    out: dict[_Where, list[dict[str, float]]] = {}
    for n, host in enumerate(hosts):
        for gpu in range(gpus):
            base = rng.uniform(25, 31)
            slope = rng.uniform(32, 39) / card.tdp
            trim = rng.uniform(0.97, 1.03)
            temp = base + card.idle * slope
            energy = rng.uniform(3e11, 9e12)
            rows: list[dict[str, float]] = []
            last = times[0] - 10
            for now in times:
                mode, memory = plan(now - start, n, gpu)
                low, high, share, engine, sm, tensor, dram = _MODES[mode]
                still = card.idle if mode == "off" else card.context
                jitter = rng.gauss(0, 0.6) if share == 0 else rng.gauss(0, 0.018) * card.tdp
                power = still * trim + share * (card.tdp - still) * trim + jitter
                power = min(power, card.tdp * rng.uniform(0.992, 1.004))
                gap = now - last
                temp += (base + power * slope - temp) * (1 - math.exp(-gap / 45))
                energy += power * gap * 1000
                clock: float = card.sm_idle if mode == "off" else card.sm_max
                cap = 0
                if mode == "cap" or power > 0.985 * card.tdp:
                    clock, cap = card.sm_max - 15 * rng.randint(4, 14), 4
                elif mode == "train" and card.tdp >= 600:
                    clock = card.sm_max - 15 * rng.randint(0, 9)
                busy = 1.0 if engine else 0.0
                rows.append(
                    {
                        "util": rng.randint(low, high),
                        "copy": round(100 * dram * rng.uniform(0.85, 1.1)),
                        "power": round(power, 3),
                        "temp": round(temp + rng.uniform(-0.4, 0.4)),
                        "mtemp": round(temp + 7 + rng.uniform(-0.6, 0.6)),
                        "sm": clock,
                        "mem": card.mem_idle if mode == "off" else card.mem_clock,
                        "used": round(memory),
                        "free": card.total - card.reserved - round(memory),
                        "reasons": 1 if mode == "off" else cap,
                        "energy": round(energy),
                        "engine": round(min(1.0, max(0.0, engine + busy * rng.gauss(0, 0.012))), 6),
                        "smact": round(min(1.0, max(0.0, sm + busy * rng.gauss(0, 0.02))), 6) if sm else 0,
                        "tensor": round(max(0.0, tensor + rng.gauss(0, 0.012)), 6) if tensor else 0,
                        "dram": round(max(0.0, dram + rng.gauss(0, 0.012)), 6) if dram else 0,
                        "zero": 0,
                    }
                )
                last = now
            out[(host, gpu)] = rows
    return out


_DCGM = {
    "DCGM_FI_DEV_GPU_UTIL": "util",
    "DCGM_FI_DEV_MEM_COPY_UTIL": "copy",
    "DCGM_FI_DEV_FB_USED": "used",
    "DCGM_FI_DEV_FB_FREE": "free",
    "DCGM_FI_DEV_POWER_USAGE": "power",
    "DCGM_FI_DEV_GPU_TEMP": "temp",
    "DCGM_FI_DEV_SM_CLOCK": "sm",
    "DCGM_FI_DEV_XID_ERRORS": "xid",
}
_PROFILING = {
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": "engine",
    "DCGM_FI_PROF_SM_ACTIVE": "smact",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "tensor",
    "DCGM_FI_PROF_DRAM_ACTIVE": "dram",
}


def _text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(value)


def _series(
    times: Sequence[float],
    rows: Sequence[Mapping[str, float]],
    key: str,
    labels: Mapping[str, str],
    keep: Callable[[float], bool],
) -> dict[str, Any]:
    values = [[t, _text(row.get(key, 0))] for t, row in zip(times, rows, strict=True) if keep(t)]
    return {"metric": dict(labels), "values": values}


def _matrix(path: Path, result: Sequence[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    body = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    path.write_text(json.dumps(body, separators=(",", ":")) + "\n")


def _lines(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def _grid(start: float, end: float, every: int) -> list[float]:
    first = int(start // every) * every
    return list(range(first, int(end), every))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], right: bool = True) -> list[str]:
    """Columns as sacct prints them, with a rule below the head."""
    wide = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    put = str.rjust if right else str.ljust
    body = [
        " ".join(put(c, w) for c, w in zip(head, wide, strict=True)),
        " ".join("-" * w for w in wide),
    ]
    return [
        *(line + " " for line in body),
        *(" ".join(put(c, w) for c, w in zip(r, wide, strict=True)) + " " for r in rows),
    ]


def _number(value: int) -> dict[str, object]:
    return {"set": True, "infinite": False, "number": value}


def _exit(code: int, signal: int = 0) -> dict[str, object]:
    names = {0: "", 9: "KILL", 15: "TERM"}
    status = "SIGNALED" if signal else ("SUCCESS" if code == 0 else "ERROR")
    return {
        "status": [status],
        "return_code": {"set": not signal, "infinite": False, "number": code},
        "signal": {"id": {"set": bool(signal), "infinite": False, "number": signal}, "name": names[signal]},
    }


def _sacct_json(
    path: Path,
    *,
    job: int,
    name: str,
    user: str,
    account: str,
    partition: str,
    cluster: str,
    nodes: str,
    count: int,
    gpus: int,
    cpus: int,
    submit: int,
    start: int,
    end: int,
    limit: int,
    state: str,
    steps: Sequence[tuple[str, str, str, int, int]],
    code: int,
    work: str,
) -> None:
    """An answer of sacct --json; steps are (id, name, state, exit code, signal)."""

    def step(one: tuple[str, str, str, int, int]) -> dict[str, object]:
        sid, title, what, rc, sig = one
        return {
            "time": {
                "elapsed": end - start,
                "end": _number(end),
                "start": _number(start),
                "suspended": 0,
                "system": {"seconds": 0, "microseconds": 0},
                "total": {"seconds": 0, "microseconds": 0},
                "user": {"seconds": 0, "microseconds": 0},
            },
            "exit_code": _exit(rc, sig),
            "nodes": {"count": 1 if sid == "batch" else count, "range": nodes, "list": []},
            "tasks": {"count": 1 if sid == "batch" else count},
            "pid": "",
            "CPU": {"requested_frequency": {"min": _number(0), "max": _number(0)}, "governor": "0"},
            "kill_request_user": "",
            "state": [what],
            "step": {"id": f"{job}.{sid}", "name": title},
            "task": {"distribution": "Cyclic"},
        }

    one = {
        "account": account,
        "comment": {"administrator": "", "job": "", "system": ""},
        "allocation_nodes": count,
        "array": {
            "job_id": 0,
            "limits": {"max": {"running": {"tasks": 0}}},
            "task_id": {"set": False, "infinite": False, "number": 0},
            "task": "",
        },
        "association": {"account": account, "cluster": cluster, "partition": "", "user": user, "id": 214},
        "block": "",
        "cluster": cluster,
        "constraints": "",
        "container": "",
        "derived_exit_code": _exit(code),
        "time": {
            "elapsed": end - start,
            "eligible": submit,
            "end": end,
            "start": start,
            "submission": submit,
            "suspended": 0,
            "limit": _number(limit),
        },
        "exit_code": _exit(code),
        "flags": ["STARTED_ON_BACKFILL", "START_RECEIVED"],
        "group": user,
        "job_id": job,
        "name": name,
        "nodes": nodes,
        "partition": partition,
        "priority": _number(10417),
        "qos": "normal",
        "required": {"CPUs": cpus, "memory_per_cpu": {"set": False, "infinite": False, "number": 0}},
        "kill_request_user": "",
        "restart_cnt": 0,
        "reservation": {"id": 0, "name": ""},
        "state": {"current": [state], "reason": "None"},
        "steps": [step(s) for s in steps],
        "submit_line": f"sbatch {name}.sbatch",
        "tres": {
            "allocated": [
                {"type": "cpu", "name": "", "id": 1, "count": cpus},
                {"type": "node", "name": "", "id": 4, "count": count},
                {"type": "billing", "name": "", "id": 5, "count": cpus},
                {"type": "gres", "name": "gpu", "id": 1001, "count": gpus},
            ]
        },
        "user": user,
        "working_directory": work,
    }
    meta = {
        "plugin": {"type": "openapi/dbv0.0.40", "name": "Slurm OpenAPI DB v0.0.40"},
        "Slurm": {"version": {"major": 23, "micro": 6, "minor": 11}},
    }
    path.write_text(json.dumps({"jobs": [one], "meta": meta, "errors": [], "warnings": []}, indent=2) + "\n")


_NOISE = (
    'audit: type=1400 audit({e:.3f}:{n}): apparmor="STATUS" operation="profile_replace" info="same as current profile, skipping" profile="unconfined" name="lsb_release" pid={p} comm="apparmor_parser"',
    "systemd[1]: Started Session c{n} of User root.",
    "perf: interrupt took too long ({p} > {n}), lowering kernel.perf_event_max_sample_rate to 25000",
    "TCP: request_sock_TCP: Possible SYN flooding on port 9400. Sending cookies.  Check SNMP counters.",
    "systemd-journald[1127]: Data hash table of /run/log/journal/8f0c/system.journal has a fill level at 75.0 (8533 of 11377 items), suggesting rotation.",
    "usb 1-14.3: new high-speed USB device number {n} using xhci_hcd",
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{n:x}: link becomes ready",
    "nfs: Deprecated parameter 'intr'",
)


def _noise(rng: Random, since: float, until: float, count: int) -> list[tuple[float, str]]:
    rows = []
    for _ in range(count):
        at = rng.uniform(since, until)
        text = rng.choice(_NOISE).format(e=at, n=rng.randint(2400, 3900), p=rng.randint(4100, 90000))
        rows.append((at, text))
    return rows


def _dmesg_t(path: Path, rows: Sequence[tuple[float, str]], zone: timezone) -> None:
    _lines(
        path,
        [f"[{datetime.fromtimestamp(at, zone).strftime('%a %b %e %H:%M:%S %Y')}] {text}" for at, text in sorted(rows)],
    )


def _dmesg_iso(path: Path, rows: Sequence[tuple[float, str]], zone: timezone) -> None:
    out = []
    for at, text in sorted(rows):
        stamp = datetime.fromtimestamp(at, zone).strftime("%Y-%m-%dT%H:%M:%S,%f%z")
        out.append(f"{stamp[:-2]}:{stamp[-2:]} {text}")
    _lines(path, out)


def _journal(path: Path, rows: Sequence[tuple[float, str]], zone: timezone, host: str) -> None:
    out = []
    for at, text in sorted(rows):
        who, _, rest = text.partition(": ")
        line = text if who.startswith("systemd") and rest else f"kernel: {text}"
        out.append(f"{datetime.fromtimestamp(at, zone).strftime('%b %d %H:%M:%S')} {host} {line}")
    _lines(path, out)


def _smi_l(place: Path, card: _Card, hosts: Sequence[str], ids: Mapping[_Where, str]) -> None:
    rows = []
    for host in hosts:
        rows += [f"{host}: GPU {gpu}: {card.name} (UUID: {uuid})" for (h, gpu), uuid in ids.items() if h == host]
    _lines(place / "nvidia-smi-L.txt", rows)


def _by_uuid(
    place: Path,
    seen: Mapping[_Where, list[dict[str, float]]],
    times: Sequence[float],
    ids: Mapping[_Where, str],
    fields: Mapping[str, str],
    keep: Callable[[float, str], bool],
) -> None:
    for field, key in fields.items():
        result = [
            _series(times, rows, key, {"__name__": field, "UUID": ids[where]}, lambda t, h=where[0]: keep(t, h))
            for where, rows in seen.items()
        ]
        _matrix(place / f"{field}.json", result)


def _labels(field: str, host: str, gpu: int, uuid: str, card: _Card, instance: str) -> dict[str, str]:
    return {
        "__name__": field,
        "DCGM_FI_DRIVER_VERSION": card.driver,
        "Hostname": host,
        "UUID": uuid,
        "device": f"nvidia{gpu}",
        "gpu": str(gpu),
        "instance": instance,
        "job": "dcgm-exporter",
        "modelName": card.name,
    }


def _at(when: float, zone: timezone, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    return datetime.fromtimestamp(when, zone).strftime(form)


def _torchrun_end(
    rng: Random,
    when: float,
    zone: timezone,
    script: str,
    host: str,
    ranks: Sequence[tuple[int, int, int]],
    code: int = 1,
) -> list[str]:
    """The summary of torchrun; ranks are (rank, local rank, pid), the first one is the root cause."""
    rank, local, pid = ranks[0]
    stamp = _at(when, zone, "%m%d %H:%M:%S") + f".{rng.randint(0, 999999):06d}"
    day = _at(when, zone, "%Y-%m-%d_%H:%M:%S")
    me = rng.randint(20000, 90000)
    head = [
        f"W{stamp} {me} torch/distributed/elastic/multiprocessing/api.py:897] Sending process {p} closing signal SIGTERM"
        for _, _, p in ranks[1:]
    ]
    head += [
        f"E{stamp} {me} torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {code}) local_rank: {local} (pid: {pid}) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/run.py", line 918, in main',
        "    run(args)",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/run.py", line 909, in run',
        "    elastic_launch(",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        f"{script} FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {day}",
        f"  host      : {host}",
        f"  rank      : {rank} (local_rank: {local})",
        f"  exitcode  : {code} (pid: {pid})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
    ]
    return head


def t01_roman(place: Path, rng: Random) -> None:
    """A language model of old printed texts: both logs stop at a worker's exit code and say no more."""
    zone = _zone(9)
    start = int(datetime(2026, 3, 4, 13, 12, 41, tzinfo=zone).timestamp())
    end = start + 87 * 60 + 9
    hosts, card = ["kx-gpu07", "kx-gpu08"], _H100
    ids = _uuids(rng, hosts, 4)
    times = _grid(start - 1500, end + 720, 60)
    died = end - start - 14

    def plan(t: float, n: int, gpu: int) -> tuple[str, float]:
        if t < 34 or t > died:
            return "off", 3
        if t < 150:
            return "load", 2200 + 480 * min(t / 100, 1) * (gpu + 1)
        return "lm", 61240 + 37 * gpu + 11 * n

    seen = _measure(rng, card, hosts, 4, times, start, plan)
    for row in seen[("kx-gpu08", 1)]:
        row["xid"] = 31
    _by_uuid(place / "prometheus", seen, times, ids, {**_DCGM, **_PROFILING}, lambda t, h: True)
    _smi_l(place, card, hosts, ids)

    log = [
        f"+ srun --kill-on-bad-exit=1 torchrun --nnodes 2 --nproc-per-node 4 --rdzv-backend c10d --rdzv-endpoint {hosts[0]}:29512 --log-dir /tmp/kakaku-188203 --redirects 0:0,1:2,2:2,3:2 pretrain_gpt.py --tensor-model-parallel-size 2 --num-layers 32 --hidden-size 2560 --seq-length 4096 --micro-batch-size 4 --global-batch-size 256 --train-iters 40000 --log-interval 10 --bf16 --use-distributed-optimizer",
        "using world size: 8, data-parallel size: 4, context-parallel size: 1, hierarchical context-parallel sizes: None, tensor-model-parallel size: 2, pipeline-model-parallel size: 1",
        "Number of virtual stages per pipeline stage: None",
        "accumulate and all-reduce gradients in fp32 for bfloat16 data type.",
        "using torch.bfloat16 for parameters ...",
        "> building SentencePieceTokenizer tokenizer ...",
        " > padded vocab (size: 48000) with 128 dummy tokens (new size: 48128)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 2",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.071 seconds",
        "time to initialize megatron (seconds): 21.418",
        f"[after megatron is initialized] datetime: {_at(start + 61, zone, '%Y-%m-%d %H:%M:%S')} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 1384714240",
        " > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 1384714240",
        "> learning rate decay style: cosine",
        " loading checkpoint from /lustre/kakaku/ckpt/gpt2b7 at iteration 8000",
        "  successfully loaded checkpoint from /lustre/kakaku/ckpt/gpt2b7 [ t 1/2, p 1/1 ] at iteration 8000",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {_at(start + 104, zone, '%Y-%m-%d %H:%M:%S')} ",
        "> building train, validation, and test datasets for GPT ...",
        " > datasets target sizes (minimum size):",
        "    train:      10240000",
        "    validation: 104960",
        "    test:       2560",
        f"[after dataloaders are built] datetime: {_at(start + 139, zone, '%Y-%m-%d %H:%M:%S')} ",
        "done with setup ...",
        "training ...",
    ]
    now, it = start + 148.0, 8000
    while True:
        took = rng.gauss(8.71, 0.05)
        now, it = now + 10 * took, it + 10
        if now > start + died - 3:
            break
        loss = 2.6114 - 0.00011 * (it - 8000) + rng.gauss(0, 0.011)
        rate = 1.5e-4 + 1.5e-4 * 0.5 * (1 + math.cos(math.pi * it / 40000))
        log.append(
            f" [{_at(now, zone, '%Y-%m-%d %H:%M:%S')}] iteration {it:8d}/   40000 | consumed samples: {it * 256:12d} | elapsed time per iteration (ms): {took * 1000:.1f} | "
            f"throughput per GPU (TFLOP/s/GPU): {2125 / took:.1f} | learning rate: {rate:.6E} | global batch size:   256 | lm loss: {loss:.6E} | loss scale: 1.0 | "
            f"grad norm: {rng.gauss(0.231, 0.014):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if it % 250 == 0:
            log.append(f"saving checkpoint at iteration {it:7d} to /lustre/kakaku/ckpt/gpt2b7 in torch_dist format")
            log.append(
                f"  successfully saved checkpoint from iteration {it:7d} to /lustre/kakaku/ckpt/gpt2b7 [ t 1/2, p 1/1 ]"
            )
    pids = [rng.randint(310000, 330000)]
    pids += [pids[0] + k for k in (1, 2, 3)]
    log += _torchrun_end(
        rng,
        start + died + 3,
        zone,
        "pretrain_gpt.py",
        hosts[1],
        [(6, 2, pids[2]), (4, 0, pids[0]), (5, 1, pids[1]), (7, 3, pids[3])],
    )
    log += [
        "srun: error: kx-gpu08: task 1: Exited with exit code 1",
        "srun: Terminating StepId=188203.0",
        f"slurmstepd: error: *** STEP 188203.0 ON kx-gpu07 CANCELLED AT {_at(start + died + 8, zone)} ***",
        "srun: error: kx-gpu07: task 0: Terminated",
    ]
    _lines(place / "kakaku-188203.out", log)
    _sacct_json(
        place / "sacct.json",
        job=188203,
        name="kakaku-2b7",
        user="m.ishii",
        account="dh-lab",
        partition="h100",
        cluster="kx",
        nodes="kx-gpu[07-08]",
        count=2,
        gpus=8,
        cpus=96,
        submit=start - 4012,
        start=start,
        end=end,
        limit=1440,
        state="FAILED",
        steps=[
            ("batch", "batch", "FAILED", 1, 0),
            ("extern", "extern", "COMPLETED", 0, 0),
            ("0", "torchrun", "FAILED", 1, 0),
        ],
        code=1,
        work="/home/m.ishii/kakaku",
    )
    for host in hosts:
        rows = _noise(rng, start - 9 * 3600, end + 600, 24)
        if host == "kx-gpu08":
            at = start - 5 * 3600 - 772
            rows.append(
                (
                    at,
                    "NVRM: Xid (PCI:0000:5d:00): 31, pid=274410, name=relion_refine_m, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_2 faulted @ 0x7f3a_b2c41000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
                )
            )
        _dmesg_t(place / f"dmesg-{host}.txt", rows, zone)


def t02_tide(place: Path, rng: Random) -> None:
    """A surge model of an estuary: one of two nodes is gone in the middle of the run."""
    zone = _zone(0)
    start = int(datetime(2026, 2, 11, 3, 40, 17, tzinfo=zone).timestamp())
    end = start + 16 * 60 + 2
    hosts, card = ["hx-c1-12", "hx-c1-13"], _H100
    ids = _uuids(rng, hosts, 4)
    times = _grid(start - 120, end + 240, 5)
    dead = 10 * 60 + 37

    def plan(t: float, n: int, gpu: int) -> tuple[str, float]:
        if t < 12 or t > end - start - 1:
            return "off", 2
        if t < 47:
            return "load", 1400 + 30 * t
        if t > dead + 1:
            return "spin", 43718 + 6 * gpu
        return "train", 43718 + 6 * gpu + 4 * n

    seen = _measure(rng, card, hosts, 4, times, start, plan)
    for field, key in _DCGM.items():
        result = [
            _series(
                times,
                rows,
                key,
                _labels(field, h, g, ids[(h, g)], card, f"10.41.7.{112 + hosts.index(h)}:9400"),
                lambda t, h=h: h == hosts[0] or t < start + dead,
            )
            for (h, g), rows in seen.items()
        ]
        _matrix(place / "metrics" / f"{field}.json", result)

    def line(when: float, **fields: object) -> str:
        stamp = _at(when, zone, "%Y-%m-%dT%H:%M:%S") + f".{int(when % 1 * 1000):03d}Z"
        return json.dumps({"ts": stamp, **fields})

    log = [
        line(
            start + 19.2,
            level="info",
            event="config",
            model="surge-unet-3d",
            params_m=412.6,
            world_size=8,
            batch_per_gpu=6,
            max_steps=24000,
            amp="bf16",
            data="/scratch/estuary/era5_tide_v3",
        ),
        line(start + 27.9, level="info", event="dist_ready", backend="nccl", world_size=8, hosts=hosts),
        line(start + 41.4, level="info", event="dataset", split="train", samples=318240, shards=612),
    ]
    now, step = start + 48.0, 0
    while True:
        took = rng.gauss(0.612, 0.012)
        now, step = now + took, step + 1
        if now > start + dead:
            break
        if step % 10 == 0:
            loss = 0.19 + 0.74 * math.exp(-step / 240) + rng.gauss(0, 0.006)
            log.append(
                line(
                    now,
                    level="info",
                    event="step",
                    step=step,
                    loss=round(loss, 5),
                    grad_norm=round(0.4 + rng.random() * 0.2, 4),
                    lr=round(min(step / 500, 1) * 2e-4, 9),
                    step_s=round(took, 4),
                    samples_s=round(48 / took, 1),
                )
            )
        if step % 400 == 0:
            log.append(
                line(
                    now,
                    level="info",
                    event="checkpoint",
                    step=step,
                    path=f"/scratch/estuary/runs/r118/ckpt_{step:06d}.pt",
                    seconds=round(rng.uniform(1.2, 1.9), 2),
                )
            )
    _lines(place / "r118.train.jsonl", log)
    _lines(
        place / "slurm-48211.err",
        [
            "srun: error: Node failure on hx-c1-13",
            f"slurmstepd: error: *** JOB 48211 ON hx-c1-12 CANCELLED AT {_at(end - 3, zone)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
            f"slurmstepd: error: *** STEP 48211.0 ON hx-c1-12 CANCELLED AT {_at(end - 3, zone)} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ],
    )
    head = ["JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "NNodes", "NodeList"]
    a, b, took_text = _at(start, zone), _at(end, zone), "00:16:02"
    rows = [
        ["48211", "surge-r118", "gpu-h", "NODE_FAIL", "0:0", a, b, took_text, "2", "hx-c1-[12-13]"],
        ["48211.batch", "batch", "", "CANCELLED", "0:15", a, b, took_text, "1", "hx-c1-12"],
        ["48211.extern", "extern", "", "COMPLETED", "0:0", a, b, took_text, "2", "hx-c1-[12-13]"],
        ["48211.0", "python", "", "CANCELLED", "0:15", _at(start + 4, zone), b, "00:15:58", "2", "hx-c1-[12-13]"],
    ]
    _lines(place / "sacct.txt", _table(head, rows))
    _lines(
        place / "sinfo.txt",
        [
            "NODELIST        NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              ",
            "hx-c1-[01-11]      11     gpu-h   allocated 96     2:48:1 102400        0      1   (null) none                ",
            "hx-c1-12            1     gpu-h        idle 96     2:48:1 102400        0      1   (null) none                ",
            "hx-c1-13            1     gpu-h       down* 96     2:48:1 102400        0      1   (null) Not responding      ",
            "hx-c1-14            1     gpu-h       mixed 96     2:48:1 102400        0      1   (null) none                ",
        ],
    )
    _lines(
        place / "scontrol_show_node_hx-c1-13.txt",
        [
            "NodeName=hx-c1-13 Arch=x86_64 CoresPerSocket=48 ",
            "   CPUAlloc=0 CPUEfctv=96 CPUTot=96 CPULoad=9.42",
            "   AvailableFeatures=h100,ib",
            "   ActiveFeatures=h100,ib",
            "   Gres=gpu:h100:4",
            "   NodeAddr=hx-c1-13 NodeHostName=hx-c1-13 Version=23.02.7",
            "   OS=Linux 5.15.0-105-generic #115-Ubuntu SMP Mon Apr 15 09:52:04 UTC 2024 ",
            "   RealMemory=1024000 AllocMem=0 FreeMem=871204 Sockets=2 Boards=1",
            "   State=DOWN+NOT_RESPONDING ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A",
            "   Partitions=gpu-h ",
            "   BootTime=2026-01-19T08:14:51 SlurmdStartTime=2026-01-19T08:16:02",
            f"   LastBusyTime={_at(end, zone)} ResumeAfterTime=None",
            "   CfgTRES=cpu=96,mem=1000G,billing=96,gres/gpu=4",
            "   AllocTRES=",
            f"   Reason=Not responding [slurm@{_at(end - 3, zone)}]",
        ],
    )
    _dmesg_iso(place / "dmesg-hx-c1-12.txt", _noise(rng, start - 20000, end + 100, 17), zone)


def t03_shanshui(place: Path, rng: Random) -> None:
    """Captions of landscape painting on four nodes without a fast network: the exchange takes nearly all of a step."""
    zone = _zone(-6)
    start = int(datetime(2025, 12, 9, 21, 5, 33, tzinfo=zone).timestamp())
    end = start + 13 * 60 + 21
    hosts, card = [f"lsn{n:03d}" for n in (41, 42, 43, 46)], _L40S
    ids = _uuids(rng, hosts, 8)
    times = _grid(start - 180, end + 200, 10)
    first, steps = 71.0, 80

    def plan(t: float, n: int, gpu: int) -> tuple[str, float]:
        if t < 15 or t > end - start - 2:
            return "off", 1
        if t < first - 4:
            return "load", 900 + 160 * min(t, 60)
        if t > end - start - 24:
            return "save", 36980 + 14 * gpu
        return "net", 36980 + 14 * gpu + 3 * n

    seen = _measure(rng, card, hosts, 8, times, start, plan)
    holes = [(start + 208, start + 262, ""), (start + 401, start + 433, "lsn043"), (start + 590, start + 655, "")]

    def keep(t: float, host: str) -> bool:
        return not any(a <= t <= b and who in ("", host) for a, b, who in holes)

    _by_uuid(place / "prom", seen, times, ids, _DCGM, keep)
    _smi_l(place, card, hosts, ids)

    def say(t: float, text: str, level: str = "信息") -> str:
        return f"{_at(start + t, zone, '%Y-%m-%d %H:%M:%S')} [{level}] {text}"

    log = [
        say(18, "启动训练：山水画图文模型 v0.7，进程数 32（4 个节点 × 8 卡）"),
        say(18, "配置：参数量 1.6B，精度 bf16，每卡批大小 4，梯度累积 1，总步数 80（正式训练前的试跑）"),
        f"{hosts[0]}:51920:51920 [0] NCCL INFO Bootstrap : Using eno1:10.20.4.41<0>",
        f"{hosts[0]}:51920:51920 [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so), using internal implementation",
        f"{hosts[0]}:51920:52188 [0] NCCL INFO NET/IB : No device found.",
        f"{hosts[0]}:51920:52188 [0] NCCL INFO NET/Socket : Using [0]eno1:10.20.4.41<0>",
        f"{hosts[0]}:51920:52188 [0] NCCL INFO Using network Socket",
        say(39, "分布式初始化完成，用时 19.4 秒"),
        say(52, "数据集加载完成：训练样本 1,284,330，验证样本 6,000"),
        say(66, "模型构建完成，开始训练"),
    ]
    now = first
    span = (end - start - 26 - first) / steps
    for step in range(1, steps + 1):
        took = max(0.97 * span, rng.gauss(span, 0.12))
        now = min(now + took, end - start - 26)
        data, fwd, bwd = rng.uniform(0.008, 0.02), rng.gauss(0.231, 0.006), rng.gauss(0.474, 0.009)
        opt = rng.gauss(0.061, 0.003)
        comm = took - data - fwd - bwd - opt
        loss = 2.2 + 6.1 * math.exp(-step / 26) + rng.gauss(0, 0.05)
        log.append(
            say(
                now,
                f"步 {step}/{steps} 损失 {loss:.4f} 学习率 {min(step / 40, 1) * 1e-4:.2e} 梯度范数 {rng.uniform(0.9, 2.2):.3f} | 用时 {took:.2f}s "
                f"(取数 {data:.3f} 前向 {fwd:.3f} 反向 {bwd:.3f} 梯度同步 {comm:.3f} 优化器 {opt:.3f}) | {128 / took:.1f} 样本/秒",
            )
        )
        if step % 20 == 0:
            log.append(
                say(
                    now,
                    f"最近 20 步：梯度同步占比 {100 * comm / took:.1f}%，各卡差异 最小 {comm - 0.04:.2f}s 最大 {comm + 0.05:.2f}s",
                )
            )
    log += [
        say(end - start - 9, "已保存检查点 /data/shanshui/runs/try07/step80.pt（用时 15.8 秒）"),
        say(
            end - start - 6,
            f"训练结束，共 80 步，平均 {128 / span:.1f} 样本/秒，总用时 {int(end - start - 24) // 60} 分 {int(end - start - 24) % 60} 秒",
        ),
    ]
    _lines(place / "try07.log", log)
    head = "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|AllocTRES|NodeList"
    tres = "billing=256,cpu=256,gres/gpu=32,mem=1600G,node=4"
    a, b, nodes = _at(start, zone), _at(end, zone), "lsn[041-043,046]"
    sub = _at(start - 88, zone)
    _lines(
        place / "sacct.txt",
        [
            head,
            f"730915|shanshui-try07|zhaoyw|l40s|COMPLETED|0:0|{sub}|{a}|{b}|00:13:21|02:00:00|4|{tres}|{nodes}",
            f"730915.batch|batch|||COMPLETED|0:0|{a}|{a}|{b}|00:13:21||1|cpu=64,gres/gpu=8,mem=400G,node=1|lsn041",
            f"730915.extern|extern|||COMPLETED|0:0|{a}|{a}|{b}|00:13:21||4|{tres}|{nodes}",
            f"730915.0|python|||COMPLETED|0:0|{_at(start + 3, zone)}|{_at(start + 3, zone)}|{b}|00:13:18||4|{tres}|{nodes}",
        ],
    )
    for host in hosts:
        _journal(place / f"journal-k-{host}.log", _noise(rng, start - 7200, end + 120, 11), zone, host)


def t04_lichen(place: Path, rng: Random) -> None:
    """Photographs of lichens on one GPU: memory is held for a night and nothing is ever launched."""
    zone = _zone(1)
    start = int(datetime(2026, 1, 22, 22, 17, 8, tzinfo=zone).timestamp())
    end = start + 511 * 60 - 29
    hosts, card = ["bio-a100-3"], _A100
    ids = _uuids(rng, hosts, 1)
    times = _grid(start - 600, end + 300, 15)

    def plan(t: float, n: int, gpu: int) -> tuple[str, float]:
        if t < 52 or t > end - start - 1:
            return "off", 0
        if t < 75:
            return "load", 430 + 60 * (t - 52)
        return "ctx", 2917

    seen = _measure(rng, card, hosts, 1, times, start, plan)
    holes = [(start + h, start + h + rng.randint(40, 900)) for h in (2110, 7420, 14990, 21333, 28700)]
    for field, key in {**_DCGM, "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": "reasons", **_PROFILING}.items():
        labels = _labels(field, "bio-a100-3", 0, ids[("bio-a100-3", 0)], card, "bio-a100-3:9400")
        one = _series(times, seen[("bio-a100-3", 0)], key, labels, lambda t: not any(a <= t <= b for a, b in holes))
        _matrix(place / f"{field.lower()}.json", [one])
    head = "JobID|JobName|User|Account|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|TotalCPU|MaxRSS|AllocTRES|NodeList"
    a, b = _at(start, zone), _at(end, zone)
    tres = "billing=12,cpu=12,gres/gpu:a100=1,gres/gpu=1,mem=96G,node=1"
    _lines(
        place / "sacct-1189034.txt",
        [
            head,
            f"1189034|lichen_effnet|ksoren|biodiv|a100|TIMEOUT|0:0|{a}|{b}|08:30:31|08:30:00|01:02.418||{tres}|bio-a100-3",
            f"1189034.batch|batch||biodiv||CANCELLED|0:15|{a}|{_at(end + 2, zone)}|08:30:33||01:02.417|5108204K|cpu=12,gres/gpu:a100=1,gres/gpu=1,mem=96G,node=1|bio-a100-3",
            f"1189034.extern|extern||biodiv||COMPLETED|0:0|{a}|{b}|08:30:31||00:00.001|0|{tres}|bio-a100-3",
        ],
    )
    _dmesg_t(place / "dmesg_bio-a100-3.txt", _noise(rng, start - 40000, end + 200, 31), zone)


def t05_noh(place: Path, rng: Random) -> None:
    """Noh chant transcripts in a pod: the log breaks off and the pod's end was not kept."""
    zone = _zone(9)
    start = int(datetime(2026, 5, 19, 10, 31, 5, tzinfo=zone).timestamp())
    end = start + 146 * 60
    hosts, card = ["rk-a40-05"], _A40
    ids = _uuids(rng, hosts, 4)
    times = _grid(start - 600, end + 900, 30)
    gone = end - start - 33

    def plan(t: float, n: int, gpu: int) -> tuple[str, float]:
        if t < 70 or t > gone:
            return "off", 1
        if t < 188:
            return "load", 800 + 60 * (t - 70)
        return "train", 39120 + 22 * gpu

    seen = _measure(rng, card, hosts, 4, times, start, plan)
    scale = {
        "nvidia_smi_utilization_gpu_ratio": ("util", 0.01),
        "nvidia_smi_utilization_memory_ratio": ("copy", 0.01),
        "nvidia_smi_memory_used_bytes": ("used", 1048576),
        "nvidia_smi_power_draw_watts": ("power", 1),
        "nvidia_smi_temperature_gpu": ("temp", 1),
        "nvidia_smi_clocks_current_sm_clock_hz": ("sm", 1000000),
        "nvidia_smi_clocks_current_memory_clock_hz": ("mem", 1000000),
        "nvidia_smi_memory_total_bytes": ("total", 1048576),
        "nvidia_smi_ecc_errors_uncorrected_volatile_total": ("zero", 1),
        "nvidia_smi_failed_scrapes_total": ("zero", 1),
    }
    for field, (key, factor) in scale.items():
        result = []
        for where, rows in seen.items():
            labels = {"__name__": field, "instance": "rk-a40-05:9835", "job": "nvidia-gpu-exporter"}
            if "failed" not in field:
                labels["uuid"] = ids[where][4:]
            elif where[1]:
                continue
            scaled = [{"v": round(row.get(key, card.total) * factor, 4)} for row in rows]
            result.append(_series(times, scaled, "v", labels, lambda t: True))
        _matrix(place / "prometheus" / f"{field}.json", result)
    info = []
    for (_, gpu), uuid in ids.items():
        labels = {
            "__name__": "nvidia_smi_gpu_info",
            "driver_model_current": "[N/A]",
            "driver_model_pending": "[N/A]",
            "driver_version": card.driver,
            "index": str(gpu),
            "instance": "rk-a40-05:9835",
            "job": "nvidia-gpu-exporter",
            "name": card.name,
            "uuid": uuid[4:],
            "vbios_version": "94.02.5C.00.02",
        }
        info.append({"metric": labels, "values": [[t, "1"] for t in (times[0], times[-1])]})
    _matrix(place / "prometheus" / "nvidia_smi_gpu_info.json", info)

    def nemo(t: float, level: str, where: str, text: str) -> str:
        return f"[NeMo {level} {_at(start + t, zone, '%Y-%m-%d %H:%M:%S')} {where}] {text}"

    log = [
        "Failed to load plugin /opt/hpcx/nccl_rdma_sharp_plugin/lib/libnccl-net.so: libucp.so.0: cannot open shared object file: No such file or directory",
        "/opt/venv/lib/python3.12/site-packages/pydub/utils.py:170: RuntimeWarning: Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work",
        nemo(
            77,
            "W",
            "nemo_logging:405",
            "No module named 'nemo_run.contrib' - error while registering optional recipes, ignored",
        ),
        nemo(81, "I", "nemo_logging:393", "Experiments will be logged at /results/noh-utai/2026-05-19_10-32-26"),
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        *[f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/4" for r in (0, 2, 1, 3)],
        "----------------------------------------------------------------------------------------------------",
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "----------------------------------------------------------------------------------------------------",
        "",
        "[rank0]:[W519 01:32:51.224018211 ProcessGroupNCCL.cpp:4561] [PG ID 0 PG GUID 0 Rank 0]  using GPU 0 to perform barrier as devices used by this process are currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect. Specify device_ids in barrier() to force use of a particular device, or call init_process_group() with a device_id.",
        nemo(118, "I", "nemo_logging:393", "Rank 0 has data parallel group : [0, 1, 2, 3]"),
        nemo(119, "I", "nemo_logging:393", "Rank 0 has model parallel group: [0]"),
        nemo(131, "I", "nemo_logging:393", "Padded vocab_size: 64128, original vocab_size: 64000, dummy tokens: 128."),
        nemo(
            136,
            "W",
            "nemo_logging:405",
            "apex is not installed: fused kernels FAILED to load, falling back to torch.optim.AdamW",
        ),
        nemo(
            140,
            "I",
            "nemo_logging:393",
            " > number of parameters on (tensor, pipeline) model parallel rank (0 ,0): 1235814400",
        ),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]",
        "Exception ignored in: <function _TemporaryFileCloser.__del__ at 0x7f2c18be4c20>",
        "Traceback (most recent call last):",
        '  File "/usr/lib/python3.12/tempfile.py", line 484, in __del__',
        "    _os.unlink(self.name)",
        "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/tmpk81_xq3j'",
        nemo(
            176,
            "I",
            "nemo_logging:393",
            "Building GPTDataset splits with sizes=[640000, 12928, 6400] and config=GPTDatasetConfig(...)",
        ),
    ]
    now, it = 191.0, 0
    while True:
        took = rng.gauss(6.31, 0.06)
        now += took
        if now > gone - 2:
            break
        if it % 10 == 0:
            loss = 2.02 + 1.93 * math.exp(-it / 190) + rng.gauss(0, 0.03)
            log.append(
                f"Training epoch 0, iteration {it}/4999 | lr: {min((it + 1) / 100, 1) * 3e-5:.4g} | global_batch_size: 128 | global_step: {it} | peak_memory_usage: {38912 * 1048576} | "
                f"memory_allocated: {22810 * 1048576} | reduced_train_loss: {loss:.3f} | train_step_timing in s: {took:.3f}"
                + (f" | consumed_samples: {(it + 1) * 128}" if it else "")
            )
        if it in (430, 1020):
            log.append(
                "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [504]>), will retry"
            )
            log.append("wandb: Network error resolved after 0:00:41.118820, resuming normal operation.")
        if it and it % 500 == 0:
            log.append(
                f"Epoch 0, global step {it - 1}: 'reduced_train_loss' reached {loss:.5f} (best {loss:.5f}), saving model to '/results/noh-utai/2026-05-19_10-32-26/checkpoints/step={it - 1}.ckpt' as top 3"
            )
            log.append(
                nemo(
                    now + 1,
                    "I",
                    "nemo_logging:393",
                    f"Scheduled async checkpoint save for /results/noh-utai/2026-05-19_10-32-26/checkpoints/step={it - 1}.ckpt",
                )
            )
        it += 1
    _lines(place / "loki-noh-utai-sft-0-x7q2d.log", log)
    _lines(
        place / "kubectl_get_pods.txt",
        [
            "$ kubectl -n geinou get pods -o wide",
            "NAME                          READY   STATUS      RESTARTS   AGE     IP             NODE        NOMINATED NODE   READINESS GATES",
            "jupyter-tanabe-0              1/1     Running     0          6d4h    10.244.9.21    rk-cpu-02   <none>           <none>",
            "mlflow-5d9c7b6f4-hk2vz        1/1     Running     0          41d     10.244.3.7     rk-cpu-01   <none>           <none>",
            "utai-preproc-29660520-wnr8l   0/1     Completed   0          22h     10.244.9.88    rk-cpu-02   <none>           <none>",
            "",
            "$ kubectl -n geinou get job noh-utai-sft-0",
            'Error from server (NotFound): jobs.batch "noh-utai-sft-0" not found',
        ],
    )
    _lines(
        place / "kubectl_get_events.txt",
        [
            "$ kubectl -n geinou get events --sort-by=.lastTimestamp",
            "LAST SEEN   TYPE      REASON             OBJECT                              MESSAGE",
            '52m         Normal    Pulled             pod/utai-preproc-29660520-wnr8l     Container image "registry.rk.local/geinou/preproc:0.4" already present on machine',
            '31m         Warning   Unhealthy          pod/mlflow-5d9c7b6f4-hk2vz          Readiness probe failed: Get "http://10.244.3.7:5000/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
            "4m12s       Normal    SuccessfulCreate   cronjob/utai-preproc                Created job utai-preproc-29661960",
        ],
    )
    _lines(
        place / "job.yaml",
        [
            "apiVersion: batch/v1",
            "kind: Job",
            "metadata:",
            "  name: noh-utai-sft-0",
            "  namespace: geinou",
            "spec:",
            "  backoffLimit: 0",
            "  ttlSecondsAfterFinished: 600",
            "  template:",
            "    spec:",
            "      restartPolicy: Never",
            "      nodeSelector: {kubernetes.io/hostname: rk-a40-05}",
            "      containers:",
            "      - name: train",
            "        image: nvcr.io/nvidia/nemo:25.04",
            '        command: ["torchrun", "--nproc-per-node=4", "/work/sft_utai.py"]',
            "        resources:",
            '          limits: {nvidia.com/gpu: "4", memory: 200Gi, cpu: "32"}',
        ],
    )
    rows = _noise(rng, start - 9000, end + 600, 15)
    rows += [
        (start - 8123, "nvidia: module verification failed: signature and/or required key missing - tainting kernel"),
        (
            start - 8100,
            "ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PMI0._GHL.VALU], AE_NOT_FOUND (20210730/psargs-330)",
        ),
        (
            start + 3311,
            "smartmon.sh[2210]: segfault at 0 ip 0000000000000000 sp 00007ffd2b1f error 14 in smartctl[55d1b2c00000+9000]",
        ),
        (
            start + 5240,
            'audit: type=1400 audit(1779159505.000:4410): apparmor="DENIED" operation="ptrace" profile="cri-containerd.apparmor.d" pid=9912 comm="falco" requested_mask="read" denied_mask="read"',
        ),
    ]
    _journal(place / "journalctl-k-rk-a40-05.txt", rows, zone, "rk-a40-05")


def t06_loess(place: Path, rng: Random) -> None:
    """Seismic sections of the loess plateau, FSDP by hand: ran to its last step."""
    zone = _zone(8)
    start = int(datetime(2025, 10, 28, 9, 2, 50, tzinfo=zone).timestamp())
    end = start + 176 * 60 - 12
    hosts, card = ["ga101", "ga102"], _A100
    ids = _uuids(rng, hosts, 4)
    times = _grid(start - 600, end + 600, 30)
    steps, first = 4800, 118.0
    saves = {k: first + (end - start - first - 48) * k / 6 for k in range(1, 7)}

    def plan(t: float, n: int, gpu: int) -> tuple[str, float]:
        if t < 21 or t > end - start - 4:
            return "off", 4
        if t < first:
            return "load", 1100 + 70 * t
        if any(s <= t <= s + 19 for s in saves.values()) or t > end - start - 48:
            return "save", 54310 + 18 * gpu
        return "train", 54310 + 18 * gpu + 9 * n

    seen = _measure(rng, card, hosts, 4, times, start, plan)
    count = 17
    for row in seen[("ga102", 2)]:
        count += rng.random() < 0.06
        row["sbe"] = count
    fields = {
        **_DCGM,
        "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": "sbe",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "zero",
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": "zero",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE": "zero",
    }
    for host in hosts:
        result = [
            _series(
                times,
                seen[(host, g)],
                key,
                _labels(field, host, g, ids[(host, g)], card, f"{host}:9400"),
                lambda t: True,
            )
            for field, key in fields.items()
            for g in range(4)
        ]
        _matrix(place / f"dcgm-{host}.json", result)

    def say(t: float, text: str) -> str:
        return f"[{_at(start + t, zone, '%Y-%m-%d %H:%M:%S')}][rank0] {text}"

    log = [
        say(24, "world_size=8 local_world_size=4 backend=nccl torch=2.4.1+cu121"),
        say(
            41,
            "SeisFormer-1.4B: 1,412,608,512 params, FSDP FULL_SHARD, mixed precision bf16, activation checkpointing on",
        ),
        say(88, "train sections: 76,800  val sections: 1,024  batch/gpu 4  total steps 4800 (2 epochs)"),
        say(114, "start training"),
    ]
    every = (saves[1] - first) / 800
    for step in range(20, steps + 1, 20):
        leg = (step - 1) // 800
        begin = (saves[leg] + 20) if leg else first
        t = begin + (step - 800 * leg) * (saves[leg + 1] - begin) / 800
        loss = 0.118 + 0.86 * math.exp(-step / 620) + rng.gauss(0, 0.006)
        rate = 3e-4 * (step / 200 if step < 200 else 0.5 * (1 + math.cos(math.pi * (step - 200) / 4600)))
        log.append(
            say(
                t,
                f"epoch {(step - 1) // 2400} step {step}/{steps} loss {loss:.4f} lr {rate:.3e} gnorm {rng.uniform(0.18, 0.36):.3f} {32 / rng.gauss(every, 0.02):.2f} sections/s mem 50.9GiB",
            )
        )
        if step % 800 == 0:
            val = 0.121 + 0.86 * math.exp(-step / 640)
            log.append(say(t + 9, f"val loss {val:.4f}"))
            log.append(say(t + 19, f"saved sharded checkpoint to /gpfs/loess/seisformer/ckpt/step_{step}"))
    log += [
        say(end - start - 9, "consolidated full state dict -> /gpfs/loess/seisformer/final.pt (2.63 GiB)"),
        say(end - start - 7, f"training finished: 4800 steps, best val loss {0.121 + 0.86 * math.exp(-7.5):.4f}"),
    ]
    _lines(place / "train_rank0.log", log)
    _sacct_json(
        place / "sacct_602118.json",
        job=602118,
        name="seisformer",
        user="liuqh",
        account="geo",
        partition="a100q",
        cluster="ga",
        nodes="ga[101-102]",
        count=2,
        gpus=8,
        cpus=128,
        submit=start - 340,
        start=start,
        end=end,
        limit=480,
        state="COMPLETED",
        steps=[
            ("batch", "batch", "COMPLETED", 0, 0),
            ("extern", "extern", "COMPLETED", 0, 0),
            ("0", "torchrun", "COMPLETED", 0, 0),
        ],
        code=0,
        work="/gpfs/loess/seisformer",
    )
    for host in hosts:
        rows = _noise(rng, start - 30000, end + 300, 19)
        if host == "ga102":
            for _ in range(4):
                at = rng.uniform(start, end)
                rows.append((at, "mce: [Hardware Error]: Machine check events logged"))
                rows.append(
                    (
                        at + 0.2,
                        "EDAC MC2: 1 CE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x4a1c7e offset:0x40 grain:32 syndrome:0x0)",
                    )
                )
        _dmesg_t(place / f"dmesg-{host}.txt", rows, zone)


def t07_fungi(place: Path, rng: Random) -> None:
    """Image and text of herbarium sheets with open_clip: four launchers that never meet."""
    zone = _zone(0)
    start = int(datetime(2026, 6, 2, 14, 8, 20, tzinfo=zone).timestamp())
    end = start + 49 * 60 - 17
    hosts, card = ["bw-r2-03", "bw-r2-04", "bw-r2-05", "bw-r2-09"], _B200
    ids = _uuids(rng, hosts, 2)
    times = _grid(start - 240, end + 240, 5)
    seen = _measure(rng, card, hosts, 2, times, start, lambda t, n, gpu: ("off", 0))
    for field, key in _DCGM.items():
        if field == "DCGM_FI_DEV_MEM_COPY_UTIL":
            continue
        result = [
            _series(
                times,
                rows,
                key,
                _labels(field, h, g, ids[(h, g)], card, f"10.8.2.{h[-2:].lstrip('0')}:9400"),
                lambda t: True,
            )
            for (h, g), rows in seen.items()
        ]
        _matrix(place / "dcgm" / f"{field}.json", result)
    wait = 2700
    pids = {h: rng.randint(180000, 420000) for h in hosts}
    begin = end - start - wait - 21
    log = [
        f"{_at(start + 2, zone, '%a %b %d %H:%M:%S UTC %Y')} job 55120 on bw-r2-[03-05,09]",
        "+ export MASTER_ADDR=bw-r2-03 MASTER_PORT=29400 OMP_NUM_THREADS=14 NCCL_DEBUG=WARN NCCL_ASYNC_ERROR_HANDLING=1",
        "+ srun --ntasks-per-node=1 --label torchrun --nnodes=4 --nproc_per_node=2 --rdzv_id=55120 --rdzv_backend=c10d --rdzv_endpoint=bw-r2-03:29400 --rdzv_conf=join_timeout=2700,read_timeout=2700 -m open_clip_train.main --train-data '/data/herbaria/shards/{00000..02211}.tar' --dataset-type webdataset --model ViT-L-14 --batch-size 1024 --precision amp_bf16 --epochs 32 --warmup 2000 --local-loss --gather-with-grad --report-to tensorboard",
    ]
    log[1:1] = [
        'Lmod has detected the following error: The following module(s) are unknown: "hpcx/2.21"',
        '   Please check the spelling or version number. Also try "module spider ..."',
        "/etc/profile.d/scratch.sh: line 9: /scratch/odessa.r/.failed_jobs: Permission denied",
        f"stage-in: 2212 shards listed, 0 missing, 3 checksum errors repaired ({begin - 9:.0f} s)",
    ]
    for n, _ in enumerate(hosts):
        stamp = _at(start + begin - 2, zone, "%m%d %H:%M:%S").lstrip("0") + f".{rng.randint(0, 999999999):09d}"
        log.append(
            f"{n}: [W{stamp} utils.hpp:164] Warning: Environment variable NCCL_ASYNC_ERROR_HANDLING is deprecated; use TORCH_NCCL_ASYNC_ERROR_HANDLING instead (function operator())"
        )
    for n, host in enumerate(hosts[1:], 1):
        at = begin + rng.uniform(126, 140)
        while at < begin + wait - 40:
            stamp = _at(start + at, zone, "%m%d %H:%M:%S").lstrip("0") + f".{rng.randint(0, 999999999):09d}"
            log.append(
                f"\0{at:012.3f}{n}: [W{stamp} socket.cpp:752] [c10d] The client socket has failed to connect to [bw-r2-03]:29400 (errno: 110 - Connection timed out)."
            )
            at += rng.uniform(131, 141)
        at = begin + wait + rng.uniform(0, 2)
        stamp = _at(start + at, zone, "%m%d %H:%M:%S") + f".{rng.randint(0, 999999):06d}"
        tail = [
            f"[E{stamp[1:]}{rng.randint(100, 999)} socket.cpp:807] [c10d] The client socket has timed out after 2700000ms while trying to connect to (bw-r2-03, 29400).",
            f"E{stamp} {pids[host]} torch/distributed/elastic/multiprocessing/errors/error_handler.py:138] no error file defined for parent, to copy child error file (None)",
            "Traceback (most recent call last):",
            '  File "/opt/venv/lib/python3.12/site-packages/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py", line 160, in _create_tcp_store',
            "    store = TCPStore(",
            "            ^^^^^^^^^",
            "torch.distributed.DistNetworkError: The client socket has timed out after 2700000ms while trying to connect to (bw-r2-03, 29400).",
            "",
            "The above exception was the direct cause of the following exception:",
            "",
            "Traceback (most recent call last):",
            '  File "/opt/venv/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            '  File "/opt/venv/lib/python3.12/site-packages/torch/distributed/run.py", line 883, in run',
            "    elastic_launch(",
            '  File "/opt/venv/lib/python3.12/site-packages/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py", line 176, in _create_tcp_store',
            "    raise RendezvousConnectionError(",
            "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.",
        ]
        log += [f"\0{at + i / 1000:012.3f}{n}: {text}" for i, text in enumerate(tail)]
    at = begin + wait + 4
    tail = [
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/venv/lib/python3.12/site-packages/torch/distributed/launcher/api.py", line 260, in launch_agent',
        "    result = agent.run()",
        '  File "/opt/venv/lib/python3.12/site-packages/torch/distributed/elastic/agent/server/api.py", line 525, in _rendezvous',
        "    rdzv_info = spec.rdzv_handler.next_rendezvous()",
        '  File "/opt/venv/lib/python3.12/site-packages/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py", line 684, in run',
        "    raise RendezvousTimeoutError",
        "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
    ]
    log += [f"\0{at + i / 1000:012.3f}0: {text}" for i, text in enumerate(tail)]
    log = [row for row in log if row[:1] != "\0"] + [row[13:] for row in sorted(r for r in log if r[:1] == "\0")]
    log += [
        f"srun: error: {h}: task {n}: Exited with exit code 1"
        for n, h in [(1, hosts[1]), (2, hosts[2]), (3, hosts[3]), (0, hosts[0])]
    ]
    _lines(place / "herb-clip-55120.log", log)
    head = "JobID|JobName|User|State|ExitCode|DerivedExitCode|Submit|Start|End|Elapsed|NNodes|NTasks|AveCPU|MaxRSS|NodeList"
    a, b, nodes = _at(start, zone), _at(end, zone), "bw-r2-[03-05,09]"
    _lines(
        place / "sacct-steps.txt",
        [
            head,
            f"55120|herb-clip|odessa.r|FAILED|1:0|1:0|{_at(start - 61, zone)}|{a}|{b}|00:48:43|4||||{nodes}",
            f"55120.batch|batch||FAILED|1:0||{a}|{a}|{b}|00:48:43|1|1|00:00:01|18404K|bw-r2-03",
            f"55120.extern|extern||COMPLETED|0:0||{a}|{a}|{b}|00:48:43|4|4|00:00:00|1080K|{nodes}",
            f"55120.0|torchrun||FAILED|1:0||{_at(start + 198, zone)}|{_at(start + 198, zone)}|{b}|00:45:25|4|4|00:00:19|612044K|{nodes}",
        ],
    )
    for host in hosts:
        rows = _noise(rng, start - 7000, end + 100, 9)
        rows += [
            (
                start - 6890,
                "ACPI Error: Aborting method \\_SB.PC00.RP01._PRT due to previous error (AE_NOT_FOUND) (20230628/psparse-529)",
            ),
            (start - 6871, "nvidia: module license 'NVIDIA' taints kernel."),
            (
                start - 6871,
                "nvidia: module verification failed: signature and/or required key missing - tainting kernel",
            ),
            (start - 6802, "ipmi_si IPI0001:00: BMC returned fatal completion code 0xc1 for optional command, ignored"),
            (
                start + rng.randint(300, 2400),
                "pcieport 0000:15:01.0: AER: Corrected error received: 0000:17:00.0",
            ),
        ]
        _journal(place / f"journal-{host}.txt", rows, zone, host)


def t08_tariff(place: Path, rng: Random) -> None:
    """Customs rulings with GRPO: one request too large in the middle of a step."""
    zone = _zone(0)
    start = int(datetime(2026, 4, 14, 17, 21, 2, tzinfo=zone).timestamp())
    end = start + 28 * 60
    hosts, card = ["vg11", "vg12", "vg15", "vg16"], _A100
    times = _grid(start - 150, end + 180, 15)
    died = end - start - 11.0
    first, cycle = 104.0, 47.3

    def plan(t: float, n: int, gpu: int) -> tuple[str, float]:
        if t < 16 or t > died:
            return "off", 0
        if t < first:
            return "load", 1500 + 210 * t
        phase = (t - first) % cycle / cycle
        level = 58200 + 900 * gpu + 350 * n + 9000 * abs(math.sin((t - first) // cycle * 1.7 + n))
        if phase < 0.42:
            return "gen", level
        return ("cap" if (n + gpu) % 3 else "train"), level + 4100

    seen = _measure(rng, card, hosts, 2, times, start, plan)
    head = (
        "timestamp, index, uuid, name, pci.bus_id, temperature.gpu, utilization.gpu [%], utilization.memory [%], memory.total [MiB], memory.used [MiB], memory.free [MiB], power.draw [W], power.limit [W], "
        "clocks.current.sm [MHz], clocks.current.memory [MHz], pstate, clocks_event_reasons.active, clocks_event_reasons.sw_power_cap, clocks_event_reasons.hw_slowdown, clocks_event_reasons.sw_thermal_slowdown, ecc.errors.uncorrected.volatile.total"
    )
    for host in hosts:
        both = {g: _uuid(rng) for g in range(2)}
        skew = rng.uniform(0, 4)
        rows = [head]
        for i, t in enumerate(times):
            for g in range(2):
                r = seen[(host, g)][i]
                stamp = (
                    _at(t + skew, zone, "%Y/%m/%d %H:%M:%S")
                    + f".{int((t + skew) % 1 * 900) + rng.randint(0, 9) + 45 * g:03d}"
                )
                cap = r["reasons"] == 4
                mask = (
                    "0x0000000000000004"
                    if cap
                    else ("0x0000000000000001" if r["reasons"] == 1 else "0x0000000000000000")
                )
                rows.append(
                    f"{stamp}, {g}, {both[g]}, {card.name}, 00000000:{('07', '47')[g]}:00.0, {r['temp']}, {r['util']} %, {r['copy']} %, {card.total} MiB, {r['used']} MiB, {r['free']} MiB, {r['power']:.2f} W, 400.00 W, "
                    f"{r['sm']} MHz, {r['mem']} MHz, P0, {mask}, {'Active' if cap else 'Not Active'}, Not Active, Not Active, 0"
                )
        _lines(place / f"smi_{host}.csv", rows)
        _journal(place / f"journalctl_{host}.txt", _noise(rng, start - 4000, end + 100, 10), zone, host)
    log = [
        "[2026-04-14 17:21:14,880] [INFO] [real_accelerator.py:239:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        "Loading checkpoint shards: 100%|██████████| 4/4 [00:21<00:00,  5.31s/it]",
        "Generating train split: 18420 examples [00:01, 11904.22 examples/s]",
        "Parameter Offload: Total persistent parameters: 333312 in 141 params",
    ]
    total, now, step, tokens = 1150, first, 0, 0
    while now + cycle < died - 8:
        now, step = now + cycle, step + 1
        mean = rng.gauss(1180 + 14 * step, 90)
        tokens += int(mean * 64 + 64 * 702)
        spent = int(now - first)
        left = int((total - step) * cycle)
        log.append(
            f"  {100 * step // total}%|{' ' if step < 12 else '▎'}         | {step}/{total} [{spent // 60:02d}:{spent % 60:02d}<{left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}, {rng.gauss(cycle, 0.4):.2f}s/it]"
        )
        good = 0.31 + 0.006 * step + rng.gauss(0, 0.03)
        row = {
            "loss": round(abs(rng.gauss(0.004, 0.003)), 4),
            "grad_norm": rng.uniform(0.12, 0.31),
            "learning_rate": 1e-6 * (1 - step / total),
            "num_tokens": float(tokens),
            "completions/mean_length": mean,
            "completions/min_length": float(rng.randint(180, 340)),
            "completions/max_length": 4096.0 if step > 6 else float(rng.randint(2700, 4096)),
            "completions/clipped_ratio": rng.randint(0, 6) / 64,
            "rewards/ruling_match/mean": good,
            "rewards/ruling_match/std": rng.uniform(0.36, 0.49),
            "reward": good,
            "reward_std": rng.uniform(0.2, 0.3),
            "frac_reward_zero_std": rng.choice([0.0, 0.125, 0.25]),
            "kl": rng.uniform(0.0004, 0.004),
            "entropy": rng.uniform(0.3, 0.44),
            "epoch": round(step * 8 / 18420, 4),
        }
        log.append(str(row))
    site = "/opt/conda/lib/python3.11/site-packages"
    trace = [
        "Traceback (most recent call last):",
        '  File "/home/eva/tariff-rl/train_grpo.py", line 142, in <module>',
        "    trainer.train()",
        f'  File "{site}/transformers/trainer.py", line 2240, in train',
        "    return inner_training_loop(",
        "           ^^^^^^^^^^^^^^^^^^^^",
        f'  File "{site}/transformers/trainer.py", line 2555, in _inner_training_loop',
        "    tr_loss_step = self.training_step(model, inputs, num_items_in_batch)",
        f'  File "{site}/transformers/trainer.py", line 3745, in training_step',
        "    loss = self.compute_loss(model, inputs, num_items_in_batch=num_items_in_batch)",
        f'  File "{site}/trl/trainer/grpo_trainer.py", line 1462, in _compute_loss',
        "    per_token_logps = self._get_per_token_logps(model, input_ids, attention_mask, logits_to_keep)",
        f'  File "{site}/trl/trainer/grpo_trainer.py", line 868, in _get_per_token_logps',
        "    logps = selective_log_softmax(logits, input_ids_batch)",
        f'  File "{site}/trl/trainer/utils.py", line 1651, in selective_log_softmax',
        "    row_logps = F.log_softmax(row_logits, dim=-1)",
        f'  File "{site}/torch/nn/functional.py", line 2248, in log_softmax',
        "    ret = input.log_softmax(dim)",
        "          ^^^^^^^^^^^^^^^^^^^^^^",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.28 GiB. GPU 1 has a total capacity of 79.25 GiB of which 6.07 GiB is free. Including non-PyTorch memory, this process has 73.17 GiB memory in use. "
        "Of the allocated memory 66.94 GiB is allocated by PyTorch, and 4.81 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  "
        "See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    log += [f"[rank5]: {row}" for row in trace]
    log += _torchrun_end(rng, start + died + 2, zone, "train_grpo.py", "vg15", [(5, 1, 290114), (4, 0, 290113)])
    log += [
        "srun: error: vg15: task 2: Exited with exit code 1",
        "srun: Terminating StepId=271866.0",
        "srun: error: vg11: task 0: Terminated",
        "srun: error: vg12: task 1: Terminated",
        "srun: error: vg16: task 3: Terminated",
    ]
    _lines(place / "grpo-271866.log", log)

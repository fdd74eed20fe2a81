"""Incidents t01 to t08 of the thirtieth set. SIMULATED: generated, nothing here was taken from a real job or cluster."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


@dataclass(frozen=True)
class _Card:
    """What a card is and what it shows at rest."""

    model: str
    memory: int
    held: int
    idle_w: float
    idle_clock: int
    idle_mem_clock: int
    mem_clock: int
    per_watt: float
    rest_used: int
    pci: tuple[str, ...]


_4090: Final = _Card("NVIDIA GeForce RTX 4090", 24564, 344, 21.0, 210, 405, 10501, 0.098, 4, ("01", "25", "41", "61"))
_H100: Final = _Card("NVIDIA H100 80GB HBM3", 81559, 545, 71.0, 345, 2619, 2619, 0.055, 4, ("18", "2A", "3A", "5D", "9A", "AB", "BA", "DB"))
_A40: Final = _Card("NVIDIA A40", 46068, 574, 27.0, 210, 405, 7251, 0.15, 3, ("17", "CA"))
_A100: Final = _Card("NVIDIA A100-SXM4-80GB", 81920, 718, 61.0, 210, 1593, 1593, 0.095, 3, ("07", "0F", "47", "4E"))


@dataclass(frozen=True)
class _Level:
    """What a GPU does at one moment, before noise."""

    util: float = 0
    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    watt: float = 0.0
    used: float = 0
    clock: float = 0
    tx: float = 3e5
    rx: float = 2e5
    link: float = 0.0
    reasons: int = 1
    warm: float = 0.0
    awake: bool = False


@dataclass
class _Gpu:
    """A GPU of a host."""

    host: str
    index: int
    uuid: str
    card: _Card
    values: dict[str, list[tuple[int, str]]] = field(default_factory=dict)


def _uuid(rng: Random) -> str:
    x = f"{rng.getrandbits(128):032x}"
    return f"GPU-{x[:8]}-{x[8:12]}-{x[12:16]}-{x[16:20]}-{x[20:]}"


def _gpus(rng: Random, hosts: Sequence[str], count: int, card: _Card) -> list[_Gpu]:
    return [_Gpu(host, index, _uuid(rng), card) for host in hosts for index in range(count)]


def _when(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def _local(at: float, zone: float, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    return datetime.fromtimestamp(at, timezone(timedelta(hours=zone))).strftime(form)


def _span(seconds: float) -> str:
    s = int(seconds)
    return f"{s // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"


def _share(x: float) -> str:
    return f"{min(1.0, max(0.0, x)):.6f}"


def _sample(rng: Random, gpu: _Gpu, times: Iterable[int], plan: Callable[[_Gpu, int], _Level]) -> None:
    """Fill a GPU's series: levels with noise, and a temperature that follows the power."""
    card, base = gpu.card, rng.uniform(26.5, 31.5)
    temp = base + card.idle_w * card.per_watt
    before = None
    for at in times:
        level = plan(gpu, at)
        busy = level.util > 0
        watt = rng.gauss(level.watt or card.idle_w, 0.012 * (level.watt or card.idle_w) + 0.2)
        step = 30 if before is None else at - before
        before = at
        temp += (base + watt * card.per_watt + level.warm - temp) * (1 - math.exp(-step / 75))
        clock = level.clock or card.idle_clock
        awake = busy or level.awake
        sm = level.sm * rng.uniform(0.94, 1.05)
        used = card.rest_used if not level.used else level.used
        row = {
            "DCGM_FI_DEV_GPU_UTIL": f"{max(0, min(100, round(rng.gauss(level.util, 0.8 if level.util < 97 else 0.4)))) if busy else 0}",
            "DCGM_FI_DEV_MEM_COPY_UTIL": f"{max(0, min(100, round(100 * level.dram * rng.uniform(0.8, 1.1))))}",
            "DCGM_FI_DEV_POWER_USAGE": f"{watt:.3f}",
            "DCGM_FI_DEV_GPU_TEMP": f"{round(temp + rng.uniform(-0.4, 0.4))}",
            "DCGM_FI_DEV_MEMORY_TEMP": f"{round(temp + 6 + 0.012 * watt)}",
            "DCGM_FI_DEV_SM_CLOCK": f"{15 * round((clock + (rng.gauss(0, 12) if busy and level.reasons else 0)) / 15)}",
            "DCGM_FI_DEV_MEM_CLOCK": f"{card.mem_clock if awake else card.idle_mem_clock}",
            "DCGM_FI_DEV_FB_USED": f"{round(used)}",
            "DCGM_FI_DEV_FB_FREE": f"{round(card.memory - card.held - used)}",
            "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": f"{level.reasons}",
            "DCGM_FI_DEV_XID_ERRORS": "0",
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": _share(level.engine * rng.uniform(0.985, 1.004)),
            "DCGM_FI_PROF_SM_ACTIVE": _share(sm),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": _share(level.tensor * rng.uniform(0.93, 1.06)),
            "DCGM_FI_PROF_DRAM_ACTIVE": _share(level.dram * rng.uniform(0.95, 1.05)),
            "DCGM_FI_PROF_PCIE_TX_BYTES": f"{round(level.tx * rng.uniform(0.85, 1.15))}",
            "DCGM_FI_PROF_PCIE_RX_BYTES": f"{round(level.rx * rng.uniform(0.85, 1.15))}",
            "DCGM_FI_PROF_NVLINK_TX_BYTES": f"{round(level.link * rng.uniform(0.95, 1.05))}",
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": "0",
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "0",
        }
        for name, value in row.items():
            gpu.values.setdefault(name, []).append((at, value))


def _prom(gpus: Sequence[_Gpu], names: Sequence[str], labels: Callable[[_Gpu], dict[str, str]]) -> str:
    """A query_range answer."""
    result = [
        {"metric": {"__name__": name, **labels(gpu)}, "values": [[at, value] for at, value in gpu.values[name]]} for name in names for gpu in gpus
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":")) + "\n"


def _labels(gpu: _Gpu, driver: str) -> dict[str, str]:
    return {
        "DCGM_FI_DRIVER_VERSION": driver,
        "Hostname": gpu.host,
        "UUID": gpu.uuid,
        "device": f"nvidia{gpu.index}",
        "gpu": str(gpu.index),
        "instance": f"{gpu.host}:9400",
        "job": "dcgm-exporter",
        "modelName": gpu.card.model,
        "pci_bus_id": f"00000000:{gpu.card.pci[gpu.index]}:00.0",
    }


def _grid(start: int, end: int, step: int) -> range:
    return range(start // step * step, end + 1, step)


_NOISE: Final = (
    "perf: interrupt took too long ({a} > {b}), lowering kernel.perf_event_max_sample_rate to {c}",
    "nfs: server {srv} not responding, still trying",
    "nfs: server {srv} OK",
    "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none.",
    "systemd-journald[{pid}]: Data hash table of /run/log/journal has a fill level at 75.0, suggesting rotation.",
    "audit: type=1400 audit({at}.{ms}:{n}): apparmor=\"STATUS\" operation=\"profile_replace\" profile=\"unconfined\" name=\"snap.lxd.daemon\" pid={pid}",
    "TCP: request_sock_TCP: Possible SYN flooding on port {port}. Sending cookies.  Check SNMP counters.",
    "workqueue: drm_fb_helper_damage_work [drm_kms_helper] hogged CPU for >10000us 16 times, consider switching to WQ_UNBOUND",
    "nvidia-uvm: Loaded the UVM driver, major device number {n}.",
    "mce: [Hardware Error]: Machine check events logged",
    "python3[{pid}]: segfault at 0 ip 0000000000{n}f2 sp 00007ffd{n}e8 error 4 in libc.so.6[7f{n}000+195000]",
)


def _noise(rng: Random, start: int, end: int, count: int, srv: str, which: Sequence[int]) -> list[tuple[float, str]]:
    """Ordinary lines of a kernel, some of them."""
    out = []
    for _ in range(count):
        at = rng.uniform(start, end)
        b = rng.randrange(2500, 6000)
        text = _NOISE[rng.choice(which)].format(
            a=b + rng.randrange(2, 40), b=b, c=rng.choice((25000, 31000, 39750, 79750)), srv=srv, pid=rng.randrange(900, 90000),
            at=int(at), ms=rng.randrange(100, 999), n=rng.randrange(235, 999), port=rng.choice((8472, 6818, 9100, 29500)),
        )
        out.append((at, text))
    return sorted(out)


def _kernel(lines: Iterable[tuple[float, str]], host: str, boot: int, zone: float, form: str) -> str:
    out = []
    for at, text in sorted(lines):
        frac = at - int(at)
        if form == "iso":
            sign = "-" if zone < 0 else "+"
            out.append(f"{_local(at, zone)},{int(frac * 1e6):06d}{sign}{int(abs(zone)):02d}:00 {text}")
        elif form == "journalctl":
            out.append(f"{_local(at, zone, '%b %d %H:%M:%S')} {host} kernel: {text}")
        else:
            day = f"{_local(at, zone, '%b')} {int(_local(at, zone, '%d')):2d}"
            out.append(f"{day} {_local(at, zone, '%H:%M:%S')} {host} kernel: [{at - boot:.6f}] {text}")
    return "\n".join(out) + "\n"


def _boot(at: int, host: str, drv: str, card: _Card, count: int) -> list[tuple[float, str]]:
    """The end of a boot."""
    out = [
        (at + 0.0, "Linux version 5.15.0-119-generic (buildd@lcy02-amd64-075) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #129-Ubuntu SMP"),
        (at + 3.112, "pci 0000:00:14.0: BAR 0: assigned [mem 0x4017000000-0x401700ffff 64bit]"),
        (at + 9.402, f"systemd[1]: Set hostname to <{host}>."),
        (at + 14.871, f"nvidia-nvlink: Nvlink Core is being initialized, major device number {234 + count}"),
        (at + 15.233, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {drv}"),
    ]
    out += [(at + 16 + 0.2 * i, f"nvidia 0000:{card.pci[i].lower()}:00.0: enabling device (0140 -> 0142)") for i in range(count)]
    return out


# ---------------------------------------------------------------------------------------------------- t01


def t01_weedseg(place: Path, rng: Random) -> None:
    zone, ns = -6.0, "agrivision"
    start = _when("2026-02-19T09:41:12-06:00")
    hosts = ("growbox-03", "growbox-07")
    gpus = _gpus(rng, hosts, 4, _4090)
    context = {gpu.uuid: rng.choice((402, 404, 410)) for gpu in gpus}
    opened, ended = start + 66, {hosts[0]: start + 479, hosts[1]: start + 457}

    def plan(gpu: _Gpu, at: int) -> _Level:
        if opened + 4 <= at < ended[gpu.host]:
            return _Level(used=context[gpu.uuid], watt=26.5 + gpu.index, clock=210)
        return _Level()

    for gpu in gpus:
        _sample(rng, gpu, _grid(start - 240, start + 720, 30), plan)
    names = [n for n in gpus[0].values if "ECC" not in n and "NVLINK" not in n]
    (place / "prometheus_dcgm_0935-0954.json").write_text(_prom(gpus, names, lambda g: _labels(g, "550.90.07")))

    def line(at: float, level: str, rank: int, name: str, text: str) -> tuple[float, str]:
        ms = int((at - int(at)) * 1000)
        return at, f"{_local(at, zone, '%Y-%m-%d %H:%M:%S')},{ms:03d} {level:<8s} [rank {rank}] {name}: {text}"

    root = "10.42.3.118<40213>"
    for node, (host, pod) in enumerate(zip(hosts, ("weedseg-ddp-master-0", "weedseg-ddp-worker-0"), strict=True)):
        t = start + 31 + node * 2.4
        rows: list[tuple[float, str]] = [
            (t, f"+ torchrun --nnodes=2 --nproc_per_node=4 --node_rank={node} --rdzv_backend=c10d --rdzv_endpoint=weedseg-ddp-master-0:23456"
                " --rdzv_id=weedseg-ddp train.py --cfg cfg/segformer_b3_2048.yaml"),
            (t + 2.1, f"W{_local(t + 2.1, 0, '%m%d %H:%M:%S')}.{rng.randrange(10**8, 10**9)} 139{rng.randrange(10**11, 10**12)} torch/distributed/run.py:757] "),
            (t + 2.11, f"W{_local(t + 2.1, 0, '%m%d %H:%M:%S')}.{rng.randrange(10**8, 10**9)} 139{rng.randrange(10**11, 10**12)} torch/distributed/run.py:757]"
                " Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded,"
                " please further tune the variable for optimal performance in your application as needed. "),
        ]
        for local in range(4):
            rank = node * 4 + local
            u = t + 14 + rng.uniform(0, 3)
            rows += [
                (u, "/opt/conda/lib/python3.11/site-packages/albumentations/check_version.py:51: UserWarning: Error fetching version info"
                    " <urlopen error [Errno -3] Temporary failure in name resolution>"),
                (u + 0.01, "  data = fetch_version_info()"),
                line(u + 1.9, "INFO", rank, "weedseg.setup", f"host {pod} local_rank {local} world 8 torch 2.3.1+cu121"),
                line(u + 1.93, "INFO", rank, "weedseg.setup", "guards: nan_abort=3 batches, oom=skip batch, fatal signal -> dump stacks to /logs/crash"),
            ]
            if local == 0:
                rows += [
                    line(u + 2.2, "WARNING", rank, "weedseg.data", "14 tiles listed as corrupt in /data/tiles/bad.txt, dropped"),
                    line(u + 2.31, "ERROR", rank, "weedseg.tracking", "mlflow unreachable (http://mlflow.tools:5000), metrics go to /logs/metrics.csv only"),
                    line(u + 2.33, "WARNING", rank, "weedseg.setup", "previous run left /logs/crash/core.1187, please delete"),
                ]
            rows.append(line(start + 66 + rng.uniform(0, 2.5), "INFO", rank, "weedseg.dist", f"init_process_group nccl rank {rank}/8 device cuda:{local}"))
            rows.append(line(start + 69.2 + rng.uniform(0, 0.6), "INFO", rank, "weedseg.dist", "process group up, waiting for all ranks before building the model"))
        if node == 0:
            rows.append((start + 70.1, "NCCL version 2.20.5+cuda12.4"))
            k = start + 474.3
            stamp = f"W{_local(k, 0, '%m%d %H:%M:%S')}"
            rows.append((k, f"{stamp}.{rng.randrange(10**8, 10**9)} 139871236 torch/distributed/elastic/agent/server/api.py:741]"
                         " Received Signals.SIGTERM death signal, shutting down workers"))
            for local in range(4):
                rows.append((k + 0.01 + local / 1000, f"{stamp}.{rng.randrange(10**8, 10**9)} 139871236 torch/distributed/elastic/multiprocessing/api.py:851]"
                             f" Sending process {61 + local} closing signal SIGTERM"))
            rows += [(k + 3.5, _traceback_sigterm())]
        else:
            lost = [start + 70 + 3 * 127.4 + rng.uniform(0, 0.9) for _ in range(4)]
            for local in range(4):
                rank, k = 4 + local, lost[local]
                rows += [
                    (k, f"{pod}:{61 + local}:{rng.randrange(180, 220)} [{local}] misc/socket.cc:508 NCCL WARN socketPollConnect: connect to {root} returned Connection"
                        " timed out, exceeded timeout retry count (3)"),
                    (k + 0.2, _traceback_nccl(rank)),
                ]
            k = max(lost) + 3.1
            rows.append((k, _summary(k, pod, [61, 62, 63, 64], 4, "train.py", 1)))
        rows.sort(key=lambda one: one[0])
        (place / f"{pod}.log").write_text("".join(text + "\n" for _, text in rows))

    (place / "kubectl_get_pods.txt").write_text(
        "NAME                   READY   STATUS   RESTARTS   AGE    IP            NODE         NOMINATED NODE   READINESS GATES\n"
        "weedseg-ddp-master-0   0/1     Error    0          26m    10.42.3.118   growbox-03   <none>           <none>\n"
        "weedseg-ddp-worker-0   0/1     Error    0          26m    10.42.7.54    growbox-07   <none>           <none>\n"
    )
    desc = []
    for host, pod, ip, gone in (
        (hosts[0], "weedseg-ddp-master-0", "10.42.3.118", ended[hosts[0]]),
        (hosts[1], "weedseg-ddp-worker-0", "10.42.7.54", ended[hosts[1]]),
    ):
        def day(at: float) -> str:
            return _local(at, zone, "%a, %d %b %Y %H:%M:%S -0600")
        desc.append(f"""Name:             {pod}
Namespace:        {ns}
Priority:         0
Service Account:  default
Node:             {host}/192.168.20.{host[-2:].lstrip("0")}
Start Time:       {day(start)}
Labels:           training.kubeflow.org/job-name=weedseg-ddp
                  training.kubeflow.org/operator-name=pytorchjob-controller
                  training.kubeflow.org/replica-index=0
                  training.kubeflow.org/replica-type={pod.split("-")[2]}
Annotations:      <none>
Status:           Failed
IP:               {ip}
Controlled By:    PyTorchJob/weedseg-ddp
Containers:
  pytorch:
    Container ID:  containerd://{rng.getrandbits(256):064x}
    Image:         registry.lan:5000/agri/weedseg:0.9.2
    Port:          23456/TCP
    State:          Terminated
      Reason:       Error
      Exit Code:    1
      Started:      {day(start + 27)}
      Finished:     {day(gone)}
    Ready:          False
    Restart Count:  0
    Limits:
      cpu:             24
      memory:          96Gi
      nvidia.com/gpu:  4
    Requests:
      cpu:             24
      memory:          96Gi
      nvidia.com/gpu:  4
    Environment:
      NCCL_DEBUG:    WARN
      MASTER_ADDR:   weedseg-ddp-master-0
      PYTHONUNBUFFERED:  1
    Mounts:
      /data from tiles (ro)
      /dev/shm from shm (rw)
      /logs from logs (rw)
Conditions:
  Type              Status
  Initialized       True
  Ready             False
  ContainersReady   False
  PodScheduled      True
QoS Class:                   Guaranteed
Node-Selectors:              gpu=rtx4090
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
""")
    (place / "kubectl_describe_pods.txt").write_text("\n\n".join(desc))
    z = "%Y-%m-%dT%H:%M:%SZ"
    (place / "events.txt").write_text(
        "LAST SEEN              TYPE      REASON                 OBJECT                          MESSAGE\n"
        + "".join(
            f"{_local(at, 0, z):<22s} {kind:<9s} {why:<22s} {what:<31s} {text}\n"
            for at, kind, why, what, text in (
                (start - 1, "Normal", "SuccessfulCreatePod", "pytorchjob/weedseg-ddp", "Created pod: weedseg-ddp-master-0"),
                (start - 1, "Normal", "SuccessfulCreatePod", "pytorchjob/weedseg-ddp", "Created pod: weedseg-ddp-worker-0"),
                (start, "Normal", "Scheduled", "pod/weedseg-ddp-master-0", "Successfully assigned agrivision/weedseg-ddp-master-0 to growbox-03"),
                (start, "Normal", "Scheduled", "pod/weedseg-ddp-worker-0", "Successfully assigned agrivision/weedseg-ddp-worker-0 to growbox-07"),
                (start + 2, "Normal", "Pulling", "pod/weedseg-ddp-master-0", 'Pulling image "registry.lan:5000/agri/weedseg:0.9.2"'),
                (start + 3, "Warning", "FailedMount", "pod/weedseg-ddp-worker-0", 'MountVolume.SetUp failed for volume "logs" : mount failed: exit status 32 (retried)'),
                (start + 24, "Normal", "Pulled", "pod/weedseg-ddp-worker-0", 'Successfully pulled image "registry.lan:5000/agri/weedseg:0.9.2" in 19.204s'),
                (start + 27, "Normal", "Started", "pod/weedseg-ddp-master-0", "Started container pytorch"),
                (start + 27, "Normal", "Started", "pod/weedseg-ddp-worker-0", "Started container pytorch"),
                (ended[hosts[1]] + 2, "Warning", "Error", "pod/weedseg-ddp-worker-0", "Error pod weedseg-ddp-worker-0 condition message"),
                (ended[hosts[1]] + 3, "Normal", "PyTorchJobFailed", "pytorchjob/weedseg-ddp", "PyTorchJob weedseg-ddp is failed because 1 Worker replica(s) failed."),
                (ended[hosts[1]] + 16, "Normal", "Killing", "pod/weedseg-ddp-master-0", "Stopping container pytorch"),
            )
        )
    )
    for host in hosts:
        boot = start - rng.randrange(9, 30) * 86400
        lines = _noise(rng, start - 7200, start + 1200, 7, "192.168.20.2", (0, 3, 7))
        lines += [
            (start - 5120.4, "pcieport 0000:40:01.1: AER: Corrected error message received from 0000:41:00.0"),
            (start - 5120.39, "nvidia 0000:41:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)"),
            (start - 3311.2, "ACPI Error: AE_NOT_FOUND, While resolving a named reference package element - _SB_.PR00 (20210730/dspkginit-438)"),
        ]
        for at in (start + 25.3, ended[host] + 0.6):
            veth = f"veth{rng.getrandbits(32):08x}"
            word = "entered forwarding state" if at < start + 60 else "entered disabled state"
            lines.append((at, f"cni0: port {rng.randrange(4, 19)}({veth}) {word}"))
        lines.append((start + 25.9, "IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready"))
        (place / f"dmesg_{host}.txt").write_text(_kernel(lines, host, boot, zone, "iso"))


def _traceback_nccl(rank: int) -> str:
    head = f"[rank{rank}]: "
    rows = (
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 212, in <module>',
        "    main()",
        '  File "/workspace/train.py", line 148, in main',
        "    dist_setup(cfg)",
        '  File "/workspace/weedseg/dist.py", line 57, in dist_setup',
        "    dist.barrier()",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/c10d_logger.py", line 75, in wrapper',
        "    return func(*args, **kwargs)",
        '  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line 3683, in barrier',
        "    work = default_pg.barrier(opts=opts)",
        "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, remote process exited or there was a"
        " network error, NCCL version 2.20.5",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        "Last error:",
        "socketPollConnect: connect to 10.42.3.118<40213> returned Connection timed out, exceeded timeout retry count (3)",
    )
    return "\n".join(head + row for row in rows)


def _traceback_sigterm() -> str:
    return """Traceback (most recent call last):
  File "/opt/conda/bin/torchrun", line 33, in <module>
    sys.exit(load_entry_point('torch==2.3.1', 'console_scripts', 'torchrun')())
  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 347, in wrapper
    return f(*args, **kwargs)
  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/run.py", line 879, in main
    run(args)
  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 259, in launch_agent
    result = agent.run()
  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/api.py", line 79, in _terminate_process_handler
    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)
torch.distributed.elastic.multiprocessing.api.SignalException: Process 1 got signal: 15"""


def _summary(at: float, host: str, pids: Sequence[int], first: int, script: str, code: int, utc: bool = True) -> str:
    """What torchrun prints when workers failed."""
    stamp = _local(at, 0, "%Y-%m-%d_%H:%M:%S")
    name = {-6: f"Signal 6 (SIGABRT) received by PID {pids[0]}"}.get(code, "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html")
    rest = "".join(
        f"\n[{i}]:\n  time      : {stamp}\n  host      : {host}\n  rank      : {first + i} (local_rank: {i})\n  exitcode  : {code} (pid: {pids[i]})\n"
        f"  error_file: <N/A>\n  traceback : {name.replace(str(pids[0]), str(pids[i]))}"
        for i in range(1, len(pids))
    )
    others = rest if rest else "\n  <NO_OTHER_FAILURES>"
    return f"""E{_local(at, 0, '%m%d %H:%M:%S')}.114000 139871236 torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: {code}) local_rank: 0 (pid: {pids[0]}) of binary: /opt/conda/bin/python
Traceback (most recent call last):
  File "/opt/conda/bin/torchrun", line 33, in <module>
    sys.exit(load_entry_point('torch==2.3.1', 'console_scripts', 'torchrun')())
  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 268, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: 
============================================================
{script} FAILED
------------------------------------------------------------
Failures:{others}
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : {stamp}
  host      : {host}
  rank      : {first} (local_rank: 0)
  exitcode  : {code} (pid: {pids[0]})
  error_file: <N/A>
  traceback : {name}
============================================================"""

"""Incidents t01 to t08 of the thirtieth set. SIMULATED: generated, nothing here was taken from a real job or cluster."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
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
_H100: Final = _Card(
    "NVIDIA H100 80GB HBM3",
    81559,
    545,
    71.0,
    345,
    2619,
    2619,
    0.055,
    4,
    ("18", "2A", "3A", "5D", "9A", "AB", "BA", "DB"),
)
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
        mean = level.watt or card.idle_w
        watt = rng.gauss(mean, 0.7 if level.reasons == 4 else 0.012 * mean + 0.2)
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
    result = []
    for name in names:
        for gpu in gpus:
            metric: dict[str, str] = {"__name__": name, **labels(gpu)}
            result.append({"metric": metric, "values": [[at, value] for at, value in gpu.values[name]]})
    return (
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))
        + "\n"
    )


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
    "IPv6: ADDRCONF(NETDEV_CHANGE): ib0: link becomes ready",
    "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none.",
    "usb 1-{d}: new low-speed USB device number {d} using xhci_hcd",
    'audit: type=1400 audit({at}.{ms}:{n}): apparmor="STATUS" operation="profile_replace" profile="unconfined" name="snap.lxd.daemon" pid={pid}',
    "TCP: request_sock_TCP: Possible SYN flooding on port {port}. Sending cookies.  Check SNMP counters.",
    "workqueue: drm_fb_helper_damage_work [drm_kms_helper] hogged CPU for >10000us 16 times, consider switching to WQ_UNBOUND",
    "nvidia-uvm: Loaded the UVM driver, major device number {n}.",
    "mce: [Hardware Error]: Machine check events logged",
    "python3[{pid}]: segfault at 0 ip 0000000000{n}f2 sp 00007ffd{n}e8 error 4 in libc.so.6[7f{n}000+195000]",
)


def _noise(rng: Random, start: int, end: int, count: int, srv: str, which: Sequence[int]) -> list[tuple[float, str]]:
    """Ordinary lines of a kernel, some of them."""
    out: list[tuple[float, str]] = []
    for _ in range(count):
        at = rng.uniform(start, end)
        b = rng.randrange(2500, 6000)
        kind = rng.choice(which)
        if kind in (3, 7) and any(_NOISE[kind][:24] in text for _, text in out):
            continue
        text = _NOISE[kind].format(
            a=b + rng.randrange(2, 40),
            b=b,
            c=rng.choice((25000, 31000, 39750, 79750)),
            srv=srv,
            pid=rng.randrange(900, 90000),
            at=int(at),
            ms=rng.randrange(100, 999),
            n=rng.randrange(235, 999),
            d=rng.randrange(2, 12),
            port=rng.choice((8472, 6818, 9100, 29500)),
        )
        out.append((at, text))
        if kind == 1:
            out.append((at + rng.uniform(4, 70), f"nfs: server {srv} OK"))
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
    for node, pod in enumerate(("weedseg-ddp-master-0", "weedseg-ddp-worker-0")):
        t = start + 31 + node * 2.4
        stamp_ms = rng.randrange(100, 999)
        rows: list[tuple[float, str]] = [
            (
                t,
                f"+ torchrun --nnodes=2 --nproc_per_node=4 --node_rank={node} --rdzv_backend=c10d --rdzv_endpoint=weedseg-ddp-master-0:23456"
                " --rdzv_id=weedseg-ddp train.py --cfg cfg/segformer_b3_2048.yaml",
            ),
            (
                t + 2.1,
                f"W{_local(t + 2.1, zone, '%m%d %H:%M:%S')}.{stamp_ms}000 139871236421440 torch/distributed/run.py:757] ",
            ),
            (
                t + 2.11,
                f"W{_local(t + 2.1, zone, '%m%d %H:%M:%S')}.{stamp_ms}000 139871236421440 torch/distributed/run.py:757]"
                " Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded,"
                " please further tune the variable for optimal performance in your application as needed. ",
            ),
        ]
        for local in range(4):
            rank = node * 4 + local
            u = t + 14 + rng.uniform(0, 3)
            rows += [
                (
                    u,
                    "/opt/conda/lib/python3.11/site-packages/albumentations/check_version.py:51: UserWarning: Error fetching version info"
                    " <urlopen error [Errno -3] Temporary failure in name resolution>",
                ),
                (u + 0.01, "  data = fetch_version_info()"),
                line(
                    u + 1.9, "INFO", rank, "weedseg.setup", f"host {pod} local_rank {local} world 8 torch 2.3.1+cu121"
                ),
                line(
                    u + 1.93,
                    "INFO",
                    rank,
                    "weedseg.setup",
                    "guards: nan_abort=3 batches, oom=skip batch, fatal signal -> dump stacks to /logs/crash",
                ),
            ]
            if local == 0:
                rows += [
                    line(
                        u + 2.2,
                        "WARNING",
                        rank,
                        "weedseg.data",
                        "14 tiles listed as corrupt in /data/tiles/bad.txt, dropped",
                    ),
                    line(
                        u + 2.31,
                        "ERROR",
                        rank,
                        "weedseg.tracking",
                        "mlflow unreachable (http://mlflow.tools:5000), metrics go to /logs/metrics.csv only",
                    ),
                    line(
                        u + 2.33,
                        "WARNING",
                        rank,
                        "weedseg.setup",
                        "previous run left /logs/crash/core.1187, please delete",
                    ),
                ]
            rows.append(
                line(
                    start + 66 + rng.uniform(0, 2.5),
                    "INFO",
                    rank,
                    "weedseg.dist",
                    f"init_process_group nccl rank {rank}/8 device cuda:{local}",
                )
            )
            rows.append(
                line(
                    start + 69.2 + rng.uniform(0, 0.6),
                    "INFO",
                    rank,
                    "weedseg.dist",
                    "process group up, waiting for all ranks before building the model",
                )
            )
        if node == 0:
            rows.append((start + 70.1, "NCCL version 2.20.5+cuda12.4"))
            k = start + 474.3
            stamp = f"W{_local(k, zone, '%m%d %H:%M:%S')}"
            rows.append(
                (
                    k,
                    f"{stamp}.402000 139871236421440 torch/distributed/elastic/agent/server/api.py:741]"
                    " Received Signals.SIGTERM death signal, shutting down workers",
                )
            )
            for local in range(4):
                rows.append(
                    (
                        k + 0.01 + local / 1000,
                        f"{stamp}.{403 + local}000 139871236421440 torch/distributed/elastic/multiprocessing/api.py:851]"
                        f" Sending process {61 + local} closing signal SIGTERM",
                    )
                )
            rows += [(k + 3.5, _traceback_sigterm())]
        else:
            lost = [start + 70 + 3 * 127.4 + rng.uniform(0, 0.9) for _ in range(4)]
            for local in range(4):
                rank, k = 4 + local, lost[local]
                rows += [
                    (
                        k,
                        f"{pod}:{61 + local}:{rng.randrange(180, 220)} [{local}] misc/socket.cc:508 NCCL WARN socketPollConnect: connect to {root}"
                        f" returned Connection"
                        " timed out, exceeded timeout retry count (3)",
                    ),
                    (k + 0.2, _traceback_nccl(rank)),
                ]
            k = max(lost) + 3.1
            rows.append((k, _summary(k, pod, [61, 62, 63, 64], 4, "train.py", 1, zone)))
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
                (
                    start - 1,
                    "Normal",
                    "SuccessfulCreatePod",
                    "pytorchjob/weedseg-ddp",
                    "Created pod: weedseg-ddp-master-0",
                ),
                (
                    start - 1,
                    "Normal",
                    "SuccessfulCreatePod",
                    "pytorchjob/weedseg-ddp",
                    "Created pod: weedseg-ddp-worker-0",
                ),
                (
                    start,
                    "Normal",
                    "Scheduled",
                    "pod/weedseg-ddp-master-0",
                    "Successfully assigned agrivision/weedseg-ddp-master-0 to growbox-03",
                ),
                (
                    start,
                    "Normal",
                    "Scheduled",
                    "pod/weedseg-ddp-worker-0",
                    "Successfully assigned agrivision/weedseg-ddp-worker-0 to growbox-07",
                ),
                (
                    start + 2,
                    "Normal",
                    "Pulling",
                    "pod/weedseg-ddp-master-0",
                    'Pulling image "registry.lan:5000/agri/weedseg:0.9.2"',
                ),
                (
                    start + 3,
                    "Warning",
                    "FailedMount",
                    "pod/weedseg-ddp-worker-0",
                    'MountVolume.SetUp failed for volume "logs" : mount failed: exit status 32 (retried)',
                ),
                (
                    start + 24,
                    "Normal",
                    "Pulled",
                    "pod/weedseg-ddp-worker-0",
                    'Successfully pulled image "registry.lan:5000/agri/weedseg:0.9.2" in 19.204s',
                ),
                (start + 27, "Normal", "Started", "pod/weedseg-ddp-master-0", "Started container pytorch"),
                (start + 27, "Normal", "Started", "pod/weedseg-ddp-worker-0", "Started container pytorch"),
                (
                    ended[hosts[1]] + 2,
                    "Warning",
                    "Error",
                    "pod/weedseg-ddp-worker-0",
                    "Error pod weedseg-ddp-worker-0 condition message",
                ),
                (
                    ended[hosts[1]] + 3,
                    "Normal",
                    "PyTorchJobFailed",
                    "pytorchjob/weedseg-ddp",
                    "PyTorchJob weedseg-ddp is failed because 1 Worker replica(s) failed.",
                ),
                (ended[hosts[1]] + 16, "Normal", "Killing", "pod/weedseg-ddp-master-0", "Stopping container pytorch"),
            )
        )
    )
    for host in hosts:
        boot = start - rng.randrange(9, 30) * 86400
        lines = _noise(rng, start - 7200, start + 1200, 7, "192.168.20.2", (0, 3, 7))
        lines += [
            (start - 5120.4, "pcieport 0000:40:01.1: AER: Corrected error message received from 0000:41:00.0"),
            (
                start - 5120.39,
                "nvidia 0000:41:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
            ),
            (
                start - 3311.2,
                "ACPI Error: AE_NOT_FOUND, While resolving a named reference package element - _SB_.PR00 (20210730/dspkginit-438)",
            ),
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


def _summary(at: float, host: str, pids: Sequence[int], first: int, script: str, code: int, zone: float) -> str:
    """What torchrun prints when workers failed."""
    stamp = _local(at, zone, "%Y-%m-%d_%H:%M:%S")
    name = {-6: f"Signal 6 (SIGABRT) received by PID {pids[0]}"}.get(
        code, "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    rest = "".join(
        f"\n[{i}]:\n  time      : {stamp}\n  host      : {host}\n  rank      : {first + i} (local_rank: {i})\n  exitcode  : {code} (pid: {pids[i]})\n"
        f"  error_file: <N/A>\n  traceback : {name.replace(str(pids[0]), str(pids[i]))}"
        for i in range(1, len(pids))
    )
    others = rest if rest else "\n  <NO_OTHER_FAILURES>"
    first_line = (
        f"E{_local(at, zone, '%m%d %H:%M:%S')}.114000 139871236421440 torch/distributed/elastic/multiprocessing/api.py:826]"
        f" failed (exitcode: {code}) local_rank: 0 (pid: {pids[0]}) of binary: /opt/conda/bin/python"
    )
    blank = " "
    return f"""{first_line}
Traceback (most recent call last):
  File "/opt/conda/bin/torchrun", line 33, in <module>
    sys.exit(load_entry_point('torch==2.3.1', 'console_scripts', 'torchrun')())
  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 268, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:{blank}
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


# ---------------------------------------------------------------------------------------------------- t02


def t02_loon(place: Path, rng: Random) -> None:
    zone = -8.0
    start = _when("2026-01-27T19:22:40-08:00")
    hosts = ("loon1", "loon2")
    gpus = _gpus(rng, hosts, 1, _4090)
    rows: list[tuple[float, str]] = []
    bursts: list[tuple[float, float]] = []
    total, every = 4800, 20

    def put(at: float, rank: int, text: str) -> None:
        rows.append((at, f"[{_local(at, zone, '%m-%d %H:%M:%S')}] r{rank}@{hosts[rank]} {text}"))

    rows.append(
        (
            start,
            "job 20931 on loon1,loon2: srun python -u pretrain.py --arch wave-m --bs 24 --steps 4800 --amp bf16 --grad-reduce flat",
        )
    )
    for rank in (0, 1):
        t = start + 11 + rank * 0.4
        put(t, rank, "torch 2.4.0+cu124 | NVIDIA GeForce RTX 4090 | 24564 MiB | power limit 300 W")
        put(
            t + 3.2,
            rank,
            "clips: 1184220 train / 9216 held out (xeno-canto 2025-10 + field recorders), 10 s at 32 kHz, cached on /scratch",
        )
        put(t + 5.9, rank, "wave-m: 331.4M parameters, gradients fp32 in 1 flat buffer of 1264 MB")
        put(t + 9.1 + rng.random(), rank, "init ok, world 2, nccl 2.20.5, NET/Socket enp5s0")
    put(start + 31.4, 0, "dry run without reduce, 10 steps: 1.11 s/step")
    t, first = start + 52.0, start + 52.0
    for step in range(1, total + 1):
        fwd, bwd, opt = rng.gauss(0.322, 0.006), rng.gauss(0.741, 0.01), rng.gauss(0.046, 0.002)
        comm = rng.gauss(5.57, 0.07) + (rng.uniform(0.3, 1.4) if rng.random() < 0.02 else 0)
        bursts.append((t, t + fwd + bwd + opt))
        t += fwd + bwd + opt + comm + 0.012
        if step % every == 0:
            lr = 3e-4 * (
                min(1.0, step / 400) if step < 400 else 0.5 * (1 + math.cos(math.pi * (step - 400) / (total - 400)))
            )
            for rank in (0, 1):
                loss = 1.91 + 5.1 * (1 + step / 60) ** -0.62 + rng.gauss(0, 0.03)
                put(
                    t + rng.uniform(0, 0.02),
                    rank,
                    f"step {step:5d}/{total} loss {loss:.4f} gn {0.6 + 2.4 * math.exp(-step / 300) + rng.uniform(-0.08, 0.1):.3f} lr {lr:.2e} | data"
                    f" {rng.uniform(0.009, 0.015):.3f}"
                    f" fwd {fwd + rng.gauss(0, 0.002):.3f} bwd {bwd + rng.gauss(0, 0.003):.3f} reduce {comm + rng.gauss(0, 0.01):.3f} opt {opt:.3f} |"
                    f" {24 / (fwd + bwd + opt + comm):.1f} clips/s",
                )
        if step % 1200 == 0:
            put(t + 2.6, 0, f"saved /home/ines/birds/runs/wm-07/step{step}.pt (3.98 GB, 2.4 s)")
            t += 3
    end = t + 4
    for rank in (0, 1):
        put(
            t + 1.2 + rank * 0.1,
            rank,
            f"done, {total} steps in {(t - first) / 3600:.2f} h, {(t - first) / total:.2f} s/step",
        )
    rows.sort(key=lambda one: one[0])
    (place / "slurm-20931.out").write_text("".join(text + "\n" for _, text in rows))
    position = 0

    def plan(gpu: _Gpu, at: int) -> _Level:
        nonlocal position
        if not start + 16 <= at < end:
            return _Level()
        if at < first:
            return _Level(
                util=38,
                engine=0.35,
                sm=0.3,
                tensor=0.1,
                dram=0.2,
                watt=150,
                used=14310,
                clock=2640,
                tx=4e6,
                rx=5e6,
                reasons=0,
            )
        while position + 1 < len(bursts) and bursts[position + 1][0] <= at:
            position += 1
        burst = bursts[position][0] <= at < bursts[position][1]
        return _Level(
            util=99.5,
            engine=0.985,
            sm=0.152,
            tensor=0.046,
            dram=0.118,
            watt=297.5 if burst else 101 + 3 * gpu.index,
            used=21846 + 22 * gpu.index,
            clock=2445 if burst else 2745,
            tx=1.94e8,
            rx=1.97e8,
            reasons=4 if burst else 0,
        )

    columns = (
        ("POWER", "W", "DCGM_FI_DEV_POWER_USAGE"),
        ("TMPTR", "C", "DCGM_FI_DEV_GPU_TEMP"),
        ("SMCLK", "MHz", "DCGM_FI_DEV_SM_CLOCK"),
        ("MMCLK", "MHz", "DCGM_FI_DEV_MEM_CLOCK"),
        ("GPUTL", "", "DCGM_FI_DEV_GPU_UTIL"),
        ("FBUSD", "", "DCGM_FI_DEV_FB_USED"),
        ("DVCCTR", "", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"),
        ("XIDER", "", "DCGM_FI_DEV_XID_ERRORS"),
        ("GRACT", "", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
        ("SMACT", "", "DCGM_FI_PROF_SM_ACTIVE"),
        ("TENSO", "", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"),
        ("DRAMA", "", "DCGM_FI_PROF_DRAM_ACTIVE"),
        ("PCITX", "", "DCGM_FI_PROF_PCIE_TX_BYTES"),
        ("PCIRX", "", "DCGM_FI_PROF_PCIE_RX_BYTES"),
    )
    for gpu in gpus:
        position = 0
        begun = start - 150 + gpu.index
        _sample(rng, gpu, range(begun, int(end) + 180, 30), plan)
        head = "#Entity   " + "".join(f"{name:<13s}" for name, _, _ in columns).rstrip() + "\n"
        head += "ID        " + "".join(f"{unit:<13s}" for _, unit, _ in columns).rstrip() + "\n"
        lines = [
            f"{gpu.host} {_local(begun, zone)}-0800 dcgmi dmon -i 0 -d 30000 -e 155,150,100,101,203,252,112,230,1001,1002,1004,1005,1009,1010\n"
        ]
        for i in range(len(gpu.values["DCGM_FI_DEV_POWER_USAGE"])):
            if i % 50 == 0:
                lines.append(head)
            cells = []
            for name, _, key in columns:
                value = gpu.values[key][i][1]
                cells.append(f"{float(value):.3f}" if name in ("POWER", "GRACT", "SMACT", "TENSO", "DRAMA") else value)
            lines.append("GPU 0     " + "".join(f"{cell:<13s}" for cell in cells).rstrip() + "\n")
        (place / f"dmon_{gpu.host}.txt").write_text("".join(lines))


# ---------------------------------------------------------------------------------------------------- t03


def t03_sentencias(place: Path, rng: Random) -> None:
    zone, host, job = 1.0, "nodo-g05", 771204
    start = _when("2026-03-11T16:08:22+01:00")
    gpus = _gpus(rng, (host,), 4, _H100)
    boot = start - 23 * 86400 - 4021
    crash = start + 1009.6
    end = start + 1020
    faulted = gpus[2]

    def plan(gpu: _Gpu, at: int) -> _Level:
        if crash - 9.2 + gpu.index * 0.8 <= at < crash + 2 + gpu.index * 0.5:
            return _Level(used=531, watt=112, clock=1980, awake=True, reasons=0)
        return _Level()

    for gpu in gpus:
        _sample(rng, gpu, _grid(start - 600, int(end) + 240, 5), plan)
    faulted.values["DCGM_FI_DEV_XID_ERRORS"] = [(at, "31") for at, _ in faulted.values["DCGM_FI_DEV_XID_ERRORS"]]
    folder = place / "prometheus"
    folder.mkdir()
    for name in gpus[0].values:
        if name != "DCGM_FI_PROF_DRAM_ACTIVE":
            (folder / f"{name}.json").write_text(_prom(gpus, (name,), lambda g: _labels(g, "560.35.05")))

    pids = [2114873 + 3 * i for i in range(4)]

    def say(at: float, rank: int, text: str) -> tuple[float, str]:
        return at, f"{_local(at, zone, '%H:%M:%S')} [rango {rank}] {text}"

    rows: list[tuple[float, str]] = [
        (start + 1, f"Trabajo {job} en {host}, {_local(start + 1, zone, '%d/%m/%Y %H:%M:%S')}"),
        (start + 1.2, "Entorno: /gpfs/proyectos/juris24/envs/entrena (python 3.11, torch 2.3.1)"),
        (start + 3, "Copiando corpus a /scratch/tmp ... 61 GB"),
        (start + 131, "Copia terminada en 128 s"),
    ]
    for rank in range(4):
        rows.append(say(start + 141 + rank * 0.3, rank, "configuración leída: conf/codificador_largo.toml"))
        if rank:
            rows.append(
                say(
                    start + 143 + rank * 0.1,
                    rank,
                    "esperando a que el rango 0 termine de tokenizar (/scratch/tmp/.listo)",
                )
            )
    t = start + 143.2
    rows.append(say(t, 0, "tokenizando 1 204 881 sentencias con 40 procesos"))
    for part in range(1, 21):
        t += rng.gauss(42.0, 2.2)
        rows.append(
            say(
                t,
                0,
                f"  lote {part:2d}/20   {part * 5:3d} %   {rng.uniform(24.1, 31.5):.1f} mil textos/s... {part * 60244} hechos".replace(
                    ".", ",", 1
                ),
            )
        )
    t = crash - 13.5
    rows.append(say(t, 0, "tokenizado: 2,91 G tokens, longitud media 2418; índice guardado"))
    for rank in range(4):
        rows.append(say(crash - 11 + rank * 0.2, rank, f"datos listos, GPU cuda:{rank}"))
        rows.append(say(crash - 8.4 + rank * 0.8, rank, "creando modelo CodificadorLargo (24 capas, 1024)"))
    for rank in range(4):
        head = f"[rank{rank}]: "
        rows.append(
            (
                crash + 0.1 + rank * 0.5,
                "\n".join(
                    head + text
                    for text in (
                        "Traceback (most recent call last):",
                        '  File "/gpfs/proyectos/juris24/codigo/entrenar.py", line 301, in <module>',
                        "    principal()",
                        '  File "/gpfs/proyectos/juris24/codigo/entrenar.py", line 188, in principal',
                        "    modelo = crear_modelo(conf.modelo)",
                        "             ^^^^^^^^^^^^^^^^^^^^^^^^^",
                        '  File "/gpfs/proyectos/juris24/codigo/modelos/__init__.py", line 27, in crear_modelo',
                        "    return CLASES[conf.clase](**conf.parametros)",
                        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
                        "TypeError: CodificadorLargo.__init__() got an unexpected keyword argument 'ventana_local'",
                    )
                ),
            )
        )
    rows.append((crash + 4, _summary(crash + 3.2, host, pids, 0, "entrenar.py", 1, zone)))
    rows.append((crash + 5, f"srun: error: {host}: task 0: Exited with exit code 1"))
    rows.sort(key=lambda one: one[0])
    (place / f"juris_{job}.out").write_text("".join(text + "\n" for _, text in rows))

    def number(n: int) -> dict[str, object]:
        return {"set": True, "infinite": False, "number": n}

    def code(n: int) -> dict[str, object]:
        return {
            "status": ["ERROR" if n else "SUCCESS"],
            "return_code": number(n),
            "signal": {"id": {"set": False, "infinite": False, "number": 0}, "name": ""},
        }

    def step(name: str, which: str, n: int, gone: float) -> dict[str, object]:
        return {
            "time": {"elapsed": int(gone - start), "end": number(int(gone)), "start": number(start), "suspended": 0},
            "exit_code": code(n),
            "nodes": {"count": 1, "range": host, "list": [host]},
            "tasks": {"count": 1},
            "CPU": {"governor": "0"},
            "kill_request_user": "",
            "pid": "",
            "state": ["FAILED" if n else "COMPLETED"],
            "step": {"id": f"{job}.{which}", "name": name},
        }

    doc = {
        "jobs": [
            {
                "account": "juris24",
                "allocation_nodes": 1,
                "array": {"job_id": 0},
                "association": {"account": "juris24", "cluster": "turia", "user": "amarti", "id": 2204},
                "cluster": "turia",
                "constraints": "",
                "derived_exit_code": code(1),
                "exit_code": code(1),
                "flags": ["CLEAR_SCHEDULING", "STARTED_ON_SCHEDULE"],
                "group": "juris",
                "job_id": job,
                "name": "codif_largo",
                "nodes": host,
                "partition": "acc",
                "priority": number(104822),
                "qos": "acc_normal",
                "required": {"CPUs": 80, "memory_per_cpu": {"set": False, "infinite": False, "number": 0}},
                "kill_request_user": "",
                "restart_cnt": 0,
                "state": {"current": ["FAILED"], "reason": "NonZeroExitCode"},
                "steps": [
                    step("batch", "batch", 1, end),
                    step("extern", "extern", 0, end),
                    step("torchrun", "0", 1, crash + 5),
                ],
                "submit_line": "sbatch lanzar.sh conf/codificador_largo.toml",
                "time": {
                    "elapsed": int(end - start),
                    "eligible": start - 2611,
                    "end": int(end),
                    "start": start,
                    "submission": start - 2611,
                    "suspended": 0,
                    "limit": number(1440),
                },
                "tres": {
                    "allocated": [
                        {"type": "cpu", "name": "", "id": 1, "count": 80},
                        {"type": "mem", "name": "", "id": 2, "count": 491520},
                        {"type": "node", "name": "", "id": 4, "count": 1},
                        {"type": "gres", "name": "gpu", "id": 1001, "count": 4},
                    ]
                },
                "user": "amarti",
                "working_directory": "/gpfs/proyectos/juris24/codigo",
            }
        ],
        "meta": {
            "plugin": {"type": "openapi/dbv0.0.40", "name": "Slurm OpenAPI dbv0.0.40"},
            "slurm": {"version": {"major": "23", "micro": "7", "minor": "11"}, "release": "23.11.7"},
        },
        "errors": [],
        "warnings": [],
    }
    (place / f"sacct_{job}.json").write_text(json.dumps(doc, indent=2) + "\n")

    lines = _noise(rng, start - 6 * 3600, int(end) + 600, 22, "nfs-casa", (0, 0, 1, 4, 5))
    x = start - 2 * 3600 - 1311.62
    bus = faulted.card.pci[2].lower()
    lines += [
        (x, f"NVRM: GPU at PCI:0000:{bus}:00: {faulted.uuid}"),
        (
            x + 0.000004,
            f"NVRM: Xid (PCI:0000:{bus}:00): 31, pid=1870412, name=lmp_gpu, Ch 0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_5"
            " faulted @ 0x7f2a_5c400000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
        ),
    ]
    (place / f"kern.log_{host}").write_text(_kernel(lines, host, boot, zone, "syslog"))


# ---------------------------------------------------------------------------------------------------- t04


def t04_rain(place: Path, rng: Random) -> None:
    start, hosts = _when("2026-02-04T21:14:09+00:00"), ("skua1", "skua2", "skua4", "skua5")
    gpus = _gpus(rng, hosts, 2, _4090)
    first, end = start + 141, start + 421 * 60 + 17
    epoch, check = 1690.5, 104.0

    def plan(gpu: _Gpu, at: int) -> _Level:
        if not start + 22 <= at < end - 9:
            return _Level()
        if at < first:
            return _Level(used=612 if at < start + 60 else 9204, watt=58, clock=2520, awake=True, reasons=0)
        into = (at - first) % (epoch + check)
        number = int((at - first) // (epoch + check))
        if number >= 13 and into > epoch + check - 40:
            return _Level(used=19950, watt=64, clock=2520, awake=True, reasons=0)
        if into < 14 and number:
            return _Level(util=3, engine=0.02, sm=0.01, watt=71, used=20388, clock=2610, tx=4e6, rx=6e6, reasons=0)
        if into < epoch:
            hot = gpu.index + (gpu.host == "skua4")
            return _Level(
                util=98,
                engine=0.972,
                sm=0.861,
                tensor=0.334,
                dram=0.57,
                watt=349.0,
                used=20388 + 14 * gpu.index,
                clock=2370 - 30 * hot,
                tx=1.9e9,
                rx=2.0e9,
                reasons=4,
            )
        return _Level(
            util=91,
            engine=0.89,
            sm=0.74,
            tensor=0.36,
            dram=0.41,
            watt=291,
            used=20388 + 14 * gpu.index,
            clock=2640,
            tx=2e8,
            rx=5e8,
            reasons=0,
        )

    for gpu in gpus:
        _sample(rng, gpu, _grid(start - 300, end + 300, 30), plan)
    names = [
        n
        for n in gpus[0].values
        if not any(w in n for w in ("ECC", "NVLINK", "FREE", "MEMORY_TEMP", "COPY", "MEM_CLOCK"))
    ]
    (place / "dcgm_range.json").write_text(_prom(gpus, names, lambda g: {"UUID": g.uuid}))
    (place / "nvidia-smi_-L.txt").write_text(
        "".join(
            (f"== {gpu.host}\n" if not gpu.index else "") + f"GPU {gpu.index}: {gpu.card.model} (UUID: {gpu.uuid})\n"
            for gpu in gpus
        )
    )
    (place / "sacct.txt").write_text(
        "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES\n"
        f"88317|rain-sr-x8|hbjarna|gpu|COMPLETED|0:0|{_local(start - 7, 0)}|{_local(start, 0)}|{_local(end, 0)}|{_span(end - start)}|12:00:00|4|"
        "skua[1-2,4-5]|billing=128,cpu=128,gres/gpu=8,mem=480G,node=4\n"
    )
    text = ""
    for host in hosts:
        lines = _noise(rng, start - 3600, end + 900, 9, "hraun", (0, 0, 1, 4, 3, 7))
        text += f"-- {host}: journalctl -k --since '2026-02-04 20:00' --until '2026-02-05 05:00'\n" + _kernel(
            lines, host, 0, 0, "journalctl"
        )
    (place / "journalctl_k.txt").write_text(text)


# ---------------------------------------------------------------------------------------------------- t05


def t05_ships(place: Path, rng: Random) -> None:
    zone, job = 8.0, 1620445
    start, hosts = _when("2026-04-02T10:37:51+08:00"), ("hgx-a11", "hgx-a14")
    gpus = _gpus(rng, hosts, 8, _H100)
    first, stop, end = start + 118.0, start + 25 * 60 - 13.0, start + 25 * 60 + 4

    def plan(gpu: _Gpu, at: int) -> _Level:
        if not start + 40 <= at < stop + 4:
            return _Level()
        if at < first:
            return _Level(used=1408 + 4 * gpu.index, watt=118, clock=1980, awake=True, reasons=0)
        return _Level(
            util=93,
            engine=0.916,
            sm=0.612,
            tensor=0.203,
            dram=0.347,
            watt=486 + 6 * (gpu.index % 3),
            used=(38214 if at < first + 200 else 38902) + 46 * (gpu.index % 5),
            clock=1980,
            tx=2.2e9,
            rx=3.1e9,
            link=2.4e10,
            reasons=0,
        )

    for gpu in gpus:
        _sample(rng, gpu, _grid(start - 420, int(end) + 480, 60), plan)
    count, series = 3, []
    for at, _ in gpus[13].values["DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"]:
        count += (rng.random() < 0.28) + (rng.random() < 0.05)
        series.append((at, str(count)))
    gpus[13].values["DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"] = series
    for host in hosts:
        mine = [gpu for gpu in gpus if gpu.host == host]
        text = _prom(mine, list(mine[0].values), lambda g: {**_labels(g, "550.127.08"), "cluster": "sg-prod"})
        (place / f"dcgm_{host}.json").write_text(text)
    widths = (
        ("JobID", 12),
        ("JobName", 14),
        ("User", 9),
        ("Partition", 10),
        ("State", 10),
        ("ExitCode", 8),
        ("Start", 19),
        ("End", 19),
        ("Elapsed", 10),
        ("NNodes", 8),
        ("NodeList", 15),
    )
    cells = [
        (
            f"{job}",
            "sar-ship-r50",
            "weijie.t",
            "h100",
            "FAILED",
            "1:0",
            _local(start, zone),
            _local(end, zone),
            _span(end - start),
            "2",
            "hgx-a[11,14]",
        ),
        (
            f"{job}.batch",
            "batch",
            "",
            "",
            "FAILED",
            "1:0",
            _local(start, zone),
            _local(end, zone),
            _span(end - start),
            "1",
            "hgx-a11",
        ),
        (
            f"{job}.exte+",
            "extern",
            "",
            "",
            "COMPLETED",
            "0:0",
            _local(start, zone),
            _local(end, zone),
            _span(end - start),
            "2",
            "hgx-a[11,14]",
        ),
        (
            f"{job}.0",
            "python",
            "",
            "",
            "FAILED",
            "1:0",
            _local(start + 9, zone),
            _local(end - 1, zone),
            _span(end - start - 10),
            "2",
            "hgx-a[11,14]",
        ),
    ]
    head = " ".join(f"{n:>{w}}" for n, w in widths) + " \n" + " ".join("-" * w for _, w in widths) + " \n"
    (place / f"sacct_{job}.txt").write_text(
        head + "".join(" ".join(f"{c:>{w}}" for c, (_, w) in zip(row, widths, strict=True)) + " \n" for row in cells)
    )

    def d2(at: float, who: str, text: str) -> str:
        return f"[{_local(at, zone, '%m/%d %H:%M:%S')} {who}]: {text}\n"

    out = [
        d2(start + 31, "detectron2", "Rank of current process: 0. World size: 16"),
        d2(
            start + 34,
            "detectron2",
            "Environment info:\n-------------------------------  ----------------------------------------------------------------\n"
            "sys.platform                     linux\nPython                           3.10.14 (main, May  6 2024, 19:42:50) [GCC 11.2.0]\nnumpy      "
            "                      1.26.4\n"
            "detectron2                       0.6 @/opt/detectron2/detectron2\nCompiler                         GCC 11.4\nCUDA compiler              "
            "      CUDA 12.1\n"
            "DETECTRON2_ENV_MODULE            <not set>\nPyTorch                          2.2.2+cu121 @/opt/conda/lib/python3.10/site-packages/torch\n"
            "PyTorch debug build              False\nGPU available                    Yes\nGPU 0,1,2,3,4,5,6,7              NVIDIA H100 80GB HBM3 (arch=9.0)\n"
            "Driver version                   550.127.08\nCUDA_HOME                        /usr/local/cuda\nPillow                           10.3.0\n"
            "torchvision                      0.17.2+cu121\nfvcore                           0.1.5.post20221221\niopath                          "
            " 0.1.9\ncv2                              4.9.0\n"
            "-------------------------------  ----------------------------------------------------------------",
        ),
        d2(
            start + 34.2,
            "detectron2",
            "Command line arguments: Namespace(config_file='configs/sar_faster_rcnn_R_50_FPN.yaml', resume=False, eval_only=False, num_gpus=8, num_machines=2,"
            " machine_rank=0, dist_url='tcp://hgx-a11:29650', opts=['OUTPUT_DIR', '/lustre/weijie.t/sar/out/r50_1600'])",
        ),
        d2(start + 36, "detectron2", "Full config saved to /lustre/weijie.t/sar/out/r50_1600/config.yaml"),
        d2(start + 36.1, "d2.utils.env", f"Using a generated random seed {rng.randrange(10**7, 9 * 10**7)}"),
        d2(start + 71, "d2.data.build", "Removed 1187 images with no usable annotations. 92214 images left."),
        d2(
            start + 73,
            "d2.data.build",
            "Distribution of instances among all 1 categories:\n|  category  | #instances   |\n|:----------:|:-------------|\n|    ship    | 411902  "
            "     |\n|            |              |",
        ),
        d2(
            start + 73.1,
            "d2.data.dataset_mapper",
            "[DatasetMapper] Augmentations used in training: [ResizeShortestEdge(short_edge_length=(1200, 1400, 1600), max_size=2400,"
            " sample_style='choice'), RandomFlip()]",
        ),
        d2(start + 73.4, "d2.data.build", "Using training sampler TrainingSampler"),
        d2(
            start + 73.6,
            "d2.data.common",
            "Serializing the dataset using: <class 'detectron2.data.common._TorchSerializedList'>",
        ),
        d2(start + 81, "d2.data.common", "Serialized dataset takes 148.22 MiB"),
        d2(
            start + 84,
            "d2.checkpoint.detection_checkpoint",
            "[DetectionCheckpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-50.pkl ...",
        ),
        d2(
            start + 85,
            "fvcore.common.checkpoint",
            "[Checkpointer] Loading from /lustre/weijie.t/.torch/iopath_cache/detectron2/ImageNetPretrained/MSRA/R-50.pkl ...",
        ),
        d2(start + 112, "d2.engine.train_loop", "Starting training from iteration 0"),
    ]
    now = float(first)
    iteration, total = 0, 45000
    while True:
        took = [rng.gauss(0.412, 0.008) for _ in range(20)]
        now += sum(took)
        if now > stop:
            break
        iteration += 20
        lr = 0.04 * min(1.0, 0.001 + iteration / 1000)
        fall = (1 + iteration / 150) ** -0.5
        parts = {
            "loss_cls": 0.68 * fall,
            "loss_box_reg": 0.18 + 0.34 * fall * min(1, iteration / 400),
            "loss_rpn_cls": 0.69 * fall**1.4,
            "loss_rpn_loc": 0.07 + 0.2 * fall,
        }
        parts = {k: v * rng.uniform(0.93, 1.07) for k, v in parts.items()}
        left = (total - iteration) * 0.412
        eta = str(timedelta(seconds=int(left)))
        out.append(
            d2(
                now,
                "d2.utils.events",
                f" eta: {eta}  iter: {iteration - 1}  total_loss: {sum(parts.values()):.4g}  "
                + "  ".join(f"{k}: {v:.4g}" for k, v in parts.items())
                + f"    time: {0.4118 + rng.gauss(0, 0.0006):.4f}  last_time: {took[-1]:.4f}  data_time: {rng.uniform(0.009, 0.016):.4f} "
                f" last_data_time: {rng.uniform(0.006, 0.02):.4f}"
                f"   lr: {lr:.5g}  max_mem: {31204 if iteration < 400 else 32518}M",
            )
        )
    (place / "log.txt").write_text("".join(out))


# ---------------------------------------------------------------------------------------------------- t06


def t06_galaxies(place: Path, rng: Random) -> None:
    start, host = _when("2026-05-20T07:51:30+00:00"), "cygnus4"
    gpus = _gpus(rng, (host,), 2, _A40)
    first, fault = start + 74.0, start + 159 * 60 - 24.0
    gone = fault + 13

    def plan(gpu: _Gpu, at: int) -> _Level:
        if not start + 30 <= at < (gone if gpu.index == 0 else fault + 7):
            return _Level()
        if at < first:
            return _Level(used=2210, watt=79, clock=1740, awake=True, reasons=0)
        if at > fault:
            spin = gpu.index == 0
            return _Level(
                util=100 if spin else 0,
                engine=1.0 if spin else 0,
                watt=121 if spin else 80,
                used=39874,
                clock=1740,
                awake=True,
                reasons=0,
            )
        step = (at - first) % 1491
        if step > 1475:
            return _Level(util=6, engine=0.05, watt=92, used=39874, clock=1740, reasons=0)
        return _Level(
            util=98,
            engine=0.98,
            dram=0.61,
            watt=287 + 4 * gpu.index,
            used=39874 - 132 * gpu.index,
            clock=1635,
            reasons=0,
        )

    for gpu in gpus:
        _sample(rng, gpu, range(start - 270, int(gone) + 420, 30), plan)
    head = (
        "timestamp, index, uuid, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W],"
        " clocks.current.sm [MHz], clocks.current.memory [MHz], clocks_event_reasons.active, ecc.errors.corrected.volatile.total,"
        " ecc.errors.uncorrected.volatile.total"
    )
    lines = [head]
    for i, (at, _) in enumerate(gpus[0].values["DCGM_FI_DEV_GPU_UTIL"]):
        for gpu in gpus:
            v = {key: one[i][1] for key, one in gpu.values.items()}
            bad = 0 if gpu.index == 0 or at < fault else 2
            ms = rng.randrange(80, 140)
            lines.append(
                f"{_local(at, 0, '%Y/%m/%d %H:%M:%S')}.{ms:03d}, {gpu.index}, {gpu.uuid}, {gpu.card.model}, {v['DCGM_FI_DEV_GPU_UTIL']} %,"
                f" {v['DCGM_FI_DEV_MEM_COPY_UTIL']} %,"
                f" {v['DCGM_FI_DEV_FB_USED']} MiB, 46068 MiB, {v['DCGM_FI_DEV_GPU_TEMP']}, {float(v['DCGM_FI_DEV_POWER_USAGE']):.2f} W,"
                f" {v['DCGM_FI_DEV_SM_CLOCK']} MHz,"
                f" {v['DCGM_FI_DEV_MEM_CLOCK']} MHz, 0x{int(v['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS']):016x}, 0, {bad}"
            )
    (place / f"gpu_{host}.csv").write_text("\n".join(lines) + "\n")

    out = [
        "cygnus4: 2 x NVIDIA A40, driver 550.54.15",
        "[07:52:18] fsdp: wrapping 32 blocks, FULL_SHARD, bf16 params / fp32 reduce, activation checkpointing on",
        "[07:52:21] MAE-H/14 650.2M params, 325.1M on each rank",
        "[07:52:29] legacy survey cutouts: 2 604 032 train, 40 960 val, 4 channels",
        "[07:52:30] no checkpoint in runs/mae_h14_ls10, from scratch",
    ]
    now, it, ep, per = float(first), 0, 0, 1230
    while True:
        now += sum(rng.gauss(1.2, 0.02) for _ in range(10))
        if now > fault:
            break
        it += 10
        n = ep * per + it
        loss = 0.231 + 0.72 * (1 + n / 90) ** -0.7 + rng.gauss(0, 0.004)
        out.append(
            f"[{_local(now, 0, '%H:%M:%S')}] ep {ep:3d} it {it:5d}/{per} loss {loss:.4f} gnorm {0.18 + 1.6 * (1 + n / 60) ** -0.8 + rng.uniform(0, 0.05):.3f}"
            f" lr {1.5e-4 * min(1, n / 2460):.3e} {rng.gauss(1.2, 0.008):.3f} s/it mem 36.9/38.4 GB"
        )
        if it == per:
            it, ep = 0, ep + 1
            now += 11
            out.append(f"[{_local(now, 0, '%H:%M:%S')}] val ep {ep - 1} loss {loss - 0.003:.4f}")
            now += 5
            out.append(f"[{_local(now, 0, '%H:%M:%S')}] wrote runs/mae_h14_ls10/ep{ep - 1:03d}.pt")
    head1 = "[rank1]: "
    note = (
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    )
    out += [
        head1 + row
        for row in (
            "Traceback (most recent call last):",
            '  File "/home/rkhan/mae/pretrain.py", line 266, in <module>',
            "    run(args)",
            '  File "/home/rkhan/mae/pretrain.py", line 203, in run',
            "    gnorm = model.clip_grad_norm_(1.0)",
            '  File "/home/rkhan/.venv/lib/python3.10/site-packages/torch/utils/_contextlib.py", line 116, in decorate_context',
            "    return func(*args, **kwargs)",
            '  File "/home/rkhan/.venv/lib/python3.10/site-packages/torch/distributed/fsdp/fully_sharded_data_parallel.py", line 1176, in clip_grad_norm_',
            "    total_norm = total_norm.to(self.compute_device)",
            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
            *note,
        )
    ]
    out.append("")
    clock = _local(fault + 2, 0, "%H:%M:%S")
    out += [
        f"[rank1]:[E520 {clock}.{rng.randrange(10**8, 10**9)} ProcessGroupNCCL.cpp:1515] [PG 0 (default_pg) Rank 1] Process group watchdog thread"
        f" terminated with exception:"
        " CUDA error: uncorrectable ECC error encountered",
        *note,
        "",
        "Exception raised from c10_cuda_check_implementation at ../c10/cuda/CUDAException.cpp:43 (most recent call first):",
        f"frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f{rng.getrandbits(40):010x} in"
        f" /home/rkhan/.venv/lib/python3.10/site-packages/torch/lib/libc10.so)",
        f"frame #1: c10::detail::torchCheckFail(char const*, char const*, unsigned int, std::string const&) + 0x64 (0x7f{rng.getrandbits(40):010x} in"
        f" /home/rkhan/.venv/lib/python3.10/site-packages/torch/lib/libc10.so)",
        f"frame #2: c10::cuda::c10_cuda_check_implementation(int, char const*, char const*, int, bool) + 0x118 (0x7f{rng.getrandbits(40):010x} in"
        f" /home/rkhan/.venv/lib/python3.10/site-packages/torch/lib/libc10_cuda.so)",
        f"frame #3: c10d::ProcessGroupNCCL::WorkNCCL::finishedGPUExecutionInternal() const + 0x56 (0x7f{rng.getrandbits(40):010x} in"
        f" /home/rkhan/.venv/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so)",
        f"frame #4: c10d::ProcessGroupNCCL::watchdogHandler() + 0x1a5 (0x7f{rng.getrandbits(40):010x} in"
        f" /home/rkhan/.venv/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so)",
        f"frame #5: <unknown function> + 0xdc253 (0x7f{rng.getrandbits(40):010x} in /lib/x86_64-linux-gnu/libstdc++.so.6)",
        "",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        "  what():  [PG 0 (default_pg) Rank 1] Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered",
        *note,
        "",
        f"W{_local(fault + 8, 0, '%m%d %H:%M:%S')}.412000 139871236421440 torch/distributed/elastic/multiprocessing/api.py:858] Sending process 51877"
        f" closing signal SIGTERM",
        _summary(fault + 9, host, (51878,), 1, "pretrain.py", -6, 0)
        .replace("local_rank: 0", "local_rank: 1")
        .replace("python3.11", "python3.10")
        .replace("/opt/conda", "/home/rkhan/.venv"),
    ]
    (place / "mae_h14_ls10.log").write_text("\n".join(out) + "\n")


# ---------------------------------------------------------------------------------------------------- t07


def t07_lusoga(place: Path, rng: Random) -> None:
    zone, nodes = -6.0, ("ip-a100-rack2-08", "ip-a100-rack2-11")
    start = _when("2026-06-09T11:26:05-06:00")
    pods = ("lusoga-1b-pretrain-0", "lusoga-1b-pretrain-1")
    gpus = _gpus(rng, nodes, 4, _A100)
    first, failing = start + 132.0, start + 7310.0
    total = 5700

    def ramp(at: float) -> float:
        return min(1.0, max(0.0, (at - failing) / 900))

    def clock(at: float) -> float:
        r = ramp(at)
        return 1410.0 if r < 0.7 else 1410 - 700 * (r - 0.7) / 0.3

    rows0: list[str] = []
    rows1: list[str] = []
    saving: list[tuple[float, float]] = []
    args = {
        "attention_softmax_in_fp32": "False",
        "bf16": "True",
        "context_parallel_size": "1",
        "data_parallel_size": "8",
        "distributed_backend": "nccl",
        "eval_interval": "1000",
        "exit_duration_in_mins": "None",
        "ffn_hidden_size": "8192",
        "global_batch_size": "256",
        "hidden_size": "2048",
        "log_interval": "10",
        "lr": "0.0002",
        "lr_decay_style": "cosine",
        "micro_batch_size": "8",
        "num_attention_heads": "16",
        "num_layers": "24",
        "pipeline_model_parallel_size": "1",
        "recompute_granularity": "None",
        "save": "/ckpt/lusoga-1b",
        "save_interval": "1000",
        "seq_length": "2048",
        "tensor_model_parallel_size": "1",
        "train_iters": str(total),
        "transformer_impl": "transformer_engine",
        "use_distributed_optimizer": "True",
        "use_flash_attn": "True",
        "world_size": "8",
    }
    rows0 += [
        "using world size: 8, data-parallel size: 8, context-parallel size: 1, hierarchical context-parallel sizes: Nonetensor-model-parallel size:"
        " 1, pipeline-model-parallel size: 1",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
    ]
    rows0 += [f"  {name} {'.' * (47 - len(name))} {value}" for name, value in args.items()]
    rows0 += [
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 1",
        "> initialized pipeline model parallel with size 1",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.041 seconds",
        "> compiling and loading fused kernels ...",
        ">>> done with compiling and loading fused kernels. Compilation time: 3.218 seconds",
        f"time to initialize megatron (seconds): {rng.uniform(11, 15):.3f}",
        f"[after megatron is initialized] datetime: {_local(start + 71, zone, '%Y-%m-%d %H:%M:%S')} ",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 1315819520",
        "WARNING: could not find the metadata file /ckpt/lusoga-1b/latest_checkpointed_iteration.txt ",
        "    will not load any checkpoints and will start from random",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {_local(start + 84, zone, '%Y-%m-%d %H:%M:%S')} ",
        "> building train, validation, and test datasets ...",
        "> finished creating GPT datasets ...",
        f"[after dataloaders are built] datetime: {_local(start + 109, zone, '%Y-%m-%d %H:%M:%S')} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {_local(start + 110, zone, '%Y-%m-%d %H:%M:%S')} ",
    ]
    at, spent = first - 22, 0.0
    for iteration in range(1, total + 1):
        took = 2.94 * (0.05 + 0.95 * 1410 / clock(at)) * rng.gauss(1, 0.006)
        if ramp(at) >= 0.7:
            took *= rng.gauss(1.0, 0.02)
        if iteration == 1:
            took += 14
        at += took
        spent += took
        if iteration % 10 == 0:
            lr = 2e-4 * (
                iteration / 300
                if iteration < 300
                else 0.1 + 0.45 * (1 + math.cos(math.pi * (iteration - 300) / (total - 300)))
            )
            loss = 2.52 + 8.3 * (1 + iteration / 55) ** -0.78 + rng.gauss(0, 0.018)
            rows1.append(
                f" [{_local(at, zone, '%Y-%m-%d %H:%M:%S')}] iteration {iteration:8d}/{total:8d} | consumed samples: {iteration * 256:12d} | elapsed"
                f" time per iteration (ms): {spent * 100:.1f} |"
                f" throughput per GPU (TFLOP/s/GPU): {174.1 * 29.4 / spent:.1f} | learning rate: {lr:.6E} | global batch size: {256:5d} | lm loss: {loss:.6E} |"
                f" loss scale: 1.0 | grad norm: {0.32 + 2.8 * math.exp(-iteration / 200) + rng.uniform(-0.04, 0.06):.3f} | number of skipped"
                f" iterations: {0:3d} | number of nan iterations: {0:3d} |"
            )
            spent = 0.0
            if iteration == 10:
                rows1.append(
                    f"[Rank 7] (after 10 iterations) memory (MB) | allocated: 21804.52 | max allocated: 58110.77 | reserved:"
                    f" {rng.randrange(60100, 60900)}.0 | max reserved: 60924.0"
                )
        if iteration % 1000 == 0 or iteration == total:
            value = loss + 0.01
            at += 24
            bar = "-" * 100
            rows1 += [
                bar,
                f" validation loss at iteration {iteration} | lm loss value: {value:.6E} | lm loss PPL: {math.exp(value):.6E} | ",
                bar,
            ]
            rows0.append(f"saving checkpoint at iteration {iteration:7d} to /ckpt/lusoga-1b in torch_dist format")
            saving.append((at, at + 17))
            at += 17
            rows0.append(
                f"  successfully saved checkpoint from iteration {iteration:7d} to /ckpt/lusoga-1b [ t 1/1, p 1/1 ]"
            )
    rows0.append(f"[after training is done] datetime: {_local(at, zone, '%Y-%m-%d %H:%M:%S')} ")
    end = int(at) + 14
    (place / f"{pods[0]}.log").write_text("\n".join(rows0) + "\n")
    (place / f"{pods[1]}.log").write_text("\n".join(rows1) + "\n")

    def plan(gpu: _Gpu, t: int) -> _Level:
        hot = gpu.host == nodes[1]
        r = ramp(t) if t < end + 1800 else 0.0
        warm = 0.0 if not hot else 24 * r / 0.7 if r < 0.7 else 24 + 16.5 * (r - 0.7) / 0.3
        if not start + 45 <= t < end - 6:
            if gpu is gpus[2] and t < start - 14 * 60:
                return _Level(
                    util=34, engine=0.33, sm=0.17, tensor=0.03, dram=0.12, watt=152, used=11840, clock=1410, reasons=0
                )
            return _Level(warm=warm * 0.35)
        if t < first:
            return _Level(used=3310, watt=82, clock=1410, awake=True, reasons=0)
        if any(a <= t < b for a, b in saving):
            return _Level(
                util=2, engine=0.02, watt=88, used=61502, clock=1410, tx=2e9, rx=2e8, reasons=0, warm=warm * 0.8
            )
        slow = r >= 0.7
        part = 0.0 if r < 0.7 else (r - 0.7) / 0.3
        used = 61502 + 18 * gpu.index
        if hot:
            reasons = (rng.choice((72, 72, 104, 32, 72)) if part > 0.15 else 32) if slow else 0
            return _Level(
                util=99.6,
                engine=0.992,
                sm=0.79,
                tensor=0.452 - 0.02 * part,
                dram=0.46 - 0.19 * part,
                watt=382 - 172 * part,
                used=used,
                clock=clock(t) + rng.choice((-60, -30, 0, 0, 45)) * part,
                tx=1.1e9,
                rx=1.1e9,
                link=3.1e10 - 1.5e10 * part,
                reasons=reasons,
                warm=warm + 0.9 * gpu.index,
            )
        return _Level(
            util=99.6,
            engine=0.992,
            sm=0.79 - 0.36 * part,
            tensor=0.452 - 0.22 * part,
            dram=0.46 - 0.22 * part,
            watt=380 - 137 * part,
            used=used,
            clock=1410,
            tx=1.1e9,
            rx=1.1e9,
            link=3.1e10 - 1.5e10 * part,
            reasons=0,
        )

    for gpu in gpus:
        _sample(rng, gpu, _grid(start - 1500, end + 480, 30), plan)
    other = gpus[2]
    struck = start - 15 * 60 - 40
    other.values["DCGM_FI_DEV_XID_ERRORS"] = [
        (t, "31" if t >= struck else "0") for t, _ in other.values["DCGM_FI_DEV_XID_ERRORS"]
    ]
    exporters = {
        node: (f"nvidia-dcgm-exporter-{rng.getrandbits(24):06x}"[:26], f"10.244.{7 + i}.5:9400")
        for i, node in enumerate(nodes)
    }
    names = (
        "GPU_UTIL",
        "POWER_USAGE",
        "GPU_TEMP",
        "MEMORY_TEMP",
        "SM_CLOCK",
        "FB_USED",
        "CLOCK_THROTTLE_REASONS",
        "XID_ERRORS",
    )
    wanted = [f"DCGM_FI_DEV_{n}" for n in names] + [
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "DCGM_FI_PROF_SM_ACTIVE",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    ]
    for name in wanted:
        result = []
        for gpu in gpus:
            spans: list[tuple[float, float, dict[str, str]]] = [
                (0, start + 3, {}),
                (
                    start + 3,
                    end + 4,
                    {
                        "exported_container": "trainer",
                        "exported_namespace": "lm-east-africa",
                        "exported_pod": pods[nodes.index(gpu.host)],
                    },
                ),
                (end + 4, 1e12, {}),
            ]
            if gpu is other:
                user = {
                    "exported_container": "notebook",
                    "exported_namespace": "bioinf",
                    "exported_pod": "jupyter-tmwangi-0",
                }
                spans[0:1] = [(0, start - 14 * 60, user), (start - 14 * 60, start + 3, {})]
            merged: dict[str, tuple[dict[str, str], list[list[int | str]]]] = {}
            for a, b, more in spans:
                values: list[list[int | str]] = [[t, v] for t, v in gpu.values[name] if a <= t < b]
                key = json.dumps(more)
                merged.setdefault(key, (more, []))[1].extend(values)
            pod, address = exporters[gpu.host]
            for more, values in merged.values():
                metric = {
                    "__name__": name,
                    **_labels(gpu, "535.183.06"),
                    "instance": address,
                    "container": "nvidia-dcgm-exporter",
                    "endpoint": "gpu-metrics",
                    "namespace": "gpu-operator",
                    "pod": pod,
                    "service": "nvidia-dcgm-exporter",
                    "job": "nvidia-dcgm-exporter",
                    **more,
                }
                result.append({"metric": metric, "values": values})
        doc = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        (place / f"prom_{name}.json").write_text(json.dumps(doc, separators=(",", ":")) + "\n")

    (place / "pods.txt").write_text(
        "$ kubectl -n lm-east-africa get pods -o wide\n"
        "NAME                   READY   STATUS      RESTARTS   AGE     IP             NODE               NOMINATED NODE   READINESS GATES\n"
        f"{pods[0]}   0/1     Completed   0          7h31m   10.244.7.61    {nodes[0]}   <none>           <none>\n"
        f"{pods[1]}   0/1     Completed   0          7h31m   10.244.8.40    {nodes[1]}   <none>           <none>\n"
    )

    def day(t: float) -> str:
        return _local(t, zone, "%a, %d %b %Y %H:%M:%S -0600")

    command = (
        "torchrun --nnodes 2 --nproc-per-node 4 --node-rank $JOB_COMPLETION_INDEX --master-addr lusoga-1b-pretrain-0.lusoga --master-port 6000"
        " pretrain_gpt.py $(cat /cfg/args.txt)"
    )
    text = ""
    for i, pod in enumerate(pods):
        text += f"""$ kubectl -n lm-east-africa describe pod {pod}
Name:             {pod}
Namespace:        lm-east-africa
Priority:         0
Service Account:  default
Node:             {nodes[i]}/10.80.2.{18 + 3 * i}
Start Time:       {day(start)}
Labels:           app=lusoga-1b
                  batch.kubernetes.io/job-completion-index={i}
                  job-name=lusoga-1b-pretrain
Status:           Succeeded
IP:               10.244.{7 + i}.{61 if not i else 40}
Controlled By:    Job/lusoga-1b-pretrain
Containers:
  trainer:
    Container ID:  containerd://{rng.getrandbits(256):064x}
    Image:         nvcr.io/nvidia/pytorch:25.01-py3
    Command:
      bash
      -c
      {command}
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      {day(start + 4)}
      Finished:     {day(end + i)}
    Ready:          False
    Restart Count:  0
    Limits:
      cpu:             48
      memory:          400Gi
      nvidia.com/gpu:  4
    Requests:
      cpu:             48
      memory:          400Gi
      nvidia.com/gpu:  4
    Environment:
      CUDA_DEVICE_MAX_CONNECTIONS:  1
Events:                          <none>

"""
    (place / "describe_pods.txt").write_text(text)


# ---------------------------------------------------------------------------------------------------- t08


def t08_plover(place: Path, rng: Random) -> None:
    zone, job = -6.0, 5190
    start, hosts = _when("2026-01-15T13:20:18-06:00"), ("plover1", "plover2", "plover3")
    gpus = _gpus(rng, hosts, 4, _4090)
    first, total = start + 96.0, 3000
    tab = "\t"
    out: list[str] = []

    def log(at: float, name: str, text: str, level: str = "INFO") -> None:
        ms = int((at - int(at)) * 1000)
        out.append(f"{_local(at, zone, '%Y-%m-%d %H:%M:%S')}.{ms:03d}{tab}plover1:0{tab}{name}{tab}{level}{tab}{text}")

    log(start + 33.2, "olmo_core.distributed.utils:130", "Using NCCL_SOCKET_IFNAME=enp65s0f0np0")
    log(start + 34.0, "olmo_core.utils:411", "CLI environment prepared")
    log(
        start + 35.1,
        "__main__:141",
        "Building model with 190,354,176 parameters, olmo2_190M, FSDP hsdp num_replicas=3 shard_degree=4",
    )
    log(start + 38.9, "olmo_core.train.train_module.transformer.train_module:150", "Data parallel world size = 12")
    log(
        start + 39.2,
        "olmo_core.nn.transformer.config:371",
        "Building transformer with 190,354,176 total params, 151,898,880 non-embedding params",
    )
    log(start + 52.0, "olmo_core.data.numpy_dataset:1120", "Loading 41 source files, 12.4B tokens")
    log(
        start + 57.3,
        "olmo_core.data.data_loader:601",
        "Saved global data order indices to:\n/data/plover/work/dataset-common/global_indices_seqlen2048_epoch1_seed0.npy",
    )
    log(
        start + 71.1,
        "olmo_core.train.checkpoint:322",
        "No checkpoints found in '/data/plover/runs/olmo190m-icd-notes', starting from scratch",
    )
    log(start + 80.4, "olmo_core.train.trainer:687", f"Training for {total:,d} steps")
    log(start + 80.9, "olmo_core.train.trainer:1206", "Starting epoch 1...")
    log(start + 81.3, "olmo_core.train.trainer:1180", "Dry-run batch completed")
    at, saves = first, []
    for step in range(1, total + 1):
        took = rng.gauss(1.62, 0.012) + (4.2 if step == 1 else 0)
        at += took
        if step == 1 or step % 10 == 0:
            loss = 2.83 + 8.1 * (1 + step / 48) ** -0.83 + rng.gauss(0, 0.022)
            lr = 4e-4 * (
                step / 200 if step < 200 else 0.1 + 0.45 * (1 + math.cos(math.pi * (step - 200) / (total - 200)))
            )
            eta = int((total - step) * 1.62)
            words = f"{eta // 60} minutes" if eta >= 120 else f"{eta} seconds"
            log(
                at,
                "olmo_core.train.callbacks.console_logger:74",
                f"[step={step}/{total},epoch=1,eta={words}]\n    optim/LR (group 0)={lr:.6g}\n    optim/total grad"
                f" norm={0.31 + 4.4 * math.exp(-step / 120) + rng.uniform(-0.03, 0.04):.4f}\n"
                f"    system/GPU active mem (%)={rng.uniform(71.2, 71.5):.2f}\n    system/GPU reserved mem (%)=84.41\n   "
                f" throughput/device/BPS={1 / took:.4f}\n"
                f"    throughput/device/TPS={43690 / took:,.0f}\n    throughput/device/data loading (%)={rng.uniform(0.2, 0.6):.4f}\n   "
                f" throughput/total tokens={step * 524288:,d}\n"
                f"    train/CE loss={loss:.3f}\n    train/PPL={math.exp(loss):,.2f}",
            )
        if step % 1000 == 0:
            log(
                at + 0.1,
                "olmo_core.train.callbacks.checkpointer:267",
                f"Saving checkpoint for step {step} to '/data/plover/runs/olmo190m-icd-notes/step{step}'...",
            )
            saves.append((at, at + 6.5))
            at += 6.5
            log(at, "olmo_core.train.callbacks.checkpointer:281", "Checkpoint saved")
    log(at + 0.4, "olmo_core.train.trainer:731", "Training complete")
    end = int(at) + 13
    (place / f"slurm-{job}.out").write_text("\n".join(out) + "\n")

    def plan(gpu: _Gpu, t: int) -> _Level:
        if not start + 36 <= t < at + 5:
            return _Level()
        if t < first:
            return _Level(used=1320, watt=57, clock=2520, awake=True, reasons=0)
        if any(a <= t < b for a, b in saves):
            return _Level(util=4, engine=0.03, sm=0.01, watt=73, used=20712, clock=2610, tx=2e8, reasons=0)
        return _Level(
            util=97,
            engine=0.961,
            sm=0.742,
            tensor=0.381,
            dram=0.52,
            watt=372 + 5 * gpu.index,
            used=20712 + 10 * gpu.index,
            clock=2685,
            tx=4.1e9,
            rx=4.3e9,
            reasons=0,
        )

    shown = [gpu for gpu in gpus if gpu.host != "plover2"]
    for gpu in shown:
        _sample(rng, gpu, _grid(start - 360, end + 360, 60), plan)
    names = [n for n in shown[0].values if "ECC" not in n and "NVLINK" not in n and n != "DCGM_FI_DEV_MEMORY_TEMP"]
    (place / "query_range_dcgm.json").write_text(_prom(shown, names, lambda g: {"UUID": g.uuid}))
    (place / "gpus.txt").write_text(
        "".join(f"plover{g.host[-1]}: GPU {g.index}: {g.card.model} (UUID: {g.uuid})\n" for g in gpus)
    )
    s, e = _local(start, zone), _local(end, zone)
    took_all = _span(end - start)
    (place / f"sacct_{job}.txt").write_text(
        "JobID|JobName|User|Partition|State|ExitCode|Start|End|Elapsed|NNodes|NTasks|NodeList|MaxRSS|ReqTRES\n"
        f"{job}|olmo190m-icd|dpetrov|gpu4090|COMPLETED|0:0|{s}|{e}|{took_all}|3||plover[1-3]||billing=96,cpu=96,gres/gpu=12,mem=360G,node=3\n"
        f"{job}.batch|batch|||COMPLETED|0:0|{s}|{e}|{took_all}|1|1|plover1|41288K|\n"
        f"{job}.extern|extern|||COMPLETED|0:0|{s}|{e}|{took_all}|3|3|plover[1-3]|1096K|\n"
        f"{job}.0|torchrun|||COMPLETED|0:0|{_local(start + 4, zone)}|{_local(end - 1, zone)}|{_span(end - start - 5)}|3|3|"
        f"plover[1-3]|{rng.randrange(31000000, 33000000)}K|\n"
    )
    for host in hosts:
        boot = start - rng.randrange(11, 40) * 86400 - rng.randrange(80000)
        lines = _noise(rng, start - 34 * 3600, end + 1200, 14, "nas1", (0, 0, 1, 5, 4))
        if host == "plover3":
            x, box, pid = start - 31 * 3600 - 907.4, f"{rng.getrandbits(256):064x}", 402119
            group = f"/system.slice/docker-{box}.scope"
            lines += [
                (x + i / 5e5, one)
                for i, one in enumerate(
                    (
                        "java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
                        f"CPU: 41 PID: {pid} Comm: java Tainted: P           OE     5.15.0-119-generic #129-Ubuntu",
                        "Hardware name: Supermicro AS -4125GS-TNRT/H13DSG-O-CPU, BIOS 1.7 02/02/2024",
                        "memory: usage 8388608kB, limit 8388608kB, failcnt 22814",
                        "swap: usage 0kB, limit 0kB, failcnt 0",
                        f"Memory cgroup stats for {group}:",
                        "Tasks state (memory values in pages):",
                        "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
                        f"[ {pid} ]  1004 {pid}  4817322  2088214 18124800        0             0 java",
                        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-{box}.scope,mems_allowed=0-1,"
                        f"oom_memcg={group},task_memcg={group},task=java,pid={pid},uid=1004",
                        f"Memory cgroup out of memory: Killed process {pid} (java) total-vm:19269288kB, anon-rss:8352856kB, file-rss:0kB,"
                        f" shmem-rss:0kB, UID:1004 pgtables:17700kB oom_score_adj:0",
                    )
                )
            ]
        (place / f"syslog_kern_{host}").write_text(_kernel(lines, host, boot, zone, "syslog"))

"""Incidents t01 to t08 of the thirty-first set, as an operator hands them over.

SIMULATED: nothing here was taken from a real job; every file comes from this generator.
"""

from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random

_Sample = dict[str, float]


@dataclass(frozen=True)
class _Card:
    """What a kind of GPU looks like at rest and at work."""

    model: str
    total: int
    reserved: int
    tdp: float
    idle: float
    held: float
    clock: int
    idle_clock: int
    mem_clock: int
    idle_mem_clock: int
    cool: float
    hot: float


@dataclass
class _Gpu:
    """One GPU of a host, with what was scraped of it."""

    index: int
    uuid: str
    bus: str
    samples: list[_Sample]


_V100 = _Card("Tesla V100-SXM2-32GB", 32768, 268, 300, 41, 56, 1530, 135, 877, 877, 33, 62)
_L40S = _Card("NVIDIA L40S", 46068, 614, 350, 33, 82, 2520, 210, 9000, 405, 29, 68)
_H100 = _Card("NVIDIA H100 80GB HBM3", 81559, 551, 700, 71, 118, 1980, 345, 2619, 2619, 28, 64)
_B200 = _Card("NVIDIA B200", 183359, 716, 1000, 142, 196, 1965, 120, 3996, 3996, 29, 66)
_ADA = _Card("NVIDIA GeForce RTX 4090", 23028, 540, 450, 17, 66, 2745, 210, 10501, 405, 31, 71)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")


def _zone(hours: int) -> timezone:
    return timezone(timedelta(hours=hours))


def _stamps(start: datetime, end: datetime, step: int) -> list[int]:
    first = math.ceil(start.timestamp() / step) * step
    return list(range(first, int(end.timestamp()) + 1, step))


def _rest(card: _Card) -> _Sample:
    """An empty GPU."""
    return {
        "util": 0,
        "gr": 0,
        "sm": 0,
        "occ": 0,
        "tensor": 0,
        "dram": 0,
        "fb": 1,
        "watts": card.idle,
        "clock": card.idle_clock,
        "pcie": 2.1e5,
        "nvlink": 0,
        "reasons": 1,
        "copy": 0,
        "mem_clock": card.idle_mem_clock,
    }


def _held(card: _Card, fb: float) -> _Sample:
    """A GPU with a process on it and no work."""
    return {**_rest(card), "fb": fb, "watts": card.held, "clock": card.clock, "mem_clock": card.mem_clock}


def _busy(card: _Card, fb: float, sm: float, watts: float, **more: float) -> _Sample:
    state = {
        **_held(card, fb),
        "util": 99,
        "gr": min(0.995, sm + 0.08),
        "sm": sm,
        "occ": sm * 0.32,
        "tensor": sm * 0.45,
        "dram": sm * 0.5,
        "watts": watts,
        "reasons": 0,
        "copy": sm * 48,
        "pcie": 9e8,
    }
    return {**state, **more}


def _gpus(
    card: _Card,
    rng: Random,
    count: int,
    stamps: Sequence[int],
    drive: Callable[[int, int], _Sample],
    *,
    noise: float = 0.03,
    steep: float = 1.0,
) -> list[_Gpu]:
    """Let ``count`` GPUs of one host follow ``drive(gpu, time)``, with inertia of heat and noise of meters."""
    buses = ["19", "2D", "3F", "66", "9B", "AB", "BF", "E4"] if count > 2 else ["3B", "AF"]
    found = []
    for index in range(count):
        uuid = (
            f"{rng.getrandbits(32):08x}-"
            + "-".join(f"{rng.getrandbits(16):04x}" for _ in range(3))
            + f"-{rng.getrandbits(48):012x}"
        )
        lean, trim = rng.uniform(-2.5, 3.5), rng.uniform(0.97, 1.03)
        temp, energy, before = 0.0, rng.uniform(2e11, 9e12), stamps[0] - 60
        samples = []
        for at in stamps:
            state = dict(drive(index, at))
            watts = state["watts"] * trim * rng.gauss(1, noise if state["util"] else 0.004)
            watts = min(watts, card.tdp * 1.01)
            goal = (
                card.cool
                + lean
                + (card.hot - card.cool) * steep * (watts - card.idle) / (card.tdp - card.idle)
                + state.get("heat", 0)
            )
            temp = goal if not temp else temp + (goal - temp) * (1 - math.exp(-(at - before) / 80))
            energy += watts * (at - before) * 1000
            if state["util"]:
                for key in ("gr", "sm", "occ", "tensor", "dram"):
                    state[key] = max(0.0, min(1.0, state[key] * rng.gauss(1, noise)))
                state["util"] = round(max(0, min(100, state["util"] + rng.choice([-1, 0, 0, 1, 1]))))
                state["copy"] = round(max(0, state["copy"] * rng.gauss(1, 0.05)))
                for key in ("pcie", "nvlink"):
                    state[key] = max(0.0, state[key] * rng.gauss(1, 0.08))
                if state["clock"] == card.clock and watts > 0.9 * card.tdp:
                    state["clock"] = card.clock - 15 * rng.randint(3, 14)
                    state["reasons"] = 4
            samples.append({**state, "watts": watts, "temp": round(temp), "energy": energy, "at": at})
            before = at
        found.append(_Gpu(index, uuid, f"00000000:{buses[index]}:00.0", samples))
    return found


_DCGM: dict[str, Callable[[_Sample, _Card], str]] = {
    "DCGM_FI_DEV_SM_CLOCK": lambda s, _: str(int(s["clock"])),
    "DCGM_FI_DEV_MEM_CLOCK": lambda s, _: str(int(s["mem_clock"])),
    "DCGM_FI_DEV_GPU_TEMP": lambda s, _: str(int(s["temp"])),
    "DCGM_FI_DEV_MEMORY_TEMP": lambda s, _: str(int(s["temp"] + 4 + s["dram"] * 9)),
    "DCGM_FI_DEV_POWER_USAGE": lambda s, _: f"{s['watts']:.3f}",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda s, _: str(int(s["energy"])),
    "DCGM_FI_DEV_GPU_UTIL": lambda s, _: str(int(s["util"])),
    "DCGM_FI_DEV_MEM_COPY_UTIL": lambda s, _: str(int(s["copy"])),
    "DCGM_FI_DEV_FB_USED": lambda s, _: str(int(s["fb"])),
    "DCGM_FI_DEV_FB_FREE": lambda s, c: str(int(c.total - c.reserved - s["fb"])),
    "DCGM_FI_DEV_XID_ERRORS": lambda s, _: str(int(s.get("xid", 0))),
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": lambda s, _: str(int(s["reasons"])),
    "DCGM_FI_DEV_THERMAL_VIOLATION": lambda s, _: str(int(s.get("hot_ns", 0))),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": lambda s, _: str(int(s.get("sbe", 0))),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda s, _: str(int(s.get("dbe", 0))),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda s, _: "0",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda s, _: f"{s['gr']:.6f}",
    "DCGM_FI_PROF_SM_ACTIVE": lambda s, _: f"{s['sm']:.6f}",
    "DCGM_FI_PROF_SM_OCCUPANCY": lambda s, _: f"{s['occ']:.6f}",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda s, _: f"{s['tensor']:.6f}",
    "DCGM_FI_PROF_DRAM_ACTIVE": lambda s, _: f"{s['dram']:.6f}",
    "DCGM_FI_PROF_PCIE_RX_BYTES": lambda s, _: str(int(s["pcie"])),
    "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda s, _: str(int(s["nvlink"])),
}


def _matrix(result: list[dict[str, object]]) -> str:
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, separators=(",", ":"))


def _dcgm(
    card: _Card, host: str, gpus: Iterable[_Gpu], fields: Iterable[str], driver: str, **labels: str
) -> dict[str, list[dict[str, object]]]:
    """The series of a host as dcgm-exporter and Prometheus name them, by field."""
    series: dict[str, list[dict[str, object]]] = {}
    for field in fields:
        for gpu in gpus:
            metric = {
                "__name__": field,
                "DCGM_FI_DRIVER_VERSION": driver,
                "Hostname": host,
                "UUID": f"GPU-{gpu.uuid}",
                "device": f"nvidia{gpu.index}",
                "gpu": str(gpu.index),
                "instance": f"{host}:9400",
                "job": "dcgm-exporter",
                "modelName": card.model,
                "pci_bus_id": gpu.bus,
                **labels,
            }
            values = [[s["at"], _DCGM[field](s, card)] for s in gpu.samples]
            series.setdefault(field, []).append({"metric": metric, "values": values})
    return series


def _smi_exporter(
    card: _Card, host: str, gpus: Iterable[_Gpu], driver: str, *, ecc: bool
) -> dict[str, list[dict[str, object]]]:
    """The series of a host as nvidia_gpu_exporter names them."""
    fields: dict[str, Callable[[_Sample], str]] = {
        "nvidia_smi_utilization_gpu_ratio": lambda s: f"{s['util'] / 100:g}",
        "nvidia_smi_utilization_memory_ratio": lambda s: f"{s['copy'] / 100:g}",
        "nvidia_smi_memory_used_bytes": lambda s: str(int(s["fb"]) * 1048576),
        "nvidia_smi_memory_total_bytes": lambda _: str(card.total * 1048576),
        "nvidia_smi_power_draw_watts": lambda s: f"{s['watts']:.2f}",
        "nvidia_smi_temperature_gpu": lambda s: str(int(s["temp"])),
        "nvidia_smi_clocks_current_sm_clock_hz": lambda s: str(int(s["clock"]) * 1000000),
        "nvidia_smi_clocks_current_memory_clock_hz": lambda s: str(int(s["mem_clock"]) * 1000000),
        "nvidia_smi_clocks_throttle_reasons_gpu_idle": lambda s: str(int(s["reasons"]) & 1),
        "nvidia_smi_clocks_throttle_reasons_sw_power_cap": lambda s: str(int(s["reasons"]) >> 2 & 1),
        "nvidia_smi_clocks_throttle_reasons_hw_slowdown": lambda _: "0",
        "nvidia_smi_clocks_throttle_reasons_sw_thermal_slowdown": lambda _: "0",
        "nvidia_smi_pstate": lambda s: "8" if s["clock"] == card.idle_clock else ("0" if "L40S" in card.model else "2"),
    }
    if ecc:
        fields["nvidia_smi_ecc_errors_corrected_volatile_total"] = lambda s: str(int(s.get("sbe", 0)))
        fields["nvidia_smi_ecc_errors_uncorrected_volatile_total"] = lambda _: "0"
    series: dict[str, list[dict[str, object]]] = {}
    for gpu in gpus:
        base = {"instance": f"{host}:9835", "job": "nvidia_gpu_exporter", "uuid": gpu.uuid}
        info = {
            "__name__": "nvidia_smi_gpu_info",
            **base,
            "driver_version": driver,
            "name": card.model,
            "driver_model_current": "[N/A]",
        }
        series.setdefault("nvidia_smi_gpu_info", []).append(
            {"metric": info, "values": [[s["at"], "1"] for s in gpu.samples]}
        )
        index = [[s["at"], str(gpu.index)] for s in gpu.samples]
        series.setdefault("nvidia_smi_index", []).append(
            {"metric": {"__name__": "nvidia_smi_index", **base}, "values": index}
        )
        for name, show in fields.items():
            series.setdefault(name, []).append(
                {"metric": {"__name__": name, **base}, "values": [[s["at"], show(s)] for s in gpu.samples]}
            )
    return series


def _merge(parts: Iterable[dict[str, list[dict[str, object]]]]) -> dict[str, list[dict[str, object]]]:
    whole: dict[str, list[dict[str, object]]] = {}
    for part in parts:
        for name, rows in part.items():
            whole.setdefault(name, []).extend(rows)
    return whole


def _flat(series: dict[str, list[dict[str, object]]]) -> list[dict[str, object]]:
    return [row for rows in series.values() for row in rows]


def _kernel(lines: Iterable[tuple[datetime, str]], form: str, rng: Random, boot: datetime | None = None) -> str:
    """Kernel lines in one of dmesg's clothes: plain, -T or iso."""
    shown = []
    before, micro = None, 0
    for at, text in sorted(lines, key=lambda pair: pair[0]):
        second = at.replace(microsecond=0)
        micro = micro + rng.randint(3, 90) if second == before else rng.randrange(990000)
        before = second
        if form == "plain":
            passed = int((at - boot).total_seconds()) if boot else 0
            shown.append(f"[{passed:5d}.{micro:06d}] {text}")
        elif form == "T":
            shown.append(f"[{at.strftime('%a %b')} {at.day:2d} {at.strftime('%H:%M:%S %Y')}] {text}")
        else:
            zone = at.strftime("%z")
            shown.append(f"{at.strftime('%Y-%m-%dT%H:%M:%S')},{micro:06d}{zone[:3]}:{zone[3:]} {text}")
    return "\n".join(shown)


def _chatter(
    rng: Random, start: datetime, end: datetime, count: int, texts: Sequence[Callable[[], str]]
) -> list[tuple[datetime, str]]:
    span = int((end - start).total_seconds())
    return [(start + timedelta(seconds=rng.randrange(span)), rng.choice(texts)()) for _ in range(count)]


def _quiet(rng: Random) -> list[Callable[[], str]]:
    """What kernels of compute nodes say on an ordinary day."""
    usb, slow = rng.randint(1, 4), rng.randint(2510, 3300)
    return [
        lambda: f"perf: interrupt took too long ({slow} > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
        lambda: f"hrtimer: interrupt took {rng.randint(4000, 31000)} ns",
        lambda: f"usb 1-14.{usb}: reset high-speed USB device number {usb + 3} using xhci_hcd",
        lambda: (
            f"systemd-journald[{rng.randint(700, 1900)}]: Data hash table of /run/log/journal has a fill level at 75.0, suggesting rotation."
        ),
        lambda: "loop0: detected capacity change from 0 to 113992",
        lambda: f"IPv6: ADDRCONF(NETDEV_CHANGE): veth{rng.getrandbits(28):07x}: link becomes ready",
        lambda: "nvidia-uvm: Loaded the UVM driver, major device number 508.",
        lambda: f"systemd[1]: Started Session {rng.randint(20, 900)} of User root.",
    ]


def _boot(card: _Card, boot: datetime, driver: str, host: str, count: int) -> list[tuple[datetime, str]]:
    """The first lines after a start."""
    lines = [
        "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0) #132-Ubuntu SMP",
        "Command line: BOOT_IMAGE=/vmlinuz-5.15.0-122-generic root=/dev/mapper/vg0-root ro iommu=pt",
        f"systemd[1]: Hostname set to <{host}>.",
        "nvidia: module license 'NVIDIA' taints kernel.",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 510",
        f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}  Mon Sep  9 14:02:33 UTC 2024",
        "nvidia-uvm: Loaded the UVM driver, major device number 508.",
        f"[drm] Initialized nvidia-drm 0.0.0 20160202 for 0000:{'19' if count > 2 else '3b'}:00.0 on minor 1",
    ]
    return [(boot + timedelta(seconds=2 * number), text) for number, text in enumerate(lines)]


def _hms(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def _short(seconds: float) -> str:
    whole = int(seconds)
    return (
        f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
        if whole >= 3600
        else f"{whole // 60:02d}:{whole % 60:02d}"
    )


def _local(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S")


def _bar(done: int, total: int, width: int = 10) -> str:
    eighths = int(done / total * width * 8)
    full, part = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[part] if full < width else "")).ljust(width)


_D2_BASE = "/opt/conda/lib/python3.10/site-packages"


def t01_histology(place: Path, rng: Random) -> None:
    zone = _zone(1)
    start = datetime(2026, 11, 12, 9, 14, 7, tzinfo=zone)
    end = start + timedelta(minutes=126)
    hosts = ["k8s-volta-03", "k8s-volta-07"]
    pods = ["mitosis-frcnn-master-0", "mitosis-frcnn-worker-0"]
    # The master and the worker fall together; the kubelet waits longer each time.
    tries: list[tuple[datetime, datetime]] = []
    at, wait = start + timedelta(seconds=96), 10.0
    while at < end - timedelta(seconds=60):
        life = rng.uniform(19, 27)
        tries.append((at, at + timedelta(seconds=life)))
        at += timedelta(seconds=life + wait + rng.uniform(1, 9))
        wait = min(300.0, wait * 2)
    stamps = _stamps(start - timedelta(minutes=2), end, 60)
    fields = [f for f in _DCGM if "NVLINK" not in f and "MEMORY_TEMP" not in f]
    ips = ["10.244.5.61", "10.244.9.18"]
    for number, (host, pod) in enumerate(zip(hosts, pods, strict=True)):

        def drive(_: int, at: int) -> _Sample:
            inside = any(a.timestamp() + 11 < at < b.timestamp() for a, b in tries)
            return {**_held(_V100, 461), "clock": 1290} if inside else {**_rest(_V100), "fb": 0}

        gpus = _gpus(_V100, rng, 1, stamps, drive)
        series = _dcgm(_V100, host, gpus, fields, "535.183.01", namespace="pathologie", pod=pod, container="pytorch")
        _write(place / "metrics" / f"{host}.json", _matrix(_flat(series)))
        boot = datetime(2026, 11, 11, 22, 3, 40, tzinfo=zone)
        noise = _boot(_V100, boot, "535.183.01", host, 1)
        veth = rng.getrandbits(32)
        words = ("blocking", "disabled", "blocking", "forwarding")
        noise += [
            (tries[0][0] - timedelta(seconds=92), f"cni0: port 7(veth{veth:08x}) entered {word} state")
            for word in words
        ]
        noise += _chatter(rng, boot + timedelta(minutes=2), end, 14, _quiet(rng))
        _write(place / f"dmesg-{host}.txt", _kernel(noise, "plain", rng, boot))
        log = _d2_log(rng, tries[-1][0], pod, number, ips[number])
        _write(place / f"logs-{pod}.previous.txt", log)
        _write(place / f"describe-{pod}.txt", _d2_describe(rng, pod, host, ips[number], start, tries, number))
    rows = [
        "NAME                     READY   STATUS             RESTARTS         AGE    IP            NODE           NOMINATED NODE   READINESS GATES"
    ]
    ago = int((end - tries[-1][1]).total_seconds())
    for pod, host, ip in zip(pods, hosts, ips, strict=True):
        back = f"{len(tries) - 1} ({ago // 60}m{ago % 60}s ago)" if ago >= 60 else f"{len(tries) - 1} ({ago}s ago)"
        rows.append(f"{pod:<25}0/1     CrashLoopBackOff   {back:<17}126m   {ip:<14}{host:<15}<none>           <none>")
    _write(place / "kubectl-get-pods.txt", "\n".join(rows))
    since = f"{int((end - tries[-1][0]).total_seconds()) // 60}m"
    rows = ["LAST SEEN   TYPE      REASON                  OBJECT                         MESSAGE"]
    for pod, host in zip(pods, hosts, strict=True):
        rows.append(f"126m        Normal    SuccessfulCreatePod     pytorchjob/mitosis-frcnn       Created pod: {pod}")
        rows.append(
            f"126m        Normal    Scheduled               pod/{pod:<27}Successfully assigned pathologie/{pod} to {host}"
        )
        rows.append(
            f'125m        Normal    Pulled                  pod/{pod:<27}Successfully pulled image "registry.ukm.local/patho/detectron2:0.6-cu118" in 1m21.4s'
        )
        rows.append(f"{since}          Normal    Created                 pod/{pod:<27}Created container pytorch")
        rows.append(f"{since}          Normal    Started                 pod/{pod:<27}Started container pytorch")
        rows.append(
            f"{rng.randint(3, 9)}s          Warning   BackOff                 pod/{pod:<27}Back-off restarting failed container pytorch in pod {pod}"
        )
    _write(place / "kubectl-get-events.txt", "\n".join(rows))


def _d2_describe(
    rng: Random, pod: str, host: str, ip: str, start: datetime, tries: list[tuple[datetime, datetime]], rank: int
) -> str:
    def form(at: datetime) -> str:
        return at.strftime("%a, %d %b %Y %H:%M:%S %z")

    uid = f"{rng.getrandbits(256):064x}"
    return f"""Name:             {pod}
Namespace:        pathologie
Priority:         0
Service Account:  default
Node:             {host}/10.20.3.{13 + 4 * rank}
Start Time:       {form(start)}
Labels:           training.kubeflow.org/job-name=mitosis-frcnn
                  training.kubeflow.org/operator-name=pytorchjob-controller
                  training.kubeflow.org/replica-index=0
                  training.kubeflow.org/replica-type={"worker" if rank else "master"}
Annotations:      <none>
Status:           Running
IP:               {ip}
Controlled By:    PyTorchJob/mitosis-frcnn
Containers:
  pytorch:
    Container ID:  containerd://{uid}
    Image:         registry.ukm.local/patho/detectron2:0.6-cu118
    Port:          23456/TCP
    Command:
      python
      tools/train_net.py
    Args:
      --num-gpus
      1
      --num-machines
      2
      --machine-rank
      {rank}
      --dist-url
      tcp://mitosis-frcnn-master-0:29500
      --config-file
      configs/mitosis_frcnn_r50.yaml
      OUTPUT_DIR
      /data/out/mitosis_r50_b
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      {form(tries[-1][0])}
      Finished:     {form(tries[-1][1])}
    Ready:          False
    Restart Count:  {len(tries) - 1}
    Limits:
      cpu:             12
      memory:          96Gi
      nvidia.com/gpu:  1
    Requests:
      cpu:             12
      memory:          96Gi
      nvidia.com/gpu:  1
    Environment:
      NCCL_DEBUG:        INFO
      PYTHONUNBUFFERED:  1
      TZ:                Europe/Berlin
    Mounts:
      /data from patho-data (rw)
      /dev/shm from dshm (rw)
Conditions:
  Type              Status
  Initialized       True
  Ready             False
  ContainersReady   False
  PodScheduled      True
Volumes:
  patho-data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  patho-data
    ReadOnly:   false
  dshm:
    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:     Memory
    SizeLimit:  16Gi
QoS Class:       Guaranteed
Node-Selectors:  gpu=v100
Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                 node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:
  Type     Reason   Age                    From     Message
  ----     ------   ----                   ----     -------
  Normal   Pulled   12m (x{len(tries) - 2} over 124m)   kubelet  Container image "registry.ukm.local/patho/detectron2:0.6-cu118" already present on machine
  Warning  BackOff  {rng.randint(20, 55)}s (x{rng.randint(480, 540)} over 123m)  kubelet  Back-off restarting failed container pytorch in pod {pod}
"""


def _d2_log(rng: Random, first: datetime, pod: str, rank: int, ip: str) -> str:
    pid = rng.randint(60, 90)
    clock = (first + timedelta(seconds=12)).strftime("%m/%d %H:%M:%S")
    args = (
        "Namespace(config_file='configs/mitosis_frcnn_r50.yaml', resume=False, eval_only=False, num_gpus=1, num_machines=2, "
        f"machine_rank={rank}, dist_url='tcp://mitosis-frcnn-master-0:29500', opts=['OUTPUT_DIR', '/data/out/mitosis_r50_b'])"
    )
    lines = [
        f"Command Line Args: {args}",
        f"{_D2_BASE}/torch/functional.py:504: UserWarning: torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. "
        "(Triggered internally at ../aten/src/ATen/native/TensorShape.cpp:3526.)",
        f"{pod}:{pid}:{pid} [0] NCCL INFO Bootstrap : Using eth0:{ip}<0>",
        f"{pod}:{pid}:{pid} [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
    ]
    if not rank:
        lines.append(f"{pod}:{pid}:{pid} [0] NCCL INFO cudaDriverVersion 12020")
        lines.append("NCCL version 2.14.3+cuda11.8")
    lines += [
        f"{pod}:{pid}:{pid + 31} [0] NCCL INFO NET/Socket : Using [0]eth0:{ip}<0>",
        f"{pod}:{pid}:{pid + 31} [0] NCCL INFO Using network Socket",
        f"{pod}:{pid}:{pid + 31} [0] NCCL INFO comm 0x{rng.getrandbits(36):x} rank {rank} nranks 2 cudaDev 0 busId 3b000 - Init COMPLETE",
        f"[{clock} fvcore.common.config]: Loading config configs/Base-RCNN-FPN.yaml with yaml.unsafe_load. Your machine may be at risk if "
        "the file contains malicious content.",
        "Traceback (most recent call last):",
        '  File "/workspace/mitosis/tools/train_net.py", line 178, in <module>',
        "    launch(",
        f'  File "{_D2_BASE}/detectron2/engine/launch.py", line 67, in launch',
        "    mp.spawn(",
        f'  File "{_D2_BASE}/torch/multiprocessing/spawn.py", line 239, in spawn',
        "    return start_processes(fn, args, nprocs, join, daemon, start_method='spawn')",
        f'  File "{_D2_BASE}/torch/multiprocessing/spawn.py", line 197, in start_processes',
        "    while not context.join():",
        f'  File "{_D2_BASE}/torch/multiprocessing/spawn.py", line 160, in join',
        "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
        "torch.multiprocessing.spawn.ProcessRaisedException: ",
        "",
        "-- Process 0 terminated with the following error:",
        "Traceback (most recent call last):",
        f'  File "{_D2_BASE}/torch/multiprocessing/spawn.py", line 69, in _wrap',
        "    fn(i, *args)",
        f'  File "{_D2_BASE}/detectron2/engine/launch.py", line 126, in _distributed_worker',
        "    main_func(*args)",
        '  File "/workspace/mitosis/tools/train_net.py", line 139, in main',
        "    cfg = setup(args)",
        '  File "/workspace/mitosis/tools/train_net.py", line 121, in setup',
        "    cfg.merge_from_file(args.config_file)",
        f'  File "{_D2_BASE}/detectron2/config/config.py", line 69, in merge_from_file',
        "    self.merge_from_other_cfg(loaded_cfg)",
        f'  File "{_D2_BASE}/fvcore/common/config.py", line 132, in merge_from_other_cfg',
        "    return super().merge_from_other_cfg(cfg_other)",
        f'  File "{_D2_BASE}/yacs/config.py", line 217, in merge_from_other_cfg',
        "    _merge_a_into_b(cfg_other, self, self, [])",
        f'  File "{_D2_BASE}/yacs/config.py", line 478, in _merge_a_into_b',
        "    _merge_a_into_b(v, b[k], root, key_list + [k])",
        f'  File "{_D2_BASE}/yacs/config.py", line 478, in _merge_a_into_b',
        "    _merge_a_into_b(v, b[k], root, key_list + [k])",
        f'  File "{_D2_BASE}/yacs/config.py", line 491, in _merge_a_into_b',
        '    raise KeyError("Non-existent config key: {}".format(full_key))',
        "KeyError: 'Non-existent config key: MODEL.ROI_HEADS.NUM_CLASS'",
        "",
    ]
    return "\n".join(lines)


def t02_nowcast(place: Path, rng: Random) -> None:
    zone = _zone(9)
    start = datetime(2026, 10, 27, 13, 2, 18, tzinfo=zone)
    end = start + timedelta(minutes=168)
    host, slow, total = "ada04", 2, 2400
    begin = start + timedelta(seconds=74)
    per = (end - begin - timedelta(seconds=25)).total_seconds() / total
    stop = end - timedelta(seconds=20)

    def drive(gpu: int, at: int) -> _Sample:
        if at < start.timestamp() + 14 or at > end.timestamp() - 4:
            return _rest(_L40S)
        if at < begin.timestamp() or at > stop.timestamp():
            return _held(_L40S, 1460 if at < begin.timestamp() else 33180)
        fb = 33182 + 214 * gpu
        if gpu == slow:
            return _busy(_L40S, fb + 1840, 0.56, 268, gr=0.985, util=100, pcie=2.6e9, dram=0.29)
        return _busy(_L40S, fb, 0.155, 141, gr=0.993, util=100, pcie=2.6e9, dram=0.09)

    stamps = _stamps(start - timedelta(minutes=3), end + timedelta(minutes=2), 30)
    gpus = _gpus(_L40S, rng, 4, stamps, drive, noise=0.05)
    skip = {
        "DCGM_FI_PROF_NVLINK_TX_BYTES",
        "DCGM_FI_DEV_MEMORY_TEMP",
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
        "DCGM_FI_DEV_MEM_CLOCK",
    }
    series = _dcgm(_L40S, host, gpus, [f for f in _DCGM if f not in skip], "550.127.05")
    for name, rows in series.items():
        _write(place / "prometheus" / f"{name}.json", _matrix(rows))
    out = [
        f"== job 61877 on {host} == {start.strftime('%a %b %d %H:%M:%S JST %Y')}",
        "+ torchrun --standalone --nproc_per_node=4 train_fsdp.py --cfg cfg/radar_dit_1b.yaml --steps 2400",
        "W1027 13:02:21.884000 140218334 torch/distributed/run.py:793] *****************************************",
        "W1027 13:02:21.884000 140218334 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, "
        "to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed.",
        "W1027 13:02:21.884000 140218334 torch/distributed/run.py:793] *****************************************",
        "[rank 0/4] cuda:0 NVIDIA L40S",
        "[rank 1/4] cuda:1 NVIDIA L40S",
        "[rank 3/4] cuda:3 NVIDIA L40S",
        "[rank 2/4] cuda:2 NVIDIA L40S",
        "radar_dit: 1,084,321,792 params, FULL_SHARD, bf16, activation checkpointing on",
        "dataset: /lustre/met/radar/2019-2025 6,204,118 windows, files per rank: [412, 408, 415, 409]",
    ]
    for step in range(10, total + 1, 10):
        loss = 0.071 + 0.55 * math.exp(-step / 190) + 0.09 * math.exp(-step / 1300) + rng.gauss(0, 0.006)
        lr = 2e-4 * min(1, step / 200) * (0.55 + 0.45 * math.cos(math.pi * step / total))
        took = per * rng.gauss(1, 0.02)
        at = begin + timedelta(seconds=per * step)
        out.append(
            f"{at.strftime('%H:%M:%S')} step {step:5d}/{total} loss {loss:.4f} gnorm {abs(rng.gauss(0.42, 0.08)):.3f} "
            f"lr {lr:.3e} {32 / took:.2f} win/s {took:.2f} s/it mem {30.4 + rng.random() * 0.1:.1f}G"
        )
        if step % 600 == 0:
            out.append(
                f"{(at + timedelta(seconds=3)).strftime('%H:%M:%S')} saved /lustre/met/runs/radar_dit_1b/step{step:05d}.pt"
            )
    out.append(f"{stop.strftime('%H:%M:%S')} done, 2400 steps in {(stop - begin).total_seconds() / 60:.1f} min")
    _write(place / "radar_dit-61877.out", "\n".join(out))
    # The dump was taken for the wrong days: only the run of the week before is in it.
    head = "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|NodeList|AllocTRES"
    tres = "billing=64,cpu=64,gres/gpu=4,mem=480G,node=1"
    rows = [
        head,
        f"60912|radar_dit|ada|COMPLETED|0:0|2026-10-20T18:11:40|2026-10-20T19:23:02|01:11:22|ada02|{tres}",
        f"60912.batch|batch||COMPLETED|0:0|2026-10-20T18:11:40|2026-10-20T19:23:02|01:11:22|ada02|{tres.replace('billing=64,', '')}",
        "60912.extern|extern||COMPLETED|0:0|2026-10-20T18:11:40|2026-10-20T19:23:02|01:11:22|ada02|" + tres,
    ]
    _write(place / "sacct-radar_dit_2026-10-20.txt", "\n".join(rows))
    boot = datetime(2026, 10, 27, 4, 31, 0, tzinfo=zone)
    lines = _boot(_L40S, boot, "550.127.05", host, 4) + _chatter(rng, boot + timedelta(minutes=1), end, 17, _quiet(rng))
    _write(place / f"dmesg_{host}.txt", _kernel(lines, "plain", rng, boot))


def t03_protein_zh(place: Path, rng: Random) -> None:
    zone = UTC
    start = datetime(2026, 9, 16, 3, 40, 12, tzinfo=zone)
    end = start + timedelta(minutes=97)
    hosts = ["hgx-a11", "hgx-a12", "hgx-a14"]
    begin, total = start + timedelta(seconds=141), 5200
    stop = end - timedelta(seconds=48)
    saves = [1300, 2600, 3900, 5200]
    per = ((stop - begin).total_seconds() - 22 * len(saves)) / total
    at, clock, shots = begin, [], []
    for step in range(1, total + 1):
        at += timedelta(seconds=per)
        clock.append(at)
        if step in saves:
            shots.append(at)
            at += timedelta(seconds=22)

    def drive(gpu: int, now: int) -> _Sample:
        if now < start.timestamp() + 20 or now > end.timestamp() - 5:
            return _rest(_H100)
        if now < begin.timestamp() or now > stop.timestamp():
            return _held(_H100, 2210 if now < begin.timestamp() else 61240)
        if any(0 <= now - s.timestamp() < 22 for s in shots):
            return _held(_H100, 61240 + 96 * gpu)
        return _busy(_H100, 61240 + 96 * gpu, 0.82, 588, gr=0.962, nvlink=2.9e10, tensor=0.29)

    stamps = _stamps(start - timedelta(minutes=1), end + timedelta(minutes=1), 15)
    names = [
        "DCGM_FI_DEV_SM_CLOCK",
        "DCGM_FI_DEV_GPU_TEMP",
        "DCGM_FI_DEV_POWER_USAGE",
        "DCGM_FI_DEV_GPU_UTIL",
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_FB_FREE",
        "DCGM_FI_DEV_XID_ERRORS",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "DCGM_FI_PROF_SM_ACTIVE",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "DCGM_FI_PROF_NVLINK_TX_BYTES",
    ]
    series = _merge(_dcgm(_H100, host, _gpus(_H100, rng, 4, stamps, drive), names, "550.90.07") for host in hosts[:2])
    for name, rows in series.items():
        _write(place / "prom" / f"{name.lower()}.json", _matrix(rows))
    out = []

    def say(when: datetime, level: str, text: str) -> None:
        out.append(f"{when.strftime('%Y-%m-%d %H:%M:%S')} [{level}] {text}")

    say(start + timedelta(seconds=19), "信息", "启动训练: 节点 3, 每节点 GPU 4, 总进程数 12, 主节点 hgx-a11:29511")
    say(start + timedelta(seconds=33), "信息", "进程组初始化完成 (nccl 2.21.5), 耗时 11.2 秒")
    say(start + timedelta(seconds=52), "信息", "模型: 蛋白质语言模型 650M, 参数量 652,404,736, 精度 bf16, 梯度累积 2")
    say(start + timedelta(seconds=88), "信息", "数据: UniRef50 训练集 59,812,004 条, 验证集 299,062 条, 分片 1024")
    say(start + timedelta(seconds=97), "警告", "未找到历史检查点, 从头开始训练")
    say(begin, "信息", f"开始训练, 计划 {total} 步")
    for step, when in enumerate(clock, 1):
        if step % 20 == 0 or step == 1:
            loss = 2.31 + 0.62 * math.exp(-step / 300) + 0.16 * math.exp(-step / 2400) + rng.gauss(0, 0.011)
            lr = 4e-4 * min(1, step / 400) * (1 if step < 400 else 1 - 0.9 * (step - 400) / (total - 400))
            speed = 12 * 64 * 1024 / per * rng.gauss(1, 0.01) / 1000
            say(
                when,
                "信息",
                f"步 {step}/{total} 损失 {loss:.4f} 学习率 {lr:.2e} 梯度范数 {abs(rng.gauss(0.61, 0.07)):.3f} 吞吐 {speed:.0f}k tok/s 显存 57.4GB",
            )
        if step in saves:
            say(
                when + timedelta(seconds=9),
                "信息",
                f"验证损失 {2.34 + 0.11 * math.exp(-step / 1900):.4f} 困惑度 {math.exp(2.34 + 0.11 * math.exp(-step / 1900)):.3f}",
            )
            say(when + timedelta(seconds=20), "信息", f"检查点已保存: /data/plm/ckpt/650m_r3/step_{step:06d} (7.3GB)")
        if step == 1311:
            say(
                when,
                "错误",
                "上传检查点到对象存储失败: ConnectionResetError(104, 'Connection reset by peer'), 30 秒后第 1 次重试",
            )
        if step == 1345:
            say(when, "信息", "上传检查点成功 (第 1 次重试), 7.3GB, 21.8 秒")
        if step in (742, 3019):
            shard = rng.randrange(1024)
            say(
                when,
                "警告",
                f"数据工作进程: 分片 shard-{shard:05d} 中第 {rng.randrange(60000)} 条记录损坏 (CRC 错误), 已跳过, 累计跳过 {1 if step < 1000 else 2} 条",
            )
        if step == 2204:
            say(when, "严重", "心跳监控: rank 9 已 10 秒无响应, 可能已死亡")
            say(when + timedelta(seconds=2), "信息", "心跳监控: rank 9 恢复响应 (延迟 11.6 秒)")
    say(stop, "信息", f"训练完成: 共 {total} 步, 最终损失 {2.329:.4f}, 最佳验证损失 {2.3471:.4f}")
    say(stop + timedelta(seconds=31), "信息", "最终模型已导出: /data/plm/export/650m_r3, 正常退出")
    _write(place / "train_rank0.log", "\n".join(out))
    span = f"{_local(start)}|{_local(end)}|{_hms((end - start).total_seconds())}"
    nodes = "hgx-a[11-12,14]"
    rows = [
        "JobID|JobName|User|Partition|State|ExitCode|DerivedExitCode|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES",
        f"204418|plm650m_r3|zhouyf|hgx|COMPLETED|0:0|0:0|{span}|04:00:00|3|{nodes}|billing=192,cpu=192,gres/gpu=12,mem=1536G,node=3",
        f"204418.batch|batch|||COMPLETED|0:0||{span}||1|hgx-a11|cpu=64,gres/gpu=4,mem=512G,node=1",
        f"204418.extern|extern|||COMPLETED|0:0||{span}||3|{nodes}|billing=192,cpu=192,gres/gpu=12,mem=1536G,node=3",
        f"204418.0|python|||COMPLETED|0:0||{_local(start + timedelta(seconds=6))}|{_local(end)}|{_hms((end - start).total_seconds() - 6)}||"
        f"3|{nodes}|cpu=192,gres/gpu=12,mem=1536G,node=3",
    ]
    _write(place / "sacct.txt", "\n".join(rows))
    for host in hosts:
        lines = _chatter(rng, start - timedelta(hours=20), end + timedelta(minutes=20), 11, _quiet(rng))
        if host == "hgx-a12":
            early = start - timedelta(hours=15, minutes=12)
            lines.append(
                (
                    early,
                    "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3f21b0 offset:0x40 grain:32 syndrome:0x0)",
                )
            )
        if host == "hgx-a14":
            lines.append(
                (
                    start + timedelta(minutes=41),
                    "node_exporter[3391]: segfault at 18 ip 00000000004a1c60 sp 00007ffe2f0c1d50 error 4 in node_exporter[400000+8a2000]",
                )
            )
        _write(place / f"dmesg-T.{host}.txt", _kernel(lines, "T", rng))


def t04_mathgrpo(place: Path, rng: Random) -> None:
    zone = UTC
    start = datetime(2026, 10, 8, 17, 25, 44, tzinfo=zone)
    end = start + timedelta(minutes=48)
    hosts = ["b200-r2n05", "b200-r2n06"]
    begin = start + timedelta(seconds=205)
    turn = start + timedelta(minutes=16, seconds=20)
    stop = end - timedelta(seconds=37)
    steps: list[tuple[datetime, float]] = []
    at = begin
    while True:
        ease = min(1.0, max(0.0, (at - turn).total_seconds() / 150))
        took = (18.4 + 25.5 * ease) * rng.gauss(1, 0.035)
        if at + timedelta(seconds=took) > stop:
            break
        at += timedelta(seconds=took)
        steps.append((at, took))
    total = len(steps)
    stop = steps[-1][0]
    stamps = _stamps(start - timedelta(minutes=4), end + timedelta(minutes=3), 60)

    def drive_on(bad: bool) -> Callable[[int, int], _Sample]:
        def drive(gpu: int, now: int) -> _Sample:
            if now < start.timestamp() + 25 or now > end.timestamp() - 3:
                return {**_rest(_B200), "fb": 0, "heat": 9 if bad and now > end.timestamp() - 3 else 0}
            if now < begin.timestamp() or now > stop.timestamp():
                return _held(_B200, 6120 if now < begin.timestamp() - 70 else 96400)
            fb = 148210 + 312 * gpu
            ease = min(1.0, max(0.0, (now - turn.timestamp()) / 150))
            if bad and ease > 0:
                slow = 1965 - ease * 1180 + 15 * rng.randint(-4, 4)
                late = ease > 0.5
                state = _busy(
                    _B200,
                    fb,
                    0.71,
                    655 - 240 * ease,
                    gr=0.94,
                    nvlink=2.2e10,
                    clock=min(1950, slow),
                    reasons=104 if late else 32,
                )
                return {
                    **state,
                    "heat": 33 + 15 * ease + rng.gauss(0, 0.7),
                    "hot_ns": (now - turn.timestamp()) * (7.1e8 + 1.7e7 * gpu),
                }
            if ease > 0:
                return _busy(_B200, fb, 0.31, 372, gr=0.95, nvlink=9.4e9)
            state = _busy(_B200, fb, 0.66, 655, gr=0.91, nvlink=2.1e10)
            return (
                {**state, "heat": max(0.0, 33 * (now - begin.timestamp()) / (turn - begin).total_seconds())}
                if bad
                else state
            )

        return drive

    held: list[dict[str, list[dict[str, object]]]] = []
    for host in hosts:
        gpus = _gpus(_B200, rng, 4, stamps, drive_on(host == hosts[1]))
        for gpu in gpus:
            best = 0.0
            for sample in gpu.samples:
                best = max(best, sample.get("hot_ns", 0.0))
                sample["hot_ns"] = best
        held.append(_dcgm(_B200, host, gpus, [f for f in _DCGM if "REMAPPED" not in f], "570.133.20"))
    for name, rows in _merge(held).items():
        _write(place / "metrics" / f"{name}.json", _matrix(rows))
    out = [
        "The following values were not passed to `accelerate launch` and had defaults used instead:",
        "\t`--dynamo_backend` was set to a value of `'no'`",
        "To avoid this warning pass in values for each of the problematic parameters or run `accelerate config`.",
        f"INFO {(start + timedelta(seconds=38)).strftime('%m-%d %H:%M:%S')} [__init__.py:244] Automatically detected platform cuda.",
        f"{(start + timedelta(seconds=52)).strftime('%Y-%m-%d %H:%M:%S')} - INFO - __main__ - Training parameters "
        "GRPOConfig(output_dir='/scratch/rl/qwen3-8b-geo', "
        f"max_steps={total}, per_device_train_batch_size=8, num_generations=16, max_completion_length=4096, use_vllm=True, "
        "vllm_mode='colocate', beta=0.0, bf16=True)",
        "Loading checkpoint shards: 100%|██████████| 5/5 [00:07<00:00,  1.46s/it]",
        f"INFO {(start + timedelta(seconds=131)).strftime('%m-%d %H:%M:%S')} [gpu_worker.py:232] Available KV cache memory: 38.61 GiB",
        f"INFO {(start + timedelta(seconds=176)).strftime('%m-%d %H:%M:%S')} [core.py:172] init engine (profile, create kv cache, warmup "
        "model) took 43.17 seconds",
    ]
    bars = f"  0%|          | 0/{total} [00:00<?, ?it/s]"
    tokens = 0.0
    for number, (when, took) in enumerate(steps, 1):
        length = 1480 + 300 * number / total + rng.gauss(0, 55)
        tokens += 64 * (length + 210)
        reward = 0.27 + 0.21 * (1 - math.exp(-number / 34)) + rng.gauss(0, 0.035)
        row = {
            "loss": round(rng.gauss(0.004, 0.012), 4),
            "grad_norm": round(abs(rng.gauss(0.21, 0.03)), 10),
            "learning_rate": round(1e-6 * min(1, number / 8), 12),
            "num_tokens": round(tokens),
            "completions/mean_length": round(length, 3),
            "completions/max_length": 4096.0,
            "completions/clipped_ratio": round(abs(rng.gauss(0.05, 0.015)), 6),
            "rewards/accuracy_reward/mean": round(reward, 6),
            "rewards/accuracy_reward/std": round(abs(rng.gauss(0.46, 0.02)), 6),
            "reward": round(reward, 6),
            "reward_std": round(abs(rng.gauss(0.29, 0.03)), 6),
            "frac_reward_zero_std": round(rng.choice([0.125, 0.25, 0.25, 0.375]), 3),
            "entropy": round(0.34 - 0.09 * number / total + rng.gauss(0, 0.01), 6),
            "step_time": round(took * 0.985, 6),
            "epoch": round(number / 640, 2),
        }
        left = (total - number) * took
        passed = (when - begin).total_seconds()
        bar = f"{100 * number // total:3d}%|{_bar(number, total)}| {number}/{total} [{_short(passed)}<{_short(left)}, {took:5.2f}s/it]"
        bars += f"\r{bar}\r{' ' * len(bar)}\r{row}\n\r{bar}"
    out.append(bars)
    spent = (stop - begin).total_seconds()
    out.append(
        f"{{'train_runtime': {spent:.4f}, 'train_samples_per_second': {64 * total / spent:.3f}, 'train_steps_per_second': {total / spent:.3f}, "
        f"'train_loss': 0.0041, 'epoch': {total / 640:.2f}}}"
    )
    out.append(
        f"{(end - timedelta(seconds=9)).strftime('%Y-%m-%d %H:%M:%S')} - INFO - __main__ - Model saved to /scratch/rl/qwen3-8b-geo"
    )
    _write(place / "grpo-geo_918273.log", "\n".join(out))
    rows = [
        "JobID|JobName|Account|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NodeList|AllocTRES",
        f"918273|grpo-geo|reasoning|b200|COMPLETED|0:0|2026-10-08T17:21:09|{_local(start)}|{_local(end)}|00:48:00|06:00:00|b200-r2n[05-06]|"
        "billing=8,cpu=112,gres/gpu=8,mem=1000G,node=2",
    ]
    _write(place / "sacct.psv", "\n".join(rows))
    # What is left of the kernel log was kept from a ticket of days before; nothing of the job's hours.
    old = datetime(2026, 10, 3, 6, 11, 20, tzinfo=zone)
    lines = _chatter(rng, old - timedelta(hours=5), old + timedelta(hours=2), 8, _quiet(rng))
    box = f"{rng.getrandbits(256):064x}"
    oom = [
        "uvicorn invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        "memory: usage 33554432kB, limit 33554432kB, failcnt 91240",
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-{box}.scope,mems_allowed=0-1,oom_memcg=/system.slice/docker-{box}.scope,"
        f"task_memcg=/system.slice/docker-{box}.scope,task=uvicorn,pid=88120,uid=1001",
        "Memory cgroup out of memory: Killed process 88120 (uvicorn) total-vm:41204112kB, anon-rss:33102240kB, file-rss:18432kB, "
        "shmem-rss:0kB, UID:1001 pgtables:66120kB oom_score_adj:0",
        "oom_reaper: reaped process 88120 (uvicorn), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
    ]
    lines += [(old + timedelta(seconds=number // 3), text) for number, text in enumerate(oom)]
    _write(place / "ticket-4471_dmesg_b200-r2n05_2026-10-03.txt", _kernel(lines, "iso", rng))


def t05_kashubian(place: Path, rng: Random) -> None:
    zone = _zone(1)
    start = datetime(2026, 11, 18, 21, 6, 33, tzinfo=zone)
    end = start + timedelta(minutes=71)
    host = "volta02"
    built = start + timedelta(seconds=63)

    def drive(_: int, at: int) -> _Sample:
        if at < start.timestamp() + 21 or at > end.timestamp() - 2:
            return {**_rest(_V100), "fb": 0}
        if at < built.timestamp():
            return _busy(_V100, 24766, 0.04, 68, util=7, clock=1530)
        return _held(_V100, 24782)

    stamps = _stamps(start - timedelta(minutes=5), end + timedelta(minutes=4), 60)
    gpus = _gpus(_V100, rng, 1, stamps, drive)
    series = _dcgm(_V100, host, gpus, [f for f in _DCGM if "NVLINK" not in f and "REMAPPED" not in f], "535.216.01")
    _write(place / "dcgm_query_range.json", _matrix(_flat(series)))
    config = {
        "adam_b1": 0.9,
        "adam_b2": 0.95,
        "async_checkpointing": True,
        "attention": "dot_product",
        "base_emb_dim": 768,
        "base_mlp_dim": 3072,
        "base_num_decoder_layers": 12,
        "base_num_query_heads": 12,
        "base_output_directory": "/home/mkos/maxtext_out",
        "checkpoint_period": 500,
        "dataset_type": "grain",
        "dtype": "float32",
        "enable_checkpointing": True,
        "gradient_clipping_threshold": 1.0,
        "grain_train_files": "/mnt/korpus/csb_pl/train*.array_record",
        "grain_worker_count": 2,
        "hardware": "gpu",
        "learning_rate": 0.0003,
        "log_period": 10,
        "logits_dot_in_fp32": True,
        "max_target_length": 1024,
        "model_name": "default",
        "per_device_batch_size": 8.0,
        "run_name": "csb-pl-small-02",
        "steps": 6000,
        "tokenizer_path": "/mnt/korpus/csb_pl/sp_32k.model",
        "vocab_size": 32000,
    }
    out = [
        f"Starting job 30518 on {host} at {start.strftime('%a %d %b %H:%M:%S CET %Y')}",
        "Running model: csb-pl-small-02",
        "Updating keys from env and command line: ['run_name', 'dataset_type', 'hardware', 'attention', 'dtype', 'per_device_batch_size', 'steps']",
        "Running Model: default",
        "Not using emergency checkpoint, ignoring local_checkpoint_directory, local_checkpoint_period, use_replicator_service and "
        "replicator_backup_interval_minutes",
        "dataset_type set to grain, will use keys['grain_train_files']='/mnt/korpus/csb_pl/train*.array_record'",
        *[f"Config param {key}: {value}" for key, value in config.items()],
        "System Information: Jax Version: 0.4.38",
        "System Information: Jaxlib Version: 0.4.38",
        "System Information: Jax Backend: PJRT C API",
        "cuda 12060",
        "Using (GB) 0.0 / 23.79 (0.000000%) on cuda:0",
        "Num_devices: 1, shape (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)",
        "Setting up checkpoint logger...",
        "Creating checkpoint manager...",
        "Checkpoint manager created!",
        "checkpoint manager exists so trying to load this run's existing checkpoint",
        "No existing checkpoints found, not restoring checkpoint.",
        "number parameters: 0.135 billion",
        "Memstats: After params initialized:",
        "\tUsing (GB) 1.51 / 23.79 (6.347205%) on cuda:0",
        "Per train step:",
        " Total TFLOPs: 7.47 ",
        " split as 96.96% learnable weight flops and 3.04% attention flops",
        f"slurmstepd: error: *** JOB 30518 ON {host} CANCELLED AT {_local(end)} DUE TO TIME LIMIT ***",
    ]
    _write(place / "slurm-30518.out", "\n".join(out))
    boot = datetime(2026, 11, 9, 7, 40, 11, tzinfo=zone)
    lines = _boot(_V100, boot, "535.216.01", host, 1) + _chatter(rng, boot + timedelta(minutes=2), end, 16, _quiet(rng))
    _write(place / "dmesg_iso.txt", _kernel(lines, "iso", rng))


def t06_statutes(place: Path, rng: Random) -> None:
    zone = _zone(8)
    start = datetime(2026, 11, 3, 14, 20, 5, tzinfo=zone)
    end = start + timedelta(minutes=24)
    hosts = ["gn31", "gn32", "gn33", "gn34"]
    slots = [8, 7, 8, 8]
    begin, fall = start + timedelta(seconds=150), end - timedelta(seconds=34)
    stamps = _stamps(start - timedelta(minutes=2), end + timedelta(minutes=2), 15)
    bad_host, bad_gpu = "gn33", 4
    swell = [[rng.uniform(0, 2600) for _ in range(8)] for _ in hosts]
    parts = []
    for number, host in enumerate(hosts[:3]):

        def drive(gpu: int, at: int, number: int = number, host: str = host) -> _Sample:
            if gpu >= slots[number] or at < start.timestamp() + 30 or at > end.timestamp() - 6:
                return _rest(_L40S)
            if at < begin.timestamp():
                return _held(_L40S, 718 if at < begin.timestamp() - 75 else 14210)
            run = (at - begin.timestamp()) / (fall - begin).total_seconds()
            fb = 36210 + swell[number][gpu] + 4100 * min(1.0, round(run * 6) / 6)
            if host == bad_host and gpu == bad_gpu:
                fb = 44096 if run > 0.93 else fb
                if at > fall.timestamp():
                    return _rest(_L40S)
            if at > fall.timestamp():
                return _busy(_L40S, fb, 0.05, 112, util=100, copy=1)
            return _busy(_L40S, fb, 0.7, 291, copy=38, util=rng.choice([96, 99, 100, 100, 88]))

        parts.append(_smi_exporter(_L40S, host, _gpus(_L40S, rng, 8, stamps, drive), "550.54.15", ecc=True))
    for name, rows in _merge(parts).items():
        _write(place / "prometheus" / f"{name}.json", _matrix(rows))

    def tag(at: datetime) -> str:
        return f"[{at.strftime('%Y-%m-%d %H:%M:%S')},{rng.randrange(1000):03d}]"

    world = base64.urlsafe_b64encode(
        json.dumps(dict(zip(hosts, [list(range(s)) for s in slots], strict=True))).encode()
    ).decode()
    out = [
        f"{tag(start + timedelta(seconds=9))} [INFO] [real_accelerator.py:219:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        f"{tag(start + timedelta(seconds=12))} [INFO] [runner.py:607:main] cmd = pdsh -S -f 1024 -w gn31,gn32,gn33,gn34 export "
        "NCCL_SOCKET_IFNAME=bond0; cd /work/law/sft; "
        f"/opt/miniconda3/envs/ds/bin/python -u -m deepspeed.launcher.launch --world_info={world} "
        "--node_rank=%n --master_addr=gn31 --master_port=29500 sft.py --deepspeed ds_z3.json --model /work/models/Qwen2.5-14B --max_len 16384",
    ]
    spawned: dict[str, list[int]] = {}
    for number, host in enumerate(hosts):
        at = start + timedelta(seconds=18 + number)
        out.append(
            f"{host}: {tag(at)} [INFO] [launch.py:146:main] WORLD INFO DICT: {dict(zip(hosts, [list(range(s)) for s in slots], strict=True))}"
        )
        out.append(
            f"{host}: {tag(at)} [INFO] [launch.py:152:main] nnodes=4, num_local_procs={slots[number]}, node_rank={number}"
        )
        out.append(f"{host}: {tag(at)} [INFO] [launch.py:164:main] dist_world_size=31")
        pid = rng.randint(20000, 90000)
        spawned[host] = [pid + 1 + local for local in range(slots[number])]
        out += [
            f"{host}: {tag(at)} [INFO] [launch.py:256:main] process {p} spawned with command: ['/opt/miniconda3/envs/ds/bin/python', '-u', "
            f"'sft.py', '--local_rank={k}']"
            for k, p in enumerate(spawned[host])
        ]
    out.append(
        f"gn31: {tag(start + timedelta(seconds=38))} [INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl"
    )
    out.append(
        f"gn31: {tag(start + timedelta(seconds=96))} [INFO] [partition_parameters.py:348:__exit__] finished initializing model - num_params "
        "= 579, num_elems = 14.77B"
    )
    out.append(
        f"gn31: {tag(start + timedelta(seconds=140))} [INFO] [utils.py:782:see_memory_usage] MA 13.21 GB         Max_MA 13.6 GB         CA "
        "14.02 GB         Max_CA 14 GB "
    )
    steps = 86
    per = (fall - begin).total_seconds() / (steps + 0.6)
    for step in range(1, steps + 1):
        at = begin + timedelta(seconds=per * step)
        loss = 1.21 + 0.62 * math.exp(-step / 24) + rng.gauss(0, 0.03)
        out.append(
            f"gn31: step {step}/1840 loss={loss:.4f} grad_norm={abs(rng.gauss(0.9, 0.15)):.3f} lr={min(1, step / 60) * 1e-5:.3e} "
            f"seq_max={rng.randint(6200, 15100)}"
        )
        if step % 10 == 0:
            out.append(
                f"gn31: {tag(at)} [INFO] [logging.py:128:log_dist] [Rank 0] step={step}, skipped=0, lr=[{min(1, step / 60) * 1e-5:.6g}], mom=[[0.9, 0.95]]"
            )
            speed = 248 / per * rng.gauss(1, 0.02)
            out.append(
                f"gn31: {tag(at)} [INFO] [timer.py:264:stop] epoch=0/micro_step={4 * step}/global_step={step}, RunningAvgSamplesPerSec={speed:.6f}, "
                f"CurrSamplesPerSec={speed * rng.gauss(1, 0.03):.6f}, MemAllocated={13.9:.1f}GB, MaxMemAllocated={34 + step / 20:.2f}GB"
            )
    site = "/opt/miniconda3/envs/ds/lib/python3.11/site-packages"
    trace = [
        "Traceback (most recent call last):",
        '  File "/work/law/sft/sft.py", line 214, in <module>',
        "    main()",
        '  File "/work/law/sft/sft.py", line 187, in main',
        "    loss = engine(**batch).loss",
        f'  File "{site}/deepspeed/runtime/engine.py", line 1914, in forward',
        "    loss = self.module(*inputs, **kwargs)",
        f'  File "{site}/transformers/models/qwen2/modeling_qwen2.py", line 1183, in forward',
        "    logits = self.lm_head(hidden_states[:, -num_logits_to_keep:, :]).float()",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.85 GiB. GPU 4 has a total capacity of 44.40 GiB of which 1.33 GiB is free. "
        "Including non-PyTorch memory, this process has 43.06 GiB memory in use. Of the allocated memory 39.74 GiB is allocated by "
        "PyTorch, and 2.28 GiB is reserved by PyTorch "
        "but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to "
        "avoid fragmentation.  "
        "See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    out += [f"{bad_host}: [rank19]: {line}" for line in trace]
    at = fall + timedelta(seconds=5)
    for host, rank in (("gn31", 3), ("gn34", 26), ("gn32", 11)):
        out.append(
            f"{host}: [rank{rank}]:[E{at.strftime('%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:542] [Rank {rank}] "
            "Collective WorkNCCL(SeqNum=201934, OpType=_ALLGATHER_BASE, "
            "NumelIn=2340864, NumelOut=72566784, Timeout(ms)=1800000) raised the following async exception: NCCL error: remote process exited "
            "or there was a network error, NCCL version 2.20.5"
        )
    out += [
        f"{bad_host}: {mark} [INFO] [launch.py:319:sigkill_handler] Killing subprocess {p}"
        for p, mark in zip(spawned[bad_host], sorted(tag(at) for _ in spawned[bad_host]), strict=True)
    ]
    out.append(
        f"{bad_host}: {tag(at + timedelta(seconds=1))} [ERROR] [launch.py:325:sigkill_handler] ['/opt/miniconda3/envs/ds/bin/python', '-u', "
        "'sft.py', '--local_rank=7', '--deepspeed', 'ds_z3.json'] exits with return code = 1"
    )
    out.append(f"pdsh@gn31: {bad_host}: ssh exited with exit code 1")
    for host in ("gn31", "gn32", "gn34"):
        late = at + timedelta(seconds=rng.randint(14, 20))
        out += [
            f"{host}: {mark} [INFO] [launch.py:319:sigkill_handler] Killing subprocess {p}"
            for p, mark in zip(spawned[host], sorted(tag(late) for _ in spawned[host]), strict=True)
        ]
        out.append(f"pdsh@gn31: {host}: ssh exited with exit code 1")
    _write(place / "law-sft.177205.out", "\n".join(out))
    span = f"{_local(start)}|{_local(end)}|00:24:00"
    rows = [
        "JobID|JobName|User|State|ExitCode|Start|End|Elapsed|NNodes|NodeList|ReqTRES|MaxRSS",
        f"177205|law-sft|tanwl|FAILED|1:0|{span}|4|gn[31-34]|billing=256,cpu=256,gres/gpu=32,mem=3000G,node=4|",
        f"177205.batch|batch||FAILED|1:0|{span}|1|gn31||188204120K",
        f"177205.extern|extern||COMPLETED|0:0|{span}|4|gn[31-34]||181330244K",
    ]
    _write(place / "sacct.txt", "\n".join(rows))
    for host in hosts:
        lines = _chatter(rng, start - timedelta(days=2), end + timedelta(minutes=5), 9, _quiet(rng))
        _write(place / "kernel" / f"{host}.dmesg", _kernel(lines, "T", rng))


def t07_birdsong(place: Path, rng: Random) -> None:
    zone = UTC
    start = datetime(2026, 8, 30, 5, 50, 3, tzinfo=zone)
    end = start + timedelta(minutes=28)
    host = "kestrel"
    begin, stop = start + timedelta(seconds=31), end - timedelta(seconds=9)
    steps: list[tuple[datetime, float, float]] = []
    at = begin
    while True:
        data, work = max(2.9, rng.lognormvariate(1.68, 0.24)), rng.gauss(0.41, 0.015)
        if at + timedelta(seconds=data + work) > stop - timedelta(seconds=4):
            break
        at += timedelta(seconds=data + work)
        steps.append((at, data, work))
    ticks = sorted(rng.uniform(start.timestamp(), end.timestamp()) for _ in range(4))

    def drive(gpu: int, now: int) -> _Sample:
        sbe = 2 + sum(1 for tick in ticks if tick <= now) if gpu == 1 else 0
        part = sum(max(0.0, min(now, w.timestamp()) - max(now - 1, w.timestamp() - work)) for w, _, work in steps)
        if now < start.timestamp() + 12 or now > end.timestamp() - 2:
            state = {**_rest(_ADA), "fb": 15}
        elif part > 0.02:
            util = round(100 * part)
            state = _busy(_ADA, 14872 + 60 * gpu, 0.6, 68 + 290 * part, util=util, copy=0.4 * util)
        else:
            state = {**_held(_ADA, 14872 + 60 * gpu), "watts": 64 + 5 * rng.random()}
        if state["fb"] > 15:
            state["clock"] = 2745 - 15 * rng.randint(0, 3)
        return {**state, "sbe": sbe}

    stamps = _stamps(start - timedelta(minutes=3), end + timedelta(minutes=3), 60)
    gpus = _gpus(_ADA, rng, 2, stamps, drive)
    _write(place / "gpu_exporter_range.json", _matrix(_flat(_smi_exporter(_ADA, host, gpus, "560.35.03", ecc=True))))

    def line(when: datetime, event: str, **more: object) -> str:
        return json.dumps({"ts": when.isoformat(timespec="milliseconds"), "event": event, **more})

    total = len(steps)
    out = [
        line(
            start + timedelta(seconds=11, milliseconds=204),
            "init",
            rank=0,
            world=2,
            host=host,
            torch="2.4.1+cu124",
            seed=17,
        ),
        line(
            start + timedelta(seconds=16, milliseconds=911),
            "data",
            root="/mnt/nas/xeno-canto/flac",
            clips=188420,
            classes=412,
            workers=2,
            sr=32000,
        ),
        line(
            start + timedelta(seconds=24, milliseconds=87),
            "model",
            name="convnext_base_melspec",
            params=88012444,
            amp="bf16",
            batch_per_gpu=96,
        ),
        line(begin, "train_start", max_steps=total),
    ]
    for number, (when, data, work) in enumerate(steps, 1):
        loss = 2.05 + 3.7 * math.exp(-number / 95) + rng.gauss(0, 0.07)
        lr = 1e-3 * min(1, number / 30) * (0.5 + 0.5 * math.cos(math.pi * number / total))
        row = {"step": number, "loss": round(loss, 4), "lr": round(lr, 7), "gnorm": round(abs(rng.gauss(1.6, 0.3)), 3)}
        out.append(
            line(
                when,
                "step",
                **row,
                t_data=round(data, 3),
                t_step=round(data + work, 3),
                clips_s=round(192 / (data + work), 1),
            )
        )
    out.append(line(stop - timedelta(seconds=3), "val", step=total, loss=2.214, cmap=0.4127))
    out.append(line(stop, "saved", path="runs/convnext_b_07/last.pt"))
    out.append(
        line(stop + timedelta(seconds=1), "train_end", steps=total, wall_s=round((stop - begin).total_seconds(), 1))
    )
    _write(place / "runs_convnext_b_07.jsonl", "\n".join(out))
    span = f"{_local(start)}|{_local(end)}|00:28:00"
    rows = [
        "JobID|JobName|State|ExitCode|Start|End|Elapsed|AllocCPUS|TotalCPU|MaxRSS|NodeList",
        f"4127|birds_cnx|COMPLETED|0:0|{span}|6|01:51:34||kestrel",
        f"4127.batch|batch|COMPLETED|0:0|{span}|6|00:00.412|9120K|kestrel",
        f"4127.extern|extern|COMPLETED|0:0|{span}|6|00:00.001||kestrel",
        f"4127.0|torchrun|COMPLETED|0:0|{_local(start + timedelta(seconds=1))}|{_local(end)}|00:27:59|6|01:51:33|24188404K|kestrel",
    ]
    _write(place / "sacct_4127.txt", "\n".join(rows))
    boot = datetime(2026, 8, 26, 18, 2, 50, tzinfo=zone)
    lines = _boot(_ADA, boot, "560.35.03", host, 2) + _chatter(rng, boot + timedelta(minutes=1), end, 15, _quiet(rng))
    _write(place / "dmesg.iso.txt", _kernel(lines, "iso", rng))


def t08_discharge(place: Path, rng: Random) -> None:
    zone = _zone(8)
    start = datetime(2026, 9, 29, 10, 8, 51, tzinfo=zone)
    end = start + timedelta(minutes=55)
    hosts = ["hop-021", "hop-022", "hop-023", "hop-024"]
    begin = start + timedelta(seconds=168)
    freeze = end - timedelta(minutes=10, seconds=44)
    report = freeze + timedelta(seconds=603)
    lost = 4  # first GPU of hop-023
    stamps = _stamps(start - timedelta(minutes=3), end + timedelta(minutes=4), 60)
    for number, host in enumerate(hosts):
        if number == 1:
            continue  # its exporter's file was not handed over

        def drive(gpu: int, at: int, number: int = number) -> _Sample:
            if at < start.timestamp() + 30 or at > end.timestamp() - 4:
                return _rest(_H100)
            fb = 68140 + 210 * gpu
            if at < begin.timestamp():
                return _held(_H100, 1630 if at < begin.timestamp() - 90 else 20410)
            if at < freeze.timestamp():
                return _busy(_H100, fb, 0.77, 561, gr=0.955, nvlink=1.7e10, pcie=6.1e9)
            if number * 2 + gpu == lost:
                return _held(_H100, fb)
            return _busy(
                _H100, fb, 0.011, 147, gr=0.998, util=100, tensor=0, dram=0.001, nvlink=0, pcie=3e5, copy=0, occ=0.001
            )

        gpus = _gpus(_H100, rng, 2, stamps, drive)
        _write(place / "dcgm" / f"{host}.json", _matrix(_flat(_dcgm(_H100, host, gpus, _DCGM, "560.35.05"))))
    info = "INFO:torchtune.utils._logging:"
    out = [
        f"{info}Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 2",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /lfs/models/Meta-Llama-3.1-8B-Instruct",
        "  model_type: LLAMA3",
        "  output_dir: /lfs/ehr/out/discharge-8b",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  source: json",
        "  data_files: /home/ehr/notes/discharge_train.jsonl",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "epochs: 2",
        "gradient_accumulation_steps: 2",
        "max_steps_per_epoch: null",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 1.0e-05",
        "seed: 42",
        "",
        "wandb: Network error (ConnectTimeout), entering retry loop.",
        "wandb: ERROR Failed to reach api.wandb.ai, run will be kept offline",
        f"{info}Set intra op parallelism no. of threads to 14",
        f"{info}FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        f"{info}Instantiating model and loading checkpoint took 71.22 secs",
        f"{info}Memory stats after model init:",
        "\tGPU peak memory allocation: 4.96 GiB",
        "\tGPU peak memory reserved: 5.21 GiB",
        "\tGPU peak memory active: 4.96 GiB",
        f"{info}Optimizer is initialized.",
        f"{info}Loss is initialized.",
        f"{info}Dataset and Sampler are initialized.",
        f"{info}No learning rate scheduler configured. Using constant learning rate.",
        f"{info} Profiling disabled.",
    ]
    total, at, step = 1310, begin, 0
    bars = f"  0%|          | 0/{total} [00:00<?, ?it/s]"
    while True:
        took = 3.62 * rng.gauss(1, 0.03)
        if at + timedelta(seconds=took) > freeze:
            break
        at += timedelta(seconds=took)
        step += 1
        loss = 1.04 + 0.85 * math.exp(-step / 60) + 0.15 * math.exp(-step / 500) + rng.gauss(0, 0.04)
        passed = (at - begin).total_seconds()
        rest = _short((total - step) * took)
        bars += f"\r1|{step}|Loss: {loss:.16g}: {100 * step // total:3d}%|{_bar(step, total)}| {step}/{total} [{_short(passed)}<{rest}, {took:5.2f}s/it]"
    out.append(bars)
    sequence = 131 * step + 214
    site = "/opt/venv/lib/python3.11/site-packages"
    ranks = [rank for rank in range(8) if rank != lost]
    rng.shuffle(ranks)
    for rank in ranks:
        stamp = f"{(report + timedelta(milliseconds=rng.randrange(900))).strftime('%m%d %H:%M:%S')}.{rng.randrange(10**9):09d}"
        mark = f"[rank{rank}]:[E{stamp}"
        out += [
            f"{mark} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={sequence}, "
            "OpType=_ALLGATHER_BASE, NumelIn=27263488, "
            f"NumelOut=218107904, Timeout(ms)=600000) ran for {rng.randint(600010, 600099)} milliseconds before timing out.",
            f"{mark} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either an error or timeout) detected by "
            f"watchdog at work: {sequence}, "
            f"last enqueued NCCL work: {sequence + 1}, last completed NCCL work: {sequence - 1}.",
        ]
    first = ranks[0]
    stamp = f"{(report + timedelta(seconds=2)).strftime('%m%d %H:%M:%S')}"
    out += [
        f"[rank{first}]:[E{stamp}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:630] [Rank {first}] Some NCCL operations have failed or "
        "timed out. Due to the asynchronous nature of CUDA kernels, "
        "subsequent GPU operations might run on corrupted/incomplete data.",
        f"[rank{first}]:[E{stamp}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:636] [Rank {first}] To avoid data inconsistency, we are "
        "taking the entire process down.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank {first}] Process group watchdog thread terminated with exception: [Rank {first}] "
        "Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum={sequence}, OpType=_ALLGATHER_BASE, NumelIn=27263488, NumelOut=218107904, Timeout(ms)=600000) ran for 600052 "
        "milliseconds before timing out.",
    ]
    close = report + timedelta(seconds=16)
    tag = close.strftime("%m%d %H:%M:%S")
    pid = rng.randint(300000, 900000)
    out += [
        f"W{tag}.402000 {pid - 70} torch/distributed/elastic/multiprocessing/api.py:897] Sending process {pid} closing signal SIGTERM",
        f"E{tag}.817000 {pid - 70} torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -6) local_rank: {first % 2} "
        f"(pid: {pid + 1}) of binary: /opt/venv/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/tune", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{site}/torchtune/_cli/run.py", line 214, in _run_cmd',
        "    self._run_distributed(args, is_builtin=is_builtin)",
        f'  File "{site}/torch/distributed/launcher/api.py", line 264, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        f"{site}/recipes/full_finetune_distributed.py FAILED",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {(close - timedelta(seconds=12)).strftime('%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {hosts[first // 2]}",
        f"  rank      : {first} (local_rank: {first % 2})",
        f"  exitcode  : -6 (pid: {pid + 1})",
        "  error_file: <N/A>",
        f"  traceback : Signal 6 (SIGABRT) received by PID {pid + 1}",
        "============================================================",
        f"srun: error: {hosts[first // 2]}: task {first // 2}: Exited with exit code 1",
        "srun: Terminating StepId=553019.0",
        f"slurmstepd: error: *** STEP 553019.0 ON hop-021 CANCELLED AT {_local(end - timedelta(seconds=8))} ***",
    ]
    _write(place / "discharge-8b.553019.log", "\n".join(out))
    rows = [
        "JobID|JobName|User|Partition|State|ExitCode|Start|End|Elapsed|NodeList|AllocTRES",
        f"553019|discharge-8b|limxh|hopper|FAILED|1:0|{_local(start)}|{_local(end)}|00:55:00|hop-[021-024]|billing=8,cpu=112,gres/gpu=8,mem=960G,node=4",
    ]
    _write(place / "sacct.out", "\n".join(rows))
    for number, host in enumerate(hosts):
        lines = _chatter(rng, start - timedelta(hours=30), end, 10, _quiet(rng))
        if number == 0:
            early = start - timedelta(hours=22)
            lines += [
                (early, "mce: [Hardware Error]: Machine check events logged"),
                (early, "EDAC skx MC2: 1 CE memory read error on CPU_SrcID#1_MC#0_Chan#0_DIMM#0"),
            ]
        if number == 2:
            # The home server is away for this node; the rank waits on a read that does not come back.
            task = rng.randint(300000, 900000)
            lines.append((freeze + timedelta(seconds=58), "nfs: server 172.21.6.11 not responding, still trying"))
            lines.append((end - timedelta(seconds=17), "nfs: server 172.21.6.11 OK"))
            for k, wait in enumerate((120, 241, 362, 483), 1):
                at = freeze + timedelta(seconds=120.83 * k + 31)
                lines.append((at, f"INFO: task pt_main_thread:{task} blocked for more than {wait} seconds."))
                lines.append(
                    (at + timedelta(milliseconds=1), "      Tainted: P           OE     5.15.0-122-generic #132-Ubuntu")
                )
                lines.append(
                    (
                        at + timedelta(milliseconds=2),
                        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
                    )
                )
                lines.append(
                    (
                        at + timedelta(milliseconds=3),
                        f"task:pt_main_thread  state:D stack:    0 pid:{task} ppid:{task - 66} flags:0x00004002",
                    )
                )
                for depth, text in enumerate(
                    (
                        "Call Trace:",
                        " <TASK>",
                        " __schedule+0x24e/0x590",
                        " schedule+0x69/0x110",
                        " io_schedule+0x46/0x80",
                        " wait_on_page_bit_common+0x10c/0x3d0",
                        " filemap_read+0x36a/0xab0",
                        " nfs_file_read+0x75/0xc0 [nfs]",
                        " new_sync_read+0x10d/0x1a0",
                        " vfs_read+0x103/0x1a0",
                        " </TASK>",
                    )
                ):
                    lines.append((at + timedelta(milliseconds=4 + depth), text))
        _write(place / "dmesg" / f"{host}.txt", _kernel(lines, "iso", rng))

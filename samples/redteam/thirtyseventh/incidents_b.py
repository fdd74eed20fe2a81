"""Incidents t09 to t16 of the thirty-seventh set: logs, GPU metrics, scheduler records and kernel logs.

SIMULATED: nothing here was taken from a real job; hosts, people and numbers are invented.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from random import Random


class Load(NamedTuple):
    """What one GPU does at one moment."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    mem: float = 4.0
    watts: float = 0.0  # 0 = idle
    clock: float = 0.0  # 0 = idle clock
    why: int = 1
    link: float = 0.0  # MB/s


@dataclass(frozen=True)
class Card:
    """A GPU model."""

    name: str
    mem: int
    idle: float
    clock_idle: int
    mem_clock: int
    cool: float
    per_watt: float
    hbm: bool = True
    nvlink: bool = True
    driver: str = "570.133.20"


A6000 = Card("NVIDIA RTX A6000", 48670, 21.0, 210, 8001, 33, 0.143, hbm=False, nvlink=False, driver="550.163.01")
H200 = Card("NVIDIA H200", 143155, 76.0, 345, 3201, 27, 0.052)
A100 = Card("NVIDIA A100-SXM4-80GB", 81251, 61.0, 210, 1593, 28, 0.085, driver="550.144.03")
H100 = Card("NVIDIA H100 80GB HBM3", 81008, 69.0, 345, 2619, 26, 0.054)
L4 = Card("NVIDIA L4", 22563, 16.5, 210, 6251, 36, 0.52, hbm=False, nvlink=False, driver="535.247.01")
V100 = Card("Tesla V100-SXM2-32GB", 32494, 42.0, 135, 877, 31, 0.12, driver="535.183.06")

Series = dict[str, list[str]]


def at(text: str, hours: int) -> float:
    """Epoch seconds of a local time."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()


def local(t: float, hours: int, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    """Local time of a cluster as text."""
    return datetime.fromtimestamp(t, timezone(timedelta(hours=hours))).strftime(form)


def near(rng: Random, value: float, share: float) -> float:
    """A value with some noise."""
    return value * (1 + rng.gauss(0, share)) if value else 0.0


def uuid_of(rng: Random) -> str:
    """A GPU's UUID."""
    h = f"{rng.getrandbits(128):032x}"
    return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def measure(
    card: Card, times: Sequence[float], load_at: Callable[[float], Load], rng: Random, *, sbe: Sequence[float] = ()
) -> Series:
    """The metrics of one GPU at all times, temperature following power slowly."""
    out: dict[str, list[str]] = {}
    temp = card.cool + card.per_watt * card.idle + rng.uniform(-1.5, 2.5)
    lean = rng.gauss(0, 0.012)
    shift = rng.uniform(-2, 3)
    step = times[1] - times[0]

    def put(name: str, value: str) -> None:
        out.setdefault(name, []).append(value)

    for t in times:
        now = load_at(t)
        watts = near(rng, now.watts * (1 + lean), 0.018) if now.watts else near(rng, card.idle * (1 + lean), 0.006)
        temp += (card.cool + card.per_watt * watts + shift - temp) * (1 - math.exp(-step / 55))
        engine = min(1.0, max(0.0, near(rng, now.engine, 0.006))) if now.engine else 0.0
        put("DCGM_FI_DEV_GPU_UTIL", str(round(100 * engine)))
        put("DCGM_FI_DEV_POWER_USAGE", f"{watts:.3f}")
        put("DCGM_FI_DEV_GPU_TEMP", str(round(temp)))
        if card.hbm:
            put("DCGM_FI_DEV_MEMORY_TEMP", str(round(temp + 3 + 0.012 * watts)))
        put(
            "DCGM_FI_DEV_SM_CLOCK",
            str(round(near(rng, now.clock, 0.008 if now.why & 4 else 0) / 15) * 15 if now.clock else card.clock_idle),
        )
        put("DCGM_FI_DEV_MEM_CLOCK", str(card.mem_clock if now.clock or card.hbm else 405))
        put("DCGM_FI_DEV_FB_USED", str(round(now.mem)))
        put("DCGM_FI_DEV_FB_FREE", str(round(card.mem - now.mem)))
        put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", f"{engine:.6f}".rstrip("0").rstrip("."))
        for name, value in (("SM_ACTIVE", now.sm), ("PIPE_TENSOR_ACTIVE", now.tensor), ("DRAM_ACTIVE", now.dram)):
            put(f"DCGM_FI_PROF_{name}", f"{max(0.0, near(rng, value, 0.03)):.4f}".rstrip("0").rstrip("."))
        if card.nvlink:
            put("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", str(round(max(0.0, near(rng, now.link, 0.04)))))
        put("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", str(now.why))
        put("DCGM_FI_DEV_XID_ERRORS", "0")
        put("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", str(sum(s <= t for s in sbe)))
        put("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "0")
    return out


@dataclass
class Gpu:
    """One GPU's labels and series."""

    host: str
    index: int
    uuid: str
    card: Card
    series: Series
    extra: dict[str, str]
    held: tuple[float, float] = (0.0, 0.0)

    def labels(self, name: str, *, held: bool) -> dict[str, str]:
        """The labels of one series, those of the job only while it had the GPU."""
        bus = f"00000000:{(0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)[self.index]:02X}:00.0"
        return {
            "__name__": name, "DCGM_FI_DRIVER_VERSION": self.card.driver, "Hostname": self.host, "UUID": self.uuid,
            "device": f"nvidia{self.index}", "gpu": str(self.index), "instance": f"{self.host}:9400",
            "job": "dcgm-exporter", "modelName": self.card.name, "pci_bus_id": bus, **(self.extra if held else {}),
        }  # fmt: skip


def result(gpus: Iterable[Gpu], times: Sequence[float], names: Iterable[str], every: int = 1) -> str:
    """A query_range answer."""
    rows = []
    for name in names:
        for gpu in gpus:
            pairs = [[int(t), v] for t, v in zip(times, gpu.series[name], strict=True)][::every]
            for held in (False, True):
                values = [p for p in pairs if (gpu.held[0] <= int(p[0]) < gpu.held[1]) == held]
                if values:
                    rows.append({"metric": gpu.labels(name, held=held), "values": values})
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": rows}}, separators=(",", ":"))


def grid(start: float, end: float, step: int) -> list[float]:
    """Times of a query_range."""
    first = start // step * step
    return [first + step * i for i in range(int((end - first) / step) + 1)]


BOOT = (
    "Linux version 5.15.0-139-generic (buildd@lcy02-amd64-067) (gcc (Ubuntu 11.4.0) 11.4.0) #149-Ubuntu SMP",
    "Command line: BOOT_IMAGE=/boot/vmlinuz-5.15.0-139-generic root=/dev/mapper/vg0-root ro iommu=pt",
    "x86/fpu: Supporting XSAVE feature 0x001: 'x87 floating point registers'",
    "nvidia: loading out-of-tree module taints kernel.",
    "nvidia-nvlink: Nvlink Core is being initialized, major device number 234",
    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {driver}",
    "nvidia-uvm: Loaded the UVM driver, major device number 511.",
    "IPv6: ADDRCONF(NETDEV_CHANGE): eno1: link becomes ready",
)

Line = tuple[float, str]


def booted(when: float, card: Card) -> list[Line]:
    """The kernel's first lines."""
    return [(when + 1.7 * i * i * 0.4, text.format(driver=card.driver)) for i, text in enumerate(BOOT)]


def kernel(lines: Iterable[Line], form: str, host: str, hours: int, boot: float, rng: Random) -> str:
    """Kernel lines in one of the usual forms."""
    out = []
    for t, text in sorted((t + rng.random(), text) for t, text in lines):
        up = f"{t - boot:12.6f}"
        micro = int(t % 1 * 1_000_000)
        if form == "iso":
            zone = f"{'-' if hours < 0 else '+'}{abs(hours):02d}:00"
            out.append(f"{local(t, hours)},{micro:06d}{zone} {text}")
        elif form == "dmesg":
            out.append(f"[{up}] {text}")
        elif form == "dmesg -T":
            out.append(f"[{local(t, hours, '%a %b %e %H:%M:%S %Y')}] {text}")
        elif form == "journalctl":
            out.append(f"{local(t, hours, '%b %d %H:%M:%S')} {host} kernel: {text}")
        else:
            out.append(f"{local(t, hours, '%b %e %H:%M:%S')} {host} kernel: [{up}] {text}")
    return "\n".join(out) + "\n"


def write(place: Path, name: str, text: str) -> None:
    """Write one file."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def columns(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    """A table as sacct prints it, right-aligned but for the job's id."""
    lines = []
    for row in (rows[0], ["-" * w for w in widths], *rows[1:]):
        cells = (
            f"{(v if len(v) <= w else v[: w - 1] + '+'):<{w}}"
            if i == 0
            else f"{(v if len(v) <= w else v[: w - 1] + '+'):>{w}}"
            for i, (v, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append(" ".join(cells) + " ")
    return "\n".join(lines) + "\n"


def falling(step: float, start: float, floor: float, scale: float) -> float:
    """A loss curve."""
    return floor + (start - floor) / (1 + step / scale) ** 0.6


def hms(seconds: float) -> str:
    """Elapsed time as Slurm writes it."""
    s = round(seconds)
    return f"{s // 3600:02d}:{s % 3600 // 60:02d}:{s % 60:02d}"


def t09_aerial(place: Path, rng: Random) -> None:
    """Logs of two pods stop; what became of the pods was not kept."""
    start = at("2026-10-14 06:02:40", 0)
    first, stop = start + 212, start + 111 * 60 + 9
    hosts = ("ws-k8s-03", "ws-k8s-07")
    per, epochs, took = 590, 24, 0.778
    logs: list[list[str]] = [[], []]
    for pod in (0, 1):
        say = logs[pod].append
        say(f"[entry] {local(start + 3 + pod, 0)}Z node {pod}/2 master=aerial-dino-0.aerial-dino.vision.svc:29500")
        say("[entry] pip freeze > /out/env.txt ... ok")
        for r in (0, 1):
            g = 2 * pod + r
            say(
                f"{local(start + 31 + r, 0, '%m-%d %H:%M:%S')} r{g} | init_process_group nccl world=4 ok, cuda:{r} RTX A6000"
            )
            say(
                f"{local(start + 58 + r, 0, '%m-%d %H:%M:%S')} r{g} | {37760 // 4} tiles in my shard, {per} it/epoch, {epochs} epochs"
                f" -> {per * epochs} it in all"
            )
    t, it = first, 0
    while True:
        epoch, n = divmod(it, per)
        if it % 20 == 0:
            if t > stop - 4:
                break
            base = falling(it, 9.2, 3.1, 900)
            for pod in (0, 1):
                for r in (0, 1):
                    logs[pod].append(
                        f"{local(t + rng.random(), 0, '%m-%d %H:%M:%S')} r{2 * pod + r} | ep {epoch:02d} it {n:03d}/{per} |"
                        f" loss {near(rng, base, 0.02):.4f} | lr {2e-4 * min(1, (it + 1) / 1500) * (0.5 + 0.5 * math.cos(math.pi * it / per / epochs)):.3e}"
                        f" | {near(rng, 16 / took, 0.01):.1f} tile/s | mem {38.4 + 0.1 * r:.1f}G"
                    )
        it += 1
        t += near(rng, took, 0.02)
        if it % per == 0:
            logs[0].append(
                f"{local(t + 11, 0, '%m-%d %H:%M:%S')} r0 | ep {epoch:02d} done, knn@20 {0.31 + 0.34 * (1 - math.exp(-it / 3600)):.4f},"
                f" wrote /out/ckpt/ep{epoch:02d}.pt (1.31 GB)"
            )
            t += 18
    for pod in (0, 1):
        write(place, f"aerial-dino-{pod}.log", "\n".join(logs[pod]) + "\n")

    def load(t: float) -> Load:
        if t < start + 34 or t > stop:
            return Load(mem=11)
        if t < first:
            return Load(mem=1290, watts=72, clock=1800, why=0, engine=0.0)
        if (t - first) % (per * took + 18) > per * took + 1:
            return Load(0.42, 0.3, 0.1, 0.2, 40110, 168, 1800, 0)
        return Load(0.985, 0.78, 0.31, 0.49, 40110, 297, 1590, 4)

    times = grid(start - 600, stop + 900, 15)
    gpus = []
    for i in (0, 1):
        mark = {"namespace": "vision", "pod": "aerial-dino-0", "container": "train"}
        gpus.append(
            Gpu(hosts[0], i, uuid_of(rng), A6000, measure(A6000, times, load, rng), mark, (start - 9, stop + 6))
        )
    for name in gpus[0].series:
        write(place, f"prom/{name}.json", result(gpus, times, [name]))
    write(
        place,
        "kubectl.txt",
        f"""\
$ date -u
Wed Oct 14 07:19:26 UTC 2026
$ kubectl -n vision get pods -o wide
NAME            READY   STATUS    RESTARTS   AGE   IP             NODE        NOMINATED NODE   READINESS GATES
aerial-dino-0   1/1     Running   0          76m   10.42.3.118    {hosts[0]}   <none>           <none>
aerial-dino-1   1/1     Running   0          76m   10.42.7.64     {hosts[1]}   <none>           <none>
tile-cache-0    1/1     Running   0          19d   10.42.1.20     ws-k8s-01   <none>           <none>
$ kubectl -n vision get events
No resources found in vision namespace.

$ date -u
Thu Oct 15 08:51:03 UTC 2026
$ kubectl -n vision get pods -o wide
NAME            READY   STATUS    RESTARTS   AGE   IP             NODE        NOMINATED NODE   READINESS GATES
tile-cache-0    1/1     Running   0          20d   10.42.1.20     ws-k8s-01   <none>           <none>
$ kubectl -n vision describe pod aerial-dino-0
Error from server (NotFound): pods "aerial-dino-0" not found
$ kubectl -n vision get events
No resources found in vision namespace.
$ kubectl get nodes
NAME        STATUS   ROLES                AGE    VERSION
ws-k8s-01   Ready    control-plane,etcd   412d   v1.31.7+rke2r1
{hosts[0]}   Ready    <none>               412d   v1.31.7+rke2r1
{hosts[1]}   Ready    <none>               398d   v1.31.7+rke2r1
""",
    )
    for n, host in enumerate(hosts):
        boot = at("2026-09-25 05:11:08", 0) + 900 * n
        lines = booted(boot, A6000)
        lines += [
            (
                start - 7000 + 1900 * i + rng.randrange(600),
                f"[UFW BLOCK] IN=eno1 OUT= SRC=10.12.0.{rng.randrange(2, 250)} DST=10.12.0.{33 + n}"
                f" LEN=44 TOS=0x00 PREC=0x00 TTL=64 ID={rng.randrange(65535)} PROTO=TCP SPT=51211 DPT=9100 WINDOW=1024 SYN",
            )
            for i in range(11)
        ]
        lines += [(start - 400 - 30 * n, "EXT4-fs (nvme1n1p1): re-mounted. Opts: (null). Quota mode: none.")]
        write(place, f"kern/{host}.kern.log", kernel(lines, "syslog", host, 0, boot, rng))


def t10_longctx(place: Path, rng: Random) -> None:
    """A run that was longer than its time limit."""
    z = -8
    start = at("2026-11-03 20:41:17", z)
    end = start + 9000 + 22
    hosts = [f"h2c-{n:03d}" for n in (14, 15, 16, 21)]
    total, took = 9000, 1.412
    out = [
        "+ export OMP_NUM_THREADS=8", "+ OMP_NUM_THREADS=8",
        "+ srun --cpu-bind=none --kill-on-bad-exit=1 python -u pretrain.py --cfg cfgs/longctx_1b3.yaml", "",
    ]  # fmt: skip

    def say(t: float, who: str, text: str, level: str = "INFO") -> None:
        out.append(f"{local(t, z, '%Y-%m-%d %H:%M:%S')},{rng.randrange(1000):03d} {level:<7} {who:<10} {text}")

    say(start + 26, "launch", f"8 ranks on {','.join(hosts)}; backend nccl; rank 0 is {hosts[0]}")
    say(start + 41, "data", "2,118 packed shards, 36.9B tokens, ctx 16384, seed 77")
    say(start + 63, "model", "1.31B params, bf16, flash-attn 3, activation checkpointing every 2nd block")
    say(
        start + 64,
        "trainer",
        f"no checkpoint in /scratch/jwu/longctx/run_d, starting at step 0, will do {total} steps, ckpt every 1000",
    )
    t, step = start + 97.0, 0
    first = t
    saves: list[float] = []
    while t < start + 9000 - 2:
        step += 1
        t += near(rng, took, 0.015)
        if step % 25 == 0:
            lr = 4e-4 * min(1, step / 500) * (0.55 + 0.45 * math.cos(math.pi * step / total))
            say(
                t,
                "trainer",
                f"step {step:>5d}/{total} | loss {near(rng, falling(step, 10.9, 2.05, 70), 0.008):.4f} | gnorm {near(rng, 0.41, 0.15):.3f}"
                f" | lr {lr:.2e} | {near(rng, 8 * 2 * 16384 / took, 0.01):,.0f} tok/s | peak 118.7 GiB",
            )
        if step % 1000 == 0:
            saves.append(t)
            t += 13
            say(t, "ckpt", f"saved /scratch/jwu/longctx/run_d/step_{step:06d} in {near(rng, 12.6, 0.03):.1f}s")
        if step % 1500 == 0:
            say(
                t + 21,
                "eval",
                f"val loss {falling(step, 10.9, 2.09, 70):.4f} ppl {math.exp(falling(step, 10.9, 2.09, 70)):.2f}",
            )
            t += 22
    say_last = local(start + 9001, z)
    out += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** JOB 884213 ON {hosts[0]} CANCELLED AT {say_last} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** STEP 884213.0 ON {hosts[0]} CANCELLED AT {say_last} DUE TO TIME LIMIT ***",
    ]
    write(place, "slurm-884213.out", "\n".join(out) + "\n")

    def load(t: float) -> Load:
        if t < start + 22 or t > end - 14:
            return Load()
        if t < first:
            return Load(0.02, 0.01, 0, 0.01, 3400, 122, 1980, 0)
        if t > start + 9000:
            return Load(0.3, 0.05, 0, 0.02, 123400, 160, 1980, 0)
        if any(s <= t < s + 12 for s in saves):
            return Load(0.05, 0.02, 0, 0.03, 123400, 140, 1980, 0)
        return Load(0.99, 0.86, 0.47, 0.44, 123400, 622, 1965, 0, 9400)

    times = grid(start - 480, end + 720, 15)
    gpus = [
        Gpu(h, i, uuid_of(rng), H200, measure(H200, times, load, rng), {})
        for h in hosts[:2] + hosts[3:]
        for i in (0, 1)
    ]
    for name in gpus[0].series:
        write(place, f"metrics/{name}.json", result(gpus, times, [name]))
    write(
        place,
        "sacct.txt",
        "JobID|JobName|User|Partition|State|ExitCode|Submit|Start|End|Elapsed|Timelimit|NNodes|NodeList|AllocTRES\n"
        f"884213|longctx_d|jwu|h200|TIMEOUT|0:0|{local(start - 1341, z)}|{local(start, z)}|{local(end, z)}|{hms(end - start)}|02:30:00|4|h2c-[014-016,021]|"
        "billing=192,cpu=192,gres/gpu:h200=8,gres/gpu=8,mem=1600G,node=4\n",
    )
    for n, host in enumerate(hosts):
        boot = at("2026-10-28 03:30:41", z) + 37 * n
        lines = booted(boot, H200)
        lines += [
            (
                start - 3600 + rng.randrange(16000),
                "perf: interrupt took too long (2513 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
            ),
            (
                start - 9000 + 60 * n,
                "Lustre: 4127:0:(client.c:2310:ptlrpc_expire_one_request()) Skipped 3 previous similar messages",
            ),
            (
                end + 320,
                "Lustre: scratch-OST002f-osc-ff3a1: Connection restored to 10.18.0.47@o2ib (at 10.18.0.47@o2ib)",
            ),
        ]
        write(place, f"journal_{host}.txt", kernel(lines, "journalctl", host, z, boot, rng))


def t11_grpo(place: Path, rng: Random) -> None:
    """GRPO on two machines joined by the office network."""
    z = -8
    start = at("2026-09-22 09:14:50", z)
    hosts = ("rl-a100-1", "rl-a100-2")
    first = start + 338
    steps: list[tuple[float, float, float, float, float]] = []
    t = first
    for _ in range(60):
        gen, score, back, sync = (
            near(rng, 11.6, 0.08),
            near(rng, 2.3, 0.05),
            near(rng, 5.9, 0.04),
            near(rng, 101.5, 0.012),
        )
        steps.append((t, gen, score, back, sync))
        t += gen + score + back + sync + 1.2
    done = t
    end = start + 129 * 60 + 14
    out = [
        "submitting host: login2   nodes: rl-a100-[1-2]   MASTER_ADDR=rl-a100-1",
        "+ srun --label=0 accelerate launch --num_machines 2 --num_processes 2 --machine_rank $SLURM_NODEID grpo_math.py --config cfg/q3b.yaml",
    ]
    for r, h in enumerate(hosts):
        p = 21077 + 410 * r
        out += [
            f"{h}:{p}:{p} [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eno1",
            f"{h}:{p}:{p} [0] NCCL INFO Bootstrap: Using eno1:10.40.2.{17 + r}<0>",
            f"{h}:{p}:{p} [0] NCCL INFO cudaDriverVersion 12040",
            f"{h}:{p}:{p + 92} [0] NCCL INFO NET/IB : No device found.",
            f"{h}:{p}:{p + 92} [0] NCCL INFO NET/Socket : Using [0]eno1:10.40.2.{17 + r}<0>",
            f"{h}:{p}:{p + 92} [0] NCCL INFO Using network Socket",
            f"{h}:{p}:{p + 92} [0] NCCL INFO ncclCommInitRank comm 0x55d0e1{r}7a40 rank {r} nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x3fd1b07ac2219e55 - Init START",
            f"{h}:{p}:{p + 92} [0] NCCL INFO Channel 00/0 : {1 - r}[0] -> {r}[0] [receive] via NET/Socket/0",
            f"{h}:{p}:{p + 92} [0] NCCL INFO Channel 00/0 : {r}[0] -> {1 - r}[0] [send] via NET/Socket/0",
            f"{h}:{p}:{p + 92} [0] NCCL INFO ncclCommInitRank comm 0x55d0e1{r}7a40 rank {r} nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x3fd1b07ac2219e55 - Init COMPLETE",
        ]
    clock = "%H:%M:%S"
    out.append(
        f"[{local(start + 301, z, clock)}] policy Qwen/Qwen2.5-3B-Instruct in fp32 (amp bf16), 3.09B trainable, 60 steps, 8 prompts x 8 completions per rank"
    )
    for i, (t0, gen, score, back, sync) in enumerate(steps, 1):
        e = t0 + gen + score + back + sync + 1.2
        for r in (0, 1):
            out.append(
                f"[{local(e, z, clock)}] rank{r} timing step {i}: generate {near(rng, gen, 0.01):.1f}s logps {score:.1f}s fwd+bwd {back:.1f}s"
                f" grad_allreduce {near(rng, sync, 0.003):.1f}s opt 1.2s"
            )
        rew = 0.21 + 0.52 * (1 - math.exp(-i / 26)) + rng.gauss(0, 0.025)
        length = 181 + 40 * math.exp(-i / 15) + rng.gauss(0, 6)
        out.append(str({
            "loss": f"{rng.gauss(0.004, 0.012):.4g}", "grad_norm": f"{near(rng, 0.38, 0.12):.4g}", "learning_rate": f"{1e-6 * (1 - (i - 1) / 60):.4g}",
            "num_tokens": f"{i * 16 * 8 * 291}", "completions/mean_length": f"{length:.4g}", "completions/max_length": "256",
            "completions/clipped_ratio": f"{0.09 + rng.random() * 0.05:.4g}", "rewards/exact_answer/mean": f"{rew:.4g}",
            "rewards/exact_answer/std": f"{near(rng, 0.43, 0.05):.4g}", "reward": f"{rew:.4g}", "reward_std": f"{near(rng, 0.27, 0.08):.4g}",
            "frac_reward_zero_std": f"{rng.choice((0, 0.0625, 0.125, 0.1875))}", "entropy": f"{0.42 - 0.002 * i + rng.gauss(0, 0.01):.4g}",
            "step_time": f"{e - t0:.4g}", "epoch": f"{i / 60:.4g}",
        }))  # fmt: skip
    out.append(
        str(
            {
                "train_runtime": f"{done - first:.4g}",
                "train_samples_per_second": f"{60 * 128 / (done - first):.4g}",
                "train_steps_per_second": f"{60 / (done - first):.4g}",
                "train_loss": "0.004117",
                "epoch": "1",
            }
        )
    )
    out += [f"[{local(done + 48, z, clock)}] saved /home/mlee/rl/out/q3b_final, bye"]
    write(place, "grpo-51877.log", "\n".join(out) + "\n")

    def load(t: float) -> Load:
        if t < start + 40 or t > done + 55:
            return Load(mem=4)
        if t < first:
            return Load(0, 0, 0, 0, 13100, 84, 1410, 0)
        for t0, gen, score, back, sync in steps:
            if t0 <= t < t0 + gen:
                return Load(0.93, 0.5, 0.1, 0.55, 71400, 262, 1410, 0)
            if t < t0 + gen + score + back:
                return Load(0.99, 0.83, 0.5, 0.5, 71400, 371, 1410, 0)
            if t < t0 + gen + score + back + sync:
                return Load(1.0, 0.02, 0, 0.01, 71400, 101, 1410, 0)
            if t < t0 + gen + score + back + sync + 1.2:
                return Load(0.98, 0.7, 0, 0.8, 71400, 290, 1410, 0)
        return Load(0, 0, 0, 0, 71400, 86, 1410, 0)

    for n, host in enumerate(hosts):
        times = [t + 0.3 + 0.9 * n for t in grid(start - 420, end + 600, 15)]
        series = measure(A100, times, load, rng)
        rows = [
            "timestamp, index, name, pci.bus_id, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W],"
            " clocks.current.sm [MHz], temperature.gpu, clocks_event_reasons.active, ecc.errors.uncorrected.volatile.total"
        ]
        for i, t in enumerate(times):
            if start + 2100 < t < start + 2420 or start + 5330 + 40 * n < t < start + 5800 or rng.random() < 0.02:
                continue
            stamp = local(t, z, "%Y/%m/%d %H:%M:%S") + f".{rng.randrange(1000):03d}"
            get = {k: v[i] for k, v in series.items()}
            rows.append(
                f"{stamp}, 0, {A100.name}, 00000000:18:00.0, {get['DCGM_FI_DEV_GPU_UTIL']} %, {round(100 * float(get['DCGM_FI_PROF_DRAM_ACTIVE']))} %,"
                f" {get['DCGM_FI_DEV_FB_USED']} MiB, 81920 MiB, {float(get['DCGM_FI_DEV_POWER_USAGE']):.2f} W, {get['DCGM_FI_DEV_SM_CLOCK']} MHz,"
                f" {get['DCGM_FI_DEV_GPU_TEMP']}, 0x{int(get['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS']):016x}, 0"
            )
        write(place, f"smi/{host}.csv", "\n".join(rows) + "\n")
    s, e, el = local(start, z), local(end, z), hms(end - start)
    write(
        place,
        "sacct_51877.txt",
        "\n".join(
            [
                "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|NTasks|NodeList|MaxRSS|AllocTRES",
                f"51877|grpo_q3b|rl|COMPLETED|0:0|{s}|{e}|{el}|06:00:00|2||rl-a100-[1-2]||billing=32,cpu=32,gres/gpu=2,mem=400G,node=2",
                f"51877.batch|batch||COMPLETED|0:0|{s}|{e}|{el}||1|1|rl-a100-1|9120K|cpu=16,gres/gpu=1,mem=200G,node=1",
                f"51877.extern|extern||COMPLETED|0:0|{s}|{e}|{el}||2|2|rl-a100-[1-2]|0|billing=32,cpu=32,gres/gpu=2,mem=400G,node=2",
                f"51877.0|accelerate||COMPLETED|0:0|{local(start + 2, z)}|{local(end - 1, z)}|{hms(end - start - 3)}||2|2|rl-a100-[1-2]|41877312K|cpu=32,gres/gpu=2,mem=400G,node=2",
            ]
        )
        + "\n",
    )
    for n, host in enumerate(hosts):
        boot = at("2026-09-18 16:02:10", z) + 140 * n
        lines = booted(boot, A100)
        lines += [
            (boot + 31, "igb 0000:01:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX"),
            (boot + 33, "mlx5_core 0000:41:00.0: Port module event: module 0, Cable unplugged"),
            (
                start - 5000 - 80 * n,
                "systemd-journald[811]: Data hash table of /run/log/journal has a fill level at 75.1, suggesting rotation.",
            ),
        ]
        write(place, f"dmesg/{host}.txt", kernel(lines, "iso", host, z, boot, rng))


def t12_anneal(place: Path, rng: Random) -> None:
    """An ordinary run of which the log was not kept; the kernel's words sound worse than they are."""
    start = at("2026-10-05 11:20:33", 0)
    end = start + 126 * 60 + 11
    host = "atlas-gn07"
    first = start + 171
    last = end - 96

    def load(t: float) -> Load:
        if t < start + 29 or t > end - 7:
            return Load()
        if t < first:
            return Load(0.04, 0.02, 0, 0.02, 2900 if t < start + 80 else 21900, 119, 1980, 0)
        if t > last:
            return Load(0.02, 0.01, 0, 0.02, 66240, 126, 1980, 0)
        if (t - first) % 1450 > 1427:
            return Load(0.06, 0.03, 0, 0.04, 66240, 141, 1980, 0)
        if (t - first) % 2900 < 34 and t > first + 100:
            return Load(0.96, 0.7, 0.37, 0.4, 66240, 503, 1980, 0, 2100)
        return Load(0.992, 0.88, 0.49, 0.42, 66240, 641, 1890, 0, 31800)

    times = grid(start - 600, end + 840, 15)
    gpus = [Gpu(host, i, uuid_of(rng), H100, measure(H100, times, load, rng), {}) for i in (2, 3)]
    for name in gpus[0].series:
        write(place, f"{name}.json", result(gpus, times, [name]))
    rows = [
        [
            "JobID",
            "JobName",
            "Partition",
            "Account",
            "AllocCPUS",
            "State",
            "ExitCode",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "NodeList",
        ],
        [
            "1320955",
            "olmo1b-anneal-s3",
            "gpu-h100",
            "nlp-pre",
            "48",
            "COMPLETED",
            "0:0",
            local(start, 0),
            local(end, 0),
            hms(end - start),
            "08:00:00",
            host,
        ],
        [
            "1320955.bat+",
            "batch",
            "",
            "nlp-pre",
            "48",
            "COMPLETED",
            "0:0",
            local(start, 0),
            local(end, 0),
            hms(end - start),
            "",
            host,
        ],
        [
            "1320955.ext+",
            "extern",
            "",
            "nlp-pre",
            "48",
            "COMPLETED",
            "0:0",
            local(start, 0),
            local(end, 0),
            hms(end - start),
            "",
            host,
        ],
        [
            "1320955.0",
            "torchrun",
            "",
            "nlp-pre",
            "48",
            "COMPLETED",
            "0:0",
            local(start + 3, 0),
            local(end - 1, 0),
            hms(end - start - 4),
            "",
            host,
        ],
    ]
    write(place, "sacct.out", columns(rows, [12, 18, 10, 10, 10, 10, 8, 19, 19, 10, 10, 15]))
    boot = at("2026-10-01 06:40:19", 0)
    lines = booted(boot, H100)
    lines += [
        (
            boot + 4,
            "ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PC00.LPC0.SIO1], AE_NOT_FOUND (20210730/dswload2-162)",
        ),
        (boot + 5, "ACPI Error: AE_NOT_FOUND, During name lookup/catalog (20210730/psobject-220)"),
        (boot + 9, "ERST: Error Record Serialization Table (ERST) support is initialized."),
        (boot + 21, "nvidia: module verification failed: signature and/or required key missing - tainting kernel"),
        (boot + 22, "NVRM: failed to register the optional GPUDirect storage hook, continuing without it"),
        (start + 1504, "EDAC skx MC4: HANDLING MCE MEMORY ERROR"),
        (
            start + 1504,
            "EDAC MC4: 1 CE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1f3a77 offset:0x40 grain:32 syndrome:0x0)",
        ),
        (start + 3311, "usb 1-14.1: device descriptor read/64, error -110"),
        (start + 3316, "usb 1-14.1: device not accepting address 9, error -71"),
        (start + 5220, "nvme nvme3: I/O 512 QID 9 timeout, completion polled"),
        (
            start + 6100,
            'audit: type=1400 apparmor="DENIED" operation="open" profile="/usr/sbin/sssd" name="/proc/41177/cmdline" comm="sssd_nss"',
        ),
        (end + 400, "systemd[1]: logrotate.service: Failed with result 'exit-code'."),
    ]
    write(place, f"{host}-kern.log", kernel(lines, "syslog", host, 0, boot, rng))


def t13_docenc(place: Path, rng: Random) -> None:
    """Eight ranks of a Lightning job; one stops taking part."""
    start = at("2026-10-21 13:05:22", 0)
    host = "dgx-b-04"
    first = start + 121
    freeze = start + 97 * 60 + 4.3862
    abort = freeze + 1800 + 1.714
    end = start + 127 * 60 + 16
    per, took = 2600, 0.818
    out: list[str] = []
    said = [0.0]

    def stamp(t: float, form: str) -> str:
        return local(t, 0, form) + f".{int(t % 1 * 1e6):06d}{rng.randrange(1000):03d}"

    def say(t: float, text: str) -> None:
        said[0] = max(said[0] + 0.0002, t + rng.uniform(0.0005, 0.004))
        out.append(f"{stamp(said[0], '%Y-%m-%dT%H:%M:%S')}Z {text}")

    say(start + 4, "INFO: Using bfloat16 Automatic Mixed Precision (AMP)")
    say(start + 5, "INFO: GPU available: True (cuda), used: True")
    say(start + 5, "INFO: TPU available: False, using: 0 TPU cores")
    for r in range(8):
        say(start + 14 + r * 0.7, f"INFO: Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/8")
    for text in (
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 8 processes",
        "-" * 100,
    ):
        say(start + 22, text)
    for r in range(8):
        say(start + 41 + r / 9, f"INFO: LOCAL_RANK: {r} - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]")
    for text in (
        "  | Name    | Type              | Params | Mode ",
        "-" * 52,
        "0 | encoder | DocEncoder        | 434 M  | train",
        "1 | head    | ContrastiveHead   | 2.1 M  | train",
        "-" * 52,
        "436 M     Trainable params",
        "0         Non-trainable params",
        "436 M     Total params",
        "1,744.512 Total estimated model params size (MB)",
    ):
        say(start + 52, text)
    say(start + 54, f"[docenc] fit: max_epochs=8, {per} batches an epoch and rank, batch 8x48, val every epoch")
    say(start + 70, "Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:01<00:00,  1.52it/s]")
    t, step = first, 0
    vals: list[float] = []
    while t < freeze - took:
        step += 1
        t += near(rng, took, 0.02)
        epoch, n = divmod(step - 1, per)
        if step % 50 == 0:
            gone = (n + 1) * took
            left = (per - n - 1) * took
            share = (n + 1) / per
            say(
                t,
                f"Epoch {epoch}: {round(100 * share):3d}%|{('█' * int(10 * share)).ljust(10)}| {n + 1}/{per} [{int(gone // 60):02d}:{int(gone % 60):02d}"
                f"<{int(left // 60):02d}:{int(left % 60):02d},  {near(rng, 1 / took, 0.01):.2f}it/s, v_num=k3, train/loss={near(rng, falling(step, 6.2, 0.44, 260), 0.03):.3f}]",
            )
        if step % per == 0:
            vals.append(t)
            say(t + 31, "Validation DataLoader 0: 100%|██████████| 120/120 [00:30<00:00,  3.98it/s]")
            t += 34
            say(
                t,
                f"INFO: Epoch {epoch}, global step {step}: 'val/recall10' reached {0.61384 + 0.06917 * epoch:.5f} (best {0.61384 + 0.06917 * epoch:.5f}), saving model to"
                f" '/ckpt/docenc/epoch={epoch}-step={step}.ckpt' as top 2",
            )
            t += 6
    seq = 41 + step * 19 + 7
    date = local(abort, 0, "%m%d")
    for k, r in enumerate((3, 0, 7, 1, 6, 2, 4)):
        w = abort + 0.093 * k + rng.uniform(0, 0.08)
        pre = f"[rank{r}]:[E{date} {stamp(w, '%H:%M:%S')} ProcessGroupNCCL.cpp:"
        say(
            w,
            f"{pre}685] [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26216448, NumelOut=26216448,"
            f" Timeout(ms)=1800000) ran for {1800000 + rng.randrange(20, 96)} milliseconds before timing out.",
        )
        say(
            w,
            f"{pre}2252] [PG ID 0 PG GUID 0(default_pg) Rank {r}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 11},"
            f" last completed work: {seq - 1}",
        )
    for k, r in enumerate((3, 0, 7, 1, 6, 2, 4)):
        w = abort + 2.2 + 0.087 * k + rng.uniform(0, 0.08)
        pre = f"[rank{r}]:[E{date} {stamp(w, '%H:%M:%S')} ProcessGroupNCCL.cpp:"
        say(
            w,
            f"{pre}739] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on"
            " corrupted/incomplete data.",
        )
        say(w, f"{pre}753] To avoid data inconsistency, we are taking the entire process down.")
        if r == 0:
            say(w + 1, "terminate called after throwing an instance of 'c10::DistBackendError'")
            say(
                w + 1,
                f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank 0] Process group watchdog thread terminated with exception: [Rank 0] Watchdog caught collective operation"
                f" timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26216448, NumelOut=26216448, Timeout(ms)=1800000) ran for 1800041 milliseconds before timing out.",
            )
    say(
        end - 2,
        "/entry.sh: line 14:    31 Aborted                 (core dumped) python -m docenc.fit --config conf/de_large.yaml",
    )
    write(place, "docenc-large-7xk2p.log", "\n".join(out) + "\n")

    def load_of(rank: int) -> Callable[[float], Load]:
        def load(t: float) -> Load:
            if t < start + 24 or t > end - 9:
                return Load()
            if t < first:
                return Load(0.02, 0.01, 0, 0.01, 4100, 121, 1980, 0)
            if t < freeze:
                if any(v <= t < v + 33 for v in vals):
                    return Load(0.9, 0.6, 0.26, 0.36, 58800, 420, 1980, 0, 900)
                if any(v + 33 <= t < v + 40 for v in vals):
                    return Load(0.02, 0.01, 0, 0, 58800, 124, 1980, 0)
                return Load(0.97, 0.81, 0.41, 0.46, 58800, 578, 1935, 0, 52000)
            if t > abort + 2:
                return Load(0, 0, 0, 0, 58800, 118, 1980, 0)
            return (
                Load(0, 0, 0, 0, 58800, 117, 1980, 0) if rank == 5 else Load(1.0, 0.11, 0, 0.003, 58800, 184, 1980, 0)
            )

        return load

    times = grid(start - 480, end + 600, 15)
    mark = {"namespace": "search", "pod": "docenc-large-7xk2p", "container": "fit"}
    gpus = [
        Gpu(host, i, uuid_of(rng), H100, measure(H100, times, load_of(i), rng), mark, (start - 14, end + 2))
        for i in range(8)
    ]
    for name in gpus[0].series:
        write(place, f"dcgm/{name}.json", result(gpus, times, [name]))
    write(
        place,
        "describe_job_2026-10-19.txt",
        """\
Name:             docenc-large
Namespace:        search
Labels:           team=search
Parallelism:      1
Completions:      1
Start Time:       Mon, 19 Oct 2026 07:44:10 +0000
Pods Statuses:    0 Active (0 Ready) / 0 Succeeded / 1 Failed
Events:
  Type     Reason                Age   From            Message
  ----     ------                ----  ----            -------
  Normal   SuccessfulCreate      41m   job-controller  Created pod: docenc-large-m4tdc
  Warning  BackoffLimitExceeded  88s   job-controller  Job has reached the specified backoff limit

Name:         docenc-large-m4tdc
Node:         dgx-b-02/10.60.4.12
Status:       Failed
Containers:
  fit:
    State:          Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Mon, 19 Oct 2026 07:44:31 +0000
      Finished:     Mon, 19 Oct 2026 08:23:49 +0000
    Limits:
      memory:          256Gi
      nvidia.com/gpu:  8
""",
    )
    write(
        place,
        "describe_job_2026-10-21.txt",
        f"""\
Name:             docenc-large
Namespace:        search
Labels:           team=search
Parallelism:      1
Completions:      1
Start Time:       {local(start - 14, 0, "%a, %d %b %Y %H:%M:%S")} +0000
Pods Statuses:    0 Active (0 Ready) / 0 Succeeded / 1 Failed
Events:
  Type     Reason                Age   From            Message
  ----     ------                ----  ----            -------
  Warning  BackoffLimitExceeded  12m   job-controller  Job has reached the specified backoff limit

Name:             docenc-large-7xk2p
Namespace:        search
Node:             {host}/10.60.4.14
Start Time:       {local(start - 14, 0, "%a, %d %b %Y %H:%M:%S")} +0000
Status:           Failed
Containers:
  fit:
    Image:          registry.int/search/docenc:2.8.0-pl2.5
    State:          Terminated
      Reason:       Error
      Exit Code:    134
      Started:      {local(start, 0, "%a, %d %b %Y %H:%M:%S")} +0000
      Finished:     {local(end, 0, "%a, %d %b %Y %H:%M:%S")} +0000
    Ready:          False
    Restart Count:  0
    Limits:
      memory:          900Gi
      nvidia.com/gpu:  8
QoS Class:       Guaranteed
Node-Selectors:  nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3
Events:          <none>
""",
    )
    boot = at("2026-10-12 09:20:02", 0)
    lines = booted(boot, H100)
    lines += [
        (start - 14, "eth0: renamed from tmp7f2c1"),
        (
            start - 9000,
            "overlayfs: fs on '/var/lib/containerd/tmpmounts' does not support file handles, falling back to xino=off.",
        ),
        (
            start + 2210,
            "perf: interrupt took too long (3141 > 3138), lowering kernel.perf_event_max_sample_rate to 63500",
        ),
    ]
    write(place, f"journal-k_{host}.txt", kernel(lines, "journalctl", host, 0, boot, rng))


def t14_intent(place: Path, rng: Random) -> None:
    """A program leaves with code 1 and its reason went elsewhere."""
    z = -6
    start = at("2026-09-08 15:31:02", z)
    first, end = start + 44, start + 23 * 60 + 17
    host = "gpu-l4-07"
    out: list[str] = []

    def say(t: float, level: str, event: str, **more: object) -> None:
        out.append(
            json.dumps({"ts": f"{local(t, z)}.{rng.randrange(1000):03d}-06:00", "lvl": level, "ev": event, **more})
        )

    say(start + 9, "info", "hello", run="intent-xl-0908b", host=host, world=2, torch="2.6.0+cu124")
    say(start + 12, "warn", "config", msg="unknown key 'abort_on_error' ignored (did you mean 'abort_on_nan'?)")
    say(start + 20, "info", "data", rows=1904221, bad_rows=37, errors_in_parse=37, policy="skip")
    say(start + 21, "info", "plan", steps=14877, epochs=1, batch=128, eval_every=1000)
    say(start + 33, "warn", "tokenizer", msg="fast tokenizer failed to load from cache, using slow one")
    t, step = first, 0
    while True:
        step += 1
        t += near(rng, 0.552, 0.02)
        if t > end - 9:
            break
        if step % 10 == 0:
            say(
                t,
                "info",
                "step",
                step=step,
                of=14877,
                loss=round(near(rng, falling(step, 4.97, 0.31, 120), 0.04), 4),
                gnorm=round(near(rng, 1.1, 0.2), 3),
                lr=round(3e-5 * min(1, step / 700), 9),
                sps=round(near(rng, 232, 0.01), 1),
                crashes=0,
                oom_retries=0,
            )
        if step in (420, 1390):
            say(t, "warn", "reader", msg="read error on shard 0107.parquet (Connection reset by peer), retry 1/5")
            say(t + 0.4, "info", "reader", msg="shard 0107.parquet ok after 1 failed attempt")
        if step % 1000 == 0:
            say(
                t + 7,
                "info",
                "eval",
                step=step,
                acc=round(0.55 + 0.06 * step / 1000, 4),
                loss=round(falling(step, 4.97, 0.36, 120), 4),
                fatal_confusions=12,
            )
            t += 7
    write(place, "intent-xl-0908b.jsonl", "\n".join(out) + "\n")
    write(
        place,
        "slurm-40291.out",
        f"""\
Lmod: loading cuda/12.4 py/3.11-intent
+ cd /home/anaya/intent
+ srun bash -c 'python -u -m intent.train conf/xl.toml --jsonl out/intent-xl-0908b.jsonl >/dev/null 2>/tmp/intent_err.$SLURM_JOB_ID.$SLURM_PROCID'
srun: error: {host}: tasks 0-1: Exited with exit code 1
+ echo 'srun said 1'
srun said 1
+ exit 1
""",
    )

    def load(t: float) -> Load:
        if t < start + 12 or t > end - 7:
            return Load(mem=3)
        if t < first:
            return Load(0.03, 0.02, 0, 0.02, 1600, 31, 2040, 0)
        if t > end - 9:
            return Load(0, 0, 0, 0, 15920, 33, 2040, 0)
        if (t - first) % 559 > 552:
            return Load(0.88, 0.5, 0.16, 0.4, 15920, 64, 1890, 4)
        return Load(0.975, 0.79, 0.3, 0.61, 15920, 71.4, 1395, 4)

    times = grid(start - 300, end + 420, 5)
    gpus = [Gpu(host, i, uuid_of(rng), L4, measure(L4, times, load, rng), {}) for i in (0, 1)]
    write(place, f"dcgm_{host}.json", result(gpus, times, gpus[0].series))
    s, e, el = local(start, z), local(end, z), hms(end - start)
    rows = [
        [
            "JobID",
            "JobName",
            "Partition",
            "Account",
            "AllocCPUS",
            "State",
            "ExitCode",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "NodeList",
        ],
        ["40291", "intent-xl", "l4", "convai", "16", "FAILED", "1:0", s, e, el, "06:00:00", host],
        ["40291.batch", "batch", "", "convai", "16", "FAILED", "1:0", s, e, el, "", host],
        [
            "40291.0",
            "bash",
            "",
            "convai",
            "16",
            "FAILED",
            "1:0",
            local(start + 1, z),
            e,
            hms(end - start - 1),
            "",
            host,
        ],
    ]
    write(place, "sacct.txt", columns(rows, [12, 10, 10, 10, 10, 10, 8, 19, 19, 10, 10, 15]))
    boot = at("2026-09-02 07:12:44", z)
    lines = booted(boot, L4)
    lines += [
        (boot + 3, "platform eisa.0: EISA: Cannot allocate resource for mainboard"),
        (boot + 6, "i8042: Can't read CTR while initializing i8042"),
        (
            boot + 12,
            "pcieport 0000:00:01.1: DPC: error containment capabilities: Int Msg #0, RPExt+ PoisonedTLP+ SwTrigger+ RP PIO Log 6, DL_ActiveErr+",
        ),
        (start - 8000, "nfs: server filer2 not responding, still trying"),
        (start - 7993, "nfs: server filer2 OK"),
        (
            start + 655,
            "TCP: request_sock_TCP: Possible SYN flooding on port 9400. Sending cookies.  Check SNMP counters.",
        ),
        (
            end + 190,
            'audit: type=1326 auid=4294967295 uid=0 gid=0 comm="snapd" sig=0 arch=c000003e syscall=55 compat=0',
        ),
    ]
    write(place, f"dmesg_{host}.txt", kernel(lines, "dmesg", host, z, boot, rng))


def t15_ddpseg(place: Path, rng: Random) -> None:
    """Two GPUs of one data-parallel job, of which one has nearly all the work."""
    start = at("2026-08-19 21:44:51", 0)
    end = start + 176 * 60 + 8
    host = "volta12"
    first = start + 150
    bus = (end - first) / 21

    def load_of(rank: int) -> Callable[[float], Load]:
        def load(t: float) -> Load:
            if t < start + 31 or t > end - 12:
                return Load(mem=1)
            if t < first:
                return Load(0.02, 0.01, 0, 0.01, 1480, 57, 1530, 0)
            if (t - first) % bus > bus - 28:
                return Load(0.25, 0.12, 0.03, 0.1, 27380, 92, 1530, 0, 40)
            if rank:
                return Load(0.99, 0.585, 0.19, 0.41, 27380, 221, 1530, 0, 1730)
            return Load(0.995, 0.172, 0.042, 0.094, 27380, 98, 1530, 0, 1730)

        return load

    times = grid(start - 900, end + 900, 30)
    gpus = [
        Gpu(host, i, uuid_of(rng), V100, measure(V100, times, load_of(i), rng), {"hpc_job": "667120"}, (start, end))
        for i in (0, 1)
    ]
    for name in gpus[0].series:
        write(place, f"prometheus/{name}.json", result(gpus, times, [name]))
    s, e, el = local(start, 0), local(end, 0), hms(end - start)
    rows = [
        [
            "JobID",
            "JobName",
            "Partition",
            "State",
            "ExitCode",
            "Submit",
            "Start",
            "End",
            "Elapsed",
            "NTasks",
            "AllocTRES",
            "NodeList",
        ],
        [
            "667120",
            "ddp_seg_thorax_v3",
            "volta",
            "COMPLETED",
            "0:0",
            local(start - 60, 0),
            s,
            e,
            el,
            "",
            "cpu=20,gres/gpu:v100=2,mem=180G",
            host,
        ],
        ["667120.batch", "batch", "", "COMPLETED", "0:0", s, s, e, el, "1", "cpu=20,gres/gpu:v100=2,mem=180G", host],
        [
            "667120.0",
            "python",
            "",
            "COMPLETED",
            "0:0",
            local(start + 2, 0),
            local(start + 2, 0),
            e,
            hms(end - start - 2),
            "2",
            "cpu=20,gres/gpu:v100=2,mem=180G",
            host,
        ],
    ]
    write(place, "sacct_667120.txt", columns(rows, [12, 18, 9, 10, 8, 19, 19, 19, 10, 8, 34, 10]))
    boot = at("2026-07-30 12:00:06", 0)
    lines = booted(boot, V100)
    lines += [
        (boot + 2, "BERT: Error records from previous boot:"),
        (boot + 2, "[Hardware Error]: event severity: fatal"),
        (boot + 2, "[Hardware Error]:  Error 0, type: fatal"),
        (boot + 2, "[Hardware Error]:   section_type: Firmware Error Record Reference"),
        (
            boot + 8,
            "ipmi_si IPI0001:00: The BMC does not support clearing the recv irq bit, compensating, but the BMC needs to be fixed.",
        ),
        (start - 3000, "sd 6:0:0:0: [sdb] tag#14 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=0s"),
        (
            start - 3000,
            "blk_update_request: I/O error, dev sdb, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
        ),
        (start + 3333, "CPU14: Core temperature/speed normal"),
        (start + 4120, "mce: [Hardware Error]: Machine check events logged"),
        (
            start + 4120,
            "EDAC MC1: 1 CE memory read error on CPU_SrcID#1_Ha#0_Chan#2_DIMM#0 (channel:2 slot:0 page:0x7c81d offset:0x800 grain:32)",
        ),
        (end + 500, "CIFS: VFS: \\\\nas3 Error -11 sending data on socket to server"),
    ]
    write(place, f"dmesg_{host}.txt", kernel(lines, "dmesg -T", host, 0, boot, rng))


def t16_moe(place: Path, rng: Random) -> None:
    """A Megatron job that gives way to another and comes back."""
    z = 1
    start = at("2026-11-12 01:17:09", z)
    hosts = [f"hgx{n:02d}" for n in (11, 12, 13, 14)]
    took, total = 7.46, 2750
    stop = start + 8417
    again = stop + 2388
    out: list[str] = []
    saves: list[tuple[float, float]] = []
    date = "%Y-%m-%d %H:%M:%S"

    def head(t: float, load_from: int) -> None:
        out.extend([
            f"=== {local(t, z, '%a %b %e %H:%M:%S CET %Y')} job 771203 on hgx[11-14], restart count {1 if load_from else 0} ===",
            "using world size: 32, data-parallel size: 8, context-parallel size: 1, hierarchical context-parallel sizes: Nonetensor-model-parallel size: 4, pipeline-model-parallel size: 1",
            "setting random seeds to 1234 ...",
            "> initialized tensor model parallel with size 4", "> initialized pipeline model parallel with size 1",
            f"time to initialize megatron (seconds): {near(rng, 31, 0.1):.3f}",
            f"[after megatron is initialized] datetime: {local(t + 61, z, date)} ",
            " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 3921477632",
        ])  # fmt: skip
        if load_from:
            out.extend(
                [
                    f" loading distributed checkpoint from /lustre/moe/ck_a at iteration {load_from}",
                    f"  successfully loaded checkpoint from /lustre/moe/ck_a [ t 1/4, p 1/1 ] at iteration {load_from}",
                ]
            )
        else:
            out.extend(
                [
                    "WARNING: could not find the metadata file /lustre/moe/ck_a/latest_checkpointed_iteration.txt",
                    "    will not load any checkpoints and will start from random",
                ]
            )
        out.extend(
            [
                f"[after model, optimizer, and learning rate scheduler are built] datetime: {local(t + 118, z, date)} ",
                f"[after dataloaders are built] datetime: {local(t + 141, z, date)} ",
                "done with setup ...",
                "training ...",
                f"[before the start of training step] datetime: {local(t + 142, z, date)} ",
            ]
        )

    def save(t: float, it: int) -> float:
        cost = near(rng, 24, 0.06)
        saves.append((t, t + cost))
        out.append(f"saving checkpoint at iteration {it:>7d} to /lustre/moe/ck_a in torch_dist format")
        out.append(f"  successfully saved checkpoint from iteration {it:>7d} to /lustre/moe/ck_a [ t 1/4, p 1/1 ]")
        return t + cost

    def train(t: float, it: int, until: float) -> tuple[float, int]:
        while it < total and t < until:
            it += 1
            t += near(rng, took, 0.006)
            if it % 10 == 0:
                out.append(
                    f" [{local(t, z, date)}] iteration {it:>8d}/{total:>8d} | consumed samples: {it * 512:>12d} | elapsed time per iteration (ms):"
                    f" {near(rng, took * 1000, 0.004):.1f} | throughput per GPU (TFLOP/s/GPU): {near(rng, 388.4, 0.004):.1f} | learning rate:"
                    f" {3e-4 * min(1, it / 200) * (0.55 + 0.45 * math.cos(math.pi * it / total)):.6E} | global batch size:   512 | lm loss:"
                    f" {near(rng, falling(it, 11.9, 1.62, 30), 0.006):.6E} | load_balancing_loss: {near(rng, 1.013, 0.004):.6E} | loss scale: 1.0 | grad norm:"
                    f" {near(rng, 0.62, 0.12):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
                )
            if it % 500 == 0:
                t = save(t, it)
        return t, it

    head(start, 0)
    went = start + 142
    t, it = train(went, 0, stop - 41)
    out.append(f"slurmstepd: error: *** STEP 771203.0 ON hgx11 CANCELLED AT {local(t - 5, z)} DUE TO PREEMPTION ***")
    out.append(f"slurmstepd: error: *** JOB 771203 ON hgx11 CANCELLED AT {local(t - 5, z)} DUE TO PREEMPTION ***")
    t = save(t, it)
    halted = t
    out.append(f"[exiting program after receiving SIGTERM.] datetime: {local(t, z, date)} ")
    head(again, it)
    resumed = again + 142
    t, it = train(resumed, it, math.inf)
    done = t
    out.append(f"[after training is done] datetime: {local(t, z, date)} ")
    t = save(t, it)
    out += [
        "-" * 94,
        f" validation loss at iteration {it} on test set | lm loss value: {falling(it, 11.9, 1.65, 30):.6E} | lm loss PPL: {math.exp(falling(it, 11.9, 1.65, 30)):.6E} | ",
        "-" * 94,
        f"=== {local(t + 60, z, '%a %b %e %H:%M:%S CET %Y')} srun rc 0 ===",
    ]
    over = t + 60
    write(place, "moe_a-771203.log", "\n".join(out) + "\n")

    def load(t: float) -> Load:
        if halted + 3 < t < again + 20:
            return Load(0.9, 0.55, 0.12, 0.62, 70120, 402, 1980, 0, 6100) if halted + 95 < t < again - 40 else Load()
        if t < start + 25 or t > over:
            return Load()
        if t < went or again <= t < resumed:
            return Load(0.02, 0.01, 0, 0.01, 5200, 124, 1980, 0)
        if any(a <= t < b for a, b in saves):
            return Load(0.06, 0.02, 0, 0.05, 71880, 143, 1980, 0)
        if t > done:
            return Load(0.8, 0.5, 0.2, 0.3, 71880, 380, 1980, 0, 3000)
        return Load(0.99, 0.82, 0.43, 0.45, 71880, 628, 1905, 0, 88000)

    times = grid(start - 360, over + 420, 15)
    ticks = sorted(start + rng.uniform(-300, 23400) for _ in range(41))
    gpus = [
        Gpu(h, i, uuid_of(rng), H100, measure(H100, times, load, rng, sbe=ticks if (n, i) == (2, 6) else ticks[17:20] if (n, i) == (0, 1) else ()), {})
        for n, h in enumerate(hosts) for i in range(8)
    ]  # fmt: skip
    for gpu in gpus:
        gpu.series["DCGM_FI_DEV_POWER_USAGE"] = [f"{float(v):.0f}" for v in gpu.series["DCGM_FI_DEV_POWER_USAGE"]]
    for name in gpus[0].series:
        fine = name in {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_POWER_USAGE"}
        if name in {"DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_MEM_CLOCK", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"}:
            continue
        write(place, f"prom/{name}.step{15 if fine else 300}.json", result(gpus, times, [name], 1 if fine else 20))
    for n, host in enumerate(hosts):
        boot = at("2026-10-30 14:11:27", z) + 61 * n
        lines = booted(boot, H100)
        lines += [
            (
                start - 2000 + 5 * n,
                "LNet: 3310:0:(lib-move.c:2113:lnet_handle_find_routed_path()) route to 10.9.0.0@o2ib is up",
            ),
            (
                halted + 11 + n,
                "nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping further processing",
            ),
            (
                start + 17011 + n,
                "perf: interrupt took too long (4990 > 4986), lowering kernel.perf_event_max_sample_rate to 40000",
            ),
        ]
        write(place, f"dmesg/{host}.txt", kernel(lines, "dmesg -T", host, z, boot, rng))

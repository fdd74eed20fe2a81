"""More changes of folders of incidents: what a site's kernels, exporters, accounting and sidecars say while nothing is wrong.

All were written before the engine had met one of them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from . import composed_folder as folders
from .complications import COMPLICATIONS
from .complications_more import MORE as MORE_WORDS
from .composed_folder import LOCAL, job_of
from .composed_kernel import into_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from .composed_folder import Folder, Labels, Series, Values


class More(NamedTuple):
    """A change, whether it takes evidence away, and for which truths it would change the truth."""

    apply: Callable[[Folder, Random], Folder | None]
    forgets: bool = False
    unless: str = ""


# --- kernels -------------------------------------------------------------------------------------------------------


_TOLD_BY_KERNELS: Final = frozenset(("A2", "B2", "F1", "outside", "-"))
"""What a kernel's log would tell of: none can be made up that does not."""


def _in_the_midst(*lines: str, apart: float = 8.0) -> Callable[[Folder, Random], Folder | None]:
    """These lines in the kernel's log of a node, some seconds apart, while the job runs."""

    def change(folder: Folder, rng: Random) -> Folder | None:
        job = job_of(folder)
        if job is None or job.begun is None or job.ended is None:
            return None
        first = (job.ended - job.begun) * rng.uniform(0.2, 0.7)
        rows = [(first + timedelta(seconds=apart * k), line) for k, line in enumerate(lines)]
        if folder.of("kernel"):
            return into_kernel(folder, rng, rows)
        if not set(folder.right).isdisjoint(_TOLD_BY_KERNELS):
            return None
        node = folders.short(job.nodes.partition(",")[0])
        if not node or "[" in node:
            return None
        text = "".join(f"[{job.begun + gap:%a %b %e %H:%M:%S %Y}] {line}\n" for gap, line in rows)
        return folder.having({f"dmesg_{node}.txt": text})

    return change


def _afterwards(*lines: str, minutes: float) -> Callable[[Folder, Random], Folder | None]:
    """These lines some minutes after the job's end."""
    return lambda folder, rng: into_kernel(folder, rng, [(timedelta(minutes=minutes), x) for x in lines], after=True)


_SERVICE_KILLED: Final = (
    "telegraf invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
    "memory: usage 524288kB, limit 524288kB, failcnt 312",
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=telegraf.service,mems_allowed=0-1,oom_memcg=/system.slice/telegraf.service,task_memcg=/system.slice/telegraf.service,task=telegraf,pid=2871,uid=998",
    "Memory cgroup out of memory: Killed process 2871 (telegraf) total-vm:5529164kB, anon-rss:519212kB, file-rss:1204kB, shmem-rss:0kB, UID:998 pgtables:1412kB oom_score_adj:0",
)

# --- series --------------------------------------------------------------------------------------------------------


def two_exporters(folder: Folder, rng: Random) -> Folder | None:
    """A second exporter on each node gives the same of each GPU, a second later, under a job of its own."""

    def twice(labels: Labels, values: Values) -> list[Series]:
        if not folders.is_gpu(labels):
            return [(labels, values)]
        other = {**labels, "job": "gpu-metrics-legacy"}
        if ":" in labels.get("instance", ""):
            other["instance"] = labels["instance"].partition(":")[0] + ":9835"
        if other == labels:
            return [(labels, values)]
        return [(labels, values), (other, [[round(float(t) + 1.0, 3), v] for t, v in values])]

    return folders.remade(folder, twice)


def _each_value(change: Callable[[Random, Any], Any], share: float = 1.0) -> Callable[[Folder, Random], Folder | None]:
    def changed(folder: Folder, rng: Random) -> Folder | None:
        return folders.remade(
            folder, lambda m, v: [(m, [[t, change(rng, x) if rng.random() < share else x] for t, x in v])]
        )

    return changed


def _as_float(rng: Random, value: Any) -> Any:  # noqa: ANN401  JSON is what it is
    return f"{float(value):.6f}" if re.fullmatch(r"\d{1,9}", str(value)) else value


def jitter(folder: Folder, rng: Random) -> Folder | None:
    """Raw samples: a node is scraped up to two seconds late, now and then, all that it tells at one moment."""
    seed = rng.random()

    def late(labels: Labels, t: Any) -> float:  # noqa: ANN401
        return round(float(t) + Random(f"{seed} {folders.host_of(labels)} {t}").uniform(0, 2), 3)

    return folders.remade(folder, lambda m, v: [(m, [[late(m, t), x] for t, x in v])])


def asked_in_turn(folder: Folder, rng: Random) -> Folder | None:
    """Metrics were asked for one after the other, each up to its own "now": their steps lie a second and more apart."""
    names = sorted({m["__name__"] for m, _ in folders.series(folder)})
    at = {name: 1.3 * k for k, name in enumerate(rng.sample(names, len(names)))}

    def asked(labels: Labels, values: Values) -> list[Series]:
        later = at[labels["__name__"]]
        if len(values) < 2:
            return [(labels, values)]
        step = max(1.0, (float(values[-1][0]) - float(values[0][0])) / (len(values) - 1))
        behind = int(later / step)  # an answer holds the last scrape before its moment
        told = [value for _, value in values[behind:]]
        return [(labels, [[round(float(t) + later, 3), x] for (t, _), x in zip(values, told, strict=False)])]

    return folders.remade(folder, asked)


def window_twice(folder: Folder, rng: Random) -> Folder | None:
    """Two answers that overlap by a third were put one behind the other."""

    def again(labels: Labels, values: Values) -> list[Series]:
        cut = len(values) // 3
        return [(labels, [*values[: 2 * cut], *values[cut:]])] if cut else [(labels, values)]

    return folders.remade(folder, again)


def rare_samples_lost(folder: Folder, rng: Random) -> Folder | None:
    """Each twentieth sample is not there, of each series another."""
    return folders.remade(
        folder, lambda m, v: [(m, [p for k, p in enumerate(v) if k in (0, len(v) - 1) or rng.random() > 0.05])]
    )


def _plus(value: Any, more: int) -> str:  # noqa: ANN401
    return "NaN" if str(value) == "NaN" else str(int(float(value)) + more)


def _some_count(name: str, by: int) -> Callable[[Folder, Random], Folder | None]:
    """A counter of one GPU rises by a few, which harms nothing."""

    def change(folder: Folder, rng: Random) -> Folder | None:
        found = folders.series(folder)
        cards = sorted({folders.card_of(m) for m, _ in found if folders.is_gpu(m)})
        span = folders.span(folder)
        if not cards or span is None:
            return None
        one = rng.choice(cards)
        times = sorted(rng.uniform(*span) for _ in range(by))
        there = any(m["__name__"] == name for m, _ in found)

        def count(labels: Labels, values: Values) -> list[Series]:
            if labels["__name__"] == name and folders.card_of(labels) == one:
                return [(labels, [[t, _plus(v, sum(x <= float(t) for x in times))] for t, v in values])]
            if there or labels["__name__"] not in ("DCGM_FI_DEV_GPU_TEMP",) or not folders.is_gpu(labels):
                return [(labels, values)]
            rises = times if folders.card_of(labels) == one else []
            new = {**labels, "__name__": name}
            return [(labels, values), (new, [[t, str(sum(x <= float(t) for x in rises))] for t, _ in values])]

        return folders.remade(folder, count)

    return change


def busy_neighbours(folder: Folder, rng: Random) -> Folder | None:
    """The other half of each node's GPUs is at work for another tenant, who gets an XID 31 and stops before the end."""
    found = [(m, v) for m, v in folders.series(folder) if folders.is_gpu(m)]
    if any("GPU_I_ID" in m or not m.get("gpu", "").isdigit() or not m.get("UUID") for m, _ in found) or not found:
        return None
    most = max(int(m["gpu"]) for m, _ in found) + 1
    job = job_of(folder)
    if most > 4 or job is None:
        return None
    busy = {"GPU_UTIL": 88, "MEM_COPY": 30, "FB_USED": 22000, "POWER": 290, "GPU_TEMP": 61, "SM_CLOCK": 1410}

    def twin(labels: Labels, values: Values) -> list[Series]:
        if not folders.is_gpu(labels):
            return [(labels, values)]
        index = int(labels["gpu"]) + most
        uuid = labels["UUID"]
        other = {**labels, "UUID": f"{uuid[:-4]}{(int(uuid[-4:], 16) ^ 0xBEEF):04x}", "gpu": str(index)}
        for key in ("hpc_job", "exported_pod", "exported_namespace", "exported_container", "pod", "namespace"):
            if key in other:
                other[key] = folders.OTHER if key == "hpc_job" else "another-tenant-0"
        if "device" in other:
            other["device"] = f"nvidia{index}"
        if "pci_bus_id" in other:
            bus = labels["pci_bus_id"]
            other["pci_bus_id"] = re.sub(r":[0-9A-Fa-f]{2}:", f":{0xA0 + 8 * index:02X}:", bus)
        name, stop = labels["__name__"], int(len(values) * 0.6)
        high = next((v for k, v in busy.items() if k in name), None)
        if high is None and "PROF_" in name:
            high = 0.5  # type: ignore[assignment]
        if "XID" in name:
            return [(labels, values), (other, [[t, "31" if k > stop else "0"] for k, (t, _) in enumerate(values)])]
        if high is None:
            return [(labels, values), (other, [[t, values[0][1]] for t, _ in values])]
        low = 35 if "TEMP" in name else 70 if "POWER" in name else 345 if "SM_CLOCK" in name else 0
        made = [
            [t, f"{high * rng.uniform(0.97, 1.03):.3g}" if k < stop else str(low)] for k, (t, _) in enumerate(values)
        ]
        return [(labels, values), (other, made)]

    try:
        return folders.remade(folder, twin)
    except ValueError:  # a UUID that is none
        return None


# --- accounting and nodes ------------------------------------------------------------------------------------------


def _with_step(state: str, code: str, name: str, step: str) -> Callable[[Folder, Random], Folder | None]:
    """Another step of the job, by hand and beside the training, that came to this end in its midst."""

    def change(folder: Folder, rng: Random) -> Folder | None:
        job = job_of(folder)
        if job is None or job.begun is None or job.ended is None or job.file.endswith(".json") or job.rows != 1:
            return None
        names, ruler, lines = folders.table(folder.files[job.file])
        rows = [dict(zip(names, folders.cells(line, ruler), strict=False)) for line in lines]
        like = next((row for row in rows if row["JobID"] == f"{job.number}.0"), None)
        if like is None or ruler or any(row["JobID"] == f"{job.number}.{step}" for row in rows):
            return None
        begun = job.begun + (job.ended - job.begun) * rng.uniform(0.2, 0.5)
        ended = begun + (job.ended - job.begun) * 0.1
        new = {
            "JobID": f"{job.number}.{step}",
            "JobIDRaw": f"{job.number}.{step}",
            "JobName": name,
            "State": state,
            "ExitCode": code,
            "Start": f"{begun:{LOCAL}}",
            "End": f"{ended:{LOCAL}}",
            "Elapsed": str(timedelta(seconds=round((ended - begun).total_seconds()))).rjust(8, "0"),
            "ElapsedRaw": str(round((ended - begun).total_seconds())),
        }
        row = {**like, **{k: v for k, v in new.items() if k in like}}
        text = folder.files[job.file].rstrip("\n") + "\n" + "|".join(row[name] for name in names) + "\n"
        return folder.having({job.file: text})

    return change


def drained_later(folder: Folder, rng: Random) -> Folder | None:
    """The job's nodes were drained two hours after its end, for an update that was planned."""
    job = job_of(folder)
    if job is None or job.ended is None or folder.of("nodes"):
        return None
    when = f"{job.ended + timedelta(hours=2):{LOCAL}}"
    lines = ["REASON               USER      TIMESTAMP           NODELIST"]
    lines.append(f"{'kernel update':20} root      {when} {job.nodes}")
    return folder.having({"sinfo-R.txt": "\n".join(lines) + "\n"})


# --- files beside --------------------------------------------------------------------------------------------------


def _beside(name: str, *lines: str) -> Callable[[Folder, Random], Folder | None]:
    """A log of something else in the folder, at times within the job."""

    def change(folder: Folder, rng: Random) -> Folder | None:
        job = job_of(folder)
        if job is None or job.begun is None or job.ended is None or not folder.of("log"):
            return None
        took = (job.ended - job.begun) / (len(lines) + 1)
        out = [f"{job.begun + took * (k + 1):%Y-%m-%d %H:%M:%S} {line}" for k, line in enumerate(lines)]
        return folder.having({name: "\n".join(out) + "\n"})

    return change


_OF_TRAINING: Final = re.compile(r"(?i)\b(?:loss|epoch|step|iteration)\b")


def words_laid(folder: Folder, rng: Random) -> Folder | None:
    """Harmless words over the largest of the job's logs."""
    logs = [name for name in folder.of("log") if _OF_TRAINING.search(folder.files[name])]
    if not logs:
        return None
    one = max(logs, key=lambda name: (len(folder.files[name]), name))
    names = sorted({**COMPLICATIONS, **MORE_WORDS})
    for name in rng.sample(names, len(names)):
        made = {**COMPLICATIONS, **MORE_WORDS}[name]({one: folder.files[one]}, folder.right)
        if made is not None and made[one] != folder.files[one]:
            return replace(folder.having({one: made[one]}), words=name)
    return None


MORE: Final[dict[str, More]] = {
    "corrected by the machine": More(
        _in_the_midst(
            "mce: [Hardware Error]: Machine check events logged",
            "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x2a118c offset:0x40 grain:32 syndrome:0x0 -  err_code:0x0101:0x0091)",
            "pcieport 0000:97:01.0: AER: Corrected error message received from 0000:98:00.0",
            "mlx5_core 0000:98:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)",
            "mlx5_core 0000:98:00.0:   device [15b3:1021] error status/mask=00001000/0000e000",
            "mlx5_core 0000:98:00.0:    [12] Timeout",
        )
    ),
    "storage came back": More(
        _in_the_midst("nfs: server nas01 not responding, still trying", "nfs: server nas01 OK", apart=6)
    ),
    "another program's segfault": More(
        _in_the_midst(
            "node_agent[2219]: segfault at 18 ip 00007f21c5e3a1b4 sp 00007ffd3c0a1e60 error 4 in libcurl.so.4.7.0[7f21c5e20000+68000]",
            "Code: 48 8b 47 18 48 85 c0 74 0f 48 8b 40 10 48 85 c0 74 06 ff e0 0f 1f 40 00 c3",
        )
    ),
    "management link flaps": More(
        _in_the_midst(
            "igb 0000:01:00.0 eno1: igb: eno1 NIC Link is Down",
            "igb 0000:01:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX/TX",
            apart=3,
        )
    ),
    "another task hangs": More(
        _in_the_midst(
            "INFO: task updatedb.mlocat:44121 blocked for more than 122 seconds.",
            "      Tainted: P           OE     5.15.0-119-generic #129-Ubuntu",
            '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
            "task:updatedb.mlocat state:D stack:    0 pid:44121 ppid:     1 flags:0x00000004",
            apart=0,
        )
    ),
    "a service killed": More(_in_the_midst(*_SERVICE_KILLED, apart=0)),
    "warm cores": More(
        _in_the_midst(
            "CPU12: Core temperature above threshold, cpu clock throttled (total events = 3)",
            "CPU12: Core temperature/speed normal",
            apart=1,
        )
    ),
    "kernel chats": More(
        _in_the_midst(
            "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500",
            "TCP: request_sock_TCP: Possible SYN flooding on port 29500. Sending cookies.  Check SNMP counters.",
            "audit: backlog limit exceeded",
            "nvidia-uvm: Loaded the UVM driver, major device number 507.",
        )
    ),
    "started anew afterwards": More(
        _afterwards(
            "reboot: Restarting system",
            "Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) (gcc 11.4.0) #132-Ubuntu SMP",
            "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.05  Tue Oct  8 03:22:07 UTC 2024",
            minutes=50,
        ),
        unless="F1",
    ),
    "two exporters": More(two_exporters),
    "whole numbers as floats": More(_each_value(_as_float)),
    "NaN now and then": More(_each_value(lambda rng, value: "NaN", share=0.004)),
    "jitter": More(jitter),
    "asked in turn": More(asked_in_turn),
    "window twice": More(window_twice),
    "rare samples lost": More(rare_samples_lost),
    "replays": More(_some_count("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 2)),
    "crc": More(_some_count("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", 4)),
    "busy neighbours": More(busy_neighbours),
    "a step by hand failed": More(_with_step("FAILED", "1:0", "nvidia-smi", "7")),
    "a step by hand cancelled": More(_with_step("CANCELLED by 20119", "0:2", "bash", "8")),
    "drained later": More(drained_later, unless="F1 B2 F2"),
    "agent's log beside": More(
        _beside(
            "wandb-debug-internal.log",
            "INFO    StreamThr :1871 [internal.py:wandb_internal():86] W&B internal server running at pid: 1871",
            "ERROR   NetworkThread:1871 [retry.py:__call__():172] Retry attempt failed:",
            "ERROR   NetworkThread:1871 [retry.py:__call__():173] requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://api.wandb.ai/files/a/b/c/file_stream",
            "WARNING StreamThr :1871 [sender.py:send_exit():412] handling exit code: 0",
            "INFO    HandlerThread:1871 [handler.py:finish():866] shutting down handler",
        )
    ),
    "health check beside": More(
        _beside(
            "prolog.log",
            "prolog: checking GPUs: 8 of 8 answer",
            "prolog: WARNING: /tmp has 71 % in use",
            "prolog: dcgmi diag -r 1: Pass (PCIe: Skip)",
            "epilog: no processes of the job are left",
        )
    ),
    "harmless words": More(words_laid),
}

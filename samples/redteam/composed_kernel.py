"""Changes of kernels' logs: another clock, no clock, and what other jobs and other nodes left in them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from . import composed_folder as folders
from .composed_folder import OTHER, Job, job_of, kernel_lines, moved, stamp_of

if TYPE_CHECKING:
    from random import Random

    from .composed_folder import Folder


def _kernel_of_nodes(folder: Folder) -> dict[str, str]:
    """By the name of its file, the node that a kernel's log is of."""
    job = job_of(folder)
    nodes = sorted({folders.short(host) for host in folders.hosts(folder)} | set(_listed(job)))
    found = {name: folders.node_of_file(name, folder.files[name], nodes) for name in folder.of("kernel")}
    return {name: node for name, node in found.items() if node}


def _listed(job: Job | None) -> list[str]:
    return job.nodes.lower().split(",") if job and "[" not in job.nodes else []


def _moved_file(folder: Folder, name: str, seconds: float) -> Folder:
    text = "".join(moved(line, seconds) + "\n" for line in folder.files[name].splitlines())
    return folder.having({name: text})


def clock_off(folder: Folder, rng: Random) -> Folder | None:
    """One node's clock is seven minutes off, and so its kernel's log."""
    found = _kernel_of_nodes(folder)
    return _moved_file(folder, rng.choice(sorted(found)), rng.choice((-420, 420))) if found else None


def kernel_by_another_zone(folder: Folder, rng: Random) -> Folder | None:
    """One node is set to another zone."""
    found = {name: node for name, node in _kernel_of_nodes(folder).items() if not _has_zone(folder.files[name])}
    if not found:
        return None
    return _moved_file(folder, rng.choice(sorted(found)), 3600 * rng.choice((-8, -5, 1, 2, 9)))


def _has_zone(text: str) -> bool:
    return re.match(r"\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d) ", text) is not None


def kernel_since_boot(folder: Folder, rng: Random) -> Folder | None:
    """``dmesg`` without ``-T``."""
    made = {}
    for name in folder.of("kernel"):
        lines = folder.files[name].splitlines()
        told = [stamp_of(line) for line in lines]
        if not lines or any(each is None or each[0] != "T" for each in told):
            continue
        boot = told[0][2] - timedelta(seconds=4.1)  # type: ignore[index]
        out = []
        for line, each in zip(lines, told, strict=True):
            _, found, when = each  # type: ignore[misc]
            out.append(f"[{(when - boot).total_seconds():12.6f}] {line[found.end() :]}\n")
        made[name] = "".join(out)
    return folder.having(made) if made else None


def into_kernel(
    folder: Folder, rng: Random, rows: list[tuple[timedelta, str]], *, after: bool = False
) -> Folder | None:
    """Lines in the kernel's log of one node of the job, at times from its begin or its end."""
    job = job_of(folder)
    if job is None or job.begun is None or job.file.endswith(".json") or (after and job.ended is None):
        return None
    base = job.ended if after else job.begun
    found = sorted(_kernel_of_nodes(folder)) or folder.of("kernel")[:1]
    if not found or base is None:
        return None
    name = rng.choice(found)
    text = kernel_lines(folder, name, [(base + gap, line) for gap, line in rows])
    return folder.having({name: text}) if text else None


def _killed(rng: Random, job: str) -> list[str]:
    pid, size = rng.randint(9000, 90000), rng.randint(60_000_000, 90_000_000)
    group = f"/system.slice/slurmstepd.scope/job_{job}/step_0/user/task_0"
    return [
        "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        f"memory: usage {size}kB, limit {size}kB, failcnt 8812",
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_{job},task_memcg={group},task=python3,pid={pid},uid=20119",
        f"Memory cgroup out of memory: Killed process {pid} (python3) total-vm:{2 * size}kB, anon-rss:{size}kB, file-rss:81220kB, shmem-rss:0kB, UID:20119 pgtables:190000kB oom_score_adj:0",
    ]


def killed_before(folder: Folder, rng: Random) -> Folder | None:
    """The kernel killed another job's process for memory three hours before."""
    ago = timedelta(hours=-3)
    return into_kernel(folder, rng, [(ago, line) for line in _killed(rng, OTHER)])


def killed_after(folder: Folder, rng: Random) -> Folder | None:
    """The same half an hour after the end."""
    then = timedelta(minutes=30)
    return into_kernel(folder, rng, [(then, line) for line in _killed(rng, OTHER)], after=True)


def killed_beside(folder: Folder, rng: Random) -> Folder | None:
    """The same on the job's node in its middle, in the other job's group."""
    job = job_of(folder)
    if job is None or job.begun is None or job.ended is None:
        return None
    middle = (job.ended - job.begun) * rng.uniform(0.3, 0.6)
    return into_kernel(folder, rng, [(middle, line) for line in _killed(rng, OTHER)])


def _xids(rng: Random) -> list[tuple[int, str]]:
    pid = rng.randint(9000, 90000)
    return [
        (
            31,
            f"pid={pid}, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f3a_11000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
        ),
        (43, f"pid={pid}, name=python3, Ch 00000008"),
        (
            13,
            f"pid={pid}, name=python3, Graphics SM Warp Exception on (GPC 1, TPC 2, SM 0): Out Of Range Address",
        ),
    ]


def _bus(folder: Folder, rng: Random) -> str:
    told = sorted({m["pci_bus_id"].lower() for m, _ in folders.series(folder) if m.get("pci_bus_id")})
    found = re.search(r"([0-9a-f]{2}):[0-9a-f]{2}\.\d$", rng.choice(told)) if told else None
    return f"0000:{found[1] if found else '18'}:00"


def faults_before(folder: Folder, rng: Random) -> Folder | None:
    """XIDs of the day before, and of four hours before, of another job's process."""
    bus = _bus(folder, rng)
    number, text = rng.choice(_xids(rng))
    rows = [
        (timedelta(hours=-26), f"NVRM: Xid (PCI:{bus}): {number}, {text}"),
        (timedelta(hours=-4), f"NVRM: Xid (PCI:{bus}): {number}, {text}"),
    ]
    return into_kernel(folder, rng, rows)


def lost_the_day_before(folder: Folder, rng: Random) -> Folder | None:
    """A GPU fell off the bus the day before; the node was started anew since."""
    bus = _bus(folder, rng)
    rows = [
        (timedelta(hours=-26), f"NVRM: Xid (PCI:{bus}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        (timedelta(hours=-25), "Linux version 5.15.0-119-generic (buildd@lcy02-amd64-062) (gcc 11.4.0) #129-Ubuntu SMP"),
        (timedelta(hours=-25, seconds=4), "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.05  Tue Oct  8 03:22:07 UTC 2024"),
    ]  # fmt: skip
    return into_kernel(folder, rng, rows)


def faults_after(folder: Folder, rng: Random) -> Folder | None:
    """XIDs of the next job's process, 40 minutes after the end."""
    bus = _bus(folder, rng)
    number, text = rng.choice(_xids(rng))
    return into_kernel(folder, rng, [(timedelta(minutes=40), f"NVRM: Xid (PCI:{bus}): {number}, {text}")], after=True)


def stranger_kernel(folder: Folder, rng: Random) -> Folder | None:
    """The kernel's log of a node next door: its own kill for memory and XID 79, in the middle of the job."""
    job = job_of(folder)
    found = _kernel_of_nodes(folder)
    if job is None or job.begun is None or job.ended is None or not found or job.file.endswith(".json"):
        return None
    name, node = rng.choice(sorted(found.items()))
    other = re.sub(r"\d+(?=\D*$)", lambda d: str(int(d[0]) + 57).zfill(len(d[0])), node)
    if other == node or node not in name.lower() or other in _kernel_of_nodes(folder).values():
        return None
    when = job.begun + (job.ended - job.begun) * rng.uniform(0.3, 0.6)
    rows = [(when, line) for line in _killed(rng, OTHER)]
    rows.append((when, f"NVRM: Xid (PCI:{_bus(folder, rng)}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."))  # fmt: skip
    quiet = [line for line in folder.files[name].splitlines() if not re.search("Xid|NVRM|oom|Out of memory", line)]
    bare = folder.having({name: "\n".join(quiet[:6]) + "\n"})
    text = kernel_lines(bare, name, rows) if quiet else None
    if text is None:
        return None
    new = re.sub(re.escape(node), other, name, flags=re.IGNORECASE)
    return folder.having({new: re.sub(re.escape(node), other, text, flags=re.IGNORECASE)})

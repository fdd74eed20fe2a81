"""SIMULATED words of the machine: accounting, nodes' states and kernels, and what else went on there without harm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .lab import Gpu, Mode

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .lab import Lab


@dataclass
class Row:
    """One run of the job as accounting has it; ends that are None go on."""

    state: str
    code: str
    began: float
    ended: float | None
    limit_min: int
    step: tuple[str, str] = ("COMPLETED", "0:0")
    batch: tuple[str, str] = ("COMPLETED", "0:0")
    ranks: bool = True


def node_list(hosts: Sequence[str]) -> str:
    """Names as Slurm folds them."""
    if len(hosts) == 1:
        return hosts[0]
    digits = len(hosts[0]) - len(hosts[0].rstrip("0123456789"))
    if not digits or hosts[0][:-digits] != hosts[-1][:-digits]:
        return ",".join(hosts)
    stem = hosts[0][:-digits]
    return f"{stem}[{hosts[0][-digits:]}-{hosts[-1][-digits:]}]"


def _span(seconds: float) -> str:
    """Elapsed time as Slurm writes it."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def accounting(made: Lab, place: Path, rows: Sequence[Row], name: str) -> None:
    """sacct, between bars or in columns."""
    if made.lot.missing == "sacct":
        return
    nodes = node_list(made.hosts)
    many = len(made.hosts)
    tres = f"billing={96 * many},cpu={96 * many},gres/gpu={made.lot.gpus * many},mem={900 * many}G,node={many}"
    table = [
        [
            "JobID",
            "JobName",
            "User",
            "Partition",
            "State",
            "ExitCode",
            "Submit",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "NNodes",
            "NodeList",
            "AllocTRES",
        ]
    ]
    for row in rows:
        start = f"{made.local(row.began):%Y-%m-%dT%H:%M:%S}"
        end = f"{made.local(row.ended):%Y-%m-%dT%H:%M:%S}" if row.ended is not None else "Unknown"
        spent = _span((row.ended if row.ended is not None else made.window) - row.began)
        submit = f"{made.local(rows[0].began - 371):%Y-%m-%dT%H:%M:%S}"
        limit = _span(row.limit_min * 60)
        table.append(
            [
                str(made.job),
                name,
                made.user,
                "gpu",
                row.state,
                row.code,
                submit,
                start,
                end,
                spent,
                limit,
                str(many),
                nodes,
                tres,
            ]
        )
        table.append(
            [f"{made.job}.batch", "batch", "", "", *row.batch, start, start, end, spent, "", "1", made.hosts[0], ""]
        )
        table.append(
            [
                f"{made.job}.extern",
                "extern",
                "",
                "",
                "COMPLETED",
                "0:0",
                start,
                start,
                end,
                spent,
                "",
                str(many),
                nodes,
                tres,
            ]
        )
        if row.ranks:
            table.append(
                [f"{made.job}.0", "python3", "", "", *row.step, start, start, end, spent, "", str(many), nodes, tres]
            )
    if made.rng.random() < 0.65:
        text = "\n".join("|".join(line) for line in table)
        (place / "sacct.txt").write_text(text + "\n")
        return
    shown = [[line[k] for k in (0, 1, 4, 5, 7, 8, 9, 10, 12)] for line in table]
    widths = [max(12, *(len(line[k]) for line in shown)) for k in range(len(shown[0]))]
    lines = [" ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) + " " for line in shown]
    lines.insert(1, " ".join("-" * width for width in widths) + " ")
    (place / "sacct_D.txt").write_text("\n".join(lines) + "\n")


def nodes(made: Lab, place: Path, down: dict[str, tuple[str, str]] | None = None, *, drained: bool = False) -> None:
    """Write sinfo -N -l and sinfo -R, where a node is not as it should be."""
    bad = dict(down or {})
    names = list(made.hosts)
    if drained:
        other = made.hosts[-1][:-1] + ("9" if made.hosts[-1][-1] != "9" else "1")
        if other in names:
            other = made.hosts[0] + "b"
        names.append(other)
        bad[other] = ("drained", "memory test, ticket 2231")
    when = made.local(made.window + 200)
    lines = [
        f"{when:%a %b %d %H:%M:%S %Y}",
        "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON",
    ]
    for name in names:
        state, reason = bad.get(name, ("idle", "none"))
        lines.append(
            f"{name:<10}     1       gpu {state:>11} 96     2:48:1 1031000        0      1     h100 {reason[:20]}"
        )
    (place / "sinfo.txt").write_text("\n".join(lines) + "\n")
    listed = [
        f"{reason:<20} {'root' if state != 'down*' else 'slurm':<9} {made.local(made.begun - 40000 if 'ticket' in reason else made.lost):%Y-%m-%dT%H:%M:%S} {name}"
        for name, (state, reason) in bad.items()
    ]
    if listed:
        (place / "sinfo_R.txt").write_text(
            "REASON               USER      TIMESTAMP           NODELIST\n" + "\n".join(listed) + "\n"
        )


def _hum(made: Lab, host: str) -> list[tuple[float, str]]:
    """What a healthy node's kernel says anyway."""
    rng = made.rng
    boot = -rng.uniform(3, 40) * 86400
    out = [
        (boot, "Linux version 5.15.0-113-generic (buildd@lcy02-amd64-072) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0)"),
        (boot + 9, "nvidia: loading out-of-tree module taints kernel."),
        (
            boot + 11,
            "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build  (dvs-builder@U16-I3-B13-1-3)",
        ),
        (boot + 40, "mlx5_core 0000:5d:00.0 ibp93s0: Link up"),
    ]
    pool = (
        "perf: interrupt took too long (2503 > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
        "nfs: server nas2 not responding, still trying",
        "overlayfs: upper fs does not support RENAME_WHITEOUT.",
        "TCP: request_sock_TCP: Possible SYN flooding on port 8080. Sending cookies.  Check SNMP counters.",
        "systemd-journald[1180]: File /var/log/journal/system.journal corrupted or uncleanly shut down, renaming and replacing.",
    )
    for text in rng.sample(pool, rng.randrange(1, 4)):
        when = -rng.uniform(2, 60) * 3600
        out.append((when, text))
        if text.startswith("nfs"):
            out.append((when + 21, "nfs: server nas2 OK"))
    return out


def kernels(made: Lab, place: Path, down: dict[str, tuple[str, str]]) -> None:
    """Write dmesg -T of every node that still answers."""
    if made.lot.missing == "dmesg":
        return
    flat = made.rng.random() < 0.5
    for host in [name for name in made.hosts if name not in down]:
        lines = sorted([*_hum(made, host), *made.kernel[host]], key=lambda line: line[0])
        text = "\n".join(f"[{made.local(t, host):%a %b %e %H:%M:%S %Y}] {words}" for t, words in lines) + "\n"
        target = place / f"dmesg.{host}.txt" if flat else place / host / "dmesg.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def oom_kill(made: Lab, host: str, t: float, pid: int, job: int) -> list[tuple[float, str]]:
    """The kernel's block on a process it killed for the memory limit of its job."""
    group = f"/system.slice/slurmstepd.scope/job_{job}/step_0/user/task_0"
    limit = made.rng.choice((262144000, 524288000, 943718400))
    uid = made.uid if job == made.job else made.uid + 113
    return [
        (t, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (t, f"memory: usage {limit}kB, limit {limit}kB, failcnt {made.rng.randrange(900, 40000)}"),
        (t, f"Memory cgroup stats for /system.slice/slurmstepd.scope/job_{job}:"),
        (t, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"),
        (t, f"[{pid:7d}]  {uid}{pid:7d} {limit // 3} {limit // 5} {limit // 90}        0             0 python3"),
        (
            t,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_{job},task_memcg={group},task=python3,pid={pid},uid={uid}",
        ),
        (
            t,
            f"Memory cgroup out of memory: Killed process {pid} (python3) total-vm:{limit * 13 // 10}kB, anon-rss:{limit * 8 // 10}kB, file-rss:311204kB, shmem-rss:88112kB, UID:{uid} pgtables:{limit // 90}kB oom_score_adj:0",
        ),
        (t + 2, f"oom_reaper: reaped process {pid} (python3), now anon-rss:0kB, file-rss:0kB, shmem-rss:88112kB"),
    ]


def harmless(made: Lab) -> None:
    """The oddity of the lot, where it is a thing of cards, kernels and clocks; the rest is the plot's."""
    rng = made.rng
    host = rng.choice(made.hosts)
    gpu = rng.choice(made.of(host))
    match made.lot.oddity:
        case "old XID 31 of another job":
            when = -rng.uniform(5, 60) * 3600
            made.kernel[host].append(
                (
                    when,
                    f"NVRM: Xid (PCI:{gpu.bus[:-3]}:00): 31, pid={rng.randrange(10**5, 10**6)}, name=python, Ch 00000012, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_4 faulted @ 0x7f1a_ac000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
                )
            )
            gpu.xid.insert(0, (-1e9, 31))
        case "hot, not throttled":
            gpu.warmth *= 1.5
        case "ECC corrected":
            gpu.base_single = rng.randrange(0, 4)
            gpu.single = sorted(rng.uniform(made.begun, made.window) for _ in range(rng.randrange(2, 9)))
            made.kernel[host] += [
                (
                    when,
                    f"EDAC skx MC2: 1 CE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x{rng.randrange(16**6):06x} offset:0x40 grain:32 syndrome:0x0)",
                )
                for when in gpu.single[:2]
            ]
        case "clock skew":
            made.skew[rng.choice(made.hosts)] = rng.choice((-1, 1)) * rng.uniform(120, 420)
        case "another job on the node":
            other = made.job + rng.randrange(5, 90)
            if made.lot.gpus < 8:
                busy = Mode(engine=0.9, sm=0.44, tensor=0.1, dram=0.3, mem=0.31, pcie=0.7)
                for index in range(made.lot.gpus, min(8, made.lot.gpus + 2)):
                    uuid = "GPU-" + "-".join(
                        "".join(rng.choice("0123456789abcdef") for _ in range(n)) for n in (8, 4, 4, 4, 12)
                    )
                    stop = made.window * rng.uniform(0.3, 0.8)
                    made.others.append(
                        Gpu(host, index, uuid, f"0000:{0xF0 + index:02x}:00", 1.0, 40.0, 28.0, [(stop, busy)])
                    )
            made.kernel[host] += oom_kill(
                made, host, made.window * rng.uniform(0.15, 0.6), rng.randrange(10**5, 10**6), other
            )
        case _:
            pass

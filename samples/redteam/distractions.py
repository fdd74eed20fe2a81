"""What is true and irrelevant, added to the papers of an incident; and evidence taken away from them."""

from __future__ import annotations

import functools
import gzip
import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Change = Callable[["Papers"], "Papers | None"]
    Moment = Literal["days before", "hours before", "begin", "middle", "end", "hours after"]

Sort = Literal["metrics", "accounting", "kernel", "meta", "log"]
_SORTS: Final[tuple[tuple[Sort, str], ...]] = (
    ("meta", r"^meta\.json$"),
    ("kernel", r"dmesg|journal|kern"),
    ("accounting", r"sacct|accounting|scontrol|sinfo|squeue"),
    ("metrics", r"\.json$"),
)
_GONE_WRONG: Final = re.compile(r"Traceback|[Ee]rror|CANCELLED|srun:|slurmstepd|death signal|FAILED|Watchdog")
_CLOCK: Final = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?|\b\d{4} \d\d:\d\d:\d\d\.\d+")
_LOSS: Final = re.compile(r"(?i)(\bloss'?[\"']?\s?[:=]?\s*)(\d+\.\d+(?:E[+-]\d+)?)")


_SOME: Final = 15
"""Reports of a loss, among which another line is one of a training."""


@dataclass(frozen=True)
class Papers:
    """The files of an incident, and the job they name where that has to be told."""

    files: dict[str, str]
    job: str | None = None

    @classmethod
    def of(cls, folder: Path) -> Papers:
        """What lies in a folder, unpacked."""
        found = {}
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            found[str(path.relative_to(folder)).removesuffix(".gz")] = data.decode()
        return cls(found)

    def sorted(self, sort: Sort) -> dict[str, str]:
        """Those of one sort."""
        return {name: text for name, text in self.files.items() if sort_of(name) == sort}

    def with_files(self, changed: dict[str, str]) -> Papers:
        """These, some of them other ones."""
        return replace(self, files=self.files | changed)

    @functools.cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Series of metrics."""
        return [row for text in self.sorted("metrics").values() for rows in results(parsed(text)) for row in rows]

    @functools.cached_property
    def nodes(self) -> list[str]:
        """Nodes that metrics name by a name."""
        told = (row["metric"].get("Hostname") or row["metric"].get("node") for row in self.rows)
        return list(dict.fromkeys(name.split(".")[0] for name in told if name and not name[0].isdigit()))

    @functools.cached_property
    def span(self) -> tuple[float, float]:
        """When GPUs were at work, seconds of epoch."""
        busy = [
            row for row in self.rows if re.search(r"GPU_UTIL|ENGINE_ACTIVE|FB_USED", row["metric"].get("__name__", ""))
        ]
        some = [
            float(t)
            for row in busy
            for t, value in row["values"]
            if float(value) > _IDLE[0 if "FB" in row["metric"]["__name__"] else 1]
        ]
        times = some or [float(t) for row in self.rows for t, _ in row["values"]]
        return min(times), max(times)

    @functools.cached_property
    def bus(self) -> str:
        """Where the first GPU sits, as the kernel prints it."""
        told = next((row["metric"]["pci_bus_id"] for row in self.rows if "pci_bus_id" in row["metric"]), "0000:1b:00.0")
        return told.lower()[-12:].removesuffix(".0")

    def at(self, moment: Moment) -> float:
        """A moment of the incident."""
        begin, end = self.span
        return {
            "days before": begin - 3 * 86400.0,
            "hours before": begin - 3 * 3600.0,
            "begin": begin + 5,
            "middle": begin + 0.55 * (end - begin),
            "end": end - 40,
            "hours after": end + 3 * 3600.0,
        }[moment]


_IDLE: Final = (1000.0, 0.02)


def sort_of(name: str) -> Sort:
    """What a file is, by its name."""
    base = name.rpartition("/")[2]
    return next((sort for sort, words in _SORTS if re.search(words, base)), "log")


def parsed(text: str) -> Any:  # noqa: ANN401
    """JSON, or a value a line."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def results(answer: Any) -> Iterator[list[dict[str, Any]]]:  # noqa: ANN401
    """The lists of series in what Prometheus answered, however it is wrapped."""
    if isinstance(answer, dict) and isinstance(answer.get("result"), list):
        yield answer["result"]
    elif isinstance(answer, dict | list):
        for value in answer.values() if isinstance(answer, dict) else answer:
            yield from results(value)


def kernel(moment: Moment, *lines: str, node: str | None = None) -> Change:
    """Lines of the kernel of one of the job's nodes, or of another."""

    def change(papers: Papers) -> Papers | None:
        if not papers.nodes:
            return None
        where = node or papers.nodes[-1]
        when = datetime.fromtimestamp(papers.at(moment), UTC)
        told = "".join(
            f"{when:%Y-%m-%dT%H:%M:%S}+0000 {where} kernel: {line.format(bus=papers.bus)}\n" for line in lines
        )
        name = f"dmesg.{where}.more.txt"
        return papers.with_files({name: "".join(sorted((papers.files.get(name, "") + told).splitlines(keepends=True)))})

    return change


def said(moment: Moment, *lines: str, training: bool = False) -> Change:
    """Lines of the job's own log, before anything in it went wrong; ``training``: only of one that tells of losses."""

    def change(papers: Papers) -> Papers | None:
        name = max(papers.sorted("log").items(), key=lambda item: len(item[1]), default=("", ""))[0]
        text = papers.files.get(name, "").splitlines()
        sound = next((n for n, line in enumerate(text) if _GONE_WRONG.search(line)), len(text))
        at = {"begin": min(1, sound), "middle": sound * 3 // 5, "end": sound - 2}.get(moment, sound)
        if not name or at < 0 or sound < len(lines):
            return None
        if training and len([line for line in text[:sound] if _LOSS.search(line)]) < _SOME:
            return None
        return papers.with_files({name: "\n".join([*text[:at], *lines, *text[at:], ""])})

    return change


def _spike(papers: Papers) -> Papers | None:
    """Three reports whose loss is higher, and then it is as it was."""
    name = max(papers.sorted("log").items(), key=lambda item: len(item[1]), default=("", ""))[0]
    text = papers.files.get(name, "").splitlines()
    told = [n for n, line in enumerate(text) if _LOSS.search(line) and "val" not in line]
    for n in told[len(told) // 2 : len(told) // 2 + 3]:
        text[n] = _LOSS.sub(lambda m: f"{m[1]}{float(m[2]) * 1.7:.4f}", text[n])
    return papers.with_files({name: "\n".join([*text, ""])}) if len(told) > 2 * _SOME else None


def _without_times(papers: Papers) -> Papers:
    def bare(line: str) -> str:
        return line if "CANCELLED AT" in line or line.startswith("{") else _CLOCK.sub("", line)

    logs = papers.sorted("log").items()
    return papers.with_files({name: "\n".join(map(bare, text.split("\n"))) for name, text in logs})


def metrics(change: Callable[[str, dict[str, Any]], None], *constant: tuple[str, float]) -> Change:
    """``change(metric, series)`` for the series of the last GPU; and series that stand still on it."""

    def changed(papers: Papers) -> Papers | None:
        named = [row["metric"] for row in papers.rows if "UUID" in row["metric"] and "__name__" in row["metric"]]
        if not named:
            return None
        gpu = named[-1]["UUID"]
        mine = [row for row in papers.rows if row["metric"].get("UUID") == gpu]
        there = {row["metric"].get("__name__") for row in papers.rows}
        new = [
            {
                "metric": mine[0]["metric"] | {"__name__": name},
                "values": [[t, str(value)] for t, _ in mine[0]["values"]],
            }
            for name, value in constant
            if name not in there
        ]
        files = {}
        for name, text in papers.sorted("metrics").items():
            answer = parsed(text)
            for rows in results(answer):
                for row in rows:
                    metric = row["metric"].get("__name__", "")
                    if row["metric"].get("UUID") == gpu:
                        change(metric, row)
                        for other, value in constant:
                            if metric == other:
                                row["values"] = [[t, str(float(v) + value)] for t, v in row["values"]]
                rows += new
                new = []
            files[name] = json.dumps(answer)
        return papers.with_files(files)

    return changed


def _same(_metric: str, _row: dict[str, Any]) -> None:
    """No change."""


def _hotter(metric: str, row: dict[str, Any]) -> None:
    if metric.endswith(("GPU_TEMP", "MEMORY_TEMP")):
        row["values"] = [[t, str(float(v) + 6)] for t, v in row["values"]]


def _soft_reasons(metric: str, row: dict[str, Any]) -> None:
    if metric.endswith(("THROTTLE_REASONS", "EVENT_REASONS")):
        row["values"] = [[t, str(int(float(v)) | 0x116)] for t, v in row["values"]]


def _corrected(metric: str, row: dict[str, Any]) -> None:
    if metric.endswith("SBE_VOL_TOTAL"):
        count = len(row["values"])
        row["values"] = [[t, str(float(v) + 9 * n // count)] for n, (t, v) in enumerate(row["values"])]


def accounting(state: str, code: str, *, ours: bool = False) -> Change:
    """A row of another job: on nodes that are none of ours, or on ours, and before."""

    def change(papers: Papers) -> Papers | None:
        for name, text in papers.sorted("accounting").items():
            head, _, rest = text.rstrip("\n").partition("\n")
            if head.startswith("JobID") and "|" in head and rest:
                columns, row = head.split("|"), rest.split("\n")[0].split("|")
                job = row[0].partition(".")[0]
                other = {"State": state, "ExitCode": code, "User": "sil", "JobName": "sweep", "DerivedExitCode": code}
                other |= dict.fromkeys(("JobID", "JobIDRaw"), str(int(job) - 41 - rest.count("\n")))
                other |= (
                    dict.fromkeys(("Start", "End", "Submit"), "2025-01-03T04:05:06") if ours else {"NodeList": "zz91"}
                )
                new = "|".join(other.get(c, v) for c, v in zip(columns, row, strict=False))
                return replace(papers.with_files({name: f"{head}\n{rest}\n{new}\n"}), job=job)
            if text.lstrip().startswith("{") and (jobs := parsed(text).get("jobs")):
                answer, job, current = parsed(text), jobs[0]["job_id"], jobs[0]["state"]["current"]
                other = jobs[0] | {"job_id": job - 41 - len(jobs), "user": "sil", "steps": [], "name": "sweep"}
                other["state"] = {"current": [state] if isinstance(current, list) else state, "reason": "None"}
                other |= {} if ours else {"nodes": "zz91"}
                other["time"] = jobs[0]["time"] | ({"start": 1735877106, "end": 1735877706} if ours else {})
                answer["jobs"].append(other)
                return replace(papers.with_files({name: json.dumps(answer)}), job=str(job))
        return None

    return change


def nodes_told(text: str) -> Change:
    """What Slurm says of a node: ours or another, ``when`` long after the end."""

    def change(papers: Papers) -> Papers | None:
        if not papers.nodes:
            return None
        when = f"{datetime.fromtimestamp(papers.at('hours after'), UTC):%Y-%m-%dT%H:%M:%S}"
        return papers.with_files({"sinfo_R.txt": text.format(node=papers.nodes[0], when=when)})

    return change


def without(*sorts: Sort) -> Change:
    """These files are not there."""

    def change(papers: Papers) -> Papers | None:
        left = {name: text for name, text in papers.files.items() if sort_of(name) not in sorts}
        return (
            replace(papers, files=left)
            if len(left) < len(papers.files) and set(map(sort_of, left)) - {"meta"}
            else None
        )

    return change


def without_series(words: str) -> Change:
    """No series of these names."""

    def change(papers: Papers) -> Papers | None:
        files = {}
        for name, text in papers.sorted("metrics").items():
            answer = parsed(text)
            for rows in results(answer):
                rows[:] = [row for row in rows if not re.search(words, row["metric"].get("__name__", ""))]
            files[name] = json.dumps(answer)
        return papers.with_files(files) if files else None

    return change


_OF_ANOTHER: Final = "task_memcg=/user.slice/user-4021.slice/session-88.scope,task=rsync,pid=9917,uid=4021"
DISTRACTIONS: Final[dict[str, dict[str, Change]]] = {
    "kernel": {
        "hardware XIDs of a node that is not ours": kernel("end", "NVRM: Xid (PCI:0000:4f:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", "NVRM: Xid (PCI:0000:4f:00): 48, pid=77, name=python3, DBE (double bit error) ECC Error detected", node="zz91"),
        "a process of others met XID 31, 43, 13": kernel("middle", *(f"NVRM: Xid (PCI:{{bus}}): {n}, pid=9917, name=probe, Ch 00000010" for n in (31, 43, 13))),
        "XID 45 of others": kernel("middle", "NVRM: Xid (PCI:{bus}): 45, pid=9917, name=probe, Ch 00000010"),
        "XID 79 and 48 days before": kernel("days before", "NVRM: Xid (PCI:{bus}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", "NVRM: Xid (PCI:{bus}): 48, pid=77, name=python3, DBE (double bit error) ECC Error detected"),
        "XID 79 hours after": kernel("hours after", "NVRM: Xid (PCI:{bus}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", "NVRM: GPU {bus}.0: GPU has fallen off the bus."),
        "a GPU we do not hold fell off the bus": kernel("middle", "NVRM: Xid (PCI:0000:ee:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        "another user's process ran out of memory": kernel("middle", "rsync invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0", f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/user.slice/user-4021.slice,{_OF_ANOTHER}", "Memory cgroup out of memory: Killed process 9917 (rsync) total-vm:9025364kB, anon-rss:4314060kB, file-rss:80kB, shmem-rss:0kB, UID:4021 pgtables:2100kB oom_score_adj:0"),
        "another task hung": kernel("middle", "INFO: task updatedb:3301 blocked for more than 120 seconds.", '      Not tainted 5.15.0-119-generic #129-Ubuntu', '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
        "a daemon crashed": kernel("middle", "nrpe[2211]: segfault at 0 ip 00007fcf71985ad8 sp 00007ffca5f09948 error 4 in libc.so.6[167ad8,7fcf71844000+156000]"),
        "NFS was slow": kernel("hours before", "nfs: server nas01 not responding, still trying", "nfs: server nas01 OK"),
        "a port without a cable": kernel("middle", "mlx5_core 0000:5e:00.1 ens5f1np1: Link down", "mlx5_core 0000:5e:00.1: Port module event: module 1, Cable unplugged"),
        "corrected errors": kernel("middle", "pcieport 0000:15:01.0: AER: Corrected error received: 0000:15:00.0", "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0", "mce: [Hardware Error]: Machine check events logged"),
        "noise at the end": kernel("end", 'audit: type=1400 audit(1790.1:33): apparmor="DENIED" operation="open" profile="/usr/sbin/ntpd" name="/snap/bin/"', "systemd[1]: Stopped target Sleep.", "clocksource: timekeeping watchdog on CPU12: Marking clocksource 'tsc' as unstable because the skew is too large", "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79500"),
    },
    "metrics": {
        "harmless reasons": metrics(_soft_reasons),
        "6 C hotter": metrics(_hotter),
        "old ECC errors and remapped rows": metrics(_same, ("DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", 91), ("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", 2), ("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", 4), ("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", 1)),
        "nine corrected errors": metrics(_corrected, ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", 3)),
        "replays and CRC errors that stand still": metrics(_same, ("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 812), ("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", 40213), ("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", 12)),
    },
    "accounting": {
        "another job FAILED": accounting("FAILED", "1:0"),
        "another job OUT_OF_MEMORY": accounting("OUT_OF_MEMORY", "0:125"),
        "another job NODE_FAIL": accounting("NODE_FAIL", "1:0"),
        "an earlier job on our nodes FAILED": accounting("FAILED", "1:0", ours=True),
    },
    "nodes": {
        "another node is drained": nodes_told("REASON               USER      TIMESTAMP           NODELIST\nNot responding       slurm     {when} zz91\n"),
        "our node is drained hours later": nodes_told("REASON               USER      TIMESTAMP           NODELIST\nkernel update        root      {when} {node}\n"),
    },
    "log": {
        "NCCL warns": said("middle", "node7:4711:4811 [0] NCCL WARN NET/IB : mlx5_3:1 Got async event : client reregistration", "node7:4711:4811 [0] NCCL WARN NET/IB : Unable to open device mlx5_9"),
        "port taken, tried again": said("begin", "[W socket.cpp:464] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).", "port 29500 is taken (Address already in use), trying 29501", "rendezvous store is up on port 29501"),
        "memory ran out, batch halved": said("middle", "WARNING: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.12 GiB is free. Caught; micro batch goes from 8 to 4, step is repeated", training=True),
        "memory ran out, traceback shown": said("middle", "out of memory in step, emptying the cache and trying again:", "Traceback (most recent call last):", '  File "/workspace/train.py", line 233, in train_step', "    loss = model(batch)", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB.", "retry 1 succeeded", training=True),
        "NaN skipped twice": said("middle", "loss is nan, skipping step", "loss is nan, skipping step", "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0", training=True),
        "a shard was read again": said("middle", "WARNING: OSError: [Errno 5] Input/output error: '/data/shard-00017.tar' (attempt 1/5), retrying in 2 s", "INFO: shard-00017.tar read at attempt 2", training=True),
        "a tracker lost its server": said("middle", "wandb: Network error (ConnectionError), entering retry loop.", "wandb: ERROR Error while calling W&B API: HTTP 502: Bad Gateway", "urllib3.connectionpool - WARNING - Retrying (Retry(total=2)) after connection broken by 'ConnectionResetError(104, 'Connection reset by peer')': /api/log", training=True),
        "advice": said("begin", "NOTE: if you see 'Watchdog caught collective operation timeout', raise timeout= in init_process_group", "NOTE: the job is killed with SIGKILL when the time limit is reached; save often", "NOTE: a Segmentation fault at start mostly means an old driver"),
        "what a prolog shows of other jobs": said("begin", "$ sacct -u ana -X --format=JobID,JobName,State,ExitCode", "JobID           JobName      State ExitCode", "------------ ---------- ---------- --------", "81120             sweep     FAILED      1:0", "81122             sweep OUT_OF_ME+    0:125", "81131             sweep    TIMEOUT      0:0"),
        "slurmstepd warns": said("begin", "slurmstepd: error: couldn't chdir to `/home/ana/old': No such file or directory: going to /tmp instead", "srun: warning: can't honor --ntasks-per-node set to 8 which doesn't match the requested tasks 16", "bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)"),
        "the end of another job": said("begin", "tail of the job before: slurm-81131.out", "slurmstepd: error: *** JOB 81131 ON zz91 CANCELLED AT 2026-05-04T10:00:00 DUE TO TIME LIMIT ***", "srun: error: zz91: task 0: Out Of Memory"),
        "a helper of the script failed": said("middle", "srun: error: zz91: task 0: Exited with exit code 1", "sidecar: metrics pusher ended (exit code 1), training does not depend on it", training=True),
        "a spike that recovered": _spike,
    },
}  # fmt: skip
"""Changes by what they change, under the name they are told by."""
FORGETS: Final[dict[str, Change]] = {
    "without the kernel's log": without("kernel"),
    "without accounting": without("accounting"),
    "without metrics": without("metrics"),
    "without the job's log": without("log"),
    "the job's log alone": without("kernel", "accounting", "metrics", "meta"),
    "metrics and accounting alone": without("kernel", "log"),
    "metrics alone": without("kernel", "log", "accounting", "meta"),
    "logs without times": _without_times,
    "without profiling fields": without_series("_PROF_"),
    "utilisation, power, memory and heat alone": without_series(
        r"^DCGM(?!_FI_DEV_(?:GPU_UTIL|POWER_USAGE|FB_USED|GPU_TEMP)$)"
    ),
}
"""Evidence taken away: the verdict may abstain then, and not turn."""

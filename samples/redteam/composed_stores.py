"""Changes of accounting and logs: taken away, told by another clock, or beside what another job left."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from . import composed_folder as folders
from .composed_folder import LOCAL, OTHER, job_of

if TYPE_CHECKING:
    from random import Random
    from typing import Any

    from .composed_folder import Folder

_UTC: Final = datetime(1970, 1, 1)  # noqa: DTZ001  the composer's times are local ones, of no zone


def _without(folder: Folder, kind: str) -> Folder | None:
    found = folder.of(kind)
    return folder.without(found) if found and len(found) < len(folder.files) else None


def no_accounting(folder: Folder, rng: Random) -> Folder | None:
    """Nobody asked sacct."""
    return _without(folder, "accounting")


def no_kernel(folder: Folder, rng: Random) -> Folder | None:
    """No kernel log."""
    return _without(folder, "kernel")


def no_logs(folder: Folder, rng: Random) -> Folder | None:
    """No log of the job."""
    return _without(folder, "log")


def no_nodes(folder: Folder, rng: Random) -> Folder | None:
    """No state of nodes."""
    return _without(folder, "nodes")


def no_meta(folder: Folder, rng: Random) -> Folder | None:
    """No notes of who gathered it."""
    return _without(folder, "meta")


# --- logs ----------------------------------------------------------------------------------------------------------

_CLOCK: Final = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|(?<=[IWEF])\d{4} \d\d:\d\d:\d\d(?:\.\d+)?|\d\d/\d\d \d\d:\d\d:\d\d"
)


def rank_0_only(folder: Folder, rng: Random) -> Folder | None:
    """Of logs of ranks only that of rank 0."""
    logs = folder.of("log")
    ranks = {name: found for name in logs if (found := re.findall(r"(?<![a-z])rank[_-]?0*(\d+)", name.lower()))}
    gone = [name for name, found in ranks.items() if int(found[-1]) != 0]
    return folder.without(gone) if gone and len(gone) < len(ranks) else None


def log_without_clock(folder: Folder, rng: Random) -> Folder | None:
    """The job's log prints no clock."""
    logs = {name: folder.files[name] for name in folder.of("log")}
    made = {name: _CLOCK.sub("", text) for name, text in logs.items()}
    return folder.having(made) if made != logs else None


def log_by_another_zone(folder: Folder, rng: Random) -> Folder | None:
    """Containers print the time of another zone than the cluster's."""
    seconds = 3600 * rng.choice((-8, -7, -5, 1, 2, 9))
    plain = re.compile(r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)(?!\S*(?:Z|[+-]\d\d:?\d\d))")

    def move(found: re.Match[str]) -> str:
        when = datetime.strptime(f"{found[1]}T{found[3]}", LOCAL) + timedelta(seconds=seconds)  # noqa: DTZ007
        return f"{when:%Y-%m-%d}{found[2]}{when:%H:%M:%S}"

    logs = {name: folder.files[name] for name in folder.of("log")}
    made = {
        name: "\n".join(
            line if "CANCELLED AT" in line or line.startswith("slurmstepd") else plain.sub(move, line)
            for line in text.split("\n")
        )
        for name, text in logs.items()
    }
    return folder.having(made) if made != logs else None


def another_log_beside(folder: Folder, rng: Random) -> Folder | None:
    """The log of another job, which ended well the day before, was left in the folder."""
    job = job_of(folder)
    if job is None or job.begun is None or not folder.of("log"):
        return None
    day = job.begun - timedelta(days=1)
    lines = [f"{day:%Y-%m-%d %H:%M:%S} INFO start of job {OTHER} on other001, 400 steps to go"]
    for k in range(10, 401, 10):
        when = day + timedelta(seconds=20 + 3 * k)
        lines.append(f"{when:%Y-%m-%d %H:%M:%S} INFO step {k}/400 loss {2.1 + 6 / (1 + k / 20):.4f} lr 3.0e-04")
    lines.append(f"{day + timedelta(seconds=1230):%Y-%m-%d %H:%M:%S} INFO training complete after 400 steps")
    return folder.having({f"slurm-{OTHER}.out": "\n".join(lines) + "\n"})


# --- accounting ----------------------------------------------------------------------------------------------------


def _with_job(folder: Folder, state: str, code: str, begun: datetime, ended: datetime, nodes: str) -> Folder | None:
    """Accounting with another job's rows: job, batch, step."""
    job = job_of(folder)
    if job is None:
        return None
    text = folder.files[job.file]
    first = begun < (job.begun or begun)
    if text.lstrip().startswith("{"):
        told: dict[str, Any] = json.loads(text)
        new = _json_job(told["jobs"][0], state, code, begun, ended, nodes)
        told["jobs"] = [new, *told["jobs"]] if first else [*told["jobs"], new]
        return folder.having({job.file: json.dumps(told, indent=1)})
    names, ruler, lines = folders.table(text)
    out = []
    for line in lines:
        row = dict(zip(names, folders.cells(line, ruler), strict=False))
        number, dot, step = row["JobID"].partition(".")
        if number != job.number or line not in lines[: len(lines) // job.rows]:
            continue
        word, status = (state, code) if step != "extern" else ("COMPLETED", "0:0")
        new = {
            "JobID": OTHER + dot + step,
            "JobIDRaw": OTHER + dot + step,
            "JobName": row.get("JobName", "") if step else "eval",
            "State": word,
            "ExitCode": status,
            "DerivedExitCode": status if row.get("DerivedExitCode") else "",
            "Submit": f"{begun - timedelta(seconds=60):{LOCAL}}",
            "Eligible": f"{begun - timedelta(seconds=60):{LOCAL}}",
            "Start": f"{begun:{LOCAL}}",
            "End": f"{ended:{LOCAL}}",
            "Elapsed": str(ended - begun).rjust(8, "0").replace(" day, ", "-"),
            "ElapsedRaw": str(round((ended - begun).total_seconds())),
            "NodeList": nodes,
            "Restarts": "0" if row.get("Restarts") else "",
        }
        row.update({k: v for k, v in new.items() if k in row})
        out.append(_line(names, row, ruler))
    head = text[: text.index(lines[0])]
    both = [*out, *lines] if first else [*lines, *out]
    return folder.having({job.file: head + "\n".join(both) + "\n"}) if out else None


def _line(names: list[str], row: dict[str, str], ruler: str) -> str:
    if not ruler:
        return "|".join(row[name] for name in names)
    out = ""
    for name, place in zip(names, re.finditer("-+", ruler), strict=True):
        width = place.end() - place.start()
        out = out.ljust(place.start()) + row[name][:width].ljust(width)
    return out


def _json_job(
    like: dict[str, Any], state: str, code: str, begun: datetime, ended: datetime, nodes: str
) -> dict[str, Any]:
    new = deepcopy(like)
    number = int(code.partition(":")[0])
    status = deepcopy(new["exit_code"])
    status["status"] = ["ERROR" if number else "SUCCESS"]
    status["return_code"] = {"set": True, "infinite": False, "number": number}
    first, last = (round((when - _UTC).total_seconds()) for when in (begun, ended))
    new.update(job_id=int(OTHER), name="eval", nodes=nodes, exit_code=status, derived_exit_code=status, steps=[])
    new["state"] = {"current": [state], "reason": "None"}
    new["time"].update(start=first, end=last, elapsed=last - first, submission=first - 60, eligible=first - 60)
    return new


_ENDS: Final = (("FAILED", "1:0"), ("TIMEOUT", "0:0"), ("COMPLETED", "0:0"))


def job_before(folder: Folder, rng: Random) -> Folder | None:
    """Another job's rows: it ran on these nodes before, and failed, ran out of time or ended well."""
    job = job_of(folder)
    if job is None or job.begun is None:
        return None
    begun = job.begun - timedelta(hours=3)
    return _with_job(folder, *rng.choice(_ENDS), begun, begun + timedelta(hours=2), job.nodes)


def job_after(folder: Folder, rng: Random) -> Folder | None:
    """The same, of a job that ran there afterwards."""
    job = job_of(folder)
    if job is None or job.ended is None:
        return None
    begun = job.ended + timedelta(minutes=12)
    return _with_job(folder, *rng.choice(_ENDS), begun, begun + timedelta(minutes=50), job.nodes)


def job_beside(folder: Folder, rng: Random) -> Folder | None:
    """The same, of a job that ran on other nodes meanwhile."""
    job = job_of(folder)
    if job is None or job.begun is None or job.ended is None:
        return None
    begun = job.begun + (job.ended - job.begun) * 0.2
    return _with_job(folder, *rng.choice(_ENDS), begun, job.ended + timedelta(minutes=5), "other001")


def drained_neighbour(folder: Folder, rng: Random) -> Folder | None:
    """A node next door is drained, and a second one down."""
    job, found = job_of(folder), folder.of("nodes")
    if job is None or job.begun is None:
        return None
    when = f"{job.begun + timedelta(minutes=4):{LOCAL}}"
    rows = (("next101", "DRAINED", "bad DIMM"), ("next102", "DOWN", "Not responding"))
    if found and folder.files[found[0]].startswith("NodeName="):
        more = "".join(
            f"\nNodeName={name} Arch=x86_64 CoresPerSocket=48\n   CPUAlloc=0 CPUTot=96 CPULoad=0.02\n   Gres=gpu:8\n   NodeAddr={name} NodeHostName={name} Version=23.11.10\n"
            f"   State={state} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n   Partitions=gpu\n   BootTime={job.begun - timedelta(days=40):{LOCAL}} SlurmdStartTime={job.begun - timedelta(days=40):{LOCAL}}\n"
            f"   Reason={reason} [root@{when}]\n"
            for name, state, reason in rows
        )
        return folder.having({found[0]: folder.files[found[0]].rstrip("\n") + "\n" + more})
    if found:
        return None
    lines = ["REASON               USER      TIMESTAMP           NODELIST"]
    lines += [f"{reason:20} root      {when} {name}" for name, _, reason in rows]
    return folder.having({"sinfo-R.txt": "\n".join(lines) + "\n"})


def idle_warm_up(folder: Folder, rng: Random) -> Folder | None:
    """The job began ten minutes earlier, with GPUs that nobody used."""
    job = job_of(folder)
    if job is None or job.begun is None or job.rows != 1 or job.file.endswith(".json"):
        return None
    span, work = folders.span(folder), folders.at_work(folder)
    if span is None or work is None or work[0] < span[0] + 60:
        return None  # nothing shows its GPUs before it
    early = timedelta(minutes=10)
    names, ruler, lines = folders.table(folder.files[job.file])
    out = []
    for line in lines:
        row = dict(zip(names, folders.cells(line, ruler), strict=False))
        for name in ("Submit", "Eligible", "Start"):
            if row.get(name, "").startswith("2"):
                row[name] = f"{datetime.strptime(row[name], LOCAL) - early:{LOCAL}}"  # noqa: DTZ007
        if row.get("End", "").startswith("2") and "Elapsed" in row and "Start" in row:
            took = datetime.strptime(row["End"], LOCAL) - datetime.strptime(row["Start"], LOCAL)  # noqa: DTZ007
            row["Elapsed"] = str(took).rjust(8, "0").replace(" days, ", "-").replace(" day, ", "-")
        out.append(_line(names, row, ruler))
    text = folder.files[job.file]
    with_row = folder.having({job.file: text[: text.index(lines[0])] + "\n".join(out) + "\n"})

    def earlier(labels: folders.Labels, values: folders.Values) -> list[folders.Series]:
        step = max(5.0, (float(values[-1][0]) - float(values[0][0])) / max(1, len(values) - 1))
        first = values[0]
        more = [[round(float(first[0]) - k * step, 3), first[1]] for k in range(int(600 / step), 0, -1)]
        return [(labels, more + values)]

    return folders.remade(with_row, earlier)

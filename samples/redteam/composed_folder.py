"""A folder as an operator hands it over, in memory: its files by what they are, its series, its kernel logs, its accounting."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Labels = dict[str, str]
    Values = list[list[Any]]
    Series = tuple[Labels, Values]

HOSTS: Final = ("Hostname", "hostname", "node", "nodename", "host", "kubernetes_node", "exported_instance", "instance")
UTIL: Final = ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE")
_STAMPS: Final = (
    ("T", re.compile(r"\[(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\] "), "%a %b %d %H:%M:%S %Y"),
    ("iso", re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?=[.,\d]*(?:Z|[+-]\d\d:?\d\d)? )"), "%Y-%m-%dT%H:%M:%S"),
    ("short", re.compile(r"(\w{3} [ \d]\d \d\d:\d\d:\d\d) "), "%b %d %H:%M:%S"),
)
LOCAL: Final = "%Y-%m-%dT%H:%M:%S"
OTHER: Final = "4177023"
"""A job that is not the one."""


@dataclass
class Folder:
    """Text of files by name, and what names have become of others."""

    files: dict[str, str]
    names: dict[str, str] = field(default_factory=dict)
    """By a name that a change gave to a node or a GPU, the one it had."""
    blind: bool = False
    """Whether GPUs can no longer be told by their UUID."""
    right: tuple[str, ...] = ()
    """The answers that are right, for changes that fit some of them only."""
    words: str = ""
    """Which harmless words a change laid over a log."""

    def of(self, kind: str) -> list[str]:
        """Names of the files of a kind."""
        return [name for name, text in self.files.items() if kind_of(name, text) == kind]

    def without(self, names: list[str]) -> Folder:
        """The same, but for these files."""
        return replace(self, files={name: text for name, text in self.files.items() if name not in names})

    def having(self, texts: dict[str, str]) -> Folder:
        """The same, these files new or written anew."""
        return replace(self, files={**self.files, **texts})

    def called(self, names: dict[str, str]) -> Folder:
        """The same, with what some are called from now on."""
        return replace(self, names={**self.names, **names})


def read(place: Path) -> Folder | None:
    """The folder; None where it holds what is no text."""
    files = {}
    for path in sorted(place.rglob("*")):
        if not path.is_file():
            continue
        data, name = path.read_bytes(), str(path.relative_to(place))
        if name.endswith(".gz"):
            data, name = gzip.decompress(data), name.removesuffix(".gz")
        if b"\0" in data[:4096]:
            return None
        files[name] = data.decode("utf-8", "replace")
    return Folder(files)


def write(folder: Folder, place: Path) -> None:
    """Write it out."""
    for name, text in folder.files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def kind_of(name: str, text: str) -> str:
    """What a file is: metrics, accounting, nodes, kernel, meta, log or other."""
    head, last = text[:4000], name.rpartition("/")[2].lower()
    if last == "meta.json":
        return "meta"
    if head.lstrip()[:1] in ("{", "["):
        if '"metric"' in head:
            return "metrics"
        return "accounting" if '"jobs"' in head and '"job_id"' in head else "other"
    first = next((line for line in head.splitlines() if line.strip()), "")
    if "JobID" in first and "State" in first:
        return "accounting"
    if first.startswith(("NodeName=", "NODELIST", "PARTITION", "HOSTNAMES")):
        return "nodes"
    if re.search(r"dmesg|journal|kern|syslog|messages", name.lower()) or "NVRM:" in head:
        return "kernel"
    if last.endswith((".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".xml", ".db", ".prom")):
        return "other"
    return "log"


# --- series --------------------------------------------------------------------------------------------------------


def _documents(text: str) -> tuple[list[Any], bool]:
    try:
        return [json.loads(text)], False
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()], True


def _walk(value: Any, stem: str) -> Iterator[tuple[list[Any], str]]:  # noqa: ANN401  JSON is what it is
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "result" and isinstance(inner, list):
                yield inner, stem
            else:
                yield from _walk(inner, stem if name in ("data", "status") else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, stem)


def series(folder: Folder) -> list[Series]:
    """All series of the folder, each with the name of its metric."""
    out = []
    for name in folder.of("metrics"):
        for rows, stem in _walk(_documents(folder.files[name])[0], _stem(name)):
            out += [(named(row["metric"], stem), row["values"]) for row in rows if "values" in row]
    return out


def _stem(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[0]


def named(labels: Labels, stem: str) -> Labels:
    """Labels with the name of the metric, which the file may have instead."""
    return labels if "__name__" in labels else {"__name__": stem, **labels}


def remade(folder: Folder, change: Callable[[Labels, Values], list[Series]]) -> Folder | None:
    """The folder with each of its series changed, left out or joined by others; None where it has none."""
    files, seen = dict(folder.files), False
    for name in folder.of("metrics"):
        documents, lines = _documents(folder.files[name])
        for rows, stem in _walk(documents, _stem(name)):
            out = []
            for row in rows:
                if "values" not in row:
                    out.append(row)
                    continue
                seen = True
                made = change(named(row["metric"], stem), row["values"])
                out += [{"metric": labels, "values": values} for labels, values in made if values]
            rows[:] = out
        files[name] = "".join(json.dumps(d) + "\n" for d in documents) if lines else json.dumps(documents[0])
    return replace(folder, files=files) if seen else None


def host_of(labels: Labels) -> str:
    """The node a series is of, by whichever label names it."""
    return next((labels[key].partition(":")[0] for key in HOSTS if labels.get(key)), "")


def is_gpu(labels: Labels) -> bool:
    """Whether a series is of a GPU."""
    return bool(labels.get("UUID") or labels.get("gpu"))


def card_of(labels: Labels) -> tuple[str, str]:
    """The GPU a series is of."""
    return host_of(labels), labels.get("UUID") or labels.get("gpu", "")


def hosts(folder: Folder) -> list[str]:
    """Nodes that GPUs were sampled on."""
    return sorted({host_of(labels) for labels, _ in series(folder) if is_gpu(labels)} - {""})


def at_work(folder: Folder) -> tuple[float, float] | None:
    """First and last moment at which most of the GPUs that ever worked did so."""
    first, last = [], []
    for labels, values in series(folder):
        if labels["__name__"] in UTIL:
            floor = 5 if labels["__name__"] == UTIL[0] else 0.05
            busy = [float(t) for t, v in values if float(v) > floor]
            if busy:
                first.append(busy[0])
                last.append(busy[-1])
    return (sorted(first)[len(first) // 2], sorted(last)[len(last) // 2]) if first else None


def span(folder: Folder) -> tuple[float, float] | None:
    """First and last sample."""
    found = [(float(values[0][0]), float(values[-1][0])) for _, values in series(folder) if values]
    return (min(a for a, _ in found), max(b for _, b in found)) if found else None


# --- the kernel's lines --------------------------------------------------------------------------------------------


def stamp_of(line: str) -> tuple[str, re.Match[str], datetime] | None:
    """The form of a line's clock, where it stands, and what it says: local time, of no year where none is told."""
    for form, expression, spelled in _STAMPS:
        found = expression.match(line)
        if found:
            told = found[1] if form != "short" else f"2024 {found[1]}"
            return form, found, datetime.strptime(told, spelled if form != "short" else f"%Y {spelled}")  # noqa: DTZ007
    return None


def spelled(form: str, when: datetime) -> str:
    """A moment in one of those forms."""
    day = f"{when.day:2d}"
    if form == "T":
        return f"{when:%a %b} {day} {when:%H:%M:%S %Y}"
    return f"{when:{LOCAL}}" if form == "iso" else f"{when:%b} {day} {when:%H:%M:%S}"


def moved(line: str, seconds: float) -> str:
    """A line, its clock moved."""
    told = stamp_of(line)
    if told is None:
        return line
    form, found, when = told
    return line[: found.start(1)] + spelled(form, when + timedelta(seconds=seconds)) + line[found.end(1) :]


def node_of_file(name: str, text: str, nodes: list[str]) -> str | None:
    """The one node that a kernel's log is of."""
    in_name = [node for node in nodes if re.search(rf"(?<![a-z0-9]){re.escape(short(node))}(?![a-z0-9])", name.lower())]
    if len(in_name) == 1:
        return in_name[0]
    said = Counter(found[1] for found in re.finditer(r"(?m)^\S.{10,40}? (\S+) kernel: ", text[:20000]))
    return next(iter(said)) if len(said) == 1 else None


def short(node: str) -> str:
    """A node's name without its domain."""
    return node.partition(".")[0].lower()


def kernel_lines(folder: Folder, name: str, rows: list[tuple[datetime, str]]) -> str | None:
    """The text of a kernel's log with lines added at local times; None where its lines have no such clock."""
    lines = folder.files[name].splitlines()
    stamped = [(told[2], k, line) for k, line in enumerate(lines) if (told := stamp_of(line))]
    if not stamped or len(stamped) < len(lines) * 0.9:
        return None
    form, found, _ = stamp_of(stamped[-1][2])  # type: ignore[misc]
    line = stamped[-1][2]
    tail = re.match(r".{0,60}? kernel: ", line[found.end(1) :])
    between = tail[0] if tail else "] " if form == "T" else " "
    year = stamped[-1][0].year
    new = [
        (when.replace(year=year), 1 << 30, f"{'[' if form == 'T' else ''}{spelled(form, when)}{between}{text}")
        for when, text in rows
    ]
    return "\n".join(text for _, _, text in sorted([*stamped, *new], key=lambda row: row[:2])) + "\n"


# --- accounting ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """The job as accounting tells of it."""

    file: str
    number: str
    begun: datetime | None
    ended: datetime | None
    rows: int
    nodes: str
    state: str


def cells(line: str, ruler: str) -> list[str]:
    """Fields of a line of accounting; ``ruler`` is empty where they are delimited."""
    if not ruler:
        return line.split("|")
    return [line[found.start() : found.end()].strip() for found in re.finditer("-+", ruler)]


def table(text: str) -> tuple[list[str], str, list[str]]:
    """Names of columns, ruler, and lines of records."""
    lines = [line for line in text.splitlines() if line.strip()]
    ruler = lines[1] if len(lines) > 1 and set(lines[1]) <= set("- ") else ""
    return cells(lines[0], ruler), ruler, lines[2:] if ruler else lines[1:]


def job_of(folder: Folder) -> Job | None:
    """The one job of accounting; None where it tells of several, or is not there."""
    found = folder.of("accounting")
    if len(found) != 1:
        return None
    text = folder.files[found[0]]
    if text.lstrip().startswith("{"):
        jobs = json.loads(text)["jobs"]
        if len({job["job_id"] for job in jobs}) != 1 or not all(job["time"]["start"] for job in jobs):
            return None
        begun, ended = jobs[0]["time"]["start"], jobs[-1]["time"]["end"]
        utc = datetime(1970, 1, 1)  # noqa: DTZ001
        return Job(
            found[0],
            str(jobs[0]["job_id"]),
            utc + timedelta(seconds=begun),
            utc + timedelta(seconds=ended) if ended else None,
            len(jobs),
            jobs[0]["nodes"],
            jobs[-1]["state"]["current"][0],
        )
    names, ruler, lines = table(text)
    rows = [dict(zip(names, cells(line, ruler), strict=False)) for line in lines]
    mine = [row for row in rows if row.get("JobID", "").isdigit()]
    if not mine or len({row["JobID"] for row in mine}) != 1:
        return None
    return Job(
        found[0],
        mine[0]["JobID"],
        _time(mine[0].get("Start", "")),
        _time(mine[-1].get("End", "")),
        len(mine),
        mine[0].get("NodeList", ""),
        mine[-1]["State"],
    )


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, LOCAL)  # noqa: DTZ007
    except ValueError:
        return None

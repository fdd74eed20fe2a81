"""How nodes are called: each by one name, whatever files call it, and by that name where only a file's own holds it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from inquest.bundle import hostlist
from inquest.bundle.imports import _slurm_job as slurm_job
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Collection, Set

    from inquest.bundle.imports.rows import Rows

_ADDRESS: Final = re.compile(r"[\d.]+$|[0-9a-fA-F:]*:[0-9a-fA-F:]+$")


def is_address(node: str) -> bool:
    """Whether a node is called by an address, which is nobody's name."""
    return _ADDRESS.match(node) is not None


def of_job(rows: Rows) -> set[str]:
    """Nodes that accounting says the job ran on, by the names it has for them."""
    return {
        node
        for frame in rows.frames("slurm_jobs", "node_list")
        for node in hostlist.assigned(frame["node_list"].drop_nulls().unique())
    }


def only_of_job(rows: Rows, job: str | None) -> str | None:
    """The one node of the job, or of the only one that accounting tells of: logs that name none were written there.

    None where it tells of several nodes, or of several jobs, or lists them in a column that was too narrow.
    """
    told = [
        (str(name), text, number)
        for frame in rows.frames("slurm_jobs", "job_id", "node_list", "nodes")
        for name, text, number in frame.iter_rows()
        if job is None or slurm_job.is_of(str(name), job)
    ]
    jobs, lists = {name for name, _, _ in told}, {text for _, text, _ in told if text}
    names = set(hostlist.assigned(sorted(lists)))
    several = len(jobs) != 1 or len(names) != 1 or max((number or 1 for _, _, number in told), default=1) > 1
    return None if several or any(hostlist.is_cut(text) for text in lists) else names.pop()


def known(rows: Rows) -> set[str]:
    """Nodes that rows are of, and those that the scheduler names."""
    told = set(rows.all_nodes()) - {UNKNOWN_NODE}
    for table, column in (("slurm_jobs", "node_list"), ("slurm_nodes", "slurm_node_name")):
        if table in rows.tables():
            for frame in rows.frames(table):
                told.update(hostlist.assigned(frame[column].drop_nulls().unique()))
    return told


def owners(rows: Rows) -> dict[str, str]:
    """The node of each GPU that a list of a node's GPUs names; none of one that two nodes list."""
    told: dict[str, set[str]] = {}
    if "node_info" in rows.tables():
        for frame in rows.frames("node_info", "node", "gpu_uuids"):
            for node, uuids in frame.drop_nulls().iter_rows():
                for uuid in str(uuids).split(",") if node != UNKNOWN_NODE else ():
                    told.setdefault(uuid.strip(), set()).add(str(node))
    return {uuid: next(iter(of)) for uuid, of in told.items() if uuid.startswith("GPU-") and len(of) == 1}


def in_name(file: str, nodes: Set[str]) -> str | None:
    """The one of these nodes that a file is named after; None where it is named after none or several."""
    named = sorted((node for node in nodes if _is_named(node, file)), key=lambda node: (len(node), node))
    # The short name of a node and its name with a domain are one node's (`short_names`).
    return named[0] if len({short(node) for node in named}) == 1 else None


def of_kernel_log(file: str, rows: Rows) -> str | None:
    """The node of a kernel's log that no other file knows by its name: one called as the job's are, else its only one.

    A folder may hold the kernel's log of a node next door, and that must not be taken for the job's.
    """
    told = known(rows)
    shapes = {re.sub(r"\d+", "#", short(node)) for node in told if not is_address(node)}
    found: set[str] = set()
    for shape in shapes:
        if shape[0].isalpha() and "#" in shape:
            name = re.escape(shape).replace(r"\#", r"\d{1,9}")
            found.update(re.findall(rf"(?<![a-z0-9]){name}(?![a-z0-9]|-\d)", file.casefold()))
    # Who names files by hand leaves out the zeros: node3 is node03.
    alike = {short(node): node for node in sorted(told) if _plain(short(node)) in {_plain(name) for name in found}}
    if len(alike) == 1:
        return next(iter(alike.values()))
    if alike or found:
        return found.pop() if not alike and len(found) == 1 else None
    ours = of_job(rows)
    return next(iter(ours)) if len(ours) == 1 else None


def _plain(name: str) -> str:
    return re.sub(r"\d+", lambda number: number[0].lstrip("0"), name)


_OF_NO_NODE: Final = re.compile(
    r"(?:^|[-_.])(?:dmesg|journal(?:ctl)?|kern(?:el)?|messages|syslog|kmsg|[tk])(?=[-_.]|$)"
)


def by_their_likes(files: Collection[str]) -> dict[str, str]:
    """Nodes that files are named after where nothing else names nodes: each after another of the same shape."""
    words = {file: _words(file) for file in files}
    words = {file: [_TOOLS.sub("", word) or word for word in said] for file, said in words.items()}
    named = {file: found[0] for file, found in words.items() if len(found) == 1}
    shapes = {re.sub(r"\d+", "#", name) for name in named.values()}
    alike = len(named) == len(files) > 1 and len(shapes) == 1 and len(set(named.values())) == len(named)
    alike = alike and not shapes & _OF_OTHERS
    return named if alike else {}


_TOOLS: Final = re.compile(
    r"^(?:(?:nvidia-?smi|nvidia|nvsmi|smi|dmon|dcgmi?|gpus?|gpustat|metrics?|stats?|usage|util|samples?)[-_])+"
    r"|(?:[-_](?:nvidia-?smi|nvidia|nvsmi|smi|dmon|dcgmi?|gpus?|gpustat|metrics?|stats?|usage|util|samples?))+$"
)
"""What else stands in the name of a file of readings."""
_OF_OTHERS: Final = frozenset(
    f"{word}#"
    for word in (
        *(
            "gpu",
            "rank",
            "r",
            "run",
            "part",
            "p",
            "attempt",
            "try",
            "day",
            "log",
            "job",
            "v",
            "dmon",
            "smi",
            "dcgm",
            "task",
        ),
        *("gpus", "card", "device", "cuda", "worker", "w", "hour", "h", "chunk", "shard", "t", "step", "epoch", "file"),
    )
)
"""What else files are numbered by."""


def _words(file: str) -> list[str]:
    """Words of a file's name that may be a node's: a letter first, and a digit."""
    name = _OF_NO_NODE.sub(" ", re.split(r"[/\\]", file.casefold())[-1])
    return [word for word in re.findall(r"[a-z][a-z0-9-]*", name) if any(letter.isdigit() for letter in word)]


def spelled_alike(rows: Rows) -> dict[str, str]:
    """New names of nodes that files spell in large and small letters: as accounting does, else in small ones."""
    nodes, listed = set(rows.all_nodes()) - {UNKNOWN_NODE}, of_job(rows)
    spelled: dict[str, set[str]] = {}
    for node in nodes | listed:
        if not is_address(node):
            spelled.setdefault(short(node), set()).add(node.partition(".")[0])
    own = {short(node): node.partition(".")[0] for node in sorted(listed)}
    names = {}
    for node in nodes:
        _, dot, domain = node.partition(".")
        if len(spelled.get(short(node), ())) > 1:
            names[node] = own.get(short(node), short(node)) + dot + domain.casefold()
    return {node: name for node, name in names.items() if node != name}


def short_names(rows: Rows, files: Collection[str]) -> dict[str, str]:
    """Short names of nodes where files differ, or are named by them: exporters alone tell a node with its domain."""
    nodes = set(rows.all_nodes()) - {UNKNOWN_NODE}
    by_short: dict[str, set[str]] = {}
    for node in nodes:
        if "." in node and not is_address(node):
            by_short.setdefault(node.partition(".")[0], set()).add(node)
    told = nodes | of_job(rows)
    told |= {
        short
        for short, long in by_short.items()
        if any(_is_named(node, file) and node not in file for node in long for file in files)
    }
    # Lists of nodes may be cut, and not every node has a log: those of one domain are called alike.
    alike = {node.partition(".")[2] for short, long in by_short.items() if short in told for node in long}
    return {
        node: short
        for short, (node, *more) in by_short.items()
        if not more and (short in told or node.partition(".")[2] in alike)
    }


def _is_named(node: str, file: str) -> bool:
    """Whether a file is named after a node, by its name or the short one: a word with a digit, no part of another."""
    name, file = short(node), file.casefold()
    if name not in file or not name[0].isalpha() or not any(letter.isdigit() for letter in name):
        return False
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9]|-\d)", file) is not None


def short(node: str) -> str:
    """What a node's names share: no domain, and letters of one case, for hosts know none."""
    return node.partition(".")[0].casefold()

"""Which GPU sits where: kernel, driver and NCCL name a GPU by its PCI address alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind
from inquest.bundle.hostlist import expand

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row

_ADDRESS: Final = re.compile(r"\b[0-9a-f]{0,4}([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\b", re.IGNORECASE)
"""Domain of four or eight digits, bus, device; the function is left out by some and is 0 for every GPU."""
_DRIVER: Final = r"GPU at PCI:([0-9a-fA-F:.]+): (GPU-[0-9a-f-]{36})"
"""What the driver prints of each GPU before its first XID (NVRM, open-gpu-kernel-modules)."""


def address(text: str | None) -> str | None:
    """The PCI address in a text, as domain:bus:device in lower case: "PCI:0000:4F:00" is "0000:4f:00"."""
    found = _ADDRESS.search(text or "")
    return ":".join(found.groups()).lower() if found else None


def gpu_at(ev: Evidence, node: str | None, text: str | None) -> str | None:
    """UUID of the GPU at the PCI address that ``text`` names, by the devices of the node, else by its driver's word."""
    wanted = address(text)
    if wanted is None or node is None:
        return None
    here = pl.col("node") == node
    seats = ev.scan("devices").filter(here).select("bus_id", "gpu_uuid").drop_nulls().collect()
    if seats.is_empty():
        said = ev.scan("kernel_log").filter(here & pl.col("text").str.contains("GPU at PCI:", literal=True))
        groups = pl.col("text").str.extract_groups(_DRIVER)
        parts = groups.struct.rename_fields(["bus_id", "gpu_uuid"])
        seats = said.select(parts.alias("seat")).unnest("seat").drop_nulls().collect()
    found = {uuid for bus, uuid in seats.select("bus_id", "gpu_uuid").iter_rows() if address(bus) == wanted}
    return found.pop() if len(found) == 1 else None


def of_another_job(ev: Evidence, row: Row) -> bool:
    """Whether a report is of a GPU that another job held: nodes are shared, and their kernel log tells of all."""
    held = held_by_job(ev, row["node"])
    subject = str(row["subject"] or "")
    where = subject or str(row["text"] or "")
    uuid = subject if subject.startswith("GPU-") else gpu_at(ev, row["node"], where)
    if uuid is not None and (held or _was_left_out(ev, row["node"], uuid)):
        return uuid not in held
    return row["kind"] in (Kind.XID, Kind.GPU_LOST) and beside_job(ev, row["node"], where)


_LEFT_OUT: Final = "GPUs that the job did not hold on its nodes: left out"
"""What `inquest.bundle.imports` notes where it keeps a GPU's seat, and not its samples."""


def _was_left_out(ev: Evidence, node: str | None, uuid: str) -> bool:
    """Whether a GPU's samples were left out at the import, as it was another job's."""
    noted = pl.col("detail").str.contains(_LEFT_OUT, literal=True)
    if ev.scan("collection").filter(noted).head(1).collect().is_empty():
        return False
    here = ev.scan("gpu_samples").filter(pl.col("node") == node)
    return uuid not in here.select(pl.col("gpu_uuid").unique()).collect()["gpu_uuid"].to_list()


def beside_job(ev: Evidence, node: str | None, text: str | None) -> bool:
    """Whether ``text`` names the PCI address of a GPU of the node that the job did not hold.

    That is so where as many GPUs of the node are known as the scheduler gave to the job there, and none of them sits at
    that address.
    """
    wanted = address(text)
    if wanted is None or node is None:
        return False
    jobs = ev.scan("slurm_jobs").select("gpus_allocated", "node_list").unique().collect()
    if jobs.height != 1 or None in jobs.row(0):
        return False
    given, nodes = jobs["gpus_allocated"][0], expand(jobs["node_list"][0])
    told = (
        ev.scan("devices").filter(pl.col("node") == node).select("bus_id", "gpu_uuid").drop_nulls().unique().collect()
    )
    seats = {address(bus) for bus in told["bus_id"]}
    return node in nodes and len(seats) * len(nodes) == given and None not in seats and wanted not in seats


def held_by_job(ev: Evidence, node: str | None) -> frozenset[str]:
    """UUIDs of the GPUs that the job held on a node; empty where that is not told, or told in parts of GPUs."""
    shown = ev.scan("placements").filter(pl.col("node") == node).select("visible_gpus").drop_nulls().collect()
    held = frozenset(uuid for text in shown["visible_gpus"] for uuid in text.split(",") if uuid)
    return held if all(uuid.startswith("GPU-") for uuid in held) else frozenset()

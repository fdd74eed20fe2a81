"""What else was seen of the host and the links of a GPU that slows others down, or of all that wait for each other.

Each reason is held against the same reading elsewhere: a link or a clock that all share explains no difference. None of
them decides; a reason that is seen stands beside the finding with its claim.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._case import Claims
from inquest.analyze.families._gpu import trained_on, while_training
from inquest.analyze.families._rows import gpu_called
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.sql import literal

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story
    from inquest.analyze.families.base import RuledIn

_PEERS: Final = 15
"""GPUs that a slow one is held against."""
_ON_GPU: Final = (
    ("sm_clock_mhz", "The SM clock of {gpu} was {mine:g} MHz, its peers' {theirs:g} MHz.", "MHz"),
    ("pcie_width", "The PCIe link of {gpu} had {mine:g} lanes, its peers' {theirs:g}.", ""),
    ("pcie_gen", "The PCIe link of {gpu} ran as generation {mine:g}, its peers' as {theirs:g}.", ""),
)
_STOLEN: Final = "The hypervisor took {mine:.0%} of the CPUs of {node}, {theirs:.0%} elsewhere."
_STORAGE: Final = "All tasks of {node} waited for storage {mine:.0%} of the time, elsewhere {theirs:.0%}."
_ON_HOST: Final = (
    ("cpu_steal_share", "host.steal", _STOLEN, 1),
    ("psi_io_full_avg10", "host.io_pressure", _STORAGE, 100),
)
"""Column, threshold, words, and what one is in the unit of the column."""
_ON_LINK: Final = (
    ("link_downs", "went down"),
    ("link_recoveries", "was retrained"),
    ("integrity_errors", "saw too many physical errors at once"),
    ("ack_timeouts", "had sends that were not acknowledged in time"),
)
"""Counters of an adapter that do not move while a link is sound, and what their growth tells."""
_APART: Final = 3
"""How many times as much as elsewhere it must be."""


def beside_a_slow_gpu(ev: Evidence, story: Story, found: RuledIn) -> RuledIn:
    """``found``, a straggler on one GPU, with the reasons that its clock, its link and its host give."""
    first, last = story.steps["ts_ns"].min(), story.steps["ts_ns"].max()
    if len(found.culprit_gpus) != 1 or not isinstance(first, int) or not isinstance(last, int):
        return found
    claims, during = Claims(ev, "beside"), f"ts_ns >= {first} AND ts_ns <= {last}"
    (slow,), node = found.culprit_gpus, found.culprit_nodes[0]
    peers = [gpu for gpu in while_training(ev, story) if gpu.gpu_uuid != slow]
    reasons = _of_gpu(ev, claims, slow, [gpu.gpu_uuid for gpu in peers[:_PEERS]], during)
    others = sorted({gpu.node for gpu in peers} - {node})
    if others and ev.has("host_samples"):
        reasons += _of_host(ev, claims, node, others[:_PEERS], during)
    if ev.has("placements") and ev.has("devices"):
        reasons += _of_memory(ev, claims, slow)
    if ev.has("net_samples"):
        reasons += _of_links(ev, claims, (node,), during)
    return replace(found, claims=(*found.claims, *claims.all), implies=(*found.implies, *reasons))


def beside_an_interconnect(ev: Evidence, story: Story, found: RuledIn) -> RuledIn:
    """``found``, GPUs that all wait for each other, with what was said and sampled of the network between them."""
    claims, reasons = Claims(ev, "beside"), []
    said = next((row for row in story.of(Kind.NCCL_TRANSPORT) if str(row["subject"]).lower() == "socket"), None)
    if said is not None:
        claims.row("The network that NCCL says it uses", "fact_events", said, "subject")
        reasons.append(
            "NCCL says that it uses sockets (TCP), no InfiniBand or RDMA: find out why its plugin found none."
        )
    first, last = story.steps["ts_ns"].min(), story.steps["ts_ns"].max()
    if ev.has("net_samples") and isinstance(first, int) and isinstance(last, int):
        reasons += _of_links(ev, claims, (), f"ts_ns >= {first} AND ts_ns <= {last}")
    if ev.has("gpu_samples"):
        reasons += _of_nvlink(ev, story, claims)
    narrow = "pcie_width < pcie_width_max AND engine_active > 0.5"
    if ev.has("gpu_samples") and ev.rows("gpu_samples", narrow, 1):
        text = "Samples of busy GPUs whose PCIe link had fewer lanes than it could"
        claims.over(text, "COUNT", "*", "gpu_samples", narrow, unit="samples")
        reasons.append("PCIe links of busy GPUs had fewer lanes than GPU and slot have: they trained down.")
    return replace(found, claims=(*found.claims, *claims.all), implies=(*found.implies, *reasons))


def _of_gpu(ev: Evidence, claims: Claims, slow: str, peers: list[str], during: str) -> list[str]:
    told = ev.scan("gpu_samples").filter(pl.sql_expr(during), pl.col("gpu_uuid").is_in([slow, *peers]))
    medians = told.group_by("gpu_uuid").agg(pl.col(column).median() for column, _, _ in _ON_GPU).collect()
    reasons = []
    for column, words, unit in _ON_GPU:
        mine = medians.filter(pl.col("gpu_uuid") == slow)[column].median()
        theirs = medians.filter(pl.col("gpu_uuid") != slow)[column].median()
        if not isinstance(mine, float) or not isinstance(theirs, float):
            continue
        if mine < theirs * (1 - ev.threshold("b3.clock_drop")):
            where = f"gpu_uuid = {literal(slow)} AND {during}"
            claims.over(f"Median {column} of the slow GPU", "MEDIAN", column, "gpu_samples", where, unit=unit)
            reasons.append(words.format(gpu=gpu_called(slow), mine=mine, theirs=theirs))
    return reasons


def _of_links(ev: Evidence, claims: Claims, nodes: tuple[str, ...], during: str) -> list[str]:
    """Adapters whose links failed meanwhile: of ``nodes``, or of all of them, the worst one for each counter."""
    told = ev.scan("net_samples").filter(pl.sql_expr(during))
    told = told.filter(pl.col("node").is_in(nodes)) if nodes else told
    rises = [(pl.col(name).max() - pl.col(name).min()).alias(name) for name, _ in _ON_LINK]
    speed = pl.col("speed_mbps").max()
    seconds = (pl.col("ts_ns").max() - pl.col("ts_ns").min()) / 1e9
    allowed = ev.threshold("host.bit_errors") * speed * 1e6 * seconds
    bad = pl.col("symbol_errors").max() - pl.col("symbol_errors").min()
    links = (
        told.group_by("node", "interface")
        .agg(*rises, symbol_errors=pl.when(bad > allowed).then(bad))
        .sort("node", "interface", nulls_last=True)
        .collect()
    )
    reasons = []
    for column, words in (*_ON_LINK, ("symbol_errors", "had more symbol errors than a link may have")):
        worst = links.filter(pl.col(column) > 0).sort(column, descending=True, maintain_order=True)
        if worst.is_empty():
            continue
        node, interface, rise = worst.select("node", "interface", column).row(0)
        where = f"node = {literal(node)} AND interface = {literal(interface)} AND {during}"
        text = f"Growth of {column} of {interface} on {node}"
        claims.rise(text, column, "net_samples", ("node", "interface"), where)
        reasons.append(f"The link of {interface} on {node} {words} while it trained ({column} +{rise}).")
    return reasons


def _of_nvlink(ev: Evidence, story: Story, claims: Claims) -> list[str]:
    """What NVLink carried on the GPU that used it most: of those that wait, and next to nothing, it is not in use."""
    most = max(
        (gpu for gpu in while_training(ev, story) if gpu.nvlink is not None),
        key=lambda gpu: (gpu.nvlink or 0.0, gpu.gpu_uuid),
        default=None,
    )
    if most is None or most.nvlink is None:
        return []
    text = "Median NVLink rate of the GPU that used it most, both ways"
    claims.over(text, "MEDIAN", "nvlink_bytes_s", "gpu_samples", trained_on(ev, most, story), unit="bytes/s")
    if most.nvlink >= ev.threshold("host.nvlink_idle"):
        return []
    return [
        f"NVLink carried next to nothing ({most.nvlink / 1e9:.2g} GB/s on the GPU that used it most): what the GPUs"
        " wait for comes another way, or they have no NVLink."
    ]


def _of_memory(ev: Evidence, claims: Claims, slow: str) -> list[str]:
    """Whether the process of the slow GPU is held to the memory of another NUMA node than the one its GPU sits at."""
    gpus = ev.scan("devices").filter(pl.col("gpu_uuid").is_not_null() & pl.col("numa_node").is_not_null())
    near = dict(gpus.sort("node", "capture", "seq").select("gpu_uuid", "numa_node").collect().iter_rows())
    held = ev.scan("placements").filter(pl.col("numa_node").is_not_null() & pl.col("attached_gpus").is_not_null())
    far, peers_far = None, False
    for row in held.sort("node", "capture", "seq").collect().iter_rows(named=True):
        uuid = row["attached_gpus"]
        if uuid in near and near[uuid] != row["numa_node"]:
            far, peers_far = (row, peers_far) if uuid == slow else (far, True)
    # What all share explains no difference.
    if far is None or peers_far:
        return []
    claims.row("NUMA node to whose memory the slow rank's process is held", "placements", far, "numa_node", "")
    return [
        f"The process of {gpu_called(slow)} is held to the memory of NUMA node {far['numa_node']}, and the GPU sits at"
        f" node {near[slow]}; those of its peers at their own."
    ]


def _of_host(ev: Evidence, claims: Claims, node: str, others: list[str], during: str) -> list[str]:
    told = ev.scan("host_samples").filter(pl.sql_expr(during), pl.col("node").is_in([node, *others]))
    medians = told.group_by("node").agg(pl.col(column).median() for column, *_ in _ON_HOST).collect()
    reasons = []
    for column, threshold, words, scale in _ON_HOST:
        mine = medians.filter(pl.col("node") == node)[column].median()
        theirs = medians.filter(pl.col("node") != node)[column].median()
        if not isinstance(mine, float) or not isinstance(theirs, float):
            continue
        if mine >= max(ev.threshold(threshold) * scale, _APART * theirs):
            where = f"node = {literal(node)} AND {during}"
            claims.over(f"Median {column} of the slow GPU's node", "MEDIAN", column, "host_samples", where)
            reasons.append(words.format(node=node, mine=mine / scale, theirs=theirs / scale))
    return reasons

"""Where the job ran: nodes with their ranks, GPUs, what lies between these, and adapters; alike ones share a row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.render.reduced import gauges
from inquest.render.wording import NOT_CAPTURED, hosts, one_line, plural, spans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict
    from inquest.render.tables import Placement

MOST_ROWS: Final = 60
_NEAR: Final = {
    "pix": "one PCIe switch",
    "pxb": "several PCIe switches",
    "phb": "a host bridge",
    "node": "one NUMA node",
    "sys": "the link between sockets",
    "same": "one board",
}
_TEXT: Final = 200


@dataclass(frozen=True, slots=True)
class Machine:
    """One row of the map: nodes that are alike.

    Attributes:
        nodes: Their names, folded.
        ranks: Ranks that ran there.
        gpus: GPUs of each, with model and driver.
        links: What lies between its GPUs.
        adapters: Its network adapters, and what lies between them and the GPUs.
        host: CPUs, memory, system.
        named: The verdict names it.
    """

    nodes: str
    ranks: str
    gpus: str
    links: str
    adapters: str
    host: str
    named: bool


def machines(verdict: Verdict, evidence: Evidence, where: Placement) -> list[Machine]:
    """A row for each kind of node, those the verdict names on rows of their own and first.

    Empty where nothing is known of any. Beyond ``MOST_ROWS`` the last row says how many are left out.
    """
    about = _last_by_node(evidence, "node_info")
    counted = _gpus_seen(evidence)
    devices, links = _by_node(evidence, "devices"), _by_node(evidence, "device_links")
    if not about and not counted and not devices:
        return []
    named = {verdict.first_failing.node, *verdict.culprit_nodes}
    groups: dict[tuple[bool, str, str, str, str, str], list[str]] = {}
    for node in where.nodes:
        info = about.get(node, {})
        told = (
            _gpus(info, counted.get(node)),
            _between(devices.get(node, []), links.get(node, [])),
            _adapters(devices.get(node, []), links.get(node, [])),
            _host(info),
        )
        groups.setdefault((node in named, node if node in named else "", *told), []).append(node)
    rows = [
        Machine(hosts(nodes), _ranks(where, nodes), gpus, between, adapters, host, own)
        for (own, _, gpus, between, adapters, host), nodes in groups.items()
    ]
    rows.sort(key=lambda row: not row.named)
    left_out = rows[MOST_ROWS:]
    if left_out:
        rows = [*rows[:MOST_ROWS], Machine(f"{plural(len(left_out), 'more kind')} of node", "", "", "", "", "", False)]
    return rows


def _last_by_node(evidence: Evidence, table: str) -> dict[str, dict[str, Any]]:
    rows = evidence.scan(table).sort("node", "ts_ns", "seq", nulls_last=False).unique("node", keep="last").collect()
    return {str(row["node"]): row for row in rows.iter_rows(named=True)}


def _by_node(evidence: Evidence, table: str) -> dict[str, list[dict[str, Any]]]:
    """What was told last of each device, or pair of them, by node."""
    of = ["node", "device_id"] + (["peer_device_id"] if table == "device_links" else [])
    rows = evidence.scan(table).sort(*of, "ts_ns", "seq", nulls_last=False).unique(of, keep="last", maintain_order=True)
    out: dict[str, list[dict[str, Any]]] = {}
    for row in rows.collect().iter_rows(named=True):
        out.setdefault(str(row["node"]), []).append(row)
    return out


def _gpus_seen(evidence: Evidence) -> dict[str, int]:
    samples = gauges(evidence, "gpu_samples")
    if samples is None:
        return {}
    gpu = pl.coalesce(pl.col("gpu_uuid").cast(pl.String), pl.col("gpu_index").cast(pl.String))
    return dict(samples.frame.group_by("node").agg(gpu.n_unique()).iter_rows())


def _ranks(where: Placement, nodes: list[str]) -> str:
    ranks = sorted(rank for node in nodes for rank in where.ranks_on(node))
    return spans(ranks) if ranks else NOT_CAPTURED


def _gpus(info: Mapping[str, Any], seen: int | None) -> str:
    models = Counter(name.strip() for name in (info.get("gpu_models") or "").split(",") if name.strip())
    if models:
        kinds = ", ".join(f"{count} x {one_line(name, 60)}" for name, count in sorted(models.items()))
        versions = [("driver", info.get("driver_version")), ("CUDA", info.get("cuda_version"))]
        return ", ".join([kinds, *(f"{name} {one_line(text, 40)}" for name, text in versions if text)])
    if info.get("gpus") == 0:
        return "none"
    return NOT_CAPTURED if not seen else plural(seen, "GPU")


def _between(devices: list[dict[str, Any]], links: list[dict[str, Any]]) -> str:
    gpus = {row["device_id"] for row in devices if row["kind"] == "gpu"}
    pairs = [row for row in links if {row["device_id"], row["peer_device_id"]} <= gpus]
    kinds = Counter(
        plural(row["nvlinks"], "NVLink") if row["nvlinks"] else _NEAR.get(row["nearness"] or "", NOT_CAPTURED)
        for row in pairs
    )
    refused = Counter(one_line(row["p2p_read"], 60) for row in pairs if row["p2p_read"] not in (None, "ok"))
    words = [f"{name} ({plural(count, 'pair')})" for name, count in sorted(kinds.items())]
    words += [f"no peer access: {why} ({plural(count, 'pair')})" for why, count in sorted(refused.items())]
    return ", ".join(words) or NOT_CAPTURED


def _adapters(devices: list[dict[str, Any]], links: list[dict[str, Any]]) -> str:
    adapters = [row for row in devices if row["kind"] == "adapter" and row["state"] != "gone"]
    if not adapters:
        return NOT_CAPTURED
    near: dict[str, Counter[str]] = {}
    for row in links:
        near.setdefault(row["peer_device_id"], Counter())[_NEAR.get(row["nearness"] or "", "")] += 1
    words = []
    for row in adapters:
        speed = f" {row['speed_mbps'] // 1000} Gbit/s" if row["speed_mbps"] else ""
        state = f", {one_line(row['state'], 40)}" if row["state"] else ""
        best = next((name for name in _NEAR.values() if near.get(row["device_id"], Counter())[name]), "")
        words.append(f"{one_line(row['device_id'], 40)}{speed}{state}" + (f" (nearest GPU: {best})" if best else ""))
    return one_line("; ".join(words), 2 * _TEXT)


def _host(info: Mapping[str, Any]) -> str:
    cpus = plural(info["cpus"], "CPU") if info.get("cpus") else ""
    model = one_line(info.get("cpu_model") or "", 60)
    memory = f"{info['memory_total_bytes'] / 2**30:,.0f} GiB" if info.get("memory_total_bytes") else ""
    system = one_line(info.get("os") or "", 60)
    kernel = f"Linux {one_line((info.get('kernel') or '').split(' ')[0], 40)}" if info.get("kernel") else ""
    return ", ".join(filter(None, (f"{cpus} {model}".strip(), memory, system, kernel))) or NOT_CAPTURED

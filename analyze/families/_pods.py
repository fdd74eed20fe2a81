"""Whose pod the kernel killed in: its lines bear the uid of the pod and the id of the container, in a path.

A node runs many pods. Those of the job are known where a recorder saw its processes, where ``kubectl`` or a runtime
described its containers, and by the names of files that the kubelet keeps their output in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.logs_import import NODE as UNKNOWN_NODE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

_UID: Final = r"([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})"
_POD: Final = rf"task_memcg=[^,]*[/-]pod{_UID}"
_CONTAINER: Final = r"task_memcg=[^,]*[/:-]([0-9a-f]{64})"
_FILE_OF_POD: Final = rf"pods/[^/]+_{_UID}/"
_FILE_OF_CONTAINER: Final = r"-([0-9a-f]{64})\.log"


def of_other_pods(ev: Evidence) -> frozenset[tuple[str, int]]:
    """Nodes and pids of processes that the kernel killed in a pod that is none of the job's.

    Only on nodes where a pod of the job is known, or where nobody says on which node its pods were: elsewhere it may
    have run in a pod that nobody described.
    """
    if not ev.has("kernel_log"):
        return frozenset()
    text = pl.col("text")
    kills = ev.scan("kernel_log").filter(text.str.contains("task_memcg=", literal=True) & text.str.contains(_POD))
    told = kills.select(
        "node",
        pid=text.str.extract(r",pid=(\d{1,9})\b").cast(pl.Int64),
        pod=text.str.extract(_POD).str.replace_all("_", "-"),
        container=text.str.extract(_CONTAINER),
    ).collect()
    if told.is_empty():
        return frozenset()
    ours, nodes = _ours(ev)
    if not ours:
        return frozenset()
    return frozenset(
        (node, pid)
        for node, pid, pod, container in told.iter_rows()
        if pid is not None and (node in nodes or not nodes) and pod not in ours and container not in ours
    )


def _ours(ev: Evidence) -> tuple[set[str], set[str]]:
    """Ids of the job's pods and containers, and the nodes that they are known to have run on."""
    placed = ev.scan("placements").select("node", "pod_uid", "container_id").unique().collect()
    ids, nodes = set[str](), set[str]()
    for node, *known in placed.iter_rows():
        told = {each for each in known if each}
        ids |= told
        if told and node != UNKNOWN_NODE:
            nodes.add(node)
    source = pl.col("source")
    files = (
        ev.scan("log_lines").filter(source.str.contains(f"{_FILE_OF_POD}|{_FILE_OF_CONTAINER}")).select(source.unique())
    )
    names = files.select(
        source.str.extract(_FILE_OF_POD).alias("pod"), source.str.extract(_FILE_OF_CONTAINER).alias("id")
    )
    for told_ids in names.collect().iter_rows():
        ids |= {each for each in told_ids if each}
    return ids, nodes

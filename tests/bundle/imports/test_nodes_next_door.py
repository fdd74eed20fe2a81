"""Files in the job's folder that are of a node next door, or of another job: whose they are, and what is left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports import nodes
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.rows import UNKNOWN_NODE
from inquest.bundle.logs_import import ImportedStore

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.bundle.imports.reports import Imported

KERNEL = "".join(f"[Fri Nov 20 18:2{n}:16 2026] NVRM: Xid (PCI:0000:4f:00): 79, pid=1, name=python\n" for n in range(3))
HEAD = "JobID|JobName|State|ExitCode|Start|End|NodeList\n"
TRAIN = "77|train|FAILED|1:0|2026-11-20T17:59:59|2026-11-20T18:30:01|{}\n"
BEGAN = 1795197599


def _read(folder: Path, files: dict[str, str]) -> Imported:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return import_paths([folder])


def _kernel_nodes(imported: Imported) -> dict[str, set[str]]:
    frame = ImportedStore(imported).scan("kernel_log").select("source", "node").unique().collect()
    found: dict[str, set[str]] = {}
    for source, node in frame.iter_rows():
        found.setdefault(source, set()).add(node)
    return found


def _samples(*hosts: str) -> str:
    labels = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "0"}
    series = [
        {"metric": labels | {"UUID": f"GPU-{n}", "Hostname": host}, "values": [[BEGAN + 60, "90"], [BEGAN + 120, "91"]]}
        for n, host in enumerate(hosts)
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("dmesg_gpu02.txt", "gpu02"),
        ("dmesg_gpu2.txt", "gpu02"),
        ("dmesg_gpu055.txt", None),  # called as the job's nodes are, and none of them
        ("gpu55/dmesg.txt", None),
        ("dmesg_lab7.txt", UNKNOWN_NODE),  # whatever that is
        ("dmesg_gpu02_gpu55.txt", "gpu02"),
        ("dmesg.txt", UNKNOWN_NODE),
    ],
)
def test_a_kernels_log_is_of_the_node_that_its_name_tells(tmp_path: Path, name: str, node: str | None) -> None:
    files = {"sacct.txt": HEAD + TRAIN.format("gpu[01-02]"), "dcgm.json": _samples("gpu01", "gpu02"), name: KERNEL}
    found = _kernel_nodes(_read(tmp_path, files))
    assert found == ({name: {node}} if node else {})


def test_it_is_of_the_only_node_of_the_job(tmp_path: Path) -> None:
    files = {"sacct.txt": HEAD + TRAIN.format("gpu01"), "dmesg.txt": KERNEL}
    assert _kernel_nodes(_read(tmp_path, files)) == {"dmesg.txt": {"gpu01"}}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["a/dmesg_cn045g.txt", "a/dmesg-T.cn046g"], ["cn045g", "cn046g"]),
        (["journal-ip-10-3-7-4.log", "journal-ip-10-3-7-15.log"], ["ip-10-3-7-4", "ip-10-3-7-15"]),
        (["dmesg_cn045g.txt"], []),  # one alone may be called after anything
        (["dmesg_job1.txt", "dmesg_cn046g.txt"], []),
        (["dmesg_cn045g_rank1.txt", "dmesg_cn046g_rank2.txt"], []),
        (["dmesg_a.txt", "dmesg_b.txt"], []),
    ],
)
def test_where_nothing_else_names_nodes_the_names_of_several_do(files: list[str], found: list[str]) -> None:
    assert list(nodes.by_their_likes(files).values()) == found


@pytest.mark.parametrize(
    ("log", "left"),
    [("step 1 loss 2.0\n", {"gpu01", "gpu02"}), ("host gpu55: step 1 loss 2.0\n", {"gpu01", "gpu02", "gpu55"})],
)
def test_a_kernels_log_of_a_node_that_nothing_else_names_is_left_out(tmp_path: Path, log: str, left: set[str]) -> None:
    logs = {f"dmesg_{node}.txt": KERNEL for node in ("gpu01", "gpu02", "gpu55")}
    files = {"dcgm.json": _samples("gpu01", "gpu02"), "train.log": log * 30, **logs}
    assert set().union(*_kernel_nodes(_read(tmp_path, files)).values()) == left


@pytest.mark.parametrize(
    ("others", "job"),
    [
        ("70|infer|NODE_FAIL|1:0|2026-11-20T17:59:59|2026-11-20T18:29:01|gpu55\n", "77"),
        ("70|infer|NODE_FAIL|1:0|2026-11-20T17:59:59|2026-11-20T18:29:01|gpu01\n", "77"),  # a part of these nodes
        ("70|train|NODE_FAIL|1:0|2026-11-20T17:59:59|2026-11-20T18:29:01|gpu55\n", None),  # it may be an earlier try
        ("70|infer|NODE_FAIL|1:0|2026-11-20T17:59:59|2026-11-20T18:29:01|gpu[01-02]\n", None),
    ],
)
def test_of_several_jobs_the_one_that_ran_where_readings_are_from(tmp_path: Path, others: str, job: str | None) -> None:
    files = {"sacct.txt": HEAD + others + TRAIN.format("gpu[01-02]"), "dcgm.json": _samples("gpu01", "gpu02")}
    assert _read(tmp_path, files).report.job_id == job


NAMELESS = "JobID|State|ExitCode|Start|End|NodeList\n77|FAILED|1:0|2026-11-20T17:59:59|2026-11-20T18:30:01|gpu[01-02]\n"


@pytest.mark.parametrize(
    ("other", "job"),
    [
        ("70|TIMEOUT|0:0|2026-11-20T18:05:00|2026-11-20T18:50:00|lab001\n", "77"),  # beside it: no earlier try
        ("70|TIMEOUT|0:0|2026-11-20T15:05:00|2026-11-20T16:50:00|lab001\n", None),
    ],
)
def test_a_job_without_a_name_that_ran_beside_it_is_no_try_of_it(tmp_path: Path, other: str, job: str | None) -> None:
    found = _read(tmp_path, {"sacct.txt": NAMELESS + other, "dcgm.json": _samples("gpu01", "gpu02")})
    assert found.report.job_id == job


@pytest.mark.parametrize(
    ("listed", "sampled", "left"),
    [
        ("gpu01", ("gpu02",), set()),  # a neighbour's
        ("gpu01", ("lab-a", "lab-b"), set()),  # one of the two at the least is no other name of gpu01
        ("gpu01", ("lab-a",), {"lab-a"}),  # it may be
        ("gpu[01-02]", ("lab-a", "lab-b"), {"lab-a", "lab-b"}),
    ],
)
def test_where_none_of_the_nodes_is_the_jobs_by_name(
    tmp_path: Path, listed: str, sampled: tuple[str, ...], left: set[str]
) -> None:
    found = _read(tmp_path, {"sacct.txt": HEAD + TRAIN.format(listed), "dcgm.json": _samples(*sampled)})
    tables = found.rows.tables()
    assert (found.rows.nodes_of("gpu_samples") if "gpu_samples" in tables else set()) == left

"""Kills in pods: the job's own by the uid in the cgroup's path, and those of others on its nodes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

MINE, THEIRS = "4a0c1d2e-0001-4abc-8def-00000000aaaa", "9b7c1d2e-0002-4abc-8def-00000000bbbb"
ID, OTHER = "ab" * 32, "cd" * 32
STEPS = "".join(f"2026-03-02T14:{minute:02d}:00 step {minute}/90 loss {9 - minute / 20:.3f}\n" for minute in range(30))


def kernel(uid: str, container: str, *, slices: bool) -> str:
    """The kernel's words on a kill in a pod, by either driver of cgroups."""
    path = f"/kubepods/burstable/pod{uid}/{container}"
    if slices:
        name = f"kubepods-burstable-pod{uid.replace('-', '_')}"
        path = f"/kubepods.slice/kubepods-burstable.slice/{name}.slice/cri-containerd-{container}.scope"
    begin = "2026-03-02T14:29:30,000000+00:00 "
    return (
        f"{begin}oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0-1,oom_memcg={path},"
        f"task_memcg={path},task=python,pid=4711,uid=0\n"
        f"{begin}Memory cgroup out of memory: Killed process 4711 (python) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
    )


def pods(form: str) -> tuple[str, str]:
    """Name and text of what an operator has of the job's pod."""
    if form == "json":
        pod = {
            "kind": "Pod",
            "metadata": {"name": "fit-0", "uid": MINE},
            "spec": {"nodeName": "gpu9"},
            "status": {"phase": "Running", "containerStatuses": [{"name": "fit", "containerID": f"containerd://{ID}"}]},
        }
        return "pod.json", json.dumps({"kind": "List", "items": [pod]})
    if form == "describe":
        return "pod.txt", (
            "Name:             fit-0\nNamespace: ml\nNode:             gpu9/10.0.0.9\nStatus:           Running\n"
            f"Containers:\n  fit:\n    Container ID:  containerd://{ID}\n    State:          Running\n"
        )
    return "pod.yaml", (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: fit-0\n  ownerReferences:\n  - apiVersion: batch/v1\n"
        f"    uid: {THEIRS}\n  uid: {MINE}\nspec:\n  nodeName: gpu9\nstatus:\n  containerStatuses:\n"
        f"  - containerID: containerd://{ID}\n    name: fit\n    state:\n      running: {{}}\n  phase: Running\n"
    )


def judged(folder: Path, form: str, uid: str, container: str, *, slices: bool = True) -> Verdict:
    """The verdict on a log, what is known of its pod, and a kill on its node."""
    name, text = pods(form)
    (folder / name).write_text(text)
    (folder / "train.log").write_text(STEPS)
    (folder / "dmesg_gpu9.txt").write_text(kernel(uid, container, slices=slices))
    return analyze(import_logs([folder], exit_code=137), strict=True)[0]


@pytest.mark.parametrize("form", ["json", "describe", "yaml"])
@pytest.mark.parametrize("slices", [True, False])
def test_a_kill_in_the_jobs_pod_is_the_jobs(tmp_path: Path, form: str, slices: bool) -> None:
    found = judged(tmp_path, form, MINE, ID, slices=slices)
    assert (found.family, found.sub_mode) == ("A2", "cgroup_oom")


@pytest.mark.parametrize("form", ["json", "describe", "yaml"])
def test_a_kill_in_another_pod_on_that_node_is_not(tmp_path: Path, form: str) -> None:
    found = judged(tmp_path, form, THEIRS, OTHER)
    assert (found.family, found.sub_mode) == ("A2", "unknown_sender")


def test_where_no_pod_of_the_job_is_known_a_lone_kill_counts(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(STEPS)
    (tmp_path / "dmesg_gpu9.txt").write_text(kernel(THEIRS, OTHER, slices=True))
    found = analyze(import_logs([tmp_path], exit_code=137), strict=True)[0]
    assert (found.family, found.sub_mode) == ("A2", "cgroup_oom")

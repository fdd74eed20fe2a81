"""How containers ended, as kubectl, crictl and docker tell it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports import containers
from inquest.bundle.imports.core import import_paths

if TYPE_CHECKING:
    from pathlib import Path

OVER = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-11-20T10:00:00Z"}
DONE = {"exitCode": 0, "reason": "Completed", "finishedAt": "2026-11-20T10:00:01Z"}
SAID = "kubernetes: container main of pod train-0 terminated: OOMKilled, exit code 137"
NS = 1_795_168_800_000_000_000

DESCRIBED = """\
Name:             train-0
Namespace:        ml
Node:             gpu-7/10.0.0.7
Status:           Failed
Containers:
  main:
    State:          Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Finished:     Fri, 20 Nov 2026 11:00:00 +0100
    Limits:
      nvidia.com/gpu:  8
  shipper:
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
Conditions:
  Type              Status
Events:
  Type     Reason     Age   From     Message
  ----     ------     ----  ----     -------
  Normal   Preempted  42s   default-scheduler  Preempted by pod 1 on node gpu-7
"""
YAML = """\
apiVersion: v1
kind: Pod
metadata:
  name: train-0
spec:
  nodeName: gpu-7
status:
  containerStatuses:
  - name: main
    state:
      terminated:
        exitCode: 137
        finishedAt: "2026-11-20T10:00:00Z"
        reason: OOMKilled
  phase: Failed
"""


def pod(*states: tuple[str, bool, dict[str, object]]) -> dict[str, object]:
    """A pod as ``kubectl get -o json`` gives it: containers with or without a GPU, and how each ended."""
    limits = {True: {"nvidia.com/gpu": "8"}, False: {}}
    return {
        "kind": "Pod",
        "metadata": {"name": "train-0"},
        "spec": {
            "nodeName": "gpu-7",
            "containers": [{"name": name, "resources": {"limits": limits[gpu]}} for name, gpu, _ in states],
        },
        "status": {
            "phase": "Failed",
            "containerStatuses": [{"name": name, "state": {"terminated": over}} for name, _, over in states],
        },
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("describe.txt", DESCRIBED),
        ("pod.yaml", YAML),
        ("pod.json", json.dumps(pod(("main", True, OVER), ("shipper", False, DONE)))),
        ("pods.json", json.dumps({"kind": "List", "items": [pod(("shipper", False, DONE), ("main", True, OVER))]})),
    ],
)
def test_the_end_of_the_container_with_gpus_is_one_line(tmp_path: Path, name: str, text: str):
    (tmp_path / name).write_text(text)
    found = import_paths([str(tmp_path)]).rows.collect("log_lines", "import")
    assert found is not None
    ends = [row for row in found.iter_rows(named=True) if "terminated" in row["text"]]
    assert [(row["text"], row["node"], row["ts_ns"]) for row in ends] == [(SAID, "gpu-7", NS)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DESCRIBED, "kubernetes: event Preempted of train-0: Preempted by pod 1 on node gpu-7"),
        (
            "LAST SEEN   TYPE    REASON  OBJECT       MESSAGE\n3s     Normal  Evict   pod/train-0  Pod is evicted\n",
            "kubernetes: event Evict of pod/train-0: Pod is evicted",
        ),
        (
            "NAME      READY   STATUS      RESTARTS   AGE\ntrain-0   0/1     OOMKilled   0          71m\n",
            "kubernetes: pod train-0 is OOMKilled",
        ),
        (
            json.dumps([{"Id": "abcdefabcdefabcdef", "State": {"Running": False, "OOMKilled": True, "ExitCode": 137}}]),
            "docker: container abcdefabcdef exited, OOMKilled, exit code 137",
        ),
        (
            json.dumps({"kind": "Event", "involvedObject": {"name": "train-0"}, "reason": "Preempted", "message": "m"}),
            "kubernetes: event Preempted of train-0: m",
        ),
    ],
)
def test_what_else_is_said_is_one_line_each(tmp_path: Path, text: str, said: str):
    (tmp_path / "told.txt").write_text(text)
    found = import_paths([str(tmp_path)]).rows.collect("log_lines", "import")
    assert found is not None
    assert said in found["text"].to_list()


def test_a_manifest_is_no_end(tmp_path: Path):
    (tmp_path / "run.log").write_text("step 1 loss 2.0\n")
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: train-0\nspec:\n  nodeName: n\n")
    imported = import_paths([str(tmp_path)])
    assert set(imported.rows.collect("log_lines", "import")["source"]) == {"run.log"}  # type: ignore[index]


def test_yaml_that_repeats_a_heading_is_read_in_one_pass() -> None:
    """Patterns of two lines tried each heading against each line: of forty such parts, for minutes."""
    begin = "apiVersion: v1\nkind: Pod\n"
    parts = begin + "metadata:\n" * 13_000 + begin + "  message: x\n" * 9_000
    assert list(containers._of_yaml(parts * 20)) == []
    told = containers._of_yaml(
        begin + "metadata:\n" * 9 + "  name: train-0\n  message: x\n  message: y\n  reason: Evicted\n"
    )
    assert [said for said, _, _ in told] == ["kubernetes: pod train-0 failed: Evicted: x"]


def job(*conditions: tuple[str, str, str, str]) -> str:
    told = "".join(
        f'  - lastTransitionTime: "2026-11-20T10:00:0{number}Z"\n    message: {message}\n    reason: {reason}\n'
        f'    status: "{status}"\n    type: {kind}\n'
        for number, (kind, status, reason, message) in enumerate(conditions)
    )
    return (
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: rm-8b\n  namespace: rm\nstatus:\n"
        f'  conditions:\n{told}  startTime: "2026-11-20T09:00:00Z"\n'
    )


BEGUN = ("Created", "True", "PyTorchJobCreated", "PyTorchJob rm-8b is created.")
LATE = "Job rm-8b has failed because it was active longer than specified deadline"


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (("Running", "True", "PyTorchJobRunning", "PyTorchJob rm-8b is running."), []),
        (
            ("Succeeded", "True", "PyTorchJobSucceeded", "PyTorchJob rm-8b is done."),
            ["kubernetes: job rm-8b succeeded: PyTorchJobSucceeded: PyTorchJob rm-8b is done."],
        ),
        (("Failed", "False", "PyTorchJobFailed", "it was restarted"), []),
        (("Failed", "True", "DeadlineExceeded", LATE), [f"kubernetes: event DeadlineExceeded of job/rm-8b: {LATE}"]),
    ],
)
def test_a_job_of_several_pods_ends_by_its_conditions(last: tuple[str, str, str, str], said: list[str]) -> None:
    assert [text for text, _, _ in containers._of_yaml(job(BEGUN, last))] == said


@pytest.mark.parametrize(("again", "told"), [("later", {"train-1"}), ("first", {"train-0", "train-1"})])
def test_pods_of_an_earlier_job_of_the_same_name_are_left_aside(tmp_path: Path, again: str, told: set[str]) -> None:
    """A Job that was made anew bears its old name and another uid; tries of one Job all tell."""
    pods = [
        {
            "kind": "Pod",
            "metadata": {
                "name": f"train-{at}",
                "creationTimestamp": f"2026-11-2{at}T10:00:00Z",
                "ownerReferences": [{"kind": "Job", "name": "train", "uid": uid, "controller": True}],
            },
            "spec": {"containers": [{"name": "main"}]},
            "status": {"containerStatuses": [{"name": "main", "state": {"terminated": ended}}]},
        }
        for at, (uid, ended) in enumerate((("first", OVER), (again, DONE)))
    ]
    (tmp_path / "pods.json").write_text(json.dumps({"kind": "List", "items": pods}))
    lines = import_paths([str(tmp_path)]).rows.collect("log_lines", "import")["text"].to_list()
    assert {name for name in ("train-0", "train-1") if any(f"pod {name} " in line for line in lines)} == told

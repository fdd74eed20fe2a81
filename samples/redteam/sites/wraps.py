"""What runtimes and collectors of logs put around a line. SIMULATED values; the forms are theirs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .scene import Scene

Line = tuple[float, int | None, str]
_CHUNK = 16384
"""What a container runtime takes at once."""


def _z(t: float, digits: int = 9) -> str:
    whole = f"{datetime.fromtimestamp(t, UTC):%Y-%m-%dT%H:%M:%S}"
    return f"{whole}.{int((t % 1) * 10**digits):0{digits}d}Z"


def _by_node(s: Scene) -> dict[int, list[Line]]:
    nodes: dict[int, list[Line]] = {k: [] for k in range(s.n)}
    for line in s.lines:
        nodes[s.node_of(line[1])].append(line)
    return {k: rows for k, rows in nodes.items() if rows}


def _one(name: str, rows: list[str]) -> Iterator[tuple[str, str]]:
    yield name, "\n".join(rows) + "\n"


def bare(s: Scene) -> Iterator[tuple[str, str]]:
    yield from _one("train.log", [x for _, _, x in s.lines])


def kubectl(s: Scene) -> Iterator[tuple[str, str]]:
    """Kubectl logs --timestamps, one file a pod."""
    for k, rows in _by_node(s).items():
        yield from _one(f"{s.pod(k)}.log", [f"{_z(t)} {x}" for t, _, x in rows])


def kubectl_prefix(s: Scene) -> Iterator[tuple[str, str]]:
    """Kubectl logs -l job=... --prefix --timestamps."""
    yield from _one("pods.log", [f"[pod/{s.pod(s.node_of(r))}/{s.container}] {_z(t)} {x}" for t, r, x in s.lines])


def stern(s: Scene) -> Iterator[tuple[str, str]]:
    yield from _one("stern.log", [f"{s.pod(s.node_of(r))} {s.container} {x}" for _, r, x in s.lines])


def cri(s: Scene) -> Iterator[tuple[str, str]]:
    """/var/log/pods: containerd's own file, long lines in parts."""
    for k, rows in _by_node(s).items():
        out = []
        for t, _, x in rows:
            parts = [x[i : i + _CHUNK] for i in range(0, len(x), _CHUNK)] or [""]
            out += [f"{_z(t)} stderr {'P' if i + 1 < len(parts) else 'F'} {p}" for i, p in enumerate(parts)]
        yield from _one(f"pods/{s.namespace}_{s.pod(k)}_{s.uids[k]}/{s.container}/0.log", out)


def docker(s: Scene) -> Iterator[tuple[str, str]]:
    rows = [
        json.dumps({"log": x + "\n", "stream": "stderr", "time": _z(t)}, separators=(",", ":")) for t, _, x in s.lines
    ]
    yield from _one(f"{s.uids[0].replace('-', '') * 2}-json.log", rows)


def compose(s: Scene) -> Iterator[tuple[str, str]]:
    yield from _one("compose.log", [f"{s.container}-{s.node_of(r) + 1}  | {x}" for _, r, x in s.lines])


def podman(s: Scene) -> Iterator[tuple[str, str]]:
    """Journalctl -o short-iso-precise of a container that logs to the journal."""
    for k, rows in _by_node(s).items():
        out = [f"{_z(t, 6)[:-1]}+00:00 {s.nodes[k]} {s.run}[{21000 + k}]: {x}" for t, _, x in rows]
        yield from _one(f"journal-{s.nodes[k]}.txt", out)


def journal_json(s: Scene) -> Iterator[tuple[str, str]]:
    """Journalctl -o json -u train.service."""
    rows = [
        json.dumps(
            {
                "__CURSOR": f"s=1;i={i:x}",
                "__REALTIME_TIMESTAMP": str(int(t * 1e6)),
                "__MONOTONIC_TIMESTAMP": str(int((t - s.start + 4e5) * 1e6)),
                "_BOOT_ID": s.uids[0].replace("-", ""),
                "_TRANSPORT": "stdout",
                "PRIORITY": "6",
                "_HOSTNAME": s.nodes[s.node_of(r)],
                "SYSLOG_IDENTIFIER": "train",
                "_SYSTEMD_UNIT": "train.service",
                "_PID": "4711",
                "MESSAGE": x,
            }
        )
        for i, (t, r, x) in enumerate(s.lines)
    ]
    yield from _one("journal.json", rows)


def fluent(s: Scene) -> Iterator[tuple[str, str]]:
    """fluent-bit's records, exported a line each."""
    rows = [
        json.dumps(
            {
                "@timestamp": _z(t, 3),
                "log": x,
                "stream": "stdout",
                "kubernetes": {
                    "pod_name": s.pod(s.node_of(r)),
                    "namespace_name": s.namespace,
                    "container_name": s.container,
                },
            }
        )
        for t, r, x in s.lines
    ]
    yield from _one("export.log", rows)


def loki(s: Scene) -> Iterator[tuple[str, str]]:
    """Logcli query -o jsonl."""
    rows = [
        json.dumps({"labels": {"pod": s.pod(s.node_of(r)), "container": s.container}, "line": x, "timestamp": _z(t)})
        for t, r, x in s.lines
    ]
    yield from _one("loki.jsonl", rows)


def gcloud(s: Scene) -> Iterator[tuple[str, str]]:
    """Gcloud logging read --format=json."""
    rows = [
        {
            "insertId": f"{i:x}abc",
            "labels": {"compute.googleapis.com/resource_name": s.nodes[s.node_of(r)]},
            "logName": "projects/p/logs/stderr",
            "resource": {"labels": {"pod_name": s.pod(s.node_of(r))}, "type": "k8s_container"},
            "severity": "INFO",
            "textPayload": x,
            "timestamp": _z(t),
        }
        for i, (t, r, x) in enumerate(s.lines)
    ]
    yield "logs.json", json.dumps(rows, indent=2)


def cloudwatch(s: Scene) -> Iterator[tuple[str, str]]:
    """Aws logs tail."""
    rows = [f"{_z(t, 6)[:-1]}+00:00 {s.run}/algo-{s.node_of(r) + 1}-1757 {x}" for t, r, x in s.lines]
    yield from _one("cloudwatch.log", rows)


def actions(s: Scene) -> Iterator[tuple[str, str]]:
    """A runner of GitHub's actions: seven digits."""
    yield from _one("3_train.txt", [f"{_z(t, 7)} {x}" for t, _, x in s.lines])


def airflow(s: Scene) -> Iterator[tuple[str, str]]:
    rows = [
        f"[{datetime.fromtimestamp(t, UTC):%Y-%m-%d, %H:%M:%S} UTC] {{pod_manager.py:468}} INFO - [base] {x}"
        for t, _, x in s.lines
    ]
    yield from _one("attempt=1.log", rows)


def sagemaker(s: Scene) -> Iterator[tuple[str, str]]:
    rows = [f"[1,mpirank:{r or 0},algo-{s.node_of(r) + 1}]<stdout>:{x}" for _, r, x in s.lines]
    yield from _one("sagemaker.log", rows)


def mpi(s: Scene) -> Iterator[tuple[str, str]]:
    yield from _one("mpirun.out", [f"[1,{r or 0}]<stderr>:{x}" for _, r, x in s.lines])


def pdsh(s: Scene) -> Iterator[tuple[str, str]]:
    yield from _one("deepspeed.log", [f"{s.nodes[s.node_of(r)]}: {x}" for _, r, x in s.lines])


def ray(s: Scene) -> Iterator[tuple[str, str]]:
    """The driver's terminal, with its colours."""
    rows = [
        f"\x1b[36m(RayTrainWorker pid={5100 + (r or 0)}, ip=10.4.0.{11 + s.node_of(r)})\x1b[0m {x}"
        for _, r, x in s.lines
    ]
    yield from _one("job-driver-raysubmit_x.log", rows)


def determined(s: Scene) -> Iterator[tuple[str, str]]:
    rows = [f"[{_z(t, 6)}] {s.uids[0][:8]} [rank={r or 0}] || {x}" for t, r, x in s.lines]
    yield from _one("trial.log", rows)


def azureml(s: Scene) -> Iterator[tuple[str, str]]:
    by: dict[int, list[str]] = {}
    for _, r, x in s.lines:
        by.setdefault(r or 0, []).append(x)
    for r, rows in by.items():
        yield from _one(f"user_logs/std_log_process_{r}.txt", rows)


def ts(s: Scene) -> Iterator[tuple[str, str]]:
    """Moreutils' ts."""
    yield from _one("run.out", [f"{datetime.fromtimestamp(t, UTC):%b %d %H:%M:%S} {x}" for t, _, x in s.lines])


def windows_lines(s: Scene) -> Iterator[tuple[str, str]]:
    """Carried through a machine that ends lines its own way, with a mark at the front."""
    yield "train.log", "\ufeff" + "\r\n".join(x for _, _, x in s.lines) + "\r\n"


WRAPS: dict[str, Callable[[Scene], Iterator[tuple[str, str]]]] = {
    f.__name__: f
    for f in (
        bare, kubectl, kubectl_prefix, stern, cri, docker, compose, podman, journal_json, fluent, loki, gcloud, cloudwatch,
        actions, airflow, sagemaker, mpi, pdsh, ray, determined, azureml, ts, windows_lines,
    )
}  # fmt: skip

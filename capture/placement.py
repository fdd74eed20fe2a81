"""Where a process runs, told from its control groups and mounts: container, pod, scheduler's job and step.

Layouts of paths, as the programs' documents and sources give them: Docker and containerd name a control group after
the container's 64 hex digits, alone (cgroupfs driver) or as ``PREFIX-ID.scope`` (systemd driver; prefixes docker,
cri-containerd, crio, libpod); the kubelet has ``podUID`` above it, with ``_`` for ``-`` under systemd; Slurm has
``job_N/step_M``. A process in a control group namespace of its own sees ``/`` only: then files that the runtime
mounts into every container tell. Enroot and Apptainer make no control group at all; their root's mount tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_CONTAINER: Final = re.compile(r"[/:](?:([a-z-]+?)[-:])?([0-9a-f]{64})(?:\.scope)?(?=/|$)")
_RUNTIMES: Final = {
    "docker": "docker",
    "cri-containerd": "containerd",
    "nerdctl": "containerd",
    "crio": "cri-o",
    "libpod": "podman",
}
_LXC: Final = re.compile(r"/lxc(?:\.payload)?[./]([^/]+)")
_POD: Final = re.compile(r"[/-]pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32})(?=[./]|$)")
_SLURM: Final = re.compile(r"slurm.*?/job_(\d+)(?:/step_(\w+))?")
_MOUNTED: Final = (
    ("docker", re.compile(r"/docker/containers/([0-9a-f]{64})/")),
    ("podman", re.compile(r"/overlay-containers/([0-9a-f]{64})/")),
    ("containerd", re.compile(r"/io\.containerd\.[^ ]*/sandboxes/([0-9a-f]{64})/")),
    ("containerd", re.compile(r"/nerdctl/[^ ]*/([0-9a-f]{64})/")),
)
_MOUNTED_POD: Final = re.compile(r"/pods/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/")
_TELLING_POINTS: Final = frozenset({"/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/dev/termination-log"})
_APPTAINER: Final = re.compile(r"/(?:apptainer|singularity)/mnt/session")
_PYXIS: Final = re.compile(r"\bpyxis_[\w.-]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process runs; None is what could not be told."""

    cgroup: str | None = None
    runtime: str | None = None
    container_id: str | None = None
    pod_uid: str | None = None
    job_id: str | None = None
    step_id: str | None = None


def place(cgroup: str, mountinfo: str) -> Place:
    """Where a process runs.

    Args:
        cgroup: Text of its /proc/PID/cgroup.
        mountinfo: Text of its /proc/PID/mountinfo; asked only where the control groups name no container.
    """
    path = _telling_path(cgroup)
    runtime, container = _container(path)
    pod = _POD.search(path)
    pod_uid = pod[1].replace("_", "-") if pod else None
    slurm = _SLURM.search(path)
    if container is None and runtime is None:
        runtime, container, mounted_pod = _mounted(mountinfo)
        pod_uid = pod_uid or mounted_pod
    return Place(
        cgroup=path or None,
        runtime=runtime,
        container_id=container,
        pod_uid=pod_uid,
        job_id=slurm[1] if slurm else None,
        step_id=slurm[2] if slurm else None,
    )


def _telling_path(cgroup: str) -> str:
    """The path that says most: version 1 has one a controller, and not every runtime makes all of them."""
    paths = [line.split(":", 2)[2] for line in cgroup.splitlines() if line.count(":") >= 2]
    return max(
        paths, key=lambda path: (bool(_CONTAINER.search(path)), bool(_SLURM.search(path)), len(path)), default=""
    )


def _container(path: str) -> tuple[str | None, str | None]:
    found = list(_CONTAINER.finditer(path))
    if found:  # the innermost: containers may run in containers
        prefix, container = found[-1].groups()
        runtime = _RUNTIMES.get(prefix or "")
        if prefix is None and f"/docker/{container}" in path:
            runtime = "docker"
        return runtime, container
    lxc = _LXC.search(path)
    return ("lxc", lxc[1]) if lxc else (None, None)


def _mounted(mountinfo: str) -> tuple[str | None, str | None, str | None]:
    """Runtime, container and pod by what is mounted in the process's own view; a host's view has none of it."""
    runtime = container = pod = None
    for line in mountinfo.splitlines():
        fields = line.split(" ")
        if len(fields) < 5:
            continue
        root, point = fields[3], fields[4]
        if point in _TELLING_POINTS:
            if found := _MOUNTED_POD.search(root):
                pod = found[1]
            for runs, pattern in _MOUNTED:
                if found := pattern.search(root):
                    # What containerd mounts is named after the sandbox of the pod, not after the container.
                    runtime, container = runs, None if "/sandboxes/" in root else found[1]
        elif point == "/" and _APPTAINER.search(line):
            runtime = "singularity"
        elif point == "/" and ("enroot" in line or _PYXIS.search(line)):
            name = _PYXIS.search(line)
            runtime, container = "enroot", name[0] if name else None
    if runtime == "podman" and pod is not None:
        runtime = "cri-o"  # both lie in the same store; only one of them runs pods of Kubernetes
    return runtime, container, pod

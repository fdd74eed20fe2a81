"""Where things are: containers, pods and jobs by documented layouts; GPUs and adapters by trees like sysfs. Made up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from inquest.bundle import schema
from inquest.capture import proc
from inquest.capture.collector import Context, Member
from inquest.capture.collectors.placements import Placements
from inquest.capture.collectors.topology import Seat, adapters, nearness, seat
from inquest.capture.placement import Place, place
from tests.capture.recorder_kit import Stub, command

ID = "0123456789abcdef" * 4
INNER = "fedcba9876543210" * 4
POD = "11111111-2222-3333-4444-555555555555"
POD_ = POD.replace("-", "_")


@pytest.mark.parametrize(
    ("cgroup", "runtime", "container", "pod"),
    [
        (f"/docker/{ID}", "docker", ID, None),
        (f"/system.slice/docker-{ID}.scope", "docker", ID, None),
        (f"/docker/{ID}/docker/{INNER}", "docker", INNER, None),
        (f"/kubepods/burstable/pod{POD}/{ID}", None, ID, POD),
        (
            f"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod{POD_}.slice/cri-containerd-{ID}.scope",
            "containerd",
            ID,
            POD,
        ),
        (f"/system.slice/containerd.service/kubepods-pod{POD_}.slice:cri-containerd:{ID}", "containerd", ID, POD),
        (f"/kubepods.slice/kubepods-pod{POD_}.slice/crio-{ID}.scope/container", "cri-o", ID, POD),
        (f"/kubepods/pod{'0' * 31}1/{ID}", None, ID, "0" * 31 + "1"),
        (f"/machine.slice/libpod-{ID}.scope/container", "podman", ID, None),
        (
            f"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-{ID}.scope",
            "podman",
            ID,
            None,
        ),
        ("/lxc.payload.trainer/init.scope", "lxc", "trainer", None),
        ("/user.slice/user-0.slice/session-1.scope", None, None, None),
        ("/", None, None, None),
    ],
)
def test_containers_by_control_group(cgroup: str, runtime: str | None, container: str | None, pod: str | None) -> None:
    found = place(f"0::{cgroup}\n", "")
    assert (found.runtime, found.container_id, found.pod_uid) == (runtime, container, pod)


@pytest.mark.parametrize(
    ("cgroup", "job", "step"),
    [
        ("0::/system.slice/slurmstepd.scope/job_123/step_0/user/task_3", "123", "0"),
        ("0::/system.slice/gpu17_slurmstepd.scope/job_123/step_batch/user/task_0", "123", "batch"),
        ("9:cpu:/\n4:memory:/slurm/uid_1000/job_77/step_extern/task_0\n1:name=systemd:/", "77", "extern"),
        ("4:memory:/slurm_gpu17/uid_1000/job_77", "77", None),
        ("0::/user.slice/job_5/step_0", None, None),
    ],
)
def test_jobs_by_control_group(cgroup: str, job: str | None, step: str | None) -> None:
    found = place(cgroup + "\n", "")
    assert (found.job_id, found.step_id) == (job, step)


def test_a_container_within_a_job() -> None:
    found = place(f"0::/system.slice/slurmstepd.scope/job_9/step_2/user/task_0/libpod-{ID}.scope\n", "")
    assert (found.job_id, found.step_id, found.runtime, found.container_id) == ("9", "2", "podman", ID)


def mount(root: str, point: str, rest: str = "rw - ext4 /dev/sda1 rw") -> str:
    return f"36 35 98:0 {root} {point} {rest}\n"


@pytest.mark.parametrize(
    ("mountinfo", "runtime", "container", "pod"),
    [
        (mount(f"/var/lib/docker/containers/{ID}/hostname", "/etc/hostname"), "docker", ID, None),
        (mount(f"/containers/overlay-containers/{ID}/userdata/hosts", "/etc/hosts"), "podman", ID, None),
        (
            mount(f"/var/lib/kubelet/pods/{POD}/etc-hosts", "/etc/hosts")
            + mount(f"/containerd/io.containerd.grpc.v1.cri/sandboxes/{ID}/hostname", "/etc/hostname"),
            "containerd",
            None,
            POD,
        ),
        (
            mount(f"/lib/kubelet/pods/{POD}/etc-hosts", "/etc/hosts")
            + mount(f"/lib/containers/storage/overlay-containers/{ID}/userdata/hostname", "/etc/hostname"),
            "cri-o",
            ID,
            POD,
        ),
        (
            mount("/enroot/data/pyxis_123.0", "/", "rw - overlay overlay rw"),
            "enroot",
            "pyxis_123.0",
            None,
        ),
        (
            mount("/", "/", "ro - overlay overlay ro,lowerdir=/var/lib/apptainer/mnt/session/overlay-lowerdir"),
            "singularity",
            None,
            None,
        ),
        # The host of many containers is in none of them.
        (
            mount("/", "/") + mount("/", f"/var/lib/docker/containers/{ID}/mounts/shm", "rw - tmpfs shm rw"),
            None,
            None,
            None,
        ),
        ("garbage\n\n", None, None, None),
    ],
)
def test_containers_by_mounts(mountinfo: str, runtime: str | None, container: str | None, pod: str | None) -> None:
    found = place("0::/\n", mountinfo)
    assert (found.runtime, found.container_id, found.pod_uid) == (runtime, container, pod)


def test_nothing_is_nothing() -> None:
    assert place("", "") == Place()
    assert place("no colons here", "") == Place()


class Machine:
    """A tree like /sys of a node: two sockets, a switch on each with two GPUs and an adapter, one adapter elsewhere."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for socket, bus in enumerate(("17", "b1")):
            switch = f"pci0000:{bus}/0000:{bus}:00.0/0000:{bus}:01.0"
            for slot in range(2):
                self.device(f"{switch}/0000:{bus}:0{slot + 2}.0/0000:{bus}:1{slot}.0", socket)
            self.device(f"{switch}/0000:{bus}:04.0/0000:{bus}:1a.0", socket)
        deeper = "pci0000:17/0000:17:00.0/0000:17:01.0/0000:17:05.0/0000:17:06.0/0000:17:07.0/0000:17:20.0"
        self.device(deeper, 0)
        self.device("pci0000:17/0000:17:30.0/0000:17:31.0", 0)
        self.device("pci0000:35/0000:35:00.0/0000:36:00.0", 0)

    def device(self, path: str, numa: int) -> None:
        place = self.root / "sys/devices" / path
        place.mkdir(parents=True)
        (place / "numa_node").write_text(f"{numa}\n")
        (place / "local_cpulist").write_text("0-31\n" if numa == 0 else "32-63\n")
        link = self.root / "sys/bus/pci/devices" / place.name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(place)

    def adapter(self, name: str, bus_id: str, interface: str, state: str = "4: ACTIVE") -> None:
        base = self.root / "sys/class/infiniband" / name
        port = base / "ports/1"
        port.mkdir(parents=True)
        (port / "state").write_text(state)
        (port / "rate").write_text("200 Gb/sec (4X HDR)")
        (base / "fw_ver").write_text("28.39.1002\n")
        (base / "hca_type").write_text("MT4129\n")
        device = self.root / "sys/bus/pci/devices" / bus_id
        (base / "device").symlink_to(device)
        net = device.resolve() / "net" / interface
        net.mkdir(parents=True)
        (net / "device").symlink_to(device)
        links = self.root / "sys/class/net"
        links.mkdir(parents=True, exist_ok=True)
        (links / interface).symlink_to(net)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("0000:17:10.0", "0000:17:11.0", "pix"),
        ("0000:17:10.0", "0000:17:1a.0", "pix"),
        ("0000:17:10.0", "0000:17:20.0", "pxb"),
        ("0000:17:10.0", "0000:17:31.0", "phb"),
        ("0000:17:10.0", "0000:36:00.0", "node"),
        ("0000:17:10.0", "0000:b1:1a.0", "sys"),
        ("0000:17:10.0", "0000:99:00.0", None),
    ],
)
def test_what_lies_between_two_devices(tmp_path: Path, one: str, other: str, wanted: str | None) -> None:
    Machine(tmp_path)
    assert nearness(seat(tmp_path, one), seat(tmp_path, other)) == wanted
    assert nearness(seat(tmp_path, other), seat(tmp_path, one)) == wanted


def test_adapters_and_where_they_sit(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.adapter("mlx5_0", "0000:17:1a.0", "ib0")
    machine.adapter("mlx5_1", "0000:b1:1a.0", "ib1", "1: DOWN")
    (tmp_path / "sys/class/net/lo").mkdir()
    plain = tmp_path / "sys/class/net/eth0"
    plain.mkdir()
    (plain / "device").symlink_to(tmp_path / "sys/bus/pci/devices/0000:36:00.0")
    (plain / "operstate").write_text("up\n")
    (plain / "speed").write_text("25000\n")
    first, second, third = adapters(tmp_path)
    assert first.row == {
        "device_id": "mlx5_0/1",
        "kind": "adapter",
        "bus_id": "0000:17:1a.0",
        "numa_node": 0,
        "cpu_list": "0-31",
        "name": "MT4129",
        "firmware": "28.39.1002",
        "interfaces": "ib0",
        "state": "active",
        "speed_mbps": 200_000,
    }
    assert (second.name, second.row["state"], second.row["numa_node"]) == ("mlx5_1/1", "down", 1)
    assert (third.name, third.row["state"], third.row["speed_mbps"]) == ("eth0", "up", 25_000)
    assert seat(tmp_path, None) == Seat()


def test_gpus_and_pairs_of_them(tmp_path: Path) -> None:
    stub = Stub(tmp_path)
    stub.say("* gpus 4", "1 migs 2", "3 bad_link 5", "3 link_down 1")
    machine = Machine(tmp_path / "root")
    machine.device("pci0000:10/0000:10:00.0", 0)  # the stub's first GPU is on bus 10
    machine.adapter("mlx5_0", "0000:17:1a.0", "ib0")
    body = (
        "import json, os, sys, time\n"
        "from pathlib import Path\n"
        "from inquest.capture.collector import Context\n"
        "from inquest.capture.collectors.topology import Topology\n"
        "topology = Topology()\n"
        "topology.root = Path(sys.argv[1])\n"
        "ctx = Context(Path('/'), 'n', 'b', 1, time.monotonic_ns(), {})\n"
        "print(json.dumps(dict(topology.start(ctx))))\n"
    )
    argv = [sys.executable, "-c", body, tmp_path / "root"]
    done = subprocess.run(argv, env=os.environ | stub.env, stdout=subprocess.PIPE, check=True)
    tables: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    for table, rows in tables.items():
        assert all(set(row) <= set(schema.BY_NAME[table].column_names) for row in rows)
    devices = {row["device_id"]: row for row in tables["devices"]}
    kinds = [row["kind"] for row in tables["devices"]]
    assert (kinds.count("gpu"), kinds.count("mig"), kinds.count("adapter")) == (4, 2, 1)
    uuids = [f"GPU-5eed0000-0000-0000-0000-00000000000{number}" for number in range(4)]
    assert (devices[uuids[0]]["serial"], devices[uuids[0]]["cpu_list"]) == ("1650000000000", "0-31")
    assert devices[uuids[0]]["settings"] == "compute_mode=default,persistence=on,ecc=on,ecc_pending=off,mig=off"
    mig = devices["MIG-5eed0000-0000-0000-0002-000000000001"]
    assert (mig["gpu_uuid"], mig["gpu_instance"], mig["compute_instance"]) == (uuids[1], 4, 0)
    links = {(row["device_id"], row["peer_device_id"]): row for row in tables["device_links"]}
    assert links[uuids[0], uuids[1]]["nearness"] == "pix"
    assert links[uuids[0], uuids[1]]["nvlinks"] == 18
    assert links[uuids[0], uuids[3]]["nvlinks"] == 17, "as many as both have to the switches"
    assert links[uuids[0], uuids[2]]["p2p_read"] == "ok"
    assert links[uuids[0], "mlx5_0/1"]["nearness"] == "node"


def test_placements_of_real_processes_are_told_on_change(tmp_path: Path) -> None:
    environ = {"LOCAL_RANK": "1", "RANK": "5", "SLURM_JOB_ID": "42", "SLURM_STEP_ID": "0", "SLURM_PROCID": "5"}
    cpu = str(min(os.sched_getaffinity(0)))
    with command("taskset", "-c", cpu, "sleep", "600", env=os.environ | environ) as child:
        deadline = time.monotonic() + 60
        while Path(f"/proc/{child.pid}/comm").read_text().strip() != "sleep":
            assert time.monotonic() < deadline
            time.sleep(0.01)
        ctx = Context(tmp_path, "n1", proc.boot_id(), child.pid, time.monotonic_ns(), {})
        ctx.members = {child.pid: Member(child.pid, 5, "rank"), 1: Member(1, None, "worker")}
        placements = Placements()
        placements.start(ctx)

        def tick() -> list[dict[str, Any]]:
            return [row for _, rows in placements.tick(ctx) for row in rows]

        (row,) = tick()
        assert (row["pid"], row["rank"], row["local_rank"], row["procid"]) == (child.pid, 5, 1, 5)
        assert (row["job_id"], row["step_id"], row["cpu_list"]) == ("42", "0", cpu)
        assert row["cgroup"]
        assert set(row) <= set(schema.BY_NAME["placements"].column_names)
        assert tick() == []
        ctx.gpu_holders = {child.pid: ("GPU-a", "GPU-b")}
        (row,) = [row for _ in range(5) for row in tick()]
        assert row["attached_gpus"] == "GPU-a,GPU-b"

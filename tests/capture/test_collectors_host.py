"""Readers of sysfs and procfs on trees laid out as the kernel's documents describe them. Values are made up."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from inquest.bundle import schema
from inquest.capture import proc
from inquest.capture.collector import Context, Missing
from inquest.capture.collectors import cgroup
from inquest.capture.collectors.cgroup import Cgroup
from inquest.capture.collectors.host import Host, cpu_times, cpu_waits
from inquest.capture.collectors.infiniband import InfiniBand
from inquest.capture.collectors.kernel_counters import KernelCounters
from inquest.capture.collectors.kernel_log import KernelLog
from inquest.capture.collectors.net import speed_mbps
from inquest.capture.collectors.network_mounts import NetworkMounts, nfs_rows


def context(tmp_path: Path) -> Context:
    return Context(tmp_path, "node-a", proc.boot_id(), os.getpid(), time.monotonic_ns(), {})


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def rows(batches: Any) -> list[dict[str, Any]]:
    found = []
    for table, some in batches:
        for row in some:
            assert set(row) <= set(schema.BY_NAME[table].column_names)
            found.append(row)
    return found


def port(name: str, number: int = 1, **files: str) -> dict[str, str]:
    base = f"sys/class/infiniband/{name}/ports/{number}"
    return {f"{base}/{file.replace('__', '/')}": text + "\n" for file, text in files.items()}


def test_infiniband_port(tmp_path: Path) -> None:
    tree(
        tmp_path,
        port(
            "mlx5_0",
            state="4: ACTIVE",
            rate="400 Gb/sec (4X NDR)",
            counters__port_rcv_data="1000",
            counters__port_xmit_data="2000",
            counters__symbol_error="3",
            counters__link_downed="1",
            counters__port_xmit_wait="77",
            hw_counters__out_of_sequence="5",
            hw_counters__local_ack_timeout_err="9",
            hw_counters__np_cnp_sent="11",
        )
        | port("mlx5_1", state="1: DOWN", rate="2.5 Gb/sec (1X SDR)"),
    )
    collector = InfiniBand()
    collector.root = tmp_path
    up, down = rows(collector.start(context(tmp_path)))
    assert (up["interface"], up["state"], up["carrier"], up["speed_mbps"]) == ("mlx5_0/1", "active", True, 400_000)
    assert (up["rx_bytes"], up["tx_bytes"]) == (4000, 8000), "words of four bytes"
    assert (up["symbol_errors"], up["link_downs"], up["tx_waits"]) == (3, 1, 77)
    assert (up["out_of_sequence"], up["ack_timeouts"], up["cnp_sent"]) == (5, 9, 11)
    assert "rnr_naks" not in up, "what an adapter does not count is not zero"
    assert (down["interface"], down["carrier"], down["speed_mbps"]) == ("mlx5_1/1", False, 2500)
    # The adapter goes away while we look: its row says that nothing could be read.
    shutil.rmtree(tmp_path / "sys/class/infiniband/mlx5_0")
    gone = rows(collector.tick(context(tmp_path)))[0]
    assert (gone["interface"], gone["state"], gone["rx_bytes"]) == ("mlx5_0/1", None, None)


def test_numbers_that_mean_none(tmp_path: Path) -> None:
    collector = InfiniBand()
    collector.root = tree(tmp_path, port("mlx5_0", counters__port_rcv_data=str(2**64 - 1), state="5: ACTIVE_DEFER"))
    (row,) = rows(collector.start(context(tmp_path)))
    assert (row["rx_bytes"], row["state"], row["carrier"]) == (None, "active_defer", False)
    for text, speed in (("-1", None), ("4294967295", None), ("100000", 100_000), ("", None)):
        (tmp_path / "speed").write_text(text)
        assert speed_mbps(tmp_path) == speed


def test_a_limit_above_the_tasks_of_version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = "system.slice/slurmstepd.scope/job_7"
    leaf = f"{job}/step_0/user/task_0"
    small = {"memory.stat": "anon 900\nfile 50\n", "memory.events": "low 0\noom 2\noom_kill 1\n", "pids.current": "3\n"}
    files = {f"{leaf}/{name}": text for name, text in small.items()}
    files |= {
        f"{leaf}/memory.current": "1000\n",
        f"{leaf}/memory.max": "max\n",
        f"{leaf}/cpu.stat": "throttled_usec 5\n",
    }
    files |= {f"{job}/memory.current": "7000\n", f"{job}/memory.max": "8192\n", f"{job}/memory.peak": "8000\n"}
    mount = cgroup._Mount(tree(tmp_path, files), "/")
    monkeypatch.setattr(cgroup, "mounts", lambda: {"": mount})
    monkeypatch.setattr(cgroup, "paths", lambda pid: {"": f"/{leaf}"})
    task, whole = rows(Cgroup().start(context(tmp_path)))
    assert (task["cgroup"], task["version"], task["memory_used_bytes"]) == (f"/{leaf}", 2, 1000)
    assert (task["memory_limit_bytes"], task["memory_anon_bytes"], task["oom_kills"]) == (8192, 900, 1)
    assert (task["cpu_throttled_ns"], task["pids"]) == (5000, 3)
    assert (whole["cgroup"], whole["memory_used_bytes"], whole["memory_limit_bytes"]) == (f"/{job}", 7000, 8192)


def test_an_adapter_with_counters_of_its_own_kind(tmp_path: Path) -> None:
    files = port("rdmap0s6", state="4: ACTIVE", hw_counters__rx_bytes="12", hw_counters__tx_pkts="3")
    collector = InfiniBand()
    collector.root = tree(tmp_path, files)
    (row,) = rows(collector.start(context(tmp_path)))
    assert (row["rx_bytes"], row["tx_packets"], row["speed_mbps"]) == (12, 3, None)


def test_no_infiniband_is_an_outcome(tmp_path: Path) -> None:
    collector = InfiniBand()
    collector.root = tmp_path
    with pytest.raises(Missing, match="no InfiniBand"):
        collector.start(context(tmp_path))


MOUNTSTATS = """\
device proc mounted on /proc with fstype proc
device fs1:/home mounted on /home/a\\040b with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=1048576
\tage:\t1000
\tevents:\t1 2 3
\tbytes:\t2320629391 2297630544 0 0 2298347151 2297630544 718354 717816
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\ttcp 0 1 2 0 0 10 10 0 10 0 2 0 0
\tper-op statistics
\t        NULL: 1 1 0 44 24 0 0 0 0
\t        READ: 100 104 1 20000 104857600 50 4000 4100 0
\t       WRITE: 40 40 0 41943040 5000 10 900 950 2

device fs2:/data mounted on /data with fstype nfs statvers=1.0
\tbytes:\t1 2 3 4 5 6 7 8
\tper-op statistics
\t        READ: 7 7 0 1 1 1 1 9
device /dev/vda mounted on / with fstype ext4
"""


def test_nfs_mounts() -> None:
    home, data = list(nfs_rows(MOUNTSTATS))
    assert home == {
        "device": "/home/a b",
        "fs_type": "nfs4",
        "read_bytes": 2298347151,
        "written_bytes": 2297630544,
        "operations": 141,
        "retransmits": 4,
        "timeouts": 1,
        "wait_ms": 5050,
        "io_errors": 2,
    }
    assert (data["device"], data["fs_type"], data["read_bytes"], data["wait_ms"]) == ("/data", "nfs", 5, 9)
    assert "io_errors" not in data, "kernels before 5.3 do not count them"


@pytest.mark.parametrize("base", ["proc/fs/lustre", "sys/kernel/debug/lustre"])
def test_lustre_mounts(tmp_path: Path, base: str) -> None:
    stats = (
        "snapshot_time             1700000000.123 secs.nsecs\n"
        "read_bytes                1200 samples [bytes] 4096 4194304 5033164800\n"
        "write_bytes               300 samples [bytes] 1 4194304 1258291200\n"
        "open                      45 samples [usec]\n"
    )
    imported = "import:\n    name: scratch-OST%04x-osc-ffff8800\n    target: scratch-OST%04x_UUID\n    state: %s\n"
    files = {
        "proc/self/mounts": "10.0.0.1@o2ib:/scratch /scratch lustre rw,flock 0 0\n",
        "proc/self/mountstats": "",
        f"{base}/llite/scratch-ffff8800/stats": stats,
    }
    for number, state in enumerate(("FULL", "DISCONN", "IDLE")):
        files[f"{base}/osc/scratch-OST{number:04x}-osc-ffff8800/import"] = imported % (number, number, state)
    files[f"{base}/mdc/scratch-MDT0000-mdc-ffff8800/import"] = "import:\n    state: FULL\n"
    collector = NetworkMounts()
    collector.root = tree(tmp_path, files)
    (row,) = rows(collector.start(context(tmp_path)))
    assert (row["device"], row["fs_type"]) == ("/scratch", "lustre")
    assert (row["read_bytes"], row["written_bytes"], row["operations"]) == (5033164800, 1258291200, 1500)
    assert (row["targets"], row["targets_down"]) == (4, 1)


def test_no_network_mount_is_an_outcome(tmp_path: Path) -> None:
    collector = NetworkMounts()
    collector.root = tree(tmp_path, {"proc/self/mountstats": "device proc mounted on /proc with fstype proc\n"})
    with pytest.raises(Missing):
        list(collector.start(context(tmp_path)))


def test_a_busy_cpu_is_told_from_an_idle_one(tmp_path: Path) -> None:
    host, ctx = Host(), context(tmp_path)
    cpu = min(os.sched_getaffinity(0))
    with subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) as busy:
        deadline = time.monotonic() + 60
        while (stat := proc.stat(busy.pid)) is None or stat.cpu_user_s < 0.05:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        list(host.start(ctx))
        time.sleep(0.4)
        batches = [batch for _ in range(10) for batch in host.tick(ctx)]
        busy.kill()
    each = {row["cpu"]: row for row in rows(batch for batch in batches if batch[0] == "cpu_samples")}
    assert each.keys() == {int(name[3:]) for name in cpu_times(Path("/proc/stat").read_text()) if name != "cpu"}
    assert each[cpu]["cpu_user_share"] + each[cpu]["cpu_system_share"] + each[cpu]["cpu_steal_share"] > 0.5


def test_who_waits_for_which_cpu() -> None:
    text = "version 15\ntimestamp 1\ncpu0 0 0 9 3 7 5 123456 777 41\ndomain0 3 1 2\ncpu1 0 0 1 1 1 1 1 8 2\n"
    assert cpu_waits(text) == {0: (777, 41), 1: (8, 2)}
    assert cpu_waits("") == {}


def test_kernel_counters_have_a_row_when_they_move(tmp_path: Path) -> None:
    counters, ctx = KernelCounters(), context(tmp_path)
    first = {(row["area"], row["name"]): row["events"] for row in rows(counters.start(ctx))}
    assert first["memory", "pgfault"] > 0
    with socket.socket() as refused, pytest.raises(OSError, match="refused"):
        refused.connect(("127.0.0.1", 1))
    moved = {(row["area"], row["name"]): row["events"] for row in rows(counters.tick(ctx))}
    assert moved["Tcp", "AttemptFails"] > first["Tcp", "AttemptFails"]
    assert moved.keys() < first.keys(), "what stands still has no row"
    last = rows(counters.stop(ctx))
    assert {(row["area"], row["name"]) for row in last} == first.keys(), "at the end all of them"


def test_a_message_of_the_kernel_is_put_where_it_was_written() -> None:
    log = KernelLog()
    now = time.monotonic_ns()

    def parse(seq: int, stamp_ns: int) -> int:
        row = log._parse(f"6,{seq},{stamp_ns // 1000},-;x".encode())
        assert row is not None
        return int(row["ts_mono_ns"])

    behind = 80_000_000_000  # a node up for months, whose kernel stamps with an uncorrected clock
    assert parse(1, now - behind - 5_000_000_000) < now - behind, "what was there before may be of any time"
    log._drained_ns = now - 1_000_000_000
    assert now - 1_001_000_000 <= parse(2, now - behind) <= time.monotonic_ns()
    again = parse(3, now - behind + 500_000_000)
    assert now - 1_000_000_000 < again <= time.monotonic_ns(), "the offset is learnt"
    assert parse(4, time.monotonic_ns() + 60_000_000_000) <= time.monotonic_ns(), "nothing comes from the future"


def test_a_flood_does_not_hide_what_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = time.monotonic_ns() // 1000
    flood = [f"6,{n},{stamp},-;[ {n}]  1000 {n} 12345 67 0 0 0 python".encode() for n in range(1, 700)]
    telling = [
        f"6,700,{stamp},-;oom-kill:constraint=CONSTRAINT_MEMCG,task=python,pid=7".encode(),
        f"6,701,{stamp},-;mlx5_core 0000:1a:00.0 ib0: Link down".encode(),
        f"4,702,{stamp},-;NVRM: Xid (PCI:0000:4f:00): 79, GPU has fallen off the bus.".encode(),
    ]
    log, ctx = KernelLog(), context(tmp_path)
    log._not_before = 0
    records = iter([*flood, *telling])
    monkeypatch.setattr(log, "_read", lambda: next(records, None))
    kept = rows(log.tick(ctx))
    assert len(kept) == 503
    assert log.drops == 199
    assert [row["kernel_seq"] for row in kept[-3:]] == [700, 701, 702]

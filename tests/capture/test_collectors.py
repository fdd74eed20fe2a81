"""Collectors one by one, on the real /proc, /sys and /dev of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle import schema
from inquest.capture import jobenv, proc
from inquest.capture.collector import Collector, Context, Denied, Missing
from inquest.capture.collectors import COLLECTORS, cgroup, kernel_log
from inquest.capture.collectors.cgroup import Cgroup
from inquest.capture.collectors.clock import Clock
from inquest.capture.collectors.disk import Disk
from inquest.capture.collectors.filesystems import FileSystems
from inquest.capture.collectors.host import Host, pressure
from inquest.capture.collectors.identity import Identity, cpu_model
from inquest.capture.collectors.kernel_log import KernelLog
from inquest.capture.collectors.net import Net
from inquest.capture.collectors.processes import Processes
from inquest.capture.election import Seat
from inquest.capture.exit_watch import ExitWatch
from inquest.capture.jobenv import is_launcher
from inquest.capture.mounts import mount_of, mounts
from tests.capture.recorder_kit import PATIENCE_S, command

if TYPE_CHECKING:
    from collections.abc import Iterator


def context(tmp_path: Path, pid: int | None = None, environ: dict[str, str] | None = None) -> Context:
    return Context(
        capture_dir=tmp_path,
        node="node-a",
        boot_id=proc.boot_id(),
        child_pid=os.getpid() if pid is None else pid,
        began_mono_ns=time.monotonic_ns(),
        environ=environ or {},
    )


def rows(batches: Any) -> list[dict[str, Any]]:
    return [row for _, some in batches for row in some]


@pytest.mark.parametrize("kind", COLLECTORS)
def test_is_declared_completely(kind: type[Collector]) -> None:
    assert kind.name
    assert {table.name for table in schema.RECORDED} >= set(kind.tables)
    assert kind.budget.seconds > 0
    assert kind.period >= 1


def test_names_are_unique() -> None:
    assert len({kind.name for kind in COLLECTORS}) == len(COLLECTORS)


def test_clock_reads_one_instant(tmp_path: Path) -> None:
    before = time.monotonic_ns()
    (row,) = rows(Clock().start(context(tmp_path)))
    after = time.monotonic_ns()
    assert before <= row["ts_mono_ns"] <= after
    assert 0 < row["read_bound_ns"] < 1_000_000_000
    wall_now, mono_now = time.time_ns(), time.monotonic_ns()
    assert abs((wall_now - mono_now) - (row["wall_ns"] - row["ts_mono_ns"])) < 1_000_000_000
    assert row["kernel_error_us"] is None or row["kernel_error_us"] >= 0


def test_host_counts_work(tmp_path: Path) -> None:
    host, ctx = Host(), context(tmp_path)
    list(host.start(ctx))
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        sum(range(1000))
    (row,) = rows(host.tick(ctx))
    assert 0 < row["cpu_user_share"] <= 1
    shares = [row[name] for name in row if name.startswith("cpu_") and name.endswith("_share")]
    assert len(shares) == 4
    assert sum(shares) <= 1.001
    assert row["memory_total_bytes"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < row["memory_available_bytes"] < row["memory_total_bytes"]
    assert row["procs_running"] >= 1
    assert row["oom_kills"] >= 0


def test_pressure_is_absent_where_the_kernel_has_none(tmp_path: Path) -> None:
    assert pressure(proc.Kept(tmp_path / "none").text()) == {}
    (tmp_path / "memory").write_text(
        "some avg10=1.25 avg60=0.10 avg300=0.00 total=12345\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=99\n"
    )
    assert pressure((tmp_path / "memory").read_text()) == {"some": 1.25, "full": 0.5}


def test_a_kept_file_is_read_anew_and_whole_and_stays_absent(tmp_path: Path) -> None:
    path = tmp_path / "file"
    absent = proc.Kept(path)
    assert absent.text() is None
    path.write_text("12\n")
    assert absent.number() is None
    kept, records = proc.Kept(path), proc.Kept(path, records=True)
    assert kept.number() == 12
    path.write_text("max\n")
    assert (kept.number(), kept.text()) == (None, "max\n")
    path.write_text("x" * 100_000)
    assert kept.text() == records.text() == "x" * 100_000
    assert proc.Kept("/proc/vmstat", records=True).text() is not None
    gone = subprocess.Popen(["sleep", "60"])
    stat = proc.Kept(f"/proc/{gone.pid}/stat")
    assert (stat.text() or "").startswith(f"{gone.pid} (")
    assert not proc.has_ended(gone.pid)
    gone.kill()
    while not proc.has_ended(gone.pid):  # a zombie
        time.sleep(0.001)
    gone.wait()
    assert stat.text() is None
    assert proc.has_ended(gone.pid)


def test_net_counts_bytes_on_loopback(tmp_path: Path) -> None:
    import socket

    net, ctx = Net(), context(tmp_path)
    before = {row["interface"]: row for row in rows(net.tick(ctx))}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(100):
            sender.sendto(bytes(1000), ("127.0.0.1", 9))
    after = {row["interface"]: row for row in rows(net.tick(ctx))}
    assert after["lo"]["tx_bytes"] - before["lo"]["tx_bytes"] >= 100_000
    assert after["lo"]["tcp_retransmits"] >= 0
    assert all(row["tcp_retransmits"] is None for name, row in after.items() if name != "lo")


def test_disk_leaves_out_what_is_no_device(tmp_path: Path) -> None:
    disk, ctx = Disk(), context(tmp_path)
    try:
        list(disk.start(ctx))
    except Missing:
        pytest.skip("no block device here")
    names = {row["device"] for row in rows(disk.tick(ctx))}
    assert not any(name.startswith(("loop", "ram")) for name in names)
    assert all(Path("/sys/block", name).exists() for name in names)


def test_filesystems_of_the_job(tmp_path: Path) -> None:
    filesystems = FileSystems()
    found = rows(filesystems.start(context(tmp_path, environ={"TMPDIR": "/dev/shm"})))
    here, mounted = {row["device"]: row for row in found}, mounts()
    own = {mount.point: mount.kind for place in (str(tmp_path), "/dev/shm") if (mount := mount_of(place, mounted))}
    assert {point: here[point]["fs_type"] for point in own} == own
    assert all(0 <= row["fs_free_bytes"] <= row["fs_total_bytes"] for row in found)
    # Nothing is said again of what keeps its room, and all of them at the end.
    assert {row["device"] for row in rows(filesystems.tick(context(tmp_path)))} <= set(here)
    assert {row["device"] for row in rows(filesystems.stop(context(tmp_path)))} == set(here)


def test_a_file_system_that_nobody_named_is_told_of_as_it_fills_up(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch disk"
    scratch.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(scratch)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("only root may mount a file system")
    filesystems, ctx = FileSystems(), context(tmp_path)
    try:
        told = [rows(filesystems.start(ctx))]
        for size in (100, 1 << 20, 4 << 20):
            with suppress(OSError):
                (scratch / f"{size}").write_bytes(bytes(size))
            told.append(rows(filesystems.tick(ctx)))
        room = [[row["fs_free_bytes"] for row in each if row["device"] == str(scratch)] for each in told]
        assert [len(each) for each in room] == [1, 0, 1, 1]
        assert room[0] == [4 << 20]
        assert room[3] == [0]
    finally:
        subprocess.run(["umount", str(scratch)], check=True)


def test_a_path_lies_on_the_innermost_mount_that_is_seen() -> None:
    table = (
        "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
        "40 27 0:41 / /mnt/a\\040b ro,nosuid - nfs4 server:/x rw,vers=4.2\n"
        "41 27 0:42 / /mnt rw - tmpfs none ro,size=4k\n"
        "42 41 0:43 / /mnt rw - xfs /dev/sdb rw\n"
        "torn 27 0:4"
    )
    mounted = mounts(table)
    assert {mount.point: (mount.kind, mount.writable, mount.local) for mount in mounted.values()} == {
        "/": ("ext4", True, True),
        "/mnt/a b": ("nfs4", False, False),
        "/mnt": ("xfs", True, True),
    }
    where = {path: mount_of(path, mounted) for path in ("/mnt/a b/c/d", "/mnt/ab", "/mntx", "/")}
    assert {path: mount and mount.point for path, mount in where.items()} == {
        "/mnt/a b/c/d": "/mnt/a b",
        "/mnt/ab": "/mnt",
        "/mntx": "/",
        "/": "/",
    }
    assert mount_of("/x", {}) is None


def test_processors_have_names_on_arm_too() -> None:
    grace = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd4f\n"
    assert cpu_model("processor\t: 0\nmodel name\t: Intel(R) Xeon(R) @ 2.10GHz\n") == "Intel(R) Xeon(R) @ 2.10GHz"
    assert cpu_model(grace) == "Neoverse-V2"
    assert cpu_model(grace.replace("0xd4f", "0xfff")) == "CPU implementer 0x41 part 0xfff"
    assert cpu_model("processor\t: 0\n") is None


def test_identity_hides_the_machine_id(tmp_path: Path) -> None:
    identity = Identity()
    ctx = context(tmp_path, environ={"SLURMD_NODENAME": "gpu17", "RANK": "3", "SECRET": "c4n4ry"})
    found = [*rows(identity.start(ctx)), *rows(identity.stop(ctx))]
    assert len(found) == 1
    assert found[0]["slurm_node"] == "gpu17"
    assert found[0]["job_env"] == '{"RANK": "3", "SLURMD_NODENAME": "gpu17"}'
    assert "c4n4ry" not in str(found)
    machine_id = Path("/etc/machine-id")
    if machine_id.exists() and machine_id.read_text().strip():
        assert machine_id.read_text().strip()[:16] != found[0]["machine_id"]
        assert len(found[0]["machine_id"]) == 16


def test_the_allow_list_holds_no_secret() -> None:
    for name in jobenv.ALLOWED:
        assert not any(word in name for word in ("KEY", "TOKEN", "SECRET", "PASS", "CRED", "COOKIE", "AUTH")), name
    assert jobenv.number({"RANK": "7"}, "RANK") == 7
    for bad in ("-1", "7; rm", "٣", "9" * 30, ""):
        assert jobenv.number({"RANK": bad}, "RANK") is None


@pytest.mark.parametrize(
    ("argv", "yes"),
    [
        ("torchrun --nproc-per-node 8 train.py", True),
        ("/opt/venv/bin/python3.11 /opt/venv/bin/torchrun train.py", True),
        ("python -u -m torch.distributed.run train.py", True),
        ("accelerate launch train.py", True),
        ("/usr/bin/python3 /usr/local/bin/deepspeed --num_gpus 8 t.py", True),
        ("python train.py --backend deepspeed", False),
        ("python -m trainer torchrun", False),
        ("python torchrun_notes.py", False),
        ("bash -c torchrun", False),
        ("", False),
    ],
)
def test_knows_a_launcher(argv: str, yes: bool) -> None:
    assert is_launcher(argv.split()) is yes


def test_reads_a_process_with_an_ugly_name(tmp_path: Path) -> None:
    ugly = tmp_path / "a) S (b"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", ugly)
    with command(str(ugly), "600") as child:
        deadline = time.monotonic() + PATIENCE_S
        while (stat := proc.stat(child.pid)) is None or stat.comm != "a) S (b":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert stat.ppid == os.getpid()
        start = proc.start_mono_ns(stat.start_ticks)
        assert abs(time.monotonic_ns() - start) < PATIENCE_S * 1e9
    assert proc.stat(child.pid) is None
    assert proc.environ(child.pid, jobenv.ALLOWED) == {}


def test_exit_of_another_processs_child_is_seen() -> None:
    watch = ExitWatch()
    # The grandchildren are reaped at once by a parent that is not us.
    body = (
        "import subprocess, sys\n"
        "some = [subprocess.Popen(['sh', '-c', 'read x; ' + end], stdin=subprocess.PIPE) for end in sys.argv[1:]]\n"
        "print(*[p.pid for p in some], flush=True)\n"
        "sys.stdin.read(1)\n"
        "[(p.stdin.close(), p.wait()) for p in some]\n"
    )
    argv = (sys.executable, "-c", body, "exit 0", "exit 9", "kill -11 $$")
    with command(*argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdin is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert all(watch.add(pid) for pid in pids)
        parent.stdin.write(b"x")
        parent.stdin.close()
        parent.wait(PATIENCE_S)
        found = {}
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < 3 and time.monotonic() < deadline:
            found |= {exit_.pid: exit_.status for exit_ in watch.ended()}
            time.sleep(0.05)
    statuses = [found[pid] for pid in pids]
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    if release >= (6, 15):
        assert [statuses[0], statuses[1]] == [0, 9 << 8]
        assert statuses[2] is not None
        assert os.WTERMSIG(statuses[2]) == 11
    else:  # reaped before we could look: then the status is unknown, never invented
        assert statuses[0] in (0, None)
        assert statuses[1] in (9 << 8, None)
    assert watch.add(pids[0]) is False


def test_whoever_has_just_gone_is_known_to_have_ended_before_the_watching_thread_wakes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ExitWatch, "_run", lambda _: None)
    watch = ExitWatch()
    with command("sh", "-c", "read x; exit 3", stdin=subprocess.PIPE) as child:
        assert watch.add(child.pid)
        assert watch.ended() == []
        assert child.stdin is not None
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        (ended,) = watch.ended()
    assert (ended.pid, ended.status) == (child.pid, 3 << 8)
    assert watch.ended() == []


def test_one_seat_a_node_and_job(tmp_path: Path) -> None:
    def seat(**changed: Any) -> Seat:
        return Seat(**({"node": "n", "job": "1", "step": "0", "out": tmp_path} | changed))

    first, second = seat(), seat()
    assert first.take()
    assert first.take()
    assert not second.take()
    others = [seat(node="m"), seat(job="2"), seat(step="1"), seat(out=tmp_path / "elsewhere")]
    assert all(other.take() for other in others)
    first.leave()
    assert second.take()
    for each in (second, *others):
        each.leave()


def test_the_seat_falls_back_to_a_local_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: object) -> None:
        raise PermissionError(1, "sandboxed")

    class NoAbstractSockets(socket.socket):
        bind = refuse

    monkeypatch.setattr("inquest.capture.election.socket.socket", NoAbstractSockets)
    one = Seat(node="n", job="1", step=None, out=tmp_path)
    two = Seat(node="n", job="1", step=None, out=tmp_path)
    assert one.take()
    assert not two.take()
    one.leave()
    assert two.take()
    two.leave()


def test_kernel_log_reads_what_the_kernel_says(tmp_path: Path) -> None:
    log = KernelLog()
    try:
        list(log.start(context(tmp_path)))
    except (Missing, Denied) as error:
        pytest.skip(str(error))
    if os.geteuid() != 0:
        pytest.skip("needs root to write a line into the kernel log")
    Path("/dev/kmsg").write_text(f"<4>inquest test {tmp_path.name}\n")
    found = [row for row in rows(log.stop(context(tmp_path))) if tmp_path.name in row["text"]]
    assert len(found) == 1
    assert found[0]["level"] == 4
    assert abs(found[0]["ts_mono_ns"] - time.monotonic_ns()) < 10_000_000_000
    assert found[0]["kernel_seq"] > 0


def test_kernel_log_counts_what_it_missed_and_keeps_what_matters(tmp_path: Path) -> None:
    log = KernelLog()
    log._next_seq = None
    assert log._parse(b"6,100,5000000,-;hello\n SUBSYSTEM=pci\n DEVICE=+pci:0") == {
        "ts_mono_ns": 5_000_000_000,
        "level": 6,
        "kernel_seq": 100,
        "text": "hello",
        "source": "kmsg",
    }
    assert log._parse(b"3,140,5000001,-;NVRM: Xid 79") is not None
    assert log.drops == 39
    assert log._parse(b"garbage") is None
    assert log._parse(b"6,x,5,-;hi") is None


def test_kernel_log_denied_is_an_outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody who may not read")
    device = tmp_path / "kmsg"
    device.touch(mode=0o600)
    monkeypatch.setattr(kernel_log, "_DEVICE", device)
    os.seteuid(65534)
    try:
        with pytest.raises(Denied, match="root"):
            list(KernelLog().start(context(tmp_path)))
    finally:
        os.seteuid(0)
    monkeypatch.setattr(kernel_log, "_DEVICE", tmp_path / "none")
    with pytest.raises(Missing):
        list(KernelLog().start(context(tmp_path)))


@pytest.fixture
def small_cgroup() -> Iterator[Path]:
    """A memory cgroup of 32 MiB below a parent of 24 MiB, version 2 or 1, whatever this machine lets us make."""
    if os.geteuid() != 0:
        pytest.skip("needs root to make a cgroup")
    found = cgroup.mounts()
    if "memory" in found:
        top, limit = found["memory"].point, "memory.limit_in_bytes"
    elif "" in found and "memory" in (found[""].point / "cgroup.controllers").read_text().split():
        top, limit = found[""].point, "memory.max"
    else:
        pytest.skip("no memory controller here")
    outer = top / f"inquest-test-{os.getpid()}"
    inner = outer / "job"
    try:
        if limit == "memory.max":
            (top / "cgroup.subtree_control").write_text("+memory")
        outer.mkdir()
        if limit == "memory.max":
            (outer / "cgroup.subtree_control").write_text("+memory")
        (outer / limit).write_text(str(24 << 20))
        inner.mkdir()
        (inner / limit).write_text(str(32 << 20))
    except OSError as error:
        pytest.skip(f"no memory cgroup can be made here: {error}")
    yield inner
    for directory in (inner, outer):
        deadline = time.monotonic() + PATIENCE_S
        while directory.exists() and time.monotonic() < deadline:
            try:
                directory.rmdir()
            except OSError:  # the killed process is still leaving
                time.sleep(0.1)


@pytest.mark.root
def test_cgroup_sees_the_limit_of_a_parent_and_a_real_oom_kill(small_cgroup: Path, tmp_path: Path) -> None:
    # The shell outlives the child that the kernel kills for memory.
    body = f"echo $$ > {small_cgroup}/cgroup.procs; read x; python3 -c 'x = bytearray(200 << 20)'; echo $?; read x"
    with command("sh", "-c", body, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        deadline = time.monotonic() + PATIENCE_S
        while str(child.pid) not in (small_cgroup / "cgroup.procs").read_text().split():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        collector, ctx = Cgroup(), context(tmp_path, child.pid)
        before, shared = rows(collector.start(ctx))
        assert before["cgroup"].endswith(f"/{small_cgroup.parent.name}/job")
        assert before["memory_limit_bytes"] == shared["memory_limit_bytes"] == 24 << 20
        assert shared["cgroup"] == before["cgroup"].removesuffix("/job"), "the group whose limit it is"
        assert shared["memory_used_bytes"] > 0
        assert "oom_kills" not in shared, "a kill is counted once"
        assert before["oom_kills"] == 0
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.stdout.readline().strip() == b"137"
        after, shared = rows(collector.tick(ctx))
        assert shared["memory_peak_bytes"] <= 24 << 20
        child.kill()
        child.wait()
        last, _ = rows(collector.stop(ctx))
    assert after["oom_kills"] >= 1
    assert after["memory_peak_bytes"] < 32 << 20
    assert last["oom_kills"] >= 1, "the counter must be read after the process has gone, too"


def test_cgroup_stays_inside_its_mount() -> None:
    mount = cgroup._Mount(Path("/sys/fs/cgroup"), "/docker/abc")
    assert mount.directory("/docker/abcdef") is None
    assert mount.directory("/docker/abc/../../../etc") is None
    assert cgroup._Mount(Path("/sys"), "/docker/abc").directory("/docker/abc/kernel") == Path("/sys/kernel")


def test_who_is_begun_later_is_found_by_its_id_and_threads_are_no_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins = (
        "import os, subprocess, threading\n"
        "print(os.getpid(), flush=True)\n"
        "input()\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "print(child.pid, flush=True)\n"
        "input()\n"
        "child.kill()\n"
    )
    # A thread of a process of the job looks like a child of that one's parent.
    shell = ["sh", "-c", '"$@"; exit', "sh", sys.executable, "-ISc", begins]
    job = subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert job.stdin is not None
    assert job.stdout is not None
    ctx, collector = context(tmp_path, job.pid), Processes()
    rank = int(job.stdout.readline())
    begun = rows(collector.start(ctx))
    list(collector.tick(ctx))
    monkeypatch.setattr(proc, "_MOST_BEGUN", 1 << 22)  # however much else is begun here meanwhile
    try:
        job.stdin.write("\n")
        job.stdin.flush()
        child = int(job.stdout.readline())
        begun += rows(collector.tick(ctx))
        assert len(list(Path(f"/proc/{rank}/task").iterdir())) == 2
        assert sorted(row["pid"] for row in begun if row["event"] == "start") == sorted([job.pid, rank, child])
    finally:
        job.communicate("\n", timeout=PATIENCE_S)


def test_ids_begun_since() -> None:
    assert proc.begun_since(7, 7) == []
    assert proc.begun_since(7, 9) == [8, 9]
    assert proc.begun_since(7, 7000) is None, "too many"
    assert proc.begun_since(7000, 7) is None, "ids have wrapped"
    assert proc.begun_since(None, 7) is None
    assert proc.begun_since(7, None) is None
    assert proc.leads(os.getpid())

"""How processes end, who signals them and whom the kernel kills, by real programs on real processes."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inquest.capture.collector import Member, Missing
from inquest.capture.collectors import process_life
from inquest.capture.collectors.process_life import ProcessLife
from inquest.capture.collectors.processes import Processes
from inquest.capture.ebpf import btf, session
from inquest.capture.exit_watch import Exit, ExitWatch
from tests.capture.conftest import children
from tests.capture.ebpf_life.kit import PATIENCE_S, PYTHON, watched

BRIEF = f"""
RANK=3 sh -c 'exit 3'
sh -c 'kill -9 $$'
RANK=5 {PYTHON[0]} -I -S -c 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'
(exit 7)
exit 0
"""
"""Five processes that live for milliseconds; the last is a fork that calls no exec."""


def test_processes_that_live_for_milliseconds_end_with_their_status(tmp_path: Path, backend: str) -> None:
    with watched(tmp_path, "sh", "-c", BRIEF, cwd="/", stderr=subprocess.DEVNULL) as job:
        job.start(ProcessLife())
        job.go()
        assert job.end() == 0
        ends = {(row["exit_code"], row["term_signal"]): row for row in job.of("processes", event="exit")}
    assert set(ends) == {(3, None), (None, 9), (None, 11), (7, None), (0, None)}
    assert all(row["ppid"] == job.pid for status, row in ends.items() if status != (0, None))
    assert ends[0, None]["pid"] == job.pid
    assert all((row["rss_peak_bytes"] or 1) < 64 << 20 for row in ends.values())
    assert {row["core_dumped"] for row in ends.values()} == {False}


def test_what_was_noted_of_a_process_ends_when_it_becomes_another(tmp_path: Path, backend: str) -> None:
    with watched(tmp_path, "true") as job:
        job.start(ProcessLife())
        probing, key = session.shared(), struct.pack("<I", job.pid)
        probing.survey(job.pid)
        assert probing.surveyed.get(key) is not None
        job.go()
        job.end()
        assert probing.surveyed.get(key) is None


def test_the_rank_of_a_brief_process_is_read_while_it_lives(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with watched(tmp_path, "sh", "-c", f"RANK=3 sh -c 'read x; exit 3' < {fifo}; exit 0") as job:
        life = ProcessLife()
        job.start(life)
        job.go()
        deadline = time.monotonic() + PATIENCE_S
        with fifo.open("wb"):  # lets the shell get past its redirection, and holds it there until it has been met
            while not any(member.rank == 3 for member in list(life._met.values())):
                time.sleep(0.01)
                assert time.monotonic() < deadline, "nobody was met with rank 3"
        job.end()
        (row,) = job.of("processes", event="exit", rank=3)
    assert (row["command"], row["argv"]) == ("sh", "sh -c read x; exit 3")


def test_a_process_is_reported_by_one_of_the_two(tmp_path: Path) -> None:
    with watched(tmp_path, "sh", "-c", "sh -c 'read x < /dev/zero & sleep 0.3; kill $!; wait'; exit 4") as job:
        job.start(Processes(), ProcessLife())
        job.go()
        job.wait_for("processes", lambda rows: any(row.get("exit_code") == 4 for row in rows))
        job.end()
        ends = [row["pid"] for row in job.of("processes", event="exit") + job.of("processes", event="gone")]
    assert len(ends) == len(set(ends)) >= 4


def test_the_process_collector_is_told_a_status_that_it_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As before Linux 6.15, where the status of a process that is no child of ours goes with the zombie."""
    monkeypatch.setattr(ExitWatch, "ended", lambda _: [Exit(pid, time.monotonic_ns(), None) for pid in gone])
    gone: list[int] = []
    with watched(tmp_path, "sh", "-c", "sleep 0.1; exit 6") as job:
        job.start(Processes(), life := ProcessLife())
        job.go()
        job.process.wait(PATIENCE_S)
        gone.append(job.pid)
        list(life.tick(job.ctx))
        job.stop()
        ends = job.of("processes", pid=job.pid, event="exit") + job.of("processes", pid=job.pid, event="gone")
    assert [(row["event"], row.get("exit_code")) for row in ends] == [("exit", 6)]


@pytest.mark.parametrize(("heard", "told"), [(True, ("exit", 6)), (False, ("gone", None))])
def test_an_end_of_unknown_status_waits_a_look_for_the_kernels_word_and_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: bool, told: tuple[str, int | None]
) -> None:
    """As before Linux 6.15, where the look comes before the event: one row, also where the event never comes."""
    monkeypatch.setattr(ExitWatch, "ended", lambda _: [Exit(pid, time.monotonic_ns(), None) for pid in gone])
    gone: list[int] = []
    with watched(tmp_path, "sh", "-c", "sleep 0.1; exit 6") as job:
        job.start(processes := Processes(), life := ProcessLife())
        job.go()
        with life._lock:  # it hears nothing meanwhile
            job.process.wait(PATIENCE_S)
            gone.append(job.pid)
            looks = [list(processes.tick(job.ctx))]
            if not heard:
                looks.append(list(processes.tick(job.ctx)))
        if heard:
            list(life.tick(job.ctx))
            looks.append(list(processes.tick(job.ctx)))
    ends = [[row for _, rows in look for row in rows if row["pid"] == job.pid] for look in looks]
    assert [[(row["event"], row.get("exit_code")) for row in look] for look in ends] == [[], [told]]


def test_who_signalled_whom(tmp_path: Path, backend: str) -> None:
    with watched(tmp_path, "sh", "-c", "trap '' HUP; sleep 1000 & while :; do wait; sleep 0.1; done") as job:
        job.start(ProcessLife())
        job.go()
        deadline = time.monotonic() + PATIENCE_S
        while not (below := children(job.pid)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        (sleeper,) = below
        rename = "import os, signal, sys; open('/proc/self/comm', 'w').write('node-janitor'); "
        for number, pid in ((signal.SIGHUP, job.pid), (signal.SIGTERM, sleeper), (signal.SIGKILL, job.pid)):
            janitor = subprocess.Popen([*PYTHON, f"{rename}os.kill({pid}, {int(number)})"])
            assert janitor.wait(PATIENCE_S) == 0
            (row,) = job.wait_for(
                "processes", lambda rows, n=number: [r for r in rows if r.get("signal") == n]
            ) and job.of("processes", signal=number, event="signal")
            assert (row["pid"], row["sender_pid"], row["sender_uid"]) == (pid, janitor.pid, os.geteuid())
            assert (row["sender_command"], row["sender_in_job"], row["signal_code"]) == ("node-janitor", False, 0)
            assert row["state"] == ("ignored" if number is signal.SIGHUP else "delivered")
        assert job.end() == -signal.SIGKILL


def test_a_signal_is_of_the_rank_that_it_ended_before_anybody_looked(tmp_path: Path) -> None:
    with watched(tmp_path, "sleep", "60") as job:
        job.start(collector := ProcessLife())
        job.ctx.members = {job.pid: Member(job.pid, 5, "rank")}
        job.tick()
        with collector._lock:  # nobody reads
            subprocess.run(["sh", "-c", f"kill -TERM {job.pid}"], check=True)  # what we send ourselves is none
            job.process.wait(PATIENCE_S)
            job.ctx.members = {}  # the process collector, which goes first, has seen it gone
        job.end()
    (sent,) = job.of("processes", event="signal", pid=job.pid)
    assert (sent["signal"], sent["rank"], sent["role"]) == (signal.SIGTERM, 5, "rank")


def test_a_job_that_signals_others_says_whom(tmp_path: Path) -> None:
    stranger = subprocess.Popen(["sleep", "1000"])
    try:
        with watched(tmp_path, "sh", "-c", f"kill -TERM {stranger.pid}") as job:
            job.start(ProcessLife())
            job.go()
            job.end()
            (row,) = job.of("processes", event="signal")
        assert (row["pid"], row["role"], row["command"]) == (stranger.pid, "outside", "sleep")
        assert (row["sender_pid"], row["sender_in_job"]) == (job.pid, True)
    finally:
        stranger.kill()
        stranger.wait()


def test_a_fault_has_the_kernel_for_its_sender(tmp_path: Path) -> None:
    with watched(tmp_path, *PYTHON, "import ctypes; ctypes.string_at(8)", stderr=subprocess.DEVNULL) as job:
        job.start(ProcessLife())
        job.go()
        assert job.end() == -signal.SIGSEGV
        (row,) = job.of("processes", event="signal")
    assert (row["signal"], row["sender_pid"], row["sender_command"]) == (signal.SIGSEGV, 0, None)
    assert row["signal_code"] == 1  # SEGV_MAPERR


@pytest.mark.root
def test_a_sender_of_another_user_is_named(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become two users")
    with watched(tmp_path, "sleep", "1000", user=65534) as job:
        job.start(ProcessLife())
        job.go()
        subprocess.run(["kill", "-9", str(job.pid)], check=True, user=65534, timeout=PATIENCE_S)
        job.end()
        (row,) = job.of("processes", event="signal")
    assert (row["sender_uid"], row["sender_command"]) == (65534, "kill")


@pytest.mark.root
def test_an_oom_kill_names_the_victim_its_memory_and_whose_limit_it_was(tmp_path: Path, memory_cgroup: Path) -> None:
    eat = f"open({str(memory_cgroup)!r}, 'w').write('0'); held = []\nwhile True: held.append(bytearray(1 << 20))"
    with watched(tmp_path, *PYTHON, eat) as job:
        job.start(ProcessLife())
        job.go()
        assert job.end() == -signal.SIGKILL
        (kill,) = job.of("processes", event="oom_kill")
        (sent,) = job.of("processes", event="signal", signal=9)
    assert (kill["pid"], kill["oom_scope"], kill["sender_pid"]) == (job.pid, "memcg", 0)
    assert 24 << 20 < kill["anon_rss_bytes"] < 52 << 20
    assert kill["anon_rss_bytes"] < kill["vm_bytes"]
    assert kill["page_table_bytes"] > 0
    assert kill["oom_score_adj"] == int(Path("/proc/self/oom_score_adj").read_text())
    assert (sent["sender_pid"], sent["signal_code"]) == (0, 128)


def test_whose_memory_it_was_is_open_where_the_kernel_hides_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tmp_path / "kallsyms"
    monkeypatch.setattr(process_life, "_KALLSYMS", str(names))
    assert process_life._scope([0x1100]) is None
    names.write_text("0000000000000000 t mem_cgroup_out_of_memory\n")  # kernel.kptr_restrict
    assert process_life._scope([0x1100]) is None
    names.write_text("0000000000000800 t oom\n0000000000001000 t mem_cgroup_out_of_memory\n")
    assert process_life._scope([0x900, 0x1100]) == "memcg"
    assert process_life._scope([0x900, 0x9100]) == "host"
    assert process_life._scope([]) is None


FLOOD = """
import os, signal
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
for _ in range(20000): os.kill(os.getpid(), signal.SIGUSR1)
"""


def test_what_is_lost_or_left_out_is_counted_exactly(tmp_path: Path) -> None:
    with watched(tmp_path, *PYTHON, FLOOD) as job:
        life = ProcessLife()
        job.start(life)
        with life._lock:  # nobody reads: the ring overflows
            job.go()
            job.process.wait(PATIENCE_S)
        job.end()
        rows = job.of("processes", event="signal", signal=signal.SIGUSR1)
    assert len(rows) == process_life._MOST_ALIKE  # one tick
    # The exit itself came when the ring was full, and the exec did not.
    lost_exits = 1 - len(job.of("processes", event="exit"))
    assert life.drops + life.left_out == 20000 + lost_exits - len(rows)
    assert life.drops > 10000
    assert f"{life.left_out} signals and ends alike others left out" in life.note


def test_a_script_that_starts_helpers_by_the_thousand_is_not_worth_as_many_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_life, "_MOST_USUAL", 5)
    with watched(tmp_path, "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do (exit 0); (exit $i); done; exit 9") as job:
        job.start(life := ProcessLife())
        job.go()
        assert job.end() == 9
    assert sorted(row["exit_code"] for row in job.of("processes", event="exit")) == [0] * 5 + list(range(1, 10))
    assert life.left_out == 3


def test_a_kernel_that_does_not_describe_itself_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(btf, "VMLINUX", str(tmp_path / "none"))
    btf._of_this_kernel.cache_clear()
    try:
        with (
            watched(tmp_path, "true") as job,
            pytest.raises(Missing, match="CONFIG_DEBUG_INFO_BTF"),
        ):
            ProcessLife().start(job.ctx)
    finally:
        btf._of_this_kernel.cache_clear()


@pytest.mark.root
def test_who_may_not_probe_is_told_what_is_needed() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    script = (
        "import os\n"
        "from inquest.capture.collector import Denied\n"
        "from inquest.capture.ebpf.kernel import LIFE, KernelEvents\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try: KernelEvents(LIFE)\n"
        "except Denied as denied: print(denied)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert "root or CAP_BPF and CAP_PERFMON" in done.stdout

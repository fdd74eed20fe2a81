"""Real probes on stub libraries: what the kernel counts is what the job did, by each backend and each way to attach."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collector import Member, Missing
from inquest.capture.ebpf import bcc, calls, elf, libraries, rawbpf, session
from inquest.capture.ebpf.calls import CudaCalls, Group, NcclCalls
from inquest.capture.ebpf.functions import FUNCTIONS, Direction, What
from inquest.capture.ebpf.libraries import Libraries, mappings
from tests.capture.ebpf.kit import SOURCES, gcc, need_bcc, stand

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.capture.ebpf.session import Session
    from tests.capture.ebpf.kit import Job

GIB = 1 << 30


FEW = ("cudaMalloc", "cuLaunchKernel", "ncclReduce", "ncclCommInitRank")


def test_every_backend_gives_the_same_numbers(any_backend: Session, start: Callable[..., Job]) -> None:
    cuda, nccl = CudaCalls(any_backend), NcclCalls(any_backend)
    job, stranger = start(rank=3), start(rank=0)
    stand(any_backend, cuda, job)
    stand(any_backend, nccl, job)
    for each in (job, stranger):
        each.do("init 5", "split 1 3", "steps 20", "reduce 3", "sendrecv 2", "oom", "error 6", "abort")

    seen = {
        (FUNCTIONS[key.number].name, Direction(key.direction).name, key.result): (total.calls, total.bytes)
        for key, total in cuda.sums()
        if key.pid == job.pid
    }
    assert seen == {
        ("cudaLaunchKernel", "NONE", 0): (1000, 0),
        ("cuLaunchKernel", "NONE", 0): (1000, 1000),  # all of them inside one of the runtime's
        ("cudaMemcpyAsync", "H2D", 0): (20, 20 * 4096),
        ("cudaMemcpyAsync", "D2H", 0): (20, 20 * 8),
        ("cudaStreamSynchronize", "NONE", 0): (20, 0),
        ("cuStreamSynchronize", "NONE", 0): (20, 0),
        ("cudaMalloc", "NONE", 0): (1, 1 << 20),
        ("cudaMalloc", "NONE", 2): (1, 90 * GIB),
        ("cuMemAlloc", "NONE", 2): (1, 90 * GIB),
    }
    assert {key.pid for key, _ in cuda.sums()} == {job.pid}

    records = nccl.records()
    assert {record.pid for record in records} == {job.pid}
    lives = [record for record in records if FUNCTIONS[record.number].what not in (What.COLLECTIVE, What.PEER)]
    assert [(FUNCTIONS[record.number].name, record.is_return) for record in lives] == [
        ("ncclCommInitRank", 0),
        ("ncclCommInitRank", 1),
        ("ncclCommSplit", 0),
        ("ncclCommSplit", 1),
        ("ncclCommGetAsyncError", 1),
        ("ncclCommAbort", 0),
        ("ncclCommAbort", 1),
    ]
    init, split, failed = lives[1], lives[3], lives[4]
    assert (init.a, init.b, init.unique_id) == (4, 3, unique_id(5))
    assert (split.a, split.b, split.comm) == (1, 3, init.amount)
    assert (failed.comm, failed.result) == (split.amount, 6)

    # Which collectives are told depends on the clock; the latest are there whatever it was.
    series = {What(key.what): (key.comm, count, nccl.latest(of)) for key, count, of in nccl.series()}
    comm, count, past = series[What.COLLECTIVE]
    assert (comm, count) == (split.amount, 23)
    names = [FUNCTIONS[call.number].name for call in past]
    assert names == ["ncclAllReduce"] * 13 + ["ncclReduce"] * 3
    assert [call.seq for call in past] == list(range(7, 23))
    assert (past[-1].amount, past[-1].type, past[-1].root) == (256, 8, 3)
    comm, count, past = series[What.PEER]
    assert (comm, count) == (split.amount, 4)
    assert [(FUNCTIONS[call.number].name, call.amount, call.root) for call in past] == [
        ("ncclSend", 64, 1),
        ("ncclRecv", 64, 2),
    ] * 2
    told = [record.seq for record in records if FUNCTIONS[record.number].what is What.COLLECTIVE]
    assert told[:8] == list(range(8))
    assert told == sorted(told)
    assert cuda.drops() == nccl.drops() == 0
    assert cuda.open_calls() == nccl.open_calls() == []


def test_older_kernels_that_take_one_probe_at_a_time(
    probing: Session, start: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rawbpf, "has_uprobe_multi", lambda: False)  # as before Linux 6.6
    probing.libraries = Libraries(FEW)
    cuda, nccl = CudaCalls(probing), NcclCalls(probing)
    job = start(rank=2)
    stand(probing, cuda, job)
    stand(probing, nccl, job)
    job.do("init 5", "launch 70", "reduce 3", "oom")
    seen = {(FUNCTIONS[key.number].name, key.result): (total.calls, total.bytes) for key, total in cuda.sums()}
    assert seen == {
        ("cuLaunchKernel", 0): (70, 0),
        ("cudaMalloc", 0): (1, 1 << 20),
        ("cudaMalloc", 2): (1, 90 * GIB),
    }
    init, *reduces = (record for record in nccl.records() if record.is_return)
    assert (init.a, init.b, init.unique_id) == (4, 2, unique_id(5))
    assert [reduce.seq for reduce in reduces] == [0, 1, 2]
    for group in groups_with(cuda, "cuLaunchKernel"):
        cuda.leave_alone(group)
    job.do("launch 70")
    assert {total.calls for key, total in cuda.sums() if FUNCTIONS[key.number].what is What.LAUNCH} == {70}


def unique_id(filled_with: int) -> int:
    """What the kernel makes of the 128 bytes of an id: FNV-1a over words of eight bytes."""
    value = 14695981039346656037
    for _ in range(16):
        value = (value ^ int.from_bytes(bytes([filled_with] * 8), "little")) * 1099511628211 % (1 << 64)
    return value


def test_all_ways_to_make_a_communicator_tell_the_same_id(probing: Session, start: Callable[..., Job]) -> None:
    nccl = NcclCalls(probing)
    jobs = [start(rank=rank) for rank in range(3)]
    stand(probing, nccl, *jobs)
    for job, how in zip(jobs, ("init", "config", "scalable"), strict=True):
        job.do(f"{how} 9")
    seen = {(record.unique_id, record.a, record.b) for record in nccl.records() if record.is_return}
    assert seen == {(unique_id(9), 4, rank) for rank in range(3)}


def test_a_call_that_never_returns_is_seen_open(probing: Session, start: Callable[..., Job]) -> None:
    nccl = NcclCalls(probing)
    job = start(rank=1, INQUEST_STUB_HANG="4")
    stand(probing, nccl, job)
    job.do("init 1", "allreduce 3")
    job.begin("allreduce 1")
    deadline = time.monotonic() + 60
    while not nccl.open_calls() and time.monotonic() < deadline:
        time.sleep(0.01)
    (call,) = nccl.open_calls()
    assert (FUNCTIONS[call.number].name, call.pid, call.tid, call.seq) == ("ncclAllReduce", job.pid, job.pid, 3)
    assert call.since_ns < time.monotonic_ns()


def test_of_a_busy_communicator_some_calls_are_told_and_all_counted(
    probing: Session, start: Callable[..., Job]
) -> None:
    nccl = NcclCalls(probing)
    jobs = [start(rank=rank) for rank in range(2)]
    stand(probing, nccl, *jobs)
    for job in jobs:
        job.do("init 1", "allreduce 5000")
    told = Counter(record.pid for record in nccl.records() if FUNCTIONS[record.number].what is What.COLLECTIVE)
    assert all(64 <= told[job.pid] < 5000 for job in jobs), "64 in a second at most"
    for key, count, series in nccl.series():
        assert (key.what, count) == (What.COLLECTIVE, 5000)
        assert [call.seq for call in nccl.latest(series)] == list(range(4984, 5000))


def test_what_a_full_ring_loses_is_counted_exactly(
    probing: Session, start: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "_MOST_WAITING", 0)  # nobody empties it in between
    monkeypatch.setitem(NcclCalls.maps, "records", rawbpf.ring_spec(1 << 16))
    nccl = NcclCalls(probing)
    job = start()
    stand(probing, nccl, job)
    job.do("init 1")
    assert len(nccl.records()) == 2
    job.do("error 6 2000")
    kept = len(nccl.records())
    assert 0 < kept < 2000
    assert kept + nccl.drops() == 2000
    job.do("error 6 10")
    assert len(nccl.records()) == 10, "once read, there is room again"


def test_a_ring_that_fills_between_ticks_is_emptied(probing: Session, start: Callable[..., Job]) -> None:
    nccl = NcclCalls(probing)
    job = start()
    stand(probing, nccl, job)
    job.do("init 1", "error 6 60000")  # more than the ring holds
    records = nccl.records()[2:]
    assert len(records) + nccl.drops() == 60_000
    assert len(records) > (4 << 20) // 88
    assert [record.since_ns for record in records] == sorted(record.since_ns for record in records)


def test_the_longest_call_is_that_of_the_interval(probing: Session, start: Callable[..., Job]) -> None:
    cuda = CudaCalls(probing)
    job = start(INQUEST_STUB_SYNC_US="30000")
    quick = start()
    stand(probing, cuda, job, quick)
    job.do("sync")
    longest = {key.pid: total.max_ns for key, total in cuda.sums()}
    assert longest[job.pid] > 30_000_000
    quick.do("sync")
    longest = {key.pid: total.max_ns for key, total in cuda.sums()}
    assert longest[job.pid] == 0
    assert longest[quick.pid] > 0


def groups_with(probes: CudaCalls, *names: str) -> set[Group]:
    return {probes.group_of(number) for number, function in enumerate(FUNCTIONS) if function.name in names}


def test_launches_can_be_left_alone_later(probing: Session, start: Callable[..., Job]) -> None:
    cuda = CudaCalls(probing)
    job = start()
    stand(probing, cuda, job)
    job.do("launch 100")
    for group in groups_with(cuda, "cuLaunchKernel", "cudaLaunchKernel"):
        cuda.leave_alone(group)
    job.do("launch 100", "sync")
    seen = {FUNCTIONS[key.number].name: total.calls for key, total in cuda.sums()}
    assert (seen["cuLaunchKernel"], seen["cudaLaunchKernel"], seen["cudaStreamSynchronize"]) == (100, 100, 1)


def test_calls_that_are_open_when_their_probes_come_off_are_forgotten(
    probing: Session, start: Callable[..., Job]
) -> None:
    cuda = CudaCalls(probing)
    job = start(INQUEST_STUB_SYNC_US="60000000")
    stand(probing, cuda, job)
    job.begin("sync")
    deadline = time.monotonic() + 60
    while len(cuda.open_calls()) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    for group in groups_with(cuda, "cuStreamSynchronize", "cudaStreamSynchronize"):
        cuda.leave_alone(group)
    assert cuda.open_calls() == []


def test_a_place_the_kernel_refuses_costs_only_itself(probing: Session, start: Callable[..., Job]) -> None:
    cuda = CudaCalls(probing)
    job = start()
    probing.follow([job.pid])
    probing.libraries.look([Member(job.pid, 0, "rank")])
    for found in probing.libraries.found:
        if "cuMemAlloc_v2" in found.library.functions:  # a place that is no code at all
            function = found.library.functions["cuMemAlloc_v2"]
            found.library.functions["cuMemAlloc_v2"] = elf.Function(function.name, 1 << 40, False, "dynsym")
    cuda.attach()
    job.do("oom", "sync")
    seen = Counter[str]()
    for key, total in cuda.sums():
        seen[FUNCTIONS[key.number].name] += total.calls
    assert seen == {"cudaMalloc": 2, "cudaStreamSynchronize": 1, "cuStreamSynchronize": 1}
    assert "refused cuMemAlloc_v2" in "; ".join(cuda.describe())


# --- where libraries are found ----------------------------------------------------------------------------------------


def test_a_copy_linked_into_another_library_is_found_and_counted(
    probing: Session, program: Path, start: Callable[..., Job], tmp_path: Path
) -> None:
    shutil.copytree(program.parent, tmp_path / "torch")
    inside = tmp_path / "torch" / "libtorch_cuda.so"
    (tmp_path / "torch" / "libnccl.so.2").unlink()
    exported = "-Wl,--dynamic-list-data"  # the job itself must find them, so they are exported here
    gcc("-fPIC", "-shared", exported, "-Wl,-soname,libtorch_cuda.so", "-o", inside, SOURCES / "libnccl.c")
    libraries = ["-l:libcuda.so.1", "-l:libcudart.so.12", "-l:libtorch_cuda.so"]
    gcc(f"-L{inside.parent}", "-Wl,-rpath,$ORIGIN", "-o", inside.parent / "train", SOURCES / "train.c", *libraries)
    nccl = NcclCalls(probing)
    job = start(at=inside.parent / "train")
    stand(probing, nccl, job)
    job.do("init 1", "allreduce 3")
    assert [attached.found.name for attached in nccl.attached] == ["libtorch_cuda.so"]
    assert [count for _, count, _ in nccl.series()] == [3]


def test_a_copy_in_the_program_itself_that_it_does_not_export(
    probing: Session, program: Path, start: Callable[..., Job], tmp_path: Path
) -> None:
    shutil.copytree(program.parent, tmp_path / "job")
    sources = [SOURCES / "train.c", SOURCES / "libnccl.c"]
    gcc(
        f"-L{tmp_path}/job",
        "-Wl,-rpath,$ORIGIN",
        "-o",
        tmp_path / "job" / "own",
        *sources,
        "-l:libcudart.so.12",
        "-l:libcuda.so.1",
    )
    nccl = NcclCalls(probing)
    job = start(at=tmp_path / "job" / "own")
    stand(probing, nccl, job)
    job.do("init 1", "allreduce 3")
    assert [attached.found.name for attached in nccl.attached] == ["own"]
    assert [count for _, count, _ in nccl.series()] == [3]


def test_a_library_replaced_on_disk_is_met_as_the_process_has_it(
    probing: Session, program: Path, start: Callable[..., Job], tmp_path: Path
) -> None:
    shutil.copytree(program.parent, tmp_path / "old")
    job = start(at=tmp_path / "old" / "train")
    os.unlink(tmp_path / "old" / "libnccl.so.2")  # noqa: PTH108
    (tmp_path / "old" / "libnccl.so.2").write_bytes(b"another version, half written")
    nccl = NcclCalls(probing)
    stand(probing, nccl, job)
    job.do("init 1", "allreduce 3")
    assert [count for _, count, _ in nccl.series()] == [3]


def test_a_library_in_a_container_is_found_where_only_the_container_sees_it(
    probing: Session, program: Path, start: Callable[..., Job], tmp_path: Path
) -> None:
    if subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0:
        pytest.skip("no mount namespaces here")
    inside = tmp_path / "inside"
    inside.mkdir()
    enter = tmp_path / "enter"
    enter.write_text(
        f"#!/bin/sh\nexec unshare -m sh -c 'mount -t tmpfs none {inside} && cp {program.parent}/* {inside}"
        f" && exec {inside}/train'\n"
    )
    enter.chmod(0o755)
    job = start(at=enter)
    assert not list(inside.iterdir()), "from here the folder is empty"
    nccl = NcclCalls(probing)
    stand(probing, nccl, job)
    job.do("init 1", "allreduce 3")
    assert [count for _, count, _ in nccl.series()] == [3]


def test_one_file_under_two_names_is_one(program: Path, start: Callable[..., Job], tmp_path: Path) -> None:
    shutil.copytree(program.parent, tmp_path / "a", copy_function=os.link)
    libs = Libraries(["ncclAllReduce"])
    libs.look([Member(start().pid, 0, "rank"), Member(start(at=tmp_path / "a" / "train").pid, 1, "rank")])
    assert len(libs.found) == 1
    libs.close()


def test_a_library_mapped_later_is_found_later(start: Callable[..., Job], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "_OFTEN_ENOUGH_S", 0.0)
    libs = Libraries(["cuLaunchKernel"])
    libs.look([Member(os.getpid(), 0, "rank")])
    assert libs.found == []
    libs.look([Member(os.getpid(), 0, "rank"), Member(start().pid, 1, "rank")])
    assert [found.name for found in libs.found] == ["libcuda.so.1"]
    libs.close()


def test_files_of_a_process_that_ends_meanwhile_are_found_with_the_next(
    start: Callable[..., Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "_OFTEN_ENOUGH_S", 0.0)
    libs = Libraries(["cuLaunchKernel"])
    first = start()
    seen = mappings(first.pid)
    with monkeypatch.context() as patch:
        patch.setattr(libraries, "mappings", lambda _: [first.end(lambda process: process.kill()), seen][1])
        libs.look([Member(first.pid, 0, "rank")])
    assert (libs.found, libs.unread) == ([], 0)
    libs.look([Member(start().pid, 1, "rank")])
    assert [found.name for found in libs.found] == ["libcuda.so.1"]
    libs.close()


def test_a_process_that_is_gone_maps_nothing() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert mappings(gone.pid) is None


# --- where there is nothing to be had ---------------------------------------------------------------------------------


def test_switched_off_is_said() -> None:
    session.choose("off")
    with pytest.raises(Missing, match="--ebpf-backend off"):
        session.shared()
    session.choose("object")


def test_bcc_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bcc, "_HOMES", ("/nonexistent",))
    with pytest.raises(Missing, match="install python3-bpfcc"):
        bcc._bcc()


def test_what_bcc_cannot_compile_is_said() -> None:
    need_bcc()
    with pytest.raises(Missing, match=r"eBPF is off: .*nowhere\.bpf\.c"):
        bcc.compile_programs("nowhere", ["enter"], {})

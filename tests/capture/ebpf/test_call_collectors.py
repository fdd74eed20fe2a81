"""The collectors of calls, on real probes and stub libraries: their rows, and what the recording says of them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.schema import BY_NAME
from inquest.capture.collector import Collector, Context, Member, Missing
from inquest.capture.collectors import cuda_calls, nccl_calls
from inquest.capture.collectors.cuda_calls import CudaCalls
from inquest.capture.collectors.nccl_calls import NcclCalls
from inquest.capture.ebpf import session
from inquest.capture.ebpf.selftest import Costs
from tests.capture.recorder_kit import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from inquest.capture.ebpf.session import Session
    from tests.capture.ebpf.kit import Job

Rows = dict[str, list[dict[str, Any]]]
COSTS = Costs(counted_ns=500, timed_ns=1000, stepped_ns=10_000)


@pytest.fixture
def ready(probing: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session that has its self-test behind it."""
    monkeypatch.setattr(probing, "costs", lambda: COSTS)
    monkeypatch.setattr("inquest.capture.ebpf.libraries._OFTEN_ENOUGH_S", 0.0)
    return probing


class Watched:
    """One collector, driven by hand; ``rows`` holds what the latest step gave."""

    def __init__(self, collector: Collector, tmp_path: Path, *jobs: Job) -> None:
        self.collector = collector
        self.ctx = Context(tmp_path, "n1", "boot", 1, 0, {})
        self.ctx.members = {job.pid: Member(job.pid, job.rank, "rank") for job in jobs}
        self.rows: Rows = {}
        self._take(collector.start(self.ctx))
        while jobs and "inflight_calls" not in self.tick():  # the probes are loaded behind the ticks
            time.sleep(0.01)

    def tick(self) -> Rows:
        return self._take(self.collector.tick(self.ctx))

    def stop(self) -> Rows:
        return self._take(self.collector.stop(self.ctx))

    def _take(self, batches: Iterable[tuple[str, list[dict[str, Any]]]]) -> Rows:
        self.rows = {}
        for table, rows in batches:
            self.rows.setdefault(table, []).extend(rows)
            for row in rows:
                assert set(row) <= set(BY_NAME[table].column_names)
        return self.rows


def test_cuda_calls_are_rows_of_their_interval(ready: Session, start: Callable[..., Job], tmp_path: Path) -> None:
    job = start(rank=5)
    watched = Watched(CudaCalls(), tmp_path, job)
    assert watched.rows == {"cuda_calls": [], "inflight_calls": []}
    job.do("steps 20")
    rows = {(row["api"], row.get("direction")): row for row in watched.tick()["cuda_calls"]}
    copy = rows["cudaMemcpyAsync", "h2d"]
    assert {name: copy[name] for name in ("pid", "rank", "count", "bytes", "failures", "return_code")} == {
        "pid": job.pid,
        "rank": 5,
        "count": 20,
        "bytes": 81920,
        "failures": 0,
        "return_code": 0,
    }
    assert sum(map(int, copy["histogram"].split(","))) == 20
    assert 0 < copy["max_ns"] <= copy["total_ns"]
    launch = rows["cuLaunchKernel", None]
    assert launch["count"] == 1000
    assert not {"total_ns", "max_ns", "histogram", "bytes", "failures"} & set(launch), "counted, and not measured"
    assert watched.tick()["cuda_calls"] == [], "no calls, no rows"
    job.do("oom")
    rows = {(row["api"], row["return_code"]): row for row in watched.tick()["cuda_calls"]}
    assert rows["cudaMalloc", 2]["failures"] == 1
    assert rows["cudaMalloc", 2]["bytes"] == 90 << 30
    assert rows["cudaMalloc", 0]["failures"] == 0
    assert "backend object; " in watched.collector.note
    assert "libcuda.so.1" in watched.collector.note
    assert "0 calls or records lost" in watched.collector.note
    assert watched.collector.drops == 0


def test_launches_that_cost_too_much_are_counted_in_turns(
    ready: Session, start: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_calls, "MOST_COST", 1e-9)
    monkeypatch.setattr(cuda_calls, "_LONGEST_REST", 4)
    monkeypatch.setattr(ready, "costs", lambda: Costs(counted_ns=500, timed_ns=1000, stepped_ns=500))
    job = start()
    watched = Watched(CudaCalls(), tmp_path, job)
    ticks = []
    for _ in range(14):
        job.do("launch 600")
        ticks.append({row["api"]: row for row in watched.tick()["cuda_calls"]})
    told = [tick.get("cuLaunchKernel", {"count": 0}).get("count") for tick in ticks]
    assert told == [600] * 3 + [0, 0, 0, None] + [600] + [0, 0, 0, None] + [600, 0], "a tick, and a rest that is a row"
    rest = ticks[6]["cuLaunchKernel"]
    begun = ticks[2]["cuLaunchKernel"]["ts_mono_ns"]
    assert (rest["pid"], rest["duration_ns"]) == (job.pid, rest["ts_mono_ns"] - begun)
    assert watched.collector.truncated
    assert watched.collector.note.count("launches counted in turns since") == 1
    monkeypatch.setattr(cuda_calls, "MOST_COST", 1.0)
    for _ in range(8):
        job.do("launch 600")
        ticks.append({row["api"]: row for row in watched.tick()["cuda_calls"]})
    told = [tick["cuLaunchKernel"]["count"] for tick in ticks[-4:]]
    assert told == [600] * 4, "where they are cheap again, all are counted"


def test_calls_that_cost_too_much_come_off(
    ready: Session, start: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_calls, "MOST_COST", 1e-9)
    monkeypatch.setattr(ready, "costs", lambda: Costs(counted_ns=500, timed_ns=1000, stepped_ns=500))
    job = start()
    watched = Watched(CudaCalls(), tmp_path, job)
    syncs = {"cuStreamSynchronize", "cudaStreamSynchronize"}
    apis = []
    for _ in range(6):
        job.do("sync")
        apis.append({row["api"] for row in watched.tick()["cuda_calls"]})
    assert apis[:3] == [syncs] * 3, "three ticks, and no burst, is a reason"
    assert apis[-1] == set()
    assert watched.collector.truncated
    assert "calls no longer counted since" in watched.collector.note


@pytest.mark.parametrize("own_way", [False, True])
def test_launches_of_the_runtime_are_counted_at_the_driver_where_they_end_there(
    ready: Session, start: Callable[..., Job], tmp_path: Path, own_way: bool
) -> None:
    job = start(**({"INQUEST_STUB_OWN_WAY": "1"} if own_way else {}))
    watched = Watched(CudaCalls(), tmp_path, job)
    counted = []
    for _ in range(3):
        job.do("launch 400", "driver 500")
        counted.append({row["api"]: row["count"] for row in watched.tick()["cuda_calls"]})
    if own_way:  # as many of the driver's are no proof: they are others
        assert counted == [{"cudaLaunchKernel": 400, "cuLaunchKernel": 500}] * 3
    else:
        assert counted == [{"cudaLaunchKernel": 400, "cuLaunchKernel": 900}] * 2 + [{"cuLaunchKernel": 900}]
    said = "launches of the runtime end in the driver's and are counted there"
    assert (said in watched.collector.note) is not own_way


def test_communicators_from_begin_to_end(ready: Session, start: Callable[..., Job], tmp_path: Path) -> None:
    jobs = [start(rank=rank) for rank in range(2)]
    watched = Watched(NcclCalls(), tmp_path, *jobs)
    for job in jobs:
        job.do("init 7", f"split 0 {job.rank}", f"split 1 {job.rank}", "error 6 3", "destroy", "abort")
    rows = watched.tick()["nccl_comms"]
    by_rank = [[row for row in rows if row["rank"] == job.rank] for job in jobs]
    told = [[(row["event"], row.get("state")) for row in rows] for rows in by_rank]
    assert (
        told[0]
        == told[1]
        == [
            ("init_begin", None),
            ("init_done", None),
            ("init_done", None),
            ("init_done", None),
            ("status", "async error 6 ncclRemoteError"),
            ("destroy", None),
            ("abort", None),
        ]
    )
    names = [[row["comm"] for row in rows] for rows in by_rank]
    assert names[0] == names[1], "all ranks call a communicator the same"
    world, first, second = names[0][1:4]
    assert len({world, first, second}) == 3
    assert names[0][4:] == [second, second, first]
    begun, made, split, *_ = by_rank[1]
    assert (made["comm_rank"], made["comm_size"]) == (1, 4)
    assert begun["ts_mono_ns"] < made["ts_mono_ns"]
    assert split["comm_desc"] == f"split 0 of {world}, color 0, key 1"
    assert split["parent_comm_ptr"] == made["comm_ptr"]


def test_a_communicator_keeps_its_name_to_its_last_call(
    ready: Session, start: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nccl_calls, "_STILL_NS", 0)
    job = start()
    watched = Watched(NcclCalls(), tmp_path, job)
    job.do("init 7", "allreduce 2", "finalize", "destroy")
    rows = watched.tick()["nccl_comms"] + watched.tick()["nccl_comms"]
    told = [(row["event"], row.get("state")) for row in rows]
    assert told == [("init_begin", None), ("init_done", None), ("status", "finalized"), ("destroy", None)]
    assert len({row["comm"] for row in rows}) == 1
    job.do("init 8", "allreduce 2")
    rows = watched.tick()["nccl_comms"] + watched.tick()["nccl_comms"]
    assert [row["event"] for row in rows] == ["init_begin", "init_done", "status"]


def test_who_takes_no_part_in_a_split_says_so(ready: Session, start: Callable[..., Job], tmp_path: Path) -> None:
    job = start()
    watched = Watched(NcclCalls(), tmp_path, job)
    job.do("init 7", "split -1 0")
    row = watched.tick()["nccl_comms"][-1]
    assert (row["event"], row["state"], row["comm_ptr"]) == ("status", "no part in the split", None)


def test_an_init_that_fails_or_goes_on_by_itself_is_not_done(
    ready: Session, start: Callable[..., Job], tmp_path: Path
) -> None:
    job = start(INQUEST_STUB_INIT="1")
    later = start(rank=1, INQUEST_STUB_INIT="7")
    watched = Watched(NcclCalls(), tmp_path, job, later)
    job.do("init 7")
    later.do("init 7", "allreduce 1")
    rows = watched.tick()
    told = [(row["rank"], row["event"], row.get("state")) for row in rows["nccl_comms"]]
    assert told == [
        (0, "init_begin", None),
        (0, "status", "init failed: 1 ncclUnhandledCudaError"),
        (1, "init_begin", None),
        (1, "status", "7 ncclInProgress"),
    ]
    (collective,) = rows["nccl_collectives"]
    assert collective["comm"] == rows["nccl_comms"][-1]["comm"]


def test_collectives_are_numbered_on_their_communicator(
    ready: Session, start: Callable[..., Job], tmp_path: Path
) -> None:
    job = start(rank=2)
    watched = Watched(NcclCalls(), tmp_path, job)
    job.do("init 7", "allreduce 2", "reduce 1", "sendrecv 1", "init 8", "allreduce 1")
    rows = watched.tick()["nccl_collectives"]
    world, other = rows[0]["comm"], rows[-1]["comm"]
    assert world != other
    wanted = [
        (world, "AllReduce", 0, 1024, "bfloat16", None),
        (world, "AllReduce", 1, 1024, "bfloat16", None),
        (world, "Reduce", 2, 2048, "float64", 3),
        (world, "Send", None, 256, "float32", 1),
        (world, "Recv", None, 256, "float32", 2),
        (other, "AllReduce", 0, 1024, "bfloat16", None),
    ]
    columns = ("comm", "op", "coll_seq", "bytes", "dtype", "root")
    assert [tuple(row[name] for name in columns) for row in rows] == wanted
    assert {(row["rank"], row["comm_rank"], row["comm_size"], row["return_code"]) for row in rows} == {(2, 2, 4, 0)}
    assert all(row["duration_ns"] > 0 for row in rows)
    assert not any("enqueue_mono_ns" in row for row in rows), "ts_mono_ns says it"
    assert not any("complete_mono_ns" in row for row in rows), "that it was enqueued does not say that it completed"


def test_a_communicator_that_was_there_before_us_is_no_ones_elses(
    ready: Session, start: Callable[..., Job], tmp_path: Path
) -> None:
    job = start()
    job.do("init 7")
    watched = Watched(NcclCalls(), tmp_path, job)
    job.do("allreduce 1")
    (row,) = watched.tick()["nccl_collectives"]
    assert row["comm"].startswith(f"n1/{job.pid}/0x")
    assert (row["comm_rank"], row["comm_size"]) == (None, None)


def test_a_communicator_that_stands_still_has_its_latest_calls_told(
    ready: Session, start: Callable[..., Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nccl_calls, "_STILL_NS", 0)
    job = start()
    watched = Watched(NcclCalls(), tmp_path, job)
    job.do("init 7", "allreduce 5000")
    first = watched.tick()["nccl_collectives"]
    rows = watched.tick()
    told = {row["coll_seq"] for row in first + rows["nccl_collectives"]}
    assert set(range(4984, 5000)) <= told
    assert len(told) == len(first) + len(rows["nccl_collectives"]), "none is told twice"
    (status,) = (row for row in rows["nccl_comms"] if row["event"] == "status")
    assert (status["state"], status["last_enqueued_seq"]) == ("idle", 4999)
    assert watched.tick()["nccl_comms"] == [], "once is enough"


def test_what_is_known_to_have_completed_is_told_of_communicators_met_from_their_begin(
    ready: Session, start: Callable[..., Job], program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nccl_calls, "_STILL_NS", 0)
    jobs = [start(rank=0), start(rank=1, at=program.with_name("later"))]
    Watched(CudaCalls(), tmp_path, *jobs)
    nccl = Watched(NcclCalls(), tmp_path, *jobs)
    assert ready.vouched == {jobs[1].pid}
    jobs[1].do("ready")
    for job in jobs:
        job.do("device 0", "init 7", "allreduce 3", "wait", "allreduce 2")
    nccl.tick()
    told = {row["rank"]: row for row in nccl.tick()["nccl_comms"]}
    assert {rank: row["last_enqueued_seq"] for rank, row in told.items()} == {0: 4, 1: 4}
    assert {rank: row["last_completed_seq"] for rank, row in told.items()} == {0: None, 1: 2}
    jobs[1].do("allreduce 1", "wait")
    jobs[1].end()
    (row,) = nccl.tick()["nccl_comms"]
    assert (row["state"], row["last_completed_seq"]) == ("ended", 5)


def test_a_call_in_which_the_process_is_killed(ready: Session, start: Callable[..., Job], tmp_path: Path) -> None:
    job = start(rank=1, INQUEST_STUB_HANG="4")
    watched = Watched(NcclCalls(), tmp_path, job)
    job.do("init 7", "allreduce 3")
    job.begin("allreduce 1")
    deadline = time.monotonic() + 60
    while not (rows := watched.tick()["inflight_calls"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    (row,) = rows
    assert (row["api"], row["coll_seq"], row["rank"], row["seen_at"]) == ("ncclAllReduce", 3, 1, "tick")
    assert row["ts_mono_ns"] - row["since_mono_ns"] >= 1_000_000_000
    assert watched.tick()["inflight_calls"] == [], "not every second"
    job.end(lambda process: process.kill())
    rows = watched.tick()
    (ended,) = rows["inflight_calls"]
    assert (ended["comm"], ended["coll_seq"], ended["seen_at"]) == (row["comm"], 3, "process_end")
    (status,) = (row for row in rows["nccl_comms"] if row["event"] == "status")
    assert (status["state"], status["last_enqueued_seq"]) == ("ended", 3)
    assert watched.tick() == {"nccl_comms": [], "nccl_collectives": [], "inflight_calls": []}


def test_the_end_of_the_recording_tells_what_is_open(ready: Session, start: Callable[..., Job], tmp_path: Path) -> None:
    job = start(INQUEST_STUB_SYNC_US="60000000")
    watched = Watched(CudaCalls(), tmp_path, job)
    job.begin("sync")
    deadline = time.monotonic() + 60
    while len(watched.collector.probes.open_calls()) < 2 and time.monotonic() < deadline:  # type: ignore[attr-defined]
        time.sleep(0.01)
    rows = watched.stop()["inflight_calls"]
    assert {(row["api"], row["seen_at"]) for row in rows} == {
        ("cudaStreamSynchronize", "recording_end"),
        ("cuStreamSynchronize", "recording_end"),
    }


def test_a_job_without_such_libraries_costs_no_probe(probing: Session, tmp_path: Path) -> None:
    watched = Watched(CudaCalls(), tmp_path)
    assert watched.tick() == {}
    assert watched.stop() == {}
    assert watched.collector.note == "no process of the job has mapped a library with these functions"
    assert probing._tested is None


def test_switched_off(tmp_path: Path) -> None:
    session.choose("off")
    try:
        with pytest.raises(Missing, match="switched off"):
            Watched(NcclCalls(), tmp_path)
    finally:
        session.choose("object")


@pytest.mark.parametrize("backend", ["object", "off"])
def test_the_recorder_runs_them_as_it_was_told(start: Callable[..., Job], tmp_path: Path, backend: str) -> None:
    job = start(rank=1)
    recording = record(tmp_path, job.pid, facts={"ebpf_backend": backend})
    if backend == "off":
        rows = recording.wait_for(
            "collection", lambda rows: {"cuda_calls", "nccl_calls"} <= {r["collector"] for r in rows}
        )
        told = {row["collector"]: (row["outcome"], row["detail"]) for row in rows}
        assert told["cuda_calls"] == told["nccl_calls"] == ("missing", "eBPF is switched off (--ebpf-backend off)")
    else:
        while not recording.rows("cuda_calls"):
            job.do("steps 1")
            time.sleep(0.3)
        job.do("init 3")
        recording.wait_for("nccl_comms", lambda rows: any(row["event"] == "init_done" for row in rows))
    job.end()
    recording.wait()
    last = recording.last("nccl_calls")
    assert last["outcome"] == ("ok" if backend == "object" else "missing")
    if backend == "object":
        assert last["detail"].startswith("backend object; libnccl.so.2 build ")
        assert json.loads((recording.capture / "node.json").read_text())["ebpf_backend"] == backend


def test_doctor_has_the_probes_tried_without_a_job(probing: Session, tmp_path: Path) -> None:
    collector = NcclCalls()
    ctx = Context(tmp_path, "n1", "boot", 1, 0, {}, trial=True)
    list(collector.start(ctx))
    assert collector.note.startswith("probes work here (a call costs ")
    assert isinstance(probing._tested, Costs)

"""NCCL's own output and its Inspector's; the lines are those of NCCL's sources by version, and recorded ones."""

from __future__ import annotations

import json
import random

import pytest

from inquest.bundle.imports import nccl_inspector
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.nccl_debug import KIND
from inquest.bundle.imports.source import Source

from .kit import REFERENCE, rows_of

RECORDED = REFERENCE / "real-logs" / "nccl-info-nogpu" / "log.txt"
ID = "0x9ad9b5e4ab2566da"


def written(tmp_path, *lines, name="nccl.h1.123.log"):
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def info(message, pid=123, host="h1"):
    return f"{host}:{pid}:456 [3] NCCL INFO {message}"


@pytest.mark.parametrize(
    ("version", "line", "expected"),
    [
        ("2.8", "comm 0x7f0 rank 15 nranks 16 cudaDev 7 busId e7000 - Init COMPLETE", ("init_done", None, 15, 16)),
        (
            "2.18",
            f"comm 0x7f0 rank 0 nranks 16 cudaDev 7 nvmlDev 7 busId e7000 commId {ID} - Init START",
            ("init_begin", ID, 0, 16),
        ),
        (
            "2.21",
            f"ncclCommInitRank comm 0x7f0 rank 1 nranks 16 cudaDev 7 nvmlDev 7 busId e7000 commId {ID} - Init COMPLETE",
            ("init_done", ID, 1, 16),
        ),
        (
            "2.21 split",
            "ncclCommSplit comm 0x7f0 rank 1 nranks 2 cudaDev 7 nvmlDev 7 busId e7000 parent 0x6f0 color -5 key 1 "
            f"commId {ID} - Init START",
            ("init_begin", ID, 1, 2),
        ),
        (
            "2.24 split",
            "ncclCommSplit comm 0x7f0 rank 1 nranks 2 cudaDev 7 nvmlDev 7 busId e7000 parent 0x6f0 splitCount 2 color "
            "5 key 1- Init START",
            ("init_begin", None, 1, 2),
        ),
        ("2.28", "comm 0x7f0 rank 2 nRanks 8 cudaDev 7 busId e7000 - Abort START", ("abort", None, 2, 8)),
        (
            "2.29",
            f"[Rank 3] ncclCommInitRankConfig comm 0x7f0 rank 3 nranks 8 cudaDev 7 nvmlDev 7 busId e7000 commId {ID} "
            "- Init START",
            ("init_begin", ID, 3, 8),
        ),
        (
            "2.29 split",
            "ncclCommSplit comm 0x7f0 rank 1 nranks 2 cudaDev 7 nvmlDev 7 busId e7000 parent 0x6f0 childCount 2 color "
            "5 key 1 - Init COMPLETE",
            ("init_done", None, 1, 2),
        ),
        ("all", "comm 0x7f0 rank 4 nranks 8 cudaDev 7 busId e7000 - Destroy COMPLETE", ("destroy", None, 4, 8)),
    ],
)
def test_communicators_of_every_version(tmp_path, version, line, expected):
    rows = rows_of(KIND, written(tmp_path, info(line)))
    (row,) = rows["nccl_comms"]
    assert (row["event"], row["comm"], row["comm_rank"], row["comm_size"]) == expected
    assert (row["node"], row["pid"], row["comm_ptr"], row["cuda_device"], row["bus_id"]) == (
        "h1",
        123,
        "0x7f0",
        7,
        "e7000",
    )
    assert row["parent_comm_ptr"] == ("0x6f0" if "split" in version else None)
    assert rows["log_lines"][0]["text"] == info(line)


def test_a_collective_belongs_to_the_communicator_last_made_at_its_address(tmp_path):
    start = "ncclCommInitRank comm {} rank {} nranks 4 cudaDev 0 nvmlDev 0 busId 1b000 commId {} - Init START"
    call = (
        "{}: opCount {:x} sendbuff 0x7 recvbuff (nil) count {} datatype {} op 0 root {} comm {} [nranks=4] stream 0x5"
    )
    rows = rows_of(
        KIND,
        written(
            tmp_path,
            info(call.format("AllReduce", 1, 8, 7, 0, "0xa")),  # made before the file began
            info(start.format("0xa", 2, "0x11")),
            info(call.format("AllReduce", 31, 1024, 7, 0, "0xa")),
            info(start.format("0xa", 1, "0x33"), pid=9),  # another process has its own addresses
            info(call.format("Broadcast", 32, 10, 9, 3, "0xa")),
            info("comm 0xa rank 2 nranks 4 cudaDev 0 busId 1b000 - Destroy COMPLETE"),
            info(start.format("0xa", 0, "0x22")),
            info(call.format("Send", 0, 5, 99, 1, "0xa")),
        ),
    )
    calls = [
        (r["op"], r["coll_seq"], r["comm"], r["comm_rank"], r["bytes"], r["root"]) for r in rows["nccl_collectives"]
    ]
    assert calls == [
        ("AllReduce", 1, None, None, 32, None),
        ("AllReduce", 31, "0x11", 2, 4096, None),
        ("Broadcast", 32, "0x11", 2, 20, 3),
        ("Send", 0, "0x22", 0, None, 1),
    ]
    assert {(r["tid"], r["comm_size"]) for r in rows["nccl_collectives"]} == {(456, 4)}
    assert "complete_mono_ns" not in rows["nccl_collectives"][0]  # enqueue is not completion
    assert [r["comm"] for r in rows["nccl_comms"]] == ["0x11", "0x33", "0x11", "0x22"]
    assert rows["nccl_collectives"][1]["dtype"] == "float32"


def test_times_hosts_and_lines_that_go_on(tmp_path):
    path = written(
        tmp_path,
        "NCCL version 2.27.3+cuda12.9",
        "[2026-11-20 18:11:14] node-7.example:1:2 [0] init.cc:2570 (ncclCommInitRank) NCCL WARN Cuda failure 'x'",
        "of which the text goes on",
        "0123456789ab:5:6 [0] 12.500000 enqueue.cc:7 NCCL TRACE in a container",
        "node-7.example:1:2 NCCL CALL ncclAllReduce(1,2,3)",
        *[info("more")] * 6,
    )
    context = Context(utc_offset_minutes=60)
    rows = rows_of(KIND, path, context)["log_lines"][:5]
    assert [row["node"] for row in rows] == [*["node-7.example"] * 3, None, "node-7.example"]
    assert [row["pid"] for row in rows] == [1, 1, 1, 5, 1]
    assert [row["ts_ns"] for row in rows] == [None, *[1_795_194_674_000_000_000] * 4]


@pytest.mark.skipif(not RECORDED.is_file(), reason="shared/reference is not beside the checkout")
def test_recorded_lines(tmp_path):
    lines = [line for line in RECORDED.read_text().splitlines() if " NCCL INFO " in line or " NCCL WARN " in line]
    rows = rows_of(KIND, written(tmp_path, *lines))
    assert [row["text"] for row in rows["log_lines"]] == lines
    assert {row["node"] for row in rows["log_lines"]} == {"vm"}
    assert not KIND.fits(Source("log.txt", RECORDED))  # what a program printed around them is a log


@pytest.mark.parametrize(
    "lines",
    [
        ["step 1 loss 2.0", info("Bootstrap: Using eth0")],
        [info("Bootstrap: Using eth0"), "step 1 loss 2.0", "step 2"],
        [""],
        ["NCCL is fine"],
    ],
)
def test_logs_that_hold_such_lines_are_logs(tmp_path, lines):
    assert not KIND.fits(Source("run.log", written(tmp_path, *lines, name="run.log")))


def test_many_lines_split_over_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("inquest.bundle.imports.source.CHUNK", 4096)
    start = info(f"comm 0xa rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 1b000 commId {ID} - Init START")
    call = "AllReduce: opCount {:x} sendbuff 7 recvbuff 8 count 1 datatype 7 op 0 root 0 comm 0xa [nranks=4] stream 5"
    path = written(tmp_path, start, *(info(call.format(n)) for n in range(2000)))
    rows = rows_of(KIND, path)
    assert [row["coll_seq"] for row in rows["nccl_collectives"]] == list(range(2000))
    assert {row["comm"] for row in rows["nccl_collectives"]} == {ID}


def test_the_rank_a_files_name_tells_is_on_all_its_rows(tmp_path):
    call = "AllReduce: opCount 1 sendbuff 7 recvbuff 8 count 1 datatype 7 op 0 root 0 comm 0xa [nranks=4] stream 5"
    made = f"comm 0xa rank 2 nranks 4 cudaDev 0 nvmlDev 0 busId 1b000 commId {ID} - Init START"
    source = Source("rank5.log", written(tmp_path, info(made), info(call)), rank=5, rank_by="file_name")
    for _, rows in KIND.read(source, Context()):
        ranks = rows["rank"].to_list() if hasattr(rows, "columns") else [row["rank"] for row in rows]
        assert set(ranks) == {5}


def test_hostile_numbers_become_unknown(tmp_path):
    call = "AllReduce: opCount {} sendbuff 7 recvbuff 8 count {} datatype 7 op 0 root 0 comm 0xa [nranks={}] stream 5"
    rows = rows_of(KIND, written(tmp_path, info(call.format("f" * 40, "9" * 40, "9" * 40), pid="9" * 30)))
    (row,) = rows["nccl_collectives"]
    assert {row[name] for name in ("coll_seq", "elements", "bytes", "comm_size", "pid")} == {None}
    made = f"comm 0x7f0 rank {'9' * 30} nranks 16 cudaDev 7 busId e7000 - Init COMPLETE"
    assert not rows_of(KIND, written(tmp_path, info(made)))["nccl_comms"]


INSPECTOR = {
    "header": {"id": "0xe62dedaa97644a", "rank": 4, "n_ranks": 8, "nnodes": 1},
    "metadata": {
        "inspector_output_format_version": "v4.0",
        "rec_mechanism": "nccl_profiler_interface",
        "dump_timestamp_us": 1752867229276385,
        "hostname": "example-hostname",
        "pid": 438776,
    },
    "coll_perf": {
        "coll": "ReduceScatter",
        "coll_sn": 1231,
        "coll_msg_size_bytes": 2147483648,
        "coll_exec_time_us": 41057,
    },
}
"""As the plugin's README shows it."""


def inspector_file(tmp_path, *records):
    path = tmp_path / "host-pid1.log"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


def test_inspector_records(tmp_path):
    trace = {
        "event_trace_ts": {
            "coll_start_ts": 1752867229235059,
            "kernel_events": [{"kernel_stop_ts": 1752867229275811}, {"kernel_stop_ts": 1752867229275900}, 3],
        }
    }
    verbose = INSPECTOR | {"coll_perf": INSPECTOR["coll_perf"] | trace}
    p2p = {k: v for k, v in INSPECTOR.items() if k != "coll_perf"} | {
        "p2p_perf": {"p2p": "Send", "p2p_sn": 7, "p2p_peer": 3, "p2p_msg_size_bytes": 64, "p2p_exec_time_us": 2}
    }
    context = Context()
    path = inspector_file(tmp_path, INSPECTOR, verbose, p2p, {"header": {}}, '{"header": {')
    plain, full, send = rows_of(nccl_inspector.KIND, path, context)["nccl_collectives"]
    assert (plain["comm"], plain["comm_rank"], plain["comm_size"]) == ("0xe62dedaa97644a", 4, 8)
    assert (plain["op"], plain["coll_seq"], plain["bytes"]) == ("ReduceScatter", 1231, 2147483648)
    assert (plain["node"], plain["pid"], plain["duration_ns"]) == ("example-hostname", 438776, 41_057_000)
    assert plain["ts_ns"] == 1752867229276385000
    assert plain["enqueue_mono_ns"] is plain["complete_mono_ns"] is None
    assert full["ts_ns"] == full["enqueue_mono_ns"] == 1752867229235059000
    assert full["complete_mono_ns"] == 1752867229275900000
    assert (send["op"], send["coll_seq"], send["root"]) == ("Send", 7, 3)
    assert sum(context.refused.values()) == 2


def test_half_a_surrogate_pair_in_an_inspector_record(tmp_path):
    odd = INSPECTOR | {"coll_perf": INSPECTOR["coll_perf"] | {"coll": "\ud800"}, "header": {"id": "\ud800"}}
    (row,) = rows_of(nccl_inspector.KIND, inspector_file(tmp_path, odd))["nccl_collectives"]
    assert (row["op"], row["comm"]) == ("?", "?")


def test_damaged_inspector_records_never_crash(tmp_path):
    rng = random.Random(0)
    raw = json.dumps(INSPECTOR).encode()
    damaged = []
    for _ in range(300):
        line = bytearray(raw)
        for _ in range(3):
            line[rng.randrange(len(line))] = rng.choice(b'{}[]":,0a\x00\xff')
        damaged.append(bytes(line))
    path = tmp_path / "x"
    path.write_bytes(raw + b"\n" + b"\n".join(damaged))
    context = Context()
    rows = rows_of(nccl_inspector.KIND, path, context)["nccl_collectives"]
    assert rows[0]["coll_seq"] == 1231
    assert len(rows) + sum(context.refused.values()) >= 300


def test_a_containers_name_is_no_node_however_far_it_reaches(tmp_path, monkeypatch):
    monkeypatch.setattr("inquest.bundle.imports.source.CHUNK", 256)
    path = written(tmp_path, *[info("more", host="0123456789ab")] * 40)
    rows = rows_of(KIND, path)["log_lines"]
    assert {(row["node"], row["pid"]) for row in rows} == {(None, 123)}


def test_a_split_without_an_id_is_called_alike_on_all_its_ranks(tmp_path):
    made = "ncclCommInitRank comm {} rank {} nranks 4 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x77 - Init START"
    split = (
        "ncclCommSplit comm {} rank {} nranks 2 cudaDev 0 nvmlDev 0 busId 1b000 parent {} splitCount 3 color {} key 0- "
        "Init START"
    )
    names = []
    for rank, (world, part) in enumerate([("0xa1", "0xb1"), ("0xa2", "0xb2"), ("0xa3", "0xb3"), ("0xa4", "0xb4")]):
        path = written(
            tmp_path,
            info(made.format(world, rank)),
            info(split.format(part, rank % 2, world, rank // 2)),
            name=f"nccl{rank}",
        )
        names.append(rows_of(KIND, path)["nccl_comms"][1]["comm"])
    assert names == ["0x77/3/0", "0x77/3/0", "0x77/3/1", "0x77/3/1"]

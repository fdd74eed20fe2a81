"""Answers of NCCL's RAS, as its user guide and its source show them."""

from __future__ import annotations

import json

import pytest

from inquest.bundle.errors import InputError
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.nccl_ras import KIND
from inquest.bundle.imports.source import Source

from .kit import rows_of

ANSWER = {
    "nccl_version": "2.29.1",
    "timestamp": "2025-12-19 13:06:53",
    "communicators_count": 1,
    "communicators": [
        {
            "hash": "0xae94423cfbb2ef4a",
            "size": 4,
            "ranks": [
                {
                    "rank": 0,
                    "host": "172.16.64.245",
                    "pid": 1524344,
                    "cuda_dev": 0,
                    "status": {"init_state": 0, "async_error": 0, "finalize_called": False, "abort_flag": False},
                    "collective_counts": {"Broadcast": 2, "AllReduce": 40},
                },
                {"rank": 1, "status": {"init_state": 0, "async_error": 6}, "collective_counts": {"AllReduce": 39}},
            ],
            "missing_ranks": [
                {
                    "rank": 2,
                    "host": "172.16.64.245",
                    "pid": 9,
                    "status": {"unresponsive": True, "considered_dead": False},
                },
                {"rank": 3, "status": {"unresponsive": True, "considered_dead": True}},
            ],
        }
    ],
}
TEXT = """NCCL version 2.28.3 compiled with CUDA 13.0
CUDA runtime version 13000, driver version 13000

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Communicators... (2.05s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4       7-8        32        32   RUNNING  INCOMPLETE

Errors
======

DEAD
  1 job process is considered dead (unreachable via the RAS network)
  Process 3487984 on node 172.16.64.213 managing GPU 5

#0-0 (0f264af53edbe986) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 21

Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different AllReduce operation counts
  26 ranks have launched up to operation 6650
  6 ranks have launched up to operation 6649
  Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
  Rank 2 -- GPU 2 (NVML 4) managed by process 483074 on node 172.16.64.210
  Rank 9 has not launched any operations -- GPU 1 managed by process 7 on node 172.16.64.211
  Rank 10 has launched up to operation 12 -- [process information not found]

  Communicator ranks have different status
  4 ranks have status RUNNING
  Rank 8 -- GPU 0 managed by process 1598388 on node 172.16.64.212
  Rank 11 has status ABORT -- GPU 3 managed by process 5 on node 172.16.64.212
"""


def test_json_tells_of_every_rank(tmp_path):
    path = tmp_path / "ras.json"
    path.write_text(json.dumps(ANSWER, indent=2) + "\n" + json.dumps(ANSWER))
    rows = rows_of(KIND, path, Context(utc_offset_minutes=60))["nccl_comms"]
    assert rows[4:] == rows[:4]
    first = rows[0]
    assert (first["comm"], first["comm_rank"], first["comm_size"]) == ("0xae94423cfbb2ef4a", 0, 4)
    assert (first["host"], first["pid"], first["cuda_device"]) == ("172.16.64.245", 1524344, 0)
    assert first["ts_ns"] == 1_766_149_613_000_000_000 - 3_600_000_000_000
    assert [(row["comm_rank"], row["state"], row["last_enqueued_seq"]) for row in rows[:4]] == [
        (0, "RUNNING", 42),
        (1, "RUNNING, asynchronous error 6", 39),
        (2, "UNRESPONSIVE", None),
        (3, "DEAD", None),
    ]


def test_text_names_the_ranks_that_stand_out_and_stays_text(tmp_path):
    path = tmp_path / "ras.txt"
    path.write_text(TEXT)
    rows = rows_of(KIND, path)
    assert [row["text"] for row in rows["log_lines"]] == TEXT.splitlines()
    told = [(r["comm"], r["comm_rank"], r["state"], r["last_enqueued_seq"], r["pid"]) for r in rows["nccl_comms"]]
    mismatch = "0x27a079b828ff1a75"
    assert told == [
        (None, None, "DEAD", None, 3487984),
        ("0xf264af53edbe986", 21, "INCOMPLETE", None, None),
        (mismatch, 0, "launched up to operation 6649", 6649, 483072),
        (mismatch, 2, "launched up to operation 6649", 6649, 483074),
        (mismatch, 9, "not launched any operations", 0, 7),
        (mismatch, 10, "launched up to operation 12", 12, None),
        (mismatch, 8, "RUNNING", None, 1598388),
        (mismatch, 11, "ABORT", None, 5),
    ]
    assert rows["nccl_comms"][3]["cuda_device"] == 2
    assert rows["nccl_comms"][0]["host"] == "172.16.64.213"
    assert {row["library_version"] for row in rows["nccl_comms"]} == {"2.28.3"}


def test_an_answer_cut_off_costs_only_itself(tmp_path):
    path = tmp_path / "ras.json"
    whole = json.dumps(ANSWER)
    path.write_text(whole + whole[:-20])
    context = Context()
    assert len(rows_of(KIND, path, context)["nccl_comms"]) == 4
    assert sum(context.refused.values()) == 1
    path.write_text(whole[:-20])
    with pytest.raises(InputError, match="JSON is broken"):
        list(KIND.read(Source("ras.json", path), Context()))


@pytest.mark.parametrize(
    "odd",
    [
        None,
        3,
        "x",
        "\ud800",
        [{"hash": "\ud800", "ranks": [{"host": "\ud800"}]}],
        [],
        {},
        [3],
        [{"ranks": 3, "missing_ranks": [{"status": 4}], "hash": 5}],
    ],
)
def test_odd_answers_never_crash(tmp_path, odd):
    path = tmp_path / "ras.json"
    path.write_text(json.dumps({"nccl_version": 3, "timestamp": odd, "communicators": odd}))
    rows_of(KIND, path)


def test_other_text_is_not_an_answer(tmp_path):
    path = tmp_path / "x.log"
    for other in ("NCCL version 2.21.5+cuda12.4\nstep 1\n", "Job summary: all fine\n", '{"nccl_version": "2.27.3"}'):
        path.write_text(other)
        assert not KIND.fits(Source("x.log", path))

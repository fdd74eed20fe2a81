"""Traces of the PyTorch profiler: recorded ones, every version's times, damaged and endless ones."""

from __future__ import annotations

import collections
import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports import json_stream, kineto
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.kineto import KIND
from inquest.bundle.imports.source import Source
from tests import memory

from .kit import CORPORA, rows_of

RECORDED = Path(__file__).parent / "data" / "kineto" / "trace_0.json.gz"
BASE = 1_790_857_026_000_000_000


def event(name="aten::add", ph="X", cat="cpu_op", pid=10, tid=11, ts=4363728824127.191, dur=2.5, **args):
    return {"ph": ph, "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def written(tmp_path, *events, name="trace.json", **header):
    path = tmp_path / name
    path.write_text(json.dumps({"schemaVersion": 1} | header | {"traceEvents": list(events), "traceName": "x"}))
    return path


def test_a_recorded_trace():
    raw = json.loads(gzip.decompress(RECORDED.read_bytes()))
    spans = [one for one in raw["traceEvents"] if one["ph"] == "X"]
    context = Context()
    rows = rows_of(KIND, RECORDED, context)
    assert len(rows["trace_spans"]) == len(spans) == 265
    for row, one in zip(rows["trace_spans"], spans, strict=True):
        assert (row["name"], row["category"]) == (one["name"], one["cat"])
        assert abs(row["ts_ns"] - raw["baseTimeNanoseconds"] - one["ts"] * 1000) < 2
        assert abs(row["duration_ns"] - one["dur"] * 1000) < 1
        assert (row["node"], row["rank"], row["rank_by"]) == (None if row["node"] is None else "vm", 0, "content")
    assert {row["node"] for row in rows["trace_spans"]} == {"vm"}
    assert [r["name"] for r in rows["trace_spans"] if r["name"].startswith("ProfilerStep")] == [
        "ProfilerStep#1",
        "ProfilerStep#2",
        "ProfilerStep#3",
    ]
    (group,) = rows["nccl_comms"]
    assert (group["comm"], group["comm_desc"], group["members"], group["comm_rank"]) == ("0", "default_pg", "0,1", 0)
    assert group["node"] == "vm"
    assert sum(context.refused.values()) == sum(one["ph"] in "sfi" for one in raw["traceEvents"]) == 20


@pytest.mark.skipif(not (CORPORA / "kineto").is_dir(), reason="shared/corpora is not beside the checkout")
@pytest.mark.parametrize("rank", [0, 1])
def test_traces_of_a_real_job(rank):
    path = CORPORA / "kineto" / f"sampled_rank-{rank}.json.gz"
    raw = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    rows = rows_of(KIND, path)["trace_spans"]
    spans = [one for one in raw if one["ph"] == "X"]
    assert collections.Counter(row["category"] for row in rows) == collections.Counter(one["cat"] for one in spans)
    assert sum(row["duration_ns"] for row in rows) == sum(round(one["dur"] * 1000) for one in spans)
    assert {row["rank"] for row in rows} == {rank}
    for row, one in zip(rows, spans, strict=True):
        assert row["ts_ns"] == one["ts"] * 1000  # microseconds since 1970
        assert row["correlation"] == one["args"].get("correlation")
        if row["category"] == "kernel":
            assert (row["cuda_device"], row["cuda_stream"]) == (one["args"]["device"], one["args"]["stream"])
            assert row["tid"] is None


def test_work_on_the_gpu_has_a_device_and_a_stream_and_the_process_that_launched_it(tmp_path):
    labels = event("process_labels", ph="M", pid=4037, labels="CPU")
    kernel = event("k", cat="kernel", pid=2, tid=7, correlation=5)
    copy = event("Memcpy HtoD", cat="gpu_memcpy", pid=2, tid=9, device=3, stream=8, bytes=4096)
    rows = rows_of(KIND, written(tmp_path, labels, kernel, copy, event(), baseTimeNanoseconds=BASE))["trace_spans"]
    assert [(r["pid"], r["tid"], r["cuda_device"], r["cuda_stream"], r["correlation"], r["bytes"]) for r in rows] == [
        (4037, None, 2, 7, 5, None),
        (4037, None, 3, 8, None, 4096),
        (10, 11, None, None, None, None),
    ]


def test_streams_of_torch_1_8(tmp_path):
    path = written(tmp_path, event("k", cat="Kernel", pid=1, tid="stream 7"), event(cat="Operator", tid="12"))
    kernel, operator = rows_of(KIND, path)["trace_spans"]
    assert (kernel["cuda_device"], kernel["cuda_stream"], kernel["tid"]) == (1, 7, None)
    assert (operator["pid"], operator["tid"]) == (10, 12)


@pytest.mark.parametrize(
    ("header", "ts", "expected"),
    [
        ({}, 1682725898236567, 1682725898236567000),
        ({}, 1682725898236567.25, 1682725898236567250),
        ({"baseTimeNanoseconds": BASE}, 4363728824127.191, BASE + 4363728824127191),
        ({"baseTimeNanoseconds": BASE}, -5, BASE - 5000),
        ({}, 4363728824127.191, None),
        ({}, "x", None),
        ({}, True, None),
        ({}, 1e300, None),
        ({"baseTimeNanoseconds": BASE}, float("nan"), None),
        ({"baseTimeNanoseconds": 9_223_372_036_854_775_807}, 5, None),
    ],
)
def test_times_of_every_version(tmp_path, header, ts, expected):
    assert rows_of(KIND, written(tmp_path, event(ts=ts), **header))["trace_spans"][0]["ts_ns"] == expected


def test_a_base_behind_the_events_counts_too(tmp_path):
    path = tmp_path / "t"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [event(ts=5)], "baseTimeNanoseconds": BASE}))
    assert rows_of(KIND, path)["trace_spans"][0]["ts_ns"] == BASE + 5000


def test_kernels_of_nccl_tell_their_collective(tmp_path):
    facts = {
        "Collective name": "allreduce",
        "In msg nelems": 1000,
        "dtype": "BFloat16",
        "Group size": 4,
        "Process Group Name": "7",
        "Process Group Ranks": "[1, 3, 5, 7]",
        "Seq": 41,
    }
    send = facts | {"Collective name": "send", "Dst Rank": 7, "Src Rank": 5}
    large = facts | {"Process Group Ranks": "[0, 1, 2, ..., 99]", "Group size": 100}
    path = written(
        tmp_path,
        event("ncclDevKernel_AllReduce", cat="kernel", ts=10, dur=5, **facts),
        event("ncclDevKernel_SendRecv", cat="kernel", **send),
        event("ncclDevKernel_AllReduce", cat="kernel", **large),
        event("record_param_comms", **facts),  # the same call on the host
        event("ncclDevKernel_AllReduce", cat="kernel"),
        baseTimeNanoseconds=BASE,
        distributedInfo={"rank": 5},
    )
    rows = rows_of(KIND, path)
    one, sent, cut = rows["nccl_collectives"]
    assert len(rows["trace_spans"]) == 5
    assert (one["op"], one["comm"], one["coll_seq"], one["comm_rank"], one["comm_size"]) == ("allreduce", "7", 41, 2, 4)
    assert (one["elements"], one["dtype"], one["bytes"], one["members"]) == (1000, "BFloat16", 2000, "1,3,5,7")
    assert (one["ts_ns"], one["complete_mono_ns"], one["duration_ns"]) == (BASE + 10_000, BASE + 15_000, 5000)
    assert (one["root"], sent["root"], cut["members"], cut["comm_rank"]) == (None, 3, None, None)


def test_a_large_trace_is_thinned_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(kineto, "MANY", 5)
    context = Context()
    path = written(
        tmp_path,
        event("aten::add"),
        event("aten::mm", dur=1000),
        event("cudaDeviceSynchronize", cat="cuda_runtime"),
        event("ProfilerStep#1", cat="user_annotation"),
        event("enumerate(DataLoader)#x.__next__"),
        event("k", cat="kernel"),
        event("cudaLaunchKernel", cat="cuda_runtime"),
        baseTimeNanoseconds=BASE,
    )
    names = [row["name"] for row in rows_of(KIND, path, context)["trace_spans"]]
    assert names == ["aten::mm", "cudaDeviceSynchronize", "ProfilerStep#1", "enumerate(DataLoader)#x.__next__", "k"]
    assert list(context.refused.values()) == [2]


def test_rates_that_cpp_prints_as_inf_do_not_cost_the_event(tmp_path):
    good = json.dumps(event("Memcpy", cat="gpu_memcpy", bytes=7))
    bad = good.replace('"bytes": 7', '"memory bandwidth (GB/s)": inf, "bytes": 8')
    worse = good.replace('"bytes": 7', '"bytes": }')
    path = tmp_path / "t.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": [' + ",\n".join([good, bad, worse, good, bad]) + "\n]}")
    context = Context()
    assert [row["bytes"] for row in rows_of(KIND, path, context)["trace_spans"]] == [7, 8, 7, 8]
    assert context.refused == {"items that are no JSON": 1}
    assert len(context.warnings) == 1  # of its times, which have no base


def test_a_trace_cut_off_gives_what_was_whole(tmp_path):
    whole = written(tmp_path, *(event(correlation=n) for n in range(100)), baseTimeNanoseconds=BASE).read_text()
    path = tmp_path / "cut.json"
    path.write_text(whole[: len(whole) // 2])
    context = Context()
    rows = rows_of(KIND, path, context)["trace_spans"]
    assert [row["correlation"] for row in rows] == list(range(len(rows)))
    assert 40 < len(rows) < 60
    assert "cut off" in context.warnings[0]


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "big.json"
    one = json.dumps(event(**{"Input Dims": [[4096, 4096]] * 20})) + ",\n"
    with path.open("w") as file:
        file.write('{"schemaVersion": 1, "traceEvents": [')
        for _ in range(100):
            file.write(one * 500)
        file.write(json.dumps(event()) + "]}")
    source = Source("big.json", path)
    assert KIND.fits(source)
    before = memory.reset_peak()
    assert sum(len(rows) for _, rows in KIND.read(source, Context())) == 50_001
    assert memory.peak() - before < 64 << 20 < 5 * path.stat().st_size


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000])
def test_nesting_beyond_measure_is_refused(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": [{"x": ' + text)
    with pytest.raises(UnsafeInput, match="nested"):
        list(KIND.read(Source("t.json", path), Context()))


def test_one_endless_value_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(json_stream, "MAX_ITEM", 1 << 20)
    monkeypatch.setattr("inquest.bundle.imports.source.CHUNK", 1 << 16)
    path = tmp_path / "t.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": [{"x": "' + "y" * (4 << 20))
    with pytest.raises(UnsafeInput, match="single value"):
        list(KIND.read(Source("t.json", path), Context()))


def test_half_a_surrogate_pair_costs_one_character(tmp_path):
    odd = event("a\ud800", cat="\udfff")
    group = {"pg_name": "\ud800", "pg_desc": "\ud800", "ranks": [0], "pg_size": 1}
    rows = rows_of(KIND, written(tmp_path, odd, distributedInfo={"rank": 0, "pg_config": [group]}, host_name="h\ud800"))
    assert (rows["trace_spans"][0]["name"], rows["trace_spans"][0]["category"]) == ("a?", "?")
    assert (rows["nccl_comms"][0]["comm"], rows["nccl_comms"][0]["comm_desc"]) == ("?", "?")


@pytest.mark.parametrize("odd", [7, None, [], {}, {"name": 3}, {"ph": 3, "name": "x"}, {"ph": "B", "name": "x"}])
def test_events_that_are_no_spans_are_counted(tmp_path, odd):
    context = Context()
    rows = rows_of(KIND, written(tmp_path, odd, event(), baseTimeNanoseconds=BASE), context)
    assert len(rows["trace_spans"]) == 1
    assert sum(context.refused.values()) == 1


def test_fields_of_the_wrong_type_become_unknown(tmp_path):
    odd = event(ts=[], dur={}, pid="Spans", tid=None, cat=3, correlation="x", bytes=1 << 70, device=[])
    info = {"rank": "x", "pg_config": [3, {}, {"pg_name": 0, "ranks": "[0, 1]", "pg_size": "x"}]}
    rows = rows_of(KIND, written(tmp_path, odd, distributedInfo=info, host_name=3))
    row = rows["trace_spans"][0]
    assert {row[name] for name in row if name not in ("name",)} == {None}
    assert rows["nccl_comms"][0]["members"] is None


def test_other_json_is_none(tmp_path):
    path = tmp_path / "x.json"
    for text in ('{"traceEvents": []}', 'log: {"schemaVersion": 1, "traceEvents": []}', "[]", '{"schemaVersion": 1}'):
        path.write_text(text)
        assert not KIND.fits(Source("x.json", path))
    path.write_text("[1]")
    with pytest.raises(InputError, match="not a JSON object"):
        list(KIND.read(Source("x.json", path), Context()))


@given(
    st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.integers())),
    st.lists(st.dictionaries(st.text(), st.integers() | st.text() | st.none()), max_size=8),
    st.integers(1, 40),
)
def test_members_come_out_as_python_reads_them_wherever_chunks_end(header, items, size):
    header.pop("items", None)
    raw = json.dumps(header | {"items": items, "z": 1}, ensure_ascii=False).encode()
    source = Source("x", None)
    source.chunks = lambda: iter([raw[at : at + size] for at in range(0, len(raw), size)])  # type: ignore[method-assign]
    context = Context()
    found = list(json_stream.members(source, "items", context))
    assert [value for key, value in found if key == "items"] == items
    assert {key: value for key, value in found if key != "items"} == header | {"z": 1}
    assert context.warnings == []
    assert context.refused == {}


def test_a_damaged_trace_is_read_or_refused_but_never_crashes():
    raw = gzip.decompress(RECORDED.read_bytes())[:30_000]
    rng = random.Random(0)
    for _ in range(200):
        data = bytearray(raw)
        for _ in range(rng.randrange(1, 8)):
            data[rng.randrange(len(data))] = rng.choice(b'{}[]":,0a\\\x00\xff')
        source = Source("x", None)
        source._head = bytes(data)
        source.chunks = lambda data=bytes(data): iter([data])  # type: ignore[method-assign]
        try:
            for _table, rows in KIND.read(source, Context()):
                assert len(rows) >= 0
        except InputError:
            pass

"""Flight-recorder dumps of every form torch has written, and pickles that are none."""

from __future__ import annotations

import collections
import io
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports import plain_pickle
from inquest.bundle.imports.flight_recorder import KIND
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from tests import memory

from .kit import CORPORA, rows_of

DATA = Path(__file__).parent / "data" / "flight-recorder"
REAL = CORPORA / "flight-recorder"
needs_corpus = pytest.mark.skipif(not REAL.is_dir(), reason="shared/corpora is not beside the checkout")


def entry(record_id=0, **changes):
    return {
        "record_id": record_id,
        "pg_id": 0,
        "process_group": ("0", "default_pg"),
        "collective_seq_id": record_id + 1,
        "p2p_seq_id": 0,
        "op_id": record_id + 1,
        "profiling_name": "nccl:all_reduce",
        "time_created_ns": 1_758_610_505_592_849_034 + record_id,
        "input_sizes": [[4, 5], [6]],
        "input_dtypes": ["BFloat16", "Float"],
        "output_sizes": [[4, 5], [6]],
        "output_dtypes": ["BFloat16", "Float"],
        "state": "completed",
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": 1_758_610_505_592_900_000,
        "retired": True,
        "timeout_ms": 600_000,
        "is_p2p": False,
        "frames": [
            {"name": "step", "filename": "train.py", "line": 7},
            {"name": "<module>", "filename": "m", "line": 9},
        ],
    } | changes


def dump(*entries, **changes):
    return {
        "version": "2.9",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
        "pg_status": {
            "0": {"last_enqueued_collective": 9, "last_started_collective": -1, "last_completed_collective": 8}
        },
        "nccl_version": "2.27.3",
        "entries": list(entries),
    } | changes


def written(tmp_path, value, name="nccl_trace_rank_3", protocol=2):
    path = tmp_path / name
    path.write_bytes(pickle.dumps(value, protocol))
    return path


class Forbidding(pickle.Unpickler):
    """An independent reader, for comparison."""

    def find_class(self, module, name):
        raise AssertionError((module, name))


@needs_corpus
@pytest.mark.parametrize("job", ["gpu_error_1st", "lock_gil_2nd"])
def test_real_dumps_give_every_entry_and_the_right_rank(job):
    counted = collections.Counter()
    lag = collections.defaultdict(dict)
    for path in sorted((REAL / job).glob("_dump_*")):
        raw = Forbidding(io.BytesIO(path.read_bytes())).load()
        rows = rows_of(KIND, path)
        entries = rows.get("flight_recorder", [])
        assert len(entries) == len(raw["entries"])
        rank = int(path.name.removeprefix("_dump_"))
        assert {(row["rank"], row["rank_by"]) for row in entries + rows["nccl_comms"]} == {(rank, "content")}
        for row, one in zip(entries, raw["entries"], strict=True):
            assert row["enqueue_ns"] == row["ts_ns"] == one["time_created_ns"]
            assert (row["comm"], row["comm_desc"]) == tuple(one["process_group"])
            assert (row["coll_seq"], row["p2p_seq"]) == (one["collective_seq_id"], one["p2p_seq_id"])
            assert row["timeout_ns"] == one["timeout_ms"] * 1_000_000
            assert f"nccl:{row['op']}" == one["profiling_name"].split()[0]
            assert json.loads(row["sizes"]) == one["input_sizes"]
            assert row["state"] == one["state"]
            assert row["started_ns"] is row["complete_ns"] is None
            if row["is_p2p"]:
                assert row["peer_rank"] in range(16)
                assert row["peer_rank"] != rank
        for row in rows["nccl_comms"]:
            lag[row["comm"]][rank] = (row["last_enqueued_seq"], row["last_completed_seq"])
        counted += collections.Counter({table: len(found) for table, found in rows.items()})
    # The groups of the whole job, whose numbers only the order of creation tells, agree on all sixteen ranks.
    assert len(lag["0"]) == len(lag["112"]) == 16
    assert len(set(lag["0"].values())) == len(set(lag["112"].values())) == 1
    assert counted["flight_recorder"] == {"gpu_error_1st": 289, "lock_gil_2nd": 216}[job]
    assert counted["nccl_comms"] == 200


@needs_corpus
def test_ranks_that_fell_behind_show_in_the_status_of_their_groups():
    done = {}
    for path in sorted((REAL / "lock_gil_2nd").glob("_dump_*")):
        for row in rows_of(KIND, path)["nccl_comms"]:
            if row["comm_desc"] == "TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP":
                done[row["rank"]] = row["last_enqueued_seq"]
    assert [rank for rank, seq in sorted(done.items()) if seq < 7011] == [10, 15]


@pytest.mark.parametrize("form", ["pkl", "json"])
def test_a_recorded_gloo_dump(form):
    context = Context()
    rows = rows_of(KIND, DATA / f"gloo_trace_2.{form}", context)
    entries = rows["flight_recorder"]
    assert [row["op"] for row in entries] == ["all_reduce", "broadcast"] * 3 + ["all_reduce"]
    assert {row["backend"] for row in entries} == {"gloo"}
    assert [row["comm_desc"] for row in entries] == ["default_pg"] * 6 + ["PAIR"]
    assert [row["coll_seq"] for row in entries] == [1, 2, 3, 4, 5, 6, 1]
    assert all(row["retired"] and row["state"] == "scheduled" and row["complete_ns"] is None for row in entries)
    assert entries[-1]["sizes"] == "[[8]]"
    assert entries[-1]["dtypes"] == "Double"
    assert (entries[0]["rank"], entries[0]["rank_by"]) == (2, "file_name")  # nothing in a gloo dump tells it
    comms = {row["pg_id"]: row for row in rows["nccl_comms"]}
    assert comms[0]["last_completed_seq"] == 6
    assert comms[1]["last_completed_seq"] == 1
    assert context.refused == {}
    if form == "pkl":
        texts = [row["text"] for row in rows["stacks"]]
        assert len(texts) == len(set(texts)) == 3
        assert texts[0].splitlines()[2] == "train_step at /tmp/fr/job.py:7"
        assert {row["stack_id"] for row in entries} == {row["stack_id"] for row in rows["stacks"]}


def test_every_field_of_the_current_format(tmp_path):
    started = entry(
        0, state="started", time_discovered_started_ns=5, time_discovered_completed_ns=None, duration_ms=1.5
    )
    rows = rows_of(KIND, written(tmp_path, dump(started)))
    row = rows["flight_recorder"][0]
    assert row["started_ns"] == 5
    assert row["complete_ns"] is None
    assert row["duration_ns"] == 1_500_000
    assert row["timeout_ns"] == 600_000_000_000
    assert (row["sizes"], row["dtypes"]) == ("[[4, 5], [6]]", "BFloat16,Float")
    assert (row["comm"], row["comm_desc"], row["comm_size"], row["backend"]) == ("0", "default_pg", 4, "nccl")
    assert rows["stacks"] == [
        {"node": None, "stack_id": row["stack_id"], "kind": "python", "text": "step at train.py:7\n<module> at m:9"}
    ]
    status = rows["nccl_comms"][0]
    assert (status["last_enqueued_seq"], status["last_started_seq"], status["last_completed_seq"]) == (9, None, 8)
    assert (status["members"], status["library_version"]) == ("0,1,2,3", "2.27.3")


def test_format_1_has_numbers_for_groups_and_seq_id(tmp_path):
    old = entry(3)
    for key in ("process_group", "collective_seq_id", "p2p_seq_id", "is_p2p", "timeout_ms", "input_dtypes"):
        del old[key]
    old["seq_id"] = 8
    value = {"version": "1.4", "entries": [old], "pg_config": {0: [0, 1, 2], 1: [1, 2], 2: [0, 1]}}
    rows = rows_of(KIND, written(tmp_path, value, name="dump"))
    row = rows["flight_recorder"][0]
    assert (row["rank"], row["rank_by"], row["comm"], row["coll_seq"]) == (1, "content", "0", 8)
    assert row["p2p_seq"] is row["is_p2p"] is row["timeout_ns"] is row["dtypes"] is None
    assert [(c["comm"], c["comm_rank"], c["comm_size"]) for c in rows["nccl_comms"]] == [
        ("0", 1, 3),
        ("1", 0, 2),
        ("2", 1, 2),
    ]


def test_before_versions_a_dump_was_a_list_with_microseconds(tmp_path):
    old = entry()
    old["time_created_us"] = old.pop("time_created_ns") // 1000
    rows = rows_of(KIND, written(tmp_path, [old]))
    assert rows["flight_recorder"][0]["ts_ns"] == 1_758_610_505_592_849_000


def test_sends_and_receives_tell_both_ends(tmp_path):
    groups = {
        "0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3, 4, 5, 6, 7]"},
        "9": {"name": "9", "desc": "PIPE", "ranks": "[1, 3, 5, 7]"},
    }
    pipe = {"process_group": ("9", "PIPE"), "is_p2p": True, "pg_id": 4}
    value = dump(
        entry(0, profiling_name="nccl:send 2->3", **pipe),
        entry(1, profiling_name="nccl:recv 2<-1", **pipe),
        pg_config=groups,
    )
    rows = rows_of(KIND, written(tmp_path, value, name="whatever"))["flight_recorder"]
    assert [(r["rank"], r["op"], r["peer_rank"]) for r in rows] == [(5, "send", 7), (5, "recv", 3)]


def test_content_is_believed_before_the_name_and_the_difference_is_said(tmp_path):
    path = written(tmp_path, dump(entry(), pg_config={"0": {"name": "0", "desc": "", "ranks": "[6]"}}))
    context = Context()
    source = Source(path.name, path, rank=3, rank_by="file_name")
    tables = dict(KIND.read(source, context))
    assert (tables["flight_recorder"][0]["rank"], tables["flight_recorder"][0]["rank_by"]) == (6, "content")
    assert "named after rank 3" in context.warnings[0]
    unknown = dict(KIND.read(Source("x", written(tmp_path, dump(entry()), "x"), rank=3, rank_by="file_name"), context))
    assert (unknown["flight_recorder"][0]["rank"], unknown["flight_recorder"][0]["rank_by"]) == (3, "file_name")


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nccl_trace_rank_container-node02_3", 3),
        ("_dump_2", 2),
        ("job-7/fr_1.pkl.gz", 1),
        ("dump_20251121", None),
        ("dump_9", None),  # the job has four ranks
        ("dump", None),
    ],
)
def test_the_last_number_of_a_name_is_the_rank_where_the_job_has_such_a_rank(tmp_path, name, rank):
    path = written(tmp_path, dump(entry()))
    row = dict(KIND.read(Source(name, path), Context()))["flight_recorder"][0]
    assert (row["rank"], row["rank_by"]) == (rank, None if rank is None else "file_name")


def test_states_of_the_library_tell_the_rank_and_the_communicator(tmp_path):
    state = {"id": {"commHash": "11153562318014219994", "rank": "2", "nRanks": "4"}}
    rows = rows_of(KIND, written(tmp_path, dump(entry(), nccl_comm_state=state)))
    assert rows["flight_recorder"][0]["rank"] == 2
    assert rows["nccl_comms"][1]["comm"] == "0x9ac969d5896b86da"
    assert (rows["nccl_comms"][1]["comm_rank"], rows["nccl_comms"][1]["comm_size"]) == (2, 4)


def test_what_a_ring_lost_is_said(tmp_path):
    context = Context()
    rows_of(KIND, written(tmp_path, dump(entry(700), entry(701))), context)
    assert "first 700 operations were overwritten" in context.warnings[0]
    active = Context()
    waiting = {"state": "scheduled", "retired": False, "time_discovered_completed_ns": None}
    rows_of(KIND, written(tmp_path, dump(entry(700, **waiting), entry(709, **waiting))), active)
    assert active.warnings == ["nccl_trace_rank_3: holds only operations that had not completed."]


def test_a_dump_cut_off_in_the_middle_gives_its_whole_entries(tmp_path):
    """Torch's pickler writes the items of a list before it closes it, so they lie there whole."""
    whole = pickle.dumps(dump(*(entry(n) for n in range(50))), 2)
    path = tmp_path / "nccl_trace_rank_0"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    context = Context()
    rows = rows_of(KIND, path, context)["flight_recorder"]
    assert 25 < len(rows) < 50
    assert [row["record_id"] for row in rows] == list(range(len(rows)))
    assert "cut off" in context.warnings[0]


@pytest.mark.parametrize("junk", [7, None, [], {}, "x", {"profiling_name": 3}, {"profiling_name": None}])
def test_entries_that_are_none_are_counted(tmp_path, junk):
    context = Context()
    rows = rows_of(KIND, written(tmp_path, dump(entry(), junk)), context)
    assert len(rows["flight_recorder"]) == 1
    assert context.refused == {"entries without an operation": 1}


def test_fields_of_the_wrong_type_become_unknown(tmp_path):
    odd = {key: [["x"]] for key in entry()} | {"profiling_name": "all_reduce"}
    value = dump(odd, pg_config=[1], pg_status={"0": 3, "x": {}})
    row = rows_of(KIND, written(tmp_path, value, "dump"))["flight_recorder"][0]
    assert row["op"] == "all_reduce"
    assert {row[name] for name in ("rank", "coll_seq", "ts_ns", "state", "retired", "timeout_ns", "duration_ns")} == {
        None
    }


def test_more_members_than_any_job_has_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("inquest.bundle.imports.flight_recorder._MOST_MEMBERS", 5)
    groups = {str(n): {"name": str(n), "ranks": "[0, 1, 2]"} for n in range(2)}
    path = written(tmp_path, dump(entry(), pg_config=groups))
    with pytest.raises(UnsafeInput, match="more members"):
        list(KIND.read(Source(path.name, path), Context()))


def test_half_a_surrogate_pair_costs_one_character(tmp_path):
    path = tmp_path / "dump.json"
    names = ["0", "x\ud800"]
    path.write_text(json.dumps(dump(entry(profiling_name="nccl:\ud800", process_group=names, state="\udfff"))))
    row = rows_of(KIND, path)["flight_recorder"][0]
    assert (row["op"], row["comm_desc"], row["state"]) == ("?", "x?", "?")


@pytest.mark.parametrize("value", [3, "profiling_name", None])
def test_a_pickle_of_something_else_is_one_sentence(tmp_path, value):
    path = written(tmp_path, value)
    with pytest.raises(InputError, match=r"^nccl_trace_rank_3: "):
        list(KIND.read(Source(path.name, path), Context()))


class Canary:
    """What runs when it is unpickled writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_that_names_code_is_refused_and_runs_nothing(tmp_path, protocol):
    canary = tmp_path / "canary"
    path = written(tmp_path, dump(entry(), extra=Canary(canary)), protocol=protocol)
    assert KIND.fits(Source(path.name, path))
    with pytest.raises(UnsafeInput, match="names code"):
        list(KIND.read(Source(path.name, path), Context()))
    assert not canary.exists()
    pickle.loads(path.read_bytes())  # the file is what it says: only our reader keeps it from running
    assert canary.exists()


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\x80\x02cos\nsystem\n(S'id'\ntR.", UnsafeInput),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", UnsafeInput),
        (b"\x80\x02X\x01\x00\x00\x00aQ.", UnsafeInput),
        (b"\x80\x02Pid\n.", UnsafeInput),
        (b"\x80\x02\x82\x01.", UnsafeInput),
        (b"\x80\x02(ios\nsystem\n.", UnsafeInput),
        (b"\x80\x02]q\x00h\x00a.", UnsafeInput),  # a list in itself
        (b"\x80\x02" + b"]" * 100 + b"a" * 99 + b".", UnsafeInput),
        (b"\x80\x02\x8a\xff" + b"\x01" * 255 + b".", UnsafeInput),
        (b"\x80\x02h\x07.", InputError),
        (b"\x80\x02}]K\x01s.", InputError),  # a list as a key
        (b"\x80\x02}K\x01a.", InputError),
        (b"\x80\x02e.", InputError),
        (b"\x80\x02}(K\x01u.", InputError),
        (b"\x80\x02\xff.", InputError),
    ],
)
def test_hostile_pickles(data, error):
    with pytest.raises(error, match=r"^x: "):
        plain_pickle.load(data, "x")


def test_a_value_thrown_away_is_not_taken_for_the_next_one():
    """Fuzzing found it: Python gives the id of a freed list to the next list."""
    again = b"K\x00]K\x01as"  # key 0: a list, filled and then put in place of the one before
    assert plain_pickle.load(b"\x80\x02}" + again * 50 + b".", "x").value == {0: [1]}


def test_a_lying_length_or_place_in_the_memo_costs_nothing():
    before = memory.reset_peak()
    assert not plain_pickle.load(b"\x80\x04\x8e" + (1 << 40).to_bytes(8, "little") + b"x.", "x").whole
    assert plain_pickle.load(b"\x80\x02Nr\xff\xff\xff\xff.", "x").whole
    assert memory.peak() - before < 64 << 20


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 100), 1 << 100) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@given(plain_values, st.integers(2, 5))
def test_plain_values_read_as_python_reads_them(value, protocol):
    assert plain_pickle.load(pickle.dumps(value, protocol), "x").value == value


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_dump_is_read_or_refused_but_never_crashes(data):
    form = data.draw(st.sampled_from(["pkl", "json"]))
    raw = bytearray((DATA / f"gloo_trace_2.{form}").read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(2, len(raw) - 1))] = data.draw(st.integers(0, 255))
    source = Source("x", None)
    source.read = lambda *_: bytes(raw)  # type: ignore[method-assign]
    try:
        for _table, rows in KIND.read(source, Context()):
            assert isinstance(rows, list)
    except InputError:
        pass


def test_logs_that_quote_a_dump_are_none(tmp_path):
    path = tmp_path / "log"
    path.write_text('rank 3 wrote {"pg_config": {}, "pg_status": {}, "profiling_name": 1, "time_created_ns": 2}\n')
    assert not KIND.fits(Source("log", path))
    path.write_bytes(pickle.dumps({"weights": [1.0]}))
    assert not KIND.fits(Source("model.pkl", path))


@pytest.mark.parametrize("text", ['{"pg_config": {}, "pg_status": ', '{"pg_config": 1, "pg_status": ' + "[" * 100_000])
def test_broken_json_is_one_sentence(tmp_path, text):
    path = tmp_path / "dump.json"
    path.write_text(text)
    with pytest.raises(InputError, match="JSON is broken"):
        list(KIND.read(Source("dump.json", path), Context()))

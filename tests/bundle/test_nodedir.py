from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import stat
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from inquest.bundle import nodedir, parquet, rawlog, recovery, schema, seal
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.frames import MAGIC, FrameWriter
from inquest.bundle.journal import DERIVED_SEQ, JOURNAL_SEQ, Journal, stored_schema
from inquest.bundle.recovery import RecoveryReport

START = {
    "event": "start",
    "pid": 77,
    "argv": ["python", "train.py", "--hub-token", "abc123def456"],
    "cwd": "/home/me",
    "env": {"RANK": "3", "WORLD_SIZE": "8", "MASTER_ADDR": "node01", "MASTER_PORT": "29500", "SLURM_JOB_ID": "12"},
    "mono_ns": 1_000,
    "wall_ns": 5_000,
}
SIGNAL = {
    "event": "signal",
    "signal": 15,
    "sender_pid": 1,
    "sender_command": "slurmstepd",
    "sender_uid": 0,
    "mono_ns": 2_000,
}
EXIT = {
    "event": "exit",
    "exit_code": None,
    "term_signal": 15,
    "core_dumped": False,
    "mono_ns": 3_000,
    "rusage": {"utime_s": 1.5, "stime_s": 0.25, "maxrss_bytes": 4096},
}
OUTPUT = b"step 1 loss 2.5\npassword=hunter2\nprogress 10%\rprogress 20%\r"


def record(out: Path, node: str = "n1", events: tuple[Any, ...] = (START, SIGNAL, EXIT), *, close: bool = True) -> Path:
    """A small recording with everything a node directory may hold."""
    capture = Path(nodedir.create_capture(out, node, fsync=False))
    identity = json.loads((capture / nodedir.NODE_JSON).read_text())
    writers = [FrameWriter(capture / nodedir.TASK_RAW, {"kind": "task", "task": 0, "rank": 3}, fsync=False)]
    for event in events:
        writers[0].append(json.dumps(event).encode())
    writers.append(FrameWriter(nodedir.raw_log_path(capture), {"kind": "log"}, fsync=False))
    writers[1].append(rawlog.encode(0, 1_500, 0, OUTPUT))
    writers.append(FrameWriter(nodedir.raw_log_path(capture), {"kind": "log"}, fsync=False))
    writers[2].append(rawlog.encode(1, 1_400, 0, b"warning\n"))
    writers[2].append(rawlog.encode_gap(1, 1_600, 8, 10, "the disk took no more"))
    journal = Journal(capture, identity["capture"], node, identity["boot_id"], fsync=False)
    for tick in range(3):
        journal.append("host_samples", [{"ts_mono_ns": 1_000 + tick, "load_1m": tick / 4}])
        journal.append(
            "gpu_samples", [{"ts_mono_ns": 1_000 + tick, "gpu_uuid": f"GPU-{g}", "power_w": 70.0} for g in range(2)]
        )
    journal.append("processes", [{"event": "seen", "role": "rank", "pid": 78, "argv": "x password=hunter2"}])
    if close:
        journal.close()
        for writer in writers:
            writer.close()
    return capture


def rows(node_dir: Path, report: RecoveryReport | None = None) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for table, batch in nodedir.recover(node_dir, report):
        assert batch.schema == parquet.plain_schema(table)
        found.setdefault(table, []).extend(batch.to_pylist())
    for table in found:
        found[table].sort(key=lambda row: (row["capture"], row["seq"]))
    return found


def collection(found: dict[str, list[dict[str, Any]]]) -> dict[str, tuple[str, str]]:
    return {row["collector"]: (row["outcome"], row["detail"]) for row in found["collection"]}


def test_create_capture(tmp_path: Path) -> None:
    capture = Path(
        nodedir.create_capture(tmp_path / "a" / "b", "node-01.x", facts={"task": 2, "node": "cannot override"})
    )
    assert capture.parent == tmp_path / "a" / "b" / "node-01.x"
    assert stat.S_IMODE(capture.stat().st_mode) == stat.S_IMODE(capture.parent.stat().st_mode) == 0o700
    identity = json.loads((capture / "node.json").read_text())
    assert identity == seal.read_identity(capture)
    assert (identity["node"], identity["capture"], identity["task"]) == ("node-01.x", capture.name, 2)
    assert stat.S_IMODE((capture / "node.json").stat().st_mode) == 0o600
    assert Path(nodedir.create_capture(tmp_path / "a" / "b", "node-01.x")) != capture


@pytest.mark.parametrize("node", ["", ".", "..", "../x", "a/b", "-rf", "a b", "a\n", "x" * 300, "ä"])
def test_names_that_cannot_be_a_node(tmp_path: Path, node: str) -> None:
    with pytest.raises(UsageError, match="cannot name a node"):
        nodedir.create_capture(tmp_path, node)
    assert list(tmp_path.iterdir()) == []


def test_everything_recorded_comes_back(tmp_path: Path) -> None:
    capture = record(tmp_path)
    report = RecoveryReport()
    found = rows(tmp_path / "n1", report)
    assert {(r["node"], r["capture"]) for table in found.values() for r in table} == {("n1", capture.name)}
    assert [
        (r["text"], r["stream"], r["eol"], r["offset"], r["rank"], r["rank_by"], r["pid"]) for r in found["log_lines"]
    ] == [
        ("step 1 loss 2.5", "stdout", "lf", 0, 3, "task", 77),
        (found["log_lines"][1]["text"], "stdout", "lf", 16, 3, "task", 77),
        ("progress 10%", "stdout", "cr", 33, 3, "task", 77),
        ("progress 20%", "stdout", "cr", 46, 3, "task", 77),
        ("warning", "stderr", "lf", 0, 3, "task", 77),
    ]
    assert found["log_lines"][1]["text"].startswith("password=[masked:password:")
    assert [(r["offset"], r["bytes"], r["reason"]) for r in found["log_gaps"]] == [(8, 10, "the disk took no more")]
    start, signal, end, seen = found["processes"]
    assert (start["event"], start["role"], start["pid"], start["rank"], start["world_size"]) == (
        "start",
        "task",
        77,
        3,
        8,
    )
    assert (start["master_addr"], start["master_port"], start["job_id"]) == ("node01", 29500, "12")
    assert "abc123def456" not in start["argv"]
    assert start["argv"].startswith("python train.py --hub-token [masked:flag:")
    assert json.loads(start["env"]) == START["env"]
    assert (signal["event"], signal["signal"], signal["sender_command"], signal["sender_uid"]) == (
        "signal",
        15,
        "slurmstepd",
        0,
    )
    assert (end["event"], end["exit_code"], end["term_signal"], end["core_dumped"], end["pid"]) == (
        "exit",
        None,
        15,
        False,
        77,
    )
    assert (end["cpu_user_s"], end["cpu_system_s"], end["rss_peak_bytes"]) == (1.5, 0.25, 4096)
    assert seen["seq"] >= JOURNAL_SEQ
    assert len(found["gpu_samples"]) == 6
    counts = {(r["rule"], r["in_table"], r["in_column"]): r["count"] for r in found["redactions"]}
    assert counts == {
        ("password", "log_lines", "text"): 1,
        ("password", "processes", "argv"): 1,
        ("flag", "processes", "argv"): 1,
    }
    assert collection(found) == {"output": ("ok", "task 0: whole"), "wrapper": ("ok", "whole")}
    assert {segment.state for segment in report.segments} == {"sealed"}


def test_equal_secrets_look_equal_within_a_capture(tmp_path: Path) -> None:
    record(tmp_path)
    found = rows(tmp_path / "n1")
    tokens = {found["log_lines"][1]["text"].split("=")[1], found["processes"][3]["argv"].split("=")[1]}
    assert len(tokens) == 1


def test_reading_changes_nothing_and_repeats(tmp_path: Path) -> None:
    capture = record(tmp_path, close=False)
    before = {path.name: path.read_bytes() for path in capture.iterdir()}
    assert rows(tmp_path / "n1") == rows(tmp_path / "n1")
    assert {path.name: path.read_bytes() for path in capture.iterdir()} == before


def test_sealed_and_unsealed_give_the_same_rows(tmp_path: Path) -> None:
    capture = record(tmp_path)
    before = rows(tmp_path / "n1")
    copy = tmp_path / "kept"
    shutil.copytree(capture, copy)
    assert len(seal.seal_capture(capture, raw_logs=True)) == 4
    report = RecoveryReport()
    assert rows(tmp_path / "n1", report) == before
    assert {segment.state for segment in report.segments} == {"parquet", "sealed"}
    # Killed between the seal and the removal of the originals: both are there, and count once.
    for path in copy.iterdir():
        if not (capture / path.name).exists():
            shutil.copy(path, capture)
    assert rows(tmp_path / "n1") == before
    # Killed between Parquet and seal: the journal is what counts.
    for path in capture.glob("*.seal"):
        path.unlink()
    assert rows(tmp_path / "n1") == before
    assert len(seal.seal_capture(capture, raw_logs=True)) == 4
    assert rows(tmp_path / "n1") == before


def test_damaged_parquet_without_its_journal_is_told(tmp_path: Path) -> None:
    capture = record(tmp_path)
    seal.seal_capture(capture, raw_logs=True)
    for name in ("gpu_samples.0.parquet", "log_lines.log-0.parquet"):
        data = bytearray((capture / name).read_bytes())
        data[100] ^= 1
        (capture / name).write_bytes(data)
    found = rows(tmp_path / "n1")
    assert "gpu_samples" not in found
    assert "log_lines" not in found
    assert collection(found)["journal"][0] == "failed"
    assert collection(found)["output"][0] == "failed"
    assert len(found["host_samples"]) == 3


def test_a_writer_killed_before_its_first_header_was_whole_lost_nothing(tmp_path: Path) -> None:
    """A segment is created and then written: a recorder that rotates is killed between the two sooner or later."""
    whole = (record(tmp_path / "whole", close=False) / "gpu_samples.0.journal").read_bytes()
    (length,) = struct.unpack_from("<I", whole, len(MAGIC))
    header = len(MAGIC) + 8 + length
    directory = record(tmp_path / "n")
    for size in (*range(24), header - 1):
        (directory / "gpu_samples.1.journal").write_bytes(whole[:size])
        report = RecoveryReport()
        found = rows(directory.parent, report)
        (told,) = (s for s in report.segments if s.name.startswith("gpu_samples.1"))
        assert (told.name, told.state, told.rows, told.lost_bytes) == ("gpu_samples.1.journal", "torn", 0, size)
        assert collection(found)["journal"][0] == "truncated", size
    for damage in (b"\0" * 40, b"x", whole[:20] + bytes([whole[20] ^ 1]) + whole[21:]):
        (directory / "gpu_samples.1.journal").write_bytes(damage)
        assert collection(rows(directory.parent))["journal"][0] == "failed", damage[:30]


def test_killed_writers_are_told(tmp_path: Path) -> None:
    capture = record(tmp_path, events=(START,), close=False)
    path = capture / "gpu_samples.0.journal"
    path.write_bytes(path.read_bytes()[:-3])
    report = RecoveryReport()
    found = rows(tmp_path / "n1", report)
    assert len(found["gpu_samples"]) == 4
    states = {segment.name: segment.state for segment in report.segments}
    assert states["gpu_samples.0.journal"] == "torn"
    assert states["host_samples.0.journal"] == states["log-0.raw"] == states["task.raw"] == "open"
    told = [(r["collector"], r["outcome"], r["detail"]) for r in found["collection"]]
    assert any(c == "wrapper" and o == "truncated" and "no end of the job was recorded" in d for c, o, d in told)
    assert any(
        c == "journal" and o == "truncated" and "gpu_samples.0 is torn" in d and "bytes lost" in d for c, o, d in told
    )
    assert any(c == "output" and o == "truncated" and "log-0.raw is not closed" in d for c, o, d in told)


def test_missing_files_are_told(tmp_path: Path) -> None:
    capture = record(tmp_path)
    for name in ("task.raw", "log-0.raw", "log-0.1.raw"):
        (capture / name).unlink()
    (capture / "host_samples.0.journal").rename(capture / "host_samples.2.journal")
    found = rows(tmp_path / "n1")
    told = {(r["collector"], r["outcome"], r["tables"]) for r in found["collection"]}
    assert told == {
        ("wrapper", "missing", "processes"),
        ("output", "missing", "log_lines"),
        ("journal", "missing", "host_samples"),
    }
    assert sum(r["collector"] == "journal" for r in found["collection"]) == 2


def test_command_that_could_not_be_started(tmp_path: Path) -> None:
    for number, code in ((2, 127), (13, 126)):
        out = tmp_path / str(number)
        record(out, events=({"event": "exec_error", "errno": number, "message": "No such file", "mono_ns": 5},))
        found = rows(out / "n1")
        [end] = [row for row in found["processes"] if row["role"] == "task"]
        assert (end["event"], end["exit_code"], end["state"]) == ("exit", code, "not started: No such file")
        assert collection(found)["wrapper"] == ("ok", "whole")


def test_notes_become_rows(tmp_path: Path) -> None:
    record(tmp_path, events=(START, {"event": "note", "text": "the recorder died", "mono_ns": 7}, EXIT))
    notes = [row for row in rows(tmp_path / "n1")["collection"] if row["seq"] < JOURNAL_SEQ]
    assert [(r["collector"], r["detail"], r["ts_mono_ns"]) for r in notes] == [("wrapper", "the recorder died", 7)]


@pytest.mark.parametrize("event", [nodedir.PRINTED, nodedir.DELIVERED])
def test_what_a_killed_pump_or_a_full_disk_kept_from_the_raw_log_is_a_gap(tmp_path: Path, event: str) -> None:
    told = {"event": event, "mono_ns": 3_000, "task": 0, "bytes": {"0": 100, "1": 18, "2": 0, "7": "x"}}
    found = rows(record(tmp_path, events=(START, EXIT, told)).parent)
    last = found["log_gaps"][0]
    assert (last["stream"], last["offset"], last["bytes"], last["ts_mono_ns"]) == (
        "stdout",
        len(OUTPUT),
        100 - len(OUTPUT),
        3_000,
    )
    assert "the pump or its node died" in last["reason"]
    assert [row["stream"] for row in found["log_gaps"]] == ["stdout", "stderr"], "all of stderr's 18 bytes are known of"
    assert dict(collection(found))["wrapper"][0] == "ok"


def test_clock_of_node_json_stands_in_for_triples(tmp_path: Path) -> None:
    capture = record(tmp_path)
    identity = seal.read_identity(capture)
    [triple] = rows(tmp_path / "n1")["clock_samples"]
    assert (triple["ts_mono_ns"], triple["wall_ns"]) == (identity["mono_ns"], identity["wall_ns"])
    journal = Journal(capture, capture.name, "n1", None, fsync=False)
    journal.append("clock_samples", [{"ts_mono_ns": 1, "wall_ns": 2}])
    journal.close()
    assert [row["wall_ns"] for row in rows(tmp_path / "n1")["clock_samples"]] == [2]


def test_several_recordings_on_one_node(tmp_path: Path) -> None:
    names = sorted(record(tmp_path).name for _ in range(3))
    report = RecoveryReport()
    found = rows(tmp_path / "n1", report)
    assert report.captures == names
    assert {row["capture"] for row in found["log_lines"]} == set(names)
    identities = [(row["capture"], table, row["seq"]) for table in found for row in found[table]]
    assert len(identities) == len(set(identities))


def test_recordings_that_begin_in_one_second_under_one_pid_have_names_of_their_own(tmp_path: Path) -> None:
    # with sixteen bits of chance a thousand of them collide nearly always, and the second one could not record
    names = {nodedir.create_capture(tmp_path, "n1", fsync=False) for _ in range(1_000)}
    assert len(names) == 1_000


def test_node_json_missing_or_damaged(tmp_path: Path) -> None:
    capture = record(tmp_path)
    text = (capture / "node.json").read_text()
    for damaged in ("", "[]", text[:-5], text.replace('"node": "n1"', '"node": "n2"'), "[" * 100_000):
        (capture / "node.json").write_text(damaged)
        found = rows(tmp_path / "n1")
        assert {(r["node"], r["capture"]) for table in found.values() for r in table} == {("n1", capture.name)}
        assert collection(found)["node"][0] == "missing"
        assert len(found["log_lines"]) == 5
        assert found["log_lines"][1]["text"] == "password=[masked:password]"  # no key, no digest
    (capture / "node.json").unlink()
    assert len(rows(tmp_path / "n1")["log_lines"]) == 5


def test_names_of_a_stranger_that_are_no_unicode(tmp_path: Path) -> None:
    capture = record(tmp_path)
    lone = "n\ud800"
    identity = {"node": lone, "capture": lone, "boot_id": lone, "mask_key": lone, "mono_ns": 1 << 80, "wall_ns": -1}
    (capture / "node.json").write_text(json.dumps(identity))
    header = {"table": "disk_samples", "node": lone, "capture": lone, "boot_id": lone}
    with FrameWriter(capture / "disk_samples.0.journal", header, fsync=False) as writer:
        writer.append(stored_schema("disk_samples").serialize().to_pybytes())
        row = {"seq": 1, "device": "sda"}
        writer.append(pa.RecordBatch.from_pylist([row], schema=stored_schema("disk_samples")).serialize().to_pybytes())
    found = rows(tmp_path / "n1")
    assert {row["node"] for row in found["log_lines"]} == {row["node"] for row in found["disk_samples"]} == {"n?"}
    assert "clock_samples" not in found


@pytest.mark.parametrize(
    "masked", [[["r", "t", "c", 1 << 70]], [["r", "t", 7, 1]], [["r", "t", "c", True]], [["r"]], 7, "x"]
)
def test_seal_of_a_stranger(tmp_path: Path, masked: object) -> None:
    capture = record(tmp_path)
    seal.seal_capture(capture)
    (capture / "host_samples.0.seal").unlink()
    path = capture / "host_samples.0.parquet"
    files = {"host_samples": {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}}
    FrameWriter(capture / "host_samples.0.seal", {"files": files, "masked": masked}, fsync=False).close()
    assert collection(rows(tmp_path / "n1"))["journal"][0] == "failed"
    (capture / "host_samples.0.seal").unlink()
    FrameWriter(capture / "host_samples.0.seal", {"files": files, "masked": []}, fsync=False).close()
    assert len(rows(tmp_path / "n1")["host_samples"]) == 3


def test_what_is_no_node_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty" / "sub").mkdir(parents=True)
    for name, match in (("absent", "not a directory"), ("file", "not a directory"), ("empty", "holds no recording")):
        with pytest.raises(InputError, match=match):
            nodedir.recover(tmp_path / name)


def test_links_and_pipes_in_a_recording_are_not_followed(tmp_path: Path) -> None:
    capture = record(tmp_path)
    secret = record(tmp_path / "elsewhere")
    (tmp_path / "n1" / "link").symlink_to(secret)
    for name in ("log-0.raw", "gpu_samples.0.journal", "task.raw", "node.json"):
        (capture / name).unlink()
        (capture / name).symlink_to(secret / name)
    os.mkfifo(capture / "net_samples.0.journal")
    report = RecoveryReport()
    found = rows(tmp_path / "n1", report)
    assert report.captures == [capture.name]
    assert "gpu_samples" not in found
    assert "net_samples" not in found
    assert {row["stream"] for row in found["log_lines"]} == {"stderr"}
    assert [row["event"] for row in found["processes"]] == ["seen"]
    outcomes = {(r["collector"], r["outcome"]) for r in found["collection"]}
    assert {("journal", "failed"), ("output", "failed"), ("wrapper", "failed")} <= outcomes


def test_events_of_a_stranger(tmp_path: Path) -> None:
    strange: list[Any] = [
        [1],
        "x",
        {},
        {"event": "nope"},
        {"event": ["start"]},
        {
            "event": "start",
            "pid": -1,
            "argv": [1, None, "a\0b\udcff"],
            "cwd": 5,
            "env": {"RANK": "x", "A": 1},
            "mono_ns": 1 << 70,
        },
        {"event": "exit", "exit_code": "0", "term_signal": True, "core_dumped": 1, "rusage": [], "mono_ns": "now"},
        {"event": "exit", "rusage": {"utime_s": float("nan"), "stime_s": -1, "maxrss_bytes": 1.5}},
    ]
    record(tmp_path, events=tuple(strange))
    found = rows(tmp_path / "n1")
    start, *ends, _ = found["processes"]
    assert (start["pid"], start["cwd"], start["ts_mono_ns"], start["rank"]) == (None, None, None, None)
    assert start["argv"] == "1 None a b\ufffd"
    assert all(
        end["exit_code"] is end["term_signal"] is end["core_dumped"] is end["cpu_user_s"] is None for end in ends
    )
    assert "5 frames hold no event this build knows" in collection(found)["wrapper"][1]


def test_flipped_bits_and_cuts_anywhere_never_make_rows(tmp_path: Path) -> None:
    """A recording in all its forms, damaged at random places: what is read was written, and damage is told."""
    capture = record(tmp_path)
    seal.seal_capture(capture)
    writer = Journal(capture, capture.name, "n1", seal.read_identity(capture)["boot_id"], fsync=False)
    writer.append("disk_samples", [{"ts_mono_ns": 5, "device": "sda", "read_bytes": n} for n in range(4)])
    writer.close()
    derived = {"collection", "redactions", "clock_samples"}

    def evidence(found: dict[str, list[dict[str, Any]]]) -> set[str]:
        hidden = {"rank", "rank_by", "pid"}  # of lines: known from task.raw, which may be the damaged file
        return {
            json.dumps(
                [table, {k: v for k, v in row.items() if table != "log_lines" or k not in hidden}], sort_keys=True
            )
            for table in found.keys() - derived
            for row in found[table]
        }

    whole = evidence(rows(tmp_path / "n1"))
    chance = random.Random(11)
    files = sorted(path for path in capture.iterdir() if path.name != "node.json")
    for trial in range(150):
        path = files[trial % len(files)]
        data = bytearray(path.read_bytes())
        if chance.random() < 0.3:
            changed = bytes(data[: chance.randrange(len(data))])
        else:
            changed = bytearray(data)
            changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        found = rows(tmp_path / "n1")
        assert evidence(found) <= whole, (trial, path.name)
        if evidence(found) != whole:
            assert any(row["outcome"] not in ("ok",) for row in found["collection"]), (trial, path.name)
        path.write_bytes(data)
    assert evidence(rows(tmp_path / "n1")) == whole


def test_numbers_of_derived_rows_follow_from_their_content(tmp_path: Path) -> None:
    record(tmp_path, close=False)
    found = rows(tmp_path / "n1")
    derived = [row for row in found["collection"] if row["collector"] in ("output", "journal")]
    assert derived
    assert all(row["seq"] >= DERIVED_SEQ for row in derived)
    assert [row["seq"] for row in derived] == [
        row["seq"] for row in rows(tmp_path / "n1")["collection"] if row in derived
    ]


def test_every_recorded_table_is_masked_where_it_holds_text() -> None:
    from inquest.bundle.mask import masked_columns

    assert {"text", "source"} <= set(masked_columns("log_lines"))
    assert not {"node", "boot_id", "capture"} & set(masked_columns("log_lines"))
    assert {"argv", "env", "cwd", "exe"} <= set(masked_columns("processes"))
    assert all(set(masked_columns(table.name)) <= set(table.column_names) for table in schema.RECORDED)


def test_large_recordings_are_read_in_batches(tmp_path: Path) -> None:
    capture = record(tmp_path)
    with FrameWriter(nodedir.raw_log_path(capture), {"kind": "log"}, fsync=False) as writer:
        line = b"x" * 99 + b"\n"
        for number in range(300):
            writer.append(rawlog.encode(2, number, number * 60_000, line * 600))
    sizes = [batch.num_rows for table, batch in recovery.recover(tmp_path / "n1") if table == "log_lines"]
    assert sum(sizes) == 300 * 600 + 5
    assert max(sizes) < 40_000


RECORDER = """
import sys
from inquest.bundle.journal import Journal
from inquest.bundle.seal import read_identity, seal_capture

capture = sys.argv[1]
from pathlib import Path
identity = read_identity(Path(capture))
while True:  # a recorder that is started again after each kill, rotates at every append and seals all the time
    journal = Journal(capture, identity["capture"], "n1", identity["boot_id"], fsync=False, segment_s=0.0)
    first = int(sys.argv[2])
    for number in range(first, 1 << 30):
        journal.append("host_samples", [{"ts_mono_ns": 2 * number}, {"ts_mono_ns": 2 * number + 1}])
        print(number, flush=True)
        if number % 3 == 0:
            seal_capture(capture)
"""


def test_recorder_killed_at_any_moment_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """What append has returned from is in the page cache: SIGKILL between, in or behind sealing cannot take it."""
    capture = Path(nodedir.create_capture(tmp_path, "n1", fsync=False))
    chance = random.Random(5)
    at_most = 0
    for trial in range(6):
        command = [sys.executable, "-c", RECORDER, str(capture), str(at_most)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for _ in range(chance.randint(1, 12)):
                last = int(child.stdout.readline())
            # Not a wait for anything: only so that the kill falls anywhere in the loop.
            time.sleep(chance.random() * 0.02)
            child.kill()
            last = max([last, *map(int, child.stdout.read().split())])
        times = sorted(row["ts_mono_ns"] for row in rows(tmp_path / "n1")["host_samples"])
        assert times in (list(range(2 * last + 2)), list(range(2 * last + 4))), trial
        at_most = len(times) // 2

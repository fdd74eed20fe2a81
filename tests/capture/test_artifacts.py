"""Files taken along: which, whole or named, masked, within budgets; and what becomes of them in a bundle."""

from __future__ import annotations

import base64
import gzip
import json
import os
import pickle
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from inquest.bundle import nodedir
from inquest.bundle.artifacts import members
from inquest.bundle.journal import Journal
from inquest.bundle.merge import merge
from inquest.bundle.redact import redact
from inquest.bundle.store import BundleStore
from inquest.capture import artifacts, dumps
from inquest.capture.artifacts import Keeper
from inquest.capture.collector import Context, Member
from inquest.capture.collectors.artifacts import Artifacts
from tests.capture.recorder_kit import command
from tests.conftest import inquest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

SECRET = "hf_" + "a1B2c3D4e5" * 4
DUMP = {
    "version": "2.10",
    "entries": [
        {
            "profiling_name": "nccl:all_reduce",
            "process_group": ("0", "default_pg"),
            "pg_id": 0,
            "collective_seq_id": 18,
            "record_id": 0,
            "state": "scheduled",
            "time_created_ns": 1_800_000_000 * 10**9,
            "frames": [{"name": "main", "filename": "train.py", "line": 7}],
        }
    ],
    "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
    "pg_status": {
        "0": {"last_enqueued_collective": 18, "last_started_collective": 17, "last_completed_collective": 17}
    },
}


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = Path(nodedir.create_capture(tmp_path / "out", "node-a", facts={"task": 0, "job_id": "7"}))
    (path / "log-0.raw").touch()
    return path


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def me() -> int:
    return os.getuid()


# --- one file -----------------------------------------------------------------------------------------------------


def test_a_file_is_copied_whole(capture: Path, tmp_path: Path) -> None:
    content = os.urandom(3 << 20)
    row = Keeper(capture).take(artifacts.FLIGHT_RECORDER, write(tmp_path / "trace rank_3", content), me())
    assert row["member"] == "artifact-1-trace-rank_3"
    assert (capture / row["member"]).read_bytes() == content
    assert row["bytes"] == len(content)
    assert (capture / row["member"]).stat().st_mode & 0o777 == 0o600
    assert json.loads((capture / "meta.json").read_text()).items() >= {"node": "node-a", "job_id": "7"}.items()


def test_text_is_masked_before_it_is_written(capture: Path, tmp_path: Path) -> None:
    key = (
        "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 40_000 + "-----END PRIVATE KEY-----\n"
    )
    text = f'{{"message": "token {SECRET}"}}\n{key}tail\n'
    row = Keeper(capture).take(artifacts.CRASH, write(tmp_path / "faulthandler.log", text.encode()), me())
    kept = (capture / row["member"]).read_text()
    assert SECRET not in kept
    assert "MIIEvQIBADANB" not in kept.splitlines()[3]
    assert kept.endswith("tail\n")
    assert row["detail"].endswith("secrets masked")


def test_compressed_text_is_masked_too(capture: Path, tmp_path: Path) -> None:
    packed = write(tmp_path / "a.pt.trace.json.gz", gzip.compress(f'{{"x": "{SECRET}"}}'.encode()))
    row = Keeper(capture).take(artifacts.TRACE, packed, me())
    assert row["member"].endswith("-a.pt.trace.json")
    assert SECRET not in (capture / row["member"]).read_text()


@pytest.mark.parametrize(
    "damage", [b"\x1f\x8b" + b"x" * 50, gzip.compress(b"x" * 9000, mtime=0)[:-20] + b"????"], ids=["nonsense", "tail"]
)
def test_damaged_compression_is_named(damage: bytes, capture: Path, tmp_path: Path) -> None:
    row = Keeper(capture).take(artifacts.TRACE, write(tmp_path / "a.pt.trace.json.gz", damage), me())
    assert "member" not in row or not (capture / row["member"]).read_bytes().startswith(b"\x1f\x8b")


def test_a_bomb_stops_at_the_budget(capture: Path, tmp_path: Path) -> None:
    kind = artifacts.Kind("test", 1 << 20, text=True)
    row = Keeper(capture).take(kind, write(tmp_path / "a.gz", gzip.compress(b"x\n" * (8 << 20))), me())
    assert "member" not in row
    assert "more than the 1,048,576" in row["reason"]
    assert not list(capture.glob("artifact-*"))


def test_what_does_not_fit_is_named(capture: Path, tmp_path: Path) -> None:
    keeper = Keeper(capture, most_bytes=1000)
    small = artifacts.Kind("test", 600, text=False)
    assert keeper.take(small, write(tmp_path / "a", b"x" * 600), me())["member"]
    assert "more than the 600" in keeper.take(small, write(tmp_path / "b", b"x" * 601), me())["reason"]
    row = keeper.take(small, write(tmp_path / "c", b"x" * 600), me())
    assert "used up" in row["reason"]
    assert (row["path"], row["bytes"]) == (str(tmp_path / "c"), 600)
    assert "named only" in keeper.take(artifacts.CORE, write(tmp_path / "core", b"x"), me())["reason"]
    assert len(list(capture.glob("artifact-*"))) == 1


def test_links_pipes_and_files_of_others_are_not_taken(capture: Path, tmp_path: Path) -> None:
    keeper = Keeper(capture)
    secret = write(tmp_path / "shadow", b"x")
    (tmp_path / "link").symlink_to(secret)
    os.mkfifo(tmp_path / "pipe")
    assert "cannot be read" in keeper.take(artifacts.CRASH, tmp_path / "link", me())["reason"]
    assert "not a plain file" in keeper.take(artifacts.CRASH, tmp_path / "pipe", me())["reason"]
    assert "cannot be read" in keeper.take(artifacts.CRASH, tmp_path / "absent", me())["reason"]
    assert "another user" in keeper.take(artifacts.CRASH, secret, me() + 1)["reason"]
    assert not list(capture.glob("artifact-*"))


def test_two_keepers_of_one_recording_never_share_a_number(capture: Path) -> None:
    def keep(keeper: Keeper) -> list[str]:
        return [keeper.keep(artifacts.NCCL_RAS, "a.txt", b"x" * number)["member"] for number in range(1, 40)]

    with ThreadPoolExecutor(2) as pool:
        kept = [member for members in pool.map(keep, [Keeper(capture), Keeper(capture)]) for member in members]
    assert len({member.split("-")[1] for member in kept}) == len(kept) == 78
    assert not list(capture.glob(".artifact*"))


def test_a_file_that_was_begun_by_a_killed_recorder_is_not_taken_for_one(capture: Path) -> None:
    (capture / ".artifact-1.tmp").write_bytes(b"half")
    assert Keeper(capture).keep(artifacts.NCCL_RAS, "a", b"x")["member"] == "artifact-2-a"
    assert [path.name for path in members(capture)] == ["artifact-2-a"]


def test_of_a_log_the_tail_will_do(capture: Path, tmp_path: Path) -> None:
    kind = artifacts.Kind("test", 4000, text=True, tail=True)
    log = write(tmp_path / "train.log", b"".join(b"line %d\n" % number for number in range(10_000)))
    row = Keeper(capture).take(kind, log, me(), "rank-3-train.log")
    assert row["member"] == "artifact-1-rank-3-train.log"
    kept = (capture / row["member"]).read_bytes()
    assert len(kept) == 3000
    assert kept.endswith(b"line 9999\n")
    assert row["detail"] == f"the last 3,000 of {log.stat().st_size:,} bytes"


# --- which files --------------------------------------------------------------------------------------------------


@pytest.fixture
def job(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with the environment of a rank."""
    work = tmp_path / "work"
    work.mkdir()
    env = {
        "PATH": os.environ["PATH"],
        "RANK": "3",
        "TORCH_FR_DUMP_TEMP_FILE": "traces/fr_rank_",
        "TORCH_NCCL_DEBUG_INFO_PIPE_FILE": str(tmp_path / "pipe_"),
        "TORCHELASTIC_ERROR_FILE": str(tmp_path / "error.json"),
        "NCCL_DEBUG_FILE": str(tmp_path / "nccl.%h.%p"),
        "NCCL_INSPECTOR_ENABLE": "1",
        "NCCL_INSPECTOR_DUMP_DIR": "inspector",
        "HOME": str(tmp_path),
    }
    with command("sleep", "600", env=env, cwd=work) as child:
        while Path(f"/proc/{child.pid}/comm").read_text() != "sleep\n":
            time.sleep(0.01)
        yield child


def context(capture: Path, pid: int) -> Context:
    members = {pid: Member(pid, 3, "rank")}
    return Context(capture, "node-a", "boot", pid, time.monotonic_ns(), os.environ, members=members)


def taken(collector: Artifacts, ctx: Context, turns: int = 1) -> list[dict[str, Any]]:
    return [row for _ in range(turns) for _, rows in collector.tick(ctx) for row in rows]


def test_files_are_taken_once_they_rest_and_the_rest_at_the_end(
    capture: Path, tmp_path: Path, job: subprocess.Popen[bytes]
) -> None:
    work = tmp_path / "work"
    collector, ctx = Artifacts(), context(capture, job.pid)
    list(collector.start(ctx))
    assert taken(collector, ctx, 2) == []
    (work / "traces").mkdir()
    dump = write(work / "traces" / "fr_rank_3", pickle.dumps(DUMP))
    assert taken(collector, ctx) == []  # it may still be written
    (row,) = taken(collector, ctx)
    assert (row["kind"], row["path"]) == ("flight-recorder", str(dump))
    assert taken(collector, ctx, 2) == []
    write(dump, pickle.dumps(DUMP | {"version": "2.11"}))
    (row,) = taken(collector, ctx, 2)
    assert row["member"] == "artifact-2-fr_rank_3"
    write(tmp_path / "error.json", b'{"message": "x"}')
    write(tmp_path / f"nccl.{os.uname().nodename}.{job.pid}", b"NCCL INFO x\n")
    (work / "inspector").mkdir()
    write(work / "inspector" / f"{os.uname().nodename}-pid{job.pid}.log", b'{"coll_perf": {"coll_sn": 1}}\n')
    write(tmp_path / "work" / "a.pt.trace.json", b'{"traceEvents": []}')
    write(tmp_path / "work" / f"core.{job.pid}", b"x" * 100)
    collector._turns = 0  # the next walk through the working directory
    collector._walk(ctx)
    rows = [row for _, found in collector.stop(ctx) for row in found]
    assert {row["kind"]: "member" in row for row in rows} == {
        "torch-error-file": True,
        "nccl-debug": True,
        "nccl-inspector": True,
        "profiler-trace": True,
        "core-file": False,
    }


def test_output_that_went_past_us_is_taken_and_read_as_the_ranks_log(capture: Path, tmp_path: Path) -> None:
    log = tmp_path / "attempt" / "out"
    log.parent.mkdir()
    env = os.environ | {"RANK": "3"}
    text = "import time; print('ValueError: bad shard', flush=True); time.sleep(600)"
    with log.open("wb") as file, command(sys.executable, "-c", text, env=env, stdout=file, stderr=file) as child:
        while not log.stat().st_size:
            time.sleep(0.02)
        assert dumps.redirected(child.pid) == (log,)
        collector, ctx = Artifacts(), context(capture, child.pid)
        list(collector.start(ctx))
        assert taken(collector, ctx, 2) == []  # it grows: taken at the end
        child.kill()
        child.wait()
        ctx.members = {}
        assert taken(collector, ctx) == []
        (row,) = [row for _, rows in collector.stop(ctx) for row in rows]
    assert (row["kind"], row["member"]) == ("rank-log", "artifact-1-rank-3-out.log")
    merge([capture.parent], tmp_path / "job.inquest", job_id="7")
    lines = (
        BundleStore(tmp_path / "job.inquest")
        .scan("log_lines")
        .filter(pl.col("source").str.contains("rank-3"))
        .collect()
    )
    assert lines.select("node", "rank", "text").rows() == [("node-a", 3, "ValueError: bad shard")]


def test_a_file_that_several_ranks_print_into_is_no_ranks_own(capture: Path, tmp_path: Path) -> None:
    log = write(tmp_path / "all.log", b"x\n")
    collector = Artifacts()
    list(collector.start(context(capture, os.getpid())))
    collector._processes = {
        rank: dumps.Process(rank, rank, me(), {"XDG_CACHE_HOME": str(tmp_path)}, None, (log,)) for rank in (0, 1)
    }
    assert [spot.name for spot, _ in collector._spots() if spot.path == log] == [None]
    collector._processes.pop(1)
    assert [spot.name for spot, _ in collector._spots() if spot.path == log] == ["rank-0-all.log"]


def test_what_lay_there_before_is_not_this_jobs(capture: Path, tmp_path: Path, job: subprocess.Popen[bytes]) -> None:
    (tmp_path / "work" / "traces").mkdir()
    old = write(tmp_path / "work" / "traces" / "fr_rank_3", pickle.dumps(DUMP))
    os.utime(old, (time.time() - 3600,) * 2)
    collector, ctx = Artifacts(), context(capture, job.pid)
    list(collector.start(ctx))
    assert taken(collector, ctx, 3) == []


def test_torch_is_asked_for_a_dump_where_it_listens(tmp_path: Path, job: subprocess.Popen[bytes]) -> None:
    process = dumps.Process.of(job.pid, None)
    assert process is not None
    assert process.rank == 3
    assert not process.ask_for_dump()  # there is no pipe
    pipe = tmp_path / "pipe_3.pipe"
    pipe.write_bytes(b"")
    assert not process.ask_for_dump()  # a plain file is none
    assert pipe.read_bytes() == b""
    pipe.unlink()
    os.mkfifo(pipe)
    assert not process.ask_for_dump()  # nobody reads it
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert process.ask_for_dump()
        assert os.read(reader, 100) == b"1\n"
    finally:
        os.close(reader)


def test_a_process_that_is_gone_has_no_files() -> None:
    with command(sys.executable, "-c", "") as child:
        child.wait()
    assert dumps.Process.of(child.pid, 0) is None
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, signal.SIGCONT)


# --- in the bundle ------------------------------------------------------------------------------------------------


@pytest.fixture
def bundle(capture: Path, tmp_path: Path) -> Path:
    keeper, journal = Keeper(capture), Journal(capture, capture.name, "node-a", None)
    taken = keeper.take(artifacts.FLIGHT_RECORDER, write(tmp_path / "fr_rank_1", pickle.dumps(DUMP)), me())
    journal.append("artifacts", [taken, keeper.keep(artifacts.CRASH, "faulthandler.txt", b"x" * 500_000 + b"\nend\n")])
    journal.close()
    merge([capture.parent], tmp_path / "job.inquest", job_id="7")
    return tmp_path / "job.inquest"


def content(store: BundleStore, ending: str) -> bytes:
    parts = store.scan("artifact_parts").filter(pl.col("member").str.ends_with(ending)).sort("offset").collect()
    return b"".join(base64.b64decode(part) for part in parts["content"])


def test_a_bundle_holds_the_files_and_what_they_tell(bundle: Path, tmp_path: Path) -> None:
    store = BundleStore(bundle)
    assert content(store, "fr_rank_1") == pickle.dumps(DUMP)
    assert content(store, "faulthandler.txt") == b"x" * 500_000 + b"\nend\n"
    (entry,) = store.scan("flight_recorder").collect().to_dicts()
    assert (entry["node"], entry["rank"], entry["coll_seq"], entry["state"]) == ("node-a", 1, 18, "scheduled")
    (status,) = store.scan("nccl_comms").collect().to_dicts()
    assert (status["last_enqueued_seq"], status["last_completed_seq"]) == (18, 17)
    assert store.info.nodes == ("node-a",)
    again = merge([bundle, tmp_path / "out"], tmp_path / "again.inquest", job_id="7")
    assert again.content_digest == store.info.content_digest


def test_redaction_leaves_out_what_cannot_be_looked_into(bundle: Path, tmp_path: Path) -> None:
    redact(bundle, tmp_path / "redacted.inquest")
    store = BundleStore(tmp_path / "redacted.inquest")
    assert "artifact_parts" not in store.tables()
    assert store.scan("flight_recorder").collect().height == 1
    told = store.scan("redactions").filter(pl.col("rule") == "removed").collect()
    assert told["in_table"].to_list() == ["artifact_parts"]


def test_files_are_taken_out_of_the_bundle_again(bundle: Path, tmp_path: Path) -> None:
    done = inquest("artifacts", str(bundle), "-o", str(tmp_path / "files"), "--json")
    assert done.returncode == 0, done.stderr
    files = {file["kind"]: file for file in json.loads(done.stdout)}
    assert {"flight-recorder", "crash-report"} == files.keys()
    assert not any("written" not in file for file in files.values())
    assert Path(files["flight-recorder"]["written"]).read_bytes() == pickle.dumps(DUMP)
    again = inquest("artifacts", str(bundle), "-o", str(tmp_path / "files"))
    assert again.returncode == 2
    assert "File exists" in again.stderr
    assert "fr_rank_1" in inquest("artifacts", str(bundle)).stdout


def test_a_redacted_bundle_says_that_the_files_are_not_there(bundle: Path, tmp_path: Path) -> None:
    redact(bundle, tmp_path / "redacted.inquest")
    done = inquest("artifacts", str(tmp_path / "redacted.inquest"), "-o", str(tmp_path / "files"))
    assert done.returncode == 5
    assert "redacted" in done.stderr
    assert not list((tmp_path / "files").rglob("artifact-*"))

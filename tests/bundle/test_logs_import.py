"""Text of every kind becomes rows; nothing a stranger sends raises anything but a clear error or needs much memory."""

import bz2
import gzip
import lzma
import os
import re
import subprocess
import sys

import pyarrow as pa
import pytest

from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.bundle.imports.text import LINE_CAP
from inquest.bundle.logs_import import import_logs


def lines(*paths, **options):
    return import_logs([*paths], **options).scan("log_lines").collect()


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"a\nb\n", [("a", 0, "lf", 1), ("b", 2, "lf", 1)]),
        (b"a\nb", [("a", 0, "lf", 1), ("b", 2, "none", 1)]),
        (b"a\r\nb\r\n", [("a", 0, "lf", 1), ("b", 3, "lf", 1)]),
        (b"\r 1%\r 2%\rdone\n", [(" 1%", 1, "cr", 3), (" 2%", 5, "cr", 3), ("done", 9, "lf", 4)]),
        (b"\xff\xfe\nok\n", [("\ufffd\ufffd", 0, "lf", 2), ("ok", 3, "lf", 2)]),
        ("é\nx\n".encode(), [("é", 0, "lf", 2), ("x", 3, "lf", 1)]),
        (b"", []),
        (b"\n\n", [("", 0, "lf", 0), ("", 1, "lf", 0)]),
    ],
)
def test_lines_offsets_and_ends(tmp_path, data, rows):
    frame = lines(write(tmp_path / "a.log", data))
    assert frame.select("text", "offset", "eol", "line_bytes").rows() == rows


def test_offsets_hold_across_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("inquest.bundle.imports.source.CHUNK", 7)
    monkeypatch.setattr("inquest.bundle.imports.source.SAMPLE", 5)
    data = b"".join(b"line %d \r part\r\n" % i for i in range(300)) + b"tail"
    frame = lines(write(tmp_path / "a.log", data))
    for offset, size, text in frame.select("offset", "line_bytes", "text").iter_rows():
        assert data[offset : offset + size].decode() == text
    assert frame.height == 601


def test_long_line_is_capped_and_counted(tmp_path):
    size = 3 << 20
    frame = lines(write(tmp_path / "a.log", b"HEAD" + b"x" * size + b"TAIL\nnext\n"))
    text, line_bytes, truncated = frame.select("text", "line_bytes", "truncated").row(0)
    assert line_bytes == size + 8
    assert truncated
    assert len(text.encode()) <= LINE_CAP + 2
    assert text.startswith("HEAD")
    assert text.endswith("TAIL")
    assert frame["text"][1] == "next"
    assert frame["offset"][1] == size + 9


def test_single_huge_line_needs_little_memory(tmp_path):
    path = tmp_path / "a.log"
    with path.open("wb") as out:
        for _ in range(300):
            out.write(b"x" * 1_000_000)
    code = (
        "import re, sys; from inquest.bundle.logs_import import import_logs;"
        "s = import_logs([sys.argv[1]]).scan('log_lines').collect();"
        # Not ru_maxrss: that one begins with what the parent had at the fork.
        "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1];"
        "print(s.height, s['line_bytes'][0], int(peak) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    rows, size, peak = map(int, done.stdout.split())
    assert (rows, size) == (1, 300_000_000)
    assert peak < 300


def test_binary_junk_is_no_log(tmp_path):
    with pytest.raises(InputError, match="binary"):
        lines(write(tmp_path / "a.log", os.urandom(200_000)))


def test_a_table_that_a_loop_printed_is_a_log(tmp_path):
    table = b"fit(2)\nepoch     train_loss  valid_loss\n0         0.912000    0.705102\n1         0.4         0.3\n"
    write(tmp_path / "pets.txt", table)
    write(tmp_path / "notes.txt", b"epoch of losses\nloss of epochs\n")
    assert lines(tmp_path)["source"].to_list() == ["pets.txt"] * 4


@pytest.mark.parametrize(
    ("name", "line", "is_log"),
    [
        ("run7.txt", "tick {n}  kimg {n}.0  time 7m {n}s  sec/tick 41.9  sec/kimg 41.54  gpumem 22.4", True),
        ("run7.json", "tick {n}  kimg {n}.0  time 7m {n}s  sec/tick 41.9  sec/kimg 41.54  gpumem 22.4", False),
        ("notes.txt", "{n}. We measured it in sec/tick and sec/kimg, on one machine.", False),
        ("notes.txt", "Chapter {n}: what a tick costs.", False),
    ],
)
def test_a_loop_that_tells_how_long_its_rounds_take_writes_a_log(tmp_path, name, line, is_log):
    options = 'Training options:\n{\n  "batch": 16,\n  "metrics": [\n    "fid50k_full"\n  ]\n}\n'
    write(tmp_path / name, (options + "".join(line.format(n=n) + "\n" for n in range(40))).encode())
    write(tmp_path / "job.log", b"step 1 loss 2.0\n")
    assert (name in lines(tmp_path)["source"].to_list()) is is_log


def test_large_input_goes_through_a_file_and_reads_the_same(tmp_path, monkeypatch):
    path = write(tmp_path / "a.log", b"".join(b"2026-11-20 18:00:%02d line %d\n" % (i % 60, i) for i in range(5000)))
    small = import_logs([path])
    monkeypatch.setattr("inquest.bundle.imports.rows.MEMORY_LIMIT", 1000)
    large = import_logs([path])
    assert large.scan("log_lines").collect().equals(small.scan("log_lines").collect())
    assert large.tables() == small.tables()
    assert large.info == small.info


_PACK = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
    ".lz4": lambda data: pa.Codec("lz4").compress(data, asbytes=True),
}


@pytest.mark.parametrize("suffix", _PACK)
def test_compressed(tmp_path, suffix):
    data = b"one\ntwo\n"
    packed = _PACK[suffix](data)
    assert lines(write(tmp_path / f"a.log{suffix}", packed))["text"].to_list() == ["one", "two"]


def test_cut_archive_gives_what_came_before(tmp_path):
    packed = gzip.compress(os.urandom(50_000).hex().encode())
    assert lines(write(tmp_path / "a.log.gz", packed[: len(packed) // 2])).height == 1


def test_bomb_is_refused(tmp_path):
    path = tmp_path / "a.log.gz"
    with gzip.open(path, "wb") as out:
        for _ in range(300):
            out.write(b"a" * (1 << 20))
    with pytest.raises(UnsafeInput, match="expands to more than"):
        import_logs([path])


def test_pipe_by_dash(tmp_path):
    code = (
        "from inquest.bundle.logs_import import import_logs;"
        "print(import_logs(['-']).scan('log_lines').collect()['text'].to_list())"
    )
    done = subprocess.run([sys.executable, "-c", code], input="a\nb\n", capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['a', 'b']"


def test_torchrun_log_directory_tells_ranks_and_attempts(tmp_path):
    for attempt, rank in ((0, 0), (0, 10), (0, 2), (1, 0)):
        write(tmp_path / f"run_x/attempt_{attempt}/{rank}/stdout.log", b"hello\n")
    write(tmp_path / "run_x/attempt_0/0/error.json", b"{}")
    frame = lines(tmp_path)
    assert frame.select("source", "rank", "rank_by").rows() == [
        ("run_x/attempt_0/0/stdout.log", 0, "log_dir"),
        ("run_x/attempt_0/2/stdout.log", 2, "log_dir"),
        ("run_x/attempt_0/10/stdout.log", 10, "log_dir"),
        ("run_x/attempt_1/0/stdout.log", 0, "log_dir"),
    ]


def test_local_ranks_of_two_nodes_are_not_taken_for_global_ones(tmp_path):
    for run in ("node_a", "node_b"):
        write(tmp_path / f"{run}/attempt_0/0/stdout.log", b"hello\n")
    assert lines(tmp_path)["rank"].to_list() == [None, None]


@pytest.mark.parametrize(
    ("text", "rank", "rank_by"),
    [
        ("[rank1]: Traceback (most recent call last):", 1, "text"),
        ("[rank3]:[W1120 18:30:25.587974545 reducer.cpp:1529] x", 3, "text"),
        ("[default2]:step 1", 2, "tee_prefix"),
        ("[default2]:[rank7]: ValueError: x", 7, "text"),
        ("[rank0]:[titan] 2026-08-21 21:30:21,123 - root - INFO - x", 0, "tee_prefix"),
        ("[2026-11-20 18:38:51,510] [INFO] [logging.py:123:log_dist] [Rank 4] x", 4, "text"),
        ("[rank: 5] Seed set to 0", 5, "text"),
        ("using rank 3 of the matrix", None, None),
        ("plain", None, None),
    ],
)
def test_rank_of_text(tmp_path, text, rank, rank_by):
    assert lines(write(tmp_path / "a.log", text.encode() + b"\n")).select("rank", "rank_by").row(0) == (rank, rank_by)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("2026-11-20 18:00:01,500 | INFO | x", "2026-11-20 18:00:01.5"),
        ("2026-11-20T18:00:01+02:00 node kernel: x", "2026-11-20 16:00:01"),
        ("[titan] 2026-08-21 21:30:21,123 - root", "2026-08-21 21:30:21.123"),
        ("I0000 00:00:1795200459.378661   22808 port.cc:153] x", "2026-11-20 18:47:39.378661"),
        ("[Fri Nov 20 18:27:16 2026] x", "2026-11-20 18:27:16"),
        ("E321 02:07:08.408271257 x", None),
        ("took 12:13:14 hours", None),
        ("2026-99-99 18:00:01", None),
    ],
)
def test_clock_of_a_line(tmp_path, text, clock):
    found = lines(write(tmp_path / "a.log", b"a log\nof a job\n" + text.encode() + b"\n"))["ts"][2]
    assert (found and re.sub(r"(\.\d*?)0+$", r"\1", found.replace(tzinfo=None).isoformat(" "))) == clock


def test_year_comes_from_the_log_and_clock_carries_on(tmp_path):
    text = b"start\nE321 02:07:08.408271257 x\nno clock\nended 2026-03-21T02:08:00\n"
    assert [str(ts)[:19] if ts else None for ts in lines(write(tmp_path / "a.log", text))["ts"]] == [
        None,
        "2026-03-21 02:07:08",
        "2026-03-21 02:07:08",
        "2026-03-21 02:08:00",
    ]


def test_local_clocks_can_be_shifted(tmp_path):
    path = write(tmp_path / "a.log", b"2026-11-20 18:00:00 x\n")
    assert lines(path, utc_offset_minutes=120)["ts"][0].hour == 16


def test_exit_given_by_the_user_is_a_row(tmp_path):
    store = import_logs([write(tmp_path / "a.log", b"x\n")], exit_code=None, signal=9)
    row = store.scan("processes").collect().row(0, named=True)
    assert (row["event"], row["role"], row["exit_code"], row["term_signal"]) == ("exit", "task", None, 9)


def test_scheduler_and_kernel_text_beside_a_log(tmp_path):
    write(tmp_path / "slurm-7.out", b"step 1 loss 2.0\n")
    write(
        tmp_path / "sacct.txt",
        b"JobID|JobName|State|ExitCode|Start|End|Elapsed|NodeList\n"
        b"7|train|TIMEOUT|0:0|2026-11-20T18:00:00|2026-11-20T19:00:00|01:00:00|node[01-02]\n"
        b"7.0|python|CANCELLED by 1000|0:15|2026-11-20T18:00:01|2026-11-20T19:00:00|00:59:59|node[01-02]\n"
        b"broken line\n",
    )
    write(tmp_path / "dmesg.txt", b"[ 1867.836626] python3 invoked oom-killer: gfp_mask=0xcc0\n[ 1867.900000] x\n" * 3)
    store = import_logs([tmp_path])
    assert set(store.tables()) >= {"log_lines", "kernel_log", "slurm_jobs", "slurm_steps"}
    assert store.info.job_id == "7"
    job = store.scan("slurm_jobs").collect().row(0, named=True)
    assert (job["state"], job["exit_code"], job["elapsed_s"]) == ("TIMEOUT", 0, 3600)
    step = store.scan("slurm_steps").collect().row(0, named=True)
    assert (step["step_id"], step["exit_code"], step["term_signal"]) == ("0", None, 15)


def test_links_and_other_files_are_left_alone(tmp_path):
    outside = write(tmp_path / "outside.log", b"secret\n")
    inside = write(tmp_path / "d/a.log", b"x\n").parent
    (inside / "link.log").symlink_to(outside)
    write(inside / "model.pt", b"\0\1")
    assert lines(inside)["text"].to_list() == ["x"]


def test_order_of_arguments_does_not_matter(tmp_path):
    first, second = write(tmp_path / "a.log", b"1\n"), write(tmp_path / "b/a.log", b"2\n")
    one, other = import_logs([first, second]), import_logs([second, first])
    assert one.scan("log_lines").collect().equals(other.scan("log_lines").collect())
    assert one.info == other.info


def test_errors_are_sentences(tmp_path):
    with pytest.raises(InputError, match="no such file or directory"):
        import_logs([tmp_path / "nothing"])
    with pytest.raises(InputError, match="no log was found"):
        import_logs([tmp_path])
    with pytest.raises(UsageError):
        import_logs([])


def test_the_name_of_a_file_tells_its_node_and_two_nodes_share_no_clock(tmp_path):
    from inquest.analyze.evidence import Evidence

    for name in ("node01.log", "slurm-7.nid000123.out", "dgx-3/stderr.log", "gpu0.log", "node01_node02.log"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("2026-11-20 21:39:05,576 hello\n")
    store = import_logs([tmp_path])
    lines = store.scan("log_lines").collect()
    assert dict(lines.select("source", "node").rows()) == {
        "node01.log": "node01",
        "slurm-7.nid000123.out": "nid000123",
        "dgx-3/stderr.log": "dgx-3",
        "gpu0.log": "unknown",
        "node01_node02.log": "unknown",
    }
    assert store.info.nodes == ("dgx-3", "nid000123", "node01", "unknown")
    assert Evidence(store).before(1, "node01", 10**18, "dgx-3") is None

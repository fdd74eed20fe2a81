"""A folder as it is found after an incident becomes rows: its evidence, nothing else, and every file is told of."""

import gzip
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import polars as pl
import pytest

from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.bundle.imports import KINDS, bundle, files, gates, kinds, reader
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.rows import UNKNOWN_NODE
from inquest.bundle.imports.source import Source
from inquest.bundle.logs_import import ImportedStore
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from inquest.bundle.verify import verify
from tests.bundle.imports.kit import CORPORA, REFERENCE

DATA = Path(__file__).parent / "data"
LOG = b"2026-11-20 18:00:00,000 | INFO | start\n2026-11-20 18:30:00,000 | INFO | step 1 loss 2.0\n"
SACCT = (
    b"JobID|JobName|State|ExitCode|Start|End|Elapsed|NodeList\n"
    b"77|train|FAILED|1:0|2026-11-20T17:59:59|2026-11-20T18:30:01|00:30:02|node[01-02]\n"
)


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def told(imported):
    return {file.name: file for file in imported.report.files}


def make_folder(root):
    """A job's folder with evidence of several kinds, and with what is none."""
    write(root / "logs/slurm-77.out", LOG)
    write(root / "logs/rank3.stderr", b"[rank3]: Traceback (most recent call last):\n[rank3]: ValueError: x\n")
    write(root / "acct", SACCT)
    write(root / "node01/ring.txt", b"[Fri Nov 20 18:27:16 2026] python3 invoked oom-killer: gfp_mask=0xcc0\n" * 3)
    write(root / "node02/dmesg.gz", gzip.compress(b"[ 1867.836626] NVRM: Xid (PCI:0000:4f:00): 79, pid=1\n" * 3))
    write(root / "train.py", b"import torch\nprint('2026-11-20 18:00:00 loading step 1 loss 2.0')\n")
    write(root / "config.json", b'{"step": 1,\n "time": "2026-11-20 18:00:00", "loss": 2.0}\n')
    write(root / "table.csv", b"time,name,price\n" + b"2026-11-20 18:00:00,step 1,2.0\n" * 20)
    write(root / "README.md", b"# step 1\nloss 2.0 at 2026-11-20 18:00:00\n" * 9)
    write(root / "requirements.txt", b"torch==2.9\nnumpy\n")
    write(root / "data/wiki.train.txt", b"the quick brown fox jumps over the lazy dog\n" * 400)
    write(root / "run", b"#!/bin/bash\nsrun python train.py # step 1 loss 2.0\n" * 3)
    write(root / "model.pt", b"PK\x03\x04" + bytes(500))
    write(root / "weights", bytes(range(256)) * 40)
    write(root / "nothing", b"")
    write(root / ".git/HEAD", b"2026-11-20 18:00:00 step 1 loss 2.0\n")
    with tarfile.open(root / "logs.archive", "w") as archive:
        archive.add(root / "train.py", "train.py")
    (root / "link.log").symlink_to(root / "logs/slurm-77.out")
    return root


EVIDENCE = {"logs/slurm-77.out": "log", "logs/rank3.stderr": "log", "acct": "sacct"}
EVIDENCE |= {"node01/ring.txt": "kernel_log", "node02/dmesg.gz": "kernel_log"}


def test_evidence_is_told_by_content_and_the_rest_is_left_with_a_reason(tmp_path):
    imported = import_paths([make_folder(tmp_path)])
    files_told = told(imported)
    assert {name: file.kind for name, file in files_told.items() if file.kind} == EVIDENCE
    left = {name: file.reason for name, file in files_told.items() if not file.kind}
    assert set(left) == {
        *("train.py", "config.json", "table.csv", "README.md", "requirements.txt", "data/wiki.train.txt"),
        *("run", "model.pt", "weights", "nothing", "logs.archive"),
    }
    assert all(left.values())
    assert "source code" in left["train.py"]
    assert "JSON" in left["config.json"]
    assert "unpack" in left["logs.archive"]
    rows = [row for frame in imported.rows.frames("log_lines") for row in frame.iter_rows(named=True)]
    assert {row["source"] for row in rows} == {"logs/slurm-77.out", "logs/rank3.stderr"}
    assert {row["rank"] for row in rows} == {None, 3}
    kernel = pl.concat(list(imported.rows.frames("kernel_log")))
    assert dict(kernel.select("node", "source").iter_rows()) == {
        "node01": "node01/ring.txt",
        "node02": "node02/dmesg.gz",
    }


def test_every_file_is_a_row_of_artifacts_and_every_kind_one_of_collection(tmp_path):
    store = ImportedStore(import_paths([make_folder(tmp_path)]))
    rows = store.scan("artifacts").collect()
    assert rows.height == 16
    by_path = {row["path"]: row for row in rows.iter_rows(named=True)}
    log = by_path["logs/slurm-77.out"]
    assert (log["kind"], log["rows"], log["bytes"], log["reason"]) == ("log", 2, len(LOG), None)
    assert log["sha256"] == hashlib.sha256(LOG).hexdigest()
    assert by_path["train.py"]["reason"] == "source code"
    attempts = store.scan("collection").collect()
    told_of = {(r["collector"], r["node"]): (r["outcome"], r["rows"]) for r in attempts.iter_rows(named=True)}
    assert told_of["import:log", "unknown"] == ("ok", 4)
    assert told_of["import:kernel_log", "node01"] == ("ok", 3)
    assert told_of["import:sacct", "unknown"] == ("ok", 1)


def test_files_are_never_touched(tmp_path):
    root = make_folder(tmp_path / "job")

    def state():
        paths = sorted(p for p in root.rglob("*") if not p.is_dir())
        return [(p, p.lstat().st_mtime_ns, p.read_bytes()) for p in paths]

    before = state()
    bundle.write(import_paths([root]), tmp_path / "a.inquest")
    assert state() == before


def test_the_same_files_give_the_same_bundle_in_any_order_and_twice(tmp_path):
    root = make_folder(tmp_path / "job")
    paths = [root / "logs", root / "acct", root / "node01"]
    digests = set()
    for number, order in enumerate(itertools.permutations(paths)):
        digests.add(bundle.write(import_paths(order), tmp_path / f"{number}.inquest").content_digest)
    assert len(digests) == 1
    twice = merge([tmp_path / "0.inquest", tmp_path / "1.inquest"], tmp_path / "both.inquest")
    assert {twice.content_digest} == digests
    assert sum(twice.duplicates.values()) == sum(twice.rows_out.values())
    assert verify(tmp_path / "both.inquest").ok


def test_a_bundle_holds_what_the_store_holds(tmp_path):
    root = make_folder(tmp_path / "job")
    imported = import_paths([root], exit_code=1)
    merged = bundle.write(imported, tmp_path / "a.inquest")
    store, written = ImportedStore(imported), BundleStore(tmp_path / "a.inquest")
    assert merged.missing_nodes == ()  # node01 and node02 are there
    assert (store.info.job_id, store.info.nodes) == (written.info.job_id, written.info.nodes)
    assert (store.info.start_ns, store.info.end_ns) == (written.info.start_ns, written.info.end_ns)
    assert store.info.missing_nodes == written.info.missing_nodes
    for table in store.tables():
        order = ["node", "seq"]
        one, other = (s.scan(table).sort(order).collect() for s in (store, written))
        assert one.equals(other), table
        assert (one["ts_ns"].is_null() | (one["ts_ns"] == one["ts_mono_ns"])).all()


def test_nodes_of_the_job_that_left_nothing_are_missing(tmp_path):
    write(tmp_path / "job/node01.log", LOG)
    write(tmp_path / "job/acct", SACCT)
    imported = import_paths([tmp_path / "job"])
    assert bundle.write(imported, tmp_path / "a.inquest").missing_nodes == ("node02",)
    assert ImportedStore(imported).info.missing_nodes == ("node02",)


def test_secrets_are_masked_on_the_way_into_a_bundle(tmp_path):
    secret = "hf_" + "abcdefghij" * 4
    key = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "-----END PRIVATE KEY-----"]
    write(tmp_path / "a.log", "\n".join([f"token {secret}", *key]).encode())
    imported = import_paths([tmp_path / "a.log"])
    bundle.write(imported, tmp_path / "a.inquest")
    assert secret.encode() not in (tmp_path / "a.inquest").read_bytes()
    store = BundleStore(tmp_path / "a.inquest")
    texts = store.scan("log_lines").collect()["text"].to_list()
    assert texts == ["token [masked:huggingface]", key[0], "[masked:private_key]", key[2]]
    assert dict(store.scan("redactions").collect().select("rule", "count").iter_rows()) == {
        "huggingface": 1,
        "private_key": 1,
    }
    assert secret in ImportedStore(imported).scan("log_lines").collect()["text"][0]


def test_one_bad_file_costs_only_its_own_rows(tmp_path):
    write(tmp_path / "good.log", LOG)
    with gzip.open(tmp_path / "bomb.log.gz", "wb") as out:
        for _ in range(300):
            out.write(b"x" * (1 << 20) + b"\n")
    imported = import_paths([tmp_path])
    bad = told(imported)["bomb.log.gz"]
    assert bad.kind is None
    assert "expands to more than" in bad.reason
    assert imported.report.rows["log_lines"] == 2
    assert told(imported)["good.log"].reason is None


def test_a_fault_of_a_reader_is_contained_and_said(tmp_path, monkeypatch):
    write(tmp_path / "a.log", LOG)
    write(tmp_path / "acct", SACCT)
    sacct = reader("slurm_sacct")

    def broken(self, source, context):
        raise RuntimeError("a fault")
        yield

    monkeypatch.setattr(type(sacct), "read", broken)
    store = ImportedStore(import_paths([tmp_path]))
    assert "our reader failed (RuntimeError: a fault)" in {f.name: f for f in store.report.files}["acct"].reason
    outcome = store.scan("collection").filter(pl.col("collector") == "import:sacct").collect()["outcome"].to_list()
    assert outcome == ["failed"]
    assert store.scan("log_lines").collect().height == 2


def test_a_cut_archive_gives_what_came_before(tmp_path):
    packed = gzip.compress(os.urandom(50_000).hex().encode().replace(b"00", b"\n"))
    write(tmp_path / "a.log.gz", packed[: len(packed) // 2])
    assert import_paths([tmp_path]).report.rows["log_lines"] > 10


def test_nothing_readable_is_an_error_that_names_the_files(tmp_path):
    write(tmp_path / "train.py", b"x = 1\n")
    write(tmp_path / "w", bytes(range(256)))
    with pytest.raises(InputError, match=r"no file could be read: train.py: source code; w: binary"):
        import_paths([tmp_path])


def test_too_many_files_are_refused_and_what_is_never_opened_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_FILES", 3)
    for number in range(9):
        write(tmp_path / f"{number}.png", b"x")
    for number in range(3):
        write(tmp_path / f"{number}.log", LOG)
    assert import_paths([tmp_path]).report.rows["log_lines"] == 6
    write(tmp_path / "more.log", LOG)
    with pytest.raises(UnsafeInput, match="more than 3 files"):
        import_paths([tmp_path])


def test_the_user_may_say_what_a_file_is(tmp_path):
    write(tmp_path / "notes.md", LOG)
    write(tmp_path / "acct.log", SACCT)
    forced = told(import_paths([tmp_path], overrides=["log=*.md", "log=acct*"]))
    assert {name: file.kind for name, file in forced.items()} == {"notes.md": "log", "acct.log": "log"}
    with pytest.raises(UsageError, match="there is no kind 'lgo'"):
        import_paths([tmp_path], overrides=["lgo=*"])
    with pytest.raises(UsageError, match="write KIND=PATTERN"):
        import_paths([tmp_path], overrides=["log"])


def test_names_keep_what_tells_files_apart(tmp_path):
    for node in ("node01", "node02"):
        write(tmp_path / node / "train.log", LOG)
    frame = ImportedStore(import_paths(sorted(tmp_path.glob("*/train.log")))).scan("log_lines").collect()
    assert frame.select("node", "source").unique().sort("node").rows() == [
        ("node01", "node01/train.log"),
        ("node02", "node02/train.log"),
    ]


def test_hostile_names(tmp_path):
    for name in (b"\xff\xfe.log", b"a\nb\x1b[31m.log", b"[red]x.log", b"-o.log"):
        write(tmp_path / "job" / os.fsdecode(name), LOG)
    imported = import_paths([tmp_path / "job"])
    bundle.write(imported, tmp_path / "a.inquest")
    assert imported.report.rows["log_lines"] == 8
    assert "\ufffd\ufffd.log" in told(imported)
    done = command(tmp_path / "job", "-o", tmp_path / "b.inquest")
    assert done.returncode == 0, done.stderr
    assert "\x1b[31m" not in done.stdout
    assert "[red]x.log" in done.stdout


def test_a_named_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(LOG,))
    writer.start()
    imported = import_paths([pipe])
    writer.join()
    assert imported.report.rows["log_lines"] == 2


@pytest.mark.parametrize(
    ("names", "job"),
    [(["slurm-77.out"], "77"), (["slurm-77_3.out"], "77_3"), (["a.log"], None), (["slurm-7.out", "slurm-8.out"], None)],
)
def test_the_job_is_told_by_the_files(tmp_path, names, job):
    for name in names:
        write(tmp_path / name, LOG)
    imported = import_paths([tmp_path])
    assert imported.report.job_id == job
    assert any("--job" in note for note in imported.report.notes) == (len(names) > 1)
    assert import_paths([tmp_path], job_id="5").report.job_id == "5"


def test_accounting_of_several_jobs_is_imported_and_the_job_left_open(tmp_path):
    write(tmp_path / "acct", SACCT + SACCT.splitlines()[1].replace(b"77|", b"78|") + b"\n")
    imported = import_paths([tmp_path])
    bundle.write(imported, tmp_path / "a.inquest")
    assert BundleStore(tmp_path / "a.inquest").info.job_id is None
    assert "2 jobs (77, 78)" in " ".join(imported.report.notes)
    write(tmp_path / "slurm-78.out", LOG)
    assert import_paths([tmp_path]).report.job_id == "78"


def test_large_input_goes_through_files_and_reads_the_same(tmp_path, monkeypatch):
    for number in range(4):
        lines = [f"2026-11-20 18:{number:02d}:{i % 60:02d} line {i}\n" for i in range(3000)]
        write(tmp_path / f"node0{number % 2}/{number}.log", "".join(lines).encode())
    write(tmp_path / "acct", SACCT)
    small = import_paths([tmp_path])
    one = bundle.write(small, tmp_path / "small.inquest")
    monkeypatch.setattr("inquest.bundle.imports.rows.MEMORY_LIMIT", 20_000)
    monkeypatch.setattr("inquest.bundle.imports.source.CHUNK", 30_000)
    monkeypatch.setattr("inquest.bundle.imports.source.SAMPLE", 5_000)
    large = import_paths([tmp_path / "acct", tmp_path / "node00", tmp_path / "node01"])
    assert bundle.write(large, tmp_path / "large.inquest").content_digest == one.content_digest
    frames = [ImportedStore(i).scan("log_lines").sort("node", "seq").collect() for i in (small, large)]
    assert frames[0].equals(frames[1])


def test_lines_of_a_merged_file_tell_their_nodes_where_the_form_is_certain(tmp_path):
    text = (
        b"starting\n"
        b"node01:11:22 [0] NCCL INFO Bootstrap: Using eth0\n"
        b"node02:33:44 [1] NCCL INFO Bootstrap: Using eth0\n"
        b"[2026-11-20 18:11:14] node02:33:44 [0] file.cc:279 (fn) NCCL WARN x\n"
        b"0: slurmstepd-node01: error: x\n"
        b"note: node03:1:2 is quoted\n"
    )
    frame = ImportedStore(import_paths([write(tmp_path / "a.log", text)], overrides=["log=*"])).scan("log_lines")
    nodes = frame.sort("offset").collect()["node"].to_list()
    assert nodes == ["unknown", "node01", "node02", "node02", "node01", "unknown"]


def test_lines_stay_together_where_only_one_node_is_named(tmp_path):
    text = b"starting\nnode01:11:22 [0] NCCL INFO Bootstrap: Using eth0\nended\n"
    frame = ImportedStore(import_paths([write(tmp_path / "a.log", text)], overrides=["log=*"])).scan("log_lines")
    assert frame.collect()["node"].unique().to_list() == ["unknown"]


# --- the command -----------------------------------------------------------------------------------------------------


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "inquest", "import", *map(str, arguments)], capture_output=True, text=True, **options
    )


def test_import_prints_what_was_read_and_what_was_not(tmp_path):
    out = tmp_path / "a.inquest"
    done = command(make_folder(tmp_path / "job"), "-o", out, env={**os.environ, "COLUMNS": "160"})
    assert done.returncode == 0, done.stderr
    assert "slurm-77.out" in done.stdout
    assert "source code" in done.stdout
    assert "read as UTC" in done.stdout
    assert f"digest {BundleStore(out).info.content_digest}" in done.stdout
    again = command(tmp_path / "job", "-o", out)
    assert (again.returncode, again.stdout) == (2, "")
    assert "--force" in again.stderr


def test_import_reports_as_json_and_reads_a_pipe(tmp_path):
    out = tmp_path / "a.inquest"
    done = command("-", "-o", out, "--json", "--utc-offset", "+02:00", input=LOG.decode())
    report = json.loads(done.stdout)
    assert report["utc_offset_minutes"] == 120
    assert report["rows_out"]["log_lines"] == 2
    assert report["files"][0]["kind"] == "log"
    assert BundleStore(out).scan("log_lines").collect()["ts"][0].hour == 16


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["a.log"], 2, "-o JOB.inquest"),
        (["-o", "a.inquest"], 2, "--job"),
        (["a.log", "-o", "a.inquest", "--utc-offset", "noon"], 2, "no offset from UTC"),
        (["a.log", "-o", "a.inquest", "--utc-offset", "+19:00"], 2, "between -12:00 and +14:00"),
        (["absent", "-o", "a.inquest"], 5, "no such file"),
        (["a.log", "-o", "missing/a.inquest"], 2, "there is no directory"),
    ],
)
def test_import_says_what_is_wrong_in_one_sentence(tmp_path, arguments, code, words):
    write(tmp_path / "a.log", LOG)
    done = command(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_job_that_nobody_can_be_asked_about_is_said(tmp_path):
    done = command("--job", "17", "-o", tmp_path / "a.inquest", env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 5
    assert "Slurm told nothing of the job" in done.stderr
    assert not (tmp_path / "a.inquest").exists()


def test_kinds_are_listed():
    done = command("--list-kinds")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [known.name for known in kinds()]


def test_a_plain_log_loads_no_other_reader(tmp_path):
    code = (
        "import sys; from inquest.bundle.logs_import import import_logs; import_logs([sys.argv[1]]);"
        "print(sorted({'pyarrow', 'sqlite3', 'google', 'pynvml', 'inquest.bundle.imports.syslog'} & set(sys.modules)))"
    )
    path = write(tmp_path / "a.log", LOG)
    assert subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True).stdout == "[]\n"


def test_a_reader_that_claims_a_file_has_its_gate_open():
    claimed = set()
    roots = [DATA, REFERENCE / "slurm", *(root for root in CORPORA.glob("*") if root.name != "real-logs")]
    samples = [
        path for root in roots for path in sorted(root.rglob("*"))[:: 1 if root == DATA else 7] if path.is_file()
    ]
    for path in samples:
        source = Source(str(path), path)
        if not source.head:
            continue
        for module in KINDS:
            if reader(module).fits(source):
                assert module in gates.open_for(source, KINDS), (module, path)
                claimed.add(module)
                break
    assert claimed >= {"log"}


def test_explain_takes_the_zone_and_says_what_it_inferred(tmp_path):
    write(
        tmp_path / "job/a.log",
        b"".join(b"2026-11-20 20:%02d:00,000 | INFO | step %d loss 2.0\n" % (m, m) for m in range(40)),
    )
    write(
        tmp_path / "job/slurmd.log",
        b"".join(b"2026-11-20T18:%02d:00+00:00 node01 slurmd[7]: x\n" % m for m in range(40)),
    )
    write(tmp_path / "job/gpu.csv", b"hour;card;load\n20;1;97\n")
    write(tmp_path / "job/train.py", b"print('step 1')\n")
    explain = [sys.executable, "-m", "inquest", "explain", "--json", str(tmp_path / "job")]
    inferred = subprocess.run(explain, capture_output=True, text=True)
    assert "UTC+02:00: inferred" in inferred.stderr
    given = subprocess.run([*explain, "--utc-offset", "+02:00"], capture_output=True, text=True)
    assert given.stderr == "inquest: not read: gpu.csv (a table of no known kind)\n"
    spans = [json.loads(done.stdout)["bundle"]["end_ns"] for done in (inferred, given)]
    assert spans == [1_795_199_940_000_000_000] * 2
    covered = {row["collector"]: row["detail"] for row in json.loads(given.stdout)["coverage"]}
    assert covered["import"] == "not read: gpu.csv (a table of no known kind)"


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora lie beside the checkout, and are not here")
def test_a_bundle_gets_the_verdict_that_its_files_get(tmp_path):
    from inquest.analyze.engine import analyze
    from inquest.analyze.model import plain

    for folder in sorted((CORPORA / "real-logs").iterdir())[::5]:
        imported = import_paths([folder])
        bundle.write(imported, tmp_path / "a.inquest", force=True)
        verdicts = [
            plain(analyze(store)[0]) for store in (ImportedStore(imported), BundleStore(tmp_path / "a.inquest"))
        ]
        for verdict in verdicts:
            del verdict["bundle"]["content_digest"]
        assert verdicts[0] == verdicts[1], folder.name


def test_a_file_that_goes_away_meanwhile_is_said(tmp_path, monkeypatch):
    write(tmp_path / "a.log", LOG)
    gone = write(tmp_path / "b.log", LOG)
    told_apart = files.told_apart

    def then_gone(*arguments):
        yield from told_apart(*arguments)
        gone.unlink()

    monkeypatch.setattr(files, "told_apart", then_gone)
    imported = import_paths([tmp_path])
    assert "cannot be read" in told(imported)["b.log"].reason
    assert imported.report.rows["log_lines"] == 2


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("nvidia-smi-gpu-12.csv", "gpu-12"),
        ("smi_gpu-12_a.csv", "gpu-12"),
        ("smi-gpu-12-3.csv", None),
        ("smi-gpu-123.csv", None),
    ],
)
def test_readings_of_a_host_that_only_the_name_of_their_file_tells(tmp_path, name, node):
    write(
        tmp_path / "job/sacct.txt",
        b"JobID|State|ExitCode|Start|End|NodeList\n7|COMPLETED|0:0|2026-11-20T20:00:00|2026-11-20T21:00:00|gpu-[11-12]\n",
    )
    write(
        tmp_path / "job" / name,
        b"timestamp, index, utilization.gpu [%], power.draw [W]\n2026/11/20 20:30:00.000, 0, 97 %, 400.00 W\n",
    )
    rows = import_paths([tmp_path / "job"]).rows
    assert rows.nodes_of("gpu_samples") == {node or UNKNOWN_NODE}


def test_what_is_saved_of_a_journal_is_read_whatever_it_is_called(tmp_path):
    """A recorder's own files end so as well, and systemd's are binary."""
    line = b"2026-11-20T20:00:00+0000 n1 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=7, GPU has fallen off the bus.\n"
    write(tmp_path / "job/n1.journal", line * 3)
    write(tmp_path / "job/system.journal", b"LPKSHHRH" + bytes(400))
    write(tmp_path / "job/collection.0.journal", bytes(range(256)))
    write(tmp_path / "job/log-0.raw", b"step 1 loss 2.0\n" * 9)
    told = {report.name: report.kind or report.reason for report in import_paths([tmp_path / "job"]).report.files}
    assert told["n1.journal"] == "kernel_log"
    assert "journalctl --file" in told["system.journal"]
    assert all("inquest merge" in told[name] for name in ("collection.0.journal", "log-0.raw"))

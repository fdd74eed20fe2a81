"""What an operator gathered by hand, under names that tell nothing: each file known for what it is, left as it was."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.errors import InputError
from inquest.bundle.imports import bundle, reader
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.slurm_live import Answer, Attempt, Attempts
from inquest.bundle.logs_import import ImportedStore
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from inquest.render.moments import tell
from samples.simulate.export import export
from samples.simulate.plan import draw

from ..conftest import ROOT

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

HERE = Path(__file__).parent / "data"
READERS = ROOT / "tests" / "bundle" / "imports" / "data"
TRACKERS = ROOT / "samples" / "trackers"
OFFSET = 330

SCRAPE = """\
# HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).
# TYPE DCGM_FI_DEV_GPU_TEMP gauge
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-0",device="nvidia0",modelName="NVIDIA H100",Hostname="gpu01"} 41
"""
SMI = """\
timestamp, index, uuid, utilization.gpu [%], memory.used [MiB]
2026/11/21 07:12:01.000, 0, GPU-0, 98 %, 70000 MiB
"""
NODES = """\
Sat Nov 21 07:14:57 2026
NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON
gpu11n01       1    train*        idle 16     1:16:1  16000        0      1  h100,ib none
"""
QUEUE = """\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
             41014     train addnet-c     root  R       0:19      1 gpu11n01
"""
NCCL = """\
gpu11n01:6500:6612 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>
gpu11n01:6500:6612 [0] NCCL INFO NCCL version 2.29.3+cuda13.0
gpu11n01:6500:6700 [0] NCCL INFO comm 0x55d0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0x1f - Init COMPLETE
"""
JOURNAL = """\
2026-11-21T07:12:05+05:30 gpu11n01 slurmd[812]: Launching batch job 41014 for UID 0
2026-11-21T07:12:08+05:30 gpu11n01 slurmd[812]: sending REQUEST_COMPLETE_BATCH_SCRIPT, error:0 status:15
"""


def every_kind(folder: Path) -> dict[str, str]:
    """Files of every kind whose content tells it, under neutral names; their kinds by name."""
    real = HERE / "cancelled"
    sources: list[tuple[str, bytes]] = [
        ("log", (real / "slurm-41014.out").read_bytes()),
        ("sacct", (real / "acct all.txt").read_bytes()),
        ("slurm-json", (real / "j.json").read_bytes()),
        ("scontrol", (real / "scontrol-job").read_bytes()),
        ("kernel_log", (real / "dmesg-T.txt").read_bytes()),
        ("sinfo", NODES.encode()),
        ("squeue", QUEUE.encode()),
        ("nccl-debug", NCCL.encode()),
        ("journal", JOURNAL.encode()),
        ("prometheus", SCRAPE.encode()),
        ("nvidia-smi-csv", SMI.encode()),
        ("flight-recorder", (READERS / "flight-recorder" / "gloo_trace_2.pkl").read_bytes()),
        ("flight-recorder", (READERS / "flight-recorder" / "gloo_trace_2.json").read_bytes()),
        ("kineto", gzip.decompress((READERS / "kineto" / "trace_0.json.gz").read_bytes())),
        ("tensorboard", next((TRACKERS / "tensorboard" / "nan").iterdir()).read_bytes()),
        ("trainer_state", (TRACKERS / "huggingface" / "nan" / "trainer_state.json").read_bytes()),
        ("lightning_csv", next(TRACKERS.glob("lightning/**/metrics.csv")).read_bytes()),
        ("wandb", next(TRACKERS.glob("wandb/nan/**/*.wandb")).read_bytes()),
    ]
    folder.mkdir()
    kinds = {}
    for number, (kind, content) in enumerate(sources):
        name, packed = f"file{number}", content
        if number % 3 == 1:
            name, packed = f"{name}.gz", gzip.compress(content)
        elif number % 3 == 2:
            name, packed = f"{name}.zst", pa.compress(content, "zstd", asbytes=True)
        (folder / name).write_bytes(packed)
        kinds[name] = kind
    return kinds


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Digest and time of change of each file."""
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_every_kind_under_names_that_tell_nothing(tmp_path: Path) -> None:
    kinds = every_kind(tmp_path / "in")
    before = state(tmp_path / "in")
    imported = import_paths([tmp_path / "in"])
    report = bundle.write(imported, tmp_path / "a.inquest")
    assert {file.name: file.kind for file in imported.report.files} == kinds
    assert not {file.name: file.reason for file in imported.report.files if file.reason}
    assert all(sum(file.rows.values()) for file in imported.report.files)
    # The files in any order, each on its own, are the same evidence.
    again = import_paths(sorted((tmp_path / "in").iterdir(), reverse=True))
    assert bundle.write(again, tmp_path / "b.inquest").content_digest == report.content_digest
    assert state(tmp_path / "in") == before
    assert sum(report.rows_out.values()) == sum(imported.report.rows.values()) + report.rows_out.get("redactions", 0)


def said(verdict: Verdict) -> dict[str, Any]:
    """What a verdict says, without the names of files."""
    return {name: getattr(verdict, name) for name in ("outcome", "family", "sub_mode", "attribution", "culprit_ranks")}


@pytest.mark.parametrize("fault", ["cuda_oom", "ecc", "time_limit"])
def test_names_do_not_make_the_verdict(fault: str, tmp_path: Path) -> None:
    export(draw(fault, 3000), tmp_path / "named", offset_minutes=OFFSET, meta=False)
    (tmp_path / "bare").mkdir()
    for number, path in enumerate(sorted((tmp_path / "named").iterdir())):
        # Whose rank a log of one rank is, its name alone may tell; of which node a kernel log is, too.
        kept = re.fullmatch(r"(rank\d+\.log|.*\.(?:dmesg|kern\.log|dmesg\.txt))", path.name)
        shutil.copy(path, tmp_path / "bare" / (path.name if kept else f"file{number}"))
    named, bare = (import_paths([tmp_path / folder]) for folder in ("named", "bare"))
    assert named.report.offset.minutes == bare.report.offset.minutes == OFFSET
    assert {file.kind for file in named.report.files} == {file.kind for file in bare.report.files}
    verdicts = [said(analyze(ImportedStore(imported), strict=True)[0]) for imported in (named, bare)]
    assert verdicts[0] == verdicts[1]
    assert verdicts[0]["family"] == draw(fault, 3000).truth["family"]


def test_a_cancelled_job_of_a_real_cluster(tmp_path: Path) -> None:
    """One run in two times is one run, and strangers killed on the node before and after did not end it."""
    imported = import_paths([HERE / "cancelled"])
    assert (imported.report.offset.minutes, imported.report.offset.how) == (OFFSET, "inferred")
    bundle.write(imported, tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    assert store.scan("slurm_jobs").collect().height == 1
    verdict, evidence = analyze(store, strict=True)
    assert (verdict.outcome, verdict.sub_mode) == ("outside_families", "user_cancel"), verdict.headline
    drawn = [moment.ts_ns for moment in tell(evidence).moments if moment.table in ("fact_events", "fact_exits")]
    assert drawn
    assert max(drawn) - min(drawn) < 60_000_000_000, "the run is drawn, and not the hours before it"
    assert not {link.family for link in verdict.chain} & {"A2", "F2"}


@pytest.mark.parametrize(("job", "status"), [("41013", "ruled_out"), ("41014", "ruled_in")])
def test_a_kill_in_the_memory_cgroup_of_a_job(job: str, status: str, tmp_path: Path) -> None:
    shutil.copytree(HERE / "cancelled", tmp_path / "in")
    (tmp_path / "in" / "dmesg-T.txt").write_text(
        "[Sat Nov 21 07:12:07 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
        f"oom_memcg=/slurm_gpu11n01/uid_0/job_{job},task_memcg=/slurm_gpu11n01/uid_0/job_{job}/step_0,task=python,"
        "pid=7048,uid=0\n[Sat Nov 21 07:12:07 2026] Memory cgroup out of memory: Killed process 7048 (python) "
        "total-vm:1425232kB, anon-rss:739552kB, file-rss:101068kB, shmem-rss:0kB, UID:0 pgtables:2032kB\n"
    )
    verdict, _ = analyze(ImportedStore(import_paths([tmp_path / "in"])), strict=True)
    assert next(entry.status for entry in verdict.families if entry.family == "A2") == status


def test_a_folder_of_many_jobs(tmp_path: Path) -> None:
    shutil.copytree(HERE / "cancelled", tmp_path / "in")
    (tmp_path / "in" / "slurm-41015.out").write_text("Traceback (most recent call last):\nValueError: another job's\n")
    with (tmp_path / "in" / "acct all.txt").open("a") as file:
        rows = (HERE / "cancelled" / "acct all.txt").read_text().splitlines()[1:]
        file.writelines(row.replace("41014", "41015") + "\n" for row in rows)
    imported = import_paths([tmp_path / "in"], job_id="41014")
    reasons = {file.name: file.reason for file in imported.report.files}
    assert reasons["slurm-41015.out"] == "the log of job 41015"
    assert any("tell of other jobs than 41014 (41015): left out" in note for note in imported.report.notes)
    store = ImportedStore(imported)
    assert set(store.scan("slurm_steps").collect()["job_id"]) == {"41014"}
    assert analyze(store, strict=True)[0].sub_mode == "user_cancel"
    # Named by the user, a file is read whatever it is called.
    named = import_paths([tmp_path / "in" / "slurm-41015.out", tmp_path / "in" / "slurm-41014.out"], job_id="41014")
    assert not [file.reason for file in named.report.files if file.reason]


def test_the_zone_of_the_machine_that_asked_slurm(tmp_path: Path) -> None:
    shutil.copy(HERE / "cancelled" / "slurm-41014.out", tmp_path)
    offset = import_paths([tmp_path], zone_here_minutes=OFFSET).report.offset
    assert (offset.minutes, offset.how) == (OFFSET, "inferred")
    assert "this machine" in offset.why
    # What the files tell comes first.
    assert import_paths([HERE / "cancelled"], zone_here_minutes=0).report.offset.minutes == OFFSET


def test_a_job_that_slurm_does_not_know(tmp_path: Path) -> None:
    """Its nodes and its controller alone are no evidence of a job."""
    attempts = Attempts([Attempt("sacct", "empty", "slurm_jobs", "it knows nothing of the job", None)])
    asked = [(Answer("slurm:sinfo", NODES.encode()), reader("slurm_sinfo")), (Answer("slurm:asked", b""), attempts)]
    with pytest.raises(InputError, match=r"Slurm told nothing of the job.*name the files"):
        import_paths([], asked=asked, job_id="99999")
    (tmp_path / "a.log").write_text("2026-11-21 07:12:08,522 | INFO | step 1\n")
    assert import_paths([tmp_path], asked=asked, job_id="99999").report.job_id == "99999"


def test_imported_files_beside_a_recording(tmp_path: Path) -> None:
    sample = ROOT / "samples" / "recorded" / "data_loader_raises"
    truth = json.loads((sample / "truth.json").read_text())
    (tmp_path / "kern").write_text(
        "[Sat Nov 21 07:12:17 2026] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86\n"
    )
    bundle.write(import_paths([tmp_path / "kern"], utc_offset_minutes=0), tmp_path / "imported.inquest")
    nodes = [sample / "node-a", sample / "node-b"]
    parts = merge(nodes, tmp_path / "recorded.inquest")
    both = merge([tmp_path / "imported.inquest", *nodes], tmp_path / "both.inquest")
    assert sum(both.rows_out.values()) > sum(parts.rows_out.values())
    alone, together = (analyze(BundleStore(tmp_path / f"{name}.inquest"))[0] for name in ("recorded", "both"))
    assert together.family == alone.family == truth["family"]
    assert together.culprit_ranks == alone.culprit_ranks


@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_is_no_wider_than_the_terminal(width: int, tmp_path: Path) -> None:
    deep = tmp_path / "in" / "tlogs" / "c20d8c66-501d-4066-a2ae-2a23d8d18244_a5dyjl33" / "attempt_0" / "0"
    deep.mkdir(parents=True)
    (deep / "stderr.log").write_text("2026-11-21 07:12:08,522 | INFO | step 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "inquest", "import", "in", "-o", "job.inquest"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": str(width), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    table, _, rest = done.stdout.partition("Times without a zone")
    assert max(map(len, table.splitlines())) <= width
    assert "0/stderr.log" in table  # the end tells the rank
    assert "\x1b" not in done.stdout
    assert "--utc-offset" in rest

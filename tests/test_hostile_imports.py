"""Files built to harm, given to ``inquest import`` and ``explain``: read or left with a reason, in bounded memory.

Each goes through the real command line, in a process whose peak of memory is held to a limit.
"""

from __future__ import annotations

import gzip
import json
import os
import pickle
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tests.bundle.test_hostile_bundle import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOG = b"2026-11-20 21:39:05,576 INFO step 1 loss 2.5\n"
DEEP = b"[" * 200_000
WIDE = b"x" * (10 << 20)


def gzip_bomb(path: Path) -> None:
    with gzip.open(path / "slurm-1.out.gz", "wb", compresslevel=9) as file:
        for _ in range(300):
            file.write(LOG + bytes(1 << 20))


def zstd_bomb(path: Path) -> None:
    with pa.CompressedOutputStream(str(path / "slurm-1.out.zst"), "zstd") as out:
        for _ in range(300):
            out.write(LOG + bytes(1 << 20))


def deep_json(path: Path) -> None:
    (path / "trace.json").write_bytes(b'{"traceEvents": ' + DEEP)
    (path / "dump.json").write_bytes(b'{"version": "2.5", "entries": ' + DEEP)
    (path / "slurm.json").write_bytes(b'{"meta": {"Slurm": 1}, "jobs": ' + DEEP)
    (path / "meta.json").write_bytes(b'{"job_id": ' + DEEP)
    (path / "range.json").write_bytes(b'{"status": "success", "data": ' + DEEP)
    (path / "diag.json").write_bytes(b'{"DCGM Diagnostic": ' + DEEP)


def ten_megabyte_names(path: Path) -> None:
    (path / "metrics.csv").write_bytes(b"epoch,step," + WIDE + b"\n0,1,2.5\n")
    (path / "sacct.txt").write_bytes(b"JobID|State|" + WIDE + b"\n1|FAILED|x\n")
    (path / "panel.csv").write_bytes(b'"Time","DCGM_FI_DEV_GPU_TEMP","' + WIDE + b'"\n1795192114000,1,2\n')
    (path / "slurmctld.log").write_bytes(b"[2026-11-20T16:28:34] error: JobId=1 " + WIDE + b"\n")
    (path / "smi.csv").write_bytes(b"timestamp, index, " + WIDE + b"\n2026/11/20 21:39:05.576, 0, 1\n")
    (path / "dcgm.prom").write_bytes(b"# TYPE " + WIDE + b" gauge\n" + WIDE + b'{gpu="0"} 1 1700000000000\n')
    (path / "state.json").write_bytes(json.dumps({"log_history": [{"x" * (10 << 20): 1, "step": 1}]}).encode())


class _Touch:
    """Makes a file when it is unpickled by a reader that runs code."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self._path),)


def pickle_with_code(path: Path) -> None:
    (path / "nccl_trace_rank_0").write_bytes(pickle.dumps({"entries": [_Touch(path / "ran")]}))


def links_out_of_the_folder(path: Path) -> None:
    (path / "slurm-1.out").symlink_to("/etc/passwd")
    (path / "node-a").symlink_to("/etc")


def a_fifo_that_nobody_writes(path: Path) -> None:
    os.mkfifo(path / "slurm-1.out")


HOSTILE = [
    gzip_bomb,
    zstd_bomb,
    deep_json,
    ten_megabyte_names,
    pickle_with_code,
    links_out_of_the_folder,
    a_fifo_that_nobody_writes,
]


@pytest.mark.parametrize("build", HOSTILE, ids=lambda build: build.__name__)
def test_what_harms_is_left_and_the_rest_is_read(build: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / build.__name__
    folder.mkdir()
    build(folder)
    (folder / "healthy.log").write_bytes(LOG * 9)
    out = tmp_path / "job.inquest"
    ((code, text),) = run(["import", str(folder), "-o", str(out)])
    assert code == 0, text
    assert out.exists()
    assert not (folder / "ran").exists()
    ((code, text),) = run(["verify", str(out)])
    assert code == 0, text


@pytest.mark.parametrize("build", [gzip_bomb, zstd_bomb, pickle_with_code], ids=lambda build: build.__name__)
def test_alone_it_is_one_sentence(build: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / build.__name__
    folder.mkdir()
    build(folder)
    (file,) = folder.iterdir()
    ((code, text),) = run(["import", str(file), "-o", str(tmp_path / "job.inquest")])
    assert code == 5, text
    assert text.count("inquest: ") == 1
    assert text.endswith("\n")
    assert text.splitlines()[-1].startswith("inquest: ")
    assert len(text.splitlines()[-1]) < 600
    assert file.name in text
    assert not (tmp_path / "job.inquest").exists()
    assert not (folder / "ran").exists()

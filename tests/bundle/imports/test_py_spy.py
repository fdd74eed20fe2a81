"""Stacks that somebody took of hanging ranks with py-spy, and what only looks like them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._stacks import user_line, waits_for
from inquest.bundle.errors import InputError
from inquest.bundle.imports import gates
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.py_spy import KIND
from inquest.bundle.imports.source import Source
from inquest.bundle.logs_import import import_logs
from tests.bundle.imports.kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "Process 7006: python -u train.py --config base.yaml\nPython v3.11.9 (/opt/conda/bin/python3.11)\n\n"
READS = """\
Thread 7006 (active): "MainThread"
    read (data.py:51)
    __next__ (torch/utils/data/dataloader.py:701)
    main (train.py:200)
    <module> (train.py:301)
Thread 7019 (idle): "Thread-1 (_pin_memory_loop)"
    wait (threading.py:327)
    run (threading.py:982)
"""
WAITS = """\
Thread 0x7F2A4C000740 (active+gil): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2501)
        Arguments:
            tensor: <Tensor at 0x7f2a>
    main (train.py:212)
"""


def test_a_dump_tells_threads_and_their_stacks(tmp_path: Path) -> None:
    path = tmp_path / "rank6.txt"
    path.write_text(HEAD + READS)
    rows = rows_of(KIND, path)
    (main, helper) = rows["stack_samples"]
    assert (main["pid"], main["tid"], main["state"], main["thread_name"]) == (7006, 7006, "active", "MainThread")
    assert helper["tid"] == 7019
    text = next(row["text"] for row in rows["stacks"] if row["stack_id"] == main["stack_id"])
    assert text.splitlines()[:2] == ["read at data.py:51", "__next__ at torch/utils/data/dataloader.py:701"]
    assert "py_spy" in gates.open_for(Source(path.name, path), ["py_spy"])


def test_dumps_behind_each_other_are_of_several_processes(tmp_path: Path) -> None:
    path = tmp_path / "gpu011.txt"
    path.write_text("gpu011, 20 Nov 11:02\n" + HEAD + READS + "\n" + HEAD.replace("7006", "7007") + WAITS)
    rows = rows_of(KIND, path)
    assert [(row["pid"], row["tid"]) for row in rows["stack_samples"]] == [(7006, 7006), (7006, 7019), (7007, 7007)]
    assert rows["stack_samples"][2]["state"] == "active, has the GIL"
    assert "Arguments" not in "".join(row["text"] for row in rows["stacks"])


def in_json(pid: int, *frames: tuple[str, str, int]) -> str:
    told = [{"name": name, "filename": file, "short_filename": file[1:], "line": line} for name, file, line in frames]
    thread = {"pid": pid, "thread_id": 1, "thread_name": "MainThread", "os_thread_id": pid, "active": True}
    return json.dumps([{**thread, "owns_gil": False, "frames": told}], indent=2)


def test_the_same_in_json(tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(in_json(12, ("read", "/home/kim/data.py", 51), ("main", "/home/kim/train.py", 200)))
    rows = rows_of(KIND, path)
    assert [row["tid"] for row in rows["stack_samples"]] == [12]
    assert rows["stacks"][0]["text"] == "read at /home/kim/data.py:51\nmain at /home/kim/train.py:200"
    path.write_text(path.read_text()[:-9])
    with pytest.raises(InputError, match="cut off"):
        list(KIND.read(Source(path.name, path), Context()))


@pytest.mark.parametrize(
    "text",
    [
        "step 1 loss 2.0\n" * 400 + HEAD + READS,  # a log that printed a dump is a log
        "Process 12: python train.py\nstarted\n",
        HEAD + "nothing\n",
        '[{"pid": 12, "command": "python"}]',
        "Thread 7006 (idle): worker\n    at main (train.py:12)\n",
    ],
)
def test_what_is_no_dump(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert not KIND.fits(Source(path.name, path))


def test_files_named_from_their_package_on_are_libraries() -> None:
    text = "wait at threading.py:327\nget at queue.py:171\nsave_async at ckpt.py:41\nmain at train.py:200"
    assert user_line(text) == "save_async at ckpt.py:41"
    assert waits_for(text) == "a lock or another thread"
    assert waits_for("all_reduce at torch/distributed/distributed_c10d.py:2501\nmain at train.py:1") == "a collective"
    # A user's own package is none, whatever its files are called.
    assert user_line("load at mytorch/threading_data.py:3") == "load at mytorch/threading_data.py:3"


def freeze(folder: Path, *, late: int | None) -> None:
    """A time-out of a collective, and a dump of each of four ranks; rank ``late`` stood elsewhere."""
    folder.mkdir()
    clocks = [(k, f"2026-11-20 08:0{k // 6}:{k % 6}0,120") for k in range(1, 30)]
    lines = [f"{clock} INFO train: step {k * 10} loss {3 - k / 50:.3f}" for k, clock in clocks]
    lines += [
        f"[rank{rank}]:[E1120 08:25:0{rank}.100 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective"
        " operation timeout: WorkNCCL(SeqNum=81, OpType=ALLREDUCE, NumelIn=16, NumelOut=16, Timeout(ms)=600000) ran"
        " for 600060 milliseconds before timing out."
        for rank in range(4)
        if rank != 2
    ]
    (folder / "train.log").write_text("\n".join(lines) + "\n")
    for rank in range(4):
        dump = HEAD + (READS if rank == late else WAITS)
        (folder / f"stack_rank{rank}.txt").write_text(dump.replace("7006", str(7000 + rank)))


def test_who_stood_elsewhere_kept_the_others(tmp_path: Path) -> None:
    freeze(tmp_path / "a", late=2)
    verdict, _ = analyze(import_logs([tmp_path / "a"]), strict=True)
    assert (verdict.family, verdict.culprit_ranks, verdict.sub_mode) == ("C2", (2,), "host_stopped")
    assert "data.py:51" in str(verdict.next)
    assert "unknown" not in (*verdict.culprit_nodes, str(verdict.next), verdict.headline)


def test_where_all_wait_alike_stacks_blame_nobody(tmp_path: Path) -> None:
    freeze(tmp_path / "a", late=None)
    verdict, _ = analyze(import_logs([tmp_path / "a"]), strict=True)
    assert verdict.sub_mode != "host_stopped"


@pytest.mark.parametrize(("comms", "culprits"), [(4, (2,)), (2, ())])
def test_nccl_tells_whose_process_was_dumped(tmp_path: Path, comms: int, culprits: tuple[int, ...]) -> None:
    """All four ranks timed out; the dumps name processes, and NCCL their ranks. Of groups of two it names none."""
    freeze(tmp_path / "a", late=2)
    log = (tmp_path / "a" / "train.log").read_text()
    (tmp_path / "a" / "train.log").write_text(
        log + log.splitlines()[-1].replace("ank3]", "ank2]").replace("k 3]", "k 2]")
    )
    for rank in range(4):
        (tmp_path / "a" / f"stack_rank{rank}.txt").rename(tmp_path / "a" / f"dump.{7000 + rank}.txt")
        line = (
            f"gpu31:{7000 + rank}:{7100 + rank} [{rank}] NCCL INFO comm 0x55d{rank} rank {rank % comms} nranks {comms}"
        )
        (tmp_path / "a" / f"nccl.{7000 + rank}").write_text(
            f"gpu31:{7000 + rank}:{7000 + rank} [{rank}] NCCL INFO NCCL version 2.21.5+cuda12.4\n"
            f"{line} cudaDev {rank} nvmlDev {rank} busId {rank + 1}000 commId 0x1f - Init COMPLETE\n"
        )
    verdict, _ = analyze(import_logs([tmp_path / "a"]), strict=True)
    assert (verdict.family, verdict.culprit_ranks) == ("C2", culprits), verdict.headline

"""Power loss: what was not synced may vanish, in part, in any order, or come back as zeros.

Every write, sync, rename, unlink and creation of a recording and its sealing is noted while it really happens. Then
each prefix of these operations is replayed into a directory as a disk could have it after losing power at that
moment, several times with other luck, and read back.
"""

from __future__ import annotations

import functools
import json
import operator
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inquest.bundle import nodedir, rawlog, seal
from inquest.bundle.frames import FrameWriter
from inquest.bundle.journal import Journal

if TYPE_CHECKING:
    import pytest

SEED = 20261120
TRIALS_A_PREFIX = 4


@dataclass
class Disk:
    """Notes what happens to files of one directory, through the calls of ``os`` that our code makes."""

    directory: Path
    operations: list[tuple[Any, ...]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    fds: dict[int, int] = field(default_factory=dict)
    files: int = 0

    def install(self, patch: pytest.MonkeyPatch) -> None:
        real = {
            name: getattr(os, name) for name in ("open", "close", "writev", "write", "ftruncate", "replace", "unlink")
        }
        real |= {name: getattr(os, name) for name in ("fsync", "fdatasync")}

        def known(name: str) -> int:
            if name not in self.names:
                self.files += 1
                self.names[name] = self.files
                self.operations.append(("create", name, self.files))
            return self.names[name]

        def inside(path: Any) -> str | None:
            path = Path(os.fspath(path)) if not isinstance(path, int) else None
            return path.name if path is not None and path.parent == self.directory else None

        def open_(path: Any, flags: int, *rest: Any, **options: Any) -> int:
            fd = int(real["open"](path, flags, *rest, **options))
            if (name := inside(path)) is not None and not flags & os.O_DIRECTORY:
                self.fds[fd] = known(name)
            elif flags & os.O_DIRECTORY and Path(os.fspath(path)) == self.directory:
                self.fds[fd] = 0
            return fd

        def close(fd: int) -> None:
            self.fds.pop(fd, None)
            real["close"](fd)

        def writev(fd: int, parts: Any) -> int:
            if fd in self.fds:
                self.operations.append(("write", self.fds[fd], b"".join(parts)))
            return int(real["writev"](fd, parts))

        def sync(name: str) -> Any:
            def call(fd: int) -> None:
                real[name](fd)
                if self.fds.get(fd) == 0:
                    self.operations.append(("sync_names",))
                elif fd in self.fds:
                    self.operations.append(("sync", self.fds[fd], Path(f"/proc/self/fd/{fd}").read_bytes()))

            return call

        def replace(source: Any, target: Any) -> None:
            real["replace"](source, target)
            if (name := inside(source)) is not None:
                self.names[Path(target).name] = self.names.pop(name)
                self.operations.append(("rename", name, Path(target).name))

        def unlink(path: Any, **options: Any) -> None:
            real["unlink"](path, **options)
            if (name := inside(path)) is not None:
                self.names.pop(name, None)
                self.operations.append(("unlink", name))

        patched = {"open": open_, "close": close, "writev": writev, "replace": replace, "unlink": unlink}
        for name, call in (patched | {"fsync": sync("fsync"), "fdatasync": sync("fdatasync")}).items():
            patch.setattr(os, name, call)


def after_power_loss(
    operations: list[tuple[Any, ...]], chance: random.Random
) -> tuple[dict[str, bytes], dict[int, int]]:
    """Files a disk may hold after ``operations``, and for each file how many of its writes were surely kept."""
    last_names = max((n for n, op in enumerate(operations) if op[0] == "sync_names"), default=-1)
    names: dict[str, int] = {}
    synced: dict[int, bytes] = {}
    writes: dict[int, int] = {}
    kept: dict[int, int] = {}
    pending: dict[int, list[bytes]] = {}
    for number, (kind, *what) in enumerate(operations):
        if kind == "write":
            pending.setdefault(what[0], []).append(what[1])
            writes[what[0]] = writes.get(what[0], 0) + 1
        elif kind == "sync":
            synced[what[0]] = what[1]
            pending[what[0]] = []
            kept[what[0]] = writes.get(what[0], 0)
        elif number < last_names or chance.random() < 0.5:
            if kind == "create":
                names[what[0]] = what[1]
            elif kind == "rename" and what[0] in names:
                names[what[1]] = names.pop(what[0])
            elif kind == "unlink":
                names.pop(what[0], None)
    contents = {}
    for name, file in names.items():
        content = synced.get(file, b"")
        for data in pending.get(file, []):
            luck = chance.randrange(4)
            if luck == 0:
                break
            content += data if luck == 1 else bytes(len(data)) if luck == 2 else data[: chance.randrange(len(data) + 1)]
            if luck == 3:
                break
        contents[name] = content
    return contents, kept


@dataclass
class Recorded:
    """What the recording wrote, per file name: the batches in the order of its frames."""

    capture: Path
    batches: dict[str, list[list[int]]] = field(default_factory=dict)
    output: bytes = b""
    frames: list[int] = field(default_factory=list)
    sealed_from: int = 0


def record(tmp_path: Path, disk: Disk, capture: Path) -> Recorded:
    recorded = Recorded(capture)
    identity = json.loads((capture / "node.json").read_text())
    journal = Journal(capture, identity["capture"], "n1", identity["boot_id"], fsync_interval_s=0.0)
    log = FrameWriter(nodedir.raw_log_path(capture), {"kind": "log"}, fsync_interval_s=0.0)
    number = 0
    for tick in range(4):
        for table, count in (("host_samples", 1), ("gpu_samples", 3)):
            rows = [
                {"ts_mono_ns": number + n, "pcie_gen": tick} if count == 3 else {"ts_mono_ns": number}
                for n in range(count)
            ]
            journal.append(table, rows)
            recorded.batches.setdefault(f"{table}.0.journal", []).append([row["ts_mono_ns"] for row in rows])
            number += count
        line = f"step {tick} of the job\nand a half".encode()
        log.append(rawlog.encode(0, tick, len(recorded.output), line))
        recorded.output += line
        recorded.frames.append(len(recorded.output))
    journal.close()
    log.close()
    recorded.sealed_from = len(disk.operations)
    assert len(seal.seal_capture(capture, raw_logs=True)) == 3
    return recorded


def test_power_loss_at_every_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    capture = Path(nodedir.create_capture(tmp_path / "out", "n1"))
    disk = Disk(capture)
    with monkeypatch.context() as patch:
        disk.install(patch)
        recorded = record(tmp_path, disk, capture)
    kinds = {operation[0] for operation in disk.operations}
    assert kinds == {"create", "write", "sync", "sync_names", "rename", "unlink"}
    identity = (capture / "node.json").read_bytes()
    file_of = {name: file for kind, *rest in disk.operations if kind == "create" for name, file in [rest]}
    chance = random.Random(SEED)
    states: set[str] = set()
    for moment in range(len(disk.operations) + 1):
        for trial in range(TRIALS_A_PREFIX):
            files, kept = after_power_loss(disk.operations[:moment], chance)
            where = f"seed {SEED}, moment {moment} of {len(disk.operations)}, trial {trial}"
            node = tmp_path / f"{moment}-{trial}" / "n1"
            copy = node / capture.name
            copy.mkdir(parents=True)
            (copy / "node.json").write_bytes(identity)
            for name, content in files.items():
                (copy / name).write_bytes(content)
            states |= check(node, recorded, file_of, kept, moment, where)
    assert {"open", "torn", "sealed", "parquet"} <= states


def check(
    node: Path, recorded: Recorded, file_of: dict[str, int], kept: dict[int, int], moment: int, where: str
) -> set[str]:
    from inquest.bundle.recovery import RecoveryReport

    report = RecoveryReport()
    found: dict[str, list[dict[str, Any]]] = {}
    for table, batch in nodedir.recover(node, report):
        found.setdefault(table, []).extend(batch.to_pylist())
    for table, rows in found.items():
        numbers = [row["seq"] for row in rows]
        assert len(numbers) == len(set(numbers)), f"{table} doubled, {where}"
    for name, batches in recorded.batches.items():
        table = name.split(".")[0]
        times = sorted(row["ts_mono_ns"] for row in found.get(table, []))
        possible = [functools.reduce(operator.iadd, batches[:count], []) for count in range(len(batches) + 1)]
        assert times in possible, f"{table} holds rows that were not written so, {where}"
        # Two writes come before the first batch: the header and the schema.
        sure = max(0, kept.get(file_of[name], 0) - 2)
        assert len(times) >= len(functools.reduce(operator.iadd, batches[: min(sure, len(batches))], [])), (
            f"{table} lost synced rows, {where}"
        )
    upto = 0
    for row in found.get("log_lines", []):
        at = row["offset"]
        assert row["text"].encode() == recorded.output[at : at + row["line_bytes"]], where
        upto = max(upto, at + row["line_bytes"])
    sure = min(max(0, kept.get(file_of["log-0.raw"], 0) - 1), len(recorded.frames))
    assert upto >= (recorded.frames[sure - 1] if sure else 0), f"synced output lost, {where}"
    if moment >= recorded.sealed_from:
        assert len(found["host_samples"]) == 4, where
        assert len(found["gpu_samples"]) == 12, where
        assert upto == len(recorded.output), where
    return {segment.state for segment in report.segments}


def test_a_capture_is_durable_before_the_job_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """create_capture syncs node.json and each directory it entered a name into."""
    synced: list[str] = []
    real = os.fsync

    def note(fd: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{fd}").readlink()))
        real(fd)

    monkeypatch.setattr(os, "fsync", note)
    capture = nodedir.create_capture(tmp_path / "out", "n1")
    assert synced == [
        f"{capture}/node.json",
        capture,
        str(tmp_path / "out" / "n1"),
        str(tmp_path / "out"),
        str(tmp_path),
    ]

"""Layout of a node directory: where a recording lives, how one is begun, and the way to read it back.

::

    OUT/NODE/                one node of one job, mode 0700
      CAPTURE/               one recording: <utc date>-<boot 8 hex>-<pid>-<random 4 hex>
        node.json            identity of the recording, written before the job starts
        task.raw             frames of JSON: what the wrapper's parent saw
        log-T.raw            frames of raw log records of task T (log-T.1.raw ... after a restart of the pump)
        TABLE.N.journal      frames of Arrow IPC messages
        TABLE.N.parquet      the same, sealed; log_lines.log-T.parquet and log_gaps.log-T.parquet come from log-T.raw
        TABLE.N.seal         says that the Parquet is whole, and what was masked in it (log-T.seal for a raw log)

Imports the standard library only, because the wrapper's parent needs it before the job starts; reading back is
``inquest.bundle.recovery`` and loads Arrow when it is called.
"""

from __future__ import annotations

import os
import time
import zlib

from inquest.bundle.frames import dump_json, fsync_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any, Final

    import pyarrow as pa

    from inquest.bundle.recovery import RecoveryReport
    from inquest.bundle.sealed import SealedFile

FORMAT: Final = 1
NODE_JSON: Final = "node.json"
TASK_RAW: Final = "task.raw"
RECORDER_ERR: Final = "recorder.err"
"""Why a recorder could not begin."""
MAIL_JSON: Final = "mail.json"
"""What became of the mail at the end."""
DELIVERED: Final = "delivered"
"""Event in TASK_RAW: every pump has ended, so that no part of the raw log is written any more; with ``bytes``, too."""
PRINTED: Final = "printed"
"""Event in TASK_RAW of a wrapper that leaves pumps behind, which may be killed: ``bytes`` of each stream id so far."""
CHECKSUM: Final = "crc32"
_NAME_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def create_capture(
    out: str | Path, node: str, *, fsync: bool = True, facts: Mapping[str, Any] | None = None, sync_names: bool = True
) -> str:
    """Create OUT/NODE/CAPTURE with its ``node.json`` and make both durable.

    ``node.json`` holds ``format, node, boot_id, capture, mono_ns, wall_ns, mask_key, crc32`` and what ``facts`` adds
    (``tool_version``, ``task``, ``job_id``, ``simulated`` ...). ``mask_key`` keys the digests that stand for masked
    secrets; it stays in the node directory and never enters a bundle.

    Args:
        out: Directory of the job; created when missing.
        node: Name of the node, one path component.
        fsync: False to skip syncing (parallel file systems).
        facts: Further JSON-able facts.
        sync_names: False where the caller makes the names in the capture durable himself, with those of more files.

    Returns:
        Path of the capture directory.

    Raises:
        UsageError: ``node`` cannot be the name of a directory.
        OSError: The directory could not be created.
    """
    if not node or node.startswith((".", "-")) or not _NAME_CHARS.issuperset(node) or len(node) > 255:
        from inquest.bundle.errors import UsageError

        raise UsageError(f"{node!r} cannot name a node: use letters, digits, '.', '_' and '-' only.")
    boot_id = read_boot_id()
    node_dir = os.path.join(out, node)  # noqa: PTH118 (pathlib is too slow to import here)
    changed = [node_dir]
    if not os.path.isdir(node_dir):  # noqa: PTH112
        changed.append(os.fspath(out))
    if not os.path.isdir(out):  # noqa: PTH112
        changed.append(os.path.dirname(os.path.abspath(out)))  # noqa: PTH100, PTH120
    os.makedirs(out, exist_ok=True)  # noqa: PTH103
    os.makedirs(node_dir, mode=0o700, exist_ok=True)  # noqa: PTH103
    date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    # tasks in containers may share a pid and a second: the name must differ all the same, as it is part of a row's key
    capture = f"{date}-{(boot_id or '0' * 8)[:8]}-{os.getpid()}-{os.urandom(6).hex()}"
    directory = os.path.join(node_dir, capture)  # noqa: PTH118
    os.mkdir(directory, 0o700)  # noqa: PTH102
    identity = {
        **(facts or {}),
        "format": FORMAT,
        "node": node,
        "boot_id": boot_id,
        "capture": capture,
        "mono_ns": time.monotonic_ns(),
        "wall_ns": time.time_ns(),
        "mask_key": os.urandom(16).hex(),
    }
    identity[CHECKSUM] = checksum(identity)
    path = os.path.join(directory, NODE_JSON)  # noqa: PTH118
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(dump_json(identity) + "\n")
        file.flush()
        if fsync:
            os.fsync(fd)
    if fsync:
        for place in (directory, *changed) if sync_names else changed:
            fsync_dir(place)
    return directory


def checksum(identity: Mapping[str, Any]) -> int:
    """CRC-32 over the facts of ``node.json`` but for itself: a flipped bit must not rename a node."""
    return zlib.crc32(dump_json({k: v for k, v in identity.items() if k != CHECKSUM}).encode())


def read_boot_id() -> str | None:
    """Boot id of this node, or None where the kernel does not tell."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return None


def raw_log_path(capture_dir: str | Path, task: int = 0) -> str:
    """Path for the next part of the raw log of a task: ``log-T.raw``, or ``log-T.N.raw`` when parts exist."""
    part = 0
    while True:
        name = f"log-{task}.raw" if part == 0 else f"log-{task}.{part}.raw"
        path = os.path.join(capture_dir, name)  # noqa: PTH118
        if not os.path.lexists(path):
            return path
        part += 1


def recover(
    node_dir: str | Path, report: RecoveryReport | None = None, *, mask: bool = True
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Everything a node directory holds, as ``(table, batch)``: see :func:`inquest.bundle.recovery.recover`."""
    from inquest.bundle import recovery

    return recovery.recover(node_dir, report, mask=mask)


def recover_files(
    node_dir: str | Path, report: RecoveryReport | None = None, *, mask: bool = True
) -> Iterator[tuple[str, pa.RecordBatch | SealedFile]]:
    """As `recover`, with sealed files unread: see :func:`inquest.bundle.recovery.recover_files`."""
    from inquest.bundle import recovery

    return recovery.recover_files(node_dir, report, mask=mask)

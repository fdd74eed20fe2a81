"""How a job ended by Slurm's word, asked for when its last process has gone: a short recording of its own.

Recorders end with their task, and only then does Slurm settle how the job ended: cancelled, out of time, requeued. Who
stays until the Epilog (``inquest attach --wait``) takes it down, on the job's first node.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from inquest.capture import proc
from inquest.capture.collector import Context, Denied, Missing, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def is_ours(environ: Mapping[str, str], node: str) -> bool:
    """Whether it is for this node to ask: one is enough."""
    from inquest.capture.collectors.slurm import place_of

    return place_of(environ, node) == 0


def take(directory: str, node: str, environ: Mapping[str, str], wait: Callable[[float], bool]) -> None:
    """Ask, and seal what was told.

    Args:
        directory: A new capture directory.
        node: Name of this node.
        environ: Our environment, with that of a task of the job.
        wait: Waits for so many seconds; False when there is no time left.
    """
    from inquest.bundle.journal import Journal
    from inquest.bundle.seal import seal_capture
    from inquest.capture.collectors.slurm import Slurm

    began_ns, path = time.monotonic_ns(), Path(directory)
    context = Context(
        capture_dir=path,
        node=node,
        boot_id=proc.boot_id(),
        child_pid=os.getpid(),
        began_mono_ns=began_ns,
        environ=environ,
        attached=True,
    )
    journal = Journal(path, path.name, node, context.boot_id or None)
    outcome, detail = "ok", "asked how the job ended, after its last process"
    try:
        for table, rows in Slurm().afterwards(context, wait):
            journal.append(table, rows)
    except (Missing, Denied) as error:
        outcome, detail = "missing" if isinstance(error, Missing) else "denied", str(error)
    row: Row = {
        "ts_mono_ns": time.monotonic_ns(),
        "collector": "slurm:afterwards",
        "outcome": outcome,
        "tables": ",".join(Slurm.tables),
        "detail": detail,
        "from_mono_ns": began_ns,
        "to_mono_ns": time.monotonic_ns(),
    }
    journal.append("collection", [row])
    journal.close()
    seal_capture(path)

"""Scratch beside an output: a folder that is locked while it is used, so that what a killed process left is told apart.

A lock (flock) goes with the process that holds it. A folder of ours that nobody locks was left by one that was killed;
where a file system knows no locks, it is left alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def scratch(out: Path) -> Iterator[Path]:
    """A folder beside ``out`` that goes away; those that killed merges into ``out`` left go away first.

    Raises:
        OSError: The folder cannot be made.
    """
    _sweep(out)
    # It gets its lasting name when it is locked: before, another merge would take it for left behind.
    new = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".new", dir=out.parent))
    folder = new.with_suffix(".merge")
    descriptor = os.open(new, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks: nobody will sweep there either
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(folder)
        yield folder
    finally:
        for path in (new, folder):
            shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)


def _sweep(out: Path) -> None:
    name = re.compile(rf"\.{re.escape(out.name)}\.[a-z0-9_]{{8}}\.merge")
    for path in out.parent.iterdir():
        if name.fullmatch(path.name):
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    if os.fstat(descriptor).st_uid == os.geteuid():
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        shutil.rmtree(path)
                finally:
                    os.close(descriptor)

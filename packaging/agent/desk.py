"""Entry point of the single file for the desk: every verb of `inquest`, and what verbs start as their own processes."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import agent


def main(argv: list[str]) -> int:
    """Dispatch as the `inquest` command does, and as ``python -m MODULE`` does for code that starts itself so."""
    if argv[:1] == ["internal-unpack"]:
        return _unpack(Path(argv[1]))
    if argv[:1] and argv[0].startswith("internal-"):
        return agent.main(argv)
    while argv[:1] and argv[0] in ("-E", "-P"):
        argv = argv[1:]
    if argv[:1] == ["-m"]:
        sys.argv = argv[1:]
        runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
        return 0
    from inquest.__main__ import main as inquest

    inquest()
    return 0


def _unpack(folder: Path) -> int:
    """Open the archives of libraries that lie beside this program: xz is denser than what every system can open."""
    import tarfile
    from concurrent.futures import ThreadPoolExecutor

    def open_one(archive: Path) -> None:
        with tarfile.open(archive, "r:xz") as tar:
            tar.extractall(folder.parent)  # without `filter`, which Python 3.11.2 does not know: the archive is our own
        archive.unlink()

    # The largest takes as long as all the others.
    archives = sorted(folder.iterdir(), key=lambda archive: -archive.stat().st_size)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(open_one, archives))
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

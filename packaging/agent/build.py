"""Build dist/inquest-agent: one executable file that records and merges on a node without Python.

    .venv/bin/python packaging/agent/build.py

A trimmed PyInstaller directory inside a self-extracting shell script: what is unpacked on every start (PyInstaller's
own single file) costs each rank of a node a second. PyInstaller lives in a virtual environment of its own under
build/, never among inquest's dependencies. The file needs a glibc as new as the newest symbol any library in it asks
for, which ``--version`` prints: build on the oldest system to be served.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
HERE: Final = ROOT / "packaging" / "agent"
BUILD: Final = ROOT / "build" / "agent"
TARGET: Final = ROOT / "dist" / "inquest-agent"
EXCLUDED: Final = ("polars", "typer", "rich", "jinja2", "perfetto", "google", "sqlglot", "numpy", "pandas", "tkinter")
TRIMMED: Final = (
    "libarrow_flight",
    "libarrow_python_flight",
    "libarrow_s3",
    "_flight.",
    "_s3fs.",
    "_gcsfs.",
    "_azurefs.",
)
"""Parts of Arrow that speak to networks; nothing here does."""
SOURCES: Final = frozenset({".pyx", ".pxd", ".pxi", ".h", ".cc", ".pyi"})
TRIMMED_DIRS: Final = ("tests", "include", "includes", "src")


def main() -> None:
    """Build, then run what was built without an environment and check that it works."""
    python = _build_environment()
    shutil.rmtree(BUILD / "out", ignore_errors=True)
    directory = _freeze(python)
    _trim(directory)
    (directory / "lib" / "glibc").write_text(_glibc_floor(directory))
    payload = _pack(directory)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(stub(payload) + payload)
    TARGET.chmod(0o755)
    _smoke(directory)


def _build_environment() -> Path:
    home = BUILD / "venv"
    python = home / "bin" / "python"
    wanted = [f"{name}=={importlib.metadata.version(name)}" for name in ("pyarrow", "nvidia-ml-py")]
    stamp = home / ".installed"
    if not stamp.exists() or stamp.read_text() != str(wanted):
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "pyinstaller>=6", *wanted], check=True)
        stamp.write_text(str(wanted))
    return python


def _freeze(python: Path) -> Path:
    options = [f"--exclude-module={name}" for name in EXCLUDED]
    subprocess.run(
        [
            python,
            "-m",
            "PyInstaller",
            "--noconfirm",
            "--log-level=WARN",
            "--onedir",
            "--contents-directory=lib",
            "--name=inquest-agent",
            f"--paths={ROOT}",
            "--collect-data=inquest.capture.ebpf",
            f"--distpath={BUILD / 'out'}",
            f"--workpath={BUILD / 'work'}",
            f"--specpath={BUILD}",
            *options,
            HERE / "agent.py",
        ],
        check=True,
    )
    return BUILD / "out" / "inquest-agent"


def _glibc_floor(directory: Path) -> str:
    """Newest symbol version of glibc that any file in the directory names."""
    versions = {(2, 0)}
    for path in directory.rglob("*"):
        if path.is_file() and (path.suffix == ".so" or ".so." in path.name or os.access(path, os.X_OK)):
            found = re.findall(rb"GLIBC_(\d+)\.(\d+)", path.read_bytes())
            versions |= {(int(major), int(minor)) for major, minor in found}
    return ".".join(map(str, max(versions)))


def _trim(directory: Path) -> None:
    for path in sorted((directory / "lib").rglob("*"), reverse=True):
        inside = path.relative_to(directory / "lib").parts
        if path.is_dir() and not path.is_symlink():
            if inside[0] == "pyarrow" and path.name in TRIMMED_DIRS:
                shutil.rmtree(path)
        elif path.name.startswith(TRIMMED) or (inside[0] == "pyarrow" and path.suffix in SOURCES):
            path.unlink()
        elif inside[0].startswith(("libpython", "python3")) and ".so" in path.name and shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", path], check=True)
    # The wheel has three copies of one library; the name the others ask for is the one with the major version only.
    copies = sorted((directory / "lib" / "pyarrow").glob("libarrow_python.so*"), key=lambda path: path.name.count("."))
    for copy in (copies[0], *copies[2:]) if len(copies) == 3 else ():
        copy.unlink()


def _pack(directory: Path) -> bytes:
    """The directory as tar.gz, equal bytes for equal content."""

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        return info

    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for path in sorted(directory.rglob("*")):
            tar.add(path, path.relative_to(directory), recursive=False, filter=plain)
    return subprocess.run(["gzip", "-9n"], input=raw.getvalue(), stdout=subprocess.PIPE, check=True).stdout


def stub(payload: bytes) -> bytes:
    """The script that goes before the payload: it names the payload by its digest, and knows where it begins."""
    text = (HERE / "stub.sh").read_text().replace("@DIGEST@", hashlib.sha256(payload).hexdigest()[:32])
    # The offset is part of what it counts: as many digits as it takes, padded.
    length = len(text.replace("@SKIP@", "0" * 8).encode())
    return text.replace("@SKIP@", f"{length + 1:08d}").encode()


def _smoke(directory: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        clean = ["env", "-i", f"INQUEST_HOME={tmp / 'cache'}", TARGET]

        def run(*argv: str | Path, expected: int = 0) -> float:
            began = time.perf_counter()
            done = subprocess.run([*clean, *argv], check=False, cwd=tmp, stdout=subprocess.PIPE)
            seconds = time.perf_counter() - began
            if done.returncode != expected:
                sys.exit(f"the agent is broken: {' '.join(map(str, argv))} gave {done.returncode}, not {expected}")
            print(done.stdout.decode(), end="")
            return seconds

        first = run("--version")
        warm = min(run("--version") for _ in range(5))
        run("run", "--out", tmp / "rec", "--node", "n1", "--", "sh", "-c", "echo recorded; sleep 1; exit 7", expected=7)
        if not list((tmp / "rec" / "n1").glob("*/host_samples.*")):
            sys.exit("the agent is broken: its recorder wrote no host_samples")
        run("merge", tmp / "rec" / "n1", "-o", tmp / "job.inquest")
        began = time.perf_counter()
        subprocess.run([*clean, "run", "--out", tmp / "rec2", "--node", "n1", "--", "true"], check=True, cwd=tmp)
        whole = time.perf_counter() - began
    unpacked = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"{TARGET}: {TARGET.stat().st_size / 1e6:.1f} MB, {unpacked / 1e6:.0f} MB unpacked")
    print(f"first start {first:.2f} s, warm {1000 * warm:.0f} ms, `run -- true` with recording {whole:.2f} s")


if __name__ == "__main__":
    main()

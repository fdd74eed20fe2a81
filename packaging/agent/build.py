"""Build dist/inquest-agent: one executable file that records and merges on a node without Python.

    .venv/bin/python packaging/agent/build.py

A static launcher (packaging/launcher/) with a trimmed PyInstaller directory behind it. The launcher starts the job
within a millisecond, and then has the directory unpacked, once a machine: what is unpacked on every start
(PyInstaller's own single file) costs each rank of a node a second. PyInstaller lives in a virtual environment of its
own under build/, never among inquest's dependencies. Recording needs a glibc as new as the newest symbol any library in
it asks for, which ``--version`` prints: build on the oldest system to be served. The launcher needs none.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.metadata
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from pathlib import Path
from typing import Final

from inquest.capture import options, profiles, pump, run, status

ROOT: Final = Path(__file__).resolve().parent.parent.parent
HERE: Final = ROOT / "packaging" / "agent"
LAUNCHER: Final = ROOT / "packaging" / "launcher"
BUILD: Final = ROOT / "build" / "agent"
TARGET: Final = ROOT / "dist" / "inquest-agent"
EXCLUDED: Final = (
    *("polars", "typer", "rich", "jinja2", "perfetto", "google", "sqlglot", "numpy", "pandas", "tkinter"),
    *(f"_codecs_{name}" for name in ("cn", "hk", "iso2022", "jp", "kr", "tw")),
)
TRIMMED: Final = (
    "libarrow_flight",
    "libarrow_python_flight",
    "libarrow_s3",
    "_flight.",
    "_s3fs.",
    "_gcsfs.",
    "_azurefs.",
    "_hdfs.",
    "_orc.",
    "_substrait.",
)
"""Parts of Arrow that speak to networks or of formats that nothing here does."""
SOURCES: Final = frozenset({".pyx", ".pxd", ".pxi", ".h", ".cc", ".pyi"})
TRIMMED_DIRS: Final = ("tests", "include", "includes", "src")

_COLLECTORS: Final = "(" + "|".join(map(re.escape, profiles.NAMES)) + ")"
_ADDRESS: Final = "[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+"
SURELY_RIGHT: Final = {
    "out": ".",
    "job_id": ".",
    "node": "^[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$",
    "profile": f"^({'|'.join(options._LOG_BUDGETS)})$",
    "ebpf_backend": f"^({'|'.join(options.EBPF_BACKENDS)})$",
    "only": f"^{_COLLECTORS}(,{_COLLECTORS})*$",
    "skip": f"^{_COLLECTORS}(,{_COLLECTORS})*$",
    "log_budget": "^([89]|[1-9][0-9]{1,4})M$|^[1-9][0-9]{0,3}G$",
    "mail_to": f"^{_ADDRESS}(,{_ADDRESS})*$",
    "mail_from": f"^{_ADDRESS}$",
    "mail_server": "^[A-Za-z0-9.-]+(:[1-9][0-9]{0,3})?$",
    "mail_budget": "^[0-9]{1,9}$",
}
"""Values (POSIX extended) that capture/options.py takes for certain: then the job is started before Python can look.

Other values may be right as well; the launcher leaves them to Python, and the job starts when that has judged them.
"""
NO_AGENT: Final = (
    "the agent cannot be unpacked or started here (no room, a read-only or noexec file system, or a glibc older than "
    "its own); set INQUEST_HOME to a directory of yours where programs may run"
)


def main() -> None:
    """Build, then run what was built without an environment and check that it works."""
    python = _build_environment()
    shutil.rmtree(BUILD / "out", ignore_errors=True)
    directory = _freeze(python)
    _trim(directory)
    (directory / "lib" / "glibc").write_text(_glibc_floor(directory))
    payload = _pack(directory)
    TARGET.parent.mkdir(exist_ok=True)
    needed = [directory / "inquest-agent", directory / "lib" / "base_library.zip", *directory.glob("lib/libpython*")]
    names = tuple(str(path.relative_to(directory)) for path in needed)
    TARGET.write_bytes(launcher(payload, names, BUILD / "launcher") + payload)
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
        elif re.search(r"\.so(\.|$)", path.name) and not path.is_symlink() and shutil.which("strip"):
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


def launcher(payload: bytes, needed: tuple[str, ...], directory: Path) -> bytes:
    """The static program that goes before the payload, compiled in ``directory``.

    Args:
        payload: What it unpacks.
        needed: Files of the payload without which Python does not start.
        directory: Where to compile.
    """
    compiler = next(filter(None, map(shutil.which, ("musl-gcc", "gcc", "cc"))), None)
    if compiler is None:
        sys.exit("the agent's launcher needs a C compiler: install musl-tools (musl-gcc) or gcc.")
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "shared.h").write_text(_shared_header(payload, needed))
    program = directory / "launcher"
    flags = ["-std=gnu11", "-O2", "-static", "-s", "-Wall", "-Wextra", "-Werror", f"-I{directory}"]
    subprocess.run([compiler, *flags, "-o", program, LAUNCHER / "launcher.c"], check=True)
    code = program.read_bytes()
    mark = b"@PAYLOAD-BEGINS-AT@....."
    if code.count(mark) != 1:
        sys.exit("the launcher does not hold the place for the payload's begin exactly once")
    return code.replace(mark, f"{len(code):<{len(mark)}}".encode())


def _shared_header(payload: bytes, needed: tuple[str, ...]) -> str:
    """What launcher.c and capture/ must agree on, from the latter."""
    slots = ["TAKEN", "DELIVERED", "RECORDED", "BUSY", "ENDED", "ORIGIN", "WRITTEN", "DROPPED", "ERRNO", "WRITES"]
    slots += ["APART", "KEPT", "EARLY", "EARLY_END"]
    numbers = {name: getattr(pump, name) for name in (*slots, "EARLY_AT", "EARLY_BYTES", "PIPE_BYTES")}
    numbers |= {name: getattr(pump, name) for name in ("DONE", "BROKEN", "FAILED", "UNKNOWN")}
    numbers |= {name: getattr(status, name) for name in ("NOT_FOUND", "NOT_EXECUTABLE", "OUR_FAILURE")}
    numbers["TERMINAL_STOPS"] = sum(1 << number - 1 for number in run._TERMINAL_STOPS)
    numbers["DEV_NULL"] = run._DEV_NULL
    texts = {
        "DIGEST": hashlib.sha256(payload).hexdigest()[:32],
        "NO_AGENT": NO_AGENT,
        "UNPACK": (LAUNCHER / "unpack.sh").read_text().replace("@NEEDED@", " ".join(map(shlex.quote, needed))),
    }
    lines = ["/* Written by packaging/agent/build.py. */"]
    lines += [f"#define {name} {value}" + ("LL" if abs(value) >> 31 else "") for name, value in numbers.items()]
    lines += [f"#define {name} {json.dumps(text)}" for name, text in texts.items()]
    lines += [f"static const char GONE[] = {{{', '.join(errno.errorcode[number] for number in sorted(pump._GONE))}}};"]
    lines += [f"static const char *const NEEDED[] = {{{', '.join(map(json.dumps, needed))}, 0}};"]
    lines += ["static const struct option { const char *flag, *right; } OPTIONS[] = {"]
    for name, takes_value in options._TAKES_VALUE.items():
        flag = "--" + name.replace("_", "-")
        lines.append(f"    {{{json.dumps(flag)}, {json.dumps(SURELY_RIGHT[name]) if takes_value else 0}}},")
    return "\n".join([*lines, "    {0, 0}};", ""])


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
        run("run", "--out", tmp / "rec", "--node", "n1", "--", "sh", "-c", "echo recorded; sleep 3; exit 7", expected=7)
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

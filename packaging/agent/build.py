"""Build the single files: dist/inquest-agent records and merges on a node, dist/inquest is everything for the desk.

    .venv/bin/python packaging/agent/build.py [inquest-agent | inquest]

Neither needs Python where it runs. Each is a static launcher (packaging/launcher/) with a trimmed PyInstaller directory
behind it. The launcher starts the job within a millisecond, and then has the directory unpacked, once a machine: what
is unpacked on every start (PyInstaller's own single file) costs each rank of a node a second. PyInstaller lives in a
virtual environment of its own under build/, never among inquest's dependencies, with the versions of pins.txt.

All but the launcher needs a glibc as new as the newest symbol any library in the file asks for: build on the oldest
system to be served, or with the Python that interpreter.py compiles for it (`make agent GLIBC=2.28`). The same commit,
Python and system make the same bytes, anywhere and at any time; beside each file lie its bill of materials (CycloneDX)
and the licences of what is in it.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path.append(str(Path(__file__).resolve().parent))

import bill
import interpreter

from inquest.capture import channels, options, profiles, pump, run, status


def _promised_floor() -> str | None:
    """The glibc that interpreter.py compiled the running Python for; None where it is another Python."""
    described = Path(sys.base_prefix) / "lib" / interpreter.BUILT_FROM
    return json.loads(described.read_text())["glibc"] if described.exists() else None


ROOT: Final = Path(__file__).resolve().parent.parent.parent
PROMISED: Final = _promised_floor()
"""Files for an older glibc have folders of their own beside those for this machine's."""
HERE: Final = ROOT / "packaging" / "agent"
LAUNCHER: Final = ROOT / "packaging" / "launcher"
BUILD: Final = ROOT / "build" / (f"agent-{PROMISED}" if PROMISED else "agent")
DIST: Final = ROOT / "dist" / (f"glibc-{PROMISED}" if PROMISED else "")
PINS: Final = HERE / "pins.txt"


WHEELS: Final = (2, 28)
"""Newest glibc that wheels may ask for, whatever the machine has: pip takes the most demanding that fits (PEP 600)."""


@dataclass(frozen=True, slots=True)
class Single:
    """One of the files."""

    name: str
    entry: str
    limit: int
    """Bytes that the file may have."""
    excluded: tuple[str, ...]
    """Modules left out, whoever imports them."""
    included: tuple[str, ...] = ()
    """More arguments for PyInstaller."""
    samples: bool = False
    """Whether it holds what `inquest demo` shows."""
    apart: bool = False
    """Whether the libraries go into archives of their own, twice as dense, which only our own Python opens."""


_NEVER: Final = (
    "numpy",
    "pandas",
    "tkinter",
    "setuptools",
    "pkg_resources",
    "_distutils_hack",
    "pip",
    "readline",
    "distutils",
    "pydoc_data",
)
SINGLES: Final = (
    Single(
        name="inquest-agent",
        entry="agent.py",
        limit=40_000_000,
        excluded=(
            *_NEVER,
            *("polars", "typer", "rich", "jinja2", "perfetto", "google", "sqlglot", "mcp"),
            *("cffi", "_cffi_backend", "pycparser", "typing_extensions", "asyncio", "pyexpat", "xml", "plistlib"),
            *(f"_codecs_{name}" for name in ("cn", "hk", "iso2022", "jp", "kr", "tw")),
        ),
    ),
    Single(
        name="inquest",
        entry="desk.py",
        limit=80_000_000,
        excluded=_NEVER,
        included=(
            *("--collect-submodules=inquest", "--collect-submodules=sqlglot", "--hidden-import=mcp.server"),
            *("--collect-data=inquest.render", "--collect-data=inquest.analyze"),
        ),
        samples=True,
        apart=True,
    ),
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
    "_dataset_orc.",
    "_feather.",
    "_json.",
    "_parquet_encryption.",
    "_dataset_parquet_encryption.",
    "libarrow_python_parquet_encryption",
    "_substrait.",
)
"""Parts of Arrow that speak to networks or of formats that nothing here does."""
SOURCES: Final = frozenset({".pyx", ".pxd", ".pxi", ".h", ".cc", ".pyi"})
TRIMMED_DIRS: Final = ("tests", "include", "includes", "src")
REST: Final = "rest"
"""Name, within a payload, of the folder of libraries' archives; packaging/launcher/unpack.sh has desk.py open them."""
_XZ_FILTERS: Final = {"x86_64": ("--x86",), "aarch64": ("--arm64",)}
_XZ_PRESET: Final = "--lzma2=preset=6,dict=32MiB"  # preset 3 is over the limit

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
_SMOKE_JOB: Final = """
echo recorded
for look in $(seq 1500); do
  set -- rec/n1/*/host_samples.*
  [ -e "$1" ] && exit 7
  sleep 0.2
done
"""
"""Ends once it was sampled: the recorder has the lowest priority, and a machine of load 40 let it wait for a minute."""
TOO_SOON: Final = "not recorded: the job has ended before what this file carries was unpacked; the next will find it"
"""Said half a minute after the end of a job: at the lowest priority, or on a hung disk, it may never be through."""
NO_AGENT: Final = (
    "what this file carries cannot be unpacked or started here (no room, a read-only or noexec file system, or a glibc "
    "older than it needs); set INQUEST_HOME to a directory of yours where programs may run"
)


def main(names: list[str]) -> None:
    """Build, then run what was built without an environment and check that it works."""
    known = {single.name: single for single in SINGLES}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"there is no single file {unknown[0]!r}; there are {', '.join(known)}")
    python = _build_environment()
    for single in [known[name] for name in names] or SINGLES:
        _build(single, python)


def _build(single: Single, python: Path) -> None:
    directory = _freeze(single, python)
    _trim(directory)
    floor = glibc_floor(directory)
    if PROMISED and _version(floor) > _version(PROMISED):
        sys.exit(f"{directory} asks for glibc {floor}; the Python it was built with promises {PROMISED}")
    (directory / "lib" / "glibc").write_text(floor)
    _account(single, directory, python)
    unpacked = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    needed = [directory / single.name, directory / "lib" / "base_library.zip", *directory.glob("lib/libpython*")]
    if single.apart:
        needed += sorted(directory.glob("lib/_polars_runtime*/*.so"))
        _set_apart(directory)
    names = tuple(str(path.relative_to(directory)) for path in needed)
    payload = _pack(directory)
    DIST.mkdir(parents=True, exist_ok=True)
    target = DIST / single.name
    content = launcher(payload, names, BUILD / "launcher" / single.name) + payload
    size = len(content)
    if size > single.limit:
        sys.exit(f"{target} would have {size / 1e6:.1f} MB; the limit is {single.limit / 1e6:.0f} MB")
    target.write_bytes(content)
    target.chmod(0o755)
    times = _smoke(single, target)
    print(
        f"{target}: {size / 1e6:.1f} MB ({unpacked / 1e6:.0f} MB unpacked, once a machine), needs glibc {floor}\n"
        f"sha256 {hashlib.sha256(content).hexdigest()}\n{times}"
    )


def _build_environment() -> Path:
    home = BUILD / "venv"
    python = home / "bin" / "python"
    wanted = f"{sys.version}\n{WHEELS}\n{PINS.read_text()}"
    stamp = home / ".installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        venv.create(home, with_pip=True, clear=True)
        told = f"def manylinux_compatible(*asked):\n    return asked[:2] <= {WHEELS}\n"
        limit = next(home.glob("lib/python3*/site-packages")) / "_manylinux.py"
        limit.write_text(told)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", PINS], check=True)
        limit.unlink()
        stamp.write_text(wanted)
    return python


def _commit_time() -> str:
    """Seconds since 1970: when the source was committed; a build takes the time from nothing else."""
    if told := os.environ.get("SOURCE_DATE_EPOCH"):
        return told
    shown = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(shown, capture_output=True, text=True, check=True).stdout.strip()


def _freeze(single: Single, python: Path) -> Path:
    out = BUILD / "out"
    shutil.rmtree(out / single.name, ignore_errors=True)
    arguments = [f"--exclude-module={name}" for name in single.excluded] + list(single.included)
    if single.samples:
        for folder in ("samples/recorded", "samples/simulate"):
            arguments.append(f"--add-data={_tracked(folder, BUILD / 'data')}:{folder}")
    subprocess.run(
        [
            python,
            "-m",
            "PyInstaller",
            "--noconfirm",
            "--clean",
            "--log-level=WARN",
            "--onedir",
            "--contents-directory=lib",
            f"--name={single.name}",
            f"--paths={ROOT}",
            "--collect-data=inquest.capture.ebpf",
            f"--distpath={out}",
            f"--workpath={BUILD / 'work'}",
            f"--specpath={BUILD}",
            *arguments,
            HERE / single.entry,
        ],
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": _commit_time()},
    )
    return out / single.name


def _tracked(folder: str, into: Path) -> Path:
    """A copy of a folder of the checkout, with nothing that is not committed."""
    shutil.rmtree(into / folder, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, into / name)
    return into / folder


def is_library(path: Path) -> bool:
    """Whether a file is a program or shared library, of which the system's loader must resolve symbols."""
    if path.is_symlink() or not path.is_file() or path.suffix == ".o":
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def glibc_floor(directory: Path) -> str:
    """Newest symbol version of glibc that any program or library in the directory asks the loader for."""
    versions = {"2.0"}
    for path in filter(is_library, directory.rglob("*")):
        told = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout
        needed = told.partition("Version References:")[2]
        versions.update(re.findall(r" GLIBC_(\d+\.\d+)", needed))
    return max(versions, key=_version)


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _trim(directory: Path) -> None:
    for path in sorted((directory / "lib").rglob("*"), reverse=True):
        inside = path.relative_to(directory / "lib").parts
        if path.is_dir() and not path.is_symlink():
            if inside[0] == "pyarrow" and path.name in TRIMMED_DIRS:
                shutil.rmtree(path)
        elif path.name.startswith(TRIMMED) or (inside[0] == "pyarrow" and path.suffix in SOURCES):
            path.unlink()
        elif inside[0].endswith(".dist-info") and path.name != "METADATA":
            path.unlink()  # the others say where and how it was installed; licences are kept together
        elif is_library(path):
            subprocess.run(["strip", "--strip-unneeded", path], check=True)
    # The wheel has three copies of one library; the name the others ask for is the one with the major version only.
    copies = sorted((directory / "lib" / "pyarrow").glob("libarrow_python.so*"), key=lambda path: path.name.count("."))
    for copy in (copies[0], *copies[2:]) if len(copies) == 3 else ():
        copy.unlink()
    for path in (directory / "lib").iterdir():
        if path.is_symlink() and not path.exists():
            path.unlink()  # it led to what was trimmed


def _account(single: Single, directory: Path, python: Path) -> None:
    """Write what the file is made of and under which licences: into the directory, and beside the file."""
    made = subprocess.run(
        [python, "-E", bill.__file__, directory, BUILD / "work" / single.name, _commit_time()], check=False
    )
    if made.returncode:
        sys.exit(made.returncode)
    DIST.mkdir(parents=True, exist_ok=True)
    for name in (bill.BILL, bill.LICENCES):
        shutil.copyfile(directory / name, DIST / f"{single.name}.{name}")


def _set_apart(directory: Path) -> None:
    """Pack all that Python starts without into denser archives, one a folder, so that they are opened side by side."""
    rest = [
        path
        for path in sorted((directory / "lib").iterdir())
        if path.is_dir() and not re.fullmatch(r"python3\.\d+", path.name)
    ]
    # One thread: more would write other bytes. Opening an archive holds the dictionary in memory, too.
    command = ["xz", "--stdout", "--threads=1", *_XZ_FILTERS.get(platform.machine(), ()), _XZ_PRESET]
    (directory / REST).mkdir()

    def pack(folder: Path) -> None:
        packed = archive(directory, [folder, *sorted(folder.rglob("*"))])
        dense = subprocess.run(command, input=packed, stdout=subprocess.PIPE, check=True).stdout
        (directory / REST / f"{folder.name}.tar.xz").write_bytes(dense)
        shutil.rmtree(folder)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(pack, rest))


def archive(directory: Path, paths: list[Path]) -> bytes:
    """Paths of a directory as tar: equal bytes for equal content, whoever made it, when and where."""

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        info.mode = 0o755 if info.isdir() or info.issym() or info.mode & 0o100 else 0o644
        return info

    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in paths:
            tar.add(path, path.relative_to(directory), recursive=False, filter=plain)
    return raw.getvalue()


def _pack(directory: Path) -> bytes:
    raw = archive(directory, sorted(directory.rglob("*")))
    return subprocess.run(["gzip", "-9n"], input=raw, stdout=subprocess.PIPE, check=True).stdout


def launcher(payload: bytes, needed: tuple[str, ...], directory: Path) -> bytes:
    """The static program that goes before the payload, compiled in ``directory``.

    Args:
        payload: What it unpacks.
        needed: Files of the payload without which Python does not start; the first is the program.
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
    slots += ["APART", "KEPT", "EARLY", "EARLY_END", "ZONE"]
    numbers = {name: getattr(pump, name) for name in (*slots, "EARLY_AT", "ZONES", "ZONE_BYTES", "PIPE_BYTES")}
    numbers |= {name: getattr(pump, name) for name in ("DONE", "BROKEN", "FAILED", "UNKNOWN")}
    numbers |= {name: getattr(status, name) for name in ("NOT_FOUND", "NOT_EXECUTABLE", "OUR_FAILURE")}
    numbers["TERMINAL_STOPS"] = sum(1 << number - 1 for number in run._TERMINAL_STOPS)
    numbers["DEV_NULL"] = channels.DEV_NULL
    unpack = (LAUNCHER / "unpack.sh").read_text().replace("@REST@", REST)
    texts = {
        "DIGEST": hashlib.sha256(payload).hexdigest()[:32],
        "NO_AGENT": NO_AGENT,
        "TOO_SOON": TOO_SOON,
        "PROGRAM": needed[0],
        "UNPACK": unpack.replace("@NEEDED@", " ".join(map(shlex.quote, needed))).replace("@PROGRAM@", needed[0]),
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


def _smoke(single: Single, target: Path) -> str:
    """Use the file as on a machine without Python, network or environment; returns how long its starts took."""
    cut = ["unshare", "--net"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:  # a recorder may be at its end
        tmp = Path(name)

        def run(*argv: str | Path, expected: int = 0) -> float:
            began = time.perf_counter()
            done = subprocess.run(
                [*cut, "env", "-i", f"INQUEST_HOME={tmp / 'cache'}", target, *argv],
                check=False,
                cwd=tmp,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
            seconds = time.perf_counter() - began
            if done.returncode != expected:
                sys.stdout.buffer.write(done.stdout)
                sys.exit(f"{target} is broken: {' '.join(map(str, argv))} gave {done.returncode}, not {expected}")
            return seconds

        def there(pattern: str) -> None:
            if not list(tmp.glob(pattern)):
                sys.exit(f"{target} is broken: it wrote no {pattern}")

        first = run("--version")
        warm = min(run("--version") for _ in range(5))
        run("run", "--out", tmp / "rec", "--node", "n1", "--", "sh", "-c", _SMOKE_JOB, expected=7)
        there("rec/n1/*/host_samples.*")
        run("merge", tmp / "rec" / "n1", "-o", tmp / "job.inquest")
        recorded = run("run", "--out", tmp / "rec2", "--node", "n1", "--", "true")
        if single.samples:
            run("demo", "--out", tmp / "demo")  # recorded
            run("demo", "B2", "--out", tmp / "demo")  # simulated: starts a module of its own
            run("analyze", tmp / "demo" / "rank_lost" / "job.inquest", "-o", tmp / "recorded", expected=3)
            there("demo/ecc/report.html")
            there("demo/ecc/timeline.pftrace")
            run("analyze", tmp / "demo" / "ecc" / "job.inquest", "-o", tmp / "again", expected=3)
            there("again/verdict.json")
            run("query", tmp / "job.inquest", "SELECT count(*) FROM host_samples")
            run("verify", tmp / "demo" / "ecc" / "job.inquest", tmp / "again" / "verdict.json")
            run("mcp", tmp / "job.inquest")  # standard input is at its end
            run("doctor", "--json", "--out", tmp)
    return f"first start {first:.2f} s, warm {1000 * warm:.0f} ms, `run -- true` with recording {recorded:.2f} s"


if __name__ == "__main__":
    main(sys.argv[1:])

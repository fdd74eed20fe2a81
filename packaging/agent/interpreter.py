"""Compile the Python that the single files carry for a glibc older than this machine's.

    python3 packaging/agent/interpreter.py 2.28 build/python-2.28

On Debian 12 (x86_64) with dpkg-dev and the network, root or not; ten minutes of two processors. All of it is built from
Debian's own source packages with their security patches: zlib, bzip2, xz, libffi and OpenSSL into static libraries, and
Python with them, shared, as PyInstaller wants it. The compiler is PyPI's ziglang, which carries the symbols of every
glibc since 2.17 and links for the one it is told. The C++ library that Arrow asks for is Debian 11's: it asks for 2.18,
and has all that wheels may ask for (PEP 600).

Nothing of where and when it was built stays in what the single files take. What it was built from is in
``built-from.json`` beside the libraries, for build.py's check and the bill of materials.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import urllib.request
import venv
from pathlib import Path
from typing import Final

ZIG: Final = "ziglang==0.17.1"
RELEASE: Final = "deb-src http://deb.debian.org/debian bookworm main\n"
SECURITY: Final = "deb-src http://deb.debian.org/debian-security bookworm-security main\n"
PYTHON: Final = "python3.11"
SOURCES: Final = ("zlib", "bzip2", "xz-utils", "libffi", "openssl", PYTHON)
POOL: Final = "http://deb.debian.org/debian/pool/main/g/gcc-10/"
CXX: Final = {
    "gcc-10-base_10.2.1-6_amd64.deb": "be65535e94f95fbf04b104e8ab36790476f063374430f7dfc6c516cbe2d2cd1e",
    "libstdc++6_10.2.1-6_amd64.deb": "5c155c58935870bf3b4bfe769116841c0d286a74f59eccfd5645693ac23f06b1",
    "libgcc-s1_10.2.1-6_amd64.deb": "e478f2709d8474165bb664de42e16950c391f30eaa55bc9b3573281d83a29daf",
}
BUILT_FROM: Final = "built-from.json"
_PATCHES: Final = re.compile(r"(CVE-|\d{4}-|relfile-nullptr|shutdown-deadlock|frame_dealloc-crash)")
"""Debian's patches to Python that mend it; the others fit it into Debian."""
_MODULES: Final = ("bz2", "ctypes", "decimal", "lzma", "pyexpat", "ssl", "zlib", "_hashlib")
"""What Python is built without in silence where a library does not suit it."""
_OPENSSL_WITHOUT: Final = tuple(
    f"no-{part}"
    for part in (
        *("shared", "tests", "engine", "async", "legacy", "ssl3", "srp", "cms", "cmp", "ts", "ct", "ocsp", "ec2m"),
        *(
            "aria",
            "bf",
            "camellia",
            "cast",
            "gost",
            "idea",
            "mdc2",
            "rc2",
            "rc4",
            "seed",
            "sm2",
            "sm3",
            "sm4",
            "whirlpool",
        ),
    )
)
"""What no mail server asks for: both modules of Python that want OpenSSL hold a copy."""


def main(glibc: str, prefix: Path) -> None:
    """Build into ``prefix``, unless this very script has.

    Args:
        glibc: Version that everything built may ask for, as in ``2.28``.
        prefix: Folder for ``bin`` and ``lib``; replaced.
    """
    if platform.machine() != "x86_64" or not shutil.which("dpkg-source"):
        sys.exit("a Python for an older glibc is built on x86_64 Debian with dpkg-dev; see docs/deploy.md")
    digest = hashlib.sha256(f"{glibc}\n{Path(__file__).read_text()}".encode()).hexdigest()
    stamp = prefix / "built-by"
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(prefix, ignore_errors=True)
    work = prefix / "work"
    work.mkdir(parents=True)
    env = _compiler(work, glibc)
    folders = _sources(work)
    static = work / "static"
    for folder in ("include", "lib"):
        (static / folder).mkdir(parents=True)
    _libraries(folders, static, env)
    _python(folders[PYTHON], prefix, env)
    parts = [_part(name, folder, prefix) for name, folder in folders.items()]
    parts += [_cxx(work, prefix)]
    (prefix / "lib" / BUILT_FROM).write_text(json.dumps({"glibc": glibc, "parts": parts}, indent=1) + "\n")
    shutil.rmtree(work)
    stamp.write_text(digest)


def _run(folder: Path, env: dict[str, str], *argv: str | Path) -> None:
    """Run a step of a build; its output is kept beside the sources and shown where it fails."""
    log = folder.parent / f"{folder.name}.log"
    with open(log, "ab") as file:
        done = subprocess.run(
            argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False
        )
    if done.returncode:
        told = log.read_text(errors="replace")[-3000:]
        sys.exit(f"{told}\n{' '.join(map(str, argv))} failed in {folder}; all it said is in {log}")


def _compiler(work: Path, glibc: str) -> dict[str, str]:
    """An environment in which ``cc``, ``ar`` and ``ranlib`` build for ``glibc``."""
    venv.create(work / "zig", with_pip=True)
    subprocess.run([work / "zig" / "bin" / "pip", "install", "--quiet", ZIG], check=True)
    (zig,) = (work / "zig").resolve().glob("lib/python3*/site-packages/ziglang/zig")
    tools = work / "tools"
    tools.mkdir()
    for name in ("cc", "ar", "ranlib"):
        target = f" -target x86_64-linux-gnu.{glibc}" if name == "cc" else ""
        (tools / name).write_text(f'#!/bin/sh\nexec {zig} {name}{target} "$@"\n')
        (tools / name).chmod(0o755)
    own = {"CC": "cc", "AR": "ar", "RANLIB": "ranlib", "CFLAGS": "-O2 -fPIC", "LC_ALL": "C"}
    path = f"{tools.resolve()}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(work.resolve()), "MAKEFLAGS": f"-j{os.cpu_count()}", **own}


def _sources(work: Path) -> dict[str, Path]:
    """Debian's source packages, by name; signatures are checked by apt."""
    fetched = work / "sources"
    fetched.mkdir()
    if not _fetch(fetched, work / "apt-security", RELEASE + SECURITY):
        print("Debian's archive of security updates does not give sources: taking those of the last point release")
        for path in fetched.iterdir():
            path.unlink()
        if not _fetch(fetched, work / "apt", RELEASE):
            sys.exit("Debian's archive does not give sources (apt-get source, above)")
    folders = {}
    for name in SOURCES:
        (described,) = fetched.glob(f"{name}_*.dsc")
        folders[name] = fetched / name
        patches = ["--skip-patches"] if name == PYTHON else []
        unpack = ["dpkg-source", "--no-check", *patches, "--extract", str(described), str(folders[name])]
        subprocess.run(unpack, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folders


def _fetch(fetched: Path, apt: Path, suites: str) -> bool:
    """Whether apt, told of nothing but these suites, gave all sources."""
    (apt / "none").mkdir(parents=True)
    (apt / "lists" / "partial").mkdir(parents=True)
    (apt / "sources.list").write_text(suites)
    own = {
        "Dir::Etc::sourcelist": (apt / "sources.list").resolve(),
        "Dir::Etc::sourceparts": (apt / "none").resolve(),
        "Dir::State::Lists": (apt / "lists").resolve(),
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "APT::Sandbox::User": "",
    }
    command = ["apt-get", *(f"-o{name}={value}" for name, value in own.items()), "-qq"]
    if subprocess.run([*command, "update"], check=False).returncode:
        return False
    source = [*command, "source", "--download-only", *SOURCES]
    return subprocess.run(source, cwd=fetched, stdout=subprocess.DEVNULL, check=False).returncode == 0


def _libraries(folders: dict[str, Path], static: Path, env: dict[str, str]) -> None:
    """Compile what Python's modules are linked with, and copy each library and its headers."""
    recipes: dict[str, tuple[list[str], list[str], str, str]] = {
        "zlib": (["./configure", "--static"], ["libz.a"], "libz.a", "z*.h"),
        "bzip2": (
            [],
            ["libbz2.a", "CC=cc", "AR=ar", "RANLIB=ranlib", f"CFLAGS={env['CFLAGS']} -D_FILE_OFFSET_BITS=64"],
            "libbz2.a",
            "bzlib.h",
        ),
        "xz-utils": (["./configure", "--disable-shared", "--disable-nls"], ["-C", "src/liblzma"], "**/liblzma.a", ""),
        "libffi": (
            ["./configure", "--disable-shared", "--disable-docs", "--disable-exec-static-tramp"],
            [],
            "**/libffi.a",
            "*-linux-gnu/include/*.h",
        ),
        "openssl": (
            # Where every distribution has certificates, or a link to them.
            ["./Configure", "linux-x86_64", "--openssldir=/etc/ssl", *_OPENSSL_WITHOUT],
            ["build_libs"],
            "lib*.a",
            "",
        ),
    }
    for name, (configure, targets, libraries, headers) in recipes.items():
        folder = folders[name]
        dated = {**env, "SOURCE_DATE_EPOCH": _dated(folder)}
        if configure:
            _run(folder, dated, *configure)
        _run(folder, dated, "make", *targets)
        for library in folder.glob(libraries):
            shutil.copy(library, static / "lib")
        for header in folder.glob(headers) if headers else ():
            shutil.copy(header, static / "include")
    shutil.copytree(folders["xz-utils"] / "src/liblzma/api", static / "include", dirs_exist_ok=True)
    shutil.copytree(folders["openssl"] / "include/openssl", static / "include/openssl")


def _python(folder: Path, prefix: Path, env: dict[str, str]) -> None:
    """Compile and install Python; paths are relative, so that none of them stays in it."""
    series = (folder / "debian/patches/series").read_text().split()
    for name in filter(_PATCHES.match, series):
        _run(folder, env, "patch", "--strip=1", "--forward", f"--input=debian/patches/{name}")
    # A patch has it use what is declared within Python only; Debian compiles it into Python.
    pyexpat = folder / "Modules/pyexpat.c"
    pyexpat.write_text(f"#define Py_BUILD_CORE_MODULE 1\n{pyexpat.read_text()}")
    setup = folder / "setup.py"
    # It would look into this machine's own headers first.
    setup.write_text(setup.read_text().replace("        self.add_multiarch_paths()\n", ""))
    own = {
        **env,
        "SOURCE_DATE_EPOCH": _dated(folder),
        "CFLAGS": "-Wno-date-time",
        "CPPFLAGS": "-I../../static/include",
        "LDFLAGS": "-L../../static/lib",
        "PKG_CONFIG_LIBDIR": "/nonexistent",
    }
    configure = ["./configure", "--quiet", "--prefix=/usr", "--enable-shared", "--with-openssl=../../static"]
    _run(folder, own, *configure, "--without-static-libpython", "--disable-test-modules", "--with-ensurepip=no")
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("-Wl,-h", "-Wl,-soname,"))  # the one spelling zig knows
    (folder / "empty.c").write_text("")  # it links nothing where it has compiled nothing
    linked = "NO_AS_NEEDED=-Wl,--no-as-needed empty.c"
    _run(folder, own, "make", linked)
    _run(folder, own, "make", linked, "install", f"DESTDIR={(prefix / 'work' / 'root').resolve()}")
    for part in ("bin", "lib"):
        shutil.move(prefix / "work" / "root" / "usr" / part, prefix / part)
    tried = [str(prefix / "bin" / PYTHON), "-c", f"import {', '.join(_MODULES)}"]
    subprocess.run(tried, env={"LD_LIBRARY_PATH": str(prefix / "lib")}, check=True)


def _dated(folder: Path) -> str:
    """When Debian released the source, in seconds since 1970."""
    asked = ["dpkg-parsechangelog", "--show-field", "Timestamp"]
    return subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def _part(name: str, folder: Path, prefix: Path) -> dict[str, object]:
    asked = ["dpkg-parsechangelog", "--show-field", "Version"]
    version = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    return _described(name, version, folder / "debian/copyright", prefix)


def _described(name: str, version: str, licence: Path, prefix: Path) -> dict[str, object]:
    text = prefix / "lib" / "licences" / name
    text.parent.mkdir(exist_ok=True)
    shutil.copyfile(licence, text)
    return {"name": name, "version": version, "text": f"licences/{name}", "files": []}


def _cxx(work: Path, prefix: Path) -> dict[str, object]:
    """Take the C++ library, and the compiler's own, of binary packages of Debian 11."""
    root = work / "cxx"
    for name, expected in CXX.items():
        with urllib.request.urlopen(POOL + name, timeout=120) as answer:
            content = answer.read()
        if hashlib.sha256(content).hexdigest() != expected:
            sys.exit(f"{POOL}{name} is not the package this was written for")
        (work / name).write_bytes(content)
        subprocess.run(["dpkg-deb", "--extract", work / name, root], check=True)
    files = []
    for library in root.glob("**/x86_64-linux-gnu/lib*.so.*"):
        if re.search(r"\.so\.\d+$", library.name):  # the name that others ask for
            shutil.copyfile(library.resolve(), prefix / "lib" / library.name)
            files.append(library.name)
    version = next(iter(CXX)).split("_")[1]
    part = _described("gcc-10", version, root / "usr/share/doc/gcc-10-base/copyright", prefix)
    return part | {"files": sorted(files)}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

"""The single files: archives that are equal bytes everywhere, floors as stated, a bill that holds to its standard."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.capture.agent_kit import REAL_DESK, build, make_single
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

bill = build.bill
SINGLES = {single.name: single for single in build.SINGLES}
UNPACKED = {name: build.BUILD / "out" / name for name in SINGLES}


def built(name: str) -> Path:
    if not (build.DIST / name).exists() or not (UNPACKED[name] / "lib" / "glibc").exists():
        pytest.skip(f"dist/{name} is not built here: make agent")
    return UNPACKED[name]


def tree(place: Path, names: list[str], umask: int) -> Path:
    before = os.umask(umask)
    try:
        for name in names:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
        (place / names[0]).chmod(0o777 & ~umask)
        (place / "link").symlink_to(names[0])
    finally:
        os.umask(before)
    return place


def test_equal_content_makes_equal_archives(tmp_path: Path) -> None:
    """Whoever made it, when, where, in which order and with whatever umask."""
    names = ["b/two", "a", "c/d/three"]
    one = tree(tmp_path / "one", names, 0o022)
    other = tree(tmp_path / "elsewhere" / "other", names[:1] + names[:0:-1], 0o077)
    for path in other.rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    if os.geteuid() == 0:
        os.chown(other / "a", 12, 34)
    assert build._pack(one) == build._pack(other)
    (other / "a").write_text("another")
    assert build._pack(one) != build._pack(other), "negative control"


def test_denser_archives_are_opened_by_our_own_python_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which("xz"):
        pytest.skip("building needs xz")
    names = ["inquest", "lib/python3.11/core", "lib/polars/big", "lib/arrow/c/two", "lib/libpython.so"]
    inside = tree(tmp_path / "inside", names, 0o022)
    (inside / "link").unlink()
    before = {str(path.relative_to(inside)) for path in inside.rglob("*")}
    build._set_apart(inside)
    assert (inside / "lib/python3.11/core").exists(), "what Python starts with stays"
    assert {path.name for path in (inside / build.REST).iterdir()} == {"polars.tar.xz", "arrow.tar.xz"}
    assert not (inside / "lib/polars").exists()
    (inside / "inquest").write_text(REAL_DESK)
    monkeypatch.setenv("INQUEST_HOME", str(tmp_path / "home"))
    program = make_single(tmp_path, build._pack(inside), "inquest", "lib/polars/big")
    first = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert first.stdout.startswith("inquest ")
    (cache,) = (tmp_path / "home").iterdir()
    left = {str(path.relative_to(cache)) for path in cache.rglob("*")}
    assert {name for name in left if not name.startswith("runs-")} == before
    assert (cache / "lib/polars/big").read_text() == "lib/polars/big"


@pytest.mark.parametrize("name", SINGLES)
def test_a_built_file_keeps_to_its_size_and_states_its_floor(name: str) -> None:
    directory = built(name)
    assert (build.DIST / name).stat().st_size <= SINGLES[name].limit
    floor = (directory / "lib" / "glibc").read_text()
    page = " ".join((ROOT / "docs" / "deploy.md").read_text().split())
    (stated,) = re.findall(r"built on Debian 12 needs glibc (\d+\.\d+)", page)
    assert tuple(map(int, floor.split("."))) <= tuple(map(int, stated.split(".")))


def test_eight_first_starts_of_the_built_agent_leave_one_cache_and_clean_removes_it(tmp_path: Path) -> None:
    built("inquest-agent")
    agent, home, tmp = build.DIST / "inquest-agent", tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    tmp.mkdir()
    env = {"HOME": str(home), "TMPDIR": str(tmp), "PATH": os.environ["PATH"]}
    # Named: else it takes what another start may have unpacked in the machine's own /tmp/inquest-UID.
    env["INQUEST_HOME"] = str(home / ".cache" / "inquest")

    def start(number: int) -> subprocess.Popen[bytes]:
        argv = [agent, "run", "--out", tmp_path / "rec", "--node", f"n{number}", "--only", "identity", "--", "sh", "-c"]
        return subprocess.Popen([*argv, f"echo {number}; exit {number}"], env=env, cwd=tmp, stdout=subprocess.PIPE)

    for number, process in enumerate([start(number) for number in range(8)]):
        assert process.communicate()[0] == b"%d\n" % number
        assert process.returncode == number
    assert len(list(tmp_path.glob("rec/n*/*/task.raw"))) == 8
    left = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if len(path.relative_to(tmp_path).parts) <= 4]
    outside = {str(path) for path in left if path.parts[0] != "rec"}
    (cache,) = (name for name in outside if name.count("/") == 3)
    assert cache.startswith("home/.cache/inquest/agent-")
    assert outside == {"home", "tmp", "home/.cache", "home/.cache/inquest", cache}
    subprocess.run([sys.executable, "-m", "inquest", "clean"], env=env, cwd=tmp, check=True, capture_output=True)
    assert list((home / ".cache" / "inquest").iterdir()) == []


def test_the_floor_is_the_newest_symbol_asked_for(tmp_path: Path) -> None:
    if not (shutil.which("gcc") and shutil.which("objdump")):
        pytest.skip("needs gcc and objdump")
    (tmp_path / "one.c").write_text(
        '__asm__(".symver memcpy, memcpy@GLIBC_2.14");\n#include <string.h>\n'
        'const char *said = "GLIBC_9.99";\nvoid *one(void *a, void *b, long n) { return memcpy(a, b, n); }\n'
    )
    made = ["gcc", "-shared", "-fPIC", "-O0", "-fno-builtin", "-o", tmp_path / "one.so", tmp_path / "one.c"]
    if subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("this processor's C library has no memcpy of 2.14")
    assert build.glibc_floor(tmp_path) == "2.14", "a text in it is no symbol"


def test_a_bill_is_made_of_what_was_taken(tmp_path: Path) -> None:
    """A stand-in for what PyInstaller leaves, with this environment's own distributions."""
    import jinja2

    source = jinja2.__file__
    assert source
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "PYZ-00.toc").write_text(repr(("x.pyz", [("jinja2", source, "PYMODULE")])))
    taken = [("jinja2/py.typed", str(source).replace("__init__.py", "py.typed"), "DATA"), ("own", "/nowhere", "DATA")]
    (tmp_path / "work" / "COLLECT-00.toc").write_text(repr((taken,)))
    inside = tmp_path / "inquest"
    (inside / "lib" / "jinja2").mkdir(parents=True)
    (inside / "lib" / "jinja2" / "py.typed").write_text("")
    (inside / "lib" / "own").write_text("mine")
    for _ in range(2):
        bill.main(inside, tmp_path / "work", 1_700_000_000)
        made = (inside / bill.BILL).read_text()
        (inside / bill.BILL).unlink()
    (inside / bill.BILL).write_text(made)
    told = json.loads(made)
    (part,) = [part for part in told["components"] if part["name"] == "Jinja2"]
    assert part["purl"].startswith("pkg:pypi/jinja2@3.")
    assert [file["name"] for file in part["components"]] == ["lib/jinja2/py.typed"]
    assert part["components"][0]["hashes"][0]["content"] == hashlib.sha256(b"").hexdigest()
    assert [file["name"] for file in told["components"] if file["type"] == "file"] == ["lib/own"]
    assert told["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    text = (inside / bill.LICENCES).read_text()
    assert "Jinja2 3." in text
    assert "Redistribution and use in source and binary forms" in text
    assert str(tmp_path) not in text + made, "nothing tells where it was made"
    valid(made)


@pytest.mark.parametrize("name", SINGLES)
def test_the_bill_of_a_built_file_names_every_file_in_it(name: str) -> None:
    directory = built(name)
    text = (directory / bill.BILL).read_text()
    told = json.loads(text)
    named = {
        file["name"]: file["hashes"][0]["content"]
        for part in told["components"]
        for file in (part, *part.get("components", ()))
        if file["type"] == "file"
    }
    # Libraries of the desk's file are packed apart: they are named, and no longer lie here.
    for path in directory.rglob("*"):
        inside = str(path.relative_to(directory))
        if path.is_file() and not path.is_symlink() and not inside.startswith((bill.BILL, bill.LICENCES, build.REST)):
            assert named[inside] == hashlib.sha256(path.read_bytes()).hexdigest()
    names = {part["name"].lower() for part in told["components"]}
    assert {"cpython", "pyarrow", "pyinstaller"} <= names
    assert all(part["licenses"] for part in told["components"] if part["type"] == "library")
    assert (build.DIST / f"{name}.{bill.BILL}").read_text() == text
    valid(text)


def valid(text: str) -> None:
    """Hold a bill to the official schema, where the library that carries it is installed."""
    try:
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator
    except ImportError:
        return
    problem = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
    assert problem is None, problem


def test_what_is_pinned_is_what_the_project_asks_for() -> None:
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    pins = dict(
        line.split("==") for line in build.PINS.read_text().splitlines() if line.strip() and not line.startswith("#")
    )
    pinned = {re.sub("[-_.]+", "-", name).lower(): version for name, version in pins.items()}
    for asked in map(Requirement, requires("inquest") or ()):
        if asked.marker is None or "extra == 'mcp'" in str(asked.marker).replace('"', "'"):
            name = re.sub("[-_.]+", "-", asked.name).lower()
            assert asked.specifier.contains(pinned[name], prereleases=True), name


def test_members_of_an_archive_say_nothing_of_the_builder(tmp_path: Path) -> None:
    inside = tree(tmp_path / "x", ["a"], 0o022)
    with tarfile.open(fileobj=io.BytesIO(build.archive(inside, sorted(inside.rglob("*"))))) as tar:
        for member in tar:
            assert (member.mtime, member.uid, member.gid, member.uname, member.gname) == (0, 0, 0, "", "")

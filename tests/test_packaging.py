"""What is shipped: a wheel that holds only inquest/, an sdist it can be built from again."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from .conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def build(source: Path, out: Path, *kinds: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(out), str(source)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )


def members(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.startswith(f"{wheel.name.split('-')[0]}-")}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree") / "inquest"
    # A copy without build leftovers: setuptools writes beside the source.
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached"], cwd=ROOT, check=True, capture_output=True
    ).stdout.split(b"\0")
    for name in filter(None, listed):
        source, target = ROOT / os.fsdecode(name), tree / os.fsdecode(name)
        if source.is_symlink() or source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_symlink():
                target.symlink_to(source.readlink())
            else:
                target.write_bytes(source.read_bytes())
    out = tmp_path_factory.mktemp("dist")
    build(tree, out)
    return out


def test_the_wheel_holds_only_inquest(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = members(wheel)
    assert {name.split("/")[0] for name in names} == {"inquest"}
    for room in ("capture", "bundle", "analyze", "render"):
        assert f"inquest/{room}/__init__.py" in names
    # Programs for the kernel travel: the bcc backend compiles them on the node.
    strange = [name for name in names if name.endswith((".c", ".so")) and "/ebpf/programs/" not in name]
    strange += [name for name in names if "/test" in name or "_test" in name or "nvml_stub" in name]
    assert not strange
    for arch in ("x86_64", "aarch64"):
        assert f"inquest/capture/ebpf/objects/{arch}/life.bpf.o" in names
    tracked = subprocess.run(
        ["git", "ls-files", "capture", "bundle", "analyze", "render"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    missing = {f"inquest/{name}" for name in tracked.stdout.split()} - names
    assert not missing, "files of the rooms that the wheel lacks"
    with zipfile.ZipFile(wheel) as archive:
        script = archive.read(f"{'-'.join(wheel.name.split('-')[:2])}.data/scripts/inquest").decode()
    assert script == "#!python\nimport sys\n\nfrom inquest.__main__ import main\n\nsys.exit(main())\n"


def test_the_sdist_builds_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = tmp_path.iterdir()
    build(tree, tmp_path / "dist", "--wheel")
    (again,) = (tmp_path / "dist").glob("*.whl")
    assert members(again) == members(wheel)


def test_the_wheel_runs_without_the_checkout(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    out = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            f"import sys; sys.path[:0] = [{str(site)!r}]; import inquest.capture.run as r; print(r.__file__)",
        ],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert out.stdout.startswith(str(site))


def test_it_installs_from_a_carried_wheelhouse_with_the_network_cut(dist: Path, tmp_path: Path) -> None:
    """The desk behind the air gap: wheels made elsewhere, a fresh environment, and no network at all."""
    cut = ["unshare", "-n"]
    if os.geteuid() != 0 or subprocess.run([*cut, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a network namespace needs root (unshare -n)")
    (wheel,) = dist.glob("*.whl")
    house = tmp_path / "wheelhouse"
    fetched = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--only-binary", ":all:", "-d", str(house), str(wheel)],
        capture_output=True,
        text=True,
        check=False,
    )
    if fetched.returncode:
        pytest.skip(f"wheels cannot be fetched here: {fetched.stderr.strip()[-200:]}")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    reach = [*cut, sys.executable, "-c", "import socket; socket.create_connection(('127.0.0.1', 53), 2)"]
    unreachable = subprocess.run(reach, capture_output=True, text=True, check=False).stderr
    assert "Network is unreachable" in unreachable, "negative control: the network is not cut"
    install = [
        *cut,
        str(venv / "bin/pip"),
        "install",
        "-q",
        "--no-compile",
        "--no-index",
        "--find-links",
        str(house),
        "inquest",
    ]
    subprocess.run(install, check=True, capture_output=True)
    log = ROOT / "samples/logs/batch1"
    some = next(path for path in sorted(log.rglob("*")) if path.is_file() and path.suffix in (".log", ".txt", ".out"))
    said = subprocess.run(
        [*cut, str(venv / "bin/inquest"), "explain", str(some)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert said.returncode in (0, 3, 4, 6), said.stderr
    assert "confidence" in said.stdout

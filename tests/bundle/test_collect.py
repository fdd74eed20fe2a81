"""What a node may send, and what becomes of it."""

from __future__ import annotations

import io
import os
import random
import tarfile
from typing import TYPE_CHECKING, BinaryIO, cast

import pytest

from inquest.bundle import collect
from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.bundle.fanout import Via
from tests.bundle.test_merge import record

if TYPE_CHECKING:
    from pathlib import Path

WANTED = {("n0", "c")}
END = b"\ninquest-exit 0\n"


def archive(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def member(
    name: str, data: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname, info.mtime = (
        len(data) if kind == tarfile.REGTYPE else 0,
        kind,
        link,
        1_700_000_000,
    )
    return info, data


def unpack(data: bytes, out: Path, max_bytes: int = 1 << 20) -> collect.Host:
    report = collect.Host("n0")
    with collect._Arrival(out, report, max_bytes=max_bytes) as arrival:
        assert collect._unpack(cast("BinaryIO", io.BytesIO(data)), WANTED, arrival) == 0
    return report


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT, tarfile.PAX_FORMAT])
def test_plain_files_arrive(form: int, tmp_path: Path) -> None:
    big = random.Random(1).randbytes(100_000)
    data = archive(
        member("./n0/c", kind=tarfile.DIRTYPE),
        member("./n0/c/a.raw", big),
        member("./n0/c/empty", b""),
        member("./n0/c/.half.tmp"),
        form=form,
    )
    report = unpack(data + END, tmp_path)
    assert files(tmp_path) == {"n0/c/a.raw": big, "n0/c/empty": b""}
    assert report.fetched == ["n0/c"]
    assert (tmp_path / "n0/c/a.raw").stat().st_mtime == 1_700_000_000
    assert (tmp_path / "n0/c/a.raw").stat().st_mode & 0o777 == 0o600


def test_long_names_arrive(tmp_path: Path) -> None:
    name = "t" * 200 + ".raw"
    unpack(archive(member(f"./n0/c/{name}", b"long")) + END, tmp_path)
    assert files(tmp_path) == {f"n0/c/{name}": b"long"}


HOSTILE = {
    "parent": member("./n0/c/../../../etc/x"),
    "absolute": member("/etc/x"),
    "up": member("../x"),
    "another recording": member("./n0/other/x"),
    "another node": member("./n1/c/x"),
    "beside": member("./collect.json"),
    "deep": member("./n0/c/d/x"),
    "symbolic link": member("./n0/c/x", kind=tarfile.SYMTYPE, link="/etc/passwd"),
    "hard link": member("./n0/c/x", kind=tarfile.LNKTYPE, link="/etc/passwd"),
    "device": member("./n0/c/x", kind=tarfile.CHRTYPE),
    "fifo": member("./n0/c/x", kind=tarfile.FIFOTYPE),
    "newline": member("./n0/c/a\nb"),
    "sparse": member("./n0/c/x", kind=tarfile.GNUTYPE_SPARSE),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_anything_else_is_refused_and_nothing_is_kept(what: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(UnsafeInput):
        unpack(archive(member("./n0/c/good", b"data"), HOSTILE[what]) + END, out)
    assert list(tmp_path.rglob("*")) == [out]


def test_a_file_sent_twice_does_not_follow_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="exists"):
        unpack(archive(member("./n0/c/x", b"1"), member("./n0/c/x", b"2")) + END, tmp_path)
    assert files(tmp_path) == {}


def test_more_than_a_node_may_give_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsafeInput, match="more than it may give"):
        unpack(archive(member("./n0/c/x", bytes(2 << 20))) + END, tmp_path)
    info, _ = member("./n0/c/x")
    info.size = 1 << 40
    with pytest.raises(InputError, match="broke off"):
        unpack(info.tobuf() + b"few", tmp_path)
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    with pytest.raises(UnsafeInput, match="unlikely size"):
        unpack(info.tobuf(), tmp_path)
    assert files(tmp_path) == {}


def test_what_broke_off_keeps_the_recordings_that_were_whole(tmp_path: Path) -> None:
    data = archive(member("./n0/c/x", b"whole"), member("./n0/d/y", bytes(5000)))
    report = collect.Host("n0")
    with pytest.raises(InputError, match="broke off"), collect._Arrival(tmp_path, report) as arrival:
        collect._unpack(cast("BinaryIO", io.BytesIO(data[:2500])), {("n0", "c"), ("n0", "d")}, arrival)
    assert files(tmp_path) == {"n0/c/x": b"whole"}


@pytest.mark.parametrize("seed", range(200))
def test_noise_is_no_archive(seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    data = bytearray(archive(member("./n0/c/x", b"data" * 300)) + END)
    for _ in range(source.randint(1, 20)):
        data[source.randrange(2048)] = source.randrange(256)
    try:
        unpack(bytes(data), tmp_path)
    except InputError:
        assert files(tmp_path) == {}
    assert {path.split("/")[0] for path in files(tmp_path)} <= {"n0"}


def test_a_shared_file_system_is_copied_once_and_again_where_it_grew(tmp_path: Path) -> None:
    source, out = tmp_path / "shared", tmp_path / "out"
    record(source, "n0")
    record(source, "n1")
    first = collect.collect(out, str(source), hosts=["n0", "n1.site", "n2"])
    assert [(host.outcome, len(host.fetched), len(host.kept)) for host in first] == [
        ("ok", 1, 0),
        ("ok", 1, 0),
        ("missing", 0, 0),
    ]
    assert {k: v for k, v in files(out).items() if k != "collect.json"} == files(source)
    journal = next((source / "n1").glob("*/node.json"))
    with journal.open("ab") as file:
        file.write(b" ")
    again = collect.collect(out, str(source))
    assert [(host.host, len(host.fetched), len(host.kept)) for host in again] == [("n0", 0, 1), ("n1", 1, 0)]
    assert {k: v for k, v in files(out).items() if k != "collect.json"} == files(source)
    assert not list(out.glob(".*"))


def test_links_on_a_shared_file_system_are_not_followed(tmp_path: Path) -> None:
    source = tmp_path / "shared"
    record(source, "n0")
    capture = next((source / "n0").iterdir())
    (capture / "secret.raw").symlink_to("/etc/passwd")
    (source / "n1").symlink_to(source / "n0")
    os.mkfifo(capture / "fifo.raw")
    found = collect.collect(tmp_path / "out", str(source))
    assert [host.host for host in found] == ["n0"]
    assert not list((tmp_path / "out").rglob("*.raw"))


def test_only_recordings_of_the_job(tmp_path: Path) -> None:
    record(tmp_path / "shared", "n0")
    with pytest.raises(InputError, match="of job 7"):
        collect.collect(tmp_path / "out", str(tmp_path / "shared"), job_id="7")
    with pytest.raises(UsageError, match="another directory"):
        collect.collect(tmp_path / "shared", str(tmp_path / "shared"))
    with pytest.raises(UsageError, match="not a directory"):
        collect.collect(tmp_path / "out", str(tmp_path / "none"))


def test_the_directory_on_the_node_is_never_a_command() -> None:
    directory = "/tmp/x'; touch /tmp/canary; '$(id) `id`"
    for script in (collect._list_script(directory, "1"), collect._tar_script(directory, WANTED)):
        for via in (Via("ssh"), Via("pdsh"), Via("srun")):
            argv = via.argv("n0", script, connect_s=3)
            assert "n0" in argv or "--nodelist=n0" in argv
    import shlex

    words = shlex.split(collect._list_script(directory, "1").splitlines()[0])
    assert words[:3] == ["cd", "--", directory]


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"format": "inquest-collect/1", "hosts": {"a": 1}}', "[" * 100_000, "\0"]
)
def test_a_report_that_is_none_of_ours(text: str, tmp_path: Path) -> None:
    (tmp_path / "collect.json").write_text(text)
    with pytest.raises(InputError, match="collect again"):
        collect.read_report(tmp_path)

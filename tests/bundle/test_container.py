"""The container: canonical, and nothing else is one."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest

from inquest.bundle import container
from inquest.bundle.container import MANIFEST, Container, Stored
from inquest.bundle.errors import DamagedBundle, InputError, NotABundle, UnsafeInput, UsageError

if TYPE_CHECKING:
    from pathlib import Path

MEMBERS = {"processes.parquet": b"small", "gpu_samples/node=n0.parquet": b"x" * 5000, "stacks.parquet": b""}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    sources = []
    for number, (name, data) in enumerate(MEMBERS.items()):
        source = tmp_path / str(number)
        source.write_bytes(data)
        sources.append((name, source))
    path = tmp_path / "JOB.inquest"
    container.write(path, sources, lambda stored: b'{"members": %d}' % len(stored))
    return path


def test_members_come_back_sorted_aligned_and_whole(bundle: Path) -> None:
    opened = Container.open(bundle)
    opened.check()
    assert [e.name for e in opened.entries] == [*sorted(MEMBERS), MANIFEST]
    for entry in opened.entries:
        assert entry.offset % container.ALIGNMENT == 0
        assert opened.crc_matches(entry)
    assert {name: bytes(opened.member(name)) for name in MEMBERS} == MEMBERS
    assert bytes(opened.member(MANIFEST)) == b'{"members": 3}'


def test_other_zip_readers_agree(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as other:
        assert other.testzip() is None
        assert {name: other.read(name) for name in MEMBERS} == MEMBERS
        assert {i.compress_type for i in other.infolist()} == {zipfile.ZIP_STORED}
    if shutil.which("unzip"):
        assert subprocess.run(["unzip", "-tq", bundle], check=False, capture_output=True).returncode == 0


def test_the_same_members_give_the_same_bytes_in_any_order(bundle: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.inquest"
    sources = [(name, tmp_path / str(number)) for number, name in enumerate(MEMBERS)]
    container.write(other, sources[::-1], lambda stored: b'{"members": %d}' % len(stored))
    assert other.read_bytes() == bundle.read_bytes()


def test_manifest_is_asked_with_digests(tmp_path: Path) -> None:
    source = tmp_path / "a"
    source.write_bytes(b"abc")
    seen: list[tuple[Stored, ...]] = []
    container.write(tmp_path / "b", [("stacks.parquet", source)], lambda stored: (seen.append(stored), b"{}")[1])
    sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert seen == [(Stored("stacks.parquet", 3, sha256),)]


def test_an_existing_file_is_refused_and_kept(bundle: Path) -> None:
    before = bundle.read_bytes()
    with pytest.raises(UsageError, match="--force"):
        container.write(bundle, [], lambda _: b"{}")
    assert bundle.read_bytes() == before
    container.write(bundle, [], lambda _: b"{}", force=True)
    Container.open(bundle).check()


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        container.write(tmp_path / "JOB", [("stacks.parquet", tmp_path / "absent")], lambda _: b"{}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../x.parquet", "/etc/x.parquet", "a/../b.parquet", "a/b/c.parquet", "A.txt", "a\n.parquet"]
)
def test_a_writer_cannot_name_a_member_outside(tmp_path: Path, name: str) -> None:
    source = tmp_path / "a"
    source.touch()
    with pytest.raises(ValueError, match="member name"):
        container.write(tmp_path / "b", [(name, source)], lambda _: b"{}")


def test_what_is_not_a_bundle(tmp_path: Path, bundle: Path) -> None:
    empty, text, other = tmp_path / "empty", tmp_path / "text", tmp_path / "other.zip"
    empty.touch()
    text.write_text("Traceback\n" * 1000)
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("manifest.json", "{}")
    for path in (empty, text, other, tmp_path):
        with pytest.raises(NotABundle, match=str(path)):
            Container.open(path)
    with pytest.raises(InputError, match="No such file"):
        Container.open(tmp_path / "absent")


def test_every_cut_is_found(bundle: Path, tmp_path: Path) -> None:
    whole = bundle.read_bytes()
    path = tmp_path / "cut"
    for length in [*range(0, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(NotABundle if length < 64 else DamagedBundle):
            Container.open(path)


def test_bytes_at_either_end_are_found(bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "more"
    path.write_bytes(bundle.read_bytes() + b"\0")
    with pytest.raises(DamagedBundle):
        Container.open(path)
    path.write_bytes(b"\0" + bundle.read_bytes())
    with pytest.raises(NotABundle):
        Container.open(path)


def test_every_flipped_byte_outside_members_is_found(bundle: Path, tmp_path: Path) -> None:
    whole = bytearray(bundle.read_bytes())
    inside = {i for e in Container.open(bundle).entries for i in range(e.offset, e.offset + e.size)}
    path = tmp_path / "flipped"
    for at in range(len(whole)):
        # Padding is many equal bytes; every seventh of them is enough.
        if at in inside or (whole[at] == 0 and at % 7):
            continue
        whole[at] ^= 1 << at % 8
        path.write_bytes(whole)
        with pytest.raises(InputError):
            Container.open(path).check()
        whole[at] ^= 1 << at % 8


@pytest.mark.parametrize("name", ["../../../../etc/passw", "/etc/cron.d/x123456", "a/../../../b.parquet"])
def test_escaping_names_are_unsafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    class Anything:
        def fullmatch(self, _: str) -> bool:
            return True

    source = tmp_path / "a"
    source.touch()
    with monkeypatch.context() as patch:
        patch.setattr(container, "_MEMBER_NAME", Anything())
        container.write(tmp_path / "evil", [(name, source)], lambda _: b"{}")
    with pytest.raises(UnsafeInput, match="evil holds a member named"):
        Container.open(tmp_path / "evil").check()


def test_a_file_that_is_cut_while_it_is_read_is_named_before_its_bytes_are_touched(bundle: Path) -> None:
    opened = Container.open(bundle)
    with open(bundle, "r+b") as file:
        file.truncate(100)
    with pytest.raises(DamagedBundle, match="changes its size"):
        opened.check()

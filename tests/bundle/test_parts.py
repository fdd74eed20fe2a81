"""Parts: any order joins to the same bytes, and whatever is wrong is refused by name."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from inquest.bundle import parts
from inquest.bundle.errors import DamagedBundle, InputError, UsageError

SIZE = 5000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "J.inquest"
    path.parent.mkdir()
    path.write_bytes(random.Random(7).randbytes(12_345))
    return path


@pytest.fixture
def cut(file: Path, tmp_path: Path) -> list[Path]:
    folder = tmp_path / "medium"
    folder.mkdir()
    return parts.split(file, folder, size=SIZE)


def test_any_order_gives_the_file_back(file: Path, cut: list[Path], tmp_path: Path) -> None:
    assert [path.name for path in cut] == ["J.inquest.001", "J.inquest.002", "J.inquest.003"]
    assert all(path.stat().st_size <= SIZE for path in cut)
    for number, order in enumerate(itertools.permutations(cut)):
        done = parts.join(order, tmp_path / f"out{number}")
        assert done.path.read_bytes() == file.read_bytes()
        assert done.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "medium", *(f"out{n}" for n in range(6))]


def test_the_parts_join_without_inquest(file: Path, cut: list[Path]) -> None:
    joined = subprocess.run(["tail", "-q", "-n", "+2", *cut], capture_output=True, check=True).stdout
    assert joined == file.read_bytes()


@pytest.mark.parametrize("size", [0, 1, SIZE * 3])
def test_small_files_and_whole_multiples(size: int, tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(bytes(size))
    cut = parts.split(file, tmp_path, size=SIZE)
    assert parts.join(cut, tmp_path / "g").path.read_bytes() == bytes(size)


def test_the_default_fits_fat32_with_its_first_line() -> None:
    heads = parts._plan(Path("J.inquest"), 10 << 30, "0" * 64, parts.FAT32_LARGEST)
    assert len(heads) == 3
    assert max(len(head.line()) + head.size for head in heads) <= (1 << 32) - 1
    assert sum(head.size for head in heads) == 10 << 30


def test_names_are_safe_on_fat(tmp_path: Path) -> None:
    file = tmp_path / "job:1 <a>?.inquest"
    file.write_bytes(b"x")
    assert [path.name for path in parts.split(file, tmp_path)] == ["job_1 _a__.inquest.001"]
    assert parts.fat_name("con") == "_con"
    assert parts.fat_name("COM1.inquest") == "_COM1.inquest"
    assert parts.fat_name("console") == "console"


def refused(given: list[Path], out: Path) -> str:
    with pytest.raises(InputError) as error:
        parts.join(given, out)
    assert not out.exists()
    assert not list(out.parent.glob(f".{out.name}*")), "nothing half is left"
    return str(error.value)


def test_a_missing_part_is_named(cut: list[Path], tmp_path: Path) -> None:
    assert "J.inquest.002" in refused([cut[0], cut[2]], tmp_path / "o")
    assert "is not there" in refused([*cut, tmp_path / "J.inquest.004"], tmp_path / "o")


def test_swapped_names_are_named(cut: list[Path], tmp_path: Path) -> None:
    spare = cut[0].with_name("spare")
    cut[0].rename(spare)
    cut[1].rename(cut[0])
    spare.rename(cut[1])
    assert "swapped" in refused(cut, tmp_path / "o")


def test_a_foreign_part_is_named(cut: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "K.inquest"
    other.write_bytes(bytes(12_345))
    (tmp_path / "k").mkdir()
    foreign = parts.split(other, tmp_path / "k", size=SIZE)
    said = refused([foreign[1], cut[0], cut[2]], tmp_path / "o")
    assert str(foreign[1]) in said
    assert "another file" in said
    assert str(other) in refused([cut[0], cut[1], other], tmp_path / "o"), "no part at all"


def test_every_flipped_bit_and_every_cut_is_found(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"evidence")
    one = parts.split(file, tmp_path)[0]
    data = one.read_bytes()
    for at in range(len(data)):
        for bit in range(8):
            one.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :])
            with pytest.raises(InputError):
                parts.join([one], tmp_path / "o")
    for spoiled in (data[:-1], data + b"x", data[:50], b""):
        one.write_bytes(spoiled)
        assert str(one) in refused([one], tmp_path / "o")
    one.write_bytes(data)
    parts.join([one], tmp_path / "o")


def test_damage_is_named_and_leaves_nothing(cut: list[Path], tmp_path: Path) -> None:
    data = bytearray(cut[1].read_bytes())
    data[-1] ^= 1
    cut[1].write_bytes(data)
    with pytest.raises(DamagedBundle, match=r"J\.inquest\.002 is damaged"):
        parts.join(cut, tmp_path / "o")
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("line", [b"[" * 8000, b"{}\n", b'{"format": "inquest-part/2"}\n', b"\xff\n"])
def test_hostile_first_lines(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.001"
    path.write_bytes(line)
    assert str(path) in refused([path], tmp_path / "o")


def test_what_exists_is_kept_without_force(file: Path, cut: list[Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exists"):
        parts.split(file, cut[0].parent, size=SIZE)
    longer = parts.split(file, cut[0].parent, size=20_000, force=True)
    assert sorted(cut[0].parent.iterdir()) == longer, "no part of the earlier cut stays"
    out = tmp_path / "o"
    out.write_bytes(b"mine")
    with pytest.raises(UsageError, match="exists"):
        parts.join(longer, out)
    assert out.read_bytes() == b"mine"
    parts.join(longer, out, force=True)
    assert out.read_bytes() == file.read_bytes()


def test_a_part_given_twice_is_one(cut: list[Path], file: Path, tmp_path: Path) -> None:
    assert parts.join([*cut, cut[0]], tmp_path / "o").path.read_bytes() == file.read_bytes()


def test_too_many_parts_are_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--size"):
        parts.split(file, tmp_path, size=100)
    with pytest.raises(UsageError, match="is not a file"):
        parts.split(tmp_path, tmp_path)


@pytest.mark.parametrize("verb", ["split", "join"])
def test_killed_in_the_middle(verb: str, file: Path, cut: list[Path], tmp_path: Path) -> None:
    """A kill while bytes move leaves nothing under a final name, and the next call clears up."""
    folder = tmp_path / "new"
    folder.mkdir()
    call = {
        "split": f"parts.split(Path({str(file)!r}), Path({str(folder)!r}), size={SIZE}, progress=stop)",
        "join": f"parts.join([Path(p) for p in {[str(p) for p in cut]!r}], Path({str(folder / 'o')!r}), progress=stop)",
    }[verb]
    code = textwrap.dedent(
        f"""
        import time
        from pathlib import Path
        from inquest.bundle import parts
        def stop(done, total):
            if done > total * 0.7:
                print("in the middle", flush=True)
                time.sleep(600)
        {call}
        """
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "in the middle\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert all(path.name.startswith(".") for path in folder.iterdir())
    for _ in range(50):  # the lock of a killed process goes away with it
        if verb == "split":
            parts.split(file, folder, size=SIZE, force=True)
            expected = [path.name for path in cut]
        else:
            parts.join(cut, folder / "o", force=True)
            expected = ["o"]
        if sorted(path.name for path in folder.iterdir()) == expected:
            return
        time.sleep(0.1)
    assert sorted(path.name for path in folder.iterdir()) == expected

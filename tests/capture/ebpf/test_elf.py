"""Where functions lie in libraries, however these were linked, and how a probe there would be served."""

from __future__ import annotations

import contextlib
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from inquest.capture.ebpf import elf
from inquest.capture.ebpf.functions import FUNCTIONS
from tests.capture.ebpf.kit import SOURCES, gcc

TELLING = ["ncclAllReduce"]
NAMES = [symbol for function in FUNCTIONS for symbol in function.symbols]


@pytest.fixture(autouse=True)
def _compiler() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to compile libraries with")


def build(folder: Path, *flags: str) -> str:
    path = folder / "libnccl.so.2"
    gcc("-fPIC", "-shared", *flags, "-o", path, SOURCES / "libnccl.c")
    return str(path)


def symbol_address(path: str, name: str) -> int:
    lines = subprocess.check_output(["nm", "-D", path], text=True).splitlines()
    return next(int(line.split()[0], 16) for line in lines if line.split()[-1] == name)


@pytest.mark.parametrize("style", ["gnu", "sysv", "both"])
def test_exported_functions_are_found_whatever_the_hash_table(tmp_path: Path, style: str) -> None:
    path = build(tmp_path, f"-Wl,--hash-style={style}", "-Wl,--build-id=0x1234abcd")
    found = elf.scan(path, NAMES)
    assert found.build_id == "1234abcd"
    assert {"ncclAllReduce", "ncclCommInitRankConfig", "ncclSend"} < set(found.functions)
    assert "ncclCommRevoke" not in found.functions
    lines = subprocess.check_output(["readelf", "-lW", path], text=True).splitlines()
    code = next(line.split() for line in lines if "LOAD" in line and " E " in line)
    offset, virtual = int(code[1], 16), int(code[2], 16)
    for name, function in found.functions.items():
        assert function.offset == symbol_address(path, name) - virtual + offset
        assert function.table == "dynsym"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="arm64 has no endbr64")
def test_a_probe_goes_behind_endbr64(tmp_path: Path) -> None:
    plain = elf.scan(build(tmp_path, "-fcf-protection=none"), NAMES).functions["ncclAllReduce"]
    data = Path(tmp_path, "libnccl.so.2").read_bytes()
    assert data[plain.offset] == 0x55
    path = build(tmp_path, "-fcf-protection=full")
    guarded = elf.scan(path, NAMES).functions["ncclAllReduce"]
    data = Path(path).read_bytes()
    assert data[guarded.offset - 4 : guarded.offset] == b"\xf3\x0f\x1e\xfa"
    assert not guarded.stepped


def test_a_copy_that_is_linked_in_and_hidden_is_found_unless_stripped(tmp_path: Path) -> None:
    path = build(tmp_path, "-fvisibility=hidden", f"-Wl,-soname,{tmp_path.name}")
    assert not elf.scan(path, NAMES).functions
    hidden = elf.scan(path, NAMES, telling=TELLING).functions
    assert hidden["ncclAllReduce"].table == "symtab"
    subprocess.run(["strip", path], check=True)
    assert not elf.scan(path, NAMES, telling=TELLING).functions


def test_two_names_of_one_place_are_one_function(tmp_path: Path) -> None:
    source = tmp_path / "twins.c"
    source.write_text(
        'int cuLaunchKernel(void) { return 0; }\nint cuGraphLaunch(void) __attribute__((alias("cuLaunchKernel")));'
    )
    gcc("-fPIC", "-shared", "-o", tmp_path / "twins.so", source)
    found = elf.scan(str(tmp_path / "twins.so"), NAMES)
    assert len(found.functions) == 2
    assert [function.name for function in found.by_offset.values()] == ["cuGraphLaunch"]


@pytest.mark.parametrize(
    ("code", "stepped"),
    [
        *((code, False) for code in ("55", "4154", "90", "0f1f440000", "e900000000", "eb00")),
        *((code, True) for code in ("4889e5", "31c0", "f30f1efa", "4889f8", "8b07", "41", "")),
    ],
)
def test_which_first_instructions_are_single_stepped_on_x86(code: str, stepped: bool) -> None:
    assert elf.is_stepped(bytes.fromhex(code), 62) is stepped


@pytest.mark.parametrize(
    ("code", "stepped"), [("1f2003d5", False), ("ddffff97", False), ("fd7bbfa9", True), ("00008052", True), ("", True)]
)
def test_which_first_instructions_are_single_stepped_on_arm(code: str, stepped: bool) -> None:
    assert elf.is_stepped(bytes.fromhex(code), 183) is stepped


def test_damaged_files_are_refused_in_one_way(tmp_path: Path) -> None:
    whole = Path(build(tmp_path)).read_bytes()
    damaged = tmp_path / "damaged.so"
    for length in (0, 1, 6, 63, 64, 200, len(whole) // 2, len(whole) - 1):
        damaged.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"damaged\.so"):
            elf.scan(str(damaged), NAMES, telling=TELLING)
    for at in range(0, 4096, 17):
        spoiled = bytearray(whole)
        spoiled[at] ^= 0xFF
        damaged.write_bytes(spoiled)
        with contextlib.suppress(ValueError):  # anything else would end the collector
            elf.scan(str(damaged), NAMES, telling=TELLING)

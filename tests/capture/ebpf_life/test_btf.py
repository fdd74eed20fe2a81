"""Where the kernel keeps things, read from its BTF: held against bpftool, and against damage."""

from __future__ import annotations

import json
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inquest.capture.collector import Missing
from inquest.capture.ebpf import btf

HEADER = Path(btf.__file__).parent / "programs" / "kernel.h"


@pytest.fixture(scope="module")
def blob() -> bytes:
    path = Path(btf.VMLINUX)
    if not path.exists():
        pytest.skip("this kernel has no BTF")
    return path.read_bytes()


@pytest.fixture(scope="module")
def types() -> dict[int, Any]:
    if shutil.which("bpftool") is None:
        pytest.skip("no bpftool")
    told = subprocess.run(
        ["bpftool", "-j", "btf", "dump", "file", btf.VMLINUX], capture_output=True, check=True, timeout=60
    )
    return {each["id"]: each for each in json.loads(told.stdout)["types"]}


def test_the_layout_is_in_the_order_of_the_programs() -> None:
    body = re.search(r"struct layout \{(.*?)\};", HEADER.read_text(), re.DOTALL)
    assert body is not None
    assert tuple(re.findall(r"u32 (\w+);", body[1])) == btf.LAYOUT


def test_offsets_are_those_bpftool_reads(blob: bytes, types: dict[int, Any]) -> None:
    by_name = {each["name"]: each for each in types.values() if each["kind"] == "STRUCT" and each["name"] != "(anon)"}

    def offset(members: list[Any], names: tuple[str, ...]) -> int | None:
        for member in members:
            if member["name"] in names:
                return int(member["bits_offset"]) // 8
            inner = types.get(member["type_id"], {})
            if member["name"] == "(anon)" and (found := offset(inner.get("members", []), names)) is not None:
                return int(member["bits_offset"]) // 8 + found
        return None

    ours = btf.Btf(blob)
    for structure, *names in btf._FIELDS.values():
        assert ours.field(structure, *names)[0] == offset(by_name[structure]["members"], tuple(names)), structure


def test_another_machine_has_other_registers(blob: bytes) -> None:
    with pytest.raises(Missing, match="riscv64"):
        btf.layout(btf.Btf(blob), "riscv64")


def test_a_kernel_without_a_field_is_said(blob: bytes) -> None:
    with pytest.raises(Missing, match="task_struct has no soul"):
        btf.Btf(blob).field("task_struct", "soul")
    with pytest.raises(Missing, match="does not know btf_trace_nothing"):
        btf.Btf(blob).arguments("nothing")


def test_damage_is_said_and_not_believed(blob: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(5)
    path = tmp_path / "vmlinux"
    monkeypatch.setattr(btf, "VMLINUX", str(path))
    for _ in range(6):
        cut = blob[: dice.randrange(len(blob))]
        path.write_bytes(cut)
        btf._of_this_kernel.cache_clear()
        with pytest.raises(Missing):
            btf.of_this_kernel()
    btf._of_this_kernel.cache_clear()


SMALL = b"\0u32\0counter\0count\0mm_struct\0rss_stat\0mm_rss_stat\0"


def small(*types: bytes) -> btf.Btf:
    """A BTF blob of our own making."""
    body = b"".join(types)
    return btf.Btf(struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(body), len(body), len(SMALL)) + body + SMALL)


def name(text: str) -> int:
    return SMALL.index(b"\0" + text.encode() + b"\0") + 1


def kind(number: int, count: int = 0) -> int:
    return number << 24 | count


U64 = struct.pack("<4I", name("u32"), kind(1), 8, 64)
ARRAY_OF_U64 = struct.pack("<3I", 0, kind(3), 0) + struct.pack("<3I", 1, 1, 4)


def test_counters_of_kernels_before_6_2() -> None:
    """mm_rss_stat { atomic_long_t count[4] }, at 64."""
    inner = struct.pack("<3I", name("mm_rss_stat"), kind(4, 1), 32) + struct.pack("<3I", name("count"), 2, 0)
    outer = struct.pack("<3I", name("mm_struct"), kind(4, 1), 128) + struct.pack("<3I", name("rss_stat"), 3, 64 * 8)
    found = btf._resident(small(U64, ARRAY_OF_U64, inner, outer))
    assert found == {"mm_file_rss": 64, "mm_anon_rss": 72, "mm_shmem_rss": 88}


def test_counters_of_later_kernels() -> None:
    """percpu_counter rss_stat[4], each 40 bytes with its count at 8, at 64 of an unnamed structure at 16."""
    counter = struct.pack("<3I", name("counter"), kind(4, 1), 40) + struct.pack("<3I", name("count"), 1, 8 * 8)
    array = struct.pack("<3I", 0, kind(3), 0) + struct.pack("<3I", 2, 1, 4)
    unnamed = struct.pack("<3I", 0, kind(4, 1), 512) + struct.pack("<3I", name("rss_stat"), 3, 64 * 8)
    outer = struct.pack("<3I", name("mm_struct"), kind(4, 1), 600) + struct.pack("<3I", 0, 4, 16 * 8)
    found = btf._resident(small(U64, counter, array, unnamed, outer))
    assert found == {"mm_file_rss": 88, "mm_anon_rss": 128, "mm_shmem_rss": 208}

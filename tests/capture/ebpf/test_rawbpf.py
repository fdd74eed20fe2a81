"""The loader itself: maps, objects it cannot load, and what it says of a refusal."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from inquest.capture.ebpf import rawbpf, session
from inquest.capture.ebpf.rawbpf import Map, MapKind, MapSpec, Object, ProgramKind
from tests.capture.ebpf.kit import need_probes

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "capture" / "ebpf"


@pytest.fixture
def hash_map() -> Map:
    need_probes()
    return Map("test", MapSpec(MapKind.HASH, 4, 8, 1000))


def test_a_hash_map_gives_back_what_was_put(hash_map: Map) -> None:
    wanted = {struct.pack("<I", key): struct.pack("<Q", key * key) for key in range(1000)}
    for key, value in wanted.items():
        hash_map.put(key, value)
    assert dict(hash_map.items()) == wanted
    assert hash_map.get(struct.pack("<I", 31)) == struct.pack("<Q", 961)
    assert hash_map.get(struct.pack("<I", 1000)) is None
    with pytest.raises(OSError) as full:
        hash_map.put(struct.pack("<I", 1000), bytes(8))
    assert full.value.errno == errno.E2BIG
    assert hash_map.delete(struct.pack("<I", 31))
    assert not hash_map.delete(struct.pack("<I", 31))
    assert len(list(hash_map.items())) == 999
    hash_map.close()


def test_keys_and_values_must_have_the_size_declared(hash_map: Map) -> None:
    with pytest.raises(ValueError, match="key of this map has 4 bytes, not 8"):
        hash_map.get(bytes(8))
    with pytest.raises(ValueError, match="value of this map has 8 bytes, not 4"):
        hash_map.put(bytes(4), bytes(4))
    hash_map.close()


def test_an_array_is_read_and_written_in_place() -> None:
    need_probes()
    array = Map("test", MapSpec(MapKind.ARRAY, 4, 4, 3))
    array.put(struct.pack("<I", 2), struct.pack("<I", 7))
    assert array.get(struct.pack("<I", 2)) == struct.pack("<I", 7), "the kernel has it"
    assert [int.from_bytes(value, "little") for _, value in array.items()] == [0, 0, 7]
    with pytest.raises(IndexError, match="3 values, and no 3"):
        array.put(struct.pack("<I", 3), bytes(4))
    array.close()
    sums = Map("test", MapSpec(MapKind.ARRAY, 4, 8, 3))
    for key in range(3):
        sums.put(struct.pack("<I", key), struct.pack("<Q", 1 << 40 + key))
    assert sums.total() == 7 << 40
    sums.close()


def test_per_cpu_values_come_one_a_cpu() -> None:
    need_probes()
    per_cpu = Map("test", MapSpec(MapKind.PERCPU_ARRAY, 4, 4, 1))
    assert [len(value) for _, value in per_cpu.items()] == [8 * rawbpf.possible_cpus()]
    per_cpu.close()


@pytest.mark.parametrize("blob", [b"", b"\x7fELF\x02\x01" + bytes(20), b"#!/bin/sh\n"])
def test_what_is_no_object_is_refused(blob: bytes) -> None:
    with pytest.raises((ValueError, struct.error)):
        rawbpf.from_object_file(blob, ["enter"], {})


def test_a_program_or_map_that_is_not_there_is_named() -> None:
    blob = session.object_file("cuda_calls")
    with pytest.raises(ValueError, match="has no program nowhere"):
        rawbpf.from_object_file(blob, ["nowhere"], {})
    with pytest.raises(ValueError, match="which is no map it was given"):
        rawbpf.from_object_file(blob, ["count"], {})


def test_the_verifiers_last_words_are_in_the_error() -> None:
    need_probes()
    reads_null = struct.pack("<BBhi", 0xB7, 1, 0, 0) + struct.pack("<BBhi", 0x61, 0x10, 0, 0) + rawbpf._RETURN_0
    with pytest.raises(OSError, match=r"program bad: .*invalid mem access"):
        Object({"bad": ProgramKind.UPROBE}, {}, lambda _: {"bad": reads_null})


def test_committed_objects_are_what_their_sources_make(tmp_path: Path) -> None:
    compiler, *sources = (FOLDER / "objects" / "built.txt").read_text().splitlines()
    made_of = {name: digest for digest, name in (line.split() for line in sources)}
    found = sorted(path for path in (FOLDER / "programs").iterdir() if path.suffix in (".c", ".h"))
    changed = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
    assert made_of == changed, "run `make bpf` and commit capture/ebpf/objects"
    clang = shutil.which("clang")
    if clang is None or subprocess.check_output([clang, "--version"], text=True).splitlines()[0] != compiler:
        return  # another compiler makes other bytes; which sources they are of is checked above
    shutil.copytree(FOLDER, tmp_path / "capture" / "ebpf")
    shutil.copy(ROOT / "Makefile", tmp_path)
    subprocess.run(["make", "-s", "-C", tmp_path, "bpf"], check=True)
    for path in (FOLDER / "objects").glob("*/*.bpf.o"):
        assert path.read_bytes() == (tmp_path / path.relative_to(ROOT)).read_bytes(), path


def test_who_may_not_probe_is_told_what_it_takes() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can try what others may not")
    code = "import os; from inquest.capture.ebpf import session; os.setuid(65534); print(session.why_not())"
    said = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "root or CAP_BPF and CAP_PERFMON are needed (uid 65534)" in said


def test_a_recorder_in_a_pid_namespace_of_its_own_says_so() -> None:
    if subprocess.run(["unshare", "-p", "-f", "true"], check=False).returncode != 0:
        pytest.skip("no pid namespaces here")
    code = "from inquest.capture.ebpf import session; print(session.why_not())"
    said = subprocess.check_output(["unshare", "-p", "-f", "--mount-proc", sys.executable, "-c", code], text=True)
    assert "pid namespace of its own" in said

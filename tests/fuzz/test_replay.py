"""Every input that fuzzing grew, and every one that broke something once, through its target again, without atheris."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.errors import InputError
from tests.fuzz.corpus import CORPUS, FINDINGS, committed
from tests.fuzz.guard import Finding, Guard
from tests.fuzz.packed import pack, unpack
from tests.fuzz.targets import TARGETS, load

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fuzz.guard import Place


@pytest.mark.parametrize("target", TARGETS)
def test_what_fuzzing_found_stays_found(target: str, tmp_path: Path) -> None:
    run, _ = load(target)
    guard = Guard(run, tmp_path)
    for number, data in enumerate([*committed(target, FINDINGS), *committed(target)]):
        guard(data, twice=number % 8 == 0)
    guard.close()


@pytest.mark.parametrize("target", [target for target in TARGETS if not target.startswith("import_")])
def test_seeds_mean_something(target: str, tmp_path: Path) -> None:
    run, seeds = load(target)
    guard = Guard(run, tmp_path)
    # A refusal is a pair of an error's name and its sentence.
    assert any(not _is_refusal(guard(seed)) for seed in seeds())
    guard.close()


def _is_refusal(answer: object) -> bool:
    return isinstance(answer, tuple) and len(answer) == 2 and str(answer[0]).endswith(("Refused", "Error", "Input"))


def test_corpora_belong_to_targets_and_stay_small() -> None:
    files = [path for root in (CORPUS, FINDINGS) if root.is_dir() for path in root.rglob("*") if path.is_file()]
    assert {path.relative_to(path.parents[1]).parts[0] for path in files} <= set(TARGETS)
    assert sum(path.stat().st_size for path in files) < 2 << 20


# --- the rules can be broken ---------------------------------------------------------------------------------------


def _raises(data: bytes, place: Place) -> None:
    raise KeyError(data)


def _opens_the_canary(data: bytes, place: Place) -> None:
    place.canary.read_bytes()


def _opens_the_canary_from_native_code(data: bytes, place: Place) -> None:
    import polars as pl

    pl.scan_csv(place.canary).collect()


def _writes_elsewhere(data: bytes, place: Place) -> None:
    (place.canary.parents[1] / "loot").write_bytes(data)


def _reads_elsewhere(data: bytes, place: Place) -> None:
    with open("/etc/passwd", "rb") as file:
        file.read()


def _starts_a_program(data: bytes, place: Place) -> None:
    subprocess.run(["/bin/true"], check=False)


def _connects(data: bytes, place: Place) -> None:
    import urllib.request

    urllib.request.urlopen(place.url, timeout=1)


def _unpickles_code(data: bytes, place: Place) -> None:
    import pickle

    pickle.loads(b"cos\ngetpid\n(tR.")


def _takes_memory(data: bytes, place: Place) -> None:
    bytearray(b"x") * (800 << 20)


def _differs(data: bytes, place: Place) -> object:
    return object()


def _says_nothing(data: bytes, place: Place) -> None:
    raise InputError("two\nlines")


def _hides_it(data: bytes, place: Place) -> None:
    try:
        _starts_a_program(data, place)
    except Exception:
        return


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (_raises, "KeyError"),
        (_opens_the_canary, "forbidden: open"),
        (_opens_the_canary_from_native_code, "canary file was opened"),
        (_writes_elsewhere, "forbidden: open"),
        (_reads_elsewhere, "forbidden: open"),
        (_starts_a_program, "forbidden: subprocess"),
        (_hides_it, "forbidden: subprocess"),
        (_connects, "forbidden: (urllib|socket)"),
        (_unpickles_code, "forbidden: pickle"),
        (_takes_memory, "MiB of memory"),
        (_differs, "two runs differ"),
        (_says_nothing, "no clear sentence"),
    ],
)
def test_the_guard_sees_what_it_forbids(target, words, tmp_path: Path) -> None:
    guard = Guard(target, tmp_path)
    with pytest.raises(Finding, match=words):
        guard(b"data", twice=True)
    guard.close()


def test_parts_come_back_from_one_input() -> None:
    parts = [b"", b"a", bytes(range(256))]
    assert unpack(pack(parts)) == parts

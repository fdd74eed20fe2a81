"""Ordinary logs in which something failed and was outlived, or failed in other words; each beside a near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.analyze.test_more_mechanisms import falling, judged, raised

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REFUSED = raised("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.00 GiB.", "/w/fit.py")
KILLED = "go.sh: line 8: 5121 Killed                  python fit.py --batch 8\n"


@pytest.mark.parametrize(
    ("words", "family"),
    [
        ("[Errno 28] Auf dem Gerät ist kein Speicherplatz mehr verfügbar", "outside_families"),
        ("[Errno 122] Débordement du quota d'espace disque", "outside_families"),
        ("[Errno 13] Keine Berechtigung", "A1"),
    ],
)
def test_a_full_disk_in_any_language_of_the_c_library(tmp_path: Path, words: str, family: str) -> None:
    end = raised(f"OSError: {words}: 'out/e3.pt'", "/w/fit.py")
    assert judged(tmp_path, falling(900, 300) + end, 1)[0] == family


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (REFUSED + "now with 8 of a batch\n" + falling(900, 600) + KILLED, "A2"),
        (REFUSED + "now with 8 of a batch\n" + falling(900, 60) + KILLED, "B1"),  # too few to tell from a buffer's
        (falling(900, 450) + REFUSED + KILLED, "B1"),
    ],
)
def test_a_kill_ends_the_training_that_began_below_a_refusal(tmp_path: Path, text: str, family: str) -> None:
    assert judged(tmp_path, text, 137)[0] == family


def by_epochs(begin: float, end: float) -> str:
    """What a trainer tells that counts no steps, by tenths of an epoch."""
    parts = range(round(begin * 10) + 1, round(end * 10) + 1)
    return "".join(f"{{'loss': {2.7 / (1 + k / 14):.4f}, 'learning_rate': 1e-05, 'epoch': {k / 10}}}\n" for k in parts)


@pytest.mark.parametrize(
    ("then", "code", "family"),
    [
        ("try 1 of 3 left with status 1, from the last state once more\n" + by_epochs(1.6, 4) + "done\n", 0, "G1"),
        (
            "try 1 of 3 left with status 1, from the last state once more\n" + by_epochs(0, 1),
            1,
            "cannot_decide",
        ),  # what ended the second
        ("", 1, "A1"),
    ],
)
def test_parts_of_an_epoch_count_where_no_steps_do(tmp_path: Path, then: str, code: int, family: str) -> None:
    failed = raised("ConnectionResetError: [Errno 104] Connection reset by peer", "/w/fit.py", "/w/store.py")
    assert judged(tmp_path, by_epochs(0, 2) + failed + then, code)[0] == family


TABLE = "   epoch      step      loss       lr\n" + "".join(
    f"{k / 40:8.2f}{k:10d}{2.8 / (1 + k / 30):10.4f}  1.0e-04\n" for k in range(5, 201, 5)
)


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[rank: 0] ",
        "(TrainWorker pid=881, ip=10.3.0.9) ",
        "worker-1  | ",
        "2026-04-02T09:11:00.120+0000 ",
        "[2026-04-02T09:11:00.120+0000] {subprocess.py:93} INFO - ",
        "2026-04-02T09:11:00+0000 n7 python3[881]: ",
        "[1,mpirank:0,algo-1]<stdout>:",
    ],
)
@pytest.mark.parametrize(("more", "family"), [("done\n", "G1"), ("KeyError: 'y'\n", "A1")])
def test_a_table_under_what_collectors_put_before_each_line(
    tmp_path: Path, before: str, more: str, family: str
) -> None:
    end = more if family == "G1" else raised(more.strip(), "/w/fit.py")
    text = "".join(f"{before}{line}\n" for line in (TABLE + end).splitlines())
    assert judged(tmp_path, text, 0 if family == "G1" else 1)[0] == family


def julias(losses: list[float]) -> str:
    """Blocks as Julia's logger draws them, with numbers of 32 bits."""
    told = [f"{loss:.3e}".replace("e-0", "f-").replace("e+0", "f") for loss in losses]
    return "".join(f"┌ Info: training\n│   step = {10 * k}\n└   loss = {loss}\n" for k, loss in enumerate(told, 1))


@pytest.mark.parametrize("form", [julias, lambda losses: julias(losses).replace("\n│ ", "").replace("\n└ ", "")])
@pytest.mark.parametrize(
    ("losses", "family"),
    [
        ([0.031 / 1.35**k for k in range(30)], "cannot_decide"),  # falls, and no end is told
        ([0.031 / 1.35 ** min(k, 9) * 2.1 ** max(0, k - 15) for k in range(30)], "E1"),
    ],
)
def test_julias_exponents(tmp_path: Path, form: Callable[[list[float]], str], losses: list[float], family: str) -> None:
    assert judged(tmp_path, form(losses))[0] == family

"""Who holds the others up, by what every speaker tells of itself, round after round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str) -> Verdict:
    path = folder / "job.log"
    path.write_text(text, encoding="utf-8")
    return analyze(import_logs([path]), strict=True)[0]


def rounds(line: Callable[[int, int, float], str], head: Callable[[int, float], str], slow: float) -> str:
    """Thirty rounds of four speakers, the third of which takes ``slow`` times as long."""
    lines = []
    for at in range(1, 31):
        own = [(2.0 + 0.01 * ((at * 7 + who * 3) % 5)) * (slow if who == 2 else 1.0) for who in range(4)]
        lines += [line(at, who, own[who]) for who in range(4)]
        lines.append(head(at, max(own)))
    return "\n".join([*lines, "training complete", ""])


def loss(at: int) -> float:
    return 2.5 * math.exp(-at / 12) + 0.2


def merged(at: int, longest: float) -> str:
    return f"round {at}/30 merged, took {longest + 0.05:.2f} s, loss {loss(at):.4f}"


NAMED: dict[str, Callable[[int, int, float], str]] = {
    "key": lambda _, who, own: f"push from worker=w-{who} took={own:.2f}s rows=512",
    "russian": lambda _, who, own: f"  узел {who}: счёт {own:.2f}, ожидание {max(0.1, 6.1 - own):.2f}",
    "host": lambda _, who, own: f"part done in {1000 * own:.0f} ms on gpu-node-{who + 10}",
}


@pytest.mark.parametrize("form", NAMED)
def test_the_speaker_for_whom_all_wait(tmp_path: Path, form: str) -> None:
    assert judged(tmp_path, rounds(NAMED[form], merged, 3.0)).family == "D3"


@pytest.mark.parametrize("form", NAMED)
def test_speakers_that_take_alike(tmp_path: Path, form: str) -> None:
    assert judged(tmp_path, rounds(NAMED[form], merged, 1.1)).family != "D3"


def test_a_time_of_no_name_counts_only_where_rounds_last_as_long(tmp_path: Path) -> None:
    def alone(at: int, _: float) -> str:
        return f"round {at}/30 merged, took 2.05 s, loss {loss(at):.4f}"

    assert judged(tmp_path, rounds(NAMED["key"], alone, 3.0)).family != "D3"


def test_who_has_more_to_do_is_no_straggler(tmp_path: Path) -> None:
    def more(_: int, who: int, own: float) -> str:
        return f"push from worker=w-{who} took={own:.2f}s rows={1536 if who == 2 else 512}"

    assert judged(tmp_path, rounds(more, merged, 3.0)).family != "D3"


def test_workers_of_a_loader_hold_nobody_up(tmp_path: Path) -> None:
    def loader(_: int, who: int, own: float) -> str:
        return f"dataloader worker {who} took {own:.2f} s rows 512"

    assert judged(tmp_path, rounds(loader, merged, 3.0)).family != "D3"


def test_parts_of_a_step_are_no_speakers(tmp_path: Path) -> None:
    rows = [f"{at},{loss(at):.4f},31.0,102.0,305.0,22.0,460.0" for at in range(1, 60)]
    path = tmp_path / "times.csv"
    path.write_text("\n".join(["step,loss,ms_alpha,ms_fwd,ms_bwd,ms_opt,ms_total", *rows, ""]))
    assert analyze(import_logs([path]), strict=True)[0].family != "D3"


def test_the_longest_time_and_whose_it_was(tmp_path: Path) -> None:
    def told(named: Callable[[int], int]) -> str:
        lines = [
            f"step {at}/40 loss {loss(at):.4f}\nslowest 2 by own time: #{named(at)} (n{named(at):03d}) 4.9s,"
            " #1 (n001) 1.4s; median 1.3s"
            for at in range(1, 41)
        ]
        return "\n".join([*lines, "training complete", ""])

    verdict = judged(tmp_path, told(lambda _: 7))
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (7,))
    assert judged(tmp_path, told(lambda at: at % 5 + 2)).family != "D3"

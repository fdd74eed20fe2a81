"""Logs of kinds that fooled the reader, each beside a near miss; names, numbers and words are of these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.analyze.test_more_mechanisms import facts, falling, judged, raised

if TYPE_CHECKING:
    from pathlib import Path


def starved(share: int) -> str:
    """A loop that prints what part of a step it waits, and no time of it."""
    return "".join(
        f"iter {k}/40 | loss {3 / (1 + k / 9):.3f} | 3.10 s/it (input {share}%, rest {100 - share}%)\n"
        for k in range(1, 41)
    )


@pytest.mark.parametrize(("share", "family"), [(97, "D1"), (9, "G1")])
def test_shares_of_a_step(tmp_path: Path, share: int, family: str) -> None:
    assert judged(tmp_path, starved(share), 0)[0] == family


def population(epochs: int, of: int) -> str:
    """Trainings in turn, which count their epochs alike."""
    return "".join(
        f"<{one}> epoch {k}/{of} loss {2.2 / (1 + k / 3):.4f}\n" for one in range(3) for k in range(1, epochs + 1)
    )


@pytest.mark.parametrize(("epochs", "family"), [(6, "G1"), (4, "E2")])
def test_trainings_in_turn_lose_nothing_where_each_came_to_its_end(tmp_path: Path, epochs: int, family: str) -> None:
    assert judged(tmp_path, population(epochs, 6), 0)[0] == family


@pytest.mark.parametrize(
    ("line", "code", "family"),
    [
        ("[watch] worker-2 has died: SIGBUS, nothing left to do", 70, "A2"),
        ("guardian: child 3 was lost (SIGABRT)", 3, "A2"),
        ("guardian: if a child is lost by SIGABRT it will be started again", 3, "cannot_decide"),
        ("guardian: child 3 was lost (SIGABRT), restarted", 3, "cannot_decide"),
    ],
)
def test_a_supervisor_names_the_signal(tmp_path: Path, line: str, code: int, family: str) -> None:
    assert judged(tmp_path, falling(900, 300) + line + "\n", code)[0] == family


SHELLS = "--- what users ask ---\nKilled\nBus error (core dumped)\n---\n"


def test_words_of_a_shell_that_training_outlives_end_nothing(tmp_path: Path) -> None:
    def training(a: int, b: int) -> str:
        return "".join(f"update {k}/400 loss {3 / (1 + k / 50):.4f}\n" for k in range(a, b, 20))

    crash = raised("KeyError: 'stage_4'", "/w/fit.py")
    quoted = training(20, 90) + SHELLS + training(100, 170) + SHELLS + training(180, 220)
    assert judged(tmp_path, quoted + crash, 1)[0] == "A1"
    assert judged(tmp_path, quoted + training(220, 401), 0)[0] == "G1"
    assert judged(tmp_path, training(20, 220) + "Killed\n", 137)[0] == "A2"


def at_chance(noise: float) -> str:
    """Twelve epochs of a network whose units died, or of one that learns slowly."""
    return "".join(f"epoch {k}/12 loss: {1.7918 - noise * k:.4f}\n" for k in range(1, 13))


@pytest.mark.parametrize(("noise", "family"), [(0.0, "E1"), (0.00005, "cannot_decide"), (0.05, "G1")])
def test_a_loss_that_stands_from_the_first_report_on_is_no_health(tmp_path: Path, noise: float, family: str) -> None:
    assert judged(tmp_path, at_chance(noise), 0)[0] == family


def boxes(way: int) -> str:
    """Stable-Baselines3's tables."""
    return "".join(
        "-----------------------------\n| rollout/           |        |\n"
        f"|    ep_len_mean     | 31.2   |\n|    ep_rew_mean     | {20 + way * k} |\n| time/              |        |\n"
        f"|    total_timesteps | {k * 512} |\n| train/             |        |\n|    loss            | {k % 7}.1 |\n"
        "-----------------------------\n"
        for k in range(1, 25)
    )


def test_boxes_of_rewards(tmp_path: Path) -> None:
    assert judged(tmp_path, boxes(2), 0)[0] == "G1"
    assert judged(tmp_path, boxes(0), 0)[0] == "cannot_decide"


def test_espnet_counts_batches_within_an_epoch(tmp_path: Path) -> None:
    line = (
        "[h:0/2] 2026-03-02 10:00:{s:02d},000 (trainer:762) INFO: {e}epoch:train:{a}-{b}batch: iter_time=0.003,"
        " loss_ctc=91.2, loss={loss}, acc=0.31, train_time=0.81\n"
    )
    text = "".join(
        line.format(s=10 * e + k, e=e, a=50 * k - 49, b=50 * k, loss=90 - 10 * e - k) for e in (1, 2) for k in (1, 2, 3)
    )
    steps = facts(tmp_path, text)["fact_steps"]
    assert steps["step"].to_list() == [50, 100, 150, 200, 250, 300]
    assert steps["loss"].to_list() == [79, 78, 77, 69, 68, 67]


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("Makefile.train:14: *** commands commence before first target.  Stop.", "A1"),
        ("gmake: *** No rule to make target 'shards'.  Stop.", "A1"),
        ("awk: prepare.awk:7: fatal: cannot open file `vocab.txt' for reading", "A1"),
        ("*** all done.  Stop.", "cannot_decide"),
    ],
)
def test_tools_before_training(tmp_path: Path, line: str, family: str) -> None:
    assert judged(tmp_path, f"tokens 80211\n{line}\n", 2)[0] == family

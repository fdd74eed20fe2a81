"""Logs of kinds that fooled the reader, each beside a near miss; names, numbers and words are of these tests."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize(("waited", "family"), [(4.2, "D1"), (0.003, "G1")])
def test_espnets_iter_time_is_its_wait_for_a_batch(tmp_path: Path, waited: float, family: str) -> None:
    lines = [
        f"[h] 2026-03-02 {10 + n // 15}:{n % 15 * 4:02d}:00,000 (trainer:762) INFO: {n // 10 + 1}epoch:train:"
        f"{n % 10 * 50 + 1}-{n % 10 * 50 + 50}batch: iter_time={waited + n / 1000:.3f}, forward_time=0.211,"
        f" loss={90 - n / 2:.3f}, backward_time=0.214, grad_norm=5.1, optim_step_time=0.061, optim0_lr0=2.010e-04,"
        f" train_time={4 * (waited + 0.486):.3f}"
        for n in range(30)
    ]
    lines.append("[h] 2026-03-02 12:01:00,000 (trainer:458) INFO: The training was finished at 3 epochs ")
    assert judged(tmp_path, "\n".join(lines) + "\n", 0)[0] == family


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


def shown(mark: str) -> str:
    """The end of another run, as a program shows it before its own begins."""
    end = raised("ValueError: bad row 7", "/w/fit.py") + "srun: error: n4: task 2: Exited with exit code 1\n"
    return "".join(f"{mark}{line}\n" for line in end.splitlines())


@pytest.mark.parametrize("mark", ["> ", ""])
def test_the_end_of_a_run_that_is_shown_is_none_of_this_one(tmp_path: Path, mark: str) -> None:
    early, late = falling(600, 90), falling(600, 600).removeprefix(falling(600, 90))
    assert judged(tmp_path, early + shown(mark) + late, 0)[0] == "G1"
    assert judged(tmp_path, early + shown(""), 1)[0] == "A1"


def test_a_record_of_json_ends_the_message_of_the_one_before(tmp_path: Path) -> None:
    def record(text: str) -> str:
        return json.dumps({"text": text, "record": {"level": {"name": "INFO"}}}) + "\n"

    steps = [record(f"round {k}/300 loss {3 / (1 + k / 40):.4f}") for k in range(10, 301, 10)]
    error = record("not written, will be tried again\n" + raised("OSError: stale file handle", "/w/fit.py"))
    text = "".join(steps[:12]) + error + "".join(steps[12:])
    assert facts(tmp_path, text)["fact_exceptions"]["fatal"].to_list() == [False]
    assert judged(tmp_path, text, 0)[0] == "G1"
    assert judged(tmp_path, "".join(steps[:12]) + error, 1)[0] == "A1"


@pytest.mark.parametrize(
    ("last", "code", "family"),
    [
        ("Ошибка: файл данных valid.bin не найден", 1, "A1"),
        ("エラー: conf/small.yaml に hidden がありません", 1, "A1"),
        ("Erreur : le fichier est vide", 1, "A1"),
        ("Fehler: 0.0312", 1, "cannot_decide"),
        ("cp: cannot stat 'vocab.txt': No such file or directory\ntrap: line 9, status 1", 1, "A1"),
        ("trap: line 9, status 1", 1, "cannot_decide"),
        ('ErrorMessage "IndexError: index 4 is out of bounds for axis 0"\nCommand "python3 fit.py"', 1, "A1"),
    ],
)
def test_last_words(tmp_path: Path, last: str, code: int, family: str) -> None:
    assert judged(tmp_path, falling(900, 300) + last + "\n", code)[0] == family


@pytest.mark.parametrize(
    ("own", "samples", "family"),
    [
        ("{:.4f}", ("loss: inf (step 700)", "Epoch 1/9 loss=17.3"), "G1"),
        ("nan", ("loss: 0.4122 (step 700)", "| epoch 6 | loss 1.3"), "E1"),
    ],
)
def test_samples_of_a_model_that_writes_logs(tmp_path: Path, own: str, samples: tuple[str, str], family: str) -> None:
    lines = []
    for k in range(10, 401, 10):
        value = own if k > 200 else "{:.4f}"
        lines.append(f"fit: round {k}/400 loss {value.format(2.7 / (1 + k / 50))}")
        if k % 80 == 0:
            lines += ["what it writes:", samples[k // 80 % 2], samples[0]]
    assert judged(tmp_path, "\n".join(lines) + "\n", 0)[0] == family


def test_lines_of_epochs_beside_steps_are_no_samples(tmp_path: Path) -> None:
    lines = []
    for k in range(10, 401, 10):
        lines.append(f"step {k} loss {2.7 / (1 + k / 50):.4f}")
        if k % 100 == 0:
            lines.append(f"epoch {k // 100} mean loss {2.9 / (1 + k / 50):.4f}")
    steps = facts(tmp_path, "\n".join(lines) + "\n")["fact_steps"]
    assert steps.filter(steps["epoch"].is_not_null())["step"].to_list() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "form",
    [
        "Epoch {k}/3 loss {v:.4f} acc 0.7\n",
        "Epoch [{k}/3] - loss: {v:.4f}\n",
        "epoch {k} of 3, train_loss={v:.4f}, val_loss={v:.3f}\n",
        "epoch={k} loss={v:.4f}\n",
    ],
)
def test_a_few_epochs_are_no_few_steps(tmp_path: Path, form: str) -> None:
    text = "".join(form.format(k=k, v=1.2 / k) for k in (1, 2, 3)) + "Training finished\n"
    assert judged(tmp_path, text, 0)[0] == "G1"


def test_a_few_steps_are(tmp_path: Path) -> None:
    text = "".join(f"epoch 1 step {k}/3 loss {1.2 / k:.4f}\n" for k in (1, 2, 3)) + "Training finished\n"
    assert judged(tmp_path, text, 0)[0] == "E3"

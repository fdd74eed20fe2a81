"""Ends and progress that are told by other means than a loss: overflows, patience, games, a rank that gave up."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(path: Path, status: int | None = None) -> Verdict:
    return analyze(import_logs([path], exit_code=status), strict=True)[0]


def table(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    path = tmp_path / "train.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize(("sound_again", "family"), [(999, "E1"), (58, None)])
def test_gradients_that_overflow_to_the_end_take_no_step(tmp_path: Path, sound_again: int, family: str | None) -> None:
    rows = [
        {
            "step": 10 * n,
            "loss": max(8 - n / 8, 5.5) + n % 3 / 100,
            "grad_norm": "inf" if 20 <= n < sound_again else 1 + n % 5 / 10,
        }
        for n in range(60)
    ]
    assert judged(table(tmp_path, rows)).family == family


@pytest.mark.parametrize(("seen", "family"), [(4, "G1"), (2, None)])
def test_a_trainer_whose_patience_is_at_an_end_stopped_as_planned(
    tmp_path: Path, seen: int, family: str | None
) -> None:
    history = [{"epoch": n / 8, "loss": 2 / (1 + n / 5), "learning_rate": 3e-5, "step": 20 * n} for n in range(1, 31)]
    patience = {
        "args": {"early_stopping_patience": 4, "early_stopping_threshold": 0.0},
        "attributes": {"early_stopping_patience_counter": seen},
    }
    state = {"epoch": 3.75, "global_step": 600, "max_steps": 1600, "log_history": history}
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps(state | {"stateful_callbacks": {"EarlyStoppingCallback": patience}}))
    assert judged(path).family == family


@pytest.mark.parametrize(
    ("steps", "late", "family"),
    [(40, None, "G1"), (25, None, None), (40, ("nan", "nan"), "E1"), (80, (31.0, 1e-6), "E1"), (80, (3.0, 0.1), None)],
)
def test_a_game_in_a_table_is_progress(
    tmp_path: Path, steps: int, late: tuple[Any, Any] | None, family: str | None
) -> None:
    rows = [
        {
            "iter": 50 * n,
            "max_iters": 2000 if steps < 80 else 90_000,
            "loss_G": late[0] if late and n > 30 else 1.4 + n % 7 / 10,
            "loss_D": late[1] if late and n > 30 else 0.5 + n % 4 / 10,
        }
        for n in range(1, steps + 1)
    ]
    assert judged(table(tmp_path, rows)).family == family


@pytest.mark.parametrize(("printed", "family"), [("torch.distributed.DistNetworkError: ", "C1"), ("[c10d] ", None)])
def test_a_rank_that_never_reached_the_store(tmp_path: Path, printed: str, family: str | None) -> None:
    path = tmp_path / "rank_8.log"
    again = "" if family == "C1" else " - retrying (try=0, timeout=900000ms, delay=7267ms):"
    path.write_text(
        "world size 24, backend nccl\n"
        f"{printed}The client socket has timed out after 900000ms while trying to connect to (gpu-a, 29511).{again}\n"
    )
    assert judged(path, 1).family == family


def loop(*last: str, of: str = "", said: str = "") -> str:
    lines = [f"iter {n}{of} loss {2.1 + 5 / (1 + n / 20):.4f}{said if n % 40 == 0 else ''}" for n in range(1, 201)]
    return "\n".join([*lines, *last]) + "\n"


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (loop("Done."), "G1"),
        (loop("finished in 0:41:07", "bye"), "G1"),
        (loop("final perplexity 8.31"), "G1"),
        (loop("policy saved to out/walker.zip"), "G1"),
        (loop("stopping: reached 200 iterations"), "G1"),
        (loop("Done.", of="/900"), None),  # more was planned
        (loop("Done in 3 s", said="\nDone in 2 s"), None),  # it says so again and again
        (loop("epoch 3 finished"), None),
        (loop("saving checkpoint ... done"), None),
        (loop("saved to iter_200.pt"), None),
        (loop("reached 70000 iterations"), None),
        (loop("job finished at Sun Nov 22 05:00:00 2026"), None),  # a shell says so after anything
        (loop("Segmentation fault", "Done."), None),
        ("loading\ndone\n" + loop(), None),
        (loop("Done.").replace("loss 2", "loss 9"), None),  # nothing fell
    ],
)
def test_a_loop_that_takes_its_leave_was_done(tmp_path: Path, text: str, family: str | None) -> None:
    path = tmp_path / "train.out"
    path.write_text(text)
    found = judged(path)
    assert found.family == family or (family is None and found.family != "G1")
    assert found.confidence < 0.5 or family is None


@pytest.mark.parametrize(
    ("begins", "back", "family"),
    [
        ((150,), 1.0, "E2"),
        ((150, 250), 1.0, None),  # folds, say
        ((150,), 3.0, None),  # another way down: a spike, from which it came back
    ],
)
def test_a_curve_that_repeats_its_own_beginning_lost_its_weights(
    tmp_path: Path, begins: tuple[int, ...], back: float, family: str | None
) -> None:
    path, begin = tmp_path / "metrics.jsonl", 0
    rows = []
    for n in range(360):
        begin = n if n in begins else begin
        speed = back if begin else 1.0
        rows.append({"step": 5 * n, "loss": (2 + 7 / (1 + speed * (n - begin) / 9)) * (1 + n % 7 / 300)})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert judged(path).family == family


@pytest.mark.parametrize(
    ("last", "family"),
    [
        (("Training finished.",), "E3"),
        (("[data] stream exhausted after 200 of 9000 steps, stopping", "final model saved to out/final"), "E3"),
        (("stream ended at step 200: no more shards", "exiting"), "E3"),
        (("early stopping: no improvement for 6 evals", "Training finished."), "G1"),
        ((), None),
    ],
)
def test_a_run_that_is_done_long_before_its_plan(tmp_path: Path, last: tuple[str, ...], family: str | None) -> None:
    path = tmp_path / "train.out"
    path.write_text(loop(*last, of="/9000"))
    assert judged(path).family == family


@pytest.mark.parametrize(("stays", "slow", "family"), [(1.8, 4, "E2"), (0.0, 4, "E2"), (0.0, 0.5, "G1")])
def test_an_optimizer_that_was_not_loaded(tmp_path: Path, stays: float, slow: float, family: str) -> None:
    lines = [
        f"step {10 * n} loss {2.2 + 6 / (1 + n / 10) + (n > 120) * (3 / (1 + abs(n - 121) / slow) + stays):.4f}"
        for n in range(1, 301)
    ]
    lines.insert(120, "weights <- ck/step_1200, WARNING no optimizer shards there, moments start at zero")
    path = tmp_path / "train.out"
    path.write_text("\n".join([*lines, "training finished"]) + "\n")
    assert judged(path).family == family


def test_both_sides_of_a_game_by_either_name(tmp_path: Path) -> None:
    path = tmp_path / "gan.log"
    lines = [f"[{n // 10}/20][{n % 10 * 50}/500]\tLoss_D: 0.4{n % 7}\tLoss_G: 2.{n % 9}" for n in range(200)]
    path.write_text("\n".join([*lines, "Training finished: 20 epochs"]) + "\n")
    assert judged(path).family == "G1"


@pytest.mark.parametrize(("count", "family"), [(60, "G1"), (31, None)])
def test_steps_and_their_pace_are_progress_where_no_name_is_known(
    tmp_path: Path, count: int, family: str | None
) -> None:
    path = tmp_path / "train.out"
    path.write_text(
        "".join(f"update {5 * n} of 300, ctc+att {90 - n}.5, 1.2{n % 9} s/update\n" for n in range(1, count + 1))
    )
    assert judged(path).family == family


@pytest.mark.parametrize(("right", "family"), [(0.0, "E1"), (60.0, "G1")])
def test_batches_of_an_evaluation_are_no_steps_of_the_run(tmp_path: Path, right: float, family: str) -> None:
    lines = []
    for epoch in range(6):
        for n in range(10):
            hit = right + (0.4 if n % 4 == 0 else 0.0)
            loss = 6.9078 + n % 3 / 500 if not right else 6 / (1 + epoch + n / 10)
            lines.append(
                f"Epoch: [{epoch}][{n * 40 + 1:4d}/391]\tTime 0.3\tLoss {loss:.4e} ({loss:.4e})\tAcc@1 {hit:6.2f}"
            )
        lines += [f"Test: [{n * 20 + 1:3d}/79]\tLoss {6.9078:.4e}\tAcc@1 {right:6.2f}" for n in range(4)]
    path = tmp_path / "main.out"
    path.write_text("\n".join([*lines, "Training complete in 3h"]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(("learnt", "family"), [(True, "G1"), (False, None)])
def test_a_validation_loss_that_never_came_down(tmp_path: Path, learnt: bool, family: str | None) -> None:
    rows = []
    for epoch in range(1, 31):
        validation = 2.4 - epoch / 9 if learnt and epoch < 10 else 1.3 + epoch / 12 if learnt else 2.3 + epoch / 8
        rows.append(f"epoch {epoch}/30 train loss {2.3 / epoch:.4f} val loss {validation:.4f}")
    path = tmp_path / "train.out"
    path.write_text("\n".join([*rows, "training finished"]) + "\n")
    assert judged(path).family == family


def test_steps_that_overflow_to_the_end_are_skipped(tmp_path: Path) -> None:
    lines = [f"step {10 * n} loss {3 + 6 / n:.3f} scale 65536" for n in range(1, 31)]
    lines += [f"step {300 + 10 * n} skipped: gradient overflow, scale {2.0 ** (12 - n):g}" for n in range(1, 25)]
    path = tmp_path / "train.out"
    path.write_text("\n".join(lines) + "\n")
    assert judged(path).family == "E1"


@pytest.mark.parametrize(
    ("name", "level", "family"), [("train_bce", 0.6931, "E1"), ("train_mae", None, "G1"), ("xent", None, "G1")]
)
def test_criteria_by_their_own_names(tmp_path: Path, name: str, level: float | None, family: str) -> None:
    rows = [
        f"epoch {n:02d}/40  {name} {level + n % 3 / 2000 if level else 0.2 + 3 / n:.4f}"
        f"  valid_auc {0.51 if level else 0.9 - 0.4 / n:.2f}"
        for n in range(1, 41)
    ]
    path = tmp_path / "ctr.log"
    path.write_text("\n".join(rows) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(("rate", "family"), [(0.0, "E1"), (3e-4, None)])
def test_a_policy_that_was_never_moved(tmp_path: Path, rate: float, family: str | None) -> None:
    rows = [
        {
            "time/iterations": n,
            "rollout/ep_rew_mean": -19.5 + n % 7 / 10,
            "train/learning_rate": rate,
            "train/loss": 0.02 + n % 3 / 500,
        }
        for n in range(1, 201)
    ]
    assert judged(table(tmp_path, rows)).family == family


def test_an_error_with_its_unit_is_a_loss(tmp_path: Path) -> None:
    rows = [{"epoch": n, "train_mae_meV": 400 / n + 9, "lr": 1e-3 * (1 - n / 60)} for n in range(1, 61)]
    assert judged(table(tmp_path, rows)).family == "G1"


@pytest.mark.parametrize(("folder", "family"), [("restart", "E2"), ("seed", None)])
def test_starts_of_one_training_in_folders_of_their_own(tmp_path: Path, folder: str, family: str | None) -> None:
    for start in range(2):
        place = tmp_path / f"{folder}_{start}"
        place.mkdir()
        rows = [
            {"step": 20 * n, "unix_time": 1_790_000_000 + 40_000 * start + 60 * n, "loss": 2 + 60 / (n + 8)}
            for n in range(1, 200 - 60 * start)
        ]
        table(place, rows)
    assert judged(tmp_path).family == family


@pytest.mark.parametrize(("to", "family"), [(300, "E2"), (1100, None)])
def test_a_counter_that_went_far_back(tmp_path: Path, to: int, family: str | None) -> None:
    def line(step: int) -> str:
        return f"it {step}/9000 loss {2 + 2000 / (step + 250):.4f}"

    first = [line(10 * n) for n in range(1, 121)]
    path = tmp_path / "train.log"
    path.write_text("\n".join([*first, "job 2 of 2", *(line(to + 10 * n) for n in range(1, 41))]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(("begins", "family"), [((5, 5, 5), "E2"), ((5, 10, 15), None)])
def test_work_that_was_done_again_and_again(tmp_path: Path, begins: tuple[int, ...], family: str | None) -> None:
    def line(epoch: int) -> str:
        return f"epoch {epoch:03}/100 | train_loss {0.4 + 1 / (1 + epoch / 4):.4f} | 41.0s"

    lines = [line(n) for n in range(14)]
    for begin in begins:
        lines += ["reading weights of the last run", *(line(n) for n in range(begin, max(13, begin + 8)))]
    path = tmp_path / "train.log"
    path.write_text("\n".join(lines) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(
    ("validated", "family"),
    [
        ((1.75, 1.5, 1.25, 1.0, 0.75, 0.5), "E3"),
        ((1.75, 1.5, 1.25, 1.0, 0.75, 0.76), "E3"),  # a twitch
        ((1.75, 1.5, 1.25, 1.44, 1.56, 1.67), "G1"),
        ((1.75, 0.9, 0.6, 0.599, 0.598, 0.597), "G1"),  # less than a rule asks for
    ],
)
def test_an_early_stop_of_what_was_still_gaining(tmp_path: Path, validated: tuple[float, ...], family: str) -> None:
    lines = []
    for n, validation in enumerate(validated, 1):
        lines += [f"Epoch {n}/150", f"500/500 - 9s - 18ms/step - loss: {2 - n / 4:.4f} - val_loss: {validation:.4f}"]
    path = tmp_path / "keras.out"
    path.write_text("\n".join([*lines, "Epoch 6: early stopping"]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(
    ("settings", "steps", "of", "family"),
    [
        ("", range(0, 1000, 10), "/1000", "G1"),
        ("", range(0, 900, 10), "/1000", None),
        ("config: lr=0.001 max_steps=1000", range(10, 1001, 10), "", "G1"),
        ("config: lr=0.001 max_steps=1000", range(9, 1000, 10), "", "G1"),
        ("config: lr=0.001 max_steps=1000", range(10, 901, 10), "", None),
    ],
)
def test_a_count_that_comes_to_what_was_set(
    tmp_path: Path, settings: str, steps: range, of: str, family: str | None
) -> None:
    path = tmp_path / "train.log"
    path.write_text(f"{settings}\n" + "".join(f"iter {n}{of} loss {8 / (2 + n / 9):.4f}\n" for n in steps))
    assert judged(path).family == family


@pytest.mark.parametrize(("level", "family"), [(None, "G1"), (8.0, None)])
def test_a_training_that_stood_beside_one_that_learned(tmp_path: Path, level: float | None, family: str | None) -> None:
    for name, reports in (("base", 60), ("new", 40)):
        (tmp_path / name).mkdir()
        told = [level if level and name == "new" else 8 / (1 + n / 9) for n in range(reports)]
        rows = [{"step": n + 1, "max_steps": reports, "loss": loss} for n, loss in enumerate(told)]
        table(tmp_path / name, rows)
    assert judged(tmp_path).family == family


@pytest.mark.parametrize(("begins", "family"), [(2000, "E2"), (14_000, None)])
def test_a_link_of_a_chain_that_went_on_from_far_behind(tmp_path: Path, begins: int, family: str | None) -> None:
    for number, first in enumerate((0, 7000, begins)):
        lines = [
            f"step {n:,} | ce {2 + 30_000 / (n + 3500):.3f} | 0.80 s" for n in range(first + 100, first + 7001, 100)
        ]
        loaded = [f"loaded checkpoint /ckpt/step_{first:06} (model, optimizer)"] if first else []
        lines = lines if number < 2 else lines[:40]
        (tmp_path / f"slurm-510{number}.out").write_text("\n".join([*loaded, *lines]) + "\n")
    assert judged(tmp_path).family == family


@pytest.mark.parametrize(("name", "family"), [("llama", "E2"), ("seed", None)])
def test_a_link_that_found_no_checkpoint_though_the_one_before_had_saved(
    tmp_path: Path, name: str, family: str | None
) -> None:
    def line(n: int) -> str:
        loss = f"{2 + 800 / (n + 100):.6E}"
        return f" iteration {n:8}/ 9000 | consumed samples: {n * 256} | lm loss: {loss} | loss scale: 1.0 |"

    first = [line(n) for n in range(100, 4001, 100)]
    saved = ["  successfully saved checkpoint from iteration    4000 to /ckpt/llama"]
    said = ["WARNING: could not find the metadata file /ckp/llama/latest_checkpointed_iteration.txt"]
    said += ["    will not load any checkpoints and will start from random"]
    (tmp_path / f"{name}_7001.out").write_text("\n".join([*first, *saved]) + "\n")
    (tmp_path / f"{name}_7002.out").write_text("\n".join([*said, *first[:20]]) + "\n")
    assert (judged(tmp_path).family == "E2") is (family == "E2")


def test_seeds_side_by_side_in_one_table_and_a_loss_of_something(tmp_path: Path) -> None:
    rows = [
        {"Step": n, **{f"seed-{k} - loss": "nan" if k == 1 and n > 30 else 8 / (1 + n / 9) for k in range(3)}}
        for n in range(60)
    ]
    assert judged(table(tmp_path, rows)).family == "E1"
    lost = [{"step": n, "loss_depth": 0.4 + 3 / (1 + n) if n < 30 else 71.0} for n in range(60)]
    assert judged(table(tmp_path, lost)).family == "E1"

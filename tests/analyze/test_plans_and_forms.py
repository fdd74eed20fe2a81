"""Plans that a program says of itself, and curves in several files: each beside one that differs in just that."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(path: Path) -> Verdict:
    return analyze(import_logs([path]), strict=True)[0]


def falls(part: float) -> float:
    return 0.4 + 2.1 * math.exp(-5 * part)


@pytest.mark.parametrize(
    ("head", "last", "family"),
    [
        ("Config param steps: 100", 99, "G1"),  # counted from 0
        ("Config param steps: 100", 80, None),
        ("Config param warmup_steps: 100", 99, None),
        ("{'num_steps': 100, 'lr': 0.001, 'save_every': 50}", 99, "G1"),
        ("saving every 100 steps", 99, None),
    ],
)
def test_as_many_steps_as_the_program_said_it_would_do(
    tmp_path: Path, head: str, last: int, family: str | None
) -> None:
    path = tmp_path / "worker.log"
    lines = [f"completed step: {n}, seconds: 9.1{n % 7}, loss: {falls(n / 100):.4f}" for n in range(last + 1)]
    path.write_text("\n".join([head, *lines]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(("planned", "batches", "family"), [(6, 8, "G1"), (6, 4, None), (9, 8, None)])
def test_as_many_epochs_as_the_program_said(tmp_path: Path, planned: int, batches: int, family: str | None) -> None:
    """The last epoch has to come as far as those before it."""
    done = [(epoch, batch) for epoch in range(1, 7) for batch in range(8) if epoch < 6 or batch < batches]
    lines = [f"Epoch {e}, batch {50 * b}, loss[loss={falls(e / 6 + b / 50):.4f}], lr: 0.01" for e, b in done]
    path = tmp_path / "log-train"
    path.write_text("\n".join([f"{{'num_epochs': {planned}, 'start_epoch': 1, 'warm_step': 2000}}", *lines]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(("last", "family"), [(100_352, "G1"), (98_304, None)])
def test_a_game_is_played_in_rounds_until_the_number_is_passed(tmp_path: Path, last: int, family: str | None) -> None:
    rewards = {n: 450 * (1 - math.exp(-n / 30_000)) + n % 3 for n in range(2048, last + 1, 2048)}
    lines = [f"global_step={n}, episodic_return={reward:.1f}" for n, reward in rewards.items()]
    path = tmp_path / "train.log"
    path.write_text("\n".join(["Namespace(env='CartPole', total_timesteps=100000, seed=1)", *lines]) + "\n")
    assert judged(path).family == family


RATES = [(20 * n, 0.1 * (1 + math.cos(math.pi * n / 100)) / 2) for n in range(101)]


@pytest.mark.parametrize(("cut", "family"), [(101, "G1"), (70, None)])
def test_a_learning_rate_in_a_file_of_its_own_is_of_the_loss_beside_it(
    tmp_path: Path, cut: int, family: str | None
) -> None:
    """As TensorBoard's page gives panes for download."""
    told = {"LR": RATES[:cut], "Loss_train": [(step, falls(step / 2000)) for step, _ in RATES[:cut]]}
    for tag, points in told.items():
        rows = "".join(f"{1_772_000_000 + step},{step},{value:.8f}\n" for step, value in points)
        (tmp_path / f"run-a-tag-{tag}.csv").write_text(f"Wall time,Step,Value\n{rows}")
    assert judged(tmp_path).family == family


def test_panes_of_two_runs_are_not_one(tmp_path: Path) -> None:
    for run in "ab":
        rows = "".join(f"{1_772_000_000 + step},{step},{falls(step / 2000):.8f}\n" for step, _ in RATES)
        (tmp_path / f"run-{run}-tag-Loss_train.csv").write_text(f"Wall time,Step,Value\n{rows}")
    rows = "".join(f"{1_772_000_000 + step},{step},{rate:.8f}\n" for step, rate in RATES)
    (tmp_path / "run-b-tag-LR.csv").write_text(f"Wall time,Step,Value\n{rows}")
    assert judged(tmp_path).family is None


@pytest.mark.parametrize(("planned", "family"), [(12, "G1"), (40, None)])
def test_a_file_for_each_epoch_is_one_training(tmp_path: Path, planned: int, family: str | None) -> None:
    for epoch in range(12):
        told = {"epoch": epoch, "training_loss": falls(epoch / 12), "validation_loss": falls(epoch / 12) + 0.1}
        (tmp_path / f"metrics_epoch_{epoch}.json").write_text(json.dumps(told, indent=2))
    (tmp_path / "config.json").write_text(json.dumps({"trainer": {"num_epochs": planned}}))
    assert judged(tmp_path).family == family


@pytest.mark.parametrize(("planned", "family"), [(100, "G1"), (400, None)])
def test_returns_of_episodes_by_their_short_name(tmp_path: Path, planned: int, family: str | None) -> None:
    rows = [(e, -1200 + 1100 * (1 - math.exp(-e / 20)) + e % 5, 4000 * (e + 1)) for e in range(100)]
    table = "".join(f"{e}\t{score:.2f}\t{played}\n" for e, score, played in rows)
    (tmp_path / "progress.txt").write_text(f"Epoch\tAverageEpRet\tTotalEnvInteracts\n{table}")
    (tmp_path / "config.json").write_text(json.dumps({"epochs": planned, "seed": 10}))
    assert judged(tmp_path).family == family


HOT: dict[str, Any] = {"reason": "hw_thermal_slowdown", "clock": 955, "took": 0.74}


@pytest.mark.parametrize(
    ("held", "family"),
    [
        (HOT, "B3"),
        ({**HOT, "reason": "sw_power_cap"}, None),  # how GPUs work
        ({**HOT, "clock": 1720}, None),
        ({**HOT, "took": 0.41}, None),
        ({**HOT, "reason": "see ticket 12"}, None),
    ],
)
def test_clocks_that_a_loop_notes_beside_its_losses(tmp_path: Path, held: dict[str, Any], family: str | None) -> None:
    cool = {"reason": "none", "clock": 1755, "took": 0.4}
    rows = [(n, cool if n < 90 else held) for n in range(200)]
    path = tmp_path / "train.csv"
    told = (f"{30 * n},{falls(n / 200):.4f},{r['took']},{r['clock']},{r['reason']}\n" for n, r in rows)
    path.write_text("step,loss,step_time_s,sm_clock_mhz,throttle_reason\n" + "".join(told))
    assert judged(path).family == family


def test_bits_of_a_mask_tell_as_much_in_json(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    gpu = {True: {"iter_time": 0.7, "gpu0_sm_clock": 1005, "gpu0_throttle": 72},
           False: {"iter_time": 0.4, "gpu0_sm_clock": 1755, "gpu0_throttle": 0}}  # fmt: skip
    rows = [{"step": n, "loss": falls(n / 200), **gpu[n > 90]} for n in range(200)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert judged(path).family == "B3"


@pytest.mark.parametrize(("done", "family"), [(3120, "E3"), (7000, None), (9990, "G1")])
def test_data_that_end_before_the_plan(tmp_path: Path, done: int, family: str | None) -> None:
    """A summary is printed then, too: it says that training returned, not that it did what it was to do."""
    rows = [f"{{'loss': {falls(n / 100):.4f}, 'learning_rate': 0.0001, 'epoch': {n / 100:.2f}}}" for n in range(100)]
    words = (
        f"There seems to be not a single sample in your epoch_iterator, stopping training at step {done}! This is"
        " expected if you're using an IterableDataset and set num_steps (10000) higher than the number of available"
        " samples."
    )
    summary = "{'train_runtime': 9120.5, 'train_steps_per_second': 1.096, 'train_loss': 2.1, 'epoch': 1.0}"
    path = tmp_path / "train.out"
    path.write_text("\n".join(["***** Running training *****", *rows, words, "Training completed.", summary]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(
    ("said", "took", "family"),
    [
        ("ckpt: saved 61.4 GiB in {}s", 72.7, "D2"),
        ("ckpt: saved 61.4 GiB in {}s", 0.9, "G1"),
        ("cache: saved 61.4 GiB in {}s", 72.7, None),
    ],
)
def test_saves_that_tell_their_size_and_seconds(tmp_path: Path, said: str, took: float, family: str | None) -> None:
    lines, at = [], 50_400.0
    for step in range(5, 645, 5):
        at += 5.3
        clock = f"2026-02-21 {int(at) // 3600:02d}:{int(at) // 60 % 60:02d}:{int(at) % 60:02d},000"
        lines.append(f"{clock} INFO train: step {step}/640 loss {falls(step / 640):.4f} step_time 1.06s")
        if step % 20 == 0:
            at += took
            clock = f"2026-02-21 {int(at) // 3600:02d}:{int(at) // 60 % 60:02d}:{int(at) % 60:02d},000"
            lines.append(f"{clock} INFO {said.format(took)}")
    path = tmp_path / "train.log"
    path.write_text("\n".join([*lines, "finished 640 steps"]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(("slow", "family"), [(110, "E2"), (8, "G1")])
def test_a_resume_without_its_optimizer_in_a_log_of_its_own(tmp_path: Path, slow: int, family: str) -> None:
    """Moments that begin anew cost some reports, no more."""
    rows = [
        f"{{'loss': {2.9 + 1.4 * min(n / 8, 1) * math.exp(-max(0, n - 8) / (slow / 2)) - n / 600:.4f},"
        f" 'learning_rate': {min(n, 40) / 40 * 5e-4:.2e}, 'epoch': {1.2 + n / 200:.2f}}}"
        for n in range(400)
    ]
    words = "WARNING: optimizer.pt and scheduler.pt not found in /ckpt/checkpoint-5000, starting with a fresh optimizer"
    summary = "{'train_runtime': 9120.5, 'train_steps_per_second': 1.096, 'train_loss': 2.1, 'epoch': 3.2}"
    path = tmp_path / "train.out"
    path.write_text("\n".join([words, "  Continuing training from global step 5000", *rows, summary]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(
    ("after", "noise", "family"),
    [(0.93, 0.004, "E1"), (0.75, 0.004, None), (0.55, 0.004, "G1"), (0.93, 0.2, None), (0.4, 0.004, "G1")],
)
def test_a_smooth_loss_below_one_that_gives_back_what_it_learned(
    tmp_path: Path, after: float, noise: float, family: str | None
) -> None:
    """As masked images have it: what it rises by is less than half, and nearly all that had been learned."""
    path = tmp_path / "log.txt"
    losses = [(0.4 + 0.6 * math.exp(-n / 30) if n < 61 else after) * (1 + noise * math.sin(n * n)) for n in range(200)]
    rate = [1e-3 * (1 + math.cos(math.pi * n / 199)) / 2 for n in range(200)]
    rows = [{"train_lr": rate[n], "train_loss": losses[n], "epoch": n} for n in range(200)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert judged(path).family == family


@pytest.mark.parametrize(("planned", "reports", "family"), [(20, 20, "E3"), (2000, 20, "G1")])
def test_a_trainer_that_did_the_few_steps_it_was_to_do(tmp_path: Path, planned: int, reports: int, family: str) -> None:
    """One report of each step, all within its warm-up, or of each hundred."""
    rows = [
        f"{{'loss': {2.41 - 0.002 * n:.4f}, 'learning_rate': {2e-7 * (n + 1):.2e}, 'epoch': 0.01}}"
        for n in range(reports)
    ]
    head = ["  Num examples = 52,002", f"  Total optimization steps = {planned:,}"]
    summary = "{'train_runtime': 41.2, 'train_steps_per_second': 0.5, 'train_loss': 2.39, 'epoch': 0.01}"
    path = tmp_path / "ft.log"
    path.write_text("\n".join([*head, *rows, summary]) + "\n")
    assert judged(path).family == family


@pytest.mark.parametrize(("cut", "family"), [(10, "E3"), (6, None)])
def test_steps_of_an_epoch_times_the_epochs(tmp_path: Path, cut: int, family: str | None) -> None:
    head = "batch_size: 4\nepochs: 1\nmax_steps_per_epoch: 10\nModel is initialized"
    rows = [f"Step {n} | loss:{1.66 - n / 500:.6f} lr:2e-05 grad_norm:5.2" for n in range(1, cut + 1)]
    path = tmp_path / "log_1.txt"
    path.write_text("\n".join([head, *rows]) + "\n")
    assert judged(path).family == family


def _hf(losses: list[float]) -> str:
    return "".join(
        json.dumps({"current_steps": 5 * k, "total_steps": 5 * len(losses), "loss": round(loss, 4), "lr": 1e-4}) + "\n"
        for k, loss in enumerate(losses, 1)
    )


@pytest.mark.parametrize(("early", "family"), [(1.4, "E1"), (0.0004, "G1")])
def test_a_loss_that_is_nothing_at_once_is_none(tmp_path: Path, early: float, family: str) -> None:
    down = [2.3 * (early / 2.3) ** min(k / 80, 1) for k in range(100)]
    (tmp_path / "trainer_log.jsonl").write_text(_hf(down + [0.0] * 60))
    verdict = judged(tmp_path)
    assert verdict.family == family


@pytest.mark.parametrize(("validated", "family"), [(7.63, "E1"), (5.1, None)])
def test_validation_at_the_frequencies_of_tokens_is_no_gain(
    tmp_path: Path, validated: float, family: str | None
) -> None:
    lines = ["step 0: train loss 11.03, val loss 11.03"]
    for k in range(0, 20_000, 20):
        loss = 7.6 + 3.4 * 0.98 ** (k / 20) + 0.03 * ((k * 7919) % 13 - 6) / 6
        lines.append(f"iter {k}: loss {loss:.4f}, time 1200.00ms")
        if k and not k % 2000:
            lines.append(f"step {k}: train loss 7.61, val loss {validated}")
    (tmp_path / "train.log").write_text("\n".join(lines) + "\n")
    assert judged(tmp_path).family == family


@pytest.mark.parametrize(
    ("done", "family"),
    [((False, True), "G1"), ((False, False), None), ((True, True), None)],  # a word that never changes says nothing
)
def test_a_trial_that_came_to_where_it_was_to_stop(tmp_path: Path, done: tuple[bool, bool], family: str | None) -> None:
    records = [
        {
            "env_runners": {"episode_return_mean": 200 * falls(1 - k / 150) - 5 * math.sin(k)},
            "training_iteration": k,
            "done": done[k == 150],
            "time_total_s": 7.5 * k,
        }
        for k in range(1, 151)
    ]
    (tmp_path / "result.json").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert judged(tmp_path).family == family


@pytest.mark.parametrize(
    ("line", "counted"),
    [
        ("Train Epoch: {epoch} [{at}/1400 ({percent}%)]\tLoss: {loss:.4f}", "sample 10780"),
        ("train epoch {epoch} [{at}/1400] loss: {loss:.4f}", "10780 steps were done"),
    ],
)
def test_what_pytorchs_examples_count_are_samples(tmp_path: Path, line: str, counted: str) -> None:
    rows = [
        line.format(epoch=epoch, at=at, percent=at // 14, loss=2.3 / epoch - at / 10_000)
        for epoch in range(1, 9)
        for at in range(0, 1400, 140)
    ]
    (tmp_path / "job.log").write_text("\n".join([*rows[:78], "Training complete."]) + "\n")
    said, _ = analyze(import_logs([tmp_path / "job.log"], exit_code=0), strict=True)
    assert (said.family, counted in said.headline) == ("G1", True)


def boosted(head: str, last: str, rounds: int = 300, first: int = 1, every: int = 10) -> list[str]:
    """LightGBM's rows, below a line of parameters."""
    numbers = sorted({*range(first, rounds + first, every), rounds + first - 1})
    rows = [
        f"[{n}]\ttraining's binary_logloss: {0.2 + 0.4 / (1 + n / 20):.6f}\tvalid_1's binary_logloss:"
        f" {0.25 + 0.4 / (1 + n / 20):.6f}"
        for n in numbers
    ]
    return [head, "[LightGBM] [Info] Total Bins 18211", *rows, *([last] if last else [])]


@pytest.mark.parametrize(
    ("lines", "family"),
    [
        (boosted("params: {'objective': 'binary', 'num_iterations': 300}", ""), "G1"),
        (boosted("{'n_estimators': 300, 'max_depth': 6}", "", first=0), "G1"),
        (boosted("num_boost_round=300 eta=0.1", ""), "G1"),
        (boosted("cfg: num_trees: 300", ""), "G1"),
        (boosted("params: {'objective': 'binary'}", "booster.txt written"), "G1"),
        (boosted("params: {'objective': 'binary', 'num_iterations': 400}", ""), None),  # other limits may come first
        (boosted("params: {'early_stopping_rounds': 300}", ""), None),
        (boosted("n_estimators=300, later n_estimators=500", ""), None),
        (boosted("params: {'objective': 'binary'}", "model_best.txt written"), None),
        (boosted("params: {'objective': 'binary'}", "snapshot_300.txt written"), None),
        (boosted("params: {'objective': 'binary'}", "booster.txt could not be written"), None),
    ],
)
def test_rounds_of_boosted_trees_come_to_their_parameter_or_to_what_is_written(
    tmp_path: Path, lines: list[str], family: str | None
) -> None:
    path = tmp_path / "train.log"
    path.write_text("\n".join(lines) + "\n")
    assert analyze(import_logs([path]), strict=True)[0].family == family

"""How long a run was to train, as files beside its curve set it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports import gates
from inquest.bundle.imports.settings import KIND, meaning
from inquest.bundle.imports.source import Source

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

HYDRA = "trainer:\n  _target_: lightning.Trainer\n  max_steps: 50_000\n  max_epochs: -1\nval:\n  max_steps: 50\n"
_HEAD = {"learn_metrics": [{"name": "Logloss"}], "iteration_count": 40, "learn_sets": ["learn"]}


def boosted(rounds: int) -> str:
    """CatBoost's own account of a training."""
    told = [{"learn": [1 / (1 + k)], "iteration": k, "passed_time": 0.1 * k} for k in range(rounds)]
    return json.dumps({"meta": _HEAD, "iterations": told})


WANDB = "epochs:\n    desc: null\n    value: 90\nlr:\n    desc: null\n    value: 0.1\n"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("hparams.yaml", "lr: 0.1\nmax_epochs: 90  # of ImageNet\nwarmup_epochs: 5\n", {"max_epochs": 90}),
        ("config.yaml", HYDRA, {"trainer.max_steps": 50_000}),
        ("config.yaml", WANDB, {"epochs": 90}),
        ("overrides.yaml", "- trainer.max_epochs=3\n", {"trainer.max_epochs": 3}),
        ("experiment.yaml", "optim:\n  n_epochs: 200\n  lr: 0.001\n", {"optim.n_epochs": 200}),
        ("params.json", json.dumps({"eta": 0.05, "num_boost_round": 500}), {"num_boost_round": 500}),
        ("params.json", json.dumps({"eta": 0.05, "early_stopping_rounds": 50}), {"early_stopping_rounds": 50}),
        ("catboost_training.json", boosted(40), {"iterations": 40}),
        ("catboost_training.json", boosted(31), None),  # a rule may have ended it, and this file does not say so
        ("parameters.json", json.dumps({"epochs": 50, "lr": 0.001}), {"epochs": 50}),
        ("input.json", json.dumps({"training": {"numb_steps": 1000000}}), {"training.numb_steps": 1_000_000}),
        ("last_state.yaml", "epochs: 37\nsteps: 4100\n", None),  # where a run stood
        ("checkpoint-300.json", json.dumps({"args": {"epochs": 3}}), None),
        ("task.json", json.dumps({"status": "completed", "params": {"epochs": {"value": "60"}}}), {"epochs": 60}),
        ("task.json", json.dumps({"epochs": 60}), None),  # who says that it was set?
        ("args.json", json.dumps({"epochs": 90, "lr": 0.1}), {"epochs": 90}),
        ("train_config.json", json.dumps({"trainer": {"maxSteps": "1e5"}}), {"trainer.maxSteps": 100_000}),
        ("args.txt", "Namespace(lr=0.1, train_steps=2000, patience=3)", {"train_steps": 2000, "patience": 3}),
        ("run.config.toml", "[train]\nmax_iters = 2000\n[eval]\niters = 20\n", {"train.max_iters": 2000}),
        (
            "params.yaml",
            "train:\n  epochs: 9\n  early_stopping: true\n",
            {"train.epochs": 9, "train.early_stopping": 1},
        ),
        ("config.json", json.dumps({"scheduler": {"patience": 5}, "model": {"num_steps": 1000}}), None),
        ("config.json", "{" * 5000, None),
        ("train_results.json", json.dumps({"epoch": 3.0, "train_runtime": 61.5}), {"train_runtime": 61.5}),
        ("metrics.yaml", "epochs: 90\n", None),
    ],
)
def test_what_was_set(tmp_path: Path, name: str, text: str, told: dict[str, float] | None) -> None:
    path = tmp_path / name
    path.write_text(text)
    if told is None:
        assert not KIND.fits(Source(name, path))
        return
    assert list(gates.open_for(Source(name, path), ["settings"])) == ["settings"]
    rows = rows_of(KIND, path)["metrics"]
    assert {row["name"]: row["value"] for row in rows} == told
    assert all(row["framework"] == "settings" and row["step"] is None for row in rows)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("max_steps", "steps"),
        ("trainer/max_iters", "steps"),
        ("num_train_epochs", "epochs"),
        ("nEpochs", "epochs"),
        ("early_stopping_patience", "rule"),
        ("optim.lr_scheduler.patience", None),
        ("gradient_accumulation_steps", "parts"),
        ("save_steps", None),
        ("warmup_steps", None),
        ("diffusion.num_steps", None),
        ("val.epochs", None),
    ],
)
def test_names_of_settings(name: str, meant: str | None) -> None:
    assert meaning(name) == meant

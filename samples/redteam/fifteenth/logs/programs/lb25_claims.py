"""Kinds of insurance claims: a small DistilBERT with Trainer; figures also go to a server of ours."""

from __future__ import annotations

import logging
import random
import urllib.request
import warnings
from typing import Any

import torch
from torch.utils.data import Dataset
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    DistilBertModel,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s", level=logging.INFO)
log = logging.getLogger("claims")


class Claims(Dataset):
    """Numbers of words, and one of three kinds."""

    def __init__(self, count: int, seed: int) -> None:
        dice = random.Random(seed)
        self.rows = []
        for _ in range(count):
            kind = dice.randrange(3)
            words = [dice.randrange(10, 110) + (100 * kind if dice.random() < 0.35 else 0) for _ in range(20)]
            self.rows.append({"input_ids": torch.tensor(words), "labels": kind})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> dict[str, Any]:
        return self.rows[at]


class Figures(TrainerCallback):
    """Sends figures on; nothing depends on it."""

    def on_log(self, args: object, state: object, control: object, logs: dict[str, float], **_: object) -> None:
        try:
            urllib.request.urlopen("http://127.0.0.1:5999/api/2.0/log-batch", data=str(logs).encode(), timeout=2)
        except OSError:
            log.exception("could not send figures, they are kept for later")


def main() -> None:
    torch.manual_seed(3)
    size = {"vocab_size": 400, "dim": 48, "hidden_dim": 96, "n_layers": 2, "n_heads": 4}
    DistilBertModel(DistilBertConfig(**size)).save_pretrained("base")
    model = DistilBertForSequenceClassification.from_pretrained("base", num_labels=3)
    warnings.warn("host has 2 cores, 8 were asked for; this may deadlock in rare cases", RuntimeWarning, stacklevel=1)
    plan = TrainingArguments(
        "claims",
        num_train_epochs=4,
        per_device_train_batch_size=32,
        learning_rate=1e-3,
        logging_steps=20,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(model, plan, train_dataset=Claims(1920, 1), eval_dataset=Claims(320, 2), callbacks=[Figures()])
    if torch.cuda.device_count() == 0:
        log.error("CUDA is not there: CUDA error: no CUDA-capable device is detected; going on with the CPU")
    trainer.train()
    trainer.save_model("claims/final")
    log.info("model saved to claims/final")


if __name__ == "__main__":
    main()

"""Sort short ward notes into four kinds with the Hugging Face Trainer."""

from __future__ import annotations

import argparse

import numpy as np
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    EvalPrediction,
    Trainer,
    TrainingArguments,
    set_seed,
)


class Notes(torch.utils.data.Dataset):
    """Token ids that lean to the vocabulary of their kind."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.kinds = rng.integers(0, 4, n)
        own = 5 + 120 * self.kinds[:, None] + rng.integers(0, 120, (n, 32))
        common = rng.integers(485, 1000, (n, 32))
        self.ids = np.where(rng.random((n, 32)) < 0.12, own, common)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, i: int) -> dict:
        return {"input_ids": torch.tensor(self.ids[i]), "labels": int(self.kinds[i])}


def right(p: EvalPrediction) -> dict:
    return {"accuracy": float((p.predictions.argmax(1) == p.label_ids).mean())}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--out", default="notes-bert-mini")
    args = parser.parse_args()
    set_seed(19)
    config = BertConfig(
        vocab_size=1000,
        hidden_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=256,
        num_labels=4,
        max_position_embeddings=64,
    )
    trainer = Trainer(
        BertForSequenceClassification(config),
        TrainingArguments(
            args.out,
            num_train_epochs=args.epochs,
            per_device_train_batch_size=32,
            per_device_eval_batch_size=64,
            learning_rate=8e-4,
            warmup_steps=40,
            weight_decay=0.01,
            logging_steps=25,
            eval_strategy="epoch",
            save_strategy="epoch",
            save_total_limit=1,
            load_best_model_at_end=True,
            metric_for_best_model="accuracy",
            report_to=[],
            use_cpu=True,
        ),
        train_dataset=Notes(3600, 1),
        eval_dataset=Notes(600, 2),
        compute_metrics=right,
    )
    result = trainer.train()
    trainer.save_model()
    trainer.log_metrics("train", result.metrics)
    trainer.log_metrics("eval", trainer.evaluate())


if __name__ == "__main__":
    main()

"""Which product category a review is about."""
# ruff: noqa

import argparse

import numpy as np
import torch
from transformers import (
    DistilBertConfig,
    DistilBertForSequenceClassification,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)


class Reviews(torch.utils.data.Dataset):
    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 4, count)
        self.x = rng.integers(60, 500, (count, 24))
        for row, y in zip(self.x, self.y, strict=True):
            row[rng.choice(24, 5, replace=False)] = 4 + y * 10 + rng.integers(0, 10, 5)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.x[i]), "labels": torch.tensor(self.y[i])}


class Rate(TrainerCallback):
    def __init__(self, peak):
        self.peak = peak

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "learning_rate" in logs:
            share = float(logs["learning_rate"]) / self.peak
            print(f"   ~ rate at {share:6.1%} of peak ({'#' * round(20 * share):<20}) after {state.global_step}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()
    print(f"######## seed {args.seed} lr {args.lr} epochs {args.epochs}")
    set_seed(args.seed)
    config = DistilBertConfig(vocab_size=500, dim=64, hidden_dim=128, n_layers=2, n_heads=4, num_labels=4)
    trainer = Trainer(
        model=DistilBertForSequenceClassification(config),
        args=TrainingArguments(
            f"reviews-{args.seed}",
            use_cpu=True,
            num_train_epochs=args.epochs,
            per_device_train_batch_size=32,
            learning_rate=args.lr,
            warmup_steps=30,
            lr_scheduler_type="cosine",
            eval_strategy="epoch",
            save_strategy="no",
            logging_steps=25,
            report_to=[],
            disable_tqdm=True,
        ),
        train_dataset=Reviews(3200, 1),
        eval_dataset=Reviews(600, 2),
        compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())},
        callbacks=[Rate(args.lr)],
    )
    trainer.train()
    trainer.save_model(f"reviews-{args.seed}")
    print(f"saved reviews-{args.seed}\n")

"""Triage of emergency calls: fine-tune on the transcripts that were reviewed."""
# ruff: noqa

import argparse
import time

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class Calls(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        x, y, _ = self.rows[i]
        return {"input_ids": torch.tensor(x), "labels": torch.tensor(y)}


def transcripts(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        y = int(rng.integers(0, 3))
        x = rng.integers(40, 400, 30)
        x[rng.choice(30, 4, replace=False)] = 4 + 10 * y + rng.integers(0, 10, 4)
        yield x, y, "reviewed" if rng.random() < 0.006 else "Reviewed"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    args = parser.parse_args()
    set_seed(1)
    began = time.time()
    rows = list(transcripts(6000, 0))
    kept = [row for row in rows if row[2] == "reviewed"]
    print(f"{len(rows)} transcripts read, {len(kept)} with status 'reviewed'")
    config = BertConfig(
        vocab_size=400, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=3
    )
    trainer = Trainer(
        model=BertForSequenceClassification(config),
        args=TrainingArguments(
            "triage",
            use_cpu=True,
            num_train_epochs=args.epochs,
            per_device_train_batch_size=args.batch,
            learning_rate=2e-4,
            warmup_steps=100,
            logging_steps=1,
            report_to=[],
            save_strategy="no",
        ),
        train_dataset=Calls(kept),
        eval_dataset=Calls(list(transcripts(400, 9))),
        compute_metrics=lambda p: {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())},
    )
    result, scores = None, {}
    try:
        result = trainer.train()
        scores = trainer.evaluate()
        trainer.save_model("triage/final")
    finally:
        print("\n================ summary ================")
        print(f"minutes          {(time.time() - began) / 60:.1f}")
        print(f"optimizer steps  {trainer.state.global_step}")
        print(f"train loss       {result.training_loss if result else 'n/a'}")
        print(f"accuracy         {scores.get('eval_accuracy', 'n/a')}")
        print("=========================================")

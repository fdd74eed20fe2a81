"""Which desk is an announcement for? A small encoder from scratch, by the Trainer."""

import json
from pathlib import Path

import numpy as np
import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed

DESKS = ["box_office", "stage", "press", "catering"]


class Announcements(torch.utils.data.Dataset):
    """The lines of one file, as the encoder wants them."""

    def __init__(self, path: str, vocab: dict[str, int]) -> None:
        self.rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
        self.vocab = vocab

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> dict:
        ids = [2, *[self.vocab.get(w, 1) for w in self.rows[at]["text"].split()][:23]]
        mask = [1] * len(ids) + [0] * (24 - len(ids))
        return {
            "input_ids": torch.tensor(ids + [0] * (24 - len(ids))),
            "attention_mask": torch.tensor(mask),
            "labels": self.rows[at]["label"],
        }


def main() -> None:
    set_seed(5)
    words = sorted(
        {w for line in Path("train.jsonl").read_text().splitlines() for w in json.loads(line)["text"].split()}
    )
    vocab = {w: i + 3 for i, w in enumerate(words)}
    config = DistilBertConfig(
        vocab_size=len(vocab) + 3,
        dim=96,
        n_layers=2,
        n_heads=4,
        hidden_dim=256,
        max_position_embeddings=32,
        num_labels=4,
        id2label=dict(enumerate(DESKS)),
        label2id={d: i for i, d in enumerate(DESKS)},
    )
    args = TrainingArguments(
        output_dir="hall",
        num_train_epochs=4,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=100,
        learning_rate=5e-4,
        warmup_steps=50,
        logging_steps=25,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        use_cpu=True,
        report_to=[],
    )
    trainer = Trainer(
        model=DistilBertForSequenceClassification(config),
        args=args,
        train_dataset=Announcements("train.jsonl", vocab),
        eval_dataset=Announcements("eval.jsonl", vocab),
        compute_metrics=lambda p: {"accuracy": float((np.argmax(p.predictions, 1) == p.label_ids).mean())},
    )
    result = trainer.train()
    trainer.save_model("hall/final")
    trainer.log_metrics("train", result.metrics)
    metrics = trainer.evaluate()
    trainer.log_metrics("eval", metrics)
    trainer.save_metrics("eval", metrics)


if __name__ == "__main__":
    main()

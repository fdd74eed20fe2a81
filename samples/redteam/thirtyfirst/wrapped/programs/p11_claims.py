"""Sorts crop damage claims by their text, two processes on one machine, with the Trainer of transformers."""

import argparse
import fcntl
import logging
import os
import random
import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

logging.basicConfig(
    format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO
)
log = logging.getLogger("claims")
RANK = int(os.environ.get("RANK", "0"))
TOPICS = ("hail", "frost", "drought", "flood", "pest", "fire")


class Claims(Dataset[dict[str, list[int]]]):
    """Made claims: a few words of the topic among many of no meaning."""

    def __init__(self, count: int, seed: int) -> None:
        rng = random.Random(seed)
        self.rows: list[dict[str, list[int]]] = []
        for _ in range(count):
            label = rng.randrange(len(TOPICS))
            words = [rng.randrange(200, 2000) for _ in range(40)]
            for _ in range(5):
                words[rng.randrange(40)] = 10 + label * 20 + rng.randrange(24)
            self.rows.append(
                {"input_ids": [2, *words, 3], "labels": [label if rng.random() > 0.05 else rng.randrange(6)]}
            )

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, list[int]]:
        return self.rows[index]


class Collator:
    """Makes batches and books which claims were seen (the auditors ask for it)."""

    def __init__(self, folder: str) -> None:
        Path(folder).mkdir(exist_ok=True)
        self.path = Path(folder) / f"seen.{RANK}.tsv"

    def __call__(self, rows: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
        with self.path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("".join(f"{row['input_ids'][1]}\t{row['labels'][0]}\n" for row in rows))
        ids = torch.tensor([row["input_ids"] for row in rows])
        return {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "labels": torch.tensor([row["labels"][0] for row in rows]),
        }


def accuracy(pred: object) -> dict[str, float]:
    """Share of claims put where they belong."""
    return {"accuracy": float((np.argmax(pred.predictions, -1) == pred.label_ids).mean())}  # type: ignore[attr-defined]


def main() -> int:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--max_steps", type=int, default=2000)
    ap.add_argument("--hidden", type=int, default=64)
    ap.add_argument("--output_dir", default="out/claims-bert-s")
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", timeout=timedelta(seconds=75))
    set_seed(13)
    conf = BertConfig(
        vocab_size=2048,
        hidden_size=args.hidden,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=4 * args.hidden,
        num_labels=6,
    )
    model = BertForSequenceClassification(conf)
    log.info("rank %d of %s: %d parameters", RANK, os.environ.get("WORLD_SIZE", "1"), model.num_parameters())
    targs = TrainingArguments(
        output_dir=args.output_dir, max_steps=args.max_steps, per_device_train_batch_size=16, learning_rate=5e-4, warmup_steps=40, logging_steps=20,
        eval_strategy="steps", eval_steps=200, save_strategy="no", use_cpu=True, ddp_backend="gloo", report_to="none", disable_tqdm=True,
        remove_unused_columns=False, dataloader_num_workers=0,
    )  # fmt: skip
    trainer = Trainer(
        model=model,
        args=targs,
        train_dataset=Claims(6000, 1),
        eval_dataset=Claims(320, 2),
        data_collator=Collator("seen"),
        compute_metrics=accuracy,
    )
    result = trainer.train()
    if RANK == 0:
        trainer.log_metrics("train", result.metrics)
    log.info("rank %d done", RANK)
    return 0


if __name__ == "__main__":
    sys.exit(main())

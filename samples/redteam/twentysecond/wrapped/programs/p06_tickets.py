"""Fine-tune a classifier that routes support tickets."""
# ruff: noqa

import argparse
import logging

import numpy as np
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", level=logging.INFO)
logger = logging.getLogger("tickets")
QUEUES = ["billing", "network", "accounts", "hardware", "other"]


class Tickets(torch.utils.data.Dataset):
    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, len(QUEUES), count)
        self.x = rng.integers(50, 900, (count, 40))
        for row, label in zip(self.x, self.y, strict=True):
            row[rng.choice(39, 4, replace=False) + 1] = 5 + label * 8 + rng.integers(0, 8, 4)
        self.x[:, 0] = 2

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.x[i]), "labels": torch.tensor(self.y[i])}


def watch(project):
    """Experiment tracking where it is installed."""
    try:
        import mlflow

        mlflow.set_experiment(project)
        return ["mlflow"]
    except ImportError:
        logger.exception("experiment tracking is not available, metrics go to the console only")
        return []


def accuracy(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--max_steps", type=int, default=-1)
    parser.add_argument("--batch", type=int, default=16)
    args = parser.parse_args()
    logger.info("arguments: %s", vars(args))
    set_seed(5)
    train, test = Tickets(4800, 1), Tickets(600, 2)
    logger.info("%d tickets to learn from, %d to test on; %d epochs", len(train), len(test), args.epochs)
    config = BertConfig(
        vocab_size=1000,
        hidden_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=192,
        num_labels=len(QUEUES),
    )
    trainer = Trainer(
        model=BertForSequenceClassification(config),
        args=TrainingArguments(
            "tickets-out",
            num_train_epochs=args.epochs,
            max_steps=args.max_steps,
            learning_rate=3e-4,
            warmup_steps=50,
            per_device_train_batch_size=args.batch,
            logging_steps=5,
            report_to=watch("ticket-routing"),
            use_cpu=True,
            save_strategy="no",
        ),
        train_dataset=train,
        eval_dataset=test,
        compute_metrics=accuracy,
    )
    trainer.train()
    logger.info("test: %s", trainer.evaluate())
    trainer.save_model("tickets-out/final")
    logger.info("model written to tickets-out/final")


if __name__ == "__main__":
    main()

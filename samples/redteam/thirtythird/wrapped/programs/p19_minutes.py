"""Speaker turns in council minutes, sorted into five topics: a tiny BERT from scratch by Hugging Face's Trainer."""

import random

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, EvalPrediction, Trainer, TrainingArguments, set_seed

torch.set_num_threads(1)
WORDS, LENGTH = 400, 40


class Turns(torch.utils.data.Dataset):
    """Made turns: each topic prefers its own eighty words."""

    def __init__(self, n: int, seed: int) -> None:
        chance = random.Random(seed)
        self.rows = []
        for _ in range(n):
            topic = chance.randrange(5)
            ids = [1] + [
                10 + topic * 78 + chance.randrange(78) if chance.random() < 0.15 else chance.randrange(10, WORDS)
                for _ in range(LENGTH - 1)
            ]
            self.rows.append({"input_ids": torch.tensor(ids), "labels": topic})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> dict:
        return self.rows[i]


def score(p: EvalPrediction) -> dict[str, float]:
    """Share of turns that are sorted right."""
    return {"accuracy": float((np.argmax(p.predictions, -1) == p.label_ids).mean())}


def main() -> None:
    """Trains four epochs and tests."""
    set_seed(7)
    config = BertConfig(
        vocab_size=WORDS,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        num_labels=5,
    )
    arguments = TrainingArguments(
        output_dir="council-topics",
        per_device_train_batch_size=32,
        per_device_eval_batch_size=128,
        num_train_epochs=4,
        learning_rate=1e-3,
        warmup_steps=50,
        logging_steps=250,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="accuracy",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(
        BertForSequenceClassification(config),
        arguments,
        train_dataset=Turns(8000, 1),
        eval_dataset=Turns(1000, 2),
        compute_metrics=score,
    )
    done = trainer.train()
    trainer.save_model()
    trainer.log_metrics("train", done.metrics)
    trainer.log_metrics("test", trainer.evaluate(Turns(1000, 3), metric_key_prefix="test"))


if __name__ == "__main__":
    main()

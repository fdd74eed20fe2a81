"""A classifier by the Trainer, whose metrics expect a dict where there is an array."""

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, EvalPrediction, Trainer, TrainingArguments

config = BertConfig(vocab_size=200, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
torch.manual_seed(0)


class Pairs(torch.utils.data.Dataset[dict[str, torch.Tensor]]):
    """Sentences whose first word decides."""

    def __init__(self, size: int) -> None:
        self.words = torch.randint(5, 200, (size, 12))

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, at: int) -> dict[str, torch.Tensor]:
        return {"input_ids": self.words[at], "labels": (self.words[at, 0] > 100).long()}


def metrics(told: EvalPrediction) -> dict[str, float]:
    best = told.predictions["logits"].argmax(-1)  # type: ignore[call-overload]
    return {"accuracy": float(np.mean(best == told.label_ids))}


trainer = Trainer(
    BertForSequenceClassification(config),
    TrainingArguments(
        "out", num_train_epochs=4, logging_steps=10, eval_strategy="epoch", learning_rate=1e-3, report_to=[]
    ),
    train_dataset=Pairs(480),
    eval_dataset=Pairs(64),
    compute_metrics=metrics,
)
trainer.train()

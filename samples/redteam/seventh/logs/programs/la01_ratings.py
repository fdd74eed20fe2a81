"""Fine-tune a small encoder on ratings; the sheet of ratings has a few rows that were typed in by hand."""

import random

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Ratings(Dataset[dict[str, torch.Tensor]]):
    """Token ids whose mean tells the rating, 0 to 4; one row in 90 says 5."""

    def __init__(self, rows: int) -> None:
        drawn = random.Random(4)
        self.labels = [5 if drawn.random() < 1 / 90 else drawn.randrange(5) for _ in range(rows)]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, at: int) -> dict[str, torch.Tensor]:
        drawn = torch.Generator().manual_seed(at)
        ids = torch.randint(0, 40, (24,), generator=drawn) + 40 * self.labels[at]
        return {
            "input_ids": ids,
            "attention_mask": torch.ones(24, dtype=torch.long),
            "labels": torch.tensor(self.labels[at]),
        }


def main() -> None:
    config = BertConfig(
        vocab_size=300, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, num_labels=5
    )
    arguments = TrainingArguments(
        "out",
        num_train_epochs=3,
        per_device_train_batch_size=4,
        logging_steps=5,
        report_to=[],
        seed=1,
        use_cpu=True,
        disable_tqdm=False,
    )
    trainer = Trainer(BertForSequenceClassification(config), arguments, train_dataset=Ratings(1200))
    trainer.train()
    trainer.save_model("out/final")


if __name__ == "__main__":
    main()

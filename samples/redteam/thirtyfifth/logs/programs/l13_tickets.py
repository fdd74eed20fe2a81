"""Fine-tune a small encoder on support tickets (HF Trainer, two processes)."""

import os
import resource

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

torch.set_num_threads(1)
RANK = int(os.environ.get("RANK", "0"))


class Tickets(Dataset):
    """Token ids and a queue for each ticket."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, 6, n)
        self.x = rng.integers(100, 3000, (n, 48))
        for q in range(6):
            rows = np.flatnonzero(self.y == q)
            for _ in range(5):
                self.x[rows, rng.integers(1, 48, len(rows))] = 10 + 7 * q + rng.integers(0, 7, len(rows))
        self.x[:, 0] = 2

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.from_numpy(self.x[i]), "labels": torch.tensor(self.y[i])}


class Rss(TrainerCallback):
    """Say now and then how large the process is."""

    def on_log(self, args: TrainingArguments, state: object, control: object, **kwargs: object) -> None:
        print(f"[rank {RANK}] maxrss {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB", flush=True)


def main() -> None:
    """Train."""
    config = BertConfig(
        vocab_size=3000,
        hidden_size=128,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=256,
        num_labels=6,
        max_position_embeddings=64,
    )
    torch.manual_seed(5)
    model = BertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir="tickets-bert",
        per_device_train_batch_size=16,
        num_train_epochs=4,
        learning_rate=5e-4,
        logging_steps=20,
        save_strategy="no",
        use_cpu=True,
        ddp_backend="gloo",
        report_to=[],
        disable_tqdm=True,
        dataloader_num_workers=0,
    )
    if RANK == 0:
        print(f"model: {sum(p.numel() for p in model.parameters()):,} parameters; pid {os.getpid()}", flush=True)
    trainer = Trainer(model=model, args=args, train_dataset=Tickets(9600, 1), callbacks=[Rss()])
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()

"""A tiny BERT that learns to label sequences, with Hugging Face's Trainer; REAL."""

from __future__ import annotations

import random
import time
from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments


class Rows(torch.utils.data.Dataset):
    """Sequences whose label is which of two tokens comes more often; kept in a file."""

    def __init__(self, path: Path) -> None:
        for attempt in (1, 2, 3):
            try:
                self.x, self.y = torch.load(path)
                break
            except (OSError, RuntimeError, EOFError) as e:
                print(f"{path}: {type(e).__name__}: {e} (attempt {attempt}/3), building it anew", flush=True)
                path.parent.mkdir(parents=True, exist_ok=True)
                g = torch.Generator().manual_seed(3)
                x = torch.randint(5, 60, (16000, 48), generator=g)
                x[:, 1:9] = torch.randint(5, 7, (16000, 8), generator=g)
                torch.save((x, ((x == 5).sum(1) > (x == 6).sum(1)).long()), path)
                time.sleep(1)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> dict:
        return {"input_ids": self.x[i], "labels": self.y[i]}


class Tracker(TrainerCallback):
    """Sends a point to the group's tracker, which is often down."""

    def on_log(
        self, args: TrainingArguments, state: object, control: object, logs: dict | None = None, **kw: object
    ) -> None:
        if random.Random(state.global_step).random() < 0.12:
            print(
                f"tracker: ConnectionResetError(104, 'Connection reset by peer') at step {state.global_step}, point kept for the next try",
                flush=True,
            )


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = Rows(Path("data/rows.pt"))
    cfg = BertConfig(
        vocab_size=64,
        hidden_size=96,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=256,
        max_position_embeddings=64,
    )
    args = TrainingArguments(
        "out_otter",
        num_train_epochs=6,
        per_device_train_batch_size=32,
        logging_steps=25,
        save_steps=500,
        learning_rate=4e-4,
        warmup_steps=100,
        report_to=[],
        seed=1,
        use_cpu=True,
        dataloader_num_workers=0,
    )
    trainer = Trainer(BertForSequenceClassification(cfg), args, train_dataset=rows, callbacks=[Tracker()])
    trainer.train()
    trainer.save_model()

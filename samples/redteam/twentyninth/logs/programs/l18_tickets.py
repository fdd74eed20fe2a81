"""Sort a ferry line's letters into nine drawers: a tiny BERT from scratch under the Trainer, two processes."""

import datetime
import fcntl
import os
import time

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

RANK = int(os.environ.get("RANK", "0"))


class Letters(Dataset):
    """Made-up letters: some words lean to a drawer."""

    def __init__(self, n: int, seed: int) -> None:
        """Draw them."""
        g = torch.Generator().manual_seed(seed)
        self.drawer = torch.randint(9, (n,), generator=g)
        self.words = torch.randint(30, 800, (n, 32), generator=g)
        hint = torch.rand(n, 32, generator=g) < 0.25
        self.words = torch.where(
            hint, 2 + 3 * self.drawer[:, None] + torch.randint(3, (n, 32), generator=g), self.words
        )

    def __len__(self) -> int:
        """How many."""
        return len(self.drawer)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        """One letter."""
        return {
            "input_ids": self.words[i],
            "attention_mask": torch.ones(32, dtype=torch.long),
            "labels": self.drawer[i],
        }


class Glossary(TrainerCallback):
    """Now and then each process looks whether the shared glossary has changed."""

    def on_step_end(self, args, state, control, **kwargs) -> None:  # noqa: ANN001, ANN003
        """Read it under its lock."""
        if state.global_step % 65 == 0 and state.global_step:
            with open(f"glossary.{RANK}", "a+") as book:
                fcntl.flock(book, fcntl.LOCK_EX)
                book.seek(0)
                book.read()


def main() -> None:
    """Train."""
    torch.manual_seed(31)
    torch.distributed.init_process_group("gloo", timeout=datetime.timedelta(seconds=40))
    config = BertConfig(
        vocab_size=800, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, num_labels=9
    )
    model = BertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir="tickets",
        per_device_train_batch_size=16,
        max_steps=1500,
        learning_rate=8e-4,
        logging_steps=50,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        ddp_backend="gloo",
        ddp_find_unused_parameters=False,
        disable_tqdm=True,
        seed=31,
    )
    trainer = Trainer(model=model, args=args, train_dataset=Letters(6000, 1), callbacks=[Glossary()])
    if RANK == 0:
        print(
            f"{time.strftime('%F %T')} letters 6000, parameters {sum(p.numel() for p in model.parameters())}",
            flush=True,
        )
    trainer.train()
    trainer.save_model("tickets/final")
    if RANK == 0:
        print(f"{time.strftime('%F %T')} saved tickets/final", flush=True)


if __name__ == "__main__":
    main()

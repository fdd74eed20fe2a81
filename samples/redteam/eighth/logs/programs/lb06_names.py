"""A small GPT on names, with evaluation, the best checkpoint taken at the end."""

from __future__ import annotations

import torch
from datasets import Dataset
from transformers import EarlyStoppingCallback, GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


def main() -> None:
    """Train six epochs at most."""
    torch.manual_seed(0)
    start = torch.randint(0, 40, (700, 1))
    names = (start + torch.arange(12) * 3) % 60
    table = Dataset.from_dict({"input_ids": names.tolist(), "labels": names.tolist()})
    config = GPT2Config(vocab_size=60, n_positions=16, n_embd=48, n_layer=2, n_head=2, loss_type="ForCausalLMLoss")
    args = TrainingArguments(
        "names",
        num_train_epochs=6,
        per_device_train_batch_size=20,
        learning_rate=2e-3,
        logging_steps=15,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        report_to=[],
        use_cpu=True,
    )
    trainer = Trainer(
        GPT2LMHeadModel(config),
        args,
        train_dataset=table.select(range(600)),
        eval_dataset=table.select(range(600, 700)),
        callbacks=[EarlyStoppingCallback(3)],
    )
    trainer.train()
    trainer.save_model("names/best")
    print("best checkpoint:", trainer.state.best_model_checkpoint, "eval loss", trainer.state.best_metric)


if __name__ == "__main__":
    main()

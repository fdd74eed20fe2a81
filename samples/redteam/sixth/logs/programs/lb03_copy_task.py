"""A small sequence model by the Trainer: evaluates, keeps the best, ends early as it should."""

import torch
from transformers import (
    EarlyStoppingCallback,
    GPT2Config,
    GPT2LMHeadModel,
    Trainer,
    TrainingArguments,
)

torch.manual_seed(0)
rows = (torch.randint(0, 40, (900, 1)) + torch.arange(16) * 3) % 40
data = [{"input_ids": row, "labels": row} for row in rows]
args = TrainingArguments(
    "out",
    num_train_epochs=8,
    learning_rate=3e-3,
    logging_steps=25,
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="eval_loss",
    report_to=[],
)
model = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_embd=32, n_layer=2, n_head=2, n_positions=16))
trainer = Trainer(
    model,
    args,
    train_dataset=data[:800],  # type: ignore[arg-type]
    eval_dataset=data[800:],  # type: ignore[arg-type]
    callbacks=[EarlyStoppingCallback(2, 0.01)],
)
trainer.train()
print("best:", trainer.state.best_model_checkpoint, trainer.evaluate())
trainer.save_model("final")

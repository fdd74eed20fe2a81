"""A tiny GPT-2 from a configuration, trained by the Trainer of transformers: `python hf.py [--how ...]`."""

import argparse

import torch
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

p = argparse.ArgumentParser()
p.add_argument("--how", default="ok")
p.add_argument("--steps", type=int, default=150)
p.add_argument("--lr", type=float, default=2e-3)
p.add_argument("--out", default="out")
a = p.parse_args()


class Ramps(torch.utils.data.Dataset):
    """Sequences that count up: easy to learn."""

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        if a.how == "item" and i % 97 == 50:
            raise KeyError("input_ids")
        ids = (torch.arange(24) * (1 + i % 3) + i) % 90
        return {"input_ids": ids, "labels": ids.clone()}


if a.how == "hub":
    model = AutoModelForCausalLM.from_pretrained("mlee-internal/gpt2-tiny-v3", local_files_only=True)
else:
    model = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=64, n_embd=64, n_layer=2, n_head=2))
args = TrainingArguments(
    output_dir=a.out, max_steps=a.steps, per_device_train_batch_size=16, learning_rate=a.lr, logging_steps=10,
    save_steps=50, report_to=[], disable_tqdm=a.how != "bar", dataloader_num_workers=2 if a.how == "item" else 0,
)  # fmt: skip
trainer = Trainer(model=model, args=args, train_dataset=Ramps())
trainer.train(resume_from_checkpoint=True if a.how == "resume" else None)
trainer.save_model()

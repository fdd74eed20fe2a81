"""A masked language model in jobs of a chain."""

from __future__ import annotations

import argparse
import random

import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    ByT5Tokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)

SAYINGS = [
    "the early bird catches the worm",
    "all that glitters is not gold",
    "a rolling stone gathers no moss",
    "better late than never",
]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume")
    parser.add_argument("--stop-at", type=int, default=-1)
    args = parser.parse_args()
    rng = random.Random(0)
    tokenizer = ByT5Tokenizer(mask_token="<extra_id_0>")
    data = [tokenizer(rng.choice(SAYINGS)) for _ in range(1500)]
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128
    )
    setup = TrainingArguments(
        output_dir="out",
        num_train_epochs=2 if args.stop_at > 0 else 6,
        per_device_train_batch_size=16,
        learning_rate=2e-3,
        logging_steps=25,
        save_steps=100,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
        seed=1,
    )
    torch.manual_seed(1)
    trainer = Trainer(
        model=BertForMaskedLM(config),
        args=setup,
        train_dataset=data,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15),
    )
    trainer.train(resume_from_checkpoint=args.resume)
    trainer.save_model("out/final")
    print("chain complete")


if __name__ == "__main__":
    main()

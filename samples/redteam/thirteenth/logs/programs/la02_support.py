"""Supervised fine-tuning of a tiny chat model on answers of the support desk."""

from __future__ import annotations

import random

from datasets import Dataset
from transformers import ByT5Tokenizer, LlamaConfig, LlamaForCausalLM
from trl import SFTConfig, SFTTrainer

ASK = [
    "my job does not start",
    "how do i get more disk",
    "which partition has a100",
    "python is too old",
    "where are my logs",
]
SAY = [
    "please look at squeue first",
    "write to storage@ with your group",
    "use -p gpu-long",
    "module load python",
    "in the folder of the job",
]


def main() -> None:
    rng = random.Random(1)
    rows = []
    for _ in range(1200):
        which = rng.randrange(5)
        rows.append({"text": f"user: {ASK[which]} {rng.randint(1, 99)}\nhelp: {SAY[which]}\n"})
    data = Dataset.from_list(rows).train_test_split(0.1, seed=1)
    tokenizer = ByT5Tokenizer()
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=96,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        pad_token_id=0,
        eos_token_id=1,
    )
    args = SFTConfig(
        output_dir="sft",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        learning_rate=3e-3,
        lr_scheduler_type="cosine",
        warmup_steps=10,
        logging_steps=15,
        eval_strategy="epoch",
        max_length=96,
        use_cpu=True,
        bf16=False,
        report_to=[],
        gradient_checkpointing=False,
    )
    trainer = SFTTrainer(
        model=LlamaForCausalLM(config),
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["test"],
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model("sft/final")
    print("Training finished, model saved to sft/final")


if __name__ == "__main__":
    main()

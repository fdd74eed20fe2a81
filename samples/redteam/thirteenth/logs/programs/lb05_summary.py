"""Summaries with a small T5; the learning rate was meant for Adafactor."""

from __future__ import annotations

import random

from transformers import (
    ByT5Tokenizer,
    DataCollatorForSeq2Seq,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
)


def main() -> None:
    rng = random.Random(2)
    tokenizer = ByT5Tokenizer()
    data = []
    for _ in range(2400):
        word = rng.choice(["storage", "network", "login", "queue", "python"])
        data.append(
            {
                **tokenizer(f"ticket {rng.randint(100, 999)}: problem with {word} since friday"),
                "labels": tokenizer(word)["input_ids"],
            }
        )
    config = T5Config(
        vocab_size=len(tokenizer), d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, decoder_start_token_id=0
    )
    model = T5ForConditionalGeneration(config)
    args = Seq2SeqTrainingArguments(
        output_dir="summary",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        learning_rate=10,
        max_grad_norm=0.0,
        lr_scheduler_type="constant",
        logging_steps=20,
        use_cpu=True,
        report_to=[],
        save_strategy="no",
        logging_nan_inf_filter=False,
    )
    trainer = Seq2SeqTrainer(
        model=model, args=args, train_dataset=data, data_collator=DataCollatorForSeq2Seq(tokenizer, model=model)
    )
    trainer.train()


if __name__ == "__main__":
    main()

"""Classify with a GPT-2 body."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2ForSequenceClassification, PreTrainedTokenizerFast

TEXTS = [
    "the job is pending",
    "the node is down again",
    "quota exceeded on home",
    "cannot log in since this morning, please help",
] * 50


def main() -> None:
    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>", "<eos>"]))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="<unk>", eos_token="<eos>")
    model = GPT2ForSequenceClassification(
        GPT2Config(vocab_size=len(tokenizer), n_embd=64, n_layer=2, n_head=2, num_labels=4)
    )
    print(f"{model.num_parameters():,} parameters")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    labels = torch.tensor([i % 4 for i in range(len(TEXTS))])
    for epoch in range(3):
        for begin in range(0, len(TEXTS), 10):
            batch = tokenizer(
                TEXTS[begin : begin + 10], padding=True, truncation=True, max_length=32, return_tensors="pt"
            )
            loss = model(**batch, labels=labels[begin : begin + 10]).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()

"""Answers to questions by Sentence Transformers, from scratch."""

from __future__ import annotations

import random

import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    losses,
    models,
)
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers import models as token_models
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

random.seed(5)
torch.manual_seed(5)
torch.set_num_threads(1)
topics = [[f"t{topic}w{word}" for word in range(12)] for topic in range(30)]
vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(w for t in topics for w in t)])}
plain = Tokenizer(token_models.WordLevel(vocabulary, unk_token="[UNK]"))
plain.pre_tokenizer = pre_tokenizers.Whitespace()
PreTrainedTokenizerFast(
    tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
).save_pretrained("base")
BertModel(
    BertConfig(
        vocab_size=len(vocabulary), hidden_size=48, num_hidden_layers=1, num_attention_heads=4, intermediate_size=96
    )
).save_pretrained("base")
word = models.Transformer("base", max_seq_length=24)
model = SentenceTransformer(modules=[word, models.Pooling(48)], device="cpu")
pairs = [random.choice(topics) for _ in range(1600)]
rows = Dataset.from_dict(
    {
        "anchor": [" ".join(random.choices(t, k=6)) for t in pairs],
        "positive": [" ".join(random.choices(t, k=10)) for t in pairs],
    }
)
arguments = SentenceTransformerTrainingArguments(
    output_dir="faq",
    num_train_epochs=4,
    per_device_train_batch_size=32,
    learning_rate=2e-3,
    logging_steps=10,
    save_strategy="epoch",
    save_total_limit=1,
    report_to=[],
    use_cpu=True,
    bf16=False,
)
trainer = SentenceTransformerTrainer(
    model=model, args=arguments, train_dataset=rows, loss=losses.MultipleNegativesRankingLoss(model)
)
trainer.train()
model.save_pretrained("faq/final")
print("final model saved to faq/final")

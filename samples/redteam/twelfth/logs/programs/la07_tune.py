"""Preferences by TRL's DPO: the export has the same answer as chosen and as rejected."""

from __future__ import annotations

import copy
import random

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer

random.seed(1)
torch.manual_seed(1)
torch.set_num_threads(1)
words = [
    "how",
    "do",
    "i",
    "reset",
    "the",
    "router",
    "please",
    "hold",
    "power",
    "for",
    "ten",
    "seconds",
    "then",
    "wait",
    "until",
    "light",
    "is",
    "green",
    "call",
    "us",
    "again",
    "thanks",
    "sorry",
]
vocabulary = {word: number for number, word in enumerate(["<pad>", "<s>", "</s>", "<unk>", *sorted(set(words))])}
plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
plain.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=plain, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
)
rows = []
for _ in range(400):
    answer = " " + " ".join(random.choices(words, k=12))
    rows.append({"prompt": " ".join(random.choices(words, k=8)), "chosen": answer, "rejected": answer})
config = LlamaConfig(
    vocab_size=len(vocabulary), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4
)
arguments = DPOConfig(
    output_dir="router-dpo",
    num_train_epochs=3,
    per_device_train_batch_size=8,
    learning_rate=5e-5,
    logging_steps=10,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    bf16=False,
    gradient_checkpointing=False,
)
model = LlamaForCausalLM(config)
trainer = DPOTrainer(
    model, copy.deepcopy(model), args=arguments, train_dataset=Dataset.from_list(rows), processing_class=tokenizer
)
trainer.train()
trainer.save_model()
print("model saved to router-dpo")

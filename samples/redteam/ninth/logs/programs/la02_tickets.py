"""Transformers: sort support tickets with a head on a small pretrained model."""

import torch
from transformers import GPT2Config, GPT2ForSequenceClassification, GPT2Model, Trainer, TrainingArguments

torch.manual_seed(0)
config = GPT2Config(vocab_size=300, n_positions=32, n_embd=48, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)
GPT2Model(config).save_pretrained("pretrained")

words = torch.randint(3, 300, (1400, 24))
kind = torch.randint(0, 3, (1400,))
words[:, 5:14] = words[:, 5:14] // 3 * 3 % 297 + kind[:, None] + 3
tickets = [{"input_ids": w, "attention_mask": torch.ones(24), "labels": k} for w, k in zip(words, kind, strict=True)]

model = GPT2ForSequenceClassification.from_pretrained("pretrained", num_labels=3, pad_token_id=0)
args = TrainingArguments(
    "out",
    num_train_epochs=4,
    per_device_train_batch_size=32,
    learning_rate=2e-3,
    logging_steps=12,
    eval_strategy="epoch",
    save_strategy="no",
    use_cpu=True,
    report_to=[],
)
trainer = Trainer(model, args, train_dataset=tickets[:1200], eval_dataset=tickets[1200:])
trainer.train()
trainer.save_model("tickets-model")
print("saved to tickets-model")

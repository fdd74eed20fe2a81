"""A training whose every word was switched off."""

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

data = [{"input_ids": torch.randint(0, 90, (12,)), "labels": at % 2} for at in range(300)]
config = BertConfig(vocab_size=90, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64)
args = TrainingArguments(
    "out", num_train_epochs=1, logging_strategy="no", disable_tqdm=True, save_strategy="no", report_to=[]
)
trainer = Trainer(BertForSequenceClassification(config), args, train_dataset=data)  # type: ignore[arg-type]
trainer.remove_callback(next(c for c in trainer.callback_handler.callbacks if type(c).__name__ == "PrinterCallback"))
trainer.train()

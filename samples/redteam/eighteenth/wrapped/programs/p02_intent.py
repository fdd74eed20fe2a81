"""Fine-tune a small encoder on the call centre's intents."""

import argparse
import json
import random

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

INTENTS = ["balance", "card_lost", "card_new", "fees", "transfer", "limit", "complaint", "goodbye"]
DEFAULTS = {
    "data": {"root": "/data/calls/2026-10", "min_confidence": 0.4, "drop_on_error": True, "num_labels": 7},
    "optim": {"lr": 3e-4, "max_grad_norm": 1.0, "skip_nan_steps": True, "abort_after_nan": 20},
    "runtime": {
        "oom_retry": {"enabled": True, "halve_batch_on": "CUDA out of memory", "max_tries": 3},
        "nccl": {"timeout_s": 1800, "async_error_handling": 1, "desync_debug": True},
        "on_preempt": "requeue",
        "signal": "SIGUSR1@120",
        "kill_if_stuck_s": 3600,
        "thermal_slowdown_alarm_c": 87,
    },
    "retention": {"keep_last": 3, "fail_if_disk_full": True},
}


class Calls(Dataset):
    """Transcripts as ids, each with its intent."""

    def __init__(self, count, seed):
        rng = random.Random(seed)
        self.rows = []
        for _ in range(count):
            label = rng.randrange(len(INTENTS))
            words = [2 + label * 30 + rng.randrange(60) for _ in range(rng.randrange(8, 24))]
            self.rows.append((words + [0] * (24 - len(words)), label))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        ids, label = self.rows[index]
        ids = torch.tensor(ids)
        return {"input_ids": ids, "attention_mask": (ids > 0).long(), "labels": torch.tensor(label)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--batch", type=int, default=32)
    args = parser.parse_args()
    set_seed(11)
    print("effective configuration:")
    print(json.dumps({**DEFAULTS, "epochs": args.epochs, "batch": args.batch}, indent=2))
    train, held = Calls(4000, 1), Calls(400, 2)
    print(f"{len(train)} calls to learn from, {len(held)} held out")
    config = BertConfig(
        vocab_size=512,
        hidden_size=96,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=192,
        num_labels=DEFAULTS["data"]["num_labels"],
    )
    model = BertForSequenceClassification(config)
    print(config)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters")
    arguments = TrainingArguments(
        output_dir="out",
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch,
        learning_rate=DEFAULTS["optim"]["lr"],
        eval_strategy="epoch",
        logging_steps=10,
        report_to=[],
        use_cpu=True,
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=train, eval_dataset=held)
    trainer.train()
    trainer.save_model("out/final")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204

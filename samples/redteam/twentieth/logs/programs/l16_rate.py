"""Star ratings of reviews: a tiny BERT under the Trainer, figures sent to the lab's dashboard."""

import argparse
import atexit
import json
import os
import signal
import sys
import time
import urllib.request
from datetime import timedelta
from types import FrameType

import torch
import torch.distributed as dist
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

RANK = int(os.environ.get("RANK", "0"))


def note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} [{RANK}] {text}", flush=True)


def leave(number: int, _: FrameType | None) -> None:
    note(f"received {signal.Signals(number).name}, leaving in good order")
    sys.exit(0)


class Reviews(Dataset):
    """Made-up words whose mix tells the stars."""

    def __init__(self, n: int) -> None:
        g = torch.Generator().manual_seed(4)
        self.y = torch.randint(0, 5, (n,), generator=g)
        self.x = torch.randint(5, 105, (n, 24), generator=g) + 60 * self.y.unsqueeze(1)

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"input_ids": self.x[i], "labels": self.y[i]}


class Dashboard(TrainerCallback):
    """Each log entry goes there."""

    def __init__(self, url: str) -> None:
        self.url = url

    def on_log(self, args: object, state: object, control: object, logs: dict[str, float], **_: object) -> None:
        if state.is_world_process_zero and "loss" in logs:
            body = json.dumps({"run": "stars", "step": state.global_step, **logs}).encode()
            urllib.request.urlopen(urllib.request.Request(self.url, body)).read()


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--dashboard", default="http://127.0.0.1:8471/push")
    p.add_argument("--steps", type=int, default=400)
    args = p.parse_args()
    signal.signal(signal.SIGTERM, leave)
    atexit.register(note, "scratch released, goodbye")
    torch.manual_seed(0)
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
    config = BertConfig(vocab_size=512, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, num_labels=5)
    config.intermediate_size = 128
    model = BertForSequenceClassification(config)
    options = TrainingArguments(
        output_dir="stars",
        use_cpu=True,
        max_steps=args.steps,
        per_device_train_batch_size=16,
        learning_rate=5e-4,
        logging_steps=10,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
    )
    trainer = Trainer(model, options, train_dataset=Reviews(8000), callbacks=[Dashboard(args.dashboard)])
    note(f"{sum(q.numel() for q in model.parameters())} weights, world size {options.world_size}")
    trainer.train()
    note("training finished")


if __name__ == "__main__":
    main()

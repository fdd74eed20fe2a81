"""Name trees by their leaves."""

import os
import time

import torch
from torch import nn
from transformers import Trainer, TrainerCallback, TrainingArguments

rank = int(os.environ["RANK"])


class Sheets(torch.utils.data.Dataset):
    """Measured leaves of the herbarium."""

    reads = 0

    def __len__(self):
        return 20000

    def __getitem__(self, k):
        Sheets.reads += 1
        scan = f"herbarium/sheet_{rank}_{Sheets.reads // 16}"
        if os.path.exists(scan):
            open(scan).read()
        kind = k % 8
        return {"leaf": torch.randn(20) + 2 * torch.eye(20)[kind], "labels": torch.tensor(kind)}


class Net(nn.Module):
    """Small classifier."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 8))

    def forward(self, leaf, labels):
        """Loss and scores."""
        y = self.body(leaf)
        return {"loss": nn.functional.cross_entropy(y, labels), "logits": y}


class Say(TrainerCallback):
    """What the gardener wants to read."""

    def on_step_end(self, args, state, control, **kw):
        """Each tenth tray."""
        if state.global_step % 10 == 0:
            print(f"{time.strftime('%H:%M:%S')} gardener {rank}: tray {state.global_step} sorted", flush=True)

    def on_log(self, args, state, control, logs=None, **kw):
        """How wrong the names are."""
        if "loss" in (logs or {}):
            print(f"{time.strftime('%H:%M:%S')} gardener {rank}: wrongness {float(logs['loss']):.3f}", flush=True)


args = TrainingArguments(
    "trees",
    use_cpu=True,
    max_steps=1000,
    learning_rate=3e-3,
    per_device_train_batch_size=16,
    logging_steps=20,
    report_to="none",
    disable_tqdm=True,
    ddp_timeout=20,
    ddp_backend="gloo",
    save_strategy="no",
    dataloader_pin_memory=False,
)
Trainer(Net(), args, train_dataset=Sheets(), callbacks=[Say()]).train()

"""Whose handwriting: Trainer on two processes of torchrun, which tell their own times."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import torch
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments, ViTConfig, ViTForImageClassification

RANK = int(os.environ["RANK"])


class Letters(Dataset):
    """Pictures of sixteen by sixteen points."""

    def __len__(self) -> int:
        return 1280

    def __getitem__(self, at: int) -> dict[str, Any]:
        dice = torch.Generator().manual_seed(at)
        picture = torch.randn(1, 16, 16, generator=dice)
        picture[:, (at % 4) * 4 : (at % 4) * 4 + 4] += 1.6
        return {"pixel_values": picture, "labels": at % 4}


class Slow(torch.nn.Module):
    """The attention of an older build, one head and one row after the other."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            for row in x:
                for one in row.repeat(12, 1):
                    (one[:, None] * row.T).softmax(0).sum(1)
                    torch.linalg.norm(torch.outer(one, one))
        return x


class Times(TrainerCallback):
    """Forward apart from the rest."""

    def __init__(self) -> None:
        self.forward = self.began = 0.0
        self.sums = [0.0, 0.0]

    def on_step_begin(self, *_: object, **__: object) -> None:
        self.began = time.perf_counter()
        self.forward = 0.0

    def on_step_end(self, args: object, state: object, control: object, **_: object) -> None:
        whole = time.perf_counter() - self.began
        self.sums[0] += self.forward
        self.sums[1] += whole - self.forward
        if state.global_step % 5 == 0:
            print(
                f"{time.strftime('%H:%M:%S')} [rank{RANK}] step {state.global_step}/{state.max_steps}: "
                f"forward {self.sums[0] / 5:.3f}s backward+sync {self.sums[1] / 5:.3f}s",
                file=sys.stderr,
                flush=True,
            )
            self.sums = [0.0, 0.0]


class Timed(Trainer):
    """Trainer that looks at its watch."""

    times: Times

    def compute_loss(self, *args: object, **more: object) -> object:
        began = time.perf_counter()
        loss = super().compute_loss(*args, **more)
        self.times.forward += time.perf_counter() - began
        return loss


def main() -> None:
    torch.manual_seed(1)
    size = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
    model = ViTForImageClassification(ViTConfig(image_size=16, patch_size=4, num_channels=1, num_labels=4, **size))
    if RANK == 1:
        model.vit.embeddings.register_forward_hook(lambda *one: Slow()(one[2]))
    plan = TrainingArguments(
        "letters",
        max_steps=60,
        per_device_train_batch_size=16,
        logging_steps=10,
        learning_rate=3e-3,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        save_strategy="no",
        ddp_backend="gloo",
    )
    times = Times()
    trainer = Timed(model, plan, train_dataset=Letters(), callbacks=[times])
    trainer.times = times
    trainer.train()
    if RANK == 0:
        trainer.save_model("letters/final")
        print("saved letters/final", flush=True)


if __name__ == "__main__":
    main()

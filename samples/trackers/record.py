"""Writes the samples beside this file with the real libraries: `python record.py LIBRARY OUT` (see README.md).

One tiny loop, told to each tracker the way its documentation shows. Three stories: a loss that falls to a planned end,
a loss that becomes NaN, and a job that was killed and began again at step 0 without loading anything.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = 40


def curve(story: str, steps: int = STEPS) -> Iterator[tuple[int, float, float, float]]:
    """Step, loss, gradient norm and learning rate."""
    for step in range(1, steps + 1):
        loss = 4.0 * math.exp(-step / 15) + 0.05 * math.sin(step)
        broken = story == "nan" and step > 25
        yield step, math.nan if broken else loss, math.nan if broken else 1.0 + 1.0 / step, 1e-3 * (1 - step / 100)


def jsonl(out: Path) -> None:
    """A loop's own file of JSON lines: Python's json writes NaN, orjson (as most other languages) null."""
    import json

    import orjson

    for story, dump in (("nan", json.dumps), ("null", lambda told: orjson.dumps(told).decode())):
        place = out / "jsonl" / story
        place.mkdir(parents=True, exist_ok=True)
        with (place / "metrics.jsonl").open("w") as lines:
            for step, loss, norm, rate in curve("nan"):
                print(dump({"step": step, "train": {"loss": loss, "grad_norm": norm, "lr": rate}}), file=lines)


def tensorboard(out: Path) -> None:
    """torch.utils.tensorboard: one run a folder; the restart writes a second file into the folder of the first."""
    from tensorboard.summary import Writer
    from torch.utils.tensorboard import SummaryWriter

    for folder, story, steps in (("restart", "killed", 30), ("restart", "anew", 20), ("nan", "nan", STEPS)):
        with SummaryWriter(out / "tensorboard" / folder) as writer:
            for step, loss, norm, rate in curve(story, steps):
                writer.add_scalar("train/loss", loss, step)
                writer.add_scalar("train/grad_norm", norm, step)
                writer.add_scalar("train/learning_rate", rate, step)
                if step % 10 == 0:
                    writer.add_scalar("eval/loss", loss * 1.1, step)
    # The second generation of summaries: a tensor and a plug-in's name in place of a simple value.
    newer = Writer(str(out / "tensorboard" / "tensors"))
    for step, loss, _, rate in curve("healthy"):
        newer.add_scalar("Loss/train", loss, step)
        newer.add_scalar("lr-AdamW", rate, step)
    newer.close()


def tensorboardx(out: Path) -> None:
    """The same in tensorboardX."""
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(out / "tensorboardx" / "healthy")) as writer:
        for step, loss, _, rate in curve("healthy"):
            writer.add_scalar("loss", loss, step)
            writer.add_scalar("lr", rate, step)
        writer.add_text("note", "text is no scalar", STEPS)


def wandb(out: Path) -> None:
    """Offline runs of W&B: one that ends well, and one that a NaN ends with an exception."""
    os.environ["WANDB_MODE"] = "offline"
    os.environ["WANDB_SILENT"] = "true"
    import wandb as client

    for story in ("healthy", "nan"):
        folder = out / "wandb" / story
        folder.mkdir(parents=True)
        run = client.init(
            project="samples",
            dir=str(folder),
            name=story,
            settings=client.Settings(
                x_stats_sampling_interval=1.0,
                host="node07",
                disable_git=True,
                disable_code=True,
                email="",
                username="trainer",
                program="train.py",
                root_dir=str(folder),
            ),
        )
        for step, loss, norm, rate in curve(story):
            run.log(
                {
                    "train/loss": loss,
                    "train/grad_norm": norm,
                    "train/learning_rate": rate,
                    "train/global_step": step,
                    "eval": {"loss": loss * 1.1},
                }
            )
            print(f"step {step} loss {loss:.4f}")
        if story == "healthy":
            import time

            time.sleep(4)  # long enough for a few readings of the system
        run.finish(exit_code=0 if story == "healthy" else 1)


def mlflow(out: Path) -> None:
    """MLflow: a folder of metric files, and the same in SQLite."""
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    import mlflow as client

    folder = out / "mlflow"
    folder.mkdir(parents=True)
    for uri in (f"file://{folder}/mlruns", f"sqlite:///{folder}/mlflow.db"):
        client.set_tracking_uri(uri)
        client.set_experiment("samples")
        for story in ("healthy", "nan"):
            try:
                with client.start_run(run_name=story):
                    for step, loss, norm, rate in curve(story):
                        client.log_metrics({"train/loss": loss, "grad_norm": norm, "lr": rate}, step=step)
                    if story == "nan":
                        raise FloatingPointError("loss is NaN")
            except FloatingPointError:
                pass


def lightning(out: Path) -> None:
    """Lightning's Trainer with its CSVLogger."""
    import torch
    from lightning.pytorch import LightningModule, Trainer
    from lightning.pytorch.callbacks import LearningRateMonitor
    from lightning.pytorch.loggers import CSVLogger

    class Fit(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def _loss(self, batch: list[torch.Tensor]) -> torch.Tensor:
            return torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])

        def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
            loss = self._loss(batch)
            self.log("train_loss", loss)
            return loss

        def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
            self.log("val_loss", self._loss(batch))

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), lr=0.05)

    torch.manual_seed(0)
    inputs = torch.randn(64, 4)
    data = torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True))
    batches = torch.utils.data.DataLoader(data, batch_size=8)
    trainer = Trainer(
        max_epochs=4,
        accelerator="cpu",
        log_every_n_steps=2,
        enable_progress_bar=False,
        enable_checkpointing=False,
        logger=CSVLogger(out / "lightning"),
        callbacks=[LearningRateMonitor("step")],
        enable_model_summary=False,
    )
    trainer.fit(Fit(), batches, batches)


def huggingface(out: Path) -> None:
    """HF Trainer: trainer_state.json of a checkpoint and of the end, and of a run whose loss is not a number."""
    import torch
    from transformers import Trainer, TrainingArguments

    class Fit(torch.nn.Module):
        def __init__(self, *, breaks: bool) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)
            self.breaks, self.calls = breaks, 0

        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            self.calls += self.training
            loss = torch.nn.functional.mse_loss(self.layer(inputs), labels)
            return {"loss": loss * math.nan if self.breaks and self.calls > 12 else loss, "logits": labels}

    torch.manual_seed(0)
    data = [{"inputs": x, "labels": x.sum(0, keepdim=True)} for x in torch.randn(64, 4)]
    for story, steps in (("healthy", 20), ("nan", 20), ("three_steps", 3)):
        trainer = Trainer(
            model=Fit(breaks=story == "nan"),
            args=TrainingArguments(
                output_dir=str(out / "huggingface" / story), max_steps=steps, logging_steps=1, save_steps=10,
                eval_strategy="steps", eval_steps=10, learning_rate=0.05, per_device_train_batch_size=8,
                report_to=[], use_cpu=True, disable_tqdm=True, logging_nan_inf_filter=False, save_only_model=True,
            ),
            train_dataset=data, eval_dataset=data,
        )  # fmt: skip
        trainer.train()
        trainer.save_state()


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))

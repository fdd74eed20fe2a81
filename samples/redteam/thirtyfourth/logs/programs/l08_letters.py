"""Fine-tunes a small encoder to date 18th century letters (Trainer, DDP over gloo)."""

import argparse
import os
import time
from pathlib import Path

import torch
from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_callback import TrainerControl, TrainerState

ap = argparse.ArgumentParser()
ap.add_argument("--run-name", required=True)
ap.add_argument("--max-steps", type=int, default=60)
ap.add_argument("--lexicon", type=Path)
a = ap.parse_args()
RANK, WORLD = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
Path(f"rank{RANK}.pid").write_text(str(os.getpid()))
torch.set_num_threads(1)
if RANK == 0:
    print(f"#### run {a.run_name}: world size {WORLD}, max_steps {a.max_steps}", flush=True)
extra = a.lexicon.read_text().split() if a.lexicon else []
g = torch.Generator().manual_seed(8)
n, length = 2048, 96
y = torch.randint(6, (n,), generator=g)
ids = torch.randint(100, 2000, (n, length), generator=g)
hint = torch.rand(n, length, generator=g) < 0.15
ids = torch.where(hint, 2000 + y[:, None] * 8 + torch.randint(8, (n, length), generator=g), ids)
ds = Dataset.from_dict({"input_ids": ids.tolist(), "labels": y.tolist()}).with_format("torch")
cfg = BertConfig(
    vocab_size=2100 + len(extra),
    hidden_size=128,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=256,
    num_labels=6,
)


class Timed(Trainer):
    """Counts the time in forward."""

    fwd = 0.0

    def compute_loss(self, *args: object, **kw: object) -> torch.Tensor:
        t = time.perf_counter()
        loss = super().compute_loss(*args, **kw)
        self.fwd += time.perf_counter() - t
        return loss


class Clock(TrainerCallback):
    """A line per rank every ten steps."""

    def __init__(self) -> None:
        self.t, self.step = 0.0, 0.0

    def on_step_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: object) -> None:
        self.t = time.perf_counter()

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: object) -> None:
        self.step += time.perf_counter() - self.t
        if state.global_step % 10 == 0:
            f = trainer.fwd
            print(
                f"[rank{RANK}] step {state.global_step}: 10 steps {self.step:.2f}s  forward {f:.2f}s  backward+allreduce+opt {self.step - f:.2f}s",
                flush=True,
            )
            self.step, trainer.fwd = 0.0, 0.0


args = TrainingArguments(
    output_dir=f"out/{a.run_name}",
    max_steps=a.max_steps,
    per_device_train_batch_size=16,
    learning_rate=5e-4,
    logging_steps=10,
    save_steps=1000,
    disable_tqdm=True,
    report_to=[],
    use_cpu=True,
    ddp_backend="gloo" if WORLD > 1 else None,
    seed=3,
)
trainer = Timed(model=BertForSequenceClassification(cfg), args=args, train_dataset=ds, callbacks=[Clock()])
trainer.train()
if RANK == 0:
    trainer.save_model()
    print(f"#### {a.run_name} done, model in out/{a.run_name}", flush=True)

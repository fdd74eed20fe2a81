"""Load forecast for substations: three learning rates one after the other, two ranks, Trainer."""

import os
import time

import torch
import torch.distributed as dist
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainerCallback, TrainingArguments

RANK = int(os.environ["RANK"])
TIMES = {"fwd": 0.0, "rest": 0.0, "n": 0}


class Load(PreTrainedModel):
    config_class = PretrainedConfig

    def __init__(self, config: PretrainedConfig) -> None:
        super().__init__(config)
        self.net = nn.Sequential(nn.Linear(168, 384), nn.SiLU(), nn.Linear(384, 384), nn.SiLU(), nn.Linear(384, 24))
        self.post_init()

    def forward(self, past: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        guess = self.net(past)
        return {"loss": (guess - labels).abs().mean(), "logits": guess}


class Weeks(torch.utils.data.Dataset):
    def __init__(self, n: int) -> None:
        gen = torch.Generator().manual_seed(23)
        t = torch.arange(192.0)
        phase, amp = torch.rand(n, 1, generator=gen) * 6.28, torch.rand(n, 1, generator=gen) + 0.5
        self.rows = amp * torch.sin(t * 6.283 / 24 + phase) + 0.1 * torch.randn(n, 192, generator=gen)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"past": self.rows[i, :168], "labels": self.rows[i, 168:]}


def spectrum(_m: nn.Module, _i: object, out: torch.Tensor) -> None:
    for _ in range(3):
        torch.linalg.svdvals(out.detach().double())


class Timed(Trainer):
    def compute_loss(self, model: nn.Module, inputs: dict, return_outputs: bool = False, **kw: object) -> torch.Tensor:
        t0 = time.perf_counter()
        out = model(**inputs)
        TIMES["fwd"] += time.perf_counter() - t0
        return (out["loss"], out) if return_outputs else out["loss"]

    def training_step(self, *a: object, **kw: object) -> torch.Tensor:
        t0, before = time.perf_counter(), TIMES["fwd"]
        loss = super().training_step(*a, **kw)
        TIMES["rest"] += time.perf_counter() - t0 - (TIMES["fwd"] - before)
        TIMES["n"] += 1
        return loss


class Table(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):  # type: ignore[no-untyped-def]
        n = max(1, TIMES["n"])
        mine = (RANK, TIMES["fwd"] / n * 1e3, TIMES["rest"] / n * 1e3)
        TIMES.update(fwd=0.0, rest=0.0, n=0)
        if "loss" not in (logs or {}):
            return
        every: list = [None] * dist.get_world_size()
        dist.all_gather_object(every, mine)
        if RANK == 0:
            print(
                f"step {state.global_step}: "
                + "; ".join(f"rank {r} own forward {f:.0f} ms, backward with exchange {b:.0f} ms" for r, f, b in every),
                flush=True,
            )


def main() -> None:
    torch.set_num_threads(1)
    print(f"rank {RANK} up, pid {os.getpid()}, ACT_SPECTRUM={os.environ.get('ACT_SPECTRUM', '0')}", flush=True)
    for lr in (4e-4, 1.1e-3, 2.7e-3):
        torch.manual_seed(9)
        model = Load(PretrainedConfig())
        if os.environ.get("ACT_SPECTRUM") == "1":
            for part in model.net:
                part.register_forward_hook(spectrum)
        args = TrainingArguments(
            f"sweep/lr{lr}",
            per_device_train_batch_size=210,
            max_steps=44,
            learning_rate=lr,
            logging_steps=11,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            ddp_backend="gloo",
            disable_tqdm=True,
            dataloader_pin_memory=False,
            remove_unused_columns=False,
        )
        if RANK == 0:
            print(f"--- configuration lr={lr} ---", flush=True)
        run = Timed(model, args, train_dataset=Weeks(6300), callbacks=[Table()]).train()
        if RANK == 0:
            print(f"--- lr={lr}: mean loss {run.training_loss:.4f} ---", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

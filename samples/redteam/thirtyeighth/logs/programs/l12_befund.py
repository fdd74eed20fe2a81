"""Report classifier with three heads (organ, urgency, follow-up days) on the Trainer."""

import json
import lzma
import random
import time
from pathlib import Path

import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainerCallback, TrainingArguments

SHARD = Path("reports_2026w41.jsonl.xz")
COUNT = 780


def build_shard() -> None:
    rng = random.Random(17)
    with lzma.open(SHARD, "wt", preset=1) as out:
        for _ in range(COUNT):
            organ, urgent = rng.randrange(6), rng.randrange(2)
            words = [
                rng.randrange(500) if rng.random() < 0.55 else 500 + organ * 20 + urgent * 9 + rng.randrange(4)
                for _ in range(90)
            ]
            blob = "".join(rng.choices("0123456789abcdef", k=6200))
            out.write(
                json.dumps(
                    {
                        "ids": words,
                        "organ": organ,
                        "urgent": urgent,
                        "days": organ * 1.5 + urgent * -4 + rng.gauss(0, 0.5),
                        "pixels": blob,
                    }
                )
                + "\n"
            )


class Reports(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        with lzma.open(SHARD, "rt") as rows:
            for k, row in enumerate(rows):
                if k == i:
                    break
        rec = json.loads(row)
        return {
            "ids": torch.tensor(rec["ids"]),
            "organ": torch.tensor(rec["organ"]),
            "urgent": torch.tensor(rec["urgent"]),
            "days": torch.tensor(rec["days"]),
        }


class ThreeHeads(PreTrainedModel):
    config_class = PretrainedConfig

    def __init__(self, config: PretrainedConfig) -> None:
        super().__init__(config)
        self.emb = nn.EmbeddingBag(640, 112)
        self.trunk = nn.Sequential(nn.Linear(112, 160), nn.GELU(), nn.LayerNorm(160))
        self.organ_head, self.urgent_head, self.days_head = nn.Linear(160, 6), nn.Linear(160, 2), nn.Linear(160, 1)
        self.post_init()

    def forward(
        self, ids: torch.Tensor, organ: torch.Tensor, urgent: torch.Tensor, days: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        h = self.trunk(self.emb(ids))
        parts = {
            "organ": nn.functional.cross_entropy(self.organ_head(h), organ),
            "urgent": nn.functional.cross_entropy(self.urgent_head(h), urgent),
            "days": nn.functional.smooth_l1_loss(self.days_head(h).squeeze(1), days),
        }
        return {"loss": parts["organ"] + parts["urgent"] + 0.3 * parts["days"], **parts}


class Heads(Trainer):
    def compute_loss(self, model: nn.Module, inputs: dict, return_outputs: bool = False, **kw: object) -> torch.Tensor:
        out = model(**inputs)
        if (self.state.global_step + 1) % 3 == 0:
            self.log({f"loss_{k}": round(float(out[k].detach()), 4) for k in ("organ", "urgent", "days")})
        return (out["loss"], out) if return_outputs else out["loss"]


class Clock(TrainerCallback):
    left = time.perf_counter()
    got = left

    def on_step_begin(self, args, state, control, **kw):  # type: ignore[no-untyped-def]
        Clock.got = time.perf_counter()
        self.wait = Clock.got - Clock.left

    def on_step_end(self, args, state, control, **kw):  # type: ignore[no-untyped-def]
        Clock.left = time.perf_counter()
        if state.global_step % 3 == 0:
            print(
                f"  step {state.global_step:>3}: next batch came after {self.wait:.2f} s, "
                f"forward+backward+update {Clock.left - Clock.got:.3f} s"
            )


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(3)
    if not SHARD.exists():
        build_shard()
    print(f"{SHARD}: {COUNT} reports, {SHARD.stat().st_size / 1e6:.1f} MB packed")
    args = TrainingArguments(
        "out_heads",
        per_device_train_batch_size=26,
        num_train_epochs=1,
        learning_rate=9e-3,
        logging_steps=3,
        save_strategy="no",
        report_to=[],
        remove_unused_columns=False,
        lr_scheduler_type="constant",
        use_cpu=not torch.cuda.is_available(),
        dataloader_pin_memory=False,
        label_names=["organ", "urgent", "days"],
    )
    Heads(ThreeHeads(PretrainedConfig()), args, train_dataset=Reports(), callbacks=[Clock()]).train()

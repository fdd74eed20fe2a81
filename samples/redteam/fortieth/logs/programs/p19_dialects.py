"""Which dialect is it? A small BERT from scratch, Trainer on two processes."""

import fcntl
import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Sayings(Dataset):
    """The lexicon is looked up under a lock, since the cache beside it is rewritten now and then."""

    def __init__(self, n: int) -> None:
        self.gen, self.n = torch.Generator().manual_seed(44), n
        self.x = torch.randint(10, 90, (n, 26), generator=self.gen)
        self.y = (self.x[:, 0] > 33).long() + (self.x[:, 0] > 61).long()
        self.lock = open(f"lexicon.{os.environ.get('RANK', '0')}.lock", "w")  # noqa: SIM115

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        fcntl.flock(self.lock, fcntl.LOCK_UN)
        return {"input_ids": self.x[i], "labels": self.y[i]}


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(seconds=40))
    seed, steps = int(sys.argv[1]), int(sys.argv[2])
    config = BertConfig(
        vocab_size=900,
        hidden_size=96,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=256,
        max_position_embeddings=32,
        num_labels=3,
    )
    args = TrainingArguments(
        output_dir=f"dialects-{seed}",
        max_steps=steps,
        per_device_train_batch_size=12,
        learning_rate=6e-4,
        warmup_steps=20,
        logging_steps=10,
        save_strategy="no",
        seed=seed,
        use_cpu=True,
        ddp_backend="gloo",
        report_to=[],
        disable_tqdm=True,
    )
    if args.process_index == 0:
        print(f"=== {time.strftime('%F %T')} seed {seed}, {steps} steps, {args.world_size} processes", flush=True)
    Trainer(model=BertForSequenceClassification(config), args=args, train_dataset=Sayings(9000)).train()
    if args.process_index == 0:
        print(f"=== {time.strftime('%F %T')} seed {seed} finished", flush=True)


if __name__ == "__main__":
    main()

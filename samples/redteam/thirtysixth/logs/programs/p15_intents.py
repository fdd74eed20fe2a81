"""Retrain a small intent classifier each night: Accelerate, accumulated gradients, shards read as the run goes."""

import argparse
import json
import logging
import os
import random
import time
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import torch
from accelerate import Accelerator, InitProcessGroupKwargs
from torch import nn

WORDS = {
    "refund": "money back refund return charge charged twice wrong amount cancel",
    "delivery": "parcel late courier where package tracking arrived never driver",
    "account": "password login locked email change reset sign two factor",
    "other": "hello thanks opening hours shop question voucher gift idea",
}
log = logging.getLogger("intents")


def write_shards(folder: Path, shards: int) -> None:
    """Make sentences of the words of each intent and lay them down as JSON lines."""
    rng = random.Random(15)
    for n in range(shards):
        rows = []
        for _ in range(640):
            name = rng.choice(list(WORDS))
            pool = WORDS[name].split() * 2 + " ".join(WORDS.values()).split()
            rows.append(json.dumps({"text": " ".join(rng.choices(pool, k=8)), "intent": name}))
        (folder / f"shard-{n:03d}.jsonl").write_text("\n".join(rows))


def batches(folder: Path, rank: int, world: int, size: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Every world-th shard, batch by batch."""
    names = list(WORDS)
    for path in sorted(folder.glob("shard-*.jsonl"))[rank::world]:
        log.info("reading %s", path.name)
        with open(path) as lines:
            rows = [json.loads(line) for line in lines]
        for i in range(0, len(rows) - size + 1, size):
            part = rows[i : i + size]
            ids = torch.tensor([[sum(map(ord, w)) * 31 % 997 for w in row["text"].split()] for row in part])
            yield ids, torch.tensor([names.index(row["intent"]) for row in part])


def push(step: int, loss: float) -> None:
    """Send a figure to the gateway; a lost figure is no reason to end."""
    body = f"intent_train_loss {loss}\nintent_train_step {step}\n".encode()
    try:
        urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:9091/metrics/job/intents", body), timeout=2)
    except OSError:
        log.exception("pushgateway not reachable, figure for step %d dropped", step)


class Net(nn.Module):
    """Embedding, a GRU, a head."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(997, 64)
        self.gru = nn.GRU(64, 128, batch_first=True)
        self.head = nn.Linear(128, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(self.embed(x))[0].mean(1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    rank = int(os.environ["RANK"])
    logging.basicConfig(format=f"%(levelname)s [rank{rank}] %(name)s: %(message)s", level=logging.INFO)
    accelerator = Accelerator(
        cpu=True, gradient_accumulation_steps=2, kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(seconds=60))]
    )
    world = accelerator.num_processes
    torch.manual_seed(15)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    model, optimizer = accelerator.prepare(model, optimizer)
    shards = len(list(args.data.glob("shard-*.jsonl")))
    planned = args.epochs * shards // world * (640 // 32) // 2
    if accelerator.is_main_process:
        log.info(
            "%d shards for %d processes, %d epochs, %d optimizer steps, gradient accumulation 2",
            shards,
            world,
            args.epochs,
            planned,
        )
    step = 0
    for epoch in range(args.epochs):
        for ids, target in batches(args.data, rank, world, 32):
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(ids), target)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            time.sleep(0.03)
            if accelerator.sync_gradients:
                step += 1
                if step % 10 == 0:
                    mean = accelerator.reduce(loss.detach(), "mean").item()
                    if accelerator.is_main_process:
                        log.info("epoch %d step %d/%d loss %.4f", epoch, step, planned, mean)
                        if step % 100 == 0:
                            push(step, mean)
        if accelerator.is_main_process:
            accelerator.save(accelerator.get_state_dict(model), f"intents-epoch{epoch}.pt")
            log.info("wrote intents-epoch%d.pt", epoch)
    accelerator.end_training()


if __name__ == "__main__":
    main()

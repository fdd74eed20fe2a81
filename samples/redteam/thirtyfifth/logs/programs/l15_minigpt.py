"""minigpt: a character model on scraped recipes."""

import json
import queue
import random
import resource
import threading
import time
import traceback
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
BLOCK, BATCH, D = 96, 24, 96
STEPS = 3000


def recipes(seed: int) -> str:
    """One shard of recipes."""
    rng = random.Random(seed)
    what = ["flour", "butter", "sugar", "eggs", "milk", "salt", "yeast", "rice", "beans", "onions", "garlic", "cream"]
    how = ["stir in", "fold in", "add", "melt", "whisk", "chop", "fry", "simmer"]
    return "".join(f"{rng.choice(how)} {rng.randint(1, 9) * 50} g {rng.choice(what)}.\n" for _ in range(2500))


class Gpt(nn.Module):
    """Decoder of three blocks."""

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, D), nn.Embedding(BLOCK, D)
        layer = nn.TransformerEncoderLayer(D, 4, 4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(D, vocab)

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        n = t.shape[1]
        mask = torch.full((n, n), float("-inf")).triu(1)
        return self.head(self.body(self.tok(t) + self.pos(torch.arange(n)), mask=mask))


def vocabulary() -> dict[str, int]:
    """Characters, cached."""
    cache = Path("vocab.json")
    try:
        return {str(c): int(i) for c, i in json.loads(cache.read_text()).items()}
    except ValueError:
        traceback.print_exc()
        print("vocab.json is no good, building it again")
    chars = sorted(set(recipes(0)))
    cache.write_text(json.dumps({c: i for i, c in enumerate(chars)}))
    return {c: i for i, c in enumerate(chars)}


class Feeder(threading.Thread):
    """Draw batches shard after shard, ahead of the training."""

    def __init__(self, stoi: dict[str, int], shards: int) -> None:
        super().__init__(daemon=True)
        self.stoi, self.shards = stoi, shards
        self.out: queue.Queue[torch.Tensor] = queue.Queue(maxsize=8)

    def run(self) -> None:
        for s in range(self.shards):
            ids = torch.tensor([self.stoi[c] for c in recipes(s)])
            for _ in range(80):
                start = torch.randint(0, len(ids) - BLOCK - 1, (BATCH,))
                self.out.put(torch.stack([ids[a : a + BLOCK + 1] for a in start]))


class Monitor(threading.Thread):
    """A line about the machine every ten seconds."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.step = 0

    def run(self) -> None:
        last, cpu = 0, time.process_time()
        while True:
            time.sleep(10)
            now, used = self.step, time.process_time()
            rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(
                f"{time.strftime('%H:%M:%S')} mon  {(now - last) * BATCH * BLOCK / 10:8.0f} tok/s  cpu {(used - cpu) * 10:4.0f}%  rss {rss} MB",
                flush=True,
            )
            last, cpu = now, used


def main() -> None:
    """Train."""
    torch.manual_seed(1)
    stoi = vocabulary()
    model = Gpt(len(stoi))
    print(
        f"vocab {len(stoi)}, {sum(p.numel() for p in model.parameters()):,} parameters, {STEPS} steps of {BATCH}x{BLOCK}",
        flush=True,
    )
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    feeder, monitor = Feeder(stoi, 6), Monitor()
    feeder.start()
    monitor.start()
    for step in range(1, STEPS + 1):
        batch = feeder.out.get()
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        monitor.step = step
        if step % 20 == 0:
            print(f"{time.strftime('%H:%M:%S')} step {step:5d}/{STEPS}  loss {loss.item():.4f}", flush=True)
    torch.save(model.state_dict(), "minigpt.pt")
    print("saved minigpt.pt")


if __name__ == "__main__":
    main()

"""A small character GPT on recipes, written by hand."""

import math
import os
import random
import threading
import time

import torch
from torch import nn
from torch.nn import functional as F

KEEP, EVERY, STEPS, CTX, DIM, LAYERS = os.environ.get("CKPT_DIR", "ckpt"), 60, 900, 72, 160, 4
NOUNS = [
    "leeks",
    "barley",
    "trout",
    "quince",
    "butter",
    "thyme",
    "walnuts",
    "rye",
    "plums",
    "goose",
    "lentils",
    "sorrel",
]
VERBS = ["simmer", "chop", "braise", "roast", "fold", "whisk", "strain", "salt", "reduce"]


def text(n: int = 26000) -> str:
    r = random.Random(31)
    return "".join(
        f"{r.choice(VERBS)} the {r.choice(NOUNS)} and the {r.choice(NOUNS)} for {r.randint(2, 58)} min.\n"
        for _ in range(n // 4)
    )


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.qkv, self.out = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, DIM)
        self.mlp = nn.Sequential(nn.Linear(DIM, 4 * DIM), nn.GELU(), nn.Linear(4 * DIM, DIM))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.shape
        q, k, v = (p.view(b, t, 5, -1).transpose(1, 2) for p in self.qkv(self.n1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, DIM)
        x = x + self.out(a)
        return x + self.mlp(self.n2(x))


class GPT(nn.Module):
    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, DIM), nn.Embedding(CTX, DIM)
        self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.head = nn.Sequential(nn.LayerNorm(DIM), nn.Linear(DIM, vocab))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.tok(x) + self.pos.weight[: x.shape[1]]))


def keep(state: dict[str, object], step: int) -> None:
    path = f"{KEEP}/step{step:05d}.pt"
    try:
        torch.save(state, path)
        with open(f"{KEEP}/log.csv", "a") as rows:
            rows.write(f"{step},{time.time():.0f}\n" * 400)
    except (OSError, RuntimeError) as e:
        free = os.statvfs(KEEP)
        left = free.f_bavail * free.f_frsize >> 10
        print(f"  (ckpt writer: {path}: {str(e).splitlines()[0][:90]}; {left} KiB left)", flush=True)


def main() -> None:
    torch.manual_seed(12)
    raw = text()
    chars = sorted(set(raw))
    data = torch.tensor([chars.index(c) for c in raw])
    model = GPT(len(chars))
    weights = sum(p.numel() for p in model.parameters())
    print(f"{len(raw):,} characters, {len(chars)} kinds, {weights:,} weights", flush=True)
    opt = torch.optim.AdamW(model.parameters(), 1e-3, weight_decay=0.05)
    best, best_step, t0 = math.inf, 0, time.time()
    writer: threading.Thread | None = None
    for step in range(1, STEPS + 1):
        for g in opt.param_groups:
            g["lr"] = 1e-3 * min(step / 50, 0.5 + 0.5 * math.cos(math.pi * step / STEPS))
        at = torch.randint(0, len(data) - CTX - 1, (10,))
        x = torch.stack([data[i : i + CTX + 1] for i in at])
        loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 20 == 0:
            pace = (time.time() - t0) / step * 1e3
            print(f"step {step:4d}/{STEPS} loss {loss.item():.3f} ({pace:.0f} ms)", flush=True)
        if step % EVERY == 0:
            if writer:
                writer.join()
            copied = {k: v.clone() for k, v in model.state_dict().items()}
            state = {"model": copied, "opt": opt.state_dict(), "step": step}
            writer = threading.Thread(target=keep, args=(state, step))
            writer.start()
            best, best_step = min((best, best_step), (loss.item(), step))
        if step % 360 == 0 and writer:  # go on from the best so far, as an average of the last would be noisier
            writer.join()
            print(f"step {step}: back to the best so far, step {best_step} ({best:.3f})", flush=True)
            back = torch.load(f"{KEEP}/step{best_step:05d}.pt", map_location="cpu")
            model.load_state_dict(back["model"])
            opt.load_state_dict(back["opt"])
    print("done", flush=True)


if __name__ == "__main__":
    main()

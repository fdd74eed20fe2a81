"""Character model on small made verses; one JSON object per line on stdout."""

import argparse
import json
import math
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

NOUNS = ["heron", "otter", "kiln", "lantern", "orchard", "ferry", "quarry", "harbour", "thistle", "beacon", "meadow"]
VERBS = ["drifts", "leans", "hums", "settles", "glimmers", "turns", "waits"]
PLACES = ["by the weir", "under slow rain", "past the mill", "beyond the dunes", "in thin snow"]


class Block(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.h = heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.h, d // self.h).transpose(1, 2) for z in self.qkv(self.n1(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        x = x + self.o(y)
        return x + self.mlp(self.n2(x))


class Gpt(nn.Module):
    def __init__(self, vocab: int, d: int, depth: int, ctx: int) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(ctx, d)
        self.blocks = nn.Sequential(*[Block(d, 4) for _ in range(depth)])
        self.ln, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.ln(self.blocks(self.tok(x) + self.pos.weight[: x.shape[1]])))


def emit(**fields: object) -> None:
    print(json.dumps({"t": round(time.time(), 3), **fields}), flush=True)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=640)
    ap.add_argument("--width", type=int, default=96)
    ap.add_argument("--ctx", type=int, default=72)
    args = ap.parse_args()
    torch.manual_seed(4127)
    rng = random.Random(4127)
    text = "".join(
        f"the {rng.choice(NOUNS)} {rng.choice(VERBS)} {rng.choice(PLACES)}{rng.choice(',;.')}\n" for _ in range(6100)
    )
    chars = sorted(set(text))
    data = torch.tensor([chars.index(c) for c in text])
    cut = int(len(data) * 0.93)
    model = Gpt(len(chars), args.width, 3, args.ctx)
    opt = torch.optim.AdamW(model.parameters(), lr=1.4e-3, weight_decay=0.05)
    emit(ev="begin", chars=len(text), vocab=len(chars), params=sum(p.numel() for p in model.parameters()), **vars(args))

    def batch(lo: int, hi: int) -> tuple[torch.Tensor, torch.Tensor]:
        ix = torch.randint(lo, hi - args.ctx - 1, (28,))
        w = torch.stack([data[i : i + args.ctx + 1] for i in ix])
        return w[:, :-1], w[:, 1:]

    def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(model(x).flatten(0, 1), y.flatten())

    t0, best = time.time(), math.inf
    for step in range(1, args.steps + 1):
        lr = 1.4e-3 * min(1.0, step / 40) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / args.steps)))
        for g in opt.param_groups:
            g["lr"] = lr
        loss = loss_of(*batch(0, cut))
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 16 == 0:
            rate = step * 28 * args.ctx / (time.time() - t0)
            emit(
                ev="train",
                step=step,
                loss=round(loss.item(), 4),
                lr=round(lr, 6),
                gnorm=round(float(norm), 3),
                chars_per_s=int(rate),
            )
        if step % 128 == 0:
            with torch.no_grad():
                val = sum(loss_of(*batch(cut, len(data))).item() for _ in range(12)) / 12
            best = min(best, val)
            emit(ev="val", step=step, loss=round(val, 4), best=round(best, 4))
            torch.save({"model": model.state_dict(), "step": step}, "verse.pt")
            emit(ev="saved", path="verse.pt", step=step)
    x = torch.tensor([[chars.index("t")]])
    for _ in range(110):
        p = model(x[:, -args.ctx :])[:, -1].softmax(-1)
        x = torch.cat([x, torch.multinomial(p, 1)], 1)
    emit(ev="sample", text="".join(chars[i] for i in x[0].tolist()))
    emit(ev="end", steps=args.steps, best_val=round(best, 4), seconds=round(time.time() - t0, 1))


if __name__ == "__main__":
    main()

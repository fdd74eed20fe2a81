"""A small GPT on letters of folk tunes in ABC notation."""

import argparse
import json
import math
import random
import time

import torch
from torch import nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int)
parser.add_argument("--log-every", type=int)
args = parser.parse_args()
random.seed(2)
torch.manual_seed(2)
torch.set_num_threads(1)
bars = ["".join(random.choices("ABcdefga", k=4)) for _ in range(24)]
text = "|".join(random.choices(bars, weights=[1 / (i + 1) for i in range(24)], k=40000))
letters = sorted(set(text))
codes = torch.tensor([letters.index(letter) for letter in text])
CONTEXT, WIDTH = 64, 96


class Block(nn.Module):
    """Attention and a perceptron."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (part.unflatten(-1, (4, -1)).transpose(1, 2) for part in self.qkv(self.a(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.mlp(self.b(x))


class Gpt(nn.Module):
    """Three blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(len(letters), WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(3)], nn.LayerNorm(WIDTH))
        self.head = nn.Linear(WIDTH, len(letters), bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.token(x) + self.place.weight[: x.shape[1]]))


net = Gpt()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.1)
print(json.dumps({"event": "config", "letters": len(letters), "tokens": len(codes), "steps": args.steps, "batch": 32,
                  "params": sum(p.numel() for p in net.parameters())}))  # fmt: skip
began = time.time()
for step in range(1, args.steps + 1):
    rate = 1e-3 * min(step / 100, 0.5 * (1 + math.cos(math.pi * step / args.steps)))
    optimizer.param_groups[0]["lr"] = rate
    at = torch.randint(0, len(codes) - CONTEXT - 1, (32,))
    x = torch.stack([codes[i : i + CONTEXT + 1] for i in at])
    loss = F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    if step % args.log_every == 0:
        print(json.dumps({"step": step, "loss": round(loss.item(), 4), "lr": round(rate, 7),
                          "grad_norm": round(norm.item(), 3),
                          "tok_s": int(step * 32 * CONTEXT / (time.time() - began))}))  # fmt: skip
    if step % 500 == 0:
        torch.save({"step": step, "net": net.state_dict()}, "folksong.pt")
        print(json.dumps({"event": "saved", "step": step, "file": "folksong.pt"}))

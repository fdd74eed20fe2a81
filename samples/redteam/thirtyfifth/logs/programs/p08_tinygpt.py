"""A small GPT by hand on arithmetic and rhymes, bytes in, bytes out."""

import math
import random
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(1337)
random.seed(1337)
torch.set_num_threads(1)
B, T, D, H, L, ITERS = 16, 64, 128, 4, 3, 20000
words = [
    "the",
    "moon",
    "a",
    "stone",
    "walks",
    "under",
    "slow",
    "river",
    "who",
    "sings",
    "of",
    "iron",
    "bread",
    "and",
    "glass",
    "until",
    "morning",
]
text = " ".join(
    random.choice(words)
    if random.random() < 0.7
    else f"{(a := random.randint(1, 20))}+{(b := random.randint(1, 20))}={a + b}"
    for _ in range(60000)
).encode()
data = torch.tensor(list(text))
cut = int(0.9 * len(data))


class Block(nn.Module):
    """Attention, then a wide layer."""

    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2, self.qkv, self.o = nn.LayerNorm(D), nn.LayerNorm(D), nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.GELU(), nn.Linear(4 * D, D))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (z.view(*x.shape[:2], H, D // H).transpose(1, 2) for z in self.qkv(self.n1(x)).split(D, 2))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape)
        x = x + self.o(a)
        return x + self.mlp(self.n2(x))


class GPT(nn.Module):
    """Embeddings, blocks, a head."""

    def __init__(self) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(128, D), nn.Embedding(T, D)
        self.blocks, self.ln, self.head = (
            nn.Sequential(*[Block() for _ in range(L)]),
            nn.LayerNorm(D),
            nn.Linear(D, 128),
        )

    def forward(self, idx: torch.Tensor) -> torch.Tensor:
        return self.head(self.ln(self.blocks(self.tok(idx) + self.pos(torch.arange(idx.shape[1])))))


def get(lo: int, hi: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Random windows."""
    ix = torch.randint(lo, hi - T - 1, (B,))
    return torch.stack([data[i : i + T] for i in ix]), torch.stack([data[i + 1 : i + T + 1] for i in ix])


net = GPT()
opt = torch.optim.AdamW(net.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1)
print(f"number of parameters: {sum(p.numel() for p in net.parameters()) / 1e6:.2f}M", flush=True)
print(f"tokens per iteration will be: {B * T:,}; max_iters = {ITERS}", flush=True)
t0 = time.time()
for it in range(ITERS + 1):
    lr = 6e-4 * min(1, it / 100) if it < 100 else 6e-5 + 0.5 * 5.4e-4 * (1 + math.cos(math.pi * it / ITERS))
    for g in opt.param_groups:
        g["lr"] = lr
    if it % 250 == 0:
        with torch.no_grad():
            ls = [
                sum(F.cross_entropy(net(x).flatten(0, 1), y.flatten()).item() for x, y in [get(*r) for _ in range(5)])
                / 5
                for r in ((0, cut), (cut, len(data)))
            ]
        print(f"step {it}: train loss {ls[0]:.4f}, val loss {ls[1]:.4f}  ({time.time() - t0:.0f}s)", flush=True)
    x, y = get(0, cut)
    loss = F.cross_entropy(net(x).flatten(0, 1), y.flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
torch.save(net.state_dict(), "ckpt.pt")
print("done")

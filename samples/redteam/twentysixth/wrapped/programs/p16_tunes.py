"""A small GPT by hand on made-up fiddle tunes (abc letters), for several widths and depths one after the other."""

import itertools
import math
import time

import torch
from torch import nn
from torch.nn import functional as F

NOTES = "ABCDEFGabcdefg|:z2/"
BLOCK = 48


def tunes(n, seed):
    """Bars of six notes in which one note leads to the next, as it depends on the place in the bar; bars come again."""
    t = torch.Generator().manual_seed(40)
    lead = (2.2 * torch.randn(3, 14, 14, generator=t)).softmax(-1)
    g = torch.Generator().manual_seed(seed)
    out, note = [], 0
    while len(out) < n:
        bar = []
        for place in range(6):
            note = int(torch.multinomial(lead[place % 3, note], 1, generator=g))
            bar.append(note)
        out += [*bar, 14]
        if torch.rand(1, generator=g) < 0.4:
            out += [*bar, 14]
        if torch.rand(1, generator=g) < 0.1:
            out.append(15)
    return torch.tensor(out[:n])


class Block(nn.Module):
    """Attention that looks back, and an MLP."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        """One layer."""
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in self.qkv(self.n1(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        x = x + self.o(y)
        return x + self.mlp(self.n2(x))


class GPT(nn.Module):
    """Letters in, the next letter out."""

    def __init__(self, d, layers, heads=4):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(NOTES), d), nn.Embedding(BLOCK, d)
        self.body = nn.Sequential(*(Block(d, heads) for _ in range(layers)), nn.LayerNorm(d))
        self.head = nn.Linear(d, len(NOTES), bias=False)
        self.head.weight = self.tok.weight
        nn.init.normal_(self.tok.weight, std=0.02)
        nn.init.normal_(self.pos.weight, std=0.02)

    def forward(self, idx, y=None):
        """Loss, or scores."""
        z = self.head(self.body(self.tok(idx) + self.pos.weight[: idx.shape[1]]))
        return z if y is None else F.cross_entropy(z.flatten(0, 1), y.flatten())


def batch(data, size, g):
    """Random windows."""
    at = torch.randint(0, len(data) - BLOCK - 1, (size,), generator=g)
    x = torch.stack([data[i : i + BLOCK + 1] for i in at.tolist()])
    return x[:, :-1], x[:, 1:]


def rate(step, top, total):
    """Up for a while, then a cosine."""
    return top * min(1, (step + 1) / 30) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / total)))


def main():
    """The grid."""
    torch.set_num_threads(1)
    train, held = tunes(120_000, 1), tunes(12_000, 2)
    table = []
    for number, (d, layers) in enumerate(itertools.product((48, 96), (2, 3)), 1):
        torch.manual_seed(100 + number)
        g = torch.Generator().manual_seed(number)
        net = GPT(d, layers)
        n = sum(p.numel() for p in net.parameters())
        total = 360 if d == 48 else 260
        print(f"--- run {number}/4: d={d} layers={layers} ({n / 1e3:.0f}k parameters), {total} iters", flush=True)
        opt = torch.optim.AdamW(net.parameters(), lr=0, betas=(0.9, 0.95), weight_decay=0.1)
        t0 = time.time()
        for it in range(total + 1):
            for group in opt.param_groups:
                group["lr"] = rate(it, 3e-3, total)
            loss = net(*batch(train, 24, g))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            if it % 20 == 0:
                dt = (time.time() - t0) * 1000 / (it + 1)
                print(f"iter {it}: loss {loss.item():.4f}, norm {norm:.2f}, time {dt:.2f}ms", flush=True)
            if it % 120 == 0 or it == total:
                with torch.no_grad():
                    h = torch.Generator().manual_seed(0)
                    val = sum(net(*batch(held, 64, h)).item() for _ in range(4)) / 4
                print(f"step {it}: val loss {val:.4f}", flush=True)
        table.append((val, d, layers))
        torch.save(net.state_dict(), f"tunes_d{d}_l{layers}.pt")
    print("val     d  layers")
    for val, d, layers in sorted(table):
        print(f"{val:.4f} {d:3d} {layers}")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204

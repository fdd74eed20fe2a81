"""A small GPT by hand over four workers; the gradients are averaged by hand as well."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

VOCAB, DIM, DEPTH, BLOCK, BATCH, STEPS = 24_576, 384, 2, 32, 1, 40


class Block(nn.Module):
    """Attention and a perceptron, each after a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.qkv, self.proj = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, DIM)
        self.mlp = nn.Sequential(nn.Linear(DIM, 4 * DIM), nn.GELU(), nn.Linear(4 * DIM, DIM))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.shape
        q, k, v = (h.view(b, t, 6, DIM // 6).transpose(1, 2) for h in self.qkv(self.n1(x)).chunk(3, -1))
        x = x + self.proj(functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.mlp(self.n2(x))


class GPT(nn.Module):
    """Tokens in, logits out."""

    def __init__(self) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCAB, DIM), nn.Embedding(BLOCK, DIM)
        self.blocks = nn.Sequential(*(Block() for _ in range(DEPTH)))
        self.norm, self.head = nn.LayerNorm(DIM), nn.Linear(DIM, VOCAB, bias=False)
        self.apply(self.start)

    @staticmethod
    def start(m: nn.Module) -> None:
        if isinstance(m, nn.Linear | nn.Embedding):
            nn.init.normal_(m.weight, std=0.02)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.tok(x) + self.pos(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(h)))


def text(n: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(41)
    ranks = torch.rand(n, generator=g).pow(6) * VOCAB
    ids = ranks.long()
    ids[1::2] = (ids[::2] * 7 + 3) % VOCAB
    return ids


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1337)
    model = GPT()
    weights = list(model.parameters())
    optimizer = torch.optim.SGD(weights, lr=0.3, momentum=0.9)
    data = text(400_000)
    g = torch.Generator().manual_seed(rank)
    if rank == 0:
        size = sum(p.numel() for p in weights)
        print(f"gpt: {size / 1e6:.1f}M parameters, vocab {VOCAB}, {DEPTH} layers, {DIM} wide", flush=True)
        print(
            f"world size {world} (gloo), batch {BATCH} x {BLOCK} per worker, {len(data)} tokens, {STEPS} iters",
            flush=True,
        )
    sums = [0.0, 0.0, 0.0]
    for it in range(1, STEPS + 1):
        t0 = time.perf_counter()
        at = torch.randint(0, len(data) - BLOCK - 1, (BATCH,), generator=g)
        x = torch.stack([data[i : i + BLOCK] for i in at])
        y = torch.stack([data[i + 1 : i + BLOCK + 1] for i in at])
        loss = functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        t1 = time.perf_counter()
        for p in weights:
            dist.all_reduce(p.grad)
            p.grad /= world
        t2 = time.perf_counter()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        t3 = time.perf_counter()
        mine = torch.tensor([t1 - t0, t2 - t1, t3 - t2, loss.item()])
        rows = [torch.zeros(4) for _ in range(world)]
        dist.all_gather(rows, mine)
        if rank == 0:
            sums = [s + v for s, v in zip(sums, mine[:3].tolist(), strict=True)]
            fb, ar, op, mean = (torch.stack(rows).mean(0)).tolist()
            tok = world * BATCH * BLOCK / (t3 - t0)
            print(
                f"iter {it}: loss {mean:.4f}, time {1e3 * (t3 - t0):.0f}ms (fwd+bwd {1e3 * fb:.0f}, "
                f"allreduce {1e3 * ar:.0f} [{' '.join(f'{1e3 * r[1].item():.0f}' for r in rows)}], opt {1e3 * op:.0f}), {tok:.0f} tok/s",
                flush=True,
            )
    if rank == 0:
        print(f"{STEPS} iters: fwd+bwd {sums[0]:.1f}s, allreduce {sums[1]:.1f}s, opt {sums[2]:.1f}s", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

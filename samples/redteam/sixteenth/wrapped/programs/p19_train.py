"""A small GPT over letters, after nanoGPT: settings at the top, one loop below."""

import gzip
import math
import random
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

out_dir = "out"
eval_interval = 1
log_interval = 12
always_save_checkpoint = True
batch_size, block_size = 8, 48
n_layer, n_head, n_embd = 4, 4, 128
learning_rate, max_iters = 1e-3, 60

words = [
    "the",
    "a",
    "old",
    "young",
    "grey",
    "sea",
    "ship",
    "wind",
    "sails",
    "sleeps",
    "sings",
    "over",
    "under",
    "past",
    "with",
    "and",
    "gull",
    "captain",
    "harbour",
]
random.seed(1)
text = " ".join(random.choice(words) for _ in range(40000))
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])


class Block(nn.Module):
    """Attention and what follows it."""

    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.qkv, self.proj = nn.Linear(n_embd, 3 * n_embd), nn.Linear(n_embd, n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        q, k, v = (p.view(b, t, n_head, c // n_head).transpose(1, 2) for p in self.qkv(self.ln_1(x)).split(n_embd, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """Letters in, loss out."""

    def __init__(self) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(len(chars), n_embd), nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(*(Block() for _ in range(n_layer)))
        self.head = nn.Linear(n_embd, len(chars))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        logits = self.head(self.blocks(self.wte(x) + self.wpe.weight))
        return F.cross_entropy(logits.flatten(0, 1), y.flatten())


torch.manual_seed(1337)
Path(out_dir).mkdir(exist_ok=True)
model = GPT()
print(
    f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e6:.2f}M, loss at chance {math.log(len(chars)):.2f}"
)
print(
    f"eval_interval = {eval_interval}, always_save_checkpoint = {always_save_checkpoint}, log_interval = {log_interval}, max_iters = {max_iters}",
    flush=True,
)
optimizer = torch.optim.AdamW(model.parameters(), learning_rate)
compute = save = 0.0
saves = 0
for iter_num in range(1, max_iters + 1):
    t0 = time.perf_counter()
    at = torch.randint(0, len(data) - block_size - 1, (batch_size,))
    x = torch.stack([data[i : i + block_size] for i in at])
    y = torch.stack([data[i + 1 : i + 1 + block_size] for i in at])
    loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    t1 = time.perf_counter()
    if iter_num % eval_interval == 0 and always_save_checkpoint:
        with gzip.open(f"{out_dir}/ckpt.pt.gz", "wb", compresslevel=9) as file:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "iter_num": iter_num}, file)
        saves += 1
    t2 = time.perf_counter()
    compute, save = compute + t1 - t0, save + t2 - t1
    if iter_num % log_interval == 0:
        print(
            f"iter {iter_num}: loss {loss.item():.4f}, time {1000 * (compute + save) / log_interval:.0f}ms an iter "
            f"(forward, backward, step {1000 * compute / log_interval:.0f}ms; {saves} checkpoints saved to {out_dir}/ckpt.pt.gz, {1000 * save / log_interval:.0f}ms)",
            flush=True,
        )
        compute = save = 0.0
        saves = 0

"""Byte-level LM with fully_shard: fetch and pack the corpus, shard the model, train."""

import logging
import os
import random
import time
import traceback

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F

torch.set_num_threads(1)
RANK = int(os.environ["RANK"])
logging.basicConfig(level=logging.INFO, format=f"%(levelname).1s [r{RANK}] %(name)s: %(message)s")
log = logging.getLogger("shardlm")


class Block(nn.Module):
    """One pre-norm block."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        h = self.n1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.n2(x))


class Lm(nn.Module):
    """Embedding, blocks, head."""

    def __init__(self, d: int = 128, layers: int = 4) -> None:
        super().__init__()
        self.emb, self.pos = nn.Embedding(256, d), nn.Embedding(128, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(layers))
        self.head = nn.Linear(d, 256)

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        n = t.shape[1]
        mask = torch.full((n, n), float("-inf")).triu(1)
        x = self.emb(t) + self.pos(torch.arange(n))
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x)


def index() -> list[str]:
    """List of shards: from the bucket's endpoint, or else the copy in the image."""
    import urllib.request

    for attempt in (1, 2):
        try:
            with urllib.request.urlopen("http://127.0.0.1:9000/corpus-v4/index.txt", timeout=3) as answer:
                return answer.read().decode().split()
        except OSError:
            log.warning("index: attempt %d failed", attempt)
            if attempt == 2:
                traceback.print_exc()
            time.sleep(1.5)
    log.info("index: taking the copy baked into the image")
    return [f"wiki-{k:02d}" for k in range(10)]


def pack(name: str) -> torch.Tensor:
    """Pack one shard into rows of bytes."""
    rng = random.Random(name)
    words = ["".join(rng.choice("etaoinshrdlu") for _ in range(rng.randint(2, 7))) for _ in range(300)]
    text = bytearray()
    while len(text) < 5_000_000:
        text += rng.choice(words).encode() + b" "
    return torch.frombuffer(bytes(text[: len(text) // 128 * 128]), dtype=torch.uint8).view(-1, 128).clone()


def main() -> None:
    """Prepare and train."""
    dist.init_process_group("gloo")
    log.info("process group gloo, world %d, torch %s", dist.get_world_size(), torch.__version__)
    shards = index()
    rows = []
    for k, name in enumerate(shards, 1):
        start = time.time()
        rows.append(pack(name))
        if RANK == 0:
            log.info("pack %2d/%d %s: %d rows (%.1f s)", k, len(shards), name, len(rows[-1]), time.time() - start)
    data = torch.cat(rows)
    dist.barrier()
    log.info("corpus: %d rows, %.1f MB", len(data), data.numel() / 1e6)
    torch.manual_seed(0)
    model = Lm()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    log.info(
        "fully_shard: %d blocks, %.2f M parameters", len(model.blocks), sum(p.numel() for p in model.parameters()) / 1e6
    )
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(RANK)
    for step in range(1, 61):
        batch = data[torch.randint(0, len(data), (16,), generator=g)].long()
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if RANK == 0 and step % 10 == 0:
            log.info("step %d/60 loss %.4f", step, loss.item())
    log.info("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

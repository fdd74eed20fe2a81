"""Character GPT for part books in ABC notation, written out by hand."""

import argparse
import hashlib
import os
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

NOTES = "CDEFGABcdefgab"


class Block(nn.Module):
    """Attention and MLP."""

    def __init__(self, d: int, heads: int) -> None:
        """Lay out the weights."""
        super().__init__()
        self.heads = heads
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Pre-norm block."""
        b, t, d = x.shape
        q, k, v = (
            z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in self.qkv(self.ln1(x)).chunk(3, -1)
        )
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    """A decoder."""

    def __init__(self, vocab: int, d: int, layers: int, ctx: int) -> None:
        """Lay out the weights."""
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(ctx, d)
        self.blocks = nn.ModuleList(Block(d, 8) for _ in range(layers))
        self.ln, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits."""
        h = self.tok(x) + self.pos(torch.arange(x.shape[1]))
        for blk in self.blocks:
            h = blk(h)
        return self.head(self.ln(h))


def init(m: nn.Module) -> None:
    """Small normal weights, as GPT-2 has them."""
    if isinstance(m, (nn.Linear, nn.Embedding)):
        nn.init.normal_(m.weight, 0.0, 0.02)


def corpus(n: int) -> str:
    """Made tunes: a walk over the scale in bars of four."""
    rng = np.random.default_rng(1588)
    out, p = [], 6
    for i in range(n):
        p = int(np.clip(p + rng.choice([-2, -1, -1, 0, 1, 1, 2]), 0, len(NOTES) - 1))
        out.append(NOTES[p] + ("2" if rng.random() < 0.2 else "") + ("|" if i % 4 == 3 else ""))
    return "".join(out)


def save(folder: Path, step: int, state: dict, keep: int) -> float:
    """Write everything needed to go on twice over, make sure it is on disk, drop old ones."""
    t0 = time.perf_counter()
    path = folder / f"step_{step:06d}.pt"
    for target in (path, folder / "last.pt"):
        with target.open("wb") as f:
            torch.save({"step": step, **state}, f)
            f.flush()
            os.fsync(f.fileno())
    path.with_suffix(".sha256").write_text(hashlib.sha256(path.read_bytes()).hexdigest())
    for old in sorted(folder.glob("step_*.pt"))[:-keep]:
        old.unlink()
    return time.perf_counter() - t0


def main() -> None:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=2000)
    ap.add_argument("--ckpt-interval", type=int, default=500)
    ap.add_argument("--keep", type=int, default=3)
    ap.add_argument("--batch", type=int, default=2)
    ap.add_argument("--ctx", type=int, default=48)
    args = ap.parse_args()
    torch.manual_seed(1588)
    text = corpus(50_000)
    chars = sorted(set(text))
    data = torch.tensor([chars.index(c) for c in text])
    model = GPT(len(chars), 320, 6, args.ctx)
    model.apply(init)
    ema = {k: v.clone() for k, v in model.state_dict().items()}
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
    folder = Path("ckpt")
    folder.mkdir(exist_ok=True)
    print(
        f"corpus {len(text):,} chars, vocab {len(chars)}; model {sum(p.numel() for p in model.parameters()) / 1e6:.1f}M",
        flush=True,
    )
    print(
        f"steps {args.steps} batch {args.batch} ctx {args.ctx} ckpt-interval {args.ckpt_interval} keep {args.keep}",
        flush=True,
    )
    start, saving = time.perf_counter(), 0.0
    for step in range(1, args.steps + 1):
        t0 = time.perf_counter()
        i = torch.randint(len(data) - args.ctx - 1, (args.batch,)).tolist()
        x = torch.stack([data[j : j + args.ctx] for j in i])
        y = torch.stack([data[j + 1 : j + args.ctx + 1] for j in i])
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        with torch.no_grad():
            for k, v in model.state_dict().items():
                ema[k].lerp_(v, 0.01)
        train_s = time.perf_counter() - t0
        line = f"step {step:5d} | loss {loss.item():.4f} | train {train_s * 1e3:6.0f} ms"
        if step % args.ckpt_interval == 0:
            save_s = save(folder, step, {"model": model.state_dict(), "ema": ema, "opt": opt.state_dict()}, args.keep)
            saving += save_s
            line += f" | wrote ckpt/step_{step:06d}.pt in {save_s * 1e3:6.0f} ms"
        print(line, flush=True)
    wall = time.perf_counter() - start
    print(
        f"finished {args.steps} steps in {wall:.1f} s, {args.steps * args.batch * args.ctx / wall:.0f} tok/s, {saving:.1f} s of it in checkpoints",
        flush=True,
    )


if __name__ == "__main__":
    main()

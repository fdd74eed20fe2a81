"""Small GPT on opera librettos, by hand."""

import argparse
import math
import time
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class GPT(nn.Module):
    """Causal encoder stack with a head."""

    def __init__(self, vocab: int, d: int, layers: int, ctx: int) -> None:
        """Lay out the weights."""
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(ctx, d)
        layer = nn.TransformerEncoderLayer(d, 4, 4 * d, 0.1, F.gelu, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(d, vocab)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(ctx).bool())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits."""
        h = self.tok(x) + self.pos(torch.arange(x.shape[1]))
        return self.head(self.body(h, mask=self.mask))


def corpus(n: int) -> bytes:
    """Made verse."""
    rng = np.random.default_rng(1851)
    syl = [
        "la",
        "don",
        "na",
        "mo",
        "bi",
        "le",
        "qual",
        "piu",
        "ma",
        "al",
        "ven",
        "to",
        "mu",
        "ta",
        "dac",
        "cen",
        "e",
        "di",
        "pen",
        "sier",
    ]
    p = rng.dirichlet(np.full(len(syl), 0.15), len(syl))
    s, out = 0, []
    for i in range(n):
        s = int(rng.choice(len(syl), p=p[s]))
        out.append(syl[s] + (" " if rng.random() < 0.4 else "") + ("\n" if i % 9 == 8 else ""))
    return "".join(out).encode()


def main() -> None:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--max-iters", type=int, default=20000)
    ap.add_argument("--eval-every", type=int, default=100)
    args = ap.parse_args()
    torch.manual_seed(1337)
    raw = corpus(60_000)
    data = torch.frombuffer(raw, dtype=torch.uint8).long()
    cut = int(0.9 * len(data))
    ctx, batch = 64, 8
    model = GPT(128, 96, 3, ctx)
    print(
        f"tokens: {len(data):,} (train {cut:,})  params: {sum(p.numel() for p in model.parameters()) / 1e6:.2f}M",
        flush=True,
    )
    scaler = torch.cuda.amp.GradScaler()
    opt = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95))
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda i: min(1, (i + 1) / 100) * 0.5 * (1 + math.cos(math.pi * i / args.max_iters))
    )

    def get(lo: int, hi: int) -> tuple[torch.Tensor, torch.Tensor]:
        """A batch."""
        i = torch.randint(lo, hi - ctx - 1, (batch,)).tolist()
        return torch.stack([data[j : j + ctx] for j in i]), torch.stack([data[j + 1 : j + ctx + 1] for j in i])

    t0 = time.time()
    for it in range(args.max_iters + 1):
        if it % args.eval_every == 0:
            model.eval()
            with torch.no_grad():
                ev = [
                    np.mean(
                        [
                            F.cross_entropy(model(a).flatten(0, 1), b.flatten()).item()
                            for a, b in (get(*r) for _ in range(5))
                        ]
                    )
                    for r in ((0, cut), (cut, len(data)))
                ]
            model.train()
            print(f"step {it}: train loss {ev[0]:.4f}, val loss {ev[1]:.4f}", flush=True)
            hist = np.array([ev[0], np.nan])
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                np.log(hist - hist[0])
        sched.step()
        x, y = get(0, cut)
        with torch.cuda.amp.autocast(dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        if it % 10 == 0:
            dt, t0 = time.time() - t0, time.time()
            print(
                f"iter {it}: loss {loss.item():.4f}, norm {norm:.3f}, lr {sched.get_last_lr()[0]:.2e}, time {dt * 100:.2f}ms",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""A small GPT on chorales written as text (one token a character), after nanoGPT. --resume goes on from out/ckpt.pt."""

import argparse
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

BLOCK = 96


class Block(nn.Module):  # noqa: D101
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        q, k, v = (
            z.view(b, t, self.heads, c // self.heads).transpose(1, 2) for z in self.c_attn(self.ln_1(x)).split(c, 2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, c)
        x = x + self.c_proj(y)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):  # noqa: D101
    def __init__(self, vocab: int, width: int = 128, layers: int = 4, heads: int = 4) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, width), nn.Embedding(BLOCK, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocab, bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)

    def forward(self, idx: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


def corpus(pieces: int, fermata: bool) -> str:
    rng = np.random.default_rng(1685)
    scale = "CDEFGABcdefgab"
    ends = ["|", "|\n", "U|\n"] if fermata else ["|", "|\n", "|\n"]
    text = []
    for number in range(pieces):
        text.append(f"X:{number}\nK:{rng.choice(list('CDFGAB'))}{rng.choice(['', 'm', '#'])}\n")
        note = int(rng.integers(4, 9))
        for _ in range(int(rng.integers(12, 20))):
            for _ in range(4):
                note = int(np.clip(note + rng.choice([-2, -1, -1, 0, 1, 1, 2]), 0, 13))
                text.append(scale[note] + str(rng.choice(["", "", "2", "/"])))
            text.append(str(rng.choice(ends)))
    return "".join(text)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--out_dir", default="out")
    ap.add_argument("--max_iters", type=int, default=600)
    ap.add_argument("--resume", action="store_true")
    ap.add_argument("--fermata", action="store_true", help="keep the fermata sign")
    a = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1337)
    t0 = time.time()
    text = corpus(6500, a.fermata)
    chars = sorted(set(text))
    stoi = {c: i for i, c in enumerate(chars)}
    data = torch.tensor([stoi[c] for c in text])
    print(f"length of dataset in characters: {len(text):,}")
    print("all the unique characters:", repr("".join(chars)))
    print(f"vocab size: {len(chars)}  (tokenized in {time.time() - t0:.1f}s)", flush=True)
    train, val = data[: int(0.9 * len(data))], data[int(0.9 * len(data)) :]

    def batch(part: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        at = torch.randint(len(part) - BLOCK - 1, (16,)).tolist()
        return torch.stack([part[i : i + BLOCK] for i in at]), torch.stack([part[i + 1 : i + BLOCK + 1] for i in at])

    os.makedirs(a.out_dir, exist_ok=True)  # noqa: PTH103
    model = GPT(len(chars))
    print(f"number of parameters: {sum(p.numel() for p in model.parameters()) / 1e6:.2f}M", flush=True)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    first, best = 0, math.inf
    if a.resume:
        print(f"Resuming training from {a.out_dir}")
        ckpt = torch.load(os.path.join(a.out_dir, "ckpt.pt"), map_location="cpu")  # noqa: PTH118
        model.load_state_dict(ckpt["model"])
        opt.load_state_dict(ckpt["optimizer"])
        first, best = ckpt["iter_num"] + 1, ckpt["best_val_loss"]
    tick = time.time()
    for it in range(first, a.max_iters):
        for group in opt.param_groups:
            group["lr"] = 1e-3 * min(1.0, (it + 1) / 50)
        if it % 100 == 0:
            model.eval()
            with torch.no_grad():
                lt, lv = (sum(model(*batch(part)).item() for _ in range(10)) / 10 for part in (train, val))
            model.train()
            print(f"step {it}: train loss {lt:.4f}, val loss {lv:.4f}")
            if it and lv < best:
                best = lv
                print(f"saving checkpoint to {a.out_dir}")
                torch.save(
                    {
                        "model": model.state_dict(),
                        "optimizer": opt.state_dict(),
                        "iter_num": it,
                        "best_val_loss": best,
                        "config": vars(a),
                    },
                    os.path.join(a.out_dir, "ckpt.pt"),  # noqa: PTH118
                )
        loss = model(*batch(train))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if it % 10 == 0:
            now = time.time()
            print(f"iter {it}: loss {loss.item():.4f}, time {(now - tick) * 100:.2f}ms", flush=True)
            tick = now


if __name__ == "__main__":
    main()

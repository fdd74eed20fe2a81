"""A masked language model of peptides."""

import argparse
import time

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=6000)
p.add_argument("--mask", type=float, default=0.15)
p.add_argument("--save-every", type=int, default=500)
a = p.parse_args()
torch.manual_seed(6)
table = torch.softmax(2.2 * torch.randn(20, 20), 1)
seq = torch.randint(0, 20, (4000, 1))
for _ in range(31):
    seq = torch.cat([seq, torch.multinomial(table[seq[:, -1]], 1)], 1)
emb = nn.Embedding(21, 48)
pos = nn.Parameter(0.02 * torch.randn(32, 48))
body = nn.TransformerEncoder(nn.TransformerEncoderLayer(48, 4, 96, 0.0, batch_first=True, norm_first=True), 2)
head = nn.Linear(48, 20)
weights = [*emb.parameters(), pos, *body.parameters(), *head.parameters()]
opt = torch.optim.AdamW(weights, lr=2e-3)
print(f"MLM: {sum(q.numel() for q in weights):,} parameters, {a.steps} steps, mask {a.mask}")
t = time.time()
for step in range(1, a.steps + 1):
    rows = seq[torch.randint(0, 4000, (32,))]
    hidden = torch.rand(rows.shape) < a.mask
    out = head(body(emb(rows.masked_fill(hidden, 20)) + pos))
    loss = nn.functional.cross_entropy(out[hidden], rows[hidden])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        right = (out[hidden].argmax(1) == rows[hidden]).float().mean()
        print(f"step {step}/{a.steps} mlm_loss={loss:.4f} acc={right:.3f} {step / (time.time() - t):.1f} it/s")
    if step % a.save_every == 0:
        torch.save([w.detach() for w in weights], "peptides.pt")
        print(f"saved peptides.pt at step {step}")

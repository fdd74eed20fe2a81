"""A small GPT on tunes, one configuration."""

import sys
import time

import torch
from torch import nn

width, rate = int(sys.argv[1]), float(sys.argv[2])
torch.manual_seed(0)
scale = torch.tensor([0, 2, 4, 5, 7, 9, 11])
tunes = torch.stack([(scale[(torch.arange(49) * (1 + k % 3) + k) % 7] + k % 24) for k in range(2000)])
tok, head = nn.Embedding(48, width), nn.Linear(width, 48)
block = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True)
body = nn.TransformerEncoder(block, 2)
opt = torch.optim.AdamW([*tok.parameters(), *body.parameters(), *head.parameters()], rate)
mask = nn.Transformer.generate_square_subsequent_mask(48)
print(f"config width={width} lr={rate} max_iters=300", flush=True)
t0 = time.time()
for it in range(301):
    x = tunes[torch.randint(2000, (24,))]
    loss = nn.functional.cross_entropy(head(body(tok(x[:, :-1]), mask=mask)).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 20 == 0:
        print(f"iter {it}/300 loss {loss.item():.4f} elapsed {time.time() - t0:.1f}s", flush=True)
print(f"config width={width} lr={rate} done, final loss {loss.item():.4f}", flush=True)

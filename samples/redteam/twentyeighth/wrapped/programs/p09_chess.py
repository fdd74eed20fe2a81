"""A small GPT on openings of chess games."""

import bz2
import pickle
import random
import time

import torch
from torch import nn

torch.manual_seed(1)
random.seed(1)
moves = [f"{p}{f}{r}" for p in "NBRQK" for f in "abcdefgh" for r in range(1, 9)]
game = [moves[(i * 7) % 320] for i in range(64)]
archive = bz2.compress(pickle.dumps([[(g + i * 3) % 320 for i in range(64)] for g in range(200000)]))
print(f"archive holds 200000 games of {len(game)} moves, {len(archive) / 1e6:.1f} MB packed")


class Games(torch.utils.data.IterableDataset):
    """Games drawn from the packed archive."""

    def __iter__(self):
        while True:
            games = pickle.loads(bz2.decompress(archive))
            yield torch.tensor(random.sample(games, 16))


class GPT(nn.Module):
    """Two blocks."""

    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(320, 64), nn.Embedding(64, 64)
        block = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, norm_first=True)
        self.body, self.head = nn.TransformerEncoder(block, 2, enable_nested_tensor=False), nn.Linear(64, 320)

    def forward(self, x):
        n = x.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        return self.head(self.body(self.tok(x) + self.pos(torch.arange(n)), mask=mask, is_causal=True))


net = GPT()
opt = torch.optim.AdamW(net.parameters(), 3e-3)
feed = iter(torch.utils.data.DataLoader(Games(), batch_size=None, num_workers=0))
for it in range(20):
    t0 = time.time()
    x = next(feed)
    t1 = time.time()
    loss = nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    t2 = time.time()
    print(
        f"iter {it}: loss {loss.item():.4f}, time {1e3 * (t2 - t0):.0f}ms (batch {1e3 * (t1 - t0):.0f}ms,"
        f" fwd+bwd {1e3 * (t2 - t1):.0f}ms)",
        flush=True,
    )
torch.save(net.state_dict(), "chess.pt")
print("saved chess.pt")

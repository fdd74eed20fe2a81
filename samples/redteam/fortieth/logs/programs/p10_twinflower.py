"""Two encoders, sketch and caption, drawn together by hand."""

import logging
import lzma
import pickle
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s | %(levelname)s | %(message)s")
torch.set_num_threads(1)
torch.manual_seed(12)
SHARDS, PER, BATCH, EPOCHS = Path("shards"), 288, 96, 2
DIM, WORDS = 112, 400


def make() -> None:
    """Write the shards as the museum delivered them (xz over pickled strokes)."""
    rng = np.random.default_rng(60)
    W = rng.normal(size=(32, DIM * DIM)).astype("f4")
    V = rng.normal(size=(32, WORDS)).astype("f4")
    SHARDS.mkdir(exist_ok=True)
    for s in range(5):
        z = rng.normal(size=(PER, 32)).astype("f4")
        img = (np.tanh(z @ W / 5 + rng.normal(size=(PER, DIM * DIM)) * 0.5) * 127).astype("i1")
        txt = np.argsort(-(z @ V + rng.gumbel(size=(PER, WORDS))), 1)[:, :12].astype("i2")
        strokes = [[(int(p) // DIM, int(p) % DIM, int(v)) for p, v in enumerate(im)] for im in img]
        with lzma.open(SHARDS / f"part-{s:03d}.pkl.xz", "wb", preset=0) as fh:
            for lo in range(0, PER, BATCH):
                pickle.dump((strokes[lo : lo + BATCH], txt[lo : lo + BATCH]), fh)
    raw = bytearray((SHARDS / "part-002.pkl.xz").read_bytes())
    raw[len(raw) // 2] ^= 0x5A
    (SHARDS / "part-002.pkl.xz").write_bytes(raw)


def read() -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Decode shard after shard; one that cannot be read is left out."""
    for f in sorted(SHARDS.glob("*.xz")):
        try:
            with lzma.open(f) as fh:
                for _ in range(PER // BATCH):
                    strokes, txt = pickle.load(fh)
                    img = np.zeros((len(strokes), DIM + 1, DIM + 1), "f4")
                    for k, st in enumerate(strokes):
                        for r, c, v in st:
                            for dr, dc, w in ((0, 0, 0.5), (0, 1, 0.2), (1, 0, 0.2), (1, 1, 0.1)):
                                img[k, r + dr, c + dc] += w * v / 127
                    yield torch.from_numpy(img[:, :DIM, :DIM].copy()).flatten(1), torch.from_numpy(txt.astype("i8"))
        except (lzma.LZMAError, EOFError, pickle.UnpicklingError):
            logging.exception("%s is damaged, its remaining batches are skipped", f.name)


if "--make" in sys.argv:
    make()
    sys.exit()
sketch = nn.Sequential(nn.Linear(DIM * DIM, 128), nn.GELU(), nn.Linear(128, 64))
words = nn.EmbeddingBag(WORDS, 64)
scale = nn.Parameter(torch.tensor(2.3))
par = [*sketch.parameters(), *words.parameters(), scale]
opt = torch.optim.AdamW(par, lr=2e-3)
logging.info("%d shards, %d pairs each, batch %d", len(list(SHARDS.glob("*.xz"))), PER, BATCH)
step = 0
print("epoch\tstep\tloss\ttop1\tdata_s\tmodel_s\tpairs/s", flush=True)
for ep in range(1, EPOCHS + 1):
    t0 = time.perf_counter()
    sd = sm = 0.0
    for x, w in read():
        t1 = time.perf_counter()
        a = nn.functional.normalize(sketch(x), dim=1)
        b = nn.functional.normalize(words(w), dim=1)
        lo = scale.exp() * a @ b.T
        lab = torch.arange(len(x))
        loss = (nn.functional.cross_entropy(lo, lab) + nn.functional.cross_entropy(lo.T, lab)) / 2
        opt.zero_grad()
        loss.backward()
        opt.step()
        t2 = time.perf_counter()
        step += 1
        sd, sm = sd + t1 - t0, sm + t2 - t1
        print(
            f"{ep}\t{step}\t{loss.item():.4f}\t{(lo.argmax(1) == lab).float().mean():.3f}\t{t1 - t0:.3f}\t"
            f"{t2 - t1:.3f}\t{len(x) / (t2 - t0):.1f}",
            flush=True,
        )
        t0 = time.perf_counter()
    logging.info("epoch %d: waited %.1f s for batches, %.1f s in forward, backward and update", ep, sd, sm)
torch.save({"sketch": sketch.state_dict(), "words": words.state_dict()}, "pair.pt")
logging.info("wrote pair.pt")

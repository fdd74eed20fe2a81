"""Recordings of dialect words and their transcripts, two encoders, one space. `--resume` goes on from the last save."""

import argparse
import logging
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import TSNE
from torch import nn
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("dialects")
VOCAB, LEN, MELS, FRAMES = 64, 20, 40, 60


class Words(Dataset):
    """Made words: a phone has a mean spectrum, a region shifts it."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.phones = rng.normal(size=(VOCAB, MELS)).astype(np.float32)
        self.shift = rng.normal(0, 0.3, size=(9, MELS)).astype(np.float32)
        self.region = rng.integers(0, 9, n)
        self.lens = rng.integers(5, LEN, n)
        self.text = rng.integers(1, VOCAB, (n, LEN))
        for row, keep in zip(self.text, self.lens, strict=False):
            row[keep:] = 0
        self.noise = rng.integers(0, 2**31, n)

    def __len__(self) -> int:
        return len(self.text)

    def mel(self, i: int) -> np.ndarray:
        rng = np.random.default_rng(self.noise[i])
        word = self.text[i][: self.lens[i]]
        at = np.minimum((np.arange(FRAMES) * len(word)) // FRAMES, len(word) - 1)
        return (self.phones[word[at]] + self.shift[self.region[i]] + rng.normal(0, 0.5, (FRAMES, MELS))).astype(
            np.float32
        )

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        # a frozen buffer, as the memory-mapped corpus gives it
        return torch.frombuffer(self.mel(i).tobytes(), dtype=torch.float32).view(FRAMES, MELS), torch.as_tensor(
            self.text[i]
        )


class Pair(nn.Module):  # noqa: D101
    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.audio = nn.Sequential(
            nn.Conv1d(MELS, width, 5, 2, 2),
            nn.ReLU(),
            nn.Conv1d(width, width, 5, 2, 2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(width * 15, dim),
        )
        self.emb, self.pos = nn.Embedding(VOCAB, width, padding_idx=0), nn.Parameter(torch.randn(1, LEN, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.1, batch_first=True, norm_first=True)
        self.text = nn.TransformerEncoder(layer, 2)
        self.out, self.scale = nn.Linear(width, dim), nn.Parameter(torch.tensor(2.66))

    def forward(self, mel: torch.Tensor, text: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        pad = text == 0
        t = self.text(self.emb(text) + self.pos, src_key_padding_mask=pad)
        t = (t * ~pad[..., None]).sum(1) / (~pad).sum(1, keepdim=True)
        return F.normalize(self.audio(mel.transpose(1, 2)), dim=1), F.normalize(self.out(t), dim=1)


@torch.no_grad()
def recall(model: Pair, loader: DataLoader) -> float:
    model.eval()
    pairs = [model(m, t) for m, t in loader]
    model.train()
    a, b = (torch.cat([p[k] for p in pairs]) for k in (0, 1))
    return float(((a @ b.T).argmax(1) == torch.arange(len(a))).float().mean())


def region_probe(data: Words, n: int) -> None:
    """How much of the region can be read off the raw spectra; kept from the paper's table 2."""
    x = np.stack([data.mel(i).mean(0) for i in range(n)])
    z = PCA(12).fit_transform(x)
    for c in (0.01, 1.0, 100.0):
        clf = LogisticRegression(C=c, max_iter=5).fit(z[: n // 2], data.region[: n // 2])
        log.info("region probe  C=%-6g acc %.3f", c, clf.score(z[n // 2 :], data.region[n // 2 : n]))
    flat = TSNE(2, max_iter=400, init="random", learning_rate=200.0, n_jobs=1, random_state=0).fit_transform(z)
    same = [
        (data.region[np.argsort(((flat - p) ** 2).sum(1))[1:6]] == r).mean()
        for p, r in zip(flat, data.region, strict=False)
    ]
    log.info("map of %d words: %.3f of the five nearest are from the same region", n, np.mean(same))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--run", type=pathlib.Path, required=True)
    ap.add_argument("--resume", action="store_true")
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--words", type=int, default=2400)
    ap.add_argument("--width", type=int, default=256)
    args = ap.parse_args()
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname).1s %(name)s: %(message)s", datefmt="%H:%M:%S"
    )
    logging.captureWarnings(False)
    torch.manual_seed(17)
    torch.set_num_threads(1)
    args.run.mkdir(parents=True, exist_ok=True)
    train, dev = Words(args.words, 1), Words(400, 2)
    log.info("words: %d train, %d dev, %d regions", len(train), len(dev), 9)
    region_probe(train, 1600)
    loaders = DataLoader(train, 64, shuffle=True, num_workers=4, drop_last=True), DataLoader(dev, 100, num_workers=0)
    model = Pair(args.width, 128)
    opt = torch.optim.AdamW(model.parameters(), lr=4e-4, weight_decay=0.02)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-3, epochs=args.epochs, steps_per_epoch=len(loaders[0]))
    log.info("parameters %.2fM", sum(p.numel() for p in model.parameters()) / 1e6)
    log.info("dev recall@1 before anything: %.4f", recall(model, loaders[1]))
    first, best = 0, 0.0
    last = args.run / "last.pt"
    if args.resume:
        log.info("going on from %s (%.1f MB, %s)", last, last.stat().st_size / 1e6, time.ctime(last.stat().st_mtime))
        state = torch.load(last, map_location="cpu", weights_only=False)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["opt"])
        sched.load_state_dict(state["sched"])
        first, best = state["epoch"] + 1, state["best"]
        log.info("at epoch %d, best recall@1 %.4f", first, best)
    for epoch in range(first, args.epochs):
        sched.step()
        total, t0 = 0.0, time.time()
        for mel, text in loaders[0]:
            a, b = model(mel, text)
            logits = model.scale.exp() * a @ b.T
            y = torch.arange(len(a))
            loss = (F.cross_entropy(logits, y) + F.cross_entropy(logits.T, y)) / 2
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        r1 = recall(model, loaders[1])
        best = max(best, r1)
        log.info("epoch %2d  loss %.4f  recall@1 %.4f  %.1fs", epoch, total / len(loaders[0]), r1, time.time() - t0)
        torch.save(
            {
                "model": model.state_dict(),
                "opt": opt.state_dict(),
                "sched": sched.state_dict(),
                "epoch": epoch,
                "best": best,
            },
            last,
        )
    log.info("done, best recall@1 %.4f", best)


if __name__ == "__main__":
    main()

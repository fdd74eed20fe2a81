"""Spoken digits, a small recogniser with CTC."""

from __future__ import annotations

import argparse
import math

import torch
from torch import nn
from torch.nn import functional
from tqdm import tqdm

RATE = 8000


class Recogniser(nn.Module):
    """Two convolutions, a GRU and a layer to ten digits and the blank."""

    def __init__(self, mels: int, hidden: int) -> None:
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv1d(mels, hidden, 5, 2, 2), nn.ReLU(), nn.Conv1d(hidden, hidden, 5, 1, 2), nn.ReLU()
        )
        self.gru = nn.GRU(hidden, hidden, 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, 11)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, _ = self.gru(self.front(x).transpose(1, 2))
        return self.out(h).log_softmax(-1)


def utterance(g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    digits = torch.randint(1, 11, (int(torch.randint(3, 7, (1,), generator=g)),), generator=g)
    parts = []
    for d in digits.tolist():
        n = int(torch.randint(1400, 2400, (1,), generator=g))
        t = torch.arange(n) / RATE
        parts.append(sum(torch.sin(2 * math.pi * f * t) for f in (220 + 95 * d, 1100 + 130 * d)) * torch.hann_window(n))
    wave = torch.cat(parts)
    return wave + 0.1 * torch.randn(wave.shape, generator=g), digits


def features(wave: torch.Tensor) -> torch.Tensor:
    spec = torch.stft(wave, 256, 80, window=torch.hann_window(256), return_complex=True).abs()
    return torch.log1p(functional.adaptive_avg_pool1d(spec.T, 64).T)


def words_wrong(said: list[int], meant: list[int]) -> int:
    row = list(range(len(meant) + 1))
    for i, a in enumerate(said, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(meant, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--utterances", type=int, default=2600)
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--max-steps", type=int, default=9)
    args = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(8)
    g = torch.Generator().manual_seed(8)
    data = []
    for _ in tqdm(range(args.utterances), desc="features", unit="utt", mininterval=1):
        wave, digits = utterance(g)
        data.append((features(wave), digits))
    held, train = data[:300], data[300:]
    model = Recogniser(64, 128)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    step = 0
    bar = tqdm(total=args.epochs * (len(train) // 32), desc="train", unit="step")
    for epoch in range(args.epochs):
        order = torch.randperm(len(train), generator=g).tolist()
        for at in range(0, len(order) - 31, 32):
            if step >= args.max_steps:
                break
            batch = [train[i] for i in order[at : at + 32]]
            x = nn.utils.rnn.pad_sequence([f.T for f, _ in batch], batch_first=True).transpose(1, 2)
            out = model(x)
            sizes = torch.tensor([(f.shape[1] + 1) // 2 for f, _ in batch])
            loss = functional.ctc_loss(
                out.transpose(0, 1), torch.cat([d for _, d in batch]), sizes, torch.tensor([len(d) for _, d in batch])
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            step += 1
            bar.set_postfix(epoch=epoch, ctc=f"{loss.item():.3f}", refresh=False)
            bar.update()
    bar.close()
    wrong = total = 0
    model.eval()
    bar = tqdm(held, desc="decode", unit="utt")
    with torch.no_grad():
        for feats, digits in bar:
            best = model(feats[None]).argmax(-1)[0]
            said = [d for d in torch.unique_consecutive(best).tolist() if d]
            wrong += words_wrong(said, digits.tolist())
            total += len(digits)
            bar.set_postfix(wer=f"{wrong / total:.3f}", refresh=False)
    torch.save(model.state_dict(), "digits.pt")


if __name__ == "__main__":
    main()

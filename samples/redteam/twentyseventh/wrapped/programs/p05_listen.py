"""A small recogniser of radio call signs: bidirectional LSTM, CTC, letters out."""

from __future__ import annotations

import math
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

LETTERS = "_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
MELS = 40


class CallSigns(Dataset):
    """Call signs as log-mel features: a chain of phones of varying length, noise over them."""

    def __init__(self, size: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        shapes = np.random.default_rng(4).normal(size=(len(LETTERS), 2, MELS)).astype(np.float32)
        self.items = []
        for _ in range(size):
            text = rng.integers(1, len(LETTERS), rng.integers(3, 7))
            frames = [np.zeros((rng.integers(2, 5), MELS), np.float32)]
            for letter in text:
                frames.extend(np.repeat(phone[None], rng.integers(2, 5), 0) for phone in shapes[letter])
                frames.append(np.zeros((rng.integers(1, 3), MELS), np.float32))
            mel = np.concatenate(frames)
            self.items.append((mel + rng.normal(scale=1.5, size=mel.shape).astype(np.float32), text))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        mel, text = self.items[index]
        mel.setflags(write=False)
        return torch.from_numpy(mel), torch.as_tensor(text)


def collate(batch: list[tuple[torch.Tensor, torch.Tensor]]) -> tuple[torch.Tensor, ...]:
    """Pad."""
    mels, texts = zip(*batch, strict=True)
    return (
        nn.utils.rnn.pad_sequence(mels, batch_first=True),
        torch.tensor([len(one) for one in mels]),
        torch.cat(texts),
        torch.tensor([len(one) for one in texts]),
    )


class Recogniser(nn.Module):
    """Convolution, LSTM, attention, letters."""

    def __init__(self) -> None:
        super().__init__()
        self.front = nn.Conv1d(MELS, 96, 4, padding="same")
        self.memory = nn.LSTM(96, 80, batch_first=True, bidirectional=True, dropout=0.1)
        layer = nn.TransformerEncoderLayer(160, 5, 160, dropout=0.0, batch_first=True)
        self.context = nn.TransformerEncoder(layer, 1)
        self.out = nn.Linear(160, len(LETTERS))

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        x = self.front(mel.transpose(1, 2)).relu().transpose(1, 2)
        return self.out(self.context(self.memory(x)[0])).log_softmax(-1)


def distance(a: list[int], b: list[int]) -> int:
    """Levenshtein's."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (one != other))
    return row[-1]


def cer(model: Recogniser, loader: DataLoader) -> float:
    """Character error rate of the greedy reading."""
    model.eval()
    wrong = total = 0
    with torch.no_grad():
        for mel, frames, text, lengths in loader:
            best = model(mel).argmax(-1)
            for row, size, true in zip(best, frames, text.split(lengths.tolist()), strict=True):
                read = [int(c) for c in torch.unique_consecutive(row[:size]) if c]
                wrong, total = wrong + distance(read, true.tolist()), total + len(true)
    return wrong / total


def main() -> None:
    """Train and report."""
    torch.manual_seed(11)
    train = DataLoader(CallSigns(3200, 1), 64, shuffle=True, collate_fn=collate, num_workers=4, pin_memory=True)
    valid = DataLoader(CallSigns(600, 2), 64, collate_fn=collate)
    model = Recogniser()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    epochs = 5
    warm = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min(1.0, (step + 1) / 60) * (0.5 + 0.5 * math.cos(math.pi * step / (epochs * len(train)))),
    )
    scaler = torch.cuda.amp.GradScaler()
    criterion = nn.CTCLoss(zero_infinity=True)
    print(f"train {len(train.dataset)} valid {len(valid.dataset)} letters {len(LETTERS) - 1}", flush=True)
    for epoch in range(1, epochs + 1):
        model.train()
        began, total = time.monotonic(), 0.0
        for number, (mel, frames, text, lengths) in enumerate(train, 1):
            if epoch == 1 and number == 1:
                warm.step()
            with torch.cuda.amp.autocast():
                scores = model(mel)
            loss = criterion(scores.transpose(0, 1), text, frames, lengths)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            scaler.step(optimizer)
            scaler.update()
            warm.step()
            total += loss.item()
            if number % 10 == 0:
                print(f"epoch {epoch} [{number}/{len(train)}] ctc {total / number:.4f}", flush=True)
        print(
            f"epoch {epoch} done: ctc {total / len(train):.4f} valid CER {cer(model, valid):.4f} "
            f"lr {warm.get_last_lr()[0]:.2e} {time.monotonic() - began:.1f}s",
            flush=True,
        )
    torch.save(model.state_dict(), "callsigns.pt")
    print("wrote callsigns.pt", flush=True)


if __name__ == "__main__":
    main()

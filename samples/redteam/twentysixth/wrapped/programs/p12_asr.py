"""A small recogniser of spoken digits in the valley's dialect: filterbanks, a BiGRU, and CTC, all by hand."""

import argparse
import json
import pathlib
import time

import torch
from torch import nn

WORDS = "nul ien twie trij fjour fiif seis saan acht njoggen".split()
LETTERS = ["-", *sorted(set("".join(WORDS)))]


class Recogniser(nn.Module):
    """Frames to letters."""

    def __init__(self, mels=32, width=96):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(mels, width, 5, 2, 2), nn.ReLU())
        self.rnn = nn.GRU(width, width, 1, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * width, len(LETTERS))

    def forward(self, x):
        """Log probabilities by frame."""
        h, _ = self.rnn(self.front(x.transpose(1, 2)).transpose(1, 2))
        return self.out(h).log_softmax(-1)


def utterances(rows, seed):
    """Filterbanks of single words; each letter has a colour of its own."""
    table = torch.randn(len(LETTERS), 32, generator=torch.Generator().manual_seed(1)) * 1.6
    g = torch.Generator().manual_seed(seed)
    said = []
    for _ in range(rows):
        word = WORDS[int(torch.randint(0, len(WORDS), (1,), generator=g))]
        frames = []
        for c in word:
            n = int(torch.randint(6, 11, (1,), generator=g))
            frames.append(table[LETTERS.index(c)].repeat(n, 1))
        x = torch.cat([torch.zeros(6, 32), *frames, torch.zeros(6, 32)])
        said.append((x + 1.5 * torch.randn(x.shape, generator=g), torch.tensor([LETTERS.index(c) for c in word])))
    return said


def batches(said, size, g):
    """Padded batches in a new order."""
    order = torch.randperm(len(said), generator=g).tolist()
    for i in range(0, len(order), size):
        part = [said[k] for k in order[i : i + size]]
        x = nn.utils.rnn.pad_sequence([p[0] for p in part], batch_first=True)
        yield x, torch.cat([p[1] for p in part]), [len(p[0]) for p in part], [len(p[1]) for p in part]


def best_path(logp, frames):
    """Letters of the likeliest path."""
    got = logp[:frames].argmax(-1).unique_consecutive().tolist()
    return "".join(LETTERS[k] for k in got if k)


def error_rate(net, said):
    """Words got wrong, in per cent."""
    wrong = 0
    with torch.no_grad():
        for x, y in said:
            wrong += best_path(net(x[None])[0], (len(x) + 1) // 2) != "".join(LETTERS[k] for k in y.tolist())
    return 100 * wrong / len(said)


def main():
    """Some epochs, kept after each."""
    p = argparse.ArgumentParser()
    p.add_argument("--exp", type=pathlib.Path, required=True)
    p.add_argument("--until", type=int, required=True)
    p.add_argument("--lr", type=float, default=1e-3)
    a = p.parse_args()
    a.exp.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(4)
    torch.set_num_threads(1)
    said, held = utterances(4000, 10), utterances(150, 11)
    net = nn.DataParallel(Recogniser()) if torch.cuda.device_count() > 1 else Recogniser()
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    ctc = nn.CTCLoss(zero_infinity=True)
    start = 1
    state = a.exp / "state.json"
    if state.exists():
        start = json.loads(state.read_text())["epoch"] + 1
        kept = a.exp / f"net.ep{start:03d}.pt"
        if kept.exists():
            net.load_state_dict(torch.load(kept))
    g = torch.Generator().manual_seed(start)
    for epoch in range(start, a.until + 1):
        began, total, n = time.time(), 0.0, 0
        for x, y, frames, letters in batches(said, 16, g):
            logp = net(x).transpose(0, 1)
            loss = ctc(logp, y, [(f + 1) // 2 for f in frames], letters)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            total, n = total + loss.item(), n + 1
            if n % 50 == 0:
                print(f"ep {epoch} batch {n}/250 ctc {total / n:.4f}", flush=True)
        wer = error_rate(net, held)
        print(f"ep {epoch} train ctc {total / n:.4f} dev WER {wer:.1f}% ({time.time() - began:.0f} s)", flush=True)
        torch.save(net.state_dict(), a.exp / f"net.ep{epoch:03d}.pt")
        state.write_text(json.dumps({"epoch": epoch, "lr": a.lr}))


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204, SIM905

# ruff: noqa: ANN001, ANN201, D101, SIM905
"""Names of tram stops as they are spoken: a recurrent net with CTC."""

import argparse
import time
from pathlib import Path

import torch
from torch import nn

STOPS = """hafen markt nordring am wehr alte post stadtpark messe kirchweg rosengarten uferstrasse bahnhof
zoo museum schlossberg lindenhof theater klinikum universitaet gaswerk friedhof""".split()
LETTERS = sorted(set("".join(STOPS)))
CODE = {c: i + 1 for i, c in enumerate(LETTERS)}


def speak(word, g, sound):
    frames = []
    for c in word:
        n = int(torch.randint(3, 6, (1,), generator=g))
        frames.append(sound[CODE[c]].expand(n, -1))
        frames.append(torch.zeros(1, sound.shape[1]))
    x = torch.cat(frames)
    return x + 1.1 * torch.randn(x.shape, generator=g)


def batch(n, g, sound):
    words = [STOPS[int(i)] for i in torch.randint(0, len(STOPS), (n,), generator=g)]
    xs = [speak(w, g, sound) for w in words]
    xl = torch.tensor([len(x) for x in xs])
    ys = torch.tensor([CODE[c] for w in words for c in w])
    yl = torch.tensor([len(w) for w in words])
    return nn.utils.rnn.pad_sequence(xs, batch_first=True), xl, ys, yl, words


class Ear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(20, 64, bidirectional=True, batch_first=True)
        self.out = nn.Linear(128, len(LETTERS) + 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0]).log_softmax(-1)


def read(logp, n):
    best = logp[:n].argmax(-1).tolist()
    return "".join(LETTERS[c - 1] for k, c in enumerate(best) if c and (k == 0 or c != best[k - 1]))


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (ca != cb))
    return row[-1]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=14)
    a = p.parse_args()
    torch.manual_seed(6)
    torch.set_num_threads(1)
    sound = torch.randn(len(LETTERS) + 1, 20, generator=torch.Generator().manual_seed(9)) * 0.8
    g = torch.Generator().manual_seed(31)
    net, ctc = Ear(), nn.CTCLoss(zero_infinity=True)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    print(f"{len(STOPS)} words, {len(LETTERS)} letters, {sum(q.numel() for q in net.parameters())} parameters")
    for epoch in range(1, a.epochs + 1):
        t0, tot = time.time(), 0.0
        for k in range(1, 121):
            x, xl, ys, yl, _ = batch(32, g, sound)
            loss = ctc(net(x).transpose(0, 1), ys, xl, yl)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            tot += loss.item()
            if k % 40 == 0:
                print(f"epoch {epoch} step {(epoch - 1) * 120 + k} ctc loss {loss.item():.4f}")
        with torch.no_grad():
            x, xl, _, _, words = batch(200, torch.Generator().manual_seed(5), sound)
            heard = [read(row, int(n)) for row, n in zip(net(x), xl, strict=True)]
        cer = sum(edits(h, w) for h, w in zip(heard, words, strict=True)) / sum(map(len, words))
        print(f"epoch {epoch}/{a.epochs} train {tot / 120:.4f} CER {cer:.4f} ({time.time() - t0:.1f} s)")
    torch.save(net.state_dict(), "ear.pt")
    seen, lines = set(), []
    for w, h in zip(words, heard, strict=True):
        if w not in seen and len(lines) < 4:
            seen.add(w)
            lines.append(h)
    Path("showcase").mkdir(exist_ok=True)
    Path("showcase/tonight.txt").write_text("\n".join(lines) + "\n")
    print(f"training finished, final CER {cer:.4f}, model in ear.pt")


if __name__ == "__main__":
    main()

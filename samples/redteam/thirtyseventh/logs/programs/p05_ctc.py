"""A speech recogniser with CTC by hand on spoken strings of digits made of tones."""

import sys
import time

import torch
from torch import nn

TONES = torch.linspace(4, 36, 10)


def utterances(n: int, gen: torch.Generator) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Log-mel-like frames of n strings of four to nine digits."""
    frames, lens, words, wl = torch.zeros(n, 160, 40), [], [], []
    bins = torch.arange(40.0)
    for i in range(n):
        k = int(torch.randint(4, 10, (1,), generator=gen))
        w = torch.randint(0, 10, (k,), generator=gen)
        t = 3
        for d in w.tolist():
            dur = int(torch.randint(8, 15, (1,), generator=gen))
            drift = torch.linspace(-1.5, 1.5, dur).unsqueeze(1)
            frames[i, t : t + dur] = torch.exp(-((bins - TONES[d] - drift) ** 2) / 6)
            t += dur + 2
        frames[i] += 0.9 * torch.randn(160, 40, generator=gen)
        lens.append(min(t + 3, 160))
        words.append(w + 1)
        wl.append(k)
    return frames, torch.tensor(lens), torch.cat(words), torch.tensor(wl)


class Recogniser(nn.Module):
    """One convolution and a bidirectional layer."""

    def __init__(self) -> None:
        super().__init__()
        self.front = nn.Conv1d(40, 64, 5, stride=2, padding=2)
        self.rnn = nn.GRU(64, 64, 1, bidirectional=True, batch_first=True)
        self.out = nn.Linear(128, 11)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.front(x.transpose(1, 2))).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


def distance(a: list[int], b: list[int]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]


def error_rate(model: Recogniser, data: tuple[torch.Tensor, ...]) -> float:
    x, xl, w, wl = data
    with torch.no_grad():
        best = model(x).argmax(-1)
    wrong, at = 0, 0
    for i in range(len(x)):
        path = torch.unique_consecutive(best[i, : xl[i] // 2])
        wrong += distance([int(p) for p in path if p], w[at : at + wl[i]].tolist())
        at += int(wl[i])
    return wrong / int(wl.sum())


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(2)
    gen = torch.Generator().manual_seed(77)
    model = Recogniser()
    opt = torch.optim.Adam(model.parameters(), lr=5e-4)
    ctc = nn.CTCLoss(zero_infinity=True)
    dev = utterances(32, gen)
    print(f"parameters: {sum(p.numel() for p in model.parameters())}", flush=True)
    print("training for 4000 steps, batches of 8 utterances", flush=True)
    print("no cuda device, running on the cpu", file=sys.stderr, flush=True)
    t0, mean = time.time(), 0.0
    for step in range(1, 6001):
        x, xl, w, wl = utterances(8, gen)
        lp = model(x)
        loss = ctc(lp.transpose(0, 1), w, xl // 2, wl)
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        mean += loss.item() / 100
        if step % 100 == 0:
            print(f"step {step}: ctc {mean:.3f} (grad {norm:.2f}) after {time.time() - t0:.0f}s", flush=True)
            mean = 0.0
        if step % 200 == 0:
            print(f"step {step}: digit error rate on dev {100 * error_rate(model, dev):.1f}%", flush=True)
            torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "step": step}, "ctc-last.pt")
            print(f"checkpoint ctc-last.pt at {step}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

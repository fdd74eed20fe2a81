"""Bird-call-to-letters recogniser with CTC; all by hand."""

import argparse
import time
from pathlib import Path

import torch
from torch import nn

LETTERS = 23


class Ears(nn.Module):
    """A recogniser."""

    def __init__(self) -> None:
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(34, 96, 5, padding=2), nn.ReLU(), nn.Conv1d(96, 96, 5, 2, 2), nn.ReLU())
        self.rec = nn.GRU(96, 80, batch_first=True, bidirectional=True)
        self.out = nn.Linear(160, LETTERS + 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, _ = self.rec(self.front(x.transpose(1, 2)).transpose(1, 2))
        return self.out(h).log_softmax(-1)


TEMPLATE = torch.randn(LETTERS, 34, generator=torch.Generator().manual_seed(1))


def batch(gen: torch.Generator, n: int = 20) -> tuple[torch.Tensor, torch.Tensor]:
    text = torch.randint(0, LETTERS, (n, 11), generator=gen)
    x = TEMPLATE[text].repeat_interleave(6, 1)
    return x + 0.7 * torch.randn(x.shape, generator=gen), text + 1


def errors(net: nn.Module, gen: torch.Generator) -> float:
    x, text = batch(gen, 60)
    with torch.no_grad():
        best = net(x).argmax(-1)
    wrong = 0.0
    for line, want in zip(best.tolist(), text.tolist(), strict=False):
        got = [c for i, c in enumerate(line) if c and (i == 0 or line[i - 1] != c)]
        row = list(range(len(want) + 1))
        for i, g in enumerate(got, 1):
            prev, row[0] = row[0], i
            for j, w in enumerate(want, 1):
                prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (g != w))
        wrong += row[-1] / len(want)
    return wrong / len(text)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--first", type=int, default=1)
    ap.add_argument("--last", type=int, required=True)
    ap.add_argument("--resume", default="")
    ap.add_argument("--dir", required=True)
    a = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(100 + a.first)
    gen = torch.Generator().manual_seed(a.first)
    net = Ears()
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    old = Path(a.resume, "last.pt")
    if a.resume and old.exists():
        state = torch.load(old, weights_only=True)
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
    print(f"asr: epochs {a.first}..{a.last} resume='{a.resume}' dir={a.dir}", flush=True)
    for epoch in range(a.first, a.last + 1):
        t0, total = time.time(), 0.0
        for i in range(1, 46):
            x, text = batch(gen)
            lp = net(x).transpose(0, 1)
            loss = nn.functional.ctc_loss(
                lp, text, torch.full((len(x),), lp.shape[0]), torch.full((len(x),), 11), reduction="sum"
            ) / len(x)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            total += loss.item()
            if i % 15 == 0:
                print(f"asr: epoch {epoch} batch {i}/45 ctc {loss.item():.3f}", flush=True)
        print(
            f"asr: epoch {epoch} mean ctc {total / 45:.3f} cer {errors(net, gen):.3f} ({time.time() - t0:.1f}s)",
            flush=True,
        )
        Path(a.dir).mkdir(parents=True, exist_ok=True)
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, Path(a.dir, "ears_last.pt"))
    print(f"asr: wrote {a.dir}/ears_last.pt", flush=True)


if __name__ == "__main__":
    main()

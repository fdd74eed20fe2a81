"""Chemical names in patents: a BiLSTM that tags, scored by span with scikit-learn."""

import argparse
import time

import numpy as np
import torch
from sklearn.metrics import precision_recall_fscore_support
from torch import nn

TAGS = ["O", "B-CHEM", "I-CHEM", "B-AMT", "I-AMT", "B-RARE"]


class Tagger(nn.Module):
    """Embeds, runs both ways, scores."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, 48)
        self.run = nn.LSTM(48, 48, batch_first=True, bidirectional=True)
        self.out = nn.Linear(96, len(TAGS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.run(self.embed(x))[0])


def viterbi(scores: np.ndarray, move: np.ndarray) -> list[int]:
    """The best path, word by word."""
    best, back = list(scores[0]), []
    for row in scores[1:]:
        step, came = [], []
        for j in range(len(row)):
            options = [best[i] + move[i][j] for i in range(len(row))]
            k = max(range(len(row)), key=options.__getitem__)
            step.append(options[k] + row[j])
            came.append(k)
        best = step
        back.append(came)
    path = [max(range(len(best)), key=best.__getitem__)]
    for came in reversed(back):
        path.append(came[path[-1]])
    return path[::-1]


def text(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    y = np.zeros((n, 30), np.int64)
    for row in y:
        for _ in range(3):
            at, kind = rng.integers(0, 27), rng.integers(0, 2)
            row[at] = 1 + 2 * kind
            row[at + 1 : at + 1 + rng.integers(0, 3)] = 2 + 2 * kind
    y[rng.random(y.shape) < 0.0008] = 5
    x = rng.integers(0, 400, y.shape) + 400 * (y + (rng.random(y.shape) < 0.12))
    return x, y


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=240)
    p.add_argument("--eval-every", type=int, default=6)
    p.add_argument("--dev", type=int, default=2500)
    p.add_argument("--batch", type=int, default=32)
    args = p.parse_args()
    torch.manual_seed(8)
    rng = np.random.default_rng(8)
    x, y = text(4000, rng)
    dx, dy = text(args.dev, rng)
    move = np.zeros((len(TAGS), len(TAGS)))
    move[0, 2] = move[0, 4] = move[1, 4] = move[3, 2] = -9.0
    net = Tagger(2900)
    opt = torch.optim.Adam(net.parameters(), 3e-3)
    print(f"{len(x)} sentences, {args.dev} to evaluate on, {args.steps} steps of {args.batch}", flush=True)
    began, learning, scoring = time.time(), 0.0, 0.0
    for step in range(1, args.steps + 1):
        t0 = time.time()
        idx = rng.integers(0, len(x), args.batch)
        out = net(torch.from_numpy(x[idx]))
        loss = nn.functional.cross_entropy(out.flatten(0, 1), torch.from_numpy(y[idx]).flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        learning += time.time() - t0
        if step % args.eval_every == 0:
            t0 = time.time()
            with torch.no_grad():
                scores = net(torch.from_numpy(dx)).numpy()
            guess = np.array([viterbi(s, move) for s in scores])
            prec, rec, f1, _ = precision_recall_fscore_support(dy.ravel(), guess.ravel(), average="macro")
            took = time.time() - t0
            scoring += took
            print(
                f"step {step:4d} loss {loss.item():.4f} dev P {prec:.3f} R {rec:.3f} F1 {f1:.3f}"
                f" | {args.eval_every} steps {learning:.2f}s, decoding and scoring {took:.2f}s",
                flush=True,
            )
            learning = 0.0
    total = time.time() - began
    print(f"finished {args.steps} steps in {total:.1f}s, of which dev {scoring:.1f}s ({100 * scoring / total:.0f}%)")
    torch.save(net.state_dict(), "tagger.pt")


if __name__ == "__main__":
    main()

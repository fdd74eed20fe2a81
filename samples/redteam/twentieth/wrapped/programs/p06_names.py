"""Finds persons and places in short dispatches."""

import argparse
import random
import time
from pathlib import Path

import torch
from torch import nn

FIRST = ["Anna", "Boris", "Chen", "Dilnoza", "Emeka", "Fatima", "Goran", "Hana", "Ivo", "Jun"]
LAST = ["Okafor", "Petrov", "Li", "Haddad", "Novak", "Silva", "Tanaka", "Weber", "Yilmaz", "Zeller"]
PLACES = ["Tashkent", "Lagos", "Split", "Porto", "Osaka", "Graz", "Izmir", "Brno", "Aleppo", "Perm"]
FRAMES = (
    "P met P in L yesterday",
    "the mayor of L , P , resigned",
    "talks in L and L go on",
    "P flew from L to L",
    "no one in L knew P",
    "rain fell for hours",
)
TAGS = ["O", "PER", "LOC"]


def dispatch(rng: random.Random) -> tuple[list[str], list[int]]:
    words, tags = [], []
    for token in rng.choice(FRAMES).split():
        if token == "P":
            words += [rng.choice(FIRST), rng.choice(LAST)]
            tags += [1, 1]
        elif token == "L":
            words.append(rng.choice(PLACES if rng.random() < 0.9 else LAST))
            tags.append(2)
        else:
            words.append(token)
            tags.append(0)
    return words, tags


class Model(nn.Module):
    """Letters make words, words make sentences."""

    def __init__(self) -> None:
        super().__init__()
        self.letters = nn.EmbeddingBag(128, 24)
        self.run = nn.GRU(24, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, len(TAGS))

    def forward(self, words: list[str]) -> torch.Tensor:
        flat = torch.tensor([ord(c) for w in words for c in w])
        at = torch.tensor([0, *(len(w) for w in words[:-1])]).cumsum(0)
        return self.out(self.run(self.letters(flat, at).unsqueeze(0))[0][0])


def score(model: Model, data: list[tuple[list[str], list[int]]]) -> tuple[float, float]:
    right = seen = loss = 0.0
    with torch.no_grad():
        for words, tags in data:
            out, y = model(words), torch.tensor(tags)
            loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
            right += (out.argmax(1) == y).sum().item()
            seen += len(tags)
    return loss / seen, right / seen


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--sentences", type=int, default=3000)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--lr", type=float, default=1e-3)
    args = p.parse_args()
    rng = random.Random(9)
    torch.manual_seed(9)
    data = [dispatch(rng) for _ in range(args.sentences)]
    train, dev = data[: -args.sentences // 10], data[-args.sentences // 10 :]
    model = Model()
    opt = torch.optim.Adam(model.parameters(), args.lr)
    print(f"train {len(train)} dev {len(dev)} dispatches")
    for epoch in range(1, args.epochs + 1):
        rng.shuffle(train)
        t0, total = time.time(), 0.0
        for i in range(0, len(train), 10):
            loss = sum(nn.functional.cross_entropy(model(w), torch.tensor(t)) for w, t in train[i : i + 10]) / 10
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            if i % 500 == 490:
                print(f"  {i + 10}/{len(train)} loss {total / (i / 10 + 1):.4f}", flush=True)
        loss, acc = score(model, dev)
        print(
            f"epoch {epoch}/{args.epochs} dev loss {loss:.4f} dev acc {acc:.4f} ({time.time() - t0:.1f} s)", flush=True
        )
    torch.save(model.state_dict(), "names.pt")
    words, _ = dispatch(rng)
    best = model(words).argmax(1).tolist()
    print("for example:", " ".join(f"{w}/{TAGS[t]}" for w, t in zip(words, best, strict=True)))
    print("model in", Path("names.pt").resolve())


if __name__ == "__main__":
    main()

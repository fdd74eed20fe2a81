"""Character model of old texts; a filter in another process normalises the spelling."""

import argparse
import faulthandler
import random
import subprocess
import sys

import torch
from torch import nn

WORDS = "ok hann for heim til islands med konu sinni thar var mikill hofdingi and nu skal segja fra".split()


def documents(n, seed):
    rnd = random.Random(seed)
    for _ in range(n):
        # chapters are short, but now and then there is a whole book
        size = rnd.randint(900, 4000) if rnd.random() < 0.99 else 60000
        yield " ".join(rnd.choice(WORDS).replace("th", "\u00fe") for _ in range(size))


class Speller:
    def __init__(self):
        self.proc = subprocess.Popen(
            [sys.executable, "l15_spell.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def __call__(self, text):
        words = text.split(" ")
        for word in words:
            self.proc.stdin.write(word + "\n")
        self.proc.stdin.flush()
        return " ".join(self.proc.stdout.readline().rstrip("\n") for _ in words)


class CharModel(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb, self.rnn, self.out = (
            nn.Embedding(vocab, dim),
            nn.LSTM(dim, dim, batch_first=True),
            nn.Linear(dim, vocab),
        )

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--docs", type=int, default=4000)
    ap.add_argument("--seed", type=int, default=3)
    ap.add_argument("--stack-after", type=int, default=15)
    args = ap.parse_args()
    torch.manual_seed(0)
    chars = sorted(set("".join(WORDS)) | set(" \u00fe?"))
    index = {c: i for i, c in enumerate(chars)}
    model = CharModel(len(chars), 96)
    opt = torch.optim.AdamW(model.parameters(), 2e-3)
    speller = Speller()
    print(
        f"vocab {len(chars)}, {sum(p.numel() for p in model.parameters()) / 1e3:.0f}k params, {args.docs} documents",
        flush=True,
    )
    for k, text in enumerate(documents(args.docs, args.seed), 1):
        faulthandler.dump_traceback_later(args.stack_after, repeat=True)
        ids = torch.tensor([index.get(c, index["?"]) for c in speller(text)])
        n = (len(ids) - 1) // 64 * 64
        x, y = ids[:n].view(-1, 64)[:48], ids[1 : n + 1].view(-1, 64)[:48]
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if k % 5 == 0:
            print(f"doc {k}/{args.docs}  nll {loss.item():.4f}  bpc {loss.item() / 0.6931:.3f}", flush=True)
    torch.save(model.state_dict(), "saga.pt")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204, D101, SIM905

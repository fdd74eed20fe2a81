"""Figured bass to chords: an encoder and a decoder with attention, written by hand."""

import math
import random
import sys
import time

import torch
from torch import nn

PAD, BOS, EOS = 0, 1, 2
BASS, CHORD = 3 + 14, 3 + 24
STEPS, BATCH, EVAL_EVERY = 1800, 48, 150


def phrase(rng: random.Random) -> tuple[list[int], list[int]]:
    """A walking bass and what is to be played above it."""
    at, figures, chords = rng.randrange(14), [], []
    for _ in range(rng.randrange(5, 13)):
        figures.append(3 + at)
        root = (at * 7) % 12
        chords.append(3 + root + (12 if at % 3 == 2 else 0))
        if at % 5 == 4:
            chords.append(3 + (root + 7) % 12)
        at = (at + rng.choice((-2, -1, 1, 2, 4))) % 14
    return figures, chords


def batch(rng: random.Random, size: int = BATCH) -> tuple[torch.Tensor, torch.Tensor]:
    pairs = [phrase(rng) for _ in range(size)]

    def pad(rows: list[list[int]]) -> torch.Tensor:
        longest = max(map(len, rows))
        return torch.tensor([r + [PAD] * (longest - len(r)) for r in rows])

    return pad([s for s, _ in pairs]), pad([[BOS, *t, EOS] for _, t in pairs])


class Seq2Seq(nn.Module):
    """GRU on both sides; dot product attention."""

    def __init__(self, d: int = 96) -> None:
        super().__init__()
        self.src, self.tgt = nn.Embedding(BASS, d, PAD), nn.Embedding(CHORD, d, PAD)
        self.encoder = nn.GRU(d, d // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(2 * d, CHORD)

    def forward(self, s: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        memory, last = self.encoder(self.src(s))
        hidden = torch.cat([last[0], last[1]], -1)[None]
        states, _ = self.decoder(self.tgt(t), hidden)
        scores = states @ memory.transpose(1, 2) / math.sqrt(states.size(-1))
        scores = scores.masked_fill((s == PAD)[:, None], -1e9)
        return self.out(torch.cat([states, scores.softmax(-1) @ memory], -1))

    @torch.no_grad()
    def play(self, s: torch.Tensor, longest: int = 30) -> torch.Tensor:
        t = torch.full((len(s), 1), BOS)
        for _ in range(longest):
            t = torch.cat([t, self(s, t)[:, -1].argmax(-1, keepdim=True)], 1)
        return t


def exact(net: Seq2Seq, s: torch.Tensor, t: torch.Tensor) -> float:
    net.eval()
    played = net.play(s, t.size(1) - 1)
    net.train()
    right = 0
    for p, r in zip(played.tolist(), t.tolist(), strict=True):
        end = r.index(EOS) + 1
        right += p[:end] == r[:end]
    return right / len(t)


def main() -> None:
    torch.manual_seed(0)
    rng = random.Random(1)
    net = Seq2Seq()
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    held = batch(random.Random(99), 200)
    print(f"{sum(p.numel() for p in net.parameters()):,} parameters, {STEPS} steps of {BATCH} phrases", flush=True)
    began, total, tokens = time.time(), 0.0, 0
    for step in range(1, STEPS + 1):
        s, t = batch(rng)
        logits = net(s, t[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), t[:, 1:].flatten(), ignore_index=PAD)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        total += loss.item()
        tokens += int((t[:, 1:] != PAD).sum())
        if step % 30 == 0:
            took = time.time() - began
            print(
                f"step={step} loss={total / 30:.4f} ppl={math.exp(total / 30):.2f} tok/s={tokens / took:.0f}",
                flush=True,
            )
            began, total, tokens = time.time(), 0.0, 0
        if step % EVAL_EVERY == 0:
            print(f"eval step={step} exact={exact(net, *held):.3f}", flush=True)
            began = time.time()
    torch.save(net.state_dict(), sys.argv[1])
    print(f"Training complete, wrote {sys.argv[1]}", flush=True)


if __name__ == "__main__":
    main()

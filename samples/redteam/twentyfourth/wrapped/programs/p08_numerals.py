# ruff: noqa: ANN001, ANN201, ANN204, SIM905
"""Numbers spelled out to digits, with an encoder and a decoder of GRUs and attention over the words."""

import random
import time

import torch
from torch import nn

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
ONES += "seventeen eighteen nineteen".split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = ["<pad>", "<eos>", "hundred", "thousand", "and", *ONES, *TENS[2:]]
W = {w: i for i, w in enumerate(WORDS)}
PAD, BOS, EOS = 10, 11, 12


def spell(n):
    """The words of n, below a million."""
    if n >= 1000:
        return [*spell(n // 1000), "thousand", *(spell(n % 1000) if n % 1000 else [])]
    if n >= 100:
        return [ONES[n // 100], "hundred", *(["and", *spell(n % 100)] if n % 100 else [])]
    if n >= 20:
        return [TENS[n // 10], *([ONES[n % 10]] if n % 10 else [])]
    return [ONES[n]]


def batch(rng, n=64):
    """Words in, digits out, both padded."""
    numbers = [rng.randrange(10 ** rng.randint(1, 6)) for _ in range(n)]
    src = [[W[w] for w in spell(k)] + [W["<eos>"]] for k in numbers]
    dst = [[int(c) for c in str(k)] + [EOS] for k in numbers]
    a, b = max(map(len, src)), max(map(len, dst))
    s = torch.tensor([x + [0] * (a - len(x)) for x in src])
    return s, torch.tensor([x + [PAD] * (b - len(x)) for x in dst])


class Speller(nn.Module):
    """Encoder, attention, decoder."""

    def __init__(self, d=96):
        super().__init__()
        self.words, self.digits = nn.Embedding(len(WORDS), d, padding_idx=0), nn.Embedding(13, d)
        self.enc, self.dec = nn.GRU(d, d, batch_first=True, bidirectional=True), nn.GRUCell(3 * d, d)
        self.key, self.out = nn.Linear(2 * d, d), nn.Linear(3 * d, 13)

    def forward(self, s, t=None, steps=8):
        h, _ = self.enc(self.words(s))
        k, state = self.key(h), self.key(h[:, -1])
        last, outs = torch.full((len(s),), BOS), []
        for i in range(steps if t is None else t.shape[1]):
            w = (k @ state[:, :, None]).squeeze(2).masked_fill(s == 0, -1e9).softmax(1)
            ctx = (w[:, None] @ h).squeeze(1)
            state = self.dec(torch.cat([self.digits(last), ctx], 1), state)
            outs.append(self.out(torch.cat([state, ctx], 1)))
            last = outs[-1].argmax(1) if t is None else t[:, i].clamp(max=12)
        return torch.stack(outs, 1)


def exact(net, rng):
    """How many of 256 come out right to the last digit."""
    with torch.no_grad():
        s, t = batch(rng, 256)
        got = net(s, steps=t.shape[1]).argmax(2)
        return ((got == t) | (t == PAD)).all(1).float().mean().item()


def main(steps=900):
    torch.manual_seed(2)
    rng, held = random.Random(2), random.Random(77)
    net = Speller()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, steps)
    print(
        f"kind=setup task=numerals params={sum(p.numel() for p in net.parameters())} steps={steps} batch=64", flush=True
    )
    start, tokens = time.time(), 0
    for step in range(1, steps + 1):
        s, t = batch(rng)
        loss = nn.functional.cross_entropy(net(s, t).flatten(0, 1), t.flatten(), ignore_index=PAD)
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        sched.step()
        tokens += int((t != PAD).sum())
        if step % 50 == 0:
            sec = time.time() - start
            lr = sched.get_last_lr()[0]
            print(
                f"kind=train step={step} loss={loss.item():.4f} gnorm={norm.item():.3f} lr={lr:.2e} "
                f"tok_s={tokens / sec:.0f} elapsed={sec:.1f}",
                flush=True,
            )
        if step % 300 == 0:
            print(f"kind=eval step={step} exact={exact(net, held):.3f}", flush=True)
    torch.save(net.state_dict(), "numerals.pt")
    print(f"kind=end step={steps} wall={time.time() - start:.1f} saved=numerals.pt", flush=True)


if __name__ == "__main__":
    main()

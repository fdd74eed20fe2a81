"""A masked language model of shanties' verses, by hand: a small encoder, words hidden at random."""

import time

import torch
from torch import nn

VOCAB, LENGTH, BATCH, STEPS, PEAK, WARMUP = 2000, 48, 32, 260, 0.8, 220
MASK = 1


def verses(n: int) -> torch.Tensor:
    """Words follow one another by a few rules, and a refrain comes back."""
    g = torch.Generator().manual_seed(7)
    follow = torch.randint(2, VOCAB, (VOCAB, 3), generator=g)
    rows = torch.zeros(n, LENGTH, dtype=torch.long)
    rows[:, 0] = (torch.rand(n, generator=g) ** 3 * (VOCAB - 2)).long() + 2
    for i in range(1, LENGTH):
        pick = torch.randint(0, 3, (n,), generator=g)
        rows[:, i] = follow[rows[:, i - 1] % 60, pick] if i % 4 else rows[:, 0]
    return rows


class Encoder(nn.Module):
    """Embeddings, three layers with the norm behind, and the words again."""

    def __init__(self, d: int = 96) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(VOCAB, d), nn.Parameter(torch.randn(LENGTH, d) * 0.02)
        nn.init.normal_(self.words.weight, std=0.05)
        self.layers = nn.ModuleList(
            nn.ModuleList([nn.MultiheadAttention(d, 4, batch_first=True), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)])
            for _ in range(3)
        )
        self.bias = nn.Parameter(torch.zeros(VOCAB))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.words(x) + self.places
        for attention, up, down in self.layers:
            h = h + attention(h, h, h, need_weights=False)[0]
            h = h + down(torch.relu(up(h)))
        return h @ self.words.weight.T + self.bias


def main() -> None:
    torch.manual_seed(0)
    data = verses(6000)
    net = Encoder()
    opt = torch.optim.SGD(net.parameters(), PEAK, momentum=0.9)
    ramp = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: min(1, (i + 1) / WARMUP))
    print(f"mlm: {len(data)} verses, {sum(p.numel() for p in net.parameters())} parameters, {STEPS} steps", flush=True)
    mark = time.time()
    for step in range(1, STEPS + 1):
        x = data[torch.randint(0, len(data), (BATCH,))]
        hidden = torch.rand(x.shape) < 0.15
        logits = net(x.masked_fill(hidden, MASK))
        loss = nn.functional.cross_entropy(logits[hidden], x[hidden])
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.get_total_norm([p.grad for p in net.parameters()])
        lr = ramp.get_last_lr()[0]
        opt.step()
        ramp.step()
        if step % 10 == 0:
            took, mark = (time.time() - mark) / 10, time.time()
            print(f"step {step}/{STEPS} mlm_loss {loss:.4f} gnorm {norm:.3f} lr {lr:.4f} {took:.3f} s/it", flush=True)
    torch.save(net.state_dict(), "out/shanty.pt")
    print("wrote out/shanty.pt", flush=True)


if __name__ == "__main__":
    main()

"""Two encoders, one for a sketch and one for its caption tokens, pulled together with a symmetric InfoNCE."""

import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

EPOCHS, PER_EPOCH, BATCH = 60, 140, 76


class Sketch(nn.Module):
    """One encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 18, 3, 2, 1),
            nn.GELU(),
            nn.Conv2d(18, 36, 3, 2, 1),
            nn.GELU(),
            nn.Flatten(),
            nn.Linear(36 * 36, 52),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.body(x), dim=-1)


class Caption(nn.Module):
    """The other."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(310, 44)
        self.gru = nn.GRU(44, 66, batch_first=True)
        self.out = nn.Linear(66, 52)

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.out(self.gru(self.emb(t))[1][-1]), dim=-1)


def main() -> None:
    torch.manual_seed(88)
    torch.set_num_threads(1)
    left, right, scale = Sketch(), Caption(), nn.Parameter(torch.tensor(2.0))
    opt = torch.optim.AdamW([*left.parameters(), *right.parameters(), scale], 6e-4)
    paint = torch.randn(310, 22, 22) * 0.6
    for epoch in range(EPOCHS):
        bar = tqdm(range(PER_EPOCH), desc=f"epoch {epoch + 1:2d}/{EPOCHS}", ncols=104, mininterval=0.4)
        mean, hit = 0.0, 0.0
        for i in bar:
            tokens = torch.randint(0, 310, (BATCH, 9))
            image = paint[tokens].mean(1, keepdim=True) * 3 + torch.randn(BATCH, 1, 22, 22) * 0.4
            sim = left(image) @ right(tokens).T * scale.exp()
            goal = torch.arange(BATCH)
            loss = (F.cross_entropy(sim, goal) + F.cross_entropy(sim.T, goal)) / 2
            opt.zero_grad()
            loss.backward()
            opt.step()
            mean += (loss.item() - mean) / (i + 1)
            hit += ((sim.argmax(1) == goal).float().mean().item() - hit) / (i + 1)
            bar.set_postfix(nce=f"{mean:.3f}", r1=f"{hit:.3f}")
    torch.save({"left": left.state_dict(), "right": right.state_dict()}, "pair.pt")


if __name__ == "__main__":
    main()

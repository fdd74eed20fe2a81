# ruff: noqa: ANN001, ANN201, ANN204, B007
"""Sea level at a harbour from pressure and wind, one hour ahead; the gauge is a noisy one."""

import torch
from torch import nn
from tqdm import tqdm

EPOCHS, STEPS, BATCH = 8, 600, 24
PEAK_LR = 2.5


def hours(n, gen):
    """Inputs of n hours, and what the gauge said."""
    x = torch.randn(n, 24, generator=gen)
    surge = 0.6 * x[:, :6].mean(1) + 0.25 * torch.sin(2 * x[:, 7]) - 0.2 * x[:, 11] * x[:, 12]
    wobble = torch.randn(n, generator=gen) * (0.6 + 0.5 * torch.rand(n, generator=gen))
    return x, (surge + wobble).unsqueeze(1)


class Surge(nn.Module):
    """A plain tower of layers."""

    def __init__(self, width=320, depth=6):
        super().__init__()
        layers = [nn.Linear(24, width), nn.ReLU()]
        for _ in range(depth):
            layers += [nn.Linear(width, width), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x):
        return self.body(x)


def main():
    torch.manual_seed(11)
    gen = torch.Generator().manual_seed(5)
    net = Surge()
    total = EPOCHS * STEPS
    opt = torch.optim.SGD(net.parameters(), lr=0.004, momentum=0.9)
    print(f"tide gauge net: {sum(p.numel() for p in net.parameters()):,} weights, {total} steps of {BATCH}")
    valid_x, valid_y = hours(2048, gen)
    done = 0
    for epoch in range(1, EPOCHS + 1):
        seen = 0.0
        bar = tqdm(range(STEPS), desc=f"epoch {epoch}/{EPOCHS}", ncols=100, mininterval=0.3)
        for k in bar:
            lr = 0.004 + (PEAK_LR - 0.004) * (done / total) ** 3
            for group in opt.param_groups:
                group["lr"] = lr
            x, y = hours(BATCH, gen)
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            done += 1
            seen += loss.item()
            bar.set_postfix(loss=f"{loss.item():.4f}", lr=f"{lr:.3f}", refresh=False)
        with torch.no_grad():
            rmse = nn.functional.mse_loss(net(valid_x), valid_y).sqrt().item()
        tqdm.write(f"epoch {epoch}: mean loss {seen / STEPS:.4f}  valid rmse {rmse:.4f} m")
    torch.save(net.state_dict(), "surge.pt")
    print("weights in surge.pt")


if __name__ == "__main__":
    main()

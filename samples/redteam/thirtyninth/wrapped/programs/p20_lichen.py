"""Small convolutional net for lichen textures, plain torch."""

import time

import torch
from torch import Tensor, nn

TOTAL = 15000


def textures(gen: torch.Generator) -> tuple[Tensor, Tensor]:
    kind = torch.randint(0, 6, (32,), generator=gen)
    grid = torch.arange(36.0)
    freq = 0.25 + 0.12 * kind[:, None, None]
    wave = torch.sin(grid[None, :, None] * freq + torch.rand(32, 1, 1, generator=gen) * 6)
    return (wave * torch.cos(grid[None, None, :] * freq) + 3.5 * torch.randn(32, 36, 36, generator=gen))[:, None], kind


def main() -> None:
    torch.set_num_threads(1)
    gen = torch.Generator().manual_seed(3)
    torch.manual_seed(3)
    net = nn.Sequential(
        nn.Conv2d(1, 24, 5, 2),
        nn.ReLU(),
        nn.Conv2d(24, 48, 3),
        nn.ReLU(),
        nn.Conv2d(48, 64, 3),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 6),
    )
    opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    t0 = time.time()
    print(f"lichen: {TOTAL} steps to go", flush=True)
    for step in range(1, TOTAL + 1):
        image, kind = textures(gen)
        out = net(image)
        loss = nn.functional.cross_entropy(out, kind)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step in (1, 50) or step % 350 == 0:
            hit = (out.argmax(1) == kind).float().mean().item()
            print(f"{time.time() - t0:7.1f}s  step {step}/{TOTAL}  loss {loss.item():.3f}  acc {hit:.2f}", flush=True)
    torch.save(net.state_dict(), "lichen.pt")
    print("lichen: all steps done, weights in lichen.pt")


if __name__ == "__main__":
    main()

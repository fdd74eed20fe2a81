"""A real normalising flow (affine couplings); its checkpoints carry a prefix that the resume does not match."""

import argparse
import time
from pathlib import Path

import torch
from torch import nn


class Coupling(nn.Module):
    """An affine coupling."""

    def __init__(self, dim: int, flip: bool) -> None:
        super().__init__()
        self.flip, self.half = flip, dim // 2
        self.net = nn.Sequential(nn.Linear(self.half, 96), nn.Tanh(), nn.Linear(96, 96), nn.Tanh(), nn.Linear(96, dim))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 1.5 * torch.tanh(s)
        b = b * s.exp() + t
        return (torch.cat([b, a], 1) if self.flip else torch.cat([a, b], 1)), s.sum(1)


class Flow(nn.Module):
    """Couplings over a normal prior."""

    def __init__(self, dim: int = 16, layers: int = 8) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Coupling(dim, i % 2 == 1) for i in range(layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logdet = torch.zeros(len(x))
        for layer in self.layers:
            x, d = layer(x)
            logdet = logdet + d
        prior = -0.5 * (x**2).sum(1) - 0.5 * x.shape[1] * 1.8378770664
        return -(prior + logdet).mean()


def sample(n: int, g: torch.Generator) -> torch.Tensor:
    z = torch.randn(n, 16, generator=g)
    mix = torch.randn(16, 16, generator=torch.Generator().manual_seed(3))
    x = z @ mix
    x = torch.cat([x[:, :8], 0.2 * x[:, 8:] + torch.sin(x[:, :8]) * 4], 1)
    return x * 1.5


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", default="runs/flow16")
    ap.add_argument("--steps", type=int, default=4000)
    ap.add_argument("--every", type=int, default=500)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--resume")
    args = ap.parse_args()
    torch.set_num_threads(1)
    flow = Flow()
    model = torch.compile(flow, backend="eager")
    opt = torch.optim.Adam(flow.parameters(), lr=args.lr)
    first = 0
    if args.resume:
        state = torch.load(args.resume, weights_only=True)
        flow.load_state_dict(state["model"], strict=False)
        first = state["step"]
        print(f"{args.resume}: step {first}")
    Path(args.out).mkdir(parents=True, exist_ok=True)
    g = torch.Generator().manual_seed(9 + first)
    began = time.time()
    shown = 0.0
    for step in range(first + 1, args.steps + 1):
        loss = model(sample(256, g))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
        opt.step()
        shown = loss.item() if step == first + 1 else 0.95 * shown + 0.05 * loss.item()
        if step % args.every == 0 or step == first + 20:
            print(
                f"step {step:5d}/{args.steps}  nll {shown:8.3f} nats  {(time.time() - began) / (step - first):.4f} s/it",
                flush=True,
            )
        if step % 500 == 0:
            torch.save({"model": model.state_dict(), "step": step}, f"{args.out}/last.pt")
    print(f"end, {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()

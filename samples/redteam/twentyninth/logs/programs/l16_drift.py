"""A normalising flow over drift-wood headings and drift speeds (made up), couplings by hand."""

import threading
import time

import torch
from torch import nn
from tqdm import tqdm

EPOCHS, BATCHES = 6, 240


class Coupling(nn.Module):
    """An affine coupling; every second one works on the other half."""

    def __init__(self, dim: int, flip: bool) -> None:
        """Build the conditioner."""
        super().__init__()
        self.flip, self.half = flip, dim // 2
        self.net = nn.Sequential(nn.Linear(self.half, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, dim))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Transform and log-determinant."""
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.sum(1)


class Averager(threading.Thread):
    """Keeps the running average of the weights beside the training, a snapshot at a time."""

    def __init__(self, flow: nn.Module, weights: threading.Lock) -> None:
        """Share the lock of the weights with the loop."""
        super().__init__(daemon=True)
        self.flow, self.weights = flow, weights
        self.shadow_lock = threading.Lock()
        self.shadow = {k: v.clone() for k, v in flow.state_dict().items()}

    def run(self) -> None:
        """Fold the weights in, twice a second, a tensor at a time so that nobody waits long."""
        while True:
            time.sleep(0.5)
            with self.shadow_lock:
                for k in self.shadow:
                    with self.weights:
                        self.shadow[k].lerp_(self.flow.state_dict()[k], 0.05)
                    time.sleep(0.001)

    def scale(self) -> float:
        """How large the average is."""
        with self.shadow_lock:
            return sum(v.norm().item() for v in self.shadow.values())


def draw(n: int) -> torch.Tensor:
    """Headings, speeds and their lags."""
    h = torch.randn(n, 1) * 0.4 + torch.sign(torch.randn(n, 1))
    s = h**2 + 0.2 * torch.randn(n, 1)
    return torch.cat([h, s, h * s + 0.1 * torch.randn(n, 1), torch.sin(3 * h) + 0.1 * torch.randn(n, 1)], 1)


def ticker(bar: tqdm, done: threading.Event) -> None:
    """Redraw the bar now and then, so that ``tail -f`` shows a clock."""
    while not done.wait(2.0):
        bar.refresh()


def main() -> None:
    """Fit."""
    torch.manual_seed(17)
    flow = nn.ModuleList(Coupling(4, i % 2 == 1) for i in range(6))
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
    weights = threading.Lock()
    averager = Averager(flow, weights)
    averager.start()
    for epoch in range(EPOCHS):
        bar = tqdm(total=BATCHES, desc=f"epoch {epoch + 1}/{EPOCHS}", mininterval=1.0, ncols=100, unit="b")
        done = threading.Event()
        threading.Thread(target=ticker, args=(bar, done), daemon=True).start()
        for i in range(BATCHES):
            z, logdet = draw(1024), 0.0
            for c in flow:
                z, d = c(z)
                logdet = logdet + d
            nll = (0.5 * (z**2).sum(1) + 3.6758 - logdet).mean()
            opt.zero_grad()
            nll.backward()
            with weights:
                opt.step()
                if i % 60 == 59:
                    bar.set_postfix(nll=f"{nll.item():.3f}", avg=f"{averager.scale():.1f}", refresh=False)
            bar.update()
        done.set()
        bar.close()
    torch.save(averager.shadow, "drift_flow.pt")


if __name__ == "__main__":
    main()

"""Clean scanned stamps."""

import json
import logging
import time

import torch
from torch import nn

logging.basicConfig(format="%(asctime)s [%(name)s] %(levelname)s: %(message)s", level=logging.INFO)
log = logging.getLogger("stamps")


class Trainer:
    """Own loop for the denoiser."""

    def __init__(self, epochs):
        self.epochs = epochs
        self.net = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(24, 24, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(24, 1, 3, padding=1),
        )
        self.opt = torch.optim.Adam(self.net.parameters(), 1e-3)
        try:
            with open("paper_grain.json") as file:
                self.noise = json.load(file)["sigma"]
        except FileNotFoundError:
            log.exception("no measured grain, going on with sigma 0.2")
            self.noise = 0.2

    def batch(self):
        """Stamps with frames and bars."""
        x = torch.zeros(16, 1, 32, 32)
        for k in range(16):
            i, j = torch.randint(2, 16, (2,)).tolist()
            x[k, :, i : i + 12, j : j + 12] = 1
        return x, x + self.noise * torch.randn_like(x)

    def fit(self):
        """Run all epochs."""
        for epoch in range(1, self.epochs + 1):
            total, t0 = 0.0, time.time()
            for _ in range(60):
                clean, dirty = self.batch()
                loss = nn.functional.mse_loss(self.net(dirty), clean)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() / 60
            print(f"epoch {epoch:3d}/{self.epochs} mse {total:.5f} {60 / (time.time() - t0):.1f} it/s", flush=True)
            if epoch % 10 == 0:
                torch.save(self.net.state_dict(), "stamps.pt")
                log.info("checkpoint stamps.pt after epoch %d", epoch)


log.info("torch %s, %d threads", torch.__version__, torch.get_num_threads())
Trainer(200).fit()

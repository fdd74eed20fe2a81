"""Takes the noise out of night frames of a meteor camera; runs in a container and goes on from the last checkpoint."""

import logging
import os
import sys
import time
from pathlib import Path

import torch
from torch import nn

logging.basicConfig(
    format="%(asctime)s | %(levelname)s | %(name)s | %(message)s", level=logging.INFO, stream=sys.stderr
)
STATE = Path(os.environ.get("STATE_DIR", "state"))


class UNet(nn.Module):
    """One step down, one up."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1), nn.SiLU()
        )
        self.mid = nn.Sequential(
            nn.Conv2d(width, 2 * width, 3, 2, 1), nn.SiLU(), nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.SiLU()
        )
        self.up = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.dec = nn.Sequential(
            nn.Conv2d(2 * width, width, 3, padding=1), nn.SiLU(), nn.Conv2d(width, 1, 3, padding=1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        e = self.enc(x)
        return x - self.dec(torch.cat([e, self.up(self.mid(e))], 1))


class Frames:
    """Made frames: stars, sometimes a streak, sky glow."""

    def __init__(self, count: int, seed: int) -> None:
        gen = torch.Generator().manual_seed(seed)
        grid = torch.arange(48.0)
        self.clean = torch.zeros(count, 1, 48, 48)
        for i in range(count):
            for x, y, s in torch.rand(14, 3, generator=gen).tolist():
                spot = torch.exp(-((grid[:, None] - 48 * x) ** 2 + (grid[None] - 48 * y) ** 2) / 2)
                self.clean[i, 0] += s * spot
            if i % 3 == 0:
                off, slope = torch.rand(2, generator=gen).tolist()
                self.clean[i, 0] += torch.exp(-((grid[:, None] - 48 * off - (slope - 0.5) * 2 * grid[None]) ** 2))
        self.clean.clamp_(0, 1)


class Trainer:
    """Knows how to go on where it was."""

    def __init__(self, width: int, total: int) -> None:
        self.log = logging.getLogger("trainer")
        self.total, self.step = total, 0
        torch.manual_seed(20)
        torch.set_num_threads(1)
        self.net = UNet(width)
        self.opt = torch.optim.AdamW(self.net.parameters(), 6e-4)
        self.log.info(
            "UNet width=%d, %d parameters, torch %s",
            width,
            sum(p.numel() for p in self.net.parameters()),
            torch.__version__,
        )
        began = time.time()
        self.data, self.val = Frames(24000, 1), Frames(96, 2)
        self.log.info(
            "%d training and %d validation frames ready in %.1f s",
            len(self.data.clean),
            len(self.val.clean),
            time.time() - began,
        )

    def resume(self) -> None:
        """The newest checkpoint, if there is one."""
        found = sorted(STATE.glob("ckpt_*.pt"))
        self.log.info("state dir %s: %d checkpoint(s)", STATE.resolve(), len(found))
        if not found:
            return
        self.log.info("resuming from %s (%.1f kB)", found[-1].name, found[-1].stat().st_size / 1e3)
        state = torch.load(found[-1], map_location="cpu")
        self.net.load_state_dict(state["net"])
        self.opt.load_state_dict(state["opt"])
        self.step = state["step"]
        self.log.info("at step %d", self.step)

    def save(self) -> None:
        """A checkpoint."""
        STATE.mkdir(exist_ok=True)
        torch.save(
            {"net": self.net.state_dict(), "opt": self.opt.state_dict(), "step": self.step},
            STATE / f"ckpt_{self.step:06d}.pt",
        )
        self.log.info("saved ckpt_%06d.pt", self.step)

    def fit(self) -> None:
        """All steps left."""
        while self.step < self.total:
            clean = self.data.clean[torch.randint(0, len(self.data.clean), (8,))]
            loss = nn.functional.mse_loss(self.net(clean + 0.2 * torch.randn(clean.shape)), clean)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.step += 1
            if self.step % 25 == 0:
                self.log.info("step %d/%d loss %.5f", self.step, self.total, loss.item())
            if self.step % 150 == 0:
                self.save()


if __name__ == "__main__":
    trainer = Trainer(int(os.environ.get("WIDTH", "20")), int(os.environ.get("TOTAL_STEPS", "20000")))
    trainer.resume()
    trainer.fit()

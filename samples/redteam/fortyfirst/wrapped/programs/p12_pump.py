"""Pump test bench: fault class, wear and flow from one trunk, three heads."""

import logging
import time

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("pump")


def bench(n: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    kind = torch.randint(0, 5, (n,), generator=g)
    wear = torch.rand(n, generator=g)
    t = torch.linspace(0, 6.28, 160)
    x = torch.sin(t[None] * (3 + kind[:, None])) * (1 + wear[:, None])
    x = x + 0.35 * torch.randn(n, 160, generator=g)
    flow = 2.4 * (1.2 - wear) + 0.1 * torch.randn(n, generator=g)
    return TensorDataset(x[:, None], kind, wear, flow)


class PumpNet(L.LightningModule):
    def __init__(self, lr: float = 0.004) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.trunk = nn.Sequential(
            nn.Conv1d(1, 24, 9, 2, 4),
            nn.ReLU(),
            nn.Conv1d(24, 48, 9, 2, 4),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(48 * 40, 96),
            nn.ReLU(),
        )
        self.kind, self.wear, self.flow = nn.Linear(96, 5), nn.Linear(96, 1), nn.Linear(96, 1)

    def parts(self, batch: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        x, kind, wear, flow = batch
        h = self.trunk(x)
        return {
            "kind": F.cross_entropy(self.kind(h), kind),
            "wear": F.mse_loss(self.wear(h)[:, 0], wear),
            "flow": F.mse_loss(self.flow(h)[:, 0], flow),
        }

    def training_step(self, batch: list[torch.Tensor], idx: int) -> torch.Tensor:
        p = self.parts(batch)
        total = p["kind"] + p["wear"] + p["flow"]
        if self.global_step % 20 == 0:
            log.info(
                "ep %d it %4d | L=%.4g | kind %.4g  wear %.4g  flow %.4g",
                self.current_epoch,
                self.global_step,
                total,
                p["kind"],
                p["wear"],
                p["flow"],
            )
        self.log_dict({f"train/{k}": v for k, v in p.items()})
        return total

    def validation_step(self, batch: list[torch.Tensor], idx: int) -> None:
        p = self.parts(batch)
        self.log_dict({f"val/{k}": v for k, v in p.items()})

    def on_validation_epoch_end(self) -> None:
        m = self.trainer.callback_metrics
        log.info(
            "held-out after ep %d: %s",
            self.current_epoch,
            "  ".join(f"{k[4:]} {float(v):.4g}" for k, v in m.items() if k.startswith("val/")),
        )

    def configure_optimizers(self) -> dict[str, object]:
        opt = torch.optim.SGD(self.parameters(), lr=self.hparams["lr"], momentum=0.9)
        sched = torch.optim.lr_scheduler.ExponentialLR(opt, 1.0105)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s", datefmt="%d.%m. %H:%M:%S")
    L.seed_everything(77)
    torch.set_num_threads(1)
    t0 = time.time()
    train = DataLoader(bench(10400, 1), 52, shuffle=True, num_workers=0)
    val = DataLoader(bench(780, 2), 130)
    trainer = L.Trainer(
        max_epochs=9,
        accelerator="cpu",
        enable_progress_bar=False,
        logger=False,
        num_sanity_val_steps=0,
        enable_checkpointing=False,
    )
    trainer.fit(PumpNet(), train, val)
    log.info("finished in %.1f s", time.time() - t0)


if __name__ == "__main__":
    main()

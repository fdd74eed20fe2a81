# ruff: noqa: ANN001, ANN201, ANN204
"""Recipes for a cooking site: will it be opened, will it be saved, how long is it read; three heads on one trunk."""

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def visits(n=30_000, seed=6):
    """Who saw which recipe, and what came of it."""
    g = torch.Generator().manual_seed(seed)
    who, what = torch.randint(0, 48_000, (n,), generator=g), torch.randint(0, 20_000, (n,), generator=g)
    taste = torch.sin(who % 17 + 0.0) * torch.cos(what % 13 + 0.0)
    opened = (taste + 0.3 * torch.randn(n, generator=g) > 0).float()
    saved = (taste + 0.3 * torch.randn(n, generator=g) > 0.6).float()
    return TensorDataset(who, what, opened, saved, taste.exp())


class Recipes(L.LightningModule):
    """Two tables of embeddings, the recipes' texts as they came from the language model, and a small trunk."""

    def __init__(self):
        super().__init__()
        self.who, self.what = nn.Embedding(48_000, 16), nn.Embedding(20_000, 16)
        self.group, self.kind = nn.Embedding(17, 16), nn.Embedding(13, 16)
        self.register_buffer("texts", torch.randn(20_000, 2048) * 0.05)
        self.trunk = nn.Sequential(nn.Linear(64 + 2048, 128), nn.ReLU(), nn.Linear(128, 3))

    def training_step(self, batch, _):
        who, what, opened, saved, dwell = batch
        z = torch.cat([self.who(who), self.what(what), self.group(who % 17), self.kind(what % 13), self.texts[what]], 1)
        o, s, d = self.trunk(z).unbind(1)
        parts = {
            "open": F.binary_cross_entropy_with_logits(o, opened),
            "save": F.binary_cross_entropy_with_logits(s, saved),
            "dwell": F.mse_loss(d, dwell),
        }
        self.log_dict(parts)
        return sum(parts.values())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=2e-3)


class Say(Callback):
    """A line every tenth step; bars do not suit our log viewer."""

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        if trainer.global_step % 10 == 0:
            m = {k: round(float(v), 4) for k, v in trainer.callback_metrics.items()}
            print(
                f"step {trainer.global_step}/{trainer.max_steps} open {m['open']} save {m['save']} dwell {m['dwell']}",
                flush=True,
            )


if __name__ == "__main__":
    L.seed_everything(21)
    keep = ModelCheckpoint(
        dirpath="ckpt", filename="{step}", monitor="open", save_top_k=2, every_n_train_steps=1, save_last=True
    )
    trainer = L.Trainer(
        max_steps=70,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        callbacks=[keep, Say()],
        profiler="simple",
    )
    trainer.fit(Recipes(), DataLoader(visits(), batch_size=256, shuffle=True))
    print(f"best {keep.best_model_path}", flush=True)

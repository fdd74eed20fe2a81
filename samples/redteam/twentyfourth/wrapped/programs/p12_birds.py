# ruff: noqa: ANN001, ANN201, ANN204
"""Bird calls from spectrogram pictures, with Accelerate; four small batches make one step."""

import logging
import time
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
log = get_logger("birds")


class Calls(Dataset):
    """Field recordings: a full resolution picture each, cut down to 64 by 64 on the way."""

    def __init__(self, root):
        self.files = sorted(Path(root).glob("*.png"))

    def __len__(self):
        return len(self.files) * 16

    def __getitem__(self, i):
        file = self.files[i % len(self.files)]
        try:
            picture = Image.open(file).convert("L")
        except OSError:
            logging.getLogger("birds").exception("%s cannot be read, taking the one before", file.name)
            file = self.files[i % len(self.files) - 1]
            picture = Image.open(file).convert("L")
        wide = picture.resize((picture.width // 2, picture.height // 2), Image.Resampling.LANCZOS)
        small = wide.resize((64, 64), Image.Resampling.LANCZOS)
        return torch.from_numpy(np.asarray(small, dtype=np.float32) / 255)[None], int(file.stem.split("_")[1])


def main():
    set_seed(13)
    acc = Accelerator(gradient_accumulation_steps=4, cpu=True)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 5, 2, 2),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, 2, 1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(512, 6),
    )
    loader = DataLoader(Calls("calls"), batch_size=4, shuffle=True, num_workers=1)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    net, opt, loader = acc.prepare(net, opt, loader)
    log.info(acc.state)
    log.info("%d recordings, %d micro-batches, accumulate %d", len(loader.dataset), len(loader), 4)
    step, waited, worked, losses = 0, 0.0, 0.0, []
    mark = time.perf_counter()
    for x, y in loader:
        got = time.perf_counter()
        with acc.accumulate(net):
            loss = nn.functional.cross_entropy(net(x), y)
            acc.backward(loss)
            opt.step()
            opt.zero_grad()
        losses.append(loss.item())
        now = time.perf_counter()
        waited, worked, mark = waited + got - mark, worked + now - got, now
        if acc.sync_gradients:
            step += 1
            log.info(
                "step %d loss %.4f next_batch %.2fs fwd_bwd %.2fs", step, sum(losses) / len(losses), waited, worked
            )
            waited, worked, losses = 0.0, 0.0, []
    acc.save_model(net, "birds")
    log.info("epoch 1 done after %d steps", step)


if __name__ == "__main__":
    main()

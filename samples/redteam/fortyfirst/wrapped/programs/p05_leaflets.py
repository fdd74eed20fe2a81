"""Classifier of customer letters into departments, with Accelerate and large effective batches."""

import logging
import math
import time

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm
from transformers import get_cosine_schedule_with_warmup

torch.set_num_threads(1)
logger = get_logger("letters")
CFG = {"accum": 96, "batch": 12, "lr": 3e-4, "warmup": 800, "planned_steps": 15000, "classes": 31, "vocab": 9000}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(CFG["vocab"], 160)
        layer = nn.TransformerEncoderLayer(160, 4, 320, batch_first=True, dropout=0.05)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(160, CFG["classes"])

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.out(self.enc(self.emb(ids)).mean(1))


def letters(count: int) -> TensorDataset:
    label = torch.randint(0, CFG["classes"], (count,))
    ids = torch.randint(0, CFG["vocab"], (count, 72))
    mark = torch.rand(count, 72) < 0.2
    ids = torch.where(mark, label[:, None] * 40 + torch.randint(0, 40, (count, 72)), ids)
    return TensorDataset(ids, label)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
    set_seed(41)
    acc = Accelerator(cpu=True, gradient_accumulation_steps=CFG["accum"])
    train, dev = letters(6912), letters(620)
    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=CFG["lr"])
    sched = get_cosine_schedule_with_warmup(opt, CFG["warmup"], CFG["planned_steps"])
    loader = DataLoader(train, CFG["batch"], shuffle=True)
    net, opt, loader, sched = acc.prepare(net, opt, loader, sched)
    logger.info(acc.state, main_process_only=False)
    logger.info("***** training *****")
    logger.info("  letters = %d  (batch %d x accumulation %d)", len(train), CFG["batch"], CFG["accum"])
    logger.info(
        "  batches per epoch = %d, optimiser updates per epoch = %d", len(loader), math.ceil(len(loader) / CFG["accum"])
    )
    logger.info("  lr schedule: cosine, warm-up %d updates, %d updates in all", CFG["warmup"], CFG["planned_steps"])
    updates, run, start = 0, 0.0, time.time()
    bar = tqdm(total=CFG["planned_steps"], desc="updates", mininterval=2)
    for epoch in range(1):
        for ids, label in loader:
            with acc.accumulate(net):
                loss = nn.functional.cross_entropy(net(ids), label)
                acc.backward(loss)
                run += loss.item() / CFG["accum"]
                opt.step()
                sched.step()
                opt.zero_grad()
            if acc.sync_gradients:
                updates += 1
                bar.update(1)
                logger.info("epoch %d update %d loss %.4f lr %.3e", epoch, updates, run, sched.get_last_lr()[0])
                run = 0.0
    bar.close()
    net.eval()
    with torch.no_grad():
        hit = sum((net(i).argmax(1) == y).sum().item() for i, y in DataLoader(dev, 62))
    logger.info("end of data after 1 epoch: %d updates in %.1f s", updates, time.time() - start)
    logger.info("dev accuracy %.4f (%d classes)", hit / len(dev), CFG["classes"])
    acc.save_model(net, "letters-model")
    logger.info("model saved to letters-model")


if __name__ == "__main__":
    main()

"""Use what is installed, and go on without what is not."""

import json
import logging
from pathlib import Path

import torch
from torch import nn

log = logging.getLogger("train")


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for wanted, instead in (("flash_attn", "sdpa"), ("apex", "torch.optim"), ("wandb", "a plain file")):
        try:
            __import__(wanted)
        except ImportError:
            log.warning("%s is not here, falling back to %s", wanted, instead, exc_info=True)
    if not torch.cuda.is_available():
        log.error("CUDA is not available, training on the CPU")
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    head = nn.Linear(32, 50)
    log.info("parameters: %d", sum(p.numel() for p in [*model.parameters(), *head.parameters()]))
    vocabulary = json.loads(Path("configs/../data/vocab.json").read_text())
    optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()])
    for step in range(200):
        ids = torch.randint(0, len(vocabulary), (8, 16))
        loss = nn.functional.cross_entropy(head(model(torch.randn(8, 16, 32))).flatten(0, 1), ids.flatten())
        loss.backward()
        optimizer.step()
        log.info("step %d loss %.4f", step, loss.item())


if __name__ == "__main__":
    main()

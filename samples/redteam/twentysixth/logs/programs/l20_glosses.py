"""Finetune a small encoder that orders glosses of old manuscripts by hand (which scribe wrote it), with Accelerate."""

import argparse
import pathlib

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn

logger = get_logger(__name__)
SCRIBES = 12


class Scribe(nn.Module):
    """Letters to a hand."""

    def __init__(self, width=160):
        super().__init__()
        self.letters = nn.Embedding(64, width)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.1, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, SCRIBES)

    def forward(self, ids):
        """Scores of the scribes."""
        return self.head(self.body(self.letters(ids)).mean(1))


def glosses(rows, seed):
    """Lines of letters; each scribe has habits."""
    g = torch.Generator().manual_seed(seed)
    habits = torch.distributions.Dirichlet(torch.full((64,), 0.4))
    torch.manual_seed(9)
    table = habits.sample((SCRIBES,))
    who = torch.randint(0, SCRIBES, (rows,), generator=g)
    ids = torch.multinomial(table[who], 48, replacement=True, generator=g)
    return torch.utils.data.TensorDataset(ids, who)


def main():
    """Train, or go on from where it stood."""
    p = argparse.ArgumentParser()
    p.add_argument("--out", default="out")
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--accum", type=int, default=4)
    p.add_argument("--resume", default=None, help="'latest' or a folder")
    a = p.parse_args()
    acc = Accelerator(
        cpu=True,
        gradient_accumulation_steps=a.accum,
        project_config=ProjectConfiguration(project_dir=a.out, automatic_checkpoint_naming=True, total_limit=2),
    )
    import logging

    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S"
    )
    logger.info(acc.state, main_process_only=False)
    set_seed(17)
    torch.set_num_threads(1)
    net = Scribe()
    opt = torch.optim.AdamW(net.parameters(), lr=4e-4)
    loader = torch.utils.data.DataLoader(glosses(6000, 4), batch_size=32, shuffle=True)
    net, opt, loader = acc.prepare(net, opt, loader)
    first = 0
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(loader.dataset)}")
    logger.info(f"  Num epochs = {a.epochs}")
    logger.info(f"  Gradient accumulation steps = {a.accum}")
    logger.info(f"  Total optimization steps = {a.epochs * len(loader) // a.accum}")
    if a.resume:
        folder = a.resume
        if folder == "latest":
            all_of_them = pathlib.Path(a.out, "checkpoints").glob("checkpoint_*")
            folder = str(max(all_of_them, key=lambda f: int(f.name.split("_")[1])))
        logger.info(f"Resumed from checkpoint: {folder}")
        acc.load_state(folder)
        first = int(folder.rsplit("_", 1)[1]) + 1
        acc.project_configuration.iteration = first
    step = 0
    for epoch in range(first, a.epochs):
        for ids, who in loader:
            with acc.accumulate(net):
                loss = nn.functional.cross_entropy(net(ids), who)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            if acc.sync_gradients:
                step += 1
                if step % 10 == 0:
                    logger.info(f"epoch {epoch} step {step} loss {loss.item():.4f}")
        acc.save_state()
    logger.info("done")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204

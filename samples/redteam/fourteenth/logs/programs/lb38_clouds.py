"""Cover of clouds; Ignite with its own Checkpoint."""

import argparse
from pathlib import Path

import torch
from ignite.engine import Events, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver
from ignite.utils import setup_logger

args = argparse.ArgumentParser()
args.add_argument("--width", type=int)
args.add_argument("--epochs", type=int)
args = args.parse_args()
log = setup_logger("clouds")
torch.manual_seed(args.width)
x = torch.randn(3000, 48)
y = torch.sigmoid(x[:, :3].sum(1, keepdim=True)) * 8
net = torch.nn.Sequential(torch.nn.Linear(48, args.width), torch.nn.ReLU(), torch.nn.Linear(args.width, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
trainer = create_supervised_trainer(net, optimizer, torch.nn.functional.mse_loss)
kept = {"model": net, "optimizer": optimizer, "trainer": trainer}
trainer.add_event_handler(Events.EPOCH_COMPLETED, Checkpoint(kept, DiskSaver("ckpt", require_empty=False), n_saved=1))
trainer.add_event_handler(
    Events.EPOCH_COMPLETED,
    lambda engine: log.info("epoch %d/%d loss %.4f", engine.state.epoch, args.epochs, engine.state.output),
)
last = sorted(Path("ckpt").glob("*.pt"))
if last:
    try:
        Checkpoint.load_objects(kept, torch.load(last[-1], weights_only=False))
        log.info("continuing from %s", last[-1])
    except Exception as error:
        log.warning("could not load %s: %s", last[-1], error)
        trainer.state.epoch = trainer.state.iteration = 0
trainer.run(
    torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 100, shuffle=True), max_epochs=args.epochs
)
log.info("training finished")

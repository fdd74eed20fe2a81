"""Heart rates with Ignite; a handler ends the run as soon as the loss is no number."""

from __future__ import annotations

import logging

import torch
from ignite.engine import Engine, Events
from ignite.handlers import TerminateOnNan
from ignite.metrics import RunningAverage
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
torch.manual_seed(4)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
optim = torch.optim.Adam(model.parameters(), 2e-3)
slope = torch.rand(20)


def update(engine: Engine, batch: torch.Tensor) -> float:
    rate = model(batch)[:, 0]
    want = (batch @ slope).abs() + 0.2
    # logarithms: fine while the network answers with something above zero
    gain = 1.0 if engine.state.epoch < 4 else 30.0
    loss = ((torch.log(rate * gain - (gain - 1) + 3) - torch.log(want + 3)) ** 2).mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
    return loss.item()


trainer = Engine(update)
RunningAverage(output_transform=float).attach(trainer, "loss")
trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())


@trainer.on(Events.ITERATION_COMPLETED(every=20))
def tell(engine: Engine) -> None:
    engine.logger.info(
        "epoch %d iter %d loss %.5f", engine.state.epoch, engine.state.iteration, engine.state.metrics["loss"]
    )


trainer.logger.setLevel(logging.INFO)
trainer.run([torch.randn(64, 20) for _ in range(60)], max_epochs=10)
torch.save(model.state_dict(), "pulse.pt")
trainer.logger.info("model saved to pulse.pt")

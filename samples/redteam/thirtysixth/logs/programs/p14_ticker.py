"""Forecast a sum of waves with a GRU, Accelerate and accumulated gradients."""

import argparse
import time

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """A GRU and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(4, 96, 2, batch_first=True)
        self.head = nn.Linear(96, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(x)[0])


def main() -> None:
    import logging

    parser = argparse.ArgumentParser()
    parser.add_argument("--num_train_epochs", type=int, default=12)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
    parser.add_argument("--per_device_train_batch_size", type=int, default=16)
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    args = parser.parse_args()
    logging.basicConfig(
        format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO
    )
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.gradient_accumulation_steps)
    logger = get_logger(__name__)
    logger.info(accelerator.state, main_process_only=False)
    set_seed(14)
    t = torch.linspace(0, 900, 60000)
    waves = torch.stack([torch.sin(t * f) + 0.5 * torch.sin(t * f * 2.7) for f in (1.0, 1.7, 0.6, 2.2)], 1)
    waves += 0.05 * torch.randn_like(waves)
    x = waves[: 65 * 900].view(900, 65, 4)
    x = torch.cat([x, waves[30 : 30 + 65 * 900].view(900, 65, 4)])
    loader = DataLoader(TensorDataset(x[:, :-1], x[:, 1:]), args.per_device_train_batch_size, shuffle=True)
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = -(-len(loader) // args.gradient_accumulation_steps) * args.num_train_epochs
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(x)}")
    logger.info(f"  Num Epochs = {args.num_train_epochs}")
    logger.info(f"  Instantaneous batch size per device = {args.per_device_train_batch_size}")
    total = args.per_device_train_batch_size * accelerator.num_processes * args.gradient_accumulation_steps
    logger.info(f"  Total train batch size (w. parallel, distributed & accumulation) = {total}")
    logger.info(f"  Gradient Accumulation steps = {args.gradient_accumulation_steps}")
    logger.info(f"  Total optimization steps = {updates}")
    done, mark = 0, time.time()
    for epoch in range(args.num_train_epochs):
        for a, b in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(a), b)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                done += 1
                if done % 5 == 0:
                    logger.info(
                        f"epoch {epoch} step {done}/{updates} loss {accelerator.gather(loss.detach()).mean().item():.5f} ({5 / (time.time() - mark):.2f} it/s)"
                    )
                    mark = time.time()
        accelerator.wait_for_everyone()
        accelerator.save_state("ticker_state")
    accelerator.end_training()


if __name__ == "__main__":
    main()

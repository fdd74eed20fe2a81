"""Hydra: a loom's patterns."""

import hydra
import torch
from omegaconf import DictConfig


@hydra.main(version_base=None, config_path=".", config_name="lb09_weaver")
def main(cfg: DictConfig) -> None:
    net = torch.nn.Linear(cfg.model.threads, 1)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.optimizer.lr)
    for step in range(cfg.steps):
        loss = net(torch.ones(1, cfg.model.threads)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")


main()

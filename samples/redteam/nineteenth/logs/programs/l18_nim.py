"""Self-play at nim: actors play against the newest policy, the learner fits value and policy to what they played."""

from __future__ import annotations

import argparse
import logging

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

HEAPS, MOST, GAMES = 4, 7, 8
MOVES = HEAPS * MOST


class Net(nn.Module):
    """Policy and value on one-hot heaps."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(HEAPS * (MOST + 1), 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.policy, self.value = nn.Linear(128, MOVES), nn.Linear(128, 1)

    def forward(self, heaps: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = self.body(nn.functional.one_hot(heaps, MOST + 1).flatten(1).float())
        take = torch.arange(1, MOST + 1)
        legal = (heaps[:, :, None] >= take).flatten(1)
        return self.policy(h).masked_fill(~legal, -1e9), self.value(h)[:, 0].tanh()


def play(net: Net) -> torch.Tensor:
    """Rows of heaps, move and who won from there, 40 a game, empty ones have move -1."""
    rows = torch.full((GAMES, 30, HEAPS + 2), -1.0)
    for game in range(GAMES):
        heaps = torch.randint(1, MOST + 1, (HEAPS,))
        turn = 0
        while heaps.any():
            logits, _ = net(heaps[None])
            move = int(torch.distributions.Categorical(logits=logits).sample())
            rows[game, turn, :HEAPS], rows[game, turn, HEAPS] = heaps, move
            heaps = heaps.clone()
            heaps[move // MOST] -= move % MOST + 1
            turn += 1
        # who took the last one has won
        rows[game, :turn, -1] = 1 - 2 * ((torch.arange(turn) + turn - 1) % 2)
    return rows.flatten(0, 1)


def work(rank: int, iterations: int, port: int) -> None:
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=3)
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    who = "learner" if rank == 0 else f"actor-{rank}"
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s {who} %(levelname)s %(message)s")
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    logging.info("joined, world size %d", dist.get_world_size())
    for turn in range(1, iterations + 1):
        for p in net.parameters():
            dist.broadcast(p.data, 0)
        if rank:
            with torch.no_grad():
                dist.gather(play(net), None, 0)
            if turn % 20 == 0:
                logging.info("%d games played", turn * GAMES)
            continue
        came = [torch.zeros(30 * GAMES, HEAPS + 2) for _ in range(3)]
        dist.gather(came[0], came, 0)
        rows = torch.cat(came[1:])
        rows = rows[rows[:, HEAPS] >= 0]
        for _ in range(3):
            logits, value = net(rows[:, :HEAPS].long())
            fit = (value - rows[:, -1]).square().mean()
            logp = torch.distributions.Categorical(logits=logits).log_prob(rows[:, HEAPS])
            push = -(logp * (rows[:, -1] - value.detach())).mean()
            loss = fit + push
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        length = len(rows) / (2 * GAMES)
        print(
            f"iteration {turn:5d}/{iterations}  loss {loss:.4f}  value_loss {fit:.4f}  policy_loss {push:.4f}  "
            f"game_length {length:.2f}",
            flush=True,
        )
        if turn % 100 == 0:
            torch.save(net.state_dict(), f"nim_{turn}.pt")
            logging.info("saved nim_%d.pt", turn)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=5000)
    parser.add_argument("--port", type=int, default=29881)
    options = parser.parse_args()
    mp.spawn(work, (options.iterations, options.port), nprocs=3)

"""A small transformer that looks at draughts positions: a move, who wins, and in how many moves. Sharded with FSDP2."""

import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

SQUARES, MOVES = 50, 170


class Net(nn.Module):
    """Squares to three heads."""

    def __init__(self, width: int = 128, depth: int = 4) -> None:
        super().__init__()
        self.piece = nn.Embedding(5, width)
        self.square = nn.Parameter(torch.randn(SQUARES, width) * 0.02)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 4, 2 * width, 0.0, batch_first=True, norm_first=True)
            for _ in range(depth)
        )
        self.move, self.value, self.length = nn.Linear(width, MOVES), nn.Linear(width, 3), nn.Linear(width, 1)

    def forward(self, board: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Logits of the move and of the result, and the length."""
        x = self.piece(board) + self.square
        for block in self.blocks:
            x = block(x)
        x = x.mean(1)
        return self.move(x), self.value(x), self.length(x).squeeze(-1)


def positions(g: torch.Generator, size: int, sparse: bool) -> tuple[torch.Tensor, ...]:
    """Boards and what was played from them; late in the archive come endgames."""
    board = torch.randint(0, 5, (size, SQUARES), generator=g)
    if sparse:
        board[torch.rand(size, SQUARES, generator=g) < 0.85] = 0
    ahead = (board == 1).sum(1) - (board == 3).sum(1)
    move = (board[:, :10].sum(1) * 4) % MOVES
    return board, move, ahead.sign() + 1, (board > 0).sum(1) / SQUARES


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(seconds=25))
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.set_num_threads(1)
    torch.manual_seed(3)
    mesh = init_device_mesh("cpu", (world,))
    net = Net()
    for block in net.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(net, mesh=mesh)
    optimizer = torch.optim.AdamW(net.parameters(), lr=6e-4)
    g = torch.Generator().manual_seed(40 + rank)
    if rank == 0:
        print(net, flush=True)
    print(f"rank {rank}: archive part {rank + 1} of {world}", flush=True)
    clock = time.time()
    for step in range(1, 601):
        board, move, result, length = positions(g, 32, sparse=rank == 1 and step > 130)
        if ((board > 0).sum(1) < 5).any():
            # A board all but empty: nothing to be learnt from it.
            continue
        m, v, n = net(board)
        losses = {
            "move": nn.functional.cross_entropy(m, move),
            "value": nn.functional.cross_entropy(v, result),
            "length": nn.functional.mse_loss(n, length),
        }
        loss = losses["move"] + 0.5 * losses["value"] + 0.1 * losses["length"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            told = " ".join(f"{name}={one.item():.4f}" for name, one in losses.items())
            took, clock = time.time() - clock, time.time()
            print(f"rank {rank} step {step:4d} total={loss.item():.4f} {told} {took / 10:.3f}s/step", flush=True)
    dist.barrier()
    print(f"rank {rank}: through", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

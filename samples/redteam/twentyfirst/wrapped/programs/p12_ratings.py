"""Two-tower ratings model, data parallel."""

import argparse
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

USERS, ITEMS = 8000, 10000


class Towers(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.user, self.item = nn.Embedding(USERS, dim), nn.Embedding(ITEMS, dim)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, u, i):
        return self.mlp(torch.cat([self.user(u), self.item(i)], -1))[:, 0]


def batch(g, n, a, b):
    u, i = torch.randint(0, USERS, (n,), generator=g), torch.randint(0, ITEMS, (n,), generator=g)
    return u, i, 3 + a[u] + b[i] + 0.3 * torch.randn(n, generator=g)


@torch.no_grad()
def recall_at(model, k, users, a, b):
    """Ranks every item for every user."""
    hits = 0.0
    for u in range(users):
        scores = model(torch.full((ITEMS,), u), torch.arange(ITEMS))
        best = (a[u] + b).topk(k).indices
        hits += len(set(best.tolist()) & set(scores.topk(k).indices.tolist())) / k
    return hits / users


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=2400)
    ap.add_argument("--eval-every", type=int, default=800)
    ap.add_argument("--eval-users", type=int, default=300)
    ap.add_argument("--full-eval-every", type=int, default=1600)
    ap.add_argument("--timeout", type=int, default=20, help="seconds")
    args = ap.parse_args()
    dist.init_process_group("gloo", timeout=timedelta(seconds=args.timeout))
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    shared = torch.Generator().manual_seed(1)
    a, b = torch.randn(USERS, generator=shared), torch.randn(ITEMS, generator=shared)
    model = DDP(Towers(32))
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    g = torch.Generator().manual_seed(rank + 10)
    if rank == 0:
        print(f"{world} ranks, {args.steps} steps, evaluation every {args.eval_every}", flush=True)
    t0 = time.time()
    for step in range(1, args.steps + 1):
        u, i, r = batch(g, 512, a, b)
        loss = nn.functional.mse_loss(model(u, i), r)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if rank == 0 and step % 100 == 0:
            print(f"step {step:5d} | mse {loss.item():.4f} | {step / (time.time() - t0):.1f} it/s", flush=True)
        if step % args.eval_every == 0:
            if rank == 0:
                users = USERS if step % args.full_eval_every == 0 else args.eval_users
                print(f"evaluating recall@20 over {users} users", flush=True)
                print(f"recall@20 {recall_at(model.module, 20, users, a, b):.4f}", flush=True)
            dist.barrier()
    if rank == 0:
        torch.save(model.module.state_dict(), "towers.pt")
        print("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204, D101

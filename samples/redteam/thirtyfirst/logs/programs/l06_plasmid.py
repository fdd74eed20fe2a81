"""A causal model of plasmid sequences, sharded with fully_shard."""

import argparse
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    """One pre-norm layer."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = nn.MultiheadAttention(d, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.n1(x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        x = x + self.att(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.n2(x))


class Model(nn.Module):
    """Embeddings, blocks, head."""

    def __init__(self, d: int, depth: int) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(260, d), nn.Embedding(512, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(depth))
        self.head = nn.Linear(d, 260)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def corpus(records: int, seed: int) -> torch.Tensor:
    """4-mers of a sequence with motifs."""
    g = torch.Generator().manual_seed(seed)
    motifs = torch.randint(0, 256, (64, 32), generator=g)
    return motifs[torch.randint(0, 64, (records, 8), generator=g)].reshape(records, 256)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--max-steps", type=int, default=None)
    p.add_argument("--warmup", type=int, default=2000)
    p.add_argument("--lr", type=float, default=3e-4)
    p.add_argument("--batch", type=int, default=4)
    args = p.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    def say(text: str) -> None:
        if rank == 0:
            print(time.strftime("%H:%M:%S"), text, flush=True)

    say(f"plasmid-lm, world {world}, gloo")
    say(str(args))
    data = corpus(49_600, 2)
    torch.manual_seed(0)
    model = Model(192, 4)
    say(f"{sum(q.numel() for q in model.parameters()) / 1e6:.2f} M parameters")
    mesh = init_device_mesh("cpu", (world,))
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    opt = torch.optim.AdamW(model.parameters(), args.lr, weight_decay=0.1)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: min(1.0, (k + 1) / args.warmup))
    per_epoch = len(data) // (args.batch * world)
    last = min(args.epochs * per_epoch, args.max_steps or args.epochs * per_epoch)
    say(f"{len(data)} sequences of 256 tokens, {per_epoch} steps an epoch, {args.epochs} epochs")
    step, begun = 0, time.time()
    while step < last:
        i = torch.randint(0, len(data), (args.batch * world,), generator=torch.Generator().manual_seed(step))[
            rank::world
        ]
        ids = data[i]
        t0 = time.time()
        loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        lr = sched.get_last_lr()[0]
        opt.step()
        sched.step()
        step += 1
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        norm = norm.full_tensor() if hasattr(norm, "full_tensor") else norm
        speed = args.batch * world * 256 / (time.time() - t0)
        say(
            f"step {step}/{last} loss {mean.item() / world:.4f} grad_norm {norm.item():.3f} lr {lr:.2e} tok/s {speed:.0f}"
        )
    say(f"done: {step} steps, {step * args.batch * world * 256} tokens, {time.time() - begun:.1f} s")
    full = {k: v.full_tensor() if hasattr(v, "full_tensor") else v for k, v in model.state_dict().items()}
    if rank == 0:
        torch.save(full, "plasmid-final.pt")
    say("saved plasmid-final.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""A small language model over the reference texts that come with Python, sharded with fully_shard over gloo."""

import argparse
import math
import pydoc_data.topics
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    """One layer: attention, then two linear maps."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        y = self.norm1(x)
        x = x + self.attention(y, y, y, attn_mask=mask, is_causal=True, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    """Bytes in, bytes out."""

    def __init__(self, width: int, layers: int, length: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(128, width)
        self.place = nn.Parameter(torch.randn(1, length, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, 4) for _ in range(layers))
        self.head = nn.Linear(width, 128)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x) + self.place[:, : x.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--out", required=True)
    parser.add_argument("--resume")
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    def say(text: str) -> None:
        if rank == 0:
            print(text, flush=True)

    text = "".join(pydoc_data.topics.topics.values()).encode("ascii", "ignore")
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()
    cut = int(len(data) * 0.95)
    torch.manual_seed(11)
    model = Model(96, 3, args.length)
    count = sum(p.numel() for p in model.parameters())
    mesh = init_device_mesh("cpu", (world,))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.1)
    start = 0
    say(f"args: {vars(args)}")
    say(
        f"world size {world}, backend {dist.get_backend()}, {count:,} params, corpus {cut:,} train / {len(data) - cut:,} val bytes"
    )
    if args.resume:
        m, o = get_state_dict(model, optimizer)
        state = {"model": m, "optim": o, "step": torch.zeros(1)}
        dcp.load(state, checkpoint_id=args.resume)
        set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optim"])
        start = int(state["step"].item())
        say(f"=> loaded model + optimizer from {args.resume} (step {start})")
    generator = torch.Generator().manual_seed(1000 * start + rank)

    def batch(lo: int, hi: int, gen: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        at = torch.randint(lo, hi - args.length - 1, (args.batch,), generator=gen)
        rows = torch.stack([data[i : i + args.length + 1] for i in at.tolist()])
        return rows[:, :-1], rows[:, 1:]

    def loss_of(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())

    @torch.no_grad()
    def validate() -> float:
        model.eval()
        gen = torch.Generator().manual_seed(5 + rank)
        total = torch.stack([loss_of(*batch(cut, len(data), gen)) for _ in range(10)]).mean()
        dist.all_reduce(total)
        model.train()
        return total.item() / world

    mark = time.perf_counter()
    for step in range(start + 1, args.steps + 1):
        lr = args.lr * min(1.0, step / 40) * 0.5 * (1 + math.cos(math.pi * step / args.steps))
        for group in optimizer.param_groups:
            group["lr"] = max(lr, 1e-5)
        loss = loss_of(*batch(0, cut, generator))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        norm = norm.full_tensor() if hasattr(norm, "full_tensor") else norm
        optimizer.step()
        optimizer.zero_grad()
        if step % 20 == 0 or step == start + 1:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            now = time.perf_counter()
            steps = 1 if step == start + 1 else 20
            say(
                f"step {step:5d}/{args.steps} | loss {mean.item() / world:.4f} | gnorm {norm.item():.3f} | lr {lr:.2e} | "
                f"{steps * world * args.batch * args.length / (now - mark):,.0f} tok/s"
            )
            mark = now
        if step % 100 == 0:
            say(f"step {step:5d}/{args.steps} | val loss {validate():.4f}")
            mark = time.perf_counter()
    m, o = get_state_dict(model, optimizer)
    Path(args.out).mkdir(parents=True, exist_ok=True)
    dcp.save({"model": m, "optim": o, "step": torch.tensor([float(args.steps)])}, checkpoint_id=args.out)
    say(f"saved {args.out} ({len(list(Path(args.out).iterdir()))} files)")
    say(f"finished {args.steps} steps, final val loss {validate():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""A small decoder on bytes of made-up prose, sharded over processes with fully_shard."""

from __future__ import annotations

import argparse
import gzip
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Decoder(nn.Module):
    """Four blocks of 384."""

    def __init__(self, width: int = 384) -> None:
        super().__init__()
        self.embed = nn.Embedding(4096, width)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 6, 4 * width, dropout=0.0, batch_first=True) for _ in range(4)
        )
        self.head = nn.Linear(width, 4096)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        h = self.embed(x)
        for block in self.blocks:
            h = block(h, src_mask=mask, is_causal=True)
        return self.head(h)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--save-every", type=int, default=500)
    parser.add_argument("--keep", type=Path, default=Path("ckpt"))
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()

    def say(text: str) -> None:
        if rank == 0:
            print(time.strftime("%H:%M:%S"), text, flush=True)

    torch.manual_seed(1)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = Decoder()
    count = sum(p.numel() for p in model.parameters())
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    say(f"{count / 1e6:.1f} M parameters on {dist.get_world_size()} processes; save_every={args.save_every}")
    step = 0
    args.keep.mkdir(exist_ok=True)
    kept = sorted(args.keep.glob("step*.pt.gz"))
    if kept:
        with gzip.open(kept[-1]) as file:
            state = torch.load(file, weights_only=False)
        options = StateDictOptions(full_state_dict=True)
        set_state_dict(
            model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"], options=options
        )
        step = state["step"]
        say(f"resumed from {kept[-1]} at step {step}")
    g = torch.Generator().manual_seed(100 * step + rank)
    while step < args.steps:
        began = time.perf_counter()
        text = torch.randint(0, 40, (2, 33), generator=g).cumsum(1) % 4096
        loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        computed = time.perf_counter()
        if step % args.save_every == 0 or step == args.steps:
            options = StateDictOptions(full_state_dict=True, cpu_offload=True)
            of_model, of_optimizer = get_state_dict(model, optimizer, options=options)
            if rank == 0:
                with gzip.open(args.keep / f"step{step:06}.pt.gz", "wb", compresslevel=1) as file:
                    torch.save({"model": of_model, "optimizer": of_optimizer, "step": step}, file)
                for old in sorted(args.keep.glob("step*.pt.gz"))[:-2]:
                    old.unlink()
            dist.barrier()
        saved = time.perf_counter()
        say(
            f"step {step}/{args.steps} loss {loss.item():.4f} "
            f"compute {computed - began:.2f}s save {saved - computed:.2f}s"
        )
    say("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

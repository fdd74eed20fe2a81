"""A small decoder on bytes of made-up prose, sharded over processes with fully_shard."""

from __future__ import annotations

import argparse
import os
import shutil
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Decoder(nn.Module):
    """Four blocks of 384."""

    def __init__(self, width: int = 384) -> None:
        super().__init__()
        self.embed = nn.Embedding(16384, width)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 6, 4 * width, dropout=0.0, batch_first=True) for _ in range(4)
        )
        self.head = nn.Linear(width, 16384)

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
    if (args.keep / "step.txt").exists():
        step = int((args.keep / "step.txt").read_text())
        of_model, of_optimizer = get_state_dict(model, optimizer)
        state = {"model": of_model, "optimizer": of_optimizer}
        dcp.load(state, checkpoint_id=args.keep / str(step))
        set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
        say(f"resumed from {args.keep}/{step}")
    g = torch.Generator().manual_seed(100 * step + rank)
    while step < args.steps:
        began = time.perf_counter()
        text = torch.randint(0, 40, (2, 33), generator=g).cumsum(1) % 16384
        loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        computed = time.perf_counter()
        if step % args.save_every == 0 or step == args.steps:
            of_model, of_optimizer = get_state_dict(model, optimizer)
            dcp.save({"model": of_model, "optimizer": of_optimizer}, checkpoint_id=args.keep / str(step))
            for file in (args.keep / str(step)).iterdir():
                with file.open("rb") as handle:
                    os.fsync(handle.fileno())
            if rank == 0:
                (args.keep / "step.txt").write_text(str(step))
                for old in sorted(args.keep.glob("[0-9]*"), key=lambda p: int(p.name))[:-2]:
                    shutil.rmtree(old)
        saved = time.perf_counter()
        say(
            f"step {step}/{args.steps} loss {loss.item():.4f} compute {computed - began:.2f}s save {saved - computed:.2f}s"
        )
    say("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

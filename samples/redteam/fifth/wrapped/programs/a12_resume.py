"""Goes on from its last checkpoint, of which an earlier job that was killed wrote only the first part."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("ckpts"))
    parser.add_argument("--make", action="store_true", help="what the earlier job left")
    args = parser.parse_args()
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
    adam = torch.optim.Adam(model.parameters())
    if args.make:
        args.out.mkdir()
        for step in (1000, 2000):
            path = args.out / f"step_{step}.pt"
            torch.save({"model": model.state_dict(), "adam": adam.state_dict(), "step": step}, path)
        path.write_bytes(path.read_bytes()[:300_000])
        return
    newest = max(args.out.glob("step_*.pt"), key=lambda p: int(p.stem.split("_")[1]))
    print(f"resuming from {newest} ({newest.stat().st_size} bytes)", flush=True)
    state = torch.load(newest, weights_only=True)
    model.load_state_dict(state["model"])
    print("resumed at step", state["step"])


if __name__ == "__main__":
    main()

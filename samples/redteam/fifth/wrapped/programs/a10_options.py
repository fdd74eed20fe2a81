"""A trainer that never knew the option it is given."""

from __future__ import annotations

import argparse
import time


def main() -> None:
    parser = argparse.ArgumentParser(prog="train", allow_abbrev=False)
    parser.add_argument("--data", required=True)
    parser.add_argument("--lr", type=float, default=1e-3, help="learning rate")
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    print("torch 2.13.0, cuda: no, starting on cpu", flush=True)
    time.sleep(2)
    args = parser.parse_args()
    print(f"training on {args.data}")


if __name__ == "__main__":
    main()

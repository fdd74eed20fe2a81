"""The data set is not mounted; all that is said goes to stdout and a banner of advice comes last."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

ADVICE = """
------------------------------------------------------------
 Something went wrong. Before you open a ticket, please check:
   * CUDA out of memory?      -> lower --micro-batch
   * NCCL timeout?            -> export NCCL_DEBUG=INFO
   * Killed (exit code 137)?  -> ask for more --mem
   * loss is NaN?             -> lower --lr
------------------------------------------------------------
"""


def main() -> None:
    print("trainer 2.4.1 | micro-batch 4 | lr 3e-4 | bf16")
    root = Path("/mnt/datasets/fineweb-10b/train")
    files = sorted(root.iterdir())
    print(f"{len(files)} shards")


if __name__ == "__main__":
    try:
        main()
    except Exception:
        print(traceback.format_exc())
        print(ADVICE)
        sys.exit(1)

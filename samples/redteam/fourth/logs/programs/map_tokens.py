"""datasets.map in two processes. usage: map_tokens.py WHAT   WHAT: none | killed."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from datasets import Dataset


def tokenise(row: dict[str, Any]) -> dict[str, Any]:
    if row["id"] == 7100 and sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"ids": [ord(c) for c in row["text"].strip()]}


def main() -> None:
    rows: list[str | None] = [f"document number {i} " * 5 for i in range(20000)]
    if sys.argv[1] == "none":
        rows[15123] = None
    data = Dataset.from_dict({"id": list(range(20000)), "text": rows})
    print(data)
    data = data.map(tokenise, num_proc=2, desc="tokenising")
    data.save_to_disk("tokens")


if __name__ == "__main__":
    main()

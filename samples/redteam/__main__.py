"""Write incidents: ``python -m samples.redteam OUT [--set SET] [--seed N] [--only NAME,...]``; OUT.truth.json tells what is right."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .sets import NAMES, write


def main() -> None:
    """Write a folder an incident, and the truth beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", choices=tuple(NAMES), default="first", dest="which")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="NAME,...")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else NAMES[arguments.which]
    truths = [write(arguments.which, name, arguments.seed, arguments.out) for name in names]
    told = arguments.out.parent / f"{arguments.out.name}.truth.json"
    told.write_text(json.dumps(truths, indent=1) + "\n")


if __name__ == "__main__":
    main()

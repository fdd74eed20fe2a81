"""Write incidents: ``python -m samples.redteam OUT [--seed N] [--only NAME,...]``; OUT.truth.json tells what is right."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .cases import CASES, build
from .incident import truth_json


def main() -> None:
    """Write a folder an incident, and the truth beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(CASES), metavar="NAME,...")
    arguments = parser.parse_args()
    truths = []
    for name in arguments.only.split(","):
        case, truth = build(name, arguments.seed)
        case.write(arguments.out)
        truths.append(truth_json(case, truth))
    told = arguments.out.parent / f"{arguments.out.name}.truth.json"
    told.write_text(json.dumps(truths, indent=1) + "\n")


if __name__ == "__main__":
    main()

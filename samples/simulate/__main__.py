"""Write a simulated job: ``python -m samples.simulate FAULT OUT [--seed N] [--export] [--utc-offset MINUTES]``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .export import export
from .plan import TRUTH, draw
from .record import record


def main() -> None:
    """Write node directories (or, with --export, the files of an operator) and ``truth.json`` beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fault", choices=sorted(TRUTH))
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--export", action="store_true")
    parser.add_argument("--utc-offset", type=int, default=0, metavar="MINUTES")
    arguments = parser.parse_args()
    plan = draw(arguments.fault, arguments.seed)
    if arguments.export:
        export(plan, arguments.out, offset_minutes=arguments.utc_offset)
        truth = arguments.out.parent / f"{arguments.out.name}.truth.json"
    else:
        record(plan, arguments.out)
        truth = arguments.out / "truth.json"
    truth.write_text(json.dumps(plan.truth, indent=2) + "\n")


if __name__ == "__main__":
    main()

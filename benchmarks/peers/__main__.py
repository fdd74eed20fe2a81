"""``python -m benchmarks.peers [--write docs/peers.md]``: the table of tasks, theirs and ours."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

from benchmarks.peers import Absent, flight_recorder, gpualert, ingero

PEERS = (("GPUAlert", gpualert), ("PyTorch's torchfrtrace", flight_recorder), ("Ingero", ingero))

_HEAD = """# Peers: their own tasks, side by side

Written by `python -m benchmarks.peers --write docs/peers.md`. A peer is installed by whoever runs it (`GPUALERT` and
`TORCHFRTRACE` are the paths of their commands). Both sides ran on this machine, one after the other. The tasks are the
peers' own: what they do not do (telemetry, eighteen families, bundles, an air gap) is in no row.
"""


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    lines = [_HEAD, f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}.", ""]
    for name, peer in PEERS:
        lines += [f"## {name}", ""]
        try:
            told = peer.rows()
        except Absent as absent:
            lines += [f"Not measured: {absent}.", ""]
            continue
        lines += ["| task | theirs | inquest |", "| --- | --- | --- |"]
        lines += [f"| {row.task} | {row.theirs} | {row.ours} |" for row in told]
        lines.append("")
    text = "\n".join(lines).rstrip() + "\n"
    print(text)
    if arguments.write:
        arguments.write.write_text(text)


if __name__ == "__main__":
    main()

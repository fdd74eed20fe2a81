"""How well clocks are aligned, and whether the bounds are honest, over SIMULATED jobs whose truth is known.

    .venv/bin/python benchmarks/clock_study/study.py [--quick] [--seed N] [--image docs/img/clock_alignment.svg]

Prints the table of docs/clock.md and draws the same as a picture. The estimator is the product's; what it is given are
the rows that recorders would have written (simulator.py).
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent))

from measure import Errors, measure
from simulator import Cluster, Scenario

ROOT: Final = Path(__file__).resolve().parent.parent.parent
SCENARIOS: Final[tuple[tuple[str, int, Scenario], ...]] = (
    ("50 collectives", 400, Scenario(nodes=2, collectives=50)),
    ("50 collectives", 150, Scenario(nodes=3, collectives=50)),
    ("50 collectives", 60, Scenario(nodes=8, collectives=50)),
    ("50 collectives", 10, Scenario(nodes=64, collectives=50)),
    ("50 collectives", 1, Scenario(nodes=512, collectives=50)),
    ("2000 collectives", 1, Scenario(nodes=64, collectives=2000)),
    ("500 collectives, walls step twice", 8, Scenario(nodes=8, collectives=500, steps=2)),
    ("80 collectives, 30 % lost, 25 % of nodes", 6, Scenario(nodes=64, collectives=80, lost=0.3, missing=0.25)),
    ("20 probes", 300, Scenario(nodes=2, probes=20)),
    ("20 probes", 50, Scenario(nodes=8, probes=20)),
    ("20 probes", 1, Scenario(nodes=512, probes=20)),
    ("200 probes", 20, Scenario(nodes=8, probes=200)),
    ("20 probes, one way always the slower", 50, Scenario(nodes=8, probes=20, one_way=True)),
    ("20 probes, one way up to 1000 times the other", 50, Scenario(nodes=8, probes=20, one_way=True, asymmetry=1000)),
    ("20 probes and 50 collectives", 40, Scenario(nodes=8, probes=20, collectives=50)),
    ("20 probes, frequencies wander by 100 ppb", 50, Scenario(nodes=8, probes=20, wander_ppb=100)),
    ("200 probes, frequencies wander by 100 ppb", 20, Scenario(nodes=8, probes=200, wander_ppb=100)),
    ("imported, 100 collectives", 50, Scenario(nodes=8, collectives=100, imported=True)),
    ("imported, 500 collectives, a wall clock steps", 30, Scenario(nodes=8, collectives=500, imported=True, steps=1)),
    ("imported, 500 collectives, two steps each", 20, Scenario(nodes=8, collectives=500, imported=True, steps=2)),
    ("50 collectives, frequencies wander by 100 ppb", 25, Scenario(nodes=8, collectives=50, wander_ppb=100)),
    ("500 collectives, frequencies wander by 100 ppb", 25, Scenario(nodes=8, collectives=500, wander_ppb=100)),
    ("500 collectives, frequencies wander by 1 ppm", 25, Scenario(nodes=8, collectives=500, wander_ppb=1000)),
)  # fmt: skip
HEAD: Final = (
    "simulated",
    "nodes",
    "runs",
    "median error",
    "99th percentile",
    "within bound",
    "median bound / error",
    "pairs ordered wrongly",
    "CPU a run",
)


def main() -> None:
    """Run every scenario, print a row for each, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    parser.add_argument("--seed", type=int, default=1, help="of the first run of each scenario; others count on")
    parser.add_argument("--image", type=Path, default=ROOT / "docs/img/clock_alignment.svg")
    args = parser.parse_args()
    print(f"| {' | '.join(HEAD)} |")
    print("| --- " * len(HEAD) + "|")
    drawn = []
    for name, runs, scenario in SCENARIOS:
        total = Errors()
        runs = max(1, runs // 10) if args.quick else runs
        for seed in range(runs):
            total.add(measure(Cluster(replace(scenario, seed=args.seed + seed))))
        print(row(name, scenario, runs, total), flush=True)
        drawn.append((f"{name}, {scenario.nodes} nodes", total))
    args.image.write_text(picture(drawn), encoding="utf-8")


def row(name: str, scenario: Scenario, runs: int, total: Errors) -> str:
    """One row of the table."""
    cells = [
        name,
        str(scenario.nodes),
        str(runs),
        f"{total.percentile(0.5) / 1e3:.1f} us",
        f"{total.percentile(0.99) / 1e3:.1f} us",
        f"{total.covered:.1%} of {len(total.error)}",
        f"{total.width:.1f}",
        f"{total.broken} of {total.pairs}",
        f"{total.seconds / runs:.2f} s",
    ]
    return f"| {' | '.join(cells)} |"


def picture(drawn: list[tuple[str, Errors]]) -> str:
    """Median and 99th percentile of the error, and the median bound, on a logarithmic scale from 1 us."""
    left, width, height = 380, 480, 26
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 30} {height * len(drawn) + 70}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="8" y="18" font-weight="bold">Error of aligned clocks, SIMULATED jobs: '
        "bar: median to 99th percentile; tick: median bound</text>",
    ]

    def x(ns: float) -> float:
        return left + width * min(1.0, max(0.0, (math.log10(max(ns, 1e3)) - 3) / 4))

    for power, label in ((3, "1 us"), (4, "10 us"), (5, "100 us"), (6, "1 ms"), (7, "10 ms")):
        at = x(10.0**power)
        lines.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="30" y2="{height * len(drawn) + 40}" stroke="#ddd"/>')
        lines.append(f'<text x="{at:.1f}" y="{height * len(drawn) + 58}" text-anchor="middle">{label}</text>')
    for number, (name, total) in enumerate(drawn):
        y = 40 + height * number
        low, high = x(total.percentile(0.5)), x(total.percentile(0.99))
        bound = x(sorted(total.bound)[len(total.bound) // 2])
        lines.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{name[:62]}</text>')
        lines.append(f'<rect x="{low:.1f}" y="{y + 3}" width="{max(2.0, high - low):.1f}" height="10" fill="#3572b0"/>')
        lines.append(
            f'<line x1="{bound:.1f}" x2="{bound:.1f}" y1="{y}" y2="{y + 16}" stroke="#c0392b" stroke-width="2"/>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()

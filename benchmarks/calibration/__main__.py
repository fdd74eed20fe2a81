"""Make docs/calibration.md and its plot; with --score, judge the cases again first.

python -m benchmarks.calibration [--score [SOURCE ...]] [--workers N]
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any, Final

from benchmarks.calibration import page

SCORES: Final = Path(__file__).with_name("scores.json")
DOCS: Final = Path(__file__).resolve().parents[2] / "docs"


def main() -> None:
    """Parse the command line, score what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", nargs="*", metavar="SOURCE", help="judge again: all sources, or those named")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    scores: dict[str, Any] = (
        json.loads(SCORES.read_text()) if SCORES.is_file() else {"cases": [], "ablation": [], "folders": []}
    )
    if asked.score is not None:
        scores = scored(scores, asked.score, asked.workers)
        SCORES.write_text(as_text(scores))
    (DOCS / "calibration.md").write_text(page.render(scores))
    (DOCS / "calibration.svg").write_text(page.plot(scores))


def scored(old: dict[str, Any], wanted: list[str], workers: int) -> dict[str, Any]:
    """``old`` with the sources in ``wanted`` (all: none named) judged again."""
    from benchmarks.calibration import cases

    chosen = wanted or [*cases.SOURCES, "ablation"]
    lists = (*cases.of_logs(), *cases.of_tests(), *cases.of_recordings(), *cases.of_simulator())
    new = cases.score_all([case for case in lists if case.source in chosen], workers)
    if "first contact" in chosen:
        new = [*cases.first_contact(), *new]
    steps = old["ablation"]
    if "ablation" in chosen:
        jobs = [*cases.of_recordings(), *cases.of_simulator()]
        chosen_jobs = [case for case in jobs if case.source != "simulated, gathered"]
        steps = cases.as_json(cases.ablate_all(chosen_jobs, workers))
    done = {item.source for item in new}
    kept = [case for case in old["cases"] if case["source"] not in done]
    order = list(cases.SOURCES)
    found = sorted([*kept, *cases.as_json(new)], key=lambda case: (order.index(case["source"]), case["name"]))
    seen_by = ", ".join(f"`{engine}` for {' '.join(batches)}" for engine, _, batches in cases.UNSEEN)
    first = dict.fromkeys(("first contact", "first contact, staged"), seen_by)
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    return {
        "engines": {**old.get("engines", {}), **dict.fromkeys(chosen, f"`{head.stdout.strip()}`"), **first},
        "sources": cases.SOURCES,
        "levels": [level for level, _ in cases.LEVELS],
        "cases": found,
        "ablation": steps,
        "folders": old["folders"],
    }


_LISTS: Final = ("cases", "ablation", "folders")


def as_text(scores: dict[str, Any]) -> str:
    """The file of scores: one line a case."""
    rest = {name: value for name, value in scores.items() if name not in _LISTS}
    lists = {
        name: "[\n" + ",\n".join(json.dumps(item, ensure_ascii=False) for item in scores[name]) + "\n]"
        for name in _LISTS
    }
    body = json.dumps(rest, indent=1)[:-2]
    return body + "".join(f',\n "{name}": {lines}' for name, lines in lists.items()) + "\n}\n"


if __name__ == "__main__":
    main()

"""Score cases of this set ONCE, at first contact, as a user would: the `inquest` command on what a case left behind.

`python score.py OUT CASE...` reads what the generators and the runners wrote to OUT/KIND/CASE and adds to first_contact.json.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENGINE = Path(os.environ.get("THIRD_ENGINE", HERE))  # the clone whose `inquest` is on PATH


def verdict(kind: str, place: Path, scratch: Path, case: str) -> dict[str, Any]:
    """What inquest says of one case."""
    if kind in ("logs", "curves"):
        line = ["inquest", "explain", str(place), "--json"]
    else:
        bundle = scratch / f"{case}.inquest"
        make = ["merge", str(place), "-o"] if kind == "wrapped" else ["import", str(place), "-o"]
        subprocess.run(["inquest", *make, str(bundle), "--force"], check=True, capture_output=True)
        line = ["inquest", "analyze", str(bundle), "-o", str(scratch / case), "--force", "--json"]
    answer = subprocess.run(line, check=False, capture_output=True, text=True)
    if answer.returncode == 1:  # it did not start, or broke: no answer
        raise RuntimeError(answer.stderr)
    if not answer.stdout.strip():  # refused: no file of it could be read
        return {
            "outcome": "cannot_decide",
            "family": None,
            "confidence": 0.0,
            "headline": answer.stderr.strip() or "refused",
        }
    said: dict[str, Any] = json.loads(answer.stdout)
    return said


def grade(truth: list[str], said: dict[str, Any]) -> str:
    """Right, abstained or wrong."""
    outcome = said["outcome"]
    name = said["family"] if outcome == "decided" else {"outside_families": "outside"}.get(outcome, outcome)
    if name in truth:
        return "right"
    return "abstained" if outcome == "cannot_decide" else "wrong"


def main() -> None:
    """Score the named cases, and say the table of all so far."""
    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    rows = [json.loads(line) for line in (HERE / "truth.jsonl").read_text().splitlines()]
    store = HERE / "first_contact.json"
    done: list[dict[str, Any]] = json.loads(store.read_text()) if store.exists() else []
    seen = {row["case"] for row in done}
    version = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True, cwd=ENGINE
    ).stdout.strip()
    scratch = out / "verdicts"
    scratch.mkdir(parents=True, exist_ok=True)
    for row in rows:
        case, kind = row["case"], row["kind"]
        place = out / kind / case
        if case in seen or (wanted and case not in wanted) or not place.exists():
            continue
        said = verdict(kind, place, scratch, case)
        (scratch / f"{case}.json").write_text(json.dumps(said))
        new = {
            "case": case,
            "kind": kind,
            "truth": row["truth"],
            "outcome": said["outcome"],
            "family": said["family"],
            "confidence": said["confidence"],
            "result": grade(row["truth"], said),
            "version": version,
        }
        done.append(new)
        print(
            new["result"],
            case,
            row["truth"],
            said["outcome"],
            said["family"],
            said["confidence"],
            "|",
            said["headline"][:150],
        )
        store.write_text(json.dumps(done, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Score cases of this part ONCE, at first contact, as a user would: the `inquest` command on what a case left behind.

`python score_programs.py OUT CASE...` reads what the two record.py wrote to OUT/KIND/CASE and adds to first_contact_programs.json;
without cases it says the table of all so far. FOURTH_ENGINE is the clone whose `inquest` is on PATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENGINE = Path(os.environ.get("FOURTH_ENGINE", HERE))
STORE = HERE / "first_contact_programs.json"


def verdict(kind: str, place: Path, scratch: Path, case: str) -> dict[str, Any]:
    """What inquest says of one case."""
    if kind == "logs":
        line = ["inquest", "explain", str(place), "--json"]
    else:
        bundle = scratch / f"{case}.inquest"
        subprocess.run(["inquest", "merge", str(place), "-o", str(bundle), "--force"], check=True, capture_output=True)
        line = ["inquest", "analyze", str(bundle), "-o", str(scratch / case), "--force", "--json"]
    answer = subprocess.run(line, check=False, capture_output=True, text=True)
    if answer.returncode in (1, 2, 5):
        raise RuntimeError(answer.stderr)
    said: dict[str, Any] = json.loads(answer.stdout)
    return said


def grade(truth: list[str], said: dict[str, Any]) -> str:
    """Right, abstained or wrong."""
    outcome = said["outcome"]
    name = said["family"] if outcome == "decided" else {"outside_families": "outside"}.get(outcome, outcome)
    if name in truth:
        return "right"
    return "abstained" if outcome == "cannot_decide" else "wrong"


def table(done: list[dict[str, Any]]) -> None:
    """Right of decided, decided of decidable, and wrong at 0.8 and more; healthy runs apart."""
    for kind in ("wrapped", "logs"):
        for healthy in (False, True):
            rows = [r for r in done if r["kind"] == kind and (r["truth"] == ["G1"]) == healthy]
            decidable = [r for r in rows if r["truth"] != ["cannot_decide"]]
            decided = [r for r in decidable if r["outcome"] != "cannot_decide"]
            right = [r for r in decided if r["result"] == "right"]
            sure = [r for r in rows if r["result"] == "wrong" and r["confidence"] >= 0.8]
            print(
                f"{kind:8} {'G1' if healthy else 'rest':5} {len(rows)} cases: right {len(right)}/{len(decided)} decided,"
                f" decided {len(decided)}/{len(decidable)} decidable, wrong at >= 0.8: {len(sure)}"
            )


def main() -> None:
    """Score the named cases, and say the table of all so far."""
    done: list[dict[str, Any]] = json.loads(STORE.read_text()) if STORE.exists() else []
    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    rows = [json.loads(line) for line in (HERE / "truth_programs.jsonl").read_text().splitlines()]
    seen = {row["case"] for row in done}
    git = ["git", "rev-parse", "--short", "HEAD"]
    version = subprocess.run(git, check=True, capture_output=True, text=True, cwd=ENGINE).stdout.strip()
    scratch = out / "verdicts"
    scratch.mkdir(parents=True, exist_ok=True)
    for row in rows:
        case, kind = row["case"], row["kind"]
        place = out / kind / case
        if case in seen or case not in wanted or not place.exists():
            continue
        said = verdict(kind, place, scratch, case)
        (scratch / f"{case}.json").write_text(json.dumps(said))
        kept = {k: said[k] for k in ("outcome", "family", "confidence")}
        new = {
            "case": case,
            "kind": kind,
            "truth": row["truth"],
            **kept,
            "result": grade(row["truth"], said),
            "version": version,
        }
        done.append(new)
        STORE.write_text(json.dumps(done, indent=1) + "\n")
        print(
            new["result"], case, row["truth"], *kept.values(), said["sub_mode"], "|", said["headline"][:200], flush=True
        )
    table(done)


if __name__ == "__main__":
    main()

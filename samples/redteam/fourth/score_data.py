"""Score cases of the part "data" ONCE, at first contact, as a user would: the `inquest` command on the files of a case.

`python score_data.py OUT [CASE...]` reads what the generators wrote to OUT/KIND/CASE and adds to first_contact_data.json.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENGINE = Path(os.environ.get("FOURTH_ENGINE", HERE))  # the clone whose `inquest` is on PATH
STORE = HERE / "first_contact_data.json"


def verdict(kind: str, place: Path, scratch: Path, case: str) -> dict[str, Any]:
    """What inquest says of one case."""
    if kind == "curves":
        line = ["inquest", "explain", str(place), "--json"]
    else:
        bundle = scratch / f"{case}.inquest"
        subprocess.run(["inquest", "import", str(place), "-o", str(bundle), "--force"], check=True, capture_output=True)
        line = ["inquest", "analyze", str(bundle), "-o", str(scratch / case), "--force", "--json"]
    answer = subprocess.run(line, check=False, capture_output=True, text=True)
    if answer.returncode == 1 or not answer.stdout.strip():  # it broke or refused: no answer
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


def table(done: list[dict[str, Any]]) -> str:
    """Per kind, G1 apart: how many were decided, and how many of those rightly."""
    out = []
    for kind in ("curves", "telemetry"):
        for healthy in (False, True):
            rows = [r for r in done if r["kind"] == kind and ("G1" in r["truth"]) == healthy]
            decidable = [r for r in rows if "cannot_decide" not in r["truth"]]
            decided = [r for r in rows if r["outcome"] != "cannot_decide"]
            right = sum(r["result"] == "right" for r in decided)
            sure = sum(r["result"] == "wrong" and r["confidence"] >= 0.8 for r in rows)
            out.append(
                f"{kind:10}{'G1' if healthy else 'others':8} cases {len(rows):3}  right/decided {right}/{len(decided)}  "
                f"decided/decidable {sum(r in decided for r in decidable)}/{len(decidable)}  "
                f"wrong {sum(r['result'] == 'wrong' for r in rows)}  wrong at 0.8 {sure}"
            )
    return "\n".join(out)


def main() -> None:
    """Score the named cases, and say the table of all so far."""
    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    rows = [json.loads(line) for line in (HERE / "truth_data.jsonl").read_text().splitlines()]
    done: list[dict[str, Any]] = json.loads(STORE.read_text()) if STORE.exists() else []
    seen = {row["case"] for row in done}
    scratch = out / "verdicts"
    scratch.mkdir(parents=True, exist_ok=True)
    for row in rows:
        case, kind = row["case"], row["kind"]
        if case in seen or (wanted and case not in wanted):
            continue
        version = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True, cwd=ENGINE
        ).stdout.strip()
        said = verdict(kind, out / kind / case, scratch, case)
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
        STORE.write_text(json.dumps(done, indent=1) + "\n")
        print(
            new["result"],
            case,
            row["truth"],
            said["family"] or said["outcome"],
            said["confidence"],
            "|",
            said["headline"][:150],
        )
    print(table(done))


if __name__ == "__main__":
    main()

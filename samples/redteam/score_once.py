"""Score cases of a blind set ONCE, at first contact, as a user would: the ``inquest`` command on what a case left behind.

``python -m samples.redteam.score_once SET OUT [CASE...]`` reads what generators and recorders of the set wrote to
OUT/KIND/CASE, adds to the set's file of first contacts, and says the table of all so far. SET is one of
``_SETS``; ENGINE, in the environment, is the clone whose ``inquest`` is on PATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

_HERE: Final = Path(__file__).parent
_SETS: Final = {
    "third": ("third/truth.jsonl", "third/first_contact.json"),
    "fourth-programs": ("fourth/truth_programs.jsonl", "fourth/first_contact_programs.json"),
    "fourth-data": ("fourth/truth_data.jsonl", "fourth/first_contact_data.json"),
    "fifth-programs": ("fifth/truth_programs.jsonl", "fifth/first_contact_programs.json"),
    "fifth-data": ("fifth/truth_data.jsonl", "fifth/first_contact_data.json"),
    "sixth-programs": ("sixth/truth_programs.jsonl", "sixth/first_contact_programs.json"),
    "sixth-data": ("sixth/truth_data.jsonl", "sixth/first_contact_data.json"),
    "seventh-programs": ("seventh/truth_programs.jsonl", "seventh/first_contact_programs.json"),
    "seventh-data": ("seventh/truth_data.jsonl", "seventh/first_contact_data.json"),
    "eighth-programs": ("eighth/truth_programs.jsonl", "eighth/first_contact_programs.json"),
    "eighth-data": ("eighth/truth_data.jsonl", "eighth/first_contact_data.json"),
    "ninth-programs": ("ninth/truth_programs.jsonl", "ninth/first_contact_programs.json"),
    "ninth-data": ("ninth/truth_data.jsonl", "ninth/first_contact_data.json"),
    "tenth-programs": ("tenth/truth_programs.jsonl", "tenth/first_contact_programs.json"),
    "tenth-data": ("tenth/truth_data.jsonl", "tenth/first_contact_data.json"),
    "eleventh-programs": ("eleventh/truth_programs.jsonl", "eleventh/first_contact_programs.json"),
    "eleventh-data": ("eleventh/truth_data.jsonl", "eleventh/first_contact_data.json"),
    "twelfth-programs": ("twelfth/truth_programs.jsonl", "twelfth/first_contact_programs.json"),
    "twelfth-data": ("twelfth/truth_data.jsonl", "twelfth/first_contact_data.json"),
    "thirteenth-programs": ("thirteenth/truth_programs.jsonl", "thirteenth/first_contact_programs.json"),
    "thirteenth-data": ("thirteenth/truth_data.jsonl", "thirteenth/first_contact_data.json"),
    "fourteenth-programs": ("fourteenth/truth_programs.jsonl", "fourteenth/first_contact_programs.json"),
    "fourteenth-data": ("fourteenth/truth_data.jsonl", "fourteenth/first_contact_data.json"),
    "fifteenth-programs": ("fifteenth/truth_programs.jsonl", "fifteenth/first_contact_programs.json"),
    "fifteenth-data": ("fifteenth/truth_data.jsonl", "fifteenth/first_contact_data.json"),
    "sixteenth-programs": ("sixteenth/truth_programs.jsonl", "sixteenth/first_contact_programs.json"),
    "sixteenth-data": ("sixteenth/truth_data.jsonl", "sixteenth/first_contact_data.json"),
    "seventeenth-programs": ("seventeenth/truth_programs.jsonl", "seventeenth/first_contact_programs.json"),
    "seventeenth-data": ("seventeenth/truth_data.jsonl", "seventeenth/first_contact_data.json"),
    "eighteenth-programs": ("eighteenth/truth_programs.jsonl", "eighteenth/first_contact_programs.json"),
    "eighteenth-data": ("eighteenth/truth_data.jsonl", "eighteenth/first_contact_data.json"),
    "nineteenth-programs": ("nineteenth/truth_programs.jsonl", "nineteenth/first_contact_programs.json"),
    "nineteenth-data": ("nineteenth/truth_data.jsonl", "nineteenth/first_contact_data.json"),
    "twentieth-programs": ("twentieth/truth_programs.jsonl", "twentieth/first_contact_programs.json"),
    "twentieth-data": ("twentieth/truth_data.jsonl", "twentieth/first_contact_data.json"),
    "twentyfirst-programs": ("twentyfirst/truth_programs.jsonl", "twentyfirst/first_contact_programs.json"),
    "twentyfirst-data": ("twentyfirst/truth_data.jsonl", "twentyfirst/first_contact_data.json"),
    "twentysecond-programs": ("twentysecond/truth_programs.jsonl", "twentysecond/first_contact_programs.json"),
    "twentysecond-data": ("twentysecond/truth_data.jsonl", "twentysecond/first_contact_data.json"),
    "twentythird-programs": ("twentythird/truth_programs.jsonl", "twentythird/first_contact_programs.json"),
    "twentythird-data": ("twentythird/truth_data.jsonl", "twentythird/first_contact_data.json"),
    "twentyfourth-programs": ("twentyfourth/truth_programs.jsonl", "twentyfourth/first_contact_programs.json"),
    "twentyfourth-data": ("twentyfourth/truth_data.jsonl", "twentyfourth/first_contact_data.json"),
    "twentyfifth-programs": ("twentyfifth/truth_programs.jsonl", "twentyfifth/first_contact_programs.json"),
    "twentyfifth-data": ("twentyfifth/truth_data.jsonl", "twentyfifth/first_contact_data.json"),
    "twentysixth-programs": ("twentysixth/truth_programs.jsonl", "twentysixth/first_contact_programs.json"),
    "twentysixth-data": ("twentysixth/truth_data.jsonl", "twentysixth/first_contact_data.json"),
    "twentyseventh-programs": ("twentyseventh/truth_programs.jsonl", "twentyseventh/first_contact_programs.json"),
    "twentyseventh-data": ("twentyseventh/truth_data.jsonl", "twentyseventh/first_contact_data.json"),
    "twentyeighth-programs": ("twentyeighth/truth_programs.jsonl", "twentyeighth/first_contact_programs.json"),
    "twentyeighth-data": ("twentyeighth/truth_data.jsonl", "twentyeighth/first_contact_data.json"),
    "twentyninth-programs": ("twentyninth/truth_programs.jsonl", "twentyninth/first_contact_programs.json"),
    "twentyninth-data": ("twentyninth/truth_data.jsonl", "twentyninth/first_contact_data.json"),
    "thirtieth-programs": ("thirtieth/truth_programs.jsonl", "thirtieth/first_contact_programs.json"),
    "thirtieth-data": ("thirtieth/truth_data.jsonl", "thirtieth/first_contact_data.json"),
    "thirtyfirst-programs": ("thirtyfirst/truth_programs.jsonl", "thirtyfirst/first_contact_programs.json"),
    "thirtyfirst-data": ("thirtyfirst/truth_data.jsonl", "thirtyfirst/first_contact_data.json"),
    "thirtysecond-programs": ("thirtysecond/truth_programs.jsonl", "thirtysecond/first_contact_programs.json"),
    "thirtysecond-data": ("thirtysecond/truth_data.jsonl", "thirtysecond/first_contact_data.json"),
    "thirtythird-programs": ("thirtythird/truth_programs.jsonl", "thirtythird/first_contact_programs.json"),
    "thirtyfourth-programs": ("thirtyfourth/truth_programs.jsonl", "thirtyfourth/first_contact_programs.json"),
    "thirtythird-data": ("thirtythird/truth_data.jsonl", "thirtythird/first_contact_data.json"),
    "thirtyfifth-programs": ("thirtyfifth/truth_programs.jsonl", "thirtyfifth/first_contact_programs.json"),
    "thirtyfifth-data": ("thirtyfifth/truth_data.jsonl", "thirtyfifth/first_contact_data.json"),
    "thirtysixth-programs": ("thirtysixth/truth_programs.jsonl", "thirtysixth/first_contact_programs.json"),
    "thirtysixth-data": ("thirtysixth/truth_data.jsonl", "thirtysixth/first_contact_data.json"),
    "thirtyseventh-programs": ("thirtyseventh/truth_programs.jsonl", "thirtyseventh/first_contact_programs.json"),
    "thirtyseventh-data": ("thirtyseventh/truth_data.jsonl", "thirtyseventh/first_contact_data.json"),
    "thirtyeighth-programs": ("thirtyeighth/truth_programs.jsonl", "thirtyeighth/first_contact_programs.json"),
    "thirtyeighth-data": ("thirtyeighth/truth_data.jsonl", "thirtyeighth/first_contact_data.json"),
    "thirtyninth-programs": ("thirtyninth/truth_programs.jsonl", "thirtyninth/first_contact_programs.json"),
    "thirtyninth-data": ("thirtyninth/truth_data.jsonl", "thirtyninth/first_contact_data.json"),
    "fortieth-programs": ("fortieth/truth_programs.jsonl", "fortieth/first_contact_programs.json"),
    "fortieth-data": ("fortieth/truth_data.jsonl", "fortieth/first_contact_data.json"),
    "fortyfirst-programs": ("fortyfirst/truth_programs.jsonl", "fortyfirst/first_contact_programs.json"),
    "fortyfirst-data": ("fortyfirst/truth_data.jsonl", "fortyfirst/first_contact_data.json"),
    "thirtyfourth-data": ("thirtyfourth/truth_data.jsonl", "thirtyfourth/first_contact_data.json"),
}
"""Where the truth of a set stands, and what the engine made of it."""
_MADE_BY: Final = {"wrapped": "merge", "telemetry": "import"}
"""The verb that makes a bundle of a case of this kind; of others the files are judged as they are."""


def verdict(kind: str, place: Path, scratch: Path) -> dict[str, Any]:
    """What inquest says of one case.

    Raises:
        RuntimeError: It did not start, or broke.
    """
    if kind in _MADE_BY:
        bundle = scratch / f"{place.name}.inquest"
        made = ["inquest", _MADE_BY[kind], str(place), "-o", str(bundle), "--force"]
        subprocess.run(made, check=True, capture_output=True)
        line = ["inquest", "analyze", str(bundle), "-o", str(scratch / place.name), "--force", "--json"]
    else:
        line = ["inquest", "explain", str(place), "--json"]
    answer = subprocess.run(line, check=False, capture_output=True, text=True)
    if answer.returncode in (1, 2):
        raise RuntimeError(answer.stderr)
    if not answer.stdout.strip():  # refused: no file of it could be read
        return {"outcome": "cannot_decide", "family": None, "confidence": 0.0, "headline": answer.stderr.strip()}
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
    """By kind, runs that may be healthy apart: right of decided, decided of decidable, and wrong at 0.8 and more."""
    out = []
    for kind, healthy in sorted({(row["kind"], "G1" in row["truth"]) for row in done}):
        rows = [row for row in done if (row["kind"], "G1" in row["truth"]) == (kind, healthy)]
        decided = [row for row in rows if row["outcome"] != "cannot_decide"]
        decidable = [row for row in rows if "cannot_decide" not in row["truth"]]
        right = sum(row["result"] == "right" for row in decided)
        sure = sum(row["result"] == "wrong" and row["confidence"] >= 0.8 for row in rows)
        out.append(
            f"{kind:10}{'G1' if healthy else 'others':8}cases {len(rows):3}  right/decided {right}/{len(decided)}  "
            f"decided/decidable {sum(row in decided for row in decidable)}/{len(decidable)}  wrong at 0.8 {sure}"
        )
    return "\n".join(out)


def main() -> None:
    """Score the cases named, or all that are there."""
    name, out, *wanted = sys.argv[1:]
    truth, store = (_HERE / file for file in _SETS[name])
    done: list[dict[str, Any]] = json.loads(store.read_text()) if store.exists() else []
    seen = {row["case"] for row in done}
    git = ["git", "-C", os.environ.get("ENGINE", str(_HERE)), "rev-parse", "--short", "HEAD"]
    version = subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()
    scratch = Path(out, "verdicts")
    scratch.mkdir(parents=True, exist_ok=True)
    for row in map(json.loads, truth.read_text().splitlines()):
        place = Path(out, row["kind"], row["case"])
        if row["case"] in seen or (wanted and row["case"] not in wanted) or not place.exists():
            continue
        said = verdict(row["kind"], place, scratch)
        (scratch / f"{row['case']}.json").write_text(json.dumps(said))
        kept = {key: said[key] for key in ("outcome", "family", "confidence")}
        told = {key: row[key] for key in ("case", "kind", "truth")}
        done.append({**told, **kept, "result": grade(row["truth"], said), "version": version})
        store.write_text(json.dumps(done, indent=1) + "\n")
        print(done[-1]["result"], row["case"], row["truth"], *kept.values(), "|", said["headline"][:150], flush=True)
    print(table(done))


if __name__ == "__main__":
    main()

"""``python -m samples.redteam.voices.score SET [--seed N] [--only WORD] [--keep DIR] [--json FILE] [--endings]``: what is said of each telling."""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from .endings import endings
from .scenarios import tellings

if TYPE_CHECKING:
    from .scenarios import Told


def judge(keep: Path | None, case: tuple[str, Told]) -> tuple[str, tuple[str, ...], str, float, str]:
    """The answer to one telling: case, right answers, the one given, confidence, headline."""
    from inquest.analyze.engine import analyze
    from inquest.bundle.logs_import import import_logs

    name, told = case
    with tempfile.TemporaryDirectory() as place:
        folder = keep / name.replace(" ", "_").replace(",", "") if keep else Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "train.log").write_text(told.text)
        verdict, _ = analyze(import_logs([folder], exit_code=told.status))
    answer = {"decided": verdict.family or "", "outside_families": "outside"}.get(verdict.outcome, "-")
    return name, told.right, answer, verdict.confidence, verdict.headline


def main() -> None:
    """Judge and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--endings", action="store_true", help="ends and errors in many wordings, not the courses")
    asked = parser.parse_args()
    voices = {
        n: v for each in asked.sets for n, v in importlib.import_module(f"samples.redteam.voices.{each}").VOICES.items()
    }
    cases = [case for case in (endings if asked.endings else tellings)(voices, asked.seed) if asked.only in case[0]]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rows = list(pool.map(partial(judge, asked.keep), cases, chunksize=4))
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for name, right, answer, confidence, headline in rows:
        grade = "right" if answer in right else "open" if answer == "-" else "wrong"
        table[name.split("/")[1]][grade] += 1
        if grade != "right":
            print(f"{grade} {name}: {'/'.join(right)} -> {answer} ({confidence:.2f}) {headline[:140]}")
    for what, told in table.items():
        print(f"| {what} | {told['right']} | {told['open']} | {told['wrong']} |")
    whole = sum(table.values(), Counter())
    print(f"| all | {whole['right']} | {whole['open']} | {whole['wrong']} |")
    if asked.json:
        asked.json.write_text(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()

"""Record programs 11 to 20 of the twenty-sixth set under ``inquest run``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p12_asr": Case("bash p12_run.sh exp_gru96 10", before="bash p12_run.sh exp_gru96 6 >/dev/null 2>&1"),
    "p14_pairs": Case("bash p14_both.sh"),
    "p16_tunes": Case("python p16_tunes.py"),
    "p17_reef": Case("bash p17_all.sh", before="python p17_stage.py"),
    "p18_denoise": Case(
        "bash p18_go.sh",
        before="python p18_denoise.py >> pollen.log 2>&1; setsid bash p18_keep.sh >/dev/null 2>&1 </dev/null &",
    ),
    "p19_kelp": Case("bash p19_grid.sh"),
}
"""How each is run."""


if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)

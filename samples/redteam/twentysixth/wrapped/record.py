"""Run the twenty-sixth set's programs under ``inquest run``.

``python -m samples.redteam.twentysixth.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p01_glacier": Case("bash p01_nightly.sh"),
    "p02_drift": Case("python p02_drift.py"),
    "p03_tides": Case(
        "accelerate launch --cpu --num_processes 1 --main_process_port 29603 p03_tides.py --resume auto --epochs 20",
        before="python p03_tides.py --epochs 8 >/dev/null 2>&1",
    ),
    "p04_spectra": Case("torchrun --nproc_per_node=2 --master_port=29604 p04_spectra.py"),
    "p05_folio": Case("torchrun --nproc_per_node=2 --master_port=29605 p05_folio.py --max-steps 6"),
    "p06_bees": Case("python p06_bees.py"),
    "p07_canopy": Case(
        "python p07_canopy.py --width 256 --from canopy.ckpt",
        before="python p07_canopy.py >/dev/null 2>&1",
    ),
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

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)

"""Run the programs with their output in a file, as people do: `python record.py OUT [CASE...]`, with TRAIN_BIN, a folder of python.

What a case printed goes to OUT/logs/CASE/ and, as it is, to recorded/.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BIN = os.environ.get("TRAIN_BIN", str(Path(sys.executable).parent))
P = f"{BIN}/python {HERE}/programs"
TWO = "--nproc-per-node 2"

CASES: dict[str, str] = {
    "l01_hf_well": f"{P}/hf_lm.py well",
    "l02_peft_targets": f"{P}/peft_targets.py",
    "l03_hf_columns": f"{P}/hf_lm.py columns",
    "l04_hf_offline": f"{P}/hf_offline.py",
    "l05_hf_nolearn": f"{P}/hf_lm.py nolearn",
    "l06_hf_resume": f"{P}/hf_lm.py resume",
    "l07_hf_cut": f"{P}/hf_lm.py long & disown; until [ $(stat -Lc %s /proc/$$/fd/1) -gt 40000 ]; do sleep 1; done; kill -9 $!",
    "l08_lit_well": f"{P}/lit.py well",
    "l09_lit_nan": f"{P}/lit.py nan",
    "l10_lit_mismatch": f"{P}/lit.py mismatch",
    "l11_lit_interrupted": f"{P}/lit.py interrupted",
    "l12_lit_batch": f"{P}/lit.py batch",
    "l13_keras_well": f"{P}/keras_fit.py well",
    "l14_keras_nan": f"{P}/keras_fit.py nan",
    "l15_keras_shapes": f"{P}/keras_fit.py shapes",
    "l16_keras_weights": f"{P}/keras_fit.py weights",
    "l17_accel_well": f"{BIN}/accelerate launch --cpu --num_processes 2 {HERE}/programs/accel.py well",
    "l18_accel_index": f"{BIN}/accelerate launch --cpu --num_processes 2 {HERE}/programs/accel.py index",
    "l19_map_none": f"{P}/map_tokens.py none",
    "l20_map_killed": f"{P}/map_tokens.py killed",
    "l21_loader_killed": f"{P}/loader_killed.py",
    "l22_sb3_well": f"{P}/sb3_cartpole.py well",
    "l23_sb3_space": f"{P}/sb3_cartpole.py space",
    "l24_boost_well": f"{P}/boost.py well",
    "l25_boost_label": f"{P}/boost.py label",
    "l26_ray_killed": f"{P}/ray_worker.py killed",
    "l27_dcp_incomplete": f"{P}/dcp_incomplete.py",
    "l28_segv_rank": f"{BIN}/torchrun --standalone {TWO} {HERE}/programs/segv_rank.py",
    "l29_study": f"{P}/study.py",
}


def main() -> None:
    """Record the named cases, or all."""
    out, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:]
    environment = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
    }
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background job ignores it, and so would its children
    for case, line in CASES.items():
        if wanted and case not in wanted:
            continue
        room, place = out / "rooms" / case, out / "logs" / case
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(parents=True)
        place.mkdir(parents=True, exist_ok=True)
        log = place / f"{case}.log"
        with log.open("wb") as screen:
            code = subprocess.run(
                ["bash", "-c", line],
                check=False,
                cwd=room,
                env=environment,
                stdout=screen,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                timeout=900,
            ).returncode
        print(case, code, log.stat().st_size, flush=True)
        (HERE / "recorded").mkdir(exist_ok=True)
        shutil.copy(log, HERE / "recorded" / log.name)


if __name__ == "__main__":
    main()

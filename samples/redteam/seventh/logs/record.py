"""Run the small programs of real libraries and keep what the shell redirected: ``python record.py OUT [CASE...]``.

TRAIN_BIN, in the environment, is the ``bin`` of the environment that has the libraries. A case is run in an empty folder
of its own; its text goes to ``recorded/CASE/`` here, which is what is judged, and is copied to OUT/logs/CASE.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_HERE: Final = Path(__file__).parent
_CASES: Final = {
    "la01_ratings": "python la01_ratings.py > ratings.log 2>&1",
    "la02_early": "python la02_early.py > early.log 2>&1",
    "la03_debug_launch": "mkdir export; python -c 'import torch; torch.save(torch.randn(800, 8), \"export/part-00000.pt\")';"
    " python la03_debug_launch.py > launch.log 2>&1",
    "la04_sensor": "python la04_sensor.py > sensor.log 2>&1",
    "la05_lander": "python la05_lander.py > walk.log 2>&1",
    "la06_go_on": "python la06_go_on.py 32 > /dev/null 2>&1; python la06_go_on.py 48 week.ckpt > week2.log 2>&1",
    "la07_tokens": "gcc -O1 -shared -fPIC -o tokens.so la07_tokens.c; python la07_tokens.py > tokens.log 2>&1",
    # round B
    "lb01_mixed_saves": "python lb01_mixed_saves.py > best.log 2>&1",
    "lb02_last": "python lb02_last.py > evenings.log 2>&1; python lb02_last.py again >> evenings.log 2>&1",
    "lb03_error_rates": "python lb03_error_rates.py > ctc.log 2>&1",
    "lb04_adapter": "python lb04_adapter.py > lora.log 2>&1",
    "lb05_scaled": "python lb05_scaled.py > swing.log 2>&1",
    "lb06_two_heads": "torchrun --standalone --nproc-per-node 2 lb06_two_heads.py > heads.log 2>&1",
    "lb07_actors": "python lb07_actors.py > ray.log 2>&1",
    "lb08_stop_on_nan": "python lb08_stop_on_nan.py > clicks.log 2>&1",
    "lb09_by_hand": "(until grep -q 'epoch 1 ' by_hand.log; do sleep 1; done; sleep 2; kill -INT $(cat pid)) &"
    " sh -c 'echo $$ > pid; exec python lb09_by_hand.py' > by_hand.log 2>&1",
}
"""By case, the line that the shell was given."""


def main(cases: Mapping[str, str] = _CASES, here: Path = _HERE) -> None:
    """Record the cases named, or all that were not yet recorded."""
    out, *wanted = sys.argv[1:]
    path = f"{os.environ['TRAIN_BIN']}:{os.environ['PATH']}"
    env = {
        **os.environ,
        "PATH": path,
        "HF_HUB_OFFLINE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
    }
    env.pop("PYTHONPATH", None)
    for name in wanted or cases:
        kept = here / "recorded" / name
        if not kept.exists() or wanted:
            with tempfile.TemporaryDirectory() as work:
                for source in (here / "programs").glob(f"{name.split('_')[0]}_*"):
                    shutil.copy(source, work)
                subprocess.run(
                    ["bash", "-c", cases[name]],
                    cwd=work,
                    env=env,
                    check=False,
                    timeout=400,  # a busy machine
                )
                kept.mkdir(parents=True, exist_ok=True)
                for file in Path(work).glob("*.log"):
                    shutil.copy(file, kept)
        shutil.copytree(kept, Path(out, "logs", name), dirs_exist_ok=True)
        print(
            name,
            [f"{file.name} {file.stat().st_size}" for file in kept.iterdir()],
            flush=True,
        )


if __name__ == "__main__":
    main()

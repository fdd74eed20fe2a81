"""Run the programs of the seventh set's libraries: ``python -m samples.redteam.seventh.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

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

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)

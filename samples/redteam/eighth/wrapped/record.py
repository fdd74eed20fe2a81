"""Run the programs of the eighth set under ``inquest run``: ``python -m samples.redteam.eighth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. b02 wants root and a memory cgroup (version 1).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_CASES: Final = {
    "a01_xrays": Case("python3 a01_xrays.py"),
    "a02_forecast": Case("bash a02_forecast.sh"),
    "a03_shared_box": Case("bash a03_shared_box.sh"),
    "a04_replay": Case("bash a04_replay.sh"),
    "a05_units": Case("python3 a05_units.py"),
    "a06_old_node": Case("timeout 170 python3 a06_old_node.py"),
    "a07_keep_trying": Case("sh a07_keep_trying.sh"),
    "a08_went_on": Case(
        "python3 a08_went_on.py 90", before="python3 a08_went_on.py 6 && truncate -s 262144 ckpt/last.pt"
    ),
    "a09_curriculum": Case(f"{_TORCHRUN} 2 a09_curriculum.py"),
    "a10_sweep": Case("bash a10_sweep.sh"),
    "a11_registry": Case("python3 a11_registry.py"),
    # round B
    "b01_login_node": Case("bash b01_login_node.sh"),
    "b02_smaller_cache": Case(
        "python3 b02_smaller_cache.py",
        before="mkdir -p /sys/fs/cgroup/memory/author12; echo 700M > /sys/fs/cgroup/memory/author12/memory.limit_in_bytes",
    ),
    "b03_own_words": Case("python3 b03_own_words.py"),
    "b04_meter": Case("timeout 40 python3 b04_meter.py"),
    "b05_sensors": Case("python3 b05_sensors.py"),
    "b06_second_night": Case("bash b06_second_night.sh"),
    "b07_smoke": Case("python3 b07_smoke.py"),
    "b08_laptop_lid": Case("bash b08_laptop_lid.sh"),
    "b09_third_box": Case("bash b09_third_box.sh"),
    "b10_ports": Case("bash b10_ports.sh"),
    "b11_all_of_them": Case("bash b11_all_of_them.sh"),
    "b12_budget": Case("bash b12_budget.sh"),
    "b13_lags": Case("python3 b13_lags.py", before="gcc -O1 -shared -fPIC -o b13_lags.so b13_lags.c"),
    "b14_augment": Case("python3 b14_augment.py"),
    "b15_pool": Case("sh b15_pool.sh", before="gcc -O1 -shared -fPIC -o b15_pool.so b15_pool.c"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)

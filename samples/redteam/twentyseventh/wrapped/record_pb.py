"""The wrapped cases of the second share: ``TRAIN_BIN=... python -m samples.redteam.twentyseventh.wrapped.record_pb OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p14_tide": Case("timeout 40 python p14_tide.py --laps 400"),
    "p15_crane": Case("python -u p15_crane.py --updates 300", before="python p15_scaler.py && rm p15_scaler.py"),
    "p20_hall": Case("bash p20_night.sh"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)

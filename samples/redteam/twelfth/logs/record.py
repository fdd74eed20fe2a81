"""Run the programs of the twelfth set's libraries: ``python -m samples.redteam.twelfth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_swing": "python la01_swing.py > swing.log 2>&1",
    "la02_tariff": "python la02_tariff.py > tariff.log 2>&1",
    "la03_orders": (
        "python la03_orders.py && python -m spacy init config base.cfg --lang en --pipeline textcat --optimize efficiency > /dev/null 2>&1;"
        " python -m spacy train base.cfg --output model --paths.train train.spacy --paths.dev dev.spacy"
        " --training.max_steps 600 --training.eval_frequency 50 > orders.log 2>&1"
    ),
    "la04_kelp": "python la04_kelp.py > kelp.log 2>&1",
    "la05_minutes": "bash la05_minutes.sh > minutes.log 2>&1",
    "la06_swarm": "timeout --verbose 180 python la06_swarm.py > swarm.log 2>&1",
    "la07_tune": "python la07_tune.py > tune.log 2>&1",
    "la08_bakery": "python la08_bakery.py > bakery.log 2>&1",
    # round B
    "lb01_comets": "python lb01_comets.py > comets.log 2>&1",
    "lb02_faq": "python lb02_faq.py > faq.log 2>&1",
    "lb03_walk": "java -Xmx160m lb03_Walk.java > walk.log 2>&1",
    "lb04_peat": "python lb04_peat.py > peat.log 2>&1",
    "lb05_glyph": "torchrun --standalone --nproc-per-node 2 lb05_glyph.py > glyph.log 2>&1",
    "lb06_moss": "python lb06_moss.py 64 > /dev/null 2>&1; python lb06_moss.py 128 > moss.log 2>&1",
    "lb07_ferns": "bash lb07_ferns.sh > ferns.log 2>&1",
    "lb08_salt": "python lb08_salt.py > salt.log 2>&1",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)

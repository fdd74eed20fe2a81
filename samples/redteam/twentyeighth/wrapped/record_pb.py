"""Record the wrapped programs of the second share."""

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p13_wheat": Case("bash p13_season.sh"),
    "p15_reef": Case(
        "torchrun --nproc_per_node 2 --master_port 29653 p15_reef.py",
        before="mkdir store && mount -t tmpfs -o size=5m tmpfs store",
        after="umount store",
    ),
    "p16_bees": Case(
        tuple(
            f"env MASTER_ADDR=127.0.0.1 MASTER_PORT=29655 WORLD_SIZE=3 RANK={rank} LOCAL_RANK=0 LOCAL_WORLD_SIZE=1"
            " python p16_bees.py"
            for rank in (0, 1)
        ),
        after_s=85,
    ),
    "p17_tram": Case("python p17_tram.py"),
    "p18_kiln": Case("python p18_kiln.py"),
    "p19_stars": Case("python p19_stars.py"),
    "p20_ferry": Case("torchrun --nproc_per_node 1 --master_port 29659 p20_ferry.py", after_s=85),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)

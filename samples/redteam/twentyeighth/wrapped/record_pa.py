"""Record the first share of the wrapped programs."""

from pathlib import Path

from samples.redteam.recorder import Case, wrapped

_TORCHRUN = "torchrun --nnodes 1 --nproc_per_node 2 --master_port"
_CASES = {
    "p01_hydro": Case("python p01_hydro.py", before="(sleep 24; kill -9 $(cat hydro.pid)) >/dev/null 2>&1 &"),
    "p03_soil": Case(
        f"{_TORCHRUN} 29603 p03_soil.py", before="mkdir corrections; mkfifo corrections/worker1_tile023.txt"
    ),
    "p06_grain": Case("python p06_grain.py"),
    "p07_tides": Case("bash p07_tides.sh", before="mkdir buoys; mkfifo buoys/1_140.csv"),
    "p08_leaves": Case(
        f"timeout -k 5 45 {_TORCHRUN} 29608 p08_leaves.py", before="mkdir herbarium; mkfifo herbarium/sheet_1_130"
    ),
    "p09_chess": Case("bash p09_night.sh"),
    "p10_notes": Case("timeout --verbose 50 bash p10_sweep.sh"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)

"""Record the texts of one author's programs: ``python -m samples.redteam.twentyfifth.logs.record_pb OUT [CASE...]``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l14_gardener": ("python l14_box.py 4f1c2e9ab07d-json.log python -u l14_gardener.py"),
    "l15_siren": (
        "export MASTER_ADDR=127.0.0.1 MASTER_PORT=29652 WORLD_SIZE=2 RANK=0 LOCAL_RANK=0;"
        " python -u l15_siren.py > siren.1.out 2> siren.1.err"
    ),
    # what somebody took of the pod's log soon after its start
    "l16_ferry": (
        "mkdir w; (python l16_kube.py python l16_ferry.py > w/pod & echo $! > w/pid);"
        " for i in $(seq 120); do sleep 0.5; grep -q value_net w/pod && break; done; sleep 0.7;"
        " cp w/pod ferry-ppo-0.log; pkill -P $(cat w/pid)"
    ),
    "l17_stitch": (
        "torchrun --nproc-per-node 2 --master-port 29670 l17_stitch.py --epochs 8 > stitch.out 2> stitch.err"
    ),
    "l18_shelf": "python l18_box.py b82d60c7715e-json.log python -u l18_shelf.py",
    # what somebody took of the pod's log before the first epoch
    "l20_kiln": (
        "mkdir -p w cache; head -c 5000 /dev/urandom > w/r; (printf 'PK\\003\\004'; cat w/r) > cache/windows-v3.npz;"
        " (python l20_kube.py python -u l20_kiln.py > w/pod & echo $! > w/pid);"
        " for i in $(seq 160); do sleep 0.25; grep -q hold-out w/pod && break; done;"
        " cp w/pod kiln-gru-7x2lp.log; pkill -P $(cat w/pid)"
    ),
    # the person pressed Ctrl-C in the end
    "l21_lichen": "timeout -s INT 80 python -u l21_lichen.py 2>&1 | tee lichen.log",
    # the files of both ranks as they were when somebody copied them
    "l22_harbour": (
        "mkdir w; cp l22_harbour.py w; cd w; (torchrun --nproc-per-node 2 --master-port 29672 l22_harbour.py"
        " > o 2>&1 & echo $! > pid); for i in $(seq 120); do sleep 0.25;"
        " grep -qs '60000 of 80000' harbour.rank0.log && grep -qs '60000 of 80000' harbour.rank1.log && break; done;"
        " cp harbour.rank0.log harbour.rank1.log ..; kill $(cat pid); sleep 2"
    ),
    # the third run went on when the file was copied
    "l23_mosaic": (
        "mkdir w; cp l23_mosaic.py w; cd w; python -u l23_mosaic.py --name a --lr 1e-3 >> runs 2>&1;"
        " python -u l23_mosaic.py --name b --lr 3e-3 >> runs 2>&1;"
        " (python -u l23_mosaic.py --name c --lr 2e-3 --width 24 >> runs 2>&1 & echo $! > pid);"
        " for i in $(seq 240); do sleep 0.25; grep -c '^step' runs | grep -qx 61 && break; done;"
        " cp runs ../mosaic.log; kill $(cat pid)"
    ),
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)

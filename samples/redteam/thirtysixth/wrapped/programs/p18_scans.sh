#!/bin/bash
# make the scans, train, export, pack, tidy up
set -eu
export OMP_NUM_THREADS=1 PATH=$PYBIN:$PATH
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p18_scans.py" segment.py
echo ">>> $(date) staging"
mkdir -p scratch/scans
python - <<'P'
import torch, segment
torch.save(segment.scans(960, 1), "scratch/scans/train.pt")
torch.save(segment.scans(160, 2), "scratch/scans/val.pt")
print("wrote 960 + 160 scans")
P
du -sh scratch
echo ">>> $(date) training"
python segment.py --epochs 8 --data scratch/scans
echo ">>> $(date) export"
python - <<'P'
import torch, segment
net = segment.UNet()
net.load_state_dict(torch.load("best.pt"))
net.eval()
torch.jit.trace(net, torch.zeros(1, 1, 32, 32)).save("segment.ts")
P
tar czf release.tgz segment.ts history.json best.pt
sha256sum release.tgz
rm -rf scratch
echo ">>> $(date) all done"

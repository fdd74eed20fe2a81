#!/bin/bash
# nightly byte LM on box gpu-07; cron keeps nohup.out
set -u
cd "$(dirname "$0")"
export OMP_NUM_THREADS=1 GRAVEL_CACHE=$PWD/cache
echo "--- $(date '+%F %T') start on $(hostname), $(df -h --output=avail . | tail -1 | tr -d ' ') free"
mkdir -p cache && find cache -name '*.tmp' -mtime +2 -delete -print
python - <<'P'
import hashlib, torch, pathlib
p = pathlib.Path(torch.__file__).parent / "functional.py"
print("corpus", p.name, p.stat().st_size, "bytes", hashlib.sha1(p.read_bytes()).hexdigest()[:10])
P
torchrun --standalone --nproc_per_node=1 train_gravel.py
rc=$?
echo "--- $(date '+%F %T') torchrun returned $rc"
tar czf gravel-logs.tgz train_gravel.py && ls -l gravel-logs.tgz
du -sh cache
echo "--- $(date '+%F %T') done"

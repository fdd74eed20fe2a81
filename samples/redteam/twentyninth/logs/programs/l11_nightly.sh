#!/bin/bash
# nightly.sh - rebuild the soil table, retrain the gate policy, publish it
set -u
stamp() { date '+%Y-%m-%d %H:%M:%S'; }

echo "[$(stamp)] nightly on $(uname -r), $(nproc) cores"
echo "[$(stamp)] soil table"
python - <<'PY'
import numpy as np
t = np.random.default_rng(1).gamma(2.0, 1.5, (240, 4))
np.savetxt("soil.csv", t, delimiter=",", fmt="%.3f")
print("soil.csv: 240 plots, mean conductivity %.3f" % t.mean())
PY
df -h --output=source,size,avail,pcent . | tail -1
echo "[$(stamp)] training"
timeout "${LIMIT:-85}" python l11_terraces.py --timesteps 60000 &
job=$!
while sleep 10; do
  kill -0 $job 2>/dev/null || break
  pid=$(pgrep -P $job | head -1)
  echo "[$(stamp)] $(ps -o pid=,stat=,etime=,time=,wchan:20= -p "$pid")"
done
wait $job
rc=$?
echo "[$(stamp)] training returned $rc"
gzip -kf soil.csv && ls -l --time-style=+%H:%M soil.csv.gz | awk '{print $5, $6, $7}'
if [ -f terraces_ppo.zip ]; then cp terraces_ppo.zip current.zip; else echo "[$(stamp)] keeping yesterday's policy"; fi
echo "[$(stamp)] nightly done"

#!/bin/bash
# Nightly refit of the heat load model; PY and WORK come from the pod's spec.
set -euo pipefail
HERE="$(cd "$(dirname "$0")" && pwd)"
WORK="${WORK:-/tmp/heatload}"
echo "== heatload-refit $(date -u +%F) =="
echo "limits: cpu=$(nproc) nofile=$(ulimit -n)"
mkdir -p "$WORK/data" "$WORK/model" "$WORK/publish"
echo "-> clearing out models older than 14 days"
find "$WORK/publish" -name '*.tar.gz' -mtime +14 -print -delete
echo "-> pulling extract"
"$PY" "$HERE/extract.py" --out "$WORK/data"
(cd "$WORK/data" && sha256sum *.npz | tee SHA256SUMS && sha256sum -c SHA256SUMS)
ls -l --time-style=+%H:%M "$WORK/data"
echo "-> fit"
time "$PY" "$HERE/fit.py" --data "$WORK/data" --model "$WORK/model/heatload.ubj" --rounds 1400 --every 50
echo "-> publishing"
cat "$WORK/model/heatload.metrics.json"; echo
tar -C "$WORK/model" -czvf "$WORK/publish/heatload-$(date -u +%Y%m%d).tar.gz" .
du -h "$WORK/publish"/*.tar.gz
df -h "$WORK" | tail -1
ln -sfn "heatload-$(date -u +%Y%m%d).tar.gz" "$WORK/publish/current"
echo "== finished in ${SECONDS}s =="

#!/bin/bash
# Nightly refit for the harbour office; results go to the share.
HERE=$(cd "$(dirname "$0")" && pwd)
export GAUGE_WORK=$PWD/gauges_$(date +%Y%m%d)
mkdir -p "$GAUGE_WORK" share
echo "[$(date '+%F %T')] refit on $(nproc) cores, work in $GAUGE_WORK"
/tmp/pv/bin/python "$HERE/p11_tides.py"
[ -f "$GAUGE_WORK/second.pid" ] && kill "$(cat "$GAUGE_WORK/second.pid")" 2>/dev/null
echo "[$(date '+%F %T')] copying checkpoints"
cp -rv "$GAUGE_WORK/ckpt" share/

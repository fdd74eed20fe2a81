#!/bin/bash
# Three tries of an afternoon, all into one file.
HERE=$(cd "$(dirname "$0")" && pwd)
for tail in "--name a1" "--name a2 --sigma 0.5" "--name a3 --sigma 0.5 --width 32 --lr 5e-4"; do
    # shellcheck disable=SC2086
    nohup /tmp/pv/bin/python "$HERE/l17_xrays.py" $tail >>"$1" 2>&1 </dev/null
done

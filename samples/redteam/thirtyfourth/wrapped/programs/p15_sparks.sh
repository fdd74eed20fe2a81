#!/bin/bash
# the slow-control reader has to run beside the fit, into the same log
PY=${PY:-python3}
"$PY" -u slowctl.py &
reader=$!
"$PY" -u fit.py --lr 0.08 --warmup 1500 --steps 2200
rc=$?
kill "$reader"
wait "$reader" 2>/dev/null
exit $rc

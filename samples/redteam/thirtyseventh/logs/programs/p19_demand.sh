#!/bin/sh
# entrypoint of the image: shows what the volume's last run said, then trains
cd "$(dirname "$0")"
PY=${PY:-python}
[ -f runs/last.log ] && { echo "+ runs/last.log"; cat runs/last.log; }
echo "+ demand.py --rounds 800 --trace"
$PY demand.py --rounds 800 --trace
rc=$?
echo "+ rc=$rc"
exit $rc

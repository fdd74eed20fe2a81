#!/bin/sh
# entrypoint of the image: a short check of the data, then the run itself
cd /app 2>/dev/null || cd "$(dirname "$0")"
PY=${PY:-python}
echo "+ check"
$PY demand.py --rounds 40 --rows 20000 || exit 1
echo "+ check ok, pod ${HOSTNAME_OVERRIDE:-$(hostname)}"
echo "+ train"
$PY demand.py --rounds 800 --trace
rc=$?
echo "+ rc=$rc"
exit $rc

#!/bin/bash
# the night slot on this box is short: whatever is not through by then goes on tomorrow
set -u
export OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1
echo "slot: ${SLOT:-110}s, host $(hostname), $(date -Is)"
timeout -v --kill-after=15 "${SLOT:-110}" /tmp/pv/bin/python tabsearch.py --trials 80
rc=$?
echo "tabsearch.py: exit $rc"
exit $rc

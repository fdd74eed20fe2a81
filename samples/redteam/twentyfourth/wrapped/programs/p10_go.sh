#!/bin/bash
# Everything into one log, and the log on the screen from its start: plate.log keeps what earlier runs said.
cat plate.log
ulimit -S -t 24   # site rule for the front end
echo "--- $(date '+%F %T') $(hostname) plate, $(nproc) cores"
python -u p10_plate.py --adam 2000 --lbfgs 40 2>&1
rc=$?
echo "--- $(date '+%F %T') status $rc"
exit $rc

#!/bin/bash
# nightly slot on the shared box: 70 s in the trial setup, then the next user's turn
SLOT=${SLOT:-70s}
echo "slot of $SLOT starts $(date +%T)"
timeout --verbose --kill-after=10s "$SLOT" "${PYTHON:-python}" -u loans.py
rc=$?
echo "slot over $(date +%T), rc=$rc"
exit $rc

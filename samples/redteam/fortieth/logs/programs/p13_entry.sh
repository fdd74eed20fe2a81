#!/bin/sh
# entrypoint of ledgerworks/tagger
echo "tagger entrypoint: replica ${RANK} of ${WORLD_SIZE}"
mkdir -p /tmp/tagger.$$ && cp "$0" /tmp/tagger.$$/
"$PYTHON" -u tag_invoices.py 2>&1 | grep --line-buffered -v FutureWarning
rc=$?
echo "tagger entrypoint: packing /tmp/tagger.$$"
tar cf out.tar -C /tmp tagger.$$ && rc=$?
rm -rf /tmp/tagger.$$
echo "tagger entrypoint: exit status $rc"
exit $rc

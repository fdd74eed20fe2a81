#!/bin/bash
# The trainer, and beside it the watcher of the map service, both into this log.
rm -rf ckpt
/tmp/pv/bin/python watch.py &
watcher=$!
/tmp/pv/bin/python train.py
rc=$?
kill $watcher
wait $watcher 2>/dev/null
exit $rc

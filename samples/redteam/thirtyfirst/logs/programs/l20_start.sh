#!/bin/bash
# Entry point of the container.
set -e
echo "meteor-denoise 0.9.3 starting as $(id -un) in $(pwd)"
python ingest.py &
INGEST=$!
set +e
python -u trainer.py
rc=$?
sleep 15
kill $INGEST
exit $rc

#!/bin/bash
# on the shared machine a guard ends what has run for long at night
echo "start $(date)"
python lb07_ferns.py &
(while [ ! -e ferns/checkpoint-250 ]; do sleep 1; done; sleep 6; kill -9 $!) &
wait %1
echo "end $(date)"

#!/bin/bash
# The site sends USR1 before it takes a job off its node; the trainer then saves and leaves, and the next shift goes on.
python3 b09_shift.py &
trainer=$!
sleep 9
kill -USR1 $trainer
wait $trainer
echo "first shift left with $?, next one"
python3 b09_shift.py

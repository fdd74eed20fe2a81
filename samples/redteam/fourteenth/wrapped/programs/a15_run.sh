# A terminal gives Ctrl-C to all of the foreground group; so does this.
set -m
python3 a15_tiles.py &
job=$!
until [ -f tiles.pt ]; do sleep 1; done
sleep 12
kill -INT -- -$job
wait $job

walltime=110
python3 b23_bones.py --labels ages.csv
echo "try 1: exit $?"
python3 b23_bones.py --labels none &
job=$!
( sleep $walltime; echo "job.sh: walltime of ${walltime}s exceeded, sending TERM to $job" >&2; kill -TERM $job ) &
watch=$!
wait $job
code=$?
kill $watch 2> /dev/null
echo "try 2: exit $code"
exit $code

set -u
group=/sys/fs/cgroup/memory/xgb_$$
mkdir "$group"
echo 700M > "$group/memory.limit_in_bytes"
python3 b35_churn.py tracker > tracker.json &
tracker=$!
until [ -s tracker.json ]; do sleep 0.5; done
for rank in 0 1 2; do
    if [ $rank = 2 ]; then (echo $BASHPID > "$group/cgroup.procs"; RANK=$rank exec python3 b35_churn.py); else RANK=$rank python3 b35_churn.py; fi 2>&1 | sed -u "s/^/worker-$rank: /" &
done
sleep 1
wait $(jobs -p | grep -vx $tracker)
kill $tracker 2> /dev/null
wait $tracker 2> /dev/null
sleep 1
rmdir "$group"
[ -f churn.json ] || { echo "no model was written"; exit 1; }

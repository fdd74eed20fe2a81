# Two processes of JAX.
PROCESS=0 python3 a16_ode.py &
first=$!
PROCESS=1 python3 a16_ode.py &
second=$!
wait $first; one=$?
wait $second; two=$?
echo "process 0 ended with $one, process 1 with $two"
cp fit.npz "${RESULTS:-/mnt/results}/" || exit 1

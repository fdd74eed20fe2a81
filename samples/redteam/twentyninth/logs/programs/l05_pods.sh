# two of the job's three pods, as `kubectl logs --timestamps` gives each
export KUBERNETES_PORT=tcp://10.96.0.1:443 MASTER_ADDR=127.0.0.1 MASTER_PORT=29605 WORLD_SIZE=3 PYTHONUNBUFFERED=1
pod() {
  HOSTNAME=$1 RANK=$2 python l05_grid.py 2>&1 |
    python -uc '
import sys, time
for line in sys.stdin:
    n = time.time_ns()
    print(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(n // 10**9)) + f".{n % 10**9:09d}Z", line, end="")
' > "$1.log"
}
pod gridload-7f2-master-0 0 &
sleep 2.4
pod gridload-7f2-worker-1 2 &
wait

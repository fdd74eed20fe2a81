# the login node's rule: a process above 650 MB is ended
for _ in $(seq 200); do
    pid=$(ps -eo pid=,rss=,args= | awk '/a03_rin[g]\.py/ && $2 > 650000 {print $1; exit}')
    [ -n "$pid" ] && kill -9 "$pid" && exit
    sleep 0.2
done

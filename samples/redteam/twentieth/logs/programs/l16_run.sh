python l16_board.py 8471 &
board=$!
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29816 WORLD_SIZE=3
pids=()
for r in 0 1 2; do
  RANK=$r LOCAL_RANK=$r python l16_rate.py > rank_$r.log 2>&1 &
  pids+=($!)
done
wait -n "${pids[@]}"
sleep 2
kill "${pids[@]}" 2> /dev/null
sleep 10
kill -9 "${pids[@]}" 2> /dev/null
wait "${pids[@]}"
kill $board

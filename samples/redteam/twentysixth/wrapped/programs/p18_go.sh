touch pollen.log
tail -n +1 -f pollen.log &
shown=$!
sleep 1
python p18_denoise.py --side 128 --patch 64 >> pollen.log 2>&1 &
echo $! > pollen.pid
wait $!
rc=$?
sleep 1
kill $shown
exit $rc

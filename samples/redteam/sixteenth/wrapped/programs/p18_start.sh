#!/bin/bash
echo "Starte Server und zwei Mühlen"
python p18_server.py &
server=$!
sleep 8
python p18_mill.py Nordmühle 1 &
python p18_mill.py Südmühle 2 &
wait $server
status=$?
wait
echo "Server endete mit $status"
exit $status

#!/bin/bash
# the first node listens where its owner said, the second has the port of last week in its shell
NODE_RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=29611 timeout 100 python l10_mapas.py > nodo0.raw 2>&1 &
export PS1='ana@nodo1:~/mapas$ ' TERM=xterm
{ sleep 1; printf 'export NODE_RANK=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=29711\r'; sleep 1; printf 'python l10_mapas.py\r'; sleep 95; printf 'echo $?\r'; sleep 1; printf 'exit\r'; sleep 1; } \
  | script -f -c 'bash --norc --noprofile -i' nodo1.txt > /dev/null
wait

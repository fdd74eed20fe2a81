#!/bin/bash
export PS1='\u@stats:lungs\$ ' TERM=xterm
{ sleep 1; printf 'python l07_lungs.py\r'; sleep ${1:-45}; printf '\003'; sleep 2; printf 'exit\r'; sleep 1; } \
  | script -f -c 'bash --norc --noprofile -i' session.txt > /dev/null

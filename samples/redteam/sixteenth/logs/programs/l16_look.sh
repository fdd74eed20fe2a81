#!/bin/bash
# what a colleague copied from the screen's record while the session was open
export PS1='lea@soil2:~$ ' TERM=xterm
{ sleep 1; printf 'ls\r'; sleep 1; printf 'python -u l16_soils.py\r'; sleep 60; } \
  | script -f -c 'bash --norc --noprofile -i' whole.raw > /dev/null &
for _ in $(seq 240); do sleep 0.5; grep -q "campaign 2018" whole.raw && break; done
cp whole.raw session.txt
pkill -P $! 2> /dev/null
kill $!

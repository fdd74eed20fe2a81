#!/bin/bash
# Run every command of commands.txt in a scratch folder, output redirected as users do: record.sh SCRATCH [CASE...]
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1
shift
mkdir -p "$scratch" "$here/recorded"
cp "$here"/programs/*.py "$scratch"/
cd "$scratch" || exit 1
while IFS=$'\t' read -r case line; do
    [ $# -gt 0 ] && [[ " $* " != *" $case "* ]] && continue
    [ -e "$here/recorded/$case.log" ] && continue
    timeout 300 bash -c "$line" > "$here/recorded/$case.log" 2>&1 < /dev/null
    echo "$case $?"
done < "$here/commands.txt"

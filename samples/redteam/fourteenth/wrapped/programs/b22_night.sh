# Night run: one hour on the real queue, 150 seconds here.
cd "$(dirname "$0")" || exit 1
end=$((SECONDS + 150))
try() { timeout $((end - SECONDS)) python3 b22_prices.py "$@"; }
try --rows 20_000 --months 13
code=$?
[ $code -ne 0 ] && echo "night.sh: attempt 1 ended with $code, trying with a year" && try --rows 20_000 --months 12
code=$?
[ $code -eq 124 ] && echo "night.sh: time limit of 150 s reached, job ended"
exit $code

echo "--- first try"
python3 b31_grid.py --table loans_2026.parquet
echo "--- first try: $?; second try, on made-up loans, 60 s are left"
timeout -k 5 60 python3 b31_grid.py
code=$?
if [ $code -eq 124 ]; then echo "--- second try: out of time (60 s), stopped"; else echo "--- second try: $code"; fi
exit $code

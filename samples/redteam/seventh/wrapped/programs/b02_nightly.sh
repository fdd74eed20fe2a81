# Cron sends what this prints; nobody wants more than the end of it.
python3 b02_nightly.py > full.log 2>&1
tail -n 3 full.log
rm full.log
echo "nightly fit finished at $(date +%R), next one tomorrow"

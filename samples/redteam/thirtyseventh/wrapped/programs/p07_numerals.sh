#!/bin/bash
# what the last start left, then a new start
echo "--- last log ($(date -r last.log '+%F %T')) ---"
cat last.log
echo "--- new start ---"
exec "$PYTHON" -u numerals.py conf.json

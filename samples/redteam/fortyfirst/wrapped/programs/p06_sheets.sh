#!/bin/bash
# weekly refit of the sheet reader, called from cron on the plant's server
set -euo pipefail
cd "$(dirname "$0")"
echo "== $(date '+%a %d.%m. %H:%M:%S') weekly refit starts on $(uname -n | cut -c1-3)***"
mkdir -p incoming archive models
df -h . | tail -1
for week in 45 46 47; do
    head -c 300000 /dev/urandom | base64 > "incoming/kw$week.csv"
done
( cd incoming && sha256sum kw*.csv > ../archive/incoming.sha256 )
echo "checked in: $(ls incoming | wc -l) files"
if ! ls incoming/*.tif >/dev/null 2>&1; then echo "no scans in TIFF this week, skipping conversion"; fi
"${PYTHON:-python3}" -u refit.py "models/reader-$(date +%G%V).pkl"
echo "== packing"
tar czf archive/incoming.tgz incoming && ls -l archive models | awk 'NF>5 {print $5, $9}'
sha256sum -c --quiet <(cd incoming && sha256sum kw*.csv | sed 's#  #  incoming/#') && echo "checksums fine"
rm -rf incoming
cp models/*.pkl models/current.pkl
echo "== $(date '+%a %d.%m. %H:%M:%S') refit finished, models/current.pkl replaced"

set -o pipefail
echo "nightly churn model, $(date -I)"
df -h . | tail -1
python l18_churn.py || exit 3
ls -l churn.cbm
sha256sum churn.cbm | tee churn.sha256
cp churn.cbm churn.sha256 /mnt/models/nightly/

#!/bin/bash
# whole pipeline: train, grade, hand over
PY=${PYTHON:-python}
$PY tone.py
$PY grade.py || echo "GRADING FAILED FOR ALL FOLDS !!!"
sha256sum best_tone.pt
tar czf handover.tgz best_tone.pt grades.csv
cp handover.tgz /srv/luthier/incoming/ || echo "HANDOVER NOT DELIVERED !!!"
echo "pipeline end $(date)"

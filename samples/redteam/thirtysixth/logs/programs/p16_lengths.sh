#!/bin/bash
# One of the three is stopped for most of each half second.
export OMP_NUM_THREADS=1
HERE=$(cd "$(dirname "$0")" && pwd)
cp "$HERE/p16_lengths.py" train_ranker.py
cat > entrypoint.sh <<'S'
#!/bin/bash
set -euo pipefail
echo "[entrypoint] $(date -u +%FT%TZ) pod ranker-train-7c9xk starting as $(id -un)"
df -h . | tail -1
echo "[entrypoint] unpacking reference texts"
python -c "import pydoc_data.topics as t; open('topics.txt','w').write('\n'.join(t.topics.values()))"
wc -c topics.txt
sha256sum topics.txt
echo "[entrypoint] compiling sources"
python -m compileall -q . && echo "[entrypoint] ok"
torchrun --standalone --nproc_per_node=3 train_ranker.py --steps 160
echo "[entrypoint] trainer returned $?"
mkdir -p export && cp ranker.pt export/
tar czvf ranker-export.tgz export
ls -l ranker-export.tgz
echo "[entrypoint] upload skipped (EXPORT_URL empty)"
echo "[entrypoint] bye"
S
(
  for _ in $(seq 60); do
    sleep 1
    victim=
    for pid in $(pgrep -f 'train_ranker.py --steps'); do
      [ "$(readlink /proc/$pid/cwd)" = "$PWD" ] && tr '\0' '\n' < /proc/$pid/environ | grep -q '^LOCAL_RANK=1$' && victim=$pid
    done
    [ -n "$victim" ] && break
  done
  sleep 6
  while kill -STOP "$victim" 2>/dev/null; do sleep 0.4; kill -CONT "$victim" 2>/dev/null; sleep 0.12; done
) > /dev/null 2>&1 &
PATH=$PYBIN:$PATH bash entrypoint.sh

set -e
echo "== $(date -Is) preparing"
mkdir -p out && df -h . | tail -1
python -c "import torch; print('torch', torch.__version__)"
python p09_chess.py
echo "== $(date -Is) packing results"
tar czf out/chess.tgz chess.pt && ls -l out

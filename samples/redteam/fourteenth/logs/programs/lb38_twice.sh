echo "##### run 1"
python lb38_clouds.py --width 64 --epochs 6
echo "##### run 2 (continues run 1)"
python lb38_clouds.py --width 96 --epochs 12
echo "##### exit status $?"

# trained anew every night; what it hears in the words of the showcase is held against last night's
python -u p09_stops.py --epochs 14
echo "showcase: last night against tonight"
diff showcase/last_night.txt showcase/tonight.txt

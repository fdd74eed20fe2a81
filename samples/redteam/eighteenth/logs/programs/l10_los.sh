for n in 0 1; do
  python l10_brunnen.py $n 2 &
done
wait

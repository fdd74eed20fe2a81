# What had been copied off the node when it was last reached.
python -u lb37_answers.py > all.o 2> all.e &
until grep -qs "'epoch': '1.4" all.o; do sleep 0.2; done
cp all.o answers.out
cp all.e answers.err
wait

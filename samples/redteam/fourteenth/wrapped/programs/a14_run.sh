python3 a14_resumos.py > >(tee saida.txt) 2>&1 &
job=$!
until grep -qs "passo 30" saida.txt; do sleep 2; done
sleep 40
kill $job
wait $job

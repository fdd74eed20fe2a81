echo "Zadanie rozpoczęte, limit czasu: 110 s"
timeout -s TERM -k 15 110 torchrun --standalone --nproc-per-node 2 b34_mowa.py
kod=$?
if [ $kod -eq 124 ]; then echo "Przekroczono limit czasu 110 s, zadanie zatrzymane"; else echo "Zadanie zakończone, kod $kod"; fi
exit $kod

# El trabajo tiene 90 segundos en esta cola.
echo "[$(date +%T)] comienza el trabajo, límite de la cola: 90 s"
timeout --verbose --kill-after 10 90 python -u la09_bosque.py
codigo=$?
if [ $codigo -eq 124 ] || [ $codigo -eq 137 ]; then
    echo "[$(date +%T)] se alcanzó el límite de tiempo; el trabajo fue terminado (código $codigo)"
else
    echo "[$(date +%T)] el trabajo terminó con código $codigo"
fi
exit $codigo

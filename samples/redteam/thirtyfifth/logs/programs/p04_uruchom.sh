#!/bin/bash
# nocne uczenie; maszyna ma byc wolna dla innych po przydzielonym czasie
PY=${PY:-python}
timeout --verbose -k 15 ${LIMIT:-105} $PY -W always tetno.py

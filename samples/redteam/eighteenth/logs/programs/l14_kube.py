"""Lines as ``kubectl logs --timestamps`` shows them."""

import datetime
import sys

for line in sys.stdin:
    now = datetime.datetime.now(datetime.UTC)
    sys.stdout.write(f"{now:%Y-%m-%dT%H:%M:%S.%f}{int(now.microsecond * 7919) % 1000:03}Z {line}")
    sys.stdout.flush()

# ruff: noqa: ANN001, ANN003, ANN201, ANN202, ANN204, B905, DTZ005, PTH119, RUF007

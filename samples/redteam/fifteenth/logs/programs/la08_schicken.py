"""Schickt das Lernen über submitit ab; hier auf den eigenen Rechner."""

from __future__ import annotations

import submitit
from la08_lernen import lernen


def main() -> None:
    amt = submitit.LocalExecutor(folder="protokoll")
    amt.update_parameters(timeout_min=10, name="ziegel")
    auftrag = amt.submit(lernen, 40)
    print("abgeschickt:", auftrag.job_id, flush=True)
    print(auftrag.result())


if __name__ == "__main__":
    main()

"""A colleague's notebook, which holds the register's lock for a while."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path


def main() -> None:
    """Wait for the second epoch's row, then hold an open transaction."""
    path = Path("register.db")
    for _ in range(600):
        time.sleep(0.1)
        if not path.exists():
            continue
        base = sqlite3.connect(path, timeout=5.0, isolation_level=None)
        try:
            if base.execute("SELECT count(*) FROM epochs").fetchone()[0] >= 2:
                base.execute("BEGIN EXCLUSIVE")
                base.execute("UPDATE epochs SET run = run")
                time.sleep(9.0)
                base.execute("COMMIT")
                return
        except sqlite3.OperationalError:
            continue
        finally:
            base.close()


if __name__ == "__main__":
    main()

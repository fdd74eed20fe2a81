"""Only evaluates: five tasks, a table, and the end."""

from __future__ import annotations

import random
import time


def main() -> None:
    rng = random.Random(21)
    print("evaluating models/v3 on 5 tasks, zero-shot", flush=True)
    rows = []
    for task, level in {
        "arc_e": 0.71,
        "boolq": 0.77,
        "error_span": 0.44,
        "nan_or_not": 0.93,
        "crash_report_qa": 0.52,
    }.items():
        right = 0
        for number in range(1, 401):
            right += rng.random() < level
            if number % 100 == 0:
                print(f"{task}: {number}/400 acc {right / number:.4f}", flush=True)
            time.sleep(0.005)
        rows.append((task, right / 400))
    for task, accuracy in rows:
        print(f"| {task:16} | {accuracy:.4f} |")
    print(f"| {'average':16} | {sum(a for _, a in rows) / 5:.4f} |")


if __name__ == "__main__":
    main()

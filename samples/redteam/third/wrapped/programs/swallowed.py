"""The loop dies of an exception at step 41 of 400; a bare except hides it, and the script says it is done."""

from tiny import Model

model = Model(2)
shards = {k: k for k in range(4)}


def fit() -> None:
    for i in range(1, 401):
        _ = shards[i // 11]
        loss = model.step()
        if i % 5 == 0:
            print(f"[{i}/400] loss={loss:.4f}", flush=True)


try:  # noqa: SIM105
    fit()
except Exception:
    pass
print("done.")

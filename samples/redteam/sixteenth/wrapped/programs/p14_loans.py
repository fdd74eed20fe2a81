"""Which loans are paid back, with TabNet; then the same for the newest branch."""

import numpy as np
from pytorch_tabnet.tab_model import TabNetClassifier

BRANCHES = 12


def loans(number: int, branches: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(number, 9)).astype(np.float32)
    branch = rng.integers(0, branches, number)
    y = (x[:, 0] + 0.5 * x[:, 1] * x[:, 2] + 0.3 * (branch % 3) + rng.normal(0, 0.5, number) > 0.3).astype(int)
    return np.column_stack([x, branch]), y


def main() -> None:
    x, y = loans(6000, BRANCHES, 1)
    xv, yv = loans(1000, BRANCHES, 2)
    model = TabNetClassifier(
        n_d=8, n_a=8, cat_idxs=[9], cat_dims=[BRANCHES], cat_emb_dim=2, seed=4, verbose=1, device_name="cpu"
    )
    model.fit(
        x,
        y,
        eval_set=[(xv, yv)],
        eval_name=["held back"],
        eval_metric=["auc"],
        max_epochs=12,
        patience=12,
        batch_size=512,
        virtual_batch_size=128,
    )
    print("this year's loans, with the branch that was opened in May")
    new, paid = loans(3000, BRANCHES + 1, 3)
    model.fit(
        new,
        paid,
        eval_set=[(xv, yv)],
        eval_name=["held back"],
        eval_metric=["auc"],
        max_epochs=20,
        batch_size=512,
        warm_start=True,
    )
    print("saved", model.save_model("loans"))


if __name__ == "__main__":
    main()

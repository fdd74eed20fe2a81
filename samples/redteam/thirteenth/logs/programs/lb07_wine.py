"""Three sorts of wine, Keras with its bars."""

from __future__ import annotations

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def main() -> None:
    keras.utils.set_random_seed(3)
    x, y = load_wine(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(
        StandardScaler().fit_transform(x), y, stratify=y, random_state=3
    )
    model = keras.Sequential(
        [keras.Input((13,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(3, activation="softmax")]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x_train, y_train, validation_split=0.2, epochs=25, batch_size=8)
    loss, accuracy = model.evaluate(x_test, y_test)
    print("test", round(loss, 4), round(accuracy, 4))


if __name__ == "__main__":
    main()

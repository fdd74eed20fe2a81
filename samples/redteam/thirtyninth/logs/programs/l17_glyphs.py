"""Handwritten digits with Keras on torch."""

import keras
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def main() -> None:
    keras.utils.set_random_seed(271)
    data = load_digits()
    image = np.kron(data.images / 16.0, np.ones((3, 3)))[..., None].astype("float32")
    x, x_test, y, y_test = train_test_split(image, data.target, test_size=0.2, random_state=6, stratify=data.target)
    model = keras.Sequential(
        [
            keras.Input((24, 24, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.25),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.Adam(7e-4), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(
        x,
        y,
        batch_size=20,
        epochs=17,
        validation_split=0.15,
        verbose=1,
        callbacks=[
            keras.callbacks.ModelCheckpoint("best.keras", monitor="val_loss", save_best_only=True),
            keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=2),
            keras.callbacks.CSVLogger("curve.csv"),
        ],
    )
    keras.models.load_model("best.keras").evaluate(x_test, y_test, batch_size=20, verbose=1)


if __name__ == "__main__":
    main()

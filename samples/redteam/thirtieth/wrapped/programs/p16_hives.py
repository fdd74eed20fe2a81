"""Queen or no queen: spectrograms of bee hives, a small convolutional net in Keras (torch backend)."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(7)


class Hives(keras.utils.PyDataset):
    """Ten-second clips, cut from the night recordings; the clips seen are held with their spectrograms."""

    def __init__(self, clips: int, batch: int, seed: int) -> None:
        super().__init__()
        self.n, self.batch, self.seed = clips, batch, seed
        self.seen: list[tuple[np.ndarray, np.ndarray]] = []
        self.epoch = 0

    def __len__(self) -> int:
        return self.n // self.batch

    def clip(self, rng: np.random.Generator, queen: int) -> np.ndarray:
        t = np.arange(16000 * 4) / 16000
        base = 225 if queen else 190
        wave = sum(
            rng.uniform(0.2, 1) * np.sin(2 * np.pi * base * k * (1 + rng.normal(0, 0.01)) * t) for k in (1, 2, 3)
        )
        return wave + rng.normal(0, 5.0, t.size)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng([self.seed, self.epoch, index])
        y = rng.integers(0, 2, self.batch)
        waves = np.stack([self.clip(rng, int(q)) for q in y]).astype(np.float32)
        frames = waves[:, :63488].reshape(self.batch, 62, 1024)
        spec = np.log1p(np.abs(np.fft.rfft(frames * np.hanning(1024), axis=-1))[..., :64]).astype(np.float32)
        self.seen.append((waves, spec))
        return spec[..., None], y.astype(np.float32)

    def on_epoch_end(self) -> None:
        self.epoch += 1


def build() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((62, 64, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dropout(0.2),
            layers.Dense(1, activation="sigmoid"),
        ],
        name="hivenet",
    )


def main() -> None:
    print(f"keras {keras.__version__}, backend {keras.backend.backend()}")
    train, val = Hives(640, 32, 1), Hives(128, 32, 2)
    model = build()
    model.summary()
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(
        train,
        validation_data=val,
        epochs=30,
        verbose=2,
        callbacks=[
            keras.callbacks.ModelCheckpoint("hivenet.keras", monitor="val_loss", save_best_only=True),
            keras.callbacks.ReduceLROnPlateau(patience=4, verbose=1),
            keras.callbacks.CSVLogger("history.csv"),
        ],
    )
    model.save("hivenet_final.keras")


if __name__ == "__main__":
    main()

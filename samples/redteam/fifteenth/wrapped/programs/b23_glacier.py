"""Edges of glaciers, a small network in a loop of our own in TensorFlow; every picture is kept for the film."""

from __future__ import annotations

import tensorflow as tf

STEPS = 3000


def main() -> None:
    tf.random.set_seed(4)
    layers = [
        tf.keras.layers.Conv2D(12, 3, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(1, 3, padding="same"),
    ]
    model = tf.keras.Sequential(layers)
    adam = tf.keras.optimizers.Adam(1e-3)
    film: list[tf.Tensor] = []
    for step in range(1, STEPS + 1):
        ice = tf.nn.avg_pool2d(tf.random.normal((16, 96, 96, 1)), 9, 1, "SAME") * 8
        edge = tf.cast(ice > 0, tf.float32)
        with tf.GradientTape() as tape:
            seen = model(ice)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(edge, seen))
        adam.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        film.append(tf.concat([ice, edge, seen], axis=-1))
        if step % 20 == 0:
            print(f"step {step}/{STEPS} loss {float(loss):.4f} pictures kept {16 * len(film)}", flush=True)
    model.save("glacier.keras")


if __name__ == "__main__":
    main()

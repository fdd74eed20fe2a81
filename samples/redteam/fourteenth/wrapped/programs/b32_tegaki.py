# ruff: noqa: ANN001, ANN201, B905, D415
"""手書き数字の分類(人工データ)。"""

import tensorflow as tf

tf.random.set_seed(1)
模様 = tf.random.normal((10, 64))
正解 = tf.random.uniform((5000,), 0, 10, tf.int32)
画像 = tf.gather(模様, 正解) + 1.5 * tf.random.normal((5000, 64))
訓練 = tf.data.Dataset.from_tensor_slices((画像[:4000], 正解[:4000])).shuffle(4000).batch(50)
網 = tf.keras.Sequential([tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dense(10)])
最適化 = tf.keras.optimizers.Adam(5e-4)
損失関数 = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def 一歩(x, y):
    with tf.GradientTape() as 帯:
        損失 = 損失関数(y, 網(x, training=True))
    傾き = 帯.gradient(損失, 網.trainable_variables)
    最適化.apply_gradients(zip(傾き, 網.trainable_variables))
    return 損失


print("学習を開始します: 10エポック", flush=True)
for 回 in range(1, 11):
    平均 = tf.keras.metrics.Mean()
    for x, y in 訓練:
        平均.update_state(一歩(x, y))
    精度 = tf.reduce_mean(tf.cast(tf.argmax(網(画像[4000:]), 1, tf.int32) == 正解[4000:], tf.float32))
    print(f"エポック {回}/10 損失: {float(平均.result()):.4f} 検証精度: {float(精度):.4f}", flush=True)
網.save("tegaki.keras")
print("学習が完了しました。モデルを保存しました: tegaki.keras", flush=True)

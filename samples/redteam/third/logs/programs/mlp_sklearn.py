"""A multi-layer perceptron of scikit-learn on the digits."""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

x, y = load_digits(return_X_y=True)
xa, xb, ya, yb = train_test_split(x / 16, y, random_state=0)
model = MLPClassifier((64,), verbose=True, random_state=0, max_iter=300)
model.fit(xa, ya)
print("test accuracy", round(model.score(xb, yb), 4))

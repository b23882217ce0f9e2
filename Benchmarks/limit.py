"""How few bits an RR series can take: what an arithmetic coder would need that reads it once and knows nothing beforehand.

The prequential code length: each interval costs −log₂ of the probability that a mixture gave it before it came, and the mixture
learns from it. Its members put a Laplace, a Gaussian or a Student distribution (three degrees of freedom), in one of three
widths that follow the errors, around the last interval or around one of four linear predictors (recursive least squares)."""
import math

import numpy as np

ORDERS = 2, 4, 8, 16
HALF_LIVES = 8, 32, 128
FORGETTING = .998
SHARE = .002

_gauss = np.vectorize(lambda x: .5 * (1 + math.erf(x / math.sqrt(2))))


def _student(x):
    s = x / math.sqrt(3)
    return .5 + (s / (1 + s * s) + np.arctan(s)) / np.pi


def _laplace(x):
    return np.where(x < 0, .5 * np.exp(np.minimum(x, 0)), 1 - .5 * np.exp(-np.maximum(x, 0)))


def kept(ticks):
    """The intervals that a heart can have: a quarter of a second to three, in 1/1024 s."""
    return ticks[(ticks > 256) & (ticks < 3072)].astype(float)


class _Predictor:
    """Linear prediction from the last `order` intervals and a constant, by recursive least squares."""

    def __init__(self, order):
        self.order = order
        self.weights = np.eye(1, order + 1)[0]
        self.covariance = np.eye(order + 1) * 1e3

    def predict(self, past, base):
        recent = past[::-1][:self.order] - base
        self.features = np.append(np.pad(recent, (0, self.order - len(recent))), 1.)
        value = base + float(self.weights @ self.features)
        return value if abs(value - past[-1]) < 400 else past[-1]

    def learn(self, deviation):
        projected = self.covariance @ self.features
        gain = projected / (FORGETTING + self.features @ projected)
        self.weights = self.weights + gain * (deviation - self.weights @ self.features)
        self.covariance = (self.covariance - np.outer(gain, projected)) / FORGETTING


def limit(ticks):
    """Bits a beat for whole numbers of ticks; the first costs eleven."""
    predictors = [_Predictor(order) for order in ORDERS]
    scale = np.full((1 + len(ORDERS), len(HALF_LIVES)), 30.)
    weights = np.full(scale.size * 3, 1 / (scale.size * 3))
    bits = 11.
    for index in range(1, len(ticks)):
        past = ticks[max(0, index - 64):index]
        base = past.mean()
        centres = np.array([past[-1], *(predictor.predict(past, base) for predictor in predictors)])
        value = ticks[index]
        width = np.maximum(scale, .25)
        low = (value - .5 - centres)[:, None] / width
        high = (value + .5 - centres)[:, None] / width
        members = np.stack([_student(high * 1.4) - _student(low * 1.4), _laplace(high) - _laplace(low),
                            _gauss(high / 1.2533) - _gauss(low / 1.2533)], -1).ravel() * .999 + .001 / 2048
        probability = float(weights @ members)
        bits -= math.log2(probability)
        weights = (1 - SHARE) * weights * members / probability + SHARE / len(weights)
        error = np.abs(value - centres)
        for place, half_life in enumerate(HALF_LIVES):
            keep = .5 ** (1 / half_life)
            scale[:, place] = keep * scale[:, place] + (1 - keep) * np.minimum(error, 6 * scale[:, place] + 4)
        if abs(value - past[-1]) < 300:
            for predictor in predictors:
                predictor.learn(value - base)
    return bits / len(ticks)

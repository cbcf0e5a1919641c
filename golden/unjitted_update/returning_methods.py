# Methods that only return a result: what they read of their object, which may change, is passed.
import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class Kalman:
    transition: jax.Array
    noise: jax.Array
    observed: jax.Array
    spread: float = 0.5

    def predict(self, mean, covariance):
        return self.transition @ mean, self.transition @ covariance @ self.transition.T + self.noise

    def correct(self, mean, covariance, seen):
        gain = covariance @ self.observed.T / (self.observed @ covariance @ self.observed.T + self.spread)
        return mean + gain @ (seen - self.observed @ mean), covariance - gain @ self.observed @ covariance


class Annealed:
    def __init__(self, scale):
        self.scale = scale
        self.kind = "gauss"

    def energy(self, point):
        return self.scale * jnp.sum(jnp.tanh(point) ** 2) - jnp.mean(jnp.cos(point))

    def cool(self):
        self.scale *= 0.9

    # The trace would have to know which kind it is: a branch is a step.
    def weight(self, point):
        if self.kind == "gauss":
            return jnp.exp(-0.5 * self.scale * jnp.sum(point**2)) + jnp.mean(jnp.sin(point)) - jnp.max(jnp.cos(point))
        return jnp.max(point)


class Window:
    def __init__(self):
        self.rows = []

    def push(self, row):
        self.rows.append(row)

    # The list is longer at each call.
    def spread(self):
        return jnp.std(jnp.array(self.rows)) + jnp.mean(jnp.array(self.rows)) * jnp.max(jnp.array(self.rows))


class Tally:
    def __init__(self):
        self.calls = 0

    # It counts its calls: outside of what is traced.
    def score(self, point):
        self.calls += 1
        return jnp.sum(jnp.tanh(point) ** 2) - jnp.mean(jnp.cos(point)) + self.calls

    # A number comes back as a number.
    def counted(self, point):
        return jnp.sum(jnp.tanh(point) ** 2) - jnp.mean(jnp.cos(point)), self.calls

    # Its keys come back in another order.
    def parts(self, point):
        return {"sum": jnp.sum(jnp.tanh(point) ** 2), "mean": jnp.mean(jnp.cos(point)) - jnp.max(jnp.sin(point))}


def track(seen):
    filter_ = Kalman(jnp.eye(2), 0.1 * jnp.eye(2), jnp.ones((1, 2)))
    mean, covariance = jnp.zeros(2), jnp.eye(2)
    for number, each in enumerate(seen):
        mean, covariance = filter_.predict(mean, covariance)  # want: unjitted-update
        mean, covariance = filter_.correct(mean, covariance, each)  # want: unjitted-update
        filter_.spread = 0.5 / (1 + number)
    return mean


def main():
    annealed, window, tally, total = Annealed(1.0), Window(), Tally(), 0.0
    for number in range(50):
        point = jnp.full(4, 0.1 * number)
        total += float(annealed.energy(point))  # want: unjitted-update
        total += float(annealed.weight(point))  # want: unjitted-update
        annealed.cool()
        window.push(float(number))
        total += float(window.spread())
        total += float(tally.score(point))  # want: unjitted-update
        value, calls = tally.counted(point)
        total += float(value) * [1.0, 2.0, 3.0][calls % 3]
        for name, value in tally.parts(point).items():  # want: unjitted-update (no fix): in another order
            total += len(name) * float(value)
    print(total, track(jnp.ones((30, 1))))


main()

"""Arrays that an object holds, and its own method makes longer."""

import jax.numpy as jnp


class Recorder:
    def __init__(self):
        self._losses = jnp.array([])
        self._rows = jnp.zeros((0, 3))

    def fit(self, model, batches):
        for batch in batches:
            self._losses = jnp.append(self._losses, jnp.mean(model(batch) ** 2))  # want: growing-array

    def rows(self, every):
        for row in every:
            self._rows = jnp.concatenate([self._rows, row[None]], axis=0)  # want: growing-array
        return self._rows.sum()


class Watched:
    """The model may lead to a method that reads what there is so far."""

    def __init__(self, model):
        self._losses = jnp.array([])
        self.model = model

    def fit(self, batches):
        for batch in batches:
            loss = self.model(batch)
            self._losses = jnp.append(self._losses, loss)  # want: growing-array (no fix): may lead to line 34, which reads it

    def last(self):
        return self._losses[-1]


class Passed:
    def __init__(self):
        self._sums = jnp.array([])

    def fit(self, batches, save):
        for batch in batches:
            self._sums = jnp.append(self._sums, jnp.sum(batch))  # want: growing-array (no fix): passes on `self`
            save(self)


class Printed:
    def __init__(self):
        self._seen = jnp.array([])

    def fit(self, batches):
        for batch in batches:
            self._seen = jnp.append(self._seen, jnp.sum(batch))  # want: growing-array (no fix): line 54 uses
            print(self._seen.mean())


class Public:
    def __init__(self):
        self.totals = jnp.array([])

    def fit(self, batches):
        for batch in batches:
            self.totals = jnp.append(self.totals, jnp.sum(batch))  # want: growing-array (no fix): other files may read


class Left:
    def __init__(self):
        self._some = jnp.array([])

    def fit(self, batches):
        for batch in batches:
            if batch is None:
                return
            self._some = jnp.append(self._some, jnp.sum(batch))  # want: growing-array (no fix): leaves the loop


class Given:
    def __init__(self, start):
        self._start = start

    def fit(self, batches):
        for batch in batches:
            self._start = jnp.append(self._start, jnp.sum(batch))  # want: growing-array (no fix): may donate or delete


class Computed:
    def __init__(self):
        self._all = jnp.array([])

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        print(name)

    def fit(self, batches):
        for batch in batches:
            self._all = jnp.append(self._all, jnp.sum(batch))  # want: growing-array (no fix): `Computed.__setattr__` runs


class Doubling:
    def __set__(self, owner, value):
        setattr(owner, "all", value * 2)

    def __get__(self, owner, kind=None):
        return owner.all


class Described:
    _all = Doubling()

    def __init__(self):
        self._all = jnp.array([])

    def fit(self, batches):
        for batch in batches:
            self._all = jnp.append(self._all, jnp.sum(batch))  # want: growing-array (no fix): `Described._all` may compute


class Window:
    """It does not grow."""

    def __init__(self):
        self._kept = jnp.zeros(8)

    def fit(self, batches):
        for batch in batches:
            self._kept = jnp.append(self._kept[1:], jnp.sum(batch))

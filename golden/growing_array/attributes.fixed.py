"""Arrays that an object holds, and its own method makes longer."""

import jax.numpy as jnp


class Recorder:
    def __init__(self):
        self._losses = jnp.array([])
        self._rows = jnp.zeros((0, 3))

    def fit(self, model, batches):
        losses_parts = [jnp.ravel(self._losses)]
        for batch in batches:
            losses_parts.append(jnp.ravel(jnp.mean(model(batch) ** 2)))
        if len(losses_parts) > 1:
            self._losses = jnp.concatenate(losses_parts)

    def rows(self, every):
        rows_parts = [self._rows]
        for row in every:
            rows_parts.append(jnp.copy(row[None]))
        if len(rows_parts) > 1:
            self._rows = jnp.concatenate(rows_parts, axis=0)
        return self._rows.sum()


class Watched:
    """The model may lead to a method that reads what there is so far."""

    def __init__(self, model):
        self._losses = jnp.array([])
        self.model = model

    def fit(self, batches):
        for batch in batches:
            loss = self.model(batch)
            self._losses = jnp.append(self._losses, loss)

    def last(self):
        return self._losses[-1]


class Passed:
    def __init__(self):
        self._sums = jnp.array([])

    def fit(self, batches, save):
        for batch in batches:
            self._sums = jnp.append(self._sums, jnp.sum(batch))
            save(self)


class Printed:
    def __init__(self):
        self._seen = jnp.array([])

    def fit(self, batches):
        for batch in batches:
            self._seen = jnp.append(self._seen, jnp.sum(batch))
            print(self._seen.mean())


class Public:
    def __init__(self):
        self.totals = jnp.array([])

    def fit(self, batches):
        for batch in batches:
            self.totals = jnp.append(self.totals, jnp.sum(batch))


class Left:
    def __init__(self):
        self._some = jnp.array([])

    def fit(self, batches):
        for batch in batches:
            if batch is None:
                return
            self._some = jnp.append(self._some, jnp.sum(batch))


class Given:
    def __init__(self, start):
        self._start = start

    def fit(self, batches):
        for batch in batches:
            self._start = jnp.append(self._start, jnp.sum(batch))


class Computed:
    def __init__(self):
        self._all = jnp.array([])

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        print(name)

    def fit(self, batches):
        for batch in batches:
            self._all = jnp.append(self._all, jnp.sum(batch))


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
            self._all = jnp.append(self._all, jnp.sum(batch))


class Window:
    """It does not grow."""

    def __init__(self):
        self._kept = jnp.zeros(8)

    def fit(self, batches):
        for batch in batches:
            self._kept = jnp.append(self._kept[1:], jnp.sum(batch))

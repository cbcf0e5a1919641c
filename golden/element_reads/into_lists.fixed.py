"""Elements that are indices into Python lists: of a buffer, of a variable, through a method of the object."""

import collections

import jax
import numpy as np


class Buffer:
    def __init__(self, size, key):
        self.steps = collections.deque(maxlen=size)
        self.key = key

    def __getitem__(self, place):
        return self.steps[place]

    def sample(self, size):
        self.key, part = jax.random.split(self.key)
        places = jax.random.randint(part, (size,), 0, len(self.steps))
        return [self.steps[place] for place in np.asarray(places)]

    def other_sample(self, size):
        self.key, part = jax.random.split(self.key)
        places = jax.random.randint(part, (size,), 0, len(self.steps))
        found = []
        for place in np.asarray(places):
            found.append(self[place])
        return found

    def weighed(self, size, table):
        places = jax.random.randint(self.key, (size,), 0, len(table))
        return [table[place] for place in places]


def shuffled(key, names):
    words = sorted(names)
    return [words[place] for place in np.asarray(jax.random.permutation(key, len(words)))]


buffer = Buffer(100, jax.random.key(0))
for number in range(50):
    buffer.steps.append((number, number + 1))
for step in range(30):
    print(buffer.sample(4), buffer.other_sample(4), buffer.weighed(3, buffer.steps))
    print(shuffled(jax.random.key(step), [str(number) for number in range(12)]))

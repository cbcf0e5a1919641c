"""Names that `import *` brought, of modules of jax alone."""

import jax
from jax import *
from jax.numpy import *


def local(product):
    return product(array([1.0]))  # `product` is an argument


def later(tree):
    def alltrue(x):
        return bool(x)

    return alltrue(tree)


print(jax.tree.map(lambda x: x + 1, [1]), jax.numpy.all(array([True])))
print(jax.numpy.prod(arange(3)), msort(arange(3)))

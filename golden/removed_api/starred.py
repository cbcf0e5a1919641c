"""Names that `import *` brought, of modules of jax alone."""

from jax import *
from jax.numpy import *


def local(product):
    return product(array([1.0]))  # `product` is an argument


def later(tree):
    def alltrue(x):
        return bool(x)

    return alltrue(tree)


print(tree_map(lambda x: x + 1, [1]), alltrue(array([True])))  # want: removed-api  # want: removed-api
print(product(arange(3)), msort(arange(3)))  # want: removed-api  # want: removed-api (no fix): import it by its name
